"""The config: checked, and completed with defaults."""

import os
import re
from collections.abc import Iterable, Set
from pathlib import Path
from unicodedata import normalize

from fidelity_study.ask.reach import unreachable
from fidelity_study.ask.store import KEPT, is_kept
from fidelity_study.config import keys
from fidelity_study.config.defaults import (
    complete_dataset,
    complete_evaluation,
    complete_model,
    without_repeats,
)
from fidelity_study.config.faults import faults_between
from fidelity_study.config.project import Figure, figures, room_words, rooms
from fidelity_study.config.prompts import prompt_faults, with_each_prompt
from fidelity_study.config.refused import refused, study_schema, words_faults
from fidelity_study.config.user_files import UserFiles
from fidelity_study.errors import ErrorList, Fault, fault, shortened
from fidelity_study.extensions import load
from fidelity_study.reading.evals.files import files_on_disk
from fidelity_study.report.figures import ON_REQUEST
from fidelity_study.steps.registry import OF_EVALUATIONS, STEPS, calibrated_as


def named(config: dict, files: list[str | Path]) -> object:
    """Return what a config calls its study, not checked yet, else the name of its last file."""
    stem = Path(files[-1]).stem if files else "config"
    written = re.sub(r"[^\w.-]+", "_", normalize("NFC", stem)).lstrip("-.")
    return config.get("study", "default" if stem == "config" else written)


