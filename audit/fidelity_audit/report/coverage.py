"""The audit of coverage as a table, words and a figure."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from synthetic.populations import population_named

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.gamma import parse_coverage
from fidelity.stream import stream
from fidelity_audit.coverage import (
    KNOWN_WRONG,
    SIGNIFICANCE,
    STATEMENTS,
    CurveCoverage,
    Measured,
    SetCoverage,
    WrongSet,
    curve_coverage,
    set_coverage,
)
from fidelity_audit.plan import Plan
from fidelity_study.report.figures import style

SCENARIOS = (60, 235)
TIED = (0.95, 0.3)
COVERAGES = [0.5, 0.9]
OTHER_COVERAGES: dict[str, list] = {
    "paper": [0.5],
    "weighted_exact": [*COVERAGES, TIED],
    "weighted_marginal": [*COVERAGES, TIED],
    "asymptotic": [*COVERAGES, TIED],
}
HOLDS, FAILS, TIGHT = "#0072B2", "#D55E00", "#009E73"
LEVEL: dict[str, Any] = {"color": "#222222", "lw": 1, "ls": "--"}
LIMITS = 2.5758  # of the standard normal distribution, for 99 %
TABLE = (
    *("what", "where", "bound", "gamma", "known_wrong", "nominal", "coverage", "standard_error"),
    *("worst_nominal", "worst", "worst_low", "worst_high", "p_value", "fails", "auc_ratio"),
    *("auc_ratio_error", "gap", "claimed", "covered"),
)


def jobs(plan: Plan) -> Iterator[partial]:
    """Yield functions that each return some rows of the table, from streams of their own."""
    for cell in plan.cells:
        for gamma in plan.gamma:
            yield partial(_of_set, plan, *cell, gamma)
    for name in STATEMENTS:
        for m in SCENARIOS:
            for gamma in OTHER_COVERAGES.get(name, COVERAGES):
                yield partial(_of_statement, plan, name, m, gamma)
    for name in KNOWN_WRONG:
        yield partial(_of_wrong, plan, name)


def _of_set(
    plan: Plan, population: str, name: str, discrepancy: str, gamma: float | dict
) -> list[dict]:
    key = (plan.seed, "audit", population)
    drawn = population_named(population).draw(stream(*key), m=plan.scenarios)
    coverage = parse_coverage(gamma)
    generator = stream(*key, name, discrepancy, coverage.label)
    entries = set_coverage(drawn, name, discrepancy, coverage, plan.replicates, generator)
    known = CONFIDENCE_SETS[name]
    about = {"title": known.label, "known_wrong": False, "is_proven": known.guarantee == "proven"}
    cell = (name, discrepancy, population, coverage.label)
    return [_set_row(entry, *cell, about) for entry in entries]


def _of_statement(plan: Plan, name: str, m: int, gamma: float | tuple) -> list[dict]:
    generator = stream(plan.seed, "audit", "curves", name, m, str(gamma))
    title, is_proven = name.replace("_", ", "), name != "asymptotic"
    about = {"title": title, "known_wrong": False, "is_proven": is_proven}
    entries = curve_coverage(name, m, gamma, plan.studies, generator)
    return [_curve_row(entry, m, gamma, about) for entry in entries]


def _of_wrong(plan: Plan, name: str) -> list[dict]:
    wrong, generator = KNOWN_WRONG[name], stream(plan.seed, "audit", "curves", name)
    about = {"title": wrong.title, "known_wrong": True, "is_proven": False}
    if isinstance(wrong, WrongSet):
        cell = (name, wrong.discrepancy, wrong.population, str(wrong.gamma))
        sets = wrong.coverage(plan.studies, generator)
        return [_set_row(entry, *cell, about) for entry in sets]
    curves = wrong.coverage(plan.studies, generator)
    return [_curve_row(entry, wrong.m, wrong.gamma, about) for entry in curves]


def _set_row(
    entry: SetCoverage, name: str, discrepancy: str, population: str, gamma: str, about: dict
) -> dict:
    around = LIMITS * entry.coverage.standard_error
    named = [about["title"], DISCREPANCIES[discrepancy].label, style.gamma_title(gamma)]
    return _row(entry.coverage) | {
        "what": f"{name}, {discrepancy}",
        "where": f"{population}, {entry.simulator}",
        "bound": entry.bound,
        "gamma": gamma,
        "auc_ratio": entry.ratio,
        "auc_ratio_error": entry.ratio_error,
        "gap": entry.gap,
        "label": " · ".join(named),
        "limits": (entry.coverage.average - around, min(1.0, entry.coverage.average + around)),
        **about,
    }


def _curve_row(entry: CurveCoverage, m: int, gamma: object, about: dict) -> dict:
    shown = f"{gamma[0]} to {gamma[1]}, tied to Δ" if isinstance(gamma, tuple) else str(gamma)
    return _row(entry.coverage) | {
        "what": entry.guarantee,
        "where": f"m = {m}" + ("" if entry.tau is None else f", τ = {entry.tau}"),
        "bound": "curve",
        "gamma": shown,
        "claimed": entry.claimed,
        "covered": entry.covered,
        "label": f"{about['title']}\nγ = {shown}",
        "limits": (entry.coverage.worst_low, entry.coverage.worst_high),
        **about,
    }


def _row(coverage: Measured) -> dict:
    return asdict(coverage) | {"coverage": coverage.average}


def judged(rows: list[dict]) -> list[dict]:
    """Return the rows with a verdict that allows for their number (Bonferroni)."""
    return [{**row, "fails": row["p_value"] < _level(rows)} for row in rows]


def _level(rows: list[dict]) -> float:
    return SIGNIFICANCE / max(1, len(rows))


def broken(rows: list[dict]) -> list[str]:
    """Return the proven promises that are refuted."""
    promised = (row for row in rows if row["is_proven"] and row["fails"])
    return [f"{row['what']} ({row['where']})" for row in promised]


def missed(rows: list[dict]) -> list[str]:
    """Return what is known to be wrong and is not caught."""
    wrong = [row for row in rows if row["known_wrong"]]
    caught = {row["title"] for row in wrong if row["fails"]}
    return [title for title in dict.fromkeys(row["title"] for row in wrong) if title not in caught]


def findings(rows: list[dict]) -> str:
    """Return the audit's result in sentences."""
    checks = f"{sum(row['is_proven'] for row in rows)} checks of proven statements"
    verdict = f"All {checks} agree with them within Monte Carlo error"
    if failing := broken(rows):
        verdict = f"{len(failing)} of {checks} fail, the first: {failing[0]}"
    control = f"Of {len(KNOWN_WRONG)} formulas known to be wrong, all are caught by the same test"
    if passing := missed(rows):
        control = f"Not caught, though known to be wrong: {'; '.join(passing)}"
    return (
        "Measured on synthetic populations whose truth is known, adversarial ones among them,"
        f" and on curves in their worst case. {verdict}. {control}."
        " All cells are in coverage.csv."
    )


