"""Kernels of discrepancies by SciPy; tests of kernels take a new one from here."""

import numpy as np
from scipy.spatial.distance import cdist

SCORES = np.array([-1.0, 0.0, 2.0])  # distances 1, 2 and 3: the bandwidth is 2
KERNELS = {
    "mmd_delta": lambda one, two, bandwidth: (cdist(one, two) == 0.0).astype(float),
    "mmd_gaussian": lambda one, two, bandwidth: np.exp(
        -cdist(one, two, "sqeuclidean") / (2 * bandwidth**2)
    ),
    "mmd_laplace": lambda one, two, bandwidth: np.exp(-cdist(one, two, "cityblock") / bandwidth),
}


def kernel_of(name, first, second=None, bandwidth=2.0):
    """Return the kernel of every two scores."""
    assert name in KERNELS, f"write the kernel of {name} into tests/library/kernels.py"
    first = np.asarray(first, float)[:, None]
    second = first if second is None else np.asarray(second, float)[:, None]
    return KERNELS[name](first, second, bandwidth)


def points_of(name, scores=SCORES):
    """Return points whose inner products are the kernel, (d, its rank)."""
    values, vectors = np.linalg.eigh(kernel_of(name, scores))
    there = values > 1e-12 * values[-1]
    return vectors[:, there] * np.sqrt(values[there])


def largest_distance(kernel):
    """Return the largest distance of two options."""
    own = np.diag(kernel)
    return np.sqrt((own[:, None] + own - 2 * kernel).max())
