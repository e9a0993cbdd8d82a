"""The forms of a file, long and wide, as one frame of answers; a row for each answer asked for."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fidelity_study.errors import DataError
from fidelity_study.ingest import HUMAN
from fidelity_study.tabular.columns import answers, names, numbers
from fidelity_study.tabular.files import Sheet
from fidelity_study.tabular.layout import Layout, listed

SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Answers:
    """Answers, or stated probabilities, of one file.

    Attributes:
        sheet: where they are from.
        column: the column of the answers; None where each scenario has its own.
        rows: columns ``scenario, source, label`` (categories, the label missing where there is no
            answer), ``reason`` (why not, a position in REASONS, else -1), ``number`` (of such
            answers, or the probability), ``at`` (position in the sheet), ``weight`` (NaN without)
            and ``respondent`` (a number, -1 if unknown).
        stated: whether the numbers are probabilities.
        ordered: whether the options come in their order, as in cell tables.
        described: the columns that the file itself has about the scenarios, which are its index.
    """

    sheet: Sheet
    column: str | None
    rows: pd.DataFrame
    stated: bool
    ordered: bool
    described: pd.DataFrame

    def fault(self, what: str, row: pd.Series) -> DataError:
        """Return the error that says what is wrong with the answer in one of ``rows``."""
        column = self.column if self.column is not None else row["scenario"]
        return self.sheet.fault(what, at=int(row["at"]), column=column)


def constant(name: str, size: int) -> pd.Categorical:
    """Return one name for every row."""
    return pd.Categorical.from_codes(np.zeros(size, np.int8), pd.Index([name], dtype=object))


def joined(parts: list[pd.Categorical], between: str) -> pd.Categorical:
    """Return names made of several columns."""
    if len(parts) == 1:
        return parts[0]
    codes, distinct = pd.factorize(pd.MultiIndex.from_arrays(parts))
    made = [between.join(pair) for pair in distinct]
    return pd.Categorical.from_codes(codes, pd.Index(made, dtype=object))


def amounts(sheet: Sheet, column: str) -> np.ndarray:
    """Return a column of numbers, none below 0."""
    found = numbers(sheet, column)
    if (found < 0).any():
        at = int((found < 0).argmax())
        raise sheet.fault(
            f"is negative ({found[at]:g}); mend it or delete the row", at=at, column=column
        )
    return found


def no_description() -> pd.DataFrame:
    """Return what a file says about the scenarios if it says nothing."""
    return pd.DataFrame(index=pd.Index([], dtype=object))


def sources(sheet: Sheet, source: str | None, wanted: list[str]) -> pd.Categorical:
    """Return who answers in each row.

    Args:
        sheet: the table.
        source: who answers if the file is one source's, else None.
        wanted: the columns that together name the simulator.
    """
    present = [name for name in wanted if name in sheet.columns]
    if source is not None:
        if present:
            raise sheet.fault(
                f"all rows are {source!r}'s, so there can be no such column; drop it, or list "
                "it in the config under ignore; simulators' rows belong under simulated",
                column=present[0],
            )
        return constant(source, sheet.table.num_rows)
    if len(present) < len(wanted):
        absent = next(name for name in wanted if name not in sheet.columns)
        raise sheet.fault(
            f"has no column {absent!r} that says who answers; there are: {listed(sheet)}; add it, "
            "name yours in the config, columns: {simulator: ...}, or give each simulator a file of "
            "its own, simulated: {name: file}"
        )
    found = joined([names(sheet, name) for name in present], " ")
    if HUMAN in found.categories:
        raise sheet.fault(
            "a simulator cannot be called 'human', the name of the people; rename it, or put "
            "people's rows into the file under human",
            at=int((found == HUMAN).argmax()),
            column=present[0],
        )
    return found


def long(sheet: Sheet, layout: Layout, source: str | None) -> list[Answers]:
    """Read ``scenario, [simulator,] value`` with a count, a probability, or one row an answer."""
    human = source == HUMAN
    value = layout.column(sheet, "value") or layout.column(sheet, "option")
    value = value or layout.needed(sheet, "value")
    scenario = names(sheet, layout.needed(sheet, "scenario"))
    who = sources(sheet, source, layout.simulators("simulator"))
    own = ["weight", "respondent"] if human else ["simulator", "probability"]
    layout.check_no_typo(sheet, ["scenario", "value", "count", *own])
    _check_roles(sheet, layout, human)
    count, probability, weight, respondent = (
        layout.column(sheet, role) for role in ("count", "probability", "weight", "respondent")
    )
    size = sheet.table.num_rows
    label, reason = answers(sheet, [value], layout.reasons, layout.known)
    number = probability or count
    named = names(sheet, respondent) if human and respondent else None
    rows = pd.DataFrame(
        {
            "scenario": scenario,
            "source": who,
            "label": label,
            "reason": reason,
            "number": amounts(sheet, number) if number else np.ones(size),
            "at": np.arange(size),
            "weight": amounts(sheet, weight) if weight else np.full(size, np.nan),
            "respondent": named.codes if named is not None else np.full(size, -1),
        }
    )
    described = _clusters(sheet, layout, scenario) if human else no_description()
    found = Answers(sheet, value, rows, probability is not None, False, described)
    if count:
        _check_whole(found, layout, count)
    if probability:
        check_sums(found)
    if number and not weight:
        check_once(found, ["scenario", "source", "label"], "add up its rows")
    if named is not None:
        check_once(found, ["scenario", "respondent"], "a respondent answers a scenario once")
    if weight:
        _check_weights(found, weight)
    return [found]


def _check_roles(sheet: Sheet, layout: Layout, human: bool) -> None:
    """Raise DataError if a column makes no sense in this file."""
    count, probability, weight = (
        layout.column(sheet, role) for role in ("count", "probability", "weight")
    )
    if human and probability:
        raise sheet.fault("people give answers, not probabilities; give counts", column=probability)
    if not human and weight:
        raise sheet.fault(
            "only people are weighted; drop the column, or list it in the config under ignore",
            column=weight,
        )
    if probability and count:
        raise sheet.fault(
            "a file has counts or stated probabilities, not both; make two files of it, simulated: "
            "[counts.csv, stated.csv]",
            column=probability,
        )


def _check_whole(found: Answers, layout: Layout, column: str) -> None:
    """Raise DataError at a count that is a fraction, unless the people are weighted."""
    partial = found.rows["number"].to_numpy() % 1 != 0
    human = found.rows["source"].iloc[0] == HUMAN
    if partial.any() and not (human and layout.fractional):
        remedy = (
            "fractions come from survey weights, and need a design_effect in the config"
            if human
            else "if the simulator states probabilities, call the column probability"
        )
        row = found.rows[partial].iloc[0]
        raise found.sheet.fault(
            f"is {row['number']:g}, not a whole number; mend it; {remedy}",
            at=int(row["at"]),
            column=column,
        )


def _check_weights(found: Answers, column: str) -> None:
    """Raise DataError if no answer to a scenario has a weight above 0."""
    rows = found.rows[(found.rows["reason"] < 0) & (found.rows["number"] > 0)]
    heaviest = rows.groupby("scenario", observed=True)["weight"].transform("max")
    if (heaviest == 0).any():
        row = rows[heaviest == 0].iloc[0]
        raise found.sheet.fault(
            f"the weights of scenario {row['scenario']!r} are all 0; mend them, or delete the "
            "scenario",
            at=int(row["at"]),
            column=column,
        )


def check_once(found: Answers, keys: list[str], remedy: str) -> None:
    """Raise DataError if a row repeats another one's ``keys``; ``remedy`` says what to do."""
    again = found.rows[found.rows.duplicated(keys)]
    if not again.empty:
        row = again.iloc[0]
        answer = "" if pd.isna(row["label"]) else f" {row['label']!r}"
        raise found.fault(
            f"the answer{answer} of {row['source']!r} in scenario {row['scenario']!r} is there a "
            f"second time; {remedy}",
            row,
        )


