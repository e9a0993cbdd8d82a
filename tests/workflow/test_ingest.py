"""The datasets' ingests: their numbers, and that bad data never get past them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from snakemake.iocontainers import OutputFiles
from tabular_step import folder_step

from fidelity_study.app.run.script import run
from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.answers import Personas, count_answers, package_data
from fidelity_study.reading.ingest.folder import main
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.reading.ingest.save import save
from fidelity_study.tables.ingest import (
    INGESTED,
    SCENARIOS,
)
from fidelity_study.tables.read_write import metadata, read

STUDIES = {
    "ces_2024": ("categorical", "question", ["uniform", "pooled", "fa", "ntp"]),
    "gss_abortion": ("binary", "item", ["uniform", "persistence", "pooled", "demographic"]),
    "tv16_racial_attitudes": ("ordinal", "item", ["uniform", "pooled", "demographic"]),
    "wvs_bribe": ("ordinal", "country", ["uniform", "persistence", "pooled"]),
    "bfi": ("ordinal", "item", ["uniform", "pooled"]),
}
PEOPLE = {
    "ces_2024": (288, 55, 267.5, 3648),
    "gss_abortion": (212, 853, 1460.5, 1939),
    "tv16_racial_attitudes": (204, 88, 614.5, 4821),
    "wvs_bribe": (237, 235, 1199, 5993),
    "bfi": (25, 2764, 2779, 2800),
}
DRAWS = 40


def fake(folder, step):
    return SimpleNamespace(
        params=SimpleNamespace(step=step),
        input=[],
        output=OutputFiles(fromdict={name: str(folder / f"{name}.parquet") for name in INGESTED}),
        log=[str(folder / "log")],
        rule="ingest",
        wildcards={},
    )


def step_of(room, **changes):
    kind, cluster, simulators = STUDIES[room]
    return folder_step(room, kind, cluster, simulators) | {"draws": DRAWS, **changes}


def ingest(room, folder, **changes):
    snakemake = fake(folder, step_of(room, **changes))
    run(main, snakemake)
    frames = {}
    for name, schema in INGESTED.items():
        frame = read(snakemake.output[name], schema).to_pandas()
        labels = {column: str for column in ("scenario", "source") if column in frame}
        frames[name] = frame.astype(labels)
    return SimpleNamespace(**frames)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    done = {}

    def get(room):
        if room not in done:
            done[room] = ingest(room, tmp_path_factory.mktemp(room))
        return done[room]

    return get


@pytest.mark.slow
@pytest.mark.parametrize("room", STUDIES)
def test_scenarios_and_people(study, room):
    scenarios = study(room).scenarios
    n = scenarios["n_human"]
    found = (len(scenarios), n.min(), n.median(), n.max())
    np.testing.assert_allclose(found, PEOPLE[room], rtol=1e-9)
    assert scenarios["weighted"].eq(room == "ces_2024").all()
    assert scenarios["scenario"].is_unique
    required = ["scenario", "cluster", "kind", "description", "value", "option", "n_effective"]
    assert scenarios[required].notna().all(axis=None)
    assert (scenarios["value"].map(len) == scenarios["option"].map(len)).all()


@pytest.mark.slow
@pytest.mark.parametrize("room", STUDIES)
def test_simulators_are_those_of_the_config(study, room):
    tables_ = study(room)
    drawn = set(tables_.outcomes["source"]) - {"human"}
    stated = set(tables_.stated["source"])
    assert drawn == set(STUDIES[room][2]) - {"ntp"}
    assert stated == set(STUDIES[room][2]) - {"fa"}
    assert tables_.outcomes.notna().all(axis=None)
    assert tables_.stated.drop(columns="statements").notna().all(axis=None)


@pytest.mark.parametrize("room", STUDIES)
def test_each_simulator_answers_as_often_as_the_config_says(study, room):
    outcomes = study(room).outcomes
    fitted = outcomes[~outcomes["source"].isin(["human", "fa"])]
    total = fitted.groupby(["scenario", "source"])["count"].sum()
    assert total.eq(DRAWS).all()
    assert set(total.index) == set(
        study(room).stated.query("source != 'ntp'").set_index(["scenario", "source"]).index
    )


def number_of_scenarios(tables_):
    return tables_.stated.groupby("source")["scenario"].nunique().to_dict()


@pytest.mark.parametrize("room", STUDIES)
def test_it_is_known_whether_the_same_people_answer_several_scenarios(study, room):
    assert study(room).scenarios["respondents_repeat"].eq(room != "wvs_bribe").all()


def test_simulators_may_lack_scenarios(study):
    assert number_of_scenarios(study("gss_abortion")) == {
        "uniform": 212,
        "persistence": 205,
        "pooled": 205,
        "demographic": 205,
    }
    assert number_of_scenarios(study("wvs_bribe")) == {
        "uniform": 237,
        "persistence": 137,
        "pooled": 237,
    }


def gaps(tables_, source):
    """Return |difference of mean codes| between people and what ``source`` states, by scenario."""
    people = tables_.outcomes.query("source == 'human'")
    stated = tables_.stated.query("source == @source")
    mean = (people["value"] * people["count"]).groupby(people["scenario"]).sum()
    mean /= people.groupby("scenario")["count"].sum()
    guess = (stated["value"] * stated["probability"]).groupby(stated["scenario"]).sum()
    return (guess - mean).abs().dropna()


@pytest.mark.parametrize(
    ("room", "source", "width", "expected"),
    [
        ("gss_abortion", "persistence", 1, 0.015),
        ("wvs_bribe", "persistence", 9, 0.022),
        ("wvs_bribe", "pooled", 9, 0.039),
    ],
)
def test_median_gap(study, room, source, width, expected):
    assert gaps(study(room), source).median() / width == pytest.approx(expected, abs=5e-4)


def total_variation(people, other, number):
    keys = ["scenario", "value"]
    p = (
        people.set_index(keys)["count"]
        / people.groupby("scenario")["count"].transform("sum").values
    )
    q = other.set_index(keys)[number] / other.groupby("scenario")[number].transform("sum").values
    return p.sub(q, fill_value=0).abs().groupby("scenario").sum() / 2


@pytest.mark.parametrize(
    ("source", "table", "expected"),
    [
        ("ntp", "stated", {"economy_retro": 0.36, "ideo5": 0.28, "relig_church": 0.30}),
        ("fa", "outcomes", {"economy_retro": 0.43, "ideo5": 0.35, "relig_church": 0.41}),
    ],
)
def test_ces_distance_of_the_language_model(study, source, table, expected):
    ces = study("ces_2024")
    people = ces.outcomes.query("source == 'human'")
    model = getattr(ces, table).query("source == @source")
    tv = total_variation(people, model, {"stated": "probability"}.get(table, "count"))
    assert tv.groupby(tv.index.str.split("|").str[0]).mean().round(2).to_dict() == expected


def test_ces_options_keep_the_questionnaires_order(study):
    ces = study("ces_2024")
    options = ces.scenarios.set_index("cluster")["option"].map(list)
    assert options["ideo5"].iloc[0] == [
        "Very liberal",
        "Liberal",
        "Moderate",
        "Conservative",
        "Very conservative",
    ]
    assert options["relig_church"].iloc[0][0] == "More than once a week"
    assert len(options["relig_church"].iloc[0]) == 6
    assert options["economy_retro"].iloc[0][-1] == "Gotten much worse"
    said = ces.outcomes.query("source == 'fa' and scenario.str.startswith('ideo5')")
    assert sorted(said["value"].unique()) == [1, 2, 3, 4]
    assert ces.outcomes.query("source == 'fa'").groupby("scenario")["count"].sum().eq(25).all()


def test_ces_weighting_effect_shrinks_the_effective_number(tmp_path):
    scenarios = ingest("ces_2024", tmp_path, weighting_effect=2.0, simulators=["fa"]).scenarios
    np.testing.assert_allclose(scenarios["n_effective"], scenarios["n_human"] / 2)


def test_gss_years_without_items_make_no_scenarios(study):
    scenarios = set(study("gss_abortion").scenarios["scenario"])
    assert not any(name.endswith("|1986") for name in scenarios)
    assert "abany|1976" not in scenarios
    assert "abany|1977" in scenarios


def test_wvs_countries_are_told_apart_by_code(study):
    scenarios = study("wvs_bribe").scenarios
    countries = set(scenarios["cluster"])
    assert len(countries) == 100
    assert {"Bosnia (70)", "Bosnia (914)", "Unnamed (101)", "Unnamed (332)"} <= countries
    assert "Bosnia" not in countries
    assert scenarios["n_options"].eq(10).all()
    assert "Turkey|wave 4" not in set(scenarios["scenario"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "cluster", "clusters"),
    [
        ("ces_2024", "cell", 96),
        ("tv16_racial_attitudes", "state", 51),
        ("wvs_bribe", "wave", 6),
        ("gss_abortion", "year", 31),
    ],
)
def test_other_clusters(tmp_path, room, cluster, clusters):
    scenarios = ingest(room, tmp_path, cluster=cluster, simulators=["uniform"]).scenarios
    assert scenarios["cluster"].nunique() == clusters


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "changes", "words"),
    [
        ("bfi", {"simulators": ["gpt"]}, ["bfi", "'gpt'", "no scenario; there are: none"]),
        (
            "bfi",
            {"outcome": {"kind": "ordinal", "levels": [1, 2]}},
            ["outcome", "'levels'", "kind"],
        ),
        ("tv16_racial_attitudes", {"outcome": {"kind": "binary"}}, ["binary", "ordinal"]),
    ],
)
def test_a_wrong_config_is_told_in_one_line(tmp_path, capsys, room, changes, words):
    with pytest.raises(SystemExit) as stop:
        ingest(room, tmp_path, **changes)
    assert stop.value.code == 1
    message = (tmp_path / "log").read_text(encoding="utf-8")
    assert message == capsys.readouterr().err
    assert message.startswith("ingest: ")
    assert message.count("\n") == 1
    assert all(word in message for word in words), message
    assert not list(tmp_path.glob("*.parquet*"))


def small(**changes):
    """Return sound responses of two scenarios, with columns or whole tables replaced."""
    outcomes = pd.DataFrame(
        {
            "scenario": ["s1", "s1", "s2", "s1", "s2"],
            "source": ["human", "human", "human", "model", "model"],
            "value": [1.0, 2.0, 1.0, 1.0, 2.0],
            "count": [4.0, 6.0, 5.0, 10.0, 10.0],
        }
    )
    scenarios = pd.DataFrame(
        {
            "scenario": ["s1", "s2"],
            "cluster": ["c", "c"],
            "description": ["first", "second"],
            "value": [[1.0, 2.0], [1.0, 2.0]],
            "option": [["no", "yes"], ["no", "yes"]],
        }
    )
    stated = pd.DataFrame(
        {
            "scenario": ["s1", "s1"],
            "source": ["model", "model"],
            "value": [1.0, 2.0],
            "probability": [0.25, 0.75],
        }
    )
    sound = {"origin": "people.csv", "outcomes": outcomes, "scenarios": scenarios, "stated": stated}
    return Responses(**(sound | changes))


def changed(table, row, column, value):
    frame = getattr(small(), table).copy()
    frame.at[row, column] = value
    return {table: frame}


def repeated(table, row):
    frame = getattr(small(), table)
    return {table: pd.concat([frame, frame.iloc[[row]]], ignore_index=True)}


def without_people(scenario):
    outcomes = small().outcomes
    people = (outcomes["scenario"] == scenario) & (outcomes["source"] == "human")
    return {"outcomes": outcomes[~people]}


TABLE = """
unknown option | outcomes 1 value 7.0 | row 2 & 's1' & 'human' & 7 & [1.0, 2.0] & recode
unknown scenario | outcomes 4 scenario s9 | row 5 & 's9' & unknown
negative count | outcomes 3 count -1.0 | row 4 & 's1' & 'model' & 'count' & negative
fractional count | outcomes 0 count 4.5 | row 1 & 's1' & 'human' & whole number & weighting_effect
missing count | outcomes 1 count .nan | row 2 & 's1' & 'count' & missing & drop the row
missing value | outcomes 4 value .nan | row 5 & 's2' & 'value' & missing & drop the row
missing source | outcomes 2 source null | row 3 & 's2' &
  column 'source' is empty; fill it or drop the row
