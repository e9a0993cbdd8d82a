"""REDCap: a record, perhaps an event, answers, and whether each form is complete."""

import re
from dataclasses import replace

from fidelity_study.reading.tabular.exports.table import Table
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.questions import is_personal

FACTS = {"redcap_event_name", "redcap_survey_identifier", "redcap_data_access_group"}
FACTS |= {"redcap_repeat_instrument", "redcap_repeat_instance"}
SEVERAL = {"redcap_event_name", "redcap_repeat_instance"}
COMPLETE = re.compile(r".+_complete")
BOX = re.compile(r".+___\w+")


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the questions of an export of REDCap."""
    names = [name.strip() for name in sheet.columns]
    complete = [name for name in names if COMPLETE.fullmatch(name)]
    is_known = names[0] in ("record_id", "study_id") or bool(FACTS & {*names})
    if not complete or not (is_known or any(BOX.fullmatch(name) for name in names)):
        return None
    facts = {names[0], *FACTS, *complete}
    asked = [
        name for name in names if name not in facts and not name.endswith(("_timestamp", "_ts"))
    ]
    if not asked:
        return None
    places = [place for place, name in enumerate(names) if not is_personal(name)]
    kept = [names[place] for place in places]
    asked = [name for name in asked if name in kept]
    what = f"an export of REDCap: {len(asked)} questions"
    several = names[0] in kept and SEVERAL & {*kept}  # rows of each record
    roles = {"respondent": names[0]} if several else {}
    return replace(Table(sheet, places, kept, questions=asked).sheet(what), roles=roles)
