"""Cells of a :class:`~fidelity_study.tabular.files.Sheet` as labels, numbers and answers."""

import re
from collections.abc import Mapping
from math import isfinite

import numpy as np
import pandas as pd
import pyarrow as pa

from fidelity_study.ingest import REASONS
from fidelity_study.tabular.files import Sheet

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\u200b\u2028\u2029\ufeff]")
NOTHING = {"na", "n/a", "#n/a", "nan", "null", "none", "inf", "-inf", "infinity", "-infinity"}


def as_number(text: str) -> float | None:
    """Return the finite number that a text is, written with a point; None if it is none."""
    number = float(text) if NUMBER.fullmatch(text) else None
    return number if number is not None and isfinite(number) else None


def written(number: float) -> str:
    """Return a number as text, whole ones without a point."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def as_label(value: str | float) -> str:
    """Return an answer's one spelling: ``1``, ``1.0`` and ``" 1"`` are the same answer."""
    text = " ".join(str(value).split())
    number = as_number(text)
    return text if number is None else written(number)


def names(sheet: Sheet, column: str) -> pd.Categorical:
    """Return a column of names, white space collapsed; raise DataError where a cell is empty."""
    found = cells(sheet, column)
    if (found.codes < 0).any():
        raise sheet.fault(
            "is empty; fill it or delete the row", at=int(found.codes.argmin()), column=column
        )
    return found


def cells(sheet: Sheet, column: str) -> pd.Categorical:
    """Return a column's texts, white space collapsed; empty cells have code -1."""
    codes, texts = _encoded(sheet, column)
    cleaned = [" ".join(text.split()) or None for text in texts]
    for position, text in enumerate(cleaned):
        if text is not None and UNPRINTABLE.search(text):
            at = int((codes == position).argmax())
            raise sheet.fault(
                "holds an invisible control character; delete it", at=at, column=column
            )
    return _recoded(codes, cleaned)


def numbers(sheet: Sheet, column: str, part: np.ndarray | None = None) -> np.ndarray:
    """Return a column of finite numbers; raise DataError at the first that is none.

    Only the cells at the positions ``part`` are looked at, if given.
    """
    codes, texts = _encoded(sheet, column)
    where = np.arange(len(codes)) if part is None else part
    values = np.array([as_number(text.strip()) for text in texts] + [None], float)[codes[where]]
    wrong = np.isnan(values)
    if wrong.any():
        at = int(where[wrong][0])
        text = texts[codes[at]].strip() if codes[at] >= 0 else ""
        raise sheet.fault(not_a_number(text), at=at, column=column)
    return values


def answers(
    sheet: Sheet, columns: list[str], reasons: Mapping[str, str], known: frozenset[str]
) -> tuple[pd.Categorical, np.ndarray]:
    """Return columns of answers, one below the other.

    Args:
        sheet: the table.
        columns: those of the answers.
        reasons: spellings that stand for no answer, with the reason, one of ``REASONS``.
        known: the options' labels, if the config lists them; they may look like no answer.

    Returns:
        The answers as labels, code -1 where there is none; and the position in ``REASONS`` of the
        reason why there is none, -1 where there is an answer.
    """
    codes, texts = _encoded(sheet, *columns)
    labels, why = [], []
    for position, text in enumerate(texts):
        label = as_label(text)
        reason = reasons.get(label) if label else "missing"
        if reason is None and label not in known:
            place, at = divmod(int((codes == position).argmax()), sheet.table.num_rows)
            _check_answer(sheet, text.strip(), columns[place], at)
        labels.append(None if reason else label)
        why.append(REASONS.index(reason) if reason else -1)
    why.append(REASONS.index("missing"))
    return _recoded(codes, labels), np.array(why, np.int8)[codes]


def _check_answer(sheet: Sheet, text: str, column: str, at: int) -> None:
    if "\n" in text or "\r" in text:
        raise sheet.fault(
            f"the answer {text[:40]!r} goes over several lines; close its double quote, or put "
            "it on one line",
            at=at,
            column=column,
        )
    if UNPRINTABLE.search(text):
        raise sheet.fault("holds an invisible control character; delete it", at=at, column=column)
    if text.casefold() in NOTHING:
        raise sheet.fault(
            f"is {text!r}; leave the cell empty where there is no answer, or put "
            f"missing: [{text!r}] in the config, or list it among outcome.levels",
            at=at,
            column=column,
        )


def not_a_number(text: str) -> str:
    """Say what is wrong with a cell that should hold a number."""
    if not text:
        return "is empty; it needs a number, or delete the row"
    if COMMA.fullmatch(text):
        return f"is {text!r}; write numbers with a point: {text.replace(',', '.')}"
    return f"is {text!r}, not a finite number; mend it or delete the row"


def _encoded(sheet: Sheet, *columns: str) -> tuple[np.ndarray, list[str]]:
    """Return the code of each cell, -1 for null, and the distinct texts; columns are stacked."""
    chunks = [chunk for column in columns for chunk in sheet.table[column].chunks]
    encoded = pa.chunked_array(chunks, pa.string()).combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, encoded.dictionary.to_pylist()


def _recoded(codes: np.ndarray, labels: list[str | None]) -> pd.Categorical:
    """Return a categorical of ``labels[code]``; None becomes missing."""
    recoded, distinct = pd.factorize(np.array(labels, object), sort=False)
    return pd.Categorical.from_codes(
        np.append(recoded, -1)[codes], pd.Index(distinct, dtype=object)
    )
