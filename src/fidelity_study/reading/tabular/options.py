"""The possible answers in each scenario: its options, or the range of its numbers."""

import re
from collections import Counter
from collections.abc import (
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fidelity_study.errors import (
    BLANK,
    DataError,
    ErrorList,
    Fault,
    Note,
    Part,
    Remedy,
    fault,
    refusal,
)
from fidelity_study.reading.ingest.parse import ANY_UNIT, option_named
from fidelity_study.reading.settings import NUMBERS, POINTS, VECTOR
from fidelity_study.reading.tabular.answers import Answers, is_people
from fidelity_study.reading.tabular.columns import (
    COMMA,
    LEAST,
    THOUSANDS,
    as_label,
    as_number,
    not_a_number,
    plain,
    whole_steps,
)
from fidelity_study.reading.tabular.columns import NOTHING as EMPTY
from fidelity_study.reading.tabular.doubtful import (
    AROUND,
    NEGATED,
    NOTHING,
    alike,
    are_one_apart,
    beyond_a_gap,
    codes_of_nothing,
    counterparts,
    difference,
    far,
    have_same_words,
    is_date,
    is_net,
    is_no_answer,
    is_unanswered,
    labelled_ends,
    likely_meaning,
    number_of,
    rare_ends,
    says_no_answer,
    texts_among_numbers,
    why_none,
)
from fidelity_study.reading.tabular.reading import fits
from fidelity_study.reading.tabular.remedies import (
    AMONG_LEVELS,
    BOUNDS,
    LEVELS,
    SCENARIOS,
    TEXTS,
    UNLISTED,
    leaving_out,
    meanings,
    said,
)
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.survey import are_steps
from fidelity_study.reading.tabular.word_scales import in_steps, is_step
from fidelity_study.reading.tabular.words import NO, YES
from fidelity_study.tables.ingest import (
    EVERY,
    HUMAN,
    NOT_ASKED,
    REASONS,
    TOTAL,
    UNPARSABLE,
)

BOOLEANS = {"true": "1", "false": "0"}
CAPITALS = "people's capitals, signs and numbers"
APART, RARE, RARE_END, MOST_RECODED = "codes-apart", 0.2, 0.1, 40
ARTICLES = {"of", "the", "a", "an", "de", "du", "des", "la", "le", "les", "el", "los", "las"}
ARTICLES |= {"der", "die", "das", "von", "vom", "di", "del", "della", "do", "da", "dos", "van"}
ROUGHLY, NO_ANSWER = 0.6, REASONS[0]
SPELLING, TEXT, CODE = "spelling", "text", "code of labels"
IF_NONE = "if it is no answer, put "
FEWEST_FILTERED = 5
AMOUNTS = {"a little", "a bit", "some", "a lot", "a great deal", "a fair amount", "much"}
"""Words of amounts, below which ``None`` is an option."""
Parts = tuple[Part, ...]


@dataclass(frozen=True)
class Options:
    """The options of one scenario: their codes in order, and the label of each."""

    values: list[float]
    labels: list[str]

    @classmethod
    def of(cls, labels: Iterable[str], kind: str) -> "Options":
        """Give options their codes: numbers are their own, texts are numbered in order.

        So are numbers that a float does not tell apart.
        """
        labels = list(labels)
        numbers = [number for label in labels if (number := as_number(label)) is not None]
        if len({*numbers}) < len(labels):
            first = 0 if kind == "binary" else 1
            numbers = [float(i) for i in range(first, first + len(labels))]
        return cls(numbers, labels)


class DoubtfulText(NamedTuple):
    """A text that may be no option of its question.

    Attributes:
        name: the question.
        text: as it stands.
        means: what is proposed that it means; empty if that is the user's to say, None if no cell
            can say it.
        kind: of doubt.
        why: what is wrong with it.
        at: the first row that has it.
    """

    name: str
    text: str
    means: str | None
    kind: str = ""
    why: str = ""
    at: int = 0


def different_answers(all_answers: list[Answers], scenarios: Iterable[str]) -> dict[str, Options]:
    """Return all different answers to each scenario, numbered; of texts and other points."""
    seen = labels_seen(all_answers)
    labels = {name: seen.get(name, []) for name in scenarios}
    return {name: Options([*map(float, range(len(some)))], some) for name, some in labels.items()}


def outcome_faults(outcome: dict, place: str) -> list[Fault]:
    """Return faults where the keys of ``outcome`` do not fit its kind or each other."""
    kind, levels, scores = (outcome.get(key) for key in ("kind", "levels", "scores"))
    bounds = outcome.get("bounds")
    faults: list[tuple] = []
    if kind in POINTS and (levels or scores):
        faults.append((f"{kind} outcomes have no levels or scores; take them out",))
    if kind in NUMBERS and (levels or scores):
        faults.append((f"{kind} outcomes are numbers and have no levels or scores; take them out",))
    if kind != VECTOR and "radius" in outcome:
        faults.append((f"radius is for vectors, not for {kind} outcomes; take it out",))
    if kind != "bounded" and bounds:
        faults.append((f"bounds are for bounded outcomes, not for {kind} ones; take them out",))
    if bounds and not bounds[0] < bounds[1]:
        faults.append((f"bounds {bounds} are no range; put the smaller number first",))
    if kind == "categorical" and scores:
        what = "categorical options have no scores; call the kind ordinal, or take them out"
        faults.append((what, Remedy({"outcome.kind": "ordinal"})))
    if scores and len(scores) != len(levels or []):
        what = f"has {len(scores)} scores for {len(levels or [])} levels; give one for each"
        faults.append((what,))
    if levels and len({as_label(level) for level in levels}) < len(levels):
        faults.append((f"levels {levels} has the same option twice; list each once",))
    if kind == "binary" and levels and len(levels) != 2:
        what = f"binary outcomes have 2 levels, not {len(levels)}; call the kind ordinal"
        faults.append((what, Remedy({"outcome.kind": "ordinal"})))
    return [
        fault("outcome", what, key=f"{place}.outcome", also=remedies) for what, *remedies in faults
    ]


def known_ranges(outcome: dict, described: pd.DataFrame) -> pd.DataFrame:
    """Return lower and upper of each scenario as far as they are told."""
    listed, said = (
        described.reindex(columns=columns).astype(float).set_axis(["lower", "upper"], axis=1)
        for columns in (["lower", "upper"], ["low", "high"])
    )
    lower, upper = outcome.get("bounds", (np.nan, np.nan))
    return listed.fillna({"lower": lower, "upper": upper}).fillna(said)


def ranges(outcome: dict, all_answers: list[Answers], described: pd.DataFrame) -> pd.DataFrame:
    """Return lower and upper of each scenario, the range of its possible numbers.

    Raise DataError at the first answer that is not a number, or not within its range.
    """
    table = known_ranges(outcome, described)
    for answers in all_answers:
        rows = answers.answered
        number = rows["label"].map(as_number).to_numpy(float)
        texts = rows[np.isnan(number)].astype({"label": str})
        if len(texts):
            words = texts[texts["label"].str.contains(ANY_UNIT)]
            row = (words if len(words) else texts).iloc[0]
            known = table.fillna({"lower": -np.inf, "upper": np.inf})
            ways = words.groupby("scenario", observed=True)["label"].unique().items()
            likely = partial(_likely, answers=answers, options=None)
            also = [
                meanings({name: some}, partial(likely, ends=known.loc[name])) for name, some in ways
            ]
            raise answers.fault("not-a-number", *not_a_number(row["label"]), row=row, also=also)
        if outcome["kind"] != "bounded":
            continue
        limits = table.reindex(rows["scenario"].astype(object)).to_numpy()
        outside = ~((limits[:, 0] <= number) & (number <= limits[:, 1]))
        if not outside.any():
            continue
        row, (lower, upper) = rows[outside].iloc[0], limits[outside][0]
        if not np.isnan(lower + upper):
            raise answers.fault(
                "outside-range",
                f"{row['label']} is outside the range of scenario {row['scenario']!r}, from "
                f"{lower:g} to {upper:g}; mend it, or widen ",
                BOUNDS,
                " or the scenario's lower and upper",
                row=row,
            )
        raise answers.fault(
            "range-unknown",
            f"{row['label']} cannot be checked, as the range of scenario "
            f"{row['scenario']!r} is unknown; put ",
            BOUNDS,
            ", or columns lower and upper into the file of scenarios",
            row=row,
            also=[SCENARIOS],
        )
    return table


def refuse_codes(all_answers: list[Answers], outcome: dict, table: pd.DataFrame) -> list[Note]:
    """Return notes on numbers within their range that stand apart, as codes for no answer do.

    Args:
        all_answers: everybody's answers.
        outcome: its kind.
        table: the scenarios.

    Raises:
        DataError: if no range is known that such numbers are within.
    """
    everybody = labels_seen(all_answers)
    numbers = {
        name: [label for label in everybody.get(name, ()) if as_number(label) is not None]
        for name in table.index
    }
    codes = {name: codes_of_nothing(labels) for name, labels in numbers.items()}
    answered = _among_others(numbers.values(), set().union(*codes.values()))
    low, high = outcome.get("bounds", (-np.inf, np.inf))
    faults, notes = ErrorList(), []
    for answers in _people_first(all_answers):
        uses = [] if answers.stated else answers.first_uses
        doubtful = [
            DoubtfulText(name, text, NO_ANSWER, at=at)
            for name, text, at in uses
            if text in codes.get(name, ())
        ]
        if not doubtful:
            continue
        doubtful.sort(key=lambda one: (one.text in answered, float(one.text)))
        labels = sorted({one.text for one in doubtful}, key=float)
        what: Parts = (
            f"{shown(labels)} {'stand' if len(labels) > 1 else 'stands'} apart from all other "
            "answers, as codes for no answer do, and would be averaged in; if no answer is meant, "
            "put ",
            *filter(None, [saying(answers, doubtful, {EVERY: answered})]),
        )
        is_within = all(low <= float(label) <= high for label in labels)
        if outcome["kind"] == "bounded" and is_within:
            notes.append(answers.sheet.note(APART, *what))
            continue
        range_known = Remedy({"outcome.kind": "bounded", "outcome.bounds": [BLANK]})
        with faults.collected():
            row = answers.rows.iloc[min(one.at for one in doubtful)]
            is_real = outcome["kind"] == "real"
            also = ("; if they are answers, give their range: ", range_known) if is_real else ()
            raise answers.fault("code-among-numbers", *what, *also, row=row)
    faults.refuse()
    return notes


def _among_others(numbers: Iterable[Iterable[str]], codes: Set[str]) -> set[str]:
    """Return the codes that are answers to a question, as its other answers are on both sides.

    >>> _among_others([["1", "7", "99", "-9"], ["-9", "0", "99", "100"]], {"99", "-9"})
    {'99'}
    """
    answered: set[str] = set()
    for given in map(set, numbers):
        others = [*map(float, given - codes)] or [np.inf]
        answered |= {code for code in given & codes if min(others) < float(code) < max(others)}
    return answered


def touched(answers: Answers, labels: Iterable[str], pattern: str = "*") -> str:
    """Say how many answers to which questions labels are: ``21 of 90 answers to 'q1'``.

    Only to questions that fit a pattern; nothing if they are none.
    """
    number, whole, names = parts_touched(answers, labels, pattern)
    return f"{number:,.0f} of {whole:,.0f} answers to {shown(names, 3)}" if names else ""


def parts_touched(
    answers: Answers, labels: Iterable[str], pattern: str = "*"
) -> tuple[float, float, list[str]]:
    """Return how many answers labels are, of how many, to which questions."""
    rows = answers.answered
    here = rows[rows["label"].isin(list(labels))]
    names = [str(name) for name in here["scenario"].unique() if fits(str(name), pattern)]
    number, whole = (
        some.loc[some["scenario"].isin(names), "number"].sum() for some in (here, rows)
    )
    return float(number), float(whole), names


def numbers_seen(
    all_answers: list[Answers], scenarios: Iterable[str], origin: Sequence[str], fewest: int
) -> dict[str, Options]:
    """Return the distinct numbers that occur in each scenario; raise DataError if too few do."""
    seen = labels_seen(all_answers)
    for name in scenarios:
        refused = partial(refusal, file=origin, scenario=name)
        if len(seen[name]) < fewest:
            raise refused(
                "one-number-only",
                f"everybody answers {seen[name][0]}, so nothing can differ; drop the scenario",
            )
        if len(set(map(float, seen[name]))) < len(seen[name]):
            raise refused(
                "numbers-too-long",
                f"numbers such as {max(seen[name], key=len)} have more digits than a number holds, "
                "so that different ones would be equal; take the same number from all of them, "
                "people's and simulators', or drop the scenario",
            )
    return {name: Options.of(in_order(seen[name]), "real") for name in scenarios}


def without_unlisted(answers: Answers, outcome: dict, described: pd.DataFrame, why: str) -> Answers:
    """Return a simulator's answers, where texts that are no listed option count as no answer.

    Second spellings of an option are kept, so that they are refused later.

    Raise DataError if nothing is left of a simulator.

    Args:
        answers: of one file; stated probabilities are left as they are.
        outcome: kind, levels.
        described: the scenarios, with a column ``options`` if they have it.
        why: the reason, one of ``REASONS``.
    """
    if answers.stated:
        return answers
    fixed = fixed_options(outcome, described)
    listed_in = {name: known.labels for name, known in fixed.items()}
    strangers = _strangers(answers, listed_in)
    if any(_spelled(label, listed_in[name]) for name, label, _ in strangers):
        return answers
    unlisted = {label: option_named(label, listed_in[name]) or "" for name, label, _ in strangers}
    reason = REASONS.index(why)
    listed = answers.with_meanings({(name, label): reason for name, label, _ in strangers})
    answered = set(listed.rows["source"][listed.rows["reason"] < 0])
    silent = [name for name in answers.rows["source"].unique() if name not in answered]
    if silent:
        raise answers.fault(
            "no-text-listed",
            f"no text of {silent[0]!r} is a listed option; recode them, or take the simulator out",
            row=answers.rows[answers.rows["source"] == silent[0]].iloc[0],
        )
    return replace(listed, unlisted=unlisted)


def options(
    outcome: dict,
    all_answers: list[Answers],
    described: pd.DataFrame,
    origin: Sequence[str],
    sure: Set[str] = frozenset(),
) -> dict[str, Options]:
    """Return the options of each scenario.

    In order of preference they are: the scenario's own ``options``; ``outcome.levels``; or those
    that somebody chose. Raise DataError at the first answer that is not among the first two, and
    where the chosen ones do not tell the options.

    Args:
        outcome: kind, levels, scores.
        all_answers: everybody's answers.
        described: the scenarios, with a column ``options`` if they have it.
        origin: the files to name where the fault is in no single row.
        sure: texts that are options, whatever they look like.
    """
    kind = outcome["kind"]
    fixed = fixed_options(outcome, described)
    _refuse_one_scale(outcome, all_answers, described)
    ours = labels_seen(filter(is_people, all_answers))
    listed = {name: known.labels for name, known in fixed.items()}
    coded = {*_listed(described, "known", kind)}
    faults = ErrorList()
    for answers in all_answers:
        with faults.collected():
            _refuse_doubtful(answers, *_unknown(answers, listed, coded), ours)
    faults.refuse()
    free = [name for name in described.index if name not in fixed]
    if not free:
        return fixed
    _check_seen(all_answers, set(free), sure)
    seen = labels_seen(all_answers)
    chosen = {name: in_order(seen.get(name, [])) for name in free}
    chosen = _completed(chosen, described, kind, origin)
    return {**fixed, **{name: Options.of(labels, kind) for name, labels in chosen.items()}}


def sharing_answers(
    seen: Mapping[str, Iterable[str]], joining: Container[str] | None = None
) -> list[tuple[set[str], list[str]]]:
    """Return groups of questions that have no answer in common: all their answers, their names.

    A "don't know" is no answer here.

    Args:
        seen: the answers to each question.
        joining: those that questions with one scale have in common; None if all may be.
    """
    groups: dict[int, tuple[set[str], list[str]]] = {}  # by when one was added to last
    last: dict[str, int] = {}
    for now, (name, given) in enumerate(seen.items()):
        labels = [label for label in given if not is_no_answer(label)]
        same = [groups.pop(at) for at in sorted({last[label] for label in labels if label in last})]
        answers, names = same[0] if same else (set(), [])
        for more, others in same[1:]:
            answers |= more
            names += others
        answers.update(labels)
        names.append(name)
        groups[now] = (answers, names)
        shared = (label for label in answers if joining is None or label in joining)
        last |= dict.fromkeys(shared, now)
    return list(groups.values())


def have_scales_apart(seen: Mapping[str, Iterable[str]]) -> bool:
    """Return whether questions have several scales, some of them of texts, not one."""
    several = [labels for labels, _ in sharing_answers(seen) if len(labels) > 1]
    are_numbers = all(as_number(label) is not None for labels in several for label in labels)
    return len(several) > 1 and not are_numbers


def _refuse_one_scale(outcome: dict, all_answers: list[Answers], described: pd.DataFrame) -> None:
    """Raise DataError if ``levels`` are listed for all questions, which have different scales."""
    if not outcome.get("levels"):
        return
    levels = {*map(as_label, outcome["levels"])}
    listed = {**_listed(described, "known", ""), **_listed(described, "options", "")}
    people = labels_seen(filter(is_people, all_answers))
    seen = {name: labels for name, labels in people.items() if name not in listed}
    others = {name: labels for name, labels in seen.items() if levels.isdisjoint(labels)}
    is_one = outcome["kind"] == "ordinal" and have_scales_apart(seen)
    if not is_one and not (0 < len(others) < len(seen) and have_scales_apart(seen)):
        return
    (first, names), (second, rest) = [
        group for group in sharing_answers(seen) if len(group[0]) > 1
    ][:2]
    sheet = next(filter(is_people, all_answers)).sheet
    raise sheet.fault(
        "one-scale-for-several",
        f"answers to {shown(names, 3)} are {_few(first)}, and those to {shown(rest, 3)} "
        f"{_few(second)}: these are different scales, and ",
        AMONG_LEVELS,
        " has one for all; list the options of each question in order in a file of scenarios, ",
        SCENARIOS,
    )


def fixed_options(outcome: dict, described: pd.DataFrame) -> dict[str, Options]:
    """Return the options that the config, the file of scenarios or that of people lists."""
    levels, kind = outcome.get("levels"), outcome["kind"]
    fixed = _listed(described, "known", kind)
    if levels:
        common = Options.of([as_label(level) for level in levels], kind)
        fixed = dict.fromkeys(described.index, common)
    return {**fixed, **_listed(described, "options", kind)}


def _listed(described: pd.DataFrame, column: str, kind: str) -> dict[str, Options]:
    """Return the options of the scenarios that have some in a column of tuples."""
    if column not in described:
        return {}
    listed = described[column].dropna()
    return {name: Options.of(labels, kind) for name, labels in listed.items()}


def _strangers(
    answers: Answers, listed: Mapping[str, Collection[str]]
) -> list[tuple[str, str, int]]:
    """Return the answers that are no listed option: scenario, label and position in ``rows``."""
    return [
        (name, label, at)
        for name, label, at in answers.first_uses
        if name in listed and label not in listed[name]
    ]


def _unknown(
    answers: Answers, listed: Mapping[str, list[str]], coded: Container[str]
) -> tuple[list[DoubtfulText], dict[str, list[str]]]:
    """Return a file's answers that are no listed option, and the options of each scenario.

    Args:
        answers: of the file.
        listed: the listed options.
        coded: the scenarios whose options the labels of a survey file list.
    """
    strangers = _strangers(answers, listed)
    outside, elsewhere = _codes_outside(answers, strangers, listed)
    may_be_none = _are_rare(answers, [text for _, text, _ in strangers])
    doubtful = []
    for name, text, at in strangers:
        options, number = listed[name], as_number(text)
        kind = CODE if number is not None and name in coded else TEXT
        why = f"is no option of scenario {name!r} ({', '.join(options)})"
        means = outside.get((name, text))
        near = _spelled(text, options) or option_named(text, options)
        if near := near or ("" if kind == CODE else _numbered(text, options)):
            is_none = says_no_answer(near) and number is not None
            kind, why = SPELLING, f"{why}, but looks like {near!r}"
            means = why_none(near) if is_none else near
        elif number is None:
            means = _likely(text, answers, options)
        elif not (means or kind == CODE or _is_within(number, options)):
            is_option = any(text in labels for labels in listed.values())
            means = NO_ANSWER if may_be_none and not is_option else ""
        doubtful.append(DoubtfulText(name, text, means, kind, why, at))
    return doubtful, {**listed, EVERY: elsewhere}


def _codes_outside(
    answers: Answers,
    strangers: Iterable[tuple[str, str, int]],
    options: Mapping[str, Collection[str]],
) -> tuple[dict[tuple[str, str], str], list[str]]:
    """Return why people's numbers outside complete keys are no answers, if all are usual codes.

    And those that others' cells have.
    """
    asked = dict[str, list[str]]()
    for name, label, _ in strangers:
        asked.setdefault(label, []).append(name)
    usual = {label for label in asked if as_number(label) in {0.0, *NOTHING}}
    partial_keys = {name for label in asked.keys() - usual for name in asked[label]}
    codes = [label for label in asked if label in usual and partial_keys.isdisjoint(asked[label])]
    if not (codes and is_people(answers)):
        return {}, []
    there = {*answers.sheet.columns} if answers.column is None else set()
    cells = answers.sheet.frame([name for name in options if name in there])
    cells = cells.map(as_label, "ignore")
    filters = cells.where(~cells.isin(codes))
    means, elsewhere = dict[tuple[str, str], str](), list[str]()
    for code in codes:
        others = cells.drop(columns=asked[code], errors="ignore")
        elsewhere += [code] if others.eq(code).to_numpy().any() else []
        parts = [cells[name] == code for name in asked[code] if name in cells]
        is_put = not parts or not all(_is_filtered(filters, part) for part in parts)
        means |= {(name, code): NO_ANSWER if is_put else NOT_ASKED for name in asked[code]}
    return means, elsewhere


def _is_filtered(cells: pd.DataFrame, part: pd.Series) -> bool:
    """Return whether a part of people have other answers to a question than all others have."""
    pairs = (({*answer[part].dropna()}, {*answer[~part].dropna()}) for _, answer in cells.items())
    are_apart = any(inside and outside and inside.isdisjoint(outside) for inside, outside in pairs)
    return are_apart and min(part.sum(), (~part).sum()) >= FEWEST_FILTERED


def _refuse_doubtful(
    answers: Answers,
    doubtful: Iterable[DoubtfulText],
    options: Mapping[str, Collection[str]],
    people: Mapping[str, Iterable[str]],
) -> None:
    """Raise DataError with each kind of texts that may be no options, and what they may mean.

    Args:
        answers: of a file.
        doubtful: its texts.
        options: of each question.
        people: people's labels.
    """
    kinds: dict[str, list[DoubtfulText]] = {}
    for one in doubtful:
        kinds.setdefault(one.kind, []).append(one)
    faults = ErrorList()
    for kind, several in kinds.items():
        first = several[0]
        texts = [*dict.fromkeys(one.text for one in several)]
        clear = _why_clear(several, people) if kind == SPELLING else ""
        said = saying(answers, several, options, why=clear, rest=kind == TEXT)
        is_clear = said is not None and "meanings" not in said.settings
        marks, of_people = [*map(plain, texts)], is_people(answers)
        none = Remedy({"missing": marks}, is_offered=False, is_sure=of_people)
        ways: Parts = ("if so, put ", said) if said and is_clear else (IF_NONE, none)
        if kind == SPELLING and not said:
            ways = (f"write only the option into the cells with one of these {len(texts)} texts",)
        ways = (*ways, "; or list it among ", AMONG_LEVELS, " if it is an answer")
        if kind == CODE:
            ways = (*ways, "; or if codes were answered: ", Remedy({"value_labels": False}))
        if kind == TEXT and not (answers.stated or of_people):
            ways = (*ways, "; ", *UNLISTED)
        more = f" (the same of {_few(texts[1:])})" if texts[1:] else ""
        with faults.collected():
            raise answers.fault(
                "no-option",
                f"{first.text!r} {first.why}{more}; ",
                *ways,
                row=answers.rows.iloc[first.at],
                also=[said] if said and not is_clear else [],
            )
    faults.refuse()


def saying(
    answers: Answers,
    doubtful: Iterable[DoubtfulText],
    options: Mapping[str, Collection[str]],
    *,
    why: str = "",
    rest: bool = False,
) -> Remedy | None:
    """Return that the user says what texts of a file mean; None if a cell can say it of none.

    It is said by question where it differs, or may differ, between questions: of texts that are
    options elsewhere, and of numbers in different scales. Of very many texts of people it isn't.

    Args:
        answers: of the file.
        doubtful: the texts, and what each may mean.
        options: of each question.
        why: the reason why they clearly mean that.
        rest: whether the last of very many texts that say no option are so together.
    """
    means = {(one.name, one.text): one.means for one in doubtful if one.means is not None}
    every = {text: one for (_, text), one in means.items()}
    differing = {text for (_, text), one in means.items() if one != every[text]}
    lost = [*every][MOST_RECODED:] if rest else []
    lost = [text for text in lost if every[text] == UNPARSABLE]
    if is_people(answers) and len(every) > MOST_RECODED and not why:
        return None
    scales = {name: {*labels} for name, labels in options.items()}
    settings: dict[str, Any] = {}
    for (name, text), one in sorted(means.items(), key=lambda pair: pair[1] in ("", UNPARSABLE)):
        is_option = one not in {"", NOT_ASKED, TOTAL, *REASONS}
        is_apart = text in differing or any(text in labels for labels in scales.values())
        if is_option and as_number(text) is not None:
            is_apart |= not all(one in scales[other] for other in scales if other != EVERY)
        if text in lost:
            settings.setdefault("meanings", {}).setdefault(("", ""), {})[EVERY] = UNPARSABLE
        elif one in (NO_ANSWER, why_none(text)) and is_apart:
            settings.setdefault("missing_in", {}).setdefault(name, []).append(plain(text))
        elif one in (NO_ANSWER, why_none(text)):
            marks = settings.setdefault("missing", [])
            marks += [plain(text)] if plain(text) not in marks else []
        elif one == TOTAL:
            settings["totals"] = [*dict.fromkeys([*settings.get("totals", ()), text])]
        elif is_option and not is_apart and one != text:
            settings.setdefault("recode", {})[text] = one
        else:
            where = (name if is_apart else "", "")
            settings.setdefault("meanings", {}).setdefault(where, {})[text] = one
    is_clear = bool(why) and "meanings" not in settings  # which cells alone say
    return Remedy(settings, why=why if is_clear else "", is_clear=is_clear) if settings else None


def near_option(text: str, options: Collection[str], cutoff: float = ROUGHLY) -> str:
    """Return the option that a text is nearly written as, or the yes or no that it is; or nothing.

    Not if it has more words, one of which may negate the option, or is another step of its scale.

    >>> near_option("Parents' advice", ["Advice of friends", "Advice of parents"])
    'Advice of parents'
    """
    words = next((one for one in (YES, NO) if text.strip(AROUND).casefold() in one), set())
    near = [one for one in options if one.casefold() in words or _words(one) == _words(text)]
    if not near and not any(NEGATED.fullmatch(word) for word in text.split()):
        folded = {one.casefold(): one for one in options}
        close = get_close_matches(text.casefold(), folded, n=1, cutoff=cutoff)
        near = [folded[one] for one in close if len(one.split()) >= len(text.split())]
        near = [] if near and is_step(text, options) else near
    return near[0] if len(near) == 1 else ""


def _words(text: str) -> set[str]:
    """Return the words of a text, but for articles and apostrophes."""
    return {*re.findall(r"\w+", re.sub(r"['\u2019]", "", text.casefold()))} - ARTICLES


def _likely(text: str, answers: Answers, options: Collection[str] | None, **ends: Any) -> str:
    """Return what a text may mean; of a simulator's one that says nothing, that it is none."""
    if says_no_answer(text) or text.casefold() in EMPTY:
        return why_none(text)
    likely = likely_meaning(text, options, **ends) or near_option(text, options or ())
    return likely or ("" if is_people(answers) else UNPARSABLE)


def _numbered(label: str, options: Iterable[str]) -> str | None:
    """Return the one option that has a number before its words, None if there is none."""
    same = [option for option in options if number_of(option) == label]
    return same[0] if len(same) == 1 and as_number(label) is not None else None


def _is_within(number: float, labels: Iterable[str]) -> bool:
    """Return whether a number is between those of answers, or those before their words."""
    answers = [label for label in labels if not says_no_answer(label)]
    steps = [as_number(number_of(label) or label) for label in answers]
    known = [step for step in steps if step is not None]
    return bool(known) and min(known) < number < max(known)


def _are_capitals(pairs: Mapping[str, str]) -> bool:
    """Return whether texts are options with other capitals, signs around them, or a number."""
    return all(have_same_words(text, option) for text, option in pairs.items())


def _spelled(label: str, options: Iterable[str]) -> str | None:
    """Return the option that a label looks like, None if there is none.

    Or the only one with its words, where one of both has a number before them.
    """
    same = [other for other in options if alike(other) == alike(label)]
    same = same or [other for other in options if have_same_words(label, other)]
    return same[0] if len({*map(alike, same)}) == 1 else None


def _people_first(all_answers: Iterable[Answers]) -> list[Answers]:
    return sorted(all_answers, key=is_people, reverse=True)


def labels_seen(all_answers: Iterable[Answers]) -> dict[str, list[str]]:
    """Return the distinct labels of each scenario, in order of appearance, people first."""
    seen: dict[str, dict[str, None]] = {}
    for answers in _people_first(all_answers):
        for name, label, _ in answers.first_uses:
            seen.setdefault(name, {})[label] = None
    return {name: list(labels) for name, labels in seen.items()}


def in_order(labels: Iterable[str]) -> list[str]:
    """Return labels in order: numbers by their size, before texts; these in known steps of words.

    Texts of no known steps are sorted. What says that there is no answer stands behind steps.
    """
    numbers = {label: as_number(label) for label in {*labels}}
    labels = sorted(numbers, key=lambda label: (numbers[label] is None, numbers[label] or 0, label))
    if None not in numbers.values():
        return labels
    none = [label for label in labels if is_no_answer(label)]
    steps = in_steps(label for label in labels if label not in none)
    return [*steps[0], *none] if steps else labels


def have_order(labels: Iterable[str]) -> bool:
    """Return whether labels have an order, but for what says that there is no answer."""
    steps = [label for label in labels if not says_no_answer(label)]
    are_numbers = all(as_number(number_of(label) or label) is not None for label in steps)
    return len(steps) > 2 and (are_numbers or in_steps(steps) is not None)


def _check_seen(all_answers: list[Answers], free: set[str], sure: Set[str]) -> None:
    """Raise DataError if some labels seem to be no options, or one option in two spellings.

    Args:
        all_answers: everybody's answers.
        free: the scenarios whose options are the labels that were chosen.
        sure: texts that are options, whatever they look like.
    """
    _refuse_decimal_commas(all_answers, free)
    _check_common(all_answers, free)
    ours = [*filter(is_people, all_answers)]
    people = labels_seen(ours)
    simulated = labels_seen(part for part in all_answers if not is_people(part))
    seen = {name: labels for name, labels in labels_seen(all_answers).items() if name in free}
    doubts = {name: _doubts(name, seen[name], people, simulated, all_answers) for name in seen}
    spelled = _commonest([*_people_first(all_answers)], ours, seen)
    for (name, text), same in spelled.items():
        why = f"and {same!r} {difference(text, same)}"
        doubts[name].setdefault(text, DoubtfulText(name, text, same, SPELLING, why))
    spellings = {text for _, text in spelled}
    options = {
        name: [text for text in labels if text in sure or text not in {*doubts[name], *spellings}]
        for name, labels in seen.items()
    }
    faults = ErrorList()
    for answers in _people_first(all_answers):
        doubtful = []
        for name, text, at in answers.first_uses:
            if text not in sure and (doubt := doubts.get(name, {}).get(text)):
                likely = () if is_people(answers) else people.get(name, ())
                is_open = doubt.kind == TEXT and text.casefold() not in YES | NO
                means = _likely(text, answers, likely) if is_open else doubt.means
                doubtful.append(doubt._replace(at=at, means=means))
        with faults.collected():
            _refuse_doubtful(answers, doubtful, options, people)
    faults.refuse()


def _doubts(
    name: str,
    labels: list[str],
    people: Mapping[str, list[str]],
    simulated: Mapping[str, list[str]],
    all_answers: list[Answers],
) -> dict[str, DoubtfulText]:
    """Return the doubts about labels of a scenario, by label.

    Where people would be left with one answer of two, their code stands for the other. What rare
    ends of a scale are is nobody's to propose.

    Args:
        name: the scenario.
        labels: everybody's.
        people: people's labels of each scenario.
        simulated: simulators' labels.
        all_answers: everybody's answers.
    """
    ours, theirs = people.get(name, []), simulated.get(name, [])
    texts = texts_among_numbers(labels, ours)
    labels = [label for label in labels if label not in texts]
    ends = _rare(name, rare_ends(labels, theirs), all_answers)
    apart = _without_shared(name, codes_of_nothing(labels), theirs, all_answers)
    codes = apart or beyond_a_gap(labels, theirs) or ends
    valid = [label for label in labels if label not in codes]
    rest, alone = _few(valid), [label for label in valid if label not in ours]
    is_other = len(valid) == 2 == len(ours) and len(alone) == 1
    is_text = f"is a text, where answers are {rest}"
    doubts = dict.fromkeys(texts, ("", TEXT, is_text))
    for label in labels:
        if label in codes and is_other and label in ours:
            why = f"stands apart from {rest}, and people give no {alone[0]!r}: it may be that"
            doubts[label] = alone[0], "other", why
        elif label in codes and ends == codes:
            doubts[label] = "", "end", f"is given by few people and no simulator, beside {rest}"
        elif label in codes:
            why = f"stands apart from {rest}, as codes for no answer do"
            doubts[label] = NO_ANSWER, "no answer", why
        elif is_date(label, (other for other in labels if other != label)):
            why = "is a date, as spreadsheets make of answers such as 1-2; write what was answered"
            doubts[label] = "", "date", why
        elif is_net(label):
            doubts[label] = TOTAL, "total", "looks like a total, not an answer"
        elif is_unanswered(label):
            doubts[label] = why_none(label), "words", "says that there is no answer"
        elif (number := number_of(label)) in labels:
            doubts[label] = number, "number", f"and {number!r} may be one option"
    return {label: DoubtfulText(name, label, *doubt) for label, doubt in doubts.items()}


def _rare(name: str, labels: list[str], all_answers: list[Answers]) -> list[str]:
    """Return labels if each is a small part of people's answers to a scenario; else nothing."""
    people = filter(is_people, all_answers)
    parts = (parts_touched(part, [label], name) for part in people for label in labels)
    return labels if all(part <= RARE_END * whole for part, whole, _ in parts) else []


def _without_shared(
    name: str, codes: list[str], simulated: Container[str], all_answers: list[Answers]
) -> list[str]:
    """Return codes without those that simulators give with the words of an answer.

    Nor any but the usual codes of no answer that everybody often gives, such as 0 beside 1-2.
    """

    def is_option(code: str) -> bool:
        if number_of(code):
            return not says_no_answer(code)
        given = [parts_touched(part, [code], name) for part in all_answers]
        is_often = all(part > RARE_END * whole for part, whole, _ in given)
        return is_often and as_number(code) not in NOTHING | {None}

    return [code for code in codes if code not in simulated or not is_option(code)]


def are_clear(all_answers: list[Answers], sure: Set[str]) -> bool:
    """Return whether no label is doubtful but ``sure`` ones, so that they may serve as options."""
    try:
        _check_seen(all_answers, {*labels_seen(all_answers)}, sure)
    except DataError:
        return False
    return True


def _refuse_decimal_commas(all_answers: list[Answers], free: set[str]) -> None:
    """Raise DataError if the answers to a question are numbers with a decimal comma."""
    for name, labels in labels_seen(all_answers).items():
        commas = [label for label in labels if COMMA.fullmatch(label)]
        are_numbers = all(label in commas or as_number(label) is not None for label in labels)
        if name in free and commas and are_numbers and "," not in labels[0].replace(",", "", 1):
            answers, at = next(
                (answers, at)
                for answers in _people_first(all_answers)
                for scenario, label, at in answers.first_uses
                if scenario == name and label in commas
            )
            plain_commas = [label for label in commas if not THOUSANDS.fullmatch(label)]
            code = "decimal-comma" if plain_commas else "thousands-or-decimals"
            what = not_a_number([*plain_commas, *commas][0])
            raise answers.fault(code, *what, row=answers.rows.iloc[at])


def _why_clear(doubtful: Iterable[DoubtfulText], people: Mapping[str, Iterable[str]]) -> str:
    """Return why spellings are clearly one option; empty if they are not."""
    pairs = {one.text: one.means or "" for one in doubtful}
    if {*map(alike, pairs)} <= {*BOOLEANS}:  # of Excel, pandas and JSON
        return "one spelling of true and false"
    are_theirs = not {*chain.from_iterable(people.values())}.isdisjoint(pairs)
    return "" if are_theirs or not _are_capitals(pairs) else CAPITALS


def _commonest(
    everybody: list[Answers], people: list[Answers], seen: Mapping[str, list[str]]
) -> dict[tuple[str, str], str]:
    """Return the commonest of spellings that look alike, by question and each of the others.

    In all questions, that of people, if they give one; the first of equals.
    """
    counts = {name: Counter(map(alike, labels)) for name, labels in seen.items()}
    pairs = [
        (name, label)
        for name, labels in seen.items()
        for label in labels
        if counts[name][alike(label)] > 1
    ]
    commonest: dict[str, str] = {}
    for side in (everybody, people) if pairs else ():
        rows = pd.concat([part.answered.astype({"label": str}) for part in side])
        number = rows[rows["scenario"].isin([*seen])].groupby("label", sort=False)["number"].sum()
        commonest |= number.groupby(alike, sort=False).idxmax().to_dict()
    return {pair: same for pair in pairs if (same := commonest[alike(pair[1])]) != pair[1]}


def _are_rare(answers: Answers, labels: list[str]) -> bool:
    """Return whether labels may stand for no answer: by their words, or as few people gave them."""
    rows = answers.answered
    number = rows["number"].where(rows["label"].isin(labels), 0.0)
    shares = number.groupby(rows["scenario"], observed=True).sum()
    shares = shares / rows.groupby("scenario", observed=True)["number"].sum()
    return bool((shares <= RARE).all()) or all(is_no_answer(label) for label in labels)


def likely_options(everybody: list[Answers]) -> Iterator[str]:
    """Yield words such as None that are options: of amounts, or often given, on both sides."""
    for name, seen in labels_seen(everybody).items():
        labels = [*filter(pd.notna, seen)]  # forecasts have none
        if all(as_number(label) is not None for label in labels if label.casefold() not in LEAST):
            continue
        is_amount = not AMOUNTS.isdisjoint(map(str.casefold, labels))
        for text in (label for label in labels if label.casefold() in LEAST):
            given = [(part, *parts_touched(part, [text], name)[:2]) for part in everybody]
            sides = {is_people(part) for part, number, _ in given if number}
            is_often = any(number > RARE_END * whole for _, number, whole in given)
            if is_amount or (is_often and len(sides) > 1):
                yield text


def texts_of_several(everybody: Iterable[Answers]) -> set[str]:
    """Return the texts that stand in several files of simulators, and not in people's."""
    several, theirs = Counter[str](), set[str]()
    for part in everybody:
        texts = {as_label(label) for _, label, _ in part.first_uses if pd.notna(label)}
        several.update(texts)
        theirs |= texts if is_people(part) else set()
    return {text for text, files in several.items() if files > 1} - theirs


OF_A_KEY = (
    "if a file says what people's numbers mean (a codebook, a key or a .qsf), name it, too, behind "
    "these files; else say in labels.csv which number each text is"
)

CODES_APART = (
    "codes of one scale from 0 and from 1? If so, mend one file; if each number means the same in "
    "both, list the options, ",
)


def _check_common(all_answers: list[Answers], free: set[str]) -> None:
    """Raise DataError if a simulator and people share no answer, overall or in a scenario.

    Or if they seem to call an option by different labels, or codes begin with 0 and with 1.
    """
    ours = [*filter(is_people, all_answers)]
    people = {name: {*labels} for name, labels in labels_seen(ours).items() if name in free}
    everything = set().union(*people.values())
    is_own = all(map(_are_mostly_different, ours))
    own_words = ("if they are in people's own words, put ", TEXTS, "; or ") if is_own else ()
    for answers in all_answers:
        rows = answers.answered[answers.answered["scenario"].isin(free)]
        for source, theirs in rows.groupby("source", observed=True, sort=False):
            if source == HUMAN:
                continue
            by_name = theirs.groupby("scenario", observed=True, sort=False)["label"].unique()
            given = {name: [*labels] for name, labels in by_name.items()}
            _refuse_counterparts(answers, people, given, theirs)
            of_people = set().union(*(people.get(name, ()) for name in given))
            sides = {EVERY: ({*theirs["label"]}, everything)}
            sides |= {name: ({*chosen}, people.get(name, set())) for name, chosen in given.items()}
            for name, (one, other) in sides.items():
                is_every = name == EVERY
                are_apart = are_one_apart(one, of_people if is_every else other)
                are_few = not is_every and min(len(one), len(other)) < 2
                if not are_apart and (are_few or _look_alike(one, other)):
                    continue
                to = "" if is_every else f" to {name!r}"
                numbers = [{as_number(x) is not None for x in side} for side in (one, other)]
                if are_apart:
                    other = of_people if is_every else other
                    what: Parts = (*CODES_APART, AMONG_LEVELS)
                    also = [_shift(answers, one, other)]
                else:
                    mend = OF_A_KEY if numbers == [{False}, {True}] else "recode one of them"
                    what = ("nothing in common; ", *own_words, mend)
                    if not is_every:
                        mend = f"{mend}, or list its options in a file of scenarios"
                        what = (f"nothing in common; is it the same question? Then {mend}",)
                    doubtful = [
                        DoubtfulText(
                            where, label, likely_meaning(label, people.get(where, everything))
                        )
                        for where, chosen in given.items()
                        for label in chosen
                        if label not in people.get(where, ())
                    ]
                    said_all = (
                        saying(answers, doubtful, people) if len(doubtful) <= MOST_RECODED else None
                    )
                    also = [said_all] if said_all else []
                    also += [] if is_every else [leaving_out(name)]
                raise answers.fault(
                    "nothing-in-common",
                    f"{source!r} answers {_few(one)}{to}, people {_few(other)}: ",
                    *what,
                    row=(theirs if is_every else theirs[theirs["scenario"] == name]).iloc[0],
                    also=also,
                )


def _look_alike(labels: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether some label looks like one of others."""
    return not {*map(alike, labels)}.isdisjoint(map(alike, others))


def _shift(answers: Answers, codes: Set[str], theirs: Set[str]) -> Remedy:
    """Return what a simulator's codes are in people's, which begin one higher or lower."""
    by = 1 if min(map(float, codes)) < min(map(float, theirs)) else -1
    pairs = {code: as_label(float(code) + by) for code in sorted(codes, key=float)}
    return said(pairs, file=answers.sheet.path)


def _are_mostly_different(answers: Answers) -> bool:
    rows = answers.answered
    return bool(2 * len(rows) > rows["number"].sum())


def _refuse_counterparts(
    answers: Answers,
    people: Mapping[str, set[str]],
    given: Mapping[str, Iterable[str]],
    rows: pd.DataFrame,
) -> None:
    """Raise DataError if a simulator and people seem to call an option by different labels.

    Args:
        answers: of the simulator's file.
        people: people's labels of each scenario.
        given: the simulator's.
        rows: of its answers.
    """
    pairs: dict[str, str] = {}
    for name, chosen in given.items():
        theirs = people.get(name, set())
        options = {label: option_named(label, theirs) for label in chosen if label not in theirs}
        pairs |= {label: option for label, option in options.items() if option}
        pairs |= counterparts(sorted(theirs), sorted(chosen))
        for texts, numbers in ((theirs, {*chosen}), ({*chosen}, theirs)):
            steps = in_order(label for label in numbers - texts if as_number(label) is not None)
            if len(words := labelled_ends(sorted(texts))) == len(steps) == 2:
                pairs |= dict(zip(words, steps, strict=True))
    if not pairs:
        return
    are_booleans = all(BOOLEANS.get(alike(one)) == other for one, other in pairs.items())
    why = "answers of yes or no, as programs write them" if are_booleans else CAPITALS
    is_clear = are_booleans or _are_capitals(pairs)
    one, other = next(iter(pairs.items()))
    labels = zip(rows["scenario"], rows["label"], strict=True)
    are_new = [label in (one, other) and label not in people.get(at, ()) for at, label in labels]
    raise answers.fault(
        "other-label",
        f"{one!r} may be {other!r}, as people give only one of them, and the simulator the other; "
        "if so, put ",
        Remedy({"recode": pairs}, why=why if is_clear else "", is_clear=is_clear),
        "; if they are two, list both among ",
        AMONG_LEVELS,
        row=rows.iloc[int(np.argmax(are_new))],
    )


def _few(labels: Iterable[str]) -> str:
    labels = in_order(labels)
    return ", ".join(repr(label) for label in labels[:3]) + (", ..." if len(labels) > 3 else "")


def _completed(
    chosen: dict[str, list[str]], described: pd.DataFrame, kind: str, origin: Sequence[str]
) -> dict[str, list[str]]:
    """Return the options of each scenario, both of two where only one was chosen."""
    everything = in_order(set().union(*chosen.values()))
    if kind == "ordinal" and any(as_number(label) is None for label in everything):
        raise refusal(
            "order-unknown",
            f"the answers are texts ({_few(everything)}), so their order is unknown; list "
            "them in order, ",
            Remedy({"outcome.kind": "ordinal", "outcome.levels": [BLANK]}),
            file=origin,
        )
    completed = {**chosen}
    for name, labels in chosen.items():
        refused = partial(refusal, file=origin, scenario=name)
        if kind == "binary" and len(labels) > 2:
            raise refused(
                "too-many-for-binary",
                f"is declared binary but has the answers {_few(labels)}; mend them, or call the "
                "kind ordinal or categorical",
                also=[Remedy({"outcome.kind": other}) for other in ("ordinal", "categorical")],
            )
        if kind == "binary" and len(labels) < 2:
            both = [two for two in (everything, ["0", "1"]) if len(two) == 2 and labels[0] in two]
            if not both:
                raise refused(
                    "other-option-unknown",
                    f"everybody answers {labels[0]!r}, so the other option is unknown; list both, ",
                    Remedy({"outcome.kind": "binary", "outcome.levels": [BLANK]}),
                )
            completed[name] = both[0]
        if kind == "ordinal" and labels != everything:
            unused = next(label for label in everything if label not in labels)
            raise refused(
                "option-unclear",
                f"nobody answered {unused!r} there, so it is not clear whether it is an option; "
                "list all options in order, ",
                _steps_of(everything),
                ", or put options into the file of scenarios",
                also=[SCENARIOS, *_far(everything)],
            )
    if alone := [name for name in completed if len(completed[name]) < 2]:
        scales = {*map(tuple, completed.values())} - {tuple(completed[name]) for name in alone}
        is_one = len(scales) <= 1 and len(completed) == len(described)
        raise refusal(
            "options-unknown",
            f"everybody gives the same answer {_few(completed[alone[0]])}, so its options are "
            "unknown; list them, ",
            *((LEVELS, ", or ") if is_one else ()),
            "in the file of scenarios, or leave the scenario out",
            also=[leaving_out(*alone)] if len(alone) < len(described) else [],
            file=origin,
            scenario=alone[0],
        )
    return completed


def _steps_of(labels: list[str]) -> Remedy:
    """Return that all steps of a scale of near numbers are options; else the user's to say."""
    numbers = [number for label in labels if (number := as_number(label)) is not None]
    is_near = len(numbers) == len(labels) and are_steps(min(numbers), max(numbers), numbers)
    if not is_near or far(numbers):
        return LEVELS
    return Remedy({"outcome.levels": whole_steps(min(numbers), max(numbers))})


def _far(labels: list[str]) -> Iterator[Remedy]:
    """Yield the remedy that numbers far from most others stand for no answer."""
    if codes := far(number for label in labels if (number := as_number(label)) is not None):
        yield Remedy({"missing": codes}, is_sure=False)
