"""Sums over options: their terms, infinite ones, empty options, and a new one in a few lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr

from fidelity import pairwise_pseudo_discrepancy, pseudo_discrepancy
from fidelity.confidence_set import confidence_bounds
from fidelity.discrepancies import DISCREPANCIES
from fidelity.discrepancy import Bounds
from fidelity.divergences import Divergence, LinearPairs
from fidelity.kl_ball import divergence

OWN = {name: each for name, each in DISCREPANCIES.items() if isinstance(each, Divergence)}
INFINITE = ("kl", "chi2")
# tv is one too, with a kink; l2 is the one that knows an option's probability only by its square.
OF_RATIOS = ("tv", "kl", "hellinger", "chi2", "js")
BALL = {"confidence_set": "multinomial_kl"}


class CressieRead(Divergence):
    """Σ p((p/q)^⅔ - 1)·9/5, the power divergence that Cressie and Read recommend."""

    name = "cressie_read"
    infinite_at_zero = True

    def term(self, u, q):
        """Return 9/5·u((u/q)^⅔ - 1)."""
        return 1.8 * u * ((u / q) ** (2 / 3) - 1.0)

    def slope(self, u, q):
        """Return 3(u/q)^⅔ - 9/5."""
        return 3.0 * (u / q) ** (2 / 3) - 1.8

    def bend(self, u, q):
        """Return 2u·(u/q)^⅔."""
        return 2.0 * u * (u / q) ** (2 / 3)


ALL = OWN | {"cressie_read": CressieRead()}


def weights(d, smallest=0):
    entry = st.one_of(st.just(smallest), st.integers(smallest, 3), st.integers(smallest, 300))
    return st.lists(entry, min_size=d, max_size=d).filter(any)


def shares(d, smallest=0):
    return weights(d, smallest).map(lambda w: np.array(w, float) / sum(w))


def at_radius(share, radius):
    """Return the ball of one p̂ as the discrepancies take it."""
    nothing, unknown = np.empty((1, 0)), np.full(1, np.nan)
    return Bounds(np.array([share]), nothing, unknown, unknown, np.array([radius]))


def extrema(name, share, radius, q):
    """Return (inf, sup) over the ball for a d-vector p̂."""
    options = {**BALL, "discrepancy": name, "radius": radius, "gamma": 0.5}
    lower, upper, gap = pseudo_discrepancy([share], [q], **options)
    return lower[0], upper[0], gap[0]


def pairwise(name, share, radius, q1, q2):
    options = {**BALL, "discrepancy": name, "radius": radius, "gamma": 0.5}
    low, high, gap = pairwise_pseudo_discrepancy([share], [q1], [q2], **options)
    return low[0], high[0], gap[0]


def merged(array, first, second):
    """Return the sum of two options in place of the first, without the second."""
    result = np.array(array, float)
    result[first] += result[second]
    return np.delete(result, second)


@given(shares(4, smallest=1), shares(4, smallest=1))
def test_each_is_its_closed_form(p, q):
    expected = {
        "kl": rel_entr(p, q).sum(),
        "hellinger": 1 - np.sqrt(p * q).sum(),
        "chi2": ((p - q) ** 2 / q).sum(),
        "js": jensenshannon(p, q) ** 2,
        "l2": ((p - q) ** 2).sum(),
    }
    assert set(expected) == set(OWN)
    for name, value in expected.items():
        assert OWN[name].between(p[None], q[None], None)[0] == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("name", ALL)
def test_slope_and_bend_are_derivatives(name):
    """By a step along the imaginary axis, where nothing cancels."""
    u, q = np.meshgrid(np.geomspace(1e-6, 1, 40), np.geomspace(1e-6, 1, 41))
    apart, step = np.abs(u - q) > 0, 1e-30
    slope = ALL[name].term(u + 1j * step, q).imag / step
    bend = u**2 * ALL[name].slope(u + 1j * step, q).imag / step
    scale = 1 + np.abs(slope[apart])
    assert (np.abs(ALL[name].slope(u, q) - slope)[apart] / scale).max() < 1e-12
    np.testing.assert_allclose(ALL[name].bend(u, q), bend, rtol=1e-12)


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


@pytest.mark.parametrize("name", OWN)
@given(p=shares(5), q=shares(5))
@settings(max_examples=30)
def test_zero_is_agreement_and_mixing_never_adds(name, p, q):
    """Convex in p, which puts the sup on the ball's edge."""
    first, second = (OWN[name].between(each[None], q[None], None)[0] for each in (p, q))
    assert second == pytest.approx(0, abs=1e-15)
    assert (first > 1e-12) == (np.abs(p - q).max() > 1e-9)
    middle = OWN[name].between((p[None] + q[None]) / 2, q[None], None)[0]
    assert middle <= first / 2 + 1e-15


