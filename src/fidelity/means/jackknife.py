"""The variance of a statistic of a scenario's answers, by leaving out one answer at a time."""

from collections.abc import Callable

import numpy as np

from fidelity.arrays import FloatArray, IntArray
from fidelity.blocks import blocks

Statistic = Callable[[FloatArray, IntArray], FloatArray]
"""Of counts, (n, d), and the rows that they are of, (n,)."""


def jackknife_variance(statistic: Statistic, counts: FloatArray) -> FloatArray:
    """Return Σ_r (T⁽ʳ⁾ - mean)², T⁽ʳ⁾ the statistic without answer r, of each row; (N, d) -> (N,).

    Its expectation is at least the variance of the statistic of n - 1 answers, whatever the
    statistic, if answers are independent with one distribution (Efron & Stein 1981, The jackknife
    estimate of variance, Annals of Statistics 9).

    Args:
        statistic: maps counts, (R, d), and the numbers of their scenarios, (R,), to (R,).
        counts: answers per option. With effective numbers, an option with less than one answer is
            left out completely.

    Returns:
        NaN where the statistic is, and where there are fewer than two answers.
    """
    n, deviations = counts.sum(1), jackknife_deviations(statistic, counts)
    variance = (counts * deviations**2).sum(1)
    return np.where(n > 1.0, variance, np.nan)


def jackknife_deviations(statistic: Statistic, counts: FloatArray) -> FloatArray:
    """Return T⁽ʳ⁾ less its mean over answers r, for an answer to each option; (N, d) -> (N, d).

    Args:
        statistic, counts: as :func:`jackknife_variance`.

    Returns:
        0 where nobody chose the option; NaN where the statistic is NaN.
    """
    n, values = counts.sum(1), _without_one(statistic, counts)
    with np.errstate(invalid="ignore"):
        deviations = values - ((counts * values).sum(1) / n)[:, None]
    return np.where(counts > 0.0, deviations, 0.0)


def without_bias(statistic: Statistic, counts: FloatArray) -> FloatArray:
    """Return nT - (n - 1)·(mean of T⁽ʳ⁾ over answers r), (N,); NaN with fewer than two answers.

    It has no bias of order 1/n where T is smooth in the shares (Quenouille 1956, Notes on bias in
    estimation, Biometrika 43), and none at all where T is a variance.

    Args:
        statistic, counts: as :func:`jackknife_variance`.
    """
    n, values = counts.sum(1), _without_one(statistic, counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        here = statistic(counts, np.arange(len(counts)))
        unbiased = here + (n - 1.0) * (here - (counts * values).sum(1) / n)
    return np.where(n > 1.0, unbiased, np.nan)


def _without_one(statistic: Statistic, counts: FloatArray) -> FloatArray:
    """Return T⁽ʳ⁾ for an answer r to each option, (N, d); 0 where nobody chose it."""
    values = np.zeros(counts.shape)
    chosen = np.stack(np.nonzero(counts))
    for some in blocks(chosen.shape[1], counts.shape[1]):
        rows, options = chosen[:, some]
        fewer, row = counts[rows], np.arange(len(rows))
        fewer[row, options] = np.maximum(fewer[row, options] - 1.0, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            values[rows, options] = statistic(fewer, rows)
    return values
