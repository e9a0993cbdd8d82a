"""The faults of a config, one line each: key, value, and the values that are allowed."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import jsonschema

from fidelity.baselines.base import BASELINES
from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity.prediction.conformal import allowed_miss
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import meaningful
from fidelity.sets.gamma import parse_sides
from fidelity_study.ask.prompts import POPULATION
from fidelity_study.config.defaults import (
    predicted_by,
    sides,
    without_repeats,
)
from fidelity_study.config.project import room_keys, room_words, rooms
from fidelity_study.config.sound import places, sound_part
from fidelity_study.config.tolerances import tolerance_fault
from fidelity_study.errors import Fault, Place, fault, in_yaml, shortened, there_are
from fidelity_study.reading.evals.files import files_of, missing_patterns, unread
from fidelity_study.reading.settings import NUMBERS, has_curves
from fidelity_study.reading.tabular.files import missing_files
from fidelity_study.tables.ingest import NO_CLUSTER

RESTS_ON = {
    "datasets.*.comparison.n": ("grid.n", "comparison.n"),
    "datasets.*.comparison.gamma": ("grid.gamma", "comparison.gamma"),
    "datasets.*.comparison.replicates": ("grid.replicates", "comparison.replicates"),
    "datasets.*.comparison.power": ("comparison.alpha", "comparison.power"),
    "datasets.*.comparison.tolerance.*": ("comparison.tolerance", "grid.discrepancy", "outcome"),
    "datasets.*.grid.confidence_set": ("grid.discrepancy", "grid.confidence_set"),
    "datasets.*.grid.k": ("draws", "grid.k"),
    "datasets.*.plan": ("grid", "plan"),
    "datasets.*.sequential": ("grid", "curves", "outcome"),
    "datasets.*.predict": ("grid", "predict"),
    "datasets.*.hybrids": ("grid.discrepancy", "hybrids"),
    "datasets.*.simulate.*": ("models", "prompts"),
}
TABULAR = "tabular"
LOG_PROBABILITIES = {"logprobs", "top_logprobs"}
WHOLE = "config"
LARGEST = sys.float_info.max


def _unique_items(validator, unique: bool, items: object, schema: dict) -> Iterator:
    """Say that a list holds something twice; in a time that grows with it, not with its square."""
    if unique and isinstance(items, list):
        distinct = {
            (isinstance(each, bool), each) if isinstance(each, (str, int, float)) else repr(each)
            for each in items
        }
        if len(distinct) < len(items):
            yield jsonschema.ValidationError("something is there twice")


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"uniqueItems": _unique_items},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: type(value) is int and abs(value) <= LARGEST,
            "number": lambda _, value: type(value) in (int, float) and abs(value) <= LARGEST,
        }
    ),
)


class Refused(NamedTuple):
    """What a config's schema, or that of a dataset's room, says of it.

    Attributes:
        faults: where it is not as wanted.
        places: of what is refused, as ``datasets.items.grid.n``.
        sound: the config without it.
    """

    faults: list[Fault]
    places: frozenset[str]
    sound: dict


def schema_faults(config: dict, schema: dict) -> Refused:
    """Say where a config is not as its schema, or that of a dataset's room, wants it."""
    validator = Validator(_with_room_keys(schema, config))
    refused = (place for error in validator.iter_errors(config) for place in places(error))
    return Refused(
        without_repeats(_of_schema(config, validator.schema)),
        frozenset(".".join(key for key in place if isinstance(key, str)) for place in refused),
        sound_part(config, validator),
    )


def words_faults(file: str, words: dict, schema: dict) -> list[Fault]:
    """Say where the words of a room are not as the config's schema wants those of a dataset."""
    faults = _of_schema(words, {**schema["$defs"]["words"], "$defs": schema["$defs"]})
    return [replace(each, place=_in_file(file, each.place.key)) for each in faults]


def _in_file(file: str, key: str) -> Place:
    return Place(key="" if key == WHOLE else key, files=(file,))


