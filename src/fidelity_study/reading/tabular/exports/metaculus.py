"""Metaculus: ``question_data.csv``, what came true, and ``forecast_data.csv``, who forecast what.

Only binary questions are read. The event is that a question resolves to yes.
"""

from dataclasses import replace

from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet

QUESTION, RESOLUTION, TYPE, POST = "Question ID", "Resolution", "Question Type", "Post ID"
PROBABILITY, WHEN, IS_BOT = "Probability Yes", "Start Time", "Is Bot"
FORECASTERS = ("Forecaster Username", "Forecaster (Anonymized)")
OUTCOMES = {"yes": "1", "no": "0"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return outcomes, or the last forecast of each forecaster."""
    at = {name.strip(): place for place, name in enumerate(sheet.columns)}
    if {QUESTION, RESOLUTION, TYPE} <= {*at}:
        return _outcomes(sheet, at)
    who = next((name for name in FORECASTERS if name in at), None)
    return _forecasts(sheet, at, who) if who and {QUESTION, PROBABILITY, WHEN} <= {*at} else None


def _outcomes(sheet: Sheet, at: dict[str, int]) -> Sheet:
    post = POST if POST in at else QUESTION
    rows = zip(
        *columns_of(sheet, [at[name] for name in (QUESTION, TYPE, RESOLUTION, post)]), strict=True
    )
    cells = list(rows)
    binary = [row for row in cells if (row[1] or "").casefold() == "binary"]
    columns = {
        "scenario": [row[0] for row in binary],
        "value": [OUTCOMES.get((row[2] or "").casefold()) for row in binary],
        "cluster": [row[3] for row in binary],
    }
    known = sum(value is not None for value in columns["value"])
    what = (
        f"questions of Metaculus: {known} that resolved to yes (1) or no (0); left out: "
        f"{len(binary) - known} annulled or open, {len(cells) - len(binary)} not binary"
    )
    return rewritten(sheet, columns, what)


def _forecasts(sheet: Sheet, at: dict[str, int], who: str) -> Sheet:
    names = [QUESTION, who, PROBABILITY, WHEN, *([IS_BOT] if IS_BOT in at else [])]
    rows = zip(*columns_of(sheet, [at[name] for name in names]), strict=True)
    cells = [row for row in rows if row[2]]
    people = [row for row in cells if row[4:] and (row[4] or "").casefold() == "false"]
    if len(people) == len(cells):  # one's own forecasts
        people = []
    elif people:
        cells = [row for row in cells if (row[4] or "").casefold() != "false"]
    cells.sort(key=lambda row: row[3] or "")
    last = {(row[0], row[1]): row[2] for row in cells}
    columns = {
        "scenario": [question for question, _ in last],
        "simulator": [name for _, name in last],
        "probability": list(last.values()),
    }
    persons = len({row[1] for row in people})
    left_out = f"; left out: {len(people)} forecasts of {persons} persons" if people else ""
    what = f"forecasts of Metaculus: the last one of each forecaster for a question{left_out}"
    return replace(rewritten(sheet, columns, what), spare=True)
