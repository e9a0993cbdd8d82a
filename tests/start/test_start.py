"""The command `start`: what it says of files, the config that it writes, and what it refuses."""

import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from small_study import REPOSITORY

from fidelity_study.app.start.faults import FaultsError, understood
from fidelity_study.app.start.look import INGEST
from fidelity_study.app.start.request import Request
from fidelity_study.config.params import step
from fidelity_study.config.study import Study
from fidelity_study.reading.tabular.assemble import responses

EXAMPLE = REPOSITORY / "config" / "example"
QUESTIONS = [f"q{i}" for i in range(1, 5)]
HEADER, SIMULATORS = "scenario,value,count\n", "scenario,simulator,value,count\n"


def rows(*options: str, by: str = "") -> str:
    """Return rows of a long file: each option with a count in each question."""
    return "".join(
        f"{question},{by}{option},{10 + 3 * i + 2 * j}\n"
        for i, question in enumerate(QUESTIONS)
        for j, option in enumerate(options)
    )


def wide(levels: int, people: int = 30, **columns) -> str:
    """Return a wide file: whole numbers from 1, and further columns before them."""
    answers = {
        question: [1 + (i + j) % levels for i in range(people)]
        for j, question in enumerate(QUESTIONS)
    }
    return pd.DataFrame({**columns, **answers}).to_csv(index=False)


LONG = {
    "human.csv": HEADER + rows("never", "sometimes", "always"),
    "simulated.csv": SIMULATORS + rows("never", "sometimes", "always", by="model,"),
}
WIDE = {"people.csv": wide(5), "gpt.csv": wide(5, 12), "claude.csv": wide(5, 12)}


def settings(path: str = "human.yaml", name: str = "human") -> dict:
    """Return the dataset of a config, which is sound."""
    config = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    Study(config)
    return config["datasets"][name]


def tables(config: dict, name: str):
    """Return what the study takes from the files."""
    return responses(step(Study(config), INGEST, name))


# ---------------------------------------------------------------------- what is said and written


def test_a_long_file_with_counts(start):
    told = start(LONG, "human.csv", "simulated.csv").splitlines()
    assert told[0].startswith("human.csv: long, as it has columns for the question (scenario)")
    assert told[0].endswith("column count has the number of such answers")
    for line in (
        "questions: 4",
        "options: never, sometimes, always (4 of the questions)",
        "people: 36 to 63 (median 49.5) for each question",
        "simulator model: answers all 4 questions, 36 to 63 (median 49.5) times each",
        "missing answers: none",
        "weights of people: none",
        "kind of outcome: ordinal, as answers are steps of a scale in words, from never to always",
        "wrote human.yaml",
    ):
        assert line in told
    (people,) = (line for line in told if line.startswith("same people in several questions"))
    assert "unknown" in people and "--respondents-repeat false says that nobody" in people
    assert told[-1].startswith("Run it: ") and told[-1].endswith(" run human.yaml")
    assert settings() == {
        "ingest": "tabular",
        "human": "human.csv",
        "simulated": "simulated.csv",
        "codebook": "human_codebook",
        "outcome": {"kind": "ordinal", "levels": ["never", "sometimes", "always"]},
        "cluster": "none",
        "simulators": ["model", "uniform", "pooled"],
    }


def test_what_is_noted_of_several_files_is_told_once(start):
    unsure = {name: text.replace("always", "don't know") for name, text in LONG.items()}
    told = start(unsure, "human.csv", "simulated.csv").splitlines()
    (note,) = (line for line in told if "counts as an option" in line)
    assert note.startswith("note: human.csv and simulated.csv: ")


def test_every_key_that_is_written_has_a_comment(start):
    start(LONG, "human.csv", "simulated.csv", "--missing", "never")
    lines = Path("human.yaml").read_text(encoding="utf-8").splitlines()
    keys = [line for line in lines if re.match(r" {4}\w+:|  [nk]:|  gamma:", line)]
    assert len(keys) == 11
    assert all(" # " in line for line in keys)


