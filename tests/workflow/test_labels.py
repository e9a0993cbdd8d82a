"""Plain names: what reports call simulators and scenarios, and where each of the words is from."""

import re

import pytest
import yaml
from small_study import CONFIGS

from fidelity.baselines.base import BASELINES
from fidelity_study.config import study as study_module
from fidelity_study.config.params import step
from fidelity_study.config.project import room_words, rooms
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.report.results import Results
from fidelity_study.root import ROOT
from fidelity_study.steps.registry import STEPS


def survey(**settings):
    """Return a study of a voters' survey with a model's answers, with own settings added."""
    dataset = {
        "ingest": "ces_2024",
        "outcome": {"kind": "categorical"},
        "cluster": "question",
        "simulators": ["fa", "uniform"],
    }
    return Study({"datasets": {"voters": dataset | settings}})


def labels(study, dataset="voters"):
    return {name: each["label"] for name, each in study.datasets[dataset]["names"].items()}


def test_names_are_a_list_whatever_the_config_says_of_them():
    plain, mapped = survey(), survey(simulators={"fa": {"label": "the model"}, "uniform": None})
    assert mapped.datasets["voters"]["simulators"] == ["fa", "uniform"]
    assert labels(mapped) == {"fa": "the model", "uniform": "uniform guess"}
    described = plain.datasets["voters"]["names"]["fa"]["describe"]
    assert mapped.datasets["voters"]["names"]["fa"]["describe"] == described
    emptied = survey(simulators={"fa": {"describe": ""}}).datasets["voters"]["names"]["fa"]
    assert emptied == {"label": labels(plain)["fa"], "describe": ""}


def test_a_label_reruns_words_and_pictures_only():
    plain, named = survey(), survey(simulators={"fa": {"label": "x"}, "uniform": {}}, noun="cell")
    changed = {
        name
        for name, known in STEPS.items()
        if known.depends_on and step(plain, name, "voters") != step(named, name, "voters")
    }
    assert changed == {"findings", "figure", "statement"}


def test_results_know_the_words():
    study = survey(simulators={"fa": {"label": "the model", "describe": "25 answers."}, "ntp": {}})
    results = Results(step(study, "findings", "voters"), {})
    assert results.named("fa") == "the model"
    assert results.described("fa") == "25 answers."
    assert results.named("ntp") == "qwen3-vl-2b, next-token probabilities"
    assert (results.noun, results.nouns) == ("question in a group", "questions in groups")


@pytest.mark.parametrize(
    ("noun", "words"),
    [("vignette", ["vignette", "vignettes"]), (["story", "stories"], ["story", "stories"])],
)
def test_the_word_for_a_scenario(noun, words):
    assert survey(noun=noun).datasets["voters"]["noun"] == words


def test_where_nobody_says_anything_names_and_questions_remain(tmp_path):
    config = {
        "ingest": "tabular",
        "human": "human.csv",
        "outcome": {"kind": "binary"},
        "cluster": "none",
        "simulators": ["my_model", "pooled"],
    }
    settings = Study({"datasets": {"town": config}}).datasets["town"]
    assert settings["noun"] == ["question", "questions"]
    grouped = Study({"datasets": {"town": {**config, "groups": ["sex"]}}}).datasets["town"]
    assert grouped["noun"] == ["question in a group", "questions in groups"]
    assert settings["names"]["my_model"] == {"label": "my_model", "describe": ""}
    pooled = BASELINES["pooled"]
    assert settings["names"]["pooled"] == {"label": pooled.label, "describe": pooled.describe}


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_has_words_that_differ_from_all_others(name):
    baseline = BASELINES[name]
    assert [each.label for each in BASELINES.values()].count(baseline.label or name) == 1
    assert bool(baseline.label) == bool(baseline.describe)


def test_what_a_folder_says_comes_before_the_baselines_own_words(monkeypatch):
    words = {"simulators": {"uniform": {"label": "coin flip"}, "fa": None}}
    monkeypatch.setattr(study_module, "room_words", lambda room: words)
    study = survey(simulators=["fa", "uniform", "pooled"])
    assert labels(study) == {
        "fa": "fa",
        "uniform": "coin flip",
        "pooled": "guess from other answers",
    }
    described = study.datasets["voters"]["names"]["uniform"]["describe"]
    assert described == BASELINES["uniform"].describe


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ({"nouns": "cell"}, "unknown key 'nouns'; did you mean noun?"),
        ({"simulators": {"fa": {"labels": "x"}}}, "unknown key 'labels'; did you mean label?"),
        (None, "None is not a mapping with any of noun, clusters, simulators and about"),
    ],
)
def test_a_folder_with_wrong_words_is_refused_by_its_file(monkeypatch, words, fault):
    monkeypatch.setattr(study_module, "room_words", lambda room: words)
    with pytest.raises(DataError, match=re.escape(f"ces_2024/words.yaml: {fault}")):
        survey()


def known_in(room):
    """Return the names that a room's README has in code, a model's mode apart from the model."""
    readme = ROOT / "workflow" / "datasets" / room / "README.md"
    return set(re.findall(r"`([^`\n]+)`", readme.read_text(encoding="utf-8")))


@pytest.mark.parametrize("room", rooms())
def test_a_folders_words_are_of_simulators_that_its_readme_names(room):
    for name in room_words(room).get("simulators", {}):
        parts = re.fullmatch(r"(.+) \((.+)\)", name)
        assert set(parts.groups() if parts else [name]) <= known_in(room)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_studies_tell_what_each_simulator_is(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    study = Study(yaml.safe_load(path.read_text(encoding="utf-8")))
    for settings in study.datasets.values():
        silent = {name for name, each in settings["names"].items() if not each["describe"]}
        assert silent <= {"language_model", *settings["asked"]}
