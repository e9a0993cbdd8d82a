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
from parameters import quick
from scipy.optimize import minimize_scalar

from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.discrepancies import DISCREPANCIES
from fidelity.discrepancies.divergences import Divergence
from fidelity.extrema import kl_ball, kl_ball_kl, separable
from fidelity.extrema.kl_ball import divergence, linear_maximum, tv_minimum
from fidelity.extrema.kl_ball_kl import kl_maximum, kl_minimum
from fidelity.extrema.separable import Objective, separable_maximum
from fidelity.sets.multinomial_radii import paper_radius, smallest_radius

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


def enclosed_tv_difference(p, radius, q1, q2):
    """Enclose max TV(u, q1) - TV(u, q2): the first is the largest of 2^d linear functions."""

    def value(u):
        return (np.abs(u - q1) - np.abs(u - q2)).sum() / 2

    pieces = []
    for sign in map(np.array, product((-1.0, 1.0), repeat=len(p))):
        lines = [(np.diag((sign + side) / 2), (-side * q2 - sign * q1) / 2) for side in (-1.0, 1.0)]
        pieces.append(enclosed_maximum(p, radius, lines, value))
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


# p̂, r, q, max and min: all roots in κ with any 0, 1 or 2 options on the expanding branch, or one
# that nobody chose, from a scan of 600 points; mpmath 1.3 with 40 digits. 0: q lies in the ball.
REFERENCES = [
    (
        [0.00891778, 0.30258581, 0.38812126, 0.30037515],
        4.361176316173542e-06,
        [0.00891809, 0.30258959, 0.38812232, 0.30037],
        4.4011694199132582e-6,
        0,
    ),
    ([0.1, 0.3, 0.25, 0.2, 0.15], 0.3, [0.3, 0.1, 0.2, 0.2, 0.2], 1.0149696036499885, 0),
    ([0, 0.6, 0.4], 0.06, [0.3, 0.38, 0.32], 0.45494202830587259, 0.18807349367868698),
    ([0.01, 0.49, 0.5, 0], 1.0, [1e-12, 0.5, 0.4, 0.099999999999], 17.475256852607644, 0),
    ([0.2] * 5, 0.02, [0.2] * 5, 0.021710628672208929, 0),
    ([0.2, 0.3, 0.5], 0.05, [0.1, 0.1505, 0.7495], 0.36058480452140445, 0.022500640535851354),
    ([0.7, 0.1, 0.1, 0.1], 0.1, [0.25] * 4, 0.85970067270257419, 0.12162442500405166),
    (
        [0.286, 0.0469, 0.2228, 0.2443, 0.2],
        0.0315,
        [0.267560245856, 0.043861661482, 0.20832460337, 0.293251301752, 0.18700218754],
        0.05922398557972984,
        0,
    ),
    ([0.31, 0.29, 0.4], 5.0, [0.3, 0.3, 0.4], 1.2010693673819901, 0),
    ([0.7, 0.3, 0], 0.1, [0.5, 0.47, 0.03], 0.31640740830209193, 2.0938121495537055e-6),
    ([0.3, 0.3, 0.4], 1e-4, [0.2, 0.3, 0.5], 0.036183874281024298, 0.028797737246640523),
    ([0.64, 0.35, 0.01], 0.8, [0.2, 0.3, 0.5], 1.5090425686574982, 0),
    (
        [0.56128682, 0.1661892, 0.27252398],
        0.0078825198,
        [0.57005813, 0.16286403, 0.26707784],
        0.010317733213428805,
        0,
    ),
    (
        [0.08123408, 0.25986359, 0.18510407, 0.13607553, 0.33772273],
        0.0216354028,
        [0.07594803, 0.29435206, 0.18457342, 0.12731111, 0.31781538],
        0.038982746546793093,
        0,
    ),
    (
        [0.666925885, 0.333074115, 0],
        0.0003123349,
        [0.655597851, 0.344402148, 1e-09],
        0.0039486616363779088,
        0,
    ),
    ([0.6, 0.4, 0], 0.2, [0.599, 0.4, 0.001], 0.7796704143777059, 0),
    (
        [0.5, 0.3, 0.2, 0, 0],
        0.05,
        [0.4, 0.2, 0.38, 0.008, 0.012],
        0.25207122839200321,
        0.011681351157013358,
    ),
]


