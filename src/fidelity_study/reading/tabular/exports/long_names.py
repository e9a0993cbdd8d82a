"""Long files whose columns have other usual names, as question, model and answer."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pandas as pd

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import alike, values_of
from fidelity_study.reading.tabular.unread import is_share, is_usual_amount

ROLES = {"scenario": "the question", "value": "the answer", "simulator": "who answers"}
ROLES |= {"respondent": "the person"}
OPTION, COUNT = "option", {"count": "how many gave it"}
OF_ROWS = "each row has"
STATED = {"probability", "percent"}


def recognised(sheet: Sheet, named: Mapping[str, str | list[str]]) -> Sheet | None:
    """Return a table with the columns of its rows' question, answer and simulator, if one each.

    Args:
        sheet: the table.
        named: the columns that the user names, by role.
    """
    columns = {*sheet.columns}
    here = {
        role
        for role, names in named.items()
        if columns.issuperset([names] if isinstance(names, str) else names)
    }
    there = columns | here
    is_table = {"option", "share"} <= there or not {"option", "share", "question"}.isdisjoint(here)
    if sheet.roles.keys() - STATED or sheet.questions or is_table:
        return None
    likely = {role: alike(sheet, role) for role in ROLES if role not in there}
    if not likely.get("value", there):  # of a topline
        amounts = [*filter(is_usual_amount, sheet.columns)]
        are_counts = len(amounts) == 1 and OPTION in columns and not is_share(amounts[0])
        likely |= {"value": [OPTION], "count": amounts} if are_counts else {}
    ids = [name for name in likely.get("scenario", ()) if name.casefold().endswith("id")]
    others = [name for name in likely.get("scenario", ()) if name.casefold() != "prompt"]
    likely |= {"scenario": ids or others} if ids or others else {}  # beside the wording
    roles = {role: names[0] for role, names in likely.items() if len(names) == 1}
    if who := roles.get("simulator"):
        values = values_of(sheet, [who])[who]
        if all(as_number(text) is not None for text in values):
            del roles["simulator"]  # these number runs
    states = "probability" in there or bool(sheet.roles) or {"loc", "scale"} <= there
    if states:
        roles.pop("value", None)  # it may be the outcome, and not what the probability is of
    has = there | roles.keys()
    if person := roles.get("respondent"):
        known = [{**named, **roles}.get(role, role) for role in ("scenario", "simulator")]
        by = [name for name in sheet.columns if name in known]
        rows = sheet.frame([person, *by])
        if rows[person].isna().any() or not persons_of(rows, [person], by):
            del roles["respondent"]  # several are of one persona
    if not roles or "scenario" not in has or not ("value" in has or states):
        return None
    facts = ", ".join(f"{(ROLES | COUNT)[role]} in {name!r}" for role, name in roles.items())
    what = f"{OF_ROWS} {facts}"
    return replace(sheet, roles={**sheet.roles, **roles}, recognised=(*sheet.recognised, what))


def persons_of(rows: pd.DataFrame, likely: Iterable[str], by: Iterable[str]) -> list[str]:
    """Return those of likely columns whose persons answer once in each cell of other columns."""
    return [name for name in likely if not rows.duplicated([name, *by]).any()]
