"""Cells of a file as codes of texts, and as numbers."""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from unicodedata import category, normalize

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fidelity_study.errors import DataError, Key, Part, Remedy
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.files import Sheet, refuse_where
from fidelity_study.reading.tabular.kept import written
from fidelity_study.reading.tabular.tally import MOST_CODES, Coded, Groups
from fidelity_study.tables.ingest import REASONS

STEM = re.compile(
    r"(.*?)\s*(?:[_.#:\-]+\s*\d+|(?<=\d)[rc]\d+|\[[^\]]*\]|\([^)]*\)|[:\-]\s+.*|_[A-Za-z]|[a-z])$"
)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
PLAIN_NUMBER = r"^-?[0-9]{1,15}(\.[0-9]{1,20})?$"
LARGEST = 1e15
WHOLE_BEYOND = re.compile(r"[+-]?[1-9]\d{15,}", re.ASCII)
CODE = re.compile(r"0\d+|\d+[eE]\d+", re.ASCII)
COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
THOUSANDS = re.compile(r"[1-9]\d{0,2}([,.' \u00a0\u2009\u202f\u2019])\d{3}(\1\d{3})*", re.ASCII)
POINTED = re.compile(r"[1-9]\d{0,2}(\.\d{3})+", re.ASCII)
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\u200b\u2028\u2029\ufeff]")
NOTHING = {"na", "n/a", "n.a.", "#n/a", "nan", "<na>", "nat", "null", "none", "(null)", "nil"}
NOTHING |= {"inf", "-inf", "infinity", "-infinity", ".", "..", "-", "--", "---", "?", "??", "\\n"}
NOTHING |= {"\u2013", "\u2014"}
OF_FORMULAS = {"#n/a", "#value!", "#div/0!", "#ref!", "#name?", "#num!", "#null!", "#error!"}
OF_FORMULAS |= {"#calc!", "#busy!", "#connect!", "#blocked!", "#getting_data", "#spill!", "#field!"}
OF_FORMULAS |= {"#nv", "#wert!", "#bezug!", "#zahl!", "#valeur!", "#nom?", "#\u00a1valor!"}
OF_FORMULAS |= {"loading...", "loading\u2026", "wird geladen...", "cargando...", "chargement..."}
"""What a cell of a spreadsheet shows where its formula, as of an add-on that asks, has failed."""
NOTHING |= OF_FORMULAS
LEAST = {"none", "nil"}
"""Words among these that may be an option."""
WRITTEN = {"NA", "<NA>", "NaN", "nan", "NaT", "NULL", "null", "#N/A"}
"""Marks of no answer that programs write."""
SMALL = re.compile(r"\s*([*\u2217]|<\s*[\d.,]+)\s*%?\s*")
MOST_CHARACTERS, MOST_STEPS = 1 << 28, 21
MISSING = REASONS.index("missing")
DECIMAL_COMMA = Remedy({"decimal": ","})


class CellError(ValueError):
    """A cell cannot be used; its arguments are a code and words, without the cell's place."""


@lru_cache(1 << 12)
def as_number(text: str) -> float | None:
    """Return the finite number that a text stands for, written with a point; None if none."""
    number = float(text) if NUMBER.fullmatch(text) else None
    return number if number is not None and isfinite(number) else None


def plain(text: str) -> str | int | float:
    """Return a cell as the config has it: numbers as numbers."""
    number = as_number(text)
    return (
        text
        if number is None or WHOLE_BEYOND.fullmatch(text)
        else int(number)
        if number % 1 == 0 and abs(number) < LARGEST
        else number
    )


def as_label(value: str | float) -> str:
    """Return an answer's one spelling: ``1``, ``1.0`` and ``" 1"`` are the same answer.

    Whole numbers of more digits than a float holds stay as they are.
    """
    text = normalize("NFC", " ".join(str(value).split()))
    number = as_number(text)
    return text if number is None or WHOLE_BEYOND.fullmatch(text) else written(number)


