"""The guide on evaluations: what it says to run runs, and gives what it says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_study import forked

REPOSITORY = Path(__file__).resolve().parents[2]
GUIDE = (REPOSITORY / "docs" / "howto" / "evaluations.md").read_text("utf-8")


COMMANDS = re.findall(r"^    \.venv/bin/fidelity-curves (.+)$", GUIDE, re.MULTILINE)
LOGS = Path(__file__).parent / "logs"


def test_its_command_on_logs(tmp_path):
    (command,) = (each for each in COMMANDS if each.startswith("start "))
    (tmp_path / "logs").mkdir()
    for log in LOGS.glob("sums_*"):
        shutil.copy(log, tmp_path / "logs")
    called = [sys.executable, "-m", "fidelity_study", *command.split()]
    done = subprocess.run(called, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "groups of questions: 6, by passage" in done.stdout
    assert (tmp_path / "evals.yaml").is_file()


@pytest.mark.slow
def test_its_command(tmp_path):
    (command,) = (each for each in COMMANDS if each.startswith("run "))
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    called = [sys.executable, "-m", "fidelity_study", *command.split(), "--cores", "2"]
    environment = {**os.environ, **forked()}
    done = subprocess.run(called, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = (tmp_path / "results" / "evaluations" / "findings.md").read_text("utf-8")
    said = " ".join(said.replace("**", "").split())
    told = " ".join(GUIDE.split())
    answer = "Galleon scores 18.3 points higher than Dreadnought on reading (95 %: 1.2 to 35.5)"
    assert answer in said and answer in told
    assert "on sums it is not settled" in said
    assert (tmp_path / "results/evaluations/report.html").is_file()
    assert (tmp_path / "results/evaluations/reading_and_sums/means.csv").is_file()


def test_its_config_is_the_one_in_the_folder():
    (config,) = re.findall(r"```yaml\n(.+?)```", GUIDE, re.DOTALL)
    assert config == (REPOSITORY / "config" / "evaluations.yaml").read_text("utf-8")


def test_its_python(capsys):
    (code,) = re.findall(r"```python\n(.+?)```", GUIDE, re.DOTALL)
    exec(code, {})
    assert re.fullmatch(r"\+0\.25, .+; r = 0\.58\n", capsys.readouterr().out)


def test_its_exit_statuses():
    (code,) = re.findall(r"```python\n(.+?)```", GUIDE, re.DOTALL)
    statements = re.findall(r"`(raise SystemExit\(.+?)`", GUIDE)
    (rerun,) = re.findall(r"`(if .+: raise SystemExit\(.+\))`", GUIDE)
    assert len(statements) == 2
    few, all_right = [1, 0, 0, 0, 0, 0, 0, 0], [1] * 8
    for better, worse in (all_right, few), (few, all_right):
        said = code.replace("[1, 1, 1, 0, 1, 0, 1, 1]", str(better))
        said = said.replace("[1, 0, 1, 0, 1, 0, 0, 1]", str(worse))
        for statement in statements:
            ended = subprocess.run([sys.executable, "-c", said + statement], capture_output=True)
            assert ended.returncode == int(better == few)
            assert not ended.stderr
    own, other = "[1, 1, 1, 0, 1, 0, 1, 1]", "[1, 0, 1, 0, 1, 0, 0, 1]"
    broken = code.replace(own, str([0] * 8)).replace(other, str([1] * 8))
    for said, status in ((code.replace(other, own), 0), (broken, 1), (code, 3)):
        said += f"{rerun}\nraise SystemExit(3)"
        assert subprocess.run([sys.executable, "-c", said], check=False).returncode == status


def test_the_readme_of_the_results_names_every_column():
    from fidelity_study.tables import evaluation

    readme = (REPOSITORY / "results" / "README.md").read_text("utf-8")
    schemas = [getattr(evaluation, name) for name in dir(evaluation) if name.isupper()]
    names = {name for schema in schemas if hasattr(schema, "names") for name in schema.names}
    assert names - set(re.findall(r"\w+", readme)) <= {"of", "margin"}
