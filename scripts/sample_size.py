"""How many people each simulator is worth: its equivalent human sample size."""

from fidelity.comparison.equivalent_sample_size import pooled_sample_size
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, human, numbers, only
from fidelity_study.steps.design import Sizes
from fidelity_study.steps.sample_size import GAMMA, by_scale, row
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, read_all, write_rows
from fidelity_study.tables.sample_size import SAMPLE_SIZE

WITH_KNOWN_SCORES = {"binary", "ordinal"}


def main(snakemake):
    step = snakemake.params.step
    described = read(snakemake.input.scenarios, SCENARIOS)
    outcomes = read_all(snakemake.input.outcomes, OUTCOMES)
    scenarios = Scenarios.from_table(described)
    effective = Sizes.of(described).at(numbers(described["n_effective"]), GAMMA)
    people = scenarios.counts(human(outcomes), "count")
    applies = set(described["kind"].to_pylist()) <= WITH_KNOWN_SCORES
    rows = []
    for simulator in step["simulators"] if applies else []:
        answers = scenarios.counts(only(outcomes, source=simulator), "count")
        parts = list(by_scale(scenarios, people, effective, answers, step["seed"]))
        rows += [row(simulator, pooled_sample_size(parts))] if parts else []
    write_rows(snakemake.output[0], rows, SAMPLE_SIZE, step)


run(main, snakemake)