def hostile(d, many=60, seed=0):
    """Return p̂, r and q: zeros, near ties of p̂/q, q down to 1e-12, weighted shares, any radius."""
    generator = np.random.default_rng([seed, d])
    n = generator.choice([3, 10, 1000, 100_000], many)
    share = generator.multinomial(n, generator.dirichlet(np.full(d, 0.8), many)) / n[:, None]
    share[::2] = generator.dirichlet(np.full(d, 3.0), len(share[::2]))
    share[::6, 0] = 0.0
    share[(share > 0).sum(1) < 2, -2:] = 0.5
    share /= share.sum(1, keepdims=True)
    apart = generator.exponential(size=(many, d)) * 10.0 ** generator.uniform(-6, 1, (many, d))
    q = np.maximum(share, 1e-12) * np.exp(apart)
    q[::3] = 10.0 ** generator.integers(-12, 1, q[::3].shape)
    q = np.maximum(q / q.sum(1, keepdims=True), 1e-12)
    q[::5] = 1.0
    return share, 10.0 ** generator.uniform(-8, 1.5, many), q / q.sum(1, keepdims=True)


@pytest.mark.parametrize(("share", "radius", "q", "most", "least"), REFERENCES)
def test_40_digits(share, radius, q, most, least):
    case = np.array([share], float), np.array([radius]), np.array([q])
    assert kl_maximum(*case)[0] == pytest.approx(most, rel=1e-14, abs=1e-15)
    if least:
        assert kl_minimum(*case)[0] == pytest.approx(least, rel=1e-14, abs=1e-15)


def test_the_minimum_is_never_too_large_however_few_steps_there_are(monkeypatch):
    share, radius, q = hostile(5)
    far = divergence(share, q) > radius
    exact = kl_minimum(share[far], radius[far], q[far])
    for steps in range(1, 8):
        monkeypatch.setattr(kl_ball_kl, "MOST_STEPS", steps)
        rough = kl_minimum(share[far], radius[far], q[far])
        assert (rough <= exact + 1e-15).all()
        assert (rough < exact - 1e-9).any()


@pytest.mark.slow
@pytest.mark.parametrize("d", quick([3, 4, 6], only=[3, 4]))
def test_branch_and_bound_encloses_both(d):
    share, radius, q = hostile(d)
    radius = np.clip(radius, 1e-4, 10.0)
    far = divergence(share, q) > radius
    for rows, found, sense in (
        (np.full(len(far), True), kl_maximum(share, radius, q), "plus"),
        (far, -kl_minimum(share[far], radius[far], q[far]), "minus"),
    ):
        objective = Objective(DISCREPANCIES["kl"], **{sense: q[rows]})
        value, bound = separable_maximum(objective, share[rows], radius[rows])
        slack = 1e-9 * np.abs(value) + 1e-13
        assert (found >= value - slack).all()
        assert (found <= bound + slack).all()


def spread_of_log_ratio(share, q):
    """Return the variance of log(p̂/q) under p̂, (N,)."""
    log_ratio = np.log(np.where(share > 0, share, q) / q)
    mean = (share * log_ratio).sum(1, keepdims=True)
    return (share * (log_ratio - mean) ** 2).sum(1)


