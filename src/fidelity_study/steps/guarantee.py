"""All guarantees of a curve side by side: each one's statement on V̂(0.9), and its own curve.

The statements are in :mod:`fidelity.curves.guarantee`, :mod:`fidelity.curves.clusters` and
:mod:`fidelity.curves.target`.

Tables:
    GUARANTEE: at the last n of the grid, for the first replicate: the curve `upper` at `tau` under
        each `guarantee` that has one: `asymptotic`, `exact`, `simultaneous`, `marginal`; with
        clusters `one_per_cluster`; with a target `target` (asymptotic)
    LEVEL: for the same cells: `level`, the share of scenarios for which each `guarantee` vouches at
        `var_90` (also `paper`, `dkw`; for scenarios of new clusters `design_effect`, approximate,
        or with fewer than 20 effective clusters `new_cluster`; `held_out`, the share covered in
        scenarios held out, with the `standard_error` of its random splits alone); `m`,
        `shared_people` (the most scenarios that depend on each other, since people in common
        connect them; where these are unknown, all; all, too, where the simulator is fitted to
        people's answers in other scenarios. Where it is above 1, `exact` allows for it and the
        other guarantees are left out; in clusters `simultaneous`, `dkw`, `marginal` and `paper`
        are), `n_clusters`, `icc` and `design_effect` (at least 1) of the upper discrepancy
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.curves import clusters as cluster
from fidelity.curves import guarantee, quantile, target
from fidelity.stream import stream
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import first_replicate
from fidelity_study.steps.cells import cells_by_sides
from fidelity_study.steps.curves import TAIL, TAU, certified_curve, curve_rows
from fidelity_study.steps.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.common import CELL, LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

GUARANTEE = pa.schema(
    [("simulator", LABEL), *CELL, ("guarantee", LABEL), *columns(pa.float64(), "tau", "upper")]
)
LEVEL = pa.schema(
    [
        ("simulator", LABEL),
        *CELL,
        *columns(pa.int32(), "m", "shared_people", "n_clusters"),
        *columns(pa.float64(), "icc", "design_effect"),
        ("guarantee", LABEL),
        *columns(pa.float64(), "level", "standard_error", "var_90"),
    ]
)

FEWEST_CLUSTERS = 20
SPLITS = 100


def curves_and_levels(
    table: pa.Table, scenarios: pa.Table, step: dict
) -> tuple[pa.Table, list[dict]]:
    """Return the table GUARANTEE and the rows of LEVEL, of pseudo-discrepancies."""
    weights = target_weights(scenarios["cluster"].to_pylist(), step["target"])
    how = {"index": step["index"], "eta": step["eta"]}
    drawn, promised = [], []
    for cell, arrays in cells_by_sides(table, scenarios, step["gamma"]):
        key = (step["seed"], step["dataset"], step["n"], *map(str, cell.values()))
        weight = None if weights is None else weights[arrays["scenario"]]
        for name, upper in curves(arrays, weight, stream(*key, "curves"), **how).items():
            drawn.append(({**cell, "guarantee": name}, {"upper": upper}))
        for level in levels(arrays, stream(*key, "levels"), **how):
            promised.append({**cell, **level})
    return curve_rows(drawn, GUARANTEE), promised


def curves(
    arrays: dict,
    weights: np.ndarray | None,
    generator: np.random.Generator,
    *,
    index: str,
    eta: float,
) -> dict[str, np.ndarray]:
    """Return the upper curve of each guarantee that has one, (101,) each.

    With ``weights``, also the asymptotic curve of the target population of scenarios. ``exact``
    allows for scenarios that depend on each other. In clusters it holds for more scenarios of the
    same clusters, since counts of events with unequal probabilities vary less (Hoeffding 1956). No
    other guarantee is known to hold for these in clusters.
    """
    upper, gamma_j, smallest = arrays["upper"], arrays["gamma_j"], arrays["smallest"]
    clusters, shared = arrays["clusters"], arrays["shared"]
    clustered = grouped(clusters) is not None
    upper_curves = {
        "asymptotic": quantile.quantile_curve(upper, gamma_j, TAU, index=index),
        "exact": certified_curve(arrays, TAU, eta),
    }
    if shared == 1 and not clustered:
        upper_curves |= {
            "simultaneous": guarantee.simultaneous_curve(upper, smallest, TAU, eta),
            "marginal": guarantee.weighted_marginal_curve(upper, gamma_j, smallest, TAU),
        }
    if weights is not None:
        upper_curves["target"] = target.weighted_quantile_curve(upper, gamma_j, TAU, weights)
    if shared == 1 and clustered:
        upper_curves["one_per_cluster"] = cluster.one_per_cluster_curve(
            upper, clusters, smallest, TAU, generator
        )
    return upper_curves


def levels(
    arrays: dict, generator: np.random.Generator, *, index: str, eta: float
) -> Iterator[dict]:
    """Yield each guarantee's share of scenarios on which V̂(0.9) holds.

    With one coverage V̂(0.9) is the order statistic of a rank that is fixed in advance. Where
    coverages differ, only guarantees for all ranks at once apply. With clusters, ``exact`` is about
    more scenarios of the same clusters. ``design_effect`` is about scenarios of new ones, or with
    fewer than 20 effective clusters ``new_cluster`` is. Where scenarios depend on each other, only
    ``exact`` allows for it.
    """
    upper, gamma_j, smallest = arrays["upper"], arrays["gamma_j"], arrays["smallest"]
    clusters, shared = arrays["clusters"], arrays["shared"]
    m = len(upper)
    bound = quantile.value_at_risk(upper, gamma_j, TAIL, index=index)
    rank = int((upper <= bound).sum())
    distinct = len(np.unique(clusters))
    clustered = grouped(clusters) is not None
    known = {
        "m": m,
        "shared_people": shared,
        "n_clusters": distinct,
        **_likeness(upper, clusters),
        "var_90": bound,
    }
    said = {"asymptotic": float(1 - TAIL)}
    if shared == 1 and not clustered:
        said |= {
            "simultaneous": 1.0 - float(guarantee.berk_jones_miss(m, smallest, eta)[rank - 1]),
            "dkw": 1.0 - guarantee.dkw_miss(m, smallest, rank, eta),
        }
    if (gamma_j == gamma_j[0]).all():
        rank = guarantee.index_map_rank(m, gamma_j[0], 1 - TAIL)
        said["exact"] = guarantee.exact_level(m, smallest, rank, eta, shared)
    if shared == 1 and "exact" in said:
        if not clustered:
            said["marginal"] = guarantee.marginal_level(m, smallest, rank)
            if gamma_j[0] == 0.5:
                said["paper"] = guarantee.paper_level(float(TAIL), m, eta)
        elif cluster.effective_clusters(clusters) >= FEWEST_CLUSTERS:
            missed = cluster.design_effect_exact_miss(upper, clusters, smallest, rank, eta)
            said["design_effect"] = 1.0 - missed
        else:
            missed = cluster.new_cluster_exact_miss(clusters, smallest, rank, eta)
            said["new_cluster"] = 1.0 - missed
    for name, level in said.items():
        yield {**known, "guarantee": name, "level": level}
    if m >= 4:
        held = target.held_out_coverage(arrays["oracle"], upper, gamma_j, TAIL, generator, SPLITS)
        spread = {"level": held.mean, "standard_error": held.standard_error}
        yield {**known, "guarantee": "held_out", **spread}


def _likeness(upper: np.ndarray, clusters: np.ndarray) -> dict:
    """Return the likeness within clusters, and the factor by which it divides m, where defined.

    The factor, the design effect, is at least 1: a smaller one is most likely chance.
    """
    if grouped(clusters) is None or not np.isfinite(upper).all() or np.ptp(upper) == 0:
        return {}
    return {
        "icc": cluster.intraclass_correlation(upper, clusters),
        "design_effect": max(1.0, cluster.design_effect(upper, clusters)),
    }


def target_weights(clusters: list[str], wanted: dict | None):
    """Return the scenarios' weights if the study speaks for a target of its own."""
    if wanted is None:
        return None
    try:
        return target.cluster_weights(np.array(clusters), wanted)
    except ValueError as error:
        raise DataError(f"target: {error}") from error


def main(snakemake):
    """Find what the curves guarantee."""
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    table = first_replicate(read(snakemake.input.pseudo_discrepancy, PSEUDO_DISCREPANCY))
    curves, levels = curves_and_levels(table, scenarios, step)
    made = {"guarantee": (curves, GUARANTEE), "levels": (levels, LEVEL)}
    write_tables(snakemake.output, made, step)
