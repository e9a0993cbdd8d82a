"""Questions of an export that are answered in people's own words: no two answers are alike."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from fidelity_study.reading.tabular.exports.table import columns_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.multiple_choice import separator_of
from fidelity_study.reading.tabular.shown import shown

LOOKED_AT, FEWEST, LONG, DIFFERENT, MOST_DIFFERENT = 2000, 5, 30, 0.5, 0.8


def left_out(sheet: Sheet) -> Sheet:
    """Return an export without the questions that are answered in own words, and say which."""
    if not (sheet.recognised and sheet.questions):
        return sheet
    place = {name: at for at, name in enumerate(sheet.columns)}
    columns = columns_of(sheet, [place[name] for name in sheet.questions], LOOKED_AT)
    pairs = zip(sheet.questions, columns, strict=True)
    texts = [name for name, cells in pairs if _are_own_words([text for text in cells if text])]
    if not texts:
        return sheet
    what = f"left out, as answered in own words: {shown(texts)}"
    asked = [name for name in sheet.questions if name not in texts]
    recognised = (*sheet.recognised, what)
    return replace(sheet, questions=asked, recognised=recognised, in_own_words=tuple(texts))


def _are_own_words(cells: Sequence[str]) -> bool:
    """Return whether answers are many different texts, over several lines or long."""
    different = {*cells}
    if len(different) < max(FEWEST, DIFFERENT * len(cells)):
        return False
    if any("\n" in text.strip() for text in cells):
        return True
    is_long = median(map(len, cells)) >= LONG and len(different) >= MOST_DIFFERENT * len(cells)
    return is_long and separator_of(list(different)) is None
