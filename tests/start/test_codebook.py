"""The three tables that ``start`` drafts: edited cells say what options say."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from cells import edit, start_with
from tabular_step import what_is_read

from fidelity_study.__main__ import main
from fidelity_study.app.start import cells as cells_of_start
from fidelity_study.app.start import flow
from fidelity_study.errors import DataError
from fidelity_study.reading.codebook import tables
from fidelity_study.reading.codebook.decided import LISTS, in_config, with_codebook
from fidelity_study.reading.codebook.doubts import Cell, Doubt, of_compared

UNDECIDED = 3
PEOPLE = "pid,w,wave,q1,q2,q3\n" + "".join(
    f"p{i},{1 + i // 5 % 3},{1 + i % 2},{1 + i % 5},{['yes', 'no', 'nope'][i % 3]},{'ab'[i % 2]}\n"
    for i in range(60)
)
MODEL = "w,wave,q1,q2,q3\n" + "".join(
    f"1,{1 + i % 2},{1 + i % 4},{('yes', 'no')[i % 2]},{('a', 'b')[i % 3 % 2]}\n" for i in range(40)
)
WIDE = {"p.csv": PEOPLE, "m.csv": MODEL}
LONG = {
    "p.csv": "id,land,item,answer\n"
    + "".join(
        f"{i},{'NP'[i % 2]},{item},{'yes' if (i + len(item)) % 3 else 'no'}\n"
        for i in range(40)
        for item in ("tax", "guns")
    ),
    "m.csv": "land,item,answer\n"
    + "".join(
        f"{'NP'[i % 2]},{item},{'yes' if i % 4 else 'no'}\n"
        for i in range(30)
        for item in ("tax", "guns")
    ),
}
OF_WIDE = ["p.csv", "m.csv", "--kind", "categorical"]
DECIDED = [*OF_WIDE, "--respondent", "pid", "--questions", "q*"]
OF_LONG = ["p.csv", "m.csv"]
NAMED = ["--respondent", "id"]


def cells(table, folder="s_codebook"):
    return tables.read(folder).tables[table]


def undecided(table):
    return [row for row in cells(table) if row["decided by"] == "?"]


def same(one, other):
    """Assert that two studies take the same from their files."""
    for name in ("outcomes", "stated", "missing", "by_respondent", "runs"):
        left, right = getattr(one, name), getattr(other, name)
        if left is not None or right is not None:
            left, right = (
                table.astype(object).sort_values(
                    [*table], ignore_index=True, key=lambda c: c.map(str)
                )
                for table in (left, right)
            )
            pd.testing.assert_frame_equal(left, right)
    columns = [name for name in one.scenarios if name in other.scenarios]
    pd.testing.assert_frame_equal(one.scenarios[columns], other.scenarios[columns])


def write(files):
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")


def started(arguments, status=0, out="s.yaml"):
    assert start_with([*arguments, "--out", out]) == status


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("table", "where", "values", "options"),
    [
        (
            "columns",
            {"column": "q3"},
            {"use": "ignore"},
            ["--questions", "q1", "--questions", "q2"],
        ),
        ("columns", {"file": "p.csv", "column": "w"}, {"use": "weight"}, ["--weight", "w"]),
        ("columns", {"file": "p.csv", "column": "w"}, {"use": "group"}, ["--groups", "w"]),
        (
            "questions",
            {"question": "q3"},
            {"use": "leave out"},
            ["--questions", "q1", "--questions", "q2"],
        ),
        ("questions", {"question": "q1"}, {"several": "yes"}, ["--multiple", "q1"]),
        ("labels", {"scale": "q2", "text": "nope"}, {"means": "missing"}, ["--missing", "nope"]),
        ("labels", {"scale": "", "text": "5"}, {"means": "missing"}, ["--missing", "5"]),
    ],
)
def test_an_edited_cell_is_an_option(here, table, where, values, options):
    """Whatever option a cell stands for, the study takes the same from the files."""
    write(WIDE)
    is_asked = "w" in options
    base = DECIDED if is_asked else [*DECIDED, "--weight", "w"]
    started(base, UNDECIDED if is_asked else 0)
    edit(table, where, **values)
    if is_asked:
        started(base)
    by_cell = what_is_read()
    said = [part for part in base if part not in ("--questions", "q*")]
    started([*(said if "--questions" in options else base), *options], out="o.yaml")
    same(by_cell, what_is_read("o.yaml"))
    started([*base, "--force"])
    same(by_cell, what_is_read())


def test_nothing_undecided_runs(here, capsys):
    write(LONG)
    started([*OF_LONG, *NAMED, "--yes"], UNDECIDED)
    told = capsys.readouterr().err
    assert "columns.csv: p.csv, land: group?" in told
    assert not Path("s.yaml").exists()
    (row,) = (row for row in cells("columns") if row["use"] == "?")
    assert (row["file"], row["column"], row["proposal"]) == ("p.csv", "land", "group")
    assert "ignore" in row["remark"]


def test_proposals_are_taken_where_the_user_says_so(here, capsys):
    write(LONG)
    started([*OF_LONG, *NAMED, "--accept"])
    assert "taken as proposed (1): p.csv, land: group" in capsys.readouterr().out
    (row,) = (row for row in cells("columns") if row["file"] == "p.csv" and row["column"] == "land")
    assert (row["use"], row["decided by"]) == ("group", "proposal")
    edit("columns", {"file": "p.csv", "column": "land"}, use="ignore")
    yours = {"you": ["p.csv, land: ignore"]}
    assert in_config({"codebook": "s_codebook"})["decided"] == yours  # as for a run
    started([*OF_LONG, *NAMED, "--force"])
    (row,) = (row for row in cells("columns") if row["file"] == "p.csv" and row["column"] == "land")
    assert (row["use"], row["decided by"]) == ("ignore", "you")
    told = capsys.readouterr().out
    assert "decided by you (1): p.csv, land: ignore" in told and "as proposed" not in told


PANEL = "id,wave,q1,q2\n" + "".join(
    f"{i},{wave},{(i + wave) % 3},{i % 3}\n" for i in range(1, 31) for wave in (1, 2)
)


@pytest.mark.sampled
@pytest.mark.parametrize(("use", "persons"), [("respondent", 30), ("ignore", 0)])
def test_whether_a_simulator_names_persons_changes_nothing_for_people(here, use, persons):
    """Both files number from 1; it is asked at once with what else is, and decided by a cell."""
    write({"p.csv": PANEL, "m.csv": PANEL})
    command = ["p.csv", "m.csv", "--respondent", "id"]
    started(command, UNDECIDED)
    asked = {(row["file"], row["column"]) for row in undecided("columns")}
    assert {("p.csv", "id"), ("m.csv", "id")} <= asked
    edit("columns", {"file": "m.csv", "column": "id"}, use=use)
    started([*command, "--accept"])
    read = what_is_read()
    assert read.by_respondent["respondent"].nunique() == 30
    assert (0 if read.runs is None else read.runs["respondent"].nunique()) == persons


@pytest.mark.slow
def test_an_option_overrules_what_was_accepted_before(here):
    """What was proposed and accepted is no decision of the user's; an option is."""
    odd = "1,N,tax,Ja!\n2,P,tax,99\n"
    write({**LONG, "m.csv": LONG["m.csv"] + odd.replace("1,", "").replace("2,", "")})
    command = [*OF_LONG, *NAMED]
    started([*command, "--accept"])
    command += ["--missing", "Ja!"]
    started([*command, "--force", "--accept"])
    by_option = what_is_read()
    started([*command, "--accept"], out="o.yaml")
    same(by_option, what_is_read("o.yaml"))
    rows = [row for row in cells("labels") if "Ja!" in row.values()]
    assert all(row["decided by"] != "proposal" for row in rows)


