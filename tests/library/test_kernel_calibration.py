"""The SKCE and its tests: definitions in 30 digits, Julia's values, closed forms, simulation.

Tolerances: 1e-14 absolute for estimates, as computed in double precision; 1e-12 for closed forms
and sums over resamples. Known disagreements: the Julia original leaves out the +1 in the p-value,
and the README of pycalibration prints a test that doesn't belong to its inputs.
"""

import random
import tracemalloc
from itertools import product

import numpy as np
import pytest
from reference import exact
from scipy.stats import beta, norm

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
    distribution_free_biased_p_value,
    distribution_free_block_p_value,
    distribution_free_unbiased_p_value,
    mean_embedding_test,
    skce_biased,
    skce_unbiased,
)

ESTIMATE, CLOSED = 1e-14, 1e-12
EXPONENTIAL = PredictionKernel()
SQUARED = PredictionKernel("squared_exponential")
KERNELS = {
    ("exponential", "white"): (EXPONENTIAL, None),
    ("squared exponential", "white"): (SQUARED, None),
    ("exponential, scale 3", "white"): (PredictionKernel(scale=3.0), None),
    ("total variation", "white"): (PredictionKernel(distance="tv"), None),
    ("exponential", "ordinal"): (EXPONENTIAL, ordinal_kernel(np.arange(3))),
}
STATED = np.random.default_rng(12).dirichlet(np.ones(3), 12)
TRUTH = np.random.default_rng(13).integers(0, 3, 12)
EACH_KERNEL = pytest.mark.parametrize("name", KERNELS, ids=" x ".join)
LOCATIONS = np.array([[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0.2, 0.3, 0.5]])
e, sqrt = np.exp, np.sqrt


@pytest.fixture
def of_few_surprises(monkeypatch):
    """Compare approximate p-values by hand where there are few cases, and they are not told."""
    monkeypatch.setattr(kernel_error, "FEWEST_SURPRISES", 0.0)


def binary(p):
    """Return probabilities of both outcomes; Euclidean distances of them are √2|p - p'|."""
    p = np.asarray(p, float)
    return np.stack([1 - p, p], axis=1)


def points(name, first=12):
    """Return the predictions of the first points, and the same in 30 digits with their kernels."""
    kernel, target = KERNELS[name]
    predictions = StatedProbabilities(STATED[:first], TRUTH[:first], kernel, target)
    kernels = exact.KERNELS[name[0]], exact.TARGETS[name[1]]
    pairs = list(zip(STATED[:first].tolist(), TRUTH[:first].tolist(), strict=True))
    return predictions, pairs, kernels, exact.kernel_matrix(*kernels, pairs)


@pytest.mark.usefixtures("of_few_surprises")
@EACH_KERNEL
def test_estimators_and_tests_of_twelve_points_agree_with_30_digits(name):
    predictions, pairs, kernels, h = points(name)
    order = np.arange(12)
    unbiased, biased = float(exact.skce_unbiased(h)), float(exact.skce_biased(h))
    assert skce_unbiased(predictions) == pytest.approx(unbiased, abs=ESTIMATE)
    assert skce_biased(predictions) == pytest.approx(biased, abs=ESTIMATE)
    block = block_test(predictions, order, 2)
    for size, estimate in (
        (2, block.estimate),
        (3, block_test(predictions, order, 3).estimate),
    ):
        expected = float(exact.mean(exact.skce_blocks(h, size)))
        assert estimate == pytest.approx(expected, abs=ESTIMATE)
    first = [float(h[0][0]), float(h[0][1])]
    assert predictions.between(slice(0, 1), slice(0, 2))[0] == pytest.approx(first, abs=ESTIMATE)
    paired = predictions.paired(np.array([0, 0]), np.array([0, 1]))
    assert paired == pytest.approx(first, abs=ESTIMATE)
    blocks = exact.skce_blocks(h, 2)
    error = exact.sqrt(exact.variance(blocks) / 6)
    z = exact.mean(blocks) / error
    assert block.standard_error == pytest.approx(float(error), abs=CLOSED)
    assert block.statistic == pytest.approx(float(z), abs=CLOSED)
    assert block.p_value == pytest.approx(float(exact.normal_tail(z)), abs=CLOSED)
    measured = asymptotic_test(predictions, np.random.default_rng(1), 10)
    assert measured.statistic == pytest.approx(12 / 11 * unbiased - biased, abs=CLOSED)
    free = e(-6 * (max(0.0, unbiased) / 2) ** 2 / 2)
    assert distribution_free_unbiased_p_value(predictions) == pytest.approx(free, abs=CLOSED)
    free = e(-(max(sqrt(12 * biased / 2) - 1, 0) ** 2) / 2)
    assert distribution_free_biased_p_value(predictions) == pytest.approx(free, abs=CLOSED)
    free = e(-6 * (max(0.0, float(exact.mean(blocks))) / 2) ** 2 / 2)
    found = distribution_free_block_p_value(predictions, order, 2)
    assert found == pytest.approx(free, abs=CLOSED)
    kernel, target = KERNELS[name]
    locations = StatedProbabilities(LOCATIONS, [0, 1, 2], kernel, target)
    embedding = mean_embedding_test(predictions, locations)
    at = list(zip(LOCATIONS.tolist(), range(3), strict=True))
    estimate, statistic, p_value = map(float, exact.mean_embedding(*kernels, pairs, at))
    assert embedding.estimate == pytest.approx(estimate, abs=CLOSED)
    assert embedding.statistic == pytest.approx(statistic, rel=1e-10)
    assert embedding.p_value == pytest.approx(p_value, rel=1e-9)


