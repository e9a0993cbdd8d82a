"""The report's words where scenarios have only a few answers each, such as forecasts of one event.

A confidence set for one answer holds nearly every distribution. The bound is then little else than
the distance between the simulator's answer and that one answer. A curve is made of the largest
bounds, so that a uniform guess can have the lowest curve. Proper scores rank simulators instead.
"""

from math import isinf
from typing import NamedTuple

from fidelity_study.report.results import Results
from fidelity_study.steps import cluster_warning
from fidelity_study.steps.draws import DRAWN_FORM, STATED_FORM
from fidelity_study.tables.proper_scores import PROPER_SCORES
from fidelity_study.tables.read_write import read

FEW = 5
MOST_PAIRS = 10
REFERENCES = ("uniform", "pooled")
NAMES = {"brier": "Brier score", "log": "log score (nats)", "crps": "CRPS"}


class Table(NamedTuple):
    """A table of texts."""

    header: list[str]
    rows: list[list[str]]


def are_few(results: Results) -> bool:
    """Return whether scenarios have too few answers for curves to be read."""
    return results.median_answers < FEW


def figure_note(results: Results) -> str:
    """Say on a figure that it ranks no simulators; empty where there are enough answers."""
    if not are_few(results):
        return ""
    return (
        f"The median scenario has {_many(results)}: too few for discrepancies and their bounds to "
        "rank simulators; proper scores do (proper_scores.csv)."
    )


def _many(results: Results) -> str:
    answers = results.median_answers
    return "one answer" if answers == 1 else f"{answers:.3g} answers"


def section(results: Results) -> list[str | Table]:
    """Return the section: proper scores, their differences, and why there is no curve."""
    rows = read(results.files["proper_scores"], PROPER_SCORES).to_pylist()
    scores = list(dict.fromkeys(row["score"] for row in rows))
    parts: list[str | Table] = [_why(results, scores), _means(rows, scores)]
    parts += [_forms(rows, scores), *_differences(results, rows, scores)]
    parts += [_meaning(scores), _calibration(results, rows)]
    return [each for each in parts if each]


def _why(results: Results, scores: list[str]) -> str:
    used = " and ".join(NAMES[score].partition(" (")[0] for score in scores)
    return (
        f"The median scenario has {_many(results)}. So few say next to nothing about people's true"
        " shares there: the bound of a discrepancy is little else than the distance between a"
        " simulator and the answer given. A curve is made of the largest of these bounds, so that"
        " a simulator whose shares are near uniform can have the lowest curve. The tables and"
        " figures have curves, their means and ranks, but these don't say who is closest. Such"
        " answers do tell how good simulators are on average over scenarios, by proper scores:"
        f" {used}. Lower is better."
    )


def _means(rows: list[dict], scores: list[str]) -> Table:
    """Return the table of mean scores, the lowest first score first."""
    found = {(row["simulator"], row["score"]): row for row in rows if row["other"] is None}
    names = dict.fromkeys(name for name, _ in found)
    order = sorted(names, key=lambda name: found[name, scores[0]]["estimate"])
    return Table(
        ["simulator", *(NAMES[score] for score in scores), "scenarios"],
        [
            [
                name,
                *(_bar(found[name, score]) for score in scores),
                f"{found[name, scores[0]]['m']:,}",
            ]
            for name in order
        ],
    )


def _bar(row: dict, sign: str = "") -> str:
    """Return a mean with its interval."""
    if isinf(row["estimate"]):
        return f"∞ (probability 0 stated for the answer in {row['m_infinite']:,})"
    told = f"{row['estimate']:{sign}.3f}"
    if row["lower"] is None:
        return told
    return f"{told} [{row['lower']:{sign}.3f}, {row['upper']:{sign}.3f}]"


