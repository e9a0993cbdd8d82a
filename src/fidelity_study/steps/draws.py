"""The number of answers that each simulator is studied with.

A discrepancy holds the noise of the simulator's own draws. So simulators are compared at the same
number of draws. The label of a number, ``k`` in the tables, is the number itself; a simulator that
gave fewer than k answers everywhere doesn't have it. The baselines are fitted to people's answers
by this study. All others are simulators under test. A simulator answers in one of two forms: draws,
or stated probabilities, which have ``STATED_FORM`` in the place of k. Baselines do both, and are
compared with others by what they state: no luck of draws decides such a comparison.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from math import inf
from typing import TypeVar

import numpy as np

from fidelity.baselines.base import BASELINES

STATED_FORM, DRAWN_FORM = "stated", "draws"
MOST_PAIRED = 40
Answers = TypeVar("Answers")


def compared(
    forms: Mapping[str, Mapping[str, Answers]],
) -> Iterator[tuple[str, dict[str, Answers]]]:
    """Yield what is compared with what, as a form and simulator -> answers.

    At each number of draws, those that give no probabilities are compared, with each other and with
    all that state theirs. Those that state are compared by themselves, too.

    Args:
        forms: simulator -> form -> answers.

    Examples:
        >>> dict(compared({"model": {"20": "drawn"}, "uniform": {"20": "own", "stated": "all"}}))
        {'20': {'model': 'drawn', 'uniform': 'all'}, 'stated': {'uniform': 'all'}}
    """
    draws = set().union(*(known for known in forms.values() if STATED_FORM not in known))
    states = any(STATED_FORM in known for known in forms.values())
    for form in [*sorted(draws, key=int), *([STATED_FORM] if states else [])]:
        best = {name: known.get(STATED_FORM, known.get(form)) for name, known in forms.items()}
        yield form, {name: answers for name, answers in best.items() if answers is not None}


def pairs(
    simulators: Collection[str], scores_of: Callable[[str], np.ndarray]
) -> list[tuple[str, str]]:
    """Return which two simulators are compared: every two, if there are at most 40.

    Of more, each is compared with the best, with the next in the order of their means, and with the
    baselines: all pairs would be more than anybody reads. Intervals and p-values that hold for all
    pairs at once count every two still, since the order is that of the data.

    Args:
        simulators: their names.
        scores_of: the discrepancies or scores of one, lower is better; NaN where it has none.

    Examples:
        >>> pairs(["one", "two"], lambda name: np.ones(3))
        [('one', 'two')]
        >>> many = ["uniform", *(f"model {i:02}" for i in range(50))]
        >>> chosen = pairs(many, lambda name: np.array([many.index(name)]))
        >>> len(chosen), ("model 07", "model 08") in chosen, ("model 07", "model 09") in chosen
        (99, True, False)
    """
    every_two = combinations(simulators, 2)
    if len(simulators) <= MOST_PAIRED:
        return list(every_two)
    means = {}
    for name in simulators:
        scores = scores_of(name)
        scores = scores[~np.isnan(scores)]
        means[name] = scores.mean() if len(scores) else inf
    ranked = sorted(simulators, key=lambda name: (means[name], name))
    near = {frozenset(pair) for pair in pairwise(ranked)}
    fixed = {ranked[0], *BASELINES}
    return [pair for pair in every_two if fixed & {*pair} or frozenset(pair) in near]


def is_from_people(simulator: str) -> bool:
    """Tell whether a simulator is a baseline whose answers depend on people's elsewhere."""
    return simulator in BASELINES and BASELINES[simulator].from_people


def usable(given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return how many answers of each simulator may be used in each scenario, (m,).

    They are all that it gave. But a baseline could answer without limit. It takes, in each
    scenario, as many answers as the simulator under test that gave most.

    Args:
        given: how many answers each simulator gave in each scenario, (m,).
    """
    tested = [many for name, many in given.items() if name not in BASELINES and many.any()]
    if not tested:
        return dict(given)
    most = np.max(tested, axis=0)
    most = np.where(most > 0, most, most.max())
    return {
        name: np.minimum(many, most) if name in BASELINES else many for name, many in given.items()
    }


def levels(most: Mapping[str, int], wanted: Iterable[int | str]) -> dict[str, list[int]]:
    """Return the numbers of draws that each simulator is studied with.

    For each number wanted it is that number, or all answers if the simulator gave fewer. The fewest
    answers of any simulator under test are added, so that all can be compared. Baselines are
    studied at each number of the others. ``all`` is every answer.

    Args:
        most: the most answers that each simulator gave in a scenario.
        wanted: numbers, or ``all``.
    """
    tested = {name: top for name, top in most.items() if name not in BASELINES}
    fewest = min((tested or most).values(), default=0)
    limits = [inf if top_k == "all" else top_k for top_k in wanted]
    wanted_levels = {
        name: {int(min(limit, end)) for limit in limits for end in (top, fewest)}
        for name, top in most.items()
    }
    of_all = set().union(*wanted_levels.values())
    return {
        name: sorted(k for k in (of_all if name in BASELINES else wanted_levels[name]) if k <= top)
        for name, top in most.items()
    }
