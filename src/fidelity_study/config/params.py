"""What steps depend on besides their input files: one dict of builtin types for each rule.

One dict, since Snakemake compares single params as a set. It holds the digest of the script, and of
every module that the script finds by what the config names.
"""

import json
import sys
from pathlib import Path
from urllib.parse import quote

from fidelity.baselines.base import BASELINES
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.uses.base import USES
from fidelity_study.ask.embedded import EMBEDDED, EXTRA
from fidelity_study.ask.prompts import POPULATION
from fidelity_study.config.project import sources
from fidelity_study.config.shown import report_files
from fidelity_study.config.study import Study
from fidelity_study.digest import digest
from fidelity_study.errors import DataError
from fidelity_study.report.page.files import page_digest
from fidelity_study.root import ROOMS, ROOT
from fidelity_study.steps.registry import (
    MEASURING,
    OF_EVALUATIONS,
    SHOWN,
    STEPS,
    code_of,
    file_of,
    main_of,
)

ASKS = ["mode", "personas", "draws", "temperature", "max_tokens", "system", "prompt"]
CODING = ["recode", "unlisted", "missing", "missing_in", "custom_id"]
RUNS = ["endpoint", "model", "key_variable", "concurrency", "timeout", "retries", "price"]


def step(study: Study, name: str, dataset: str, n: str | None = None) -> dict:
    """Return all that a step depends on besides its input files, and where its function stands.

    Args:
        study: the checked config.
        name: of the step, or the path of a script of a dataset's own.
        dataset: its name.
        n: the wildcard, of steps that run once for each n.
    """
    settings = study.datasets[dataset]
    known = {"seed": study.seed, **settings, **settings["grid"]}
    if Path(name).stem == "ingest":
        known["simulators"] = [
            name for name in settings["simulators"] if name not in settings["asked"]
        ]
    if n is not None:
        known["n"] = n if n == "all" else int(n)
    return {
        **({} if name.endswith(".py") else {"main": main_of(name)}),
        "digest": digest(*code(study, name, dataset)),
        "extensions": study.extensions,
        "dataset": dataset,
        **{key: known[key] for key in STEPS[Path(name).stem].depends_on.split()},
    }


def code(study: Study, script: str, dataset: str) -> list[Path]:
    """Return a step's script, and the modules that it finds by a name."""
    name = Path(script).stem
    files = [ROOT / script] if script.endswith(".py") else code_of(name)
    if name == "figure":
        files += [figure.path for figure in study.figures(dataset).values()]
    if script == "ingest":
        files.append(ROOMS / study.datasets[dataset]["ingest"] / "ingest.py")
    if name == "ingest":
        wanted = study.datasets[dataset]["simulators"]
        files += [_module(BASELINES[simulator]) for simulator in wanted if simulator in BASELINES]
    if name in {"figure", "findings", "statement"}:
        files += schemas()
    if name in {*MEASURING, "uses", "figure", "findings", "statement"}:
        files += sorted({_module(use) for use in USES.values()})
    if {"pairs", "compared", "plan", "predict"}.intersection(STEPS[name].depends_on.split()):
        files += used(study, dataset)
    return files


def schemas() -> list[Path]:
    """Return the files of the schemas by which report and figures read tables."""
    return sorted({file_of(table.place) for table in SHOWN.values()})


def used(study: Study, dataset: str) -> list[Path]:
    """Return the modules of the discrepancies and confidence sets that a dataset uses."""
    pairs = study.datasets[dataset]["grid"]["pairs"]
    things: list[object] = [DISCREPANCIES[name] for name in pairs]
    things += [CONFIDENCE_SETS[name] for sets in pairs.values() for name in sets]
    return sorted({_module(thing) for thing in things})


def simulate_step(study: Study, dataset: str, simulator: str) -> dict:
    """Return what asking a model depends on besides its input files; see :func:`step`.

    ``asks`` determines the answers, ``runs`` only how they are got.
    """
    settings = study.datasets[dataset]["simulate"][simulator]
    model = study.models[settings["model"]]
    is_embedded = model["endpoint"] == EMBEDDED
    asks = {key: settings[key] for key in ASKS}
    if settings["mode"] == POPULATION:
        asks["population"] = settings["population"]
    runs = {key: model[key] for key in RUNS}
    return {
        **_calls("simulate"),
        "seed": study.seed,
        "dataset": dataset,
        "simulator": simulator,
        "asks": {
            **asks,
            "model": model["model"],
            "extra": {**(EXTRA if is_embedded else {}), **model["extra"]},
        },
        "runs": {**runs, "budget": settings["budget"]},
    }


