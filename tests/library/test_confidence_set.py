"""Confidence sets: radii, support functions, and coverage by enumeration of all outcomes."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import rel_entr
from scipy.stats import binom

from fidelity import confidence_radius, pseudo_discrepancy
from fidelity.binomial import clopper_pearson_upper
from fidelity.discrepancies import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS, Sample
from fidelity.sets.betting import betting_upper
from fidelity.sets.bounds import confidence_bounds, meaningful
from fidelity.sets.mean_bounds import empirical_bernstein_radius, moments

INTERIOR = np.linspace(0.005, 0.995, 199)
TWO_SIDED = (
    "hoeffding",
    "bernoulli_kl",
    "clopper_pearson",
    "multinomial_kl",
    "multinomial_kl_paper",
    "w1",
    "w1_subgaussian",
    "empirical_bernstein",
)
DRAWN = ("betting", "bootstrap_percentile", "bootstrap_bca", "witness_betting")
VALUES = np.array([-0.4, 0.1, 0.3, 0.75])
COUNTS = np.array([[3.0, 5, 0, 2], [30, 20, 10, 4], [0, 9, 0, 0]])
LIMITS = (-1.0, 1.0)


def generators():
    """Return one per sample of ``COUNTS``, the same at every call."""
    return [np.random.default_rng([3, row]) for row in range(3)]


def support(name, counts, functionals, gamma):
    """Return the support function of a named set with the radius that γ gives."""
    chosen, functionals = CONFIDENCE_SETS[name], np.array(functionals, float)
    counts = np.array(counts, float)
    sample = Sample(counts, np.full(len(counts), gamma), functionals[0])
    radius = None
    if chosen.has_radius:
        radius = chosen.radius(sample.n, counts.shape[1], sample.gamma, sample.span)
    return chosen.support(sample, functionals, radius)


def mean_interval(name, gamma, limits=None):
    """Return the one-sided bounds of the mean of ``COUNTS``, (2, 3), and the two-sided ones."""
    bounds = confidence_bounds(
        COUNTS,
        confidence_set=name,
        discrepancy="absolute",
        gamma=gamma,
        scores=VALUES,
        limits=limits,
        generator=generators(),
    )
    one_sided = np.stack([-bounds.support[:, 1], bounds.support[:, 0]])
    return one_sided, np.stack([bounds.lower, bounds.upper])


def two_sided_coverage(inside, n):
    """Return P(inside[outcome, p]) at each p of INTERIOR."""
    outcomes = np.arange(n + 1)[:, None]
    return (binom.pmf(outcomes, n, INTERIOR) * inside).sum(0)


def test_radii_of_w1_balls():
    """The default one is that of Hoeffding; the paper's exceeds the range of the outcomes."""
    for n, gamma in ((1, 0.5), (500, 0.5), (500, 0.95)):
        dkw = 2 * np.sqrt(np.log(2 / (1 - gamma)) / (2 * n))
        assert confidence_radius(n, 5, gamma, "w1", span=2.0) == pytest.approx(dkw)
        deviation = np.sqrt(256 * np.e * np.log(1 / (1 - gamma)) / n)
        paper = confidence_radius(n, 5, gamma, "w1_subgaussian", span=2.0)
        assert paper == pytest.approx(512 / np.sqrt(n) + deviation)
        assert paper == 2 * confidence_radius(n, 5, gamma, "w1_subgaussian", span=1.0)
    assert confidence_radius(500, 5, 0.5, "w1_subgaussian", span=2.0) == pytest.approx(24, abs=0.5)
    assert confidence_radius(10**5, 5, 0.5, "w1_subgaussian", span=2.0) < 2


WITHOUT_RADIUS = [name for name, each in CONFIDENCE_SETS.items() if not each.has_radius]


@pytest.mark.parametrize("name", WITHOUT_RADIUS)
def test_sets_without_a_radius_say_which_have_one(name):
    having = "bernoulli_kl, hoeffding, multinomial_kl, multinomial_kl_paper, w1, "
    having += "w1_sigma, w1_subgaussian"
    with pytest.raises(ValueError, match=f"{name} has no radius; these have: {having}$"):
        confidence_radius(10, 2, 0.5, name)
    with pytest.raises(ValueError, match=f"{name} has no radius$"):
        CONFIDENCE_SETS.of(name).radius(10, 2, 0.5)


