"""What takes long to make and is the same in every study: texts in the user's folder of caches."""

import os
from contextlib import suppress

from platformdirs import user_cache_path

FOLDER = user_cache_path("fidelity-curves")


def kept(name: str) -> str | None:
    """Return the text that was kept by a name, None if there is none."""
    try:
        return (FOLDER / name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def keep(name: str, text: str) -> None:
    """Keep a text, whole or not at all, and not where nothing can be written."""
    partial = FOLDER / f"{name}.{os.getpid()}"
    with suppress(OSError):
        FOLDER.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, FOLDER / name)
