"""Whether the ids of a simulator's rows name people, or number rows as people's own ids do."""

import re
from collections.abc import Iterator
from functools import partial
from statistics import median_low

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from fidelity_study.errors import DataError, Remedy
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.columns import Cells, as_name, as_number
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout

RESPONDENT = "respondent"
ROLES = (RESPONDENT, "scenario", "value", "count", "weight", "simulator", "option", "probability")
MOST_VALUES, LIKE = 200, 0.5
SAME, OTHERS = 0.8, 0.3  # of the agreement beyond chance
FEWEST, SURE = 5, 2.5
"""Standard errors above chance, of most facts, from which on ids name the same persons."""
WHOLE = re.compile(r"^\s*([0-9]+)\.0+\s*$")


def with_whole_ids(sheet: Sheet, layout: Layout) -> Sheet:
    """Return a table whose respondents' ids are 1001 where pandas wrote 1001.0."""
    name = layout.column(sheet, RESPONDENT)
    if name is None:
        return sheet
    place = sheet.columns.index(name)
    (cells,) = sheet.read([place])
    if not pc.any(pc.match_substring_regex(cells.dictionary, WHOLE.pattern)).as_py():
        return sheet
    return sheet.with_texts({place}, partial(WHOLE.sub, r"\1"))


def strangers(people: Answers, answers: Answers, layout: Layout) -> DataError | None:
    """Return that a simulator's ids may name nobody; None where they are people's, or none are.

    They may name nobody where facts that both files have agree between rows of one id no more than
    by chance, or where both number their rows and no facts tell.
    """
    both = [people.sheet, answers.sheet]
    columns = [layout.in_file(sheet.path).column(sheet, RESPONDENT) for sheet in both]
    by_file = layout.coded.get("roles", {})
    decided = [roles.get(RESPONDENT) for path, roles in by_file.items() if path != both[0].path]
    is_decided = [columns[1]] in decided or columns[1] in (None, RESPONDENT)
    if is_decided or not (people.names_respondents and answers.names_respondents):
        return None
    ids = [_texts(sheet, name) for sheet, name in zip(both, columns, strict=True) if name]
    shared = sorted({*ids[0]} & {*ids[1]} - {None})
    if len(ids) < 2 or len(shared) < FEWEST:
        return None
    reason = _unlike(people, answers, layout, ids, shared)
    if reason is None:
        return None
    (why, are_others), name, path = reason, str(columns[1]), answers.sheet.path
    ways = [Remedy({key: {path: name}}) for key in ("no_person", "a_person")]
    return answers.sheet.fault(
        "other-persons",
        f"{name!r} has ids that people have, too, but {why}: do they name the persons who are "
        f"simulated, or just number the rows? If they do, put {name}: {RESPONDENT} in the row of "
        f"this file in columns.csv, otherwise {name}: ignore",
        column=name,
        also=ways if are_others else ways[::-1],
    )


def _unlike(
    people: Answers, answers: Answers, layout: Layout, ids: list[pd.Index], shared: list
) -> tuple[str, bool] | None:
    """Return why ids may name other persons, and whether they seem to; None if nothing says so."""
    agreed, errors = {}, {}
    for name in _facts(people, answers, layout):
        one, two = (
            pd.Series(_texts(part.sheet, name), index)[lambda x: ~x.index.duplicated()]
            for part, index in zip((people, answers), ids, strict=True)
        )
        values = {*two.dropna()}
        if not 1 < len(values) <= MOST_VALUES or len(values & {*one}) < LIKE * len(values):
            continue
        one, two = (side.loc[shared] for side in (one, two))
        shares = pd.concat([side.value_counts(normalize=True) for side in (one, two)], axis=1)
        by_chance = float(shares.prod(axis=1, skipna=False).sum())
        if 0.0 < by_chance < 1.0:
            more = float((one == two).mean()) - by_chance
            agreed[name] = more / (1.0 - by_chance)
            errors[name] = more / (by_chance * (1.0 - by_chance) / len(shared)) ** 0.5
    if any(share >= SAME for share in agreed.values()):
        return None
    starts = [_counter(index) for index in ids]
    are_numbers = None not in starts and starts[0] == starts[1]
    if errors and median_low(errors.values()) > SURE and not are_numbers:
        return None
    if agreed and max(agreed.values()) < OTHERS:
        name = min(agreed, key=lambda fact: agreed[fact])
        return f"{name!r} agrees between them no more than by chance", True
    if not are_numbers:
        return None
    return f"both number rows from {starts[0]}", ids[0].nunique() != ids[1].nunique()


def _facts(people: Answers, answers: Answers, layout: Layout) -> Iterator[str]:
    """Yield the columns that both files have, and that are neither questions nor have a role."""
    asked = {*people.questions, *answers.questions}
    roles = {layout.column(part.sheet, role) for part in (people, answers) for role in ROLES}
    for name in people.sheet.columns:
        if name in answers.sheet.columns and name not in asked | roles:
            yield name


def _texts(sheet: Sheet, column: str) -> pd.Index:
    cells = Cells.of(sheet, column)
    there = (None if (text or NO_WORDS).startswith(NO_WORDS) else text for text in cells.texts)
    names = [text and as_name(text) for text in there]
    return pd.Index(np.array([*names, None], object)[cells.place])


def _counter(ids: pd.Index) -> int | None:
    """Return the first of numbers that follow each other from 0 or 1 on; None of other ids."""
    texts = list(map(str, ids.unique()))
    numbers = sorted(number for text in texts if (number := as_number(text)) is not None)
    first = int(numbers[0]) if numbers else -1
    is_whole = first in (0, 1) and numbers == [first + k for k in range(len(texts))]
    return first if is_whole else None
