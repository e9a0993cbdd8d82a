"""Differences between groups: by how much a simulator misses people's gaps."""

from typing import Any

from fidelity.structure.groups import gap_errors
from fidelity.uses.base import USES, UseKind
from fidelity.uses.ends import Root


@USES.add
class Groups(UseKind):
    """The root mean square of people's gaps between groups less the simulator's."""

    name = "groups"
    question = "May it tell how groups of people differ?"
    unit = "root mean square of gaps, in the answers' unit"
    limit = 0.05
    of_scale = True
    brings = "answers by respondent on both sides, with the group of each"

    def ends(self, *sides: Any, same_persons: bool = False) -> Root:
        """Return the interval of :func:`fidelity.structure.gap_errors`; arguments as there."""
        return Root(gap_errors(*sides, same_persons=same_persons))
