"""How much a simulator's discrepancy depends on the prompt: the worst, the average, the spread."""

from fidelity_study.run.script import run
from fidelity_study.steps import mean_discrepancy, prompts
from fidelity_study.steps.arrays import Scenarios
from fidelity_study.steps.unanswered import answered
from fidelity_study.steps.variance import first_samples
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.mean_discrepancy import MEAN_DIFFERENCES
from fidelity_study.tables.prompts import PROMPTS
from fidelity_study.tables.read_write import read, write_csv, write_rows
from fidelity_study.tables.simulate import ASKED


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    described, human = read(files.scenarios, SCENARIOS), read(files.human, HUMAN_SAMPLE)
    people = mean_discrepancy.People.of(described, human, step)
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    names = [name for each in step["prompted"].values() for name in each]
    given = [
        each
        for each in answered(simulated, people.names, people.counts.shape[1], {})
        if each.simulator in names
    ]
    asked = {
        name: read(path, ASKED) for name, path in zip(names, snakemake.input.asked, strict=True)
    }
    shares = first_samples(human, Scenarios.from_table(described))
    rows = list(
        prompts.prompt_rows(
            list(mean_discrepancy.cases(people, given, step)),
            prompts.splits_of(described, shares, asked, step),
            read(files.differences, MEAN_DIFFERENCES).to_pylist(),
            step,
        )
    )
    write_rows(snakemake.output.prompts, rows, PROMPTS, step)
    write_csv(snakemake.output.csv, rows, PROMPTS.names)


run(main, snakemake)
