"""Classifiers: the true class of each row, and beside it the probabilities of all classes.

As of ``predict_proba`` of scikit-learn: a column for each class, called as it or ``p_CLASS``, or
one column ``y_prob`` beside ``y_true``, which is 0 or 1. Numbers of several classes have no order.
Of an event models may have a column each, as ``gpt-4o`` beside ``Resolution``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

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
BY_MODELS = ("id", "model", "y_true", "y_prob")
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
    sheet = _by_models(sheet) or sheet
    folded = _folded(sheet)
    true = [at for name, at in folded.items() if name in TRUE]
    if len(true) != 1:
        return None
    if len(sheet.columns) == 2 and IDS & {*folded}:
        return _truth_alone(sheet, folded, true[0])
    named = _named(sheet, folded, true[0])
    rows = named and _rows(sheet, true[0], named)
    ids = rows and _ids(sheet, folded, len(rows.truth), is_first=0 not in {true[0], *named})
    if not (rows and ids):
        return None
    asked, who = ids
    truth = dict(zip(asked, rows.truth, strict=True))
    if any(truth[one] != label for one, label in zip(asked, rows.truth, strict=True)):
        return None
    many = len(rows.shares)
    stated = [
        (one, name, label, f"{numbers[at] / rows.whole:.10g}")
        for at, (one, name) in enumerate(zip(asked, who, strict=True))
        for label, numbers in rows.shares.items()
    ]
    cells = [*((one, TRUTH, label, None) for one, label in truth.items()), *stated]
    if many > 2 and None not in map(as_number, rows.shares):
        cells = [(one, name, f"class {label}", share) for one, name, label, share in cells]
    names = ("scenario", "simulator", "value", "probability")
    percent = ", which are percentages, divided by 100" if rows.whole > 1 else ""
    what = f"the true class in {sheet.columns[true[0]]!r}, and probabilities of {many} classes"
    what += f", {shown(rows.shares)}{percent}"
    columns = map(list, zip(*cells, strict=True))
    return rewritten(sheet, dict(zip(names, columns, strict=True)), what)


def _folded(sheet: Sheet) -> dict[str, int]:
    return {name.strip().casefold(): at for at, name in enumerate(sheet.columns)}


def _by_models(sheet: Sheet) -> Sheet | None:
    """Return a row for each probability that models state of events; None where they have none."""
    folded = _folded(sheet)
    true = [at for name, at in folded.items() if name in TRUTHS]
    true = true or [at for name, at in folded.items() if name == "resolved"]
    others = [at for at in range(len(sheet.columns)) if at not in true]
    names = [sheet.columns[at] for at in others if not is_measure(sheet.columns[at])]
    models = [name for name in names if MODEL.search(name.replace("_", " "))]
    if len(models) < 2 or not any(char.isdigit() for char in "".join(models)):
        alone = SURELY_TRUE.isdisjoint(folded) and SIMULATOR_LIKE.isdisjoint(folded)
        models = [name for name in names if alone and name.strip().casefold() in EVENT]
    if len(true) != 1 or not models:
        return None
    places = [*true, *others]
    happened, *columns = ([(c or "").strip() for c in cells] for cells in columns_of(sheet, places))
    outcomes = [HAPPENED.get(text.casefold()) for text in happened]
    cells = dict(zip((sheet.columns[at] for at in others), columns, strict=True))
    given = {name: _given(cells[name], outcomes) for name in names}
    texts = {text for name in models for text in given[name]}
    are_shares = all("%" in text or (as_number(text) or 0) <= 1 for text in texts)
    if not are_shares or texts <= {*HAPPENED} or {*outcomes} - {None} != {"0", "1"}:
        return None
    sign = any("%" in text for text in texts)
    by = [
        name
        for name in names
        if name in models or (models[1:] and _are_stated(given[name], sign=sign))
    ]
    is_first = 0 not in true and sheet.columns[0] not in by
    ids, _ = _ids(sheet, folded, len(outcomes), is_first=is_first) or ([], [])
    rows = [
        (one, name, outcome, text)
        for name in by
        for one, outcome, text in zip(ids, outcomes, cells[name], strict=False)
        if outcome and text in given[name]
    ]
    unread = [name for name, column in cells.items() if name not in by and column != ids]
    what = f"what came true in {sheet.columns[true[0]]!r}, and its probability by {shown(by)}; "
    what += f"left out: {outcomes.count(None)} rows that are neither true nor false"
    what += f", and the columns {shown(unread, len(unread))}" if unread else ""
    table = map(list, zip(*rows, strict=True))
    return rewritten(sheet, dict(zip(BY_MODELS, table, strict=True)), what)


def _given(column: Sequence[str], outcomes: Sequence[str | None]) -> set[str]:
    """Return the different cells of rows that have an outcome."""
    cells = {text for text, outcome in zip(column, outcomes, strict=True) if text and outcome}
    return {text for text in cells if text.casefold() not in NOTHING}


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
    asked, truth = columns_of(sheet, [*ids, true])
    if None in asked or len({*asked}) < len(asked):
        return None
    what = f"the true class in {sheet.columns[true]!r} of each {sheet.columns[ids[0]]!r}"
    return rewritten(sheet, {"scenario": asked, "value": truth}, what)


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
) -> tuple[list[str], list[str]] | None:
    """Return what each row is about, by its id or number, and which model's it is.

    The first column may be the id, whatever its name is, if that is so.
    """
    models = [at for name, at in folded.items() if name in OF_MODELS]
    called = Path(sheet.path).name.partition(".")[0]
    who = [OTHER if PEOPLE.match(called) else called] * size
    if models:
        who = [(text or "").strip() for text in columns_of(sheet, models[:1])[0]]
    usual = [at for name, at in folded.items() if name in IDS]
    for at in [*usual, 0] if is_first else usual:
        ids = [(text or "").strip() for text in columns_of(sheet, [at])[0]]
        if all(ids) and len({*zip(ids, who, strict=True)}) == size:
            return ids, who
    return None if models else ([f"row {at + sheet.first_row}" for at in range(size)], who)