def test_an_option_and_a_cell_that_contradict_each_other_are_refused(here, capsys):
    write(LONG)
    started([*OF_LONG, *NAMED], UNDECIDED)
    edit("columns", {"file": "p.csv", "column": "land"}, use="ignore")
    started([*OF_LONG, *NAMED])
    capsys.readouterr()
    started([*OF_LONG, *NAMED, "--force", "--groups", "land"], 1)
    told = capsys.readouterr().err
    assert "p.csv, land is 'ignore' in columns.csv" in told and "--groups" in told
    started([*OF_LONG, *NAMED, "--force"])


def test_what_is_decided_stays_when_files_are_read_again(here, capsys):
    write(LONG)
    started([*OF_LONG, *NAMED, "--accept"])
    edit("questions", {"question": "tax"}, wording="Higher taxes?", topic="money")
    started([*OF_LONG, *NAMED, "--force"])
    (row,) = (row for row in cells("questions") if row["question"] == "tax")
    assert (row["wording"], row["topic"], row["decided by"]) == ("Higher taxes?", "money", "you")
    edit("labels", {"scale": "age", "file": "", "text": "99"}, means="missing")
    capsys.readouterr()
    started([*OF_LONG, *NAMED, "--force"])
    assert "what labels.csv says of 'age' counts for nothing" in capsys.readouterr().out
    write({name: text.replace("land", "country") for name, text in LONG.items()})
    capsys.readouterr()
    started([*OF_LONG, *NAMED, "--force", "--accept"])
    assert "columns.csv: p.csv, land is no longer there" in capsys.readouterr().out


def test_an_open_cell_is_refused_when_the_study_runs(here):
    write(LONG)
    started([*OF_LONG, *NAMED, "--accept"])
    edit("columns", {"file": "p.csv", "column": "land"}, use="?")
    with pytest.raises(DataError, match="is not decided"):
        what_is_read()


@pytest.mark.parametrize(
    ("table", "where", "values", "told"),
    [
        ("columns", {"column": "q1"}, {"use": "wieght"}, "did you mean 'weight'"),
        ("questions", {"question": "q1"}, {"use": "drop"}, "it may be: compare, leave out"),
        ("questions", {"question": "q1"}, {"lower": "low"}, "write a number"),
        ("labels", {"scale": "q2", "text": "yes"}, {"order": "first"}, "write a number"),
    ],
)
def test_a_cell_that_says_nothing_is_refused_with_its_place(here, table, where, values, told):
    write(WIDE)
    started([*DECIDED, "--weight", "w"])
    edit(table, where, **values)
    with pytest.raises(DataError, match=told) as refused:
        what_is_read()
    assert f"{table}.csv, row " in str(refused.value)


def test_sound_files_ask_nothing_and_their_tables_change_nothing(here):
    write(WIDE)
    started([*DECIDED, "--weight", "w"])
    with_tables = what_is_read()
    config = Path("s.yaml").read_text(encoding="utf-8")
    Path("o.yaml").write_text(config.replace("codebook: s_codebook", ""), encoding="utf-8")
    same(with_tables, what_is_read("o.yaml"))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("means", "scale"),
    [("refused", "q1"), ("undecided", ""), ("unparsable", "q1"), ("missing", "")],
)
def test_why_there_is_no_answer_is_counted_as_the_cell_says(here, means, scale):
    write(WIDE)
    started([*DECIDED, "--weight", "w"])
    edit("labels", {"scale": scale, "text": "5"}, means=means)
    missing = what_is_read().missing.set_index(["scenario", "source", "reason"])["count"]
    assert missing.to_dict() == {("q1", "human", means): 12}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "proposal", "options"),
    [
        ("Green", "Green", {"Green", "Left", "Right"}),
        ("I cannot answer such a question.", "refused", {"Left", "Right"}),
        ("Lefft", "Left", {"Left", "Right"}),
    ],
)
def test_a_text_that_only_simulators_give_is_asked_about(here, text, proposal, options):
    write(
        {
            "p.csv": "id,vote,other\n"
            + "".join(f"{i},{'Left' if i % 3 else 'Right'},x{i % 3}\n" for i in range(60)),
            "m.csv": "vote,other\n" + f"Left,x0\nRight,x1\n{text},x2\n" * 12,
        }
    )
    command = ["p.csv", "m.csv", "--respondent", "id", "--kind", "categorical"]
    started(command, UNDECIDED)
    (row,) = (row for row in cells("labels") if row["means"] == "?")
    assert (row["text"], row["proposal"]) == (text, proposal)
    started([*command, "--accept"])
    scenarios = what_is_read().scenarios.set_index("scenario")
    assert set(scenarios.at["vote", "option"]) == options


@pytest.mark.parametrize("text", ["?", "=1+1", "-9 to 5", "missing ", "a | b", 'say "no"', "é"])
def test_any_text_survives_its_table(here, text):
    row = {"scale": "q", "text": text.strip(), "means": text.strip(), "order": "1"}
    codebook = tables.Codebook({"columns": [], "questions": [], "labels": [row]})
    tables.save("there", codebook)
    (read,) = tables.read("there").tables["labels"]
    assert {name: read[name] for name in row} == row
    assert not tables.read("there").open_cells()


def test_the_columns_of_a_use_stay_when_another_gets_it(here):
    """A cell adds to what was recognised: a second column of simulators, one more question."""
    models = "model,setting,q1,q2\n" + "".join(
        f"{'ab'[i % 2]},{'xy'[i // 2 % 2]},{1 + i % 4},{4 - i % 4}\n" for i in range(40)
    )
    write({"p.csv": "q1,q2\n" + "1,2\n3,1\n2,3\n4,2\n" * 10, "m.csv": models})
    command = ["p.csv", "m.csv"]
    started(command, UNDECIDED)
    edit("columns", {"file": "m.csv", "column": "setting"}, use="simulator")
    started(command)
    read = what_is_read()
    assert set(read.outcomes["source"]) == {"human", "a x", "a y", "b x", "b y"}
    assert set(read.outcomes["scenario"]) == {"q1", "q2"}


def test_codes_from_0_are_shifted_in_their_file_only(here):
    write(
        {
            "p.csv": "id,q\n" + "".join(f"{i},{1 + i % 5}\n" for i in range(50)),
            "m.csv": "q\n" + "".join(f"{i % 5}\n" for i in range(25)),
        }
    )
    command = ["p.csv", "m.csv", "--respondent", "id"]
    started(command, UNDECIDED)
    started([*command, "--accept"])
    counts = what_is_read().outcomes.groupby("source", observed=True)
    steps = [1.0, 2.0, 3.0, 4.0, 5.0]
    assert {who: [*rows["value"]] for who, rows in counts} == {"human": steps, "m": steps}


@pytest.mark.sampled
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8"])
def test_tables_are_read_as_spreadsheets_save_them(here, encoding):
    write(WIDE)
    started([*DECIDED, "--weight", "w"])
    path = Path("s_codebook/labels.csv")
    text = path.read_text(encoding="utf-8-sig").replace("nope,nope", "nope,n\xf6")
    path.write_text(text, encoding=encoding)
    assert "n\xf6" in what_is_read().scenarios.set_index("scenario").at["q2", "option"]
    started([*DECIDED, "--weight", "w", "--force"])
    assert "n\xf6" in {row["means"] for row in cells("labels")}


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["qualtrics", "panel", "poll", "chats", "forecasts"])
def test_the_files_to_try_are_read(here, capsys, name):
    assert main(["start", "--example", name]) == 0
    files = capsys.readouterr().out.splitlines()[-1].partition(" start ")[2].split()
    started([*files, "--accept"])
    read = what_is_read()
    assert len(read.scenarios) == {"panel": 8, "forecasts": 60}.get(name, 4)


