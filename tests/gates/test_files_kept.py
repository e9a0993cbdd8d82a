"""No command writes over a file that it doesn't write itself."""

import pytest
from small_study import REPOSITORY
from verdicts import simulator, verdict

from fidelity_study.__main__ import main
from fidelity_study.errors import DataError
from fidelity_study.report.figures import style
from fidelity_study.tables.read_write import refuse_others

EXAMPLE = REPOSITORY / "config" / "example"
MINE = "scenario,value,count\nmine,yes,3\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the example's files, and files that belong to the user."""
    monkeypatch.chdir(tmp_path)
    for name in ("human.csv", "simulated.csv"):
        (tmp_path / name).write_bytes((EXAMPLE / name).read_bytes())
    return tmp_path


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
    (here / "verdict.json").write_text(verdict(simulator()).text(), encoding="utf-8")
    command = ["check", "verdict.json", "--mean-at-most", "0.5", "--out"]
    before = (here / name).read_bytes()
    refused(capsys, *command, name)
    assert (here / name).read_bytes() == before
    assert main([*command, "comment.md"]) == main([*command, "comment.md"]) == 0


@pytest.mark.parametrize("name", ["board.json", "board.csv", "board.html"])
def test_a_board_writes_over_boards_only(here, capsys, name):
    (here / "study").mkdir()
    (here / "study" / "verdict.json").write_text(verdict(simulator("model")).text(), "utf-8")
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
