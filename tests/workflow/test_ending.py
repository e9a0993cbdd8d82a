"""A command that is asked to end takes Snakemake and its jobs with it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from fidelity_study.app.run import command

# In place of Snakemake: a process that starts a job, and ends when asked to, as its job does.
SNAKEMAKE = """
import signal, subprocess, sys
job = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
signal.signal(signal.SIGTERM, lambda *_: None)
print(job.pid, file=open("job.new", "w"), flush=True)
import os; os.replace("job.new", "job")
sys.exit(job.wait() and 1)
"""
COMMAND = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup may have started the tests
from fidelity_study.app.run import command
command.snakemake = lambda _: [sys.executable, "-c", sys.argv[1]]
sys.exit(command.run("config.yaml", []))
"""


def started(folder: Path) -> tuple[subprocess.Popen, int]:
    """Start a command; return it, and the process of its Snakemake's job."""
    process = subprocess.Popen([sys.executable, "-c", COMMAND, SNAKEMAKE], cwd=folder)
    while not (folder / "job").exists():
        assert process.poll() is None
        time.sleep(0.01)
    return process, int((folder / "job").read_text())


def runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_command_ends_snakemake_and_its_jobs(tmp_path, number):
    process, job = started(tmp_path)
    below = [each.pid for each in psutil.Process(process.pid).children(recursive=True)]
    assert job in below and len(below) == 2
    os.kill(process.pid, number)
    assert process.wait(timeout=30) == 128 + number
    assert not [pid for pid in below if runs(pid)]


@pytest.fixture
def replaced(monkeypatch):
    """Put a program in the place of Snakemake."""

    def by(code: str) -> None:
        monkeypatch.setattr(command, "snakemake", lambda _: [sys.executable, "-c", code])

    return by


def test_the_status_is_snakemakes_and_handlers_are_as_before(replaced):
    before = signal.getsignal(signal.SIGTERM)
    replaced("raise SystemExit(3)")
    assert command.run("config.yaml", []) == 3
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_run_under_nohup_survives_its_terminal(replaced):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        replaced("import os, signal; os.kill(os.getppid(), signal.SIGHUP)")
        assert command.run("config.yaml", []) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
