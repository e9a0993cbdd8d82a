"""Rows of the tables that what was read becomes: samples, files, and what files state."""

from collections.abc import Iterator

from fidelity_study.evals.samples import Log


def score_rows(name: str, logs: list[Log]) -> Iterator[dict]:
    """Yield a row for each sample of an eval."""
    for log in logs:
        for each in log.samples:
            yield {
                "eval": name,
                "model": each.model,
                "question": each.question,
                "epoch": each.epoch,
                "cluster": each.cluster,
                "score": each.score,
                "better": log.better,
                "reason": each.reason or None,
            }


def log_rows(name: str, logs: list[Log]) -> Iterator[dict]:
    """Yield a row for each file of an eval."""
    for log in logs:
        yield {
            "eval": name,
            "file": log.path,
            "kind": log.kind,
            "models": ", ".join(sorted({each.model for each in log.samples})),
            "samples": len(log.samples),
            "unscored": sum(each.score is None for each in log.samples),
            "unfinished": log.unfinished or None,
            "note": "; ".join(log.notes),
        }


def reported_rows(name: str, logs: list[Log]) -> Iterator[dict]:
    """Yield a row for each figure that a log states of its score, beside the mean score."""
    for log in logs:
        for figure in log.figures:
            yield {
                "eval": name,
                "file": log.path,
                "model": log.samples[0].model,
                "score": log.score,
                "metric": figure.metric,
                "by": figure.by or None,
                "reported": figure.value,
                "mean": log.mean,
                "same": log.states(figure),
            }
