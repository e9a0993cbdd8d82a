"""The board as one page that needs nothing else, as CSV, and as JSON."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from fidelity_study.app.board import studies
from fidelity_study.app.board.ranking import PEOPLE, Entry, Ranking
from fidelity_study.errors import DataError
from fidelity_study.report.formats import DASH, number, percent, range_text
from fidelity_study.report.page.words import listed
from fidelity_study.tables.read_write import refuse_others, write_csv, write_text
from fidelity_study.verdict_file import NAME

WIDTH, MARGIN = 300.0, 5.0
SETTLED = {False: ("closer", "farther"), True: ("better", "worse")}
BEGINS = {"html": "<!doctype html>", "csv": "ranking,measure", "json": "["}
COLUMNS = [
    "ranking",
    "measure",
    "topic",
    *(field.name for field in fields(Entry) if field.name != "topics"),
]


def rankings(paths: Iterable[Path], out: Path) -> tuple[list[Ranking], list[str]]:
    """Return the rankings of finished studies, and what is left out.

    Args:
        paths: folders of results; other files are left out.
        out: the folder that links are seen from.

    Raises:
        DataError: a folder has no finished study, or there is no study with curves or scores.
    """
    folders = [path for path in paths if path.is_dir()]
    for path in folders:
        if not (path / NAME).is_file():
            raise DataError(
                f"{path}: has no {NAME}, so it is no finished study;"
                " leave it out, or run the study again"
            )
    made = studies.rankings(folders, out)
    if not made:
        raise DataError(
            "no study with curves or scores of an evaluation; name folders as results/*"
        )
    return made, studies.left_out(folders)


def said(ranking: Ranking) -> str:
    """Return what is settled, in one or two sentences."""
    entries = [entry for entry in ranking.entries if entry.kind != PEOPLE]
    if not entries:
        return "No entry has a rank."
    unsettled, neighbours = ranking.open_neighbours
    first = [entry.label or entry.name for entry in entries if entry.first_rank == 1]
    best = f"{'Ahead' if ranking.of_scores else 'Closest'}: {listed(first, 'or', 4)}"
    if not unsettled:
        return f"{best}. The whole order is settled."
    return f"{best}. The order of {unsettled} of {neighbours} pairs of neighbours is not settled."


def groups(entries: list[Entry]) -> list[list[Entry]]:
    """Return entries by group; other people stand with the entry before them."""
    made: list[list[Entry]] = [[]]
    last: int | None = 1
    for entry in entries:
        if entry.group not in (None, last):
            made.append([])
        last = entry.group or last
        made[-1].append(entry)
    return made


def page(made: list[Ranking], left_out: list[str]) -> str:
    """Return the page."""
    environment = Environment(
        loader=PackageLoader("fidelity_study.app.board", ""),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "percent": lambda share: percent(share) if share else DASH,
        "interval": range_text,
        "said": said,
        "groups": groups,
        "x": lambda value, ranking: f"{_place(value, ranking):.1f}",
    }
    return environment.get_template("board.html").render(rankings=made, left_out=left_out)


def _place(value: float, ranking: Ranking) -> float:
    least, most = ranking.smallest, ranking.largest
    return MARGIN + (WIDTH - 2 * MARGIN) * (min(max(value, least), most) - least) / (most - least)


def rows(made: list[Ranking]) -> list[dict]:
    """Return a row for each entry of each ranking, and one for each of its topics."""
    return [
        {column: row.get(column) for column in COLUMNS}
        for ranking in made
        for entry in [*ranking.entries, *ranking.unranked]
        for row in _rows_of(entry, {"ranking": ranking.name, "measure": ranking.measure})
    ]


def _rows_of(entry: Entry, about: dict[str, str]) -> Iterator[dict]:
    yield {**about, **asdict(entry)}
    who = {"name": entry.name, "label": entry.label, "kind": entry.kind}
    for topic in entry.topics:
        yield {**about, **asdict(topic), **who, "topic": topic.name}


def main(paths: list[Path], out: Path) -> int:
    """Write the board into a folder, and say what is settled; return 0."""
    made, left_out = rankings(paths, out)
    contents = [
        {
            "name": ranking.name,
            "measure": ranking.measure,
            "how": ranking.how,
            "entries": [asdict(entry) for entry in [*ranking.entries, *ranking.unranked]],
            "settled": [
                dict(zip(SETTLED[ranking.of_scores], pair, strict=True))
                for pair in sorted(ranking.closer)
            ],
        }
        for ranking in made
    ]
    out.mkdir(parents=True, exist_ok=True)
    for suffix, begin in BEGINS.items():
        refuse_others(out / f"board.{suffix}", begin)
    write_text(out / "board.html", page(made, left_out))
    write_csv(out / "board.csv", rows(made), COLUMNS)
    write_text(out / "board.json", json.dumps(contents, indent=1, ensure_ascii=False) + "\n")
    notes = [f"left out: {why}" for why in left_out]
    print(*(f"{ranking.name}: {said(ranking)}" for ranking in made), *notes, sep="\n")
    print(f"wrote {out}")
    return 0
