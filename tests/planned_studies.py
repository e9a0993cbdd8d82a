"""Studies as a plan has them, simulated: what its errors are checked on."""

import numpy as np

from fidelity.curves.quantile import tail_mean
from fidelity.planning.pilot import Pilot


def simulated_estimates(
    pilot: Pilot, m: int, n: int, k: float, generator: np.random.Generator, studies: int
) -> np.ndarray:
    """Return the calibrated AUC or CVaR of simulated studies, (studies,).

    Each draws m of the pilot's scenarios with replacement, n people and k draws in each, and takes
    the real confidence set: none of the plan's approximations is used.
    """
    found = []
    for _ in range(studies):
        rows = generator.integers(len(pilot.p), size=m)
        counts = generator.multinomial(n, pilot.p[rows])
        stated = pilot.q[rows]
        drawn = stated if k == np.inf else generator.multinomial(int(k), stated) / k
        found.append(tail_mean(pilot.upper(counts, drawn), pilot.coverage, pilot.tail))
    return np.array(found)
