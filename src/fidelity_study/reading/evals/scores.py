"""The scores that models have in the evals of an evaluation, from logs and tables."""

from fidelity_study.errors import ErrorList
from fidelity_study.reading.evals.read import read_eval
from fidelity_study.reading.evals.rows import (
    LOGS,
    REPORTED,
    SCORES,
    log_rows,
    reported_rows,
    score_rows,
)
from fidelity_study.tables.read_write import write_tables


def main(snakemake):
    """Read the scores of an evaluation."""
    step = snakemake.params.step
    faults, evals = ErrorList(), {}
    for name, settings in step["evals"].items():
        with faults.collected():
            evals[name] = read_eval(name, settings)
    faults.refuse()
    scores, logs, reported = (
        [row for name, files in evals.items() for row in rows_of(name, files)]
        for rows_of in (score_rows, log_rows, reported_rows)
    )
    made = {"scores": (scores, SCORES), "logs": (logs, LOGS), "reported": (reported, REPORTED)}
    write_tables(snakemake.output, made, step)
    return [
        f"{log['file']}: {log[key]}" for log in logs for key in ("unfinished", "note") if log[key]
    ]
