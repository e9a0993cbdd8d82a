"""Error bars and tests of calibration errors.

Answers are independent draws, except where ``clusters`` tell which rows come together. A
calibration error is a sum of absolute values, so noise alone makes it positive. Read it together
with its interval (:func:`calibration_error_bar`) and the number of people per bin
(``Reliability.people``). Rows are as in :mod:`fidelity.calibration.cases`.
"""

from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.blocks import block_sizes
from fidelity.calibration.cases import (
    checked_events,
    checked_shares,
    lined_up,
    masses,
    whole_counts,
)
from fidelity.calibration.kernel_error import FEW_SURPRISES, FEWEST_SURPRISES
from fidelity.calibration.reliability import bins_of
from fidelity.comparison.error_bars import ROUNDING
from fidelity.comparison.weighted_means import MOST_OF_PEOPLE, ClusterErrors, cluster_errors

CELLS_AT_ONCE = 2**22
FEWEST_CLUSTERS = 10.0
FEW_CLUSTERS = "one cluster, or the largest, tells nothing about others"
NO_VARIATION = "the same for all people, or in all clusters, which does not show how much it varies"


class CalibrationErrorBar(NamedTuple):
    """A calibration error with its interval, and the error that noise alone would give.

    Attributes:
        estimate: the error.
        lower, upper: of its confidence interval, in [0, 1]; NaN with fewer than 1.5 effective
            clusters, where the standard error is 0, which tells nothing about the true error, and
            where fewer than 20 surprises, outcomes other than the likelier, are expected, or fewer
            than 10 came.
        if_calibrated: the mean error of a calibrated simulator with the same statements and as many
            clusters; NaN where it can't be told.
        reason: why ``if_calibrated`` can't be told; empty where it is.
        interval_reason: why there is no interval; empty where there is one.

    Examples:
        >>> import numpy as np
        >>> from fidelity import calibration_error_bar, equal_width_edges
        >>> confidence, outcome = [0.7, 0.7, 0.3, 0.3], [1, 0, 1, 0]
        >>> counts = [60, 40, 35, 65]  # 60 of 100 people did what was stated with 0.7
        >>> bar = calibration_error_bar(
        ...     confidence, outcome, equal_width_edges(2), np.random.default_rng(0), counts=counts
        ... )
        >>> print(f"{bar.estimate:.3f}; {bar.if_calibrated:.3f} if it were calibrated")
        0.075; 0.036 if it were calibrated
    """

    estimate: float
    lower: float
    upper: float
    if_calibrated: float
    reason: str = ""
    interval_reason: str = ""


