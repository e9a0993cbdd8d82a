"""How messages and remedies are written where no config is seen: in a shell, or in Python."""

from collections.abc import Mapping
from shlex import quote
from types import EllipsisType
from typing import Any

from fidelity_study.errors import BLANK, Place, Remedy, Syntax
from fidelity_study.reading.codebook.doubts import cells_of
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.reading_options import (
    BY_KEY,
    BY_NAME,
    FLAG,
    LEVELS,
    MANY,
    MARKS,
    PAIR,
    PAIRS,
    TRUTH,
    Option,
)

DATASETS = "datasets."
REST = "..."
ANY_LEVELS = "LOWEST | ... | HIGHEST"


class OptionSyntax(Syntax):
    """Writes options, of a command or of a call.

    Attributes:
        between: what stands between several.
        may_order: whether words are put in order unasked, as the user sees it in a draft.
        may_ask: whether somebody at a terminal is asked.
        codebook: where it is, and how its cells are changed.
        table: what one of its tables is called.
        decide: how so many of its cells are decided.
        accept: the option that takes what is proposed.
    """

    between: str
    codebook: str
    table: str
    decide: str
    accept: str
    may_order = may_ask = False

    def name(self, option: str) -> str:
        """Return an option's name."""
        raise NotImplementedError

    def written(self, option: Option, value: Any) -> str:
        """Return an option with its value; ``...`` is left to the user."""
        raise NotImplementedError

    def option(self, name: str, value: Any = BLANK) -> str:
        """Return the option of a name with its value."""
        return self.written(BY_NAME[name], value)

    def options(self, **values: Any) -> str:
        """Return several options together."""
        return self.between.join(self.option(name, value) for name, value in values.items())

    def kind(self, name: str) -> str:
        """Return the option that says what an answer is, for bounded numbers with their range."""
        bounds = {"bounds": BLANK} if name == "bounded" else {}
        return self.options(kind=name, **bounds)

    def key(self, key: str) -> str:
        """Return the option of a key, or the cells that say the same."""
        if key not in BY_KEY:
            return key.removeprefix("outcome.")
        option = BY_KEY[key]
        if not option.is_cell:
            return self.name(option.name)
        cell, *_ = cells_of(Remedy({key: self._left_open(option, BLANK)}))
        return f"{cell.field} in {self.table.format(cell.table)}"

    def remedy(self, remedy: Remedy) -> str:
        """Return options with their values, and cells of the codebook."""
        if remedy.is_key or not remedy.settings.keys() <= BY_KEY.keys():
            return self.settings(remedy)
        options, cells = list[str](), dict[str, list[str]]()
        for key, value in remedy.settings.items():
            option, value = BY_KEY[key], remedy.likely if _is_blank(value) else value
            if not option.is_cell:
                options.append(self.written(option, value))
                continue
            for cell in cells_of(Remedy({key: self._left_open(option, value)})):
                which = ", ".join(text for _, text in cell.row if text)
                cells.setdefault(cell.table, []).append(f"{which}: {cell.value}")
        parts = [f"{' and '.join(cells[name])} in {self.table.format(name)}" for name in cells]
        return " and ".join(filter(None, [self.between.join(options), *parts]))

    def _left_open(self, option: Option, value: Any) -> Any:
        """Return a value, or in place of ``...`` words for what is left to the user."""
        if not _is_blank(value):
            return value
        words = option.metavar.split() or ["..."]
        return {words[0]: words[-1]} if option.takes == PAIRS else words[0]

    def place(self, place: Place) -> str:
        """Return where something is, by an option instead of its key."""
        key = place.key
        if key.startswith(DATASETS):
            key = key.removeprefix(DATASETS).partition(".")[2] or key
        rest = super().place(Place(**{**vars(place), "key": ""}))
        return ", ".join(filter(None, [self.key(key), rest]))


