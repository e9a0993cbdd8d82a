"""Long files whose columns have other usual names, as question, model and answer."""

from dataclasses import replace

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import alike, values_of

ROLES = {"scenario": "the question", "value": "the answer", "simulator": "who answers"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a table with the columns of its rows' question, answer and simulator, if one each."""
    there = {*sheet.columns}
    if sheet.roles or sheet.questions or {"option", "share"} <= there:
        return None
    likely = {role: alike(sheet, role) for role in ROLES if role not in there}
    ids = [name for name in likely.get("scenario", ()) if name.casefold().endswith("id")]
    likely |= {"scenario": ids} if ids else {}  # beside the wording
    roles = {role: names[0] for role, names in likely.items() if len(names) == 1}
    if named := roles.get("simulator"):
        values = values_of(sheet, [named])[named]
        if all(as_number(text) is not None for text in values):
            del roles["simulator"]  # these number runs
    states = "probability" in there or {"loc", "scale"} <= there
    if states:
        roles.pop("value", None)  # it may be the outcome, and not what the probability is of
    has = there | roles.keys()
    if not roles or "scenario" not in has or not ("value" in has or states):
        return None
    facts = ", ".join(f"{ROLES[role]} in {name!r}" for role, name in roles.items())
    what = f"each row has {facts}"
    return replace(sheet, roles=roles, recognised=(*sheet.recognised, what))
