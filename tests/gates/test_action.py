"""The GitHub Action: its steps run as action.yml has them, with what GitHub gives them."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from small_study import REPOSITORY
from verdicts import left

ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}
GH = """#!/bin/sh
echo "$@" > gh_arguments
cp "$9" gh_body
"""


def run(folder, name, **given):
    """Run a step in bash, with its environment; return its exit status."""
    environment = {
        key: re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: given[match[1]], text)
        for key, text in STEPS[name]["env"].items()
    }
    scripts = Path(sys.executable).parent
    places = {"GITHUB_OUTPUT": folder / "output", "GITHUB_STEP_SUMMARY": folder / "summary"}
    environment |= {"PATH": f"{folder}:{scripts}:{os.environ['PATH']}", **places}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
    return subprocess.run(command, cwd=folder, env={**os.environ, **environment}).returncode


@pytest.mark.slow
@pytest.mark.parametrize(
    ("conditions", "status"),
    [("--mean-at-most 0.1 --within 80%", 0), ("--mean-at-most 0.02", 1), ("--mean-at-most .05", 2)],
)
def test_the_action_checks_comments_and_ends_with_the_status(tmp_path, conditions, status):
    left(tmp_path)
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(stat.S_IRWXU)
    given = {"inputs.results": ".", "inputs.conditions": conditions}
    assert run(tmp_path, "Check", **given) == 0
    assert (tmp_path / "output").read_text() == f"status={status}\n"
    server = {"github.server_url": "https://github.com", "github.repository": "o/r"}
    github = {"github.token": "t", "github.event.pull_request.number": "7", "github.run_id": "1"}
    assert run(tmp_path, "Comment", **server, **github) == 0
    body = (tmp_path / "gh_body").read_text("utf-8")
    assert f"Exit status {status}" in body
    assert "| model | 0.060 | 0.030 to 0.090 | 1–2 | 8 | 1 |" in body
    assert re.search(r"^model +─*●─+ *│$", body, re.MULTILINE)
    assert "https://github.com/o/r/actions/runs/1" in body
    assert (tmp_path / "gh_arguments").read_text().startswith("pr comment 7 --repo o/r")
    assert body.startswith((tmp_path / "summary").read_text("utf-8"))
    assert run(tmp_path, "Exit", **{"steps.check.outputs.status": str(status)}) == status


@pytest.mark.slow
def test_without_a_finished_study_the_action_fails(tmp_path):
    given = {"inputs.results": "nowhere", "inputs.conditions": "--mean-at-most 0.1"}
    assert run(tmp_path, "Check", **given) == 0
    assert (tmp_path / "output").read_text() == "status=2\n"


def test_every_input_is_used_and_known():
    text = (REPOSITORY / "action.yml").read_text("utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(ACTION["inputs"])
    assert "[study]" in STEPS["Install"]["run"]
    assert 'run "$CONFIG"' in STEPS["Study"]["run"]
