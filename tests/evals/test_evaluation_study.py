"""Studies of evaluations run for real: tables, words, page, and what is refused before."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from fidelity.comparison import score_difference
from fidelity_study.__main__ import main
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.report.page.evaluation import SCHEMAS
from fidelity_study.tables.read_write import read, read_csv

pytestmark = pytest.mark.slow
NAMES = ["means", "differences", "power", "missing", "uses", "logs"]


def write_scores(folder: Path) -> dict[str, dict[str, np.ndarray]]:
    """Write two evals; return the mean score of each question, by eval and model."""
    generator = np.random.default_rng(2)
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, epochs, m in (("math", 1, 300), ("language", 2, 60)):
        hard = generator.random(m)
        with (folder / f"{name}.csv").open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["question", "model", "score", "epoch", "language"])
            for model, more in (("Galleon <b>", 0.2), ("Dreadnought", 0.0)):
                scores = generator.random((m, epochs)) < np.clip(hard + more, 0, 1)[:, None]
                found.setdefault(name, {})[model] = scores.mean(1)
                out.writerows(
                    [f"q{i:03}", model, int(scores[i, k]), k, f"l{i % 10}"]
                    for i in range(m)
                    for k in range(epochs)
                    if (model, i, name) != ("Dreadnought", 7, "language")
                )
    return found


CONFIG = {
    "evaluations": {
        "maths": {
            "title": "Maths & languages",
            "evals": {
                "MATH": {"files": "math.csv"},
                "MGSM": {"files": "lang*.csv", "cluster": "language"},
            },
            "baseline": "Dreadnought",
            "margin": 0.02,
            "power": {"effect": 0.05},
        }
    }
}


def run(folder: Path, *options: str) -> subprocess.CompletedProcess:
    """Run the study in a folder."""
    command = [sys.executable, "-m", "fidelity_study", "run", "evals.yaml", "--cores", "2"]
    return subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> tuple[Path, dict]:
    """A study with evaluations only, finished, and its question means."""
    folder = tmp_path_factory.mktemp("evals")
    scores = write_scores(folder)
    (folder / "evals.yaml").write_text(yaml.safe_dump(CONFIG))
    done = run(folder)
    assert done.returncode == 0, done.stderr
    return folder, scores


def test_versions_of_scores_lead_to_the_page_on_scores(finished, capsys):
    study = str(finished[0] / "results" / "evals")
    assert main(["versions", study, study]) == 2
    assert "has scores of evaluations" in (told := capsys.readouterr().err)
    assert "docs/howto/evaluations.md" in told


def test_tables(finished):
    folder, scores = finished
    place = folder / "results" / "evals" / "maths"
    found = {name: read(place / f"{name}.parquet", SCHEMAS[name]).to_pylist() for name in NAMES}
    assert all(len(read_csv(place / f"{name}.csv")) == len(found[name]) for name in NAMES)
    rows = {row["eval"]: row for row in found["differences"]}
    galleon, dreadnought = scores["math"].values()
    bar = score_difference(galleon, dreadnought)
    for key in ("estimate", "se", "lower", "upper", "p_value", "correlation"):
        assert rows["MATH"][key] == pytest.approx(float(getattr(bar, key)), rel=1e-12)
    kept = np.arange(60) != 7
    pair = [each[kept] for each in scores["language"].values()]
    bar = score_difference(*pair, np.array([f"l{i % 10}" for i in range(60)])[kept])
    assert rows["MGSM"]["se"] == pytest.approx(float(bar.se), rel=1e-12)
    assert (rows["MGSM"]["unmatched"], rows["MGSM"]["unmatched_baseline"]) == (1, 0)
    pooled, macro = rows["all questions pooled"], rows["mean of the evals"]
    assert pooled["questions"] == 359
    own = [rows["MATH"]["estimate"], rows["MGSM"]["estimate"]]
    assert pooled["estimate"] == pytest.approx(np.average(own, weights=[300, 59]))
    assert macro["estimate"] == pytest.approx(np.mean(own))
    assert [row["question"] for row in found["missing"]] == ["q007"]


def test_the_words(finished):
    folder, _ = finished
    said = (folder / "results" / "evals" / "findings.md").read_text("utf-8")
    assert said.startswith("# Which model scores better?")
    assert re.search(r"\| MATH \| Galleon <?.*\| Dreadnought \| \+[\d.]+ .*\| better \|", said)
    assert "has no score on 1 question of **MGSM**: not in its logs (q007)" in said
    page = (folder / "results" / "evals" / "report.html").read_text("utf-8")
    assert "<title>Maths &amp; languages – Which model scores better?</title>" in page
    assert "Galleon &lt;b&gt;" in page and "Galleon <b>" not in page
    assert page.count('<div class="forest"') == 1 and "may simulators be used for" not in page


def test_it_is_verified_and_not_run_again(finished, capsys, monkeypatch):
    folder, _ = finished
    done = run(folder)
    assert done.returncode == 0 and "Nothing to be done" in done.stdout + done.stderr
    monkeypatch.chdir(folder)
    assert main(["verify", "results/evals"]) == 0, capsys.readouterr().out


def test_faults_of_files_are_told_at_once_before_anything_runs(tmp_path):
    write_scores(tmp_path)
    (tmp_path / "cut.eval").write_bytes(b"PK")
    evals = {
        "MATH": {"files": "math.csv", "cluster": "page"},
        "cut": {"files": "cut.eval"},
    }
    config = {"evaluations": {"maths": {"evals": evals}}}
    (tmp_path / "evals.yaml").write_text(yaml.safe_dump(config))
    done = run(tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 1
    for words in (
        "math.csv: has no column 'page' for the cluster",
        "cut.eval: cannot be read as a log of inspect_ai",
    ):
        assert said.count(words) == 1
    assert "Traceback" not in said and "rule" not in said
    assert not (tmp_path / "results").exists()


def test_a_baseline_that_no_file_has_is_told_before_anything_runs(here):
    write_scores(here)
    settings = {**CONFIG["evaluations"]["maths"], "baseline": "Dreadnaught"}
    with pytest.raises(DataError, match="is no model; did you mean Dreadnought"):
        Study({"evaluations": {"maths": settings}}, looks=True)
    assert Study(CONFIG, looks=True).evaluations


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"evals": {"A": {"files": "nowhere*.csv"}}}, "nowhere*.csv names no file, seen from"),
        ({"evals": {"A": {"files": "math.csv", "range": [1, 0]}}}, "is not from low to high"),
        ({"evals": {"A": {"files": "math.csv", "score": "won"}}}, "unknown key 'score'"),
        ({"evals": {}}, "is not a mapping from names of evals"),
        ({"standard_error": "cr7"}, "'cr7' is not cr2, cr1, cr0 or miller"),
        ({"margins": 0.1}, "unknown key 'margins'; did you mean margin?"),
        (
            {"evals": {"A": {"files": "math.csv", "unpaired": True}}},
            "A: unknown key 'unpaired'; it belongs in evaluations.",
        ),
        (
            {"power": {"effect": 3}},
            "power.effect: 3 is more than two scores can differ, 1; state it",
        ),
        ({"power": {"power": 0.0}}, "is not a number from 0.3, below 1"),
    ],
)
def test_faults_of_the_config(here, change, told):
    write_scores(here)
    (here / "cut.eval").write_text("")
    settings = {**CONFIG["evaluations"]["maths"], **change}
    with pytest.raises(DataError) as error:
        Study({"evaluations": {"maths": settings}})
    assert told in str(error.value)


def test_one_name_for_two_is_refused(here):
    write_scores(here)
    datasets = {"maths": {"ingest": "bfi", "outcome": {"kind": "ordinal"}}}
    with pytest.raises(DataError, match="datasets have this name, too"):
        Study({**CONFIG, "datasets": datasets})
    with pytest.raises(DataError, match="'datasets' is missing"):
        Study({"seed": 1})
