"""Radii of KL balls: hand formulas, exact coverage of small samples, and simulation."""

import json
import time
from decimal import Decimal, localcontext
from itertools import product
from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import outcomes_of
from reference.radii import FILE, SIZES, needed
from reference.radii import GAMMAS as GAMMAS_TRIED
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, xlogy
from scipy.stats import binom

from fidelity.bernoulli import bernoulli_kl_lower, bernoulli_kl_upper
from fidelity.sets.multinomial_radii import (
    certified_radius,
    paper_radius,
    polynomial_radius,
    smallest_radius,
    types_radius,
)

RADII = [
    paper_radius,
    polynomial_radius,
    types_radius,
    certified_radius,
    smallest_radius,
]
GAMMAS = np.array([0.3, 0.5, 0.9, 0.95])
sizes = st.one_of(st.integers(1, 500), st.floats(1, 1e6))
options = st.integers(2, 40)
coverages = st.floats(1e-3, 1 - 1e-9)


def log_polynomial(n, d, t):
    """Return log Σ_k C(k+d-2, d-2)·[n]_k/n^k·t^k, term by term to 30 digits."""
    with localcontext() as context:
        context.prec = 30
        t, term, total = Decimal(float(t)), Decimal(1), Decimal(1)
        for k in range(1, n + 1):
            ratio = t * (k + d - 2) * (n - k + 1) / (k * n)
            term *= ratio
            total += term
            if ratio < 1 and term < total * Decimal("1e-20") * (1 - ratio):
                break
        return float(total.ln())


def outcomes_and_divergence(n, p):
    """Return log P(counts), n·KL(p̂ ‖ p) of all samples under each p; (len(p), outcomes) each."""
    counts = outcomes_of(n, p.shape[1])
    log_likelihood = xlogy(counts, p[:, None]).sum(2)
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(1)
    return ways + log_likelihood, xlogy(counts, counts / n).sum(1) - log_likelihood


def grid_of_truths(n, d):
    """Return p on a grid, and where some options are never or hardly ever chosen."""
    steps = {2: 60, 3: 14, 4: 8}[d]
    rare = np.array([0.0, 1e-9, 1e-3, 0.05, 0.3, 0.7, 1.0, 1.5, 2.5])[: {2: 9, 3: 9, 4: 5}[d]]
    corners = np.array(list(product(rare / (n * d), repeat=d - 1)))
    corners = np.column_stack([corners, 1 - corners.sum(1)])[corners.sum(1) <= 1]
    return np.concatenate([outcomes_of(steps, d) / steps, corners])


def worst_binomial_coverage(n, x):
    """Return the smallest coverage of the ball over all p, d = 2.

    The set of samples that cover p changes only at the ends of their intervals, and between two of
    these it is smallest at one of them: a probability of an interval of counts rises, then falls.
    """
    successes = np.arange(n + 1)
    upper = bernoulli_kl_upper(successes / n, x / n)
    lower = bernoulli_kl_lower(successes / n, x / n)
    p = np.concatenate([upper * (1 + s) for s in (-1e-10, 1e-10)])
    p = np.concatenate([p, 1 - p])
    p = p[(p > 0) & (p < 1)]
    first = np.searchsorted(upper, p)
    last = np.searchsorted(lower, p, side="right") - 1
    return (binom.cdf(last, n, p) - binom.cdf(first - 1, n, p)).min()


def test_radii_of_five_options_at_one_half():
    x = {radius.__name__: float(200 * radius(200, 5, 0.5)) for radius in RADII}
    assert x["paper_radius"] == pytest.approx(11.09, abs=5e-3)
    assert x["certified_radius"] == pytest.approx(3.22, rel=1e-15)
    assert x["smallest_radius"] == x["certified_radius"]
    assert x["polynomial_radius"] == pytest.approx(6.776704322, abs=1e-6)
    assert x["types_radius"] == pytest.approx(log(comb(204, 4)) + log(2), rel=1e-14)


@given(sizes, options, coverages)
def test_radii_are_their_formulas(n, d, gamma):
    loss = -np.log1p(-gamma)
    assert n * paper_radius(n, d, gamma) == pytest.approx(
        (d - 1) * (log(2 * d - 2) + loss), rel=1e-13
    )
    types = gammaln(n + d) - gammaln(n + 1) - gammaln(d)
    assert n * types_radius(n, d, gamma) == pytest.approx(types + loss, rel=1e-7)


@pytest.mark.parametrize("gamma", [1e-3, 0.5, 0.95, 1 - 1e-9])
@pytest.mark.parametrize(
    ("n", "d"), [(1, 4), (3, 2), (7, 4), (10, 5), (40, 2), (80, 30), (150, 200), (900, 3)]
)
def test_polynomial_radius_is_the_best_over_t_of_the_sum(n, d, gamma):
    loss = -np.log1p(-gamma)

    def bound(t):
        return (log_polynomial(n, d, t) + loss) / t

    grid = np.linspace(0.02, 1, 25)
    start = grid[np.argmin([bound(t) for t in grid])]
    near = max(start - 0.05, 1e-5), min(start + 0.05, 1)
    found = minimize_scalar(bound, bounds=near, method="bounded", options={"xatol": 1e-9})
    best = min(found.fun, bound(1.0))
    assert n * polynomial_radius(n, d, gamma) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize(("n", "d"), [(1, 2), (3, 3), (10, 12), (30, 40)])
