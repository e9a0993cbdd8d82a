"""Discrepancies themselves: closed forms, what they have in common, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from fidelity import confidence_radius, pairwise_pseudo_discrepancy, pseudo_discrepancy
from fidelity.discrepancies.base import DISCREPANCIES, Bounds
from fidelity.discrepancies.divergences import Divergence
from fidelity.discrepancies.parameters import Median, Variance
from fidelity.extrema.functionals import MOST_OPTIONS, option_subsets
from fidelity.extrema.kl_ball_w1 import w1
from fidelity.pseudo_discrepancies import between as between_named
from fidelity.sets.bootstrap import bootstrap_quantiles, parameter_named
from fidelity.sets.mean_bounds import moments, variance_bounds

NAMES = tuple(DISCREPANCIES)
DIVERGENCES = [name for name in NAMES if isinstance(DISCREPANCIES[name], Divergence)]
MMD = [name for name in NAMES if DISCREPANCIES[name].on == "kernel"]
OF_WHOLE_DISTRIBUTIONS = ["tv", "w1", *MMD, *DIVERGENCES]
ASYMMETRIC = [
    name for name, each in DISCREPANCIES.items() if not (each.is_symmetric or each.is_parameter)
]


def distributions(d):
    weight = st.lists(st.integers(0, 20), min_size=d, max_size=d).filter(any)
    return weight.map(lambda w: np.array(w, float) / sum(w))


triples = st.integers(2, 6).flatmap(lambda d: st.tuples(*[distributions(d)] * 3))


def g(gap):
    """The Gaussian kernel of scores so far apart, with bandwidth 1."""
    return np.exp(-(gap**2) / 2)


def e(gap):
    """The Laplace kernel."""
    return np.exp(-gap)


def between(name, p, q):
    scores = np.linspace(-1, 1, len(p)) ** 3
    return DISCREPANCIES[name].between(p[None], q[None], scores)[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("absolute", 0.7),
        ("squared", 0.49),
        ("tv", 0.5),
        ("w1", 0.5 * 1 + 0.45 * 4 / 9),
        ("kl", 0.6 * np.log(6) + 0.3 * np.log(6 / 7) + 0.1 * np.log(2 / 11)),
        ("hellinger", 1 - np.sqrt(0.06) - np.sqrt(0.105) - np.sqrt(0.055)),
        ("chi2", 0.25 / 0.1 + 0.0025 / 0.35 + 0.2025 / 0.55),
        ("l2", 0.25 + 0.0025 + 0.2025),
        ("js", jensenshannon([0.6, 0.3, 0.1], [0.1, 0.35, 0.55]) ** 2),
        ("variance", 0.6 + 1.6 / 81 - (5 / 9) ** 2 - (0.1 + 8.8 / 81 - (13 / 90) ** 2)),
        ("median", 1 + 4 / 9),
        ("mmd_delta", np.sqrt(0.25 + 0.0025 + 0.2025)),
        ("mmd_gaussian", np.sqrt(0.455 - 0.05 * g(1) - 0.45 * g(13 / 9) + 0.045 * g(4 / 9))),
        ("mmd_laplace", np.sqrt(0.455 - 0.05 * e(1) - 0.45 * e(13 / 9) + 0.045 * e(4 / 9))),
    ],
)
def test_closed_forms(name, expected):
    p, q = np.array([[0.6, 0.3, 0.1]]), np.array([[0.1, 0.35, 0.55]])
    scores = np.array([-1.0, 0.0, 4 / 9])
    assert between_named(p, q, discrepancy=name, scores=scores)[0] == pytest.approx(expected)


@given(triples)
def test_each_is_never_negative_zero_at_agreement_and_mostly_symmetric(triple):
    p, q, _ = triple
    for name in NAMES:
        assert between(name, p, q) >= -1e-15
        assert between(name, p, p) == pytest.approx(0, abs=1e-15)
        if name not in ASYMMETRIC:
            assert between(name, p, q) == pytest.approx(between(name, q, p), abs=1e-15)
    for name in OF_WHOLE_DISTRIBUTIONS:
        assert (between(name, p, q) > 1e-12) == (p != q).any()


@given(triples)
def test_distances_obey_the_triangle_inequality(triple):
    p, q, middle = triple
    metrics = dict.fromkeys(["absolute", "tv", "w1", *MMD], 1)
    for name, power in {**metrics, "hellinger": 0.5, "js": 0.5}.items():
        direct, first, second = (
            max(between(name, *each), 0.0) ** power for each in ((p, q), (p, middle), (middle, q))
        )
        assert direct <= first + second + 1e-7


def test_too_many_options_to_enumerate_are_refused():
    assert len(option_subsets(MOST_OPTIONS)) == 2**MOST_OPTIONS - 2
    with pytest.raises(ValueError, match=f"at most {MOST_OPTIONS}"):
        option_subsets(MOST_OPTIONS + 1)


def test_scores_are_needed_by_some_and_assumed_for_two_options():
    for name, measure in DISCREPANCIES.items():
        np.testing.assert_array_equal(measure.checked_scores(None, 2), [0, 1])
        np.testing.assert_array_equal(measure.checked_scores([3, 1, 2], 3), [3, 1, 2])
        if measure.needs_scores:
            with pytest.raises(ValueError, match=f"{name} needs scores: give those of the 3"):
                measure.checked_scores(None, 3)
        else:
            assert measure.checked_scores(None, 3) is None


@pytest.mark.parametrize("name", NAMES)
def test_scores_matter_where_they_are_needed(name):
    measure = DISCREPANCIES[name]
    p, q = np.random.default_rng(3).dirichlet(np.ones(4), (2, 10))
    one, other = (measure.between(p, q, np.array(each)) for each in ([0, 1, 2, 6], [1, 5, 0, 2]))
    assert np.allclose(one, other) != measure.needs_scores


@pytest.mark.parametrize("scores", [[1, 1, 1], [0, 1], [0, 1, np.inf], [0, 1, np.nan], [[0, 1, 2]]])
@pytest.mark.parametrize("name", ["absolute", "tv", "kl"])
def test_scores_that_order_nothing_are_refused_even_where_none_are_needed(name, scores):
    with pytest.raises(ValueError, match="3 finite numbers that are not all equal"):
        DISCREPANCIES[name].checked_scores(scores, 3)


def test_unknown_discrepancies_are_refused_with_the_names_there_are():
    assert [DISCREPANCIES.of(name).name for name in NAMES] == list(NAMES)
    with pytest.raises(
        ValueError,
        match=r"unknown discrepancy 'cosine'; there are: absolute, chi2.*tv, variance, w1",
    ):
        DISCREPANCIES.of("cosine")


def test_bounds_can_be_reordered_and_repeated():
    rows = np.arange(3.0)
    bounds = Bounds(rows[:, None], 10 + rows[:, None], rows, 20 + rows, 30 + rows, "w1")
    taken = bounds.take(np.array([2, 0, 2]))
    np.testing.assert_array_equal(taken.share[:, 0], [2, 0, 2])
    np.testing.assert_array_equal(taken.support[:, 0], [12, 10, 12])
    np.testing.assert_array_equal(taken.lower, [2, 0, 2])
    np.testing.assert_array_equal(taken.upper, [22, 20, 22])
    np.testing.assert_array_equal(taken.radius, [32, 30, 32])
    assert taken.ball == "w1"


@pytest.mark.parametrize("name", ["tv", "w1", "absolute", "squared"])
@pytest.mark.parametrize("d", [2, 3, 5])
def test_a_family_of_functionals_gives_the_discrepancy(name, d):
    """Also of two options whose scores are not one apart."""
    generator, measure = np.random.default_rng(4), DISCREPANCIES[name]
    p, q = generator.dirichlet(np.ones(d), (2, 40))
    scores = generator.permutation(np.linspace(-1.0, 4.0, d))
    family = measure.family(d, scores)
    expected = measure.between(p, q, scores)
    largest = ((p - q) @ family.T).max(1)
    np.testing.assert_allclose(largest**2 if name == "squared" else largest, expected, atol=1e-14)


variance_of, median_of = Variance().of_distribution, Median().of_distribution
VALUES = np.array([-0.4, 0.3, 0.1, 0.75, 0.2])
COUNTS = np.array([[3.0, 5, 0, 2, 1], [30, 0, 20, 10, 4], [0, 9, 0, 0, 0]])
LIMITS = (-1.0, 1.0)
Q1, Q2 = np.random.default_rng(2).dirichlet(np.ones(5), (2, 3))

parameter_of = {
    "absolute": lambda scores, q: q @ scores,
    "variance": variance_of,
    "median": median_of,
}
counts_of = st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(any)


def expanded(counts):
    return np.repeat(VALUES, np.array(counts, int))


@given(counts_of)
def test_variance_and_median_are_those_of_the_expanded_sample(counts):
    share = np.array([counts], float) / sum(counts)
    assert variance_of(VALUES, share)[0] == pytest.approx(np.var(expanded(counts)), abs=1e-15)
    middle = np.quantile(expanded(counts), 0.5, method="inverted_cdf")
    assert median_of(VALUES, share)[0] == middle


def test_median_of_twelve_alike_is_the_sixth():
    """Although six twelfths add up to 0.49999999999999994."""
    assert np.cumsum(np.full(12, 1 / 12))[5] < 0.5
    assert median_of(np.arange(12.0), np.full((1, 12), 1 / 12))[0] == 5


def test_variance_extrema_follow_the_interval_of_the_variance():
    options = {"confidence_set": "empirical_bernstein", "discrepancy": "variance", "gamma": 0.8}
    n, _, variance = moments(VALUES, COUNTS)
    for limits, span in ((None, np.ptp(VALUES)), (LIMITS, 2.0)):
        low, high = variance_bounds(variance, n, 0.8, span)
        q1, q2 = variance_of(VALUES, Q1), variance_of(VALUES, Q2)
        lower, upper, gap = pseudo_discrepancy(COUNTS, Q1, scores=VALUES, limits=limits, **options)
        np.testing.assert_allclose(lower, np.maximum(0, np.maximum(low - q1, q1 - high)))
        np.testing.assert_allclose(upper, np.maximum(np.abs(low - q1), np.abs(high - q1)))
        lower, upper, gap = pairwise_pseudo_discrepancy(
            COUNTS, Q1, Q2, scores=VALUES, limits=limits, **options
        )
        u = np.linspace(low, high, 10001)
        differences = np.abs(u - q1) - np.abs(u - q2)
        np.testing.assert_allclose(lower, differences.min(0), atol=1e-15)
        np.testing.assert_allclose(upper, differences.max(0), atol=1e-15)
        assert (gap == 0).all()


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize(
    ("discrepancy", "parameter"),
    [("absolute", "mean"), ("variance", "variance"), ("median", "quantile 1/2")],
)
def test_bootstrap_extrema_follow_the_quantiles_of_the_resamples(discrepancy, parameter, method):
    """A mean's bounds take four sets of draws, two for the upper discrepancy, two for the lower."""
    named, q = parameter_named(parameter), parameter_of[discrepancy](VALUES, Q1)
    generators = [np.random.default_rng([7, row]) for row in range(3)]

    def quantiles(values, level):
        return bootstrap_quantiles(values, COUNTS, [level], named, method, generators)[:, 0]

    if discrepancy == "absolute":
        top, bottom = quantiles(VALUES, 0.9), -quantiles(-VALUES, 0.9)
        high, low = quantiles(VALUES, 0.9), -quantiles(-VALUES, 0.9)
    else:
        bottom = low = quantiles(VALUES, 0.1)
        top = high = quantiles(VALUES, 0.9)
    lower, upper, _ = pseudo_discrepancy(
        COUNTS,
        Q1,
        confidence_set=f"bootstrap_{method}",
        discrepancy=discrepancy,
        gamma=0.8,
        scores=VALUES,
        generator=[np.random.default_rng([7, row]) for row in range(3)],
    )
    farthest = np.maximum(np.maximum(top - q, q - bottom), 0)
    np.testing.assert_allclose(upper, farthest, atol=1e-15)
    np.testing.assert_allclose(lower, np.maximum(0, np.maximum(low - q, q - high)), atol=1e-15)


