"""The page that says which number to report: its files, columns and commands exist."""

import re

import pytest
from small_study import REPOSITORY

from fidelity_study.__main__ import commands
from fidelity_study.app.board.board import COLUMNS

PAGE = (REPOSITORY / "docs" / "method" / "which_number.md").read_text(encoding="utf-8")
FILES = (REPOSITORY / "results" / "README.md").read_text(encoding="utf-8")
SCHEMA = (REPOSITORY / "docs" / "reference" / "verdict.schema.json").read_text(encoding="utf-8")
WORDS = {"asked", "new", "true", "within", "farther", "uniform", "same", "opposite"}
ITEMS = [" ".join(item.split()) for item in re.split(r"\n\s*- |\n\n", PAGE) if "`" in item]
FILE = r"[\w/]+\.(?:csv|parquet|json)"


def explained(name):
    """Return what the reference says of a file's columns."""
    if name == "verdict.json":
        return SCHEMA
    if name == "board.csv":
        return " ".join(f"`{column}`" for column in COLUMNS)
    rows = [line for line in FILES.splitlines() if f"`{name}`" in line.split(" | ")[0]]
    assert rows, name
    return " ".join(rows)


def named(item):
    """Return the files that an item names, and the columns in it."""
    codes = re.findall(r"`([^`]*)`", item)
    files = [code for code in codes if re.fullmatch(FILE, code)]
    return files, [code for code in codes if re.fullmatch(r"[a-z_0-9]+", code)]


@pytest.mark.parametrize(
    "item",
    [item for item in ITEMS if named(item)[0] and named(item)[1]],
    ids=lambda item: item[:40],
)
def test_each_file_has_the_columns_named_with_it(item):
    files, columns = named(item)
    text = " ".join(explained(name) for name in files)
    for column in set(columns) - WORDS - {"answers", "people"}:
        parts = {column, re.sub(r"_(lower|upper)$", "", column)}
        assert any(re.search(rf"[`\"]{part}[`\"]", text) for part in parts), (column, files)


def test_each_file_is_in_the_reference():
    names = {name for item in ITEMS for name in named(item)[0]}
    assert len(names) > 25
    assert all(explained(name) for name in names - {"people.csv", "model.csv"})


@pytest.mark.parametrize(
    "line",
    re.findall(r"`((?:start|board|versions|check) [^`]*)`", PAGE.replace("\n    ", " ")),
)
def test_each_command_has_the_options_named(line):
    name, *rest = line.split()
    options = {option for parameter in commands.commands[name].params for option in parameter.opts}
    assert {word for word in rest if word.startswith("--")} <= options
