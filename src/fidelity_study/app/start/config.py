"""The config that ``start`` writes: YAML with a comment on each key."""

import json
from copy import deepcopy
from math import inf

import yaml

from fidelity_study.app.start.look import Look, discrepancy_of, float_or_int, settings_of
from fidelity_study.app.start.request import StudyRequest
from fidelity_study.app.start.summary import people_per_question
from fidelity_study.config.study import Study
from fidelity_study.reading.codebook.decided import nested_of, without_codebook
from fidelity_study.reading.codebook.tables import Codebook
from fidelity_study.reading.settings import WITHOUT_OPTIONS
from fidelity_study.reading.tabular.reading_options import CONTAINERS, OPTIONS
from fidelity_study.report.page.words import listed
from fidelity_study.steps.limits import tolerances_of
from fidelity_study.tables.ingest import NO_CLUSTER, UNSCORED

MOST_LISTED = 6
SMALLER = (1000, 500, 200, 100, 50)
ABOUT = {
    "ingest": "files of answers; workflow/datasets/tabular/README.md explains the keys below",
    "human": "people's answers",
    "simulated": "simulators' answers or stated probabilities",
    "codebook": "what columns, questions and answers mean; its changed cells precede these keys",
    **{key: text for key, (text, _) in CONTAINERS.items()},
    "curves": "false: proper scores and calibration only, as for events that happen once",
    "calibration": "whether what is stated comes true",
    "outcome": "binary, ordinal, categorical, bounded, real, text or vector",
    "simulators": "which to study: those of the files, and baselines, which need no file",
    **{option.key: option.comment for option in OPTIONS if option.name},
}


def config(look: Look, codebook: Codebook) -> dict:
    """Return the config of the study; raise DataError if it has faults.

    What the changed cells of the codebook say stands there alone.
    """
    request, simulators = look.request, [*look.simulators, *look.baselines]
    settings = settings_of(request, look.files, look.kind.name, simulators)
    if look.is_forecast:
        settings |= {"curves": False, "calibration": {}}
    settings = nested_of(without_codebook(settings, codebook))
    tolerance = {} if request["tolerance"] is None else {"comparison": {"tolerance": _limit(look)}}
    of_curves = {} if look.are_points else {"grid": _grid(look), **tolerance}
    wanted = {**of_curves, "datasets": {request.dataset: settings}}
    Study(deepcopy(wanted), looks=request["predict"])
    return wanted


def written(look: Look, codebook: Codebook) -> str:
    """Return the config as YAML, with a comment on each key and what one may add."""
    request, wanted = look.request, config(look, codebook)
    ((name, settings),) = wanted["datasets"].items()
    lines = [
        *heading("Compares simulators with people", request),
        "",
        *([] if look.are_points else _of_curves(look, wanted["grid"])),
        "# models: # language models, to be asked the same questions; see simulate below",
        "#   my_model: {endpoint: http://localhost:11434/v1, model: some-model}",
        "",
        "datasets:",
        f"  {inline(name)}:",
        f"    # title: {inline(request.name)} # what the report calls it",
    ]
    for key, value in settings.items():
        lines.append(f"    {key}: {inline(value)} # {ABOUT[key]}")
        if key == "simulated" and not request["scenarios"]:
            lines.append("    # scenarios: scenarios.csv # scenario, topic, options, question")
        if key == "cluster" and value == NO_CLUSTER:
            lines.append("    #   or a column of the file of scenarios, such as topic")
    lines += _more(look)
    return "\n".join(lines) + "\n"


def _of_curves(look: Look, grid: dict) -> list[str]:
    """Return what curves are computed for, and the tolerance."""
    smaller = "" if grid["n"][1:] else "; [50, all]: with 50 of them, too"
    about = {
        "n": f"people per question; all: everyone{smaller}",
        "k": "answers of a simulator per question",
        "gamma": "coverage of the confidence sets: the best of all",
        "discrepancy": "how distance is measured",
    }
    lines = [f"  {key}: {inline(value)} # {about[key]}" for key, value in grid.items()]
    return ["grid:", *lines, "", *_tolerance(look), ""]


def heading(what: str, request: StudyRequest) -> list[str]:
    """Return the comments that a config begins with."""
    files = request.files
    which = listed(files) if len(files) <= MOST_LISTED else f"{len(files)} files"
    return [
        _comment(f"# {what}, as {which} say. Run it by"),
        f"#   {_comment(request.run())}",
        "# config/README.md explains every key. Take the # away from a key to use it.",
    ]


def inline(value) -> str:
    """Return a value as YAML on one line."""
    if isinstance(value, str) and "\n" in value:
        return json.dumps(value, ensure_ascii=False)
    text = yaml.safe_dump(
        value, default_flow_style=True, width=inf, allow_unicode=True, sort_keys=False
    )
    return text.removesuffix("\n").removesuffix("\n...")


def _comment(text: str) -> str:
    """Return a text on one line, whatever the names of files are."""
    return " ".join(text.split())


def _grid(look: Look) -> dict:
    """Return the cells to compute: with all people, and with at most half of them if many."""
    least = people_per_question(look).min()
    smaller = [n for n in SMALLER if n <= least / 2][:1]
    chosen = look.request["discrepancy"]
    return {
        "n": [*smaller, "all"],
        "k": ["all"],
        "gamma": "envelope",
        **({"discrepancy": [chosen]} if chosen else {}),
    }


def _limit(look: Look) -> dict:
    """Return the tolerance, or the usual one, in the unit of the discrepancy of this outcome."""
    name, limit = discrepancy_of(look.request, look.kind.name), look.request["tolerance"]
    asked = look.responses.scenarios
    scale = (0.0, 1.0) if look.kind.name == "binary" else UNSCORED
    if {"lower", "upper"} <= {*asked}:
        scale = float(asked["lower"].min()), float(asked["upper"].max())
    usual = tolerances_of({}, name, scale) or [0.1]
    return {name: float_or_int(usual[0] if limit is None else limit)}


def _tolerance(look: Look) -> list[str]:
    mark = "# " if look.request["tolerance"] is None else ""
    about = "how far off is good enough; without it a tenth of the answers or of the scale"
    return [f"{mark}comparison:", f"{mark}  tolerance: {inline(_limit(look))} # {about}"]


def _more(look: Look) -> list[str]:
    """Return lines that one may use, as comments."""
    if look.kind.name in WITHOUT_OPTIONS:
        return []
    repeat = ["    # respondents_repeat: false # if nobody answered several questions"]
    if look.request["respondents_repeat"] is not None:
        repeat = []
    return [
        "    #   two more baselines learn from a column question of the file of scenarios:",
        "    #   nearest_questions, question_ridge",
        *repeat,
        "    # uses: [shares, regressions] # what it is for, declared before looking; with limits:",
        "    #   {shares: 0.05, regressions: null}; see docs/method/verdict.md",
        "    # about: {} # what a paper must disclose; see docs/howto/statement.md",
        "    # simulate: # asks one of models",
        "    #   my_model: {model: my_model, mode: answers, personas: 25}",
        "    #   with prompts: [plain, role] it is asked in each of these prompts of the config;",
        "    #   with population: true for the shares of all people, too",
    ]
