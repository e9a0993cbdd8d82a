"""How this project calls Snakemake."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import psutil

from fidelity_study.config.readable import refuse_unreadable
from fidelity_study.errors import DataError, refusal
from fidelity_study.root import ROOT

WORKFLOW = str(ROOT / "workflow" / "Snakefile")
ENDING = (signal.SIGTERM, signal.SIGHUP)
PATIENCE = 10.0
# A fork has imported what the command needed. On other systems than Linux it may hang.
PROCESSES: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def with_profile(options: list[str]) -> list[str]:
    """Return Snakemake's options with the project's profile, progress bar and executor.

    Options may say otherwise. A profile of the user's may have an executor, and is left to it.
    """
    profile = str(ROOT / "profiles" / "default")
    ours = ["--logger", "fidelity", "--workflow-profile", profile]
    theirs = {option.partition("=")[0] for option in options}
    if "--profile" not in theirs and "SNAKEMAKE_PROFILE" not in os.environ:
        ours += ["--executor", "fidelity"]
    return [*ours, *options]


def run(config: str, options: Iterable[str]) -> int:
    """Run the study of a config file in this folder; return Snakemake's exit status."""
    refuse_read_only()
    try:
        refuse_unreadable([config])
    except DataError as error:
        raise DataError(f"the config cannot be read; nothing was run\n{error}") from None
    named = ["--snakefile", WORKFLOW, "--configfile", config]
    return followed([*named, *options])


def refuse_read_only() -> None:
    """Raise DataError if nothing can be written into this folder, where results go."""
    if not os.access(".", os.W_OK):
        what = "cannot be written, and results go there; change to another folder, and start there "
        what += "with the files' whole paths: mkdir ~/study; cd ~/study; fidelity-curves start ..."
        raise refusal("not-writable", what, file=Path.cwd())


def followed(options: list[str]) -> int:
    """Run Snakemake in a process of its own to its end; return its exit status.

    A signal that asks this process to end asks Snakemake and its jobs, too, and their end is waited
    for: nothing runs on, and Snakemake deletes what was half made. The status is then 128 and the
    signal's number, as that of a shell.
    """
    received: list[int] = []
    process = PROCESSES.Process(target=snakemake, args=(with_profile(options),))

    def end(number: int, _: object) -> None:
        received.append(number)
        _end(process.pid)

    # Signals that are ignored, as by nohup, stay so.
    heeded = [number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heeded}
    try:
        process.start()
        if received:
            _end(process.pid)
        _wait(process)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 128 + received[0] if received else process.exitcode


def snakemake(options: list[str]) -> None:
    """Run Snakemake in this process, which ends with it."""
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    from snakemake.cli import main

    sys.argv = ["snakemake", *options]
    main()


def _wait(process: BaseProcess) -> None:
    """Wait for a process. An interrupt ends it, by and by."""
    try:
        process.join()
    except KeyboardInterrupt:  # a terminal interrupts Snakemake, too
        process.join(PATIENCE)
        _end(process.pid)
        process.join()
        raise


def _end(pid: int | None) -> None:
    """Ask a process and all that it started to end; itself first, so that it starts no others."""
    if pid is None:  # it is not there yet
        return
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for running in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                running.terminate()
