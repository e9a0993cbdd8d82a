"""Pseudo-discrepancies: the largest and smallest discrepancy that a confidence set allows.

upper Δ̂_j = sup_{u ∈ C_j} L(u, q̂_j) and lower Δ⁻_j = inf_{u ∈ C_j} L(u, q̂_j), globally optimal
([QC], section 3). With coverage γ, P(Δ̂_j ≥ Δ_j) ≥ γ and P(Δ⁻_j ≤ Δ_j) ≥ γ for the true
discrepancy Δ_j = L(p_j, q̂_j), given that q̂_j does not depend on the human sample.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, Generators
from fidelity.discrepancies.base import DISCREPANCIES, Bounds, Discrepancy, Extrema
from fidelity.extrema.solved import require_numbers
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet
from fidelity.sets.bounds import confidence_bounds, default_generators


def between(
    p: FloatArray, q: FloatArray, *, discrepancy: str, scores: ArrayLike | None = None
) -> FloatArray:
    """Return the discrepancy L(p, q) of each row: the plug-in for p = p̂, the oracle for full p."""
    measure = DISCREPANCIES.of(discrepancy)
    return measure.between(p, q, measure.checked_scores(scores, np.shape(p)[-1]))


def extrema(
    bounds: Bounds, q: FloatArray, *, discrepancy: str, scores: ArrayLike | None = None
) -> Extrema:
    """Return the extrema for simulators ``q`` (m, d) from bounds already computed."""
    measure = DISCREPANCIES.of(discrepancy)
    q = inputs.probabilities("q", q, bounds.share.shape)
    ends = measure.extrema(bounds, q, measure.checked_scores(scores, q.shape[1]))
    require_numbers(f"extrema of {discrepancy}", *ends)
    return ends


def pairwise_extrema(
    bounds: Bounds,
    q1: ArrayLike,
    q2: ArrayLike,
    *,
    discrepancy: str,
    scores: ArrayLike | None = None,
) -> Extrema:
    """Return the extrema of L(u, q1) - L(u, q2) from bounds already computed.

    NaN, all three, where the difference is undefined: see :mod:`fidelity.pseudo_discrepancies`.
    """
    measure = DISCREPANCIES.of(discrepancy)
    q1 = inputs.probabilities("q1", q1, bounds.share.shape)
    q2 = inputs.probabilities("q2", q2, bounds.share.shape)
    scores = measure.checked_scores(scores, q1.shape[1])
    ends = measure.pairwise_extrema(bounds, q1, q2, scores)
    undefined = np.isnan(ends).all(0)
    require_numbers(f"pairwise extrema of {discrepancy}", np.where(undefined, 0.0, ends).T)
    return ends


def pseudo_discrepancy(
    counts: ArrayLike,
    q: ArrayLike,
    *,
    confidence_set: str | ConfidenceSet,
    discrepancy: str | Discrepancy,
    gamma: ArrayLike | None = None,
    radius: ArrayLike | None = None,
    scores: ArrayLike | None = None,
    limits: tuple[float, float] | None = None,
    sigma: float | None = None,
    generator: Generators | None = None,
    sizes: ArrayLike | None = None,
    options: ArrayLike | None = None,
) -> Extrema:
    """Return how near and how far a simulator can be from people in each scenario.

    The lower and upper pseudo-discrepancy ([QC], section 3).

    Scenarios may have different numbers of options. Options that a scenario doesn't have are NaN in
    both tables, or False in ``options``. The result is the same as from a call with the scenario's
    own options alone. An option that exists and that nobody chose has a count of 0.

    Args:
        counts: human responses per option, (m, d), whole numbers unless ``sizes`` or a ``radius``
            are given. For binary outcomes d = 2, failures first. For ``bounded`` and ``real``
            outcomes the options are the distinct values. Rows and columns of labelled tables
            (pandas) are matched by their labels, and results come in the order of the first one.
        q: the simulator's shares or stated probabilities, (m, d); rows sum to 1 within 10⁻⁶.
        confidence_set: one of :data:`fidelity.CONFIDENCE_SETS`.
        discrepancy: one of :data:`fidelity.DISCREPANCIES`.
        gamma: coverage in (0, 1), one or one per scenario.
        radius: overrides the radius that γ gives, one or one per scenario: in nats for KL balls,
            in the unit of the scores for ``hoeffding`` and W1 balls.
        scores: the options' scores, (d,), or (m, d) where they differ between scenarios; (0, 1) if
            d = 2 and none are given.
        limits: (a, b), the range that ``bounded`` outcomes can have.
        sigma: σ of σ-sub-Gaussian ``real`` outcomes, which W1 balls need.
        generator: for sets that draw (``betting``, ``bootstrap``): one, or one per scenario.
        sizes: how many people answered, one or one per scenario, where ``counts`` are shares or
            weighted. With survey weights w it is the effective number (Σw)²/Σw² (Kish), and results
            are approximate.
        options: which options each scenario has, (m, d), True or False.

    Returns:
        (lower, upper, gap), each (m,), on the safe side of the true extrema: lower no larger, upper
        no smaller, up to rounding. ``gap`` is the largest possible distance from them: 0 where
        closed forms give them, else the distance to values that are attained in the set. +inf where
        the simulator states 0 for an option that people chose (``kl`` and ``chi2``; upper also
        where they may choose it).

        For ``witness`` the upper discrepancy needs no set (see
        :class:`fidelity.sets.witness.Witness`). The lower one uses a two-sided interval for means,
        the ball of ``multinomial_kl`` for vectors, and McDiarmid's inequality for the ``mmd_``
        discrepancies.

    Raises:
        ValueError: on unknown names, a pair that makes no sense, malformed arrays, labels that
            differ, or counts that are not whole and have no sizes.

    Examples:
        >>> from fidelity import pseudo_discrepancy
        >>> people = [[12, 5, 3], [40, 30, 30], [9, 1, 0]]  # three questions with three options
        >>> model = [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.6, 0.3, 0.1]]
        >>> found = pseudo_discrepancy(
        ...     people, model, confidence_set="witness", discrepancy="tv", gamma=0.5
        ... )
        >>> found.lower.round(2), found.upper.round(2)
        (array([0.2 , 0.  , 0.05]), array([0.42, 0.06, 0.33]))
    """
    given = {"gamma": gamma, "radius": radius, "sizes": sizes, "options": options}
    how = {"confidence_set": confidence_set, "limits": limits, "sigma": sigma}
    return _by_scale(extrema, {"q": q}, counts, scores, discrepancy, generator, given, how)


def pairwise_pseudo_discrepancy(
    counts: ArrayLike,
    q1: ArrayLike,
    q2: ArrayLike,
    *,
    confidence_set: str | ConfidenceSet,
    discrepancy: str | Discrepancy,
    gamma: ArrayLike | None = None,
    radius: ArrayLike | None = None,
    scores: ArrayLike | None = None,
    limits: tuple[float, float] | None = None,
    sigma: float | None = None,
    generator: Generators | None = None,
    sizes: ArrayLike | None = None,
    options: ArrayLike | None = None,
) -> Extrema:
    """Return how much farther one simulator can be from people than another, per scenario.

    inf and sup over the set of L(u, q1) - L(u, q2) ([QC], section 6).

    The sup δ̂_j is at least the true difference with probability γ: where δ̂_j ≤ 0, simulator 1 is
    at least as close as simulator 2. The ``witness`` is one-sided here too for means, since the
    direction is known, and for the ``mmd_`` discrepancies, whose squares differ by a linear
    function of p. For other vectors it uses the ball of ``multinomial_kl``.

    Args:
        counts: human responses per option, (m, d), whole numbers unless ``sizes`` or a ``radius``
            are given. For binary outcomes d = 2, failures first.
        q1, q2: both simulators' shares or stated probabilities, (m, d).
        confidence_set: one of :data:`fidelity.CONFIDENCE_SETS`.
        discrepancy: one of :data:`fidelity.DISCREPANCIES`.
        gamma: coverage in (0, 1), one or one per scenario.
        radius: overrides the radius that γ gives, one or one per scenario.
        scores: the options' scores, (d,), or (m, d) where they differ between scenarios.
        limits: (a, b), the range that ``bounded`` outcomes can have.
        sigma: σ of σ-sub-Gaussian ``real`` outcomes, which W1 balls need.
        generator: for sets that draw (``betting``, ``bootstrap``): one, or one per scenario.
        sizes: how many people answered, one or one per scenario, where ``counts`` are shares or
            weighted: with weights w the effective number (Σw)²/Σw².
        options: which options each scenario has, (m, d), True or False.

    Returns:
        (lower, upper, gap), each (m,), on the safe side of the true extrema; ``gap`` is the largest
        possible distance from them. Where simulator 1 states 0 for an option, ``kl`` and ``chi2``
        have upper +inf. If people chose that option, lower is
        +inf, too: simulator 1 is then farther for all possible shares. Where simulator 2 states 0,
        the same holds with -inf. Where both state a 0, all three are NaN: people may choose both
        options, and infinity less infinity is undefined.

    Examples:
        >>> from fidelity import pairwise_pseudo_discrepancy
        >>> people = [[120, 50, 30], [40, 30, 30]]
        >>> model, guess = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], [[1 / 3] * 3] * 2
        >>> found = pairwise_pseudo_discrepancy(
        ...     people, model, guess, confidence_set="witness", discrepancy="tv", gamma=0.5
        ... )
        >>> found.upper <= 0  # on the first question the model is at least as close as the guess
        array([ True, False])
    """
    given = {"gamma": gamma, "radius": radius, "sizes": sizes, "options": options}
    how = {"confidence_set": confidence_set, "limits": limits, "sigma": sigma}
    return _by_scale(
        pairwise_extrema, {"q1": q1, "q2": q2}, counts, scores, discrepancy, generator, given, how
    )


def _by_scale(
    extrema_of: Callable[..., Extrema],
    simulators: dict[str, Any],
    counts: Any,
    scores: Any,
    discrepancy: str | Discrepancy,
    generator: Any,
    given: dict[str, Any],
    how: dict[str, Any],
) -> Extrema:
    """Return the extrema, found for scenarios with the same options and scores at a time.

    Args:
        given: what else each scenario has: gamma, radius, sizes, options.
        how: what all have: confidence_set, limits, sigma.
    """
    chosen, measure = CONFIDENCE_SETS.of(how["confidence_set"]), DISCREPANCIES.of(discrepancy)
    given = {"counts": counts, **simulators, **given, "scores": scores}
    counts, *shares, gamma, radius, sizes, options, scores = inputs.aligned(
        **given, across=("scores",)
    )
    counts = inputs.table("counts", counts, inputs.COUNTS, ("scenarios", "options"))
    m = len(counts)
    tables = {
        name: inputs.table(name, q, inputs.SHARE_OR_NOTHING, counts.shape)
        for name, q in zip(simulators, shares, strict=True)
    }
    exists = inputs.existing(options, counts, tables)
    scores = inputs.scores_of(scores, counts.shape)
    if gamma is not None:
        gamma = inputs.each("gamma", gamma, inputs.INSIDE, m)
    if radius is not None:
        radius = inputs.each("radius", radius, inputs.FINITE_POSITIVE, m)
    if sizes is not None or radius is None:
        counts = inputs.sized("counts", counts, "sizes", sizes)
    if generator is not None:
        generator = inputs.generators("generator", generator, m)
    elif chosen.draws:
        generator = default_generators(m)
    ends = np.empty((3, m))
    for rows, there, own_scores in inputs.scales(exists, scores):
        cells = np.ix_(rows, there)
        bounds = confidence_bounds(
            counts[cells],
            discrepancy=discrepancy,
            gamma=None if gamma is None else gamma[rows],
            radius=None if radius is None else radius[rows],
            scores=own_scores,
            generator=None if generator is None else [generator[j] for j in rows],
            **how,
        )
        there_q = {name: q[cells] for name, q in tables.items()}
        ends[:, rows] = extrema_of(bounds, **there_q, discrepancy=measure.name, scores=own_scores)
    return Extrema(*ends)
