"""A conjoint in a wide export: a row has all tasks of a person, in columns of their own.

As the Conjoint Survey Design Tool names them (Strezhnev and others 2014) and Qualtrics keeps them:
``F-2-1`` has the name of the first attribute in task 2, and ``F-2-1-1`` its level in the first
profile. A task's question shows these fields, by which it is known.
"""

import re

import numpy as np

from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout

FIELD = re.compile(r"([A-Za-z]\w*)-(\d+)-(\d+)-(\d+)")
CHOICE = re.compile(r"\b([a-z]|\d+)\W*$", re.IGNORECASE)
CHOSEN, RESPONDENT = "chosen", "respondent"


def in_profiles(sheet: Sheet, layout: Layout) -> Sheet:
    """Return a sheet of tasks with a row for each profile; others as they are.

    Columns are the attributes, by their names in the cells, ``chosen``, and who answered. Profiles
    without an answer are left out.

    Raises:
        DataError: if a task has no question, or an answer is none of its profiles.
    """
    matches = [match for name in sheet.columns if (match := FIELD.fullmatch(name))]
    if not matches or {*layout.attributes} <= {*sheet.columns}:
        return sheet
    field = matches[0][1]
    tasks, profiles, places = (sorted({int(match[at]) for match in matches}) for at in (2, 3, 4))
    pairs = [(task, profile) for task in tasks for profile in profiles]

    def cells(*names: str) -> np.ndarray:
        texts = columns_of(sheet, [sheet.columns.index(name) for name in names])
        return np.array([[text or "" for text in column] for column in texts]).T

    shown = np.stack([cells(*(f"{field}-{task}-{at}" for at in places)) for task, _ in pairs], 1)
    levels = np.stack(
        [cells(*(f"{field}-{task}-{one}-{at}" for at in places)) for task, one in pairs], 1
    )
    answers = cells(*(_question(sheet, f"{field}-{task}-") for task in tasks))
    chosen = [[_choice(sheet, text, profiles) for text in row] for row in answers.tolist()]
    row = np.repeat(np.arange(len(answers)), len(pairs))
    columns = {RESPONDENT: row.astype(str)}
    for role in (RESPONDENT, "simulator", "weight"):
        if name := layout.column(sheet, role):
            columns[role if role == RESPONDENT else name] = cells(name)[row, 0]
    there = {*shown.ravel().tolist()} - {""}
    for name in layout.attributes if there.issuperset(layout.attributes) else sorted(there):
        is_there = shown == name
        level = np.take_along_axis(levels, is_there.argmax(2)[..., None], 2)[..., 0]
        columns[name] = np.where(is_there.any(2), level, "").ravel()
    of_profile = np.repeat(np.array(chosen), len(profiles), 1)
    is_chosen = np.where(of_profile == [str(one) for _, one in pairs], "1", "0")
    columns[CHOSEN] = np.where(of_profile == "", "", is_chosen).ravel()
    complete = np.all([column != "" for column in columns.values()], 0)
    what = f"{len(tasks)} tasks with {len(profiles)} profiles of each of {len(answers):,} persons"
    made = {name: column[complete].tolist() for name, column in columns.items()}
    return rewritten(sheet, made, what)


def _question(sheet: Sheet, field: str) -> str:
    """Return the question that shows the fields of a task."""
    for name, about in sheet.about(list(sheet.questions or ())).items():
        if field in (about.wording or ""):
            return name
    what = f"no question shows the fields {field}...; give a row for each profile instead"
    raise sheet.fault("task-without-question", what)


def _choice(sheet: Sheet, text: str, profiles: list[int]) -> str:
    """Return which profile an answer means: the letter or the number at its end."""
    end = CHOICE.search(text.strip())
    place = 0 if end is None else int(end[1]) if end[1].isdigit() else ord(end[1].upper()) - 64
    if text.strip() and place not in profiles:
        what = f"the answer {text!r} is none of {len(profiles)} profiles, such as Profile A or 1"
        raise sheet.fault("not-a-profile", what)
    return str(place or "")
