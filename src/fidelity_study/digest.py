"""The content that a step's results depend on: its script and the modules that it uses.

Snakemake sees neither a changed module nor a config read inside a script; a digest among the
params makes both visible, and nothing else rerun. It is of what code does: docstrings, comments and
lay-out don't count, so no step may read a docstring when it runs.

An import leads to the one module that defines a name, also where a package hands it on by a stub
(``__init__.pyi``, see ``lazy_loader``); that of a package itself leads to all that its stub has.
Modules of the user's own count as the project's do: those that neither belong to Python nor were
installed. What is installed has a version, which provenance keeps.
"""

import ast
import json
import sys
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_path
from typing import NamedTuple

from fidelity_study import user_cache
from fidelity_study.root import INSTALLED

SOURCE = Path(__file__).parents[1]
PACKAGES = {"fidelity", "fidelity_study"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
KEPT = "digests.json"
MOST_KEPT = 2000


class Import(NamedTuple):
    """A name that a file imports.

    Attributes:
        name: in its module; of a whole module its name.
        bound: what the file calls it.
        module: as the file writes it; None if a whole module is imported.
        level: how many packages up a relative import starts.
    """

    name: str
    bound: str
    module: str | None = None
    level: int = 0


def in_one_order(content: object) -> str:
    """Return what can be written as JSON as text that is the same for the same content.

    Keys are in order, also where some are numbers and others texts.
    """
    return json.dumps(json.loads(json.dumps(content)), sort_keys=True)


@cache
def digest(script: Path, *modules: Path) -> str:
    """Return a short hash of ``script``, further ``modules``, and all of this project they import.

    It is the same wherever the project lies.
    """
    known = len(_kept())
    content = blake2b(digest_size=8)
    for each in sorted(map(_line, used(script, *modules))):
        content.update(each.encode())
    if len(_kept()) > known:
        latest = list(_kept().items())[-MOST_KEPT:]
        user_cache.keep(KEPT, json.dumps(dict(latest)).encode())
    return content.hexdigest()


def used(*paths: Path) -> set[Path]:
    """Return ``paths`` and the files of all modules, the project's or the user's, they import."""
    found, waiting = set(), list(paths)
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += _imported(current)
    return found


@cache
def _line(path: Path) -> str:
    """Return a file's name, the same wherever the project lies, and the hash of its code."""
    ours = path.is_relative_to(SOURCE) and not path.is_relative_to(INSTALLED)
    name = path.relative_to(SOURCE).as_posix() if ours else path.name
    return f"{name} {_parsed(path)[0]}\n"


@cache
def _parsed(path: Path) -> tuple[str, list[Import]]:
    """Return a hash of a file's code without comments and docstrings, and its imports."""
    text = path.read_bytes()
    key = blake2b(text, key=_version(), digest_size=16).hexdigest()
    if key not in _kept():
        _kept()[key] = _parse(text)
    code, imports = _kept()[key]
    return code, [Import(*each) for each in imports]


def _parse(text: bytes) -> tuple[str, list[Import]]:
    tree = ast.parse(text)
    imports: list[Import] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            imports += [Import(alias.name, alias.asname or alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += [
                Import(alias.name, alias.asname or alias.name, node.module or "", node.level)
                for alias in node.names
            ]
        elif isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        waiting += [each for each in ast.iter_child_nodes(node) if isinstance(each, STATEMENTS)]
    return blake2b(ast.dump(tree).encode(), digest_size=8).hexdigest(), imports


@cache
def _version() -> bytes:
    """Return a hash of what parses: Python and this module."""
    return blake2b(sys.version.encode() + Path(__file__).read_bytes()).digest()


@cache
def _kept() -> dict[str, tuple[str, list]]:
    """Return what was parsed before, by the content of files."""
    try:
        return json.loads(user_cache.kept(KEPT) or "{}")
    except ValueError:
        return {}


@cache
def _imported(path: Path) -> set[Path]:
    """Return the project's and the user's files that run with ``path``, or that it may use."""
    found: set[Path] = set()
    for each in _parsed(path)[1]:
        if each.module is not None:
            found |= _of_name(_module(each, path), each.name)
        else:
            found |= _files(each.name)
            found = found.union(*map(_offered, _prefixes(each.name)))
    return found


def _module(each: Import, path: Path) -> str:
    """Return the whole name of the module from which ``path`` imports a name."""
    if not each.level:
        return each.module or ""
    outermost = path
    while (outermost.parent / "__init__.py").is_file():
        outermost = outermost.parent
    package = path.relative_to(outermost.parent).parts[: -each.level]
    return ".".join([*package, *([each.module] if each.module else [])])


def _prefixes(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:i]) for i in range(1, len(parts) + 1)]


@cache
def _files(module: str) -> frozenset[Path]:
    """Return the files that run when a module is imported: its own and its packages'."""
    folder = _folder(module.partition(".")[0])
    if folder is None:
        return frozenset()
    stems = [folder.joinpath(*each.split(".")) for each in _prefixes(module)]
    files = (file for stem in stems for file in (stem.with_suffix(".py"), stem / "__init__.py"))
    return frozenset(file for file in files if file.is_file())


@cache
def _folder(package: str) -> Path | None:
    """Return the folder that a package or module lies in; None if it is no one's here to change."""
    if package in PACKAGES:
        return SOURCE
    try:
        spec = find_spec(package) if package else None
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin in ("built-in", "frozen"):
        return None
    (place, *_) = spec.submodule_search_locations or [str(spec.origin)]
    folder = Path(place).resolve().parent
    of_python = folder.is_relative_to(Path(get_path("stdlib")).resolve())
    is_installed = {"site-packages", "dist-packages"}.intersection(folder.parts)
    return None if of_python or is_installed else folder


@cache
def _of_name(module: str, name: str) -> frozenset[Path]:
    """Return the files behind a name of a module: a module itself, or what the stub leads to."""
    whole = f"{module}.{name}"
    found = _files(whole) | _offered(whole)
    for bound, *origin in _stub(module):
        if name in (bound, "*") and origin != [module, name]:
            found |= _of_name(*origin)
    return found


def _offered(package: str) -> frozenset[Path]:
    """Return the files behind all names that a package's stub has."""
    return frozenset().union(*(_of_name(*origin) for _, *origin in _stub(package)))


@cache
def _stub(package: str) -> list[tuple[str, str, str]]:
    """Return the names that a package hands on: (name, module that it is from, name there)."""
    path = SOURCE.joinpath(*package.split("."), "__init__.pyi")
    if not path.is_file():
        return []
    return [
        (each.bound, _module(each, path), each.name)
        for each in _parsed(path)[1]
        if each.module is not None
    ]
