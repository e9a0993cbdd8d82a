"""Statements that need no coverage γ, with studies in which they may be false.

An interval rejects where the truth lies outside, and a certified share where it exceeds the true
one. A list rejects if an entry of it, drawn at random, is wrong, so that the share of studies that
reject is the false discovery rate. For comparison there are the same statements made wrongly.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
from numpy.random import Generator
from synthetic.populations import dirichlet

from fidelity.comparison.selection import certified_scenarios, scenario_p_values
from fidelity.curves.envelope import GAMMA_GRID, certified_envelope_share
from fidelity.curves.guarantee import exact_miss
from fidelity.means.average import (
    NEW,
    DiscrepancyBounds,
    DiscrepancyInterval,
    difference_bounds,
    discrepancy_bounds,
    mean_interval,
)
from fidelity.means.tail import tail_discrepancy
from fidelity.pseudo_discrepancies import between
from fidelity_audit.rejection import (
    ALPHA,
    Decision,
    HypothesisTest,
    Studies,
    StudyPopulation,
    all_at_once,
    at_most,
    conservatively,
    wrong,
    wrong_by_far,
)

QUESTIONS, OPTIONS, PEOPLE = 60, 4, 80
TOPIC = np.arange(QUESTIONS) // 5
NEARNESS = np.array([8.0, 40.0])
TAIL = 0.1
WITHIN, FARTHER = "within", "beyond"
TOLERANCE, JUST, AT_EDGE, MANY = 0.15, 1e-6, 0.8, 300
BEYOND = 0.85
LEVEL = 1.0 - ALPHA
LARGE = 400_000


def asked(studies: int, effect: float, generator: Generator, topic: np.ndarray = TOPIC) -> Studies:
    """Return people's counts, their shares and two simulators, (S, m, d) each.

    In each topic a simulator is near people or not, by chance. ``effect`` moves the first
    simulator's answers towards one option.
    """
    shape = (studies, QUESTIONS, OPTIONS)
    p = dirichlet(np.full(shape, 2.0), generator)
    near = generator.choice(NEARNESS, (2, studies, topic.max() + 1))[..., topic, None]
    first, second = (dirichlet(nearness * p + 0.2, generator) for nearness in near)
    first = (1.0 - effect) * first + effect * np.eye(OPTIONS)[0]
    return generator.multinomial(PEOPLE, p).astype(float), p, first, second


def at_tolerance(studies: int, effect: float, generator: Generator, which: str) -> Studies:
    """Return counts of two options, their shares and a simulator, (S, m, 2) each.

    In most questions the discrepancy lies just on the wrong side of the tolerance. In the others it
    lies far on the right side.
    """
    just, far = (1.0 + JUST, 1.0 / 3.0) if which == WITHIN else (1.0 - JUST, 2.0)
    apart = np.where(np.arange(QUESTIONS) < AT_EDGE * QUESTIONS, just, far) * TOLERANCE
    second = generator.uniform(0.1, 0.6, (studies, QUESTIONS))
    p, q = (np.stack([1.0 - share, share], -1) for share in (second, second + apart))
    return generator.multinomial(MANY, p).astype(float), p, q


@cache
def population_mean() -> float:
    """Return the mean total variation of one simulator over the population, from many questions."""
    generator = np.random.default_rng(0)
    p = dirichlet(np.full((LARGE, OPTIONS), 2.0), generator)
    near = generator.choice(NEARNESS, (LARGE, 1))
    return float(_tv(p, dirichlet(near * p + 0.2, generator)).mean())


def worst_case(studies: int, effect: float, generator: Generator) -> Studies:
    """Return upper bounds at each γ, (S, m, G), and the share of discrepancies beyond 0, (S,).

    A discrepancy is 1 or 0, and its bounds are right no more often than they must be. ``effect``:
    by how much the share beyond is smaller than claimed.
    """
    share = np.full(studies, BEYOND)
    is_beyond = generator.random((studies, QUESTIONS)) < BEYOND - effect
    uniform = generator.random((studies, QUESTIONS))
    held = uniform[..., None] <= np.array(GAMMA_GRID)
    return (held & is_beyond[..., None]).astype(float), share


def _tv(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    distance = between(p.reshape(-1, OPTIONS), q.reshape(-1, OPTIONS), discrepancy="tv")
    return distance.reshape(p.shape[:-1])


def _of_studies(function: Callable, *data: np.ndarray) -> list[DiscrepancyBounds]:
    """Return the bounds of each study by itself, all computed at once."""
    bounds = function(*(table.reshape(-1, OPTIONS) for table in data), discrepancy="tv")
    split = np.stack(bounds).reshape(len(bounds), -1, QUESTIONS)
    return [DiscrepancyBounds(*split[:, study]) for study in range(split.shape[1])]


def _outside(bounds: list[DiscrepancyBounds], truth: np.ndarray, **how) -> np.ndarray:
    """Return whether each study's interval lies beside the truth."""
    return _beside([mean_interval(bound, level=LEVEL, **how) for bound in bounds], truth)