def test_codes_of_labelled_files_that_were_not_asked_count_for_nothing(here):
    """In an SPSS file as in text, where a code has a label of its own."""
    smoked = [1 + i % 3 if i % 4 else -1 for i in range(100)]
    labels = {-1: "Not applicable", 1: "Few", 2: "Some", 3: "Many"}
    frame = pd.DataFrame({"smoke": [1 + i % 2 for i in range(100)], "cigs": smoked})
    named = {"smoke": {1: "Yes", 2: "No"}, "cigs": labels}
    pyreadstat.write_sav(frame, "p.sav", variable_value_labels=named)
    write({"m.csv": "smoke,cigs\n" + "Yes,Few\nNo,Some\nNo,Many\n" * 10})
    started(["p.sav", "m.csv"], UNDECIDED)
    edit("labels", {"text": "Not applicable"}, means="not asked")
    started(["p.sav", "m.csv"])
    read = what_is_read()
    assert not len(read.missing)
    people = read.outcomes.query("source == 'human' and scenario == 'cigs'")
    assert people["count"].tolist() == [smoked.count(step) for step in (1, 2, 3)]


def test_codes_that_a_file_calls_missing_are_cells_that_a_user_changes(here):
    """They mean what their labels say, until the cell says something else."""
    labels = {1: "no", 2: "yes", -1: "Inapplicable", -8: "Don't know"}
    frame = pd.DataFrame({name: [-8, -1, -1, *[1, 2] * 9] for name in "ab"}, dtype=float)
    named, missing = (dict.fromkeys("ab", one) for one in (labels, [{"lo": -9, "hi": -1}]))
    pyreadstat.write_sav(frame, "s.sav", variable_value_labels=named, missing_ranges=missing)
    write({"m.csv": "a,b\n" + "yes,no\n" * 9})
    started(["s.sav", "m.csv"])
    rows = [(row["text"], row["means"]) for row in cells("labels") if row["file"]]
    assert rows == [("-8 Don't know", "undecided"), ("-1 Inapplicable", "not asked")]
    assert what_is_read().missing["count"].tolist() == [1, 1]
    edit("labels", {"text": "-1 Inapplicable"}, means="missing")
    edit("labels", {"text": "-8 Don't know"}, scale="a", means="Don't know", order="3")
    read = what_is_read()
    assert read.missing["count"].tolist() == [2, 2]
    people = read.outcomes.query("source == 'human' and scenario == 'a'")
    assert sorted(people["count"]) == [1, 9, 9]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("names", "unticked", "means", "counts", "missing", "note"),
    [
        (("q_1", "q_2"), "0", "not asked", [10, 20], 0, ""),
        (("q_1", "q_2"), "0", "refused", [10, 20], 10, ""),
        (("q: 1", "q: 2"), "0", "0", [20, 20], 0, ""),
        (("q_1", "q_2"), "", "", [20, 20], 0, "that was not ticked (0), also of who ticked none"),
        (("q: 1", "q: 2"), "", "not asked", [10, 20], 0, "that was not ticked (0)"),
        (("q: Bus", "q: Car"), "", "not asked", [10, 20], 0, "that was not ticked (0)"),
    ],
)
def test_an_empty_cell_means_what_is_decided(here, names, unticked, means, counts, missing, note):
    """Of 40, 20 tick the first box and 10 do not; 10 see none of the two."""
    first, second = (name[3:] if name[3:].isalpha() and not unticked else "1" for name in names)
    header = f"{','.join(names)},q3\n"
    rows = f"{first},{unticked},y\n{first},{second},n\n{unticked},{second},y\n,,n\n" * 10
    write({"p.csv": header + rows, "m.csv": header + "1,0,y\n0,1,n\n" * 9})
    started(["p.csv", "m.csv", "--kind", "categorical"])
    for name in names if means else ():
        edit("labels", {"scale": name, "text": ""}, means=means)
    started(["p.csv", "m.csv", "--kind", "categorical", "--force"])
    read = what_is_read()
    told = [str(one) for one in read.notes if one.code == "tick-boxes"]
    assert [text[text.index("that") :] for text in told] == [note] * bool(note)
    people = read.outcomes.query("source == 'human' and scenario == @names[0]")
    assert people.sort_values("value")["count"].tolist() == counts
    lost = read.missing.query("source == 'human' and scenario == @names[0]")
    assert lost["count"].sum() == missing


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("rows", "asked", "missing"),
    [
        (["1,,,3", ",1,2,", "2,,,1", ",3,1,3"], ["a", "b1", "b2"], {"last": 10}),  # two ballots
        (["1,,,3", ",1,,2", ",2,,2", ",,3,1", ",,1,1", "2,,,"], ["a", "b1", "b2"], {"last": 10}),
        (["1,,,3", ",1,2,1", "2,1,3,1", ",3,1,3"], [], {"a": 20, "b1": 10, "b2": 10}),  # not exact
        (["x,,3,3", ",x,2,2", "x,,1,1", ",x,3,3"], [], None),  # boxes
    ],
)
def test_what_split_ballots_did_not_ask_is_proposed(here, rows, asked, missing):
    """An empty cell is of its own question: the last one has the same scale."""
    header, other = "a,b1,b2,last\n", "1,1,2,3\n3,2,1,1\n2,3,3,2\n"
    write({"p.csv": header + "\n".join([*rows, ""]) * 10, "m.csv": header + other * 10})
    if missing is None:
        started(["p.csv", "m.csv"], UNDECIDED)
        assert not [row for row in cells("labels") if row["means"] == "?" and not row["text"]]
        return
    started(["p.csv", "m.csv"], UNDECIDED if asked else 0)
    proposed = [row for row in cells("labels") if row["means"] == "?"]
    assert [(row["scale"], row["text"], row["proposal"]) for row in proposed] == [
        (name, "", "not asked") for name in asked
    ]
    started(["p.csv", "m.csv", "--accept", "--force"])
    assert what_is_read().missing.set_index("scenario")["count"].to_dict() == missing
    for name in asked:
        edit("labels", {"scale": name, "text": ""}, means="missing")
    started(["p.csv", "m.csv", "--force"])
    assert {*what_is_read().missing["scenario"]} == {*asked, *missing}


def test_a_box_of_ticks_only_is_not_said_to_be_asked_where_it_is_ticked(here, capsys):
    write({"p.csv": "q,q3\n" + "1,y\n,n\n" * 20, "m.csv": "q,q3\n" + "1,y\n0,n\n" * 9})
    options = ["p.csv", "m.csv", "--multiple", "q"]
    started(options)
    edit("labels", {"scale": "q", "text": ""}, means="not asked")
    started([*options, "--force"], 1)
    assert "write 0 where it was shown" in capsys.readouterr().err


@pytest.mark.slow
def test_the_order_of_options_is_not_that_of_texts_that_mean_them(here):
    """Numbers that the draft gave alphabetically say no order."""
    write(
        {
            "p.csv": "id,q\n"
            + "".join(f"{i},{['Disagree', 'Neutral', 'Agree', 'Ja'][i % 4]}\n" for i in range(40)),
            "m.csv": "q\n" + "Disagree\nNeutral\nAgree\n" * 10,
        }
    )
    started(["p.csv", "m.csv", "columns.csv: id: ignore", "--accept"])
    edit("labels", {"text": "Ja"}, means="Agree")
    started(["p.csv", "m.csv", "columns.csv: id: ignore", "--force", "--kind", "ordinal"])
    assert list(what_is_read().scenarios["option"].iloc[0]) == ["Disagree", "Neutral", "Agree"]


