"""What a simulator does to people's answers in general.

It exaggerates, flattens, hardly follows them, or leans to one end.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from fidelity.arrays import FloatArray
from fidelity.structure.estimates import Interval

FEWEST = 10
SMALLEST_SLOPE, SMALLEST_LEAN = 0.1, 0.02


@dataclass(frozen=True)
class Tendency:
    """How a simulator's shares go with people's, over all questions.

    Attributes:
        slope: how far differences between options follow people's, which are 1; None if not known.
        spread: how large they are, whether or not they follow people's; None if not known.
        lean: how far the mean answer is moved to the high end, as a share of the scale; None where
            options have no order.
    """

    slope: Interval | None
    spread: Interval | None
    lean: Interval | None

    @property
    def exaggerates(self) -> bool:
        """Whether differences between options are certainly, and clearly, too large."""
        slope = self.slope
        return slope is not None and slope.lower > 1.0 and slope.estimate > 1.0 + SMALLEST_SLOPE

    @property
    def flattens(self) -> bool:
        """Whether they are certainly, and clearly, too small."""
        return _is_small(self.spread)

    @property
    def strays(self) -> bool:
        """Whether they certainly, and clearly, follow people's in part only."""
        return _is_small(self.slope)

    @property
    def is_faithful(self) -> bool:
        """Whether they are certainly as large as people's, or nearly so."""
        slope = self.slope
        if slope is None:
            return False
        return slope.lower >= 1.0 - SMALLEST_SLOPE and slope.upper <= 1.0 + SMALLEST_SLOPE

    @property
    def leans(self) -> int:
        """1 if it certainly leans to the high end, -1 to the low end, 0 if neither is settled."""
        lean = self.lean
        if lean is None or abs(lean.estimate) < SMALLEST_LEAN or lean.lower <= 0.0 <= lean.upper:
            return 0
        return 1 if lean.estimate > 0.0 else -1


def _is_small(estimate: Interval | None) -> bool:
    """Return whether a ratio is certainly, and clearly, below 1."""
    return estimate is not None and (
        estimate.upper < 1.0 and estimate.estimate < 1.0 - SMALLEST_SLOPE
    )


def tendency(
    people: list[FloatArray],
    sizes: FloatArray,
    simulator: list[FloatArray | None],
    clusters: list[str],
    positions: list[FloatArray] | None = None,
    alpha: float = 0.05,
) -> Tendency:
    """Return how a simulator's shares go with people's.

    The slope is that of a line through equal shares, corrected for the noise of people's shares; so
    is the spread, the root of the ratio of squares. The noise of a simulator's draws is left in it,
    so that it is rather too large. All intervals hold together with 1 - alpha (Bonferroni), and
    rest on leaving out one cluster at a time.

    Args:
        people: shares of the options of each question, (d,) each.
        sizes: the number of people that each rests on, (m,).
        simulator: its shares, None where it did not answer.
        clusters: of each question; one of its own where none are known.
        positions: of the options, from 0 to 1; None if they have no order.
        alpha: how often one of the intervals may fail.

    Examples:
        >>> from fidelity.comparison.tendency import tendency
        >>> people = [np.array([a, 1 - a]) for a in np.linspace(0.3, 0.7, 20)]
        >>> sharper = [0.5 + 2 * (share - 0.5) for share in people]
        >>> found = tendency(people, np.full(20, 1e9), sharper, [str(j) for j in range(20)])
        >>> round(found.slope.estimate, 3), found.exaggerates, found.lean
        (2.0, True, None)
    """
    there = [j for j, shares in enumerate(simulator) if shares is not None]
    names = sorted({clusters[j] for j in there})
    if len(names) < FEWEST:
        names, groups = [str(j) for j in there], np.arange(len(there))
    else:
        groups = np.array([names.index(clusters[j]) for j in there])
    if len(names) < FEWEST:
        return Tendency(None, None, None)
    sums = np.zeros((len(names), 3))
    leans = np.zeros((len(names), 2))
    for group, j in zip(groups, there, strict=True):
        p, q = people[j], simulator[j]
        assert q is not None
        even = 1.0 / len(p)
        noise = (p * (1.0 - p)).sum() / max(sizes[j] - 1.0, 1.0)
        sums[group] += (
            (p - even) @ (q - even),
            ((q - even) ** 2).sum(),
            ((p - even) ** 2).sum() - noise,
        )
        if positions is not None:
            leans[group] += positions[j] @ (q - p), 1.0
    squares = _ratio(sums[:, 1:], alpha)
    return Tendency(
        _ratio(sums[:, ::2], alpha),
        None if squares is None else Interval(*np.sqrt(np.maximum(squares, 0.0))),
        None if positions is None else _ratio(leans, alpha),
    )


def _ratio(sums: FloatArray, alpha: float) -> Interval | None:
    """Return the ratio of two sums over groups, (G, 2), with a jackknife interval."""
    total, many = sums.sum(0), len(sums)
    rest = total - sums
    if min(total[1], rest[:, 1].min()) <= 0.0:
        return None
    value, without = total[0] / total[1], rest[:, 0] / rest[:, 1]
    error = np.sqrt((many - 1) / many * ((without - without.mean()) ** 2).sum())
    reach = float(stdtrit(many - 1, 1 - alpha / 6) * error)
    return Interval(float(value), float(value) - reach, float(value) + reach)
