"""Scores in logs of inspect_ai, read with its own reader."""

import math
from collections.abc import Iterator
from typing import Any

from fidelity_study.errors import refusal
from fidelity_study.reading.evals.direction import HIGHER, by_name, suggests_lower
from fidelity_study.reading.evals.files import INSPECT
from fidelity_study.reading.evals.samples import NO_SCORE, Figure, Log, Sample, chosen, cluster_of
from fidelity_study.reading.tabular.columns import as_number

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
SPREADS = {"stderr", "bootstrap_stderr", "std", "var"}
SUCCESS = "success"
ONCE, MEAN = "1", "mean"
HOW_TO_INSTALL = 'run make install-evals, or: pip install "fidelity-curves[evals]"'


def read_log(path: str, settings: dict) -> Log:
    """Return what a log has.

    Args:
        path: of a log, .eval or .json.
        settings: of the eval: ``score``, the scorer, or ``scorer.part`` where a score has several
            parts, and ``task``, where logs are of several; ``reducer``, where the log's own score
            of each question counts, which that reducer made of its samples; ``cluster``, a key of
            the samples' metadata; ``model``, where the log's is to be called so.

    Raises:
        DataError: with what is wrong.
    """
    log = _opened(path)
    eval_log = Log(path, INSPECT)
    if settings["task"] is not None and log.eval.task != settings["task"]:
        eval_log.notes.append(f"was left out, as its task is {log.eval.task}")
        return eval_log
    samples = log.samples or []
    if not any(sample.scores for sample in samples):
        raise refusal("not-scored", _unscored(log), file=path)
    scorer, part = _chosen(path, settings["score"], samples)
    eval_log.score = f"{scorer}.{part}" if part else scorer
    reducer = settings["reducer"]
    by = f", of each question by {reducer}" if reducer else ""
    eval_log.notes.append(f"is of the task {log.eval.task}, and its score is {eval_log.score}{by}")
    model = settings["model"] or log.eval.model
    for sample in samples:
        eval_log.keep_fields(str(sample.id), sample.metadata or {})
    key, lacks = settings["cluster"], "its metadata has no"
    clusters = {
        str(one.id): cluster_of(path, one.metadata or {}, key, lacks, within=f"sample {one.id}")
        for one in samples
    }
    answers = _samples(samples) if reducer is None else _reduced(path, log, scorer, reducer)
    for sample, epoch, place in answers:
        score, reason = _score(sample, scorer, part)
        question = str(sample.id)
        content = sample.input if isinstance(sample.input, str) else ""
        eval_log.samples.append(
            Sample(model, question, epoch, clusters[question], score, reason, place, content)
        )
    eval_log.unfinished = _unfinished(log, len(eval_log.questions))
    figures = _figures(log, scorer, part)
    eval_log.figures = [figure for figure in figures if reducer in (None, figure.by)]
    eval_log.better = _better(eval_log, log, scorer)
    return eval_log


def _samples(samples: list) -> Iterator[tuple[Any, str, str]]:
    """Yield the samples with their epochs, and where they are."""
    for sample in samples:
        yield sample, str(sample.epoch), f"sample {sample.id}, epoch {sample.epoch}"


def _reduced(path: str, log: Any, scorer: str, reducer: str) -> Iterator[tuple[Any, str, str]]:
    """Yield a sample of each question, with the score that a reducer made of its epochs."""
    reductions = {
        reduction.reducer or MEAN: reduction
        for reduction in log.reductions or []
        if reduction.scorer == scorer
    }
    chosen("reducer", reducer, [*reductions], file=path)
    scores = {str(score.sample_id): score for score in reductions[reducer].samples}
    first = {str(sample.id): sample for sample in reversed(log.samples)}
    for question, sample in reversed(first.items()):
        score, place = scores.get(question), f"sample {question}, {reducer}"
        reduced = {"scores": {}} if score is None else {"scores": {scorer: score}, "error": None}
        yield sample.model_copy(update=reduced), ONCE, place


def _figures(log: Any, scorer: str, part: str) -> Iterator[Figure]:
    """Yield what the log states of a score over all questions, without its spreads."""
    for score in log.results.scores if log.results else []:
        if score.name == (part or scorer) and scorer in (score.name, score.scorer):
            for key, metric in score.metrics.items():
                is_mean = metric.name not in SPREADS and metric.group is None
                if is_mean and math.isfinite(metric.value):
                    yield Figure(key, score.reducer or "", float(metric.value))


def _better(eval_log: Log, log: Any, scorer: str) -> str | None:
    """Return that higher is better of what is right or wrong, or well known; None of others."""
    if suggests_lower(eval_log.score):
        return None
    names = [*eval_log.score.split("."), *(figure.metric for figure in eval_log.figures)]
    values = (
        sample.scores[scorer].value for sample in log.samples if scorer in (sample.scores or {})
    )
    graded = any(isinstance(value, str) and value in LETTERS for value in values)
    return HIGHER if graded or any(map(by_name, names)) else None


def task_of(path: str) -> str:
    """Return the task of a log."""
    return _opened(path, header_only=True).eval.task


def value_of(value: object) -> float | None:
    """Return a score as inspect_ai's ``value_to_float`` does; None where that knows no number."""
    if isinstance(value, str):
        number = as_number(value.strip())
        return LETTERS.get(value, WORDS.get(value.lower(), number))
    if isinstance(value, (bool, int, float)) and math.isfinite(value):
        return float(value)
    return None


def _opened(path: str, *, header_only: bool = False) -> Any:
    try:
        from inspect_ai.log import read_eval_log
    except ModuleNotFoundError:
        raise refusal(
            "not-installed",
            f"is a log of inspect_ai, which is not installed; {HOW_TO_INSTALL}",
            file=path,
        ) from None
    try:
        return read_eval_log(path, header_only=header_only)
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


def _chosen(path: str, wanted: str | None, samples: list) -> tuple[str, str]:
    """Return the scorer and the part of its score, empty if that has no parts."""
    there: dict[str, None] = {}
    for sample in samples:
        for scorer, score in (sample.scores or {}).items():
            parts = score.value if isinstance(score.value, dict) else {}
            there |= dict.fromkeys([f"{scorer}.{part}" for part in parts] or [scorer])
    name = chosen("score", wanted, list(there), file=path)
    is_whole = any(name in (sample.scores or {}) for sample in samples)
    scorer, _, part = (name, "", "") if is_whole else name.partition(".")
    return scorer, part


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
