"""Subsamples drawn from counts: the cost does not depend on how many people answered."""

import numpy as np


def subsample(counts: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Draw ``size`` responses without replacement from whole-number counts.

    Multivariate hypergeometric. If the counts are a sample of the people meant, so is the
    subsample, and every set keeps its coverage. For the finite set of those who were asked, the
    Hoeffding and Chernoff bounds stay valid (Hoeffding 1963), but Clopper-Pearson and witness can
    fall below γ when ``size`` is near all of them.

    Args:
        counts: responses per option, (d,), whole numbers.
        size: at most counts.sum().
        generator: the sample's own random stream.

    Returns:
        Counts of the subsample, (d,).
    """
    if (np.asarray(counts) % 1 != 0).any():
        raise ValueError("counts must be whole numbers; draw from weighted shares with resample")
    return generator.multivariate_hypergeometric(
        np.asarray(counts, np.int64), size, method="marginals"
    )


def resample(share: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Draw ``size`` responses from shares: how subsamples of a weighted set are drawn; (d,)."""
    share = np.asarray(share, float)
    return generator.multinomial(size, share / share.sum())


def smoothed(share: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return (c + ½)/(k + d/2), so that no option has probability 0 (Jeffreys' prior).

    Args:
        share: of k answers each, (N, d).
        k: how many, (N,); where it is NaN the row is a stated probability and stays as it is.
    """
    k = np.asarray(k, float)[:, None]
    mended = (share * k + 0.5) / (k + share.shape[1] / 2.0)
    return np.where(np.isnan(k), share, mended)
