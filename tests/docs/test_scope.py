"""docs/method/scope.md: all that it names is there."""

import re
from importlib import import_module

import pytest
import yaml
from small_study import REPOSITORY

from fidelity import CONFIDENCE_SETS, DISCREPANCIES
from fidelity_study.config import keys
from fidelity_study.config.project import room_keys
from fidelity_study.config.study import Study
from fidelity_study.report.figures import BY_DEFAULT, ON_REQUEST
from fidelity_study.root import ROOMS
from fidelity_study.steps.registry import OF_EVALUATIONS, STEPS

PAGE = (REPOSITORY / "docs" / "method" / "scope.md").read_text(encoding="utf-8")
ROWS = [line[2:].split(": ", 1) for line in PAGE.splitlines() if line.startswith("- ")]
NAMED = re.compile(r"(?:(step|key|set|discrepancy|figure|dataset|file|argument) )?`([^`]+)`")
NAMES = {
    "step": {*STEPS, *OF_EVALUATIONS},
    "set": {*CONFIDENCE_SETS},
    "discrepancy": {*DISCREPANCIES},
    "figure": {*BY_DEFAULT, *ON_REQUEST},
    "dataset": {room.name for room in ROOMS.iterdir()},
}


def parts(schema: dict):
    """Yield a schema and those that it consists of, on the same level."""
    yield schema
    for key in ("then", "else"):
        if isinstance(schema.get(key), dict):
            yield from parts(schema[key])
    for other in schema.get("anyOf", ()):
        yield from parts(other)


def is_key(path: str) -> bool:
    here = [keys.Study.schema]
    for name in path.split("."):
        if name.startswith("<"):
            here = [
                inner
                for schema in here
                for some in parts(schema)
                if isinstance(inner := some.get("additionalProperties"), dict)
            ]
        else:
            here = [
                some["properties"][name]
                for schema in here
                for some in parts(schema)
                if name in some.get("properties", {})
            ]
    return bool(here)


def exists(what: str, name: str) -> bool:
    """Return whether a named thing is there."""
    if what in NAMES:
        return name in NAMES[what]
    if what == "file":
        return (REPOSITORY / name).is_file()
    if what == "key":
        own = name.removeprefix("datasets.<name>.")
        return is_key(name) or own in room_keys("tabular")["properties"]
    if what == "argument" or not name.startswith("fidelity."):
        return what == "argument" or name == "real"
    path, _, function = name.rpartition(".")
    return callable(getattr(import_module(path), function))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:58])
def test_what_a_row_names_is_there(row):
    assert len(row) == 2
    named = NAMED.findall(row[1])
    assert named or "](" in row[1]
    assert [name for what, name in named if not exists(what, name)] == []


def test_version_1_of_the_paper_has_one_coverage():
    text = (REPOSITORY / "config" / "paper_v1.yaml").read_text("utf-8")
    datasets = Study(yaml.safe_load(text)).datasets
    assert {str(known["grid"]["gamma"]) for known in datasets.values()} == {"[0.5]"}
    assert datasets["tightness"]["grid"]["n"] == [100, 200, 500, 1000]


def test_the_four_documents_are_named_and_their_items_many():
    assert PAGE.count("\n## ") == 4
    assert sum(len(NAMED.findall(where)) for _, where in ROWS) > 120
