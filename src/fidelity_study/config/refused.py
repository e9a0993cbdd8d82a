"""Where a config is not as its schema wants it, and the part that is, to be checked further."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import jsonschema
from jsonschema import ValidationError

from fidelity_study.config.keys import Dataset, Evaluation, Study, Words
from fidelity_study.config.project import room_keys, rooms
from fidelity_study.config.schema import allowed
from fidelity_study.errors import Fault, Place, fault, in_yaml, shortened, there_are

Path = tuple[str | int, ...]
WHOLE = "config"
PARTS = {"datasets": Dataset.schema, "evaluations": Evaluation.schema}
LARGEST = sys.float_info.max
MOST_ROUNDS = 30
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def _unique_items(validator, unique: bool, items: object, schema: dict) -> Iterator:
    """Say that a list holds something twice; in a time that grows with it, not with its square."""
    if unique and isinstance(items, list):
        distinct = {
            (isinstance(item, bool), item) if isinstance(item, (str, int, float)) else repr(item)
            for item in items
        }
        if len(distinct) < len(items):
            yield ValidationError("something is there twice")


def _among(validator, names, value: object, schema: dict) -> Iterator:
    """Say that a name is not known by now: extensions add some."""
    if value not in list(names()):
        yield ValidationError("is not known")


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"uniqueItems": _unique_items, "among": _among},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: type(value) is int and abs(value) <= LARGEST,
            "string": lambda _, value: isinstance(value, str) and not UNWRITABLE.search(value),
            "number": lambda _, value: type(value) in (int, float) and abs(value) <= LARGEST,
        }
    ),
)


class Refused(NamedTuple):
    """What the schema of a config says of it.

    Attributes:
        faults: where it is not as wanted.
        places: of what is refused, as ``datasets.items.grid.n``.
        sound: the config without it, and without what then fits no more.
    """

    faults: list[Fault]
    places: frozenset[str]
    sound: dict


def refused(config: object, schema: Mapping) -> Refused:
    """Say what of a config its schema refuses."""
    validator = Validator(schema)
    errors = list(validator.iter_errors(config))
    places = {place for error in errors for place in _places(error)}
    faults = dict.fromkeys(
        fault
        for error in sorted(errors, key=lambda error: error.json_path)
        for fault in _faults(error)
    )
    keys = (".".join(key for key in place if isinstance(key, str)) for place in places)
    return Refused([*faults], frozenset(keys), _sound(config, places, validator))


def study_schema(config: object) -> dict:
    """Return the schema of a config, where each dataset may have the keys of its folder, too.

    Where there is no such folder, any key is allowed, as the missing folder itself is told.
    """
    datasets = config.get("datasets") if isinstance(config, dict) else None
    schemas = {
        name: _dataset_schema(settings.get("ingest") if isinstance(settings, dict) else None)
        for name, settings in (datasets.items() if isinstance(datasets, dict) else ())
    }
    properties = Study.schema["properties"]
    extended = {**properties["datasets"], "properties": schemas}
    return {**Study.schema, "properties": {**properties, "datasets": extended}}


def words_faults(file: str, words: object) -> list[Fault]:
    """Say where the words of a dataset's folder are not as they ought to be."""
    faults = refused(words, Words.schema).faults
    keys = ["" if fault.place.key == WHOLE else fault.place.key for fault in faults]
    return [
        replace(fault, place=Place(key=key, files=(file,)))
        for key, fault in zip(keys, faults, strict=True)
    ]


def _dataset_schema(room: object) -> dict:
    common = Dataset.schema
    if room not in rooms():
        return common if room is None else {**common, "additionalProperties": True}
    keys = room_keys(room)
    return {
        **common,
        "properties": {**keys.get("properties", {}), **common["properties"]},
        "required": [*common["required"], *keys.get("required", [])],
    }


def _faults(error: ValidationError) -> Iterator[Fault]:
    place = error.json_path.removeprefix("$").removeprefix(".") or WHOLE
    match error.validator:
        case "additionalProperties":
            known = list(error.schema["properties"])
            for key in sorted(set(error.instance) - set(known), key=str):
                part, above = place.split(".")[:2], PARTS.get(place.partition(".")[0], {})
                is_above = key in above.get("properties", {})
                there = f"it belongs in {'.'.join(part)}" if is_above else there_are(key, known)
                what = f"unknown key {shortened(repr(key))}; {there}"
                yield fault("unknown-key", what, key=place)
        case "required":
            what = error.message.replace("is a required property", "is missing")
            yield fault("missing-key", what, key=place)
        case "anyOf" if place == WHOLE:
            what = "'datasets' is missing, and so is 'evaluations'; give one of them"
            yield fault("missing-key", what, key=place)
        case _:
            value = "" if error.schema.get("writeOnly") else f"{shortened(repr(error.instance))} "
            words = allowed(error.schema)
            what = f"{value}is not {words}" if words else shortened(error.message)
            yield fault("not-allowed", f"{what}{_as_list(error)}", key=place)


def _as_list(error: ValidationError) -> str:
    """Say how a single value is written as the list that is wanted; empty if it is not one."""
    is_alone = error.validator == "type" and error.validator_value == "array"
    if not (is_alone and Validator(error.schema).is_valid([error.instance])):
        return ""
    return f"; write {shortened(in_yaml([error.instance]))}"


def _places(error: ValidationError) -> Iterator[Path]:
    """Yield where in a config the parts are that an error of its schema is about."""
    place = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        for key in set(error.instance) - set(error.schema["properties"]):
            yield (*place, key)
    elif "propertyNames" in error.absolute_schema_path:
        yield (*place, error.instance)
    else:
        yield place


def _sound(config: object, places: set[Path], validator: jsonschema.protocols.Validator) -> dict:
    """Return a config without what is refused; nothing of one without anything to study."""
    for _ in range(MOST_ROUNDS):
        if not places:
            return config if isinstance(config, dict) else {}
        if () in places:
            break
        config = _without(config, places)
        places = {place for error in validator.iter_errors(config) for place in _places(error)}
    return {}


def _without(value: object, places: Iterable[Path], place: Path = ()) -> object:
    if isinstance(value, dict):
        kept = ((key, child) for key, child in value.items() if (*place, key) not in places)
        return {key: _without(child, places, (*place, key)) for key, child in kept}
    if isinstance(value, list):
        kept = ((i, child) for i, child in enumerate(value) if (*place, i) not in places)
        return [_without(child, places, (*place, i)) for i, child in kept]
    return value
