"""What simulators call people's questions: by spelling, by wording, as cells say, or likely so."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from itertools import chain

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from fidelity_study.errors import Remedy
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import as_number, key_within, spelling, squashed
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.multiple_choice import boxes_of, parts_of, separator_of
from fidelity_study.reading.tabular.options import labels_seen
from fidelity_study.reading.tabular.questions import (
    LEFT_OUT,
    columns_of_names,
    kind_by_name,
)
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.tables.ingest import LEAVE_OUT

NUMBERED = re.compile(r"([A-Za-z]{1,3}\d+[a-z]?(?:[._]\d+)?)\s*[.:)-]\s+\S.*", re.DOTALL)
NO_WORDS = re.compile(r"[A-Za-z]{0,3}[ _.-]?\d+(?:[ _.-]?(?:\d+|[a-z]))?")
WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")
SIGN = re.compile(r"(?<![^\W\d_])[a-z]{1,2}(?=\d)")  # before a number, as of r1
MOST_NAMES, MOST_TEXTS, STEM, SURE_STEM, FEWEST_LETTERS = 200, 20, 5, 9, 3
WITHIN, ALIKE, BY_STEM, BY_ORDER, AS_GOOD, OF_ALL = 0.8, 0.85, 0.6, 0.02, 0.05, 0.3
LIKELY, LIKELY_BESIDE_OTHERS, LIKELY_NAME = 0.8, 1.0, 0.4
"""How good a match has to be: where no question is in common, and where some are."""


def number_of(name: str) -> str:
    """Return the number before a question's wording, the name itself if it has none.

    >>> number_of("Q1. How happy are you?"), number_of("Q1")
    ('Q1', 'Q1')
    """
    return match[1] if (match := NUMBERED.fullmatch(name)) else name


def as_people_call(people: Answers, answers: Answers) -> Answers:
    """Return a simulator's answers to questions by people's names; their signs may differ.

    One of both may have the number alone of ``Q1. How happy are you?``, or people the wording that
    the simulator's file tells, or the key of ``politics.q1``, in an object of a record. Not of
    columns that may be no questions, or where two names are alike.
    """
    asked = [*dict.fromkeys([*people.questions, *boxes_of(people)])]
    theirs = [*answers.questions]
    left = [name for name in asked if name not in theirs]
    others = [name for name in theirs if name not in asked]
    wordings = answers.wordings
    worded = by_wording(wordings[wordings.index.isin(others)].to_dict())
    names = {worded[text]: name for name in left if (text := spelling(name)) in worded}
    left = [name for name in left if name not in names.values()]
    for name in (name for name in left if kind_by_name(name) not in LEFT_OUT):
        for part in (str, number_of, key_within):
            ours, same = (
                [one for one in several if spelling(part(one)) == spelling(part(name))]
                for several in (asked, theirs)
            )
            is_one = len(ours) == len(same) == 1 and same[0] in others
            if is_one and (part is str or part(name) in (name, same[0])):
                names[same[0]] = name
                break
    return _renamed(answers, names, "spelled-alike", "questions by people's names")


def by_wording(wordings: Mapping[str, str]) -> dict[str, str]:
    """Return the names of questions by the spelling of their wording, where no two have it."""
    spelled = pd.Series({name: spelling(text) for name, text in wordings.items()}, dtype=object)
    alone = spelled[~spelled.duplicated(keep=False)]
    return {text: str(name) for name, text in alone.items() if text != spelling(str(name))}


def with_names_of_cells(sheet: Sheet, layout: Layout) -> Sheet:
    """Return a simulator's wide file with its questions called as cells say."""
    names = _by_cells(sheet.columns, layout)
    if not names:
        return sheet

    def called(keys: Iterable[str]) -> list[str]:
        return [names.get(key, key) for key in keys]

    return replace(
        sheet,
        columns=called(sheet.columns),
        questions=None if sheet.questions is None else called(sheet.questions),
        topics=dict(zip(called(sheet.topics), sheet.topics.values(), strict=True)),
        options=dict(zip(called(sheet.options), sheet.options.values(), strict=True)),
        boxes=dict(zip(called(sheet.boxes), sheet.boxes.values(), strict=True)),
    )


def _by_cells(names: Collection[str], layout: Layout) -> dict[str, str]:
    """Return people's questions by a file's names, as cells say; not those the file has already."""
    called = layout.coded.get("called", {})
    pairs = {name: called.get(name, LEAVE_OUT) for name in names}
    return {name: other for name, other in pairs.items() if other not in (*names, LEAVE_OUT)}


def named(answers: Answers, layout: Layout) -> Answers:
    """Return answers to questions by the names that cells, or the file of questions, have for them.

    The file of questions has them for their wording, see :func:`by_wording`.
    """
    asked = [str(name) for name in answers.rows["scenario"].cat.categories]
    by_cell = _by_cells(asked, layout)
    answers = _renamed(answers, by_cell, "called-as-told", "questions as questions.csv says")
    worded = {name: layout.names_of.get(spelling(name)) for name in asked if name not in by_cell}
    likely = pd.Series(worded, dtype=object).dropna()
    names = likely[~(likely.duplicated(keep=False) | likely.isin(asked))].to_dict()
    return _renamed(
        answers, names, "named-by-wording", "questions by their names in the file of questions"
    )


