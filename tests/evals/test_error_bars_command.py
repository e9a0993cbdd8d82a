"""The command error-bars: what it writes beside real logs of inspect_ai and of lm_eval."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from fidelity_study.__main__ import main

LOGS = Path(__file__).with_name("logs")
REFERENCE = json.loads((LOGS / "reference.json").read_text("utf-8"))
SAMPLES = "samples_sums_chosen_2026-01-01T00-00-00.000000.jsonl"


@pytest.fixture
def logs(tmp_path):
    return shutil.copytree(LOGS, tmp_path / "logs")


def beside(log):
    return json.loads(log.with_name(f"{log.name}.error_bars.json").read_text("utf-8"))


@pytest.mark.slow
def test_standard_errors_are_those_that_inspect_states(logs, capsys):
    pytest.importorskip("inspect_ai")
    paths = [logs / f"sums_{model}.eval" for model in ("dreadnought", "galleon")]
    assert main(["error-bars", *map(str, paths)]) == 0
    for path in paths:
        stated, (mean,) = REFERENCE["inspect_ai"][path.name]["match"], beside(path)["means"]
        assert mean["estimate"] == pytest.approx(stated["accuracy"], abs=1e-12)
        assert mean["se_clt"] == pytest.approx(stated["stderr"], abs=1e-12)
    words = (logs / "error_bars.md").read_text("utf-8")
    assert words in capsys.readouterr().out
    assert "is not settled" in words


def test_a_paired_test_of_lm_eval_is_that_of_scipy(logs):
    paths = [logs / model / SAMPLES for model in ("dreadnought", "galleon")]
    command = ["error-bars", *map(str, paths), "--score", "acc", "--baseline", "galleon"]
    assert main(command) == 0
    first, other = (
        {row["doc_id"]: row["acc"] for row in map(json.loads, path.read_text().splitlines())}
        for path in paths
    )
    pairs = np.array([(first[key], other[key]) for key in sorted(first)], float)
    expected = stats.ttest_rel(*pairs.T)
    for path in paths:
        (row,) = beside(path)["differences"]
        assert (row["model"], row["baseline"]) == ("dreadnought", "galleon")
        assert row["estimate"] == pytest.approx(pairs[:, 0].mean() - pairs[:, 1].mean())
        assert row["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
        assert (row["lower"], row["upper"]) == pytest.approx(tuple(expected.confidence_interval()))


def test_its_own_files_are_no_logs_when_it_runs_again(logs):
    pytest.importorskip("inspect_ai")
    (logs / "alone").mkdir()
    shutil.move(logs / "sums_galleon.eval", logs / "alone")
    assert main(["error-bars", str(logs / "alone")]) == 0
    assert main(["error-bars", str(logs / "alone")]) == 0
    assert len(list((logs / "alone").iterdir())) == 3


def test_what_is_no_log_is_refused(tmp_path, capsys):
    (tmp_path / "table.csv").write_text("question,score\n")
    assert main(["error-bars", str(tmp_path / "table.csv")]) == 1
    assert "no log of inspect_ai or lm-evaluation-harness" in capsys.readouterr().err
