"""How many people a simulator is worth, and the estimate from people and simulator together.

If a simulator is right about scenarios up to some spread, p_j ~ Dirichlet(κ q̂_j). Then the answers
x⁰_j of n₀ people are Dirichlet-multinomial, and people's shares have the posterior mean

    p̃_j = (x⁰_j + κ q̂_j)/(n₀ + κ):

κ counts as that many people who answered just as the simulator. κ̂ maximises Σ_j log DM(x⁰_j; κ
q̂_j) over scenarios of other clusters, so it doesn't depend on the people of scenario j. No
statement about the hybrid rests on the Dirichlet distribution. The hybrid is judged, as any
simulator, by people whom it hasn't seen.

If somebody chose an option for which q̂ states 0, the likelihood would be 0 at every κ. In such
scenarios, and only there, q̂ is replaced by (1 - ε) q̂ + ε/d, ε = .01, or for k draws by
(k q̂ + ½)/(k + d/2).
"""

from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray
from fidelity.resampling import smoothed

UNIFORM = 0.01
PER_DECADE = 50
GRID = np.concatenate([[0.0], np.logspace(-3, 6, 9 * PER_DECADE + 1)])
ONE_ANSWER = "one answer for each scenario tells nothing about kappa: any value is as likely"


class DirichletMultinomialFit(NamedTuple):
    """The prior strength of a simulator that makes people's answers most likely.

    Attributes:
        kappa: κ̂, in people, from 0 to 10⁶; NaN if the answers tell nothing about it. 10⁶ means that
            people differ from the simulator by no more than their number explains.
        reason: why κ̂ is NaN; empty otherwise.

    Examples:
        >>> from fidelity.hybrids import dirichlet_multinomial_fit
        >>> dirichlet_multinomial_fit([[1, 0], [0, 1]], [[0.5, 0.5], [0.3, 0.7]]).reason
        'one answer for each scenario tells nothing about kappa: any value is as likely'
    """

    kappa: float
    reason: str


def dirichlet_multinomial_fit(
    seen: ArrayLike, q: ArrayLike, *, draws: ArrayLike | None = None
) -> DirichletMultinomialFit:
    """Return κ̂ = argmax Σ_j log DM(x⁰_j; κ q̂_j), to three digits.

    It is found on a grid of 50 values per decade, then by the parabola through the best and its
    neighbours. If scenarios are not independent, κ̂ still fits best on average, but it is known no
    better than from as many independent scenarios as there are clusters.

    Args:
        seen: people's answers, whole numbers, (m, d); NaN where a scenario has no such option.
        q: the simulator's probabilities, (m, d); smoothed as the module says.
        draws: how many draws they are the shares of, one or (m,); None if they are stated.

    Examples:
        >>> from fidelity.hybrids import dirichlet_multinomial_fit
        >>> people = [[8, 2], [3, 7], [5, 5], [9, 1], [2, 8]]
        >>> model = [[0.6, 0.4], [0.5, 0.5], [0.4, 0.6], [0.7, 0.3], [0.4, 0.6]]
        >>> print(round(dirichlet_multinomial_fit(people, model).kappa, 1))
        13.0
    """
    seen, q, draws = inputs.aligned(seen=seen, q=q, draws=draws)
    seen, q = _checked(seen, q, draws)
    if np.nansum(seen, axis=1).max() <= 1.0:
        return DirichletMultinomialFit(np.nan, ONE_ANSWER)
    kappa = _highest(log_likelihoods(seen, q, GRID).sum(0, keepdims=True))
    return DirichletMultinomialFit(float(kappa[0]), "")


def prior_strength(
    seen: ArrayLike,
    q: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    draws: ArrayLike | None = None,
) -> FloatArray:
    """Return κ̂_j of each scenario, fitted without its cluster, (m,).

    :func:`dirichlet_multinomial_fit` of all scenarios of other clusters. NaN where those have no
    more than one answer each, which tells nothing of κ.

    Args:
        clusters: one label per scenario, (m,); None if each is its own.
        seen, q, draws: as there.

    Raises:
        ValueError: if there is one cluster only.

    Examples:
        >>> from fidelity.hybrids import prior_strength
        >>> people = [[8, 2], [3, 7], [5, 5], [9, 1], [2, 8]]
        >>> model = [[0.6, 0.4], [0.5, 0.5], [0.4, 0.6], [0.7, 0.3], [0.4, 0.6]]
        >>> prior_strength(people, model, ["a", "a", "b", "b", "b"]).round(1)
        array([14.3, 14.3, 11.6, 11.6, 11.6])
    """
    seen, q, clusters, draws = inputs.aligned(seen=seen, q=q, clusters=clusters, draws=draws)
    seen, q = _checked(seen, q, draws)
    m = len(seen)
    labels: AnyArray = np.arange(m) if clusters is None else inputs.labels("clusters", clusters, m)
    names, member = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        raise ValueError("clusters must be at least 2: kappa is fitted on the others")
    likelihood = np.zeros((len(names), len(GRID)))
    np.add.at(likelihood, member, log_likelihoods(seen, q, GRID))
    informative = np.bincount(member, np.nansum(seen, axis=1) > 1.0)
    impossible = np.isneginf(likelihood)
    likelihood[impossible] = 0.0
    others = np.where(impossible.sum(0) - impossible > 0, -np.inf, likelihood.sum(0) - likelihood)
    kappa = np.where(informative.sum() - informative > 0.0, _highest(others), np.nan)
    return kappa[member]


