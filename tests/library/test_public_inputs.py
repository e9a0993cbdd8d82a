"""Every public function, called with what users pass by mistake: right answer or one clear error.

CASES has a call that works for each public name, with a value for each of its parameters. Every
argument is then changed in turn. As a list, a tuple, float32, integers or a labelled table, in any
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
from dataclasses import dataclass, field, fields, is_dataclass
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


@dataclass(frozen=True)
class Case:
    """A call that works.

    Attributes:
        arguments: all of the function's parameters by name; ``*name[0]``, ``*name[1]`` for those
            that it takes in any number.
        rows: arguments with a row per scenario, or case; their labels decide what goes together.
        across: vectors with an entry per column of the tables.
        real: arguments that may be negative, which gives another answer.
        any_shape: arguments of any shape, which the answer takes on.
        either_way: tables that may be transposed, which says something else, but no mistake shows.
        said: how an error may name an argument otherwise.
    """

    arguments: dict[str, Any]
    rows: tuple[str, ...] = ()
    across: tuple[str, ...] = ()
    real: tuple[str, ...] = ()
    any_shape: tuple[str, ...] = ()
    either_way: tuple[str, ...] = ()
    said: dict[str, str] = field(default_factory=dict)


RANDOM = Made(lambda: np.random.default_rng(7))
WITH_GAMMA = {"rows": ("upper", "gamma"), "real": ("upper",)}
WITH_GAMMA_J = {"rows": ("upper", "gamma_j"), "real": ("upper",)}
OF_SET = {
    "confidence_set": "hoeffding",
    "discrepancy": "absolute",
    "gamma": COVERAGE,
    "radius": None,
    "scores": SCORES,
    "limits": (-2.0, 2.0),
    "sigma": None,
    "generator": RANDOM,
    "sizes": WEIGHTS,
    "options": np.ones((M, 3), bool),
}
OF_TABLES = {"across": ("scores",), "real": ("scores", "limits")}
OF_MEAN = {
    "discrepancy": "absolute",
    "scores": SCORES,
    "sizes": 10.0 + WEIGHTS,
    "options": np.ones((M, 3), bool),
}
WEIGHTED = {**OF_MEAN, "squares": 2.0 * COUNTS}
OF_NEW = {"target": "new", "clusters": CLUSTERS, "respondents": SAMPLES, "level": 0.9}
DRAWN = {"draws": 20.0 * PEOPLE}
OF_TWO = {**DRAWN, "other": np.roll(Q, 1, 0), "other_draws": 30.0 * PEOPLE}
OBJECT_ROWS = ("counts", "simulator", "sizes", "options")
BOUNDS = np.round(np.sort(STREAM.uniform(0.0, 0.9, (M, 3)), axis=1), 3)
OF_ENVELOPE = {"upper": BOUNDS, "gamma": (0.5, 0.8, 0.95)}
CERTAIN = {"eta": 0.2, "shared": 1, "alike": True}
ACROSS = {"across": ("scores",), "real": ("scores",)}
OF_RESPONSES = ("counts", "scores", "sizes", "squares", "options", "clusters", "respondents")
OF_SIMULATORS = {"simulator": ("draws", "runs", "unanswered"), "other": ("other_draws",)}
SEVERAL = ("mean_differences", "mean_discrepancies")
TAKES_UNANSWERED = "scenario_p_values"
PILOT = Made(lambda: fidelity.Pilot(Q, np.roll(Q, 1, 0), "tv", "witness", "0.9"))
PREDICTIONS = Made(lambda: StatedProbabilities(Q, TRUTH, PredictionKernel()))
COSTS = Made(lambda: fidelity.Costs(20.0, 1.0, 0.5))


def sample_size() -> object:
    return fidelity.equivalent_human_sample_size(COUNTS, COUNTS, SCORES, orders=3)


CASES = {
    "Coverage": Case({"fixed": None, "exponent": "1/2", "floor": 0.6}),
    "Costs": Case({"scenario": 20.0, "answer": 1.0, "draw": 0.5}),
    "PredictionKernel": Case({"shape": "exponential", "distance": "tv", "scale": 2.0}),
    "StatedProbabilities": Case(
        {
            "probability": Q,
            "truth": TRUTH,
            "kernel": PredictionKernel(),
            "target": np.eye(3),
            "counts": PEOPLE,
        },
        rows=("probability", "truth", "counts"),
        either_way=("target",),
    ),
    "Pilot": Case(
        {
            "p": Q,
            "q": np.roll(Q, 1, 0),
            "discrepancy": "absolute",
            "confidence_set": "witness",
            "gamma": 0.9,
            "tail": 0.5,
            "scores": SCORES,
        },
        rows=("p", "q"),
        across=("scores",),
        real=("scores",),
    ),
    "area_under_curve": Case(
        {"upper": UPPER, "gamma": COVERAGE, "index": "weights"}, rows=("upper", "gamma")
    ),
    "asymptotic_test": Case({"predictions": PREDICTIONS, "generator": RANDOM, "resamples": 20}),
    "better": Case({"differences": Made(lambda: fidelity.simultaneous_differences(TWO))}),
    "block_test": Case(
        {"predictions": PREDICTIONS, "order": np.arange(12.0), "size": 2, "level": 0.9}
    ),
    "brier_decomposition": Case(
        {
            "probability": Q,
            "truth": TRUTH,
            "counts": PEOPLE,
            "weights": WEIGHTS,
            "bins": 5,
            "rule": "equal_mass",
            "closed": "right",
        },
        rows=("probability", "truth", "counts", "weights"),
    ),
    "brier_score": Case(
        {"probability": Q, "truth": TRUTH, "counts": PEOPLE, "weights": WEIGHTS},
        rows=("probability", "truth", "counts", "weights"),
    ),
    "calibrated_error_replicates": Case(
        {
            "confidence": CONFIDENCE,
            "edges": EDGES,
            "generator": RANDOM,
            "resamples": 20,
            "closed": "left",
            "counts": PEOPLE,
            "weights": WEIGHTS,
        },
        rows=("confidence", "counts", "weights"),
    ),
    "calibration_error_bar": Case(
        {
            "confidence": CONFIDENCE,
            "outcome": OUTCOME,
            "edges": EDGES,
            "closed": "right",
            "counts": PEOPLE,
            "weights": WEIGHTS,
            "clusters": CLUSTERS,
            "samples": SAMPLES,
            "level": 0.9,
            "generator": RANDOM,
            "resamples": 50,
        },
        rows=("confidence", "outcome", "counts", "weights", "clusters", "samples"),
    ),
    "certified_closer_share": Case(
        {"missed": WEIGHTS, "m": 40, "gamma": 0.9, "eta": 0.05, "shared": 2}, any_shape=("missed",)
    ),
    "certified_curve": Case(
        {"upper": UPPER, "gamma": 0.9, "tau": TAU, "eta": 0.05, "shared": 2},
        rows=("upper",),
        real=("upper",),
    ),
    "certified_envelope_share": Case(
        {**OF_ENVELOPE, **CERTAIN, "threshold": 0.5}, real=("upper", "threshold")
    ),
    "certified_lower_curve": Case(
        {"lower": UPPER, "gamma": 0.9, "tau": TAU, "eta": 0.05}, rows=("lower",), real=("lower",)
    ),
    "certified_sample_size": Case({"result": Made(sample_size), "eta": 0.5}),
    "certified_scenarios": Case(
        {"p_values": UPPER / 10.0, "level": 0.2, "dependent": False, "groups": CLUSTERS},
        rows=("p_values", "groups"),
    ),
    "cheapest_plan": Case(
        {
            "pilot": PILOT,
            "width": 0.5,
            "costs": COSTS,
            "n": np.array([100.0, 1000.0]),
            "k": np.array([50.0, 200.0]),
            "gamma": np.array([0.5, 0.9]),
            "probability": 0.9,
        }
    ),
    "closer_share": Case(
        {"pairwise_upper": UPPER - 0.5, "gamma": COVERAGE, "index": "weights"},
        rows=("pairwise_upper", "gamma"),
        real=("pairwise_upper",),
    ),
    "closer_share_p_value": Case(
        {"missed": WEIGHTS, "m": 40, "gamma": 0.9, "share": 0.5, "shared": 2}, any_shape=("missed",)
    ),
    "cluster_bootstrap": Case(
        {
            "statistic": lambda weights: UPPER @ weights / weights.sum(0),
            "clusters": CLUSTERS,
            "generator": RANDOM,
            "resamples": 20,
        }
    ),
    "cluster_weights": Case(
        {"clusters": CLUSTERS, "target": {"a": 1.0, "b": 2.0, "c": 0.0, "d": 4.0}}
    ),
    "clustered_test": Case(
        {
            "predictions": PREDICTIONS,
            "clusters": np.repeat(list("abcdef"), 2),
            "generator": RANDOM,
            "resamples": 50,
            "weights": WEIGHTS,
            "samples": SAMPLES,
        },
        rows=("clusters", "weights", "samples"),
    ),
    "clusters_needed": Case(
        {
            "effect": 0.1,
            "se": 0.1,
            "n_clusters": 7.0,
            "df": 5.5,
            "alpha": 0.05,
            "power": 0.8,
            "se_df": 30.0,
        },
        real=("effect",),
    ),
    "confidence_radius": Case(
        {
            "n": WEIGHTS,
            "d": 3,
            "gamma": COVERAGE,
            "confidence_set": "multinomial_kl",
            "span": 2.0,
        },
        rows=("n", "gamma"),
        any_shape=("n", "gamma"),
        said={"gamma": "shapes", "n": "shapes"},
    ),
    "conformal_bound": Case(
        {
            "upper": UPPER,
            "alpha": 0.5,
            "gamma": 0.9,
            "clusters": None,
            "weights": WEIGHTS,
            "new_weight": np.array([1.0, 2.0]),
        },
        rows=("upper", "weights"),
        real=("upper",),
    ),
    "consistency_test": Case({"predictions": PREDICTIONS, "generator": RANDOM, "resamples": 20}),
    "design_effect": Case(
        {"values": UPPER, "clusters": CLUSTERS}, rows=("values", "clusters"), real=("values",)
    ),
    "design_effect_exact_miss": Case(
        {"upper": UPPER, "clusters": CLUSTERS, "gamma": 0.9, "rank": 11, "eta": 0.05},
        rows=("upper", "clusters"),
        real=("upper",),
    ),
    "difference_bounds": Case(
        {"counts": COUNTS, "simulator": Q, **WEIGHTED, **OF_TWO},
        rows=(*OBJECT_ROWS, "squares", "draws", "other", "other_draws"),
        said={"other_draws": "draws"},
        **ACROSS,
    ),
    "discrepancy_bounds": Case(
        {"counts": COUNTS, "simulator": Q, **WEIGHTED, **DRAWN},
        rows=(*OBJECT_ROWS, "squares", "draws"),
        **ACROSS,
    ),
    "effective_clusters": Case({"clusters": CLUSTERS}),
    "empirical_quantile": Case({"values": UPPER, "alpha": TAU}, rows=("values",), real=("values",)),
    "envelope_closer_share": Case(
        {"pairwise_upper": BOUNDS - 0.5, "gamma": (0.5, 0.8, 0.95)}, real=("pairwise_upper",)
    ),
    "envelope_curve": Case({**OF_ENVELOPE, "tau": TAU}),
    "equal_mass_edges": Case(
        {
            "confidence": CONFIDENCE,
            "bins": 4,
            "closed": "left",
            "counts": PEOPLE,
            "weights": WEIGHTS,
        },
        rows=("confidence", "counts", "weights"),
    ),
    "equal_width_edges": Case({"bins": 4}),
    "equivalent_human_sample_size": Case(
        {
            "human_counts": COUNTS,
            "simulated_counts": np.roll(COUNTS, 1, 0),
            "scores": SCORES,
            "gamma": 0.5,
            "alpha": 0.1,
            "interval": "hoeffding",
            "human": "witness",
            "dilation": 3.0,
            "k_min": 3,
            "k_max": 20,
            "orders": 3,
            "seed": 0,
            "human_sizes": WEIGHTS + 30.0,
        },
        rows=("human_counts", "simulated_counts", "human_sizes"),
        across=("scores",),
        real=("scores",),
    ),
    "exact_curve": Case(
        {
            "upper": UPPER,
            "gamma_j": COVERAGE,
            "gamma": 0.5,
            "tau": TAU,
            "eta": 0.05,
            "shared": 2,
            "clusters": CLUSTERS,
        },
        rows=("upper", "gamma_j", "clusters"),
        real=("upper",),
    ),
    "exact_envelope_curve": Case({**OF_ENVELOPE, "tau": TAU, **CERTAIN}),
    "exact_level": Case({"m": 12, "gamma": 0.9, "rank": 11, "eta": 0.05, "shared": 2}),
    "expected_calibration_error": Case(
        {"diagram": Made(lambda: fidelity.reliability(CONFIDENCE, OUTCOME, EDGES))}
    ),
    "held_out_coverage": Case(
        {
            "delta": OTHER,
            "upper": UPPER,
            "gamma": COVERAGE,
            "alpha": 0.2,
            "generator": RANDOM,
            "splits": 10,
        },
        rows=("delta", "upper", "gamma"),
        real=("delta", "upper"),
    ),
    "holm": Case({"p_values": UPPER}, rows=("p_values",)),
    "in_scenario_set": Case(
        {
            "u": Q,
            "q": np.roll(Q, 1, 0),
            "bound": UPPER,
            "discrepancy": "absolute",
            "scores": SCORES,
        },
        rows=("u", "q", "bound"),
        across=("scores",),
        real=("scores",),
    ),
    "interval_coverage": Case(
        {
            "loc": UPPER,
            "scale": WEIGHTS,
            "outcome": OTHER,
            "levels": TAU,
            "family": "normal",
            "counts": PEOPLE,
            "weights": WEIGHTS,
            "clusters": CLUSTERS,
            "samples": SAMPLES,
            "confidence": 0.9,
        },
        rows=("loc", "scale", "outcome", "counts", "weights", "clusters", "samples"),
        real=("loc", "outcome"),
    ),
    "intraclass_correlation": Case(
        {"values": UPPER, "clusters": CLUSTERS}, rows=("values", "clusters"), real=("values",)
    ),
    "iso_width": Case(
        {
            "pilot": PILOT,
            "width": 0.5,
            "n": np.array([100.0, 1000.0]),
            "k": 50.0,
            "probability": 0.9,
        }
    ),
    "log_score": Case(
        {"probability": Q, "truth": TRUTH, "counts": PEOPLE, "weights": WEIGHTS},
        rows=("probability", "truth", "counts", "weights"),
    ),
    "lower_envelope_curve": Case({"lower": BOUNDS, "tau": TAU, "gamma": (0.5, 0.8, 0.95)}),
    "lower_quantile_curve": Case(
        {"lower": UPPER, "gamma": COVERAGE, "tau": TAU, "index": "weights"},
        rows=("lower", "gamma"),
        real=("lower",),
    ),
    "marginal_curve": Case(
        {"upper": UPPER, "gamma": 0.9, "tau": TAU}, rows=("upper",), real=("upper",)
    ),
    "marginal_level": Case({"m": 12, "gamma": 0.9, "rank": 11}),
    "marginal_rank": Case({"m": 12, "gamma": 0.9, "alpha": 0.25}),
    "mean_differences": Case(
        {"counts": COUNTS, "simulator": Q, **WEIGHTED, **OF_TWO, **OF_NEW},
        rows=(*OBJECT_ROWS, "squares", "draws", "other", "other_draws", "clusters", "respondents"),
        said={"other_draws": "draws"},
        **ACROSS,
    ),
    "mean_discrepancies": Case(
        {
            **{"counts": COUNTS, "simulator": Q, "other": np.roll(Q, 1, 0), **WEIGHTED, **OF_NEW},
            "unanswered": UPPER,
        },
        rows=(*OBJECT_ROWS, "squares", "other", "clusters", "respondents", "unanswered"),
        **ACROSS,
    ),
    "mean_difference": Case(
        {"counts": COUNTS, "simulator": Q, **WEIGHTED, **OF_TWO, **OF_NEW, "betting": None},
        rows=(*OBJECT_ROWS, "squares", "draws", "other", "other_draws", "clusters", "respondents"),
        said={"other_draws": "draws"},
        **ACROSS,
    ),
    "localised_bound": Case(
        {"upper": UPPER, "similarity": SIMILARITY, "alpha": 0.5, "gamma": 0.9},
        real=("upper",),
        either_way=("similarity",),
    ),
    "mean_discrepancy": Case(
        {
            **{"counts": COUNTS, "simulator": Q, "betting": None, "runs": CLUSTERS},
            **{**WEIGHTED, **DRAWN, **OF_NEW},
        },
        rows=(*OBJECT_ROWS, "squares", "draws", "clusters", "respondents", "runs"),
        **ACROSS,
    ),
    "mean_error_bar": Case(
        {"scores": UPPER, "clusters": CLUSTERS, "level": 0.9},
        rows=("scores", "clusters"),
        real=("scores",),
        any_shape=("scores",),
    ),
    "minimum_detectable_effect": Case(
        {"m": 40.0, "variance": 0.5, "df": 11.0, "alpha": 0.05, "power": 0.8, "variance_df": 30.0}
    ),
    "new_cluster_exact_miss": Case({"clusters": CLUSTERS, "gamma": 0.9, "rank": 11, "eta": 0.05}),
    "normalised": Case({"probability": Q}, either_way=("probability",)),
    "one_per_cluster_curve": Case(
        {
            "upper": UPPER,
            "clusters": CLUSTERS,
            "gamma": 0.9,
            "tau": TAU,
            "generator": RANDOM,
        },
        rows=("upper", "clusters"),
        real=("upper",),
    ),
    "paired_error_bar": Case(
        {"scores": TWO, "other": np.roll(TWO, 5, 0), "clusters": CLUSTERS, "level": 0.9},
        rows=("scores", "other", "clusters"),
        real=("scores", "other"),
    ),
    "pairwise_pseudo_discrepancy": Case(
        {"counts": COUNTS, "q1": Q, "q2": np.roll(Q, 1, 0), **OF_SET},
        rows=("counts", "q1", "q2", "gamma", "sizes", "options"),
        **OF_TABLES,
    ),
    "paper_level": Case({"alpha": 0.1, "m": 100_000, "eta": 0.05}),
    "parse_coverage": Case({"entry": 0.9}, said={"entry": "gamma"}),
    "people_needed": Case(
        {
            **{"counts": COUNTS, "simulator": Q, **WEIGHTED},
            **{"width": 0.03, "level": 0.9, "generator": RANDOM},
        },
        rows=(*OBJECT_ROWS, "squares"),
        **ACROSS,
    ),
    "people_reference": Case(
        {
            **{"counts": COUNTS, "sample_size": 50, "smoothed": False, "df": 9.0},
            **{"design_effects": 1.0 + WEIGHTS / 8, "replicates": None, "factors": None},
            **{**WEIGHTED, **OF_NEW},
        },
        rows=("counts", "sizes", "options", "squares", "design_effects", "clusters", "respondents"),
        **ACROSS,
    ),
    "prediction_intervals": Case(
        {"q": Q, "bound": UPPER, "discrepancy": "tv", "scores": SCORES},
        rows=("q", "bound"),
        across=("scores",),
        real=("scores",),
    ),
    "pseudo_discrepancy": Case(
        {"counts": COUNTS, "q": Q, **OF_SET},
        rows=("counts", "q", "gamma", "sizes", "options"),
        **OF_TABLES,
    ),
    "quantile_curve": Case(
        {"upper": UPPER, "gamma": COVERAGE, "tau": TAU, "index": "weights"}, **WITH_GAMMA
    ),
    "rank_intervals": Case({"order": np.triu(np.ones((3, 3)), 1) > 0}, either_way=("order",)),
    "reliability": Case(
        {
            "confidence": CONFIDENCE,
            "outcome": OUTCOME,
            "edges": EDGES,
            "closed": "right",
            "counts": PEOPLE,
            "weights": WEIGHTS,
            "clusters": CLUSTERS,
            "samples": SAMPLES,
            "level": 0.9,
        },
        rows=("confidence", "outcome", "counts", "weights", "clusters", "samples"),
    ),
    "resample": Case({"share": Q[0], "size": 20, "generator": RANDOM}),
    "scenario_lists": Case(
        {
            **{"counts": COUNTS, "simulator": Q, **OF_MEAN, "tolerances": np.array([0.2, 0.6])},
            **{"level": 0.2, "simulators": 2, "dependent": True, "unanswered": UPPER},
        },
        rows=(*OBJECT_ROWS, "unanswered"),
        said={"tolerances": "tolerance"},
        **ACROSS,
    ),
    "scenario_p_values": Case(
        {"counts": COUNTS, "simulator": Q, **OF_MEAN, "tolerance": 0.2, "unanswered": UPPER},
        rows=(*OBJECT_ROWS, "unanswered"),
        **ACROSS,
    ),
    "scenario_set_mean": Case(
        {"q_mean": OTHER, "bound": UPPER}, rows=("q_mean", "bound"), real=("q_mean",)
    ),
    "scenarios_needed": Case(
        {"effect": 0.1, "variance": 0.5, "alpha": 0.05, "power": 0.8, "variance_df": 30.0},
        real=("effect",),
    ),
    "score_difference": Case(
        {
            **{"scores": UPPER, "other": OTHER, "clusters": CLUSTERS, "questions": SAMPLES},
            **{"other_questions": None, "estimator": "cr1", "level": 0.9, "limits": (-2.0, 2.0)},
        },
        rows=("scores", "other", "clusters", "questions"),
        real=("scores", "other", "limits"),
    ),
    "score_error_bar": Case(
        {
            **{"scores": UPPER, "clusters": CLUSTERS, "questions": SAMPLES},
            **{"estimator": "cr1", "level": 0.9, "limits": (-2.0, 2.0)},
        },
        rows=("scores", "clusters", "questions"),
        real=("scores", "limits"),
    ),
    "sign_test": Case(
        {"scores": UPPER, "other": OTHER}, rows=("scores", "other"), real=("scores", "other")
    ),
    "simultaneous_curve": Case(
        {"upper": UPPER, "gamma": 0.9, "tau": TAU, "eta": 0.05}, rows=("upper",), real=("upper",)
    ),
    "simultaneous_differences": Case(
        {"scores": TWO, "clusters": CLUSTERS, "alpha": 0.1},
        rows=("scores", "clusters"),
        real=("scores",),
    ),
    "simultaneous_envelope_curve": Case({**OF_ENVELOPE, "tau": TAU, "eta": 0.2}),
    "skce_biased": Case({"predictions": PREDICTIONS}),
    "skce_unbiased": Case({"predictions": PREDICTIONS}),
    "study_error": Case(
        {
            "pilot": PILOT,
            "n": np.array([100.0, 1000.0]),
            "k": np.array([50.0, 200.0]),
            "excess": np.round(STREAM.random((M, 2)), 3),
        },
        real=("excess",),
        any_shape=("n", "k", "excess"),
        said={"n": "shapes|excess", "k": "shapes"},
    ),
    "subsample": Case({"counts": COUNTS[0], "size": 20, "generator": RANDOM}),
    "tail_discrepancy": Case(
        {"counts": COUNTS, "simulator": Q, **WEIGHTED, **OF_NEW, "alpha": 0.3},
        rows=(*OBJECT_ROWS, "squares", "clusters", "respondents"),
        **ACROSS,
    ),
    "tail_mean": Case(
        {"upper": UPPER, "gamma": COVERAGE, "alpha": 0.25, "index": "weights"},
        rows=("upper", "gamma"),
    ),
    "tempered_mixture": Case(
        {"counts": COUNTS, "q": Q, "clusters": CLUSTERS, "starts": [0.5, 1.0]},
        rows=("counts", "q", "clusters"),
    ),
    "top_label": Case({"probability": Q, "truth": TRUTH}, rows=("probability", "truth")),
    "unpaired_error_bar": Case(
        {
            "scores": UPPER,
            "other": OTHER,
            "clusters": CLUSTERS,
            "other_clusters": np.roll(CLUSTERS, 2),
            "level": 0.9,
        },
        real=("scores", "other"),
        any_shape=("scores", "other"),
    ),
    "value_at_risk": Case(
        {"upper": UPPER, "gamma": COVERAGE, "alpha": 0.25, "index": "weights"}, **WITH_GAMMA
    ),
    "variance_components": Case(
        {"*resamples[0]": TWO, "*resamples[1]": np.roll(TWO, 3, 0)[:, :2]},
        rows=("*resamples[0]", "*resamples[1]"),
        real=("*resamples[0]", "*resamples[1]"),
        said={"*resamples[0]": "resamples", "*resamples[1]": "resamples"},
    ),
    "weighted_certified_curve": Case(
        {"upper": UPPER, "gamma_j": COVERAGE, "gamma": 0.5, "tau": TAU, "eta": 0.05},
        **WITH_GAMMA_J,
    ),
    "weighted_conformal_bound": Case(
        {
            "upper": UPPER,
            "gamma": 0.9,
            "alpha": 0.5,
            "weights": WEIGHTS,
            "new_weight": np.array([1.0, 2.0]),
        },
        rows=("upper", "weights"),
        real=("upper",),
    ),
    "weighted_marginal_curve": Case(
        {"upper": UPPER, "gamma_j": COVERAGE, "gamma": 0.5, "tau": TAU}, **WITH_GAMMA_J
    ),
    "weighted_quantile_curve": Case(
        {"upper": UPPER, "gamma": COVERAGE, "tau": TAU, "weights": WEIGHTS},
        rows=("upper", "gamma", "weights"),
        real=("upper",),
        any_shape=("weights",),
    ),
}


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


def test_every_public_name_has_a_case_with_all_its_parameters():
    callables = {name for name in fidelity.__all__ if callable(getattr(fidelity, name))}
    callables -= {"Answers", "Responses", "Simulator"}  # in the cases of functions that take them
    assert set(CASES) == callables, "give each public name a case here"
    for name, case in CASES.items():
        taken = inspect.signature(getattr(fidelity, name)).parameters
        given = {re.sub(r"^\*|\[\d\]$", "", argument) for argument in case.arguments}
        if "responses" in taken:
            known = {*OF_RESPONSES, *(key for keys in OF_SIMULATORS.values() for key in keys)}
            given = given - known | {"responses"}
            given |= {"unanswered"} if name == TAKES_UNANSWERED else set()
            given = given - set(OF_SIMULATORS) | {"simulators"} if name in SEVERAL else given
        assert given == set(taken), name


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


@pytest.mark.slow
@EACH
def test_integers_are_the_numbers_they_are(name):
    case = CASES[name]
    for argument, values in tables_of(case):
        if values.dtype.kind == "f":
            whole = np.rint(values)
            found, expected = (
                answer_or_error(name, {**case.arguments, argument: form}, names_of(case, argument))
                for form in (whole.astype(int), whole)
            )
            assert found[0] == expected[0]
            assert found[0] == "error" or assert_same(found[1], expected[1]) is None


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
