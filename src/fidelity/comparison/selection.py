"""Lists of scenarios on which a simulator is within a tolerance of people, or farther away.

L(p, q) = max over f of ⟨f, p - q⟩ for the discrepancies that are linked to linear functionals
(``tv``, ``w1``, ``absolute``; ``squared`` is the square of the last). For each scenario:

- "Δ > t" means that ⟨f, p⟩ > t + ⟨f, q⟩ for some f. For one f the p-value is the probability that
  so few answers speak for f if its mean is t + ⟨f, q⟩. The p-value of "Δ > t" is the largest over
  f, which is inf{1 - γ : Δ̂^γ ≤ t} of the ``witness``.
- "Δ ≤ t" means ⟨f, p⟩ ≤ t + ⟨f, q⟩ for every f. Its p-value is the smallest over f of the
  probability that so many answers do, times the number of functionals (Bonferroni). Functionals
  whose largest value is at most t + ⟨f, q⟩ can't show more, and don't count. Of two options one is
  left where the simulator's share of either is at most t, and the test is then a binomial one.

For indicators of option subsets these are binomial probabilities, exact. For other functionals they
are Chernoff bounds (Hoeffding 1963). Where the simulator left a share φ of its answers out, ⟨f, q⟩
may be anything from (1 - φ)⟨f, q⟩ + φ min f to (1 - φ)⟨f, q⟩ + φ max f; the p-values are the
largest of all these. Over scenarios, Benjamini and Hochberg's method keeps the expected share of
wrong entries of a list at its level if scenarios have people of their own. Benjamini and
Yekutieli's method does so for any dependence.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray
from fidelity.bernoulli import bernoulli_kl
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy, discrepancies_with
from fidelity.means.scales import scales
from fidelity.responses import Responses, Simulator, side_by_side

ROUNDING = 1e-12


class ScenarioPValues(NamedTuple):
    """p-values of each scenario, (m,) each.

    Attributes:
        within: of "its discrepancy exceeds the tolerance"; small where it is certainly within.
        beyond: of "its discrepancy is at most the tolerance"; small where it certainly exceeds it.
    """

    within: FloatArray
    beyond: FloatArray


def scenario_p_values(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    tolerance: float,
    unanswered: ArrayLike | None = None,
) -> ScenarioPValues:
    """Return how certain it is, per scenario, that the simulator is within or farther than t.

    People must be independent, and the simulator must know nothing of their answers. With ``sizes``
    the result is approximate. Draws are taken as they are.

    Args:
        responses: people's, :class:`fidelity.Responses` or counts, (m, d).
        simulator: :class:`fidelity.Simulator` or probabilities, (m, d).
        discrepancy: one whose ``is_maximum`` is true, such as ``tv``.
        tolerance: t, at least 0, in the unit of the discrepancy.
        unanswered: the share of its answers that the simulator left out in each scenario, (m,). The
            p-values then hold for q of all its answers, whatever the missing ones would have been.

    Examples:
        >>> from fidelity import scenario_p_values
        >>> people = [[120, 50, 30], [46, 29, 25]]
        >>> model = [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25]]
        >>> found = scenario_p_values(people, model, discrepancy="tv", tolerance=0.2)
        >>> found.within.round(4), found.beyond.round(4)
        (array([1.    , 0.0032]), array([0., 1.]))
    """
    (p_values,) = p_values_at(
        responses, simulator, [tolerance], discrepancy=discrepancy, unanswered=unanswered
    )
    return p_values


def p_values_at(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    tolerances: Iterable[float],
    *,
    discrepancy: str | Discrepancy,
    unanswered: ArrayLike | None = None,
) -> Iterator[ScenarioPValues]:
    """Yield the p-values at each of several tolerances; see :func:`scenario_p_values`."""
    measure = DISCREPANCIES.of(discrepancy)
    if not measure.is_maximum:
        inputs.one_of("discrepancy", measure.name, discrepancies_with("is_maximum"))
    allowed = [
        measure.to_metric(inputs.number("tolerance", tolerance, inputs.FINITE_NOT_NEGATIVE))
        for tolerance in tolerances
    ]
    people, (stated,) = side_by_side(responses, simulator=simulator)
    left = np.zeros(len(people.counts))
    if unanswered is not None:
        (unanswered,) = stated.lineup.copy().add(unanswered=unanswered)
        left = inputs.vector("unanswered", unanswered, inputs.UNIT, len(left))
    p_values = np.empty((len(allowed), 2, len(left)))
    for scale in scales(people, stated, measure):
        rows, functionals = scale.rows, measure.family(scale.q.shape[1], scale.scores)
        left_out = left[rows, None]
        answered = (1.0 - left_out) * (scale.q @ functionals.T)
        least, most = (answered + left_out * end(functionals, axis=1) for end in (np.min, np.max))
        low, high = functionals.min(1), functionals.max(1)
        for at_tolerance, t in zip(p_values, allowed, strict=True):
            few, many = tails(scale.counts, functionals, least + t, most + t)
            able = (least + t < high - ROUNDING * (high - low)).sum(1)
            at_tolerance[0, rows] = few.max(1)
            at_tolerance[1, rows] = np.minimum(1.0, np.maximum(able, 1) * many.min(1))
    yield from (ScenarioPValues(*at_tolerance) for at_tolerance in p_values)


def tails(
    counts: FloatArray, functionals: FloatArray, least: FloatArray, most: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return how likely so few answers are at the least mean of each functional, so many at most.

    (N, F) each; a mean that no answers can have is never exceeded. Functionals with two values have
    binomial probabilities, others Chernoff bounds.

    Args:
        counts: answers, (N, d).
        functionals: none of them constant, (F, d).
        least, most: means, at least the functional's smallest value, (N, F).
    """
    low, high = functionals.min(1), functionals.max(1)
    unit = (functionals - low[:, None]) / (high - low)[:, None]
    n = counts.sum(1, keepdims=True)
    seen = counts @ unit.T
    least, most = ((mean - low) / (high - low) for mean in (least, most))
    can_be_least, can_be_most = (mean < 1.0 - ROUNDING for mean in (least, most))
    least = np.where(can_be_least, np.maximum(least, 0.0), 0.5)
    most = np.where(can_be_most, np.maximum(most, 0.0), 0.5)
    if np.isin(unit, (0.0, 1.0)).all():
        few, many = _at_most(seen, n, least), _at_most(n - seen, n, 1.0 - most)
    else:
        few = np.where(seen < n * least, _chernoff(seen, n, least), 1.0)
        many = np.where(seen > n * most, _chernoff(seen, n, most), 1.0)
    return np.where(can_be_least, few, 0.0), np.where(can_be_most, many, 1.0)