def test_somebody_at_a_terminal_is_asked(here, monkeypatch, capsys):
    """Enter takes the proposal; another word is the answer."""
    write(LONG)
    answers = iter(["ignore"])
    monkeypatch.setattr(cells_of_start, "is_terminal", lambda: True)
    monkeypatch.setattr(flow, "is_terminal", lambda: True)
    monkeypatch.setattr(cells_of_start.click, "prompt", lambda text, **more: next(answers))
    monkeypatch.setattr(flow.click, "confirm", lambda *more, **others: False)
    started([*OF_LONG, *NAMED])
    assert "p.csv, land: " in capsys.readouterr().out
    (row,) = (row for row in cells("columns") if row["file"] == "p.csv" and row["column"] == "land")
    assert (row["use"], row["decided by"]) == ("ignore", "you")


def test_options_in_columns_of_probabilities_are_one_answer_each(here):
    rows = [f"{model},{q},{0.5},{0.3},{0.2}\n" for model in "ab" for q in ("q1", "q2")]
    write(
        {
            "p.csv": "id,q1,q2\n"
            + "".join(f"{i},{'YNU'[i % 3]},{'YN'[i % 2]}\n" for i in range(60)),
            "m.csv": "model,question,prob_Y,prob_N,prob_U\n" + "".join(rows),
        }
    )
    started(["p.csv", "m.csv", "--respondent", "id", "--accept"])
    stated = what_is_read().stated
    assert stated.groupby(["scenario", "source"], observed=True)["probability"].sum().eq(1).all()
    assert set(stated["source"]) == {"a", "b"}


def test_percentages_of_groups_and_their_base_are_proposed(here):
    bases = {"A": 60, "B": 900}
    rows = [
        f"{question},{group},{value},{share},{n}"
        for question in ("q1", "q2")
        for group, n in bases.items()
        for value, share in (("no", 30), ("yes", 71))
    ]
    model = [f"{q},{g},{v}" for q in ("q1", "q2") for g in bases for v in ("yes", "no") * 20]
    write(
        {
            "p.csv": "\n".join(["question,party,answer,percent,n", *rows]),
            "m.csv": "\n".join(["question,party,answer", *model]),
        }
    )
    started(["p.csv", "m.csv", "--groups", "party", "--accept"])
    uses = {row["column"]: row["use"] for row in cells("columns") if row["file"] == "p.csv"}
    assert (uses["percent"], uses["n"]) == ("percent", "base")
    people = what_is_read().outcomes.query("source == 'human'").groupby("scenario")["count"].sum()
    assert people.to_dict() == pytest.approx(
        {f"{q} | {g}": n for q in ("q1", "q2") for g, n in bases.items()}
    )


WORDINGS = {"q1": "How do you vote?", "q2": "Do you trust the press, on the whole?"}
OF_QUESTIONS = (
    f"name,question_text,response_options\nq1,{WORDINGS['q1']},Left / Right\n"
    f'q2,"{WORDINGS["q2"]}",Yes / No\n'
)
ANSWERS = pd.DataFrame(
    {"q1": ["Left", "Right", "Right"] * 20, "q2": ["Yes", "No", "No", "No", "No"] * 12}
)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("worded", "given"), [("p.csv", ("--scenarios", "k.csv")), ("m.csv", ("k.csv",))]
)
def test_names_and_wordings_are_matched_by_the_file_of_questions(here, capsys, worded, given):
    """So they are where one of both sides has the names, and the other the wordings."""
    files = {"p.csv": ANSWERS, "m.csv": ANSWERS[::-1].iloc[:37]}
    plain = {name: table.to_csv(index=False) for name, table in files.items()}
    write(plain | {"k.csv": OF_QUESTIONS})
    started(["p.csv", "m.csv", *given])
    alike = what_is_read()
    write({worded: files[worded].rename(columns=WORDINGS).to_csv(index=False)})
    capsys.readouterr()
    started(["p.csv", "m.csv", *given, "--force"])
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "is 'q1'" in line)
    assert f"{worded}: questions by their names in the file of questions: 'How do" in line
    same(what_is_read(), alike)
    scenarios = what_is_read().scenarios.set_index("scenario")
    assert list(scenarios["option"].map(list)) == [["Left", "Right"], ["Yes", "No"]]
    assert scenarios["question"].to_dict() == WORDINGS


@pytest.mark.parametrize("both", [True, False])
def test_the_name_of_the_file_of_questions_is_enough_to_choose_it(here, both):
    """Where its column is called by its wording, in people's file or in both."""
    worded = ANSWERS.rename(columns=WORDINGS)
    model = worded if both else ANSWERS
    write({"p.csv": worded.to_csv(index=False), "m.csv": model.iloc[:37].to_csv(index=False)})
    write({"k.csv": OF_QUESTIONS})
    started(["p.csv", "m.csv", "--scenarios", "k.csv", "--questions", "q2"])
    assert what_is_read().scenarios["scenario"].tolist() == ["q2"]
    uses = {row["column"]: row["use"] for row in cells("columns") if row["file"] == "p.csv"}
    assert uses == {WORDINGS["q1"]: "ignore", WORDINGS["q2"]: "question"}


@pytest.mark.slow
def test_labels_of_a_question_that_is_proposed_to_be_left_out_are_not_asked_about(here, capsys):
    years = [i % 60 for i in range(120)]
    people = pd.DataFrame({"vote": ["Left", "Right"] * 60, "years": years})
    words = [f"since\n{year} or so" for year in years]
    texts = [("vote", "Left"), ("vote", "Right"), ("vote", "**Right**\n\nAs I said.")] * 40
    rows = pd.DataFrame([*texts, *(("years", text) for text in words)])
    described = "name,response_options\nvote,Left / Right\nyears,\n"
    write({"p.csv": people.to_csv(index=False), "k.csv": described})
    rows.assign(model="m").to_csv("m.csv", index=False, header=["question", "answer", "model"])
    started(["p.csv", "m.csv", "--simulator", "model", "--scenarios", "k.csv"], UNDECIDED)
    assert "labels.csv: " not in capsys.readouterr().err
    assert [row["text"] for row in cells("labels") if row["means"] == "?"] == []


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("names", "proposed"),
    [
        ({"q1": "politics/leaning", "q2": "news/trust"}, {"leaning": "q1", "trust": "q2"}),
        (WORDINGS, {"q1": "q1", "q2": "q2"}),  # by their answers alone
        ({"q1": "leaning (party)", "q2": "trust_press"}, {"Q1_leaning": "q1", "press": "q2"}),
    ],
)
def test_a_cell_says_which_question_a_name_stands_for(here, names, proposed):
    theirs = {ours: name for name, ours in proposed.items()}
    model = ANSWERS[::-1].iloc[:37]
    write({"p.csv": ANSWERS.to_csv(index=False), "m.csv": model.to_csv(index=False)})
    started(["p.csv", "m.csv"])
    alike = what_is_read()
    write({"p.csv": ANSWERS.rename(columns=names).to_csv(index=False)})
    write({"m.csv": model.rename(columns=theirs).to_csv(index=False)})
    started(["p.csv", "m.csv", "--force"], 3)
    asked = {row["question"]: row["proposal"] for row in cells("questions") if row["means"] == "?"}
    assert asked == {name: names[ours] for name, ours in proposed.items()}
    started(["p.csv", "m.csv", "--force", "--accept"])
    read = what_is_read()
    assert read.scenarios["scenario"].tolist() == [*names.values()]
    for table in (read.outcomes, alike.outcomes):
        table["scenario"] = table["scenario"].astype(str).replace({v: k for k, v in names.items()})
    pd.testing.assert_frame_equal(read.outcomes, alike.outcomes, check_categorical=False)
    edit("questions", {"question": next(iter(proposed))}, means="leave out")
    started(["p.csv", "m.csv", "--force"])
    assert what_is_read().scenarios["scenario"].tolist() == [names["q2"]]


