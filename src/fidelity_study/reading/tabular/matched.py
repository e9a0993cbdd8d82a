"""Answers in a model's own words, matched with the options that are listed."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import NamedTuple

import pandas as pd

from fidelity_study.errors import Note, Remedy
from fidelity_study.reading.ingest.parse import (
    AROUND_TEXTS,
    UNPARSABLE,
    in_order_of_letters,
    number_within,
    parse,
    stated_answer,
)
from fidelity_study.reading.settings import NUMBERS
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.coded import read_as
from fidelity_study.reading.tabular.columns import as_label, as_number
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout, values_of
from fidelity_study.reading.tabular.options import fixed_options, known_ranges
from fidelity_study.reading.tabular.remedies import LEVELS
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.tables.ingest import REASONS

MOST_SHOWN, LONGEST, WORDY = 5, 40, 0.1
AROUND_NUMBERS, BEHIND_NUMBERS = " \t\n\"'`*_()[]{}", "*_.,:;!"
MOSTLY_LOST = "mostly-unparsable"


class Read(NamedTuple):
    """What a text is read as.

    Attributes:
        label: an option, or a number; None if it is neither.
        why: the reason then.
        is_within: whether the number stands among other words.
    """

    label: str | None
    why: str | None = None
    is_within: bool = False


def in_own_words(sheet: Sheet, layout: Layout) -> Sheet:
    """Return a long file as one in a model's own words, if many of its answers are.

    That is if they go over lines, are objects, or call a part of them the answer. Or if most are
    numbers, and many of these stand behind other words.
    """
    value = layout.column(sheet, "value")
    if sheet.raw or value is None or layout.column(sheet, "probability") is not None:
        return sheet
    texts = values_of(sheet, [value])[value]
    wordy = sum("\n" in text or stated_answer(text) != text for text in texts)
    numbers = [text for text in texts if number_within(text, -inf, inf) is not None]
    if 2 * len(numbers) > len(texts):
        wordy = max(wordy, sum(text[0].isalpha() for text in numbers))
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
    options = {name: list(labels) for name, labels in people.items()}
    options |= {name: listed.labels for name, listed in fixed.items()}
    names = rows["scenario"].unique()
    others = {name: read_as(answers.sheet.path, name, layout) for name in names}
    if not numeric:
        _refuse_unlisted(answers, options)
        options = _with_letters(rows, options, others)
    limits = known_ranges(outcome, described)
    known: dict[tuple[str, str], Read] = {}
    for name, text, _ in answers.first_uses:
        other = others[name].get(_stated(text))
        if other is not None and (numeric or other in options[name]):
            known[name, text] = Read(other)
        elif numeric:
            known[name, text] = _number(text, *limits.loc[name])
        else:
            known[name, text] = _option(text, options[name], others[name])
    notes = [*_notes(answers, known), *([] if layout.unlisted else _mostly_lost(answers, known))]
    said = replace(answers.said, notes=(*answers.said.notes, *notes))
    meanings = {
        pair: one.label if one.why is None else REASONS.index(one.why)
        for pair, one in known.items()
    }
    return replace(answers.with_meanings(meanings), said=said)


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

    >>> _called("I watch TV", ["Television", "Other"], {"TV": "Television"})
    ['TV', 'Other']
    """
    names = {label: [] if label in others else [label] for label in labels}
    for old, new in others.items():
        names.get(new, []).append(old)
    there = {
        label: [one for one in several if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.I)]
        for label, several in names.items()
    }
    return [max(there[label], key=len, default=(names[label] or [label])[0]) for label in names]


def _stated(text: str) -> str:
    """Return what a text states as an answer, without signs around it."""
    return as_label(stated_answer(text).strip(AROUND_TEXTS))


def _refuse_unlisted(answers: Answers, fixed: Mapping[str, list[str]]) -> None:
    names = [name for name in answers.rows["scenario"].unique() if name not in fixed]
    if names:
        raise answers.sheet.fault(
            "words-without-options",
            f"the answers are in a model's own words, but the options of {shown(names)} are not "
            "listed; list them, ",
            LEVELS,
            ", or in the column options of the file of scenarios",
        )


def _number(text: str, low: float, high: float) -> Read:
    """Return the number that a text stands for, or the reason why there is none."""
    label = as_label(stated_answer(text).strip(AROUND_NUMBERS).rstrip(BEHIND_NUMBERS))
    if as_number(label) is not None:
        return Read(label)
    within = number_within(text, low, high)
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
        for (_, text), (label, _, is_within) in known.items()
        if label is not None and as_label(text) != label and not is_within
    )
    lost = dict.fromkeys(
        f"{_short(text)} ({why})" for (_, text), (_, why, _) in known.items() if why is not None
    )
    kinds = (
        (
            "taken",
            taken,
            "answers in a model's own words, a letter being the option that stands behind it"
            " elsewhere, or else A the first",
        ),
        ("lost", lost, "answers that choose no option"),
    )
    notes = [
        answers.sheet.note(f"words-{code}", f"{what}: {shown(some, MOST_SHOWN, str)}")
        for code, some, what in kinds
        if some
    ]
    within = {text: label for (_, text), (label, _, is_within) in known.items() if is_within}
    if within:
        given = answers.rows["number"][_are(answers.rows, known, lambda one: one.is_within)].sum()
        text, label = next(iter(within.items()))
        what = f"{given:,.0f} answers in words are read as the only number in them, such as "
        notes.append(answers.sheet.note("words-numbers", f"{what}{_short(text)} as {label}"))
    return notes


def _mostly_lost(answers: Answers, known: Mapping[tuple[str, str], Read]) -> Iterator[Note]:
    """Yield notes on simulators most of whose texts choose no option, and do not refuse either."""
    rows = answers.rows[answers.rows["reason"] < 0]
    lost = rows[_are(rows, known, lambda one: one.why == UNPARSABLE)]
    for source, here in lost.groupby("source", observed=True):
        whole = rows.loc[rows["source"] == source, "number"].sum()
        if 2 * here["number"].sum() > whole:
            yield answers.sheet.note(
                MOSTLY_LOST,
                f"{here['number'].sum():,.0f} of {whole:,.0f} answers of {str(source)!r} are no "
                f"option and no number: {shown(map(_short, here['label'].unique()), 3, str)}; mend "
                "them, or if that is all that it says, put ",
                Remedy({"unlisted": UNPARSABLE}, why="they are counted, and in no share"),
            )


def _are(
    rows: pd.DataFrame, known: Mapping[tuple[str, str], Read], is_so: Callable[[Read], bool]
) -> list[bool]:
    """Return which rows have a text that was read in some way."""
    pairs = zip(rows["scenario"], rows["label"], strict=True)
    return [pair in known and is_so(known[pair]) for pair in pairs]


def _short(text: str) -> str:
    return repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")
