"""Effects of two files, which may be stated, or means of arms: is their direction people's?

Effects are in the units of the answers, and summed up by outcome. What needs errors that are not
known is left out, and the reason is said.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from fidelity.effects import (
    Effects,
    arm_effects,
    compare_effects,
    compare_points,
    directions,
    effects_of_means,
    stated_effects,
)
from fidelity.effects.estimates import paired
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.columns import names, numbers, texts
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import listed
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.steps.arrays import ends_of
from fidelity_study.steps.effects import FEWEST, OPEN, OPPOSITE, SAME
from fidelity_study.tables.read_write import inert, refuse_others, write_text

LEVEL, FALSE = 0.95, 0.05
PEOPLE = "people"
NO_ERRORS = "effects of {} have no errors; state se, or means with sd and n"
DEPENDENT = "errors of effects against one control depend on each other; give means with sd and n"
TOO_FEW = "an outcome needs three effects for these"
MEASURES = ("slope", "correlation", "spread_ratio", "shift")


class Asked(NamedTuple):
    """What the command line says: columns' names, and the control."""

    condition: str
    control: str | None
    respondent: str | None
    outcomes: tuple[str, ...] = ()


class Side(NamedTuple):
    """Effects labelled (outcome, condition), and why they have no intervals together, or None."""

    effects: Effects
    lacking: str | None = None


def main(people: str, simulated: Sequence[str], asked: Asked, out: Path) -> int:
    """Compare the effects of files, write both tables, and say what they show; return 0.

    Raises:
        DataError: with what is wrong with a file.
    """
    places = out / "effects.csv", out / "effect_summary.csv"
    for path in (people, *simulated):
        if Path(path).resolve() in [place.resolve() for place in places]:
            raise DataError(f"--out: {path} is read and would be written over; name a folder")
    theirs = _sides(people, asked, PEOPLE)[PEOPLE]
    rows, summary = [], []
    for path in simulated:
        for name, side in _sides(path, asked, None).items():
            try:
                made = compared(theirs, side)
            except ValueError as error:
                raise DataError(f"{people}, {path}: {error}") from None
            rows.append(made[0].assign(simulator=name))
            summary.append(made[1].assign(simulator=name))
    out.mkdir(parents=True, exist_ok=True)
    texts = []
    for frames in (rows, summary):
        rows_of = pd.concat(frames).to_dict("records")
        texts.append(pd.DataFrame(map(inert, rows_of)).set_index("simulator").to_csv())
    for place, text in zip(places, texts, strict=True):
        refuse_others(place, text.partition("\n")[0])
    for place, text in zip(places, texts, strict=True):
        write_text(place, text)
    print(*map(_said, pd.concat(summary).to_dict("records")), sep="\n")
    print(f"wrote {places[0]} and {places[1]}")
    return 0


def _sides(path: str, asked: Asked, source: str | None) -> dict[str, Side]:
    """Return the effects in a file by whose they are: ``source``, or as a column or the file says.

    Raises:
        DataError: if there are none.
    """
    sheet = opened(path)
    table = _table(sheet, asked)
    who = table.pop("simulator") if "simulator" in table else Path(path).stem
    who = who if isinstance(who, pd.Series) and source is None else [source or who] * len(table)
    try:
        return {
            str(name): _side(part.reset_index(drop=True), asked, str(name))
            for name, part in table.groupby(np.array(who, object))
        }
    except ValueError as error:
        raise sheet.fault("no-effects", f"{error}") from None


def _table(sheet: Sheet, asked: Asked) -> pd.DataFrame:
    """Return the columns that are read: names as texts, all others as numbers, NaN where empty."""
    there = {*sheet.columns}
    named = {asked.condition, asked.respondent, "outcome", "simulator"} & there
    stated = {"effect", "ate", "mean"} & there
    wanted = {*asked.outcomes} or (there - named)
    read = stated | {"se", "sd", "n"} & there if stated else wanted | {"weight"} & there
    for name in sorted(({asked.condition} | read) - there):
        what = f"has no column {name!r}; there are: {listed(sheet)}; name yours"
        raise sheet.fault("no-column", what)
    columns = [name for name in sheet.columns if name in named | read]
    table = {}
    for name in columns:
        if name in named:
            table[name] = names(sheet, name).astype(object)
        else:
            at = np.flatnonzero(texts(sheet, name).codes >= 0)
            table[name] = np.full(sheet.size, np.nan)
            table[name][at] = numbers(sheet, name, at)
    return pd.DataFrame(table).rename(columns={"ate": "effect"} if stated else {})