@given(shares(3), shares(3), st.sampled_from([0.01, 0.3, 3.0]))
@settings(max_examples=30)
def test_infinite_where_it_can_be_reached_and_where_it_must_be(share, q, radius):
    for name in INFINITE:
        lower, upper, gap = extrema(name, share, radius, q)
        assert np.isinf(upper) == (q == 0).any()
        assert np.isinf(lower) == (share[q == 0] > 0).any()
        assert np.isfinite(gap)
        assert not np.isnan([lower, upper]).any()


@pytest.mark.parametrize("name", INFINITE)
def test_an_option_that_neither_side_chose_is_no_option_for_the_inf(name):
    share, q = np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.2, 0.7])
    lower, _, gap = extrema(name, share, 0.2, q)
    for place in range(4):
        longer = [np.insert(each, place, 0.0) for each in (share, q)]
        longer_lower, longer_upper, longer_gap = extrema(name, longer[0], 0.2, longer[1])
        assert longer_lower == pytest.approx(lower, rel=1e-9)
        assert longer_upper == np.inf
        assert max(gap, longer_gap) <= 1e-9
    twice = [np.concatenate([each, [0.0, 0.0]]) for each in (share, q)]
    assert extrema(name, twice[0], 0.2, twice[1])[0] == pytest.approx(lower, rel=1e-9)


@pytest.mark.parametrize("name", INFINITE)
def test_rows_with_and_without_zeros_do_not_mix(name):
    share = np.array([[6.0, 3, 1, 0], [6, 3, 1, 0], [6, 3, 1, 0], [0, 3, 1, 6]])
    q = np.array(
        [[0.1, 0.2, 0.7, 0.0], [0.1, 0.2, 0.6, 0.1], [0.0, 0.2, 0.7, 0.1], [0, 0.7, 0.2, 0.1]]
    )
    options = {**BALL, "discrepancy": name, "gamma": 0.5}
    together = np.array(pseudo_discrepancy(share, q, **options))
    alone = [np.array(pseudo_discrepancy(share[[i]], q[[i]], **options))[:, 0] for i in range(4)]
    np.testing.assert_allclose(together.T, alone, rtol=1e-9)
    assert (np.isinf(together[0]) == [False, False, True, False]).all()
    assert (np.isinf(together[1]) == [True, False, True, True]).all()


@given(shares(3), shares(3), shares(3))
@settings(max_examples=30)
def test_the_pairwise_difference_is_undefined_where_either_can_be_infinite(share, q1, q2):
    zeros = (q1 == 0).any() or (q2 == 0).any()
    for name in OWN:
        found = pairwise(name, share, 0.1, q1, q2)
        assert np.isnan(found).all() == (zeros and name in INFINITE)
        assert np.isnan(found).any() == np.isnan(found).all()


@pytest.mark.parametrize("name", INFINITE)
@pytest.mark.parametrize("chosen", [(7, 3), (10, 0), (0, 10)])
@pytest.mark.parametrize("sure", [(1.0, 0.0), (0.0, 1.0)])
def test_two_options_are_infinite_as_more_are(name, chosen, sure):
    share = np.array(chosen) / 10
    lower, upper, _ = extrema(name, share, 0.2, np.array(sure))
    assert upper == np.inf
    assert lower == (0.0 if (share == sure).all() else np.inf)
    assert np.isnan(pairwise(name, share, 0.2, np.array(sure), np.array([0.5, 0.5]))).all()


