"""The faults of a config, one line each: key, value, and the values that are allowed."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import jsonschema

from fidelity.baselines.base import BASELINES
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means.scales import is_limited
from fidelity.planning.pilot import planned
from fidelity.prediction.conformal import allowed_miss
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import meaningful
from fidelity.sets.gamma import parse_sides
from fidelity_study.ask.prompts import POPULATION
from fidelity_study.config.content import shortened
from fidelity_study.config.defaults import (
    NUMBERS,
    has_curves,
    predicted_by,
    sides,
    without_repeats,
)
from fidelity_study.config.project import room_keys, room_words, rooms
from fidelity_study.config.sound import places, sound_part
from fidelity_study.config.tolerances import tolerance_fault
from fidelity_study.errors import there_are
from fidelity_study.evals.files import files_of, missing_patterns, unread
from fidelity_study.tables.ingest import NO_CLUSTER
from fidelity_study.tabular.files import missing_files
from fidelity_study.tabular.layout import in_yaml

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
        faults: where it is not as wanted, one line each.
        places: of what is refused, as ``datasets.items.grid.n``.
        sound: the config without it.
    """

    faults: list[str]
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


def words_faults(words: dict, schema: dict) -> list[str]:
    """Say where the words of a room are not as the config's schema wants those of a dataset."""
    faults = _of_schema(words, {**schema["$defs"]["words"], "$defs": schema["$defs"]})
    return [fault.removeprefix("config: ") for fault in faults]


def faults_between(
    datasets: dict,
    models: dict,
    figures: list[str],
    refused: frozenset[str] = frozenset(),
    evaluations: Mapping[str, dict] = MappingProxyType({}),
    of_prompts: Iterable[str] = (),
) -> list[str]:
    """Say which settings, each sound by itself, don't fit each other, or what there is.

    Args:
        datasets: name -> settings, complete.
        models: name -> how a language model is reached, complete.
        figures: the names of all figures that there are.
        refused: where settings were refused before; faults that rest on these are left out.
        evaluations: name -> settings, complete.
        of_prompts: faults of prompts, which were found before.
    """
    found: list[str] = [*of_prompts]
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
    return [fault for fault in found if not _rests_on(fault, refused)]


def _rests_on(fault: str, refused: frozenset[str]) -> bool:
    """Return whether a fault may come from a default in place of what was refused."""
    place = fault.partition(": ")[0]
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


def _of_schema(config: dict, schema: dict) -> Iterator[str]:
    validator = Validator(schema)
    for error in sorted(validator.iter_errors(config), key=lambda error: str(error.json_path)):
        place = error.json_path.removeprefix("$").removeprefix(".") or "config"
        if error.validator == "additionalProperties":
            known = list(error.schema["properties"])
            for key in sorted(set(error.instance) - set(known), key=str):
                yield f"{place}: unknown key {shortened(repr(key))}; {there_are(key, known)}"
        elif error.validator == "required":
            yield f"{place}: {error.message.replace('is a required property', 'is missing')}"
        elif error.validator == "anyOf" and place == "config":
            yield f"{place}: 'datasets' is missing, and so is 'evaluations'; give one of them"
        else:
            allowed = error.schema.get("allowed")
            told = "" if error.schema.get("writeOnly") else f"{shortened(repr(error.instance))} "
            fault = f"{told}is not {allowed}" if allowed else shortened(error.message)
            yield f"{place}: {fault}{_as_list(error, schema)}"


def _as_list(error: jsonschema.ValidationError, schema: dict) -> str:
    """Say how a single value is written as the list that is wanted; empty if it is not one."""
    if error.validator != "type" or error.validator_value != "array":
        return ""
    alone = Validator({**error.schema, "$defs": schema.get("$defs", {})})
    if not alone.is_valid([error.instance]):
        return ""
    return f"; write {shortened(in_yaml([error.instance]))}"


