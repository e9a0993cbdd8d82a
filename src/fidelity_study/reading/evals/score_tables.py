"""Scores in a table, CSV or Parquet: a row for each sample."""

from collections.abc import Iterator
from math import isnan

from fidelity_study.errors import BLANK, IN_CONFIG, ErrorList, Remedy, there_are
from fidelity_study.reading.evals.direction import by_name
from fidelity_study.reading.evals.files import TABLE
from fidelity_study.reading.evals.samples import NO_SCORE, Log, Sample
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.files import Grid, Sheet
from fidelity_study.reading.tabular.opening import opened

NEEDED = ("question", "model", "score")
OPTIONAL = ("epoch", "cluster")
TRUTHS = {"true": 1.0, "false": 0.0}
NOTHING = {"", "nan", "na", "n/a", "null", "none"}
ONCE = "1"
MOST_TOLD = 5


def read_table(path: str, settings: dict) -> Log:
    """Return what a table has.

    Args:
        path: of a CSV or Parquet file.
        settings: of the eval: ``columns``, which column is which, and ``cluster``, another name of
            the column of clusters.

    Raises:
        DataError: with what is wrong, one line each.
    """
    sheet = opened(path)
    columns = _columns(sheet, settings)
    score = columns["score"]
    log = Log(path, TABLE, score=score, better=by_name(score))
    if unread := [name for name in sheet.columns if name not in columns.values()]:
        log.notes.append(f"has columns that were not read: {', '.join(unread)}")
    log.samples += _samples(sheet.grid(*zip(columns.values())), columns)
    return log


def _columns(sheet: Sheet, settings: dict) -> dict[str, str]:
    """Return the column of each part of a sample."""
    given = dict(settings["columns"])
    if settings["cluster"] is not None:
        given.setdefault("cluster", settings["cluster"])
    columns = {part: given.get(part, part) for part in NEEDED}
    columns |= {part: given.get(part, part) for part in OPTIONAL if part in given}
    if "epoch" in sheet.columns:
        columns.setdefault("epoch", "epoch")
    faults = ErrorList()
    for part, name in columns.items():
        with faults.collected():
            if name not in sheet.columns:
                raise sheet.fault(
                    "no-column",
                    f"has no column {name!r} for the {part}; "
                    f"{there_are(name, sheet.columns)}; name it",
                    IN_CONFIG,
                    ": ",
                    Remedy({f"columns.{part}": BLANK}),
                )
    faults.refuse()
    return columns


def _samples(grid: Grid, columns: dict[str, str]) -> Iterator[Sample]:
    cells = {part: grid.cells[(name,)].to_pylist() for part, name in columns.items()}
    faults = ErrorList()
    for i in range(grid.size):
        row = {part: (values[i] or "").strip() for part, values in cells.items()}
        with faults.collected():
            for part in set(row) - {"score"}:
                if not row[part]:
                    raise grid.fault(
                        "empty-cell", "is empty; fill it in", at=i, column=columns[part]
                    )
            score = _score(grid, i, row["score"], columns["score"])
            yield Sample(
                row["model"],
                row["question"],
                row.get("epoch", ONCE),
                row.get("cluster"),
                score,
                "" if score is not None else NO_SCORE,
                f"row {i + grid.sheet.first_row}",
            )
        if len(faults.faults) >= MOST_TOLD:
            break
    faults.refuse()


def _score(grid: Grid, at: int, text: str, column: str) -> float | None:
    lowered = text.lower()
    if lowered in NOTHING:
        return None
    number = TRUTHS.get(lowered, as_number(text))
    if number is None or isnan(number):
        raise grid.fault(
            "not-a-number",
            f"is {text!r}, not a number; a score is a number, true or false, or nothing where "
            "there is none",
            at=at,
            column=column,
        )
    return number