def test_names_of_one_file_are_linked_beside_another_that_has_peoples(here):
    people = ANSWERS.rename(columns={"q1": "politics/leaning", "q2": "news/trust"})
    model = ANSWERS.rename(columns={"q1": "leaning", "q2": "trust"})
    tables = {"p.csv": people, "m.csv": people.iloc[:40], "o.csv": model.iloc[:37]}
    write({name: table.to_csv(index=False) for name, table in tables.items()})
    started([*tables, "--accept"])
    number = what_is_read().outcomes.groupby("source", observed=True)["count"].sum()
    assert number.to_dict() == {"human": 120, "m": 80, "o": 74}


def test_a_name_that_may_be_two_questions_is_proposed_as_neither(here):
    people = pd.DataFrame({"trust_tv": ["Yes", "No"] * 30, "trust_press": ["No", "Yes"] * 30})
    write({"p.csv": people.to_csv(index=False), "m.csv": "trust\n" + "Yes\nNo\n" * 20})
    started(["p.csv", "m.csv"], 3)
    assert [row["proposal"] for row in cells("questions") if row["means"] == "?"] == ["leave out"]


def test_what_is_the_same_in_each_group_is_asked_about(here):
    rows = [f"p{i},v{v},{'ab'[v % 2]},{1 + (i + v) % 5}" for i in range(30) for v in range(4)]
    models = [f"v{v},{'ab'[v % 2]},{1 + i % 5}" for i in range(20) for v in range(4)]
    write(
        {
            "p.csv": "\n".join(["person,vignette,job,fair", *rows]),
            "m.csv": "\n".join(["vignette,job,fair", *models]),
            "k.csv": "name,question_text\nfair,How fair?\n",
        }
    )
    started(["p.csv", "m.csv", "--scenarios", "k.csv", "--accept"])
    (wording,) = (row["wording"] for row in cells("questions") if row["question"] == "fair")
    assert wording == "How fair?"
    uses = {row["column"]: row["use"] for row in cells("columns") if row["file"] == "p.csv"}
    wanted = {"person": "respondent", "vignette": "wave", "job": "ignore", "fair": "question"}
    assert uses == wanted
    assert set(what_is_read().scenarios["scenario"]) == {f"fair | v{v}" for v in range(4)}


def test_files_with_a_row_for_each_answer_may_have_any_names_of_columns(here):
    words = ("yes", "no", "perhaps")
    rows = [(i, item, words[(i * i + j) % 3]) for i in range(40) for j, item in enumerate("abc")]
    names = {"p.csv": "who,thema,antw", "m.csv": "agens,stelling,keuze"}
    for file, header in names.items():
        lines = (f"{file[0]}{i},{item},{text}\n" for i, item, text in rows)
        write({file: f"{header}\n{''.join(lines)}"})
    started(["p.csv", "m.csv"], UNDECIDED)
    for file, header in names.items():
        for column, use in zip(
            header.split(","), ("respondent", "question", "answer"), strict=True
        ):
            edit("columns", {"file": file, "column": column}, use=use)
    started(["p.csv", "m.csv"])
    read = what_is_read()
    assert set(read.scenarios["scenario"]) == {"a", "b", "c"}
    assert set(read.outcomes["source"]) == {"human", "m"}
    assert read.by_respondent["respondent"].nunique() == 40
    edit("columns", {"file": "m.csv", "column": "agens"}, use="question")
    with pytest.raises(DataError, match="'agens', 'stelling' are question"):
        what_is_read()


def test_a_study_has_one_kind(here):
    write(WIDE)
    started([*DECIDED, "--weight", "w"])
    edit("questions", {"question": "q1"}, kind="ordinal")
    with pytest.raises(DataError, match=r"categorical and ordinal in questions\.csv"):
        what_is_read()
    for question in ("q2", "q3"):
        edit("questions", {"question": question}, use="leave out")
    assert set(what_is_read().scenarios["scenario"]) == {"q1"}


TRUST = "cdc,who\n" + "".join(
    f"{('None', 'A little', 'Some', 'A lot')[i % 4]},{('Some', 'A lot', 'None')[i % 3]}\n"
    for i in range(48)
)
OF_TRUST = ["t.csv", "u.csv"]


def given(name):
    """Return how often people gave each option of a question."""
    read = what_is_read()
    here = read.scenarios.set_index("scenario").loc[name]
    labels = dict(zip(here["value"], here["option"], strict=True))
    rows = read.outcomes[read.outcomes["source"] == "human"]
    rows = rows[rows["scenario"] == name]
    return {labels[value]: count for value, count in zip(rows["value"], rows["count"], strict=True)}


def test_a_text_of_a_column_that_is_to_be_ignored_is_not_asked_about():
    column = Doubt(Cell("columns", (("column", "said"),), "use", "ignore"))
    text = Doubt(Cell("labels", (("text", "none"),), "means", "missing"), column="said")
    assert of_compared([column, text], []) == [column]


def test_none_below_words_of_amounts_is_proposed_as_an_option(here, capsys):
    write({"t.csv": TRUST, "u.csv": TRUST})
    started(OF_TRUST, UNDECIDED)
    told = capsys.readouterr().err
    assert "labels.csv: None: None?" in told
    (row,) = undecided("labels")
    assert (row["people"], row["u (n)"]) == ("28", "28")
    assert row["remark"].endswith("; or: missing")
    started([*OF_TRUST, "--accept"])
    assert given("cdc") == {"None": 12, "A little": 12, "Some": 12, "A lot": 12}


@pytest.mark.parametrize(
    ("ours", "theirs", "proposal"),
    [(12, 3, "None"), (3, 12, "None"), (2, 2, "missing"), (0, 12, "missing"), (12, 0, "missing")],
)
def test_none_is_proposed_as_an_option_where_many_give_it_and_both_sides(
    here, capsys, ours, theirs, proposal
):
    texts = {
        name: ["q", *["None"] * number, *["1 day", "2 days"] * 14, ""]
        for name, number in (("t.csv", ours), ("u.csv", theirs))
    }
    write({name: "\n".join(cells) for name, cells in texts.items()})
    started(OF_TRUST, UNDECIDED)
    assert f"labels.csv: None: {proposal}?" in capsys.readouterr().err


def test_an_order_that_is_filled_is_not_asked_again(here):
    text = "\n".join(["q", *["None", "1 day", "2 days"] * 14, ""])
    write({"t.csv": text, "u.csv": text})
    started(OF_TRUST, UNDECIDED)
    edit("labels", {"scale": "", "text": "None"}, means="None", order="0")
    started(OF_TRUST)
    assert [row["order"] for row in cells("labels") if row["scale"]] == [""] * 3
    for order, text in enumerate(["1 day", "2 days"], 1):
        edit("labels", {"text": text}, order=str(order))
    started([*OF_TRUST, "--kind", "ordinal", "--force"])
    (options,) = what_is_read().scenarios["option"]
    assert [*options] == ["None", "1 day", "2 days"]


