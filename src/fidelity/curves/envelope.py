"""The quantile curve without choosing γ: the envelope of the curves of a grid of coverages.

For every γ of a fixed grid Γ, P(Δ > t) ≤ P(Δ̂^γ > t)/γ. The smallest of the right-hand sides is
therefore an upper bound, too. Read as a curve it is V̂*(τ) = min over γ of V̂_γ(τ), asymptotically
valid at every τ. Taking the smallest is allowed, because the whole grid was fixed beforehand.

At a finite number m of independent scenarios the bounds must be nested: Δ̂^γ must not fall as γ
rises. Let K_γ be the number of scenarios with Δ̂^γ > t. Then

    P(Δ > t) ≤ min over γ of ū(K_γ; m, η')/γ,

where ū(k; m, η') is the Clopper-Pearson upper bound of a binomial share. With π = P(Δ > t), a
scenario has Δ̂^γ > t with probability at least πγ. Let one uniform number of each scenario decide
for all γ at once, as nested bounds allow. Then at least A_i scenarios are beyond t at γ_i, where
A_i counts the numbers below πγ_i. Fewer beyond make the bound smaller, so A_i is the worst case.
With γ_1 < ... < γ_G the A_i are a Markov chain:

    A_1 ~ Bin(m, πγ_1),   A_{i+1} - A_i ~ Bin(m - A_i, π(γ_{i+1} - γ_i)/(1 - πγ_i)).

The bound misses π exactly where BinCDF(A_i; m, πγ_i) < η' for some i. η' is the largest level at
which the probability of a miss is at most η for every π. This probability jumps up just above the
points π = ū(a; m, η')/γ_i, where one more value of A_i becomes a miss, and falls between them.
So it is computed just above each of these points only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray, IntArray, Levels
from fidelity.blocks import blocks
from fidelity.comparison.few_clusters import grouped
from fidelity.curves.guarantee import certified_curve, exact_miss, simultaneous_curve
from fidelity.curves.quantile import closer_share, lower_quantile_curve, quantile_curve
from fidelity.levels import rational

GAMMA_GRID = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
AT_ONCE = 2**20
FIRST_JUMPS, WORST_JUMPS = 16, 64
SAFE = 0.999


class EnvelopeCurves(NamedTuple):
    """The curves of an envelope at T levels τ, (T,) each.

    Attributes:
        lower, upper: :func:`lower_envelope_curve` and :func:`envelope_curve`, asymptotic.
        certified_upper: :func:`exact_envelope_curve`, which holds at each τ.
        simultaneous_upper: :func:`simultaneous_envelope_curve`, which holds at all τ at once; NaN
            where scenarios are not independent.

    Examples:
        >>> import numpy as np
        >>> from fidelity.curves import EnvelopeBounds
        >>> upper = np.linspace(0.02, 0.3, 200)[:, None] + np.array([0.05, 0.1, 0.2])
        >>> bounds = EnvelopeBounds(0.5 * upper, upper, 0.05, gamma=(0.5, 0.8, 0.99))
        >>> bounds.curves([0.5, 0.8]).simultaneous_upper.round(3)
        array([0.308, 0.34 ])
    """

    lower: FloatArray
    upper: FloatArray
    certified_upper: FloatArray
    simultaneous_upper: FloatArray


@dataclass(frozen=True)
class EnvelopeBounds:
    """Bounds on how far a simulator is from people in m scenarios, and what follows from them.

    Attributes:
        lower, upper: lower and upper pseudo-discrepancies at each γ of the grid, (m, G).
        eta: error allowed for each statement that holds at this m, in (0, 1).
        clusters: one label per scenario, (m,), or None. Where they group scenarios, statements are
            about these clusters.
        shared: the largest number of scenarios that people in common connect; 1 if each scenario
            has people of its own.
        gamma: the grid in increasing order, fixed before the data were seen, (G,).

    Examples:
        >>> import numpy as np
        >>> from fidelity.curves import EnvelopeBounds
        >>> upper = np.linspace(0.02, 0.3, 200)[:, None] + np.array([0.05, 0.1, 0.2])
        >>> bounds = EnvelopeBounds(0.5 * upper, upper, 0.05, gamma=(0.5, 0.8, 0.99))
        >>> bounds.curves([0.5, 0.8]).certified_upper.round(3)
        array([0.298, 0.335])
        >>> round(bounds.share_within(0.3), 2)
        0.51
    """

    lower: FloatArray
    upper: FloatArray
    eta: float
    clusters: AnyArray | None = None
    shared: int = 1
    gamma: Sequence[float] = GAMMA_GRID

    @property
    def alike(self) -> bool:
        """Whether scenarios are drawn independently from one population."""
        return self.clusters is None or grouped(self.clusters) is None

    @property
    def dependence(self) -> dict[str, Any]:
        """``shared`` and ``alike`` as arguments of this module's functions."""
        return {"shared": self.shared, "alike": self.alike}

    @property
    def n_clusters(self) -> int:
        """How many clusters there are; as many as scenarios where these group nothing."""
        return len(self.upper if self.clusters is None else np.unique(self.clusters))

    def curves(self, tau: Levels) -> EnvelopeCurves:
        """Return all curves at levels in [0, 1], (T,)."""
        certified = self.certified_curve(tau)
        simultaneous = np.full(certified.shape, np.nan)
        if self.shared == 1 and self.alike:
            simultaneous = simultaneous_envelope_curve(self.upper, tau, self.eta, self.gamma)
        return EnvelopeCurves(
            lower_envelope_curve(self.lower, tau, self.gamma),
            envelope_curve(self.upper, tau, self.gamma),
            certified,
            simultaneous,
        )

    def certified_curve(self, tau: Levels) -> FloatArray:
        """Return :func:`exact_envelope_curve` of the bounds, (T,)."""
        return exact_envelope_curve(self.upper, tau, self.eta, self.gamma, **self.dependence)

    def share_within(self, threshold: float) -> float:
        """Return :func:`certified_envelope_share` of the bounds."""
        how = {"threshold": threshold, **self.dependence}
        return certified_envelope_share(self.upper, self.eta, self.gamma, **how)


