"""The step: correlations, scales and what is lacking, from tables, against the library."""

from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from called_step import call_step
from scipy.stats import norm

from fidelity.responses import Answers, Responses
from fidelity.structure import (
    AnswerTable,
    TooFewError,
    associations,
    compare_associations,
    group_differences,
    if_enough,
    person_weights,
    variance_ratios,
)
from fidelity_study.steps import twins
from fidelity_study.steps.answer_tables import OF_DESIGN, OF_REPLICATES, Columns
from fidelity_study.steps.cases import Case
from fidelity_study.steps.groups import APART, TOGETHER, groupings
from fidelity_study.steps.mean_discrepancy import cluster_rows
from fidelity_study.steps.people import People
from fidelity_study.steps.structure import (
    FEW_COMMON,
    NO_SCORES,
    OF_SAME,
    ONE_QUESTION,
    PEOPLE_UNKNOWN,
    REPLICATES,
    RUNS_UNKNOWN,
    structure_tables,
)
from fidelity_study.steps.twins import GROUP, PERSON, QUESTION, TWINS, TWINS_BY, twin_tables
from fidelity_study.steps.unanswered import Answered
from fidelity_study.tables.ingest import RESPONDENTS, RUNS, SCENARIOS
from fidelity_study.tables.uses import MEASURED

STEP = {
    "dataset": "town",
    "seed": 1,
    "simulators": ["model", "uniform"],
    "outcome": {"kind": "ordinal"},
    "clustered": False,
    "groups": [],
    "scales": {},
    "test": {"alpha": 0.05},
    "uses": {"declared": [], "limits": {}},
}


def scenarios(names, topics=None, kind="ordinal", options=5, replicates=None):
    values = [float(value) for value in range(1, options + 1)]
    return pa.Table.from_pylist(
        [
            {
                "scenario": name,
                "cluster": topics[place] if topics else name,
                "kind": kind,
                "value": values,
                "score": None if kind == "categorical" else np.linspace(-1, 1, options).tolist(),
                "lower": -1.0,
                "upper": 1.0,
                "replicates": replicates,
            }
            for place, name in enumerate(names)
        ],
        SCENARIOS,
    )


def long(x, names, schema, **columns):
    """Return answers by person, (n, Q), as rows; NaN where one is missing."""
    person, place = np.nonzero(~np.isnan(x))
    rows = {
        "scenario": [names[j] for j in place],
        "value": x[person, place],
        **{name: make(person) for name, make in columns.items()},
    }
    return pa.Table.from_pydict(
        {name: rows.get(name, [None] * len(person)) for name in schema.names}, schema
    )


def respondents(x, names, weights=None, **columns):
    weights = np.ones(len(x)) if weights is None else weights
    mean = [weights[~np.isnan(column)].mean() for column in x.T]
    table = long(x, names, RESPONDENTS, respondent=lambda person: person, **columns)
    person, place = np.nonzero(~np.isnan(x))
    weight = pa.array(weights[person] / np.array(mean)[place])
    return table.set_column(RESPONDENTS.get_field_index("weight"), "weight", weight)


def runs(y, names, name="model", twin_of=lambda run: [None] * len(run)):
    return long(
        y,
        names,
        RUNS,
        run=lambda run: run,
        source=lambda run: [name] * len(run),
        respondent=twin_of,
    )


def answers(n, questions, seed, load=1.0, missing=0.0):
    rng = np.random.default_rng(seed)
    x = load * rng.normal(size=(n, 1)) + rng.normal(size=(n, questions))
    x = np.digitize(x, [-1.5, -0.5, 0.5, 1.5]) + 1.0
    x[rng.random(x.shape) < missing] = np.nan
    return x


def names_of(x):
    return [f"q{j}" for j in range(x.shape[1])]


def tables_of(x, y, *, step=None, topics=None, weights=None, **more):
    names = names_of(x)
    found = structure_tables(
        scenarios(names, topics, **more),
        respondents(x, names, weights),
        runs(y, names),
        STEP | (step or {}),
    )
    return {name: rows for name, (rows, _) in found.items()}


