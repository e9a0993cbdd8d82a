"""Equivalent human sample size, against the authors' code, enumeration and limits."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parameters import quick
from reference import exact
from scipy.special import rel_entr
from scipy.stats import hypergeom

from fidelity.comparison.equivalent_sample_size import (
    INTERVALS,
    certified_sample_size,
    equivalent_human_sample_size,
    half_width,
    human_bounds,
    largest_sample_size,
    ordered_miss,
)

ETA = 0.05
CASES = {"general": "clt", "simple": "one_sided_clt"}
HUMANS = ("clt", "one_sided_clt", "witness", "hoeffding")
FIVE = np.linspace(-1, 1, 5)
AUTHORS = {"alpha": 0.1, "dilation": 3.0, "span": 2.0}


VALUES = [Fraction(k, 3) for k in (-3, -1, 0, 1, 3)]
SHARES = np.random.default_rng(5).dirichlet(np.full(5, 2.0), 20)


@pytest.fixture(scope="module")
def scores():
    return np.array([float(value) for value in VALUES])


@pytest.fixture(scope="module")
def people():
    return np.random.default_rng(6).multinomial(500, SHARES)


@pytest.fixture(scope="module")
def drawn():
    """Return 80 simulated answers for each scenario, the places of their scores, in order."""
    other = 0.7 * SHARES + 0.3 * np.roll(SHARES, 1, axis=1)
    generator = np.random.default_rng(7)
    return np.array([generator.choice(5, 80, p=share) for share in other])


@pytest.fixture(scope="module")
def simulated(drawn, scores):
    return scores[drawn]


def human_interval(counts, level):
    """Return people's mean ± z·sd/√n in 30 digits."""
    answers = [value for value, n in zip(VALUES, counts, strict=True) for _ in range(n)]
    middle, error = exact.mean(answers), exact.to_mp(exact.variance(answers) / len(answers))
    margin = exact.normal_quantile(level) * exact.sqrt(error)
    return exact.to_mp(middle) - margin, exact.to_mp(middle) + margin


def authors_miss(people, simulated, scores, case, interval):
    """Return R̂(k), k = 1..80; the authors' interval is the whole range for one or two answers."""
    bounds = human_bounds(people, scores, 0.5, human=CASES[case])
    misses = [
        ordered_miss(row[None], low, high, interval=interval, **AUTHORS)
        for row, low, high in zip(simulated, *bounds, strict=True)
    ]
    return np.append([0.0, 0.0], np.mean(misses, axis=0)[1:])


@pytest.mark.slow
@pytest.mark.parametrize("interval", quick(INTERVALS, only=[*INTERVALS][:1]))
def test_miss_and_sample_size_of_the_authors(people, drawn, simulated, scores, interval):
    """Their answers in their order; exactly the same scenarios miss at every k."""
    misses = np.zeros(80)
    for counts, places in zip(people, drawn, strict=True):
        low, high = human_interval(counts.tolist(), 0.5)
        for k in range(3, 81):
            answers = [VALUES[place] for place in places[:k]]
            margin = exact.dilated_half_width(answers, interval=interval, **AUTHORS)
            middle = exact.to_mp(exact.mean(answers))
            misses[k - 1] += middle - margin > low or middle + margin < high
    miss = authors_miss(people, simulated, scores, "general", interval)
    np.testing.assert_allclose(miss, misses / 20, rtol=1e-14, atol=1e-15)
    k = np.arange(1, 81)
    passed = np.flatnonzero(misses / 20 > 0.05)
    expected = 80 if passed.size == 0 else int(passed[0])
    assert largest_sample_size(k, miss, 0.05) == expected


def enumerated_miss(human, answers, scores, gamma, how):
    """Return the share of subsets of k answers whose interval misses, for k = 2..N."""
    low, high = human_bounds(human[None], scores, gamma, human=how["human"])
    span = np.ptp(scores)
    shares = []
    for k in range(2, len(answers) + 1):
        drawn = np.array(list(combinations(answers, k)))
        margin = half_width(
            drawn.var(axis=1, ddof=1),
            k,
            how["alpha"],
            interval=how["interval"],
            dilation=how["dilation"],
            span=span,
        )
        mean = drawn.mean(1)
        slack = 1e-9 * span
        shares.append(np.mean((mean - margin > low + slack) | (mean + margin < high - slack)))
    return np.array(shares)


