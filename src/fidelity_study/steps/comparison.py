"""Statements about one simulator against another, from upper pairwise discrepancies.

Tables:
    COMPARISON: quantile curves of `upper` above, by pair and n
    SHARES: on the `m` scenarios that both answer, `plugin_share` of those on which `simulator` is
        at least as close as `other` in the sample; `certified_share` (with probability 1 - η none
        of all ordered pairs of a form exceeds its true share) and `p_value` (that the simulator is
        closer on no more than half of the scenarios; Holm, over all ordered pairs), about more
        scenarios of the same clusters, allowing for people who answer several scenarios; or, where
        `clusters` is not empty, about a scenario of a new cluster, from so many independent ones;
        `share` (asymptotic in the number of scenarios or clusters, each pair by itself). Of
        simulators that draw, all are about the answers given, not about what these are drawn from
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.comparison.pairwise import (
    bonferroni_level,
    certified_closer_share,
    closer_share_p_value,
    clustered_closer_share,
    clustered_closer_share_p_value,
    holm,
    not_certified,
)
from fidelity.curves.envelope import GAMMA_GRID, certified_envelope_share, envelope_closer_share
from fidelity.curves.quantile import closer_share, quantile_curve
from fidelity.sets.gamma import parse_coverage
from fidelity_study.steps.arrays import cell_slices, codes, dependent_scenarios, numbers
from fidelity_study.steps.cells import at_coverages
from fidelity_study.steps.curves import TAU, curve_rows
from fidelity_study.steps.pairwise import PAIRWISE
from fidelity_study.tables.common import CELL, LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write, write_csv

SHARES = ["m", "clusters", "share", "plugin_share", "certified_share", "p_value"]

COMPARISON = pa.schema(
    [*columns(LABEL, "simulator", "other", "n"), *CELL, *columns(pa.float64(), "tau", "upper")]
)

FORM = ["replicate", "k", "confidence_set", "gamma", "discrepancy"]
ENVELOPE = "envelope"
PAIR = ["simulator", "other"]
NUMBERS = ["upper", "plugin", "gamma_j"]


def pair_rows(
    table: pa.Table, scenarios: pa.Table, n: int | str, step: dict
) -> Iterator[tuple[dict, dict[str, np.ndarray]]]:
    """Yield the statements about each ordered pair at each form, and its curve.

    In the statements, ``certified_share`` is a function of the level; see :func:`certainty`.
    """
    coverages = [parse_coverage(gamma) for gamma in step["comparison"]["gamma"]]
    smallest = {coverage.label: coverage.smallest for coverage in coverages}
    table, slices = cell_slices(table, [*FORM, *PAIR])
    columns = [numbers(table[name]) for name in NUMBERS]
    place = codes(table["scenario"], scenarios["scenario"].to_pylist())
    clusters, people = (np.array(scenarios[name].to_pylist()) for name in ("cluster", "people"))
    for cell, rows in slices:
        upper, plugin, gamma = (values[rows] for values in columns)
        answered = place[rows]
        shared = dependent_scenarios(people[answered], (cell[key] for key in PAIR))
        pair = {
            "n": str(n),
            **cell,
            "m": len(upper),
            "share": closer_share(upper, gamma, index=step["index"]),
            "plugin_share": float(np.mean(plugin <= 0)),
            **certainty(upper, grouped(clusters[answered]), shared, smallest[cell["gamma"]]),
        }
        curve = quantile_curve(upper, gamma, TAU, index=step["index"])
        yield pair, {"upper": curve}


def envelope_rows(table: pa.Table, scenarios: pa.Table, n: int | str) -> Iterator[dict]:
    """Yield the envelope's statements about each ordered pair, as :func:`pair_rows`."""
    clusters, people = (np.array(scenarios[name].to_pylist()) for name in ("cluster", "people"))
    names = scenarios["scenario"].to_pylist()
    for cell, there, upper, plugin in at_coverages(table, names, ["upper", "plugin"]):
        shared = dependent_scenarios(people[there], (cell[key] for key in PAIR))
        yield {
            "n": n,
            "replicate": 0,
            **cell,
            "gamma": ENVELOPE,
            "m": len(there),
            "share": envelope_closer_share(upper),
            "plugin_share": float(np.mean(plugin[:, 0] <= 0)),
            **envelope_certainty(upper, grouped(clusters[there]), shared),
        }


