"""The audit of coverage as a table, words and a figure."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_audit.coverage import SIGNIFICANCE
from fidelity_study.figures import style

KNOWN_WRONG = {
    "hoeffding_log_2_over_gamma": "Hoeffding with log(2/γ), as printed",
    "bernoulli_kl_log_2_over_gamma": "Bernoulli KL with log(2/γ), as printed",
    "multinomial_kl_chi2": "KL ball with a χ² radius",
    "index_map_of_v1": "index map of the paper's first version",
    "mean_coverage": "mean of unequal coverages",
    "normalised_weights": "normalised weights 1/γ",
}
HOLDS, FAILS, TIGHT = "#0072B2", "#D55E00", "#009E73"
LEVEL: dict[str, Any] = {"color": "#222222", "lw": 1, "ls": "--"}
LIMITS = 2.5758  # of the standard normal distribution, for 99 %
TABLE = [
    *("what", "where", "bound", "gamma", "known_wrong", "nominal", "coverage", "standard_error"),
    *("worst_nominal", "worst", "worst_low", "worst_high", "p_value", "fails", "auc_ratio"),
]


@dataclass(frozen=True)
class Audit:
    """All measurements: rows of sets in use, of sets known to be wrong, and of curves."""

    sets: list[dict]
    known_wrong: list[dict]
    curves: list[dict]

    @property
    def table(self) -> list[dict]:
        """One row per bound and cell, with a verdict that allows for their number (Bonferroni)."""
        of_sets = [
            {
                "what": f"{row['confidence_set']}, {row['discrepancy']}",
                "where": f"{row['population']}, {row['simulator']}",
                "known_wrong": wrong,
                "guarantee": _guarantee(row["confidence_set"]),
                **row,
            }
            for wrong, rows in ((False, self.sets), (True, self.known_wrong))
            for row in rows
        ]
        of_curves = [
            {
                "what": row["guarantee"],
                "where": f"m = {row['m']}" + ("" if row["tau"] is None else f", τ = {row['tau']}"),
                "bound": "curve",
                "guarantee": "asymptotic" if row["guarantee"] == "asymptotic" else "proven",
                "auc_ratio": None,
                **{key: value for key, value in row.items() if key != "guarantee"},
            }
            for row in self.curves
        ]
        rows = of_sets + of_curves
        level = SIGNIFICANCE / max(1, len(rows))
        return [{**row, "fails": row["p_value"] < level} for row in rows]

    @property
    def findings(self) -> str:
        """Return the audit's result in sentences, for the report."""
        table = self.table
        promised = [row for row in table if not row["known_wrong"] and row["guarantee"] == "proven"]
        broken = [row for row in promised if row["fails"]]
        caught = {row["what"].split(",")[0] for row in table if row["known_wrong"] and row["fails"]}
        missed = [name for key, name in KNOWN_WRONG.items() if key not in caught]
        verdict = (
            f"All {len(promised)} checks of proven statements agree with them within Monte Carlo"
            " error"
            if not broken
            else f"{len(broken)} of {len(promised)} checks of proven statements fail, the"
            f" first: {broken[0]['what']} ({broken[0]['where']})"
        )
        control = (
            f"Of {len(KNOWN_WRONG)} formulas known to be wrong, all are caught by the same test"
            if not missed
            else f"Not caught, though known to be wrong: {'; '.join(missed)}"
        )
        return (
            "Measured on synthetic populations whose truth is known, adversarial ones among them,"
            f" and on curves in their worst case. {verdict}. {control}."
            " All cells are in audit.csv."
        )


def _guarantee(confidence_set: str) -> str:
    known = CONFIDENCE_SETS.get(confidence_set)
    return known.guarantee if known else "proven"


def draw(audit: Audit) -> Figure:
    """Return the figure: measured coverage of sets and curves, and whether a test refutes it."""
    sets, curves = _cells(audit), _statements(audit.curves)
    high = max(len(sets), len(curves))
    figure = Figure(figsize=(15.5, max(5.2, 0.21 * high + 2.2)), layout="constrained")
    axes = figure.subplots(1, 5, width_ratios=[1.0, 0.65, 0.8, 1.0, 0.65])
    level = SIGNIFICANCE / max(1, len(audit.table))
    for block, rows in ((axes[:2], sets), (axes[3:], curves)):
        _draw_measured(block[0], rows, level)
        _draw_verdict(block[1], rows, level)
    _draw_tightness(axes[2], sets)
    _entitle(
        axes[0],
        "a  confidence sets",
        "mean coverage over scenarios, where it is\nlowest against the promise (99 % limits)",
    )
    _entitle(axes[1], "", "p-value of the promise\n(smallest of all cells)")
    _entitle(
        axes[2],
        "b  tightness",
        "area under the upper curve ÷ truth\n(median and range; 1 is perfect)",
    )
    _entitle(
        axes[3],
        "c  guarantees of curves",
        "how often the statement is true in its worst\ncase, at the level closest to failing",
    )
    _entitle(axes[4], "", "p-value of the promise\n(smallest of all levels)")
    looks = {_verdict(row, level): _look(row, level) for row in [*sets, *curves]}
    looks["promised"] = {"color": "#222222", "marker": "|"}
    handles = [Line2D([], [], ls="", label=label, **look) for label, look in looks.items()]
    line = f"refuted left of it (p < {SIGNIFICANCE:g} over {len(audit.table):,} tests)"
    handles.append(Line2D([], [], label=line, **LEVEL))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return figure