def _of_room(dataset: str, settings: dict, words: dict) -> Iterator[str]:
    """Say which clusters and simulators the words.yaml of a dataset's folder does not list."""
    clusters, known = words.get("clusters"), words.get("simulators")
    place = f"datasets.{dataset}"
    if clusters and settings["cluster"] not in clusters:
        there = there_are(settings["cluster"], [*clusters, NO_CLUSTER])
        yield f"{place}.cluster: {settings['cluster']!r} is not known; {there}"
    if known:
        possible = without_repeats([*known, *BASELINES])
        for name in settings["simulators"]:
            if name not in possible and name not in settings["asked"]:
                yield f"{place}.simulators: {name!r} is not known; {there_are(name, possible)}"


def _of_names(datasets: dict, evaluations: Mapping[str, dict]) -> Iterator[str]:
    """Say which names are the same to some file systems."""
    folders: dict[str, tuple[str, str]] = {}
    named = [(name, "datasets") for name in datasets]
    for name, key in [*named, *((name, "evaluations") for name in evaluations)]:
        other, of = folders.setdefault(name.casefold(), (name, key))
        if (other, of) == (name, key):
            continue
        if other == name:
            yield f"{key}.{name}: {of} have this name, too, and so one folder; rename one of them"
        else:
            yield (
                f"{key}: {other!r} and {name!r} differ in capitals only, and so are one folder "
                "on some systems; rename one of them"
            )


def _of_evaluations(evaluations: Mapping[str, dict]) -> Iterator[str]:
    for name, settings in evaluations.items():
        place = f"evaluations.{name}"
        alpha, power = settings["test"]["alpha"], settings["test"]["power"]
        if power <= alpha:
            yield f"{place}.power.power: {power} is not above power.alpha, {alpha}"
        if settings["margin"] is not None and settings["baseline"] is None:
            yield f"{place}.margin: needs a baseline, the model that others are no worse than"
        most = max(abs(own["range"][1] - own["range"][0]) for own in settings["evals"].values())
        if settings["test"]["effect"] is not None and settings["test"]["effect"] > most:
            yield (
                f"{place}.power.effect: {settings['test']['effect']:g} is more than two scores can "
                f"differ, {most:g}; state it in the unit of the scores, as 0.03 for 3 points"
            )
        for each, own in settings["evals"].items():
            for pattern in missing_patterns(own):
                yield (
                    f"{place}.evals.{each}.files: {pattern} names no file, seen from {Path.cwd()}"
                )
            if braced := [path for path in files_of(own) if "{" in path or "}" in path]:
                yield (
                    f"{place}.evals.{each}.files: {braced[0]} has a brace, which Snakemake takes "
                    "for a wildcard; rename the file"
                )
            if own["range"][0] >= own["range"][1]:
                yield f"{place}.evals.{each}.range: {own['range']} is not from low to high"
            for key, why in unread(own):
                yield f"{place}.evals.{each}.{key}: {own[key]!r} {why}"


def _of_models(models: dict) -> Iterator[str]:
    for name, model in models.items():
        if "model" not in model:
            yield f"models.{name}: 'model' is missing; name it as the endpoint does"
        try:
            json.dumps(model.get("extra", {}), allow_nan=False)
        except (TypeError, ValueError) as error:
            yield f"models.{name}.extra: cannot be sent as JSON ({error}); put texts in quotes"


