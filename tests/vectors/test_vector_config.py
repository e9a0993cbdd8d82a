"""Configs of texts and vectors: what is refused, and what start writes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from point_files import queue_files, text_files, vector_files

from fidelity_study.__main__ import main
from fidelity_study.app.start.faults import FaultsError, understood
from fidelity_study.app.start.request import Request
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError

MODEL = {"gpt": {"endpoint": "http://localhost:1/v1", "model": "gpt"}}


@pytest.mark.slow
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


@pytest.mark.sampled
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


def own_words(here):
    """Write texts of ten words, of which both sides share some."""
    rng = np.random.default_rng(0)
    files = text_files(here)
    words = [f"wish{number}" for number in range(30)]
    for path in files.values():
        frame = pd.read_csv(path)
        frame["value"] = [" ".join(rng.choice(words, 10)) for _ in frame.index]
        frame.loc[0, "value"] = "a longer sentence that both sides have in common"
        frame.to_csv(path, index=False)


def beside(here):
    """Write vectors into files beside tables."""
    for path in map(Path, vector_files(here).values()):
        frame = pd.read_csv(path)
        columns = ["x1", "x2", "x3"]
        np.save(path.with_suffix(".npy"), frame[columns].to_numpy())
        frame.drop(columns=columns).to_csv(path, index=False)


def waits(here):
    """Write paths whose values have another name."""
    for path in queue_files(here).values():
        pd.read_csv(path).rename(columns={"value": "wait"}).to_csv(path, index=False)


def days(here):
    """Write paths whose days no column of respondents names."""
    for path in queue_files(here).values():
        pd.read_csv(path).rename(columns={"respondent": "day"}).to_csv(path, index=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "code", "first"),
    [
        (text_files, "nothing-in-common", {"outcome.kind": "text"}),
        (own_words, "own-words", {"outcome.kind": "text"}),
        (vector_files, "vectors-without-kind", {"outcome.kind": "vector"}),
        (beside, "vectors-without-kind", {"outcome.kind": "vector"}),
        (waits, "vectors-without-kind", {"outcome.kind": "vector"}),
        (queue_files, "respondent-twice", {"outcome.kind": "vector"}),
        (days, "kind-unclear", {"outcome.kind": "bounded", "outcome.bounds": [...]}),
    ],
)
def test_start_suggests_the_kind_and_never_guesses_it(here, write, code, first):
    write(here)
    with pytest.raises(FaultsError) as error:
        understood(Request.of("people.csv", ("models.csv",), options={}), lambda lines: None)
    fault = error.value.faults[0]
    assert (fault.code, fault.remedies[0].settings) == (code, first)
    kind = fault.remedies[-1] if write is days else fault.remedies[0]
    assert f"--kind {kind.settings['outcome.kind']}" in dict(error.value.options)
