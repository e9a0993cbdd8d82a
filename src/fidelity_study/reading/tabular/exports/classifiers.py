"""Classifiers: the true class of each row, and beside it the probabilities of all classes.

As of ``predict_proba`` of scikit-learn: a column for each class, called as it or ``p_CLASS``, or
one column ``y_prob`` beside ``y_true``, which is 0 or 1. Numbers of several classes have no order.
Of an event models may have a column each, as ``gpt-4o`` beside ``Resolution``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import pandas as pd

from fidelity_study.reading.tabular.columns import NOTHING, as_label, as_number
from fidelity_study.reading.tabular.exports.option_columns import STATED
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import (
    FALSE_CELLS,
    MODEL,
    OF_MODELS,
    PEOPLE,
    SCENARIO_LIKE,
    SIMULATOR_LIKE,
    SURELY_TRUE,
    TRUE_CELLS,
    TRUTH,
    TRUTHS,
    is_measure,
)

TRUE = SURELY_TRUE | {"y", "target", "label", "gold", "class"}
HAPPENED = dict.fromkeys(("1.0", *TRUE_CELLS), "1") | dict.fromkeys(("0.0", *FALSE_CELLS), "0")
EVENT = {"y_prob", "y_proba", "y_score", "y_pred_proba", "prob", "proba", "probability"}
IDS = SCENARIO_LIKE | {"id", "index", "idx", "row_id", "sample_id", "example_id"}
BY_MODEL, PROBABILITY = "model", "probability"
OTHER, WHOLES, OFF = "classifier", (1, 100), 0.02


@dataclass(frozen=True)
class Rows:
    """What rows are of.

    Attributes:
        truth: the true class of each.
        shares: the probabilities of classes by class, as numbers.
        whole: what those of a row sum to, 1 or 100.
    """

    truth: Sequence[str]
    shares: Mapping[str, Sequence[float]]
    whole: int


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for the true class of each row, and one for each probability."""
    by_models = _by_models(sheet)
    sheet = by_models or sheet
    folded = _folded(sheet)
    is_true = {sheet.roles["value"].casefold()} if by_models else TRUE
    true = [at for name, at in folded.items() if name in is_true]
    if len(true) != 1:
        return None
    if len(sheet.columns) == 2 and IDS & {*folded}:
        return _truth_alone(sheet, folded, true[0])
    named = _named(sheet, folded, true[0])
    if by_models:
        named = {sheet.columns.index(sheet.roles[PROBABILITY]): "1"}
    rows = named and _rows(sheet, true[0], named)
    ids = rows and _ids(sheet, folded, len(rows.truth), is_first=0 not in {true[0], *named})
    if not (rows and ids):
        return None
    scenario, simulator = ids
    value, *columns = (sheet.columns[at] for at in (true[0], *named))
    stated = columns[0] if len(columns) == 1 else PROBABILITY
    used = {value, *columns}
    given = sheet.frame(name for name in sheet.columns if name not in used).assign(**ids)
    truth = given.assign(**{value: rows.truth}).groupby(scenario, sort=False)
    is_fact = (truth.nunique(dropna=False) == 1).all()
    if not is_fact[value]:
        return None
    facts = truth.first().loc[:, is_fact].assign(**{simulator: TRUTH}).reset_index()
    shares = []
    for label, numbers in rows.shares.items():
        texts = [f"{number / rows.whole:.10g}" for number in numbers]
        shares.append(given.assign(**{value: label, stated: texts}))
    cells = pd.concat([facts, pd.concat(shares).sort_index(kind="stable")])
    many = len(rows.shares)
    if many > 2 and None not in map(as_number, rows.shares):
        cells[value] = "class " + cells[value]
    percent = ", which are percentages, divided by 100" if rows.whole > 1 else ""
    what = f"the true class in {value!r}, and probabilities of {many} classes"
    what += f", {shown(rows.shares)}{percent}"
    roles = {"scenario": scenario, "simulator": simulator, "value": value, PROBABILITY: stated}
    return rewritten(sheet, cells, what, roles)


def _folded(sheet: Sheet) -> dict[str, int]:
    return {name.strip().casefold(): at for at, name in enumerate(sheet.columns)}


def _by_models(sheet: Sheet) -> Sheet | None:
    """Return a row for each probability that models state of events; None where they have none."""
    folded = _folded(sheet)
    true = [at for name, at in folded.items() if name in TRUTHS]
    true = true or [at for name, at in folded.items() if name == "resolved"]
    others = [name for at, name in enumerate(sheet.columns) if at not in true]
    names = [name for name in others if not is_measure(name)]
    models = [name for name in names if MODEL.search(name.replace("_", " "))]
    if len(models) < 2 or not any(char.isdigit() for char in "".join(models)):
        alone = SURELY_TRUE.isdisjoint(folded) and SIMULATOR_LIKE.isdisjoint(folded)
        models = [name for name in names if alone and name.strip().casefold() in EVENT]
    if len(true) != 1 or not models:
        return None
    value, cells = sheet.columns[true[0]], sheet.frame(sheet.columns).fillna("").map(str.strip)
    cells[value] = cells[value].str.casefold().map(HAPPENED)
    many, came = len(cells), cells[value].notna()
    stated = cells[names].mask(cells[names].map(str.casefold).isin({"", *NOTHING}))[came]
    given = {name: {*texts.dropna()} for name, texts in stated.items()}
    texts = {text for name in models for text in given[name]}
    are_shares = all("%" in text or (as_number(text) or 0) <= 1 for text in texts)
    if not are_shares or texts <= {*HAPPENED} or {*cells[value][came]} != {"0", "1"}:
        return None
    sign = any("%" in text for text in texts)
    by = [
        name
        for name in names
        if name in models or (models[1:] and _are_stated(given[name], sign=sign))
    ]
    is_first = 0 not in true and sheet.columns[0] not in by
    ids = _ids(sheet, folded, many, is_first=is_first)
    if ids is None:
        return None
    scenario, called = next(iter(ids)), by[0] if len(by) == 1 else PROBABILITY
    if by == [called] and scenario not in sheet.columns:
        return None
    made = {*by, scenario, BY_MODEL, called}
    beside = sheet.frame(name for name in others if name not in made)
    rows = pd.DataFrame({scenario: ids[scenario], value: cells[value]}).join(beside)
    parts = [rows.assign(**{BY_MODEL: name, called: stated[name]}) for name in by]
    what = f"what came true in {value!r}, and its probability by {shown(by)}; "
    what += f"left out: {many - came.sum()} rows that are neither true nor false"
    table = pd.concat(parts).dropna(subset=[value, called])
    return rewritten(sheet, table, what, {"value": value, PROBABILITY: called})