@pytest.mark.slow
def test_the_example_has_the_tables_of_its_own_config(here, start):
    files = {
        f"config/example/{path.name}": path.read_text(encoding="utf-8")
        for path in EXAMPLE.glob("*.csv")
    }
    folder = "config/example"
    told = start(
        files,
        f"{folder}/human.csv",
        f"{folder}/simulated.csv",
        "--scenarios",
        f"{folder}/scenarios.csv",
        "--name",
        "town survey",
        "--tolerance",
        "0.1",
    )
    assert "groups of questions: 2, by column topic" in told
    assert "missing answers: people 4, language_model 2" in told
    assert "taken for missing in config/example/human.csv: empty cells" in told
    ours = yaml.safe_load(Path("town_survey.yaml").read_text(encoding="utf-8"))
    assert ours["comparison"] == {"tolerance": {"tv": 0.1}}
    theirs = yaml.safe_load(EXAMPLE.with_suffix(".yaml").read_text(encoding="utf-8"))
    written, by_hand = tables(ours, "town_survey"), tables(theirs, "town_survey")
    for name in ("outcomes", "scenarios", "stated", "missing", "personas"):
        pd.testing.assert_frame_equal(getattr(written, name), getattr(by_hand, name))
    assert ours["datasets"]["town_survey"]["simulators"] == ["language_model", "uniform", "pooled"]


@pytest.mark.slow
def test_wide_files_are_a_simulator_each(start):
    told = start(WIDE, "people.csv", "gpt.csv", "claude.csv")
    assert "people.csv: wide, as no column is called scenario or value: each column is a" in told
    assert "gpt.csv: all of it is the simulator gpt, as no column simulator says who" in told
    assert "same people in several questions: yes" in told
    assert "kind of outcome: ordinal, as the answers are 1, 2, 3, 4, 5: few whole numbers" in told
    assert "--kind bounded --bounds LOWER UPPER" in told
    found = settings("people.yaml", "people")
    assert found["simulated"] == {"gpt": "gpt.csv", "claude": "claude.csv"}
    assert found["simulators"] == ["gpt", "claude", "uniform", "pooled"]


def test_a_column_of_groups_does_not_name_simulators(start):
    people = "scenario,region,value,count\n" + rows("never", "always", by="north,")
    stated = "scenario,region,value,probability\n" + "".join(
        f"{question},north,{option},0.5\n"
        for question in QUESTIONS
        for option in ("never", "always")
    )
    files = {"human.csv": people, "model.csv": stated}
    told = start(files, "human.csv", "model.csv", "--groups", "region")
    assert "all of it is the simulator model" in told
    assert "simulator model: states probabilities for all 4 questions" in told


@pytest.mark.slow
def test_files_of_the_same_name_are_simulators_by_their_folders(start):
    files = {"people.csv": WIDE["people.csv"], "a/x.csv": wide(5), "b/x.csv": wide(5)}
    start(files, "people.csv", "a/x.csv", "b/x.csv")
    assert settings("people.yaml", "people")["simulated"] == {"a_x": "a/x.csv", "b_x": "b/x.csv"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answers", "arguments", "kind", "why"),
    [
        (("0", "1"), (), {"kind": "binary"}, "0 and 1"),
        (("no", "yes"), (), {"kind": "binary"}, "no, yes everywhere"),
        (("1", "2", "3"), (), {"kind": "ordinal"}, "few whole numbers"),
        (("a", "b", "c"), (), {"kind": "categorical"}, "a, b, c"),
        (
            ("1", "2", "3"),
            ("--kind", "categorical"),
            {"kind": "categorical"},
            "as --kind or questions.csv says",
        ),
        (
            ("c", "a", "b"),
            ("--kind", "ordinal", "--levels", "a | b | c"),
            {"kind": "ordinal", "levels": ["a", "b", "c"]},
            "as --kind or questions.csv says",
        ),
        (("1.5", "2"), ("--kind", "real"), {"kind": "real"}, "as --kind or questions.csv says"),
        (
            ("1.5", "2"),
            ("--bounds", "0", "2.5"),
            {"kind": "bounded", "bounds": [0, 2.5]},
            "as --bounds gives the range",
        ),
    ],
)
def test_the_kind_of_outcome_is_told_with_its_reason(start, answers, arguments, kind, why):
    files = {
        "human.csv": HEADER + rows(*answers),
        "simulated.csv": SIMULATORS + rows(*answers, by="model,"),
    }
    told = start(files, "human.csv", "simulated.csv", *arguments)
    (line,) = [each for each in told.splitlines() if each.startswith("kind of outcome: ")]
    assert kind["kind"] in line and why in line
    assert settings()["outcome"] == kind
    assert ("--kind" in told.split(line)[1]) is ("--kind" not in arguments)