def without_stop(text: str) -> str:
    """Return a text without the full stop that closes it; one with others is an abbreviation.

    >>> without_stop("Agree."), without_stop("n.a."), without_stop("Some...")
    ('Agree', 'n.a.', 'Some...')
    """
    return text.removesuffix(".") if text.count(".") == 1 else text


def squashed(name: str) -> str:
    """Return the letters and digits of a name, in small letters."""
    return re.sub(r"[\W_]", "", name.casefold())


def key_within(name: str) -> str:
    """Return the key that a question has in an object of its record, ``q1`` of ``politics.q1``."""
    return name.rpartition(".")[2] or name


def stem_of(name: str) -> str:
    """Return what a column's name has in common with those of other options of its question."""
    match = STEM.fullmatch(name)
    return match[1] if match and match[1] else name


def whole_steps(low: float, high: float) -> list[str]:
    """Return the whole numbers from one to another, as labels.

    >>> whole_steps(1.0, 4.0)
    ['1', '2', '3', '4']
    """
    return [str(step) for step in range(int(low), int(high) + 1)]


def steps_between(low: float, high: float) -> tuple[str, ...]:
    """Return the whole numbers between the ends of a scale; nothing if these are no such ends."""
    are_steps = low % 1 == high % 1 == 0 and 0 < high - low < MOST_STEPS
    return tuple(whole_steps(low, high)) if are_steps else ()


def first_part(name: str) -> str:
    """Return the beginning of a column's name, ``prio`` of ``prio[cost]`` and of ``prio_cost``."""
    return re.split(r"[_.:\[]", name)[0]


def spelling(name: str) -> str:
    """Return what two spellings of a name have in common: q01 and Q1, "1.0" and "1".

    Examples:
        >>> spelling("Which ones? - Books") == spelling("Which ones?: books")
        True
        >>> spelling("Q1.1") == spelling("Q11") or spelling("t +1") == spelling("t -1")
        False
    """
    text = re.sub(r"(?<!\S)-(?=\d)", "\u2212", as_label(name).casefold())
    signs = [
        " " if sign == "|" or (category(sign)[0] in "CPZ" and sign != "%") else sign
        for sign in text
    ]
    parts = " ".join("".join(signs).split())
    return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"(?<!\d) | (?!\d)", "", parts))


def as_text(text: str | None) -> str | None:
    """Return a text with its white space collapsed, None for an empty one."""
    text = normalize("NFC", " ".join(text.split())) if text else ""
    if UNPRINTABLE.search(text):
        raise CellError("control-character", "holds an invisible control character; delete it")
    return text or None


def as_name(text: str | None) -> str:
    """Return a text with its white space collapsed; raise CellError for an empty one."""
    name = as_text(text)
    if name is None:
        raise CellError("empty-cell", "is empty; fill it or delete the row")
    return name


