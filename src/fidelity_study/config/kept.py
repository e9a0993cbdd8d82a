"""What users' files were found to hold, kept until they, the settings or the code change."""

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from fidelity_study.digest import digest, in_one_order
from fidelity_study.errors import refusal
from fidelity_study.provenance import checksum

FOLDER = Path(".snakemake")


def kept_or_read(
    name: str, script: Path, paths: Iterable[str], settings: object, read: Callable[[], dict]
) -> dict:
    """Return the content of files: the kept copy, or else the result of ``read``, which is kept.

    Args:
        name: of the file that keeps it, without suffix.
        script: that reads the same in a study; its digest is that of the code.
        paths: the files.
        settings: by which they are read.
        read: returns what can be written as JSON.

    Raises:
        DataError: by ``read``, or if a file cannot be read.
    """
    told = in_one_order([digest(script), list(map(_checksum, paths)), settings])
    key = blake2b(told.encode(), digest_size=16).hexdigest()
    place = FOLDER / f"{name}.json"
    known = _kept(place)
    if key not in known:
        known[key] = read()
        _keep(place, known)
    return known[key]


def _checksum(path: str) -> str:
    try:
        return checksum(path)
    except OSError as error:
        raise refusal("unreadable", f"cannot be read: {error.strerror}", file=path) from None


def _kept(place: Path) -> dict[str, dict]:
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _keep(place: Path, known: dict[str, dict]) -> None:
    partial = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):  # a folder that cannot be written is read again
        place.parent.mkdir(exist_ok=True)
        partial.write_text(json.dumps(known), encoding="utf-8")
        os.replace(partial, place)
