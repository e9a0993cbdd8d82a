"""Alpha, the sum and the first eigenvalue, against numpy and known truths."""

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import wasserstein_distance

from fidelity import mean_discrepancy
from fidelity.structure import (
    AnswerTable,
    TooFewError,
    compare_scale,
    cronbach_alpha,
    first_eigenvalue,
    group_differences,
    keyed,
    pair_tables,
    scale_sums,
    variance_ratios,
)
from fidelity_audit.structure import Cell, coverage

RNG = np.random.default_rng(0)
ANSWERS = np.digitize(RNG.normal(size=(80, 1)) + RNG.normal(size=(80, 5)), [-1.0, 0.0, 1.0]).astype(
    float
)
WEIGHTS = RNG.choice([1.0, 3.0], 80)


def alpha(table):
    many = len(table)
    return many / (many - 1) * (1 - np.trace(table) / table.sum())


def pairwise(x, w):
    """Return covariances among those who answered both, with denominator n - 1."""
    found = np.zeros((x.shape[1], x.shape[1]))
    for a in range(x.shape[1]):
        for b in range(x.shape[1]):
            there = ~np.isnan(x[:, a] + x[:, b])
            n = w[there].sum() ** 2 / (w[there] ** 2).sum()
            plain = np.cov(x[there, a], x[there, b], aweights=w[there], ddof=0)[0, 1]
            found[a, b] = plain * n / (n - 1.0)
    return found


def test_alpha_of_numpy_with_weights_and_missing_answers():
    assert cronbach_alpha(ANSWERS).estimate == pytest.approx(alpha(np.cov(ANSWERS.T)), abs=1e-12)
    x = np.where(np.random.default_rng(1).random(ANSWERS.shape) < 0.2, np.nan, ANSWERS)
    found = cronbach_alpha(AnswerTable(x, WEIGHTS))
    assert found.estimate == pytest.approx(alpha(pairwise(x, WEIGHTS)), abs=1e-12)


def test_interval_of_alpha_by_leaving_out():
    values = np.log(1 - alpha(np.cov(ANSWERS.T)))
    left = np.array(
        [np.log(1 - alpha(np.cov(np.delete(ANSWERS, i, 0).T))) for i in range(len(ANSWERS))]
    )
    effects = values - left
    t = 2.0 * (effects**2).sum() ** 2
    t /= (effects**4).sum() - (effects**2).sum() ** 2 / len(effects)
    reach = student.isf(0.025, min(t, 79)) * np.sqrt((effects**2).sum())
    found = cronbach_alpha(ANSWERS)
    expected = 1 - np.exp(values + effects.sum() + np.array([reach, -reach]))
    np.testing.assert_allclose(found[1:], expected, atol=1e-9)


def test_first_eigenvalue_of_numpy():
    found = first_eigenvalue(ANSWERS, generator=np.random.default_rng(0))
    assert found.raw == pytest.approx(np.linalg.eigvalsh(np.corrcoef(ANSWERS.T))[-1] / 5, abs=1e-12)


def test_the_same_persons_do_not_differ():
    found = compare_scale(ANSWERS, ANSWERS, same_persons=True)
    assert found.difference == (0.0, 0.0, 0.0)
    assert found.variance_ratio == (1.0, 1.0, 1.0)


def test_sums_as_a_scenario():
    x, y = ANSWERS.copy(), ANSWERS[:50, ::-1] + 1.0
    x[0, 0] = np.nan
    people, model = scale_sums(AnswerTable(x, WEIGHTS), y)
    sums = ANSWERS[1:].sum(1)
    mean = (people.counts * people.scores).sum() / people.counts.sum()
    assert mean == pytest.approx(np.average(sums, weights=WEIGHTS[1:]), abs=1e-9)
    assert model.draws.tolist() == [50.0]
    assert (model.shares @ people.scores)[0] == pytest.approx(y.sum(1).mean())
    equal, other = scale_sums(ANSWERS, y)
    assert equal.counts.sum() == 80
    distance = mean_discrepancy(equal, other, discrepancy="w1")
    expected = wasserstein_distance(ANSWERS.sum(1), y.sum(1))
    assert distance.upper == pytest.approx(expected, abs=1e-9)