def as_answer(
    text: str | None,
    *,
    reasons: Mapping[str, str],
    known: frozenset[str],
    recode: Mapping[str, str],
    may_have_lines: bool = False,
) -> str | int:
    """Return an answer's label, or the reason why there is none, as a position in ``REASONS``.

    Args:
        text: the cell; after ``NO_WORDS``, if the file itself says that there is no answer, the
            reason, or a label that is returned as it is.
        reasons: spellings that stand for no answer, with the reason, one of ``REASONS``.
        known: the options' labels, if the config lists them; they may look like no answer.
        recode: labels to read as others.
        may_have_lines: whether a text over several lines is allowed; its last line counts if it is
            a known option.
    """
    text = text or ""
    if text.startswith(NO_WORDS):
        return REASONS.index(text[1:]) if text[1:] in REASONS else text
    label = as_label(text)
    spellings = [label, without_stop(label)]
    settled = (one for one in spellings if any(one in texts for texts in (recode, reasons, known)))
    label = next(settled, label)
    if label in recode:
        return recode[label]
    if label in reasons:
        return REASONS.index(reasons[label])
    if not label:
        return MISSING
    if label in known:
        return label
    text = text.strip()
    lines = text.splitlines()
    if len(lines) > 1 and may_have_lines:
        return last if (last := as_label(lines[-1])) in known else label
    if len(lines) > 1:
        raise CellError(
            "answer-over-lines",
            f"the answer {text[:40]!r} goes over several lines; close its double quote, or put "
            "it on one line; if it is a model's, put ",
            Remedy({"unlisted": "unparsable"}),
            ": its last line counts if it is a listed option, and else it is no answer",
        )
    if UNPRINTABLE.search(text):
        raise CellError("control-character", "holds an invisible control character; delete it")
    if text.casefold() in NOTHING:
        raise CellError(
            "no-answer-text",
            f"is {text!r}; leave the cell empty where there is no answer, or put ",
            Remedy({"missing": [text]}, why="no answers", is_clear=text in WRITTEN),
            ", or list it among ",
            Key("outcome.levels"),
        )
    return label


def as_said(text: str | None) -> str | int:
    """Return a model's words, or the reason why it said nothing, as a position in ``REASONS``."""
    if not text:
        return MISSING
    return REASONS.index(text[1:]) if text.startswith(NO_WORDS) else text


@dataclass(frozen=True)
class Cells:
    """The cells of columns, one column below the other.

    Attributes:
        sheet: the sheet that they are from.
        columns: the columns.
        texts: the different texts; None if a cell is empty. Not all of them need occur.
        place: the position of each cell's text among them.
    """

    sheet: Sheet
    columns: tuple[str, ...]
    texts: list[str | None]
    place: np.ndarray

    @classmethod
    def of(cls, sheet: Sheet, *columns: str) -> "Cells":
        """Take the cells from a sheet; raise DataError if it has no rows."""
        several = [*sheet.cells(columns).values()]
        cells = several[0] if len(several) == 1 else pa.concat_arrays(several)
        texts, place = cells.dictionary.to_pylist(), cells.indices
        if cells.null_count:
            place = place.fill_null(len(texts))
            texts.append(None)
        return cls(sheet, columns, texts, place.to_numpy())

    def read(self, meaning: Callable[[str | None], Hashable]) -> dict:
        """Return the meanings of the texts; raise DataError at the first cell without one.

        Texts that no cell holds may lack a meaning, and are left out.
        """
        meanings, faults = {}, {}
        for place, text in enumerate(self.texts):
            try:
                meanings[place] = meaning(text)
            except CellError as error:
                if text in self.sheet.same:  # an option, as the file lists it
                    meanings[place] = text
                else:
                    faults[place] = error.args
        wrong = np.isin(self.place, list(faults)) if faults else np.zeros(1, bool)
        if wrong.any():
            first = int(wrong.argmax())
            column, at = divmod(first, self.sheet.size)
            text = (self.texts[int(self.place[first])] or "").strip()
            ways = (
                [Remedy({"meanings": {("", ""): {text: text}}})] if text.casefold() in LEAST else []
            )
            if "\n" in text and self.columns[1:]:  # a comment, perhaps
                ways = [Remedy({"ignore": [self.columns[column]]})]
            raise self.sheet.fault(
                *faults[int(self.place[first])], at=at, column=self.columns[column], also=ways
            )
        return meanings


def coded(
    sheet: Sheet,
    *columns: str,
    meaning: Callable[[str | None], Hashable],
    entries: Iterable[Hashable] = (),
) -> Coded:
    """Return the meanings of the cells of columns, one column below the other, as codes.

    ``entries`` have the first codes; the others are numbered as they are met. Raise DataError at
    the first cell without a meaning, and if there are millions of texts.
    """
    cells = Cells.of(sheet, *columns)
    characters = sum(len(text or "") for text in cells.texts)
    if len(cells.texts) > MOST_CODES or characters > MOST_CHARACTERS:
        raise _too_many(sheet, columns)
    numbers = {entry: code for code, entry in enumerate(entries)}
    codes = np.full(len(cells.texts), -1)
    for place, entry in cells.read(meaning).items():
        codes[place] = numbers.setdefault(entry, len(numbers))
    return Coded(codes, cells.place, [*numbers])


