"""Pickled tables from the internet: read only if they are the very files that sources.yaml pins.

A pickle is a program, and reading it runs it. Two locks stand before that:

- :func:`load` compares the file's SHA-256 with the pinned one before the first instruction runs.
  No other file is ever unpickled, whether it was downloaded, copied from a mirror or put there.
- The program finds only the names in ``ALLOWED``, which build numpy's arrays and pandas' tables.
  Any other name is refused before it is looked up: no ``eval``, no ``os.system``, and no attribute
  of what is allowed, such as ``pandas`` with ``compat.os.system``.

The names alone are no protection against whoever writes a pickle to do harm with them. They bound
neither memory nor time, and numpy and pandas trust the states they are given: a wrong one can
corrupt the process. Only the checksum protects against that.
"""

import hashlib
import pickle
from pathlib import Path

from fidelity_study.errors import refusal

ALLOWED = {
    "__builtin__": {"bytes", "slice"},
    "_codecs": {"encode"},
    "builtins": {"slice"},
    "numpy": {"dtype", "ndarray"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "pandas": {"Categorical", "CategoricalDtype", "DataFrame", "Index", "RangeIndex", "Series"},
    "pandas._libs.arrays": {"__pyx_unpickle_NDArrayBacked"},
    "pandas._libs.internals": {"_unpickle_block"},
    "pandas._libs.tslibs.nattype": {"_nat_unpickle"},
    "pandas._libs.tslibs.timestamps": {"_unpickle_timestamp"},
    "pandas.arrays": {"DatetimeArray"},
    "pandas.core.arrays.categorical": {"Categorical"},
    "pandas.core.arrays.datetimes": {"DatetimeArray"},
    "pandas.core.dtypes.dtypes": {"CategoricalDtype"},
    "pandas.core.frame": {"DataFrame"},
    "pandas.core.indexes.base": {"Index", "_new_Index"},
    "pandas.core.indexes.range": {"RangeIndex"},
    "pandas.core.internals.managers": {"BlockManager", "SingleBlockManager"},
    "pandas.core.series": {"Series"},
}
MOVED = {
    "numpy.core.multiarray": "numpy._core.multiarray",
    "numpy.core.numeric": "numpy._core.numeric",
    "pandas.core.indexes.numeric": "pandas",
}
RENAMED = {"Float64Index": "Index", "Int64Index": "Index", "__nat_unpickle": "_nat_unpickle"}


class TableUnpickler(pickle.Unpickler):
    """Python's reader, which finds no name but those of numpy's arrays and pandas' tables."""

    def find_class(self, module: str, name: str) -> object:
        """Return what is allowed; UnpicklingError for any other name, also one with dots."""
        module, name = MOVED.get(module, module), RENAMED.get(name, name)
        if name not in ALLOWED.get(module, ()):
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which no table needs")
        return super().find_class(module, name)


def load(path: str | Path, sha256: str) -> object:
    """Return the arrays and tables that are pickled in the file whose SHA-256 is pinned.

    Raises:
        DataError: if the file is another one, of which nothing is run then; or if it asks for a
            name that is not allowed, which is not called then.
    """
    with Path(path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != sha256:
            raise refusal(
                "other-checksum",
                f"its SHA-256 is {digest}, but sources.yaml has {sha256}; it was not read. Delete "
                "it and run again to fetch the right file",
                file=path,
            )
        file.seek(0)
        try:
            return TableUnpickler(file).load()
        except pickle.UnpicklingError as error:
            raise refusal(
                "not-a-pickle-of-data",
                f"{error}; what it asks for was not called. Do not use this file: find out why "
                "sources.yaml has its checksum",
                file=path,
            ) from None
