"""Whether a config's file can be read as what it says: told before Snakemake loads it.

YAML can end in a traceback at a date that is none, and take the last of two keys without a word.
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
KINDS = {"map", "seq", "str", "int", "float", "bool", "null", "timestamp", "merge", "value"}
OTHER_BASE = re.compile(r"[-+]?(0[0-7_]*[1-7][0-7_]*|[0-9_]+(:[0-5]?[0-9])+(\.[0-9_]*)?)")
NO_VALUE = (yaml.constructor.ConstructorError, ValueError, OverflowError, KeyError, IndexError)
OF_NUMBERS = (f"{YAML}int", f"{YAML}float")
STRICT = (",", ":", "{", "}", "[", "]", "#", "&", "*", "%", "@", "`", "'", '"', "|", ">", "!")


class _NotReadableError(ValueError):
    """What is wrong, and in which line."""

    def __init__(self, what: str, line: int | None = None):
        super().__init__(what)
        self.line = line


def refuse_unreadable(files: Iterable[str | Path]) -> None:
    """Raise DataError with what is wrong with the files of a config, one line each."""
    faults = ErrorList()
    for file in filter(os.path.isfile, files):
        with faults.collected():
            _refuse(file)
    faults.refuse()


def _refuse(file: str | Path) -> None:
    try:
        text = _text(Path(file).read_bytes())
        errors = list(_faults(text))
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise refusal("unreadable", what, file=os.path.relpath(file)) from None
    except _NotReadableError as error:
        errors = [error]
    if errors:
        path = os.path.relpath(file)
        raise DataError(
            *(fault("unreadable", str(problem), file=path, line=problem.line) for problem in errors)
        )


def _text(content: bytes) -> str:
    """Return a file's text; it is to be UTF-8 of a sensible length."""
    if len(content) > MOST_BYTES:
        raise _NotReadableError(
            f"has more than {MOST_BYTES:,} bytes, and no config needs so many; name the config"
        )
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _NotReadableError("is UTF-16; save it as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise _NotReadableError(what, line) from None


def _faults(text: str) -> Iterator[_NotReadableError]:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        if _is_json(text):
            return
        raise _syntax(error, text) from None
    except RecursionError:
        raise _NotReadableError("is nested too deep; close a bracket") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        what = f"holds the character U+{error.character:04X}, which is no text; delete it"
        raise _NotReadableError(what, line) from None
    if not isinstance(root, yaml.MappingNode):
        raise _NotReadableError("holds no keys; a config begins with a line such as: datasets:")
    loader = yaml.SafeLoader("")
    for node in _nodes(root):
        yield from _of_node(node, loader)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _syntax(error: yaml.MarkedYAMLError, text: str) -> _NotReadableError:
    mark = error.problem_mark or error.context_mark
    line = None if mark is None else mark.line + 1
    lines = text.splitlines()
    wrong_line = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
    if "\t" in wrong_line[: len(wrong_line) - len(wrong_line.lstrip())]:
        return _NotReadableError("begins with a tab; YAML is indented by spaces", line)
    hint = "check its indentation, brackets and quotes"
    if any(sign in wrong_line for sign in STRICT):
        hint += "; put a text with signs such as : # { [ * & into quotes"
    return _NotReadableError(f"is not YAML: {error.problem or error.context}; {hint}", line)


def _inner(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _nodes(root: yaml.Node) -> Iterator[yaml.Node]:
    """Yield each node once, parents first."""
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting += reversed(_inner(node))


def _of_node(node: yaml.Node, loader: yaml.SafeLoader) -> Iterator[_NotReadableError]:
    """Say what a node's tag, its keys or its text cannot mean."""
    line = node.start_mark.line + 1
    if node.tag.removeprefix(YAML) not in KINDS:
        yield _NotReadableError(f"the tag {shortened(node.tag)} is unknown; delete it", line)
    elif isinstance(node, yaml.MappingNode):
        yield from _of_keys(node, loader)
    elif isinstance(node, yaml.ScalarNode) and node.tag != MERGE:
        text = shortened(repr(node.value))
        try:
            value = loader.construct_object(node)
            if node.tag in OF_NUMBERS and OTHER_BASE.fullmatch(node.value):
                yield _NotReadableError(
                    f"{node.value} is read as {value}, as YAML takes a 0 in front for base 8 and "
                    f"colons for base 60; write {value} if that is meant, or put it in quotes",
                    line,
                )
            if isinstance(value, date):
                yield _NotReadableError(f"{text} is read as a date; put it in quotes", line)
        except NO_VALUE:
            yield _NotReadableError(f"{text} is no such number or date; put it in quotes", line)


def _of_keys(node: yaml.MappingNode, loader: yaml.SafeLoader) -> Iterator[_NotReadableError]:
    first: dict[object, yaml.Node] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            yield _NotReadableError("a key is a list or a mapping; give it a name", line)
            continue
        try:
            value = key.tag if key.tag == MERGE else loader.construct_object(key)
        except NO_VALUE:
            continue  # told of the key itself
        other = first.setdefault(value, key)
        began = f"first in line {other.start_mark.line + 1}"
        if other is not key and other.value == key.value:
            what = f"{shortened(repr(key.value))} is there twice, {began}; keep one"
            yield _NotReadableError(what, line)
        elif other is not key:
            yield _NotReadableError(
                f"{key.value!r} is the same key as {other.value!r}, {began}: YAML reads both as "
                f"{value!r}; keep one, or put them in quotes",
                line,
            )