def _of_dataset(name: str, settings: dict, figures: list[str]) -> Iterator[str]:
    place, grid, kind = f"datasets.{name}", settings["grid"], settings["outcome"]["kind"]
    if settings["ingest"] not in rooms():
        there = there_are(settings["ingest"], rooms())
        yield f"{place}.ingest: {settings['ingest']!r} is not a folder; {there}"
    yield from _of_curves(place, settings, kind)
    for figure in settings["figures"]:
        if figure not in figures:
            yield f"{place}.figures: {figure!r} is unknown; {there_are(figure, figures)}"
    if settings["target"] and not any(settings["target"].values()):
        yield f"{place}.target: all shares are 0; give at least one cluster a share"
    if set(grid["pairs"]) != set(grid["discrepancy"]):
        yield (
            f"{place}.grid.confidence_set: has lists for {', '.join(grid['pairs'])}, but "
            f"grid.discrepancy is {', '.join(grid['discrepancy'])}; name the same ones"
        )
    for discrepancy, sets in grid["pairs"].items():
        working = [each for each in CONFIDENCE_SETS if meaningful(each, discrepancy, kind)]
        for chosen in sets:
            if chosen not in working:
                works = f"use {', '.join(working)}" if working else "use another discrepancy"
                yield (
                    f"{place}.grid.confidence_set: {chosen} does not bound {discrepancy} of "
                    f"{kind} outcomes; {works}"
                )
    known = {"n": grid["n"], "gamma": [each for gamma in grid["gamma"] for each in sides(gamma)]}
    for key in ("n", "gamma"):
        for value in settings["comparison"][key]:
            if value not in known[key]:
                yield f"{place}.comparison.{key}: {value!r} is not in grid.{key}, {grid[key]}"
    if kind == "real" and 1 in grid["n"]:
        yield f"{place}.grid.n: 1 is too few for real outcomes, whose sets are resampled; use 2"
    for k in grid["k"]:
        if k != "all" and k > settings["draws"]:
            yield f"{place}.grid.k: {k} is more than draws, {settings['draws']}; raise draws"
    if settings["comparison"]["replicates"] > grid["replicates"]:
        yield (
            f"{place}.comparison.replicates: {settings['comparison']['replicates']} is more than "
            f"grid.replicates, {grid['replicates']}"
        )
    alpha, power = settings["test"]["alpha"], settings["test"]["power"]
    if power <= alpha:
        yield f"{place}.comparison.power: {power} is not above comparison.alpha, {alpha}"
    usual = settings["ingest"] == TABULAR
    for discrepancy, tolerances in settings["tolerance"].items():
        for tolerance in tolerances if discrepancy in grid["pairs"] else ():
            if fault := tolerance_fault(discrepancy, tolerance, settings["outcome"], usual=usual):
                yield f"{place}.comparison.tolerance.{discrepancy}: {fault}"
    labels = []
    for gamma in grid["gamma"]:
        try:
            labels.append(parse_sides(gamma).label)
        except ValueError as error:
            yield f"{place}.grid.gamma: {error}"
    for label in sorted({label for label in labels if labels.count(label) > 1}):
        yield f"{place}.grid.gamma: {label} appears twice"


def _of_curves(place: str, settings: dict, kind: str) -> Iterator[str]:
    """Say what does not go with curves, or without them."""
    if settings["curves"] and not has_curves({**settings["options"], "outcome": {"kind": kind}}):
        yield (
            f"{place}.curves: simulators state distributions of numbers (family), and curves need "
            "sampled answers; take curves away, or take family away and give sampled answers"
        )
    if not settings["curves"] and settings["plan"] is not None:
        yield f"{place}.plan: plans are for curves; take plan away, or curves: false"


def _of_labels(dataset: str, names: dict) -> Iterator[str]:
    """Say which simulators a reader could not tell apart."""
    first: dict[str, str] = {}
    for name, each in names.items():
        other = first.setdefault(each["label"], name)
        if other != name:
            yield (
                f"datasets.{dataset}.simulators: {other!r} and {name!r} have the same label, "
                f"{each['label']!r}; give one of them another"
            )


