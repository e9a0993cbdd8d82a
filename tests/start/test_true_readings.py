"""What `start` asks about instead of guessing, and that each remedy it prints leads on."""

import random
import re
import shlex
import time
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
from parameters import quick

from fidelity_study.app.start import faults


@pytest.fixture
def start(start):
    """Start a study of files that are there; return what is printed, and check the status."""
    return lambda *arguments, **checked: start({}, *arguments, "--force", **checked)


def ways(told: str) -> list[list[str]]:
    """Return the options that a refusal prints, each as arguments."""
    lines = told.partition("each where it is right:\n")[2].splitlines()
    return [
        shlex.split(re.split(r"\s{2,}", line.strip())[0]) for line in lines if line[:4] == "  --"
    ]


COUNTS = ("scenario", "value", "count")


def long(path: str, rows, *columns: str) -> str:
    """Write a long file; return its name."""
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    return path


# ------------------------------------------------------------------------ several files, totals


@pytest.mark.slow
@pytest.mark.parametrize("seed", quick(range(3), only=[0]))
def test_several_files_of_simulators_read_as_one_does(start, seed):
    random.seed(seed)
    scales = {"parks": range(1, 4), "trains": range(1, 6), "news": range(1, 4), "art": range(1, 6)}
    people = [(q, s, random.randint(20, 40)) for q, steps in scales.items() for s in steps]
    given = [(q, f"m{i}", random.choice(steps)) for q, steps in scales.items() for i in "abc" * 20]
    human = long("people.csv", people, "scenario", "value", "count")
    both = long("both.csv", given, "scenario", "simulator", "value")
    apart = [
        long(
            f"m{i}.csv",
            [row for row in given if row[1] == f"m{i}"],
            "scenario",
            "simulator",
            "value",
        )
        for i in "abc"
    ]

    def facts(told: str) -> list[str]:
        return [line for line in told.splitlines() if line.startswith(("options", "simulator m"))]

    whole = facts(start(human, both))
    assert "options: 1, 2, 3 (2 of the questions)" in whole
    assert "options: 1, 2, 3, 4, 5 (2 of the questions)" in whole
    assert (
        facts(start(human, *apart))
        == whole
        == facts(start(human, *apart[::-1], "--name", "x"))[:2] + sorted(whole[2:])
    )


@pytest.mark.slow
def test_an_option_of_half_the_people_is_no_total(start):
    long("h.csv", [("vote", "Yes", 5000), ("vote", "No", 3000), ("vote", "?", 2000)], *COUNTS)
    long("s.csv", [("vote", "Yes", 40), ("vote", "No", 30), ("vote", "?", 30)], *COUNTS)
    assert "options" in start("h.csv", "s.csv", "--levels", "Yes | No | ?")
    table = [("vote", "Yes", 5000), ("vote", "No", 3000), ("vote", "Undecided", 2000)]
    assert "No, Undecided, Yes" in start(long("h2.csv", table, *COUNTS), "--kind", "categorical")


@pytest.mark.slow
def test_the_sum_of_all_others_in_each_of_several_questions_is_a_doubt_with_two_ways(start):
    rows = [(q, o, n) for q in ("a", "b", "c") for o, n in (("x", 31), ("y", 44), ("z", 75))]
    told = start(long("h.csv", rows, *COUNTS), "--kind", "categorical", status=1)
    assert ["--totals", "z"] in ways(told) and "labels.csv: z: total?" in told
    assert "options: x, y (3 " in start("h.csv", "--kind", "categorical", "--totals", "z")
    kept = start("h.csv", "--kind", "categorical", "--levels", "x | y | z")
    assert "options: x, y, z (3 of the questions)" in kept


@pytest.mark.slow
@pytest.mark.parametrize("label", quick(["Any opinion", "Mean score"], only=["Any opinion"]))
def test_a_row_that_is_no_option_of_many_people_is_a_doubt(start, label):
    counts = {"a": (420, 460, 120), "b": (250, 610, 140), "c": (333, 400, 267)}
    rows = [(q, o, n) for q, many in counts.items() for o, n in zip("xyz", many, strict=True)]
    more = [(q, label, x + y if label == "Any opinion" else 2) for q, (x, y, _) in counts.items()]
    told = start(long("h.csv", rows + more, *COUNTS), "--kind", "categorical", status=1)
    assert ["--totals", label] in ways(told)
    read = start("h.csv", "--kind", "categorical", "--totals", label)
    assert "options: x, y, z (3 " in read and "people: 1,000 for" in read
    listed = start("h.csv", "--kind", "categorical", "--levels", f"x | y | z | {label}")
    assert f"options: x, y, z, {label} (3 " in listed


def test_the_sum_of_some_others_is_an_answer(start):
    """As in 4 of 300 random tables of 3 questions with 10 options."""
    counts = [(31, 20, 11, 48), (25, 5, 20, 60), (40, 22, 18, 30)]
    rows = [(f"q{q}", f"o{o}", n) for q, row in enumerate(counts) for o, n in enumerate(row)]
    told = start(long("h.csv", rows, *COUNTS), "--kind", "categorical")
    assert "options: o0, o1, o2, o3 (3 of the questions)" in told


