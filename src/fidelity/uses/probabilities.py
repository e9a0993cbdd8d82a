"""Probabilities that come true: how far statements are from frequencies."""

from typing import Any

from fidelity.arrays import ArrayLike
from fidelity.calibration.root_mean_square import calibration_length
from fidelity.uses.base import USES, UseKind
from fidelity.uses.ends import Root


@USES.add
class Probabilities(UseKind):
    """The root mean square of stated probabilities less frequencies."""

    name = "probabilities"
    question = "Do its probabilities come true?"
    unit = "root mean square of statement less frequency"
    limit = 0.05
    brings = "stated probabilities of 30 events or more, with what happened"
    more = "events"

    def ends(self, *events: ArrayLike, **how: Any) -> Root:
        """Return the interval of :func:`fidelity.calibration.calibration_length`, as there."""
        return Root(calibration_length(*events, **how))
