"""Logs of evaluations: which files are some, what they hold, and the config that compares them."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fidelity_study.config.defaults import complete_evaluation
from fidelity_study.config.project import config_schema
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError, Faults, there_are
from fidelity_study.evals.harness import NEEDED
from fidelity_study.evals.inspect_logs import task_of
from fidelity_study.evals.read import read_eval
from fidelity_study.evals.samples import Log, Sample
from fidelity_study.start.config import heading, inline, save
from fidelity_study.start.faults import together
from fidelity_study.start.request import seen_from_here

LOG, SAMPLES = ".eval", re.compile(r"samples_(?P<task>.+)_[^_]+\.jsonl")
IN_FOLDERS = ("*.eval", "samples_*.jsonl")
OF_INSPECT = {"eval", "status", "version"}
SPELLED = (
    (r" in the config: (score|filter): (.+)$", r": --\1 {of}\2"),
    (r" in the config: models: \{\"(.+)\": NAME\}", r": --model \1 NAME"),
    (r"models apart \(models\)", "models apart: --model FILE NAME"),
    (r"write into the config (which scores there can be): range: (.+)$", r"say \1: --range 0 10"),
)
KEYS = {
    "files": "logs, or tables of scores",
    "cluster": "what groups the questions, such as a passage",
    "score": "which of the logs' scores counts",
    "filter": "which of the samples' filters counts",
    "models": "what the models of files are called",
    "range": "the smallest and the largest score that there can be",
}


@dataclass(frozen=True)
class LogRequest:
    """The command line, where its files are logs.

    Attributes:
        files: the logs, each once.
        name: what the study is called.
        out: the config to write.
        dataset: the study's name as the config may have it.
        cluster, baseline, margin, effect, range: as in the config, or None.
        score, filter: names, or ``EVAL=name`` for those of one eval.
        models: what the model of a file is to be called.
        command: how this program is called.
    """

    files: tuple[str, ...]
    name: str
    out: Path
    dataset: str
    command: str
    cluster: str | None = None
    score: tuple[str, ...] = ()
    filter: tuple[str, ...] = ()
    models: Mapping[str, str] | None = None
    range: tuple[float, float] | None = None
    baseline: str | None = None
    margin: float | None = None
    effect: float | None = None


def logs_of(paths: Iterable[str]) -> list[str] | None:
    """Return the logs among files, and in folders, each once; None if there are none.

    Raises:
        DataError: if some are logs, and some are not.
    """
    found: dict[str, list[str]] = {path: list(_logs(Path(path))) for path in paths}
    others = [path for path, logs in found.items() if not logs]
    if len(others) == len(found):
        return None
    if others:
        raise DataError(
            f"{', '.join(others)}: no log of an evaluation, as the other files are; start a study "
            "of logs, and another one of answers"
        )
    return list(dict.fromkeys(seen_from_here(log) for logs in found.values() for log in logs))


def _logs(path: Path) -> Iterator[str]:
    if path.is_dir():
        yield from sorted(str(each) for pattern in IN_FOLDERS for each in path.rglob(pattern))
    elif path.suffix.lower() == LOG or _is_samples(path) or _is_inspect(path):
        yield str(path)


def _is_samples(path: Path) -> bool:
    """Return whether a file is of lm-evaluation-harness, by its first line."""
    return path.suffix.lower() == ".jsonl" and {*NEEDED} <= {*_object(path, first_line=True)}


def _is_inspect(path: Path) -> bool:
    """Return whether a JSON file is a log of inspect_ai."""
    return path.suffix.lower() == ".json" and {*_object(path)} >= OF_INSPECT


def _object(path: Path, *, first_line: bool = False) -> dict:
    """Return the object that a file, or its first line, is; an empty one if it is none."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.readline() if first_line else file.read()
        return json.loads(text) if text.lstrip().startswith("{") else {}
    except (OSError, ValueError, RecursionError):
        return {}


def write(request: LogRequest, say: Callable[[Iterable[str]], None]) -> None:
    """Say what the logs hold, and write the config that compares their models.

    Raises:
        DataError: what is wrong, with the options that mend it; nothing is written.
    """
    evals = _evals(request)
    logs = _read(request, evals)
    _refuse_unknown_baseline(request, logs)
    for name, own in logs.items():
        say(_said(name, own, request))
    say(_compared(request))
    wanted = _settings(request, evals)
    Study({"evaluations": {request.dataset: wanted}})
    save(request.out, _text(request, wanted))


def _evals(request: LogRequest) -> dict[str, dict]:
    """Return the settings of each task's logs, as the config has them."""
    faults = Faults()
    tasks: dict[str, list[str]] = {}
    for path in request.files:
        with faults.collected():
            tasks.setdefault(_task(path), []).append(path)
    faults.refuse()
    return {task: _eval(request, task, paths, [*tasks]) for task, paths in tasks.items()}


def _task(path: str) -> str:
    """Return which evaluation a log is of."""
    if Path(path).suffix.lower() in (LOG, ".json"):
        return task_of(path)
    found = SAMPLES.fullmatch(Path(path).name)
    if not found:
        raise DataError(
            f"{path}: does not say which task it is of; lm_eval calls such files "
            "samples_TASK_TIME.jsonl"
        )
    return found["task"]


