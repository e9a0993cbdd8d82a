"""Certified shares of scenarios: closed forms, brute force over tests, and the worst case."""

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from outcomes import outcomes_of
from scipy.stats import binom, binomtest, multinomial, t, ttest_rel

from fidelity import (
    certified_scenarios,
    difference_bounds,
    mean_difference,
    pseudo_discrepancy,
    scenario_p_values,
)
from fidelity.comparison import compare_versions, variance_between
from fidelity.comparison.draw_variance import disjoint_sets, variance_of_squared_distance
from fidelity.comparison.error_bars import paired_error_bar
from fidelity.comparison.pairwise import (
    bonferroni_level,
    certified_closer_share,
    closer_share_p_value,
    clustered_closer_share,
    clustered_closer_share_p_value,
    holm,
    not_certified,
)
from fidelity.comparison.proper_scores import (
    brier_by_scenario,
    crps_by_scenario,
    log_score_by_scenario,
)
from fidelity.comparison.ranking import better, rank_intervals, simultaneous_differences
from fidelity.comparison.versions import farther_p
from fidelity.curves.guarantee import exact_miss
from fidelity.discrepancies import DISCREPANCIES
from fidelity.responses import Responses


def test_ties_are_certified_as_close_but_not_as_closer():
    upper = np.array([[-0.1, 0.0, 0.2], [np.inf, -np.inf, 0.0]])
    assert not_certified(upper, strictly=False).tolist() == [
        [False, False, True],
        [True, False, False],
    ]
    assert not_certified(upper, strictly=True).tolist() == [
        [False, True, True],
        [True, False, True],
    ]
    with pytest.raises(ValueError, match="undefined"):
        not_certified(np.array([np.nan]), strictly=True)


def test_the_limit_is_that_of_the_exact_bound_at_zero():
    """The exact bound at the rank of the last certified scenario, and SciPy's binomial limit."""
    m, missed = 40, np.arange(40)
    limits = certified_closer_share(missed, m, "0.8", 0.05)
    np.testing.assert_allclose(limits, 1 - exact_miss(m, "0.8", 0.05)[m - missed - 1], rtol=1e-12)
    expected = binomtest(7, m, alternative="less").proportion_ci(0.95).high
    assert limits[7] == pytest.approx(1 - expected / 0.8)
    assert certified_closer_share(40, m, "0.8", 0.05) == 0


def test_the_test_inverts_the_limit():
    m, missed = 60, np.arange(61)
    for share in ("1/3", "1/2", "4/5"):
        rejected = closer_share_p_value(missed, m, "0.7", share) <= 0.05
        limit = certified_closer_share(missed, m, "0.7", 0.05)
        np.testing.assert_array_equal(rejected, limit >= float(Fraction(share)))


def test_never_rejects_too_often_and_rejects_as_often_as_the_binomial_says():
    """All outcomes enumerated in the worst case: missed with probability γ(1-share) exactly."""
    m, gamma = 200, 0.8
    counts = np.arange(m + 1)
    p_values = closer_share_p_value(counts, m, gamma)
    sizes = []
    for share in np.linspace(0.3, 0.5, 9):
        sizes.append(binom.pmf(counts, m, gamma * (1 - share)) @ (p_values <= 0.05))
    assert max(sizes) == sizes[-1] <= 0.05
    assert sizes[-1] > 0.03
    power = binom.pmf(counts, m, 0.28) @ (p_values <= 0.05)
    assert power > 0.9


def test_holm_is_the_closed_test_of_bonferroni():
    """Every intersection of hypotheses is tested, with brute force over all subsets."""
    generator = np.random.default_rng(0)
    for _ in range(30):
        p_values = generator.random(5) ** 3
        subsets = list(chain.from_iterable(combinations(range(5), r) for r in range(1, 6)))
        local = {each: min(1.0, len(each) * min(p_values[list(each)])) for each in subsets}
        closed = [max(p for each, p in local.items() if i in each) for i in range(5)]
        np.testing.assert_allclose(holm(p_values), closed)
    np.testing.assert_allclose(
        holm([[0.01, 0.04, 0.03], [0.5, 0.5, 0.6]]), [[0.03, 0.06, 0.06], [1, 1, 1]]
    )


