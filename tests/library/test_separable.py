"""Branch and bound over the KL ball, against points of the ball, scans of its boundary and faces.

At three options every point of the ball lies between p̂ and a point of the simplex's perimeter, so a
scan over perimeter and depth, refined around its best point, finds the global maximum.
"""

from functools import cache

import numpy as np
import pytest
from parameters import quick
from scipy.optimize import minimize_scalar

from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.discrepancies.divergences import Divergence
from fidelity.extrema import separable
from fidelity.extrema.kl_ball import divergence
from fidelity.extrema.separable import Objective, separable_maximum
from fidelity.sets.multinomial_radii import paper_radius, smallest_radius

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
