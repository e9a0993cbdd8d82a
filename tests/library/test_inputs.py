"""Labels, masks, sizes, and options that not every scenario has; and what each refusal says."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq

import fidelity
from fidelity import inputs
from fidelity.baselines.from_answers import persistence, pooled
from fidelity.levels import rational
from fidelity.prediction import prediction_intervals

PEOPLE = pd.DataFrame(
    {"no": [70, 20, 5], "unsure": [20, 30, 15], "yes": [10, 50, 80]}, ["tax", "war", "school"]
)
STATED = pd.DataFrame(
    {"no": [0.6, 0.3, 0.1], "unsure": [0.3, 0.3, 0.2], "yes": [0.1, 0.4, 0.7]}, PEOPLE.index
)
SCORES = pd.Series({"no": -1.0, "unsure": 0.0, "yes": 1.0})
MEAN = {"confidence_set": "hoeffding", "discrepancy": "absolute"}


def hoeffding_upper(mean, stated, n, gamma, low=-1.0, high=1.0):
    """Return the distance of ``stated`` from the far end of Hoeffding's interval."""
    half = (high - low) * np.sqrt(np.log(2 / (1 - gamma)) / (2 * n))
    ends = np.maximum(mean - half, low), np.minimum(mean + half, high)
    return np.maximum(np.abs(ends[0] - stated), np.abs(ends[1] - stated))


def test_labels_and_not_positions_decide_what_goes_together():
    """Rows, columns, coverages and scores, each in another order; against the closed form."""
    gamma = pd.Series({"tax": 0.5, "war": 0.7, "school": 0.9})
    n = PEOPLE.sum(axis=1)
    expected = hoeffding_upper((PEOPLE @ SCORES) / n, STATED @ SCORES, n, gamma)
    upper = fidelity.pseudo_discrepancy(
        PEOPLE,
        STATED.loc[["school", "tax", "war"], ["yes", "no", "unsure"]],
        scores=SCORES[["unsure", "yes", "no"]],
        gamma=gamma[["war", "school", "tax"]],
        **MEAN,
    ).upper
    np.testing.assert_allclose(upper, expected, rtol=1e-12)
    assert type(upper) is np.ndarray


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        (STATED.rename(columns={"yes": "agree"}), "q must have the same column labels as counts"),
        (STATED.rename({"war": "peace"}), "q must have the same row labels as counts.*'peace'"),
        (STATED.reset_index(drop=True), "q must have the same row labels as counts"),
        (STATED.loc[["tax", "war", "war"]], "q must have the same row labels as counts"),
        (STATED.loc[["tax", "war", "school", "tax"]], "same order, since some of them repeat"),
    ],
)
def test_tables_with_other_labels_are_refused(stated, message):
    with pytest.raises(ValueError, match=message):
        fidelity.pseudo_discrepancy(PEOPLE, stated, scores=SCORES, gamma=0.5, **MEAN)


def test_labels_that_repeat_are_taken_in_the_same_order_only():
    upper, gamma = pd.Series([0.1, 0.4], ["a", "a"]), pd.Series([0.5, 0.9], ["a", "a"])
    expected = fidelity.quantile_curve([0.1, 0.4], [0.5, 0.9], [0.5])
    np.testing.assert_array_equal(fidelity.quantile_curve(upper, gamma, [0.5]), expected)


class Columns:
    """A table with named columns and no index, as polars has."""

    def __init__(self, **columns):
        """Keep the columns by name."""
        self.columns = list(columns)
        self.values = list(columns.values())

    def __array__(self, dtype=None, copy=None):
        """Return rows × columns."""
        return np.array(self.values, dtype).T


def test_named_columns_are_enough():
    stated = Columns(yes=[0.1, 0.4, 0.7], unsure=[0.3, 0.3, 0.2], no=[0.6, 0.3, 0.1])
    found = fidelity.pseudo_discrepancy(PEOPLE, stated, scores=SCORES, gamma=0.5, **MEAN)
    expected = fidelity.pseudo_discrepancy(PEOPLE, STATED, scores=SCORES, gamma=0.5, **MEAN)
    np.testing.assert_array_equal(found, expected)