def draw(rows: list[dict]) -> Figure:
    """Return the figure: measured coverage of sets and curves, and whether a test refutes it."""
    level = _level(rows)
    sets, curves = (
        _lines([row for row in rows if (row["bound"] == "curve") == is_curve])
        for is_curve in (False, True)
    )
    high = max(len(sets), len(curves))
    figure = Figure(figsize=(15.5, max(5.2, 0.21 * high + 2.2)), layout="constrained")
    axes = figure.subplots(1, 5, width_ratios=[1.0, 0.65, 0.8, 1.0, 0.65])
    for measured, verdict, lines in ((*axes[:2], sets), (*axes[3:], curves)):
        _draw_measured(measured, lines, level)
        _draw_verdict(verdict, lines, level)
    _draw_tightness(axes[2], sets)
    lowest = "where it is\nlowest against the promise (99 % limits)"
    refuted = "p-value of the promise\n(smallest of all cells)"
    for axis, title, label in zip(
        axes,
        ("a  confidence sets", "", "b  tightness", "c  guarantees of curves", ""),
        (
            f"mean coverage over scenarios, {lowest}",
            refuted,
            "area under the upper curve ÷ truth\n(median and range; 1 is perfect)",
            f"coverage in its worst case, {lowest}",
            refuted,
        ),
        strict=True,
    ):
        axis.set_title(title, loc="left", fontweight="bold")
        axis.set_xlabel(label, fontsize=7.5)
        axis.tick_params(axis="x", labelsize=7.5)
        axis.grid(axis="y", visible=False)
    looks = {_verdict(line, level): _look(line, level) for line in [*sets, *curves]}
    looks["promised"] = {"color": "#222222", "marker": "|"}
    handles = [Line2D([], [], ls="", label=label, **look) for label, look in looks.items()]
    limit = f"refuted left of it (p < {SIGNIFICANCE:g} over {len(rows):,} tests)"
    handles.append(Line2D([], [], label=limit, **LEVEL))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _lines(rows: list[dict]) -> list[dict]:
    """Return a line of the figure for each statement and γ: where coverage is lowest."""
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault((row["known_wrong"], row["label"]), []).append(row)
    return [
        {
            **min(group, key=lambda row: row["coverage"] - row["nominal"]),
            "p_value": min(row["p_value"] for row in group),
            "ratios": [
                row["auc_ratio"]
                for row in group
                if row["bound"] == "upper" and np.isfinite(row["auc_ratio"])
            ],
        }
        for _, group in sorted(groups.items(), key=lambda pair: pair[0][0])
    ]


