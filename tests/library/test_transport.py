"""Extrema over the W1 ball, against programs over whole transport plans and closed forms.

The oracle lets a plan say how much mass moves from every option to every other, and takes each
|u_i - q_i| that makes a program not concave with either sign.
"""

from itertools import pairwise, product

import numpy as np
import pytest
from enclosure import hostile_samples, maximum, minimum
from parameters import quick
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.special import ndtr
from scipy.stats import wasserstein_distance

from fidelity import confidence_radius, pairwise_pseudo_discrepancy, pseudo_discrepancy
from fidelity.extrema import w1_ball as transport
from fidelity.extrema.kl_ball_w1 import w1
from fidelity.extrema.w1_ball import linear_maximum, w1_minimum
from fidelity.sets.w1 import EXPECTED

tv_minimum = minimum(transport.tv_minimum)
tv_difference_maximum = maximum(transport.tv_difference_maximum)
w1_difference_maximum = maximum(transport.w1_difference_maximum)
MINIMA = (w1_minimum, tv_minimum)
DIFFERENCES = (w1_difference_maximum, tv_difference_maximum)
DISTANCES = {
    w1_minimum: w1,
    w1_difference_maximum: w1,
    tv_minimum: lambda p, q, _: np.abs(p - q).sum(-1) / 2,
    tv_difference_maximum: lambda p, q, _: np.abs(p - q).sum(-1) / 2,
}


def planned_maximum(p, radius, scores, lines):
    """Return max over the ball of Σ_k min over lines of ⟨slopes_k, u⟩ + offset_k."""
    d, terms = len(p), len(lines[0][1])
    leaves, arrives = np.kron(np.eye(d), np.ones(d)), np.kron(np.ones(d), np.eye(d))
    cost = np.abs(np.subtract.outer(scores, scores)).ravel()
    solution = linprog(
        np.r_[np.zeros(d * d), -np.ones(terms)],
        A_ub=np.vstack(
            [
                np.r_[cost, np.zeros(terms)],
                *(np.hstack([-slopes @ arrives, np.eye(terms)]) for slopes, _ in lines),
            ]
        ),
        b_ub=np.r_[radius, *(offsets for _, offsets in lines)],
        A_eq=np.hstack([leaves, np.zeros((d, terms))]),
        b_eq=p,
        bounds=[(0, None)] * (d * d) + [(None, None)] * terms,
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert solution.status == 0
    return -solution.fun


def terms(extremum, scores):
    """Return weights and functionals y of the distance Σ_k weight_k |y_k(u) - y_k(q)|."""
    if DISTANCES[extremum] is not w1:
        return np.full(len(scores), 0.5), np.eye(len(scores))
    order = np.argsort(scores)
    below = np.zeros((len(scores) - 1, len(scores)))
    for k in range(len(below)):
        below[k, order[: k + 1]] = 1.0
    return np.diff(scores[order]), below


def planned_minimum(extremum, p, radius, q, scores):
    weights, functionals = terms(extremum, scores)
    slopes, offsets = weights[:, None] * functionals, weights * (functionals @ q)
    return -planned_maximum(p, radius, scores, [(-slopes, offsets), (slopes, -offsets)])


def planned_difference(extremum, p, radius, q1, q2, scores):
    weights, functionals = terms(extremum, scores)
    slopes = weights[:, None] * functionals
    first, second = weights * (functionals @ q1), weights * (functionals @ q2)
    return max(
        planned_maximum(
            p,
            radius,
            scores,
            [
                ((sign - 1)[:, None] * slopes, second - sign * first),
                ((sign + 1)[:, None] * slopes, -second - sign * first),
            ],
        )
        for sign in map(np.array, product((-1.0, 1.0), repeat=len(weights)))
    )


def hostile(generator, n_samples, d, smallest_radius=-4.0):
    """Draw samples with radii from tiny to all of the span, and scores that may be equal."""
    radius = 10 ** generator.uniform(smallest_radius, 0.5, n_samples)
    drawn = hostile_samples(generator, radius, np.minimum(radius, 1.0), d)
    tied = generator.integers(0, 3, d).astype(float)
    return *drawn, tied if generator.random() < 0.3 else generator.normal(size=d)


def in_ball(generator, share, radius, scores):
    """Return points of the ball, most at its edge, one per sample."""
    towards = generator.dirichlet(np.full(share.shape[1], 0.4), len(share))
    far = w1(share, towards, scores)
    reach = np.where(far > radius, radius / np.where(far > 0.0, far, 1.0), 1.0)[:, None]
    return (1 - reach) * share + reach * towards


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 3, 5])
def test_linear_maximum_is_that_over_plans(d):
    generator = np.random.default_rng(d)
    for _ in range(12):
        share, radius, _, _, scores = hostile(generator, 4, d)
        family = np.stack([generator.normal(size=d), scores, generator.integers(0, 2, d) * 1.0])
        found = linear_maximum(share, radius, family, scores)
        for i, j in np.ndindex(found.shape):
            expected = planned_maximum(
                share[i], radius[i], scores, [(family[j][None], np.zeros(1))]
            )
            assert found[i, j] == pytest.approx(expected, abs=1e-9)


