"""The content that a step's results depend on: its script and the modules that it uses.

Snakemake sees neither a changed module nor a config read inside a script; a digest among the
params makes both visible, and nothing else rerun.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2]


@cache
def digest(script: Path, *modules: Path) -> str:
    """Return a short hash of ``script`` and all modules of this project it imports.

    ``modules`` are those that it uses by a name in the config, with what they import.
    """
    content = hashlib.blake2b(digest_size=8)
    for path in sorted(set().union(*map(_closure, (script, *modules)))):
        content.update(path.read_bytes())
    return content.hexdigest()


def _closure(path: Path) -> set[Path]:
    found, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += _imported(current)
    return found


@cache
def _imported(path: Path) -> list[Path]:
    """Return the files of this project's modules that ``path`` imports by name."""
    modules = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules.append(node.module)
            modules += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
    paths = (module.split(".") for module in modules)
    stems = (SOURCE.joinpath(*path[:i]) for path in paths for i in range(1, len(path) + 1))
    files = (file for stem in stems for file in (stem.with_suffix(".py"), stem / "__init__.py"))
    return [file for file in files if file.is_file()]
