"""Simultaneous comparisons of means and ranks: the pairs one by one, and simulated studies."""

import numpy as np
import pytest
from scipy.stats import beta, t, ttest_rel

from fidelity.comparison.error_bars import paired_error_bar
from fidelity.comparison.ranking import better, rank_intervals, simultaneous_differences


def draw(seed=0):
    return np.random.default_rng(seed)


def test_intervals_are_those_of_pairs_with_the_level_shared_among_them():
    scores, clusters = draw(1).normal(size=(40, 3)), np.repeat(np.arange(8), 5)
    result = simultaneous_differences(scores, clusters=clusters, alpha=0.1)
    pair = paired_error_bar(scores[:, 2], scores[:, 0], clusters, level=1 - 0.1 / 3)
    assert result.critical == pytest.approx(t.ppf(1 - 0.1 / 6, 7))
    assert result.estimate[2, 0] == pytest.approx(pair.estimate)
    assert result.se[2, 0] == result.se[0, 2] == pytest.approx(pair.se)
    assert [result.lower[2, 0], result.upper[2, 0]] == pytest.approx([pair.lower, pair.upper])
    np.testing.assert_allclose(result.lower, -result.upper.T)
    assert np.isnan(np.diag(result.estimate)).all()


def test_p_values_of_independent_scenarios_are_scipys_times_the_pairs():
    scores = draw(2).normal(size=(25, 4)) + np.array([0, 0, 0.6, 1])
    result = simultaneous_differences(scores)
    for a, b in ((0, 1), (1, 2), (0, 3)):
        expected = min(1.0, 6 * ttest_rel(scores[:, a], scores[:, b]).pvalue)
        assert result.p_value[a, b] == result.p_value[b, a] == pytest.approx(expected)


def test_p_values_agree_with_intervals():
    scores = draw(6).normal(size=(80, 6)) + np.linspace(0, 0.8, 6)
    result = simultaneous_differences(scores)
    pairs = ~np.eye(6, dtype=bool)
    excludes = ((result.upper < 0) | (result.lower > 0))[pairs]
    assert 0 < excludes.sum() < 30
    np.testing.assert_array_equal(result.p_value[pairs] <= 0.05, excludes)


def test_differences_without_spread_declare_nothing():
    """One simulator is the other, or the other and a half: nothing is known of the error."""
    scores = draw(7).normal(size=(30, 1)) + np.array([0.0, 0.0, 0.5])
    result = simultaneous_differences(scores)
    pairs = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(result.estimate[0], [np.nan, 0.0, -0.5])
    assert (result.se[pairs] == 0).all()
    assert np.isnan([result.lower[pairs], result.upper[pairs]]).all()
    assert (result.p_value[pairs] == 1).all()
    assert rank_intervals(better(result)).tolist() == [[1, 3]] * 3


def test_orders_are_closed():
    chain = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], bool)
    whole = simultaneous_differences(draw(9).normal(size=(20, 4)))
    closed = better(whole._replace(upper=np.where(chain, -1.0, 1.0)))
    assert np.argwhere(closed).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert rank_intervals(closed).tolist() == [[1, 2], [2, 3], [3, 4], [1, 4]]


@pytest.mark.parametrize(
    ("sizes", "ranks"),
    [
        ([10] * 4, [[1, 2], [1, 2], [3, 3]]),
        ([10] * 3, [[1, 3]] * 3),
        ([40, 40, *[1] * 8], [[1, 3]] * 3),
    ],
)
def test_fewer_than_four_effective_clusters_leave_all_ranks_open(sizes, ranks):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    scores = draw(15).normal(size=(sum(sizes), 3)) + np.array([0.0, 0.0, 100.0])
    found = simultaneous_differences(scores, clusters=clusters)
    assert rank_intervals(better(found)).tolist() == ranks


def test_scale_order_and_shift_of_simulators_do_not_matter():
    scores, clusters = draw(11).normal(size=(60, 3)), np.repeat(np.arange(15), 4)
    first = simultaneous_differences(scores, clusters=clusters)
    other = simultaneous_differences(5 * scores[:, ::-1] + 2, clusters=clusters)
    np.testing.assert_allclose(other.upper, 5 * first.upper[::-1, ::-1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simultaneous_differences(np.zeros((5, 1))), "at least 2 simulators"),
        (lambda: simultaneous_differences(np.zeros((5, 2)), alpha=1.0), "alpha"),
        (lambda: simultaneous_differences(np.full((5, 2), np.inf)), "finite"),
        (
            lambda: simultaneous_differences(np.ones((5, 2)), clusters=[1] * 5),
            "clusters must be at least 2",
        ),
        (
            lambda: simultaneous_differences(np.ones((2, 5)), clusters=[1] * 5),
            "clusters must be a vector of 2 labels",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


SIZES = {
    "independent": [1] * 100,
    "3 of 96": [96] * 3,
    "4 of 51": [51] * 4,
    "7 of 25 to 34": [34, 32, 31, 30, 28, 27, 25],
    "68 of 1 to 5": [5] * 5 + [4] * 5 + [3] * 6 + [2] * 22 + [1] * 30,
    "13 uneven": [40, 30, 20, 20, 10, 10, 10, 8, 6, 5, 4, 3, 2],
    "half in one of 6": [60, *[12] * 5],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "correlation", [0.3, *(pytest.param(r, marks=pytest.mark.minutes) for r in (0.0, 0.1, 0.6))]
)
@pytest.mark.parametrize("name", SIZES)
def test_equal_simulators_are_declared_different_in_about_five_percent(name, correlation):
    """4,000 studies of four simulators with equal means: 99 % limits of the size.

    Below four effective clusters, as where one has half of the scenarios, nobody is.
    """
    generator, sizes, studies = draw(13), SIZES[name], 4000
    m, clusters = sum(sizes), np.repeat(np.arange(len(sizes)), sizes)
    wrong = 0
    for _ in range(studies):
        scores = generator.exponential(1.0, (m, 4))
        scores[:, 2:] = generator.gamma(4.0, 0.25, (m, 2))
        scores = np.sqrt(1 - correlation) * (scores - 1) + generator.exponential(1.0, (m, 1))
        common = generator.standard_normal((len(sizes), 4))
        scores += np.sqrt(correlation) * common[clusters]
        wrong += bool(better(simultaneous_differences(scores, clusters=clusters)).any())
    if m**2 / sum(size**2 for size in sizes) < 4:
        assert wrong == 0
        return
    assert beta.ppf(0.99, wrong + 1, studies - wrong) <= 0.08
    assert beta.ppf(0.01, wrong, studies - wrong + 1) >= 0.02
