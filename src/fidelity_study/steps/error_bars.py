"""Mean scores with error bars, differences between simulators, and their possible ranks.

Tables:
    MEANS: at the last n, first replicate, for each `score` (`plugin` or `upper`): `estimate`, the
        mean over m scenarios, `se` (CR2 over `n_clusters`; the CLT's if scenarios aren't grouped),
        `df` (degrees of freedom of Student's t), `lower`, `upper` (of level 1 - alpha of the
        config), for the `target`: `new` scenarios, of new clusters if there are clusters; or, where
        all are of one cluster, more of the `same cluster`. `effective_clusters`: the number of
        equally large clusters that would vary as much, if scenarios of a cluster agree; with fewer
        than 10 there is a `warning`, which also says why there is no interval; with fewer than 4
        the interval may be far too short, and there is no p-value, rank or verdict. Beside it
        `se_clt`, `se_cr1`, `se_cr0`, `se_paper`. The interval is empty where scores, or the
        clusters' sums, don't vary, or one cluster has nearly all scenarios
    DIFFERENCES: paired differences of mean scores, `simulator` minus `other`, on the scenarios that
        both answer: the same columns, `statistic`, `p_value`, `correlation` of the two scores
    RANKS: `first` and `last` rank that a simulator may have, and those it is `better_than`, when
        all pairs are compared at once at level alpha (t-intervals as above, alpha divided by the
        pairs), on the m scenarios that all answer, for the `target` `new`. Ranks of plug-in
        discrepancies allow for their noise, not for their bias: `comparison/mean_differences.csv`
        says who is closer in truth
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from fidelity.comparison import error_bars, ranking
from fidelity.comparison.error_bars import ErrorBar, Limits
from fidelity.comparison.evaluations import score_difference
from fidelity.comparison.few_clusters import grouped
from fidelity.curves.clusters import effective_clusters
from fidelity_study.steps.arrays import (
    cell_slices,
    codes,
    first_replicate,
    numbers,
    row_of,
    target_of,
)
from fidelity_study.steps.cluster_warning import warning, warning_of
from fidelity_study.steps.draws import compared, pairs
from fidelity_study.steps.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.common import ERROR_BAR, LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

SCORE = columns(LABEL, "k", "confidence_set", "gamma", "discrepancy", "score", "target")
BAR = [("m", pa.int32()), *ERROR_BAR]
TEST = columns(pa.float64(), "statistic", "p_value", "correlation")
MEANS = pa.schema(
    [
        ("simulator", LABEL),
        *SCORE,
        *BAR,
        *columns(pa.float64(), "se_clt", "se_cr1", "se_cr0", "se_paper"),
        ("warning", LABEL),
    ]
)
DIFFERENCES = pa.schema(
    [*columns(LABEL, "simulator", "other"), *SCORE, *BAR, *TEST, ("warning", LABEL)]
)
RANKS = pa.schema(
    [
        ("simulator", LABEL),
        *SCORE,
        *columns(pa.int32(), "m", "n_clusters"),
        ("effective_clusters", pa.float64()),
        *columns(pa.int32(), "first", "last"),
        ("better_than", pa.list_(pa.string())),
        ("warning", LABEL),
    ]
)

FORM = ["confidence_set", "gamma", "discrepancy"]
SCORES = ["plugin", "upper"]
FEWEST = 2


def forms(table: pa.Table, names: list[str]):
    """Yield (cell, simulator -> k -> score of each scenario (m,), NaN where it has none).

    Simulators with an infinite score have no mean, and are left out.
    """
    ordered, slices = cell_slices(table, [*FORM, "simulator", "k"])
    place = codes(ordered["scenario"], names)
    value = {score: numbers(ordered[score]) for score in SCORES}
    by_cell: dict[tuple, dict[str, dict[str, np.ndarray]]] = {}
    for cell, rows in slices:
        simulator, k = cell.pop("simulator"), cell.pop("k")
        for score in SCORES:
            vector = np.full(len(names), np.nan)
            vector[place[rows]] = value[score][rows]
            if not np.isinf(vector).any():
                by_simulator = by_cell.setdefault((*cell.items(), ("score", score)), {})
                by_simulator.setdefault(simulator, {})[k] = vector
    for form, by_simulator in by_cell.items():
        yield dict(form), by_simulator


def mean_rows(scores: dict, clusters: np.ndarray, alpha: float):
    """Yield each simulator's mean with its error bar, and the other standard errors beside it."""
    for simulator, k, score in (
        (name, k, score) for name, by_k in scores.items() for k, score in by_k.items()
    ):
        there = ~np.isnan(score)
        if there.sum() >= FEWEST:
            known, groups = score[there], grouped(clusters[there])
            members = np.arange(len(known)) if groups is None else groups
            yield {
                "simulator": simulator,
                "k": k,
                **bar_columns(error_bars.mean_error_bar(known, groups, level=1 - alpha)),
                "se_clt": float(error_bars.clt_standard_error(known)),
                "se_cr1": float(error_bars.cr1_standard_error(known, members)),
                "se_cr0": float(error_bars.cr0_standard_error(known, members)),
                "se_paper": float(error_bars.paper_clustered_standard_error(known, members)),
            }


