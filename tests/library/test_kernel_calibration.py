"""The SKCE and its tests: definitions term by term, Julia's values, closed forms, simulation.

Tolerances: 1e-14 absolute for estimates, as computed in double precision; 1e-12 for closed forms
and sums over resamples. Known disagreements: the Julia original leaves out the +1 in the p-value,
and the README of pycalibration prints a test that doesn't belong to its inputs.
"""

import random
import tracemalloc
from itertools import product

import numpy as np
import pytest
from scipy.stats import beta, chi2, norm

from fidelity.calibration import kernel_error
from fidelity.calibration.kernel import (
    PredictionKernel,
    StatedNormals,
    StatedProbabilities,
    ordinal_kernel,
    white_kernel,
)
from fidelity.calibration.kernel_error import (
    asymptotic_test,
    block_estimates,
    block_test,
    bootstrap_statistics,
    clustered_test,
    consistency_test,
    mean_embedding_test,
    skce_biased,
    skce_unbiased,
)

ESTIMATE, CLOSED = 1e-14, 1e-12
EXPONENTIAL = PredictionKernel()
LOCATIONS = np.array([[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0.2, 0.3, 0.5]])
e, sqrt = np.exp, np.sqrt


@pytest.fixture
def of_few_surprises(monkeypatch):
    """Compare approximate p-values by hand where there are few cases, and they are not told."""
    monkeypatch.setattr(kernel_error, "FEWEST_SURPRISES", 0.0)


@pytest.mark.usefixtures("of_few_surprises")
def test_p_value_is_the_share_of_all_resamples():
    """Of all 5⁵, whose mean of T' is -SKCE_b."""
    generator = np.random.default_rng(12)
    stated, truth = generator.dirichlet(np.ones(3), 5), generator.integers(0, 3, 5)
    predictions = StatedProbabilities(stated, truth, EXPONENTIAL)
    counts = np.array([np.bincount(drawn, minlength=5) for drawn in product(range(5), repeat=5)])
    statistics, _ = bootstrap_statistics(predictions, counts)
    biased = skce_biased(predictions)
    assert statistics.mean() == pytest.approx(-biased, abs=CLOSED)
    share = np.mean(statistics >= 5 / 4 * skce_unbiased(predictions) - biased - 1e-12)
    drawn = asymptotic_test(predictions, np.random.default_rng(0), 20_000)
    assert drawn.p_value == pytest.approx(share, abs=4 * sqrt(share * (1 - share) / 20_000))


def test_values_printed_by_julia():
    random.seed(1234)
    p = np.array([random.random() for _ in range(100)])
    y = [bool(random.getrandbits(1)) for _ in range(100)]
    scalar = PredictionKernel(scale=1 / sqrt(2))  # Euclidean distances are √2|p - p'|
    predictions = StatedProbabilities(np.stack([1 - p, p], 1), np.array(y, int), scalar)
    assert skce_unbiased(predictions) == pytest.approx(0.028399084017414655, abs=5e-14)
    random.seed(1234)
    normals = np.array([(random.gauss(0, 1), random.random()) for _ in range(100)])
    y = [random.gauss(0, 1) for _ in range(100)]
    predictions = StatedNormals(*normals.T, y, EXPONENTIAL)
    assert skce_unbiased(predictions) == pytest.approx(0.02203618235964146, abs=5e-14)


@pytest.mark.parametrize(
    ("loc", "scale", "outcome", "target_scale", "expected"),
    [
        ([0, 0], [1, 1], [0, 0], 1, 1 - sqrt(2) + 1 / sqrt(3)),
        (
            [0, 1],
            [1, 2],
            [1, 0],
            1,
            e(-sqrt(2)) * (e(-1 / 2) - 1 / sqrt(2) - 1 / sqrt(5) + e(-1 / 12) / sqrt(6)),
        ),
        (
            [0, 1],
            [1, 2],
            [0, 1],
            1,
            e(-sqrt(2))
            * (e(-1 / 2) - e(-1 / 4) / sqrt(2) - e(-1 / 10) / sqrt(5) + e(-1 / 12) / sqrt(6)),
        ),
        ([0, 0], [1, 1], [0, 0], 0.5, 1 - 2 / sqrt(1.25) + 1 / sqrt(1.5)),
    ],
)
def test_closed_forms_of_normal_predictions(loc, scale, outcome, target_scale, expected):
    predictions = StatedNormals(loc, scale, outcome, EXPONENTIAL, target_scale)
    assert skce_unbiased(predictions) == pytest.approx(expected, abs=CLOSED)
    assert block_estimates(predictions, [1, 0], 2) == pytest.approx([expected], abs=CLOSED)


