"""Calibration errors: exact fractions, scikit-learn, brute force, and simulation."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import exact
from scipy.stats import binomtest, t

from fidelity.calibration.calibration_error import (
    calibrated_error_replicates,
    calibration_error_bar,
)
from fidelity.calibration.cases import UnnormalisedProbabilities, normalised
from fidelity.calibration.reliability import (
    classwise_calibration_error,
    classwise_reliability,
    equal_mass_edges,
    equal_width_edges,
    expected_calibration_error,
    maximum_calibration_error,
    reliability,
    top_label,
)
from fidelity.calibration.scores import (
    brier_decomposition,
    brier_score,
    brier_scores,
    log_score,
    log_scores,
)
from fidelity.comparison.error_bars import mean_error_bar

DOUBLE = 1e-12


def ece(confidence, outcome, edges, closed="right", **rest):
    return expected_calibration_error(reliability(confidence, outcome, edges, closed, **rest))


EDGE = np.repeat(np.arange(11) / 10, [3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3])
RANDOM = np.random.default_rng(500).random(300).round(3)
STATED_AS = {
    "on edges": (EDGE, (np.arange(len(EDGE)) * 7 % 5 < 2).astype(float)),
    "anywhere": (RANDOM, (np.random.default_rng(501).random(300) < RANDOM**1.3).astype(float)),
}
CASES = [(name, bins) for name in STATED_AS for bins in (10, 15)]


def decimals(values):
    """Return the decimal numbers that floats are written as, exactly."""
    return [Fraction(repr(float(x))) for x in values]


@pytest.mark.parametrize("closed", ["right", "left"])
@pytest.mark.parametrize(("name", "bins"), CASES)
def test_errors_of_equal_widths_are_those_of_decimal_numbers(name, bins, closed):
    """np.linspace puts .3, .6 and .7 below their own edges; the nearest floats don't."""
    p, y = STATED_AS[name]
    edges = [Fraction(i, bins) for i in range(bins + 1)]
    expected, greatest = exact.calibration_errors(decimals(p), decimals(y), edges, closed)
    diagram = reliability(p, y, equal_width_edges(bins), closed)
    assert expected_calibration_error(diagram) == pytest.approx(float(expected), abs=DOUBLE)
    assert maximum_calibration_error(diagram) == pytest.approx(float(greatest), abs=DOUBLE)


@pytest.mark.parametrize("name", STATED_AS)
def test_the_brier_score_is_its_definition_in_fractions(name):
    p, y = STATED_AS[name]
    stated, fractions = np.stack([1 - p, p], axis=1), decimals(p)
    whole = exact.brier([[1 - x, x] for x in fractions], y.astype(int).tolist())
    assert brier_score(stated, y.astype(int)) == pytest.approx(float(whole), abs=DOUBLE)


def test_one_vs_rest_unnormalised_and_normalised():
    generator = np.random.default_rng(3)
    stated = generator.uniform(0.05, 0.95, (80, 3)).round(3)
    truth = generator.integers(0, 3, 80)
    rows = [decimals(row) for row in stated]
    mended = [[x / sum(row) for x in row] for row in rows]
    edges = [Fraction(i, 10) for i in range(11)]
    with pytest.warns(UnnormalisedProbabilities, match=r"sum to 0\.\d+ to 2\.\d+.*normalise"):
        raw = top_label(stated, truth)
    with pytest.warns(UnnormalisedProbabilities):
        score = brier_score(stated, truth)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tops = {"raw": raw, "mended": top_label(normalised(stated), truth)}
        scores = {"raw": score, "mended": brier_score(normalised(stated), truth)}
    for name, table in (("raw", rows), ("mended", mended)):
        assert scores[name] == pytest.approx(float(exact.brier(table, truth)), abs=DOUBLE)
        top = [max(row) for row in table]
        right = [
            Fraction(int(row.index(best) == k))
            for row, best, k in zip(table, top, truth, strict=True)
        ]
        for closed in ("right", "left"):
            expected, _ = exact.calibration_errors(top, right, edges, closed)
            measured = ece(*tops[name], equal_width_edges(10), closed)
            assert measured == pytest.approx(float(expected), abs=DOUBLE)


def test_log_score_is_infinite_where_0_was_stated():
    assert log_scores([[1.0, 0.0], [0.5, 0.5]], [1, 1]).tolist() == [np.inf, np.log(2)]
    assert log_score([[1.0, 0.0], [0.5, 0.5]], [1, 1]) == np.inf
    assert log_score([[1.0, 0.0]], [0]) == 0