@pytest.mark.usefixtures("of_few_surprises")
@EACH_KERNEL
def test_all_resamples_of_five_points(name):
    """The mean of T' over all 5⁵ resamples is -SKCE_b; the p-value is the share that reaches."""
    predictions, _, _, h = points(name, 5)
    counts = np.array([np.bincount(drawn, minlength=5) for drawn in product(range(5), repeat=5)])
    statistics, _ = bootstrap_statistics(predictions, counts)
    resampled = np.array(exact.resampled_statistics(h))
    np.testing.assert_allclose(statistics, resampled, atol=CLOSED)
    biased = float(exact.skce_biased(h))
    assert statistics.mean() == pytest.approx(-biased, abs=CLOSED)
    statistic = 5 / 4 * float(exact.skce_unbiased(h)) - biased
    share = np.mean(resampled >= statistic - 1e-12)
    drawn = asymptotic_test(predictions, np.random.default_rng(0), 20_000)
    assert drawn.statistic == pytest.approx(statistic, abs=CLOSED)
    assert drawn.p_value == pytest.approx(share, abs=4 * sqrt(share * (1 - share) / 20_000))


@EACH_KERNEL
def test_mean_of_the_bootstrap_by_the_moments_of_counts(name):
    """E[T'] = -SKCE_b for 12 points by algebra: T' is quadratic, and E[CCᵀ] is known.

    T'(C) = CᵀAC + bᵀC, whose A and b follow from T' at unit vectors, their doubles and their sums;
    E[C_iC_j] = n(n-1)/n² + δ_ij and E[C_i] = 1.
    """
    predictions, *_, h = points(name)
    n, unit = 12, np.eye(12)
    once, twice = (bootstrap_statistics(predictions, k * unit)[0] for k in (1, 2))
    diagonal = (twice - 2 * once) / 2
    linear = once - diagonal
    first, second = np.triu_indices(n, 1)
    both, _ = bootstrap_statistics(predictions, unit[first] + unit[second])
    mixed = both - once[first] - once[second]
    mean = (n - 1) / n * (mixed.sum() + diagonal.sum()) + diagonal.sum() + linear.sum()
    assert mean == pytest.approx(-float(exact.skce_biased(h)), abs=CLOSED)


