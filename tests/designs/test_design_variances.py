"""Variances, sizes and limits by hand, in limits that are known, and how often they hold."""

import re

import numpy as np
import pytest
import scipy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from small_study import REPOSITORY
from test_against_r import EXPECTED, numbers

import fidelity
from fidelity.designs import (
    design_effects,
    effective_size,
    korn_graubard_ratio,
    linearised_mean,
    replicate_mean,
)
from fidelity.designs.linearised import mean_of_totals, mean_without_psus


def test_a_simple_random_sample_has_the_textbook_variance():
    y = np.repeat([1.0, 0.0], [30, 70])
    found = linearised_mean(y[:, np.newaxis])
    assert found.covariance[0, 0] == pytest.approx(0.3 * 0.7 / 99)
    assert found.df == 99
    assert effective_size([0.3, 0.7], [[0.0021, -0.0021], [-0.0021, 0.0021]], 100) == 100


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_linearised_variance_is_that_of_psus_left_out_one_by_one_where_all_have_one_size(seed):
    """Of a linear statistic the jackknife jkn and linearisation are the same."""
    rng = np.random.default_rng(seed)
    strata, psu = np.repeat([0, 1, 2], [2, 3, 4]).repeat(5), np.arange(9).repeat(5)
    y = rng.integers(0, 2, 45)[:, np.newaxis].astype(float)
    units = np.array([2, 3, 4])[strata]
    weights = np.ones(45)
    left_out, rscales = [], []
    for gone in range(9):
        stratum = strata[psu == gone][0]
        n = (2, 3, 4)[stratum]
        grown = np.where(strata == stratum, n / (n - 1), 1.0)
        left_out.append(np.where(psu == gone, 0.0, grown))
        rscales.append((n - 1) / n)
    found = linearised_mean(y, weights, strata=strata, psu=psu)
    jackknife = replicate_mean(y, weights, np.array(left_out).T, method="jkn", rscales=rscales)
    assert jackknife.covariance[0, 0] == pytest.approx(found.covariance[0, 0], abs=1e-12)
    assert (units > 1).all() and found.df == 6


def test_a_jackknife_of_many_persons_has_a_degree_of_freedom_less_than_persons():
    left_out = 60 / 59 * (1 - np.eye(60))
    assert replicate_mean(np.arange(60)[:, None], None, left_out, method="jk1").df == 59


@pytest.mark.parametrize(("drawn", "name"), [(2, "bootstrap"), (1, "subbootstrap")])
def test_a_bootstrap_has_the_scale_of_how_many_psus_it_draws(drawn, name):
    """As in R: two PSUs a stratum; both drawn (Canty and Davison), or one (Rao and Wu).

    In expectation over the bootstrap it is the linearised variance, of which R - 1 draws are left.
    """
    rng = np.random.default_rng(4)
    strata, psu, y = np.repeat(np.arange(20), 2), np.arange(40), rng.normal(size=(40, 1))
    expected = linearised_mean(y, strata=strata, psu=psu).covariance[0, 0]
    repeats = 4000
    times = rng.binomial(drawn, 0.5, (20, repeats))
    kept = np.stack([times, drawn - times], axis=1).reshape(40, repeats) * (2 / drawn)
    scale = numbers(EXPECTED)[f"scale of {name}"][0] / (repeats - 1)
    found = replicate_mean(y, None, kept, method="bootstrap", scale=scale).covariance[0, 0]
    assert found == pytest.approx(expected, rel=0.08)
    usual = replicate_mean(y, None, kept, method="bootstrap").covariance[0, 0]
    assert usual == pytest.approx(expected / drawn, rel=0.08)


def test_the_guide_has_the_scale_of_r_where_all_psus_are_drawn():
    """R's survey has ``scale of bootstrap``/(R - 1), with two PSUs a stratum."""
    guide = (REPOSITORY / "docs/howto/survey_design.md").read_text(encoding="utf-8")
    (formula,) = re.findall(r"`scale`: (.*), with n the harmonic mean", guide)
    assert formula == "(n/(n - 1))/(R - 1)"
    n, repeats = 2, 101
    expected = numbers(EXPECTED)["scale of bootstrap"][0] / 100
    assert (n / (n - 1)) / (repeats - 1) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: linearised_mean([[1], [0]], strata=[1, 2]), "single PSU"),
        (lambda: linearised_mean([[1], [0]], psu=[1, 1]), "two PSUs"),
        (lambda: linearised_mean([[1], [0]], domain=[False, False]), "nobody"),
        (lambda: replicate_mean([[1], [0]], None, [[1, 0], [1, 0]], method="brr"), "is 0 for"),
        (lambda: replicate_mean([[1], [0]], None, [[1], [0]], method="brr"), "two or more"),
        (lambda: replicate_mean([[1], [0]], None, np.eye(2), method="jkn"), "needs rscales"),
        (lambda: replicate_mean([[1], [0]], None, np.eye(2), method="fay"), "coefficient"),
        (lambda: replicate_mean([[1], [0]], None, np.eye(2), method="jk2"), "must be one of"),
    ],
)
def test_what_is_not_known_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_no_group_of_options_is_less_sure_than_the_size_says():
    rng = np.random.default_rng(3)
    share = rng.dirichlet(np.ones(4))
    scores = rng.standard_normal((12, 4))
    scores -= scores.mean(axis=1, keepdims=True)
    covariance = scores.T @ scores / 1e3
    n = effective_size(share, covariance, 1e9)
    sizes = []
    for code in range(1, 15):
        some = np.array([code >> i & 1 for i in range(4)], float)
        p = some @ share
        sizes.append(p * (1 - p) / (some @ covariance @ some))
    assert n <= min(sizes)
    effects = design_effects(share, covariance, 100)
    independent = (np.diag(share) - np.outer(share, share)) / 100
    assert effects.mean() == pytest.approx(np.trace(np.linalg.pinv(independent) @ covariance) / 3)


