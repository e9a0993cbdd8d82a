"""Pickled tables from the internet: numbers, texts, numpy arrays and pandas tables, nothing else.

A pickle is a program, and Python's own reader runs it. :func:`load` runs it on a machine that knows
few instructions: it calls only the functions in ``FUNCTIONS``, which build arrays and tables, makes
only the classes in ``CLASSES``, and gives state only to those, after a look at it. Everything else
is refused before anything is called; see :class:`RestrictedUnpickler` for why each rule is needed.
"""

import mmap
import pickle
import re
import struct
from collections.abc import Callable
from math import prod
from pathlib import Path

import numpy as np
import pandas as pd
from pandas._libs import arrays as pandas_arrays
from pandas._libs import internals as pandas_internals
from pandas._libs.tslibs import nattype, timestamps
from pandas.core.indexes import base as pandas_index
from pandas.core.internals import managers
from pandas.core.internals.blocks import Block

from fidelity_study.errors import DataError

LARGEST = 4 << 30
SPARE = 1 << 20
MADE_PER_BYTE = 8
MOST_AXES = 4
DEEPEST_TUPLE = 16
OBJECT = 64
LARGEST_KEY = 2**63
LONGEST_KEY = 10_000
LFS_POINTER = b"version https://git-lfs"
NPY = b"\x93NUMPY"
SIMPLE_DTYPE = re.compile(r"b1|[iuf][1248]|f16|c(8|16)|[SU][1-9]\d{0,5}|[mM]8|O8?")
TIME_UNITS = {b"generic", b"Y", b"M", b"W", b"D", b"h", b"m", b"s", b"ms", b"us", b"ns"}


class Refused(pickle.UnpicklingError):
    """The pickle wants something that no data need."""


class Truncated(pickle.UnpicklingError):
    """The pickle ends before it is complete."""


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


class BoundedFile:
    """Reads bytes, and never makes room for more than there are."""

    def __init__(self, data: mmap.mmap, start: int):
        """Begin at byte ``start``."""
        self.data, self.place, self.size = data, start, len(data)

    def read(self, n: int) -> bytes:
        """Return exactly n bytes."""
        if n > self.size - self.place:
            raise Truncated("it ends too early")
        self.place += n
        return self.data[self.place - n : self.place]

    def readline(self) -> bytes:
        """Return the bytes up to the end of the line."""
        end = self.data.find(b"\n", self.place)
        if end < 0:
            raise Truncated("it ends too early")
        return self.read(end + 1 - self.place)


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
    _check_array(content, dtype, shape)
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
        raise Refused(f"it makes an index of {_name(kind)} in an unusual way")
    if kind is pd.Index and type(parts.get("data")) not in COLUMNS:
        raise Refused(f"it makes an index of {_name(parts.get('data'))}")
    if kind is pd.Index and getattr(parts["data"], "dtype", np.dtype(object)).kind in "SU":
        raise Refused("it makes an index of texts of a fixed length")
    return pandas_index._new_Index(kind, parts)


def times_or_groups(kind: type, checksum: int, state: None) -> object:
    """Stand in for ``__pyx_unpickle_NDArrayBacked``, likewise; the state comes later."""
    if kind not in (pd.arrays.DatetimeArray, pd.Categorical) or state is not None:
        raise Refused(f"it makes a column of {_name(kind)}")
    return pandas_arrays.__pyx_unpickle_NDArrayBacked(kind, checksum, state)


