"""Work on many rows, some thousands at a time: such a block stays in the processor's cache."""

from collections.abc import Callable, Iterator

import numpy as np

from fidelity.arrays import AnyArray, FloatArray

CELLS = 2**17
FOR_PRODUCTS = 10_000  # OpenBLAS shares longer ones among threads, which wait for each other


def blocks(rows: int, columns: int, cells: int = CELLS) -> Iterator[slice]:
    """Yield the rows of each block of a table, of so many cells or of one row."""
    step = max(1, cells // max(columns, 1))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def block_sizes(rows: int, columns: int, cells: int = CELLS) -> Iterator[int]:
    """Yield how many rows each block has."""
    return (block.stop - block.start for block in blocks(rows, columns, cells))


def by_blocks(number_of: Callable[..., FloatArray], *arrays: AnyArray) -> FloatArray:
    """Return a number for each row, (m,), of a function of the rows of one or more arrays.

    Args:
        number_of: takes the arrays' rows, (r, ...), and returns (r,).
        arrays: with m rows each.
    """
    if arrays[0].size <= CELLS:
        return number_of(*arrays)
    numbers = np.empty(len(arrays[0]))
    for rows in blocks(len(numbers), arrays[0][0].size):
        numbers[rows] = number_of(*(array[rows] for array in arrays))
    return numbers


def row_sums(table: FloatArray) -> FloatArray:
    """Return the sums of the rows of a table, (m,); NumPy's own are slow for short rows."""
    return by_blocks(lambda rows: rows.T.copy().sum(0), table)