def envelope_curve(
    upper: ArrayLike, tau: Levels, gamma: Sequence[float] = GAMMA_GRID
) -> FloatArray:
    """Return how far a simulator is at most on each share of scenarios, by the best coverage.

    V̂*(τ) = min over γ of V̂_γ(τ), asymptotically an upper bound at every τ.

    Args:
        upper: upper pseudo-discrepancies at each γ of the grid, (m, G).
        tau: levels in [0, 1].
        gamma: the grid, fixed before the data were seen, (G,).

    Examples:
        >>> import numpy as np
        >>> from fidelity import envelope_curve
        >>> upper = np.array([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.3, 0.5]])
        >>> envelope_curve(upper, [0.25, 0.5], gamma=(0.5, 0.9))
        array([0.2, 0.2])
    """
    grid = _grid("upper", upper, gamma)
    return np.min([quantile_curve(*at, tau) for at in grid], axis=0)


def lower_envelope_curve(
    lower: ArrayLike, tau: Levels, gamma: Sequence[float] = GAMMA_GRID
) -> FloatArray:
    """Return how far a simulator is at least on each share of scenarios, by the best coverage.

    The maximum over γ of the calibrated lower curves, the envelope from below.

    Args:
        lower: lower pseudo-discrepancies at each γ of the grid, (m, G).
        tau: levels in [0, 1].
        gamma: the grid, fixed before the data were seen, (G,).

    Examples:
        >>> import numpy as np
        >>> from fidelity import lower_envelope_curve
        >>> lower = np.array([[0.1, 0.05], [0.2, 0.1], [0.0, 0.0], [0.3, 0.2]])
        >>> lower_envelope_curve(lower, [0.5, 0.75], gamma=(0.5, 0.9))
        array([0.05, 0.1 ])
    """
    grid = _grid("lower", lower, gamma)
    return np.max([lower_quantile_curve(*at, tau) for at in grid], axis=0)


def envelope_closer_share(pairwise_upper: ArrayLike, gamma: Sequence[float] = GAMMA_GRID) -> float:
    """Return the share of scenarios on which simulator 1 is at least as close: the largest over γ.

    Args:
        pairwise_upper: upper pairwise discrepancies at each γ of the grid, (m, G).
        gamma: the grid, (G,).

    Examples:
        >>> import numpy as np
        >>> from fidelity import envelope_closer_share
        >>> upper = np.array([[-0.3, -0.1], [-0.2, 0.1], [-0.1, 0.2], [0.3, 0.6]])
        >>> envelope_closer_share(upper, gamma=(0.5, 0.9))
        0.5
    """
    grid = _grid("pairwise_upper", pairwise_upper, gamma, inputs.REAL)
    return max(closer_share(*at) for at in grid)


