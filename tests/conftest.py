"""Fixtures that every test may use: a mirror, and a small study run for real."""

import os
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import settings
from small_study import OTHER_KINDS, REPOSITORY, STUDY, Project, copy_project

settings.register_profile("reproducible", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("reproducible")


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Folder of the files that datasets would download; the test is skipped where there is none."""
    default = REPOSITORY / "../shared/data"
    folder = Path(os.environ.get("FIDELITY_DATA_MIRROR", default)).resolve()
    if not folder.is_dir():
        pytest.skip(f"no downloaded files in {folder}: set FIDELITY_DATA_MIRROR")
    return folder


@pytest.fixture(scope="session")
def small_study(tmp_path_factory) -> Project:
    """A small study that ran from beginning to end; tests leave it as it is."""
    project = copy_project(tmp_path_factory.mktemp("project"))
    project.run()
    return project


@pytest.fixture(scope="session")
def other_kinds(small_study, tmp_path_factory) -> Project:
    """Datasets of other outcome kinds, from raw data to findings in words; no figures."""
    project = small_study.elsewhere(tmp_path_factory.mktemp("other_kinds"), OTHER_KINDS)
    made = ("findings.rst", "comparison/means.parquet")
    project.run(*(f"results/{name}/{each}" for name in OTHER_KINDS["datasets"] for each in made))
    return project


@pytest.fixture
def config() -> dict:
    """The small study's config, to be changed."""
    return deepcopy(STUDY)
