"""Logs of evaluations: which files are some, what they hold, and the config that compares them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path

from fidelity.comparison.models import are_apart
from fidelity_study.app.start.config import heading, inline
from fidelity_study.app.start.log_options import COMMENTS
from fidelity_study.app.start.request import StudyRequest, seen_from_here, usual_name
from fidelity_study.config.defaults import complete_evaluation
from fidelity_study.config.study import Study
from fidelity_study.errors import (
    BLANK,
    DataError,
    ErrorList,
    Message,
    Remedy,
    Syntax,
    fault,
    refusal,
    there_are,
)
from fidelity_study.reading.evals.direction import HIGHER, LOWER
from fidelity_study.reading.evals.files import TABLE, is_log
from fidelity_study.reading.evals.read import read_eval
from fidelity_study.reading.evals.samples import Log, Sample, mean_score
from fidelity_study.reading.tabular.opening import opened

JSON = "*.json"
IN_FOLDERS = ("*.eval", JSON, "samples_*.jsonl")
LOGS, RESULTS, EVALS = "logs", "results", "evals"
OF_MESSAGES = ("effect", "margin", "range")


@dataclass(frozen=True)
class LogRequest(StudyRequest):
    """A study of logs, or of tables of scores.

    Attributes:
        logs: each once, or tables of scores.
        evals: the settings of each eval, once these are decided.
    """

    logs: tuple[str, ...]
    evals: Mapping[str, dict] = field(default_factory=dict)

    @property
    def files(self) -> Sequence[str]:
        """Return the logs."""
        return self.logs

    @classmethod
    def of(cls, files: list[str], logs: list[str], *, name: str, **more) -> "LogRequest":
        """Return the request of a command line, with the logs among its files."""
        (folder, *others) = files
        is_folder = not others and Path(folder).is_dir()
        usual = Path(folder).resolve().name if is_folder else usual_name(logs)
        is_plain = usual == LOGS or (is_folder and usual == RESULTS)
        return cls(tuple(logs), name=name or (EVALS if is_plain else usual), **more)


class LogOptions(Syntax):
    """Writes keys of an eval's settings as options of ``start``."""

    def key(self, key: str) -> str:
        """Return the option of a key."""
        last = key.rpartition(".")[2]
        return f"--{last}" if last in OF_MESSAGES else key

    def text(self, message: Message) -> str:
        """Return the words of a message, and after them the options that they don't spell out."""
        return "; ".join([super().text(message), *map(self.remedy, message.also)])

    def remedy(self, remedy: Remedy) -> str:
        """Return options."""
        return " ".join(f"--{option} {value}" for option, value in self._values(remedy))

    def _values(self, remedy: Remedy) -> Iterator[tuple[str, str]]:
        for key, value in remedy.settings.items():
            if key == "models":
                ((path, name),) = value.items()
                yield "model", f"{'FILE' if path is BLANK else path} {_blank(name)}"
            elif key == "range":
                yield key, " ".join(map(str, value))
            else:
                yield key.removeprefix("columns."), _blank(value)


def _blank(value: object) -> str:
    return "NAME" if value is BLANK else str(value)


class LogFaultsError(DataError):
    """Faults of logs or tables of scores, with the options of ``start``."""

    def __str__(self) -> str:
        """Return the faults as the user can mend them."""
        return "\n".join(dict.fromkeys(LogOptions().together(self.faults)))


def in_folders(paths: Iterable[str]) -> list[str]:
    """Return files, and in the place of folders without logs what programs wrote there as JSON."""
    files: list[str] = []
    for path in paths:
        is_other = Path(path).is_dir() and not any(_logs(Path(path)))
        files += (is_other and [*_exports(path)]) or [path]
    return files


def _exports(folder: str) -> Iterator[str]:
    for file in map(str, sorted(Path(folder).rglob(JSON))):
        with suppress(DataError):
            yield from [file] if opened(file).recognised else []


