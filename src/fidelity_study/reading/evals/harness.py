"""Samples of lm-evaluation-harness as a table: JSON Lines, a line for each document and filter.

``lm_eval --log_samples`` writes them as samples_TASK_TIME.jsonl, and results_TIME.json beside it,
which names the model.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean

from fidelity_study.errors import refusal
from fidelity_study.reading.evals.direction import HIGHER, LOWER, by_name, of_table, suggests_lower
from fidelity_study.reading.evals.files import HARNESS, NEEDED
from fidelity_study.reading.evals.samples import Run, is_mean, sheet_of
from fidelity_study.reading.tabular.shown import shown

ID, NO_FILTER = "doc_id", "none"


def read_samples(path: str) -> Run:
    """Return samples as a table; scores are called METRIC,FILTER, as in lm_eval's results.

    Raises:
        DataError: with what is wrong.
    """
    rows: dict[tuple[str, int], dict] = {}
    about: dict[tuple[str, int], tuple[str, str, Mapping[str, str]]] = {}
    values: dict[str, list[object]] = {}
    repeats, times = 1, Counter[tuple[str, str]]()
    for number, row in _rows(path):
        question, by = str(row[ID]), str(row["filter"])
        times[question, by] += 1
        key = question, times[question, by]
        document = row["doc"] if isinstance(row.get("doc"), dict) else {}
        about.setdefault(key, (f"line {number}", str(row.get("doc_hash") or ""), {}))
        cells = rows.setdefault(key, {**document, ID: question})
        repeats = max(repeats, _repeats(row))
        for metric in map(str, row["metrics"]):
            name = metric if by == NO_FILTER else f"{metric},{by}"
            value = row.get(metric)
            if _is_number(value):
                cells[name] = None if value is None or math.isnan(value) else float(value)
            values.setdefault(name, []).append(value)
    scores = [name for name, scored in values.items() if all(map(_is_number, scored))]
    if not scores:
        why = f"of {shown(values)} none is a number for each question"
        why = why if values else "has no metrics, as its run was not scored"
        what = f"{why}; run it again with a task that scores, or leave the file out"
        raise refusal("not-scored", what, file=path)
    beside, task = _beside(path), _task(path)
    model = beside.get("model_name")
    questions = len({question for question, _ in rows})
    run = Run(
        HARNESS,
        task,
        model.strip() if isinstance(model, str) else "",
        sheet_of(path, [*rows.values()]),
        {"question": ID},
        scores,
        [*about.values()],
        unfinished=_unfinished(task, beside, questions),
    )
    if repeats > 1:
        run.notes = [
            f"has up to {repeats} answers to a question (repeats), and one score of them, by its "
            "filter; they are not counted as samples"
        ]
    for name in scores:
        _add_direction(run, name, beside, [cells[name] for cells in rows.values() if name in cells])
    return run


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float)


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


def _add_direction(run: Run, name: str, beside: dict, numbers: list[float | None]) -> None:
    """Add what the results beside the samples state of a score, and which one is better.

    A metric's direction is that of its samples if it is their mean. The perplexity is not: it is
    exp(-mean) of log-likelihoods, so that lower is better of the one and higher of the other.
    """
    metric, _, by = name.partition(",")
    value = _of_task(run.task, beside, "results").get(f"{metric},{by or NO_FILTER}")
    if isinstance(value, int | float) and math.isfinite(value):
        run.figures = {**run.figures, name: [(metric, by, float(value))]}
        there = [number for number in numbers if number is not None]
        if not is_mean(value, fmean(there) if there else None):
            why = f"the results beside it have {value:.6g}, which is not the mean of its scores"
            run.better |= {name: HIGHER} if by_name(metric) else {}
            run.doubts |= {} if by_name(metric) else {name: why}
            return
    stated = _of_task(run.task, beside, "higher_is_better").get(metric)
    if stated and suggests_lower(metric):
        run.doubts[name] = f"lm_eval says higher, but {metric} sounds as if lower were"
    elif stated is not None:
        run.better[name] = HIGHER if stated else LOWER
    elif known := of_table(metric):
        run.better[name] = known


def _of_task(task: str, beside: dict, key: str) -> dict:
    """Return what the results beside the samples have of their task."""
    every = beside.get(key)
    task_results = every.get(task) if isinstance(every, dict) else None
    return task_results if isinstance(task_results, dict) else {}


def _task(path: str) -> str:
    """Return which task lm_eval names a file after."""
    return Path(path).stem.removeprefix("samples_").rpartition("_")[0]


def _unfinished(task: str, beside: dict, questions: int) -> str:
    """Say how many of its task's questions a file has, if the results beside it know of more."""
    every = _of_task(task, beside, "n-samples").get("original")
    if not isinstance(every, int) or questions >= every:
        return ""
    return f"has {questions} of the {every} questions of its task"
