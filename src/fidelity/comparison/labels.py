"""Labels that may be wrong: blocks of questions that changed places, and scales that are reversed.

A simulator is as far from people as its labels say. If two blocks of questions changed places in
its file, or its scale runs the other way, every number about it is wrong, and it looks worse than
it is. Both leave a trace in the means of the answers to each question. Those of people and of the
simulator hardly correlate as labelled, or negatively, and strongly once the change is undone.
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, stdtr

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray, IntArray

REVERSED, EXCHANGED = "reversed", "exchanged"
WEAK, STRONG = 0.2, 0.5
RATE = 0.005
FEWEST_REVERSED, FEWEST_EXCHANGED = 8, 5
MOST_BLOCKS = 60
LOST = 3.0
MEANS = inputs.Domain(
    "a finite number, NaN without answers",
    "finite numbers, NaN without answers",
    lambda x: (x != x) | (abs(x) < np.inf),
)
NUMBERED = re.compile(r"(.*?)[\s_.:-]*(\d+)$", re.DOTALL)


class Block(NamedTuple):
    """Where a question belongs: the name of its block, and its place in that."""

    name: Any
    place: Any


class LabelDoubt(NamedTuple):
    """A change of labels that would turn a negative or weak correlation into a strong positive one.

    Attributes:
        change: ``exchanged`` (two blocks changed places) or ``reversed`` (a scale).
        blocks: the names of the blocks; empty where all questions are reversed.
        simulator: its row.
        correlation: of the means as labelled, by ranks within blocks.
        changed: the same once the change is undone.
        p_value: of the latter, if both had nothing to do with each other.
    """

    change: str
    blocks: tuple[Hashable, ...]
    simulator: int
    correlation: float
    changed: float
    p_value: float

    @property
    def mends(self) -> bool:
        """Whether means correlate strongly once the change is undone, and not before."""
        return self.correlation < WEAK and self.changed >= STRONG

    def is_same_change(self, other: "LabelDoubt") -> bool:
        """Return whether both are the same change, of whichever simulator."""
        return (self.change, self.blocks) == (other.change, other.blocks)

    def overlaps(self, other: "LabelDoubt") -> bool:
        """Whether both are about the same questions, in part."""
        alone = self.blocks and other.blocks
        return not alone or bool(set(self.blocks) & set(other.blocks))


def blocks_of(names: Sequence[str], clusters: Sequence[Hashable]) -> list[list[Block]]:
    """Return two ways to put questions into blocks: by their names, and by their clusters.

    The name of a block is what stands before a bar or a last number. The place in a cluster is the
    order of the last numbers.

    Examples:
        >>> from fidelity.comparison.labels import blocks_of
        >>> names = ["E1", "E2", "trust_12", "vote|north"]
        >>> by_name, by_cluster = blocks_of(names, ["a", "b", "a", "b"])
        >>> [tuple(block) for block in by_name]
        [('E', '1'), ('E', '2'), ('trust', '12'), ('vote', 'north')]
        >>> [tuple(block) for block in by_cluster]
        [('a', 0), ('b', 1), ('a', 1), ('b', 0)]
    """
    by_name = []
    for name in names:
        head, bar, place = name.partition("|")
        numbered = None if bar else NUMBERED.match(name)
        by_name.append(Block(*numbered.groups()) if numbered else Block(head, place))
    by_cluster = [Block("", 0)] * len(names)
    counted: dict[Hashable, int] = {}
    for j in sorted(range(len(names)), key=lambda j: _number(by_name[j].place)):
        by_cluster[j] = Block(clusters[j], counted.get(clusters[j], 0))
        counted[clusters[j]] = by_cluster[j].place + 1
    return [by_name, by_cluster]


def _number(place: object) -> int:
    return int(str(place)) if str(place).isdecimal() else -1


def doubtful_labels(
    people: ArrayLike, simulators: ArrayLike, blocks: Sequence[Sequence[Block]]
) -> list[LabelDoubt]:
    """Return the changes of labels that would mend a simulator, if any are beyond doubt.

    Means are replaced by their ranks, and ranks by their differences from the mean of their block,
    so that levels of blocks, which a simulator may get wrong, don't count. A change is told where
    the correlation of these is below .2 as labelled, is at least .5 once it is undone, and where
    the latter is significant (Student's t, Bonferroni over all changes, blocks and simulators
    tested) at level .005 for the study. The hypothesis is that a simulator's answers have nothing
    to do with people's within blocks: any order of a block's questions is as likely, or any order
    of the places of all blocks together (a place may mean the same in each block, as a year does),
    whichever leaves more to chance. So at most about 1 study in 200 is told by chance of simulators
    that are no better than chance; one that follows people is told far more rarely. One that is the
    opposite of people throughout is told: it looks the same as one with wrong labels.

    A change that one simulator proves is told of all that it would mend; where reversing all
    questions would mend the simulator, too, that is told in its place.

    A single question proves nothing: one that is reversed and one that a simulator gets wrong look
    the same. Blocks whose means go up and down alike show nothing when they are exchanged. A block
    needs 8 questions to be seen as reversed and 5 to be seen as exchanged, and all blocks together
    need 7 questions more than there are blocks.

    Args:
        people: the mean of people's answers to each question, (m,), on a scale that questions of a
            block share.
        simulators: the same of simulators, (S, m), NaN where one did not answer.
        blocks: one or more ways to put the m questions into blocks; see :func:`blocks_of`. Where
            none has two blocks or more, all questions are one.

    Returns:
        The surest change first; of changes of a simulator with a block in common only that.

    Raises:
        ValueError: shapes differ.

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison.labels import blocks_of, doubtful_labels
        >>> means = np.random.default_rng(0).uniform(1, 5, 20)
        >>> names = [f"{letter}{i}" for letter in "AC" for i in range(10)]
        >>> wrong = np.roll(means, 10)  # C's answers under the names of A, and A's under C's
        >>> (found,) = doubtful_labels(means, [wrong], blocks_of(names, names))
        >>> found.change, found.blocks, round(found.changed, 2)
        ('exchanged', ('A', 'C'), 1.0)
    """
    x = inputs.vector("people", people, MEANS)
    ys = inputs.table("simulators", simulators, MEANS, ("simulators", len(x)))
    tested = [
        doubt
        for way in _comparable(blocks)
        for s, y in enumerate(ys)
        for doubt in _Grid.of(x, y, way).tested(s)
    ]
    mending = [doubt for doubt in tested if doubt.mends]
    doubts: list[LabelDoubt] = []

    def is_told(doubt: LabelDoubt) -> bool:
        return any(other.simulator == doubt.simulator and doubt.overlaps(other) for other in doubts)

    for doubt in sorted(mending, key=lambda doubt: doubt.p_value):
        if doubt.p_value <= RATE / len(tested):
            largest = [
                other
                for other in mending
                if other.simulator == doubt.simulator and not other.blocks
            ]
            change = [*largest, doubt][0]
            if not is_told(change):
                for mended in filter(change.is_same_change, mending):
                    if not is_told(mended):
                        doubts.append(mended)
    return doubts


def _comparable(blocks: Sequence[Sequence[Block]]) -> list[Sequence[Block]]:
    """Return the ways to form blocks that say different things; all in one where there is none."""
    ways: dict[tuple[frozenset[int], ...], Sequence[Block]] = {}
    for way in blocks:
        members: dict[Hashable, list[int]] = {}
        for j, block in enumerate(way):
            members.setdefault(block.name, []).append(j)
        if 1 < len(members) <= MOST_BLOCKS and len(way) - len(members) >= FEWEST_REVERSED - 1:
            ways.setdefault(tuple(map(frozenset, members.values())), way)
    every = [Block("", j) for j in range(len(blocks[0]))]
    return list(ways.values()) or [every]


class _Grid(NamedTuple):
    """Ranks of means, centred within blocks: a row for each of b blocks, a column for each place.

    Attributes:
        names: of the blocks.
        x, y: of people's and a simulator's means, (b, s), 0 where there is no question.
        there: where there are questions, (b, s).
    """

    names: list[Hashable]
    x: FloatArray
    y: FloatArray
    there: BoolArray

    @classmethod
    def of(cls, x: FloatArray, y: FloatArray, way: Sequence[Block]) -> "_Grid":
        """Rank the questions that both answer."""
        answered = np.flatnonzero(~np.isnan(x + y)).tolist()
        names = list(dict.fromkeys(way[j].name for j in answered))
        places = list(dict.fromkeys(way[j].place for j in answered))
        row, column = ({key: i for i, key in enumerate(keys)} for keys in (names, places))
        at = (
            np.array([row[way[j].name] for j in answered], int),
            np.array([column[way[j].place] for j in answered], int),
        )
        there = np.zeros((len(names), len(places)), bool)
        there[at] = True
        grids = np.zeros((2, *there.shape))
        for grid, values in zip(grids, (x, y), strict=True):
            _, order, ties = np.unique(values[answered], return_inverse=True, return_counts=True)
            grid[at] = (np.cumsum(ties) - (ties - 1) / 2)[order]
            grid -= grid.sum(axis=1, keepdims=True) / np.maximum(there.sum(axis=1), 1)[:, None]
            grid[~there] = 0.0
        return cls(names, grids[0], grids[1], there)

    def tested(self, simulator: int) -> Iterator[LabelDoubt]:
        """Yield every change of a simulator's labels that can be tested."""
        sizes = self.there.sum(axis=1)
        every = np.arange(len(sizes))
        alone = every[sizes >= FEWEST_REVERSED] if len(every) > 1 else every[:0]
        for chosen in [every, *np.split(alone, len(alone) or 1)]:
            yield from self._doubt(REVERSED, simulator, chosen, chosen, -1)
        for i, j in combinations(every[sizes >= FEWEST_EXCHANGED], 2):
            if (self.there[i] == self.there[j]).all():
                pair = np.array([i, j])
                yield from self._doubt(EXCHANGED, simulator, pair, pair[::-1], 1)

    def _doubt(
        self, change: str, simulator: int, mine: IntArray, theirs: IntArray, sign: int
    ) -> Iterator[LabelDoubt]:
        """Yield what pairing blocks of people's with other ones of the simulator's changes."""
        x, y = self.x[mine], self.y[theirs]
        norm = (x * x).sum() * (y * y).sum()
        if norm == 0.0:
            return
        everything = change == REVERSED and len(mine) == len(self.names)
        blocks = () if everything else tuple(self.names[i] for i in mine)
        r = (x * self.y[mine]).sum() / np.sqrt(norm)
        changed = sign * (x * y).sum() / np.sqrt(norm)
        doubt = LabelDoubt(change, blocks, simulator, float(r), float(changed), 1.0)
        yield doubt._replace(p_value=self._chance(changed, x, y, mine)) if doubt.mends else doubt

    def _chance(self, correlation: float, x: FloatArray, y: FloatArray, blocks: IntArray) -> float:
        """Return the chance of so large a correlation of independent ranks, one-sided.

        Student's t with three degrees of freedom fewer than questions: with the usual two it is
        half of what an enumeration of 8 to 12 ranks gives at .005. The number of questions is that
        of the larger variance of the correlation: over orders of each block's questions, or over
        orders of the places of all blocks together. At least one order of each block fits.
        """
        sizes = self.there[blocks].sum(axis=1)
        squares = (x * x).sum(axis=1) * (y * y).sum(axis=1)
        orders = (squares / np.maximum(sizes - 1, 1)).sum()
        places = ((x @ x.T) * (y @ y.T)).sum() / max(x.shape[1] - 1, 1)
        variance = max(orders, places)
        freedom = 1.0 + (x * x).sum() * (y * y).sum() / variance - LOST
        if freedom <= 0.0:
            return 1.0
        below = max(1.0 - correlation**2, 1e-12)
        p = stdtr(freedom, -correlation * np.sqrt(freedom / below))
        return float(max(p, np.exp(-gammaln(sizes + 1.0).sum())))