def exact_envelope_curve(
    upper: ArrayLike,
    tau: Levels,
    eta: float,
    gamma: Sequence[float] = GAMMA_GRID,
    *,
    shared: int = 1,
    alike: bool = True,
) -> FloatArray:
    """Return how far a simulator is at most on each share of scenarios, by the best coverage.

    The envelope that holds at this m: at each τ, P(Δ ≤ V) ≥ τ with probability 1-η.

    The statement holds whichever γ of the grid was best, and for one τ at a time. Bounds that fall
    as γ rises are raised to the largest bound of a smaller γ, which makes them nested.

    Proof: with t* = sup{t : P(Δ > t) > 1-τ} the curve lies below t* exactly if the module's bound
    is at most 1-τ at some t < t*. These events grow with t, and each has a probability of at most
    η.

    Args:
        upper: upper pseudo-discrepancies at each γ of the grid, (m, G).
        tau: levels in [0, 1].
        gamma: the grid in increasing order, fixed before the data were seen, (G,).
        eta: error allowed, in (0, 1).
        shared: the largest number of scenarios that people in common connect; 1 if each scenario
            has people of its own.
        alike: whether scenarios are drawn independently from one population. False for scenarios of
            given clusters; the statements are then about these clusters.

    Returns:
        +inf where m is too small for τ.

    Examples:
        >>> import numpy as np
        >>> from fidelity import exact_envelope_curve
        >>> width = np.array([0.05, 0.1, 0.2])  # of the bounds of three coverages
        >>> upper = np.linspace(0.02, 0.3, 200)[:, None] + width
        >>> exact_envelope_curve(upper, [0.5, 0.8], 0.05, gamma=(0.5, 0.8, 0.99)).round(3)
        array([0.298, 0.335])
    """
    grid = _grid("upper", upper, gamma, nested=True)
    level = certified_level(len(grid[0][0]), eta, gamma, shared=shared, alike=alike)
    curves = [certified_curve(*at, tau, level, shared) for at in grid]
    return np.min(curves, axis=0)


def simultaneous_envelope_curve(
    upper: ArrayLike, tau: Levels, eta: float, gamma: Sequence[float] = GAMMA_GRID
) -> FloatArray:
    """Return how far a simulator is at most on all shares of scenarios, by the best coverage.

    The envelope that holds at all τ at once with probability 1-η, at this m.

    Each γ has its Berk-Jones curve at error η/G (Bonferroni). Scenarios must be independent.

    Args:
        upper: upper pseudo-discrepancies at each γ of the grid, (m, G).
        tau: levels in [0, 1].
        eta: probability that the statement fails, in (0, 1).
        gamma: the grid in increasing order, fixed before the data were seen, (G,).

    Examples:
        >>> import numpy as np
        >>> from fidelity import simultaneous_envelope_curve
        >>> upper = np.linspace(0.02, 0.3, 200)[:, None] + np.array([0.05, 0.1, 0.2])
        >>> simultaneous_envelope_curve(upper, [0.5, 0.8], 0.05, gamma=(0.5, 0.8, 0.99)).round(3)
        array([0.308, 0.34 ])
    """
    grid = _grid("upper", upper, gamma)
    level = inputs.number("eta", eta, inputs.INSIDE) / len(grid)
    return np.min([simultaneous_curve(*at, tau, level) for at in grid], axis=0)


