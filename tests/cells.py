"""Cells of a codebook as a user changes them between two calls of ``start``."""

import csv
import re
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from fidelity_study.__main__ import main
from fidelity_study.reading.codebook import tables

CELL = re.compile(r"(columns|questions|labels)\.csv: (?:(.+), )?(.+): (.+)", re.DOTALL)
FIELDS = {"columns": ("file", "column", "use"), "labels": ("scale", "text", "means")}
OF_QUESTIONS = ("", "question", "use")


def start_with(arguments) -> int:
    """Call ``start``; where some arguments are cells, draft the tables, change these, call again.

    Such an argument is written as messages write it: ``labels.csv: q1, 99: missing``.
    """
    cells = [match for argument in arguments if (match := CELL.fullmatch(str(argument)))]
    plain = [str(argument) for argument in arguments if not CELL.fullmatch(str(argument))]
    if not cells:
        return main(["start", *plain])
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        main(["start", *(part for part in plain if part != "--yes")])
    folder = max(Path().glob("*_codebook"), key=lambda path: path.stat().st_mtime_ns)
    for cell in cells:
        name, above, row, value = cell.groups()
        first, second, field = FIELDS.get(name, OF_QUESTIONS)
        where = {second: row} | ({first: above} if above else {})
        edit(name, where, folder, **{field: value})
    return main(["start", *plain, *([] if "--force" in plain else ["--force"])])


def edit(table, where, folder="s_codebook", **values):
    """Write cells into the row of a table as a spreadsheet in another language saves it."""
    path, rows = Path(folder, f"{table}.csv"), tables.read(folder).tables[table]
    here = [row for row in rows if all(row[name] == text for name, text in where.items())]
    if not here:
        here = [dict.fromkeys(rows[0], "") | where]
        rows += here
    for row in here:
        row.update({name.replace("_", " "): value for name, value in values.items()})
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
