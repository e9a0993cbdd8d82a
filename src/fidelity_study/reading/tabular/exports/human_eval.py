"""HumanEval: the results of samples of code, several of each task."""

from fidelity_study.reading.tabular.exports.table import numbered, rewritten
from fidelity_study.reading.tabular.files import Sheet

COLUMNS = ["task_id", "passed"]


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each sample, numbered within its task."""
    if not {*COLUMNS, "completion", "result"} <= {*sheet.columns}:
        return None
    cells = sheet.frame(COLUMNS)
    cells["epoch"] = numbered(cells[["task_id"]])
    what = f"results of HumanEval: samples of {cells['task_id'].nunique()} tasks"
    return rewritten(sheet, cells, what)
