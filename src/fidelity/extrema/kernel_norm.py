"""Bounds on ‖p - q‖_K = sqrt((p-q)'K(p-q)), the maximum mean discrepancy, from people's answers.

It is the largest ⟨f, p - q⟩ over f = Kg with g'Kg ≤ 1, the unit ball of the kernel's space (Gretton
et al. 2012, A kernel two-sample test, JMLR 13). Throughout, share is p̂ and q a simulator, (N, d);
radius is log(1/δ)/n, (N,); and the kernel K is positive semidefinite, (d, d).
"""

import numpy as np

from fidelity.arrays import Ends, FloatArray, IntArray
from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.blocks import blocks

TOUCHED = (1.0 - np.cos(np.pi * (np.arange(48) + 0.5) / 48)) / 2.0
CELLS_AT_ONCE = 10**6
CERTAIN = 1.0 - 1e-12


def norm(w: FloatArray, kernel: FloatArray) -> FloatArray:
    """Return ‖w‖_K along the last axis; (..., d) -> (...)."""
    return np.sqrt(np.maximum(((w @ kernel) * w).sum(-1), 0.0))


def witness_maximum(
    share: FloatArray, radius: FloatArray, q: FloatArray, kernel: FloatArray
) -> Ends:
    """Enclose the largest B(f) - ⟨f, q⟩ over the unit ball, B(f) Chernoff's bound on ⟨f, p⟩.

    If f is largest at option i and smallest at j, B(f) = f_j + (f_i - f_j)·U(y), y the mean of p̂
    rescaled to [0, 1], U(y) the largest u with KL(y ‖ u) ≤ radius. U is concave, so it is below its
    tangents a·y + b, and B(f) - ⟨f, q⟩ ≤ ⟨f, v⟩ ≤ ‖v‖_K with v = a·p̂ + b·e_i - (a + b - 1)·e_j - q.
    The upper end is the largest over (i, j) of the smallest ‖v‖_K over tangents. The lower end is
    the value of f = Kv/‖v‖_K.

    Returns:
        Lower and upper ends, (N,) each.
    """
    ends = np.empty((2, len(q)))
    for rows in blocks(len(q), kernel.size, CELLS_AT_ONCE):
        given = share[rows], radius[rows], q[rows], kernel
        v, ends[1, rows] = _farthest_of_nearest(*given)
        ends[0, rows] = _attained(v, *given)
    return ends[0], ends[1]


