"""Answers of simulators' runs: who gave which, and whose twin a run is."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tabular_step import answers, looked, read

from fidelity.effects import arm_effects
from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.save import completed
from fidelity_study.reading.settings import with_levels

PEOPLE = "id,q1,q2\na,1,2\nb,2,2\nc,1,1\nd,2,1\n"


def runs_of(folder, simulated, people=PEOPLE, **settings):
    for name, text in (("people.csv", people), ("model.csv", simulated)):
        (folder / name).write_text(text, encoding="utf-8")
    found = read(human=str(folder / "people.csv"), simulated=str(folder / "model.csv"), **settings)
    return found, [
        tuple(None if pd.isna(cell) else cell for cell in row)
        for row in found.runs[["scenario", "source", "run", "value", "respondent"]].to_numpy()
    ]


def test_each_row_of_a_wide_file_is_a_run(tmp_path):
    text = "simulator,q1,q2\nmodel,1,2\nmodel,2,\nother,1,1\n"
    _, rows = runs_of(tmp_path, text, ignore=["id"], simulators=["model", "other"])
    assert sorted(rows) == [
        ("q1", "model", 0, 1.0, None),
        ("q1", "model", 1, 2.0, None),
        ("q1", "other", 2, 1.0, None),
        ("q2", "model", 0, 2.0, None),
        ("q2", "other", 2, 1.0, None),
    ]


def test_twins_have_the_names_of_persons(tmp_path):
    text = "simulator,id,q1,q2\nmodel,c,1,2\nmodel,a,2,1\nmodel,z,2,2\n"
    found, rows = runs_of(tmp_path, text, columns={"respondent": "id"})
    numbers = found.by_respondent.set_index(["scenario", "respondent"])["value"]
    assert [row[4] for row in rows if row[0] == "q1"] == [2, 0, None]
    assert numbers["q1"].to_list() == [1.0, 2.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("ids", "more", "are_others"),
    [
        ("de", {}, True),
        ("bc", {}, False),
        ("de", {"temperature": 1}, False),
        ("de", {"run": 1}, True),
        ("", {"run": 1}, False),
    ],
)
def test_files_of_one_simulator_count_together_if_ids_tell_their_answers_apart(
    here, ids, more, are_others
):
    people = pd.DataFrame({"id": [*"abc"], "q1": [1, 2, 2], "q2": [2, 1, 1]})
    people.to_csv("people.csv", index=False)
    one = people.assign(model="m", **{name: 0 for name in more if name != "run"} | {"run": 1})
    two = one.assign(id=[*ids, "f"] if ids else one["id"], **more)
    for name, frame in {"one.csv": one, "two.csv": two}.items():
        frame.iloc[:, 0 if ids else 1 :].to_csv(name, index=False)
    columns = {"simulator": "model", **({"respondent": "id"} if ids else {})}
    settings = {"human": "people.csv", "simulated": ["one.csv", "two.csv"], "columns": columns}
    settings |= {"ignore": ["run", "temperature", *([] if ids else ["id"])], "simulators": ["m"]}
    if not are_others:
        with pytest.raises(DataError) as error:
            read(**settings)
        assert [fault.code for fault in error.value.faults] == ["simulator-in-two-files"]
        settings["coded"] = {"roles": {"two.csv": {"simulator": ["model"]}}}
    found = read(**settings)
    assert answers(found, "m") == {"q1": {"1": 2, "2": 4}, "q2": {"1": 4, "2": 2}}
    assert not found.runs.duplicated(["scenario", "source", "run"]).any() and len(found.runs) == 12
    assert not found.outcomes.duplicated(["scenario", "source", "value"]).any()


def test_runs_of_a_long_file_are_named(tmp_path):
    people = "respondent,scenario,value\n" + "".join(
        f"{name},{question},{1 + (name in 'bd')}\n" for question in ("q1", "q2") for name in "abcd"
    )
    lines = [f"model,{run},{q},{v}\n" for run, q, v in ((1, "q1", 1), (1, "q2", 2), (2, "q1", 2))]
    head = "simulator,respondent,scenario,value\n"
    _, rows = runs_of(tmp_path, head + "".join(lines), people)
    assert [row[:4] for row in rows] == [
        ("q1", "model", 0, 1.0),
        ("q2", "model", 0, 2.0),
        ("q1", "model", 1, 2.0),
    ]
    _, rows = runs_of(tmp_path, head + "".join([*lines, "model,1,q1,2\n"]), people)
    assert rows == []  # a run that answers twice is none


def test_counts_have_no_runs(tmp_path):
    people = "scenario,value,count\nq1,1,20\nq1,2,10\n"
    _, rows = runs_of(tmp_path, "simulator,scenario,value,count\nmodel,q1,1,3\n", people)
    assert rows == []


ITEMS = ["q7_1", "q7_2", "q7_3", "q7_4"]


def ranks(size, seed):
    """Return everybody's ranks of the items, of some only of the best two, of one none."""
    generator = np.random.default_rng(seed)
    orders = np.argsort(generator.random((size, len(ITEMS))), axis=1) + 1
    frame = pd.DataFrame(orders, columns=ITEMS).astype(float)
    frame.iloc[:5] = frame.iloc[:5].where(frame.iloc[:5] <= 2)
    frame.iloc[5] = np.nan
    return frame.assign(vote=generator.choice(["yes", "no"], size))


