"""Models beside each other: an object of each record, or a column of options' shares or counts."""

import re

from fidelity_study.reading.tabular.columns import share_of, squashed
from fidelity_study.reading.tabular.exports.table import rewritten, stacked
from fidelity_study.reading.tabular.files import LINES, LIST, Sheet, suffix_of
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.turned import OPTIONS, QUESTIONS, answering, are_shares
from fidelity_study.reading.tabular.words import BASES, NAME_OF_MODEL, OF_MODELS

SIMULATOR, ANSWERS, FEWEST = "simulator", "answers", 2
UNITS = {"probability": "probabilities", "percent": "percentages", "count": "counts"}
ANSWERED, TWICE = 0.9, 2


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each model of each record, or of each option."""
    return _of_records(sheet) or _of_options(sheet)


def _of_options(sheet: Sheet) -> Sheet | None:
    """Return a row for each model and option; None unless its amounts are of whole questions.

    These are shares of each question, or of about as many answers to each.
    """
    names = {name: name.strip().casefold() for name in sheet.columns}
    asked, options = (
        [name for name in names if names[name] in usual] for usual in (QUESTIONS, OPTIONS)
    )
    others = [name for name in names if squashed(name) not in BASES]
    models = answering([name for name in others if name not in {*asked, *options}])
    if len(asked) != 1 or len(options) != 1 or not models or OF_MODELS & {*names.values()}:
        return None
    cells = sheet.frame(sheet.columns)
    amounts, by = cells[models].map(share_of), [name for name in names if name not in models]
    repeats = cells.duplicated([*asked, *options]).any()
    of_question = cells.groupby([name for name in by if name not in options] if repeats else asked)
    if cells[by].duplicated().any() or (of_question.size() < FEWEST).any():
        return None
    given = amounts.groupby(of_question.ngroup())
    sums, many = given.sum(min_count=1).stack(), given.count().stack()
    if are_shares(sums, many[sums.index]):
        unit = "probability" if sums.max() < TWICE else "percent"
    elif (amounts.stack() % 1 == 0).all() and sums.min() >= ANSWERED * sums.max():
        unit = "count"
    else:
        return None
    melted = cells[by].join(amounts).melt(by, models, SIMULATOR, unit).dropna(subset=unit)
    melted[unit] = melted[unit].map("{:.10g}".format)
    what = f"a column for each who answers, {shown(models)}; their cells are {UNITS[unit]}"
    roles = {"scenario": asked[0], "value": options[0], SIMULATOR: SIMULATOR, unit: unit}
    return rewritten(sheet, melted, what, roles)


def _of_records(sheet: Sheet) -> Sheet | None:
    """Return a row for each model of each record."""
    if suffix_of(sheet.path) not in (*LINES, LIST):
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