def certified_envelope_share(
    upper: ArrayLike,
    eta: float,
    gamma: Sequence[float] = GAMMA_GRID,
    *,
    threshold: float = 0.0,
    shared: int = 1,
    alike: bool = True,
) -> float:
    """Return a lower bound on the share of scenarios whose discrepancy is at most a threshold.

    The bound is the largest over γ of 1 - ū/γ. ū bounds P(Δ̂^γ > threshold) as
    :func:`fidelity.curves.guarantee.exact_miss` does, at the :func:`certified_level`. The result
    exceeds the true share with probability at most η, whichever γ was best. From pairwise
    discrepancies it is the share on which simulator 1 is at least as close; from upper
    pseudo-discrepancies it is the share within a tolerance.

    Args:
        upper: upper bounds at each γ of the grid, (m, G).
        eta: failure probability, in (0, 1).
        gamma: the grid in increasing order, (G,).
        threshold: fixed in advance.
        shared: the largest number of scenarios that people in common connect; 1 if each scenario
            has people of its own.
        alike: whether scenarios are drawn independently from one population. False for scenarios of
            given clusters; the statements are then about these clusters.

    Examples:
        >>> import numpy as np
        >>> from fidelity import certified_envelope_share
        >>> upper = np.linspace(-0.3, 0.1, 100)[:, None] + np.array([0.0, 0.02, 0.1])
        >>> print(round(certified_envelope_share(upper, 0.05, gamma=(0.5, 0.9, 0.99)), 3))
        0.55
    """
    grid = _grid("upper", upper, gamma, inputs.REAL, nested=True)
    m, threshold = len(grid[0][0]), inputs.number("threshold", threshold, inputs.FINITE)
    level = certified_level(m, eta, gamma, shared=shared, alike=alike)
    limits = [
        1.0 - exact_miss(m, coverage, level, shared)[(bounds <= threshold).sum() - 1]
        for bounds, coverage in grid
        if (bounds <= threshold).any()
    ]
    return float(max(limits, default=0.0))


def certified_level(
    m: int,
    eta: float,
    gamma: Sequence[float] = GAMMA_GRID,
    *,
    shared: int = 1,
    alike: bool = True,
) -> float:
    """Return the level of each γ's bound at which all bounds of the grid hold together.

    They hold with probability 1-η. For independent scenarios of one population the level is η' of
    :func:`envelope_level`. Otherwise it is η/G (Bonferroni), since the Markov chain behind η' does
    not hold for scenarios that depend on each other or are not drawn alike.

    Args:
        m, eta, gamma: as :func:`envelope_level`.
        shared: as :func:`fidelity.curves.guarantee.exact_miss`.
        alike: whether scenarios are drawn independently from one population. False for scenarios
            of given clusters; the statements are then about these clusters.

    Examples:
        >>> from fidelity.curves import certified_level
        >>> levels = certified_level(50, 0.05), certified_level(50, 0.05, shared=2)
        >>> print(*(round(level, 4) for level in levels))
        0.0088 0.0045
    """
    if alike and inputs.whole("shared", shared, 1) == 1:
        return envelope_level(m, eta, gamma)
    return inputs.number("eta", eta, inputs.INSIDE) / len(_gammas(gamma))


def envelope_level(m: int, eta: float, gamma: Sequence[float] = GAMMA_GRID) -> float:
    """Return η', the level of each binomial bound with which the envelope misses at most η.

    It lies between η/G (Bonferroni) and η. It is rounded down a little, to the safe side.

    Args:
        m: scenarios.
        eta: error allowed for the envelope, in (0, 1).
        gamma: the grid in increasing order, (G,).

    Examples:
        >>> from fidelity.curves import envelope_level
        >>> print(round(envelope_level(50, 0.05), 4))
        0.0088
    """
    m = inputs.whole("m", m, 1)
    eta = inputs.number("eta", eta, inputs.INSIDE)
    return _level(m, eta, tuple(_gammas(gamma)))


