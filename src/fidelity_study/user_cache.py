"""What takes long to make: texts that are kept, as a rule in the user's folder of caches."""

import os
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

FOLDER = user_cache_path("fidelity-curves")


def kept(name: str, folder: Path | None = None) -> str | None:
    """Return the text that was kept by a name, None if there is none."""
    try:
        return ((folder or FOLDER) / name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def keep(name: str, text: str, folder: Path | None = None) -> None:
    """Keep a text, whole or not at all, and not where nothing can be written."""
    folder = folder or FOLDER
    partial = folder / f"{name}.{os.getpid()}"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, folder / name)