@pytest.mark.parametrize("human", HUMANS)
@pytest.mark.parametrize("interval", INTERVALS)
def test_miss_of_two_options_is_that_of_all_subsets(interval, human):
    people = np.array([[3, 4], [40, 2], [0, 9], [300, 500], [55, 60]])
    simulated = np.array([[4, 5], [2, 7], [1, 8], [9, 0], [6, 3]])
    how = {"interval": interval, "human": human, "alpha": 0.4, "dilation": 0.2}
    scores = np.array([-1.0, 2.0])
    result = equivalent_human_sample_size(people, simulated, scores, gamma=0.6, k_min=2, **how)
    for row, human_row, sim_row in zip(result.scenario_miss, people, simulated, strict=True):
        expected = enumerated_miss(human_row, np.repeat(scores, sim_row), scores, 0.6, how)
        np.testing.assert_allclose(row, expected, atol=1e-13)
    assert result.miss.max() > 0


@pytest.mark.parametrize("interval", INTERVALS)
def test_miss_of_five_options_is_that_of_all_subsets_up_to_noise(interval):
    generator = np.random.default_rng(2)
    people = generator.multinomial(60, generator.dirichlet(np.ones(5), 3))
    simulated = generator.multinomial(8, generator.dirichlet(np.ones(5), 3))
    how = {"interval": interval, "human": "clt", "alpha": 0.4, "dilation": 0.2}
    orders = 4000
    result = equivalent_human_sample_size(people, simulated, FIVE, k_min=2, orders=orders, **how)
    for row, human_row, sim_row in zip(result.scenario_miss, people, simulated, strict=True):
        expected = enumerated_miss(human_row, np.repeat(FIVE, sim_row), FIVE, 0.5, how)
        noise = np.sqrt(expected * (1 - expected) / orders)
        assert (np.abs(row - expected) <= 4.5 * noise + 1e-12).all()


def test_miss_of_many_answers_is_a_hypergeometric_probability():
    """Hoeffding: a miss is fewer or more successes than human bounds ± the half-width."""
    people, simulated = np.array([[70, 30], [10, 90]]), np.array([[200, 300], [90, 410]])
    how = {"alpha": 0.2, "interval": "hoeffding", "dilation": 1.0}
    result = equivalent_human_sample_size(people, simulated, human="one_sided_clt", **how)
    margin = half_width(0.0, result.k, **how)
    for row, share, successes in zip(result.scenario_miss, (0.3, 0.9), (300, 410), strict=True):
        too_many = np.floor(result.k * (share + margin) + 1e-9)
        too_few = np.ceil(result.k * (share - margin) - 1e-9)
        drawn = hypergeom(500, successes, result.k)
        np.testing.assert_allclose(row, drawn.sf(too_many) + drawn.cdf(too_few - 1), atol=1e-12)
    assert 0.01 < result.scenario_miss[1].max() < 1.0 + 1e-12


def small_surveys(d):
    counts = st.lists(st.integers(0, 30), min_size=d, max_size=d)
    people = counts.filter(lambda row: sum(row) > 1)
    simulated = counts.filter(lambda row: sum(row) >= 8)
    return st.lists(st.tuples(people, simulated), min_size=1, max_size=5)


@given(st.sampled_from([2, 5]).flatmap(small_surveys), st.sampled_from(INTERVALS), st.data())
def test_order_of_scenarios_and_options_and_unit_of_scores_do_not_matter(rows, interval, data):
    people, simulated = (np.array(counts) for counts in zip(*rows, strict=True))
    m, d = people.shape
    scores = FIVE if d == 5 else np.array([0.0, 1.0])
    how = {"interval": interval, "alpha": 0.3, "dilation": 0.5, "orders": 5}
    result = equivalent_human_sample_size(people, simulated, scores, **how)
    order = np.array(data.draw(st.permutations(range(m))))
    options = np.array(data.draw(st.permutations(range(d))))
    shuffled = equivalent_human_sample_size(
        people[order][:, options], simulated[order][:, options], 7 * scores[options] - 3, **how
    )
    np.testing.assert_allclose(shuffled.scenario_miss, result.scenario_miss[order], atol=1e-12)
    assert shuffled.k_hat == result.k_hat
    assert (np.diff(result.k) == 1).all()
    assert ((result.scenario_miss >= 0) & (result.scenario_miss <= 1)).all()


def test_a_scenario_keeps_its_miss_whatever_else_is_studied():
    generator = np.random.default_rng(6)
    people, simulated = generator.multinomial(50, np.full(5, 0.2), (2, 6))
    how = {"scores": FIVE, "interval": "clt", "orders": 3}
    every = equivalent_human_sample_size(people, simulated, **how).scenario_miss
    last = equivalent_human_sample_size(people[-1:], simulated[-1:], **how).scenario_miss
    np.testing.assert_array_equal(every[-1:], last)
    other = equivalent_human_sample_size(people, simulated, seed=1, **how).scenario_miss
    assert (other != every).any()


