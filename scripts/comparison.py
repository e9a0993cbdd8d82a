"""Pairwise curves, and the share of scenarios on which one simulator is at least as close."""

import numpy as np
import pyarrow as pa

from fidelity.quantile import closer_share, quantile_curve
from fidelity_study import tables
from fidelity_study.arrays import cell_slices, numbers
from fidelity_study.script import run

CELL = ["simulator", "other", "replicate", "k", "confidence_set", "gamma", "discrepancy"]


def main(snakemake):
    step = snakemake.params.step
    curves, shares = [], []
    for n, path in zip(step["comparison"]["n"], snakemake.input, strict=True):
        ordered, slices = cell_slices(tables.read(path, tables.PAIRWISE), CELL)
        upper, plugin, gamma = (numbers(ordered[name]) for name in ("upper", "plugin", "gamma_j"))
        for cell, rows in slices:
            curve = quantile_curve(upper[rows], gamma[rows], tables.TAU, index=step["index"])
            curves.append(long({"n": str(n), **cell}, curve))
            share = closer_share(upper[rows], gamma[rows], index=step["index"])
            no_farther = float(np.mean(plugin[rows] <= 0))
            counted = {"m": rows.stop - rows.start, "share": share, "plugin_share": no_farther}
            shares.append({"n": n, **cell, **counted})
    empty = tables.COMPARISON.empty_table()
    table = pa.concat_tables([empty, *curves])
    tables.write(snakemake.output.curves, table, tables.COMPARISON, step)
    tables.write_csv(snakemake.output.shares, shares, ["n", *CELL, "m", "share", "plugin_share"])


def long(cell: dict, curve: np.ndarray) -> pa.Table:
    """Return one row per tau."""
    columns = {key: [value] * len(tables.TAU) for key, value in cell.items()}
    columns |= {"tau": [float(tau) for tau in tables.TAU], "upper": curve}
    return pa.table(columns).select(tables.COMPARISON.names).cast(tables.COMPARISON)


run(main, snakemake)
