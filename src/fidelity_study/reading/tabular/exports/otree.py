"""oTree: a row for each participant, with facts on the session beside what was decided; no bots."""

from dataclasses import replace

import numpy as np

from fidelity_study.reading.tabular.exports.table import Table, cells_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.questions import LEFT_OUT, kind_by_name

PERSON, SESSION, BOT = "participant.code", "session.code", "participant._is_bot"
FACTS, IS_BOT = ("participant.", "session."), {"1", "true"}
NOTHING_SAID = ("player.id_in_group", "player.payoff", "group.id_in_subsession")
PLACES = ("player.role", "subsession.round_number")
"""Ends of names of columns that oTree itself writes; apps stand before them in all apps' export."""


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the people of an export of oTree, and what they decided in its apps."""
    if not {*sheet.columns} >= {PERSON, SESSION}:
        return None
    kept = np.ones(len(cells_of(sheet, 0)), bool)
    if BOT in sheet.columns:
        cells = cells_of(sheet, sheet.columns.index(BOT))
        kept = np.array([(text or "").casefold() not in IS_BOT for text in cells], bool)
    places = [
        at
        for at, name in enumerate(sheet.columns)
        if name == PERSON or not (name.startswith(FACTS) or name.endswith(NOTHING_SAID))
    ]
    what = f"an export of oTree: {int(kept.sum()):,} participants"
    what += f"; left out: {int((~kept).sum())} bots" if not kept.all() else ""
    left = Table(sheet, places, rows=kept).sheet(what)
    asked = [
        name
        for name in left.columns
        if name != PERSON and not name.endswith(PLACES) and kind_by_name(name) not in LEFT_OUT
    ]
    return replace(left, roles={"respondent": PERSON}, questions=asked)
