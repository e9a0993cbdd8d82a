"""Multiple choice: each option becomes a question of its own, 1 if it was chosen and 0 if not.

Chosen options stand in one cell (``Bus, Train``, ``["Bus", "Train"]``), or each in a column of its
own (tick boxes), where an empty cell means that the box was not ticked.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from itertools import chain, pairwise

import numpy as np
import pandas as pd

from fidelity_study.errors import DataError, Key, Remedy
from fidelity_study.reading.tabular.answers import Answers, as_category, categorical, meant_if_empty
from fidelity_study.reading.tabular.coded import left_out, meaning_of, read_as
from fidelity_study.reading.tabular.columns import (
    COMMA,
    MISSING,
    as_label,
    as_number,
    spelling,
    stem_of,
)
from fidelity_study.reading.tabular.doubtful import MARKS, NOT_MARKS, is_unanswered, reason_of
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.options import labels_seen
from fidelity_study.reading.tabular.questions import PROSE, matches
from fidelity_study.reading.tabular.remedies import (
    an_option,
    ignoring,
    leaving_out,
    meanings,
    no_answer,
)
from fidelity_study.reading.tabular.scenarios import Described, Survey
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.tables.ingest import EVERY, NOT_ASKED, REASONS, REFUSED, TOTAL

CHOSEN, NOT_CHOSEN = "1", "0"
SEPARATORS = (";", "|", ",", "/", "+", "\uff1b", "\uff0c", "\u3001", "\u250b")
ENDING = re.compile(r"(?<=[^\W\d_])/-?([^\W\d_]{1,2}|innen)(?![^\W\d_])")
"""Behind a slash, the other ending of a word, such as ``preocupado/a``."""
TIGHT, IN_ORDER = ",\0", (">", ";", "|", ",")
COPY = re.compile(r"(.+)(\.\d+)")
ALIKE = 0.8  # two spellings of an option, one of which may be wrong
RECURRING, MANY_EMPTY, FEWEST_CELLS = 0.8, 0.1, 4
TICKED = "tick boxes; an empty cell is a box that was not ticked (0)"
SUMS = ("number", "weight", "square", "people")
LAST_PART = re.compile(r":\s+|\s+-\s+")
NO_TO = re.compile(r"no to: ", re.IGNORECASE)
"""Before the option in Decipher's label of a box that was not ticked."""
NO_OPTIONS = {*REASONS, NOT_ASKED, TOTAL}
NOT_OFFERED, FEW_PEOPLE = "option-not-offered", 0.02
OTHERS = r"others?|otr[oa]s?|outr[oa]s?|autres?|altr[oi]|sonstig\w*|ander\w*|inn[ey]|annat|その他"
OTHER = re.compile(rf"({OTHERS})\s*([^\w\s].*)?", re.IGNORECASE)
"""An option such as ``Other (please specify):``."""


def with_options_apart(files: Survey, layout: Layout, fixed: Mapping[str, Sequence[str]]) -> Survey:
    """Return answers in which each option of a multiple choice is a question.

    Args:
        files: the answers as they stand in the files.
        layout: names the questions of multiple choice; tick boxes are recognised where it is clear.
        fixed: the options of questions that list them, so that several in one cell are one option,
            unless all such cells are lists of these.

    Raises:
        DataError: if answers seem to be several options in one cell, and nobody says so, or if
            columns have one answer and empty cells, and may be tick boxes or not.
    """
    labels = _labels(files)
    boxes: dict[str, tuple[str, str]] = {}
    if files.people.column is None:  # each question has a column
        boxes = _tick_boxes(files, labels, layout)
        _refuse_lists(files, labels, layout)
    _refuse_unjoined(files, layout)
    joined = [
        name
        for name in labels
        if name not in boxes and layout.allows_several(name) and not _is_box(labels[name])
    ]
    single = {name for name in fixed if not _are_lists(labels.get(name, ()), fixed[name])}
    aside = {*joined, *single, *layout.coded.get("single", ()), *_reasons(files)}
    _refuse_joined(files, {name: labels[name] for name in labels if name not in aside})
    result = _ticked(files, boxes, layout) if boxes else files
    for name in joined:
        _refuse_unanswered(files.people, name, labels[name], layout)
        result = _apart(result, name, labels, boxes, layout)
    return result


def _refuse_unanswered(people: Answers, name: str, labels: Iterable[str], layout: Layout) -> None:
    """Raise DataError if cells of a multiple choice say that there is no answer."""
    sure = layout.coded.get("options", ())
    if none := [label for label in labels if is_unanswered(label) and label not in sure]:
        what = f"{shown(none)} of {name!r} says that there is no answer; put "
        raise people.sheet.fault("doubtful-answer", what, no_answer(*none), also=[an_option(*none)])


def _reasons(files: Survey) -> Iterator[str]:
    """Yield the columns of simulators' sentences, where people's file has no such question."""
    asked = files.people.questions
    for name, why in chain.from_iterable((part.doubts or {}).items() for part in files.simulated):
        if why == PROSE and not any(question.startswith(name) for question in asked):
            yield name


def _are_lists(labels: Sequence[str], options: Collection[str]) -> bool:
    """Return whether the cells that are no option are lists of options."""
    others = [label for label in labels if label not in options]
    sign = separator_of(others)
    return sign is not None and all({*options}.issuperset(parts_of(one, sign)) for one in others)


