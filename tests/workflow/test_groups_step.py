"""The step: how far simulators are from groups of people, and whether from one farther."""

import numpy as np
import pytest
from scipy.stats import norm as STANDARD  # noqa: N812

from fidelity.responses import Answers, Responses
from fidelity_study.steps.cases import Case
from fidelity_study.steps.groups import APART, TOGETHER, groupings
from fidelity_study.steps.mean_discrepancy import cluster_rows
from fidelity_study.steps.people import People
from fidelity_study.steps.registry import STEPS
from fidelity_study.steps.unanswered import Answered

SEXES, AGES = ("f", "m"), ("old", "young")


def case(tables, groups, q, draws=np.nan, discrepancy="absolute", **known):
    """Return a simulator's case from people's answers 0 and 1 by group, (n, Q) each."""
    names = [f"q{j} | {group}" for group in groups for j in range(tables[0].shape[1])]
    counts = np.concatenate([np.stack([(x == 0).sum(0), (x == 1).sum(0)], 1) for x in tables])
    m, who, rows, chosen = len(names), [], [], []
    for at, x in enumerate(tables):
        person, question = np.indices(x.shape).reshape(2, -1)
        who.append(person + (0 if "shared" in known else 1000 * at))
        rows.append(question + at * x.shape[1])
        chosen.append(x.ravel())
    columns = [np.concatenate(part) for part in (who, rows, chosen)]
    answers = Answers(*columns, weight=np.ones(len(columns[0])))
    responses = Responses(
        counts,
        scores=[0.0, 1.0],
        sizes=counts.sum(1),
        clusters=[name.split(" | ")[1] for name in names],
        respondents=np.zeros(m),
        answers=answers._replace(**known.get("answers", {})),
    )
    people = People(names, responses, False, (1, "town"))
    shares = np.stack([1.0 - q, q], 1)
    k = "stated" if np.isnan(draws) else str(draws)
    own = Answered("model", k, np.arange(m), shares, np.full(m, draws), np.zeros(m))
    return Case(people, own, discrepancy, False)


def drawn(rng, n, p):
    """Return answers of persons who lean one way in all questions."""
    lean = rng.normal(size=(n, 1))
    hidden = 0.7 * lean + np.sqrt(1 - 0.49) * rng.normal(size=(n, len(p)))
    return (hidden < np.array(STANDARD.isf(1 - np.array(p)))).astype(int)


def two_groups(rng, far=0.0, n=(150, 300)):
    p = [np.array([0.3, 0.5, 0.6, 0.4]), np.array([0.5, 0.35, 0.45, 0.6])]
    q = np.concatenate([p[0] + 0.15 + far, p[1] + 0.15])
    return [drawn(rng, many, each) for many, each in zip(n, p, strict=True)], q


def between(found, alpha=0.05):
    (pair,) = next(groupings(found, ["sex"], alpha)).pairs
    return pair


def test_the_farther_group_is_named():
    tables, q = two_groups(np.random.default_rng(0), far=0.2)
    (grouping,) = groupings(case(tables, SEXES, q), ["sex"], 0.05)
    (row,) = grouping.pairs
    assert (row["group"], row["other"], row["farther"]) == ("f", "m", "f")
    assert row["lower"] <= row["upper"] and row["ci_lower"] > 0.0
    assert [part["may_be_nearest"] for part in grouping.rows] == [False, True]


def test_groups_are_the_means_of_their_scenarios():
    """With the groups as clusters the table by cluster says the same."""
    tables, q = two_groups(np.random.default_rng(0))
    found = case(tables, SEXES, q)
    (grouping,) = groupings(found, ["sex"], 0.05)
    for row, expected in zip(grouping.rows, cluster_rows(found, 0.05), strict=True):
        same = {name: value for name, value in expected.items() if name != "cluster"}
        assert same.items() <= row.items()
        assert row["group"] == expected["cluster"]


def test_columns_of_groups_alone_and_together():
    rng = np.random.default_rng(0)
    groups = [f"{sex} | {age}" for sex in SEXES for age in AGES]
    tables = [drawn(rng, 60, [0.3, 0.6]) for _ in groups]
    found = case(tables, groups, np.full(8, 0.5))
    parts = list(groupings(found, ["sex", "age"], 0.05))
    assert [(part.name, part.groups) for part in parts] == [
        ("sex", list(SEXES)),
        ("age", list(AGES)),
        ("sex | age", groups),
    ]
    (of_sex,), _, cells = (part.pairs for part in parts)
    assert of_sex["m"] == 4 and len(cells) == 6
    assert [row["group"] for row in parts[2].rows] == groups


@pytest.mark.parametrize("known", [{"shared": True}, {"answers": {"psu": np.zeros(2000, int)}}])
def test_errors_that_may_go_together_are_added_up(known):
    tables, q = two_groups(np.random.default_rng(0), n=(200, 200))
    if "answers" in known:
        known["answers"] = {"psu": np.arange(2000) // 20}
    alone, shared = between(case(tables, SEXES, q)), between(case(tables, SEXES, q, **known))
    assert (alone["method"], shared["method"]) == (APART, TOGETHER)
    if "shared" in known:
        assert shared["ci_lower"] < alone["ci_lower"] < alone["ci_upper"] < shared["ci_upper"]


def test_draws_for_nobody_in_particular_err_in_both_groups():
    tables, _ = two_groups(np.random.default_rng(0))
    found = case(tables, SEXES, np.tile([0.4, 0.5, 0.5, 0.5], 2), draws=100)
    methods = {part.answers: part.pairs[0]["method"] for part in groupings(found, ["sex"], 0.05)}
    assert methods == {"drawn": APART, "true": TOGETHER}  # as given they do not err


@pytest.mark.parametrize("is_alike", [True, False])
def test_a_simulator_that_answers_every_group_alike_is_known(is_alike):
    tables, _ = two_groups(np.random.default_rng(0))
    q = np.tile([0.4, 0.5, 0.5, 0.6], 2)
    q[0] += 0.1 * (not is_alike)
    (grouping,) = groupings(case(tables, SEXES, q), ["sex"], 0.05)
    assert [row["alike"] for row in grouping.rows] == [is_alike] * 2


def test_the_step_is_for_questions_put_to_groups():
    assert STEPS["groups"].runs({"curves": True, "groups": ["sex"]})
    assert not STEPS["groups"].runs({"curves": True, "groups": []})
