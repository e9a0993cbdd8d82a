"""Measure coverage and width of 95 % intervals in 300 kinds of study; --help shows how.

Each row is a cell of :mod:`fidelity_audit.mean_intervals`. A cell fails whose coverage is below
93 % by two standard errors.
"""

import csv
import sys
from dataclasses import asdict
from pathlib import Path

import click

from fidelity_audit.mean_intervals import FACTORS, Cell, Coverage, cells, coverage

MEASURED = ["studies", "printed", "below", "above", "width", "covered", "fails"]
LEAST, UNSURE, TIMES = 0.93, (0.92, 0.95), 4


@click.command(help=__doc__)
@click.option("--studies", default=1000, show_default=True, help="Studies of each cell.")
@click.option("--part", type=int, nargs=2, default=(0, 1), help="Part I of J of the cells.")
@click.argument("table", type=click.Path(dir_okay=False, path_type=Path))
def main(studies: int, part: tuple[int, int], table: Path) -> None:
    """Write the table, a row a cell."""
    first, step = part
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["cell", *FACTORS, *MEASURED])
        writer.writeheader()
        for number, cell in list(enumerate(cells()))[first::step]:
            result = measured(cell, studies)
            writer.writerow({"cell": number, **asdict(cell), **result})
            file.flush()
            sys.stderr.write(f"\r{number} ")


def measured(cell: Cell, studies: int) -> dict[str, float | int | bool]:
    """Return the measurements of a cell, of four times the studies where 1,000 leave doubt."""
    result = coverage(cell, studies)
    if UNSURE[0] <= result.covered <= UNSURE[1]:
        result = coverage(cell, TIMES * studies)
    return {**asdict(result), "covered": result.covered, "fails": fails(result)}


def fails(result: Coverage) -> bool:
    """Return whether coverage is below 93 % by two standard errors."""
    error = (LEAST * (1.0 - LEAST) / max(1.0, result.studies * result.printed)) ** 0.5
    return result.covered < LEAST - 2.0 * error


if __name__ == "__main__":
    main()
