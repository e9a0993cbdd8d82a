"""Reading a table that a user wrote, every cell as text: CSV, CSV.gz, TSV or Parquet, UTF-8."""

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from fidelity_study.errors import DataError

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
KINDS = "CSV (.csv, .csv.gz), tab-separated text (.tsv) or Parquet (.parquet)"
READABLE = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_boolean,
    pa.types.is_null,
)
BLOCK = 1 << 30


@dataclass(frozen=True)
class Sheet:
    """A table as it was read.

    Attributes:
        path: the file, as the config names it.
        table: all columns are text; null where a cell is empty.
        first_row: number of the first row of answers as the user sees it: 2 below a CSV's header.
    """

    path: str
    table: pa.Table
    first_row: int

    @property
    def columns(self) -> list[str]:
        """The columns' names, without white space around them."""
        return self.table.column_names

    def fault(self, what: str, *, at: int | None = None, column: str | None = None) -> DataError:
        """Return the error that says ``what`` is wrong; ``at`` is a position from 0."""
        where = [self.path]
        if at is not None:
            where.append(f"row {at + self.first_row}")
        if column is not None:
            where.append(f"column {column!r}")
        return DataError(f"{', '.join(where)}: {what}")


def named_files(settings: dict) -> list[str]:
    """Return the files that a dataset's own settings name, each once."""
    simulated = settings.get("simulated", [])
    if isinstance(simulated, dict):
        simulated = list(simulated.values())
    elif isinstance(simulated, str):
        simulated = [simulated]
    alone = [settings[key] for key in ("human", "scenarios") if key in settings]
    return list(dict.fromkeys([*alone, *simulated]))


def check_there(files: Mapping[str, Iterable[str]]) -> None:
    """Raise DataError unless all files of all datasets are there; names every one that is not."""
    faults = [
        f"datasets.{dataset}: {path} is {'a folder' if Path(path).is_dir() else 'not there'}; "
        f"name a file, seen from the folder that snakemake runs in, {Path.cwd()}"
        for dataset, paths in files.items()
        for path in paths
        if not Path(path).is_file()
    ]
    if faults:
        raise DataError("\n".join(faults))


def read(path: str, separator: str | None = None) -> Sheet:
    """Read a file by its suffix; raise DataError with what is wrong with it.

    White space around a column's name is taken off. ``separator`` is that of a text file, if it
    is not the usual one of its suffix.
    """
    suffix = _suffix(path)
    if suffix == ".parquet":
        sheet = Sheet(path, _parquet(path), 1)
    else:
        sheet = Sheet(path, _text(path, separator or SEPARATORS[suffix]), 2)
    return _checked(sheet)


def _suffix(path: str) -> str:
    if not Path(path).is_file():
        reason = "is a folder, not a file" if Path(path).is_dir() else "is not there"
        raise DataError(f"{path}: {reason}; name the file in the config")
    suffixes = [each.lower() for each in Path(path).suffixes]
    plain = suffixes[:-1] if suffixes[-1:] == [".gz"] else suffixes
    suffix = plain[-1] if plain else ""
    if suffix in SPREADSHEETS:
        raise DataError(f"{path}: is a spreadsheet; save the sheet as CSV UTF-8 and name that file")
    if suffix not in (*SEPARATORS, ".parquet") or (suffix == ".parquet" and plain != suffixes):
        raise DataError(f"{path}: its name does not end as that of {KINDS}; save it as one of them")
    return suffix


def _parquet(path: str) -> pa.Table:
    try:
        # Not as a data set: a folder named year=2024 would add a column of its own.
        table = pq.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: cannot be read as Parquet; write it again ({error})") from error
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        held = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not any(each(held) for each in READABLE):
            raise DataError(
                f"{path}, column {name!r}: holds {held}, neither text nor numbers; "
                "write it as one of them, or drop the column"
            )
        columns.append(column.cast(held).cast(pa.string()))
    return pa.table(columns, names=table.column_names)


