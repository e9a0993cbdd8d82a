"""The remedies that a fault's message names as keys of the config, as options of ``start``."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import yaml

from fidelity_study.start.files import alike
from fidelity_study.start.kind import far, in_order, kind_option
from fidelity_study.start.spelling import COMMAND_LINE, REST, Spelling
from fidelity_study.tabular.columns import as_number
from fidelity_study.tabular.files import Sheet

ROLES = (
    *("scenario", "value", "count", "probability", "weight", "respondent", "simulator"),
    *("loc", "scale", "family"),
)
OPENINGS = (
    *("columns: {", "outcome: {", "ignore: [", "questions: [", "missing: [", "missing_in: {"),
    *("recode: {", "stated: [", "design: {", "groups: ["),
)
BY_NAME = ("missing_in", "recode")
KINDS = "binary|ordinal|categorical|bounded|real"
PLACE = re.compile(r"column ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
NO_OPTION = re.compile(r": ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\") is no option")
UNKNOWN = re.compile(r"scenario ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\") is not in")
PROBABILITIES = re.compile(r"\bprobabilities: (one_vs_rest|rounded)\b")
SEPARATOR = re.compile(r"\bseparator: ('(?:\\t|.)')")
NO_OPTIONS = "unlisted, if none of these texts is an answer: they are counted, and in no share"
MOST_STEPS = 21


@dataclass(frozen=True)
class Known:
    """What is known when a fault is found.

    Attributes:
        sheets: the files' headers.
        labels: the different answers.
        given: options that are given.
        spelling: how options are written.
    """

    sheets: tuple[Sheet, ...] = ()
    labels: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    spelling: Spelling = COMMAND_LINE

    def sheet(self, message: str) -> Sheet | None:
        """Return the file that a message begins with."""
        return next(
            (each for each in self.sheets if re.match(rf"{re.escape(each.path)}[,:]", message)),
            None,
        )


def ignorable(message: str) -> list[str]:
    """Return the columns that a message proposes to ignore."""
    named = [name for _, names in _flows(message, "ignore: [") for name in names]
    if not named and "under ignore" in message:
        unknown = UNKNOWN.search(message)
        found = (unknown if "wide file" in message else None) or PLACE.search(message)
        named = [ast.literal_eval(found[1])] if found else []
    return [str(name) for name in named]


def missing_codes(message: str) -> list[str]:
    """Return the cells that a message proposes to take for no answer."""
    named = [code for _, codes in _flows(message, "missing: [") for code in codes]
    if not named and "under missing" in message:
        named = [ast.literal_eval(found[1]) for found in NO_OPTION.finditer(message)]
    return [str(code) for code in named]


def columns_of(message: str) -> dict[str, str]:
    """Return the columns that a message proposes, by role, as far as it proposes one way."""
    pairs = {
        (role, name)
        for _, roles in _flows(message, "columns: {")
        for role, name in dict(roles).items()
        if role in ROLES and isinstance(name, str) and name != REST
    }
    roles, names = ([pair[i] for pair in pairs] for i in (0, 1))
    return {
        role: name
        for role, name in sorted(pairs)
        if roles.count(role) == 1 and names.count(name) == 1
    }


def recoded(message: str) -> dict[str, str]:
    """Return the answers that a message proposes to read as others."""
    return {
        str(old): str(new)
        for _, pairs in _flows(message, "recode: {")
        for old, new in dict(pairs).items()
    }


def separator_of(message: str) -> str | None:
    """Return what a message proposes as the separator of text files."""
    found = SEPARATOR.search(message)
    return ast.literal_eval(found[1]) if found else None


def probabilities_of(message: str) -> str | None:
    """Return how a message proposes to read probabilities that do not sum to one."""
    found = PROBABILITIES.search(message)
    return found[1] if found else None


def options(messages: Iterable[str], known: Known) -> list[tuple[str, str]]:
    """Return the options of ``start`` that do what messages propose, and the key of each.

    Columns to ignore, and cells that are no answers, are together in one entry each. Of a column
    that may be read or not, only the option that reads it is returned.
    """
    messages = list(messages)
    found = dict.fromkeys(pair for message in messages for pair in _single(message, known))
    named = {name for message in messages for name in columns_of(message).values()}
    unread = [name for message in messages for name in ignorable(message) if name not in named]
    lists = [
        ("ignore", unread),
        ("missing", [code for message in messages for code in missing_codes(message)]),
    ]
    together = [
        (known.spelling.option(key, *dict.fromkeys(names)), key) for key, names in lists if names
    ]
    return [*found, *together]


def in_place(message: str, known: Known) -> str:
    """Return a message with options in place of the keys of a config."""
    for opening in OPENINGS:
        for place, value in reversed(list(_flows(message, opening))):
            key = opening[:-3]
            of_several = isinstance(value, dict) and key not in BY_NAME
            pairs = dict(value).items() if of_several else [(key, value)]
            written = [_written(key, each, known, message) for key, each in pairs]
            message = (
                message[: place.start] + known.spelling.together(*written) + message[place.stop :]
            )
    for pattern, write in PLAIN:
        for found in reversed(list(re.finditer(pattern, message))):
            message = message[: found.start()] + write(found, known) + message[found.end() :]
    for config, python in NAMES.items():
        message = message.replace(config, python)
    return message


def together(messages: Iterable[str]) -> list[str]:
    """Return messages, those that say the same of several files as one."""
    places: dict[str, list[str]] = {}
    for message in messages:
        place, colon, text = message.partition(": ")
        places.setdefault(colon + text, []).append(place)
    return [", ".join(dict.fromkeys(each)) + text for text, each in places.items()]


def _written(key: str, value: object, known: Known, message: str) -> str:
    """Return a key of a config, and its value, as an option."""
    if key in ROLES:
        return _column(key, value, known, message)
    if value == [REST]:
        return known.spelling.blank(key)
    if isinstance(value, dict):
        return known.spelling.by_name(key, value)
    return known.spelling.option(key, *map(str, value if isinstance(value, list) else [value]))


def _single(message: str, known: Known) -> Iterator[tuple[str, str]]:
    """Yield the options that a message proposes but for lists, and the key of the config."""
    for _, roles in _flows(message, "columns: {"):
        for role, names in dict(roles).items():
            if role in ROLES:
                yield _column(role, names, known, message), f"columns.{role}"
    for _, parts in _flows(message, "design: {"):
        for key, name in dict(parts).items():
            yield known.spelling.option(key, str(name)), f"design.{key}"
    for key in ("questions", "groups"):
        for _, names in _flows(message, f"{key}: ["):
            yield known.spelling.option(key, *map(str, names)), key
    for _, marks in _flows(message, "missing_in: {"):
        yield known.spelling.by_name("missing_in", dict(marks)), "missing_in"
    for _, pairs in _flows(message, "recode: {"):
        yield known.spelling.by_name("recode", dict(pairs)), "recode"
    for pattern, option, key in PATTERNS:
        for found in re.finditer(pattern, message):
            if (wanted := option(found, known)) not in known.given:
                yield wanted, key
    codes = far(_numbers(known.labels))
    if codes and "nobody answered" in message:
        yield known.spelling.option("missing", *codes), "missing, if no answer is meant"
    if "name yours in the config under columns" in message:
        sheet = known.sheet(message)
        for role in ("scenario", "value"):
            is_there = sheet is not None and role in sheet.columns
            if not is_there and f" ({role}), but" not in message:
                yield _column(role, REST, known, message), f"columns.{role}"


def _column(role: str, names: object, known: Known, message: str) -> str:
    """Return the option that says which columns have a role; a likely one where none is named."""
    if names == REST:
        sheet = known.sheet(message)
        names = alike(sheet, role)[:1] if sheet else []
    named = [str(name) for name in (names if isinstance(names, list) else [names])]
    return known.spelling.option(role, *named) if named else known.spelling.blank(role)


def _levels(_: re.Match, known: Known) -> str:
    """Return the option that lists the options: those that were chosen, and what is between."""
    labels = in_order(set(known.labels))
    numbers = _numbers(labels)
    if 2 * len(numbers) > len(labels):
        labels = in_order(label for label in labels if as_number(label) is not None)
        codes = far(numbers)
        labels = [label for label in labels if label not in codes]
        numbers = _numbers(labels)
    if len(numbers) < len(labels):
        numbers = []
    if numbers and all(each % 1 == 0 for each in numbers):
        steps = range(int(numbers[0]), int(numbers[-1]) + 1)
        labels = [str(step) for step in steps] if len(steps) <= MOST_STEPS else labels
    if not numbers or len(labels) < 2 or len(labels) > MOST_STEPS:
        labels = ["LOWEST", REST, "HIGHEST"]  # the order of words is the user's to say
    return known.spelling.levels(labels)


Option = Callable[[re.Match, Known], str]


def _blank(option: str) -> Option:
    return lambda _, known: known.spelling.blank(option)


def _named(option: str) -> Option:
    return lambda found, known: known.spelling.option(option, found[1])


def _kind(found: re.Match, known: Known) -> str:
    option = known.spelling.option("kind", found[1])
    return kind_option(known.spelling, found[1]) if found[2] else option


def _codes(_: re.Match, known: Known) -> str:
    return known.spelling.flag("codes")


def _predict(_: re.Match, known: Known) -> str:
    return known.spelling.flag("predict")


def _nested(_: re.Match, known: Known) -> str:
    return known.spelling.flag("nested")


def _repeat(found: re.Match, known: Known) -> str:
    return known.spelling.truth("respondents_repeat", value=found[1] == "true")


def _separator(found: re.Match, known: Known) -> str:
    return known.spelling.option("separator", "tab" if found[1] == r"\t" else found[1])


PATTERNS: list[tuple[str, Option, str]] = [
    (rf"\bkind: ({KINDS})(, bounds: \[)?", _kind, "outcome.kind"),
    (rf"call the kind ({KINDS})()", _kind, "outcome.kind"),
    (rf"call the kind ordinal or ({KINDS})()", _kind, "outcome.kind"),
    (r"(?<!among )outcome\.levels|\blevels: \[", _levels, "outcome.levels"),
    (r"outcome\.bounds", _blank("bounds"), "outcome.bounds"),
    (r"(?<!question, put )\bform: (long|wide|cells)\b", _named("form"), "form"),
    (r"\bcustom_id: \"([^\"]+)\"", _named("custom_id"), "custom_id"),
    (r"\bseparator: '(\\t|.)'", _separator, "separator"),
    (r"\bunlisted: (refused|unparsable|missing)\b", _named("unlisted"), NO_OPTIONS),
    (PROBABILITIES.pattern, _named("probabilities"), "probabilities"),
    (r"\bfamily: (normal|cauchy)\b", _named("family"), "family"),
    (r"\bvalue_labels: false\b", _codes, "value_labels"),
    (r"\bnested: true\b", _nested, "design.nested"),
    (r"\bpredict: \{\}", _predict, "predict"),
    (r"\blonely_psu: (\w+)", _named("lonely_psu"), "design.lonely_psu"),
    (r"\bcluster: (none)\b", _named("cluster"), "cluster"),
    (r"\bstated: \[([^\]]+)\]", _named("stated"), "stated"),
    (r"in a column respondent\b", _blank("respondent"), "columns.respondent"),
    (r"\bweighting_effect\b", _blank("weighting_effect"), "weighting_effect"),
    (r"into the file of scenarios", _blank("scenarios"), "scenarios"),
]


PLAIN: list[tuple[str, Option]] = [
    (rf"\bkind: ({KINDS})", _named("kind")),
    (r"\bform: (long|wide|cells)\b", _named("form")),
    (r"\bcustom_id: \"([^\"]+)\"", _named("custom_id")),
    (r"\bseparator: '(\\t|.)'", _separator),
    (r"\bunlisted: (refused|unparsable|missing)\b", _named("unlisted")),
    (PROBABILITIES.pattern, _named("probabilities")),
    (r"\bfamily: (normal|cauchy)\b", _named("family")),
    (r"\bvalue_labels: false\b", _codes),
    (r"\bcluster: (none)\b", _named("cluster")),
    (r"\brespondents_repeat: (true|false)\b", _repeat),
    (r"\bpredict: \{\}", _predict),
]
NAMES = {
    " in the config": "",
    "outcome.": "",
    "simulated: {name: file}": "simulated={name: FRAME}",
    "save it with commas, or put": "put",
}


def _numbers(labels: Iterable[str]) -> list[float]:
    return [number for label in labels if (number := as_number(label)) is not None]


def _flows(message: str, opening: str) -> Iterator[tuple[slice, list | dict]]:
    """Yield where a key and a list or mapping in YAML stand in a message, and what it is."""
    closing = {"[": "]", "{": "}"}[opening[-1]]
    for found in re.finditer(rf"(?<![\w.]){re.escape(opening)}", message):
        start = found.end() - 1
        for end in (i for i, each in enumerate(message) if each == closing and i > start):
            try:
                value = yaml.safe_load(message[start : end + 1])
            except yaml.YAMLError:
                continue
            if isinstance(value, (list, dict)):
                yield slice(found.start(), end + 1), value
            break