@pytest.mark.parametrize("gamma", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 3, 10, 50])
@pytest.mark.parametrize("name", TWO_SIDED)
def test_two_sided_binary_sets_cover_for_every_p(name, n, gamma):
    successes = np.arange(n + 1)
    counts = np.stack([n - successes, successes], axis=1)
    bounds = support(name, counts, [[0, 1], [0, -1]], gamma)
    upper, lower = bounds[:, :1], -bounds[:, 1:]
    inside = (lower <= INTERIOR + 1e-12) & (upper >= INTERIOR - 1e-12)
    assert two_sided_coverage(inside, n).min() >= gamma


@pytest.mark.parametrize("name", ["clopper_pearson", "witness"])
@pytest.mark.parametrize("scores", [[0, 1], [1, 0], [-1, 3], [2, -2]])
def test_binary_support_follows_the_larger_score(name, scores):
    counts = np.array([[0, 4], [3, 9], [5, 0]])
    level = 0.8 if name == "witness" else 0.9
    larger = int(np.argmax(scores))
    bound = clopper_pearson_upper(counts[:, larger], counts.sum(1), level)
    expected = min(scores) + (max(scores) - min(scores)) * bound
    np.testing.assert_allclose(support(name, counts, [scores], 0.8)[:, 0], expected, rtol=1e-14)


def test_witnesses_are_one_sided_and_two_sided_at_half_the_failure():
    for name, chosen in CONFIDENCE_SETS.items():
        one_sided = name in ("witness", "witness_betting")
        assert chosen.two_sided(0.8) == pytest.approx(0.9 if one_sided else 0.8)
    one_sided, two_sided = mean_interval("witness", 0.8)
    np.testing.assert_allclose(mean_interval("witness", 0.9)[0], two_sided, rtol=1e-12)
    assert (two_sided[0] < one_sided[0])[:2].all()
    assert (two_sided[1] > one_sided[1]).all()


def test_hoeffding_width_of_a_probability_does_not_follow_the_scores():
    """Whole distributions over two options are one probability, whatever the options' scores."""
    expected = 0.3 + np.sqrt(np.log(10) / 20)
    for scores in (None, [0, 1], [0, 0.1], [5, -5]):
        bounds = confidence_bounds(
            [[7, 3]], confidence_set="hoeffding", discrepancy="tv", gamma=0.8, scores=scores
        )
        assert bounds.upper[0] == pytest.approx(expected)


@pytest.mark.parametrize(("limits", "span"), [(None, 1.15), (LIMITS, 2.0)])
@pytest.mark.parametrize("name", ["w1", "w1_subgaussian"])
def test_w1_balls_have_the_radius_of_the_range_of_the_outcomes(name, limits, span):
    """No distribution on the limits is farther away than they are apart."""
    known = {"confidence_set": name, "gamma": 0.8, "scores": VALUES, "limits": limits}
    radius = confidence_radius(COUNTS.sum(1), 4, 0.8, name, span=span)
    bounds = confidence_bounds(COUNTS, discrepancy="w1", **known)
    expected = radius if limits is None else np.minimum(radius, span)
    np.testing.assert_allclose(bounds.radius, expected)
    assert bounds.ball == "w1"


def chernoff_bound(share, n, gamma, end):
    """Return u between the share and an end of [0, 1] with KL(share ‖ u) = log(1/δ)/n."""

    def excess(u):
        return rel_entr(share, u) + rel_entr(1 - share, 1 - u) + np.log(1 - gamma) / n

    return brentq(excess, share, end, xtol=1e-15)


