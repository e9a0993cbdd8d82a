"""Extrema over the W1 ball, against programs over whole transport plans and closed forms.

The oracle lets a plan say how much mass moves from every option to every other, and takes each
|u_i - q_i| that makes a program not concave with either sign.
"""

from itertools import product

import numpy as np
import pytest
from enclosure import maximum, minimum
from parameters import quick
from scipy.optimize import linprog

from fidelity.extrema import w1_ball as transport
from fidelity.extrema.kl_ball_w1 import w1
from fidelity.extrema.w1_ball import linear_maximum, w1_minimum

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
    """Draw vertices, faces and ties, radii from tiny to all of the span, simulators anywhere."""
    n = generator.choice([1, 2, 20, 10**6], n_samples)
    shares = generator.dirichlet(np.full(d, 0.6), n_samples)
    share = generator.multinomial(n, shares) / n[:, None]
    radius = 10 ** generator.uniform(smallest_radius, 0.5, n_samples)

    def simulator():
        anywhere = generator.dirichlet(np.full(d, 0.5), n_samples)
        vertex = np.eye(d)[generator.integers(0, d, n_samples)]
        weight = np.minimum(radius, 1.0)[:, None] * generator.random((n_samples, 1))
        near = (1 - weight) * share + weight * anywhere
        kind = generator.integers(0, 4, (n_samples, 1))
        return np.select([kind == 0, kind == 1], [anywhere, vertex], near)

    tied = generator.integers(0, 3, d).astype(float)
    scores = tied if generator.random() < 0.3 else generator.normal(size=d)
    return share, radius, simulator(), simulator(), scores


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