def test_closed_form_of_the_mean_embedding_of_normals():
    predictions = StatedNormals([0, 1], [1, 2], [0, 0.5], EXPONENTIAL)
    location = StatedNormals([0.5], [0.5], [1], EXPONENTIAL)
    first = e(-1 / sqrt(2)) * (e(-1 / 2) - e(-1 / 4) / sqrt(2))
    expected = (first + e(-sqrt(5 / 2)) * (e(-1 / 8) - 1 / sqrt(5))) ** 2 / 4
    measured = mean_embedding_test(predictions, location)
    assert measured.estimate == pytest.approx(expected, abs=CLOSED)


def calibrated(generator, n, options=3, sharpness=1.0):
    stated = generator.dirichlet(np.ones(options) * sharpness, n)
    below = stated.cumsum(1) < generator.random(n)[:, None]
    return stated, np.minimum(below.sum(1), options - 1)


def similarity(kernel, p, q):
    away = np.abs(p - q)
    scaled = kernel.scale * (away.sum() / 2 if kernel.distance == "tv" else sqrt((away**2).sum()))
    return e(-scaled) if kernel.shape == "exponential" else e(-(scaled**2) / 2)


def brute_force(stated, truth, kernel, target):
    """Return h by its definition, expectation by expectation: (n, n)."""
    n, options = stated.shape
    h = np.empty((n, n))
    for i, j in product(range(n), range(n)):
        p, q, y, z = stated[i], stated[j], truth[i], truth[j]
        both = sum(p[a] * q[b] * target[a, b] for a, b in product(range(options), repeat=2))
        mine = sum(p[a] * target[a, z] for a in range(options))
        other = sum(q[b] * target[y, b] for b in range(options))
        h[i, j] = similarity(kernel, p, q) * (target[y, z] - mine - other + both)
    return h


@pytest.mark.usefixtures("of_few_surprises")
@pytest.mark.parametrize("shape", ["exponential", "squared_exponential"])
@pytest.mark.parametrize("distance", ["euclidean", "tv"])
@pytest.mark.parametrize("target", [white_kernel(4), ordinal_kernel([0, 1, 3, 4], 0.7)])
def test_estimators_and_tests_are_brute_force(shape, distance, target, monkeypatch):
    """Also across blocks of pairs (rows at once 7, so that 23 rows make four)."""
    monkeypatch.setattr("fidelity.calibration.kernel_error.ROWS_AT_ONCE", 7)
    generator = np.random.default_rng(3)
    stated, truth = calibrated(generator, 23, 4)
    kernel = PredictionKernel(shape, distance, 1.7)
    predictions = StatedProbabilities(stated, truth, kernel, target)
    h, n = brute_force(stated, truth, kernel, target), 23
    order = np.arange(n)
    np.testing.assert_allclose(predictions.between(slice(None), slice(None)), h, atol=1e-14)
    paired = predictions.paired(order, order[::-1])
    np.testing.assert_allclose(paired, h[order, order[::-1]], atol=1e-14)
    biased, unbiased = h.mean(), (h.sum() - np.trace(h)) / (n * (n - 1))
    assert skce_unbiased(predictions) == pytest.approx(unbiased, abs=ESTIMATE)
    assert skce_biased(predictions) == pytest.approx(biased, abs=ESTIMATE)
    counts = generator.multinomial(n, np.full(n, 1 / n), 6)
    factor, unit = n / (n - 1), np.eye(n)
    expected = [
        sum(c[i] * (factor * (c - unit[i]) - 2) @ h[i] for i in range(n)) / n**2 for c in counts
    ]
    statistics, total = bootstrap_statistics(predictions, counts)
    np.testing.assert_allclose(statistics, expected, atol=1e-14)
    assert total == pytest.approx(h.sum(), abs=1e-12)
    statistic = asymptotic_test(predictions, generator, 10).statistic
    assert statistic == pytest.approx(factor * unbiased - biased, abs=CLOSED)
    for size in (2, 5):
        blocks = [h[k : k + size, k : k + size] for k in range(0, n - size + 1, size)]
        estimates = [(b.sum() - np.trace(b)) / (size * (size - 1)) for b in blocks]
        measured = block_estimates(predictions, order, size)
        np.testing.assert_allclose(measured, estimates, atol=1e-14)
        mean, error = np.mean(estimates), np.std(estimates, ddof=1) / sqrt(len(blocks))
        block = block_test(predictions, order, size)
        assert block.estimate == pytest.approx(mean, abs=ESTIMATE)
        assert block.standard_error == pytest.approx(error, abs=CLOSED)
        assert block.statistic == pytest.approx(mean / error, abs=CLOSED)
        assert block.p_value == pytest.approx(norm.sf(mean / error), abs=CLOSED)
        lower = max(0.0, mean - norm.ppf(0.95) * error)
        assert block.lower == pytest.approx(lower, abs=CLOSED)
    at, said = generator.dirichlet(np.ones(4), 3), [0, 1, 2]
    witness = np.array(
        [
            [
                similarity(kernel, p, q) * (target[y, z] - p @ target[:, z])
                for q, z in zip(at, said, strict=True)
            ]
            for p, y in zip(stated, truth, strict=True)
        ]
    )
    middle = witness.mean(0)
    statistic = n * middle @ np.linalg.solve(np.cov(witness.T), middle)
    found = mean_embedding_test(predictions, StatedProbabilities(at, said, kernel, target))
    assert found.estimate == pytest.approx((middle**2).mean(), abs=CLOSED)
    assert found.statistic == pytest.approx(statistic, rel=1e-10)
    assert found.p_value == pytest.approx(chi2.sf(statistic, 3), rel=1e-9)


