"""The scores of an evaluation, from all its files, checked."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial

from fidelity_study.errors import BLANK, DataError, ErrorList, Fault, Remedy, fault, refusal
from fidelity_study.reading.evals.direction import unknown, which
from fidelity_study.reading.evals.files import INSPECT, TABLE, files_of
from fidelity_study.reading.evals.runs import run_of
from fidelity_study.reading.evals.samples import Log, Sample
from fidelity_study.reading.evals.score_tables import range_of, read_table

MOST_TOLD, MORE = 5, "more"
NUMBER = re.compile(r"-?\d+(?P<decimals>\.\d+)?")
POINT = ".0"
DIFFERING = {
    "cluster": (
        "in-two-clusters",
        "in cluster {0!r}, but in {1!r} in {2}; a question has one cluster, and the same id "
        "everywhere is the same question",
    ),
    "content": (
        "another-question",
        "another one in {2}; take logs of the same version of the eval, as models are compared "
        "question by question",
    ),
}


def read_eval(name: str, settings: dict) -> list[Log]:
    """Return what the files of an eval have.

    Raises:
        DataError: with all that is wrong, one line each.
    """
    faults, logs = ErrorList(), []
    for path in files_of(settings):
        with faults.collected():
            logs.append(_read(path, {**settings, "model": _called(path, settings["models"])}))
    faults.refuse()
    tasks = sorted({log.task for log in logs if log.kind == INSPECT})
    if tasks[1:]:
        what = f"its logs are of several tasks: {', '.join(tasks)}; name the files of one"
        raise refusal("several-tasks", what, key=f"evals.{name}")
    _leave_out_parts(logs)
    _write_alike(logs, "question")
    _write_alike(logs, "cluster")
    with faults.collected():
        _settle_direction(name, logs, settings)
    for check in (_twice, _outside, partial(_another, part="cluster"), _another):
        with faults.collected():
            if violations := list(check(name, logs, settings)):
                more = len(violations) - MOST_TOLD
                rest = [fault(MORE, f"{more} more like it", key=f"evals.{name}")]
                raise DataError(*violations[:MOST_TOLD], *(rest if more > 0 else ()))
    faults.refuse()
    if not any(log.samples for log in logs):
        raise refusal("no-samples", "its files have no samples; name others", key=f"evals.{name}")
    if all(sample.score is None for _, sample in _each(logs)):
        what = f"none of its samples has a score ({logs[0].score}); name another column or score"
        raise refusal("no-scores", what, key=f"evals.{name}")
    return logs


def _read(path: str, settings: dict) -> Log:
    run = run_of(path)
    if run and not (run.model or settings["model"]):
        raise refusal(
            "no-model",
            "does not say which model it is of, and no results beside it either; name it: ",
            Remedy({"models": {path: BLANK}}),
            file=path,
        )
    return read_table(path, settings, run)


def _leave_out_parts(logs: list[Log]) -> None:
    """Leave out the logs that are less than a whole run, where there is one of the same model."""
    whole = {sample.model: log.path for log, sample in _each(logs) if not log.unfinished}
    for log in (log for log in logs if log.unfinished and log.samples):
        if path := whole.get(log.samples[0].model):
            log.notes = [f"{log.unfinished}; it was left out, as {path} is whole"]
            log.samples, log.unfinished = [], ""


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
        directions = " and ".join(f"{better} in {path}" for better, path in sorted(stated.items()))
        faults = [
            fault(
                "direction-differs",
                f"its files differ on which score is better, {directions}; say it",
                *which(),
                key=f"evals.{name}",
            )
        ]
    ErrorList(faults).refuse()


def _write_alike(logs: list[Log], part: str) -> None:
    """Write 0.0 as 0 where files have both: pandas makes the one of the other beside empty cells.

    Unless there are other decimals: 1.0 beside 1.1 is no whole number.
    """
    labels = {getattr(sample, part) or "" for _, sample in _each(logs)}
    decimals = {match["decimals"] for match in map(NUMBER.fullmatch, labels) if match}
    if decimals != {None, POINT}:
        return
    for log in logs:
        changed = [
            sample._replace(**{part: getattr(sample, part).removesuffix(POINT)})
            if NUMBER.fullmatch(getattr(sample, part) or "")
            else sample
            for sample in log.samples
        ]
        if changed != log.samples:
            log.samples = changed
            log.notes.append(f"has whole numbers with a point for the {part}; 0.0 counts as 0")


def _called(path: str, models: dict[str, str]) -> str | None:
    """Return what the config calls the model of a file."""
    return next((name for pattern, name in models.items() if fnmatchcase(path, pattern)), None)


def _each(logs: Iterable[Log]) -> Iterator[tuple[Log, Sample]]:
    return ((log, sample) for log in logs for sample in log.samples)


def _twice(name: str, logs: list[Log], settings: dict) -> Iterator[Fault]:
    """Say which samples are there twice, in one file or in two."""
    first: dict[tuple[str, str, str], tuple[Log, str]] = {}
    between: dict[tuple[str, str, str], list[str]] = {}
    for log, sample in _each(logs):
        other, place = first.setdefault(
            (sample.model, sample.question, sample.epoch), (log, sample.place)
        )
        if other is not log:
            between.setdefault((log.path, other.path, sample.model), []).append(sample.place)
        elif place != sample.place:
            yield fault(
                "answer-twice",
                f"question {sample.question!r} of {sample.model} is there twice, first in {place}; "
                f"{_apart_by(settings['columns']) if log.kind == TABLE else ''}leave one out",
                file=log.path,
                within=sample.place,
            )
    known = {log.path: log for log in logs}
    for (path, other_path, model), places in between.items():
        pair = known[path], known[other_path]
        part = "".join(f"; {log.path} {log.unfinished}" for log in pair if log.unfinished)
        epochs = ", give each an epoch if both are samples" if pair[0].kind == TABLE else ""
        yield fault(
            "model-twice",
            f"{model} is there twice, as {len(places)} of its samples are in {other_path}, too, "
            f"first {places[0]}{part}; leave one file out{epochs}, or name their models apart",
            file=path,
            also=[Remedy({"models": {BLANK: BLANK}})],
        )


def _apart_by(columns: dict) -> str:
    """Say which columns name samples of a table, and where to name others."""
    asked, epoch = columns.get("question", "question"), columns.get("epoch", "epoch")
    return (
        f"the question is the column {asked!r}; if another one names it, alone or too, write "
        "question in its cell of columns.csv (in a config, columns.question); "
        f"if both are samples, give each another {epoch}, else "
    )


def _outside(name: str, logs: list[Log], settings: dict) -> Iterator[Fault]:
    """Say which scores are outside the range that they can have."""
    low, high = settings["range"]
    scores = {sample.score for _, sample in _each(logs) if sample.score is not None}
    title = logs[0].score
    *ends, _, is_near = range_of({*map(repr, scores)}, title, logs[0].better)
    likely = Remedy({"range": [end if end % 1 else int(end) for end in ends]}, is_sure=is_near)
    for log, sample in _each(logs):
        if sample.score is not None and not low <= sample.score <= high:
            yield fault(
                "outside-range",
                f"the score {sample.score:g} is outside {low:g} to {high:g}; mend it, or say"
                " which scores there can be: ",
                likely,
                file=log.path,
                within=sample.place,
            )


def _another(name: str, logs: list[Log], settings: dict, part: str = "content") -> Iterator[Fault]:
    """Say which questions have one id and different contents, or clusters."""
    first: dict[str, tuple[str | None, str]] = {}
    for log, sample in _each(logs):
        if (here := getattr(sample, part)) == "":
            continue
        there, path = first.setdefault(sample.question, (here, log.path))
        if there != here:
            code, what = DIFFERING[part]
            what = f"question {sample.question!r} is {what.format(here, there, path)}"
            yield fault(code, what, file=log.path, within=sample.place)
