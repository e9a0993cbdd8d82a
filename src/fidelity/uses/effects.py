"""Sizes of effects: by how much a simulator misses those of an experiment on people."""

from fidelity.effects.comparison import apart_on_average
from fidelity.effects.estimates import Effects, measured
from fidelity.uses.base import USES, UseKind
from fidelity.uses.ends import Root


@USES.add
class SizesOfEffects(UseKind):
    """The root mean square of people's effects less the simulator's."""

    name = "effects"
    question = "May it tell how large an intervention's effect is?"
    unit = "root mean square of effects, in the answers' unit"
    limit = 0.05
    of_scale = True
    brings = "answers of people and of the simulator in the arms of an experiment"

    def ends(self, people: Effects, simulator: Effects, *, same_persons: bool = False) -> Root:
        """Return the root of the mean square of :func:`fidelity.effects.compare_effects`.

        Args:
            people, simulator, same_persons: as there; of these interventions.
        """
        both = measured(people, simulator)
        return Root(apart_on_average(*both, same_persons=same_persons))
