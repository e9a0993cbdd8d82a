"""The rows of a file that are read: of people or of simulators, and no totals."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from fidelity_study.errors import BLANK, Remedy
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.coded import left_out
from fidelity_study.reading.tabular.columns import are_empty, as_label, as_number
from fidelity_study.reading.tabular.doubtful import MARKS, NOT_MARKS
from fidelity_study.reading.tabular.exports.table import (
    Table,
    cells_of,
    columns_of,
    numbered,
    rows_of,
)
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout, values_of
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import MODEL, PEOPLE, SIMULATOR_LIKE, TRUTH

OF_MODELS = re.compile(
    r"((is|from)[_ ]?)?(ai|llm|bot|synthetic|simulated|artificial)|is[_ ]?(model|machine)",
    re.IGNORECASE,
)
OF_PEOPLE = re.compile(r"(is[_ ]?)?(human|real|person)", re.IGNORECASE)
ALSO_LIKE = {"type", "who", "origin", "rater", "annotator", "speaker", "author", "kind"}
MOST_COLUMNS, MOST_VALUES = 40, 200
STATED, ROW = "probability", re.compile(r"row \d+")


@dataclass(frozen=True)
class Source:
    """A column that says whose each row is.

    Attributes:
        column: its name.
        people: what it calls people; None if that is not clear.
        others: its other values.
        also: columns that name the models, and are empty for people.
    """

    column: str
    people: str | None
    others: list[str]
    also: tuple[str, ...] = ()


def source_of(sheet: Sheet, layout: Layout) -> Source | None:
    """Return the column of a file that says which rows are people's; None if none does."""
    roles = {layout.column(sheet, role) for role in ("scenario", "value", "count", "respondent")}
    left = [name for name in sheet.columns if name not in roles | layout.ignored]
    left = [name for name in left if not sheet.tells_all or name == sheet.roles.get("simulator")]
    usual = [name for name in left if name.casefold() in SIMULATOR_LIKE | ALSO_LIKE]
    names = usual if len(left) > MOST_COLUMNS else list(dict.fromkeys([*usual, *left]))
    values_by_name = values_of(sheet, names)
    for name, values in values_by_name.items():
        if not 1 < len(values) <= MOST_VALUES:
            continue
        of_people, folded = OF_PEOPLE.fullmatch(name), {text.casefold(): text for text in values}
        if (of_people or OF_MODELS.fullmatch(name)) and len(values) == 2:
            theirs = [
                folded[text] for text in folded if text in (MARKS if of_people else NOT_MARKS)
            ]
            if len(theirs) == 1 and {*folded} <= MARKS | NOT_MARKS:
                return Source(name, theirs[0], [text for text in values if text != theirs[0]])
        people = [text for text in values if PEOPLE.fullmatch(text) and not MODEL.search(text)]
        if layout.column(sheet, STATED):  # people may forecast, too
            people = [text for text in people if text == TRUTH] or people
        models = [text for text in values if MODEL.search(text)]
        is_usual = name.casefold() in SIMULATOR_LIKE
        if len(people) == 1 and (is_usual or models):
            others = [text for text in values if text != people[0]]
            models = [other for other in usual if other != name and len(values_by_name[other]) > 1]
            also = tuple(m for m in models if _is_empty_for(sheet, m, name, people[0]))
            return Source(name, people[0], others, also)
        if is_usual and models and not people:
            return Source(name, None, values)
    return None


def _is_empty_for(sheet: Sheet, column: str, source: str, people: str) -> bool:
    """Return whether a column has no cell in people's rows."""
    cells, sources = columns_of(sheet, [sheet.columns.index(name) for name in (column, source)])
    pairs = zip(cells, sources, strict=True)
    return not any((cell or "").strip() for cell, who in pairs if (who or "").strip() == people)


def refuse_models(sheet: Sheet, layout: Layout) -> None:
    """Raise DataError if some rows of a file of people seem to be simulators'."""
    source = source_of(sheet, layout) if layout.people is None else None
    if source is None or source.column in (*layout.groups_of(sheet), layout.cluster):
        return
    people = BLANK if source.people is None else source.people
    way = Remedy({"columns.simulator": source.column, "people": people})
    calls = "what it calls people (no cell may be empty), and name the file under simulated, too"
    are_all = source.people is None and all(map(MODEL.search, source.others))
    are_all |= source.people == TRUTH
    raise sheet.fault(
        "models-among-people",
        f"says that rows are of {shown(source.others, 5)}, which are no people; ",
        *(() if are_all else ("put ", way, f", {calls}; or ")),
        "make two files: one of people's answers or of what came true, and one of what models "
        "say; name them in this order",
        column=source.column,
    )


def refuse_other_truth(truth: Sheet, sheet: Sheet) -> None:
    """Raise DataError if forecasts' files say that other came true of a case, or count other cases.

    Without ids they pair by row.
    """
    if not (truth.path != sheet.path and truth.tells_all and sheet.tells_all):
        return
    first, second = _what_came_true(truth), _what_came_true(sheet)
    other = [case for case in second if first.get(case, second[case]) != second[case]]
    is_by_row = bool(first and second) and bool(ROW.match(next(iter(second))))
    if other or (is_by_row and len(first) != len(second)):
        what = f"has {len(second)} rows, and {truth.path} {len(first)}"
        if other:
            what = f"says {second[other[0]]!r} of {other[0]!r}, and {truth.path} says "
            what += f"{first[other[0]]!r} ({len(other)} of {len(second)} are other)"
        what += "; rows of one name, or number, are the same case: name each alike in a column id"
        raise sheet.fault("other-truth", what, column=sheet.roles["value"])


