"""What users' files hold, and what is wrong in them, told before anything runs.

What was found is kept until the files, the settings or the code change.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Set
from hashlib import blake2b
from pathlib import Path

from fidelity_study import user_cache
from fidelity_study.config.project import TABULAR, room_keys
from fidelity_study.config.texts import said
from fidelity_study.digest import digest, in_one_order
from fidelity_study.errors import ErrorList, refusal, there_are
from fidelity_study.provenance import checksum
from fidelity_study.reading.codebook.decided import in_config
from fidelity_study.reading.evals.files import files_on_disk, missing_patterns
from fidelity_study.reading.settings import WITHOUT_OPTIONS, with_levels
from fidelity_study.reading.tabular.files import missing_files, named_files
from fidelity_study.reading.tabular.layout import QUESTION
from fidelity_study.reading.tabular.options import outcome_faults
from fidelity_study.reading.tabular.vectors import files_read
from fidelity_study.root import ROOMS
from fidelity_study.steps.registry import code_of
from fidelity_study.tables.ingest import NO_CLUSTER

FOLDER, KEPT = Path(".snakemake"), "fidelity_files.json"
READ_BY = ("outcome", "cluster", "simulators", "weighting_effect", "curves", "predict")
PREDICTED_BY = (
    *("ingest", "outcome", "cluster", "clustered", "weighting_effect", "curves", "options"),
    *("simulators", "predict", "unasked"),
)


class UserFiles:
    """The users' files of a study.

    Attributes:
        errors: faults of the files that were read so far.
        notes: what a user should know of them, one line each.
    """

    def __init__(self, looks: bool, refused: Set[str]):
        """Say how they are read.

        Args:
            looks: whether also where the config itself says all that is needed of them.
            refused: where settings were refused; files that are read by these are not read.
        """
        self.errors, self.notes = ErrorList(), list[str]()
        self._looks, self._refused = looks, refused

    def complete(self, dataset: str, settings: dict, words: dict) -> dict:
        """Return the settings with ``cluster`` and ``simulators``; ``words`` are the room's."""
        if settings["ingest"] == TABULAR:
            with self.errors.collected():
                settings = in_config(settings) if "codebook" in settings else settings
            settings = with_levels(settings)
        usual = [QUESTION] if settings.get("groups") else [*words.get("clusters", []), NO_CLUSTER]
        settings = {"cluster": usual[0], **settings}
        if settings["ingest"] != TABULAR:
            return {"simulators": _of_room(settings, words), **settings}
        if "simulators" in settings and not self._looks:
            return settings
        is_known = not _is_refused(dataset, _reading_keys(), self._refused)
        return {"simulators": self._simulators(dataset, settings) if is_known else [], **settings}

    def look_at_questions(self, datasets: Mapping[str, dict], refused: Set[str]) -> None:
        """Read what questions that nobody was asked are, of datasets that predict.

        Args:
            datasets: name -> settings, complete.
            refused: where settings were refused, or don't fit.
        """
        for name, settings in datasets.items():
            if settings["predict"] is None or not self._looks:
                continue
            files = new_question_files(settings)
            is_known = not _is_refused(name, ["", "ingest", *_reading_keys()], refused)
            if is_known and not missing_files(f"datasets.{name}", files):
                with self.errors.collected():
                    self.notes += _questions(name, settings)["notes"]

    def look_at_scores(self, evaluations: Mapping[str, dict]) -> None:
        """Read the files of scores; ``evaluations`` are complete."""
        scores = ErrorList()
        for name, settings in evaluations.items() if self._looks else ():
            models: set[str] = set()
            for eval_name, eval_settings in settings["evals"].items():
                place = f"evaluations.{name}.evals.{eval_name}."
                is_known = not any(f"{other}.".startswith(place) for other in self._refused)
                if (
                    is_known
                    and not missing_patterns(eval_settings)
                    and eval_settings["range"][0] < eval_settings["range"][1]
                ):
                    with scores.collected():
                        models |= set(_models(eval_name, eval_settings)["models"])
            baseline = settings["baseline"]
            if models and not scores.faults and baseline not in {None, *models}:
                place, there = f"evaluations.{name}.baseline", there_are(baseline, sorted(models))
                scores.faults.append(said("no-such-model", place, name=baseline, there=there))
        self.errors.faults += scores.faults

    def _simulators(self, dataset: str, settings: dict) -> list[str]:
        place = f"datasets.{dataset}"
        if gone := missing_files(place, named_files(settings)):
            self.errors.faults += [*gone, *outcome_faults(settings["outcome"], place)]
            return []
        with self.errors.collected():
            content = _understood(dataset, settings)
            self.notes += content["notes"]
            return content["simulators"]
        return []