def faults_between(
    datasets: dict,
    models: dict,
    figures: list[str],
    refused: frozenset[str] = frozenset(),
    evaluations: Mapping[str, dict] = MappingProxyType({}),
    of_prompts: Iterable[Fault] = (),
) -> list[Fault]:
    """Say which settings, each sound by itself, don't fit each other, or what there is.

    Args:
        datasets: name -> settings, complete.
        models: name -> how a language model is reached, complete.
        figures: the names of all figures that there are.
        refused: where settings were refused before; faults that rest on these are left out.
        evaluations: name -> settings, complete.
        of_prompts: faults of prompts, which were found before.
    """
    found: list[Fault] = [*of_prompts]
    for name, settings in datasets.items():
        found += _of_dataset(name, settings, figures)
        found += _of_room(name, settings, room_words(settings["ingest"]))
        found += _of_labels(name, settings["names"])
        found += _of_simulate(name, settings, models)
        found += _of_plan(name, settings)
        found += _of_sequential(name, settings)
        found += _of_predict(name, settings)
        found += _of_correct(name, settings)
        found += _of_hybrids(name, settings)
    found += [*_of_names(datasets, evaluations), *_of_models(models)]
    found += _of_evaluations(evaluations)
    return [each for each in found if not _rests_on(each.place.key, refused)]


def _rests_on(place: str, refused: frozenset[str]) -> bool:
    """Return whether a fault at a key may come from a default in place of what was refused."""
    dataset = ".".join(place.split(".")[:2])
    others = (keys for pattern, keys in RESTS_ON.items() if fnmatchcase(place, pattern))
    places = [
        f"{prefix}{key}." for keys in others for key in keys for prefix in ("", f"{dataset}.")
    ]
    return any(
        f"{each}.".startswith(place) or place.startswith(f"{each}.")
        for each in refused
        for place in places
    )


def _with_room_keys(schema: dict, config: dict) -> dict:
    """Return the config's schema where each dataset may have the keys of its room, too.

    Where there is no such room, any key is allowed, as the missing room itself is told.
    """
    datasets = config.get("datasets") if isinstance(config, dict) else None
    own = {}
    for name, settings in datasets.items() if isinstance(datasets, dict) else ():
        room = settings.get("ingest") if isinstance(settings, dict) else None
        own[name] = schema["$defs"]["dataset"]
        if room in rooms():
            own[name] = _merged(own[name], room_keys(room))
        elif room is not None:
            own[name] = {**own[name], "additionalProperties": True}
    extended = {**schema["properties"]["datasets"], "properties": own}
    return {**schema, "properties": {**schema["properties"], "datasets": extended}}


def _merged(common: dict, own: dict) -> dict:
    return {
        **common,
        "properties": {**own.get("properties", {}), **common["properties"]},
        "required": [*common["required"], *own.get("required", [])],
    }


def _of_schema(config: dict, schema: dict) -> Iterator[Fault]:
    validator = Validator(schema)
    for error in sorted(validator.iter_errors(config), key=lambda error: str(error.json_path)):
        place = error.json_path.removeprefix("$").removeprefix(".") or WHOLE
        if error.validator == "additionalProperties":
            known = list(error.schema["properties"])
            for key in sorted(set(error.instance) - set(known), key=str):
                yield fault(
                    "unknown-key",
                    f"unknown key {shortened(repr(key))}; {there_are(key, known)}",
                    key=place,
                )
        elif error.validator == "required":
            yield fault(
                "missing-key",
                error.message.replace("is a required property", "is missing"),
                key=place,
            )
        elif error.validator == "anyOf" and place == WHOLE:
            yield fault(
                "missing-key",
                "'datasets' is missing, and so is 'evaluations'; give one of them",
                key=place,
            )
        else:
            allowed = error.schema.get("allowed")
            told = "" if error.schema.get("writeOnly") else f"{shortened(repr(error.instance))} "
            what = f"{told}is not {allowed}" if allowed else shortened(error.message)
            yield fault("not-allowed", f"{what}{_as_list(error, schema)}", key=place)


def _as_list(error: jsonschema.ValidationError, schema: dict) -> str:
    """Say how a single value is written as the list that is wanted; empty if it is not one."""
    if error.validator != "type" or error.validator_value != "array":
        return ""
    alone = Validator({**error.schema, "$defs": schema.get("$defs", {})})
    if not alone.is_valid([error.instance]):
        return ""
    return f"; write {shortened(in_yaml([error.instance]))}"


def _of_room(dataset: str, settings: dict, words: dict) -> Iterator[Fault]:
    """Say which clusters and simulators the words.yaml of a dataset's folder does not list."""
    clusters, known = words.get("clusters"), words.get("simulators")
    place = f"datasets.{dataset}"
    if clusters and settings["cluster"] not in clusters:
        there = there_are(settings["cluster"], [*clusters, NO_CLUSTER])
        yield fault(
            "unknown-cluster",
            f"{settings['cluster']!r} is not known; {there}",
            key=f"{place}.cluster",
        )
    if known:
        possible = without_repeats([*known, *BASELINES])
        for name in settings["simulators"]:
            if name not in possible and name not in settings["asked"]:
                yield fault(
                    "unknown-simulator",
                    f"{name!r} is not known; {there_are(name, possible)}",
                    key=f"{place}.simulators",
                )


