"""The tail's bounds: expectations over all samples of two scenarios, and answers one by one."""

from itertools import product

import kernels
import numpy as np
import pytest
from parameters import quick
from test_leave_one_out import CONVEX, SCORES, chances, samples

from fidelity import DISCREPANCIES
from fidelity.means import mean_discrepancy, tail_discrepancy
from fidelity.responses import Responses

SUMS = ["absolute", "tv", "w1"]
MMD = [name for name in DISCREPANCIES if DISCREPANCIES[name].on == "kernel"]


def cvar(values, alpha):
    """Return the mean of the largest values that are a share alpha of all, brute force over s."""
    values = np.asarray(values)
    return min(s + np.maximum(values - s, 0.0).mean() / alpha for s in values)


@pytest.mark.slow
@pytest.mark.parametrize("name", SUMS + MMD)
@pytest.mark.parametrize("alpha", quick([0.3, 0.5, 0.8, 1.0], only=[0.5]))
def test_the_lower_bound_is_one_in_expectation(name, alpha):
    measure = DISCREPANCIES[name]
    n, p = 3, np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])
    q = np.array([[0.3, 0.3, 0.4], [0.2, 0.6, 0.2]])
    truth = cvar(measure.between(p, q, SCORES), alpha)
    counts = samples(n, 3)
    of_first, of_second = chances(counts, p[0]), chances(counts, p[1])
    expected = 0.0
    for (i, first), (j, second) in product(enumerate(counts), enumerate(counts)):
        found = tail_discrepancy(
            Responses([first, second], scores=SCORES), q, discrepancy=name, alpha=alpha
        )
        expected += of_first[i] * of_second[j] * found.lower
    assert expected <= truth + 1e-12


@pytest.mark.parametrize("name", CONVEX)
def test_the_upper_bound_is_that_of_the_plugins(name):
    rng = np.random.default_rng(4)
    measure, alpha, n = DISCREPANCIES[name], 0.25, 6
    q = rng.dirichlet(np.full(3, 5.0), 12)
    counts = rng.multinomial(n, [0.3, 0.3, 0.4], size=12)
    found = tail_discrepancy(Responses(counts, scores=SCORES), q, discrepancy=name, alpha=alpha)
    plugin = measure.between(counts / n, q, SCORES)
    assert found.upper == pytest.approx(cvar(plugin, alpha), abs=1e-12)

    assert not found.lower > found.upper


def points_of(name):
    """Return points whose variance is that of one answer, (d, c)."""
    if name in SUMS:
        return DISCREPANCIES[name].coordinates(3, SCORES).T
    return kernels.points_of(name)


@pytest.mark.parametrize("name", SUMS + MMD)
def test_the_lower_bound_by_hand(name):
    rng = np.random.default_rng(4)
    measure, alpha, n = DISCREPANCIES[name], 0.25, 6
    q = rng.dirichlet(np.full(3, 5.0), 12)
    counts = rng.multinomial(n, [0.3, 0.3, 0.4], size=12)
    said = measure.minorants(counts.astype(float), q, SCORES)
    points = points_of(name)

    top = measure.between(counts / n, q, SCORES).max()
    s = np.linspace(0.0, top, 2001)
    total = 0.0
    for j, x in enumerate(counts):
        variance = q[j] @ ((points - q[j] @ points) ** 2).sum(1)
        for i in np.flatnonzero(x):
            left = (x - np.eye(3)[i])[None] / (n - 1)
            far = (measure.between(left, q[[j]], SCORES)[0] - s) / np.sqrt(variance / n)
            far = np.clip(far, -1.0, 1.0)
            total += x[i] * (0.5 + 0.75 * far - 0.25 * far**3) * (said[j, i] - s) / n
    bound = s + total / (12 * alpha)

    found = tail_discrepancy(Responses(counts, scores=SCORES), q, discrepancy=name, alpha=alpha)
    assert found.lower == pytest.approx(bound.min(), abs=1e-5)


@pytest.mark.parametrize("name", sorted(set(CONVEX) - {*SUMS, *MMD}))
def test_others_have_no_lower_bound(name):
    counts, q = [[3, 4, 5], [6, 4, 2]], [[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]]
    found = tail_discrepancy(Responses(counts, scores=SCORES), q, discrepancy=name, alpha=0.5)
    assert np.isnan([found.lower, found.ci_lower]).all()
    assert found.ci_upper > found.upper > 0.0


def test_the_whole_is_the_mean():
    rng = np.random.default_rng(9)
    q = rng.dirichlet(np.ones(4), 30)
    counts = rng.multinomial(40, [0.1, 0.2, 0.3, 0.4], size=30)
    tail = tail_discrepancy(counts, q, discrepancy="tv", alpha=1.0)
    mean = mean_discrepancy(counts, q, discrepancy="tv")
    assert tail.upper == pytest.approx(mean.upper)
    assert tail.ci_upper == pytest.approx(mean.ci_upper, rel=0.01)
    assert tail.lower <= mean.lower + 1e-12


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_people_give_no_interval(n):
    found = tail_discrepancy([[n, 0]] * 5, [[0.4, 0.6]] * 5, discrepancy="tv", alpha=0.1)
    assert np.isnan([found.ci_lower, found.ci_upper]).all()
    assert found.upper == pytest.approx(0.6)
