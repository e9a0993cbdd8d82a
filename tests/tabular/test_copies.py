"""A simulator that is a copy of people's answers is told: its distance of 0 says nothing."""

import numpy as np
import pandas as pd
import pytest
from tabular_step import read

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


def told(people, simulated, **columns):
    """Return the notes on copies of people, of files of both."""
    people.to_csv("human.csv", index=False)
    simulated.assign(simulator="model").to_csv("simulated.csv", index=False)
    settings = {"human": "human.csv", "simulated": "simulated.csv", **columns}
    found = read(**settings, outcome={"kind": "categorical"}, cluster="none", simulators=["model"])
    return [each for each in map(str, found.notes) if "copy of people's answers" in each]


SAID = "'model' has people's very shares in all 6 questions that it answers; is it a copy"


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
    (note,) = told(weighted, copied)
    assert SAID in note


def test_one_answer_that_differs_in_one_question_is_no_copy(people):
    other = people.copy()
    other.loc[0, "count"] += 1
    assert not told(people, other)


def test_other_people_of_the_same_shares_are_no_copy(people):
    """In 200 studies whose simulator is perfect none is called a copy; here one of these."""
    generator = np.random.default_rng(8)
    drawn = [
        generator.multinomial(each.sum(), each / each.sum())
        for each in people["count"].to_numpy().reshape(len(QUESTIONS), -1)
    ]
    assert not told(people, people.assign(count=np.concatenate(drawn)))
