"""What `start` says of roles, names and rows is what is read; else it refuses and says how."""

import os
import random
from pathlib import Path
from shutil import rmtree

import pandas as pd
import pytest
import yaml
from tabular_step import answers, read

import fidelity_study
from fidelity_study.__main__ import main
from fidelity_study.app.start import faults
from fidelity_study.app.start.cells import UndecidedError
from fidelity_study.app.start.look import look
from fidelity_study.reading.ingest.save import refuse, wrong_respondents, wrong_runs

PEOPLE = "respondent,scenario,value,weight\n" + "".join(
    f"r{i},q{q},{'yn'[(i + q) % 2]},{1 + i % 3}\n" for i in range(12) for q in (1, 2)
)
MODELS = "scenario,simulator,value\n" + "q1,m,y\nq1,m,n\nq2,m,y\nq2,m,n\n" * 3
COUNTS = "scenario,simulator,value,count\nq1,{0},y,60\nq1,{0},n,45\nq2,{0},y,52\nq2,{0},n,40\n"
HUMAN = COUNTS.replace("simulator,", "").replace("{0},", "")


@pytest.fixture
def start(start):
    """Start a study from texts of people and of simulators; return what is printed."""

    def started(people, simulated, *arguments, names=("h.csv", "s.csv"), **checked):
        texts = (people, simulated)
        files = {name: text for name, text in zip(names, texts, strict=False) if text}
        out = () if "--out" in arguments else ("--out", "c.yaml")
        return start(files, *files, *out, "--force", *arguments, **checked)

    return started


def ingested():
    """Return the responses of the config that was written."""
    (settings,) = yaml.safe_load(Path("c.yaml").read_text())["datasets"].values()
    return read(**{key: value for key, value in settings.items() if key != "ingest"})


# ------------------------------------------------------------------ roles and names


@pytest.mark.slow
def test_an_ignored_weight_weights_nobody(start):
    said = start(PEOPLE, MODELS, "columns.csv: weight: ignore")
    assert "not read in h.csv: weight" in said and "weights of people: none" in said
    assert answers(ingested(), "human")["q1"] == {"n": 6.0, "y": 6.0}


@pytest.mark.slow
def test_an_ignored_respondent_names_nobody_and_an_ignored_simulator_is_the_file(start):
    assert "same people in several questions: unknown" in start(
        PEOPLE, MODELS, "columns.csv: respondent: ignore"
    )
    assert "all of it is the simulator s" in start(PEOPLE, MODELS, "columns.csv: simulator: ignore")


def test_an_ignored_count_counts_nothing_and_an_ignored_value_is_no_answer(start):
    said = start(HUMAN, COUNTS.format("m"), "columns.csv: count: ignore")
    assert "people: 2 for each question" in said
    assert "form is not clear" in start(PEOPLE, MODELS, "columns.csv: value: ignore", status=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["uniform", "pooled", "Guess from other answers"])
