"""SWE-bench: which instances a model resolved, in the report of a run, or of each instance.

What was submitted and not resolved, with an empty patch or an error too, counts as not resolved, as
SWE-bench counts it.
"""

import os
from collections import Counter
from pathlib import Path

from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet

INSTANCE, STATUS, RESOLVED = "instance_id", "swe_bench_status", "resolved"
LISTS = {
    "incomplete_ids": "not submitted",
    "submitted_ids": "unresolved",
    "unresolved_ids": "unresolved",
    "error_ids": "error",
    "empty_patch_ids": "empty patch",
    "resolved_ids": RESOLVED,
}
"""What the instances of a report's lists are; a later list says more than those before it."""
SCORES = {RESOLVED: "true", "unresolved": "false", "error": "false", "empty patch": "false"}
OF_INSTANCE = "report.json"


def records(whole: dict) -> list[dict] | None:
    """Return a row for each instance in the object that a report is; None if it is another."""
    if isinstance(whole.get("resolved_ids"), list) and {"submitted_ids", "unresolved_ids"} & {
        *whole
    }:
        status = {one: what for name, what in LISTS.items() for one in whole.get(name) or ()}
        return [{INSTANCE: one, STATUS: what} for one, what in status.items()]
    rows = [row.get(RESOLVED) if isinstance(row, dict) else None for row in whole.values()]
    if not rows or not all(isinstance(resolved, bool) for resolved in rows):
        return None
    return [{INSTANCE: one, RESOLVED: is_so} for one, is_so in zip(whole, rows, strict=True)]


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each instance; its report lies in folders of the model and the instance."""
    names = [*sheet.columns]
    if names == [INSTANCE, RESOLVED] and Path(sheet.path).name == OF_INSTANCE:
        ids, resolved = columns_of(sheet, [0, 1])
        model = Path(os.path.realpath(sheet.path)).parts[-3]
        what = "a report of SWE-bench; its model is named by its folder"
        models = [model] * len(ids)
        return rewritten(sheet, {INSTANCE: ids, "model": models, RESOLVED: resolved}, what)
    if names != [INSTANCE, STATUS]:
        return None
    ids, status = columns_of(sheet, [0, 1])
    many = ", ".join(f"{number} {what}" for what, number in Counter(status).items())
    what = f"a report of SWE-bench: {many}; what was submitted and isn't resolved counts as 0"
    scores = [SCORES.get(what or "", what) for what in status]
    return rewritten(sheet, {INSTANCE: ids, RESOLVED: scores}, what)
