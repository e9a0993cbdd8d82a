"""Every test that this library offers, with studies to measure its type I error and power in.

Hypotheses are true by the smallest possible margin: see :mod:`fidelity_audit.studies`. Besides the
tests in their intended use there are tests with too few cases, as is known of them. There are also
tests that are wrong for their data: for independent cases in spite of clusters, or for one pair in
spite of many.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.random import Generator

from fidelity.calibration.calibration_error import (
    calibrated_error_replicates,
    calibration_error_bar,
)
from fidelity.calibration.intervals import interval_coverage
from fidelity.calibration.kernel import PredictionKernel, StatedProbabilities
from fidelity.calibration.kernel_error import (
    asymptotic_test,
    block_test,
    clustered_test,
    consistency_test,
    mean_embedding_test,
)
from fidelity.calibration.reliability import (
    equal_width_edges,
    expected_calibration_error,
    reliability,
)
from fidelity.comparison.error_bars import (
    ErrorBar,
    cr0_standard_error,
    cr1_standard_error,
    error_bar,
    mean_error_bar,
    paired_error_bar,
    unpaired_error_bar,
)
from fidelity.comparison.evaluations import (
    combined_error_bar,
    non_inferiority,
    score_difference,
    score_error_bar,
)
from fidelity.comparison.pairwise import closer_share_p_value, clustered_closer_share_p_value, holm
from fidelity.comparison.ranking import simultaneous_differences
from fidelity.comparison.weighted_means import weighted_mean_error_bar
from fidelity.comparison.wild_clusters import wild_cluster_interval
from fidelity_audit import (
    bounds_without_gamma,
    corrections,
    hybrids,
    looking_early,
    mean_intervals,
    predictions,
    rare_answers,
    rare_scores,
)
from fidelity_audit import studies as drawn
from fidelity_audit.rejection import (
    ABOUT,
    ALPHA,
    Decision,
    HypothesisTest,
    Studies,
    all_at_once,
    approximately,
    at_most,
    conservatively,
    exactly,
    exceeds,
    one_by_one,
    wrong,
    wrong_by_far,
)
from fidelity_audit.studies import CLUSTERS, FEW_CLUSTERS, GAMMA, TOPICS

RESAMPLES = 199
ROUNDING = 1e-12
NOMINAL = 0.9
MARGIN = 0.5
EDGES = equal_width_edges(10)
KERNEL = PredictionKernel(scale=2.0)
LOCATIONS = StatedProbabilities(
    np.array([[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.2, 0.3, 0.5]]), np.arange(3), KERNEL
)
PAIRS = list(permutations(range(3), 2))


def _excluded(interval: Any) -> np.ndarray:
    """Return whether intervals exclude 0, in their shape."""
    return np.asarray((interval.lower > 0) | (interval.upper < 0))


def _of_means(function: Callable, *clusters: np.ndarray, bar: Callable | None = None) -> Decision:
    """Return the test by the intervals of all studies; scenarios stand first in them.

    Intervals, since there are no p-values below 4 effective clusters.
    """

    def rejects(data: Studies, generator: Generator) -> np.ndarray:
        scores = (np.moveaxis(table, 0, -1) for table in data)
        return _excluded((bar or function)(*scores, *clusters))

    return Decision(function, rejects)


def _cr0(scores: np.ndarray, other: np.ndarray) -> ErrorBar:
    """Return the paired difference with CR0 and normal quantiles."""
    difference = scores - other
    n, n_clusters = len(FEW_CLUSTERS), len(set(FEW_CLUSTERS))
    se = cr0_standard_error(difference, FEW_CLUSTERS)
    return error_bar(difference.mean(0), se, n=n, n_clusters=n_clusters)


def _cr1(scores: np.ndarray, clusters: np.ndarray) -> ErrorBar:
    """Return the mean with CR1 and Student's t, one degree of freedom less than clusters."""
    n, many = len(clusters), len(set(clusters))
    se = cr1_standard_error(scores, clusters)
    return error_bar(scores.mean(0), se, n=n, n_clusters=many, df=many - 1)


@one_by_one(wild_cluster_interval)
def _wild(scores, generator):
    return _excluded(wild_cluster_interval(scores, drawn.TWO_LARGE))


@one_by_one(score_error_bar)
def _score(scores, generator):
    return score_error_bar(scores, estimator="miller").p_value <= ALPHA


