"""Scores in the samples of lm-evaluation-harness: JSON Lines, a line for each document and filter.

``lm_eval --log_samples`` writes them as samples_TASK_TIME.jsonl, and results_TIME.json beside it,
which names the model.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path

from fidelity_study.errors import BLANK, Remedy, refusal
from fidelity_study.reading.evals.direction import HIGHER, LOWER, by_name, suggests_lower
from fidelity_study.reading.evals.files import HARNESS, NEEDED
from fidelity_study.reading.evals.samples import NO_SCORE, Figure, Log, Sample, chosen, cluster_of

ONCE = "1"


def read_samples(path: str, settings: dict) -> Log:
    """Return what a file of samples has.

    Args:
        path: of a file that lm-evaluation-harness wrote.
        settings: of the eval: ``score``, the metric, and ``filter``, where there are several;
            ``cluster``, a field of the document; ``model``, where the file's is to be called so.

    Raises:
        DataError: with what is wrong.
    """
    rows = list(_rows(path))
    metric = _chosen(path, "score", settings["score"], _names(rows, "metrics"), "metrics")
    filters = list(dict.fromkeys(str(row["filter"]) for _, row in rows))
    wanted = _chosen(path, "filter", settings["filter"], filters, "filters")
    notes = [f"its score is {metric}, by the filter {wanted}"]
    log = Log(path, HARNESS, notes=notes, score=metric)
    beside, lacks = _beside(path), "the document has no field"
    model = settings["model"] or _model(path, beside)
    for number, row in rows:
        if str(row["filter"]) == wanted:
            document = row["doc"] if isinstance(row.get("doc"), dict) else {}
            question, content = str(row["doc_id"]), str(row.get("doc_hash") or "")
            log.keep_fields(question, document)
            score = _score(path, number, row.get(metric), metric)
            reason = "" if score is not None else NO_SCORE
            cluster = cluster_of(path, document, settings["cluster"], lacks, line=number)
            log.samples.append(
                Sample(model, question, ONCE, cluster, score, reason, f"line {number}", content)
            )
    if (most := max(_repeats(row) for _, row in rows)) > 1:
        log.notes.append(
            f"has up to {most} answers to a question (repeats), and one score of them, by its "
            "filter; they are not counted as samples"
        )
    log.unfinished = _unfinished(path, beside, len(log.questions))
    log.figures = _figures(path, beside, metric, wanted)
    log.better, log.why_unknown = _better(path, beside, log)
    return log


def _rows(path: str) -> Iterator[tuple[int, dict]]:
    """Yield the number and the content of each line."""
    empty = True
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    empty = False
                    yield number, _row(path, number, line)
    except UnicodeDecodeError:
        raise refusal(
            "not-utf8", "is not UTF-8; name a file of samples of lm_eval", file=path
        ) from None
    if empty:
        raise refusal("empty-file", "is empty; name a file of samples of lm_eval", file=path)


def _row(path: str, number: int, line: str) -> dict:
    try:
        row = json.loads(line)
    except ValueError:
        raise refusal(
            "not-json", "is not JSON; was the file cut off? write it again", file=path, line=number
        ) from None
    lacking = [key for key in NEEDED if not isinstance(row, dict) or key not in row]
    if lacking:
        raise refusal(
            "no-sample",
            f"has no {' and no '.join(lacking)}, which samples of lm_eval have; name files "
            "that lm_eval --log_samples (0.4.5 or newer) wrote",
            file=path,
            line=number,
        )
    return row


def _repeats(row: dict) -> int:
    """Return how many answers a document's request got: ``repeats`` of its task."""
    answers = row.get("resps")
    requests = answers if isinstance(answers, list) else []
    return max((len(request) for request in requests if isinstance(request, list)), default=1)


def _names(rows: list[tuple[int, dict]], key: str) -> list[str]:
    return list(dict.fromkeys(str(name) for _, row in rows for name in row[key]))


def _chosen(path: str, key: str, wanted: str | None, there: list[str], what: str) -> str:
    """Return which of several is meant; the only one, or the one that the config names."""
    if not there:
        raise refusal(
            "not-scored",
            f"has no {what}, as its run was not scored; run it again with a task that scores, "
            "or leave the file out",
            file=path,
        )
    return chosen(key, wanted, there, what, file=path)


def _score(path: str, number: int, value: object, metric: str) -> float | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not isinstance(value, (bool, int, float)):
        raise refusal(
            "score-not-number",
            f"its {metric} is {json.dumps(value)[:80]}, not one number; name another metric: ",
            Remedy({"score": BLANK}),
            file=path,
            line=number,
        )
    return float(value)


def _results(path: str) -> Path:
    """Return where lm_eval writes the results of a file of samples."""
    time = Path(path).stem.rpartition("_")[2]
    return Path(path).with_name(f"results_{time}.json")


def _beside(path: str) -> dict:
    """Return the results beside the samples, empty if there are none."""
    try:
        results = json.loads(_results(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return results if isinstance(results, dict) else {}


def _model(path: str, beside: dict) -> str:
    """Return the model that the results beside the samples name."""
    name = beside.get("model_name")
    if not isinstance(name, str) or not name.strip():
        raise refusal(
            "no-model",
            f"does not say which model it is of, and {_results(path).name} beside it neither; "
            "name it: ",
            Remedy({"models": {path: BLANK}}),
            file=path,
        )
    return name


def _figures(path: str, beside: dict, metric: str, filter_name: str) -> list[Figure]:
    """Return what the results beside the samples state of a metric."""
    value = _of_task(path, beside, "results").get(f"{metric},{filter_name}")
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return []
    return [Figure(metric, "" if filter_name == "none" else filter_name, float(value))]


def _better(path: str, beside: dict, log: Log) -> tuple[str | None, str]:
    """Return which score is better, or else why that is not known.

    A metric's direction is that of its samples if it is their mean. The perplexity is not: it is
    exp(-mean) of log-likelihoods, so that lower is better of the one and higher of the other.
    """
    if not all(map(log.states, log.figures)):
        (figure,) = log.figures
        why = (
            f": the results beside it have {figure.value:.6g}, which is not the mean of its scores"
        )
        return by_name(log.score), why
    stated = _of_task(path, beside, "higher_is_better").get(log.score)
    if stated is None:
        return by_name(log.score), ""
    if stated and suggests_lower(log.score):
        return None, f": lm_eval says higher, but {log.score} sounds as if lower were"
    return HIGHER if stated else LOWER, ""


def _of_task(path: str, beside: dict, key: str) -> dict:
    """Return what the results beside the samples have of their task."""
    every = beside.get(key)
    task_results = every.get(_task(path)) if isinstance(every, dict) else None
    return task_results if isinstance(task_results, dict) else {}


def _task(path: str) -> str:
    return Path(path).stem.removeprefix("samples_").rpartition("_")[0]


def _unfinished(path: str, beside: dict, questions: int) -> str:
    """Say how many of its task's questions a file has, if the results beside it know of more."""
    every = _of_task(path, beside, "n-samples").get("original")
    if not isinstance(every, int) or questions >= every:
        return ""
    return f"has {questions} of the {every} questions of its task"