def block_of(values: np.ndarray, placement: object, ndim: int) -> Block:
    """Stand in for ``_unpickle_block``; texts of a fixed length are no column of a table."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "SU":
        raise Refused(f"it makes a column of {values.dtype}")
    return pandas_internals._unpickle_block(values, placement, ndim)


def table_of_blocks(blocks: tuple, axes: list) -> managers.BlockManager:
    """Stand in for calling ``BlockManager``, which trusts its arguments unless told to look."""
    return managers.BlockManager(blocks, axes, verify_integrity=True)


FREED_DEEPLY = (np.ndarray, Block, managers.BlockManager, managers.SingleBlockManager)
COLUMNS = (np.ndarray, pd.arrays.DatetimeArray, pd.Categorical)
PARTS = {pd.Index: {"data", "name"}, pd.RangeIndex: {"start", "stop", "step", "name"}}


def _check_column(column: pd.arrays.DatetimeArray | pd.Categorical) -> None:
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


def _check_table(manager: managers.BlockManager | managers.SingleBlockManager) -> None:
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
        fits = fits and {i for each in manager.blocks for i in each.mgr_locs} == set(range(items))
    else:
        fits = shapes == [(items,)]
    if not fits:
        raise Refused("it makes a table whose columns and index do not fit")


def _check_array(content: object, dtype: object, shape: object) -> None:
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
NEEDLESS = [
    *("PERSID", "BINPERSID", "INST", "OBJ", "EXT1", "EXT2", "EXT4", "NEWOBJ_EX"),
    *("EMPTY_SET", "ADDITEMS", "FROZENSET", "NEXT_BUFFER", "READONLY_BUFFER"),
]


class RestrictedUnpickler(pickle._Unpickler):
    """Python's own reader in Python, where each instruction can be watched; the one in C cannot.

    - A global is looked up in a table by its whole name: no import, no attribute of an attribute.
    - Only ``FUNCTIONS`` are called. A class is not called, even if it is known.
    - State is given to instances of known classes, never to a class or a function, where it would
      replace their attributes; and to arrays and their types only if it fits them. It is given
      once: an array that is filled again frees memory that others look at.
    - Tables and columns are looked at when all is read: pandas trusts that their parts fit.
    - Keys of dicts are plain and short, and tuples are not nested deeply or in each other again and
      again: their hash can take forever.
    - Arrays are not put into arrays: they are freed one inside the other, until the stack is full.
    - What is made of a piece of the file, again and again, is limited by the size of the file.
    """

    dispatch = pickle._Unpickler.dispatch.copy()

    def __init__(self, file: BoundedFile):
        """Read from ``file``."""
        super().__init__(file)
        self.left = MADE_PER_BYTE * file.size + SPARE
        self.longest = file.size + SPARE
        self.filled = {}
        self.nested = {}
        self.tables = []

    def load(self) -> object:
        """Return what the file holds."""
        found = super().load()
        for table in self.tables:
            _check_table(table)
        return found

    def find_class(self, module: str, name: str) -> object:
        """Return what stands for a global, or refuse it."""
        found = FUNCTIONS.get((module, name)) or CLASSES.get((module, name))
        if found is None:
            raise Refused(f"it asks for {module}.{name}")
        return found

    def load_reduce(self) -> None:
        """Call one of the functions."""
        arguments = self.stack.pop()
        function = self.stack[-1]
        if function is managers.BlockManager:
            function = table_of_blocks
        elif not any(function is each for each in FUNCTIONS.values()):
            raise Refused(f"it calls {_name(function)}")
        if type(arguments) is not tuple:
            raise Refused(f"it calls {_name(function)} in an unusual way")
        self.stack[-1] = self.made(function(*arguments))

    def load_newobj(self) -> None:
        """Make an empty instance of one of the classes."""
        arguments = self.stack.pop()
        kind = self.stack.pop()
        if not any(kind is each for each in STATEFUL) or arguments != ():
            raise Refused(f"it makes a new {_name(kind)}")
        self.append(self.made(kind.__new__(kind)))

    def load_build(self) -> None:
        """Give an instance its state."""
        state = self.stack.pop()
        instance = self.stack[-1]
        if isinstance(instance, np.dtype):
            _check_dtype_state(instance, state)
        elif type(instance) is np.ndarray:
            if type(state) is not tuple or len(state) != 5:
                raise Refused("it fills an array in an unusual way")
            _, shape, dtype, _, content = state
            if type(content) is str:
                content = latin1(content)
                state = (*state[:4], content)
            _check_array(content, dtype, shape)
            if instance.dtype != bool or instance.shape != (0,):
                raise Refused("it fills an array again")
        elif type(instance) not in STATEFUL:
            raise Refused(f"it changes {_name(instance)}")
        if id(instance) in self.filled:
            raise Refused(f"it changes {_name(instance)} again")
        self.filled[id(instance)] = instance
        instance.__setstate__(state)
        if isinstance(instance, COLUMNS[1:]):
            _check_column(instance)
        self.made(instance)

    def load_mark(self) -> None:
        """Begin a collection."""
        self.charge(OBJECT)
        super().load_mark()

    def load_empty_list(self) -> None:
        """Make a list."""
        self.append(self.made([]))

    def load_empty_dictionary(self) -> None:
        """Make a dict."""
        self.append(self.made({}))

    def load_tuple(self) -> None:
        """Make a tuple of all since the mark."""
        made = self.shallow(tuple(self.pop_mark()))
        self.append(made)

    def load_tuple1(self) -> None:
        """Make a tuple of one thing."""
        self.stack[-1:] = [self.shallow(tuple(self.stack[-1:]))]

    def load_tuple2(self) -> None:
        """Make a tuple of two things."""
        self.stack[-2:] = [self.shallow(tuple(self.stack[-2:]))]

    def load_tuple3(self) -> None:
        """Make a tuple of three things."""
        self.stack[-3:] = [self.shallow(tuple(self.stack[-3:]))]

    def load_append(self) -> None:
        """Append one thing to a list."""
        self.extend([self.stack.pop()])

    def load_appends(self) -> None:
        """Append things to a list."""
        self.extend(self.pop_mark())

    def load_setitem(self) -> None:
        """Put one entry into a dict."""
        value = self.stack.pop()
        key = self.stack.pop()
        self.put([key, value])

    def load_setitems(self) -> None:
        """Put entries into a dict."""
        self.put(self.pop_mark())

    def load_dict(self) -> None:
        """Make a dict of entries."""
        items = self.pop_mark()
        self.append({})
        self.put(items)

    def load_bytearray8(self) -> None:
        """Make a bytearray of as many bytes as there are."""
        (length,) = struct.unpack("<Q", self.read(8))
        self.append(bytearray(self.read(length)))

    def refuse(self) -> None:
        """Refuse an instruction that data don't need."""
        raise Refused("it uses an instruction that data don't need")

    def extend(self, items: list) -> None:
        """Append things to the list on top."""
        target = self.stack[-1]
        if type(target) is not list:
            raise Refused(f"it appends to {_name(target)}")
        target += items

    def shallow(self, made: tuple) -> tuple:
        """Return a tuple, if neither its depth nor its size, with all inside it, is unusual."""
        inner = [each for each in made if type(each) is tuple]
        if inner:
            parts = [self.nested.get(id(each), (1, len(each), each)) for each in inner]
            depth = 1 + max(part[0] for part in parts)
            size = len(made) + sum(part[1] for part in parts)
            if depth > DEEPEST_TUPLE or size > self.longest:
                raise Refused("it nests tuples")
            self.nested[id(made)] = (depth, size, made)
        return made

    def put(self, items: list) -> None:
        """Put keys and values, in turns, into the dict on top."""
        target = self.stack[-1]
        if type(target) is not dict:
            raise Refused(f"it sets items of {_name(target)}")
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(key, KEYS):
                raise Refused(f"it uses a {type(key).__name__} as a key")
            if (type(key) is int and abs(key) > LARGEST_KEY) or (
                isinstance(key, str | bytes) and len(key) > LONGEST_KEY
            ):
                raise Refused("it uses a huge key")
            target[key] = value

    def made(self, thing: object) -> object:
        """Return a thing, if all that was made is not out of proportion to the file."""
        if isinstance(thing, managers.BlockManager | managers.SingleBlockManager):
            self.tables.append(thing)
        if isinstance(thing, pd.RangeIndex) and len(thing) > self.longest:
            raise Refused(UNFOLDS)
        self.charge(OBJECT + _size(thing))
        return thing

    def charge(self, size: int) -> None:
        """Count what was made, in bytes."""
        self.left -= size
        if self.left < 0:
            raise Refused(UNFOLDS)


