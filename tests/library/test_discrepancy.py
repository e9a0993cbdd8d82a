"""Discrepancies themselves: closed forms, and each as a maximum over its functionals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fidelity.discrepancies import DISCREPANCIES
from fidelity.discrepancy import MOST_OPTIONS, Bounds, option_subsets

SYMMETRIC = ("absolute", "squared", "tv", "w1", "hellinger", "js", "l2", "variance", "median")


def distributions(d):
    weight = st.lists(st.integers(0, 20), min_size=d, max_size=d).filter(any)
    return weight.map(lambda w: np.array(w, float) / sum(w))


triples = st.integers(2, 6).flatmap(lambda d: st.tuples(*[distributions(d)] * 3))


def between(name, p, q):
    scores = np.linspace(-1, 1, len(p)) ** 3
    return DISCREPANCIES[name].between(p[None], q[None], scores)[0]


P, Q = np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.35, 0.55])
CLOSED_FORMS = {
    "absolute": 0.7,
    "squared": 0.49,
    "tv": 0.5,
    "w1": 0.5 * 1 + 0.45 * 4 / 9,
    "kl": 0.6 * np.log(6) + 0.3 * np.log(6 / 7) + 0.1 * np.log(2 / 11),
    "hellinger": 1 - np.sqrt(0.06) - np.sqrt(0.105) - np.sqrt(0.055),
    "chi2": 0.25 / 0.1 + 0.0025 / 0.35 + 0.2025 / 0.55,
    "l2": 0.25 + 0.0025 + 0.2025,
    "js": ((P * np.log(2 * P / (P + Q))).sum() + (Q * np.log(2 * Q / (P + Q))).sum()) / 2,
    "median": 1 + 4 / 9,
}


@pytest.mark.parametrize(("name", "expected"), CLOSED_FORMS.items())
def test_closed_forms(name, expected):
    p, q = P[None], Q[None]
    scores = np.array([-1.0, 0.0, 4 / 9])
    assert DISCREPANCIES[name].between(p, q, scores)[0] == pytest.approx(expected)


@given(triples)
def test_each_is_symmetric_and_zero_only_at_agreement(triple):
    p, q, _ = triple
    for name in SYMMETRIC:
        assert between(name, p, q) == pytest.approx(between(name, q, p), abs=1e-15)
    for name in DISCREPANCIES:
        assert between(name, p, q) >= -1e-15
        assert between(name, p, p) == pytest.approx(0, abs=1e-15)
    assert (between("tv", p, q) > 0) == (p != q).any()


@given(triples)
def test_distances_obey_the_triangle_inequality(triple):
    p, q, middle = triple
    for name in ("absolute", "tv"):
        detour = between(name, p, middle) + between(name, middle, q)
        assert between(name, p, q) <= detour + 1e-15


@given(triples)
def test_each_is_a_maximum_over_its_functionals(triple):
    p, q, _ = triple
    scores = np.linspace(-1, 1, len(p)) ** 3
    for name, power in (("absolute", 1), ("squared", 2), ("tv", 1), ("w1", 1)):
        if name == "w1" and len(p) == 2:
            continue
        family = DISCREPANCIES[name].functionals(len(p), scores)
        largest = max(0.0, (family @ (p - q)).max())
        assert between(name, p, q) == pytest.approx(largest**power, abs=1e-14)


@pytest.mark.parametrize("d", [2, 3, 7])
def test_option_subsets_are_all_proper_non_empty_ones(d):
    subsets = option_subsets(d)
    assert subsets.shape == (2**d - 2, d)
    assert len({tuple(row) for row in subsets}) == 2**d - 2
    assert set(subsets.sum(1)) == set(range(1, d))
    np.testing.assert_array_equal(subsets @ 2.0 ** np.arange(d), np.arange(1, 2**d - 1))


def test_too_many_options_to_enumerate_are_refused():
    assert len(option_subsets(MOST_OPTIONS)) == 2**MOST_OPTIONS - 2
    with pytest.raises(ValueError, match=f"at most {MOST_OPTIONS}"):
        option_subsets(MOST_OPTIONS + 1)


def test_bounds_can_be_reordered_and_repeated():
    rows = np.arange(3.0)
    bounds = Bounds(rows[:, None], 10 + rows[:, None], rows, 20 + rows, np.full(3, np.nan))
    taken = bounds.take(np.array([2, 0, 2]))
    np.testing.assert_array_equal(taken.share[:, 0], [2, 0, 2])
    np.testing.assert_array_equal(taken.support[:, 0], [12, 10, 12])
    np.testing.assert_array_equal(taken.upper, [22, 20, 22])
