"""Intervals of what a simulator draws from are as short as the rule on draws allows."""

import numpy as np

from fidelity import mean_discrepancy
from fidelity.responses import Simulator

Z = 1.959963984540054


def test_no_end_is_farther_than_its_bound_and_the_spread_of_that_bound_in_new_studies():
    """The rule: the truth is between the expectations of two bounds. Spreads are simulated."""
    rng, m, k, n = np.random.default_rng(0), 30, 25, 200
    p = rng.dirichlet([4, 3, 2], m)
    q = (p + rng.dirichlet([2, 2, 2], m)) / 2
    found = [
        mean_discrepancy(
            rng.multinomial(n, p), Simulator(rng.multinomial(k, q) / k, draws=k), discrepancy="tv"
        )
        for _ in range(25)
    ]
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("lower", "upper"))
    ends = np.mean([[each.ci_lower, each.ci_upper] for each in found], axis=0)
    assert ends[0] > low.mean() - 1.3 * Z * low.std(ddof=1)
    assert ends[1] < high.mean() + 1.3 * Z * high.std(ddof=1)
