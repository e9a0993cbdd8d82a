"""How far the shares of n answers are, on average, from those that the answers are drawn from.

Three expectations over p̂, the shares of n independent answers with the law p: of the distance of
two means, of a sum over the options, and of any function. The first two are exact. The third is
exact where n answers can fall out in at most 4,096 ways, and else the mean of 1,024 draws, which
depend on p and n alone.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
import scipy as sp

from fidelity.arrays import FloatArray
from fidelity.blocks import blocks
from fidelity.stream import stream

WAYS, DRAWS = 4096, 1024
STEPS, MOST_STEPS, PER_DEVIATION, ROUNDING = 256, 2**13, 32.0, 1e-9
NUMBERS_AT_ONCE = 2**21


def deviation_of_mean(values: FloatArray, p: FloatArray, n: FloatArray) -> FloatArray:
    """Return E|Σ p̂_i v_i - Σ p_i v_i|; v (d,), p (N, d), n (N,) whole -> (N,).

    Of two different values it is de Moivre's closed form. Of more it comes from the distribution of
    the sum of n values, a power of the transform of one. It is exact where the values lie on evenly
    spaced points, up to 257. Others are shared out between two neighbours of such points, which
    keeps the mean. Steps are at most 1/32 of the standard deviation of an answer, so that the
    result is too large by at most some 1e-4 of itself (by more only if that is below 1/256 of the
    range).
    """
    least, most = values.min(), values.max()
    is_high = values == most
    if (is_high | (values == least)).all():
        return float(most - least) * deviation_of_share(p[:, is_high].sum(1), n)
    places = (values - least) / (most - least)
    cells = _on_a_lattice(places, p @ places**2 - (p @ places) ** 2)
    step = (most - least) / (cells.shape[1] - 1)
    deviations = np.empty(len(p))
    for row, (one, size) in enumerate(
        zip(np.maximum(p @ cells, 0.0), n.astype(int).tolist(), strict=True)
    ):
        length = size * (len(one) - 1) + 1
        long = sp.fft.next_fast_len(length, real=True)
        total = sp.fft.irfft(sp.fft.rfft(one, long) ** size, long)[:length]
        apart = np.abs(np.arange(length) - size * (one @ np.arange(len(one))))
        deviations[row] = step * (total @ apart) / size
    return deviations


def ripple(
    values: FloatArray, means: FloatArray, variances: FloatArray, n: FloatArray
) -> FloatArray:
    """Return how far :func:`deviation_of_mean` may be lower, and higher, at a mean nearby, (2, N).

    For values on points h apart, E|Σ p̂_i v_i - μ| is √(2v/(πn)), less h²·B₂(θ)/(n·√(2πnv)), v the
    variance of an answer, θ the place of nμ between two points, and B₂(θ) = θ² - θ + 1/6 (Euler and
    Maclaurin). The second goes up and down as μ moves by h/n, between 1/6 and -1/12 of its factor.

    Args:
        values, n: as there.
        means, variances: of an answer, (N,).
    """
    span = float(np.ptp(values))
    steps = _steps((values - values.min()) / span) if span > 0.0 else None
    if steps is None:
        return np.zeros((2, len(n)))
    in_steps = np.maximum(n * variances, 0.0) * (steps / span) ** 2
    deviation = np.sqrt(2.0 * np.maximum(variances, 0.0) / (np.pi * n))
    factor = deviation * 0.5 / np.maximum(in_steps, 0.5)
    place = n * (means - values.min()) * steps / span % 1.0
    return factor * np.stack([place * (1.0 - place), (place - 0.5) ** 2])


def _on_a_lattice(places: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the shares of values in [0, 1], (d,), that fall on evenly spaced points, (d, S).

    ``variances`` are those of an answer in each row, (N,).
    """
    steps = _steps(places)
    if steps is None:
        least = np.sqrt(variances[variances > ROUNDING].min(initial=1.0))
        steps = int(np.clip(PER_DEVIATION / least, STEPS, MOST_STEPS))
    at = places * steps
    below = np.minimum(np.floor(at + ROUNDING), steps - 1).astype(int)
    rest = np.clip(at - below, 0.0, 1.0)[:, None]
    points = np.arange(steps + 1)
    cells: FloatArray = (points == below[:, None]) * (1.0 - rest)
    cells += (points == below[:, None] + 1) * rest
    return cells


def _steps(places: FloatArray) -> int | None:
    """Return the least number of even steps from 0 to 1 that reach all places; None above 256."""
    return next((steps for steps in range(1, STEPS + 1) if _is_whole(places * steps)), None)


def _is_whole(numbers: FloatArray) -> bool:
    return bool((np.abs(numbers - np.round(numbers)) < ROUNDING).all())


