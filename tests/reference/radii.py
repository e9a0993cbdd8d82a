"""How large a KL ball must be at least to hold p with probability γ: all samples, at many p.

``python tests/reference/radii.py`` writes radii.json in about a minute. The smallest x for which
P(n·KL(p̂ ‖ p) ≤ x) ≥ γ is a quantile under p, summed over every sample of n answers to d questions'
options; the largest over p is searched among shares of two kinds (j options with a, the others
alike) and random ones. No valid radius may lie below.
"""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.special import gammaln, xlogy

FILE = Path(__file__).with_suffix(".json")
GAMMAS = [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
SIZES = {2: [10, 60, 400], 3: [10, 40, 120], 4: [10, 30], 5: [10, 20], 6: [10, 14]}
SHARES = np.concatenate([np.geomspace(1e-3, 0.05, 15), np.linspace(0.06, 0.94, 45)])
RANDOM = 100


def samples(n: int, d: int) -> np.ndarray:
    """Return every sample of n answers over d options, by bars among n + d - 1 places."""
    bars = np.array(list(combinations(range(n + d - 1), d - 1)), dtype=np.int64)
    edges = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), n + d - 1)])
    return (np.diff(edges, axis=1) - 1).astype(float)


def probabilities(d: int) -> Iterator[np.ndarray]:
    for j in range(1, d // 2 + 1):
        for a in SHARES / j:
            yield np.array([a] * j + [(1 - j * a) / (d - j)] * (d - j))
    yield from np.random.default_rng(d).dirichlet(np.ones(d), RANDOM)


def quantiles(counts: np.ndarray, p: np.ndarray, gammas: list[float]) -> np.ndarray:
    """Return the γ-quantiles of n·KL(p̂ ‖ p); ties, up to rounding, go together."""
    n = counts[0].sum()
    log_chance = gammaln(n + 1) - gammaln(counts + 1).sum(1) + xlogy(counts, p).sum(1)
    divergence = xlogy(counts, counts / (n * p)).sum(1).round(9)
    values, position = np.unique(divergence, return_inverse=True)
    below = np.cumsum(np.bincount(position, np.exp(log_chance)))
    return values[np.searchsorted(below, np.array(gammas) - 1e-12)]


def needed(d: int, sizes: list[int], gammas: list[float] = GAMMAS) -> np.ndarray:
    """Return the largest quantile at each γ over the samples' sizes and all p that are tried."""
    return np.max(
        [
            quantiles(counts, p, gammas)
            for counts in (samples(n, d) for n in sizes)
            for p in probabilities(d)
        ],
        axis=0,
    )


if __name__ == "__main__":
    x = {d: needed(d, SIZES.get(d, [10])).round(6).tolist() for d in range(2, 11)}
    rows = ",\n".join(f'"{d}": {row}' for d, row in x.items())
    FILE.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
