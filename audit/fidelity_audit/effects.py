"""Coverage of the intervals of :mod:`fidelity.effects`, in experiments whose truth is known.

In megastudies 40 interventions share a control, and each person answers three outcomes. Small
experiments have one outcome of two kinds of answers, which may be rare; and other interventions are
told from few. The table of all cells, and status 1 where an interval holds too rarely:

    python -m fidelity_audit.effects 2000
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.stats import foldnorm

from fidelity.effects import (
    Effects,
    arm_effects,
    compare_effects,
    directions,
    effect_distances,
    effect_set,
    lesser_square,
    mean_distance,
    stated_effects,
)
from fidelity.stream import stream
from fidelity.structure.estimates import Interval

INTERVENTIONS, OUTCOMES = 40, 3
CONTROL = "control"
LEVEL, FALSE = 0.95, 0.05


class Cell(NamedTuple):
    """A kind of megastudy.

    Attributes:
        outcome: ``binary``, or ``bounded``, on [0, 1] with many values.
        slope: of people's effects on the simulator's.
        drawn: whether the simulator draws answers in each condition, or states effects.
        n: persons in each condition; four times as many are in the control.
    """

    outcome: str
    slope: float
    drawn: bool
    n: int


CELLS = tuple(
    Cell(outcome, slope, drawn, 50)
    for outcome in ("binary", "bounded")
    for slope in (0.0, 0.5, 1.0)
    for drawn in (False, True)
)


class Small(NamedTuple):
    """A kind of small experiment.

    Attributes:
        effects: how many.
        n: answers in each arm, the control's too.
        rate: of the control's answers; others are up to twice as frequent, or .1 less to .2 more.
        drawn: whether the simulator draws answers in each condition, or states effects.
        shared: whether effects share one control, or each outcome has its own.
    """

    effects: int
    n: int
    rate: float
    drawn: bool
    shared: bool


class New(NamedTuple):
    """A kind of experiment with few interventions of a normal population.

    Attributes:
        interventions: how many.
        noise: SD of an answer, in units where that of the simulator's effects is .1.
        drawn: whether the simulator draws answers, 100 in each condition as people.
    """

    interventions: int
    noise: float
    drawn: bool


SMALL = tuple(
    Small(effects, n, rate, drawn, shared)
    for effects in (1, 3, 10, 40)
    for n in (20, 100, 1000)
    for rate in (0.005, 0.02, 0.1, 0.5)
    for drawn in (False, True)
    for shared in (True, False)
)
FEW_NEW = tuple(
    New(many, noise, drawn)
    for many in range(2, 9)
    for noise in (0.02, 0.3)
    for drawn in (False, True)
)


class Truth(NamedTuple):
    """True effects of both sides, (outcomes, interventions)."""

    people: np.ndarray
    simulator: np.ndarray


def truth_of(cell: Cell, generator: Generator) -> Truth:
    """Return effects with exactly this slope, and a correlation of .7 where it isn't 0."""
    simulated, rest = generator.normal(size=(2, OUTCOMES * INTERVENTIONS))
    simulated -= simulated.mean()
    rest -= rest.mean()
    rest -= rest @ simulated / (simulated @ simulated) * simulated
    sigma = 0.1 * simulated / simulated.std()
    rest *= 0.1 * max(cell.slope, 0.5) / rest.std()
    shape = (OUTCOMES, INTERVENTIONS)
    return Truth((cell.slope * sigma + rest).reshape(shape), sigma.reshape(shape))


def answered(effects: np.ndarray, cell: Cell, generator: Generator) -> Effects:
    """Return effects estimated from persons, each in one arm and with an answer to each outcome."""
    arm = np.repeat(np.arange(INTERVENTIONS + 1), [4 * cell.n] + [cell.n] * INTERVENTIONS)
    mean = 0.5 + np.concatenate([np.zeros((OUTCOMES, 1)), effects], 1)[:, arm]
    mean = np.clip(mean, 0.02, 0.98)
    common = generator.random(len(arm))
    alone = generator.random(mean.shape)
    uniform = np.where(generator.random(mean.shape) < 0.5, common, alone)
    answers = (uniform < mean).astype(float)
    if cell.outcome == "bounded":
        inside = generator.random(mean.shape)
        answers = np.where(answers > 0.0, 1.0 - (1.0 - mean) * inside, mean * inside)
    names = np.array([CONTROL, *(f"x{number:02d}" for number in range(INTERVENTIONS))])
    return arm_effects(
        answers.ravel(),
        np.tile(names[arm], OUTCOMES),
        control=CONTROL,
        outcomes=np.repeat(np.arange(OUTCOMES), len(arm)).astype(str),
        respondents=np.tile(np.arange(len(arm)), OUTCOMES),
    )


