"""Leave-one-out lower bounds: respondent by respondent, and their expectations over all samples."""

from itertools import product
from math import factorial, prod

import numpy as np
import pytest

from fidelity import DISCREPANCIES
from fidelity.means.leave_one_out import leave_one_out

SCORES = np.array([-1.0, 0.0, 2.0])
CONVEX = [name for name, each in DISCREPANCIES.items() if not each.is_parameter]


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


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("p", PEOPLE, ids=str)
def test_the_truth_lies_between_the_expectations(name, n, p):
    measure = DISCREPANCIES[name]
    counts = samples(n, 3)
    chance = chances(counts, p)
    for q in STATED:
        stated = np.tile(q, (len(counts), 1))
        truth = float(measure.between(p[None], q[None], SCORES)[0])
        lower = chance @ leave_one_out(counts, stated, measure, SCORES)
        upper = chance @ measure.between(counts / n, stated, SCORES)
        if name in ("squared", "l2"):
            if n > 1:
                assert lower == pytest.approx(truth, abs=1e-13)
        else:
            assert lower <= truth + 1e-13
        assert upper >= truth - 1e-13


def test_total_variation_by_hand():
    """Σ_i (x_i/n)(1{i ∈ A} - q(A)), A the options whose share without one answer i exceeds q."""
    rng = np.random.default_rng(3)
    counts = rng.multinomial(9, [0.4, 0.3, 0.2, 0.1], size=40).astype(float)
    q = rng.dirichlet(np.ones(4), 40)
    expected = []
    for x, stated in zip(counts, q, strict=True):
        total = 0.0
        for i in np.flatnonzero(x):
            others = (x - np.eye(4)[i]) / 8
            chosen = others > stated
            total += x[i] / 9 * (float(chosen[i]) - stated[chosen].sum())
        expected.append(total)
    found = leave_one_out(counts, q, DISCREPANCIES["tv"], None)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
    assert (found < 0).any()
