"""Pseudo-discrepancies: reference cases in 30 digits, and properties on hostile inputs."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from parameters import quick
from reference.extrema import FILE
from reference.extrema import PAIRS as SEARCHED
from reference.extrema import extrema as searched

from fidelity import pairwise_pseudo_discrepancy, pseudo_discrepancy
from fidelity.binomial import clopper_pearson_upper
from fidelity.discrepancies.base import DISCREPANCIES, Extrema
from fidelity.pseudo_discrepancies import between
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import meaningful

CASES = json.loads(FILE.read_text())
OF_MEANS = ("bernoulli_kl", "hoeffding")
SIMPLE = ("absolute", "squared", "tv")
SETS = [name for name, each in CONFIDENCE_SETS.items() if not each.draws]
PAIRS = [(s, L) for s in SETS for L in SIMPLE if meaningful(s, L, "binary")]
BALL_PAIRS = [("multinomial_kl_paper", name) for name in SIMPLE]
# KL is rounded to 1e-16, which at radius 1e-10 moves the ends of the ball by some 1e-10.
ROUNDING = 1e-9


@dataclass
class Scenario:
    """One scenario with two simulators."""

    counts: np.ndarray
    q1: np.ndarray
    q2: np.ndarray
    scores: np.ndarray

    def bounds(self, pair, **level):
        """Return lower and upper for the first simulator."""
        lower, upper, _ = pseudo_discrepancy(
            self.counts[None], self.q1[None], **self._options(pair), **level
        )
        return float(lower[0]), float(upper[0])

    def pairwise(self, pair, **level):
        """Return inf and sup of the difference."""
        low, high, _ = pairwise_pseudo_discrepancy(
            self.counts[None], self.q1[None], self.q2[None], **self._options(pair), **level
        )
        return float(low[0]), float(high[0])

    def plugin(self, discrepancy):
        """Return L(p̂, q1)."""
        share = self.counts / self.counts.sum()
        return float(
            between(share[None], self.q1[None], discrepancy=discrepancy, scores=self.scores)[0]
        )

    def _options(self, pair):
        return {"confidence_set": pair[0], "discrepancy": pair[1], "scores": self.scores}


def weights(d):
    """Whole weights, often zero, so that vertices and faces are common."""
    entry = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, 1000))
    return st.lists(entry, min_size=d, max_size=d).filter(any)


def simulators(d):
    return weights(d).map(lambda w: np.array(w, float) / sum(w))


@st.composite
def scenarios(draw, most_options=4, fewest_options=2):
    d = draw(st.integers(fewest_options, most_options))
    n = draw(st.sampled_from([1, 2, 3, 10, 100, 10**6]))
    share = np.array(draw(weights(d)), float)
    cumulative = np.floor(n * np.cumsum(share) / share.sum() + 0.5)
    counts = np.diff(cumulative, prepend=0.0)
    scores = np.array(draw(st.permutations(range(d))), float) / (d - 1) * 2 - 1
    near = draw(st.booleans())
    q1 = counts / n if near else draw(simulators(d))
    return Scenario(counts, q1, draw(simulators(d)), scores)


@st.composite
def scenarios_with_pair(draw, pairs=PAIRS):
    pair = draw(st.sampled_from(pairs))
    return draw(scenarios(most_options=4 if meaningful(*pair, "ordinal") else 2)), pair


gammas = st.floats(0.01, 0.999)
gammas_from_half = st.floats(0.5, 0.999)
radii = st.floats(-10, 1.7).map(lambda exponent: 10.0**exponent)


def inside_ball(share, towards, radius):
    """Return the farthest point of the ball from p̂ in a direction, by bisection."""
    on = share > 0

    def divergence(u):
        with np.errstate(divide="ignore"):
            return float((share[on] * np.log(share[on] / u[on])).sum())

    low, high = 0.0, 1.0
    if divergence(towards) <= radius:
        return towards
    for _ in range(60):
        middle = (low + high) / 2
        inside = divergence((1 - middle) * share + middle * towards) <= radius
        low, high = (middle, high) if inside else (low, middle)
    return (1 - low) * share + low * towards


@pytest.mark.sampled
@pytest.mark.parametrize("pair", [(s, L) for s, each in SEARCHED.items() for L in each])
def test_reference_cases(pair):
    """Searches in 30 digits; to a relative 1e-8."""
    cases = [case for case in CASES if (case["set"], case["discrepancy"]) == pair]
    assert len({len(case["counts"]) for case in cases}) >= (1 if pair[0] in OF_MEANS else 2)
    for case in cases:
        scenario = reference_scenario(case)
        lower, upper = scenario.bounds(pair, radius=case["radius"])
        low, high = scenario.pairwise(pair, radius=case["radius"])
        found = {"sup": upper, "inf": lower, "psup": high, "pinf": low}
        expected = {name: float(case[name]) for name in found}
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-14), case


@pytest.mark.slow
@pytest.mark.parametrize("case", quick(range(0, len(CASES), 29), only=[29]))
def test_reference_cases_are_made_again(case):
    case = CASES[case]
    asked = {name: case[name] for name in case if name not in ("sup", "inf", "psup", "pinf")}
    for name, value in searched(asked, ["sup"]).items():
        assert float(value) == pytest.approx(float(case[name]), rel=1e-14)


def reference_scenario(case):
    q1, q2 = (np.array(case[name]) / sum(case[name]) for name in ("q1", "q2"))
    return Scenario(np.array(case["counts"], float), q1, q2, np.array(case["scores"]))


@given(scenarios_with_pair(), gammas_from_half)
def test_plugin_lies_between_the_bounds(case, gamma):
    scenario, pair = case
    lower, upper = scenario.bounds(pair, gamma=gamma)
    assert -ROUNDING <= lower - ROUNDING <= scenario.plugin(pair[1]) <= upper + ROUNDING


@given(scenarios(), st.sampled_from(BALL_PAIRS), radii, st.integers(0, 2**32 - 1))
def test_no_point_of_the_ball_lies_outside_the_extrema(scenario, pair, radius, seed):
    share = scenario.counts / scenario.counts.sum()
    d = len(share)
    random_directions = np.random.default_rng(seed).dirichlet(np.full(d, 0.5), size=6)
    directions = np.concatenate([random_directions, np.eye(d), [scenario.q1, scenario.q2]])
    points = np.array([inside_ball(share, towards, radius) for towards in directions])
    first, second = (
        between(points, q[None], discrepancy=pair[1], scores=scenario.scores)
        for q in (scenario.q1, scenario.q2)
    )
    lower, upper = scenario.bounds(pair, radius=radius)
    low, high = scenario.pairwise(pair, radius=radius)
    assert lower - ROUNDING <= first.min() <= first.max() <= upper + ROUNDING
    assert low - ROUNDING <= (first - second).min()
    assert (first - second).max() <= high + ROUNDING


@pytest.mark.sampled
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_rows_do_not_affect_each_other(pair):
    d = 4 if meaningful(*pair, "ordinal") else 2
    generator = np.random.default_rng(1)
    n = generator.choice([1, 2, 5, 50, 10**6], size=60)
    counts = generator.multinomial(n, generator.dirichlet(np.full(d, 0.4), size=60)).astype(float)
    q1, q2 = generator.dirichlet(np.full(d, 0.5), size=(2, 60))
    options = {"confidence_set": pair[0], "discrepancy": pair[1], "scores": np.linspace(-1, 1, d)}
    gamma = generator.uniform(0.1, 0.99, 60)
    together = np.stack(
        [
            *pseudo_discrepancy(counts, q1, gamma=gamma, **options),
            *pairwise_pseudo_discrepancy(counts, q1, q2, gamma=gamma, **options),
        ]
    )
    for j in range(0, 60, 4):
        row, level = slice(j, j + 1), gamma[j]
        alone = [
            *pseudo_discrepancy(counts[row], q1[row], gamma=level, **options),
            *pairwise_pseudo_discrepancy(counts[row], q1[row], q2[row], gamma=level, **options),
        ]
        np.testing.assert_allclose(together[:, row], alone, rtol=0, atol=1e-13)


@pytest.mark.sampled
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("n", [1, 10**6])
def test_extreme_samples_give_finite_ordered_bounds(pair, n):
    d = 3 if meaningful(*pair, "ordinal") else 2
    vertices = np.eye(d)
    counts, q1, q2 = (
        vertices[index.ravel()] for index in np.meshgrid(*[np.arange(d)] * 3, indexing="ij")
    )
    options = {"confidence_set": pair[0], "discrepancy": pair[1], "scores": np.linspace(0, 1, d)}
    for gamma in (1e-6, 0.5, 1 - 1e-9):
        lower, upper, _ = pseudo_discrepancy(n * counts, q1, gamma=gamma, **options)
        low, high, _ = pairwise_pseudo_discrepancy(n * counts, q1, q2, gamma=gamma, **options)
        assert (lower >= 0).all()
        assert (upper <= 1 + 1e-15).all()
        if gamma >= 0.5:
            assert (lower <= upper).all()
            assert (low <= high + 1e-12).all()
        assert (np.abs([low, high]) <= 1 + 1e-12).all()


@given(scenarios(most_options=5, fewest_options=3), gammas)
@example(Scenario(np.array([12.0, 5, 3]), *(np.array([0.2, 0.3, 0.5]),) * 2, np.arange(3.0)), 0.5)
def test_tv_witness_is_the_largest_excess_over_the_option_subsets(scenario, gamma):
    n, d = scenario.counts.sum(), len(scenario.counts)
    excess = [0.0]
    for mask in range(1, 2**d - 1):
        inside = [i for i in range(d) if mask >> i & 1]
        bound = clopper_pearson_upper(scenario.counts[inside].sum(), n, gamma)
        excess.append(float(bound - scenario.q1[inside].sum()))
    upper = scenario.bounds(("witness", "tv"), gamma=gamma)[1]
    assert upper == pytest.approx(max(excess), abs=1e-14)


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
        ({"counts": [[10]], "q": [[1.0]]}, "counts must have at least 2 options"),
        ({"counts": [[0, 0, 0]]}, "at least one answer"),
        ({"q": [[0.2, 0.3, 0.4]]}, "q must be probabilities that sum to 1"),
        ({"scores": None}, "give those of the 3 options"),
        ({"scores": [1, 1, 1]}, "not all equal"),
        ({"gamma": None}, "gamma must be given"),
        ({"gamma": None, "confidence_set": "witness", "radius": 1.0}, "give gamma"),
        ({"radius": 0.0}, "radius must be a positive finite number"),
    ],
)
def test_malformed_input_is_refused_with_its_reason(change, message):
    options = GOOD | {"confidence_set": "multinomial_kl_paper", "discrepancy": "absolute"} | change
    counts, q = options.pop("counts"), options.pop("q")
    with pytest.raises(ValueError, match=message):
        pseudo_discrepancy(counts, q, **options)


@pytest.mark.parametrize("lost", ["lower", "upper", "gap"])
def test_nan_is_an_error_and_no_extremum(monkeypatch, lost):
    """Of pairs, unless all three are: that is how an undefined difference is told."""
    found = Extrema(np.array([0.1]), np.array([0.3]), np.array([0.0]))
    spoilt = found._replace(**{lost: np.array([np.nan])})
    measure = type(DISCREPANCIES["tv"])
    monkeypatch.setattr(measure, "vector_extrema", lambda *given: spoilt)
    monkeypatch.setattr(measure, "vector_pairs", lambda *given: spoilt)
    options = {"confidence_set": "witness", "discrepancy": "tv", "gamma": 0.5}
    counts, q = [[3, 5, 2]], [[0.2, 0.3, 0.5]]
    with pytest.raises(ArithmeticError, match="extrema of tv: NaN in 1 of 1 samples"):
        pseudo_discrepancy(counts, q, **options)
    with pytest.raises(ArithmeticError, match="pairwise extrema of tv: NaN in 1 of 1 samples"):
        pairwise_pseudo_discrepancy(counts, q, q, **options)
