"""SoSci Survey: facts on the interview beside the answers, labels, tests, unfinished interviews."""

import re

import numpy as np

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.table import Table, cells_of, first_rows
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.unread import is_weight

OF_SOSCI, PERSONS = {"CASE", "QUESTNNR", "MODE", "STARTED"}, {"CASE", "SERIAL", "REF"}
INTERVIEW = {"QUESTNNR", "MODE", "STARTED", "LANGUAGE", "MAILSENT", "LASTDATA", "STATUS"}
INTERVIEW |= {"FINISHED", "Q_VIEWER", "LASTPAGE", "MAXPAGE", "MISSING", "MISSREL"}
TIMES = re.compile(r"TIME\d+|TIME_(SUM|RSI)|DEG_?TIME")
FINISHED, MODE, CASE = "FINISHED", "MODE", "CASE"
TESTS = {"debug", "pretest", "admin"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the people and questions of an export of SoSci Survey."""
    if not {*sheet.columns} >= OF_SOSCI:
        return None
    facts = {name for name in sheet.columns if name in INTERVIEW or TIMES.fullmatch(name)}
    places = [place for place, name in enumerate(sheet.columns) if name not in facts]
    cases, modes = (cells_of(sheet, sheet.columns.index(name)) for name in (CASE, MODE))
    are_people = np.arange(len(cases)) >= (as_number(cases[0] or "") is None)  # labels are none
    are_tests = np.array([(mode or "").casefold() in TESTS for mode in modes])
    unfinished = np.zeros(len(cases), bool)
    if FINISHED in facts:
        texts = cells_of(sheet, sheet.columns.index(FINISHED))
        unfinished = are_people & ~are_tests & np.isin(np.array(texts, object), ["0", "FALSE"])
    kept = are_people & ~are_tests & ~unfinished
    names = [sheet.columns[place] for place in places]
    asked = [name for name in names if not (name in PERSONS or is_weight(name))]
    labels = {} if are_people[0] else dict(zip(sheet.columns, first_rows(sheet, 1)[0], strict=True))
    what = f"an export of SoSci Survey: {int(kept.sum())} people, {len(asked)} questions"
    left = {"unfinished": int(unfinished.sum()), "of tests": int(are_tests.sum())}
    aside = [f"{number} {which}" for which, number in left.items() if number]
    what += f"; left out: {', '.join(aside)}" if aside else ""
    wordings = {name: labels[name] for name in asked if labels.get(name)}
    return Table(sheet, places, rows=kept, questions=asked, wordings=wordings).sheet(what)
