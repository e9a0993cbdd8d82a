"""Certified shares of scenarios: closed forms, brute force over tests, and the worst case."""

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from fidelity.comparison.pairwise import (
    bonferroni_level,
    certified_closer_share,
    closer_share_p_value,
    clustered_closer_share,
    clustered_closer_share_p_value,
    holm,
    not_certified,
)
from fidelity.curves.guarantee import exact_miss


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
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_shared_people_certify_as_fewer_scenarios_would():
    """Chernoff's bound with m/shared scenarios, whose limit and p-value agree."""
    limit = certified_closer_share(30, 240, 0.5, 0.05, shared=3)
    assert limit < certified_closer_share(30, 240, 0.5, 0.05)
    assert closer_share_p_value(30, 240, 0.5, limit, shared=3) == pytest.approx(0.05)
    assert certified_closer_share(0, 50, 0.9, 0.05, shared=50) == 0.0
    assert closer_share_p_value(0, 50, 0.9, shared=50) > 0.5
