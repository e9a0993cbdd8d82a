"""The workflow away from its checkout: in a wheel, and as a module of another workflow."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest
import yaml
from small_study import REPOSITORY

TEST = REPOSITORY / ".test" / "config" / "config.yaml"
EXAMPLE = REPOSITORY / "config" / "example.yaml"
OTHER_WORKFLOW = """
configfile: "survey.yaml"

module fidelity:
    snakefile: "{workflow}"
    config: config
{prefix}

use rule * from fidelity as fidelity_*

rule everything:
    default_target: True
    input: rules.fidelity_all.input

onstart: fidelity.onstart()
onsuccess: fidelity.onsuccess()
onerror: fidelity.onerror()
"""
# What an installer makes of the script that the wheel names.
SCRIPT = """
import sys
from importlib.metadata import entry_points

(script,) = entry_points(group="console_scripts", name="fidelity-curves")
sys.argv[0] = script.name
sys.exit(script.load()())
"""


def run(*command, folder, status=0, **environment):
    """Run Python with a command in a folder; return what it prints."""
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with nothing but what is in the wheel."""
    folder = tmp_path_factory.mktemp("installed")
    run("-m", "hatchling", "build", "-t", "wheel", "-d", folder, folder=REPOSITORY)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder


@pytest.fixture
def example(tmp_path):
    """A folder with a user's own files."""
    shutil.copytree(EXAMPLE.with_suffix(""), tmp_path / "config" / "example")
    config = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    config["datasets"]["town_survey"]["figures"] = ["curve"]
    (tmp_path / "survey.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_a_wheel_starts_a_study_and_plans_it(installed, example):
    path = {"PYTHONPATH": str(installed)}
    found = run(
        "-c", "import fidelity_study; print(fidelity_study.__file__)", folder=example, **path
    )
    assert found.startswith(str(installed))
    files = [f"config/example/{name}.csv" for name in ("human", "simulated")]
    said = run("-c", SCRIPT, "start", *files, "--name", "started", folder=example, **path)
    assert said.endswith("Run it: fidelity-curves run started.yaml\n")
    run("-c", SCRIPT, "run", "started.yaml", "--dry-run", folder=example, **path)


@pytest.mark.release
def test_a_wheel_runs_a_study_and_verifies_it(installed, example):
    path = {"PYTHONPATH": str(installed)}
    run("-m", "fidelity_study", "run", "survey.yaml", "--cores", "2", folder=example, **path)
    assert (example / "results" / "survey" / "report.html").stat().st_size > 50_000
    assert ", all made from the files" in run(
        "-m", "fidelity_study", "verify", folder=example, **path
    )
    again = run("-m", "fidelity_study", "resume", "--dry-run", folder=example, **path)
    assert "Nothing to be done" in again


@pytest.mark.parametrize(
    "prefix",
    [
        pytest.param('    prefix: "trust"', marks=pytest.mark.minutes),
        pytest.param("", marks=pytest.mark.release),
    ],
)
def test_another_workflow_has_it_as_a_module_by_other_names(example, prefix):
    workflow = REPOSITORY / "workflow" / "Snakefile"
    text = OTHER_WORKFLOW.format(workflow=workflow, prefix=prefix)
    (example / "Snakefile").write_text(text, encoding="utf-8")
    done = run("-m", "snakemake", "--cores", "2", folder=example)
    folder = example / "trust" / "results" if prefix else example / "results"
    assert (folder / "survey" / "report.html").stat().st_size > 50_000
    said = run("-m", "fidelity_study", "verify", folder, folder=example)
    assert ", all made from the files that are there" in said
    assert f"The report is in {folder.relative_to(example)}/survey/report.html" in done
    said = run("-m", "fidelity_study", "resume", "--dry-run", folder=example)
    assert "resuming: snakemake --dry-run --snakefile Snakefile --configfile survey.yaml" in said
    assert "Nothing to be done" in said


def test_a_config_that_is_not_there_is_told(tmp_path):
    said = run("-m", "fidelity_study", "run", "mine.yaml", folder=tmp_path, status=2)
    assert said.endswith(f"mine.yaml is no file, seen from {tmp_path}; CONFIG comes first\n")


def test_a_second_config_is_refused(tmp_path):
    command = ["-m", "fidelity_study", "run", TEST, "--configfile", "other.yaml"]
    said = run(*command, folder=tmp_path, status=2)
    assert said.endswith("--configfile: a study has one config file, named without an option\n")


@pytest.mark.slow
def test_a_package_that_is_not_there_is_told_in_one_line(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['fidelity_study'] = None")
    command = ["-m", "snakemake", "--cores", "1", "--configfile", TEST]
    said = run(*command, folder=REPOSITORY, status=1, PYTHONPATH=str(tmp_path))
    assert "fidelity_study is not installed where Snakemake runs" in said
    assert "python -m pip install" in said
    assert "Traceback" not in said and "ModuleNotFoundError" not in said


@pytest.mark.minutes
def test_jobs_in_conda_environments_are_refused_with_the_reason(tmp_path):
    shutil.copytree(TEST.parent, tmp_path / "config")
    workflow = REPOSITORY / "workflow" / "Snakefile"
    command = ["-m", "snakemake", "--cores", "1", "--snakefile", workflow, "--sdm", "conda"]
    said = run(*command, folder=tmp_path, status=1)
    assert "jobs run in the environment that Snakemake runs in" in said