def _labels(files: Survey) -> dict[str, list[str]]:
    """Return the different answers to each question, also if there are none."""
    options = (part for part in files.answers if not (part.stated or part.sheet.raw))
    seen = labels_seen(options)
    return {name: seen.get(name, []) for part in files.answers for name in part.questions}


# ------------------------------------------------------------------------------- tick boxes


def _tick_boxes(
    files: Survey, labels: Mapping[str, Sequence[str]], layout: Layout
) -> dict[str, tuple[str, str]]:
    """Return the columns that are tick boxes, each with the question it belongs to, and its option.

    Such a column of people's file has one answer only and empty cells. It has others beside it with
    the same beginning of their names, or its answer is no other question's, or the file says so.
    Or one side has only a "yes" and many empty cells, where the other writes its "no", too.

    Raise DataError where empty cells beside the only answer may be boxes that were not ticked: read
    as missing, everybody would give the same answer.
    """
    people, of_one = files.people, _of_one_answer(files)
    marks = _marks(people, labels, of_one)
    empty = {
        name
        for answers in files.answers
        for name in answers.rows.loc[answers.rows["reason"] == MISSING, "scenario"].unique()
    }
    says_missing = people.sheet.says_missing
    single = {name: chosen for name, chosen in marks.items() if len(chosen) <= 1 and name in empty}
    others = {label for name, chosen in marks.items() if name not in single for label in chosen}
    of_file = people.sheet.boxes
    stems: dict[str, list[str]] = {}
    for name, stem in _stems(people.questions, people.sheet.columns).items():
        if not _is_empty_missing(name, layout):
            stems.setdefault(of_file[name][0] if name in of_file else stem, []).append(name)
    boxes: dict[str, tuple[str, str]] = {}
    for stem, names in stems.items():
        ends = {name: spelling(LAST_PART.split(name)[-1]) for name in names}
        called = [name for name in names if [*map(spelling, marks[name])] == [ends[name]]]
        if called[1:]:  # others of several answers have people's own words
            names = [name for name in names if len(marks[name]) <= 1]
        chosen = [label for name in names for label in marks[name]]
        if not chosen:
            continue
        named = all(name in of_file or layout.allows_several(name) for name in names)
        whole = all(len(marks[name]) <= 1 for name in names)
        is_mark = len({*chosen}) == 1 and chosen[0].casefold() in MARKS
        differ = len({*chosen}) == len(chosen) and not others.intersection(chosen)
        several = len(names) > 1 and (is_mark or differ)
        one = len(names) == 1 and differ and as_number(chosen[0]) is None and not is_mark
        together = (whole and any(name in single for name in names)) and (
            named or several or (one and not says_missing)
        )
        for name in names:
            is_no_written = name in of_one and any(
                label.casefold() in NOT_MARKS for label in labels[name]
            )
            alone = name in single and (layout.allows_several(name) or is_no_written)
            if together or alone:
                text = next(iter(marks[name]), "")
                text = of_file[name][1] if name in of_file else text
                question = stem if name in of_file or (together and len(names) > 1) else name
                boxes[name] = question, "" if text.casefold() in MARKS else text
    settled = {*boxes, *of_file, *people.sheet.topics}  # sets say what an empty cell means
    unsettled = {
        name: label
        for name, label in of_one.items()
        if name not in settled
        and len(marks[name]) <= 1
        and not _is_empty_missing(name, layout)
        and (len(labels[name]) > 1 or label.casefold() in MARKS or as_number(label) is not None)
    }
    if unsettled:
        raise _one_answer_and_empty(people, unsettled)
    return boxes


def _refuse_lists(files: Survey, labels: Mapping[str, Sequence[str]], layout: Layout) -> None:
    """Raise DataError if cells of a column list which boxes are ticked: it holds nothing more.

    The boxes have columns whose names begin with its name, in each file that has the list.
    """
    lists, sure = list[str](), [*layout.multiple, *layout.coded.get("columns", ())]
    asked = [{*part.questions} for part in files.answers]
    boxes = [name for name in labels if _is_box(labels[name])]
    for name in (name for name in labels if not matches(name, sure)):
        cells = [re.split(r"[\s,;|]+", label) for label in labels[name]]
        called = {as_label(box[len(name) + 1 :]): box for box in boxes if _begins(box, name)}
        ticked = {called.get(option, "") for option in chain.from_iterable(cells)}
        are_there = all(ticked <= names for names in asked if name in names)
        if are_there and any(cell[1:] for cell in cells):
            lists.append(name)
    if lists:
        why = f"not compared, as their cells list which boxes are ticked: {shown(lists)}"
        raise files.people.sheet.fault(
            "list-of-boxes",
            f"{shown(lists)}: cells list which of the columns called after it are ticked; put ",
            Remedy({"ignore": lists}, why=why, is_clear=True),
        )


def _refuse_unjoined(files: Survey, layout: Layout) -> None:
    """Raise DataError if simulators answer a question by lists of people's tick boxes.

    The boxes' names begin with the question's, or each stands before its option.
    """
    people = files.people
    boxes = {name: [*map(spelling, options.values())] for name, options in boxes_of(people).items()}
    single = [*people.questions, *layout.coded.get("single", ()), *left_out(layout.coded)]
    several = dict[str, None]()
    for name, labels in labels_seen(files.simulated).items():
        options, is_open = boxes.get(name, ()), name not in single
        lists = (sum(option in spelling(text) for option in options) > 1 for text in labels)
        if options and is_open and not layout.allows_several(name) and any(lists):
            several[name] = None
    if several:
        why = "people have a tick box for each option, and simulators answer by lists of them"
        way = Remedy({"multiple": [*several]}, why=why, is_clear=True)
        raise people.sheet.fault("tick-boxes-and-lists", f"{shown(several)}: {why}; put ", way)


