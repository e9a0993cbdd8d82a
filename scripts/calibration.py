"""Whether what simulators state comes true: scores, calibration errors and reliability diagrams."""

from functools import partial

from fidelity.stream import stream
from fidelity_study.errors import DataError
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios, among, clusters_of, human, may_answer_several
from fidelity_study.steps.calibration import dependence, measured, rows_of
from fidelity_study.steps.events import groups_of
from fidelity_study.tables.calibration import CALIBRATION, RELIABILITY
from fidelity_study.tables.ingest import OUTCOMES, PERSONAS, SCENARIOS, STATED, STATED_BY_PERSONA
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    table = read(files.scenarios, SCENARIOS)
    scenarios = Scenarios.from_table(table)
    together = partial(dependence, clusters_of(table), may_answer_several(table))
    people = human(read_all(files.outcomes, OUTCOMES))
    personas = read(files.personas, PERSONAS)
    stated = read_all(files.stated, STATED)
    by_persona = read_all(files.stated_by_persona, STATED_BY_PERSONA)
    scores, bins = [], []
    for simulator in step["simulators"]:
        said, of_each = (
            each.filter(among(each["source"], [simulator])) for each in (stated, by_persona)
        )
        groups = groups_of(scenarios, people, personas, said, of_each)
        if len(groups.scenario) == 0:
            continue
        generator = stream(step["seed"], step["dataset"], simulator, "calibration")
        wanted = {key: step["calibration"][key] for key in ("bins", "rule", "closed")}
        found, diagrams = measured(groups, scenarios, wanted, together, generator)
        scores.append({"simulator": simulator, **found})
        for value, diagram in diagrams.items():
            bins += [{"simulator": simulator, "value": value, **row} for row in rows_of(diagram)]
    if not scores:
        raise DataError(
            f"dataset {step['dataset']}, calibration: none of its simulators states probabilities "
            f"({', '.join(step['simulators'])}); take the key calibration away"
        )
    for name, rows, schema in (
        ("scores", scores, CALIBRATION),
        ("reliability", bins, RELIABILITY),
    ):
        write_rows(snakemake.output[name], rows, schema, step)
    write_csv(snakemake.output.csv, scores, CALIBRATION.names)


run(main, snakemake)
