"""What a simulator does to people's answers in general: exaggerate, flatten, or lean to one end."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

LEVEL = 0.95
FEWEST = 10
SMALLEST_SLOPE, SMALLEST_LEAN = 0.1, 0.02


@dataclass(frozen=True)
class Estimate:
    """A number with its interval."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Tendency:
    """How a simulator's shares go with people's, over all questions.

    Attributes:
        slope: how large differences between options are, people's being 1; None if not known.
        lean: how far the mean answer is moved to the high end, as a share of the scale; None where
            options have no order.
    """

    slope: Estimate | None
    lean: Estimate | None

    @property
    def exaggerates(self) -> bool:
        """Whether differences between options are certainly, and clearly, too large."""
        slope = self.slope
        return slope is not None and slope.lower > 1.0 and slope.value > 1.0 + SMALLEST_SLOPE

    @property
    def flattens(self) -> bool:
        """Whether they are certainly, and clearly, too small."""
        slope = self.slope
        return slope is not None and slope.upper < 1.0 and slope.value < 1.0 - SMALLEST_SLOPE

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
        if lean is None or abs(lean.value) < SMALLEST_LEAN or lean.lower <= 0.0 <= lean.upper:
            return 0
        return 1 if lean.value > 0.0 else -1

    @property
    def text(self) -> str:
        """What it does, or that this is not settled, in a sentence or two."""
        said = []
        if self.slope is not None and (self.exaggerates or self.flattens):
            does = "Exaggerates" if self.exaggerates else "Flattens"
            times = f"{self.slope.value:.1f} times as much as people's"
            said.append(f"{does}: its shares differ {times}.")
        else:
            said.append(
                "Neither exaggerates nor flattens."
                if self.is_faithful
                else "Not settled whether it exaggerates."
            )
        if self.lean is not None and self.leans:
            end = "high" if self.leans > 0 else "low"
            said.append(
                f"Leans to the {end} end, by {abs(100 * self.lean.value):.0f} % of the scale."
            )
        return " ".join(said)


def tendency(
    people: list[np.ndarray],
    sizes: np.ndarray,
    simulator: list[np.ndarray | None],
    clusters: list[str],
    positions: list[np.ndarray] | None = None,
) -> Tendency:
    """Return how a simulator's shares go with people's.

    The slope is that of a line through equal shares, corrected for the noise of people's shares.
    Both intervals have 97.5 % confidence, so that they hold together with 95 %. They
    rest on leaving out one cluster at a time.

    Args:
        people: shares of the options of each question, (d,) each.
        sizes: the number of people that each rests on, (m,).
        simulator: its shares, None where it did not answer.
        clusters: of each question; one of its own where none are known.
        positions: of the options, from 0 to 1; None if they have no order.

    Examples:
        >>> people = [np.array([a, 1 - a]) for a in np.linspace(0.3, 0.7, 20)]
        >>> sharper = [0.5 + 2 * (share - 0.5) for share in people]
        >>> found = tendency(people, np.full(20, 1e9), sharper, [str(j) for j in range(20)])
        >>> round(found.slope.value, 3), found.exaggerates, found.lean
        (2.0, True, None)
    """
    there = [j for j, shares in enumerate(simulator) if shares is not None]
    names = sorted({clusters[j] for j in there})
    if len(names) < FEWEST:
        names, groups = [str(j) for j in there], np.arange(len(there))
    else:
        groups = np.array([names.index(clusters[j]) for j in there])
    if len(names) < FEWEST:
        return Tendency(None, None)
    sums = np.zeros((len(names), 2))
    leans = np.zeros((len(names), 2))
    for group, j in zip(groups, there, strict=True):
        p, q = people[j], simulator[j]
        assert q is not None
        even = 1.0 / len(p)
        noise = (p * (1.0 - p)).sum() / max(sizes[j] - 1.0, 1.0)
        sums[group] += (p - even) @ (q - even), ((p - even) ** 2).sum() - noise
        if positions is not None:
            leans[group] += positions[j] @ (q - p), 1.0
    return Tendency(_ratio(sums), None if positions is None else _ratio(leans))


def _ratio(sums: np.ndarray) -> Estimate | None:
    """Return the ratio of two sums over groups, (G, 2), with a jackknife interval."""
    total, many = sums.sum(0), len(sums)
    rest = total - sums
    if min(total[1], rest[:, 1].min()) <= 0.0:
        return None
    value, without = total[0] / total[1], rest[:, 0] / rest[:, 1]
    error = np.sqrt((many - 1) / many * ((without - without.mean()) ** 2).sum())
    reach = float(stdtrit(many - 1, 1 - (1 - LEVEL) / 4) * error)
    return Estimate(float(value), float(value) - reach, float(value) + reach)
