"""The workflow on a real Slurm: the same numbers, and what becomes of jobs that go wrong."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
from guides import clone, follow, page
from single_host_slurm import NODES, OF_FAULTS, PARTITION, call, wait
from small_study import REPOSITORY, Project, copy_project

pytestmark = pytest.mark.minutes

LOCAL = {"all", "report"}
OWN = r"# slurm_partition: \w+", f"slurm_partition: {PARTITION}"  # a site's own line
# A job takes 5 s. Who looks before it has ended looks again after 10 s more.
SOON = r"(status-checks): 15", r"\1: 6"
FEW = (
    "results/default/personality/calibration/scores.parquet",
    "results/default/survey/bootstrap/n40.parquet",
    "results/default/ratings/outcomes.parquet",
)
CANCEL = (
    "scancel --name $(grep -ho 'SLURM run ID.*' .snakemake/log/*.log | tail -n 1 | cut -d ' ' -f 4)"
)


@dataclass(frozen=True)
class Run:
    """A ``snakemake --profile profiles/slurm`` that a user has started."""

    process: subprocess.Popen
    printed: Path

    def finish(self, status: int = 0) -> str:
        """Wait for the end, check the exit status, and return what was printed."""
        try:
            found = self.process.wait(timeout=1200)
        except subprocess.TimeoutExpired:
            found = "still running"
        text = self.printed.read_text(encoding="utf-8")
        assert found == status, text
        return text


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[Run]:
    """Yield a run in a folder; in the end it is over."""
    printed = folder / "printed.txt"
    command = [sys.executable, "-m", "snakemake", "--profile", "profiles/slurm", *arguments]
    with printed.open("w") as output:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *command],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder / "src")},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Run(process, printed)
    finally:
        process.kill()
        process.wait()


def set_profile(folder: Path, *lines: tuple[str, str]) -> None:
    """Change lines of the profile: patterns, and what stands there instead."""
    profile = folder / "profiles" / "slurm" / "config.yaml"
    text = profile.read_text(encoding="utf-8")
    for pattern, line in lines:
        text, changed = re.subn(pattern, line, text)
        assert changed == 1
    profile.write_text(text, encoding="utf-8")


def faulty(folder: Path) -> Path:
    """Make a folder with the profiles and jobs that go wrong."""
    shutil.copytree(REPOSITORY / "profiles", folder / "profiles")
    shutil.copy(Path(__file__).with_name("faults.smk"), folder / "Snakefile")
    (folder / "tried").mkdir()
    set_profile(folder, (OWN[0], f"slurm_partition: {OF_FAULTS}"), SOON)
    return folder


def tried(folder: Path, rule: str) -> list[str]:
    """Return what each attempt of a rule was given: memory, minutes and node."""
    path = folder / "tried" / rule
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def jobs_of(comment: str, states: str) -> list[str]:
    """Return the numbers of a rule's jobs in some states; the plugin comments them so."""
    lines = call("squeue", "--noheader", f"--states={states}", "--format=%i %k").splitlines()
    return [line.split()[0] for line in lines if line.split()[1] == comment]


def is_table(name: str) -> bool:
    """Say whether a file holds a table."""
    return name.endswith((".parquet", ".csv"))


def one_of_each(project: Project) -> list[str]:
    """Return a file of each step, and each table once: of the first dataset that has it."""
    rows = [line.split("\t") for line in project.run("--summary").splitlines() if "\t" in line]
    made = sorted((name, rule) for name, _, rule, *_ in rows[1:] if rule not in LOCAL)
    of_rules = {rule: name for name, rule in reversed(made)}
    of_names = {name.split("/", 2)[2]: name for name, _ in reversed(made) if is_table(name)}
    return sorted({*of_rules.values(), *of_names.values()})


@pytest.fixture(scope="module")
def tutorial(slurm, tmp_path_factory) -> Iterator[tuple[Path, Future]]:
    """The tutorial's folder, and what its commands print, which run while this goes on."""
    folder = clone(tmp_path_factory.mktemp("tutorial"))
    set_profile(folder, SOON)
    with ThreadPoolExecutor(1) as pool:
        yield folder, pool.submit(follow, page("tutorials/cluster"), folder)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(FEW, id="few steps"),
        pytest.param((), id="every step", marks=pytest.mark.release),
    ],
)
def study(request, slurm, tmp_path_factory) -> tuple[Project, tuple[str, ...], str]:
    """The small study with steps as jobs of Slurm, the files asked for, and what was printed.

    A job costs 3 s of processor time, so that most are done for one dataset only. Runs wait most
    of their time, so that the tutorial's and jobs that go wrong wait beside a short one.
    """
    project, wanted = copy_project(tmp_path_factory.mktemp("study")), request.param
    for beside in ("tutorial", "going_wrong") if wanted else ():
        request.getfixturevalue(beside)
    set_profile(project.folder, OWN, SOON)
    with started(project.folder, *(wanted or one_of_each(project))) as run:
        return project, wanted, run.finish()


