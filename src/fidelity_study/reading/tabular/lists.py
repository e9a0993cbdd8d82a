"""Lists in the column ``options`` of a file of scenarios, as text."""

from collections.abc import Sequence

LISTED, BETWEEN = "options", " | "


class ListError(ValueError):
    """What is wrong with a list."""


def joined(options: Sequence[str | None]) -> str | None:
    """Return options as they stand in a text file, ``no | yes``; None if there are none.

    Raise ListError if an option is empty or has the sign in it that separates them.
    """
    wrong = [option for option in options if not option or BETWEEN.strip() in option]
    if wrong:
        raise ListError(
            f"lists the option {wrong[0] or ''!r}; write one that is not empty and has no | in it"
        )
    return BETWEEN.join(option for option in options if option) or None