def boxes_of(people: Answers) -> dict[str, dict[str, str]]:
    """Return the options that several of people's columns are, by question and column."""
    boxes, given = dict[str, dict[str, str]](), labels_seen([people])
    wordings = people.wordings.to_dict()
    for column in people.questions if people.column is None else ():
        option = _option_of(wordings.get(column, column), given.get(column, ()))
        if _are_ticks(given.get(column, ()), option):
            boxes.setdefault(stem_of(column), {})[column] = option
    return {name: one for name, one in boxes.items() if len({*one.values()}) == len(one) > 1}


def _begins(name: str, stem: str) -> bool:
    return name.startswith(stem) and name[len(stem) : len(stem) + 1] in {*"/._:"}


def _is_empty_missing(name: str, layout: Layout) -> bool:
    """Return whether the config says that an empty cell of a question is no answer."""
    return any("" in marks and matches(name, [at]) for at, marks in layout.missing_in.items())


def _of_one_answer(files: Survey) -> dict[str, str]:
    """Return the answer to questions to which somebody's file has one only, and many empty cells.

    Such cells may be boxes that were not ticked.
    """
    single: dict[str, str] = {}
    for answers in files.answers:
        if answers.stated or not (answers.rows["reason"] == MISSING).any():
            continue
        keys = ["scenario", "source"]
        empty = answers.rows["number"].where(answers.rows["reason"] == MISSING, 0.0)
        sums = answers.rows.assign(empty=empty).groupby(keys, observed=True)[["empty", "number"]]
        many = sums.sum().query("empty >= @MANY_EMPTY * number").index
        rows = answers.answered
        chosen = rows.groupby(keys, observed=True, sort=False)["label"].agg(["nunique", "first"])
        chosen = chosen[(chosen["nunique"] == 1) & chosen.index.isin(many)]
        for (name, _), label in chosen["first"].items():
            if str(label).casefold() not in NOT_MARKS:
                single.setdefault(str(name), str(label))
    return single


def _one_answer_and_empty(people: Answers, only: Mapping[str, str]) -> DataError:
    """Return the error that questions have one answer and many empty cells."""
    return people.sheet.fault(
        "one-answer-and-empty",
        f"{next(iter(only.values()))!r} is the only answer to {shown(only)}, and many cells are "
        "empty; if an empty cell is a box that was not ticked, put ",
        Remedy({"multiple": [*only]}),
        "; if it is no answer, put ",
        Remedy({"missing_in": {name: [""] for name in only}}, is_sure=False),
    )


def _marks(
    people: Answers, labels: Mapping[str, Sequence[str]], of_one: Mapping[str, str]
) -> dict[str, Sequence[str]]:
    """Return the different answers to each question, without what one side's imply.

    Where people have one answer, or none, and empty cells beside it, a simulator's "yes" is that
    answer, and its "no" such a cell. So are people's where only a simulator has such cells.

    Args:
        people: their answers.
        labels: everybody's different answers to each question.
        of_one: the answer where somebody has one only, and many empty cells.
    """
    chosen = labels_seen([people])
    unanswered = {*people.rows.loc[people.rows["reason"] == MISSING, "scenario"]}
    marks: dict[str, Sequence[str]] = dict(labels)
    for name in people.questions:
        ticked = chosen.get(name, [])
        is_no = any(label.casefold() in NOT_MARKS for label in ticked)
        if len(ticked) <= 1 and not is_no and name in unanswered:
            implied = NOT_MARKS | (MARKS if ticked else set())
            more = [label for label in labels[name] if label.casefold() not in implied]
            marks[name] = list(dict.fromkeys([*ticked, *more]))
        elif of_one.get(name, "").casefold() in MARKS and all(
            label.casefold() in MARKS | NOT_MARKS for label in labels[name]
        ):
            marks[name] = [of_one[name]]
    return marks


def _stems(names: Iterable[str], columns: Iterable[str]) -> dict[str, str]:
    """Return the stem of each name; a second ``Q5_1`` and ``Q5_2``, with .1 behind, share one.

    Args:
        names: of questions.
        columns: all of the file, which tell such a copy.
    """
    stems, there = {name: stem_of(name) for name in names}, {*columns}
    copies = {
        name: f"{stem_of(match[1])}{match[2]}"
        for name in stems
        if (match := COPY.fullmatch(name)) and match[1] in there
    }
    many = Counter(copies.values())
    return {**stems, **{name: stem for name, stem in copies.items() if many[stem] > 1}}


def _is_box(labels: Sequence[str]) -> bool:
    """Return whether all answers say that an option was chosen, or that it was not."""
    return bool(labels) and {label.casefold() for label in labels} <= MARKS | NOT_MARKS


def _are_ticks(labels: Sequence[str], option: str) -> bool:
    """Return whether answers say that an option was chosen: by a mark, or by its own words."""
    return _is_box(labels) or _ticks(labels) == {spelling(option)}


