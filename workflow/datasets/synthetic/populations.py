"""Synthetic populations whose truth is known, to audit sets and curves on.

The first three resemble published studies: survey questions, countries and test items. In friendly
populations like these many a wrong formula still covers. The others are made to expose it. Every
scenario is drawn independently of the others, so a population of m scenarios is m populations of
one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from fidelity.binomial import clopper_pearson_upper

OPINION_PROFILES = np.array(
    [
        [0.05, 0.1, 0.2, 0.35, 0.3],
        [0.3, 0.35, 0.2, 0.1, 0.05],
        [0.1, 0.2, 0.4, 0.2, 0.1],
        [0.3, 0.15, 0.1, 0.15, 0.3],
        [0.55, 0.25, 0.1, 0.06, 0.04],
    ]
)
FIVE_SCORES = np.linspace(-1.0, 1.0, 5)
MOVED = 0.9
ONE_SIDED = np.array([0.5, 0.75, 0.9, 0.95])
JUST_BEYOND = 1e-6


@dataclass(frozen=True)
class Population:
    """m scenarios with one answer scale, and simulators of them.

    Attributes:
        name: as in :data:`POPULATIONS`.
        kind: ``binary``, ``ordinal``, ``categorical`` or ``bounded``.
        p: people's probabilities, (m, d).
        n: how many people answer, (m,).
        simulators: name -> the simulator's probabilities, (m, d).
        k: how often a simulator answers in each scenario; None if it states its probabilities.
        scores: of the options, or for ``bounded`` outcomes the values, (d,); else None.
        limits: for ``bounded`` outcomes the range they can have; else None.
    """

    name: str
    kind: str
    p: np.ndarray
    n: np.ndarray
    simulators: dict[str, np.ndarray]
    k: int | None = None
    scores: np.ndarray | None = None
    limits: tuple[float, float] | None = None

    def answers(self, generator: Generator) -> dict[str, np.ndarray]:
        """Return each simulator's q̂, (m, d): shares of its k answers, or stated probabilities."""
        if self.k is None:
            return self.simulators
        return {
            name: generator.multinomial(self.k, q) / self.k for name, q in self.simulators.items()
        }


def opinionqa_like(generator: Generator, m: int = 385) -> Population:
    """Draw survey questions with five options, 20 to 2000 people each and 100 simulated answers."""
    profile = OPINION_PROFILES[generator.integers(5, size=m)]
    p = dirichlet(12.0 * profile + 0.15, generator)
    n = _log_uniform(20, 2000, m, generator)
    return Population("opinionqa_like", "categorical", p, n, _simulators(p, generator), k=100)


def worldvalues_like(generator: Generator, m: int = 235) -> Population:
    """Draw a question on five scores from -1 to 1 in m countries, 450 to 500 people each."""
    location = generator.normal(0.1, 0.8, (m, 1))
    weight = np.exp(-((FIVE_SCORES - location) ** 2) / (2.0 * 0.6**2))
    p = dirichlet(25.0 * weight / weight.sum(1, keepdims=True) + 0.2, generator)
    n = generator.integers(450, 501, m)
    return Population(
        "worldvalues_like", "ordinal", p, n, _simulators(p, generator), k=200, scores=FIVE_SCORES
    )


def eedi_like(generator: Generator, m: int = 412) -> Population:
    """Draw test items that are solved or not, by 100 to 2000 people and 50 simulated ones."""
    p = _binary(generator.beta(4.0, 2.5, m))
    n = _log_uniform(100, 2000, m, generator)
    return Population("eedi_like", "binary", p, n, _simulators(p, generator), k=50)


def few_answers(generator: Generator, m: int = 200) -> Population:
    """Draw p = .3 asked of three people in nine scenarios of ten, and of 2000 in the tenth."""
    n = np.where(generator.random(m) < 0.9, 3, 2000)
    return _adversarial("few_answers", "binary", _binary(np.full(m, 0.3)), n)


def worst_proportion(generator: Generator, m: int = 200) -> Population:
    """Draw proportions just beyond a one-sided Clopper-Pearson bound, where it covers least.

    The bound is that of 0 to n - 1 successes, 0 in every third scenario, at coverage .5, .75, .9
    or .95: the one-sided levels of sets whose coverage is .5, .8 or .9. At 0 successes the Chernoff
    bound is the same. Every other scenario is mirrored, where the lower bound is at risk.
    """
    n = generator.choice([3, 10, 30, 100, 300], m)
    count = np.where(generator.random(m) < 1 / 3, 0, generator.integers(0, n))
    bound = clopper_pearson_upper(count, n, generator.choice(ONE_SIDED, m))
    beyond = np.minimum(bound * (1.0 + JUST_BEYOND), 1.0)
    share = np.where(generator.random(m) < 0.5, beyond, 1.0 - beyond)
    return _adversarial("worst_proportion", "binary", _binary(share), n)