def test_one_option_with_a_sign_between_words_is_what_a_cell_says(here):
    text = "\n".join(["q", *["Bus/Tram", "Bus", "Tram", "Tram/Bus"] * 9, ""])
    write({"t.csv": text, "u.csv": text})
    started(OF_TRUST, UNDECIDED)
    edit("questions", {"question": "q"}, several="no")
    started(OF_TRUST)
    assert given("q") == dict.fromkeys(["Bus", "Bus/Tram", "Tram", "Tram/Bus"], 9)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("scale", "means", "accepted"),
    [("", "None at all", True), ("cdc", "None", True), ("cdc", "None at all", False)],
)
def test_none_is_the_option_that_a_cell_says(here, scale, means, accepted):
    """Also after it was accepted as missing, which then holds for the other questions."""
    write({"t.csv": TRUST, "u.csv": TRUST})
    started(OF_TRUST, UNDECIDED)
    if accepted:
        edit("labels", {"scale": "", "text": "None"}, means="missing", decided_by="proposal")
        started([*OF_TRUST, "--accept"])
        assert given("cdc") == {"A little": 12, "Some": 12, "A lot": 12}
    edit("labels", {"scale": scale, "text": "None"}, means=means)
    started([*OF_TRUST, "--accept", "--force"])
    assert given("cdc") == {means: 12, "A little": 12, "Some": 12, "A lot": 12}
    elsewhere = {} if scale and accepted else {means: 16}  # they share a scale
    assert given("who") == {"Some": 16, "A lot": 16} | elsewhere


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kind", "by_cell"), [("categorical", True), ("categorical", False), ("bounded", False)]
)
def test_what_a_text_means_holds_in_a_models_words(here, kind, by_cell):
    """Also behind a letter, which then is that of the option, and with a reason."""
    words = {"categorical": ("Zero", "A lot", "Some"), "bounded": ("0", "80", "40")}[kind]
    texts = ["Nothing", "Answer: Nothing", "**Nothing.**", f"Answer: {words[1]}", words[2]]
    if kind == "categorical":
        texts += ["B) Nothing", "A) A lot", "C) Some", "Nothing, because I see none", "B"]
    people = "".join(f"{words[i % 3] if i % 3 else 'Nothing'}\n" for i in range(60))
    replies = "".join(f'm,cdc,"{text}"\n' for text in texts * 6)
    write({"p.csv": "cdc\n" + people, "m.csv": "model,question,answer\n" + replies})
    command = ["p.csv", "m.csv", "--simulator", "model", "--kind", kind]
    command += ["--bounds", "0", "100"] if kind == "bounded" else []
    if by_cell:
        started(command)
        edit("labels", {"scale": "", "text": "Nothing"}, means=words[0], decided_by="you")
        started([*command, "--force"])
    else:
        started([*command, f"labels.csv: Nothing: {words[0]}"])
    read = what_is_read()
    rows = read.outcomes[read.outcomes["source"] == "m"]
    few = [18, 6, 6] if kind == "bounded" else [36, 12, 12]
    assert sorted(rows["count"], reverse=True) == few
    assert read.missing[read.missing["source"] == "m"].empty


@pytest.mark.slow
def test_questions_on_a_much_smaller_scale_than_others_are_asked_about(here):
    frame = pd.DataFrame({"warm": [0, 15, 50, 70, 85, 100, 60] * 8, "trust": [*range(1, 8)] * 8})
    frame.to_csv("people.csv", index=False)
    frame[::-1].to_csv("model.csv", index=False)
    as_told = ["people.csv", "model.csv", "--kind", "bounded", "--bounds", "0", "100"]
    started(as_told, UNDECIDED)
    (row,) = undecided("questions")
    assert (row["question"], row["use"], row["proposal"]) == ("trust", "?", "leave out")
    started([*as_told, "--accept"])
    assert set(what_is_read().scenarios["scenario"]) == {"warm"}
    edit("questions", {"question": "trust"}, use="compare")
    started([*as_told, "--force"])
    assert set(what_is_read().scenarios["scenario"]) == {"warm", "trust"}
    assert {(row["lower"], row["upper"]) for row in cells("questions")} == {("0", "100")}


@pytest.mark.slow
def test_a_code_that_others_answer_is_proposed_where_it_stands_apart_only(here):
    small = [1, 2, 3, 4, 5, 6, 7, 99, -9] * 8
    frame = pd.DataFrame({"warm": [0, 15, 50, 70, 85, 100, 99, 60, -9] * 8, "a": small, "b": small})
    frame.to_csv("people.csv", index=False)
    frame.query("a not in [99, -9]").to_csv("model.csv", index=False)
    started(["people.csv", "model.csv", "--kind", "real"], UNDECIDED)
    proposed = {(row["scale"], row["text"]): row["proposal"] for row in undecided("labels")}
    assert proposed == dict.fromkeys([("", "-9"), ("a", "99"), ("b", "99")], "missing")
    started(["people.csv", "model.csv", "--kind", "real", "--accept"])
    given = what_is_read().missing.groupby("scenario")["count"].sum()
    assert given.to_dict() == {"warm": 8}  # all others are on a smaller scale
    assert {row["means"] for row in cells("labels")} == {"missing"}  # numbers have no row


@pytest.mark.slow
def test_a_lowest_number_that_nobody_gives_is_asked_about_and_changed_ends_count(here):
    """A rare step of a known scale is itself; what nothing orders has no order."""
    steps = ["Very satisfied", "Satisfied", "Neutral", "Dissatisfied"] * 100
    frame = pd.DataFrame({"sat": [*steps, "Very dissatisfied"]})
    frame["How likely are you to recommend us?"] = [i % 10 + 1 for i in range(401)]
    frame["diet"] = [("Vegan", "Flexitarian", "All")[i % 3] for i in range(401)]
    for path in ("p.csv", "m.csv"):
        frame.to_csv(path, index=False)
    started(["p.csv", "m.csv"], UNDECIDED)
    (row,) = undecided("questions")
    assert (row["lower"], row["proposal"]) == ("?", "0 | 10") and not undecided("labels")
    started(["p.csv", "m.csv", "--accept"])
    orders = {(row["scale"], row["order"]) for row in cells("labels")}
    assert orders == {("diet", ""), *(("sat", place) for place in "12345")}
    edit("questions", {"question": row["question"]}, lower="-1")
    started(["p.csv", "m.csv", "--force"])
    assert len(what_is_read().scenarios.set_index("scenario")["option"][row["question"]]) == 12
    changes = (
        ("questions", {"question": row["question"]}, "lower", "0.5", "0"),
        (*("labels", {"scale": "diet", "text": "Vegan"}, "order", "1", ""),),
    )
    for table, which, cell, value, before in changes:
        edit(table, which, **{cell: value})
        started(["p.csv", "m.csv", "--force"], 1)
        edit(table, which, **{cell: before})


