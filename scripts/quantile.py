"""Quantile curves over scenarios, and their summaries, for every cell of the grid."""

from fractions import Fraction

import numpy as np
import pyarrow as pa

from fidelity.coverage import parse_coverage
from fidelity.guarantee import certified_curve, curve_guarantee
from fidelity.quantile import (
    area_under_curve,
    empirical_quantile,
    lower_quantile_curve,
    quantile_curve,
    tail_mean,
    value_at_risk,
)
from fidelity_study import tables
from fidelity_study.arrays import cell_slices, numbers, short_of
from fidelity_study.script import run

CELL = ["simulator", "replicate", "k", "confidence_set", "gamma", "discrepancy"]
NUMBERS = ["gamma_j", "n_j", "plugin", "lower", "upper", "oracle"]
ETA = 0.05
TAIL = Fraction(1, 10)
TAU = [Fraction(i, 100) for i in range(101)]


def main(snakemake):
    step = snakemake.params.step
    table = tables.read(snakemake.input[0], tables.PSEUDO_DISCREPANCY)
    smallest = {each.label: each.smallest for each in map(parse_coverage, step["gamma"])}
    ordered, slices = cell_slices(table, CELL)
    column = {name: numbers(ordered[name]) for name in NUMBERS}
    curves, summaries = [], []
    for cell, rows in slices:
        of = {name: values[rows] for name, values in column.items()}
        gamma = smallest[cell["gamma"]]
        curves.append({**cell, **curve(of, gamma)})
        summaries.append({**cell, **summary(of, gamma), "n_short": short_of(step["n"], of["n_j"])})
    tables.write(snakemake.output.curves, long(curves), tables.QUANTILE, step)
    columns = {name: [each[name] for each in summaries] for name in tables.SUMMARY.names}
    tables.write(snakemake.output.summary, pa.table(columns), tables.SUMMARY, step)


def curve(of: dict, gamma) -> dict:
    """Return the curves of one cell at every tau."""
    return {
        "tau": np.array(TAU, float),
        "lower": lower_quantile_curve(of["lower"], of["gamma_j"], TAU),
        "plugin": empirical_quantile(of["plugin"], TAU),
        "upper": quantile_curve(of["upper"], of["gamma_j"], TAU),
        "certified_upper": certified_curve(of["upper"], gamma, TAU, ETA),
        "oracle": empirical_quantile(of["oracle"], TAU),
    }


def summary(of: dict, gamma) -> dict:
    """Return the summaries of one cell; ``gamma`` is the smallest coverage its schedule allows."""
    guarantee, level = curve_guarantee(of["upper"], of["gamma_j"], gamma, 1 - TAIL, ETA)
    everywhere = np.ones(len(of["upper"]))
    return {
        "m": len(of["upper"]),
        "auc": area_under_curve(of["upper"], of["gamma_j"]),
        "var_90": value_at_risk(of["upper"], of["gamma_j"], TAIL),
        "cvar_90": tail_mean(of["upper"], of["gamma_j"], TAIL),
        "guarantee": guarantee,
        "guarantee_level": level,
        "certified_var_90": certified_curve(of["upper"], gamma, [1 - TAIL], ETA)[0],
        "auc_plugin": float(of["plugin"].mean()),
        "auc_oracle": float(of["oracle"].mean()),
        "cvar_90_oracle": tail_mean(of["oracle"], everywhere, TAIL),
    }


def long(curves: list[dict]) -> pa.Table:
    """Return one row per cell and tau."""
    repeats = len(TAU)
    columns = {
        name: np.repeat([each[name] for each in curves], repeats)
        if name in CELL
        else np.concatenate([each[name] for each in curves])
        for name in tables.QUANTILE.names
    }
    return pa.table(columns)


run(main, snakemake)
