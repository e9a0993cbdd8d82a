"""Types of the arrays in arguments and results; docstrings tell their shapes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fidelity.levels import Level

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]
BoolArray = NDArray[np.bool_]
AnyArray = NDArray[Any]
Floats = FloatArray | float
Counts = FloatArray | IntArray
Levels = ArrayLike | Level | Sequence[Level]