def _eval(request: LogRequest, task: str, paths: list[str], tasks: list[str]) -> dict:
    models = {path: name for path, name in (request.models or {}).items() if path in paths}
    found = {
        "files": paths,
        "cluster": request.cluster,
        "score": _of_task(request.score, task, tasks),
        "filter": _of_task(request.filter, task, tasks),
        "models": models,
        "range": list(request.range or ()),
    }
    return {key: value for key, value in found.items() if value}


def _of_task(given: Iterable[str], task: str, tasks: list[str]) -> str | None:
    """Return what is given for one task, or else for all."""
    of_all = None
    for each in given:
        name, is_own, value = each.partition("=")
        if is_own and name == task:
            return value
        if not (is_own and name in tasks):
            of_all = each
    return of_all


def _read(request: LogRequest, evals: dict[str, dict]) -> dict[str, list[Log]]:
    """Return the logs of each eval; raise DataError with all that is wrong in any."""
    complete = complete_evaluation({"evals": evals}, request.name, config_schema())["evals"]
    found, messages = {}, []
    for name, settings in complete.items():
        try:
            found[name] = read_eval(name, settings)
        except DataError as error:
            of = f"{name}=" if len(evals) > 1 else ""
            messages += [_spelled(line, of) for line in str(error).splitlines()]
    if messages:
        raise DataError("\n".join(together(messages)))
    return found


def _spelled(message: str, of: str) -> str:
    """Return a message with options of this command in place of keys of a config."""
    for pattern, option in SPELLED:
        message = re.sub(pattern, option.replace("{of}", of.replace("\\", r"\\")), message)
    return message


def _refuse_unknown_baseline(request: LogRequest, logs: dict[str, list[Log]]) -> None:
    models = _models(sample for own in logs.values() for log in own for sample in log.samples)
    if request.baseline is not None and request.baseline not in models:
        raise DataError(
            f"--baseline {request.baseline}: is no model of the logs; "
            f"{there_are(request.baseline, models)}"
        )


def _models(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for each in samples:
        found.setdefault(each.model, []).append(each)
    return found


def _said(name: str, logs: list[Log], request: LogRequest) -> Iterator[str]:
    """Yield what the logs of an eval hold."""
    samples = [sample for log in logs for sample in log.samples]
    models = _models(samples)
    yield f"{name}: {len(logs)} files of {' and '.join(sorted({log.kind for log in logs}))}"
    for model, own in models.items():
        scores = [each.score for each in own if each.score is not None]
        questions = len({each.question for each in own})
        epochs = f", {len(own)} samples" if len(own) > questions else ""
        lacking = f", {len(own) - len(scores)} without a score" if len(scores) < len(own) else ""
        mean = f", {sum(scores) / len(scores):.3f} on average" if scores else ""
        yield f"  {model}: {questions} questions{epochs}{mean}{lacking}"
    if request.baseline is not None and request.baseline not in models:
        yield f"  note: not compared, as no log of it is of {request.baseline}"
    if request.cluster:
        clusters = len({each.cluster for each in samples})
        yield f"  groups of questions: {clusters}, by {request.cluster}"
    else:
        yield "  groups of questions: none (--cluster COL names what groups them, as a passage)"
    notes: dict[str, list[str]] = {}
    for log in logs:
        for note in log.notes:
            notes.setdefault(note, []).append(log.path)
    for note, paths in notes.items():
        more = f", and {len(paths) - 1} more," if len(paths) > 1 else ""
        yield f"  note: {paths[0]}{more} {note}"


def _compared(request: LogRequest) -> Iterator[str]:
    if request.baseline is None:
        yield "compared: every two models (--baseline MODEL: each with one)"
    else:
        yield f"compared: each model with {request.baseline}"


def _settings(request: LogRequest, evals: dict[str, dict]) -> dict:
    found = {
        "title": request.name,
        "baseline": request.baseline,
        "margin": request.margin,
        "power": None if request.effect is None else {"effect": request.effect},
        "evals": evals,
    }
    return {key: value for key, value in found.items() if value is not None}


def _text(request: LogRequest, settings: dict) -> str:
    """Return the config as YAML, with a comment on each key and what one may add."""
    own = {
        "baseline": ("MODEL", "the model that others are compared with"),
        "margin": (0.05, "how much worse than the baseline is still no worse"),
        "power": ({"effect": 0.05}, "the difference that ought to be found, stated before looking"),
    }
    lines = [
        *heading("Compares models by their scores", request.files, request.command, request.out),
        "",
        "evaluations:",
        f"  {inline(request.dataset)}:",
        f"    title: {inline(settings['title'])} # what the report calls it",
    ]
    for key, (example, about) in own.items():
        mark = "" if key in settings else "# "
        lines.append(f"    {mark}{key}: {inline(settings.get(key, example))} # {about}")
    lines.append("    evals:")
    for name, each in settings["evals"].items():
        lines.append(f"      {inline(name)}:")
        lines += [f"        {key}: {inline(value)} # {KEYS[key]}" for key, value in each.items()]
        if "cluster" not in each:
            lines.append(f"        # cluster: passage # {KEYS['cluster']}")
    return "\n".join(lines) + "\n"