@given(
    st.lists(
        st.tuples(*[st.integers(0, 5)] * 3, st.integers(0, 2), st.integers(1, 9)),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 6),
    st.sampled_from(["equal_width", "equal_mass"]),
    st.sampled_from(["right", "left"]),
)
def test_parts_of_the_brier_score_sum_to_it_exactly(rows, bins, rule, closed):
    raw = np.array([row[:3] for row in rows], float) + 1e-3
    stated, truth = raw / raw.sum(1, keepdims=True), np.array([row[3] for row in rows])
    counts = np.array([row[4] for row in rows])
    parts = brier_decomposition(stated, truth, bins, rule, closed, counts)
    whole = np.repeat(brier_scores(stated, truth), counts).mean()
    assert parts.brier == pytest.approx(whole, abs=DOUBLE)
    assert min(parts[:4]) >= 0


def test_parts_of_the_brier_score_by_hand():
    """One statement for all: Murphy's three parts; no resolution, nothing hidden in a bin."""
    stated, truth = np.tile([0.7, 0.3], (10, 1)), np.array([0] * 4 + [1] * 6)
    found = brier_decomposition(stated, truth, 10)
    assert found == pytest.approx((2 * 0.3**2, 0.0, 2 * 0.4 * 0.6, 0.0, 0.0), abs=DOUBLE)
    # two bins that hold one statement each: resolution is the spread of what happens
    stated = np.array([[0.9, 0.1]] * 4 + [[0.2, 0.8]] * 6)
    truth = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1, 1])
    found = brier_decomposition(stated, truth, 10)
    apart = 0.4 * (0.25 - 0.6) ** 2 + 0.6 * (5 / 6 - 0.6) ** 2
    off = 0.4 * (0.1 - 0.25) ** 2 + 0.6 * (0.8 - 5 / 6) ** 2
    assert found == pytest.approx((2 * off, 2 * apart, 2 * 0.6 * 0.4, 0.0, 0.0), abs=DOUBLE)
    # in one bin their difference is hidden: its variance, and twice its covariance with y
    found = brier_decomposition(stated, truth, 1)
    said = np.array([0.1] * 4 + [0.8] * 6)
    together = 2 * np.cov(said, truth, bias=True)[0, 1]
    assert found.within_variance == pytest.approx(2 * said.var())
    assert found.within_covariance == pytest.approx(2 * together)
    assert found.resolution == pytest.approx(0, abs=DOUBLE)


cells = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 1), st.integers(1, 5)), min_size=1, max_size=30
)


@given(cells, st.integers(1, 12), st.sampled_from(["right", "left"]), st.booleans())
def test_counts_are_repeated_rows_and_bins_are_brute_force(rows, bins, closed, by_mass):
    """Also the mirror image: 1 - p with bins closed on the other side."""
    twentieths, outcome, counts = (np.array(column) for column in zip(*rows, strict=True))
    p = twentieths / 20
    long, event = np.repeat(p, counts), np.repeat(outcome, counts)
    if by_mass:
        edges = equal_mass_edges(p, bins, closed, counts)
        np.testing.assert_array_equal(edges, equal_mass_edges(long, bins, closed))
    else:
        edges = equal_width_edges(bins)
    diagram = reliability(p, outcome, edges, closed, counts)
    total = 0.0
    for b in range(bins):
        if closed == "right":
            inside = (long > edges[b]) & (long <= edges[b + 1])
            inside |= (b == np.flatnonzero(edges[1:] >= 0)[0]) & (long == 0)
        else:
            inside = (long >= edges[b]) & (long < edges[b + 1])
            inside |= (b == bins - 1) & (long == 1)
        assert diagram.people[b] == inside.sum()
        if inside.any():
            total += abs(long[inside].mean() - event[inside].mean()) * inside.mean()
    assert expected_calibration_error(diagram) == pytest.approx(total, abs=1e-12)
    assert expected_calibration_error(reliability(long, event, edges, closed)) == pytest.approx(
        total, abs=1e-12
    )


@given(cells, st.integers(1, 12))
def test_equal_mass_edges_are_weighted_quantiles(rows, bins):
    twentieths, _, counts = (np.array(column) for column in zip(*rows, strict=True))
    p = twentieths / 20
    levels = np.arange(1, bins) / bins
    expected = np.quantile(np.repeat(p, counts), levels, method="inverted_cdf")
    np.testing.assert_array_equal(equal_mass_edges(p, bins, counts=counts)[1:-1], expected)