def bounded_w1(q, **level):
    return pseudo_discrepancy(
        COUNTS, q, confidence_set="w1", discrepancy="w1", scores=VALUES, limits=LIMITS, **level
    )


def test_of_bounded_outcomes_a_w1_ball_gives_the_triangle_inequality():
    plugin = w1(COUNTS / COUNTS.sum(1, keepdims=True), Q1, VALUES)
    radius = confidence_radius(COUNTS.sum(1), 5, 0.7, "w1", span=2.0)
    lower, upper, gap = bounded_w1(Q1, gamma=0.7)
    np.testing.assert_allclose(lower, np.maximum(plugin - radius, 0))
    np.testing.assert_allclose(upper, np.minimum(plugin + radius, farthest_on_the_range(Q1)))
    assert (gap <= upper - plugin + 1e-15).all()
    np.testing.assert_array_equal(bounded_w1(Q1, radius=radius), (lower, upper, gap))
    widest = bounded_w1(Q1, radius=50.0)
    np.testing.assert_allclose(widest, [0 * plugin, farthest_on_the_range(Q1), 0 * plugin])


def farthest_on_the_range(q):
    """Return the largest W1(u, q) there is: it is convex in u, so all mass lies at one place."""
    places = np.linspace(*LIMITS, 41)
    from_each = [[wasserstein_distance([x], VALUES, None, row) for x in places] for row in q]
    return np.max(from_each, axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_gap_of_bounded_w1_says_how_far_the_sup_may_be_from_one_that_is_attained(seed):
    """The best of many ways to move mass, by linear programs on a grid of the range."""
    generator = np.random.default_rng(seed)
    values, radius = np.sort(generator.choice(np.arange(1, 12), 3, replace=False)) / 12, 0.2
    counts, q = generator.multinomial(6, [0.3, 0.3, 0.4]), generator.dirichlet(np.ones(3))
    _, upper, gap = pseudo_discrepancy(
        [counts],
        [q],
        confidence_set="w1",
        discrepancy="w1",
        scores=values,
        limits=(0.0, 1.0),
        radius=radius,
    )
    at = np.rint(values * 12).astype(int)
    people, simulator = (np.cumsum(np.bincount(at, w, 13))[:-1] for w in (counts / 6, q))
    width, steps = 1 / 12, np.arange(12)
    move = np.block([[np.eye(12), -np.eye(12)], [-np.eye(12), -np.eye(12)]])
    rising = np.hstack([np.eye(12)[:-1] - np.eye(12)[1:], np.zeros((11, 12))])
    spent = np.r_[np.zeros(12), np.full(12, width)]
    reached = 0.0
    for first in range(13):
        for second in range(first, 13):
            sign = np.where((steps >= first) & (steps < second), -1.0, 1.0)
            for towards in (sign, -sign):
                solution = linprog(
                    np.r_[-width * towards, np.zeros(12)],
                    A_ub=np.vstack([move, rising, spent]),
                    b_ub=np.r_[people, -people, np.zeros(11), radius],
                    bounds=[(0, 1)] * 12 + [(0, None)] * 12,
                )
                distance = np.abs(solution.x[:12] - simulator).sum() * width
                reached = max(reached, distance)
    assert upper[0] - gap[0] - 1e-9 <= reached <= upper[0] + 1e-9


def test_bounded_pairs_are_at_most_the_distance_of_the_simulators():
    options = {"confidence_set": "w1", "discrepancy": "w1", "scores": VALUES, "limits": LIMITS}
    share = COUNTS / COUNTS.sum(1, keepdims=True)
    plugin = w1(share, Q1, VALUES) - w1(share, Q2, VALUES)
    apart = w1(Q1, Q2, VALUES)
    for radius in (1e-3, 0.03, 1.0):
        low, high, gap = pairwise_pseudo_discrepancy(COUNTS, Q1, Q2, radius=radius, **options)
        np.testing.assert_allclose(high, np.minimum(plugin + 2 * radius, apart))
        np.testing.assert_allclose(low, np.maximum(plugin - 2 * radius, -apart))
        np.testing.assert_allclose(gap, np.maximum(high - plugin, plugin - low))


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.5))
def test_no_distribution_on_the_range_lies_beyond_the_bounded_extrema(seed, radius):
    """People's answers moved by the radius on average, to where nobody has answered yet."""
    generator = np.random.default_rng(seed)
    counts, values = generator.multinomial(20, np.full(4, 0.25)), generator.uniform(-1, 1, 4)
    q1, q2 = generator.dirichlet(np.ones(4), 2)
    places = generator.uniform(-1, 1, 4)
    part = min(1.0, radius / (counts / 20 @ np.abs(places - values)))
    everywhere = np.concatenate([values, places])
    moved = np.concatenate([(1 - part) * counts, part * counts]) / 20
    first, second = (w1(moved, np.append(q, np.zeros(4)), everywhere) for q in (q1, q2))
    options = {"confidence_set": "w1", "discrepancy": "w1", "scores": values, "limits": LIMITS}
    lower, upper, _ = pseudo_discrepancy([counts], [q1], radius=radius, **options)
    assert lower[0] - 1e-12 <= first <= upper[0] + 1e-12
    low, high, _ = pairwise_pseudo_discrepancy([counts], [q1], [q2], radius=radius, **options)
    assert low[0] - 1e-12 <= first - second <= high[0] + 1e-12