def calibration_error_bar(
    confidence: ArrayLike,
    outcome: ArrayLike,
    edges: ArrayLike,
    generator: np.random.Generator,
    level: float = 0.95,
    resamples: int = 1000,
    closed: str = "right",
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    samples: ArrayLike | None = None,
) -> CalibrationErrorBar:
    """Return how far stated probabilities are from frequencies, with a confidence interval.

    The ECE with these bins; the interval is approximate, and conservative near 0.

    ECE = Σ_b |d_b|. d_b is the share of bin b times its gap: the mean over people of
    1{in b}(confidence - outcome). It has CR2's standard error and Student's t over clusters
    (:mod:`fidelity.comparison.weighted_means`). The target is the ECE of new clusters, with these
    bins.

    - Lower end: the larger of ECE - q and |Σ_b d_b| - t·SE(Σ_b d_b), with t at 1 - δ/4. The ECE of
      a sample exceeds the true one by at most Σ_b |ε_b|, ε_b the errors of the d_b, and
      ECE ≥ |Σ_b d_b|. q is the (1 - δ/2) quantile of Σ_b |ε*_b|, with ε* of Student's t in B
      dimensions and the covariance of the d_b. If only one bin has people, the lower end is
      |d| - t·SE with t at 1 - δ/2.
    - Upper end: ECE + t·SE(Σ_b sgn(d_b) d_b), t at 1 - δ/2, and at most 1. This is the delta method
      where no d_b is near 0; where one is, the estimate is too large already.

    Quantiles of resampled ECEs would not cover near calibration, since noise adds to noise. In
    4,000 simulated studies of a calibrated simulator (those of
    :mod:`fidelity.comparison.weighted_means`) the lower end exceeded 0 in 1.2, 2.4 and 3.3 %, with
    3, 7 and 68 clusters. For a simulator that states .05 too much it did in 11, 48 and 100 %. In
    1,000 studies each with 2 to 100 clusters, 2 to 7 % of the intervals missed an ECE of .03 or .1.

    ``if_calibrated`` is the mean of :func:`calibrated_error_replicates` where people are
    independent: without labels, or where each row is one person with labels of its own. Elsewhere
    answers may vary more than draws from the statements do. Then it is Σ_b sqrt(2/π)·SE_b, the mean
    of Σ|d_b| for normal d_b around 0, corrected for the mean of a square root of χ². It is given
    from 10 effective clusters on, and where people can't account for more than a tenth of the
    variance.

    Args:
        confidence: stated probability of the event, in [0, 1], (N,).
        outcome: whether it happened, 0 or 1, (N,).
        edges: (B + 1,).
        generator: draws ε*.
        level: two-sided coverage aimed at, 1 - δ.
        resamples: of ε*.
        closed: ``right`` or ``left``.
        counts: people per row.
        weights: of one person of the row.
        clusters: one label per row, (N,); None for independent people.
        samples: label of the row's scenario, (N,), where the same people may answer several; None
            where everyone answers one.

    Raises:
        ValueError: if shapes don't fit or values are out of range.

    Examples:
        >>> import numpy as np
        >>> from fidelity import calibration_error_bar, equal_width_edges
        >>> confidence, outcome = [0.7, 0.7, 0.3, 0.3], [1, 0, 1, 0]
        >>> counts = [60, 40, 35, 65]  # 60 of 100 people did what was stated with 0.7
        >>> bar = calibration_error_bar(
        ...     confidence, outcome, equal_width_edges(2), np.random.default_rng(0), counts=counts
        ... )
        >>> print(f"{bar.estimate:.3f}, from {bar.lower:.2f} to {bar.upper:.2f}")
        0.075, from 0.00 to 0.14
    """
    confidence, outcome, counts, weights, clusters, samples = lined_up(
        counts, weights, clusters, samples, confidence=confidence, outcome=outcome
    )
    confidence, outcome = checked_events(confidence, outcome)
    signed = _signed(confidence - outcome, *bins_of(confidence, edges, closed))
    gap_errors = cluster_errors(signed, counts, weights, clusters, samples)
    bar = _error_bar(gap_errors, generator, level, resamples)
    people = masses(len(outcome), counts, None)
    expected = people @ np.minimum(confidence, 1.0 - confidence)
    came = people @ np.where(confidence < 0.5, outcome, 1.0 - outcome)
    if not bar.interval_reason and (expected < FEWEST_SURPRISES or came < FEWEST_SURPRISES / 2.0):
        bar = bar._replace(lower=np.nan, upper=np.nan, interval_reason=FEW_SURPRISES)
    labels = [label for label in (clusters, samples) if label is not None]
    single = all(mass is None or (np.asarray(mass) == 1.0).all() for mass in (counts, weights))
    is_whole = counts is None or (np.asarray(counts) % 1 == 0).all()
    if not (single if labels else is_whole) or any(
        len(np.unique(label)) < len(outcome) for label in labels
    ):
        return bar
    calibrated = calibrated_error_replicates(
        confidence, edges, generator, resamples, closed, counts, weights
    )
    return bar._replace(if_calibrated=float(calibrated.mean()), reason="")


def _signed(surplus: FloatArray, edges: FloatArray, member: IntArray) -> FloatArray:
    """Return (N, B): each row's confidence minus outcome in the column of its bin, 0 elsewhere."""
    signed = np.zeros((len(member), len(edges) - 1))
    signed[np.arange(len(member)), member] = surplus
    return signed