def test_weights_scale_mass_and_widen_intervals():
    p, y = np.array([0.55, 0.56, 0.57, 0.58]), np.array([1, 0, 1, 0])
    edges = equal_width_edges(2)
    plain = reliability(p, y, edges, weights=np.full(4, 7.0))
    equal = reliability(p, y, edges)
    assert plain.frequency_lower[1] == pytest.approx(equal.frequency_lower[1])
    weighted = reliability(p, y, edges, weights=np.array([3.0, 1, 1, 1]))
    assert weighted.frequency[1] == pytest.approx(4 / 6)
    assert weighted.people[1] == 4
    width = weighted.frequency_upper[1] - weighted.frequency_lower[1]
    assert width > equal.frequency_upper[1] - equal.frequency_lower[1]


def test_reliability_reports_empty_and_thin_bins_and_exact_intervals():
    diagram = reliability(
        np.array([0.05, 0.95]), np.array([0, 1]), equal_width_edges(10), counts=np.array([3, 40])
    )
    assert diagram.empty.tolist() == [False, *[True] * 8, False]
    assert diagram.thin(10).tolist() == [True, *[False] * 9]
    assert np.isnan(diagram.gap[1:9]).all()
    exact = binomtest(40, 40).proportion_ci(0.95)
    assert (diagram.frequency_lower[9], diagram.frequency_upper[9]) == pytest.approx(tuple(exact))
    assert expected_calibration_error(diagram) == pytest.approx(0.05)
    assert maximum_calibration_error(diagram) == pytest.approx(0.05)


def test_classwise_error_is_the_mean_over_options():
    generator = np.random.default_rng(0)
    stated = generator.dirichlet([1, 2, 3], 200)
    truth = generator.integers(0, 3, 200)
    for rule, closed in [("equal_width", "left"), ("equal_mass", "right")]:
        diagrams = classwise_reliability(stated, truth, 8, rule, closed)
        by_hand = []
        for k in range(3):
            edges = equal_width_edges(8)
            if rule == "equal_mass":
                edges = equal_mass_edges(stated[:, k], 8, closed)
            by_hand.append(ece(stated[:, k], (truth == k).astype(float), edges, closed))
        assert classwise_calibration_error(diagrams) == pytest.approx(np.mean(by_hand))


def error_bar(p, y, edges, **rest):
    generator = np.random.default_rng(0)
    return calibration_error_bar(p, y, edges, generator, resamples=20_000, **rest)


def test_interval_of_counts_is_that_of_repeated_rows():
    generator = np.random.default_rng(4)
    p, y, counts = generator.random(12), generator.integers(0, 2, 12), generator.integers(1, 40, 12)
    edges = equal_width_edges(5)
    found = error_bar(p, y, edges, counts=counts)
    repeated = error_bar(np.repeat(p, counts), np.repeat(y, counts), edges)
    assert found[:4] == pytest.approx(repeated[:4], abs=0.002)


def test_interval_in_one_bin_is_that_of_a_mean():
    """Of its absolute value; errors of means are held against matrices in test_error_bars.py."""
    generator, sizes = np.random.default_rng(12), [10, 30, 40, 90]
    n, clusters = sum(sizes), np.repeat(np.arange(4), sizes)
    p, y = generator.random(n) / 2, np.ones(n)
    found = error_bar(p, y, equal_width_edges(1), clusters=clusters)
    mean = mean_error_bar(y - p, clusters)
    assert found[:3] == pytest.approx((mean.estimate, max(0, mean.lower), mean.upper))
    assert found.reason == "fewer than 10 effective clusters"


def test_bars_of_a_diagram_are_those_of_the_gap_in_clusters():
    generator = np.random.default_rng(14)
    p, clusters = generator.uniform(0.5, 1, 300), np.arange(300) % 6
    y = (generator.random(300) < p).astype(int)
    found = reliability(p, y, equal_width_edges(2), clusters=clusters)
    gap = p - y
    means = np.array([gap[clusters == c].mean() for c in range(6)])
    half = t.ppf(0.975, 5) * means.std(ddof=1) / np.sqrt(6)
    exact = binomtest(int(y.sum()), 300).proportion_ci(method="exact")
    assert found.frequency_lower[1] == pytest.approx(min(y.mean() - half, exact.low))
    assert found.frequency_upper[1] == pytest.approx(max(y.mean() + half, exact.high))
    assert np.isnan(found.frequency_lower[0])
    alone = reliability(p, y, equal_width_edges(2), clusters=np.zeros(300))
    assert np.isnan([alone.frequency_lower, alone.frequency_upper]).all()


