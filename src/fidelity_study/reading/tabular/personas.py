"""The people of a scenario described in words, from the columns on respondents."""

from functools import partial

from fidelity_study.reading.tabular.columns import NOTHING, CellError, Joined, as_text
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout, persona_columns

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


def as_fact(text: str | None, layout: Layout) -> str | None:
    """Return a fact on a person; None if the cell says that it is not known.

    ``none`` is a fact, such as somebody's religion, and ``NA`` or ``NaN`` is not.
    """
    if text is None or text.strip().casefold() in NOTHING - {"none"}:
        return None
    try:
        meaning = layout.meaning(text)
    except CellError:
        return text.strip()
    return meaning if isinstance(meaning, str) else None


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
