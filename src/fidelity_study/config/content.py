"""What a config's schema cannot be asked: can its texts be written?"""

import re
from collections.abc import Iterator

from fidelity_study.errors import Fault, fault, shortened

UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def content_faults(value: object, place: str = "") -> Iterator[Fault]:
    """Say which texts of a config no file can hold."""
    if isinstance(value, dict):
        for key, nested in value.items():
            yield from content_faults(key, place)
            yield from content_faults(nested, f"{place}.{key}".removeprefix("."))
    elif isinstance(value, (list, tuple, set)):
        for i, nested in enumerate(value):
            yield from content_faults(nested, f"{place}[{i}]")
    elif isinstance(value, str) and (sign := UNWRITABLE.search(value)):
        yield fault(
            "control-character",
            f"holds the character U+{ord(sign[0]):04X}, which is no part of a text; delete it",
            key=shortened(place) or "config",
        )
