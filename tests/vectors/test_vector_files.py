"""Files of vectors in all their forms, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from point_files import ingested, queue_files, text_files, vector_files, vectors_in

from fidelity_study.__main__ import main
from fidelity_study.app.start.faults import FaultsError, understood
from fidelity_study.app.start.request import Request
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.vector_columns import columns_of
from fidelity_study.reading.tabular.vectors import files_read
from fidelity_study.root import ROOT


@pytest.fixture
def files(tmp_path):
    return vector_files(tmp_path)


COLUMNS = ["x1", "x2", "x3"]


def as_lists(frame, written):
    lists = [written(row) for row in frame[COLUMNS].to_numpy().tolist()]
    return frame.drop(columns=COLUMNS).assign(embedding=lists)


def as_jsonl(frame, path):
    Path(path).write_text("\n".join(map(json.dumps, frame.to_dict("records"))), encoding="utf-8")


def as_two(frame, path):
    frame.drop(columns=COLUMNS).to_csv(path, index=False)
    np.save(path.replace(".csv", ".npy"), frame[COLUMNS].to_numpy())


# suffix, and how a table is written
FORMS = {
    "columns": (".csv", lambda frame, path: frame.to_csv(path, index=False)),
    "semicolons": (".csv", lambda frame, path: frame.to_csv(path, index=False, **SEMICOLONS)),
    "gz": (".csv.gz", lambda frame, path: frame.to_csv(path, index=False)),
    "xlsx": (".xlsx", lambda frame, path: frame.to_excel(path, index=False)),
    "jsonl": (".jsonl", as_jsonl),
    "parquet": (".parquet", lambda frame, path: frame.to_parquet(path, index=False)),
    "lists": (".parquet", lambda frame, path: as_lists(frame, list).to_parquet(path)),
    "texts": (".csv", lambda frame, path: as_lists(frame, str).to_csv(path, index=False)),
    "beside": (".csv", as_two),
}
SEMICOLONS = {"sep": ";", "decimal": ","}


def as_form(files, form):
    """Write files with vectors in columns in another form; return the files."""
    suffix, write = FORMS[form]
    made = {role: path.replace(".csv", f"_{form}{suffix}") for role, path in files.items()}
    for role, path in files.items():
        write(pd.read_csv(path), made[role])
    return made


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_vectors_are_those_of_their_rows_in_every_form(files, form):
    """Numbers are those of the files to the last digit, however they are written."""
    options = {"separator": ";", "decimal": ","} if form == "semicolons" else {}
    tables = ingested(as_form(files, form), "vector", ["alike", "moved"], **options)
    found = vectors_in(tables, options)
    frames = [pd.read_csv(path) for path in files.values()]
    for scenario, (_, vectors) in zip("ab", found, strict=True):
        there = [frame.loc[frame["scenario"] == scenario, COLUMNS] for frame in frames]
        assert vectors.dtype == float
        np.testing.assert_allclose(vectors, np.concatenate(there), rtol=1e-15, atol=0)
    assert tables["runs"]["source"].value_counts().to_pylist() == [
        {"values": "alike", "counts": 80},
        {"values": "moved", "counts": 80},
    ]


def test_columns_are_in_the_order_of_their_numbers():
    assert columns_of("a.csv", ["x10", "x2", "x1", "scenario"]) == ["x1", "x2", "x10"]
    for name in ("embedding", "vector"):
        assert columns_of("a.csv", ["scenario", name]) == [name]
    assert columns_of("no-such-file.csv", ["scenario"]) is None


def test_single_precision_stays_single(files):
    beside = as_form(files, "beside")
    for path in beside.values():
        array = path.replace(".csv", ".npy")
        np.save(array, np.load(array).astype(np.float32))
    tables = ingested(beside, "vector", ["alike", "moved"])
    found = vectors_in(tables)
    assert {vectors.dtype for _, vectors in found} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    "content", [np.zeros((80, 2, 2)), np.array([["a"]] * 80), np.array([[1, None]] * 80), b"no"]
)
def test_files_beside_that_hold_no_vectors_are_refused(files, content):
    beside = as_form(files, "beside")
    path = beside["human"].replace(".csv", ".npy")
    if isinstance(content, bytes):
        Path(path).write_bytes(content)
    else:
        np.save(path, content)
    with pytest.raises(DataError) as error:
        ingested(beside, "vector", ["alike", "moved"])
    assert {fault.code for fault in error.value.faults} == {"not-a-vector"}


def test_texts_may_go_over_several_lines(tmp_path):
    files = text_files(tmp_path)
    frame = pd.read_csv(files["human"])
    frame["value"] = "first\n" + frame["value"]
    frame.to_csv(files["human"], index=False)
    tables = ingested(files, "text", ["alike", "polished"])
    texts = [text for texts in tables["scenarios"]["option"].to_pylist() for text in texts]
    assert any(text.startswith("first ") for text in texts)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda frame: frame.drop(columns=["x1", "x2", "x3"]), "no-vectors"),
        (lambda frame: frame.drop(columns="x3"), "sizes-of-vectors"),
        (lambda frame: frame.assign(x2=frame["x2"].mask(frame.index == 4)), "not-a-vector"),
        (lambda frame: frame.assign(x2="long"), "not-a-vector"),
        (lambda frame: frame.assign(x2=frame["x2"] * 1e200), "not-a-vector"),
        (
            lambda frame: as_lists(frame, lambda row: str(row[: 2 + (row[0] > 0)])),
            "sizes-of-vectors",
        ),
        (lambda frame: as_lists(frame, lambda row: "[]"), "sizes-of-vectors"),
        (lambda frame: as_lists(frame, lambda row: "1 2 3"), "not-a-vector"),
    ],
)
def test_refusals(files, change, code):
    change(pd.read_csv(files["simulated"])).to_csv(files["simulated"], index=False)
    with pytest.raises(DataError) as error:
        vectors_in(ingested(files, "vector", ["alike", "moved"]))
    assert [fault.code for fault in error.value.faults] == [code]


def test_files_beside_count_as_read_where_vectors_are_in_them(files):
    beside = as_form(files, "beside")
    arrays = [path.replace(".csv", ".npy") for path in beside.values()]
    assert files_read({**beside, "scenarios": "a.csv"}, "vector") == [
        beside["human"],
        "a.csv",
        beside["simulated"],
        *arrays,
    ]
    assert files_read(beside, "real") == [*beside.values()]
    assert files_read(files, "vector") == [*files.values()]


def test_files_beside_are_inputs_of_both_steps_that_read_them():
    for rule in ("datasets/tabular/ingest.smk", "rules/vectors.smk"):
        text = (ROOT / "workflow" / rule).read_text(encoding="utf-8")
        assert "map(local, tabular_files[wildcards.dataset])" in text
        assert "checksum(file) for file in tabular_files[wildcards.dataset]" in text


def test_a_changed_file_beside_is_read_again_before_a_study_runs(files, monkeypatch):
    monkeypatch.chdir(Path(files["human"]).parent)
    beside = as_form(files, "beside")
    settings = {**beside, "ingest": "tabular", "outcome": {"kind": "vector"}}
    Study({"datasets": {"own": settings}})
    array = beside["human"].replace(".csv", ".npy")
    np.save(array, np.load(array)[1:])
    with pytest.raises(DataError) as error:
        Study({"datasets": {"own": settings}})
    assert [fault.code for fault in error.value.faults] == ["sizes-of-vectors"]


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
    for path in vector_files(here).values():
        as_two(pd.read_csv(path), path)


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
    assert f"--kind {kind.settings['outcome.kind']}" in str(error.value)