def test_values_printed_by_julia():
    random.seed(1234)
    p = [random.random() for _ in range(100)]
    y = [bool(random.getrandbits(1)) for _ in range(100)]
    scalar = PredictionKernel(scale=1 / sqrt(2))
    predictions = StatedProbabilities(binary(p), np.array(y, int), scalar)
    assert skce_unbiased(predictions) == pytest.approx(0.028399084017414655, abs=5e-14)
    generator = np.random.default_rng(1234)
    p, y = generator.random(100), generator.choice([True, False], 100)
    predictions = StatedProbabilities(binary(p), y.astype(int), scalar)
    assert skce_unbiased(predictions) == pytest.approx(0.03320398246523166, abs=5e-14)
    generator = np.random.default_rng(1234)
    stated = np.array([generator.dirichlet((3, 2, 5)) for _ in range(100)])
    y = generator.integers(low=1, high=4, size=100)
    predictions = StatedProbabilities(stated, y - 1, EXPONENTIAL)
    assert skce_unbiased(predictions) == pytest.approx(0.02015240706950358, abs=5e-14)
    generator = np.random.default_rng(1234)
    stated, y = generator.dirichlet((3, 2, 5), 100), generator.integers(1, 4, 100)
    predictions = StatedProbabilities(stated, y - 1, EXPONENTIAL)
    assert skce_unbiased(predictions) == pytest.approx(0.02015240706950358, abs=5e-14)
    predictions = StatedProbabilities([[0.1, 0.8, 0.1], [0.2, 0.5, 0.3]], [1, 2], EXPONENTIAL)
    assert skce_unbiased(predictions) == pytest.approx(-0.10317943453412069, abs=5e-14)
    random.seed(1234)
    normals = np.array([(random.gauss(0, 1), random.random()) for _ in range(100)])
    y = [random.gauss(0, 1) for _ in range(100)]
    predictions = StatedNormals(*normals.T, y, EXPONENTIAL)
    assert skce_unbiased(predictions) == pytest.approx(0.02203618235964146, abs=5e-14)


def test_the_test_printed_by_pycalibration_is_not_of_its_inputs():
    """TV kernel on inputs C: the facts printed in the reference, not the README's 6.07887e-5."""
    generator = np.random.default_rng(1234)
    stated, y = generator.dirichlet((3, 2, 5), 100), generator.integers(1, 4, 100)
    predictions = StatedProbabilities(stated, y - 1, PredictionKernel(distance="tv"))
    measured = asymptotic_test(predictions, np.random.default_rng(0), 10)
    assert measured.estimate == pytest.approx(0.021296508893735216, abs=5e-14)
    assert skce_biased(predictions) == pytest.approx(0.02793817590266119, abs=5e-14)
    assert measured.statistic == pytest.approx(-0.006426550757474104, abs=5e-14)


@pytest.mark.parametrize(
    ("truth", "unbiased", "biased"),
    [([0, 1], 0, 0), ([0, 0], 0, 0.5), ([1, 0], -2 * e(-1), 1 - e(-1)), ([1, 1], 0, 0.5)],
)
def test_closed_forms_of_two_certain_predictions(truth, unbiased, biased):
    certain = np.eye(2)
    predictions = StatedProbabilities(certain, truth, SQUARED)
    assert skce_unbiased(predictions) == pytest.approx(unbiased, abs=CLOSED)
    assert skce_biased(predictions) == pytest.approx(biased, abs=CLOSED)
    assert block_estimates(predictions, [0, 1], 2) == pytest.approx([unbiased], abs=CLOSED)
    repeated = StatedProbabilities(np.tile(certain, (10, 1)), truth * 10, SQUARED)
    assert block_estimates(repeated, np.arange(20), 2) == pytest.approx(
        np.full(10, unbiased), abs=CLOSED
    )
    scalar = StatedProbabilities(binary([1, 0]), 1 - np.array(truth), SQUARED)
    assert skce_unbiased(scalar) == pytest.approx(unbiased, abs=CLOSED)
    assert skce_biased(scalar) == pytest.approx(biased, abs=CLOSED)


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        ([0, 1], 0),
        ([0, 0], (e(-2) + e(-0.5) + 1) / 12),
        ([1, 0], (1 - e(-1)) ** 2 / 6),
        ([1, 1], (e(-2) + e(-0.5) + 1) / 12),
    ],
)
def test_closed_forms_of_mean_embeddings(truth, expected):
    predictions = StatedProbabilities(np.eye(2), truth, SQUARED)
    locations = StatedProbabilities([[1, 0], [0.5, 0.5], [0, 1]], [0, 0, 1], SQUARED)
    means = predictions.witness(locations).mean(0)
    assert (means**2).mean() == pytest.approx(expected, abs=CLOSED)


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
        (
            [0, 1],
            [1, 2],
            [1, 0],
            0.5,
            e(-sqrt(2)) * (e(-1 / 8) - 1 / sqrt(1.25) - 1 / sqrt(2) + e(-1 / 18) / sqrt(2.25)),
        ),
        (
            [0, 1],
            [1, 2],
            [0, 1],
            0.5,
            e(-sqrt(2))
            * (
                e(-1 / 8) - e(-1 / 10) / sqrt(1.25) - e(-1 / 16) / sqrt(2) + e(-1 / 18) / sqrt(2.25)
            ),
        ),
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


