"""Tables of pairs of questions as scenarios, for discrepancies, sets, means, curves and comparison.

A pair with d_a and d_b options is a scenario with d_a·d_b options, cell (i, j) at i·d_b + j. The
same persons answer all pairs, and each run of a simulator does, too. Plug-in distances of tables
are far too large, the more cells and the fewer draws there are. So only functions of the library
that know of draws apply.

Two baselines tell whether the simulator's structure is worth anything:

- ``independent``: the simulator's own margins multiplied. It is made of draws, answers to a by one
  half of the runs beside answers to b by the other half. These are independent draws from the
  product, which answers in permuted columns are not; there are half as many of them.
- ``people_independent``: people's margins multiplied. A simulator must know nothing of those who
  judge it, so one half of people states the margins, and the other half judges; and the other way
  round.
"""

from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.means.average import (
    DiscrepancyInterval,
    average_bounds,
    discrepancy_bounds,
    mean_difference,
    mean_discrepancy,
    mean_interval,
)
from fidelity.responses import Answers, Responses, Simulator
from fidelity.structure.correlations import AnswerTable, all_pairs, at_most
from fidelity.structure.estimates import TooFewError

MOST_PAIRS, MOST_CELLS, MOST_CUBES = 2000, 400, 4e8


class PairFold(NamedTuple):
    """One half of people, who judge, and the margins of the other half multiplied."""

    people: Responses
    people_independent: Simulator


class PairTables(NamedTuple):
    """Pairs of questions as scenarios.

    Attributes:
        pairs: of columns, (P, 2), those with common answers on both sides.
        people: their answers, by person.
        simulator: its draws.
        independent: the simulator's margins multiplied.
        folds: both halves of people with the other half's margins. Average their bounds by
            :func:`fidelity.means.average_bounds`.
    """

    pairs: IntArray
    people: Responses
    simulator: Simulator
    independent: Simulator
    folds: tuple[PairFold, PairFold]


class PairDistances(NamedTuple):
    """How far tables of pairs of questions are from people's, by ``l2``.

    Attributes:
        simulator: the simulator's.
        independent: its margins multiplied.
        people_independent: people's margins multiplied.
        gain: the simulator's distance less that of its margins; below 0 where its structure helps.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import pair_distances, pair_tables
        >>> people, model = np.random.default_rng(0).integers(2, size=(2, 60, 3))
        >>> tables = pair_tables(people, model, generator=np.random.default_rng(1))
        >>> round(pair_distances(tables).simulator.upper, 3)
        0.011
    """

    simulator: DiscrepancyInterval
    independent: DiscrepancyInterval
    people_independent: DiscrepancyInterval
    gain: DiscrepancyInterval


def pair_distances(tables: PairTables, *, level: float = 0.95) -> PairDistances:
    """Return how far pairs of questions are from people's, and what independence would reach.

    Args:
        tables: as :func:`pair_tables` makes them.
        level: of each interval.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import pair_distances, pair_tables
        >>> first = np.random.default_rng(0).integers(2, size=(300, 1))
        >>> answers = np.repeat(first, 3, axis=1)  # all three questions are answered alike
        >>> tables = pair_tables(answers, answers[:200], generator=np.random.default_rng(1))
        >>> bool(pair_distances(tables).gain.ci_upper < 0.0)
        True
    """
    people = tables.people
    folds = [discrepancy_bounds(*fold, discrepancy="l2") for fold in tables.folds]
    alone = mean_interval(
        average_bounds(folds), level=level, respondents=np.zeros(len(tables.pairs))
    )
    of_simulator, of_margins = (
        mean_discrepancy(people, side, discrepancy="l2", level=level)
        for side in (tables.simulator, tables.independent)
    )
    gain = mean_difference(
        people, tables.simulator, tables.independent, discrepancy="l2", level=level
    )
    return PairDistances(of_simulator, of_margins, alone, gain)