def _cells(audit: Audit) -> list[dict]:
    """Return a row of the figure for each set × discrepancy × γ, and each control."""
    groups: dict[tuple, list[dict]] = {}
    for wrong, rows in ((False, audit.sets), (True, audit.known_wrong)):
        for row in rows:
            key = (wrong, row["confidence_set"], row["discrepancy"], row["gamma"])
            groups.setdefault(key, []).append(row)
    cells = []
    for (wrong, chosen, discrepancy, gamma), rows in groups.items():
        ratios = [
            row["auc_ratio"]
            for row in rows
            if row["bound"] == "upper" and np.isfinite(row["auc_ratio"]) and not wrong
        ]
        measure = DISCREPANCIES[discrepancy].label
        name = KNOWN_WRONG[chosen] if wrong else CONFIDENCE_SETS[chosen].label
        lowest = min(rows, key=lambda row: row["coverage"] - row["nominal"])
        around = LIMITS * lowest["standard_error"]
        cells.append(
            {
                "label": " · ".join([name, measure, style.gamma_title(gamma)]),
                "wrong": wrong,
                "promised": lowest["nominal"],
                "measured": lowest["coverage"],
                "limits": (lowest["coverage"] - around, min(1.0, lowest["coverage"] + around)),
                "p_value": min(row["p_value"] for row in rows),
                "ratios": ratios,
            }
        )
    return cells


def _statements(curves: list[dict]) -> list[dict]:
    """Return a row of the figure for each guarantee of curves and coverage."""
    groups: dict[tuple, list[dict]] = {}
    for row in curves:
        groups.setdefault((row["known_wrong"], row["guarantee"], row["gamma"]), []).append(row)
    statements = []
    for (wrong, guarantee, gamma), rows in groups.items():
        closest = min(rows, key=lambda row: (row["p_value"], row["coverage"] - row["nominal"]))
        name = KNOWN_WRONG.get(guarantee, guarantee.replace("_", ", "))
        statements.append(
            {
                "label": f"{name}\nγ = {gamma}",
                "wrong": wrong,
                "promised": closest["nominal"],
                "measured": closest["coverage"],
                "limits": (closest["worst_low"], closest["worst_high"]),
                "p_value": closest["p_value"],
            }
        )
    return statements


def _verdict(row: dict, level: float) -> str:
    known = "known to be wrong" if row["wrong"] else "in use"
    return f"{known}, {'refuted' if row['p_value'] < level else 'not refuted'}"


def _look(row: dict, level: float) -> dict:
    """Return the look of a row: colour tells whether it is refuted, mark whether it should be."""
    return {
        "color": FAILS if row["p_value"] < level else HOLDS,
        "marker": "X" if row["wrong"] else "o",
        "ms": 4.5,
    }


def _draw_measured(axis, rows: list[dict], level: float) -> None:
    for place, row in enumerate(rows):
        look = _look(row, level)
        axis.plot(row["limits"], [place] * 2, color=look["color"], lw=1)
        axis.plot(row["promised"], place, "|", color="#222222", ms=9, mew=1.6)
        axis.plot(row["measured"], place, ls="", clip_on=False, **look)
    axis.set_yticks(range(len(rows)), [row["label"] for row in rows], fontsize=6.5)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.set_xlim(0, 1.01)


def _draw_verdict(axis, rows: list[dict], level: float) -> None:
    smallest = level**2
    for place, row in enumerate(rows):
        axis.plot(max(row["p_value"], smallest), place, ls="", clip_on=False, **_look(row, level))
    axis.axvline(level, **LEVEL)
    axis.set_xscale("log")
    axis.set_xlim(smallest, 3)
    axis.set_xticks([smallest, level, 1], [f"<{smallest:.0e}", f"{level:.0e}", "1"])
    axis.minorticks_off()
    axis.set_yticks(range(len(rows)), [""] * len(rows))
    axis.set_ylim(len(rows) - 0.5, -0.5)


def _draw_tightness(axis, cells: list[dict]) -> None:
    for place, cell in enumerate(cells):
        ratios = cell["ratios"]
        if ratios:
            axis.plot([min(ratios), max(ratios)], [place] * 2, color=TIGHT, lw=1)
            axis.plot(np.median(ratios), place, "o", color=TIGHT, ms=4)
    axis.axvline(1, color="#555555", lw=1, ls="--")
    axis.set_xscale("log")
    axis.set_yticks(range(len(cells)), [""] * len(cells))
    axis.set_ylim(len(cells) - 0.5, -0.5)
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter("")


def _entitle(axis, title: str, label: str) -> None:
    axis.set_title(title, loc="left", fontweight="bold")
    axis.set_xlabel(label, fontsize=7.5)
    axis.tick_params(axis="x", labelsize=7.5)
    axis.grid(axis="y", visible=False)
