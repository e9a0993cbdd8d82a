"""Where files that would else be downloaded may be found on this machine.

It is told by the environment, not among a rule's params: where a file with a known checksum came
from changes no result, so that another mirror makes nothing run again.
"""

import os
from pathlib import Path

VARIABLE = "FIDELITY_DATA_MIRROR"


def set_mirror(folder: str | None) -> None:
    """Let the jobs of this run look for files in ``folder``, if the config names one."""
    if folder:
        os.environ[VARIABLE] = folder


def mirror() -> Path | None:
    """Return the folder, or None if files are to be downloaded."""
    folder = os.environ.get(VARIABLE)
    return Path(folder) if folder else None