def _of_simulate(dataset: str, settings: dict, models: dict) -> Iterator[str]:
    kind = settings["outcome"]["kind"]
    if settings["asked"] and kind in ("bounded", "real"):
        yield (
            f"datasets.{dataset}.simulate: {kind} outcomes are numbers, and models can be asked to "
            "choose an option only; take simulate away, or use binary, ordinal or categorical"
        )
    for name, asking in settings["simulate"].items():
        place = f"datasets.{dataset}.simulate.{asking.get('stem', name)}"
        if asking["model"] not in models:
            there = there_are(asking["model"], models)
            yield f"{place}.model: {asking['model']!r} is not among models; {there}"
        elif "cost" in asking["budget"] and not models[asking["model"]]["price"]:
            yield f"{place}.budget.cost: needs models.{asking['model']}.price"
        yield from () if "wording" in asking else _of_template(f"{place}.prompt", asking)
        if asking["mode"] == "probabilities" and asking["draws"] > 1:
            yield f"{place}.draws: probabilities are stated once for each persona; take draws away"
        extra = models.get(asking["model"], {}).get("extra", {})
        limits = {"max_tokens": 1, **extra}
        if asking["budget"] and not (limits["max_tokens"] or limits.get("max_completion_tokens")):
            yield (
                f"models.{asking['model']}.extra.max_tokens: is null, but {place}.budget needs a "
                "limit; put max_completion_tokens beside it"
            )
        for name in extra.keys() & LOG_PROBABILITIES:
            if asking["mode"] == "probabilities" and not extra[name]:
                yield (
                    f"models.{asking['model']}.extra.{name}: {place} asks for probabilities, which "
                    f"need it; take {name} away, or use mode: answers"
                )


def _of_template(place: str, asking: dict) -> Iterator[str]:
    for part in ("{question}", "{options}"):
        if part not in asking["prompt"]:
            yield f"{place}: does not say where {part} goes"
    if "{population}" in asking["prompt"] and asking["mode"] != POPULATION:
        yield f"{place}: {{population}} is known in mode: population only; take it out"


def _of_sequential(dataset: str, settings: dict) -> Iterator[str]:
    """Say what keeps a study from being looked at while data come in, the first thing only."""
    if settings["sequential"] is None:
        return
    place, kind = f"datasets.{dataset}.sequential", settings["outcome"]["kind"]
    limited = [
        name for name, each in DISCREPANCIES.items() if is_limited(each) and each.is_for(kind)
    ]
    if not settings["curves"]:
        yield f"{place}: looks are at mean discrepancies; take sequential away, or curves: false"
    elif kind == "real":
        yield (
            f"{place}: real outcomes have no largest value that is known before, and intervals that"
            " hold at every look need one; take sequential away, or make the outcome bounded"
        )
    elif not set(limited) & settings["grid"]["pairs"].keys():
        chosen = ", ".join(settings["grid"]["pairs"])
        yield (
            f"{place}: {chosen} has no limits that are known before, and intervals that hold at"
            f" every look need them; add one of {', '.join(limited)} to grid.discrepancy, or take"
            " sequential away"
        )


def _of_correct(dataset: str, settings: dict) -> Iterator[str]:
    """Say what keeps simulators from being corrected, the first thing only."""
    kind, place = settings["outcome"]["kind"], f"datasets.{dataset}.correct"
    tested = [name for name in settings["simulators"] if name not in BASELINES]
    if not settings["correct"]:
        return
    if kind in ("bounded", "real"):
        yield f"{place}: {kind} outcomes are numbers, and options are corrected; take correct away"
    elif not settings["curves"]:
        yield (
            f"{place}: corrected simulators are judged by their discrepancies, which curves: false "
            "leaves out; take one of the two away"
        )
    elif not tested:
        yield (
            f"{place}: all simulators are baselines, which corrected ones are held against; add a "
            "simulator to test, or take correct away"
        )
    elif "stacked" in settings["correct"] and len(tested) == 1:
        yield (
            f"{place}: stacked mixes simulators, and {tested[0]} is the only one to test; take "
            "stacked away, or add a simulator"
        )


