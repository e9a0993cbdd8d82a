"""Lists in the column ``options`` of a file of scenarios, as text."""

from collections.abc import Sequence

LISTED, BETWEEN = "options", " | "


class ListError(ValueError):
    """What is wrong with a list."""


def joined(options: Sequence[str | None]) -> str | None:
    """Return options as they stand in a text file, ``no | yes``; None if there are none.

    Raise ListError if an option is empty or has the sign in it that separates them.
    """
    wrong = [each for each in options if not each or BETWEEN.strip() in each]
    if wrong:
        raise ListError(
            f"lists the option {wrong[0] or ''!r}; write one that is not empty and has no | in it"
        )
    return BETWEEN.join(each for each in options if each) or None
