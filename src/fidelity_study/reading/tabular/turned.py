"""Tables that are turned: a row for each question, and a column for each person, model or option.

Or a row for each option, and a column for each question.
"""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from fidelity_study.errors import BLANK, Remedy
from fidelity_study.reading.tabular.columns import share_of, squashed
from fidelity_study.reading.tabular.doubtful import is_net
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.remedies import in_pandas
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import (
    BASES,
    MODEL,
    NAME_OF_MODEL,
    PEOPLE,
    RATER,
    SCENARIO_LIKE,
    SIMULATOR_LIKE,
    VALUE_LIKE,
)

QUESTIONS = SCENARIO_LIKE | {"scenario", "variable"}
OPTIONS = VALUE_LIKE | {"option", "options", "value"}
OF_ID = re.compile(r"(?:.*[_ ])?id", re.IGNORECASE)
OF_JUDGE = re.compile(rf"{MODEL.pattern}|\bjudge\b", re.IGNORECASE)
NUMBERED = re.compile(r"(.*?)[ _.-]?\d+")
OF_OPTION = re.compile(
    r"option|answer|response|choice|level|label|item|q|antwort|x|", re.IGNORECASE
)
FEWEST_PERSONS, MOST_PERCENT = 10, 100
OFF, ROUNDING, MOST_OTHERS = 1.0, 0.5, 0.5


def refuse_turned(sheet: Sheet, names: Sequence[str]) -> None:
    """Raise DataError, with the line of pandas that turns the table, if it is turned."""
    asked, options, who = (
        [name for name in names if name.casefold() in usual]
        for usual in (QUESTIONS, OPTIONS, SIMULATOR_LIKE)
    )
    leads = [*asked, *options] or [name for name in names[:1] if OF_ID.fullmatch(name)]
    if len(leads) != 1 or (options and (who or names[0] != leads[0])):
        return
    (lead,) = leads
    cells = sheet.frame(names)
    are_beside = any(map(NAME_OF_MODEL.match, names)) and any(map(PEOPLE.fullmatch, names))
    if (
        len(names) <= 1 + len(who)
        or cells[lead].isna().any()
        or (cells.duplicated([lead, *who]).any() and not (asked and are_beside))
    ):
        return
    beside = [name for name in sheet.columns if name and name not in names]
    where, line = _way(cells, lead, who, beside, are_options=bool(options))
    is_id = not (asked or options)
    if (is_id or who) and _sum_to_one(cells, lead, who):
        line = line.replace("'percent'", "'probability'")
    elif is_id:
        return
    if line:
        raise sheet.fault(
            "turned-table",
            f"has {where}; read it with dtype=str and turn it, {in_pandas(line)}; if each row is a "
            "person, put ",
            Remedy({"form": "wide"}, is_offered=False),
        )


def refuse_raters(sheet: Sheet, names: Sequence[str]) -> None:
    """Raise DataError, with lines of pandas, if ratings by several people are beside a model's."""
    raters = [name for name in names if RATER.fullmatch(name) and not MODEL.search(name)]
    judges = [
        name for name in names if OF_JUDGE.search(name.replace("_", " ")) and name not in raters
    ]
    if not (raters[1:] and judges):
        return
    cells = sheet.frame(names)
    rated = {text for name in raters for text in cells[name].dropna()}
    judges = [name for name in judges if cells[name].isin(rated).mean() > MOST_OTHERS]
    left = [name for name in names if name not in {*raters, *judges}]
    ids = [name for name in left if cells[name].notna().all() and cells[name].is_unique]
    if not (judges and ids):
        return
    melted = f"table.rename(columns={{{ids[0]!r}: 'scenario'}}).melt('scenario', "
    people = f"{raters}, 'respondent', 'value').to_csv('people.csv', index=False)"
    models = f"{judges}, 'simulator', 'value').to_csv('judge.csv', index=False)"
    raise sheet.fault(
        "raters-in-columns",
        f"has ratings by {shown(raters)} beside those by {shown(judges)}, a column for each; read "
        f"it with dtype=str and write two files, {in_pandas(melted + people)} and "
        f"{in_pandas(melted + models)}; name people.csv and judge.csv, and the scale's steps, ",
        Remedy({"outcome.levels": BLANK}, is_offered=False),
    )