def refusing(answers: tuple[str, ...] = ("1", "2", "3", "I cannot say")) -> dict[str, str]:
    """Return files in which a simulator sometimes refuses in a text."""
    people = HEADER + rows("1", "2", "3")
    return {"human.csv": people, "simulated.csv": SIMULATORS + rows(*answers, by="model,")}


@pytest.mark.slow
def test_texts_that_are_no_answers_do_not_make_the_kind(start):
    told = start(refusing(), *LONG, "labels.csv: I cannot say: refused", "--levels", "1 | 2 | 3")
    assert "kind of outcome: ordinal, as the answers are 1, 2, 3" in told
    assert "missing answers, refused: model" in told


@pytest.mark.slow
def test_what_texts_mean_that_the_list_lacks_is_proposed_for_all_at_once(start):
    said = "As a man of 30: I'd say 2"
    files = refusing(("1", "2", "3", "it depends", said))
    told = start(files, *LONG, "--levels", "1 | 2 | 3", status=1)
    assert "*: refused in labels.csv" not in told
    assert "labels.csv: it depends: unparsable?" in told and f"labels.csv: {said}: 2?" in told


@pytest.mark.slow
def test_a_stray_text_and_a_copy_of_people_are_told_before_all_that_was_read(start):
    people = HEADER + "".join(f"{name},agree,150\n{name},disagree,80\n" for name in QUESTIONS)
    copied = "".join(f"{name},m,agree,75\n{name},m,disagree,40\n" for name in QUESTIONS)
    files = {
        "human.csv": people,
        "m.csv": SIMULATORS + copied + "q1,other,agree,30\nq1,other,agre,1\n",
    }
    assert "labels.csv: agre: agree?" in start(files, "human.csv", "m.csv", status=1)
    told = start(files, "human.csv", "m.csv", "--missing", "agre")
    assert told.index("is it a copy") < told.index("\nquestions: 4")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "limit"), [((), "0.04"), (("--kind", "bounded", "--bounds", 0, 100), "100")]
)
def test_the_limit_that_is_drafted_is_the_usual_one(start, kind, limit):
    """Of squared gaps of means: a tenth of the scale, squared; steps are from -1 to 1."""
    rows = "scenario,value\n" + "".join(f"q{i % 2},{1 + i % 5}\n" for i in range(100))
    files = {"people.csv": rows, "model.csv": rows}
    start(files, *files, "--accept", "--discrepancy", "squared", "--name", "study", *kind)
    assert f"tolerance: {{squared: {limit}}}" in Path("study.yaml").read_text("utf-8")


@pytest.mark.slow
def test_a_tolerance_in_percent_is_refused(start):
    told = start(refusing(), *LONG, "--tolerance", 5, "--discrepancy", "tv", status=1)
    assert "--tolerance: 5 of tv allows any answers" in told and "did you mean 0.05?" in told


@pytest.mark.slow
def test_an_unclear_tolerance_is_told_with_the_faults_of_files(start):
    given = ("--tolerance", 0.1, "labels.csv: *: refused")
    told = start(refusing(), *LONG, *given, status=1)
    assert "--tolerance: 0.1 of what?" in told
    assert "means in labels.csv: no options are listed" in told
    assert "list them under --levels" in told


