"""Forecasts: a probability of an event, or the location and scale of a distribution, in each row.

A row is about a scenario as a whole, or about one option where there is a column ``value``. Its
meaning depends on the outcomes. So files are read first (:func:`forecasts`), and interpreted when
people's answers are known (:func:`settled`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fidelity.calibration.predictive import STANDARD, margin_probability
from fidelity_study.errors import BLANK, Fault, Key, Part, Remedy, in_yaml
from fidelity_study.reading.settings import NUMBERS
from fidelity_study.reading.tabular.answers import AS_STATEMENTS, Answers, no_description
from fidelity_study.reading.tabular.columns import (
    MISSING,
    are_empty,
    as_label,
    as_number,
    coded,
    in_order,
    names,
    numbers,
    plain,
)
from fidelity_study.reading.tabular.doubtful import (
    MARKS,
    NOT_MARKS,
    alike,
    are_times,
    is_unanswered,
)
from fidelity_study.reading.tabular.exports.table import last_of_each, rows_of
from fidelity_study.reading.tabular.files import Sheet, refuse_where
from fidelity_study.reading.tabular.forms import simulators
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.one_vs_rest import GIVEN, divided
from fidelity_study.reading.tabular.options import Options, fixed_options
from fidelity_study.reading.tabular.percentages import without_sign
from fidelity_study.reading.tabular.questions import names_persons
from fidelity_study.reading.tabular.remedies import ignoring, in_pandas, of_columns
from fidelity_study.reading.tabular.respondents import MANY, runs_of
from fidelity_study.reading.tabular.said import NOTHING
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import OF_CALLS
from fidelity_study.tables.ingest import HUMAN, REASONS

FORECAST = ["scenario", "source", "label", "reason"]
ZERO_ONE = ["0", "1"]
ANNULLED = {"annulled", "void", "voided", "ambiguous", "cancelled", "canceled", "unresolved"}
ANNULLED |= {"withdrawn", "invalid", "nullified"}
HUNDRED = 100
ONE_VS_REST = Remedy({"probabilities": "one_vs_rest"})


def forecasts(sheet: Sheet, layout: Layout, source: str | None) -> list[Answers]:
    """Read ``scenario, simulator[, value]`` with a ``probability``, or with ``loc`` and ``scale``.

    Labels are missing where a row is about a scenario as a whole.
    """
    if source == HUMAN:
        raise sheet.fault(
            "people-forecast",
            "people give answers, not forecasts; add a column value with what they answered",
        )
    scenario = layout.needed(sheet, "scenario")
    value = layout.column(sheet, "value") or layout.column(sheet, "option")
    by = simulators(sheet, layout, source)
    pair = [layout.column(sheet, role) for role in ("loc", "scale")]
    margins = [name for name in pair if name]
    probability = layout.column(sheet, "probability")
    if probability and len(margins) == len(pair):
        raise sheet.fault(
            "probability-and-location",
            f"has {probability!r}, and {margins[0]!r} and {margins[1]!r}, too; list one of them "
            "under ",
            Key("ignore"),
            column=probability,
            also=[ignoring(probability)],
        )
    family = layout.columns.get("family") if len(margins) == len(pair) else None
    percent = None if probability or len(margins) == len(pair) else layout.percent_of(sheet)
    sheet = without_sign(sheet, percent) if percent else sheet
    wanted = (
        margins if len(margins) == len(pair) else [percent or layout.needed(sheet, "probability")]
    )
    read = [scenario, *by.columns, *([value] if value else []), *wanted]
    read += [str(family)] if family in sheet.columns else []
    run = layout.named(sheet, "respondent") if len(wanted) == 1 else None
    read += [run] if run else []
    sheet = _last(sheet, [*filter(None, [scenario, *by.columns, value, run])]) if run else sheet
    who, failed = by.coded(sheet), np.zeros(sheet.size, bool)
    if len(wanted) == 1 and value is None:
        empty = are_empty(sheet, wanted[0])
        failed = empty & ~empty.all()
    rows = pd.DataFrame(
        {
            "scenario": names(sheet, scenario),
            "source": in_order(np.broadcast_to(who.of_row, sheet.size), who.entries),
            "label": _labels(sheet, value, layout),
            "reason": np.where(failed, MISSING, -1),
            "number": 1.0,
            "at": np.arange(sheet.size),
        }
    )
    known = {*read, *layout.ignored}
    left = [name for name in sheet.columns if name not in known and not sheet.tells_all]
    others = [name for name in left if not (run or len(wanted) > 1 or OF_CALLS.fullmatch(name))]
    keys = [scenario, *by.columns, *([value] if value else []), *filter(names_persons, others)]
    runs = rows.assign(run=runs_of(sheet, run, by).of_row) if run else rows
    _refuse_twice(sheet, runs, keys, others)
    given = rows[["scenario", "source"]].astype(object).reindex(columns=GIVEN)
    if len(wanted) == 1:
        stated = rows_of(sheet, ~failed)
        rows.loc[~failed, "number"] = _shares(stated, wanted[0], HUNDRED if percent else 1)
        if run:  # the mean of its forecasts
            keys = [rows[key].astype(object) for key in FORECAST]
            rows["number"] = rows.groupby(keys, dropna=False)["number"].transform("mean")
            first = failed | ~rows.duplicated(FORECAST).to_numpy()
            rows, given = rows[first].reset_index(drop=True), given[first].reset_index(drop=True)
    else:
        given["loc"], given["scale"] = numbers(sheet, wanted[0]), _positive(sheet, wanted[1])
        given["family"] = _families(sheet, rows, layout)
    return [
        Answers(
            sheet,
            value or wanted[0],
            rows,
            stated=True,
            described=no_description(),
            unread=left,
            said=NOTHING,
            given=given,
        )
    ]


def forecasts_in_groups(simulated: Iterable[Answers], layout: Layout) -> Iterator[Fault]:
    """Yield faults of forecasts that name no groups, where each question is put to groups."""
    for answers in simulated:
        if answers.given is not None or (layout.one_vs_rest and answers.stated):
            yield from answers.sheet.fault(
                "forecast-of-groups",
                "forecasts and one-vs-rest probabilities are of whole questions, not of groups; "
                "give each option's probability in each group, or leave groups out",
            ).faults


def settled(answers: Answers, outcome: dict, table: pd.DataFrame, layout: Layout) -> Answers:
    """Return stated probabilities of options; for numbers, each stated location as certain.

    Args:
        answers: the answers of one file; returned unchanged if it has no forecasts.
        outcome: kind, levels.
        table: the scenarios, with their options where these are listed.
        layout: whether probabilities are one-vs-rest.

    Raises:
        DataError: if forecasts don't fit the outcomes, or it isn't clear which option is meant.
    """
    if answers.given is None or answers.given["total"].notna().any():
        return answers
    of_margins = bool(answers.given["scale"].notna().any())
    if outcome["kind"] in NUMBERS:
        return _of_numbers(answers, outcome["kind"], of_margins)
    rows = answers.rows.copy()
    if of_margins:
        rows["number"] = _margins(answers)
    if not _speaks_of_events(answers):
        if not layout.one_vs_rest:
            raise answers.sheet.fault(
                "margins-not-one",
                "margins of single options need not make probabilities that sum to one; put ",
                ONE_VS_REST,
                ", and each is divided by their sum",
            )
        return divided(replace(answers, rows=rows, given=None))
    if outcome["kind"] != "binary" and of_margins:
        raise answers.sheet.fault(
            "numbers-of-other-kind",
            "one location and scale for each scenario are those of a number, but outcomes are "
            f"{outcome['kind']}; call the kind real, or binary if an event happened or not",
            also=[Remedy({"outcome.kind": "real"})],
        )
    if outcome["kind"] != "binary":
        raise answers.sheet.fault(
            "event-of-other-kind",
            f"one number for each scenario is the probability of an event, but outcomes are "
            f"{outcome['kind']}; call the kind binary, or give each option a row, with a column "
            "value",
            also=[Remedy({"outcome.kind": "binary"})],
        )
    return replace(answers, rows=_both(rows, _pairs(answers, outcome, table)))


def given_of(studied: Iterable[Answers], names: Iterable[str] | None) -> pd.DataFrame:
    """Return simulators' answers in other forms than probabilities that sum to one."""
    tables = [answers.given for answers in studied if answers.given is not None]
    forms = pd.concat(tables) if tables else pd.DataFrame(columns=GIVEN)
    there = forms["loc"].notna() | forms["total"].notna()
    forms = forms[there if names is None else there & forms["source"].isin(list(names))]
    forms = forms.drop_duplicates(["scenario", "source", "total"]).reset_index(drop=True)
    family = forms["family"].astype(object)
    return forms.astype(dict.fromkeys(("loc", "scale", "total"), float)).assign(
        family=family.where(family.notna(), None)
    )


