"""The remedies that a fault's message names as keys of the config, as options of ``start``."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from shlex import quote

import yaml

from fidelity_study.start.files import alike
from fidelity_study.start.kind import far, in_order, missing_options
from fidelity_study.tabular.columns import as_number
from fidelity_study.tabular.files import Sheet

ROLES = ("scenario", "value", "count", "probability", "weight", "respondent", "simulator")
KINDS = "binary|ordinal|categorical|bounded|real"
PLACE = re.compile(r"column ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
NO_OPTION = re.compile(r": ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\") is no option")
UNKNOWN = re.compile(r"scenario ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\") is not in")
MOST_STEPS = 21


@dataclass(frozen=True)
class Known:
    """What is known when a fault is found.

    Attributes:
        sheets: the files' headers.
        labels: the different answers.
        given: options of the command line.
    """

    sheets: tuple[Sheet, ...] = ()
    labels: tuple[str, ...] = ()
    given: tuple[str, ...] = ()

    def sheet(self, message: str) -> Sheet | None:
        """Return the file that a message begins with."""
        return next(
            (each for each in self.sheets if re.match(rf"{re.escape(each.path)}[,:]", message)),
            None,
        )


def ignorable(message: str) -> list[str]:
    """Return the columns that a message proposes to ignore."""
    named = [name for names in _flows(message, "ignore: [") for name in names]
    if not named and "under ignore" in message:
        unknown = UNKNOWN.search(message)
        found = (unknown if "wide file" in message else None) or PLACE.search(message)
        named = [ast.literal_eval(found[1])] if found else []
    return [str(name) for name in named]


def missing_codes(message: str) -> list[str]:
    """Return the cells that a message proposes to take for no answer."""
    named = [code for codes in _flows(message, "missing: [") for code in codes]
    if not named and "under missing" in message:
        named = [ast.literal_eval(found[1]) for found in NO_OPTION.finditer(message)]
    return [str(code) for code in named]


def options(messages: Iterable[str], known: Known) -> list[tuple[str, str]]:
    """Return the options of ``start`` that do what messages propose, and the key of each.

    Columns to ignore, and cells that are no answers, are together in one entry each.
    """
    messages = list(messages)
    found = dict.fromkeys(pair for message in messages for pair in _single(message, known))
    lists = [
        ("ignore", [name for message in messages for name in ignorable(message)]),
        ("missing", [code for message in messages for code in missing_codes(message)]),
    ]
    together = [
        (" ".join(f"--{key} {quote(name)}" for name in dict.fromkeys(names)), key)
        for key, names in lists
        if names
    ]
    return [*found, *together]


def _single(message: str, known: Known) -> Iterator[tuple[str, str]]:
    """Yield the options that a message proposes but for lists, and the key of the config."""
    for roles in _flows(message, "columns: {"):
        for role, names in dict(roles).items():
            if role in ROLES:
                yield _column(role, names, known.sheet(message)), f"columns.{role}"
    for names in _flows(message, "questions: ["):
        yield " ".join(f"--questions {quote(str(name))}" for name in names), "questions"
    for marks in _flows(message, "missing_in: {"):
        for name, codes in dict(marks).items():
            pairs = (f"--missing-in {quote(str(name))} {quote(str(code))}" for code in codes)
            yield " ".join(pairs), "missing_in"
    for pattern, option, key in PATTERNS:
        for found in re.finditer(pattern, message):
            if (wanted := option(found, known)) not in known.given:
                yield wanted, key
    codes = far(_numbers(known.labels))
    if codes and "nobody answered" in message:
        yield missing_options(codes), "missing, if no answer is meant"
    if "name yours in the config under columns" in message:
        sheet = known.sheet(message)
        for role in ("scenario", "value"):
            if sheet is None or role not in sheet.columns:
                yield _column(role, "...", sheet), f"columns.{role}"


def _column(role: str, names: object, sheet: Sheet | None) -> str:
    """Return the option that says which columns have a role; a likely one where none is named."""
    if names == "...":
        likely = alike(sheet, role)[:1] if sheet else []
        named = [quote(name) for name in likely] or ["COLUMN"]
    else:
        named = [quote(str(name)) for name in (names if isinstance(names, list) else [names])]
    return " ".join(f"--{role} {name}" for name in named)


def _levels(_: re.Match, known: Known) -> str:
    """Return the option that lists the options: those that were chosen, and what is between."""
    labels = in_order(set(known.labels))
    numbers = _numbers(labels)
    if labels and len(numbers) == len(labels) and all(each % 1 == 0 for each in numbers):
        steps = range(int(numbers[0]), int(numbers[-1]) + 1)
        labels = [str(step) for step in steps] if len(steps) <= MOST_STEPS else labels
    if len(labels) < 2 or len(labels) > MOST_STEPS:
        labels = ["first", "second", "..."]
    return f"--levels {quote(' | '.join(labels))}"


def _kind(found: re.Match, _: Known) -> str:
    return f"--kind {found[1]}" + (" --bounds LOWER UPPER" if found[2] else "")


Option = Callable[[re.Match, Known], str]
PATTERNS: list[tuple[str, Option, str]] = [
    (rf"\bkind: ({KINDS})(, bounds: \[)?", _kind, "outcome.kind"),
    (rf"call the kind ({KINDS})()", _kind, "outcome.kind"),
    (rf"call the kind ordinal or ({KINDS})()", _kind, "outcome.kind"),
    (r"(?<!among )outcome\.levels|\blevels: \[", _levels, "outcome.levels"),
    (r"outcome\.bounds", lambda *_: "--bounds LOWER UPPER", "outcome.bounds"),
    (r"\bform: (long|wide|cells)\b", lambda found, _: f"--form {found[1]}", "form"),
    (
        r"\bseparator: '(\\t|.)'",
        lambda found, _: _separator(found[1]),
        "separator",
    ),
    (r"\bunlisted: (\w+)", lambda found, _: f"--unlisted {found[1]}", "unlisted"),
    (r"\bcluster: none\b", lambda *_: "--cluster none", "cluster"),
    (r"\bstated: \[([^\]]+)\]", lambda found, _: f"--stated {quote(found[1])}", "stated"),
    (r"in a column respondent\b", lambda *_: "--respondent COLUMN", "columns.respondent"),
    (r"\bweighting_effect\b", lambda *_: "--weighting-effect NUMBER", "weighting_effect"),
    (r"into the file of scenarios", lambda *_: "--scenarios FILE", "scenarios"),
]


def _numbers(labels: Iterable[str]) -> list[float]:
    return [number for label in labels if (number := as_number(label)) is not None]


def _separator(character: str) -> str:
    return "--separator tab" if character == r"\t" else f"--separator {quote(character)}"


def _flows(message: str, opening: str) -> Iterator[list | dict]:
    """Yield the lists or mappings in YAML that follow a key in a message."""
    closing = {"[": "]", "{": "}"}[opening[-1]]
    for found in re.finditer(rf"(?<![\w.]){re.escape(opening)}", message):
        start = found.end() - 1
        for end in (i for i, each in enumerate(message) if each == closing and i > start):
            try:
                value = yaml.safe_load(message[start : end + 1])
            except yaml.YAMLError:
                continue
            if isinstance(value, (list, dict)):
                yield value
            break