def _verdict(line: dict, level: float) -> str:
    known = "known to be wrong" if line["known_wrong"] else "in use"
    return f"{known}, {'refuted' if line['p_value'] < level else 'not refuted'}"


def _look(line: dict, level: float) -> dict:
    """Return the look of a line: colour tells whether it is refuted, mark whether it should be."""
    return {
        "color": FAILS if line["p_value"] < level else HOLDS,
        "marker": "X" if line["known_wrong"] else "o",
        "ms": 4.5,
    }


def _draw_measured(axis: Axes, lines: list[dict], level: float) -> None:
    for place, line in enumerate(lines):
        look = _look(line, level)
        axis.plot(line["limits"], [place] * 2, color=look["color"], lw=1)
        axis.plot(line["nominal"], place, "|", color="#222222", ms=9, mew=1.6)
        axis.plot(line["coverage"], place, ls="", clip_on=False, **look)
    _set_places(axis, [line["label"] for line in lines])
    axis.set_xlim(0, 1.01)


def _draw_verdict(axis: Axes, lines: list[dict], level: float) -> None:
    smallest = level**2
    for place, line in enumerate(lines):
        look = _look(line, level)
        axis.plot(max(line["p_value"], smallest), place, ls="", clip_on=False, **look)
    axis.axvline(level, **LEVEL)
    axis.set_xscale("log")
    axis.set_xlim(smallest, 3)
    axis.set_xticks([smallest, level, 1], [f"<{smallest:.0e}", f"{level:.0e}", "1"])
    axis.minorticks_off()
    _set_places(axis, [""] * len(lines))


def _draw_tightness(axis: Axes, lines: list[dict]) -> None:
    for place, line in enumerate(lines):
        ratios = line["ratios"]
        if ratios and not line["known_wrong"]:
            axis.plot([min(ratios), max(ratios)], [place] * 2, color=TIGHT, lw=1)
            axis.plot(np.median(ratios), place, "o", color=TIGHT, ms=4)
    axis.axvline(1, color="#555555", lw=1, ls="--")
    axis.set_xscale("log")
    _set_places(axis, [""] * len(lines))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")


def _set_places(axis: Axes, labels: list[str]) -> None:
    axis.set_yticks(range(len(labels)), labels, fontsize=6.5)
    axis.set_ylim(len(labels) - 0.5, -0.5)
