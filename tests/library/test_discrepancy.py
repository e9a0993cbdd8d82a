"""Discrepancies themselves: closed forms, what they have in common, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from fidelity.discrepancies.base import DISCREPANCIES, Bounds
from fidelity.discrepancies.divergences import Divergence
from fidelity.extrema.functionals import MOST_OPTIONS, option_subsets
from fidelity.pseudo_discrepancies import between as between_named

NAMES = tuple(DISCREPANCIES)
DIVERGENCES = [name for name in NAMES if isinstance(DISCREPANCIES[name], Divergence)]
MMD = [name for name in NAMES if DISCREPANCIES[name].on == "kernel"]
OF_WHOLE_DISTRIBUTIONS = ["tv", "w1", *MMD, *DIVERGENCES]
ASYMMETRIC = [
    name for name, each in DISCREPANCIES.items() if not (each.is_symmetric or each.is_parameter)
]


def distributions(d):
    weight = st.lists(st.integers(0, 20), min_size=d, max_size=d).filter(any)
    return weight.map(lambda w: np.array(w, float) / sum(w))


triples = st.integers(2, 6).flatmap(lambda d: st.tuples(*[distributions(d)] * 3))


def g(gap):
    """The Gaussian kernel of scores so far apart, with bandwidth 1."""
    return np.exp(-(gap**2) / 2)


def e(gap):
    """The Laplace kernel."""
    return np.exp(-gap)


def between(name, p, q):
    scores = np.linspace(-1, 1, len(p)) ** 3
    return DISCREPANCIES[name].between(p[None], q[None], scores)[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("absolute", 0.7),
        ("squared", 0.49),
        ("tv", 0.5),
        ("w1", 0.5 * 1 + 0.45 * 4 / 9),
        ("kl", 0.6 * np.log(6) + 0.3 * np.log(6 / 7) + 0.1 * np.log(2 / 11)),
        ("hellinger", 1 - np.sqrt(0.06) - np.sqrt(0.105) - np.sqrt(0.055)),
        ("chi2", 0.25 / 0.1 + 0.0025 / 0.35 + 0.2025 / 0.55),
        ("l2", 0.25 + 0.0025 + 0.2025),
        ("js", jensenshannon([0.6, 0.3, 0.1], [0.1, 0.35, 0.55]) ** 2),
        ("variance", 0.6 + 1.6 / 81 - (5 / 9) ** 2 - (0.1 + 8.8 / 81 - (13 / 90) ** 2)),
        ("median", 1 + 4 / 9),
        ("mmd_delta", np.sqrt(0.25 + 0.0025 + 0.2025)),
        ("mmd_gaussian", np.sqrt(0.455 - 0.05 * g(1) - 0.45 * g(13 / 9) + 0.045 * g(4 / 9))),
        ("mmd_laplace", np.sqrt(0.455 - 0.05 * e(1) - 0.45 * e(13 / 9) + 0.045 * e(4 / 9))),
    ],
)
def test_closed_forms(name, expected):
    p, q = np.array([[0.6, 0.3, 0.1]]), np.array([[0.1, 0.35, 0.55]])
    scores = np.array([-1.0, 0.0, 4 / 9])
    assert between_named(p, q, discrepancy=name, scores=scores)[0] == pytest.approx(expected)


@given(triples)
def test_each_is_never_negative_zero_at_agreement_and_mostly_symmetric(triple):
    p, q, _ = triple
    for name in NAMES:
        assert between(name, p, q) >= -1e-15
        assert between(name, p, p) == pytest.approx(0, abs=1e-15)
        if name not in ASYMMETRIC:
            assert between(name, p, q) == pytest.approx(between(name, q, p), abs=1e-15)
    for name in OF_WHOLE_DISTRIBUTIONS:
        assert (between(name, p, q) > 1e-12) == (p != q).any()


@given(triples)
def test_distances_obey_the_triangle_inequality(triple):
    p, q, middle = triple
    metrics = dict.fromkeys(["absolute", "tv", "w1", *MMD], 1)
    for name, power in {**metrics, "hellinger": 0.5, "js": 0.5}.items():
        direct, first, second = (
            max(between(name, *each), 0.0) ** power for each in ((p, q), (p, middle), (middle, q))
        )
        assert direct <= first + second + 1e-7


@pytest.mark.parametrize("name", ["absolute", "squared", "variance", "median"])
def test_parameters_are_one_number_whatever_the_options(name):
    assert DISCREPANCIES[name].is_scalar(7)


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


def test_scores_are_needed_by_some_and_assumed_for_two_options():
    for name, measure in DISCREPANCIES.items():
        np.testing.assert_array_equal(measure.checked_scores(None, 2), [0, 1])
        np.testing.assert_array_equal(measure.checked_scores([3, 1, 2], 3), [3, 1, 2])
        if measure.needs_scores:
            with pytest.raises(ValueError, match=f"{name} needs scores: give those of the 3"):
                measure.checked_scores(None, 3)
        else:
            assert measure.checked_scores(None, 3) is None


@pytest.mark.parametrize("name", NAMES)
def test_scores_matter_where_they_are_needed(name):
    measure = DISCREPANCIES[name]
    p, q = np.random.default_rng(3).dirichlet(np.ones(4), (2, 10))
    one, other = (measure.between(p, q, np.array(each)) for each in ([0, 1, 2, 6], [1, 5, 0, 2]))
    assert np.allclose(one, other) != measure.needs_scores


@pytest.mark.parametrize("scores", [[1, 1, 1], [0, 1], [0, 1, np.inf], [0, 1, np.nan], [[0, 1, 2]]])
@pytest.mark.parametrize("name", ["absolute", "tv", "kl"])
def test_scores_that_order_nothing_are_refused_even_where_none_are_needed(name, scores):
    with pytest.raises(ValueError, match="3 finite numbers that are not all equal"):
        DISCREPANCIES[name].checked_scores(scores, 3)


def test_unknown_discrepancies_are_refused_with_the_names_there_are():
    assert [DISCREPANCIES.of(name).name for name in NAMES] == list(NAMES)
    with pytest.raises(
        ValueError,
        match=r"unknown discrepancy 'cosine'; there are: absolute, chi2.*tv, variance, w1",
    ):
        DISCREPANCIES.of("cosine")


def test_bounds_can_be_reordered_and_repeated():
    rows = np.arange(3.0)
    bounds = Bounds(rows[:, None], 10 + rows[:, None], rows, 20 + rows, 30 + rows, "w1")
    taken = bounds.take(np.array([2, 0, 2]))
    np.testing.assert_array_equal(taken.share[:, 0], [2, 0, 2])
    np.testing.assert_array_equal(taken.support[:, 0], [12, 10, 12])
    np.testing.assert_array_equal(taken.lower, [2, 0, 2])
    np.testing.assert_array_equal(taken.upper, [22, 20, 22])
    np.testing.assert_array_equal(taken.radius, [32, 30, 32])
    assert taken.ball == "w1"


@pytest.mark.parametrize("name", ["tv", "w1", "absolute", "squared"])
@pytest.mark.parametrize("d", [2, 3, 5])
def test_a_family_of_functionals_gives_the_discrepancy(name, d):
    """Also of two options whose scores are not one apart."""
    generator, measure = np.random.default_rng(4), DISCREPANCIES[name]
    p, q = generator.dirichlet(np.ones(d), (2, 40))
    scores = generator.permutation(np.linspace(-1.0, 4.0, d))
    family = measure.family(d, scores)
    expected = measure.between(p, q, scores)
    largest = ((p - q) @ family.T).max(1)
    np.testing.assert_allclose(largest**2 if name == "squared" else largest, expected, atol=1e-14)