def brute_force(stated, truth, kernel, target):
    """Return h by its definition, expectation by expectation: (n, n)."""
    n, options = stated.shape
    h = np.empty((n, n))
    for i, j in product(range(n), range(n)):
        distance = np.abs(stated[i] - stated[j])
        distance = distance.sum() / 2 if kernel.distance == "tv" else sqrt((distance**2).sum())
        scaled = kernel.scale * distance
        similarity = e(-scaled) if kernel.shape == "exponential" else e(-(scaled**2) / 2)
        p, q, y, z = stated[i], stated[j], truth[i], truth[j]
        both = sum(p[a] * q[b] * target[a, b] for a, b in product(range(options), repeat=2))
        mine = sum(p[a] * target[a, z] for a in range(options))
        other = sum(q[b] * target[y, b] for b in range(options))
        h[i, j] = similarity * (target[y, z] - mine - other + both)
    return h


@pytest.mark.parametrize("shape", ["exponential", "squared_exponential"])
@pytest.mark.parametrize("distance", ["euclidean", "tv"])
@pytest.mark.parametrize("target", [white_kernel(4), ordinal_kernel([0, 1, 3, 4], 0.7)])
def test_h_bootstrap_and_blocks_are_brute_force(shape, distance, target, monkeypatch):
    """Also across blocks of pairs (rows at once 7, so that 23 rows make four)."""
    monkeypatch.setattr("fidelity.calibration.kernel_error.ROWS_AT_ONCE", 7)
    generator = np.random.default_rng(3)
    stated, truth = calibrated(generator, 23, 4)
    kernel = PredictionKernel(shape, distance, 1.7)
    predictions = StatedProbabilities(stated, truth, kernel, target)
    h, n = brute_force(stated, truth, kernel, target), 23
    np.testing.assert_allclose(predictions.between(slice(None), slice(None)), h, atol=1e-14)
    assert np.abs(h).max() <= predictions.bound
    off = h.sum() - np.trace(h)
    assert skce_unbiased(predictions) == pytest.approx(off / (n * (n - 1)), abs=ESTIMATE)
    assert skce_biased(predictions) == pytest.approx(h.mean(), abs=ESTIMATE)
    counts = generator.multinomial(n, np.full(n, 1 / n), 6)
    factor, unit = n / (n - 1), np.eye(n)
    expected = [
        sum(c[i] * (factor * (c - unit[i]) - 2) @ h[i] for i in range(n)) / n**2 for c in counts
    ]
    statistics, total = bootstrap_statistics(predictions, counts)
    np.testing.assert_allclose(statistics, expected, atol=1e-14)
    assert total == pytest.approx(h.sum(), abs=1e-12)
    for size in (2, 5):
        blocks = [h[k : k + size, k : k + size] for k in range(0, n - size + 1, size)]
        estimates = [(b.sum() - np.trace(b)) / (size * (size - 1)) for b in blocks]
        measured = block_estimates(predictions, np.arange(n), size)
        np.testing.assert_allclose(measured, estimates, atol=1e-14)


def test_normal_h_is_that_of_simulated_expectations():
    """And of a kernel on W2: 400,000 draws of Z and Z' give h within their Monte Carlo error."""
    generator = np.random.default_rng(4)
    loc, scale, y = np.array([0.3, -1.0]), np.array([0.8, 1.5]), np.array([1.0, -0.5])
    predictions = StatedNormals(loc, scale, y, PredictionKernel("squared_exponential"), 0.6)
    z = loc[:, None] + scale[:, None] * generator.normal(size=(2, 400_000))

    def k(a, b):
        return e(-0.5 * (0.6 * (a - b)) ** 2)

    target = (k(y[0], y[1]) - k(z[0], y[1]) - k(y[0], z[1]) + k(z[0], z[1])).mean()
    similarity = e(-0.5 * ((loc[0] - loc[1]) ** 2 + (scale[0] - scale[1]) ** 2))
    measured = predictions.between(slice(0, 1), slice(1, 2))[0, 0]
    assert measured == pytest.approx(similarity * target, abs=4 * 0.5 / sqrt(400_000))
    paired = predictions.paired(np.array([0]), np.array([1]))[0]
    assert paired == pytest.approx(measured, abs=ESTIMATE)


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
    for statistic in (
        skce_unbiased,
        skce_biased,
        distribution_free_unbiased_p_value,
        distribution_free_biased_p_value,
    ):
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


