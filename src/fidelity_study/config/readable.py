"""Whether a config's file can be read as what it says: told before Snakemake loads it.

YAML takes the last of two equal keys without a word, and some texts as dates or numbers.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import yaml

from fidelity_study.errors import DataError, ErrorList, fault, refusal, shortened

MOST_BYTES = 1_000_000
YAML = "tag:yaml.org,2002:"
MERGE = f"{YAML}merge"
OTHER_BASE = re.compile(r"[-+]?(0[0-7_]*[1-7][0-7_]*|[0-9_]+(:[0-5]?[0-9])+(\.[0-9_]*)?)")
OF_NUMBERS = (f"{YAML}int", f"{YAML}float")
NOT_YAML = (
    yaml.YAMLError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)
HINT = (
    "check its indentation, by spaces and no tabs, its brackets and quotes; put a text with signs "
    "such as : # { [ * & into quotes"
)


def refuse_unreadable(files: Iterable[str | Path]) -> None:
    """Raise DataError with what is wrong with the files of a config, one line each."""
    faults = ErrorList()
    for file in filter(os.path.isfile, files):
        with faults.collected():
            _refuse(Path(file))
    faults.refuse()


def _refuse(file: Path) -> None:
    path = os.path.relpath(file)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise refusal("unreadable", f"cannot be read: {error.strerror}", file=path) from None
    if len(content) > MOST_BYTES:
        what = f"has more than {MOST_BYTES:,} bytes, and no config needs so many; name the config"
        raise refusal("unreadable", what, file=path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise refusal("unreadable", what, file=path, line=line) from None
    try:
        odd = [fault("unreadable", what, file=path, line=line) for what, line in _odd(text)]
    except NOT_YAML as error:
        if _is_json(text):
            return
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or str(error).partition("\n")[0]
        place = {"file": path, "line": mark.line + 1 if mark else None}
        raise refusal("unreadable", f"is not YAML: {shortened(said)}; {HINT}", **place) from None
    if odd:
        raise DataError(*odd)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _odd(text: str) -> Iterator[tuple[str, int | None]]:
    """Say what YAML takes otherwise than it may be meant, and in which line."""
    if not isinstance(yaml.safe_load(text), dict):
        yield "holds no keys; a config begins with a line such as: datasets:", None
        return
    loader = yaml.SafeLoader("")
    waiting, seen = [yaml.compose(text, Loader=yaml.SafeLoader)], set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, yaml.MappingNode):
            yield from _equal_keys(node, loader)
            waiting += [part for pair in reversed(node.value) for part in reversed(pair)]
        elif isinstance(node, yaml.SequenceNode):
            waiting += reversed(node.value)
        elif node.tag != MERGE:
            yield from _of_value(node, loader.construct_object(node))


def _of_value(node: yaml.ScalarNode, value: object) -> Iterator[tuple[str, int]]:
    line = node.start_mark.line + 1
    if isinstance(value, date):
        yield f"{shortened(repr(node.value))} is read as a date; put it in quotes", line
    elif node.tag in OF_NUMBERS and OTHER_BASE.fullmatch(node.value):
        yield (
            f"{node.value} is read as {value}, as YAML takes a 0 in front for base 8 and colons "
            f"for base 60; write {value} if that is meant, or put it in quotes",
            line,
        )


def _equal_keys(node: yaml.MappingNode, loader: yaml.SafeLoader) -> Iterator[tuple[str, int]]:
    first: dict[object, yaml.Node] = {}
    for key, _ in node.value:
        value = MERGE if key.tag == MERGE else loader.construct_object(key)
        other = first.setdefault(value, key)
        line, began = key.start_mark.line + 1, f"first in line {other.start_mark.line + 1}"
        if other is not key and other.value == key.value:
            yield f"{shortened(repr(key.value))} is there twice, {began}; keep one", line
        elif other is not key:
            yield (
                f"{key.value!r} is the same key as {other.value!r}, {began}: YAML reads both as "
                f"{value!r}; keep one, or put them in quotes",
                line,
            )
