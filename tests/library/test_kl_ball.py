"""Extrema over the KL ball, against cutting planes, grids and 60-digit arithmetic.

The oracle solves max of a concave piecewise linear function over the ball with linear programs
and supporting hyperplanes of the ball: every step gives a feasible point and an outer bound, so
that the true value is enclosed whatever the library does.
"""

import warnings
from decimal import Decimal, localcontext
from functools import cache
from itertools import product

import numpy as np
import pytest
from enclosure import awkward_simulators, enclosed_maximum, maximum

from fidelity.extrema import kl_ball
from fidelity.extrema.kl_ball import divergence, linear_maximum, tv_minimum
from fidelity.sets.multinomial_radii import smallest_radius

tv_difference_maximum = maximum(kl_ball.tv_difference_maximum)
LP_SLACK = 1e-9
SAMPLES = {
    "all counted": [0.2, 0.5, 0.3],
    "one option not chosen": [0.6, 0.4, 0.0],
    "one option has all": [0.0, 1.0, 0.0],
    "four options": [0.05, 0.45, 0.25, 0.25],
    "two of four not chosen": [0.0, 0.7, 0.0, 0.3],
}
RADII = (1e-4, 0.02, 0.3, 2.0, 11.0)


def enclosed_sum(p, radius, value, slopes, offsets):
    """Enclose max over the ball of Σ_i min_k(slopes[k][i]·u_i + offsets[k][i]) = value(u)."""
    lines = [(np.diag(slope), offset) for slope, offset in zip(slopes, offsets, strict=True)]
    return enclosed_maximum(p, radius, lines, value)


def enclosed_tv_difference(p, radius, q1, q2):
    """Enclose max TV(u, q1) - TV(u, q2): the first is the largest of 2^d linear functions."""

    def value(u):
        return (np.abs(u - q1) - np.abs(u - q2)).sum() / 2

    pieces = [
        enclosed_sum(
            p,
            radius,
            value,
            [(sign - 1) / 2, (sign + 1) / 2],
            [(q2 - sign * q1) / 2, (-q2 - sign * q1) / 2],
        )
        for sign in map(np.array, product((-1.0, 1.0), repeat=len(p)))
    ]
    return np.max(pieces, axis=0)


def linear_in_60_digits(share, radius, f):
    """Solve the dual with decimals, where nothing cancels."""
    return dual_in_60_digits(tuple(share), radius, tuple(f))


@cache
def dual_in_60_digits(share, radius, f):
    with localcontext() as context:
        context.prec = 60
        p = [Decimal(float(x)) for x in share]
        p = [x / sum(p) for x in p]
        f = [Decimal(float(x)) for x in f]
        top, r = max(f), Decimal(radius)
        pairs = [(a, top - b) for a, b in zip(p, f, strict=True) if a]

        def spread(log_excess):
            e = log_excess.exp()
            return sum(a * (g + e).ln() for a, g in pairs) + sum(a / (g + e) for a, g in pairs).ln()

        low, high = Decimal(-300), Decimal(60)
        if spread(low) <= r and all(gap for _, gap in pairs):
            return top - (sum(a * gap.ln() for a, gap in pairs) - r).exp()
        for _ in range(110):
            middle = (low + high) / 2
            low, high = (middle, high) if spread(middle) > r else (low, middle)
        e = high.exp()
        return top + e - (sum(a * (g + e).ln() for a, g in pairs) - r).exp()


@pytest.mark.sampled
@pytest.mark.parametrize("radius", [10.0**k for k in range(-10, 2)])
def test_linear_maximum_agrees_with_60_digits(radius):
    for sample in SAMPLES.values():
        f = np.linspace(-1, 1, len(sample)) ** 3
        tied, nearly = f.copy(), f.copy()
        tied[:2], nearly[0] = f.max(), f.max() + 1e-6
        for functional in (f, -f, tied, nearly):
            value = linear_maximum(np.array([sample]), np.array([radius]), functional[None])[0, 0]
            assert value == pytest.approx(
                float(linear_in_60_digits(sample, radius, functional)), abs=1e-13
            )