def hybrid(seen: ArrayLike, q: ArrayLike, kappa: ArrayLike) -> FloatArray:
    """Return p̃ = (x⁰ + κ q̂)/(n₀ + κ), the estimate from few people and a simulator, (m, d).

    Args:
        seen: answers per option of n₀ people, (m, d), NaN where there is no such option; n₀ may be
            0, and differ between scenarios.
        q: the simulator's probabilities, (m, d).
        kappa: κ, how many people the simulator counts as, at least 0, one or (m,). 0 is people
            alone.

    Raises:
        ValueError: if n₀ + κ is 0 in some scenario.

    Examples:
        >>> from fidelity.hybrids import hybrid
        >>> hybrid([[8, 2]], [[0.5, 0.5]], 10)
        array([[0.65, 0.35]])
    """
    seen, q, kappa = inputs.aligned(seen=seen, q=q, kappa=kappa)
    seen = inputs.table("seen", seen, inputs.COUNTS, ("scenarios", "options"))
    q = _stated(q, seen)
    kappa = inputs.each("kappa", kappa, inputs.FINITE_NOT_NEGATIVE, len(seen))
    n = np.nansum(seen, axis=1) + kappa
    if not n.all():
        raise ValueError(f"seen or kappa must be above 0 in each row; both are 0 in {n.argmin()}")
    return (seen + kappa[:, None] * q) / n[:, None]


def log_likelihoods(seen: FloatArray, q: FloatArray, kappa: FloatArray) -> FloatArray:
    """Return log DM(x_j; κ q_j) less the multinomial coefficient, (m, len(kappa)).

    At κ = 0 all people of a scenario answer alike: log q_i if they do, -∞ if they don't.
    """
    some, n = kappa[kappa > 0.0], np.nansum(seen, axis=1)
    likelihood = np.empty((len(seen), len(kappa)))
    rows, options = np.nonzero(seen > 0.0)
    alike = np.stack([seen[rows, options], q[rows, options]])
    (count, share), place = np.unique(alike, axis=1, return_inverse=True)
    alpha = share[:, None] * some
    rising = (sp.special.gammaln(count[:, None] + alpha) - sp.special.gammaln(alpha))[place]
    answered, first = np.unique(rows, return_index=True)
    sums, place = np.unique(n, return_inverse=True)
    likely = (sp.special.gammaln(some) - sp.special.gammaln(sums[:, None] + some))[place]
    likely[answered] += np.add.reduceat(rising, first, axis=0)
    likelihood[:, kappa > 0.0] = likely
    alike = np.nanmax(seen, axis=1) == n
    chosen = np.take_along_axis(q, np.nanargmax(seen, axis=1)[:, None], 1)[:, 0]
    at_zero = np.where(n == 0.0, 0.0, np.where(alike, np.log(chosen), -np.inf))
    likelihood[:, kappa == 0.0] = at_zero[:, None]
    return likelihood


def _highest(log_likelihood: FloatArray) -> FloatArray:
    """Return where each row on GRID is highest, (G,).

    Between grid points by the parabola in log κ; at either end as it stands.
    """
    best = log_likelihood.argmax(1)
    rows = np.arange(len(best))
    inside = np.clip(best, 2, len(GRID) - 2)
    left, middle, right = (log_likelihood[rows, inside + step] for step in (-1, 0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        curvature = left - 2.0 * middle + right
        step = 0.5 * (left - right) / curvature
    between = (best == inside) & (curvature < 0.0)
    return np.where(between, GRID[inside] * 10.0 ** (step / PER_DECADE), GRID[best])


def _checked(
    seen: ArrayLike, q: ArrayLike, draws: ArrayLike | None
) -> tuple[FloatArray, FloatArray]:
    """Return whole counts, and the simulator's probabilities as the likelihood takes them."""
    seen = inputs.table("seen", seen, inputs.COUNTS, ("scenarios", "options"))
    seen = inputs.whole_counts("seen", seen, "Weighted answers have no Dirichlet-multinomial law")
    q = _stated(q, seen)
    if draws is not None:
        return seen, smoothed(q, inputs.each("draws", draws, inputs.FINITE_POSITIVE, len(seen)))
    d = (~np.isnan(q)).sum(1, keepdims=True)
    return seen, (1.0 - UNIFORM) * q + UNIFORM / d


def _stated(q: ArrayLike, seen: FloatArray) -> FloatArray:
    """Return the simulator's probabilities, NaN where ``seen`` is."""
    stated = inputs.table("q", q, inputs.SHARE_OR_NOTHING, seen.shape)
    inputs.options_of("seen", seen, {"q": stated})
    return inputs.sums_to_one("q", np.minimum(stated, 1.0))
