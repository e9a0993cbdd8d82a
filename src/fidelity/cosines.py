"""Cosine of two vectors that are known with error, also where they have few terms.

The delta method's interval misses too often where terms are few, almost always because the cosine
is lower than all of it. Here the interval is the inversion of a test, as Neyman's (1937): for each
cosine r, errors are drawn around two vectors of that cosine, and r is kept where the estimates'
plain cosine, noise included, is neither among the lowest nor among the highest of those drawn. The
vectors have the lengths of the estimates without noise and lie in the estimates' plane, the second
one in its place. What is not known otherwise, the lengths, is plugged in, so coverage is
approximate (a parametric bootstrap).
"""

import numpy as np
import scipy as sp

from fidelity.arrays import FloatArray
from fidelity.squared_lengths import squared_length
from fidelity.stream import stream
from fidelity.structure.estimates import Interval

DRAWS, GRID, REACH = 2000, 121, 8.0


def cosine(
    one: FloatArray,
    two: FloatArray,
    covariance: FloatArray,
    level: float = 0.95,
    *,
    df: float = np.inf,
    noise: FloatArray | None = None,
) -> Interval:
    """Return the cosine without noise, and an interval of all that are not refused; approximate.

    Of centred vectors it is the correlation. The same arguments give the same result.

    Args:
        one, two: estimates, (E,) each.
        covariance: of the errors of both, one's first, (2E, 2E).
        level: of the interval.
        df: degrees of freedom of the covariance; errors are larger by Student's quantile over the
            normal's.
        noise: what chance adds on average to the product, to the square of one and to that of two,
            (3,), if it isn't the covariance's traces.

    Returns:
        An estimate within [-1, 1] and within its interval. Where a vector's length is not clear of
        0 the cosine can't be told: NaN and [-1, 1].

    Examples:
        >>> import numpy as np
        >>> from fidelity.cosines import cosine
        >>> one, two = np.array([3.0, 0.0, 1.0]), np.array([2.0, 1.0, 1.0])
        >>> [round(end, 2) for end in cosine(one, two, 0.01 * np.eye(6))]
        [0.91, 0.86, 0.94]
    """
    many, tail = len(one), (1.0 - level) / 2.0
    larger = float(sp.special.stdtrit(df, tail) / sp.special.ndtri(tail)) ** 2
    blocks = covariance[:many, many:], covariance[:many, :many], covariance[many:, many:]
    traces = np.array([np.trace(block) for block in blocks])
    noise = traces if noise is None else noise
    products = np.array([one @ two, one @ one, two @ two]) - noise
    for vector, place in ((one, 1), (two, 2)):
        size = squared_length(vector, blocks[place], level, df=df, noise=float(noise[place]))
        if not (size.lower > 0.0 or (size.estimate > 0.0 and traces[place] <= 0.0)):
            return Interval(np.nan, -1.0, 1.0)
    plain = products + traces * larger
    observed = plain[0] / np.sqrt(plain[1] * plain[2])
    estimate = float(np.clip(products[0] / np.sqrt(products[1] * products[2]), -1.0, 1.0))
    widest = [np.linalg.norm(block * larger, 2) for block in blocks[1:]]
    reach = REACH * np.sqrt(widest[0] / products[1] + widest[1] / products[2])
    angles = np.clip(np.arccos(estimate) + reach * np.linspace(1.0, -1.0, GRID), 0.0, np.pi)
    grid = np.cos(angles)
    cosines = _drawn(one, two, covariance * larger, np.sqrt(products[1:]), angles)
    low = min(observed, float(np.median(cosines[-1])))
    high = max(observed, float(np.median(cosines[0])))
    above = np.maximum.accumulate((cosines >= low).mean(1))
    below = np.minimum.accumulate((cosines <= high).mean(1))
    lower = float(np.interp(tail, above, grid, left=-1.0)) if above[0] < tail else -1.0
    upper = float(np.interp(tail, below[::-1], grid[::-1])) if below[-1] < tail else 1.0
    return Interval(estimate, min(lower, estimate), max(upper, estimate))


def _drawn(
    one: FloatArray,
    two: FloatArray,
    covariance: FloatArray,
    lengths: FloatArray,
    angles: FloatArray,
) -> FloatArray:
    """Return plain cosines of vectors at angles (G,) with drawn errors, (G, DRAWS)."""
    many = len(one)
    along = two / np.linalg.norm(two)
    across = one - (one @ along) * along
    across /= max(float(np.linalg.norm(across)), np.finfo(float).tiny)
    values, axes = np.linalg.eigh(covariance)
    normal = stream("cosine", many).normal(size=(DRAWS, 2 * many))
    errors = (normal * np.sqrt(np.maximum(values, 0.0))) @ axes.T
    first, second = errors[:, :many], errors[:, many:]
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    a, b = lengths
    with_first = c * (first @ along) + s * (first @ across)
    with_second = c * (second @ along) + s * (second @ across)
    product = a * b * c + b * (first @ along) + a * with_second + (first * second).sum(1)
    square = a * a + 2.0 * a * with_first + (first**2).sum(1)
    other = b * b + 2.0 * b * (second @ along) + (second**2).sum(1)
    return product / np.sqrt(square * other)