def _side(table: pd.DataFrame, asked: Asked, name: str) -> Side:
    """Return the effects of a table of effects, means or answers, as its columns tell.

    Raises:
        ValueError: if there are none.
    """
    outcome = table.get("outcome", pd.Series("", table.index))
    condition = table[asked.condition]
    twice = pd.DataFrame({"outcome": outcome, "condition": condition}).duplicated()
    if {"effect", "mean"} & {*table} and twice.any():
        raise ValueError(f"{condition[twice].iloc[0]!r} is there twice; keep one row of an outcome")
    if "effect" in table:
        stated = stated_effects(table["effect"], zip(outcome, condition, strict=True))
        if "se" not in table:
            return Side(stated, NO_ERRORS.format(name))
        wrong = ~(table["se"] >= 0.0)
        if wrong.any():
            raise ValueError(
                f"se of {condition[wrong].iloc[0]!r} is {table['se'][wrong].iloc[0]:g}; give a "
                "number of at least 0, or leave the column out"
            )
        return Side(replace(stated, influence=np.diag(table["se"])), DEPENDENT)
    if asked.control is None:
        raise ValueError("means and answers need a control: --control NAME")
    where: dict = {"control": asked.control, "outcomes": outcome}
    if "mean" in table:
        is_known = {"sd", "n"} <= {*table}
        table = table if is_known else table.assign(sd=0.0, n=2.0)
        means = effects_of_means(table["mean"], table["sd"], table["n"], condition, **where)
        if is_known:
            return Side(means)
        return Side(stated_effects(means.estimate, means.labels), NO_ERRORS.format(name))
    about = (asked.condition, asked.respondent, "outcome", "weight")
    aside = [name for name in about if name in table]
    long = table.reset_index().melt(["index", *aside], var_name="of", value_name="answer")
    if "outcome" in table and long["of"].nunique() != 1:
        raise ValueError(f"each row has one outcome and {long['of'].nunique()} answers; keep one")
    effects = arm_effects(
        long["answer"],
        long[asked.condition],
        control=asked.control,
        outcomes=long["outcome" if "outcome" in table else "of"],
        respondents=long[asked.respondent or "index"],
        weights=long.get("weight"),
    )
    return Side(effects)


def compared(people: Side, simulator: Side) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row for each effect, and a summary by outcome.

    Raises:
        ValueError: if no effect is on both sides.
    """
    one, two = paired(people.effects, simulator.effects)
    rows = pd.DataFrame(one.labels, columns=["outcome", "condition"])
    for name, side in (("people", one), ("effect", two)):
        rows[name] = side.estimate
        if not side.is_stated:
            ends = side.intervals(LEVEL)
            rows[[f"{name}_lower", f"{name}_upper"]] = np.where(np.isfinite(ends), ends, np.nan)
    rows["agrees"] = one.estimate * two.estimate > 0.0
    if not one.is_stated:
        signs = directions(one, two, level=FALSE, dependent=True)
        rows = rows.assign(people_certain=signs.people, direction=OPEN)
        rows.loc[signs.same, "direction"] = SAME
        rows.loc[signs.opposite, "direction"] = OPPOSITE
    lacking = people.lacking or (None if two.is_stated else simulator.lacking)
    summary = [
        {"outcome": outcome, **_summary(part, one.take(part.index), two.take(part.index), lacking)}
        for outcome, part in rows.groupby("outcome")
    ]
    return rows, pd.DataFrame(summary)


def _summary(rows: pd.DataFrame, people: Effects, simulator: Effects, lacking: str | None) -> dict:
    """Return counts, slope and correlation of an outcome's effects."""
    points = compare_points(people, simulator)
    few = int((people.is_few | simulator.is_few).sum())
    row: dict = {"effects": points.effects, "agree": points.agree, "few_answers": few}
    if "direction" in rows:
        row |= {name: int((rows["direction"] == name).sum()) for name in (SAME, OPPOSITE)}
    if points.effects < FEWEST:
        lacking = TOO_FEW
    elif lacking is not None:
        row |= {"slope": points.slope, "correlation": points.correlation}
    else:
        both = compare_effects(people, simulator, level=LEVEL)
        for measure in MEASURES:
            row |= ends_of(measure, getattr(both, measure))
    return {**row, "lacking": lacking}


def _said(row: dict) -> str:
    """Return a summary in words."""

    def ends(name: str) -> str:
        low, high = (row.get(f"{name}_{end}", np.nan) for end in ("lower", "upper"))
        return f" [{low:.2f}, {high:.2f}]" if np.isfinite(high - low) else ""

    text = f"{row['simulator']}{', ' if row['outcome'] else ''}{row['outcome']}: "
    text += f"{row['agree']} of {row['effects']} effects in people's direction"
    if SAME in row:
        text += f", certainly {row[SAME]}; certainly against it {row[OPPOSITE]}"
    for name in ("slope", "correlation"):
        if np.isfinite(row.get(name) or np.nan):
            text += f"; {name} {row[name]:.2f}{ends(name)}"
    if row["few_answers"]:
        text += f"; {row['few_answers']} with fewer than 5 answers of the rarer kind in a condition"
    lacking = row["lacking"]
    return text + (f"; no intervals: {lacking}" if isinstance(lacking, str) else "")
