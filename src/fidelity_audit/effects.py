"""Coverage of the intervals of :mod:`fidelity.effects`, in megastudies whose truth is known.

40 interventions share a control, and each person answers three outcomes. The table of all cells:

    python -m fidelity_audit.effects 2000
"""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from fidelity.effects import (
    Effects,
    arm_effects,
    compare_effects,
    directions,
    effect_distances,
    effect_set,
    mean_distance,
    stated_effects,
)
from fidelity.stream import stream

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


def coverage(cell: Cell, studies: int) -> dict[str, float]:
    """Return the means of :func:`checks` over studies."""
    sums: dict[str, float] = {}
    for study in range(studies):
        for name, value in checks(cell, stream("effects", *map(str, cell), study)):
            sums[name] = sums.get(name, 0.0) + value / studies
    return sums


def main(studies: int, first: int = 0, step: int = 1) -> None:
    """Print the table."""
    for cell in CELLS[first::step]:
        for name, value in coverage(cell, studies).items():
            print(*cell, name, f"{value:.4f}", sep="\t", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