@pytest.mark.usefixtures("of_few_surprises")
@pytest.mark.parametrize("kind", ["probabilities", "normals"])
def test_counts_are_repeated_rows(kind):
    """Estimators, T', tests: all of them; the bootstrap's draws as cells of those of cases."""
    generator = np.random.default_rng(5)
    counts = generator.integers(1, 6, 15)
    member = np.repeat(np.arange(15), counts)
    if kind == "probabilities":
        stated, truth = calibrated(generator, 15)
        grouped = StatedProbabilities(stated, truth, EXPONENTIAL, None, counts)
        repeated = StatedProbabilities(stated[member], truth[member], EXPONENTIAL)
        locations = StatedProbabilities(LOCATIONS, [0, 1, 2], EXPONENTIAL)
    else:
        loc, scale, y = generator.normal(size=15), generator.random(15) + 0.1, np.arange(15) / 7
        grouped = StatedNormals(loc, scale, y, EXPONENTIAL, 1.0, counts)
        repeated = StatedNormals(loc[member], scale[member], y[member], EXPONENTIAL)
        locations = StatedNormals([0.0, 0.5], [1.0, 0.4], [0.2, 1.0], EXPONENTIAL)
    for statistic in (skce_unbiased, skce_biased):
        assert statistic(grouped) == pytest.approx(statistic(repeated), abs=1e-13)
    for name in ("estimate", "statistic", "p_value"):
        assert getattr(mean_embedding_test(grouped, locations), name) == pytest.approx(
            getattr(mean_embedding_test(repeated, locations), name), rel=1e-9
        )
    n = counts.sum()
    cases = generator.multinomial(n, np.full(n, 1 / n), 9)
    rows = np.stack([np.bincount(member, c, minlength=15) for c in cases])
    by_row, by_case = bootstrap_statistics(grouped, rows), bootstrap_statistics(repeated, cases)
    np.testing.assert_allclose(by_row[0], by_case[0], atol=1e-13)
    order = np.random.default_rng(6).permutation(member)
    assert block_test(grouped, order, 3).p_value == pytest.approx(
        block_test(repeated, np.random.default_rng(6).permutation(n), 3).p_value
    )


@pytest.mark.slow
def test_memory_stays_bounded():
    """At n = 3,500 a matrix of all pairs would take 98 MB; blocks take less than a quarter."""
    stated, truth = calibrated(np.random.default_rng(11), 3500)
    predictions = StatedProbabilities(stated, truth, EXPONENTIAL)
    tracemalloc.start()
    asymptotic_test(predictions, np.random.default_rng(12), 50)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24.5e6


@pytest.mark.usefixtures("of_few_surprises")
def test_batches_of_resamples_are_the_same_resamples(monkeypatch):
    stated, truth = calibrated(np.random.default_rng(13), 40)
    predictions = StatedProbabilities(stated, truth, EXPONENTIAL)
    whole = asymptotic_test(predictions, np.random.default_rng(14), 100)
    monkeypatch.setattr("fidelity.calibration.kernel_error.CELLS_AT_ONCE", 700)
    batched = asymptotic_test(predictions, np.random.default_rng(14), 100)
    assert batched.p_value == whole.p_value
    assert batched.statistic == pytest.approx(whole.statistic)