@pytest.mark.parametrize(
    ("answers", "upper"),
    [
        ([1, 2, 3, 4] * 30, "4"),
        ([1, 2, 3, 4] * 20, "5"),  # of few people
        ([1, 2, 3] * 38 + [4] * 6, "5"),  # hardly anybody gives the highest
    ],
)
def test_an_end_of_others_scale_that_none_of_many_people_gives_is_no_option(here, answers, upper):
    columns = {"often": answers, "vote": [1, 2] * 60}
    columns |= {name: [1, 2, 3, 4, 5] * 24 for name in ("trust", "news", "care")}
    frame = pd.DataFrame({name: values[: len(answers)] for name, values in columns.items()})
    frame.to_csv("p.csv", index=False)
    frame[: len(frame) // 2].to_csv("m.csv", index=False)
    started(["p.csv", "m.csv"])
    ends = {row["question"]: (row["lower"], row["upper"]) for row in cells("questions")}
    assert ends == dict.fromkeys(("trust", "news", "care"), ("1", "5")) | {
        "often": ("1", upper),
        "vote": ("1", "2"),
    }


def thermometer(replies):
    """Write answers from 0 to 100, and start with a model's texts; return the command."""
    people = "".join(f"{7 * i % 101}\n" for i in range(60))
    rows = "".join(f'm,police,"{text}"\n' for text in replies)
    write({"p.csv": "police\n" + people, "m.csv": "model,question,answer\n" + rows})
    named = ["--simulator", "model", "--kind", "bounded", "--bounds", "0", "100"]
    return ["p.csv", "m.csv", *named]


@pytest.mark.parametrize("first", ["about {}", "I'd say around {}."])
def test_the_number_in_a_models_words_is_its_answer(here, capsys, first):
    """Whether others call a part of them the answer or not; ranges are none, and are told."""
    ways = [first, "{}", "{} degrees", "{} out of 100", "{}/100"]
    texts = [ways[i % 5].format(20 + i) for i in range(50)]
    started(thermometer([*texts, "between 40 and 60"]))
    told = capsys.readouterr().out
    assert "'between 40 and 60' (unparsable)" in told
    assert f"40 answers in words are read as the only number in them, such as {texts[0]!r}" in told
    rows = what_is_read().outcomes
    values = rows.loc[rows["source"] == "m", "value"]
    assert sorted(values) == list(range(20, 70))


@pytest.mark.sampled
@pytest.mark.parametrize(
    "wordy",
    [["{} Jahre"], ["Ich wohne seit {} Jahren hier.", "{} Jahre"], ["I'd say about {} years"]],
)
@pytest.mark.parametrize("rare", [1, 4])
def test_a_number_may_have_its_questions_unit_behind_it(here, wordy, rare):
    words = [wordy[i % len(wordy)] for i in range(2 * rare)]
    started(thermometer([way.format(20 + i) for i, way in enumerate(["{}"] * 20 + words)]))
    rows = what_is_read().outcomes
    assert sorted(rows.loc[rows["source"] == "m", "value"]) == list(range(20, 40 + 2 * rare))


@pytest.mark.sampled
@pytest.mark.parametrize(("kind", "least"), [("bounded", 5), ("categorical", 4)])
def test_each_text_among_numbers_is_a_cell_with_what_it_may_mean(here, kind, least):
    """Of two units, and of a refusal; a number between two is none."""
    means = {"2 hours": "2", "91 minutes": "91", "Als KI habe ich keine Meinung": "refused"}
    means |= {"I am not able to tell": "refused", "warm": "unparsable"}
    command = thermometer([*means, *map(str, range(0, 100, 2))])
    bounds = command[6:] if kind == "bounded" else []
    started([*command[:5], kind, *bounds], UNDECIDED)
    rows = {row["text"]: row for row in cells("labels") if row["means"] == "?"}
    assert len(rows) >= least
    assert {text: row["proposal"] for text, row in rows.items()}.items() <= means.items()
    assert all(text in row["remark"] or "reason of" in row["remark"] for text, row in rows.items())


@pytest.mark.slow
def test_a_simulator_that_mostly_says_nothing_is_asked_about(here, capsys):
    command = thermometer([*(f"I'd say\nwarm {'er' * i}" for i in range(30)), *map(str, range(29))])
    started(command, UNDECIDED)
    told = capsys.readouterr().err
    assert "30 of 59 answers of 'm' are no number" in told
    assert "; * stands for 10 other texts, 10 answers" in told
    rows = [row for row in cells("labels") if row["means"] == "?"]
    assert len(rows) == 21 and {row["proposal"] for row in rows} == {"unparsable"}
    started([*command, "--accept"], 1)
    assert "30 of 59 answers of m are no option, as they are read" in capsys.readouterr().err
    started(command, UNDECIDED)
    edit("labels", {"means": "?"}, means="unparsable")
    started(command)
    missing = what_is_read().missing
    assert missing.loc[missing["source"] == "m", "count"].tolist() == [30]


LOST = {"Yes, but it depends": 3, "**No**\n\nIt depends on\tthe day.": 2, "Who knows?": 1}


def in_words(texts):
    """Write answers of yes and no, and a model's texts with how often it gives each."""
    rows = [[name, "m", text] for text, n in texts.items() for name in "ab" for _ in range(n)]
    model = pd.DataFrame(rows, columns=["question", "model", "answer"])
    model.to_csv("m.csv", index=False)
    write({"p.csv": "a,b\n" + "Yes,No\nNo,Yes\nYes,Yes\n" * 20})
    return ["p.csv", "m.csv", "--kind", "categorical"]


def of_model():
    """Return how often the model says yes and no to a question, and how often neither."""
    read = what_is_read()
    given, missing = (
        table[(table["source"] == "m") & (table["scenario"] == "a")].set_index(name)["count"]
        for table, name in ((read.outcomes, "value"), (read.missing, "reason"))
    )
    options = read.scenarios.set_index("scenario").at["a", "option"]
    numbers = read.scenarios.set_index("scenario").at["a", "value"]
    return {**dict(zip(options, map(given.get, numbers), strict=True)), **missing}


def test_texts_that_choose_no_option_are_asked_about(here, capsys):
    command = in_words({"Yes": 20, "Answer: No": 20, "I'm sorry, I can't say.": 1, **LOST})
    started(command, UNDECIDED)
    assert "'m' are no option" in capsys.readouterr().err
    rows = {row["text"]: row for row in cells("labels") if row["means"] == "?"}
    assert {text: (row["m (n)"], row["proposal"]) for text, row in rows.items()} == {
        "Yes, but it depends": ("6", "Yes"),
        "Who knows?": ("2", "unparsable"),
    }
    started([*command, "--accept"])
    assert of_model() == {"Yes": 23, "No": 22, "unparsable": 1, "refused": 1}
    edit("labels", {"text": "Yes, but it depends"}, means="undecided")
    edit("labels", {"text": "Who knows?"}, means="No")
    assert of_model() == {"Yes": 20, "No": 23, "undecided": 3, "refused": 1}
    started([*command, "--force"])
    assert of_model() == {"Yes": 20, "No": 23, "undecided": 3, "refused": 1}


def test_a_few_texts_that_choose_no_option_are_told(here, capsys):
    started(in_words({"Yes": 49, "Answer: No": 49, "Who knows?": 2}))
    assert "'Who knows?' (unparsable)" in capsys.readouterr().out
    assert of_model() == {"Yes": 49, "No": 49, "unparsable": 2}


def test_what_the_rest_of_texts_means_is_one_cell(here):
    rest = {f"Hm\n{'x' * i}": 1 for i in range(30)}
    command = in_words({"Yes": 20, "Answer: No": 20, **rest})
    started(command, UNDECIDED)
    edit("labels", {"file": "m.csv", "text": "*"}, means="refused")
    assert len([row for row in cells("labels") if row["means"] == "?"]) == 20
    started([*command, "--accept"])
    assert of_model() == {"Yes": 20, "No": 20, "unparsable": 20, "refused": 10}


@pytest.mark.sampled
@pytest.mark.parametrize("means", ["No", "refused"])
@pytest.mark.parametrize("words", ["", "\nas I feel"])  # options alone, or in a model's own words
def test_a_text_of_several_files_is_one_row_that_holds_for_all(here, words, means):
    command = in_words({f"Yes{words}": 20, f"No{words}": 20, "Who knows?": 5})
    model = pd.read_csv("m.csv").assign(model="o")
    model.to_csv("o.csv", index=False)
    started([*command, "o.csv"], UNDECIDED)
    (row,) = (row for row in undecided("labels") if row["text"] == "Who knows?")
    assert (row["file"], row["m (n)"], row["o (n)"]) == ("", "10", "10")
    edit("labels", {"text": "Who knows?"}, means=means)
    started([*command, "o.csv"])
    read = what_is_read()
    given, missing = (
        table.assign(source=table["source"].astype(str)).groupby("source")["count"].sum()
        for table in (read.outcomes, read.missing)
    )
    lost = 0 if means == "No" else 10
    assert given[["m", "o"]].tolist() == [90 - lost] * 2
    if lost:
        assert missing.to_dict() == {"m": 10, "o": 10} and {*read.missing["reason"]} == {means}


def test_a_text_that_is_said_to_mean_an_option_is_no_name_of_it(here):
    """Else letters before the options' words would tell another order."""
    letters = {"A) No\nas I feel": 20, "B) Yes\nas I feel": 20, "B": 5}
    command = in_words({**letters, "Yes, but it depends": 3})
    started(command, UNDECIDED)
    started([*command, "--accept"])
    assert of_model() == {"Yes": 28, "No": 20}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("cut", "status", "proposed"),
    [
        ([("a", 2)], UNDECIDED, {"a": "leave out"}),  # one run lacks an option
        ([], 0, {}),
        ([("a", 1), ("a", 2), ("b", 1)], UNDECIDED, {"a": "", "b": ""}),  # in all questions
    ],
)
def test_an_option_that_log_probabilities_lack_is_no_silent_zero(here, cut, status, proposed):
    options = {"Agree": -0.5, "Neutral": -1.6, "Disagree": -2.0}
    rows = [
        ["m", name, run, option, number]
        for name in "ab"
        for run in (1, 2)
        for option, number in options.items()
        if (name, run) not in cut or option != "Neutral"
    ]
    columns = ["model", "question", "respondent", "option", "logprob"]
    pd.DataFrame(rows, columns=columns).to_csv("m.csv", index=False)
    people = [*options] * 20
    pd.DataFrame({"a": people, "b": people[::-1]}).to_csv("p.csv", index=False)
    started(["p.csv", "m.csv"], status)
    asked = {row["question"]: row["proposal"] for row in cells("questions") if row["use"] == "?"}
    assert asked == proposed
    for name in proposed:
        edit("questions", {"question": name}, use="compare")
    started(["p.csv", "m.csv", "--force"])
    read = what_is_read()
    assert {*read.stated["scenario"]} == {"a", "b"}


