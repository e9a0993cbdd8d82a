"""Adding up rows by the codes that they have in common."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import pandas as pd

DENSE = 1 << 20
MOST_CODES = 1 << 21


@dataclass(frozen=True)
class Coded:
    """Rows in codes.

    Attributes:
        codes: the code of each different text; texts with the same meaning have the same code.
        text: the position of each row's text among them; an array of any shape.
        entries: what each code stands for, where that is known.
    """

    codes: np.ndarray
    text: np.ndarray
    entries: list[Any] = field(default_factory=list)

    @property
    def of_row(self) -> np.ndarray:
        """The code of each row."""
        return self.codes[self.text]


class Groups:
    """Groups of rows with the same codes.

    Attributes:
        codes: of each group, an array for each part.
        count: the number of rows of each group.
    """

    def __init__(self, *parts: Coded):
        """Group rows, whose parts broadcast against each other.

        The product of the numbers of texts of all parts is below 2^63, and that of the codes, too.
        """
        sizes = [len(part.codes) for part in parts]
        room = prod(sizes)
        key: np.ndarray = np.zeros(1, np.int32 if room < 1 << 31 else np.int64)
        for part, size in zip(parts, sizes, strict=True):
            key = key * key.dtype.type(size) + part.text if size > 1 else key
        shape = np.broadcast_shapes(*(part.text.shape for part in parts))
        self._key = np.broadcast_to(key, shape).ravel()
        if room > DENSE:
            # The number of possible keys does not matter, only the number of actual ones.
            self._key, keys = pd.factorize(self._key)
        else:
            keys = np.arange(room)
        count = np.bincount(self._key, minlength=len(keys))
        there = np.flatnonzero(count)
        texts = np.unravel_index(keys[there], sizes)
        codes = [part.codes[text] for part, text in zip(parts, texts, strict=True)]
        # Different texts may have the same meaning.
        group, some = _alike(codes)
        self.codes = [code[some] for code in codes]
        self.count = np.bincount(group, count[there]).astype(np.int64)
        self._group = np.empty(len(keys), np.int32)
        self._group[there] = group

    @cached_property
    def of_row(self) -> np.ndarray:
        """The group of each row."""
        return self._group[self._key]

    @cached_property
    def first(self) -> np.ndarray:
        """The first row of each group."""
        return _first(self.of_row, len(self.count))

    def first_again(self, among: np.ndarray) -> int | None:
        """Return the first row, of groups ``among``, whose group had one before."""
        again = self.first[self.of_row] < np.arange(len(self.of_row))
        again &= among[self.of_row]
        return int(again.argmax()) if again.any() else None

    def sums(
        self, names: Iterable[str], size: int, amounts: Mapping[Any, np.ndarray]
    ) -> pd.DataFrame:
        """Return a table with a row for each group, in the order of their codes.

        Args:
            names: the columns of the codes.
            size: the number of rows after which they begin again, with another column of the sheet.
            amounts: by the column of each sum what each row adds; nothing if each adds 1.

        Returns:
            Those columns, and ``at``, the position in the sheet of the first row of each group.
        """
        order = np.lexsort(self.codes[::-1])
        many = len(order)
        sums = {name: np.bincount(self.of_row, part, many) for name, part in amounts.items()}
        sums = sums or {"number": self.count.astype(float)}
        codes = [code[order].astype(np.int64) for code in self.codes]
        table = {**dict(zip(names, codes, strict=True)), "at": self.first[order] % size}
        return pd.DataFrame(table | {name: total[order] for name, total in sums.items()})


def _alike(codes: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each different row of ``codes``, and the position of one such row."""
    key = np.zeros(len(codes[0]), np.int64)
    for code in codes:
        key = key * (int(code.max()) + 1) + code
    number, distinct = pd.factorize(key)
    return number, _first(number, len(distinct))


def _first(numbers: np.ndarray, size: int) -> np.ndarray:
    """Return the position of the first 0, the first 1, ... of all numbers below ``size``."""
    first = np.empty(size, np.int64)
    first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)
    return first