@pytest.mark.sampled
@pytest.mark.parametrize("extremum", MINIMA)
@pytest.mark.parametrize("d", [2, 3, 5])
def test_minima_are_those_over_plans(d, extremum):
    generator = np.random.default_rng(10 + d)
    for _ in range(10):
        share, radius, q, _, scores = hostile(generator, 5, d)
        found = extremum(share, radius, q, scores)
        for i, value in enumerate(found):
            expected = planned_minimum(extremum, share[i], radius[i], q[i], scores)
            assert value == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("extremum", DIFFERENCES)
@pytest.mark.parametrize("d", quick([2, 3, 4], only=[2, 3]))
def test_differences_are_the_largest_over_all_signs_and_plans(d, extremum):
    generator = np.random.default_rng(20 + d)
    for _ in range(6):
        share, radius, q1, q2, scores = hostile(generator, 4, d)
        found = extremum(share, radius, q1, q2, scores)
        for i, value in enumerate(found):
            expected = planned_difference(extremum, share[i], radius[i], q1[i], q2[i], scores)
            assert value == pytest.approx(expected, abs=1e-9)


@pytest.mark.sampled
@pytest.mark.parametrize("smallest_radius", [-8.0, -2.0])
@pytest.mark.parametrize("distinct", [2, 8])
@pytest.mark.parametrize("d", [2, 4, 8])
def test_no_point_of_the_ball_beats_the_extrema(d, distinct, smallest_radius):
    generator = np.random.default_rng(30 + d)
    share, radius, q1, q2, _ = hostile(generator, 100, d, smallest_radius)
    scores = generator.normal(size=distinct)[np.arange(d) % distinct]
    family = generator.normal(size=(5, d))
    support = linear_maximum(share, radius, family, scores)
    nearest = {extremum: extremum(share, radius, q1, scores) for extremum in MINIMA}
    largest = {extremum: extremum(share, radius, q1, q2, scores) for extremum in DIFFERENCES}
    for _ in range(40):
        u = in_ball(generator, share, radius, scores)
        assert (u @ family.T <= support + 1e-12).all()
        for extremum, value in nearest.items():
            assert (DISTANCES[extremum](u, q1, scores) >= value - 1e-12).all()
        for extremum, value in largest.items():
            distance = DISTANCES[extremum]
            assert (distance(u, q1, scores) - distance(u, q2, scores) <= value + 1e-12).all()


def test_mass_takes_the_best_way_for_its_price():
    """From 0 to 1 gains 2 per unit of distance, from 1 to 3 gains ½: the first unit goes to 1.

    With 1 on the other side of 0, no option but the one at 0 has the slope ½.
    """
    share = np.tile([1.0, 0.0, 0.0], (5, 1))
    radius = np.array([0.25, 1.0, 2.0, 3.0, 10.0])
    for scores, unit in product(([0.0, 1.0, 3.0], [0.0, -1.0, 3.0]), (0.1, 1.0, 10.0)):
        f = unit * np.array([[0.0, 2.0, 3.0]])
        found = linear_maximum(share, radius, f, np.array(scores))[:, 0]
        np.testing.assert_allclose(found, unit * np.array([0.5, 2.0, 2.5, 3.0, 3.0]))


def test_many_samples_are_as_one():
    """More samples than one program takes."""
    share, radius, q1, q2, scores = hostile(np.random.default_rng(7), 450, 3)
    some = slice(195, 205)
    for extremum in DIFFERENCES:
        np.testing.assert_allclose(
            extremum(share, radius, q1, q2, scores)[some],
            extremum(share[some], radius[some], q1[some], q2[some], scores),
            atol=1e-12,
        )


GRID = np.linspace(-9.0, 9.0, 6_001)
SKEW = 0.1
PROXY = np.sqrt((1 - 2 * SKEW) / (2 * np.log((1 - SKEW) / SKEW)))  # Buldygin & Moskvichova 2013
LAWS = {  # σ, draws, distribution function
    "normal": (1.0, lambda rng, n: rng.standard_normal(n), ndtr(GRID)),
    "uniform": (1.0, lambda rng, n: rng.uniform(-(3**0.5), 3**0.5, n), (GRID / 12**0.5 + 0.5)),
    "mixture": (
        np.sqrt(1.25),
        lambda rng, n: rng.choice([-1.0, 1.0], n) + 0.5 * rng.standard_normal(n),
        (ndtr((GRID - 1) / 0.5) + ndtr((GRID + 1) / 0.5)) / 2,
    ),
    "two points": (1.0, lambda rng, n: rng.choice([-1.0, 1.0], n), np.where(GRID < -1, 0, 0.5)),
    "skew": (
        PROXY,
        lambda rng, n: (rng.random(n) < SKEW) - SKEW,
        np.where(GRID < -SKEW, 0.0, 1.0 - SKEW),
    ),
}
TOP = {"two points": 1.0, "skew": 1.0 - SKEW}


