"""Logs of inspect_ai as tables of scores, read with its own reader."""

import math
from collections.abc import Iterator
from typing import Any

from fidelity_study.errors import refusal
from fidelity_study.reading.evals.direction import HIGHER, by_name, suggests_lower
from fidelity_study.reading.evals.files import INSPECT
from fidelity_study.reading.evals.samples import NO_SCORE, Run, sheet_of
from fidelity_study.reading.tabular.columns import as_number

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
SPREADS = {"stderr", "bootstrap_stderr", "std", "var"}
SUCCESS = "success"
COLUMNS = {"question": "id", "epoch": "epoch"}
HOW_TO_INSTALL = 'run make install-evals, or: pip install "fidelity-curves[evals]"'


def read_log(path: str) -> Run:
    """Return a log as a table: a score is called by its scorer, or SCORER.PART where it has parts.

    Raises:
        DataError: with what is wrong.
    """
    log = _opened(path)
    samples = log.samples or []
    if not any(sample.scores for sample in samples):
        raise refusal("not-scored", _unscored(log), file=path)
    scores = _scores(samples)
    rows, about = [], []
    for sample in samples:
        cells = {**(sample.metadata or {}), "id": str(sample.id), "epoch": sample.epoch}
        reasons = {}
        for name, (scorer, part) in scores.items():
            cells[name], reasons[name] = _score(sample, scorer, part)
        rows.append(cells)
        content = sample.input if isinstance(sample.input, str) else ""
        about.append((f"sample {sample.id}, epoch {sample.epoch}", content, reasons))
    run = Run(
        INSPECT,
        log.eval.task,
        log.eval.model,
        sheet_of(path, rows),
        COLUMNS,
        [*scores],
        about,
        figures={name: [*_figures(log, *scores[name])] for name in scores},
        unfinished=_unfinished(log, len({str(sample.id) for sample in samples})),
    )
    for name, (scorer, _) in scores.items():
        if _is_high(run, name, [(sample.scores or {}).get(scorer) for sample in samples]):
            run.doubts |= {name: ""} if suggests_lower(name) else {}
            run.better |= {} if suggests_lower(name) else {name: HIGHER}
    return run


def _scores(samples: list) -> dict[str, tuple[str, str]]:
    """Return the scorer of each score, and the part of it; empty if it has no parts."""
    scores: dict[str, tuple[str, str]] = {}
    for sample in samples:
        for scorer, score in (sample.scores or {}).items():
            parts = score.value if isinstance(score.value, dict) else {}
            scores |= {f"{scorer}.{part}": (scorer, part) for part in parts}
            scores |= {} if parts else {scorer: (scorer, "")}
    return scores


def _figures(log: Any, scorer: str, part: str) -> Iterator[tuple[str, str, float]]:
    """Yield what the log states of a score over all questions, without its spreads."""
    for score in log.results.scores if log.results else []:
        if score.name == (part or scorer) and scorer in (score.name, score.scorer):
            for key, metric in score.metrics.items():
                is_mean = metric.name not in SPREADS and metric.group is None
                if is_mean and math.isfinite(metric.value):
                    yield key, score.reducer or "", float(metric.value)


def _is_high(run: Run, name: str, given: list) -> bool:
    """Return whether higher is better, as of what is right or wrong, or well known."""
    names = [*name.split("."), *(metric for metric, *_ in run.figures[name])]
    values = (score.value for score in given if score is not None)
    graded = any(isinstance(value, str) and value in LETTERS for value in values)
    return graded or any(map(by_name, names))


def value_of(value: object) -> float | None:
    """Return a score as inspect_ai's ``value_to_float`` does; None where that knows no number."""
    if isinstance(value, str):
        number = as_number(value.strip())
        return LETTERS.get(value, WORDS.get(value.lower(), number))
    if isinstance(value, (bool, int, float)) and math.isfinite(value):
        return float(value)
    return None


def _opened(path: str) -> Any:
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError:
        raise refusal(
            "not-installed",
            f"is a log of inspect_ai, which is not installed; {HOW_TO_INSTALL}",
            file=path,
        ) from None
    try:
        return read_eval_log(path)
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise refusal(
            "unreadable",
            "cannot be read as a log of inspect_ai: it is cut off, damaged or something else "
            f"(its reader says: {reason}); name a whole log",
            file=path,
        ) from None


def _unscored(log: Any) -> str:
    """Say why a log without a single score has none, and what to do."""
    samples = log.samples or []
    failed = [sample for sample in samples if sample.error is not None]
    many = f"none of its {len(samples)} samples has a score" if samples else "has no samples"
    how = f"{many}, and its status is {log.status}"
    if failed:
        how += f": {len(failed)} failed, the first by {_reason(failed[0].error)}"
    elif log.error is not None:
        how += f": {_reason(log.error)}"
    if samples and not failed and log.status == SUCCESS:
        return f"{how}: it was not scored; score it (inspect score LOG), or leave it out"
    again = "inspect eval" if log.status == SUCCESS else "inspect eval-retry LOG"
    return f"{how}; mend the cause and run it again ({again}), or leave it out"


def _reason(error: Any) -> str:
    return " ".join(str(error.message).split())[:120]


def _unfinished(log: Any, questions: int) -> str:
    """Say how a log is less than its whole dataset, as often as it was to be asked."""
    every, config = log.eval.dataset.samples, log.eval.config
    samples, epochs = len(log.samples), config.epochs or 1
    there = f"{questions} of {every} questions" if every else f"{questions} questions"
    if log.status != SUCCESS:
        planned = f" of {every * epochs}" if every and epochs > 1 else ""
        more = f" and {samples}{planned} samples" if epochs > 1 else ""
        return f"did not finish: its status is {log.status}, and it has {there}{more}"
    if every and questions < every:
        is_limited = config.limit is not None or config.sample_id is not None
        return f"has {there} of its dataset{', as its run was limited' if is_limited else ''}"
    if samples < questions * epochs:
        return f"has {samples} of {questions * epochs} samples"
    return ""


def _score(sample: Any, scorer: str, part: str) -> tuple[float | None, str]:
    """Return a sample's score, or why there is none."""
    if sample.error is not None:
        return None, f"error: {_reason(sample.error)}"
    if scorer not in (sample.scores or {}):
        return None, NO_SCORE
    value = sample.scores[scorer].value
    if part:
        value = value.get(part) if isinstance(value, dict) else None
    number = value_of(value)
    return number, "" if number is not None else f"no number: {str(value)[:80]}"
