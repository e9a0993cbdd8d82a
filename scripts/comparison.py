"""Pairwise curves, and the share of scenarios on which one simulator is at least as close."""

import numpy as np
import pyarrow as pa

from fidelity.coverage import parse_coverage
from fidelity.pairwise_comparison import (
    bonferroni_level,
    certified_closer_share,
    closer_share_p_value,
    holm,
    not_certified,
)
from fidelity.quantile import closer_share, quantile_curve
from fidelity_study import tables
from fidelity_study.arrays import cell_slices, numbers
from fidelity_study.script import run

FORM = ["replicate", "k", "confidence_set", "gamma", "discrepancy"]
PAIR = ["simulator", "other"]
NUMBERS = ["upper", "plugin", "gamma_j"]
SHARES = ["m", "share", "plugin_share", "certified_share", "p_value"]
ETA = 0.05


def main(snakemake):
    step = snakemake.params.step
    coverages = [parse_coverage(gamma) for gamma in step["comparison"]["gamma"]]
    smallest = {each.label: each.smallest for each in coverages}
    curves, shares = [], []
    for n, path in zip(step["comparison"]["n"], snakemake.input, strict=True):
        table = tables.read(path, tables.PAIRWISE, [*FORM, *PAIR, *NUMBERS])
        ordered, slices = cell_slices(table, [*FORM, *PAIR])
        column = {name: numbers(ordered[name]) for name in NUMBERS}
        of_form: dict[tuple, list[dict]] = {}
        for cell, rows in slices:
            upper, plugin, gamma = (values[rows] for values in column.values())
            curve = quantile_curve(upper, gamma, tables.TAU, index=step["index"])
            curves.append(tables.curve_rows({"n": str(n), **cell}, curve, tables.COMPARISON))
            pair = {
                **cell,
                "m": len(upper),
                "share": closer_share(upper, gamma, index=step["index"]),
                "plugin_share": float(np.mean(plugin <= 0)),
                "not_as_close": int(not_certified(upper, strictly=False).sum()),
                "not_closer": int(not_certified(upper, strictly=True).sum()),
            }
            of_form.setdefault(tuple(cell[key] for key in FORM), []).append(pair)
        for pairs in of_form.values():
            shares += [{"n": n, **pair} for pair in certified(pairs, smallest)]
    empty = tables.COMPARISON.empty_table()
    table = pa.concat_tables([empty, *curves])
    tables.write(snakemake.output.curves, table, tables.COMPARISON, step)
    tables.write_csv(snakemake.output.shares, shares, ["n", *PAIR, *FORM, *SHARES])


def certified(pairs: list[dict], smallest: dict) -> list[dict]:
    """Add what holds for all ordered pairs of a form at once, at this number of scenarios.

    ``certified_share``: with probability 0.95 none exceeds its true share. ``p_value``: that the
    simulator is closer on no more than half of the scenarios, adjusted by Holm's method.
    """
    level = bonferroni_level(ETA, len({pair["simulator"] for pair in pairs}))
    gamma = [smallest[pair["gamma"]] for pair in pairs]
    share = [
        certified_closer_share(pair.pop("not_as_close"), pair["m"], each, level)
        for pair, each in zip(pairs, gamma, strict=True)
    ]
    p_value = holm(
        [
            closer_share_p_value(pair.pop("not_closer"), pair["m"], each)
            for pair, each in zip(pairs, gamma, strict=True)
        ]
    )
    return [
        {**pair, "certified_share": float(least), "p_value": float(p)}
        for pair, least, p in zip(pairs, share, p_value, strict=True)
    ]


run(main, snakemake)
