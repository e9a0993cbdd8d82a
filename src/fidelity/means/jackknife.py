"""The variance of a statistic of a scenario's answers, by leaving out one answer at a time."""

from collections.abc import Callable

import numpy as np

from fidelity.arrays import FloatArray


def jackknife_variance(
    statistic: Callable[[FloatArray], FloatArray], counts: FloatArray
) -> FloatArray:
    """Return Σ_r (T⁽ʳ⁾ - mean)², T⁽ʳ⁾ the statistic without answer r, of each row; (N, d) -> (N,).

    Its expectation is at least the variance of the statistic of n - 1 answers, whatever the
    statistic, if answers are independent with one distribution (Efron & Stein 1981, The jackknife
    estimate of variance, Annals of Statistics 9).

    Args:
        statistic: of counts, (N, d) -> (N,).
        counts: answers per option. Of effective numbers, where an option has less than one, all of
            that is left out.

    Returns:
        NaN where the statistic is, and where there are fewer than two answers.
    """
    n = counts.sum(1)
    values = np.empty(counts.shape)
    for option in range(counts.shape[1]):
        fewer = counts.copy()
        fewer[:, option] = np.maximum(fewer[:, option] - 1.0, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            values[:, option] = statistic(fewer)
    values = np.where(counts > 0.0, values, 0.0)
    with np.errstate(invalid="ignore"):
        deviations = values - ((counts * values).sum(1) / n)[:, None]
        variance = np.where(counts > 0.0, counts * deviations**2, 0.0).sum(1)
    return np.where(n > 1.0, variance, np.nan)
