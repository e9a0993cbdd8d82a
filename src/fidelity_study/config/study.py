"""The config: checked against its schema, completed with defaults, and cut up for the rules."""

import json
import re
import sys
from collections.abc import Iterable, Set
from pathlib import Path
from unicodedata import normalize
from urllib.parse import quote

from fidelity.baselines.base import BASELINES
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_study.ask.embedded import EMBEDDED, EXTRA
from fidelity_study.ask.prompts import POPULATION
from fidelity_study.ask.reach import unreachable
from fidelity_study.ask.store import KEPT, is_kept
from fidelity_study.config.answering import TABULAR, Answering
from fidelity_study.config.content import content_faults
from fidelity_study.config.defaults import (
    complete_dataset,
    complete_evaluation,
    complete_model,
    defaults_of,
    without_repeats,
)
from fidelity_study.config.faults import faults_between, schema_faults, words_faults
from fidelity_study.config.predicting import NewQuestionFiles
from fidelity_study.config.project import (
    ROOMS,
    Figure,
    config_schema,
    figures,
    room_words,
    rooms,
    sources,
)
from fidelity_study.config.prompts import prompt_faults, with_each_prompt
from fidelity_study.config.scoring import score_faults
from fidelity_study.errors import DataError, ErrorList, Fault, fault
from fidelity_study.evals.files import files_of
from fidelity_study.figures import ON_REQUEST
from fidelity_study.page.files import page_digest
from fidelity_study.root import ROOT
from fidelity_study.run.digest import digest
from fidelity_study.run.extensions import load
from fidelity_study.tabular.files import named_files

OF_WORDS = (
    "title cluster simulators names noun n gamma pairs comparison weighting_effect smoothed plan "
    "calibration test tolerance stand_in_share curves sequential predict groups"
)
NEEDS = {
    "ingest": "ingest seed outcome cluster clustered simulators draws weighting_effect options "
    "curves by_respondent unasked",
    "answers": "asked",
    "bootstrap": "seed n replicates",
    "bootstrap_simulators": "seed simulators k replicates",
    "confidence_set": "seed n gamma pairs",
    "pseudo_discrepancy": "pairs smoothed",
    "quantile": "n gamma index",
    "guarantee": "seed n gamma index target",
    "sample_size": "seed simulators",
    "nonresponse": "simulators asked",
    "summary": "n",
    "pairwise": "simulators compared comparison smoothed",
    "envelope": "seed n simulators pairs compared smoothed tolerance",
    "comparison": "n comparison index",
    "mean_discrepancy": "seed simulators pairs smoothed test tolerance",
    "hybrids": "seed pairs smoothed test hybrids",
    "error_bars": "test",
    "variance": "seed pairs smoothed test",
    "prompts": "seed simulators pairs smoothed test prompted",
    "sequence": "seed simulators pairs smoothed test sequential",
    "new_questions": "ingest outcome cluster weighting_effect options simulators predict unasked",
    "predict": "seed outcome simulators smoothed predict correct",
    "correct": "seed simulators pairs smoothed test correct",
    "proper_scores": "simulators",
    "calibration": "seed simulators calibration",
    "intervals": "simulators calibration",
    "plan": "seed simulators pairs smoothed test plan",
    "findings": OF_WORDS,
    "statement": f"{OF_WORDS} about",
    "figure": "title cluster simulators names noun n gamma pairs comparison weighting_effect "
    "smoothed plan test curves predict",
}
NEEDS_OF_EVALUATIONS = {
    "evaluation_scores": "evals",
    "evaluation": "evals baseline margin standard_error test",
    "evaluation_findings": "title evals baseline margin standard_error test",
}
ASKS = ["mode", "personas", "draws", "temperature", "max_tokens", "system", "prompt"]
CODING = ["recode", "unlisted", "missing", "missing_in", "custom_id"]
RUNS = ["endpoint", "model", "key_variable", "concurrency", "timeout", "retries", "price"]

