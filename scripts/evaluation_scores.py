"""The scores that models have in the evals of an evaluation, from logs and tables."""

from fidelity_study.errors import Faults
from fidelity_study.evals.read import read_eval
from fidelity_study.run.script import run, tell
from fidelity_study.tables.evaluation import LOGS, SCORES
from fidelity_study.tables.read_write import write_csv, write_rows


def main(snakemake):
    step = snakemake.params.step
    faults, found = Faults(), {}
    for name, settings in step["evals"].items():
        with faults.collected():
            found[name] = read_eval(name, settings)
    faults.refuse()
    scores, logs = [], []
    for name, files in found.items():
        for log in files:
            scores += [
                {
                    "eval": name,
                    "model": each.model,
                    "question": each.question,
                    "epoch": each.epoch,
                    "cluster": each.cluster,
                    "score": each.score,
                    "reason": each.reason or None,
                }
                for each in log.samples
            ]
            logs.append(
                {
                    "eval": name,
                    "file": log.path,
                    "kind": log.kind,
                    "models": ", ".join(sorted({each.model for each in log.samples})),
                    "samples": len(log.samples),
                    "unscored": sum(each.score is None for each in log.samples),
                    "unfinished": log.unfinished or None,
                    "note": "; ".join(log.notes),
                }
            )
    write_rows(snakemake.output.scores, scores, SCORES, step)
    write_rows(snakemake.output.logs, logs, LOGS, step)
    write_csv(snakemake.output.csv, logs, LOGS.names)
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