@pytest.mark.sampled
@pytest.mark.parametrize("turned", [False, True])
def test_alpha_is_that_of_numpy_with_questions_reversed(turned):
    x, y = answers(80, 3, 0), answers(60, 3, 1)
    if turned:
        x[:, 1], y[:, 1] = 6.0 - x[:, 1], 6.0 - y[:, 1]
    scales = {"trust": ["q0", "-q1" if turned else "q1", "q2"]}
    (row,) = tables_of(x, y, step={"scales": scales})["scales"]
    for name, table in (("people_alpha", x), ("alpha", y)):
        table = np.where([False, turned, False], 6.0 - table, table)
        covariance = np.cov(table.T)
        alpha = 1.5 * (1.0 - np.trace(covariance) / covariance.sum())
        assert row[name] == pytest.approx(alpha, abs=1e-9)
    assert (row["questions"], row["reversed"]) == (3, int(turned))
    assert 0.0 <= row["sum_distance_lower"] <= row["sum_distance_upper"] < 0.2


def test_correlations_of_weighted_people_are_those_of_the_library():
    x, y = answers(90, 4, 0, missing=0.1), answers(80, 4, 1, load=0.9)
    weights = np.random.default_rng(2).choice([1.0, 3.0], 90)
    found = tables_of(x, y, weights=weights)
    people, model = associations(AnswerTable(x, weights)), associations(AnswerTable(y))
    sides = [people.r, np.sqrt(people.noise), model.r, np.sqrt(model.noise)]
    rows = [
        [row[at] for at in ("people_r", "people_se", "r", "se")] for row in found["associations"]
    ]
    np.testing.assert_allclose(rows, np.transpose(sides))
    (apart,), (row,) = compare_associations(people, model), found["structure"]
    ends = [row[f"slope{end}"] for end in ("", "_lower", "_upper")]
    np.testing.assert_allclose(ends, apart.slope)
    assert row["mean_squared"] == pytest.approx(apart.mean_squared.estimate)
    assert (row["people"], row["runs"], row["pairs"], row["unknown"]) == (90, 80, 6, 0)


def test_topics_stand_beside_all():
    x, y = answers(100, 4, 0), answers(100, 4, 1)
    found = tables_of(x, y, step={"clustered": True}, topics=["a", "a", "b", "b"])
    assert [row["topic"] for row in found["structure"]] == [None, "a", "b", "between topics"]
    assert [row["pairs"] for row in found["structure"]] == [6, 1, 1, 4]


def test_what_is_lacking_is_said():
    x, names = answers(100, 3, 0), ["q0", "q1", "q2"]
    nobody, none = RESPONDENTS.empty_table(), RUNS.empty_table()

    def lacking(people, simulated, asked=None, **step):
        tables = structure_tables(asked or scenarios(names), people, simulated, STEP | step)
        (row,) = tables["structure"][0]
        return row["lacking"]

    people, simulated = respondents(x, names), runs(x, names)
    assert lacking(nobody, simulated) == PEOPLE_UNKNOWN
    weighed = scenarios(names, replicates=[[0.2, 0.3]] * 5)
    assert lacking(nobody, simulated, weighed) == REPLICATES
    assert lacking(people, none) == RUNS_UNKNOWN
    assert lacking(people, runs(x[:20], names)) == FEW_COMMON
    one = scenarios(names[:1])
    assert (
        lacking(*(make(x[:, :1], names[:1]) for make in (respondents, runs)), one) == ONE_QUESTION
    )
    options = scenarios(names, kind="categorical")
    assert lacking(people, simulated, options, outcome={"kind": "categorical"}) == NO_SCORES


def test_the_groups_of_a_question_are_one_column():
    x, group = answers(120, 3, 0), np.arange(120) % 2
    names = [f"q{j} | {sex}" for j in range(3) for sex in "fm"]
    wide = np.full((120, 6), np.nan)
    wide[np.arange(120)[:, None], 2 * np.arange(3) + group[:, None]] = x
    tables = structure_tables(
        scenarios(names), respondents(wide, names), runs(wide, names), STEP | {"groups": ["sex"]}
    )
    plain = tables_of(x, x)
    for name in ("associations", "dispersion"):
        assert tables[name][0] == plain[name]
    assert {row["one"] for row in plain["associations"]} == {"q0", "q1"}