def distances(name, n, studies):
    """Return W1 of samples and their law, by the area between distribution functions."""
    _, draw, below = LAWS[name]
    below = np.where(TOP.get(name, np.inf) <= GRID, 1.0, np.clip(below, 0.0, 1.0))
    rng = np.random.default_rng(n)
    samples = (np.sort(draw(rng, n)) for _ in range(studies))
    shares = (np.searchsorted(sample, GRID, side="right") / n for sample in samples)
    return np.array([np.trapezoid(np.abs(share - below), GRID) for share in shares])


def test_the_expected_distance_is_the_integral_over_the_tails():
    def variance(s):
        p = min(np.exp(-s * s / 2), 1 / (1 + s * s), 0.5)
        return p * (1 - p)

    ends = [0.0, 1.0, 1.5852, 3.0, 8.0, 40.0]
    parts = [quad(lambda s: variance(s) ** 0.5, *pair)[0] for pair in pairwise(ends)]
    assert 2 * sum(parts) <= EXPECTED <= 2 * sum(parts) + 0.001


@pytest.mark.sampled
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("n", [5, 100])
def test_the_ball_holds_the_law(name, n):
    far, sigma = distances(name, n, 2_000), LAWS[name][0]
    assert far.mean() <= EXPECTED * sigma / np.sqrt(n)
    for gamma in (0.1, 0.5, 0.9):
        radius = confidence_radius(n, 2, gamma, "w1_sigma", span=2 * sigma)
        assert (far <= radius).mean() >= gamma


def test_it_is_far_smaller_than_the_papers():
    ours, paper = (
        confidence_radius(1_000, 2, 0.5, name, span=2.0) for name in ("w1_sigma", "w1_subgaussian")
    )
    assert ours == pytest.approx((EXPECTED + 2 * np.sqrt(np.log(2))) / np.sqrt(1_000))
    assert paper / ours > 100


@pytest.mark.parametrize("name", ["w1_sigma", "w1_subgaussian"])
def test_mass_that_goes_ever_farther_out_reaches_the_upper_end(name):
    rng = np.random.default_rng(1)
    scores, counts = np.sort(rng.standard_normal(30)), rng.integers(1, 9, (1, 30))
    q, sigma = rng.dirichlet(np.ones(30), 1), 1.5
    shared = {"confidence_set": name, "discrepancy": "w1", "gamma": 0.5, "scores": scores}
    found = pseudo_discrepancy(counts, q, sigma=sigma, **shared)
    radius = confidence_radius(counts.sum(), 30, 0.5, name, span=2 * sigma)
    share = counts[0] / counts.sum()
    plugin = wasserstein_distance(scores, scores, share, q[0])
    assert found.upper == pytest.approx([plugin + radius])
    assert found.lower == pytest.approx([max(plugin - radius, 0.0)])
    most = 1e7
    part = radius / (most - share @ scores)
    moved = np.append((1 - part) * share, part)
    places = np.append(scores, most)
    assert wasserstein_distance(places, scores, moved, share) == pytest.approx(radius, rel=1e-3)
    reached = wasserstein_distance(places, scores, moved, q[0])
    assert found.upper[0] * 0.999 <= reached <= found.upper[0] * (1 + 1e-9)


def test_pairs_differ_by_at_most_twice_the_radius_and_the_distance_of_both():
    scores, people = np.arange(5.0), [[5, 9, 2, 4, 1]]
    one, two = [[0.2] * 5], [[0.6, 0.1, 0.1, 0.1, 0.1]]
    shared = {"confidence_set": "w1_sigma", "discrepancy": "w1", "gamma": 0.5, "scores": scores}
    found = pairwise_pseudo_discrepancy(people, one, two, sigma=0.1, **shared)
    share = np.array(people[0]) / 21
    apart = [wasserstein_distance(scores, scores, share, q[0]) for q in (one, two)]
    reach = 2 * confidence_radius(21, 5, 0.5, "w1_sigma", span=0.2)
    most = wasserstein_distance(scores, scores, one[0], two[0])
    assert found.upper == pytest.approx([min(apart[0] - apart[1] + reach, most)])


def test_numbers_without_bounds_need_their_sigma():
    shared = {"discrepancy": "w1", "gamma": 0.5, "scores": [0.0, 1.0, 2.0]}
    for name in ("w1_sigma", "w1_subgaussian"):
        with pytest.raises(ValueError, match="needs sigma"):
            pseudo_discrepancy(
                [[1, 2, 3]], [[1 / 3] * 3], confidence_set=name, limits=(-np.inf, np.inf), **shared
            )
    with pytest.raises(ValueError, match="one of the two"):
        pseudo_discrepancy(
            *([[1, 2, 3]], [[1 / 3] * 3]),
            confidence_set="w1_sigma",
            sigma=1.0,
            limits=(0.0, 2.0),
            **shared,
        )
    with pytest.raises(ValueError, match="sigma"):
        pseudo_discrepancy(
            [[1, 2, 3]], [[1 / 3] * 3], confidence_set="w1_sigma", sigma=-1.0, **shared
        )