def many(questions: int, options: int, simulators: int = 1) -> list[str]:
    """Write questions with options of their own."""
    random.seed(1)
    labels = [
        (f"q{q}", f"text {q} {o} {q * 7 % 13}") for q in range(questions) for o in range(options)
    ]
    human = long("h.csv", [(*pair, random.randint(5, 60)) for pair in labels], *COUNTS)
    given = [(*p, f"m{i}", random.randint(2, 30)) for p in labels for i in range(simulators)]
    return [human, long("s.csv", given, "scenario", "value", "simulator", "count")]


def cpu(start, files: list[str]) -> float:
    begun = time.process_time()
    start(*files)
    return time.process_time() - begun


@pytest.mark.slow
def test_the_time_grows_with_the_number_of_options_not_with_its_square(start):
    start(*many(2, 4))  # imports
    small, large = cpu(start, many(60, 4)), cpu(start, many(240, 4))
    assert large < 6 * small + 0.5
    assert cpu(start, [*many(6, 500), "--discrepancy", "mmd_delta"]) < 10


@pytest.mark.slow
def test_what_is_told_does_not_depend_on_the_clock(start, monkeypatch):
    rows = [(q, o, n) for q in ("a", "b") for o, n in (("x", 31), ("y", 44), ("z", 75))]
    long("h.csv", [*rows, ("a", "NR", 3)], *COUNTS)
    fast = start("h.csv", "--kind", "categorical", status=1)
    clock = iter(range(0, 10**9, 1000))
    monkeypatch.setattr(faults, "monotonic", lambda: float(next(clock)), raising=False)
    assert start("h.csv", "--kind", "categorical", status=1) == fast


# ---------------------------------------------------------------------------- codes of no answer


def wide(path: str, **columns) -> str:
    """Write a wide file of a simulator."""
    pd.DataFrame({"simulator": "m", **columns}).to_csv(path, index=False)
    return path


SPANISH = {77: "No contesta", 88: "No sabe"}
ENGLISH = {77: "Refusal", 88: "Don't know"}
GSS = {77: "IAP", 88: "DK/NA"}
CODED = {77: "77. Inapplicable (IAP)", 88: "(VOL.) Don't know/No answer"}


@pytest.mark.slow
@pytest.mark.parametrize("labels", quick([ENGLISH, SPANISH, GSS, CODED], only=[ENGLISH]))
def test_labelled_codes_of_no_answer_do_not_stretch_a_scale(start, labels):
    ends = {0: "not at all", 10: "completely", **labels}
    people = pd.DataFrame({"trust": [float(i % 11) for i in range(66)] + [77.0] * 4 + [88.0] * 5})
    kinds = {"trust": "ordinal"}
    pyreadstat.write_sav(
        people, "p.sav", variable_value_labels={"trust": ends}, variable_measure=kinds
    )
    wide("s.csv", trust=[i % 11 for i in range(44)])
    (way,) = ways(start("p.sav", "s.csv", status=1))
    assert way == ["--missing", "77", "--missing", "88"]
    told = start("p.sav", "s.csv", *way)
    assert "options: 0, 1, 2, 3, 4, 5 and 5 more (1 of the questions)" in told
    assert "missing answers: people 9" in told


STEPS = {1: "inte alls", 2: "lite", 3: "mycket"}
APART = [
    ("ordinal", {8: "vet ej", 9: "vill ej svara"}, [["8", "9"]]),
    ("nominal", {98: "vet ej", 99: "vill ej svara"}, [["98", "99"]]),
    ("nominal", {88: "Don't know", 99: "no procede"}, [["99"], ["88"]]),
    ("ordinal", {97: "Other", 98: "Don't know", 99: "Refused"}, [["97"], ["98", "99"]]),
    ("nominal", {97: "Other", 98: "Don't know", 99: "Refused"}, [["98", "99"]]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "none", "codes"), quick(APART, only=APART[:1]))
def test_codes_that_stand_apart_are_no_answers_in_any_language(start, measure, none, codes):
    labels = STEPS | none
    people = pd.DataFrame({"q": [1.0, 2.0, 3.0] * 20 + [float(code) for code in none] * 2})
    pyreadstat.write_sav(
        people, "p.sav", variable_value_labels={"q": labels}, variable_measure={"q": measure}
    )
    wide("s.csv", q=[*STEPS.values()] * 9)
    offered = ways(start("p.sav", "s.csv", status=1))
    assert offered == [[part for code in some for part in ("--missing", code)] for some in codes]
    told = start("p.sav", "s.csv", *(part for way in offered for part in way))
    kept = set(labels) - {int(code) for some in codes for code in some}
    assert f"options: {', '.join(labels[code] for code in sorted(kept))} (1 of" in told
    listed = ["--levels", " | ".join(labels.values()), "--kind", "categorical"]
    assert "missing answers: none" in start("p.sav", "s.csv", *listed)


