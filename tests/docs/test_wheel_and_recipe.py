"""What has to agree when a version is released."""

import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from small_study import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
RECIPE = yaml.safe_load((REPOSITORY / "conda/recipe.yaml").read_text("utf-8"))
WORKFLOWS = sorted((REPOSITORY / ".github/workflows").glob("*.yml"))


def test_the_version_is_everywhere_that_of_the_package():
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == PROJECT["version"] == RECIPE["context"]["version"]
    in_r = (REPOSITORY / "r" / "DESCRIPTION").read_text("utf-8")
    assert f"\nVersion: {PROJECT['version']}\n" in in_r
    examples = [".github/workflows/fidelity.yml", ".pre-commit-config.yaml"]
    for example in (
        path for name in examples for path in REPOSITORY.glob(f"docs/examples/*/{name}")
    ):
        assert f"v{PROJECT['version']}\n" in example.read_text("utf-8")


def test_the_recipe_asks_for_what_the_library_needs():
    needs = {name: set(str(spec).split(",")) for name, spec in _named(PROJECT["dependencies"])}
    python, *others = RECIPE["requirements"]["run"]
    assert {name: set(str(spec).split(",")) for name, spec in _named(others)} == needs
    least = RECIPE["context"]["python_min"]
    assert PROJECT["requires-python"] == f">={least}"
    assert python == "python >=${{ python_min }}"


def _named(requirements):
    return [(one.name, one.specifier) for one in map(Requirement, requirements)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_of_github_names_files_that_there_are(path):
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    words = [word.strip("\"'") for run in runs for word in run.split()]
    files = [word for word in words if word.startswith(("tests/", "config/", ".ci/"))]
    assert all((REPOSITORY / word).exists() for word in files)