def _beside(intervals: list[DiscrepancyInterval], truth: np.ndarray) -> np.ndarray:
    lower, upper = (np.array([interval[end] for interval in intervals]) for end in (2, 3))
    return (truth < lower) | (truth > upper)


@all_at_once(mean_interval)
def _mean_of_asked(data: Studies, generator: Generator) -> np.ndarray:
    counts, p, q, _ = data
    return _outside(_of_studies(discrepancy_bounds, counts, q), _tv(p, q).mean(1))


def _mean_of_new(is_clustered: bool) -> Decision:
    """Return the test by clusters; without clusters, by betting."""

    def rejects(data: Studies, generator: Generator) -> np.ndarray:
        counts, _, q, _ = data
        truth = np.full(len(q), population_mean())
        how = {"clusters": TOPIC} if is_clustered else {"betting": generator}
        return _outside(_of_studies(discrepancy_bounds, counts, q), truth, target=NEW, **how)

    return Decision(mean_interval, rejects)


@all_at_once(tail_discrepancy)
def _tail_of_asked(data: Studies, generator: Generator) -> np.ndarray:
    counts, p, q, _ = data
    true = np.sort(_tv(p, q), axis=1)[:, -round(TAIL * QUESTIONS) :].mean(1)
    intervals = [
        tail_discrepancy(study_counts, study_q, discrepancy="tv", alpha=TAIL, level=LEVEL)
        for study_counts, study_q in zip(counts, q, strict=True)
    ]
    return _beside(intervals, true)


@all_at_once(difference_bounds)
def _differ_on_asked(data: Studies, generator: Generator) -> np.ndarray:
    """Test that two simulators' means differ by the truth."""
    counts, p, first, second = data
    bounds = _of_studies(difference_bounds, counts, first, second)
    return _outside(bounds, (_tv(p, first) - _tv(p, second)).mean(1))


@all_at_once(difference_bounds)
def _differ_on_new(data: Studies, generator: Generator) -> np.ndarray:
    """Test that two simulators' means are equal."""
    counts, _, first, second = data
    bounds = _of_studies(difference_bounds, counts, first, second)
    return _outside(bounds, np.zeros(len(counts)), target=NEW, clusters=TOPIC)


@all_at_once(mean_interval)
def _none_left_out(data: Studies, generator: Generator) -> np.ndarray:
    """Test with the plug-in as the lower bound, too."""
    counts, p, q, _ = data
    bounds = [
        one._replace(smooth_lower=one.upper, lower_se=one.upper_se)
        for one in _of_studies(discrepancy_bounds, counts, q)
    ]
    return _outside(bounds, _tv(p, q).mean(1))


@all_at_once(certified_envelope_share)
def _envelope(data: Studies, generator: Generator) -> np.ndarray:
    upper, beyond = data
    certified = np.array([certified_envelope_share(bounds, ALPHA) for bounds in upper])
    return certified > 1.0 - beyond


@all_at_once(exact_miss)
def _uncalibrated(data: Studies, generator: Generator) -> np.ndarray:
    """Test with each γ's bound at the level that is meant for all of them together."""
    upper, beyond = data
    missed = (upper > 0.0).sum(1)
    limits = [
        exact_miss(QUESTIONS, gamma, ALPHA)[QUESTIONS - many - 1]
        for gamma, many in zip(GAMMA_GRID, missed.T, strict=True)
    ]
    return np.min(limits, axis=0) < beyond


