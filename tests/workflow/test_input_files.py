"""The files that the ingest of a dataset's folder reads, by the names that it has for them."""

import pytest

from fidelity_study.config import project
from fidelity_study.config.names import names_of
from fidelity_study.config.params import code
from fidelity_study.config.project import input_files, sources
from fidelity_study.config.study import Study
from fidelity_study.root import ROOT

VALUES = "resources/worldvaluesbench"


@pytest.fixture
def room(tmp_path, monkeypatch):
    """Return a function that makes the folder of a dataset of some files."""
    monkeypatch.setattr(project, "ROOMS", tmp_path)
    for cached in (project.sources, project.room_words, project.room_keys):
        cached.cache_clear()

    def make(**texts):
        folder = tmp_path / "cafe"
        folder.mkdir()
        for name, text in texts.items():
            (folder / f"{name.replace('_', '.')}.yaml").write_text(text, encoding="utf-8")
        return "cafe"

    yield make
    for cached in (project.sources, project.room_words, project.room_keys):
        cached.cache_clear()


def settings(ingest, simulators=("model",), **options):
    return {"ingest": ingest, "simulators": list(simulators), "options": options}


def test_a_folder_without_sources_and_keys_reads_nothing(room):
    assert input_files(settings(room())) == {}


def test_patterns_stand_for_several_files_and_simulators_for_those_of_the_config(room):
    cafe = room(
        sources="""
url: "https://host/"
inputs:
  people: "{town}/people.csv"
  years: "{town}/years/*"
  simulators: "simulators/{simulator}.csv"
files:
  a/people.csv: {path: p, sha256: x}
  b/people.csv: {path: p, sha256: x}
  b/years/1.csv: {path: p, sha256: x}
  b/years/2.csv: {path: p, sha256: x}
  simulators/small.csv: {path: p, sha256: x}
  simulators/large.csv: {path: p, sha256: x}
  simulators/other.csv: {path: p, sha256: x}
"""
    )
    assert input_files(settings(cafe, ["large", "uniform", "small"], town="b")) == {
        "people": "resources/cafe/b/people.csv",
        "years": ["resources/cafe/b/years/1.csv", "resources/cafe/b/years/2.csv"],
        "simulators": [
            "resources/cafe/simulators/large.csv",
            "resources/cafe/simulators/small.csv",
        ],
    }


def test_a_file_that_the_config_names_takes_the_place_of_a_published_one():
    published = input_files(settings("worldvaluesbench", ["gpt4o", "pooled"]))
    assert published["people"] == f"{VALUES}/people.pkl"
    assert published["simulators"] == [f"{VALUES}/simulators/gpt4o.pkl"]
    own = input_files(settings("worldvaluesbench", ["gpt4o"], people="data/wvs.zip"))
    assert own == {**published, "people": "data/wvs.zip"}


def test_options_that_are_no_files_are_not_read():
    assert input_files(settings("bfi", by=["gender"])) == {}


def test_a_checksum_alone_is_of_a_file_with_the_same_name_there(room):
    cafe = room(
        sources="folders: {here: there/too}\nfiles: {here/a.csv: abc, b: {path: c, sha256: d}}"
    )
    assert sources(cafe)["files"] == {
        "here/a.csv": {"path": "there/too/a.csv", "sha256": "abc"},
        "b": {"path": "c", "sha256": "d"},
    }


def test_braces_in_a_folders_words_stand_for_the_model():
    words = {"large (fast)": {"label": "{}, at once", "describe": "Answers."}, "other": None}
    config = {"simulators": ["large (fast)", "other"]}
    assert names_of(config, config["simulators"], words) == {
        "large (fast)": {"label": "large, at once", "describe": "Answers."},
        "other": {"label": "other", "describe": ""},
    }


def test_the_folders_code_counts_in_the_digest_of_the_step():
    dataset = {"outcome": {"kind": "ordinal"}, "cluster": "item", "simulators": ["uniform"]}
    study = Study({"datasets": {"items": {"ingest": "bfi", **dataset}}})
    assert ROOT / "workflow/datasets/bfi/ingest.py" in code(study, "ingest", "items")
