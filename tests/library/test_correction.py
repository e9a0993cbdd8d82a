"""Corrected simulators: brute force, other solvers, blind to their own people, simulation."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import Ridge

import fidelity
from fidelity import Responses
from fidelity.correction import (
    corrected_ridge,
    correction_folds,
    correction_gain,
    people_elsewhere,
    stacked,
    tempered_mixture,
    wording_features,
)
from fidelity.correction.folds import Answered
from fidelity.correction.mixture import mixture_weights, tempered
from fidelity.correction.ridge import PENALTIES, _standardised, _terms

CLUSTERS = np.arange(24) // 4
CORRECTIONS = {
    "tempered_mixture": lambda x, q, r, clusters: tempered_mixture(x, q, clusters=clusters),
    "stacked": lambda x, q, r, clusters: stacked(x, [q, r], clusters=clusters),
    "corrected_ridge": lambda x, q, r, clusters: corrected_ridge(x, [q, r], clusters=clusters),
}


def population(generator, m, d, people, power=2.0):
    """Return people's shares and counts, and a simulator that is too certain (power > 1)."""
    p = generator.dirichlet(np.full(d, 2.0), m)
    q = p**power / (p**power).sum(1, keepdims=True)
    return p, generator.multinomial(people, p).astype(float), q


@pytest.fixture
def ragged():
    """Counts and two simulators of 24 scenarios with 2 to 4 options."""
    generator = np.random.default_rng(0)
    tables = np.full((3, 24, 4), np.nan)
    for j in range(24):
        d = 2 + j % 3
        p, x, q = population(generator, 1, d, 80)
        tables[:, j, :d] = x[0], q[0], 0.5 * p[0] + 0.5 * generator.dirichlet(np.ones(d))
    return tables


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_row_depends_on_nobody_of_its_own_cluster(name, ragged):
    correct, (x, q, r) = CORRECTIONS[name], ragged
    found = correct(x, q, r, CLUSTERS)
    changed = x.copy()
    changed[CLUSTERS == 2] = changed[CLUSTERS == 2][:, ::-1] * 7 + 3
    changed[np.isnan(x)] = np.nan
    changed[np.isnan(changed) & ~np.isnan(x)] = 1.0
    other = correct(changed, q, r, CLUSTERS)
    own = CLUSTERS == 2
    np.testing.assert_array_equal(other.probabilities[own], found.probabilities[own])
    assert np.nanmax(np.abs(other.probabilities[~own] - found.probabilities[~own])) > 1e-4


@pytest.mark.parametrize("name", CORRECTIONS)
def test_probabilities_are_of_the_options_there_are(name, ragged):
    found = CORRECTIONS[name](*ragged, CLUSTERS)
    np.testing.assert_array_equal(np.isnan(found.probabilities), np.isnan(ragged[0]))
    np.testing.assert_allclose(np.nansum(found.probabilities, 1), 1)
    assert np.nanmin(found.probabilities) >= 0
    assert all(len(each) == 6 for each in found.parameters.values())


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_scenario_nobody_was_asked_is_corrected_and_teaches_nothing(name, ragged):
    x, q, r = ragged.copy()
    x[5] = np.where(np.isnan(x[5]), np.nan, 0.0)
    found = CORRECTIONS[name](x, q, r, CLUSTERS)
    assert np.nansum(found.probabilities[5]) == pytest.approx(1)
    if name != "corrected_ridge":  # its terms are scaled over all scenarios
        rest = np.arange(24) != 5
        without = CORRECTIONS[name](x[rest], q[rest], r[rest], CLUSTERS[rest])
        np.testing.assert_allclose(without.probabilities, found.probabilities[rest], atol=1e-6)


def test_folds_are_clusters_or_keyed_by_their_labels():
    assert (correction_folds(24, CLUSTERS) == CLUSTERS).all()
    assert (correction_folds(3) == [0, 1, 2]).all()
    names = np.array([f"topic {i}" for i in range(400)])
    fold = correction_folds(400, names)
    assert set(fold) == set(range(10))
    assert np.bincount(fold).min() > 20
    np.testing.assert_array_equal(correction_folds(300, names[:300]), fold[:300])
    np.testing.assert_array_equal(correction_folds(400, names[::-1]), fold[::-1])
    twice = correction_folds(800, np.repeat(names, 2)).reshape(400, 2)
    np.testing.assert_array_equal(twice, np.stack([fold, fold], axis=1))


