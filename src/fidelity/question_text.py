"""Baseline simulators that learn from the wording of questions.

People's answers to other questions, weighted by how alike the wordings are, as a guess of how they
answer this one. A simulator that does not beat them adds nothing to what people said elsewhere.

**Cross-fitted**: the row of a scenario is computed without the answers to any scenario of its fold,
its own included, to the last bit. A fold holds whole questions, so that the same question put to
another group is not seen either.
"""

import hashlib

import numpy as np

FOLDS = 10
NEIGHBOURS = 5
RIDGES = np.logspace(-2, 2, 9)
WORDS, LETTERS = (1, 2), (3, 5)


def folds_of(texts: list[str], folds: int = FOLDS) -> np.ndarray:
    """Assign each question to one of ``folds`` folds by its wording.

    Keyed by content: more questions change nobody's fold, and one wording is in one fold.

    Returns:
        Numbers from 0 to ``folds - 1``, (m,).
    """
    digests = (hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.array([int.from_bytes(digest) % folds for digest in digests])


def text_similarity(texts: list[str]) -> np.ndarray:
    """Return how alike wordings are, (m, m) from 0 to 1: cosines of TF-IDF vectors.

    Half from words and pairs of words, half from 3 to 5 letters in a row within words, so that
    inflected words count as alike. No answers are used.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizers = (
        TfidfVectorizer(ngram_range=WORDS, token_pattern=r"(?u)\b\w+\b", sublinear_tf=True),
        TfidfVectorizer(ngram_range=LETTERS, analyzer="char_wb", sublinear_tf=True),
    )
    features = [vectorizer.fit_transform(texts) for vectorizer in vectorizers]
    return sum((each @ each.T).toarray() for each in features) / len(features)


def nearest_questions(
    counts: np.ndarray, similarity: np.ndarray, fold: np.ndarray, *, neighbours: int = NEIGHBOURS
) -> np.ndarray:
    """Give the mean shares of the scenarios with the most similar wording, weighted by similarity.

    Args:
        counts: people's answers, (m, d), on one set of options.
        similarity: of the wordings, (m, m), at least 0; see :func:`text_similarity`.
        fold: each scenario's fold, (m,).
        neighbours: how many scenarios of other folds are used.

    Returns:
        Probabilities, (m, d). Where no wording is similar, the mean over all other folds; NaN where
        there is no other fold.

    Raises:
        ValueError: if the shapes do not fit together.
    """
    shares, answered = _shares(counts, similarity, fold)
    result = np.full(shares.shape, np.nan)
    for j in range(len(shares)):
        others = np.flatnonzero((fold != fold[j]) & answered)
        if not len(others):
            continue
        nearest = others[np.argsort(-similarity[j, others], kind="stable")[:neighbours]]
        weight = similarity[j, nearest]
        if not weight.any():
            nearest, weight = others, np.ones(len(others))
        result[j] = weight @ shares[nearest] / weight.sum()
    return result


def question_ridge(counts: np.ndarray, similarity: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Predict the shares by kernel ridge regression on the wording.

    For each fold, the shares' deviations from their mean are regressed on the wording in the other
    folds. The ridge is the one among ``RIDGES`` with the smallest squared error when each of those
    other folds is left out in turn: with A = (K + λ I)⁻¹ the residuals of a fold G left out are
    (A_GG)⁻¹ (A y)_G. Negative predictions are set to 0 and the rest normalised.

    Args:
        counts: people's answers, (m, d), on one set of options.
        similarity: kernel K of the wordings, (m, m), positive semidefinite.
        fold: each scenario's fold, (m,).

    Returns:
        Probabilities, (m, d); NaN where there is no other fold.

    Raises:
        ValueError: if the shapes do not fit together.
    """
    shares, answered = _shares(counts, similarity, fold)
    result = np.full(shares.shape, np.nan)
    for label in np.unique(fold):
        members, others = fold == label, np.flatnonzero((fold != label) & answered)
        if not len(others):
            continue
        mean = shares[others].mean(axis=0)
        kernel, deviation = similarity[np.ix_(others, others)], shares[others] - mean
        errors = [_left_out_error(kernel, deviation, fold[others], ridge) for ridge in RIDGES]
        ridge = RIDGES[int(np.argmin(errors))]
        weights = np.linalg.solve(kernel + ridge * np.eye(len(others)), deviation)
        predicted = np.maximum(mean + similarity[np.ix_(members, others)] @ weights, 0.0)
        result[members] = predicted / predicted.sum(axis=1, keepdims=True)
    return result


def _left_out_error(kernel: np.ndarray, y: np.ndarray, fold: np.ndarray, ridge: float) -> float:
    """Return the sum of squared residuals of every fold when it is left out."""
    inverse = np.linalg.inv(kernel + ridge * np.eye(len(kernel)))
    fitted = inverse @ y
    residuals = (
        np.linalg.solve(inverse[np.ix_(members, members)], fitted[members])
        for members in (np.flatnonzero(fold == label) for label in np.unique(fold))
    )
    return sum(float((each**2).sum()) for each in residuals)


def _shares(
    counts: np.ndarray, similarity: np.ndarray, fold: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return each scenario's shares, (m, d), and where there are any answers, (m,)."""
    counts = np.asarray(counts, float)
    if counts.ndim != 2:
        raise ValueError(f"counts must be (scenarios, options), got shape {counts.shape}")
    m = len(counts)
    if np.shape(similarity) != (m, m) or np.shape(fold) != (m,):
        raise ValueError(
            f"similarity must be ({m}, {m}) and fold ({m},), got {np.shape(similarity)} and "
            f"{np.shape(fold)}"
        )
    total = counts.sum(axis=1, keepdims=True)
    answered = total[:, 0] > 0
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0), answered
