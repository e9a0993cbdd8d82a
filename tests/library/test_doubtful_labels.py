"""Labels that may be wrong: planted errors are told, and right labels hardly ever."""

import json
import os
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fidelity.comparison.labels import EXCHANGED, REVERSED, Block, blocks_of, doubtful_labels

REPOSITORY = Path(__file__).parents[2]
MIRROR = Path(os.environ.get("FIDELITY_DATA_MIRROR", REPOSITORY.parent / "shared" / "data"))
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
