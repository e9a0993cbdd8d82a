"""People's choices beside stated probabilities: means of scores, shares, and the kernel's test."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fidelity.arrays import AnyArray, ArrayLike, FloatArray, IntArray
from fidelity.binomial import clustered_proportion_interval
from fidelity.calibration.kernel import PredictionKernel, StatedProbabilities
from fidelity.calibration.kernel_error import (
    CalibrationTest,
    asymptotic_test,
    clustered_test,
    consistency_test,
)
from fidelity.comparison.error_bars import Limits, bounded_error_bar, enough_differ, mean_error_bar
from fidelity.comparison.weighted_means import cluster_errors, weighted_mean_error_bar
from fidelity.structure.estimates import Interval, TooFewError

MOST_TESTED = 4000


@dataclass(frozen=True)
class Choices:
    """What people chose, and the probabilities that were stated of it; N rows, K options.

    A row is the people of a group who chose the same option.

    Attributes:
        probability: stated, (N, K).
        truth: place of the option chosen, (N,).
        counts: people, whole numbers, (N,).
        weights: of each of them, (N,); 1 where people are not weighted.
        clusters: a label each, (N,).
        samples: the label of the row's scenario, (N,), where the same people may answer several;
            None where everyone answers one.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import Choices
        >>> stated, came = np.array([[0.3, 0.7], [0.6, 0.4], [0.2, 0.8]]), np.array([1, 0, 0])
        >>> choices = Choices(stated, came, np.ones(3), np.ones(3), np.arange(3), None)
        >>> brier = ((stated - np.eye(2)[came]) ** 2).sum(1)
        >>> [round(end, 2) for end in choices.mean(brier, (0.0, 2.0))]
        [0.59, 0.0, 2.08]
    """

    probability: FloatArray
    truth: IntArray
    counts: AnyArray
    weights: FloatArray
    clusters: AnyArray
    samples: AnyArray | None

    @property
    def rows(self) -> dict[str, Any]:
        """Stated probabilities and choices, as arguments of other functions."""
        return {"probability": self.probability, "truth": self.truth}

    @property
    def mass(self) -> dict[str, Any]:
        """Counts and weights, as arguments of other functions."""
        return {"counts": self.counts, "weights": self.weights}

    @property
    def errors(self) -> dict[str, Any]:
        """Counts, weights, and which rows belong together, as arguments of other functions."""
        return {**self.mass, "clusters": self.clusters, "samples": self.samples}

    def mean(self, scores: FloatArray, limits: Limits, *, level: float = 0.95) -> Interval:
        """Return the mean of a score over people, with its interval for new clusters.

        A score need not be a share: Brier's goes up to 2, the log score to infinity. The lower end
        is cut at the smallest score there can be. The upper end is not: which score is the largest
        depends on what is stated in new clusters.

        Where rows are one person each, of whom too few differ to show how much scores vary, it is
        that of :func:`fidelity.comparison.error_bars.bounded_error_bar`.

        Args:
            scores: (N,).
            limits: the smallest and the largest possible score, numbers or (N,) each.
            level: of the interval.
        """
        is_single = (self.counts * self.weights == 1.0).all() and len(set(self.clusters)) > 1
        if is_single and not enough_differ(scores, self.clusters, limits):
            bar_of = partial(mean_error_bar, level=level)
            bar = bounded_error_bar(bar_of, scores, self.clusters, limits)
        else:
            bar = weighted_mean_error_bar(scores, **self.errors, level=level)
        least = np.floor(np.min(limits[0]))  # of scores 0, of differences -1
        return Interval(float(bar.estimate), float(np.maximum(bar.lower, least)), float(bar.upper))

    def share(self, is_so: ArrayLike, *, level: float = 0.95) -> Interval:
        """Return the share of people of whom something is so, (N,), with its interval.

        Of :func:`fidelity.binomial.clustered_proportion_interval`, for new clusters.
        """
        errors, mass = cluster_errors(is_so, **self.errors), self.counts * self.weights
        people = mass.sum() ** 2 / (mass @ self.weights)
        lower, upper = clustered_proportion_interval(
            errors.estimate,
            errors.se(),
            errors.df_at(level),
            errors.effective_clusters,
            errors.largest_share,
            people,
            level,
        )
        return Interval(float(errors.estimate[0]), float(lower[0]), float(upper[0]))

    def kernel_test(
        self, kernel: PredictionKernel, generator: np.random.Generator, *, clustered: bool = True
    ) -> tuple[CalibrationTest, int]:
        """Return the squared kernel calibration error with its test, and how many are tested.

        The test is over clusters, exact where each event is a cluster by itself; or asymptotic, as
        if all answers were independent. Its time grows with the square of the rows. If there are
        many, a sample of 4,000 people is drawn.

        Args:
            kernel: of predictions.
            generator: of the sample and the test.
            clustered: whether it is over clusters.

        Raises:
            TooFewError: if it is over clusters, and there is one.
        """
        counts = self.counts
        if len(counts) > MOST_TESTED:
            many = min(MOST_TESTED, counts.sum())
            counts = generator.multivariate_hypergeometric(counts, many)
        there = counts > 0
        counts, weights, clusters = counts[there], self.weights[there], self.clusters[there]
        predictions = StatedProbabilities(
            self.probability[there], self.truth[there], kernel, counts=counts
        )
        if clustered and len(np.unique(clusters)) < 2:
            raise TooFewError("one cluster tells nothing about others")
        if not clustered:
            test = asymptotic_test(predictions, generator)
        elif len(np.unique(clusters)) == counts.sum():
            test = consistency_test(predictions, generator)
        else:
            samples = None if self.samples is None else self.samples[there]
            test = clustered_test(
                predictions, clusters, generator, weights=weights, samples=samples
            )
        return test, int(np.round(counts @ weights))
