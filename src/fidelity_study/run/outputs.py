"""Whether the files of a study are still those that its steps made.

Snakemake sees that a file is newer than another, not that somebody changed it: it would make what
follows from a table that was edited by hand. So each step leaves the checksums of its files; a file
that is another one is made again, and no step reads it.
"""

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from fidelity_study.errors import DataError
from fidelity_study.run.provenance import checksum

MADE = Path(".snakemake", "made")
CHANGED = Path(".snakemake", "changed")


def begin(paths: Iterable[str]) -> None:
    """Note that a step makes these files: until it is done, nothing is known of them."""
    for path in paths:
        _record(path).unlink(missing_ok=True)


def done(paths: Iterable[str]) -> None:
    """Note the SHA-256 of each file that a step made."""
    for path in paths:
        record = _record(path)
        record.parent.mkdir(parents=True, exist_ok=True)
        partial = record.with_suffix(".partial")
        told = {"path": str(path), "sha256": checksum(path)}
        partial.write_text(json.dumps(told), encoding="utf-8")
        partial.replace(record)


def refuse_changed(found: Mapping[str, str | None]) -> None:
    """Raise DataError if a file is not the one that a step made.

    Args:
        found: path -> its SHA-256 now.
    """
    for path, now in found.items():
        was = _read(_record(path))
        if was is not None and now not in (None, was["sha256"]):
            raise DataError(
                f"{path}: was changed since this study made it, and nothing is made from it; "
                "fidelity-curves run makes it again, and so does any run once it is deleted"
            )


def changed(folder: str) -> list[str]:
    """Return those files of a folder of results that are not as a step made them."""
    return [
        told["path"]
        for told in filter(None, map(_read, sorted(MADE.glob("*.json"))))
        if Path(told["path"]).is_relative_to(folder) and _is_another(told)
    ]


def keep(paths: Iterable[str]) -> Iterator[str]:
    """Keep copies of changed files, which are made again; yield what to say of each."""
    for path in paths:
        kept = CHANGED / path
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, kept)
        yield f"{path}: was changed since this study made it; it is made again, and kept in {kept}"


def _is_another(told: dict[str, str]) -> bool:
    try:
        return checksum(told["path"]) != told["sha256"]
    except OSError:  # what is missing is made anyway
        return False


def _record(path: str | Path) -> Path:
    return MADE / f"{blake2b(str(path).encode(), digest_size=16).hexdigest()}.json"


def _read(record: Path) -> dict[str, str] | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        told = json.loads(record.read_text(encoding="utf-8"))
        return {key: str(told[key]) for key in ("path", "sha256")}
    return None
