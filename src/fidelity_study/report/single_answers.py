"""The report's words where scenarios have only a few answers each, such as forecasts of one event.

A confidence set for one answer holds nearly every distribution. The bound is then little else than
the distance between the simulator's answer and that one answer. A curve is made of the largest
bounds, so that a uniform guess can have the lowest curve. Proper scores rank simulators instead.
"""

from fidelity_study.report.formats import Table
from fidelity_study.report.results import Results
from fidelity_study.report.scores import HEADINGS, NAMES, UNMEASURED, Scores, difference_cell
from fidelity_study.report.summaries import Difference, interval_of
from fidelity_study.steps import cluster_warning
from fidelity_study.steps.draws import STATED_FORM

FEW = 5
MOST_PAIRS = 10
REFERENCES = ("uniform", "pooled")
WORDS = {-1: "better", 0: "not told apart", 1: "worse"}


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
    scores = Scores(results)
    parts: list[str | Table] = [_why(results, scores), _means(scores), scores.drawn]
    parts += [*_differences(scores), _meaning(scores), _calibration(scores)]
    return [part for part in parts if part]


def _why(results: Results, scores: Scores) -> str:
    used = " and ".join(NAMES[score] for score in scores.means)
    return (
        f"The median scenario has {_many(results)}. So few say next to nothing about people's true"
        " shares there, and a simulator whose shares are near uniform can have the lowest curve."
        " The tables have curves, their means and ranks, but these don't say who is closest. Such"
        " answers do tell how good simulators are on average over scenarios, by proper scores:"
        f" {used}. Lower is better."
    )


def _means(scores: Scores) -> Table:
    """Return the table of mean scores, the lowest first score first."""
    first = next(iter(scores.means.values()))
    rows = [
        [
            scores.results.named(name),
            *(str(scores.mean_cell(score, name)) for score in scores.means),
            f"{first[name]['m']:,}",
        ]
        for name in sorted(first, key=lambda name: first[name]["estimate"])
    ]
    return Table(["simulator", *(HEADINGS[score] for score in scores.means), "scenarios"], rows)


def _differences(scores: Scores) -> list[str | Table]:
    """Return the table of paired differences: of many those with one simulator chosen before."""
    rows = [row for pairs in scores.difference_rows.values() for row in pairs.values()]
    if not rows:
        return []
    results = scores.results
    pairs = list(dict.fromkeys((row["simulator"], row["other"]) for row in rows))
    shown, more = pairs, ""
    if len(pairs) > MOST_PAIRS:
        simulators = list(next(iter(scores.means.values())))
        reference = next((name for name in REFERENCES if name in simulators), simulators[0])
        shown = [pair for pair in pairs if reference in pair]
        more = f" All {len(pairs):,} pairs are in proper_scores.csv."
    cells = [
        [
            f"{results.named(name)} minus {results.named(other)}",
            *(_verdict(scores.difference_rows[score].get((name, other))) for score in scores.means),
        ]
        for name, other in shown
    ]
    return [
        f"Differences on the same scenarios, with {results.level} intervals for new"
        f" {_units(results.step['cluster'], rows)}. Each interval is for its pair and score"
        f" alone.{more}",
        Table(["pair", *(HEADINGS[score] for score in scores.means)], cells),
    ]


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
    ends = interval_of(row, "")
    difference = Difference(row["estimate"], ends, row["p_value"] is not None)
    return f"{difference_cell(difference)}: {WORDS[difference.sign]}"


def _meaning(scores: Scores) -> str:
    if "brier" not in scores.means:
        return (
            "On average the CRPS is the squared distance of a simulator's distribution function"
            " from the true one, plus the spread of the answers, which is the same for all"
            " simulators."
        )
    return (
        "The Brier score is summed over options; with two options it is twice the usual score. On"
        " average it is the squared distance from the true probabilities p, plus Σ p(1 - p), which"
        " is the same for all simulators, so that differences are those of squared distances."
    )


def _calibration(scores: Scores) -> str:
    rows = [row for means in scores.means.values() for row in means.values()]
    is_stated = any(row["form"] == STATED_FORM for row in rows)
    return UNMEASURED if is_stated and scores.results.step["calibration"] is None else ""
