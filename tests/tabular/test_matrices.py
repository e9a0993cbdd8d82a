"""Rows of a matrix are a topic, where an export tells which columns are of one question."""

import numpy as np
import pandas as pd
import pytest
from tabular_step import looked

from fidelity_study.reading.tabular.opening import opened

IDS = [f"QID{j}_{i}" for j in range(5) for i in range(1, 4)] + ["QID9", "QID12", "QID12"]
NAMES = [f"Q{j}_{i}" for j in range(5) for i in range(1, 4)] + ["alone", "Q9_1", "Q9_2"]


@pytest.fixture(autouse=True)
def people():
    """Write an export of Qualtrics with five matrices, and answers of a model."""
    generator = np.random.default_rng(1)
    frame = pd.DataFrame(generator.integers(1, 6, (80, len(NAMES))).astype(str), columns=NAMES)
    header = pd.DataFrame(
        [[f"How often? - {name}" for name in NAMES], [f'{{"ImportId":"{name}"}}' for name in IDS]],
        columns=NAMES,
    )
    pd.concat([header, frame]).to_csv("people.csv", index=False)
    frame.iloc[::2].to_csv("model.csv", index=False)
    return frame


def clusters(known):
    table = known.responses.scenarios
    return dict(zip(table["scenario"], table["cluster"], strict=True))


@pytest.mark.slow
def test_rows_of_a_matrix_are_a_topic():
    known, told = looked("people.csv", "model.csv")
    assert "columns of one question are a topic: Q0, Q1, Q2, Q3, Q4, Q9" in told
    expected = {name: name.partition("_")[0] for name in NAMES}
    assert clusters(known) == expected
    assert known.cluster == "question"


@pytest.mark.slow
def test_topics_may_be_put_away():
    known, _ = looked("people.csv", "model.csv", cluster="none")
    assert set(clusters(known).values()) == {"none"}


def test_few_matrices_are_no_topics(people):
    kept = NAMES[:6]
    header = pd.DataFrame([kept, [f'{{"ImportId":"{name}"}}' for name in IDS[:6]]], columns=kept)
    pd.concat([header, people[kept]]).to_csv("people.csv", index=False)
    assert not opened("people.csv").topics


def test_names_with_brackets_are_rows_of_one_question():
    names = [f"Q{j}[SQ00{i}]" for j in range(5) for i in (1, 2)]
    generator = np.random.default_rng(1)
    frame = pd.DataFrame(generator.integers(1, 6, (9, 10)), columns=names)
    facts = {"submitdate": "2025-01-01", "lastpage": 3, "startlanguage": "en"}
    frame.assign(**facts).to_csv("people.csv", index=False)
    assert opened("people.csv").topics == {name: name.partition("[")[0] for name in names}
