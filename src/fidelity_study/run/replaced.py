"""The files that a run replaces, kept as they were until a run has succeeded.

Snakemake deletes a job's files before the job starts, and again if it fails. That a file is missing
is what makes its job run again: an old file put back in its place, as the flag ``update`` does,
would count as what the failed job made. So the old files are kept aside.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(".snakemake", "replaced")


def keep(paths: Iterable[str]) -> None:
    """Keep those of the files that are there; of each the first version since a run succeeded."""
    for path in map(Path, paths):
        kept = FOLDER / path
        if path.is_file() and not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(path, kept)
            except OSError:  # not every file system has links
                shutil.copy2(path, kept)


def forget() -> None:
    """Drop what is kept: a run has succeeded."""
    shutil.rmtree(FOLDER, ignore_errors=True)


def note() -> str:
    """Say where the old files are, if there are any."""
    return f"Files as they were before this run are in {FOLDER}" if FOLDER.exists() else ""