def _renamed(answers: Answers, names: Mapping[str, str], code: str, what: str) -> Answers:
    """Return answers to questions of other names, and a note on that."""
    if not names:
        return answers

    def renamed(rows: pd.DataFrame) -> pd.DataFrame:
        scenario = rows["scenario"].astype("category").cat.rename_categories(names)
        return rows.assign(scenario=scenario)

    pairs = [f"{other!r} is {name!r}" for other, name in names.items()]
    note = answers.sheet.note(code, f"{what}: {shown(pairs, how=str)}")
    said = replace(
        answers.said, rows=answers.said.rows.rename(index=names), notes=(*answers.said.notes, note)
    )
    described, known = answers.described.rename(index=names), answers.doubts
    doubts = known and {names.get(name, name): why for name, why in known.items()}
    changed = answers.with_tables(renamed, "given")
    return replace(changed, described=described, said=said, doubts=doubts)


# ------------------------------------------------------------------------------- likely names


def refuse_unlinked(
    people: Answers, simulated: Sequence[Answers], called: Mapping[str, str]
) -> None:
    """Raise DataError if simulators' names of questions may be other names of people's questions.

    Proposed is the question whose name or wording, and whose answers, are most alike; none where
    another is as much alike, unless names are numbers, which then follow people's order.

    Args:
        people: their answers.
        simulated: those of simulators, with people's names as far as these are known.
        called: people's questions by simulators' names, as cells say; these are decided.
    """
    asked, proposed = {*people.questions}, dict[str, str]()
    of_people = boxes_of(people)
    for part in simulated:
        answered = {*part.questions}
        boxes = {
            name: one
            for name, one in of_people.items()
            if name not in asked | answered and answered.isdisjoint(one)
        }
        of_box = {column: name for name, columns in boxes.items() for column in columns}
        left = [of_box.get(name, name) for name in people.questions if name not in answered]
        left = [*dict.fromkeys(left)]
        names = [name for name in part.questions if name not in {*asked, *called, *proposed}]
        is_long = any(columns_of_names(part.sheet, asked))  # so that its columns are no questions
        if left and names and not is_long and max(len(names), len(left)) <= MOST_NAMES:
            proposed |= _likely(people, left, part, names, boxes, has_others=bool(asked & answered))
    if proposed:
        raise people.sheet.fault(
            "questions-called-otherwise",
            f"has no question called {shown(proposed)}, as simulators have; write under means in "
            f"questions.csv which one each is, or {LEAVE_OUT!r}",
            also=[Remedy({"called": proposed}, is_sure=False)],
        )


def _likely(
    people: Answers,
    left: Sequence[str],
    part: Answers,
    names: Sequence[str],
    boxes: Mapping[str, Mapping[str, str]],
    *,
    has_others: bool,
) -> dict[str, str]:
    """Return people's likely question of each name of a file, or that there is none as likely.

    Lists of options are likely answers to a question whose options are people's boxes.

    Args:
        people: their answers.
        left: their questions without an answer.
        part: a simulator's answers.
        names: of its questions that people don't have.
        boxes: the options of people's questions that have a column for each.
        has_others: whether other questions are in common.
    """
    sides = [(people, left), (part, names)]
    forms = [[_forms(answers, name) for name in some] for answers, some in sides]
    labels = [labels_seen([answers]) for answers, _ in sides]
    labels[0] |= {name: [*options.values()] for name, options in boxes.items()}
    lists = {*boxes}
    for of_side, (_, some) in zip(labels, sides, strict=True):
        for name in some if boxes else ():
            if name not in boxes and (sign := separator_of(of_side.get(name, ()))):
                parts = (parts_of(label, sign) for label in of_side[name])
                of_side[name] = [*dict.fromkeys(chain.from_iterable(parts))]
                lists.add(name)
    texts = [
        [_texts(of_side.get(name, ())) for name in some]
        for of_side, (_, some) in zip(labels, sides, strict=True)
    ]
    by_name = np.array([[_name_score(one, other) for one in forms[0]] for other in forms[1]])
    by_text = np.array([[_text_score(one, other) for one in texts[0]] for other in texts[1]])
    differ = np.not_equal.outer(*([name in lists for name in some] for some in (names, left)))
    is_exact = by_name == 1.0  # which no other is as good as
    score = by_name + np.maximum(by_text, 0.0) + 2 * AS_GOOD * is_exact
    score = np.where((by_text < 0) | differ, 0.0, score)
    least = LIKELY_BESIDE_OTHERS if has_others else LIKELY
    in_words = np.logical_and.outer(
        *([len(_letters(_words(n))) > 1 for n in some] for some in (names, left))
    )
    facts = [[_is_fact(answers, name) for name in some] for answers, some in sides]
    may_be_fact, is_fact = (by.outer(*reversed(facts)) for by in (np.logical_or, np.logical_and))
    needed = np.where(may_be_fact, WITHIN, LIKELY_NAME if has_others else 0.0)
    is_alike = in_words & (by_name >= ALIKE)
    score[((score < least) & ~is_alike) | (by_name < needed) | is_fact] = 0.0
    places = (np.arange(len(some)) / max(len(some) - 1, 1) for some in (names, left))
    away = np.square(np.subtract.outer(*places))  # names that are as good keep their order
    rows, columns = linear_sum_assignment(score - BY_ORDER * away, maximize=True)
    links, best = {}, np.zeros_like(score)
    best[rows, columns] = score[rows, columns]
    for row, column in zip(rows, columns, strict=True):
        if not best[row, column]:
            continue
        ours, theirs = (  # those that have no better one are as good
            (line > np.maximum(best[row, column], most) - AS_GOOD).sum()
            for line, most in ((score[row], best.max(0)), (score[:, column], best.max(1)))
        )
        is_clear = ours == theirs and (ours == 1 or NO_WORDS.fullmatch(names[row]))
        links[names[row]] = left[column] if is_clear else LEAVE_OUT
    return links


