"""Regressions: by how much slopes fitted to simulated persons miss people's."""

import numpy as np

from fidelity.regression.comparison import Both, paired
from fidelity.regression.estimates import Slopes
from fidelity.uses.base import USES, UseKind
from fidelity.uses.ends import Root


@USES.add
class Regressions(UseKind):
    """The root mean square over terms of differences of standardised slopes."""

    name = "regressions"
    question = "Would a model fitted to its answers have people's slopes?"
    unit = "standard deviations"
    limit = 0.1
    brings = "answers by respondent on both sides, with the facts that they are regressed on"

    def ends(self, people: Slopes, simulator: Slopes, *, same_persons: bool = False) -> Root:
        """Return the interval of :func:`fidelity.regression.compare_slopes`; arguments as there."""
        both = Both(*paired(people, simulator), same_persons)
        return Root(both.explained(np.arange(len(both.apart))))
