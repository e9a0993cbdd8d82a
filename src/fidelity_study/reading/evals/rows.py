"""Rows of the tables that what was read becomes: samples, files, and what files state.

Tables:
    SCORES: every sample as it was read: `eval`, `model`, `question`, `epoch` (which of several
        samples of the question), `cluster`, `score`, which score is `better` (`higher` or `lower`),
        or the `reason` why there is none. Questions are the same by their `question` within one
        eval only
    LOGS: each `file` that was read: its `kind`, the `models` in it, `samples`, how many are
        `unscored`, how it is `unfinished` (its run stopped, or has fewer questions or samples than
        its dataset), and a `note`, such as which of several scores counts
"""

from collections.abc import Iterator

import pyarrow as pa

from fidelity_study.reading.evals.samples import Log
from fidelity_study.tables.common import LABEL, columns

SCORES = pa.schema(
    [
        *columns(LABEL, "eval", "model", "question", "epoch", "cluster"),
        ("score", pa.float64()),
        *columns(LABEL, "better", "reason"),
    ]
)
LOGS = pa.schema(
    [
        ("eval", LABEL),
        ("file", pa.string()),
        ("kind", LABEL),
        ("models", pa.string()),
        *columns(pa.int32(), "samples", "unscored"),
        *columns(pa.string(), "unfinished", "note"),
    ]
)


def score_rows(name: str, logs: list[Log]) -> Iterator[dict]:
    """Yield a row for each sample of an eval."""
    for log in logs:
        for sample in log.samples:
            yield {
                "eval": name,
                "model": sample.model,
                "question": sample.question,
                "epoch": sample.epoch,
                "cluster": sample.cluster,
                "score": sample.score,
                "better": log.better,
                "reason": sample.reason or None,
            }


def log_rows(name: str, logs: list[Log]) -> Iterator[dict]:
    """Yield a row for each file of an eval."""
    for log in logs:
        yield {
            "eval": name,
            "file": log.path,
            "kind": log.kind,
            "models": ", ".join(sorted({sample.model for sample in log.samples})),
            "samples": len(log.samples),
            "unscored": sum(sample.score is None for sample in log.samples),
            "unfinished": log.unfinished or None,
            "note": "; ".join(log.notes),
        }