@pytest.mark.slow
def test_a_label_of_an_end_of_a_scale_is_an_answer(start):
    people = pd.DataFrame({"q": [1.0, 2.0, 3.0, 4.0, 5.0] * 9})
    pyreadstat.write_sav(people, "p.sav", variable_value_labels={"q": {1: "inte alls", 5: "helt"}})
    wide("s.csv", q=["inte alls", 2, 3, 4, "helt"] * 6)
    told = start("p.sav", "s.csv", status=1)
    assert "'inte alls' is no option" in told
    assert not any(way[0] == "--missing" for way in ways(told))


@pytest.mark.slow
def test_a_code_that_is_an_answer_elsewhere_is_missing_in_its_question_only(start):
    people = pd.DataFrame({"a": [float(i % 11) for i in range(66)], "b": [1.0, 2.0, 8.0] * 22})
    labels = {"a": {0: "low", 10: "high"}, "b": {1: "yes", 2: "no", 8: "Don't know"}}
    pyreadstat.write_sav(people, "p.sav", variable_value_labels=labels)
    wide("s.csv", a=[i % 11 for i in range(22)], b=[1, 2] * 11)
    (way,) = ways(start("p.sav", "s.csv", "--codes", "--kind", "ordinal", status=1))
    assert way == ["--missing-in", "b", "8"]
    told = start("p.sav", "s.csv", "--codes", "--kind", "ordinal", *way)
    assert "options: 1, 2 (1 of the questions)" in told and "people 22" in told


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", quick([["--codes"], ["--codes", "--kind", "ordinal"]], only=[["--codes"]])
)
def test_codes_with_labels_of_no_answer_are_asked_about(start, options):
    people = pd.DataFrame({"trust": [1, 2, 3, 4] * 14 + [-8] * 10 + [-9] * 14})
    labels = {1: "a lot", 2: "some", 3: "little", 4: "none", -8: "Don't know", -9: "Refused"}
    pyreadstat.write_dta(people, "p.dta", variable_value_labels={"trust": labels})
    wide("s.csv", trust=[1, 2, 3, 4] * 14)
    (way,) = ways(start("p.dta", "s.csv", *options, status=1))
    assert way == ["--missing", "-9", "--missing", "-8"]
    assert "options: 1, 2, 3, 4 (1 of" in start("p.dta", "s.csv", *options, *way)
    listed = start("p.dta", "s.csv", *options, "--levels", "-9 | -8 | 1 | 2 | 3 | 4")
    assert "options: -9, -8, 1, 2, 3, 4 (1 of" in listed


@pytest.mark.slow
def test_an_ordered_category_that_says_no_answer_is_asked_about(start):
    steps = ["never", "often", "always", "Don't know"]
    people = pd.DataFrame({"q": pd.Categorical(steps * 10, categories=steps, ordered=True)})
    people.to_parquet("p.parquet")
    wide("s.csv", q=steps[:3] * 8)
    (way,) = ways(start("p.parquet", "s.csv", status=1))
    assert way == ["--missing", "Don't know"]
    assert "options: never, often, always (1 of" in start("p.parquet", "s.csv", *way)


WORDS = ["Inapplicable", "IAP", "NR", "No contesta", "-9. Refused"]


@pytest.mark.slow
@pytest.mark.parametrize("word", quick(WORDS, only=["NR"]))
def test_words_of_no_answer_are_no_options_of_text(start, word):
    long("p.csv", [["yes"], ["no"], ["no"], [word]] * 10, "q")
    wide("s.csv", q=["yes", "no"] * 20)
    (way,) = ways(start("p.csv", "s.csv", status=1))
    assert way == ["--missing", word]
    assert "options: no, yes (1 of" in start("p.csv", "s.csv", *way)


def test_steps_of_scales_are_no_words_of_no_answer(start):
    steps = ["trifft nicht zu", "teils teils", "trifft zu", "None"]
    long("p.csv", [[step] for step in steps[:3]] * 10, "q")
    assert "missing answers: none" in start("p.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "last"), quick([("1234", "6"), ("1234567", "9")], only=[("1234", "6")])
)
def test_a_number_beyond_a_gap_that_only_people_give_is_asked_about(start, steps, last):
    long("p.csv", [[step] for step in steps * 9 + last], "q")
    wide("s.csv", q=[*steps] * 4)
    told = start("p.csv", "s.csv", status=1)
    assert ways(told) == [["--missing", last]] and f"{last}: missing?" in told
    assert "missing answers: people 1" in start("p.csv", "s.csv", "--missing", last)
    listed = ["--levels", " | ".join(steps + last)]
    assert "missing answers: none" in start("p.csv", "s.csv", *listed)
    wide("s.csv", q=[*steps, last] * 4)
    assert "missing answers: none" in start("p.csv", "s.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "simulator"), quick([("1234", "0123"), ("01", "12")], only=[("01", "12")])
)
def test_codes_of_one_scale_from_0_and_from_1_are_asked_about(start, people, simulator):
    long("p.csv", [[step] for step in people * 9], "q")
    wide("s.csv", q=[*simulator] * 4)
    told = start("p.csv", "s.csv", status=1)
    ((option, levels),) = ways(told)
    assert "if so, mend one file" in told and option == "--levels"
    assert "(1 of the questions)" in start("p.csv", "s.csv", option, levels, "--kind", "ordinal")
    wide("s.csv", q=[*people, *simulator] * 4)
    assert "(1 of the questions)" in start("p.csv", "s.csv")
    long("p.csv", zip(people * 11, [*range(11)] * len(people), strict=True), "q", "other")
    wide("s.csv", q=[*simulator] * 11, other=[*range(11)] * len(people))
    told = start("p.csv", "s.csv", status=1)
    assert "if so, mend one file" in told and ways(told) == [["--scenarios", "FILE"]]