def test_divergence_closed_forms():
    share = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.2, 0.3, 0.5]])
    u = np.array([[0.25, 0.25, 0.5], [1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [0.2, 0.3, 0.5]])
    expected = [np.log(2), np.inf, np.log(4), 0.0]
    np.testing.assert_allclose(divergence(share, u), expected, atol=1e-16)


def tv_minimum_in_40_digits(share, radius, q):
    """Bisect the smallest a whose u = max(a·p̂, min(q, b·p̂)) lies in the ball, Σu ≤ 1.

    Logarithms of a down to -20,000, where numbers of 16 digits have long underflowed.
    """
    with localcontext() as context:
        context.prec = 40
        p, q, r = ([Decimal(float(x)) for x in each] for each in (share, q, [radius]))
        p, q = ([x / sum(each) for x in each] for each in (p, q))
        p, q = zip(*((x, y) for x, y in zip(p, q, strict=True) if x), strict=True)

        def filled(a):
            low, high = Decimal(1), 1 + max(y / x for x, y in zip(p, q, strict=True))
            if sum(max(y, a * x) for x, y in zip(p, q, strict=True)) <= 1:
                low = high
            for _ in range(100 if low < high else 0):
                b = (low + high) / 2
                total = sum(max(a * x, min(y, b * x)) for x, y in zip(p, q, strict=True))
                low, high = (b, high) if total < 1 else (low, b)
            return [max(a * x, min(y, low * x)) for x, y in zip(p, q, strict=True)]

        def outside(u):
            return 0 in u or sum(x * (x / v).ln() for x, v in zip(p, u, strict=True)) > r[0]

        if not outside(q):
            return 0.0
        low, high = Decimal(-20000), Decimal(0)
        for _ in range(75):
            middle = (low + high) / 2
            low, high = (middle, high) if outside(filled(middle.exp())) else (low, middle)
        return float(sum(max(high.exp() * x - y, 0) for x, y in zip(p, q, strict=True)))


def hard_minima():
    """Yield samples with rare options, simulators that exclude some, and radii."""
    for sample, radius in product(map(np.array, SAMPLES.values()), (0.02, 2.0)):
        yield from ((sample, q, radius) for q in awkward_simulators(sample).values())
    rare, never = np.r_[1.0, 600, np.full(8, 50)], np.r_[0, 0, np.full(8, 0.125)]
    for coverage in (0.5, 0.9):
        yield rare, never, smallest_radius(rare.sum(), len(rare), coverage)
    for seed in range(36):
        generator = np.random.default_rng(seed)
        d = 8 + seed % 5
        counts = generator.multinomial(25, generator.dirichlet(np.full(d, 0.6))).astype(float)
        if seed % 3 == 1:
            counts *= generator.choice([1e-3, 0.2, 3.0], d)
        q = generator.dirichlet(np.full(d, 0.4)) * (generator.random(d) < 0.7)
        q = q if q.any() else np.eye(d)[0]
        radius = smallest_radius(counts.sum(), d, (0.5, 0.9)[seed % 2])
        yield counts, q / q.sum(), radius


@pytest.mark.slow
def test_tv_minimum_of_rare_options_and_uneven_weights_agrees_with_40_digits():
    """Where the ball leaves an option next to nothing its share underflows, but not the minimum."""
    positive = 0
    for counts, q, radius in hard_minima():
        share = counts / counts.sum()
        found = tv_minimum(share[None], np.array([radius]), q[None])[0]
        expected = tv_minimum_in_40_digits(share, float(radius), q)
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-14)
        positive += expected > 0.01
    assert positive > 20


@pytest.mark.parametrize(
    ("function", "solver", "arguments"),
    [
        ("_water_filled", "tv_minimum", 1),
        ("_tilt", "linear_maximum_of_rows", 1),
        ("_at_price", "tv_difference_maximum", 2),
    ],
)
def test_nan_in_a_solver_is_an_error_and_no_answer(monkeypatch, function, solver, arguments):
    right = getattr(kl_ball, function)

    def spoilt(*given):
        found = right(*given)
        return tuple(np.nan * x for x in found) if isinstance(found, tuple) else np.nan * found

    monkeypatch.setattr(kl_ball, function, spoilt)
    share, radius = np.array([[0.2, 0.5, 0.3]]), np.array([0.02])
    q = np.random.default_rng(0).dirichlet(np.ones(3), (arguments, 1))
    with pytest.raises(ArithmeticError, match=r"NaN in \d of"):
        getattr(kl_ball, solver)(share, radius, *q)


