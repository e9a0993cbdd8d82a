"""The people of a scenario described in words, from the columns on respondents."""

from functools import partial

from fidelity_study.reading.tabular.columns import Joined, as_text
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import persona_columns

UNKNOWN = "unknown"


def personas(sheet: Sheet, wanted: str | list[str]) -> Joined:
    """Return the respondents' descriptions.

    Args:
        sheet: of the people's answers.
        wanted: columns, such as ``[age, sex]``, which make ``age 34, sex female``; or a text, such
            as ``a {age}-year-old {sex}``. An empty cell counts as unknown.
    """
    columns = persona_columns(wanted)
    sheet.refuse_absent(columns, "personas")
    return Joined(columns, _known, partial(_in_words, wanted, columns))


def _known(text: str | None) -> str:
    return as_text(text) or UNKNOWN


def _in_words(wanted: str | list[str], columns: list[str], values: tuple[str, ...]) -> str:
    who = zip(columns, values, strict=True)
    if not isinstance(wanted, str):
        return ", ".join(f"{name} {value}" for name, value in who)
    text = wanted
    for name, value in who:
        text = text.replace(f"{{{name}}}", value)
    return text
