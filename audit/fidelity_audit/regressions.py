"""Coverage of the intervals of :mod:`fidelity.regression`, in populations whose truth is known.

People and a simulator answer one question; covariates are numbers, a factor, and a level that few
have. Persons are others on both sides or the same, personas answer once or five times, and people
are drawn evenly, with unequal weights, or in PSUs. The table of all cells, and status 1 where an
interval holds too rarely:

    python -m fidelity_audit.regressions 1000
"""

import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import logit, ndtr, stdtrit
from scipy.stats import chi2

from fidelity.regression import (
    Covariates,
    Slopes,
    average_marginal_effects,
    compare_slopes,
    linear_slopes,
)
from fidelity.regression.comparison import (
    ONLY_PEOPLE,
    ONLY_SIMULATOR,
    OPEN,
    OPPOSITE,
    SAME,
    WITHIN,
    Both,
    RegressionComparison,
    paired,
)
from fidelity.regression.covariates import Scaled
from fidelity.regression.logit import averages
from fidelity.stream import stream
from fidelity.structure.estimates import Interval
from fidelity_audit.effects import printed

LEVEL, LEAST, LIMIT = 0.95, 0.93, 0.1
IN_PSU, ALIKE, TOGETHER = 10, 0.1, 0.5
PLAIN, DRAWS, WEIGHTS, PSUS = DESIGNS = ("plain", "draws", "weights", "psus")
NAMES = ["age", "income", "trust", "north", "south", "west", "woman", "rare"]
TERMS = [*NAMES[:3], *["region"] * 3, *NAMES[6:]]
SOME = {1: [7], 3: [0, 6, 7], 8: list(range(8))}
PEOPLE = np.array([0.3, 0.15, 0.0, 0.2, -0.2, 0.1, 0.25, 0.4])
SIMULATOR = np.array([0.2, 0.2, 0.1, 0.2, -0.1, 0.0, -0.1, 0.2])
RATES = (0.05, 0.1)
MANY = 200_000


class Cell(NamedTuple):
    """A kind of study.

    Attributes:
        n: persons on each side.
        slopes: how many.
        same: whether persons are the same on both sides.
        design: ``draws``, five for each persona; ``weights`` of 1 and 5; ``psus`` of 10 people.
        logit: whether answers are 0 or 1, and the slopes average marginal effects.
    """

    n: int
    slopes: int
    same: bool
    design: str
    logit: bool = False


CELLS = tuple(
    Cell(n, slopes, same, DESIGNS[(i + j + same) % len(DESIGNS)])
    for i, n in enumerate((60, 200, 600, 2000))
    for j, slopes in enumerate((1, 3, 8))
    for same in (False, True)
)
LOGITS = tuple(
    Cell(n, slopes, False, design, True)
    for n, slopes, design in ((200, 3, PLAIN), (600, 8, WEIGHTS), (2000, 8, PSUS), (600, 3, DRAWS))
)


def facts(cell: Cell, generator: Generator, n: int | None = None) -> np.ndarray:
    """Return facts about persons, (n, J); at least three of them have the rare level."""
    n = cell.n if n is None else n
    common, *alone = generator.normal(size=(4, n))
    numbers = [0.6 * common + 0.8 * part for part in alone]
    region = generator.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    woman = generator.random(n) < 0.5
    rare = np.arange(n) < max(3, round(n * RATES[cell.slopes == 8]))
    columns = [
        *numbers,
        *(region == level for level in (1, 2, 3)),
        woman,
        generator.permutation(rare),
    ]
    return np.stack(columns, 1).astype(float)[:, SOME[cell.slopes]]


def covariates(cell: Cell, columns: np.ndarray, **how: object) -> Covariates:
    """Return facts with their names and terms."""
    names, terms = ([words[j] for j in SOME[cell.slopes]] for words in (NAMES, TERMS))
    return Covariates(columns, names=names, terms=terms, **how)  # type: ignore[arg-type]


