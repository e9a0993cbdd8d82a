"""Percentages of people, and answers that are sums of others: neither is a count of people."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from fidelity_study.errors import BLANK, Key, Part, Remedy
from fidelity_study.reading.tabular.answers import OF_PERCENT, Answers, places
from fidelity_study.reading.tabular.columns import as_number, plain_share, squashed
from fidelity_study.reading.tabular.doubtful import is_net
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.remedies import leaving_out
from fidelity_study.reading.tabular.words import BASES
from fidelity_study.tables.ingest import BETWEEN

ROUNDING, LEAST_ROUNDING, SAME = 0.5, 1.0, 1e-9
CHANCE = 3  # in powers of ten
MOST_OPTIONS = 21


def of_percent(sheet: Sheet, column: str, bases: Sequence[str] | None = None) -> Remedy:
    """Return that a column has percentages, of so many people as another one says.

    That is the first of ``bases``, or without these one with a usual name. Without any the number
    is the user's to say.
    """
    base = _likely_base(sheet, column) if bases is None else next(iter(bases), BLANK)
    return Remedy({"columns.percent": column, "base": base})


def _likely_base(sheet: Sheet, percent: str) -> Any:
    bases = (name for name in sheet.columns if squashed(name) in BASES and name != percent)
    return next(bases, BLANK)


def are_percent(totals: Iterable[float]) -> bool:
    """Return whether sums are those of rounded percentages."""
    return all(abs(total - 100) <= 100 * OF_PERCENT + SAME for total in totals)


def counted(answers: Answers, layout: Layout, percent: str, bases: pd.DataFrame | None) -> Answers:
    """Return people's counts from percentages and their base.

    Args:
        answers: people's answers, in percent.
        layout: tells the base.
        percent: the column of percentages.
        bases: the base that stands in a row, with what tells to whom its question is put; None if
            one number holds for all.

    Raises:
        DataError: if no base is known, or percentages of a question don't sum to 100.
    """
    sheet, rows = answers.sheet, answers.rows
    if layout.base is None:
        raise sheet.fault(
            "percent-without-base",
            "holds percentages; say of how many people they are, a number or a column, in ",
            Remedy({"base": _likely_base(sheet, percent)}),
            column=percent,
        )
    asked = rows.groupby(places(rows), observed=True)["number"]
    total, off = asked.transform("sum"), asked.transform("size") * ROUNDING
    hundred = total * 100 if are_percent(100 * total) else total
    wrong = ((hundred - 100).abs() > np.maximum(off, LEAST_ROUNDING)).to_numpy()
    if wrong.any():
        row, several = rows[wrong].iloc[0], dict.fromkeys(map(str, rows["scenario"][wrong]))
        named = [text for text in dict.fromkeys(answers.answered["label"]) if is_net(text)]
        sums = ("; if some are sums of others, put ", Remedy({"totals": named}))
        raise answers.fault(
            "percent-not-hundred",
            f"the percentages of scenario {row['scenario']!r} sum to {total[wrong].iloc[0]:.6g}, "
            "not to 100; list every answer once, also those who don't know; if rows are of several "
            "groups of people, name their columns under ",
            Key("groups"),
            "; if people chose several answers, leave that question out, or make each answer a "
            "question of its own, with Yes and No in percent, in all files",
            *(sums if named else ()),
            row=row,
            also=[leaving_out(*several)] if len(several) < rows["scenario"].nunique() else [],
        )
    if bases is None:
        base = np.full(len(rows), _number(answers, layout.base))
    else:
        of_place = bases.groupby(places(bases), observed=True)["base"]
        _refuse_differing(answers, layout.base, of_place.nunique())
        base = rows[places(rows)].join(of_place.max(), on=places(rows))["base"].to_numpy()
    return replace(answers, rows=rows.assign(number=rows["number"] / total * base))


def _refuse_differing(answers: Answers, base: str, different: pd.Series) -> None:
    """Raise DataError if a question's base differs between its options, as counts of these do."""
    if (different > 1).any():
        name = different.index[different > 1][0]
        named = name if isinstance(name, str) else BETWEEN.join(map(str, name))
        raise answers.sheet.fault(
            "base-differs",
            f"has several numbers for the answers of scenario {named!r}, and so is not the number "
            "of people asked; if it counts the answers, put ",
            Remedy({"columns.count": base}, is_offered=False),
            " in the place of percent and base",
            column=base,
        )


