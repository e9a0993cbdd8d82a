"""Mechanical Turk: a row for each worker and item of a batch; those rejected are left out.

Options that were ticked, each in a column as ``Answer.q1.Agree``, are the answers to one question,
and so are answers in the JSON of ``Answer.taskAnswers``.
"""

import json
import re
from dataclasses import replace
from itertools import compress

import pandas as pd

from fidelity_study.reading.tabular.exports.table import Columns, Table, columns_of, states
from fidelity_study.reading.tabular.files import STATE, Sheet
from fidelity_study.reading.tabular.kept import as_cells
from fidelity_study.reading.tabular.shown import shown

OF_MTURK, STATUS, WORKER = {"HITId", "WorkerId", "AssignmentStatus"}, "AssignmentStatus", "WorkerId"
ITEM, ANSWER, MOST_OPTIONS, FEWEST = "Input.", "Answer.", 20, 2
TASK, TICKED, TICKS = f"{ANSWER}taskAnswers", "true", {"true", "false"}
REJECTED = re.compile("rejected", re.IGNORECASE)


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the rows that were not rejected: an item, a worker, and one answer."""
    if not {*sheet.columns} >= OF_MTURK:
        return None
    texts = columns_of(sheet, range(len(sheet.columns)))
    cells = _chosen(_of_tasks(dict(zip(sheet.columns, texts, strict=True))))
    kept, left = states(sheet, sheet.columns, {STATUS: (REJECTED, "rejected")})
    items = [name for name in cells if name.startswith(ITEM)]
    filled = {name: [*filter(None, cells[name])] for name in cells if name.startswith(ANSWER)}
    closed = [
        name
        for name, texts in filled.items()
        if 2 * len(texts) > len(kept) and len({*texts}) <= MOST_OPTIONS
    ]
    names = [name for name in items if name.casefold().endswith("id")] or items[:1]
    roles = {STATE: STATUS} if left else {}
    if len(closed) == 1 and names:
        roles |= {"scenario": names[0], "value": closed[0], "respondent": WORKER}
    columns = {name: as_cells([*cells[name]]) for name in cells}
    places = [at for at, name in enumerate(columns) if not name.startswith("HIT")]
    what = f"results of Mechanical Turk: {kept.sum():,} assignments{left}"
    joined = [name for name in columns if name not in sheet.columns]
    what += f"; of several columns, or of JSON: {shown(joined)}" if joined else ""
    return replace(Table(sheet.of_columns(columns), places, rows=kept).sheet(what), roles=roles)


def _of_tasks(cells: Columns) -> Columns:
    """Return columns with those of the answers in the JSON of tasks in its place."""
    try:
        tasks = pd.json_normalize([json.loads(text)[0] if text else {} for text in cells[TASK]])
    except (KeyError, ValueError, TypeError, AttributeError):
        return cells
    texts = {f"{ANSWER}{name}": [*map(_text, tasks[name])] for name in tasks}
    return {**{name: cells[name] for name in cells if name != TASK}, **texts}


def _text(value: object) -> str | None:
    if isinstance(value, float) and value != value:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _chosen(cells: Columns) -> Columns:
    """Return columns with the options that were ticked in the place of a column for each.

    They are lists where a row has several, and nothing where the boxes of a row are empty.
    """
    boxes: dict[str, dict[str, str]] = {}
    for name in (name for name in cells if name.startswith(ANSWER)):
        question, _, option = name.removeprefix(ANSWER).partition(".")
        if option and {(text or TICKED).casefold() for text in cells[name]} <= TICKS:
            boxes.setdefault(f"{ANSWER}{question}", {})[name] = option
    chosen = dict(cells)
    for name, options in boxes.items():
        if len(options) < FEWEST:
            continue
        marks = [*zip(*(chosen.pop(box) for box in options), strict=True)]
        ticked = [[(mark or "").casefold() == TICKED for mark in row] for row in marks]
        rows = [[*compress(options.values(), row)] for row in ticked]
        several = max(map(len, rows), default=0) > 1
        lists = [_text(row) if any(m) else None for row, m in zip(rows, marks, strict=True)]
        chosen[name] = lists if several else [next(iter(row), None) for row in rows]
    return chosen
