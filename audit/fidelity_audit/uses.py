"""How often a card of uses has a false verdict, in populations whose truth is known.

Six uses of three simulators are judged by the same people: shares, gaps between groups,
associations, regressions, sizes of effects, and choices. One simulator is right. The errors of the
two others are just at the limits, where any verdict is false. A person's answers to all questions
go together. The share of studies with a false verdict, that of each use by itself, and status 1
where the card's share is surely above 5 %:

    python -m fidelity_audit.uses 1000
"""

import sys
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import ndtr

from fidelity import Responses, Simulator
from fidelity.effects import Effects, arm_effects
from fidelity.regression import Covariates, linear_slopes
from fidelity.regression.estimates import Slopes
from fidelity.stream import stream
from fidelity.structure import associations
from fidelity.uses import USES, Row, Use, card
from fidelity.uses.base import BEYOND, WITHIN

LEVEL, AT_MOST = 0.95, 0.05
SIMULATORS = {"right": 0.0, "at the limits": 1.0, "at the limits, turned": -1.0}
NAMES = ("shares", "groups", "relations", "regressions", "effects", "choices")
SHARES = np.array([[0.4, 0.3, 0.2, 0.1], [0.25, 0.25, 0.25, 0.25], [0.1, 0.2, 0.3, 0.4]])
QUESTIONS, ITEMS, ARMS = 12, 8, 6
GAPS = np.array([0.3, 0.0, -0.2, 0.5])
BETA = np.array([0.3, 0.0, -0.2])
EFFECTS = np.array([0.0, 0.1, 0.2, 0.3, 0.3, 0.5])
COMMON, RELATION = 0.3, 0.4
SPAN = 4.0


class Answers(NamedTuple):
    """One side's answers.

    Attributes:
        counts: of options, (12, 4).
        grouped, group: answers to questions that groups differ in, (n, 4), and groups, (n,).
        items: of a scale, (n, 8).
        slopes: of an answer on three facts.
        effects: of five conditions.
    """

    counts: np.ndarray
    grouped: np.ndarray
    group: np.ndarray
    items: np.ndarray
    slopes: Slopes
    effects: Effects


@lru_cache
def limits() -> dict[str, float]:
    """Return the limit of each use."""
    return {name: USES[name].limit_of(None, SPAN if name != "shares" else 1.0) for name in NAMES}


def answered(n: int, times: float, generator: Generator) -> Answers:
    """Return answers of persons whose errors are so many times the limits."""
    at = limits()
    common = generator.normal(size=(n, 1))

    def errors(many: int) -> np.ndarray:
        alone: np.ndarray = generator.normal(size=(n, many))
        return np.sqrt(COMMON) * common + np.sqrt(1.0 - COMMON) * alone

    shares = np.tile(SHARES, (QUESTIONS // len(SHARES), 1))
    shares = shares + times * at["shares"] * np.array([0.5, -0.5, 0.5, -0.5])
    option = (ndtr(errors(QUESTIONS))[:, :, None] > np.cumsum(shares, 1)[None, :, :-1]).sum(2)
    counts = np.stack([np.bincount(column, minlength=4) for column in option.T])
    group = np.arange(n) % 2
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    grouped = group[:, None] * (GAPS + times * at["groups"] * signs) + errors(4)
    together = RELATION * (1.0 - times * at["relations"])
    items = np.sqrt(together) * generator.normal(size=(n, 1))
    items = items + np.sqrt(1.0 - together) * generator.normal(size=(n, ITEMS))
    facts = generator.normal(size=(n, 3))
    spread = np.sqrt(BETA @ BETA + 1.0)
    beta = BETA + times * at["regressions"] * spread * np.array([1.0, 1.0, -1.0])
    slopes = linear_slopes(Covariates(facts), facts @ beta + errors(1)[:, 0])
    arm = generator.permutation(np.arange(n) % ARMS)
    wrong = np.append(0.0, times * at["effects"] * np.resize([1.0, -1.0], ARMS - 1))
    y = (EFFECTS + wrong)[arm] + errors(1)[:, 0]
    effects = arm_effects(y, arm.astype(str), control="0")
    return Answers(counts.astype(float), grouped, group, items, slopes, effects)


def measured(people: Answers, simulator: Answers) -> list[Use]:
    """Return the six uses of a simulator."""
    together = (associations(side.items) for side in (people, simulator))
    shares = simulator.counts / simulator.counts.sum(1, keepdims=True)
    stated = Simulator(shares, draws=simulator.counts.sum(1))
    counts = Responses(people.counts, respondents=np.zeros(QUESTIONS))
    grouped = people.grouped, simulator.grouped, people.group, simulator.group
    given = {
        "shares": (counts, stated),
        "groups": grouped,
        "relations": tuple(together),
        "regressions": (people.slopes, simulator.slopes),
        "effects": (people.effects, simulator.effects),
        "choices": (people.effects, simulator.effects),
    }
    return [USES[name].measure(*given[name], limit=limits()[name]) for name in NAMES]


def is_false(row: Row, times: float, simulator: Answers) -> bool:
    """Return whether a verdict is false; at the limit each one is."""
    error, limit = abs(times) * row.use.limit, row.use.limit
    if row.use.name == "choices":
        pick = int(np.argmax(np.append(0.0, simulator.effects.estimate)))
        error = EFFECTS.max() - EFFECTS[pick]
    within, beyond = error < limit * (1.0 - 1e-9), error > limit * (1.0 + 1e-9)
    return (row.verdict == WITHIN and not within) or (row.verdict == BEYOND and not beyond)


def study(n: int, generator: Generator) -> dict[str, float]:
    """Return whether the card, and each use by itself, has a false verdict; and what is settled."""
    people = answered(n, 0.0, generator)
    sides = {name: answered(n, times, generator) for name, times in SIMULATORS.items()}
    rows = card({name: measured(people, side) for name, side in sides.items()}, level=LEVEL)
    shares = dict.fromkeys(("card", *NAMES, "settled by itself", "settled on the card"), 0.0)
    for row in rows:
        times, side = SIMULATORS[row.simulator], sides[row.simulator]
        alone = row._replace(verdict=row.use.verdict)
        shares["card"] = max(shares["card"], float(is_false(row, times, side)))
        shares[row.use.name] += is_false(alone, times, side) / len(SIMULATORS)
        if row.simulator == "right":
            shares["settled by itself"] += (row.use.verdict == WITHIN) / len(NAMES)
            shares["settled on the card"] += (row.verdict == WITHIN) / len(NAMES)
    return shares


def main(studies: int, sizes: tuple[int, ...] = (400, 1600)) -> int:
    """Print the shares; return the exit status."""
    status = 0
    for n in sizes:
        drawn = [study(n, stream("uses", n, number)) for number in range(studies)]
        for name in drawn[0]:
            share = float(np.mean([one[name] for one in drawn]))
            print(n, name, f"{share:.4f}", sep="\t", flush=True)
            error = np.sqrt(share * (1.0 - share) / studies)
            status |= int(name == "card" and share - 2.0 * error > AT_MOST)
    return status


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
