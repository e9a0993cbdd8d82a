"""REDCap: a record, perhaps an event, answers, and whether each form is complete.

And its data dictionary, which has a row for each field, with the codes of its options.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from fidelity_study.reading.tabular.columns import as_label
from fidelity_study.reading.tabular.exports.key import of_questions
from fidelity_study.reading.tabular.exports.table import Table, columns_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.kept import as_cells
from fidelity_study.reading.tabular.qsf import Question, without_tags
from fidelity_study.reading.tabular.questions import is_personal

FACTS = {"redcap_event_name", "redcap_survey_identifier", "redcap_data_access_group"}
FACTS |= {"redcap_repeat_instrument", "redcap_repeat_instance"}
SEVERAL = {"redcap_event_name", "redcap_repeat_instance"}
COMPLETE = re.compile(r".+_complete")
UNTICKED, INCOMPLETE, MOST = ["0", "Unchecked"], ["0", "Incomplete"], 0.5
BOX = re.compile(r".+___\w+")
DICTIONARY = {
    "name": ("variable / field name", "field_name"),
    "type": ("field type", "field_type"),
    "label": ("field label", "field_label"),
    "choices": ("choices, calculations, or slider labels", "select_choices_or_calculations"),
}
"""Columns of a data dictionary, as people download it, and as the API returns it."""
CHOICES = {"yesno": {"1": "Yes", "0": "No"}, "truefalse": {"1": "True", "0": "False"}}
BOXES, CLOSED, CHOICE = "checkbox", {"radio", "dropdown"}, re.compile(r"\s*([^,]+?)\s*,(.*)", re.S)


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


def dictionary(sheet: Sheet) -> Sheet | None:
    """Return REDCap's data dictionary as the codebook that it is."""
    place = {name.strip().casefold(): at for at, name in enumerate(sheet.columns)}
    usual = DICTIONARY.values()
    places = [place[name] for names in usual for name in names if name in place]
    if len(places) < len(DICTIONARY):
        return None
    known: dict[str, Question] = {}
    for cells in zip(*columns_of(sheet, places), strict=True):
        name, kind, *texts = ((cell or "").strip() for cell in cells)
        wording, choices = map(without_tags, texts)
        pairs = filter(None, map(CHOICE.fullmatch, choices.split("|")))
        labels = {as_label(pair[1]): as_label(pair[2]) for pair in pairs}
        if kind == BOXES:
            boxes = {f"{name}___{re.sub(r'[^a-z0-9]', '_', code.lower())}": code for code in labels}
            worded = {box: f"{wording}: {labels[code]}" for box, code in boxes.items()}
            known |= {box: Question(worded[box], is_choice=True) for box in boxes}
        else:
            labels = CHOICES.get(kind, labels if kind in CLOSED else {})
            known[name] = Question.of_key(wording or name, labels)
    coded = sum(bool(question.labels) for question in known.values())
    what = f"a data dictionary of REDCap, with the codes of {coded} questions' options"
    return of_questions(sheet, known, what, is_survey=True)


def _without_untouched(sheet: Sheet, names: list[str]) -> tuple[Sheet, int]:
    """Return a sheet without the zeros in boxes of forms that nobody filled in, and whose many.

    A form has the columns up to that which says whether it is complete. What few fill who complete
    it, as notes on a person, doesn't begin it.
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
        incomplete = cells.iloc[:, place].isin(INCOMPLETE)
        others = others.loc[:, ~(others[~incomplete].notna().mean() < MOST).to_numpy()]
        silent = unticked & others.isna().all(axis=1) & incomplete
        changed |= {at: as_cells(cells.iloc[:, at].mask(silent, None).tolist()) for at in boxes}
        untouched |= silent.to_numpy() & bool(boxes)
        form = []

    def read(wanted: Sequence[int]) -> list[pa.DictionaryArray]:
        cells = zip(wanted, sheet.read(wanted), strict=True)
        return [changed.get(at, column) for at, column in cells]

    return replace(sheet, read=read), int(untouched.sum())
