"""Broken and hostile configs and data, given to the whole command.

Each gives one clear message, an exit status that is not 0 and no output; within bounds of time and
memory, and without touching anything outside the study's folder.
"""

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import corpus
import pytest
from small_study import Project, copy_project
from test_content import OF_VALUES, write

MOST_MB, SECONDS = 1500, 60
MEASURE = (
    "import resource, subprocess, sys; status = subprocess.call(sys.argv[2:]); "
    "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss; "
    "open(sys.argv[1], 'w').write(str(peak)); sys.exit(status)"
)
ONE_OF_THE_SCHEMA, ONE_OF_KEYS = "wrong types and values", "a key twice"
HARMLESS = {".snakemake", "__pycache__"}

pytestmark = pytest.mark.minutes


@dataclass(frozen=True)
class Study:
    """A folder in which ``snakemake`` runs, beside files that it must leave alone."""

    project: Project
    folder: Path

    def refuse(self, config: str | bytes) -> str:
        """Run ``snakemake`` with a config that it must refuse, and return what it prints.

        Fail if it succeeds, lasts, takes much memory, has a traceback, or writes anywhere else.
        """
        content = config if isinstance(config, bytes) else config.encode()
        (self.folder / "config.yaml").write_bytes(content)
        before = self._around()
        peak = self.folder / ".snakemake-peak"
        command = [sys.executable, "-c", MEASURE, peak, sys.executable, "-m", "snakemake"]
        command += ["--cores", "1", "--snakefile", self.project.root / "Snakefile"]
        process = subprocess.Popen(
            [*map(str, command), "--configfile", "config.yaml"],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.project.root / "src")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=SECONDS)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode == 1, printed
        assert "Traceback" not in printed, printed
        assert int(peak.read_text()) / 1024 <= MOST_MB
        peak.unlink()
        assert self._around() == before
        return printed

    def written(self) -> set[str]:
        """Return the files below the study's folder, but Snakemake's own."""
        return set(listed(self.folder))

    def _around(self) -> dict:
        beside = [path for path in self.folder.parent.iterdir() if path != self.folder]
        return {path: listed(path) for path in [*beside, self.project.root]}


def listed(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of each file in a folder that harmless processes don't write."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in [folder, *folder.rglob("*")]
        if not HARMLESS.intersection(path.parts) and not path.is_dir()
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    return copy_project(tmp_path_factory.mktemp("project"))


@pytest.fixture
def study(project, tmp_path) -> Study:
    (tmp_path / "canary.txt").write_text("sings", encoding="utf-8")
    folder = tmp_path / "study"
    folder.mkdir()
    return Study(project, folder)


def odd_files(folder: Path) -> None:
    """Make what a path can lead to besides files."""
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "circle.csv").symlink_to("circle.csv")
    (folder / "dangling.csv").symlink_to("gone.csv")


def whole_command(case: str) -> bool:
    """Tell whether a config's fault may show before ours is reached, or is one of its kind."""
    return case in (ONE_OF_THE_SCHEMA, ONE_OF_KEYS) or not (case in OF_VALUES or "twice" in case)


@pytest.mark.parametrize("case", [case for case in corpus.CONFIGS if whole_command(case)])
def test_a_fault_of_a_config_is_one_line_and_nothing_is_written(study, case):
    refused = corpus.CONFIGS[case]
    write(study.folder)
    odd_files(study.folder)
    before = study.written()
    printed = study.refuse(refused.text)
    told = re.search(
        rf"^{refused.header}\n(.*?)\nSee [\w/., ]+(?:\n  File |\n*\Z)", printed, re.M | re.S
    )
    assert told, printed
    lines = told[1].splitlines()
    for start, words in refused.lines.items():
        matching = [line for line in lines if line.startswith(start)]
        assert len(matching) == 1, (start, lines)
        assert all(word in matching[0] for word in words), matching
        assert len(matching[0]) < 1000
    assert len(lines) == len(refused.lines), lines
    assert study.written() == before | {"config.yaml"}


@pytest.mark.parametrize("case", corpus.UNREADABLE)
def test_a_file_that_is_no_config_is_refused(study, case):
    printed = study.refuse(corpus.UNREADABLE[case])
    (line,) = [line for line in printed.splitlines() if line.startswith("Config file ")]
    assert "YAML" in line
    assert study.written() == {"config.yaml"}
