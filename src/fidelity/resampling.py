"""Subsamples drawn from counts: the cost does not depend on how many people answered."""

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray

MOST_ANSWERS = 10**9
MOST_DRAWN = 2**62


def subsample(counts: ArrayLike, size: int, generator: np.random.Generator) -> IntArray:
    """Draw ``size`` responses without replacement from whole-number counts.

    Multivariate hypergeometric. If the counts are a sample from the population of interest, so is
    the subsample, and every set keeps its coverage. For the finite group of those who were asked,
    the Hoeffding and Chernoff bounds stay valid (Hoeffding 1963), but the coverage of
    Clopper-Pearson and witness can fall below γ when ``size`` is near the whole group.

    Args:
        counts: responses per option, (d,), whole numbers.
        size: at most counts.sum().
        generator: the sample's own random stream.

    Returns:
        Counts of the subsample, (d,).

    Raises:
        ValueError: if counts are negative, not whole or 10⁹ or more in all, or size exceeds them.

    Examples:
        >>> import numpy as np
        >>> from fidelity import subsample
        >>> subsample([320, 510, 170], 100, np.random.default_rng(0))  # 100 of 1,000 people
        array([29, 51, 20])
    """
    counts = inputs.vector("counts", counts, inputs.FINITE_NOT_NEGATIVE)
    counts = inputs.whole_counts("counts", counts, "Draw from weighted shares with resample")
    if counts.sum() >= MOST_ANSWERS:
        raise ValueError("counts must add up to less than 1e9; draw with resample")
    size = inputs.whole("size", size, 0, int(counts.sum()))
    inputs.generator("generator", generator)
    return generator.multivariate_hypergeometric(counts.astype(np.int64), size, method="marginals")


def resample(share: ArrayLike, size: int, generator: np.random.Generator) -> IntArray:
    """Draw ``size`` responses from shares with replacement, as a subsample of weighted people.

    Args:
        share: of each option, (d,), not negative; divided by their sum.
        size: how many, a whole number.
        generator: the sample's own random stream.

    Returns:
        Counts, (d,).

    Examples:
        >>> import numpy as np
        >>> from fidelity import resample
        >>> resample([0.32, 0.51, 0.17], 100, np.random.default_rng(0))
        array([33, 47, 20])
    """
    share = inputs.mixture("share", share)
    size = inputs.whole("size", size, 0, MOST_DRAWN)
    inputs.generator("generator", generator)
    return generator.multinomial(size, share)


def smoothed(share: FloatArray, k: FloatArray) -> FloatArray:
    """Return (c + ½)/(k + d/2), so that no option has probability 0 (Jeffreys' prior).

    Args:
        share: of k answers each, (N, d); NaN where a row has no such option.
        k: how many, (N,); where it is NaN the row is a stated probability and stays as it is.
    """
    k, d = np.asarray(k, float)[:, None], (~np.isnan(share)).sum(1, keepdims=True)
    mended = (share * k + 0.5) / (k + d / 2.0)
    return np.where(np.isnan(k), share, mended)
