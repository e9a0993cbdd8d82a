"""The scores that models have in the evals of an evaluation, from logs and tables."""

from fidelity_study.errors import ErrorList
from fidelity_study.reading.evals.read import read_eval
from fidelity_study.reading.evals.rows import LOGS, SCORES, log_rows, score_rows
from fidelity_study.tables.read_write import write_tables


def main(snakemake):
    """Read the scores of an evaluation."""
    step = snakemake.params.step
    faults, evals = ErrorList(), {}
    for name, settings in step["evals"].items():
        with faults.collected():
            evals[name] = read_eval(name, settings)
    faults.refuse()
    scores = [row for name, logs in evals.items() for row in score_rows(name, logs)]
    read = [row for name, logs in evals.items() for row in log_rows(name, logs)]
    write_tables(snakemake.output, {"scores": (scores, SCORES), "logs": (read, LOGS)}, step)
    return [
        f"{log['file']}: {log[key]}" for log in read for key in ("unfinished", "note") if log[key]
    ]
