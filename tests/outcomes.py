"""All outcomes of a sample, of which tests sum a probability or an expectation."""

from itertools import product

import numpy as np


def outcomes_of(n: int, d: int = 3) -> np.ndarray:
    """Return all samples of n answers to d options, (outcomes, d)."""
    return np.array([c for c in product(range(n + 1), repeat=d) if sum(c) == n], float)