@pytest.mark.parametrize("name", ALL)
@given(share=shares(2), q=st.tuples(shares(2, smallest=1), shares(2, smallest=1)))
@settings(max_examples=12)
def test_branch_and_bound_of_two_options_is_the_interval(name, share, q):
    """The general path at d = 2 against the ends of the Chernoff interval."""
    measure = ALL[name]
    options = {"confidence_set": "bernoulli_kl", "discrepancy": "tv", "gamma": 0.5}
    for radius in (1e-3, 0.2, 5.0):
        scalar = confidence_bounds([share], radius=radius, **options)
        ball, first, second = at_radius(share, radius), q[0][None], q[1][None]
        np.testing.assert_allclose(
            np.ravel(measure.vector_extrema(ball, first, None)[:2]),
            np.ravel(measure.extrema(scalar, first, None)[:2]),
            rtol=1e-8,
            atol=1e-13,
        )
        np.testing.assert_allclose(
            np.ravel(measure.vector_pairs(ball, first, second, None)[:2]),
            np.ravel(measure.pairwise_extrema(scalar, first, second, None)[:2]),
            rtol=1e-8,
            atol=1e-12,
        )


@pytest.mark.parametrize(
    "name", [name for name, each in OWN.items() if isinstance(each, LinearPairs)]
)
def test_differences_that_are_linear_agree_with_branch_and_bound(name):
    generator = np.random.default_rng(3)
    share = generator.multinomial(20, generator.dirichlet(np.full(4, 0.6), 30)) / 20
    radius, (q1, q2) = np.full(30, 0.2), generator.dirichlet(np.full(4, 1.0), (2, 30))
    exact, _ = OWN[name]._largest_difference(share, radius, q1, q2)
    value, bound = Divergence._largest_difference(OWN[name], share, radius, q1, q2)
    np.testing.assert_allclose(value, exact, rtol=1e-9)
    np.testing.assert_allclose(bound, exact, rtol=1e-9)


empty_or_not = st.tuples(shares(3), shares(3, smallest=1), shares(3, smallest=1))


@pytest.mark.parametrize("name", ("tv", *OWN))
@given(case=empty_or_not, radius=st.sampled_from([0.01, 0.3, 3.0]))
@settings(max_examples=8)
def test_two_options_that_nobody_chose_at_all_are_as_good_as_one(name, case, radius):
    """Neither people nor simulators chose them: mass there costs the same however it is split."""
    one = [np.append(each, 0.0) for each in case]
    two = [np.append(each, 0.0) for each in one]
    share, q1, q2 = one
    found = extrema(name, two[0], radius, two[1])[:2]
    assert found == pytest.approx(extrema(name, share, radius, q1)[:2], rel=1e-8, abs=1e-12)
    found = pairwise(name, *two[:1], radius, *two[1:])[:2]
    expected = pairwise(name, share, radius, q1, q2)[:2]
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", OF_RATIOS)
@given(chosen=shares(2), q=shares(5, smallest=1), radius=st.sampled_from([0.01, 0.3, 3.0]))
@settings(max_examples=8)
def test_of_options_that_nobody_chose_the_inf_knows_only_the_sum(name, chosen, q, radius):
    """Mass that is split among them as the simulator does costs what it does on one of them."""
    share = np.concatenate([chosen, [0.0, 0.0, 0.0]])
    expected = extrema(name, share, radius, q)[0]
    for first, second in ((2, 3), (2, 4), (3, 4)):
        fewer = [merged(each, first, second) for each in (share, q)]
        found = extrema(name, fewer[0], radius, fewer[1])[0]
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("name", OF_RATIOS)
@given(chosen=shares(2), q=shares(5, smallest=1), radius=st.sampled_from([0.01, 0.3, 3.0]))
@settings(max_examples=8)
def test_of_options_that_nobody_chose_the_sup_knows_the_sum_and_the_smallest(
    name, chosen, q, radius
):
    """All mass that leaves the others goes to the one that the simulator favours least."""
    share = np.concatenate([chosen, [0.0, 0.0, 0.0]])
    unchosen = np.sort(q[2:])
    q = np.concatenate([q[:2], unchosen])
    sup = extrema(name, share, radius, q)[1]
    without_a_larger_one = extrema(name, merged(share, 3, 4), radius, merged(q, 3, 4))[1]
    assert without_a_larger_one == pytest.approx(sup, rel=1e-8, abs=1e-12)
    without_the_smallest = extrema(name, merged(share, 3, 2), radius, merged(q, 3, 2))[1]
    assert without_the_smallest <= sup * (1 + 1e-8) + 1e-12