FRENCH = ["77 Refus", "88 Ne sait pas", "-9 Sans objet"]
CODED_ANSWERS = [
    [*map(str, range(11))],
    ["1 Pas du tout", "2 Un peu", "3 Beaucoup"],
    ["1 Pas du tout", "2", "3", "4", "5 Beaucoup"],
    ["Pas du tout", "Un peu", "Assez", "Beaucoup"],
]


@pytest.mark.slow
@pytest.mark.parametrize("answers", quick(CODED_ANSWERS, only=CODED_ANSWERS[:1]))
def test_labelled_codes_of_no_answer_are_all_named(start, answers):
    long("p.csv", [[label] for label in (answers * 3 + FRENCH)], "q")
    wide("s.csv", q=answers * 4)
    (way,) = ways(start("p.csv", "s.csv", status=1))
    assert {*way} == {"--missing", *FRENCH}
    told = start("p.csv", "s.csv", *way)
    assert "1\nmissing answers, refused: people 1\nmissing answers, undecided: people 1\n" in told


def test_options_that_begin_with_a_number_of_no_code_are_answers(start):
    ages, maybe = ["18 to 44", "45 to 65", "66 or more"], ["1 Yes", "2 No", "3 Maybe"]
    for some in (["2 people", "Alone", "Family"], ages, maybe):
        assert "missing answers: none" in start(long("p.csv", [[one] for one in some * 9], "q"))
    other = ["1. Left", "2. Right", "3. Centre", "8. Other"]
    long("p.csv", [[one] for one in other * 9], "q")
    wide("s.csv", q=other * 4)
    assert "missing answers: none" in start("p.csv", "s.csv")


@pytest.mark.slow
@pytest.mark.parametrize("most", quick([5, 3], only=[3]))
def test_codes_of_labelled_ends_are_answers_and_those_of_no_answer_none(start, most):
    steps = range(1, most + 1)
    asked = [("q1", step) for step in (*steps, *steps)]
    long("p.csv", [*asked, ("q1", 88)], "scenario", "value")
    long("s.csv", [(*row, "m") for row in asked], "scenario", "value", "simulator")
    ends = [f"1 Not at all | {most} Very | 88 Don't know"]
    inner = " | ".join(map(str, steps[1:-1]))
    whole = f"1 Not at all | {inner} | {most} Very | 88 Don't know"
    labelled = ["--scenarios", long("q.csv", [("q1", whole)], "scenario", "options")]
    told = start("p.csv", "s.csv", *labelled, status=1)
    recoded, missing = ways(told)
    assert recoded == ["--recode", "1", "1 Not at all", "--recode", f"{most}", f"{most} Very"]
    assert missing == ["--missing", "88"]
    read = start("p.csv", "s.csv", *labelled, *recoded, *missing)
    assert "missing answers: people 1\n" in read and f"1 Not at all, {inner[0]}" in read
    long("q.csv", [("q1", *ends)], "scenario", "options")
    assert ways(start("p.csv", "s.csv", *labelled, status=1)) == [recoded, missing]
    told = start("p.csv", "s.csv", *labelled, *recoded, *missing, status=1)
    assert "--missing" not in told and "add it to the options" in told
    long("q.csv", [("q1", whole), ("q2", " | ".join(map(str, steps)))], "scenario", "options")
    for path in ("p.csv", "s.csv"):
        table = pd.read_csv(path)
        pd.concat([table, table.assign(scenario="q2").iloc[: len(asked)]]).to_csv(path, index=False)
    told = start("p.csv", "s.csv", *labelled, status=1)
    assert "write the number alone" in told and ways(told) == [missing]


# ----------------------------------------------------------------------- remedies that lead on


@pytest.mark.slow
def test_brackets_in_names_of_columns_stand_for_themselves(start):
    cells = {"q1": [1, 2, 3, 4, 5] * 6, "rate[SQ1]": ["", 1] * 15}
    pd.DataFrame(cells).to_csv("p.csv", index=False)
    wide("s.csv", **cells)
    told = start("p.csv", "s.csv", "--kind", "ordinal", status=1)
    assert ["--multiple", "rate[SQ1]"] in ways(told)
    ticked = start("p.csv", "s.csv", "--kind", "ordinal", "--multiple", "rate[SQ1]")
    assert "options: 0, 1 (1 of the questions)" in ticked


