"""Calibration errors against thirteen peers' printed values, brute force, and simulation.

Tolerances: 1e-12 against numbers computed in double precision, 1e-6 against single precision.
"""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from fidelity.calibration import (
    UnnormalisedProbabilities,
    brier_score,
    calibrated_error_replicates,
    calibration_error_interval,
    classwise_calibration_error,
    classwise_calibration_error_interval,
    classwise_reliability,
    equal_mass_edges,
    equal_width_edges,
    expected_calibration_error,
    halved_brier_score,
    joint_bins,
    joint_calibration_error,
    maximum_calibration_error,
    median_variance_bins,
    normalised,
    reliability,
    spiegelhalter_test,
    top_label,
)

DOUBLE, SINGLE = 1e-12, 1e-6
CASES = [(name, bins) for name in ("edge", "random500") for bins in (10, 15)]


def ece(confidence, outcome, edges, closed="right", **rest):
    return expected_calibration_error(reliability(confidence, outcome, edges, closed, **rest))


def root_mean_square(diagram):
    return np.sqrt(np.nansum(diagram.share * diagram.gap**2))


@pytest.fixture(scope="session")
def binary(vectors):
    """Return p and y of a file, with what peers print for it."""
    printed = json.loads((vectors / "ece_outputs.json").read_text())

    def read(name):
        rows = np.genfromtxt(vectors / f"ece_{name}.csv", delimiter=",", names=True)
        return rows["p"], rows["y"], printed[name]

    return read


@pytest.fixture(scope="session")
def one_vs_rest(vectors):
    rows = np.genfromtxt(vectors / "ovr200.csv", delimiter=",", names=True)
    printed = json.loads((vectors / "ece_outputs.json").read_text())["ovr200"]
    return np.stack([rows[f"p{k}"] for k in range(3)], axis=1), rows["y"].astype(int), printed


def quantile_edges(confidence, bins):
    """Return the edges that scikit-learn and netcal take, interpolated, from 0 to 1."""
    edges = np.percentile(confidence, np.linspace(0, 1, bins + 1) * 100)
    return np.concatenate([[0.0], edges[1:-1], [1.0]])


