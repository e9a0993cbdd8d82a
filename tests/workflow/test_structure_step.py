"""The step: correlations, scales and what is lacking, from tables, against the library."""

import numpy as np
import pyarrow as pa
import pytest

from fidelity.structure import (
    AnswerTable,
    TooFewError,
    associations,
    compare_associations,
    group_differences,
    person_weights,
    variance_ratios,
)
from fidelity_study.steps.registry import STEPS
from fidelity_study.steps.structure import (
    FEW_COMMON,
    NO_SCORES,
    OF_DESIGN,
    OF_REPLICATES,
    OF_SAME,
    ONE_QUESTION,
    PEOPLE_UNKNOWN,
    RUNS_UNKNOWN,
    Columns,
    if_enough,
    structure_tables,
)
from fidelity_study.tables.ingest import RESPONDENTS, RUNS, SCENARIOS

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


def scenarios(names, topics=None, kind="ordinal", options=5):
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
    whom = columns.whom(np.array([0, 0, 1, 2, 2]), 3, np.array([0, 1, 0, 0, 2]))
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
    assert ("sum_distance_upper" in scale) is not together
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


def test_forecasts_have_no_such_table():
    assert STEPS["structure"].runs({"curves": True})
    assert not STEPS["structure"].runs({"curves": False})
