"""Mean discrepancies between bounds that need no confidence set, their differences, and lists."""

from fidelity_study.run.script import run
from fidelity_study.steps import mean_discrepancy as steps
from fidelity_study.steps.unanswered import answered, unanswered
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.ingest import RESPONDENTS, SCENARIOS
from fidelity_study.tables.mean_discrepancy import (
    BY_CLUSTER,
    LISTS,
    MEAN_DIFFERENCES,
    MEAN_DISCREPANCY,
)
from fidelity_study.tables.nonresponse import NONRESPONSE
from fidelity_study.tables.read_write import read, write_csv, write_rows

TABLES = {
    "means": MEAN_DISCREPANCY,
    "by_cluster": BY_CLUSTER,
    "differences": MEAN_DIFFERENCES,
    "lists": LISTS,
}


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    people = steps.People.of(
        read(files.scenarios, SCENARIOS),
        read(files.human, HUMAN_SAMPLE),
        step,
        read(files.respondents, RESPONDENTS),
    )
    lost = unanswered(read(files.nonresponse, NONRESPONSE), people.names)
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    given = list(answered(simulated, people.names, people.counts.shape[1], lost))
    alpha, tolerance, many = step["test"]["alpha"], step["tolerance"], len(step["simulators"])
    cases = list(steps.cases(people, given, step))
    rows = {
        "means": [row for each in cases for row in steps.mean_rows(each, alpha, many)],
        "by_cluster": [row for each in cases for row in steps.cluster_rows(each, alpha)],
        "differences": list(steps.difference_rows(cases, alpha, many)),
        "lists": [
            row
            for each in cases
            for row in steps.list_rows(each, tolerance.get(each.discrepancy, []), alpha)
        ],
    }
    for name, schema in TABLES.items():
        write_rows(snakemake.output[name], rows[name], schema, step)
        write_csv(snakemake.output[f"{name}_csv"], rows[name], schema.names)


run(main, snakemake)