@pytest.mark.slow
@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("sample", SAMPLES)
def test_tv_difference_maximum_lies_in_its_enclosure(sample, radius):
    p = np.array(SAMPLES[sample])
    pairs = [("vertex", "uniform"), ("near", "people"), ("people", "face"), ("uniform", "near")]
    for first, second in pairs:
        q1, q2 = awkward_simulators(p)[first], awkward_simulators(p)[second]
        low, high = enclosed_tv_difference(p, radius, q1, q2)
        value = tv_difference_maximum(p[None], np.array([radius]), q1[None], q2[None])[0]
        assert low - LP_SLACK <= value <= high + LP_SLACK, (first, second)


def hostile_pairs(generator, n_samples, d):
    """Return rare and missing options, simulators that exclude some or are nearly the same."""
    n = np.exp(generator.uniform(0, 10, n_samples)).astype(int) + 1
    share = generator.multinomial(n, generator.dirichlet(np.full(d, 0.5), n_samples)) / n[:, None]
    radius = 10 ** generator.uniform(-8, 1.3, n_samples)
    q1, q2 = generator.dirichlet(np.ones(d), (2, n_samples))
    q2 *= generator.random((n_samples, d)) < 0.7
    q2[q2.sum(1) == 0.0] = 1.0
    near = 10 ** generator.uniform(-9, 0, (n_samples, 1))
    q1 = np.where(generator.random((n_samples, 1)) < 0.3, (1 - near) * share + near * q1, q1)
    q2 = np.where(generator.random((n_samples, 1)) < 0.3, (1 - near) * q1 + near * q2, q2)
    return share, radius, *(q / q.sum(1, keepdims=True) for q in (q1, q2))


@pytest.mark.sampled
@pytest.mark.parametrize("d", [2, 3, 5, 8, 16])
def test_tv_differences_of_hostile_samples(d):
    """Tightly enclosed, larger than in any point of the ball, the same in another order."""
    generator = np.random.default_rng(d)
    share, radius, q1, q2 = hostile_pairs(generator, 500, d)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        largest = tv_difference_maximum(share, radius, q1, q2)
    assert (largest <= np.abs(q1 - q2).sum(1) / 2 + 1e-15).all()
    for target in (q1, q2, *generator.dirichlet(np.full(d, 0.3), (20, 500))):
        halfway = (share + target) / 2
        within = 0.999 * radius / np.maximum(divergence(share, halfway), radius)
        u = share + within[:, None] * (halfway - share)
        difference = (np.abs(u - q1) - np.abs(u - q2)).sum(1) / 2
        assert (difference <= largest + 1e-14).all()
    order = generator.permutation(d)
    again = tv_difference_maximum(share[:, order], radius, q1[:, order], q2[:, order])
    np.testing.assert_allclose(again, largest, rtol=1e-11, atol=1e-14)


def test_tv_differences_of_rounded_probabilities_are_tight_too():
    """Sums off by 1e-6 let all of q1 exceed q2, so that no u reaches q2 everywhere from above."""
    share, radius, q, _ = hostile_pairs(np.random.default_rng(2), 300, 4)
    for first, second in ((1.0, 1.0 - 9e-7), (1.0 + 9e-7, 1.0 + 1e-7), (1.0 - 9e-7, 1.0 + 9e-7)):
        found = tv_difference_maximum(share, radius, first * q, second * q)
        here = np.abs(share - first * q).sum(1) - np.abs(share - second * q).sum(1)
        assert (found >= here / 2 - 1e-15).all()


def test_rounding_makes_no_distance_negative():
    """The shares of the fourth option are where the simulator's touch what the ball allows."""
    share, q = np.array([[0, 14, 11, 2, 23], [1, 14, 11, 1, 23]]) / 50
    found = tv_minimum(share[None], np.array([0.027725887222397813]), q[None])
    assert 0.0 <= found[0] < 1e-15
