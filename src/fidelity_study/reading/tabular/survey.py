"""SPSS and Stata files: value labels as answers, and the codes that the file calls missing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from unicodedata import normalize

import numpy as np
import pandas as pd
import pyarrow as pa

from fidelity_study.reading.tabular.about import About
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.columns import whole_steps
from fidelity_study.reading.tabular.doubtful import are_ends
from fidelity_study.reading.tabular.kept import library, written
from fidelity_study.reading.tabular.plain import unreadable
from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.spss import weight_of

SUFFIXES = {".sav": "SPSS files", ".zsav": "SPSS files", ".dta": "Stata files"}
MOST_STEPS = 101
SYSTEM = "system-missing"
Code = float | str


@dataclass(frozen=True)
class Labelled:
    """A column, its codes and labels.

    Attributes:
        name: of the column.
        codes: its different cells.
        place: of each cell's code among them, -1 where it has none.
        labels: labels of codes, including codes that nobody has.
        missing: codes that the file calls missing: ranges with their ends, and Stata's.
        marks: labels and codes that the config calls no answer.
        is_single: whether numbers have 32 bits.
        is_stata: whether a text is a Stata code such as .a, without its point.
    """

    name: str
    codes: list[Code]
    place: np.ndarray
    labels: dict[Code, str]
    missing: list[tuple[Code, Code]]
    marks: frozenset[str]
    is_single: bool
    is_stata: bool

    def text(self, code: Code) -> str:
        """Return a code as text."""
        if isinstance(code, (int, float)):
            return written(float(str(np.float32(code))) if self.is_single else float(code))
        return str(code)

    def is_missing(self, code: Code) -> bool:
        """Return whether the file calls a code missing."""
        return any(
            isinstance(low, str) == isinstance(code, str) and low <= code <= high  # type: ignore[operator]
            for low, high in self.missing
        )

    @cached_property
    def options(self) -> dict[Code, str]:
        """The codes with a label that are answers, in order; shared labels are told apart."""
        order = sorted(self.labels, key=lambda code: (isinstance(code, str), code))
        valid = [code for code in order if not self._is_none(code)]
        twice = {
            label
            for label in map(self.labels.get, valid)
            if sum(self.labels[code] == label for code in valid) > 1
        }
        return {
            code: f"{self.labels[code]} ({self.text(code)})"
            if self.labels[code] in twice
            else self.labels[code]
            for code in valid
        }

    def _is_none(self, code: Code) -> bool:
        is_marked = {self.text(code), self.labels.get(code)} & self.marks
        return self.is_missing(code) or bool(is_marked)

    @cached_property
    def unlabelled(self) -> list[Code]:
        """The codes of cells that are answers and have no label."""
        return [code for code in self.codes if code not in self.options and not self._is_none(code)]

    @cached_property
    def has_ends(self) -> bool:
        """Whether only the ends of a scale have labels, and perhaps its middle."""
        numbers = [code for code in self.options if not isinstance(code, str)]
        others = [code for code in self.unlabelled if not isinstance(code, str)]
        return len(others) == len(self.unlabelled) and are_ends(numbers, others)

    @property
    def is_labelled(self) -> bool:
        """Whether labels are the answers: more codes have one than do not."""
        return (
            bool(self.options) and not self.has_ends and (len(self.unlabelled) <= len(self.options))
        )

    def cells(self, *, by_code: bool, is_answer: bool) -> pa.DictionaryArray:
        """Return the column as text, by labels or codes; null where there is no answer.

        If it holds answers, codes that the file calls missing stand with their labels after
        ``NO_WORDS``, till it is settled what they mean.
        """
        labels = {} if by_code or not self.is_labelled else self.options
        texts = [
            (NO_WORDS + self._declared(code) if is_answer else None)
            if self.is_missing(code)
            else self._cell(code, labels)
            for code in self.codes
        ]
        held = pa.array(self.place, pa.int32(), mask=self.place < 0)
        cells = pa.DictionaryArray.from_arrays(held, pa.array(texts, pa.string()))
        if not any(text is None for text in texts):
            return cells
        return cells.dictionary.take(cells.indices).dictionary_encode()

    def _declared(self, code: Code) -> str:
        """Return a code that the file calls missing, with its label."""
        text = f".{code}" if self.is_stata else self.text(code)
        return f"{text} {self.labels.get(code, '')}".strip()

    def _cell(self, code: Code, labels: dict[Code, str]) -> str | None:
        label = self.labels.get(code, "")
        return (label if label in self.marks else labels.get(code, self.text(code))) or None

    def about(self, wording: str | None, measure: str, *, by_code: bool) -> About:
        """Return the file's information on the column besides its cells."""
        ends = None
        numbers = [float(code) for code in self.options if not isinstance(code, str)]
        if len(numbers) > 1 and (self.has_ends or (self.is_labelled and not self.unlabelled)):
            ends = numbers[0], numbers[-1]
        options: tuple[str, ...] = ()
        if self.is_labelled:
            options = tuple(map(self.text, self.options) if by_code else self.options.values())
        elif self.has_ends and ends and are_steps(*ends, self.unlabelled):
            options = tuple(whole_steps(*ends))
        valid = [code for code in self.codes if not self._is_none(code)]
        declared = [*self.labels, *self.codes, *(code for pair in self.missing for code in pair)]
        return About(
            wording,
            options if len(options) > 1 else (),
            ends,
            measure == "ordinal",
            {self.text(code): self.labels.get(code, "") for code in (*self.options, *valid)},
            by_code or not self.is_labelled,
            {
                self.text(code): self.labels.get(code, "")
                for code in filter(self.is_missing, declared)
            },
        )

    def taken_for_missing(self) -> Iterator[tuple[str, int]]:
        """Yield each kind of no answer that the file has, and its number."""
        count = np.bincount(self.place[self.place >= 0], minlength=len(self.codes))
        for code, number in zip(self.codes, count.tolist(), strict=True):
            if self.is_missing(code):
                text = f".{code}" if self.is_stata else self.text(code)
                yield f"{self.labels[code]!r} ({text})" if code in self.labels else text, number
        if none := int((self.place < 0).sum()):
            yield SYSTEM, none


