"""What takes long to make: files that are kept, as a rule in the user's folder of caches."""

import os
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

FOLDER = user_cache_path("fidelity-curves")


def kept(name: str, folder: Path | None = None) -> bytes | None:
    """Return what was kept by a name, None if there is nothing."""
    try:
        return ((folder or FOLDER) / name).read_bytes()
    except OSError:
        return None


def keep(name: str, content: bytes, folder: Path | None = None) -> None:
    """Keep a file, whole or not at all, and not where nothing can be written."""
    folder = folder or FOLDER
    partial = folder / f"{name}.{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content)
        os.replace(partial, folder / name)
