"""A discrepancy, a set and a baseline in one file of a user's own run through a whole study."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from small_study import REPOSITORY, copy_project

from fidelity.baselines import BASELINES
from fidelity_study import digest
from fidelity_study.config import project
from fidelity_study.config.params import step
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError

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
    "datasets": {
        "personality": {
            "ingest": "bfi",
            "outcome": {"kind": "ordinal"},
            "cluster": "trait",
            "simulators": ["first", "pooled"],
            "draws": 60,
            "by": ["gender"],
            "figures": ["curve", "ranking", "pairs"],
        }
    },
}


@pytest.mark.minutes
def test_one_file_of_ones_own_runs_through_a_study_with_figures(tmp_path):
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
    findings = (study.folder / "results/default/personality/findings.md").read_text(
        encoding="utf-8"
    )
    assert "Le Cam distance" in findings
    figures = {
        path.stem for path in (study.folder / "results/default/personality/figures").glob("*.png")
    }
    assert figures == {"curve", "ranking", "pairs"}

    file = study.folder / "own" / "le_cam.py"
    file.write_text(file.read_text("utf-8").replace("- np.log1p(-gamma)", "+ 9.0"), "utf-8")
    assert "confidence_set" in study.planned()


@pytest.mark.minutes
def test_the_coverage_of_a_set_of_ones_own_is_measured_as_the_guide_says():
    text = (REPOSITORY / "docs" / "howto" / "extensions.md").read_text("utf-8")
    code, *_ = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    rooms = {**os.environ, "PYTHONPATH": str(REPOSITORY / "tests" / "rooms")}
    done = subprocess.run([sys.executable, "-c", code], env=rooms, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[:2] for line in lines[:2]] == [["good", "upper"], ["good", "lower"]]
    assert {line[-1] for line in lines} == {"True"}
    assert all(float(line[2]) >= 0.5 for line in lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "extensions: own.py is not there"),
        ("1/0", "extensions: own.py: ZeroDivisionError: division by zero"),
        (
            "from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet\n"
            "@CONFIDENCE_SETS.add\nclass Other(ConfidenceSet):\n    name = 'witness'\n",
            "'witness' is the name of Witness already",
        ),
        (
            "from fidelity.sets.witness import CONFIDENCE_SETS, Witness as Ours\n"
            "@CONFIDENCE_SETS.add\nclass Witness(Ours):\n    name = 'witness'\n",
            "'witness' is the name of Witness already",
        ),
        (
            "from fidelity.sets.base import CONFIDENCE_SETS\n"
            "@CONFIDENCE_SETS.add\nclass Other:\n    name = 'other'\n",
            "Other'> is no confidence set; derive it from ConfidenceSet",
        ),
        ("raise SystemExit(0)", "extensions: own.py: SystemExit: 0"),
        ("a = '\0'", "own.py: cannot be read as Python: "),
        ("\udcff", "own.py: cannot be read as Python: "),
    ],
)
def test_a_file_that_cannot_be_used_is_told(here, text, said):
    project._figure.cache_clear()
    if text is not None:
        Path("own.py").write_bytes(text.encode(errors="surrogateescape"))
    config = yaml.safe_load(yaml.safe_dump(STUDY)) | {"extensions": ["own.py"]}
    with pytest.raises(DataError, match=said):
        Study(config)


def test_a_file_that_is_not_named_as_python_is_told(here):
    Path("own.txt").write_text("a = 1", encoding="utf-8")
    with pytest.raises(DataError, match=r"own\.txt: the name of a Python file ends in"):
        Study({**STUDY, "extensions": ["own.txt"]})


BASELINE = """
from fidelity.baselines import BASELINES, Baseline
{imports}

@BASELINES.add
class {name}(Baseline):
    name = "{name}"
    label = "{name}"

    def state(self, *given):
        return {value}
"""


@pytest.fixture
def ingest(here, monkeypatch):
    """Return a function that gives the digest of the step that a baseline in each file is for."""
    monkeypatch.setattr(sys, "path", [str(here), *sys.path])
    monkeypatch.setattr(BASELINES, "_things", dict(BASELINES))
    for name in [each for each in sys.modules if each.partition(".")[0].endswith("_of_ours")]:
        monkeypatch.delitem(sys.modules, name)
    forget = [each.cache_clear for each in vars(digest).values() if hasattr(each, "cache_clear")]

    def digest_of(files):
        for clear in forget:
            clear()
        (settings,) = STUDY["datasets"].values()
        simulators = [Path(file).parent.name for file in files]
        datasets = {"personality": settings | {"simulators": simulators}}
        study = Study({**STUDY, "extensions": [*files], "grid": {"k": [60]}, "datasets": datasets})
        return step(study, "ingest", "personality")["digest"]

    return digest_of


def plant(file, **content):
    Path(file).parent.mkdir(exist_ok=True)
    content = {"imports": "", "value": 1} | content
    Path(file).write_text(BASELINE.format(name=Path(file).parent.name, **content), "utf-8")


@pytest.mark.slow
def test_files_with_one_name_in_two_folders_both_count(ingest):
    files, digests = ["theirs/own.py", "ours/own.py"], []
    for values in ((1, 1), (2, 1), (1, 2)):
        for file, value in zip(files, values, strict=True):
            plant(file, value=value)
        digests.append(ingest(files))
    assert len(set(digests)) == 3


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("imports", "helper"),
    [
        ("import helper_of_ours", "helper_of_ours.py"),
        ("from package_of_ours import part", "package_of_ours/part.py"),
        ("from package_of_ours import part", "package_of_ours/beside.py"),
    ],
)
def test_a_module_that_a_file_of_ones_own_imports_counts(ingest, imports, helper):
    Path("package_of_ours").mkdir()
    Path("package_of_ours/__init__.py").touch()
    Path("package_of_ours/part.py").write_text("from .beside import value", "utf-8")
    Path("package_of_ours/beside.py").write_text("value = 1", "utf-8")
    Path("helper_of_ours.py").touch()
    plant("reading/own.py", imports=imports)
    before = ingest(["reading/own.py"])
    Path(helper).write_text("value = 2", "utf-8")
    assert ingest(["reading/own.py"]) != before


NAME = "coffee"
COFFEE = {
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

    study = project.elsewhere(tmp_path / "study", COFFEE)
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