def envelope_certainty(upper: np.ndarray, clusters: np.ndarray | None, shared: int) -> dict:
    """Return :func:`certainty` of the best coverage; all coverages hold together (Bonferroni)."""
    parts = [
        certainty(bounds, clusters, shared, gamma)
        for bounds, gamma in zip(upper.T, GAMMA_GRID, strict=True)
    ]

    def certified_share(eta: float) -> float:
        if clusters is None:
            return certified_envelope_share(upper, eta, shared=shared)
        return max(part["certified_share"](eta / len(parts)) for part in parts)

    return {
        "clusters": parts[0]["clusters"],
        "certified_share": certified_share,
        "p_value": min(1.0, len(parts) * min(part["p_value"] for part in parts)),
    }


def shares(pairs: list[dict], eta: float) -> list[dict]:
    """Return the pairs with statements that hold for all pairs of a form at once, at level η."""
    of_form: dict[tuple, list[dict]] = {}
    for pair in pairs:
        of_form.setdefault(tuple(pair[key] for key in FORM), []).append(pair)
    adjusted = []
    for together in of_form.values():
        simulators = len({pair["simulator"] for pair in together})
        level = bonferroni_level(eta, simulators)
        others = simulators * (simulators - 1) - len(together)  # chosen by the same data, or left
        p_values = holm([pair["p_value"] for pair in together] + [1.0] * others)[: len(together)]
        adjusted += [
            {**pair, "certified_share": float(pair["certified_share"](level)), "p_value": p_value}
            for pair, p_value in zip(together, p_values.tolist(), strict=True)
        ]
    return adjusted


def certainty(upper: np.ndarray, clusters: np.ndarray | None, shared: int, gamma) -> dict:
    """Return the statements about one ordered pair at this number of scenarios, or of clusters.

    Args:
        upper: upper pairwise discrepancies, (m,).
        clusters: one label per scenario; None where scenarios are not grouped.
        shared: the largest number of scenarios that depend on each other.
        gamma: the smallest coverage any scenario can have.

    Returns:
        ``clusters``, how many are taken as independent. ``certified_share``, a function of the
        probability that the share exceeds the true one. ``p_value``, for the hypothesis that the
        simulator is closer on no more than half of the scenarios. In clusters both are about a
        scenario of a new cluster, unless scenarios depend on each other: then about more scenarios
        of the same clusters.
    """
    not_as_close, not_closer = (not_certified(upper, strictly=strict) for strict in (False, True))
    if clusters is not None and shared == 1:
        many, known = len(np.unique(clusters)), (clusters, gamma)
        share: Callable = partial(clustered_closer_share, not_as_close, *known)
        p_value = clustered_closer_share_p_value(not_closer, *known)
    else:
        many, m = None, len(upper)
        share = partial(certified_closer_share, not_as_close.sum(), m, gamma, shared=shared)
        p_value = closer_share_p_value(not_closer.sum(), m, gamma, shared=shared)
    return {"clusters": many, "certified_share": share, "p_value": float(p_value)}


def main(snakemake):
    """Draw the pairwise curves and find the shares."""
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    curves, rows = [], []
    for n, path in zip(step["comparison"]["n"], snakemake.input.pairwise, strict=True):
        wanted = ["scenario", *FORM, *PAIR, *NUMBERS]
        pairs = list(pair_rows(read(path, PAIRWISE, wanted), scenarios, n, step))
        curves += pairs
        rows += shares([pair for pair, _ in pairs], step["eta"])
    for path in snakemake.input.envelope:
        wanted = ["scenario", *FORM, *PAIR, "upper", "plugin"]
        pairs = list(envelope_rows(read(path, PAIRWISE, wanted), scenarios, step["n"][-1]))
        rows += shares(pairs, step["eta"])
    write(snakemake.output.curves, curve_rows(curves, COMPARISON), COMPARISON, step)
    write_csv(snakemake.output.shares, rows, ["n", *PAIR, *FORM, *SHARES])