def counted(frame, prefix="q7"):
    """Return the true counts of first choices and pairs."""
    table = frame[ITEMS]
    first = table.dropna(how="all").idxmin(axis=1).value_counts()
    truth = {f"{prefix}: first": first.to_dict()}
    for one, two in combinations(ITEMS, 2):
        a, b = (table[name].fillna(np.inf) for name in (one, two))
        counts = {"1": (a < b).sum(), "0": (a > b).sum()}
        truth[f"{prefix}: {one} over {two}"] = {k: n for k, n in counts.items() if n}
    return truth


def found(**settings):
    known = read(human="people.csv", simulated={"model": "model.csv"}, **settings)
    return known, [answers(known, s) for s in ("human", "model")]


def same(counts, truth):
    for name, expected in truth.items():
        one = {k: n for k, n in counts[name].items() if n}
        assert one == {k: float(n) for k, n in expected.items()}, name


def test_columns_of_ranks_are_read_as_pandas_counts_them():
    people, model = ranks(60, 1), ranks(40, 2)
    people.to_csv("people.csv", index=False)
    model.to_csv("model.csv", index=False)
    known, (of_people, of_model) = found(ranking=["q7*"], cluster="question")
    same(of_people, counted(people))
    same(of_model, counted(model))
    assert len(of_people) == 8
    clusters = known.scenarios.set_index("scenario")["cluster"]
    assert clusters.drop("vote").eq("q7").all()


def test_items_in_order_are_refused_with_the_option_that_reads_them():
    cells = ["cost > care > fun", "fun > cost > care", "care > fun > cost"] * 10
    for name in ("people", "model"):
        pd.DataFrame({"q7": cells, "vote": ["yes", "no", "no"] * 10}).to_csv(
            f"{name}.csv", index=False
        )
    with pytest.raises(DataError, match=r"items in order, .*ranking: \[q7\]"):
        found()
    _, (of_people, _) = found(ranking=["q7"])
    assert of_people["q7: first"] == {"cost": 10.0, "fun": 10.0, "care": 10.0}


@pytest.mark.sampled
@pytest.mark.parametrize("join", ["; ".join, lambda items: str(list(items))])
def test_items_in_one_cell_are_a_ranking(join):
    people, model = ranks(60, 1), ranks(40, 2)
    for name, frame in (("people", people), ("model", model)):
        orders = [row.dropna().sort_values().index for _, row in frame[ITEMS].iterrows()]
        cells = [join(order) if len(order) else "" for order in orders]
        pd.DataFrame({"q7": cells, "vote": frame["vote"]}).to_csv(f"{name}.csv", index=False)
    _, sides = found(ranking=["q7"])
    for counts, frame in zip(sides, (people, model), strict=True):
        assert {k: n for k, n in counts["q7: first"].items() if n} == counted(frame)["q7: first"]
        for one, two in combinations(ITEMS, 2):
            name = f"q7: {one} over {two}"
            assert counts[name] == counted(frame)[name]