def difference_rows(
    scores: dict,
    clusters: np.ndarray,
    alpha: float,
    columns: Callable[[ErrorBar], dict],
    limits_of: Callable[[str, str, np.ndarray], Limits | None] = lambda *_: None,
):
    """Yield the paired differences of simulators on the scenarios that both answer.

    Pairs with too few scenarios in common, or with an infinite score there, are left out.

    Args:
        scores: simulator -> score of each scenario, (m,), NaN where it has none.
        clusters: of the scenarios, (m,).
        alpha: one minus the confidence of each interval.
        columns: makes a row's columns of an error bar.
        limits_of: the smallest and the largest difference that there can be of two simulators on
            some scenarios; None where that is not known.
    """
    for simulator, other in pairs(scores, scores.__getitem__):
        score, baseline = scores[simulator], scores[other]
        both = ~np.isnan(score) & ~np.isnan(baseline)
        if both.sum() >= FEWEST and np.isfinite(score[both] + baseline[both]).all():
            groups = grouped(clusters[both])
            limits = limits_of(simulator, other, both)
            bar = score_difference(
                score[both], baseline[both], groups, level=1 - alpha, limits=limits
            )
            yield {"simulator": simulator, "other": other, **columns(bar)}


def bar_columns(bar: ErrorBar) -> dict:
    """Return an error bar as columns; the number of scenarios is m, as in all tables."""
    return row_of(pa.schema([*BAR, *TEST]), bar, m=bar.n) | {"warning": warning_of(bar)}


def rank_rows(scores: dict, clusters: np.ndarray, alpha: float):
    """Yield each simulator's rank interval, on the scenarios that all of them answer."""
    table = np.array(list(scores.values())).T
    everywhere = ~np.isnan(table).any(axis=1)
    if len(scores) < FEWEST or everywhere.sum() < FEWEST:
        return
    groups = grouped(clusters[everywhere])
    members = np.arange(everywhere.sum()) if groups is None else groups
    effective = effective_clusters(members)
    known: dict = {"m": int(everywhere.sum()), "n_clusters": len(set(members))}
    known |= {"effective_clusters": effective, "warning": warning(effective)}
    differences = ranking.simultaneous_differences(table[everywhere], clusters=groups, alpha=alpha)
    order = ranking.better(differences)
    ranks = zip(scores, order, ranking.rank_intervals(order).tolist(), strict=True)
    for simulator, is_better, (first, last) in ranks:
        worse = np.array([*scores])[is_better].tolist()
        ends = {"first": first, "last": last, "better_than": worse}
        yield {"simulator": simulator, **ends, **known}


def main(snakemake):
    """Put error bars on mean scores and on their differences."""
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    clusters = np.array(scenarios["cluster"].to_pylist())
    table = first_replicate(read(snakemake.input.pseudo_discrepancy, PSEUDO_DISCREPANCY))
    names = scenarios["scenario"].to_pylist()
    alpha = step["test"]["alpha"]
    means, differences, ranks = [], [], []
    for cell, scores in forms(table, names):
        cell["target"] = target_of(clusters)
        means += [{**cell, **row} for row in mean_rows(scores, clusters, alpha)]
        for k, at_k in compared(scores):
            form = {**cell, "k": k}
            differences += [
                {**form, **row} for row in difference_rows(at_k, clusters, alpha, bar_columns)
            ]
            ranks += [{**form, **row} for row in rank_rows(at_k, clusters, alpha)]
    made = {
        "means": (means, MEANS),
        "differences": (differences, DIFFERENCES),
        "ranks": (ranks, RANKS),
    }
    write_tables(snakemake.output, made, step)
