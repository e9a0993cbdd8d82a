"""Slope, correlation, spreads, directions and picks: by hand, and where the truth is known."""

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact, linregress, pearsonr, t

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


@pytest.mark.parametrize("kind", ["stated", "drawn", "the same persons"])
def test_moments_by_hand(kind):
    """Less the noise of each side, and what the same persons have in common."""
    rng = np.random.default_rng(0)
    people, drawn = experiment(rng, rng.normal(size=MANY)), experiment(rng, rng.normal(size=MANY))
    model = stated_effects(drawn.estimate, people.labels) if kind == "stated" else drawn
    found = compare_effects(people, model, same_persons=kind == "the same persons")
    v, u = people.covariance, 0.0 * drawn.covariance if kind == "stated" else drawn.covariance
    common = np.zeros((MANY, MANY))
    if kind == "the same persons":
        one, two = (side.influence.toarray() for side in (people, drawn))
        common = one.T @ two
        np.testing.assert_allclose(one.T @ one, v, atol=1e-12)
    centred = np.eye(MANY) - 1 / MANY
    tau, sigma = people.estimate, model.estimate
    n, a, b = (
        one @ centred @ two - np.trace(centred @ noise)
        for one, two, noise in ((tau, sigma, common), (sigma, sigma, u), (tau, tau, v))
    )
    assert found.correlation.estimate == pytest.approx(n / np.sqrt(a * b), abs=1e-12)
    beale = 0.0 if kind == "stated" else 0.03  # A is known: no correction
    assert found.slope.estimate == pytest.approx(n / a, abs=1e-12, rel=beale)
    square = ((tau - sigma) ** 2).mean() - np.trace(v + u - 2 * common) / MANY
    assert found.mean_squared.estimate == pytest.approx(square, abs=1e-12)
    if kind != "the same persons":
        zero = stated_effects(np.zeros(MANY), people.labels)
        less = square - ((tau**2).mean() - np.trace(v) / MANY)
        assert lesser_square(people, model, zero).estimate == pytest.approx(less, abs=1e-12)
    assert found.spread_ratio.lower < np.sqrt(a / b) < found.spread_ratio.upper
    assert found.spread_ratio.estimate == pytest.approx(np.sqrt(a / b), rel=0.03)


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


def binary(counts, sizes, names, **more):
    """Return effects of arms with so many ones, the last arm the control."""
    answers = np.concatenate(
        [np.repeat([1, 0], [x, n - x]) for x, n in zip(counts, sizes, strict=True)]
    )
    return arm_effects(answers, np.repeat(names, sizes), control=names[-1], **more)


def wilson(x, n, k):
    middle, root = x + k**2 / 2, k * np.sqrt(x * (n - x) / n + k**2 / 4)
    return (middle - root) / (n + k**2), (middle + root) / (n + k**2)


@pytest.mark.parametrize(("n", "rates"), [(50, (0.01, 0.01)), (100, (0.03, 0.01)), (40, (0.5, 0))])
def test_an_effect_of_rare_answers_is_covered(n, rates):
    """By the probabilities of all pairs of counts that are not too rare."""
    most = [int(binom.isf(1e-5, n, rate)) + 1 for rate in rates]
    pairs = [(x, y) for x in range(most[0] + 1) for y in range(most[1] + 1)]
    one, two = np.array(pairs).T
    chance = binom.pmf(one, n, rates[0]) * binom.pmf(two, n, rates[1])
    pairs, chance = np.array(pairs)[chance > 1e-6], chance[chance > 1e-6]
    names = [f"x{row:04d}" for row in range(len(pairs))]
    outcomes = np.repeat(names, 2 * n + 1)
    answers = np.concatenate(
        [np.repeat([1, 0] * 2 + [1], [x, n - x, y, n - y, 1]) for x, y in pairs]
    )
    arms = np.tile(np.repeat(["t", "c", "other"], [n, n, 1]), len(pairs))
    low, high = arm_effects(answers, arms, control="c", outcomes=outcomes).intervals().T
    true = rates[0] - rates[1]
    covered = chance[(low <= true + 1e-12) & (true <= high + 1e-12)].sum() / chance.sum()
    assert covered >= 0.95
    assert (high > low).all()


