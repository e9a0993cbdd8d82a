"""Faults of the files that predictions need, told before anything runs."""

from collections.abc import Iterator, Mapping, Set

from fidelity_study.config.answering import TABULAR, reading_keys
from fidelity_study.config.kept import kept_or_read
from fidelity_study.errors import ErrorList
from fidelity_study.reading.tabular.files import missing_files, named_files
from fidelity_study.root import ROOT

KEPT = "fidelity_new_questions"
READ_BY = (
    *("ingest", "outcome", "cluster", "clustered", "weighting_effect", "curves", "options"),
    *("simulators", "predict", "unasked"),
)


class NewQuestionFiles:
    """The files of questions that people were not asked.

    Attributes:
        faults: of these files.
        notes: what a user should know of them, one line each.
    """

    def __init__(self, datasets: Mapping[str, dict], refused: Set[str]):
        """Read them.

        Args:
            datasets: name -> settings, complete.
            refused: where settings were refused; files of a dataset with such are not read.
        """
        faults, self.notes = ErrorList(), list[str]()
        for name, settings in _readable(datasets, refused):
            with faults.collected():
                self.notes += _notes(name, settings)
        self.faults = faults.faults


def _readable(datasets: Mapping[str, dict], refused: Set[str]) -> Iterator[tuple[str, dict]]:
    """Yield the datasets that predict, and whose settings and files are there."""
    keys = ["", *(f".{key}" for key in ("ingest", *reading_keys()))]
    places = {".".join(place.split(".")[:3]) for place in refused}
    for name, settings in datasets.items():
        needed = {f"datasets.{name}{key}" for key in keys}
        if settings["predict"] is None or places & needed:
            continue
        if not missing_files(f"datasets.{name}", new_question_files(settings)):
            yield name, settings


def new_question_files(settings: dict) -> list[str]:
    """Return the users' own files that say what new questions are, and who answers what.

    Args:
        settings: of the dataset, complete, with the key ``predict``.
    """
    own = named_files(settings["options"]) if settings["ingest"] == TABULAR else []
    named = [settings["predict"][key] for key in ("questions", "scenarios")]
    return list(dict.fromkeys([*own, *filter(None, named)]))


def _notes(name: str, settings: dict) -> list[str]:
    """Return notes on the files of a dataset; they are read once, unless they change.

    Raises:
        DataError: with their first fault.
    """
    step = {"seed": 0, "dataset": name, **{key: settings[key] for key in READ_BY}}

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

    by = ROOT / "scripts/new_questions.py"
    return kept_or_read(KEPT, by, new_question_files(settings), step, read)["notes"]