STUDIES = 500


def four_errors(studies):
    return 4 * sqrt(0.05 * 0.95 / studies)


def test_memory_stays_bounded():
    """At n = 5,000 a matrix of all pairs would take 200 MB; blocks take less than a quarter."""
    stated, truth = calibrated(np.random.default_rng(11), 5000)
    predictions = StatedProbabilities(stated, truth, EXPONENTIAL)
    tracemalloc.start()
    asymptotic_test(predictions, np.random.default_rng(12), 50)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


@pytest.mark.usefixtures("of_few_surprises")
def test_batches_of_resamples_are_the_same_resamples(monkeypatch):
    stated, truth = calibrated(np.random.default_rng(13), 40)
    predictions = StatedProbabilities(stated, truth, EXPONENTIAL)
    whole = asymptotic_test(predictions, np.random.default_rng(14), 100)
    monkeypatch.setattr("fidelity.calibration.kernel_error.CELLS_AT_ONCE", 700)
    batched = asymptotic_test(predictions, np.random.default_rng(14), 100)
    assert batched.p_value == whole.p_value
    assert batched.statistic == pytest.approx(whole.statistic)


@pytest.mark.slow
def test_lower_bound_of_the_block_test():
    """It covers the SKCE of a simulator that is wrong in 95 % of studies, as it says."""
    generator, kernel, lowers = np.random.default_rng(15), PredictionKernel(), []
    stated, truth = generator.dirichlet(np.ones(3), 3000), generator.integers(0, 3, 3000)
    true = skce_unbiased(StatedProbabilities(stated, truth, kernel))
    for _ in range(STUDIES):
        stated, truth = generator.dirichlet(np.ones(3), 400), generator.integers(0, 3, 400)
        predictions = StatedProbabilities(stated, truth, kernel)
        lowers.append(block_test(predictions, np.arange(400), 2).lower)
    assert np.mean(np.array(lowers) <= true) == pytest.approx(0.95, abs=four_errors(STUDIES))


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


def test_certain_statements_that_come_true_have_no_p_value():
    certain = StatedProbabilities(np.eye(2)[[0, 0, 0, 0]], [0] * 4, EXPONENTIAL)
    blocks, test = (
        block_test(certain, np.arange(4)),
        asymptotic_test(certain, np.random.default_rng(0)),
    )
    assert (blocks.estimate, blocks.standard_error, test.estimate) == (0, 0, 0)
    assert np.isnan([blocks.p_value, test.p_value]).all()


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


def test_consistency_test_of_counts_is_that_of_repeated_rows():
    stated, truth = calibrated(np.random.default_rng(3), 8)
    counts = np.array([1, 5, 2, 9, 1, 3, 4, 2])
    few = StatedProbabilities(stated, truth, EXPONENTIAL, ordinal_kernel(np.arange(3.0)), counts)
    many = StatedProbabilities(
        np.repeat(stated, counts, 0), np.repeat(truth, counts), EXPONENTIAL, few.target
    )
    found, repeated = (
        consistency_test(each, np.random.default_rng(4), 8000) for each in (few, many)
    )
    assert found.estimate == pytest.approx(skce_unbiased(many))
    assert found.p_value == pytest.approx(repeated.p_value, abs=0.03)


def test_distribution_free_block_test_is_hoeffdings():
    """CalibrationTests.jl's value for blocks of 2; a mean of 2·2 terms for blocks of 5."""
    wrong = StatedProbabilities(np.tile([1.0, 0.0], (12, 1)), [1] * 12, EXPONENTIAL)
    assert distribution_free_block_p_value(wrong, np.arange(12), 2) == pytest.approx(e(-6 / 2))
    assert distribution_free_block_p_value(wrong, np.arange(12), 5) == pytest.approx(e(-4 / 2))
    assert distribution_free_block_p_value(wrong, np.arange(12), 12) == pytest.approx(
        distribution_free_unbiased_p_value(wrong)
    )
    right = StatedProbabilities(np.tile([1.0, 0.0], (12, 1)), [0] * 12, EXPONENTIAL)
    assert distribution_free_block_p_value(right, np.arange(12), 3) == 1


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
def test_clustered_test_is_brute_force():
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
    signs = np.array(list(product([-1, 1], repeat=6)))
    drawn = [(h * np.outer(v[group], v[group])).sum() for v in signs]
    assert found.p_value == np.mean(np.array(drawn) >= h.sum() - 1e-12)
    random = clustered_test(predictions, clusters, generator, 31, weights)
    assert random.p_value * 32 == pytest.approx(round(random.p_value * 32))
    assert random.p_value == pytest.approx(found.p_value, abs=0.35)