def _of_names(datasets: dict, evaluations: Mapping[str, dict]) -> Iterator[Fault]:
    """Say which names are the same to some file systems."""
    folders: dict[str, tuple[str, str]] = {}
    named = [(name, "datasets") for name in datasets]
    for name, key in [*named, *((name, "evaluations") for name in evaluations)]:
        other, of = folders.setdefault(name.casefold(), (name, key))
        if (other, of) == (name, key):
            continue
        if other == name:
            yield fault(
                "same-name",
                f"{of} have this name, too, and so one folder; rename one of them",
                key=f"{key}.{name}",
            )
        else:
            yield fault(
                "same-name-but-capitals",
                f"{other!r} and {name!r} differ in capitals only, and so are one folder on some "
                "systems; rename one of them",
                key=key,
            )


def _of_evaluations(evaluations: Mapping[str, dict]) -> Iterator[Fault]:
    for name, settings in evaluations.items():
        place = f"evaluations.{name}"
        alpha, power = settings["test"]["alpha"], settings["test"]["power"]
        if power <= alpha:
            yield fault(
                "power-below-alpha",
                f"{power} is not above power.alpha, {alpha}",
                key=f"{place}.power.power",
            )
        if settings["margin"] is not None and settings["baseline"] is None:
            yield fault(
                "margin-without-baseline",
                "needs a baseline, the model that others are no worse than",
                key=f"{place}.margin",
            )
        most = max(abs(own["range"][1] - own["range"][0]) for own in settings["evals"].values())
        if settings["test"]["effect"] is not None and settings["test"]["effect"] > most:
            yield fault(
                "effect-too-large",
                f"{settings['test']['effect']:g} is more than two scores can differ, {most:g}; "
                "state it in the unit of the scores, as 0.03 for 3 points",
                key=f"{place}.power.effect",
            )
        for each, own in settings["evals"].items():
            for pattern in missing_patterns(own):
                yield fault(
                    "no-file",
                    f"{pattern} names no file, seen from {Path.cwd()}",
                    key=f"{place}.evals.{each}.files",
                )
            if braced := [path for path in files_of(own) if "{" in path or "}" in path]:
                yield fault(
                    "brace-in-path",
                    f"{braced[0]} has a brace, which Snakemake takes for a wildcard; rename the "
                    "file",
                    key=f"{place}.evals.{each}.files",
                )
            if own["range"][0] >= own["range"][1]:
                yield fault(
                    "range-not-ascending",
                    f"{own['range']} is not from low to high",
                    key=f"{place}.evals.{each}.range",
                )
            for key, why in unread(own):
                yield fault("not-read", f"{own[key]!r} {why}", key=f"{place}.evals.{each}.{key}")


def _of_models(models: dict) -> Iterator[Fault]:
    for name, model in models.items():
        if "model" not in model:
            yield fault(
                "model-missing",
                "'model' is missing; name it as the endpoint does",
                key=f"models.{name}",
            )
        try:
            json.dumps(model.get("extra", {}), allow_nan=False)
        except (TypeError, ValueError) as error:
            yield fault(
                "extra-not-json",
                f"cannot be sent as JSON ({error}); put texts in quotes",
                key=f"models.{name}.extra",
            )


