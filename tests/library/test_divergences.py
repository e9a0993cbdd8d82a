"""Sums over options: their terms, infinite ones, empty options, and a new one in a few lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fidelity import pairwise_pseudo_discrepancy, pseudo_discrepancy
from fidelity.discrepancies.base import DISCREPANCIES, Bounds, discrepancies_with
from fidelity.discrepancies.divergences import Divergence, LinearPairs
from fidelity.extrema import separable
from fidelity.extrema.kl_ball import divergence
from fidelity.sets.bounds import confidence_bounds

OWN = {name: each for name, each in DISCREPANCIES.items() if isinstance(each, Divergence)}
INFINITE = discrepancies_with("infinite_at_zero")
# tv is one too, with a kink; l2 is the one that knows an option's probability only by its square.
OF_RATIOS = ("tv", *discrepancies_with("is_f_divergence"))

seeds = st.integers(0, 2**32 - 1)


class CressieRead(Divergence):
    """Σ p((p/q)^⅔ - 1)·9/5, the power divergence that Cressie and Read recommend."""

    name = "cressie_read"
    infinite_at_zero = True

    def term(self, u, q):
        """Return 9/5·u((u/q)^⅔ - 1), 0 where u is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(u == 0.0, 0.0, 1.8 * u * ((u / q) ** (2 / 3) - 1.0))

    def slope(self, u, q):
        """Return 3(u/q)^⅔ - 9/5."""
        return 3.0 * (u / q) ** (2 / 3) - 1.8

    def bend(self, u, q):
        """Return 2u·(u/q)^⅔."""
        return 2.0 * u * (u / q) ** (2 / 3)


ALL = OWN | {"cressie_read": CressieRead()}


def shares(generator, many, d, smallest=0):
    """Return rows of whole weights over their sum, often 0 (or ``smallest``), often alike."""
    most = generator.choice([1, 3, 300], (many, d))
    weight = np.maximum(generator.integers(0, most + 1), smallest)
    weight[np.arange(many), generator.integers(0, d, many)] += 1
    return weight / weight.sum(1, keepdims=True)


def of_twenty(generator, many, d):
    """Return shares of 20 answers: a ball of radius 0.3 stays off what 1e-16 would round to 0."""
    return generator.multinomial(20, generator.dirichlet(np.full(d, 0.5), many)) / 20


def ball_of(share, radius):
    """Return balls around p̂ (N, d) as the discrepancies take them."""
    unknown = np.full(len(share), np.nan)
    radius = np.broadcast_to(radius, len(share))
    return Bounds(share, np.empty((len(share), 0)), unknown, unknown, radius)


def extrema(name, share, radius, q):
    """Return inf, sup and gap over the ball."""
    options = {"confidence_set": "multinomial_kl", "discrepancy": name, "radius": radius}
    return pseudo_discrepancy(share, q, **options)


def pairwise(name, share, radius, q1, q2):
    options = {"confidence_set": "multinomial_kl", "discrepancy": name, "radius": radius}
    return pairwise_pseudo_discrepancy(share, q1, q2, **options)