def _text(path: str, separator: str) -> pa.Table:
    text = _decoded(path, _bytes(path))
    header = _header(path, text, separator)
    ragged = []

    def refuse(row):
        ragged.append(row)
        return "error"

    try:
        return pa.csv.read_csv(
            pa.BufferReader(text.encode()),
            # One thread and one block: row numbers in errors are right, headers of any length fit.
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=BLOCK),
            parse_options=pa.csv.ParseOptions(
                delimiter=separator,
                newlines_in_values=True,
                ignore_empty_lines=False,
                invalid_row_handler=refuse,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowException as error:
        if ragged:
            row = ragged[0]
            what = (
                f"ends after {row.actual_columns} of {row.expected_columns} cells; fill it up"
                if row.actual_columns < row.expected_columns
                else f"has {row.actual_columns} cells in {row.expected_columns} columns; put text "
                f"with {separator!r} in it in double quotes"
            )
            raise DataError(f"{path}, row {row.number}, {row.text[:60]!r}: {what}") from error
        if str(error).startswith("CSV parse error: Empty CSV"):
            return pa.table({name: pa.array([], pa.string()) for name in header})
        raise DataError(f"{path}: cannot be read as CSV; write it again ({error})") from error


def _bytes(path: str) -> bytes:
    content = Path(path).read_bytes()
    if path.lower().endswith(".gz"):
        try:
            content = gzip.decompress(content)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(
                f"{path}: is no whole gzip file; compress it again, or take .gz off its name if "
                f"it is plain text ({error})"
            ) from error
    kinds = {b"PK\x03\x04": "a spreadsheet or ZIP file", b"PAR1": "a Parquet file"}
    kinds |= {b"\x1f\x8b": "a gzip file", b"\xd0\xcf\x11\xe0": "an Excel file"}
    for magic, kind in kinds.items():
        if content.startswith(magic):
            raise DataError(f"{path}: is {kind}, not text; save it as CSV UTF-8, or rename it")
    return content


def _decoded(path: str, content: bytes) -> str:
    """Return the text, its lines ended by ``\\n``, without empty ones below."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{path}: is UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: byte 0x{content[error.start]:02x} is not UTF-8; "
            "save the file as UTF-8 (in Excel: CSV UTF-8)"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(f"{path}, line {line}: holds a zero byte; save the file as CSV UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def _header(path: str, text: str, separator: str) -> list[str]:
    if not text.strip():
        raise DataError(f"{path}: is empty; it needs a header and rows of answers")
    try:
        header = next(csv.reader(io.StringIO(text), delimiter=separator, strict=True))
    except (csv.Error, StopIteration) as error:
        raise DataError(f"{path}, row 1: the header cannot be read ({error})") from error
    for other, name in OTHER_SEPARATORS.items():
        if len(header) == 1 and other != separator and other in header[0]:
            raise DataError(
                f"{path}, row 1: its columns seem to be separated by {name}; save it with "
                f"commas, or put separator: {other!r} in the config"
            )
    if text.count('"') % 2:
        line = text.count("\n", 0, text.rindex('"')) + 1
        raise DataError(
            f"{path}: a double quote is opened and never closed, the last one is in line {line}; "
            "close it, and write a quote inside text twice"
        )
    return header


def _checked(sheet: Sheet) -> Sheet:
    """Return the sheet with clean column names, each there once, and at least one row."""
    names = [" ".join(name.split()) for name in sheet.columns]
    for position, name in enumerate(names, start=1):
        if not name:
            raise sheet.fault(
                f"column {position} has no name; name it, or drop it (row numbers of pandas: "
                "write with index=False)"
            )
    twice = (
        {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()
    )
    if twice:
        raise sheet.fault("appears twice; give each column its own name", column=sorted(twice)[0])
    if not sheet.table.num_rows:
        raise sheet.fault("has a header but no rows; add the answers")
    return Sheet(sheet.path, sheet.table.rename_columns(names), sheet.first_row)
