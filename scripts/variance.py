"""Where the variance of a comparison comes from, and what it takes to see a difference."""

import numpy as np

from fidelity.stream import stream
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, among
from fidelity_study.steps.variance import (
    Scores,
    answers,
    first_samples,
    rows_of,
    scores_of,
    sets_of,
)
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows
from fidelity_study.tables.variance import VARIANCE


def main(snakemake):
    step = snakemake.params.step
    described = read(snakemake.input.scenarios, SCENARIOS)
    scenarios = Scenarios.from_table(described)
    clusters = np.array(described["cluster"].to_pylist())
    people = first_samples(read(snakemake.input.human, HUMAN_SAMPLE), scenarios)
    outcomes = read_all(snakemake.input.outcomes, OUTCOMES)
    simulated = read(snakemake.input.simulated, SIMULATED_SAMPLE)
    found: dict[tuple, dict[str, Scores]] = {}
    for simulator, k, own in answers(simulated, scenarios):
        everything = outcomes.filter(among(outcomes["source"], [simulator]))
        counts = scenarios.counts(everything, "count")
        generator = stream(step["seed"], step["dataset"], simulator, k, "variance")
        sets = {j: sets_of(share, many, counts[j], generator) for j, (share, many) in own.items()}
        for discrepancy in step["pairs"]:
            smooth = discrepancy in step["smoothed"]
            scores = scores_of(scenarios, people, own, sets, discrepancy, smooth)
            if not np.isinf(scores.score).any():
                found.setdefault((k, discrepancy), {})[simulator] = scores
    rows = [
        {"k": k, "discrepancy": discrepancy, **row}
        for (k, discrepancy), scores in found.items()
        for row in rows_of(scores, clusters, step["test"], discrepancy)
    ]
    write_rows(snakemake.output.variance, rows, VARIANCE, step)
    write_csv(snakemake.output.csv, rows, VARIANCE.names)


run(main, snakemake)