def _of_hybrids(dataset: str, settings: dict) -> Iterator[str]:
    """Say what keeps hybrids from being made, the first thing only."""
    if settings["hybrids"] is None:
        return
    place, kind = f"datasets.{dataset}.hybrids", settings["outcome"]["kind"]
    chosen = {name: DISCREPANCIES[name] for name in settings["grid"]["pairs"]}
    if kind in NUMBERS:
        yield f"{place}: {kind} outcomes are numbers, and hybrids are of options; take hybrids away"
    elif not settings["curves"]:
        yield f"{place}: hybrids are for datasets with curves; take hybrids away, or curves: false"
    elif all(each.is_parameter or each.infinite_at_zero for each in chosen.values()):
        yield (
            f"{place}: a few people leave options out, where {', '.join(chosen)} can be infinite; "
            "add tv to grid.discrepancy, or take hybrids away"
        )


def _of_plan(dataset: str, settings: dict) -> Iterator[str]:
    """Say what keeps a plan from being made, the first thing only."""
    plan, grid, kind = settings["plan"], settings["grid"], settings["outcome"]["kind"]
    if plan is None:
        return
    place = f"datasets.{dataset}.plan"
    chosen = [each for each in grid["pairs"] if each in planned()]
    if kind in ("bounded", "real"):
        yield f"{place}: {kind} outcomes are numbers, and plans are for options; take plan away"
    elif not chosen:
        yield (
            f"{place}: plans are for {', '.join(planned())}, and grid.discrepancy is "
            f"{', '.join(grid['discrepancy'])}; add one of them there, or take plan away"
        )
    elif not plan["pairs"]:
        yield (
            f"{place}: every confidence set of {', '.join(chosen)} in the grid draws random "
            "numbers; add one that does not, such as witness, to grid.confidence_set"
        )
    elif not plan["gamma"]:
        yield (
            f"{place}: plans are for a coverage that is the same everywhere; add a number, such as "
            "0.9, to grid.gamma"
        )
    elif not any(plan["costs"].values()):
        yield f"{place}.costs: all are 0; give at least one a price"


def _of_predict(dataset: str, settings: dict) -> Iterator[str]:
    """Say what keeps questions that nobody was asked from being predicted."""
    predict, kind = settings["predict"], settings["outcome"]["kind"]
    if predict is None:
        return
    place = f"datasets.{dataset}.predict"
    used = ", ".join(settings["grid"]["pairs"])
    if kind == "real":
        yield (
            f"{place}: real outcomes are numbers without bounds, whose confidence sets hold "
            "approximately only, so that no bound on a new question does; take predict away, or "
            "use bounded outcomes"
        )
    elif not settings["curves"]:
        yield f"{place}: predictions need discrepancies; take predict away, or curves: false"
    elif not predict["pairs"]:
        yield (
            f"{place}: {used} with these confidence sets gives no range of what people answer; "
            f"add one of {', '.join(predicted_by(kind))} to grid.discrepancy, and a confidence set "
            "that does not draw, such as witness"
        )
    if predict["questions"] is None and settings["ingest"] != TABULAR:
        yield (
            f"{place}: the folder {settings['ingest']} has people's answers to all its questions; "
            "name a file of simulators' answers to new ones, predict: {questions: FILE}"
        )
    if settings["options"].get("groups"):
        yield (
            f"{place}: does not go with groups; name each question and group by itself, as in "
            "docs/howto/predict.md, or take predict away"
        )
    named = [predict[key] for key in ("questions", "scenarios") if predict[key] is not None]
    yield from (
        each.replace(f"datasets.{dataset}", place, 1) for each in missing_files(dataset, named)
    )
    if allowed_miss(alpha=predict["alpha"], gamma=predict["gamma"], same_people=True) <= 0:
        yield (
            f"{place}.gamma: {predict['gamma']} is not above 1 - alpha, {1 - predict['alpha']:g}, "
            "as it must be where people may have answered several questions; raise it"
        )
    if "weighted" in (predict["statement"] or []) and predict["weights"] is None:
        yield f"{place}.statement: weighted needs the key weights, a column of the scenarios"
