"""Unanswered questions: how many, and how much their answers could change a discrepancy.

With a share φ of a scenario's questions unanswered, the shares of all answers would have been
q' = (1 - φ) q + φ r, with any r. The discrepancies here are convex in both arguments, and their
1/root-th power D = L^(1/root) is a metric. So for any p of people,

- L(p, q') is at most its largest value F(p) over r, at an r with a single option; F is convex,
- L(p, q') ≤ (1 - φ) L(p, q) + φ·largest,
- D(p, q') and D(p, q) differ by at most shift = max over r of D(q, q'), again at a single option.

The mean of L over scenarios, to the power 1/root, moves by at most the mean of shift^root to the
same power (Minkowski's inequality).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.inputs import scales
from fidelity.resampling import smoothed
from fidelity_study.steps.arrays import cell_slices, codes, first_replicate, numbers
from fidelity_study.steps.draws import STATED_FORM


@dataclass(frozen=True)
class Options:
    """The possible answers in each of m scenarios.

    Attributes:
        exists: which options there are, (m, d).
        scores: of the options, NaN where there is none, (m, d), or None.
        limits: smallest and largest answer where any number between can be given, (m, 2), or None.
        is_open: whether an answer may be any number.
    """

    exists: np.ndarray
    scores: np.ndarray | None
    limits: np.ndarray | None
    is_open: bool

    @classmethod
    def of(cls, scenarios: pa.Table) -> "Options":
        """Take over the table's columns."""
        scores, kinds = scenarios["score"].to_pylist(), set(scenarios["kind"].to_pylist())
        limits = np.stack([numbers(scenarios[name]) for name in ("lower", "upper")], 1)
        return cls(
            ~np.isnan(padded(scenarios["value"].to_pylist())),
            None if None in scores else padded(scores),
            limits if "bounded" in kinds else None,
            "real" in kinds,
        )


@dataclass(frozen=True)
class Answered:
    """A simulator's answers in the scenarios at ``rows``, positions among all scenarios.

    Attributes:
        simulator: its name.
        k: how many draws, as in tables.
        rows: positions of the scenarios, (N,).
        q: shares or stated probabilities, NaN where there is no such option, (N, d).
        draws: how many draws each scenario has, (N,); NaN if it states probabilities.
        unanswered: the share of each scenario's questions that it left open, (m,): of all.
    """

    simulator: str
    k: str
    rows: np.ndarray
    q: np.ndarray
    draws: np.ndarray
    unanswered: np.ndarray

    @property
    def most(self) -> float:
        """How many draws there are; infinitely many if it states probabilities."""
        return np.inf if self.k == STATED_FORM else float(self.k)

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Return the positions of the scenarios ``rows`` among those that it answers."""
        order = np.argsort(self.rows)
        position: np.ndarray = order[np.searchsorted(self.rows, rows, sorter=order)]
        return position

    def is_smoothed(self, discrepancy: str, wanted: list[str]) -> bool:
        """Return whether a discrepancy is of smoothed answers: if wanted, and there are draws."""
        return self.k != STATED_FORM and discrepancy in wanted

    def measured(self, is_smoothed: bool) -> np.ndarray:
        """Return the shares that are compared with people's, (N, d)."""
        return smoothed(self.q, self.draws) if is_smoothed else self.q


