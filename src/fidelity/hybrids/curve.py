"""How near a few people, a simulator, and both together are, and how many interviews that saves.

People are split several times at random: a pool of them is seen, all others judge. Of the pool the
first n₀ are seen by the hybrid of size n₀, so that the same people judge every size. Each of the
three is judged as a simulator is (:mod:`fidelity.means`): of every scenario E Λ ≤ L(p, p̃) ≤ E Δ̂.

*Interviews saved* at n₀: n₊ - n₀, where people alone at n₊ are as near as the hybrid is at n₀. The
discrepancies that are compared are the middles of the two bounds; people alone are measured at
many sizes, between which the curve is taken as straight in log n.

The interval of n₊ has the sizes at which the mean difference between people alone and the hybrid is
not told apart from 0, by CR2 and Student's t over clusters. So there is a gain exactly where people
alone at n₀ are farther than the hybrid at n₀ by that test. Where persons answer several scenarios
the clusters are not all that varies: the same few are seen in all, and the same others judge. What
that changes is known from the splits. With s² the variance of a split's mean between S splits, the
mean of all has the variance s²/S, and what even all splits of N people have in common: of those n
seen (n/(N - n)) s² if their answers add up, of those r who judge about (n/r) s². The sum is added,
with r for N - n.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy as sp
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import AnyArray, FloatArray, IntArray
from fidelity.comparison.error_bars import mean_error_bar
from fidelity.correction.folds import Corrected
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.hybrids.split import counts_of, person_groups, split_groups, split_people
from fidelity.hybrids.strength import hybrid, prior_strength
from fidelity.means.average import (
    NEW,
    DiscrepancyBounds,
    discrepancy_bounds,
    mean_interval,
    possible,
)

SIZES = (5, 10, 25, 50, 100)
GAIN, NO_GAIN, LOSS = "gain", "no gain", "loss"
LEFT_TO_JUDGE = 2


class MeanDiscrepancies(NamedTuple):
    """Mean discrepancies at K sizes, between two bounds, (K,) each.

    Attributes:
        lower, upper: their expectations enclose the mean discrepancy.
        ci_lower, ci_upper: ends of confidence intervals, one for each size.

    Examples:
        >>> from fidelity.hybrids import MeanDiscrepancies
        >>> MeanDiscrepancies._fields
        ('lower', 'upper', 'ci_lower', 'ci_upper')
    """

    lower: FloatArray
    upper: FloatArray
    ci_lower: FloatArray
    ci_upper: FloatArray


class Together(NamedTuple):
    """Few people and a simulator together, against the number of people seen, (K,) each.

    Attributes:
        kappa: the median of κ̂ over scenarios and splits.
        means: of (x⁰ + κ̂ q̂)/(n₀ + κ̂).
        saved: interviews saved at n₀; negative where people alone are nearer.
        saved_lower, saved_upper: ends of their confidence intervals.
        verdict: ``gain`` where people alone at n₀ are farther than both together, ``loss`` where
            they are nearer, otherwise ``no gain``: none is shown.

    Examples:
        >>> from fidelity.hybrids import Together
        >>> Together._fields[:2]
        ('kappa', 'means')
    """

    kappa: FloatArray
    means: MeanDiscrepancies
    saved: FloatArray
    saved_lower: FloatArray
    saved_upper: FloatArray
    verdict: tuple[str, ...]


class HybridCurve(NamedTuple):
    """People alone, a simulator alone and both together.

    Attributes:
        sizes: n₀ of hybrids, (K,).
        people_sizes: of people alone, (G,), with all of ``sizes`` among them. Interviews saved are
            at most the last of them less n₀, and "so many or more" where they are equal.
        people: of people's shares alone, at ``people_sizes``.
        simulator: of the simulator alone, (1,).
        hybrid: of both together, at ``sizes``.
        corrected: the same of the corrected simulator; None without a correction.
        m: scenarios.

    Examples:
        >>> from fidelity.hybrids import HybridCurve
        >>> HybridCurve._fields[:2]
        ('sizes', 'people_sizes')
    """

    sizes: IntArray
    people_sizes: IntArray
    people: MeanDiscrepancies
    simulator: MeanDiscrepancies
    hybrid: Together
    corrected: Together | None
    m: int


@dataclass(frozen=True)
class PeopleAlone:
    """People split several times, and how near those who are seen come to those who judge.

    Attributes:
        sizes: n₀ of hybrids, (K,).
        people_sizes: of people alone, (G,).
        seen: answers of the people seen, (splits, G, m, d).
        rest: of those who judge, (splits, m, d).
        bounds: on the discrepancy of each scenario, (splits, G, 7, m), in the order of
            :class:`fidelity.DiscrepancyBounds`.
        discrepancy: that people are judged by.
        scores: of the options, (m, d), or None.
        people: a label per scenario, (m,), the same where persons may answer both; None if each
            scenario has people of its own.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import people_alone
        >>> rng = np.random.default_rng(0)
        >>> people = rng.multinomial(200, [0.5, 0.3, 0.2], 40)
        >>> found = people_alone(people, discrepancy="tv", sizes=[5, 10], generator=rng, splits=3)
        >>> found.people_sizes.tolist(), found.seen.shape
        ([1, 2, 3, 5, 7, 10, 14, 20], (3, 8, 40, 3))
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
        """Return bounds on the discrepancies of what is stated, (7, m), by those who judge."""
        found = discrepancy_bounds(
            self.rest[split], stated, discrepancy=self.discrepancy, scores=self.scores
        )
        return np.array(found)


