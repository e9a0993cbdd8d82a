"""The statement for an appendix: what the config and the data say, and nothing else."""

import json
import re

import pandas as pd
import pytest
import town
import yaml

from fidelity_study.config.keys import About
from fidelity_study.config.params import statement_step
from fidelity_study.config.project import room_words, rooms
from fidelity_study.config.read import study_of
from fidelity_study.config.shown import report_files
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.render import statement
from fidelity_study.report.page.statement import PEOPLE, Statement
from fidelity_study.report.results import Results

MADE = "results/appendix/town/statement.md"
SECRET = "https://secret.example/v1"
UNTOLD = "results/appendix/untold/statement.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The study of the how-to, with a dataset whose config says nothing of the people."""
    folder = tmp_path_factory.mktemp("appendix")
    town.write(folder)
    text = town.guide("statement")
    (config,) = map(yaml.safe_load, town.BLOCK.findall(text))
    config |= {"grid": {"n": ["all"], "replicates": 1}}
    untold = {**config["datasets"]["town"], "simulators": ["model"]}
    del untold["about"]
    config["datasets"]["untold"] = untold
    (folder / "appendix.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (command,) = town.commands(text)
    town.run(folder, *command, "--cores", "1", MADE, UNTOLD)
    return folder


def said(folder, made=MADE):
    """Return a statement as it is read, on one line."""
    text = (folder / made).read_text(encoding="utf-8")
    return " ".join(re.sub(r"\\(.)", r"\1", text).split())


@pytest.mark.slow
def test_all_that_the_config_tells_is_in_it(folder):
    text = said(folder)
    (config,) = map(yaml.safe_load, town.BLOCK.findall(town.guide("statement")))
    about = config["datasets"]["town"]["about"]
    assert set(about) == set(PEOPLE) | {"asked", "limits"}
    for told in about.values():
        assert told in text
    assert "not stated" not in re.sub(r"\| q\d\d \| not stated", "", text)  # no file has wordings
    assert "Not stated: The same people answered several questions" in text
    assert "Description: Was asked each question 100 times" in text


@pytest.mark.slow
def test_what_nobody_tells_is_called_not_stated(folder):
    text = said(folder, UNTOLD)
    assert f"- Not stated: {', '.join(PEOPLE.values())} and The same people answered" in text
    assert "model, prompt and settings not stated" in text
    assert "Dates of asking: not stated" in text
    assert "Not stated by the authors." in text


@pytest.mark.slow
def test_numbers_are_those_of_the_tables(folder):
    text = said(folder)
    means = folder / "results" / "appendix" / "town" / "comparison" / "mean_discrepancy.csv"
    rows = pd.read_csv(means)
    rows = rows[
        (rows["simulator"] == "model") & (rows["tail"] == 1.0) & (rows["target"] == "asked")
    ]
    (row,) = rows.to_dict("records")
    estimate = (row["lower"] + row["upper"]) / 2
    interval = f"{row['ci_lower']:.3f} to {row['ci_upper']:.3f}"
    assert text.count(f"| {estimate:.3f} | {interval} |") == text.count(interval) == 1
    assert f"Number of people: {town.PEOPLE:,} for each question" in text
    assert f"Answers missing: none of {town.PEOPLE * len(town.NAMES):,}" in text
    assert len(text.split()) <= 900
    for name in town.NAMES:
        assert f"| {name} |" in text
    assert "maybe; no; yes" in text


@pytest.fixture
def there(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def asking(**settings):
    """Return the step of a statement on a model that is asked, at a secret address."""
    model = {"endpoint": SECRET, "model": "small-1", "extra": {"top_p": 0.9}, "key_variable": "KEY"}
    asked = {"model": "own", "mode": "answers", "temperature": 0.5, **settings}
    dataset = {
        "ingest": "bfi",
        "outcome": {"kind": "ordinal"},
        "simulators": ["uniform"],
        "simulate": {"small": asked},
    }
    study = Study({"models": {"own": model}, "datasets": {"items": dataset}})
    return statement_step(study, "items")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {
                "personas": 7,
                "system": "Be brief.\nAnswer.",
                "prompt": "{question}\n{options}\nNow:",
            },
            [
                "- Model: small-1, reported as small-1-2025; asked over an API\n",
                "- What was asked for: sampled answers, which are counted\n",
                "- Personas: 7 for each question, of real respondents\n",
                "- Answers: 1 for each persona\n",
                "- Temperature: 0.5\n",
                "\n    Be brief.\n    Answer.\n",
                "\n    {question}\n    {options}\n    Now:\n",
                '"top_p": 0.9',
            ],
        ),
        (
            {"mode": "population", "population": "adults of the town"},
            [
                "- Population in the prompt: adults of the town\n",
                "- Answers: 5 times for each question",
            ],
        ),
        ({"mode": "probabilities"}, ["probabilities of the options' letters as the next token"]),
    ],
)
def test_a_model_that_was_asked_is_described_without_its_address(there, settings, told):
    study = study_of(there / "appendix.yaml")
    asked = asking(**settings)["asked"]
    step = {**statement_step(study, "town"), "asked": {"model": asked["small"]}}
    files = report_files(study, "town", there / "results" / "appendix")
    dataset = Dataset("town", Results(step, files))
    text = statement(Statement(dataset, {"model": ["small-1", "small-1-2025"]}, "made"))
    for each in told:
        assert each in text
    assert "secret" not in text
    assert ("Temperature" in text) == (settings.get("mode") != "probabilities")


@pytest.mark.slow
def test_no_address_or_key_is_among_what_the_statement_depends_on():
    step = json.dumps(asking())
    assert "secret" not in step
    assert "KEY" not in step


def test_the_config_is_put_before_what_a_folder_says():
    dataset = {"ingest": "bfi", "outcome": {"kind": "ordinal"}}
    about = {"sponsor": "Nobody.", "mode": "By post."}
    config = {"datasets": {"own": {**dataset, "about": about}, "plain": dataset}}
    found = {name: each["about"] for name, each in Study(config).datasets.items()}
    assert found["plain"] == room_words("bfi")["about"]
    assert found["own"] == {**room_words("bfi")["about"], **about}


def test_every_key_has_its_place_and_others_are_refused():
    known = set(About.schema["properties"])
    assert known == set(PEOPLE) | {"asked", "limits"}
    for room in rooms():
        assert set(room_words(room).get("about", {})) <= known
    dataset = {"ingest": "bfi", "outcome": {"kind": "ordinal"}, "about": {"sponsr": "x"}}
    with pytest.raises(DataError, match=r"about: unknown key 'sponsr'; did you mean sponsor\?"):
        Study({"datasets": {"items": dataset}})
