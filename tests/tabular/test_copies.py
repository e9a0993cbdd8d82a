"""Simulators that copy people's answers, or look like failed calls, are told."""

import numpy as np
import pandas as pd
import pytest
from tabular_step import read

from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.suspect import Shares, copied

QUESTIONS = [f"q{j}" for j in range(6)]
OPTIONS = ["agree", "disagree", "don't know"]


@pytest.fixture
def people(tmp_path, monkeypatch):
    """Return people's counts, 60 to 100 for each question, and work in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(4)
    sizes = generator.integers(60, 100, len(QUESTIONS))
    share = generator.dirichlet([5, 3, 1], len(QUESTIONS))
    counts = [generator.multinomial(n, p) for n, p in zip(sizes, share, strict=True)]
    return pd.DataFrame(
        {
            "scenario": np.repeat(QUESTIONS, len(OPTIONS)),
            "value": OPTIONS * len(QUESTIONS),
            "count": np.concatenate(counts),
        }
    )


def shares(people):
    return people["count"] / people.groupby("scenario")["count"].transform("sum")


def told(people, simulated, said="people", **columns):
    """Return the notes that say something, of files of both."""
    people.to_csv("human.csv", index=False)
    simulated.assign(simulator="model").to_csv("simulated.csv", index=False)
    settings = {"human": "human.csv", "simulated": "simulated.csv", **columns}
    found = read(**settings, outcome={"kind": "categorical"}, cluster="none", simulators=["model"])
    return [each for each in map(str, found.notes) if said in each]


SAID = "'model' has people's very shares in all 6 questions that it answers; is it a copy"


@pytest.mark.sampled
@pytest.mark.parametrize(
    "copied",
    [
        lambda people: people,
        lambda people: people.iloc[::-1],
        lambda people: people.assign(count=3 * people["count"]),
        lambda people: people[people["count"] > 0],
        lambda people: people.drop(columns="count").assign(probability=shares(people)),
    ],
    ids=["the file", "in another order", "thrice", "without zeros", "as probabilities"],
)
def test_a_copy_of_people_as_a_simulator_is_told(people, copied):
    (note,) = told(people, copied(people))
    assert SAID in note


def test_a_copy_of_weighted_shares_is_told(people):
    weighted = people.assign(weight=1.0 + people["value"].eq("agree"))
    total = weighted["count"] * weighted["weight"]
    share = total / total.groupby(weighted["scenario"]).transform("sum")
    copied = people.drop(columns="count").assign(probability=share)
    (note,) = told(weighted, copied, columns={"weight": "weight"})
    assert SAID in note


def test_other_people_of_the_same_shares_are_no_copy(people):
    """In 200 studies whose simulator is perfect none is called a copy; here one of these."""
    generator = np.random.default_rng(8)
    drawn = [
        generator.multinomial(each.sum(), each / each.sum())
        for each in people["count"].to_numpy().reshape(len(QUESTIONS), -1)
    ]
    assert not told(people, people.assign(count=np.concatenate(drawn)))


def survey(questions=30, options=4, n=400, seed=3):
    """Return people's counts of many questions, (m, K)."""
    generator = np.random.default_rng(seed)
    share = generator.dirichlet([3.0] * options, questions)
    return np.array([generator.multinomial(n, each) for each in share]), share


def long(numbers, column):
    """Return a long file of numbers, (m, K)."""
    m, d = numbers.shape
    names = {
        "scenario": np.repeat([f"q{j:02}" for j in range(m)], d),
        "value": [*"abcdefgh"[:d]] * m,
    }
    return pd.DataFrame({**names, column: numbers.ravel()})


NEAR = "questions than a second sample of the same people would be"


@pytest.mark.sampled
@pytest.mark.parametrize("changed", [0.01, 0.05])
def test_people_of_whom_a_few_answer_otherwise_are_a_near_copy(tmp_path, monkeypatch, changed):
    monkeypatch.chdir(tmp_path)
    counts, _ = survey()
    moved = np.round(changed * counts[:, 0]).astype(int)
    near = counts.copy()
    near[:, 0], near[:, 1] = near[:, 0] - moved, near[:, 1] + moved
    (note,) = told(long(counts, "count"), long(near, "count"))
    assert NEAR in note or SAID in note


def test_a_copy_with_one_question_of_its_own_is_told(people):
    other = people.copy()
    other.loc[0, "count"] += 15
    other = pd.concat([other, other.assign(scenario="again " + other["scenario"])])
    twice = pd.concat([people, people.assign(scenario="again " + people["scenario"])])
    (note,) = told(twice, other)
    assert "is nearer to people's shares in 10 of 12" in note


def test_no_perfect_simulator_is_a_near_copy():
    """Of 400 studies with perfect simulators none is told."""
    for seed in range(200):
        counts, share = survey(questions=10, options=2 + seed % 3, n=50, seed=seed)
        people = Shares(dict(enumerate(counts / 50)), dict.fromkeys(range(10), 50.0))
        again = np.random.default_rng(seed).multinomial(500, share) / 500
        for simulator in (share, again):
            sizes = dict.fromkeys(range(10), 500.0)
            assert not copied(people, Shares(dict(enumerate(simulator)), sizes))


def failed(people, simulated):
    return list(told(people, simulated, said="failed calls do"))


def test_uniform_shares_and_zeros_are_told_as_failed_calls(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counts, share = survey()
    stated = share.copy()
    stated[:3] = 1 / share.shape[1]
    stated[3] = 0.0
    uniform, zero = failed(long(counts, "count"), long(stated, "probability"))
    assert "'model' gives all options exactly the same share in 3 of 29 questions" in uniform
    assert "a probability of 0 in 1 questions" in zero


@pytest.mark.slow
def test_one_option_every_time_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counts, share = survey()
    first = np.zeros_like(counts)
    first[:, 0] = 30
    (note,) = failed(long(counts, "count"), long(first, "count"))
    assert "gives option 1 every time, in all 30 questions" in note
    likeliest = np.eye(share.shape[1])[share.argmax(axis=1)]
    assert not failed(long(counts, "count"), long(likeliest, "probability"))


def test_zeros_alone_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counts, share = survey()
    with pytest.raises(DataError, match="sum to 0"):
        told(long(counts, "count"), long(0 * share, "probability"))


@pytest.mark.slow
def test_binary_forecasts_of_a_half_are_no_failed_calls_unless_most_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counts, share = survey(options=2)
    stated = share.copy()
    stated[:12] = 0.5
    assert not failed(long(counts, "count"), long(stated, "probability"))
    stated[:16] = 0.5
    assert failed(long(counts, "count"), long(stated, "probability"))
