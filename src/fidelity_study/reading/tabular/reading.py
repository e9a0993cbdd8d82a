"""The config's settings for reading files of any content."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import takewhile


@dataclass(frozen=True)
class Reading:
    """The part of a dataset's settings that the readers of files need.

    Attributes:
        separator: between a text file's columns, if not the usual one.
        sheet: of a spreadsheet with several.
        decimal: the sign between a number's whole and its fraction.
        custom_id: the pattern of the ids in a batch of requests.
        codes: whether the answers are a survey file's codes, not the codes' labels.
        missing: labels and codes that stand for no answer.
        missing_in: those that do so in some columns only, by name, with * for any signs.
        vectors: whether the answers are vectors.
        columns: those that the user names, by role.
        named: all columns that the settings name, whatever for.
        ignored: columns that are as if they were not there: by file, under ``*`` in all.
    """

    separator: str | None = None
    sheet: str | None = None
    decimal: str = "."
    custom_id: str | None = None
    codes: bool = False
    missing: frozenset[str] = frozenset()
    missing_in: Mapping[str, frozenset[str]] = field(default_factory=dict)
    vectors: bool = False
    columns: Mapping[str, str | list[str]] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    ignored: Mapping[str, Iterable[str]] = field(default_factory=dict)

    @property
    def value(self) -> str:
        """The column of the values of paths."""
        return str(self.columns.get("value", "value"))

    def missing_of(self, column: str) -> frozenset[str]:
        """Return the labels and codes that stand for no answer in a column."""
        here = [marks for name, marks in self.missing_in.items() if fits(column, name)]
        return self.missing.union(*here)


def fits(name: str, pattern: str, names: Container[str] = ()) -> bool:
    """Return whether a name fits a pattern, which is no pattern where it is one of ``names``."""
    return name == pattern or (pattern not in names and fnmatchcase(name, pattern))


def common_start(names: Iterable[str]) -> str:
    """Return the signs that all names begin with."""
    common = takewhile(lambda signs: len({*signs}) == 1, zip(*names, strict=False))
    return "".join(signs[0] for signs in common)