def test_a_pair_of_which_all_prefer_one_has_two_options():
    frame = pd.DataFrame({"q7_1": [1] * 30, "q7_2": [2] * 30, "vote": ["yes", "no", "no"] * 10})
    frame.to_csv("people.csv", index=False)
    frame.to_csv("model.csv", index=False)
    found = looked("people.csv", "model.csv", ranking=("q7*",))[0].responses
    options = found.scenarios.set_index("scenario")["option"]
    assert list(options["q7: q7_1 over q7_2"]) == ["0", "1"]
    assert "'q7': a ranking of 2 items, read as the first choice and 1 pairs" in str(found.notes[0])


@pytest.mark.parametrize(("cell", "said"), [("first", "no rank from 1"), ("0", "no rank from 1")])
def test_a_cell_that_is_no_rank_is_refused(cell, said):
    frame = ranks(20, 1).astype(object)
    frame.iloc[7, 0] = cell
    frame.to_csv("people.csv", index=False)
    frame.to_csv("model.csv", index=False)
    with pytest.raises(DataError, match=f"row 9, column 'q7_1': is '{cell}', {said}"):
        found(ranking=["q7*"])


def test_a_pattern_without_columns_is_refused():
    ranks(20, 1).to_csv("people.csv", index=False)
    ranks(20, 2).to_csv("model.csv", index=False)
    with pytest.raises(DataError, match="no column or question that fits ranking"):
        found(ranking=["q8*"])


ARMS = ["placebo", "a", "b"]
EFFECTS = {"effects": {"condition": "arm", "control": "placebo"}, "groups": ["arm"]}