def test_where_all_answer_alike_a_size_is_told():
    assert effective_size([1.0, 0.0], np.zeros((2, 2)), 50, if_unanimous=7.0) == 7
    assert effective_size([1.0, 0.0], np.zeros((2, 2)), 50) == 50


@pytest.mark.slow
def test_the_ratio_is_one_without_a_design_and_falls_with_the_level():
    levels = np.array([0.05, 0.5, 0.9, 0.99])
    assert (korn_graubard_ratio(100, np.nan, levels) == 1).all()
    assert (korn_graubard_ratio(100, 99, levels) == 1).all()
    found = korn_graubard_ratio(1000, 10, levels)
    assert (np.diff(found) < 0).all() and found[0] < 1
    t = sp.stats.t.ppf(0.95, [999, 10])
    assert found[2] == pytest.approx((t[0] / t[1]) ** 2)


def sampled(strata: int, half: int, seed: int, people: int = 20, times: int = 400):
    """Yield shares, covariance, df and Kish's number where PSUs differ in who agrees, not how."""
    rng = np.random.default_rng(seed)
    d, stratum = 2 * half, np.repeat(np.arange(strata), 2)
    for _ in range(times):
        agree = rng.beta(4.5, 4.5, 2 * strata)
        code = rng.integers(0, half, (2 * strata, people))
        code += half * (rng.random((2 * strata, people)) > agree[:, np.newaxis])
        weight = np.exp(0.4 * rng.standard_normal(code.shape))
        unit = np.arange(2 * strata)[:, np.newaxis] * d + code
        totals = np.bincount(unit.ravel(), weight.ravel(), 2 * strata * d).reshape(-1, d)
        found = mean_of_totals(totals, weight.sum(axis=1), stratum)
        yield found, weight.sum() ** 2 / (weight**2).sum()


@pytest.mark.parametrize(("strata", "half"), [(15, 1), (20, 2)])
def test_the_witness_holds_by_the_design_and_fails_by_weights_alone(strata, half):
    level, off, n = 0.95, 0.15, strata * 2 * 20
    q = np.repeat([0.5 - off, 0.5 + off], half) / half
    rows = list(sampled(strata, half, seed=strata))
    share = np.array([found.estimate for found, _ in rows])
    kish = np.array([each for _, each in rows])
    ours = np.array([effective_size(found.estimate, found.covariance, n) for found, _ in rows])
    ours *= korn_graubard_ratio(n, strata, level)

    def holds(sizes):
        _, upper, _ = fidelity.pseudo_discrepancy(
            share * sizes[:, np.newaxis],
            np.tile(q, (len(share), 1)),
            sizes=sizes,
            confidence_set="witness",
            discrepancy="tv",
            gamma=level,
        )
        return (upper >= off - 1e-12).mean()

    spread = np.sqrt(level * (1 - level) / len(rows))
    assert holds(ours) >= level - 2.5 * spread
    assert holds(kish) <= level - 5 * spread


def left_out(totals, sizes, strata):
    """Return the jackknife variance of a mean, by refitting without each PSU in turn."""
    mean, variance = totals.sum() / sizes.sum(), 0.0
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        means = []
        for out in members:
            factor = np.where(strata == stratum, len(members) / (len(members) - 1), 1.0)
            factor[out] = 0.0
            means.append((factor @ totals) / (factor @ sizes) - mean)
        variance += (len(members) - 1) / len(members) * ((means - np.mean(means)) ** 2).sum()
    return variance


@pytest.mark.parametrize("heavy", [1.0, 20.0, 1e6])
def test_it_is_the_jackknife_of_whole_psus(heavy):
    generator = np.random.default_rng(1)
    strata, sizes = np.repeat([0, 1], [5, 7]), generator.uniform(0.5, 3.0, 12)
    sizes[2] = heavy
    totals = generator.random(12) * sizes
    found = mean_without_psus(totals[:, None], sizes, strata)
    assert found.item() == pytest.approx(left_out(totals, sizes, strata))
