"""The warning on labels that are probably wrong, from tables of people's and simulated answers."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from fidelity_study.report.page.labels import item_means, label_doubts, suspicions

NAMES = [f"{letter}{i}" for letter in "ACE" for i in range(1, 11)]
RAISED = np.where((np.arange(30) + np.arange(30) // 10) % 2, 0.7, 0.3)
M = len(NAMES)
SCORES = [1.0, 2.0, 4.0]


def shares(seed):
    """Return shares of three options, whose means follow one pattern, (30, 3)."""
    last = RAISED + 0.1 * np.random.default_rng(seed).uniform(-1, 1, M)
    return np.stack([0.9 - last, np.full(M, 0.1), last], axis=1)


def questions(given, scores=SCORES, kind="ordinal"):
    """Return what the page knows of two simulators and of people: the second gives ``given``."""
    tables = {"right": shares(1), "uniform": shares(1), "doubtful": given}
    bounds = {"lower": [1.0] * M, "upper": [5.0] * M}
    results = SimpleNamespace(
        simulators=list(tables),
        scenarios=pa.table({"score": [scores] * M, **bounds, "n_effective": [200.0] * M}),
        drawing=set(),
        scenario_names=NAMES,
        clusters=["none"] * M,
        named=lambda name: f"model {name}",
        nouns="questions",
        kind=kind,
    )
    return SimpleNamespace(
        results=results,
        counts=200 * shares(0),
        given=lambda name: (range(M), list(tables[name]), [np.nan] * M),
    )


def test_exchanged_blocks_are_told_in_words_with_both_correlations():
    (text,) = label_doubts(questions(shares(2)[[*range(10, 20), *range(10), *range(20, 30)]]))
    assert (
        "\u2068model doubtful\u2069: over the questions of \u2068A\u2069 and \u2068C\u2069" in text
    )
    assert "model right" not in text
    assert "the labels of the two are probably exchanged in one of the files" in text
    assert "Compare the wording of a few of these questions" in text
    before, after = text.partition("correlate with people's at ")[2].split(" as labelled, and at ")
    assert float(before) < -0.5
    assert float(after.split()[0]) > 0.8


def test_a_reversed_scale_is_told_in_words():
    (text,) = label_doubts(questions(shares(2)[:, ::-1]))
    assert "model doubtful\u2069: over all questions mean answers" in text
    assert "in one of the files the scale probably runs the other way" in text


def test_nothing_is_told_of_right_labels_or_of_options_without_scores():
    assert label_doubts(questions(shares(2))) == []
    assert label_doubts(questions(shares(2)[:, ::-1], scores=None)) == []


def test_item_means_are_shares_of_the_way_from_lowest_to_highest():
    asked = questions(shares(2))
    people, simulators = item_means(asked, ["doubtful"])
    assert people == pytest.approx((shares(0) @ SCORES - 1) / 4)
    assert simulators[0] == pytest.approx((shares(2) @ SCORES - 1) / 4)


def test_a_copy_of_people_and_failed_calls_are_told():
    people = shares(0) / shares(0).sum(axis=1, keepdims=True)
    (copy,) = suspicions(questions(people))
    assert copy == (
        "\u2068model doubtful\u2069 has people's very shares in all 30 questions that it answers; "
        "is it a copy of people's answers?"
    )
    (uniform,) = suspicions(questions(np.full((M, 3), 1 / 3)))
    assert "exactly the same share in 30 of 30 questions, as failed calls do." in uniform
    assert not suspicions(questions(shares(2)))