def _speaks_of_events(answers: Answers) -> bool:
    """Return whether rows are about scenarios as a whole, before forecasts are interpreted."""
    return bool(answers.rows["label"].isna().all())


def _labels(sheet: Sheet, value: str | None, layout: Layout) -> pd.Categorical:
    if value is None:
        return pd.Categorical([None] * sheet.size, categories=pd.Index([], dtype=object))
    answer = coded(sheet, value, meaning=layout.meaning, entries=range(len(REASONS)))
    codes = answer.of_row
    what = "a probability needs its option; name it, or delete the row"
    refuse_where(sheet, "probability-without-option", codes < len(REASONS), lambda _: what, value)
    return in_order(codes, answer.entries, len(REASONS))


def _refuse_twice(
    sheet: Sheet, rows: pd.DataFrame, columns: Sequence[str], others: Sequence[str]
) -> None:
    """Raise DataError if somebody forecasts twice, unless in another run.

    Args:
        sheet: of the forecasts.
        rows: the forecasts, with their ``run`` if a column tells it.
        columns: that of scenarios, and what else says whose forecast a row is.
        others: the columns that may tell runs, or times.
    """
    keys = [*FORECAST, *(["run"] if "run" in rows else [])]
    again = (rows.duplicated(keys) & (rows["reason"] < 0)).to_numpy()
    ways: list[Part] = []
    when = ""
    cells = sheet.frame(others if again.any() else ())
    times = [name for name in cells if are_times(name, cells[name])]
    for name in times[:1]:
        line = f"table.sort_values({name!r}, key=pd.to_datetime).groupby({[*columns]}).tail(1)"
        ways = [f"; to keep the last by {name!r}, {in_pandas(line)}"]
    several = cells.drop(columns=times).nunique()
    # What numbers the rows comes last.
    for name in sorted(several.index, key=lambda name: several[name] == sheet.size):
        is_once = not rows.assign(run=cells[name]).duplicated([*FORECAST, "run"]).any()
        if is_once or (times and MANY < several[name] < sheet.size):
            last = f", of which the last by {times[0]!r} counts" if not is_once else ""
            when = f", for each value of {name!r}{last}{AS_STATEMENTS}"
            ways = [f"; or if {name!r} numbers its runs, and their mean is wanted, put "]
            ways += [of_columns(respondent=name)]
            break

    def what(at: int) -> str:
        row = rows.iloc[at]
        of_what = "" if pd.isna(row["label"]) else f" of {row['label']!r}"
        return (
            f"a second forecast{of_what} of {row['source']!r} in scenario {row['scenario']!r}"
            f"{when}; keep one, or if a row is a person's own case, give each case its own scenario"
        )

    refuse_where(sheet, "forecast-twice", again, what, columns[0], *ways)