@pytest.mark.sampled
@pytest.mark.parametrize("scales", [["trust=q1,-q2", "all=q1,q2,q3"], ["trust = q1, -q2"]])
def test_scales_are_lists_by_name(start, scales):
    files = dict.fromkeys(("human.csv", "simulated.csv"), wide(5))
    start(
        files,
        "human.csv",
        "simulated.csv",
        *(part for text in scales for part in ("--scales", text)),
    )
    expected = {"trust": ["q1", "-q2"], "all": ["q1", "q2", "q3"]}
    chosen = dict(list(expected.items())[: len(scales)])
    assert settings()["scales"] == chosen


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ("trust", "'trust' is not NAME=Q1,Q2"),
        ("trust=q1", "a list of two or more questions"),
        ("trust=q1,q99", "there is no question 'q99'"),
    ],
)
def test_scales_that_cannot_be_are_refused(start, scale, message):
    files = dict.fromkeys(("human.csv", "simulated.csv"), wide(5))
    assert message in start(files, "human.csv", "simulated.csv", "--scales", scale, status=1)


STEPS = "q1,q2,q3,q4\n" + "".join(f"{1 + i % 4},{4 - i % 4},{1 + i},{10 - i}\n" for i in range(10))
MIXED = dict.fromkeys(("human.csv", "simulated.csv"), STEPS)


def test_a_codebook_that_cannot_be_written_is_refused(start, here):
    (here / "town_codebook").write_bytes(b"a file")
    said = start(MIXED, *MIXED, "--out", "town.yaml", status=1)
    assert "town_codebook: cannot be written" in said
    assert (here / "town_codebook").read_bytes() == b"a file"


def test_weights_respondents_and_columns_that_are_not_read(start):
    weights = np.linspace(0.5, 1.5, 30)
    text = wide(5, id=[f"p{i}" for i in range(30)], wt=weights, age=range(20, 50))
    given = ("--respondent", "id", "--weight", "wt", "columns.csv: age: ignore")
    told = start({"people.csv": text}, "people.csv", *given)
    assert "without weights, as there is a column of weights" in told
    assert "not read in people.csv: age" in told
    assert settings("people.yaml", "people")["columns"] == {"weight": "wt", "respondent": "id"}


@pytest.mark.parametrize(
    ("option", "cell"),
    [("--wave", "use in columns.csv"), ("--missing-in", "means in labels.csv")],
)
def test_an_option_that_is_a_cell_is_refused_with_its_column(start, option, cell):
    assert f"{option}; a cell of the codebook says it, {cell}" in start(
        LONG, *LONG, option, "x", status=2
    )


def test_any_name_of_a_file_can_be_written_down(start):
    name = 'people\'s: #1\n- [a] & "b".csv'
    start({name: LONG["human.csv"]}, name, "--out", "study.yaml", "--name", "people")
    assert settings("study.yaml", "people")["human"] == name


def test_many_people_are_also_compared_with_fewer(start):
    start({"people.csv": wide(5, 250)}, "people.csv")
    grid = yaml.safe_load(Path("people.yaml").read_text(encoding="utf-8"))["grid"]
    assert grid == {"n": [100, "all"], "k": ["all"], "gamma": "envelope"}


def test_the_name_is_that_of_the_folder(start):
    start({f"my answers/{name}": text for name, text in LONG.items()}, "my answers/human.csv")
    assert settings("my_answers.yaml", "my_answers")["human"] == "my answers/human.csv"


# ---------------------------------------------------------------------------------------- faults