def _is_fact(answers: Answers, name: str) -> bool:
    """Return whether a column may be no question, by its name or cells."""
    return (answers.doubts or {}).get(name, kind_by_name(name)) in LEFT_OUT


def _texts(labels: Collection[str]) -> set[str]:
    """Return the spellings of a question's answers; none where they are a model's own words."""
    return {spelling(text) for text in labels} if len(labels) <= MOST_TEXTS else set()


def _forms(answers: Answers, name: str) -> list[str]:
    """Return a question's name, and its wording where the file tells it."""
    wordings = answers.wordings
    return [name, *([str(wordings[name])] if name in wordings.index else [])]


def _name_score(one: Iterable[str], other: Iterable[str]) -> float:
    """Return how much alike two questions are called, from 0 to 1, in any of their forms."""
    return max(_alike(a, b) for a in one for b in other)


@cache
def _alike(one: str, other: str) -> float:
    """Return how much alike two names are, from 0 to 1.

    >>> _alike("main_source", "water/main_source"), round(_alike("Trust", "Trust (Category)"), 2)
    (0.93..., 0.9)
    >>> _alike("coffee_freq", "How often do you buy coffee out?"), _alike("age", "wages")
    (0.3, 0.0)
    >>> _alike("loyalty_card", "Do you have one of our loyalty cards?")
    0.8
    >>> _alike("recommendation", "Would you recommend us?"), _alike("satisfied", "Are you sure?")
    (0.8, 0.0)
    >>> names = ["goods.1.player.give", "goods.2.player.give", "goods.1.group.total_give"]
    >>> [_alike(name, "goods_give_r1") for name in names]
    [0.95, 0.53..., 0.8]
    """
    first, second = squashed(one), squashed(other)
    if first == second:
        return 1.0
    ours, theirs = ({*SIGN.findall(text.casefold())} for text in (one, other))
    alone = ours ^ theirs if ours <= theirs or theirs <= ours else set()
    words = {text: [word for word in _words(text) if word not in alone] for text in (one, other)}
    (_, fewer), (longer, more) = sorted(words.items(), key=lambda pair: len(pair[1]))
    letters = _letters(fewer)
    if {*fewer} <= {*more} and letters:
        path, _, key = longer.rpartition(".")
        is_key = " " in longer or not path or {*_words(key)} <= {*fewer}
        return WITHIN + (1.0 - WITHIN) * is_key * min(len(fewer) / len(more), 1.0)
    signs, others = sorted(({*first}, {*second}), key=len)
    if not "".join(signs).isascii() and len(signs) > 1:  # as in Chinese, without spaces
        return WITHIN * len(signs & others) / len(signs)
    marks, of_more = (sorted({*some}.difference(_letters(some))) for some in (fewer, more))
    if marks == of_more and (ratio := SequenceMatcher(None, first, second).ratio()) >= ALIKE:
        return ratio
    begin = [one for one in letters if any(word.startswith(one[:STEM]) for word in more)]
    long = (one[:SURE_STEM] for one in begin if len(one) >= SURE_STEM)
    is_sure = begin[1:] or any(word.startswith(stem) for stem in long for word in more)
    return (WITHIN if is_sure else BY_STEM) * len(begin) / max(len(fewer), 1)


@cache
def _words(text: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in WORDS.findall(text))


def _letters(words: Iterable[str]) -> list[str]:
    """Return the words that say something alone."""
    return [word for word in words if len(word) >= FEWEST_LETTERS or not word.isascii()]


def _text_score(one: set[str], other: set[str]) -> float:
    """Return the share of a question's answers that another has, too; below 0 if they differ.

    Numbers say little, as many scales have the same, or are codes of words.
    """
    words, others = (
        {text for text in some if as_number(text) is None and text} for some in (one, other)
    )
    if min(len(words), len(others)) < 2:
        return 0.0
    shared = len(words & others)
    share, of_all = shared / min(len(words), len(others)), shared / len(one | other)
    return (1.0 - OF_ALL) * share + OF_ALL * of_all if shared else -1.0
