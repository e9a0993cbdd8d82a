"""Global maxima of Σ_k w_k (|y_k - a_k| - |y_k - b_k|) over a convex set, by branch and bound.

Comparing two simulators by total variation or Wasserstein-1 leads to this problem.
"""

from collections.abc import Callable

import numpy as np

from fidelity.arrays import Ends, FloatArray, IntArray
from fidelity.extrema.solved import require_numbers

ABSOLUTE_GAP = 1e-15
PRUNING = 1e-12

Relaxation = Callable[[IntArray, FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


def difference_maximum(
    relaxation: Relaxation,
    *,
    low: FloatArray,
    high: FloatArray,
    first: FloatArray,
    second: FloatArray,
    weights: FloatArray,
) -> Ends:
    """Enclose max Σ_k w_k (|y_k - a_k| - |y_k - b_k|) over a convex set of y per sample, globally.

    Each term is flat, then a ramp between a_k and b_k, then flat. It is the larger of two concave
    functions, a plateau and the rest, which meet at a_k. Either can be the larger only where a_k
    lies strictly inside the interval of y_k. Branch and bound: a term without a choice yet is
    replaced by its concave envelope over the interval, which again has one kink. A node whose bound
    is not good enough is split at the term that its envelope exceeds most.

    Args:
        relaxation: for samples (M,) and concave φ_k with φ_k(kink_k) = 0 and slopes ``before``
            and ``after`` the kink (M, K), returns an upper bound on max Σ_k φ_k(y_k), (M,), and a
            y of the set where it is nearly reached, (M, K).
        low, high: ends of the interval of each y_k, (N, K).
        first, second: a and b, (N, K).
        weights: w, not negative, (K,).

    Returns:
        A value that is attained, and an upper bound on the maximum, (N,) each.
    """
    kink = np.clip(second, low, high)
    height = np.abs(first - second)
    at_kink = np.abs(kink - first) - np.abs(kink - second)
    rises = first < second
    undecided = (low < first) & (first < high) & (height > 0.0)
    flat = np.where(rises, first >= high, first <= low) | (height == 0.0)
    run = np.where(rises, kink - low, high - kink)
    chord = np.clip((at_kink + height) / np.where(undecided, run, 1.0), 0.0, 2.0)

    differ = (height > 0.0).any(1)
    value = np.where(differ, -np.inf, 0.0)
    bound = value.copy()
    sample = np.flatnonzero(differ)
    undecided, flat = undecided[sample], flat[sample]
    while len(sample) > 0:
        slope = np.where(undecided, chord[sample], np.where(flat, 0.0, 2.0))
        before = np.where(rises[sample], slope, 0.0)
        after = before - slope
        offset = np.where(flat, -height[sample], at_kink[sample])
        limit, y = relaxation(sample, kink[sample], weights * before, weights * after)
        limit = limit + offset @ weights
        require_numbers("the largest difference of two distances", limit, y)
        reached = np.abs(y - first[sample]) - np.abs(y - second[sample])
        np.maximum.at(value, sample, reached @ weights)

        beyond = y - kink[sample]
        excess = offset + np.where(beyond < 0.0, before, after) * beyond - reached
        split = np.where(undecided, weights * excess, -np.inf)
        margin = PRUNING * np.abs(value[sample]) + ABSOLUTE_GAP * weights.sum()
        going = undecided.any(1) & (limit > value[sample] + margin)
        np.maximum.at(bound, sample[~going], limit[~going])
        sample, undecided, flat, split = (
            np.repeat(array[going], 2, axis=0) for array in (sample, undecided, flat, split)
        )
        node = np.arange(len(sample))
        term = split.argmax(1)
        undecided[node, term] = False
        flat[node, term] = node % 2 == 1
    return value, np.maximum(value, bound)
