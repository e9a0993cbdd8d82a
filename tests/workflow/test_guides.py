"""What the commands say of themselves, and the pages of the documentation that refusals name."""

import re

import pytest
from small_study import REPOSITORY

from fidelity_study import guides
from fidelity_study.__main__ import commands, main
from fidelity_study.errors import refusal

IN_ORDER = [
    "start",
    "run",
    "embed",
    "resume",
    "figure",
    "table",
    "versions",
    "board",
    "check",
    "verify",
]
PAGES = {*guides.COMMANDS.values(), *guides.KEYS.values(), guides.FILES, guides.EACH_KEY}


def test_every_page_is_there():
    assert not [page for page in PAGES if not (REPOSITORY / page).is_file()]


def test_every_command_is_told_in_order_with_examples_that_name_commands(capsys):
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    assert re.findall(r"^  ([\w-]+)  +\S", told.partition("Commands:")[2], re.M) == IN_ORDER
    called = re.findall(r"^    fidelity-curves (\w+)", told, re.M)
    assert len(called) == 3
    assert set(called) <= set(IN_ORDER)


@pytest.mark.parametrize("command", IN_ORDER)
def test_the_help_of_a_command_has_examples_it_takes_and_names_its_page(capsys, command):
    assert main([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert f"See {guides.COMMANDS[command]}" in told
    examples = re.findall(rf"^    fidelity-curves {command}(.*)$", told, re.M)
    assert examples
    options = {option for each in commands.commands[command].params for option in each.opts}
    if command not in ("run", "resume"):  # Snakemake takes all others
        named = {word for each in examples for word in each.partition(" -- ")[0].split()}
        assert {word for word in named if word.startswith("--")} <= options


@pytest.mark.parametrize(
    ("place", "page"),
    [
        ({"key": "datasets.town.predict.gamma"}, "docs/howto/predict.md"),
        ({"key": "datasets.town.simulate.gpt.model"}, "docs/howto/language_models.md"),
        ({"key": "datasets.town"}, "config/README.md"),
        ({"key": "grid.n"}, "config/README.md"),
        ({"key": "config"}, "config/README.md"),
        ({"file": "config/mine.yaml", "line": 3}, "config/README.md"),
        ({"key": "evaluations.maths.margin"}, "docs/howto/evaluations.md"),
        ({"file": "human.csv", "row": 2, "column": "value"}, "docs/reference/tabular.md"),
    ],
)
def test_a_fault_of_a_config_names_the_page_on_its_key(place, page):
    error = refusal("wrong", "is wrong", **place)
    assert guides.with_pages(error) == f"{error}\nSee {page}"