def errors(cell: Cell, generator: Generator, psu: np.ndarray) -> list[np.ndarray]:
    """Return normal errors of people, (n, 1), and of the simulator's draws, (n, draws)."""
    n, draws = cell.n, 5 if cell.design == DRAWS else 1
    persona, common = generator.normal(size=(2, n, 1))
    sides = [
        common if cell.same else generator.normal(size=(n, 1)),
        np.sqrt(TOGETHER) * common + np.sqrt(1.0 - TOGETHER) * persona if cell.same else persona,
    ]
    if draws > 1:
        alone = generator.normal(size=(n, draws))
        sides[1] = np.sqrt(TOGETHER) * sides[1] + np.sqrt(1.0 - TOGETHER) * alone
    if cell.design == PSUS:
        several = generator.normal(size=(2, int(psu.max()) + 1, 1))
        for side, effects in enumerate(several if not cell.same else several[[0, 0]]):
            sides[side] = np.sqrt(1.0 - ALIKE) * sides[side] + np.sqrt(ALIKE) * effects[psu]
    return sides


def answers(cell: Cell, eta: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Return scores with skew errors of variance 1, or whether persons say yes, (n, draws)."""
    if cell.logit:
        return (eta[:, None] + logit(ndtr(normal)) > 0.0).astype(float)
    skew: np.ndarray = eta[:, None] + (chi2.ppf(ndtr(normal), 8.0) - 8.0) / 4.0
    return skew


def study(cell: Cell, generator: Generator) -> tuple[Slopes, Slopes, Covariates]:
    """Return the slopes of both sides of a study, and people's facts."""
    psu = np.arange(cell.n) // IN_PSU
    columns = [facts(cell, generator)]
    columns.append(columns[0] if cell.same else facts(cell, generator))
    beta, gamma = (side[SOME[cell.slopes]] for side in (PEOPLE, SIMULATOR))
    normal = errors(cell, generator, psu)
    y, z = (
        answers(cell, x @ slopes, error)
        for x, slopes, error in zip(columns, (beta, gamma), normal, strict=True)
    )
    weights = generator.choice([1.0, 5.0], cell.n) if cell.design == WEIGHTS else None
    how = {"weights": weights, "clusters": psu if cell.design == PSUS else None}
    people = covariates(cell, columns[0], **how)
    simulated = people if cell.same else covariates(cell, columns[1])
    if cell.same:
        z = z.mean(1, keepdims=True)
    elif z.shape[1] > 1:
        persona = np.repeat(np.arange(cell.n), z.shape[1])
        simulated = covariates(cell, columns[1][persona], clusters=persona)
    if cell.logit:
        return (
            average_marginal_effects(people, y[:, 0]),
            average_marginal_effects(simulated, z.ravel(), over=people),
            people,
        )
    return linear_slopes(people, y[:, 0]), linear_slopes(simulated, z.ravel()), people


class Truth(NamedTuple):
    """True slopes of both sides, with their scale and roots, as :class:`Slopes` have them."""

    people: np.ndarray
    simulator: np.ndarray
    scale: np.ndarray
    roots: np.ndarray


@lru_cache
def moments(slopes: int, logit: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the scale and the roots of slopes in the population."""
    cell = Cell(MANY, slopes, False, PLAIN, logit)
    generator = stream("population", slopes)
    columns = facts(cell, generator)
    eta = columns @ PEOPLE[SOME[slopes]]
    y = answers(cell, eta, generator.normal(size=(MANY, 1)))
    population = linear_slopes(covariates(cell, columns), y[:, 0])
    return population.scale, population.roots


def truth_of(cell: Cell, people: Covariates) -> Truth:
    """Return true slopes; average marginal effects are those over people's facts."""
    beta, gamma = (side[SOME[cell.slopes]] for side in (PEOPLE, SIMULATOR))
    if cell.logit:
        none = Scaled(people.values, np.zeros(cell.slopes), np.ones(cell.slopes))
        beta, gamma = (averages(people, none, np.append(0.0, b))[0] for b in (beta, gamma))
    return Truth(beta, gamma, *moments(cell.slopes, cell.logit))


def checks(cell: Cell, generator: Generator) -> Iterator[tuple[str, float]]:
    """Yield, of one study, whether intervals hold the truth, and whether an entry is wrong."""
    people, simulator, with_facts = study(cell, generator)
    truth = truth_of(cell, with_facts)
    compared = compare_slopes(people, simulator, limit=LIMIT, same_persons=cell.same, level=LEVEL)
    apart = truth.simulator - truth.people
    for name, side, value in (
        ("people's slopes", people, truth.people),
        ("the simulator's slopes", simulator, truth.simulator),
    ):
        low, high = side.intervals(LEVEL).T
        yield name, float(((low <= value) & (value <= high)).mean())
    both = Both(*paired(people, simulator), cell.same)
    reach = -stdtrit(both.df, (1.0 - LEVEL) / 2.0) * np.sqrt(np.diag(both.covariance))
    yield "differences", float((np.abs(both.apart - apart) <= reach).mean())
    for name, joint, value in (
        ("people's, together", compared.people, truth.people),
        ("the simulator's, together", compared.simulator, truth.simulator),
        ("differences, together", compared.difference, apart),
        ("standardised, together", compared.standardised, apart * truth.scale),
    ):
        yield name, float(((joint.lower <= value) & (value <= joint.upper)).all())
    squares = (truth.roots @ apart) ** 2
    terms = [people.terms.index(term) for term in compared.terms]
    member = np.searchsorted(terms, np.arange(len(squares)), "right") - 1
    by_term = np.sqrt(np.bincount(member, squares))
    yield "root mean square", holds(compared.root_mean_square, np.sqrt((by_term**2).mean()))
    yield (
        "by term",
        float(np.mean([holds(*pair) for pair in zip(compared.by_term, by_term, strict=True)])),
    )
    beta, gamma = (truth.roots @ side for side in truth[:2])
    yield "slope", holds(compared.slope, beta @ gamma / (beta @ beta))
    yield "slope told", float(np.isfinite(compared.slope.upper))
    yield "signs false", float(any(wrong_signs(compared, truth)))
    small = np.abs(apart * truth.scale) <= LIMIT
    said = [(size == WITHIN) != within for size, within in zip(compared.sizes, small, strict=True)]
    settled = [size != OPEN for size in compared.sizes]
    yield "sizes false", float((np.array(said) & settled).any())
    yield "sizes told", float(np.mean(settled))


def wrong_signs(compared: RegressionComparison, truth: Truth) -> Iterator[bool]:
    """Yield whether each slope's entry is wrong."""
    scaled = np.abs(np.stack(truth[:2]) * truth.scale)
    sign = np.sign(truth.people * truth.simulator)
    for said, product, (one, two) in zip(compared.signs, sign, scaled.T, strict=True):
        yield {
            SAME: product <= 0.0,
            OPPOSITE: product >= 0.0,
            ONLY_PEOPLE: one <= LIMIT or two > LIMIT,
            ONLY_SIMULATOR: two <= LIMIT or one > LIMIT,
            OPEN: False,
        }[said]


def holds(interval: Interval, value: float) -> float:
    """Return 1 where an interval holds a value."""
    return float(interval.lower - 1e-12 <= value <= interval.upper + 1e-12)


def coverage(cell: Cell, studies: int) -> dict[str, float]:
    """Return the means of its checks over studies; those without a solution don't count."""
    sums: dict[str, float] = {}
    many = 0
    for number in range(studies):
        generator = stream("regressions", *map(str, cell), number)
        try:
            shares = dict(checks(cell, generator))
        except ValueError:  # nobody of a rare level says no, or yes
            continue
        many += 1
        for name, value in shares.items():
            sums[name] = sums.get(name, 0.0) + value
    return {name: value / many for name, value in sums.items()}


def is_low(name: str, value: float, studies: int) -> bool:
    """Return whether an interval holds too rarely, by more than two standard errors."""
    value = 1.0 - value if name.endswith("false") else value
    error = np.sqrt(value * (1.0 - value) / studies)
    return not name.endswith("told") and value + 2.0 * error < LEAST


def main(studies: int, first: int = 0, step: int = 1) -> int:
    """Print the table; return the exit status."""
    return printed([*CELLS, *LOGITS][first::step], coverage, is_low, studies)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
