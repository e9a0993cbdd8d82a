"""HumanEval: the results of samples of code, several of each task."""

from fidelity_study.reading.tabular.exports.table import columns_of, numbered, rewritten
from fidelity_study.reading.tabular.files import Sheet

TASK, PASSED = "task_id", "passed"


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each sample, numbered within its task."""
    at = {name: place for place, name in enumerate(sheet.columns)}
    if not {TASK, "completion", "result", PASSED} <= {*at}:
        return None
    tasks, passed = columns_of(sheet, [at[TASK], at[PASSED]])
    what = f"results of HumanEval: samples of {len({*tasks})} tasks"
    return rewritten(sheet, {TASK: tasks, "epoch": numbered(tasks), PASSED: passed}, what)
