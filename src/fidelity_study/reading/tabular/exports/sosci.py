"""SoSci and EFS Survey: facts on interviews beside the answers, labels, tests, unfinished ones."""

import re

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.table import Table, first_rows, states
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.unread import is_weight
from fidelity_study.reading.tabular.words import IS_NOT, IS_SO

PROGRAMS = {
    "SoSci": {"CASE", "QUESTNNR", "MODE", "STARTED"},
    "EFS": {"lfdn", "dispcode", "lastpage"},  # of Tivian and Unipark
}
PERSONS = {"CASE", "SERIAL", "REF", "lfdn"}
INTERVIEW = {"QUESTNNR", "MODE", "STARTED", "LANGUAGE", "MAILSENT", "LASTDATA", "STATUS"}
INTERVIEW |= {"FINISHED", "Q_VIEWER", "LASTPAGE", "MAXPAGE", "MISSING", "MISSREL"}
INTERVIEW |= {"tester", "dispcode", "lastpage", "quality", "duration", "browser", "referer", "ats"}
INTERVIEW |= {"external_lfdn", "device_type", "page_history", "hflip", "vflip", "output_mode"}
INTERVIEW |= {"javascript", "flash", "session_id", "language", "cleaned", "datetime"}
OTHERS = re.compile(r"TIME\d+|TIME_(SUM|RSI)|DEG_?TIME|rts\d+|rnd_pg_\d+|quota(_\w+)?|date_of_\w+")
STATES = {
    "MODE": (re.compile("debug|pretest|admin", re.IGNORECASE), "of tests"),
    "FINISHED": (IS_NOT, "unfinished"),
    "tester": (IS_SO, "of tests"),
    "dispcode": (re.compile("(?!3[12]$).*"), "unfinished"),
}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the people and questions of an export of one of these programs."""
    program = next((name for name, usual in PROGRAMS.items() if usual <= {*sheet.columns}), None)
    if program is None:
        return None
    facts = {name for name in sheet.columns if name in INTERVIEW or OTHERS.fullmatch(name)}
    places = [place for place, name in enumerate(sheet.columns) if name not in facts]
    first = dict(zip(sheet.columns, first_rows(sheet, 1)[0], strict=True))
    has_labels = "CASE" in first and as_number(first["CASE"]) is None
    kept, left = states(sheet, sheet.columns, STATES, int(has_labels))
    names = [sheet.columns[place] for place in places]
    asked = [name for name in names if not (name in PERSONS or is_weight(name))]
    wordings = {name: first[name] for name in asked if has_labels and first[name]}
    what = f"an export of {program} Survey: {kept.sum()} people, {len(asked)} questions{left}"
    return Table(sheet, places, rows=kept, questions=asked, wordings=wordings).sheet(what)