def pair_tables(
    people: AnswerTable | ArrayLike,
    simulator: AnswerTable | ArrayLike,
    *,
    generator: np.random.Generator,
    most: int = MOST_PAIRS,
    persons: bool = True,
) -> PairTables:
    """Return the tables of all pairs of questions, as the library's functions take scenarios.

    Args:
        people, simulator: answers to the same questions, as :func:`associations`, (n, Q), (k, Q).
        generator: of the halves, and of the pairs that are drawn if there are too many.
        most: pairs; fewer where their tables have many cells, as time goes with the sum of cubes of
            these numbers, which is kept below 4e8. Tables of more than 400 cells are left out.
        persons: whether ``people`` has :class:`fidelity.Answers`, for
            :func:`fidelity.means.person_errors`. They take some 150 bytes for each answer of each
            person to each pair. Without them intervals are longer, never wrong.

    Raises:
        ValueError: if the questions differ.
        TooFewError: if no pair has common answers of four respondents on each side, in a table of
            at most 400 cells.

    Examples:
        >>> import numpy as np
        >>> from fidelity import mean_difference
        >>> from fidelity.structure import pair_tables
        >>> rng = np.random.default_rng(0)
        >>> people = rng.normal(size=(900, 1)) + rng.normal(size=(900, 4)) > 0
        >>> model = rng.normal(size=(600, 1)) + rng.normal(size=(600, 4)) > 0
        >>> found = pair_tables(people, model, generator=rng)
        >>> gain = mean_difference(
        ...     found.people, found.simulator, found.independent, discrepancy="l2"
        ... )
        >>> print(f"{gain.ci_lower:.3f} to {gain.ci_upper:.3f}")  # its structure helps
        -0.046 to -0.002
    """
    tables = AnswerTable.of(people, "people"), AnswerTable.of(simulator, "simulator")
    tables[0].check_same_questions(tables[1])
    inputs.generator("generator", generator)
    most = inputs.whole("most", most, 1)
    codes = [_Codes.of(*coded) for coded in zip(tables, _coded(tables), strict=True)]
    runs = codes[1]
    halves = [_halves(side.codes, generator) for side in codes]
    pairs = _known_pairs(codes, halves, all_pairs(len(runs.options)))
    most = min(most, int(MOST_CUBES / (_cells(runs.options, pairs) ** 3).mean()))
    pairs = at_most(pairs, most, generator)
    parts = [codes[0].part(half) for half in halves[0]]
    folds = [
        PairFold(judges.responses(pairs, persons), Simulator(others.product(pairs)))
        for judges, others in (parts, parts[::-1])
    ]
    counts, crossed = runs.tables(pairs)[0], runs.crossed(pairs, halves[1])
    return PairTables(
        pairs,
        codes[0].responses(pairs, persons),
        _drawn(counts),
        _drawn(crossed),
        (folds[0], folds[1]),
    )


def _drawn(counts: FloatArray) -> Simulator:
    draws = np.nansum(counts, axis=1)
    return Simulator(counts / draws[:, None], draws=draws, runs=np.zeros(len(draws)))


def _coded(tables: tuple[AnswerTable, AnswerTable]) -> list[tuple[IntArray, IntArray]]:
    """Return each side's answers as places among all given, -1 if missing; and their numbers."""
    places = [np.full(table.values.shape, -1) for table in tables]
    sizes = np.zeros(tables[0].values.shape[1], int)
    for j in range(len(sizes)):
        columns = [table.values[:, j] for table in tables]
        seen = np.unique(np.concatenate(columns))
        seen = seen[~np.isnan(seen)]
        sizes[j] = max(len(seen), 2)
        for place, column in zip(places, columns, strict=True):
            there = ~np.isnan(column)
            place[there, j] = np.searchsorted(seen, column[there])
    return [(place, sizes) for place in places]


