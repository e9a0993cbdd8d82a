"""Pseudo-discrepancies: the largest and smallest discrepancy that a confidence set allows.

upper Δ̂_j = sup_{u ∈ C_j} L(u, q̂_j) and lower Δ⁻_j = inf_{u ∈ C_j} L(u, q̂_j), globally optimal
([QC], section 3). With coverage γ, P(Δ̂_j ≥ Δ_j) ≥ γ and P(Δ⁻_j ≤ Δ_j) ≥ γ for the true
discrepancy Δ_j = L(p_j, q̂_j), given that q̂_j does not depend on the human sample.
"""

import numpy as np

from fidelity.confidence_set import CONFIDENCE_SETS, ConfidenceSet
from fidelity.discrepancy import DISCREPANCIES, Bounds, Discrepancy

LOWER_BALL = CONFIDENCE_SETS["multinomial_kl_paper"]


def meaningful(confidence_set: str, discrepancy: str, kind: str) -> bool:
    """Tell whether a set bounds a discrepancy for an outcome kind.

    ``kind`` is ``binary``, ``ordinal`` or ``categorical``; unordered options have no mean, and
    sets for one mean or one proportion don't bound the distance of d probabilities.
    """
    chosen = CONFIDENCE_SETS[confidence_set]
    if chosen.binary_only and kind != "binary":
        return False
    if DISCREPANCIES[discrepancy].on == "mean":
        return kind != "categorical"
    return confidence_set in ("multinomial_kl_paper", "witness")


def confidence_bounds(
    counts: np.ndarray,
    *,
    confidence_set: str,
    discrepancy: str,
    gamma: float | np.ndarray | None = None,
    radius: float | np.ndarray | None = None,
    scores: np.ndarray | None = None,
) -> Bounds:
    """Return what a confidence set says of p, as far as a discrepancy needs it.

    The bounds don't depend on any simulator: compute them once and use them for all.

    Args: as :func:`pseudo_discrepancy`.
    """
    chosen = _lookup(CONFIDENCE_SETS, confidence_set, "confidence set")
    measure = _lookup(DISCREPANCIES, discrepancy, "discrepancy")
    counts = _checked_counts(counts)
    n_samples, d = counts.shape
    kind = "binary" if d == 2 else "ordinal"
    if not meaningful(confidence_set, discrepancy, kind):
        raise ValueError(f"{confidence_set} does not bound {discrepancy} for {d} options")
    scores = _checked_scores(scores, d, measure)
    n = counts.sum(1)
    gamma = _checked_level(gamma, radius, chosen, n_samples)
    functionals = measure.functionals(d, scores)
    span = np.ptp(scores) if measure.needs_scores else 1.0
    radius = _radius(chosen, n, d, gamma, radius, span)
    support = chosen.support(counts, functionals, gamma, radius)
    unknown = np.full(n_samples, np.nan)
    if measure.on == "mean":
        both = chosen.support(counts, functionals, chosen.two_sided(gamma), radius)
        return Bounds(counts / n[:, None], support, -both[:, 1], both[:, 0], unknown)
    ball = radius if chosen.has_radius else LOWER_BALL.radius(n, d, gamma)
    return Bounds(counts / n[:, None], support, unknown, unknown, ball)