def logs_of(paths: Iterable[str]) -> list[str] | None:
    """Return the logs among files, and in folders, each once; None if there are none.

    Raises:
        DataError: if some are logs, and some are not, or a folder has none.
    """
    by_path: dict[str, list[str]] = {path: list(_logs(Path(path))) for path in paths}
    if empty := [path for path, logs in by_path.items() if not logs and Path(path).is_dir()]:
        there = next((str(file) for path in empty for file in sorted(Path(path).rglob(JSON))), "")
        ending = f"; its {JSON}, such as {there}, are of no program that is known" if there else ""
        raise refusal(
            "no-logs",
            f"{', '.join(empty)} is a folder without logs of evaluations "
            f"({', '.join(IN_FOLDERS)}){ending}; name a folder with logs, or write a table with "
            "the columns question, model and score, a row for each answer, and name it",
        )
    others = [path for path, logs in by_path.items() if not logs]
    if len(others) == len(by_path):
        return None
    if others:
        raise refusal(
            "no-log",
            f"{', '.join(others)}: no log of an evaluation, as the other files are; start a study "
            "of logs, and another one of answers",
        )
    return list(dict.fromkeys(seen_from_here(log) for logs in by_path.values() for log in logs))


def _logs(path: Path) -> Iterator[str]:
    if path.is_dir():
        inside = sorted(file for pattern in IN_FOLDERS for file in path.rglob(pattern))
        yield from (str(file) for file in inside if file.suffix != ".json" or is_log(file))
    elif is_log(path):
        yield str(path)


def understood(
    request: LogRequest, say: Callable[[Iterable[str]], None]
) -> tuple[dict[str, list[Log]], str]:
    """Say what the files hold; return it, and the config that compares their models.

    Raises:
        DataError: what is wrong, with the options that mend it.
    """
    settings, faults, logs = _settings(request), ErrorList(), dict[str, list[Log]]()
    for name, one in complete_evaluation(settings, request.name)["evals"].items():
        with faults.collected():
            logs[name] = read_eval(name, one)
    try:
        faults.refuse()
        _refuse_unknown_baseline(request, logs)
        if any(map(_are_apart, logs.values())):
            settings["unpaired"] = True
        Study({"evaluations": {request.dataset: settings}})
    except DataError as error:
        raise LogFaultsError(*error.faults) from None
    for name, eval_logs in logs.items():
        say(_said(name, eval_logs, request))
    baseline = request["baseline"]
    all_pairs = "every two models (--baseline MODEL: each with one)"
    say([f"compared: {all_pairs if baseline is None else f'each model with {baseline}'}"])
    return logs, _text(request, settings)


def models_of_files(request: LogRequest) -> dict[str, str]:
    """Return what the models of logs are called.

    A file's name is enough, and so is a pattern; of several, the first that fits a file counts.
    """
    faults, models = ErrorList(), dict[str, str]()
    for given, name in request["model"]:
        patterns = given, seen_from_here(given)
        same = [
            file
            for file in request.files
            if any(fnmatchcase(alias, by) for alias in (file, Path(file).name) for by in patterns)
        ]
        with faults.collected():
            if not same or (len(same) > 1 and not has_magic(given)):
                what = "none" if not same else "the name of several"
                there = there_are(given, same or request.files)
                text = f"is {what} of the logs; {there}"
                raise refusal("unknown-log", text, key=f"--model {given}")
            models = {**dict.fromkeys(same, name), **models}
    if request["better"] not in (None, HIGHER, LOWER):
        what = f"must be {HIGHER} or {LOWER}"
        faults.faults.append(fault("better", what, key=f"--better {request['better']}"))
    faults.refuse()
    return models


def _refuse_unknown_baseline(request: LogRequest, logs: dict[str, list[Log]]) -> None:
    baseline = request["baseline"]
    models = _models(log for eval_logs in logs.values() for log in eval_logs)
    if baseline is not None and baseline not in models:
        what = f"is no model of the logs; {there_are(baseline, models)}"
        raise refusal("unknown-baseline", what, key=f"--baseline {baseline}")