def test_a_pattern_that_is_the_name_of_a_column_is_no_other_column(start):
    pd.DataFrame({"Q1a": [1, 2] * 9, "Q1[ab]": [1, 2, 3] * 6}).to_csv("p.csv", index=False)
    told = start("p.csv", "--questions", "Q1[ab]")
    assert "questions: 1\n" in told and "options: 1, 2, 3 (1 of" in told


def test_a_decimal_comma_of_a_qualtrics_export_is_read(start):
    head = (
        "StartDate,EndDate,Finished,ResponseId,Q1\nStart Date,End Date,Finished,Response ID,Hours\n"
    )
    ids = ",".join(
        f'"{{""ImportId"": ""{n}""}}"' for n in ("startDate", "endDate", "f", "_r", "QID1")
    )
    rows = "".join(f'2024,2024,True,R_{i},"{i % 7},5"\n' for i in range(30))
    Path("p.csv").write_text(f"{head}{ids}\n{rows}")
    Path("s.csv").write_text("scenario;simulator;value\n" + "Q1;m;0,5\nQ1;m;2,5\n" * 9)
    bounded = ["--kind", "bounded", "--bounds", "0", "10"]
    told = start("p.csv", "s.csv", *bounded, "--decimal", ",")
    assert "answers: 7 different numbers, 0.5 to 6.5" in told


@pytest.mark.slow
def test_options_that_differ_in_one_question_are_offered_as_levels(start):
    given = {"a": "1234567", "b": "1234567", "c": "156"}
    long("p.csv", [(q, s) for q, steps in given.items() for s in steps], "scenario", "value")
    others = {**given, "c": "234"}
    rows = [(q, s, "m") for q, steps in others.items() for s in steps]
    long("s.csv", rows, "scenario", "value", "simulator")
    way = ["--levels", "1 | 2 | 3 | 4 | 5 | 6 | 7"]
    assert way in ways(start("p.csv", "s.csv", status=1))
    assert "1, 2, 3, 4, 5, 6 and 1 more (3 of the questions)" in start("p.csv", "s.csv", *way)


@pytest.mark.slow
def test_true_of_spreadsheets_and_of_json_is_one_answer(start):
    pd.DataFrame({"q1": [True, False, True] * 5, "q2": [False, True, True] * 5}).to_excel(
        "p.xlsx", index=False
    )
    rows = [
        f'{{"scenario": "q{1 + i % 2}", "simulator": "m", "value": {v}}}'
        for i in range(8)
        for v in ("true", "false")
    ]
    Path("s.jsonl").write_text("\n".join(rows))
    assert "options: FALSE, TRUE (2 of the questions)" in start("p.xlsx", "s.jsonl")
    pd.DataFrame({"q1": [True, False], "q2": [True, False]}).to_csv("p.csv", index=False)
    assert "(2 of the questions)" in start("p.csv", "s.jsonl")


@pytest.mark.slow
def test_no_remedy_leaves_out_all_questions(start):
    long("p.csv", [[age] for age in range(20, 60)], "age")
    wide("s.csv", age=range(20, 60))
    told = start("p.csv", "s.csv", "--kind", "bounded", "--bounds", 0, 120, status=1)
    assert ways(told) == [["--questions", "age"]]
    start("p.csv", "s.csv", "--kind", "bounded", "--bounds", 0, 120, "--questions", "age")
    long("p.csv", [(1, 5), (1, 5)], "a", "b")
    assert not any("--ignore" in way for way in ways(start("p.csv", "--kind", "ordinal", status=1)))


@pytest.mark.slow
def test_a_name_with_several_rows_is_not_offered_as_respondent(start):
    columns = {
        "ResponseId": [f"R{i // 2}" for i in range(20)],
        "q1": [1, 2] * 10,
        "q2": [2, 1] * 10,
    }
    pd.DataFrame(columns).to_csv("p.csv", index=False)
    wide("s.csv", **columns)
    assert "--respondent" not in start("p.csv", "s.csv", status=1)


@pytest.mark.slow
def test_questions_are_offered_by_names_or_by_the_word_pattern(start):
    columns = {f"{chr(97 + i)}{i}x": [1, 2] * 10 for i in range(15)} | {"age": list(range(20))}
    pd.DataFrame(columns).to_csv("p.csv", index=False)
    wide("s.csv", **columns)
    told = start("p.csv", "s.csv", status=1)
    assert "--questions PATTERN" in told and "--questions ..." not in told


def test_log_probabilities_are_no_rows_to_delete(start):
    long("p.csv", [("a", v) for v in "xyxyx"] + [("b", v) for v in "xyyy"], "scenario", "value")
    rows = [(q, v, "m", p) for q in "ab" for v, p in (("x", -0.105), ("y", -2.303))]
    long("s.csv", rows, "scenario", "value", "simulator", "probability")
    told = start("p.csv", "s.csv", status=1)
    assert "logarithms of probabilities" in told and "delete the row" not in told


