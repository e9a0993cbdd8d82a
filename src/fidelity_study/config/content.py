"""What a config's schema cannot be asked: does it end, can it be written?"""

import re
from collections.abc import Iterator

from fidelity_study.errors import Fault, fault, shortened

MOST_VALUES, MOST_CHARACTERS = 20_000, 10_000_000
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def content_faults(config: object) -> Iterator[Fault]:
    """Say which texts no file can hold, or that the values don't end; no other fault then.

    With anchors, ten lines of YAML stand for billions of values, which would be checked one by one.
    """
    texts, characters = [], 0
    for number, (place, value) in enumerate(_values(config), start=1):
        if isinstance(value, str):
            characters += len(value)
            texts.append((place, value))
        if number > MOST_VALUES or characters > MOST_CHARACTERS:
            yield fault(
                "too-much",
                f"holds more than {MOST_VALUES:,} values, or {MOST_CHARACTERS:,} characters; "
                "leave out what no study needs, or split it into several",
                key="config",
            )
            return
    for place, text in texts:
        if sign := UNWRITABLE.search(text):
            yield fault(
                "control-character",
                f"holds the character U+{ord(sign[0]):04X}, which is no part of a text; delete it",
                key=shortened(place) or "config",
            )


def _values(config: object) -> Iterator[tuple[str, object]]:
    """Yield the keys and values in a config, nested ones too, and where they are."""
    waiting = [("", config)]
    while waiting:
        place, value = waiting.pop()
        yield place, value
        if isinstance(value, dict):
            yield from ((place, key) for key in value)
            inner = [(f"{place}.{key}".removeprefix("."), nested) for key, nested in value.items()]
        elif isinstance(value, (list, tuple, set)):
            inner = [(f"{place}[{i}]", nested) for i, nested in enumerate(value)]
        else:
            continue
        waiting += reversed(inner)