def _models(logs: Iterable[Log]) -> dict[str, list[Sample]]:
    by_model: dict[str, list[Sample]] = {}
    for sample in (sample for log in logs for sample in log.samples):
        by_model.setdefault(sample.model, []).append(sample)
    return by_model


def _are_apart(logs: list[Log]) -> bool:
    """Return whether one file has several models, and each question one of them."""
    asked = {(sample.model, sample.question) for log in logs for sample in log.samples}
    return len(logs) == 1 < len({model for model, _ in asked}) and are_apart(asked)


def _said(name: str, logs: list[Log], request: LogRequest) -> Iterator[str]:
    """Yield what the logs of an eval hold."""
    models = _models(logs)
    kinds = sorted({log.kind for log in logs})
    files = f"{len(logs)} files of {' and '.join(kinds)}"
    yield f"{name}: {'scores in tables' if kinds == [TABLE] else files}"
    for model, answered in models.items():
        questions = len({sample.question for sample in answered})
        epochs = f", {len(answered)} samples" if len(answered) > questions else ""
        lost = sum(sample.score is None for sample in answered)
        lacking = f", {lost} without a score" if lost else ""
        mean = mean_score(answered)
        average = f", {mean:.3f} on average" if mean is not None else ""
        yield f"  {model}: {questions} questions{epochs}{average}{lacking}"
    if request["baseline"] is not None and request["baseline"] not in models:
        yield f"  note: not compared, as no log of it is of {request['baseline']}"
    if _are_apart(logs):
        yield (
            "  note: no question has scores of two models: compared as independent samples of "
            "questions (unpaired: true), which is right if chance decided who got which"
        )
    elif len({frozenset(one.question for one in several) for several in models.values()}) > 1:
        yield (
            "  note: models were asked different questions, so that averages can't be compared; "
            "differences are over the questions that both have a score of"
        )
    groups = "none (--cluster COL, of those in columns.csv, names what groups them, as a passage)"
    if cluster := request.evals[name].get("cluster"):
        groups = f"{len({sample.cluster for log in logs for sample in log.samples})}, by {cluster}"
    yield f"  groups of questions: {groups}"
    if any(log.better == LOWER for log in logs):
        yield "  better: the lower score"
    notes: dict[str, list[str]] = {}
    for log in logs:
        for note in filter(None, [log.unfinished, *log.notes]):
            notes.setdefault(note, []).append(log.path)
    for note, paths in notes.items():
        more = f", and {len(paths) - 1} more," if len(paths) > 1 else ""
        yield f"  note: {paths[0]}{more} {note}"


def _settings(request: LogRequest) -> dict:
    settings = {
        "title": request.name,
        "baseline": request["baseline"],
        "margin": request["margin"],
        "power": None if request["effect"] is None else {"effect": request["effect"]},
        "evals": dict(request.evals),
    }
    return {key: value for key, value in settings.items() if value is not None}


def _text(request: LogRequest, settings: dict) -> str:
    """Return the config as YAML, with a comment on each key and what one may add."""
    examples = {"baseline": "MODEL", "unpaired": True, "margin": 0.05, "power": {"effect": 0.05}}
    lines = [
        *heading("Compares models by their scores", request),
        "",
        "evaluations:",
        f"  {inline(request.dataset)}:",
        f"    title: {inline(settings['title'])} # what the report calls it",
    ]
    for key, example in examples.items():
        mark = "" if key in settings else "# "
        lines.append(f"    {mark}{key}: {inline(settings.get(key, example))} # {COMMENTS[key]}")
    lines.append("    evals:")
    for name, eval_settings in settings["evals"].items():
        lines.append(f"      {inline(name)}:")
        lines += [
            f"        {key}: {inline(text)} # {COMMENTS[key]}"
            for key, text in eval_settings.items()
        ]
        if "cluster" not in eval_settings:
            lines.append(f"        # cluster: passage # {COMMENTS['cluster']}")
    return "\n".join(lines) + "\n"
