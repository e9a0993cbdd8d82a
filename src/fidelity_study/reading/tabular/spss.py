"""The variable that weights the cases of an SPSS file, which pyreadstat does not tell.

The format is described in PSPP's developers' guide, chapter System File Format.
"""

import struct
from collections.abc import Iterable
from typing import BinaryIO

HEADER, LITTLE = 176, (2, 3)
VARIABLE, LABELS, LABELLED, DOCUMENTS, MORE = 2, 3, 4, 6, 7
LONG_NAMES = 13


def weight_of(path: str, names: Iterable[str]) -> str | None:
    """Return the variable that weights the cases of a sound file, None if there is none."""
    with open(path, "rb") as file:
        short, long = _weight(file)
    if short is None:
        return None
    known = {name.casefold(): name for name in names}
    return known.get((long or short).casefold(), long or short)


def _weight(file: BinaryIO) -> tuple[str | None, str | None]:
    """Return the weighting variable's short name and its long one, as far as it has them."""
    header = file.read(HEADER)
    order = "<" if struct.unpack("<i", header[64:68])[0] in LITTLE else ">"

    def numbers(count: int) -> tuple[int, ...]:
        return struct.unpack(f"{order}{count}i", file.read(4 * count))

    (index,) = struct.unpack(f"{order}i", header[76:80])
    short, position = None, 0
    if index <= 0:
        return None, None
    while (kind := numbers(1)[0]) in (VARIABLE, LABELS, LABELLED, DOCUMENTS, MORE):
        if kind == VARIABLE:
            position += 1
            _, has_label, missing, _, _ = numbers(5)
            name = file.read(8)
            if has_label:
                file.seek(-(-numbers(1)[0] // 4) * 4, 1)
            file.seek(8 * abs(missing), 1)
            short = name.decode("latin-1").rstrip() if position == index else short
        elif kind == LABELS:
            for _ in range(numbers(1)[0]):
                file.seek(8, 1)
                file.seek((file.read(1)[0] + 8) // 8 * 8 - 1, 1)
        elif kind == LABELLED:
            file.seek(4 * numbers(1)[0], 1)
        elif kind == DOCUMENTS:
            file.seek(80 * numbers(1)[0], 1)
        else:
            subtype, size, count = numbers(3)
            text = file.read(size * count)
            if subtype == LONG_NAMES:
                pairs = (pair.partition(b"=") for pair in text.split(b"\t"))
                long = {
                    one.decode("latin-1"): two.decode("utf-8", "replace") for one, _, two in pairs
                }
                return short, long.get(short or "")
    return short, None
