"""Scores that nearly all agree, and events that are nearly certain: intervals and tests of these.

A rate of questions is answered wrongly. Questions are independent, or in clusters whose rates are
beta distributed around it. Two models differ on a rate of questions each way. A calibrated
forecaster states probabilities within .05 or .1 of 0 and 1, or any, of events that are independent
or in clusters.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
from numpy.random import Generator

from fidelity.calibration.kernel import PredictionKernel, StatedProbabilities
from fidelity.calibration.kernel_error import clustered_test, consistency_test
from fidelity.comparison.error_bars import ErrorBar
from fidelity.comparison.evaluations import score_difference, score_error_bar
from fidelity_audit.rejection import (
    ALPHA,
    Decision,
    HypothesisTest,
    Studies,
    StudyPopulation,
    one_by_one,
)

RESAMPLES, STUDIES, MOST = 199, 1000, 0.065
KERNEL = PredictionKernel("exponential", "euclidean", 1.0)
RATES, QUESTIONS = (0.005, 0.01, 0.03, 0.1), (20, 100, 1000)
EACH_WAY = ((0.01, 0.0), (0.02, 0.01), (0.03, 0.03))
IN_CLUSTERS = ((7, 25, 0.2), (20, 5, 0.0), (20, 25, 0.2), (40, 25, 0.2), (100, 5, 0.2))
EVENTS = (30, 100, 300)
CLUSTER = 5

kept = partial(HypothesisTest, "conservatively", (0.0, MOST))


def statements(kind: str, shape: tuple[int, int], generator: Generator) -> np.ndarray:
    """Return the stated probabilities of events, (S, N)."""
    if kind == "1 to 5, 95 to 99 %":
        near = generator.uniform(0.01, 0.05, shape)
        return np.where(generator.random(shape) < 0.5, near, 1.0 - near)
    if kind == "1 to 10 %":
        return generator.uniform(0.01, 0.1, shape)
    if kind == "Beta(.3, .6)":
        return np.clip(generator.beta(0.3, 0.6, shape), 1e-6, 1.0 - 1e-6)
    return generator.random(shape)


KINDS = ("1 to 5, 95 to 99 %", "1 to 10 %", "Beta(.3, .6)", "any")


def calibrated_events(
    studies: int, effect: float, generator: Generator, kind: str, m: int
) -> Studies:
    """Return statements and outcomes drawn from them, (S, N)."""
    stated = statements(kind, (studies, m), generator)
    return stated, (generator.random((studies, m)) < stated).astype(float)


def clustered_answers(
    studies: int, effect: float, generator: Generator, rate: float, design: tuple[int, int, float]
) -> Studies:
    """Return which questions are answered rightly, (S, clusters, questions in each)."""
    clusters, size, correlation = design
    rates = np.full((studies, clusters, 1), rate)
    if correlation:
        both = 1.0 / correlation - 1.0
        rates = generator.beta(rate * both, (1.0 - rate) * both, (studies, clusters, 1))
    return ((generator.random((studies, clusters, size)) >= rates).astype(float),)


def two_models(
    studies: int, effect: float, generator: Generator, each_way: tuple[float, float], m: int
) -> Studies:
    """Return on which questions the first is alone right, and alone wrong, as 1 and -1, (S, m)."""
    drawn = generator.random((studies, m))
    better, worse = each_way
    return (np.where(drawn < better, 1.0, np.where(drawn > 1.0 - worse, -1.0, 0.0)),)


def _misses(bar: ErrorBar, truth: float) -> bool:
    return not bar.lower <= truth <= bar.upper


def _mean(rate: float) -> Decision:
    @one_by_one(score_error_bar)
    def misses(right: np.ndarray, generator: Generator) -> bool:
        clusters = np.repeat(np.arange(len(right)), right.shape[1])
        groups = clusters if right.shape[1] > 1 else None
        return _misses(score_error_bar(right.ravel(), groups, limits=(0.0, 1.0)), 1.0 - rate)

    return misses


def _difference(truth: float) -> Decision:
    @one_by_one(score_difference)
    def misses(difference: np.ndarray, generator: Generator) -> bool:
        none = np.zeros(len(difference))
        return _misses(score_difference(difference, none, limits=(-1.0, 1.0)), truth)

    return misses


def _predictions(stated: np.ndarray, came: np.ndarray) -> StatedProbabilities:
    table = np.column_stack([1.0 - stated, stated])
    return StatedProbabilities(table, came.astype(int), KERNEL)


@one_by_one(consistency_test)
def _alone(stated: np.ndarray, came: np.ndarray, generator: Generator) -> bool:
    test = consistency_test(_predictions(stated, came), generator, RESAMPLES)
    return bool(test.p_value <= ALPHA)


@one_by_one(clustered_test)
def _in_clusters(stated: np.ndarray, came: np.ndarray, generator: Generator) -> bool:
    """Count studies without a p-value as not rejected."""
    clusters = np.arange(len(stated)) // CLUSTER
    test = clustered_test(_predictions(stated, came), clusters, generator, RESAMPLES)
    return bool(test.p_value <= ALPHA)


def _population(hypothesis: str, cases: str, draw: Callable[..., Studies]) -> StudyPopulation:
    return StudyPopulation(hypothesis, cases, "none", draw)


def tests() -> Iterator[HypothesisTest]:
    """Yield the tests."""
    interval = "the interval holds the mean"
    for rate, m in product(RATES, QUESTIONS):
        draw = partial(clustered_answers, rate=rate, design=(m, 1, 0.0))
        population = _population(interval, f"{m} questions, {rate:.1%} wrong", draw)
        name = f"rare_mean_{rate}_{m}"
        yield kept(name, "mean of rare mistakes", population, _mean(rate), studies=STUDIES)
    for rate, design in product(RATES[1:], IN_CLUSTERS):
        draw = partial(clustered_answers, rate=rate, design=design)
        clusters, size, correlation = design
        cases = f"{clusters} clusters of {size}, correlation {correlation:g}, {rate:.1%} wrong"
        name = f"rare_mean_{rate}_{clusters}_{size}_{correlation}"
        title = "mean of rare mistakes, clusters"
        yield kept(name, title, _population(interval, cases, draw), _mean(rate), studies=STUDIES)
    for each_way, m in product(EACH_WAY, QUESTIONS):
        draw = partial(two_models, each_way=each_way, m=m)
        cases = f"{m} questions, {each_way[0]:.0%} better, {each_way[1]:.0%} worse"
        population = _population("the interval holds the difference", cases, draw)
        name = f"rare_difference_{each_way[0]}_{each_way[1]}_{m}"
        decision = _difference(each_way[0] - each_way[1])
        yield kept(name, "difference on few questions", population, decision, studies=STUDIES)
    for kind, m in product(KINDS, EVENTS):
        draw = partial(calibrated_events, kind=kind, m=m)
        population = _population("calibrated", f"{m} events, statements {kind}", draw)
        for where, decision in (("alone", _alone), ("clusters", _in_clusters)):
            title = f"SKCE of the page, events {'alone' if where == 'alone' else 'in clusters'}"
            yield kept(
                f"page_skce_{kind}_{m}_{where}", title, population, decision, studies=STUDIES
            )
