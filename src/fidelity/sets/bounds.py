"""Bounds on p from people's counts by a confidence set, in the form that a discrepancy needs."""

from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, Generators
from fidelity.discrepancies.base import DISCREPANCIES, Bounds, Discrepancy
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet, Sample

OPEN = (-np.inf, np.inf)


def meaningful(confidence_set: str, discrepancy: str, kind: str) -> bool:
    """Tell whether a set bounds a discrepancy for an outcome kind.

    Args:
        confidence_set: one of :data:`fidelity.CONFIDENCE_SETS`.
        discrepancy: one of :data:`fidelity.DISCREPANCIES`.
        kind: ``binary``, ``ordinal``, ``categorical``, ``bounded`` or ``real``.

    Examples:
        >>> from fidelity.sets import meaningful
        >>> meaningful("witness", "tv", "categorical")
        True
        >>> meaningful("clopper_pearson", "tv", "categorical")
        False
    """
    return CONFIDENCE_SETS.of(confidence_set).can_bound(DISCREPANCIES.of(discrepancy), kind)


def confidence_radius(
    n: ArrayLike,
    d: int,
    gamma: ArrayLike,
    confidence_set: str | ConfidenceSet,
    *,
    span: float = 1.0,
) -> FloatArray:
    """Return how large a confidence set of people's shares has to be for a coverage.

    Its radius with coverage γ ([QC], section 3; δ = 1 - γ).

    Args:
        n: responses (or effective sample size), positive; broadcasts with ``gamma``.
        d: number of options; only the multinomial sets depend on it.
        gamma: coverage in (0, 1).
        confidence_set: ``bernoulli_kl``, ``multinomial_kl`` or ``multinomial_kl_paper`` (in nats),
            ``hoeffding``, ``w1``, ``w1_subgaussian`` or ``w1_sigma`` (in the unit of the scores).
        span: b - a, the range of the scores, or 2σ; for the sets in the unit of the scores.

    Raises:
        ValueError: if the set has no radius, such as ``clopper_pearson``, or is unknown.

    Examples:
        >>> from fidelity import confidence_radius
        >>> confidence_radius([100, 1000], 5, 0.5, "multinomial_kl").round(4)  # five options
        array([0.0322, 0.0068])
        >>> confidence_radius([100, 1000], 5, 0.5, "multinomial_kl_paper").round(4)
        array([0.1109, 0.0111])
    """
    chosen = CONFIDENCE_SETS.of(confidence_set)
    if not chosen.has_radius:
        having = [name for name, kind in CONFIDENCE_SETS.items() if kind.has_radius]
        raise ValueError(
            f"confidence_set {chosen.name} has no radius; these have: {', '.join(having)}"
        )
    n, gamma = inputs.aligned(n=n, gamma=gamma)
    n = inputs.numbers("n", n, inputs.FINITE_POSITIVE)
    gamma = inputs.numbers("gamma", gamma, inputs.INSIDE)
    inputs.broadcast(n=n, gamma=gamma)
    d, span = inputs.whole("d", d, 2), inputs.number("span", span, inputs.FINITE_POSITIVE)
    return chosen.radius(n, d, gamma, span)


def default_generators(m: int) -> list[np.random.Generator]:
    """Return a source of randomness for each of m scenarios, the same each time."""
    return np.random.default_rng(0).spawn(m)