WITHOUT_CURVES = [
    "outcomes.parquet",
    "scenarios.parquet",
    "stated.parquet",
    "stated_by_persona.parquet",
    "missing.parquet",
    "personas.parquet",
    "respondents.parquet",
    "nonresponse.csv",
    "nonresponse.parquet",
    "comparison/proper_scores.parquet",
]
EACH_DATASET = [
    *WITHOUT_CURVES,
    "bootstrap/simulators.parquet",
    "comparison/mean_discrepancy.parquet",
    "comparison/mean_differences.parquet",
    "comparison/by_cluster.parquet",
    "comparison/lists.parquet",
    "comparison/curves.parquet",
    "comparison/means.parquet",
    "comparison/differences.parquet",
    "comparison/ranks.parquet",
    "comparison/variance.parquet",
    "sample_size.parquet",
]
EACH_N = [
    "bootstrap/n{n}.parquet",
    "confidence_set/n{n}.parquet",
    "pseudo_discrepancy/n{n}.parquet",
    "quantile/n{n}.parquet",
    "quantile/summary_n{n}.parquet",
]

NUMBERS = ("bounded", "real")
OF_OPTIONS, OF_NUMBERS = "options", "numbers"
CALIBRATED: dict[str | None, list[str]] = {
    OF_OPTIONS: ["scores", "reliability"],
    OF_NUMBERS: ["intervals"],
}
OF_PLAN = ["plans", "iso_width", "means"]
OF_SEQUENCE = ["sequence", "drift"]
NEW_QUESTIONS = ["questions", "outcomes", "stated", "features"]
OF_PREDICTION = ["predictions", "held_out", "nearest"]
OF_CORRECT = ["comparison/corrections", "correct/stated"]
OF_ENVELOPE = ["envelope/curves", "envelope/shares", "envelope/pairs"]
COMPARED = [
    *("mean_discrepancy", "mean_differences", "by_cluster", "lists"),
    *("shares", "differences", "variance", "proper_scores"),
]
SHOWN_WITHOUT_CURVES = ("scenarios", "respondents", "nonresponse", "proper_scores")
SHOWN = {
    "scenarios": "scenarios.parquet",
    "respondents": "respondents.parquet",
    "sample_size": "sample_size.parquet",
    "nonresponse": "nonresponse.csv",
    "people": "bootstrap/n{n}.parquet",
    "simulated": "bootstrap/simulators.parquet",
    "levels": "guarantee/levels_n{n}.parquet",
    **{
        name: f"comparison/{name}.parquet"
        for name in ("mean_discrepancy", "mean_differences", "by_cluster", "lists", "proper_scores")
    },
    "shares": "comparison/shares.csv",
}
DRAWN = {
    "scenarios": "scenarios.parquet",
    "shares": "comparison/shares.csv",
    **{
        name: f"comparison/{name}.parquet"
        for name in ("mean_discrepancy", "mean_differences", "by_cluster", "means")
    },
}
OF_EVALUATION = ["means", "differences", "power", "samples", "missing"]
LAST_N = ["guarantee/n{n}.parquet", "guarantee/levels_n{n}.parquet"]


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
        _refuse(list(content_faults(config)))
        self.drawable, self.extensions = _extensions(config)
        load(self.extensions)
        schema = config_schema()
        refused = schema_faults(config, schema)
        own = prompt_faults(refused.sound, defaults_of(schema["$defs"]["asking"]))
        sound = with_each_prompt(refused.sound)
        words = _words(sound, schema)
        self.seed = sound.get("seed", schema["properties"]["seed"]["default"])
        self.data_mirror = sound.get("data_mirror")
        self.models = {
            name: complete_model(settings, schema)
            for name, settings in sound.get("models", {}).items()
        }
        usual = [name for name in self.drawable if name not in ON_REQUEST]
        answering = Answering(looks, refused.places)
        self.datasets = {
            name: complete_dataset(
                sound,
                answering.complete(name, settings, words[name]),
                name,
                schema,
                usual,
                words[name],
            )
            for name, settings in sound.get("datasets", {}).items()
        }
        self.evaluations = {
            name: complete_evaluation(settings, name, schema)
            for name, settings in sound.get("evaluations", {}).items()
        }
        between = faults_between(
            self.datasets,
            self.models,
            list(self.drawable),
            refused.places,
            self.evaluations,
            own,
        )
        of_scores = score_faults(self.evaluations, refused.places) if looks else []
        faulty = refused.places | {each.place.key for each in between}
        new = NewQuestionFiles(self.datasets if looks else {}, faulty)
        faults = without_repeats(
            [*refused.faults, *between, *answering.faults, *new.faults, *of_scores]
        )
        _refuse([*faults, *(self._unreachable(refused.places) if looks and faults else [])])
        self.notes = without_repeats([*answering.notes, *new.notes])

    def rooms(self) -> list[str]:
        """Return the folders below workflow/datasets that this study reads with."""
        return sorted({settings["ingest"] for settings in self.datasets.values()})

    def datasets_of(self, room: str) -> str:
        """Return a pattern that matches the datasets which a room reads."""
        return "|".join(name for name, each in self.datasets.items() if each["ingest"] == room)

    def fetch_step(self, room: str, file: str) -> dict:
        """Return where a file from elsewhere is, and the checksum, which alone says what it is.

        So that no edit of a script fetches it again.
        """
        known = sources(room)
        if file not in known["files"]:
            raise DataError(f"{file} is not in workflow/datasets/{room}/sources.yaml")
        source = known["files"][file]
        return {
            "room": room,
            "file": file,
            "url": known["url"] + quote(source["path"]),
            "sha256": source["sha256"],
        }

    def paths(self, dataset: str, name: str) -> list[str]:
        """Return the paths of a table that is made for each n of the grid."""
        return self._paths(dataset, name, self.datasets[dataset]["grid"]["n"])

    def last_path(self, dataset: str, name: str) -> str:
        """Return the path of a table that is made for the last n of the grid only."""
        return self.paths(dataset, name)[-1]

    def tables(self) -> list[str]:
        """Return the paths of every table between the steps.

        A study asks for all of them: a table that a failed or interrupted job left missing is then
        made again, even if what follows from it is still there.
        """
        found = []
        for dataset in self.datasets:
            each = EACH_DATASET if self.has_curves(dataset) else WITHOUT_CURVES
            found += [f"{self.folder}/{dataset}/{name}" for name in each]
            found += self.given_paths(dataset)
            found += self.asked_paths(dataset)
            for name in ("outcomes", "stated", "stated_by_persona", "missing"):
                found += self.answers(dataset, name)[1:]
            found += self.calibration_paths(dataset)
            if not self.has_curves(dataset):
                continue
            for name in EACH_N:
                found += self.paths(dataset, name)
            found += self.plan_paths(dataset)
            found += self.prompts_paths(dataset)
            found += self.sequence_paths(dataset)
            found += self.new_question_paths(dataset) + self.prediction_paths(dataset)
            found += self.correct_paths(dataset)
            found += self.hybrids_paths(dataset)
            for name in OF_ENVELOPE:
                found += self.envelope_paths(dataset, name)
            found += self.compared_paths(dataset, "pairwise/n{n}.parquet")
            found += [self.last_path(dataset, name) for name in LAST_N]
        for name in self.evaluations:
            found += self.evaluation_paths(name)
        return found

    def has_curves(self, dataset: str) -> bool:
        """Return whether curves are made of a dataset, not scores and calibration alone."""
        found: bool = self.datasets[dataset]["curves"]
        return found

    def gives(self, dataset: str) -> bool:
        """Return whether simulators may state distributions, or one-vs-rest probabilities."""
        options = self.datasets[dataset]["options"]
        return bool({"family", "probabilities"} & {*options, *options.get("columns", {})})

    def given_paths(self, dataset: str) -> list[str]:
        """Return the path of what such simulators gave, none if there are no such."""
        return [f"{self.folder}/{dataset}/given.parquet"] if self.gives(dataset) else []

    def shown_tables(self, dataset: str) -> list[str]:
        """Return the paths of the tables of a dataset that the report offers, without calibration.

        In the order of Snakemake's report.
        """
        names = ["nonresponse.csv", "comparison/proper_scores.csv"]
        if self.has_curves(dataset):
            compared = [f"comparison/{name}.csv" for name in COMPARED]
            names = ["summary.csv", "nonresponse.csv", *compared]
        return [f"{self.folder}/{dataset}/{name}" for name in names]

    def evaluation_paths(self, name: str, suffix: str = "parquet") -> list[str]:
        """Return the paths of the tables of an evaluation, in one format."""
        tables = ["logs", "reported", *OF_EVALUATION] + (["scores"] if suffix == "parquet" else [])
        return [f"{self.folder}/{name}/{table}.{suffix}" for table in tables]

    def score_files(self, name: str) -> list[str]:
        """Return the files that an evaluation's scores are read from."""
        evals = self.evaluations[name]["evals"].values()
        return without_repeats(path for each in evals for path in files_of(each))

    def evaluation_step(self, script: str, name: str) -> dict:
        """Return what a step of an evaluation depends on besides its input files."""
        settings = self.evaluations[name]
        step = Path(script).stem
        return {
            "digest": digest(ROOT / script),
            "evaluation": name,
            **{key: settings[key] for key in NEEDS_OF_EVALUATIONS[step].split()},
        }

    def evaluation_page_step(self, name: str) -> dict:
        """Return what the words about an evaluation depend on besides its input files."""
        return {
            **self.evaluation_step("scripts/evaluation_findings.py", name),
            "assets": page_digest(),
        }

    def calibration_paths(self, dataset: str) -> list[str]:
        """Return the paths of the tables of calibration, none if the config doesn't want them."""
        names = CALIBRATED.get(_calibrated(self.datasets[dataset]), [])
        return [f"{self.folder}/{dataset}/calibration/{name}.parquet" for name in names]

    def calibration_reports(self) -> list[str]:
        """Return the paths of the tables of calibration that the report shows."""
        found = (self.calibration_paths(dataset)[:1] for dataset in self.datasets)
        return [str(Path(path).with_suffix(".csv")) for paths in found for path in paths]

    def plan_paths(self, dataset: str) -> list[str]:
        """Return the paths of the tables of a plan, none if the config doesn't want one."""
        if self.datasets[dataset]["plan"] is None or not self.has_curves(dataset):
            return []
        return [f"{self.folder}/{dataset}/plan/{name}.parquet" for name in OF_PLAN]

    def sequence_paths(self, dataset: str) -> list[str]:
        """Return the paths of what was known after each unit, none if the config wants no such."""
        if self.datasets[dataset]["sequential"] is None or not self.has_curves(dataset):
            return []
        return [f"{self.folder}/{dataset}/comparison/{name}.parquet" for name in OF_SEQUENCE]

    def new_question_paths(self, dataset: str) -> list[str]:
        """Return the paths of the tables of new questions, none if the config predicts none."""
        return self._predict_paths(dataset, NEW_QUESTIONS)

    def prediction_paths(self, dataset: str) -> list[str]:
        """Return the paths of what is predicted of new questions, none if the config does not."""
        return self._predict_paths(dataset, OF_PREDICTION)

    def _predict_paths(self, dataset: str, names: list[str]) -> list[str]:
        wanted = self.datasets[dataset]["predict"] is not None and self.has_curves(dataset)
        return [f"{self.folder}/{dataset}/predict/{name}.parquet" for name in names if wanted]

    def new_question_files(self, dataset: str) -> list[str]:
        """Return the users' own files that say what new questions are, and who answers what."""
        settings = self.datasets[dataset]
        own = named_files(settings["options"]) if settings["ingest"] == TABULAR else []
        predict = settings["predict"] or {}
        named = [predict.get(key) for key in ("questions", "scenarios")]
        return without_repeats([*own, *filter(None, named)])

    def prompts_paths(self, dataset: str) -> list[str]:
        """Return the path of the table of prompts, none without curves or several prompts."""
        wanted = self.datasets[dataset]["prompted"] and self.has_curves(dataset)
        return [f"{self.folder}/{dataset}/comparison/prompts.parquet"] if wanted else []

    def correct_paths(self, dataset: str) -> list[str]:
        """Return the paths of the tables of corrected simulators, none if the config wants none."""
        wanted = self.datasets[dataset]["correct"] and self.has_curves(dataset)
        return [f"{self.folder}/{dataset}/{name}.parquet" for name in OF_CORRECT] if wanted else []

    def hybrids_paths(self, dataset: str) -> list[str]:
        """Return the path of the table of hybrids, none if the config doesn't want one."""
        wanted = self.datasets[dataset]["hybrids"] is not None and self.has_curves(dataset)
        return [f"{self.folder}/{dataset}/comparison/hybrids.parquet"] if wanted else []

    def prompted_paths(self, dataset: str) -> list[str]:
        """Return the paths of the raw answers of simulators that are asked in several prompts."""
        names = (name for each in self.datasets[dataset]["prompted"].values() for name in each)
        return [f"{self.folder}/{dataset}/simulate/{name}.parquet" for name in names]

    def answers(self, dataset: str, table: str) -> list[str]:
        """Return the paths of a table of answers: ingest's and, if models are asked, theirs."""
        asked = [f"{self.folder}/{dataset}/simulate/{table}.parquet"]
        return [f"{self.folder}/{dataset}/{table}.parquet", *(asked if self._asks(dataset) else [])]

    def envelope_paths(self, dataset: str, name: str = "envelope/curves") -> list[str]:
        """Return the path of a table of the envelope over γ, none if the config wants no such."""
        wanted = self.datasets[dataset]["grid"]["envelope"] and self.has_curves(dataset)
        return [f"{self.folder}/{dataset}/{name}.parquet"] if wanted else []

    def asked(self) -> list[str]:
        """Return the simulators that are language models to ask, over all datasets."""
        return without_repeats(name for dataset in self.datasets for name in self._asks(dataset))

    def asked_paths(self, dataset: str) -> list[str]:
        """Return the paths of the tables of raw answers of a dataset."""
        return [f"{self.folder}/{dataset}/simulate/{name}.parquet" for name in self._asks(dataset)]

    def unreachable(self, simulators: Iterable[tuple[str, str]]) -> list[Fault]:
        """Say what is missing to ask the models of simulators, each with its dataset before it."""
        names = (self.datasets[dataset]["simulate"][name]["model"] for dataset, name in simulators)
        return [
            each
            for name in without_repeats(names)
            if name in self.models
            for each in unreachable(name, self.models[name])
        ]

    def _unreachable(self, refused: Set[str]) -> list[Fault]:
        """Say what a config with other faults lacks to ask its models, in the same answer.

        Without other faults that is told when it is known which jobs run: a dry run, or what asks
        no model, lacks nothing. Simulators with answers from an earlier run may lack nothing, too.
        """
        return self.unreachable(
            (dataset, name)
            for dataset, settings in self.datasets.items()
            for name, path in zip(settings["asked"], self.asked_paths(dataset), strict=True)
            if not (Path(path).exists() or is_kept(KEPT / dataset / name))
            and f"models.{settings['simulate'][name]['model']}.model" not in refused
        )

    def _paths(self, dataset: str, name: str, ns: list) -> list[str]:
        return [f"{self.folder}/{dataset}/{name.format(n=n)}" for n in ns]

    def _asks(self, dataset: str) -> list[str]:
        return self.datasets[dataset]["asked"]

    def simulate_step(self, dataset: str, simulator: str) -> dict:
        """Return what asking a model depends on besides its input files; see :meth:`step`.

        ``asks`` determines the answers, ``runs`` only how they are got.
        """
        settings = self.datasets[dataset]["simulate"][simulator]
        model = self.models[settings["model"]]
        is_embedded = model["endpoint"] == EMBEDDED
        asks = {key: settings[key] for key in ASKS}
        if settings["mode"] == POPULATION:
            asks["population"] = settings["population"]
        runs = {key: model[key] for key in RUNS}
        return {
            "digest": digest(ROOT / "scripts/simulate.py"),
            "seed": self.seed,
            "dataset": dataset,
            "simulator": simulator,
            "asks": {
                **asks,
                "model": model["model"],
                "extra": {**(EXTRA if is_embedded else {}), **model["extra"]},
            },
            "runs": {**runs, "budget": settings["budget"]},
        }

    def compared_paths(self, dataset: str, name: str) -> list[str]:
        """Return the paths of a table that is made for each n in which pairs are compared."""
        return self._paths(dataset, name, self.datasets[dataset]["comparison"]["n"])

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
        kind, many = settings["outcome"]["kind"], len(settings["simulators"])
        if not self.has_curves(dataset) and needs.calibration is None:
            return f"is made of curves, and {dataset} has none (curves: false); draw another figure"
        if needs.calibration not in (None, _calibrated_as(kind)):
            return (
                f"is for outcomes that are {needs.calibration}, and those of {dataset} are "
                f"{_calibrated_as(kind)}; draw another figure"
            )
        for key, needed, usual in (
            ("calibration", needs.calibration, "{}"),
            ("plan", needs.plan, "{}"),
            ("predict", needs.predict, "{}"),
            ("correct", needs.correct, "true"),
            ("hybrids", needs.hybrids, "{}"),
        ):
            if needed and not settings[key] and settings[key] != {}:
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

    def figure_files(self, dataset: str) -> dict[str, str | list[str]]:
        """Return the paths of the tables that figures read, by what they are called there."""
        if not self.has_curves(dataset):
            return {
                "curves": [],
                "summaries": [],
                "scenarios": f"{self.folder}/{dataset}/scenarios.parquet",
                "calibration": self.calibration_paths(dataset),
            }
        return {
            "curves": self.paths(dataset, "quantile/n{n}.parquet"),
            "summaries": self.paths(dataset, "quantile/summary_n{n}.parquet"),
            "envelope": self.envelope_paths(dataset),
            **{name: f"{self.folder}/{dataset}/{file}" for name, file in DRAWN.items()},
            "guarantee": self.last_path(dataset, "guarantee/n{n}.parquet"),
            "levels": self.last_path(dataset, "guarantee/levels_n{n}.parquet"),
            "calibration": self.calibration_paths(dataset),
            "plan": self.plan_paths(dataset),
            "predictions": self.prediction_paths(dataset),
            "new_questions": self.new_question_paths(dataset)[:1],
            "corrections": self.correct_paths(dataset)[:1],
            "hybrids": self.hybrids_paths(dataset),
        }

    def report_titles(self, dataset: str) -> dict[str, str]:
        """Return the title in the report of each figure of a dataset.

        The report sorts titles as texts: so their numbers are aligned.
        """
        numbers = {name: i for i, name in enumerate(self.drawable, start=1)}
        return {
            name: f"{numbers[name]:>2}. {_literal(figure.title)}"
            for name, figure in self.figures(dataset).items()
        }

    def drawings(self, dataset: str, suffix: str) -> list[str]:
        """Return the paths of a dataset's figures in one format, or of their captions."""
        return [
            f"{self.folder}/{dataset}/figures/{name}.{suffix}" for name in self.figures(dataset)
        ]

    def figure_step(self, dataset: str) -> dict:
        """Return what a dataset's figures depend on besides their input files; see :meth:`step`."""
        return {
            **self.step("scripts/figure.py", dataset),
            "figures": {
                name: {"caption": figure.caption, "path": figure.own_path}
                for name, figure in self.figures(dataset).items()
            },
            "places": self.places(dataset),
        }

    def places(self, dataset: str) -> dict[str, int]:
        """Return each simulator's place in the study, from 0; those of most datasets come first.

        It decides on its colour, so that one simulator has one colour in all datasets.
        """
        named = [name for settings in self.datasets.values() for name in settings["simulators"]]
        order = sorted(dict.fromkeys(named), key=lambda name: -named.count(name))
        return {name: order.index(name) for name in self.datasets[dataset]["simulators"]}

    def report_title(self, dataset: str) -> str:
        """Return the dataset's title for the menu of Snakemake's report."""
        return _literal(self.datasets[dataset]["title"])

    def report_step(self, config: dict) -> dict:
        """Return what the report depends on besides its input files; see :meth:`step`."""
        return {
            "digest": digest(ROOT / "scripts/report.py"),
            "extensions": self.extensions,
            "config": json.loads(json.dumps(config)),
            "published": self.published(),
            "datasets": {
                dataset: {**self.findings_step(dataset), "places": self.places(dataset)}
                for dataset in self.datasets
            },
            "files": {dataset: self.shown_files(dataset) for dataset in self.datasets},
            "evaluations": {name: self.evaluation_page_step(name) for name in self.evaluations},
        }

    def findings_step(self, dataset: str) -> dict:
        """Return what the words about a dataset depend on besides its input files."""
        return {
            **self.step("scripts/findings.py", dataset),
            "assets": page_digest(),
        }

    def statement_step(self, dataset: str) -> dict:
        """Return what the statement on a dataset depends on besides its input files.

        Of models that are asked it says how, but not where: an address may be secret.
        """
        asked = {
            name: {
                "model": self.models[settings["model"]]["model"],
                "is_embedded": self.models[settings["model"]]["endpoint"] == EMBEDDED,
                "extra": self.models[settings["model"]]["extra"],
                **{key: settings[key] for key in ASKS},
                "population": settings.get("population"),
            }
            for name, settings in self.datasets[dataset]["simulate"].items()
        }
        options = self.datasets[dataset]["options"]
        return {
            **self.step("scripts/statement.py", dataset),
            "assets": page_digest(),
            "asked": asked,
            "coding": {key: options[key] for key in CODING if key in options},
            "design": options.get("design", {}),
        }

    def shown_files(self, dataset: str) -> dict[str, str | list[str]]:
        """Return the tables that the report reads of a dataset, as paths in the study's folder."""
        last = self.datasets[dataset]["grid"]["n"][-1]
        own = {"calibration": self.calibration_paths(dataset), "given": self.given_paths(dataset)}
        if not self.has_curves(dataset):
            single = {name: f"{dataset}/{SHOWN[name]}" for name in SHOWN_WITHOUT_CURVES}
            return {**single, "curves": [], "summaries": [], **self._inside(own)}
        single = {name: f"{dataset}/{file}" for name, file in SHOWN.items()}
        several = {
            "curves": self.paths(dataset, "quantile/n{n}.parquet"),
            "summaries": self.paths(dataset, "quantile/summary_n{n}.parquet"),
            "envelope": self.envelope_paths(dataset),
            "envelope_shares": self.envelope_paths(dataset, "envelope/shares"),
            "plan": self.plan_paths(dataset),
            "prompts": self.prompts_paths(dataset),
            "sequence": self.sequence_paths(dataset)[:1],
            "drift": self.sequence_paths(dataset)[1:],
            "predictions": self.prediction_paths(dataset),
            "new_questions": self.new_question_paths(dataset)[:1],
            "corrections": self.correct_paths(dataset)[:1],
            "hybrids": self.hybrids_paths(dataset),
            **own,
        }
        return {name: file.format(n=last) for name, file in single.items()} | self._inside(several)

    def _inside(self, several: dict[str, list[str]]) -> dict[str, list[str]]:
        """Return paths as they are seen from the study's folder."""
        return {
            name: [path.removeprefix(f"{self.folder}/") for path in paths]
            for name, paths in several.items()
        }

    def published(self) -> dict[str, str]:
        """Return the address of each file from elsewhere that a room of this study may read."""
        return {
            f"resources/{room}/{file}": self.fetch_step(room, file)["url"]
            for room in self.rooms()
            for file in sources(room)["files"]
        }

    def code(self, script: str, dataset: str) -> list[Path]:
        """Return a step's script, and the modules that it finds by what the config names."""
        name = Path(script).stem
        found = [ROOT / script]
        if name == "figure":
            found += [figure.path for figure in self.figures(dataset).values()]
        if script == "scripts/ingest.py":
            found.append(ROOMS / self.datasets[dataset]["ingest"] / "ingest.py")
        if name == "ingest":
            wanted = self.datasets[dataset]["simulators"]
            found += [_module(BASELINES[each]) for each in wanted if each in BASELINES]
        if {"pairs", "compared", "plan", "predict"}.intersection(NEEDS[name].split()):
            found += self.used(dataset)
        return found

    def step(self, script: str, dataset: str, n: str | None = None) -> dict:
        """Return all that a step depends on besides its input files.

        One dict of builtin types per rule, since Snakemake compares single params as a set; it
        holds the digest of the script and of every module that the script uses. ``n`` is the
        wildcard, for steps that run once for each n.
        """
        settings = self.datasets[dataset]
        known = {"seed": self.seed, **settings, **settings["grid"]}
        if Path(script).stem == "ingest":
            known["simulators"] = [
                name for name in settings["simulators"] if name not in settings["asked"]
            ]
        if n is not None:
            known["n"] = n if n == "all" else int(n)
        return {
            "digest": digest(*self.code(script, dataset)),
            "extensions": self.extensions,
            "dataset": dataset,
            **{key: known[key] for key in NEEDS[Path(script).stem].split()},
        }

    def used(self, dataset: str) -> list[Path]:
        """Return the modules of the discrepancies and confidence sets that a dataset uses."""
        pairs = self.datasets[dataset]["grid"]["pairs"]
        things: list[object] = [DISCREPANCIES[name] for name in pairs]
        things += [CONFIDENCE_SETS[name] for sets in pairs.values() for name in sets]
        return sorted({_module(thing) for thing in things})