def _forms(rows: list[dict], scores: list[str]) -> str:
    """Say how simulators that give draws are scored."""
    drawn = {
        row["simulator"]: row for row in rows if row["other"] is None and row["form"] == DRAWN_FORM
    }
    if not drawn:
        return ""
    smoothed = " For the log score draws are smoothed to (count + ½)/(k + d/2)."
    smoothed = smoothed if "log" in scores else ""
    named = "; ".join(
        f"{name} ({row['k_fewest']:,} to {row['k_most']:,})"
        if row["k_fewest"] < row["k_most"]
        else f"{name} ({row['k_most']:,})"
        for name, row in drawn.items()
    )
    others = " All others are scored by what they state."
    others = others if any(row["form"] == STATED_FORM for row in rows) else ""
    return (
        "Some simulators are scored by the shares of their draws (draws in each scenario):"
        f" {named}. The noise of few draws counts against them.{smoothed}{others}"
    )


def _differences(results: Results, rows: list[dict], scores: list[str]) -> list[str | Table]:
    """Return the table of paired differences."""
    differences = [row for row in rows if row["other"] is not None]
    if not differences:
        return []
    pairs: dict[tuple[str, str], dict[str, dict]] = {}
    for row in differences:
        pairs.setdefault((row["simulator"], row["other"]), {})[row["score"]] = row
    units = _units(results.step["cluster"], differences)
    shown = _shown(list(pairs), [row["simulator"] for row in rows])
    cells = [
        [
            f"{name} minus {other}",
            *(_verdict(pairs[name, other].get(score)) for score in scores),
        ]
        for name, other in shown
    ]
    more = (
        "" if len(shown) == len(pairs) else f" All {len(pairs):,} pairs are in proper_scores.csv."
    )
    return [
        f"Differences on the same scenarios, with 95 % intervals for new {units}. Each"
        f" interval is for its pair and score alone.{more}",
        Table(["pair", *(NAMES[score] for score in scores)], cells),
    ]


def _shown(pairs: list[tuple[str, str]], simulators: list[str]) -> list[tuple[str, str]]:
    """Return all pairs if they are few, else those with one simulator that is chosen in advance."""
    if len(pairs) <= MOST_PAIRS:
        return pairs
    names = list(dict.fromkeys(simulators))
    reference = next((name for name in REFERENCES if name in names), names[0])
    return [pair for pair in pairs if reference in pair]


def _units(cluster: str, differences: list[dict]) -> str:
    """Return the units that intervals take as independent: scenarios, or their clusters."""
    fewest = min(row["n_clusters"] for row in differences)
    effective = min(row["effective_clusters"] for row in differences)
    if all(row["n_clusters"] == row["m"] for row in differences):
        return "scenarios"
    rough = ", rough since these are few" if effective < cluster_warning.FEW else ""
    return f"clusters (by {cluster}; there are {fewest:,}{rough})"


def _verdict(row: dict | None) -> str:
    """Return a difference with what it shows."""
    if row is None:
        return "none: a score is ∞"
    if row["p_value"] is None or row["lower"] <= 0 <= row["upper"]:
        return f"{_bar(row, '+')}: not told apart"
    return f"{_bar(row, '+')}: {'better' if row['estimate'] < 0 else 'worse'}"


def _meaning(scores: list[str]) -> str:
    if "brier" not in scores:
        return (
            "On average the CRPS is the squared distance of a simulator's distribution function"
            " from the true one, plus the spread of the answers themselves. The spread is the same"
            " for all simulators, and cancels in differences."
        )
    return (
        "The Brier score is summed over options; with two options it is twice the usual score."
        " On average it is the squared distance from the true probabilities p, plus Σ p(1 - p),"
        " which no simulator can reduce. So it is an upper bound of that distance; with one answer"
        " in a scenario no lower bound is possible. The part Σ p(1 - p) is the same for all"
        " simulators. So the difference of two Brier scores estimates the difference of the mean"
        " squared distances, and the difference of two log scores that of the Kullback-Leibler"
        " divergences."
    )


def _calibration(results: Results, rows: list[dict]) -> str:
    if not any(row["form"] == STATED_FORM for row in rows):
        return ""
    if results.step["calibration"] is None:
        return (
            "Whether stated probabilities come true is not measured; to measure it, give the"
            " dataset the key calibration: {} in the config."
        )
    return (
        "The table of calibration and the reliability diagrams show whether stated probabilities"
        " come true; they need only one answer in each scenario."
    )