def _what_came_true(sheet: Sheet) -> dict[str, str | None]:
    """Return the true class of each case; nothing of a file that has none."""
    roles = [sheet.roles.get(role, "") for role in ("scenario", "simulator", "value")]
    if not {*roles} <= {*sheet.columns}:
        return {}
    rows = zip(*columns_of(sheet, [*map(sheet.columns.index, roles)]), strict=True)
    return {case or "": value for case, who, value in rows if who == TRUTH}


def part_of(sheet: Sheet, layout: Layout, *, human: bool) -> Sheet:
    """Return people's rows of a file that has simulators', too, or the others.

    Columns that only the other rows fill are left out, as those of another file.
    """
    named = layout.simulators
    if layout.people is None or not {*named} <= {*sheet.columns}:
        return sheet
    of_sources = cells_of(sheet, sheet.columns.index(named[0]))
    theirs = np.array([as_label(text or "") == layout.people for text in of_sources])
    if not theirs.any():
        raise sheet.fault(
            "no-rows-of-people",
            f"has no row of {layout.people!r}; name what it calls people: people",
            column=named[0],
        )
    rows = theirs if human else ~theirs
    places = [
        place
        for place, name in enumerate(sheet.columns)
        if not ((human and name in named) or _is_of_others(sheet, name, rows))
    ]
    return Table(sheet, places, rows=rows).sheet("")


def _is_of_others(sheet: Sheet, column: str, rows: np.ndarray) -> bool:
    """Return whether a column is filled in other rows than these only, and is no tick box there."""
    empty = are_empty(sheet, column)
    is_ticked = empty[~rows].any() and len(values_of(sheet, [column])[column]) == 1
    return bool(empty[rows].all() and not (empty.all() or is_ticked))


def without_totals(sheet: Sheet, layout: Layout, value: str) -> Sheet:
    """Return a sheet without the rows whose answer, in the column ``value``, sums others up."""
    if not layout.totals:
        return sheet
    at = sheet.columns.index(value)
    labels = pd.Series(cells_of(sheet.answered_in([value]), at), dtype=object).fillna("")
    labels = labels.map({text: as_label(text) for text in labels.unique()})
    kept = ~labels.replace(dict(layout.recode)).isin(layout.totals).to_numpy()
    return rows_of(sheet, kept)


def asked_rows(sheet: Sheet, layout: Layout, scenario: str, value: str) -> Sheet:
    """Return a sheet without rows that have neither a question nor an answer, as of breaks.

    Nor with those of questions that are left out, unless all are.
    """
    if out := left_out(layout.coded):
        asked = pd.Series(cells_of(sheet, sheet.columns.index(scenario)), dtype=object)
        compared = ~asked.isin(out).to_numpy()
        sheet = rows_of(sheet, compared) if compared.any() and not compared.all() else sheet
    empty = [cells.is_null() for cells in sheet.cells([scenario, value]).values()]
    is_none = pc.and_(*empty).to_numpy(zero_copy_only=False)
    if is_none.all() or not is_none.any():
        return sheet
    what = f"{int(is_none.sum()):,} rows have neither {scenario!r} nor {value!r}; not read"
    return rows_of(sheet, ~is_none, what)


def failed_statements(sheet: Sheet, names: Sequence[str], option: str, share: str) -> np.ndarray:
    """Return 1 for each statement of shares that failed, 2 for its other rows, 0 for all others.

    Such a statement has a row without an option, or rows of its options, and no share.

    Args:
        sheet: a row for each option of each statement.
        names: the columns that tell statements apart; those of the same are told by their options.
        option: the column of options.
        share: that of shares.
    """
    is_failed = pd.Series(are_empty(sheet, share))
    if not is_failed.any():
        return np.zeros(len(is_failed))
    cells = sheet.frame([*names, option]).fillna("")
    texts = cells.pop(option)
    nameless = (texts.str.strip() == "") | texts.str.startswith(NO_WORDS)
    statement = [cells[name] for name in names]
    statement += [texts.where(nameless, "named"), numbered(cells.assign(text=texts))]
    failed = is_failed.groupby(statement).transform("all")
    again = pd.concat(statement, axis=1).duplicated()
    return np.where(failed, np.where(again, 2, 1), 0)


def weighted_rows(sheet: Sheet, weight: str) -> Sheet:
    """Return a sheet without the rows that have no weight, as of persons who missed a wave.

    One without any weight is unchanged, so that the column is refused. How many weights are 0, is
    told.
    """
    empty, cells = are_empty(sheet, weight), sheet.cells([weight])[weight].to_pylist()
    if none := sum(as_number(cell or "") == 0 for cell in cells):
        what = f"{none:,} of {len(empty):,} rows have the weight 0 in {weight!r}: they are among "
        what += "the number of people, and add nothing to shares"
        sheet = replace(sheet, recognised=(*sheet.recognised, what))
    if not empty.any() or empty.all():
        return sheet
    what = f"{empty.sum():,} of {len(empty):,} rows have no weight in {weight!r} and do not count"
    return rows_of(sheet, ~empty, what)
