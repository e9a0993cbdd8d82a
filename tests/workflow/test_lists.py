"""Lists of numbers in a range: people may give numbers that nobody gave in the sample."""

from dataclasses import replace

import numpy as np
import pytest

from fidelity import Responses
from fidelity_study.steps.cases import Case
from fidelity_study.steps.limits import list_rows
from fidelity_study.steps.people import People
from fidelity_study.steps.unanswered import Answered

N, STUDIES, LEVEL = 100, 4_000, 0.05
RARE, TOLERANCE = 0.02, 0.0099


def case(counts, scores, q, discrepancy, limits):
    counts, scores = np.array(counts, float), np.array(scores, float)
    m = len(counts)
    names = [f"q{j}" for j in range(m)]
    people = People(names, Responses(counts, scores=scores, limits=limits), False, ("a",))
    own = Answered("model", "stated", np.arange(m), np.array(q), np.full(m, np.nan), np.zeros(m))
    return Case(people, own, discrepancy, False)


def test_a_number_that_nobody_gave_may_still_be_given():
    """People say .5, and 2 % of them 0: .01 from a simulator that always says .5."""
    rare = np.random.default_rng(0).binomial(N, RARE, STUDIES)
    counts = np.stack([N - rare, rare], 1)
    scores = np.where(rare[:, None] > 0, [0.5, 0.0], [0.5, 0.6])
    q = np.tile([1.0, 0.0], (STUDIES, 1))
    limits = 0.0, 1.0
    found = case(counts, scores, q, "absolute", limits)
    p = np.array([row["p_within"] for row in list_rows(found, [TOLERANCE], LEVEL)])
    assert (p < LEVEL).mean() <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / STUDIES)
    unlimited = case(counts, scores, q, "absolute", None)
    p = np.array([row["p_within"] for row in list_rows(unlimited, [TOLERANCE], LEVEL)])
    assert (p < LEVEL).mean() > 2 * LEVEL  # as if no other number could be given


def test_a_few_missing_answers_count_as_the_worst():
    """Of 100 answers 5 are missing: within .15 whatever they are, but not within .05."""
    found = case([[600.0, 400.0]], [[0.0, 1.0]], [[0.6, 0.4]], "tv", None)
    lost = replace(found, own=replace(found.own, unanswered=np.array([0.05])))
    few, much = (
        [row["p_within"] for row in list_rows(each, [0.15], LEVEL)] for each in (found, lost)
    )
    assert few < much and much[0] < LEVEL
    (row,) = list_rows(lost, [0.05], LEVEL)
    assert row["p_within"] > LEVEL


@pytest.mark.parametrize(
    ("discrepancy", "limits", "rows"),
    [
        ("absolute", (0.0, 1.0), 1),
        ("squared", (0.0, 1.0), 1),
        ("w1", (0.0, 1.0), 0),
        ("w1", None, 1),
        ("absolute", (-np.inf, np.inf), 0),
    ],
)
def test_what_has_no_valid_p_value_is_on_no_list(discrepancy, limits, rows):
    found = case([[30.0, 70.0]], [[0.2, 0.8]], [[0.4, 0.6]], discrepancy, limits)
    assert len(list(list_rows(found, [0.1], LEVEL))) == rows
