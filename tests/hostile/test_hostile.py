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

FILES = ("human", "simulated", "scenarios")

MOST_MB, SECONDS, SECONDS_EACH = 1500, 60, 20
MEASURE = (
    "import resource, subprocess, sys; status = subprocess.call(sys.argv[2:]); "
    "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss; "
    "open(sys.argv[1], 'w').write(str(peak)); sys.exit(status)"
)
ONE_OF_THE_SCHEMA, ONE_OF_MODELS = "wrong types and values", "names of models to ask"
ONE_OF_KEYS = "a key twice"
HARMLESS = {".snakemake", "__pycache__"}

pytestmark = pytest.mark.minutes


@dataclass(frozen=True)
class Study:
    """A folder in which ``snakemake`` runs, beside files that it must leave alone."""

    project: Project
    folder: Path

    def refuse(self, config: str | bytes, *targets: str, seconds: int = SECONDS) -> str:
        """Run ``snakemake`` with a config that it must refuse, and return what it prints.

        Fail if it succeeds, lasts, takes much memory, has a traceback, or writes anywhere else.
        """
        content = config if isinstance(config, bytes) else config.encode()
        (self.folder / "config.yaml").write_bytes(content)
        before = self._around()
        peak = self.folder / ".snakemake-peak"
        command = [sys.executable, "-c", MEASURE, peak, sys.executable, "-m", "snakemake"]
        command += [*targets, "--cores", "1", "--snakefile", self.project.root / "Snakefile"]
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
            printed, _ = process.communicate(timeout=seconds)
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
    ones = (ONE_OF_THE_SCHEMA, ONE_OF_MODELS, ONE_OF_KEYS)
    return case in ones or not (case in OF_VALUES or "twice" in case)


@pytest.mark.parametrize("case", [case for case in corpus.CONFIGS if whole_command(case)])
def test_a_fault_of_a_config_is_one_line_and_nothing_is_written(study, case):
    refused = corpus.CONFIGS[case]
    write(study.folder, {})
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
    assert corpus.SECRET not in printed
    assert study.written() == before | {"config.yaml"}


@pytest.mark.parametrize("case", corpus.UNREADABLE)
def test_a_file_that_is_no_config_is_refused(study, case):
    printed = study.refuse(corpus.UNREADABLE[case])
    (line,) = [line for line in printed.splitlines() if line.startswith("Config file ")]
    assert "YAML" in line
    assert study.written() == {"config.yaml"}


def test_a_fault_of_data_is_one_line_and_no_table_is_written(study):
    named = {f"d{i}": each for i, each in enumerate(corpus.DATA.values())}
    settings = {}
    for name, (files, own, _) in named.items():
        write(study.folder / name, files)
        paths = {**corpus.SOUND, **own}
        settings[name] = {**own, **{key: within(name, paths[key]) for key in FILES if key in paths}}
    before = study.written()
    targets = [f"results/default/{name}/outcomes.parquet" for name in named]
    seconds = SECONDS + SECONDS_EACH * len(named)
    printed = study.refuse(corpus.datasets(settings), *targets, "--keep-going", seconds=seconds)
    read = {each for each in study.written() - before if not each.startswith(".snakemake")}
    lines = [line for line in printed.splitlines() if len(line) <= 600]
    untold = {
        name: words
        for name, (_, _, words) in named.items()
        if not any(all(word in line for word in words) for line in lines)
    }
    if "nothing was run" in printed:
        assert read == {"config.yaml"}
    if untold and "nothing was run" in printed:
        assert_jobs_refuse(study, {name: settings[name] for name in untold}, untold)
    else:
        assert untold == {}


def assert_jobs_refuse(study, settings, words):
    """What can only be seen when the tables are made is told by each job in one line."""
    targets = [f"results/default/{name}/outcomes.parquet" for name in settings]
    seconds = SECONDS + SECONDS_EACH * len(settings)
    printed = study.refuse(corpus.datasets(settings), *targets, "--keep-going", seconds=seconds)
    told = {}
    for name in settings:
        message = (study.folder / "logs" / "default" / name / "ingest.log").read_text("utf-8")
        sound = re.fullmatch(r"ingest_tabular: [^\n]{1,600}\n", message)
        if (
            not sound
            or message.strip() not in printed
            or not all(x in message for x in words[name])
        ):
            told[name] = message
    assert told == {}


def within(folder: str, path: str) -> str:
    return str(Path(folder) / path)
