"""The files, the config and the command of docs/howto/predict.md."""

import re
import shlex
import textwrap
from io import StringIO
from math import ceil, log

import pandas as pd
import pytest
import yaml
from asked_and_new import names, write
from small_study import REPOSITORY, copy_project

from fidelity.prediction import allowed_miss, questions_needed
from fidelity_study.config.keys import Predict, Target

HOWTO = (REPOSITORY / "docs" / "howto" / "predict.md").read_text(encoding="utf-8")
FILES = re.findall(r"`(\w+\.csv)`[^`]*?:\n\n((?:    .*\n)+)", HOWTO)
CONFIG, *OTHERS = re.findall(r"^```yaml\n(.*?)^```", HOWTO, re.MULTILINE | re.DOTALL)
(COMMAND,) = re.findall(r"^    \.venv/bin/fidelity-curves (run .*)$", HOWTO, re.MULTILINE)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    project = copy_project(tmp_path_factory.mktemp("project"))
    project = project.elsewhere(tmp_path_factory.mktemp("town"), {"datasets": {}})
    write(project.folder)
    config = yaml.safe_load(CONFIG)
    config["datasets"]["town"]["figures"] = []
    (project.folder / "new.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    assert shlex.split(COMMAND) == ["run", "new.yaml"]
    told = project.run("--configfile", "new.yaml")
    assert "to be predicted, as people did not answer" in told
    return project


def test_the_files_shown_have_the_columns_of_those_that_are_run(tmp_path):
    write(tmp_path)
    for name, text in FILES:
        shown = pd.read_csv(StringIO(textwrap.dedent(text)))
        assert set(shown.columns) <= set(pd.read_csv(tmp_path / name).columns)
    assert [name for name, _ in FILES] == ["people.csv", "model.csv", "questions.csv"]


@pytest.mark.minutes
def test_the_command_predicts_the_ten(study):
    table = study.table("town/predict/predictions.csv", "new").query("simulator == 'model'")
    assert set(table["scenario"]) == set(names(61, 70))
    assert set(table["statement"]) == {"marginal", "exact", "localised"}
    assert table.eval("lower <= q and q <= upper").all()


@pytest.mark.minutes
def test_the_report_has_the_section(study):
    folder = study.folder / "results" / "new"
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Questions nobody has asked" in page and 'data-csv="town_predictions"' in page
    findings = " ".join((folder / "town" / "findings.md").read_text(encoding="utf-8").split())
    assert "Simulators answered 10 questions that people were not asked." in findings
    assert "at least 90 % have people's true shares within all their ranges at once" in findings


@pytest.mark.parametrize("text", OTHERS)
def test_the_other_keys_shown_are_known(text):
    ((key, value),) = yaml.safe_load(textwrap.dedent(text)).items()
    assert set(value) <= set({"predict": Predict, "target": Target}[key].schema["properties"])


def test_the_numbers_of_questions_that_are_needed_are_right():
    apart, shared = (
        questions_needed(alpha=allowed_miss(alpha=0.1, gamma=0.95, same_people=same))
        for same in (False, True)
    )
    assert f"{apart} questions; {shared} if the same people" in HOWTO
    assert f"{ceil(log(0.05) / log(1 - 0.095))} questions, each with people of its own" in HOWTO