def new_question_files(settings: dict) -> list[str]:
    """Return the users' own files that say what new questions are, and who answers what.

    Args:
        settings: of the dataset, complete, with the key ``predict``.
    """
    paths = named_files(settings["options"]) if settings["ingest"] == TABULAR else []
    named = [settings["predict"][key] for key in ("questions", "scenarios")]
    return list(dict.fromkeys([*paths, *filter(None, named)]))


def target_files(settings: dict) -> list[str]:
    """Return the files that say which questions will be asked, and what those asked are like."""
    described = settings["options"].get("scenarios")
    return list(dict.fromkeys(filter(None, [described, settings["target_questions"]["questions"]])))


def _reading_keys() -> list[str]:
    """Return the keys of a dataset by which its files are read."""
    return [*READ_BY, *room_keys(TABULAR)["properties"]]


def _is_refused(dataset: str, keys: Iterable[str], refused: Set[str]) -> bool:
    """Return whether some of a dataset's keys, "" for itself, have been refused."""
    places = {".".join(place.split(".")[:3]) for place in refused}
    return any(f"datasets.{dataset}.{key}".removesuffix(".") in places for key in keys)


def _of_room(settings: dict, words: dict) -> list[str]:
    """Return the simulators of a room, and where answers are options the uniform guess."""
    guess = [] if settings["outcome"]["kind"] in WITHOUT_OPTIONS else ["uniform"]
    return list(dict.fromkeys([*words.get("simulators", []), *guess]))


def _understood(dataset: str, settings: dict) -> dict:
    """Return ``simulators`` of a dataset's files, and ``notes`` on these."""

    def read() -> dict:
        from fidelity_study.reading.tabular.assemble import understood

        simulators, notes = understood(dataset, settings)
        return {"simulators": simulators, "notes": notes}

    files = files_read(settings, settings["outcome"]["kind"])
    return _kept_or_read([ROOMS / TABULAR / "ingest.py"], files, [dataset, settings], read)


def _questions(dataset: str, settings: dict) -> dict:
    """Return ``notes`` on the files of new questions."""
    step = {"seed": 0, "dataset": dataset, **{key: settings[key] for key in PREDICTED_BY}}

    def read() -> dict:
        from fidelity_study.reading.tabular.new_questions import (
            check_readable,
            new_questions,
            questions_asked,
            refuse_unknown_columns,
        )

        refuse_unknown_columns(step)
        if settings["ingest"] != TABULAR:
            check_readable(step)
            return {"notes": []}
        return {"notes": new_questions(step, questions_asked(step)).notes}

    return _kept_or_read(code_of("new_questions"), new_question_files(settings), step, read)


def _models(name: str, settings: dict) -> dict:
    """Return the ``models`` of an eval's files."""

    def read() -> dict:
        from fidelity_study.reading.evals.read import read_eval

        logs = read_eval(name, settings)
        return {"models": sorted({sample.model for log in logs for sample in log.samples})}

    return _kept_or_read(code_of("evaluation_scores"), files_on_disk(settings), settings, read)


def _kept_or_read(
    code: list[Path], files: Iterable[str], settings: object, read: Callable[[], dict]
) -> dict:
    """Return the content of files: the kept copy, or else the result of ``read``, which is kept.

    Args:
        code: that reads the same in a study.
        files: their paths.
        settings: by which they are read.
        read: returns what can be written as JSON.

    Raises:
        DataError: by ``read``, or if a file cannot be read.
    """
    by = in_one_order([digest(*code), list(map(_checksum, files)), settings])
    key = blake2b(by.encode(), digest_size=16).hexdigest()
    try:
        known = dict(json.loads(user_cache.kept(KEPT, FOLDER) or "{}"))
    except (TypeError, ValueError):
        known = {}
    if key not in known:
        known[key] = read()
        user_cache.keep(KEPT, json.dumps(known).encode(), FOLDER)
    return known[key]


def _checksum(path: str) -> str:
    try:
        return checksum(path)
    except OSError as error:
        raise refusal("unreadable", f"cannot be read: {error.strerror}", file=path) from None