def deviation_of_share(p: FloatArray, n: FloatArray) -> FloatArray:
    """Return E|X/n - p| of X with the law Bin(n, p), by de Moivre's closed form; arrays broadcast.

    It is 2(1 - p)^(n-k) p^(k+1) (k + 1) C(n, k + 1)/n with k = ⌊np⌋ (Diaconis & Zabell 1991, Closed
    form summation for classical distributions, Statistical Science 6).
    """
    p = np.clip(p, 0.0, 1.0)
    k = np.minimum(np.floor(n * p), n - 1.0)
    ways = sp.special.gammaln(n) - sp.special.gammaln(k + 1.0) - sp.special.gammaln(n - k)
    return 2.0 * np.exp(ways + sp.special.xlog1py(n - k, -p) + sp.special.xlogy(k + 1.0, p))


def sum_over_options(
    term: Callable[[FloatArray, FloatArray], FloatArray],
    p: FloatArray,
    n: FloatArray,
    smoothed: bool = False,
) -> FloatArray:
    """Return Σ_i E ℓ(p_i, p̂_i), exactly; p (N, d), n (N,) whole -> (N,).

    Args:
        term: ℓ of a share and a sample's share, which broadcast.
        p: the law.
        n: how many answers.
        smoothed: whether a sample's share of c answers is (c + ½)/(n + d/2), and not c/n.
    """
    pairs, place = np.unique(p + 1j * n[:, None], return_inverse=True)
    sums = np.empty(len(pairs))
    for some in blocks(len(pairs), int(n.max(initial=1.0) + 1.0), NUMBERS_AT_ONCE):
        part = pairs[some, None]
        share, size = np.clip(part.real, 0.0, 1.0), part.imag
        c = np.arange(size.max() + 1.0)
        chance = _chance(c, share, size)
        values = term(share, _shares(np.minimum(c, size), size, p.shape[1], smoothed))
        sums[some] = _sum_of_possible(chance, values)
    return sums[place.reshape(p.shape)].sum(1)


def _chance(c: FloatArray, p: FloatArray, n: FloatArray) -> FloatArray:
    """Return P(Bin(n, p) = c), 0 above n; arrays broadcast."""
    rest = n - c
    ways = sp.special.gammaln(n + 1.0) - sp.special.gammaln(c + 1.0)
    ways = ways - sp.special.gammaln(np.maximum(rest, 0.0) + 1.0)
    chance = np.exp(ways + sp.special.xlogy(c, p) + sp.special.xlog1py(np.maximum(rest, 0.0), -p))
    return np.where(rest >= 0.0, chance, 0.0)


def mean_over_samples(
    function: Callable[[FloatArray, FloatArray], FloatArray],
    p: FloatArray,
    n: FloatArray,
    smoothed: bool = False,
) -> FloatArray:
    """Return E f(p, p̂), exactly or by draws; p (N, d), n (N,) whole -> (N,).

    Args:
        function: f of shares, (1, d) and (S, d), to (S,).
        p, n, smoothed: as :func:`sum_over_options`.
    """
    means = np.empty(len(p))
    for row, (law, size) in enumerate(zip(p, n.astype(int).tolist(), strict=True)):
        counts, chance = _samples(law, size)
        shares = _shares(counts, size, len(law), smoothed)
        means[row] = _sum_of_possible(chance, function(law[None], shares))
    return means


def _samples(law: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Return counts of n answers, (S, d), and how likely they are, (S,)."""
    d = len(law)
    if comb(n + d - 1, d - 1) <= WAYS:
        counts = _ways(n, d)
        ways = sp.special.gammaln(n + 1.0) - sp.special.gammaln(counts + 1.0).sum(1)
        return counts, np.exp(ways + sp.special.xlogy(counts, law).sum(1))
    generator = stream("samples", n, *law.tolist())
    return generator.multinomial(n, law / law.sum(), DRAWS).astype(float), np.full(DRAWS, 1 / DRAWS)


@lru_cache(maxsize=16)
def _ways(n: int, d: int) -> FloatArray:
    """Return all counts of n answers to d options, (C(n + d - 1, d - 1), d)."""
    bars = np.array(list(combinations(range(n + d - 1), d - 1)), float).reshape(-1, d - 1)
    ends = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, n + d - 1)))
    return np.diff(ends) - 1.0


def _shares(counts: FloatArray, n: FloatArray | int, d: int, smoothed: bool) -> FloatArray:
    return (counts + 0.5) / (n + d / 2.0) if smoothed else counts / n


def _sum_of_possible(chance: FloatArray, values: FloatArray) -> FloatArray:
    """Return sums of chance times value along the last axis; what cannot be adds nothing."""
    with np.errstate(invalid="ignore"):
        mean: FloatArray = np.where(chance > 0.0, chance * values, 0.0).sum(-1)
    return mean
