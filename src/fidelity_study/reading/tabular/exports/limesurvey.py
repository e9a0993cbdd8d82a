"""LimeSurvey: facts on the interview beside the answers, and rows that were never submitted."""

import re

from fidelity_study.reading.tabular.columns import squashed
from fidelity_study.reading.tabular.exports.table import Table, bracketed, matrices, states
from fidelity_study.reading.tabular.files import Sheet

NOT_SHOWN = "N/A"
UNSUBMITTED = re.compile("|N|No|N/A")
SUBMITTED = ("submitdate", "datesubmitted", "completed")
INTERVIEW = {"id", "responseid", *SUBMITTED, "lastpage", "lastpageseen", "startlanguage", "seed"}
INTERVIEW |= {"startdate", "datestarted", "datestamp", "datelastaction", "ipaddr", "ipaddress"}
INTERVIEW |= {"refurl", "referrerurl", "token", "accesscode", "interviewtime", "totaltime"}
INTERVIEW |= {"firstname", "lastname", "email", "emailaddress"}
NO_QUESTION = re.compile(r"(Time|[Tt]iming.*|\[(other|comment|Other)\]| - comment|\[\w+comment\])$")


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the people and questions of an export of LimeSurvey.

    Its columns are named by codes or wordings, or by both: ``submitdate. Date submitted``.
    """
    pairs = [name.partition(". ") for name in sheet.columns]
    has_both = all(wording for _, _, wording in pairs)
    columns = [code for code, *_ in pairs] if has_both else [*sheet.columns]
    kinds = [squashed(name) for name in columns]
    done = next((kind for kind in SUBMITTED if kind in kinds), None)
    if done is None or "startlanguage" not in kinds:
        return None
    submitted, left = states(sheet, kinds, {done: (UNSUBMITTED, "unfinished")})
    places = [place for place, kind in enumerate(kinds) if kind not in INTERVIEW]
    names = [columns[place] for place in places]
    asked = [name for name in names if not NO_QUESTION.search(name)]
    what = f"an export of LimeSurvey: {submitted.sum()} people, {len(asked)} questions{left}"
    if any(NOT_SHOWN in cells.dictionary.to_pylist() for cells in sheet.read(places)):
        what += f"; {NOT_SHOWN} is no answer, as a question was not shown"
        sheet = sheet.with_texts(places, lambda text: "" if text == NOT_SHOWN else text)
    wordings = {columns[place]: pairs[place][2] for place in places} if has_both else {}
    topics = matrices(bracketed(asked))
    return Table(sheet, places, names, submitted, asked, wordings, topics).sheet(what)
