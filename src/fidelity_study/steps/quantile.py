"""The curves of one cell, and its summaries."""

import numpy as np

from fidelity.curves.quantile import (
    area_under_curve,
    empirical_quantile,
    lower_quantile_curve,
    quantile_curve,
    tail_mean,
    value_at_risk,
)
from fidelity_study.steps.arrays import short_of
from fidelity_study.steps.certified import TAIL, certified_curve, curve_guarantee
from fidelity_study.tables.curves import TAU


def curves(of: dict, index: str) -> dict[str, np.ndarray]:
    """Return the curves of one cell at every tau."""
    return {
        "lower": lower_quantile_curve(of["lower"], of["gamma_lower_j"], TAU, index=index),
        "plugin": empirical_quantile(of["plugin"], TAU),
        "upper": quantile_curve(of["upper"], of["gamma_j"], TAU, index=index),
        "certified_upper": certified_curve(of, TAU),
        "oracle": empirical_quantile(of["oracle"], TAU),
    }


def sizes(of: dict, n: int | str, k: str) -> dict:
    """Return in how many scenarios answers are short, and the fewest and most draws of one.

    There are no draws where probabilities are stated.
    """
    ends = {"k_fewest": of["k_j"].min(), "k_most": of["k_j"].max()}
    return {
        "n_short": short_of(n, of["n_j"]),
        "k_short": short_of(k, of["k_j"]),
        **{name: None if np.isnan(many) else int(many) for name, many in ends.items()},
    }


def summary(of: dict, index: str) -> dict:
    """Return the summaries of one cell."""
    guarantee, level = curve_guarantee(of)
    everywhere = np.ones(len(of["upper"]))
    return {
        "m": len(of["upper"]),
        "auc": area_under_curve(of["upper"], of["gamma_j"], index=index),
        "var_90": value_at_risk(of["upper"], of["gamma_j"], TAIL, index=index),
        "cvar_90": tail_mean(of["upper"], of["gamma_j"], TAIL, index=index),
        "guarantee": guarantee,
        "guarantee_level": level,
        "certified_var_90": certified_curve(of, [1 - TAIL])[0],
        "auc_plugin": float(of["plugin"].mean()),
        "auc_oracle": float(of["oracle"].mean()),
        "cvar_90_oracle": tail_mean(of["oracle"], everywhere, TAIL),
    }
