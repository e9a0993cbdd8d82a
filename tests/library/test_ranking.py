"""Simultaneous comparisons of means and ranks: brute force, equivariance, and simulated studies."""

import numpy as np
import pytest
from scipy.stats import studentized_range

from fidelity.error_bars import mean_error_bar, paired_error_bar
from fidelity.ranking import better, direct, rank_intervals, simultaneous_differences


def draw(seed=0):
    return np.random.default_rng(seed)


def by_loops(scores, clusters, generator, alpha, resamples):
    """The same resamples, each studentised by the error bar of the scenarios it drew."""
    labels, member = np.unique(clusters, return_inverse=True)
    drawn = generator.multinomial(len(labels), np.full(len(labels), 1 / len(labels)), resamples)
    largest = []
    for weights in drawn:
        copies = np.repeat(np.arange(len(labels)), weights)
        rows = [np.flatnonzero(member == c) for c in copies]
        again, named = np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(r) for r in rows])
        errors = []
        for a in range(len(scores)):
            for b in range(a):
                difference = scores[a] - scores[b]
                bar = mean_error_bar(difference[again], named)
                errors.append(abs(bar.estimate - difference.mean()) / bar.se)
        largest.append(max(errors))
    return np.sort(largest)[int(np.ceil((resamples + 1) * (1 - alpha))) - 1]


def test_critical_value_is_that_of_a_loop_over_resamples():
    scores, clusters = draw(1).normal(size=(3, 40)), draw(2).integers(0, 12, 40)
    result = simultaneous_differences(scores, draw(3), clusters=clusters, alpha=0.1, resamples=199)
    expected = by_loops(scores, clusters, draw(3), 0.1, 199)
    assert result.critical == pytest.approx(expected, rel=1e-9)
    pair = paired_error_bar(scores[2], scores[0], clusters)
    assert result.estimate[2, 0] == pytest.approx(pair.estimate)
    assert result.se[2, 0] == result.se[0, 2] == pytest.approx(pair.se)
    assert result.upper[2, 0] == pytest.approx(pair.estimate + expected * pair.se)
    np.testing.assert_allclose(result.lower, -result.upper.T)
    assert np.isnan(np.diag(result.estimate)).all()


def test_many_independent_simulators_need_the_studentised_range():
    """Normal scores of equal spread: c·√2 is the quantile of Tukey's studentised range."""
    result = simultaneous_differences(draw(4).normal(size=(5, 4000)), draw(5), resamples=3999)
    assert result.critical * np.sqrt(2) == pytest.approx(
        studentized_range.ppf(0.95, 5, np.inf), rel=0.03
    )


def test_p_values_agree_with_intervals():
    generator = draw(6)
    scores = generator.normal(size=(6, 80)) + np.linspace(0, 0.8, 6)[:, None]
    result = simultaneous_differences(scores, generator, resamples=999)
    pairs = ~np.eye(6, dtype=bool)
    excludes = ((result.upper < 0) | (result.lower > 0))[pairs]
    assert 0 < excludes.sum() < 30
    np.testing.assert_array_equal(result.p_value[pairs] <= 0.05, excludes)


def test_identical_simulators_and_constant_differences():
    scores = draw(7).normal(size=(1, 30)) + np.array([[0.0], [0.0], [0.5]])
    result = simultaneous_differences(scores, draw(8), resamples=99)
    assert result.estimate[0, 1] == result.lower[0, 1] == result.upper[0, 1] == 0
    assert result.p_value[0, 1] == 1
    order = better(result)
    assert order.tolist() == [[False, False, True], [False, False, True], [False] * 3]
    assert rank_intervals(order).tolist() == [[1, 2], [1, 2], [3, 3]]


def test_orders_are_closed_and_their_diagram_is_not():
    chain = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], bool)
    whole = simultaneous_differences(draw(9).normal(size=(4, 20)), draw(10), resamples=99)
    closed = better(whole._replace(upper=np.where(chain, -1.0, 1.0)))
    assert np.argwhere(closed).tolist() == [[0, 1], [0, 2], [1, 2]]
    np.testing.assert_array_equal(direct(closed), chain)
    assert rank_intervals(closed).tolist() == [[1, 2], [2, 3], [3, 4], [1, 4]]


def test_three_clusters_declare_nothing():
    scores = draw(15).normal(size=(3, 30)) + np.array([[0.0], [0.0], [100.0]])
    result = simultaneous_differences(scores, draw(16), clusters=np.repeat([0, 1, 2], 10))
    assert result.critical == np.inf
    assert not better(result).any()
    assert rank_intervals(better(result)).tolist() == [[1, 3]] * 3


def test_scale_order_and_shift_of_simulators_do_not_matter():
    scores, clusters = draw(11).normal(size=(3, 60)), np.repeat(np.arange(15), 4)
    first = simultaneous_differences(scores, draw(12), clusters=clusters, resamples=199)
    other = simultaneous_differences(
        5 * scores[::-1] + 2, draw(12), clusters=clusters, resamples=199
    )
    np.testing.assert_allclose(other.upper, 5 * first.upper[::-1, ::-1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simultaneous_differences(np.zeros((1, 5)), draw()), "at least 2 simulators"),
        (lambda: simultaneous_differences(np.zeros((2, 5)), draw(), resamples=18), "resamples"),
        (lambda: simultaneous_differences(np.full((2, 5), np.inf), draw()), "finite"),
        (
            lambda: simultaneous_differences(np.ones((2, 5)), draw(), clusters=[1] * 5),
            "one cluster",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def beta_scores(generator, shape, means):
    """Skew scores in [0, 1], as discrepancies are."""
    return generator.beta(1.5, 1.5 * (1 - means) / means, shape)


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [False, True])
def test_equal_simulators_are_declared_different_in_at_most_five_percent(clustered):
    """1,000 studies of two simulators equal in law; with clusters, 30 of 2 to 6 scenarios."""
    generator, wrong = draw(13), 0
    for _ in range(1000):
        clusters = np.repeat(np.arange(30), generator.integers(2, 7, 30)) if clustered else None
        m = len(clusters) if clustered else 100
        scores = beta_scores(generator, (2, m), 0.1) + generator.exponential(0.1, m)
        if clustered:
            scores += generator.normal(0, 0.05, (2, 30))[:, clusters]
        result = simultaneous_differences(scores, generator, clusters=clusters, resamples=399)
        wrong += bool(better(result).any())
    assert 50 - 4 * np.sqrt(50 * 0.95) <= wrong <= 50


@pytest.mark.slow
def test_all_intervals_and_ranks_hold_together_and_differences_are_found():
    """1,000 studies of five simulators, two of them equal; one twice as far off is always found."""
    generator, means = draw(14), np.array([0.1, 0.1, 0.115, 0.13, 0.2])
    truth = means[:, None] - means
    pairs = ~np.eye(5, dtype=bool)
    failed = missed_rank = found = 0
    for _ in range(1000):
        scores = beta_scores(generator, (5, 150), means[:, None])
        result = simultaneous_differences(scores, generator, resamples=399)
        failed += bool(((truth < result.lower) | (truth > result.upper))[pairs].any())
        ranks, order = rank_intervals(better(result)), better(result)
        missed_rank += bool(
            ((ranks[:, 0] > [1, 1, 3, 4, 5]) | (ranks[:, 1] < [2, 2, 3, 4, 5])).any()
        )
        found += bool(order[:4, 4].all())
    assert 50 - 4 * np.sqrt(50) <= failed <= 50 + 4 * np.sqrt(50)
    assert missed_rank <= failed
    assert found > 950