def test_every_step_is_a_job_of_slurm(study):
    project, wanted, printed = study
    ran = {rule: int(jobs) for rule, jobs in re.findall(r"^(\w+) +(\d+)$", printed, re.MULTILINE)}
    total = ran.pop("total")
    assert set(ran) == set(project.planned("--forceall", *wanted)) - LOCAL
    (run,) = re.findall("SLURM run ID: (.+)", printed)
    shown = ["--noheader", "--states=all", "--format=%T %P %k"]
    jobs = [line.split() for line in call("squeue", f"--name={run}", *shown).splitlines()]
    assert len({comment for *_, comment in jobs}) == total  # names rule and wildcards
    assert {(state, partition) for state, partition, _ in jobs} == {("COMPLETED", PARTITION)}
    of_all = ["--noheader", "--states=all", f"--partition={PARTITION}", "--format=%N"]
    assert set(call("squeue", *of_all).split()) == set(NODES[PARTITION])


def test_the_tables_are_those_of_a_local_run(study, small_study):
    project, wanted, _ = study
    files = [
        path for path in (project.folder / "results" / "default").rglob("*") if is_table(path.name)
    ]
    assert len(files) > (10 if wanted else 40)
    for file in files:
        path = file.relative_to(project.folder / "results" / "default").as_posix()
        pd.testing.assert_frame_equal(
            project.table(path), small_study.table(path), check_exact=True
        )


@pytest.fixture(scope="module")
def going_wrong(slurm, tmp_path_factory) -> Iterator[tuple[Path, Run]]:
    """A run whose jobs go wrong in every way, on nodes of their own."""
    folder = faulty(tmp_path_factory.mktemp("faults"))
    with started(folder) as run:
        yield folder, run


@pytest.fixture(scope="module")
def with_a_node_lost(slurm, going_wrong) -> tuple[Path, Run]:
    """That run, at the time when a node was lost."""
    folder, _ = going_wrong
    wait(lambda: tried(folder, "node"), 180, "the job on the node starts")
    slurm.lose("fragile")
    wait(lambda: jobs_of("rule_node", "PENDING"), 180, "the loss is noticed")
    # Slurm gives the node two minutes to clean up; it needs none
    (job,) = jobs_of("rule_node", "PENDING")
    call("scontrol", "update", f"JobId={job}", "StartTime=now")
    return going_wrong


@pytest.fixture(scope="module")
def faults(slurm, with_a_node_lost) -> tuple[Path, str]:
    """The folder of that run, and all it printed."""
    folder, run = with_a_node_lost
    printed = run.finish(status=1)
    slurm.start_node("fragile")
    wait(slurm.idle, 60, "the node is back")
    return folder, printed


def test_after_a_kill_the_old_jobs_are_cancelled_and_the_run_goes_on(with_a_node_lost, tmp_path):
    assert CANCEL in (REPOSITORY / "docs/howto/cluster.md").read_text(encoding="utf-8")
    folder = faulty(tmp_path)
    with started(folder, "lasting"):
        wait(lambda: tried(folder, "lasting"), 180, "the job starts")
    assert jobs_of("rule_lasting", "RUNNING")
    subprocess.run(CANCEL, shell=True, cwd=folder, check=True)
    wait(lambda: not jobs_of("rule_lasting", "RUNNING,COMPLETING"), 60, "the job ends")
    for arguments in (["--unlock"], ["lasting"]):
        with started(folder, *arguments) as run:
            run.finish()
    assert len(tried(folder, "lasting")) == 2
    assert (folder / "lasting").is_file()


def test_the_commands_of_the_tutorial_give_the_same_numbers_twice(tutorial):
    folder, following = tutorial
    printed = following.result()
    assert PARTITION in printed["sinfo --summarize"]
    (by_jobs,) = [printed[each] for each in printed if "--profile" in each]
    assert len(re.findall("has been submitted with SLURM jobid", by_jobs)) == 5
    (difference,) = [each for each in printed if each.startswith("diff ")]
    assert printed[difference] == ""
    assert (folder / "results/example/report.html").is_file()
    (waited,) = folder.glob("slurm-*.out")
    assert "The report is in results/example/report.html" in waited.read_text(encoding="utf-8")


def test_a_job_over_its_memory_gets_more(faults):
    folder, _ = faults
    assert tried(folder, "memory") == ["1000 30 steady", "2000 60 steady"]
    assert (folder / "memory").is_file()


def test_a_job_over_its_time_gets_more(faults):
    folder, printed = faults
    assert tried(folder, "time") == ["1000 1 steady", "2000 2 steady"]
    assert (folder / "time").is_file()
    assert "SLURM status is: 'TIMEOUT'" in printed


def test_a_job_of_a_lost_node_starts_again_on_another(faults):
    folder, _ = faults
    assert tried(folder, "node") == ["1000 30 fragile", "1000 30 steady"]
    assert (folder / "node").is_file()


def test_a_job_that_always_fails_ends_the_run_and_its_log_is_named(faults):
    folder, printed = faults
    assert tried(folder, "always") == ["1000 30 steady", "2000 60 steady", "4000 120 steady"]
    assert not (folder / "always").exists()
    logs = re.findall(r"log: (\S+/rule_always/\d+\.log)", printed)
    assert len(logs) == 3
    assert all(Path(log).is_file() for log in logs)
    assert "logs/always.log" in printed
    assert "this is why" in printed
