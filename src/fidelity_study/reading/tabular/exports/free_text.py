"""Questions of an export that are answered in people's own words: no two answers are alike."""

from collections import Counter
from collections.abc import Mapping
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
    texts = [name for name, cells in pairs if are_own_words(Counter(filter(None, cells)))]
    if not texts:
        return sheet
    what = f"left out, as answered in own words: {shown(texts)}"
    asked = [name for name in sheet.questions if name not in texts]
    recognised = (*sheet.recognised, what)
    return replace(sheet, questions=asked, recognised=recognised, in_own_words=tuple(texts))


def are_own_words(answers: Mapping[str, float]) -> bool:
    """Return whether answers are many different texts, over several lines or long.

    Args:
        answers: how many each is.
    """
    many, texts = sum(answers.values()), [*answers]
    if len(texts) < max(FEWEST, DIFFERENT * many):
        return False
    if any("\n" in text.strip() for text in texts):
        return True
    is_long = median(map(len, texts)) >= LONG and len(texts) >= MOST_DIFFERENT * many
    return is_long and separator_of(texts) is None