@pytest.mark.sampled
@pytest.mark.parametrize("d", [3, 5, 8, 12])
def test_hostile_samples_raise_no_warning_and_lie_between_their_limits(d):
    """From KL(p̂ ‖ q) as r → 0 up to log 1/q of some option, and on either side of it."""
    share, radius, q = hostile(d, 1000)
    with np.errstate(all="raise", under="ignore"):
        most = kl_maximum(share, radius, q)
        at_share = divergence(share, q)
        far = at_share > radius
        least = kl_minimum(share[far], radius[far], q[far])
        next_to_share = kl_maximum(share, np.full(len(share), 1e-12), q)
        everything = kl_maximum(share, np.full(len(share), 1e6), q)
    assert (most >= at_share - 1e-14).all()
    assert (most <= -np.log(q.min(1)) + 1e-14).all()
    assert (least <= at_share[far]).all()
    assert (least > -1e-14).all()
    first_order = np.sqrt(2e-12 * spread_of_log_ratio(share, q))
    np.testing.assert_allclose(next_to_share, at_share + first_order, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(everything, -np.log(q.min(1)), rtol=1e-9)


def test_no_root_is_an_error_and_no_answer(monkeypatch):
    monkeypatch.setattr(
        kl_ball_kl, "_search", lambda curves, low, high, *, leaving: np.full(len(low), np.nan)
    )
    with pytest.raises(ArithmeticError, match="the largest KL over the KL ball: NaN in 60 of 60"):
        kl_maximum(*hostile(4))


TERMS = {name: each for name, each in DISCREPANCIES.items() if isinstance(each, Divergence)}
SENSES = ("sup", "inf", "pair")
INSTANCES = 50
# A term is rounded to 1e-16 of a simulator's probability.
ROUNDING = 1e-14


def objective(name, sense, q1, q2):
    """Return what the sup, the inf with its sign changed and the pairwise sup maximise."""
    of = {"sup": (q1, None), "inf": (None, q1), "pair": (q1, q2)}
    return Objective(TERMS[name], *of[sense])


def samples(d, many=INSTANCES, seed=0):
    """Return p̂ of 1 to 2000 answers, radii as sets have them, and two simulators."""
    generator = np.random.default_rng([seed, d])
    n = generator.choice([1, 2, 5, 20, 100, 2000], many)
    share = generator.multinomial(n, generator.dirichlet(np.full(d, 0.6), many)) / n[:, None]
    gamma = generator.choice([0.5, 0.95], many)
    radius = generator.choice([paper_radius(n, d, gamma), smallest_radius(n, d, gamma)], axis=0)
    q = np.maximum(generator.dirichlet(np.full(d, 0.5), (2, many)), 1e-6)
    return share, radius, *(q / q.sum(-1, keepdims=True))


def towards(share, radius, targets):
    """Return the farthest points of the ball from p̂ (N, d) towards targets (N, K, d)."""
    share, radius = share[:, None], radius[:, None]
    low = (divergence(share, targets) <= radius).astype(float)
    high = np.ones(low.shape)
    for _ in range(55):
        middle = (low + high) / 2
        inside = divergence(share, share + middle[..., None] * (targets - share)) <= radius
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return share + low[..., None] * (targets - share)


@cache
def points_of_the_ball(d):
    """Return points towards the vertices, the simulators and anywhere, (N, K, d)."""
    share, radius, q1, q2 = samples(d)
    random = np.random.default_rng(d).dirichlet(np.full(d, 0.3), (len(share), 60))
    vertices = np.tile(np.eye(d), (len(share), 1, 1))
    edge = towards(
        share, radius, np.concatenate([random, vertices, q1[:, None], q2[:, None]], axis=1)
    )
    return np.concatenate([edge, (edge + share[:, None]) / 2, share[:, None]], axis=1)


def values_at(points, name, sense, q1, q2):
    """Return the objective at points (N, K, d)."""
    chosen = objective(name, sense, q1[:, None], q2[:, None])
    return chosen.value(points).sum(-1)


@pytest.mark.sampled
@pytest.mark.parametrize("sense", SENSES)
@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("d", quick([3, 4, 5, 6], only=[3, 5]))
def test_value_and_bound_agree_and_no_point_of_the_ball_lies_beyond(d, name, sense):
    share, radius, q1, q2 = samples(d)
    value, bound = separable_maximum(objective(name, sense, q1, q2), share, radius)
    assert (value <= bound).all()
    np.testing.assert_allclose(value, bound, rtol=1e-9, atol=ROUNDING)
    reached = values_at(points_of_the_ball(d), name, sense, q1, q2).max(1)
    assert (reached <= bound + 1e-12 * np.abs(bound) + ROUNDING).all()


def perimeter(at):
    """Return points of the triangle's perimeter, whose sides are 1 long."""
    side, along = np.divmod(at % 3.0, 1.0)
    first = np.eye(3)[side.astype(int)]
    second = np.eye(3)[(side.astype(int) + 1) % 3]
    return first + along[..., None] * (second - first)


def scanned_maximum(share, radius, q1, q2, name, sense):
    """Return the maximum over perimeter and depth, refined around the best point so far.

    A simulator in the ball is at distance 0 from itself, next to which depth is hard to refine.
    """
    itself = (sense == "inf") & (divergence(share, q1) <= radius)
    every = np.arange(len(share))
    steps = np.array([3 / 600, 1 / 20])
    at = np.tile(np.linspace(0, 3, 601), (len(share), 1))
    depth = np.tile(np.linspace(0, 1, 21), (len(share), 1))
    for _ in range(16):
        edge = towards(share, radius, perimeter(at)) - share[:, None]
        points = share[:, None, None] + depth[:, None, :, None] * edge[:, :, None]
        value = values_at(points.reshape(len(share), -1, 3), name, sense, q1, q2)
        row, column = np.divmod(value.argmax(1), depth.shape[1])
        window = np.linspace(-2, 2, 17)
        at = at[every, row][:, None] + steps[0] * window
        depth = np.clip(depth[every, column][:, None] + steps[1] * window, 0, 1)
        steps /= 4
    return np.where(itself, 0.0, value.max(1))


@pytest.mark.parametrize("name", TERMS)
def test_two_options_may_lie_where_their_terms_are_convex(name):
    """The optimum is on the face that people chose, at an end of its interval."""
    share, radius = np.array([[0.0, 0.6, 0.4]]), np.array([0.06])
    q = np.array([[0.3, 0.38, 0.32]])
    end = bernoulli_kl_upper(share[:, 1], radius)
    u = np.stack([0 * end, end, 1 - end], axis=1)
    value, bound = separable_maximum(objective(name, "sup", q, q), share, radius)
    expected = TERMS[name].term(u, q).sum(1)
    np.testing.assert_allclose([value, bound], [expected, expected], rtol=1e-9)


def test_options_that_nobody_chose_keep_the_little_that_the_simulator_gives_them():
    """The simulator lies just outside the ball; on its edge u_0·u_1 = e^-2r/4."""
    share, tiny = np.array([[0.5, 0.5, 0.0, 0.0]]), 5e-9
    q = np.array([[0.05, 0.95 - 2 * tiny, tiny, tiny]])
    radius = divergence(share, q) - 1e-3
    product = np.exp(-2 * radius[0]) / 4
    all_taken = (1 - np.sqrt(1 - 4 * product)) / 2

    def chi2(more):
        chosen = np.array([all_taken + more, product / (all_taken + more)])
        rest = 1 - chosen.sum()
        return ((chosen - q[0, :2]) ** 2 / q[0, :2]).sum() + (rest - 2 * tiny) ** 2 / (2 * tiny)

    least = minimize_scalar(chi2, bounds=(0, 1e-7), method="bounded", options={"xatol": 1e-16})
    value, bound = separable_maximum(objective("chi2", "inf", q, q), share, radius)
    assert value[0] == pytest.approx(-least.fun, rel=1e-7)
    assert bound[0] == pytest.approx(-least.fun, rel=1e-7)


def test_bounds_leave_room_for_the_rounding_of_large_multipliers():
    """The closer to a vertex, the larger the slopes; the best point is p̂ itself."""
    share, radius = np.eye(3)[:1], np.array([8.7e-6])
    q1, q2 = share, np.array([[0.99996, 3.33e-5, 6.7e-6]])
    chosen = objective("hellinger", "pair", q2, q1)
    bound = separable_maximum(chosen, share, radius)[1]
    assert bound[0] >= chosen.value(share).sum() - 1e-16


@pytest.mark.parametrize("which", [0, 1])
def test_nan_in_the_branch_and_bound_is_an_error_and_no_answer(monkeypatch, which):
    right = separable._bound

    def spoilt(*given):
        found = list(right(*given))
        found[which] = np.nan * found[which]
        return found

    monkeypatch.setattr(separable, "_bound", spoilt)
    share, radius, q1, q2 = samples(4, many=5)
    with pytest.raises(ArithmeticError, match="an extremum over the KL ball: NaN in 5 of 5"):
        separable_maximum(objective("kl", "sup", q1, q2), share, radius)


@pytest.mark.sampled
@pytest.mark.parametrize("sense", SENSES)
@pytest.mark.parametrize("name", TERMS)
def test_the_value_is_that_of_a_point_of_the_ball_and_the_gap_holds_what_a_scan_finds(name, sense):
    """However few boxes there are: the maximum lies between value and bound; many find it."""
    share, radius, q1, q2 = samples(3, many=18, seed=2)
    scanned = scanned_maximum(share, radius, q1, q2, name, sense)
    for boxes in (1, 4, 4000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(separable, "MOST_NODES", boxes)
            value, bound = separable_maximum(objective(name, sense, q1, q2), share, radius)
        assert (value <= scanned * (1 + 1e-8 * np.sign(scanned)) + 1e-12).all()
        assert (bound >= scanned * (1 - 1e-12 * np.sign(scanned)) - 1e-14).all()
    np.testing.assert_allclose(value, scanned, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(bound, scanned, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("name", TERMS)
def test_a_rare_option_may_be_left_as_little_as_the_ball_allows(name):
    """Two options and one person of 100 in the first: it keeps far less than 1e-16.

    The sup is at one end of the interval, here by bisection in logarithms.
    """
    share, radius, q = np.array([[0.01, 0.99]]), np.array([1.0]), np.array([[0.6, 0.4]])
    low, high = -200.0, np.log(0.01)
    for _ in range(100):
        middle = (low + high) / 2
        spent = 0.01 * (np.log(0.01) - middle) + 0.99 * np.log(0.99 / -np.expm1(middle))
        low, high = (middle, high) if spent > 1.0 else (low, middle)
    assert np.exp(high) < 1e-40
    u = np.array([[np.exp(high), 1.0]])
    expected = TERMS[name].term(u, q).sum()
    value, bound = separable_maximum(objective(name, "sup", q, q), share, radius)
    assert [value[0], bound[0]] == pytest.approx([expected, expected], rel=1e-9)


def test_a_bound_from_too_few_rounds_still_holds(monkeypatch):
    share, radius, q1, q2 = samples(5, many=15)
    chosen = objective("chi2", "sup", q1, q2)
    _, finished = separable_maximum(chosen, share, radius)
    monkeypatch.setattr(separable, "ROUNDS", 2)
    value, bound = separable_maximum(chosen, share, radius)
    assert (bound >= finished * (1 - 1e-9)).all()
    assert (value <= finished * (1 + 1e-9)).all()
    assert (bound > finished * (1 + 1e-6)).any()
