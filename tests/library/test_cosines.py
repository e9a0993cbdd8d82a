"""Intervals of a cosine: against the angle's error in the plane, and coverage with few terms."""

import numpy as np
import pytest
import scipy as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ncx2, t

from fidelity import cosines
from fidelity.comparison.error_bars import cr2_standard_error
from fidelity.comparison.few_clusters import satterthwaite_df
from fidelity.comparison.weighted_means import cluster_errors, weighted_mean_error_bar
from fidelity.cosines import cosine
from fidelity.curves.target import cluster_weights
from fidelity.means import DiscrepancyBounds, balanced_mean, balanced_weights, feature_moments
from fidelity.squared_lengths import squared_length


def test_small_errors_turn_the_angle_by_their_part_across():
    """Between long vectors the angle has the errors' variance across over squared lengths."""
    one, two = np.array([100.0, 0.0, 0.0, 0.0]), 50.0 * np.array([0.6, 0.8, 0.0, 0.0])
    interval = cosine(one, two, np.diag([4.0] * 4 + [1.0] * 4))
    sd = np.sqrt(4.0 / 100.0**2 + 1.0 / 50.0**2)
    angle = np.arccos(0.6)
    assert interval.estimate == pytest.approx(0.6, abs=2e-3)
    expected = np.cos([angle + 1.96 * sd, angle - 1.96 * sd])
    np.testing.assert_allclose(interval[1:], expected, atol=3e-3)


def test_errors_in_common_turn_both_vectors_alike():
    one, two = np.array([100.0, 0.0, 0.0]), np.array([60.0, 80.0, 0.0])
    block = np.eye(3)
    apart = cosine(one, two, np.block([[block, 0 * block], [0 * block, block]]))
    together = cosine(one, two, np.block([[block, block], [block, block]]))
    assert together.upper - together.lower < 0.7 * (apart.upper - apart.lower)


@pytest.mark.slow
def test_the_estimate_is_possible_and_in_its_interval_and_the_same_each_time(monkeypatch):
    monkeypatch.setattr(cosines, "DRAWS", 800)
    rng = np.random.default_rng(0)
    for size in (3, 5):
        for _ in range(30):
            one = rng.normal(size=size) * 3
            two = rng.choice([-1, 1]) * one + rng.normal(size=size)
            covariance = np.eye(2 * size)
            interval = cosine(one, two, covariance)
            if np.isnan(interval.estimate):
                assert interval[1:] == (-1.0, 1.0)
                continue
            assert -1.0 <= interval.lower <= interval.estimate <= interval.upper <= 1.0
            assert interval.lower < interval.upper
            assert cosine(one, two, covariance) == interval


def test_vectors_not_clear_of_0_have_no_cosine():
    flat = cosine(np.full(3, 0.1), np.full(3, 9.0), np.eye(6))
    assert np.isnan(flat.estimate) and flat[1:] == (-1.0, 1.0)
    stated = np.diag([0.01] * 3 + [0.0] * 3)
    assert cosine(np.full(3, 9.0), np.full(3, 0.1), stated).lower > 0.9
    assert np.isnan(cosine(np.full(3, 9.0), np.zeros(3), stated).estimate)


@pytest.mark.slow
@pytest.mark.parametrize(("terms", "true"), [(3, 0.5), (3, 0.97), (6, 0.8), (12, 0.5), (12, 0.97)])
def test_coverage_of_few_terms(monkeypatch, terms, true):
    monkeypatch.setattr(cosines, "DRAWS", 800)
    monkeypatch.setattr(cosines, "GRID", 101)
    rng = np.random.default_rng([terms, int(100 * true)])
    covariance, covered = np.eye(2 * terms), 0
    for _ in range(400):
        along, across = np.linalg.qr(rng.normal(size=(terms, 2)))[0].T
        two = 2.5 * np.sqrt(terms) * along
        one = 2.5 * np.sqrt(terms) * (true * along + np.sqrt(1.0 - true**2) * across)
        noise = rng.normal(size=(2, terms))
        interval = cosine(one + noise[0], two + noise[1], covariance)
        covered += interval.lower <= true <= interval.upper
    assert covered / 400 >= 0.93