def test_missing_entries_of_other_tables_are_missing():
    """pandas' own whole numbers with NA, and numbers kept as objects."""
    counts = pd.DataFrame(SOME, dtype="Int64")
    assert counts.isna().to_numpy().sum() == 3
    how = {"confidence_set": "witness", "discrepancy": "tv", "gamma": 0.5}
    expected = fidelity.pseudo_discrepancy(SOME, FIRST, **how)
    others = counts.astype(object), counts.to_numpy(object, na_value=None)
    for table in (counts, *others, np.ma.masked_invalid(SOME)):
        found = fidelity.pseudo_discrepancy(table, FIRST, **how)
        np.testing.assert_array_equal(found, expected)


def test_an_order_of_simulators_has_the_same_labels_on_both_sides():
    order = pd.DataFrame([[False, True], [False, False]], ["a", "b"], ["a", "b"])
    ranks = fidelity.rank_intervals(order[["b", "a"]])
    assert ranks.tolist() == [[1, 1], [2, 2]]
    with pytest.raises(ValueError, match="same row and column labels"):
        fidelity.rank_intervals(order.rename(columns={"a": "c"}))
    with pytest.raises(ValueError, match="better than each other"):
        fidelity.rank_intervals(order | order.T)


def test_baselines_are_matched_by_their_labels():
    """By hand: the other scenario of each topic, and the year before."""
    topic = pd.Series({"school": "b", "tax": "a", "war": "a"})
    by_hand = PEOPLE.loc[["war", "tax"]].div(PEOPLE.sum(axis=1), axis=0).loc[["war", "tax"]]
    np.testing.assert_allclose(pooled(PEOPLE, topic)[:2], by_hand)
    year = pd.Series({"war": 2001, "tax": 2000, "school": 2002})
    series = pd.Series(dict.fromkeys(PEOPLE.index, "only"))
    found = persistence(PEOPLE, series, year)
    np.testing.assert_allclose(found[1:], PEOPLE.div(PEOPLE.sum(axis=1), axis=0)[:2])
    with pytest.raises(ValueError, match=r"cluster must be .* none of them missing"):
        pooled(PEOPLE, ["a", None, "b"])


