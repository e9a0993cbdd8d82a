"""The audit of coverage as a table, words and a figure."""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fidelity.audit import SIGNIFICANCE
from fidelity.confidence_set import CONFIDENCE_SETS
from fidelity_study import style
from fidelity_study.style import DISCREPANCIES, SETS

KNOWN_WRONG = {
    "hoeffding_log_2_over_gamma": "Hoeffding with log(2/γ), as printed",
    "bernoulli_kl_log_2_over_gamma": "Bernoulli KL with log(2/γ), as printed",
    "multinomial_kl_chi2": "KL ball with a χ² radius",
    "index_map_of_v1": "index map of the paper's first version",
    "mean_coverage": "mean of unequal coverages",
    "normalised_weights": "normalised weights 1/γ",
}
HOLDS, FAILS, TIGHT = "#0072B2", "#D55E00", "#009E73"
TABLE = [
    *("what", "where", "bound", "gamma", "known_wrong", "nominal", "coverage", "standard_error"),
    *("worst_nominal", "worst", "worst_low", "worst_high", "p_value", "fails", "auc_ratio"),
]


@dataclass(frozen=True)
class Audit:
    """All that is measured: rows of sets in use, of sets known to be wrong, of curves."""

    sets: list[dict]
    known_wrong: list[dict]
    curves: list[dict]

    @property
    def table(self) -> list[dict]:
        """One row per bound and cell, with the verdict of all together (Bonferroni)."""
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
                "guarantee": "proven",
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
        """What the audit says, for the report."""
        table = self.table
        promised = [row for row in table if not row["known_wrong"] and row["guarantee"] == "proven"]
        broken = [row for row in promised if row["fails"]]
        caught = {row["what"].split(",")[0] for row in table if row["known_wrong"] and row["fails"]}
        missed = [name for key, name in KNOWN_WRONG.items() if key not in caught]
        verdict = (
            f"All {len(promised)} proven statements hold within Monte Carlo error"
            if not broken
            else f"**{len(broken)} of {len(promised)} proven statements are broken**, the first:"
            f" {broken[0]['what']} ({broken[0]['where']})"
        )
        control = (
            f"Of {len(KNOWN_WRONG)} formulas known to be wrong, all are caught by the same test"
            if not missed
            else f"**Not caught, though known to be wrong: {'; '.join(missed)}**"
        )
        return (
            f"Audit of coverage\n{'-' * 30}\n\n"
            "Measured on synthetic populations whose truth is known, adversarial ones among them,"
            f" and on curves in their worst case. {verdict}. {control}."
            " See the figure and the table of all cells.\n"
        )


def _guarantee(confidence_set: str) -> str:
    known = CONFIDENCE_SETS.get(confidence_set)
    return known.guarantee if known else "proven"


def draw(audit: Audit) -> Figure:
    """Return the figure: coverage of sets, tightness, and coverage of curves."""
    cells = _cells(audit)
    figure = Figure(figsize=(12.5, max(5.2, 0.21 * len(cells) + 2.2)), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.3, 0.9, 1.1])
    _draw_sets(left, cells)
    _draw_tightness(middle, cells)
    _draw_curves(right, audit.curves)
    handles = [
        Line2D([], [], color=HOLDS, marker="o", ls="", label="average over scenarios"),
        Line2D([], [], color=HOLDS, marker="|", ls="-", label="worst scenario, 99 % limits"),
        Line2D([], [], color="#222222", marker="|", ls="", ms=9, label="promised"),
        Line2D([], [], color=FAILS, marker="o", ls="", label="known to be wrong"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4)
    return figure


def _cells(audit: Audit) -> list[dict]:
    """Return, for each set × discrepancy × γ and control, the cell closest to failing."""
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
        name = KNOWN_WRONG[chosen] if wrong else SETS[chosen]
        worst = min(rows, key=lambda row: (row["p_value"], row["worst"] - row["worst_nominal"]))
        lowest = min(rows, key=lambda row: row["coverage"] - row["nominal"])
        cells.append(
            {
                "label": f"{name} · {DISCREPANCIES[discrepancy]} · {style.gamma_title(gamma)}",
                "wrong": wrong,
                "lowest": lowest,
                "worst": worst,
                "ratios": ratios,
            }
        )
    return cells


def _draw_sets(axis, cells: list[dict]) -> None:
    for place, cell in enumerate(cells):
        colour = FAILS if cell["wrong"] else HOLDS
        worst, lowest = cell["worst"], cell["lowest"]
        axis.plot([worst["worst_low"], worst["worst_high"]], [place] * 2, color=colour, lw=1)
        axis.plot(worst["worst"], place, "|", color=colour, ms=7)
        axis.plot(lowest["coverage"], place, "o", color=colour, ms=4)
        axis.plot(worst["worst_nominal"], place, "|", color="#222222", ms=9, mew=1.6)
    axis.set_yticks(range(len(cells)), [cell["label"] for cell in cells], fontsize=6.5)
    axis.set_ylim(len(cells) - 0.5, -0.5)
    axis.set_xlim(0, 1.01)
    _entitle(
        axis, "a  confidence sets", "coverage, the lowest over all\npopulations and simulators"
    )


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
    _entitle(
        axis, "b  tightness", "area under the upper curve ÷ truth\n(median and range; 1 is perfect)"
    )


def _draw_curves(axis, curves: list[dict]) -> None:
    groups: dict[tuple, list[dict]] = {}
    for row in curves:
        groups.setdefault((row["known_wrong"], row["guarantee"], row["gamma"]), []).append(row)
    labels = []
    for place, ((wrong, guarantee, gamma), rows) in enumerate(groups.items()):
        worst = min(rows, key=lambda row: (row["p_value"], row["coverage"] - row["nominal"]))
        colour = FAILS if wrong else HOLDS
        axis.plot([worst["worst_low"], worst["worst_high"]], [place] * 2, color=colour, lw=1)
        axis.plot(worst["coverage"], place, "o", color=colour, ms=4)
        axis.plot(worst["nominal"], place, "|", color="#222222", ms=9, mew=1.6)
        name = KNOWN_WRONG.get(guarantee, guarantee.replace("_", ", "))
        labels.append(f"{name}\nγ = {gamma}")
    axis.set_yticks(range(len(groups)), labels, fontsize=6)
    axis.set_ylim(len(groups) - 0.5, -0.5)
    axis.set_xlim(0, 1.01)
    _entitle(
        axis,
        "c  guarantees of curves",
        "how often the statement is true in its\nworst case, at the level closest to failing",
    )


def _entitle(axis, title: str, label: str) -> None:
    axis.set_title(title, loc="left", fontweight="bold")
    axis.set_xlabel(label, fontsize=7.5)
    axis.tick_params(axis="x", labelsize=7.5)
    axis.grid(axis="y", visible=False)