def of_one(answers: Answers) -> Answers:
    """Return a simulator's shares from percentages; shares stay as they are."""
    rows = answers.rows
    total = rows.groupby([*places(rows), "source"], observed=True)["number"].sum()
    whole = 1.0 if are_percent(100 * total) else 100.0
    return replace(answers, rows=rows.assign(number=rows["number"] / whole))


def without_sign(sheet: Sheet, column: str) -> Sheet:
    """Return a sheet in which the percentages of a column are numbers with a point."""
    return sheet.with_texts([sheet.columns.index(column)], plain_share)


def _number(answers: Answers, base: str) -> float:
    try:
        number = float(base)
    except ValueError:
        number = 0.0
    if not 0 < number < np.inf:
        raise answers.sheet.fault(
            "no-base", f"has no column {base!r}, which is no number of people, either; mend base"
        )
    return number


def refuse_percent_as_counts(answers: Answers, layout: Layout, count: str, usual: bool) -> None:
    """Raise DataError if people's counts sum to 100 in every question, as percentages do.

    Args:
        answers: people's answers.
        layout: whether the config names the column.
        count: the column.
        usual: whether it has a usual name of counts, not of percentages.
    """
    rows = answers.rows[answers.rows["number"] > 0]
    totals = rows.groupby(places(rows), observed=True)["number"].sum()
    if (usual and "count" in layout.columns) or not len(totals) or not are_percent(totals):
        return
    ways = ("; if they are counts, put ", Remedy({"columns.count": count}))
    raise answers.sheet.fault(
        "percent-as-counts",
        f"sums to {totals.min():g} to {totals.max():g} in every question, as percentages do, and "
        "not to the number of people; if they are percentages, put ",
        of_percent(answers.sheet, count),
        *(ways if usual else ()),
        column=count,
    )


def refuse_totals(answers: Answers, known: Container[str]) -> None:
    """Raise DataError if an answer's count is the sum of others in each of its questions.

    These are several, as one option may well be half of a question's answers. A number is no total.
    The others are all that the question has, where chance makes that improbable.

    Args:
        answers: with counts.
        known: the options that somebody lists.
    """
    rows = answers.rows[(answers.rows["reason"] < 0) & (answers.rows["number"] > 0)]
    sums: dict[str, None] = {}
    for _, here in rows.groupby("source", observed=True):
        asked = here.groupby(places(here), observed=True)["number"]
        whole, options = asked.transform("sum"), asked.transform("size")
        if are_percent(whole) or are_percent(100 * whole):
            continue
        is_sum = np.isclose(2 * here["number"], whole, rtol=SAME) & (options > 2)
        facts = pd.DataFrame({"is_sum": is_sum, "digits": np.log10(here["number"])})
        of_label = facts.groupby(here["label"], observed=True).agg(["min", "size", "sum"])
        # By chance a count of n people is a given number about once in n times.
        enough = of_label["is_sum", "min"] & (of_label["digits", "sum"] >= CHANCE)
        sums |= dict.fromkeys(of_label.index[enough & (of_label["is_sum", "size"] > 1)])
    totals = [label for label in sums if label not in known and as_number(label) is None]
    if not totals:
        return
    labels = list(dict.fromkeys(rows["label"]))
    listed: Part = Key("outcome.levels")
    if len(labels) <= MOST_OPTIONS:
        listed = Remedy({"outcome.levels": labels}, is_offered=False)
    raise answers.fault(
        "sum-of-others",
        f"{totals[0]!r} is the sum of others in every question that has it, so that it counts "
        "people twice; if it is a total, put ",
        Remedy({"totals": totals}),
        "; if it is an answer, list all options in their order, ",
        listed,
        row=rows[rows["label"].isin(totals)].sort_values(["source", *places(rows)]).iloc[0],
    )
