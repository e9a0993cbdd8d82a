"""Objects of each record that are called after models, each with its answers or shares."""

import re
from pathlib import Path

from fidelity_study.reading.tabular.exports.table import stacked
from fidelity_study.reading.tabular.files import LINES, LIST, Sheet
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import NAME_OF_MODEL, OF_MODELS

SIMULATOR, ANSWERS, FEWEST = "simulator", "answers", 2


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each model of each record."""
    if Path(sheet.path).suffix.lower() not in (*LINES, LIST):
        return None
    objects: dict[str, dict[str, str]] = {}
    for column in sheet.columns:
        name, _, key = column.rpartition(".")
        objects.setdefault(name if _is_model(name) else "", {})[column] = f"{ANSWERS}.{key}"
    others = objects.pop("", {})
    names = {column.casefold() for column in others}
    kinds = {frozenset(keys.values()) for keys in objects.values()}  # gpt-4.1 and gpt-3.5 differ
    if len(objects) < FEWEST or len(kinds) > 1 or len(min(kinds)) < FEWEST or OF_MODELS & names:
        return None
    what = f"objects of its records are of the models {shown(objects)}"
    return stacked(sheet, objects, SIMULATOR, what)


def _is_model(name: str) -> bool:
    """Return whether an object has a model's own name, and is not within another.

    >>> _is_model("gpt-4.1"), _is_model("gpt-4o.q1"), _is_model("model_a")
    (True, False, False)
    """
    return bool(NAME_OF_MODEL.search(name)) and not re.search(r"\.\D", name)
