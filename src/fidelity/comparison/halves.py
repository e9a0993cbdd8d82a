"""A simulator's answers in several conditions, such as prompts, in halves at random."""

from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.pseudo_discrepancies import between
from fidelity.resampling import smoothed


class Halves(NamedTuple):
    """Answers to one scenario in halves, in S ways that are alike in all P conditions.

    Attributes:
        shares: of the options, (2, S, P, d).
        sizes: the number of answers, (2, S, P).

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison import halved_answers
        >>> sums = [[[2, 1], [3, 0], [1, 2]]]  # one condition, three rounds, two options
        >>> halved_answers(sums, np.random.default_rng(0), splits=4).sizes[0].ravel()
        array([3., 3., 3., 3.])
    """

    shares: FloatArray
    sizes: FloatArray

    def scores(
        self, people: FloatArray, discrepancy: str, scores: ArrayLike | None, smooth: bool
    ) -> FloatArray:
        """Return the discrepancy of each half, (2, S, P).

        Args:
            people: their shares, (d,).
            discrepancy: its name.
            scores: of the options, (d,), where it needs them.
            smooth: whether shares are smoothed, as those of draws are.
        """
        flat = self.shares.reshape(-1, len(people))
        flat = smoothed(flat, self.sizes.ravel()) if smooth else flat
        alike = np.broadcast_to(people, flat.shape)
        score = between(alike, flat, discrepancy=discrepancy, scores=scores)
        return score.reshape(self.sizes.shape)


def halved_answers(
    sums: ArrayLike, generator: np.random.Generator, *, splits: int = 50
) -> Halves | None:
    """Return answers halved by whole units, such as rounds of the options' orders, or draws.

    Discrepancies of both halves go into :func:`fidelity.comparison.variance_between`. A unit is in
    one half, in all conditions.

    Args:
        sums: answers to each option, or stated shares added up, in each unit of each condition,
            (P, U, d).
        generator: draws the halves.
        splits: S, in how many ways.

    Returns:
        None where no way leaves an answer in both halves of each condition. Ways that don't are
        replaced by others.

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison import halved_answers
        >>> sums = [[[2, 1], [3, 0]], [[0, 3], [1, 2]]]  # two conditions, two rounds, two options
        >>> first, second = halved_answers(sums, np.random.default_rng(0), splits=1).shares
        >>> first[0].round(2)
        array([[1.  , 0.  ],
               [0.33, 0.67]])
    """
    table = inputs.numbers("sums", sums, inputs.FINITE_NOT_NEGATIVE)
    units, many = table.shape[1], table.sum(2)
    order = generator.random((splits, units)).argsort(1)
    first = (order < units // 2).astype(float)
    halves = np.stack([first, 1.0 - first])
    sizes = np.einsum("hsu,pu->hsp", halves, many)
    there = np.flatnonzero((sizes > 0.0).all((0, 2)))
    if not len(there):
        return None
    chosen = np.resize(there, splits)
    sizes = sizes[:, chosen]
    return Halves(np.einsum("hsu,pud->hspd", halves, table)[:, chosen] / sizes[..., None], sizes)
