"""A dataset folder can be added without touching any file outside it."""

import hashlib

import pytest
import yaml
from small_study import copy_project

NAME = "coffee"
FILES = {
    "README.md": """\
# coffee: how people and a model like their coffee

**Source.** Invented, for a test. **Licence.** None. **Scenario.** A café.
""",
    "options.schema.yaml": """\
type: object
additionalProperties: false
required: [answers]
allowed: a mapping with answers
properties:
  answers:
    description: The file of answers.
    type: string
    allowed: the path of a file
""",
    "ingest.smk": '''\
"""Needs the file of answers. Makes the tables of the ingest step."""


rule ingest_coffee:
    """Read how people and a model like their coffee."""
    input:
        lambda wildcards: study.datasets[wildcards.dataset]["options"]["answers"],
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("coffee"),
    params:
        step=lambda wildcards: study.step("workflow/datasets/coffee/ingest.py", wildcards.dataset),
    script:
        "ingest.py"
''',
    "ingest.py": '''\
"""How people and a model like their coffee."""

import pandas as pd

from fidelity_study.ingest.responses import Responses
from fidelity_study.ingest.save import save
from fidelity_study.run.script import run

OPTIONS = {1.0: "black", 2.0: "with milk"}


def main(snakemake):
    path = snakemake.input[0]
    outcomes = pd.read_csv(path)
    scenarios = outcomes[["scenario"]].drop_duplicates(ignore_index=True)
    save(
        snakemake,
        Responses(
            origin=path,
            outcomes=outcomes,
            scenarios=scenarios.assign(
                cluster=scenarios["scenario"],
                description="Coffee in the " + scenarios["scenario"],
                value=[list(OPTIONS)] * len(scenarios),
                option=[list(OPTIONS.values())] * len(scenarios),
            ),
        ),
    )


run(main, snakemake)
''',
}
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
    room.mkdir()
    for name, text in FILES.items():
        (room / name).write_text(text, encoding="utf-8")

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
