"""The machine that runs a pickle: Python's reader, in Python, with most instructions taken away."""

import mmap
import pickle
import struct

import numpy as np
import pandas as pd
from pandas.core.internals import managers
from pandas.core.internals.blocks import Block

from fidelity_study.ingest.unpickle.checks import (
    Refused,
    Truncated,
    check_array,
    check_categories,
    check_column,
    check_dtype_state,
    check_frame,
    check_table,
    name_of,
)
from fidelity_study.ingest.unpickle.known import (
    CLASSES,
    COLUMNS,
    FUNCTIONS,
    STATEFUL,
    latin1,
    table_of_blocks,
)

SPARE = 1 << 20
MADE_PER_BYTE = 8
DEEPEST_TUPLE = 16
OBJECT = 64
LARGEST_KEY = 2**63
LONGEST_KEY = 10_000
KEYS = (str, bytes, int, float, np.integer, np.floating, np.bool_, type(None))
UNFOLDS = "it unfolds to far more than the file holds"
NEEDLESS = [
    *("PERSID", "BINPERSID", "INST", "OBJ", "EXT1", "EXT2", "EXT4", "NEWOBJ_EX"),
    *("EMPTY_SET", "ADDITEMS", "FROZENSET", "NEXT_BUFFER", "READONLY_BUFFER"),
]


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
      Lists are not put into lists: ten of ten of ten, a few bytes, would become an array.
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
        self.frames, self.tables = [], []

    def load(self) -> object:
        """Return what the file holds."""
        found = super().load()
        for table in self.frames:
            check_frame(table)
        for table in self.tables:
            check_table(table)
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
            raise Refused(f"it calls {name_of(function)}")
        if type(arguments) is not tuple:
            raise Refused(f"it calls {name_of(function)} in an unusual way")
        self.stack[-1] = self.made(function(*arguments))

    def load_newobj(self) -> None:
        """Make an empty instance of one of the classes."""
        arguments = self.stack.pop()
        kind = self.stack.pop()
        if not any(kind is each for each in STATEFUL) or arguments != ():
            raise Refused(f"it makes a new {name_of(kind)}")
        self.append(self.made(kind.__new__(kind)))

    def load_build(self) -> None:
        """Give an instance its state."""
        state = self.stack.pop()
        instance = self.stack[-1]
        if isinstance(instance, np.dtype):
            check_dtype_state(instance, state)
        elif type(instance) is np.ndarray:
            if type(state) is not tuple or len(state) != 5:
                raise Refused("it fills an array in an unusual way")
            _, shape, dtype, _, content = state
            if type(content) is str:
                content = latin1(content)
                state = (*state[:4], content)
            check_array(content, dtype, shape)
            if instance.dtype != bool or instance.shape != (0,):
                raise Refused("it fills an array again")
        elif type(instance) not in STATEFUL:
            raise Refused(f"it changes {name_of(instance)}")
        if id(instance) in self.filled:
            raise Refused(f"it changes {name_of(instance)} again")
        self.filled[id(instance)] = instance
        instance.__setstate__(state)
        if isinstance(instance, COLUMNS[1:]):
            check_column(instance)
        if isinstance(instance, pd.CategoricalDtype):
            check_categories(instance)
        self.charge(OBJECT + _size(instance))

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
            raise Refused(f"it appends to {name_of(target)}")
        if any(type(each) in (list, tuple) for each in items):
            raise Refused("it nests lists")
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
            raise Refused(f"it sets items of {name_of(target)}")
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
        if isinstance(thing, pd.DataFrame | pd.Series):
            self.frames.append(thing)
        if isinstance(thing, pd.RangeIndex) and len(thing) > self.longest:
            raise Refused(UNFOLDS)
        self.charge(OBJECT + _size(thing))
        return thing

    def charge(self, size: int) -> None:
        """Count what was made, in bytes."""
        self.left -= size
        if self.left < 0:
            raise Refused(UNFOLDS)


def _size(thing: object) -> int:
    """Return the bytes that a thing takes, or the length of what it makes pandas go through."""
    if isinstance(thing, bytes):
        return len(thing)
    if isinstance(thing, Block):
        return thing.values.nbytes
    if isinstance(thing, np.ndarray | np.generic) or type(thing) is pd.Index:
        return thing.nbytes
    if isinstance(thing, COLUMNS[1:]):
        return getattr(getattr(thing, "_ndarray", None), "nbytes", 0)
    if isinstance(thing, managers.BlockManager):
        columns, rows = (*map(len, getattr(thing, "axes", ())), 0, 0)[:2]
        return OBJECT * columns + rows
    return 0


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
