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
from typing import NamedTuple

from fidelity_study.errors import DataError
from fidelity_study.provenance import checksum

MADE = Path(".snakemake", "made")
CHANGED = Path(".snakemake", "changed")


def begin(paths: Iterable[str]) -> None:
    """Note that a step makes these files: until it is done, nothing is known of them."""
    for path in paths:
        _record(path).unlink(missing_ok=True)


class Made(NamedTuple):
    """A file that a step made.

    Attributes:
        path: as Snakemake has it.
        sha256: of the file, when it was made.
        rule: the step's name.
        wildcards: of the step, such as ``dataset`` and ``n``.
    """

    path: str
    sha256: str
    rule: str
    wildcards: dict[str, str]


def done(paths: Iterable[str], rule: str, wildcards: dict[str, str]) -> None:
    """Note which step made these files, and the SHA-256 of each."""
    for path in paths:
        record = _record(path)
        record.parent.mkdir(parents=True, exist_ok=True)
        partial = record.with_suffix(".partial")
        made = Made(str(path), checksum(path), rule, wildcards)
        partial.write_text(json.dumps(made._asdict()), encoding="utf-8")
        partial.replace(record)


def refuse_changed(digests: Mapping[str, str | None]) -> None:
    """Raise DataError if a file is not the one that a step made.

    Args:
        digests: path -> its SHA-256 now.
    """
    for path, now in digests.items():
        was = _read(_record(path))
        if was is not None and now not in (None, was.sha256):
            raise DataError(
                f"{path}: was changed since this study made it, and nothing is made from it; "
                "fidelity-curves run makes it again, and so does any run once it is deleted"
            )


def changed(folder: str) -> list[Made]:
    """Return those files of a folder of results that are not as a step made them."""
    return [
        made
        for made in filter(None, map(_read, sorted(MADE.glob("*.json"))))
        if Path(made.path).is_relative_to(folder) and _is_another(made)
    ]


def keep(paths: Iterable[str]) -> Iterator[str]:
    """Keep copies of changed files, which are made again; yield what to say of each."""
    for path in paths:
        kept = CHANGED / path
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, kept)
        yield f"{path}: was changed since this study made it; it is made again, and kept in {kept}"


def _is_another(made: Made) -> bool:
    try:
        return checksum(made.path) != made.sha256
    except OSError:  # what is missing is made anyway
        return False


def _record(path: str | Path) -> Path:
    return MADE / f"{blake2b(str(path).encode(), digest_size=16).hexdigest()}.json"


def _read(record: Path) -> Made | None:
    with suppress(OSError, ValueError, TypeError):
        return Made(**json.loads(record.read_text(encoding="utf-8")))
    return None
