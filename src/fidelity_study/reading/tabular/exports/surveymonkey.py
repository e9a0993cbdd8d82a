"""SurveyMonkey: questions in the first row of header, and what may be answered in the second."""

import numpy as np

from fidelity_study.reading.tabular.columns import squashed
from fidelity_study.reading.tabular.exports.table import Table, cells_of, different, first_rows
from fidelity_study.reading.tabular.files import Sheet

ONE_ANSWER = {"response", "openendedresponse", "antwort", "respuesta", "r\u00e9ponse", "risposta"}
OF_SURVEYMONKEY = {"respondentid", "collectorid"}
PERSONAL = {"collectorid", "startdate", "enddate", "ipaddress", "emailaddress", "firstname"}
PERSONAL |= {"lastname", "customdata", "customdata1", "datecreated", "datemodified"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the people and questions of an export of SurveyMonkey."""
    kinds = [squashed(name) for name in sheet.columns]
    may_be = OF_SURVEYMONKEY & {*kinds} or "" in kinds  # as beside it, of a simulator
    rows = first_rows(sheet, 1) if may_be else []
    if not rows or not any(squashed(text) in ONE_ANSWER for text in rows[0]):
        return None
    places, names, question = [], [], ""
    facts = {*PERSONAL, "respondentid"}
    for place, (name, below) in enumerate(zip(sheet.columns, rows[0], strict=True)):
        question = " ".join(name.split()) or question
        if kinds[place] in PERSONAL or not question:
            continue
        is_one = squashed(below) in ONE_ANSWER or not below.strip()
        places.append(place)
        names.append(question if is_one else f"{question}: {' '.join(below.split())}")
    names = different(names)
    asked = [
        name
        for name, place in zip(names, places, strict=True)
        if kinds[place] not in facts and rows[0][place].strip()
    ]
    size = len(cells_of(sheet, 0))
    table = Table(sheet, places, names, np.arange(size) > 0, asked, {name: name for name in asked})
    what = "an export of SurveyMonkey with 2 rows of header"
    return table.sheet(f"{what}: {size - 1} people, {len(asked)} questions")
