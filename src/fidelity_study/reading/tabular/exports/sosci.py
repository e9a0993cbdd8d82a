"""SoSci Survey: facts on the interview beside the answers, and unfinished interviews."""

import re

import numpy as np

from fidelity_study.reading.tabular.exports.table import Table, cells_of
from fidelity_study.reading.tabular.files import Sheet

OF_SOSCI = {"CASE", "QUESTNNR", "MODE", "STARTED"}
INTERVIEW = {*OF_SOSCI, "SERIAL", "REF", "LANGUAGE", "MAILSENT", "LASTDATA", "STATUS", "FINISHED"}
INTERVIEW |= {"Q_VIEWER", "LASTPAGE", "MAXPAGE", "MISSING", "MISSREL"}
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
    what = f"an export of SoSci Survey: {int(finished.sum())} people, {len(places)} questions"
    what += f"; left out: {left} unfinished" if left else ""
    asked = [sheet.columns[place] for place in places]
    return Table(sheet, places, rows=finished, questions=asked).sheet(what)
