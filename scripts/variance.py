"""Where the variance of a comparison comes from, and what it takes to see a difference."""

from itertools import combinations

import numpy as np

from fidelity import error_bars, planning
from fidelity.bootstrap import smoothed
from fidelity.extremum import between
from fidelity.stream import stream
from fidelity_study import tables
from fidelity_study.arrays import (
    Scenarios,
    among,
    cell_slices,
    codes,
    grouped,
    human,
    numbers,
)
from fidelity_study.script import run

RESAMPLES = 20
FEWEST = 3
ALPHA, POWER = 0.05, 0.8


def main(snakemake):
    step = snakemake.params.step
    described = tables.read(snakemake.input.scenarios, tables.SCENARIOS)
    scenarios = Scenarios.from_table(described)
    clusters = np.array(described["cluster"].to_pylist())
    people = scenarios.counts(
        human(tables.read(snakemake.input.outcomes, tables.OUTCOMES)), "count"
    )
    simulated = tables.read(snakemake.input.simulated, tables.SIMULATED_SAMPLE)
    rows = []
    for discrepancy in step["pairs"]:
        scores = {}
        for cell, own in answers(simulated, scenarios):
            generator = stream(step["seed"], step["dataset"], *cell, discrepancy, "variance")
            found = resampled(scenarios, people, own, discrepancy, step["smoothed"], generator)
            simulator, k = cell
            if not np.isinf(found).any():
                scores.setdefault(k, {})[simulator] = found
        for k, of_k in scores.items():
            for row in components(of_k, clusters):
                rows.append({"k": k, "discrepancy": discrepancy, **row})
    tables.write_rows(snakemake.output.variance, rows, tables.VARIANCE, step)
    tables.write_csv(snakemake.output.csv, rows, tables.VARIANCE.names)


def answers(simulated, scenarios: Scenarios):
    """Yield (simulator, k), and position of the scenario -> (shares, number of answers)."""
    first = simulated.filter(among(simulated["replicate"].cast("string"), ["0"]))
    ordered, slices = cell_slices(first, ["simulator", "k"])
    position = codes(ordered["scenario"], scenarios.names)
    many, shares = numbers(ordered["k_j"]), ordered["share"].to_pylist()
    for cell, rows in slices:
        own = zip(position[rows], shares[rows], many[rows], strict=True)
        yield tuple(cell.values()), {int(j): (share, k) for j, share, k in own}


def resampled(scenarios, people, own: dict, discrepancy: str, smooth: list, generator):
    """Return plug-in discrepancies with answers drawn anew, (m, K); NaN where there are none.

    As many answers as the simulator gave are drawn from their shares, K times; what is stated is
    the same each time.
    """
    found = np.full((len(people), RESAMPLES), np.nan)
    for members, scale in scenarios.groups():
        there = [j for j in members if j in own]
        if not there:
            continue
        share = np.array([own[j][0] for j in there])
        many = np.repeat([own[j][1] for j in there], RESAMPLES)
        p = np.array([people[j] / people[j].sum() for j in there])
        p, q = (np.repeat(each, RESAMPLES, axis=0) for each in (p, share))
        drawn = ~np.isnan(many)
        if drawn.any():
            k = many[drawn]
            q[drawn] = generator.multinomial(k.astype(int), q[drawn]) / k[:, None]
        if discrepancy in smooth:
            q = smoothed(q, many)
        score = between(p, q, discrepancy=discrepancy, scores=scale.scores)
        found[there] = score.reshape(len(there), RESAMPLES)
    return found


def components(scores: dict, clusters: np.ndarray):
    """Yield a row for each simulator's mean, and for each difference of two."""
    for simulator, own in scores.items():
        yield from row_of(clusters, simulator, None, own)
    for (simulator, own), (other, baseline) in combinations(scores.items(), 2):
        yield from row_of(clusters, simulator, other, own, baseline)


def row_of(clusters: np.ndarray, simulator: str, other: str | None, *scores: np.ndarray):
    """Yield the row, unless too few scenarios are answered."""
    there = ~np.isnan(scores).any(axis=(0, 2))
    if there.sum() < FEWEST:
        return
    parts = planning.variance_components(*(each[there] for each in scores))
    means = [each[there].mean(axis=1) for each in scores]
    effect = means[0] - means[1] if other is not None else means[0]
    total = planning.score_variance(parts.between, parts.within, (1,) * len(scores))
    design = design_effect(effect, clusters[there])
    row = {
        "simulator": simulator,
        "other": other,
        "m": int(there.sum()),
        "effect": float(effect.mean()),
        "between": parts.between,
        "within": parts.within[0],
        "within_other": parts.within[1] if other is not None else None,
        "total": total,
        "design_effect": design,
    }
    corrected = max(1.0, design)  # below 1 is most likely chance
    m, test = row["m"] / corrected, {"alpha": ALPHA, "power": POWER}
    row["minimum_detectable_effect"] = planning.minimum_detectable_effect(m, total, **test)
    if other is not None and effect.mean() != 0 and total > 0:
        needed = corrected * planning.scenarios_needed(float(effect.mean()), total, **test)
        row["scenarios_needed"] = float(np.ceil(needed))
    yield row


def design_effect(scores: np.ndarray, clusters: np.ndarray) -> float:
    """Return how much more the mean varies because scenarios come in clusters, 1 without.

    The squared ratio of the standard errors CR1 and CLT.
    """
    groups = grouped(clusters)
    alone = float(error_bars.clt_standard_error(scores))
    if groups is None or alone == 0:
        return 1.0
    return float(error_bars.cr1_standard_error(scores, groups) / alone) ** 2


run(main, snakemake)