def _chernoff(seen: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
    return np.exp(-n * bernoulli_kl(np.clip(seen / n, 0.0, 1.0), mean))


def _at_most(count: FloatArray, n: FloatArray, share: FloatArray) -> FloatArray:
    """Return P(Bin(n, share) ≤ count), also of effective numbers that are not whole."""
    rest = np.maximum(n - count, 0.0)
    all_ = rest <= ROUNDING * n
    probability = sp.special.betainc(np.where(all_, 1.0, rest), count + 1.0, 1.0 - share)
    return np.where(all_, 1.0, probability)


def certified_scenarios(
    p_values: ArrayLike,
    level: float = 0.05,
    *,
    dependent: bool = False,
) -> BoolArray:
    """Return a list of scenarios of which at most a share ``level`` is wrong, on average.

    The average is over studies (false discovery rate), by Benjamini & Hochberg (1995).

    Args:
        p_values: of each scenario, (m,), such as those of :func:`scenario_p_values`.
        level: the expected share of wrong entries, in (0, 1).
        dependent: whether scenarios have people in common, or the simulator was fitted to people's
            answers in other scenarios. Then Benjamini & Yekutieli (2001) is used, which needs no
            independence.

    Examples:
        >>> from fidelity import certified_scenarios
        >>> certified_scenarios([0.001, 0.4, 0.02, 0.03])
        array([ True, False,  True,  True])
        >>> certified_scenarios([0.001, 0.4, 0.02, 0.03], dependent=True)
        array([ True, False, False, False])
    """
    p_values = inputs.vector("p_values", p_values, inputs.UNIT)
    level = inputs.number("level", level, inputs.INSIDE)
    certified, ranked = np.zeros(len(p_values), bool), np.argsort(p_values)
    ranks = np.arange(1.0, len(ranked) + 1.0)
    adjusted = p_values[ranked] * (len(ranked) / ranks)
    adjusted *= (1.0 / ranks).sum() if dependent else 1.0
    certified[ranked[: np.flatnonzero(adjusted <= level).max(initial=-1) + 1]] = True
    return certified
