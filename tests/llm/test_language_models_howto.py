"""The guide on language models: its config."""

import re

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
