"""Files of questions, whose columns may have other usual names."""

import re
from collections.abc import Container
from dataclasses import replace

from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import values_of
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.words import NAMES_OF_QUESTIONS, WORDINGS

USUAL = {
    "question": WORDINGS,
    "scenario": NAMES_OF_QUESTIONS,
    "options": ("response options", "answer options", "answer choices", "choices"),
}
SAID = {"scenario": "the name", "question": "the wording", "options": "the options"}
BESIDE = {"description", "n options", "lower", "upper", "cluster", "topic", "order"}
SPACE = re.compile(r"[\W_]+")
FEWEST = 2


def opened_questions(path: str, reading: Reading) -> Sheet:
    """Open a file of questions; its columns are called as the config calls them."""
    sheet = opened(path, reading)
    named = {name for name in reading.columns.values() if isinstance(name, str)}
    roles = {
        name: role
        for name, role in _roles(sheet, named).items()
        if name != role and reading.columns.get(role) not in sheet.columns
    }
    if not roles:
        return sheet
    what = ", ".join(f"{SAID[role]} in {name!r}" for name, role in roles.items())
    columns = [roles.get(name, name) for name in sheet.columns]
    recognised = (*sheet.recognised, f"each row has a question: {what}")
    return replace(sheet, columns=columns, recognised=recognised)


def describes_questions(sheet: Sheet) -> bool:
    """Return whether a table has nothing but names of questions, each once, and their wording."""
    roles = _roles(sheet)
    others = {_plain(name) for name in sheet.columns if name not in roles}
    if not {"scenario", "question"} <= {*roles.values()} or others - BESIDE:
        return False
    (column,) = (name for name, role in roles.items() if role == "scenario")
    names = values_of(sheet, [column])[column]
    return FEWEST <= len(names) == sheet.size


def _roles(sheet: Sheet, others: Container[str] = ()) -> dict[str, str]:
    """Return what columns of a file of questions are, by their names; ``others`` have roles."""
    there = {_plain(name): name for name in sheet.columns if name not in others}
    roles: dict[str, str] = {}
    for role, usual in USUAL.items():
        names = (there[name] for name in (role, *usual) if name in there)
        roles |= dict.fromkeys([*names][:1], role)
    worded = [there[name] for name in WORDINGS if name in there]
    if worded and "question" in there and "scenario" not in roles.values():
        roles |= {there["question"]: "scenario", worded[0]: "question"}
    return roles


def _plain(name: str) -> str:
    return SPACE.sub(" ", name.casefold())
