"""Who the people of a scenario are, in words, from the columns that describe respondents."""

import pandas as pd

from fidelity_study.tabular.columns import cells
from fidelity_study.tabular.files import Sheet
from fidelity_study.tabular.layout import listed, persona_columns

UNKNOWN = "unknown"
COLUMNS = ["scenario", "persona", "label", "number"]


def personas(sheet: Sheet, rows: pd.DataFrame, wanted: str | list[str]) -> pd.DataFrame:
    """Count the answers of each scenario by who gave them.

    Args:
        sheet: of the people's answers.
        rows: the answers that were given.
        wanted: columns, such as ``[age, sex]``, which make ``age 34, sex female``; or a text, such
            as ``a {age}-year-old {sex}``.

    Returns:
        Columns ``scenario, persona, label, number``. What is empty is unknown.
    """
    columns = persona_columns(wanted)
    if not columns:
        return pd.DataFrame(columns=COLUMNS)
    for name in columns:
        if name not in sheet.columns:
            raise sheet.fault(
                f"has no column {name!r}, which the config names under personas; there are: "
                f"{listed(sheet)}"
            )
    parts = []
    for name in columns:
        part = cells(sheet, name)
        known = part.codes >= 0
        part = part.add_categories([UNKNOWN]) if UNKNOWN not in part.categories else part
        part[~known] = UNKNOWN
        parts.append(part)
    pairs = pd.MultiIndex.from_arrays(parts, names=columns)
    codes, distinct = pd.factorize(pairs)
    texts = [_in_words(wanted, dict(zip(columns, who, strict=True))) for who in distinct]
    person = pd.Categorical(pd.Series(texts, dtype=object).iloc[codes[rows["at"]]])
    counts = rows.assign(persona=person).groupby(COLUMNS[:3], observed=True, as_index=False)
    return counts["number"].sum().astype(dict.fromkeys(COLUMNS[:3], object))


def _in_words(wanted: str | list[str], who: dict[str, str]) -> str:
    if not isinstance(wanted, str):
        return ", ".join(f"{name} {value}" for name, value in who.items())
    text = wanted
    for name, value in who.items():
        text = text.replace(f"{{{name}}}", value)
    return text
