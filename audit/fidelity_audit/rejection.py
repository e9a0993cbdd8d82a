"""Type I error and power of tests, measured on simulated studies.

A test of level α promises to reject a true hypothesis in at most, exactly or approximately a share
α of all studies. Its promise is a range of sizes. The share of simulated studies that reject is
compared with it by an exact binomial test: :func:`rejections`. Some tests have the right level only
as samples grow. They promise the range that is documented for the number of cases at hand. Where
they are known to exceed their level there, the range allows no more than the known excess. All
tests of this library are in :data:`fidelity_audit.hypothesis_tests.TESTS`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import bdtr, bdtrc

from fidelity.binomial import clopper_pearson_lower, clopper_pearson_upper

ALPHA, ABOUT = 0.05, 0.065  # the level, and the most that counts as about the level
LEVEL = 0.99
PROMISES = ("at most", "exactly", "approximately", "conservatively", "exceeds", "wrong")

Studies = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class StudyPopulation:
    """A population that studies are drawn from.

    Attributes:
        hypothesis: the hypothesis that is true at effect 0, in words.
        cases: the number and kind of a study's cases, in words.
        alternative: the unit of an effect, in words.
        draw: returns the data of S studies, S on the first axis of each array, from S, an effect
            and a generator.
    """

    hypothesis: str
    cases: str
    alternative: str
    draw: Callable[[int, float, Generator], Studies]


class Decision(NamedTuple):
    """How a test decides.

    Attributes:
        function: of the library.
        rejects: whether it rejects in each study, (S,), from their data and a generator.
    """

    function: Callable
    rejects: Callable[[Studies, Generator], np.ndarray]


def all_at_once(function: Callable) -> Callable[[Callable], Decision]:
    """Make a decision of a function that says it of all studies."""
    return partial(Decision, function)


def one_by_one(function: Callable) -> Callable[[Callable], Decision]:
    """Make a decision of a function that says it of one study, from its arrays and a generator."""

    def decision(rejects: Callable[..., bool]) -> Decision:
        def of_all(data: Studies, generator: Generator) -> np.ndarray:
            return np.array([rejects(*study, generator) for study in zip(*data, strict=True)], bool)

        return Decision(function, of_all)

    return decision


@dataclass(frozen=True)
class HypothesisTest:
    """A test of level :data:`ALPHA`, and studies to measure it in.

    Attributes:
        promise: how the level is kept, one of :data:`PROMISES`. ``conservatively``: about the level
            is rejected at most, and often less. ``exceeds``: it is known that there are too few
            cases for the level. ``wrong``: the test isn't made for such data.
        sizes: least and largest probability with which it may reject a true hypothesis; for a wrong
            test, the range that a right one would have.
        name: of the test in this population.
        title: for people.
        population: of studies.
        decision: of a function of the library.
        effects: of the alternatives.
        studies: how many are simulated at most, where each takes long; None for no limit.
    """

    promise: str
    sizes: tuple[float, float]
    name: str
    title: str
    population: StudyPopulation
    decision: Decision
    effects: tuple[float, ...] = ()
    studies: int | None = None

    def at_most(self, studies: int) -> int:
        """Return how many studies are simulated if ``studies`` are wanted."""
        return studies if self.studies is None else min(studies, self.studies)


at_most = partial(HypothesisTest, "at most", (0.0, ALPHA))
exactly = partial(HypothesisTest, "exactly", (ALPHA, ALPHA))
conservatively = partial(HypothesisTest, "conservatively", (0.0, ABOUT))
wrong = partial(HypothesisTest, "wrong", (0.0, ALPHA))
wrong_by_far = partial(HypothesisTest, "wrong", (0.0, ABOUT))


def approximately(least: float, most: float) -> partial[HypothesisTest]:
    """Promise a range of sizes around the level, for tests that tend to it."""
    return partial(HypothesisTest, "approximately", (least, most))


def exceeds(least: float, most: float) -> partial[HypothesisTest]:
    """Promise a range of sizes beyond the level, as is known with so few cases."""
    return partial(HypothesisTest, "exceeds", (least, most))


@dataclass(frozen=True)
class Rejections:
    """How often a test rejected.

    Attributes:
        effect: 0 where the hypothesis is true.
        share: the share of studies that rejected: the type I error or the power.
        standard_error: of ``share``.
        low, high: limits of the true probability, Clopper-Pearson at :data:`LEVEL`.
        p_value: of the hypothesis that the probability lies in the range promised; NaN at
            alternatives.
    """

    effect: float
    share: float
    standard_error: float
    low: float
    high: float
    p_value: float


def rejections(
    test: HypothesisTest, effect: float, studies: int, generator: Generator
) -> Rejections:
    """Measure how often a test rejects.

    Args:
        test: one of :data:`fidelity_audit.hypothesis_tests.TESTS`, or another.
        effect: 0 for the type I error, else for the power at that effect.
        studies: how many to simulate.
        generator: of all draws.
    """
    data = test.population.draw(studies, effect, generator)
    count = int(test.decision.rejects(data, generator).sum())
    share, level = count / studies, (1.0 + LEVEL) / 2.0
    return Rejections(
        effect=effect,
        share=share,
        standard_error=float(np.sqrt(share * (1.0 - share) / studies)),
        low=float(clopper_pearson_lower(count, studies, level)),
        high=float(clopper_pearson_upper(count, studies, level)),
        p_value=size_p_value(count, studies, test.sizes) if effect == 0 else np.nan,
    )


def size_p_value(count: int, studies: int, sizes: tuple[float, float]) -> float:
    """Return the p-value of "a study rejects with a probability within ``sizes``", exact binomial.

    One-sided where the least size is 0, else twice the smaller of both sides.
    """
    least, most = sizes
    too_often = float(bdtrc(count - 1, studies, most)) if count else 1.0
    too_seldom = float(bdtr(count, studies, least))
    return too_often if least == 0 else min(1.0, 2.0 * min(too_often, too_seldom))
