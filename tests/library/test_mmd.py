"""Maximum mean discrepancies against individual answers, brute force and all possible samples."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernels import SCORES, kernel_of, largest_distance, points_of
from outcomes import outcomes_of
from parameters import quick
from scipy.special import rel_entr
from scipy.stats import multinomial

from fidelity import DISCREPANCIES, pairwise_pseudo_discrepancy, pseudo_discrepancy
from fidelity.discrepancies.mmd import DeltaMMD, MaximumMeanDiscrepancy
from fidelity.means.leave_one_out import leave_one_out
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import meaningful

NAMES = [name for name in DISCREPANCIES if DISCREPANCIES[name].on == "kernel"]


def witness(counts, q, name, gamma, scores=SCORES):
    return pseudo_discrepancy(
        counts, q, confidence_set="witness", discrepancy=name, gamma=gamma, scores=scores
    )


def witness_pairs(counts, q1, q2, name, gamma):
    given = {"discrepancy": name, "gamma": gamma, "scores": SCORES}
    return pairwise_pseudo_discrepancy(counts, q1, q2, confidence_set="witness", **given)


@pytest.mark.parametrize("name", NAMES)
def test_the_unit_of_the_scores_does_not_matter_and_equal_ones_are_one_option(name):
    rng = np.random.default_rng(2)
    p, q = rng.dirichlet(np.ones(5), (2, 10))
    scores = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    between = DISCREPANCIES[name].between
    for other in (3 - 7 * scores, SCORES[0] + scores):
        np.testing.assert_allclose(between(p, q, other), between(p, q, scores), rtol=1e-13)
    if DISCREPANCIES[name].needs_scores:
        expected = of_two(name) * np.abs(p[:, 0] - q[:, 0])
        np.testing.assert_allclose(between(p, q, scores), expected, rtol=1e-7)


def of_two(name):
    """Return the distance of two options, whose own distance is the bandwidth."""
    return largest_distance(kernel_of(name, [0.0, 1.0], bandwidth=1.0))


OF_TWO = [name for name in CONFIDENCE_SETS if meaningful(name, "absolute", "binary")]


@pytest.mark.sampled
@pytest.mark.parametrize("confidence_set", OF_TWO)
@pytest.mark.parametrize("name", NAMES)
def test_of_two_options_it_is_the_absolute_difference_times_their_distance(name, confidence_set):
    rng = np.random.default_rng(3)
    counts, q1, q2 = rng.multinomial(30, [0.4, 0.6], 20), *rng.dirichlet([1, 1], (2, 20))
    options = {"confidence_set": confidence_set, "gamma": 0.7}
    for function, q in ((pseudo_discrepancy, [q1]), (pairwise_pseudo_discrepancy, [q1, q2])):
        expected = function(counts, *q, discrepancy="absolute", **options)
        found = function(counts, *q, discrepancy=name, **options)
        np.testing.assert_allclose(found, of_two(name) * np.array(expected), atol=1e-13)


def chernoff_upper(y, radius):
    """Return the largest u with KL(y ‖ u) ≤ radius, by bisection."""
    low, high = y.copy(), np.ones_like(y)
    for _ in range(60):
        middle = (low + high) / 2
        inside = rel_entr(y, middle) + rel_entr(1 - y, 1 - middle) <= radius
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return high


def sphere(rank):
    """Return points all over the unit sphere, (G, rank)."""
    if rank == 2:
        angle = np.linspace(0, 2 * np.pi, 20_000)
        return np.stack([np.cos(angle), np.sin(angle)], -1)
    height, angle = np.meshgrid(np.linspace(-1, 1, 101), np.linspace(0, 2 * np.pi, 200))
    wide = np.sqrt(1 - height**2)
    return np.stack([wide * np.cos(angle), wide * np.sin(angle), height], -1).reshape(-1, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("gamma", quick([0.1, 0.5, 0.95], only=[0.5]))
def test_the_upper_bound_is_the_largest_over_the_unit_ball(name, gamma):
    """Searched on a grid of functions: above all of them, and within its gap of the best."""
    rng = np.random.default_rng(4)
    n = rng.choice([1, 5, 30, 300], 12)
    counts, q = rng.multinomial(n, rng.dirichlet(np.ones(3), 12)), rng.dirichlet(np.ones(3), 12)
    q[:3] = np.eye(3)
    _, upper, gap = witness(counts, q, name, gamma)
    points = points_of(name)
    f = sphere(points.shape[1]) @ points.T
    f = f[np.ptp(f, axis=1) > 0]
    low, span = f.min(1), np.ptp(f, axis=1)
    for j in range(12):
        mean = np.clip((f @ (counts[j] / n[j]) - low) / span, 0, 1)
        bounds = low + span * chernoff_upper(mean, -np.log1p(-gamma) / n[j]) - f @ q[j]
        assert bounds.max() <= upper[j] + 1e-12
        assert bounds.max() >= upper[j] - gap[j] - 0.002
    assert gap.max() < 0.005


@given(
    st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(any),
    st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any),
    st.floats(0.01, 0.999),
    st.sampled_from(NAMES),
)
def test_bounds_lie_around_the_plugin_within_the_known_ones(counts, weights, gamma, name):
    """Hoeffding's for functions of range R, the authors' ball, and the farthest of the options."""
    n, q = sum(counts), np.array([weights]) / sum(weights)
    share = np.array([counts]) / n
    measure = DISCREPANCIES[name]
    plugin = measure.between(share, q, SCORES)[0]
    lower, upper, gap = (each[0] for each in witness([counts], q, name, gamma))
    assert 0 <= lower <= plugin + 1e-12
    assert plugin <= upper + 1e-12
    assert gap >= 0
    loss = -np.log1p(-gamma) / n
    kernel = kernel_of(name, SCORES)
    most = np.sqrt(kernel.diagonal().max())
    assert upper - gap <= plugin + largest_distance(kernel) * np.sqrt(loss / 2) + 1e-12
    assert upper <= plugin + most * (np.sqrt(1 / n) + np.sqrt(2 * loss)) + 1e-12
    assert upper <= measure.between(np.eye(3), q, SCORES).max() + 1e-12


def test_the_lower_bound_by_hand():
    """Of 200 answers at 8 : 1 : 1: the largest distance is √2, the variance at most 2/3."""
    lower = witness([[160, 20, 20]], [[0.2, 0.4, 0.4]], "mmd_delta", 0.5, None).lower
    plugin = np.sqrt(0.6**2 + 2 * 0.3**2)
    certain = plugin - np.sqrt(2) * np.sqrt(np.log(2) / 400)
    np.testing.assert_allclose(lower, np.sqrt(certain**2 - 2 / 3 / 200), rtol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_those_of_the_half_space_of_one_functional(name):
    """Above the largest difference there, and equal to it where it is positive."""
    rng = np.random.default_rng(6)
    measure, kernel = DISCREPANCIES[name], kernel_of(name, SCORES)
    everywhere = outcomes_of(120) / 120
    equal = 0
    for _ in range(30):
        q1, q2 = rng.dirichlet(np.full(3, 2.0), (2, 1))
        counts = rng.multinomial(60, rng.dirichlet(np.full(3, 2.0)))
        upper = witness_pairs(counts[None], q1, q2, name, 0.8).upper[0]
        f = 2 * (q2 - q1)[0] @ kernel
        mean = np.clip((f @ counts / 60 - f.min()) / np.ptp(f), 0, 1)
        most = f.min() + np.ptp(f) * chernoff_upper(mean[None], -np.log1p(-0.8) / 60)[0]
        inside = everywhere[everywhere @ f <= most]
        largest = (measure.between(inside, q1, SCORES) - measure.between(inside, q2, SCORES)).max()
        assert upper >= largest - 1e-12
        if upper > 0:
            assert upper <= largest + 0.02
            equal += 1
        else:
            assert largest <= 1e-12
    assert 5 < equal < 25


def shortened(w, deviation, ramp):
    """Return w at length 1, less within ``ramp`` standard errors of 0."""
    length = np.linalg.norm(w)
    if length == 0:
        return w
    x = length / (ramp * deviation) if ramp * deviation > 0 else 1.0
    return w / length * (1.0 if x >= 1 else 1.5 * x - 0.5 * x**3)


@pytest.mark.parametrize("ramp", [0.0, 1.0])
@pytest.mark.parametrize("name", NAMES)
def test_leaving_each_person_out_by_hand(name, ramp):
    rng = np.random.default_rng(7)
    points = points_of(name)
    p = np.array([0.5, 0.3, 0.2])
    counts, q = rng.multinomial(9, p, 20), rng.dirichlet(20 * p, 20)
    expected = []
    for x, stated in zip(counts, q, strict=True):
        people, centre = np.repeat(points, x, axis=0), stated @ points
        variance = stated @ ((points - centre) ** 2).sum(1) * 9 / 8**2
        said = []
        for r in range(9):
            others = np.delete(people, r, 0).mean(0) - centre
            said.append(shortened(others, np.sqrt(variance), ramp) @ (people[r] - centre))
        expected.append(np.mean(said))
    found = leave_one_out(counts.astype(float), q, DISCREPANCIES[name], SCORES, ramp=ramp)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)
    assert (found < 0).any()


@pytest.mark.parametrize("ramp", [0.0, 1.0])
@pytest.mark.parametrize("name", NAMES)
def test_leaving_each_person_and_draw_out_by_hand(name, ramp):
    rng = np.random.default_rng(8)
    points = points_of(name)
    x, y = rng.multinomial(7, [0.5, 0.3, 0.2]), rng.multinomial(5, [0.2, 0.5, 0.3])
    people, draws = np.repeat(points, x, axis=0), np.repeat(points, y, axis=0)
    said = []
    for r, s in product(range(7), range(5)):
        rest = np.delete(draws, s, 0)
        variance = ((rest - rest.mean(0)) ** 2).sum(1).mean() * (1 / 7 + 1 / 5)
        apart = np.delete(people, r, 0).mean(0) - rest.mean(0)
        said.append(shortened(apart, np.sqrt(variance), ramp) @ (people[r] - draws[s]))
    found = leave_one_out(
        x[None].astype(float), y[None] / 5, DISCREPANCIES[name], SCORES, np.array([5.0]), ramp
    )
    assert found[0] == pytest.approx(np.mean(said), abs=1e-13)


def of_kernel(kernel, name="own"):
    """Return an instance of a class with this kernel, which is checked when it is made."""
    body = {"name": name, "label": name, "kernel": lambda self, d, scores: kernel(d)}
    return type("Own", (MaximumMeanDiscrepancy,), body)()


def cumulative(d):
    """k(i, j) = Σ over t < d of [i ≤ t]·[j ≤ t]: its diagonal is not 1."""
    at_most = np.tri(d).T[:, :-1]
    return at_most @ at_most.T


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        (lambda d: np.ones(d), "must be"),
        (lambda d: np.full((d, d), np.nan), "finite"),
        (lambda d: np.tri(d), "symmetric"),
        (lambda d: 1.0 - np.eye(d), "positive semidefinite; with 2 options .* is -1"),
    ],
)
def test_what_is_no_kernel_is_refused(kernel, why):
    with pytest.raises(ValueError, match=why):
        of_kernel(kernel)


def test_the_square_of_a_kernels_distance_is_refused():
    class Square(DeltaMMD):
        name = "square"

        def between(self, p, q, scores):
            return super().between(p, q, scores) ** 2

    with pytest.raises(ValueError, match="leave it out, and take the root of a square"):
        Square()


def test_a_kernel_of_cumulative_shares_has_right_bounds(monkeypatch):
    """Closed form, and coverage of the witness and mean of the leave-one-out bound, over all x."""
    own, n, gamma = of_kernel(cumulative), 8, 0.8
    monkeypatch.setitem(DISCREPANCIES._things, own.name, own)
    generator = np.random.default_rng(4)
    counts = outcomes_of(n)
    for p, q in generator.dirichlet(np.ones(3), (40, 2)):
        true = np.sqrt((np.cumsum(p - q)[:-1] ** 2).sum())
        rows = np.tile(q, (len(counts), 1))
        assert own.between(p[None], q[None], None)[0] == pytest.approx(true, abs=1e-12)
        chance = multinomial.pmf(counts, n, p)
        found = pseudo_discrepancy(
            counts, rows, confidence_set="witness", discrepancy=own, gamma=gamma,
            scores=SCORES,
        )  # fmt: skip
        assert chance[found.upper >= true - 1e-12].sum() >= gamma - 1e-9
        assert chance[found.lower <= true + 1e-12].sum() >= gamma - 1e-9
        lower = leave_one_out(counts, rows, own, SCORES)
        assert chance @ lower <= true + 1e-9
