"""A few people alone: split several times at random, and judged by all others.

A pool of people is seen, all others judge. At size n the first n of the pool are seen. So the same
people judge every size, and every simulator.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray, Generators, IntArray
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.hybrids.split import counts_of, person_groups, split_groups, split_people
from fidelity.means.average import DiscrepancyBounds, discrepancy_bounds
from fidelity.responses import Responses

SIZES = (5, 10, 25, 50, 100)
LEFT_TO_JUDGE = 2
MEASURED_TO = 200
TIMES, FEWEST = 3, 10


def taking_part(
    counts: ArrayLike, sizes: Sequence[int], *, times: int = TIMES, fewest: int = FEWEST
) -> Iterator[tuple[IntArray, list[int]]]:
    """Yield groups of scenarios with enough people, with the sizes at which they have enough.

    Args:
        counts: people's answers, (m, d); NaN where a scenario has no such option.
        sizes: n₀ of hybrids, increasing.
        times: how many times n₀ people a scenario must have: n₀ are seen, people alone are measured
            at up to half of all, and the others judge.
        fewest: scenarios of a group; smaller ones are left out.

    Yields:
        Positions of scenarios, and sizes.

    Examples:
        >>> from fidelity.hybrids import taking_part
        >>> people = [[20, 20], [90, 60], [80, 80]]
        >>> [(rows.tolist(), sizes) for rows, sizes in taking_part(people, [5, 10, 50], fewest=2)]
        [([0, 1, 2], [5, 10]), ([1, 2], [50])]
    """
    people = np.nansum(counts, axis=1)
    for _, alike in groupby(sizes, lambda n: int((people >= times * n).sum())):
        sizes_alike = list(alike)
        rows = np.flatnonzero(people >= times * sizes_alike[0])
        if len(rows) >= fewest:
            yield rows, sizes_alike


@dataclass(frozen=True)
class PeopleAlone:
    """People split several times, and the distances of those seen from those who judge.

    Attributes:
        sizes: n₀ of hybrids, (K,).
        people_sizes: of people alone, (G,).
        seen: answers of the people seen, (splits, G, m, d).
        rest: of those who judge, (splits, m, d).
        bounds: on the discrepancy of each scenario, (splits, G, F, m), by the F fields of
            :class:`fidelity.DiscrepancyBounds`.
        discrepancy: the one that they are compared by.
        scores: of the options, (m, d), or None.
        people: a label per scenario, (m,), equal where persons may answer both scenarios; None if
            each scenario has people of its own.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import people_alone
        >>> rng = np.random.default_rng(0)
        >>> people = rng.multinomial(200, [0.5, 0.3, 0.2], 40)
        >>> found = people_alone(people, discrepancy="tv", sizes=[5, 10], generator=rng, splits=3)
        >>> found.people_sizes.tolist()
        [1, 2, 3, 4, 5, 6, 8, 10, 11, 16, 23, 32, 45, 64, 91, 100]
        >>> found.seen.shape
        (3, 16, 40, 3)
    """

    sizes: IntArray
    people_sizes: IntArray
    seen: FloatArray
    rest: FloatArray
    bounds: FloatArray
    discrepancy: str | Discrepancy
    scores: FloatArray | None
    people: AnyArray | None

    def at(self, rows: ArrayLike) -> "PeopleAlone":
        """Return the same of some scenarios, by their positions."""
        at = np.asarray(rows, int)
        return replace(
            self,
            seen=self.seen[:, :, at],
            rest=self.rest[:, at],
            bounds=self.bounds[..., at],
            scores=None if self.scores is None else self.scores[at],
            people=None if self.people is None else self.people[at],
        )

    def judged(self, split: int, stated: FloatArray) -> FloatArray:
        """Return bounds on the discrepancies of ``stated`` probabilities, (F, m), by the judges."""
        judges = Responses(self.rest[split], scores=self.scores)
        return np.array(discrepancy_bounds(judges, stated, discrepancy=self.discrepancy))


def people_alone(
    counts: ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    generator: Generators,
    sizes: Sequence[int] = SIZES,
    answers: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    splits: int = 10,
    scores: ArrayLike | None = None,
) -> PeopleAlone:
    """Split people, and judge those seen by all others.

    Args:
        counts: people's answers, whole numbers, (m, d); NaN where there is no such option.
        discrepancy: a convex one that is finite where a share is 0: not ``kl`` or ``chi2``.
        generator: of the splits; one, or one for each scenario, and with ``answers`` for each
            group.
        sizes: n₀, 2 or more, growing; each row of counts needs 2 people more than the largest.
        answers: who chose which option where the same persons answer several scenarios, as
            :func:`split_persons`; ``counts`` are then theirs.
        groups: as there, with answers only.
        splits: how often people are split.
        scores: of the options, as :func:`fidelity.pseudo_discrepancy`.

    Raises:
        ValueError: on malformed arrays, too few people, a discrepancy that is infinite.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import people_alone
        >>> rng = np.random.default_rng(0)
        >>> people = rng.multinomial(200, [0.5, 0.3, 0.2], 40)
        >>> found = people_alone(people, discrepancy="tv", sizes=[5, 50], generator=rng)
        >>> upper = found.bounds.mean((0, 3))[:, 1]  # of the means of plug-in discrepancies
        >>> bool((np.diff(upper) < 0).all())  # more people are nearer
        True
    """
    counts, scores = inputs.aligned(counts=counts, scores=scores, across=("scores",))
    counts = inputs.table("counts", counts, inputs.COUNTS, ("scenarios", "options"))
    if DISCREPANCIES.of(discrepancy).infinite_at_zero:
        raise ValueError(f"discrepancy {discrepancy} is infinite where few people left an option")
    chosen = _grown(sizes)
    splits = inputs.whole("splits", splits, 1)
    fewest = int(np.nansum(counts, axis=1).min())
    if fewest < chosen[-1] + LEFT_TO_JUDGE:
        raise ValueError(
            f"sizes must leave {LEFT_TO_JUDGE} people to judge in each row of counts; the largest "
            f"is {chosen[-1]}, and one row has {fewest} people"
        )
    grid = _people_sizes(chosen, fewest)
    m, d = counts.shape
    people = None
    if answers is None:
        split = [split_people(counts, grid, generator) for _ in range(splits)]
    else:
        parts = person_groups(answers, d, groups)
        recounted = np.empty((m, d))
        for scenarios, group_answers in parts:
            recounted[scenarios] = counts_of(group_answers, d)
        if (recounted != np.nan_to_num(counts)).any():
            raise ValueError("counts must be those of answers: how many chose each option")
        split = [split_groups(parts, grid, generator, d) for _ in range(splits)]
        people = np.zeros(m, int) if groups is None else inputs.labels("groups", groups, m)
    nothing = np.where(np.isnan(counts), np.nan, 0.0)
    alone = PeopleAlone(
        sizes=np.array(chosen),
        people_sizes=np.array(grid),
        seen=np.stack([one.seen for one in split]) + nothing,
        rest=np.stack([one.rest for one in split]) + nothing,
        bounds=np.empty((splits, len(grid), len(DiscrepancyBounds._fields), m)),
        discrepancy=discrepancy,
        scores=None if scores is None else np.broadcast_to(np.asarray(scores, float), (m, d)),
        people=people,
    )
    for i in range(splits):
        for g, n in enumerate(grid):
            alone.bounds[i, g] = alone.judged(i, alone.seen[i, g] / n)
    return alone


def _grown(sizes: Sequence[int]) -> list[int]:
    chosen = [inputs.whole("sizes", size, 2) for size in sizes]
    if not chosen or chosen != sorted(set(chosen)):
        raise ValueError(f"sizes must be numbers of people that grow, not {sizes}")
    return chosen


def _people_sizes(sizes: list[int], fewest: int) -> list[int]:
    """Return at how many people the curve of people alone is measured.

    From 1 on in steps of √2, so that the curve is nearly straight in log n between them, and at the
    sizes themselves. It goes up to twice the largest size, or 200, but no further than half of the
    fewest people of a scenario, unless one of the sizes is larger.
    """
    most = max(sizes[-1], min(max(2 * sizes[-1], MEASURED_TO), fewest // 2))
    steps = (round(2.0 ** (i / 2.0)) for i in range(2 * most.bit_length()))
    return sorted({*sizes, most} | {n for n in steps if n < most})
