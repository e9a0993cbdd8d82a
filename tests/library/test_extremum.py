"""Pseudo-discrepancies: certified reference cases, and what holds for every set and discrepancy.

Properties are checked on a few hostile scenarios at a time, for all sets that make sense together
with one discrepancy: counts and simulators on vertices and faces, equal to each other or certain.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fidelity import confidence_radius, pairwise_pseudo_discrepancy, pseudo_discrepancy
from fidelity.confidence_set import CONFIDENCE_SETS, confidence_bounds, meaningful
from fidelity.discrepancies import DISCREPANCIES
from fidelity.extremum import between, extrema, pairwise_extrema
from fidelity.kl_ball import divergence
from fidelity.wasserstein import w1

REFERENCE_SETS = {
    "mkl": "multinomial_kl",
    "bkl": "bernoulli_kl",
    "hoeff": "hoeffding",
    "w1": "w1",
}
REFERENCE_DISCREPANCIES = {
    "tv": "tv",
    "sq": "squared",
    "abs": "absolute",
    "w1": "w1",
    "kl": "kl",
    "hel2": "hellinger",
    "chi2": "chi2",
    "js": "js",
    "l2": "l2",
}
REFERENCE_PAIRS = {
    "mkl": REFERENCE_DISCREPANCIES,
    "bkl": ("sq", "abs", "kl"),
    "hoeff": ("sq", "abs"),
    "w1": ("w1", "tv", "abs", "sq"),
}
MEASURES = [name for name in DISCREPANCIES if name != "median"]
OF_DISTRIBUTIONS = [name for name in MEASURES if name not in ("absolute", "squared", "variance")]
# KL is rounded to 1e-16, which at radius 1e-7 moves the ends of the ball by some 1e-9.
ROUNDING = 1e-8


@dataclass
class Scenarios:
    """A few scenarios with the same options, and two simulators."""

    counts: np.ndarray
    q1: np.ndarray
    q2: np.ndarray
    scores: np.ndarray

    @property
    def kind(self):
        return "binary" if len(self.scores) == 2 else "ordinal"

    @property
    def share(self):
        return self.counts / self.counts.sum(1, keepdims=True)

    def sets(self, discrepancy, *, draws=False, radius=False) -> Iterator[str]:
        """Yield the sets that bound a discrepancy; where a search is long, one ball of two alike.

        Args:
            discrepancy: its name.
            draws: whether sets that draw are wanted too.
            radius: whether only those are that have one.
        """
        for name, chosen in CONFIDENCE_SETS.items():
            long = self.kind == "ordinal" and DISCREPANCIES[discrepancy].on == "options"
            if (
                meaningful(name, discrepancy, self.kind)
                and (draws or not chosen.draws)
                and (chosen.has_radius or not radius)
                and not (long and name == "multinomial_kl_paper")
            ):
                yield name

    def extrema(self, confidence_set, discrepancy, **level):
        return pseudo_discrepancy(
            self.counts, self.q1, **self._options(confidence_set, discrepancy), **level
        )

    def pairwise(self, confidence_set, discrepancy, **level):
        return pairwise_pseudo_discrepancy(
            self.counts, self.q1, self.q2, **self._options(confidence_set, discrepancy), **level
        )

    def both(self, *pair, **level):
        """Return lower, upper, low and high, (4, N)."""
        return np.array([*self.extrema(*pair, **level)[:2], *self.pairwise(*pair, **level)[:2]])

    def plugin(self, discrepancy):
        """Return L(p̂, q1) and its difference from L(p̂, q2)."""
        first, second = (
            between(self.share, q, discrepancy=discrepancy, scores=self.scores)
            for q in (self.q1, self.q2)
        )
        with np.errstate(invalid="ignore"):
            return first, first - second

    def changed(self, change):
        """Apply a change to every array over options."""
        return Scenarios(*map(change, (self.counts, self.q1, self.q2, self.scores)))

    def swapped(self):
        return Scenarios(self.counts, self.q2, self.q1, self.scores)

    def take(self, rows):
        return Scenarios(self.counts[rows], self.q1[rows], self.q2[rows], self.scores)

    def _options(self, confidence_set, discrepancy):
        return {
            "confidence_set": confidence_set,
            "discrepancy": discrepancy,
            "scores": self.scores,
        }


def weights(d):
    """Whole weights, often zero, so that vertices and faces are common."""
    entry = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, 300))
    return st.lists(entry, min_size=d, max_size=d).filter(any)


def simulators(d):
    return weights(d).map(lambda w: np.array(w, float) / sum(w))


@st.composite
def scenario(draw, d):
    n = draw(st.sampled_from([1, 2, 3, 10, 100, 2000]))
    share = np.array(draw(weights(d)), float)
    cumulative = np.floor(n * np.cumsum(share) / share.sum() + 0.5)
    counts = np.diff(cumulative, prepend=0.0)
    near = draw(st.booleans())
    return counts, counts / n if near else draw(simulators(d)), draw(simulators(d))


@st.composite
def scenarios(draw, options=(2, 3, 4)):
    d = draw(st.sampled_from(options))
    rows = draw(st.lists(scenario(d), min_size=3, max_size=3))
    scores = np.array(draw(st.permutations(range(d))), float) / (d - 1) * 2 - 1
    return Scenarios(*map(np.array, zip(*rows, strict=True)), scores)


gammas = st.floats(0.01, 0.999)
gammas_from_half = st.floats(0.5, 0.999)
radii = st.floats(-7, 1.3).map(lambda exponent: 10.0**exponent)
few = settings(max_examples=5)
of_measure = pytest.mark.parametrize("discrepancy", MEASURES)


def assert_at_most(smaller, larger, *context):
    """Undefined values and infinities compare as they should."""
    with np.errstate(invalid="ignore"):
        slack = ROUNDING * (1.0 + np.abs(np.where(np.isfinite(larger), larger, 0.0)))
        assert not (smaller > larger + slack).any(), (smaller, larger, *context)


def assert_wider(wider, narrower, *context):
    """Both are lower, upper, low and high."""
    assert_at_most(wider[[0, 2]], narrower[[0, 2]], *context)
    assert_at_most(narrower[[1, 3]], wider[[1, 3]], *context)


@pytest.mark.parametrize(
    "pair", [(s, L) for s, each in REFERENCE_PAIRS.items() for L in each], ids="-".join
)
def test_certified_cases(vectors, pair):
    cases = json.loads((vectors / "extremum_cases.json").read_text())
    cases = [case for case in cases if (case["set"], case["L"]) == pair]
    assert cases
    chosen = REFERENCE_SETS[pair[0]], REFERENCE_DISCREPANCIES[pair[1]]
    for case in cases:
        lower, upper, low, high = reference_scenario(case).both(*chosen, radius=case["radius"])[
            :, 0
        ]
        found = {"sup": upper, "inf": lower, "psup": high, "pinf": low}
        expected = {name: np.nan if case[name] is None else float(case[name]) for name in found}
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-14, nan_ok=True), case


def test_every_certified_case_is_used(vectors):
    cases = json.loads((vectors / "extremum_cases.json").read_text())
    used = [case for case in cases if case["L"] in REFERENCE_PAIRS[case["set"]]]
    assert len(used) == len(cases) == 150


def reference_scenario(case):
    """Write a mean on [a, b] as shares of the two ends."""
    if case["d"] > 1:
        *arrays, scores = (np.array(case[key]) for key in ("counts", "q1", "q2", "scores"))
        return Scenarios(*(each[None] for each in arrays), scores)
    a, b = case["a"], case["b"]
    means = np.array([[case["phat"]], [case["q1"]], [case["q2"]]])
    share, q1, q2 = np.clip(np.hstack([b - means, means - a]) / (b - a), 0, 1)[:, None]
    return Scenarios(share * case["n"], q1, q2, np.array([a, b]))


@of_measure
@few
@given(case=scenarios(), gamma=gammas_from_half)
def test_plugin_lies_between_the_bounds(discrepancy, case, gamma):
    plugin, difference = case.plugin(discrepancy)
    for chosen in case.sets(discrepancy):
        lower, upper, low, high = case.both(chosen, discrepancy, gamma=gamma)
        assert (lower >= 0).all()
        assert_at_most(lower, plugin, chosen)
        assert_at_most(plugin, upper, chosen)
        assert_at_most(low, difference, chosen)
        assert_at_most(difference, high, chosen)


@of_measure
@few
@given(case=scenarios(), radius=radii)
def test_plugin_lies_between_the_bounds_at_any_radius(discrepancy, case, radius):
    plugin, difference = case.plugin(discrepancy)
    for chosen in case.sets(discrepancy, radius=True):
        lower, upper, low, high = case.both(chosen, discrepancy, radius=radius)
        assert_at_most(lower, plugin, chosen)
        assert_at_most(plugin, upper, chosen)
        assert_at_most(low, difference, chosen)
        assert_at_most(difference, high, chosen)


@of_measure
@few
@given(case=scenarios(), gamma=gammas, other=gammas)
def test_a_higher_coverage_never_gives_a_tighter_bound(discrepancy, case, gamma, other):
    for chosen in case.sets(discrepancy):
        narrower, wider = (
            case.both(chosen, discrepancy, gamma=level) for level in sorted([gamma, other])
        )
        assert_wider(wider, narrower, chosen)


@of_measure
@few
@given(case=scenarios(), radius=radii, other=radii)
def test_a_larger_radius_never_gives_a_tighter_bound(discrepancy, case, radius, other):
    for chosen in case.sets(discrepancy, radius=True):
        narrower, wider = (
            case.both(chosen, discrepancy, radius=size) for size in sorted([radius, other])
        )
        assert_wider(wider, narrower, chosen)


@of_measure
@few
@given(case=scenarios(), gamma=gammas, random=st.randoms(use_true_random=False))
def test_the_order_of_the_options_changes_nothing(discrepancy, case, gamma, random):
    order = random.sample(range(len(case.scores)), len(case.scores))
    shuffled = case.changed(lambda array: array[..., order])
    for chosen in case.sets(discrepancy):
        found, expected = (each.both(chosen, discrepancy, gamma=gamma) for each in (shuffled, case))
        np.testing.assert_allclose(found, expected, rtol=ROUNDING, atol=ROUNDING, err_msg=chosen)


@of_measure
@few
@given(case=scenarios(), gamma=gammas)
def test_swapping_the_simulators_swaps_the_pairwise_bounds(discrepancy, case, gamma):
    for chosen in case.sets(discrepancy, draws=True):
        low, high, gap = case.pairwise(chosen, discrepancy, gamma=gamma)
        swapped = case.swapped().pairwise(chosen, discrepancy, gamma=gamma)
        np.testing.assert_allclose(swapped, (-high, -low, gap), rtol=0, atol=1e-15)


@of_measure
@few
@given(case=scenarios(), gamma=gammas)
def test_a_simulator_against_itself_makes_no_difference(discrepancy, case, gamma):
    same = Scenarios(case.counts, case.q1, case.q1, case.scores)
    infinite = discrepancy in ("kl", "chi2") and (case.q1 == 0).any(1)
    expected = np.where(infinite, np.nan, 0.0)
    for chosen in case.sets(discrepancy, draws=True):
        low, high, _ = same.pairwise(chosen, discrepancy, gamma=gamma)
        np.testing.assert_allclose([low, high], [expected, expected], rtol=0, atol=1e-12)


@of_measure
@few
@given(case=scenarios(), gamma=gammas_from_half)
def test_pairwise_sup_is_at_most_the_difference_of_the_extrema(discrepancy, case, gamma):
    """Not for the witness where its two sides, or its ball, are wider than one side alone."""
    for chosen in case.sets(discrepancy):
        if chosen == "witness" and (case.kind == "ordinal" or discrepancy == "chi2"):
            continue
        lower1, upper1, low, high = case.both(chosen, discrepancy, gamma=gamma)
        lower2, upper2, _ = case.swapped().extrema(chosen, discrepancy, gamma=gamma)
        with np.errstate(invalid="ignore"):
            assert_at_most(lower1 - upper2, low, chosen)
            assert_at_most(high, upper1 - lower2, chosen)


@given(case=scenarios(), gamma=gammas)
@few
def test_squared_is_the_square_of_absolute(case, gamma):
    for chosen in case.sets("absolute", draws=True):
        absolute, squared = (
            case.extrema(chosen, name, gamma=gamma)[:2] for name in ("absolute", "squared")
        )
        np.testing.assert_allclose(squared, np.square(absolute), rtol=1e-12, err_msg=chosen)


@given(case=scenarios(), gamma=gammas, scale=st.floats(0.01, 100), shift=st.floats(-10, 10))
@few
def test_distances_of_scores_scale_with_them_and_do_not_move(case, gamma, scale, shift):
    moved = Scenarios(case.counts, case.q1, case.q2, scale * case.scores + shift)
    for discrepancy, power in {"absolute": 1, "squared": 2, "w1": 1, "variance": 2}.items():
        for chosen in case.sets(discrepancy):
            expected = scale**power * case.both(chosen, discrepancy, gamma=gamma)
            found = moved.both(chosen, discrepancy, gamma=gamma)
            np.testing.assert_allclose(
                found, expected, rtol=1e-7, atol=1e-8 * scale**power, err_msg=chosen
            )


@given(case=scenarios(), gamma=gammas, scale=st.floats(0.01, 100))
@few
def test_discrepancies_without_scores_do_not_know_them(case, gamma, scale):
    """Neither do the sets in their unit, whose radius follows them."""
    moved = Scenarios(case.counts, case.q1, case.q2, scale * case.scores)
    for discrepancy in OF_DISTRIBUTIONS:
        if DISCREPANCIES[discrepancy].needs_scores:
            continue
        for chosen in case.sets(discrepancy):
            found, expected = (
                each.both(chosen, discrepancy, gamma=gamma) for each in (moved, case)
            )
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8, err_msg=chosen)


@given(case=scenarios(options=(3, 4)), gamma=gammas)
@few
def test_options_with_equal_scores_are_one_option(case, gamma):
    """For what depends on the scores; the last option gets the score of the first."""

    def with_last_as_first(array):
        return np.concatenate([array, array[..., -1:]], axis=-1)

    d = len(case.scores)
    twice = Scenarios(
        np.insert(case.counts, d, case.counts[:, 0] + 3, axis=1),
        *(np.insert(q, d, q[:, 0], axis=1) / (1 + q[:, :1]) for q in (case.q1, case.q2)),
        np.append(case.scores, case.scores[0]),
    )
    merge = np.vstack([np.eye(d), np.eye(d)[:1]])
    once = Scenarios(twice.counts @ merge, twice.q1 @ merge, twice.q2 @ merge, case.scores)
    radius = confidence_radius(once.counts.sum(1), d, gamma, "multinomial_kl")
    for discrepancy in ("absolute", "squared", "w1", "variance"):
        for chosen in case.sets(discrepancy):
            ball = CONFIDENCE_SETS[chosen].ball == "kl" and CONFIDENCE_SETS[chosen].has_radius
            level = {"radius": radius} if ball else {"gamma": gamma}
            compared = slice(1, 2) if chosen == "witness" else slice(4)
            found, expected = (
                each.both(chosen, discrepancy, **level)[compared] for each in (twice, once)
            )
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8, err_msg=chosen)


@given(case=scenarios(options=(3, 4)), radius=radii)
@few
def test_an_empty_option_between_the_others_changes_no_bound_on_means(case, radius):
    """Nobody chooses it, neither simulator states it, and its score is no extreme one."""
    longer = Scenarios(
        *(np.pad(each, ((0, 0), (0, 1))) for each in (case.counts, case.q1, case.q2)),
        np.append(case.scores, 0.123),
    )
    for discrepancy in ("absolute", "squared"):
        for chosen in case.sets(discrepancy, radius=True):
            found, expected = (
                each.both(chosen, discrepancy, radius=radius) for each in (longer, case)
            )
            np.testing.assert_allclose(found, expected, atol=1e-9, err_msg=chosen)


def points_of_the_ball(ball, case, radius, generator):
    """Return points of the ball towards vertices, simulators and anywhere, (N, K, d)."""
    many, d = case.counts.shape
    targets = np.concatenate(
        [
            np.tile(np.eye(d), (many, 1, 1)),
            np.stack([case.q1, case.q2], axis=1),
            generator.dirichlet(np.full(d, 0.5), (many, 12)),
        ],
        axis=1,
    )
    share = case.share[:, None]
    if ball == "w1":
        distance = w1(np.broadcast_to(share, targets.shape), targets, case.scores)
        part = np.minimum(1.0, radius / np.maximum(distance, 1e-300))
        return share + part[..., None] * (targets - share)
    low, high = (divergence(share, targets) <= radius).astype(float), np.ones(targets.shape[:2])
    for _ in range(60):
        middle = (low + high) / 2
        inside = divergence(share, share + middle[..., None] * (targets - share)) <= radius
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return share + low[..., None] * (targets - share)


@of_measure
@few
@given(case=scenarios(), radius=radii, seed=st.integers(0, 2**32 - 1))
def test_no_point_of_a_ball_lies_outside_the_extrema(discrepancy, case, radius, seed):
    options = {"discrepancy": discrepancy, "scores": case.scores}
    for chosen in case.sets(discrepancy, radius=True):
        ball = CONFIDENCE_SETS[chosen].ball
        if ball is None:
            continue
        points = points_of_the_ball(ball, case, radius, np.random.default_rng(seed))
        first, second = (between(points, q[:, None], **options) for q in (case.q1, case.q2))
        with np.errstate(invalid="ignore"):
            difference = first - second
        lower, upper, low, high = case.both(chosen, discrepancy, radius=radius)[:, :, None]
        assert_at_most(lower, first, chosen)
        assert_at_most(first, upper, chosen)
        assert_at_most(low, difference, chosen)
        assert_at_most(difference, high, chosen)


@pytest.mark.parametrize("discrepancy", ["absolute", "squared", *OF_DISTRIBUTIONS])
@given(case=scenarios(options=(2,)), gamma=gammas_from_half)
@few
def test_two_options_have_the_extrema_of_a_grid_of_their_interval(discrepancy, case, gamma):
    """Both ends of the interval are on it, and so is the simulator where it lies inside."""
    case.scores = np.array([0.0, 1.0])
    options = {"discrepancy": discrepancy, "scores": case.scores}
    for chosen in case.sets(discrepancy, draws=True):
        known = confidence_bounds(case.counts, confidence_set=chosen, gamma=gamma, **options)
        top, bottom = known.support[:, 0], -known.support[:, 1]
        one_sided, two_sided = np.linspace(bottom, top, 51), np.linspace(known.lower, known.upper)
        nearest = np.clip(case.q1[:, 1], known.lower, known.upper)

        def distance(u, q):
            return between(np.stack([1 - u, u], axis=-1), q, **options)

        lower, upper, low, high = case.both(chosen, discrepancy, gamma=gamma)
        near = distance(np.vstack([two_sided, nearest]), case.q1).min(0)
        np.testing.assert_allclose(lower, near, rtol=1e-12, atol=1e-15)
        far = distance(one_sided, case.q1).max(0)
        if not CONFIDENCE_SETS[chosen].draws:
            np.testing.assert_allclose(upper, far, rtol=1e-12, atol=1e-15)
        with np.errstate(invalid="ignore"):
            difference = distance(one_sided, case.q1) - distance(one_sided, case.q2)
        assert_at_most(low, difference.min(0), chosen)
        assert_at_most(difference.max(0), high, chosen)
        if not chosen.startswith("witness"):
            defined = ~np.isnan(low)
            np.testing.assert_allclose(low[defined], difference.min(0)[defined], atol=1e-12)
            np.testing.assert_allclose(high[defined], difference.max(0)[defined], atol=1e-12)


@pytest.mark.parametrize("discrepancy", ["absolute", "squared", *OF_DISTRIBUTIONS])
@given(case=scenarios(options=(2,)), radius=radii)
@few
def test_the_ball_of_two_options_is_the_chernoff_interval(discrepancy, case, radius):
    multinomial, binary = (
        case.both(name, discrepancy, radius=radius) for name in ("multinomial_kl", "bernoulli_kl")
    )
    np.testing.assert_array_equal(multinomial, binary)


@given(case=scenarios(options=(2,)), gamma=gammas)
@few
def test_tv_and_w1_of_two_options_are_the_absolute_difference(case, gamma):
    case.scores = np.array([0.0, 1.0])
    for chosen in case.sets("tv", draws=True):
        tv, distance, absolute = (
            case.both(chosen, name, gamma=gamma) for name in ("tv", "w1", "absolute")
        )
        np.testing.assert_allclose(tv, absolute, rtol=0, atol=1e-14, err_msg=chosen)
        np.testing.assert_allclose(distance, absolute, rtol=0, atol=1e-14, err_msg=chosen)


def fixed_scenarios(d, many, largest):
    generator = np.random.default_rng(d)
    n = generator.choice([1, 2, 5, 50, largest], size=many)
    counts = generator.multinomial(n, generator.dirichlet(np.full(d, 0.4), size=many))
    q1, q2 = generator.dirichlet(np.full(d, 0.5), size=(2, many))
    return Scenarios(counts.astype(float), q1, q2, np.linspace(-1, 1, d))


@pytest.mark.parametrize("d", [2, 4])
@of_measure
def test_rows_do_not_affect_each_other(discrepancy, d):
    """In another order and in other company; sets that draw need a generator per row."""
    case, gamma = fixed_scenarios(d, 12, largest=200), np.linspace(0.1, 0.97, 12)
    company = np.arange(12)[::-1][:7], np.arange(12)[::-1][7:]

    def of_rows(rows, chosen):
        return case.take(rows).both(
            chosen,
            discrepancy,
            gamma=gamma[rows],
            generator=[np.random.default_rng([5, row]) for row in rows],
        )

    for chosen in case.sets(discrepancy, draws=True):
        together = of_rows(np.arange(12), chosen)
        apart = np.concatenate([of_rows(rows, chosen) for rows in company], axis=1)[:, ::-1]
        np.testing.assert_allclose(together, apart, rtol=1e-9, atol=1e-13, err_msg=chosen)


@pytest.mark.parametrize("d", [2, 3])
@of_measure
def test_extreme_samples_give_ordered_bounds(discrepancy, d):
    """All agree, with themselves or on something else, one person or a million."""
    q1, q2 = (np.eye(d)[index.ravel()] for index in np.indices((d, d)))
    counts = np.tile([1.0, *[0.0] * (d - 1)], (d * d, 1))
    infinite = discrepancy in ("kl", "chi2")
    for n in (1, 10**6):
        case = Scenarios(n * counts, q1, q2, np.linspace(0, 1, d))
        for chosen in case.sets(discrepancy, draws=n == 1):
            for gamma in (1e-6, 0.5, 1 - 1e-9):
                lower, upper, low, high = case.both(chosen, discrepancy, gamma=gamma)
                assert (lower >= 0).all()
                assert np.isinf(upper).all() if infinite else (upper <= 2 + 1e-12).all()
                assert np.isnan([low, high]).all() == (infinite and discrepancy != "variance")
                if gamma >= 0.5 and not CONFIDENCE_SETS[chosen].draws:
                    assert_at_most(lower, upper, chosen)
                    assert_at_most(low, high, chosen)


@pytest.mark.parametrize("discrepancy", ["tv", "w1"])
@given(case=scenarios(options=(3, 4)), gamma=gammas)
@few
def test_the_witness_is_the_largest_excess_and_the_ball_below(discrepancy, case, gamma):
    measure = DISCREPANCIES[discrepancy]
    functionals = measure.functionals(len(case.scores), case.scores)
    sample = {"discrepancy": discrepancy, "gamma": gamma, "scores": case.scores}
    for chosen in ("witness", "witness_betting"):
        if not meaningful(chosen, discrepancy, "ordinal"):
            continue
        known = confidence_bounds(case.counts, confidence_set=chosen, **sample)
        assert known.support.shape == (3, len(functionals))
        excess = (known.support - case.q1 @ functionals.T).max(1)
        lower, upper, low, high = case.both(chosen, discrepancy, gamma=gamma)
        np.testing.assert_allclose(upper, np.maximum(excess, 0), atol=1e-14)
        ball = case.both("multinomial_kl", discrepancy, gamma=gamma)
        np.testing.assert_array_equal([lower, low, high], ball[[0, 2, 3]])


@pytest.mark.parametrize("discrepancy", ["tv", "w1"])
@given(case=scenarios(options=(3, 4)), gamma=gammas)
@few
def test_an_option_nobody_chooses_never_lowers_the_witness(discrepancy, case, gamma):
    longer = Scenarios(
        *(np.pad(each, ((0, 0), (0, 1))) for each in (case.counts, case.q1, case.q2)),
        np.append(case.scores, 0.123),
    )
    upper, longer_upper = (
        each.extrema("witness", discrepancy, gamma=gamma).upper for each in (case, longer)
    )
    assert (longer_upper >= upper - 1e-14).all()


@of_measure
def test_coverage_and_the_radius_it_gives_are_the_same(discrepancy):
    case = fixed_scenarios(3, 6, largest=100)
    for chosen in case.sets(discrepancy, radius=True):
        radius = confidence_radius(case.counts.sum(1), 3, 0.9, chosen, span=2.0)
        by_gamma, by_radius = (
            case.both(chosen, discrepancy, **level)
            for level in ({"gamma": 0.9}, {"radius": radius})
        )
        np.testing.assert_array_equal(by_gamma, by_radius)


@of_measure
def test_bounds_computed_once_serve_every_simulator(discrepancy):
    case = fixed_scenarios(3, 6, largest=100)
    options = {"discrepancy": discrepancy, "scores": case.scores}
    for chosen in case.sets(discrepancy, draws=True):
        known = confidence_bounds(case.counts, confidence_set=chosen, gamma=0.7, **options)
        np.testing.assert_array_equal(
            extrema(known, case.q1, **options), case.extrema(chosen, discrepancy, gamma=0.7)
        )
        np.testing.assert_array_equal(
            pairwise_extrema(known, case.q1, case.q2, **options),
            case.pairwise(chosen, discrepancy, gamma=0.7),
        )
        rows = np.array([4, 1, 1])
        np.testing.assert_allclose(
            extrema(known.take(rows), case.q2[rows], **options),
            np.array(extrema(known, case.q2, **options))[:, rows],
            rtol=1e-9,
            atol=1e-13,
        )


GOOD = {"counts": [[3, 5, 2]], "q": [[0.2, 0.3, 0.5]], "scores": [0, 1, 2], "gamma": 0.5}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidence_set": "wald"}, "unknown confidence set 'wald'"),
        ({"discrepancy": "cosine"}, "unknown discrepancy 'cosine'"),
        ({"confidence_set": "bernoulli_kl"}, "bernoulli_kl does not bound absolute of ordinal"),
        ({"confidence_set": "witness", "discrepancy": "kl"}, "witness does not bound kl"),
        ({"confidence_set": "w1", "discrepancy": "tv", "scores": None}, "w1 does not bound tv"),
        ({"confidence_set": "hoeffding", "discrepancy": "tv"}, "hoeffding does not bound tv"),
        ({"counts": [3, 5, 2]}, "counts must be"),
        ({"counts": [[10]]}, "counts must be"),
        ({"counts": [[3, -5, 2]]}, "not negative"),
        ({"counts": [[3, np.nan, 2]]}, "finite"),
        ({"counts": [[0, 0, 0]]}, "at least one response"),
        ({"q": [[0.2, 0.3]]}, "q has shape"),
        ({"q": [[0.2, 0.3, 0.4]]}, "probability vector"),
        ({"q": [[-0.2, 0.7, 0.5]]}, "probability vector"),
        ({"q": [[np.nan, 0.5, 0.5]]}, "probability vector"),
        ({"scores": None}, "give those of the 3 options"),
        ({"scores": [1, 1, 1]}, "not all equal"),
        ({"scores": [0, 1]}, "3 finite numbers"),
        ({"scores": [0, 1, np.inf]}, "3 finite numbers"),
        ({"gamma": 0.0}, "strictly between"),
        ({"gamma": 1.0}, "strictly between"),
        ({"gamma": np.nan}, "strictly between"),
        ({"gamma": None}, "give gamma"),
        ({"gamma": None, "confidence_set": "witness", "radius": 1.0}, "give gamma"),
        ({"radius": 0.0}, "radius must be positive"),
        ({"radius": np.nan}, "radius must be positive"),
    ],
)
def test_malformed_input_is_refused_with_its_reason(change, message):
    options = GOOD | {"confidence_set": "multinomial_kl_paper", "discrepancy": "absolute"} | change
    counts, q = options.pop("counts"), options.pop("q")
    with pytest.raises(ValueError, match=message):
        pseudo_discrepancy(counts, q, **options)


def test_scores_of_binary_outcomes_may_be_left_out():
    options = {"confidence_set": "witness", "discrepancy": "absolute", "gamma": 0.5}
    np.testing.assert_array_equal(
        pseudo_discrepancy([[3, 5]], [[0.4, 0.6]], **options),
        pseudo_discrepancy([[3, 5]], [[0.4, 0.6]], scores=[0, 1], **options),
    )