def agree(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_slope_and_bend_are_derivatives(name):
    """By a step along the imaginary axis, where nothing cancels."""
    u, q = np.meshgrid(np.geomspace(1e-6, 1, 40), np.geomspace(1e-6, 1, 41))
    apart, step = u != q, 1e-30
    slope = ALL[name].term(u + 1j * step, q).imag / step
    bend = u**2 * ALL[name].slope(u + 1j * step, q).imag / step
    error = np.abs(ALL[name].slope(u, q) - slope)[apart]
    assert (error < 1e-12 * (1 + np.abs(slope[apart]))).all()
    assert (np.abs(ALL[name].bend(u, q) - bend) < 1e-12 * (u + bend)).all()


@pytest.mark.parametrize("name", ALL)
def test_bends_and_their_differences_keep_their_sign_and_never_turn(name):
    """What the branch and bound asks of a divergence, and of two simulators' difference."""
    u = np.geomspace(1e-9, 1, 200)
    for q1 in np.geomspace(1e-6, 1, 13):
        bend = ALL[name].bend(u, q1)
        assert (bend >= 0).all()
        assert (np.diff(bend) >= 0).all()
        for q2 in np.geomspace(1e-6, q1, 7):
            difference = ALL[name].bend(u, q1) - ALL[name].bend(u, q2)
            rounding = 1e-14 * ALL[name].bend(u, q2)
            sign = np.sign(difference[-1])
            assert (sign * difference >= -rounding).all()
            assert (np.diff(sign * difference) >= -rounding[1:]).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", INFINITE)
@given(seeds)
@settings(max_examples=3)
def test_infinite_where_it_can_be_reached_and_where_it_must_be(name, seed):
    generator = np.random.default_rng(seed)
    for d, radius in ((2, 0.3), (3, 0.3), (3, 3.0)):
        share, q = of_twenty(generator, 10, d), shares(generator, 10, d)
        lower, upper, gap = extrema(name, share, radius, q)
        np.testing.assert_array_equal(np.isinf(upper), (q == 0).any(1))
        np.testing.assert_array_equal(np.isinf(lower), ((q == 0) & (share > 0)).any(1))
        assert np.isfinite(gap).all()
        assert not np.isnan([lower, upper]).any()


@pytest.mark.parametrize("name", INFINITE)
def test_an_option_that_neither_side_chose_is_no_option_for_the_inf(name):
    share, q = np.array([[0.6, 0.3, 0.1]]), np.array([[0.1, 0.2, 0.7]])
    lower, _, gap = extrema(name, share, 0.2, q)
    assert gap[0] <= 1e-9
    for place in range(4):
        longer = [np.insert(each, place, 0.0, axis=1) for each in (share, q)]
        longer_lower, longer_upper, gap = extrema(name, longer[0], 0.2, longer[1])
        assert longer_lower[0] == pytest.approx(lower[0], rel=1e-12)
        assert longer_upper[0] == np.inf
        assert gap[0] <= 1e-9


@pytest.mark.parametrize("name", INFINITE)
def test_samples_with_different_zeros_do_not_mix(name):
    share = np.array([[6.0, 3, 1, 0], [6, 3, 1, 0], [6, 3, 1, 0], [0, 3, 1, 6]]) / 10
    q = np.array([[1.0, 2, 7, 0], [1, 2, 6, 1], [0, 2, 7, 1], [0, 7, 2, 1]]) / 10
    together = np.array(extrema(name, share, 0.05, q))
    alone = [np.ravel(extrema(name, share[[i]], 0.05, q[[i]])) for i in range(4)]
    np.testing.assert_allclose(together.T, alone, rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(np.isinf(together[0]), [False, False, True, False])
    np.testing.assert_array_equal(np.isinf(together[1]), [True, False, True, True])


@pytest.mark.slow
@pytest.mark.parametrize("name", OWN)
@given(seeds)
@settings(max_examples=3)
def test_the_pairwise_difference_is_undefined_only_where_both_can_be_infinite(name, seed):
    """Else it is +inf where simulator 1 states 0 for what people chose, -inf where 2 does."""
    generator = np.random.default_rng(seed)
    for d in (2, 3, 4):
        share, q1, q2 = of_twenty(generator, 20, d), *(shares(generator, 20, d) for _ in "12")
        excludes = [(q == 0) & (name in INFINITE) for q in (q1, q2)]
        first, second = (zero.any(1) for zero in excludes)
        sure1, sure2 = ((zero & (share > 0)).any(1) for zero in excludes)
        lower, upper, gap = pairwise(name, share, 0.1, q1, q2)
        undefined = first & second
        for each in (lower, upper, gap):
            np.testing.assert_array_equal(np.isnan(each), undefined)
        for bound, rows, value in (
            (upper, first, np.inf),
            (lower, sure1, np.inf),
            (lower, second, -np.inf),
            (upper, sure2, -np.inf),
        ):
            np.testing.assert_array_equal(bound[~undefined] == value, rows[~undefined])
        assert (np.abs(gap[~undefined]) < 1e-5).all()


@pytest.mark.sampled
@pytest.mark.parametrize("name", INFINITE)
def test_a_pair_where_one_simulator_may_be_infinitely_far_is_that_without_the_option(name):
    """Nobody chose the last option and one simulator states 0 for it; a scan where u has none."""
    share, radius = np.array([[0.5, 0.3, 0.2, 0.0]]), 0.15
    q1, q2 = np.array([[0.2, 0.2, 0.6, 0.0]]), np.array([[0.5, 0.2, 0.1, 0.2]])
    points = np.pad(points_around(share[0, :3], radius), ((0, 0), (0, 0), (0, 1)))
    difference = np.subtract(*(OWN[name].between(points, q, None) for q in (q1, q2)))
    lower, upper, gap = (each[0] for each in pairwise(name, share, radius, q1, q2))
    assert upper == np.inf
    assert lower == pytest.approx(difference.min(), rel=1e-6)
    assert lower <= difference.min() + 1e-15
    assert gap <= 1e-9
    swapped = np.ravel(pairwise(name, share, radius, q2, q1))
    np.testing.assert_array_equal(swapped, [-upper, -lower, gap])


@pytest.mark.parametrize("name", INFINITE)
def test_all_answers_alike_and_a_simulator_that_is_sure_of_them(name):
    """Only at p̂ = q1 is the first discrepancy finite, and 0 there."""
    share, q1 = np.eye(3)[:1], np.eye(3)[:1]
    q2 = np.array([[0.6, 0.3, 0.1]])
    lower, upper, _ = pairwise(name, share, 0.2, q1, q2)
    assert upper[0] == np.inf
    known = {"kl": np.log(0.6), "chi2": 1 - 1 / 0.6}
    beside = -DISCREPANCIES[name].between(share, q2, None)[0]
    assert lower[0] == pytest.approx(known.get(name, beside), rel=1e-12)


@pytest.mark.parametrize("name", INFINITE)
def test_of_two_options_a_stated_0_is_one_however_the_other_is_rounded(name):
    """1 - 2^-53 is the largest number below 1."""
    counts = np.array([[3.0, 5.0]])
    for q in ([0.0, 1.0 - 2.0**-53], [1.0 - 2.0**-53, 0.0], [0.0, 1.0]):
        options = {"confidence_set": "clopper_pearson", "discrepancy": name, "gamma": 0.9}
        lower, upper, _ = pseudo_discrepancy(counts, [q], **options)
        assert lower[0] == upper[0] == np.inf
    lower, upper, _ = pseudo_discrepancy(counts, [[2.0**-53, 1.0]], **options)
    assert np.isfinite([lower, upper]).all()


def corners(share, radius):
    """Return those of the ball around answers that are all alike: all stay, or e^-r do; (d, d)."""
    moved = -np.expm1(-radius)
    return (1.0 - moved) * share + moved * np.eye(len(share))


@pytest.mark.sampled
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("d", [3, 5, 12])
def test_where_all_answers_are_alike_the_sup_is_at_a_corner(name, d):
    """And the gap says how far off it is at most; simulators near people are the hard ones."""
    generator = np.random.default_rng(d)
    share = np.tile(np.eye(d)[0], (60, 1))
    radius = 10.0 ** generator.uniform(-6, 1, 60)
    q = generator.dirichlet(np.full(d, 0.5), 60)
    q[::3] = 0.95 * share[::3] + 0.05 / d
    q = np.maximum(q, 1e-5)
    q /= q.sum(1, keepdims=True)
    expected = [
        ALL[name].term(corners(*pair[:2]), pair[2]).sum(1).max()
        for pair in zip(share, radius, q, strict=True)
    ]
    _, upper, gap = ALL[name].extrema(ball_of(share, radius), q, None)
    np.testing.assert_allclose(upper, expected, rtol=1e-12)
    assert (upper - expected <= gap + 1e-12 * upper).all()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("radius", [10.0, 20.0])
def test_a_ball_of_nearly_all_shares_reaches_its_corners_and_no_farther(name, radius):
    """Of few people and a coverage near 1; chi2 was bounded by 4e9 there, and is below 1e4."""
    generator = np.random.default_rng(0)
    q = generator.dirichlet(np.ones(5), 40)
    _, upper, _ = ALL[name].extrema(ball_of(of_twenty(generator, 40, 5), radius), q, None)
    at_corners = ALL[name].term(np.eye(5), q[:, None]).sum(2).max(1)
    assert (upper <= at_corners * (1.0 + 1e-9)).all()
    np.testing.assert_allclose(upper, at_corners, rtol=1e-2)


@pytest.mark.parametrize("name", OWN)
@given(seeds)
def test_f_divergences_are_those_that_scale_with_their_arguments(name, seed):
    """Σ q·f(p/q) doubles with p and q; so merging options in proportion to q keeps it."""
    p, q = np.random.default_rng(seed).dirichlet(np.ones(4), (2, 5))
    whole, twice = OWN[name].between(p, q, None), OWN[name].between(2 * p, 2 * q, None)
    assert np.allclose(twice, 2 * whole, rtol=1e-9) == OWN[name].is_f_divergence


@pytest.mark.sampled
@pytest.mark.parametrize("name", OF_RATIOS[1:])
@pytest.mark.parametrize("d", [3, 5, 12])
def test_where_all_answers_are_alike_the_inf_leaves_what_it_must_and_keeps_proportions(name, d):
    """By Jensen's inequality; e^-r must stay, the rest is split as the simulator splits it."""
    generator = np.random.default_rng(d)
    q, radius = generator.dirichlet(np.ones(d), 60), generator.uniform(1e-3, 3.0, 60)
    stays = np.exp(-radius)
    far = q[:, 0] < stays
    u = q * ((1.0 - stays) / (1.0 - q[:, 0]))[:, None]
    u[:, 0] = stays
    expected = np.where(far, ALL[name].term(u, q).sum(1), 0.0)
    lower, _, gap = extrema(name, np.tile(np.eye(d)[0], (60, 1)), radius, q)
    np.testing.assert_allclose(lower, expected, rtol=1e-9, atol=1e-13)
    assert (expected - lower <= gap + 1e-13).all()


@pytest.mark.sampled
@pytest.mark.parametrize("name", ALL)
@given(seeds, st.sampled_from([1e-3, 0.05, 0.3]))
@settings(max_examples=2)
def test_branch_and_bound_of_two_options_is_the_interval(name, seed, radius):
    """The general path at d = 2 against the ends of the Chernoff interval."""
    measure, generator = ALL[name], np.random.default_rng(seed)
    share = of_twenty(generator, 10, 2)
    q1, q2 = (shares(generator, 10, 2, smallest=1) for _ in range(2))
    interval = confidence_bounds(
        share, confidence_set="bernoulli_kl", discrepancy="tv", radius=radius
    )
    ball = ball_of(share, radius)
    agree(measure.vector_extrema(ball, q1, None)[:2], measure.extrema(interval, q1, None)[:2])
    found = measure.vector_pairs(ball, q1, q2, None)
    agree(found[:2], measure.pairwise_extrema(interval, q1, q2, None)[:2])


@pytest.mark.parametrize("name", [name for name in OWN if isinstance(OWN[name], LinearPairs)])
def test_differences_that_are_linear_agree_with_branch_and_bound(name):
    generator = np.random.default_rng(3)
    share = shares(generator, 40, 4)
    radius, (q1, q2) = np.full(40, 0.2), generator.dirichlet(np.full(4, 1.0), (2, 40))
    exact, _ = OWN[name]._largest_difference(share, radius, q1, q2)
    found = Divergence._largest_difference(OWN[name], share, radius, q1, q2)
    np.testing.assert_allclose(found, [exact, exact], rtol=1e-9, atol=1e-14)


@pytest.mark.slow
def test_extrema_are_on_the_safe_side_by_the_gap(monkeypatch):
    """Where boxes run out, the bounds are taken, not the values that were attained."""
    generator = np.random.default_rng(0)
    share = of_twenty(generator, 40, 5)
    q1, q2 = (shares(generator, 40, 5, smallest=1) for _ in range(2))
    exact = extrema("chi2", share, 0.3, q1), pairwise("chi2", share, 0.3, q1, q2)
    monkeypatch.setattr(separable, "MOST_NODES", 1)
    rough = extrema("chi2", share, 0.3, q1), pairwise("chi2", share, 0.3, q1, q2)
    for (least, most, gap), (lower, upper, wide) in zip(exact, rough, strict=True):
        assert (lower <= least + 1e-8 * np.abs(least)).all()
        assert (upper >= most - 1e-8 * np.abs(most)).all()
        assert (upper > most + 1e-3).any()
        off = np.maximum(least - lower, upper - most)
        assert (off <= wide + 1e-8 * np.abs(most)).all()
        assert (gap <= 1e-9 * np.maximum(np.abs(least), np.abs(most)) + 1e-14).all()


def points_around(share, radius):
    """Return points of a ball of three options, at 20,000 angles around p̂ and 26 depths."""
    angle = np.linspace(0, 2 * np.pi, 20001)
    plane = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    direction = np.stack([np.cos(angle), np.sin(angle)], axis=1) @ plane
    with np.errstate(divide="ignore"):
        high = np.where(direction < 0, -share / direction, np.inf).min(1)
    low = np.zeros(len(angle))
    for _ in range(60):
        middle = (low + high) / 2
        inside = divergence(share, share + middle[:, None] * direction) <= radius
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return share + np.linspace(0, 1, 26)[:, None, None] * low[:, None] * direction


def test_a_term_that_sees_other_options_is_refused():
    """Σ (differences of cumulative shares)², written as if it were a sum over options."""

    class Cumulative(Divergence):
        name = label = "cumulative"

        def term(self, u, q):
            return np.cumsum(u - q, axis=-1) ** 2

        def slope(self, u, q):
            return 2.0 * np.cumsum(u - q, axis=-1)

        def bend(self, u, q):
            return 2.0 * u**2

    with pytest.raises(ValueError, match=r"cumulative: term of an option .*MaximumMeanDiscrepancy"):
        Cumulative()


def own(term, slope, bend, turn=None):
    """Return an instance of a class with these functions, which is checked when it is made."""
    body = {"name": "own", "label": "own"}
    of = {"term": term, "slope": slope, "bend": bend} | ({"turn": turn} if turn else {})
    body |= {name: lambda self, *given, each=each: each(*given) for name, each in of.items()}
    return type("Own", (Divergence,), body)()


QUARTIC = (
    lambda u, q: (u - q) ** 4,
    lambda u, q: 4 * (u - q) ** 3,
    lambda u, q: 12 * u**2 * (u - q) ** 2,
)


def test_a_bend_that_falls_anywhere_is_refused_without_a_turn():
    with pytest.raises(ValueError, match=r"own: bend falls at u = .* add a method turn"):
        own(*QUARTIC)
    with pytest.raises(ValueError, match=r"own: bend falls .* turn must return the first u"):
        own(*QUARTIC, turn=lambda q: q)
    own(*QUARTIC, turn=lambda q: q / 2)


@pytest.mark.parametrize(("place", "name"), [(1, "slope"), (2, "bend")])
def test_what_is_no_derivative_is_refused(place, name):
    wrong = list(QUARTIC)
    wrong[place] = lambda u, q: 1.1 * QUARTIC[place](u, q)
    with pytest.raises(ValueError, match=f"own: {name} must be"):
        own(*wrong, turn=lambda q: q / 2)


def test_a_term_without_a_value_at_zero_is_refused():
    def ratio(u, q):
        return (u - q) ** 2 / (u + q)

    with pytest.raises(ValueError, match="own: term must be 0 at u = q = 0"):
        own(ratio, QUARTIC[1], QUARTIC[2])
