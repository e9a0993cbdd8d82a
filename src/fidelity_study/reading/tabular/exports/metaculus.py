"""Metaculus: ``question_data.csv``, what came true, and ``forecast_data.csv``, who forecast what.

Only binary questions are read. The event is that a question resolves to yes.
"""

from dataclasses import replace

import pandas as pd

from fidelity_study.reading.tabular.exports.table import last_of_each, rewritten
from fidelity_study.reading.tabular.files import Sheet

QUESTION, RESOLUTION, TYPE, POST = "Question ID", "Resolution", "Question Type", "Post ID"
PROBABILITY, WHEN, IS_BOT = "Probability Yes", "Start Time", "Is Bot"
FORECASTERS = ("Forecaster Username", "Forecaster (Anonymized)")
OUTCOMES = {"yes": "1", "no": "0"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return outcomes, or the last forecast of each forecaster."""
    names = {*sheet.columns}
    if {QUESTION, RESOLUTION, TYPE} <= names:
        return _outcomes(sheet)
    who = next((name for name in FORECASTERS if name in names), None)
    return _forecasts(sheet, who) if who and {QUESTION, PROBABILITY, WHEN} <= names else None


def _outcomes(sheet: Sheet) -> Sheet:
    rows = sheet.frame(sheet.columns)
    binary = rows[rows[TYPE].str.casefold() == "binary"]
    binary = binary.assign(**{RESOLUTION: binary[RESOLUTION].str.casefold().map(OUTCOMES)})
    known = binary.dropna(subset=RESOLUTION)
    what = (
        f"questions of Metaculus: {len(known)} that resolved to yes (1) or no (0); left out: "
        f"{len(binary) - len(known)} annulled or open, {len(rows) - len(binary)} not binary"
    )
    roles = {"scenario": QUESTION, "value": RESOLUTION}
    if POST in rows and known[POST].duplicated().any():
        roles["cluster"] = POST
    return rewritten(sheet, binary, what, roles)


def _forecasts(sheet: Sheet, who: str) -> Sheet:
    rows = sheet.frame(sheet.columns).dropna(subset=PROBABILITY)
    are_people = rows.get(IS_BOT, pd.Series("", rows.index)).str.casefold() == "false"
    people = rows[are_people & ~are_people.all()]  # one's own forecasts are no others'
    rows, keys = rows.drop(people.index).sort_values(WHEN, kind="stable"), [QUESTION, who]
    last = rows[keys].drop_duplicates().merge(last_of_each(rows, keys, WHEN), on=keys)
    left_out = f"; left out: {len(people)} forecasts of {people[who].nunique()} persons"
    what = "forecasts of Metaculus: the last one of each forecaster for a question"
    roles = {"scenario": QUESTION, "simulator": who, "probability": PROBABILITY}
    what += left_out if len(people) else ""
    return replace(rewritten(sheet, last, what, roles), spare=True)