@dataclass(frozen=True)
class Joined:
    """The common meaning of several cells of a row.

    Attributes:
        columns: of the cells.
        meaning: of each; like ``join``, it may raise CellError.
        join: makes one of them.
    """

    columns: list[str]
    meaning: Callable[[str | None], str]
    join: Callable[[tuple[str, ...]], str]

    def coded(self, sheet: Sheet, entries: Iterable[str] = ()) -> Coded:
        """Return the codes of the rows, those of ``entries`` first; one for all without columns."""
        rows = Coded(np.zeros(1, np.int64), np.zeros(1, np.int32), [()])
        for column in self.columns:
            part = coded(sheet, column, meaning=self.meaning)
            groups = Groups(rows, part)
            pairs = zip(*(codes.tolist() for codes in groups.codes), strict=True)
            parts = [(*rows.entries[one], part.entries[other]) for one, other in pairs]
            rows = Coded(np.arange(len(parts)), groups.of_row, parts)
        numbers = {entry: code for code, entry in enumerate(entries)}
        codes = np.empty(len(rows.entries), np.int64)
        for place, texts in enumerate(rows.entries):
            try:
                codes[place] = numbers.setdefault(self.join(texts), len(numbers))
            except CellError as error:
                at = int((rows.text == place).argmax())
                raise sheet.fault(*error.args, at=at, column=self.columns[0]) from None
        if len(numbers) > MOST_CODES:
            raise _too_many(sheet, self.columns)
        return Coded(codes, rows.text, [*numbers])


def _too_many(sheet: Sheet, columns: Sequence[str]) -> DataError:
    return sheet.fault(
        "too-many-texts",
        f"has more than {MOST_CODES:,} different texts, or {MOST_CHARACTERS:,} characters of them; "
        "name the right columns under columns, or list those that hold no answers under ",
        Key("ignore"),
        column=columns[0] if len(columns) == 1 else None,
        also=[Remedy({"ignore": list(columns)})],
    )


def in_order(codes: np.ndarray, entries: list, first: int = 0) -> pd.Categorical:
    """Return the entries of codes, in order of appearance; missing for codes below ``first``."""
    there = codes >= first
    recoded = np.full(len(codes), -1)
    recoded[there], distinct = pd.factorize(codes[there])
    return pd.Categorical.from_codes(
        recoded, pd.Index([entries[code] for code in distinct], dtype=object)
    )


def names(sheet: Sheet, column: str) -> pd.Categorical:
    """Return a column of names, white space collapsed; raise DataError where a cell is empty."""
    cells = coded(sheet, column, meaning=as_name)
    return in_order(cells.of_row, cells.entries)


def texts(sheet: Sheet, column: str) -> pd.Categorical:
    """Return a column of texts, white space collapsed; empty cells are missing."""
    cells = coded(sheet, column, meaning=as_text, entries=[None])
    return in_order(cells.of_row, cells.entries, first=1)


def are_empty(sheet: Sheet, column: str) -> np.ndarray:
    """Return whether each cell of a column is empty, or says that nothing is there."""
    cells = Cells.of(sheet, column)
    empty = [(text or "").strip().casefold() in {"", *NOTHING} for text in cells.texts]
    return np.array(empty, bool)[cells.place]


