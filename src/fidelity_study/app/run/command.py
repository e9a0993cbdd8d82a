"""How this project calls Snakemake."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from fidelity_study.app.run import outputs
from fidelity_study.config.readable import refuse_unreadable
from fidelity_study.errors import DataError
from fidelity_study.guides import with_page
from fidelity_study.root import ROOT

WORKFLOW = str(ROOT / "workflow" / "Snakefile")
ENDING = (signal.SIGTERM, signal.SIGHUP)
PATIENCE = 10.0
FORCED = ("--forcerun", "-R")


def snakemake(options: list[str]) -> list[str]:
    """Return the command with the project's profile, progress bar and executor.

    Options may say otherwise. A profile of the user's may have an executor, and is left to it.
    """
    profile = str(ROOT / "profiles" / "default")
    ours = ["--logger", "fidelity", "--workflow-profile", profile]
    theirs = {each.partition("=")[0] for each in options}
    if "--profile" not in theirs and "SNAKEMAKE_PROFILE" not in os.environ:
        ours += ["--executor", "fidelity"]
    return [sys.executable, "-m", "snakemake", *ours, *options]


def run(config: str, options: Iterable[str]) -> int:
    """Run the study of a config file in this folder; return Snakemake's exit status."""
    try:
        refuse_unreadable([config])
    except DataError as error:
        refusal = f"the config cannot be read; nothing was run\n{error}"
        print(with_page(refusal, "run"), file=sys.stderr)
        return 1
    named = ["--snakefile", WORKFLOW, "--configfile", config]
    return followed(snakemake(with_changed([*named, *options], config)))


def with_changed(options: list[str], config: str) -> list[str]:
    """Return Snakemake's options, so that files of a study that somebody changed are made again.

    Each is told, and a copy of it kept.
    """
    again = _made_again(config)
    for note in outputs.keep(again):
        print(f"note: {note}", file=sys.stderr)
    at = next((i for i, each in enumerate(options) if each in FORCED), None)
    if at is not None:
        return [*options[: at + 1], *again, *options[at + 1 :]]
    return [*options, FORCED[0], *again] if again else options


def _made_again(config: str) -> list[str]:
    """Return the changed files that belong to the study of a config."""
    changed = outputs.changed("results")
    if not changed:
        return []
    from fidelity_study.config.read import study_of

    try:
        study = study_of(Path(config))
    except DataError:  # Snakemake says what is wrong
        return []
    return [
        made.path
        for made in changed
        if Path(made.path).is_relative_to(study.folder)
        and study.has_run(made.rule, made.wildcards, Path(made.path).stem)
    ]


def followed(command: list[str]) -> int:
    """Run Snakemake's command to its end; return its exit status.

    A signal that asks this process to end asks Snakemake and its jobs, too, and their end is waited
    for: nothing runs on, and Snakemake deletes what was half made. The status is then 128 and the
    signal's number, as that of a shell.
    """
    received: list[int] = []
    started: list[int] = []

    def end(number: int, _: object) -> None:
        received.append(number)
        for pid in started:
            _end(pid)

    heeded = [each for each in ENDING if signal.getsignal(each) != signal.SIG_IGN]  # as by nohup
    before = {number: signal.signal(number, end) for number in heeded}
    try:
        with subprocess.Popen(command) as process:
            started.append(process.pid)
            if received:
                _end(process.pid)
            status = _status(process)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 128 + received[0] if received else status


def _status(process: subprocess.Popen) -> int:
    """Wait for a process; return its exit status. An interrupt ends it, by and by."""
    try:
        return process.wait()
    except KeyboardInterrupt:  # a terminal interrupts Snakemake, too
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        _end(process.pid)
        process.wait()
        raise


def _end(pid: int) -> None:
    """Ask a process and all that it started to end; itself first, so that it starts no others."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                each.terminate()