def figure_step(study: Study, dataset: str) -> dict:
    """Return what a dataset's figures depend on besides their input files; see :func:`step`."""
    return {
        **step(study, "figure", dataset),
        "figures": {
            name: {"caption": figure.caption, "path": figure.own_path}
            for name, figure in study.figures(dataset).items()
        },
        "places": places(study, dataset),
    }


def places(study: Study, dataset: str) -> dict[str, int]:
    """Return each simulator's place in the study, from 0; baselines come last.

    Of the others those of most datasets come first.

    It decides on its colour, so that one simulator has one colour in all datasets.
    """
    named = [name for settings in study.datasets.values() for name in settings["simulators"]]
    order = sorted(dict.fromkeys(named), key=lambda name: (name in BASELINES, -named.count(name)))
    return {name: order.index(name) for name in study.datasets[dataset]["simulators"]}


def findings_step(study: Study, dataset: str) -> dict:
    """Return what the words about a dataset depend on besides its input files."""
    return _of_words(study, "findings", dataset)


def _of_words(study: Study, name: str, dataset: str) -> dict:
    """Return what words depend on: they count persons as the sampling design says."""
    options = study.datasets[dataset]["options"]
    of_files = {"design": options.get("design", {}), "decided": options.get("decided", {})}
    return {**step(study, name, dataset), "assets": page_digest(), **of_files}


def statement_step(study: Study, dataset: str) -> dict:
    """Return what the statement on a dataset depends on besides its input files.

    Of models that are asked it says how, but not where: an address may be secret.
    """
    asked = {
        name: {
            "model": study.models[settings["model"]]["model"],
            "is_embedded": study.models[settings["model"]]["endpoint"] == EMBEDDED,
            "extra": study.models[settings["model"]]["extra"],
            **{key: settings[key] for key in ASKS},
            "population": settings.get("population"),
        }
        for name, settings in study.datasets[dataset]["simulate"].items()
    }
    options = study.datasets[dataset]["options"]
    return {
        **_of_words(study, "statement", dataset),
        "asked": asked,
        "coding": {key: options[key] for key in CODING if key in options},
    }


def report_step(study: Study, config: dict) -> dict:
    """Return what the report depends on besides its input files; see :func:`step`."""
    return {
        **_calls("report"),
        "extensions": study.extensions,
        "config": json.loads(json.dumps(config)),
        "published": published(study),
        "datasets": {
            dataset: {**findings_step(study, dataset), "places": places(study, dataset)}
            for dataset in study.datasets
        },
        "files": {dataset: report_files(study, dataset) for dataset in study.datasets},
        "evaluations": {name: evaluation_page_step(study, name) for name in study.evaluations},
    }


def published(study: Study) -> dict[str, str]:
    """Return the address of each file from elsewhere that a room of this study may read."""
    return {
        f"resources/{room}/{file}": fetch_step(room, file)["url"]
        for room in study.rooms()
        for file in sources(room)["files"]
    }


def fetch_step(room: str, file: str) -> dict:
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


def evaluation_step(study: Study, step: str, name: str) -> dict:
    """Return what a step of an evaluation depends on besides its input files."""
    settings = study.evaluations[name]
    return {
        **_calls(step),
        "evaluation": name,
        **{key: settings[key] for key in OF_EVALUATIONS[step].split()},
    }


def evaluation_page_step(study: Study, name: str) -> dict:
    """Return what the words about an evaluation depend on besides its input files."""
    step = evaluation_step(study, "evaluation_findings", name)
    return {**step, "assets": page_digest()}


def _calls(step: str) -> dict:
    """Return where a step's function stands, and the digest of its code."""
    return {"main": main_of(step), "digest": digest(*code_of(step))}


def _module(thing: object) -> Path:
    """Return the file that defines a thing's class."""
    return Path(str(sys.modules[type(thing).__module__].__file__))
