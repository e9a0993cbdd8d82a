"""A dataset folder can be added without touching any file outside it."""

import hashlib
import shutil

import pytest
import yaml
from small_study import REPOSITORY, copy_project

NAME = "coffee"
STUDY = {
    "grid": {"n": ["all"], "k": [20], "gamma": [0.5], "replicates": 1},
    "datasets": {
        "town": {
            "ingest": NAME,
            "answers": "data/coffee.csv",
            "outcome": {"kind": "binary"},
            "cluster": "none",
            "simulators": ["model"],
        }
    },
}


def contents(root, without):
    """Return a checksum of every file of a copy of the project, but those of one folder."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and without not in path.parents and "__pycache__" not in path.parts
    }


@pytest.mark.minutes
def test_a_new_folder_is_all_that_a_new_dataset_takes(tmp_path):
    project = copy_project(tmp_path / "project")
    room = project.root / "workflow" / "datasets" / NAME
    before = contents(project.root, room)
    shutil.copytree(REPOSITORY / "tests" / "rooms" / NAME, room)

    study = project.elsewhere(tmp_path / "study", STUDY)
    rows = ["scenario,source,value,count"]
    for j in range(12):
        rows += [f"caf\u00e9 {j},human,1,{20 + j}", f"caf\u00e9 {j},human,2,{40 - j}"]
        rows += [f"caf\u00e9 {j},model,1,{5 + j}", f"caf\u00e9 {j},model,2,{25 - j}"]
    (study.folder / "data" / "coffee.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    study.run("results/default/town/findings.md")

    assert contents(project.root, room) == before
    findings = (study.folder / "results/default/town/findings.md").read_text(encoding="utf-8")
    assert "these 12 questions" in findings
    people = study.table("town/scenarios.parquet")
    assert people["n_human"].tolist() == [60.0] * 12
    assert people["option"].map(list).tolist() == [["black", "with milk"]] * 12
    assert set(study.table("town/quantile/summary_nall.parquet")["simulator"]) == {"model"}
    config = yaml.safe_load((study.folder / "config/config.yaml").read_text(encoding="utf-8"))
    config["datasets"]["town"] |= {"answers": 3, "milk": True}
    (study.folder / "wrong.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    printed = study.run("--dry-run", "--configfile", "wrong.yaml", status=1)
    assert "datasets.town.answers: 3 is not the path of a file" in printed
    assert "datasets.town: unknown key 'milk'" in printed
