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

from fidelity.calibration.calibration_error import (
    calibrated_error_replicates,
    calibration_error_bar,
    spiegelhalter_test,
)
from fidelity.calibration.intervals import interval_coverage
from fidelity.calibration.kernel import PredictionKernel, StatedProbabilities
from fidelity.calibration.kernel_error import (
    asymptotic_test,
    block_test,
    clustered_test,
    consistency_test,
    distribution_free_biased_p_value,
    distribution_free_block_p_value,
    distribution_free_unbiased_p_value,
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
    sign_test,
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
)
from fidelity_audit import studies as simulated
from fidelity_audit.rejection import ALPHA, HypothesisTest
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


def _all_at_once(p_value: Callable) -> Callable:
    """Return the test by the p-values of all studies, (S,), from their data."""
    return lambda data, generator: p_value(*data) <= ALPHA


def _one_by_one(p_value: Callable) -> Callable:
    """Return the test by the p-value of one study, from its data and a generator."""
    return lambda data, generator: np.array(
        [p_value(*study, generator) <= ALPHA for study in zip(*data, strict=True)]
    )


def _of_means(bar: Callable, *clusters: np.ndarray) -> Callable:
    """Return the test by the intervals of all studies; scenarios stand first in them.

    Intervals, since there are no p-values below 4 effective clusters.
    """
    return lambda data, generator: _excluded(
        bar(*(np.moveaxis(each, 0, -1) for each in data), *clusters)
    )


def _excluded(interval: Any) -> np.ndarray:
    """Return whether intervals exclude 0, in their shape."""
    return np.asarray((interval.lower > 0) | (interval.upper < 0))


