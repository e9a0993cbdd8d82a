"""Choosing a message, a price, a design: what is lost by taking the simulator's pick."""

from functools import partial
from typing import Any

from fidelity.effects.best_arm import regret
from fidelity.effects.estimates import Effects, Label, paired
from fidelity.uses.base import USES, Use, UseKind
from fidelity.uses.ends import Linear


@USES.add
class Choices(UseKind):
    """The regret: people's mean in their best arm less that in the simulator's pick."""

    name = "choices"
    question = "May it choose the best message, price or design?"
    unit = "loss of the pick, in the answers' unit"
    limit = 0.05
    of_scale = True
    brings = "answers of people and of the simulator in the arms of an experiment"
    more = "people"

    def ends(self, *sides: Effects, **how: Any) -> Linear:
        """Return the interval of :func:`fidelity.effects.regret`; arguments as there.

        The pick is that of the simulator's answers at hand.
        """
        return Linear(partial(regret, *sides, **how))

    def measure(
        self, *sides: Effects, limit: float | None = None, span: float = 1.0, **how: Any
    ) -> Use:
        """Return the use: within if it is on each outcome of the effects, beyond if on one.

        Args:
            sides: the effects of people and of the simulator.
            limit, span: as of all uses.
            how: as ``ends`` takes it.
        """
        people, simulator = paired(*sides)
        rows = dict[Label, list[int]]()
        for row, label in enumerate(people.labels):
            rows.setdefault(label[:-1], []).append(row)
        measure = partial(super().measure, limit=limit, span=span, **how)
        return self.both(*(measure(people.take(at), simulator.take(at)) for at in rows.values()))
