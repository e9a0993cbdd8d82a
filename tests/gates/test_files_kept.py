"""No command writes over a file that it doesn't write itself."""

import csv
from pathlib import Path

import pytest
from small_study import REPOSITORY
from verdicts import evaluation, left, verdict

from fidelity_study.__main__ import main
from fidelity_study.errors import DataError
from fidelity_study.report.figures import style
from fidelity_study.report.paper_tables import PaperTable, write
from fidelity_study.tables.read_write import refuse_others

EXAMPLE = REPOSITORY / "config" / "example"
MINE = "scenario,value,count\nmine,yes,3\n"


@pytest.fixture
def here(here):
    """A folder with the example's files, and files that belong to the user."""
    for name in ("human.csv", "simulated.csv"):
        (here / name).write_bytes((EXAMPLE / name).read_bytes())
    return here


def refused(capsys, *arguments: str) -> None:
    """Check that a command is refused since it would write over another file."""
    assert main([*arguments]) in (1, 2)
    assert "isn't written over; name another" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["human.csv", "./simulated.csv", "other.yaml", "notes.yaml"])
def test_start_writes_over_configs_of_studies_only(here, capsys, name):
    (here / "other.yaml").write_text("name: mine\n")
    (here / "notes.yaml").write_text("a: [b\n")
    before = {path: path.read_bytes() for path in here.iterdir()}
    refused(capsys, "start", "human.csv", "simulated.csv", "--out", name, "--force")
    assert {path: path.read_bytes() for path in here.iterdir()} == before


@pytest.mark.slow
def test_start_writes_over_its_own_config(here):
    for _ in range(2):
        assert main(["start", "human.csv", "simulated.csv", "--out", "a.yaml", "--force"]) == 0


@pytest.mark.parametrize("name", ["human.csv", "verdict.json"])
def test_check_writes_over_its_own_comment_only(here, capsys, name):
    left(here)
    command = ["check", "verdict.json", "--mean-at-most", "0.5", "--out"]
    before = (here / name).read_bytes()
    refused(capsys, *command, name)
    assert (here / name).read_bytes() == before
    assert main([*command, "comment.md"]) == main([*command, "comment.md"]) == 0


@pytest.mark.parametrize("name", ["board.json", "board.csv", "board.html"])
def test_a_board_writes_over_boards_only(here, capsys, name):
    left(here / "study")
    (here / "out").mkdir()
    (here / "out" / name).write_text('{"mine": 1}')
    refused(capsys, "board", "study", "--out", "out")
    assert (here / "out" / name).read_text() == '{"mine": 1}'
    assert main(["board", "study"]) == main(["board", "study"]) == 0


def test_a_file_is_another_if_it_begins_otherwise(here):
    refuse_others(here / "nothing.csv", "a,b")
    refuse_others(here / "human.csv", "scenario,value,count")
    with pytest.raises(DataError, match=r"human\.csv: is another file"):
        refuse_others(here / "human.csv", "scenario,value,counts")


def test_a_figure_of_words_warns_of_no_layout(here, recwarn):
    style.save(style.words(3.0, "There is nothing to draw."), "made", "words.png")
    assert not recwarn.list


ATTACKS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'=1"]


@pytest.mark.parametrize("text", ATTACKS)
def test_texts_of_a_paper_s_table_are_no_formulas(tmp_path, text):
    rows = [{"simulator": text, "distance": -0.25, "questions": 3}]
    write(PaperTable(rows, {}, str, "Caption"), tmp_path / "table.csv")
    with open(tmp_path / "table.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row == {"simulator": f"'{text}", "distance": "-0.25", "questions": "3"}


@pytest.mark.slow
def test_a_label_of_megabytes_is_not_printed(here, capsys):
    label = "x y" * 700_000
    for name, who in (("human.csv", ""), ("simulated.csv", "model,")):
        header = f"question,{'simulator,' if who else ''}value\n"
        rows = [f"q{i},{who}{value}\n" for i in range(3) for value in ("yes", "no", label)]
        Path(name).write_text(header + "".join(rows), encoding="utf-8")
    main(["start", "human.csv", "simulated.csv"])
    printed = capsys.readouterr()
    assert len(printed.out + printed.err) < 100_000
    assert f"{label[:100]}" in printed.out


def test_scores_of_models_are_tables_and_figures_too(here):
    made = evaluation(scores=[("good", 0.7), ("bad", 0.5)], settled=[("good", "bad")])
    ends = {"lower": 0.1, "upper": 0.3}
    differences = [row.model_copy(update=ends) for row in made.differences]
    made = made.model_copy(update={"differences": differences})
    only = verdict().model_copy(update={"datasets": [], "evaluations": [made]})
    left(here, only)
    for kind, column in (("ranking", "score"), ("pairs", "difference")):
        assert main(["table", ".", kind, "--output", f"{kind}.csv"]) == 0
        with open(f"{kind}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert {"eval", "model", column, "lower", "upper"} <= {*rows[0]}
    assert [row["model"] for row in rows] == [row.model for row in differences]
    assert float(rows[0]["upper"]) == 0.3 and rows[0]["settled"] == "yes"
    assert main(["figure", ".", "pairs", "--output", "pairs.svg"]) == 0
    assert "allowing for all pairs" in Path("pairs.txt").read_text(encoding="utf-8")
    assert main(["figure", ".", "curve"]) == 1
    assert main(["figure", ".", "ranking", "--output", "ranking.png"]) == 0
