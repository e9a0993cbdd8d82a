"""Files of forecasts: what they come to, and what is refused, with row and remedy."""

import math
import re
from pathlib import Path

import howto_files
import pytest
import yaml
from tabular_step import step

from fidelity_study.__main__ import main
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.assemble import responses

EVENTS = {"outcome": {"kind": "binary"}, "simulators": ["a"]}
NUMBERS = {"outcome": {"kind": "real"}, "simulators": ["a"]}
OUTCOMES = "scenario,value\ns1,1\ns2,0\n"


@pytest.fixture(autouse=True)
def in_a_folder(here):
    """Work in an empty folder of a user's."""


def files(forecasts: str, outcomes: str = OUTCOMES) -> dict:
    """Write both files; return their keys."""
    for name, text in (("outcomes.csv", outcomes), ("forecasts.csv", forecasts)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    return {"human": "outcomes.csv", "simulated": "forecasts.csv"}


def given(forecasts: str, outcomes: str = OUTCOMES, **settings):
    """Return what the study reads."""
    return responses({**step(**files(forecasts, outcomes), **settings), "curves": False})


def stated(found) -> dict:
    """Return the stated probability of each scenario and option."""
    options = {
        (row.scenario, value): option
        for row in found.scenarios.itertuples()
        for value, option in zip(row.value, row.option, strict=True)
    }
    return {
        (row.scenario, options[row.scenario, row.value]): pytest.approx(row.probability)
        for row in found.stated.itertuples()
    }


def refusal(*args, **settings) -> str:
    with pytest.raises(DataError) as caught:
        given(*args, **settings)
    return str(caught.value)


def test_one_probability_is_that_of_the_event():
    found = given("scenario,simulator,probability\ns1,a,0.8\ns2,a,0\n", **EVENTS)
    expected = {("s1", "1"): 0.8, ("s1", "0"): 0.2, ("s2", "1"): 0.0, ("s2", "0"): 1.0}
    assert stated(found) == expected


def test_forecasts_of_several_runs_are_averaged_where_a_column_is_named(capsys):
    """It is proposed, and never done unasked."""
    text = "scenario,simulator,run,probability\ns1,a,1,0.8\ns1,a,2,0.5\ns2,a,1,0.1\ns2,a,2,0.2\n"
    told = refusal(text, **EVENTS)
    assert "if 'run' numbers its runs, and their mean is wanted" in told
    assert "respondent: run" in told
    found = given(text, **EVENTS, columns={"respondent": "run"})
    expected = {("s1", "1"): 0.65, ("s1", "0"): 0.35, ("s2", "1"): 0.15, ("s2", "0"): 0.85}
    assert stated(found) == expected
    found = given(text + "s1,a,3,\ns1,a,4,null\n", **EVENTS, columns={"respondent": "run"})
    assert stated(found) == expected
    assert found.missing.to_dict("records") == [
        {"scenario": "s1", "source": "a", "reason": "missing", "count": 2.0}
    ]
    again = text + "s2,a,2,0.3\n"
    assert "a second forecast" in refusal(again, **EVENTS, columns={"respondent": "run"})
    files(text)
    assert main(["start", "outcomes.csv", "forecasts.csv"]) == 3
    assert "forecasts.csv, run: respondent?" in capsys.readouterr().err


def test_a_column_of_times_names_nobody(capsys):
    files("scenario,created_at,probability\ns1,2024-01-01,0.8\ns2,2024-01-02,0.2\n")
    assert main(["start", "outcomes.csv", "forecasts.csv"]) == 0, capsys.readouterr().err


def test_the_event_is_the_last_of_the_levels_and_asked_for_where_answers_are_words():
    text = "scenario,simulator,probability\ns1,a,0.8\ns2,a,0.3\n"
    words = "scenario,value\ns1,rain\ns2,dry\n"
    told = refusal(text, words, **EVENTS)
    assert "which is the event?" in told and "levels: [rain, dry]" in told
    outcome = {"kind": "binary", "levels": ["dry", "rain"]}
    found = given(text, words, **{**EVENTS, "outcome": outcome})
    assert stated(found)["s1", "rain"] == 0.8


@pytest.mark.parametrize(
    ("family", "share"), [("normal", 0.9772498680518208), ("cauchy", 0.5 + math.atan(2) / math.pi)]
)
def test_a_margin_becomes_a_probability(family, share):
    text = "scenario,simulator,loc,scale\ns1,a,1,0.5\ns2,a,0,1\n"
    found = given(text, **EVENTS, family=family)
    assert stated(found)["s1", "1"] == share and stated(found)["s2", "1"] == 0.5
    assert found.given["family"].tolist() == [family, family]


def test_families_may_differ_by_simulator_and_stand_in_a_column():
    text = "scenario,simulator,mu,sigma,kind\ns1,a,1,1,normal\ns2,a,1,1,cauchy\n"
    columns = {"loc": "mu", "scale": "sigma", "family": "kind"}
    found = given(text, **EVENTS, columns=columns)
    assert stated(found)["s2", "1"] == 0.75 and stated(found)["s1", "1"] != 0.75
    text = "scenario,simulator,loc,scale\ns1,a,1,1\ns1,b,1,1\ns2,a,1,1\ns2,b,1,1\n"
    both = {**EVENTS, "simulators": ["a", "b"]}
    found = given(text, **both, family={"a": "normal", "b": "cauchy"})
    assert found.given.groupby("source")["family"].unique().map(list).to_dict() == {
        "a": ["normal"],
        "b": ["cauchy"],
    }
    assert "the config has no family for 'b'" in refusal(text, **both, family={"a": "normal"})


def test_numbers_keep_location_and_scale_also_where_all_are_the_same_number():
    text = "scenario,simulator,loc,scale\ns1,a,1,0.1\ns2,a,7,2\n"
    found = given(text, **NUMBERS, family="normal")
    assert found.given[["scenario", "loc", "scale"]].to_numpy().tolist() == [
        ["s1", 1.0, 0.1],
        ["s2", 7.0, 2.0],
    ]
    assert found.scenarios["value"].tolist() == [[1.0], [0.0, 7.0]]


THREE = "scenario,value\ns1,x\ns2,y\ns3,z\n"
COLOURS = {"outcome": {"kind": "categorical"}, "simulators": ["a"]}


def rows(*shares) -> str:
    """Return a file with these probabilities of x, y and z in each scenario."""
    lines = [
        f"s{j},a,{option},{share}"
        for j, each in enumerate(shares, 1)
        for option, share in zip("xyz", each, strict=True)
    ]
    return "\n".join(["scenario,simulator,value,probability", *lines, ""])


def test_one_vs_rest_probabilities_are_divided_and_that_is_told():
    text = rows((0.9, 0.3, 0.3), (0.2, 0.2, 0.1), (0.1, 0.2, 0.7))
    told = refusal(text, THREE, **COLOURS)
    assert "sum to 1.5, not to one" in told and "probabilities: one_vs_rest" in told
    found = given(text, THREE, **COLOURS, probabilities="one_vs_rest")
    assert stated(found)["s1", "x"] == 0.6 and stated(found)["s2", "z"] == 0.2
    assert found.given["total"].tolist() == pytest.approx([1.5, 0.5, 1.0])
    assert str(found.notes[0]).startswith(
        "forecasts.csv: warning: probabilities of 'a' sum to 0.5 to 1.5 (median 1), not to one"
    )


def test_margins_of_each_option_are_one_vs_rest():
    text = "scenario,simulator,value,loc,scale\n" + "".join(
        f"s{j},a,{option},{loc},1\n"
        for j in (1, 2, 3)
        for option, loc in zip("xyz", (1, 0, -1), strict=True)
    )
    assert "probabilities: one_vs_rest" in refusal(text, THREE, **COLOURS, family="cauchy")
    found = given(text, THREE, **COLOURS, family="cauchy", probabilities="one_vs_rest")
    assert [stated(found)["s1", each] for each in "xyz"] == [0.5, 1 / 3, 1 / 6]
    assert found.given["total"].tolist() == pytest.approx([1.5] * 3)


EVENT = "scenario,simulator,probability\n"
PAIR = "scenario,simulator,loc,scale\n"
REFUSED = [
    (EVENT + "s1,a,80\ns2,a,3\n", {}, ["row 2", "'probability'", "80", "divided by 100"]),
    (EVENT + "s1,a,-0.1\ns2,a,0\n", {}, ["row 2", "is -0.1"]),
    (EVENT + "s1,a,\ns2,a,\n", {}, ["row 2", "is empty"]),
    (EVENT + "s1,a,0.1\ns1,a,0.2\n", {}, ["row 3", "a second forecast", "'s1'"]),
    (
        "scenario,simulator,user,date,probability\ns1,a,u,2024-01-01,0.1\ns1,a,u,2024-01-02,0.2\n",
        {},
        ["by 'date', in pandas", "groupby(['scenario', 'simulator', 'user']).tail(1)"],
    ),
    (EVENT + "s1,a,0.1\ns9,a,0.2\n", {}, ["row 3", "'s9'"]),
    (PAIR + "s1,a,1,1\ns2,a,1,1\n", {}, ["family: normal", "family: cauchy"]),
    (PAIR + "s1,a,1,1\ns2,a,1,0\n", {"family": "normal"}, ["row 3", "'scale'", "above 0"]),
    (PAIR + "s1,a,inf,1\ns2,a,1,1\n", {"family": "normal"}, ["row 2", "'loc'", "finite"]),
    (EVENT + "s1,a,0.1\ns2,a,0.2\n", NUMBERS, ["loc and scale"]),
    (
        EVENT + "s1,a,0.1\ns2,a,0.2\n",
        {"outcome": {"kind": "categorical"}},
        ["call the kind binary"],
    ),
    (
        "scenario,simulator,loc,scale,family\ns1,a,1,1,normal\ns2,a,1,1,student\n",
        {"columns": {"family": "family"}},
        ["row 3", "'family'", "'student'", "normal or cauchy"],
    ),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("text", "settings", "parts"), REFUSED)
def test_what_is_no_forecast_is_refused_with_its_row(text, settings, parts):
    told = refusal(text, **{**EVENTS, **settings})
    assert all(part in told for part in parts), told


@pytest.mark.parametrize(
    ("shares", "parts"),
    [
        (((0, 0, 0), (0, 0, 0), (0, 0, 0)), ["row 2", "every option of scenario 's1'", "of 0"]),
        (((0.5, 0.1, 0.1), (1.2, 0, 0), (1, 0, 0)), ["row 5", "1.2", "above 1"]),
        (((0.5, 0.1, 0.1), (-0.2, 0, 0), (1, 0, 0)), ["row 5", "negative"]),
        (((50, 30, 40), (10, 10, 10), (9, 9, 9)), ["row 2", "divided by 100"]),
    ],
)
def test_what_cannot_be_divided_is_refused_with_its_row(shares, parts):
    told = refusal(rows(*shares), THREE, **COLOURS, probabilities="one_vs_rest")
    assert all(part in told for part in parts), told


def test_people_do_not_forecast():
    told = refusal(EVENT + "s1,a,1\n", "scenario,probability\ns1,0.5\n", **EVENTS)
    assert "people give answers, not forecasts" in told


@pytest.mark.slow
def test_start_finds_forecasts_and_goes_on_with_one_vs_rest(capsys):
    files(EVENT + "s1,a,0.8\ns2,a,0.3\n")
    assert main(["start", "outcomes.csv", "forecasts.csv", "--out", "events.yaml"]) == 0
    told = capsys.readouterr().out
    assert "a row is one forecast" in told and "no distances" in told
    with open("events.yaml", encoding="utf-8") as file:
        config = file.read()
    assert "curves: false #" in config and "calibration: {} #" in config
    files(rows((0.9, 0.3, 0.3), (0.2, 0.2, 0.1), (0.1, 0.2, 0.7)), THREE)
    assert main(["start", "outcomes.csv", "forecasts.csv", "--out", "colours.yaml"]) == 1
    assert "put --probabilities one_vs_rest" in capsys.readouterr().err
    again = ["start", "outcomes.csv", "forecasts.csv", "--out", "colours.yaml"]
    assert main([*again, "--probabilities", "one_vs_rest"]) == 0
    assert "note: forecasts.csv: warning: probabilities of 'a'" in capsys.readouterr().out


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("scale", "family", "is_copy"),
    [("1", "normal", True), ("0.5", "normal", False), ("1", "cauchy", False)],
)
def test_forecasters_are_copies_only_if_their_distributions_are_the_same(scale, family, is_copy):
    text = "scenario,simulator,loc,scale,family\n" + "".join(
        f"s{i},a,{i},1,normal\ns{i},b,{i},{scale},{family}\n" for i in (1, 2)
    )
    settings = {**NUMBERS, "simulators": ["a", "b"], "columns": {"family": "family"}}
    told = " ".join(map(str, given(text, **settings).notes))
    assert ("'a', 'b' have the very same answers everywhere" in told) == is_copy


@pytest.mark.slow
def test_start_goes_on_with_the_guide_s_files_of_numbers(capsys):
    """Each refusal's options lead to a config."""
    howto_files.written(Path())
    again, asked = ["start", "sales.csv", "stated.csv"], []
    while main(again + asked) and len(asked) < 6:
        told = capsys.readouterr().err
        assert "Traceback" not in told
        is_kind = "questions.csv: * kind: real?" in told
        asked += ["--kind", "real"] if is_kind else re.findall(r"(--family) (normal)", told)[0]
    assert asked == ["--family", "normal", "--kind", "real"]
    study = yaml.safe_load(Path("sales.yaml").read_text(encoding="utf-8"))["datasets"]["sales"]
    assert (study["outcome"], study["family"]) == ({"kind": "real"}, "normal")
    assert (study["curves"], study["calibration"]) == (False, {})
    assert " ".join(asked[2:] + asked[:2]) in howto_files.GUIDE