def test_persons_are_named_by_the_groups_that_their_questions_were_put_to():
    names = ["mood", "vote | f", "vote | m"]
    columns = Columns.of(scenarios(names), STEP | {"groups": ["sex"]})
    table = np.array([[1.0, 2.0, np.nan], [1.0, np.nan, np.nan], [1.0, np.nan, 2.0]])
    rows = respondents(table, names)
    _, whom = columns.by_person(rows, rows["respondent"].to_numpy(), 3)
    assert columns.labels(whom).tolist() == ["everybody + f", "everybody", "everybody + m"]


@pytest.mark.parametrize("twins", [False, True])
def test_groups_are_apart_as_the_library_says(twins):
    """Answers of women and men on both sides; the simulator's differences are doubled."""
    rng, group = np.random.default_rng(0), np.arange(200) % 2
    x, y = (np.round(rng.uniform(1, 3, (200, 3)) + far * group[:, None]) for far in (1, 2))
    names = [f"q{j} | {sex} | {age}" for j in range(3) for sex in "fm" for age in ("old", "young")]
    old = rng.integers(0, 2, 200)
    wide = np.full((2, 200, 3, 4), np.nan)
    wide[:, np.arange(200), :, 2 * group + old] = np.stack([x, y]).swapaxes(0, 1)
    people, model = wide.reshape(2, 200, 12)
    of_person = {"twin_of": lambda run: run} if twins else {}
    tables = structure_tables(
        scenarios(names),
        respondents(people, names),
        runs(model, names, **of_person),
        STEP | {"groups": ["sex", "age"]},
    )
    ratios, mean = variance_ratios(x, y, same_persons=twins)
    found = [row["variance_ratio"] for row in tables["dispersion"][0]]
    np.testing.assert_allclose(found, [mean.estimate, *(each.estimate for each in ratios)])
    rows = tables["group_differences"][0]
    groupings = dict.fromkeys(row["grouping"] for row in rows)
    assert list(groupings) == ["sex", "age", "sex | age"]
    apart = group_differences((x - 3.0) / 2.0, (y - 3.0) / 2.0, group, group, same_persons=twins)
    whole, one, *_ = rows
    for column, expected in (("ratio", apart.ratio), ("slope", apart.slope)):
        ends = [whole[f"{column}{end}"] for end in ("", "_lower", "_upper")]
        np.testing.assert_allclose(ends, expected)
    assert (whole["question"], whole["groups"], one["question"]) == (None, 2, "q0")
    assert one["people_between"] == pytest.approx(apart.people[0].estimate)
    assert one["share"] == pytest.approx(apart.simulator_shares[0])
    assert whole["ratio_lower"] > 2.0
    of_age = [row for row in rows if row["grouping"] == "age" and row["question"] is None]
    assert [row["ratio"] for row in of_age] == [None]  # people of no age differ


def test_refusals_of_the_library_are_not_taken_for_few_answers():
    def refuses(fault):
        raise fault

    assert if_enough(refuses, TooFewError("few")) is None
    with pytest.raises(ValueError, match="malformed"):
        if_enough(refuses, ValueError("malformed"))


def test_twins_are_the_same_persons():
    x, names = answers(90, 4, 0, load=0.6), [f"q{j}" for j in range(4)]
    order = np.random.default_rng(0).permutation(90)
    twins = runs(x[order], names, twin_of=lambda run: order[run])
    tables = structure_tables(scenarios(names), respondents(x, names), twins, STEP)
    (row,) = tables["structure"][0]
    assert row["slope"] == pytest.approx(1.0, abs=1e-9)
    assert row["mean_squared"] == pytest.approx(0.0, abs=1e-9)
    nearly = x.copy()
    nearly[0, 0] = 6.0 - nearly[0, 0] if nearly[0, 0] != 3.0 else 1.0
    assert tables_of(x, nearly)["structure"][0]["slope"] > 1.01  # as if others answered the same


def test_a_simulator_with_people_s_own_rows_is_told():
    x = answers(90, 4, 0, load=0.6)
    (row,) = tables_of(x, x[::-1])["structure"]
    assert row["warning"] == OF_SAME.format("model")
    ends = [row[f"mean_squared{end}"] for end in ("", "_lower", "_upper")]
    assert ends == [0.0, 0.0, 0.0]


