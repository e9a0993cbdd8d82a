"""Simulators that learn from the wording: by hand, by brute force, and blind to their own fold."""

import json
import tracemalloc
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from mirror import MIRROR
from sklearn.kernel_ridge import KernelRidge

from fidelity.baselines import from_wording as question_text
from fidelity.baselines.from_answers import pooled
from fidelity.baselines.from_wording import (
    Questions,
    folds_of,
    nearest_questions,
    question_ridge,
    text_similarity,
)
from fidelity.comparison.labels import EXCHANGED, REVERSED, Block, blocks_of, doubtful_labels

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


M = 20_000


@pytest.mark.parametrize("timed", [False, True])
def test_pooled_answers_of_20000_questions_need_little_memory(timed):
    counts = np.random.default_rng(3).poisson(5, (M, 3)).astype(float)
    time = np.arange(M) if timed else None
    tracemalloc.start()
    found = pooled(counts, np.zeros(M, int), time)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000
    taught = counts[: M // 2].sum(axis=0) if timed else counts.sum(axis=0) - counts[M // 2]
    np.testing.assert_allclose(found[M // 2], taught / taught.sum(), rtol=1e-12)


def test_an_option_that_no_other_question_has_gets_exactly_nothing():
    """A total less a question's own counts would leave a rounding error, even below 0."""
    counts = np.array([[0.1, 0.3], [0.7, 0.0], [0.2, 0.0]])
    assert pooled(counts, ["a"] * 3)[0, 1] == 0.0


BIG_FIVE = MIRROR / "llm_questionnaires" / "big_5"


def grid(blocks, size):
    names = [f"{'ABCDE'[b]}{i}" for b in range(blocks) for i in range(size)]
    return blocks_of(names, names)


def followed(seed, m, noise=0.1):
    """Return means of people and of a simulator that follows them."""
    generator = np.random.default_rng(seed)
    people = generator.beta(2, 2, m)
    return people, people + noise * generator.normal(size=m)


def keyed(seed):
    """Return means of 5 blocks of 10, in which items for and against alternate, from C on others.

    So C and D have opposite patterns, and exchanged they correlate negatively.
    """
    people, _ = followed(seed, 50)
    against = (np.arange(50) + np.arange(50) // 10 // 3) % 2
    people = np.where(against, 0.7, 0.3) + 0.2 * (people - 0.5)
    return people, people + 0.1 * np.random.default_rng(seed).normal(size=50)


def told(people, simulators, ways):
    return [(each.change, each.blocks) for each in doubtful_labels(people, simulators, ways)]


def test_a_planted_exchange_of_two_blocks_is_told():
    x, y = keyed(3)
    assert told(x, [y], grid(5, 10)) == []
    wrong = np.concatenate([y[:20], y[30:40], y[20:30], y[40:]])
    (one,) = doubtful_labels(x, [wrong], grid(5, 10))
    assert (one.change, one.blocks, one.simulator) == (EXCHANGED, ("C", "D"), 0)
    assert one.correlation < -0.5 < 0.8 < one.changed


def test_faults_of_different_simulators_are_both_told():
    x, y = (
        np.concatenate([values.reshape(5, 10) for values in parts], 1)
        for parts in zip(keyed(3), keyed(4), strict=True)
    )
    exchanged = y[[0, 1, 3, 2, 4]]
    doubts = doubtful_labels(x.ravel(), [1 - y.ravel(), exchanged.ravel()], grid(5, 20))
    assert {(each.simulator, each.change, each.blocks) for each in doubts} == {
        (0, REVERSED, ()),
        (1, EXCHANGED, ("C", "D")),
    }


def test_a_planted_reversal_of_a_scale_is_told():
    x, y = followed(1, 50)
    assert told(x, [1 - y], grid(5, 10)) == [(REVERSED, ())]
    assert told(x, [y, 1 - y], grid(5, 10)) == [(REVERSED, ())]
    names = [f"question {word}" for word in "abcdefghijkl"]
    assert told(x[:12], [1 - y[:12]], blocks_of(names, ["none"] * 12)) == [(REVERSED, ())]


def test_a_planted_reversal_of_an_item_asked_of_many_groups_is_told():
    x, y = followed(2, 60)
    names = [f"{item}|group {g}" for item in ("trust", "vote", "age") for g in range(20)]
    wrong = np.concatenate([y[:20], 1 - y[20:40], y[40:]])
    clusters = [name.partition("|")[0] for name in names]
    assert told(x, [wrong], blocks_of(names, clusters)) == [(REVERSED, ("vote",))]


def test_blocks_of_clusters_are_tested_where_names_have_none():
    """Names are numbers in an order of their own; places are by these numbers."""
    x, y = keyed(3)
    wrong = np.concatenate([y[:20], y[30:40], y[20:30], y[40:]])
    mixed = np.random.default_rng(0).permutation(50)
    names = [f"q{i}" for i in mixed]
    clusters = [list("abcde")[i // 10] for i in mixed]
    assert told(x[mixed], [wrong[mixed]], blocks_of(names, clusters)) == [(EXCHANGED, ("c", "d"))]


@pytest.mark.skipif(not BIG_FIVE.is_dir(), reason="the published files are not here")
def test_the_wrong_headers_of_published_files_are_told():
    """By their headers, 12 of 12 files exchange agreeableness and conscientiousness."""
    (part,) = json.loads((BIG_FIVE / "questionnaire.json").read_text())
    traits = [question["dimension"] for question in part["questions"]]
    names = [f"{trait[0].upper()}{i % 10 + 1}" for i, trait in enumerate(traits)]
    survey = pd.read_csv(BIG_FIVE / "survey.csv", skipinitialspace=True)[names]
    people = survey.where(survey > 0).mean().to_numpy()
    files = [
        *BIG_FIVE.glob("01--baseline/raw.[lmq]*.csv"),
        *BIG_FIVE.glob("02--with-history/raw.[lmq]*.csv"),
    ]
    tables = [pd.read_csv(path) for path in files]
    found = doubtful_labels(
        people, [table[names].mean() for table in tables], blocks_of(names, traits)
    )
    assert len(files) == 12
    assert [each.simulator for each in found] == list(range(12))
    assert {(each.change, each.blocks) for each in found} == {(EXCHANGED, ("A", "C"))}
    assert told(people, [table.mean() for table in tables], blocks_of(names, traits)) == []


POPULATIONS = {
    "uninformative": lambda x, generator: generator.beta(2, 2, len(x)),
    "bad": lambda x, generator: 0.3 * x + 0.7 * generator.beta(2, 2, len(x)),
    "one answer": lambda x, generator: np.full(len(x), 0.5),
    "0 or 1": lambda x, generator: (generator.random(len(x)) < 0.5) * 1.0,
    "levels of blocks of its own": lambda x, generator: (
        0.3 * generator.random(len(x)) + np.repeat(generator.random(5), 10)[: len(x)]
    ),
    "opposite on a fifth": lambda x, generator: np.where(
        generator.random(len(x)) < 0.2, 1 - x, x + 0.1 * generator.normal(size=len(x))
    ),
}


@pytest.mark.slow
def test_right_labels_are_told_in_few_studies():
    """1 in 200 is promised; of these 900 more than 12 would be told by chance in .1 %."""
    generator = np.random.default_rng(0)
    wrong = 0
    for blocks, size in ((1, 5), (1, 8), (5, 10)):
        ways = grid(blocks, size)
        for simulate in POPULATIONS.values():
            for _ in range(50):
                x = generator.beta(2, 2, blocks * size)
                wrong += bool(told(x, [simulate(x, generator)], ways))
    assert wrong <= 12


def test_all_orders_of_eight_questions():
    """Of 40,320 orders of a simulator without ties, at most .5 % are called reversed."""
    ways = [[Block("", j) for j in range(8)]]
    x = np.arange(8.0)
    orders = np.array(list(permutations(range(8))), float)
    centred = (orders - 3.5) @ (x - 3.5) / ((x - 3.5) @ (x - 3.5))
    some = np.unique(centred.round(9), return_index=True)[1]
    called = [centred[i] for i in some if told(x, [orders[i]], ways)]
    assert 0 < np.mean(centred <= max(called) + 1e-9) <= 0.005


def test_a_question_that_was_not_answered_and_a_constant_simulator():
    x, y = followed(1, 50)
    y[7] = np.nan
    assert told(x, [np.full(50, np.nan), np.full(50, 0.3), 1 - y], grid(5, 10)) == [(REVERSED, ())]
    with pytest.raises(ValueError, match="simulators must be"):
        doubtful_labels(x, [y[:-1]], grid(5, 10))