def torch_edges(bins, precision=np.float64):
    """Return torch.linspace's edges, built from both ends, and a bin of its own for 1."""
    index, step = np.arange(bins + 1), precision(1) / precision(bins)
    edges = np.where(index < (bins + 1) // 2, index * step, 1 - (bins - index) * step)
    return np.append(edges.astype(precision), 1).astype(float)


@pytest.mark.parametrize(("name", "bins"), CASES)
def test_equal_width_errors_of_peers(binary, name, bins):
    """Right-closed bins agree with all who have them; left-closed ones differ by rounding of edges.

    With 10 bins np.linspace puts .3, .6 and .7 below their own edges; the nearest floats don't.
    """
    p, y, printed = binary(name)
    of_bins = printed[f"bins={bins}"]
    exact, spaced = equal_width_edges(bins), np.linspace(0, 1, bins + 1)
    right = [
        "rule:right_closed_linspace",
        "rule:ceil_np",
        "sklearn.calibration_curve uniform (weighted)",
    ]
    for peer in right:
        assert ece(p, y, exact, "right") == pytest.approx(of_bins[peer], abs=DOUBLE), peer
    for peer in ("rule:floor_np_clip", "calikit width"):
        assert ece(p, y, exact, "left") == pytest.approx(of_bins[peer], abs=DOUBLE), peer
    rounded = [
        "rule:left_closed_linspace",
        "rule:floor_div_own_bin",
        "netcal.ECE(bins)",
        "relplot.binnedECE",
    ]
    diagram = reliability(p, y, spaced, "left")
    for peer in rounded:
        assert expected_calibration_error(diagram) == pytest.approx(of_bins[peer], abs=DOUBLE), peer
    assert maximum_calibration_error(diagram) == pytest.approx(of_bins["netcal.MCE"], abs=DOUBLE)
    assert np.nanmean(np.abs(diagram.gap)) == pytest.approx(of_bins["netcal.ACE"], abs=DOUBLE)


def test_linspace_edges_misplace_decimal_probabilities(binary):
    p, y, _ = binary("edge")
    assert ece(p, y, np.linspace(0, 1, 11), "left") != pytest.approx(
        ece(p, y, equal_width_edges(10), "left"), abs=0.05
    )
    index = np.searchsorted(equal_width_edges(10)[1:-1], [0.3, 0.6, 0.7], "right")
    assert index.tolist() == [3, 6, 7]


@pytest.mark.parametrize(("name", "bins"), CASES)
def test_torchmetrics_has_one_bin_more(binary, name, bins):
    """torchmetrics: left-closed, and a confidence of exactly 1 gets a bin of its own."""
    p, y, printed = binary(name)
    of_bins = printed[f"bins={bins}"]
    diagram = reliability(p, y, torch_edges(bins), "left")
    for measured, peer in [
        (expected_calibration_error(diagram), "binary_ECE"),
        (maximum_calibration_error(diagram), "binary_MCE"),
        (root_mean_square(diagram), "binary_RMSCE"),
    ]:
        expected = of_bins[f"torchmetrics.{peer} float64"]
        assert measured == pytest.approx(expected, abs=DOUBLE), peer


@pytest.mark.parametrize(("name", "bins"), CASES)
def test_mapie_has_one_bin_less(binary, name, bins):
    """mapie: B edges make B - 1 bins, the lowest point has its own, and it splits unsorted rows."""
    p, y, printed = binary(name)
    of_bins = printed[f"bins={bins}"]
    uniform = np.append(0.0, np.linspace(0, 1, bins))
    inner = np.percentile(p, np.linspace(0, 1, bins) * 100)[:-1]
    split = np.sort([part.max() for part in np.array_split(p, bins)[:-1]])
    for edges, peer in [
        (uniform, "uniform"),
        (np.concatenate([[0.0], inner, [1.0]]), "quantile"),
        (np.concatenate([[0.0], split, [1.0]]), "array split"),
    ]:
        assert ece(p, y, edges) == pytest.approx(of_bins[f"mapie.ECE {peer}"], abs=DOUBLE), peer


@pytest.mark.parametrize(("name", "bins"), CASES)
def test_quantile_edges_of_peers(binary, name, bins):
    p, y, printed = binary(name)
    of_bins = printed[f"bins={bins}"]
    edges = quantile_edges(p, bins)
    for closed, peer in [
        ("right", "sklearn.calibration_curve quantile (weighted)"),
        ("left", "netcal.ECE(equal_intervals=False)"),
    ]:
        assert ece(p, y, edges, closed) == pytest.approx(of_bins[peer], abs=DOUBLE), peer


@pytest.mark.parametrize("name", ["edge", "random500"])
def test_equal_mass_bins_are_those_of_split_sorted_rows(binary, name):
    """Where the split cuts no tie and all parts are equal (10 bins): calikit agrees."""
    p, y, printed = binary(name)
    measured = ece(p, y, equal_mass_edges(p, 10))
    for peer in ("calikit mass", "rule:equal_mass array_split of stable sort"):
        assert measured == pytest.approx(printed["bins=10"][peer], abs=DOUBLE), peer


def split_sorted(p, y, bins):
    order = np.argsort(p, kind="stable")
    return sum(abs((p[part] - y[part]).sum()) for part in np.array_split(order, bins)) / len(p)


def test_split_sorted_rows_put_the_larger_parts_first(binary):
    """500 rows in 15 parts: the peers' sizes are 34, ..., 33; their edges give their number."""
    p, y, printed = binary("random500")
    parts = np.array_split(np.sort(p), 15)
    edges = np.concatenate([[0.0], [part.max() for part in parts[:-1]], [1.0]])
    for peer in ("calikit mass", "rule:equal_mass array_split of stable sort"):
        assert ece(p, y, edges) == pytest.approx(printed["bins=15"][peer], abs=DOUBLE), peer


def test_splitting_ties_depends_on_the_order_of_rows(binary):
    """The 28 tied rows: 15 parts of the sorted file give the peers' number, shuffled others."""
    p, y, printed = binary("edge")
    expected = printed["bins=15"]["rule:equal_mass array_split of stable sort"]
    assert split_sorted(p, y, 15) == pytest.approx(expected, abs=DOUBLE)
    generator = np.random.default_rng(0)
    orders = [generator.permutation(28) for _ in range(50)]
    assert len({round(split_sorted(p[o], y[o], 15), 9) for o in orders}) > 5
    ours = {round(ece(p[o], y[o], equal_mass_edges(p[o], 15)), 12) for o in orders}
    assert len(ours) == 1


@pytest.mark.parametrize(("name", "bins"), CASES)
def test_reliably_means_the_top_label(binary, name, bins):
    """reliably scores the confidence max(p, 1-p), not p: another quantity under the same name."""
    p, y, printed = binary(name)
    of_bins = printed[f"bins={bins}"]
    confidence, correct = top_label(np.stack([1 - p, p], axis=1), y.astype(int))
    width = ece(confidence, correct, np.linspace(0, 1, bins + 1), "left")
    mass = ece(confidence, correct, quantile_edges(confidence, bins), "left")
    peer = "reliably.ece equal_width (TOP-LABEL conf!)"
    assert width == pytest.approx(of_bins[peer], abs=DOUBLE)
    peer = "reliably.adaptive_ece (TOP-LABEL conf!)"
    assert mass == pytest.approx(of_bins[peer], abs=DOUBLE)


@pytest.mark.parametrize(("name", "bins"), CASES)
def test_single_precision_moves_confidences_over_edges(binary, name, bins):
    p, y, printed = binary(name)
    single = p.astype(np.float32).astype(float)
    measured = ece(single, y, torch_edges(bins, np.float32), "left")
    expected = printed[f"bins={bins}"]["torchmetrics.binary_ECE float32"]
    assert measured == pytest.approx(expected, abs=SINGLE)


@pytest.mark.parametrize("name", ["edge", "random500"])
def test_brier_and_spiegelhalter_of_peers(binary, name):
    """sklearn halves the Brier score for two classes; mapie's p-value is one-sided."""
    p, y, printed = binary(name)
    stated = np.stack([1 - p, p], axis=1)
    whole, half = printed["brier sum over 2 classes"], printed["brier (sklearn, binary)"]
    assert brier_score(stated, y.astype(int)) == pytest.approx(whole, abs=DOUBLE)
    assert halved_brier_score(stated, y.astype(int)) == pytest.approx(half, abs=DOUBLE)
    z, p_value = spiegelhalter_test(p, y)
    assert (z, p_value) == pytest.approx(printed["calikit.spiegelhalter (z,p)"], abs=DOUBLE)
    one_sided = printed["mapie.spiegelhalter stat,p"]
    assert (z, p_value / 2) == pytest.approx(one_sided, abs=DOUBLE)


def test_one_vs_rest_unnormalised_and_normalised(one_vs_rest):
    stated, truth, printed = one_vs_rest
    assert printed["row sums min/max"] == pytest.approx(
        [stated.sum(1).min(), stated.sum(1).max()], abs=DOUBLE
    )
    with pytest.warns(UnnormalisedProbabilities, match=r"sum to 0\.543 to 2\.5.*normalise"):
        raw = top_label(stated, truth)
    with pytest.warns(UnnormalisedProbabilities):
        assert brier_score(stated, truth) == pytest.approx(printed["brier unnormalised"])
    edges = equal_width_edges(10)
    torch = "torchmetrics on unnormalised probs (applies no softmax if in [0,1])"
    unnormalised = printed["ECE right_closed unnormalised max"]
    assert ece(*raw, edges) == pytest.approx(unnormalised, abs=DOUBLE)
    assert ece(*raw, edges) == pytest.approx(printed[torch], abs=SINGLE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mended = top_label(normalised(stated), truth)
        score = brier_score(normalised(stated), truth)
    assert score == pytest.approx(printed["brier normalised"], abs=DOUBLE)
    for closed in ("right", "left"):
        expected = printed[f"ECE {closed}_closed normalised max"]
        assert ece(*mended, edges, closed) == pytest.approx(expected, abs=DOUBLE)
    assert ece(*mended, edges) == pytest.approx(printed["torchmetrics on normalised"], abs=SINGLE)
    mass = ece(*mended, equal_mass_edges(mended[0], 10))
    assert mass == pytest.approx(printed["equal mass normalised"], abs=DOUBLE)


def test_julia_edges_are_right_closed():
    confidence = np.array([0.0, 0.1, 0.45, 1.0])
    diagram = reliability(confidence, np.zeros(4), equal_width_edges(10))
    assert np.flatnonzero(diagram.people).tolist() == [0, 4, 9]
    assert diagram.people[[0, 4, 9]].tolist() == [2, 1, 1]
    for outside in (-0.01, 1.01):
        with pytest.raises(ValueError, match="confidence must be"):
            reliability(np.array([outside]), np.zeros(1), equal_width_edges(10))


def test_julia_joint_errors():
    half = [0.5, 0.5]
    for stated, truth in [([[0, 1], [1, 0]], [1, 0]), ([[0, 1], half, half, [1, 0]], [1, 1, 0, 0])]:
        assert joint_calibration_error(stated, truth, joint_bins(stated, 10)) == 0
    assert (
        joint_calibration_error([[0, 1], [1, 0]], [0, 0], joint_bins([[0, 1], [1, 0]], 10)) == 0.5
    )
    assert ece(np.array([0, 0.5, 0.5, 1]), np.array([0, 0, 1, 1]), equal_width_edges(10)) == 0


def test_julia_median_variance_bins():
    stated = [[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0], [0.1, 0, 0.9], [0.8, 0.1, 0.1]]
    assert (np.argsort(median_variance_bins(stated, 1)) + 1).tolist() == [5, 3, 2, 1, 4]
    assert median_variance_bins(stated, 2).tolist() == [1, 1, 0, 1, 0]
    assert median_variance_bins(stated, 3).tolist() == [0] * 5
    people = [1, 2, 1, 3, 1]
    repeated = median_variance_bins(np.repeat(stated, people, axis=0), 2)
    np.testing.assert_array_equal(
        np.repeat(median_variance_bins(stated, 2, people), people), repeated
    )


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


def test_two_options_have_equal_classwise_errors_but_for_edges():
    p, y = np.random.default_rng(1).random(300), np.random.default_rng(2).integers(0, 2, 300)
    diagrams = classwise_reliability(np.stack([1 - p, p], axis=1), y, 10)
    assert expected_calibration_error(diagrams[0]) == pytest.approx(
        expected_calibration_error(diagrams[1])
    )


def simulated(generator, n, shift):
    p = generator.beta(2, 2, n)
    true = np.clip(p + shift * np.sin(6 * p), 0, 1)
    return p, true, (generator.random(n) < true).astype(float)


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.2])
def test_interval_covers_the_error_even_where_it_is_zero(shift):
    """At least 95 % less Monte Carlo error; a percentile interval covers nothing at 0."""
    generator, edges, studies = np.random.default_rng(3), equal_width_edges(10), 200
    p, true, _ = simulated(generator, 400_000, shift)
    member = np.searchsorted(edges[1:-1], p)
    error = np.abs(np.bincount(member, p - true)).sum() / len(p)
    covered = 0
    for _ in range(studies):
        p, _, y = simulated(generator, 200, shift)
        lower, upper = calibration_error_interval(p, y, edges, generator, resamples=300)
        covered += lower <= error <= upper
    assert covered / studies >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / studies)


