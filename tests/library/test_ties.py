"""Ties: where the others' mean is the simulator's, rounding must not choose what an answer says.

References are sums over all samples of people, and of draws, each with its multinomial probability.
"""

from itertools import product

import numpy as np
import pytest
from scipy.stats import multinomial

from fidelity import DISCREPANCIES
from fidelity.extrema.minorants import RAMP
from fidelity.means import mean_discrepancy
from fidelity.means.leave_one_out import leave_one_out
from fidelity.means.scales import scales
from fidelity.means.tail import _Excess
from fidelity.responses import Responses, Simulator

CONVEX = [name for name, each in DISCREPANCIES.items() if not each.is_parameter]
SYMMETRIC = [name for name in CONVEX if DISCREPANCIES[name].is_symmetric]
LINEAR = np.linspace(-1.0, 1.0, 4)
TIED = [LINEAR, np.arange(4) / 7, np.arange(3) / 3, 0.1 * np.arange(3), np.array([0.0, 0.1, 1.0])]
ROUNDING = 1e-12


def samples(n, d):
    """Return all samples of n answers over d options, (S, d)."""
    return np.array([each for each in product(range(n + 1), repeat=d) if sum(each) == n], float)


def simulators(d):
    """Return shares that people's can equal, (3, d): equal ones, thirds or sevenths, and tenths."""
    parts = np.arange(1.0, d + 1.0)
    return np.stack(
        [np.full(d, 1 / d), parts / parts.sum(), [0.1, 0.2, *[0.7 / (d - 2)] * (d - 2)]]
    )


def excess(counts, chance, q, measure, scores, draws=None, ramp=RAMP):
    """Return by how much E Λ exceeds the true 0 of a simulator that is right."""
    with np.errstate(all="ignore"):
        found = leave_one_out(counts, q, measure, scores, draws, ramp)
    return (chance * np.where(chance > 0.0, found, 0.0)).sum()


@pytest.mark.sampled
@pytest.mark.parametrize("ramp", [0.0, RAMP])
@pytest.mark.parametrize("name", CONVEX)
def test_a_tie_does_not_lift_the_lower_bound_of_a_simulator_that_is_right(name, ramp):
    for scores, n in product(TIED, (2, 3, 5, 11)):
        counts = samples(n, len(scores))
        for p in (*simulators(len(scores)), np.eye(len(scores))[1]):
            chance = multinomial.pmf(counts, n, p)
            q = np.tile(p, (len(counts), 1))
            found = excess(counts, chance, q, DISCREPANCIES[name], scores, ramp=ramp)
            assert found <= ROUNDING, (scores, n, p)


@pytest.mark.sampled
@pytest.mark.parametrize("ramp", [0.0, RAMP])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_a_tie_with_other_draws_does_not_lift_the_lower_bound(name, ramp):
    for scores, (n, k) in product(TIED[2:], ((2, 2), (3, 3), (4, 2), (5, 4))):
        people, draws = samples(n, 3), samples(k, 3)
        i, j = (each.ravel() for each in np.indices((len(people), len(draws))))
        many = np.full(len(i), float(k))
        for p in simulators(3):
            chance = multinomial.pmf(people[i], n, p) * multinomial.pmf(draws[j], k, p)
            of = people[i], chance, draws[j] / k, DISCREPANCIES[name], scores, many
            assert excess(*of, ramp=ramp) <= ROUNDING, (scores, n, k, p)


def test_large_scores_do_not_hide_or_make_ties():
    """Moving all scores by a million changes nothing: neither at ties nor beside them."""
    counts, q = samples(7, 3), np.tile([2 / 7, 3 / 7, 2 / 7], (36, 1))
    for name in ("absolute", "w1"):
        near, far = (
            leave_one_out(counts, q, DISCREPANCIES[name], np.arange(3.0) + start, ramp=0.0)
            for start in (0.0, 1e6)
        )
        np.testing.assert_allclose(far, near, atol=1e-9)


@pytest.mark.parametrize("scores", [0.1 * np.arange(3), np.arange(3) / 3])
def test_a_tie_at_the_threshold_does_not_lift_a_tail(scores):
    """Everybody of the simulator gives one answer: no ramp softens where the tail begins."""
    for name, n in product(("absolute", "tv", "w1", "mmd_gaussian"), (2, 3, 4)):
        counts, measure = samples(n, 3), DISCREPANCIES[name]
        q, p = np.tile(np.eye(3)[1], (len(counts), 1)), np.full((1, 3), 1 / 3)
        truth, chance = measure.between(p, q[:1], scores)[0], multinomial.pmf(counts, n, p[0])
        [scale] = scales(Responses(counts, scores=scores), Simulator(q), name)
        excess_of = _Excess.of(scale)
        for s in np.unique(measure.between(counts / n, q, scores)):
            assert chance @ excess_of.lower(s, counts) <= max(truth - s, 0.0) + ROUNDING


def perfect(generator):
    """Return answers of five people to each of 500 questions, and a simulator that is right."""
    p = np.full((500, 4), 0.25)
    return generator.multinomial(5, p), p


def test_exact_intervals_hold_the_zero_of_a_simulator_that_is_right():
    generator, lowest = np.random.default_rng(1), []
    for _ in range(6):
        counts, q = perfect(generator)
        people = Responses(counts, scores=LINEAR)
        found = mean_discrepancy(people, q, discrepancy="w1", target="new", betting=generator)
        lowest.append(found.ci_lower)
    assert not np.any(lowest)