def test_a_simulator_of_a_file_is_no_baseline(start, name):
    told = start(HUMAN, COUNTS.format(name), status=1)
    assert repr(name) in told and "baseline" in told and f"my {name}" in told
    assert f"simulator my {name}:" in start(HUMAN, COUNTS.format(f"my {name}"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["People", "HUMAN", "guess_from_other answers"])
def test_a_simulator_is_not_called_as_those_it_is_compared_with(start, name):
    told = start(HUMAN, COUNTS.format(name), status=1)
    assert f"cannot be called {name!r}" in told
    assert f"simulator my {name}:" in start(HUMAN, COUNTS.format(f"my {name}"))


def test_a_file_called_as_a_baseline_is_none(start):
    assert "baseline" in start(HUMAN, HUMAN, status=1, names=("h.csv", "uniform.csv"))


@pytest.mark.slow
def test_a_respondent_has_one_weight(start):
    two = PEOPLE.replace("r7,q2,n,2", "r7,q2,n,2.5")
    told = start(two, MODELS, status=1)
    assert "several weights" in told
    assert "people: 12" in start(PEOPLE.replace("r7,q2,n,2", "r7,q2,n,2.0"), MODELS)


# ------------------------------------------------------------------ rows and cells

NET = "scenario,value,respondent,weight,rep0,rep1,rep2\n" + "".join(
    f"q{q},{'agree' if (i + q) % 3 else 'disagree'},r{i},1,{1 + i % 2},{1 + i % 3},{2 - i % 2}\n"
    for i in range(12)
    for q in (1, 2)
)
TOTALS = "".join(f"q{q},Net agree,t{i},1,1,2,1\n" for i in range(20) for q in (1, 2))
DESIGN = {"replicate_weights": ["rep*"], "method": "bootstrap"}


@pytest.mark.sampled
@pytest.mark.parametrize("design", [DESIGN, {"psu": "respondent"}, None], ids=str)
def test_rows_of_totals_are_nobody_in_counts_designs_and_respondents(here, design):
    given = {"totals": ["Net agree"], **({"design": design} if design else {})}
    given |= {} if design == DESIGN else {"ignore": ["rep0", "rep1", "rep2"]}
    found = []
    for text in (NET, NET + TOTALS):
        Path("h.csv").write_text(text)
        Path("s.csv").write_text(MODELS.replace(",y", ",agree").replace(",n", ",disagree"))
        found.append(read(human="h.csv", simulated="s.csv", simulators=["m"], **given))
    for name in ("outcomes", "scenarios", "by_respondent"):
        clean, cut = (getattr(one, name) for one in found)
        assert (clean is None) == (cut is None)
        if clean is not None:
            pd.testing.assert_frame_equal(clean, cut)


def test_tick_boxes_keep_who_answered_what_of_all_questions(here):
    rows = [(f"r{i}", 1 + i % 5, "x" * (i % 2), "x" * (i % 3 > 0)) for i in range(30)]
    people = "id,q1,box_a,box_b\n" + "".join(f"{r},{q},{a},{b}\n" for r, q, a, b in rows)
    Path("h.csv").write_text(people + "r30,3,,\nr31,,,\n")
    models = pd.DataFrame(rows, columns=["simulator", "q1", "box_a", "box_b"])
    models.assign(simulator="m").to_csv("s.csv", index=False)
    found = read(human="h.csv", simulated="s.csv", simulators=["m"], ignore=["id"])
    wide = found.by_respondent.pivot(index="respondent", columns="scenario", values="value")
    a, b = ([float(bool(row[at])) for row in rows] for at in (2, 3))
    assert wide["box_a"].tolist() == [*a, 0.0, 0.0] and wide["box_b"].tolist() == [*b, 0.0, 0.0]
    assert wide["q1"].dropna().tolist() == [*(float(row[1]) for row in rows), 3.0]
    refuse("h.csv", wrong_respondents(found.by_respondent, found.outcomes))
    assert found.runs.groupby("scenario").size().eq(30).all()
    refuse("s.csv", wrong_runs(found.runs, found.outcomes))


def test_whole_numbers_beyond_those_of_floats_stay_apart(here):
    labels = ["9007199254740992", "9007199254740993", "9007199254740994"]
    Path("h.csv").write_text("scenario,value\n" + "".join(f"q,{x}\n" for x in labels * 2))
    Path("s.csv").write_text("scenario,simulator,value\n" + "".join(f"q,m,{x}\n" for x in labels))
    for outcome in ({"kind": "categorical"}, {"kind": "ordinal"}):
        found = read(human="h.csv", simulated="s.csv", simulators=["m"], outcome=outcome)
        assert answers(found, "human") == {"q": dict.fromkeys(labels, 2.0)}


def test_codes_that_become_numbers_are_told(start):
    codes = ["01067", "0041", "10E1", "0", "0.5", "1e+05", "7"]
    people = "scenario,value\n" + "".join(f"q,{x}\nq,{x}\n" for x in codes)
    models = "scenario,simulator,value\n" + "".join(f"q,m,{x}\n" for x in codes)
    said = start(people, models, "--kind", "categorical")
    note = next(line for line in said.splitlines() if "is read as" in line)
    for text, number in (("01067", 1067), ("0041", 41), ("10E1", 100)):
        assert f"{text!r} is read as {number}" in note
    assert not any(repr(text) in note for text in ("0", "0.5", "1e+05", "7"))


@pytest.mark.sampled
@pytest.mark.parametrize("below", ["", "\nSource: own\n", '\n"Source: own, 2020\nand 2021"\n'])
def test_a_line_within_quotes_is_no_note_below_the_rows(start, below):
    last = 'q2,m,"At first sight: no\n\nNote: after some thought I say yes"\n'
    people = "scenario,value\nq1,yes\nq1,no\nq2,yes\nq2,no\n"
    models = "scenario,simulator,value\nq1,m,yes\nq2,m,no\n" + last + below
    said = start(people, models, "--levels", "no | yes", "--accept")
    assert ("below its rows" in said) == bool(below)
    assert r"'At first sight: no\n\nNote: after" in said and "unparsable: m 1" in said


# ------------------------------------------------------------------ columns that nobody named


def in_countries(wave: str) -> tuple[str, str]:
    people = f"question,{wave},answer\n" + "".join(
        f"q{q},{w},{'yes' if i < share else 'no'}\n"
        for q in (1, 2, 3)
        for w, share in (("A", 3), ("B", 16))
        for i in range(20)
    )
    models = people.replace("\n", ",m\n").replace("answer,m", "answer,model")
    return people, models.replace(",A,", ",X,").replace(",B,", ",A,").replace(",X,", ",B,")


@pytest.mark.slow
def test_a_column_of_both_files_names_no_simulators_by_its_name(start):
    people, models = in_countries("mode")
    models = models.replace(",m\n", "\n").replace(",model\n", "\n")
    told = start(people, models, status=1)
    assert "no simulators" in told and "mode: group?" in told
    assert "scenarios: 6" in start(people, models, "--groups", "mode")
    assert "all of it is the simulator s" in start(people, models, "columns.csv: mode: ignore")
    rmtree("c_codebook")
    assert "simulator A:" in start(people.replace("mode", "by"), models)
    others = models.replace(",A,", ",chat,").replace(",B,", ",api,")
    assert "simulator chat:" in start(people, others)


def test_columns_that_part_no_question_are_not_asked_about(start):
    people = "scenario,topic,row,value\n" + "".join(
        f"q{q},t{q % 2},{i},{'yn'[i % 2]}\n" for q in (1, 2, 3) for i in range(8)
    )
    models = people.replace("\n", ",m\n").replace("value,m", "value,simulator")
    assert "questions: 3" in start(people, models)


def conjoint(task: str, people: int = 12, *, first: str = "ResponseId") -> str:
    draw = random.Random(3)
    return f"{first},{task},price,brand,selected\n" + "".join(
        f"R_{i},{t},{draw.choice(['10 EUR', '20 EUR'])},{draw.choice('AB')},{draw.choice('01')}\n"
        for i in range(people)
        for t in range(1, 7)
    )


@pytest.mark.sampled
@pytest.mark.parametrize(("task", "people"), [("task", 12), ("choice_set", 12), ("round", 40)])
def test_rows_of_persons_are_no_persons(start, task, people):
    models = (
        conjoint(task, people).replace("\n", ",m\n").replace("selected,m", "selected,simulator")
    )
    told = start(conjoint(task, people), models, status=1)
    assert "price and 1 more: attribute?" in told and "has each person in several rows" in told
    way = ["--attribute", "price", "--attribute", "brand", "--respondent", "ResponseId"]
    said = start(conjoint(task, people), models, *way, "--questions", "selected")
    assert "questions: 4" in said and f"{people} PSUs" in said


def forecasts(probability: str, *prompts: str) -> str:
    draw = random.Random(5)
    rows = [
        f"q{i},gpt-x,{prompt},{draw.uniform(0.05, 0.95):.2f},{i % 2}\n"
        for i in range(12)
        for prompt in prompts
    ]
    return f"item_id,model,prompt,{probability},resolution\n" + "".join(rows)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("column", "prompts"), [("llm_prob", ("short", "long")), ("crowd prediction", ("short",))]
)
def test_forecasts_beside_outcomes_are_no_people(start, column, prompts):
    text = forecasts(column, *prompts)
    told = start(text, "", status=1)
    assert repr(column) in told and "two files" in told
    table = pd.read_csv("h.csv")
    whose = ["model", *(["prompt"] if len(prompts) > 1 else [])]
    assert ", ".join(map(repr, ["item_id", *whose, column])) in told
    outcomes = table[["item_id", "resolution"]].drop_duplicates().to_csv(index=False)
    way = [
        "columns.csv: item_id: question",
        "columns.csv: resolution: answer",
        f"columns.csv: {column}: probability",
    ]
    way += [part for name in whose for part in ("--simulator", name)]
    said = start(outcomes, table[["item_id", *whose, column]].to_csv(index=False), *way)
    assert "people: 1 for each question" in said
    assert said.count("states probabilities for all 12 questions") == len(prompts)