def test_clusters_of_one_are_the_chernoff_bound_and_bound_the_exact_one():
    missed = np.repeat([True, False], [5, 25])
    own = np.arange(30)
    limit = clustered_closer_share(missed, own, "0.8", 0.05)
    assert 0 < limit < certified_closer_share(5, 30, "0.8", 0.05)
    p_value = clustered_closer_share_p_value(missed, own, "0.8")
    assert p_value > closer_share_p_value(5, 30, "0.8")
    edge = clustered_closer_share_p_value(missed, own, "0.8", str(limit))
    assert edge == pytest.approx(0.05, rel=1e-4)
    assert clustered_closer_share_p_value(~missed, own, "0.8") == 1


def test_small_clusters_weigh_as_much_as_large_ones():
    clusters = ["a"] * 10 + ["b"] * 2
    first = clustered_closer_share_p_value(np.repeat([1, 0], [10, 2]), clusters, 1, "0.1")
    second = clustered_closer_share_p_value(np.repeat([0, 1], [10, 2]), clusters, 1, "0.1")
    assert first == second


def test_shared_people_certify_as_fewer_scenarios_would():
    """Chernoff's bound with m/shared scenarios, whose limit and p-value agree."""
    limit = certified_closer_share(30, 240, 0.5, 0.05, shared=3)
    assert limit < certified_closer_share(30, 240, 0.5, 0.05)
    assert closer_share_p_value(30, 240, 0.5, limit, shared=3) == pytest.approx(0.05)
    assert certified_closer_share(0, 50, 0.9, 0.05, shared=50) == 0.0
    assert closer_share_p_value(0, 50, 0.9, shared=50) > 0.5


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


UNEVEN = np.array([-1.0, 0.5, 2.0])


@pytest.mark.parametrize("name", ["tv", "w1", "absolute", "squared"])
@pytest.mark.parametrize("d", [2, 3])
def test_the_p_value_is_that_of_the_witness(name, d):
    """Δ̂ at γ = 1 - p is the tolerance: inf{1 - γ : Δ̂^γ ≤ t}."""
    rng = np.random.default_rng(2)
    counts = rng.multinomial(60, np.full(d, 1 / d), size=12)
    q = rng.dirichlet(np.full(d, 8.0), 12)
    scores = UNEVEN[:d]
    t = 0.35 if name != "squared" else 0.2
    p = scenario_p_values(Responses(counts, scores=scores), q, discrepancy=name, tolerance=t).within
    checked = 0
    for j in np.flatnonzero((p > 1e-8) & (p < 0.999)):
        upper = pseudo_discrepancy(
            counts[[j]], q[[j]], confidence_set="witness", discrepancy=name,
            gamma=1 - p[j], scores=scores,
        ).upper  # fmt: skip
        assert upper[0] == pytest.approx(t, abs=1e-6)
        checked += 1
    assert checked > 3


def test_total_variation_by_hand():
    x, q, t = np.array([30, 15, 5]), np.array([0.5, 0.3, 0.2]), 0.05
    subsets = [[0], [1], [2], [0, 1], [0, 2], [1, 2]]
    few = [binom.cdf(x[s].sum(), 50, min(1, t + q[s].sum())) for s in subsets]
    many = [binom.sf(x[s].sum() - 1, 50, min(1, t + q[s].sum())) for s in subsets]
    found = scenario_p_values([x], [q], discrepancy="tv", tolerance=t)
    assert found.within[0] == pytest.approx(max(few))
    assert found.beyond[0] == pytest.approx(min(1.0, 6 * min(many)))


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["tv", "w1", "absolute", "squared"])
@pytest.mark.parametrize("d", [2, 3])
def test_answers_left_out_count_as_whatever_is_worst(name, d):
    """The p-values are no smaller than those of any complete answers, and equal the worst."""
    rng = np.random.default_rng(3)
    counts = rng.multinomial(60, np.full(d, 1 / d), size=12)
    q, left = rng.dirichlet(np.full(d, 8.0), 12), rng.uniform(0.0, 0.3, 12)
    left[0], left[1] = 0.0, 1.0
    people, rest = Responses(counts, scores=UNEVEN[:d]), {"discrepancy": name, "tolerance": 0.2}
    found = scenario_p_values(people, q, unanswered=left, **rest)
    complete = [
        (1 - left)[:, None] * q + left[:, None] * r
        for r in [*np.eye(d), *rng.dirichlet(np.full(d, 0.5), 100)]
    ]
    tried = [scenario_p_values(people, each, **rest) for each in complete]
    within, farther = (np.max([getattr(p, which) for p in tried], 0) for which in found._fields)
    np.testing.assert_allclose(found.within, within, atol=1e-12)
    assert (found.beyond >= farther - 1e-12).all()
    assert np.allclose(found.beyond, farther, atol=1e-12) or d > 2