@dataclass(frozen=True)
class Effect:
    """The possible effect of unanswered questions on one simulator's discrepancies.

    Attributes:
        own: its answers.
        q: the shares that are compared with people's, (N, d).
        discrepancy: its name.
        options: of all m scenarios.
    """

    own: Answered
    q: np.ndarray
    discrepancy: str
    options: Options

    @property
    def measure(self) -> Discrepancy:
        """The discrepancy."""
        return DISCREPANCIES[self.discrepancy]

    @property
    def unanswered(self) -> np.ndarray:
        """The share of unanswered questions in each scenario that it answers, (N,)."""
        return self.own.unanswered[self.own.rows]

    @cached_property
    def nowhere(self) -> np.ndarray:
        """Positions of the scenarios where it was asked and gave no answer at all, (U,)."""
        return np.setdiff1d(np.flatnonzero(self.own.unanswered == 1.0), self.own.rows)

    @cached_property
    def rows(self) -> np.ndarray:
        """Positions of all scenarios in which it was asked, those without an answer last, (A,)."""
        return np.append(self.own.rows, self.nowhere)

    @property
    def is_none(self) -> bool:
        """Whether all questions were answered, so that nothing can change."""
        return not (self.unanswered.any() or len(self.nowhere))

    @property
    def is_bounded(self) -> bool:
        """Whether it is known how much the discrepancies can change."""
        return self.measure.metric_root is not None and not self.options.is_open

    @property
    def root(self) -> int:
        """The root of the discrepancy that is a metric; only where one is known."""
        assert self.measure.metric_root is not None
        return self.measure.metric_root

    @cached_property
    def shift(self) -> np.ndarray:
        """The largest possible change of the metric in each scenario that it answers, (N,)."""
        shift: np.ndarray = self.farthest(self.q, np.arange(len(self.q))) ** (1.0 / self.root)
        return shift

    @cached_property
    def largest(self) -> np.ndarray:
        """The largest possible discrepancy in each scenario, (m,)."""
        largest = np.empty(len(self.options.exists))
        for rows, _, scores, single in self._ways(np.arange(len(largest))):
            one, two = np.divmod(np.arange(len(single) ** 2), len(single))
            largest[rows] = self.measure.between(single[one], single[two], scores).max()
        return largest

    def farthest(self, p: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return F(p), the largest possible discrepancy for any answers left out, (S,).

        Args:
            p: people's shares, (S, d).
            of: the position among ``rows`` of each share's scenario, (S,).
        """
        farthest = np.zeros(len(at))
        u = self.own.unanswered[self.rows[at], None]
        given = np.zeros((len(self.rows), p.shape[1]))
        given[: len(self.q)] = self.q
        q = given[at]
        for rows, there, scores, single in self._ways(self.rows[at]):
            pad = ((0, 0), (0, single.shape[1] - len(there)))
            p_own, q_own = (np.pad(shares[np.ix_(rows, there)], pad) for shares in (p, q))
            for r in single:
                against = (1.0 - u[rows]) * q_own + u[rows] * r
                far = self.measure.between(p_own, against, scores)
                farthest[rows] = np.maximum(farthest[rows], far)
        return farthest

    def raised(self, upper: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Return upper bounds that allow for unanswered questions, from bounds that do not.

        Args:
            upper: several bounds for each of some scenarios, (S, G).
            of: the position of each scenario among those that it answers, (S,).
        """
        shift, u = self.shift[at, None], self.unanswered[at, None]
        largest = self.largest[self.own.rows[at], None]
        by_metric = (upper ** (1.0 / self.root) + shift) ** self.root
        by_convexity = (1.0 - u) * upper + u * largest
        moved = np.minimum(np.minimum(by_metric, by_convexity), largest)
        return np.where(u > 0.0, moved, upper)

    def lowered(self, mean: float) -> float:
        """Return a lower bound on the mean over all scenarios asked, allowing for unanswered ones.

        ``mean`` is a lower bound, at least 0, on the mean over the scenarios that it answers.
        """
        moved = (self.shift**self.root).mean() ** (1.0 / self.root)
        least = max(mean ** (1.0 / self.root) - moved, 0.0) ** self.root
        return float(least * len(self.own.rows) / len(self.rows))

    def _ways(self, at: np.ndarray) -> Iterator[tuple]:
        """Yield scenarios with one way to answer: places among ``at``, options, scores, and each r.

        An r is a row: a single option. Where any number in a range can be given, the two ends of
        the
        range are further options, and the farthest ones.
        """
        options = self.options
        scores = None if options.scores is None else options.scores[at]
        for rows, there, values in scales(options.exists[at], scores):
            d = len(there)
            values = self.measure.checked_scores(values, d)
            single = np.eye(d)
            if options.limits is not None:
                assert values is not None
                limits = options.limits[at[rows]]
                values = np.append(values, [limits[:, 0].min(), limits[:, 1].max()])
                single = np.eye(d + 2)[d:]
            yield rows, there, values, single


def padded(lists: list[list[float]]) -> np.ndarray:
    """Return lists as the rows of an array, NaN after the end of the shorter ones."""
    table = np.full((len(lists), max(map(len, lists), default=0)), np.nan)
    for row, values in zip(table, lists, strict=True):
        row[: len(values)] = values
    return table


def answered(
    simulated: pa.Table,
    names: list[str],
    options: int,
    unanswered: dict[str, np.ndarray] | None = None,
) -> list[Answered]:
    """Return each simulator's answers at each number of draws, of the first replicate."""
    lost, simulators = unanswered or {}, []
    ordered, cells = cell_slices(first_replicate(simulated), ["simulator", "k"])
    for cell, at in cells:
        part = ordered.slice(at.start, at.stop - at.start)
        rows = codes(part["scenario"], names)
        q = np.full((len(rows), options), np.nan)
        share = padded(part["share"].to_pylist())
        q[:, : share.shape[1]] = share
        missing = lost.get(cell["simulator"], np.zeros(len(names)))
        form = cell["simulator"], cell["k"]
        simulators.append(Answered(*form, rows, q, numbers(part["k_j"]), missing))
    return simulators


def fullest(given: Iterable[Answered]) -> list[Answered]:
    """Return each simulator's best answers: stated probabilities, else the most draws."""
    forms: dict[str, list[Answered]] = {}
    for answers in given:
        forms.setdefault(answers.simulator, []).append(answers)
    return [max(several, key=lambda answers: answers.most) for several in forms.values()]


def unanswered(table: pa.Table, names: list[str]) -> dict[str, np.ndarray]:
    """Return each source's share of unanswered questions by scenario, (m,); 0 where none were."""
    shares = {}
    ordered, cells = cell_slices(table, ["source"])
    asked, gave = numbers(ordered["asked"]), numbers(ordered["answered"])
    place = codes(ordered["scenario"], names)
    for cell, at in cells:
        share = np.zeros(len(names))
        share[place[at]] = 1.0 - gave[at] / asked[at]
        shares[cell["source"]] = share
    return shares