def test_an_option_of_one_value_is_not_given_twice(start):
    both = ["--levels", "y | n", "--levels", "n | y"]
    assert "is given twice" in start(HUMAN, COUNTS.format("m"), *both, status=2)


@pytest.mark.slow
def test_forecasters_in_columns_of_their_names_are_not_left_out(start):
    draw = random.Random(5)
    rows = [(f"q{i}", i % 2, round(draw.random(), 2), round(draw.random(), 2)) for i in range(12)]
    table = pd.DataFrame(rows, columns=["question", "outcome", "anna", "ben"])
    told = start(table.to_csv(index=False), "", status=1)
    turned = eval(told.partition("in pandas, `")[2].partition("`")[0])
    outcomes = table[["question", "outcome"]].to_csv(index=False)
    way = [
        "columns.csv: question: question",
        "columns.csv: outcome: answer",
        "columns.csv: probability: probability",
    ]
    roles = "question: question and outcome: answer and probability: probability in columns.csv"
    assert roles in told and "anna: ignore" in told and "ben: ignore" in told
    said = start(outcomes, turned.to_csv(index=False), *way)
    assert "simulator anna: states probabilities for all 12 questions" in said
    assert "simulator ben: states probabilities for all 12 questions" in said
    told = start(table.rename(columns={"question": "Ereignis"}).to_csv(index=False), "", status=1)
    assert "'anna', 'ben': probabilities, as of forecasts" in told