@pytest.mark.usefixtures("of_few_surprises")
@pytest.mark.parametrize("share", [0.9, 0.7, 0.98])
def test_unanimous_answers_to_one_statement_have_no_p_value(share):
    """Blocks differ by rounding (standard error 4e-20 at .98), resamples not at all."""
    alike = StatedProbabilities(np.tile([share, 1 - share], (9, 1)), [0] * 9, EXPONENTIAL)
    counted = StatedProbabilities([[share, 1 - share]], [0], EXPONENTIAL, counts=[9])
    spread = block_test(alike, np.arange(9))
    assert spread.estimate == pytest.approx(2 * (1 - share) ** 2)
    assert np.isnan([spread.statistic, spread.p_value, spread.lower]).all()
    assert "same estimate" in spread.reason
    for predictions in (alike, counted):
        test = asymptotic_test(predictions, np.random.default_rng(0), 99)
        assert np.isnan(test.p_value)
        assert "alike" in test.reason
    other = StatedProbabilities(alike.probability, [0] * 7 + [1, 0], EXPONENTIAL)
    for test in (block_test(other, np.arange(9)), asymptotic_test(other, np.random.default_rng(0))):
        assert test.reason == ""
        assert 0 < test.p_value <= 1


def test_a_small_spread_that_is_real_keeps_its_p_value():
    """Residuals of 1e-7: h are 1e-14, and differ."""
    stated = np.array([[1 - p, p] for p in 1e-7 * np.arange(1, 21)])
    test = block_test(StatedProbabilities(stated, [0] * 20, EXPONENTIAL), np.arange(20))
    assert test.reason == ""
    assert 0 < test.standard_error < 1e-12
    assert test.p_value < 0.05


def all_outcomes(stated, kernel):
    """Return the probability and SKCE_uq of every outcome, by enumeration."""
    n, options = stated.shape
    outcomes = np.array(list(product(range(options), repeat=n)))
    chance = np.take_along_axis(stated[None], outcomes[:, :, None], 2).prod((1, 2))
    found = [skce_unbiased(StatedProbabilities(stated, y, kernel)) for y in outcomes]
    return outcomes, chance, np.array(found)


def test_consistency_test_is_that_of_all_outcomes_and_exact():
    stated = np.array([[0.02, 0.98], [0.1, 0.9], [0.3, 0.7], [0.02, 0.98]])
    outcomes, chance, estimates = all_outcomes(stated, EXPONENTIAL)
    assert chance.sum() == pytest.approx(1)
    exact = np.array([chance[estimates >= each - 1e-12].sum() for each in estimates])
    for level in (0.01, 0.05, 0.2, 0.5):
        assert chance[exact <= level].sum() <= level + 1e-12
    for y in (outcomes[0], outcomes[6], outcomes[-1]):
        found = consistency_test(
            StatedProbabilities(stated, y, EXPONENTIAL), np.random.default_rng(1), 20_000
        )
        place = (outcomes == y).all(1).argmax()
        assert found.estimate == pytest.approx(estimates[place])
        assert found.p_value == pytest.approx(exact[place], abs=0.015)


def in_clusters(generator, sizes, people=25, spread=0.05, off=0.0):
    """People of scenarios whose true share of option 2 is beta around what is stated.

    Half of the variance is between clusters; ``off``: by what part true shares are smaller.
    """
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    m, precision = len(clusters), 0.25 / spread**2 - 1
    stated = np.clip(norm.cdf(generator.normal(size=len(sizes))[clusters]), 0.05, 0.95)
    latent = generator.normal(size=len(sizes))[clusters] + generator.normal(size=m)
    true = beta.ppf(norm.cdf(latent / sqrt(2)), stated * precision, (1 - stated) * precision)
    chosen = generator.binomial(people, true * (1 - off))
    scenario, option = np.nonzero(np.stack([people - chosen, chosen], 1))
    counts = np.stack([people - chosen, chosen], 1)[scenario, option]
    rows = np.stack([1 - stated, stated], 1)[scenario]
    kernel = PredictionKernel("exponential", "tv")
    return StatedProbabilities(rows, option, kernel, counts=counts), clusters[scenario], scenario


