"""Who answers in a dataset, and in which clusters, where the config doesn't say."""

from collections.abc import Set

from fidelity_study.config.kept import kept_or_read
from fidelity_study.config.project import room_keys
from fidelity_study.errors import ErrorList, Fault
from fidelity_study.reading.settings import NUMBERS
from fidelity_study.reading.tabular.files import missing_files, named_files
from fidelity_study.reading.tabular.layout import QUESTION
from fidelity_study.reading.tabular.options import outcome_faults
from fidelity_study.root import ROOMS
from fidelity_study.tables.ingest import NO_CLUSTER

TABULAR = "tabular"
KEPT = "fidelity_simulators"
READ_BY = ("outcome", "cluster", "simulators", "weighting_effect", "curves", "predict")


class Answering:
    """The simulators and the cluster of each dataset.

    Attributes:
        notes: what a user should know of the files that were read so far, one line each.
    """

    def __init__(self, looks: bool, refused: Set[str]):
        """Say how users' files are read.

        Args:
            looks: whether also where the config names all simulators.
            refused: where settings were refused; files that are read by these are not read.
        """
        self.notes: list[str] = []
        self._faults = ErrorList()
        self._looks, self._refused = looks, refused

    @property
    def faults(self) -> list[Fault]:
        """Of users' files that were read so far."""
        return self._faults.faults

    def complete(self, dataset: str, settings: dict, words: dict) -> dict:
        """Return the settings with ``cluster`` and ``simulators``; ``words`` are the room's."""
        usual = [QUESTION] if settings.get("groups") else [*words.get("clusters", []), NO_CLUSTER]
        found = {"cluster": usual[0], **settings}
        if settings["ingest"] != TABULAR:
            return {"simulators": _of_room(settings, words), **found}
        if "simulators" in settings and not self._looks:
            return found
        is_known = not any(f"datasets.{dataset}.{key}" in self._places for key in reading_keys())
        return {"simulators": self._of_files(dataset, found) if is_known else [], **found}

    @property
    def _places(self) -> set[str]:
        """Where settings were refused, by the first key of each dataset."""
        return {".".join(place.split(".")[:3]) for place in self._refused}

    def _of_files(self, dataset: str, settings: dict) -> list[str]:
        if gone := missing_files(f"datasets.{dataset}", named_files(settings)):
            self._faults.faults += [
                *gone,
                *outcome_faults(settings["outcome"], f"datasets.{dataset}"),
            ]
            return []
        with self._faults.collected():
            found = _kept_or_read(dataset, settings)
            self.notes += found["notes"]
            return found["simulators"]
        return []


def reading_keys() -> list[str]:
    """Return the keys of a dataset by which its files are read."""
    return [*READ_BY, *room_keys(TABULAR)["properties"]]


def _of_room(settings: dict, words: dict) -> list[str]:
    """Return the simulators of a room, and where answers are options the uniform guess."""
    guess = [] if settings["outcome"]["kind"] in NUMBERS else ["uniform"]
    return list(dict.fromkeys([*words.get("simulators", []), *guess]))


def _kept_or_read(dataset: str, settings: dict) -> dict[str, list[str]]:
    """Return ``simulators`` of a dataset's files, and ``notes`` on these.

    They are read once, unless they or the settings change.

    Raises:
        DataError: at the first fault of the files.
    """

    def read() -> dict:
        from fidelity_study.reading.tabular.assemble import understood

        simulators, notes = understood(dataset, settings)
        return {"simulators": simulators, "notes": notes}

    by = ROOMS / TABULAR / "ingest.py"
    return kept_or_read(KEPT, by, named_files(settings), [dataset, settings], read)
