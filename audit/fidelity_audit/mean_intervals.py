"""Intervals of means and of differences, in 300 kinds of study with known truth.

A kind of study, a :class:`Cell`, takes one level of each of nine factors: what is estimated, the
discrepancy, how many questions, people and draws, whether the same people answer all questions, how
near the simulator is to people, what their answers and the options' scores are. Not all
combinations fit into 300 cells: :func:`cells` takes those in which all levels of a factor, and all
pairs of levels of two factors, are about equally frequent.

The questions of a cell and people's shares are fixed: an interval for *these* questions has to
cover their mean whatever they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import ndtr
from synthetic.populations import dirichlet

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means import (
    difference_bounds,
    discrepancy_bounds,
    mean_difference,
    mean_discrepancy,
    mean_interval,
    person_errors,
)
from fidelity.means.average import DiscrepancyInterval, possible
from fidelity.pseudo_discrepancies import between
from fidelity.responses import Answers, Responses, Simulator
from fidelity_audit.rejection import (
    Decision,
    HypothesisTest,
    Studies,
    StudyPopulation,
    conservatively,
)

CELLS, DESIGNS_TRIED, SEED = 300, 200, 20_250
MEAN, DIFFERENCE = "mean", "difference"
OWN, SAME, KNOWN = "own", "same", "known"
EQUAL, NEAR, FAR, ALIKE = "equal", "near", "far", "alike"
CONVEX = [name for name, measure in DISCREPANCIES.items() if not measure.is_parameter]
FACTORS: dict[str, tuple] = {
    "estimand": (MEAN, DIFFERENCE),
    "discrepancy": tuple(sorted(CONVEX)),
    "m": (1, 3, 30, 300),
    "n": (20, 50, 200, 1000),
    "draws": (0, 3, 20, 200),
    "people": (OWN, SAME, KNOWN),
    "distance": (EQUAL, NEAR, FAR, ALIKE),
    "shares": ("two", "five", "rare of two", "rare of five"),
    "scores": ("even", "uneven", "thirds"),
}
AUDITED = (2, 14, 64, 81, 113, 133, 171, 234, 266, 269, 284, 287, 290)
STUDIES = 400
MOST_KNOWN = {"m": 30, "n": 200}
CORRELATION, ROUNDING = 0.5, 1e-12
RARE = {2: (0.98, 0.02), 5: (0.93, 0.03, 0.02, 0.015, 0.005)}
SCORES = {
    "even": {2: (-1.0, 1.0), 5: (-1.0, -0.5, 0.0, 0.5, 1.0)},
    "uneven": {2: (0.0, 1.0), 5: (0.0, 0.01, 0.1, 0.5, 1.0)},
    "thirds": {2: (-1 / 3, 1 / 3), 5: (-1.0, -2 / 3, -1 / 3, 1 / 3, 1.0)},
}


@dataclass(frozen=True)
class Cell:
    """A kind of study.

    Attributes:
        estimand: the mean discrepancy of one simulator, or the difference of two.
        discrepancy: its name.
        m, n: questions, people who answer each.
        draws: answers that the simulator gives to each question; 0 if it states probabilities.
        people: ``own`` for each question; the ``same`` ones for all, who answer alike wherever they
            can; the same ones, ``known`` by person, whose answers correlate.
        distance: the simulator is ``equal`` to people, about one standard error of people's shares
            ``near``, or ``far``; two simulators lie on both sides of people, or are ``alike``.
        shares: how many options there are, and whether most people choose one of them.
        scores: of the options.
    """

    estimand: str
    discrepancy: str
    m: int
    n: int
    draws: int
    people: str
    distance: str
    shares: str
    scores: str


@dataclass(frozen=True)
class Population:
    """The questions of a cell: shares of people and of two simulators, (m, d), and scores, (d,)."""

    p: np.ndarray
    q: np.ndarray
    other: np.ndarray
    scores: np.ndarray


@cache
def cells() -> list[Cell]:
    """Return the 300 cells: of 200 random balanced designs the one with the most equal pairs."""
    generator = np.random.default_rng(SEED)
    designs = [_balanced(generator) for _ in range(DESIGNS_TRIED)]
    best = min(designs, key=_imbalance)
    return [
        _possible(Cell(*(levels[i] for levels, i in zip(FACTORS.values(), row, strict=True))))
        for row in best
    ]


def _balanced(generator: Generator) -> np.ndarray:
    """Return levels by number, (cells, factors), each equally often."""
    columns = [np.resize(np.arange(len(levels)), CELLS) for levels in FACTORS.values()]
    return np.stack([generator.permutation(column) for column in columns], 1)


def _imbalance(design: np.ndarray) -> float:
    """Return the chi-squared distance of pairs of levels from equal frequencies, summed."""
    sizes = [len(levels) for levels in FACTORS.values()]
    total = 0.0
    for a, b in combinations(range(len(sizes)), 2):
        pairs = np.bincount(design[:, a] * sizes[b] + design[:, b], minlength=sizes[a] * sizes[b])
        total += float(((pairs - pairs.mean()) ** 2).sum() / pairs.mean())
    return total


def _possible(cell: Cell) -> Cell:
    """Return the cell without what is not offered, or takes too long to simulate."""
    if not DISCREPANCIES[cell.discrepancy].is_symmetric:
        cell = replace(cell, draws=0)
    if cell.people == KNOWN:
        cell = replace(cell, m=min(cell.m, MOST_KNOWN["m"]), n=min(cell.n, MOST_KNOWN["n"]))
    if cell.distance == ALIKE and (cell.estimand == MEAN or not cell.draws):
        cell = replace(cell, distance=NEAR)
    return cell


def population(cell: Cell, generator: Generator) -> Population:
    """Return the questions of a cell."""
    d = 2 if cell.shares.endswith("two") else 5
    scores = np.array(SCORES[cell.scores][d])
    p = dirichlet(np.full((cell.m, d), 2.0), generator)
    if cell.shares.startswith("rare"):
        p = dirichlet(200.0 * np.array(RARE[d]) * np.ones((cell.m, d)) + 0.2, generator)
    towards = generator.standard_normal((cell.m, d))
    if cell.distance == FAR:
        first, second = (dirichlet(8.0 * p + 0.5, generator) for _ in range(2))
    else:
        one_error = np.minimum(1.0, (cell.n * p) ** -0.5)
        first, second = (_shares(p * np.exp(side * one_error * towards)) for side in (1.0, -1.0))
    if cell.distance == EQUAL:
        first = p
    return Population(p, first, first if cell.distance == ALIKE else second, scores)


def _shares(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum(-1, keepdims=True)


def truth(cell: Cell, questions: Population) -> float:
    """Return the mean, or the mean difference, of the questions of a cell."""
    how = _how(cell, questions)
    mean = between(questions.p, questions.q, **how).mean()
    if cell.estimand == DIFFERENCE:
        mean -= between(questions.p, questions.other, **how).mean()
    return float(mean)


def _how(cell: Cell, questions: Population) -> dict[str, Any]:
    needs = DISCREPANCIES[cell.discrepancy].needs_scores
    return {"discrepancy": cell.discrepancy, "scores": questions.scores if needs else None}


def intervals(
    cell: Cell, questions: Population, studies: int, generator: Generator
) -> Iterator[DiscrepancyInterval]:
    """Yield the interval of each of many simulated studies."""
    for _ in range(studies):
        answers = _answers(cell, questions.p, generator)
        counts, persons = answers if cell.people == KNOWN else (answers, {})
        every = [questions.q] + ([questions.other] if cell.estimand == DIFFERENCE else [])
        draws = np.full(cell.m, cell.draws) if cell.draws else None
        simulators = [Simulator(_stated(cell, q, generator), draws=draws) for q in every]
        people = Responses(
            counts,
            scores=_how(cell, questions)["scores"],
            respondents=np.zeros(cell.m) if cell.people == SAME else None,
            answers=Answers(**persons) if persons else None,
        )
        yield _interval(cell, people, simulators)


def _interval(cell: Cell, people: Responses, simulators: list[Simulator]) -> DiscrepancyInterval:
    if people.answers is None:
        mean = mean_discrepancy if cell.estimand == MEAN else mean_difference
        return mean(people, *simulators, discrepancy=cell.discrepancy)
    errors = person_errors(people, *simulators, discrepancy=cell.discrepancy)
    bounds_of = discrepancy_bounds if cell.estimand == MEAN else difference_bounds
    bounds = bounds_of(people, *simulators, discrepancy=cell.discrepancy)
    interval = mean_interval(bounds, errors=errors, respondents=np.zeros(cell.m))
    return possible(interval, bounds) if cell.estimand == MEAN else interval


def _stated(cell: Cell, q: np.ndarray, generator: Generator) -> np.ndarray:
    return generator.multinomial(cell.draws, q) / cell.draws if cell.draws else q


def _answers(cell: Cell, p: np.ndarray, generator: Generator):
    """Return people's counts, (m, d); with the persons behind them where they are known."""
    if cell.people == OWN:
        return generator.multinomial(cell.n, p).astype(float)
    limits = p.cumsum(1)[:, :-1]
    if cell.people == SAME:
        rank = np.sort(generator.random(cell.n))
        below = np.searchsorted(rank, limits, side="right")
        return np.diff(below, axis=1, prepend=0, append=cell.n).astype(float)
    common = np.sqrt(CORRELATION) * generator.standard_normal((cell.n, 1))
    rest = np.sqrt(1.0 - CORRELATION) * generator.standard_normal((cell.n, cell.m))
    option = (ndtr(common + rest)[:, :, None] > limits).sum(2).ravel()
    person, scenario = np.divmod(np.arange(cell.n * cell.m), cell.m)
    counts = np.bincount(scenario * p.shape[1] + option, minlength=p.size).reshape(p.shape)
    return counts.astype(float), {"person": person, "scenario": scenario, "option": option}