def _of_dataset(name: str, settings: dict, figures: list[str]) -> Iterator[Fault]:
    place, grid, kind = f"datasets.{name}", settings["grid"], settings["outcome"]["kind"]
    if settings["ingest"] not in rooms():
        there = there_are(settings["ingest"], rooms())
        yield fault(
            "unknown-room",
            f"{settings['ingest']!r} is not a folder; {there}",
            key=f"{place}.ingest",
        )
    yield from _of_curves(place, settings, kind)
    for figure in settings["figures"]:
        if figure not in figures:
            yield fault(
                "unknown-figure",
                f"{figure!r} is unknown; {there_are(figure, figures)}",
                key=f"{place}.figures",
            )
    if settings["target"] and not any(settings["target"].values()):
        yield fault(
            "shares-all-zero",
            "all shares are 0; give at least one cluster a share",
            key=f"{place}.target",
        )
    if set(grid["pairs"]) != set(grid["discrepancy"]):
        yield fault(
            "sets-of-other-discrepancies",
            f"has lists for {', '.join(grid['pairs'])}, but grid.discrepancy is "
            f"{', '.join(grid['discrepancy'])}; name the same ones",
            key=f"{place}.grid.confidence_set",
        )
    for discrepancy, sets in grid["pairs"].items():
        working = [each for each in CONFIDENCE_SETS if meaningful(each, discrepancy, kind)]
        for chosen in sets:
            if chosen not in working:
                works = f"use {', '.join(working)}" if working else "use another discrepancy"
                yield fault(
                    "set-does-not-bound",
                    f"{chosen} does not bound {discrepancy} of {kind} outcomes; {works}",
                    key=f"{place}.grid.confidence_set",
                )
    known = {"n": grid["n"], "gamma": [each for gamma in grid["gamma"] for each in sides(gamma)]}
    for key in ("n", "gamma"):
        for value in settings["comparison"][key]:
            if value not in known[key]:
                yield fault(
                    "not-in-grid",
                    f"{value!r} is not in grid.{key}, {grid[key]}",
                    key=f"{place}.comparison.{key}",
                )
    if kind == "real" and 1 in grid["n"]:
        yield fault(
            "n-too-small",
            "1 is too few for real outcomes, whose sets are resampled; use 2",
            key=f"{place}.grid.n",
        )
    for k in grid["k"]:
        if k != "all" and k > settings["draws"]:
            yield fault(
                "k-above-draws",
                f"{k} is more than draws, {settings['draws']}; raise draws",
                key=f"{place}.grid.k",
            )
    if settings["comparison"]["replicates"] > grid["replicates"]:
        yield fault(
            "more-replicates",
            f"{settings['comparison']['replicates']} is more than grid.replicates, "
            f"{grid['replicates']}",
            key=f"{place}.comparison.replicates",
        )
    alpha, power = settings["test"]["alpha"], settings["test"]["power"]
    if power <= alpha:
        yield fault(
            "power-below-alpha",
            f"{power} is not above comparison.alpha, {alpha}",
            key=f"{place}.comparison.power",
        )
    usual = settings["ingest"] == TABULAR
    for discrepancy, tolerances in settings["tolerance"].items():
        for tolerance in tolerances if discrepancy in grid["pairs"] else ():
            if what := tolerance_fault(discrepancy, tolerance, settings["outcome"], usual=usual):
                yield fault(
                    "vacuous-tolerance",
                    what,
                    key=f"{place}.comparison.tolerance.{discrepancy}",
                )
    labels = []
    for gamma in grid["gamma"]:
        try:
            labels.append(parse_sides(gamma).label)
        except ValueError as error:
            yield fault("malformed-gamma", f"{error}", key=f"{place}.grid.gamma")
    for label in sorted({label for label in labels if labels.count(label) > 1}):
        yield fault("gamma-twice", f"{label} appears twice", key=f"{place}.grid.gamma")


def _of_curves(place: str, settings: dict, kind: str) -> Iterator[Fault]:
    """Say what does not go with curves, or without them."""
    if settings["curves"] and not has_curves({**settings["options"], "outcome": {"kind": kind}}):
        yield fault(
            "curves-of-numbers",
            "simulators state distributions of numbers (family), and curves need sampled "
            "answers; take curves away, or take family away and give sampled answers",
            key=f"{place}.curves",
        )
    if not settings["curves"] and settings["plan"] is not None:
        yield fault(
            "plan-without-curves",
            "plans are for curves; take plan away, or curves: false",
            key=f"{place}.plan",
        )


def _of_labels(dataset: str, names: dict) -> Iterator[Fault]:
    """Say which simulators a reader could not tell apart."""
    first: dict[str, str] = {}
    for name, each in names.items():
        other = first.setdefault(each["label"], name)
        if other != name:
            yield fault(
                "label-twice",
                f"{other!r} and {name!r} have the same label, {each['label']!r}; give one of them "
                "another",
                key=f"datasets.{dataset}.simulators",
            )


