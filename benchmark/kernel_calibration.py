"""How long the bootstrap test of the SKCE takes, against the bare products it needs, and memory.

The bare product is that of the resamples' counts (1,000, n) with an n × n matrix. Run it as
``python benchmark/kernel_calibration.py``; add a number of cases (20000) to test the memory there.
"""

import resource
import sys
from time import perf_counter

import numpy as np

from fidelity.calibration.kernel import PredictionKernel, StatedProbabilities
from fidelity.calibration.kernel_error import asymptotic_test

RESAMPLES = 1000
OPTIONS = 5


def calibrated(n: int) -> StatedProbabilities:
    """Return n predictions that are calibrated."""
    generator = np.random.default_rng(0)
    probability = generator.dirichlet(np.ones(OPTIONS), n)
    below = probability.cumsum(1) < generator.random(n)[:, None]
    truth = np.minimum(below.sum(1), OPTIONS - 1)
    return StatedProbabilities(probability, truth, PredictionKernel())


def bootstrap_seconds(n: int) -> float:
    """Return how long one test takes."""
    predictions = calibrated(n)
    start = perf_counter()
    asymptotic_test(predictions, np.random.default_rng(1), RESAMPLES)
    return perf_counter() - start


def product_seconds(n: int) -> float:
    """Return how long the bare product takes."""
    generator = np.random.default_rng(2)
    counts = generator.poisson(1.0, (RESAMPLES, n)).astype(float)
    matrix = generator.random((n, n))
    start = perf_counter()
    counts @ matrix
    return perf_counter() - start


def main() -> None:
    """Print the times, or the time and peak memory at one number of cases."""
    if len(sys.argv) > 1:
        n = int(sys.argv[1])
        seconds = bootstrap_seconds(n)
        gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"n = {n}: {seconds:.1f} s, at most {gigabytes:.2f} GB")
        return
    n = 4000
    test = min(bootstrap_seconds(n) for _ in range(5))
    product = min(product_seconds(n) for _ in range(5))
    print(f"n = {n}: test {test:.2f} s, bare product {product:.2f} s, ratio {test / product:.2f}")


if __name__ == "__main__":
    main()