def numbers(sheet: Sheet, column: str, part: np.ndarray | None = None) -> np.ndarray:
    """Return a column of finite numbers; raise DataError at the first cell without one.

    If ``part`` is given, only the cells at these positions are read.
    """
    cells = sheet.cells([column])[column]
    where = np.arange(sheet.size) if part is None else part
    positions = cells.indices.fill_null(len(cells.dictionary)).to_numpy()[where]
    values = np.append(_parsed(cells.dictionary), np.nan)[positions]
    wrong = np.isnan(values)
    if wrong.any():
        at = int(where[wrong.argmax()])
        raise sheet.fault(
            "not-a-number", *not_a_number(cells[at].as_py() or ""), at=at, column=column
        )
    return values


def _parsed(texts: pa.StringArray) -> np.ndarray:
    """Return texts as numbers, NaN where a text is not a number."""
    trimmed = pc.utf8_trim(texts, " ")
    if pc.all(pc.match_substring_regex(trimmed, PLAIN_NUMBER)).as_py():
        return trimmed.cast(pa.float64()).to_numpy()
    return np.array([as_number(text.strip()) for text in texts.to_pylist()], float)


def amounts(sheet: Sheet, column: str) -> np.ndarray:
    """Return a column of numbers, none below 0."""
    quantities = numbers(sheet, column)

    are_logarithms = len(quantities) > 1 and bool((quantities <= 0).all())

    def what(at: int) -> str:
        way = "mend it or delete the row"
        if are_logarithms:
            way = "so are all; of logarithms of probabilities, write the probabilities"
        return f"is negative ({quantities[at]:g}); {way}"

    refuse_where(sheet, "negative", quantities < 0, what, column)
    return quantities


def people(sheet: Sheet, column: str) -> np.ndarray:
    """Return a column of whole numbers of people; 1,043 and 1.043 are 1043 there."""
    cells = sheet.cells([column])[column]
    texts = [(text or "").strip() for text in cells.dictionary.to_pylist()]
    matches = [THOUSANDS.fullmatch(text) for text in texts]
    signs = {match[1] for match in matches if match}
    whole = all(match or text.isdecimal() for text, match in zip(texts, matches, strict=True))
    if len(signs) == 1 and whole:
        sign = signs.pop()
        place = sheet.columns.index(column)
        sheet = sheet.with_texts([place], lambda text: text.strip().replace(sign, ""))
    return amounts(sheet, column)


def plain_share(text: str) -> str:
    """Return a percentage without its sign and with a point; ``*`` and ``<1`` are 0."""
    plain = text.strip().removesuffix("%").strip()
    if SMALL.fullmatch(plain):
        return "0"
    return plain.replace(",", ".") if COMMA.fullmatch(plain) else plain


def share_of(text: str | None) -> float:
    """Return a percentage or share, with or without its sign; NaN where there is none.

    ``*`` and ``<1`` are 0, and infinity is a text.
    """
    plain = plain_share(text) if isinstance(text, str) else ""
    if plain in ("", "-", "\u2013"):
        return np.nan
    number = as_number(plain)
    return np.inf if number is None or number < 0 else number


def not_a_number(text: str) -> tuple[Part, ...]:
    """Return a message for a cell that should hold a number."""
    text = text.strip()
    if not text:
        return ("is empty; it needs a number, or delete the row",)
    if THOUSANDS.fullmatch(text):
        what = f"is {text!r}, which may be {re.sub('[^0-9]', '', text)}; write numbers without a "
        comma = ("; or if it is a decimal comma, put ", DECIMAL_COMMA)
        ways = comma if COMMA.fullmatch(text) else ()
        return (f"{what}sign between thousands, and with a decimal point", *ways)
    if COMMA.fullmatch(text):
        what = f"is {text!r}; write numbers with a point, {text.replace(',', '.')}, or put "
        return (what, DECIMAL_COMMA)
    if (share := as_number(text.removesuffix("%").strip())) is not None:
        return (f"is {text!r}; write it without the sign, as a share: {share / 100:g}",)
    return (f"is {text!r}, not a finite number; mend it or delete the row",)