# ------------------------------------------------------------------ no tracebacks

SURVEY = "stratum,psu,q1,q2\n" + "".join(
    f"{1 + i // 20},{1 + i // 5 % 4},{'yes' if i % 3 else 'no'},{'yes' if i % 2 else 'no'}\n"
    for i in range(40)
)
WIDE = "q1,q2\nyes,no\nno,yes\nno,no\n"


@pytest.mark.slow
def test_psus_that_begin_anew_in_strata_lead_on(start):
    told = start(SURVEY, WIDE, status=1)
    assert "--strata stratum --psu psu --nested" in told
    for nested in ([], ["--nested"]):  # most numbers are in both strata
        said = start(SURVEY, WIDE, "--strata", "stratum", "--psu", "psu", *nested)
        assert "2 strata, 8 PSUs, numbered anew in each stratum" in said
    one = SURVEY.replace("\n1,2,", "\n1,5,").replace("\n1,3,", "\n1,6,").replace("\n1,4,", "\n1,7,")
    assert "--nested" in start(one, WIDE, "--strata", "stratum", "--psu", "psu", status=1)
    assert "strata" in start(SURVEY, WIDE, "--nested", status=1)


REPLICATES = (
    "q1,q2,w,rep1,rep2,rep3\nyes,no,1,2,0,1\nno,yes,1,0,2,1\nyes,yes,2,3,2,2\nno,no,1,1,1,2\n"
)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("options", "way"),
    [
        (["--replicate-weights", "rep*"], ["--replicate-method", "brr"]),
        (
            ["--replicate-weights", "rep*", "--replicate-scale", "0.05"],
            ["--replicate-method", "jk1"],
        ),
        (["--replicate-scale", "0.05"], None),
        (["--replicate-method", "brr"], None),
        (["--fay", "0.3"], None),
    ],
)
def test_a_design_that_lacks_a_part_is_refused(start, options, way):
    told = start(REPLICATES, WIDE, "--weight", "w", *options, status=1)
    assert ("replicate_weights" in told) and (way is None or " ".join(way) in told)
    if way:
        assert "3 replicate weights" in start(REPLICATES, WIDE, "--weight", "w", *options, *way)


