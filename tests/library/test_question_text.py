"""Simulators that learn from the wording: by hand, by brute force, and blind to their own fold."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from fidelity.baselines import from_wording as question_text
from fidelity.baselines.from_wording import (
    Questions,
    folds_of,
    nearest_questions,
    question_ridge,
    text_similarity,
)

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
GROUPS = np.array([0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 3, 5])
FOLD = np.array([0, 0, 1, 1, 2, 2, 3, 3])


@pytest.fixture
def answers():
    generator = np.random.default_rng(3)
    return generator.multinomial(200, generator.dirichlet(np.ones(4), len(GROUPS))).astype(float)


@pytest.fixture
def texts():
    return [TEXTS[i] for i in GROUPS]


@pytest.fixture
def pairs(monkeypatch):
    """Put the questions into four folds of two."""
    of = dict(zip(TEXTS, FOLD, strict=True))
    monkeypatch.setattr(question_text, "folds_of", lambda texts: np.array([of[t] for t in texts]))


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


def test_scenarios_of_one_wording_are_one_question():
    counts = np.array([[3, 1], [10, 0], [0, 0], [1, 1]])
    asked = Questions.of(counts, ["b", "a", "b", "b"])
    np.testing.assert_allclose(asked.shares, [[1, 0], [0.625, 0.375]])
    np.testing.assert_array_equal(asked.scenarios, [1, 2])
    np.testing.assert_array_equal(asked.of_scenario, [1, 0, 1, 1])


def test_nearest_questions_by_hand(monkeypatch):
    counts = np.array([[10, 0], [6, 4], [2, 8], [0, 5], [4, 6]])
    similarity = np.array([[1, 0.5, 0.25, 0], [0.5, 1, 0, 0], [0.25, 0, 1, 0], [0, 0, 0, 1.0]])
    monkeypatch.setattr(question_text, "text_similarity", lambda texts: similarity)
    monkeypatch.setattr(question_text, "folds_of", lambda texts: np.arange(4))
    found = nearest_questions(counts, ["a", "b", "c", "d", "b"], neighbours=2)
    np.testing.assert_allclose(
        found[0], (0.5 * np.array([0.5, 0.5]) + 0.25 * counts[2] / 10) / 0.75
    )
    np.testing.assert_allclose(found[1], [1.0, 0.0])
    np.testing.assert_array_equal(found[4], found[1])
    np.testing.assert_allclose(found[3], np.mean([[1, 0], [0.5, 0.5], [0.2, 0.8]], axis=0))


def fitted(shares, similarity, ridge, use, at):
    """Return the predictions of scikit-learn, fitted to the scenarios ``use``."""
    mean = shares[use].mean(axis=0)
    model = KernelRidge(alpha=ridge, kernel="precomputed")
    model.fit(similarity[np.ix_(use, use)], shares[use] - mean)
    return mean + model.predict(similarity[np.ix_(at, use)])


def test_the_ridge_is_that_of_sklearn_chosen_by_brute_force(answers, texts, pairs):
    """Every scenario is a row of its own there: those of one wording need not be one question."""
    shares = answers / answers.sum(axis=1, keepdims=True)
    similarity, fold = text_similarity(TEXTS)[np.ix_(GROUPS, GROUPS)], FOLD[GROUPS]
    found = question_ridge(answers, texts)
    chosen = set()
    for own in range(4):
        loss = []
        for ridge in question_text.RIDGES:
            left = [
                shares[fold == other]
                - fitted(shares, similarity, ridge, (fold != own) & (fold != other), fold == other)
                for other in range(4)
                if other != own
            ]
            loss.append(sum((each**2).sum() for each in left))
        ridge = question_text.RIDGES[int(np.argmin(loss))]
        chosen.add(ridge)
        predicted = np.maximum(fitted(shares, similarity, ridge, fold != own, fold == own), 0.0)
        expected = predicted / predicted.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found[fold == own], expected, atol=1e-10)
    assert len(chosen) > 1


@pytest.mark.parametrize("simulate", [nearest_questions, question_ridge])
def test_a_simulator_never_sees_the_answers_of_its_fold(answers, texts, pairs, simulate):
    own = FOLD[GROUPS] == 0
    before = simulate(answers, texts)
    np.testing.assert_allclose(before.sum(axis=1), 1.0)
    assert before.min() >= 0.0
    changed = answers.copy()
    changed[own] = changed[own][:, ::-1] * 3 + 1
    after = simulate(changed, texts)
    np.testing.assert_array_equal(after[own], before[own])
    assert np.abs(after[~own] - before[~own]).max() > 0


@pytest.mark.parametrize("simulate", [nearest_questions, question_ridge])
def test_questions_that_nobody_answered_teach_nothing(answers, texts, pairs, simulate, monkeypatch):
    """The similarity is held fixed, since it depends on which texts there are."""
    of = {text: i for i, text in enumerate(TEXTS)}
    known = text_similarity(TEXTS)

    def similarity(texts):
        chosen = [of[text] for text in texts]
        return known[np.ix_(chosen, chosen)]

    monkeypatch.setattr(question_text, "text_similarity", similarity)
    heard = ~np.isin(GROUPS, [2, 5])
    found = simulate(np.where(heard[:, None], answers, 0.0), texts)
    alone = simulate(answers[heard], [TEXTS[i] for i in GROUPS[heard]])
    np.testing.assert_allclose(found[heard], alone, atol=1e-10)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


@pytest.mark.parametrize("simulate", [nearest_questions, question_ridge])
def test_without_another_fold_nothing_is_said(answers, texts, simulate, monkeypatch):
    monkeypatch.setattr(question_text, "folds_of", lambda texts: np.zeros(len(texts), int))
    assert np.isnan(simulate(answers, texts)).all()


def test_with_two_folds_the_ridge_is_the_largest(answers, texts, monkeypatch):
    half = dict(zip(TEXTS, FOLD % 2, strict=True))
    monkeypatch.setattr(question_text, "folds_of", lambda texts: np.array([half[t] for t in texts]))
    shares = answers / answers.sum(axis=1, keepdims=True)
    similarity, first = text_similarity(TEXTS)[np.ix_(GROUPS, GROUPS)], (FOLD % 2)[GROUPS] == 0
    expected = fitted(shares, similarity, 100.0, ~first, first)
    np.testing.assert_allclose(question_ridge(answers, texts)[first], expected)


@pytest.mark.parametrize("simulate", [nearest_questions, question_ridge])
def test_what_cannot_be_learned_from_is_refused(answers, texts, simulate, monkeypatch):
    with pytest.raises(ValueError, match="with a text for each scenario"):
        simulate(answers, texts[:3])
    with pytest.raises(ValueError, match="with a text for each scenario"):
        simulate(answers[0], texts)
    with pytest.raises(ValueError, match="no text has a letter"):
        simulate(answers, ["?!"] * len(texts))
    monkeypatch.setattr(question_text, "MOST_QUESTIONS", 7)
    with pytest.raises(ValueError, match="there are 8 questions, more than the 7"):
        simulate(answers, texts)


def test_a_wording_that_tells_the_answer_is_learned():
    generator = np.random.default_rng(5)
    topics = ["taxes and money", "dogs and cats", "music and dance", "snow and rain"]
    topic = np.arange(40) % 4
    texts = [f"Do you think of {topics[t]} in week {j}?" for j, t in enumerate(topic)]
    truth = generator.dirichlet(np.ones(3), 4)[topic]
    counts = np.array([generator.multinomial(2000, p) for p in truth])
    guess = np.abs(counts.mean(axis=0) / 2000 - truth).sum(axis=1).mean() / 2
    for simulate in (nearest_questions, question_ridge):
        distance = np.abs(simulate(counts, texts) - truth).sum(axis=1).mean() / 2
        assert distance < 0.3 * guess