def _are_stated(texts: set[str], *, sign: bool) -> bool:
    """Return whether all are probabilities, with a per cent sign or without, not only 0 and 1."""
    numbers = [as_number(text.removesuffix("%").strip()) for text in texts]
    most = 100 if sign else 1
    are_shares = all(number is not None and 0 <= number <= most for number in numbers)
    return are_shares and {"%" in text for text in texts} == {sign} and not texts <= {*HAPPENED}


def _truth_alone(sheet: Sheet, folded: Mapping[str, int], true: int) -> Sheet | None:
    """Return the true class of each id; None where they may be a person's and a question's."""
    ids = [at for name, at in folded.items() if name in IDS]
    if sheet.columns[true].strip().casefold() not in SURELY_TRUE:
        return None
    (asked,) = columns_of(sheet, ids)
    if None in asked or len({*asked}) < len(asked):
        return None
    roles = {"scenario": sheet.columns[ids[0]], "value": sheet.columns[true]}
    what = f"the true class in {roles['value']!r} of each {roles['scenario']!r}"
    return replace(sheet, roles=roles, recognised=(*sheet.recognised, what))


def _named(sheet: Sheet, folded: Mapping[str, int], true: int) -> dict[int, str]:
    """Return the class of each column of probabilities; of the event alone, if that is all."""
    classes = {as_label(text) for text in columns_of(sheet, [true])[0] if text}
    matches = {at: STATED.fullmatch(name.strip()) for at, name in enumerate(sheet.columns)}
    of_prefix = {at: as_label(match[2]) for at, match in matches.items() if match and match[2]}
    of_class = {at: as_label(name) for at, name in enumerate(sheet.columns) if at != true}
    of_class = {at: label for at, label in of_class.items() if label in classes}
    for named in (of_prefix, of_class):
        if len(named) > 1 and classes <= {*named.values()}:
            return named
    events = [at for name, at in folded.items() if name in EVENT]
    is_sure = sheet.columns[true].strip().casefold() in SURELY_TRUE
    return {events[0]: "1"} if is_sure and len(events) == 1 and classes == {"0", "1"} else {}


def _rows(sheet: Sheet, true: int, named: Mapping[int, str]) -> Rows | None:
    """Return the true classes and probabilities; None where these are none."""
    truth = [as_label(text or "") for text in columns_of(sheet, [true])[0]]
    texts = [[(text or "").strip() for text in column] for column in columns_of(sheet, [*named])]
    signs = {text.endswith("%") for column in texts for text in column}
    numbers = [[as_number(text.removesuffix("%").strip()) for text in column] for column in texts]
    columns = [[number for number in column if number is not None] for column in numbers]
    are_none = (len(column) < len(truth) or min(column) < 0 for column in columns)
    if len(signs) > 1 or "" in truth or any(are_none):
        return None
    shares = dict(zip(named.values(), columns, strict=True))
    if len(shares) == 1:
        (event,) = columns
        is_score = "score" in sheet.columns[next(iter(named))].casefold()
        most = 1 if is_score or (fmean(event) <= 1 and True not in signs) else 100
        if max(event) > most:
            return None
        shares = {"0": [most - number for number in event], "1": event}
    sums = [sum(row) for row in zip(*shares.values(), strict=True)]
    for whole in WHOLES:
        if all(abs(total / whole - 1) <= OFF for total in sums):
            return Rows(truth, shares, whole)
    return None


def _ids(
    sheet: Sheet, folded: Mapping[str, int], size: int, *, is_first: bool
) -> dict[str, list[str]] | None:
    """Return what each row is about, by its id or number, and which model's it is, by column.

    The first column may be the id, whatever its name is, if that is so.
    """
    models = [at for name, at in folded.items() if name in OF_MODELS]
    called = Path(sheet.path).name.partition(".")[0]
    who, simulator = [OTHER if PEOPLE.match(called) else called] * size, "simulator"
    if models:
        who, simulator = _texts(sheet, models[0]), sheet.columns[models[0]]
    usual = [at for name, at in folded.items() if name in IDS]
    for at in [*usual, 0] if is_first else usual:
        ids = _texts(sheet, at)
        if all(ids) and len({*zip(ids, who, strict=True)}) == size:
            return {sheet.columns[at]: ids, simulator: who}
    rows = [f"row {at + sheet.first_row}" for at in range(size)]
    return None if models else {"scenario": rows, simulator: who}


def _texts(sheet: Sheet, at: int) -> list[str]:
    return [(text or "").strip() for text in columns_of(sheet, [at])[0]]
