"""Exports with what real ones have beside answers: what is read, and what is asked."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from cells import start_with
from tabular_step import tables_of
from test_codebook import cells, edit, started, undecided, what_is_read, write

from fidelity_study.__main__ import main
from fidelity_study.app.start.cells import UNDECIDED
from fidelity_study.steps.nonresponse import answered_and_lost
from fidelity_study.tables.ingest import MISSING


def rows(line: str, number: int) -> str:
    """Return lines in which {i} is the number of the line and {a} one of yes and no."""
    return "".join(line.format(i=i, a="yes" if i % 3 else "no") + "\n" for i in range(number))


PEOPLE = "q1,q2\n" + rows("{a},{a}", 60)
MODEL = "simulator,q1,q2\n" + rows("m,{a},{a}", 30)
SOSCI = (
    '"CASE";"QUESTNNR";"MODE";"STARTED";"q1";"q2";"FINISHED"\n'
    '"Interview-Nummer";"Fragebogen";"Modus";"Beginn";"Gern?";"Oft?";"Abgeschlossen"\n'
    + rows('"{i}";"base";"interview";"2025-06-01";"{a}";"{a}";"1"', 58)
    + rows('"9{i}";"base";"debug";"2025-06-01";"yes";"yes";"1"', 2)
)
EFS = (
    "lfdn;tester;dispcode;lastpage;quality;q1;q2;rts61204\n"
    + rows("{i};0;31;9;-77;{a};{a};1{i}", 58)
    + rows("7{i};0;22;3;-77;yes;;2{i}", 2)
    + rows("8{i};1;31;9;-77;yes;yes;3{i}", 2)
)
CROSSTAB = "Question,Response,Total,Men,Women\n" + "".join(
    f"{name},{option},{share}%,{share}%,{share}%\n"
    for name, shares in (("q1", (60, 40)), ("q2", (50, 27)))
    for option, share in zip(("yes", "no"), shares, strict=True)
)
PROFILES = "id,task,age_group,price,brand,chosen\n" + "".join(
    f"p{i},{t},{'young' if i % 2 else 'old'},{100 * (t % 3)},{'ab'[(i + t) % 2]},{(i + t) % 2}\n"
    for i in range(40)
    for t in range(6)
)
OTREE = "participant.code,participant._is_bot,session.code,session.is_demo,q1,q2\n"
OTREE += rows("p{i},0,s,0,{a},{a}", 57) + rows("b{i},1,s,0,yes,yes", 3)
OTREE += rows("d{i},0,t,1,yes,yes", 2)
OF_AGE = "participant.code,session.code,player.q1,player.age,player.comment\n"
OF_AGE += rows("p{i},s,{a},{i},Fine {i}", 57)
ESS = "idno,cntry,trust,vote\n" + "".join(
    f"{i % 40},{'DE' if i < 40 else 'PL'},{i % 11},{(1, 2, 3, 7, 9, 1, 2)[i % 7]}\n"
    for i in range(80)
)
OF_COUNTRIES = "model,cntry,trust,vote\n" + "".join(
    f"m,{'DE' if i < 20 else 'PL'},{i % 11},{1 + i % 3}\n" for i in range(40)
)
CBC = PROFILES.replace("id,task", "sys_RespNum,Task", 1).replace("chosen", "Response", 1)
LETTERS = "model,question,option_letter,option,logprob\n" + "".join(
    f"m,{name},{letter},{option},{number}\n"
    for name in ("q1", "q2")
    for letter, option, number in (("A", "yes", -0.4), ("B", "no", -1.2))
)
ARMS = "arm,q1,q2\n" + rows("Control,{a},{a}", 30) + rows("Message A,{a},{a}", 30)
ENGINES = "Maker,q1,q2,Sureness\n" + rows("Sim 2.3,{a},{a},1.{i}", 30)
ENGINES += rows("Sim 3.0,{a},{a},0.9{i}", 30)
BESIDE = "scenario,value,gpt-4o,llama-3.1-70b\nq1,yes,0.30,0.52\nq1,no,0.70,0.48\n"
TICKED = "Question,Option,Total,Base\nq1,yes,61,90\nq1,no,39,90\nq2,a,61,90\nq2,b,70,90\n"
TICKED += "q3,yes,61,90\nq3,no,39,90\n"
COMMENT = "q1,q2,remarks\n" + rows('{a},{a},"Fine,\nbut {a}"', 60)


BESIDE_ANSWERS = {
    "SoSci": (SOSCI, MODEL, 0, "58 people, 2 questions; left out: 2 of tests"),
    "EFS": (EFS, MODEL, 0, "58 people, 2 questions; left out: 2 unfinished, 2 of tests"),
    "percentages": (
        CROSSTAB,
        "simulator,scenario,value,probability\nm,q1,yes,1\n",
        1,
        "a table of percentages, 2 options",
    ),
    "oTree": (OTREE, MODEL, 0, "57 participants; left out: 3 bots, 2 of demo sessions"),
    "Gorilla": (
        "Participant Status,q1,q2\n" + rows("complete,{a},{a}", 58) + rows("live,{a},", 2),
        MODEL,
        0,
        "58 are; left out: 2 live",
    ),
    "facts of oTree": (OF_AGE, OF_AGE, 0, "not read in p.csv: player.age, player.comment"),
    "comments": (COMMENT, MODEL, UNDECIDED, "columns.csv: p.csv, remarks: ignore?"),
    "codes 7 to 9": (
        ESS,
        OF_COUNTRIES,
        UNDECIDED,
        "labels.csv: vote, 7 and 1 more: missing?",
        "columns.csv: p.csv, cntry: group?",
        "columns.csv: p.csv, idno: ignore?",
    ),
    "a vendor's conjoint": (
        CBC,
        CBC.replace("sys_RespNum", "model", 1).replace("p1,", "m,"),
        UNDECIDED,
        "columns.csv: p.csv, price and 1 more: attribute?",
    ),
    "letters beside options": (PEOPLE, LETTERS, 0, "'logprob' has logarithms of probabilities"),
    "arms in other words": (
        ARMS,
        "model,arm,item,answer\n"
        + "".join(
            rows(f"m,{arm},{name},{{a}}", 20)
            for arm in ("control", "msg_a")
            for name in ("q1", "q2")
        ),
        UNDECIDED,
        "write them alike in both files",
    ),
    "codes without a key": (
        "q1,q2\n" + "".join(f"{1 + i % 2},{1 + i % 2}\n" for i in range(60)),
        MODEL.replace("yes", "Agree").replace("no", "Disagree"),
        UNDECIDED,
        "(a codebook, a key or a .qsf)",
    ),
    "forecasts": (
        "event,outcome\n" + rows("e{i},{a}", 30),
        "event,model,forecast\n" + rows("e{i},m,.{i}", 29) + "e29,m,\n",
        UNDECIDED,
        "column forecast has stated probabilities",
    ),
    "two products": (
        PEOPLE,
        ENGINES,
        UNDECIDED,
        "columns.csv: m.csv, Maker: simulator?",
        "columns.csv: m.csv, Sureness: ignore?",
    ),
    "models in columns": (
        PEOPLE,
        BESIDE,
        0,
        "'gpt-4o', 'llama-3.1-70b'; their cells are probabilities",
    ),
    "percentages by models in columns": (
        PEOPLE,
        BESIDE.replace("0.", ""),
        0,
        "their cells are percentages",
    ),
    "numbers in columns": (
        PEOPLE,
        BESIDE.replace("gpt-4o,llama-3.1-70b", "x,y"),
        1,
        "`table.melt(['scenario', 'value'], ['x', 'y'], 'simulator', 'probability')`",
    ),
    "several ticked": (TICKED, MODEL, UNDECIDED, "questions.csv: q2: leave out?"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BESIDE_ANSWERS)
def test_what_stands_beside_answers(here, capsys, name):
    people, model, status, *told = BESIDE_ANSWERS[name]
    write({"p.csv": people, "m.csv": model})
    started(["p.csv", "m.csv"], status)
    printed = capsys.readouterr()
    assert all(text in printed.out + printed.err for text in told)


@pytest.mark.slow
def test_book_keeping_of_an_export_stands_in_its_table_and_is_read_if_a_cell_says_so(here):
    people = OTREE.replace(",s,0,yes", ",r,0,yes", 20).replace(",s,0,no", ",r,0,no", 9)
    model = MODEL.replace("simulator", "session.code,simulator").replace("\nm,no", "\nr,m,no")
    write({"p.csv": people, "m.csv": model.replace("\nm,yes", "\ns,m,yes")})
    started(["p.csv", "m.csv", "--accept"])
    where = {"file": "p.csv", "column": "session.code"}
    (row,) = (row for row in cells("columns") if where.items() <= row.items())
    assert (row["use"], row["distinct"], row["examples"]) == ("ignore", "2", "")
    assert (row["decided by"], row["remark"]) == ("rule", "book-keeping of the export")
    edit("columns", {"column": "session.code"}, use="group")
    started(["p.csv", "m.csv", "--accept", "--force"])
    assert {*what_is_read().scenarios["scenario"]} == {
        f"{q} | {s}" for q in ("q1", "q2") for s in "rs"
    }


def test_a_keys_codes_are_a_models_answers_too(here):
    write({"p.csv": "Q1\n" + "1\n2\n2\n99\n" * 20})
    key = pd.DataFrame({"var": "Q1", "code": [1, 2, 99], "label": ["Yes", "No", "No answer"]})
    key.to_csv("key.csv", index=False)
    answers = ["1", "**2**", "Answer: 2", "99"] * 5
    requests = [
        {
            "custom_id": f"persona-{i:03}_Q1_run1",
            "response": {"status_code": 200, "body": {"choices": [{"message": {"content": text}}]}},
        }
        for i, text in enumerate(answers)
    ]
    Path("b.jsonl").write_text("\n".join(map(json.dumps, requests)))
    started(["p.csv", "b.jsonl", "--scenarios", "key.csv", "--accept"])
    read = what_is_read()
    assert [*read.scenarios["option"].iloc[0]] == ["Yes", "No"]
    assert sorted(read.outcomes["count"]) == [5, 10, 20, 40]


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["batch", "csv", "jsonl"])
def test_a_text_that_begins_with_an_option_is_that_option_in_every_form(here, form):
    scale = ["Strongly agree", "Somewhat agree", "Somewhat disagree", "Strongly disagree"]
    reasons = ["I cannot choose my doctor.", "Most here strongly agree or disagree.", "I'm sorry."]
    write({"p.csv": "q1\n" + "".join(f"{scale[i % 4]}\n" for i in range(80))})
    texts = [f"{scale[i % 4]}. {reasons[i % 3]} I have {i} friends." for i in range(60)]
    texts += ["I'm sorry, I cannot strongly agree or disagree."] * 2
    if form == "batch":
        requests = [
            {"custom_id": f"run{i}|q1", "response": {"choices": [{"message": {"content": text}}]}}
            for i, text in enumerate(texts)
        ]
        Path("m.jsonl").write_text("\n".join(map(json.dumps, requests)))
    else:
        table = pd.DataFrame({"question_id": "q1", "model": "m", "answer": texts})
        how = {"index": False} if form == "csv" else {"orient": "records", "lines": True}
        getattr(table, "to_csv" if form == "csv" else "to_json")(f"m.{form}", **how)
    started(["p.csv", "m.csv" if form == "csv" else "m.jsonl"])
    read = what_is_read()
    assert list(read.outcomes.loc[read.outcomes["source"] != "human", "count"]) == [15] * 4
    assert list(read.missing[["reason", "count"]].itertuples(index=False)) == [("refused", 2)]


BLOCKS = [
    *(
        ["[side]: Which side?", "", ""],
        ["Values: 1-10", "", ""],
        ["", 1, "Left"],
        ["", 10, "Right"],
    ),
    *(["vote: Your votes", "", ""], ["", 1, "Yes"], ["", 2, "No"], ["", "[vote]", "Council"]),
]
CELLS = "side,1 = Left; 10 = Right\nvote,1 = Yes; 2 = No\nhours,0-9\n"
ROWS = "side,1,Left\nside,10,Right\nvote,1,Yes\nvote,2,No\n"


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["rows", "cells", "blocks"])
def test_codes_and_labels_of_ends_are_the_same_steps(here, form):
    """Simulators write numbers or labels; hours are in no key of codes."""
    people = pd.DataFrame([(1 + i % 10, 1 + i % 2, i % 9) for i in range(90)])
    people.columns = ["side", "vote", "hours"]
    model = people[:50].replace({"side": {1: "Left"}, "vote": {1: "Yes", 2: "No"}})
    model.astype(str).add_prefix("output.").to_csv("m.csv", index=False)
    if form == "blocks":
        with pd.ExcelWriter("p.xlsx") as book:
            people.to_excel(book, sheet_name="A1", index=False)
            pd.DataFrame(BLOCKS).to_excel(book, sheet_name="Datamap", index=False, header=False)
    people.to_csv("p.csv", index=False)
    heading = "name,response_options" if form == "cells" else "var,code,label"
    write({"key.csv": f"{heading}\n{CELLS if form == 'cells' else ROWS}"})
    files = ["p.xlsx#A1"] if form == "blocks" else ["p.csv", "--scenarios", "key.csv"]
    started([files[0], "m.csv", *files[1:]])
    read = what_is_read()
    options = read.scenarios.set_index("scenario")["option"].map(list).to_dict()
    hours = [*map(str, range(10 if form == "cells" else 9))]
    assert options == {"side": [*map(str, range(1, 11))], "vote": ["Yes", "No"], "hours": hours}
    shared = read.outcomes.pivot(index=["scenario", "value"], columns="source", values="count")
    assert shared.loc["side", "model" if "model" in shared else "m"].tolist() == [5] * 10


@pytest.mark.slow
def test_a_key_of_a_scales_ends_leaves_its_steps_numbers(here):
    scales = [i % 11 if i % 20 else 99 for i in range(80)]
    given = "".join(
        f"{step},{1 + 4 * (i % 2)},{(i * i // 3 + i // 7) % 11 if i % 20 else 99}\n"
        for i, step in enumerate(scales)
    )
    model = "10,1,10\n0,5,0\n10,5,5\n10,1,4\n0,5,5\n" * 9
    write({"p.csv": f"nps,vote,risk\n{given}", "m.csv": f"nps,vote,risk\n{model}"})
    codes, labels = [0, 10, 99, 1, 5, 99], ["Never", "Surely", "Don't know", "Yes", "No"]
    names = ["nps"] * 3 + ["vote"] * 2 + ["risk"]
    key = pd.DataFrame({"var": names, "code": codes, "label": [*labels, labels[2]]})
    key.to_csv("key.csv", index=False)
    started(["p.csv", "m.csv", "--scenarios", "key.csv"], UNDECIDED)
    assert [(row["text"], row["proposal"]) for row in undecided("labels")] == [
        ("Don't know", "undecided")
    ]
    started(["p.csv", "m.csv", "--scenarios", "key.csv", "--accept"])
    options = what_is_read().scenarios.set_index("scenario")["option"]
    assert {name: list(some) for name, some in options.items()} == {
        "nps": list(map(str, range(11))),
        "vote": ["Yes", "No"],
        "risk": list(map(str, range(11))),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "model", "proposed"),
    [
        ("123451234579", "12345", {"7": "missing", "9": "missing"}),
        ("123451234579", "1234579", {}),
        ("1234512345" * 3 + "06", "12345", {"0": "", "6": ""}),
        ("1234512345" * 3 + "06", "123456", {"0": ""}),
        ("1234512345" * 3 + "6", "2345", {"6": ""}),
        ("12345123456", "2345", {"6": ""}),
        ("1234561234566", "2345", {}),
        ("123456712345", "23456", {}),
        ("0123401234", "1234", {}),
    ],
)
def test_what_people_alone_give_beside_a_scale_is_asked(here, people, model, proposed):
    everyone = "".join(f"{answer},{answer}\n" for answer in people)
    write({"p.csv": f"q1,q2\n{everyone * 9}"})
    write({"m.csv": "q1,q2\n" + "".join(f"{answer},{answer}\n" for answer in model * 9)})
    started(["p.csv", "m.csv"], UNDECIDED if proposed else 0)
    assert {row["text"]: row["proposal"] for row in undecided("labels")} == proposed
    if proposed:
        started(["p.csv", "m.csv", "--accept"], UNDECIDED if "" in proposed.values() else 0)


def test_rare_ends_that_are_answers_elsewhere_are_asked_of_each_question_at_once(here):
    given = ("1234512345" * 3 + "06") * 9
    write({"p.csv": "q1,q2,q3\n" + "".join(f"{a},{a},{i % 7}\n" for i, a in enumerate(given))})
    write(
        {"m.csv": "q1,q2,q3\n" + "".join(f"{i % 5 + 1},{i % 5 + 1},{i % 7}\n" for i in range(70))}
    )
    started(["p.csv", "m.csv"], UNDECIDED)
    asked = {(row["scale"], row["text"], row["proposal"]) for row in undecided("labels")}
    assert asked == {(name, code, "") for name in ("q1", "q2") for code in "06"}


@pytest.mark.parametrize("codes", [[1, 2, 4], [1, 2, 5]])
def test_a_key_of_options_that_lacks_one_is_no_scale(here, codes):
    write({"p.csv": "how\n" + "".join(f"{[*codes, 3][i % 4]}\n" for i in range(80))})
    write({"m.csv": "how\n" + "".join(f"{codes[i % 3]}\n" for i in range(30))})
    labels = ["Bus", "Car", "Bike"]
    pd.DataFrame({"var": "how", "code": codes, "label": labels}).to_csv("key.csv", index=False)
    started(["p.csv", "m.csv", "--scenarios", "key.csv"], UNDECIDED)


def test_the_reason_that_a_codes_label_says_is_proposed(here):
    labels = {1: "No", 2: "Yes", -8: "Refused", -9: "Don't know", -7: "Missing"}
    answers = pd.DataFrame({name: [1.0, 2, 1, 2, -8, -9, -7] * 9 for name in ("q1", "q2")})
    labelled = {"q1": labels, "q2": labels | {-7: "Refused"}}
    pyreadstat.write_sav(answers, "p.sav", variable_value_labels=labelled)
    write({"m.csv": "q1,q2\n" + "1,2\n2,1\n" * 9})
    started(["p.sav", "m.csv"], UNDECIDED)
    expected = {"Refused": "refused", "Don't know": "undecided", "Missing": "missing"}
    assert {row["text"]: row["proposal"] for row in undecided("labels")} == expected
    started(["p.sav", "m.csv", "--accept"])
    assert {*what_is_read().missing["reason"]} == {*expected.values()}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "proposal"),
    [
        ("-7. No post-election interview", "missing"),
        ("-42: Left early", "missing"),
        ("Não sabe (NS)", "undecided"),
        ("Recusa (ESPONTÂNEO)", "refused"),
        ("Recusa", "refused"),
        ("Ne souhaite pas r\u00e9pondre", "refused"),
    ],
)
def test_codes_below_0_and_words_of_no_answer_are_asked(here, text, proposal):
    options = ["Tende a confiar", "Tende a recear", "Nada"]
    rest = "".join(f"{option},{option}\n" for option in options) * 9
    write({"p.csv": f"q1,q2\n{rest}{text},Nada\n", "m.csv": f"q1,q2\n{rest}"})
    started(["p.csv", "m.csv"], UNDECIDED)
    assert {row["text"]: row["proposal"] for row in undecided("labels")} == {text: proposal}


def test_a_base_beside_percentages_is_no_count(here):
    texts = {"yes": 60, "no": 40}
    lines = [f"q{i},How?,{text},{share},{500 + i}" for i in (1, 2) for text, share in texts.items()]
    head = "Question,Question text,Response,Total %,Unweighted base\n"
    write({"p.csv": head + "\n".join(lines) + "\n", "m.csv": MODEL})
    started(["p.csv", "m.csv"])
    outcomes = what_is_read().outcomes
    given = outcomes[outcomes["source"] == "human"].groupby("scenario", observed=True)["count"]
    assert given.sum().to_dict() == pytest.approx({"q1": 501, "q2": 502})
    assert (given.max() / given.sum()).tolist() == pytest.approx([0.6, 0.6])


@pytest.mark.slow
def test_texts_that_mean_yes_part_no_question(here):
    write({"p.csv": PEOPLE, "m.csv": MODEL.replace("yes,yes", '"Yes, sure.",yes')})
    started(["p.csv", "m.csv"], UNDECIDED)
    started(["p.csv", "m.csv", "--accept"])
    read = what_is_read()
    assert {*map(tuple, read.scenarios["option"])} == {("no", "yes")}
    assert {*read.scenarios["cluster"]} == {"none"}


def test_an_option_with_a_comma_is_one(here):
    texts = ["Bus, tram or metro", "Car", "Car, Bus, tram or metro", "Bike", "Bike, Car"]
    texts += ["Bus, tram or metro, Bike", "Bike, Bus, tram or metro"]
    cells = [f'"{text}",{"yes" if at % 3 else "no"}' for at, text in enumerate(texts * 8)]
    people, model = ("\n".join([head, *cells]) for head in ("how,q1", "how,q1"))
    write({"p.csv": people, "m.csv": model})
    started(["p.csv", "m.csv", "--multiple", "how", "--accept"])
    names = {*what_is_read().scenarios["scenario"]}
    assert names == {"q1", "how: Bus, tram or metro", "how: Car", "how: Bike"}


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["a text", "ticks", "JSON"])
def test_rejected_work_of_a_batch_counts_for_nothing(here, capsys, form):
    work = [
        {
            **{"HITId": f"h{t}", "WorkerId": f"w{w}", "Input.text_id": f"t{t}"},
            "AssignmentStatus": "Rejected" if w == 4 else "Approved",
            "Answer.label": "yes" if (t + w) % 3 else "no",
        }
        for t in range(12)
        for w in range(5)
    ]
    for row in work if form != "a text" else ():
        label = row.pop("Answer.label")
        ticks = {option: option == label for option in ("yes", "no")}
        if form == "JSON":
            row["Answer.taskAnswers"] = json.dumps([{"label": ticks, "why": row["HITId"] * 9}])
        else:
            row |= {f"Answer.label.{option}": str(tick).lower() for option, tick in ticks.items()}
    model = "scenario,simulator,value\n" + "".join(f"t{t},m,yes\n" for t in range(12))
    write({"m.csv": model})
    pd.DataFrame(work).to_csv("p.csv", index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    assert "p.csv, AssignmentStatus: ignore?" in capsys.readouterr().err
    started(["p.csv", "m.csv", "--accept"])
    counts = what_is_read().outcomes
    people = counts[counts["source"] == "human"].groupby("value")["count"].sum()
    assert people.to_dict() == {0.0: 16, 1.0: 32}


def test_boxes_of_a_batch_of_which_some_tick_several_are_lists(here):
    ticks = [(i % 2 == 0, i % 3 == 0, False) for i in range(60)]
    work = "".join(f"h{i},w{i},Approved,{','.join(map(str, row))}\n" for i, row in enumerate(ticks))
    header = "HITId,WorkerId,AssignmentStatus,Answer.use.Car,Answer.use.Bus,Answer.use.Bike\n"
    model = pd.DataFrame({"simulator": "m", "Answer.use": ['["Car", "Bike"]', '["Bus"]'] * 9})
    model.to_csv("m.csv", index=False)
    write({"p.csv": header + work.lower().replace("approved", "Approved")})
    started(["p.csv", "m.csv", "--multiple", "Answer.use", "--accept"])
    counts = what_is_read().outcomes.query("source == 'human' and value == 1")
    assert counts.set_index("scenario")["count"].to_dict() == {
        "Answer.use: Car": 30,
        "Answer.use: Bus": 20,
    }


@pytest.mark.sampled
@pytest.mark.parametrize(("approved", "awaiting", "counted"), [(1, 30, 31), (30, 1, 30), (0, 9, 9)])
def test_submissions_that_await_a_review_count_where_hardly_any_was_approved(
    here, capsys, approved, awaiting, counted
):
    states = ["APPROVED"] * approved + ["AWAITING REVIEW"] * awaiting + ["RETURNED"] * 3
    rows = "".join(f"s{i}p,{state},{'yes' if i % 2 else 'no'}\n" for i, state in enumerate(states))
    write({"p.csv": f"Participant id,Status,q1\n{rows}", "m.csv": "q1\n" + "yes\nno\n" * 9})
    is_open = 0 < approved < awaiting
    started(["p.csv", "m.csv"], UNDECIDED if is_open else 0)
    assert ("p.csv, Status: ignore?" in capsys.readouterr().err) == is_open
    started(["p.csv", "m.csv", "--accept", "--force"])
    counts = what_is_read().outcomes
    assert counts.loc[counts["source"] == "human", "count"].sum() == counted


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "states", "counted", "is_open", "suffix"),
    [
        ("Status", ("Complete", "Partial", "Disqualified"), 20, False, "csv"),
        ("status", ("Completed", "Over Quota", "Screened Out"), 20, False, "sav"),
        ("response_status", ("complete", "incomplete", "Quota Full"), 20, False, "csv"),
        ("Status", ("Vollst\u00e4ndig", "Abgebrochen", "Unvollst\u00e4ndig"), 20, False, "csv"),
        ("Estado", ("Completa", "Parcial", "Descalificado"), 20, False, "csv"),
        ("Finished", ("True", "False", "False"), 20, False, "csv"),
        ("finished", ("1", "0", "1"), 40, False, "csv"),
        ("response_type", ("completed", "partial", "completed"), 40, False, "csv"),
        ("how_it_went", ("Complete", "Partial", "Screened out"), 60, False, "csv"),
        ("how_it_went", ("Complete", "Partial", "Well"), 60, False, "csv"),
        ("Status", ("Complete", "Partial", "Spam"), 20, True, "csv"),
        ("Status", ("Complete", "Partial", ""), 20, True, "sav"),
        ("completed", ("yes", "no", "yes"), 40, True, "csv"),
        ("state", ("Texas", "Ohio", "Maine"), 60, False, "csv"),
        ("Status", ("Complete", "Complete", "Complete"), 60, False, "csv"),
    ],
)
def test_only_complete_rows_count(here, capsys, name, states, counted, is_open, suffix):
    answers = ["yes" if i % 2 else "no" for i in range(60)]
    people = pd.DataFrame({name: [states[i % 3] for i in range(60)], "q1": answers})
    people.to_csv("p.csv", index=False)
    pyreadstat.write_sav(people, "p.sav")
    write({"m.csv": "simulator,q1\n" + "m,yes\nm,no\n" * 9})
    options = [f"p.{suffix}", "m.csv"]
    started(options, UNDECIDED if is_open else 0)
    assert (f"p.{suffix}, {name}: ignore?" in capsys.readouterr().err) == is_open
    started([*options, "--accept", "--force"])
    counts = what_is_read().outcomes.groupby("source", observed=True)["count"].sum()
    assert counts.to_dict() == {"human": counted, "m": 18}


def test_the_share_of_no_answer_leaves_a_distribution(here):
    write({"p.csv": "q1\n" + "yes\nno\nyes\nRefused\n" * 20})
    shares = {"yes": 0.4, "no": 0.4, "Refused": 0.2}
    lines = [f"m,q1,{option},{share}\n" for option, share in shares.items()]
    write({"m.csv": "simulator,scenario,value,probability\n" + "".join(lines)})
    started(["p.csv", "m.csv", "--missing", "Refused"])
    read = what_is_read()
    assert [*read.scenarios["option"].iloc[0]] == ["no", "yes"]
    stated = read.stated[read.stated["source"] == "m"]
    assert stated["probability"].tolist() == [0.5, 0.5]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ("objects", "missing"),
        ("texts", "unparsable"),
        ("rows", "missing"),
        ("empty rows", "missing"),
    ],
)
def test_statements_that_failed_are_missing(here, form, reason):
    """Of two runs of each question, the second one of q1 states nothing, or no shares."""
    write({"p.csv": PEOPLE})
    runs = [
        {"model": "m", "run": run, "question": name, "shares": None if lost else shares}
        for run, name, lost in ((1, "q1", 0), (2, "q1", 1), (1, "q2", 0), (2, "q2", 0))
        for shares in ({"yes": 70, "no": 30},)
    ]
    if form == "texts":
        for run in runs:
            shares = run.pop("shares")
            run["answer"] = f"So: {json.dumps(shares)}" if shares else "I cannot say."
    if form in ("objects", "texts"):
        Path("m.jsonl").write_text("\n".join(map(json.dumps, runs)))
    else:
        none = {"": None} if form == "rows" else {"yes": None, "no": None}
        listed = [
            {**run, "option": option, "probability": share and share / 100}
            for run in runs
            for option, share in (run["shares"] or none).items()
        ]
        pd.DataFrame(listed).drop(columns="shares").to_csv("m.csv", index=False)
    (model,) = here.glob("m.*")
    started(["p.csv", model.name, "--respondent", "run", "--accept"])
    read = what_is_read()
    assert read.missing.to_dict("records") == [
        {"scenario": "q1", "source": "m", "reason": reason, "count": 1}
    ]
    stated = read.stated.set_index(["scenario", "value"])
    assert stated["probability"].unstack().to_numpy() == pytest.approx(np.tile([0.3, 0.7], (2, 1)))
    assert stated["statements"].unstack().to_numpy().tolist() == [[1, 1], [2, 2]]
    table = tables_of(read, "categorical")
    missing = pa.Table.from_pandas(read.missing, MISSING, preserve_index=False)
    answered, lost = answered_and_lost(
        "m", ["q1", "q2"], table["outcomes"], table["stated"], missing
    )
    assert (answered.tolist(), lost[reason].tolist()) == ([1, 2], [1, 0])


@pytest.mark.parametrize(
    "header",
    [
        "CASE,QUESTNNR,MODE,STARTED,q1",
        "HITId,WorkerId,AssignmentStatus,Input.id,Answer.a",
        "participant.code,session.code,participant._is_bot,q1",
    ],
)
def test_an_export_without_rows_is_told(here, capsys, header):
    write({"p.csv": f"{header}\n", "m.csv": MODEL})
    started(["p.csv", "m.csv"], 1)
    assert "p.csv: has a header but no rows" in capsys.readouterr().err


ANSWERED = {"q1": "yes", "q2": "no"}, {"q3": "no", "q4": "yes"}
SHARED = {name: {"yes": 60, "no": 40} for name in ("q1", "q2")}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("record", "simulators", "questions"),
    [
        ({"model": "m", "work": ANSWERED[0], "home": ANSWERED[1]}, ["m"], 4),
        ({"model": "m", "answers": {"work": ANSWERED[0], "home": ANSWERED[1]}}, ["m"], 4),
        ({"gpt-4.1": ANSWERED[0], "claude-3.5": ANSWERED[0]}, ["claude-3.5", "gpt-4.1"], 2),
        ({"model": "m", **SHARED}, ["m"], 2),
        ({"model": "m", "shares": SHARED}, ["m"], 2),
        ({"question": "q1", "gpt-4": SHARED["q1"], "claude": SHARED["q1"]}, ["claude", "gpt-4"], 1),
        ({"model": "m", "first": ANSWERED[0], "second": ANSWERED[0]}, ["m"], 2),
    ],
)
def test_objects_within_a_record(here, record, simulators, questions):
    """Of answers that come twice, the proposal takes the first."""
    write({"p.csv": "q1,q2,q3,q4\n" + rows("{a},{a},{a},{a}", 60)})
    states = any(value in (SHARED, SHARED["q1"]) for value in record.values())
    Path("m.jsonl").write_text(f"{json.dumps(record)}\n" * (1 if states else 20))
    started(["p.csv", "m.jsonl", "--accept"])
    read = what_is_read()
    theirs = pd.concat([read.outcomes, read.stated]).query("source != 'human'")
    assert sorted(theirs["source"].unique()) == simulators
    assert theirs["scenario"].nunique() == questions
    if states:
        assert sorted(read.stated["probability"].unique()) == [0.4, 0.6]


@pytest.mark.parametrize("form", ["json", "python", "struct", "records"])
def test_an_object_in_each_cell_counts_as_its_answer(here, capsys, form):
    """What its reason says counts nowhere, and without an answer none is there."""
    steps = ["Low", "2", "3", "4", "High", "Missing; Not available"]
    level = pd.Categorical(steps * 20, steps, ordered=True)
    pd.DataFrame({"q1": level, "q2": ["Agree", "Disagree"] * 60}).to_parquet("p.parquet")
    why = "It's not 3, {so} to say\nAnswer: Agree"
    cells = {
        "q1": [{"answer": step, "reason": why} for step in [1, 1, 2, None, 5, 5, 3, 3]],
        "q2": [{"answer": x, "reason": why} for x in ["Agree", "Disagree", "Agree", None] * 2],
    }
    frame = pd.DataFrame(cells)
    if form == "struct":
        frame.to_parquet("m.parquet")
    elif form == "records":
        frame.to_json("m.jsonl", orient="records", lines=True)
    else:
        frame.map(json.dumps if form == "json" else str).to_csv("m.csv", index=False)
    (model,) = here.glob("m.*")
    started(["p.parquet", model.name, "--accept"])
    assert "in no order" not in capsys.readouterr().out  # the file has one
    read = what_is_read()
    counts = read.outcomes.query("source != 'human'").set_index(["scenario", "value"])["count"]
    assert counts.to_dict() == {("q1", 1): 2, ("q1", 2): 1, ("q1", 3): 2, ("q1", 5): 2} | {
        ("q2", 1): 4,
        ("q2", 2): 2,
    }
    assert [*read.scenarios.set_index("scenario")["option"]["q1"]] == steps[:-1]


def test_lists_of_draws_are_answers_and_letters_are_their_rows_options(here, capsys):
    """In two languages those with the same letter are the same; a constant is no probability."""
    options = {"es": ["Mucha", "Poca", "Ninguna"], "en": ["A lot", "A little", "None"]}
    people = [f"{i},{name},{options['es'][i % 3]}\n" for i in range(60) for name in ("q1", "q2")]
    write({"p.csv": "id,question_id,answer\n" + "".join(people)})
    records = [
        {"model": "m", "question_id": name, "prompt_language": language, "params": {"top_p": 0.95}}
        | {"options": dict(zip("ABC", texts, strict=True)), "outputs": drawn}
        for name, drawn in (("q1", [" A", "A.", "C"]), ("q2", [" B", "B", "C) {}"]))
        for language, texts in options.items()
        for drawn in [[text.format(texts[2]) for text in drawn]]
        for _ in range(4)
    ]
    Path("m.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    started(["p.csv", "m.jsonl", "--accept"])
    assert "A lot: Mucha" in capsys.readouterr().out
    read = what_is_read()
    labels = read.scenarios.set_index("scenario").explode(["option", "value"])
    labels = labels.set_index("value", append=True)["option"]
    drawn = read.outcomes.query("source != 'human'").set_index(["scenario", "value"])["count"]
    counts = drawn.groupby(labels.astype(str)).sum()
    assert counts.to_dict() == {"Mucha": 16, "Poca": 16, "Ninguna": 16}


def test_shares_in_a_list_or_by_letter_belong_to_the_options_beside(here):
    """Logarithms are divided by their sum, and ``group``, with the same cells, names groups."""
    options, groups = {"q1": ["No", "Yes"], "q2": ["Never", "Often", "Always"]}, ["West", "East"]
    rows = [{"qkey": name, "group": group} for name in options for group in groups]
    shares = [[0.25, 0.75], [0.5, 0.5], [0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]
    listed = [row | {"options": options[row["qkey"]], "n": 100} for row in rows]
    people = pd.DataFrame(listed).assign(responses=shares)
    people.to_parquet("p.parquet")
    logarithms = [{"ABC"[at]: math.log(x) - 0.1 for at, x in enumerate(row)} for row in shares]
    pairs = zip(listed, logarithms, strict=True)
    records = [{"model": "m", **row, "n": None, "option_logprobs": said} for row, said in pairs]
    Path("m.jsonl").write_text("\n".join(map(json.dumps, records)))
    started(["p.parquet", "m.jsonl", "--accept"])
    read = what_is_read()
    stated = read.stated.query("source == 'm'").set_index(["scenario", "value"])["probability"]
    counts = read.outcomes.query("source == 'human'").set_index(["scenario", "value"])["count"]
    assert len(stated) == 10
    assert stated.to_dict() == pytest.approx((counts / 100).to_dict())


def test_what_a_number_stands_before_is_proposed_as_the_option(here, capsys):
    scale = ["Strongly oppose", "Somewhat oppose", "Somewhat support", "Strongly support"]
    write({"p.csv": "q1\n" + "\n".join(scale * 20)})
    body = '{{"choices": [{{"message": {{"content": "{}. {}"}}}}]}}'
    record = '{{"custom_id": "4o|p{:03}|q1", "response": {{"body": {}}}}}\n'
    texts = [body.format(i % 4 + 1, scale[i % 4]) for i in range(40)]
    write({"m.jsonl": "".join(record.format(i, text) for i, text in enumerate(texts))})
    started(["p.csv", "m.jsonl"], 1)
    assert "--custom-id '{_}|{replicate}|{scenario}'" in capsys.readouterr().err
    started(["p.csv", "m.jsonl", "--custom-id", "{_}|{replicate}|{scenario}", "--accept"])
    counts = what_is_read().outcomes
    assert counts.loc[counts["source"] != "human", "count"].tolist() == [10] * 4


def test_a_column_value_that_is_named_as_probabilities_has_no_answers(here, capsys):
    rows = [(q, q % 2, m) for q in range(20) for m in ("gpt-4", "palm-2")]
    stated = "".join(
        f"{q},{m},{o},{'0.5' if q < 2 else p}\n" for q, _, m in rows for o, p in OPTIONS
    )
    Path("stated.csv").write_text(f"ifp_id,user_id,answer_option,value\n{stated}", "utf-8")
    outcomes = "".join(f"{q},{'ab'[q % 2]}\n" for q in range(20))
    Path("outcomes.csv").write_text(f"ifp_id,outcome\n{outcomes}", "utf-8")
    roles = ("columns.csv: ifp_id: question", "columns.csv: value: probability")
    assert start_with(["outcomes.csv", "stated.csv", *roles, "--simulator", "user_id"]) == 0
    assert "simulator gpt-4: states probabilities for all 20" in capsys.readouterr().out


@pytest.mark.sampled
@pytest.mark.parametrize("amount", ["{} €", "€{}", "{} Euro"])
def test_amounts_have_a_decimal_comma(here, amount):
    several = ["0,00", "1.200,50", "2,50", "1.000,00"]
    texts = [amount.format(text) for text in several]
    write({"p.csv": "a;b\n" + "".join(f"{text} €;{text} €\n" for text in several * 20)})
    write({"m.csv": "model;a;b\n" + "".join(f"m;{text};{text}\n" for text in texts * 5)})
    started(["p.csv", "m.csv", "--kind", "bounded", "--bounds", "0", "2000", "--decimal", ","])
    counts = what_is_read().outcomes
    assert {*counts["value"]} == {0, 2.5, 1000, 1200.5}


def test_ids_that_are_whole_numbers_are_the_same_with_a_point(here, capsys):
    write({"p.csv": "TWIN_ID,q1,q2\n" + rows("1{i:03},{a},{a}", 60)})
    write({"m.csv": "twin_id,model,q1,q2\n" + rows("1{i:03}.0,m,{a},{a}", 60)})
    started(["p.csv", "m.csv", "--accept"])
    assert "as 60 of the persons, by their ids" in capsys.readouterr().out


@pytest.mark.parametrize("column", ["response", "distribution"])
def test_a_distribution_may_be_an_object_in_a_cell(here, column):
    write({"p.csv": "q1,q2\n" + rows("{a},{a}", 60)})
    texts = ['```json\n{""yes"": 57,\n""no"": 43}\n```', '{""yes"": 20, ""no"": 80}']
    cells = [f'm,q{at},"{text}"\n' for at, text in enumerate(texts, 1)]
    write({"m.csv": f"model,question,{column}\n" + "".join(cells)})
    started(["p.csv", "m.csv"])
    assert sorted(what_is_read().stated["probability"]) == [0.2, 0.43, 0.57, 0.8]


def test_a_simulator_without_an_answer_left_is_refused(here, capsys):
    write({"p.csv": PEOPLE, "m.csv": 'question,model,answer\nq1,m,"I\nbelieve"\n'})
    started(["p.csv", "m.csv", "--accept", "columns.csv: q2: ignore"], 1)
    assert "all answers of 'm' are missing" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alt", "option_id", "rating"])
def test_a_column_that_numbers_profiles_is_no_question(here, name):
    profiles = PROFILES.replace("task", name)
    write({"p.csv": profiles, "m.csv": profiles.replace("id,", "model,", 1)})
    conjoint = ["p.csv", "m.csv", "--attribute", "price", "--respondent", "id"]
    started([*conjoint, "columns.csv: age_group: ignore", "columns.csv: brand: ignore"])
    questions = {name.partition(" | ")[0] for name in what_is_read().scenarios["scenario"]}
    assert questions == ({"chosen", "rating"} if name == "rating" else {"chosen"})


THERMOMETER = "case,mood,warm,cold\n" + "".join(
    f"{i},{i * i % 7 + 1},{-9 if i == 7 else i % 21 * 5},{i % 11 * 10}\n" for i in range(120)
)


@pytest.mark.slow
def test_thermometers_are_from_0_to_100_beside_steps(here, capsys):
    weighted = THERMOMETER.replace("case", "V1").replace("\n", ",V2\n", 1).splitlines()
    people = [
        weighted[0],
        *(f"{line},{0.61 + at % 9 / 10}" for at, line in enumerate(weighted[1:])),
    ]
    write({"p.csv": "\n".join(people), "m.csv": THERMOMETER.replace("-9", "40")})
    started(["p.csv", "m.csv", "--accept"])
    assert {*what_is_read().scenarios["scenario"]} == {"warm", "cold"}
    named = ["--questions", "warm", "--kind", "bounded", "--bounds", "0", "100"]
    started(["p.csv", "m.csv", *named], UNDECIDED, "t.yaml")
    told = capsys.readouterr().err
    assert "Decide 1 cell" in told and "labels.csv: -9: missing?" in told


@pytest.mark.slow
def test_a_models_capitals_are_unasked_beside_open_cells(here):
    write({"p.csv": "WGT,q1\n" + rows("1.{i},{a}", 60)})
    write({"m.csv": "simulator,q1\n" + rows("m,{a}", 30).replace("yes", "Yes.")})
    started(["p.csv", "m.csv"], UNDECIDED)
    assert [row["text"] for row in undecided("labels")] == []


def test_a_remark_is_about_the_text_of_its_row(here):
    texts = MODEL.replace("yes,yes", "yes - as I said,yes").replace("no,no", "no - as I said,no")
    write({"p.csv": PEOPLE, "m.csv": texts})
    started(["p.csv", "m.csv"], UNDECIDED)
    first, second = undecided("labels")
    assert repr(first["text"]) in first["remark"]
    assert second["remark"] == f"may be {second['proposal']!r}, for the reason of {first['text']!r}"


OPTIONS = (("a", 0.3), ("b", 0.7))
LIME = "id. ID,submitdate. Submitted,startlanguage. Language,q1. Do you?,q2. Is it?"
SHIFT_JIS = "q1,q2\n" + rows("はい,はい", 40) + rows("いいえ,いいえ", 20)
IN_JAPANESE = "simulator,q1,q2\n" + rows("m,回答：「はい」,いいえ", 30)
CODED = "pid,age_now,q1\npid,age_now,How much do you trust the police?\n" + rows("p{i},{i},{a}", 40)
ASKED = "anx,Do you?,yes\nanx,Do you?,no\nsad,Is it?,yes\nsad,Is it?,no\n"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("people", "model", "told"),
    [
        (f"{LIME}\n" + rows("{i},2025-01-01,en,{a},{a}", 60), MODEL, "an export of LimeSurvey"),
        (SHIFT_JIS, IN_JAPANESE, "read as Shift JIS"),
        (CODED, "simulator,q1\n" + rows("m,{a}", 30), "its first row has the wording of questions"),
        (
            "Do you?,Is it?\n" + rows("{a},{a}", 60),
            "question_id,question,answer,model\n"
            + ASKED.replace("s\n", "s,m\n").replace("o\n", "o,m\n"),
            "wrote s.yaml",
        ),
    ],
    ids=["codes and texts", "Shift JIS", "a row of wordings", "wordings beside ids"],
)
def test_headings_and_texts_of_programs(here, capsys, people, model, told):
    Path("p.csv").write_bytes(people.encode("cp932" if people == SHIFT_JIS else "utf-8"))
    Path("m.csv").write_text(model, encoding="utf-8")
    main(["start", "p.csv", "m.csv", "--out", "s.yaml"])
    printed = capsys.readouterr()
    assert told in printed.out + printed.err
    if people == SHIFT_JIS:
        assert "*: unparsable" not in printed.out + printed.err


STATED_TWICE = {
    "percentages": ("percent", [(50, 50), (60, 40), (70, 30)], 0.6),
    "sums of 98 to 102 percent": (
        "percent",
        [(49, 49), (61, 41), (70, 30)],
        (0.5 + 61 / 102 + 0.7) / 3,
    ),
    "a statement without shares": ("percent", [(50, 51), ("", ""), (70, 30)], (50 / 101 + 0.7) / 2),
    "log probabilities": (
        "logprob",
        [(math.log(yes), math.log(no)) for yes, no in ((0.4, 0.4), (0.6, 0.39), (0.7, 0.2))],
        (0.5 + 60 / 99 + 7 / 9) / 3,
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize(("unit", "stated", "mean"), STATED_TWICE.values(), ids=[*STATED_TWICE])
def test_each_statement_is_divided_by_its_sum_before_their_mean(here, capsys, unit, stated, mean):
    people = "id,q1,q2\n" + "".join(f"{i},{'yes' if i % 2 else 'no'},yes\n" for i in range(40))
    lines = [
        f"m,{name},{run},{40 * run + (name == 'q1')},{option},{cell}\n"
        for name in ("q1", "q2")
        for run, cells in enumerate(stated)
        for option, cell in zip(("yes", "no"), cells, strict=True)
    ]
    write({"p.csv": people, "m.csv": f"model,item,run,tokens,option,{unit}\n" + "".join(lines)})
    asked = ["p.csv", "m.csv", "--respondent", "id"]
    started(asked, UNDECIDED)
    told = capsys.readouterr().err
    assert "columns.csv: m.csv, run: respondent?" in told and "--respondent" not in told
    assert "each value is one statement, and their mean is taken" in told
    started([*asked, "columns.csv: run: ignore", "--accept"], out="other.yaml")
    assert "tokens" not in capsys.readouterr().err
    started([*asked, "--accept"])
    assert "sum to 0.8 to 0.99 (" in capsys.readouterr().out or unit == "percent"
    known = what_is_read()
    shares = known.stated.set_index(["scenario", "value"])["probability"]
    assert sorted(shares) == pytest.approx(sorted([mean, 1 - mean] * 2), abs=1e-9)
    assert known.missing["count"].sum() == 2 * stated.count(("", ""))


def test_ticks_called_as_their_columns_are_no_header(here, capsys):
    people = "Facebook,TikTok,why\nFacebook,TikTok,I like them both\n" + rows(",TikTok,{a}", 40)
    write({"p.csv": people, "m.csv": "simulator,why\n" + rows("m,{a}", 30)})
    main(["start", "p.csv", "m.csv", "--out", "s.yaml"])
    assert "wording" not in "".join(capsys.readouterr())


def test_a_number_out_of_the_scales_end_that_nobody_gave_is_read(here, capsys):
    people = "q1\n" + "".join(f"{6 + 7 * i % 90}\n" for i in range(90))
    model = "simulator,q1\n" + "".join(f"m,{7 * i % 60}\n" for i in range(60))
    model += "m,0/100\nm,52 out of 100\n"
    write({"p.csv": people, "m.csv": model})
    started(["p.csv", "m.csv", "--kind", "bounded", "--bounds", "0", "100"])
    assert "2 texts are read as the only number in them" in capsys.readouterr().out


def test_twins_answers_that_agree_more_than_by_chance_are_of_the_same_persons(here, capsys):
    draw = random.Random(3)
    answers = [[draw.randint(1, 4) for _ in range(5)] for _ in range(200)]
    write(
        {
            name: "TWIN_ID,q1,q2,q3,q4,q5\n"
            + "".join(f"{1000 + i},{','.join(map(str, one))}\n" for i, one in enumerate(rows_of))
            for name, rows_of in (
                ("p.csv", answers),
                (
                    "m.csv",
                    [
                        [x if draw.random() < 0.3 else draw.randint(1, 4) for x in one]
                        for one in answers
                    ],
                ),
            )
        }
    )
    started(["p.csv", "m.csv"])
    assert "as 200 of the persons, by their ids" in capsys.readouterr().out


def test_a_place_that_only_simulators_name_is_no_other_place(here):
    places = ["Iran", "Niger", "Austria", "Slovakia", "Mali", "Chile", "Peru", "Cuba", "Fiji"]
    places += ["Oman", "Togo", "Laos", "Haiti"]
    others = ["Iraq", "Nigeria", "Australia", "Slovenia", "Malta", "Chille"]
    for name, known in (("p", places), ("m", [*places, *others])):
        pd.DataFrame({"country": known * 20, "again": known[::-1] * 20}).to_csv(f"{name}.csv")
    started(["p.csv", "m.csv", "--questions", "country", "--questions", "again"], UNDECIDED)
    assert {row["text"]: row["proposal"] for row in undecided("labels")} == {
        **{name: name for name in others[:-1]},
        "Chille": "Chile",
    }


@pytest.mark.sampled
@pytest.mark.parametrize(("named", "lower"), [((), "0"), (("--missing", "0"), "1")])
def test_a_code_of_no_answer_is_no_lower_end(here, capsys, named, lower):
    write({"p.csv": "q1\n" + "".join(f"{i % 101}\n" for i in range(303))})
    write({"m.csv": "q1\n" + "".join(f"{i % 100 + 1}\n" for i in range(100))})
    started(["p.csv", "m.csv", *named], UNDECIDED)
    assert f"questions.csv: * lower: {lower}?" in capsys.readouterr().err


def test_a_file_without_a_column_of_simulators_beside_one_with_is_one_simulator(here, capsys):
    agents = "agent,q1,q2\n" + rows("Agent {i} Smith,{a},{a}", 40)
    write({"p.csv": PEOPLE, "twins.csv": agents, "m.csv": MODEL})
    started(["p.csv", "twins.csv", "m.csv", "--accept"])
    assert "all of it is the simulator twins" in capsys.readouterr().out
    sums = what_is_read().outcomes.groupby("source", observed=True)["count"].sum()
    assert sums.to_dict() == {"human": 120, "twins": 80, "m": 60}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("heading", "ids"),
    [
        ("{}:perks", "persona-{:03}_{}"),
        ("perks: {}", "run{}::{}"),
        ("{} - perks", "gpt-4o_p{}-{}"),
    ],
)
def test_tick_boxes_of_own_words_are_joined_with_lists_of_a_batch(here, heading, ids):
    options = ["Higher pay", "Mehr Urlaub", "More, longer breaks"]
    table = pd.DataFrame({"glad": ["yes", "no", "no"] * 20})
    for at, option in enumerate(options):
        table[heading.format(option)] = [option if i % (at + 2) == 0 else "" for i in range(60)]
    table.assign(City="Toledo", source_ip="10.2.0.4").to_csv("p.csv", index=False)
    listed = {"glad": "yes | no", "perks": " | ".join(options)}
    file = pd.DataFrame({"name": listed, "question_text": listed, "response_options": listed})
    file.assign(name=[*listed]).to_csv("q.csv", index=False)
    refusal = "I'm sorry, but as an AI I have no job, so I can't answer this question."
    several = [", ".join(options[:2]), options[2], refusal, options[0]]
    answers = {"glad": ["yes", "no"], "perks": several}
    requests = [
        {
            "custom_id": ids.format(i, name),
            "response": {"choices": [{"message": {"content": texts[i % len(texts)]}}]},
        }
        for i in range(40)
        for name, texts in answers.items()
    ]
    write({"b.jsonl": "\n".join(map(json.dumps, requests))})
    started(["p.csv", "b.jsonl", "q.csv", "--accept"])
    read = what_is_read()
    shares = read.outcomes[read.outcomes["value"] == 1].set_index(["source", "scenario"])["count"]
    boxes = [f"perks: {option}" for option in options]
    assert [*shares["human"][boxes]] == [30, 20, 15]
    (model,) = {*shares.index.get_level_values("source")} - {"human"}
    assert [*shares[model][boxes]] == [20, 10, 10]
    lost = read.missing.query("reason == 'refused'").set_index("scenario")["count"]
    assert [*lost[boxes]] == [10, 10, 10]
    columns = Path("s_codebook/columns.csv").read_text("utf-8")
    assert "Toledo" not in columns and "10.2.0.4" not in columns


@pytest.mark.parametrize(
    ("had", "scales"), [((1, 2), [""]), ((1, 2, 0), ["like", "liked"])], ids=["none", "an option"]
)
def test_codes_outside_a_complete_key_are_proposed_for_all_scales_at_once(here, had, scales):
    draws = np.random.default_rng(1)
    table = pd.DataFrame({name: draws.integers(0, 4, 90) for name in ("like", "liked")})
    table = table.assign(asked=draws.integers(1, 4, 90), had=draws.choice([0, 1, 2], 90))
    table.loc[table["asked"] == 3, "liked"] = -77
    table.to_csv("p.csv", index=False)
    key = [("asked", code, word) for code, word in ((1, "ja"), (2, "kaum"), (3, "nein"))]
    key += [("had", code, f"w{code}") for code in had]
    key += [(name, code, f"s{code}") for name in ("like", "liked") for code in (1, 2, 3)]
    pd.DataFrame(key, columns=["question", "code", "label"]).to_csv("k.csv", index=False)
    model = "model,had,like,liked,asked\n" + "m,w1,s1,s2,ja\nm,w2,s2,s1,nein\n" * 20
    write({"m.csv": model})
    started(["p.csv", "m.csv", "k.csv"], UNDECIDED)
    open_ones = [row for row in cells("labels") if row["means"] == "?"]
    said = {(row["scale"], row["text"], row["proposal"]) for row in open_ones}
    assert said == {("", "-77", "not asked"), *((scale, "0", "missing") for scale in scales)}