def test_an_effect_has_newcombes_interval_with_students_quantile():
    people = binary([9, 3], [40, 60], ["new", "old"])
    k = t.isf(0.025, people.df[0])
    (l1, u1), (l2, u2) = wilson(9, 40, k), wilson(3, 60, k)
    p, q = 9 / 40, 3 / 60
    ends = p - q - np.hypot(p - l1, u2 - q), p - q + np.hypot(u1 - p, q - l2)
    np.testing.assert_allclose(people.intervals()[0], ends, atol=1e-12)
    published = binary([56, 48], [70, 80], ["new", "old"]).intervals()[0]
    np.testing.assert_allclose(published, [0.0524, 0.3339], atol=0.0013)  # Newcombe 1998, (a)


def test_a_mean_of_effects_takes_the_shared_control_once():
    people = binary([1, 0, 4, 2], [50, 50, 60, 80], ["a", "b", "c", "old"])
    shift = compare_effects(people, stated_effects(np.zeros(3), people.labels)).shift
    k, rates = t.isf(0.025, people.df.min()), np.array([1 / 50, 0.0, 4 / 60, 2 / 80])
    limits = np.array([wilson(x, n, k) for x, n in ((1, 50), (0, 50), (4, 60), (2, 80))])
    below, above = (np.abs(limits.T - rates)).round(15)
    weights = np.array([1 / 3, 1 / 3, 1 / 3, 1.0])
    sides = [np.append(above[:3], below[3]), np.append(below[:3], above[3])]
    reach = [np.sqrt(((weights * side) ** 2).sum()) for side in sides]
    mean = rates[:3].mean() - rates[3]
    assert shift == pytest.approx((-mean, -mean - reach[0], -mean + reach[1]), abs=1e-12)


def test_where_no_answer_varies_every_interval_has_a_width():
    people = binary([0, 0, 3, 0], [60] * 4, ["a", "b", "c", "old"]).take([0, 1])
    zero, right = (stated_effects([x, 0.0], people.labels) for x in (0.0, 0.01))
    both = [people.intervals()[0], compare_effects(people, zero).shift[1:]]
    both += [compare_effects(people, zero).mean_squared[1:], lesser_square(people, right, zero)[1:]]
    both += [mean_distance(people, zero)[2:], [d[0] for d in effect_distances(people, zero)[3:]]]
    for low, high in both:
        assert low <= 0.0 < 1e-4 < high < 1.0
    assert people.is_few.all() and not directions(people, right).people.any()
    gain = picks(people, right, best=1).gain
    assert gain.lower < 0.0 < gain.upper
    unknown = arm_effects([5.0] * 8 + [5.0] * 8, ["t"] * 8 + ["c"] * 8, control="c")
    assert np.isinf(unknown.intervals()).all()  # without limits nothing is known
    one, other = (stated_effects([x], unknown.labels) for x in (0.02, 0.0))
    assert np.isinf(lesser_square(unknown, one, other)[1:]).all()
    assert lesser_square(unknown, one, one) == (0.0, 0.0, 0.0)
    limited = arm_effects([0.0] * 60, ["t", "c"] * 30, control="c", bounds=(0, 1))
    assert 0.1 < limited.intervals()[0, 1] < 0.2


def test_answers_with_limits_have_one_more_at_each_end():
    rng = np.random.default_rng(0)
    answers = np.concatenate([rng.integers(2, 5, 30), np.full(40, 2)])
    arms = ["t"] * 30 + ["c"] * 40
    people = arm_effects(answers, arms, control="c", bounds=(1, 5))
    more = [np.append(part, [2, 4]) for part in (answers[:30], answers[30:])]
    plain = answers[:30].var() / 30, 0.0
    error = [max(one.var() / len(one), less) for one, less in zip(more, plain, strict=True)]
    weight = 30 / 29, 40 / 39  # n - 1 below
    low, high = people.intervals()[0]
    reach = t.isf(0.025, people.df[0]) * np.sqrt(np.dot(weight, error))
    assert (high - low) / 2 == pytest.approx(reach, rel=1e-9)


