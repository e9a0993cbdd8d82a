"""The registry of steps and tables, against the modules and the page that it speaks of."""

import re

import pytest
from small_study import REPOSITORY

from fidelity_study.steps.registry import SHOWN, STEPS, TABLES

README = (REPOSITORY / "results" / "README.md").read_text(encoding="utf-8")
ENDS = r"(_ci)?_(lower|upper|low|high)$"  # of intervals, which the page names by their middle


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.path)
def test_a_table_has_a_step_and_a_place_in_the_readme_of_the_results(table):
    assert table.step in STEPS
    for path in table.files.values():
        place = path.replace("{n}", "<n>").replace("{asked}", "<simulator>")
        assert f"`{place}`" in README
    words = set(re.findall(r"\w+", README))
    columns = [] if table.path.endswith(".csv") else table.read_schema().names
    assert [name for name in columns if not {name, re.sub(ENDS, "", name)} & words] == []


def test_tables_have_paths_and_names_of_their_own():
    paths = [path for table in TABLES for path in table.files.values()]
    assert len(paths) == len(set(paths))
    outputs = [(table.step, name) for table in TABLES for name in table.files]
    assert len(outputs) == len(set(outputs))
    assert len(SHOWN) == len([table for table in TABLES if table in SHOWN.values()])
