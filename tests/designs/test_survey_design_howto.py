"""The commands and configs of docs/howto/survey_design.md, on a survey as it describes it."""

import re
import shlex

import pytest
import yaml
from cells import start_with
from small_study import REPOSITORY
from surveyed import write

HOWTO = (REPOSITORY / "docs" / "howto" / "survey_design.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    \.venv/bin/fidelity-curves (start .*)$", HOWTO, re.MULTILINE)
BLOCKS = [
    block if block.startswith("datasets") else yaml.safe_load(block)
    for block in re.findall(r"^```yaml\n(.*?)^```", HOWTO, re.MULTILINE | re.DOTALL)
]
FIRST, *OTHERS = BLOCKS


@pytest.fixture(autouse=True)
def files(here):
    write()


def settings_of(command: str) -> dict:
    """Return what a command writes under its dataset, the name of weights as the how-to has it."""
    _, *arguments = shlex.split(command)
    facts = (
        [] if "--groups" in command else ["columns.csv: sex: ignore", "columns.csv: age: ignore"]
    )
    assert start_with([*arguments, *facts, "--out", "town.yaml"]) == 0
    with open("town.yaml", encoding="utf-8") as file:
        (found,) = yaml.safe_load(file)["datasets"].values()
    return {**found, "weight": found["columns"]["weight"]}


@pytest.mark.sampled
@pytest.mark.parametrize(("command", "block"), list(zip(COMMANDS, BLOCKS, strict=True)))
def test_a_command_writes_the_config_beside_it(command, block):
    block = yaml.safe_load(block)["datasets"]["people"] if isinstance(block, str) else block
    assert settings_of(command).items() >= block.items()