@pytest.mark.slow
def test_a_remedy_that_breaks_is_none(start, monkeypatch):
    def breaks(request, *more):
        if request["nested"] or request["strata"]:
            raise StopIteration
        return look(request, *more)

    monkeypatch.setattr(faults, "look", breaks)
    told = start(SURVEY, WIDE, status=1)
    assert "stratum: ignore" in told and "psu: ignore" in told
    assert not any(line.startswith("  --strata") for line in told.splitlines())


@pytest.mark.slow
def test_groups_in_names_of_questions_go_with_respondents(start):
    people = "scenario,value,sex,respondent\n" + "".join(
        f"q{q},{1 + (i + q) % 3},{'fm'[i % 2]},r{i}\n" for i in range(12) for q in (1, 2)
    )
    models = "scenario,simulator,value,respondent\n" + "".join(
        f"q{q}|{sex},m,{1 + (i + q) % 3},r{i}\n" for i in range(6) for q in (1, 2) for sex in "fm"
    )
    assert "scenarios: 4" in start(people, models, "--groups", "sex", "--kind", "ordinal")
    found = ingested()
    assert set(found.runs["scenario"]) == {"q1 | f", "q1 | m", "q2 | f", "q2 | m"}
    refuse("s.csv", wrong_runs(found.runs, found.outcomes))


def test_a_long_name_is_cut(start, here):
    name = "n" * 250
    for text, path in ((HUMAN, "h.csv"), (COUNTS.format("m"), "s.csv")):
        Path(path).write_text(text)
    assert main(["start", "h.csv", "s.csv", "--name", name]) == 0
    assert [path.name for path in here.glob("*.yaml")] == [f"{'n' * 60}.yaml"]


def test_a_folder_that_cannot_be_written_is_refused(start, monkeypatch):
    start(HUMAN, COUNTS.format("m"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "change to another folder" in start(HUMAN, COUNTS.format("m"), status=1)
    assert main(["run", "c.yaml"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("outcome", [{"kind": "real"}, {"kind": "bounded", "bounds": (0, 100)}])
def test_numbers_that_no_simulator_answers_stay_out_of_its_distance(here, outcome):
    rows = [(q, x) for q in ("price", "rent", "wage") for x in (10.5, 20.25, 31, 44.5, 52)]
    people = pd.DataFrame(rows, columns=["scenario", "value"])
    models = pd.DataFrame({"scenario": ["price", "rent"], "value": [20, 31.5]})
    with pytest.raises(UndecidedError) as asked:
        fidelity_study.compare(people, {"m": models}, quiet=True, **outcome)
    compared = asked.value.questions.assign(use="compare")
    found = fidelity_study.compare(people, {"m": models}, questions=compared, quiet=True, **outcome)
    distances = dict(zip(found.questions["question"], found.questions["plugin"], strict=True))
    assert distances == pytest.approx({"price": 11.65, "rent": 0.15})  # of means of 31.65


def test_nothing_that_was_read_is_written_over_through_a_link(start, here):
    (here / "h.csv").write_text(HUMAN)
    (here / "link.yaml").symlink_to("h.csv")
    assert "isn't written over" in start(HUMAN, COUNTS.format("m"), "--out", "link.yaml", status=1)
    assert (here / "h.csv").read_text() == HUMAN


@pytest.mark.slow
def test_a_column_that_has_one_value_of_people_and_another_of_simulators_is_asked_about(start):
    people, models = PEOPLE.replace("respondent", "country,respondent"), MODELS
    people = people.replace("\nr", "\nDE,r")
    models = models.replace("value", "value,country").replace(",y", ",y,FR").replace(",n", ",n,FR")
    told = start(people, models, status=1)
    assert "'DE' for all people and 'FR' for simulators" in told and "country: ...?" in told
    assert "not read in s.csv: country" in start(people, models, "columns.csv: country: ignore")
    assert "not read" in start(people, models.replace("FR", "DE"))