class Study:
    """A checked config with every default filled in.

    Attributes:
        folder: where its results lie.
        notes: what the user should know of the users' own files, if these were looked at.
        seed: of all random draws.
        extensions: Python files that add to what there is.
        drawable: name -> what is known of each figure, the project's and those of extensions.
        data_mirror: a local folder of files that would else be downloaded, or None.
        datasets: name -> settings, where ``grid`` and ``comparison`` are the dataset's own and
            complete, ``test`` is the part of ``comparison`` that tests depend on, and
            ``grid.pairs`` maps each discrepancy to its confidence sets. ``names`` has the
            ``label`` and what ``describe`` says of each of the ``simulators``, and ``noun`` what
            one scenario is called, and several.
        evaluations: name -> settings of evaluations, complete.
    """

    def __init__(self, config: dict, folder: str = "results", *, looks: bool = False):
        """Check ``config``; raise DataError with all its faults, one line each.

        Args:
            config: as read from its files.
            folder: where its results lie.
            looks: whether the users' own files, and what asking models needs, are looked at, too.
        """
        self.folder = folder
        self.drawable, self.extensions = _extensions(config)
        load(self.extensions)
        checked = refused(config, study_schema(config))
        sound = with_each_prompt(checked.sound)
        words = _words(sound)
        self.seed = sound.get("seed", keys.Study.defaults()["seed"])
        self.data_mirror = sound.get("data_mirror")
        self.models = {
            name: complete_model(settings) for name, settings in sound.get("models", {}).items()
        }
        usual = [name for name in self.drawable if name not in ON_REQUEST]
        files = UserFiles(looks, checked.places)
        self.datasets = {}
        for name, chosen in sound.get("datasets", {}).items():
            settings = files.complete(name, chosen, words[name])
            self.datasets[name] = complete_dataset(sound, settings, name, usual, words[name])
        self.evaluations = {
            name: complete_evaluation(settings, name)
            for name, settings in sound.get("evaluations", {}).items()
        }
        between = faults_between(
            self.datasets,
            self.models,
            list(self.drawable),
            checked.places,
            self.evaluations,
            prompt_faults(checked.sound, keys.Asking.defaults()),
        )
        files.look_at_questions(
            self.datasets, checked.places | {clash.place.key for clash in between}
        )
        files.look_at_scores(self.evaluations)
        faults = without_repeats([*checked.faults, *between, *files.errors.faults])
        _refuse([*faults, *(self._unreachable(checked.places) if looks and faults else [])])
        self.notes = without_repeats(files.notes)

    def rooms(self) -> list[str]:
        """Return the folders below workflow/datasets that this study reads with."""
        return sorted({settings["ingest"] for settings in self.datasets.values()})

    def datasets_of(self, room: str) -> str:
        """Return a pattern that matches the datasets which a room reads."""
        return "|".join(
            name for name, dataset in self.datasets.items() if dataset["ingest"] == room
        )

    def score_files(self, name: str) -> list[str]:
        """Return the files that an evaluation's scores are read from."""
        evals = self.evaluations[name]["evals"].values()
        return without_repeats(path for settings in evals for path in files_on_disk(settings))

    def asked(self) -> list[str]:
        """Return the simulators that are language models to ask, over all datasets."""
        return without_repeats(
            name for settings in self.datasets.values() for name in settings["asked"]
        )

    def runs(self, name: str) -> list[dict[str, str]]:
        """Return the wildcards of all runs of a step, which is called as its rule."""
        if name in OF_EVALUATIONS:
            return [{"evaluation": evaluation} for evaluation in self.evaluations]
        return [
            {"dataset": dataset, **wildcards}
            for dataset, settings in self.datasets.items()
            for wildcards in STEPS[name].runs(settings)
        ]

    def unreachable(self, simulators: Iterable[tuple[str, str]]) -> list[Fault]:
        """Say what is missing to ask the models of simulators, each with its dataset before it."""
        names = (self.datasets[dataset]["simulate"][name]["model"] for dataset, name in simulators)
        return [
            missing
            for name in without_repeats(names)
            if name in self.models
            for missing in unreachable(name, self.models[name])
        ]

    def _unreachable(self, refused: Set[str]) -> list[Fault]:
        """Say what a config with other faults lacks to ask its models, in the same answer.

        Without other faults that is told when it is known which jobs run: a dry run, or what asks
        no model, lacks nothing. Simulators with answers from an earlier run may lack nothing, too.
        """
        return self.unreachable(
            (dataset, name)
            for dataset, settings in self.datasets.items()
            for name in settings["asked"]
            if not Path(self.folder, dataset, "simulate", f"{name}.parquet").exists()
            and not is_kept(KEPT / dataset / name)
            and f"models.{settings['simulate'][name]['model']}.model" not in refused
        )

    def figures(self, dataset: str) -> dict[str, Figure]:
        """Return the figures of a dataset: those that are wanted and have what they need."""
        return {
            name: figure
            for name, figure in self.drawable.items()
            if name in self.datasets[dataset]["figures"] and not self.lacks(dataset, name)
        }

    def lacks(self, dataset: str, figure: str) -> str:
        """Say what a dataset lacks that a figure needs, and what to do; empty if nothing."""
        settings, needs = self.datasets[dataset], self.drawable[figure]
        kind, many = calibrated_as(settings), len(settings["simulators"])
        if not settings["curves"] and needs.calibration is None:
            return f"is made of curves, and {dataset} has none (curves: false); draw another figure"
        if needs.calibration not in (None, kind):
            return (
                f"is for outcomes that are {needs.calibration}, and those of {dataset} are {kind}; "
                "draw another figure"
            )
        for key in ("calibration", "plan", "predict", "correct", "hybrids"):
            if getattr(needs, key) and not settings[key] and settings[key] != {}:
                usual = "true" if key == "correct" else "{}"
                return (
                    f"needs the key datasets.{dataset}.{key}, {usual} for its defaults; write it "
                    "into the config and run the study again"
                )
        if many < needs.simulators:
            return (
                f"needs {needs.simulators} simulators or more, and {dataset} has {many}; draw "
                "another figure"
            )
        return ""


def _refuse(faults: Iterable[Fault]) -> None:
    ErrorList(faults).refuse()


def _words(config: dict) -> dict[str, dict]:
    """Return the words of each dataset's room; DataError where a room's file is malformed."""
    datasets = config.get("datasets", {})
    used = {name: settings["ingest"] for name, settings in datasets.items()}
    known = {room: room_words(room) for room in {*used.values()}.intersection(rooms())}
    _refuse(
        [
            fault
            for room, words in known.items()
            for fault in words_faults(f"workflow/datasets/{room}/words.yaml", words)
        ]
    )
    return {name: known.get(room, {}) for name, room in used.items()}


def _extensions(config: dict) -> tuple[dict[str, Figure], list[str]]:
    """Return all figures, and the user's files that draw none; a malformed list is the schema's."""
    files = config.get("extensions", []) if isinstance(config, dict) else []
    if not (isinstance(files, list) and all(isinstance(file, str) for file in files)):
        files = []
    _refuse(
        [
            fault(
                "no-file",
                f"{shortened(file)} is not there, seen from {Path.cwd()}",
                key="extensions",
            )
            for file in files
            if not os.path.isfile(file)
        ]
    )
    drawable = figures(files)
    drawn = {figure.path for figure in drawable.values()}
    return drawable, [file for file in files if Path(file) not in drawn]
