"""Exports of survey programs and data frames: tables whose first row does not suffice.

Each module has ``recognised(sheet)``: the same table as rows of people or answers, with a line that
says what was recognised; None if the table is no such export.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import chain

from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.exports import (
    answers_within,
    completion,
    crosstab,
    currency,
    decimal_comma,
    deepeval,
    free_text,
    key,
    long_names,
    probabilities,
    promptfoo,
    redcap,
    swe_bench,
)
from fidelity_study.reading.tabular.exports.table import with_named, without
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.turned import OPTIONS, QUESTIONS
from fidelity_study.tables.ingest import EVERY

MOST_COLUMNS = 20_000
PROGRAMS = [
    *("promptfoo", "deepeval", "swe_bench", "human_eval", "openai_evals"),
    *("repeated_header", "closing_rows", "surveymonkey", "row_numbers", "qualtrics", "limesurvey"),
    *("sosci", "google_forms", "redcap", "prolific", "mturk", "otree", "edsl", "wordings"),
]
"""The modules of programs' exports, in the order in which they are tried."""
EXPORTS = [
    *(
        "draws",
        "listed_shares",
        "options_first",
        "metaculus",
        "forecastbench",
        "classifiers",
        "models_within",
    ),
    *("option_columns", "probabilities", "objects"),
]
"""Those of forms that columns have, which are tried next."""
OF_PROGRAMS, MODULES = (
    [import_module(f"{__name__}.{name}") for name in names] for names in (PROGRAMS, EXPORTS)
)
OF_OBJECTS = (promptfoo, deepeval, swe_bench)
"""Those that are an object, with ``records(whole)``: its rows; None if it is another's."""
ROLES = ("scenario", "value", "count", "simulator")


def recognised(sheet: Sheet, reading: Reading) -> Sheet:
    """Return a table as its export's form says; unchanged if it is none.

    Which rows of a program's export count, all its columns tell. Then those that the settings
    ignore are as if they were not there.
    """
    is_plain = sheet.file is None and not sheet.raw and 0 < len(sheet.columns) <= MOST_COLUMNS
    is_plain = is_plain and _has_rows(sheet)
    if is_comma := reading.decimal == ",":  # first, as exports hand on columns of the file
        may_differ = is_plain and sheet.separator == ";"
        sheet = decimal_comma.with_points(sheet, is_comma=True, may_differ=may_differ)
    amounts = {reading.columns.get(role) for role in ("count", "percent", "probability")}
    if is_plain and not amounts & {*sheet.columns}:
        with suppress(DataError):  # told when the rows are read
            if (codebook := key.recognised(sheet) or redcap.dictionary(sheet)) is not None:
                return codebook
    columns = [reading.columns.get(role) or [] for role in ROLES]
    named = {name for some in columns for name in ([some] if isinstance(some, str) else some)}
    named_ignored = (reading.ignored.get(path, ()) for path in (EVERY, sheet.path))
    ignored = {*chain(*named_ignored)} - reading.named if is_plain else set()
    programs = [crosstab.of_blocks, *(export.recognised for export in OF_PROGRAMS)]
    of_rows = programs if is_plain else []
    whole = _first([*of_rows, *([] if sheet.raw else [completion.recognised])], sheet)
    sheet = seen = without(whole, ignored)
    ways: list[Callable[[Sheet], Sheet | None]] = []
    if is_plain:
        ways += [export.recognised for export in MODULES]
        ways.append(partial(answers_within.recognised, named=named))
        others = {name for name in sheet.columns if name.casefold() not in (*QUESTIONS, *OPTIONS)}
        ways += [] if named & others else [crosstab.recognised]
        if stated := reading.columns.get("probability"):
            ways.append(partial(probabilities.recognised, stated=str(stated)))
        ways += [decimal_comma.with_both_signs, currency.with_numbers]
        ways.append(partial(long_names.recognised, named=reading.columns))
    if (sheet := _first(ways, sheet)) is seen:
        sheet = whole
    elif ignored:
        sheet = with_named(sheet, ignored)
        lost = [name for name in whole.columns if name in ignored.difference(sheet.columns)]
        sheet = replace(sheet, lost=(*lost,))
    if sheet.tells_all:
        return sheet
    sheet = free_text.left_out(sheet)
    may_differ = is_plain and sheet.separator == ";" and not {"percent", "count"} & {*sheet.roles}
    if is_comma or not may_differ:
        return sheet
    return decimal_comma.with_points(sheet, is_comma=False, may_differ=True)


def _first(ways: Iterable[Callable[[Sheet], Sheet | None]], sheet: Sheet) -> Sheet:
    """Return a table as those ways say that recognise it, till one says all of it."""
    for recognise in ways:
        if not sheet.tells_all:
            with suppress(DataError, KeyError):  # told when the rows are read
                sheet = recognise(sheet) or sheet
    return sheet


def _has_rows(sheet: Sheet) -> bool:
    """Return whether a table has rows, or can't be read, which is told later."""
    with suppress(DataError):
        return sheet.size > 0
    return True
