"""Proper scores of what simulators state or draw, with the differences between simulators."""

import numpy as np

from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, human
from fidelity_study.steps.proper_scores import answers_of, difference_rows, mean_rows, scored
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS, STATED
from fidelity_study.tables.proper_scores import PROPER_SCORES
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    table = read(files.scenarios, SCENARIOS)
    scenarios, clusters = Scenarios.from_table(table), np.array(table["cluster"].to_pylist())
    of_numbers = table["kind"][0].as_py() in ("bounded", "real")
    outcomes = read_all(files.outcomes, OUTCOMES)
    stated = read_all(files.stated, STATED)
    people = scenarios.counts(human(outcomes), "count")
    found = {"crps": {}} if of_numbers else {"brier": {}, "log": {}}
    forms = {}
    for name in step["simulators"]:
        given, forms[name] = answers_of(name, scenarios, outcomes, stated)
        for score, of in found.items():
            of[name] = scored(score, scenarios, given, people, forms[name]["form"])
    rows = [
        {"score": score, **row}
        for score, of in found.items()
        for row in [*mean_rows(of, forms, clusters), *difference_rows(of, clusters)]
    ]
    write_rows(snakemake.output.scores, rows, PROPER_SCORES, step)
    write_csv(snakemake.output.csv, rows, PROPER_SCORES.names)


run(main, snakemake)
