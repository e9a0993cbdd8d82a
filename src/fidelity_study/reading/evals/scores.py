"""The scores that models have in the evals of an evaluation, from logs and tables."""

from fidelity_study.errors import ErrorList
from fidelity_study.reading.evals.read import read_eval
from fidelity_study.reading.evals.rows import LOGS, SCORES, rows_of
from fidelity_study.tables.read_write import write_tables


def main(snakemake):
    """Read the scores of an evaluation."""
    step = snakemake.params.step
    faults, evals = ErrorList(), {}
    for name, settings in step["evals"].items():
        with faults.collected():
            evals[name] = read_eval(name, settings)
    faults.refuse()
    schemas = {"scores": SCORES, "logs": LOGS}
    rows = rows_of(evals)
    write_tables(snakemake.output, {name: (rows[name], schemas[name]) for name in rows}, step)
    return [
        f"{log['file']}: {log[key]}"
        for log in rows["logs"]
        for key in ("unfinished", "note")
        if log[key]
    ]