@pytest.mark.parametrize("length", [4.0, 40.0, 5000.0])
def test_equal_errors_give_the_exact_limits(length):
    """The one probability is in each tail of noncentral χ²; of large values nearly."""
    interval = squared_length(np.array([length, 0.0, 0.0]), np.eye(3), 0.9)
    assert interval.estimate == pytest.approx(length**2 - 3.0)
    tails = ncx2.sf(length**2, 3, interval.lower), ncx2.cdf(length**2, 3, interval.upper)
    assert tails == pytest.approx((0.05, 0.05), abs=1e-4 if length > 1000.0 else 1e-9)


def test_the_interval_is_never_empty_and_holds_the_estimate_clipped_at_0():
    rng = np.random.default_rng(0)
    for size in (1, 4, 30):
        for _ in range(100):
            interval = squared_length(0.3 * rng.normal(size=size), np.eye(size) + 0.5)
            assert 0.0 <= interval.lower <= max(interval.estimate, 0.0) < interval.upper
    nothing = squared_length(np.array([0.2]), np.zeros((1, 1)))
    assert (nothing.lower, nothing.upper) == (0.0, np.inf)  # no variance was seen


def test_few_degrees_of_freedom_and_larger_noise_widen_it():
    usual = squared_length(np.ones(3), np.eye(3))
    few = squared_length(np.ones(3), np.eye(3), df=4.0)
    assert few.estimate == usual.estimate and few.upper > 1.2 * usual.upper
    safe = squared_length(np.ones(3), 2.0 * np.eye(3), noise=3.0)
    assert safe.estimate == usual.estimate and safe.upper > usual.upper


