"""What is promised of means, envelopes and lists without γ, by simulation of whole studies."""

import numpy as np
import pytest
from parameters import quick
from synthetic.populations import opinionqa_like

from fidelity import (
    certified_scenarios,
    discrepancy_bounds,
    scenario_p_values,
)
from fidelity.pseudo_discrepancies import between
from fidelity_audit.tightness import COLUMNS, POPULATIONS, ratios


def mean_ratios(name, n, studies):
    found = [ratios(name, n, np.random.default_rng(seed)) for seed in range(studies)]
    return dict(zip(COLUMNS, np.mean(found, axis=0), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "lower", "upper"), [(None, 0.85, 1.18), (200, 0.91, 1.10), (1000, 0.975, 1.025)]
)
def test_the_mean_lies_between_near_bounds(n, lower, upper):
    """A good simulator of questions like OpinionQA's, total variation."""
    sums = np.zeros(3)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        population = opinionqa_like(rng)
        q = population.answers(rng)["good"]
        counts = rng.multinomial(population.n if n is None else n, population.p).astype(float)
        bounds = discrepancy_bounds(counts, q, discrepancy="tv")
        truth = between(population.p, q, discrepancy="tv")
        sums += [bounds.lower.mean(), truth.mean(), bounds.upper.mean()]
    assert lower <= sums[0] / sums[1] <= 1.0 <= sums[2] / sums[1] <= upper


@pytest.mark.minutes
@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("n", quick([50, 200, 1000], only=[200], release=[50, 1000]))
def test_the_exact_envelope_costs_little_more_than_the_best_coverage(name, n):
    found = mean_ratios(name, n, 20)
    assert found["exact envelope"] <= 1.05 * found["exact .5"]
    assert found["exact envelope"] <= 1.15 * min(found["exact .5"], found["exact .9"])
    assert found["lower"] <= found["upper"] <= found["envelope"] <= found["witness"] + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("on_the_edge", [True, False])
def test_lists_hold_few_wrong_scenarios_and_most_of_the_near_ones(n, on_the_edge):
    """False discoveries in 1,000 studies at 10 %, with t on the support of Δ or off it."""
    rng, m, studies, t = np.random.default_rng(9), 60, 1000, 0.1
    near = rng.random((studies, m)) < 0.5
    edge = t * (1 + 1e-9) if on_the_edge else 1.5 * t
    apart = np.where(near, rng.uniform(0.0, t / 2, (studies, m)), edge)
    p = rng.uniform(0.25, 0.75, (studies, m))
    q = p + rng.choice([-1, 1], p.shape) * apart
    yes = rng.binomial(n, p)
    counts, stated = (np.stack(each, -1).reshape(-1, 2) for each in ((n - yes, yes), (1 - q, q)))
    p_values = scenario_p_values(counts, stated, discrepancy="tv", tolerance=t).within
    listed = np.array([certified_scenarios(each, 0.1) for each in p_values.reshape(p.shape)])
    wrong = (listed & ~near).sum(1) / np.maximum(listed.sum(1), 1)
    assert wrong.mean() <= 0.1
    if n == 1000:
        assert (listed & near).sum() / near.sum() >= 0.8
