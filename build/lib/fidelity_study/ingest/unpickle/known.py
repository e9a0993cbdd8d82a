"""What a pickle may ask for: a few functions, or what stands in for them, and a few classes."""

import re
from collections.abc import Callable
from math import prod

import numpy as np
import pandas as pd
from pandas._libs import arrays as pandas_arrays
from pandas._libs import internals as pandas_internals
from pandas._libs.tslibs import nattype, timestamps
from pandas.core.indexes import base as pandas_index
from pandas.core.internals import managers
from pandas.core.internals.blocks import Block

from fidelity_study.ingest.unpickle.checks import Refused, check_array, name_of

SIMPLE_DTYPE = re.compile(r"b1|[iuf][1248]|f16|c(8|16)|[SU][1-9]\d{0,5}|[mM]8|O8?")
COLUMNS = (np.ndarray, pd.arrays.DatetimeArray, pd.Categorical)
PARTS = {pd.Index: {"data", "name"}, pd.RangeIndex: {"start", "stop", "step", "name"}}


def empty_array(subtype: type, shape: tuple, typecode: bytes) -> np.ndarray:
    """Stand in for numpy's ``_reconstruct``: an array to be filled by its state."""
    if subtype is not np.ndarray or prod(shape) != 0:
        raise Refused("it makes an array in an unusual way")
    return np.empty(0, "b1")


def simple_dtype(code: str, *_) -> np.dtype:
    """Stand in for ``numpy.dtype``: numbers, texts, times and objects, but no records.

    A record's state could pass arbitrary bytes off as Python objects.
    """
    if not isinstance(code, str) or not SIMPLE_DTYPE.fullmatch(code):
        raise Refused(f"it uses the numpy type {str(code)[:40]!r}")
    return np.dtype(code, copy=True)


def numpy_scalar(dtype: np.dtype, content: bytes | str) -> np.generic:
    """Stand in for numpy's ``scalar``."""
    if isinstance(content, str):
        content = content.encode("latin1")
    return array_of_bytes(content, dtype, (), "C")[()]


def array_of_bytes(content: bytes, dtype: np.dtype, shape: tuple, order: str) -> np.ndarray:
    """Stand in for numpy's ``_frombuffer``."""
    check_array(content, dtype, shape)
    return np.frombuffer(content, dtype, prod(shape)).reshape(shape, order=order)


def latin1(text: str, encoding: str = "latin1") -> bytes:
    """Stand in for ``_codecs.encode``, by which old pickles carry bytes."""
    if encoding != "latin1":
        raise Refused(f"it uses the codec {str(encoding)[:40]!r}")
    return text.encode("latin1")


def some_bytes(content: bytes = b"", *encoding: str) -> bytes:
    """Stand in for ``bytes`` and ``bytearray``, which would make room for any number of them."""
    if not isinstance(content, bytes | str):
        raise Refused(f"it makes bytes of a {type(content).__name__}")
    return latin1(content, *encoding) if isinstance(content, str) else content


def some_slice(*ends: int | None) -> slice:
    """Stand in for ``slice``, which would take anything."""
    if not all(each is None or type(each) is int for each in ends):
        raise Refused("it makes an unusual slice")
    return slice(*ends)


def index_of(kind: type, parts: dict) -> pd.Index:
    """Stand in for ``_new_Index``, which would make any class of any parts.

    An index of anything but arrays, or of another type than theirs, may be far larger than they.
    """
    if kind not in PARTS or type(parts) is not dict or not parts.keys() <= PARTS[kind]:
        raise Refused(f"it makes an index of {name_of(kind)} in an unusual way")
    if kind is pd.Index and type(parts.get("data")) not in COLUMNS:
        raise Refused(f"it makes an index of {name_of(parts.get('data'))}")
    if kind is pd.Index and getattr(parts["data"], "dtype", np.dtype(object)).kind in "SU":
        raise Refused("it makes an index of texts of a fixed length")
    return pandas_index._new_Index(kind, parts)


