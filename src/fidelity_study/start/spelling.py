"""How options are written where the user gives them: on a command line, or in Python."""

from collections.abc import Iterable, Mapping
from shlex import quote
from typing import Protocol

from fidelity_study.tabular.columns import as_number

BLANKS = {
    "bounds": ("LOWER", "UPPER"),
    "weighting_effect": ("NUMBER",),
    "scenarios": ("FILE",),
    "out": ("FILE",),
}
OF_COLUMNS = ("COL",)
LISTS = ("ignore", "groups", "questions", "missing", "levels", "stated")
REST = "..."


class Spelling(Protocol):
    """A way to write options.

    Attributes:
        those: what they are called.
        in_place: whether they replace the keys of a config, which the user doesn't see.
    """

    those: str
    in_place: bool

    def name(self, option: str) -> str:
        """Return an option's name."""

    def option(self, option: str, *values: str) -> str:
        """Return an option with its value, or with each of several."""

    def flag(self, option: str) -> str:
        """Return an option that is given or not."""

    def truth(self, option: str, value: bool) -> str:
        """Return an option that says whether something is so."""

    def by_name(self, option: str, values: Mapping[str, object]) -> str:
        """Return an option with several values for each of several names."""

    def levels(self, labels: Iterable[str]) -> str:
        """Return the option that lists the options of an answer."""

    def blank(self, option: str) -> str:
        """Return an option whose value is left to the user."""

    def together(self, *options: str) -> str:
        """Return options that belong together."""


class CommandLine:
    """``--missing -9 --missing NA``."""

    those = "options of this command"
    in_place = False

    def name(self, option: str) -> str:
        """Return an option's name."""
        return f"--{option.replace('_', '-')}"

    def option(self, option: str, *values: str) -> str:
        """Return an option with its value, or once with each of several."""
        return self.together(*(f"{self.name(option)} {_quoted(value)}" for value in values))

    def flag(self, option: str) -> str:
        """Return an option that is given or not."""
        return self.name(option)

    def truth(self, option: str, value: bool) -> str:
        """Return an option with true or false."""
        return f"{self.name(option)} {str(value).lower()}"

    def by_name(self, option: str, values: Mapping[str, object]) -> str:
        """Return an option once for each value of each name."""
        pairs = [(str(name), str(each)) for name, own in values.items() for each in _each(own)]
        return self.together(
            *(f"{self.name(option)} {_quoted(name)} {_quoted(each)}" for name, each in pairs)
        )

    def levels(self, labels: Iterable[str]) -> str:
        """Return the option that lists the options of an answer."""
        return self.option("levels", " | ".join(labels))

    def blank(self, option: str) -> str:
        """Return an option whose value is left to the user."""
        return self.together(self.name(option), *BLANKS.get(option, OF_COLUMNS))

    def together(self, *options: str) -> str:
        """Return options that belong together."""
        return " ".join(options)


class Python:
    """``missing=[-9, 'NA']``."""

    those = "arguments of compare"
    in_place = True

    def name(self, option: str) -> str:
        """Return an argument's name."""
        return option

    def option(self, option: str, *values: str) -> str:
        """Return an argument with its value; those that may be several are lists."""
        shown = [
            _literal(value) if option in ("missing", "levels") else repr(value) for value in values
        ]
        is_list = len(values) > 1 or option in LISTS
        return f"{option}=[{', '.join(shown)}]" if is_list else f"{option}={shown[0]}"

    def flag(self, option: str) -> str:
        """Return an argument that is given or not."""
        return f"{option}=True"

    def truth(self, option: str, value: bool) -> str:
        """Return an argument with True or False."""
        return f"{option}={value}"

    def by_name(self, option: str, values: Mapping[str, object]) -> str:
        """Return an argument with lists by name."""
        pairs = (f"{str(name)!r}: {_value(own)}" for name, own in values.items())
        return f"{option}={{{', '.join(pairs)}}}"

    def levels(self, labels: Iterable[str]) -> str:
        """Return the argument that lists the options of an answer."""
        return self.option("levels", *labels)

    def blank(self, option: str) -> str:
        """Return an argument whose value is left to the user."""
        blanks = ("FRAME",) if option == "scenarios" else BLANKS.get(option, OF_COLUMNS)
        value = blanks[0] if len(blanks) == 1 else f"({', '.join(blanks)})"
        return f"{option}=[{value}]" if option == "ignore" else f"{option}={value}"

    def together(self, *options: str) -> str:
        """Return arguments that belong together."""
        return ", ".join(options)


COMMAND_LINE, PYTHON = CommandLine(), Python()


def _quoted(text: str) -> str:
    """Return a text as a shell takes it, in double quotes where single ones are hard to read."""
    is_plain = "'" in text and not set('"$`\\!').intersection(text)
    return f'"{text}"' if is_plain else quote(text)


def _literal(label: str) -> str:
    """Return a cell as Python code, numbers as numbers."""
    return label if label == REST or as_number(label) is not None else repr(label)


def _each(value: object) -> list:
    return value if isinstance(value, list) else [value]


def _value(value: object) -> str:
    """Return labels as Python code, several as a list."""
    labels = [_literal(str(each)) for each in _each(value)]
    return f"[{', '.join(labels)}]" if isinstance(value, list) else labels[0]