def people_alone(
    counts: ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    generator: np.random.Generator | Sequence[np.random.Generator],
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
        splits: how often people are split; with answers 2 or more.
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
    splits = inputs.whole("splits", splits, 1 if answers is None else 2)
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
        told = np.empty((m, d))
        for scenarios, own in parts:
            told[scenarios] = counts_of(own, d)
        if (told != np.nan_to_num(counts)).any():
            raise ValueError("counts must be those of answers: how many chose each option")
        split = [split_groups(parts, grid, generator, d) for _ in range(splits)]
        people = np.zeros(m, int) if groups is None else inputs.labels("groups", groups, m)
    nothing = np.where(np.isnan(counts), np.nan, 0.0)
    found = PeopleAlone(
        sizes=np.array(chosen),
        people_sizes=np.array(grid),
        seen=np.stack([each.seen for each in split]) + nothing,
        rest=np.stack([each.rest for each in split]) + nothing,
        bounds=np.empty((splits, len(grid), 7, m)),
        discrepancy=discrepancy,
        scores=None if scores is None else np.broadcast_to(np.asarray(scores, float), (m, d)),
        people=people,
    )
    for i in range(splits):
        for g, n in enumerate(grid):
            found.bounds[i, g] = found.judged(i, found.seen[i, g] / n)
    return found


def hybrid_curve(
    people: PeopleAlone,
    q: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    draws: ArrayLike | None = None,
    correction: Callable[..., Corrected] | None = None,
) -> HybridCurve:
    """Return mean discrepancies against n₀, and interviews saved, with intervals.

    The mean is over the population that scenarios, or their clusters, are drawn from. Intervals
    have CR2 and Student's t over clusters, and are approximate: SIMULATED. κ̂ of a scenario is
    fitted on the n₀ seen of other clusters.

    Args:
        people: as :func:`people_alone` gives them; the same for all simulators.
        q: the simulator's probabilities, (m, d).
        clusters: one label per scenario, (m,); None if scenarios are independent.
        level: of the intervals.
        draws: how many draws q is the shares of, for κ̂ alone; q is compared as it stands.
        correction: of the simulator by the n₀ seen, such as
            :func:`fidelity.correction.tempered_mixture`. It is given their answers, q, and
            ``clusters``, and must not use those of a scenario's own cluster.

    Raises:
        ValueError: on malformed arrays, fewer than 2 clusters.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import hybrid_curve, people_alone
        >>> rng = np.random.default_rng(0)
        >>> model = rng.dirichlet([3.0, 3.0, 3.0], 60)
        >>> shares = np.array([rng.dirichlet(20.0 * row) for row in model])  # worth 20 people
        >>> answers = rng.multinomial(400, shares)
        >>> people = people_alone(answers, discrepancy="tv", sizes=[5, 50], generator=rng)
        >>> found = hybrid_curve(people, model).hybrid
        >>> found.verdict, bool(10 < found.saved[0] < 30)
        (('gain', 'gain'), True)
    """
    splits, m, d = people.rest.shape
    q, clusters, draws = inputs.aligned(q=q, clusters=clusters, draws=draws)
    q = inputs.table("q", q, inputs.SHARE_OR_NOTHING, (m, d))
    if clusters is not None:
        clusters = inputs.labels("clusters", clusters, m)
    judge = _Judge(people, clusters, inputs.number("level", level, inputs.INSIDE))
    alone = np.stack([people.judged(split, q) for split in range(splits)])
    corrected = None
    if correction is not None:
        learn = correction
        corrected = judge.together(lambda seen: learn(seen, q, clusters=clusters).probabilities)
    return HybridCurve(
        sizes=people.sizes,
        people_sizes=people.people_sizes,
        people=judge.means(people.bounds, people.people_sizes),
        simulator=judge.means(alone[:, None], [0]),
        hybrid=judge.together(lambda _: q, draws),
        corrected=corrected,
        m=m,
    )


class _Judge(NamedTuple):
    """Those who judge, the clusters of scenarios, and the level of intervals."""

    alone: PeopleAlone
    clusters: AnyArray | None
    level: float

    def together(
        self, stated: Callable[[FloatArray], FloatArray], draws: ArrayLike | None = None
    ) -> Together:
        """Return what few people and a simulator come to, which states what it does of the seen."""
        alone = self.alone
        at = np.searchsorted(alone.people_sizes, alone.sizes)
        shape = (len(alone.rest), len(at))
        kappa = np.empty((*shape, alone.bounds.shape[-1]))
        bounds = np.empty((*shape, *alone.bounds.shape[-2:]))
        for split, size in np.ndindex(shape):
            seen = alone.seen[split, at[size]]
            own = stated(seen)
            kappa[split, size] = prior_strength(seen, own, self.clusters, draws=draws)
            bounds[split, size] = alone.judged(split, hybrid(seen, own, kappa[split, size]))
        apart = _middles(alone.bounds)[:, None] - _middles(bounds)[:, :, None]
        curves = self.falling(apart)
        saved = [_crossing(each, alone.people_sizes) - alone.sizes for each in curves]
        _, lower, upper = (each[np.arange(len(at)), at] for each in curves)
        verdicts = np.select([lower > 0.0, upper < 0.0], [GAIN, LOSS], NO_GAIN)
        return Together(
            np.median(kappa, axis=(0, 2)),
            self.means(bounds, alone.sizes),
            saved[0],
            saved[1],
            saved[2],
            tuple(verdicts.tolist()),
        )

    def means(self, bounds: FloatArray, sizes: ArrayLike) -> MeanDiscrepancies:
        """Return means over scenarios and splits, with intervals, of bounds (splits, K, 7, m).

        ``sizes``: how many people are seen, (K,).
        """
        how: dict[str, Any] = {"clusters": self.clusters, "people": self.alone.people}
        ends = []
        half = self._half(_middles(bounds), 0.0, sizes)
        for each, shared in zip(bounds.mean(0), half, strict=True):
            own = DiscrepancyBounds(*each)
            found = mean_interval(own, target=NEW, level=self.level, **how)
            smooth = own.smooth_lower.mean(), own.smooth_upper.mean()
            found = found._replace(
                ci_lower=smooth[0] - np.hypot(smooth[0] - found.ci_lower, shared),
                ci_upper=smooth[1] + np.hypot(found.ci_upper - smooth[1], shared),
            )
            ends.append(possible(found, own)[:4])
        return MeanDiscrepancies(*np.array(ends).T)

    def falling(self, apart: FloatArray) -> list[FloatArray]:
        """Return mean differences and the ends of their intervals, made to fall in n, (K, G) each.

        Args:
            apart: people alone less both together, (splits, K, G, m).
        """
        bar = mean_error_bar(np.moveaxis(apart.mean(0), -1, 0), self.clusters, level=self.level)
        half = self._half(
            apart, bar.se, np.maximum.outer(self.alone.sizes, self.alone.people_sizes)
        )
        return [
            np.minimum.accumulate(bar.estimate, axis=1),
            np.minimum.accumulate(bar.estimate - half, axis=1),
            np.maximum.accumulate((bar.estimate + half)[:, ::-1], axis=1)[:, ::-1],
        ]

    def _half(self, scores: FloatArray, se: ArrayLike, seen: ArrayLike) -> FloatArray:
        """Return half the width of the interval of the mean of scores (splits, ..., m), (...).

        Args:
            scores: of each split.
            se: of the mean, as far as clusters vary.
            seen: how many people are seen, (...).
        """
        shared: ArrayLike = 0.0
        if self.alone.people is not None:
            fewest = np.nansum(self.alone.rest, axis=-1).min()
            share = 1.0 / len(scores) + 2.0 * np.asarray(seen, float) / fewest
            shared = np.sqrt(share) * scores.mean(-1).std(0, ddof=1)
        df = mean_error_bar(scores[0, ..., :].T, self.clusters, level=self.level).df.T
        half: FloatArray = sp.special.stdtrit(df, (1.0 + self.level) / 2.0) * np.hypot(se, shared)
        return half


def _middles(bounds: FloatArray) -> FloatArray:
    """Return the middles of lower and upper bounds (..., 7, m), (..., m)."""
    middle: FloatArray = bounds[..., :2, :].mean(-2)
    return middle


def _crossing(falling: FloatArray, sizes: IntArray) -> FloatArray:
    """Return where each row, (K, G), falls through 0, on a logarithmic scale; or the end."""
    log_n = np.log(sizes)
    return np.exp([np.interp(0.0, row[::-1], log_n[::-1]) for row in falling])


def _grown(sizes: Sequence[int]) -> list[int]:
    chosen = [inputs.whole("sizes", each, 2) for each in sizes]
    if not chosen or chosen != sorted(set(chosen)):
        raise ValueError(f"sizes must be numbers of people that grow, not {sizes}")
    return chosen


def _people_sizes(sizes: list[int], fewest: int) -> list[int]:
    """Return at how many people the curve of people alone is measured.

    The sizes, √2 and 2 times each, and 1 to 3: at most half of the fewest people of a scenario,
    unless a size is more; and that half if it is less than twice the largest size.
    """
    most = max(sizes[-1], min(2 * sizes[-1], fewest // 2))
    more = {round(factor * n) for n in sizes for factor in (np.sqrt(2.0), 2.0)} | {most}
    return sorted(set(sizes) | {n for n in more | {1, 2, 3} if n <= most})
