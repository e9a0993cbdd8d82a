"""Percentages of people, and answers that are sums of others: neither is a count of people."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from fidelity_study.errors import BLANK, IN_CONFIG, Key, Remedy
from fidelity_study.reading.tabular.answers import Answers, places
from fidelity_study.reading.tabular.columns import COMMA, names, people, squashed
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.shown import shown

UNWEIGHTED = ("unweightedbase", "unweightedn", "unweightedsample")
PLAIN = ("n", "base", "sample", "samplesize", "respondents", "fallzahl", "basis")
BASES = (*UNWEIGHTED, *PLAIN, "weightedbase", "weightedn", "weightedsample")
LEAST, MOST, ROUNDING = 99.0, 101.0, 0.5
SMALL = re.compile(r"\s*([*\u2217]|<\s*[\d.,]+)\s*%?\s*")
SAME, FAR_OFF = 1e-9, 2.0
CHANCE = 3  # in powers of ten
MOST_OPTIONS, FEWEST_OF_NETS, FEWEST_COUNTED = 10, 3, 20


def of_percent(sheet: Sheet, column: str) -> Remedy:
    """Return that a column has percentages, of so many people as a column with a usual name says.

    Without one the number is the user's to say.
    """
    return Remedy({"columns.percent": column, "base": _likely_base(sheet)})


def _likely_base(sheet: Sheet) -> Any:
    return next((name for name in sheet.columns if squashed(name) in BASES), BLANK)


def are_percent(totals: Iterable[float]) -> bool:
    """Return whether sums are those of rounded percentages."""
    return all(LEAST <= total <= MOST for total in totals)


def counted(answers: Answers, layout: Layout, scenario: str, percent: str) -> Answers:
    """Return people's counts from percentages and their base.

    Raises:
        DataError: if no base is known, or percentages of a question don't sum to 100.
    """
    sheet, rows = answers.sheet, answers.rows
    if layout.base is None:
        raise sheet.fault(
            "percent-without-base",
            "holds percentages; say of how many people they are, a number or a column, in ",
            Remedy({"base": _likely_base(sheet)}),
            IN_CONFIG,
            column=percent,
        )
    asked = rows.groupby(places(rows), observed=True)["number"]
    total, off = asked.transform("sum"), asked.transform("size") * ROUNDING
    hundred = total * 100 if are_percent(100 * total) else total
    wrong = ((hundred - 100).abs() > np.maximum(off, MOST - 100)).to_numpy()
    if wrong.any():
        row = rows[wrong].iloc[0]
        raise answers.fault(
            "percent-not-hundred",
            f"the percentages of scenario {row['scenario']!r} sum to {total[wrong].iloc[0]:.6g}, "
            "not to 100; list every answer once, also those who don't know; if rows are of several "
            "groups of people, name their columns under ",
            Key("groups"),
            "; if people chose several answers, give each answer a question of its own",
            row=row,
        )
    if layout.base in sheet.columns:
        batch = sheet.whole((scenario,), (layout.base,))
        of_row = pd.Series(people(batch, layout.base)).groupby(names(batch, scenario).astype(str))
        base = rows["scenario"].astype(str).map(of_row.max()).to_numpy(float)
    else:
        base = np.full(len(rows), _number(answers, layout.base))
    return replace(answers, rows=rows.assign(number=rows["number"] / total * base))


def of_one(answers: Answers) -> Answers:
    """Return a simulator's shares from percentages; shares stay as they are."""
    rows = answers.rows
    total = rows.groupby([*places(rows), "source"], observed=True)["number"].sum()
    whole = 1.0 if are_percent(100 * total) else 100.0
    return replace(answers, rows=rows.assign(number=rows["number"] / whole))


def without_sign(sheet: Sheet, column: str) -> Sheet:
    """Return a sheet in which the percentages of a column are numbers with a point."""
    at = sheet.columns.index(column)

    def columns(wanted: list[list[int]]) -> Iterator[list[pa.DictionaryArray]]:
        for cells in sheet.read(wanted):
            yield [
                _plain(column_cells) if group == [at] else column_cells
                for column_cells, group in zip(cells, wanted, strict=True)
            ]

    return replace(sheet, read=columns)