@pytest.fixture
def people():
    """40 persons in each of three conditions; beside it a model that plays 20 others."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        [(f"p{i}", arm, 1 + rng.binomial(4, 0.5)) for i in range(40) for arm in ARMS],
        columns=["respondent", "arm", "liked"],
    )
    rows.to_csv("people.csv", index=False)
    model = rows.head(60).assign(simulator="model")
    model.assign(respondent="q" + model["respondent"]).to_csv("models.csv", index=False)
    return rows


def read_of(form, rows=None, **settings):
    if rows is not None:
        rows.to_csv("people.csv", index=False)
    if form == "long":
        for path in ("people.csv", "models.csv"):
            table = pd.read_csv(path).rename(columns={"liked": "value"})
            table.assign(scenario="liked").to_csv(path, index=False)
    files = {"human": "people.csv", "simulated": "models.csv", "outcome": {"kind": "ordinal"}}
    return read(
        **{
            key: value
            for key, value in with_levels(files | EFFECTS | settings).items()
            if key != "effects"
        }
    )


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["wide", "long"])
def test_persons_are_the_same_in_all_conditions(people, form):
    read_in = read_of(form)
    given = read_in.by_respondent
    assert given["respondent"].nunique() == 40 and len(given) == 120
    assert read_in.scenarios["respondents_repeat"].all() and "people" not in read_in.scenarios
    arms = given["scenario"].str.removeprefix("liked | ")
    effects = arm_effects(given["value"], arms, control="placebo", respondents=given["respondent"])
    wide = people.pivot(index="respondent", columns="arm", values="liked")
    for row, (_, arm) in enumerate(effects.labels):
        expected = stats.ttest_rel(wide[arm], wide["placebo"]).statistic
        assert effects.estimate[row] / effects.se[row] == pytest.approx(expected, abs=1e-9)
    assert read_in.runs["psu"].nunique() == 20


@pytest.mark.parametrize("form", ["wide", "long"])
def test_a_person_answers_once_in_a_condition(people, form):
    again = pd.concat([people, people.iloc[[4]]])
    with pytest.raises(DataError, match=r"'p1' .*second time in condition 'a'") as error:
        read_of(form, again)
    assert "respondent-twice" in str(error.value.faults[0].code)
    with pytest.raises(DataError, match=r"'p0' .*second time"):
        read_of(form, effects={})


def test_conditions_with_other_persons_stay_apart(people):
    apart = people.iloc[[*range(0, 39, 3), *range(40, 81, 3), *range(83, 120, 3)]]
    apart = apart.assign(shared=apart["liked"])
    pd.read_csv("models.csv").assign(shared=1).to_csv("models.csv", index=False)
    assert read_of("wide", apart).scenarios["people"].nunique() == 3


OPTIONS, N = {"media_1": "tv", "media_2": "web", "media_3": "radio"}, 300
DESIGNS = {
    "psus": {"strata": "stratum", "psu": "psu"},
    "strata": {"strata": "stratum"},
    "replicates": {"replicate_weights": ["rep*"], "method": "bootstrap"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write the same answers in three forms."""
    folder = tmp_path_factory.mktemp("ticked")
    generator = np.random.default_rng(1)
    psu = np.repeat(range(30), 10)
    people = pd.DataFrame({"psu": psu, "stratum": psu // 6, "w": generator.uniform(0.5, 2, N)})
    for r in range(8):
        people[f"rep{r}"] = people["w"] * generator.uniform(0.5, 1.5, N)
    share = np.clip(generator.normal(0.4, 0.2, 30), 0.05, 0.95)[psu]
    for name, size in (("human", N), ("simulated", 200)):
        p = share if name == "human" else 0.5
        ticks = pd.DataFrame({column: generator.random(size) < p for column in OPTIONS})
        rest = people if name == "human" else pd.DataFrame(index=range(size))
        rest = rest.assign(q=generator.choice(["a", "b"], size))
        rest.join(ticks.astype(int)).to_csv(folder / f"{name}_columns.csv", index=False)
        boxes = ticks.astype(object).where(ticks).replace(True, "x")
        rest.join(boxes).to_csv(folder / f"{name}_boxes.csv", index=False)
        chosen = [[OPTIONS[n] for n in OPTIONS if row[n]] for _, row in ticks.iterrows()]
        cells = [";".join(some) or "neither" for some in chosen]
        rest.assign(media=cells).to_csv(folder / f"{name}_cell.csv", index=False)
    return folder


@pytest.mark.sampled
@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_ticks_are_worth_what_columns_of_1_and_0_are(folder, monkeypatch, design):
    monkeypatch.chdir(folder)
    columns = ["psu", "stratum", *(f"rep{r}" for r in range(8))]
    used = {"psu": ["psu", "stratum"], "strata": ["stratum"]}
    read_columns = used.get(list(design)[-1], columns[2:])

    def sizes(form):
        found = read(
            human=f"human_{form}.csv",
            simulated={"model": f"simulated_{form}.csv"},
            design=design,
            columns={"weight": "w"},
            ignore=[name for name in columns if name not in read_columns],
            **({"multiple": ["media"]} if form == "cell" else {}),
        )
        names = {f"media: {option}": column for column, option in OPTIONS.items()}
        table = found.scenarios.assign(scenario=found.scenarios["scenario"].replace(names))
        human = found.outcomes[found.outcomes["source"] == "human"]
        human = human.assign(scenario=human["scenario"].replace(names))
        counts = human.groupby(["scenario", "value"])["count"].sum()
        return table.set_index("scenario")[["n_effective", "df"]], counts

    table, counts = sizes("columns")
    for form in ("boxes", "cell"):
        found, numbers = sizes(form)
        pd.testing.assert_frame_equal(found.loc[table.index], table)
        pd.testing.assert_series_equal(numbers[counts.index], counts)


ENDS = {"lower": [1.0, 0.0], "upper": [7.0, 1.0]}  # as the codebook says


def scales(kind, **more):
    """Return the ends of two scenarios, of 7 options and of 2."""
    values = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [0.0, 1.0]]
    scenarios = pd.DataFrame(
        {"scenario": ["a", "b"], "cluster": ["a", "b"], "description": ["a", "b"], "value": values}
        | ENDS
        | more
    )
    outcomes = pd.DataFrame({"source": ["human"], "scenario": ["a"], "value": [1.0], "count": [9]})
    made = completed(scenarios, outcomes, kind)
    return made["lower"].tolist(), made["upper"].tolist()


@pytest.mark.parametrize(
    ("kind", "more", "ends"),
    [
        ("ordinal", {}, ([-1.0, -1.0], [1.0, 1.0])),
        ("ordinal", {"score": [[0.0, 1, 2, 3, 4, 5, 6], [0.0, 6.0]]}, ([0.0, 0.0], [6.0, 6.0])),
        ("bounded", {}, ([1.0, 0.0], [7.0, 1.0])),
    ],
)
def test_ends_are_those_of_scores(kind, more, ends):
    assert scales(kind, **more) == ends