UNASKED = "q9,model,never,5\nq9,model,always,5\n"
IN_REGIONS = {name: "\n".join(text.splitlines()[:4]) + "\n" for name, text in LONG.items()}
# name: (what is told, files, options of the command, options that mend it)
FAULTS = {
    "both files at once": (
        ["simulated.csv: has no column 'simulator'", "human.csv, column 'n'", "wer: simulator?"],
        {
            "human.csv": LONG["human.csv"].replace("count", "n"),
            "simulated.csv": LONG["simulated.csv"].replace("simulator", "wer"),
        },
        "",
        "--simulator wer 'columns.csv: n: count'",
    ),
    "groups of people": (
        ["human.csv, row 5", "simulated.csv, row 5", "put --groups region", "--groups region"],
        {
            name: text.replace("scenario,", "scenario,region,").replace("q1,", "q1,north,")
            + text[len(text.partition("\n")[0]) + 1 :].replace("q1,", "q1,south,")
            for name, text in IN_REGIONS.items()
        },
        "",
        "--groups region",
    ),
    "scores by other names": (
        ["has columns correct, llm, as tables of scores do", "docs/howto/evaluations.md"],
        {"human.csv": "item,topic,llm,correct\nq1,t,human,1\nq1,t,A,1\n"},
    ),
    "a column that is named": (
        [
            "has a column 'event' (scenario), but the form is not clear",
            "simulated.csv, who and 1 more: ...?",
        ],
        {
            "human.csv": "event,happened\ne1,1\ne2,0\n",
            "simulated.csv": "event,who,said\ne1,A,yes\ne2,A,no\n",
        },
        "'columns.csv: event: question'",
    ),
    "an option of logs": (["--margin: of", "docs/howto/evaluations.md"], LONG, "--margin 0"),
    "persons and weights": (
        ["--weight w", "columns.csv: human.csv, w: weight?"],  # id and age are told, not asked
        {
            "human.csv": wide(5, id=range(30), w=[0.5] * 30, age=range(20, 50)),
            "simulated.csv": wide(5),
        },
    ),
    "an option that one question lacks": (
        ["--levels '1 | 2 | 3 | 4 | 5'"],
        {"human.csv": (HEADER + rows("1", "2", "4")).replace("q1,2", "q1,5")},
        "",
        "--levels '1 | 2 | 3 | 4 | 5'",
    ),
    "numbers": (
        ["--kind bounded --bounds LOWER UPPER", "--kind real"],
        {"human.csv": HEADER + rows("1.5", "2", "3")},
    ),
    "columns that are not there": (
        ["--weight: no file", "--respondent: no file", "mean 'count'?"],
        LONG,
        "--weight cuont --respondent who",
    ),
    "questions that nobody was asked, and codes": (
        ["labels.csv: n/a: missing?", "scenario 'q9' is not in human.csv", "--predict"],
        {
            "human.csv": LONG["human.csv"].replace("q1,never", "q1,n/a"),
            "simulated.csv": LONG["simulated.csv"] + UNASKED,
        },
        "",
        "--missing n/a --predict",
    ),
    "people's facts in a simulator's file": (
        ["of people or of simulators?", "columns.csv: human.csv, sex: group?"],
        {
            "human.csv": LONG["human.csv"].replace("\n", ",f\n").replace("count,f", "count,sex"),
            "simulated.csv": "scenario,sex,value\nq1,f,never\nq1,m,never\n",
        },
    ),
    "files that are not there": (["human.csv is not there", "simulated.csv is not there"], {}),
    "numbers and no simulator": (
        ["no file of one is named"],
        {"human.csv": HEADER + rows("1.5", "2")},
        "--kind real",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", FAULTS)
def test_faults_are_told_with_the_options_that_mend_them(start, case):
    wanted, files, options, mended = (*FAULTS[case], "", "")[:4]
    named = [name for name in ("human.csv", "simulated.csv") if name in files or not files]
    told = start(files, *named, *shlex.split(options), status=1)
    assert all(each in told for each in wanted), told
    if mended:
        start({}, *named, *shlex.split(mended))


@pytest.mark.slow
def test_a_config_is_not_written_over(here, start):
    start(LONG, "human.csv", "simulated.csv")
    (here / "human.yaml").write_text("datasets: {mine: {}}", encoding="utf-8")
    told = start({}, "human.csv", "simulated.csv", status=1)
    assert told.startswith("human.yaml: is there already; to run it: ")
    assert "--force" in told and "--out FILE" in told
    assert (here / "human.yaml").read_text(encoding="utf-8") == "datasets: {mine: {}}"
    start({}, "human.csv", "simulated.csv", "--force")
    assert settings()["human"] == "human.csv"


def test_wrong_options_are_told_with_the_usage(start):
    assert "--kindd" in start(LONG, "human.csv", "--kindd", "x", status=2)


# --------------------------------------------------------------------------------------- running


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "fidelity_study", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}


@pytest.mark.parametrize(
    "answer",
    [pytest.param("y", marks=pytest.mark.minutes), pytest.param("n", marks=pytest.mark.slow)],
)
def test_on_a_terminal_it_asks_and_runs_the_study(here, answer):
    for name, text in WIDE.items():
        (here / name).write_text(text, encoding="utf-8")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("start", *WIDE, "--", "--cores", "2"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(),
    )
    os.close(theirs)
    told = ""
    while "Run it now? [Y/n]" not in told:
        part = _read(ours)
        assert part, told
        told += part
    assert (here / "people.yaml").is_file()
    os.write(ours, f"{answer}\n".encode())
    while part := _read(ours):
        told += part
    os.close(ours)
    assert process.wait() == 0, told
    assert (here / "results" / "people" / "report.html").is_file() is (answer == "y")
    run_it = "Run it: python -m fidelity_study run people.yaml --cores 2"
    assert (run_it in told) is (answer == "n")


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 4096).decode(errors="replace")
    except OSError:  # the other side is closed
        return ""


