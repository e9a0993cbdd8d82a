"""The step `simulate` in a real study, with a real model behind a counting proxy."""

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from chat_server import asked_survey
from small_study import copy_project

from fidelity_study.ask.collect import ASKED
from fidelity_study.ask.embedded import EXTRA, PACKAGED
from fidelity_study.report.page.certainty import beside_options
from fidelity_study.tables.read_write import read, read_csv

pytestmark = pytest.mark.minutes

MODEL = PACKAGED.removesuffix(".gguf")
KEY = "sk-secret-0123456789"
CONCURRENCY = 3
SCENARIOS = 6
PROMPTS = 12
RAW = "results/default/survey/simulate/asked.parquet"
TABLES = [f"results/default/survey/simulate/{name}.parquet" for name in ("outcomes", "missing")]


def study(copy, folder, endpoint, **how):
    """Return a project in which a model is asked the questions of a survey."""
    model = {
        "endpoint": endpoint,
        "model": PACKAGED if endpoint == "embedded" else MODEL,
        "key_variable": "FIDELITY_TEST_KEY",
        "concurrency": CONCURRENCY,
        "extra": EXTRA,
    }
    config = asked_survey(model, personas=2, max_tokens=3, **how)
    return copy.elsewhere(folder, config, scenarios=SCENARIOS)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project with a user's dataset; nothing has run."""
    return copy_project(tmp_path_factory.mktemp("copy"))


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("FIDELITY_TEST_KEY", KEY)


def files_with_the_key(folder):
    paths = [path for path in folder.rglob("*") if path.is_file()]
    assert len(paths) > 5
    told = [path for path in paths if KEY.encode() in path.read_bytes()]
    stored = [path for path in paths if path.suffix == ".parquet"]
    return told + [path for path in stored if KEY in str(pq.read_table(path).to_pylist())]


def kept(project):
    """Return the requests whose answers are kept."""
    parts = (project.folder / "asked" / "survey" / "asked").glob("part-*.parquet")
    return {row["request"] for path in parts for row in pq.read_table(path).to_pylist()}


def copy_of(project):
    return str(project.root / "Snakefile")


def start(project):
    """Start the workflow in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", RAW, "--cores", "1", "--snakefile", copy_of(project)],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": str(project.root / "src")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_for(condition, process):
    end = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, "the workflow ended before it was killed"
        assert time.monotonic() < end
        time.sleep(0.02)


def test_after_a_kill_only_what_is_missing_is_asked_and_the_table_is_the_same(
    copy, tmp_path, proxy
):
    killed = study(copy, tmp_path / "killed", proxy.url)
    process = start(killed)
    wait_for(lambda: len(proxy.delivered) > 4, process)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(1)
    delivered, asked_before = len(proxy.delivered), len(proxy.requests)
    there = kept(killed)
    assert 4 - CONCURRENCY < len(there) < PROMPTS
    assert delivered - CONCURRENCY <= len(there) <= delivered
    assert asked_before - CONCURRENCY <= len(there)
    assert not (killed.folder / RAW).exists()

    killed.run(RAW, *TABLES)
    asked_after = [json.dumps(body, sort_keys=True) for body in proxy.requests[asked_before:]]
    assert len(asked_after) == len(set(asked_after)) == PROMPTS - len(there)
    assert not {json.dumps(json.loads(each), sort_keys=True) for each in there} & set(asked_after)

    whole = study(copy, tmp_path / "whole", proxy.url)
    whole.run(RAW, *TABLES)
    assert len(proxy.requests) == asked_before + len(asked_after) + PROMPTS
    for path in (RAW, *TABLES):
        tables_of = [pd.read_parquet(project.folder / path) for project in (killed, whole)]
        pd.testing.assert_frame_equal(*tables_of)
    assert len(tables_of[0]) > 0
    assert set(proxy.keys) == {f"Bearer {KEY}"}
    assert files_with_the_key(killed.folder) == files_with_the_key(whole.folder) == []


def test_the_embedded_model_is_asked_beside_the_other_simulators(copy, tmp_path, model):
    project = study(copy, tmp_path, "embedded", mode="probabilities")
    project.run(
        "results/default/survey/bootstrap/simulators.parquet",
        "results/default/survey/nonresponse.csv",
    )
    drawn = project.table("survey/bootstrap/simulators.parquet")
    of = drawn[drawn["simulator"] == "asked"]
    assert len(of) == SCENARIOS
    assert set(of["k"]) == {"stated"}
    assert of["share"].map(sum).to_numpy() == pytest.approx(1)
    raw = read(tmp_path / RAW, ASKED)
    assert set(raw["model"].to_pylist()) == {PACKAGED.removesuffix(".gguf")}
    assert "asked" not in set(project.table("survey/stated.parquet")["source"])
    elsewhere = project.table("survey/nonresponse.csv").set_index("source")["elsewhere"]
    assert elsewhere["asked"] == pytest.approx(np.mean(raw["elsewhere"].to_pylist()))
    assert elsewhere.drop("asked").isna().all()
    rows = read_csv(tmp_path / "results/default/survey/nonresponse.csv")
    told = beside_options(SimpleNamespace(nonresponse=rows, named=str))
    assert f"other tokens was: asked {100 * elsewhere['asked']:.0f} %." in told
    assert beside_options(SimpleNamespace(nonresponse=rows[:1], named=str)) == ""
    assert project.planned("results/default/survey/bootstrap/simulators.parquet") == {}