def _last(sheet: Sheet, columns: Sequence[str]) -> Sheet:
    """Return the last forecast of each person or run, where a column of times tells it."""
    rows = sheet.frame(columns)
    cells = sheet.frame(sheet.columns if rows.duplicated().any() else ())
    for name in (name for name in cells if are_times(name, cells[name])):
        when = pd.to_datetime(cells[name], utc=True, format="mixed", errors="coerce")
        if when.notna().all():
            kept = last_of_each(rows.assign(**{name: when}), columns, name).index
            what = f"the last of {len(rows)} forecasts by {name!r}: {len(kept)}"
            return rows_of(sheet, rows.index.isin(kept), what)
    return sheet


def _shares(sheet: Sheet, column: str, whole: float) -> np.ndarray:
    """Return probabilities, which are stated as parts of a whole: of 1, or of 100 percent."""
    shares = numbers(sheet, column) / whole

    def what(at: int) -> str:
        stated = shares[at] * whole
        percent = "; percentages must be divided by 100" if 1 < stated <= HUNDRED else ""
        return f"is {stated:g}, no probability from 0 to {whole:g}{percent}"

    wrong = (shares < 0) | (shares > 1)
    if whole == 1 < np.median(shares) and shares.min() >= 0 and shares.max() <= HUNDRED:
        at, way = int(wrong.argmax()), Remedy({"a_percent": {sheet.path: column}})
        raise sheet.fault("not-a-probability", what(at), at=at, column=column, also=[way])
    refuse_where(sheet, "not-a-probability", wrong, what, column)
    return shares


def _positive(sheet: Sheet, column: str) -> np.ndarray:
    scales = numbers(sheet, column)

    def what(at: int) -> str:
        return f"is {scales[at]:g}, but a scale is above 0; mend it or delete the row"

    refuse_where(sheet, "scale-not-positive", scales <= 0, what, column)
    return scales


