"""How many scenarios, people and draws a next study needs, with this one as its pilot.

The pilot is the largest group of scenarios with the same options and scores, with all answers of
people and simulators. Observed shares are used without shrinkage; their noise makes plans cautious.
"""

import numpy as np

from fidelity_study.errors import DataError
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, human
from fidelity_study.steps.plan import answers_of, plans, shares
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS, STATED
from fidelity_study.tables.plan import ISO_WIDTH, PLANS
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows

FEWEST = 2


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    scenarios = Scenarios.from_table(read(files.scenarios, SCENARIOS))
    outcomes = read_all(files.outcomes, OUTCOMES)
    stated = read_all(files.stated, STATED)
    members, scale = max(scenarios.groups(), key=lambda group: len(group[0]))
    if len(members) < FEWEST:
        raise DataError(
            f"datasets.{step['dataset']}.plan: a pilot has at least {FEWEST} scenarios with the "
            "same options; leave out plan"
        )
    people = shares(scenarios.counts(human(outcomes), "count"), members)
    answers = {
        name: answers_of(name, scenarios, outcomes, stated, members) for name in step["simulators"]
    }
    enough = {name: each for name, each in answers.items() if len(each.rows) >= FEWEST}
    scores = None if scale.scores is None else np.array(scale.scores)
    rows, lines = plans(people, scores, enough, step["plan"])
    write_rows(snakemake.output.plans, rows, PLANS, step)
    write_rows(snakemake.output.iso_width, lines, ISO_WIDTH, step)
    write_csv(snakemake.output.csv, rows, PLANS.names)


run(main, snakemake)
