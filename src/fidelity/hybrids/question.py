"""A question that few people answered: their confidence set and the simulator's, intersected.

With probability at least 1 - δ₁ the n₀ people's confidence set holds their shares p. With
probability at least 1 - α₁ a bound V from other questions holds: L(p, q̂) ≤ V. So both hold p with
probability at least 1 - δ₁ - α₁ (Bonferroni), for any dependence between them.

The gain is small. An example has three options, a simulator worth 10 people (V = .31) and α = .1 in
halves. Mean widths of options' intervals were .434, .306 and .223 at n₀ = 10, 25 and 50; people
alone at all of α have .455, .288 and .201. So it pays for the fewest people or a good V, and α₁
should be small where V is wide.

Alternatively the hybrid itself is taken for the simulator (:func:`hybrid_intervals`). V is then a
conformal bound on its upper discrepancies in other questions with as many people seen. The people
of the new question enter only once, through p̃.
"""

from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, Ends, FloatArray
from fidelity.binomial import clopper_pearson_lower, clopper_pearson_upper
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.hybrids.strength import hybrid
from fidelity.prediction.conformal import conformal_bound
from fidelity.pseudo_discrepancies import pseudo_discrepancy


class QuestionIntervals(NamedTuple):
    """Ranges of people's shares.

    Attributes:
        lower, upper: ends, (m, d); NaN where there is no such option. Where people and simulator
            contradict each other, ``lower`` is above ``upper``.
        empty: whether they contradict each other, of the same shape. Then the question is one of
            the rare ones that the interval misses, or unlike the questions that V was made from.

    Examples:
        >>> from fidelity.hybrids import option_intervals
        >>> found = option_intervals([[0, 20]], [[0.9, 0.1]], 0.05, alpha=0.1, bound_alpha=0.05)
        >>> found.empty
        array([[ True,  True]])
    """

    lower: FloatArray
    upper: FloatArray
    empty: BoolArray


def option_intervals(
    seen: ArrayLike,
    q: ArrayLike,
    bound: ArrayLike,
    *,
    alpha: float,
    bound_alpha: float,
    jointly: bool = False,
) -> QuestionIntervals:
    """Return intervals for people's shares in questions that n₀ people answered, (m, d).

    Each interval holds its share with probability at least 1 - α; with ``jointly``, all of a
    question do together. The people's part is Clopper-Pearson's at δ₁ = α - α₁ (by Bonferroni over
    options, if jointly). The simulator's part is {u : TV(u, q̂) ≤ V}. People must be independent,
    and V must not depend on them.

    Args:
        seen: answers of n₀ people, (m, d); whole numbers, NaN where there is no such option. Nobody
            may have answered.
        q: the simulator's probabilities, (m, d).
        bound: V with P(TV(p, q̂) > V) ≤ α₁ for such a question, one or (m,), as
            :func:`fidelity.marginal_curve` at 1 - α₁ gives it.
        alpha: α, the probability that people's part and the simulator's may miss together.
        bound_alpha: α₁, the probability that V may miss; less than α.
        jointly: whether all options' shares are to be held at once.

    Raises:
        ValueError: on malformed arrays, and unless 0 < α₁ < α < 1.

    Examples:
        >>> from fidelity.hybrids import option_intervals
        >>> people, model = [[6, 3, 1]], [[0.5, 0.3, 0.2]]
        >>> found = option_intervals(people, model, 0.2, alpha=0.1, bound_alpha=0.05)
        >>> found.lower.round(2), found.upper.round(2)
        (array([[0.3, 0.1, 0. ]]), array([[0.7, 0.5, 0.4]]))
    """
    seen, q, bound = inputs.aligned(seen=seen, q=q, bound=bound)
    seen = inputs.table("seen", seen, inputs.COUNTS, ("scenarios", "options"))
    seen = inputs.whole_counts("seen", seen, "Clopper-Pearson's interval is of whole numbers")
    q = inputs.table("q", q, inputs.SHARE_OR_NOTHING, seen.shape)
    exists = inputs.options_of("seen", seen, {"q": q})
    tail = _tail(alpha, bound_alpha)
    low, high = _ranges(q, bound)
    n = np.nansum(seen, axis=1, keepdims=True)
    d = exists.sum(1, keepdims=True)
    level = 1.0 - tail / np.where(d == 2, 1, d) if jointly else 1.0 - tail
    asked = exists & (n > 0.0)
    x, n = np.where(asked, seen, 0.0), np.where(asked, n, 1.0)
    low = np.where(asked, np.maximum(low, clopper_pearson_lower(x, n, level)), low)
    high = np.where(asked, np.minimum(high, clopper_pearson_upper(x, n, level)), high)
    return QuestionIntervals(low, high, low > high)


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
    low, high = _ranges(new_mixed, bound)
    return QuestionIntervals(low, high, low > high)


def _ranges(q: FloatArray, bound: ArrayLike) -> Ends:
    """Return each option's range of shares over {u : TV(u, q) ≤ V}, (m, d) each."""
    q = inputs.probabilities("q", q)
    bound = inputs.each("bound", bound, inputs.NOT_NEGATIVE, len(q))
    return DISCREPANCIES["tv"].option_ranges(q, bound, None)


def _tail(alpha: float, bound_alpha: float) -> float:
    """Return δ₁/2, the probability that people's interval may miss on each side."""
    alpha = inputs.number("alpha", alpha, inputs.INSIDE)
    bound_alpha = inputs.number("bound_alpha", bound_alpha, inputs.INSIDE)
    if not bound_alpha < alpha:
        raise ValueError(
            f"bound_alpha must be less than alpha ({alpha:g}), which it is a part of, "
            f"not {bound_alpha:g}"
        )
    return (alpha - bound_alpha) / 2.0
