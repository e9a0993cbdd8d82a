"""How fast the library is, against what it aims at: cells per second on one core, and the ratio.

A cell is one scenario × coverage × simulator. The bounds of a confidence set are computed once and
shared by all simulators, as the workflow does it. Run it with ``make benchmark``.
"""

import sys
from time import perf_counter

import numpy as np

from fidelity.curves.envelope import GAMMA_GRID
from fidelity.curves.quantile import area_under_curve
from fidelity.means import discrepancy_bounds
from fidelity.means.scales import scales
from fidelity.pseudo_discrepancies import extrema, pairwise_extrema
from fidelity.sets.bounds import confidence_bounds

GAMMA = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
SIMULATORS = 8
TASKS = [
    ("binary mean, Clopper-Pearson", "clopper_pearson", "absolute", 2, 3000, 1e6),
    ("binary mean, witness", "witness", "absolute", 2, 3000, 1e6),
    ("mean of 5 scores, Hoeffding", "hoeffding", "squared", 5, 3000, 1e6),
    ("mean of 5 scores, witness", "witness", "squared", 5, 3000, 1e6),
    ("tv, 5 options, KL ball", "multinomial_kl", "tv", 5, 1000, 1e5),
    ("tv, 5 options, witness", "witness", "tv", 5, 1000, 1e5),
    ("w1, 5 scores, KL ball", "multinomial_kl", "w1", 5, 400, 5e4),
    ("w1, 5 scores, witness", "witness", "w1", 5, 400, 5e4),
    ("kl, 5 options, KL ball", "multinomial_kl", "kl", 5, 200, 1e4),
    ("hellinger, 5 options, KL ball", "multinomial_kl", "hellinger", 5, 200, 5e2),
]


def population(m: int, d: int, seed: int = 0):
    """Return counts (m, d) and simulators' shares (SIMULATORS, m, d)."""
    generator = np.random.default_rng(seed)
    n = np.exp(generator.uniform(np.log(20), np.log(2000), m)).astype(int)
    p = generator.dirichlet(np.full(d, 2.0), m)
    counts = generator.multinomial(n, p).astype(float)
    simulated = generator.multinomial(100, p, size=(SIMULATORS, m)) + 0.5
    return counts, simulated / simulated.sum(-1, keepdims=True)


def seconds(confidence_set: str, discrepancy: str, counts, simulators) -> float:
    """Return how long bounds and extrema of all cells take."""
    start = perf_counter()
    scores = np.linspace(-1, 1, counts.shape[1])
    gamma = np.tile(GAMMA, len(counts))
    repeated = np.repeat(counts, len(GAMMA), axis=0)
    bounds = confidence_bounds(
        repeated,
        confidence_set=confidence_set,
        discrepancy=discrepancy,
        gamma=gamma,
        scores=scores,
    )
    for q in simulators:
        q = np.repeat(q, len(GAMMA), axis=0)
        extrema(bounds, q, discrepancy=discrepancy, scores=scores)
    return perf_counter() - start


def study_seconds() -> float:
    """Return the time of 385 scenarios × 8 simulators × 5 γ × 3 discrepancies × 20 replicates."""
    total = 0.0
    for replicate in range(20):
        counts, simulators = population(385, 5, replicate)
        for discrepancy in ("squared", "tv", "w1"):
            total += seconds("witness", discrepancy, counts, simulators)
    return total


def pair_rates() -> list[tuple[str, float]]:
    """Return pairs of simulators per second, over the KL balls of an envelope's coverages."""
    counts, simulators = (
        np.tile(each, (1,) * (each.ndim - 2) + (len(GAMMA_GRID), 1)) for each in population(400, 5)
    )
    scores = np.linspace(-1, 1, 5)
    rates = []
    for discrepancy in ("squared", "tv", "w1", "kl", "hellinger"):
        start = perf_counter()
        bounds = confidence_bounds(
            counts,
            confidence_set="multinomial_kl",
            discrepancy=discrepancy,
            gamma=np.repeat(GAMMA_GRID, 400),
            scores=scores,
        )
        pairwise_extrema(bounds, *simulators[:2], discrepancy=discrepancy, scores=scores)
        rates.append((discrepancy, len(counts) / (perf_counter() - start)))
    return rates


def mean_rates() -> list[tuple[str, float]]:
    """Return scenarios × simulators per second: both bounds of the mean, and with their errors."""
    counts, simulators = population(20_000, 5)
    q = simulators[0]
    given = {"discrepancy": "tv", "scores": None, "sizes": None, "options": None, "draws": None}

    def bounds() -> None:
        for scale in scales(counts, q, **given)[1]:
            scale.sharpest(scale.counts), scale.upper(scale.counts)

    def with_errors() -> None:
        discrepancy_bounds(counts, q, discrepancy="tv")

    rates = []
    for name, work in (("bounds", bounds), ("bounds and errors", with_errors)):
        work()
        start = perf_counter()
        work()
        rates.append((name, len(counts) / (perf_counter() - start)))
    return rates


def main() -> None:
    """Print the table."""
    area_under_curve(np.ones(3), 0.5)
    print(f"{'task':32} {'cells/s':>12} {'goal':>10} {'ratio':>7}")
    for name, confidence_set, discrepancy, d, m, goal in TASKS:
        counts, simulators = population(m, d)
        seconds(confidence_set, discrepancy, counts[:20], simulators[:, :20])
        cells = m * len(GAMMA) * SIMULATORS
        rate = cells / min(seconds(confidence_set, discrepancy, counts, simulators) for _ in "12")
        print(f"{name:32} {rate:12,.0f} {goal:10,.0f} {rate / goal:7.2f}", flush=True)
    for discrepancy, rate in pair_rates():
        print(f"{'pairs, ' + discrepancy + ', 5 options, KL ball':32} {rate:12,.0f}", flush=True)
    for what, rate in mean_rates():
        print(f"{'means, tv, 5 options, ' + what:32} {rate:12,.0f}", flush=True)
    cells = 385 * 8 * 5 * 3 * 20
    taken = study_seconds()
    print(
        f"385 scenarios x 8 simulators x 5 coverages x 3 discrepancies x 20 replicates: "
        f"{cells:,} cells in {taken:.1f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