@dataclass(frozen=True)
class Coverage:
    """How often the intervals of a cell are printed, hold, and how wide they are.

    Attributes:
        studies: simulated.
        printed: the share of studies in which an interval was printed.
        below, above: the share of these in which the truth lies below, or above, it.
        width: their median width.
    """

    studies: int
    printed: float
    below: float
    above: float
    width: float

    @property
    def covered(self) -> float:
        """The share of printed intervals that hold."""
        return 1.0 - self.below - self.above


def coverage(cell: Cell, studies: int, seed: int = 0) -> Coverage:
    """Return the coverage of a cell's intervals, from studies simulated by a seed."""
    generator = np.random.default_rng([seed, *_number(cell)])
    questions = population(cell, generator)
    ends = _ends(cell, questions, studies, generator)
    lower, upper = ends[np.isfinite(ends).all(1)].T
    below, above = _beside(lower, upper, truth(cell, questions))
    return Coverage(
        studies, len(lower) / studies, below.mean(), above.mean(), np.median(upper - lower)
    )


def _ends(cell: Cell, questions: Population, studies: int, generator: Generator) -> np.ndarray:
    """Return both ends of each study's interval, (S, 2)."""
    of_studies = intervals(cell, questions, studies, generator)
    return np.array([(interval.ci_lower, interval.ci_upper) for interval in of_studies])


