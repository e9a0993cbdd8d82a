"""Baseline simulators that learn from the wording of questions.

Each guesses people's answers to a question from their answers to questions with a similar wording.
A simulator that does not beat them adds nothing to people's answers elsewhere.

Scenarios with the same wording, such as one question put to several groups, are one question; its
shares are the mean over them.

**Cross-fitted**: questions are in folds. The row of a scenario is computed without the answers to
any question of its fold, neither its own answers nor those of other groups. Changing these answers
changes nothing in the row, to the last bit. Whether there are any answers may change it by
rounding.
"""

import hashlib
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fidelity.arrays import ArrayLike, BoolArray, Counts, FloatArray, IntArray
from fidelity.baselines.base import BASELINES, Asked, Baseline

FOLDS = 10
NEIGHBOURS = 5
RIDGES = np.logspace(2, -2, 9)
WORDS, LETTERS = (1, 2), (3, 5)
MOST_QUESTIONS = 5_000
DECIMALS = 12


class FromWording(Baseline):
    """A baseline that learns from questions with a similar wording."""

    needs = ("wording",)
    no_teacher = "no two questions with the same options are in different folds"


@BASELINES.add
class NearestQuestions(FromWording):
    """The shares of the questions with the most similar wording."""

    name = "nearest_questions"
    label = "similar questions' answers"
    describe = f"People's answers to the {NEIGHBOURS} questions with the most similar wording."

    def state(self, asked: Asked) -> FloatArray:
        """Return the weighted mean over the nearest questions."""
        assert asked.wording is not None
        return nearest_questions(asked.counts, asked.wording)


@BASELINES.add
class QuestionRidge(FromWording):
    """A kernel ridge regression of the shares on the wording."""

    name = "question_ridge"
    label = "forecast from the wording"
    describe = "A regression of people's answers to other questions on the wording."

    def state(self, asked: Asked) -> FloatArray:
        """Return the regression's shares."""
        assert asked.wording is not None
        return question_ridge(asked.counts, asked.wording)


def nearest_questions(
    counts: ArrayLike, texts: list[str], *, neighbours: int = NEIGHBOURS
) -> FloatArray:
    """Give the mean shares of the questions with the most similar wording, weighted by similarity.

    Args:
        counts: people's answers, (m, d), on one set of options.
        texts: the wording of each scenario's question, (m,).
        neighbours: how many questions of other folds are used.

    Returns:
        Probabilities, (m, d). Where no wording is similar, the mean over all questions of other
        folds; NaN where there are none.

    Raises:
        ValueError: if the shapes do not fit together, no text has a letter or digit, or there are
            more than ``MOST_QUESTIONS`` questions.

    Examples:
        >>> import numpy as np
        >>> from fidelity.baselines import nearest_questions
        >>> texts = ["Should taxes rise?", "Should taxes on fuel rise?", "Should we ban cars?"]
        >>> counts = np.array([[30, 70], [35, 65], [80, 20]])
        >>> nearest_questions(counts, texts, neighbours=1).round(2)
        array([[0.35, 0.65],
               [0.3 , 0.7 ],
               [0.3 , 0.7 ]])
    """
    asked = Questions.of(counts, texts)
    result = np.full(asked.shares.shape, np.nan)
    for j, similarity in enumerate(asked.similarity):
        others = np.flatnonzero((asked.fold != asked.fold[j]) & asked.answered)
        if not len(others):
            continue
        nearest = others[np.argsort(-similarity[others], kind="stable")[:neighbours]]
        weight = similarity[nearest]
        if not weight.any():
            nearest, weight = others, np.ones(len(others))
        result[j] = weight @ asked.shares[nearest] / weight.sum()
    return result[asked.of_scenario]


def question_ridge(counts: ArrayLike, texts: list[str]) -> FloatArray:
    """Predict the shares by kernel ridge regression on the wording.

    The shares' deviations from their mean over scenarios are regressed on the wordings of the other
    folds, with :func:`text_similarity` as the kernel. The ridge is chosen among ``RIDGES`` by
    cross-validation: each fold other than the scenario's own is left out in turn, and the smallest
    squared error over scenarios wins. With only two folds it is the largest ridge. Negative
    predictions are set to 0 and the rest normalised.

    Args:
        counts: people's answers, (m, d), on one set of options.
        texts: the wording of each scenario's question, (m,).

    Returns:
        Probabilities, (m, d); NaN where there is no other fold.

    Raises:
        ValueError: as :func:`nearest_questions`.

    Examples:
        >>> import numpy as np
        >>> from fidelity.baselines import question_ridge
        >>> texts = ["Should taxes rise?", "Should taxes on fuel rise?", "Should we ban cars?"]
        >>> counts = np.array([[30, 70], [35, 65], [80, 20]])
        >>> question_ridge(counts, texts).round(2)
        array([[0.57, 0.43],
               [0.55, 0.45],
               [0.32, 0.68]])
    """
    asked = Questions.of(counts, texts)
    folds = [np.flatnonzero(asked.fold == label) for label in np.unique(asked.fold)]
    loss = np.zeros((len(folds), len(RIDGES)))
    predicted = np.empty((len(RIDGES), *asked.shares.shape))
    for r, ridge in enumerate(RIDGES):
        inverse = asked.inverse(ridge)
        for fold in folds:
            predicted[r, fold] = asked.predicted_without(fold, inverse)
        for a, b in combinations(range(len(folds)), 2):
            both = np.concatenate([folds[a], folds[b]])
            residuals = asked.shares[both] - asked.predicted_without(both, inverse)
            error = asked.scenarios[both] * (residuals**2).sum(axis=1)
            loss[a, r] += error[len(folds[a]) :].sum()
            loss[b, r] += error[: len(folds[a])].sum()
    result = np.empty(asked.shares.shape)
    for fold, best in zip(folds, loss.argmin(axis=1), strict=True):
        result[fold] = np.maximum(predicted[best, fold], 0.0)
    result /= result.sum(axis=1, keepdims=True)
    return result[asked.of_scenario]


