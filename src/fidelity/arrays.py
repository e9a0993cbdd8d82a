"""Types of the arrays in arguments and results; docstrings tell their shapes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NewType

import numpy as np

from fidelity.levels import Level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.integer[Any]]
    BoolArray = NDArray[np.bool_]
    AnyArray = NDArray[Any]
    Levels = ArrayLike | Level | Sequence[Level]
    Scores = Any  # of options, FloatArray; None where a discrepancy needs none
else:  # help() shows these names, and not all that they stand for
    names = ("ArrayLike", "FloatArray", "IntArray", "BoolArray", "AnyArray", "Levels", "Scores")
    globals().update((name, NewType(name, object)) for name in names)

Ends = tuple[FloatArray, FloatArray]  # lower and upper
Generators = np.random.Generator | Sequence[np.random.Generator]
Floats = FloatArray | float
Counts = FloatArray | IntArray
