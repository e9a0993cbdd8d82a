"""The scores that models have in the evals of an evaluation, from logs and tables."""

from fidelity_study.errors import ErrorList
from fidelity_study.evals.read import read_eval
from fidelity_study.evals.rows import log_rows, reported_rows, score_rows
from fidelity_study.run.script import run, tell
from fidelity_study.tables.evaluation import LOGS, REPORTED, SCORES
from fidelity_study.tables.read_write import write_csv, write_rows


def main(snakemake):
    step, output = snakemake.params.step, snakemake.output
    faults, found = ErrorList(), {}
    for name, settings in step["evals"].items():
        with faults.collected():
            found[name] = read_eval(name, settings)
    faults.refuse()
    scores, logs, reported = (
        [row for name, files in found.items() for row in rows_of(name, files)]
        for rows_of in (score_rows, log_rows, reported_rows)
    )
    write_rows(output.scores, scores, SCORES, step)
    for name, rows, schema in (("logs", logs, LOGS), ("reported", reported, REPORTED)):
        write_rows(output[name], rows, schema, step)
        write_csv(output[f"{name}_csv"], rows, schema.names)
    tell(
        snakemake,
        [
            f"{log['file']}: {log[key]}"
            for log in logs
            for key in ("unfinished", "note")
            if log[key]
        ],
    )


run(main, snakemake)
