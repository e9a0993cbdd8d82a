"""Slope, correlation, spreads, directions and picks: by hand, and where the truth is known."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from fidelity.effects import (
    arm_effects,
    compare_effects,
    compare_points,
    directions,
    effect_distances,
    lesser_square,
    mean_distance,
    picks,
    stated_effects,
)

MANY = 40


def experiment(rng, true, n=60, control=60, noise=1.0):
    arms = np.repeat(np.arange(len(true) + 1), [control] + [n] * len(true))
    means = np.concatenate([[0.0], true])[arms]
    return arm_effects(
        means + noise * rng.normal(size=len(arms)),
        np.char.add("x", np.char.zfill(arms.astype(str), 3)),
        control="x000",
    )


def test_moments_by_hand_with_stated_effects():
    rng = np.random.default_rng(0)
    people = experiment(rng, rng.normal(size=MANY))
    sigma = rng.normal(size=MANY)
    found = compare_effects(people, stated_effects(sigma, people.labels))
    v = people.covariance
    centred = np.eye(MANY) - 1 / MANY
    n, a = np.cov(people.estimate, sigma, ddof=0)[0, 1] * MANY, sigma.var() * MANY
    b = people.estimate.var() * MANY - np.trace(centred @ v)
    assert found.correlation.estimate == pytest.approx(n / np.sqrt(a * b), abs=1e-12)
    assert found.slope.estimate == pytest.approx(n / a, abs=1e-12)  # A is known: no correction
    square = ((people.estimate - sigma) ** 2).mean() - np.trace(v) / MANY
    assert found.mean_squared.estimate == pytest.approx(square, abs=1e-12)
    assert found.spread_ratio.lower < np.sqrt(a / b) < found.spread_ratio.upper


@pytest.mark.slow
def test_noise_of_both_sides_is_taken_out():
    estimates = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        true = 0.3 * rng.normal(size=MANY)
        sides = experiment(rng, true), experiment(rng, 2.0 * true, n=30)
        found = compare_effects(*sides)
        slope, correlation = found.slope.estimate, found.correlation.estimate
        estimates.append([slope, correlation, found.spread_ratio.estimate])
    means = np.mean(estimates, 0)
    np.testing.assert_allclose(means, [0.5, 1.0, 2.0], rtol=0.05)
    naive = np.corrcoef(sides[0].estimate, sides[1].estimate)[0, 1]
    assert naive < 0.95


@pytest.mark.slow
def test_the_same_persons_noise_is_no_agreement():
    """People and twins with common errors: without correction the mean slope is far from 0."""
    corrected, plain = [], []
    for seed in range(1000, 1030):
        rng = np.random.default_rng(seed)
        error = rng.normal(size=(MANY + 1) * 20)
        arms = np.repeat(np.arange(MANY + 1), 20)
        true, simulated = rng.normal(size=(2, MANY + 1)) * 0.4
        sides = [
            arm_effects(effect[arms] + error, arms, control="0") for effect in (true, simulated)
        ]
        corrected.append(compare_effects(*sides, same_persons=True).slope.estimate)
        plain.append(compare_effects(*sides).slope.estimate)
    assert abs(np.nanmean(corrected)) < 0.07
    assert np.nanmean(plain) > 0.2


def test_a_slope_that_cannot_be_told_is_infinite():
    people = experiment(np.random.default_rng(0), np.zeros(5))
    flat = compare_effects(people, experiment(np.random.default_rng(1), np.zeros(5)))
    assert np.isnan(flat.slope.estimate) and np.isinf(flat.slope.upper)
    assert np.isnan(flat.correlation.estimate)


def test_the_shift_is_a_contrast_of_the_means_of_arms():
    """By hand: both sides' arms, and each side's control, which all its effects share."""
    rng = np.random.default_rng(5)
    arms = [np.repeat(np.arange(5), sizes) for sizes in ([40, 30, 50, 20, 60], [25] * 5)]
    answers = [rng.normal(place, 1 + place) for place in arms]
    answers[1] += 3.0 * (arms[1] > 0)
    sides = [
        arm_effects(y, place.astype(str), control="0")
        for y, place in zip(answers, arms, strict=True)
    ]
    shift = compare_effects(*sides).shift
    means, variances = (
        np.array(
            [
                [of(y[place == arm]) for arm in range(5)]
                for y, place in zip(answers, arms, strict=True)
            ]
        )
        for of in (np.mean, lambda y: y.var(ddof=1) / len(y))
    )
    weights = np.array([-1.0, *[0.25] * 4])
    assert shift.estimate == pytest.approx((means[1] - means[0]) @ weights, abs=1e-12)
    se = np.sqrt((variances @ weights**2).sum())
    assert 1.96 * se < shift.upper - shift.estimate < 2.1 * se
    known = compare_effects(sides[0], stated_effects(sides[1].estimate, sides[1].labels)).shift
    assert known.upper - known.estimate == pytest.approx(
        2 * np.sqrt(variances[0] @ weights**2), rel=0.05
    )
    double = compare_effects(sides[0], sides[0], same_persons=True).shift
    assert max(map(abs, double)) < 1e-12


@pytest.mark.slow
def test_lists_of_directions_keep_their_rate():
    wrong = {"same": [], "opposite": []}
    for seed in range(75):
        rng = np.random.default_rng(seed)
        true = np.where(rng.random(MANY) < 0.5, 0.0, rng.choice([-0.8, 0.8], MANY))
        simulated = np.where(rng.random(MANY) < 0.5, true, rng.choice([-0.8, 0.0, 0.8], MANY))
        people = experiment(rng, true)
        signs = directions(people, experiment(rng, simulated), level=0.1)
        agree = np.sign(true) * np.sign(simulated)
        for name, is_wrong in (("same", agree <= 0), ("opposite", agree >= 0)):
            listed = getattr(signs, name)
            assert signs.people[listed].all()
            wrong[name].append((listed & is_wrong).sum() / max(listed.sum(), 1))
    assert max(np.mean(wrong["same"]), np.mean(wrong["opposite"])) < 0.1
    assert signs.same.sum() > 0


def test_no_variance_proves_no_direction():
    """Of numbers without limits; of two kinds of answers, where Fisher's exact test is clear."""
    arms = ["t"] * 5 + ["c"] * 5 + ["u"] * 2
    people = arm_effects([1] * 5 + [0] * 5 + [3, 4], arms, control="c").take([0])
    signs = directions(people, stated_effects([0.5], people.labels))
    assert signs.agree.all() and not signs.same.any() and not signs.people.any()
    assert np.isinf(people.intervals()).all()
    for n in (2, 3, 5, 8):
        people = arm_effects([1] * n + [0] * n, ["t"] * n + ["c"] * n, control="c")
        is_clear = fisher_exact([[n, 0], [0, n]]).pvalue < 0.05
        assert (people.intervals()[0, 0] > 0.0) == is_clear
        assert directions(people, stated_effects([0.5], people.labels)).same.tolist() == [is_clear]
    zero = directions(people, stated_effects([0.0], people.labels))
    assert not zero.agree.any() and not zero.same.any() and not zero.opposite.any()


