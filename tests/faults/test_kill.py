"""A study that is killed again and again, and goes on: no table differs, none is cut off."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_study import STUDY, assert_same_tables

from fidelity_study.errors import DataError
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read

pytestmark = pytest.mark.minutes

KILLS = 8
DATASETS = {name: each | {"figures": ["curve"]} for name, each in STUDY["datasets"].items()}
FEW_FIGURES = {**STUDY, "datasets": DATASETS}


@pytest.fixture(scope="module")
def killed(small_study, tmp_path_factory):
    """The small study, killed at random moments, then brought to its end; and what was seen.

    The moments spread around the time that its first table takes on this machine. Its end is made
    on one core.
    """
    project = small_study.elsewhere(tmp_path_factory.mktemp("killed"), FEW_FIGURES)
    generator, seen = np.random.default_rng(20251205), []
    first = seconds_to_a_table(small_study.elsewhere(tmp_path_factory.mktemp("timed"), FEW_FIGURES))
    while len(seen) < KILLS:
        before = products(project)
        with started(project) as process:
            time.sleep(generator.uniform(0.5, 2.0) * first)
            alive = process.poll() is None
        seen.append((alive, before, products(project)))
        if not alive:
            lose_some(project, generator)
    project.run(cores=1)
    return project, seen


@contextmanager
def started(project):
    """Start the workflow; at the end of the block, kill all its processes."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--executor", "fidelity"]
    process = subprocess.Popen(
        [*command, "--snakefile", str(project.root / "Snakefile")],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": str(project.root / "src")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def seconds_to_a_table(project) -> float:
    """Return how long after its start the workflow has written its first table."""
    start = time.monotonic()
    with started(project) as process:
        while process.poll() is None and not products(project):
            time.sleep(0.1)
    return time.monotonic() - start


def products(project) -> set[str]:
    """Return the tables that are there; every one of them must be whole."""
    folder = project.folder / "results" / "default"
    found = set()
    for path in folder.rglob("*.parquet"):
        if not path.name.startswith("."):
            pq.read_table(path)
            found.add(str(path.relative_to(folder)))
    return found


def lose_some(project, generator) -> None:
    """Delete a table in ten, so that there is something to be killed at."""
    there = sorted(products(project))
    for name in generator.choice(there, max(1, len(there) // 10), replace=False):
        (project.folder / "results" / "default" / name).unlink()


def test_it_was_killed_while_it_worked(killed):
    _, seen = killed
    assert len(seen) == KILLS
    assert sum(alive for alive, _, _ in seen) >= KILLS * 3 // 4
    assert sum(after > before for _, before, after in seen) >= KILLS // 4


def test_its_tables_equal_those_of_a_study_that_was_not_killed(small_study, killed):
    assert_same_tables(small_study, killed[0])


def test_its_report_is_there_and_nothing_is_left_to_do(killed):
    project, _ = killed
    assert (project.folder / "results" / "default" / "report.html").stat().st_size > 0
    assert project.planned() == {}
    partial = [path.name for path in (project.folder / "results" / "default").rglob(".*partial*")]
    assert partial == []


@pytest.mark.parametrize("keep", [0, 3, 100, 0.5, 0.99])
def test_a_table_that_is_cut_off_is_never_read(small_study, tmp_path, keep):
    whole = (small_study.folder / "results/default/personality/scenarios.parquet").read_bytes()
    size = int(keep * len(whole)) if isinstance(keep, float) else keep
    path = tmp_path / "scenarios.parquet"
    path.write_bytes(whole[:size])
    with pytest.raises(DataError, match=r"scenarios\.parquet: cannot be read; delete it"):
        read(path, SCENARIOS)
    with pytest.raises(pa.ArrowInvalid):
        pq.read_table(path)