def _families(sheet: Sheet, rows: pd.DataFrame, layout: Layout) -> np.ndarray:
    """Return the family of each row: from a column, by its simulator, or from the dataset."""
    column = layout.columns.get("family")
    if isinstance(column, str) and column in sheet.columns:
        families = names(sheet, column).astype(object)
        unknown = ~np.isin(families.astype(str), list(STANDARD))

        def what(at: int) -> str:
            return f"is {families[at]!r}, but a family is {' or '.join(STANDARD)}"

        refuse_where(sheet, "unknown-family", unknown, what, column)
        return np.asarray(families, object)
    if layout.family is None:
        is_mean = "mean" in (layout.column(sheet, "loc") or "").casefold()
        why = "a Cauchy distribution has no mean" if is_mean else ""
        raise sheet.fault(
            "no-family",
            "loc and scale may be those of a normal or of a Cauchy distribution; say which: put ",
            Remedy({"family": "normal"}, why=why, is_clear=is_mean),
            ", ",
            Remedy({"family": "cauchy"}),
            " or family: {simulator: normal}, or name a column, ",
            of_columns(family=BLANK),
        )
    if isinstance(layout.family, str):
        return np.full(len(rows), layout.family, object)
    silent = [name for name in rows["source"].unique() if name not in layout.family]
    if silent:
        raise sheet.fault(
            "simulator-without-family",
            f"the config has no family for {shown(silent)}; add it, family: "
            f"{in_yaml({str(silent[0]): 'normal'})}",
        )
    return rows["source"].astype(object).map(dict(layout.family)).to_numpy()


def _margins(answers: Answers) -> np.ndarray:
    assert answers.given is not None
    probabilities = np.empty(len(answers.given))
    for family in answers.given["family"].unique():
        in_family = (answers.given["family"] == family).to_numpy()
        probabilities[in_family] = margin_probability(
            answers.given["loc"][in_family], answers.given["scale"][in_family], family
        )
    return probabilities


def _of_numbers(answers: Answers, kind: str, of_margins: bool) -> Answers:
    assert answers.given is not None
    if not of_margins or not _speaks_of_events(answers):
        raise answers.sheet.fault(
            "number-without-location",
            f"outcomes are {kind}, numbers; of these a forecast gives loc and scale, one row for "
            "each scenario, and no probability or value",
        )
    texts = [as_label(repr(number)) for number in answers.given["loc"].tolist()]
    labels = pd.Categorical(texts, categories=list(dict.fromkeys(texts)))
    return replace(answers, rows=answers.rows.assign(label=labels))


def _pairs(answers: Answers, outcome: dict, table: pd.DataFrame) -> dict[str, Options]:
    """Return both options of each scenario, the event last."""
    fixed = fixed_options(outcome, table)
    if all(name in fixed for name in answers.questions):
        return fixed
    return dict.fromkeys(table.index, Options.of(ZERO_ONE, "binary")) | fixed


def _both(rows: pd.DataFrame, pairs: dict[str, Options]) -> pd.DataFrame:
    """Return a row for the event, and one for its absence."""
    stated, failed = rows[rows["reason"] < 0], rows[rows["reason"] >= 0]
    event = [pairs[name].labels[1] for name in stated["scenario"]]
    other = [pairs[name].labels[0] for name in stated["scenario"]]
    absent = stated.assign(label=other, number=1.0 - stated["number"])
    both = pd.concat([stated.assign(label=event), absent, failed])
    both["label"] = pd.Categorical(both["label"], pd.unique(both["label"].dropna()))
    return both.sort_values("at", kind="stable", ignore_index=True)


def refuse_unclear_event(
    people: Answers, simulated: Iterable[Answers], outcome: dict, table: pd.DataFrame
) -> None:
    """Raise DataError if an event has a probability but it is unclear which option is the event."""
    short = [
        answers for answers in simulated if answers.given is not None and _speaks_of_events(answers)
    ]
    if not short:
        return
    rows = people.answered
    annulled = [
        label
        for label in rows["label"].unique()
        if alike(label) in ANNULLED or is_unanswered(label)
    ]
    if annulled and outcome["kind"] in ("binary", "categorical"):
        of_none = Remedy(
            {"missing": annulled}, why="questions without an outcome are left out", is_clear=True
        )
        raise people.sheet.fault(
            "no-outcome",
            f"forecasts are of what came true or not, and {shown(annulled)} is neither; put ",
            of_none,
        )
    if outcome["kind"] != "binary":
        return
    fixed = fixed_options(outcome, table)
    free = rows[~rows["scenario"].isin(list(fixed))]
    strange = [label for label in free["label"].unique() if as_number(label) not in (0.0, 1.0)]
    if strange:
        labels = sorted(map(str, free["label"].unique()), key=lambda text: alike(text) in MARKS)[:2]
        is_clear = alike(labels[0]) in NOT_MARKS and alike(labels[-1]) in MARKS
        ways = [
            Remedy(
                {"outcome.levels": [*map(plain, pair)]},
                why=f"the event is {pair[-1]!r}",
                is_clear=is_clear,
                is_sure=False,
            )
            for pair in (labels, *([] if is_clear else [labels[::-1]]))
        ]
        raise short[0].sheet.fault(
            "which-event",
            f"has the probability of an event, but answers are {shown(labels)}: which is the "
            "event? List both, the event last: ",
            ways[0],
            *(part for way in ways[1:] for part in (" or ", way)),
        )
