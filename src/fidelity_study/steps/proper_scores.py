"""Proper scores of simulators' probabilities or draws, with the differences between simulators."""

import numpy as np
import pyarrow as pa

from fidelity.comparison import proper_scores
from fidelity.comparison.error_bars import ErrorBar, mean_error_bar
from fidelity_study.steps.arrays import Scenarios, grouped
from fidelity_study.steps.draws import DRAWN_FORM, STATED_FORM

FEWEST = 2
OF_OPTIONS = {
    "brier": proper_scores.brier_by_scenario,
    "log": proper_scores.log_score_by_scenario,
}
HALF, ROUNDING = 0.5, 1e-12
INTERVAL = ("se", "df", "lower", "upper")


def answers_of(
    name: str, scenarios: Scenarios, outcomes: pa.Table, stated: pa.Table
) -> tuple[list[np.ndarray], dict]:
    """Return stated probabilities, or else how often each option was drawn; and which of both."""
    form, given = scenarios.answers(name, outcomes, stated)
    if form == STATED_FORM:
        return given, {"form": form}
    many = [int(each.sum()) for each in given if each.any()]
    return given, {"form": form, "k_fewest": min(many), "k_most": max(many)}


def scored(
    score: str,
    scenarios: Scenarios,
    given: list[np.ndarray],
    people: list[np.ndarray],
    form: str,
) -> np.ndarray:
    """Return a score of each scenario, (m,), NaN where the simulator does not answer."""
    found = np.full(len(people), np.nan)
    for members, scale in scenarios.groups():
        rows = members[[given[j].any() for j in members]]
        if not len(rows):
            continue
        own, answered = (np.array([each[j] for j in rows]) for each in (given, people))
        if score == "log" and form == DRAWN_FORM:
            own = own + HALF
        share, truth = (each / each.sum(1, keepdims=True) for each in (own, answered))
        if score == "crps":
            found[rows] = proper_scores.crps_by_scenario(share, truth, np.array(scale.scores))
        else:
            found[rows] = OF_OPTIONS[score](share, truth)
    return found


def mean_rows(scores: dict, forms: dict, clusters: np.ndarray):
    """Yield each simulator's mean score; without an error bar where some score is infinite."""
    for simulator, of in scores.items():
        there, infinite = ~np.isnan(of), np.isinf(of)
        row = {"simulator": simulator, **forms[simulator], "m_infinite": int(infinite.sum())}
        if infinite.any():
            yield {**row, "m": int(there.sum()), "estimate": np.inf}
        elif there.sum() >= FEWEST:
            yield {**row, **row_of(mean_error_bar(of[there], grouped(clusters[there])))}


def difference_columns(bar: ErrorBar) -> dict:
    """Return the error bar of a difference as columns, with its p-value."""
    return row_of(bar, "p_value")


def row_of(bar: ErrorBar, *names: str) -> dict:
    """Return an error bar as columns; without an interval where all scores are equal."""
    row = {
        "estimate": float(bar.estimate),
        "m": int(bar.n),
        "n_clusters": int(bar.n_clusters),
        "effective_clusters": float(bar.effective_clusters),
    }
    if bar.se <= ROUNDING * abs(bar.estimate):
        return row
    values = {name: float(getattr(bar, name)) for name in (*INTERVAL, *names)}
    return row | {name: None if np.isnan(value) else value for name, value in values.items()}