def test_interval_of_counts_is_that_of_repeated_rows():
    generator = np.random.default_rng(4)
    p, y, counts = generator.random(12), generator.integers(0, 2, 12), generator.integers(1, 40, 12)
    edges = equal_width_edges(5)
    bounds = calibration_error_interval(p, y, edges, generator, resamples=20_000, counts=counts)
    long = np.repeat(p, counts), np.repeat(y, counts)
    repeated = calibration_error_interval(*long, edges, generator, resamples=20_000)
    assert bounds == pytest.approx(repeated, abs=0.004)


def test_interval_of_one_option_pair_is_that_of_the_event():
    p, _, y = simulated(np.random.default_rng(5), 200, 0.1)
    edges = equal_width_edges(7)
    one = calibration_error_interval(p, y, edges, np.random.default_rng(6))
    stated = np.stack([1 - p, p], axis=1)
    both = classwise_calibration_error_interval(
        stated, y.astype(int), [edges, edges], np.random.default_rng(6)
    )
    assert both == pytest.approx(one)


def test_clusters_widen_the_interval():
    """Scenarios in which all people answer alike: the interval is that of the scenarios."""
    generator = np.random.default_rng(7)
    p, _, y = simulated(generator, 60, 0.1)
    clusters = np.repeat(np.arange(60), 20)
    edges = equal_width_edges(4)
    alone = calibration_error_interval(p, y, edges, np.random.default_rng(8), resamples=4000)
    together = calibration_error_interval(
        np.repeat(p, 20),
        np.repeat(y, 20),
        edges,
        np.random.default_rng(8),
        resamples=4000,
        clusters=clusters,
    )
    assert together == pytest.approx(alone, abs=1e-9)
    ignored = calibration_error_interval(
        np.repeat(p, 20), np.repeat(y, 20), edges, np.random.default_rng(8), resamples=500
    )
    assert np.ptp(ignored) < 0.5 * np.ptp(together)