def expected_of(effects: np.ndarray, cell: Cell) -> np.ndarray:
    """Return the true effects of what :func:`answered` draws, (E,)."""
    mean = np.clip(0.5 + effects, 0.02, 0.98)
    if cell.outcome == "bounded":  # the mean of both halves
        mean, half = mean * (1.0 + mean) / 2.0 + (1.0 - mean) * mean / 2.0, 0.5
        return (mean - half).ravel()
    return (mean - 0.5).ravel()


def checks(cell: Cell, generator: Generator) -> Iterator[tuple[str, float]]:
    """Yield, of one study, whether each interval holds the truth, and shares of wrong entries."""
    truth = truth_of(cell, generator)
    people = answered(truth.people, cell, generator)
    tau = expected_of(truth.people, cell)
    sigma = expected_of(truth.simulator, cell)
    simulator = (
        answered(truth.simulator, cell, generator)
        if cell.drawn
        else stated_effects(sigma, people.labels)
    )
    apart, centred = tau - sigma, (tau - tau.mean(), sigma - sigma.mean())
    known = {
        "slope": centred[0] @ centred[1] / (centred[1] @ centred[1]),
        "correlation": float(np.corrcoef(tau, sigma)[0, 1]),
        "spread_ratio": float(sigma.std() / tau.std()),
        "mean_squared": float((apart**2).mean()),
        "shift": -float(apart.mean()),
    }
    comparison = compare_effects(people, simulator, level=LEVEL)
    for name, value in known.items():
        interval = getattr(comparison, name)
        yield name, float(interval.lower <= value <= interval.upper)
        yield f"{name} told", float(np.isfinite(interval.upper - interval.lower))
    mean = mean_distance(people, simulator, level=LEVEL)
    yield "mean", float(mean.ci_lower <= np.abs(apart).mean() <= mean.ci_upper)
    yield "mean bounds' bias", mean.lower - float(np.abs(apart).mean())
    right = mean_distance(people, stated_effects(tau, people.labels), level=LEVEL)
    yield "mean, of a right simulator", float(right.ci_lower <= 0.0)
    low, high = people.intervals(LEVEL).T
    yield "effects", float(((low <= tau) & (tau <= high)).mean())
    some = range(INTERVENTIONS)  # of one outcome, so that each person has one answer
    far, truly = (
        effect_distances(people.take(some), simulator.take(some), level=LEVEL),
        np.abs(apart[:INTERVENTIONS]),
    )
    yield "distances", float(((far.ci_lower <= truly) & (truly <= far.ci_upper)).mean())
    low, high = effect_set(people.take(some), bounds=(0, 1), level=LEVEL).T
    inside = (low <= tau[:INTERVENTIONS]) & (tau[:INTERVENTIONS] <= high)
    yield "hoeffding", float(inside.mean())
    signs = directions(people, simulator, level=FALSE)
    agree = np.sign(tau) * np.sign(sigma)
    for name, wrong in (("same", agree <= 0.0), ("opposite", agree >= 0.0)):
        listed = getattr(signs, name)
        yield f"{name} false", float((listed & wrong).sum() / max(listed.sum(), 1))
        yield f"{name} listed", float(listed.mean())


def rates_of(cell: Small) -> tuple[np.ndarray, np.ndarray]:
    """Return people's and the simulator's rates in the conditions, the same in every study."""
    one, two = stream("rates", cell.effects).random((2, cell.effects))
    both, least = (one, 0.6 * one + 0.4 * two), min(cell.rate, 0.3)
    if cell.rate >= 0.3:
        both = both[0] - 1 / 3, both[1] - 1 / 3
    return (cell.rate + least * both[0], cell.rate + least * both[1])


def binary(rates: np.ndarray, cell: Small, generator: Generator) -> Effects:
    """Return effects of drawn answers, 0 or 1."""
    names = np.array([CONTROL, *(f"x{number:02d}" for number in range(cell.effects))])
    arms = np.append(cell.rate, rates)
    if cell.shared:
        answers = generator.random((len(arms), cell.n)) < arms[:, None]
        conditions, outcomes = np.repeat(names, cell.n), None
    else:
        both = np.stack([np.full(cell.effects, cell.rate), rates], 1)
        answers = generator.random((cell.effects, 2, cell.n)) < both[:, :, None]
        conditions = np.tile(np.repeat(names[:2], cell.n), cell.effects)
        outcomes = np.repeat(names[1:], 2 * cell.n)
    return arm_effects(
        answers.ravel().astype(float),
        conditions,
        control=CONTROL,
        outcomes=outcomes,
        bounds=(0, 1),
    )


def compared(
    truth: dict[str, float], intervals: dict[str, Interval]
) -> Iterator[tuple[str, float]]:
    """Yield whether intervals hold the truth, and whether they say anything."""
    for name, value in truth.items():
        low, high = intervals[name].lower, intervals[name].upper
        yield name, float(low - 1e-12 <= value <= high + 1e-12)
        nothing = name == "correlation" and high - low >= 2.0
        yield f"{name} told", float(np.isfinite(high - low) and not nothing)