def times_or_groups(kind: type, checksum: int, state: None) -> object:
    """Stand in for ``__pyx_unpickle_NDArrayBacked``, likewise; the state comes later."""
    if kind not in (pd.arrays.DatetimeArray, pd.Categorical) or state is not None:
        raise Refused(f"it makes a column of {name_of(kind)}")
    return pandas_arrays.__pyx_unpickle_NDArrayBacked(kind, checksum, state)


def block_of(values: np.ndarray, placement: object, ndim: int) -> Block:
    """Stand in for ``_unpickle_block``; texts of a fixed length are no column of a table."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "SU":
        raise Refused(f"it makes a column of {values.dtype}")
    return pandas_internals._unpickle_block(values, placement, ndim)


def table_of_blocks(blocks: tuple, axes: list) -> managers.BlockManager:
    """Stand in for calling ``BlockManager``, which trusts its arguments unless told to look."""
    return managers.BlockManager(blocks, axes, verify_integrity=True)


def _both(name: str, function: Callable) -> dict[tuple[str, str], Callable]:
    """Return the entries of a numpy function, which moved from ``numpy.core`` in numpy 2."""
    module, _, name = name.rpartition(".")
    return {(f"numpy.{core}.{module}", name): function for core in ("core", "_core")}


def _named(*entries: tuple[str, object]) -> dict[tuple[str, str], object]:
    return {(name.rpartition(".")[0], name.rpartition(".")[2]): each for name, each in entries}


FUNCTIONS = {
    **_both("multiarray._reconstruct", empty_array),
    **_both("multiarray.scalar", numpy_scalar),
    **_both("numeric._frombuffer", array_of_bytes),
    **_named(
        ("numpy.dtype", simple_dtype),
        ("_codecs.encode", latin1),
        ("builtins.bytes", some_bytes),
        ("__builtin__.bytes", some_bytes),
        ("builtins.bytearray", some_bytes),
        ("__builtin__.bytearray", some_bytes),
        ("builtins.slice", some_slice),
        ("__builtin__.slice", some_slice),
        ("pandas.core.indexes.base._new_Index", index_of),
        ("pandas._libs.internals._unpickle_block", block_of),
        ("pandas._libs.arrays.__pyx_unpickle_NDArrayBacked", times_or_groups),
        ("pandas._libs.tslibs.timestamps._unpickle_timestamp", timestamps._unpickle_timestamp),
        ("pandas._libs.tslibs.nattype._nat_unpickle", nattype._nat_unpickle),
        ("pandas._libs.tslibs.nattype.__nat_unpickle", nattype._nat_unpickle),
    ),
}
CLASSES = _named(
    ("numpy.ndarray", np.ndarray),
    ("pandas.DataFrame", pd.DataFrame),
    ("pandas.core.frame.DataFrame", pd.DataFrame),
    ("pandas.Series", pd.Series),
    ("pandas.core.series.Series", pd.Series),
    ("pandas.core.internals.managers.BlockManager", managers.BlockManager),
    ("pandas.core.internals.managers.SingleBlockManager", managers.SingleBlockManager),
    ("pandas.Index", pd.Index),
    ("pandas.core.indexes.base.Index", pd.Index),
    ("pandas.core.indexes.numeric.Int64Index", pd.Index),
    ("pandas.core.indexes.numeric.Float64Index", pd.Index),
    ("pandas.RangeIndex", pd.RangeIndex),
    ("pandas.core.indexes.range.RangeIndex", pd.RangeIndex),
    ("pandas.arrays.DatetimeArray", pd.arrays.DatetimeArray),
    ("pandas.core.arrays.datetimes.DatetimeArray", pd.arrays.DatetimeArray),
    ("pandas.Categorical", pd.Categorical),
    ("pandas.core.arrays.categorical.Categorical", pd.Categorical),
    ("pandas.CategoricalDtype", pd.CategoricalDtype),
    ("pandas.core.dtypes.dtypes.CategoricalDtype", pd.CategoricalDtype),
)
STATEFUL = (
    pd.DataFrame,
    pd.Series,
    managers.BlockManager,
    managers.SingleBlockManager,
    pd.arrays.DatetimeArray,
    pd.Categorical,
    pd.CategoricalDtype,
)
