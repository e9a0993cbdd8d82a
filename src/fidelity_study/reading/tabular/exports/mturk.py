"""Mechanical Turk: a row for each worker and item of a batch; those rejected are left out."""

import re
from dataclasses import replace

from fidelity_study.reading.tabular.exports.table import Table, cells_of, states
from fidelity_study.reading.tabular.files import STATE, Sheet

OF_MTURK, STATUS, WORKER = {"HITId", "WorkerId", "AssignmentStatus"}, "AssignmentStatus", "WorkerId"
ITEM, ANSWER, MOST_OPTIONS = "Input.", "Answer.", 20
REJECTED = re.compile("rejected", re.IGNORECASE)


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the rows that were not rejected: an item, a worker, and one answer."""
    if not {*sheet.columns} >= OF_MTURK:
        return None
    cells = {name: cells_of(sheet, at) for at, name in enumerate(sheet.columns)}
    kept, left = states(sheet, sheet.columns, {STATUS: (REJECTED, "rejected")})
    items = [name for name in sheet.columns if name.startswith(ITEM)]
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
    places = [at for at, name in enumerate(sheet.columns) if not name.startswith("HIT")]
    what = f"results of Mechanical Turk: {kept.sum():,} assignments{left}"
    return replace(Table(sheet, places, rows=kept).sheet(what), roles=roles)
