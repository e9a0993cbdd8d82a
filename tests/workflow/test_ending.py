"""A command that is asked to end takes Snakemake and its jobs with it."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from fidelity_study.app.run import command
from fidelity_study.app.run.command import ENDING

# In place of Snakemake: what starts a job, and ends when asked to, as its job does.
COMMAND = """
import os, signal, subprocess, sys
from fidelity_study.app.run import command

def snakemake(_):
    job = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    signal.signal(signal.SIGTERM, lambda *_: None)
    print(job.pid, file=open("job.new", "w"), flush=True)
    os.replace("job.new", "job")
    sys.exit(job.wait() and 1)

command.snakemake = snakemake
sys.exit(command.run("config.yaml", []))
"""


def started(folder: Path) -> tuple[subprocess.Popen, int]:
    """Start a command; return it, and the process of its Snakemake's job."""
    process = subprocess.Popen([sys.executable, "-c", COMMAND], cwd=folder)
    while not (folder / "job").exists():
        assert process.poll() is None
        time.sleep(0.01)
    return process, int((folder / "job").read_text())


def runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


@pytest.mark.sampled
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_command_ends_snakemake_and_its_jobs(tmp_path, usual_signals, number):
    process, job = started(tmp_path)
    below = [each.pid for each in psutil.Process(process.pid).children(recursive=True)]
    assert job in below and len(below) == 2
    os.kill(process.pid, number)
    assert process.wait(timeout=30) == 128 + number
    assert not [pid for pid in below if runs(pid)]


def test_the_status_is_snakemakes_and_handlers_are_as_before(monkeypatch):
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(command, "snakemake", lambda _: sys.exit(3))
    assert command.run("config.yaml", []) == 3
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.slow
def test_snakemake_heeds_signals_as_a_program_that_was_just_started(monkeypatch):
    handled = []
    monkeypatch.setattr("snakemake.cli.main", lambda: handled.extend(map(signal.getsignal, ENDING)))
    monkeypatch.setattr(sys, "argv", [])
    before = {each: signal.signal(each, lambda *_: None) for each in ENDING}
    try:
        command.snakemake(["--dry-run"])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert handled == [signal.SIG_DFL] * 2
    assert sys.argv == ["snakemake", "--dry-run"]


def test_a_run_under_nohup_survives_its_terminal(monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        hang_up = partial(os.kill, os.getpid(), signal.SIGHUP)
        monkeypatch.setattr(command, "snakemake", lambda _: hang_up())
        assert command.run("config.yaml", []) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
