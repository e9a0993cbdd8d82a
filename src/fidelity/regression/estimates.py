"""Slopes of regressions, with what each unit does to them.

A unit is a person, or a cluster of persons; its influence is so scaled
(:mod:`fidelity.regression.sandwich`) that the sum of squares over units is a slope's variance, and
the sum of products the covariance of two slopes, of one question or of several.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from fidelity import inputs
from fidelity.arrays import FloatArray
from fidelity.simultaneous import joint_level

Label = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Slopes:
    """Slopes of one or more outcomes, J in all.

    Attributes:
        labels: (outcome, column), J.
        terms: (outcome, term), J; a factor's levels have one.
        estimate: in the outcome's unit for one of the column's, (J,).
        influence: of units, (U, J); no units where the answers are taken as given.
        df: degrees of freedom of the variances, (J,).
        scale: spread of the column over that of the outcome, which makes slopes standardised, (J,);
            infinite where all answer alike.
        roots: (J, J); the square of roots·d by term is the variance of what d explains, in units of
            the outcome's.
        persons: rows that answered the outcome, (J,).

    Examples:
        >>> from fidelity.regression import Covariates, linear_slopes
        >>> facts = Covariates([[1], [2], [3], [4], [5]], names=["age"])
        >>> slopes = linear_slopes(facts, [2.0, 1.0, 4.0, 3.0, 5.0])
        >>> slopes.labels, slopes.estimate.round(3).tolist(), slopes.se.round(3).tolist()
        ([('', 'age')], [0.8], [0.286])
    """

    labels: list[Label]
    terms: list[Label]
    estimate: FloatArray
    influence: FloatArray
    df: FloatArray
    scale: FloatArray
    roots: FloatArray
    persons: FloatArray

    @cached_property
    def covariance(self) -> FloatArray:
        """Of the estimates, (J, J)."""
        return self.influence.T @ self.influence

    @property
    def se(self) -> FloatArray:
        """Standard errors, (J,)."""
        return np.sqrt(np.diag(self.covariance))

    def intervals(self, level: float = 0.95, *, together: bool = False) -> FloatArray:
        """Return the slopes' confidence intervals, (J, 2).

        Args:
            level: of each, by Student's t with its degrees of freedom; or of all.
            together: whether all intervals hold at once with the level.
        """
        level = inputs.number("level", level, inputs.INSIDE)
        one = joint_level(self.covariance, level) if together else level
        reach = -stdtrit(self.df, (1.0 - one) / 2.0) * self.se
        return np.stack([self.estimate - reach, self.estimate + reach], 1)

    def as_given(self) -> "Slopes":
        """Return the slopes of these very answers, so that nothing of them is random."""
        none = np.zeros((0, len(self.labels)))
        return replace(self, influence=none, df=np.full(len(self.labels), np.inf))

    def take(self, labels: list[Label]) -> "Slopes":
        """Return the slopes with these labels, in that order; these themselves if it is all."""
        if labels == self.labels:
            return self
        place = {label: j for j, label in enumerate(self.labels)}
        rows = np.array([place[label] for label in labels])
        return Slopes(
            list(labels),
            [self.terms[j] for j in rows],
            self.estimate[rows],
            self.influence[:, rows],
            self.df[rows],
            self.scale[rows],
            self.roots[np.ix_(rows, rows)],
            self.persons[rows],
        )