def test_orders_of_different_scenarios_are_independent():
    """Otherwise their noise would not average out: R̂'s standard error is sqrt(R̂/(m·orders))."""
    generator = np.random.default_rng(10)
    m, seeds = 60, 40
    people = generator.multinomial(50, np.full(5, 0.2), m)
    simulated = np.tile([5, 6, 7, 8, 9], (m, 1))
    how = {"scores": FIVE, "interval": "clt", "dilation": 1.0, "k_max": 8, "orders": 1}
    misses = [
        equivalent_human_sample_size(people, simulated, seed=seed, **how).miss
        for seed in range(seeds)
    ]
    assert (np.var(misses, axis=0) <= 2 * np.mean(misses, axis=0) / m).all()
    assert np.mean(misses) > 0.02


@pytest.mark.parametrize("alpha", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("d", [2, 4])
def test_an_interval_that_coincides_with_human_bounds_holds_them(d, alpha):
    """Same answers, same bound, same level: rounding must not decide."""
    generator = np.random.default_rng(11)
    counts = generator.multinomial(70, generator.dirichlet(np.full(d, 3.0), 40))
    for level, miss in ((alpha, 0.0), (alpha + 1e-9, 1.0)):
        result = equivalent_human_sample_size(
            counts,
            counts,
            np.arange(d) / 3,
            gamma=1 - alpha,
            alpha=level,
            human="hoeffding",
            dilation=1.0,
            orders=2,
        )
        np.testing.assert_allclose(result.scenario_miss[:, -1], miss, atol=1e-12)


@pytest.mark.parametrize(
    ("miss", "expected"),
    [
        ([0.0, 0.05, 0.04], 12),
        ([0.0, 0.06, 0.0], 10),
        ([0.06, 0.0, 0.0], 0),
        ([0.05 + 1e-15, 0.1, 0.1], 10),
        ([0.0, 0.0, 0.0501], 11),
    ],
)
def test_sample_size_stops_at_the_first_failure(miss, expected):
    assert largest_sample_size(np.arange(10, 13), np.array(miss), 0.05) == expected


@pytest.mark.parametrize(("m", "gamma"), [(400, 0.5), (400, 0.8), (59, 0.5), (58, 0.5)])
def test_the_certified_size_is_the_largest_that_chernoffs_bound_allows(m, gamma):
    """KL(R̂(k) ‖ γα) is at least log(1/η)/m up to there: of 58 scenarios it is not even at 0."""
    generator = np.random.default_rng(7)
    p = generator.uniform(0.35, 0.65, m)
    q = p + 0.2 * np.sqrt(p * (1 - p)) * generator.choice([-1, 1], m)
    people, simulated = (
        np.stack([n - yes, yes], 1)
        for n, yes in ((10**6, generator.binomial(10**6, p)), (400, generator.binomial(400, q)))
    )
    found = equivalent_human_sample_size(people, simulated, gamma=gamma, alpha=0.1)
    most = 0.1 * gamma
    apart = rel_entr(found.miss, most) + rel_entr(1 - found.miss, 1 - most)
    allowed = (found.miss < most) & (m * apart >= np.log(1 / ETA))
    certified = certified_sample_size(found, ETA)
    assert certified == (found.k[np.argmin(allowed) - 1] if allowed[0] else 0) < found.k_hat
    assert (certified > 0) == (m >= 59)


COUNTS = np.full((3, 2), 10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"simulated_counts": COUNTS + 0.5}, "whole numbers"),
        ({"human_counts": -COUNTS, "human": "clt"}, "at least 0"),
        ({"human_counts": np.zeros((3, 2))}, "at least one answer"),
        ({"human_counts": np.eye(2)[[0, 0, 1]], "human": "clt"}, "more than one answer"),
        ({"k_max": 21}, "k_max"),
        ({"k_min": 1}, "k_min"),
        ({"k_min": 9, "k_max": 8}, "k_max must be a whole number in 9..20"),
        ({"alpha": 0.0}, "alpha"),
        ({"gamma": 1.0}, "gamma"),
        ({"dilation": 0.0}, "dilation"),
        ({"orders": 0}, "orders"),
        ({"interval": "wald"}, "clt, hoeffding, bernstein"),
        ({"human": "wald"}, "witness"),
        ({"scores": [1.0, 1.0]}, "not all equal"),
    ],
)
def test_mistakes_are_refused(change, message):
    arguments = {"human_counts": COUNTS, "simulated_counts": COUNTS} | change
    with pytest.raises(ValueError, match=message):
        equivalent_human_sample_size(**arguments)
