"""Progress: a bar on a terminal, a line for each step elsewhere, and what fails stays readable."""

import os
import pty
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
import two_questions
import yaml
from small_study import REPOSITORY
from snakemake_interface_logger_plugins.common import LogEvent

from fidelity_study.app.run import live
from fidelity_study.progress import FOLDER, bar, duration, states

CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
TABLE = "results/default/town/outcomes.parquet"


@pytest.fixture
def town(tmp_path):
    """Return a folder with the files of a study."""
    two_questions.write(tmp_path)
    text = yaml.safe_dump(two_questions.config("town"))
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def command(*arguments):
    shared = ["--cores", "1", "--logger", "fidelity", "--snakefile", str(REPOSITORY / "Snakefile")]
    return [sys.executable, "-m", "snakemake", *arguments, *shared, "--configfile", "config.yaml"]


def on_terminal(folder, *arguments):
    """Return the exit status, and what a terminal of 100 columns got, codes taken out."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "100", "LINES": "40", "TERM": "xterm"}
    started = subprocess.Popen(
        command(*arguments), cwd=folder, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    got = b""
    while piece := _read(ours):
        got += piece
    os.close(ours)
    return started.wait(), CODES.sub("", got.decode())


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


NOTE = "ingest_tabular: human.csv: not read: 'age'"


def with_ages(town):
    """Give people's file a column that is not read."""
    answers = [("yes", 30), ("yes", 40), ("no", 50)]
    rows = [f"{name},{value},{age}" for name in "ab" for value, age in answers]
    (town / "human.csv").write_text("\n".join(["scenario,value,age", *rows]), encoding="utf-8")


@pytest.mark.minutes
def test_a_terminal_gets_a_bar_and_notes(town):
    with_ages(town)
    status, said = on_terminal(town, TABLE)
    assert status == 0, said
    assert "0 of 1 steps, starting" in said
    assert "  ingest_tabular dataset=town" in said
    assert re.search(r"\r1 of 1 steps done in \d+ s\r\n$", said)
    assert "jobid" not in said
    assert said.count(NOTE) == 1, said
    assert NOTE in (town / "logs/default/town/ingest.log").read_text(encoding="utf-8")


def in_a_log(folder, *arguments):
    """Return what a run says that nobody watches."""
    forced = {**os.environ, "FORCE_COLOR": "1"}  # as in a notebook
    run = {"cwd": folder, "env": forced, "capture_output": True, "text": True}
    done = subprocess.run(command(*arguments), **run)
    assert "\x1b" not in done.stderr and "\r" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.slow
def test_a_log_gets_a_line_for_each_step_and_notes(town):
    with_ages(town)
    status, said = in_a_log(town, TABLE)
    assert status == 0, said
    assert re.search(
        r"\n0 of 1 steps\n(.+\n)*1 of 1 steps: ingest_tabular dataset=town\n(.+\n)*"
        r"1 of 1 steps done in \d+ s\n$",
        said,
    )
    assert NOTE in said
    assert "jobid" not in said


def test_a_long_step_says_how_far_it_is_in_a_log(monkeypatch, capsys):
    monkeypatch.setattr(live, "A_MINUTE", 0.05)
    monkeypatch.setenv(FOLDER, "")  # which the log sets, and which is taken back
    log = live.Log(None)
    log.emit(SimpleNamespace(event=LogEvent.RUN_INFO, stats={"total": 2}))
    with bar("asking", total=4) as asking:
        asking.update(3)
        asking.refresh()
        for _ in range(100):
            time.sleep(0.05)
            if "3/4" in (said := capsys.readouterr().err):
                break
        else:
            raise AssertionError(said)
    log.close()
    assert capsys.readouterr().err.endswith("0 of 2 steps done in 0 s\n")


@pytest.mark.minutes
def test_what_failed_stays_on_the_terminal_once(town):
    two_questions.write(town, yes=2 * 10**9)
    status, said = on_terminal(town, TABLE)
    assert status == 1
    message = "column 'count' adds up to a billion or more"
    assert said.count(message) == 1, said
    assert "ingest_tabular dataset=town failed" in said
    assert "logs/default/town/ingest.log says:" in said
    assert re.search(r"\r0 of 1 steps done in \d+ s\r\n$", said)


@pytest.mark.slow
def test_a_config_with_faults_is_told_on_a_terminal(town):
    (town / "config.yaml").write_text("datasets: 3\n", encoding="utf-8")
    status, said = on_terminal(town)
    assert status == 1
    assert said.count("the config has faults; nothing was run") == 1
    assert "steps" not in said


def test_a_long_step_tells_the_studys_bar_how_far_it_is(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv(FOLDER, str(tmp_path))
    with bar("town/model", total=4, unit="prompt", mininterval=0) as asked:
        asked.update(3)
        asked.refresh()
        (state,) = states(tmp_path)
        assert re.match(r"town/model:  75%.* 3/4 ", state)
    assert states(tmp_path) == []
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (125, "2 min 05 s"), (7260, "2 h 01 min")],
)
def test_durations_in_words(seconds, words):
    assert duration(seconds) == words
