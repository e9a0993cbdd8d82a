"""Proper scores of what simulators state or draw, with the differences between simulators."""

import numpy as np

from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, human, only
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.error_bars import difference_rows
from fidelity_study.steps.given import distributions, given
from fidelity_study.steps.given import scored as scored_stated
from fidelity_study.steps.intervals import answers
from fidelity_study.steps.proper_scores import answers_of, difference_columns, mean_rows, scored
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS, STATED
from fidelity_study.tables.proper_scores import PROPER_SCORES
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows

ALPHA = 0.05


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    table = read(files.scenarios, SCENARIOS)
    scenarios, clusters = Scenarios.from_table(table), np.array(table["cluster"].to_pylist())
    of_numbers = table["kind"][0].as_py() in ("bounded", "real")
    outcomes = read_all(files.outcomes, OUTCOMES)
    stated = read_all(files.stated, STATED)
    people = scenarios.counts(human(outcomes), "count")
    numbers_of = answers(human(outcomes), scenarios.names)
    found = {"crps": {}} if of_numbers else {"brier": {}, "log": {}}
    usual = dict(found)
    forms, told = {}, given(files.given) if of_numbers else None
    for name in step["simulators"]:
        if told is not None and len(only(told, source=name)):
            stated_by = distributions(told, name, scenarios.names)
            forms[name] = {"form": STATED_FORM}
            for score in stated_by.scores:
                of = found.setdefault(score, {})
                of[name] = scored_stated(score, stated_by, numbers_of, len(scenarios.names))
            continue
        answered, forms[name] = answers_of(name, scenarios, outcomes, stated)
        for score, of in usual.items():
            of[name] = scored(score, scenarios, answered, people, forms[name]["form"])
    rows = [
        {"score": score, **row}
        for score, of in found.items()
        for row in [
            *mean_rows(of, forms, clusters),
            *difference_rows(of, clusters, ALPHA, difference_columns),
        ]
    ]
    write_rows(snakemake.output.scores, rows, PROPER_SCORES, step)
    write_csv(snakemake.output.csv, rows, PROPER_SCORES.names)


run(main, snakemake)
