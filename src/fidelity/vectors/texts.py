"""Texts as points: TF-IDF of their words, and its largest directions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fidelity.arrays import FloatArray

FEWEST_TEXTS, MOST_FEATURES, COMPONENTS = 2, 10, 50
SIGN = r"[\u3040-\u30ff\u3400-\u9fff]"
"""Signs of Chinese and Japanese, which have no spaces between words."""
WORD = rf"(?u){SIGN}|(?:(?!{SIGN})\w)+(?:['’](?:(?!{SIGN})\w)+)*"


class Embedding(NamedTuple):
    """Different answers to a question as points, and as features that readers understand.

    Attributes:
        points: (N, D).
        features: words that answers have, 1 or 0, or the vectors' own columns, (N, F).
        names: of the features.
        radius: of a ball that holds all possible answers; None where it is unknown.

    Examples:
        >>> from fidelity.vectors import Embedding
        >>> Embedding([[0.0, 1.0]], [[0.0, 1.0]], ["x1", "x2"], None).names
        ['x1', 'x2']
    """

    points: FloatArray
    features: Any
    names: Sequence[str]
    radius: float | None


def embedded_texts(texts: Sequence[str]) -> Embedding:
    """Return texts as points of length 1, without knowing whose they are.

    TF-IDF of words, where more than 50 occur its 50 largest directions by truncated SVD. A text
    without a word of the vocabulary is 0.

    Args:
        texts: different ones, N. Where there are more than ten, words of a single text don't count.

    Returns:
        With a sparse table of words as features.

    Examples:
        >>> from fidelity.vectors import embedded_texts
        >>> embedding = embedded_texts(["more parks", "more buses"])
        >>> list(embedding.names), embedding.points.round(2).tolist()
        (['buses', 'more', 'parks'], [[0.0, 0.58, 0.81], [0.81, 0.58, 0.0]])
    """
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    fewest = FEWEST_TEXTS if len(texts) > MOST_FEATURES else 1
    counter = CountVectorizer(token_pattern=WORD, min_df=fewest)
    try:
        counts = counter.fit_transform(texts)
    except ValueError:  # no word in two texts
        empty = np.zeros((len(texts), 1))
        return Embedding(empty, empty, [""], 1.0)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    many = min(COMPONENTS, min(weighted.shape) - 1)
    points = weighted.toarray()
    if many >= 1 and points.shape[1] > COMPONENTS:
        points = TruncatedSVD(many, n_iter=7, random_state=0).fit_transform(weighted)
    length = np.linalg.norm(points, axis=1, keepdims=True)
    points = np.divide(points, length, out=np.zeros_like(points), where=length > 0.0)
    present = (counts > 0).astype(float)
    return Embedding(points, present, counter.get_feature_names_out(), 1.0)
