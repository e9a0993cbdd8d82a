"""OpenAI's evals: a line for each event of a run, of which those of type ``match`` are scored."""

from fidelity_study.reading.tabular.exports.table import rewritten
from fidelity_study.reading.tabular.files import Sheet

COLUMNS = ["sample_id", "type", "data.correct"]


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each sample that was matched."""
    if not {*COLUMNS, "run_id", "event_id"} <= {*sheet.columns}:
        return None
    cells = sheet.frame(COLUMNS).query("type == 'match'").drop(columns="type")
    what = f"a run of OpenAI's evals: {len(cells)} answers that were matched"
    return rewritten(sheet, cells.set_axis(["id", "is_correct"], axis=1), what)