def confidence_bounds(
    counts: ArrayLike,
    *,
    confidence_set: str | ConfidenceSet,
    discrepancy: str | Discrepancy,
    gamma: ArrayLike | None = None,
    radius: ArrayLike | None = None,
    scores: ArrayLike | None = None,
    limits: tuple[float, float] | None = None,
    sigma: float | None = None,
    generator: Generators | None = None,
) -> Bounds:
    """Return a confidence set's bounds on p from counts, in the form that a discrepancy needs.

    The bounds don't depend on any simulator: compute them once and use them for all simulators.

    Args:
        counts: as :func:`fidelity.pseudo_discrepancy`; where people are weighted, counts that add
            up to the effective sample size, so fractional ones. Every scenario has all d options.

    The other arguments as :func:`fidelity.pseudo_discrepancy`.

    Examples:
        >>> from fidelity.sets import confidence_bounds
        >>> people = [[30, 50, 20], [60, 25, 15]]
        >>> bounds = confidence_bounds(
        ...     people, confidence_set="multinomial_kl", discrepancy="tv", gamma=0.5
        ... )
        >>> bounds.radius.round(3)  # of the balls around people's shares, in nats
        array([0.018, 0.018])
    """
    chosen, measure = CONFIDENCE_SETS.of(confidence_set), DISCREPANCIES.of(discrepancy)
    counts = inputs.answered("counts", counts)
    if counts.shape[1] < 2:
        raise ValueError("counts must have at least 2 options (columns), not 1")
    scores = measure.checked_scores(scores, counts.shape[1])
    if sigma is not None and limits not in (None, OPEN):
        raise ValueError("sigma is of outcomes without limits; give one of the two")
    if sigma is not None:
        sigma, limits = inputs.number("sigma", sigma, inputs.FINITE_POSITIVE), OPEN
    _refuse_pairs_without_bounds(chosen, measure, counts.shape[1], scores, limits)
    limits = _checked_limits(limits, scores)
    if limits == OPEN and chosen.ball == "w1" and sigma is None:
        raise ValueError(f"{chosen.name} of outcomes without bounds needs sigma")
    if chosen.draws:
        given = default_generators(len(counts)) if generator is None else generator
        generator = inputs.generators("generator", given, len(counts))
    gamma = _checked_level(gamma, radius, chosen, len(counts))
    sample = Sample(counts, gamma, scores, limits, sigma, generator)
    width: FloatArray | None = None
    if radius is not None:
        width = inputs.each("radius", radius, inputs.FINITE_POSITIVE, len(counts))
    elif chosen.has_radius:
        width = chosen.radius(sample.n, counts.shape[1], gamma, sample.span)
    unknown = np.full(len(counts), np.nan)
    if measure.is_parameter:
        lower, upper = chosen.bounds_of(sample, measure)
        return Bounds(sample.share, np.stack([upper, -lower], 1), lower, upper, unknown)
    if limits is not None and measure.on != "mean":
        assert width is not None
        nothing, width = np.empty((len(counts), 0)), np.minimum(width, limits[1] - limits[0])
        return Bounds(sample.share, nothing, unknown, unknown, width, chosen.ball, limits)
    functionals = measure.functionals(counts.shape[1], scores)
    support = chosen.support(sample, functionals, width)
    if measure.is_scalar(counts.shape[1]):
        both = chosen.support(sample.at(chosen.two_sided(gamma)), functionals, width)
        return Bounds(sample.share, support, -both[:, 1], both[:, 0], unknown)
    if measure.on == "kernel":
        width = chosen.chernoff_radius(sample)
    elif width is None:
        width = chosen.ball_radius(sample.n, counts.shape[1], gamma)
    return Bounds(sample.share, support, unknown, unknown, width, chosen.ball, n=sample.n)


def _refuse_pairs_without_bounds(
    chosen: ConfidenceSet, measure: Discrepancy, d: int, scores: Any, limits: Any
) -> None:
    kinds: tuple[str, ...]
    if limits is not None:
        kinds = ("real",) if limits == OPEN else ("bounded",)
    elif d == 2:
        kinds = ("binary", "real")
    else:
        kinds = ("categorical", "real") if scores is None else ("ordinal", "real")
    if limits != OPEN and chosen.ball == "w1":  # of numbers without bounds it needs sigma
        kinds = tuple(kind for kind in kinds if kind != "real")
    if not any(chosen.can_bound(measure, kind) for kind in kinds):
        bounding = [
            name
            for name, confidence_set in CONFIDENCE_SETS.items()
            if any(confidence_set.can_bound(measure, kind) for kind in kinds)
        ]
        instead = f"; these do: {', '.join(bounding)}" if bounding else ", and no other set does"
        raise ValueError(
            f"confidence_set {chosen.name} does not bound {measure.name} of {kinds[0]} outcomes "
            f"({d} options){instead}"
        )


def _checked_limits(limits: Any, scores: Any) -> tuple[float, float] | None:
    if limits is None or limits == OPEN:
        return None if limits is None else OPEN
    low, high = inputs.vector("limits", limits, inputs.FINITE, 2).tolist()
    if scores is None or not low <= scores.min() < scores.max() <= high:
        raise ValueError(f"limits must enclose all scores; {low:g} and {high:g} do not")
    return low, high


def _checked_level(gamma: Any, radius: Any, chosen: ConfidenceSet, n_samples: int) -> FloatArray:
    """Return γ per sample; NaN where only a radius is given."""
    if radius is not None and not chosen.has_radius:
        raise ValueError(f"radius must be None for {chosen.name}, which has none: give gamma")
    if gamma is None:
        if radius is None:
            raise ValueError(f"gamma must be given, the coverage of {chosen.name}")
        return np.full(n_samples, np.nan)
    return inputs.each("gamma", gamma, inputs.INSIDE, n_samples)
