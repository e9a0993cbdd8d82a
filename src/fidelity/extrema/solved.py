"""What a solver must never do: take NaN for an answer."""

import numpy as np

from fidelity.arrays import FloatArray


def require_numbers(problem: str, *arrays: FloatArray) -> None:
    """Raise ArithmeticError if an array holds NaN.

    Comparisons with NaN are false and ``fmin`` passes it over, so that a solver would stop there
    and answer with whatever it had.

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
