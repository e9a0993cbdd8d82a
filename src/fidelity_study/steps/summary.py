"""One table of all summaries: a row per simulator × n × k × set × γ × discrepancy.

Tables:
    SUMMARY: a row per simulator × n × k × set × γ × discrepancy, means over replicates: `m`,
        `n_short` (scenarios with fewer than n people), `k_short` (scenarios in which the simulator
        has fewer than k answers), `k_fewest` and `k_most` (draws per scenario, empty if stated),
        `auc`, `var_90`, `cvar_90` (worst 10 %; all three are estimates, right as scenarios become
        many), `auc_sd` (over replicates), `guarantee` and `guarantee_level` (the share that the
        `var_90` of one replicate covers with probability 1 - η at this m: `exact`, or
        `simultaneous` where coverages differ), `certified_var_90` (covers 90 % with probability 1 -
        η), `auc_plugin`, `auc_oracle`, `cvar_90_oracle`
"""

import numpy as np

from fidelity_study.steps.arrays import cell_slices, numbers
from fidelity_study.steps.quantile import SUMMARY
from fidelity_study.tables.read_write import read, write_csv

CELL = ["simulator", "k", "confidence_set", "gamma", "discrepancy"]
SAME = ["m", "n_short", "k_short", "k_fewest", "k_most"]
MEANS = [
    *("auc", "var_90", "cvar_90", "guarantee_level", "certified_var_90"),
    *("auc_plugin", "auc_oracle", "cvar_90_oracle"),
]


def main(snakemake):
    """Gather the summaries of all n."""
    step = snakemake.params.step
    rows = []
    for n, path in zip(step["n"], snakemake.input, strict=True):
        ordered, slices = cell_slices(read(path, SUMMARY), CELL)
        for cell, place in slices:
            cases = ordered.slice(place.start, place.stop - place.start)
            rows.append({"dataset": step["dataset"], "n": n, **cell, **over_replicates(cases)})
    columns = ["dataset", "simulator", "n", *CELL[1:], *SAME, "replicates"]
    columns += [*MEANS[:3], "auc_sd", "guarantee", *MEANS[3:]]
    write_csv(snakemake.output[0], rows, columns)


def over_replicates(cases) -> dict:
    """Return the mean of each summary over the replicates, and how much the AUC varies."""
    auc = numbers(cases["auc"])
    return {
        **{name: cases[name][0].as_py() for name in SAME},
        "replicates": len(cases),
        "auc_sd": float(np.std(auc, ddof=1)) if len(auc) > 1 else float("nan"),
        "guarantee": cases["guarantee"][0].as_py(),
        **{name: float(numbers(cases[name]).mean()) for name in MEANS},
    }
