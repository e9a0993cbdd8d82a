"""How many people an experiment needs, from one with the same arms."""

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.effects.estimates import Effects


def expected_clear(effects: Effects, times: float, *, level: float = 0.95) -> float:
    """Return the share of effects whose sign is expected to be certain with so many times people.

    True effects are taken as normal, with these effects' mean and variance without noise.

    Args:
        effects: people's.
        times: by how much people are multiplied.
        level: of the intervals that must exclude 0.

    Examples:
        >>> from fidelity.effects import effects_of_means, expected_clear
        >>> sides = [1.0, 2.0, 3.0, 2.0], [2.0] * 4, [40] * 4, ["a", "b", "c", "old"]
        >>> effects = effects_of_means(*sides, control="old")
        >>> [round(expected_clear(effects, times), 2) for times in (1, 4)]
        [0.4, 0.65]
    """
    times = inputs.number("times", times, inputs.FINITE_POSITIVE)
    z = sp.stats.norm.isf((1.0 - inputs.number("level", level, inputs.INSIDE)) / 2.0)
    mean, many = effects.estimate.mean(), len(effects.labels)
    variance = 0.0
    if many > 1:
        noise = ((effects.se**2).sum() - (effects.on(np.ones(many)) ** 2).sum() / many) / (
            many - 1.0
        )
        variance = max(float(effects.estimate.var(ddof=1) - noise), 0.0)
    se = np.sqrt(np.diag(effects.errors) / times)
    spread = np.sqrt(variance + se**2)
    spread = np.where(spread > 0.0, spread, np.inf)
    ends = ((-z * se - mean) / spread, (z * se - mean) / spread)
    return float((sp.stats.norm.cdf(ends[0]) + sp.stats.norm.sf(ends[1])).mean())