def _plain(cells: pa.DictionaryArray) -> pa.DictionaryArray:
    plain = pa.array(
        [text and plain_share(text) for text in cells.dictionary.to_pylist()], pa.string()
    )
    return pa.DictionaryArray.from_arrays(cells.indices, plain)


def plain_share(text: str) -> str:
    """Return a percentage without its sign and with a point; ``*`` and ``<1`` are 0."""
    plain = text.strip().removesuffix("%").strip()
    if SMALL.fullmatch(plain):
        return "0"
    return plain.replace(",", ".") if COMMA.fullmatch(plain) else plain


def _number(answers: Answers, base: str) -> float:
    try:
        number = float(base)
    except ValueError:
        number = 0.0
    if not 0 < number < np.inf:
        raise answers.sheet.fault(
            "no-base",
            f"has no column {base!r}, which is no number of people, either; mend base",
            IN_CONFIG,
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
    are_percentages = ((totals - 100).abs() <= FAR_OFF).all()
    if (usual and "count" in layout.columns) or not len(totals) or not are_percentages:
        return
    ways = ("; if they are counts, put ", Remedy({"columns.count": count}), IN_CONFIG)
    raise answers.sheet.fault(
        "percent-as-counts",
        f"sums to {totals.min():g} to {totals.max():g} in every question, as percentages do, and "
        "not to the number of people; if they are percentages, put ",
        of_percent(answers.sheet, count),
        IN_CONFIG,
        *(ways if usual else ()),
        column=count,
    )


def refuse_totals(answers: Answers) -> None:
    """Raise DataError if an answer's count is the sum of others in every question that has it."""
    rows = answers.rows[(answers.rows["reason"] < 0) & (answers.rows["number"] > 0)]
    keys = ["source", *places(rows)]
    sums: dict[str, str] = {}
    for _, rows_of_source in rows.groupby("source", observed=True):
        table = rows_of_source.pivot_table(
            index=places(rows_of_source),
            columns="label",
            values="number",
            aggfunc="sum",
            observed=True,
        ).fillna(0.0)
        whole = table.sum(axis=1)
        if not are_percent(whole) and not are_percent(100 * whole):
            sums |= dict(_sums(table))
    if not sums:
        return
    label = next(iter(sums))
    raise answers.fault(
        "sum-of-others",
        f"{label!r} is {sums[label]} in every question that has it, so that it counts people "
        "twice; if it is a total, put ",
        Remedy({"totals": list(sums)}),
        IN_CONFIG,
        row=rows[rows["label"].isin(sums)].sort_values(keys).iloc[0],
    )


def _sums(table: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the answers that are sums of others, and of which.

    Args:
        table: a row for each question, a column for each answer.
    """
    total = None
    for label in table:
        others, here = table.drop(columns=label), (table[label] > 0).to_numpy()
        many = (others[here] > 0).sum(axis=1)
        sizes = table.loc[here, label]
        different = ~others[here].duplicated().to_numpy()
        # By chance a count of n people is a given number about once in n times.
        enough = np.log10(sizes[different]).sum() >= CHANCE
        is_sum = here.any() and enough and (many > 1).all()
        if is_sum and _same(sizes, others[here].sum(axis=1)):
            total = label
            yield str(label), "the sum of all others"
    table = table if total is None else table.drop(columns=total)
    if len(table.columns) > MOST_OPTIONS or len(table) < FEWEST_OF_NETS:
        return
    for label in table:
        here = table[table[label] > 0]
        others = [name for name in table if name != label and (here[name] > 0).all()]
        if len(here) < FEWEST_OF_NETS or here[label].mean() < FEWEST_COUNTED:
            continue
        for size in range(2, len(others)):
            for some in combinations(others, size):
                if _same(here[label], here[list(some)].sum(axis=1)):
                    yield str(label), f"the sum of {shown(map(str, some))}"


def _same(one: pd.Series, two: pd.Series) -> bool:
    return bool(np.allclose(one.to_numpy(float), two.to_numpy(float), rtol=SAME, atol=SAME))