@lru_cache(maxsize=256)
def _level(m: int, eta: float, gammas: tuple[float, ...]) -> float:
    if len(gammas) == 1:
        return eta

    jumps = np.arange(0, m * len(gammas), max(1, m // FIRST_JUMPS))
    low, high = np.log(eta / len(gammas)), np.log(eta)
    while True:

        def excess(log_level: float, jumps: IntArray = jumps) -> float:
            return float(envelope_miss(m, np.exp(log_level), gammas, jumps).max()) - eta

        if excess(high) > 0.0:
            high = sp.optimize.brentq(excess, low, high, xtol=1e-4)
        everywhere = envelope_miss(m, np.exp(high), gammas)
        if everywhere.max() <= eta:
            return float(np.exp(high))
        jumps = np.argsort(-everywhere)[:WORST_JUMPS]
        high += np.log(SAFE)


def envelope_miss(
    m: int, level: float, gamma: Sequence[float] = GAMMA_GRID, jumps: IntArray | None = None
) -> FloatArray:
    """Return the largest probability that the envelope at level η' misses, at each jump.

    Args:
        m: scenarios.
        level: η' of each binomial bound.
        gamma: the grid in increasing order, (G,).
        jumps: which of the G·m points π where the probability jumps up; None for all.

    Returns:
        One probability for each such π, those of the first γ first; 0 where π would be above 1.
    """
    gammas = np.array(gamma)
    jumps = np.arange(m * len(gammas)) if jumps is None else jumps
    which, beyond = np.divmod(jumps, m)
    missed = np.arange(m)
    pi = sp.special.betaincinv(missed + 1.0, m - missed, 1.0 - level)[beyond] / gammas[which]
    probability, possible = np.zeros(len(jumps)), np.flatnonzero(pi <= 1.0)
    pi, which, beyond = pi[possible], which[possible], beyond[possible]
    fewest = _quantile(level, m, pi[:, None] * gammas)
    fewest[np.arange(len(pi)), which] = beyond + 1
    for part in blocks(len(pi), 4 * m, AT_ONCE):
        never = _never_fewer(m, pi[part, None] * gammas, fewest[part])
        probability[possible[part]] = 1.0 - never
    return probability


def _quantile(level: float, m: int, share: FloatArray) -> FloatArray:
    """Return the smallest k with P(Bin(m, share) ≤ k) ≥ ``level``."""
    k: FloatArray = np.ceil(sp.special.bdtrik(level, m, share))
    k = np.where(sp.special.bdtr(k - 1.0, m, share) >= level, k - 1.0, k)
    return np.where(sp.special.bdtr(k, m, share) >= level, k, k + 1.0)


def _never_fewer(m: int, share: FloatArray, fewest: FloatArray) -> FloatArray:
    """Return the probability that, for each share, enough of m uniform numbers are below it.

    Args:
        share: increasing along the rows, (N, G).
        fewest: how many are enough, (N, G).

    Returns:
        (N,), computed by a Poisson process, given that its total is m.
    """
    state = np.arange(m + 1)
    step = m * np.diff(share, axis=1, prepend=0.0)
    most = step.max()
    length = sp.fft.next_fast_len(int(m + most + 10 * np.sqrt(most) + 50), real=True)
    frequency = np.exp(-2j * np.pi * np.arange(length // 2 + 1) / length) - 1.0
    chance = np.zeros((len(share), m + 1))
    chance[:, 0] = 1.0
    for rise, at_least in zip(step.T, fewest.T, strict=True):
        transformed = sp.fft.rfft(chance, length, axis=1) * np.exp(rise[:, None] * frequency)
        chance = sp.fft.irfft(transformed, length, axis=1)[:, : m + 1]
        chance[state < at_least[:, None]] = 0.0
    rest = _poisson(m - state, m * (1.0 - share[:, -1:]))
    return (chance * rest).sum(1) / _poisson(m, m)


def _poisson(k: IntArray | int, mean: FloatArray | float) -> FloatArray:
    """Return the probability of k for a Poisson variable."""
    return np.exp(sp.special.xlogy(k, mean) - mean - sp.special.gammaln(k + 1.0))


def _gammas(gamma: Sequence[float]) -> list[float]:
    if gamma is GAMMA_GRID:
        return list(GAMMA_GRID)
    gammas = [float(rational(level)) for level in inputs.levels("gamma", gamma, inputs.INSIDE)]
    if sorted(set(gammas)) != gammas:
        raise ValueError("gamma must be levels in increasing order, each once")
    return gammas


def _grid(
    name: str,
    values: ArrayLike,
    gamma: Sequence[float],
    domain: inputs.Domain = inputs.NOT_NEGATIVE,
    *,
    nested: bool = False,
) -> list[tuple[FloatArray, float]]:
    """Return each γ of the grid with its bounds, (m,); nested if they may not fall as γ rises."""
    gammas = _gammas(gamma)
    bounds = inputs.table(name, values, domain, ("scenarios", len(gammas)))
    bounds = np.maximum.accumulate(bounds, axis=1) if nested else bounds
    return list(zip(bounds.T, gammas, strict=True))
