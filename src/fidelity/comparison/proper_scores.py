"""Proper scores of stated probabilities, scenario by scenario; one answer per scenario is enough.

A score S(q, y) is a penalty for stating q when y is answered. Its average is lowest for the true
probabilities p. The mean over a scenario's answers has the expectation S(q, p) = Σ_y p_y S(q, y),
however few answers there are. For distributions over options it is

- Brier (1950): S(q, p) = Σ_i (q_i - p_i)² + Σ_i p_i(1 - p_i);
- logarithmic (Good 1952): S(q, p) = KL(p‖q) + the entropy of p, in nats.

The second term is the same for every simulator. So the difference of two simulators' scores is, in
expectation, the difference of their squared distances (divergences) from the true probabilities. A
single answer cannot tell these distances themselves; the Brier score is only an upper bound.

For numbers, CRPS(F, y) = ∫ (F(x) - 1{y ≤ x})² dx (Matheson & Winkler 1976); its expectation is
∫ (F - G)² dx + ∫ G(1 - G) dx for answers with distribution function G (Gneiting & Raftery 2007,
J. Am. Stat. Assoc. 102, 359-378).

Arguments ``stated`` and ``people`` are shares of the same options or values, (m, d), a row for each
scenario, not negative and of sum one. Shares of draws are scored as they are: those of k draws from
q have a Brier score that is higher by Σ_i q_i(1 - q_i)/k on average.
"""

import numpy as np

from fidelity.arrays import FloatArray
from fidelity.blocks import by_blocks


def brier_by_scenario(stated: FloatArray, people: FloatArray) -> FloatArray:
    """Return the mean over answers of Σ_i (q_i - 1{i is answered})², (m,), between 0 and 2."""
    beyond: FloatArray = (stated * (stated - 2.0 * people)).sum(1)
    return 1.0 + beyond


def log_score_by_scenario(stated: FloatArray, people: FloatArray) -> FloatArray:
    """Return the mean over answers of -log q of the answer, (m,), in nats.

    Infinite where somebody answered an option whose stated probability is 0.
    """
    with np.errstate(divide="ignore"):
        penalty = -np.log(stated)
    return np.where(people > 0, people * np.where(people > 0, penalty, 0.0), 0.0).sum(1)


def crps_by_scenario(stated: FloatArray, people: FloatArray, values: FloatArray) -> FloatArray:
    """Return the mean over answers of the CRPS, (m,), in the unit of the outcome.

    Args:
        stated: shares of the values.
        people: shares of the values among the answers.
        values: numbers, increasing, (d,); all values of people and simulators.

    Raises:
        ValueError: on shares that are no distribution, or values that do not increase.
    """
    steps = np.diff(np.asarray(values, float))
    if len(steps) + 1 != stated.shape[1] or not (steps > 0).all():
        raise ValueError("give one value for each share, in increasing order")

    def scores(stated: FloatArray, people: FloatArray) -> FloatArray:
        # a row for each value: sums along short rows take longer than sums of long ones
        gap, answered = (np.ascontiguousarray(x.T[:-1]).cumsum(0) for x in (stated, people))
        gap -= answered
        gap *= gap
        gap += answered
        answered *= answered
        gap -= answered
        return steps @ gap

    return by_blocks(scores, stated, people)


def score_by_option(score: str, stated: FloatArray) -> FloatArray:
    """Return the score that each option would get if it happened, (..., K); NaN as ``stated``.

    Args:
        score: ``brier`` or ``log``.
        stated: probabilities, (..., K).

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison.proper_scores import score_by_option
        >>> score_by_option("brier", np.array([0.5, 0.3, 0.2])).round(2).tolist()
        [0.38, 0.78, 0.98]
    """
    if score == "brier":
        return 1.0 + np.nansum(stated**2, -1, keepdims=True) - 2.0 * stated
    with np.errstate(divide="ignore"):
        return -np.log(stated)


def limits_of(scores: FloatArray, less: FloatArray | float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest score of each row, or difference, by its options.

    Args:
        scores: of each option, (..., K), NaN where there is none.
        less: what is taken off, for differences.
    """
    with np.errstate(invalid="ignore"):
        scores = scores - less
    return np.nanmin(scores, -1), np.nanmax(scores, -1)