@pytest.mark.slow
def test_pandas_is_not_imported_for_it():
    program = """
import sys, fidelity
how = {"confidence_set": "witness", "discrepancy": "tv", "gamma": 0.5}
fidelity.pseudo_discrepancy([[3, 7]], [[0.5, 0.5]], **how)
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


NOTHING = np.nan
SOME = np.array([[30, 10, 5, 3], [12, 8, NOTHING, NOTHING], [4, NOTHING, 9, 7], [40, 2, 2, 1]])
FIRST = np.array(
    [
        [0.4, 0.3, 0.2, 0.1],
        [0.3, 0.7, NOTHING, NOTHING],
        [0.5, NOTHING, 0.25, 0.25],
        [0.25, 0.25, 0.25, 0.25],
    ]
)
SECOND = np.where(np.isnan(FIRST), NOTHING, 1.0) / (~np.isnan(FIRST)).sum(1)[:, None]
OWN_SCORES = np.where(np.isnan(FIRST), NOTHING, [0.0, 1.0, 2.0, 5.0])
GAMMA = np.array([0.5, 0.6, 0.7, 0.8])


def without_padding(function, *tables, **how):
    """Return the results of calls with the scenarios of SOME that have the same options."""
    found = np.empty((3, len(SOME)))
    for rows in ([0, 3], [1], [2]):
        there = ~np.isnan(SOME[rows[0]])
        own = [table[np.ix_(rows, there)] for table in tables]
        scores = OWN_SCORES[rows[0], there]
        found[:, rows] = function(*own, scores=scores, gamma=GAMMA[rows], **how)
    return found


@pytest.mark.sampled
@pytest.mark.parametrize("discrepancy", ["tv", "w1", "absolute"])
@pytest.mark.parametrize("confidence_set", ["multinomial_kl_paper", "witness"])
def test_options_that_a_scenario_lacks_change_nothing(confidence_set, discrepancy):
    how = {"confidence_set": confidence_set, "discrepancy": discrepancy}
    single, pair = fidelity.pseudo_discrepancy, fidelity.pairwise_pseudo_discrepancy
    found = single(SOME, FIRST, scores=OWN_SCORES, gamma=GAMMA, **how)
    np.testing.assert_array_equal(found, without_padding(single, SOME, FIRST, **how))
    compared = pair(SOME, FIRST, SECOND, scores=OWN_SCORES, gamma=GAMMA, **how)
    np.testing.assert_array_equal(compared, without_padding(pair, SOME, FIRST, SECOND, **how))
    padded = [np.nan_to_num(table) for table in (SOME, FIRST, OWN_SCORES)]
    masked = single(*padded[:2], scores=padded[2], gamma=GAMMA, options=~np.isnan(SOME), **how)
    np.testing.assert_array_equal(masked, found)


def test_an_option_that_nobody_could_choose_widens_no_set():
    """Two options of three: the distance to the far end of {u : KL(12/20 ‖ u) ≤ log(2/δ)/20}."""

    def excess(u):
        return 0.6 * np.log(0.6 / u) + 0.4 * np.log(0.4 / (1 - u)) - np.log(2 / 0.5) / 20

    ends = brentq(excess, 1e-9, 0.6), brentq(excess, 0.6, 1 - 1e-9)
    expected = max(abs(end - 0.3) for end in ends)
    how = {"confidence_set": "multinomial_kl_paper", "discrepancy": "tv", "gamma": 0.5}
    found = fidelity.pseudo_discrepancy([[12, 8, NOTHING]], [[0.3, 0.7, NOTHING]], **how)
    assert found.upper[0] == pytest.approx(expected, rel=1e-9)
    padded = fidelity.pseudo_discrepancy([[12, 8, 0]], [[0.3, 0.7, 0]], **how)
    assert padded.upper[0] > expected + 0.05


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": np.nan_to_num(SOME)}, r"same options of each scenario.*counts\[1, 2\] is 0"),
        ({"q": np.nan_to_num(FIRST)}, r"same options of each scenario.*q\[1, 2\] is 0"),
        ({"options": np.ones((4, 4), bool)}, "counts must be numbers where options is True"),
        ({"options": np.isnan(SOME)}, "counts must be numbers where options is True"),
        ({"options": SOME > 30}, "counts must be numbers where options is True"),
        ({"options": SOME}, "options must be a table of entries 0 or 1"),
        ({"counts": SOME[:, :2], "q": FIRST[:, :2]}, "counts must have at least 2 options"),
        ({"scores": np.arange(3)}, "scores must be a vector of 4"),
    ],
)
def test_options_that_do_not_fit_are_refused(change, message):
    given = {"counts": SOME, "q": FIRST, "confidence_set": "witness", "discrepancy": "tv"}
    with pytest.raises(ValueError, match=message):
        fidelity.pseudo_discrepancy(**given | {"gamma": 0.5} | change)


def test_ranges_and_sets_of_scenarios_that_lack_options():
    lower, upper = prediction_intervals(FIRST, 0.15, discrepancy="tv")[:2]
    np.testing.assert_allclose(upper, np.minimum(FIRST + 0.15, 1))
    np.testing.assert_allclose(lower, np.maximum(FIRST - 0.15, 0))
    shares = SOME / np.nansum(SOME, axis=1, keepdims=True)
    distance = np.nansum(np.abs(shares - FIRST), axis=1) / 2
    for bound in (distance - 1e-9, distance + 1e-9):
        inside = fidelity.in_scenario_set(shares, FIRST, bound, "tv")
        np.testing.assert_array_equal(inside, distance <= bound)


def test_shares_are_no_counts_and_need_the_number_of_people():
    """Taken as one answer each, they gave .9 where 100 people give Hoeffding's .40 + .083."""
    shares, stated = np.array([[0.1, 0.9]]), np.array([[0.5, 0.5]])
    with pytest.raises(ValueError, match=r"counts must be whole.*counts\[0, 0\] is 0\.1.*sizes"):
        fidelity.pseudo_discrepancy(shares, stated, gamma=0.5, **MEAN)
    for sizes in (100, [100], np.array([100.0])):
        found = fidelity.pseudo_discrepancy(shares, stated, gamma=0.5, sizes=sizes, **MEAN)
        assert found.upper[0] == pytest.approx(hoeffding_upper(0.9, 0.5, 100, 0.5, 0.0))
    weighted = fidelity.pseudo_discrepancy(7.3 * shares, stated, gamma=0.5, sizes=100, **MEAN)
    np.testing.assert_allclose(weighted, found, rtol=1e-14)