def _halves(codes: IntArray, generator: np.random.Generator) -> list[IntArray]:
    order = generator.permutation(len(codes))
    return [order[: len(order) // 2], order[len(order) // 2 :]]


def _known_pairs(sides: list["_Codes"], halves: list[list[IntArray]], pairs: IntArray) -> IntArray:
    """Return the pairs that somebody answered in each half of each side."""
    a, b = pairs.T
    there = _cells(sides[0].options, pairs) <= MOST_CELLS
    for side, parts in zip(sides, halves, strict=True):
        for part in parts:
            answered = (side.codes[part] >= 0).astype(float)
            there &= (answered.T @ answered)[a, b] >= 2.0
    if not there.any():
        raise TooFewError(
            "no pair of questions has common answers of four respondents on each side, and at most "
            f"{MOST_CELLS} pairs of options"
        )
    return pairs[there]


def _cells(options: IntArray, pairs: IntArray) -> FloatArray:
    """Return how many cells the table of each pair has."""
    return options[pairs].astype(float).prod(1)


class _Codes(NamedTuple):
    """One side's answers as places among the options, -1 where missing.

    Attributes:
        codes: (n, Q).
        weights: (n,).
        options: how many each question has, (Q,).
    """

    codes: IntArray
    weights: FloatArray
    options: IntArray

    @classmethod
    def of(cls, table: AnswerTable, coded: tuple[IntArray, IntArray]) -> "_Codes":
        """Take the weights of a table."""
        return cls(coded[0], table.weights, coded[1])

    def part(self, rows: IntArray) -> "_Codes":
        """Return some respondents."""
        return self._replace(codes=self.codes[rows], weights=self.weights[rows])

    def cells(self, pair: IntArray) -> tuple[IntArray, IntArray]:
        """Return who answered both questions of a pair, and each one's cell."""
        a, b = self.codes[:, pair].T
        who = np.flatnonzero((a >= 0) & (b >= 0))
        return who, a[who] * self.options[pair[1]] + b[who]

    def empty(self, pairs: IntArray) -> FloatArray:
        """Return a table of zeros, (P, D), NaN where a pair has no such cell."""
        sizes = self.options[pairs].prod(1)
        return np.where(np.arange(sizes.max()) < sizes[:, None], 0.0, np.nan)

    def tables(self, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return sums of weights, and of their squares, (P, D) each."""
        counts, squares = self.empty(pairs), self.empty(pairs)
        for row, pair in enumerate(pairs):
            who, cell = self.cells(pair)
            size = int(self.options[pair].prod())
            counts[row, :size] = np.bincount(cell, self.weights[who], size)
            squares[row, :size] = np.bincount(cell, self.weights[who] ** 2, size)
        return counts, squares

    def responses(self, pairs: IntArray, persons: bool) -> Responses:
        """Return them as people's responses."""
        counts, squares = self.tables(pairs)
        equal = bool((self.weights == self.weights[0]).all())
        answers = self._answers(pairs) if persons else None
        together = np.zeros(len(pairs))
        if equal:
            return Responses(np.rint(counts), respondents=together, answers=answers)
        kish = np.nansum(counts, axis=1) ** 2 / np.nansum(squares, axis=1)
        return Responses(counts, sizes=kish, squares=squares, respondents=together, answers=answers)

    def _answers(self, pairs: IntArray) -> Answers:
        parts = [self.cells(pair) for pair in pairs]
        person = np.concatenate([who for who, _ in parts])
        option = np.concatenate([cell for _, cell in parts])
        scenario = np.repeat(np.arange(len(parts)), [len(who) for who, _ in parts])
        return Answers(person, scenario, option, self.weights[person])

    def crossed(self, pairs: IntArray, halves: list[IntArray]) -> FloatArray:
        """Return counts of answers to a by one half beside those to b by the other, (P, D)."""
        one, two = ([column[column >= 0] for column in self.codes[half].T] for half in halves)
        counts = self.empty(pairs)
        for row, (a, b) in enumerate(pairs.tolist()):
            many = min(len(one[a]), len(two[b]))
            cell = one[a][:many] * self.options[b] + two[b][:many]
            size = int(self.options[a] * self.options[b])
            counts[row, :size] = np.bincount(cell, minlength=size)
        return counts

    def product(self, pairs: IntArray) -> FloatArray:
        """Return the margins multiplied, (P, D)."""
        margins = []
        for column, size in zip(self.codes.T, self.options, strict=True):
            there = column >= 0
            share = np.bincount(column[there], self.weights[there], size)
            margins.append(share / share.sum())
        joint = self.empty(pairs)
        for row, (a, b) in enumerate(pairs.tolist()):
            cells = np.outer(margins[a], margins[b]).ravel()
            joint[row, : len(cells)] = cells
        return joint
