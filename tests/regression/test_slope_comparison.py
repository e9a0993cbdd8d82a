"""Whether slopes agree: by one regression of differences, known truths, and simulation."""

import numpy as np
import pytest
from scipy.special import ndtr, stdtrit

from fidelity.regression import Covariates, compare_slopes, linear_slopes, slopes_of_others
from fidelity.regression.comparison import Both, paired
from fidelity.simultaneous import joint_level
from fidelity.structure import TooFewError

RNG = np.random.default_rng(0)
N = 300
X = np.column_stack([RNG.normal(size=(N, 2)), RNG.random(N) < 0.3])
NAMES = ["age", "income", "woman"]
BETA, GAMMA = np.array([0.4, 0.0, 0.3]), np.array([0.6, 0.0, 0.0])


def side(beta=BETA, n=N, seed=1, **how):
    """Return slopes of new persons."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(size=(n, 2)), rng.random(n) < 0.3])
    return linear_slopes(Covariates(x, names=NAMES, **how), x @ beta + rng.normal(size=n))


def test_twins_have_the_errors_of_one_regression_of_differences():
    facts = Covariates(X, names=NAMES, weights=RNG.choice([1.0, 3.0], N))
    common = RNG.normal(size=N)
    one, two = (X @ BETA + common + RNG.normal(size=N) for _ in range(2))
    people, simulator = (linear_slopes(facts, y) for y in (one, two))
    both = Both(people, simulator, True)
    alone = linear_slopes(facts, two - one)
    np.testing.assert_allclose(both.apart, alone.estimate, atol=1e-12)
    np.testing.assert_allclose(both.covariance, alone.covariance, rtol=1e-10)
    np.testing.assert_allclose(both.df, alone.df)
    found = compare_slopes(people, simulator, same_persons=True)
    ends = alone.intervals(together=True).T
    np.testing.assert_allclose([found.difference.lower, found.difference.upper], ends)
    apart = compare_slopes(people, simulator)
    assert (apart.standardised.upper > found.standardised.upper).all()
    assert apart.root_mean_square.upper > found.root_mean_square.upper


def test_different_persons_are_joined_as_welch_does():
    people, simulator = side(), side(n=60, seed=2)
    both = Both(*paired(people, simulator), False)
    np.testing.assert_allclose(both.covariance, people.covariance + simulator.covariance)
    one, two = people.se**2, simulator.se**2
    welch = (one + two) ** 2 / (one**2 / people.df + two**2 / simulator.df)
    np.testing.assert_allclose(both.df, welch)
    given = Both(people, simulator.as_given(), False)
    np.testing.assert_allclose(given.covariance, people.covariance)
    np.testing.assert_allclose(given.df, people.df)


def test_intervals_hold_together_at_the_level_of_the_largest():
    people = side()
    one = joint_level(people.covariance, 0.95)
    assert 0.95 < one <= 1 - 0.05 / 3
    reach = stdtrit(people.df, (1 + one) / 2) * people.se
    ends = people.intervals(0.95, together=True)
    np.testing.assert_allclose(ends[:, 1] - people.estimate, reach)
    errors = np.random.default_rng(3).multivariate_normal(np.zeros(3), people.covariance, 200_000)
    critical = stdtrit(np.inf, (1 + one) / 2)
    assert (np.abs(errors / people.se).max(1) <= critical).mean() == pytest.approx(0.95, abs=0.003)


@pytest.mark.parametrize("many", [1, 2, 10])
def test_the_level_of_independent_and_of_equal_errors(many):
    independent = 0.95 ** (1 / many)
    assert joint_level(np.eye(many), 0.95) == pytest.approx(independent, rel=6e-4)
    assert joint_level(np.ones((many, many)), 0.95) == pytest.approx(0.95, abs=3e-3)
    assert joint_level(np.diag([*[0.0] * 3, *[2.0] * many]), 0.95) == joint_level(np.eye(many))
    one_sided = joint_level(np.eye(many), 0.95, sides=1)
    assert one_sided == pytest.approx(independent, rel=6e-4)


def test_what_is_said_of_each_slope():
    many = 4000
    people = side([0.5, 0.4, 0.0], many)
    found = compare_slopes(people, side([0.5, -0.4, 0.0], many, 2))
    assert found.signs == ["same", "opposite", "open"]
    assert found.sizes == ["within", "beyond", "within"]
    found = compare_slopes(people, side([0.0, 0.4, 0.8], many, 3))
    assert found.signs == ["only in people", "same", "only in the simulator"]
    few = compare_slopes(side(n=40), side(n=40, seed=5))
    assert set(few.sizes) == {"open"}


def test_units_of_x_and_y_do_not_matter():
    rng = np.random.default_rng(8)
    y = [X @ BETA + rng.normal(size=N), X @ BETA[::-1] + rng.normal(size=N)]
    scaled = X * [10.0, 0.1, 2.0] + 3.0
    plain, other = (
        compare_slopes(*(linear_slopes(Covariates(x, names=NAMES), c * z) for z in y))
        for x, c in ((X, 1.0), (scaled, 7.0))
    )
    for name in ("root_mean_square", "slope"):
        np.testing.assert_allclose(getattr(plain, name), getattr(other, name), rtol=1e-9)
    np.testing.assert_allclose(plain.standardised, other.standardised, rtol=1e-9)
    assert plain.sizes == other.sizes and plain.signs == other.signs


@pytest.mark.slow
def test_the_root_mean_square_is_that_of_terms_without_noise():
    many = 100_000
    people, simulator = side(n=many), side(GAMMA, n=many, seed=2)
    found = compare_slopes(people, simulator)
    spread = np.sqrt(0.16 + 0.09 * 0.21 + 1.0)
    expected = np.array([0.2, 0.0, 0.3 * np.sqrt(0.21)]) / spread
    np.testing.assert_allclose([term.estimate for term in found.by_term], expected, atol=0.02)
    assert found.root_mean_square.estimate == pytest.approx(np.sqrt((expected**2).mean()), abs=0.01)
    gamma = GAMMA * [1, 1, np.sqrt(0.21)]
    beta = BETA * [1, 1, np.sqrt(0.21)]
    assert found.slope.estimate == pytest.approx(gamma @ beta / (beta @ beta), abs=0.02)
    assert found.slope.lower < found.slope.estimate < found.slope.upper


@pytest.mark.slow
def test_noise_is_subtracted():
    """Of a perfect simulator the mean square is 0 on average, and the slope is 1."""
    squares, slopes = [], []
    for seed in range(100):
        found = compare_slopes(side(seed=seed), side(seed=1000 + seed))
        both = Both(*paired(side(seed=seed), side(seed=1000 + seed)), False)
        root = both.people.roots / np.sqrt(3)
        squares.append(((root @ both.apart) ** 2).sum() - np.trace(root @ both.covariance @ root))
        slopes.append(found.slope.estimate)
        assert found.root_mean_square.lower <= found.root_mean_square.estimate
    assert abs(np.mean(squares)) < 3 * np.std(squares) / np.sqrt(100)
    assert abs(np.nanmean(slopes) - 1.0) < 3 * np.nanstd(slopes) / np.sqrt(100)


def test_the_same_answers_differ_by_nothing():
    people = side()
    assert tuple(compare_slopes(people, people, same_persons=True).root_mean_square) == (0, 0, 0)


def test_an_answer_that_never_changes_has_no_slopes():
    constant = linear_slopes(Covariates(X, names=NAMES), np.full(N, 3.0))
    found = compare_slopes(side(n=4000), constant)
    assert found.signs[0] == "only in people" and found.simulator.upper[0] == pytest.approx(0)
    assert found.root_mean_square.lower > 0.1
    with pytest.raises(TooFewError, match="people all answer the question alike"):
        compare_slopes(constant, side())


def test_slopes_of_one_side_are_left_out():
    people, simulator = side(), side(seed=2)
    some = simulator.take([("", "woman"), ("", "age")])
    assert compare_slopes(people, some).labels == [("", "age"), ("", "woman")]
    with pytest.raises(ValueError, match="slopes of the same outcomes"):
        compare_slopes(
            people, linear_slopes(Covariates(X, names=list("abc")), X @ BETA + RNG.random(N))
        )
    with pytest.raises(ValueError, match="the same persons"):
        compare_slopes(people, side(n=200), same_persons=True)
    with pytest.raises(ValueError, match="limit"):
        compare_slopes(people, simulator, limit=0.0)


@pytest.mark.slow
def test_how_near_other_people_would_come():
    """Against other people who are really drawn."""
    people, square, signs = [side(seed=seed) for seed in range(150)], [], []
    for seed, these in enumerate(people):
        others = side(n=100, seed=5000 + seed)
        apart = these.roots @ (others.estimate - BETA)
        square.append((apart**2).mean())
        signs.append((np.sign(others.estimate) == np.sign(these.estimate)).mean())
    said = [slopes_of_others(these, 100) for these in people]
    squares = np.array([one.root_mean_square**2 for one in said])
    assert squares.mean() == pytest.approx(np.mean(square), rel=0.15)
    share = np.mean([one.same_signs for one in said])
    assert abs(share - np.mean(signs)) < 0.02 + 3 * np.std(signs) / np.sqrt(150)
    many = [slopes_of_others(people[0], n).root_mean_square for n in (50, 200)]
    assert many[0] == pytest.approx(2 * many[1])


def test_signs_of_one_slope_by_hand():
    people = side().take([("", "age")])
    z = people.estimate[0] / people.se[0]
    expected = ndtr(z / np.sqrt(1 + N / 100))
    assert slopes_of_others(people, 100).same_signs == pytest.approx(expected)
