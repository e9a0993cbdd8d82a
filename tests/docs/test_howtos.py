"""Guides whose commands, code or names no other test takes, followed in a copy of the project."""

import re
import shutil

import matplotlib.pyplot as plt
import pytest
import yaml
from guides import call, clone, commands, page, write_files
from PIL import Image
from small_study import REPOSITORY

from fidelity_study.config.project import figures
from fidelity_study.config.study import Study
from fidelity_study.report.figures import BY_DEFAULT, ON_REQUEST, style

CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PLANNED = re.compile(r"^total +(\d+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The example study, finished, in a copy of the project."""
    folder = clone(tmp_path_factory.mktemp("clone"))
    shutil.copy(REPOSITORY / "config" / "config.yaml", folder / "config")
    (run,) = {
        command
        for name in ("figure", "own_data")
        for command in commands(page(f"howto/{name}"))
        if " run " in command
    }
    call(run, folder)
    return folder


@pytest.mark.minutes
def test_a_finished_study_is_resumed_and_verified(project):
    """The first here: the guide on figures adds one to the study."""
    resume, verify = commands(page("howto/resume"))
    assert "Nothing to be done" in call(resume, project)
    assert "all made from the files that are there" in call(verify, project)


def test_the_guide_on_figures_lists_all():
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", page("howto/figure"), re.MULTILINE)
    listed = re.findall(r"`(\w+)`", "".join(rows))
    assert sorted(listed) == sorted([*BY_DEFAULT, *ON_REQUEST]) == sorted(figures())


@pytest.mark.minutes
def test_a_figure_for_a_paper_is_as_the_guide_says(project):
    text = page("howto/figure")
    _, draw, write = commands(text)
    printed = call(draw, project)
    assert printed.split()[:2] == re.findall(r"`(figures/\w+\.\w+)`", text)
    picture = Image.open(project / "figures" / "ranking.png")
    assert f"{style.PRINT} dots per inch" in text
    assert abs(picture.width - style.NARROW * style.PRINT) <= 1
    assert "booktabs" in call(f"{write} && cat tables/ranking.tex", project)
    (line,) = re.findall(r"```text\n(.*)\n```", text)
    parts = [re.escape(part) for part in line.split("\N{HORIZONTAL ELLIPSIS}")]
    assert re.fullmatch(r"[\w ()]+".join(parts), picture.text["Description"])
    (verify,) = re.findall(r"`(\.venv/bin/fidelity-curves verify \S+)`", text)
    assert "all made from the files that are there" in call(verify, project)


@pytest.mark.minutes
@pytest.mark.parametrize("name", ["figure", "notebook"])
def test_the_code_of_a_guide_runs(project, name):
    code = "\n".join(CODE.findall(page(f"howto/{name}")))
    (project / "guide.py").write_text(code, encoding="utf-8")
    printed = call(".venv/bin/python guide.py", project)
    assert ("Simulators by their" in printed) == (project / "ranking.pdf").is_file()
    (project / "ranking.pdf").unlink(missing_ok=True)


@pytest.mark.minutes
def test_a_figure_of_ones_own_is_drawn(project):
    text = page("howto/extensions")
    write_files(text, project)
    config = project / "config" / "example.yaml"
    before = config.read_text(encoding="utf-8")
    (line,) = re.findall(r"^extensions: \[people.*$", text, re.MULTILINE)
    config.write_text(f"{before}\n{line}\n", encoding="utf-8")
    try:
        for command in commands(text):
            call(command, project)
    finally:
        config.write_text(before, encoding="utf-8")
    caption = (project / "town_survey_people.txt").read_text("utf-8")
    assert caption.startswith("People of each question. ")
    assert plt.imread(project / "town_survey_people.png").std() > 0.05


@pytest.mark.minutes
def test_own_data_are_read_and_give_the_numbers_that_the_guide_tells(project):
    text = page("howto/own_data")
    start, _ = commands(text)
    for name in ("human", "simulated"):
        shutil.copy(project / "config" / "example" / f"{name}.csv", project)
    call(start, project)
    assert yaml.safe_load((project / "human.yaml").read_text("utf-8"))["datasets"]
    findings = (project / "results/example/town_survey/findings.md").read_text("utf-8")
    shown = re.findall(r"(\d+) to (\d+)(?= of 100 answers|\))", " ".join(text.split()))
    ends = re.findall(r"\*\*(language_model|uniform guess)\*\*[^*]*?(0\.\d+) to (0\.\d+)", findings)
    model, guess = (
        tuple(f"{100 * float(end):.0f}" for end in next(row[1:] for row in ends if row[0] == name))
        for name in ("language_model", "uniform guess")
    )
    assert shown == [model, guess]


@pytest.mark.minutes
@pytest.mark.parametrize("name", ["published_models", "config"])
def test_a_study_of_a_guide_is_planned(project, name):
    for command in commands(page(f"howto/{name}")):
        if " run " in command:
            printed = call(f"{command.removesuffix(' --dry-run')} --dry-run", project)
            assert int(PLANNED.findall(printed)[-1]) > 20
        elif not command.startswith("make "):
            call(command, project)


def test_the_guide_on_the_paper_names_its_datasets():
    study = Study(yaml.safe_load((REPOSITORY / "config" / "paper.yaml").read_text("utf-8")))
    rows = re.findall(r"^\| .* \| (`.*`) \| .* \|$", page("howto/paper"), re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", "".join(rows)))
    theirs = {name for name in study.datasets if name.startswith("paper_") or name == "umar"}
    assert named == theirs


def test_the_key_of_the_guide_on_plans_is_sound():
    (key,) = commands(page("howto/plan"))
    dataset = {"ingest": "bfi", "outcome": {"kind": "ordinal"}, "grid": {"discrepancy": ["w1"]}}
    dataset |= yaml.safe_load(key)
    assert Study({"datasets": {"items": dataset}}).datasets["items"]["plan"]["width"] == [
        0.05,
        0.02,
    ]
