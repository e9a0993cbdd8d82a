"""How many people, scenarios and draws a next study needs, with this one as its pilot.

For the mean over these very scenarios: all of them, with all that is known of people. For curves:
the largest group of scenarios with the same options and scores, with all answers of people and
simulators. Observed shares are used without shrinkage; their noise makes plans cautious.
"""

import numpy as np

from fidelity_study.errors import DataError
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, human
from fidelity_study.steps.mean_discrepancy import People, cases
from fidelity_study.steps.plan import answers_of, fullest, mean_plans, plans, shares
from fidelity_study.steps.unanswered import answered, unanswered
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS, STATED
from fidelity_study.tables.nonresponse import NONRESPONSE
from fidelity_study.tables.plan import ISO_WIDTH, MEAN_PLANS, PLANS
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows

FEWEST = 2


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    described = read(files.scenarios, SCENARIOS)
    scenarios = Scenarios.from_table(described)
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
    asked = People.of(
        described, read(files.human, HUMAN_SAMPLE), step, read(files.respondents, RESPONDENTS)
    )
    lost = unanswered(read(files.nonresponse, NONRESPONSE), asked.names)
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    given = list(answered(simulated, asked.names, asked.counts.shape[1], lost))
    means = list(mean_plans(cases(asked, fullest(given), step), step))
    write_rows(snakemake.output.means, means, MEAN_PLANS, step)
    write_csv(snakemake.output.means_csv, means, MEAN_PLANS.names)


run(main, snakemake)