def _error_bar(
    gap_errors: ClusterErrors, generator: np.random.Generator, level: float, resamples: int
) -> CalibrationErrorBar:
    """Return the interval of Σ_b |d_b|; the columns of ``gap_errors`` are the d_b."""
    level = inputs.number("level", level, inputs.INSIDE)
    resamples = inputs.whole("resamples", resamples, 1)
    inputs.generator("generator", generator)
    gaps, df, tail = gap_errors.estimate, gap_errors.df_at(level), (1.0 - level) / 2.0
    error, signed, total = float(np.abs(gaps).sum()), np.sign(gaps), np.ones(len(gaps))
    half = sp.special.stdtrit(df, 1.0 - tail) * gap_errors.se_of_sum(signed)
    missing = ""
    if np.isnan(df):
        missing = FEW_CLUSTERS
    elif half <= ROUNDING:
        half, missing = np.nan, NO_VARIATION
    lower = error - half
    if not missing and (gap_errors.se() > 0).sum() > 1:
        normal = generator.standard_normal((resamples, len(gaps) + 1))
        normal /= np.sqrt(generator.chisquare(df, (resamples, 1)) / df)
        root = np.linalg.qr(gap_errors.deviations, "r")
        noise = np.abs(normal[:, : len(root)] @ root).sum(1)
        noise += np.abs(normal[:, -1]) * gap_errors.people.sum()
        of_sum = abs(gaps.sum()) - gap_errors.se_of_sum(total) * sp.special.stdtrit(
            gap_errors.df_at(1.0 - tail), 1.0 - tail / 2.0
        )
        lower = max(error - float(np.quantile(noise, 1.0 - tail)), of_sum)
    if_calibrated, reason = _noise(gap_errors)
    return CalibrationErrorBar(
        estimate=error,
        lower=float(np.maximum(lower, 0.0)),
        upper=float(np.minimum(error + half, 1.0)),
        if_calibrated=if_calibrated,
        reason=reason,
        interval_reason=missing,
    )


def _noise(gap_errors: ClusterErrors) -> tuple[float, str]:
    """Return the mean of Σ_b |d_b| for normal d_b around 0, or NaN and the reason."""
    variance, df = (gap_errors.deviations**2).sum(0), gap_errors.df
    if not gap_errors.effective_clusters >= FEWEST_CLUSTERS:
        return float("nan"), f"fewer than {FEWEST_CLUSTERS:.0f} effective clusters"
    if (gap_errors.people**2).sum() > MOST_OF_PEOPLE * variance.sum():
        return float("nan"), "people who answer in several clusters may add to it"
    if not variance.any():
        return float("nan"), NO_VARIATION
    mean_of_root = np.sqrt(2.0 / df) * np.exp(
        sp.special.gammaln((df + 1.0) / 2.0) - sp.special.gammaln(df / 2.0)
    )
    return float(np.sqrt(2.0 / np.pi) * np.sqrt(variance).sum() / mean_of_root), ""


def calibrated_error_replicates(
    confidence: ArrayLike,
    edges: ArrayLike,
    generator: np.random.Generator,
    resamples: int = 1000,
    closed: str = "right",
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> FloatArray:
    """Return the calibration errors that chance alone gives right probabilities.

    The ECE that a perfectly calibrated simulator would get, (resamples,).

    The people and stated probabilities are the same, and outcomes are drawn from the probabilities
    (consistency resampling, Bröcker & Smith 2007). The share of these errors that reaches the
    observed ECE is the p-value of a test of calibration, exact for independent people:
    (1 + number) / (1 + resamples).

    The test is not for people in scenarios whose true shares vary around the stated ones: answers
    then vary more than draws from the statements do.

    Args:
        generator: draws the resamples.
        resamples: how many.
        counts: people per row, whole numbers.

    The other arguments and the errors are those of :func:`calibration_error_bar`.

    Examples:
        >>> import numpy as np
        >>> from fidelity import calibrated_error_replicates, equal_width_edges
        >>> errors = calibrated_error_replicates(
        ...     [0.7, 0.3], equal_width_edges(2), np.random.default_rng(0), counts=[100, 100]
        ... )
        >>> print(f"{errors.mean():.2f}")  # from noise alone
        0.04
    """
    confidence, counts, weights = inputs.aligned(
        confidence=confidence, counts=counts, weights=weights
    )
    confidence = checked_shares("confidence", confidence)
    inputs.generator("generator", generator)
    resamples = inputs.whole("resamples", resamples, 1)
    edges, member = bins_of(confidence, edges, closed)
    people, weight = whole_counts(len(member), counts), masses(len(member), None, weights)
    chosen = _signed(weight, edges, member)
    errors = []
    for size in block_sizes(resamples, len(member), CELLS_AT_ONCE):
        surplus = people * confidence - generator.binomial(people, confidence, (size, len(member)))
        errors.append(np.abs(surplus @ chosen).sum(1) / (people @ weight))
    return np.concatenate(errors)
