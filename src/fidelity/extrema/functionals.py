"""The linear functionals whose maximum is total variation, or the Wasserstein-1 distance."""

from functools import cache
from itertools import product

import numpy as np

from fidelity.arrays import FloatArray

MOST_OPTIONS = 12
# of discrepancies: what is enumerated for each
ENUMERATED = ("option_subsets", "score_slopes")


@cache
def option_subsets(d: int) -> FloatArray:
    """Return the indicators of the proper non-empty subsets of d options, (2^d - 2, d).

    Row i is the subset whose bits are those of i + 1, option 0 the lowest.
    """
    if d > MOST_OPTIONS:
        raise ValueError(f"tv enumerates option subsets, so d must be at most {MOST_OPTIONS}: {d}")
    masks = np.arange(1, 2**d - 1)
    return ((masks[:, None] >> np.arange(d)) & 1).astype(float)


def sign_patterns(scores: FloatArray) -> FloatArray:
    """Return the functionals f with W1(p, q) = max_f ⟨f, p - q⟩, (2^(d-1), d).

    Each rises or falls with slope 1 between neighbouring scores (Kantorovich and Rubinstein); its
    smallest value is 0. The array is kept for the next call and cannot be written to.

    Raises:
        ValueError: if there are more than ``MOST_OPTIONS`` options.
    """
    return _sign_patterns(tuple(map(float, scores)))


@cache
def _sign_patterns(scores: tuple[float, ...]) -> FloatArray:
    d = len(scores)
    if d > MOST_OPTIONS:
        raise ValueError(f"w1 enumerates sign patterns, so d must be at most {MOST_OPTIONS}: {d}")
    order = np.argsort(scores)
    slopes = np.array(list(product((-1.0, 1.0), repeat=d - 1)))
    climb = np.cumsum(slopes * np.diff(np.array(scores)[order]), axis=1)
    functionals = np.zeros((len(slopes), d))
    functionals[:, order[1:]] = climb
    functionals -= functionals.min(1, keepdims=True)
    functionals.setflags(write=False)
    return functionals
