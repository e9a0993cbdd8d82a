"""What a user can mend, as objects: a fault has a code, a place, a text and remedies.

Whoever refuses something names its remedies by keys of the config. A front end writes the same
fault in its own words: :class:`Syntax` in those of the config, its subclasses as options of the
command line or arguments in Python.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import takewhile
from os import PathLike
from types import EllipsisType
from typing import Any

BLANK: EllipsisType = ...
"""A value that is left to the user."""

LONGEST = 200  # characters of a user's text in a message
FEW = 3  # values of a longer list that a message shows
LONGEST_LINE = 10_000  # characters of a line that is printed


@dataclass(frozen=True)
class Place:
    """Where something is wrong.

    Attributes:
        key: of the config, as ``datasets.town.grid.n``.
        files: whose content it is; as a rule one.
        row: as the user counts, with the header.
        line: of a file that is no table.
        column: its name.
        scenario: its name.
        within: what part of a file, where that is none of these.
    """

    key: str = ""
    files: tuple[str, ...] = ()
    row: int | None = None
    line: int | None = None
    column: str | None = None
    scenario: str | None = None
    within: str = ""


class File(str):
    """The path of another file that a text mentions."""


class Key(str):
    """A key of a dataset's settings that a text mentions."""


class Remedy:
    """Settings that mend a fault, if they are right.

    Attributes:
        settings: values by key of a dataset's settings, as ``columns.weight``. A value that is the
            user's to say is ``...``, alone or in a list.
        why: when they are right, where they are taken unasked, or the reason of a cell.
        is_sure: whether the rest is read with them, to find what else is wrong.
        is_key: whether a text has the key alone.
        is_clear: whether nobody would say otherwise, so that it may be taken unasked, and told.
        is_offered: whether it is proposed in cells; not if it contradicts another.
        likely: a value that is offered in place of ``...``.
        reasons: why codes stand for no answer, where their labels say so.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        *,
        why: str = "",
        is_sure: bool = True,
        is_clear: bool = False,
        is_key: bool = False,
        is_offered: bool = True,
        likely: Any = BLANK,
        reasons: Mapping[str, str] | None = None,
    ):
        """Take settings by key."""
        self.settings = dict(settings)
        self.why, self.likely = why, likely
        self.is_sure, self.is_key, self.is_offered = is_sure, is_key, is_offered
        self.is_clear, self.reasons = is_clear, dict(reasons or {})

    def __repr__(self) -> str:
        """Return the settings."""
        return f"Remedy({self.settings!r})"

    def __eq__(self, other: object) -> bool:
        """Return whether another remedy has the same settings."""
        return isinstance(other, Remedy) and repr(self) == repr(other)

    def __hash__(self) -> int:
        """Return the same number for the same settings."""
        return hash(repr(self))


Part = str | Remedy


@dataclass(frozen=True)
class Message:
    """Something that a user should know.

    Attributes:
        code: what it is, the same whatever the words are.
        place: where it is.
        parts: the words, and among them remedies and what is written otherwise in Python.
        also: remedies that the words don't spell out.
    """

    code: str
    place: Place
    parts: tuple[Part, ...]
    also: tuple[Remedy, ...] = ()

    @property
    def remedies(self) -> list[Remedy]:
        """What mends it."""
        return [*(part for part in self.parts if isinstance(part, Remedy)), *self.also]

    def __str__(self) -> str:
        """Return it in the words of the config."""
        return CONFIG.message(self)


class Fault(Message):
    """Something that keeps a study from being made."""


class Note(Message):
    """Something that is understood, and may be wrong."""


class Syntax:
    """How messages are written: here by keys of the config."""

    def message(self, message: Message) -> str:
        """Return a message with its place."""
        return self.together([message])[0]

    def together(self, messages: Iterable[Message]) -> list[str]:
        """Return messages, those that say the same of several places as one."""
        places: dict[str, dict[str, None]] = {}
        for each in messages:
            places.setdefault(self.text(each), {})[self.place(each.place)] = None
        return [
            f"{', '.join(filter(None, where))}: {text}" if any(where) else text
            for text, where in places.items()
        ]

    def text(self, message: Message) -> str:
        """Return the words of a message."""
        return "".join(map(self.part, message.parts))

    def reason(self, message: Message) -> str:
        """Return the words of a message before its first remedy.

        Examples:
            >>> parts = ("has each person twice; if so, put ", Remedy({"columns.wave": "wave"}))
            >>> Syntax().reason(Fault("answer-twice", Place(), parts))
            'has each person twice'
        """
        words = [*takewhile(lambda part: not isinstance(part, Remedy), message.parts)]
        text = "".join(map(self.part, words))
        return text if len(words) == len(message.parts) else text.rpartition(";")[0] or text

    def part(self, part: Part) -> str:
        """Return a part of a text."""
        match part:
            case Remedy():
                return self.remedy(part)
            case File():
                return self.file(part)
            case Key():
                return self.key(part)
        return part

    def place(self, place: Place) -> str:
        """Return where something is."""
        files = " and ".join(map(self.file, place.files))
        if place.row is not None:
            files = self.row(place.files[0], place.row)
        where = [
            self.key(place.key) if place.key else "",
            files,
            f"line {place.line}" if place.line is not None else "",
            f"column {place.column!r}" if place.column is not None else "",
            f"scenario {place.scenario!r}" if place.scenario is not None else "",
            place.within,
        ]
        return ", ".join(filter(None, where))

    def file(self, path: str) -> str:
        """Return the name of a file."""
        return str(path)

    def row(self, path: str, number: int) -> str:
        """Return a row of a file."""
        return f"{self.file(path)}, row {number}"

    def key(self, key: str) -> str:
        """Return the name of a key."""
        return str(key)

    def remedy(self, remedy: Remedy) -> str:
        """Return a remedy, and where it is written."""
        return self.settings(remedy) + ("" if remedy.is_key else " in the config")

    def settings(self, remedy: Remedy) -> str:
        """Return the settings of a remedy, several values of one key in braces."""
        if remedy.is_key:
            return ", ".join(map(self.key, remedy.settings))
        nested: dict[str, Any] = {}
        for key, value in remedy.settings.items():
            *above, last = key.split(".")
            inner = nested
            for name in above:
                inner = inner.setdefault(name, {})
            inner[last] = value
            if isinstance(value, list) and len(in_yaml(value)) > LONGEST:
                inner[last] = [*value[:FEW], BLANK]
        return in_yaml(nested)[1:-1]


CONFIG = Syntax()


class DataError(ValueError):
    """Something in the user's data or config is wrong; the message says where and what to do.

    Scripts print it without a traceback and end with exit code 1.

    Attributes:
        faults: all that is wrong.
    """

    def __init__(self, *faults: Fault | str):
        """Take faults, or plain texts."""
        super().__init__(*faults)
        self.faults = tuple(
            Fault("", Place(), (each,)) if isinstance(each, str) else each for each in faults
        )

    def __str__(self) -> str:
        """Return all faults in the words of the config, one a line."""
        return "\n".join(dict.fromkeys(map(str, self.faults)))


def fault(
    code: str,
    *parts: Part,
    file: str | PathLike | Iterable[str] = (),
    also: Iterable[Remedy] = (),
    **place: Any,
) -> Fault:
    """Return a fault; ``place`` are the attributes of :class:`Place` but for ``files``."""
    files = (str(file),) if isinstance(file, str | PathLike) else tuple(file)
    return Fault(code, Place(files=files, **place), parts, tuple(also))


def refusal(code: str, *parts: Part, **place: Any) -> DataError:
    """Return the error that tells one fault; see :func:`fault`."""
    return DataError(fault(code, *parts, **place))


@contextmanager
def in_file(path: str) -> Iterator[None]:
    """Say of what is refused inside, or in a function that this decorates, which file it is in."""
    try:
        yield
    except DataError as error:
        raise DataError(
            *(
                one
                if one.place.files or one.place.key
                else replace(one, place=replace(one.place, files=(path,)))
                for one in error.faults
            )
        ) from error.__cause__


class ErrorList:
    """What several checks refuse, to be told in one answer.

    Attributes:
        faults: those so far.
    """

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        """Start with some, or none."""
        self.faults = list(faults)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep what is refused inside, and go on."""
        try:
            yield
        except DataError as error:
            self.faults += error.faults

    def refuse(self) -> None:
        """Raise DataError with all faults, if there are any."""
        if self.faults:
            raise DataError(*dict.fromkeys(self.faults))