def _of_simulate(dataset: str, settings: dict, models: dict) -> Iterator[Fault]:
    kind = settings["outcome"]["kind"]
    if settings["asked"] and kind in ("bounded", "real"):
        yield fault(
            "simulate-numbers",
            f"{kind} outcomes are numbers, and models can be asked to choose an option only; "
            "take simulate away, or use binary, ordinal or categorical",
            key=f"datasets.{dataset}.simulate",
        )
    for name, asking in settings["simulate"].items():
        place = f"datasets.{dataset}.simulate.{asking.get('stem', name)}"
        if asking["model"] not in models:
            there = there_are(asking["model"], models)
            yield fault(
                "unknown-model",
                f"{asking['model']!r} is not among models; {there}",
                key=f"{place}.model",
            )
        elif "cost" in asking["budget"] and not models[asking["model"]]["price"]:
            yield fault(
                "no-price", f"needs models.{asking['model']}.price", key=f"{place}.budget.cost"
            )
        yield from () if "wording" in asking else _of_template(f"{place}.prompt", asking)
        if asking["mode"] == "probabilities" and asking["draws"] > 1:
            yield fault(
                "draws-of-probabilities",
                "probabilities are stated once for each persona; take draws away",
                key=f"{place}.draws",
            )
        extra = models.get(asking["model"], {}).get("extra", {})
        limits = {"max_tokens": 1, **extra}
        if asking["budget"] and not (limits["max_tokens"] or limits.get("max_completion_tokens")):
            yield fault(
                "no-token-limit",
                f"is null, but {place}.budget needs a limit; put max_completion_tokens beside it",
                key=f"models.{asking['model']}.extra.max_tokens",
            )
        for name in extra.keys() & LOG_PROBABILITIES:
            if asking["mode"] == "probabilities" and not extra[name]:
                yield fault(
                    "no-logprobs",
                    f"{place} asks for probabilities, which need it; take {name} away, or use "
                    "mode: answers",
                    key=f"models.{asking['model']}.extra.{name}",
                )


def _of_template(place: str, asking: dict) -> Iterator[Fault]:
    for part in ("{question}", "{options}"):
        if part not in asking["prompt"]:
            yield fault("no-placeholder", f"does not say where {part} goes", key=place)
    if "{population}" in asking["prompt"] and asking["mode"] != POPULATION:
        yield fault(
            "population-in-other-mode",
            "{population} is known in mode: population only; take it out",
            key=place,
        )


def _of_sequential(dataset: str, settings: dict) -> Iterator[Fault]:
    """Say what keeps a study from being looked at while data come in, the first thing only."""
    if settings["sequential"] is None:
        return
    place, kind = f"datasets.{dataset}.sequential", settings["outcome"]["kind"]
    limited = [
        name for name, each in DISCREPANCIES.items() if each.has_limits and each.is_for(kind)
    ]
    if not settings["curves"]:
        yield fault(
            "sequential-without-curves",
            "looks are at mean discrepancies; take sequential away, or curves: false",
            key=place,
        )
    elif kind == "real":
        yield fault(
            "sequential-real",
            "real outcomes have no largest value that is known before, and intervals that "
            "hold at every look need one; take sequential away, or make the outcome bounded",
            key=place,
        )
    elif not set(limited) & settings["grid"]["pairs"].keys():
        chosen = ", ".join(settings["grid"]["pairs"])
        yield fault(
            "sequential-unlimited",
            f"{chosen} has no limits that are known before, and intervals that hold at every "
            f"look need them; add one of {', '.join(limited)} to grid.discrepancy, or take "
            "sequential away",
            key=place,
        )


def _of_correct(dataset: str, settings: dict) -> Iterator[Fault]:
    """Say what keeps simulators from being corrected, the first thing only."""
    kind, place = settings["outcome"]["kind"], f"datasets.{dataset}.correct"
    tested = [name for name in settings["simulators"] if name not in BASELINES]
    if not settings["correct"]:
        return
    if kind in ("bounded", "real"):
        yield fault(
            "correct-numbers",
            f"{kind} outcomes are numbers, and options are corrected; take correct away",
            key=place,
        )
    elif not settings["curves"]:
        yield fault(
            "correct-without-curves",
            "corrected simulators are judged by their discrepancies, which curves: false "
            "leaves out; take one of the two away",
            key=place,
        )
    elif not tested:
        yield fault(
            "correct-baselines",
            "all simulators are baselines, which corrected ones are held against; add a "
            "simulator to test, or take correct away",
            key=place,
        )
    elif "stacked" in settings["correct"] and len(tested) == 1:
        yield fault(
            "stacked-alone",
            f"stacked mixes simulators, and {tested[0]} is the only one to test; take stacked "
            "away, or add a simulator",
            key=place,
        )