def are_steps(low: float, high: float, codes: Iterable[Code]) -> bool:
    """Return whether a range of numbers, and the codes in it, are whole and not too many."""
    whole = all(float(code) % 1 == 0 for code in (low, high, *codes))
    return whole and high - low < MOST_STEPS


class Survey:
    """An SPSS or Stata file; its columns are read when they are asked for, each once."""

    says_missing: bool = True

    def __init__(self, path: str, suffix: str, reading: Reading):
        """Read the file's header; raise DataError if it is no such file."""
        self._pyreadstat = library("pyreadstat", SUFFIXES[suffix])
        self._path, self._kind, self._reading = path, SUFFIXES[suffix], reading
        self._is_stata = suffix == ".dta"
        self._read = getattr(self._pyreadstat, "read_dta" if self._is_stata else "read_sav")
        _, self._about = self._opened(metadataonly=True)
        self._columns: dict[str, Labelled] = {}
        self.names: list[str] = self._about.column_names
        self.weight = None if self._is_stata else weight_of(path, self.names)
        self._sets = {
            name: one
            for name, one in self._about.mr_sets.items()
            if one["is_dichotomy"] and one["counted_value"] is not None
        }

    def columns(
        self, wanted: Sequence[int], *, answers: frozenset[int] = frozenset()
    ) -> list[pa.DictionaryArray]:
        """Return columns at positions; null where there is no answer.

        Args:
            wanted: the positions.
            answers: the columns of answers, whose cells are codes if the config says so.
        """
        codes = answers if self._reading.codes else frozenset()
        self._load(wanted)
        return [
            self._columns[self.names[at]].cells(by_code=at in codes, is_answer=at in answers)
            for at in wanted
        ]

    @property
    def topics(self) -> dict[str, str]:
        """The multiple response set of each column that is in one, where an option is a column."""
        return {column: name for name, one in self._sets.items() for column in one["variable_list"]}

    def boxes(self) -> dict[str, tuple[str, str]]:
        """Return the columns of sets with nothing but the value that counts and empty cells.

        Each has the name of its set, and the option that it is.
        """
        boxes: dict[str, tuple[str, str]] = {}
        for name, one in self._sets.items():
            columns = dict.fromkeys(one["variable_list"])
            self._load([self.names.index(column) for column in columns])
            read = [self._columns[column] for column in columns]
            codes = {
                code for column in read for code in column.codes if not column.is_missing(code)
            }
            if codes == {_code(one["counted_value"])}:
                boxes |= {column: (name, self._label(column) or column) for column in columns}
        return boxes

    def _label(self, name: str) -> str:
        return _clean(self._about.column_names_to_labels.get(name) or "")

    def _wording(self, name: str) -> str | None:
        """Return a column's label, behind that of its set if it is in one."""
        of_set = _clean(self._sets[self.topics[name]]["label"]) if name in self.topics else ""
        return ": ".join(filter(None, [of_set, self._label(name)])) or None

    def about(self, wanted: list[int]) -> list[About]:
        """Return the file's information on columns of answers at positions."""
        self._load(wanted)
        measures = self._about.variable_measure
        return [
            self._columns[name].about(
                self._wording(name), measures.get(name, "unknown"), by_code=self._reading.codes
            )
            for name in (self.names[position] for position in wanted)
        ]

    def notes(self, wanted: list[int]) -> list[str]:
        """Return notes for the user on columns of answers at positions, one line each."""
        self._load(wanted)
        columns = [self._columns[self.names[position]] for position in wanted]
        labelled = [column.name for column in columns if column.is_labelled]
        notes = []
        if labelled:
            what = "codes" if self._reading.codes else "value labels"
            notes.append(f"{what} are the answers to {shown(labelled)}, options in their order")
        for some in _alike(
            [column for column in columns if column.options and not column.is_labelled]
        ):
            ends = [f"{some[0].text(code)} {label!r}" for code, label in some[0].options.items()]
            notes.append(
                f"{shown(column.name for column in some)}: some codes have labels "
                f"({', '.join(ends)}) and others none, so the answers are the codes"
            )
        counts: dict[str, int] = {}
        for column in columns:
            for what, number in column.taken_for_missing():
                counts[what] = counts.get(what, 0) + number
        if counts:
            listed = shown((f"{what} {number}" for what, number in counts.items()), how=str)
            notes.append(f"no answers, as the file says: {listed}")
        return notes

    def _load(self, positions: Iterable[int]) -> None:
        """Read columns that have not been read."""
        new = dict.fromkeys(self.names[position] for position in positions)
        wanted = [name for name in new if name not in self._columns]
        if not wanted:
            return
        table, about = self._opened(usecols=wanted)
        for name in wanted:
            codes = table[name]
            place, different = pd.factorize(codes.to_numpy(object, na_value=None))
            labels = {
                _code(code): text
                for code, label in about.variable_value_labels.get(name, {}).items()
                if (text := _clean(str(label)))
            }
            ranges = about.missing_ranges.get(name, [])
            missing = [(_code(span["lo"]), _code(span["hi"])) for span in ranges]
            if self._is_stata:
                letters = [*about.missing_user_values.get(name, ()), *labels]
                missing += [(letter, letter) for letter in letters if isinstance(letter, str)]
            self._columns[name] = Labelled(
                name,
                [_plain(code) for code in different],
                place.astype(np.int32),
                labels,
                missing,
                self._reading.missing_of(name),
                about.readstat_variable_types.get(name) == "float",
                self._is_stata,
            )

    def _opened(self, **how):
        try:
            return self._read(self._path, user_missing=True, **how)
        except (self._pyreadstat.ReadstatError, OSError, ValueError, OverflowError) as error:
            what = f"one of {self._kind}; save it again"
            raise unreadable(what, error) from error


def _alike(columns: list[Labelled]) -> list[list[Labelled]]:
    """Return groups of columns with the same options."""
    by_options: dict[tuple, list[Labelled]] = {}
    for column in columns:
        by_options.setdefault(tuple(column.options.items()), []).append(column)
    return list(by_options.values())


def _clean(text: str) -> str:
    return normalize("NFC", " ".join(text.split()))


def _code(value) -> Code:
    return float(value) if isinstance(value, (int, float, np.number)) else str(value)


def _plain(value) -> Code:
    """Return a cell as a code; dates and times as text."""
    if isinstance(value, (bool, int, float, np.number)):
        return float(value)
    return " ".join(str(value).split()) if not isinstance(value, str) else value.rstrip()
