"""Tables with a row for each question, and a column for each person, run or model."""

import re
from collections.abc import Sequence

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.crosstab import MOST_CELLS, NAMES
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import MODEL, PEOPLE, SIMULATOR_LIKE, VALUE_LIKE

USUAL = SIMULATOR_LIKE | VALUE_LIKE | {"value", "count", "probability", "percent", "weight"}
NUMBERED = re.compile(r"(.*?)[ _.-]?\d+")
OPTION = re.compile(r"option|answer|response|choice|level|label|item|q|antwort|x|", re.IGNORECASE)
ANSWERS = re.compile(r"[ _.-](answer|response|choice|value|label|rating)s?$", re.IGNORECASE)
FEWEST, SAME, MOST_ANSWERS = 10, 0.5, 30


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each person or run, or the answers of each model below each other."""
    names = [name.strip() for name in sheet.columns]
    asked = [at for at, name in enumerate(names) if name.casefold() in NAMES | {"scenario"}]
    if sheet.questions or {name.casefold() for name in names} & USUAL:
        return None
    if len(asked) == 1 and (columns := _of_models(names)):
        return _one_below_the_other(sheet, asked[0], columns)
    is_first = asked == [0] or names[0].casefold() in ("", "variable")
    return _turned(sheet, names[1:]) if is_first else None


def _of_models(names: Sequence[str]) -> list[int]:
    """Return the places of columns that are called after models, and people; none if none is."""
    words = [name.replace("_", " ") for name in names]
    models = [at for at, name in enumerate(words) if MODEL.search(name)]
    people = [at for at, name in enumerate(words) if ANSWERS.search(name) and PEOPLE.match(name)]
    are_several = len(people) + len(models) > 1 or len(names) == 2
    return [*people, *models] if models and are_several else []


def _turned(sheet: Sheet, others: list[str]) -> Sheet | None:
    """Return a row for each of the columns that are numbered, and whose cells are answers."""
    stem, *stems = {match[1] if (match := NUMBERED.fullmatch(n)) else "" for n in others} or {""}
    if len(others) < FEWEST or stems or OPTION.fullmatch(stem):
        return None
    questions, *cells = columns_of(sheet, range(len(others) + 1), MOST_CELLS // len(others))
    different = {text for column in cells for text in column if text}
    if len({*filter(None, questions)}) < len(questions) or len(different) > SAME * len(others):
        return None
    if not sheet.columns[0].strip() and len(questions) > len(others):
        return None  # persons' names, and questions in columns
    table = dict(zip(map(str, questions), map(list, zip(*cells, strict=True)), strict=True))
    what = f"a row for each question, and a column for each of {len(others)} who answer"
    return rewritten(sheet, table, what)


def _one_below_the_other(sheet: Sheet, asked: int, places: list[int]) -> Sheet | None:
    """Return a row for each answer of a model, or its probability; other columns stay."""
    cells = columns_of(sheet, range(len(sheet.columns)), MOST_CELLS // len(sheet.columns))
    different = [{text for text in cells[at] if text} for at in places]
    texts = set[str]().union(*different)
    numbers = [as_number(text.removesuffix("%").strip()) for text in texts]
    if not texts or (any(len(some) > MOST_ANSWERS for some in different) and None in numbers):
        return None
    is_percent = all(text.endswith("%") for text in texts)
    are_shares = None not in numbers and all(0 <= number <= 1 for number in filter(None, numbers))
    kind = "probability" if is_percent or (are_shares and len(texts) > 2) else "value"
    names = [ANSWERS.sub("", sheet.columns[at]) for at in places]
    beside = [at for at in range(len(cells)) if at not in (asked, *places)]
    table: dict[str, list[str | None]] = {
        "scenario": cells[asked] * len(places),
        "simulator": [name for name in names for _ in cells[asked]],
        kind: [_share(text) if is_percent else text for at in places for text in cells[at]],
        **{sheet.columns[at]: cells[at] * len(places) for at in beside},
    }
    return rewritten(sheet, table, f"a column for each who answers: {', '.join(names)}")


def _share(text: str | None) -> str | None:
    number = as_number((text or "").removesuffix("%").strip())
    return text if number is None else f"{number / 100:.10g}"
