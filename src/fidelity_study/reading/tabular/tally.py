"""Adding up rows by the codes that they have in common, a batch of rows at a time."""

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import pandas as pd

DENSE = 1 << 20
BITS = 21
MOST_CODES = 1 << BITS


@dataclass(frozen=True)
class Coded:
    """Rows in codes.

    Attributes:
        codes: the code of each different text; texts with the same meaning have the same code.
        text: the position of each row's text among them; an array of any shape.
    """

    codes: np.ndarray
    text: np.ndarray

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

    def first_again(self, known: np.ndarray, among: np.ndarray) -> int | None:
        """Return the first row, of groups ``among``, whose group is ``known`` or had one before."""
        again = known[self.of_row]
        again |= self.first[self.of_row] < np.arange(len(again))
        again &= among[self.of_row]
        return int(again.argmax()) if again.any() else None


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


class Tally:
    """Sums over all rows with the same three codes.

    Attributes:
        at: the position in the sheet of the first of these rows.
        sums: an array for each number that is added up.
    """

    def __init__(self, sums: int):
        """Start with nothing; ``sums`` numbers are to be added up."""
        self._keys = np.empty(0, np.int64)
        self.at = np.empty(0, np.int64)
        self.sums = [np.empty(0) for _ in range(sums)]

    def __len__(self) -> int:
        """Return how many different codes there were."""
        return len(self._keys)

    @property
    def codes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The codes of each sum."""
        low = MOST_CODES - 1
        return self._keys >> 2 * BITS, self._keys >> BITS & low, self._keys & low

    def add(self, groups: Groups, start: int, size: int, *amounts: np.ndarray) -> np.ndarray:
        """Add rows up; return whether each group was ``known`` before.

        Args:
            groups: of the rows; three codes, each below ``MOST_CODES``.
            start: position of the first row in the sheet.
            size: the number of rows after which they begin again, with another column of the sheet.
            amounts: for each sum the amount that each row adds; nothing if each adds 1.
        """
        first, second, third = (codes.astype(np.int64) for codes in groups.codes)
        keys = first << 2 * BITS | second << BITS | third
        place = np.searchsorted(self._keys, keys)
        known = place < len(self)
        known[known] = self._keys[place[known]] == keys[known]
        if not known.all():
            new = np.flatnonzero(~known)
            new = new[np.argsort(keys[new])]
            where = place[new]
            self._keys = np.insert(self._keys, where, keys[new])
            self.at = np.insert(self.at, where, start + groups.first[new] % size)
            self.sums = [np.insert(total, where, 0.0) for total in self.sums]
            place = np.searchsorted(self._keys, keys)
        if amounts:
            # One row after the other, so that sums do not depend on where batches end.
            for total, amount in zip(self.sums, amounts, strict=True):
                np.add.at(total, place[groups.of_row], amount)
        else:
            (total,) = self.sums
            total[place] += groups.count
        return known