def pseudo_discrepancy(
    counts: np.ndarray,
    q: np.ndarray,
    *,
    confidence_set: str,
    discrepancy: str,
    gamma: float | np.ndarray | None = None,
    radius: float | np.ndarray | None = None,
    scores: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper pseudo-discrepancy of each scenario ([QC], section 3).

    Args:
        counts: human responses per option, (m, d); fractional for effective counts. For binary
            outcomes d = 2, failures first.
        q: the simulator's shares or stated probabilities, (m, d).
        confidence_set: ``hoeffding``, ``bernoulli_kl``, ``clopper_pearson``,
            ``multinomial_kl_paper`` or ``witness``.
        discrepancy: ``absolute`` or ``squared`` (of mean scores), or ``tv``.
        gamma: coverage in (0, 1), one or one per scenario.
        radius: overrides the radius that γ gives, one or one per scenario: in nats for KL balls,
            in the unit of the scores for ``hoeffding``.
        scores: the options' scores, (d,); (0, 1) if d = 2 and none are given.

    Returns:
        (lower, upper), each (m,). For ``witness`` the upper discrepancy needs no set (see
        :class:`fidelity.confidence_set.Witness`); the lower one uses a two-sided interval for
        means, and the ball of ``multinomial_kl_paper`` for ``tv``.

    Raises:
        ValueError: on unknown names, a pair that makes no sense, or malformed arrays.
    """
    bounds = confidence_bounds(
        counts,
        confidence_set=confidence_set,
        discrepancy=discrepancy,
        gamma=gamma,
        radius=radius,
        scores=scores,
    )
    return extrema(bounds, q, discrepancy=discrepancy, scores=scores)


def extrema(
    bounds: Bounds, q: np.ndarray, *, discrepancy: str, scores: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return (lower, upper) for simulators ``q`` (m, d) from bounds already computed."""
    measure = _lookup(DISCREPANCIES, discrepancy, "discrepancy")
    q = _checked_probabilities(q, bounds)
    return measure.extrema(bounds, q, _checked_scores(scores, q.shape[1], measure))


def pairwise_pseudo_discrepancy(
    counts: np.ndarray,
    q1: np.ndarray,
    q2: np.ndarray,
    *,
    confidence_set: str,
    discrepancy: str,
    gamma: float | np.ndarray | None = None,
    radius: float | np.ndarray | None = None,
    scores: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return inf and sup over the set of L(u, q1) - L(u, q2), per scenario ([QC], section 6).

    The sup δ̂_j is at least the true difference with probability γ: where δ̂_j ≤ 0, simulator 1 is
    at least as close as simulator 2. Arguments as :func:`pseudo_discrepancy`; for means the
    ``witness`` is one-sided here too, since the direction is known, for ``tv`` it uses the ball of
    ``multinomial_kl_paper``.

    Returns:
        (lower, upper), each (m,).
    """
    bounds = confidence_bounds(
        counts,
        confidence_set=confidence_set,
        discrepancy=discrepancy,
        gamma=gamma,
        radius=radius,
        scores=scores,
    )
    return pairwise_extrema(bounds, q1, q2, discrepancy=discrepancy, scores=scores)


def pairwise_extrema(
    bounds: Bounds,
    q1: np.ndarray,
    q2: np.ndarray,
    *,
    discrepancy: str,
    scores: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (lower, upper) of L(u, q1) - L(u, q2) from bounds already computed."""
    measure = _lookup(DISCREPANCIES, discrepancy, "discrepancy")
    q1, q2 = _checked_probabilities(q1, bounds), _checked_probabilities(q2, bounds)
    return measure.pairwise_extrema(bounds, q1, q2, _checked_scores(scores, q1.shape[1], measure))


def between(
    p: np.ndarray, q: np.ndarray, *, discrepancy: str, scores: np.ndarray | None = None
) -> np.ndarray:
    """Return the discrepancy L(p, q) of each row: the plug-in for p = p̂, the oracle for full p."""
    measure = _lookup(DISCREPANCIES, discrepancy, "discrepancy")
    return measure.between(p, q, _checked_scores(scores, np.shape(p)[-1], measure))


def _lookup(registry: dict, name: str, what: str):
    if name not in registry:
        raise ValueError(f"unknown {what} {name!r}; there are: {', '.join(registry)}")
    return registry[name]


def _checked_counts(counts: np.ndarray) -> np.ndarray:
    counts = np.asarray(counts, float)
    if counts.ndim != 2 or counts.shape[1] < 2:
        raise ValueError(f"counts must be (scenarios, at least 2 options), not {counts.shape}")
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError("counts must be finite and not negative")
    if (counts.sum(1) <= 0).any():
        raise ValueError("every scenario needs at least one response")
    return counts


def _checked_scores(
    scores: np.ndarray | None, d: int, measure: Discrepancy
) -> np.ndarray | None:
    if not measure.needs_scores:
        return None
    if scores is None:
        if d != 2:
            raise ValueError(f"{measure.name} compares means: give the scores of the {d} options")
        return np.array([0.0, 1.0])
    scores = np.asarray(scores, float)
    if scores.shape != (d,) or not np.isfinite(scores).all() or np.ptp(scores) == 0:
        raise ValueError(f"scores must be {d} finite numbers that are not all equal")
    return scores


def _checked_level(gamma, radius, chosen: ConfidenceSet, n_samples: int) -> np.ndarray:
    """Return γ per sample; NaN where only a radius is given."""
    if gamma is None:
        if radius is None or not chosen.has_radius:
            raise ValueError(f"give gamma, the coverage of {chosen.name}")
        return np.full(n_samples, np.nan)
    gamma = np.broadcast_to(np.asarray(gamma, float), n_samples)
    if not ((gamma > 0) & (gamma < 1)).all():
        raise ValueError("gamma must lie strictly between 0 and 1")
    return gamma


def _radius(chosen: ConfidenceSet, n, d: int, gamma, radius, span: float) -> np.ndarray:
    if not chosen.has_radius:
        return np.full(len(n), np.nan)
    if radius is None:
        return chosen.radius(n, d, gamma, span)
    radius = np.broadcast_to(np.asarray(radius, float), n.shape)
    if not (radius > 0).all():
        raise ValueError("radius must be positive")
    return radius


def _checked_probabilities(q: np.ndarray, bounds: Bounds) -> np.ndarray:
    q = np.asarray(q, float)
    if q.shape != bounds.share.shape:
        raise ValueError(f"q has shape {q.shape}, the human sample {bounds.share.shape}")
    if not ((q >= 0).all() and np.allclose(q.sum(1), 1.0, atol=1e-6)):
        raise ValueError("every row of q must be a probability vector")
    return q
