"""oTree: a row for each participant, with facts on the session beside what was decided.

Bots are left out, and so are demo sessions.
"""

from dataclasses import replace

from fidelity_study.reading.tabular.exports.table import Table, states
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.questions import LEFT_OUT, kind_by_name
from fidelity_study.reading.tabular.words import IS_SO

PERSON, SESSION = "participant.code", "session.code"
STATES = {
    "participant._is_bot": (IS_SO, "bots"),
    "session.is_demo": (IS_SO, "of demo sessions"),
}
FACTS = ("participant.", "session.")
NOTHING_SAID = ("player.id_in_group", "player.payoff", "group.id_in_subsession")
PLACES = ("player.role", "subsession.round_number")
"""Ends of names of columns that oTree itself writes; apps stand before them in all apps' export."""


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the people of an export of oTree, and what they decided in its apps."""
    if not {*sheet.columns} >= {PERSON, SESSION}:
        return None
    kept, left = states(sheet, sheet.columns, STATES)
    places = [
        at
        for at, name in enumerate(sheet.columns)
        if name == PERSON or not (name.startswith(FACTS) or name.endswith(NOTHING_SAID))
    ]
    what = f"an export of oTree: {kept.sum():,} participants{left}"
    people = Table(sheet, places, rows=kept).sheet(what)
    asked = [
        name
        for name in people.columns
        if name != PERSON and not name.endswith(PLACES) and kind_by_name(name) not in LEFT_OUT
    ]
    return replace(people, roles={"respondent": PERSON}, questions=asked)
