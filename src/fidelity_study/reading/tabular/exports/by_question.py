"""Tables with a row for each question, and a column for each person, run or model."""

import re

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.crosstab import MOST_CELLS, NAMES
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import MODEL

NUMBERED = re.compile(r"(.*?)[ _.-]?\d+")
OPTION = re.compile(r"option|answer|response|choice|level|label|item|q|antwort|x|", re.IGNORECASE)
FEWEST, SAME = 10, 0.5


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each person or run, or each model's answers one below the other."""
    first, *others = (name.strip() for name in sheet.columns)
    if first.casefold() not in NAMES | {"", "variable", "scenario"} or len(others) < 2:
        return None
    stems = {match[1] if (match := NUMBERED.fullmatch(name)) else "" for name in others}
    are_persons = len(others) >= FEWEST and len(stems) == 1 and not OPTION.fullmatch(*stems)
    if not are_persons and not any(map(MODEL.search, others)):
        return None
    names, *cells = columns_of(sheet, range(len(sheet.columns)), MOST_CELLS // len(others))
    questions = [name or "" for name in names]
    texts = [text for column in cells for text in column if text]
    if not all(questions) or len({*questions}) < len(questions) or not texts:
        return None
    if are_persons:
        rows = zip(*cells, strict=True)
        is_alike = len({*texts}) <= SAME * len(others)
        what = f"a row for each question, and a column for each of {len(others)} who answer"
        table = dict(zip(questions, map(list, rows), strict=True))
        return rewritten(sheet, table, what) if is_alike else None
    numbers = [as_number(text.strip().removesuffix("%")) for text in texts]
    kind, percent = "value", "%" in texts[0]
    if all(number is not None for number in numbers):
        shares = [number for number in numbers if number is not None and number % 1]
        if percent or (shares and all(0 <= share <= 1 for share in shares)):
            kind = "probability"
    size = len(questions)
    table = {
        "scenario": questions * len(others),
        "simulator": [name for name in others for _ in range(size)],
        kind: [_share(text) if percent else text for column in cells for text in column],
    }
    what = f"a row for each question, and a column for each of {len(others)} models"
    return rewritten(sheet, table, what)


def _share(text: str | None) -> str | None:
    number = as_number((text or "").strip().removesuffix("%").strip())
    return text if number is None else f"{number / 100:.10g}"