def test_clusters_may_lie_in_several_blocks():
    generator = np.random.default_rng(8)
    stated = generator.dirichlet(np.ones(3), 600)
    predictions = StatedProbabilities(stated, generator.integers(0, 3, 600), EXPONENTIAL)
    clusters = np.minimum(generator.integers(0, 40, 600), 19)  # the last has half of the rows
    h = predictions.between(slice(None), slice(None))
    same = np.eye(clusters.max() + 1)[clusters]
    totals = same.T @ h @ same
    found = clustered_test(predictions, clusters, np.random.default_rng(5), 200)
    assert found.statistic == pytest.approx(h.sum())
    sizes = same.sum(0)
    pairs = sizes.sum() ** 2 - (sizes**2).sum()
    assert found.estimate == pytest.approx((h.sum() - totals.trace()) / pairs)
    signs = np.random.default_rng(5).choice([-1.0, 1.0], (200, len(totals)))
    reached = (np.einsum("bg,gh,bh->b", signs, totals, signs) >= h.sum()).sum()
    assert found.p_value == (1 + reached) / 201


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: PredictionKernel("laplace"),
            "shape must be one of exponential, squared_exponential",
        ),
        (lambda: PredictionKernel(distance="w1"), "distance must be one of euclidean, tv"),
        (lambda: PredictionKernel(scale=0), "scale must be a positive"),
        (lambda: ordinal_kernel([0, np.nan]), "finite scores"),
        (lambda: StatedProbabilities([[0.5, 0.6]], [0], EXPONENTIAL), "normalise"),
        (
            lambda: StatedProbabilities([[0.5, 0.5]], [2], EXPONENTIAL),
            r"truth must be .* in 0\.\.1",
        ),
        (lambda: StatedProbabilities([0.5, 0.5], [0], EXPONENTIAL), "probability must be a table"),
        (
            lambda: StatedProbabilities([[0.5, 0.5]], [0], EXPONENTIAL, np.eye(3)),
            r"target must be a table .* \(2, 2\)",
        ),
        (
            lambda: StatedProbabilities(
                [[0.5, 0.5]], [0], EXPONENTIAL, np.array([[1.0, 2], [2, 1]])
            ),
            "semidefinite",
        ),
        (
            lambda: StatedProbabilities([[0.5, 0.5]], [0], EXPONENTIAL, counts=[1.5]),
            "whole numbers",
        ),
        (lambda: StatedNormals([0.0], [0.0], [0.0], EXPONENTIAL), "positive"),
        (
            lambda: StatedNormals([0.0], [1.0, 2.0], [0.0], EXPONENTIAL),
            "scale must be a vector of 1 ",
        ),
        (
            lambda: StatedNormals([0.0], [1.0], [0.0], EXPONENTIAL, -1.0),
            "target_scale must be a positive",
        ),
        (lambda: skce_unbiased(StatedNormals([0.0], [1.0], [0.0], EXPONENTIAL)), "at least 2"),
        (lambda: block_test(GOOD, np.arange(4), 4), "at least 2 blocks"),
        (lambda: block_estimates(GOOD, np.arange(4), 5), r"size must be a whole number in 2\.\.4"),
        (lambda: block_estimates(GOOD, np.array([0, 0, 1, 2]), 2), "every row as often"),
        (
            lambda: asymptotic_test(GOOD, np.random.default_rng(0), 0),
            "resamples must be a whole number",
        ),
        (lambda: mean_embedding_test(GOOD, GOOD), "singular"),
        (
            lambda: consistency_test(GOOD, np.random.default_rng(0), 0),
            "resamples must be a whole number",
        ),
        (
            lambda: clustered_test(GOOD, [0] * 4, np.random.default_rng(0)),
            "clusters must be at least 2",
        ),
        (
            lambda: clustered_test(GOOD, [0, 1], np.random.default_rng(0)),
            "clusters must be a vector of 4 labels",
        ),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