def test_keyed():
    np.testing.assert_array_equal(keyed([[1, 2], [5, np.nan]], [0, 1], [1, 5]).values[0], [1, 4])


def test_the_first_eigenvalue_of_independent_questions_is_not_claimed():
    rng = np.random.default_rng(3)
    found = first_eigenvalue(rng.normal(size=(50, 20)), generator=rng)
    assert 0.10 < found.independent < 0.13  # .05 without the bias
    assert np.isnan(found.share.estimate) == (found.raw <= found.independent_largest)


@pytest.mark.slow
def test_intervals_hold():
    found = coverage(Cell(100, 100, 5, "flat", "missing", "even"), 100)
    for name in ("alpha", "alpha difference", "variance of the sum", "dispersion"):
        assert found[name].above + found[name].below < 0.12
        assert found[name].mean == pytest.approx(found[name].true, abs=0.05)


def test_refusals():
    with pytest.raises(ValueError, match="two questions"):
        cronbach_alpha([[1.0], [2.0]])
    with pytest.raises(ValueError, match="variances"):
        cronbach_alpha([[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(TooFewError, match="all be the same"):
        scale_sums([[1.0, 2.0], [2.0, 1.0]], [[2.0, 1.0]])
    with pytest.raises(ValueError, match="somebody"):
        scale_sums([[1.0, np.nan]], [[1.0, 2.0]])


def test_alpha_of_rare_answers_is_not_known():
    answers = np.zeros((100, 3))
    answers[:3] = np.eye(3)
    found = cronbach_alpha(answers)
    assert found.estimate == pytest.approx(
        1.5 * (1.0 - answers.var(0).sum() / answers.sum(1).var())
    )
    assert found[1:] == (-np.inf, 1.0)
    mood = np.arange(100)[:, None] < [40, 45, 50]
    assert np.isfinite(cronbach_alpha(mood.astype(float))).all()


def answers(n, seed, loading=1.0, questions=5):
    rng = np.random.default_rng(seed)
    hidden = loading * rng.normal(size=(n, 1)) + rng.normal(size=(n, questions))
    return np.digitize(hidden, [-0.7, 0.7]).astype(float)


def test_counts_by_hand():
    x, y = answers(40, 0, questions=3), answers(30, 1, questions=3)
    x[:5, 0] = np.nan
    weights = np.arange(1.0, 41.0)
    found = pair_tables(AnswerTable(x, weights), y, generator=np.random.default_rng(2))
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    w = weights / weights.mean()
    for row, (a, b) in enumerate(found.pairs):
        for i in range(3):
            for j in range(3):
                here = (x[:, a] == i) & (x[:, b] == j)
                assert found.people.raw[row, 3 * i + j] == pytest.approx(w[here].sum())
                share = ((y[:, a] == i) & (y[:, b] == j)).mean()
                assert found.simulator.shares[row, 3 * i + j] == pytest.approx(share)
    there = w[5:]
    assert found.people.sizes[0] == pytest.approx(there.sum() ** 2 / (there**2).sum())
    assert found.simulator.draws.tolist() == [30.0] * 3
    assert found.independent.draws.tolist() == [15.0] * 3


def test_questions_with_different_options_have_no_cells_beside():
    x = np.stack([np.arange(40) % 2, np.arange(40) % 4, np.arange(40) // 2 % 3], 1)
    found = pair_tables(x, x, generator=np.random.default_rng(0))
    assert (~np.isnan(found.people.counts)).sum(1).tolist() == [8, 6, 12]


@pytest.mark.slow
def test_independent_draws_are_unbiased_for_the_margins_multiplied():
    rng = np.random.default_rng(0)
    y = answers(60, 1, questions=2)
    shares = [
        pair_tables(y, y, generator=rng, persons=False).independent.shares[0] for _ in range(1000)
    ]
    margins = [np.bincount(column.astype(int), minlength=3) / 60 for column in y.T]
    joint = np.histogram2d(*y.T, bins=(3, 3))[0].ravel() / 60
    expected = (60 * np.outer(*margins).ravel() - joint) / 59  # two different runs
    np.testing.assert_allclose(np.mean(shares, 0), expected, atol=0.015)


def test_folds_split_people():
    found = pair_tables(answers(301, 0), answers(200, 1), generator=np.random.default_rng(2))
    one, two = found.folds
    np.testing.assert_array_equal(one.people.counts + two.people.counts, found.people.counts)
    margins = one.people.counts[0].reshape(3, 3)
    product = np.outer(margins.sum(1), margins.sum(0)) / margins.sum() ** 2
    np.testing.assert_allclose(two.people_independent.shares[0], product.ravel(), atol=1e-12)


def test_many_pairs_are_drawn_by_the_seed():
    x, y = answers(60, 0), answers(60, 1)
    chosen = [
        pair_tables(x, y, generator=np.random.default_rng(3), most=4).pairs.tolist()
        for _ in range(2)
    ]
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == 4


def test_tables_of_pairs_refuse_what_they_cannot_count():
    x, rng = answers(60, 0), np.random.default_rng(0)
    with pytest.raises(ValueError, match="same questions"):
        pair_tables(x, x[:, :3], generator=rng)
    with pytest.raises(ValueError, match="four respondents"):
        pair_tables(x, x[:3], generator=rng)


GROUP = RNG.choice(3, 90, p=[0.5, 0.3, 0.2])
PEOPLE = 0.6 * GROUP[:, None] + RNG.normal(size=(90, 4))
PEOPLE[RNG.random(PEOPLE.shape) < 0.1] = np.nan
OTHER = RNG.choice(3, 60)
MODEL = 1.2 * OTHER[:, None] + RNG.normal(size=(60, 4))


def between(x, group, shares):
    """Return B and the variance within of one question."""
    own = [x[(group == g) & ~np.isnan(x)] for g in range(3)]
    means = np.array([each.mean() for each in own])
    chance = np.array([each.var(ddof=1) / len(each) for each in own])
    apart = shares @ (means - shares @ means) ** 2
    return apart - shares * (1 - shares) @ chance, shares @ [each.var(ddof=1) for each in own]


def test_between_variance_by_hand():
    found = group_differences(PEOPLE, MODEL, GROUP, OTHER)
    for j in range(4):
        there = GROUP[~np.isnan(PEOPLE[:, j])]
        shares = np.bincount(there) / len(there)
        one, within = between(PEOPLE[:, j], GROUP, shares)
        two, _ = between(MODEL[:, j], OTHER, shares)
        assert found.people[j].estimate == pytest.approx(one, abs=1e-12)
        assert found.simulator[j].estimate == pytest.approx(two, abs=1e-12)
        assert found.people_shares[j] == pytest.approx(one / (one + within), abs=1e-12)


def test_a_person_of_weight_two_is_not_two_persons():
    weights = RNG.integers(1, 4, 90)
    one = group_differences(AnswerTable(PEOPLE, weights), MODEL, GROUP, OTHER)
    again = np.repeat(PEOPLE, weights, 0), np.repeat(GROUP, weights)
    two = group_differences(again[0], MODEL, again[1], OTHER)
    assert one.people[0].estimate < two.people[0].estimate  # the same people tell less


def test_without_differences_of_people_there_is_no_ratio():
    rng = np.random.default_rng(1)
    found = group_differences(rng.normal(size=(90, 4)), MODEL, rng.integers(0, 3, 90), OTHER).ratio
    assert np.isnan(found.estimate) and found.upper == np.inf


def test_variance_ratios_by_hand():
    ratios, mean = variance_ratios(PEOPLE, MODEL)
    expected = np.var(MODEL, axis=0) / np.nanvar(PEOPLE, axis=0)
    np.testing.assert_allclose([each.estimate for each in ratios], expected, atol=1e-12)
    assert mean.estimate == pytest.approx(np.exp(np.log(expected).mean()), abs=1e-12)


def test_constant_answers_have_a_ratio_of_zero():
    ratios, mean = variance_ratios(PEOPLE[:, :2], np.stack([np.ones(60), MODEL[:, 0]], 1))
    assert tuple(ratios[0]) == (0.0, 0.0, np.inf)
    assert mean.estimate == pytest.approx(ratios[1].estimate)


def test_groups_that_cannot_differ_are_refused():
    with pytest.raises(ValueError, match="same two groups"):
        group_differences(PEOPLE, MODEL, GROUP, np.zeros(60))
    with pytest.raises(ValueError, match="same questions"):
        variance_ratios(PEOPLE, MODEL[:, :2])


@pytest.mark.slow
def test_the_ratio_covers_where_two_groups_hardly_differ():
    rng = np.random.default_rng(3)
    group = np.repeat([0, 1], 150)
    covered = []
    for _ in range(300):
        people, model = (
            difference * group[:, None] + rng.normal(size=(300, 1)) for difference in (1.0, 0.15)
        )
        found = group_differences(people, model, group, group)
        covered.append(found.ratio.lower <= 0.15**2 <= found.ratio.upper)
    assert np.mean(covered) >= 0.93


@pytest.mark.parametrize("same_persons", [False, True])
def test_slope_of_three_groups_by_hand(same_persons):
    rng, group = np.random.default_rng(2), np.repeat([0, 1, 2], [1500, 900, 600])
    x = 0.4 * group + rng.normal(size=3000)
    y = 0.6 * group + rng.normal(size=3000) + same_persons * x
    found = group_differences(x[:, None], y[:, None], group, group, same_persons=same_persons)
    shares = np.array([0.5, 0.3, 0.2])
    means = np.array([[side[group == g].mean() for g in range(3)] for side in (x, y)])
    gaps = means - (means @ shares)[:, None]
    cov = [np.cov(x[group == g], y[group == g])[0, 1] / (group == g).sum() for g in range(3)]
    chance = (shares * (1 - shares)) @ cov if same_persons else 0.0
    plain = (shares @ gaps.prod(0) - chance) / between(x, group, shares)[0]
    assert found.slope.estimate == pytest.approx(plain, rel=0.01)  # but for Beale's correction
    assert found.slope == found.slopes[0]


def test_slope_of_two_groups_is_the_ratio_of_two_differences():
    rng, group = np.random.default_rng(2), np.repeat([0, 1], 300)
    people, model = (size * group + rng.normal(size=600) for size in (1.0, -0.7))
    found = group_differences(people[:, None], model[:, None], group, group)
    (n, v_n), (d, v_d) = (
        (one.mean() - zero.mean(), one.var(ddof=1) / 300 + zero.var(ddof=1) / 300)
        for one, zero in ((side[group == 1], side[group == 0]) for side in (model, people))
    )
    assert found.slope.estimate == pytest.approx(n / d, rel=0.02)
    for end in found.slope[1:]:  # Fieller: (N - θD)² = t²·Var(N - θD)
        t = abs(n - end * d) / np.sqrt(v_n + end**2 * v_d)
        assert t == pytest.approx(1.96, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("rates", "n"), [((0.004, 0.036), 20), ((0.02, 0.02), 400)])
def test_variance_between_groups_of_rare_answers_is_not_known_to_be_nothing(rates, n):
    rng, held, group = np.random.default_rng(n), 0, np.repeat([0, 1], n)
    rate = np.array(rates)
    for _ in range(400):
        people = (rng.random((2 * n, 1)) < rate[group][:, None]).astype(float)
        found = group_differences(people, people[::-1], group, group)
        low, high = found.people[0][1:]
        held += low <= rate.var() <= high
        assert low < high
        assert found.few_answers[0] == (min(people[group == g].sum() for g in (0, 1)) < 5)
    assert held / 400 + 2.0 * np.sqrt(0.05 * 0.95 / 400) >= 0.95


def test_a_ratio_of_variances_is_at_least_0():
    group, member = np.repeat([0, 1], 100), np.arange(100)
    people = np.concatenate([member < 0, member < 17]).astype(float)[:, None]
    simulator = np.tile(member < 5, 2).astype(float)[:, None]
    (ratio,) = group_differences(people, simulator, group, group).ratios
    assert ratio.estimate < 0.0 and ratio.lower == 0.0 < ratio.upper
