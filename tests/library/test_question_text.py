"""Simulators that learn from the wording: by hand, by brute force, and blind to their own fold."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from fidelity import question_text
from fidelity.question_text import folds_of, nearest_questions, question_ridge, text_similarity

TEXTS = [
    "I get angry easily",
    "I am easily angry",
    "I love children",
    "Children make me happy",
    "I do things by a plan",
    "Plans are what I make",
    "I talk a lot",
    "I do not talk much",
]


@pytest.fixture
def answers():
    generator = np.random.default_rng(3)
    return generator.multinomial(200, generator.dirichlet(np.ones(4), len(TEXTS))).astype(float)


@pytest.fixture
def fold():
    return np.array([0, 0, 1, 1, 2, 2, 3, 3])


def test_similarity_is_a_cosine():
    similarity = text_similarity(TEXTS)
    np.testing.assert_allclose(np.diag(similarity), 1.0)
    np.testing.assert_allclose(similarity, similarity.T)
    assert similarity.min() >= 0.0
    assert np.linalg.eigvalsh(similarity).min() > -1e-9
    assert similarity[0, 1] == similarity[0, 1:].max()
    assert similarity[2, 3] == np.delete(similarity[2], 2).max()


def test_folds_are_keyed_by_the_wording():
    folds = folds_of(TEXTS)
    assert set(folds) <= set(range(10))
    np.testing.assert_array_equal(folds_of(["new", *TEXTS])[1:], folds)
    assert len(set(folds_of([TEXTS[0]] * 5))) == 1


def test_nearest_questions_by_hand():
    counts = np.array([[10, 0], [6, 4], [2, 8], [0, 5]])
    similarity = np.array([[1, 0.5, 0.25, 0], [0.5, 1, 0, 0], [0.25, 0, 1, 0], [0, 0, 0, 1.0]])
    found = nearest_questions(counts, similarity, np.arange(4), neighbours=2)
    np.testing.assert_allclose(found[0], (0.5 * counts[1] / 10 + 0.25 * counts[2] / 10) / 0.75)
    np.testing.assert_allclose(found[1], [1.0, 0.0])
    np.testing.assert_allclose(found[3], np.mean([[1, 0], [0.6, 0.4], [0.2, 0.8]], axis=0))


def test_the_ridge_is_that_of_sklearn(answers, fold, monkeypatch):
    similarity = text_similarity(TEXTS)
    shares = answers / answers.sum(axis=1, keepdims=True)
    monkeypatch.setattr(question_text, "RIDGES", np.array([0.3]))
    found = question_ridge(answers, similarity, fold)
    for label in range(4):
        inside, outside = fold == label, fold != label
        mean = shares[outside].mean(axis=0)
        model = KernelRidge(alpha=0.3, kernel="precomputed")
        model.fit(similarity[np.ix_(outside, outside)], shares[outside] - mean)
        predicted = mean + model.predict(similarity[np.ix_(inside, outside)])
        predicted = np.maximum(predicted, 0.0)
        np.testing.assert_allclose(found[inside], predicted / predicted.sum(axis=1, keepdims=True))


def test_the_error_of_a_left_out_fold_is_that_of_fitting_without_it(answers, fold):
    similarity, y = text_similarity(TEXTS), answers / 200 - 0.25
    expected = 0.0
    for label in range(4):
        inside, outside = fold == label, fold != label
        model = KernelRidge(alpha=0.7, kernel="precomputed")
        model.fit(similarity[np.ix_(outside, outside)], y[outside])
        left = y[inside] - model.predict(similarity[np.ix_(inside, outside)])
        expected += (left**2).sum()
    assert question_text._left_out_error(similarity, y, fold, 0.7) == pytest.approx(expected)


@pytest.mark.parametrize("simulate", [nearest_questions, question_ridge])
def test_a_simulator_never_sees_the_answers_of_its_fold(answers, fold, simulate):
    similarity = text_similarity(TEXTS)
    before = simulate(answers, similarity, fold)
    np.testing.assert_allclose(before.sum(axis=1), 1.0)
    assert before.min() >= 0.0
    changed = answers.copy()
    changed[:2] = changed[:2, ::-1] * 3 + 1
    after = simulate(changed, similarity, fold)
    np.testing.assert_array_equal(after[:2], before[:2])
    assert np.abs(after[2:] - before[2:]).max() > 0


@pytest.mark.parametrize("simulate", [nearest_questions, question_ridge])
def test_without_another_fold_nothing_is_said(answers, simulate):
    found = simulate(answers, text_similarity(TEXTS), np.zeros(len(TEXTS), int))
    assert np.isnan(found).all()


@pytest.mark.parametrize("simulate", [nearest_questions, question_ridge])
def test_shapes_that_do_not_fit_are_refused(answers, fold, simulate):
    with pytest.raises(ValueError, match="similarity must be"):
        simulate(answers, np.eye(3), fold)
    with pytest.raises(ValueError, match="counts must be"):
        simulate(answers[0], np.eye(8), fold)


def test_a_wording_that_tells_the_answer_is_learned():
    generator = np.random.default_rng(5)
    topics = ["taxes and money", "dogs and cats", "music and dance", "snow and rain"]
    topic = np.arange(40) % 4
    texts = [f"Do you think of {topics[t]} in week {j}?" for j, t in enumerate(topic)]
    truth = generator.dirichlet(np.ones(3), 4)[topic]
    counts = np.array([generator.multinomial(2000, p) for p in truth])
    similarity, fold = text_similarity(texts), folds_of(texts)
    guess = np.abs(counts.mean(axis=0) / 2000 - truth).sum(axis=1).mean() / 2
    for simulate in (nearest_questions, question_ridge):
        distance = np.abs(simulate(counts, similarity, fold) - truth).sum(axis=1).mean() / 2
        assert distance < 0.3 * guess