def test_pooled_shares_are_of_other_folds_with_the_same_options(ragged):
    x, q, _ = ragged
    given = Answered.of(x, {"q": q}, CLUSTERS)
    shares = np.nan_to_num(x / np.nansum(x, 1, keepdims=True))
    found = given.pooled(2)
    for j in range(24):
        same = (np.isnan(x) == np.isnan(x[j])).all(1)
        others = same & (CLUSTERS[j] != CLUSTERS) & (CLUSTERS != 2)
        np.testing.assert_allclose(found[j], shares[others].mean(0))


def test_a_known_temperature_is_found_and_undone():
    p, x, q = population(np.random.default_rng(2), 60, 4, 400, power=2.5)
    found = tempered_mixture(x, q, clusters=np.arange(60) // 6)
    np.testing.assert_allclose(found.parameters["temperature"], 0.4, atol=0.03)
    assert (found.parameters["weights"][:, 0] > 0.93).all()
    before, after = (np.abs(each - p).sum(1).mean() / 2 for each in (q, found.probabilities))
    assert after < 0.2 * before


@pytest.mark.slow
def test_the_mixture_has_the_largest_likelihood_of_a_grid():
    generator = np.random.default_rng(3)
    p, _, q = population(generator, 20, 3, 1, power=3.0)
    x = generator.multinomial(50, 0.6 * p + 0.15 / 3 + 0.25 * np.array([0.8, 0.1, 0.1]))
    clusters = np.arange(20) // 4
    given = Answered.of(x, {"q": q}, clusters)
    found = tempered_mixture(x, q, clusters=clusters)

    def likelihood(temperature, weights, fold):
        parts = [tempered(q, temperature), given.uniform, given.pooled(fold)]
        mixed = sum(w * part for w, part in zip(weights, parts, strict=True))
        others = clusters != fold
        return (x * np.log(mixed))[others].sum() / x[others].sum()

    for fold in (0, 3):
        best = likelihood(
            found.parameters["temperature"][fold], found.parameters["weights"][fold], fold
        )
        grid = [
            likelihood(t, (a, (1 - a) * b, (1 - a) * (1 - b)), fold)
            for t, a, b in product(
                np.exp(np.linspace(-2.5, 2, 13)), np.linspace(0, 0.99, 9), np.linspace(0, 1, 6)
            )
        ]
        assert max(grid) - 1e-6 < best < max(grid) + 0.005


def test_weights_of_a_stack_are_those_of_another_solver():
    generator = np.random.default_rng(4)
    parts = generator.dirichlet(np.ones(4), (4, 50))
    x = generator.multinomial(60, np.tensordot([0.5, 0.3, 0.2, 0.0], parts, 1)).astype(float)

    def loss(w):
        return -(x * np.log(np.tensordot(w, parts, 1))).sum() / x.sum()

    other = minimize(
        loss,
        np.full(4, 0.25),
        method="SLSQP",
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-12},
    )
    found = mixture_weights(x, parts)
    np.testing.assert_allclose(found, other.x, atol=2e-3)
    assert loss(found) < other.fun + 2e-7


def test_ridge_is_that_of_scikit_learn_with_penalties_by_nested_folds(ragged):
    x, q, r = ragged
    features = np.random.default_rng(5).normal(size=(24, 2))
    found = corrected_ridge(x, [q, r], features=features, clusters=CLUSTERS)
    given = Answered.of(x, {"q": q, "r": r}, CLUSTERS, features)
    terms = _standardised(_terms(given), given.exists)
    assert terms.shape == (24, 4, 16)
    total = given.counts.sum(1)
    y = given.counts / total[:, None] - given.uniform

    def fitted(rows, penalty):
        weight = np.repeat(total[rows] / total[rows].sum(), 4)
        model = Ridge(penalty, fit_intercept=False)
        return model.fit(terms[rows].reshape(len(weight), -1), y[rows].ravel(), weight).coef_

    for fold in (0, 4):
        errors = []
        for penalty in PENALTIES:
            errors.append(0.0)
            for inner in set(range(6)) - {fold}:
                beta = fitted((fold != CLUSTERS) & (inner != CLUSTERS), penalty)
                left = inner == CLUSTERS
                residual = y[left] - terms[left] @ beta
                errors[-1] += (total[left, None] * residual**2).sum()
        penalty = PENALTIES[np.argmin(errors)]
        assert found.parameters["penalty"][fold] == penalty
        beta = fitted(fold != CLUSTERS, penalty)
        np.testing.assert_allclose(found.parameters["coefficients"][fold], beta, rtol=1e-6)
        rows = fold == CLUSTERS
        for nearest, value in zip(
            found.probabilities[rows], (given.uniform + terms @ beta)[rows], strict=True
        ):
            there = ~np.isnan(nearest)
            assert nearest[there].sum() == pytest.approx(1.0) and (nearest[there] >= 0.0).all()
            # the nearest point of the simplex: none of it lies beyond the tangent plane
            beyond = (np.eye(there.sum()) - nearest[there]) @ (value - nearest)[there]
            assert beyond.max() < 1e-9