@pytest.mark.sampled
@pytest.mark.parametrize("shared", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("terms", [1, 5, 20])
@pytest.mark.parametrize("length", [0.0, 0.5, 3.0])
def test_coverage_with_errors_in_common(shared, terms, length):
    """Truth along what errors have in common, where two moments of Q alone hold in .78 to .90."""
    rng = np.random.default_rng([int(shared), terms, int(10 * length)])
    covariance = np.eye(terms) + shared
    true = np.full(terms, length * np.sqrt((1.0 + shared) / terms))
    drawn = true + rng.multivariate_normal(np.zeros(terms), covariance, 600)
    intervals = np.array([squared_length(row, covariance)[1:] for row in drawn])
    square = true @ true
    covered = ((intervals[:, 0] <= square) & (square <= intervals[:, 1])).mean()
    assert covered >= 0.93


TOPICS = ["health", "money", "traffic"]


def bounds_of(scores):
    """Return bounds of scores that are known."""
    none = dict.fromkeys(DiscrepancyBounds._fields, np.zeros(len(scores)))
    known = dict.fromkeys(("lower", "upper", "smooth_lower", "smooth_upper"), scores)
    return DiscrepancyBounds(**none | known)


def drawn(generator, m):
    topics = generator.choice(TOPICS, m)
    return {"topic": topics, "words": generator.uniform(4, 25, m)}


def shifted(generator, t=60):
    return {"topic": generator.choice(TOPICS[:2], t), "words": generator.uniform(12, 24, t)}


@pytest.fixture
def moments():
    generator = np.random.default_rng(1)
    return feature_moments(drawn(generator, 200), shifted(generator))


def test_shares_of_groups_have_a_closed_form():
    clusters = np.repeat(TOPICS, [60, 30, 30])
    target = np.repeat(TOPICS, [2, 5, 3])
    weights = balanced_weights(feature_moments({"topic": clusters}, {"topic": target}))
    known = cluster_weights(clusters, {"health": 0.2, "money": 0.5, "traffic": 0.3})
    assert weights == pytest.approx(known / known.sum(), rel=1e-12)
    scores = np.random.default_rng(0).uniform(size=120)
    found = balanced_mean(
        bounds_of(scores), weights, feature_moments({"topic": clusters}, {"topic": target})
    )
    by_topic = [scores[clusters == topic] for topic in TOPICS]
    assert found.upper == pytest.approx(np.dot([0.2, 0.5, 0.3], [np.mean(s) for s in by_topic]))
    # The error of a stratified mean, each residual as if its scenario were left out.
    size = np.repeat([60, 30, 30], [60, 30, 30])
    off = scores - np.repeat([s.mean() for s in by_topic], [60, 30, 30])
    v = (weights * off / (1 - 1 / size)) ** 2 / (1 - weights)
    t = sp.stats.t.ppf(0.975, v.sum() ** 2 / (v**2).sum())
    assert found.ci_upper - found.upper == pytest.approx(t * np.sqrt(v.sum()), rel=1e-9)


def test_a_column_that_is_text_on_one_side_has_labels_on_both():
    moments = feature_moments({"size": [1, 2, 2, 3]}, {"size": ["1", "2", "2", "2"]})
    assert moments.names == ["size = 1", "size = 2"]
    assert moments.target == pytest.approx([0.25, 0.75])


def test_weights_have_the_largest_entropy_by_scipys_minimiser():
    generator = np.random.default_rng(5)
    moments = feature_moments(drawn(generator, 60), {"topic": TOPICS, "words": [12, 16, 22]})
    weights = balanced_weights(moments)
    x = moments.scenarios[moments.possible]
    assert weights @ moments.scenarios == pytest.approx(moments.target, abs=1e-9)
    assert weights.sum() == pytest.approx(1.0)
    # The primal problem, by another algorithm.
    found = sp.optimize.minimize(
        lambda w: np.sum(w * np.log(w)),
        np.full(len(x), 1.0 / len(x)),
        jac=lambda w: np.log(w) + 1.0,
        method="SLSQP",
        bounds=[(1e-12, 1.0)] * len(x),
        constraints={
            "type": "eq",
            "fun": lambda w: np.append((w @ x - moments.target)[1:], w.sum() - 1.0),
            "jac": lambda w: np.vstack([x.T[1:], np.ones(len(x))]),
        },
        options={"maxiter": 300, "ftol": 1e-13},
    )
    assert weights[moments.possible] == pytest.approx(found.x, rel=1e-3, abs=1e-6)


def test_groups_that_the_target_lacks_have_no_weight(moments):
    weights = balanced_weights(moments)
    assert (weights > 0).tolist() == moments.possible.tolist() != [True] * 200


def test_people_in_common_and_clusters_make_intervals_longer(moments):
    generator = np.random.default_rng(4)
    effect = np.repeat(generator.normal(size=50), 4)
    weights, scores = balanced_weights(moments), effect + generator.normal(size=200) / 4
    bounds = bounds_of(scores)._replace(lower_se=np.full(200, 0.3), upper_se=np.full(200, 0.3))

    def half(**known):
        found = balanced_mean(bounds, weights, moments, **known)
        return found.ci_upper - found.upper

    assert half(clusters=np.arange(200) // 4) > 1.4 * half()
    # All err together, or all apart.
    alone = half() ** 2
    together, apart = (half(respondents=labels) ** 2 for labels in (np.zeros(200), np.arange(200)))
    assert (together - alone) / (apart - alone) == pytest.approx(1.0 / (weights**2).sum())


@pytest.mark.parametrize(
    ("asked", "target", "why"),
    [
        ({"words": np.arange(50.0)}, {"words": [60, 70]}, "words is 65, and these range from 0 to"),
        ({"words": np.arange(50.0)}, {"words": [25]}, "squared distance is 0.25, and these range"),
        ({"words": np.arange(50.0)}, {"words": [30]}, "no weights of these give its means"),
        (
            {"words": np.arange(50.0)},
            {"words": [40, 48]},
            "worth .* equal scenarios, fewer than 20",
        ),
        ({"topic": ["a"] * 60}, {"topic": ["a", "b"]}, "topic = b is 0.5, and none of these has"),
        ({"words": [0.0] * 59 + [9.0]}, {"words": [1.2, 1.5]}, "carry 1.% of the weight"),
    ],
)
def test_a_target_too_unlike_is_refused(asked, target, why):
    with pytest.raises(ValueError, match=f"the target is too unlike the scenarios: .*{why}"):
        balanced_weights(feature_moments(asked, target))


def test_few_clusters_are_refused(moments):
    with pytest.raises(ValueError, match="equal clusters, fewer than 20"):
        balanced_weights(moments, np.arange(200) // 12)


def bell_mccaffrey(values, clusters):
    """CR2 and its degrees of freedom of a regression on a constant, by matrices."""
    n = len(values)
    residual_maker = np.eye(n) - np.full((n, n), 1 / n)
    pieces = []
    for label in np.unique(clusters):
        own = clusters == label
        roots, vectors = np.linalg.eigh(residual_maker[np.ix_(own, own)])
        adjusted = vectors @ np.diag(roots**-0.5) @ vectors.T
        pieces.append(residual_maker[:, own] @ adjusted @ np.ones(own.sum()) / n)
    gram = np.array([[first @ second for first in pieces] for second in pieces])
    se = np.sqrt(sum((piece @ values) ** 2 for piece in pieces))
    return se, np.trace(gram) ** 2 / (gram**2).sum()


@given(st.lists(st.integers(1, 3), min_size=3, max_size=6), st.integers(0, 99))
def test_error_and_degrees_of_freedom_are_those_of_matrices(sizes, seed):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(seed).normal(size=len(clusters))
    se, df = bell_mccaffrey(values, clusters)
    assert cr2_standard_error(values, clusters) == pytest.approx(se)
    assert satterthwaite_df(sizes) == pytest.approx(df)
    bar = weighted_mean_error_bar(values, clusters=clusters)
    assert (bar.estimate, bar.se, bar.df) == pytest.approx((values.mean(), se, df))
    half = t.ppf(0.975, df) * se
    assert (bar.lower, bar.upper) == pytest.approx((values.mean() - half, values.mean() + half))
    assert (bar.n, bar.n_clusters) == (len(values), len(sizes))


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 4)), min_size=5, max_size=20))
def test_counts_are_repeated_rows(rows):
    counts, clusters = np.array(rows).T
    values = np.random.default_rng(1).normal(size=(len(rows), 2))
    for labels in (None, clusters):
        found = cluster_errors(values, counts, None, labels, samples=clusters)
        long = [None if each is None else np.repeat(each, counts) for each in (labels, clusters)]
        repeated = cluster_errors(np.repeat(values, counts, axis=0), None, None, *long)
        np.testing.assert_allclose(found.estimate, repeated.estimate, atol=1e-12)
        np.testing.assert_allclose(found.se(), repeated.se(), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.people, repeated.people, rtol=1e-9, atol=1e-12)
        assert found.df == pytest.approx(repeated.df, nan_ok=True)
        assert found.effective_clusters == pytest.approx(repeated.effective_clusters)


