"""Slopes of several regressions, whose persons may be the same, as those of one."""

from collections.abc import Sequence

import numpy as np
import scipy as sp

from fidelity.arrays import ArrayLike
from fidelity.regression.estimates import Slopes


def joined_slopes(parts: Sequence[Slopes], units: Sequence[ArrayLike]) -> Slopes:
    """Return the slopes of several regressions, with the covariance of all.

    Args:
        parts: slopes of different outcomes.
        units: for each the labels of its units, (U,), the same in all for the same person, or the
            same cluster of persons.

    Raises:
        ValueError: if labels of units repeat, or are not as many as the units.

    Examples:
        >>> from fidelity.regression import Covariates, joined_slopes, linear_slopes
        >>> age, answers = [[1], [2], [3], [4], [5]], [2.0, 1.0, 4.0, 3.0, 5.0]
        >>> facts = Covariates(age, names=["age"])
        >>> parts = [linear_slopes(facts, answers, outcomes=[name]) for name in ("one", "other")]
        >>> both = joined_slopes(parts, [range(5), range(3, 8)])
        >>> both.labels, both.influence.shape
        ([('one', 'age'), ('other', 'age')], (8, 2))
    """
    labels = [np.asarray(one) for one in units]
    for part, one in zip(parts, labels, strict=True):
        if len(np.unique(one)) != len(part.influence) or len(one) != len(part.influence):
            raise ValueError("units must be a label for each unit of a part, each once")
    every = np.unique(np.concatenate(labels))
    columns = []
    for part, one in zip(parts, labels, strict=True):
        rows = np.zeros((len(every), len(part.labels)))
        rows[np.searchsorted(every, one)] = part.influence
        columns.append(rows)
    estimate, df, scale, persons = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("estimate", "df", "scale", "persons")
    )
    return Slopes(
        [label for part in parts for label in part.labels],
        [term for part in parts for term in part.terms],
        estimate,
        np.hstack(columns),
        df,
        scale,
        sp.linalg.block_diag(*(part.roots for part in parts)),
        persons,
    )
