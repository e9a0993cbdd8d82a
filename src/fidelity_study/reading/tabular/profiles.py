"""Profiles of a conjoint: a row for each becomes a row for each level that it shows.

So levels are groups to which a question is put, and a profile is whose answer it is. The person
who saw a profile is its PSU, as answers of one person depend on each other.
"""

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow as pa

from fidelity_study.errors import BLANK, Remedy
from fidelity_study.reading.settings import ATTRIBUTE, LEVEL, PERSON
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.table import cells_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout, alike, listed
from fidelity_study.reading.tabular.questions import MANY, matches, names_persons
from fidelity_study.reading.tabular.remedies import in_pandas, of_columns
from fidelity_study.reading.tabular.respondents import once_in_each
from fidelity_study.reading.tabular.shown import shown

NUMBERS_OF = (
    *("task", "contest", "pair", "profile", "choice_set", "choiceset"),
    *("alternative", "alt", "card", "concept"),
)
ENDS = ("", "_id", "_no", "_nr", "_number")
FIELD = re.compile(r"([A-Za-z]\w*)-(\d+)-(\d+)-(\d+)")
CHOICES = {"chosen", "choice", "chose", "selected", "select", "preferred", "picked", "won"}
ANSWERS = {"response", "answer"}
"""A choice if its cells are 0 and 1."""
MOST_LEVELS = 12
NUMBERING = {f"{name}{end}" for name in NUMBERS_OF for end in ENDS}
NUMBERING |= {f"option{end}" for end in ENDS if end}


def in_levels(sheet: Sheet, layout: Layout, form: str, *, human: bool) -> Sheet:
    """Return a sheet of profiles with a row for each attribute of each profile.

    Columns ``attribute`` and ``level`` stand in the place of the attributes, and ``person`` in that
    of people's respondents. Columns that only number tasks or profiles are left out.

    Raises:
        DataError: if a row is no profile, or does not say who saw it.
    """
    _check_form(sheet, layout, form)
    respondent = layout.column(sheet, "respondent")
    if human and respondent is None:
        raise sheet.fault(
            "no-respondents",
            f"has no column that says who saw a profile; there are: {listed(sheet)}; name it, ",
            of_columns(respondent=BLANK, likely=alike(sheet, "respondent")),
        )
    numbering = [name for name in sheet.columns if _numbers_profiles(name, layout)]
    names = [name for name in sheet.columns if name not in (*layout.attributes, *numbering)]
    if reserved := {ATTRIBUTE, LEVEL, PERSON} & {*names} - {respondent if human else None}:
        what = "is a name that a conjoint needs; call the column otherwise"
        raise sheet.fault("reserved-column", what, column=min(reserved))
    cells = sheet.cells([*names, *layout.attributes])
    profiles, attributes = len(next(iter(cells.values()))), len(layout.attributes)
    row = np.repeat(np.arange(profiles), attributes)
    which = np.tile(np.arange(attributes), profiles)
    columns = {name: cells[name].take(pa.array(row)) for name in names}
    if human and respondent is not None:
        person = columns.pop(respondent)
        if layout.design is not None and layout.design.psu == PERSON:
            columns[PERSON] = person
    columns[ATTRIBUTE] = pa.DictionaryArray.from_arrays(
        pa.array(which, pa.int32()), pa.array(layout.attributes, pa.string())
    )
    levels = pa.concat_arrays([cells[name].cast(pa.string()) for name in layout.attributes])
    columns[LEVEL] = levels.take(pa.array(which * profiles + row)).dictionary_encode()
    left = f"; not read: {shown(numbering, how=str)}" if numbering else ""
    labels = shown(layout.attributes, how=str)
    return replace(
        sheet.of_columns(columns),
        by=tuple(name for name in sheet.by if name not in layout.attributes),
        kept=row if sheet.kept is None else sheet.kept[row],
        recognised=(*sheet.recognised, f"{profiles:,} profiles of a conjoint by {labels}{left}"),
    )


