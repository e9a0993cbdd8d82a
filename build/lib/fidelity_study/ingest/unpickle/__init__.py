"""Pickled tables from the internet: numbers, texts, numpy arrays and pandas tables, nothing else.

A pickle is a program, and Python's own reader runs it. :func:`load` runs it on a machine that knows
few instructions (``machine``): it calls only functions that build arrays and tables, makes only a
few classes (``known``), and gives state only to those, after a look at it (``checks``). Everything
else is refused before anything is called.
"""

import mmap
from collections.abc import Callable
from math import prod
from pathlib import Path

import numpy as np

from fidelity_study.errors import DataError
from fidelity_study.ingest.unpickle.checks import Refused, Truncated
from fidelity_study.ingest.unpickle.machine import BoundedFile, RestrictedUnpickler

LARGEST = 4 << 30
LFS_POINTER = b"version https://git-lfs"
NPY = b"\x93NUMPY"


def load(path: str | Path) -> object:
    """Return what is pickled in a file, if it is plain data, arrays and tables.

    Raises:
        DataError: if it is anything else, which is then not executed; a message that names what.
    """
    path = Path(path)
    return _safely(path, lambda data: _unpickle(data, 0))


def load_mapping(path: str | Path) -> dict:
    """Return the dict that is pickled in a file; errors as :func:`load`."""
    found = load(path)
    if not isinstance(found, dict):
        raise DataError(f"{path}: holds a {type(found).__name__}, expected a dict of questions")
    return found


def load_array(path: str | Path) -> np.ndarray:
    """Return the array in a ``.npy`` file, also one of pickled texts; errors as :func:`load`."""
    return _safely(Path(path), _array)


def _safely(path: Path, read: Callable[[memoryview], object]) -> object:
    """Call ``read`` on a file's bytes; turn what may go wrong with them into a DataError."""
    size = path.stat().st_size
    if size > LARGEST:
        raise DataError(f"{path}: has {size:,} bytes, more than the {LARGEST:,} that are read")
    with path.open("rb") as file:
        if file.read(len(LFS_POINTER)) == LFS_POINTER:
            raise DataError(
                f"{path}: is a Git LFS pointer, not the data themselves; run `git lfs pull` where "
                "it comes from, or delete it and run again to download the data"
            )
        if size == 0:
            raise DataError(f"{path}: is empty; delete it and run again to download it")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                return read(data)
            except Refused as refusal:
                raise DataError(
                    f"{path}: {refusal}; only numbers, texts, times, arrays and plain tables are "
                    "read. Nothing in it was executed. If you did not make it yourself, delete it, "
                    "and find out who put it there; else save it as CSV or Parquet"
                ) from None
            except Exception as error:
                raise DataError(
                    f"{path}: is damaged, truncated or of another format ({_words(error)}); delete "
                    "it and run again to download it"
                ) from None


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


def _unpickle(data: mmap.mmap, start: int) -> object:
    return RestrictedUnpickler(BoundedFile(data, start)).load()


def _array(data: mmap.mmap) -> np.ndarray:
    if data[: len(NPY)] != NPY:
        raise Truncated("does not begin as a .npy file")
    data.seek(0)
    version = np.lib.format.read_magic(data)
    header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in header:
        raise Truncated(f"is of .npy version {version}")
    shape, fortran, dtype = header[version](data)
    start = data.tell()
    if dtype.kind == "O":
        found = _unpickle(data, start)
        if not isinstance(found, np.ndarray):
            raise Refused(f"it holds a pickled {type(found).__name__} in the place of an array")
        return found
    if dtype.hasobject or prod(shape) * dtype.itemsize != len(data) - start:
        raise Truncated(f"has not the bytes of an array of {dtype}, {shape}")
    values = np.frombuffer(data[start:], dtype)
    return values.reshape(shape, order="F" if fortran else "C")