infinite count | outcomes 3 count .inf | row 4 & 'count' & finite
one option | scenarios 0 value [1.0] | row 1 & 's1' & fewer than two options & drop it
three options declared binary | scenarios 1 value [1.0, 2.0, 3.0] | 's2' & binary &
  ordinal or categorical | outcome: {kind: binary}
negative probability | stated 0 probability -0.25 | row 1 & 's1' & 'model' & 'probability' &
  negative
probabilities beyond one | stated 0 probability 0.5 | 's1' & 'model' & sum to one & normalise
missing count of the only people | outcomes 2 count .nan | row 3 & 's2' & 'human' & 'count' &
  missing
missing cluster | scenarios 1 cluster null | row 2 & 's2' & 'cluster' & name it
an option code twice | scenarios 0 value [1.0, 1.0] | row 1 & 's1' & option code twice &
  its own code
fewer texts than options | scenarios 0 option ["no"] | row 1 & 's1' & 'option' & name each option
numbers without the range they could have | | row 1 & 's1' & 'lower' and 'upper' &
  range | outcome: {kind: bounded}
a billion answers | outcomes 3 count 1.0e+9 | row 4 & 's1' & 'model' & 'count' & check the unit
simulator without a scenario | | 'twin' & no scenario & there are: model | simulators: [model, twin]
"""


def in_table(table):
    """Return the cases of a table: name | table, row, column and its cell | words | settings."""
    for row in table.replace("\n  ", " ").strip().splitlines():
        name, place, words, settings, *_ = [part.strip() for part in f"{row}| | ".split("| ")]
        tables = {}
        if place:
            changes, at, column, cell = place.split(" ", 3)
            tables = changed(changes, int(at), column, yaml.safe_load(cell))
        yield name, (words.split(" & "), tables, yaml.safe_load(f"{{{settings}}}"))


BAD = {
    **dict(in_table(TABLE)),
    "duplicate row": (["row 6", "'s1'", "'model'", "twice", "add up"], repeated("outcomes", 3)),
    "duplicate scenario": (["row 3", "'s2'", "twice", "one row"], repeated("scenarios", 1)),
    "empty scenario": (["'s2'", "no human responses", "drop the scenario"], without_people("s2")),
    "text for a count": (
        ["row 2", "'s1'", "'count'", "not a finite number", "mend it"],
        {"outcomes": small().outcomes.astype({"count": object}).replace({"count": {6.0: "six"}})},
    ),
    "effective number of people below one": (
        ["row 2", "'s2'", "'n_effective'", "check the weights"],
        {"scenarios": small().scenarios.assign(n_effective=[10.0, np.nan])},
    ),
    "scores that are all equal": (
        ["row 1", "'s1'", "'score'", "not all equal"],
        {"scenarios": small().scenarios.assign(score=[[1.0, 1.0], [0.0, 1.0]])},
    ),
    "a number outside its range": (
        ["row 2", "'s2'", "'lower' and 'upper'", "around all values"],
        {"scenarios": small().scenarios.assign(lower=[0.0, 1.5], upper=2.0)},
        {"outcome": {"kind": "bounded"}},
    ),
    "simulator that never answers": (
        ["'model'", "no scenario", "there are: none"],
        {"outcomes": small().outcomes.assign(count=[4, 6, 5, 0, 0]), "stated": small().stated[:0]},
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", BAD)
def test_bad_responses_are_refused_with_place_and_remedy(tmp_path, case):
    words, tables_, *study = BAD[case]
    step = {"clustered": True, "outcome": {"kind": "ordinal"}, "simulators": ["model"]}
    for changes in study:
        step |= changes
    with pytest.raises(DataError) as refusal:
        save(fake(tmp_path, step), small(**tables_))
    message = str(refusal.value)
    assert "people.csv" in message
    assert all(word in message for word in words), message
    assert not list(tmp_path.iterdir())


def test_sound_responses_are_written(tmp_path):
    step = {"clustered": True, "outcome": {"kind": "ordinal"}, "simulators": ["model"]}
    save(fake(tmp_path, step), small())
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.parquet" for name in INGESTED}
    assert metadata(tmp_path / "outcomes.parquet") == step


@pytest.mark.parametrize(
    ("kind", "limits", "expected"),
    [("bounded", {"lower": 0.0, "upper": [5.0, 10.0]}, (0.0, 5.0)), ("real", {}, (1.0, 2.0))],
)
def test_numbers_are_their_own_scores(tmp_path, kind, limits, expected):
    step = {"clustered": True, "outcome": {"kind": kind}, "simulators": ["model"]}
    save(fake(tmp_path, step), small(scenarios=small().scenarios.assign(**limits)))
    row = read(tmp_path / "scenarios.parquet", SCENARIOS).to_pylist()[0]
    assert row["score"] == row["value"] == [1.0, 2.0]
    assert (row["lower"], row["upper"], row["kind"]) == (*expected, kind)
    assert row["respondents_repeat"] is None


def test_people_with_the_same_covariates_are_one_persona():
    age = pd.cut([20, 20, np.nan, 20], [0, 30, 99], labels=[", young", ", old"])
    personas = Personas.of_people(pd.DataFrame({"sex": ["f", "m", "f", "f"], "age": age}))
    assert personas.of.tolist() == [0, 2, 1, 0]
    assert personas.text.tolist() == ["f, young", "f", "m, young"]
    np.testing.assert_array_equal(personas.features, [[0, 0], [0, 1], [1, 0]])


def test_somebody_of_whom_nothing_is_known_has_no_words():
    words = pd.DataFrame({"sex": [None, "f"], "age": [", old", None]}, dtype=object)
    assert Personas.of_people(words).text.tolist() == ["f", "old"]


@pytest.mark.sampled
@pytest.mark.parametrize("room", ["gss_abortion", "tv16_racial_attitudes"])
def test_what_is_stated_of_personas_is_what_is_stated_of_scenarios(study, room):
    found = study(room)
    people = found.personas.groupby(["scenario", "persona"], observed=True)["count"].sum()
    each = found.stated_by_persona
    assert set(each["source"]) == {"demographic"}
    each["share"] = (
        each["probability"]
        * people.loc[pd.MultiIndex.from_frame(each[["scenario", "persona"]])].to_numpy()
    )
    total = each.groupby(["scenario", "value"], observed=True)["share"].sum()
    total /= total.groupby("scenario", observed=True).transform("sum")
    stated = found.stated.query("source == 'demographic'").set_index(["scenario", "value"])
    np.testing.assert_allclose(stated["probability"], total.loc[stated.index], rtol=1e-9)
    of_people = found.outcomes.query("source == 'human'").set_index(["scenario", "value"])["count"]
    told = found.personas.groupby(["scenario", "value"], observed=True)["count"].sum()
    pd.testing.assert_series_equal(told.sort_index(), of_people.sort_index())


def test_answers_are_counted_by_scenario_persona_and_option():
    answers = pd.DataFrame(
        {
            "year": [1990, 1980, 1990, 1990, 1980],
            "persona": [1, 0, 1, 0, 1],
            "answer": [5.0, 4.0, 5.0, np.nan, 4.0],
        }
    )
    scenarios, counts = count_answers(answers, ["year"], [4.0, 5.0], origin="survey")
    assert scenarios["year"].tolist() == [1980, 1990]
    np.testing.assert_array_equal(counts, [[[1, 0], [1, 0]], [[0, 0], [0, 2]]])


def test_an_answer_that_is_no_option_is_refused():
    answers = pd.DataFrame({"year": [1990, 1990], "answer": [1.0, 8.0]})
    with pytest.raises(DataError, match=r"survey: the answer 8\.0 is none of the options"):
        count_answers(answers, ["year"], [1.0, 2.0], origin="survey")


def test_a_missing_data_set_names_the_package_to_install():
    with pytest.raises(DataError, match=r"stevedata::nothing .* pip install"):
        package_data("stevedata", "nothing")
