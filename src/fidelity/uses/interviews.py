"""Fewer interviews: how many are still needed beside the simulator, for what people alone give."""

import numpy as np

from fidelity.hybrids.curve import HybridBounds
from fidelity.means.average import NEW
from fidelity.structure.estimates import Interval
from fidelity.uses.base import USES, UseKind
from fidelity.uses.ends import Known

ROUNDING = 1e-9


@USES.add
class Interviews(UseKind):
    """Interviews beside the simulator over those that people alone would take."""

    name = "interviews"
    question = "May it save interviews?"
    unit = "interviews needed, of those without it"
    limit = 0.9
    brings = "people's answers to several questions, of whom some can be kept for judging"
    more = ""

    def ends(self, bounds: HybridBounds, size: int, *, target: str = NEW) -> Known:
        """Return n₀/n₊, with the interval of interviews saved.

        What more people would tell is not known.

        Args:
            bounds: of :func:`fidelity.hybrids.hybrid_bounds`.
            size: n₀, one of its sizes; people alone would need n₊.
            target: of :func:`fidelity.hybrids.hybrid_curve`.

        Raises:
            ValueError: if it has no such size.
        """
        sizes, most = bounds.people.sizes, bounds.people.people_sizes
        if size not in sizes:
            raise ValueError(f"size must be one of {', '.join(map(str, sizes))}, not {size}")
        place = int(np.flatnonzero(sizes == size)[0])

        def ends(level: float) -> Interval:
            curve = bounds.curve(target, level).hybrid
            saved = [curve.saved, curve.saved_upper, curve.saved_lower]
            estimate, lower, upper = (size / (size + part[place]) for part in saved)
            # at either end of the sizes that were measured there may be more, or fewer
            lower = 0.0 if size / lower >= most[-1] * (1.0 - ROUNDING) else lower
            upper = np.inf if size / upper <= most[0] * (1.0 + ROUNDING) else upper
            return Interval(float(estimate), float(lower), float(upper))

        return Known(ends)
