"""The range of every option's share, and of the mean, over {u : L(u, q) ≤ V}.

If V bounds a question's discrepancy with probability 1-α, people's shares lie in this set with that
probability. So all ranges made from the set hold at once. Each range is exact: both ends are
attained in the set, up to rounding. The discrepancies' classes know them (``option_ranges`` and
``mean_range``), and :mod:`fidelity.extrema.ranges` finds them.
"""

from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with


class PredictionIntervals(NamedTuple):
    """Ranges of people's possible answers, over {u : L(u, q) ≤ V}.

    Attributes:
        lower, upper: of each option's share, in the shape of q; NaN where there is no such option.
        mean_lower, mean_upper: of people's mean score, one per question; NaN without scores.

    Examples:
        >>> from fidelity.prediction import prediction_intervals
        >>> found = prediction_intervals([0.2, 0.3, 0.5], 0.1, discrepancy="tv", scores=[1, 2, 3])
        >>> print(round(float(found.mean_lower), 2), round(float(found.mean_upper), 2))
        2.1 2.5
    """

    lower: FloatArray
    upper: FloatArray
    mean_lower: FloatArray
    mean_upper: FloatArray


def prediction_intervals(
    q: ArrayLike,
    bound: ArrayLike,
    *,
    discrepancy: str,
    scores: ArrayLike | None = None,
) -> PredictionIntervals:
    """Return where people's shares and mean may lie in a scenario that is not seen.

    The range of each option's share, and of the mean, over {u : L(u, q) ≤ V}.

    With V from :func:`fidelity.prediction.conformal_bound` or
    :func:`fidelity.prediction.localised_bound` people's true shares lie in all ranges of a question
    at once with probability 1-α. That is a statement about the population's shares; those of a
    sample of people vary around them.

    Args:
        q: the simulator's probabilities, (d,) or (m, d); NaN where a question lacks an option.
        bound: V, one or (m,); +inf allows everything.
        discrepancy: the one that V bounds, whose ``has_option_ranges`` is true.
        scores: the options' scores, (d,) or (m, d), for a discrepancy that needs them (two options
            have 0 and 1 if none are given) and for the mean.

    Raises:
        ValueError: if the discrepancy has no known ranges, needs scores, or, with scores, has no
            known range of the mean (``has_mean_range``).

    Examples:
        >>> from fidelity.prediction import prediction_intervals
        >>> found = prediction_intervals([0.2, 0.3, 0.5], 0.1, discrepancy="tv")
        >>> found.lower.round(2), found.upper.round(2)
        (array([0.1, 0.2, 0.4]), array([0.3, 0.4, 0.6]))
    """
    q, bound, scores = inputs.aligned(q=q, bound=bound, scores=scores, across=("q", "scores"))
    q = inputs.probabilities("q", q)
    inputs.one_of("discrepancy", discrepancy, discrepancies_with("has_option_ranges"))
    measure = DISCREPANCIES[discrepancy]
    table = np.atleast_2d(q)
    m, shape = len(table), q.shape[:-1]
    bound = inputs.each("bound", bound, inputs.NOT_NEGATIVE, m)
    exists = inputs.options_of("q", table, {})
    scores = inputs.scores_of(scores, table.shape)
    if scores is not None and not measure.has_mean_range:
        raise ValueError(
            f"scores must not be given for {discrepancy}: the range of a mean is known for "
            f"{', '.join(discrepancies_with('has_mean_range'))} only"
        )
    lower, upper = np.full((2, *table.shape), np.nan)
    mean = np.full((2, m), np.nan)
    for rows, there, row_scores in inputs.scales(exists, scores):
        cells = np.ix_(rows, there)
        share = table[cells] / table[cells].sum(1, keepdims=True)
        row_scores = measure.checked_scores(row_scores, len(there))
        lower[cells], upper[cells] = measure.option_ranges(share, bound[rows], row_scores)
        if row_scores is not None and (scores is not None or measure.on == "mean"):
            mean[:, rows] = measure.mean_range(share, bound[rows], row_scores)
    return PredictionIntervals(
        lower.reshape(q.shape), upper.reshape(q.shape), *mean.reshape(2, *shape)
    )