def test_error_of_a_weighted_mean_is_unbiased_under_its_model():
    """Cluster sums whose variance is as their mass: E SE² is the variance of the mean."""
    generator, mass = np.random.default_rng(3), np.array([5.0, 1.0, 2.0, 8.0])
    sums = generator.normal(size=(20_000, 4)) * np.sqrt(mass)
    found = cluster_errors((sums / mass).T, weights=mass, clusters=np.arange(4))
    assert (found.se() ** 2).mean() == pytest.approx(found.estimate.var(), rel=0.02)
    scaled = found.se() ** 2 / (found.se() ** 2).mean()
    assert 2 / scaled.var() == pytest.approx(satterthwaite_df(mass / 16), rel=0.05)


@pytest.mark.parametrize("sizes", [[30], [100, 2, 2, 2]])
def test_one_cluster_that_outweighs_all_others_tells_no_error(sizes):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    found = cluster_errors(np.arange(len(clusters)), clusters=clusters)
    assert found.estimate == (len(clusters) - 1) / 2
    assert found.effective_clusters == pytest.approx(sum(sizes) ** 2 / np.square(sizes).sum())
    assert np.isnan([found.se()[0], found.df]).all()


def test_scenarios_of_one_person_say_nothing_of_people():
    found = cluster_errors(np.arange(4.0), clusters=np.arange(4), samples=np.arange(4))
    assert found.people == 0


@pytest.mark.parametrize("value", [0.23, 0.1, -1e5, 1 / 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_equal_values_have_no_interval_whatever_is_rounded(value, weighted):
    generator, values = np.random.default_rng(5), np.full(29, value)
    weights = generator.uniform(0.2, 3, 29) if weighted else None
    for clusters in (None, np.arange(29) % 6):
        for samples in (None, np.arange(29) % 9):
            bar = weighted_mean_error_bar(values, None, weights, clusters, samples)
            assert bar.estimate == pytest.approx(value)
            assert bar.se == 0
            assert np.isnan([bar.lower, bar.upper, bar.statistic, bar.p_value]).all()


def test_equal_means_of_clusters_have_no_interval():
    """Each cluster has .1, .2 and .3 in another order: sums differ by rounding only."""
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1], [0.3, 0.2, 0.1]]).ravel()
    bar = weighted_mean_error_bar(values, clusters=np.repeat(np.arange(4), 3))
    assert bar.se == 0
    assert np.isnan([bar.lower, bar.p_value]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "at least one row"),
        (([1.0, np.nan],), "values must be finite"),
        (([1.0], [0]), "counts must be .* positive"),
        (([1.0], None, [1.0, 2.0]), "weights must be a vector of 1 "),
        (([1.0], None, None, ["a", "b"]), "clusters must be a vector of 1 labels"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        cluster_errors(*arguments)
