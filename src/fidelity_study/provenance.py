"""What a job made its files from: config, seed, input files, commit and package versions.

What holds for a whole run is told to its jobs by the environment, not among their params: a commit
by itself changes no result, so that it makes nothing run again.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fidelity_study.root import ROOT

VARIABLE = "FIDELITY_RUN"
UNTOLD: dict[str, Any] = {
    "config": None,
    "seed": None,
    "commit": None,
    "changed": None,
    "packages": {},
}
MODULES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "pandas": "pandas",
    "pyarrow": "pyarrow",
    "scikit-learn": "sklearn",
    "matplotlib": "matplotlib",
}


def record(inputs: Iterable[str | Path]) -> dict:
    """Return what the job at hand makes its files from, as builtin types.

    Args:
        inputs: paths of its input files; of a folder, all files in it.

    Returns:
        ``config`` (the files it was read from, ``kept``, where the whole is, and its SHA-256),
        ``seed``, ``commit`` and whether the code was ``changed`` since (None outside a checkout),
        ``packages`` with their versions, those of modules in use as they are in this process, and
        ``inputs``, the SHA-256 of each file (None if it cannot be read).
    """
    told = json.loads(os.environ.get(VARIABLE, "null")) or UNTOLD
    python = ".".join(str(number) for number in sys.version_info[:3])
    return {
        **told,
        "packages": {"python": python, **told["packages"], **_in_use()},
        "inputs": {shown(path): _checksum_if_readable(path) for path in _files(inputs)},
    }


def shown(path: str | Path) -> str:
    """Return a path as a study names it: from its folder, or from the project's if it is ours.

    Snakemake hands a file of the workflow over as a copy in a cache, below its whole path.
    """
    path = Path(os.path.normpath(path))
    if not path.is_absolute():
        return path.as_posix()
    for each in (path, path.resolve()):
        for folder in (Path.cwd(), ROOT.resolve()):
            if each.is_relative_to(folder):
                return each.relative_to(folder).as_posix()
    ours = Path("workflow", path.as_posix().rpartition("/workflow/")[2])
    return ours.as_posix() if (ROOT / ours).is_file() else path.as_posix()


def checksum(path: str | Path) -> str:
    """Return the SHA-256 of a file; OSError if it cannot be read."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def line(made: dict) -> str:
    """Return the main parts of a record in one line, for files that have room for no more."""
    config = made["config"] or {"sha256": None}
    version = made["packages"].get("fidelity-curves")
    changed = " (changed since)" if made["changed"] else ""
    return (
        f"fidelity-curves {version}; commit {made['commit'] or 'unknown'}{changed}; "
        f"config SHA-256 {config['sha256']}; seed {made['seed']}"
    )


def _in_use() -> dict[str, str]:
    return {
        package: sys.modules[module].__version__
        for package, module in MODULES.items()
        if module in sys.modules
    }


def _files(inputs: Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, inputs):
        within = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (each for each in within if each.is_file())


def _checksum_if_readable(path: Path) -> str | None:
    try:
        return checksum(path)
    except OSError:
        return None