def exact(tau, noise=1e-7):
    """Return effects of interventions that persons' chance hardly touches."""
    arms = np.repeat(np.arange(len(tau) + 1), 4)
    means = np.append(tau, 0.0)[arms]
    answers = means + noise * np.tile([-1, 1, 2, -2], len(tau) + 1)
    names = np.char.zfill(arms.astype(str), 3)
    return arm_effects(answers, names, control=names[-1])


def over_new(tau, sigma):
    people = exact(tau)
    simulator = stated_effects(sigma, people.labels)
    return (
        compare_effects(people, simulator, target="new"),
        mean_distance(people, simulator, target="new"),
    )


def test_one_new_intervention_tells_nothing():
    comparison, mean = over_new([0.3], [0.1])
    for interval in (comparison.shift, comparison.slope):
        assert np.isinf([interval.lower, interval.upper]).all()
    assert comparison.shift.estimate == pytest.approx(-0.2, abs=1e-6)
    assert comparison.mean_squared[1:] == (0.0, np.inf)
    assert comparison.correlation[1:] == (-1.0, 1.0) and mean[2:] == (0.0, np.inf)


def test_two_new_interventions_have_no_slope_and_three_no_correlation():
    two, three = over_new([0.3, 0.1], [0.4, 0.2])[0], over_new([0.3, 0.1, 0], [0.4, 0.2, 0.1])[0]
    assert np.isinf(two.slope[1:]).all() and two.spread_ratio[1:] == (0.0, np.inf)
    assert np.isfinite(two.shift[1:]).all() and np.isfinite(three.slope[1:]).all()
    assert three.correlation[1:] == (-1.0, 1.0)


@pytest.mark.parametrize("many", [4, 8])
def test_new_interventions_have_classical_intervals(many):
    """Where persons' chance is nearly nothing: t, least squares, Fisher's z, Pitman and Morgan."""
    rng = np.random.default_rng(many)
    sigma = rng.normal(0.1, 0.1, many)
    tau = 0.5 * sigma + rng.normal(0.05, 0.04, many)
    comparison = over_new(tau, sigma)[0]
    apart = sigma - tau
    half = t.isf(0.025, many - 1) * apart.std(ddof=1) / np.sqrt(many)
    assert comparison.shift[1:] == pytest.approx(
        (apart.mean() - half, apart.mean() + half), abs=1e-5
    )
    line = linregress(sigma, tau)
    half = t.isf(0.025, many - 2) * line.stderr
    assert comparison.slope[1:] == pytest.approx((line.slope - half, line.slope + half), abs=1e-4)
    ends = pearsonr(sigma, tau).confidence_interval(0.95)
    assert comparison.correlation[1:] == pytest.approx(tuple(ends), abs=1e-4)
    for end in comparison.spread_ratio[1:]:  # sums and differences just have no common trend
        r = pearsonr(sigma + end * tau, sigma - end * tau).statistic
        assert abs(r) * np.sqrt((many - 2) / (1 - r * r)) == pytest.approx(
            t.isf(0.025, many - 2), rel=1e-3
        )


def test_the_error_of_a_small_control_is_no_difference_of_all_new_interventions():
    yes, asked = [38, 52, 41, 49, 9], [150] * 4 + [20]  # of the control 45 %, of others 30 %
    names = np.repeat(["a", "b", "c", "d", "old"], asked)
    answers = np.concatenate([np.arange(n) < k for k, n in zip(yes, asked, strict=True)])
    people = arm_effects(answers.astype(float), names, control="old")
    simulator = stated_effects(np.zeros(4), people.labels)
    lower = compare_effects(people, simulator, target="new").mean_squared.lower
    assert lower == 0.0 and people.intervals()[:, 1].min() > 0.0


def test_few_interventions_on_a_line_leave_a_width_of_their_ratio_of_spreads():
    comparison, _ = over_new([0.3, 0.1, 0.02], [0.31, 0.12, 0.0])
    lower, upper = comparison.spread_ratio[1:]
    r = pearsonr([0.3, 0.1, 0.02], [0.31, 0.12, 0.0]).statistic
    k = 1.0 + 2.0 * (1.0 - r * r) * t.isf(0.025, 1) ** 2
    assert upper / lower == pytest.approx(np.exp(np.arccosh(k)), rel=1e-4)
