"""What is made once for a run of the tests, however many workers there are."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def once_for_all_workers(
    factory: pytest.TempPathFactory, name: str, build: Callable[[Path], None]
) -> Path:
    """Return a folder that ``build`` fills: the first worker calls it, the others wait.

    Nothing half made is handed on: where ``build`` fails, the next worker builds anew.
    """
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, complete = shared / name, shared / f"{name}.complete"
    with open(shared / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            build(folder)
            complete.touch()
    return folder