@pytest.mark.slow
def test_difference_of_mean_squares_is_unbiased():
    differences, covered = [], 0
    true = np.linspace(-0.5, 0.5, 12)
    expected = 0.04 - (true**2).mean()
    for seed in range(1000, 1300):
        rng = np.random.default_rng(seed)
        people = experiment(rng, true, n=40)
        model = experiment(rng, true + 0.2, n=40)
        zero = stated_effects(np.zeros(12), people.labels)
        found = lesser_square(people, model, zero)
        differences.append(found.estimate)
        covered += found.lower < expected < found.upper
    assert np.mean(differences) == pytest.approx(expected, abs=0.016)  # three standard errors
    assert covered / 300 > 0.92


def test_picks_by_hand():
    labels = [(outcome, arm) for outcome in "xy" for arm in "abcd"]
    arms = [arm for arm in "abcd0" for _ in range(2)] * 2
    answers = np.repeat([1, 2, 3, 4, 0, 4, 3, 2, 1, 0], 2)
    people = arm_effects(answers, arms, control="0", outcomes=np.repeat(["x", "y"], 10))
    model = stated_effects([0, 0, 9, 8, 0, 5, 5, 5], labels)
    found = picks(people, model)
    assert found.shared == pytest.approx((1.0 + 1 / 3) / 2)  # y: two of three ties, one of the best
    assert found.chance == 0.5
    assert found.gain.estimate == pytest.approx((3.5 + 2.0) / 2 - 2.5)
    with pytest.raises(ValueError, match="more than 4"):
        picks(people, model, best=4)