def _refuse(faults: Iterable[Fault]) -> None:
    ErrorList(faults).refuse()


def _words(config: dict, schema: dict) -> dict[str, dict]:
    """Return the words of each dataset's room; DataError where a room's file is malformed."""
    datasets = config.get("datasets", {})
    used = {name: settings["ingest"] for name, settings in datasets.items()}
    known = {room: room_words(room) for room in {*used.values()}.intersection(rooms())}
    _refuse(
        [
            each
            for room, words in known.items()
            for each in words_faults(f"workflow/datasets/{room}/words.yaml", words, schema)
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
            fault("no-file", f"{file} is not there, seen from {Path.cwd()}", key="extensions")
            for file in files
            if not Path(file).is_file()
        ]
    )
    found = figures(files)
    drawn = {figure.path for figure in found.values()}
    return found, [file for file in files if Path(file) not in drawn]


def _literal(text: str) -> str:
    """Return a text of Snakemake's report, where ``{name}`` would be a wildcard.

    An invisible word joiner after each brace keeps Snakemake from reading it as one.
    """
    return text.replace("{", "{\u2060")


def _module(thing: object) -> Path:
    """Return the file that defines a thing's class."""
    return Path(str(sys.modules[type(thing).__module__].__file__))


def _calibrated(settings: dict) -> str | None:
    """Return what calibration is measured of; None if the dataset doesn't want it."""
    if settings["calibration"] is None:
        return None
    return _calibrated_as(settings["outcome"]["kind"])


def _calibrated_as(kind: str) -> str:
    return OF_NUMBERS if kind in NUMBERS else OF_OPTIONS