def text_similarity(texts: list[str]) -> FloatArray:
    """Return how alike wordings are, (m, m) from 0 to 1: cosines of TF-IDF vectors.

    Half of the similarity is from words and pairs of words. The other half is from 3 to 5 letters
    in a row within words, so that inflected words count as alike. No answers are used. Results are
    rounded to ``DECIMALS``, so that rounding errors don't decide which of two wordings is nearer.

    Raises:
        ValueError: if no text has a letter or digit.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizers = (
        TfidfVectorizer(ngram_range=WORDS, token_pattern=r"(?u)\b\w+\b", sublinear_tf=True),
        TfidfVectorizer(ngram_range=LETTERS, analyzer="char_wb", sublinear_tf=True),
    )
    if not any(map(str.isalnum, "".join(texts))):
        raise ValueError("no text has a letter or digit")
    features = [vectorizer.fit_transform(texts) for vectorizer in vectorizers]
    similarity = sum((feature @ feature.T).toarray() for feature in features) / len(features)
    return similarity.round(DECIMALS)


def folds_of(texts: list[str]) -> FloatArray:
    """Assign each wording to one of ``FOLDS`` folds, (m,), numbered from 0.

    A wording's fold depends on its text alone: more questions change nobody's fold.
    """
    digests = (hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.array([int.from_bytes(digest) % FOLDS for digest in digests])


@dataclass(frozen=True)
class Questions:
    """Scenarios by wording: u questions.

    Attributes:
        of_scenario: each scenario's question, (m,) from 0.
        shares: the mean over the question's scenarios with answers, (u, d).
        scenarios: how many of these there are, (u,).
        fold: (u,).
        similarity: of the wordings, (u, u).
    """

    of_scenario: IntArray
    shares: FloatArray
    scenarios: Counts
    fold: FloatArray
    similarity: FloatArray

    @classmethod
    def of(cls, counts: ArrayLike, texts: list[str]) -> "Questions":
        """Group scenarios by wording; arguments and errors as :func:`nearest_questions`."""
        counts = np.asarray(counts, float)
        if counts.ndim != 2 or len(counts) != len(texts):
            raise ValueError(
                "counts must be (scenarios, options), with a text for each scenario; got shape "
                f"{counts.shape} and {len(texts)} texts"
            )
        wordings, question = np.unique(np.asarray(texts, object), return_inverse=True)
        if len(wordings) > MOST_QUESTIONS:
            raise ValueError(
                f"there are {len(wordings):,} questions, more than the {MOST_QUESTIONS:,} whose "
                "wordings can be compared with each other"
            )
        total = counts.sum(axis=1, keepdims=True)
        shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
        scenarios = np.bincount(question, total[:, 0] > 0, len(wordings))
        added = np.zeros((len(wordings), counts.shape[1]))
        np.add.at(added, question, shares)
        return cls(
            of_scenario=question,
            shares=added / np.maximum(scenarios, 1)[:, None],
            scenarios=scenarios,
            fold=folds_of(list(wordings)),
            similarity=text_similarity(list(wordings)),
        )

    @property
    def answered(self) -> BoolArray:
        """Which questions anybody answered, (u,)."""
        return self.scenarios > 0

    def inverse(self, ridge: float) -> FloatArray:
        """Return A = (K + λ N⁻¹)⁻¹, (u, u), where N holds the numbers of scenarios."""
        noise = ridge / np.maximum(self.scenarios, 1)
        return np.linalg.inv(self.similarity + np.diag(noise)).astype(float, copy=False)

    def predicted_without(self, left_out: IntArray, inverse: FloatArray) -> FloatArray:
        """Predict the shares of some questions from those of all others, (len(left_out), d).

        Let G be the questions left out. With y = 0 for G, and the others' deviations from their
        mean elsewhere, the prediction is -(A_GG)⁻¹ (A y)_G: the group form of Rasmussen and
        Williams (2006), equation 5.12. NaN if no question remains.
        """
        out = ~self.answered
        out[left_out] = True
        if out.all():
            return np.full((len(left_out), self.shares.shape[1]), np.nan)
        mean = np.average(self.shares[~out], axis=0, weights=self.scenarios[~out])
        y = np.where(out[:, None], 0.0, self.shares - mean)
        predicted = np.empty_like(y)
        predicted[out] = mean - np.linalg.solve(inverse[np.ix_(out, out)], inverse[out] @ y)
        return predicted[left_out]
