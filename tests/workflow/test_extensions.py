"""A discrepancy, a set and a baseline in one file of a user's own run through a whole study."""

import shutil
from pathlib import Path

import pytest
import yaml
from small_study import REPOSITORY, copy_project

STUDY = {
    "extensions": ["own/le_cam.py"],
    "grid": {
        "n": ["all"],
        "k": [20],
        "gamma": [0.5],
        "replicates": 1,
        "discrepancy": ["le_cam"],
        "confidence_set": {"le_cam": ["types", "multinomial_kl"]},
    },
    "audit": {"populations": ["opinionqa_like"], "scenarios": 10, "replicates": 10, "studies": 10},
    "datasets": {
        "personality": {
            "ingest": "bfi",
            "outcome": {"kind": "ordinal"},
            "cluster": "trait",
            "simulators": ["first", "pooled"],
            "draws": 60,
            "by": ["gender"],
        }
    },
}


@pytest.mark.slow
def test_one_file_of_ones_own_runs_through_a_study_with_figures_and_audit(tmp_path):
    study = copy_project(tmp_path / "project").elsewhere(tmp_path / "study", STUDY)
    (study.folder / "own").mkdir()
    shutil.copy(REPOSITORY / "tests" / "rooms" / "le_cam.py", study.folder / "own")
    study.run()

    summary = study.table("personality/quantile/summary_nall.parquet")
    assert set(summary["discrepancy"]) == {"le_cam"}
    assert set(summary["confidence_set"]) == {"types", "multinomial_kl"}
    assert set(summary["simulator"]) == {"first", "pooled"}
    cells = study.table("personality/pseudo_discrepancy/nall.parquet")
    assert (cells["lower"] <= cells["plugin"]).all()
    assert (cells["plugin"] <= cells["upper"]).all()
    assert (cells["upper"] <= 1.0).all()
    audit = study.table("audit/sets_opinionqa_like.parquet")
    assert set(audit["confidence_set"]) == {"types", "multinomial_kl"}
    findings = (study.folder / "results/default/personality/findings.rst").read_text(
        encoding="utf-8"
    )
    assert "Le Cam distance" in findings
    figures = {
        path.stem for path in (study.folder / "results/default/personality/figures").glob("*.png")
    }
    assert {"curves", "confidence_sets", "pairwise"} <= figures

    file = study.folder / "own" / "le_cam.py"
    file.write_text(file.read_text("utf-8").replace("- np.log1p(-gamma)", "+ 9.0"), "utf-8")
    assert "confidence_set" in study.planned()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "extensions: own.py is not there"),
        ("1/0", "extensions: own.py: ZeroDivisionError: division by zero"),
        (
            "from fidelity.sets.base import CONFIDENCE_SETS\n"
            "@CONFIDENCE_SETS.add\nclass Other:\n    name = 'witness'\n",
            "'witness' is the name of Witness already",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_told(tmp_path, monkeypatch, text, said):
    from fidelity_study.config.study import Study
    from fidelity_study.errors import DataError

    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("own.py").write_text(text, encoding="utf-8")
    config = yaml.safe_load(yaml.safe_dump(STUDY)) | {"extensions": ["own.py"]}
    with pytest.raises(DataError, match=said):
        Study(config)
