"""A question that few people answered: ranges of its shares around the hybrid's.

The hybrid of people and simulator is taken for the simulator. A bound V on its total variation from
people is a conformal bound on its upper discrepancies in other questions with as many people seen.
The people of the new question enter only once, through p̃.
"""

from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.hybrids.strength import hybrid
from fidelity.prediction.conformal import conformal_bound
from fidelity.pseudo_discrepancies import pseudo_discrepancy


class QuestionIntervals(NamedTuple):
    """Ranges of people's shares: ends, (m, d); NaN where there is no such option.

    Examples:
        >>> from fidelity.hybrids import QuestionIntervals
        >>> QuestionIntervals._fields  # what hybrid_intervals returns
        ('lower', 'upper')
    """

    lower: FloatArray
    upper: FloatArray


def hybrid_intervals(
    new_seen: ArrayLike,
    new_q: ArrayLike,
    *,
    seen: ArrayLike,
    rest: ArrayLike,
    q: ArrayLike,
    kappa: float,
    alpha: float,
    gamma: float,
    clusters: ArrayLike | None = None,
) -> QuestionIntervals:
    """Return intervals for people's shares in new questions with n₀ people each, (M, d).

    The intervals are those of {u : TV(u, p̃) ≤ V} with p̃ = (x⁰ + κ q̂)/(n₀ + κ). V comes by
    :func:`conformal_bound` from m questions of which n₀ people were seen likewise and others judge.
    All options' shares of a question are held at once with probability at least 1 - α, over the m
    questions and the new one together. These m + 1 questions, or their clusters, must be
    exchangeable. κ must not depend on them: it comes from other questions, or is fixed in advance.

    Args:
        new_seen: answers of n₀ people to the new questions, (M, d); NaN where there is no option.
        new_q: the simulator's probabilities there, (M, d).
        seen, rest: answers of n₀ people, and of those who judge, to the m questions, (m, d), as
            :func:`split_people` gives them.
        q: the simulator's probabilities there, (m, d).
        kappa: κ, how many people the simulator counts as.
        alpha: miss probability.
        gamma: coverage of the upper discrepancies, fixed in advance.
        clusters: one label per question, (m,), where questions of a cluster depend on each other;
            the new ones are of new clusters.

    Raises:
        ValueError: on malformed arrays, numbers of people that differ, or too few questions.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import hybrid_intervals, split_people
        >>> rng = np.random.default_rng(0)
        >>> model = rng.dirichlet([3.0, 3.0, 3.0], 41)
        >>> shares = np.array([rng.dirichlet(20.0 * row) for row in model])
        >>> seen, rest = split_people(rng.multinomial(300, shares[1:]), 10, rng)
        >>> others = {"seen": seen, "rest": rest, "q": model[1:]}
        >>> found = hybrid_intervals(
        ...     [[6, 3, 1]], model[:1], **others, kappa=20.0, alpha=0.1, gamma=0.9
        ... )
        >>> bool((found.upper - found.lower).max() < 0.5)
        True
    """
    mixed, new_mixed = hybrid(seen, q, kappa), hybrid(new_seen, new_q, kappa)
    sizes = np.unique([*np.nansum(seen, axis=1), *np.nansum(new_seen, axis=1)])
    if len(sizes) > 1:
        raise ValueError(
            "seen and new_seen must be of as many people in each question, not of "
            f"{sizes[0]:g} to {sizes[-1]:g}"
        )
    upper = pseudo_discrepancy(
        rest, mixed, discrepancy="tv", confidence_set="witness", gamma=gamma
    ).upper
    bound = conformal_bound(upper, alpha=alpha, gamma=gamma, clusters=clusters)
    new_mixed = inputs.probabilities("q", new_mixed)
    bounds = np.full(len(new_mixed), float(bound))
    return QuestionIntervals(*DISCREPANCIES["tv"].option_ranges(new_mixed, bounds, None))
