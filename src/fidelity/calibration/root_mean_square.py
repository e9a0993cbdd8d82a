"""How far stated probabilities are from frequencies: the root of a mean square without noise.

A mean of absolute differences has no unbiased estimate: that of a calibrated forecaster is .06 with
300 events. Squares do. Of bins b of about equal mass, with shares w_b,

    Σ w_b (mean statement - frequency)² - noise.
"""

import numpy as np

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike
from fidelity.calibration.reliability import bins_of, equal_mass_edges
from fidelity.squared_lengths import Length
from fidelity.structure.estimates import TooFewError

MOST_BINS, FEWEST = 10, 30


def calibration_length(
    confidence: ArrayLike,
    outcome: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Length:
    """Return how far statements are from frequencies in at most 10 bins, as a length.

    Bins have equal mass, as nearly as ties allow, and 30 events each or more. Where hardly any
    event of a bin happened, or nearly all, its frequency varies more than it shows: errors then
    take one event and one non-event more for granted.

    Args:
        confidence: stated probabilities, (N,).
        outcome: whether the event happened, 0 or 1, (N,).
        clusters: one label per row, of events that may depend on each other, (N,); or None.
        weights: of the rows, (N,).

    Raises:
        ValueError: on malformed arguments.
        TooFewError: if there are fewer than 30 events, or two clusters.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import calibration_length
        >>> rng = np.random.default_rng(0)
        >>> stated = rng.random(600)
        >>> happened = rng.random(600) < 0.5 + 0.5 * (stated - 0.5)  # too sure by half
        >>> [round(end, 2) for end in calibration_length(stated, happened).root(0.95)]
        [0.13, 0.09, 0.17]
    """
    confidence, outcome, clusters, weights = inputs.aligned(
        confidence=confidence, outcome=outcome, clusters=clusters, weights=weights
    )
    stated = inputs.vector("confidence", confidence, inputs.UNIT)
    n = len(stated)
    happened = inputs.vector("outcome", outcome, inputs.TRUE_OR_FALSE, n)
    mass = inputs.each("weights", 1.0 if weights is None else weights, inputs.FINITE_POSITIVE, n)
    labels: AnyArray = np.arange(n) if clusters is None else inputs.labels("clusters", clusters, n)
    unit = np.unique(labels, return_inverse=True)[1]
    units = int(unit.max()) + 1
    if n < FEWEST or units < 2:
        raise TooFewError(f"calibration needs {FEWEST} events or more, in 2 clusters or more")
    edges = equal_mass_edges(stated, int(np.clip(n // FEWEST, 1, MOST_BINS)), weights=mass)
    member = np.unique(bins_of(stated, edges, "right")[1], return_inverse=True)[1]
    inside = (member[:, None] == np.arange(int(member.max()) + 1)) * mass[:, None]
    total, kish = inside.sum(0), inside.sum(0) ** 2 / (inside**2).sum(0)
    gap = (stated - happened) @ inside / total
    effects = inside / total * ((stated - happened)[:, None] - gap)
    root = np.sqrt(total / total.sum())
    rows = np.zeros((units, len(root)))
    np.add.at(rows, unit, effects * root * np.sqrt(kish / np.maximum(kish - 1.0, 1.0)))
    if units < n:
        rows *= np.sqrt(units / (units - 1.0))
    share = (happened @ inside / total * kish + 1.0) / (kish + 2.0)
    least = root**2 * share * (1.0 - share) / (kish + 2.0)
    covariance = rows.T @ rows
    noise = float(np.trace(covariance))
    covariance += np.diag(np.maximum(least - np.diag(covariance), 0.0))
    return Length(root * gap, covariance, float(max(units - len(root), 1)), noise)
