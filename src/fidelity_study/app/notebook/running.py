"""Snakemake beside a notebook: a bar as long as it runs, and no process of it after that."""

import os
import signal
import subprocess
import sys
from contextlib import chdir, suppress
from pathlib import Path

from tqdm import tqdm

from fidelity_study.app.run import resume
from fidelity_study.config.study import named as name_of
from fidelity_study.errors import DataError, refusal
from fidelity_study.progress import STEPS

PATIENCE = 10.0
BAR = "{desc} {percentage:3.0f}%|{bar:30}| {n_fmt} of {total_fmt} steps, {elapsed}"
NOTE = "note: "
USUAL = ("Using workflow", "Assuming", "Building DAG", "Using shell", "Conda env", "Complete log")


def refuse_running(folder: Path, config: str) -> None:
    """Raise DataError if the study of a config in a folder runs already."""
    with chdir(folder):
        if resume.is_running(f"results/{name_of({}, [config])}"):
            raise refusal(
                "running",
                "another call computes this comparison; wait for it or stop it, or give this one "
                "a folder of its own, folder='...'",
                file=folder,
            )


def run(folder: Path, config: str, *, quiet: bool) -> list[str]:
    """Run the study of a config in a folder; return what is to be told of it.

    An interrupt ends all of its processes.

    Raises:
        DataError: with what failed.
    """
    environment = {key: text for key, text in os.environ.items() if key != "MPLBACKEND"}
    process = subprocess.Popen(
        [sys.executable, "-m", "fidelity_study", "run", config],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        lines = _followed(process, quiet=quiet)
    except BaseException:
        _end(process)
        raise
    if process.returncode:
        kept = [line for line in lines if line and not line.startswith((*USUAL, NOTE))]
        raise DataError("\n".join([f"{folder}: the study failed", *kept]))
    return [line.removeprefix(NOTE) for line in lines if line.startswith(NOTE)]


def _followed(process: subprocess.Popen, *, quiet: bool) -> list[str]:
    """Show how far a run is until it ends; return the lines that it says besides."""
    lines = []
    assert process.stdout is not None
    with tqdm(disable=quiet, file=sys.stderr, bar_format=BAR, desc="comparing") as bar:
        for line in process.stdout:
            if steps := STEPS.match(line):
                bar.n, bar.total = int(steps[1]), int(steps[2])
                bar.refresh()
            else:
                lines.append(line.rstrip())
        bar.leave = bar.total is not None
        process.wait()
    return lines


def _end(process: subprocess.Popen) -> None:
    """End a run: ask it, so that it ends its jobs, or by force if that is slow.

    An interrupt would not do: whoever started this process may have it ignored.
    """
    with suppress(ProcessLookupError):
        try:
            process.terminate()
            process.communicate(timeout=PATIENCE)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