def _ticks(labels: Iterable[str]) -> set[str]:
    """Return the spellings of answers that don't say that an option was not chosen."""
    return {spelling(label) for label in labels if not _says_no(label)}


def _says_no(label: object) -> bool:
    """Return whether an answer says that an option was not chosen."""
    text = str(label)
    return text.casefold() in NOT_MARKS or bool(NO_TO.match(text))


def _option_of(wording: str, labels: Iterable[str]) -> str:
    """Return the option of a tick box: the part of its wording that ticks repeat, or the last.

    Or the only words that its answers have beside one that says "no".
    """
    parts, labels = LAST_PART.split(wording), [*labels]
    ticks, words = _ticks(labels), [label for label in labels if not _says_no(label)]
    if len(words) == 1 < len(labels) and not (_is_box(words) or as_number(words[0]) is not None):
        parts.append(words[0])
    return next((part for part in parts if {spelling(part)} == ticks), parts[-1])


def _ticked(files: Survey, boxes: Mapping[str, tuple[str, str]], layout: Layout) -> Survey:
    """Return answers in which an empty tick box is a 0, and a ticked one a 1, and notes on it."""

    def ticked(rows: pd.DataFrame, *, stated: bool) -> pd.DataFrame:
        if "reason" not in rows:
            rows = rows.assign(reason=np.where(rows["label"].isna(), MISSING, -1))
        here = rows["scenario"].isin(list(boxes))
        no, empty = _not_ticked(rows, boxes)
        label = rows["label"].astype(object)
        label = label.mask(here & (rows["reason"] < 0), CHOSEN).mask(empty | no, NOT_CHOSEN)
        rows = rows.assign(label=as_category(label), reason=rows["reason"].mask(empty, -1))
        return _with_unchosen(rows, boxes) if stated else rows

    def of(answers: Answers) -> Answers:
        known = answers.doubts
        doubts = known and {name: why for name, why in known.items() if name not in boxes}
        with_ticks = partial(ticked, stated=answers.stated)
        return replace(answers.with_tables(with_ticks), doubts=doubts)

    people = replace(of(files.people), respondents_repeat=True)
    simulated = [of(answers) for answers in files.simulated]
    notes = [*files.notes]
    for answers in files.answers:
        _, empty = _not_ticked(answers.rows, boxes)
        if names := list(answers.rows["scenario"][empty].unique()):
            asked_all = not meant_if_empty(answers.sheet, layout, names)
            also = ", also of who ticked none" if asked_all else ""
            notes.append(answers.sheet.note("tick-boxes", f"{shown(names)}: {TICKED}{also}"))
    people = replace(people, described=_described(people, boxes))
    return Survey(people, files.described, simulated, (*notes,), (*files.apart, *boxes))