class CommandLine(OptionSyntax):
    """``--missing -9 --missing NA``."""

    between = " "
    codebook = "tables in {folder}; change any cell, and run this again with --force"
    table = "{}.csv"
    decide = "Decide {number} of the tables in {folder}, and run this again"
    accept = "--accept"
    may_order = may_ask = True

    def name(self, option: str) -> str:
        """Return an option's name."""
        return f"--{option.replace('_', '-')}"

    def written(self, option: Option, value: Any) -> str:
        """Return an option once with each of its values."""
        name = self.name(option.name)
        if option.takes == FLAG:
            return name
        if option.takes == LEVELS:
            texts = [ANY_LEVELS if _is_blank(value) else " | ".join(map(_text, value))]
        elif _is_blank(value):
            return f"{name} {option.metavar}"
        elif option.takes == PAIR:
            return " ".join([name, *(_quoted(_text(end)) for end in value)])
        else:
            texts = [_text(argument) for argument in several(value)]
        return self.between.join(f"{name} {_quoted(text)}" for text in texts)


class Python(OptionSyntax):
    """``missing=[-9, 'NA']``.

    Attributes:
        tables: by the file that each became, how the user sees it, and whether it was in memory.
    """

    between = ", "
    codebook = "tables in .codebook; change any cell, and pass the table to compare"
    table = "its table {}"
    decide = (
        "Decide {number} of this error's tables columns, questions and labels, and pass these to "
        "compare"
    )
    accept = "accept=True"

    def __init__(self, tables: Mapping[str, tuple[str, bool]] | None = None):
        """Take what files are called."""
        self.tables = dict(tables or {})

    def name(self, option: str) -> str:
        """Return an argument's name."""
        return option

    def written(self, option: Option, value: Any) -> str:
        """Return an argument with its value; those that may be several are lists."""
        if option.takes == FLAG:
            return f"{option.name}=True"
        if _is_blank(value):
            return f"{option.name}={self._blank(option)}"
        is_code = option.takes in (MARKS, LEVELS, TRUTH)
        shown = [
            _literal(argument) if is_code else repr(_text(argument)) for argument in several(value)
        ]
        is_list = len(shown) > 1 or option.takes in (MARKS, LEVELS)
        is_list |= option.takes == MANY and option.name != "simulator"
        return f"{option.name}=[{', '.join(shown)}]" if is_list else f"{option.name}={shown[0]}"

    def _blank(self, option: Option) -> str:
        if option.name == "scenarios":
            return "FRAME"
        if option.takes == LEVELS:
            return "['LOWEST', ..., 'HIGHEST']"
        if option.takes == PAIR:
            return f"({', '.join(option.metavar.split())})"
        return option.metavar

    def file(self, path: str) -> str:
        """Return a table as the user calls it."""
        return self.tables[path][0] if path in self.tables else super().file(path)

    def row(self, path: str, number: int) -> str:
        """Return a row of a table, of one in memory by its position."""
        is_frame = self.tables.get(path, ("", False))[1]
        return f"{self.file(path)}.iloc[{number - 1}]" if is_frame else super().row(path, number)

    def key(self, key: str) -> str:
        """Return the argument of a key."""
        return "simulated={name: FRAME}" if key == SIMULATED else super().key(key)


SIMULATED = "simulated: {name: file}"
COMMAND_LINE, PYTHON = CommandLine(), Python()


def _is_blank(value: Any) -> bool:
    return value is BLANK or value == [BLANK]


def several(value: Any) -> list:
    """Return the parts of an option's value, of which it may have one or more."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _text(value: Any) -> str:
    match value:
        case EllipsisType():
            return REST
        case bool():
            return str(value).lower()
        case "\t":
            return "tab"
    return str(value)


def _quoted(value: Any) -> str:
    """Return a text as a shell takes it, in double quotes where single ones are hard to read."""
    text = _text(value)
    is_plain = "'" in text and not set('"$`\\!').intersection(text)
    return f'"{text}"' if is_plain else quote(text)


def _literal(label: Any) -> str:
    """Return a cell as Python code, numbers as numbers."""
    if label is BLANK or isinstance(label, bool):
        return REST if label is BLANK else str(label)
    return str(label) if as_number(str(label)) is not None else repr(str(label))
