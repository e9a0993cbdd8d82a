"""Names that are formulas, markup and paths: they are only names, from the data to the report."""

import csv
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from small_study import Project, copy_project

from fidelity_study.tables import ingest
from fidelity_study.tables.read_write import read, read_csv

pytestmark = pytest.mark.minutes

IMAGE = "<img src=x onerror=alert(1)>"
SCENARIOS = [
    *("=cmd|' /C calc'!A0", "@SUM(1+1)*cmd|' /C calc'!A0", "+1", "-2", "'=1+1", "''", "~", "CON"),
    *("../../escaped", "/tmp/escaped", IMAGE, "\u202egnp.exe", "{dataset}", "{{ 6 * 7 }}"),
    *("'; DROP TABLE people; --", "$(touch escaped)", "`touch escaped`", "a\\nb", "%s%n"),
    "\U0001f600",
]
CLUSTERS = ["=1+1", "../../escaped", IMAGE, "-"]
OPTIONS = ["=2+5", "@yes", IMAGE, "../../escaped"]
SIMULATORS = ['=HYPERLINK("http://example.org","x")', "-2+3", "../../escaped", IMAGE]
SIMULATORS += ["'=1", "\u202ex"]
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
CONFIG = {
    "grid": {"n": ["all"], "k": [10], "gamma": [0.5], "replicates": 1},
    "datasets": {
        "town": {
            "title": IMAGE,
            "ingest": "tabular",
            "human": "data/=human.csv",
            "simulated": "data/simulated.csv",
            "scenarios": "data/scenarios.csv",
            "outcome": {"kind": "categorical", "levels": OPTIONS},
            "cluster": "=cluster",
            "simulators": SIMULATORS,
            "draws": 20,
            "figures": ["curve"],
        }
    },
}


class Elements(HTMLParser):
    """Collects the elements of a page that a name would bring in."""

    def __init__(self, page: str):
        """Read the page."""
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        """Remember an image that would run a script."""
        if "onerror" in dict(attrs):
            self.found.append(tag)


def rows(path: Path, columns: list[str], content: list[list]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *content])


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Project:
    """A study of such names, run from beginning to end beside a file that it must leave alone."""
    beside = tmp_path_factory.mktemp("beside")
    (beside / "canary.txt").write_text("sings", encoding="utf-8")
    project = Project(copy_project(tmp_path_factory.mktemp("project")).root, beside / "study")
    data = project.folder / "data"
    data.mkdir(parents=True)
    clusters = [[name, CLUSTERS[i % 4]] for i, name in enumerate(SCENARIOS)]
    rows(data / "scenarios.csv", ["scenario", "=cluster"], clusters)
    people = [
        [name, option, 3 + (i + j) % 4]
        for i, name in enumerate(SCENARIOS)
        for j, option in enumerate(OPTIONS)
    ]
    rows(data / "=human.csv", ["scenario", "value", "count"], people)
    simulated = [
        [name, simulator, option, 5]
        for name in SCENARIOS
        for i, simulator in enumerate(SIMULATORS)
        for option in OPTIONS[i % 3 : i % 3 + 2]
    ]
    rows(data / "simulated.csv", ["scenario", "simulator", "value", "count"], simulated)
    (project.folder / "config.yaml").write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
    project.run("--configfile", "config.yaml", cores=1)
    return project


def test_no_cell_of_a_result_is_a_formula(finished):
    results = finished.folder / "results" / "default"
    texts = set()
    for path in results.rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        live = [cell for cell in cells if cell.startswith(STARTS) and not is_number(cell)]
        assert live == [], path
        texts |= set(cells)
    assert {f"'{name}" for name in SIMULATORS if name.startswith(("=", "-", "'"))} <= texts


def is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?\d+(\.\d*)?(e[+-]?\d+)?|-inf", cell) is not None


def test_names_are_read_as_they_were_written(finished):
    summary = read_csv(finished.folder / "results" / "default" / "town" / "summary.csv")
    assert {row["simulator"] for row in summary} == set(SIMULATORS)
    shares = read_csv(
        finished.folder / "results" / "default" / "town" / "comparison" / "shares.csv"
    )
    assert {row["other"] for row in shares} == set(SIMULATORS)
    scenarios = read(
        finished.folder / "results" / "default" / "town" / "scenarios.parquet", ingest.SCENARIOS
    )
    assert set(scenarios["scenario"].to_pylist()) == set(SCENARIOS)
    assert set(scenarios["cluster"].to_pylist()) == set(CLUSTERS)
    assert scenarios["option"].to_pylist() == [OPTIONS] * len(SCENARIOS)


def test_no_name_becomes_a_file(finished):
    made = {path.relative_to(finished.folder).as_posix() for path in finished.folder.rglob("*")}
    made = {path for path in made if not path.startswith((".snakemake", "data"))}
    assert {path.split("/")[0] for path in made} == {"config.yaml", "results", "logs", "benchmarks"}
    assert [path for path in made if not re.fullmatch(r"[a-z0-9_./]+", path)] == []
    assert not [path for path in made if "escaped" in path]
    assert sorted(path.name for path in finished.folder.parent.iterdir()) == ["canary.txt", "study"]
    assert not Path("/tmp/escaped").exists()


def test_no_name_is_markup_in_the_report(finished):
    page = (finished.folder / "results" / "default" / "report.html").read_text(encoding="utf-8")
    assert "&lt;img src=x onerror=" in page
    assert "\\u003cimg src=x onerror=" in page
    assert Elements(page).found == []
