"""Leave-one-out lower bounds: respondent by respondent, and their expectations over all samples."""

from itertools import product
from math import factorial, prod

import numpy as np
import pytest

from fidelity import DISCREPANCIES
from fidelity.extrema.minorants import RAMP
from fidelity.means.leave_one_out import leave_one_out

SCORES = np.array([-1.0, 0.0, 2.0])
CONVEX = [name for name, each in DISCREPANCIES.items() if not each.is_parameter]
SYMMETRIC = [name for name in CONVEX if DISCREPANCIES[name].is_symmetric]


def samples(n, d):
    """Return all samples of n answers over d options, (S, d)."""
    return np.array([c for c in product(range(n + 1), repeat=d) if sum(c) == n], dtype=float)


def chances(counts, p):
    """Return the multinomial probability of each sample."""
    n = int(counts[0].sum())
    return np.array(
        [factorial(n) / prod(factorial(int(x)) for x in row) * np.prod(p**row) for row in counts]
    )


PEOPLE = [np.array([0.2, 0.5, 0.3]), np.array([0.05, 0.05, 0.9]), np.array([0.4, 0.6, 0.0])]
STATED = [np.array([0.25, 0.25, 0.5]), np.array([0.4, 0.4, 0.2]), np.array([0.2, 0.5, 0.3])]


@pytest.mark.sampled
@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("p", PEOPLE, ids=str)
@pytest.mark.parametrize("ramp", [0.0, RAMP])
def test_the_truth_lies_between_the_expectations(name, n, p, ramp):
    measure = DISCREPANCIES[name]
    counts = samples(n, 3)
    chance = chances(counts, p)
    for q in STATED:
        stated = np.tile(q, (len(counts), 1))
        truth = float(measure.between(p[None], q[None], SCORES)[0])
        lower = chance @ leave_one_out(counts, stated, measure, SCORES, ramp=ramp)
        upper = chance @ measure.between(counts / n, stated, SCORES)
        if name in ("squared", "l2"):
            if n > 1:
                assert lower == pytest.approx(truth, abs=1e-13)
        else:
            assert lower <= truth + 1e-13
        assert upper >= truth - 1e-13


def slope(mean, q, share, answers):
    """Return ±1, smoothly between within a standard error (``share`` is of ``answers``)."""
    x = (mean - q) / np.sqrt(share * (1 - share) * answers) if 0 < share < 1 else np.inf
    return np.sign(mean - q) if abs(x) >= 1 else 1.5 * x - 0.5 * x**3


def test_total_variation_by_hand():
    """Σ_i (x_i/n) Σ_l s_l (1{l = i} - q_l)/2, s_l as the share without one answer i exceeds q_l."""
    rng = np.random.default_rng(3)
    counts = rng.multinomial(9, [0.4, 0.3, 0.2, 0.1], size=40).astype(float)
    q = rng.dirichlet(np.ones(4), 40)
    expected = []
    for x, stated in zip(counts, q, strict=True):
        total = 0.0
        for i in np.flatnonzero(x):
            others = (x - np.eye(4)[i]) / 8
            said = (np.arange(4) == i) - stated
            slopes = [
                slope(others[option], stated[option], stated[option], 9 / 8**2)
                for option in range(4)
            ]
            total += x[i] / 9 * (slopes @ said) / 2
        expected.append(total)
    found = leave_one_out(counts, q, DISCREPANCIES["tv"], None)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
    assert (found < 0).any()


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 5), (6, 3)])
@pytest.mark.parametrize("p", PEOPLE, ids=str)
def test_what_draws_come_from_lies_between_the_expectations(name, n, k, p):
    measure = DISCREPANCIES[name]
    people, draws = samples(n, 3), samples(k, 3)
    i, j = (each.ravel() for each in np.indices((len(people), len(draws))))
    for q in STATED:
        chance = chances(people, p)[i] * chances(draws, q)[j]
        truth = float(measure.between(p[None], q[None], SCORES)[0])
        given = people[i], draws[j] / k, measure, SCORES, np.full(len(i), float(k))
        lower = chance @ leave_one_out(*given)
        upper = chance @ measure.between(people[i] / n, draws[j] / k, SCORES)
        if name in ("squared", "l2"):
            if min(n, k) > 1:
                assert lower == pytest.approx(truth, abs=1e-13)
        else:
            assert lower <= truth + 1e-13
        assert upper >= truth - 1e-13


def test_each_person_and_draw_is_left_out_by_hand():
    rng = np.random.default_rng(5)
    x, y = rng.multinomial(7, [0.5, 0.3, 0.2]), rng.multinomial(5, [0.2, 0.3, 0.5])
    people, draws = np.repeat(np.eye(3), x, axis=0), np.repeat(np.eye(3), y, axis=0)
    values = []
    for r, s in product(range(7), range(5)):
        mean, other = np.delete(people, r, 0).mean(0), np.delete(draws, s, 0).mean(0)
        slopes = [slope(mean[i], other[i], other[i], 1 / 7 + 1 / 5) for i in range(3)]
        values.append(slopes @ (people[r] - draws[s]) / 2)
    found = leave_one_out(
        x[None].astype(float), y[None] / 5, DISCREPANCIES["tv"], None, np.array([5.0])
    )
    assert found[0] == pytest.approx(np.mean(values), abs=1e-14)


@pytest.mark.parametrize("name", ["kl", "chi2"])
def test_draws_are_refused_where_they_bound_nothing(name):
    counts, q = np.array([[3.0, 2.0]]), np.array([[0.5, 0.5]])
    with pytest.raises(ValueError, match=f"{name} of draws does not bound"):
        leave_one_out(counts, q, DISCREPANCIES[name], None, np.array([4.0]))


@pytest.mark.parametrize("name", CONVEX)
def test_what_an_answer_says_is_a_minorant(name):
    """At every option: an affine function below the discrepancy is so at the corners of p."""
    rng = np.random.default_rng(7)
    measure = DISCREPANCIES[name]
    counts = rng.multinomial(6, [0.3, 0.3, 0.4], size=50).astype(float)
    q = rng.dirichlet(np.ones(3), 50)
    found = measure.minorants(counts, q, SCORES)
    for option in range(3):
        corner = np.tile(np.eye(3)[option], (50, 1))
        chosen = counts[:, option] > 0
        assert (found[:, option] <= measure.between(corner, q, SCORES) + 1e-12)[chosen].all()
