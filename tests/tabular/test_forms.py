"""Every form of a file gives the tables that a hand count gives."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from tabular_step import answers, by, read, step

from fidelity.baselines.from_wording import question_ridge
from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.baselines import with_baselines
from fidelity_study.reading.ingest.folder import responses as folder_responses
from fidelity_study.reading.tabular import forms

PEOPLE = {"s1": {"no": 2, "yes": 1}, "s2": {"no": 1, "yes": 2}}
MODEL = {"s1": {"no": 1, "yes": 1}, "s2": {"yes": 2}}

LONG = "scenario,value\ns1,yes\ns2,no\ns1,no\ns1,no\ns2,yes\ns2,yes\ns1,\n"
COUNTS = "scenario,value,count\ns1,yes,1\ns1,no,2\ns2,no,1\ns2,yes,2\ns1,,1\n"
WIDE = "s1,s2\nyes,no\nno,yes\nno,yes\n,\n"
SIMULATED_LONG = "scenario,simulator,value\ns1,model,yes\ns1,model,no\ns2,model,yes\ns2,model,yes\n"
SIMULATED_COUNTS = "scenario,simulator,value,count\ns1,model,yes,1\ns1,model,no,1\ns2,model,yes,2\n"
SIMULATED_WIDE = "simulator,s1,s2\nmodel,yes,yes\nmodel,no,yes\nother,no,no\n"


def files(**contents):
    for name, content in contents.items():
        Path(f"{name}.csv").write_text(content, encoding="utf-8", newline="")
    return {name: f"{name}.csv" for name in contents}


def stated_thirds(third: str) -> dict[str, str]:
    """Write a simulator that states three probabilities, all printed as ``third``, twice."""
    rows = [f"{scenario},model,{value},{third}" for scenario in ("s1", "s2") for value in "abc"]
    human = "scenario,value,count\n" + "".join(f"s{j},{value},2\n" for j in "12" for value in "abc")
    simulated = "scenario,simulator,value,probability\n" + "\n".join(rows) + "\n"
    return files(human=human, simulated=simulated)


ROUNDED = {"probabilities": "rounded"}
FEW = ["0.33", "0.333", "0.3333", "0.33333"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("third", "settings", "said"),
    [
        *((third, {}, None) for third in ("0.333333", "0.333334")),
        *((third, ROUNDED, None) for third in FEW),
        *((third, {}, rf"to {len(third) - 2} decimals, put probabilities: rou") for third in FEW),
        ("0.333332", {}, r"sum to 0\.999996, not to one; list every option once"),
        ("0.300", {}, r"sum to 0\.9, not to one"),
        ("0.332", ROUNDED, r"sum to 0\.996, not to one"),
        ("0.34", ROUNDED, r"sum to 1\.02, not to one"),
    ],
)
def test_shares_are_divided_by_their_sum_where_it_differs_by_rounding(third, settings, said):
    given = {**stated_thirds(third), "outcome": {"kind": "categorical"}, "simulators": ["model"]}
    if said:
        with pytest.raises(DataError, match=said):
            read(**given, **settings)
        return
    found = read(**given, **settings)
    assert found.stated["probability"].tolist() == pytest.approx([1 / 3] * 6, abs=1e-15)


def test_many_rounded_shares_may_not_leave_out_any_sum():
    rows = "".join(f"s1,model,{value},0.01\n" for value in range(90))
    many = files(
        human="scenario,value,count\n" + "".join(f"s1,{value},1\n" for value in range(90)),
        simulated=f"scenario,simulator,value,probability\n{rows}",
    )
    with pytest.raises(DataError, match=r"sum to 0.9, not to one; list every option once"):
        read(**many, **ROUNDED, outcome={"kind": "categorical"}, simulators=["model"])


def test_a_last_decimal_more_or_less_is_divided_away():
    given = stated_thirds("0.333333")
    rows = [("a", "0.4"), ("b", "0.3")]
    lines = [f"s1,model,{value},{share}" for value, share in [*rows, ("c", "0.299999")]]
    lines += [f"s2,model,{value},{share}" for value, share in [*rows, ("c", "0.300001")]]
    given |= files(simulated="\n".join(["scenario,simulator,value,probability", *lines, ""]))
    found = read(**given, outcome={"kind": "categorical"}, simulators=["model"])
    sums = found.stated.groupby("scenario", observed=True)["probability"].sum()
    np.testing.assert_allclose(sums, 1.0, atol=1e-15)


def test_sums_that_are_one_but_for_the_last_bits_are_left_as_they_are():
    paths = stated_thirds("0.3333333333")
    found = read(**paths, outcome={"kind": "categorical"}, simulators=["model"])
    assert set(found.stated["probability"]) == {0.3333333333}


@pytest.mark.sampled
@pytest.mark.parametrize("human", [LONG, COUNTS, WIDE])
@pytest.mark.parametrize("simulated", [SIMULATED_LONG, SIMULATED_COUNTS, SIMULATED_WIDE])
def test_all_forms_give_the_same_counts(human, simulated):
    found = read(**files(human=human, simulated=simulated))
    assert answers(found, "human") == PEOPLE
    assert answers(found, "model") == MODEL
    assert set(found.outcomes["source"]) == {"human", "model"}
    assert found.scenarios["option"].tolist() == [["no", "yes"]] * 2
    assert found.scenarios["value"].tolist() == [[1.0, 2.0]] * 2
    assert found.scenarios["cluster"].tolist() == ["none", "none"]
    assert "n_effective" not in found.scenarios
    missing = by(found.missing, "count")
    assert missing.pop(("s1", "human", "missing")) == 1
    assert missing == ({("s2", "human", "missing"): 1} if human == WIDE else {})


def test_stated_probabilities_stay_as_they_are():
    stated = (
        "scenario,simulator,option,probability\n"
        "s1,model,yes,.25\ns1,model,no,.75\ns2,model,yes,1e0\ns2,other,no,1\n"
    )
    found = read(**files(human=LONG, simulated=stated))
    assert by(found.stated, "probability") == {
        ("s1", "model", 1.0): 0.75,
        ("s1", "model", 2.0): 0.25,
        ("s2", "model", 2.0): 1.0,
    }
    assert set(found.outcomes["source"]) == {"human"}


@pytest.mark.sampled
@pytest.mark.parametrize("suffix", ["csv.gz", "tsv", "parquet", "csv"])
def test_kinds_of_files(here, suffix):
    frame = pd.read_csv(here / files(human=COUNTS)["human"])
    path = f"people.{suffix}"
    if suffix == "csv.gz":
        Path(path).write_bytes(gzip.compress(COUNTS.encode()))
    elif suffix == "tsv":
        frame.to_csv(path, sep="\t", index=False)
    elif suffix == "parquet":
        frame.astype({"scenario": "category"}).to_parquet(path)
    else:  # as a spreadsheet program writes it: byte order mark, \r\n, quotes, a blank line below
        text = COUNTS.replace("yes", '"yes"').replace("\n", "\r\n") + "\r\n"
        Path(path).write_bytes(b"\xef\xbb\xbf" + text.encode())
    found = read(human=path, **files(simulated=SIMULATED_LONG))
    assert answers(found, "human") == PEOPLE
    assert by(found.missing, "count") == {("s1", "human", "missing"): 1}


def test_names_of_every_kind():
    names = ["=1+1", "a, \u201cb\u201d", "<b>c</b>", "d\ne", 'f "g"', "  h  i ", "\u00fc\U0001f600"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    human = "scenario,value\n" + "".join(f"{name},yes\n{name},no\n" for name in quoted)
    simulated = "\n".join([",".join(["simulator", *quoted]), ",".join(["model", *["yes"] * 7])])
    found = read(**files(human=human, simulated=simulated))
    expected = ["=1+1", "a, \u201cb\u201d", "<b>c</b>", "d e", 'f "g"', "h i", "\u00fc\U0001f600"]
    assert found.scenarios["scenario"].tolist() == expected
    assert answers(found, "model") == {name: {"yes": 1} for name in expected}


def test_what_the_file_of_scenarios_says_is_taken_over():
    scenarios = (
        "scenario,topic,description,question,options\n"
        "s2,a,Second,Yes or no?,\n"
        "s1,b,First,,no | yes | don't know\n"
    )
    found = read(
        **files(human=LONG, simulated=SIMULATED_LONG, scenarios=scenarios), cluster="topic"
    )
    table = found.scenarios
    assert table["scenario"].tolist() == ["s2", "s1"]
    assert table["cluster"].tolist() == ["a", "b"]
    assert table["description"].tolist() == ["Second", "First"]
    assert table["question"].tolist() == ["Yes or no?", "First"]
    assert table["option"].tolist() == [["no", "yes"], ["no", "yes", "don't know"]]


def test_a_question_without_words_is_told():
    scenarios = "scenario,question\ns2,Yes or no?\ns1,\n"
    with pytest.raises(DataError, match=r"row 3, column 'question': is empty; say what was asked"):
        read(**files(human=LONG, simulated=SIMULATED_LONG, scenarios=scenarios))


def test_a_cluster_may_be_in_the_file_of_the_people():
    human = "scenario,value,topic\ns1,yes,a\ns1,no,a\ns2,yes,b\ns2,no,b\n"
    found = read(**files(human=human, simulated=SIMULATED_LONG), cluster="topic")
    assert found.scenarios["cluster"].tolist() == ["a", "b"]


NUMBERS = "scenario,value\ns1,1\ns1,2.0\ns1,4\ns2,1\ns2, 2\ns2,4\n"
NUMBERS_SIMULATED = "scenario,simulator,value\ns1,model,4\ns2,model,1\n"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("outcome", "scenarios", "values", "labels"),
    [
        ({"kind": "categorical"}, None, [1, 2, 4], ["1", "2", "4"]),
        ({"kind": "ordinal"}, None, [1, 2, 4], ["1", "2", "4"]),
        ({"kind": "ordinal", "levels": [4, 3, 2, 1]}, None, [4, 3, 2, 1], ["4", "3", "2", "1"]),
        (
            {"kind": "ordinal", "levels": ["1", "2", "4", "never"]},
            None,
            [1, 2, 3, 4],
            ["1", "2", "4", "never"],
        ),
        ({"kind": "real"}, None, [1, 2, 4], ["1", "2", "4"]),
        ({"kind": "bounded", "bounds": [0, 5]}, None, [1, 2, 4], ["1", "2", "4"]),
        ({"kind": "bounded"}, "lower,upper\n{},0,5\n", [1, 2, 4], ["1", "2", "4"]),
    ],
)
def test_options_of_numbers(outcome, scenarios, values, labels):
    named = files(human=NUMBERS, simulated=NUMBERS_SIMULATED)
    if scenarios is not None:
        head, row = scenarios.split("\n", 1)
        named |= files(scenarios=f"scenario,{head}\n" + row.format("s1") + row.format("s2"))
    found = read(**named, outcome=outcome).scenarios
    assert found["value"].tolist() == [values] * 2
    assert found["option"].tolist() == [labels] * 2
    if outcome["kind"] == "bounded":
        assert (found["lower"].tolist(), found["upper"].tolist()) == ([0, 0], [5, 5])


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answer", "option"),
    [
        ({"s1": "no yes", "s2": "yes"}, ["no", "yes"]),
        ({"s1": "1", "s2": "1"}, ["0", "1"]),
        ({"s1": "2", "s2": "1 2"}, ["1", "2"]),
    ],
)
def test_binary_options_that_nobody_chose(answer, option):
    rows = [f"{name},{each}\n" for name, row in answer.items() for each in row.split()]
    simulated = f"scenario,simulator,value\ns2,model,{answer['s2'].split()[0]}\n"
    named = files(human="scenario,value\n" + "".join(rows), simulated=simulated)
    found = read(**named, outcome={"kind": "binary"}).scenarios
    assert found["option"].tolist() == [option] * 2


def test_an_option_that_only_a_simulator_chose_is_an_option():
    found = read(**files(human=LONG, simulated=SIMULATED_LONG + "s1,model,maybe\n"))
    assert found.scenarios["option"].tolist() == [["maybe", "no", "yes"], ["no", "yes"]]


def test_scores_of_levels():
    outcome = {"kind": "ordinal", "levels": ["no", "yes", "very"], "scores": [0, 1, 10]}
    found = read(**files(human=LONG, simulated=SIMULATED_LONG), outcome=outcome).scenarios
    assert found["score"].tolist() == [[0.0, 1.0, 10.0]] * 2


def test_marks_of_missing_answers_are_counted_by_reason():
    human = LONG + "s1,-9\ns2,NA\ns2,NA\n"
    simulated = SIMULATED_LONG + "s1,model,I cannot answer that\n"
    missing = {"refused": ["I cannot answer that", -9], "missing": ["NA"]}
    found = read(**files(human=human, simulated=simulated), missing=missing)
    assert answers(found, "human") == PEOPLE
    assert by(found.missing, "count") == {
        ("s1", "human", "missing"): 1,
        ("s1", "human", "refused"): 1,
        ("s2", "human", "missing"): 2,
        ("s1", "model", "refused"): 1,
    }


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        (["Don\u2019t know", "NA", -9], {"missing": 2, "undecided": 1}),
        ({"undecided": [-9], "missing": ["NA", "Don\u2019t know"]}, {"missing": 2, "undecided": 1}),
        ({"missing": ["NA", -9, "Don\u2019t know"]}, {"missing": 3}),
    ],
)
def test_who_does_not_know_is_told_from_who_left_the_question_out(missing, expected):
    human = LONG + "s2,Don\u2019t know\ns2,NA\ns2,-9\n"
    found = read(**files(human=human, simulated=SIMULATED_LONG), missing=missing)
    assert answers(found, "human") == PEOPLE
    counted = found.missing[found.missing["scenario"] == "s2"]
    assert dict(zip(counted["reason"], counted["count"], strict=True)) == expected


def test_weights_make_fractions_and_kishs_effective_number():
    human = "scenario,value,weight\ns1,yes,1\ns1,yes,1\ns1,no,2\ns2,no,3\ns2,yes,3\n"
    found = read(**files(human=human, simulated=SIMULATED_LONG))
    assert answers(found, "human") == {
        "s1": {"no": pytest.approx(1.5), "yes": pytest.approx(1.5)},
        "s2": {"no": pytest.approx(1.0), "yes": pytest.approx(1.0)},
    }
    np.testing.assert_allclose(found.scenarios["n_effective"], [16 / 6, 2.0])


def test_weights_that_are_all_the_same_weigh_nobody():
    human = "scenario,value,weight\ns1,yes,2\ns1,yes,2\ns1,no,2\ns2,no,0.3\ns2,yes,0.3\n"
    found = read(**files(human=human, simulated=SIMULATED_LONG))
    assert answers(found, "human") == {"s1": {"no": 1, "yes": 2}, "s2": {"no": 1, "yes": 1}}
    assert "n_effective" not in found.scenarios


def test_a_weighting_effect_goes_before_the_weights():
    human = "scenario,value,weight\ns1,yes,1\ns1,yes,1\ns1,no,2\n"
    named = files(human=human, simulated="scenario,simulator,value\ns1,model,yes\n")
    assert read(**named, weighting_effect=1.5).scenarios["n_effective"].tolist() == [2.0]


def test_counts_of_weighted_people_may_be_fractions():
    human = "scenario,value,count\ns1,yes,1.5\ns1,no,2.5\n"
    named = files(human=human, simulated="scenario,simulator,value\ns1,model,yes\n")
    found = read(**named, weighting_effect=2)
    assert answers(found, "human") == {"s1": {"no": 2.5, "yes": 1.5}}
    assert found.scenarios["n_effective"].tolist() == [2.0]


BY_PERSON = {
    "wide": "s1,s2\nyes,no\n,yes\nno,no\n",
    "long": "scenario,value,respondent\ns1,yes,A\ns2,no,A\ns2,yes,B\ns1,no,C\ns2,no,C\ns1,,B\n",
}


@pytest.mark.parametrize("form", BY_PERSON)
def test_who_answered_what_is_kept(form):
    found = read(**files(human=BY_PERSON[form], simulated=SIMULATED_LONG))
    rows, options = found.by_respondent, found.scenarios.set_index("scenario")
    named = {
        name: dict(zip(options["value"][name], options["option"][name], strict=True))
        for name in options.index
    }
    given_by: dict[int, set] = {}
    for row in rows.itertuples():
        answer = row.scenario, named[row.scenario][row.value]
        given_by.setdefault(row.respondent, set()).add(answer)
    wanted = [{("s1", "yes"), ("s2", "no")}, {("s1", "no"), ("s2", "no")}, {("s2", "yes")}]
    assert len(given_by) == 3
    assert all(each in given_by.values() for each in wanted)


@pytest.mark.sampled
@pytest.mark.parametrize("form", BY_PERSON)
def test_of_very_many_answers_it_is_kept_only_where_it_is_asked_for(form, monkeypatch):
    given = files(human=BY_PERSON[form], simulated=SIMULATED_LONG)
    monkeypatch.setattr(forms, "MOST_KEPT", 4)
    assert read(**given).by_respondent is None
    assert len(read(**given, by_respondent=True).by_respondent) == 5


def test_who_answered_what_is_not_kept_where_rows_are_not_people():
    human = "scenario,value,count\ns1,yes,2\ns1,no,1\ns2,no,1\ns2,yes,3\n"
    assert read(**files(human=human, simulated=SIMULATED_LONG)).by_respondent is None


def test_with_a_design_it_is_kept_with_each_persons_psu():
    human = "s1,s2,town\nyes,no,A\n,yes,B\nno,no,A\nyes,no,B\n"
    given = files(human=human, simulated=SIMULATED_LONG)
    rows = read(**given, design={"psu": "town"}).by_respondent
    assert rows.groupby("respondent")["psu"].agg(["nunique", "first"]).to_numpy().tolist() == [
        [1, 0],
        [1, 0],
        [1, 1],
        [1, 1],
    ]
    assert set(rows["psus_in_stratum"]) == {2}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("form", "human"),
    [
        ("wide", "s1,s2,w\nyes,no,1\n,yes,2\nno,no,3\nno,,0\n"),
        (
            "long",
            "scenario,value,respondent,w\ns1,yes,A,1\ns2,no,A,1\ns2,yes,B,2\ns1,no,C,3\n"
            "s2,no,C,3\ns1,no,D,0\n",
        ),
    ],
)
def test_weights_of_respondents_add_up_to_the_counts_of_people(form, human):
    found = read(**files(human=human, simulated=SIMULATED_LONG), weight="w")
    kept, keys = found.by_respondent, ["scenario", "value"]
    people = found.outcomes[found.outcomes["source"] == "human"]
    told = kept.groupby(keys, observed=True)["weight"].sum()
    assert told.to_dict() == pytest.approx(people.set_index(keys)["count"].to_dict())
    assert kept.groupby("scenario", observed=True)["weight"].mean().tolist() == [1.0, 1.0]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("human", "own", "repeat"),
    [
        (WIDE, {}, True),
        ("s1,s2\nyes,\nno,\n,yes\n,no\n", {}, False),
        (LONG, {}, None),
        (LONG, {"respondents_repeat": False}, False),
        (LONG, {"respondents_repeat": True}, True),
        ("scenario,value,respondent\ns1,yes,1\ns1,no,2\ns2,no,1\ns2,yes,3\n", {}, True),
        ("scenario,value,respondent\ns1,yes,1\ns1,no,2\ns2,no,4\ns2,yes,3\n", {}, False),
    ],
)
def test_whether_the_same_people_answer_several_scenarios(human, own, repeat):
    found = read(**files(human=human, simulated=SIMULATED_LONG), **own)
    assert found.scenarios["respondents_repeat"].tolist() == [repeat] * 2


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (["age", "sex"], ["age 30, sex f", "age 41, sex m", "age 50, sex unknown"]),
        (
            "a {age}-year-old ({sex})",
            ["a 30-year-old (f)", "a 41-year-old (m)", "a 50-year-old (unknown)"],
        ),
    ],
)
@pytest.mark.parametrize("form", ["wide", "long"])
def test_respondents_in_words(wanted, words, form):
    wide = pd.DataFrame(
        {
            "age": [30, 41, 50, 30],
            "sex": ["f", "m", None, "f"],
            "s1": list("ynyy"),
            "s2": list("nnyy"),
        }
    )
    wide.loc[3, "s2"] = None
    human = wide if form == "wide" else wide.melt(["age", "sex"], var_name="scenario")
    human.to_csv("human.csv", index=False)
    files(simulated="scenario,simulator,value\ns1,model,y\ns2,model,y\n")
    found = read(human="human.csv", simulated="simulated.csv", personas=wanted)
    first, second, third = words
    no, yes = found.scenarios["value"].iloc[0]
    assert found.scenarios["option"].iloc[0] == ["n", "y"]
    assert by(found.personas[["scenario", "persona", "value", "count"]], "count") == {
        ("s1", first, yes): 2,
        ("s1", second, no): 1,
        ("s1", third, yes): 1,
        ("s2", first, no): 1,
        ("s2", second, no): 1,
        ("s2", third, yes): 1,
    }
    assert found.scenarios["scenario"].tolist() == ["s1", "s2"]


def ces_folder():
    popfidelity = pytest.importorskip("popfidelity")
    return Path(popfidelity.__file__).parent / "data" / "ces"


def test_the_cells_of_ces_2024_are_those_counted_by_hand():
    data = ces_folder()
    chosen = {"simulators": ["ntp", "fa"], "cluster": "question", "weighting_effect": 1.3}
    found = folder_responses({"ingest": "ces_2024", **step(**chosen)}, [])
    questions = yaml.safe_load((data / "questions.yaml").read_text(encoding="utf-8"))["questions"]
    code = {
        (question["id"], option): i
        for question in questions
        for i, option in enumerate(question["options"], 1)
    }
    files = [pd.read_csv(data / f"{name}_cells.csv") for name in ("survey", "model")]
    rows = pd.concat([files[0].assign(mode="human"), files[1]])
    rows["scenario"] = rows["question"] + "|" + rows["cell_id"]
    rows["value"] = [float(code[key]) for key in zip(rows["question"], rows["option"], strict=True)]
    rows = rows.set_index(["scenario", "mode", "value"])
    share, n = rows["share"], rows["n"]
    for table, expected in (
        (found.outcomes, (share * n).drop("ntp", level="mode")),
        (found.stated, share.xs("ntp", level="mode", drop_level=False)),
    ):
        table = table.astype({"scenario": str, "source": str})
        numbers = table.set_index(["scenario", "source", "value"]).iloc[:, 0]
        numbers, expected = numbers[numbers > 0], expected[expected > 0]
        assert len(numbers) == len(expected)
        np.testing.assert_allclose(numbers.loc[expected.index], expected, rtol=1e-12, atol=1e-12)
    people = n.xs("human", level="mode").groupby("scenario").first()
    effective = found.scenarios.astype({"scenario": str}).set_index("scenario")["n_effective"]
    assert len(effective) == 288
    np.testing.assert_allclose(effective, people.loc[effective.index] / 1.3, rtol=1e-12)


def fitted(**settings):
    """Return the responses with the baselines that the study adds."""
    return with_baselines(step(**settings), read(**settings))


def test_baselines_that_no_file_has_are_fitted():
    human = "scenario,value,count\na,y,1\na,n,3\nb,y,4\nb,n,4\nc,y,6\nc,n,2\nc,m,2\n"
    named = files(human=human, scenarios="scenario,topic\na,t\nb,t\nc,t\n")
    found = fitted(**named, simulators=["uniform", "pooled"], cluster="topic")
    assert by(found.stated, "probability") == {
        ("a", "uniform", 1.0): 0.5,
        ("a", "uniform", 2.0): 0.5,
        ("b", "uniform", 1.0): 0.5,
        ("b", "uniform", 2.0): 0.5,
        ("c", "uniform", 1.0): pytest.approx(1 / 3),
        ("c", "uniform", 2.0): pytest.approx(1 / 3),
        ("c", "uniform", 3.0): pytest.approx(1 / 3),
        ("a", "pooled", 1.0): 0.5,
        ("a", "pooled", 2.0): 0.5,
        ("b", "pooled", 1.0): 0.75,
        ("b", "pooled", 2.0): 0.25,
    }
    drawn = found.outcomes[found.outcomes["source"] != "human"]
    assert drawn.groupby(["source", "scenario"])["count"].sum().eq(20).all()


@pytest.mark.slow
def test_a_baseline_learns_from_the_wording_that_the_file_of_scenarios_tells():
    names = [f"s{i}" for i in range(12)]
    human = "scenario,value,count\n" + "".join(
        f"{name},y,{3 + i}\n{name},n,{20 - i}\n" for i, name in enumerate(names)
    )
    told = "scenario,question\n" + "".join(f"{name},Is it {name[1:]}?\n" for name in names)
    named = files(human=human)
    with pytest.raises(DataError, match="question_ridge learns from the wording of questions"):
        fitted(**named, simulators=["uniform", "question_ridge"])
    found = fitted(**named, **files(scenarios=told), simulators=["question_ridge"])
    shares = by(found.stated, "probability")
    counts = np.array([[20.0 - i, 3.0 + i] for i in range(12)])
    expected = question_ridge(counts, [f"Is it {i}?" for i in range(12)])
    for name, row in zip(names, expected, strict=True):
        assert [shares[name, "question_ridge", value] for value in (1.0, 2.0)] == pytest.approx(row)


@pytest.mark.slow
@pytest.mark.parametrize("m", [10_000, pytest.param(100_000, marks=pytest.mark.release)])
def test_many_thousand_scenarios_in_one_wide_file(m):
    names = ",".join(f"s{j}" for j in range(m))
    rows = [",".join([answer] * m) for answer in ("yes", "no", "yes")]
    named = files(human="\n".join([names, *rows]))
    found = read(**named, simulated={"model": named["human"]})
    assert len(found.scenarios) == m
    assert found.outcomes["count"].sum() == 2 * 3 * m


def test_parquet_categories_that_nobody_chose_are_no_answers_and_names_may_have_points():
    human = pd.DataFrame(
        {
            "q.a": pd.Categorical(["y", "n"], categories=["zzz", "NaN", "n", "y"]),
            "q": pd.Categorical(["y", None], categories=["y", "  y"]),
            "q.b": [1.0, 2.0],
            "q.c": [True, False],
        }
    )
    human.to_parquet("human.parquet")
    human.astype({"q.b": int}).to_parquet("simulated.parquet")
    outcome = {"kind": "categorical", "levels": ["y", "n", 1, 2, "true", "false"]}
    found = read(
        human="human.parquet",
        simulated={"model": "simulated.parquet"},
        outcome=outcome,
        missing_in={"q": [""]},
    )
    expected = {
        "q.a": {"y": 1, "n": 1},
        "q": {"y": 1},
        "q.b": {"1": 1, "2": 1},
        "q.c": {"true": 1, "false": 1},
    }
    assert answers(found, "human") == answers(found, "model") == expected
    assert by(found.missing, "count") == {("q", who, "missing"): 1 for who in ("human", "model")}


@pytest.mark.sampled
@pytest.mark.parametrize("separator", [";", "|", "\t"])
def test_one_file_may_have_another_separator_than_the_others(separator):
    rows = "scenario,value,count\ns1,y,4\ns1,n,6\n"
    simulated = "scenario,simulator,value,count\ns1,model,y,5\ns1,model,n,5\n"
    Path("human.csv").write_text(rows.replace(",", separator), encoding="utf-8")
    Path("simulated.csv").write_text(simulated, encoding="utf-8")
    settings = {"human": "human.csv", "simulated": "simulated.csv", "separator": separator}
    assert answers(read(**settings), "human") == {"s1": {"y": 4, "n": 6}}
    del settings["separator"]
    assert answers(read(**settings), "human") == {"s1": {"y": 4, "n": 6}}
