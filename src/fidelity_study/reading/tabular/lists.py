"""Lists in a cell: in the column ``options`` of a file of scenarios as text, or of no use."""

import json
from collections.abc import Iterable, Sequence

from fidelity_study.reading.tabular.layout import ROLES
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import SCENARIO_LIKE, VALUE_LIKE

LISTED, BETWEEN = "options", " | "
NEEDED = {LISTED, "choices", "candidates", "output", "content", "model", "n", "score", "share"}
NEEDED |= {"prob", "probs", *ROLES, *SCENARIO_LIKE, *VALUE_LIKE}


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


def cells_of(text: str | None) -> list | None:
    """Return the cells of a list in JSON; None of other texts."""
    try:
        cells = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return cells if isinstance(cells, list) else None


def spare(nested: Iterable[str], names: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the columns without those of nested lists that have no answers, and a line on these.

    Args:
        nested: columns that have neither texts nor numbers.
        names: all columns.
    """
    left = [name for name in nested if name.rpartition(".")[2].strip().casefold() not in NEEDED]
    kept = [name for name in names if name not in left]
    if not (left and kept):
        return [*names], ()
    return kept, (f"left out, as neither texts nor numbers: {shown(left)}",)