def _farthest_of_nearest(
    share: FloatArray, radius: FloatArray, q: FloatArray, kernel: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return v, (N, d), and ‖v‖_K of the two options that matter and the tangent best for them."""
    people, simulator, diagonal = share @ kernel, q @ kernel, kernel.diagonal()
    fixed = [(w * mean).sum(1) for w, mean in ((share, people), (q, people), (q, simulator))]
    pp, pq, qq = (product[:, None, None] for product in fixed)
    tangents = _tangents(radius)
    nearest = np.full((len(q), *kernel.shape), np.inf)
    best: IntArray = np.zeros(nearest.shape, int)
    for t, (slope, intercept) in enumerate(tangents):
        a, b = slope[:, None, None], intercept[:, None, None]
        c = 1.0 - a - b
        of_top = b * (b * diagonal + 2.0 * (a * people[:, None] - simulator[:, None]))
        of_bottom = c * (c * diagonal + 2.0 * (a * people[:, None] - simulator[:, None]))
        square = a * a * pp - 2.0 * a * pq + qq + 2.0 * b * c * kernel
        square += of_top.swapaxes(1, 2) + of_bottom
        best[square < nearest] = t
        nearest = np.minimum(nearest, square)
    nearest[:, np.eye(len(diagonal), dtype=bool)] = -np.inf
    top, bottom = np.divmod(nearest.reshape(len(q), -1).argmax(1), len(diagonal))
    rows = np.arange(len(q))
    a, b = tangents[best[rows, top, bottom], :, rows].T[..., None]
    corner = np.eye(len(diagonal))
    v = a * share + b * corner[top] + (1.0 - a - b) * corner[bottom] - q
    return v, norm(v, kernel)


def _tangents(radius: FloatArray) -> FloatArray:
    """Return slopes and intercepts of lines above U, (T, 2, N); the last one is 1 everywhere."""
    y = TOUCHED[:, None]
    u = bernoulli_kl_upper(y, radius)
    below = np.minimum(u, CERTAIN)
    slope = np.log(below * (1.0 - y) / (y * (1.0 - below))) * below * (1.0 - below) / (below - y)
    slope = np.where(u < CERTAIN, slope, 0.0)
    intercept = np.where(u < CERTAIN, u - slope * y, 1.0)
    certain = np.stack([np.zeros_like(radius), np.ones_like(radius)])
    return np.concatenate([np.stack([slope, intercept], 1), certain[None]])


def _attained(
    v: FloatArray, share: FloatArray, radius: FloatArray, q: FloatArray, kernel: FloatArray
) -> FloatArray:
    """Return B(f) - ⟨f, q⟩ of f = Kv/‖v‖_K."""
    f = v @ kernel
    gap: FloatArray = chernoff_upper(f, share, radius) - (f * q).sum(1)
    length = norm(v, kernel)
    return np.divide(gap, length, out=np.zeros_like(gap), where=length > 0.0)


def chernoff_upper(f: FloatArray, share: FloatArray, radius: FloatArray) -> FloatArray:
    """Return Chernoff's upper bound on ⟨f, p⟩ of each row; f (N, d)."""
    low, span = f.min(1), np.ptp(f, axis=1)
    mean = np.divide((f * share).sum(1) - low, span, out=np.zeros_like(low), where=span > 0.0)
    return low + span * bernoulli_kl_upper(mean, radius)


def bounded_difference_minimum(
    share: FloatArray, n: FloatArray, radius: FloatArray, q: FloatArray, kernel: FloatArray
) -> FloatArray:
    """Return a lower bound on ‖p - q‖_K that holds with probability 1 - δ, (N,).

    One of n answers moves ‖p̂ - q‖_K by at most R/n, with R the largest ‖e_i - e_j‖_K. So it is at
    most R·sqrt(radius/2) above its expectation (McDiarmid 1989). The expectation is at most
    sqrt(‖p - q‖² + V/n) (Jensen), with V the variance of one answer in the kernel's space. V is at
    most the largest ‖e_i - c‖²_K for any c; here c is the uniform distribution. So the bound is
    sqrt(max(0, e² - V/n)) with e = max(0, ‖p̂ - q‖_K - R·sqrt(radius/2)).
    """
    d = len(kernel)
    diagonal = kernel.diagonal()
    reach = np.sqrt(np.maximum(diagonal[:, None] + diagonal - 2.0 * kernel, 0.0).max())
    spread = norm(np.eye(d) - 1.0 / d, kernel).max() ** 2
    expected = np.maximum(norm(share - q, kernel) - reach * np.sqrt(radius / 2.0), 0.0)
    return np.sqrt(np.maximum(expected**2 - spread / n, 0.0))


def difference_maximum(
    share: FloatArray, radius: FloatArray, q1: FloatArray, q2: FloatArray, kernel: FloatArray
) -> Ends:
    """Enclose the largest ‖p - q1‖_K - ‖p - q2‖_K, up to probability δ.

    The difference of the squares is linear in p: one functional, known beforehand, has Chernoff's
    bound. Divided by the sum of both norms it is the wanted difference. Where it is positive, it is
    divided by the smallest possible sum, ‖q1 - q2‖_K; where it is negative, by the largest, which
    is reached at a corner.

    Returns:
        The value at p̂ and the bound, (N,) each.
    """
    apart, between = norm(q1 - q2, kernel), (q1 - q2) @ kernel
    squares = chernoff_upper(-2.0 * between, share, radius) + (between * (q1 + q2)).sum(1)
    corners = np.eye(len(kernel))
    most = (norm(corners - q1[:, None], kernel) + norm(corners - q2[:, None], kernel)).max(1)
    divisor = np.where(squares > 0.0, apart, most)
    bound = np.divide(
        np.minimum(squares, apart**2), divisor, out=np.zeros_like(apart), where=apart > 0.0
    )
    plugin = norm(share - q1, kernel) - norm(share - q2, kernel)
    return np.minimum(plugin, bound), bound
