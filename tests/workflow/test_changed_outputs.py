"""Files that somebody changed after a study made them are made again, and no step reads them."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_study import REPOSITORY

from fidelity_study.app.run import command, origin
from fidelity_study.app.run.script import run
from fidelity_study.app.run.verify import verify
from fidelity_study.provenance import VARIABLE

FOLDER = "results/town/town_survey"
OUTCOMES, SHARES = f"{FOLDER}/outcomes.parquet", f"{FOLDER}/comparison/shares.csv"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a config, in which Snakemake ran before."""
    shutil.copytree(REPOSITORY / "config" / "example", tmp_path / "config" / "example")
    shutil.copy(REPOSITORY / "config" / "example.yaml", tmp_path / "town.yaml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    return tmp_path


def step(output: str, *inputs: str, text="made", rule="ingest", wildcards=None) -> None:
    """Run a step of the town's survey that writes a text, as Snakemake would."""
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    job = SimpleNamespace(
        rule=rule,
        wildcards={"dataset": "town_survey"} if wildcards is None else wildcards,
        input=list(inputs),
        output=[output],
        log=["log"],
        params=SimpleNamespace(step={}),
    )

    def main(_) -> None:
        Path(output).write_text(text)

    run(main, job)


def options(monkeypatch, *given: str) -> list[str]:
    """Return what ``run`` hands on to Snakemake, after the config."""
    called: list[list[str]] = []
    monkeypatch.setattr(command, "followed", called.append)
    command.run("town.yaml", given)
    (told,) = called
    return told[told.index("town.yaml") + 1 :]


def test_a_step_reads_no_file_that_somebody_changed(here, capsys):
    step(OUTCOMES)
    step(SHARES, OUTCOMES, "config/example/human.csv")
    Path(OUTCOMES).write_text("edited")
    Path(SHARES).unlink()
    with pytest.raises(SystemExit):
        step(SHARES, OUTCOMES)
    assert not Path(SHARES).exists()
    told = capsys.readouterr().err
    assert told.count(f"{OUTCOMES}: was changed since this study made it") == 1
    assert "Traceback" not in told


def test_a_users_file_and_a_file_made_again_are_read(here):
    step(OUTCOMES, "config/example/human.csv")
    Path("config/example/human.csv").write_text("other answers")
    step(OUTCOMES, "config/example/human.csv", text="made again")
    step(SHARES, OUTCOMES)
    assert Path(SHARES).read_text() == "made"


@pytest.mark.parametrize("path", [OUTCOMES, SHARES])
def test_a_run_makes_a_changed_file_again_tells_it_and_keeps_the_changed_one(
    here, monkeypatch, capsys, path
):
    step(OUTCOMES)
    step(SHARES)
    assert options(monkeypatch, "--cores", "2") == ["--cores", "2"]
    Path(path).write_text("edited")
    assert options(monkeypatch, "--cores", "2") == ["--cores", "2", "--forcerun", path]
    assert f"note: {path}: was changed since this study made it" in capsys.readouterr().err
    assert Path(".snakemake/changed", path).read_text() == "edited"
    assert options(monkeypatch, "-R", "bootstrap") == ["-R", path, "bootstrap"]


def test_only_files_of_the_study_are_made_again(here, monkeypatch):
    """Not those of another study or of another config, nor what is missing anyway."""
    town = {"dataset": "town_survey"}
    others = {
        f"{FOLDER}/quantile/n31.parquet": ("quantile", {**town, "n": "31"}),
        f"{FOLDER}/plan/plans.csv": ("plan", town),
        f"{FOLDER}/figures/no_such_figure.png": ("figure_town_survey", {}),
        "results/other/town_survey/outcomes.parquet": ("ingest_tabular", town),
        "results/town/gone/shares.csv": ("comparison", {"dataset": "gone"}),
        "results/town/gone/outcomes.parquet": ("ingest_bfi", {"dataset": "gone"}),
        "results/town/gone/figures/curve.png": ("figure_gone", {}),
        "results/town/gone/means.csv": ("evaluation", {"evaluation": "gone"}),
    }
    step(OUTCOMES)
    for path, (rule, wildcards) in others.items():
        step(path, rule=rule, wildcards=wildcards)
        Path(path).write_text("edited")
    Path(OUTCOMES).unlink()
    assert options(monkeypatch) == []


@pytest.mark.parametrize(
    ("path", "rule", "wildcards"),
    [
        (f"{FOLDER}/quantile/n50.parquet", "quantile", {"dataset": "town_survey", "n": "50"}),
        (f"{FOLDER}/figures/ranking.png", "figure_town_survey", {}),
        (OUTCOMES, "ingest_tabular", {"dataset": "town_survey"}),
        ("results/town/report.html", "report", {}),
    ],
)
def test_every_file_of_the_study_is_made_again(here, monkeypatch, path, rule, wildcards):
    step(path, rule=rule, wildcards=wildcards)
    Path(path).write_text("edited")
    assert options(monkeypatch) == ["--forcerun", path]


def test_a_file_whose_step_was_killed_is_not_told_as_changed(here, monkeypatch):
    step(OUTCOMES)
    with pytest.raises(KeyError):
        run_killed(OUTCOMES)
    assert options(monkeypatch) == []


def run_killed(output: str) -> None:
    """Write an output, and end before its step does, as a killed one."""

    class Killed(BaseException):
        pass

    def main(_):
        Path(output).write_text("another content")
        raise Killed

    job = SimpleNamespace(
        rule="ingest",
        wildcards={"dataset": "town_survey"},
        input=[],
        output=[output],
        log=["log"],
        params=SimpleNamespace(step={}),
    )
    try:
        run(main, job)
    except Killed:
        raise KeyError from None


def finished(config: Path) -> Path:
    """Return the results of a study with this config, which ended just now."""
    origin.tell({"seed": 1}, [config], "results/town/config.yaml", 1)
    results = Path("results/town")
    results.mkdir(parents=True, exist_ok=True)
    (results / "findings.md").write_text("all is well")
    files = {"results/town/findings.md": hashlib.sha256(b"all is well").hexdigest()}
    told = {**json.loads(os.environ[VARIABLE]), "folder": "results/town", "files": files}
    (results / "provenance.json").write_text(json.dumps(told))
    return results


def test_verify_sees_a_changed_config_and_not_its_comments(here, monkeypatch):
    monkeypatch.setenv(VARIABLE, "null")
    config = here / "town.yaml"
    results = finished(config)
    text = config.read_text()
    assert verify(results)[1] == []
    config.write_text(f"# another comment\n{text}\n")
    assert verify(results)[1] == []
    config.write_text(text.replace("k: [40]", "k: [41]"))
    (fault,) = verify(results)[1]
    assert fault.startswith("town.yaml: says something else than when the study was run")
    config.unlink()
    assert verify(results)[1] == []