COUNTRIES = {"country": ["US"] * 20 + ["FR"] * 20, "q1": ["Yes", "No", "Yes", "Don't know"] * 10}
SIMULATED = {"country": ["US", "FR"] * 10, "q1": ["Yes", "No", "No", "Yes"] * 5}
DRAW = np.random.default_rng(0)
ALIKE = {f"q{item}": DRAW.integers(1, 101 if item == 6 else 6, 240) for item in range(1, 7)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "model", "fewest", "told"),
    [
        (
            COUNTRIES | {"q2": [1, 2, 3, 99] * 10},
            SIMULATED | {"q2": [1, 2, 3, 2] * 5},
            2,
            "Decide {} cells",
        ),
        (ALIKE, {name: cells[::-1] for name, cells in ALIKE.items()}, 1, "'q6' (many more"),
    ],
    ids=["groups and no answers", "scales of two sizes"],
)
def test_all_cells_that_proposals_lead_to_are_told_at_the_first_stop(
    here, capsys, people, model, fewest, told
):
    pd.DataFrame(people).to_csv("people.csv", index=False)
    pd.DataFrame(model).to_csv("model.csv", index=False)
    command = ["people.csv", "model.csv"]
    started(command, UNDECIDED)
    first = capsys.readouterr().err
    asked = {(name, tables.key_of(name, row)) for name in tables.TABLES for row in undecided(name)}
    assert len(asked) >= fewest and not Path("s.yaml").exists()
    assert told.format(len(asked)) in first
    started([*command, "--accept"])
    rows = [(name, row) for name in tables.TABLES for row in cells(name)]
    accepted = [pair for pair in rows if pair[1]["decided by"] == "proposal"]
    assert {(name, tables.key_of(name, row)) for name, row in accepted} == asked


@pytest.mark.slow
def test_what_was_only_tried_when_reading_was_stopped_is_no_decision(here):
    pd.DataFrame(COUNTRIES).to_csv("people.csv", index=False)
    pd.DataFrame(SIMULATED).to_csv("model.csv", index=False)
    command = ["people.csv", "model.csv"]
    started(command, UNDECIDED)
    asked = undecided("columns") + undecided("labels")
    codebook = tables.read("s_codebook")
    assert codebook.accept(tables.TRIED)
    tables.save("s_codebook", codebook)
    started(command, UNDECIDED)
    assert undecided("columns") + undecided("labels") == asked


def test_a_decided_cell_leaves_the_others_of_its_row_their_proposals():
    row = {"question": "q", "lower": "?", "upper": "?", "proposal": "1 | 5", "decided by": "?"}
    first, again = (tables.Codebook() for _ in range(2))
    for codebook in (first, again):
        codebook.tables["questions"] = [dict(row)]
        codebook.drafted["questions"] = [dict(row)]
    first.tables["questions"][0]["lower"] = "0"
    new, _ = tables.with_edits(again, first)
    assert tables.proposals("questions", new.tables["questions"][0]) == {"upper": "5"}
    assert new.accept() and not new.open_cells()
    assert [new.tables["questions"][0][end] for end in ("lower", "upper")] == ["0", "5"]


@pytest.mark.slow
@pytest.mark.parametrize("accept", [["--accept"], []])
def test_a_changed_cell_leaves_what_else_was_proposed(here, accept):
    people = "id,bus,car,note\n" + "".join(
        f"u{i:02d}x,{['often', 'never'][i % 2]},{['yes', 'no'][i % 3 % 2]},{['well', ''][i % 2]}\n"
        for i in range(60)
    )
    model = "question,persona,run,temperature,by,text\n" + "".join(
        f"{item},p{i},{run},{heat},llama3:8b,{options[(i + run) % 3 % 2]}\n"
        for item, options in (("bus", ("often", "never")), ("car", ("yes", "no")))
        for i in range(36)
        for run in (1, 2)
        for heat in (0.2, 1)
    )
    write({"p.csv": people, "m.csv": model})
    started(["p.csv", "m.csv"], UNDECIDED)
    asked = {row["column"]: row["proposal"] for row in undecided("columns")}
    assert (asked["temperature"], asked["by"], asked["id"]) == (*["simulator"] * 2, "respondent")
    del asked["note"]
    edit("columns", {"column": "note"}, use="ignore")
    started(["p.csv", "m.csv", *accept], 0 if accept else UNDECIDED)
    by = "use" if accept else "proposal"
    there = {row["column"]: row[by] for row in cells("columns")}
    assert {name: there[name] for name in asked} == asked


@pytest.mark.parametrize("use", [use for use in tables.USES if tables.USES[use][0] not in LISTS])
def test_no_two_columns_of_a_file_have_a_use_that_one_has(use):
    use = "answer" if use == "question" else use  # of rows, of which each has a question
    rows = [{"file": "p.csv", "column": name, "use": "ignore"} for name in "abc"]
    codebook = tables.Codebook.of([*rows, {**rows[0], "file": "m.csv"}], [], [])
    for place in (0, 1, 3):
        codebook.tables["columns"][place]["use"] = use
    with pytest.raises(DataError, match=f"p.csv: 'a', 'b' are {use} in columns.csv") as refused:
        with_codebook({}, codebook)
    assert "write another use, such as 'ignore', for the others" in str(refused.value)


def test_a_config_never_runs_with_newer_tables(here, capsys, monkeypatch):
    """While they are made it isn't there; where they are refused, all is as before."""
    write(WIDE)
    started([*DECIDED, "--weight", "w"])
    files = [Path("s.yaml"), *Path("s_codebook").rglob("*.csv")]
    before = [path.read_bytes() for path in files]
    read, meanwhile = flow._read, []

    def refused(*given):
        read(*given)
        meanwhile.extend(path.is_file() and path.read_bytes() for path in files)
        assert main(["run", "s.yaml"]) == 2
        raise DataError("refused")

    monkeypatch.setattr(flow, "_read", refused)
    started([*DECIDED, "--force", "--accept"], 1)
    assert "s.yaml is no file" in (told := capsys.readouterr().err) and "run that again" in told
    assert meanwhile[0] is False and meanwhile[1:] != before[1:]
    assert [path.read_bytes() for path in files] == before