def _wild(scores: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Return whether the wild cluster bootstrap's intervals of all studies exclude 0, (S,)."""
    return np.array([_excluded(wild_cluster_interval(each, clusters)) for each in scores])


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


def _signs(scores, other, generator) -> float:
    return sign_test(scores, other).p_value


def _of_scores(scores, generator) -> float:
    return float(score_error_bar(scores, estimator="miller").p_value)


def _of_score_difference(scores, other, generator) -> float:
    return float(score_difference(scores, other, CLUSTERS, estimator="cr1").p_value)


def _of_two_evaluations(scores, generator) -> float:
    parts = np.split(scores, [len(scores) // 4])
    bars = [score_error_bar(part) for part in parts]
    return float(combined_error_bar(bars, [len(part) for part in parts]).p_value)


def _no_worse(scores, other, generator) -> float:
    bar = score_difference(scores, other + MARGIN, level=1.0 - 2.0 * ALPHA)
    return non_inferiority(bar, MARGIN).p_value


def _equal_means(first: int, clusters: np.ndarray | None = None) -> Callable:
    """Return the test by whether an interval of the pairs of the first simulators excludes 0."""

    def rejects(data, generator):
        every = (simultaneous_differences(scores, clusters=clusters) for scores in data[0])
        return np.array([_excluded(found)[:first, :first].any() for found in every])

    return rejects


def _unadjusted(scores: np.ndarray) -> np.ndarray:
    """Return the smallest p-value over all pairs, adjusted for nothing."""
    pairs = combinations(scores.transpose(2, 1, 0), 2)
    return np.min([paired_error_bar(*pair).p_value for pair in pairs], axis=0)


def _not_closer(missed: np.ndarray) -> np.ndarray:
    return closer_share_p_value(missed.sum(-1), missed.shape[-1], GAMMA)


def _not_closer_clustered(missed: np.ndarray) -> np.ndarray:
    return clustered_closer_share_p_value(missed.T, CLUSTERS, GAMMA)


def _holm(among: list[tuple[int, int]]) -> Callable:
    """Return the smallest p-value over some of the ordered pairs, adjusted for all of them."""

    def p_value(missed):
        adjusted = holm(np.stack([_not_closer(missed[:, a, b]) for a, b in PAIRS], axis=-1))
        return adjusted[:, [PAIRS.index(pair) for pair in among]].min(-1)

    return p_value


def _of_stated(p_value: Callable) -> Callable:
    """Return the test by the p-value of one study's stated probabilities, and a generator."""
    return _one_by_one(
        lambda stated, truth, generator: p_value(
            StatedProbabilities(stated, truth, KERNEL), generator
        )
    )


def _bootstrap(stated: StatedProbabilities, generator) -> float:
    return asymptotic_test(stated, generator, RESAMPLES).p_value


def _embedding(stated: StatedProbabilities, generator) -> float:
    return mean_embedding_test(stated, LOCATIONS).p_value


def _unbiased(stated: StatedProbabilities, generator) -> float:
    return distribution_free_unbiased_p_value(stated)


def _biased(stated: StatedProbabilities, generator) -> float:
    return distribution_free_biased_p_value(stated)


def _blocks(stated: StatedProbabilities, generator) -> float:
    return block_test(stated, np.arange(len(stated.truth))).p_value


def _brier(stated, outcome, generator) -> float:
    return spiegelhalter_test(stated, outcome)[1]


def _replicates(stated, outcome, generator) -> float:
    observed = expected_calibration_error(reliability(stated, outcome, EDGES))
    calibrated = calibrated_error_replicates(stated, EDGES, generator, RESAMPLES)
    return (1 + np.sum(calibrated >= observed - ROUNDING)) / (1 + RESAMPLES)


def _consistency(stated: StatedProbabilities, generator) -> float:
    return consistency_test(stated, generator, RESAMPLES).p_value


def _free_blocks(stated: StatedProbabilities, generator) -> float:
    return distribution_free_block_p_value(stated, np.arange(len(stated.truth)))


def _in_topics(p_value: Callable, topics: tuple[int, ...]) -> Callable:
    """Return the test by the p-value of one study's rows, from who chose what in which scenario.

    The rows: stated probability of the more likely option, whether it was chosen, people, scenario
    and cluster.
    """
    clusters = simulated.clusters_of(topics)

    def of_study(stated, chosen, generator):
        people = np.stack([simulated.PEOPLE - chosen, chosen], axis=1)
        scenario, right = np.nonzero(people)
        rows = stated[scenario], right.astype(float), people[scenario, right]
        return p_value(*rows, scenario, clusters[scenario], generator)

    return _one_by_one(of_study)


def _kernel_in_topics(stated, right, people, scenario, clusters, generator) -> float:
    predictions = _predictions(stated, right, people)
    return clustered_test(predictions, clusters, generator, RESAMPLES).p_value


def _kernel_ignoring_topics(stated, right, people, scenario, clusters, generator) -> float:
    return asymptotic_test(_predictions(stated, right, people), generator, RESAMPLES).p_value


def _predictions(stated, right, people) -> StatedProbabilities:
    probability = np.stack([1.0 - stated, stated], axis=1)
    return StatedProbabilities(probability, right.astype(int), KERNEL, counts=people)


def _overconfidence(stated, right, people, scenario, clusters, generator) -> float:
    """Return 0 where the interval excludes 0, and else 1."""
    return float(not _excluded(weighted_mean_error_bar(stated - right, people, clusters=clusters)))


def _overconfidence_of_same(stated, right, people, scenario, clusters, generator) -> float:
    rows = {"clusters": clusters, "samples": scenario}
    return float(not _excluded(weighted_mean_error_bar(stated - right, people, **rows)))


def _brier_in_topics(stated, right, people, scenario, clusters, generator) -> float:
    """Test that the mean Brier score is that of a calibrated simulator, E 2q(1 - q), likewise."""
    scores = 2.0 * (right - stated) ** 2 - simulated.BRIER_IN_TOPICS
    return float(not _excluded(weighted_mean_error_bar(scores, people, clusters=clusters)))


def _error(stated, right, people, scenario, clusters, generator) -> float:
    """Return 0 where the interval of the ECE excludes 0, and else 1."""
    rows = {"counts": people, "clusters": clusters, "resamples": RESAMPLES}
    bar = calibration_error_bar(stated, right, EDGES, generator, 1.0 - ALPHA, **rows)
    return float(bar.lower <= 0.0)


def _coverage_in_topics(topics: tuple[int, ...]) -> Callable:
    """Return 1 where the interval of PICP over clusters has the nominal level in it, and else 0."""
    clusters = np.repeat(simulated.clusters_of(topics), 20)

    def held(loc, scale, outcome, generator) -> float:
        rows = loc.ravel(), scale.ravel(), outcome.ravel()
        found = interval_coverage(*rows, [NOMINAL], clusters=clusters, confidence=1.0 - ALPHA)
        return float(found.lower[0] <= NOMINAL <= found.upper[0])

    return held


def _coverage(loc, scale, outcome, generator) -> float:
    """Return 1 where the exact interval of PICP has the nominal level in it, and else 0."""
    found = interval_coverage(loc, scale, outcome, [NOMINAL], confidence=1.0 - ALPHA)
    return float(found.lower[0] <= NOMINAL <= found.upper[0])


AT_MOST, EXACTLY = (0.0, ALPHA), (ALPHA, ALPHA)
LITTLE, MORE, MOST, HIGH = (0.2, 0.4), (0.4, 0.8), (0.5, 1.0), (0.05, 0.2)
IN_ERRORS = (4.0, 12.0)


def _designed() -> Iterator[HypothesisTest]:
    """Yield the tests of means and pairs in clusters as in the default study, and in worse ones."""
    for design, clusters in simulated.DESIGNS.items():
        for name, function, title, population in (
            ("mean", mean_error_bar, "mean, CR2", simulated.MEAN_DESIGNED),
            ("paired", paired_error_bar, "paired difference, CR2", simulated.PAIRED_DESIGNED),
        ):
            yield HypothesisTest(
                f"{name}_{design}",
                function,
                title,
                population[design],
                _of_means(function, clusters),
                "approximately",
                (0.03, 0.065),
                IN_ERRORS,
            )
        if design not in ("half", "most"):
            yield HypothesisTest(
                f"simultaneous_{design}",
                simultaneous_differences,
                "all pairs, CR2",
                simulated.SEVERAL_DESIGNED[design],
                _equal_means(4, clusters),
                "approximately",
                (0.03, 0.06),
                IN_ERRORS,
            )


TESTS: dict[str, HypothesisTest] = {
    each.name: each
    for each in (
        *_designed(),
        HypothesisTest(
            "paired_same_people",
            paired_error_bar,
            "paired difference, CR2",
            simulated.SAME_PEOPLE,
            _of_means(paired_error_bar, simulated.DESIGNS["4"]),
            "approximately",
            (0.03, 0.065),
            (0.03, 0.1),
        ),
        HypothesisTest(
            "mean_skew_clusters",
            mean_error_bar,
            "mean, CR2",
            simulated.MEAN_SKEW_CLUSTERS,
            _of_means(mean_error_bar, simulated.DESIGNS["7"]),
            "exceeds",
            (0.07, 0.09),
        ),
        HypothesisTest(
            "mean_two_values",
            mean_error_bar,
            "mean, CR2",
            simulated.MEAN_TWO_VALUES,
            _of_means(mean_error_bar, simulated.TWO_LARGE),
            "exceeds",
            (0.44, 0.5),
        ),
        HypothesisTest(
            "mean_cr1_half",
            error_bar,
            "mean, CR1",
            simulated.MEAN_DESIGNED["half"],
            _of_means(_cr1, simulated.DESIGNS["half"]),
            "exceeds",
            (0.09, 0.12),
        ),
        HypothesisTest(
            "sign",
            sign_test,
            "sign test",
            simulated.SIGNS,
            _one_by_one(_signs),
            "at most",
            AT_MOST,
            LITTLE,
        ),
        HypothesisTest(
            "closer_share",
            closer_share_p_value,
            "certified share",
            simulated.CERTIFIED,
            _all_at_once(_not_closer),
            "at most",
            AT_MOST,
            LITTLE,
        ),
        HypothesisTest(
            "closer_share_clustered",
            clustered_closer_share_p_value,
            "certified share, clusters",
            simulated.CERTIFIED_CLUSTERED,
            _all_at_once(_not_closer_clustered),
            "at most",
            AT_MOST,
            LITTLE,
        ),
        HypothesisTest(
            "holm",
            holm,
            "certified shares, Holm",
            simulated.CERTIFIED_PAIRS,
            _all_at_once(_holm(PAIRS)),
            "at most",
            AT_MOST,
            MORE,
        ),
        HypothesisTest(
            "holm_one_closer",
            holm,
            "certified shares, Holm",
            simulated.CERTIFIED_PAIRS_ONE_CLOSER,
            _all_at_once(_holm([(1, 0), (2, 0), (1, 2), (2, 1)])),
            "at most",
            AT_MOST,
        ),
        HypothesisTest(
            "skce_unbiased",
            distribution_free_unbiased_p_value,
            "SKCE, distribution-free, unbiased",
            simulated.SHARP_ANSWERS,
            _of_stated(_unbiased),
            "at most",
            AT_MOST,
            MOST,
        ),
        HypothesisTest(
            "skce_biased",
            distribution_free_biased_p_value,
            "SKCE, distribution-free, biased",
            simulated.SHARP_ANSWERS,
            _of_stated(_biased),
            "at most",
            AT_MOST,
            MOST,
        ),
        HypothesisTest(
            "picp",
            interval_coverage,
            "PICP, exact interval",
            simulated.NORMALS,
            _one_by_one(_coverage),
            "at most",
            AT_MOST,
            LITTLE,
        ),
        HypothesisTest(
            "ece",
            calibrated_error_replicates,
            "ECE, calibrated replicates",
            simulated.EVENTS,
            _one_by_one(_replicates),
            "exactly",
            EXACTLY,
            MORE,
        ),
        HypothesisTest(
            "spiegelhalter",
            spiegelhalter_test,
            "Spiegelhalter",
            simulated.EVENTS,
            _one_by_one(_brier),
            "approximately",
            (0.045, 0.055),
            MORE,
        ),
        HypothesisTest(
            "mean",
            mean_error_bar,
            "mean",
            simulated.MEAN,
            _of_means(mean_error_bar),
            "approximately",
            (0.05, 0.065),
            LITTLE,
        ),
        HypothesisTest(
            "paired",
            paired_error_bar,
            "paired difference",
            simulated.PAIRED,
            _of_means(paired_error_bar),
            "approximately",
            (0.05, 0.065),
            LITTLE,
        ),
        HypothesisTest(
            "paired_clustered",
            paired_error_bar,
            "paired difference, CR2",
            simulated.PAIRED_CLUSTERED,
            _of_means(paired_error_bar, CLUSTERS),
            "approximately",
            (0.05, 0.065),
            MORE,
        ),
        HypothesisTest(
            "score",
            score_error_bar,
            "score of an evaluation, Miller",
            simulated.MEAN,
            _one_by_one(_of_scores),
            "approximately",
            (0.05, 0.065),
            LITTLE,
        ),
        HypothesisTest(
            "score_difference",
            score_difference,
            "difference of scores, CR1",
            simulated.PAIRED_CLUSTERED,
            _one_by_one(_of_score_difference),
            "approximately",
            (0.05, 0.065),
            MORE,
        ),
        HypothesisTest(
            "combined_scores",
            combined_error_bar,
            "mean over two evaluations",
            simulated.MEAN,
            _one_by_one(_of_two_evaluations),
            "approximately",
            (0.05, 0.065),
            LITTLE,
        ),
        HypothesisTest(
            "non_inferiority",
            non_inferiority,
            "no worse by a margin",
            simulated.PAIRED,
            _one_by_one(_no_worse),
            "approximately",
            (0.03, 0.05),
            LITTLE,
        ),
        HypothesisTest(
            "mean_two_values_wild",
            wild_cluster_interval,
            "mean, wild cluster bootstrap",
            simulated.MEAN_TWO_VALUES,
            lambda data, generator: _wild(data[0], simulated.TWO_LARGE),
            "at most",
            AT_MOST,
        ),
        HypothesisTest(
            "unpaired",
            unpaired_error_bar,
            "unpaired difference",
            simulated.UNPAIRED,
            _of_means(unpaired_error_bar),
            "approximately",
            (0.05, 0.065),
            LITTLE,
        ),
        HypothesisTest(
            "unpaired_clustered",
            unpaired_error_bar,
            "unpaired difference, CR2",
            simulated.UNPAIRED_CLUSTERED,
            _of_means(unpaired_error_bar, CLUSTERS, FEW_CLUSTERS),
            "approximately",
            (0.05, 0.065),
            MORE,
        ),
        HypothesisTest(
            "simultaneous",
            simultaneous_differences,
            "all pairs",
            simulated.SEVERAL,
            _equal_means(6),
            "approximately",
            (0.03, 0.05),
            LITTLE,
        ),
        HypothesisTest(
            "simultaneous_one_differs",
            simultaneous_differences,
            "all pairs",
            simulated.SEVERAL_ONE_DIFFERS,
            _equal_means(5),
            "approximately",
            (0.03, 0.05),
        ),
        HypothesisTest(
            "simultaneous_clustered",
            simultaneous_differences,
            "all pairs, CR2",
            simulated.SEVERAL_CLUSTERED,
            _equal_means(6, CLUSTERS),
            "approximately",
            (0.03, 0.05),
            MORE,
        ),
        HypothesisTest(
            "skce_bootstrap",
            asymptotic_test,
            "SKCE, bootstrap",
            simulated.ANSWERS[100],
            _of_stated(_bootstrap),
            "approximately",
            (0.04, 0.05),
            MORE,
        ),
        HypothesisTest(
            "skce_blocks",
            block_test,
            "SKCE, blocks of 2",
            simulated.ANSWERS[400],
            _of_stated(_blocks),
            "approximately",
            (0.035, 0.05),
            MORE,
        ),
        HypothesisTest(
            "mean_embedding",
            mean_embedding_test,
            "mean embedding",
            simulated.ANSWERS[400],
            _of_stated(_embedding),
            "approximately",
            (0.05, 0.065),
            MORE,
        ),
        HypothesisTest(
            "mean_embedding_100",
            mean_embedding_test,
            "mean embedding",
            simulated.ANSWERS[100],
            _of_stated(_embedding),
            "exceeds",
            (0.07, 0.09),
        ),
        HypothesisTest(
            "mean_embedding_20",
            mean_embedding_test,
            "mean embedding",
            simulated.ANSWERS[20],
            _of_stated(_embedding),
            "exceeds",
            (0.16, 0.18),
        ),
        HypothesisTest(
            "paired_10",
            paired_error_bar,
            "paired difference",
            simulated.PAIRED_10,
            _of_means(paired_error_bar),
            "exceeds",
            (0.055, 0.075),
        ),
        HypothesisTest(
            "paired_cr0",
            error_bar,
            "paired difference, CR0, normal",
            simulated.PAIRED_FEW_CLUSTERS,
            _of_means(_cr0),
            "exceeds",
            (0.11, 0.13),
        ),
        HypothesisTest(
            "paired_ignoring_clusters",
            paired_error_bar,
            "paired difference, no clusters",
            simulated.PAIRED_CLUSTERED,
            _of_means(paired_error_bar),
            "wrong",
            (0.0, 0.065),
        ),
        HypothesisTest(
            "pairs_unadjusted",
            paired_error_bar,
            "all pairs, one by one",
            simulated.SEVERAL,
            _all_at_once(_unadjusted),
            "wrong",
            (0.0, 0.065),
        ),
        HypothesisTest(
            "sign_ignoring_clusters",
            sign_test,
            "sign test",
            simulated.SIGNS_CLUSTERED,
            _one_by_one(_signs),
            "wrong",
            AT_MOST,
        ),
        HypothesisTest(
            "closer_share_ignoring_clusters",
            closer_share_p_value,
            "certified share",
            simulated.CERTIFIED_CLUSTERED,
            _all_at_once(_not_closer),
            "wrong",
            AT_MOST,
        ),
        HypothesisTest(
            "skce_free_blocks",
            distribution_free_block_p_value,
            "SKCE, distribution-free, blocks of 2",
            simulated.SHARP_ANSWERS,
            _of_stated(_free_blocks),
            "at most",
            AT_MOST,
            MOST,
        ),
        HypothesisTest(
            "skce_consistency",
            consistency_test,
            "SKCE, consistency",
            simulated.RARE_ANSWERS,
            _of_stated(_consistency),
            "at most",
            AT_MOST,
            LITTLE,
        ),
        *(
            HypothesisTest(
                f"skce_{name.replace(' ', '_')}",
                clustered_test,
                "SKCE, signs of clusters",
                simulated.IN_TOPICS[name],
                _in_topics(_kernel_in_topics, TOPICS[name]),
                "approximately",
                (0.035, 0.065),
                HIGH,
            )
            for name in ("7 clusters", "68 clusters")
        ),
        *(
            HypothesisTest(
                f"overconfidence_{name.replace(' ', '_')}",
                weighted_mean_error_bar,
                "overconfidence, CR2",
                simulated.IN_TOPICS[name],
                _in_topics(_overconfidence, TOPICS[name]),
                "approximately",
                (0.03, 0.065),
                HIGH,
            )
            for name in ("3 clusters", "4 clusters", "7 clusters", "68 clusters")
        ),
        *(
            HypothesisTest(
                f"brier_{name.replace(' ', '_')}",
                weighted_mean_error_bar,
                "Brier score, CR2",
                simulated.IN_TOPICS[name],
                _in_topics(_brier_in_topics, TOPICS[name]),
                promise,
                sizes,
                (0.2, 0.4),
            )
            for name, promise, sizes in (
                ("3 clusters", "approximately", (0.035, 0.065)),
                ("4 clusters", "approximately", (0.035, 0.065)),
                ("7 clusters", "exceeds", (0.06, 0.08)),
                ("68 clusters", "approximately", (0.035, 0.065)),
            )
        ),
        *(
            HypothesisTest(
                f"ece_{name.replace(' ', '_')}",
                calibration_error_bar,
                "ECE is 0, interval",
                simulated.IN_TOPICS[name],
                _in_topics(_error, TOPICS[name]),
                "conservatively",
                (0.0, 0.065),
                HIGH,
            )
            for name in ("3 clusters", "4 clusters", "7 clusters", "68 clusters")
        ),
        HypothesisTest(
            "overconfidence_same_people",
            weighted_mean_error_bar,
            "overconfidence, people too",
            simulated.SAME_PEOPLE_CALIBRATED,
            _in_topics(_overconfidence_of_same, (12,) * 7),
            "conservatively",
            (0.0, 0.065),
            (0.1, 0.3),
        ),
        *(
            HypothesisTest(
                f"picp_{name.replace(' ', '_')}",
                interval_coverage,
                "PICP, clusters",
                simulated.OFF_IN_TOPICS[name],
                _one_by_one(_coverage_in_topics(TOPICS[name])),
                "conservatively",
                (0.0, 0.065),
                effects,
            )
            for name, effects in (("7 clusters", ()), ("60 clusters", (0.1, 0.3)))
        ),
        HypothesisTest(
            "skce_rare",
            asymptotic_test,
            "SKCE, bootstrap",
            simulated.RARE_ANSWERS,
            _of_stated(_bootstrap),
            "exceeds",
            (0.6, 0.75),
        ),
        HypothesisTest(
            "skce_ignoring_clusters",
            asymptotic_test,
            "SKCE, bootstrap",
            simulated.IN_TOPICS["3 clusters"],
            _in_topics(_kernel_ignoring_topics, TOPICS["3 clusters"]),
            "wrong",
            (0.0, 0.065),
        ),
        HypothesisTest(
            "overconfidence_ignoring_same_people",
            weighted_mean_error_bar,
            "overconfidence, CR2",
            simulated.SAME_PEOPLE_CALIBRATED,
            _in_topics(_overconfidence, (12,) * 7),
            "wrong",
            (0.0, 0.065),
        ),
        HypothesisTest(
            "skce_repeated",
            asymptotic_test,
            "SKCE, bootstrap",
            simulated.REPEATED_ANSWERS,
            _of_stated(_bootstrap),
            "wrong",
            AT_MOST,
        ),
        *bounds_without_gamma.tests(),
        *mean_intervals.tests(),
        *predictions.tests(),
        *corrections.tests(),
        *hybrids.tests(),
        *looking_early.tests(),
    )
}
