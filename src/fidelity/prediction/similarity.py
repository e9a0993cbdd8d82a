"""How alike questions are, from features or wording: weights for localised bounds.

Each function takes the m questions asked and the new one together, the new one last, and treats
them alike: bandwidths, scales and word frequencies come from all m + 1. This keeps localised bounds
exact. No answers are used.
"""

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.baselines.from_wording import text_similarity


def gaussian_similarity(features: ArrayLike, *, bandwidth: float | None = None) -> FloatArray:
    """Return exp(-|x_i - x_j|²/(2h²)) of the questions' features, (N, N).

    Args:
        features: numbers that describe each question, (N, f), the new one last. Each column is
            divided by its standard deviation over the N questions, so that units don't matter;
            columns without variation are left out.
        bandwidth: h > 0, in standard deviations; by default the median distance of two different
            questions. All similarities are 1 where there is no variation at all.

    Examples:
        >>> from fidelity.prediction import gaussian_similarity
        >>> options_and_words = [[2, 10], [5, 12], [2, 30]]
        >>> gaussian_similarity(options_and_words).round(2)
        array([[1.  , 0.63, 0.61],
               [0.63, 1.  , 0.42],
               [0.61, 0.42, 1.  ]])
    """
    features = inputs.table("features", features, inputs.FINITE, ("questions", "features"))
    spread = features.std(0)
    varies = np.ptp(features, axis=0) > 0.0
    x = features[:, varies] / spread[varies]
    norm = (x**2).sum(1)
    squared = np.maximum(norm[:, None] + norm - 2.0 * x @ x.T, 0.0)
    np.fill_diagonal(squared, 0.0)
    return _gaussian(squared, bandwidth)


def wording_similarity(texts: list[str], *, bandwidth: float | None = None) -> FloatArray:
    """Return exp(-D²/(2h²)) of the questions' wording, (N, N), D² = 2 - 2 cosine.

    The cosine is that of TF-IDF vectors of words, pairs of words and 3 to 5 letters, as in the
    baselines that learn from the wording.

    Args:
        texts: the wording of each question, (N,), the new one last.
        bandwidth: h > 0; by default the median distance of two different questions.

    Raises:
        ValueError: if no text has a letter or digit.

    Examples:
        >>> from fidelity.prediction import wording_similarity
        >>> texts = ["Should taxes rise?", "Should we ban cars?", "Should taxes on fuel rise?"]
        >>> wording_similarity(texts)[-1].round(2)
        array([0.8 , 0.59, 1.  ])
    """
    cosine = text_similarity(list(texts))
    squared = np.maximum(2.0 - 2.0 * cosine, 0.0)
    np.fill_diagonal(squared, 0.0)
    return _gaussian(squared, bandwidth)


def _gaussian(squared: FloatArray, bandwidth: float | None) -> FloatArray:
    """Return the Gaussian kernel of squared distances, (N, N)."""
    if bandwidth is None:
        apart = np.sqrt(squared[np.triu_indices(len(squared), 1)])
        positive = apart[apart > 0.0]
        if not len(positive):
            return np.ones(squared.shape)
        bandwidth = float(np.median(apart) or np.median(positive))
    h = inputs.number("bandwidth", bandwidth, inputs.FINITE_POSITIVE)
    return np.exp(-squared / (2.0 * h**2))
