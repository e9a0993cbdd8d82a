"""Radii of the KL balls that hold the probabilities behind n multinomial draws over d options.

Every function returns r = x/n, in nats, with P(KL(p̂ ‖ p) > r) ≤ δ = 1 - γ for every p. So the ball
{u in the simplex : KL(p̂ ‖ u) ≤ r} holds p with probability at least the coverage γ. This is proven
for whole n. Survey weights give effective sizes, fractional n, which are taken as they are: no
formula rounds n, and each x moves with n from its value at one whole number to its value at the
next. Coverage is then approximate.
"""

from math import lgamma

import numpy as np

from fidelity.arrays import FloatArray, Floats
from fidelity.blocks import blocks

NEWTON_STEPS = 8
NEGLIGIBLE_DROP = 38.0
NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)
ROWS_AT_ONCE = 1000

CERTIFIED_SIZES = 10, 400
CERTIFIED_COVERAGES = np.array([0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
CERTIFIED = np.array(
    [
        [0.52, 0.82, 1.22, 1.44, 1.86, 2.58, 3.30],
        [1.28, 1.78, 2.04, 2.40, 2.88, 3.74, 4.62],
        [1.94, 2.50, 2.84, 3.28, 3.84, 4.78, 5.70],
        [2.56, 3.22, 3.60, 4.06, 4.66, 5.68, 6.76],
        [3.18, 3.88, 4.30, 4.80, 5.46, 6.58, 7.78],
        [3.76, 4.54, 5.00, 5.52, 6.24, 7.46, 8.78],
        [4.36, 5.20, 5.68, 6.26, 7.02, 8.32, 9.78],
        [4.96, 5.84, 6.36, 6.98, 7.80, 9.18, 10.80],
        [5.54, 6.48, 7.04, 7.68, 8.56, 10.02, 11.82],
    ]
)


def smallest_radius(n: Floats, d: int, gamma: Floats) -> FloatArray:
    """Return the smallest of the proven radii that apply; each of them has coverage γ by itself.

    Which one is the smallest depends on n, d and γ alone, never on the answers. So choosing it
    costs no coverage. Mostly it is the certified radius where the table has one, else the
    polynomial one. At d = 2 and large n it is the paper's, log(2/δ)/n.

    Args:
        n: draws, positive; broadcasts with ``gamma``.
        d: number of options, at least 2.
        gamma: coverage in (0, 1).

    Returns:
        r in nats, in the shape of ``n`` and ``gamma`` together.
    """
    known = (paper_radius, polynomial_radius, types_radius, certified_radius)
    return np.minimum.reduce([radius(n, d, gamma) for radius in known])


def paper_radius(n: Floats, d: int, gamma: Floats) -> FloatArray:
    """Return (d-1)/n·log(2(d-1)/δ), the radius of [QC].

    Valid for every n and d: by the chain rule n·KL(p̂ ‖ p) is a sum of d - 1 binomial terms. Each
    is above log(2(d-1)/δ) with probability at most δ/(d-1) (two Chernoff bounds).

    Args: as :func:`smallest_radius`.
    """
    log_pairs: float = np.log(2.0 * (d - 1))
    return np.asarray((d - 1) / n) * (log_pairs + _loss(gamma))


def types_radius(n: Floats, d: int, gamma: Floats) -> FloatArray:
    """Return (log C(n+d-1, d-1) + log(1/δ))/n, the method of types.

    A sample with n·KL(p̂ ‖ p) > x has probability below e^-x, and there are C(n+d-1, d-1) samples.
    Small where n is small against d.

    Args: as :func:`smallest_radius`.
    """
    log_types = sum(np.log1p(n / i) for i in range(1, d))
    return (log_types + _loss(gamma)) / n


def certified_radius(n: Floats, d: int, gamma: Floats) -> FloatArray:
    """Return x/n with x tabulated for 10 ≤ n ≤ 400 and d ≤ 10; +inf where the table ends.

    Each x holds for all these n, at every p. It was certified by a dynamic program against an
    adversary. For other n it may fail, and does at n = 3. A γ between two columns takes the next
    larger column. Above .95 there is no column, and r is +inf.

    Args: as :func:`smallest_radius`.
    """
    n, gamma = np.broadcast_arrays(n, gamma)
    if d - 2 >= len(CERTIFIED):
        return np.full(n.shape, np.inf)
    x = np.append(CERTIFIED[d - 2], np.inf)[np.searchsorted(CERTIFIED_COVERAGES, gamma)]
    fewest, most = CERTIFIED_SIZES
    return np.where((fewest <= n) & (n <= most), x / n, np.inf)


def polynomial_radius(n: Floats, d: int, gamma: Floats) -> FloatArray:
    """Return x/n with x = min over 0 < t ≤ 1 of (log M(t) + log(1/δ))/t.

    M(t) = Σ_k C(k+d-2, d-2)·[n]_k/n^k·t^k, with the falling factorial [n]_k, is at least
    E exp(t·n·KL(p̂ ‖ p)) for every p. Proof: in Σ n!/Πc_i!·Π (c_i/n)^(t·c_i)·p_i^((1-t)·c_i)
    replace the weighted geometric means by arithmetic ones, and sum by Abel's identity. With
    s = t/n and w = z·e^(sw), Lagrange's inversion gives Σ_c (y + sc)^c·z^c/c! = e^(yw)/(1 - sw).
    The product over the options, y = (1-t)p_i, is e^((1-t)w)/(1 - sw)^d, whose n-th coefficient in
    z is that in w of e^w/(1 - sw)^(d-1). Times n! it is M(t), whatever p. Markov's inequality then
    gives x.

    x never exceeds Agrawal's, since (1-t)^-(d-1) is the limit of M for large n. Nor does it exceed
    that of the method of types (for n ≥ 1), since M(1) is the sum of all samples' largest
    probabilities.

    The sum is not truncated: it is E(1 + tS/n)^n for S ~ Gamma(d-1), a smooth integral. This
    integral also defines M at fractional n. The relative error of x is about 1e-12 for γ from 1e-3
    to 1 - 1e-9, d ≤ 200 and n ≤ 10⁶. Equal pairs of n and γ are computed once.

    Args: as :func:`smallest_radius`.
    """
    n, gamma = np.broadcast_arrays(n, gamma)
    pairs, position = np.unique(n + 1j * gamma, return_inverse=True)
    x = np.empty(len(pairs))
    for rows in blocks(len(pairs), 1, ROWS_AT_ONCE):
        x[rows] = _polynomial_bound(pairs[rows].real, d, _loss(pairs[rows].imag))
    return x[position].reshape(n.shape) / n


def _loss(gamma: Floats) -> FloatArray:
    """Return log(1/δ), to full precision for γ near 0."""
    return -np.log1p(-gamma)


def _overshoot_bound(c: Floats) -> FloatArray:
    """Return a simple upper bound on :func:`_overshoot`, from v - log(1 + v) ≥ v²/(2 + 2v)."""
    return c + np.sqrt(c * (c + 2.0))


def _overshoot(c: FloatArray) -> FloatArray:
    """Return v > 0 with v - log(1 + v) = c, which is -1 - W₋₁(-e^(-1-c)).

    The left side is convex and increasing, so Newton's method from the right of the root converges
    monotonically; no precision is lost near the branch point c = 0.
    """
    v = _overshoot_bound(c)
    for _ in range(NEWTON_STEPS):
        v = v - (v - np.log1p(v) - c) * (1.0 + v) / v
    return v


def _polynomial_bound(n: FloatArray, d: int, loss: FloatArray) -> FloatArray:
    """Return x of :func:`polynomial_radius` for each row.

    Every t gives a valid x, so the smallest one met is kept. t²·(d/dt)(log M + loss)/t =
    t·(log M)' - log M - loss has the derivative t·(log M)'', which is positive up to some t and
    negative beyond: the minimum is at t = 1 or where Newton's method arrives from the left, from
    the best t for the limit of M.
    """
    v = _overshoot(loss / (d - 1))
    x = np.minimum((d - 1) * (1.0 + v), _log_moment(n, d, np.ones(len(n)))[0] + loss)
    t = v / (1.0 + v)
    for _ in range(NEWTON_STEPS):
        log_moment, slope, curvature = _log_moment(n, d, t)
        x = np.minimum(x, (log_moment + loss) / t)
        with np.errstate(divide="ignore", over="ignore"):
            step = (t * slope - log_moment - loss) / (t * curvature)
        t = np.where(curvature > 0.0, np.clip(t - step, t / 2.0, 1.0), 1.0)
    return x


def _log_moment(n: FloatArray, d: int, t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log M(t) and its first two derivatives for each row, M(t) = E(1 + tS/n)^n.

    With s = mode·(1 + v), where mode maximises s^(d-1)·e^-s·(1 + ts/n)^n, the integrand over v is
    e^-drop/(1 + v) with drop = (d-1)·ω(v) + n·ω(share·v), ω(v) = v - log(1 + v). Gauss-Legendre
    quadrature covers all v with a drop below e^-38, by simple bounds on ω.
    """
    n, t = n[:, None], t[:, None]
    rate = t / n
    slack = 1.0 - t - (d - 1) * rate
    mode = 2.0 * (d - 1) / (slack + np.sqrt(slack**2 + 4.0 * (d - 1) * rate))
    share = mode * rate / (1.0 + mode * rate)
    by_degree, by_size = NEGLIGIBLE_DROP / (d - 1), NEGLIGIBLE_DROP / n
    right = np.minimum(_overshoot_bound(by_degree), _overshoot_bound(by_size) / share)
    left = np.minimum(np.sqrt(2.0 * by_degree), np.sqrt(2.0 * by_size) / share)
    left = np.minimum(left, 1.0)
    v = ((right - left) + (right + left) * NODES) / 2.0
    shared = share * v
    drop = (d - 1) * (v - np.log1p(v)) + n * (shared - np.log1p(shared))
    weight = WEIGHTS * np.exp(-drop) / (1.0 + v)
    total = weight.sum(1)
    s = mode * (1.0 + v)
    growth = s / (1.0 + rate * s)
    slope = (weight * growth).sum(1) / total
    square = (weight * growth**2).sum(1) / total
    at_mode = ((d - 1) * np.log(mode) - mode + n * np.log1p(mode * rate))[:, 0]
    log_moment = at_mode - lgamma(d - 1) + np.log((right + left)[:, 0] / 2.0 * total)
    return log_moment, slope, square * (1.0 - 1.0 / n[:, 0]) - slope**2