def _with_unchosen(rows: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """Return stated shares in which not to choose an option has what choosing it leaves of one."""
    here = rows["scenario"].isin([*names])
    theirs = rows[here]
    number = theirs["number"].where(theirs["label"] == CHOSEN, 0.0)
    keys = [column for column in rows if column not in ("label", "number", "at")]
    chosen = theirs.assign(number=number).groupby(keys, observed=True, dropna=False, sort=False)
    shares = chosen.agg({"number": "sum", "at": "first"}).reset_index().assign(label=CHOSEN)
    unchosen = shares.assign(number=1.0 - shares["number"], label=NOT_CHOSEN)
    parts = [part.astype({"label": object}) for part in (rows[~here], shares, unchosen)]
    return categorical(pd.concat(parts, ignore_index=True)[[*rows.columns]])


def _not_ticked(
    rows: pd.DataFrame, boxes: Mapping[str, tuple[str, str]]
) -> tuple[pd.Series, pd.Series]:
    """Return the rows of boxes that say "no", and those whose empty cell does.

    Where a file writes its "no", an empty cell of that question is one without an answer.
    """
    here = rows["scenario"].isin(list(boxes))
    no = here & rows["label"].astype(object).map(_says_no)
    question = rows["scenario"].astype(object).map(lambda name: boxes.get(name, ("",))[0])
    says_no = question.isin(question[no.astype(bool)].unique())
    return no.astype(bool), here & (rows["reason"] == MISSING) & ~says_no


def _described(people: Answers, options: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Return the cluster and description of each question; an option's cluster is its question."""
    columns = ["cluster", "description"]
    table = people.described.reindex(index=people.questions, columns=columns).astype(object)
    table["cluster"] = table["cluster"].where(table["cluster"].notna(), table.index.to_series())
    for name in table.index.intersection([*options]):
        question, option = options[name]
        table.at[name, "cluster"] = question
        if option:
            table.at[name, "description"] = f"{question}: {option}"
    return table.where(table.notna(), None)


# ------------------------------------------------------------------- several options in one cell


def parts_of(label: str, separator: str) -> list[str]:
    """Return the options in a cell; ``Bus (city, night)`` is one, as its sign is in brackets.

    A comma with a space behind it is no ``TIGHT`` one: Qualtrics joins options by others.
    """
    options = _listed(label)
    if separator == "[" or options is not None:
        return [label] if options is None else options
    depth, begin, parts = 0, 0, []
    for place, sign in enumerate(label):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        is_inner = separator == TIGHT and label.startswith(" ", place + 1)
        if sign == separator[0] and not depth and not is_inner:
            parts.append(label[begin:place])
            begin = place + 1
    parts = label.split(separator[0]) if depth else [*parts, label[begin:]]
    return [as_label(part) for part in parts if part.strip()]


def _listed(label: str) -> list[str] | None:
    """Return the options of a list as Python or JSON writes it; None if it is none."""
    if not (label.startswith("[") and label.endswith("]")):
        return None
    try:
        options = ast.literal_eval(label)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    is_list = isinstance(options, list) and all(
        isinstance(option, str | int | float) for option in options
    )
    return [as_label(option) for option in options] if is_list else None


def separator_of(labels: Sequence[str]) -> str | None:
    """Return the sign between several options in one cell; None if cells seem to hold one each.

    Options recur, alone and beside each other, in cells of different lengths or orders.
    """
    if labels and any(_listed(label) is not None for label in labels):
        return "["
    is_mixed_comma = any(re.search(r",\S", label) for label in labels)
    is_mixed_comma = is_mixed_comma and any(", " in label for label in labels)
    signs = (*((TIGHT,) if is_mixed_comma else ()), *SEPARATORS)
    for separator in _within(labels, signs):
        cells = [parts_of(label, separator) for label in labels]
        several = [cell for cell in cells if len(cell) > 1]
        if not several or any(len({*cell}) < len(cell) for cell in several):
            continue
        times = Counter(chain.from_iterable(cells))
        alone = {cell[0] for cell in cells if len(cell) == 1}
        are_endings = separator == "/" and all("/" not in ENDING.sub("", one) for one in labels)
        if are_endings and alone.isdisjoint(chain.from_iterable(cell[1:] for cell in several)):
            continue
        recurring = [all(times[part] > 1 for part in cell) for cell in several]
        is_mixed = len({len(cell) for cell in cells}) > 1
        is_mixed |= bool({cell[0] for cell in several} & {cell[-1] for cell in several})
        is_clear = len(several) > 1 or {*several[0]} <= alone
        are_numbers = all(as_number(part) is not None for part in times)
        if are_numbers and not _are_codes(labels, several, alone, separator):
            continue
        if is_mixed and is_clear and sum(recurring) >= RECURRING * len(several):
            return separator
    known, joined = {*labels}, [label for label in labels if " " in label]
    split = [label for label in joined if _by_spaces(label, known)]
    return " " if split[1:] and len(split) >= RECURRING * len(joined) else None


def _by_spaces(label: str, known: set[str]) -> list[str]:
    """Return the codes that stand in a cell with spaces between them; none if not all are known."""
    codes = label.split()
    return codes if codes[1:] and known.issuperset(codes) else []


def _with_commas(labels: Sequence[str]) -> tuple[str, ...]:
    """Return options with a comma in them: what stands behind it never stands without the rest.

    >>> _with_commas(["Bus, tram", "Car, Bus, tram", "Car", "Bus, tram, Bike", "Bike, Bus, tram"])
    ('Bus, tram',)
    """
    cells = [[part.strip() for part in label.split(",")] for label in labels]
    times = Counter(chain.from_iterable(map(set, cells)))
    pairs = Counter(chain.from_iterable({*pairwise(cell)} for cell in cells))
    whole = [
        f"{one}, {other}"
        for (one, other), number in pairs.items()
        if number == times[one] == times[other] >= FEWEST_CELLS and other[:1].islower()
    ]
    return tuple(text for text in whole if any(text in label for label in labels))


def separator_in_order(labels: Sequence[str]) -> str | None:
    """Return the sign between the items of rankings, as in ``cost > speed > safety``.

    Each cell has the same items, three at least, in several orders.
    """
    texts = [label for label in labels if _listed(label) is None]
    for separator in _within(texts, IN_ORDER) if texts else ["["]:
        cells = [parts_of(label, separator) for label in labels]
        items = {*cells[0]} if cells else set()
        are_orders = all(len(cell) == len(items) and {*cell} == items for cell in cells)
        if len(items) > 2 and len(cells) > 1 and are_orders:
            return separator
    return None


def _within(labels: Sequence[str], signs: Sequence[str]) -> list[str]:
    """Return the signs that are in some label."""
    together = "".join(labels)
    return [sign for sign in signs if sign[0] in together]


def _are_codes(
    labels: Sequence[str], several: Sequence[Sequence[str]], alone: set[str], separator: str
) -> bool:
    """Return whether cells such as ``1,3`` list codes, and are neither fractions nor dates."""
    if separator in "/+":
        return False
    long = any(len(cell) > 2 for cell in several)
    are_fractions = all(COMMA.fullmatch(label) or as_number(label) is not None for label in labels)
    return long or not are_fractions or all({*cell} <= alone for cell in several)


def _refuse_joined(files: Survey, labels: Mapping[str, Sequence[str]]) -> None:
    """Raise DataError if answers seem to be several options in one cell."""
    ranked = {n: sign for n, texts in labels.items() if (sign := separator_in_order(texts))}
    signs = {name: sign for name, texts in labels.items() if (sign := separator_of(texts))}
    several = {name: sign for name, sign in signs.items() if name not in ranked}
    why, are_lists = "answers are lists of options", {*several.values()} == {"["}
    by_options = Remedy({"multiple": [*several]}, why=why, is_clear=are_lists)
    as_several = (
        "several-in-cell",
        "several options in one cell, as of a question where one may choose several",
        *(by_options, f", and each option of {shown(several)} is a question"),
    )
    in_order = "items in order, as of a ranking"
    theirs = tuple(name for part in files.simulated for name in part.questions)
    alone = [one for one in ranked if theirs and not any(name.startswith(one) for name in theirs)]
    people = files.people
    grids = {
        name: [column for column in people.sheet.columns if stem_of(column) == name]
        for name in ranked
        if people.column is None and name not in people.sheet.columns
    }
    columns = [column for name in ranked for column in grids.get(name) or [name]]
    as_ranking = ("items-in-order", in_order, Remedy({"ranking": columns}))
    if alone:
        in_order = "items in order, and no simulator gives any"
        as_ranking = ("items-in-order", in_order, ignoring(*alone))
    joined = several | ranked
    for answers in (part for part in files.answers if not part.sheet.raw):
        for name, label, at in answers.first_uses:
            sign = joined.get(name)
            if sign is None or (sign != "[" and len(parts_of(label, sign)) < 2):
                continue
            code, what, *way = as_ranking if name in ranked else as_several
            if grids.get(name):
                what = f"{label!r} seems to be {what}, of items that people have columns for"
                raise people.sheet.fault(code, f"{what}; if so, put ", *way)
            raise answers.fault(
                code,
                f"{label!r} seems to be {what}; if so, put ",
                *way,
                "; if it is one option, list the options in the file of scenarios",
                row=answers.rows.iloc[at],
            )


def _apart(
    files: Survey,
    name: str,
    of_all: Mapping[str, Sequence[str]],
    boxes: Mapping[str, tuple[str, str]],
    layout: Layout,
) -> Survey:
    """Return answers in which each option of a question is one: 1 if it was chosen, 0 if not.

    Where people have a column for an option, it is that question.

    Args:
        files: the answers.
        name: of the question.
        of_all: the different answers to all questions.
        boxes: people's tick boxes, with their question and their option.
        layout: says which options others are, and which columns are questions.
    """
    file, labels = files.described, of_all[name]
    known = {} if file is None else file.rows.get("options", pd.Series(dtype=object)).dropna()
    listed: tuple[str, ...] = known.get(name, ())
    in_lists = [options for label in labels if (options := _listed(label)) is not None]
    listed = (*listed, *dict.fromkeys(chain.from_iterable(in_lists)))
    listed = listed or _with_commas(labels)
    choices = [_choices(answers, name, labels, listed, layout) for answers in files.answers]
    answered = map(partial(_without_none, name), files.answers, choices)
    offered = {*known.get(name, ()), *chain.from_iterable(chain(*map(dict.values, choices[1:])))}
    free = _not_offered(files.people, name, choices[0], offered) if any(choices[1:]) else []
    means = read_as("", name, layout)
    sure = {*layout.coded.get("options", ()), *means.values()}
    free = [option for option in free if option not in sure]
    others = [option for option in offered if OTHER.fullmatch(option)]
    cells = [options for chosen in choices for options in chosen.values()]
    options = [*(means.get(option, option) for option in listed), *chain.from_iterable(cells)]
    options = [option for option in dict.fromkeys(options) if option not in NO_OPTIONS]
    columns = _columns_of(files, name, options, boxes, layout)
    options = list(dict.fromkeys([*options, *columns]))
    named = {option: columns.get(option, f"{name}: {option}") for option in options}
    firsts, aside = dict[str, str](), left_out(layout.coded)  # the first of several spellings
    for option, scenario in named.items():
        if scenario not in aside:
            firsts.setdefault(scenario, option)
    options_of = {scenario: (name, option) for scenario, option in firsts.items()}

    def apart(
        rows: pd.DataFrame, chosen: Mapping[str, Sequence[str]], *, stated: bool
    ) -> pd.DataFrame:
        here = rows["scenario"] == name
        if not here.any():
            return rows
        theirs = rows[here]
        text = theirs["label"].astype(object)
        parts = []
        for scenario in firsts:
            ticks = {
                cell: CHOSEN if scenario in map(named.get, some) else NOT_CHOSEN
                for cell, some in chosen.items()
            }
            parts.append(theirs.assign(scenario=scenario, label=text.map(ticks)))
        parted = pd.concat([rows[~here].astype({"scenario": object, "label": object}), *parts])
        sums = [column for column in parted if column in SUMS or isinstance(column, int)]
        keys = [column for column in parted if column not in (*sums, "at")]
        how = {**({"at": "min"} if "at" in parted else {}), **dict.fromkeys(sums, "sum")}
        if "respondent" in parted:  # a row for each person: nothing to add up
            return categorical(parted.reset_index(drop=True))
        if stated:
            return _with_unchosen(parted, firsts)
        grouped = parted.groupby(keys, sort=False, dropna=False, observed=True)
        return categorical(grouped.agg(how).reset_index()[list(rows.columns)])

    first, *simulated = (
        answers.with_tables(partial(apart, chosen=chosen, stated=answers.stated))
        for answers, chosen in zip(answered, choices, strict=True)
    )
    people = replace(first, respondents_repeat=True, described=_described(first, options_of))
    none = (files.people.rows["scenario"] == name) & (files.people.rows["reason"] == MISSING)
    left = files.people.rows.loc[none, "number"].sum()
    what = f"{name!r}: multiple choice, each of its {len(firsts)} options is a question"
    empty = f"; {left:,.0f} empty cells count as missing" if left else ""
    notes = [*files.notes, files.people.sheet.note("multiple-choice", f"{what}{empty}")]
    unsure = [named[option] for option in free]
    why = "no file lists it, and no simulator chooses it, as people's own words, or an option of "
    why += "theirs alone; if simulators could choose it, write compare"
    if not columns and name not in files.people.questions:
        unsure, why = [name], "no column of people's file is called as the question and an option"
    unsure = [one for one in unsure if one not in layout.coded.get("questions", ())]
    if unsure:
        merged = Remedy({"recode": dict.fromkeys(free, *others)}) if len(others) == 1 else None
        way = merged if merged and free else leaving_out(*unsure)
        notes.append(files.people.sheet.note(NOT_OFFERED, f"{shown(unsure)}: {why}", also=[way]))
    if file is not None and name in file.rows.index:
        file = _own_apart(file, name, firsts)
    apart_of = (*files.apart, *(scenario for scenario in firsts if scenario not in files.apart))
    result = Survey(people, file, simulated, (*notes,), apart_of)
    of_people = {column: options_of[column] for column in columns.values() if column in firsts}
    if not of_people:
        return result
    what = f"people's tick boxes of {name!r}, which simulators answer by lists"
    note = files.people.sheet.note("tick-boxes", f"{shown(of_people)}: {what}")
    unread = {column: of_people[column] for column in of_people if column not in boxes}
    return _ticked(replace(result, notes=(*result.notes, note)), unread, layout)


def _without_none(name: str, answers: Answers, chosen: Mapping[str, Sequence[str]]) -> Answers:
    """Return answers to a question in which cells of texts that are no answer are none."""
    none = {
        cell: texts[0] for cell, texts in chosen.items() if texts and NO_OPTIONS.issuperset(texts)
    }
    return answers.with_meanings({(name, cell): meaning_of(why) for cell, why in none.items()})


def _not_offered(
    people: Answers, name: str, chosen: Mapping[str, Sequence[str]], offered: Collection[str]
) -> list[str]:
    """Return options that hardly any of the people chose, or other ones, and that none offered."""
    rows = people.answered[people.answered["scenario"] == name]
    number = rows.groupby("label", observed=True)["number"].sum()
    times: Counter[str] = Counter()
    for label, options in chosen.items():
        times.update(dict.fromkeys({*options}.difference(offered, NO_OPTIONS), number[label]))
    few = max(1, FEW_PEOPLE * number.sum())
    return [option for option in times if times[option] <= few or OTHER.fullmatch(option)]


def _columns_of(
    files: Survey,
    name: str,
    options: Sequence[str],
    boxes: Mapping[str, tuple[str, str]],
    layout: Layout,
) -> dict[str, str]:
    """Return the column that people's file has for an option, by option.

    The column's name, or its wording, is that of the question and the option; signs and capitals
    don't count. Not where several columns are, or where people are asked the question itself.

    Raises:
        DataError: if such a column says more than whether the option was chosen, or if only some
            of the options and columns are alike.
    """
    people, aside = files.people, {*left_out(layout.coded)}
    if people.column is not None or name in people.questions:
        return {}
    asked = [*people.questions, *aside.intersection(people.sheet.columns)]
    wordings = people.wordings.to_dict()
    tables = [*(part.said.rows for part in files.simulated)]
    tables += [] if files.described is None else [files.described.rows]
    called = [table["question"].get(name) for table in tables if "question" in table]
    starts = dict.fromkeys([name, *(text for text in called if isinstance(text, str))])
    given = labels_seen([people])
    spelled: dict[str, set[str]] = {}
    for column in asked:
        wording = str(wordings.get(column, column))
        option = _option_of(wording, given.get(column, ()))
        stem, text = boxes.get(column, (stem_of(column), option))
        is_called_so = _ticks([boxes[column][1]] if column in boxes else given.get(column, ()))
        stems = [stem] if text != column else starts if is_called_so == {spelling(column)} else ()
        for words in (column, wording, *(f"{one}: {text}" for one in stems)):
            spelled.setdefault(spelling(words), set()).add(column)
    several = {
        option: set().union(*(spelled.get(spelling(f"{start}: {option}"), ()) for start in starts))
        for option in options
    }
    columns = {option: next(iter(one)) for option, one in several.items() if len(one) == 1}
    for option, column in columns.items():
        is_known = column in boxes or column in aside
        if not (is_known or _are_ticks(given.get(column, ()), option)):
            raise people.sheet.fault(
                "no-tick-box",
                f"simulators choose it in lists of {name!r}, and its cells are "
                f"{shown(given.get(column, ()))}; write 1 where people chose it, and 0 where they "
                "did not",
                column=column,
            )
    free = {  # what else people's columns call options
        words.removeprefix(start): column
        for start in map(spelling, starts)
        for words, (column, *more) in spelled.items()
        if words.startswith(start) and not more and column not in columns.values()
        if column in boxes or _are_ticks(given.get(column, ()), words.removeprefix(start))
    }
    left = [option for option in options if option not in columns]
    if columns and left:
        raise _without_column(people, name, left, free)
    sure = [*layout.coded.get("columns", ()), *(layout.questions or ())]
    unsure = [column for column in dict.fromkeys(free.values()) if not matches(column, sure)]
    if len(columns) > 1 and unsure:
        raise people.sheet.fault(
            "option-never-chosen",
            f"{shown(unsure)}: called as the options of {name!r}, and no simulator chooses any; "
            "put it under ",
            Key("questions"),
            " if it is an option that they never choose, and else under ",
            Key("ignore"),
            also=[Remedy({"a_question": unsure})],
        )
    return {**columns, **(free if len(columns) > 1 else {})}


def _without_column(
    people: Answers, name: str, left: Sequence[str], free: Mapping[str, str]
) -> DataError:
    """Return the error that people's file has no columns for options that simulators choose."""
    near = {o: get_close_matches(spelling(o), list(free), n=1, cutoff=ALIKE) for o in left}
    same = {option: texts[0] for option, texts in near.items() if texts}
    others = [option for option in left if option not in same]
    there = f" (there are {shown(dict.fromkeys(free.values()))})" if free else ""
    return people.sheet.fault(
        "option-without-column",
        f"simulators choose {shown(left)} in lists of {name!r}, and no column is called so, as "
        f"those of other options are{there}; write them alike, and no option where none is chosen",
        also=[
            *([Remedy({"recode": same})] if same else ()),
            *([meanings({EVERY: others})] if others else ()),
        ],
    )


def _choices(
    answers: Answers, name: str, labels: Sequence[str], listed: Sequence[str], layout: Layout
) -> dict[str, list[str]]:
    """Return the options in each cell of one file; files may have other signs between them.

    ``labels`` are those of all files, which tell the sign where one file's don't.
    """
    rows = answers.rows[(answers.rows["scenario"] == name) & (answers.rows["reason"] < 0)]
    theirs = list(map(str, rows["label"].unique()))
    refused = [label for label in theirs if reason_of(label) == REFUSED]  # one text, with commas
    theirs = [label for label in theirs if label not in refused]
    joined = [label for label in (*labels, *theirs) if _listed(label) is None]
    present = (sign for sign in SEPARATORS if any(sign in label for label in joined))
    sign = separator_of(theirs)
    separator = sign or separator_of(joined) or next(present, ";")
    means = read_as(answers.sheet.path, name, layout)
    chosen = {label: _chosen(label, separator, listed) for label in theirs}
    if answers.stated and sign is None:  # a share for each option
        chosen = {label: [label] for label in theirs}
    if sign is None:
        others = (parts_of(label, separator) for label in joined if label not in theirs)
        elsewhere = {*listed, *chain.from_iterable(others)}
        columns = (column for column in answers.sheet.columns if _begins(column, name))
        boxes = (as_label(column[len(name) + 1 :]) for column in columns)
        known = elsewhere.union(theirs, boxes)
        codes = ((label, _by_spaces(label, known)) for label in theirs if label not in elsewhere)
        chosen |= {label: several for label, several in codes if several}
    chosen |= {label: [REFUSED if answers.sheet.raw else label] for label in refused}
    return {label: [means.get(one, one) for one in several] for label, several in chosen.items()}


def _chosen(label: str, separator: str, listed: Sequence[str]) -> list[str]:
    """Return the options in a cell; of listed ones, also those with the separator in them."""
    options, rest = [], label
    for option in sorted(listed, key=len, reverse=True):
        if separator[0] in option and option in rest:
            options.append(option)
            rest = rest.replace(option, "")
    return [*options, *parts_of(rest, separator)] if rest.strip(f" {separator}") else options


def _own_apart(file: Described, name: str, options: Mapping[str, str]) -> Described:
    """Return a file's information with a row for each option instead of the question's."""
    at = file.rows.index.get_loc(name)
    row = file.rows.iloc[[at] * len(options)].set_axis(list(options))
    if "options" in row:
        row["options"] = None
    for column in ("question", "description"):
        if column in row:
            row[column] = [
                None if pd.isna(text) else f"{text}: {option}"
                for text, option in zip(row[column], options.values(), strict=True)
            ]
    rows = pd.concat([file.rows.iloc[:at], row, file.rows.iloc[at + 1 :]])
    places = [file.place(i) for i in range(len(file.rows))]
    return replace(file, rows=rows, places=[*places[:at], *[at] * len(options), *places[at + 1 :]])


def listed_questions(
    outcome: dict, people: Answers, file: Described | None, boxes: Iterable[str] = ()
) -> dict[str, tuple[str, ...]]:
    """Return the options of the questions for which the config or a file lists them.

    Args:
        outcome: may have levels.
        people: their answers.
        file: the information in the file of scenarios, if there is one.
        boxes: the questions that are an option of another.
    """
    if levels := outcome.get("levels"):
        return dict.fromkeys(people.questions, tuple(levels))
    listed = dict(people.sheet.options)
    for table in (people.said.rows, *([file.rows] if file is not None else [])):
        for column in {"known", "options"}.intersection(table):
            listed |= table[column].dropna().to_dict()
    return {**listed, **dict.fromkeys(boxes, (NOT_CHOSEN, CHOSEN))}


def with_known_options(
    table: pd.DataFrame, apart: Sequence[str], options: Mapping[str, tuple[str, ...]]
) -> pd.DataFrame:
    """Return scenarios with known options, and with both of those that are options of others."""
    both = {**options, **dict.fromkeys(apart, (NOT_CHOSEN, CHOSEN))}
    here = {name: both[name] for name in table.index if name in both}
    if not here:
        return table
    known = table["options"] if "options" in table else pd.Series(None, table.index, dtype=object)
    return table.assign(options=[here.get(name, known[name]) for name in table.index])
