"""Qualtrics: two or three rows of header, facts on the interview, previews and unfinished rows."""

import re
from collections import Counter
from collections.abc import Mapping

from fidelity_study.reading.tabular.columns import squashed
from fidelity_study.reading.tabular.exports.table import (
    Table,
    different,
    first_rows,
    matrices,
    states,
)
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.words import IS_NOT

IMPORT_ID = re.compile(r"""\{\s*['"]ImportId['"]\s*:\s*['"]([^'"]*)""")
INTERVIEW = {"startdate", "enddate", "status", "progress", "finished", "recordeddate", "name"}
INTERVIEW |= {"ipaddress", "responseid", "responseset", "durationinseconds", "userlanguage"}
INTERVIEW |= {"recipientlastname", "recipientfirstname", "recipientemail", "emailaddress"}
INTERVIEW |= {"externalreference", "externaldatareference", "distributionchannel"}
INTERVIEW |= {"locationlatitude", "locationlongitude", "locationaccuracy"}
OF_QUALTRICS = {"responseid", "startdate", "enddate", "recordeddate", "finished", "ipaddress"}
NO_QUESTION = re.compile(
    r"_TEXT(_.*)?$|_DO(_.*)?$|^Q_[A-Z]|[_ ](First Click|Last Click|Page Submit|Click Count)$"
    r"|_(Browser|Version|Operating System|Resolution)$| - Topics$",
)
QUESTION, ROW = re.compile(r"(\d+_)*QID\d+", re.IGNORECASE), re.compile(r"(_x?\d+)+(\.\d+)?$")
PREVIEW = r"1|2|8|9|17|.*(preview|test|spam|vorschau|aper[c\u00e7]u|vista previa).*"
STATES = {
    "status": (re.compile(PREVIEW, re.IGNORECASE), "previews and tests"),
    "distributionchannel": (re.compile("preview", re.IGNORECASE), "previews and tests"),
    "finished": (IS_NOT, "unfinished"),
}
LOOKED_AT = 50


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the people and questions of an export of Qualtrics."""
    header = _rows_of_header(sheet)
    if not header:
        return None
    wording, *ids = header
    matches = [IMPORT_ID.match(text) for text in (ids[0] if ids else [])]
    import_ids = [match[1] if match else "" for match in matches]
    kinds = [squashed(name) for name in sheet.columns]
    if re.fullmatch(r"V\d+", sheet.columns[0]):
        pairs = zip(sheet.columns, wording, kinds, strict=True)
        kinds = [
            squashed(text) if re.fullmatch(r"V\d+", name) else kind for name, text, kind in pairs
        ]
    rows, left = states(sheet, kinds, STATES, 1 + len(ids))
    # Facts on the interview, and who was interviewed, are never read.
    places = [
        place
        for place, (name, kind) in enumerate(zip(sheet.columns, kinds, strict=True))
        if name.strip() and (kind not in INTERVIEW or kind == "responseid")
    ]
    names = different([" ".join(sheet.columns[place].split()) for place in places])
    questions = [
        name
        for name, place in zip(names, places, strict=True)
        if kinds[place] not in INTERVIEW
        and not NO_QUESTION.search(" ".join(sheet.columns[place].split()))
        and (not ids or QUESTION.match(import_ids[place]))
    ]
    wordings = {
        name: " ".join(wording[place].split()) for name, place in zip(names, places, strict=True)
    }
    known = {name: wordings[name] for name in questions if wordings[name]}
    place_of = dict(zip(names, places, strict=True))
    topics = matrices(_stems({n: import_ids[place_of[n]] if ids else "" for n in questions}))
    table = Table(sheet, places, names, rows, questions, known, topics)
    what = f"an export of Qualtrics with {1 + len(header)} rows of header"
    return table.sheet(f"{what}: {int(rows.sum())} people, {len(questions)} questions{left}")


def _stems(ids: Mapping[str, str]) -> dict[str, str]:
    """Return what the rows of a matrix have in common, by question: their names as far as unique.

    Args:
        ids: the ImportId of each question, empty where there is none.
    """
    matches = {name: QUESTION.match(text) for name, text in ids.items()}
    keys = {name: match[0] if match else ROW.sub("", name) for name, match in matches.items()}
    named: dict[str, str] = {}
    for name, key in keys.items():
        named.setdefault(key, ROW.sub("", name))
    many = Counter(named.values())
    return {name: named[key] if many[named[key]] == 1 else key for name, key in keys.items()}


def _rows_of_header(sheet: Sheet) -> list[list[str]]:
    """Return the one or two rows of header below the names; none if it is no such export."""
    rows = first_rows(sheet, 2, LOOKED_AT)
    if len(rows) > 1:
        filled = [text for text in rows[1] if text]
        if filled and sum(bool(IMPORT_ID.match(text)) for text in filled) >= len(filled) / 2:
            return first_rows(sheet, 2)
    kinds = [squashed(name) for name in sheet.columns]
    if not rows:
        return []
    below = [squashed(text) for text in rows[0]]
    if kinds[0] == "v1" and below[0] == "responseid":
        return first_rows(sheet, 1)
    here = [place for place, kind in enumerate(kinds[:LOOKED_AT]) if kind in OF_QUALTRICS]
    is_repeated = [not re.search(r"\d", rows[0][place]) and bool(below[place]) for place in here]
    is_known = sum(below[place] == kinds[place] for place in here) >= 2
    return first_rows(sheet, 1) if len(here) >= 2 and all(is_repeated) and is_known else []