@pytest.mark.slow
def test_a_long_option_pads_no_other(start):
    labels = [f"a rather long answer of many words, number {i}" for i in range(9)]
    long("p.csv", [[f"{label}."] for label in labels] + [["Refused"]], "q")
    wide("s.csv", q=labels)
    assert " " * 70 not in start("p.csv", "s.csv", status=1)


SPENDING = ["Too much", "About right", "Too little"]


FORMS = ["{} - because it is so.", "My answer is: {}", "{}. I read it there."]
LISTED = ["--levels", " | ".join(SPENDING), "--kind", "ordinal"]


@pytest.mark.slow
@pytest.mark.parametrize("form", quick(FORMS, only=FORMS[:1]))
@pytest.mark.parametrize("listed", quick([[], LISTED], only=[[]]))
def test_an_option_within_a_text_is_proposed(start, form, listed):
    long("p.csv", [[label] for label in SPENDING] * 9, "q")
    wide("s.csv", q=[*SPENDING, *map(form.format, SPENDING)] * 5)
    told = start("p.csv", "s.csv", *listed, status=1)
    (way,) = (way for way in ways(told) if way[0] == "--recode")
    read = start("p.csv", "s.csv", *listed, *way)
    assert "simulator m: answers all 1 questions, 30 times each" in read
    assert "missing answers: none" in read and "(1 of the questions)" in read


def test_an_option_within_a_text_is_never_unparsable_without_a_word(start):
    long("p.csv", [[label] for label in SPENDING] * 9, "q")
    wide("s.csv", q=[*SPENDING, "My answer is: Too much", "Hard to say"] * 5)
    listed = ["--levels", " | ".join(SPENDING), "--unlisted", "unparsable"]
    told = start("p.csv", "s.csv", *listed)
    assert "note: s.csv: 'My answer is: Too much' seems to answer 'Too much'" in told
    assert "'Hard to say' seems" not in told


@pytest.mark.parametrize("text", ["Agree somewhat", "Agree - but I also disagree", "Agreeable"])
def test_a_text_that_names_several_options_or_another_is_no_option(text):
    from fidelity_study.reading.ingest.parse import option_named

    assert option_named(text, ["Agree", "Disagree"]) is None


def test_questions_left_out_of_people_are_left_out_of_simulators(start):
    pd.DataFrame({"a": [1, 2] * 9, "b": [1, 2] * 9}).to_csv("p.csv", index=False)
    long("s.csv", [(q, v, "m") for q in "ab" for v in (1, 2)], "scenario", "value", "simulator")
    assert "questions: 1" in start("p.csv", "s.csv", "--questions", "a")


NETS = ["Net approve", "Approve (NET)", "Zustimmung gesamt", "Top 2 box"]


@pytest.mark.slow
@pytest.mark.parametrize("net", quick(NETS, only=["Net approve"]))
def test_an_option_named_as_a_net_is_asked_about(start, net):
    net = net.replace(" gesamt", ", gesamt")
    options = ["Strongly approve", "Somewhat approve", "Disapprove"]
    sums = {"a": (31, 22, 40), "b": (28, 35, 29)}
    rows = [(q, o, n) for q, many in sums.items() for o, n in zip(options, many, strict=True)]
    nets = [(q, net, many[0] + many[1]) for q, many in sums.items()]
    files = [long("h.csv", rows + nets, *COUNTS), long("s.csv", rows, *COUNTS)]
    kind = ["--kind", "categorical"]
    told = start(*files, *kind, status=1)
    assert ["--totals", net] in ways(told)
    assert "(2 of the questions)\npeople: 92 to 93" in start(*files, *kind, "--totals", net)
    assert net in start(*files, *kind, "--levels", " | ".join([*options, net]))


def test_words_that_begin_or_end_as_nets_do_are_options(start):
    rows = [(q, o, n) for q in "ab" for o, n in (("Internet", 9), ("Netflix", 7), ("Totally", 5))]
    assert "Internet" in start(long("h.csv", rows, *COUNTS), "--kind", "categorical")


@pytest.mark.slow
def test_negative_codes_beside_labelled_answers_are_asked_about(start):
    labels = {-5: "nicht enthalten", -2: "trifft nicht zu", 1: "viel", 2: "wenig", 3: "keine"}
    people = pd.DataFrame(
        {"sorge": [1, 2, 3, -2, -5] * 9 + [-1], "lage": [1, 3, 2, 2, 1] * 9 + [3]}
    )
    given = {"sorge": {**labels, -1: "keine Angabe"}, "lage": {k: labels[k] for k in (1, 2, 3)}}
    pyreadstat.write_dta(people, "p.dta", variable_value_labels=given)
    wide("s.csv", sorge=["viel", "wenig", "keine"] * 5, lage=["wenig", "keine", "viel"] * 5)
    kind = ["--kind", "ordinal"]
    all_codes = ["--missing", "-5", "--missing", "-2", "--missing", "-1"]
    assert all_codes in ways(start("p.dta", "s.csv", *kind, status=1))
    (way,) = ways(start("p.dta", "s.csv", *kind, "--missing", "-1", status=1))
    assert way == all_codes[:4]
    told = start("p.dta", "s.csv", *kind, "--missing", "-1", *way)
    assert "options: viel, wenig, keine (2 of the questions)" in told


