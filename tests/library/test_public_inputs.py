"""Every public function, called with what users pass by mistake: right answer or one clear error.

CASES has a call that works for each public name, with a value for each of its parameters: one that
the name of a parameter has in all functions, but for those in OTHERWISE. Every argument is then
changed in turn. As a list, a tuple, float32, integers or a labelled table, in any
order of its labels, it must give the answer of the plain call. Transposed, with missing numbers,
negative, empty, too short or of another kind, it must give that answer or a ValueError or TypeError
that the library raises itself and that names the argument; a warning is not enough.
"""

import inspect
import linecache
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fidelity
from fidelity.calibration.cases import UnnormalisedProbabilities
from fidelity.calibration.kernel import PredictionKernel, StatedProbabilities

PACKAGE = Path(fidelity.__file__).parent
M = 12
STREAM = np.random.default_rng(1)
COUNTS = STREAM.multinomial(40, [0.5, 0.3, 0.2], M).astype(float)
Q = np.array([[0.5, 0.25, 0.25], [0.1, 0.3, 0.6], [0.7, 0.2, 0.1]])[np.arange(M) % 3]
UPPER, OTHER = np.round(STREAM.uniform(0.05, 0.95, (2, M)), 3)
COVERAGE = np.array([0.5, 0.6, 0.75, 0.9])[np.arange(M) % 4]
CLUSTERS = np.array(["a", "b", "c", "d"])[np.arange(M) // 3]
TWO = np.stack([UPPER, OTHER, np.roll(UPPER, 1)], axis=1)
SCORES = np.array([-1.0, 0.25, 1.0])
WEIGHTS = np.arange(1.0, M + 1)
PEOPLE = 1.0 + np.arange(M) % 4
TRUTH = np.arange(M) % 3
CONFIDENCE = np.round(STREAM.uniform(0.02, 0.98, M), 4)
OUTCOME = np.arange(M) % 2.0
EDGES = np.array([0.0, 0.25, 0.5, 1.0])
SAMPLES = np.array([f"question {i}" for i in range(M)])
TAU = np.array([0.25, 0.5, 0.9])
SIMILARITY = np.round(np.exp(-np.abs(np.subtract.outer(np.arange(M + 1), np.arange(M + 1))) / 9), 2)
PROBABILITIES = {"alpha", "confidence", "eta", "gamma", "level", "power", "probability"}


@dataclass(frozen=True)
class Made:
    """An argument that is made anew for each call, as a source of randomness must be."""

    make: Callable[[], Any]


BOUNDS = np.round(np.sort(STREAM.uniform(0.0, 0.9, (M, 3)), axis=1), 3)
OBJECTS = ("counts", "scores", "sizes", "options")
OF_TARGETS = ("clusters", "respondents")
OF_RESPONSES = (*OBJECTS, "squares", *OF_TARGETS)
OF_SIMULATORS = {"simulator": ("draws", "runs", "unanswered"), "other": ("other_draws",)}
SEVERAL = ("mean_differences", "mean_discrepancies")
TAKES_UNANSWERED = "scenario_p_values"
# A value, and the parameters that take it in each function, unless OTHERWISE has another one.
VALUES = [
    (COUNTS, "counts human_counts"),
    (np.roll(COUNTS, 1, 0), "simulated_counts"),
    (2.0 * COUNTS, "squares"),
    (Q, "simulator probability p q q1 u"),
    (np.roll(Q, 1, 0), "other q2"),
    (Q[0], "share"),
    (np.ones((M, 3), bool), "options"),
    (SCORES, "scores"),
    (UPPER, "upper lower values bound loc p_values unanswered"),
    (UPPER - 0.5, "pairwise_upper"),
    (OTHER, "delta q_mean"),
    (COVERAGE, "gamma_j"),
    (CLUSTERS, "clusters groups runs"),
    (np.roll(CLUSTERS, 2), "other_clusters"),
    (SAMPLES, "questions respondents samples"),
    (WEIGHTS, "missed weights"),
    (10.0 + WEIGHTS, "sizes"),
    (30.0 + WEIGHTS, "human_sizes"),
    (1.0 + WEIGHTS / 8, "design_effects"),
    (20.0 * PEOPLE, "draws"),
    (30.0 * PEOPLE, "other_draws"),
    (TRUTH, "truth"),
    (CONFIDENCE, "confidence"),
    (OUTCOME, "outcome"),
    (EDGES, "edges"),
    (TAU, "tau levels"),
    (SIMILARITY, "similarity"),
    (np.round(STREAM.random((M, 2)), 3), "excess"),
    (np.array([100.0, 1000.0]), "n"),
    (np.array([50.0, 200.0]), "k"),
    (np.array([1.0, 2.0]), "new_weight"),
    (np.array([0.2, 0.6]), "tolerances"),
    (Made(lambda: np.random.default_rng(7)), "generator"),
    (Made(lambda: fidelity.Costs(20.0, 1.0, 0.5)), "costs"),
    (Made(lambda: fidelity.Pilot(Q, np.roll(Q, 1, 0), "tv", "witness", "0.9")), "pilot"),
    (Made(lambda: StatedProbabilities(Q, TRUTH, PredictionKernel())), "predictions"),
    (Made(lambda: fidelity.simultaneous_differences(TWO)), "differences"),
    (Made(lambda: fidelity.reliability(CONFIDENCE, OUTCOME, EDGES)), "diagram"),
    (Made(lambda: sample_size()), "result"),
    (PredictionKernel(), "kernel"),
    (lambda weights: UPPER @ weights / weights.sum(0), "statistic"),
    ([0.5, 1.0], "starts"),
    ((-2.0, 2.0), "limits"),
    (None, "betting factors fixed radius replicates sigma"),
    (True, "alike dependent"),
    (False, "smoothed"),
    (0, "seed"),
    (2, "shared simulators"),
    (3, "d k_min orders"),
    (4, "bins"),
    (10, "splits"),
    (11, "rank"),
    (12, "m"),
    (20, "k_max resamples size"),
    (50, "sample_size"),
    (0.05, "eta"),
    (0.1, "effect se"),
    (0.2, "tolerance"),
    (0.25, "alpha"),
    (0.5, "draw tail threshold variance width"),
    (0.6, "floor"),
    (0.8, "power"),
    (0.9, "entry gamma level"),
    (1.0, "answer"),
    (2.0, "scale span"),
    (3.0, "dilation"),
    (7.0, "n_clusters"),
    (9.0, "df"),
    (20.0, "scenario"),
    (30.0, "se_df variance_df"),
    ("absolute", "discrepancy"),
    ("cr1", "estimator"),
    ("equal_mass", "rule"),
    ("exponential", "shape"),
    ("hoeffding", "confidence_set interval"),
    ("new", "target"),
    ("normal", "family"),
    ("right", "closed"),
    ("tv", "distance"),
    ("weights", "index"),
    ("witness", "human"),
    ("1/2", "exponent"),
]
USUAL = {name: value for value, names in VALUES for name in names.split()}
# Arguments that may be negative, which gives another answer.
REAL = {"upper", "lower", "pairwise_upper", "scores", "values", "limits", "threshold", "effect"}
REAL |= {"delta", "loc", "q_mean", "excess", "*resamples[0]", "*resamples[1]"}
# How an error may name an argument otherwise.
SAID = {"other_draws": "draws", "tolerances": "tolerance", "entry": "gamma"}
SAID |= {"*resamples[0]": "resamples", "*resamples[1]": "resamples"}
ENVELOPE = {"gamma": (0.5, 0.8, 0.95), "eta": 0.2, "shared": 1}
ENVELOPE |= {"upper": BOUNDS, "lower": BOUNDS, "pairwise_upper": BOUNDS - 0.5}
ENVELOPE |= {"loose": ("upper", "lower", "pairwise_upper")}
BY_CASE = {"gamma": COVERAGE}
OF_CASES = {"counts": PEOPLE}
ANY_MISSED = {"m": 40, "missed": WEIGHTS, "any_shape": ("missed",), "loose": ("missed",)}
TWO_SCORES = {"scores": UPPER, "other": OTHER, "real": ("other",)}
OF_TWO = {"parts": ("squares", "draws", "other_draws")}


def sample_size() -> object:
    return fidelity.equivalent_human_sample_size(COUNTS, COUNTS, SCORES, orders=3)


# What differs: values, and fields of Case.
OTHERWISE = {
    "StatedProbabilities": {**OF_CASES, "target": np.eye(3), "either_way": ("target",)},
    "Pilot": {"q": np.roll(Q, 1, 0), "confidence_set": "witness"},
    "area_under_curve": {**BY_CASE, "positive": ("upper",)},
    "block_test": {"order": np.arange(12.0), "size": 2, "loose": ("order",)},
    "brier_decomposition": OF_CASES,
    "brier_score": OF_CASES,
    "calibrated_error_replicates": {**OF_CASES, "closed": "left"},
    "calibration_error_bar": {**OF_CASES, "resamples": 50},
    "certified_closer_share": ANY_MISSED,
    "certified_envelope_share": ENVELOPE,
    "certified_sample_size": {"eta": 0.5},
    "certified_scenarios": {"p_values": UPPER / 10.0, "level": 0.2, "dependent": False},
    "closer_share": BY_CASE,
    "closer_share_p_value": {**ANY_MISSED, "share": 0.5},
    "cluster_bootstrap": {"loose": ("clusters",)},
    "cluster_weights": {
        "target": {"a": 1.0, "b": 2.0, "c": 0.0, "d": 4.0},
        "loose": ("clusters",),
    },
    "clustered_test": {"clusters": np.repeat(list("abcdef"), 2), "resamples": 50},
    "confidence_radius": {
        **{"n": WEIGHTS, "gamma": COVERAGE, "confidence_set": "multinomial_kl"},
        **{"any_shape": ("n", "gamma"), "said": {"gamma": "shapes", "n": "shapes"}},
    },
    "conformal_bound": {"alpha": 0.5, "clusters": None},
    "difference_bounds": OF_TWO,
    "discrepancy_bounds": {"parts": ("squares", "draws")},
    "effective_clusters": {"loose": ("clusters",)},
    "empirical_quantile": {"alpha": TAU},
    "envelope_closer_share": ENVELOPE,
    "envelope_curve": {**ENVELOPE, "positive": ("upper",)},
    "equal_mass_edges": {**OF_CASES, "closed": "left"},
    "equivalent_human_sample_size": {"alpha": 0.1, "gamma": 0.5},
    "exact_curve": {"gamma": 0.5},
    "exact_envelope_curve": {**ENVELOPE, "positive": ("upper",)},
    "held_out_coverage": {**BY_CASE, "alpha": 0.2},
    "in_scenario_set": {"q": np.roll(Q, 1, 0)},
    "interval_coverage": {
        **{"scale": WEIGHTS, "outcome": OTHER, "counts": PEOPLE},
        **{"confidence": 0.9, "real": ("outcome",)},
    },
    "localised_bound": {"alpha": 0.5, "loose": ("upper",), "either_way": ("similarity",)},
    "log_score": OF_CASES,
    "lower_envelope_curve": {**ENVELOPE, "positive": ("lower",)},
    "lower_quantile_curve": BY_CASE,
    "mean_difference": OF_TWO,
    "mean_differences": OF_TWO,
    "mean_discrepancies": {"parts": ("squares", "unanswered")},
    "mean_discrepancy": {"parts": ("squares", "draws", "runs")},
    "mean_error_bar": {"scores": UPPER, "any_shape": ("scores",)},
    "minimum_detectable_effect": {"m": 40.0, "alpha": 0.05},
    "new_cluster_exact_miss": {"loose": ("clusters",)},
    "normalised": {"loose": ("probability",), "either_way": ("probability",)},
    "paired_error_bar": {"scores": TWO, "other": np.roll(TWO, 5, 0), "real": ("other",)},
    "pairwise_pseudo_discrepancy": {**BY_CASE, "sizes": WEIGHTS},
    "paper_level": {"alpha": 0.1, "m": 100_000},
    "people_needed": {"width": 0.03, "parts": ("squares",)},
    "people_reference": {"parts": ("squares",)},
    "prediction_intervals": {"discrepancy": "tv"},
    "pseudo_discrepancy": {**BY_CASE, "sizes": WEIGHTS},
    "quantile_curve": BY_CASE,
    "rank_intervals": {"order": np.triu(np.ones((3, 3)), 1) > 0, "either_way": ("order",)},
    "reliability": OF_CASES,
    "scenario_lists": {"level": 0.2, "parts": ("unanswered",)},
    "scenario_p_values": {"parts": ("unanswered",)},
    "scenarios_needed": {"alpha": 0.05},
    "score_difference": TWO_SCORES,
    "score_error_bar": {"scores": UPPER},
    "simultaneous_differences": {"scores": TWO, "alpha": 0.1},
    "simultaneous_envelope_curve": {**ENVELOPE, "positive": ("upper",)},
    "study_error": {
        **{"any_shape": ("n", "k", "excess"), "loose": ("excess",)},
        **{"said": {"n": "shapes|excess", "k": "shapes"}},
    },
    "subsample": {"counts": COUNTS[0]},
    "tail_discrepancy": {"parts": ("squares",)},
    "tail_mean": {**BY_CASE, "positive": ("upper",)},
    "unpaired_error_bar": {
        **{**TWO_SCORES, "any_shape": ("scores", "other")},
        **{"loose": ("scores", "other", "clusters", "other_clusters")},
    },
    "value_at_risk": BY_CASE,
    "variance_components": {"*resamples[0]": TWO, "*resamples[1]": np.roll(TWO, 3, 0)[:, :2]},
    "weighted_certified_curve": {"gamma": 0.5},
    "weighted_conformal_bound": {"alpha": 0.5},
    "weighted_marginal_curve": {"gamma": 0.5},
    "weighted_quantile_curve": {**BY_CASE, "any_shape": ("weights",)},
    "clusters_needed": {"alpha": 0.05},
}


class Case:
    """A call that works: all of the function's parameters by name, and what is known of them.

    Attributes:
        arguments: values by name; ``*name[0]``, ``*name[1]`` for those taken in any number.
        rows: arguments with a row per scenario, or case; their labels decide what goes together.
        across: vectors with an entry per column of the tables.
        real: arguments that may be negative, which gives another answer.
        any_shape: arguments of any shape, which the answer takes on.
        either_way: tables that may be transposed, which says something else, but no mistake shows.
        said: how an error may name an argument otherwise.
    """

    def __init__(self, name: str) -> None:
        """Take the usual values, and what OTHERWISE has for this function."""
        given = dict(OTHERWISE.get(name, {}))
        own = {key: given.pop(key, ()) for key in ("loose", "real", "positive", "parts")}
        self.any_shape, self.either_way = given.pop("any_shape", ()), given.pop("either_way", ())
        self.said = SAID | given.pop("said", {})
        taken = [*inspect.signature(getattr(fidelity, name)).parameters]
        several = [key for key in given if key.startswith("*")]
        wanted = [key for key in taken if key != "responses" and not several]
        if "responses" in taken:
            of_people = (*OBJECTS, *own["parts"], *(OF_TARGETS if "target" in taken else ()))
            wanted = [*of_people, *wanted]
        if name in SEVERAL:
            wanted = [*wanted, "simulator", "other"]
            wanted.remove("simulators")
        self.arguments = {key: given[key] if key in given else USUAL[key] for key in wanted}
        self.arguments |= {key: given[key] for key in several}
        tables = {k: v for k, v in self.arguments.items() if isinstance(v, np.ndarray)}
        self.rows = tuple(k for k, v in tables.items() if len(v) == M and k not in own["loose"])
        self.across = tuple(k for k in tables if tables[k] is SCORES)
        self.real = REAL.union(own["real"]).difference(own["positive"])


CALLABLES = {name for name in fidelity.__all__ if callable(getattr(fidelity, name))}
CALLABLES -= {"Answers", "Responses", "Simulator"}  # in the cases of functions that take them
CASES = {name: Case(name) for name in sorted(CALLABLES)}


def call(name: str, arguments: dict[str, Any]) -> Any:
    """Return the answer; warnings are errors.

    But for the one of separate one-vs-rest probabilities, which are scored as they are.
    """
    given = {
        key: each.make() if isinstance(each, Made) else each for key, each in arguments.items()
    }
    several = [given.pop(key) for key in list(given) if key.startswith("*")]
    if "responses" in inspect.signature(getattr(fidelity, name)).parameters:
        given = with_objects(name, given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UnnormalisedProbabilities)
        return getattr(fidelity, name)(*several, **given)


def with_objects(function: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return arguments in which what is known of people, and of a simulator, is one object each."""
    kept = {"unanswered": given.pop("unanswered")} if function == TAKES_UNANSWERED else {}
    people = {key: given.pop(key) for key in OF_RESPONSES if key in given}
    simulators = {
        name: {key.removeprefix("other_"): given.pop(key) for key in keys if key in given}
        for name, keys in OF_SIMULATORS.items()
        if name in given
    }
    for name, known in simulators.items():
        given[name] = fidelity.Simulator(given[name], **known, name=name)
    if function in SEVERAL:
        given["simulators"] = {name: given.pop(name) for name in simulators}
    return {"responses": fidelity.Responses(**people), **given, **kept}


def is_clear(error: Exception, names: set[str]) -> bool:
    """Tell whether the library raised the error itself, in words that name an argument."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    raised = linecache.getline(last.filename, last.lineno).strip().startswith("raise ")
    words = str(error).replace("_", " ")
    named = any(re.search(rf"\b{re.escape(name.replace('_', ' '))}\b", words) for name in names)
    own = Path(last.filename).is_relative_to(PACKAGE)
    return type(error) in (ValueError, TypeError) and raised and own and named


def answer_or_error(name: str, arguments: dict, names: set[str]) -> tuple[str, Any]:
    """Return ("answer", it) or ("error", its words), which must be clear."""
    try:
        return "answer", call(name, arguments)
    except Exception as error:
        assert is_clear(error, names), f"{type(error).__name__}: {error}"
        return "error", str(error)


def leaves(answer: Any) -> list[np.ndarray]:
    """Return the numbers of an answer."""
    if isinstance(answer, fidelity.Pilot):
        return leaves((answer.p, answer.q, answer.checked_scores, answer.coverage, answer.kept))
    if is_dataclass(answer):
        return [leaf for each in fields(answer) for leaf in leaves(getattr(answer, each.name))]
    if isinstance(answer, dict):
        return leaves(list(answer.values()))
    if isinstance(answer, tuple | list):
        return [leaf for each in answer for leaf in leaves(each)]
    return [np.asarray(float(answer) if isinstance(answer, Fraction) else answer)]


def assert_same(answer: Any, plain: Any) -> None:
    for one, other in zip(leaves(answer), leaves(plain), strict=True):
        np.testing.assert_array_equal(one, other)


def undefined(answer: Any) -> int:
    """Return how many numbers of an answer are NaN, as on the diagonal of a matrix of pairs."""
    return sum(int(np.isnan(leaf).sum()) for leaf in leaves(answer) if leaf.dtype.kind == "f")


def tables_of(case: Case) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arguments that are arrays."""
    for name, value in case.arguments.items():
        if isinstance(value, np.ndarray):
            yield name, value


def scalars_of(case: Case) -> Iterator[tuple[str, Any]]:
    for name, value in case.arguments.items():
        if not isinstance(value, np.ndarray) and value is not None:
            yield name, value


def names_of(case: Case, name: str) -> set[str]:
    return {name, *case.said.get(name, name).split("|")}


def related(case: Case, name: str) -> set[str]:
    """Return the names by which it may be said that an argument does not fit the others."""
    return {each for other in (name, *case.rows, *case.across) for each in names_of(case, other)}


def one_missing(values: np.ndarray) -> np.ndarray:
    changed = values.astype(object if values.dtype.kind == "U" else float)
    changed[(1,) * values.ndim] = None if values.dtype.kind == "U" else np.nan
    return changed


def one_masked(values: np.ndarray) -> np.ma.MaskedArray:
    mask = np.zeros(values.shape, bool)
    mask[(1,) * values.ndim] = True
    return np.ma.array(values, mask=mask)


def labelled(values: np.ndarray, across: bool, order: np.ndarray | None = None) -> Any:
    """Return a table with labels, in another order if one is given."""
    rows = [f"row {i}" for i in range(len(values))]
    if values.ndim == 1:
        series = pd.Series(values, [f"column {i}" for i in range(len(values))] if across else rows)
        return series if order is None else series.iloc[order[: len(series)]]
    frame = pd.DataFrame(values, rows, [f"column {i}" for i in range(values.shape[1])])
    return frame if order is None else frame.iloc[order].iloc[:, ::-1]


EACH = pytest.mark.parametrize("name", sorted(CASES))
SHUFFLED = np.random.default_rng(3).permutation(M)


def test_help_names_types_of_arrays_and_does_not_spell_them_out():
    shown = [str(inspect.signature(getattr(fidelity, name))) for name in sorted(CASES)]
    assert "fidelity.arrays.ArrayLike" in "".join(shown)
    assert not any("_typing" in signature for signature in shown)


@pytest.mark.slow
@EACH
def test_lists_tuples_masked_arrays_and_other_types_of_number_give_the_same_answer(name):
    case = CASES[name]
    plain = call(name, case.arguments)
    for argument, values in tables_of(case):
        forms = [
            values.tolist(),
            tuple(values.tolist()),
            np.ma.array(values),
            values.astype(object),
        ]
        if values.dtype.kind == "f":
            forms += [values.astype(np.float32)]
            if (values % 1 == 0).all() and values.max() < 256:
                forms += [values.astype(kind) for kind in (np.int64, np.uint8)]
        for form in forms:
            assert_same(call(name, {**case.arguments, argument: form}), plain)
    for argument, value in scalars_of(case):
        forms = []
        if isinstance(value, float):
            forms = [np.float32(value), np.float64(value), np.array(value)]
        if isinstance(value, int):
            forms = [np.int32(value), float(value)]
        for form in forms:
            assert_same(call(name, {**case.arguments, argument: form}), plain)


@pytest.mark.slow
@EACH
def test_labelled_tables_are_matched_by_their_labels(name):
    case = CASES[name]
    plain = call(name, case.arguments)
    together = [each for each, values in tables_of(case) if each in (*case.rows, *case.across)]
    tables = {each: case.arguments[each] for each in together}
    ordered = {each: labelled(values, each in case.across) for each, values in tables.items()}
    shuffled = {
        each: labelled(
            values, each in case.across, SHUFFLED if len(values) == M else np.arange(3)[::-1]
        )
        for each, values in tables.items()
    }
    assert_same(call(name, case.arguments | ordered), plain)
    for first in together[:1]:
        assert_same(call(name, case.arguments | shuffled | {first: ordered[first]}), plain)
    for argument in together[1:]:
        some = {each: ordered[each] for each in together[:1]}
        assert_same(call(name, case.arguments | some | {argument: shuffled[argument]}), plain)
        strange = ordered[argument].rename(index={ordered[argument].index[0]: "another"})
        if argument in case.across and ordered[together[0]].ndim == 1:
            continue
        found = answer_or_error(
            name, case.arguments | some | {argument: strange}, names_of(case, argument)
        )
        assert found[0] == "error"
        assert "labels" in found[1]


@EACH
def test_missing_entries_are_refused(name):
    case = CASES[name]
    for argument, values in tables_of(case):
        for form in (one_missing(values), one_masked(values)):
            changed = {**case.arguments, argument: form}
            assert answer_or_error(name, changed, names_of(case, argument))[0] == "error", argument


@pytest.mark.slow
@EACH
def test_negative_numbers_are_refused_where_there_are_none(name):
    case = CASES[name]
    plain = call(name, case.arguments)
    for argument, values in tables_of(case):
        if values.dtype.kind == "f":
            changed = {**case.arguments, argument: -1.0 - values}
            kind, found = answer_or_error(name, changed, names_of(case, argument))
            if argument in case.real:
                assert kind == "error" or undefined(found) <= undefined(plain), argument
            else:
                assert kind == "error", argument


@pytest.mark.slow
@EACH
def test_infinite_numbers_give_no_undefined_answer(name):
    case = CASES[name]
    plain = call(name, case.arguments)
    for argument, values in tables_of(case):
        for infinity in (np.inf, -np.inf):
            if values.dtype.kind == "f":
                form = np.where(np.arange(len(values)) == 1, infinity, values.T).T
                changed = {**case.arguments, argument: form}
                kind, found = answer_or_error(name, changed, names_of(case, argument))
                assert kind == "error" or undefined(found) <= undefined(plain), argument


@pytest.mark.slow
@EACH
def test_empty_tables_and_tables_of_something_else_are_refused(name):
    case = CASES[name]
    for argument, values in tables_of(case):
        words = np.full(values.shape, "?")
        forms = [values[:0], [], words, words.tolist(), {"a": 1}, object(), [[1, 2], [3]]]
        if values.dtype.kind == "U":
            forms = [values[:0], [], values[0], object(), [["a", "b"], ["c"]]]
        for form in forms:
            changed = {**case.arguments, argument: form}
            kind, found = answer_or_error(name, changed, related(case, argument))
            if argument in case.any_shape and hasattr(form, "__len__") and not len(form):
                assert kind == "error" or not any(leaf.size for leaf in leaves(found))
            else:
                assert kind == "error", (argument, form)


@EACH
def test_transposed_tables_are_refused(name):
    """A vector's transpose is a column, as a table with one column is."""
    case = CASES[name]
    for argument, values in tables_of(case):
        form = values.T if values.ndim == 2 else values[:, None]
        changed = {**case.arguments, argument: form}
        kind, found = answer_or_error(name, changed, related(case, argument))
        if argument in case.either_way:
            assert kind == "answer"
        elif argument in case.any_shape and kind == "answer":
            plain = leaves(call(name, case.arguments))
            for one, other in zip(leaves(found), plain, strict=True):
                assert set(np.nan_to_num(other).flat) <= set(np.nan_to_num(one).flat)
        else:
            assert kind == "error", argument


@EACH
def test_tables_that_are_too_short_are_refused(name):
    case = CASES[name]
    together = [each for each, _ in tables_of(case) if each in (*case.rows, *case.across)]
    for argument in together if len(together) > 1 else []:
        changed = {**case.arguments, argument: case.arguments[argument][:-1]}
        assert answer_or_error(name, changed, related(case, argument))[0] == "error", argument


@pytest.mark.slow
@EACH
def test_numbers_and_names_out_of_range_are_refused(name):
    case = CASES[name]
    for argument, value in scalars_of(case):
        if isinstance(value, bool):
            continue
        forms: list[Any] = ["?", object(), [], np.nan, [0.5, 0.5, 0.5, 0.5, 0.5]]
        if isinstance(value, float | int) and argument not in case.real:
            forms += [-1.0, -3]
        if argument in PROBABILITIES:
            forms += [2, -0.5]
        if isinstance(value, int):
            forms += [2.5]
        for form in forms:
            changed = {**case.arguments, argument: form}
            assert answer_or_error(name, changed, names_of(case, argument))[0] == "error", form