def test_a_worth_in_people_needs_their_number_too():
    people, answers = np.array([[0.25, 0.75]] * 6), np.full((6, 2), 20)
    with pytest.raises(ValueError, match=r"human_counts must be whole.*human_sizes"):
        fidelity.equivalent_human_sample_size(people, answers)
    found = fidelity.equivalent_human_sample_size(people, answers, human_sizes=80)
    counted = fidelity.equivalent_human_sample_size(80 * people, answers)
    np.testing.assert_array_equal(found.scenario_miss, counted.scenario_miss)


def test_probabilities_that_do_not_sum_to_one_are_refused():
    """1.1e-5 too much passed; what float32 rounds is at most 3e-7."""
    how = {"confidence_set": "multinomial_kl", "discrepancy": "kl", "gamma": 0.5}
    counts = np.full((1, 3), 10)
    for wrong in (1.1e-5, -1.1e-5, 2e-6):
        with pytest.raises(ValueError, match="q must be probabilities that sum to 1"):
            fidelity.pseudo_discrepancy(counts, [[0.2, 0.3, 0.5 + wrong]], **how)
    generator = np.random.default_rng(0)
    for d in (3, 12, 40):
        weights = np.exp(generator.normal(size=(500, d)).astype(np.float32))
        q = weights / weights.sum(1, keepdims=True)
        assert q.dtype == np.float32
        inputs.sums_to_one("q", inputs.array("q", q))


def test_float32_is_read_as_the_decimal_that_it_prints_as():
    values = np.array([0.1, 0.3, 0.9, 1e-9, 0.0, -2.5, 1e8, np.inf])
    np.testing.assert_array_equal(inputs.array("x", values.astype(np.float32)), values)
    drawn = np.random.default_rng(0).random(1000).astype(np.float32)
    np.testing.assert_array_equal(inputs.array("x", drawn).astype(np.float32), drawn)
    assert rational(np.float32(0.9)) == Fraction(9, 10)
    upper = np.arange(1.0, 11.0)
    assert fidelity.quantile_curve(upper, np.float32(0.9), [0.0]) == [1.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radius": np.inf}, "radius must be a positive finite number"),
        ({"limits": (-np.inf, np.inf)}, "hoeffding does not bound absolute of real outcomes"),
        ({"limits": (0.0, np.inf)}, "limits must be a vector of 2 finite numbers"),
        ({"limits": (0.0, 0.5)}, "limits must enclose all scores; 0 and 0.5 do not"),
        ({"gamma": 2}, "gamma must be a number strictly between 0 and 1"),
        ({"gamma": [0.5, 0.5]}, "gamma must be .* a vector of 1, not of shape"),
    ],
)
def test_infinite_and_impossible_settings_are_refused(change, message):
    given = {"counts": [[3, 7]], "q": [[0.5, 0.5]], "gamma": 0.5, **MEAN}
    with pytest.raises(ValueError, match=message):
        fidelity.pseudo_discrepancy(**given | change)