KEYS = (str, bytes, int, float, np.number, np.bool_, type(None))
UNFOLDS = "it unfolds to far more than the file holds"


def _size(thing: object) -> int:
    """Return the bytes that a thing takes, or the length of what it makes pandas go through."""
    if isinstance(thing, bytes):
        return len(thing)
    if isinstance(thing, Block):
        return thing.values.nbytes
    if isinstance(thing, np.ndarray | np.generic) or type(thing) is pd.Index:
        return thing.nbytes
    if isinstance(thing, managers.BlockManager | managers.SingleBlockManager):
        return sum(len(axis) for axis in getattr(thing, "axes", ()))
    return 0


def _check_dtype_state(dtype: np.dtype, state: object) -> None:
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


def _name(thing: object) -> str:
    if isinstance(thing, type) or callable(thing):
        return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__name__', thing)}"
    return f"a {type(thing).__name__}"


RestrictedUnpickler.dispatch |= {
    pickle.MARK[0]: RestrictedUnpickler.load_mark,
    pickle.EMPTY_LIST[0]: RestrictedUnpickler.load_empty_list,
    pickle.EMPTY_DICT[0]: RestrictedUnpickler.load_empty_dictionary,
    pickle.REDUCE[0]: RestrictedUnpickler.load_reduce,
    pickle.NEWOBJ[0]: RestrictedUnpickler.load_newobj,
    pickle.BUILD[0]: RestrictedUnpickler.load_build,
    pickle.TUPLE[0]: RestrictedUnpickler.load_tuple,
    pickle.TUPLE1[0]: RestrictedUnpickler.load_tuple1,
    pickle.TUPLE2[0]: RestrictedUnpickler.load_tuple2,
    pickle.TUPLE3[0]: RestrictedUnpickler.load_tuple3,
    pickle.APPEND[0]: RestrictedUnpickler.load_append,
    pickle.APPENDS[0]: RestrictedUnpickler.load_appends,
    pickle.SETITEM[0]: RestrictedUnpickler.load_setitem,
    pickle.SETITEMS[0]: RestrictedUnpickler.load_setitems,
    pickle.DICT[0]: RestrictedUnpickler.load_dict,
    pickle.BYTEARRAY8[0]: RestrictedUnpickler.load_bytearray8,
    **{getattr(pickle, name)[0]: RestrictedUnpickler.refuse for name in NEEDLESS},
}