@pytest.mark.parametrize("stated", [0.9, 0.95, 0.57, 0.7])
def test_forecasts_that_all_come_true_alike_have_no_interval_of_their_error(stated):
    """They don't show how much the error varies; ends that round to it covered nothing."""
    edges, clusters = equal_width_edges(10), np.repeat(np.arange(12), 2)
    for labels in (None, clusters):
        found = error_bar(np.full(24, stated), np.ones(24), edges, clusters=labels)
        assert found.estimate == pytest.approx(1 - stated)
        assert np.isnan([found.lower, found.upper]).all()
        assert "does not show how much it varies" in found.interval_reason
        told = "" if labels is None else "does not show how much it varies"
        assert told in found.reason and np.isnan(found.if_calibrated) == bool(told)
    both = error_bar(np.tile([0.95, 0.85], 12), np.ones(24), edges, clusters=clusters)
    assert np.isnan([both.lower, both.upper]).all()


@pytest.mark.sampled
@pytest.mark.parametrize(("n", "lowest", "highest"), [(40, 0.97, 0.999), (100, 0.001, 0.02)])
def test_forecasts_of_few_surprises_have_no_interval_of_their_error(n, lowest, highest):
    """Of such studies of calibrated forecasts a half had ends that excluded 0."""
    stated = np.linspace(lowest, highest, n)
    found = error_bar(stated, np.round(stated), equal_width_edges(10))
    assert np.isnan([found.lower, found.upper]).all() and "20 surprises" in found.interval_reason
    many = error_bar(stated, np.round(stated), equal_width_edges(10), counts=np.full(n, 60))
    assert np.isnan(many.lower)  # 20 are expected, and none came


def test_an_interval_of_an_error_ends_at_one():
    cluster = np.repeat([0, 0, 1], 40)
    found = error_bar(np.full(120, 0.75), cluster, equal_width_edges(5), clusters=cluster)
    assert 0 <= found.lower <= found.estimate < found.upper == 1
    assert found.interval_reason == ""


def test_one_cluster_has_no_interval():
    found = error_bar([0.2, 0.7], [0, 1], equal_width_edges(2), clusters=[0, 0])
    assert found.estimate == pytest.approx(0.25)
    assert np.isnan([found.lower, found.upper, found.if_calibrated]).all()
    assert found.interval_reason == "one cluster, or the largest, tells nothing about others"


def test_brier_score_by_hand_and_its_extremes():
    assert brier_score([[1, 0, 0]], [0]) == 0
    assert brier_score([[1, 0, 0]], [1]) == 2
    stated, truth = [[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]], [2, 1]
    first, second = 0.04 + 0.09 + 0.25, 0.36 + 0.36
    assert brier_score(stated, truth) == pytest.approx((first + second) / 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: brier_score([[0.5, 0.5]], [2]), r"truth must be .* in 0\.\.1"),
        (lambda: brier_score([[1.5, -0.5]], [0]), "probability must be .* at least 0"),
        (lambda: brier_score([[1.2, 0.5]], [0]), "probability must be at most 1"),
        (lambda: normalised([[0.2, 0.3], [0.0, 0.0]]), "it is 0 in all of row 1"),
        (lambda: equal_width_edges(0), "bins must be a whole number"),
        (lambda: reliability([0.5], [1], [0, 0.6, 0.4, 1]), "not decrease"),
        (lambda: reliability([0.5], [1], [0, 1], "both"), "closed must be one of right, left"),
        (lambda: reliability([0.5], [0.5], [0, 1]), "outcome must be .* 0 or 1"),
        (lambda: reliability([1.01], [0], [0, 1]), "confidence must be"),
        (
            lambda: classwise_reliability([[0.5, 0.5]], [0], 5, "even"),
            "rule must be one of equal_width, equal_mass",
        ),
        (
            lambda: calibrated_error_replicates(
                [0.5], [0, 1], np.random.default_rng(0), counts=[1.5]
            ),
            "counts must be whole numbers .* weights",
        ),
        (lambda: error_bar([0.5], [1], [0, 1], level=1), "level must be a number strictly between"),
        (
            lambda: brier_decomposition([[0.5, 0.5]], [0], 5, "even"),
            "rule must be one of equal_width, equal_mass",
        ),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
