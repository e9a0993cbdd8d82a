"""The files that the patterns of an eval name, and what reads them."""

import glob
import json
from pathlib import Path

from fidelity_study.reading.tabular.spreadsheet import split

INSPECT, HARNESS, TABLE = "inspect_ai", "lm-evaluation-harness", "table"
NEEDED = ("doc_id", "metrics", "filter")
"""What each line of samples of lm-evaluation-harness has."""
HAS = {".json": {"eval", "status", "version"}, ".jsonl": {*NEEDED}}
"""What a log of inspect_ai has as JSON, and each line of samples."""
KINDS = {".eval": INSPECT, ".json": INSPECT, ".jsonl": HARNESS}


def kind_of(path: str) -> str:
    """Return what a file is, by its name; JSON that is of no log is a table."""
    suffix = Path(split(path)[0]).suffix.lower()
    is_named = suffix not in HAS or Path(path).name.startswith("samples_")
    keys = None if is_named else _keys(Path(path))
    is_table = keys is not None and not HAS[suffix] <= keys
    return TABLE if is_table else KINDS.get(suffix, TABLE)


def is_log(path: Path) -> bool:
    """Return whether a file surely is a log, by the end of its name and what it has."""
    suffix = path.suffix.lower()
    return suffix == ".eval" or (suffix in HAS and HAS[suffix] <= (_keys(path) or set()))


def _keys(path: Path) -> set[str] | None:
    """Return the keys of a file of JSON, or of its first line; None if it can't be read."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.readline() if path.suffix.lower() == ".jsonl" else file.read()
        return {*json.loads(text)} if not text.lstrip().startswith("[") else set()
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def files_of(settings: dict) -> list[str]:
    """Return the files that an eval's patterns name, each once, in the order of the patterns."""
    patterns = settings["files"] if isinstance(settings["files"], list) else [settings["files"]]
    paths = (path for pattern in patterns for path in _matching(pattern))
    return list(dict.fromkeys(paths))


def files_on_disk(settings: dict) -> list[str]:
    """Return the same files, where sheets of a workbook are one."""
    return list(dict.fromkeys(split(path)[0] for path in files_of(settings)))


def missing_patterns(settings: dict) -> list[str]:
    """Return those of an eval's patterns that name no file."""
    patterns = settings["files"] if isinstance(settings["files"], list) else [settings["files"]]
    return [pattern for pattern in patterns if not _matching(pattern)]


def _matching(pattern: str) -> list[str]:
    if Path(split(pattern)[0]).is_file():
        return [pattern]
    return sorted(path for path in glob.glob(pattern, recursive=True) if Path(path).is_file())