def test_a_tolerance_that_nothing_exceeds_is_certain():
    found = scenario_p_values([[3, 4]], [[0.5, 0.5]], discrepancy="tv", tolerance=1.0)
    assert found.within[0] == 0.0 and found.beyond[0] == 1.0


def test_lists_are_those_of_the_definition():
    p = np.random.default_rng(1).beta(0.3, 2.0, 60)
    order = np.argsort(p)
    for dependent, factor in ((False, 1.0), (True, (1 / np.arange(1, 61)).sum())):
        passed = np.sort(p) <= 0.1 * np.arange(1, 61) / 60 / factor
        many = np.flatnonzero(passed).max() + 1 if passed.any() else 0
        expected = np.zeros(60, bool)
        expected[order[:many]] = True
        found = certified_scenarios(p, 0.1, dependent=dependent)
        np.testing.assert_array_equal(found, expected)


def test_functionals_that_no_answers_can_exceed_take_nothing_from_the_level():
    """Two options, q = .1, t = .2: only "the first option's share exceeds .3" can be shown."""
    found = scenario_p_values([[30, 30]], [[0.1, 0.9]], discrepancy="tv", tolerance=0.2)
    assert found.beyond[0] == pytest.approx(binom.sf(29, 60, 0.3))
    either = scenario_p_values([[30, 30]], [[0.5, 0.5]], discrepancy="tv", tolerance=0.2)
    assert either.beyond[0] == min(1.0, 2 * binom.sf(29, 60, 0.7))
    never = scenario_p_values([[30, 30]], [[0.5, 0.5]], discrepancy="tv", tolerance=0.5)
    assert never.beyond[0] == 1.0


def test_p_values_of_farther_hold_over_all_samples_of_two_options():
    """At a share just t away, of every q: P(p ≤ α) ≤ α at every α."""
    x, t = np.arange(31.0), 0.2
    counts = np.stack([x, 30 - x], axis=1)
    for q in (0.02, 0.1, 0.2, 0.35, 0.5):
        for p in (q + t, q - t):
            if 0 <= p <= 1:
                shares = np.tile([q, 1 - q], (31, 1))
                found = scenario_p_values(counts, shares, discrepancy="tv", tolerance=t).beyond
                weight = binom.pmf(x, 30, p)
                assert all(weight[found <= level].sum() <= level + 1e-9 for level in found)


SCORES = np.array([-1.0, 0.0, 2.0])