def test_clusters_of_counts_are_clusters_of_repeated_rows():
    generator = np.random.default_rng(12)
    p, y, counts = generator.random(30), generator.integers(0, 2, 30), generator.integers(1, 9, 30)
    clusters, edges = generator.integers(0, 8, 30), equal_width_edges(5)
    grouped = calibration_error_interval(
        p, y, edges, np.random.default_rng(13), counts=counts, clusters=clusters
    )
    p, y, clusters = (np.repeat(column, counts) for column in (p, y, clusters))
    repeated = calibration_error_interval(p, y, edges, np.random.default_rng(13), clusters=clusters)
    assert grouped == pytest.approx(repeated, abs=1e-12)


def test_calibrated_replicates_give_a_test_of_the_right_size_and_power():
    generator, edges, studies = np.random.default_rng(9), equal_width_edges(10), 600
    rejected = {0.0: 0, 0.2: 0}
    for shift in rejected:
        for _ in range(studies if shift == 0 else 100):
            p, _, y = simulated(generator, 200, shift)
            null = calibrated_error_replicates(p, edges, generator, 199)
            p_value = (1 + (null >= ece(p, y, edges) - 1e-12).sum()) / 200
            rejected[shift] += p_value <= 0.05
    assert rejected[0.0] / studies == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / studies))
    assert rejected[0.2] / 100 > 0.7