def _beside(lower: np.ndarray, upper: np.ndarray, true: np.ndarray | float):
    """Return whether the truth lies below, and whether it lies above, each interval."""
    return true < lower - ROUNDING, true > upper + ROUNDING


def _truth(cell: Cell, studies: int, effect: float, generator: Generator) -> Studies:
    """Return the truth, once for each study, (S,)."""
    return (np.full(studies, truth(cell, _questions(cell))),)


def _rejects(cell: Cell, data: Studies, generator: Generator) -> np.ndarray:
    (true,) = data
    lower, upper = _ends(cell, _questions(cell), len(true), generator).T
    below, above = _beside(lower, upper, true)
    return below | above


def _questions(cell: Cell) -> Population:
    return population(cell, np.random.default_rng(_number(cell)))


def _number(cell: Cell) -> list[int]:
    """Return the levels of a cell by number."""
    return [FACTORS[field.name].index(getattr(cell, field.name)) for field in fields(cell)]


def tests() -> Iterator[HypothesisTest]:
    """Yield the intervals of cells in which jackknife errors alone do not hold."""
    for number in AUDITED:
        cell = cells()[number]
        draws = f"{cell.draws} draws" if cell.draws else "stated"
        about = StudyPopulation(
            f"the {cell.estimand} of these questions lies in its interval",
            f"{cell.m} x {cell.n} people, {draws}",
            "",
            partial(_truth, cell),
        )
        title = f"{cell.estimand}, {cell.discrepancy}, {cell.shares}, {cell.distance}"
        decision = Decision(mean_interval, partial(_rejects, cell))
        yield conservatively(f"interval_{number}", title, about, decision, studies=STUDIES)
