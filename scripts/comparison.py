"""Pairwise curves, and the share of scenarios on which one simulator is at least as close."""

import numpy as np
import pyarrow as pa

from fidelity.comparison.pairwise import (
    bonferroni_level,
    certified_closer_share,
    closer_share_p_value,
    clustered_closer_share,
    clustered_closer_share_p_value,
    holm,
    not_certified,
)
from fidelity.curves.quantile import closer_share, quantile_curve
from fidelity.sets.gamma import parse_coverage
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import cell_slices, codes, dependent_scenarios, grouped, numbers
from fidelity_study.steps.certified import ETA
from fidelity_study.tables.comparison import COMPARISON
from fidelity_study.tables.curves import TAU, curve_rows
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.pairwise import PAIRWISE
from fidelity_study.tables.read_write import read, write, write_csv

FORM = ["replicate", "k", "confidence_set", "gamma", "discrepancy"]
PAIR = ["simulator", "other"]
NUMBERS = ["upper", "plugin", "gamma_j"]
SHARES = ["m", "clusters", "share", "plugin_share", "certified_share", "p_value"]


def main(snakemake):
    step = snakemake.params.step
    coverages = [parse_coverage(gamma) for gamma in step["comparison"]["gamma"]]
    smallest = {each.label: each.smallest for each in coverages}
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    names, cluster, people = (
        scenarios[name].to_pylist() for name in ("scenario", "cluster", "people")
    )
    curves, shares = [], []
    for n, path in zip(step["comparison"]["n"], snakemake.input.pairwise, strict=True):
        table = read(path, PAIRWISE, ["scenario", *FORM, *PAIR, *NUMBERS])
        ordered, slices = cell_slices(table, [*FORM, *PAIR])
        column = {name: numbers(ordered[name]) for name in NUMBERS}
        place = codes(ordered["scenario"], names)
        cluster_of, people_of = np.array(cluster)[place], np.array(people)[place]
        of_form: dict[tuple, list[dict]] = {}
        for cell, rows in slices:
            upper, plugin, gamma = (values[rows] for values in column.values())
            curve = quantile_curve(upper, gamma, TAU, index=step["index"])
            curves.append(curve_rows({"n": str(n), **cell}, curve, COMPARISON))
            pair = {
                **cell,
                "m": len(upper),
                "share": closer_share(upper, gamma, index=step["index"]),
                "plugin_share": float(np.mean(plugin <= 0)),
                **certainty(
                    upper,
                    grouped(cluster_of[rows]),
                    dependent_scenarios(people_of[rows], (cell[key] for key in PAIR)),
                    smallest[cell["gamma"]],
                ),
            }
            of_form.setdefault(tuple(cell[key] for key in FORM), []).append(pair)
        for pairs in of_form.values():
            level = bonferroni_level(ETA, len({pair["simulator"] for pair in pairs}))
            p_values = holm([pair["p_value"] for pair in pairs])
            shares += [
                {**pair, "n": n, "certified_share": pair["certified_share"](level), "p_value": p}
                for pair, p in zip(pairs, p_values.tolist(), strict=True)
            ]
    empty = COMPARISON.empty_table()
    table = pa.concat_tables([empty, *curves])
    write(snakemake.output.curves, table, COMPARISON, step)
    write_csv(snakemake.output.shares, shares, ["n", *PAIR, *FORM, *SHARES])


def certainty(upper: np.ndarray, clusters: np.ndarray | None, shared: int, gamma) -> dict:
    """Return what holds of one ordered pair at this number of scenarios, or of clusters.

    Args:
        upper: upper pairwise discrepancies, (m,).
        clusters: one label per scenario; None where scenarios are not grouped.
        shared: the most scenarios that depend on each other.
        gamma: the smallest coverage any scenario can have.

    Returns:
        ``clusters``, how many are taken as independent; ``certified_share``, a function of the
        level at which the share may exceed its true one; ``p_value``, that the simulator is closer
        on no more than half of the scenarios. In clusters both speak of a scenario of a new
        cluster, unless scenarios depend on each other: then of more of the same clusters.
    """
    not_as_close, not_closer = (not_certified(upper, strictly=each) for each in (False, True))
    if clusters is not None and shared == 1:
        return {
            "clusters": len(np.unique(clusters)),
            "certified_share": lambda eta: float(
                clustered_closer_share(not_as_close, clusters, gamma, eta)
            ),
            "p_value": float(clustered_closer_share_p_value(not_closer, clusters, gamma)),
        }
    m = len(upper)
    return {
        "clusters": None,
        "certified_share": lambda eta: float(
            certified_closer_share(not_as_close.sum(), m, gamma, eta, shared)
        ),
        "p_value": float(closer_share_p_value(not_closer.sum(), m, gamma, shared=shared)),
    }


run(main, snakemake)
