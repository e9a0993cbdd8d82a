"""Squared length of a vector that is known with error, also where it is near 0.

d̂ is normal with mean d and covariance V, so that Q = |d̂|² is |d|² + tr V on average, and a sum of
noncentral χ² with 1 degree of freedom each, weighted by V's eigenvalues. A sum of squares is skew
near 0, where its standard error is 0 as well; so estimate ± error covers too little there.

Q/a is taken as noncentral χ² with tr V/a degrees of freedom and noncentrality |d|²/a. This has Q's
mean at each |d|. Its variance, 2a·tr V + 4a|d|², is Q's, 2 tr V² + 4 d'Vd, or larger, with a the
larger one of tr V²/tr V (Satterthwaite 1946; Imhof 1961 for noncentral sums) and u'Vu/|u|², the
variance in d's direction. The direction is that of u = d̂ moved away from 0 by so many errors as
the level asks for along the first eigenvector of V. Without this the error that terms have in
common, such as that of one control, is taken for less than it may be.
"""

from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity.arrays import FloatArray
from fidelity.structure.estimates import Interval

LARGE = 1e6


class Length(NamedTuple):
    """A vector that is known with error, of whose length something is asked.

    Attributes:
        vector: d̂, (E,).
        covariance: V of its errors, (E, E).
        df: degrees of freedom of V.
        noise: what chance adds to |d̂|² on average; None if it is tr V.
    """

    vector: FloatArray
    covariance: FloatArray
    df: float = np.inf
    noise: float | None = None

    def square(self, level: float) -> Interval:
        """Return the interval of |d|²."""
        return squared_length(self.vector, self.covariance, level, df=self.df, noise=self.noise)

    def root(self, level: float) -> Interval:
        """Return the interval of |d|, roots of that of |d|²."""
        return Interval(*np.sqrt(np.maximum(self.square(level), 0.0)).tolist())

    def of_more(self, times: float, probability: float) -> "Length":
        """Return what so many times as many persons would give, where |d|² is as estimated.

        Args:
            times: how many times as many.
            probability: that |d̂|², taken as of gamma's law, is not larger.
        """
        noise = float(np.trace(self.covariance)) if self.noise is None else self.noise
        raw = float(self.vector @ self.vector)
        square, covariance = max(raw - noise, 0.0), self.covariance / times
        along = square / raw * float(self.vector @ covariance @ self.vector) if raw > 0.0 else 0.0
        mean, variance = square + noise / times, 2.0 * float((covariance**2).sum()) + 4.0 * along
        expected = mean
        if mean > 0.0 and variance > 0.0:
            shape = mean**2 / variance
            expected = float(sp.special.gammaincinv(shape, probability)) * variance / mean
        return Length(
            self.vector * np.sqrt(expected / raw if raw > 0.0 else 1.0),
            covariance,
            self.df * times,
            noise / times,
        )


def squared_length(
    vector: FloatArray,
    covariance: FloatArray,
    level: float = 0.95,
    *,
    df: float = np.inf,
    noise: float | None = None,
) -> Interval:
    """Return |d|² without noise, and an interval of all |d|² that are not refused; approximate.

    A mean of squares with weights w that sum to 1 is the squared length of √w·d̂, whose covariance
    is √w√w'·V.

    Args:
        vector: d̂, (E,).
        covariance: V of its errors, (E, E).
        level: of the interval.
        df: degrees of freedom of V; errors are larger by Student's quantile over the normal's.
        noise: what chance adds to Q on average, if it isn't tr V, as where V is made larger to be
            on the safe side.

    Returns:
        The estimate Q - noise has no bias, so it may be below 0 by chance; the interval is not.
        With an estimate below 0 the upper end is that of an estimate of 0. In simulations with 1
        to 60 terms, alike or not, of common errors or not, 95 % intervals held in 94 to 100 %.
        Without variance the interval has no upper end: nothing is known of errors then.

    Examples:
        >>> import numpy as np
        >>> from fidelity.squared_lengths import squared_length
        >>> [round(end, 2) for end in squared_length(np.array([3.0, 0.0]), np.eye(2))]
        [7.0, 0.48, 23.31]
    """
    raw, trace = float(vector @ vector), float(np.trace(covariance))
    estimate = raw - (trace if noise is None else noise)
    if not trace > 0.0:
        return Interval(estimate, 0.0, np.inf)
    upper = (1.0 + level) / 2.0
    z = float(sp.special.ndtri(upper))
    covariance = covariance * (float(sp.special.stdtrit(df, upper)) / z) ** 2
    trace = float(np.trace(covariance))
    values, axes = np.linalg.eigh(covariance)
    first = axes[:, -1]
    away = z * np.sqrt(values[-1]) * (1.0 if first @ vector >= 0.0 else -1.0)
    u = vector + away * first
    a = max(float(u @ covariance @ u / (u @ u)), float((values**2).sum()) / trace)
    below, above = (
        a * _noncentrality((square + trace) / a, trace / a, probability)
        for square, probability in ((estimate, upper), (max(estimate, 0.0), 1.0 - upper))
    )
    return Interval(estimate, below, above)


def _noncentrality(value: float, df: float, probability: float) -> float:
    """Return for which noncentrality χ² is at most ``value`` with a probability; 0 if for none.

    Large values are taken as normal.
    """
    if value < LARGE:
        possible = value > 0.0 and sp.special.chndtr(value, df, 0.0) > probability
        return float(sp.special.chndtrinc(value, df, probability)) if possible else 0.0
    z = float(sp.special.ndtri(probability))
    reach = 2.0 * z * z
    root = float(np.sqrt(reach * (reach + 2.0 * value - df)))
    return max(0.0, value - df + reach - (root if z > 0.0 else -root))
