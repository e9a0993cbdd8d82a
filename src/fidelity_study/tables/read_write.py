"""Reading and writing tables, checked against their schemas.

A table is written beside its place and then moved there, so that a killed job never leaves a
file that looks complete.
"""

import csv
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fidelity_study.errors import DataError

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


def write(path: str | Path, table: pa.Table, schema: pa.Schema, study: dict) -> None:
    """Write ``table`` as Parquet with exactly ``schema``; ``study`` goes into its metadata."""
    table = table.select(schema.names).cast(schema)
    table = table.replace_schema_metadata({"fidelity": json.dumps(study, sort_keys=True)})
    with complete(path) as partial:
        pq.write_table(table, partial, compression="zstd")


def write_rows(path: str | Path, rows: list[dict], schema: pa.Schema, study: dict) -> None:
    """Write ``rows`` as :func:`write` does; columns that a row lacks are null in it."""
    write(path, pa.Table.from_pylist(rows, schema), schema, study)


def write_tables(
    output, tables: dict[str, tuple[Iterable[dict] | pa.Table, pa.Schema]], study: dict
):
    """Write tables as Parquet, and rows also as CSV where there is a path for it.

    Args:
        output: a step's paths by name, ``name`` and ``name_csv`` for each table.
        tables: the rows, or a whole table, and the schema of each.
        study: goes into their metadata.
    """
    for name, (rows, schema) in tables.items():
        if isinstance(rows, pa.Table):
            write(output[name], rows, schema, study)
            continue
        kept = list(rows)
        write_rows(output[name], kept, schema, study)
        if path := output.get(f"{name}_csv"):
            write_csv(path, kept, schema.names)


def write_csv(path: str | Path, rows: list[dict], columns: list[str]) -> None:
    """Write ``rows`` as CSV for people's own tools; :func:`read_csv` reads it.

    A text that spreadsheets would run as a formula gets a single quote in front, as
    https://owasp.org/www-community/attacks/CSV_Injection advises. Numbers stay as they are.
    """
    with complete(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(map(inert, rows))


def read_csv(path: str | Path) -> list[dict[str, str]]:
    """Return the rows that :func:`write_csv` wrote, all cells as texts."""
    with open(path, encoding="utf-8", newline="") as file:
        return [
            {
                key: value.removeprefix("'") if is_formula(value) else value
                for key, value in row.items()
            }
            for row in csv.DictReader(file)
        ]


def inert(row: dict) -> dict:
    """Return a row with a single quote before each text that spreadsheets would run."""
    return {
        key: f"'{value}" if isinstance(value, str) and is_formula(value) else value
        for key, value in row.items()
    }


def is_formula(text: str) -> bool:
    """Whether spreadsheets would run a text, or would do so without its leading single quotes."""
    return text.lstrip("'").startswith(FORMULAS)


@contextmanager
def complete(path: str | Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; move the file to ``path`` once all is written."""
    path = Path(path)
    partial = path.with_name(f".{path.stem}.partial{path.suffix}")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with complete(path) as partial:
        partial.write_text(text, encoding="utf-8")


def refuse_others(path: Path, begin: str) -> None:
    """Raise DataError if a file is there that doesn't begin as those do that are written there."""
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(begin.encode())) != begin.encode():
                raise DataError(f"{path}: is another file, and isn't written over; name another")


def read(path: str | Path, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
    """Read a table, or some of its ``columns``, and check that it has ``schema``."""
    try:
        with pq.ParquetFile(path) as file:
            found, table = file.schema_arrow, file.read(columns)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{path}: cannot be read; delete it and run again ({error})") from error
    if not found.equals(schema, check_metadata=False):
        raise DataError(
            f"{path}: columns are not those of this version "
            f"({', '.join(found.names)}); delete the file and run again"
        )
    return table


def read_all(paths: str | Path | list, schema: pa.Schema) -> pa.Table:
    """Read the tables of one or several steps, one below the other."""
    paths = [paths] if isinstance(paths, (str, Path)) else paths
    return pa.concat_tables([read(path, schema) for path in paths]).unify_dictionaries()


def metadata(path: str | Path) -> dict:
    """Return the study's settings that ``path`` was written with."""
    return json.loads(pq.read_schema(path).metadata[b"fidelity"])
