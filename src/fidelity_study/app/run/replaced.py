"""The files that a run replaces, kept as they were until a run has succeeded.

Snakemake deletes a job's files before the job starts, and again if it fails. That a file is missing
is what makes its job run again: an old file put back in its place, as the flag ``update`` does,
would count as what the failed job made. So the old files are kept aside.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

KEPT = Path(".snakemake", "replaced")


def keep(paths: Iterable[str], folder: str) -> None:
    """Keep the files of a folder of results: of each the first version since a run succeeded.

    Args:
        paths: what a run makes; what is not in the folder, or not there, is left out.
        folder: of a study's results.
    """
    for path in map(Path, paths):
        kept = KEPT / path
        if path.is_relative_to(folder) and path.is_file() and not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(path, kept)
            except OSError:  # not every file system has links
                shutil.copy2(path, kept)


def forget(folder: str) -> None:
    """Delete the kept files of a study, as a run has succeeded."""
    shutil.rmtree(KEPT / folder, ignore_errors=True)


def note(folder: str) -> str:
    """Say where a study's old files are, if there are any."""
    kept = KEPT / folder
    return f"Files as they were before this run are in {kept}" if kept.exists() else ""