def test_merging_the_smallest_option_that_nobody_chose_lowers_the_sup():
    share, q = np.array([0.5, 0.5, 0.0, 0.0]), np.array([0.4, 0.4, 0.05, 0.15])
    for name in OF_RATIOS:
        sup = extrema(name, share, 0.3, q)[1]
        assert extrema(name, merged(share, 2, 3), 0.3, merged(q, 2, 3))[1] < sup - 1e-3


@pytest.mark.parametrize("name", ("tv", *OWN))
@given(case=st.tuples(shares(3), shares(3), shares(3)), radius=st.sampled_from([0.01, 0.3, 3.0]))
@settings(max_examples=8)
def test_another_empty_option_never_moves_the_inf_nor_lowers_the_sup(name, case, radius):
    """Mass on it is better put where the simulator has more than u."""
    share, q1, q2 = case
    longer = [np.append(each, 0.0) for each in case]
    lower, upper, _ = extrema(name, share, radius, q1)
    longer_lower, longer_upper, _ = extrema(name, longer[0], radius, longer[1])
    assert longer_lower == pytest.approx(lower, rel=1e-8, abs=1e-12)
    assert longer_upper >= upper * (1 - 1e-8) - 1e-12
    high, longer_high = pairwise(name, *case[:1], radius, q1, q2)[1], None
    longer_high = pairwise(name, longer[0], radius, longer[1], longer[2])[1]
    if name not in INFINITE:
        assert longer_high >= high - 1e-8 * abs(high) - 1e-12


def test_a_new_divergence_has_global_extrema():
    """On the edge of a ball of three options, at each of 20,000 angles around p̂, and within."""
    measure = ALL["cressie_read"]
    share, radius = np.array([0.5, 0.3, 0.2]), 0.15
    q1, q2 = np.array([0.15, 0.25, 0.6]), np.array([0.6, 0.3, 0.1])
    angle = np.linspace(0, 2 * np.pi, 20001)
    plane = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    direction = np.stack([np.cos(angle), np.sin(angle)], 1) @ plane
    with np.errstate(divide="ignore"):
        high = np.where(direction < 0, -share / direction, np.inf).min(1)
    low = np.zeros(len(angle))
    for _ in range(60):
        middle = (low + high) / 2
        inside = divergence(share, share + middle[:, None] * direction) <= radius
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    depth = np.linspace(0, 1, 26)[:, None, None]
    points = share + depth * low[:, None] * direction
    first, second = (measure.between(points, q, None) for q in (q1, q2))

    ball = at_radius(share, radius)
    lower, upper, gap = (each[0] for each in measure.extrema(ball, q1[None], None))
    low, high, pair_gap = (
        each[0] for each in measure.pairwise_extrema(ball, q1[None], q2[None], None)
    )
    found = [lower, upper, low, high]
    difference = first - second
    expected = [first.min(), first.max(), difference.min(), difference.max()]
    assert found == pytest.approx(expected, rel=1e-6)
    assert lower <= first.min() <= first.max() <= upper
    assert low <= difference.min() <= difference.max() <= high
    assert max(gap, pair_gap) < 1e-8


def test_a_new_divergence_is_infinite_and_undefined_as_kl_is():
    ball, q = at_radius(np.array([0.5, 0.5, 0.0]), 0.1), np.array([[0.2, 0.8, 0.0]])
    lower, upper, _ = ALL["cressie_read"].extrema(ball, q, None)
    assert 0 < lower[0] < np.inf == upper[0]
    pairs = ALL["cressie_read"].pairwise_extrema(ball, q, np.full((1, 3), 1 / 3), None)
    assert np.isnan(pairs).all()