def check_sums(found: Answers) -> None:
    """Raise DataError unless the shares of a source in a scenario sum to one."""
    keys = ["scenario", "source", *(["replicate"] if "replicate" in found.rows else [])]
    asked = found.rows[found.rows["reason"] < 0]
    if len(asked) < len(found.rows):
        row = found.rows[found.rows["reason"] >= 0].iloc[0]
        raise found.fault("a probability needs its option; name it, or delete the row", row)
    total = asked.groupby(keys, observed=True, sort=False)["number"].agg("sum")
    wrong = total[(total - 1).abs() > SUM_TOLERANCE]
    if not wrong.empty:
        scenario, source = wrong.index[0][:2]
        here = (asked["scenario"] == scenario) & (asked["source"] == source)
        percent = "; percentages must be divided by 100" if abs(wrong.iloc[0] - 100) < 1 else ""
        raise found.fault(
            f"the shares of {source!r} in scenario {scenario!r} sum to {wrong.iloc[0]:.6g}, not "
            f"to one; list every option once, and divide by the sum{percent}",
            asked[here].iloc[0],
        )


def _clusters(sheet: Sheet, layout: Layout, scenario: pd.Categorical) -> pd.DataFrame:
    """Return the cluster of each scenario, if the people's own file has it."""
    if layout.cluster not in sheet.columns or layout.cluster == "scenario":
        return no_description()
    pairs = pd.DataFrame({"scenario": scenario, "cluster": names(sheet, layout.cluster)})
    distinct = pairs.drop_duplicates()
    again = distinct["scenario"].duplicated()
    if again.any():
        name = distinct.loc[again, "scenario"].iloc[0]
        raise sheet.fault(
            f"scenario {name!r} is in a second cluster; give it one",
            at=int(again.idxmax()),
            column=layout.cluster,
        )
    return distinct.astype(object).set_index("scenario")


def wide(sheet: Sheet, layout: Layout, source: str | None) -> list[Answers]:
    """Read a column for each scenario; a row is a respondent, or a run of a simulator."""
    human = source == HUMAN
    by = layout.simulators("simulator")
    who = sources(sheet, source, by)
    weight, respondent = (layout.column(sheet, role) for role in ("weight", "respondent"))
    aside = {weight, respondent, *by, *layout.ignored}
    asked = [name for name in sheet.columns if name not in aside]
    if not asked:
        raise sheet.fault("no column is left that could be a scenario; see ignore in the config")
    size, m = sheet.table.num_rows, len(asked)
    label, reason = answers(sheet, asked, layout.reasons, layout.known)
    weights = amounts(sheet, weight) if human and weight else np.full(size, np.nan)
    named = names(sheet, respondent) if human and respondent else None
    rows = pd.DataFrame(
        {
            "scenario": _repeated(np.arange(m).repeat(size), asked),
            "source": _repeated(np.tile(who.codes, m), who.categories),
            "label": label,
            "reason": reason,
            "number": 1.0,
            "at": np.tile(np.arange(size), m),
            "weight": np.tile(weights, m),
            "respondent": np.tile(np.arange(size) if named is None else named.codes, m),
        }
    )
    found = Answers(sheet, None, rows, False, False, no_description())
    if named is not None:
        check_once(found, ["scenario", "respondent"], "give each respondent one row")
    if human and weight:
        _check_weights(found, weight)
    return [found]


def _repeated(codes: np.ndarray, labels: Iterable[str]) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, pd.Index(labels, dtype=object))