def near_vertex(generator: Generator, m: int = 200) -> Population:
    """Draw five scores, one of which has nearly all mass: n answers show the others 0 to 5 times.

    A third of the scenarios has 3 to 10 answers, a third 30 to 100, a third 1000.
    """
    n = np.choose(
        generator.integers(3, size=m),
        [generator.integers(3, 11, m), generator.integers(30, 101, m), np.full(m, 1000)],
    )
    rest = np.minimum(generator.uniform(0.1, 5.0, m) / n, 0.6)
    p = _one_large(rest, 5, generator)
    return _adversarial("near_vertex", "ordinal", p, n, scores=FIVE_SCORES)


def rare_options(generator: Generator, m: int = 200) -> Population:
    """Draw ten options, one common, nine that 20 to 200 answers often do not show at all."""
    n = _log_uniform(20, 200, m, generator)
    rest = np.minimum(generator.uniform(1.0, 9.0, m) / n, 0.4)
    p = _one_large(rest, 10, generator)
    return _adversarial("rare_options", "categorical", p, n)


def two_points(generator: Generator, m: int = 200) -> Population:
    """Draw outcomes in [0, 1] that are 1 with probability .005 to .03 and else 0, or the reverse.

    Samples of 20 to 300 often hold one value only, so that their variance tells nothing.
    """
    rare = generator.uniform(0.005, 0.03, m)
    share = np.where(generator.random(m) < 0.5, rare, 1.0 - rare)
    n = _log_uniform(20, 300, m, generator)
    return _adversarial(
        "two_points", "bounded", _binary(share), n, scores=np.array([0.0, 1.0]), limits=(0.0, 1.0)
    )


class Drawn(NamedTuple):
    """How to draw a population: its kind, and a function of a generator and m."""

    kind: str
    draw: Callable[..., Population]


POPULATIONS: dict[str, Drawn] = {
    draw.__name__: Drawn(kind, draw)
    for kind, draw in (
        ("categorical", opinionqa_like),
        ("ordinal", worldvalues_like),
        ("binary", eedi_like),
        ("binary", few_answers),
        ("binary", worst_proportion),
        ("ordinal", near_vertex),
        ("categorical", rare_options),
        ("bounded", two_points),
    )
}


def population_named(name: str) -> Drawn:
    """Return how to draw a population; ValueError lists the names there are."""
    if name not in POPULATIONS:
        raise ValueError(f"unknown population {name!r}; there are: {', '.join(POPULATIONS)}")
    return POPULATIONS[name]


def dirichlet(concentration: np.ndarray, generator: Generator) -> np.ndarray:
    """Return one probability vector for each row of concentrations, (..., d)."""
    drawn = generator.standard_gamma(concentration)
    return drawn / drawn.sum(-1, keepdims=True)


def _simulators(p: np.ndarray, generator: Generator) -> dict[str, np.ndarray]:
    """Return a good simulator, one biased towards the last options, a poor one and a coin."""
    d = p.shape[1]
    tilted = p * np.linspace(0.2, 1.8, d)
    return {
        "good": dirichlet(60.0 * p + 0.3, generator),
        "biased": dirichlet(25.0 * tilted / tilted.sum(1, keepdims=True) + 0.3, generator),
        "poor": dirichlet(6.0 * (0.4 * p + 0.6 / d) + 0.2, generator),
        "uniform": np.full(p.shape, 1.0 / d),
    }


def _adversarial(name: str, kind: str, p: np.ndarray, n: np.ndarray, **scale) -> Population:
    """Return a population with simulators that leave a bound no slack.

    ``exact`` answers as people do: any lower discrepancy above 0 is a failure. ``first`` and
    ``last`` move .9 of the mass to the first or last option, so that one functional decides. The
    discrepancy is then .9 of people's share of the other options, and an error towards the
    simulator is not offset by one away from it.
    """
    ends = np.eye(p.shape[1])[[0, -1]]
    first, last = ((1.0 - MOVED) * p + MOVED * end for end in ends)
    return Population(name, kind, p, n, {"exact": p, "first": first, "last": last}, **scale)


def _one_large(rest: np.ndarray, d: int, generator: Generator) -> np.ndarray:
    """Return p with 1 - ``rest`` on one option drawn at random, and the rest spread, (m, d)."""
    m = len(rest)
    spread = dirichlet(np.ones((m, d - 1)), generator)
    p = np.column_stack([1.0 - rest, rest[:, None] * spread])
    return np.take_along_axis(p, (np.arange(d) - generator.integers(d, size=(m, 1))) % d, 1)


def _binary(share: np.ndarray) -> np.ndarray:
    """Return (failure, success) for success probabilities, (m, 2)."""
    return np.stack([1.0 - share, share], axis=1)


def _log_uniform(low: int, high: int, m: int, generator: Generator) -> np.ndarray:
    """Return whole numbers from ``low`` to ``high`` whose logarithms are uniform, (m,)."""
    return np.exp(generator.uniform(np.log(low), np.log(high), m)).astype(int)
