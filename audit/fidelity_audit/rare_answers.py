"""Intervals where hardly anything varies: answers nearly all alike, few terms, flat distances.

An interval that takes its width from what was observed is too short there, or has none. A study
rejects where the interval excludes the truth, which closed forms give.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.hybrids.prediction_powered import prediction_powered_mean
from fidelity.means.average import mean_difference
from fidelity.means.other_people import people_reference
from fidelity.responses import Responses
from fidelity.structure.comparison import compare_associations
from fidelity.structure.correlations import associations
from fidelity.structure.groups import group_differences
from fidelity.structure.twins import ABSOLUTE, HITS, twin_agreement
from fidelity_audit.rejection import (
    Decision,
    HypothesisTest,
    Studies,
    StudyPopulation,
    conservatively,
)

STUDIES, FEW = 2_000, 400  # few of what takes a tenth of a second
ROUNDING, OTHERS, PEOPLE = 1e-9, 500, 50
STEPS, SKEW = np.linspace(-1.0, 1.0, 5), np.array([0.4, 0.3, 0.15, 0.1, 0.05])
TILT = np.array([2.0, 1.0, 0.0, -1.0, -2.0]) / 8.0

Interval = tuple[float, float]


def twins(
    n: int, questions: int, rare: float, knows: float, measure: str, generator: Generator
) -> tuple[Interval, float]:
    """Return an excess of twins who repeat an answer with a probability, and the true one."""
    answers, guesses = (generator.random((2, n, questions)) < rare).astype(float)
    repeated = np.where(generator.random(answers.shape) < knows, answers, guesses)
    result = twin_agreement(answers, repeated, generator=generator, measure=measure, permuted=1)
    sign = 1.0 if measure == HITS else -1.0
    return result.excess[1:], sign * knows * 2.0 * rare * (1.0 - rare)


def groups(
    what: str, rates: tuple[float, ...], turned: float, n: int, generator: Generator
) -> tuple[Interval, float]:
    """Return people's variance between groups, or the slope of a simulator that turns gaps."""
    people = np.array(rates)
    model = people.mean() + turned * (people - people.mean())
    member = np.repeat(np.arange(len(people)), n)
    one, two = (
        (generator.random(len(member)) < rate[member])[:, None].astype(float)
        for rate in (people, model)
    )
    result = group_differences(one, two, member, member)
    return (result.people[0][1:], people.var()) if what == "between" else (result.slope[1:], turned)


def with_twins(n: int, rate: float, knows: float, generator: Generator) -> tuple[Interval, float]:
    """Return a share by some people and the twins of more."""
    people, guesses = generator.random((2, n + OTHERS)) < rate
    repeated = np.where(generator.random(n + OTHERS) < knows, people, guesses)
    return prediction_powered_mean(people[:n], repeated[:n], repeated[n:])[1:3], rate


def other_people(
    name: str, shares: tuple[float, ...], n: int, generator: Generator
) -> tuple[Interval, float]:
    """Return the distance of other people in one question."""
    p, scores = np.array(shares), np.linspace(0.0, 1.0, len(shares))
    drawn = Responses([generator.multinomial(n, p)], scores=scores)
    result, measure = people_reference(drawn, PEOPLE, discrepancy=name), DISCREPANCIES[name]
    size, is_smoothed = np.array([float(PEOPLE)]), measure.infinite_at_zero
    return result[1:3], float(measure.expected(p[None], size, scores, is_smoothed)[0])


def steps(n: int, errors: float, generator: Generator) -> tuple[Interval, float]:
    """Return the difference of simulators that are as far away, on either side of people."""
    people = Responses([generator.multinomial(n, SKEW)], scores=STEPS)
    sides = [SKEW + sign * errors / np.sqrt(n) * TILT for sign in (1.0, -1.0)]
    result = mean_difference(people, *(side[None] for side in sides), discrepancy="w1")
    return (result.ci_lower, result.ci_upper), 0.0


def congruence(n: int, questions: int, generator: Generator) -> tuple[Interval, float]:
    """Return that of few pairs, of normal answers with one factor."""
    loads = 0.8 * np.linspace(0.7, 1.1, questions)
    others = loads[::-1] * np.linspace(1.0, 0.5, questions)
    sides = [
        load * generator.normal(size=(n, 1))
        + np.sqrt(1.0 - load**2) * generator.normal(size=(n, questions))
        for load in (loads, others)
    ]
    pairs = np.triu_indices(questions, 1)
    r, s = (np.outer(load, load)[pairs] for load in (loads, others))
    (result,) = compare_associations(*map(associations, sides))
    return result.congruence[1:], float(r @ s / np.sqrt((r @ r) * (s @ s)))


def _numbers(studies: int, effect: float, generator: Generator) -> Studies:
    return (np.arange(studies),)


def _misses(
    measured: Callable[[Generator], Any], data: Studies, generator: Generator
) -> np.ndarray:
    result = [measured(generator) for _ in data[0]]
    return np.array(
        [low > true + ROUNDING or high < true - ROUNDING for (low, high), true in result], bool
    )


CASES: tuple[tuple[Callable, Callable, tuple, int], ...] = (
    *(
        (twin_agreement, twins, (*cell, HITS), STUDIES)
        for cell in (
            (40, 1, 0.05, 0.3),
            (100, 1, 0.1, 0.0),
            (100, 4, 0.05, 0.0),
            (300, 1, 0.02, 0.3),
        )
    ),
    (twin_agreement, twins, (100, 1, 0.05, 0.3, ABSOLUTE), STUDIES),
    *(
        (group_differences, groups, cell, STUDIES)
        for cell in (
            ("between", (0.01, 0.02, 0.03), 1.0, 100),
            ("between", (0.004, 0.036), 1.0, 20),
            ("between", (0.02, 0.02), 1.0, 400),
            ("slope", (0.1, 0.2, 0.3), -1.0, 400),
            ("slope", (0.004, 0.036), 1.0, 400),
        )
    ),
    *(
        (prediction_powered_mean, with_twins, cell, STUDIES)
        for cell in (
            (20, 0.1, 0.9),
            (100, 0.01, 0.0),
            (300, 0.03, 0.5),
            (1000, 0.005, 0.9),
        )
    ),
    *(
        (people_reference, other_people, cell, STUDIES)
        for cell in (
            ("tv", (0.5, 0.5), 20),
            ("tv", (0.4, 0.6), 100),
            ("tv", (0.4, 0.3, 0.3), 1000),
            ("tv", (0.2,) * 5, 100),
            ("w1", (0.2,) * 5, 1000),
            ("kl", (0.4, 0.3, 0.3), 50),
        )
    ),
    (mean_difference, steps, (1000, 3.0), FEW),
    (compare_associations, congruence, (100, 3), FEW),
    (compare_associations, congruence, (300, 4), FEW),
)


def tests() -> Iterator[HypothesisTest]:
    """Yield the intervals of all cases."""
    for number, (function, measured, cell, studies) in enumerate(CASES):
        kind = f"{measured.__name__} {' '.join(map(str, cell))}"
        about = StudyPopulation("the interval holds the truth", kind, "", _numbers)
        decision = Decision(function, partial(_misses, partial(measured, *cell)))
        title = f"{function.__name__}, {kind}"
        yield conservatively(f"rare_answers_{number}", title, about, decision, studies=studies)
