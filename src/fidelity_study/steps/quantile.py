"""The curves of one cell, and its summaries."""

import numpy as np
import pyarrow as pa

from fidelity.curves.quantile import (
    area_under_curve,
    empirical_quantile,
    lower_quantile_curve,
    quantile_curve,
    tail_mean,
    value_at_risk,
)
from fidelity_study.steps.certified import TAIL, certified_curve, curve_guarantee
from fidelity_study.tables.curves import TAU
from fidelity_study.tables.quantile import QUANTILE

KEYS = ["simulator", "replicate", "k", "confidence_set", "gamma", "discrepancy"]


def curve(of: dict, design: tuple[np.ndarray, int], index: str) -> dict:
    """Return the curves of one cell at every tau.

    ``design``: the scenarios' clusters, (m,), and how many scenarios depend on each other at most.
    """
    return {
        "tau": np.array(TAU, float),
        "lower": lower_quantile_curve(of["lower"], of["gamma_lower_j"], TAU, index=index),
        "plugin": empirical_quantile(of["plugin"], TAU),
        "upper": quantile_curve(of["upper"], of["gamma_j"], TAU, index=index),
        "certified_upper": certified_curve(of, *design, TAU),
        "oracle": empirical_quantile(of["oracle"], TAU),
    }


def draws(k_j: np.ndarray) -> dict:
    """Return the fewest and the most draws of a scenario; None for stated probabilities."""
    ends = {"k_fewest": k_j.min(), "k_most": k_j.max()}
    return {name: None if np.isnan(many) else int(many) for name, many in ends.items()}


def summary(of: dict, design: tuple[np.ndarray, int], index: str) -> dict:
    """Return the summaries of one cell; ``design`` as in :func:`curve`."""
    guarantee, level = curve_guarantee(of, *design)
    everywhere = np.ones(len(of["upper"]))
    return {
        "m": len(of["upper"]),
        "auc": area_under_curve(of["upper"], of["gamma_j"], index=index),
        "var_90": value_at_risk(of["upper"], of["gamma_j"], TAIL, index=index),
        "cvar_90": tail_mean(of["upper"], of["gamma_j"], TAIL, index=index),
        "guarantee": guarantee,
        "guarantee_level": level,
        "certified_var_90": certified_curve(of, *design, [1 - TAIL])[0],
        "auc_plugin": float(of["plugin"].mean()),
        "auc_oracle": float(of["oracle"].mean()),
        "cvar_90_oracle": tail_mean(of["oracle"], everywhere, TAIL),
    }


def long(curves: list[dict]) -> pa.Table:
    """Return one row per cell and tau."""
    columns = {
        name: np.repeat([each[name] for each in curves], len(TAU))
        if name in KEYS
        else np.concatenate([each[name] for each in curves])
        for name in QUANTILE.names
    }
    return pa.table(columns)