def small_checks(cell: Small, generator: Generator) -> Iterator[tuple[str, float]]:
    """Yield, of one small experiment, whether each interval holds the truth."""
    rates = rates_of(cell)
    tau, sigma = (side - cell.rate for side in rates)
    people = binary(rates[0], cell, generator)
    simulator = (
        binary(rates[1], cell, generator) if cell.drawn else stated_effects(sigma, people.labels)
    )
    apart = tau - sigma
    truth = {"mean_squared": float((apart**2).mean()), "shift": -float(apart.mean())}
    if cell.effects > 2:
        truth |= {
            "slope": np.cov(tau, sigma)[0, 1] / sigma.var(ddof=1),
            "correlation": float(np.corrcoef(tau, sigma)[0, 1]),
            "spread_ratio": float(sigma.std() / tau.std()),
        }
    yield from compared(truth, compare_effects(people, simulator, level=LEVEL)._asdict())
    mean = mean_distance(people, simulator, level=LEVEL)
    yield "mean", float(mean.ci_lower <= np.abs(apart).mean() <= mean.ci_upper)
    low, high = people.intervals(LEVEL).T
    yield "effects", float(((low <= tau) & (tau <= high)).mean())
    far, truly = effect_distances(people, simulator, level=LEVEL), np.abs(apart)
    inside = (far.ci_lower - 1e-12 <= truly) & (truly <= far.ci_upper + 1e-12)
    yield "distances", float(inside.mean())
    zero = stated_effects(np.zeros(cell.effects), people.labels)
    lesser = lesser_square(people, simulator, zero, level=LEVEL)
    less = float((apart**2).mean() - (tau**2).mean())
    yield "over no effect", float(lesser.lower <= less <= lesser.upper)


def new_checks(cell: New, generator: Generator) -> Iterator[tuple[str, float]]:
    """Yield, of interventions drawn anew in each study, whether intervals hold their population's.

    The simulator's effects are normal with mean and SD .1, and people's half of them and as much
    beside that isn't known.
    """
    many = cell.interventions
    simulated, rest = generator.normal(size=(2, many))
    sigma, tau = 0.1 + 0.1 * simulated, 0.05 + 0.05 * (simulated + rest)
    arms = np.repeat(np.arange(many + 1), 100)
    sides = [
        arm_effects(
            np.append(true, 0.0)[arms] + cell.noise * generator.normal(size=len(arms)),
            arms.astype(str),
            control=str(many),
        )
        for true in ((tau, sigma) if cell.drawn else (tau,))
    ]
    if not cell.drawn:
        sides.append(stated_effects(sigma, sides[0].labels))
    truth = {"shift": 0.05, "mean_squared": 0.05**2 + 0.1**2 / 2.0}
    if many > 2:
        root = float(np.sqrt(2.0))
        truth |= {"slope": 0.5, "correlation": 1.0 / root, "spread_ratio": root}
    yield from compared(truth, compare_effects(*sides, target="new", level=LEVEL)._asdict())
    mean = mean_distance(*sides, target="new", level=LEVEL)
    distance = foldnorm.mean(0.05 / np.sqrt(0.005), scale=np.sqrt(0.005))
    yield "mean", float(mean.ci_lower <= distance <= mean.ci_upper)


CHECKS: dict[type, Callable[..., Iterator[tuple[str, float]]]] = {
    Cell: checks,
    Small: small_checks,
    New: new_checks,
}
LEAST = 0.93
NO_COVERAGE = ("told", "bias", "false", "listed")


def coverage(cell: Cell | Small | New, studies: int) -> dict[str, float]:
    """Return the means of its checks over studies."""
    sums: dict[str, float] = {}
    for study in range(studies):
        generator = stream("effects", *map(str, cell), study)
        for name, value in CHECKS[type(cell)](cell, generator):
            sums[name] = sums.get(name, 0.0) + value / studies
    return sums


def is_low(name: str, value: float, studies: int) -> bool:
    """Return whether an interval holds too rarely, by more than two standard errors."""
    error = np.sqrt(value * (1.0 - value) / studies)
    return not name.endswith(NO_COVERAGE) and value + 2.0 * error < LEAST


def main(studies: int, first: int = 0, step: int = 1) -> int:
    """Print the table; return the exit status."""
    cells: list[Cell | Small | New] = [*CELLS, *SMALL, *FEW_NEW]
    return printed(cells[first::step], coverage, is_low, studies)


def printed(
    cells: Iterable[Any],
    coverage: Callable[[Any, int], Mapping[str, float]],
    is_low: Callable[[str, float, int], bool],
    studies: int,
) -> int:
    """Print how often intervals hold in each cell; return 1 if one holds too rarely, else 0."""
    low = 0
    for cell in cells:
        for name, value in coverage(cell, studies).items():
            print(*cell, name, f"{value:.4f}", sep="\t", flush=True)
            low += is_low(name, value, studies)
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
