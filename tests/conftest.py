"""Fixtures that every test may use: a small study run for real."""

from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import settings
from small_study import OTHER_KINDS, STUDY, Project, copy_project

settings.register_profile("reproducible", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("reproducible")


@pytest.fixture(scope="session")
def traces(tmp_path_factory) -> Path:
    """A folder with the files that each step of the small study executed, once that has run."""
    return tmp_path_factory.mktemp("traces")


@pytest.fixture(scope="session")
def small_study(tmp_path_factory, traces) -> Project:
    """A small study that ran from beginning to end; tests leave it as it is."""
    project = copy_project(tmp_path_factory.mktemp("project"))
    project.run(traces=traces)
    return project


@pytest.fixture(scope="session")
def other_kinds(small_study, tmp_path_factory) -> Project:
    """Datasets of other outcome kinds, from raw data to findings in words; no figures."""
    project = small_study.elsewhere(tmp_path_factory.mktemp("other_kinds"), OTHER_KINDS)
    made = ("findings.md", "comparison/means.parquet")
    project.run(
        *(f"results/default/{name}/{each}" for name in OTHER_KINDS["datasets"] for each in made)
    )
    return project


@pytest.fixture
def config() -> dict:
    """The small study's config, to be changed."""
    return deepcopy(STUDY)
