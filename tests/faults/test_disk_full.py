"""A disk that runs full: an error that says so, and the study goes on when there is room."""

import os
import shutil
import subprocess
from contextlib import contextmanager

import pyarrow.parquet as pq
import pytest
from small_study import STUDY, assert_same_tables

pytestmark = pytest.mark.minutes

DATASET = "survey"
SMALL, LARGE = "600k", "200m"


@contextmanager
def small_disk(folder):
    """A file system in memory of its own, mounted at a new folder."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_told_and_the_study_goes_on_when_there_is_room(small_study, tmp_path):
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small file system")
    with small_disk(tmp_path / "disk") as folder:
        datasets = {DATASET: STUDY["datasets"][DATASET] | {"figures": ["curve"]}}
        project = small_study.elsewhere(folder, {**STUDY, "datasets": datasets})
        said = project.run(status=1)
        assert "No space left on device" in said
        for path in (folder / "results" / "default").rglob("*.parquet"):
            if not path.name.startswith("."):
                pq.read_table(path)
        subprocess.run(["mount", "-o", f"remount,size={LARGE}", str(folder)], check=True)
        project.run()
        assert_same_tables(small_study, project, DATASET)
