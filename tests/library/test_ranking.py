"""Simultaneous comparisons of means and ranks: the pairs one by one, and simulated studies."""

import numpy as np
import pytest
from scipy.stats import t, ttest_rel

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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simultaneous_differences(np.zeros((5, 1))), "at least 2 simulators"),
        (lambda: simultaneous_differences(np.zeros((5, 2)), alpha=1.0), "alpha"),
        (
            lambda: simultaneous_differences(np.ones((5, 2)), clusters=[1] * 5),
            "clusters must be at least 2",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
