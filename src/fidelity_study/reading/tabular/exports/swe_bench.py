"""SWE-bench: which instances a model resolved, in the report of a run, or of each instance.

What was submitted and not resolved, with an empty patch or an error too, counts as not resolved, as
SWE-bench counts it.
"""

import os
from pathlib import Path

from fidelity_study.reading.tabular.exports.table import rewritten
from fidelity_study.reading.tabular.files import Sheet

INSTANCE, STATUS, RESOLVED, NOT_SUBMITTED = "instance_id", "status", "resolved", "incomplete"
LISTS = (NOT_SUBMITTED, "submitted", "unresolved", "error", "empty_patch", RESOLVED)
"""The lists of a report; where an instance is in several, the last says most."""


def records(whole: dict) -> list[dict] | None:
    """Return a row for each instance in the object that a report is; None if it is another."""
    if "resolved_ids" in whole and {"submitted_ids", "unresolved_ids"} & whole.keys():
        status = {one: what for what in LISTS for one in whole.get(f"{what}_ids") or ()}
        return [{INSTANCE: one, STATUS: what} for one, what in status.items()]
    rows = [row.get(RESOLVED) if isinstance(row, dict) else None for row in whole.values()]
    are_reports = bool(rows) and all(isinstance(resolved, bool) for resolved in rows)
    pairs = zip(whole, rows, strict=True)
    return [{INSTANCE: one, RESOLVED: is_so} for one, is_so in pairs] if are_reports else None


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each instance; its report lies in folders of the model and the instance."""
    names = [*sheet.columns]
    if names == [INSTANCE, RESOLVED] and Path(sheet.path).name == "report.json":
        model = Path(os.path.realpath(sheet.path)).parts[-3]
        columns = sheet.frame(names).assign(model=model)
        what = "a report of SWE-bench; its model is named by its folder"
    elif names == [INSTANCE, STATUS]:
        columns = sheet.frame(names)
        status = columns.pop(STATUS)
        many = ", ".join(f"{number} {what}" for what, number in status.value_counts().items())
        columns[RESOLVED] = (status == RESOLVED).map({True: "true", False: "false"})
        columns[RESOLVED] = columns[RESOLVED].mask(status == NOT_SUBMITTED, "not submitted")
        what = f"a report of SWE-bench: {many}; what was submitted and isn't resolved counts as 0"
    else:
        return None
    return rewritten(sheet, columns, what)