@one_by_one(score_difference)
def _score_difference(scores, other, generator):
    return score_difference(scores, other, CLUSTERS, estimator="cr1").p_value <= ALPHA


@one_by_one(combined_error_bar)
def _two_evaluations(scores, generator):
    parts = np.split(scores, [len(scores) // 4])
    bars = [score_error_bar(part) for part in parts]
    return combined_error_bar(bars, [len(part) for part in parts]).p_value <= ALPHA


@one_by_one(non_inferiority)
def _no_worse(scores, other, generator):
    bar = score_difference(scores, other + MARGIN, level=1.0 - 2.0 * ALPHA)
    return non_inferiority(bar, MARGIN).p_value <= ALPHA


def _equal_means(first: int, clusters: np.ndarray | None = None) -> Decision:
    """Return the test by whether an interval of the pairs of the first simulators excludes 0."""

    def rejects(scores, generator):
        differences = simultaneous_differences(scores, clusters=clusters)
        return _excluded(differences)[:first, :first].any()

    return one_by_one(simultaneous_differences)(rejects)


@all_at_once(paired_error_bar)
def _unadjusted(data, generator):
    """Test by the smallest p-value over all pairs, adjusted for nothing."""
    pairs = combinations(data[0].transpose(2, 1, 0), 2)
    return np.min([paired_error_bar(*pair).p_value for pair in pairs], axis=0) <= ALPHA


def _p_not_closer(missed: np.ndarray) -> np.ndarray:
    return closer_share_p_value(missed.sum(-1), missed.shape[-1], GAMMA)


@all_at_once(closer_share_p_value)
def _not_closer(data, generator):
    return _p_not_closer(data[0]) <= ALPHA


@all_at_once(clustered_closer_share_p_value)
def _not_closer_clustered(data, generator):
    return clustered_closer_share_p_value(data[0].T, CLUSTERS, GAMMA) <= ALPHA


def _holm(among: list[tuple[int, int]]) -> Decision:
    """Return the test of some of the ordered pairs, adjusted for all of them."""

    def rejects(data, generator):
        p_values = [_p_not_closer(data[0][:, first, second]) for first, second in PAIRS]
        adjusted = holm(np.stack(p_values, axis=-1))
        return adjusted[:, [PAIRS.index(pair) for pair in among]].min(-1) <= ALPHA

    return Decision(holm, rejects)


def _of_stated(function: Callable) -> Callable[[Callable], Decision]:
    """Make a decision of the p-value of one study's stated probabilities, and a generator."""

    def decision(p_value: Callable) -> Decision:
        def rejects(stated, truth, generator):
            return p_value(StatedProbabilities(stated, truth, KERNEL), generator) <= ALPHA

        return one_by_one(function)(rejects)

    return decision


@_of_stated(asymptotic_test)
def _bootstrap(stated, generator):
    return asymptotic_test(stated, generator, RESAMPLES).p_value


@_of_stated(mean_embedding_test)
def _embedding(stated, generator):
    return mean_embedding_test(stated, LOCATIONS).p_value


@_of_stated(block_test)
def _blocks(stated, generator):
    return block_test(stated, np.arange(len(stated.truth))).p_value


@_of_stated(consistency_test)
def _consistency(stated, generator):
    return consistency_test(stated, generator, RESAMPLES).p_value


@one_by_one(calibrated_error_replicates)
def _replicates(stated, outcome, generator):
    observed = expected_calibration_error(reliability(stated, outcome, EDGES))
    calibrated = calibrated_error_replicates(stated, EDGES, generator, RESAMPLES)
    return (1 + np.sum(calibrated >= observed - ROUNDING)) / (1 + RESAMPLES) <= ALPHA


@one_by_one(interval_coverage)
def _coverage(loc, scale, outcome, generator):
    """Test by whether the exact interval of PICP excludes the nominal level."""
    coverage = interval_coverage(loc, scale, outcome, [NOMINAL], confidence=1.0 - ALPHA)
    return not coverage.lower[0] <= NOMINAL <= coverage.upper[0]


def _coverage_in_topics(topics: tuple[int, ...]) -> Decision:
    """Return the same test by the interval over clusters."""
    clusters = np.repeat(drawn.clusters_of(topics), 20)

    def rejects(loc, scale, outcome, generator):
        rows = loc.ravel(), scale.ravel(), outcome.ravel()
        coverage = interval_coverage(*rows, [NOMINAL], clusters=clusters, confidence=1.0 - ALPHA)
        return not coverage.lower[0] <= NOMINAL <= coverage.upper[0]

    return one_by_one(interval_coverage)(rejects)


def _in_topics(function: Callable) -> Callable[[Callable], Callable[[tuple[int, ...]], Decision]]:
    """Make a decision in topics of a function that says it of the rows of one study.

    The rows: stated probability of the more likely option, whether it was chosen, people, scenario
    and cluster. They are made from who chose what in which scenario.
    """

    def in_topics(of_rows: Callable) -> Callable[[tuple[int, ...]], Decision]:
        def decision(topics: tuple[int, ...]) -> Decision:
            clusters = drawn.clusters_of(topics)

            def rejects(stated, chosen, generator):
                people = np.stack([drawn.PEOPLE - chosen, chosen], axis=1)
                scenario, right = np.nonzero(people)
                rows = stated[scenario], right.astype(float), people[scenario, right]
                return of_rows(*rows, scenario, clusters[scenario], generator)

            return one_by_one(function)(rejects)

        return decision

    return in_topics


@_in_topics(clustered_test)
def _kernel_in_topics(stated, right, people, scenario, clusters, generator):
    predictions = _predictions(stated, right, people)
    return clustered_test(predictions, clusters, generator, RESAMPLES).p_value <= ALPHA


@_in_topics(asymptotic_test)
def _kernel_ignoring_topics(stated, right, people, scenario, clusters, generator):
    predictions = _predictions(stated, right, people)
    return asymptotic_test(predictions, generator, RESAMPLES).p_value <= ALPHA


def _predictions(stated, right, people) -> StatedProbabilities:
    probability = np.stack([1.0 - stated, stated], axis=1)
    return StatedProbabilities(probability, right.astype(int), KERNEL, counts=people)


@_in_topics(weighted_mean_error_bar)
def _overconfidence(stated, right, people, scenario, clusters, generator):
    return _excluded(weighted_mean_error_bar(stated - right, people, clusters=clusters))


@_in_topics(weighted_mean_error_bar)
def _overconfidence_of_same(stated, right, people, scenario, clusters, generator):
    rows = {"clusters": clusters, "samples": scenario}
    return _excluded(weighted_mean_error_bar(stated - right, people, **rows))


@_in_topics(weighted_mean_error_bar)
def _brier_in_topics(stated, right, people, scenario, clusters, generator):
    """Test that the mean Brier score is that of a calibrated simulator, E 2q(1 - q)."""
    scores = 2.0 * (right - stated) ** 2 - drawn.BRIER_IN_TOPICS
    return _excluded(weighted_mean_error_bar(scores, people, clusters=clusters))


@_in_topics(calibration_error_bar)
def _error(stated, right, people, scenario, clusters, generator):
    """Test by whether the interval of the ECE excludes 0."""
    rows = {"counts": people, "clusters": clusters, "resamples": RESAMPLES}
    return calibration_error_bar(stated, right, EDGES, generator, 1.0 - ALPHA, **rows).lower > 0.0


LITTLE, MORE, MOST, HIGH = (0.2, 0.4), (0.4, 0.8), (0.5, 1.0), (0.05, 0.2)
IN_ERRORS = (4.0, 12.0)


def _designed() -> Iterator[HypothesisTest]:
    """Yield the tests of means and pairs in clusters as in the default study, and in worse ones."""
    near = approximately(0.03, ABOUT)
    for design, clusters in drawn.DESIGNS.items():
        for name, function, title, population in (
            ("mean", mean_error_bar, "mean, CR2", drawn.MEAN_DESIGNED),
            ("paired", paired_error_bar, "paired difference, CR2", drawn.PAIRED_DESIGNED),
        ):
            decision = _of_means(function, clusters)
            yield near(f"{name}_{design}", title, population[design], decision, IN_ERRORS)
        if design not in ("half", "most"):
            yield approximately(0.03, 0.06)(
                f"simultaneous_{design}",
                "all pairs, CR2",
                drawn.SEVERAL_DESIGNED[design],
                _equal_means(4, clusters),
                IN_ERRORS,
            )


def _in_clusters() -> Iterator[HypothesisTest]:
    """Yield the tests of calibration in clusters."""
    near = approximately(0.035, ABOUT)
    for clusters, population in drawn.IN_TOPICS.items():
        name, topics = clusters.replace(" ", "_"), TOPICS[clusters]
        if clusters == "60 clusters":
            continue
        if clusters in ("7 clusters", "68 clusters"):
            kernel = _kernel_in_topics(topics)
            yield near(f"skce_{name}", "SKCE, signs of clusters", population, kernel, HIGH)
        decision = _overconfidence(topics)
        yield approximately(0.03, ABOUT)(
            f"overconfidence_{name}", "overconfidence, CR2", population, decision, HIGH
        )
        promise = exceeds(0.06, 0.08) if clusters == "7 clusters" else near
        decision = _brier_in_topics(topics)
        yield promise(f"brier_{name}", "Brier score, CR2", population, decision, LITTLE)
        yield conservatively(f"ece_{name}", "ECE is 0, interval", population, _error(topics), HIGH)
    for clusters, effects in (("7 clusters", ()), ("60 clusters", (0.1, 0.3))):
        yield conservatively(
            f"picp_{clusters.replace(' ', '_')}",
            "PICP, clusters",
            drawn.OFF_IN_TOPICS[clusters],
            _coverage_in_topics(TOPICS[clusters]),
            effects,
        )


def _tests() -> Iterator[HypothesisTest]:
    """Yield the tests of each kind, and in the end those that are wrong."""
    near_skew, below = approximately(0.05, ABOUT), approximately(0.03, 0.05)
    certain, pairs = "certified share", "all pairs"
    yield at_most("closer_share", certain, drawn.CERTIFIED, _not_closer, LITTLE)
    yield at_most(
        "closer_share_clustered",
        "certified share, clusters",
        drawn.CERTIFIED_CLUSTERED,
        _not_closer_clustered,
        LITTLE,
    )
    title = "certified shares, Holm"
    yield at_most("holm", title, drawn.CERTIFIED_PAIRS, _holm(PAIRS), MORE)
    others = _holm([(1, 0), (2, 0), (1, 2), (2, 1)])
    yield at_most("holm_one_closer", title, drawn.CERTIFIED_PAIRS_ONE_CLOSER, others)
    yield at_most("skce_consistency", "SKCE, consistency", drawn.RARE_ANSWERS, _consistency, LITTLE)
    yield at_most("picp", "PICP, exact interval", drawn.NORMALS, _coverage, LITTLE)
    title = "mean, wild cluster bootstrap"
    yield at_most("mean_two_values_wild", title, drawn.MEAN_TWO_VALUES, _wild)
    yield exactly("ece", "ECE, calibrated replicates", drawn.EVENTS, _replicates, MORE)

    decision = _of_means(paired_error_bar, drawn.DESIGNS["4"])
    yield approximately(0.03, ABOUT)(
        "paired_same_people", "paired difference, CR2", drawn.SAME_PEOPLE, decision, (0.03, 0.1)
    )
    decision = _of_means(mean_error_bar)
    yield near_skew("mean", "mean", drawn.MEAN, decision, LITTLE)
    paired = _of_means(paired_error_bar)
    yield near_skew("paired", "paired difference", drawn.PAIRED, paired, LITTLE)
    decision = _of_means(paired_error_bar, CLUSTERS)
    title = "paired difference, CR2"
    yield near_skew("paired_clustered", title, drawn.PAIRED_CLUSTERED, decision, MORE)
    yield near_skew("score", "score of an evaluation, Miller", drawn.MEAN, _score, LITTLE)
    title = "difference of scores, CR1"
    yield near_skew("score_difference", title, drawn.PAIRED_CLUSTERED, _score_difference, MORE)
    title = "mean over two evaluations"
    yield near_skew("combined_scores", title, drawn.MEAN, _two_evaluations, LITTLE)
    yield below("non_inferiority", "no worse by a margin", drawn.PAIRED, _no_worse, LITTLE)
    decision = _of_means(unpaired_error_bar)
    yield near_skew("unpaired", "unpaired difference", drawn.UNPAIRED, decision, LITTLE)
    decision = _of_means(unpaired_error_bar, CLUSTERS, FEW_CLUSTERS)
    title = "unpaired difference, CR2"
    yield near_skew("unpaired_clustered", title, drawn.UNPAIRED_CLUSTERED, decision, MORE)
    yield below("simultaneous", pairs, drawn.SEVERAL, _equal_means(6), LITTLE)
    yield below("simultaneous_one_differs", pairs, drawn.SEVERAL_ONE_DIFFERS, _equal_means(5))
    decision = _equal_means(6, CLUSTERS)
    yield below("simultaneous_clustered", "all pairs, CR2", drawn.SEVERAL_CLUSTERED, decision, MORE)
    bootstrap, blocks = "SKCE, bootstrap", "SKCE, blocks of 2"
    yield approximately(0.04, 0.05)(
        "skce_bootstrap", bootstrap, drawn.ANSWERS[100], _bootstrap, MORE
    )
    yield approximately(0.035, 0.05)("skce_blocks", blocks, drawn.ANSWERS[400], _blocks, MORE)
    embedding = "mean embedding"
    yield near_skew("mean_embedding", embedding, drawn.ANSWERS[400], _embedding, MORE)
    yield at_most("mean_embedding_20", embedding, drawn.ANSWERS[20], _embedding)
    yield at_most("skce_rare", bootstrap, drawn.RARE_ANSWERS, _bootstrap)
    yield conservatively(
        "overconfidence_same_people",
        "overconfidence, people too",
        drawn.SAME_PEOPLE_CALIBRATED,
        _overconfidence_of_same((12,) * 7),
        (0.1, 0.3),
    )

    for sizes, name, title, population, decision in (
        (
            (0.07, 0.09),
            "mean_skew_clusters",
            "mean, CR2",
            drawn.MEAN_SKEW_CLUSTERS,
            _of_means(mean_error_bar, drawn.DESIGNS["7"]),
        ),
        (
            (0.44, 0.5),
            "mean_two_values",
            "mean, CR2",
            drawn.MEAN_TWO_VALUES,
            _of_means(mean_error_bar, drawn.TWO_LARGE),
        ),
        (
            (0.09, 0.12),
            "mean_cr1_half",
            "mean, CR1",
            drawn.MEAN_DESIGNED["half"],
            _of_means(error_bar, drawn.DESIGNS["half"], bar=_cr1),
        ),
        ((0.07, 0.09), "mean_embedding_100", embedding, drawn.ANSWERS[100], _embedding),
        ((0.055, 0.075), "paired_10", "paired difference", drawn.PAIRED_10, paired),
        (
            (0.11, 0.13),
            "paired_cr0",
            "paired difference, CR0, normal",
            drawn.PAIRED_FEW_CLUSTERS,
            _of_means(error_bar, bar=_cr0),
        ),
    ):
        yield exceeds(*sizes)(name, title, population, decision)

    for promise, name, title, population, decision in (
        (
            wrong_by_far,
            "paired_ignoring_clusters",
            "paired difference, no clusters",
            drawn.PAIRED_CLUSTERED,
            paired,
        ),
        (wrong_by_far, "pairs_unadjusted", "all pairs, one by one", drawn.SEVERAL, _unadjusted),
        (
            wrong,
            "closer_share_ignoring_clusters",
            certain,
            drawn.CERTIFIED_CLUSTERED,
            _not_closer,
        ),
        (
            wrong_by_far,
            "skce_ignoring_clusters",
            bootstrap,
            drawn.IN_TOPICS["3 clusters"],
            _kernel_ignoring_topics(TOPICS["3 clusters"]),
        ),
        (
            wrong_by_far,
            "overconfidence_ignoring_same_people",
            "overconfidence, CR2",
            drawn.SAME_PEOPLE_CALIBRATED,
            _overconfidence((12,) * 7),
        ),
        (wrong, "skce_repeated", bootstrap, drawn.REPEATED_ANSWERS, _bootstrap),
    ):
        yield promise(name, title, population, decision)


TESTS: dict[str, HypothesisTest] = {
    test.name: test
    for tests in (
        _designed,
        _tests,
        _in_clusters,
        bounds_without_gamma.tests,
        mean_intervals.tests,
        predictions.tests,
        corrections.tests,
        hybrids.tests,
        looking_early.tests,
        rare_answers.tests,
        rare_scores.tests,
    )
    for test in tests()
}