def test_wording_features_reproduce_the_similarity_at_full_rank():
    from fidelity.baselines.from_wording import text_similarity

    texts = ["Should taxes rise?", "Should we ban cars?", "Should taxes on fuel rise?"]
    found = wording_features(texts, rank=3)
    np.testing.assert_allclose(found @ found.T, text_similarity(texts), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, q: tempered_mixture(x, q[:3]), "q must have the shape of counts"),
        (lambda x, q: stacked(x, []), "simulators must be at least one"),
        (lambda x, q: stacked(x, [q, 2 * q]), r"simulators\[1\]"),
        (lambda x, q: corrected_ridge(x, [q], features=np.ones((3, 1))), "features must be"),
        (lambda x, q: tempered_mixture(x, q, clusters=["a"] * 6), "clusters must be at least 2"),
        (lambda x, q: tempered_mixture(x * [[1]] * 0, q), "answers in at least two"),
        (lambda x, q: tempered_mixture(-x, q), "counts must be"),
        (lambda x, q: tempered_mixture(x[:1], q[:1]), "m must be at least 2"),
        (lambda x, q: wording_features(["a", "b"], 3), "rank must be a whole number in 1..2"),
    ],
)
def test_mistakes_are_named(call, message):
    _, x, q = population(np.random.default_rng(9), 6, 3, 50)
    with pytest.raises(ValueError, match=message):
        call(x, q)


def test_people_elsewhere_are_the_best_mixture_of_uniform_and_pooled(ragged):
    x, q, _ = ragged
    given, found = Answered.of(x, {"q": q}, CLUSTERS), people_elsewhere(x, clusters=CLUSTERS)
    for fold in (0, 5):
        pooled, others = given.pooled(fold), given.fold != fold
        weights = np.linspace(0, 1, 2001)[:, None, None]
        mixed = (1 - weights) * pooled + weights * given.uniform
        chosen = given.counts[others] > 0
        likelihood = (given.counts[others] * np.log(np.where(chosen, mixed[:, others], 1))).sum(
            (1, 2)
        )
        expected = np.where(np.isnan(x), np.nan, mixed[likelihood.argmax()])
        np.testing.assert_allclose(found[~others], expected[~others], atol=1e-3)


@pytest.mark.sampled
@pytest.mark.parametrize("target", ["new", "asked"])
def test_a_gain_is_claimed_where_all_differences_are_certainly_below_0(ragged, target):
    x, q, r = ragged
    given = {"discrepancy": "tv", "target": target}
    people = Responses(x, clusters=CLUSTERS if target == "new" else None)
    nearest = np.nan_to_num(x / np.nansum(x, 1, keepdims=True)) + np.where(np.isnan(x), np.nan, 0)
    for corrected, others in ((nearest, [q, r]), (q, [r, nearest]), (q, [nearest, r])):
        found = correction_gain(
            people, corrected, simulators=others[:1], from_people=others[1:], **given
        )
        expected = [fidelity.mean_difference(people, corrected, other, **given) for other in others]
        assert found.over_simulators + found.over_people == tuple(expected)
        assert found.claimed == (corrected is nearest)
    for left_out in ("simulators", "from_people"):
        sources = {"simulators": [q], "from_people": [r]} | {left_out: []}
        with pytest.raises(ValueError, match=f"{left_out} must be at least one"):
            correction_gain(people, q, **sources, **given)