def test_few_answers_take_the_normaliser_of_maximum_likelihood(n, d):
    """At t = 1 the sum is Σ over samples of their largest probability, C_d.

    C_1 = 1, C_2 = Σ C(n,c)(c/n)^c(1-c/n)^(n-c), C_(d+2) = C_(d+1) + n/d·C_d (Kontkanen and
    Myllymäki 2007).
    """
    success = np.arange(n + 1)
    normaliser = [1.0, binom.pmf(success, n, success / n).sum()]
    for i in range(1, d - 1):
        normaliser.append(normaliser[i] + n / i * normaliser[i - 1])
    expected = np.log(normaliser[d - 1]) - np.log1p(-GAMMAS)
    np.testing.assert_allclose(n * polynomial_radius(n, d, GAMMAS), expected, rtol=1e-12)


@given(sizes, options, coverages)
def test_order_of_the_radii(n, d, gamma):
    paper, polynomial, types, certified, smallest = (r(n, d, gamma) for r in RADII)
    assert polynomial <= types * (1 + 1e-12)
    assert smallest == min(paper, polynomial, types, certified)


@pytest.mark.parametrize("d", range(2, 11))
def test_certified_radii_are_no_smaller_than_samples_need(d):
    """Nor much larger, though they hold for all sizes from 10 to 400, against an adversary."""
    needed = np.array(json.loads(FILE.read_text())[str(d)])
    x = np.array([certified_radius(n, d, GAMMAS_TRIED) * n for n in (10, 200.5, 400)])
    np.testing.assert_allclose(x, np.broadcast_to(x[0], x.shape), rtol=1e-15)
    assert (needed <= x[0]).all()
    assert (x[0] <= 1.4 * needed).all()
    assert (np.diff(x[0]) > 0).all()


@pytest.mark.slow
def test_needed_radii_are_made_again():
    stored = json.loads(FILE.read_text())["3"]
    made = needed(3, SIZES[3])
    np.testing.assert_allclose(made, stored, atol=1e-6)


def test_certified_radius_takes_the_next_larger_coverage_or_is_infinite():
    gamma = np.array([0.01, 0.3, 0.31, 0.5, 0.94, 0.95, 0.951])
    x = 20 * certified_radius(20, 5, gamma)
    np.testing.assert_allclose(x, [2.56, 2.56, 3.22, 3.22, 6.76, 6.76, np.inf])
    beyond = certified_radius(np.array([1, 9, 9.99, 10, 400, 400.01, 401, 1e6]), 10, 0.5)
    np.testing.assert_array_equal(np.isinf(beyond), [1, 1, 1, 0, 0, 1, 1, 1])
    assert np.isinf(certified_radius(20, 11, gamma)).all()
    assert np.isfinite(smallest_radius(20, 11, gamma)).all()


@pytest.mark.sampled
@pytest.mark.parametrize("gamma", [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
def test_certified_balls_of_one_proportion_cover_at_every_p_and_hardly_more(gamma):
    worst = [
        worst_binomial_coverage(n, n * float(certified_radius(n, 2, gamma)))
        for n in (*range(10, 60), *range(60, 401, 4))
    ]
    assert gamma <= min(worst) <= gamma + 0.01


@pytest.mark.parametrize(
    ("n", "d"), [(1, 3), (2, 3), (3, 3), (5, 3), (7, 3), (10, 3), (14, 3), (2, 4), (5, 4), (10, 4)]
)
def test_balls_cover_at_every_p_of_a_grid(n, d):
    log_probability, divergence = outcomes_and_divergence(n, grid_of_truths(n, d))
    probability = np.exp(log_probability)
    np.testing.assert_allclose(probability.sum(1), 1)
    for radius in RADII:
        for gamma in GAMMAS:
            inside = divergence <= n * radius(n, d, gamma) + 1e-12
            assert (probability * inside).sum(1).min() >= gamma - 1e-12


@pytest.mark.slow
def test_many_scenarios_take_little_time():
    generator = np.random.default_rng(0)
    repeated = generator.integers(20, 320, 100_000)
    start = time.process_time()
    smallest_radius(repeated, 5, generator.choice([0.5, 0.7, 0.8, 0.9, 0.95], repeated.size))
    assert time.process_time() - start < 1
    distinct = np.arange(20.0, 100_020.0)
    start = time.process_time()
    smallest_radius(distinct, 5, 1 - distinct ** (-1 / 3))
    assert time.process_time() - start < 5