@pytest.mark.parametrize("limits", [None, LIMITS])
def test_bounds_of_a_mean_are_those_of_the_bounds_module(limits):
    """Between the smallest and largest score, or limits beyond them."""
    low, high = (VALUES.min(), VALUES.max()) if limits is None else limits
    n, mean, variance = moments(VALUES, COUNTS)
    half_widths = {
        "hoeffding": confidence_radius(n, 4, 0.8, "hoeffding", span=high - low),
        "empirical_bernstein": empirical_bernstein_radius(variance, n, 0.8, high - low),
    }
    if limits is not None:
        half_widths["w1"] = confidence_radius(n, 4, 0.8, "w1", span=high - low)
    for name, half_width in half_widths.items():
        expected = np.maximum(mean - half_width, low), np.minimum(mean + half_width, high)
        one_sided, two_sided = mean_interval(name, 0.8, limits)
        np.testing.assert_allclose(two_sided, expected, rtol=1e-12)
        np.testing.assert_array_equal(one_sided, two_sided)
    shares = list(zip((mean - low) / (high - low), n, strict=True))
    expected = [
        [low + (high - low) * chernoff_bound(share, size, 0.8, end) for share, size in shares]
        for end in (1e-300, 1 - 1e-16)
    ]
    np.testing.assert_allclose(mean_interval("witness", 0.8, limits)[0], expected, rtol=1e-12)


@pytest.mark.parametrize("limits", [None, LIMITS])
@pytest.mark.parametrize(("name", "one_sided"), [("betting", 0.9), ("witness_betting", 0.8)])
def test_betting_sets_bet_on_each_functional_in_an_order_of_its_own(name, one_sided, limits):
    """First on the two that the upper discrepancy needs, then on those of the lower one."""
    low, high = (VALUES.min(), VALUES.max()) if limits is None else limits
    drawn = generators()

    def interval(gamma):
        top = betting_upper(VALUES, COUNTS, gamma, low, high, drawn)
        return -betting_upper(-VALUES, COUNTS, gamma, -high, -low, drawn), top

    found = mean_interval(name, 0.8, limits)
    np.testing.assert_array_equal(found, [interval(one_sided), interval(0.9)])


@pytest.mark.parametrize("name", DRAWN)
def test_sets_that_draw_do_the_same_every_time_unless_told(name):
    """Without a generator each sample has its own, by its place."""
    options = {"discrepancy": "absolute", "gamma": 0.8, "scores": VALUES, "confidence_set": name}
    first, again, other = (
        confidence_bounds(COUNTS, generator=generator, **options)
        for generator in (None, None, np.random.default_rng(99))
    )
    np.testing.assert_array_equal(first.support, again.support)
    assert (first.support[1] != other.support[1]).any()
    two = confidence_bounds(COUNTS[:2], **options)
    np.testing.assert_array_equal(two.support, first.support[:2])


def test_which_sets_draw_and_which_are_approximate():
    assert {name for name, each in CONFIDENCE_SETS.items() if each.draws} == set(DRAWN)
    guarantees = {name: each.guarantee for name, each in CONFIDENCE_SETS.items()}
    approximate = ("bootstrap_percentile", "bootstrap_bca")
    assert guarantees == {
        name: "approximate" if name in approximate else "proven" for name in CONFIDENCE_SETS
    }


@pytest.mark.parametrize("name", DRAWN)
def test_sets_that_draw_refuse_effective_counts(name):
    with pytest.raises(ValueError, match="needs whole counts"):
        confidence_bounds(
            COUNTS / 3, confidence_set=name, discrepancy="absolute", gamma=0.8, scores=VALUES
        )


