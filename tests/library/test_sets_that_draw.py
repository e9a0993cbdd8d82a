"""Bootstrap intervals, against SciPy's on the same and on other resamples, and their coverage."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, bootstrap, chi2, multinomial, multivariate_hypergeom

from fidelity import resample, subsample
from fidelity.curves.quantile import empirical_quantile
from fidelity.sets import betting
from fidelity.sets import bootstrap as module
from fidelity.sets.betting import betting_upper, sequence_lower
from fidelity.sets.bootstrap import (
    acceleration,
    bootstrap_quantiles,
    mean,
    parameter_named,
    quantile_at,
    replicates,
    variance,
)
from fidelity.stream import stream

# In eighths, so that equal means of different resamples are equal in floating point too.
SKEW = np.sort(np.round(8 * np.random.default_rng(8).exponential(size=40)) / 8)
BOTH_SIDES = [0.05, 0.95]
NAMES = ("mean", "variance", "quantile 0.6")


def generator(seed=0):
    return np.random.default_rng(seed)


def reduced(sample):
    return np.unique(sample, return_counts=True)


def of_samples(name):
    """Return the parameter as SciPy calls it: samples along the last axis."""

    def statistic(samples, axis=-1):
        samples = np.moveaxis(np.asarray(samples), axis, -1)
        if name == "mean":
            return samples.mean(-1)
        if name == "variance":
            return samples.var(-1, ddof=1)
        rank = int(np.ceil(round(float(name.split()[1]) * samples.shape[-1], 9)))
        return np.sort(samples, axis=-1)[..., rank - 1]

    return statistic


@given(st.lists(st.integers(0, 4), min_size=2, max_size=8), st.sampled_from([0.1, 0.5, 0.7, 0.99]))
def test_parameters_are_those_of_the_expanded_sample(counts, level):
    counts = np.array([counts, [2] * len(counts)])
    counts[0, 0] += 2
    values = np.cumsum(np.arange(1.0, counts.shape[1] + 1)) - 3
    samples = [np.repeat(values, row) for row in counts]
    assert mean(values, counts) == pytest.approx([x.mean() for x in samples], abs=1e-12)
    expected = [x.var(ddof=1) for x in samples]
    assert variance(values, counts) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    expected = [empirical_quantile(x, [level])[0] for x in samples]
    np.testing.assert_array_equal(quantile_at(level)(values, counts), expected)


def test_quantile_ranks_are_exact():
    """.14 · 50 is 7, although the nearest binary number times 50 exceeds 7."""
    assert parameter_named("quantile 0.14")(np.arange(1.0, 51), np.ones((1, 50), int)) == 7


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((name, "unknown parameter") for name in ("median", "", "quantile", "mean 1")),
        *((f"quantile {level}", "strictly between") for level in ("0", "1", "-0.2")),
    ],
)
def test_unknown_parameters_and_levels_are_refused(name, reason):
    with pytest.raises(ValueError, match=reason):
        parameter_named(name)


def test_resamples_are_multinomial():
    estimates = replicates(np.array([0.0, 1.0]), np.array([4, 2]), mean, 20_000, generator())
    successes = np.rint(6 * estimates)
    observed = np.bincount(successes.astype(int), minlength=7)
    expected = 20_000 * binom.pmf(np.arange(7), 6, 1 / 3)
    assert chi2.sf(((observed - expected) ** 2 / expected).sum(), 6) > 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_acceleration_leaves_out_one_response_after_the_other(name):
    left_out = np.array([of_samples(name)(np.delete(SKEW, i)) for i in range(len(SKEW))])
    deviations = left_out.mean() - left_out
    expected = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    found = acceleration(*reduced(SKEW), parameter_named(name))
    assert found == pytest.approx(expected, rel=1e-9)
    assert abs(found) > 1e-3


def test_acceleration_is_zero_where_no_response_matters():
    """Leaving one out never moves this median; rounding must not make an acceleration of it."""
    assert acceleration(np.array([0.1, 0.3]), np.array([40, 3]), quantile_at(0.5)) == 0.0


@pytest.mark.parametrize(("method", "scipy_name"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("name", NAMES)
def test_bounds_are_those_of_scipy_on_the_same_resamples(name, method, scipy_name):
    values, counts = reduced(SKEW)
    parameter = parameter_named(name)
    earlier = SimpleNamespace(
        bootstrap_distribution=replicates(values, counts, parameter, 1000, generator(5))
    )

    def by_scipy(gamma, alternative):
        return bootstrap(
            (SKEW,),
            of_samples(name),
            n_resamples=0,
            bootstrap_result=earlier,
            confidence_level=gamma,
            alternative=alternative,
            method=scipy_name,
        ).confidence_interval

    arguments = values, counts[None]
    interval = bootstrap_quantiles(*arguments, BOTH_SIDES, parameter, method, generator(5))
    expected = by_scipy(0.9, "two-sided")
    np.testing.assert_allclose(np.ravel(interval), expected, rtol=1e-10)
    sides = bootstrap_quantiles(*arguments, [0.2, 0.8], parameter, method, generator(5))
    expected = [by_scipy(0.8, "greater").low, by_scipy(0.8, "less").high]
    np.testing.assert_allclose(sides[0], expected, rtol=1e-10)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_neither_the_order_of_the_columns_nor_empty_ones_change_anything(method):
    values, counts = reduced(SKEW)
    order = generator(4).permutation(len(values))
    moved = np.concatenate([[np.nan, -7.0], values[order], [1e9]])
    padded = np.pad(counts[order], (2, 1))
    for name in NAMES:
        bounds = [
            bootstrap_quantiles(
                *sample, BOTH_SIDES, parameter_named(name), method, generator(6), 200
            )
            for sample in ((values, counts[None]), (moved, padded[None]))
        ]
        np.testing.assert_array_equal(*bounds)


@pytest.mark.parametrize("name", NAMES)
def test_estimates_that_differ_by_rounding_alone_count_as_equal(name):
    """In tenths the same mean has several roundings, in whole numbers it has one."""
    values, counts = reduced(np.arange(40) % 7)
    tenths, whole = (
        bootstrap_quantiles(x, counts[None], BOTH_SIDES, parameter_named(name), "bca", generator(6))
        for x in (values / 10, values)
    )
    unit = 100 if name == "variance" else 10
    np.testing.assert_allclose(np.multiply(unit, tenths), whole, rtol=1e-12)


@pytest.mark.parametrize("cells", [1, 500])
def test_bounds_do_not_depend_on_how_many_resamples_are_taken_at_once(cells, monkeypatch):
    values, counts = reduced(SKEW)
    arguments = values, counts[None], BOTH_SIDES, variance, "bca"
    together = bootstrap_quantiles(*arguments, generator(6), 300)
    monkeypatch.setattr(module, "CELLS_AT_ONCE", cells)
    np.testing.assert_allclose(
        together, bootstrap_quantiles(*arguments, generator(6), 300), rtol=1e-12
    )


def test_samples_may_differ_in_values_and_coverage():
    values = generator(1).normal(size=(3, 30))
    counts, gamma = np.ones((3, 30), int), np.array([0.5, 0.9, 0.99])
    sides = np.stack([1 - gamma, gamma], axis=1)
    bounds = bootstrap_quantiles(values, counts, sides, mean, "bca", generator(2))
    shared = generator(2)
    for row in range(3):
        (alone,) = bootstrap_quantiles(values[row], counts[[row]], sides[row], mean, "bca", shared)
        np.testing.assert_array_equal(bounds[row], alone)
    assert (np.diff(np.diff(bounds)[:, 0]) > 0).all()


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("name", NAMES)
def test_responses_that_are_all_equal_give_a_single_point(name, method):
    bounds = bootstrap_quantiles(
        [0.1], [[7]], BOTH_SIDES, parameter_named(name), method, generator()
    )
    assert np.ravel(bounds) == pytest.approx([0.0 if name == "variance" else 0.1] * 2)


def test_extreme_bounds_of_bca_are_the_ends_of_the_resamples():
    """Far out in the tail of a skew sample the acceleration exceeds what the formula allows."""
    sample = np.array([0.0, 100.0]), np.array([3000, 1])
    levels = [1e-9, 1e-3, 0.999, 1 - 1e-9]
    (bounds,) = bootstrap_quantiles(
        sample[0], sample[1][None], levels, mean, "bca", generator(1), 500
    )
    assert (np.diff(bounds) >= 0).all()
    assert bounds[-1] == replicates(*sample, mean, 500, generator(1)).max()


def test_bounds_are_finite_where_all_resamples_lie_below_the_estimate():
    def number_of_values(values, counts):
        return (counts > 0).sum(-1).astype(float)

    (bounds,) = bootstrap_quantiles(
        np.arange(50.0), np.ones((1, 50)), [0.1, 0.9], number_of_values, "bca", generator(), 100
    )
    assert (bounds < 50).all()
    assert (bounds > 30).all()


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"counts": [[1.5, 2]]}, "whole counts"),
        ({"counts": [[0, 1]]}, "at least 2"),
    ],
)
def test_what_cannot_be_resampled_is_refused(changed, reason):
    arguments = {
        "values": [0.0, 1.0],
        "counts": [[3, 2]],
        "probabilities": BOTH_SIDES,
        "parameter": mean,
        "method": "bca",
        "generator": generator(),
        "resamples": 10,
    }
    with pytest.raises(ValueError, match=reason):
        bootstrap_quantiles(**arguments | changed)


COUNTS = np.array([3, 0, 2, 1])
DRAWS = 20_000


def chi_square_p_value(draws, distribution):
    """Test draws against the exact probability of every outcome that occurs."""
    outcomes, observed = np.unique(draws, axis=0, return_counts=True)
    expected = len(draws) * distribution.pmf(outcomes)
    assert expected.sum() == pytest.approx(len(draws), rel=1e-9)
    return chi2.sf(((observed - expected) ** 2 / expected).sum(), len(outcomes) - 1)


@pytest.mark.slow
def test_subsample_is_multivariate_hypergeometric():
    generator = stream("subsample")
    draws = np.array([subsample(COUNTS, 3, generator) for _ in range(DRAWS)])
    assert chi_square_p_value(draws, multivariate_hypergeom(COUNTS, 3)) > 1e-3


@pytest.mark.slow
def test_resample_is_multinomial():
    generator = stream("resample")
    draws = np.array([resample([0.6, 0.0, 0.4], 3, generator) for _ in range(DRAWS)])
    assert chi_square_p_value(draws, multinomial(3, [0.6, 0, 0.4])) > 1e-3


@pytest.mark.parametrize("size", [0, 1, 5, 6])
def test_subsample_never_takes_more_than_there_is(size):
    generator = stream("small", size)
    for _ in range(50):
        drawn = subsample(COUNTS, size, generator)
        assert drawn.sum() == size
        assert (drawn >= 0).all()
        assert (drawn <= COUNTS).all()


def test_a_full_subsample_is_everyone():
    np.testing.assert_array_equal(subsample(COUNTS, 6, stream("census")), COUNTS)


def test_weighted_shares_need_not_sum_to_one():
    generators = stream("weights"), stream("weights")
    np.testing.assert_array_equal(
        resample([0.2, 0.3, 0.5], 100, generators[0]), resample([2.0, 3, 5], 100, generators[1])
    )


def test_a_stream_fixes_the_subsample():
    first, again, other = (
        subsample(100 * COUNTS, 50, stream("a", seed)).tolist() for seed in (1, 1, 2)
    )
    assert first == again != other


def test_a_key_always_gives_the_same_draws():
    """Published results rest on these very numbers."""
    assert stream("a", 3).random() == 0.8365174808724293
    np.testing.assert_array_equal(stream("a", 3).random(9), stream("a", 3).random(9))


def test_distinct_keys_give_distinct_streams():
    keys = [(), ("a",), ("b",), ("a", 3), ("a", "3"), ("a3",), ("a", 3, 0), (3, "a"), ("ä",)]
    keys += [("scenario", j) for j in range(500)]
    first = [stream(*key).integers(2**63) for key in keys]
    assert len(set(first)) == len(keys)


GAMMAS = (0.5, 0.9, 0.95)
SCORES = np.linspace(-1, 1, 5)


def largest_capital(sequence, m, delta):
    """Bet on one outcome after the other, as Waudby-Smith & Ramdas 2023 have it; c = ¾."""
    n, capital, largest = len(sequence), 1.0, 1.0
    total, squares, variance = 0.5, 0.25, 0.25
    for t, x in enumerate(sequence, start=1):
        bet = np.sqrt(2 * np.log(1 / delta) / (n * variance))
        capital *= 1 + min(bet, 0.75 / m) * (x - m)
        largest = max(largest, capital)
        total += x
        squares += (x - total / (t + 1)) ** 2
        variance = squares / (t + 1)
    return largest


def lower_of(sequence, gamma):
    sequence = np.atleast_2d(np.asarray(sequence, float))
    n = np.full(len(sequence), sequence.shape[1])
    return sequence_lower(sequence, n, np.full(len(sequence), gamma))


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([0.0, 0.02, 0.5, 0.9, 1.0]), min_size=1, max_size=25),
    st.sampled_from([0.05, *GAMMAS, 0.999]),
)
def test_bound_is_the_largest_mean_that_the_gambler_refutes(sequence, gamma):
    (lower,) = lower_of(sequence, gamma)
    delta = 1 - gamma
    assert largest_capital(sequence, lower + 1e-9, delta) < 1 / delta
    if lower > 1e-9:
        assert largest_capital(sequence, lower - 1e-9, delta) >= 1 / delta
    grid = [largest_capital(sequence, m, delta) for m in np.linspace(0.01, 1, 34)]
    assert (np.diff(grid) <= 1e-12 * np.array(grid[:-1])).all()


def test_one_response_at_the_top_in_numbers():
    """At γ = ½ the bet is truncated, 1 + ¾(1/m - 1) = 2; at .9 it multiplies by 5.3, not by 10."""
    assert lower_of([1.0], 0.5) == pytest.approx(3 / 7, rel=1e-14)
    assert lower_of([1.0], 0.9) == 0.0
    upper = betting_upper([-1.0, 3.0], [[1, 0]], 0.5, -1, 3, generator())
    assert upper == pytest.approx(3 - 4 * 3 / 7, rel=1e-14)


def test_range_and_coverage_may_differ_between_samples():
    counts = np.array([[3, 7], [3, 7], [3, 7]])
    values = np.array([[0.0, 1.0], [0.0, 1.0], [10.0, 20.0]])
    upper = [
        betting_upper(values, counts, [0.5, gamma, 0.9], [0, 0, 10], [1, b, 20], generator())
        for gamma, b in ((0.5, 1), (0.9, 1), (0.5, 2))
    ]
    assert upper[0][1] < upper[1][1]
    assert upper[0][1] < upper[2][1]
    np.testing.assert_array_equal(np.array(upper)[:, [0, 2]], np.array([upper[0][[0, 2]]] * 3))


@pytest.mark.parametrize("filler", [0.0, 1e9, np.nan])
def test_columns_that_were_never_seen_change_nothing(filler):
    counts = generator().multinomial(40, [0.1, 0.2, 0.4, 0.2, 0.1], size=7)
    padded = np.concatenate([np.full(2, filler), SCORES, [filler]])
    padding = np.pad(counts, ((0, 0), (2, 1)))
    np.testing.assert_array_equal(
        betting_upper(SCORES, counts, 0.9, -1, 1, generator(1)),
        betting_upper(padded, padding, 0.9, -1, 1, generator(1)),
    )


@pytest.mark.parametrize("at_once", [1, 150, 1000])
def test_bounds_do_not_depend_on_how_many_samples_are_taken_at_once(at_once, monkeypatch):
    sizes = np.array([3, 200, 41, 1, 77])
    counts = generator().multinomial(sizes, [0.1, 0.2, 0.4, 0.2, 0.1])
    together = betting_upper(SCORES, counts, 0.9, -1, 1, generator(1))
    monkeypatch.setattr(betting, "RESPONSES_AT_ONCE", at_once)
    np.testing.assert_array_equal(together, betting_upper(SCORES, counts, 0.9, -1, 1, generator(1)))


def test_every_order_of_the_responses_is_as_likely_as_any_other():
    """One success among five has five places, each with a bound of its own."""
    draws = 5000
    values, counts = np.array([0.3, 0.9]), np.tile([4, 1], (draws, 1))
    bounds = 1 - betting_upper(1 - values, counts, 0.9, 0, 1, generator(2))
    places = lower_of(np.where(np.eye(5), 0.9, 0.3), 0.9)
    assert np.diff(np.sort(places)).min() > 1e-6
    observed = (np.abs(bounds[:, None] - places) < 1e-12).sum(0)
    assert observed.sum() == draws
    assert chi2.sf(((observed - draws / 5) ** 2 / (draws / 5)).sum(), 4) > 1e-3


@pytest.mark.parametrize(
    ("values", "counts", "gamma", "reason"),
    [
        ([0.0, 1.0], [[1.5, 2.0]], 0.5, "whole counts"),
        ([0.0, 1.5], [[1, 2]], 0.5, "range"),
        ([-0.1, 1.0], [[1, 2]], 0.5, "range"),
    ],
)
def test_samples_that_cannot_be_bet_on_are_refused(values, counts, gamma, reason):
    with pytest.raises(ValueError, match=reason):
        betting_upper(values, counts, gamma, 0, 1, generator())


@pytest.mark.parametrize("gamma", [0.3, *GAMMAS])
@pytest.mark.parametrize(
    ("outcomes", "n"), [([0, 1], 1), ([0, 1], 3), ([0, 1], 8), ([0, 0.4, 1], 5)]
)
def test_one_sided_bound_covers_every_distribution_on_a_few_points(outcomes, n, gamma):
    """All sequences enumerated; also with means just below a bound, where it stops covering."""
    outcomes = np.array(outcomes, float)
    which = np.array(list(product(range(len(outcomes)), repeat=n)))
    counts = (which[:, :, None] == np.arange(len(outcomes))).sum(1)
    bounds = lower_of(outcomes[which], gamma)
    if len(outcomes) == 2:
        successes = np.concatenate([bounds * (1 - 1e-9), np.linspace(0, 1, 101)])
        p = np.stack([1 - successes, successes], axis=1)
    else:
        p = generator().dirichlet(np.full(3, 0.4), 2000)
    probability = np.prod(p[:, None] ** counts, axis=2)
    covered = (probability * (bounds <= (p @ outcomes)[:, None] + 1e-12)).sum(1)
    assert covered.min() >= gamma - 1e-9