def refuse_tasks(sheet: Sheet, layout: Layout) -> None:
    """Raise DataError if a row has all tasks of a person, in columns of their own.

    As the Conjoint Survey Design Tool names them (Strezhnev and others 2014): ``F-2-1`` has the
    name of the first attribute in task 2, and ``F-2-1-1`` its level in the first profile.
    """
    fields = [match for name in sheet.columns if (match := FIELD.fullmatch(name))]
    if not fields or {*layout.attributes} <= {*sheet.columns}:
        return
    stem = fields[0][1]
    tasks, profiles = (max(int(match[at]) for match in fields) for at in (2, 3))
    levels = (
        rf'zip(r.filter(regex=rf"^{stem}-{{t}}-\d+$"), r.filter(regex=rf"^{stem}-{{t}}-{{p}}-"))'
    )
    chosen = 'str(r[q]).removesuffix(".0").endswith((chr(64 + p), str(p)))'
    rows = (
        f"for i, r in table.iterrows() for t, q in enumerate(questions, 1) "
        f"for p in range(1, {profiles + 1}) if pd.notna(r[q])"
    )
    line = f'pd.DataFrame([{{"respondent": i, **dict({levels}), "chosen": int({chosen})}} {rows}])'
    raise sheet.fault(
        "tasks-in-columns",
        f"has {tasks} tasks of a conjoint in columns such as {fields[0][0]}; give each profile a "
        f"row, {in_pandas(line)}, where questions lists the tasks' columns of answers, which end "
        "with the profile's letter or number",
    )


def refuse_profiles(sheet: Sheet, others: Container[str], asked: Sequence[str]) -> None:
    """Raise DataError if people's wide file has several rows of each person, as of profiles.

    Columns that number tasks or profiles tell so, or one that names persons, many of them. Columns
    that are read as something else are the ``others``. Many texts in a column that seems to be
    ``asked`` name persons, too, if another column of texts makes their rows different.
    """
    fewest = 1 if NUMBERING.intersection(map(str.casefold, sheet.columns)) else MANY
    named = [name for name in sheet.columns if names_persons(name) and name not in others]
    for name in [*named, *_of_many_texts(sheet, [name for name in asked if name not in named])]:
        person = pd.Series(cells_of(sheet, sheet.columns.index(name)), dtype=object)
        if fewest < person.nunique() <= person.count() / 2:
            attributes = _likely_attributes(sheet, name)
            profile = Remedy(
                {"effects.attributes": [BLANK], "columns.respondent": name},
                likely=attributes or BLANK,
            )
            of_conjoint = ("; if each row is a profile of a conjoint, put ", profile)
            in_waves = once_in_each(sheet, [name], of_texts=name not in named)
            if name not in named and not in_waves:
                continue
            ways = (of_conjoint, in_waves) if attributes else (in_waves, of_conjoint)
            raise sheet.fault(
                "rows-of-persons",
                "has each person in several rows, so that a row is no person",
                *chain(*ways),
                "; else give each person one row, or leave the column out of the file",
                column=name,
            )


def _of_many_texts(sheet: Sheet, names: Sequence[str]) -> list[str]:
    """Return the columns of many different texts, none of them a number or empty."""
    columns = sheet.read([sheet.columns.index(name) for name in names])
    several = {
        name: cells.dictionary.to_pylist()
        for name, cells in zip(names, columns, strict=True)
        if MANY < len(cells.dictionary) <= len(cells) / 2 and not cells.null_count
    }
    return [
        name
        for name, texts in several.items()
        if all(text.strip() and as_number(text.strip()) is None for text in texts)
    ]


def _likely_attributes(sheet: Sheet, person: str) -> list[str]:
    """Return the columns of few levels beside a profile's choice; none if there is no choice.

    What is the same in all rows of each person is a fact about the person.
    """
    folded = {name: name.casefold() for name in sheet.columns}
    choices = [
        name
        for name in sheet.columns
        if folded[name] in CHOICES
        or (folded[name] in ANSWERS and {*cells_of(sheet, sheet.columns.index(name))} == {"0", "1"})
    ]
    if not choices:
        return []
    aside = [person, *choices]
    others = [name for name in sheet.columns if not (name in aside or folded[name] in NUMBERING)]
    persons, *several = (cells_of(sheet, sheet.columns.index(name)) for name in (person, *others))
    return [
        name
        for name, levels in zip(others, several, strict=True)
        if 1 < len({*levels}) <= MOST_LEVELS  # what numbers a person's rows differs in each
        and len({*persons}) < len({*zip(persons, levels, strict=True)}) < len(persons)
    ]


def _check_form(sheet: Sheet, layout: Layout, form: str) -> None:
    """Raise DataError unless a row of a sheet is a profile."""
    sheet.refuse_absent(layout.attributes, "effects.attributes")
    if form != "wide":
        raise sheet.fault(
            "no-profiles",
            "a conjoint needs a row for each profile, with a column for each attribute and for "
            "each answer, such as chosen",
        )
    if sheet.says_missing:
        raise sheet.fault(
            "conjoint-in-survey-file", "profiles are read from text files only; save it as CSV"
        )


def _numbers_profiles(name: str, layout: Layout) -> bool:
    """Return whether a column only numbers tasks or profiles."""
    is_read = name in layout.attributes or name in layout.columns.values()
    is_question = layout.questions is not None and matches(name, layout.questions)
    return name.casefold() in NUMBERING and not is_read and not is_question