UPPER = [0.1, 0.2, 0.3, 0.4]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fidelity.exact_curve(UPPER, [0.5] * 4, 0.9, [0.5], 0.05),
            "gamma must be .* 0.5",
        ),
        (lambda: fidelity.exact_level(12, 0.5, 2.5, 0.05), "rank must be a whole number in 1..12"),
        (lambda: fidelity.resample([0.5, -0.1, 0.6], 9, stream()), r"share\[1\] is -0.1"),
        (lambda: fidelity.resample([0.0, 0.0], 9, stream()), "share must have a number above 0"),
        (lambda: fidelity.resample([[0.5, 0.5]], 9, stream()), "share must be a vector"),
        (lambda: fidelity.subsample([3, 4], 8, stream()), "size must be a whole number in 0..7"),
        (lambda: fidelity.subsample([1e20, 4], 8, stream()), "counts must add up to less than"),
        (lambda: diagram([0.0, np.nan, 1.0]), r"edges must be .* edges\[1\] is nan"),
        (lambda: diagram([0.0, 0.5]), "edges must go from 0 to 1"),
        (lambda: grouped(["a", None, "b", "b"]), "clusters must be .* none of them missing"),
        (lambda: grouped(["a", np.nan, "b", "b"]), "clusters must be .* none of them missing"),
        (lambda: grouped([0, np.nan, 1, 1]), "clusters must be .* none of them missing"),
        (lambda: grouped(np.array([0, "NaT", 1, 1], "M8[Y]")), "clusters must be .* missing"),
        (lambda: grouped(pd.Series(["a", pd.NA, "b", "b"])), "clusters must be .* missing"),
        (lambda: grouped(masked(["a", "a", "b", "b"])), "clusters must be .* missing"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def stream():
    return np.random.default_rng(0)


def masked(values):
    return np.ma.array(values, mask=[True, False, False, False])


def diagram(edges):
    return fidelity.reliability(UPPER, [0, 1, 0, 1], edges)


def grouped(clusters):
    return fidelity.intraclass_correlation(UPPER, clusters)


def test_betting_on_more_answers_than_memory_holds_is_refused():
    with pytest.raises(ValueError, match=r"at most 10,000,000 .* not to 1,000,000,000,007"):
        fidelity.pseudo_discrepancy(
            [[7, 10**12]], [[0.5, 0.5]], gamma=0.5, confidence_set="betting", discrepancy="absolute"
        )


def test_what_takes_a_table_says_which_part_of_an_object_is_one():
    how = {"confidence_set": "witness", "discrepancy": "tv", "gamma": 0.5}
    with pytest.raises(TypeError, match=r"q must be numbers, not Simulator: give its \.shares"):
        fidelity.pseudo_discrepancy([[3, 4]], fidelity.Simulator([[0.5, 0.5]]), **how)
    with pytest.raises(TypeError, match=r"not Responses: give its \.counts"):
        fidelity.pseudo_discrepancy(fidelity.Responses([[3, 4]]), [[0.5, 0.5]], **how)


def test_labels_are_numbered_as_by_numpy():
    generator = np.random.default_rng(2)
    for labels in (
        generator.integers(-5, 9, 40).astype(np.int8),
        generator.integers(0, 200, 300).astype(np.uint8),
        2**63 + generator.integers(0, 9, 40).astype(np.uint64),
        np.array([-(2**63), 2**63 - 1, 0, 0]),
        np.array([127, -128, 3] * 90, np.int8),
        np.array(["b", "a", "b"]),
        generator.normal(size=9).round(),
    ):
        expected = np.unique(labels, return_inverse=True, return_counts=True)
        for array, wanted in zip(inputs.numbered(labels), expected, strict=True):
            assert array.tolist() == wanted.tolist()
        assert inputs.numbered(labels)[0].dtype == labels.dtype