def _way(
    cells: pd.DataFrame, lead: str, who: list[str], beside: list[str], *, are_options: bool
) -> tuple[str, str]:
    """Return what stands where in a table, and the line that turns it, empty if it is not turned.

    Args:
        cells: of the table.
        lead: the column of its questions, or of its options.
        who: the columns of those who answer.
        beside: columns that are none of the table's, which its rows keep.
        are_options: which of the two.
    """
    others = [name for name in cells if name not in (lead, *who)]
    if are_options:
        melted = _melted(cells.set_index(lead)[others].T, ["question"])
        turned = f"table.set_index({lead!r}).T.rename_axis('question').reset_index()"
        return "options in rows, and questions in columns", melted and turned + melted
    if people := answering(others):
        ids = [*beside, *(name for name in cells if name not in people)]
        amounts = cells[people].map(share_of).to_numpy()
        are_shares = bool(np.nanmax(amounts, initial=0) <= 1 and (amounts % 1 > 0).any())
        amount = "probability" if are_shares else "value"
        line = f"table.melt({ids}, {people}, 'simulator', '{amount}')"
        return "questions in rows, and a column for each who answers", line
    stem, *stems = {match[1] if (match := NUMBERED.fullmatch(name)) else "" for name in others}
    if len(others) >= FEWEST_PERSONS and not stems and not OF_OPTION.fullmatch(stem):
        line = f"table.set_index({lead!r}).T"
        return "questions in rows, and persons or runs in columns", line
    melted = _melted(cells[others], [*beside, lead, *who])
    return "questions in rows, and options in columns", melted and f"table{melted}"


def _sum_to_one(cells: pd.DataFrame, lead: str, who: list[str]) -> bool:
    shares = cells.drop(columns=[lead, *who]).map(share_of)
    is_whole = ((shares.sum(axis=1) - 1).abs() <= OFF / 100).all()
    return bool(is_whole and (shares % 1 > 0).any(axis=None))


def answering(names: Sequence[str]) -> list[str]:
    """Return the columns that are called after models, and people; none if no model is there."""
    words = {name: name.replace("_", " ") for name in names}
    names = [name for name in names if not OF_ID.fullmatch(name)]
    models = [name for name in names if MODEL.search(words[name])]
    people = [name for name in names if name not in models and PEOPLE.match(words[name])]
    are_several = len(people) + len(models) > 1 or len(names) == 1
    return [*people, *models] if models and are_several else []


def _melted(cells: pd.DataFrame, ids: list[str]) -> str:
    """Return how columns become rows, if they are options; nothing if they are not.

    Options have percentages of a whole in each row, or counts.
    """
    shares = cells.map(share_of)
    sums = [name for name in cells if is_net(name)]
    bases = [name for name in cells if squashed(name) in BASES]
    shares = shares.drop(columns={*sums, *bases})
    texts = [name for name in shares if np.isinf(shares[name]).all()]
    shares = shares.drop(columns=texts)
    if shares.shape[1] < 2:
        return ""
    is_percent = are_shares(shares.sum(axis=1), shares.count(axis=1))
    is_count = shares.max(axis=None) > MOST_PERCENT and (shares % 1 == 0).all(axis=None)
    if not (is_percent or is_count):
        return ""
    left = [name for name in sums if name not in bases]
    kept = f".drop(columns={left})" if left else ""
    number = "percent" if is_percent else "count"
    return f"{kept}.melt({[*ids, *texts, *bases]}, var_name='value', value_name='{number}')"


def are_shares(sums: pd.Series, many: pd.Series, most: float = 1.0) -> bool:
    """Return whether ``most`` sums of ``many`` rounded shares, or percentages, are one whole."""
    off = np.maximum(OFF, ROUNDING * many) / 100
    return any(bool(((sums / whole - 1).abs() <= off).mean() >= most) for whole in (1, 100))
