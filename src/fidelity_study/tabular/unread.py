"""Columns of a long file that nothing reads: refused where they may be counts, else told.

A row of a long file is one answer unless a column says how many. A file whose counts stand in a
column of another name would be read as one answer a row: every answer stands once, and all shares
are wrong. So a column of numbers that is not read is refused if its name is one that counts, shares
or weights usually have, or if each answer stands at most once in its scenario.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fidelity_study.ingest import HUMAN
from fidelity_study.tabular.columns import NOTHING, Cells, as_number
from fidelity_study.tabular.files import Sheet
from fidelity_study.tabular.layout import Layout, in_yaml

COUNTS = {"n", "nn", "num", "cnt", "freq", "freqs", "frequency", "frequencies", "tally", "total"}
SHARES = {"p", "pr", "prob", "probs", "proba", "share", "shares", "prop", "proportion"}
SHARES |= {"frac", "fraction", "pct", "perc", "percent", "percentage"}
WEIGHTS = {"w", "wt", "wts", "wgt", "wgts", "weights", "pweight", "pweights"}


@dataclass(frozen=True)
class Rows:
    """What is known of the rows of a long file when all have been read.

    Attributes:
        scenario: the column of the scenarios.
        source: who answers if the file is one source's, else None.
        counted: whether a column says how many answers, or what probability, a row stands for.
        weight: the column of the weights of rows, None if there is none.
        respondents: whether a column names the person of a row.
        once: whether each answer stands at most once where there are several in a scenario.
    """

    scenario: str
    source: str | None
    counted: bool
    weight: str | None
    respondents: bool
    once: bool


def unread(sheet: Sheet, layout: Layout, read: list[str], rows: Rows) -> list[str]:
    """Return the columns that are not read, without those that the config ignores.

    Raises:
        DataError: if one of them may say how many answers, what probability, or what weight a row
            stands for; or if weights may be sums over people.
    """
    if rows.weight is not None and rows.once and not rows.respondents:
        raise sheet.fault(
            "each answer stands only once in its scenario, as in a file of counts, but each row "
            "would be one person of this weight; if these are counts or sums of weights, call the "
            "column count (sums need a design_effect in the config, too); if each row is a person, "
            "name that person in a column respondent",
            column=rows.weight,
        )
    left = [name for name in sheet.columns if name not in {*read, *layout.ignored}]
    suspects = [name for name in left if _suspect(name, rows)]
    for name in sorted(suspects, key=lambda name: not _usual(name)):
        numbers = _numbers(sheet, name)
        if numbers is not None and _may_be_amounts(sheet, name, numbers, rows):
            raise sheet.fault(_remedy(name, numbers, rows), column=name)
    return left


def _usual(name: str) -> bool:
    return name.casefold() in COUNTS | SHARES | WEIGHTS


def _suspect(name: str, rows: Rows) -> bool:
    """Return whether a column has to be looked at."""
    plain = name.casefold()
    if plain in WEIGHTS and rows.source == HUMAN and rows.weight is None:
        return True
    if rows.counted or rows.respondents:
        return False
    return rows.once or plain in COUNTS | SHARES


def _numbers(sheet: Sheet, column: str) -> np.ndarray | None:
    """Return a column's numbers, NaN where a cell is empty; None if it holds anything else."""
    parts = []
    for batch in sheet.batches((column,)):
        cells = Cells.of(batch, column)
        texts = [(text or "").strip() for text in cells.texts]
        empty = np.array([not text or text.casefold() in NOTHING for text in texts])
        plain = (as_number(text.rstrip("% ").replace(",", ".")) for text in texts)
        numbers = np.array([np.nan if number is None else number for number in plain])
        if (np.isnan(numbers) & ~empty)[cells.place].any():
            return None
        parts.append(numbers[cells.place])
    numbers = np.concatenate(parts)
    return None if np.isnan(numbers).all() else numbers


def _may_be_amounts(sheet: Sheet, column: str, numbers: np.ndarray, rows: Rows) -> bool:
    """Return whether numbers may be counts, shares or weights: not, if they are below 0.

    Of names that say nothing, neither if they are the same in all rows of a scenario, or number its
    rows; shares are not, if they are whole numbers beyond 1.
    """
    if np.nanmin(numbers) < 0:
        return False
    if column.casefold() in SHARES and not rows.once:
        return not (_whole(numbers) and np.nanmax(numbers) > 1)
    if _usual(column):
        return True
    scenario = np.concatenate(list(_scenarios(sheet, rows.scenario)))
    table = pd.DataFrame({"scenario": scenario, "number": numbers})
    table["step"] = table["number"] - table.groupby("scenario").cumcount()
    distinct = table.groupby("scenario")[["number", "step"]].nunique()
    return bool((distinct > 1).any().all())


def _scenarios(sheet: Sheet, column: str) -> Iterator[np.ndarray]:
    for batch in sheet.batches((column,)):
        cells = Cells.of(batch, column)
        yield pd.util.hash_array(np.array(cells.texts, object), categorize=False)[cells.place]


def _whole(numbers: np.ndarray) -> bool:
    return bool((numbers[~np.isnan(numbers)] % 1 == 0).all())


def _remedy(column: str, numbers: np.ndarray, rows: Rows) -> str:
    """Say what to write into the config."""
    key = {
        role: f"columns: {in_yaml({role: column})}" for role in ("count", "probability", "weight")
    }
    ways = []
    if not rows.counted and not rows.respondents:
        if _whole(numbers):
            ways.append(f"if they count the answers, put {key['count']} in the config")
        elif rows.source == HUMAN:
            ways.append(
                "if they are shares, multiply them by the number of people asked in the scenario, "
                f"and put {key['count']} in the config (and a design_effect, if these counts are "
                "weighted)"
            )
        else:
            ways.append(f"if they are stated probabilities, put {key['probability']} in the config")
    if rows.source == HUMAN and rows.weight is None and column.casefold() in WEIGHTS:
        ways.append(f"if they are weights of persons, put {key['weight']} in the config")
    why = (
        "but each answer stands only once in its scenario, as in a table of counts"
        if rows.once
        else "but a column of this name often says how many answers or people a row stands for"
    )
    return (
        f"holds numbers and is not read, so that each row is one answer; {why}; {'; '.join(ways)}; "
        f"if they are none of this, put ignore: {in_yaml([column])} in the config"
    )
