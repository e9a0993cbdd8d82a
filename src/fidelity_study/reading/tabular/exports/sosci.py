"""SoSci Survey: facts on the interview beside the answers, labels, tests, unfinished interviews."""

import re

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.table import Table, first_rows, states
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.unread import is_weight
from fidelity_study.reading.tabular.words import IS_NOT

OF_SOSCI, PERSONS = {"CASE", "QUESTNNR", "MODE", "STARTED"}, {"CASE", "SERIAL", "REF"}
INTERVIEW = {"QUESTNNR", "MODE", "STARTED", "LANGUAGE", "MAILSENT", "LASTDATA", "STATUS"}
INTERVIEW |= {"FINISHED", "Q_VIEWER", "LASTPAGE", "MAXPAGE", "MISSING", "MISSREL"}
TIMES = re.compile(r"TIME\d+|TIME_(SUM|RSI)|DEG_?TIME")
STATES = {
    "MODE": (re.compile("debug|pretest|admin", re.IGNORECASE), "of tests"),
    "FINISHED": (IS_NOT, "unfinished"),
}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the people and questions of an export of SoSci Survey."""
    if not {*sheet.columns} >= OF_SOSCI:
        return None
    facts = {name for name in sheet.columns if name in INTERVIEW or TIMES.fullmatch(name)}
    places = [place for place, name in enumerate(sheet.columns) if name not in facts]
    first = first_rows(sheet, 1)[0]
    has_labels = as_number(first[sheet.columns.index("CASE")]) is None
    kept, left = states(sheet, sheet.columns, STATES, int(has_labels))
    names = [sheet.columns[place] for place in places]
    asked = [name for name in names if not (name in PERSONS or is_weight(name))]
    labels = dict(zip(sheet.columns, first, strict=True)) if has_labels else {}
    what = f"an export of SoSci Survey: {kept.sum()} people, {len(asked)} questions{left}"
    wordings = {name: labels[name] for name in asked if labels.get(name)}
    return Table(sheet, places, rows=kept, questions=asked, wordings=wordings).sheet(what)
