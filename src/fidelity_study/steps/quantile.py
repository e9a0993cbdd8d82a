"""The curves of one cell, and its summaries.

Tables:
    QUANTILE: curves over scenarios at `tau` = 0, 0.01, …, 1: `lower`, `plugin`, `upper`,
        `certified_upper` (exact guarantee at `grid.eta`, pointwise; inf where m is too small),
        `oracle`
    SUMMARY: the summaries of each replicate
"""

import numpy as np
import pyarrow as pa

from fidelity.curves.guarantee import curve_guarantee
from fidelity.curves.quantile import (
    area_under_curve,
    empirical_quantile,
    lower_quantile_curve,
    quantile_curve,
    tail_mean,
    value_at_risk,
)
from fidelity_study.steps.arrays import short_of
from fidelity_study.steps.cells import cells_by_sides
from fidelity_study.steps.curves import TAIL, TAU, certified_curve, curve_rows
from fidelity_study.steps.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.common import CELL, LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

QUANTILE = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        *columns(pa.float64(), "tau", "lower", "plugin", "upper", "certified_upper", "oracle"),
    ]
)
SUMMARY = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        *columns(pa.int32(), "m", "n_short", "k_short", "k_fewest", "k_most"),
        *columns(pa.float64(), "auc", "var_90", "cvar_90"),
        ("guarantee", LABEL),
        *columns(pa.float64(), "guarantee_level", "certified_var_90", "auc_plugin", "auc_oracle"),
        ("cvar_90_oracle", pa.float64()),
    ]
)


def curves(arrays: dict, index: str, eta: float) -> dict[str, np.ndarray]:
    """Return the curves of one cell at every tau."""
    return {
        "lower": lower_quantile_curve(arrays["lower"], arrays["gamma_lower_j"], TAU, index=index),
        "plugin": empirical_quantile(arrays["plugin"], TAU),
        "upper": quantile_curve(arrays["upper"], arrays["gamma_j"], TAU, index=index),
        "certified_upper": certified_curve(arrays, TAU, eta),
        "oracle": empirical_quantile(arrays["oracle"], TAU),
    }


def sizes(arrays: dict, n: int | str, k: str) -> dict:
    """Return in how many scenarios answers are short, and the fewest and most draws of one.

    There are no draws where probabilities are stated.
    """
    ends = {"k_fewest": arrays["k_j"].min(), "k_most": arrays["k_j"].max()}
    return {
        "n_short": short_of(n, arrays["n_j"]),
        "k_short": short_of(k, arrays["k_j"]),
        **{name: None if np.isnan(many) else int(many) for name, many in ends.items()},
    }


def summary(arrays: dict, index: str, eta: float) -> dict:
    """Return the summaries of one cell."""
    upper, gamma_j, clusters = arrays["upper"], arrays["gamma_j"], arrays["clusters"]
    guarantee, level = curve_guarantee(
        upper, gamma_j, arrays["smallest"], 1 - TAIL, eta, arrays["shared"], clusters
    )
    everywhere = np.ones(len(arrays["upper"]))
    return {
        "m": len(arrays["upper"]),
        "auc": area_under_curve(arrays["upper"], arrays["gamma_j"], index=index),
        "var_90": value_at_risk(arrays["upper"], arrays["gamma_j"], TAIL, index=index),
        "cvar_90": tail_mean(arrays["upper"], arrays["gamma_j"], TAIL, index=index),
        "guarantee": guarantee,
        "guarantee_level": level,
        "certified_var_90": certified_curve(arrays, [1 - TAIL], eta)[0],
        "auc_plugin": float(arrays["plugin"].mean()),
        "auc_oracle": float(arrays["oracle"].mean()),
        "cvar_90_oracle": tail_mean(arrays["oracle"], everywhere, TAIL),
    }


def main(snakemake):
    """Draw the quantile curves of every cell."""
    step = snakemake.params.step
    how = {"index": step["index"], "eta": step["eta"]}
    table = read(snakemake.input.pseudo_discrepancy, PSEUDO_DISCREPANCY)
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    drawn, summaries = [], []
    for cell, arrays in cells_by_sides(table, scenarios, step["gamma"]):
        drawn.append((cell, curves(arrays, **how)))
        answers = sizes(arrays, step["n"], cell["k"])
        summaries.append({**cell, **summary(arrays, **how), **answers})
    made = {"quantile": (curve_rows(drawn, QUANTILE), QUANTILE), "summary": (summaries, SUMMARY)}
    write_tables(snakemake.output, made, step)