def test_weights_are_found_again_up_to_a_factor():
    rng = np.random.default_rng(0)
    w = np.append(rng.uniform(0.5, 2.0, 39), 0.0)
    there = rng.random((40, 5)) < 0.4
    there[:, 0] |= ~there.any(1)
    person, scenario = np.nonzero(there)
    mean = np.array([w[column].mean() for column in there.T])
    found = person_weights(person, scenario, w[person] / mean[scenario], persons=40)
    np.testing.assert_allclose(found / found[0], w / w[0], atol=1e-12)


@pytest.mark.sampled
@pytest.mark.parametrize("together", [True, False])
def test_tables_whose_errors_do_not_know_psus_are_left_out(together):
    x, names = answers(100, 3, 0), names_of(answers(100, 3, 0))
    psu = {"psu": lambda person: person // 5 if together else person}
    design = {**psu, "stratum": lambda person: 0 * person}
    step = STEP | {"scales": {"all": names}}
    made = structure_tables(
        scenarios(names), respondents(x, names, **design), runs(answers(90, 3, 1), names), step
    )
    (scale,), (row,) = made["scales"][0], made["structure"][0]
    assert row["warning"] == (OF_DESIGN if together else None)
    assert bool(made["pair_tables"][0]) is not together
    assert (scale["sum_distance_upper"] is not None) is not together
    assert scale["alpha"] is not None and row["slope"] is not None


def test_replicate_weights_that_errors_do_not_know_are_told():
    x, names = answers(100, 3, 0), names_of(answers(100, 3, 0))
    asked = scenarios(names)
    at = asked.schema.get_field_index("replicates")
    sets = pa.array([[[0.2] * 5]] * 3, asked.schema.field(at).type)
    asked = asked.set_column(at, asked.schema.field(at), sets)
    simulated = runs(answers(100, 3, 1), names)
    made = structure_tables(asked, respondents(x, names), simulated, STEP)
    assert made["structure"][0][0]["warning"] == OF_REPLICATES


ITSELF = {"twin_of": lambda run: run}
KINDS = ("twins", "twins_csv", "twins_by", "of_persons")


def twins_of(x, y, step=STEP, **twin):
    names = names_of(x)
    simulated = runs(y, names, **(twin or ITSELF))
    made = twin_tables(scenarios(names), respondents(x, names), simulated, step)
    return made["twins"][0], made["twins_by"][0]


def test_hits_excess_and_exact_p_value_of_six_persons():
    x = answers(6, 3, 0)
    y = np.where(np.random.default_rng(1).random(x.shape) < 0.6, x, answers(6, 3, 2))
    (hits, apart), _ = twins_of(x, y)
    own = np.array([[(x[i] == y[k]).mean() for k in range(6)] for i in range(6)])
    others = own[~np.eye(6, dtype=bool)].mean()
    assert hits["own"] == pytest.approx(own.trace() / 6, abs=1e-9)
    assert hits["excess"] == pytest.approx(own.trace() / 6 - others, abs=1e-9)
    sums = [own[range(6), order].sum() for order in permutations(range(6))]
    share = np.mean([each >= own.trace() - 1e-9 for each in sums])
    assert hits["p_value"] == pytest.approx(share, abs=1e-9)
    assert (hits["measure"], apart["measure"]) == ("hits", "absolute")
    assert apart["own"] == pytest.approx(np.abs(x - y).mean() / 2.0, abs=1e-9)  # scores are ½ apart


def test_persons_in_another_condition_of_each_study_are_compared_within_it():
    rng, n = np.random.default_rng(0), 120
    arms = rng.integers(0, 2, (n, 2))
    wide = np.full((2, n, 8), np.nan)  # study, question, arm
    for side in wide.reshape(2, n, 2, 2, 2):
        for study in range(2):
            likely = rng.random((n, 2)) < np.where(arms[:, study], 0.9, 0.1)[:, None]
            side[np.arange(n), study, :, arms[:, study]] = 1.0 + likely
    took_part = rng.random(n) < 0.7
    wide[:, ~took_part, 4:] = np.nan
    names = [f"q{study}{j} | {arm}" for study in range(2) for j in range(2) for arm in "ct"]
    asked = scenarios(names, topics=[f"study {name[1]}" for name in names], options=2)
    step = STEP | {"groups": ["arm"], "clustered": True}
    made = twin_tables(asked, respondents(wide[0], names), runs(wide[1], names, **ITSELF), step)
    hits = [row for row in made["twins"][0] if row["measure"] == "hits"]
    assert [row["topic"] for row in hits] == [None, "study 0", "study 1"]
    assert [row["persons"] for row in hits] == [n, n, took_part.sum()]
    assert [row["groups"] for row in hits] == [4, 2, 2]
    for row in hits:  # twins know the arm only
        assert row["p_value"] > 0.01 and row["excess_lower"] < 0.0 < row["excess_upper"]
    assert hits[0]["p_value"] == min(1.0, 2.0 * min(row["p_value"] for row in hits[1:]))
    assert hits[1]["p_holm"] >= hits[1]["p_value"]
    groups = [(row["topic"], row["name"]) for row in made["twins_by"][0] if row["of"] == GROUP]
    assert groups == [(f"study {study}", arm) for study in range(2) for arm in "ct"]


def test_weights_count_on_both_sides():
    x, y = answers(80, 3, 0), answers(80, 3, 1)
    weights = np.where(np.arange(80) < 40, 3.0, 1.0)
    names = names_of(x)
    people = respondents(x, names, weights)
    (hits, _) = twin_tables(scenarios(names), people, runs(y, names, **ITSELF), STEP)["twins"][0]
    assert hits["own"] == pytest.approx(np.average((x == y).mean(1), weights=weights), abs=1e-9)


def test_the_worst_persons_and_all_questions_are_listed():
    x = answers(60, 5, 0)
    y = x.copy()
    y[7] = 6.0 - x[7] + (x[7] == 3.0)
    _, by = twins_of(x, y)
    assert [row["name"] for row in by if row["of"] == QUESTION] == names_of(x)
    persons = [row for row in by if row["of"] == PERSON]
    assert (persons[0]["name"], len(persons)) == ("7", 20)


def test_runs_of_nobody_are_no_twins():
    x = answers(40, 3, 0)
    assert twins_of(x, x, twin_of=lambda run: [None] * len(run)) == ([], [])
    twice = twins_of(x, x, twin_of=lambda run: run // 2)
    assert twice == ([], [])  # two twins of one person
    empty = long(x[:0], names_of(x), RUNS)
    assert twin_tables(scenarios(names_of(x)), respondents(x, names_of(x)), empty, STEP) == {
        "twins": ([], TWINS),
        "twins_by": ([], TWINS_BY),
        "of_persons": ([], MEASURED),
    }


def test_answers_with_too_many_values_have_no_hits(monkeypatch):
    monkeypatch.setattr(twins, "MOST_CELLS", 40 * 3 * 4)  # five values of each answer
    x = answers(40, 3, 0)
    assert twins_of(x, x) == ([], [])


def test_the_step_writes_its_tables(tmp_path):
    x = answers(40, 3, 0)
    names = names_of(x)
    tables = {"scenarios": scenarios(names), "runs": runs(x, names, **ITSELF)}
    tables["respondents"] = respondents(x, names)
    made = call_step(twins.main, tmp_path, STEP, tables, *KINDS)
    rows = pq.read_table(made["twins"], schema=TWINS).to_pylist()
    assert [row["own"] for row in rows] == [1.0, 0.0]
    assert made["twins_csv"].read_text().startswith("simulator,topic,measure,persons")
    assert len(pq.read_table(made["twins_by"], schema=TWINS_BY)) == 3 + twins.WORST


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
    return (hidden < np.array(norm.isf(1 - np.array(p)))).astype(int)


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


@pytest.mark.parametrize("known", [{"shared": True}, {"answers": {"psu": np.arange(2000) // 20}}])
def test_errors_that_may_go_together_are_added_up(known):
    tables, q = two_groups(np.random.default_rng(0), n=(200, 200))
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
