"""The page's style sheet, scripts and templates: their names and contents."""

import hashlib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
SCRIPTS = ("tables.js", "page.js")


def asset(name: str) -> str:
    """Return a style sheet or a script."""
    return (FOLDER / "assets" / name).read_text(encoding="utf-8")


@cache
def page_digest() -> str:
    """Return a short hash of all of them, since the page depends on each."""
    content = hashlib.blake2b(digest_size=8)
    for path in sorted([*FOLDER.glob("assets/*"), *FOLDER.glob("templates/*")]):
        content.update(path.name.encode() + path.read_bytes())
    return content.hexdigest()