def _of_hybrids(dataset: str, settings: dict) -> Iterator[Fault]:
    """Say what keeps hybrids from being made, the first thing only."""
    if settings["hybrids"] is None:
        return
    place, kind = f"datasets.{dataset}.hybrids", settings["outcome"]["kind"]
    chosen = {name: DISCREPANCIES[name] for name in settings["grid"]["pairs"]}
    if kind in NUMBERS:
        yield fault(
            "hybrids-numbers",
            f"{kind} outcomes are numbers, and hybrids are of options; take hybrids away",
            key=place,
        )
    elif not settings["curves"]:
        yield fault(
            "hybrids-without-curves",
            "hybrids are for datasets with curves; take hybrids away, or curves: false",
            key=place,
        )
    elif all(each.is_parameter or each.infinite_at_zero for each in chosen.values()):
        yield fault(
            "hybrids-infinite",
            f"a few people leave options out, where {', '.join(chosen)} can be infinite; add "
            "tv to grid.discrepancy, or take hybrids away",
            key=place,
        )


def _of_plan(dataset: str, settings: dict) -> Iterator[Fault]:
    """Say what keeps a plan from being made, the first thing only."""
    plan, grid, kind = settings["plan"], settings["grid"], settings["outcome"]["kind"]
    if plan is None:
        return
    place = f"datasets.{dataset}.plan"
    chosen = [each for each in grid["pairs"] if DISCREPANCIES[each].is_planned]
    if kind in ("bounded", "real"):
        yield fault(
            "plan-numbers",
            f"{kind} outcomes are numbers, and plans are for options; take plan away",
            key=place,
        )
    elif not chosen:
        yield fault(
            "plan-discrepancies",
            f"plans are for {', '.join(discrepancies_with('is_planned'))}, and grid.discrepancy is "
            f"{', '.join(grid['discrepancy'])}; add one of them there, or take plan away",
            key=place,
        )
    elif not plan["pairs"]:
        yield fault(
            "plan-sets",
            f"every confidence set of {', '.join(chosen)} in the grid draws random numbers; "
            "add one that does not, such as witness, to grid.confidence_set",
            key=place,
        )
    elif not plan["gamma"]:
        yield fault(
            "plan-gamma",
            "plans are for a coverage that is the same everywhere; add a number, such as "
            "0.9, to grid.gamma",
            key=place,
        )
    elif not any(plan["costs"].values()):
        yield fault("plan-costs", "all are 0; give at least one a price", key=f"{place}.costs")


def _of_predict(dataset: str, settings: dict) -> Iterator[Fault]:
    """Say what keeps questions that nobody was asked from being predicted."""
    predict, kind = settings["predict"], settings["outcome"]["kind"]
    if predict is None:
        return
    place = f"datasets.{dataset}.predict"
    used = ", ".join(settings["grid"]["pairs"])
    if kind == "real":
        yield fault(
            "predict-real",
            "real outcomes are numbers without bounds, whose confidence sets hold "
            "approximately only, so that no bound on a new question does; take predict away, "
            "or use bounded outcomes",
            key=place,
        )
    elif not settings["curves"]:
        yield fault(
            "predict-without-curves",
            "predictions need discrepancies; take predict away, or curves: false",
            key=place,
        )
    elif not predict["pairs"]:
        yield fault(
            "predict-nothing",
            f"{used} with these confidence sets gives no range of what people answer; add one "
            f"of {', '.join(predicted_by(kind))} to grid.discrepancy, and a confidence set "
            "that does not draw, such as witness",
            key=place,
        )
    if predict["questions"] is None and settings["ingest"] != TABULAR:
        yield fault(
            "predict-files",
            f"the folder {settings['ingest']} has people's answers to all its questions; name "
            "a file of simulators' answers to new ones, predict: {questions: FILE}",
            key=place,
        )
    if settings["options"].get("groups"):
        yield fault(
            "predict-groups",
            "does not go with groups; name each question and group by itself, as in "
            "docs/howto/predict.md, or take predict away",
            key=place,
        )
    named = [predict[key] for key in ("questions", "scenarios") if predict[key] is not None]
    yield from missing_files(place, named)
    if allowed_miss(alpha=predict["alpha"], gamma=predict["gamma"], same_people=True) <= 0:
        yield fault(
            "predict-gamma",
            f"{predict['gamma']} is not above 1 - alpha, {1 - predict['alpha']:g}, as it must "
            "be where people may have answered several questions; raise it",
            key=f"{place}.gamma",
        )
    if "weighted" in (predict["statement"] or []) and predict["weights"] is None:
        yield fault(
            "predict-weights",
            "weighted needs the key weights, a column of the scenarios",
            key=f"{place}.statement",
        )
