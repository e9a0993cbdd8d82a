"""Who the people of a scenario are, in words, from the columns that describe respondents."""

import pandas as pd

from fidelity_study.tabular.columns import cells
from fidelity_study.tabular.forms import Answers
from fidelity_study.tabular.layout import listed, persona_columns

UNKNOWN = "unknown"


def personas(found: Answers, wanted: str | list[str]) -> pd.DataFrame:
    """Count the people of each scenario by who they are.

    Args:
        found: people's answers; those who gave none are left out.
        wanted: columns, such as ``[age, sex]``, which make ``age 34, sex female``; or a text, such
            as ``a {age}-year-old {sex}``.

    Returns:
        Columns ``scenario, persona, count``. What is empty is unknown.
    """
    columns = persona_columns(wanted)
    if not columns:
        return pd.DataFrame(columns=["scenario", "persona", "count"])
    for name in columns:
        if name not in found.sheet.columns:
            raise found.sheet.fault(
                f"has no column {name!r}, which the config names under personas; there are: "
                f"{listed(found.sheet)}"
            )
    parts = []
    for name in columns:
        part = cells(found.sheet, name)
        known = part.codes >= 0
        part = part.add_categories([UNKNOWN]) if UNKNOWN not in part.categories else part
        part[~known] = UNKNOWN
        parts.append(part)
    pairs = pd.MultiIndex.from_arrays(parts, names=columns)
    codes, distinct = pd.factorize(pairs)
    texts = [_in_words(wanted, dict(zip(columns, who, strict=True))) for who in distinct]
    answered = found.rows[found.rows["reason"] < 0]
    person = pd.Categorical(pd.Series(texts, dtype=object).iloc[codes[answered["at"]]])
    counts = (
        pd.DataFrame({"scenario": answered["scenario"].to_numpy(), "persona": person})
        .assign(count=answered["number"].to_numpy())
        .groupby(["scenario", "persona"], observed=True, as_index=False)["count"]
        .sum()
    )
    return counts.astype({"scenario": object, "persona": object})


def _in_words(wanted: str | list[str], who: dict[str, str]) -> str:
    if not isinstance(wanted, str):
        return ", ".join(f"{name} {value}" for name, value in who.items())
    text = wanted
    for name, value in who.items():
        text = text.replace(f"{{{name}}}", value)
    return text
