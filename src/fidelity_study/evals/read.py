"""The scores of an evaluation, from all its files, checked."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from fidelity_study.errors import DataError, Faults, there_are
from fidelity_study.evals.direction import unknown
from fidelity_study.evals.files import HARNESS, INSPECT, TABLE, files_of, kind_of
from fidelity_study.evals.harness import read_samples
from fidelity_study.evals.inspect_logs import read_log, task_of
from fidelity_study.evals.samples import Log, Sample
from fidelity_study.evals.score_tables import read_table

READERS = {INSPECT: read_log, HARNESS: read_samples, TABLE: read_table}
MOST_TOLD = 5
NUMBER = re.compile(r"-?\d+(?P<decimals>\.\d+)?")
POINT = ".0"


def read_eval(name: str, settings: dict) -> list[Log]:
    """Return what the files of an eval have.

    Raises:
        DataError: with all that is wrong, one line each.
    """
    faults, logs = Faults(), []
    paths = files_of(settings)
    with faults.collected():
        _refuse_tasks(name, settings, paths)
    faults.refuse()
    for path in paths:
        with faults.collected():
            read = READERS[kind_of(path)]
            logs.append(read(path, {**settings, "model": _called(path, settings["models"])}))
    faults.refuse()
    _write_alike(logs, "question")
    _write_alike(logs, "cluster")
    with faults.collected():
        _settle_direction(name, logs, settings)
    for check in (_twice, _outside, _in_two_clusters, _another):
        with faults.collected():
            if told := list(check(name, logs, settings)):
                more = len(told) - MOST_TOLD
                said = told[:MOST_TOLD] + ([f"evals.{name}: {more} more like it"] * (more > 0))
                raise DataError("\n".join(said))
    faults.refuse()
    if not any(log.samples for log in logs):
        raise DataError(f"evals.{name}: its files have no samples; name others")
    return logs


def _settle_direction(name: str, logs: list[Log], settings: dict) -> None:
    """Set which score is better, as the config says, or else as all files do.

    Raises:
        DataError: if neither says it, or files contradict each other.
    """
    read = [log for log in logs if log.samples]
    if wanted := settings["better"]:
        for log in read:
            if log.better not in (None, wanted):
                log.notes.append(
                    f"has a score of which {log.better} is better; the config says "
                    f"{wanted}, which counts"
                )
            log.better = wanted
        return
    silent: dict[tuple[str, str], list[str]] = {}
    for log in read:
        if log.better is None:
            silent.setdefault((log.score, log.why_unknown), []).append(log.path)
    faults = [unknown(paths, *what) for what, paths in silent.items()]
    stated = {log.better: log.path for log in read}
    if not faults and len(stated) > 1:
        told = " and ".join(f"{better} in {path}" for better, path in sorted(stated.items()))
        faults = [
            f"evals.{name}: its files differ on which score is better, {told}; say it in the "
            "config: better: higher or lower"
        ]
    if faults:
        raise DataError("\n".join(faults))


def _write_alike(logs: list[Log], part: str) -> None:
    """Write 0.0 as 0 where files have both: pandas makes the one of the other beside empty cells.

    Unless there are other decimals: 1.0 beside 1.1 is no whole number.
    """
    labels = {getattr(sample, part) or "" for _, sample in _each(logs)}
    decimals = {found["decimals"] for found in map(NUMBER.fullmatch, labels) if found}
    if decimals != {None, POINT}:
        return
    for log in logs:
        changed = [
            each._replace(**{part: getattr(each, part).removesuffix(POINT)})
            if NUMBER.fullmatch(getattr(each, part) or "")
            else each
            for each in log.samples
        ]
        if changed != log.samples:
            log.samples = changed
            log.notes.append(f"has whole numbers with a point for the {part}; 0.0 counts as 0")


def _called(path: str, models: dict[str, str]) -> str | None:
    """Return what the config calls the model of a file."""
    return next((name for each, name in models.items() if fnmatchcase(path, each)), None)


def _refuse_tasks(name: str, settings: dict, paths: list[str]) -> None:
    """Refuse logs of several tasks, which one eval cannot be."""
    logs = [path for path in paths if kind_of(path) == INSPECT]
    if not logs:
        return
    tasks = sorted({task_of(path) for path in logs})
    if settings["task"] is None and len(tasks) > 1:
        raise DataError(
            f"evals.{name}: its logs are of several tasks: {', '.join(tasks)}; name the one that "
            f"counts in the config: task: {tasks[0]}"
        )
    if settings["task"] is not None and settings["task"] not in tasks:
        raise DataError(
            f"evals.{name}: no log is of the task {settings['task']!r}; "
            f"{there_are(settings['task'], tasks)}"
        )


def _each(logs: Iterable[Log]) -> Iterator[tuple[Log, Sample]]:
    return ((log, sample) for log in logs for sample in log.samples)


def _twice(name: str, logs: list[Log], settings: dict) -> Iterator[str]:
    """Say which samples are there twice, in one file or in two."""
    first: dict[tuple[str, str, str], tuple[Log, str]] = {}
    between: dict[tuple[str, str, str], list[str]] = {}
    for log, each in _each(logs):
        other, place = first.setdefault((each.model, each.question, each.epoch), (log, each.place))
        if other is not log:
            between.setdefault((log.path, other.path, each.model), []).append(each.place)
        elif place != each.place:
            mend = "if both are samples, give each an epoch, else " if log.kind == TABLE else ""
            yield (
                f"{log.path}, {each.place}: question {each.question!r} of {each.model} is there "
                f"twice, first in {place}; {mend}leave one out"
            )
    known = {log.path: log for log in logs}
    for (path, other_path, model), places in between.items():
        own = known[path], known[other_path]
        part = "".join(f"; {log.path} {log.unfinished}" for log in own if log.unfinished)
        epochs = ", give each an epoch if both are samples" if own[0].kind == TABLE else ""
        yield (
            f"{path}: {model} is there twice, as {len(places)} of its samples are in {other_path}, "
            f"too, first {places[0]}{part}; leave one file out{epochs}, or name their models apart "
            "(models)"
        )


def _outside(name: str, logs: list[Log], settings: dict) -> Iterator[str]:
    """Say which scores are outside the range that they can have."""
    low, high = settings["range"]
    for log, each in _each(logs):
        if each.score is not None and not low <= each.score <= high:
            yield (
                f"{log.path}, {each.place}: the score {each.score:g} is outside {low:g} to "
                f"{high:g}; mend it, or write into the config which scores there can be: "
                "range: [0, 10]"
            )


def _in_two_clusters(name: str, logs: list[Log], settings: dict) -> Iterator[str]:
    """Say which questions are in two clusters."""
    first: dict[str, tuple[str | None, str]] = {}
    for log, each in _each(logs):
        cluster, path = first.setdefault(each.question, (each.cluster, log.path))
        if cluster != each.cluster:
            yield (
                f"{log.path}, {each.place}: question {each.question!r} is in cluster "
                f"{each.cluster!r}, but in {cluster!r} in {path}; a question has one cluster, and "
                "the same id everywhere is the same question"
            )


def _another(name: str, logs: list[Log], settings: dict) -> Iterator[str]:
    """Say which questions have one id and different contents."""
    first: dict[str, tuple[str, str]] = {}
    for log, each in _each(logs):
        if each.content:
            content, path = first.setdefault(each.question, (each.content, log.path))
            if content != each.content:
                yield (
                    f"{log.path}, {each.place}: question {each.question!r} is another one in "
                    f"{path}; take logs of the same version of the eval, as models are compared "
                    "question by question"
                )