MEANS = "absolute squared"
OPTIONS = "tv " + " ".join(name for name, each in DISCREPANCIES.items() if each.on == "options")
MMD = " ".join(name for name in DISCREPANCIES if DISCREPANCIES[name].on == "kernel")
BINARY = f"{MEANS} {OPTIONS} w1 {MMD}"
MEANINGFUL = {
    "binary": {
        "hoeffding": BINARY,
        "bernoulli_kl": BINARY,
        "clopper_pearson": BINARY,
        "multinomial_kl": BINARY,
        "multinomial_kl_paper": BINARY,
        "w1": BINARY,
        "w1_subgaussian": BINARY,
        "empirical_bernstein": f"{BINARY} variance",
        "betting": BINARY,
        "witness": BINARY,
        "witness_betting": BINARY,
    },
    "categorical": {
        "multinomial_kl": OPTIONS,
        "multinomial_kl_paper": OPTIONS,
        "witness": "tv mmd_delta",
    },
    "ordinal": {
        "hoeffding": MEANS,
        "multinomial_kl": f"{MEANS} {OPTIONS} w1",
        "multinomial_kl_paper": f"{MEANS} {OPTIONS} w1",
        "w1": f"{MEANS} tv w1",
        "w1_subgaussian": f"{MEANS} tv w1",
        "empirical_bernstein": f"{MEANS} variance",
        "betting": MEANS,
        "witness": f"{MEANS} tv w1 {MMD}",
        "witness_betting": f"{MEANS} w1",
    },
    "bounded": {
        "hoeffding": MEANS,
        "w1": f"{MEANS} w1",
        "w1_subgaussian": f"{MEANS} w1",
        "empirical_bernstein": f"{MEANS} variance",
        "betting": MEANS,
        "bootstrap_percentile": f"{MEANS} variance median",
        "bootstrap_bca": f"{MEANS} variance median",
        "witness": MEANS,
        "witness_betting": MEANS,
    },
    "real": {
        "w1_subgaussian": "w1",
        "w1_sigma": "w1",
        "bootstrap_percentile": f"{MEANS} variance median",
        "bootstrap_bca": f"{MEANS} variance median",
    },
}


@pytest.mark.parametrize("kind", MEANINGFUL)
def test_which_pairs_are_meaningful(kind):
    found = {(s, L) for s in CONFIDENCE_SETS for L in DISCREPANCIES if meaningful(s, L, kind)}
    assert found == {(s, L) for s, names in MEANINGFUL[kind].items() for L in names.split()}


# Arrays of two options can be binary or real, of more with scores ordinal or real.
ARRAYS = {
    "two options": (("binary", "real"), 2, {}),
    "options without scores": (("categorical",), 3, {}),
    "options with scores": (("ordinal", "real"), 3, {"scores": [0.0, 1.0, 3.0]}),
    "values within limits": (("bounded",), 3, {"scores": [0.0, 1, 3], "limits": (-1.0, 3.0)}),
    "values without limits": (("real",), 3, {"scores": [0.0, 1.0, 3.0], "sigma": 2.0}),
}


@pytest.mark.sampled
@pytest.mark.parametrize("arrays", ARRAYS)
@pytest.mark.parametrize("name", CONFIDENCE_SETS)
def test_pairs_that_are_not_meaningful_are_refused_and_all_others_have_extrema(name, arrays):
    """For every kind that the arrays can be of."""
    kinds, d, options = ARRAYS[arrays]
    of_sigma = name in MEANINGFUL["real"] and name.startswith("w1") and "sigma" not in options
    known = [kind for kind in kinds if not (kind == "real" and of_sigma)]
    accepted = {L for kind in known for L in MEANINGFUL[kind].get(name, "").split()}
    counts, q = [[4.0] * d], [[1.0 / d] * d]
    for discrepancy in DISCREPANCIES:
        pair = {"confidence_set": name, "discrepancy": discrepancy, "gamma": 0.7}
        if discrepancy in accepted:
            lower, upper, gap = pseudo_discrepancy(counts, q, **pair, **options)
            assert 0 <= lower[0] <= upper[0] < np.inf
            assert gap[0] >= 0
            continue
        reason = rf"{name} does not bound {discrepancy} of {kinds[0]} outcomes \({d} options\)"
        if DISCREPANCIES[discrepancy].needs_scores and kinds == ("categorical",):
            reason = f"{discrepancy} needs scores: give those of the 3 options"
        with pytest.raises(ValueError, match=reason):
            pseudo_discrepancy(counts, q, **pair, **options)


def test_an_effective_answer_or_less_shows_no_variance():
    radius = empirical_bernstein_radius(np.array([0.1, np.nan, 0.2]), [0.5, 1.0, 1.5], 0.8, 2.0)
    log_term = np.log(2 / 0.1)  # each side misses with probability 0.1
    formula = np.sqrt(2 * 0.2 * log_term / 1.5) + 7 * 2 * log_term / (3 * 0.5)
    assert radius.tolist() == [np.inf, np.inf, pytest.approx(formula)]