def test_labelled_scales_around_zero_keep_their_negative_answers(start):
    labels = {-2: "worse", -1: "bit worse", 0: "same", 1: "bit better", 2: "better"}
    people = pd.DataFrame({"q": [-2, -1, 0, 1, 2] * 9, "r": [2, 1, 0, -1, -2] * 9})
    pyreadstat.write_dta(people, "p.dta", variable_value_labels={"q": labels, "r": labels})
    assert "worse, bit worse, same" in start("p.dta", "--kind", "ordinal")


@pytest.mark.slow
def test_codes_that_would_be_one_number_are_asked_about(start):
    rows = [(q, v) for q in "ab" for v in ("007", "7", "010")]
    told = start(long("p.csv", rows, "scenario", "value"), "--kind", "categorical", status=1)
    assert "'007', '010', '7' would be '10', '7'" in told and "a letter before each one" in told
    listed = start("p.csv", "--kind", "categorical", "--levels", "7 | 10")
    assert "options: 7, 10 (2 of the questions)" in listed
    once = [(q, v) for q in "ab" for v in ("007", "010")]
    assert "read as 7" in start(long("p.csv", once, "scenario", "value"), "--kind", "categorical")


@pytest.mark.slow
def test_numbers_that_a_spreadsheet_cuts_are_asked_about(start):
    people = pd.DataFrame({"q": ["a", "b"] * 9, "ean": [2**53 + i for i in range(2)] * 9})
    people.to_excel("p.xlsx", index=False)
    told = start("p.xlsx", "--kind", "categorical", status=1)
    assert "more digits than spreadsheets keep" in told and ways(told) == [["--ignore", "ean"]]
    assert "questions: 1" in start("p.xlsx", "--kind", "categorical", "--ignore", "ean")