def test_picks_are_settled_by_the_simulators_errors():
    rng = np.random.default_rng(2)
    people = experiment(rng, [0.9, 0.8, 0.1, 0.0], n=400, control=400)
    clear = picks(people, experiment(rng, [0.9, 0.8, 0.1, 0.0], n=400, control=400))
    assert clear.settled and clear.best_settled
    noise = picks(people, experiment(rng, np.zeros(4), n=400, control=400))
    assert not noise.settled and noise.best_settled
    assert not picks(people, stated_effects([1, 0.5, 0.5, 0.5], people.labels)).settled
    assert picks(people, stated_effects([1, 0.5, 0.4, 0.4], people.labels)).settled


@pytest.mark.slow
def test_picks_of_noise_are_rarely_settled():
    """Two equal interventions: the one on top is called settled in 5 % of studies."""
    settled, rng = 0, np.random.default_rng(4)
    people = experiment(rng, [0.1, 0.0])
    for _ in range(250):
        settled += picks(people, experiment(rng, np.zeros(2), n=20), best=1).settled
    assert 0.02 < settled / 250 < 0.09


def test_no_variance_settles_no_pick():
    answers = [answer for answer in (5, 4, 1, 1) for _ in range(4)]
    model = arm_effects(answers, [arm for arm in "abc0" for _ in range(4)], control="0")
    people = arm_effects([1, 2, 1, 3, 4, 5, 6, 8], list("aabbcc00"), control="0")
    assert not picks(people, model, best=1).settled


def test_effects_without_errors_are_compared_as_points_only():
    labels = [("", name) for name in "abc"]
    people, model = (stated_effects(x, labels) for x in ([1, 2, -1], [2, 4, 1]))
    for measure in (compare_effects, directions, mean_distance, effect_distances, picks):
        with pytest.raises(ValueError, match="no errors, so that nothing is certain"):
            measure(people, model)
    points = compare_points(people, model)
    assert (points.effects, points.agree) == (3, 2)
    assert points.slope == pytest.approx(np.polyfit([2, 4, 1], [1, 2, -1], 1)[0])
    assert points.correlation == pytest.approx(np.corrcoef([1, 2, -1], [2, 4, 1])[0, 1])
    assert points.distance == 3.0


@pytest.mark.slow
def test_the_ratio_of_spreads_covers_where_effects_are_few_and_small():
    rng = np.random.default_rng(5)
    arms = np.repeat(["a", "b", "c", "none"], 60)
    tau = {"a": -0.9, "b": 0.0, "c": 0.9, "none": 0.0}
    sigma = {"a": -0.2, "b": 0.0, "c": 0.2, "none": 0.0}
    covered = []
    for _ in range(150):
        people, simulator = (
            arm_effects(
                [true[arm] for arm in arms] + rng.normal(size=len(arms)), arms, control="none"
            )
            for true in (tau, sigma)
        )
        interval = compare_effects(people, simulator).spread_ratio
        covered.append(interval.lower <= 0.2 / 0.9 <= interval.upper)
    assert np.mean(covered) >= 0.922


@pytest.mark.slow
def test_the_mean_distance_covers_where_effects_are_few_and_small():
    rng = np.random.default_rng(0)
    tau = np.array([0.08, 0.01, -0.08, 0.02, 0.0, -0.03, 0.05, 0.01, 0.09, -0.07])
    arms = np.tile(np.repeat(["control", "t"], 100), len(tau))
    outcomes = np.repeat(np.arange(len(tau)).astype(str), 200)
    rate = np.stack([np.full(len(tau), 0.5), 0.5 + tau], 1).repeat(100, 1).ravel()
    misses = np.zeros(2)
    for _ in range(200):
        answers = (rng.random(len(rate)) < rate).astype(float)
        people = arm_effects(answers, arms, control="control", outcomes=outcomes, bounds=(0, 1))
        mean = mean_distance(people, stated_effects(np.zeros(len(tau)), people.labels))
        true = np.abs(tau).mean()
        misses += true < mean.ci_lower, true > mean.ci_upper
    assert misses.max() < 10  # of 5 expected