@pytest.mark.slow
def test_in_a_pipe_it_runs_only_if_told_to(here):
    for name, text in LONG.items():
        (here / name).write_text(text, encoding="utf-8")
    given = command("start", *LONG, "--yes", "--", "--cores", "1", "--dry-run")
    done = subprocess.run(given, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ingest_tabular" in done.stdout + done.stderr
    assert "Run it" not in done.stdout


@pytest.mark.slow
def test_a_question_of_one_answer_beside_other_scales_is_refused_by_its_name(start):
    files = {
        name: pd.DataFrame(
            {
                **{question: [1 + i % 5 for i in range(size)] for question in QUESTIONS},
                **{f"r{j}": [(i + j) % 2 for i in range(size)] for j in (1, 2)},
                "same": 3,
            }
        ).to_csv(index=False)
        for name, size in (("people.csv", 40), ("gpt.csv", 20))
    }
    said = start(files, "people.csv", "gpt.csv", status=1)
    assert "scenario 'same': everybody gives the same answer" in said
    assert "same: leave out?" in said
    assert "wrote" in start(files, "people.csv", "gpt.csv", "questions.csv: same: leave out")


@pytest.mark.slow
@pytest.mark.parametrize("levels, is_offered", [("1 | 2", False), ("1 | 2 | 3 | 4", True)])
def test_no_remedy_removes_most_answers(start, levels, is_offered):
    said = start(WIDE, *WIDE, "--levels", levels, status=1)
    assert "is no option of scenario" in said
    assert ("labels.csv: 5: missing?" in said) == is_offered


@pytest.mark.slow
def test_numbers_of_people_that_no_simulator_has_may_weigh_them_and_are_asked_for(tmp_path):
    """One of them is 0, as of people whom a survey leaves out."""
    human, simulated = tmp_path / "human.csv", tmp_path / "simulated.csv"
    rows = (f"{37 * i},{'yes' if i % 2 else 'no'},{'yes' if i % 3 else 'no'}" for i in range(60))
    human.write_text("\n".join(["factor_b,q1,q2", *rows]))
    simulated.write_text("simulator,q1,q2\n" + "m,yes,no\nm,no,yes\n" * 10)
    with pytest.raises(FaultsError) as refused:
        understood(Request(str(human), (str(simulated),)), lambda lines: None)
    assert "doubtful-columns" in [fault.code for fault in refused.value.faults]
