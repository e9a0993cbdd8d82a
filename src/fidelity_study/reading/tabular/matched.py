"""Answers in a model's own words, matched with the options that are listed."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import chain
from math import inf
from typing import NamedTuple

import numpy as np
import pandas as pd

from fidelity_study.errors import Note, Remedy
from fidelity_study.reading.ingest.parse import (
    ANY_UNIT,
    AROUND_TEXTS,
    CHOICE,
    NO_UNIT,
    PART,
    UNPARSABLE,
    in_order_of_letters,
    number_within,
    parse,
    stated_answer,
)
from fidelity_study.reading.settings import NUMBERS
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.codebook import meanings_of_codes
from fidelity_study.reading.tabular.coded import read_as
from fidelity_study.reading.tabular.columns import as_label, as_number
from fidelity_study.reading.tabular.doubtful import MOST_LEVELS, likely_meaning, words_behind
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout, values_of
from fidelity_study.reading.tabular.options import fixed_options, known_ranges, labels_seen
from fidelity_study.reading.tabular.remedies import LEVELS, said
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.tables.ingest import EVERY, REASONS

MOST_SHOWN, LONGEST, WORDY = 5, 40, 0.1
HUNDRED = 100.0
"""The end of a scale that nobody may have given, as in ``52 out of 100``."""
AROUND_NUMBERS, BEHIND_NUMBERS = " \t\n\"'`*_()[]{}", "*_.,:;!"
FEWEST_NUMBERS, LABELLED = 3, re.compile(r"\(?-?\d+\s*[-\u2013\u2014=:()]\s*[^\W\d]")
AMOUNT = re.compile(
    r"(?:about|around|approximately|roughly|circa|ca\.?|~)?\s*[$€£]?\s*"
    r"(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*(?P<unit>[^\W\d_]+)\.?",
    re.IGNORECASE,
)
UNIT = re.compile(r"\d\s*([^\W\d_]{1,3})")
"""Its first letters, which its forms share, as Jahre and Jahren."""
FEW_WORDS, TIMES = 4, 4
LOST, MOST_LOST, MOST_ASKED = "unparsable-texts", 0.02, 20


class Read(NamedTuple):
    """What a text is read as.

    Attributes:
        label: an option, or a number; None if it is neither.
        why: the reason then.
        is_within: whether the number stands among other words.
        is_open: whether it is neither, and nobody says what the very text means.
    """

    label: str | None
    why: str | None = None
    is_within: bool = False
    is_open: bool = False


def in_own_words(sheet: Sheet, layout: Layout) -> Sheet:
    """Return a long file as one in a model's own words, if many of its answers are.

    That is if they go over lines, are objects, or call a part of them the answer. Or if most are
    numbers, and many of these stand behind other words; or if many go on after few beginnings.
    """
    value = layout.column(sheet, "value")
    if sheet.raw or value is None or layout.column(sheet, "probability") is not None:
        return sheet
    texts = values_of(sheet, [value])[value]
    wordy = sum("\n" in text or stated_answer(text) != text for text in texts)
    numbers = [text for text in texts if number_within(text, -inf, inf) is not None]
    if 2 * len(numbers) > len(texts):
        wordy = max(wordy, sum(text[0].isalpha() for text in numbers))
    reasons = [text for text in texts if len(text.split()) > FEW_WORDS]
    begun = {PART.split(text, maxsplit=1)[0].strip(AROUND_TEXTS) for text in reasons}
    if len(reasons) > MOST_ASKED and TIMES * len(begun) <= len(reasons):
        wordy = max(wordy, len(reasons))
    return replace(sheet, raw=True) if wordy > WORDY * len(texts) else sheet


def matched(
    answers: Answers,
    outcome: dict,
    described: pd.DataFrame,
    people: Mapping[str, Iterable[str]],
    layout: Layout,
) -> Answers:
    """Return answers whose labels are options, or numbers; other texts count as no answer.

    Where options are not listed, they are those that people chose. A text may call them as those
    that are read as them.

    Args:
        answers: the answers of one file; unchanged if they are not in a model's own words.
        outcome: kind, levels.
        described: the scenarios, with their options where these are listed.
        people: the labels that people chose, by scenario.
        layout: says which texts are read as others.

    Raises:
        DataError: if a scenario's options are not known.
    """
    if not answers.sheet.raw:
        return answers
    rows = answers.rows
    numeric = outcome["kind"] in NUMBERS
    fixed = {} if numeric else fixed_options(outcome, described)
    options = {} if numeric else {name: list(labels) for name, labels in people.items()}
    options |= {name: listed.labels for name, listed in fixed.items()}
    names = rows["scenario"].unique()
    path, rest = answers.sheet.path, {EVERY: layout.unlisted} if layout.unlisted else {}
    others = {
        name: rest | meanings_of_codes(name, layout) | read_as(path, name, layout) for name in names
    }
    called = {name: read_as(path, name, layout, are_whole=False) for name in names}
    if not numeric:
        _refuse_unlisted(answers, options)
        options = _with_letters(rows, options, called)
    limits = known_ranges(outcome, described).fillna({"lower": -inf, "upper": inf})
    known: dict[tuple[str, str], Read] = {}
    units = _units(answers, names) if numeric else {}
    for name, text, _ in answers.first_uses:
        bounds, labels = (*limits.loc[name], units.get(name, NO_UNIT)), options.get(name)
        known[name, text] = _read(text, bounds, labels, others[name], called[name])
    notes = [*_notes(answers, known)]
    if not layout.unlisted:
        there = {EVERY, *(as_label(text) for _, text in known)}
        decided = there.intersection(chain(*others.values()))
        notes += _lost(answers, known, others, options, limits, decided)
    said = replace(answers.said, notes=(*answers.said.notes, *notes))
    meanings = {
        pair: one.label if one.why is None else REASONS.index(one.why)
        for pair, one in known.items()
    }
    return replace(answers.with_meanings(meanings), said=said)


def in_numbers(people: Answers, answers: Answers) -> Answers:
    """Return a simulator's answers with the only number of a text, where people give numbers.

    The code of an option before its label is none. A number may have its question's unit behind it.

    Args:
        people: their answers.
        answers: of a simulator; in a model's own words they are read elsewhere.
    """
    if answers.sheet.raw or answers.stated:
        return answers
    ranges: dict[str, tuple[float, float]] = {}
    for name, labels in labels_seen([people]).items():
        numbers = [number for label in labels if (number := as_number(label)) is not None]
        if len(numbers) == len(labels) >= FEWEST_NUMBERS:
            ranges[name] = min(numbers), max(numbers)
    units = _units(answers, ranges)
    meanings: dict[tuple[str, str], str | int | None] = {}
    for name, text, _ in answers.first_uses:
        if name not in ranges or as_number(text) is not None or LABELLED.match(text):
            continue
        low, high = ranges[name]
        top = HUNDRED if MOST_LEVELS < high <= HUNDRED else high
        ends = (low, high), (-inf, inf), (min(low, 0.0), top)
        read = (_within(text, *pair, units.get(name, NO_UNIT)) for pair in ends)
        if (within := next(filter(None, read), None)) is not None:
            meanings[name, text] = as_label(within)
    if not meanings:
        return answers
    (_, text), label = next(iter(meanings.items()))
    what = f"{len(meanings)} texts are read as the only number in them, such as {_short(text)}"
    note = answers.sheet.note("words-numbers", f"{what} as {label}")
    said = replace(answers.said, notes=(*answers.said.notes, note))
    return replace(answers.with_meanings(meanings), said=said)


def _units(answers: Answers, names: Iterable[str]) -> dict[str, str]:
    """Return how what stands behind the numbers of questions begins, where that is their unit.

    It begins alike in all answers, and most have none: else it may be hours where people gave
    minutes. Where no answer is a number and a unit alone, several sentences have it.
    """
    units: dict[str, str] = {}
    rows = answers.answered
    for name, given in rows[rows["scenario"].isin([*names])].groupby("scenario", observed=True):
        number = given.groupby("label", observed=True)["number"].sum()
        texts = [text for text in number.index if not number_within(text, -inf, inf)]
        alone = [text for text in texts if AMOUNT.fullmatch(_stated(text))]
        texts = alone or [text for text in texts if number_within(text, -inf, inf, ANY_UNIT)]
        begun = {UNIT.findall(text)[-1].casefold() for text in texts}
        is_sure = len(begun) == 1 and (alone or len(texts) > 1)
        if is_sure and 2 * number[texts].sum() <= number.sum():
            units[str(name)] = begun.pop()
    return units


def _within(text: str, low: float, high: float, unit: str) -> str | None:
    """Return the only number in a text if it is in a range, with a unit that may be behind it."""
    match = AMOUNT.fullmatch(_stated(text)) if unit != NO_UNIT else None
    plain = f"{match['number'].replace(',', '')} {match['unit']}" if match else text
    return number_within(plain, low, high, unit)


def _with_letters(
    rows: pd.DataFrame, options: dict[str, list[str]], others: Mapping[str, Mapping[str, str]]
) -> dict[str, list[str]]:
    """Return the options of questions in the order of the letters before their words."""
    given = rows[rows["reason"] < 0].groupby("scenario", observed=True)["label"].unique()
    together: dict[tuple[str, ...], list[str]] = {}
    called: dict[tuple[str, ...], list[str]] = {}
    for name, texts in given.items():
        labels = tuple(options[str(name)])
        together.setdefault(labels, []).extend(map(str, texts))
        called[labels] = _called("\n".join(together[labels]), labels, others[str(name)])
    orders = {}
    for labels, texts in together.items():
        label_of = dict(zip(called[labels], labels, strict=True))
        orders[labels] = [label_of[one] for one in in_order_of_letters(texts, called[labels])]
    return {name: orders.get(tuple(labels), labels) for name, labels in options.items()}


def _called(text: str, labels: Iterable[str], others: Mapping[str, str]) -> list[str]:
    """Return what a text calls options: by what is read as them, or their name if nothing is.

    Or by the words behind a number, if no other has these.

    >>> _called("I watch TV", ["Television", "Other"], {"TV": "Television"})
    ['TV', 'Other']
    >>> _called("No.", ["[1] Yes", "[2] No"], {})
    ['[1] Yes', 'No']
    """
    labels = [*labels]
    words = Counter(words_behind(label) for label in labels)
    names = {label: [] if label in others else [label] for label in labels}
    for label in labels:
        alone = words[words_behind(label)] == 1 and label not in others
        names[label] += [words_behind(label)] if alone else []
    for old, new in others.items():
        names.get(new, []).append(old)
    there = {
        label: [one for one in several if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.I)]
        for label, several in names.items()
    }
    return [max(there[label], key=len, default=(names[label] or [label])[0]) for label in names]


def _read(
    text: str,
    bounds: tuple[float, float, str],
    labels: list[str] | None,
    others: Mapping[str, str],
    called: Mapping[str, str],
) -> Read:
    """Return what a text is read as: an option, or without ``labels`` a number; or why neither."""
    if said := _meant((_stated(text), as_label(text)), others, labels):
        return said
    read = _number(text, *bounds) if labels is None else _option(text, labels, called)
    if read.why != UNPARSABLE:
        return read
    return (_meant((EVERY,), others, labels) or read)._replace(is_open=True)


def _meant(
    texts: Iterable[str], others: Mapping[str, str], labels: Container[str] | None
) -> Read | None:
    """Return what the first of texts is said to mean: an option, a number, or why there is none."""
    for means in (others[text] for text in texts if text in others):
        if means in REASONS and means not in (labels or ()):
            return Read(None, means)
        if labels is None or means in labels:
            return Read(means)
    return None


def _stated(text: str) -> str:
    """Return what a text states as an answer, without signs around it."""
    return as_label(stated_answer(text).strip(AROUND_TEXTS))


def _refuse_unlisted(answers: Answers, fixed: Mapping[str, list[str]]) -> None:
    names = [name for name in answers.questions if name not in fixed]
    if names:
        raise answers.sheet.fault(
            "words-without-options",
            f"the answers are in a model's own words, but the options of {shown(names)} are not "
            "listed; list them, ",
            LEVELS,
            ", or in the column options of the file of scenarios",
        )


def _number(text: str, low: float, high: float, unit: str) -> Read:
    """Return the number that a text stands for, or the reason why there is none."""
    label = as_label(stated_answer(text).strip(AROUND_NUMBERS).rstrip(BEHIND_NUMBERS))
    if as_number(label) is not None:
        return Read(label)
    within = _within(text, low, high, unit)
    if within is None:
        return Read(None, parse(text, [])[1])
    return Read(as_label(within), is_within=True)


def _option(text: str, labels: list[str], others: Mapping[str, str]) -> Read:
    """Return the option that a text chooses, or why it chooses none."""
    if (label := as_label(stated_answer(text))) in labels:
        return Read(label)
    place, why = parse(text, _called(text, labels, others))
    if place is not None:
        return Read(labels[place])
    if len(labels) > 2 and all(as_number(one) is not None for one in labels):
        within = number_within(text, min(map(float, labels)), max(map(float, labels)))
        if within is not None and as_label(within) in labels:
            return Read(as_label(within), is_within=True)
    return Read(None, why)


def _notes(answers: Answers, known: Mapping[tuple[str, str], Read]) -> list[Note]:
    """Return how words were taken for options, or for numbers, and which were not."""
    taken = dict.fromkeys(
        f"{_short(text)} as {label!r}"
        for (_, text), read in known.items()
        if (label := read.label) is not None and as_label(text) != label and not read.is_within
    )
    lost = dict.fromkeys(
        f"{_short(text)} ({why})" for (_, text), (_, why, *_) in known.items() if why is not None
    )
    are_letters = any(
        CHOICE.match(_stated(text)) and read.label.casefold() not in text.casefold()
        for (_, text), read in known.items()
        if read.label is not None and not read.is_within
    )
    what = "answers in a model's own words"
    letters = ", a letter being the option that stands behind it elsewhere, or else A the first"
    kinds = (
        ("taken", taken, what + letters * are_letters),
        ("lost", lost, "answers that choose no option"),
    )
    notes = [
        answers.sheet.note(f"words-{code}", f"{what}: {shown(some, MOST_SHOWN, str)}")
        for code, some, what in kinds
        if some
    ]
    within = {text: read.label for (_, text), read in known.items() if read.is_within}
    if within:
        given = answers.rows["number"][_are(answers.rows, known, lambda one: one.is_within)].sum()
        text, label = next(iter(within.items()))
        what = f"{given:,.0f} answers in words are read as the only number in them, such as "
        notes.append(answers.sheet.note("words-numbers", f"{what}{_short(text)} as {label}"))
    return notes


def _lost(
    answers: Answers,
    known: Mapping[tuple[str, str], Read],
    others: Mapping[str, Mapping[str, str]],
    options: Mapping[str, list[str]],
    limits: pd.DataFrame,
    decided: Set[str],
) -> Iterator[Note]:
    """Yield a note on texts that choose no option, and that nobody says the meaning of.

    Only if they are more than a few of a simulator's answers, or of those to a question. Proposed
    is the option that a text begins with, the only number in it, or else that it is none.

    Args:
        answers: of one file, as they were read.
        known: what they are read as.
        others: what texts are said to mean, by question.
        options: those of the questions; empty if answers are numbers.
        limits: the ranges of numbers.
        decided: the texts of this file that somebody said the meaning of.
    """
    sayable = {*REASONS, *chain(*options.values())}
    proposed: dict[str, str] = {}
    for name, text in (pair for pair, read in known.items() if read.is_open):
        label, means = as_label(text), others[name].get(as_label(text))
        if label and (means is None or (options and means not in sayable)):
            means = likely_meaning(text, options.get(name), limits.loc[name])
            proposed.setdefault(label, means or UNPARSABLE)
    rows = answers.answered
    rows = rows.assign(text=[as_label(text) for text in rows["label"]])
    lost = rows[rows["text"].isin(proposed) & _are(rows, known, lambda one: one.is_open)]
    number = lost.groupby("text")["number"].sum().sort_values(ascending=False, kind="stable")
    most = max(MOST_ASKED - len(decided - {EVERY}), 0)  # those decided were among the commonest
    asked, rest = {text: proposed[text] for text in number.index[:most]}, number[most:]
    if len(rest) and EVERY not in decided:
        asked[EVERY] = UNPARSABLE
    if not (asked and _is_many(lost, rows)):
        return
    names = lost["source"].unique()
    whole = rows.loc[rows["source"].isin(names), "number"].sum()
    yield answers.sheet.note(
        LOST,
        f"{number.sum():,.0f} of {whole:,.0f} answers of {shown(names)} are no "
        f"{'option' if options else 'number'}: {shown(map(_short, number.index), 3, str)}"
        + (
            f"; {EVERY} stands for {len(rest)} other texts, {rest.sum():,.0f} answers"
            if EVERY in asked
            else ""
        )
        + "; mend them, or if that is all that it says, put ",
        Remedy({"unlisted": UNPARSABLE}, is_sure=False),
        also=[said(asked, file=answers.sheet.path)],
    )


def _is_many(part: pd.DataFrame, rows: pd.DataFrame) -> bool:
    """Return whether a part is more than a few of a simulator's answers, or of a question's."""
    shares = (
        part.groupby(by, observed=True)["number"].sum()
        / rows.groupby(by, observed=True)["number"].sum()
        for by in ("source", "scenario")
    )
    return any((share > MOST_LOST).any() for share in shares)


def _are(
    rows: pd.DataFrame, known: Mapping[tuple[str, str], Read], is_so: Callable[[Read], bool]
) -> np.ndarray:
    """Return which rows have a text that was read in some way."""
    pairs = zip(rows["scenario"], rows["label"], strict=True)
    return np.array([pair in known and is_so(known[pair]) for pair in pairs], bool)


def _short(text: str) -> str:
    return repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")
