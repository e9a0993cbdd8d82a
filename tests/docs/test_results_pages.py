"""The pages of results: links, images, commands, dates; the benchmark beside others."""

import importlib
import re
import shlex
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from pathlib import Path

import pytest
import yaml
from PIL import Image
from small_study import REPOSITORY

from fidelity import CONFIDENCE_SETS, DISCREPANCIES
from fidelity_study.__main__ import commands
from fidelity_study.app.run.figure import refuse_undrawable
from fidelity_study.config import keys
from fidelity_study.config.project import room_keys
from fidelity_study.config.read import study_of
from fidelity_study.config.study import Study
from fidelity_study.report.figures import BY_DEFAULT, ON_REQUEST
from fidelity_study.root import ROOMS
from fidelity_study.steps.registry import OF_EVALUATIONS, STEPS

RESULTS = REPOSITORY / "docs" / "results"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(RESULTS.glob("*.md"))}
COMMANDS = sorted(
    {line for text in PAGES.values() for line in re.findall(r"^    (\S.*)$", text, re.MULTILINE)}
)
INLINE = sorted(
    {
        code
        for text in PAGES.values()
        for code in re.findall(r"`((?:make|fidelity-curves|python|benchmark/)[^`]*)`", text)
    }
)
TARGETS = set(re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE))

RUN = sorted(set(re.findall(r"fidelity-curves run (config/\S+\.yaml)$", PAGES["gallery"], re.M)))
STUDIES = [study_of(REPOSITORY / each) for each in RUN]


def follow(command: str) -> None:
    """Raise if a command isn't one: of make, of this project, or a script of the benchmark."""
    program, *arguments = shlex.split(command)
    if program == "make":
        assert set(arguments) <= TARGETS
    elif Path(program).name == "fidelity-curves":
        name, *given = arguments
        context = commands.commands[name].make_context(name, given)
        if name == "figure":
            folder = context.params["results"]
            (study,) = (each for each in STUDIES if folder.parent == Path(each.folder))
            assert folder.name in study.datasets
            refuse_undrawable(study, context.params["kind"], folder.name)
        else:
            assert (REPOSITORY / given[0]).is_file()
    else:
        script = arguments[0] if program == "python" else program
        assert (REPOSITORY / script).is_file()
        known = (REPOSITORY / script).read_text("utf-8")
        assert all(f'"{each}"' in known for each in arguments if each.startswith("--"))


@pytest.mark.parametrize("command", [*COMMANDS, *INLINE])
def test_each_command_exists(command, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    follow(command)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    links = re.findall(r"\]\((?!http)([^)#]+)", PAGES[name])
    assert not [each for each in links if not (RESULTS / each).is_file()]


def test_images_are_shown_once_and_are_small():
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", "".join(PAGES.values()))
    assert sorted(shown) == sorted(path.name for path in RESULTS.glob("*.png"))
    for name in shown:
        assert (RESULTS / name).stat().st_size <= 120_000
        with Image.open(RESULTS / name) as image:
            assert 900 <= image.width <= 1100


def test_each_figure_has_its_caption_and_its_command():
    parts = PAGES["gallery"].split("\n## ")[1:]
    assert 8 <= len(parts) <= 12
    for part in parts:
        assert re.search(
            r"!\[.+\]\(.+\.png\)\n\n\*[^*]+\*\n\n    \.venv/bin/fidelity-curves ", part
        )


def test_numbers_of_popfidelity_and_ours_are_those_that_the_script_prints(monkeypatch):
    monkeypatch.syspath_prepend(REPOSITORY / "benchmark")
    peers = importlib.import_module("peers")
    for row in islice(peers.popfidelity_distances(peers.Survey()), 2):
        shown = f"| {row.name} | {peers.text(row.theirs)} | {peers.text(row.ours)} |"
        assert f"| popfidelity {version('popfidelity')} {shown}" in PAGES["others"]


@pytest.mark.minutes
def test_captions_have_the_numbers_of_the_default_study(default_study):
    people, model, scores = (
        default_study.table(f"ces_2024/{name}.parquet")
        for name in ("outcomes", "stated", "calibration/scores")
    )

    shown = "economy_retro|Female|30-44|Other|High school or less"
    people = people[(people.scenario == shown) & (people.source == "human")]
    model = model[(model.scenario == shown) & (model.source == "ntp")]
    share = people["count"][people.value == 5].sum() / people["count"].sum()
    stated = model.probability[model.value == 5].item()
    row = scores.set_index("simulator").loc["ntp"]
    caption = " ".join(PAGES["gallery"].split())
    assert f"In this group {100 * share:.1f} % of people" in caption
    assert f"the model states {100 * stated:.1f} %" in caption
    assert f"rest on {people['count'].sum():.0f} women" in caption
    assert f"it states {100 * (row.accuracy + row.overconfidence):.0f} % on average" in caption
    assert f"and {100 * row.accuracy:.0f} % of voters choose that option" in caption
    gap = f"{100 * row.overconfidence_lower:.0f} to {100 * row.overconfidence_upper:.0f}"
    assert f"The gap is {gap} percentage points" in caption


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
