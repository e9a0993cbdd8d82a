"""SoSci Survey: facts on the interview beside the answers, and unfinished interviews."""

import re

import numpy as np

from fidelity_study.reading.tabular.exports.table import Table, cells_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.unread import is_weight

OF_SOSCI, PERSONS = {"CASE", "QUESTNNR", "MODE", "STARTED"}, {"CASE", "SERIAL", "REF"}
INTERVIEW = {"QUESTNNR", "MODE", "STARTED", "LANGUAGE", "MAILSENT", "LASTDATA", "STATUS"}
INTERVIEW |= {"FINISHED", "Q_VIEWER", "LASTPAGE", "MAXPAGE", "MISSING", "MISSREL"}
TIMES = re.compile(r"TIME\d+|TIME_(SUM|RSI)|DEG_?TIME")
FINISHED = "FINISHED"


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the people and questions of an export of SoSci Survey."""
    if not {*sheet.columns} >= OF_SOSCI:
        return None
    facts = {name for name in sheet.columns if name in INTERVIEW or TIMES.fullmatch(name)}
    places = [place for place, name in enumerate(sheet.columns) if name not in facts]
    finished = np.ones(len(cells_of(sheet, 0)), bool)
    if FINISHED in facts:
        texts = cells_of(sheet, sheet.columns.index(FINISHED))
        finished = np.array([text not in ("0", "FALSE") for text in texts])
    left = int((~finished).sum())
    names = [sheet.columns[place] for place in places]
    asked = [name for name in names if not (name in PERSONS or is_weight(name))]
    what = f"an export of SoSci Survey: {int(finished.sum())} people, {len(asked)} questions"
    what += f"; left out: {left} unfinished" if left else ""
    return Table(sheet, places, rows=finished, questions=asked).sheet(what)
