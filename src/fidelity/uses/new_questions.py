"""Shares of new questions of the kind: on how many of them a simulator is too far from people."""

from collections.abc import Sequence

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike
from fidelity.bernoulli import bernoulli_kl_upper
from fidelity.binomial import clopper_pearson_upper
from fidelity.curves.envelope import GAMMA_GRID, certified_envelope_share
from fidelity.structure.estimates import Interval
from fidelity.uses.base import USES, Ends, UseKind


@USES.add
class NewQuestions(UseKind):
    """The share of a population of questions on which the distance exceeds a tolerance."""

    name = "new_questions"
    question = "May it answer new questions of this kind?"
    unit = "share of questions beyond the tolerance"
    limit = 0.1
    brings = "people's answers to 36 questions or more, a sample of their kind"
    more = "questions"

    def ends(
        self,
        upper: ArrayLike,
        *,
        tolerance: float,
        gamma: Sequence[float] = GAMMA_GRID,
        lower: ArrayLike | None = None,
        lower_gamma: float = 0.95,
        shared: int = 1,
        alike: bool = True,
    ) -> Ends:
        """Return the interval of the share, exact at this number of questions.

        From above by the envelope, :func:`fidelity.certified_envelope_share`. From below: a lower
        bound L that holds with probability γ exceeds the tolerance in at least as many questions as
        are beyond it times γ, but for 1 - γ; so the share is at least (ū - (1 - γ))/γ, with ū the
        lower limit of P(L > tolerance). The estimate is the middle.

        Args:
            upper: upper pseudo-discrepancies at each γ of the grid, (m, G).
            tolerance: up to which a distance is small, fixed in advance.
            gamma: the grid, (G,).
            lower: lower pseudo-discrepancies at one coverage, (m,); without them nothing is beyond.
            lower_gamma: that coverage.
            shared, alike: as :func:`fidelity.certified_envelope_share`.
        """
        bounds = inputs.table("upper", upper, inputs.REAL, ("scenarios", len(gamma)))
        tolerance = inputs.number("tolerance", tolerance, inputs.FINITE_NOT_NEGATIVE)
        coverage = inputs.number("lower_gamma", lower_gamma, inputs.INSIDE)
        m = len(bounds)
        known = np.zeros(m) if lower is None else inputs.vector("lower", lower, inputs.REAL, m)
        near = int((known <= tolerance).sum())

        def ends(level: float, times: float) -> Interval:
            many, alpha = int(np.ceil(times)), (1.0 - level) / 2.0
            within = certified_envelope_share(
                np.tile(bounds, (many, 1)),
                alpha,
                gamma,
                threshold=tolerance,
                shared=shared,
                alike=alike,
            )
            m_near, m_all = near * many, m * many
            if shared == 1:
                most_near = float(clopper_pearson_upper(m_near, m_all, 1.0 - alpha))
            else:
                reach = -shared * np.log(alpha) / m_all
                most_near = float(bernoulli_kl_upper(np.array(near / m), np.array(reach)))
            least = max(0.0, (1.0 - most_near - (1.0 - coverage)) / coverage)
            return Interval((least + 1.0 - within) / 2.0, least, 1.0 - within)

        return ends
