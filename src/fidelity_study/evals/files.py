"""The files that the patterns of an eval name."""

import glob
from pathlib import Path


def files_of(settings: dict) -> list[str]:
    """Return the files that an eval's patterns name, each once, in the order of the patterns."""
    patterns = settings["files"] if isinstance(settings["files"], list) else [settings["files"]]
    found = (path for pattern in patterns for path in _matching(pattern))
    return list(dict.fromkeys(found))


def missing_patterns(settings: dict) -> list[str]:
    """Return those of an eval's patterns that name no file."""
    patterns = settings["files"] if isinstance(settings["files"], list) else [settings["files"]]
    return [pattern for pattern in patterns if not _matching(pattern)]


def _matching(pattern: str) -> list[str]:
    if Path(pattern).is_file():
        return [pattern]
    return sorted(path for path in glob.glob(pattern, recursive=True) if Path(path).is_file())
