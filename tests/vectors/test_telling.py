"""The classifier test: by scikit-learn, by hand and on clear cases."""

import numpy as np
import pytest
from scipy.stats import fisher_exact, ttest_ind
from sklearn.linear_model import LogisticRegression

from fidelity.vectors import cross_fitted_share, mean_share, split_test, telling_features
from fidelity.vectors.telling import _scores, _with_squares


def sides(n=60, k=40, shift=0.8, seed=0, dimensions=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, dimensions)), rng.normal(size=(k, dimensions)) + shift, rng


def test_scores_by_scikit_learn():
    x, y, rng = sides()
    both = np.concatenate([x, y])
    scaled = (both - both.mean(0)) / both.std(0)
    model = LogisticRegression(C=1 / 3, class_weight="balanced", tol=1e-10)
    model.fit(scaled, np.repeat([1, 0], [60, 40]))
    new = rng.normal(size=(5, 3))
    expected = model.decision_function((new - both.mean(0)) / both.std(0))
    assert _scores(x, y, new) == pytest.approx(expected, abs=1e-3)


def test_split_judges_equally_many_of_both_sides_and_learns_from_others():
    x, y, _ = sides()
    masks = np.arange(60) < 25, np.arange(40) < 15
    test = split_test(x, y, tested=masks)
    assert test.judged_people.tolist() == test.judged_draws.tolist() == list(range(15))
    right = np.concatenate([test.right_people, test.right_draws])
    assert test.share == right.mean()
    scores = _scores(x[25:], y[15:], np.concatenate([x[:15], y[:15]]))
    assert (right == ((scores > 0) == (np.arange(30) < 15))).all()
    table = [[(scores[:15] > 0).sum(), (scores[:15] <= 0).sum()]]
    table.append([(scores[15:] > 0).sum(), (scores[15:] <= 0).sum()])
    assert test.p_value == pytest.approx(fisher_exact(table, "greater").pvalue)
    assert test.total_variation == pytest.approx(max(2 * test.lower - 1, 0))


def test_answers_without_difference_have_no_opinion():
    same = np.ones((8, 2))
    test = split_test(same, same, generator=np.random.default_rng(0))
    assert test.share == 0.5
    assert (test.lower, test.upper, test.total_variation) == (0.0, 1.0, 0.0)


def test_clear_difference_is_told():
    x, y, rng = sides(shift=9.0)
    test = split_test(x, y, generator=rng)
    assert test.share == test.upper == 1.0
    assert test.lower > 0.85
    crossed = cross_fitted_share(x, y, generator=rng, permuted=19)
    assert crossed.share == 1.0
    assert crossed.p_value == 0.05
    together = mean_share([test, test])
    assert together.lower > 0.95


def test_mean_share_counts_persons_once():
    x, y, rng = sides(shift=0.5)
    test = split_test(x, y, generator=rng)
    labels = [np.arange(60)] * 2, [np.arange(40)] * 2
    once = mean_share([test, test], respondents=labels[0], runs=labels[1])
    apart = mean_share([test, test])
    assert once.estimate == apart.estimate == pytest.approx(test.share)
    assert once.upper - once.lower > 1.3 * (apart.upper - apart.lower)
    assert mean_share([test]) == test[:3]


def test_telling_features_by_welch():
    x, y, _ = sides()
    expected = ttest_ind(x, y, equal_var=False).statistic
    assert telling_features(x, y) == pytest.approx(expected)
    constant = telling_features([[1, 0], [1, 0]], [[0, 0], [0, 0]])
    assert constant[0] == np.inf
    assert np.isnan(constant[1])


def test_refusals():
    x, y, rng = sides()
    with pytest.raises(ValueError, match="at least 2 answers"):
        split_test(x[:3], y, generator=rng)
    with pytest.raises(TypeError, match="generator"):
        split_test(x, y)
    with pytest.raises(ValueError, match="at least one"):
        mean_share([])


def test_a_mean_share_is_a_share():
    rng = np.random.default_rng(0)
    tests = [split_test(*rng.normal(size=(2, 4, 2)), generator=rng) for _ in range(2)]
    tests = [
        test._replace(right_people=np.ones(2), right_draws=np.array([1.0, right]), share=share)
        for test, right, share in zip(tests, (0.0, 1.0), (0.75, 1.0), strict=True)
    ]
    share, lower, upper = mean_share(tests)
    assert 0.0 <= lower < share < upper == 1.0


def test_columns_of_rounding_errors_count_for_nothing():
    x, y, rng = sides()
    noisy = [np.column_stack([side, 1e-15 * rng.normal(size=len(side))]) for side in (x, y)]
    empty = [np.column_stack([side, np.zeros(len(side))]) for side in (x, y)]
    shares = [split_test(*both, generator=np.random.default_rng(0)) for both in (noisy, empty)]
    assert shares[0].right_people.tolist() == shares[1].right_people.tolist()
    assert shares[0].share == shares[1].share


def test_squares_tell_a_difference_of_spread_and_keep_the_size():
    rng = np.random.default_rng(3)
    wide = 3.0 * rng.normal(size=(100, 4))
    people = rng.normal(size=(100, 4))
    seed = np.random.default_rng
    assert split_test(people, wide, generator=seed(0)).lower < 0.5
    assert split_test(people, wide, generator=seed(0), squares=True).lower > 0.7
    p_values = [
        split_test(*rng.normal(size=(2, 16, 2)), generator=rng, squares=True).p_value
        for _ in range(100)
    ]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 2.3 * np.sqrt(0.05 * 0.95 / 100)


def test_squares_are_those_of_features_standardised_by_what_is_learned():
    x, y, rng = sides()
    new = rng.normal(size=(5, 3))
    both = np.concatenate([x, y])
    scaled = [(part - both.mean(0)) / both.std(0) for part in (x, y, new)]
    for part, expected in zip(_with_squares(x, y, new), scaled, strict=True):
        assert part == pytest.approx(np.column_stack([expected, expected**2]))
