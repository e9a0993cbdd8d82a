"""Variance components of a comparison, and the scenarios needed to see a difference.

Tables:
    VARIANCE: the parts of the variance of a `simulator`'s plug-in discrepancy, or of its difference
        from an `other`'s: `total`, the variance over scenarios of the very scores in
        `means.parquet`, each of one set of k draws; `within` of it from the draws (σ² per set of k;
        `within_other` the other's) and `between` scenarios (ω²), the rest, 0 where that is negative
        (`clipped`). `within` is estimated without bias: from up to 8 sets of k that share no
        answers, for `squared` and `l2` from one set in closed form, else it is empty, with the
        `reason`. `estimate`, `se`, `df`, `target`, `warning` and clusters as above;
        `cluster_inflation`, the squared ratio of `se` to the standard error without clusters;
        `minimum_detectable_effect` of a study like this one (empty with fewer than 4 effective
        clusters, which allow no test), at the config's `power` and `alpha`, by the same t, allowing
        for the error of `se`; for the `stated_effect` of the config the `scenarios_needed`, or
        where scenarios come in clusters the `clusters_needed`, as large and unequal as these
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.comparison import error_bars
from fidelity.comparison.draw_variance import DrawnScores, disjoint_sets, drawn_scores
from fidelity.comparison.few_clusters import grouped
from fidelity.planning import power as planning
from fidelity.stream import stream
from fidelity_study.steps.arrays import Scenarios, only, row_of, target_of
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.cluster_warning import warning_of
from fidelity_study.steps.draws import compared, pairs
from fidelity_study.steps.samples import first_samples
from fidelity_study.steps.unanswered import answered
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, read_all, write_tables

VARIANCE = pa.schema(
    [
        *columns(LABEL, "simulator", "other", "k", "discrepancy", "target"),
        *columns(pa.int32(), "m", "n_clusters"),
        *columns(pa.float64(), "effective_clusters", "estimate", "se", "df", "total", "between"),
        ("clipped", pa.bool_()),
        *columns(pa.float64(), "within", "within_other"),
        ("reason", LABEL),
        *columns(pa.float64(), "cluster_inflation", "minimum_detectable_effect", "stated_effect"),
        *columns(pa.float64(), "scenarios_needed", "clusters_needed"),
        ("warning", LABEL),
    ]
)

MOST_SETS = 8
FEWEST = 3
ONE_SET = "one set of draws: give 2k answers per scenario, or a smaller k"


def variance_rows(
    described: pa.Table, human: pa.Table, simulated: pa.Table, outcomes: pa.Table, step: dict
) -> list[dict]:
    """Return the rows of VARIANCE; a simulator with an infinite score has none."""
    scenarios = Scenarios.from_table(described)
    clusters = np.array(described["cluster"].to_pylist())
    people = first_samples(human, scenarios)
    by_discrepancy: dict[str, dict[str, dict[str, DrawnScores]]] = {}
    for answers in answered(simulated, scenarios.names, max(map(len, people), default=0)):
        simulator, k = answers.simulator, answers.k
        shares = [share[~np.isnan(share)] for share in answers.q]
        drawn = dict(zip(answers.rows, zip(shares, answers.draws, strict=True), strict=True))
        counts = scenarios.counts(only(outcomes, source=simulator), "count")
        generator = stream(step["seed"], step["dataset"], simulator, k, "variance")
        sets = {j: sets_of(share, many, counts[j], generator) for j, (share, many) in drawn.items()}
        for discrepancy in step["pairs"]:
            smooth = discrepancy in step["smoothed"]
            scores = scores_of(scenarios, people, drawn, sets, discrepancy, smooth)
            if not np.isinf(scores.score).any():
                by_discrepancy.setdefault(discrepancy, {}).setdefault(simulator, {})[k] = scores
    return [
        {**row, "discrepancy": discrepancy}
        for discrepancy, forms in by_discrepancy.items()
        for row in rows_of(forms, clusters, step["test"], discrepancy)
    ]


def sets_of(share: np.ndarray, many: float, everything: np.ndarray, generator) -> np.ndarray:
    """Return the shares of disjoint sets of draws, (K, d), the set that is scored first."""
    if np.isnan(many) or (everything % 1 != 0).any():
        return share[None]
    return disjoint_sets(everything, share * many, MOST_SETS, generator) / many


def scores_of(
    scenarios, people, drawn: dict, sets: dict, discrepancy: str, smooth: bool
) -> DrawnScores:
    """Return scores, and their variance from draws; NaN where nothing was drawn."""
    scores = DrawnScores(*np.full((2, len(people)), np.nan))
    for members, scale in scenarios.groups():
        there = [j for j in members if j in drawn]
        if there:
            p = np.array([people[j] for j in there])
            many = np.array([drawn[j][1] for j in there])
            how = {"discrepancy": discrepancy, "scores": scale.scores, "smooth": smooth}
            made = drawn_scores(p, [sets[j] for j in there], many, **how)
            scores.score[there], scores.within[there] = made
    return scores


def rows_of(
    scores: dict[str, dict[str, DrawnScores]], clusters: np.ndarray, test: dict, discrepancy: str
):
    """Yield a row for the mean of each simulator and k, and for each difference of two.

    Those that state probabilities are compared by these at each number of draws of the others.
    """
    for simulator, forms in scores.items():
        for k, plain in forms.items():
            for row in variance_row(clusters, test | {"effect": None}, simulator, None, plain):
                yield {**row, "k": k}
    stated = test["effect"].get(discrepancy)
    for k, taken in compared(scores):
        means = {name: part.score for name, part in taken.items()}
        at_effect = test | {"effect": stated}
        for simulator, other in pairs(taken, means.__getitem__):
            pair = taken[simulator], taken[other]
            for row in variance_row(clusters, at_effect, simulator, other, *pair):
                yield {**row, "k": k, "stated_effect": stated}


def variance_row(
    clusters: np.ndarray, test: dict, simulator: str, other: str | None, *scores: DrawnScores
) -> Iterator[dict]:
    """Yield the row, unless too few scenarios are answered."""
    there = ~np.isnan([part.score for part in scores]).any(axis=0)
    if there.sum() < FEWEST:
        return
    score = scores[0].score - scores[1].score if other is not None else scores[0].score
    within = [float(part.within[there].mean()) for part in scores]
    groups = grouped(clusters[there])
    bar = error_bars.mean_error_bar(score[there], groups, level=1 - test["alpha"])
    alone = float(error_bars.clt_standard_error(score[there]))
    is_clustered = bar.n_clusters < bar.n
    plan = planning.planned_test(bar, is_clustered=is_clustered, **test)
    inflation = float(bar.se / alone) ** 2 if groups is not None and alone else None
    yield row_of(
        VARIANCE,
        bar,
        plan,
        simulator=simulator,
        other=other,
        target=target_of(clusters),
        m=bar.n,
        total=score[there].var(ddof=1),
        warning=warning_of(bar),
        cluster_inflation=inflation,
        **{"clusters_needed" if is_clustered else "scenarios_needed": plan.needed},
        **components(score[there], within),
    )


def components(score: np.ndarray, within: list[float]) -> dict:
    """Return the parts of the variance, or why there are none."""
    known = dict(zip(("within", "within_other"), within, strict=False))
    parts_known = {name: value for name, value in known.items() if not np.isnan(value)}
    if len(parts_known) < len(within):
        return parts_known | {"reason": ONE_SET}
    parts = planning.components_of_scores(score, *within)
    return parts_known | {"between": parts.between, "clipped": parts.clipped}


def main(snakemake):
    """Tell the variance between scenarios from that of a simulator's answers."""
    step, files = snakemake.params.step, snakemake.input
    rows = variance_rows(
        read(files.scenarios, SCENARIOS),
        read(files.human, HUMAN_SAMPLE),
        read(files.simulated, SIMULATED_SAMPLE),
        read_all(files.outcomes, OUTCOMES),
        step,
    )
    write_tables(snakemake.output, {"variance": (rows, VARIANCE)}, step)
