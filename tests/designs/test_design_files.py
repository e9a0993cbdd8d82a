"""Designs and groups in files: what is read, counted, told and refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from surveyed import AGES, OPTIONS, QUESTIONS, SEXES, model, with_replicates, write
from tabular_step import answers, read

from fidelity.designs import effective_size, korn_graubard_ratio, linearised_mean
from fidelity.sets.gamma import parse_sides
from fidelity_study.app.start.flow import decided
from fidelity_study.app.start.request import Request
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.report import notes
from fidelity_study.report.results import Results
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.confidence_set import known_bounds
from fidelity_study.steps.design import Sizes
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import write_rows

STRATA = {"strata": "stratum", "psu": "psu", "nested": True}
REPLICATES = {"replicate_weights": ["rep*"], "method": "brr"}
ASIDE = ["sex", "age"]
REGIONS = ("north", "south")
GROUPS = {"groups": ASIDE, "cluster": "question", "clustered": True}
SURVEY = {"human": "people.csv", "weight": "w", "design": STRATA}


@pytest.fixture(autouse=True)
def table(here):
    return write()


@pytest.fixture
def read_regions(tmp_path):
    """Return a function that reads answers of people of two regions to two questions."""
    rows = [
        (person, region, question, ("no", "yes")[(person + at) % 2])
        for at, region in enumerate(REGIONS)
        for person in range(4 * at, 4 * at + 4)
        for question in ("q1", "q2")
    ]
    people = pd.DataFrame(rows, columns=["respondent", "region", "scenario", "value"])
    people.to_csv("regions.csv", index=False)
    said = people.drop(columns="respondent").assign(simulator="model")
    said.to_csv("regions_model.csv", index=False)

    def of_regions(**settings):
        files = {"human": "regions.csv", "simulated": "regions_model.csv"}
        return read(**{**files, "groups": ["region"], **settings})

    return of_regions


def alone(**settings):
    return read(**{**SURVEY, "ignore": ASIDE, "simulators": ["uniform"], **settings})


def by_hand(table, question, inside):
    values = table[question].to_numpy()[:, np.newaxis] == OPTIONS
    inside = inside & table[question].notna()
    design = {"strata": table["stratum"], "psu": table["psu"]}
    found = linearised_mean(values, table["w"], domain=inside, **design)
    return found, effective_size(found.estimate, found.covariance, inside.sum())


def test_people_are_worth_what_the_design_says(table):
    found = alone()
    for question in QUESTIONS:
        mean, size = by_hand(table, question, table["w"] > 0)
        row = found.scenarios.loc[question]
        assert row["n_effective"] == pytest.approx(size)
        assert row["df"] == mean.df == 8
        n = answers(found, "human")[question]
        shares = [n[option] / sum(n.values()) for option in OPTIONS]
        np.testing.assert_allclose(shares, mean.estimate)
        assert sum(n.values()) == pytest.approx(table[question].notna().sum())
    assert "8 strata, 16 PSUs, numbered anew in each stratum; 8 degrees of freedom" in str(
        found.notes[-1]
    )


def test_each_group_is_a_domain_of_the_whole_design(table):
    found = read(**SURVEY, simulated="model.csv", **GROUPS)
    assert len(found.scenarios) == len(QUESTIONS) * len(SEXES) * len(AGES)
    assert found.scenarios["cluster"].tolist() == list(np.repeat(QUESTIONS, 6))
    for name in ("trust | female | 18-34", "vote | male | 55+"):
        question, sex, age = name.split(" | ")
        inside = (table["sex"] == sex) & (table["age"] == age)
        mean, size = by_hand(table, question, inside)
        assert found.scenarios.loc[name, "n_effective"] == pytest.approx(size)
        assert found.scenarios.loc[name, "df"] == mean.df
        assert sum(answers(found, "model")[name].values()) == 40
    assert found.scenarios["respondents_repeat"].all() and "people" not in found.scenarios


@pytest.mark.slow
def test_long_files_have_the_same_design(table):
    rows = table.assign(id=range(len(table))).melt(
        ["id", "stratum", "psu", "w", *ASIDE], list(QUESTIONS), "scenario"
    )
    rows.to_csv("long.csv", index=False)
    long = alone(human="long.csv", columns={"respondent": "id"})
    pd.testing.assert_series_equal(
        long.scenarios["n_effective"], alone().scenarios["n_effective"], check_index=False
    )


def test_equal_weights_and_persons_as_psus_are_a_random_sample(table):
    table.assign(one=1).drop(columns=["w", "stratum", "psu"]).to_csv("same.csv", index=False)
    found = read(human="same.csv", design={"strata": "one"}, simulators=["uniform"], ignore=ASIDE)
    n = table[list(QUESTIONS)].notna().sum()
    np.testing.assert_allclose(found.scenarios["n_effective"], n, rtol=0.01)


def test_numbers_are_worth_what_their_mean_is(table):
    rng = np.random.default_rng(5)
    level = table.groupby(["stratum", "psu"]).ngroup()
    table = table.drop(columns=[*QUESTIONS, *ASIDE])
    table["mood"] = (level % 5 + rng.integers(0, 5, len(table))).astype(float)
    table.to_csv("numbers.csv", index=False)
    Path("guess.csv").write_text("mood\n1\n5\n")
    found = read(
        **{**SURVEY, "human": "numbers.csv"},
        simulated={"model": "guess.csv"},
        outcome={"kind": "bounded", "bounds": [0, 10]},
    )
    design = {"strata": table["stratum"], "psu": table["psu"]}
    mean = linearised_mean(table[["mood"]], table["w"], **design)
    spread = np.average((table["mood"] - mean.estimate[0]) ** 2, weights=table["w"])
    expected = spread / mean.covariance[0, 0]
    assert found.scenarios["n_effective"].tolist() == [pytest.approx(expected)]


def test_groups_work_without_a_design_and_have_nobody_in_common(table):
    table.drop(columns=["stratum", "psu", "w"]).to_csv("plain.csv", index=False)
    found = read(human="plain.csv", simulated="model.csv", **GROUPS)
    assert "n_effective" not in found.scenarios
    assert found.scenarios["people"].nunique() == 6
    inside = (table["sex"] == "male") & (table["age"] == "55+")
    counts = table.loc[inside, "news"].value_counts().to_dict()
    assert answers(found, "human")["news | male | 55+"] == counts


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["wide", "long"])
def test_who_answered_what_is_known_in_groups_too(table, form):
    asked = table.drop(columns=["stratum", "psu"]).rename_axis("id").reset_index()
    if form == "long":
        aside = ["id", "w", *ASIDE]
        asked = asked.melt(aside, var_name="scenario").dropna(subset=["value"])
    asked.to_csv("asked.csv", index=False)
    own = {"columns": {"respondent": "id"}, "weight": "w"}
    found = read(human="asked.csv", simulated="model.csv", **own, **GROUPS)
    rows = found.by_respondent.astype({"scenario": str})
    people = found.outcomes.query("source == 'human'").astype({"scenario": str})
    counts = people.set_index(["scenario", "value"])["count"]
    told = rows.groupby(["scenario", "value"])["weight"].sum()
    pd.testing.assert_series_equal(told.sort_index(), counts.sort_index(), check_names=False)
    groups = rows["scenario"].str.partition(" | ")[2].groupby(rows["respondent"]).nunique()
    assert (groups == 1).all()
    assert len(groups) == table[list(QUESTIONS)].notna().any(axis=1).sum()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["wide", "scenario"])
def test_simulators_name_groups_by_columns_or_in_the_scenario(form):
    said, told = model(), {}
    if form == "scenario":
        names = said[["question", "sex", "age"]].agg(" | ".join, axis=1)
        said = said[["simulator", "value"]].assign(scenario=names)
    else:
        place = said.groupby(["sex", "age", "question"]).cumcount()
        index = ["simulator", "sex", "age", "place"]
        said = said.assign(place=place).pivot(index=index, columns="question", values="value")
        said = said.reset_index().drop(columns="place")
    said.to_csv("other.csv", index=False)
    for name in ("model.csv", "other.csv"):
        told[name] = answers(read(**SURVEY, simulated=name, **GROUPS), "model")
    assert told["model.csv"] == told["other.csv"]


def test_simulators_state_probabilities_for_each_group():
    said = model().drop_duplicates(["sex", "age", "question"]).drop(columns="value")
    shares = dict(zip(OPTIONS, (0.2, 0.3, 0.5), strict=True))
    stated = [said.assign(option=name, probability=share) for name, share in shares.items()]
    pd.concat(stated).to_csv("model.csv", index=False)
    found = read(**SURVEY, simulated="model.csv", **GROUPS).stated
    assert len(found) == 18 * 3 and (found.groupby("scenario")["probability"].sum() == 1).all()
    pd.concat([*stated, stated[0].head(1)]).to_csv("model.csv", index=False)
    assert "in scenario 'trust' is there a second time" in refused(
        simulated="model.csv", simulators=["model"], ignore=[], **GROUPS
    )


def test_people_without_a_group_and_groups_of_one_are_told(table):
    table.loc[:9, "age"] = None
    table.loc[10, "age"] = "unknown"
    table.to_csv("people.csv", index=False)
    found = read(**SURVEY, simulated="model.csv", **GROUPS)
    told = "\n".join(map(str, found.notes))
    assert "people.csv: 10 rows lack a value of the columns of groups" in told
    assert "fewer than 2 people answer" in told and "| unknown" in told
    assert len(found.scenarios) == 18


def refused(**settings) -> str:
    with pytest.raises(DataError) as error:
        alone(**settings)
    return str(error.value)


def test_values_of_groups_that_nobody_has_are_refused_with_what_may_be_meant():
    model().replace({"female": "femal"}).to_csv("model.csv", index=False)
    told = refused(simulated="model.csv", ignore=[], **GROUPS)
    assert "model.csv, column 'sex': nobody in people.csv has 'femal'" in told
    assert "did you mean 'female'?" in told


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ({**STRATA, "strata": "strat"}, ["no column 'strat'", "did you mean 'stratum'?"]),
        ({"psu": "stratum", "method": "brr"}, ["has psu and method", "not both"]),
        ({**REPLICATES, "method": "jkn"}, ["jkn needs rscales"]),
        ({**REPLICATES, "method": "fay"}, ["fay: 0.3", "give both"]),
        ({**REPLICATES, "scale": 2}, ["has its own scale"]),
        ({"replicate_weights": ["rep*"]}, ["need a method"]),
        ({"method": "brr"}, ["no replicate_weights"]),
        ({"nested": True}, ["names neither strata"]),
        ({"psu": "psu", "nested": True}, ["says nested", "columns of both"]),
        (
            {"psu": "psu"},
            ["'stratum'", "the name or label suggests", "{psu: psu, strata: stratum}"],
        ),
        ({**REPLICATES, "replicate_weights": ["wt*"]}, ["no column 'wt*'"]),
    ],
)
def test_faults_of_the_key_are_told_with_what_to_do(design, words):
    told = refused(design=design)
    assert all(each in told for each in words), told


def test_a_weighting_effect_and_a_design_contradict_each_other():
    assert "take one of them out" in refused(weighting_effect=1.5)


def test_cells_without_stratum_or_psu_are_told_together(table):
    table = table.astype({"psu": object})
    table.loc[3, "stratum"], table.loc[5, "psu"] = None, None
    table.to_csv("people.csv", index=False)
    told = refused().splitlines()
    for row, column in ((5, "stratum"), (7, "psu")):
        assert any(f"people.csv, row {row}, column {column!r}: is empty" in each for each in told)


@pytest.mark.sampled
@pytest.mark.parametrize("rule", ["adjust", "average", "certainty"])
def test_a_stratum_with_one_psu_is_refused_until_a_rule_says_what_it_adds(table, rule):
    table[(table["stratum"] != "s3") | (table["psu"] == 1)].to_csv("people.csv", index=False)
    told = refused()
    assert "'s3': strata with a single PSU (1 of 8)" in told and "lonely_psu: adjust" in told
    assert alone(design={**STRATA, "lonely_psu": rule}).scenarios["df"].tolist() == [7] * 3


def test_answers_from_strata_with_one_psu_alone_are_worth_one_where_others_should_stand_in(table):
    lonely = table["stratum"].isin(["s2", "s3"])
    table.loc[~lonely, "vote"] = None
    table[~lonely | (table["psu"] == 1)].to_csv("people.csv", index=False)
    found = alone(design={**STRATA, "lonely_psu": "average"}).scenarios["n_effective"]
    assert found["vote"] == 1 and (found.drop("vote") > 5).all()


def test_replicate_weights_are_checked(table):
    found = with_replicates(table)
    found.loc[4, "rep2"], found["rep3"] = -1, 0
    found.to_csv("replicates.csv", index=False)
    told = refused(human="replicates.csv", design=REPLICATES)
    assert "row 6, column 'rep2': is negative" in told and "column 'rep3': is 0 in all rows" in told


def test_one_psu_and_counts_are_refused(table):
    table.assign(psu=1, stratum="s").to_csv("people.csv", index=False)
    assert "has a single PSU" in refused()
    Path("counts.csv").write_text("scenario,value,count,psu\ns,a,3,1\ns,b,2,2\n")
    assert "a row for each" in refused(human="counts.csv", weight="psu", design={"psu": "psu"})


def test_unanimous_answers_and_answers_of_one_psu_are_worth_little(table):
    table["news"] = "often"
    table.loc[0, "news"] = "never"
    table.loc[table.index[25:], "vote"] = None
    table.to_csv("people.csv", index=False)
    levels = {"outcome": {"kind": "categorical", "levels": list(OPTIONS)}}
    assert alone(**levels).scenarios.loc["vote", "n_effective"] == 1
    table["news"] = "often"
    table.to_csv("people.csv", index=False)
    assert alone(**levels).scenarios.loc["news", "n_effective"] == 9


def started(**given) -> tuple[list[str], dict]:
    told: list[str] = []
    design = {**given.pop("design", STRATA)}
    asked = Request(
        "people.csv",
        ("model.csv",),
        name="town",
        out=Path("town.yaml"),
        options={"weight": "w", **design, "groups": ("sex", "age"), **given},
    )
    decided(asked, told)
    return told, yaml.safe_load(Path("town.yaml").read_text())["datasets"]["town"]


@pytest.mark.slow
def test_start_prints_what_it_understood_and_writes_it():
    told, settings = started()
    assert "questions: 3, each put to groups of people by sex, age" in told
    assert any(
        line.startswith("sampling design: 400 rows, 8 strata, 16 PSUs, numbered") for line in told
    )
    assert settings["design"] == STRATA and settings["groups"] == ["sex", "age"]
    assert settings["cluster"] == "question"


@pytest.mark.slow
def test_questions_are_the_clusters_of_groups_unless_the_config_says_otherwise():
    own = {"ingest": "tabular", "human": "people.csv", "simulated": "model.csv", "weight": "w"}
    own |= {"design": STRATA, "groups": ASIDE, "outcome": {"kind": "categorical"}}
    assert Study({"datasets": {"town": dict(own)}}).datasets["town"]["cluster"] == "question"
    other = Study({"datasets": {"town": {**own, "cluster": "none"}}}).datasets["town"]
    assert not other["clustered"]


def test_a_group_may_be_the_cluster(read_regions):
    clusters = read_regions(cluster="region", clustered=True).scenarios["cluster"]
    assert dict(clusters) == {
        f"{question} | {region}": region for question in ("q1", "q2") for region in REGIONS
    }


@pytest.mark.parametrize("form", ["long", "wide"])
def test_answers_for_nobody_in_particular_stand_beside_each_group(read_regions, form):
    said = pd.DataFrame({"q1": ["no", "no", "yes"], "q2": ["yes", "yes", "yes"]})
    if form == "long":
        said = said.melt(var_name="scenario", value_name="value")
    said.to_csv("nobody.csv", index=False)
    found = read_regions(simulated={"model": "nobody.csv"})
    rows = found.outcomes[found.outcomes["source"] == "model"]
    counts = rows.groupby("scenario", observed=True)["count"].agg(list)
    assert counts.to_dict() == {
        **{f"q1 | {region}": [2.0, 1.0] for region in REGIONS},
        **{f"q2 | {region}": [3.0] for region in REGIONS},
    }
    assert any("does not say whom it speaks for" in str(note) for note in found.notes)


def test_some_names_without_a_group_are_refused(read_regions):
    said = {"scenario": ["q1", f"q2 | {REGIONS[0]}"], "value": "no", "simulator": "model"}
    pd.DataFrame(said).to_csv("mixed.csv", index=False)
    with pytest.raises(DataError, match="'q1' does not say whom it is put to"):
        read_regions(simulated="mixed.csv")


def described_in_groups(how: str, **differing: list[str]) -> pd.DataFrame:
    pairs = [(question, region) for question in ("q1", "q2") for region in REGIONS]
    names = [f"{question} | {region}" for question, region in pairs]
    found = pd.DataFrame({"scenario": names}).assign(topic=["a", "a", "b", "b"], **differing)
    if how == "columns":
        found = found.assign(
            scenario=[question for question, _ in pairs], region=[region for _, region in pairs]
        )
    found.to_csv("scenarios.csv", index=False)
    return found


@pytest.mark.sampled
@pytest.mark.parametrize("how", ["names", "columns"])
def test_a_file_of_scenarios_may_describe_questions_put_to_groups(read_regions, how):
    texts = ["in the north?", "in the south?", "b?", "b?"]
    described_in_groups(how, question=texts, kin=["x", "y", "y", "x"])
    known = {"scenarios": "scenarios.csv", "clustered": True}
    found = read_regions(**known, cluster="topic").scenarios
    assert dict(found["cluster"]) == {
        "q1 | north": "a",
        "q1 | south": "a",
        "q2 | north": "b",
        "q2 | south": "b",
    }
    assert found["question"]["q1 | south"] == "in the south?"
    assert set(read_regions(**known, cluster="region").scenarios["cluster"]) == set(REGIONS)
    found = read_regions(**known, cluster="kin").scenarios
    assert list(found["cluster"][["q1 | south", "q2 | south"]]) == ["y", "x"]


@pytest.mark.parametrize(
    ("differing", "gone", "told"),
    [
        ({"options": ["no | yes", "yes | no", *["no | yes"] * 2]}, [], "row 3, column 'options'"),
        ({"question": ["one?", "", "b?", "b?"]}, [], "row 3, column 'question': is empty"),
        ({"kin": ["x", "y", "y", "x"]}, [1], r"scenarios.csv: has no row for 'q1 \| south'"),
    ],
)
def test_what_holds_for_a_question_is_the_same_in_all_its_groups(
    read_regions, differing, gone, told
):
    described_in_groups("names", **differing).drop(index=gone).to_csv("scenarios.csv", index=False)
    with pytest.raises(DataError, match=told):
        read_regions(scenarios="scenarios.csv", cluster="kin" if gone else "none")


ROWS = [
    {
        "scenario": name,
        "cluster": name,
        "kind": "categorical",
        "n_options": 3,
        "value": [1.0, 2.0, 3.0],
        "n_human": 100.0,
        "n_effective": 40.0,
        "df": df,
        "weighted": True,
    }
    for name, df in (("by_design", 7.0), ("by_weights", None))
]
DESCRIBED = pa.Table.from_pylist(ROWS, SCENARIOS)
COVERAGES = [parse_sides(gamma).upper for gamma in (0.5, 0.95)]


def bounds(n: float) -> list[dict]:
    """Return the bounds of samples of n people with the same shares."""
    count = [0.5 * n, 0.3 * n, 0.2 * n]
    rows = [{"scenario": each["scenario"], "n_j": n, "count": count} for each in ROWS]
    samples = pa.Table.from_pylist([{**row, "replicate": 0} for row in rows], HUMAN_SAMPLE)
    pairs = {"tv": ["witness"]}
    return known_bounds(DESCRIBED, samples, COVERAGES, pairs, ("a",)).to_pylist()


def test_the_surer_a_set_is_to_be_the_fewer_people_a_design_is_worth():
    found = {(row["scenario"], row["gamma_j"]): row for row in bounds(40.0)}
    for level in (0.5, 0.95):
        design, weights = (found[name, level] for name in ("by_design", "by_weights"))
        assert weights["n_j"] == 40
        assert design["n_j"] == pytest.approx(40 * korn_graubard_ratio(100, 7, level))
        assert design["share"] == pytest.approx(weights["share"])
        assert (np.array(design["support"]) > weights["support"]).all()
    assert found["by_design", 0.95]["n_j"] < found["by_design", 0.5]["n_j"]


def test_samples_smaller_than_what_people_are_worth_stay_as_they_are():
    assert {row["n_j"] for row in bounds(20.0)} == {20.0}


def test_sizes_stay_above_one():
    sizes = Sizes(np.array([100.0]), np.array([2.0]), np.array([1.0]))
    assert sizes.at(np.array([2.0]), 0.999).tolist() == [1.0]


def test_the_report_says_what_the_design_is_worth(tmp_path):
    path = tmp_path / "scenarios.parquet"
    write_rows(path, ROWS[:1], SCENARIOS, {})
    step = {"weighting_effect": None, "noun": ["question", "questions"], "cluster": "none"}
    told = notes.weights(Results(step, {"scenarios": [path]}))
    assert "100 people of a question tell as much as 40 drawn at random" in told
    assert "7 degrees of freedom" in told and "Kish" not in told
