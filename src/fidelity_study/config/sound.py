"""The part of a config that its schema accepts, so that the rest can be checked further."""

from collections.abc import Iterable, Iterator

import jsonschema

Place = tuple[str | int, ...]
MOST_ROUNDS = 30


def sound_part(config: object, validator: jsonschema.protocols.Validator) -> dict:
    """Return a copy of a config without what its schema refuses.

    What lacks something that is required goes as a whole; what then fits no more goes, too. Of a
    config without anything to study nothing is left.
    """
    for _ in range(MOST_ROUNDS):
        refused = {place for error in validator.iter_errors(config) for place in places(error)}
        if not refused or () in refused:
            break
        config = _without(config, refused)
    if not isinstance(config, dict) or any(True for _ in validator.iter_errors(config)):
        return {}
    return config


def places(error: jsonschema.ValidationError) -> Iterator[Place]:
    """Yield where in a config the parts are that an error of its schema is about."""
    place = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        for key in set(error.instance) - set(error.schema["properties"]):
            yield (*place, key)
    elif "propertyNames" in error.absolute_schema_path:
        yield (*place, error.instance)
    else:
        yield place


def _without(value: object, refused: Iterable[Place], place: Place = ()) -> object:
    if isinstance(value, dict):
        kept = ((key, each) for key, each in value.items() if (*place, key) not in refused)
        return {key: _without(each, refused, (*place, key)) for key, each in kept}
    if isinstance(value, list):
        kept = ((i, each) for i, each in enumerate(value) if (*place, i) not in refused)
        return [_without(each, refused, (*place, i)) for i, each in kept]
    return value
