"""Proper scores of simulators' probabilities or draws, with the differences between simulators.

Tables:
    PROPER_SCORES: mean proper scores over m scenarios, `score` `brier` (summed over options) and
        `log` (nats), of numbers `crps` and, of stated distributions, `log` (of the density); of
        what a `simulator` states or of the shares of its draws (`form`, `k_fewest` and `k_most` of
        them in a scenario): `estimate`, `se` and `df` over `n_clusters` (`effective_clusters` of
        equal size would tell as much), `lower`, `upper` (1 - α), `p_value` (empty with fewer than
        4); inf where 0 was stated of what was answered (in `m_infinite` scenarios). With an `other`
        the paired difference, `simulator` minus `other`
"""

from functools import partial

import numpy as np
import pyarrow as pa

from fidelity.comparison import proper_scores
from fidelity.comparison.error_bars import ErrorBar, Limits, mean_error_bar
from fidelity.comparison.evaluations import score_error_bar
from fidelity.comparison.few_clusters import grouped
from fidelity.comparison.proper_scores import limits_of, score_by_option
from fidelity_study.reading.settings import NUMBERS
from fidelity_study.steps.arrays import Scenarios, human, only, row_of
from fidelity_study.steps.draws import DRAWN_FORM, STATED_FORM
from fidelity_study.steps.error_bars import BAR, difference_rows
from fidelity_study.steps.given import distributions, given
from fidelity_study.steps.given import scored as scored_stated
from fidelity_study.steps.intervals import answers
from fidelity_study.tables.common import ERROR_BAR, LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS, STATED
from fidelity_study.tables.read_write import read, read_all, write_tables

PROPER_SCORES = pa.schema(
    [
        *columns(LABEL, "simulator", "other", "score", "form"),
        *columns(pa.int64(), "k_fewest", "k_most"),
        *columns(pa.int32(), "m", "m_infinite"),
        *ERROR_BAR,
        ("p_value", pa.float64()),
    ]
)

FEWEST = 2
OF_OPTIONS = {
    "brier": proper_scores.brier_by_scenario,
    "log": proper_scores.log_score_by_scenario,
}
HALF, ROUNDING = 0.5, 1e-12
COLUMNS = pa.schema([*BAR, ("p_value", pa.float64())])
INTERVAL = ("se", "df", "lower", "upper", "p_value")


def answers_of(
    name: str, scenarios: Scenarios, outcomes: pa.Table, stated: pa.Table
) -> tuple[list[np.ndarray], dict]:
    """Return stated probabilities, or else how often each option was drawn; and which of both."""
    form, given = scenarios.answers(name, outcomes, stated)
    if form == STATED_FORM:
        return given, {"form": form}
    many = [int(count.sum()) for count in given if count.any()]
    return given, {"form": form, "k_fewest": min(many), "k_most": max(many)}


def scored(
    score: str,
    scenarios: Scenarios,
    given: list[np.ndarray],
    people: list[np.ndarray],
    form: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Return a score of each scenario, (m,), NaN where the simulator does not answer.

    And what it would be by which option happens, (m, K), NaN where there is none.
    """
    scores = np.full(len(people), np.nan)
    options = np.full((len(people), max(map(len, people))), np.nan)
    for members, scale in scenarios.groups():
        rows = members[[given[j].any() for j in members]]
        if not len(rows):
            continue
        forecast, answered = (np.array([lists[j] for j in rows]) for lists in (given, people))
        if score == "log" and form == DRAWN_FORM:
            forecast = forecast + HALF
        share, truth = (table / table.sum(1, keepdims=True) for table in (forecast, answered))
        if score == "crps":
            scores[rows] = proper_scores.crps_by_scenario(share, truth, np.array(scale.scores))
        else:
            scores[rows] = OF_OPTIONS[score](share, truth)
            options[rows, : share.shape[1]] = score_by_option(score, share)
    return scores, options


def mean_rows(scores: dict, forms: dict, clusters: np.ndarray, alpha: float, limits):
    """Yield each simulator's mean score; without an error bar where some score is infinite."""
    for simulator, score in scores.items():
        there, infinite = ~np.isnan(score), np.isinf(score)
        row = {"simulator": simulator, **forms[simulator], "m_infinite": int(infinite.sum())}
        if infinite.any():
            yield {**row, "m": int(there.sum()), "estimate": np.inf}
        elif there.sum() >= FEWEST:
            groups, ends = grouped(clusters[there]), limits(simulator, None, there)
            if ends is None:
                yield {**row, **mean_columns(mean_error_bar(score[there], groups, level=1 - alpha))}
                continue
            bar = score_error_bar(score[there], groups, level=1 - alpha, limits=ends)
            yield {**row, **mean_columns(bar.cut((0.0, np.inf)))}


def difference_columns(bar: ErrorBar) -> dict:
    """Return the error bar of a difference as columns; without an interval where all are equal."""
    equal = bar.se <= ROUNDING * abs(bar.estimate)
    return row_of(COLUMNS, bar, m=bar.n, **dict.fromkeys(INTERVAL if equal else ()))


def mean_columns(bar: ErrorBar) -> dict:
    """Return the error bar of a mean as columns, without a p-value."""
    return difference_columns(bar) | {"p_value": None}


def main(snakemake):
    """Score what simulators state or draw by people's answers."""
    step, files = snakemake.params.step, snakemake.input
    table = read(files.scenarios, SCENARIOS)
    scenarios, clusters = Scenarios.from_table(table), np.array(table["cluster"].to_pylist())
    of_numbers = table["kind"][0].as_py() in NUMBERS
    outcomes = read_all(files.outcomes, OUTCOMES)
    stated = read_all(files.stated, STATED)
    people = scenarios.counts(human(outcomes), "count")
    numbers_of = answers(human(outcomes), scenarios.names)
    scores = {"crps": {}} if of_numbers else {"brier": {}, "log": {}}
    usual = dict(scores)
    forms, known = {}, given(files.given) if of_numbers else None
    options: dict[tuple[str, str], np.ndarray] = {}
    are_events = all(counts.sum() <= 1 for counts in people)
    for name in step["simulators"]:
        if known is not None and len(only(known, source=name)):
            stated_by = distributions(known, name, scenarios.names)
            forms[name] = {"form": STATED_FORM}
            for score in stated_by.scores:
                means = scores.setdefault(score, {})
                means[name] = scored_stated(score, stated_by, numbers_of, len(scenarios.names))
            continue
        answered, forms[name] = answers_of(name, scenarios, outcomes, stated)
        for score, means in usual.items():
            means[name], options[score, name] = scored(
                score, scenarios, answered, people, forms[name]["form"]
            )

    def limits(score: str, simulator: str, other: str | None, there: np.ndarray) -> Limits | None:
        if of_numbers or not are_events:  # a mean over people varies, however rare a score is
            return None
        return limits_of(*(options[score, name][there] for name in (simulator, other) if name))

    rows = [
        {"score": score, **row}
        for score, means in scores.items()
        for row in [
            *mean_rows(means, forms, clusters, step["test"]["alpha"], partial(limits, score)),
            *difference_rows(
                means, clusters, step["test"]["alpha"], difference_columns, partial(limits, score)
            ),
        ]
    ]
    write_tables(snakemake.output, {"proper_scores": (rows, PROPER_SCORES)}, step)
