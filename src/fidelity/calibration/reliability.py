"""Reliability diagrams: do events given probability p happen in a share p of cases?

Rows are as in :mod:`fidelity.calibration.cases`. The expected calibration error (ECE) is that of
the top label (:func:`top_label`): is the option with the highest stated probability chosen as often
as stated? Putting all options into one diagram would be misleading: a uniform guess has error 0
there, on any data with the same number of options everywhere. For single options see
:func:`classwise_calibration_error`.
"""

from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray
from fidelity.binomial import proportion_interval
from fidelity.calibration.cases import (
    checked_cases,
    checked_events,
    checked_shares,
    lined_up,
    masses,
)
from fidelity.comparison.weighted_means import cluster_errors

MOST_BINS, MOST_COMPARED = 10**7, 20
Side = Literal["left", "right"]
SIDES: dict[str, Side] = {"right": "left", "left": "right"}


def top_label(probability: ArrayLike, truth: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the highest stated probability and whether that option was the true one, (N,) each.

    If several options share the highest probability, the first one counts, as in netcal and
    torchmetrics.

    Args:
        probability: stated, (N, K).
        truth: index of the true option, (N,).

    Raises:
        ValueError: if shapes don't fit or values are out of range.

    Warns:
        UnnormalisedProbabilities: if rows don't sum to one.

    Examples:
        >>> from fidelity import top_label
        >>> top_label([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], [0, 2])
        (array([0.7, 0.6]), array([1., 0.]))
    """
    probability, truth = checked_cases(*lined_up(probability=probability, truth=truth)[:2])
    top = probability.argmax(1)
    return probability[np.arange(len(top)), top], (top == truth).astype(float)


def equal_width_edges(bins: int) -> FloatArray:
    """Return the edges of bins of equal width from 0 to 1.

    0, 1/B, ..., 1, each the float nearest to it, (B + 1,).

    np.linspace gives .30000000000000004 for 3/10, and so puts a stated .3 below its own edge.

    Examples:
        >>> from fidelity import equal_width_edges
        >>> equal_width_edges(5)
        array([0. , 0.2, 0.4, 0.6, 0.8, 1. ])
    """
    bins = inputs.whole("bins", bins, 1, MOST_BINS)
    return np.arange(bins + 1) / bins


def equal_mass_edges(
    confidence: ArrayLike,
    bins: int,
    closed: str = "right",
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> FloatArray:
    """Return edges between which equal mass lies, as nearly as ties allow (adaptive bins).

    Right-closed: edge b is the smallest confidence up to which at least b/B of the mass lies
    (inverted distribution function). Left-closed is the mirror image: edge b is the largest
    confidence from which on at least 1 - b/B of the mass lies. Equal confidences share a bin, so
    with many ties some bins stay empty.

    Args:
        confidence: in [0, 1], (N,).
        bins: B.
        closed: ``right`` or ``left``: whether bins hold their upper or their lower edge.
        counts: people per row.
        weights: of one person of the row.

    Returns:
        (B + 1,), from 0 to 1, not decreasing.

    Examples:
        >>> from fidelity import equal_mass_edges
        >>> equal_mass_edges([0.55, 0.6, 0.62, 0.7, 0.9, 0.95], bins=3)
        array([0. , 0.6, 0.7, 1. ])
    """
    edges = equal_width_edges(bins)
    bins = len(edges) - 1
    confidence, counts, weights = inputs.aligned(
        confidence=confidence, counts=counts, weights=weights
    )
    confidence = checked_shares("confidence", confidence)
    _side(closed)
    if closed == "left":
        return 1.0 - equal_mass_edges(1.0 - confidence, bins, "right", counts, weights)[::-1]
    order = confidence.argsort()
    below = masses(len(confidence), counts, weights)[order].cumsum()
    reached = np.searchsorted(below * bins, below[-1] * np.arange(1, bins) * (1.0 - 1e-14))
    edges[1:-1] = confidence[order][reached]
    return edges


@dataclass(frozen=True)
class Reliability:
    """A reliability diagram: one entry per bin, (B,); NaN where nobody is in the bin.

    ``lower`` and ``upper`` are the edges. ``people`` is Σ counts, ``share`` the bin's share of the
    mass. ``confidence`` is the mean stated probability, ``frequency`` the observed share.
    ``frequency_lower`` and ``frequency_upper`` are the ends of its interval. This is Clopper and
    Pearson's, exact for independent people without weights, with Kish's effective number of people
    otherwise. With clusters it is at least as wide as the interval of the gap for new clusters
    (:mod:`fidelity.comparison.weighted_means`): the diagonal lies outside it where the gap is more
    than noise. NaN in bins with fewer than 1.5 effective clusters.

    Examples:
        >>> from fidelity import equal_width_edges, reliability
        >>> confidence, outcome = [0.7, 0.7, 0.3, 0.3], [1, 0, 1, 0]
        >>> counts = [60, 40, 35, 65]  # 60 of 100 people did what was stated with 0.7
        >>> diagram = reliability(confidence, outcome, equal_width_edges(2), counts=counts)
        >>> diagram.confidence, diagram.frequency, diagram.people
        (array([0.3, 0.7]), array([0.35, 0.6 ]), array([100., 100.]))
    """

    lower: FloatArray
    upper: FloatArray
    people: FloatArray
    share: FloatArray
    confidence: FloatArray
    frequency: FloatArray
    frequency_lower: FloatArray
    frequency_upper: FloatArray

    @property
    def gap(self) -> FloatArray:
        """Confidence minus frequency, (B,): positive where the simulator is too sure."""
        return self.confidence - self.frequency

    @property
    def empty(self) -> BoolArray:
        """Which bins have nobody, (B,)."""
        return self.people == 0

    def thin(self, fewest: int) -> BoolArray:
        """Return which bins have somebody but fewer than ``fewest`` people, (B,)."""
        return (self.people > 0) & (self.people < fewest)


def reliability(
    confidence: ArrayLike,
    outcome: ArrayLike,
    edges: ArrayLike,
    closed: str = "right",
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    samples: ArrayLike | None = None,
) -> Reliability:
    """Return how often what is stated with a probability happens: the reliability diagram.

    Of one stated probability per row.

    ``closed`` decides where a confidence that lies on an edge goes, on which packages differ:
    ``right`` takes bins (a, b], the first one with 0; ``left`` takes [a, b), the last one with 1.

    Args:
        confidence: stated probability of the event, in [0, 1], (N,).
        outcome: whether it happened, 0 or 1, (N,).
        edges: not decreasing, from 0 to 1, (B + 1,), as of :func:`equal_width_edges` or
            :func:`equal_mass_edges`.
        closed: ``right`` or ``left``.
        counts: people per row.
        weights: of one person of the row.
        level: two-sided coverage of the frequencies' intervals.
        clusters: label per row; None for independent people.
        samples: label of the row's scenario, (N,), where the same people may answer several; None
            where everyone answers one.

    Raises:
        ValueError: if shapes don't fit or values are out of range.

    Examples:
        >>> from fidelity import equal_width_edges, reliability
        >>> confidence, outcome = [0.7, 0.7, 0.3, 0.3], [1, 0, 1, 0]
        >>> counts = [60, 40, 35, 65]  # 60 of 100 people did what was stated with 0.7
        >>> diagram = reliability(confidence, outcome, equal_width_edges(2), counts=counts)
        >>> diagram.frequency_lower.round(2), diagram.frequency_upper.round(2)
        (array([0.26, 0.5 ]), array([0.45, 0.7 ]))
    """
    confidence, outcome, counts, weights, clusters, samples = lined_up(
        counts, weights, clusters, samples, confidence=confidence, outcome=outcome
    )
    confidence, outcome = checked_events(confidence, outcome)
    level = inputs.number("level", level, inputs.INSIDE)
    edges, member = bins_of(confidence, edges, closed)
    clusters, samples = (
        label if label is None else inputs.labels(name, label, len(member))
        for name, label in (("clusters", clusters), ("samples", samples))
    )
    people = None if counts is None else masses(len(member), counts, None)
    weight = None if weights is None else masses(len(member), None, weights)

    def per_bin(*factors: FloatArray | None) -> AnyArray:
        """Return the sums over each bin's rows of the product of the factors, 1 where None."""
        given = [factor for factor in factors if factor is not None]
        product = prod(given[1:], start=given[0]) if given else None
        return np.bincount(member, product, minlength=len(edges) - 1).astype(float, copy=False)

    total = per_bin(people, weight)
    with np.errstate(invalid="ignore"):
        frequency = per_bin(people, weight, outcome) / total
        mean = per_bin(people, weight, confidence) / total
        effective = total**2 / per_bin(people, weight, weight)
    lower, upper = np.full((2, len(total)), np.nan)
    filled = total > 0
    lower[filled], upper[filled] = proportion_interval(frequency[filled], effective[filled], level)
    for b in np.flatnonzero(filled) if clusters is not None else ():
        rows = member == b
        of_rows = (
            None if values is None else values[rows]
            for values in (people, weight, clusters, samples)
        )
        gap = cluster_errors((confidence - outcome)[rows], *of_rows)
        half = sp.special.stdtrit(gap.df_at(level), (1.0 + level) / 2.0) * gap.se()[0]
        lower[b] = np.maximum(np.minimum(lower[b], frequency[b] - half), 0.0)
        upper[b] = np.minimum(np.maximum(upper[b], frequency[b] + half), 1.0)
    return Reliability(
        lower=edges[:-1],
        upper=edges[1:],
        people=per_bin(people),
        share=total / total.sum(),
        confidence=mean,
        frequency=frequency,
        frequency_lower=lower,
        frequency_upper=upper,
    )


def classwise_reliability(
    probability: ArrayLike,
    truth: ArrayLike,
    bins: int,
    rule: str = "equal_width",
    closed: str = "right",
    counts: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    samples: ArrayLike | None = None,
) -> list[Reliability]:
    """Return one reliability diagram per option, of its stated probability and of its being true.

    Args:
        probability: stated, (N, K).
        truth: index of the true option, (N,).
        bins: B of each diagram.
        rule: ``equal_width``, or ``equal_mass``, where every option has its own edges.
        closed: ``right`` or ``left``.
        counts: people per row.
        weights: of one person of the row.
        level: two-sided coverage of the frequencies' intervals.
        clusters, samples: as in :func:`reliability`.

    Raises:
        ValueError: if shapes don't fit, values are out of range, or there is no such rule.

    Warns:
        UnnormalisedProbabilities: if rows don't sum to one; they are taken as they are.

    Examples:
        >>> from fidelity.calibration import classwise_reliability
        >>> stated = [[0.7, 0.2, 0.1], [0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]
        >>> truth, counts = [0, 1, 1], [60, 40, 50]  # 60 people chose option 0, and so on
        >>> first, second, third = classwise_reliability(stated, truth, bins=2, counts=counts)
        >>> first.confidence.round(2), first.frequency.round(2)
        (array([0.1, 0.7]), array([0. , 0.6]))
    """
    probability, truth, counts, weights, clusters, samples = lined_up(
        counts, weights, clusters, samples, probability=probability, truth=truth
    )
    probability, truth = checked_cases(probability, truth)
    diagrams = []
    for option, confidence in enumerate(probability.T):
        edges = edges_by(confidence, bins, rule, closed, counts, weights)
        event = (truth == option).astype(float)
        diagrams.append(
            reliability(confidence, event, edges, closed, counts, weights, level, clusters, samples)
        )
    return diagrams


def expected_calibration_error(diagram: Reliability) -> float:
    """Return how far stated probabilities are from frequencies, on average: 0 is best.

    ECE: the mean of |confidence - frequency| over bins, each weighing as its mass.

    Examples:
        >>> from fidelity import equal_width_edges, expected_calibration_error, reliability
        >>> confidence, outcome = [0.7, 0.7, 0.3, 0.3], [1, 0, 1, 0]
        >>> counts = [60, 40, 35, 65]  # 60 of 100 people did what was stated with 0.7
        >>> diagram = reliability(confidence, outcome, equal_width_edges(2), counts=counts)
        >>> print(round(expected_calibration_error(diagram), 3))
        0.075
    """
    inputs.instance("diagram", diagram, Reliability, "reliability")
    return float(np.nansum(diagram.share * np.abs(diagram.gap)))


def maximum_calibration_error(diagram: Reliability) -> float:
    """Return MCE: the largest |confidence - frequency| of a bin, which thin bins dominate.

    Examples:
        >>> from fidelity import equal_width_edges, reliability
        >>> from fidelity.calibration import maximum_calibration_error
        >>> confidence, outcome = [0.7, 0.7, 0.3, 0.3], [1, 0, 1, 0]
        >>> counts = [60, 40, 35, 65]  # 60 of 100 people did what was stated with 0.7
        >>> diagram = reliability(confidence, outcome, equal_width_edges(2), counts=counts)
        >>> print(round(maximum_calibration_error(diagram), 3))
        0.1
    """
    return float(np.nanmax(np.abs(diagram.gap)))


def classwise_calibration_error(diagrams: list[Reliability]) -> float:
    """Return the mean over options of their ECE (Kull et al. 2019).

    Examples:
        >>> from fidelity.calibration import classwise_calibration_error, classwise_reliability
        >>> stated = [[0.7, 0.2, 0.1], [0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]
        >>> truth, counts = [0, 1, 1], [60, 40, 50]  # 60 people chose option 0, and so on
        >>> diagrams = classwise_reliability(stated, truth, bins=2, counts=counts)
        >>> print(round(classwise_calibration_error(diagrams), 3))
        0.178
    """
    return float(np.mean([expected_calibration_error(diagram) for diagram in diagrams]))


def edges_by(
    confidence: Any, bins: Any, rule: str, closed: str, counts: Any, weights: Any
) -> FloatArray:
    """Return the edges of bins by the rule that is named."""
    if rule == "equal_width":
        return equal_width_edges(bins)
    if rule == "equal_mass":
        return equal_mass_edges(confidence, bins, closed, counts, weights)
    raise ValueError(f"rule must be one of equal_width, equal_mass, not {rule!r}")


def _side(closed: str) -> Side:
    return SIDES[inputs.one_of("closed", closed, SIDES)]


def bins_of(confidence: Any, edges: Any, closed: str) -> tuple[FloatArray, IntArray]:
    """Return the edges and each confidence's bin, 0..B-1."""
    edges = inputs.vector("edges", edges, inputs.UNIT)
    if len(edges) < 2 or edges[0] != 0 or edges[-1] != 1 or (np.diff(edges) < 0).any():
        raise ValueError("edges must go from 0 to 1 and not decrease")
    side, inner = _side(closed), edges[1:-1]
    if len(inner) > MOST_COMPARED:
        return edges, np.searchsorted(inner, confidence, side)
    is_beyond = np.greater if side == "left" else np.greater_equal
    member = np.zeros(len(confidence), np.intp)
    for edge in inner:  # faster than a search of each
        member += is_beyond(confidence, edge)
    return edges, member
