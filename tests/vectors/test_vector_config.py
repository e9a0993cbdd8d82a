"""Configs of texts and vectors: what is refused, and what start writes."""

from pathlib import Path

import pytest
import yaml
from point_files import text_files, vector_files

from fidelity_study.__main__ import main
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError

MODEL = {"gpt": {"endpoint": "http://localhost:1/v1", "model": "gpt"}}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("kind", "write"), [("text", text_files), ("vector", vector_files)])
def test_start_writes_a_config_without_a_grid(here, capsys, kind, write):
    write(here)
    assert main(["start", "people.csv", "models.csv", "--kind", kind, "--out", "own.yaml"]) == 0
    printed = capsys.readouterr().out
    assert "different " + kind in printed
    assert "comparison: whether a classifier can tell whose an answer is" in printed
    config = yaml.safe_load(Path("own.yaml").read_text(encoding="utf-8"))
    assert list(config) == ["datasets"]
    ((name, settings),) = config["datasets"].items()
    assert settings["outcome"] == {"kind": kind}
    study = Study(config)
    assert study.datasets[name]["curves"] is False
    assert study.datasets[name]["simulators"] == settings["simulators"]


def test_texts_without_a_simulator_are_refused(here, capsys):
    text_files(here)
    assert main(["start", "people.csv", "--kind", "text", "--out", "own.yaml"]) == 1
    assert "texts are compared with those of a simulator only" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"calibration": {}}, "points-have-no-options"),
        (
            {"simulate": {"gpt": {"model": "gpt", "mode": "answers", "personas": 2}}},
            "points-have-no-options",
        ),
        ({"outcome": {"kind": "text", "levels": ["a", "b"]}}, "outcome"),
        ({"outcome": {"kind": "text", "radius": 1}}, "outcome"),
        ({"correct": True}, "correct-without-curves"),
        ({"predict": {}}, "predict-without-curves"),
    ],
)
def test_what_takes_options_is_refused(here, settings, code):
    files = text_files(here)
    dataset = {"ingest": "tabular", **files, "outcome": {"kind": "text"}, **settings}
    with pytest.raises(DataError) as error:
        Study({"models": MODEL, "datasets": {"own": dataset}})
    assert code in {fault.code for fault in error.value.faults}
