"""What a pickle must not contain: looks at states and parts before numpy and pandas trust them."""

import pickle
from math import prod

import numpy as np
import pandas as pd
from pandas.core.internals import managers
from pandas.core.internals.blocks import Block

MOST_AXES = 4
TIME_UNITS = {b"generic", b"Y", b"M", b"W", b"D", b"h", b"m", b"s", b"ms", b"us", b"ns"}
FREED_DEEPLY = (np.ndarray, Block, managers.BlockManager, managers.SingleBlockManager)


class Refused(pickle.UnpicklingError):
    """The pickle wants something that no data need."""


class Truncated(pickle.UnpicklingError):
    """The pickle ends before it is complete."""


def check_column(column: pd.arrays.DatetimeArray | pd.Categorical) -> None:
    """Refuse a column whose codes point outside its categories: pandas would follow them."""
    values = column._ndarray
    if isinstance(column, pd.Categorical):
        fits = (
            isinstance(column.dtype, pd.CategoricalDtype)
            and values.dtype.kind == "i"
            and values.ndim == 1
            and ((values >= -1) & (values < len(column.categories))).all()
        )
    else:
        fits = values.dtype.kind == "M" and values.dtype == column.dtype
    if not fits:
        raise Refused(f"it makes a {type(column).__name__} of what is none")


def check_categories(kind: pd.CategoricalDtype) -> None:
    """Refuse categories that are no index."""
    if not isinstance(kind.categories, pd.Index):
        raise Refused("it makes categories of what is no index")


def check_frame(frame: pd.DataFrame | pd.Series) -> None:
    """Refuse a table without content, of which pandas asks without end."""
    expected = {pd.DataFrame: managers.BlockManager, pd.Series: managers.SingleBlockManager}
    if type(frame.__dict__.get("_mgr")) is not expected[type(frame)]:
        raise Refused(f"it makes a {type(frame).__name__} without content")


def check_table(manager: managers.BlockManager | managers.SingleBlockManager) -> None:
    """Refuse a table whose columns are not as long as its index: pandas would read beyond them."""
    items, *rows = (len(axis) for axis in manager.axes)
    many = [len(block.mgr_locs) for block in manager.blocks]
    shapes = [block.values.shape for block in manager.blocks]
    if rows:
        flat = [type(block.values) is pd.Categorical for block in manager.blocks]
        expected = [
            tuple(rows) if each == 1 and is_flat else (each, *rows)
            for each, is_flat in zip(many, flat, strict=True)
        ]
        fits = shapes == expected and sum(many) == items
        if fits and items:
            places = np.concatenate([each.mgr_locs.as_array for each in manager.blocks])
            fits = bool((np.sort(places) == np.arange(items)).all())
    else:
        fits = shapes == [(items,)]
    if not fits:
        raise Refused("it makes a table whose columns and index do not fit")


def check_array(content: object, dtype: object, shape: object) -> None:
    """Refuse an array whose content is not as large as its type and shape say."""
    if (
        not isinstance(dtype, np.dtype)
        or not isinstance(shape, tuple)
        or len(shape) > MOST_AXES
        or not all(type(length) is int and length >= 0 for length in shape)
    ):
        raise Refused("it makes an array of an unusual type or shape")
    expected = prod(shape) if dtype.hasobject else prod(shape) * dtype.itemsize
    if type(content) not in ([list] if dtype.hasobject else [bytes, bytearray]):
        raise Refused(f"it fills an array of {dtype} from a {type(content).__name__}")
    if dtype.hasobject and any(isinstance(each, FREED_DEEPLY) for each in content):
        raise Refused("it nests arrays")
    if len(content) != expected:
        raise Truncated(f"an array of {dtype}, {shape} has content of length {len(content)}")


def check_dtype_state(dtype: np.dtype, state: object) -> None:
    """Refuse a state that makes anything but the same type in another byte order or time unit."""
    plain = dtype.__reduce__()[2]
    times = dtype.kind in "mM"
    if (
        type(state) is not tuple
        or len(state) not in ((8, 9) if times else (8,))
        or state[0] not in (3, 4)
        or state[1] not in (("|",) if plain[1] == "|" else ("<", ">", "="))
        or tuple(state[2:8]) != tuple(plain[2:8])
    ):
        raise Refused(f"it changes the numpy type {dtype}")
    if len(state) == 9:
        _, (unit, *numbers) = state[8]
        if state[8][0] not in ({}, None) or unit not in TIME_UNITS:
            raise Refused(f"it changes the numpy type {dtype}")
        if len(numbers) != 3 or not all(type(each) is int and each > 0 for each in numbers):
            raise Refused(f"it changes the numpy type {dtype}")


def name_of(thing: object) -> str:
    """Return what a message calls a thing."""
    if isinstance(thing, type) or callable(thing):
        return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__name__', thing)}"
    return f"a {type(thing).__name__}"
