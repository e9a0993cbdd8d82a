"""REDCap: a record, perhaps an event, answers, and whether each form is complete."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from fidelity_study.reading.tabular.exports.table import Table
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.kept import as_cells
from fidelity_study.reading.tabular.questions import is_personal

FACTS = {"redcap_event_name", "redcap_survey_identifier", "redcap_data_access_group"}
FACTS |= {"redcap_repeat_instrument", "redcap_repeat_instance"}
SEVERAL = {"redcap_event_name", "redcap_repeat_instance"}
COMPLETE = re.compile(r".+_complete")
UNTICKED, INCOMPLETE = ["0", "Unchecked"], ["0", "Incomplete"]
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
    sheet, unanswered = _without_untouched(sheet, names)
    places = [place for place, name in enumerate(names) if not is_personal(name)]
    kept = [names[place] for place in places]
    asked = [name for name in asked if name in kept]
    what = f"an export of REDCap: {len(asked)} questions"
    if unanswered:
        what += f"; boxes of {unanswered} records are empty, as nothing was answered beside them"
    several = names[0] in kept and SEVERAL & {*kept}  # rows of each record
    roles = {"respondent": names[0]} if several else {}
    return replace(Table(sheet, places, kept, questions=asked).sheet(what), roles=roles)


def _without_untouched(sheet: Sheet, names: list[str]) -> tuple[Sheet, int]:
    """Return a sheet without the zeros in boxes of forms that nobody filled in, and whose many.

    A form has the columns up to that which says whether it is complete.
    """
    cells = sheet.frame(sheet.columns)
    changed: dict[int, pa.DictionaryArray] = {}
    untouched, form = np.zeros(len(cells), bool), list[int]()
    for place, name in enumerate(names):
        if not COMPLETE.fullmatch(name):
            form += [place] if place and name not in FACTS else []
            continue
        boxes = [at for at in form if BOX.fullmatch(names[at])]
        others = cells.iloc[:, [at for at in form if at not in boxes]]
        unticked = cells.iloc[:, boxes].isin(UNTICKED).all(axis=1)
        silent = unticked & others.isna().all(axis=1) & cells.iloc[:, place].isin(INCOMPLETE)
        changed |= {at: as_cells(cells.iloc[:, at].mask(silent, None).tolist()) for at in boxes}
        untouched |= silent.to_numpy() & bool(boxes)
        form = []

    def read(wanted: Sequence[int]) -> list[pa.DictionaryArray]:
        cells = zip(wanted, sheet.read(wanted), strict=True)
        return [changed.get(at, column) for at, column in cells]

    return replace(sheet, read=read), int(untouched.sum())
