"""Opening files: tables of any kind, with what is recognised of exports."""

import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from unicodedata import normalize

from fidelity_study.errors import in_file, refusal
from fidelity_study.reading.tabular import qsf, records, spreadsheet, survey
from fidelity_study.reading.tabular.batch_output import (
    BatchOutput,
    is_batch,
    is_request,
    with_words,
)
from fidelity_study.reading.tabular.exports import objects, recognised
from fidelity_study.reading.tabular.exports.table import with_named
from fidelity_study.reading.tabular.files import LINES, LIST, MOST_COLUMNS, Sheet, suffix_of
from fidelity_study.reading.tabular.parquet import Parquet
from fidelity_study.reading.tabular.plain import Plain
from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.text import Text

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
NAMES_OF_KINDS = (
    "CSV (.csv, .csv.gz), tab-separated text (.tsv), Parquet (.parquet), SPSS (.sav, .zsav), "
    "Stata (.dta), Excel (.xlsx, .xls, .ods) or JSON Lines (.jsonl)"
)
WHOLE = (".parquet", qsf.SUFFIX, *survey.SUFFIXES, *spreadsheet.SUFFIXES)
MOST_FILES, SMALL, SECOND = 8, 2**22, 10**9  # in bytes, in nanoseconds
PLAIN = Reading()
_SHEETS: dict[tuple, Sheet] = {}
_RECOGNISED: dict[tuple, Sheet] = {}
"""Small files as they are read one way and the other, till they change."""


def opened(path: str, reading: Reading = PLAIN) -> Sheet:
    """Open a file by its suffix; raise DataError if the file or its header is faulty.

    White space around a column's name is removed.
    """
    suffix, needed = _suffix(path), reading
    if suffix not in survey.SUFFIXES:
        needed = Reading(reading.separator, reading.sheet, custom_id=reading.custom_id)

    def read() -> Sheet:
        sheet = _once(_SHEETS, path, needed, partial(_readable, path, suffix, needed))
        return with_named(_with_clean_names(recognised(sheet, reading)), reading.named)

    is_small = Path(spreadsheet.split(path)[0]).stat().st_size <= SMALL
    return _once(_RECOGNISED, path, reading, read) if is_small else read()


def _once(
    known: dict[tuple, Sheet], path: str, reading: Reading, read: Callable[[], Sheet]
) -> Sheet:
    """Return the sheet in a file, which is read again only if it may have changed."""
    about = os.stat(spreadsheet.split(path)[0])
    state = (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    key = (path, repr(reading), state)
    if key in known:
        return known[key]
    sheet = read()
    latest = max(about.st_mtime_ns, about.st_ctime_ns)
    is_fine = about.st_mtime_ns % SECOND and about.st_size <= SMALL
    step = SECOND // 50 if is_fine else 2 * SECOND  # of the clock of files
    if time.time_ns() - latest > step:
        while len(known) >= MOST_FILES:
            del known[next(iter(known))]
        known[key] = sheet
    return sheet


def _readable(path: str, suffix: str, reading: Reading) -> Sheet:
    """Return the sheet in a file, whose faults name it."""
    with in_file(path):
        sheet = _sheet(path, suffix, reading)
    return replace(sheet, read=in_file(path)(sheet.read))


def _sheet(path: str, suffix: str, reading: Reading) -> Sheet:
    """Return the sheet in a file with this suffix."""
    if suffix == qsf.SUFFIX:
        return Sheet(path, [], 1, lambda _: [], codebook=qsf.read(path))
    if suffix in survey.SUFFIXES:
        file = survey.Survey(path, suffix, reading)
        return Sheet(
            path, file.names, 1, file.columns, file, topics=file.topics, boxes=file.boxes()
        )
    if suffix in spreadsheet.SUFFIXES:
        cells = spreadsheet.Spreadsheet(path, reading.sheet)
        sheet = Sheet(path, cells.names, cells.first_row, cells.columns, recognised=cells.notes)
        return replace(sheet, kept=cells.kept)
    if suffix in (*LINES, LIST):
        plain = Plain.of(path)
        of_kind = records.of_list if suffix == LIST else records.of_lines
        rows = of_kind(plain.text.decode())
        first = [*islice(rows, 1)]
        rows = chain(first, rows)
        if suffix in LINES and first and is_batch(first[0][1]):
            several = objects.questions_of
            batch = BatchOutput(rows, reading.custom_id, lambda texts: bool(several(texts)))
            return Sheet(
                path,
                batch.names,
                1,
                batch.columns,
                raw=batch.is_raw,
                roles=batch.roles,
                ids=batch.ids,
            )
        if first and is_request(first[0][1]):
            what = "holds the requests of a batch, and no answers; leave it out"
            raise refusal("batch-requests", what)
        said = ((number, part) for number, record in rows for part in with_words(record))
        table = records.Records(said)
        return Sheet(path, table.names, 1, table.columns, recognised=plain.notes + table.notes)
    if suffix == ".parquet":
        kept = Parquet(path)
        speaks = kept if kept.levels else None
        return Sheet(path, kept.names, 1, kept.columns, speaks, recognised=kept.left_out)
    text = Text.of(path, reading.separator, SEPARATORS[suffix])
    sheet = Sheet(path, text.names, text.above + 2, text.columns, recognised=text.notes)
    return replace(sheet, separator=text.separator)


def _suffix(path: str) -> str:
    file, _ = spreadsheet.split(path)
    if not Path(file).is_file():
        reason = "is a folder, not a file" if Path(file).is_dir() else "is not there"
        raise refusal("file-not-there", f"{reason}; name the file", file=file)
    suffix = suffix_of(path)
    known = [*SEPARATORS, *LINES, LIST, *(() if file.lower().endswith(".gz") else WHOLE)]
    if suffix not in known:
        raise refusal(
            "unknown-suffix",
            f"its name does not end as that of {NAMES_OF_KINDS}; save it as one of them",
            file=path,
        )
    return suffix


def _with_clean_names(sheet: Sheet) -> Sheet:
    """Return the sheet with clean column names, not too many and each there once."""
    if len(sheet.columns) > MOST_COLUMNS:
        raise sheet.fault(
            "too-many-columns",
            f"has {len(sheet.columns):,} columns, more than {MOST_COLUMNS:,}; write the answers as "
            "a long file, a row for each",
        )
    names = [_clean(name) for name in sheet.columns]
    for position, name in enumerate(names, start=1):
        if not name:
            what = f"column {position} has no name; name it, or drop it (row numbers of pandas: "
            what += "write with index=False)"
            if names[2:] and not any(names[1:]):
                what = "its first row has one cell, as titles have, and should name the columns; "
                what += "delete the rows above their names, which are different texts, none empty"
            raise sheet.fault("column-without-name", what)
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise sheet.fault(
            "column-twice", "appears twice; give each column its own name", column=twice[0]
        )
    asked = sheet.questions
    return replace(
        sheet,
        columns=names,
        aside=tuple(map(_clean, sheet.aside)),
        questions=None if asked is None else [_clean(name) for name in asked],
        in_own_words=tuple(map(_clean, sheet.in_own_words)),
        topics={_clean(name): topic for name, topic in sheet.topics.items()},
    )


def _clean(name: str) -> str:
    return normalize("NFC", " ".join(name.split()))
