"""A discrepancy, a confidence set and a baseline of a user's own: all there is to know of them."""

import numpy as np

from fidelity.baselines.base import BASELINES, Baseline
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.discrepancies.divergences import Divergence
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.kl import KLBall


@DISCREPANCIES.add
class LeCam(Divergence):
    """Vincze and Le Cam's ½Σ(p - q)²/(p + q), from 0 to 1."""

    name = "le_cam"
    label = "Le Cam distance"

    def term(self, u, q):
        total = np.where(u + q > 0.0, u + q, 1.0)
        return (u - q) ** 2 / total / 2.0

    def slope(self, u, q):
        return (u - q) * (u + 3.0 * q) / (u + q) ** 2 / 2.0

    def bend(self, u, q):
        return 4.0 * (q * u) ** 2 / (u + q) ** 3

    def turn(self, q):
        return 2.0 * q


@CONFIDENCE_SETS.add
class Types(KLBall):
    """The KL ball of the method of types: log C(n + d - 1, d - 1) - log δ over n, in nats."""

    name = "types"
    label = "KL ball, method of types"
    kinds = ("binary", "ordinal", "categorical")

    def radius(self, n, d, gamma, span=1.0):
        n = np.asarray(n, float)
        ways = sum(np.log((n + i) / i) for i in range(1, d))
        return (ways - np.log1p(-gamma)) / n


@BASELINES.add
class First(Baseline):
    """A simulator that always gives the first answer."""

    name = "first"
    label = "the first answer"
    describe = "Always gives the first answer."
    from_people = False

    def state(self, asked):
        return np.eye(asked.counts.shape[1])[np.zeros(len(asked.counts), int)]
