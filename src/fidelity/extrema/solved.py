"""A check of solvers' results: NaN must never pass for an answer."""

import numpy as np

from fidelity.arrays import FloatArray


def require_numbers(problem: str, *arrays: FloatArray) -> None:
    """Raise ArithmeticError if an array holds NaN.

    Comparisons with NaN are false, and ``fmin`` skips NaN. A solver would stop there and return
    whatever it had.

    Args:
        problem: what is being solved, for the message.
        arrays: one row, or one number, per sample.
    """
    for array in arrays:
        undefined = np.isnan(array)
        if undefined.any():
            rows = np.unique(np.nonzero(undefined)[0])
            raise ArithmeticError(
                f"{problem}: NaN in {len(rows)} of {len(array)} samples, first in row {rows[0]}. "
                "This is a fault of the solver: please report the counts and probabilities"
            )
