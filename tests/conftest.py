"""Fixtures that every test may use: a small study run for real."""

import fcntl
import shutil
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import settings
from small_study import OTHER_KINDS, STUDY, Project, copy_project

settings.register_profile("reproducible", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("reproducible")


@pytest.fixture(scope="session")
def ran_once(tmp_path_factory, worker_id) -> Path:
    """A folder with ``project``, in which one worker ran the small study, and its ``traces``."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "ran_once"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            (folder / "traces").mkdir()
            copy_project(folder / "project").run(traces=folder / "traces")
            (folder / "done").touch()
    return folder


@pytest.fixture(scope="session")
def traces(ran_once) -> Path:
    """A folder with the files that each step of the small study executed."""
    return ran_once / "traces"


@pytest.fixture(scope="session")
def small_study(ran_once, tmp_path_factory) -> Project:
    """A small study that ran from beginning to end, this worker's copy; tests leave it as it is."""
    own = tmp_path_factory.mktemp("project") / "copy"
    shutil.copytree(ran_once / "project", own, symlinks=True)
    return Project(own, own)


@pytest.fixture(scope="session")
def other_kinds(small_study, tmp_path_factory) -> Project:
    """Datasets of other outcome kinds, from raw data to findings in words; no figures."""
    project = small_study.elsewhere(tmp_path_factory.mktemp("other_kinds"), OTHER_KINDS)
    made = ("findings.rst", "comparison/means.parquet")
    project.run(
        *(f"results/default/{name}/{each}" for name in OTHER_KINDS["datasets"] for each in made)
    )
    return project


@pytest.fixture
def config() -> dict:
    """The small study's config, to be changed."""
    return deepcopy(STUDY)
