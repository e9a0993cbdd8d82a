"""What the project's folders hold: the figures, and the rooms of datasets."""

import ast
import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

import yaml

from fidelity_study.errors import refusal
from fidelity_study.reading.tabular.reading_options import schema
from fidelity_study.report.figures import BY_DEFAULT, ON_REQUEST
from fidelity_study.root import ROOMS

FIGURES = Path(__file__).parents[1] / "report" / "figures"
TABULAR = "tabular"


@dataclass(frozen=True)
class Figure:
    """What the file of a figure says of it; see :mod:`fidelity_study.report.figures`."""

    path: Path
    title: str
    caption: str
    simulators: int = 1
    calibration: str | None = None
    plan: bool = False
    predict: bool = False
    correct: bool = False
    hybrids: bool = False

    @property
    def own_path(self) -> str | None:
        """The file of a figure of the user's; None for one of the project."""
        return None if self.path.parent == FIGURES else str(self.path)


def figures(extensions: Iterable[str | Path] = ()) -> dict[str, Figure]:
    """Return the figures by name, in the order of the report: those of the project, and the user's.

    Args:
        extensions: files of the user's own, of which those that draw figures count.

    Raises:
        DataError: a file of a figure lacks something, or has another figure's name.
    """
    ours = {path.stem: path for path in FIGURES.glob("*.py")}
    known = [ours.pop(name) for name in (*BY_DEFAULT, *ON_REQUEST)]
    by_name = {}
    for path in [*known, *sorted(ours.values()), *map(Path, extensions)]:
        if figure := _figure(path):
            if path.stem in by_name:
                raise refusal(
                    "figure-twice",
                    f"there is a figure {path.stem} already; rename the file",
                    file=path,
                )
            by_name[path.stem] = figure
    return by_name


@cache
def _figure(path: Path) -> Figure | None:
    """Return what a file says of the figure that it draws; None if it draws none.

    The file is read, not run: to know its title nobody needs matplotlib.
    """
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError) as error:
        raise refusal("not-python", f"cannot be read as Python: {error}", file=path) from None
    if not any(isinstance(node, ast.FunctionDef) and node.name == "draw" for node in tree.body):
        return None
    title, _, caption = (ast.get_docstring(tree) or "").partition("\n")
    if not (title and caption.strip() and path.stem.isidentifier()):
        raise refusal(
            "malformed-figure",
            "a figure needs a name of letters, digits and _, and a docstring: its first line "
            "is the title, what is below it the caption",
            file=path,
        )
    assigned = (node for node in tree.body if isinstance(node, ast.Assign))
    needs = [node.value for node in assigned if ast.unparse(node.targets[0]) == "NEEDS"]
    try:
        return Figure(path, title, caption.strip(), **(ast.literal_eval(needs[0]) if needs else {}))
    except (TypeError, ValueError):
        there = "simulators, calibration, plan, predict, correct and hybrids"
        raise refusal(
            "malformed-figure", f"NEEDS is not a dict with some of {there}", file=path
        ) from None


def rooms() -> list[str]:
    """Return the folders of datasets."""
    return sorted(folder.parent.name for folder in ROOMS.glob("*/ingest.py"))


@cache
def room_keys(room: str) -> dict:
    """Return the schema of the settings that only this room's ingest knows."""
    return schema() if room == TABULAR else _read(room, "options.schema.yaml")


@cache
def room_words(room: str) -> dict:
    """Return what a room calls its scenarios, ``noun``, and its ``simulators``, each if it does."""
    return _read(room, "words.yaml")


@cache
def sources(room: str) -> dict:
    """Return where a room's files come from: ``url``, and ``path`` and ``sha256`` in ``files``.

    And as what they are read, ``inputs``; see :func:`input_files`. A file whose folder is among
    ``folders``, local ones with theirs there, is given by its checksum alone.
    """
    known = _read(room, "sources.yaml") or {"files": {}}
    for name, file in known["files"].items():
        if isinstance(file, str):
            folder, _, base = name.rpartition("/")
            known["files"][name] = {"path": f"{known['folders'][folder]}/{base}", "sha256": file}
    return known


def _read(room: str, name: str) -> dict:
    """Return what a file in a room's folder says; nothing where there is none."""
    path = ROOMS / room / name
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise refusal("not-yaml", f"cannot be read as YAML: {error}", file=path) from None


def input_files(settings: dict) -> dict[str, str | list[str]]:
    """Return the files that a dataset's ingest reads, by the names that it has for them.

    ``inputs`` in sources.yaml gives each name a file, or a pattern of several: ``*`` stands for any
    signs, ``{simulator}`` for each of the config's. The key of an option in braces is its value. An
    option that options.schema.yaml calls a ``file`` is itself one, in place of another of its name.

    Args:
        settings: of the dataset, complete.
    """
    room, options = settings["ingest"], settings["options"]
    known = sources(room)
    inputs: dict[str, str | list[str]] = {}
    for name, pattern in known.get("inputs", {}).items():
        patterns = [
            pattern.format(simulator=simulator, **options) for simulator in settings["simulators"]
        ]
        fitting = [fnmatch.filter(known["files"], wildcard) for wildcard in dict.fromkeys(patterns)]
        paths = [f"resources/{room}/{file}" for file in chain(*fitting)]
        inputs[name] = paths if "*" in pattern or "{simulator}" in pattern else paths[0]
    keys = room_keys(room).get("properties", {})
    return inputs | {name: options[name] for name in options if keys.get(name, {}).get("file")}