def _listed(which: str, choose: Callable) -> Decision:
    """Return the test that an entry of each study's list, drawn at random, is right."""

    def rejects(data: Studies, generator: Generator) -> np.ndarray:
        counts, p, q = data
        flat = (table.reshape(-1, 2) for table in (counts, q))
        p_values = scenario_p_values(*flat, discrepancy="tv", tolerance=TOLERANCE)
        listed = np.array([choose(row) for row in getattr(p_values, which).reshape(len(p), -1)])
        wrong_ones = np.arange(QUESTIONS) < AT_EDGE * QUESTIONS
        order = np.where(listed, generator.random(listed.shape), 2.0).argmin(1)
        return listed.any(1) & wrong_ones[order]

    return Decision(scenario_p_values, rejects)


def _unadjusted(p_values: np.ndarray) -> np.ndarray:
    return p_values <= ALPHA


IN_TOPICS = f"{QUESTIONS} questions, {TOPIC.max() + 1} topics"
MEAN, TAIL_MEAN, LISTED = "mean discrepancy", "mean of the worst tenth", "an entry of a list"
TOWARDS = "moved to an option"
ASKED_MEAN, NEW_MEAN, ASKED_TAIL, ASKED_DIFFERENCE, NEW_DIFFERENCE = (
    StudyPopulation(hypothesis, IN_TOPICS, TOWARDS, asked)
    for hypothesis in (
        f"the {MEAN} of these questions lies in its interval",
        f"the {MEAN} of new questions lies in its interval",
        f"the {TAIL_MEAN} of these questions lies in its interval",
        "means on these questions differ as they do",
        "equal means on new questions",
    )
)
ENTRY = {
    which: StudyPopulation(
        f"{LISTED} is right",
        f"{QUESTIONS} scenarios, most at the edge",
        "",
        partial(at_tolerance, which=which),
    )
    for which in (WITHIN, FARTHER)
}
INDEPENDENT_MEAN = StudyPopulation(
    f"the {MEAN} of new questions lies in its interval",
    f"{QUESTIONS} questions",
    "",
    partial(asked, topic=np.arange(QUESTIONS)),
)
SHARE_BEYOND = StudyPopulation(
    "the certified share is not above the true one",
    f"{QUESTIONS} scenarios",
    "fewer beyond",
    worst_case,
)


def tests() -> Iterator[HypothesisTest]:
    """Yield each statement, and the wrong ones."""
    yield conservatively("mean_asked", "mean, asked", ASKED_MEAN, _mean_of_asked)
    yield conservatively("mean_new", "mean, new, CR2", NEW_MEAN, _mean_of_new(True))
    yield conservatively("tail_asked", "worst tenth, asked", ASKED_TAIL, _tail_of_asked)
    for name, population, decision, effects in (
        ("asked", ASKED_DIFFERENCE, _differ_on_asked, ()),
        ("new", NEW_DIFFERENCE, _differ_on_new, (0.3, 0.5)),
    ):
        title = f"mean difference, {name}"
        yield conservatively(f"difference_{name}", title, population, decision, effects)
    yield at_most("mean_betting", "mean, new, betting", INDEPENDENT_MEAN, _mean_of_new(False))
    yield at_most("envelope", "envelope, exact", SHARE_BEYOND, _envelope)
    for which, population in ENTRY.items():
        title = f"list {which}, false discoveries"
        yield at_most(f"list_{which}", title, population, _listed(which, certified_scenarios))
    title = "plug-in as lower bound"
    yield wrong_by_far("mean_none_left_out", title, ASKED_MEAN, _none_left_out)
    title = "envelope, each γ at 5 %"
    yield wrong("envelope_uncalibrated", title, SHARE_BEYOND, _uncalibrated)
    decision = _listed(WITHIN, _unadjusted)
    yield wrong("list_unadjusted", "list of p ≤ .05", ENTRY[WITHIN], decision)