def there_are(name: object, names: Iterable[str]) -> str:
    """Say which name may be meant, or else which there are."""
    known = list(names)
    guess = get_close_matches(str(name), known, n=1)
    return f"did you mean {guess[0]}?" if guess else f"there are: {', '.join(known) or 'none'}"


def in_yaml(value: Any) -> str:
    """Return a value as it stands in the config, on one line; ``...`` where it is left out."""
    import yaml

    match value:
        case EllipsisType():
            return "..."
        case dict():
            pairs = (f"{in_yaml(key)}: {in_yaml(each)}" for key, each in value.items())
            return f"{{{', '.join(pairs)}}}"
        case list() | tuple():
            return f"[{', '.join(map(in_yaml, value))}]"
    text = yaml.safe_dump([value], default_flow_style=True, width=float("inf"), allow_unicode=True)
    plain = text.strip()[1:-1]
    is_readable = not isinstance(value, str) or any(sign.isalnum() for sign in plain)
    return plain if is_readable else yaml.safe_dump([value], default_style='"').strip()[2:]


def printable(text: str) -> str:
    """Return a text with the ends of very long lines left out: a label may have 20 MB."""
    return "\n".join(shortened(line, LONGEST_LINE) for line in text.split("\n"))


def shortened(text: str, most: int = LONGEST) -> str:
    """Return a text as messages show it, the end left out if it is long."""
    return text if len(text) <= most else f"{text[:most]}..."
