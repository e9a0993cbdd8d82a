"""Error bars of models' scores, paired differences, and power."""

from fidelity_study.run.script import run
from fidelity_study.steps.evaluation import (
    difference_rows,
    evaluation,
    mean_rows,
    missing_rows,
)
from fidelity_study.steps.evaluation_power import power_rows, sample_rows
from fidelity_study.tables.evaluation import DIFFERENCES, MEANS, MISSING, POWER, SAMPLES, SCORES
from fidelity_study.tables.read_write import read, write_csv, write_rows


def main(snakemake):
    step, output = snakemake.params.step, snakemake.output
    of = evaluation(read(snakemake.input.scores, SCORES), step)
    tables = {
        "means": (mean_rows(of), MEANS),
        "differences": (difference_rows(of), DIFFERENCES),
        "power": (power_rows(of), POWER),
        "samples": (sample_rows(of), SAMPLES),
        "missing": (missing_rows(of), MISSING),
    }
    for name, (found, schema) in tables.items():
        rows = list(found)
        write_rows(output[name], rows, schema, step)
        write_csv(output[f"{name}_csv"], rows, schema.names)


run(main, snakemake)
