"""What people would answer to questions not asked of them, and how often predictions hold."""

from fidelity_study.run.script import run
from fidelity_study.steps.predict import (
    Study,
    held_out_rows,
    likeness,
    measured,
    nearest_rows,
    prediction_rows,
)
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS, STATED
from fidelity_study.tables.predict import FEATURES, HELD_OUT, NEAREST, PREDICTIONS, QUESTIONS
from fidelity_study.tables.read_write import read, read_all, write_csv, write_rows

TABLES = {"predictions": PREDICTIONS, "held_out": HELD_OUT, "nearest": NEAREST}


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    study = Study(
        read(files.scenarios, SCENARIOS),
        read(files.human, HUMAN_SAMPLE),
        read(files.outcomes, OUTCOMES),
        read(files.simulated, SIMULATED_SAMPLE),
        read(files.questions, QUESTIONS),
        (read_all(files.new_outcomes, OUTCOMES), read_all(files.new_stated, STATED)),
        read(files.features, FEATURES),
        read(files.respondents, RESPONDENTS),
        step,
    )
    found, refused = measured(study)
    alike = likeness(study)
    rows = {
        "predictions": [row for each in found for row in prediction_rows(study, each, alike)],
        "held_out": [row for each in found for row in held_out_rows(study, each, alike)] + refused,
        "nearest": list(nearest_rows(study, found, alike)),
    }
    for name, schema in TABLES.items():
        write_rows(snakemake.output[name], rows[name], schema, step)
        write_csv(snakemake.output[f"{name}_csv"], rows[name], schema.names)


run(main, snakemake)