def test_spiegelhalter_test_has_the_right_size_and_power():
    generator, studies = np.random.default_rng(10), 2000
    p_values = np.array(
        [spiegelhalter_test(*simulated(generator, 500, 0.0)[::2])[1] for _ in range(studies)]
    )
    share = np.mean(p_values <= 0.05)
    assert share == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / studies))
    sharp = [generator.beta(0.5, 0.5, 500) for _ in range(50)]
    wrong = [spiegelhalter_test(p, generator.random(500) < (p + 0.5) / 2)[1] for p in sharp]
    assert np.mean(np.array(wrong) <= 0.05) > 0.95


def test_many_respondents_of_few_patterns_are_cheap():
    """100,000 people in 40 cells: the replicates' time depends on the cells."""
    generator = np.random.default_rng(11)
    p = np.repeat(np.linspace(0.05, 0.95, 20), 2)
    counts = np.where(np.arange(40) % 2, 5000 * p, 5000 * (1 - p)).round().astype(int)
    lower, upper = calibration_error_interval(
        p, np.arange(40) % 2, equal_width_edges(10), generator, counts=counts
    )
    assert counts.sum() == 100_000
    assert lower == 0
    assert 0 < upper < 0.01


def test_brier_score_by_hand_and_its_extremes():
    assert brier_score([[1, 0, 0]], [0]) == 0
    assert brier_score([[1, 0, 0]], [1]) == 2
    stated, truth = [[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]], [2, 1]
    first, second = 0.04 + 0.09 + 0.25, 0.36 + 0.36
    assert brier_score(stated, truth) == pytest.approx((first + second) / 2)
    weighted = brier_score(stated, truth, counts=[3, 1], weights=[1.0, 2.0])
    assert weighted == pytest.approx((3 * first + 2 * second) / 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: brier_score([[0.5, 0.5]], [2]), r"indices in 0\.\.1"),
        (lambda: brier_score([[0.5, 0.5]], [0, 1]), r"indices in 0\.\.1"),
        (lambda: brier_score([[1.5, -0.5]], [0]), "not negative"),
        (lambda: brier_score([[np.nan, 0.5]], [0]), "finite"),
        (lambda: brier_score([[0.5, 0.5]], [0], counts=[0]), "counts must be positive"),
        (lambda: brier_score([[0.5, 0.5]], [0], weights=[1, 2]), "weights must be positive"),
        (lambda: brier_score([[1.2, 0.5]], [0]), "exceeds 1"),
        (lambda: normalised([[0.2, 0.3], [0.0, 0.0]]), "row 1 states probability 0"),
        (lambda: equal_width_edges(0), "at least one bin"),
        (lambda: reliability([0.5], [1], [0, 0.6, 0.4, 1]), "not decrease"),
        (lambda: reliability([0.5], [1], [0, 1], "both"), "closed on the left or on the right"),
        (lambda: reliability([0.5], [0.5], [0, 1]), "0 or 1"),
        (lambda: classwise_reliability([[0.5, 0.5]], [0], 5, "even"), "equal_width or equal_mass"),
        (lambda: spiegelhalter_test([0.5, 1.0], [1, 1]), "other than"),
        (lambda: median_variance_bins([[0.5, 0.5]], 0), "at least one person"),
        (
            lambda: calibration_error_interval(
                [0.5], [1], [0, 1], np.random.default_rng(0), counts=[1.5]
            ),
            "whole-number counts",
        ),
        (
            lambda: calibration_error_interval(
                [0.5], [1], [0, 1], np.random.default_rng(0), clusters=["a", "b"]
            ),
            "one cluster label per row",
        ),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