@pytest.mark.slow
def test_facts_and_persons_in_other_languages_are_no_questions(start):
    rows = [(i, "FR" if i % 3 else "BE", "ab"[i % 2], "ab"[i // 2 % 2]) for i in range(60)]
    long("p.csv", rows, "pid", "pays", "q1", "q2")
    pd.DataFrame([row[1:] for row in rows], columns=["pays", "q1", "q2"]).to_csv(
        "m.csv", index=False
    )
    told = start("p.csv", "m.csv", "--respondent", "pid", status=1)
    assert ["--groups", "pays"] in ways(told) and ["--ignore", "pays"] in ways(told)
    assert "scenarios: 4" in start("p.csv", "m.csv", "--respondent", "pid", "--groups", "pays")
    assert "questions: 2" in start("p.csv", "m.csv", "--respondent", "pid", "--ignore", "pays")
    long("p.csv", [(i // 2, *row[1:]) for i, row in enumerate(rows)], "persnr", "pays", "q1", "q2")
    told = start("p.csv", "m.csv", "--ignore", "pays", status=1)
    assert "has each person in several rows" in told
    told = start("p.csv", "m.csv", "--ignore", "pays", "--respondent", "persnr", status=1)
    assert ways(told) == [["--attribute", "COL"]]


@pytest.mark.slow
def test_replicate_weights_are_offered_as_what_they_are(start):
    weights = {f"w_rep{i}": [1 + (i + j) % 3 / 2 for j in range(30)] for i in range(6)}
    people = {"w": [1.0, 1.5, 2.0] * 10, **weights, "a": ["x", "y"] * 15, "b": ["y", "y", "x"] * 10}
    pd.DataFrame(people).to_csv("p.csv", index=False)
    wide("m.csv", a=["x", "y"] * 9, b=["y", "x"] * 9)
    for named in (["--weight", "w"], []):
        told = start("p.csv", "m.csv", *named, status=1)
        assert ["--replicate-weights", "w_rep*"] in ways(told)
        assert not any(way[:2] == ["--weight", "w_rep0"] for way in ways(told))
    design = ["--weight", "w", "--replicate-weights", "w_rep*"]
    assert ["--replicate-method", "brr"] in ways(start("p.csv", "m.csv", *design, status=1))
    assert "6 replicate weights" in start("p.csv", "m.csv", *design, "--replicate-method", "brr")


@pytest.mark.slow
def test_fractions_that_no_simulator_answers_may_be_weights(start):
    questions = {"a": ["x", "y"] * 15, "b": ["y", "y", "x"] * 10}
    wide("m.csv", a=["x", "y"] * 9, b=["y", "x"] * 9)
    pd.DataFrame({"factor": [0.4, 1.0, 1.6] * 10, **questions}).to_csv("p.csv", index=False)
    told = start("p.csv", "m.csv", status=1)
    assert ["--weight", "factor"] in ways(told) and ["--ignore", "factor"] in ways(told)
    assert "as there is a column of weights" in start("p.csv", "m.csv", "--weight", "factor")
    replicates = {f"rep{i}": [(i + j) % 3 / 2 for j in range(30)] for i in range(6)}
    pd.DataFrame({"w": [1, 2, 3] * 10, **replicates, **questions}).to_csv("p.csv", index=False)
    told = start("p.csv", "m.csv", "--weight", "w", status=1)
    assert ["--replicate-weights", "rep*"] in ways(told)


# ------------------------------------------------------------------------------ limits of numbers


@pytest.mark.slow
def test_more_options_than_a_distance_takes_are_told_before_a_study_is_written(start):
    parties = [f"party {i:02}" for i in range(15)]
    people = [("vote", party, 10 + i) for i, party in enumerate(parties)]
    human = long("people.csv", people, *COUNTS)
    simulated = long("model.csv", people[::-1], *COUNTS)
    told = start(human, simulated, "--kind", "categorical", status=1)
    assert "up to 15 options, and tv takes at most 12" in told
    ((option, distance),) = ways(told)
    start(human, simulated, "--kind", "categorical", option, distance, "--yes", "--", "--dry-run")


def test_numbers_of_more_digits_than_a_number_holds_are_no_ranks(start):
    stamps = [("start", 1732700000000000000 + i) for i in range(30)]
    human = long("people.csv", stamps, "scenario", "value")
    simulated = long("model.csv", stamps[10:], "scenario", "value")
    told = start(human, simulated, "--kind", "real", status=1)
    assert "have more digits than a number holds" in told


# ------------------------------------------------------------------------ other languages, keys


@pytest.mark.slow
def test_a_key_with_codes_of_two_digits_and_a_weight_with_decimal_commas(start):
    """A census file in Polish: code 99 is no answer, and no simulator answers the weight."""
    words = {11: "wy\u017csze", 12: "\u015brednie", 13: "podstawowe", 99: "brak odpowiedzi"}
    codes = [[11, 12, 13, 99][i % 4] for i in range(80)]
    rows = [(code, f"{28 + i % 3},{500 + i}") for i, code in enumerate(codes)]
    pd.DataFrame(rows, columns=["WYKSZT", "WAGA"]).to_csv("p.csv", sep=";", index=False)
    key = [("WYKSZT", code, text) for code, text in words.items()]
    pd.DataFrame(key, columns=["zmienna", "kod", "etykieta"]).to_csv("k.csv", index=False)
    given = [("WYKSZT", [*words.values()][i % 3]) for i in range(30)]
    simulated = long("s.csv", given, "zmienna", "text")
    files = ["p.csv", simulated, "k.csv"]
    assert ["--scenario", "zmienna"] in ways(start(*files, status=1))
    named = [*files, "--scenario", "zmienna", "--value", "text"]
    told = start(*named, status=1)
    assert "p.csv, WAGA: weight?" in told
    assert ["--decimal", ","] in ways(start(*named, "--weight", "WAGA", status=1))
    told = start(*named, "--weight", "WAGA", "--decimal", ",", status=1)
    assert ways(told) == [["--missing", "brak odpowiedzi"]]
    told = start(*named, "--weight", "WAGA", "--decimal", ",", "--missing", "brak odpowiedzi")
    assert "people: 60 for each question" in told and "a column of weights" in told


@pytest.mark.slow
def test_totals_and_nets_of_a_published_table_are_offered_as_such(start):
    shares = {"ST Favorable": 42.1, "Oui": 14.2, "Assez": 27.9, "Non": 57.9, "Ensemble": 100}
    rows = [(q, text, share, 583) for q in ("le prix", "le vote") for text, share in shares.items()]
    people = long("p.csv", rows, "Question", "Modalit\u00e9", "Pourcentage", "Base")
    given = [(q, text) for q in ("le prix", "le vote") for text in ("Oui", "Non", "Assez")] * 9
    simulated = long("s.csv", given, "question", "reponse")
    told = start(people, simulated, "--accept")
    assert "ST Favorable: total, Ensemble: total" in told
    assert "options: Assez, Non, Oui (2 of the questions)" in told


@pytest.mark.slow
def test_one_text_among_the_numbers_of_people_alone_is_asked_about(start):
    people = long("p.csv", [["q", step] for step in [1, 2, 3, 4, 5, "zz"] * 9], "scenario", "value")
    simulated = long("s.csv", [["q", step] for step in [1, 2, 3, 4, 5] * 9], "scenario", "value")
    assert ["--missing", "zz"] in ways(start(people, simulated, status=1))
    told = start(people, simulated, "--accept")
    assert "people: 45 for each question" in told and "kind of outcome: ordinal" in told


def test_texts_that_negate_an_option_or_name_two_are_not_proposed_as_one(start):
    options = ["Agree", "Neutral", "Disagree"]
    people = long("p.csv", [["q", text] for text in options * 9], "scenario", "value")
    odd = ["Not Agree", "I agree with neither", "Agree or Disagree", "Agree, but Neutral"]
    given = [["q", text] for text in [*odd, *options * 9]]
    told = start(people, long("s.csv", given, "scenario", "value"), "--accept")
    assert "options: Disagree, Neutral, Agree (1 of the questions)" in told
    assert "simulator s: answers all 1 questions, 27 times each" in told