def study(m=20, n=100, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([3.0, 2.0, 2.0], m)
    old = np.array([rng.dirichlet(60 * row + 0.1) for row in p])
    new = np.array([rng.dirichlet(15 * row + 0.1) for row in p])
    return rng.multinomial(n, p), old, new, p


def test_the_mean_is_that_of_the_difference():
    counts, old, new, _ = study()
    clusters = np.arange(20) // 4
    found = compare_versions(
        Responses(counts, clusters=clusters), old, new, discrepancy="tv", target="new", level=0.9
    )
    expected = mean_difference(
        Responses(counts, clusters=clusters), new, old, discrepancy="tv", target="new", level=0.9
    )
    assert found.mean == expected
    bounds = difference_bounds(counts, new, old, discrepancy="tv")
    assert (found.lower == bounds.lower).all()
    assert (found.upper == bounds.upper).all()


def test_versions_changed_around_change_sides():
    counts, old, new, _ = study(m=80)
    there = compare_versions(counts, old, new, discrepancy="tv", margin=0.005)
    back = compare_versions(counts, new, old, discrepancy="tv", margin=0.005)
    assert there.mean.ci_lower == pytest.approx(-back.mean.ci_upper)
    assert there.lower == pytest.approx(-back.upper)
    assert (there.got_worse == back.got_better).all()
    assert there.worse_p == pytest.approx(back.better_p)
    assert (there.verdict, back.verdict) == ("worse", "better")


@pytest.mark.parametrize(
    ("margin", "verdict"), [(0.0, "worse"), (0.1, "undecided"), (0.5, "within the margin")]
)
def test_the_verdict_is_where_the_interval_lies(margin, verdict):
    counts, old, new, _ = study()
    found = compare_versions(counts, old, new, discrepancy="tv", margin=margin)
    assert 0.0 < found.mean.ci_lower < 0.1 < found.mean.ci_upper < 0.5
    assert found.verdict == verdict


@pytest.mark.parametrize("name", ["chi2", "hellinger", "js", "mmd_gaussian"])
def test_no_list_is_made_without_a_test(name):
    counts, old, new, _ = study()
    found = compare_versions(Responses(counts, scores=SCORES), old, new, discrepancy=name)
    assert (found.worse_p == 1.0).all()
    assert (found.better_p == 1.0).all()


def test_a_version_that_rules_out_an_option_is_on_no_list_of_kl():
    found = compare_versions([[30, 20]], [[0.5, 0.5]], [[1.0, 0.0]], discrepancy="kl")
    assert found.worse_p[0] == found.better_p[0] == 1.0


def test_lists_are_benjamini_and_hochbergs_or_yekutielis():
    counts, old, new, _ = study(m=60, n=400)
    found = compare_versions(counts, old, new, discrepancy="tv")
    assert (found.got_worse == certified_scenarios(found.worse_p)).all()
    assert found.got_worse.any()
    shared = compare_versions(
        Responses(counts, respondents=np.zeros(60)), old, new, discrepancy="tv"
    )
    assert (shared.got_worse == certified_scenarios(found.worse_p, dependent=True)).all()
    assert shared.got_worse.sum() < found.got_worse.sum()


def test_two_options_are_a_binomial_test():
    """One f separates both versions, and has the whole level."""
    old, new = np.array([0.5, 0.5]), np.array([0.2, 0.8])
    functionals = DISCREPANCIES["tv"].functionals(2, None)
    found = farther_p(np.array([[30.0, 20.0]]), new[None], old[None], functionals, 0.0)
    # |p - .2| ≤ |p - .5| where p ≤ .35
    assert found[0] == pytest.approx(binom.sf(29, 50, 0.35))


@pytest.mark.parametrize("name", ["tv", "w1", "absolute"])
def test_p_values_are_valid_over_all_samples(name):
    """At p just as far from both, and at the edge of a margin: P(p ≤ α) ≤ α at every α."""
    rng, samples = np.random.default_rng(1), outcomes_of(12)
    measure = DISCREPANCIES[name]
    functionals = measure.functionals(3, measure.checked_scores(SCORES, 3))
    for _ in range(12):
        p, old, new = rng.dirichlet([2.0, 2.0, 2.0], 3)
        far = [measure.between(p[None], q[None], SCORES)[0] for q in (new, old)]
        margin = max(0.0, far[0] - far[1])
        if margin == 0.0:
            new, old, margin = old, new, far[1] - far[0]
        repeat = [np.tile(q, (len(samples), 1)) for q in (new, old)]
        found = farther_p(samples, *repeat, functionals, margin)
        weight = multinomial.pmf(samples, 12, p)
        order = np.argsort(found)
        below = weight[order].cumsum()
        last = np.append(np.diff(found[order]) > 1e-12, True)
        assert (below[last] <= found[order][last] + 1e-9).all()


@pytest.mark.parametrize("name", ["w1", "absolute"])
def test_p_values_are_in_the_unit_of_two_options_scores(name):
    rng = np.random.default_rng(5)
    counts = rng.multinomial(80, [0.4, 0.6], 30)
    old, new = rng.dirichlet([4.0, 4.0], (2, 30))
    one, ten = (
        compare_versions(
            Responses(counts, scores=scores), old, new, discrepancy=name, margin=margin
        )
        for scores, margin in (([0, 1], 0.05), ([10, 0], 0.5))
    )
    np.testing.assert_allclose(ten.worse_p, one.worse_p)
    np.testing.assert_allclose(ten.better_p, one.better_p)
    assert (one.worse_p < 0.05).any()


def distributions(generator, m, d):
    return generator.dirichlet(np.ones(d), m)


def brute_force(stated, counts, penalty):
    """Return the mean of penalty(q, i) over all answers, one by one."""
    found = []
    for q, row in zip(stated, counts, strict=True):
        answers = [i for i, many in enumerate(row) for _ in range(many)]
        found.append(np.mean([penalty(q, i) for i in answers]))
    return np.array(found)


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("n", [1, 2, 40])
def test_scores_are_means_over_the_answers_one_by_one(d, n):
    generator = np.random.default_rng([d, n])
    stated, counts = distributions(generator, 30, d), generator.multinomial(n, np.ones(d) / d, 30)
    people = counts / n
    eye = np.eye(d)
    brier = brute_force(stated, counts, lambda q, i: sum((q[j] - eye[i, j]) ** 2 for j in range(d)))
    log = brute_force(stated, counts, lambda q, i: -np.log(q[i]))
    assert brier_by_scenario(stated, people) == pytest.approx(brier, abs=1e-12)
    assert log_score_by_scenario(stated, people) == pytest.approx(log, abs=1e-12)


def test_the_crps_is_its_integral():
    generator = np.random.default_rng(1)
    values = np.sort(generator.normal(size=7))
    stated, counts = distributions(generator, 20, 7), generator.multinomial(5, np.ones(7) / 7, 20)
    grid = np.linspace(values[0] - 1, values[-1] + 1, 400_001)
    at = np.searchsorted(values, grid, "right")

    def integral(q, i):
        below = np.concatenate([[0.0], np.cumsum(q)])[at]
        return np.trapezoid((below - (values[i] <= grid)) ** 2, grid)

    expected = brute_force(stated, counts, integral)
    assert crps_by_scenario(stated, counts / 5, values) == pytest.approx(expected, abs=2e-5)


def test_an_option_that_was_answered_but_stated_0_is_infinitely_bad():
    stated, people = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    assert log_score_by_scenario(stated, people).tolist() == [0.0, np.inf]
    assert brier_by_scenario(stated, people).tolist() == [0.0, 1.0]


def test_two_prompts_have_the_product_of_their_differences():
    a, b = np.random.default_rng(0).random((2, 2, 7))
    found = variance_between(a, b)
    assert found.between == pytest.approx(((a[0] - a[1]) * (b[0] - b[1]) / 2).mean())
    means = (a[0].mean() - a[1].mean()) * (b[0].mean() - b[1].mean()) / 2
    assert found.of_means == pytest.approx(means)
    assert found.total == pytest.approx(((a[0] - a[1]) ** 2 + (b[0] - b[1]) ** 2).mean() / 4)
    assert found.chance == pytest.approx(found.total - found.between)
    assert found.m == 7


def test_it_is_the_mean_covariance_of_all_pairs_of_prompts():
    a, b = np.random.default_rng(1).random((2, 4, 5))
    by_numpy = [np.cov(a[:, j], b[:, j])[0, 1] for j in range(5)]
    assert variance_between(a, b).between == pytest.approx(np.mean(by_numpy))


def test_the_interval_holds_for_new_scenarios():
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        truth = 0.3 + 0.05 * generator.normal(size=(3, 60))
        found = variance_between(*generator.normal(truth, 0.1, (2, *truth.shape)))
        held += found.lower <= 0.05**2 <= found.upper
    assert 0.91 < held / 400 < 0.98


def test_several_ways_to_halve_are_averaged():
    a, b = np.random.default_rng(6).random((2, 5, 3, 4))
    each = [variance_between(*pair) for pair in zip(a, b, strict=True)]
    found = variance_between(a, b)
    for name in ("between", "total", "chance", "of_means"):
        assert getattr(found, name) == pytest.approx(np.mean([getattr(one, name) for one in each]))


@pytest.mark.parametrize(("k", "d"), [(4, 2), (5, 3), (7, 3), (6, 4)])
def test_the_variance_of_squared_distances_is_unbiased_over_all_outcomes(k, d):
    generator = np.random.default_rng(k)
    q, p, score = generator.dirichlet(np.ones(d)), generator.dirichlet(np.ones(d)), np.arange(d)
    counts = outcomes_of(k, d)
    chance = multinomial.pmf(counts, k, q)
    distance = score - p @ score
    for squared, gram in (
        ((counts @ distance / k) ** 2, np.outer(distance, distance)),
        (((counts / k - p) ** 2).sum(1), (np.eye(d) - p) @ (np.eye(d) - p).T),
    ):
        truth = chance @ squared**2 - (chance @ squared) ** 2
        found = variance_of_squared_distance(counts, np.broadcast_to(gram, (len(counts), d, d)))
        assert chance @ found == pytest.approx(truth, rel=1e-10)


def test_answers_that_are_all_the_same_have_no_variance_of_either_sign():
    """What is left by rounding was printed as a negative variance."""
    generator, options = np.random.default_rng(1), np.arange(5)
    for k in (4, 8, 25, 100):
        p = generator.dirichlet(np.ones(5), 50)
        distance = options - (p @ options)[:, None]
        gram = distance[:, :, None] * distance[:, None]
        counts = k * np.eye(5)[generator.integers(0, 5, 50)]
        assert (variance_of_squared_distance(counts, gram) == 0).all()


def test_sets_share_no_answers_and_are_as_large_as_the_first():
    counts, first = np.array([40, 7, 60]), np.array([9, 2, 9])
    sets = disjoint_sets(counts, first, 20, np.random.default_rng(0))
    assert sets.shape == (5, 3)
    assert (sets[0] == first).all()
    assert (sets.sum(1) == 20).all()
    assert (sets.sum(0) <= counts).all()
    assert len(disjoint_sets(counts, first, 3, np.random.default_rng(0))) == 3
    assert len(disjoint_sets(counts, counts, 9, np.random.default_rng(0))) == 1


THIRDS, TENTHS = np.ones((2, 3)) / 3, [[0.1, 0.2], [0.1, 0.2]]


def p_values_of(name):
    return scenario_p_values([[3, 4]], [[0.5, 0.5]], discrepancy=name, tolerance=0.1)


def versions(of_old, of_new):
    counts, old, new, _ = study()
    return compare_versions(counts, old[of_old], new[of_new], discrepancy="tv")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: certified_closer_share(5, 4, "0.5", 0.05), "in 0..m, m = 4"),
        (lambda: certified_closer_share(0.5, 4, "0.5", 0.05), "missed must be whole numbers"),
        (lambda: certified_closer_share(1, 4, "0.5", 0.0), "eta"),
        (lambda: closer_share_p_value(1, 4, 0, "0.5"), "gamma must be"),
        (lambda: closer_share_p_value(1, 4, "0.5", 1), "share must be"),
        (lambda: bonferroni_level(0.05, 1), "n_simulators must be a whole number of at least 2"),
        (lambda: holm([0.5, np.nan]), "p_values must be"),
        (lambda: clustered_closer_share([True], ["a", "b"], "0.5", 0.05), "vector of 1 labels"),
        (lambda: simultaneous_differences(np.zeros((5, 1))), "at least 2 simulators"),
        (lambda: simultaneous_differences(np.zeros((5, 2)), alpha=1.0), "alpha"),
        (
            lambda: simultaneous_differences(np.ones((5, 2)), clusters=[1] * 5),
            "clusters must be at least 2",
        ),
        *(
            (lambda name=name: p_values_of(name), "must be one of absolute, squared, tv, w1")
            for name in ("kl", "hellinger", "variance")
        ),
        (lambda: versions(slice(None), slice(3)), "new must be a table"),
        (lambda: versions(slice(3), slice(None)), "old must be a table"),
        *(
            (lambda values=values: crps_by_scenario(THIRDS, THIRDS, np.array(values)), "increasing")
            for values in ([0.0, 1.0, 1.0], [0.0, 1.0])
        ),
        (lambda: variance_between([[0.1, 0.2]], [[0.1, 0.2]]), "scores are to be"),
        (lambda: variance_between([[0.1], [0.2]], [[0.1], [0.2]]), "scores are to be"),
        (lambda: variance_between(TENTHS, np.ones((2, 3))), "scores are to be"),
        (lambda: variance_between([0.1, 0.2], [0.1, 0.2]), "scores are to be"),
        (lambda: variance_between([[0.1, np.nan], [0.1, 0.2]], TENTHS), "scores are to be"),
        (
            lambda: variance_of_squared_distance(np.array([[2, 1]]), np.ones((1, 2, 2))),
            "at least 4 draws",
        ),
        (lambda: disjoint_sets(np.array([3, 1]), np.array([1, 2]), 5, draw()), "not among all"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
