"""Whether the ids of a simulator's rows name people, or number rows as people's own ids do."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from fidelity_study.errors import DataError, Remedy
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import Cells, as_name, as_number
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout

RESPONDENT = "respondent"
MOST_VALUES, LIKE, SAME, OTHERS = 200, 0.5, 0.9, 0.5
FEWEST = 5


def strangers(people: Answers, answers: Answers, layout: Layout) -> DataError | None:
    """Return that a simulator's ids may name nobody; None where they are people's, or none are.

    They may name nobody where facts that both files have differ between rows of one id, or where
    both number their rows from the same number on, and so many more on one side.
    """
    both = [people.sheet, answers.sheet]
    columns = [layout.column(sheet, RESPONDENT) for sheet in both]
    of_file = layout.coded.get("roles", {}).get(answers.sheet.path, {})
    is_decided = RESPONDENT in of_file or columns[1] in (None, RESPONDENT)
    if is_decided or not (people.names_respondents and answers.names_respondents):
        return None
    ids = [_texts(sheet, name) for sheet, name in zip(both, columns, strict=True) if name]
    shared = {*ids[0]} & {*ids[1]}
    if len(ids) < 2 or len(shared) < FEWEST:
        return None
    why = _unlike(people, answers, layout, ids, shared)
    if why is None:
        return None
    name, path = str(columns[1]), answers.sheet.path
    return answers.sheet.fault(
        "other-persons",
        f"{name!r} has ids that people have, too, but {why}: do they name the persons who are "
        f"simulated, or just number the rows? If they do, put {name}: {RESPONDENT} in the row of "
        f"this file in columns.csv, otherwise {name}: ignore",
        column=name,
        also=[Remedy({"no_person": {path: name}}), Remedy({"a_person": {path: name}})],
    )


def _unlike(
    people: Answers, answers: Answers, layout: Layout, ids: list[pd.Index], shared: set
) -> str | None:
    """Return why ids may name other persons; None if nothing says so."""
    agreed = {}
    for name in _facts(people, answers, layout):
        one, two = (
            pd.Series(_texts(part.sheet, name), index)[lambda x: ~x.index.duplicated()]
            for part, index in zip((people, answers), ids, strict=True)
        )
        values = {*two.dropna()}
        if not 1 < len(values) <= MOST_VALUES or len(values & {*one}) < LIKE * len(values):
            continue
        one, two = (side.loc[list(shared)] for side in (one, two))
        agreed[name] = float((one == two).mean())
    if any(share >= SAME for share in agreed.values()):
        return None
    if agreed and max(agreed.values()) < OTHERS:
        name = min(agreed, key=lambda fact: agreed[fact])
        return f"{name!r} differs in {(1.0 - agreed[name]):.0%} of them"
    starts = [_counter(index) for index in ids]
    lengths = [index.nunique() for index in ids]
    if None not in starts and starts[0] == starts[1] and lengths[0] != lengths[1]:
        return f"both number rows from {starts[0]}"
    return None


def _facts(people: Answers, answers: Answers, layout: Layout) -> Iterator[str]:
    """Yield the columns that both files have, and that are neither questions nor have a role."""
    asked = {*people.rows["scenario"].unique(), *answers.rows["scenario"].unique()}
    roles = {layout.column(part.sheet, role) for part in (people, answers) for role in ROLES}
    for name in people.sheet.columns:
        if name in answers.sheet.columns and name not in asked | roles:
            yield name


ROLES = (RESPONDENT, "scenario", "value", "count", "weight", "simulator", "option", "probability")


def _texts(sheet: Sheet, column: str) -> pd.Index:
    cells = Cells.of(sheet.grid((column,)), column)
    names = [None if text is None else as_name(text) for text in cells.texts]
    return pd.Index(np.array([*names, None], object)[cells.place])


def _counter(ids: pd.Index) -> int | None:
    """Return the first of numbers that follow each other from 0 or 1 on; None of other ids."""
    texts = list(map(str, ids.unique()))
    numbers = sorted(number for text in texts if (number := as_number(text)) is not None)
    first = int(numbers[0]) if numbers else -1
    is_whole = first in (0, 1) and numbers == [first + k for k in range(len(texts))]
    return first if is_whole else None