@pytest.mark.usefixtures("of_few_surprises")
def test_clustered_test_is_brute_force(monkeypatch):
    """Also where clusters lie in several blocks."""
    monkeypatch.setattr(kernel_error, "ROWS_AT_ONCE", 7)
    generator = np.random.default_rng(6)
    predictions, clusters, _ = in_clusters(generator, [2, 1, 3, 1, 1, 2], people=3)
    weights = generator.random(len(clusters)) + 0.5
    case = np.repeat(np.arange(len(clusters)), predictions.counts)
    mass, group = weights[case], clusters[case]
    h = predictions.between(case, case) * np.outer(mass, mass)
    apart = group[:, None] != group
    found = clustered_test(predictions, clusters, generator, weights=weights)
    assert found.estimate == pytest.approx(h[apart].sum() / np.outer(mass, mass)[apart].sum())
    assert found.statistic == pytest.approx(h.sum())

    def at_least(signs):
        drawn = [(h * np.outer(v[group], v[group])).sum() for v in signs]
        return np.array(drawn) >= h.sum() - 1e-12

    every = np.array(list(product([-1, 1], repeat=6)))
    assert found.p_value == at_least(every).mean()
    signs = np.random.default_rng(5).choice([-1.0, 1.0], (31, 6))
    random = clustered_test(predictions, clusters, np.random.default_rng(5), 31, weights)
    assert random.p_value == (1 + at_least(signs).sum()) / 32


SIZES = {
    "7 equal": [30] * 7,
    "7 unequal": [3, 5, 8, 12, 20, 30, 60],
    "68 unequal": [1] * 20 + [2] * 20 + [4] * 18 + [8] * 10,
}


def test_few_clusters_and_people_who_answer_everything_have_no_p_value():
    generator = np.random.default_rng(9)
    few = clustered_test(*in_clusters(generator, [20] * 5)[:2], generator)
    assert np.isnan(few.p_value)
    assert "fewer than 6 clusters" in few.reason
    predictions, clusters, scenario = in_clusters(generator, SIZES["7 equal"])
    told = clustered_test(predictions, clusters, generator, samples=scenario)
    assert np.isnan(told.p_value)
    assert "people who answer in several clusters" in told.reason
    assert told.estimate == clustered_test(predictions, clusters, generator).estimate
    wrong, clusters, scenario = in_clusters(generator, [20] * 7, people=4000, off=0.5)
    assert clustered_test(wrong, clusters, generator, samples=scenario).p_value <= 0.05


GOOD = StatedProbabilities(np.full((4, 2), 0.5), [0, 1, 0, 1], EXPONENTIAL)
ONE = StatedNormals([0.0], [1.0], [0.0], EXPONENTIAL)
FOUR = np.arange(4)


def stated(probability=((0.5, 0.5),), truth=(0,), target=None, counts=None):
    return StatedProbabilities(probability, truth, EXPONENTIAL, target, counts)


def normals(scale, target_scale=1.0):
    return StatedNormals([0.0], scale, [0.0], EXPONENTIAL, target_scale)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PredictionKernel("laplace"), "shape must be one of exponential, squared_expo"),
        (lambda: PredictionKernel(distance="w1"), "distance must be one of euclidean, tv"),
        (lambda: PredictionKernel(scale=0), "scale must be a positive"),
        (lambda: ordinal_kernel([0, np.nan]), "finite scores"),
        (lambda: stated([[0.5, 0.6]]), "normalise"),
        (lambda: stated(truth=[2]), r"truth must be .* in 0\.\.1"),
        (lambda: stated([0.5, 0.5]), "probability must be a table"),
        (lambda: stated(target=np.eye(3)), r"target must be a table .* \(2, 2\)"),
        (lambda: stated(target=np.array([[1.0, 2], [2, 1]])), "semidefinite"),
        (lambda: stated(counts=[1.5]), "whole numbers"),
        (lambda: normals([0.0]), "positive"),
        (lambda: normals([1.0, 2.0]), "scale must be a vector of 1 "),
        (lambda: normals([1.0], -1.0), "target_scale must be a positive"),
        (lambda: skce_unbiased(ONE), "at least 2"),
        (lambda: block_test(GOOD, FOUR, 4), "at least 2 blocks"),
        (lambda: block_estimates(GOOD, FOUR, 5), r"size must be a whole number in 2\.\.4"),
        (lambda: block_estimates(GOOD, np.array([0, 0, 1, 2]), 2), "every row as often"),
        (lambda: asymptotic_test(GOOD, drawing(), 0), "resamples must be a whole number"),
        (lambda: mean_embedding_test(GOOD, GOOD), "singular"),
        (lambda: consistency_test(GOOD, drawing(), 0), "resamples must be a whole number"),
        (lambda: clustered_test(GOOD, [0] * 4, drawing()), "clusters must be at least 2"),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def drawing():
    return np.random.default_rng(0)
