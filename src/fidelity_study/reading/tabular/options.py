"""The possible answers in each scenario: its options, or the range of its numbers."""

import re
from collections import Counter
from collections.abc import (
    Callable,
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
from typing import Any

import numpy as np
import pandas as pd

from fidelity_study.errors import (
    BLANK,
    DataError,
    ErrorList,
    Fault,
    Key,
    Note,
    Part,
    Remedy,
    fault,
    refusal,
)
from fidelity_study.reading.ingest.parse import ANY_UNIT, option_named
from fidelity_study.reading.settings import NUMBERS, POINTS, VECTOR
from fidelity_study.reading.tabular.answers import Answers
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
from fidelity_study.reading.tabular.doubtful import (
    AROUND,
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
from fidelity_study.reading.tabular.reading import common_start, fits
from fidelity_study.reading.tabular.remedies import (
    AMONG_LEVELS,
    BOUNDS,
    LEVELS,
    SCENARIOS,
    TEXTS,
    UNLISTED,
    leaving_out,
    meanings,
    meanings_in,
    no_answer,
)
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.survey import are_steps
from fidelity_study.reading.tabular.word_scales import in_steps, is_step
from fidelity_study.reading.tabular.words import NO, YES
from fidelity_study.tables.ingest import EVERY, HUMAN, NOT_ASKED, REASONS, UNPARSABLE

BOOLEANS = {"true": "1", "false": "0"}
CAPITALS = "people's capitals, signs and numbers"
APART, RARE, RARE_END, MOST_RECODED = "codes-apart", 0.2, 0.1, 40
FEWEST_FILTERED = 5
AMOUNTS = {"a little", "a bit", "some", "a lot", "a great deal", "a fair amount", "much"}
"""Words of amounts, below which ``None`` is an option."""
Parts = tuple[Part, ...]
Refused = Callable[..., DataError]


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
            likely = partial(_likely, answers, options=None)
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
    faults, notes = ErrorList(), []
    for answers in _people_first(all_answers):
        there = [first for first in answers.first_uses if first[1] in codes.get(first[0], ())]
        if not there or answers.stated:
            continue
        labels = sorted(dict.fromkeys(label for _, label, _ in there), key=float)
        there.sort(key=lambda use: (use[1] in answered, float(use[1])))
        codes_of = _by_question([(name, label) for name, label, _ in there], answered)
        taken = (touched(answers, some, at) for at, some in codes_of.items())
        marks = {name: [*map(plain, some)] for name, some in codes_of.items()}
        missing = {"missing": marks.pop(EVERY, []), "missing_in": marks}
        what = (
            f"{shown(labels)} {'stand' if len(labels) > 1 else 'stands'} apart from all other "
            f"answers, as codes for no answer do, and would be averaged in; if no answer is meant "
            f"({shown(filter(None, taken), 3, str)}), put "
        )
        ways = (Remedy({key: value for key, value in missing.items() if value}),)
        low, high = outcome.get("bounds", (-np.inf, np.inf))
        is_within = all(low <= float(label) <= high for label in labels)
        if outcome["kind"] == "bounded" and is_within:
            notes.append(answers.sheet.note(APART, what, *ways))
            continue
        range_known = Remedy({"outcome.kind": "bounded", "outcome.bounds": [BLANK]})
        with faults.collected():
            row = answers.rows.iloc[min(at for _, _, at in there)]
            is_real = outcome["kind"] == "real"
            also = ("; if they are answers, give their range: ", range_known) if is_real else ()
            raise answers.fault("code-among-numbers", what, *ways, *also, row=row)
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
    strangers = _strangers(answers, fixed)
    if any(_spelled(label, fixed[name]) for name, label, _ in strangers):
        return answers
    unlisted = {
        label: option_named(label, fixed[name].labels) or "" for name, label, _ in strangers
    }
    named = {label: option for label, option in unlisted.items() if option}
    reason = REASONS.index(why)
    listed = answers.with_meanings({(name, label): reason for name, label, _ in strangers})
    answered = set(listed.rows["source"][listed.rows["reason"] < 0])
    silent = [name for name in answers.rows["source"].unique() if name not in answered]
    if silent:
        raise answers.fault(
            "no-text-listed",
            f"no text of {silent[0]!r} is a listed option; recode them, or take the simulator out",
            *([" (those that name an option: ", *recoding(named), ")"] if named else []),
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

    In order of preference they are: the scenario's own ``options``; ``outcome.levels``; as many as
    its ``n_options`` says; or those that somebody chose. Raise DataError at the first answer that
    is not among the first two, and where the chosen ones do not tell the options.

    Args:
        outcome: kind, levels, scores.
        all_answers: everybody's answers.
        described: the scenarios, with columns ``options`` and ``n_options`` if they have them.
        origin: the files to name where the fault is in no single row.
        sure: texts that are options, whatever they look like.
    """
    kind = outcome["kind"]
    fixed = fixed_options(outcome, described)
    _refuse_one_scale(outcome, all_answers, described)
    for answers in all_answers:
        _check_known(answers, fixed, described.get("known"))
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
    people = labels_seen(filter(_is_people, all_answers))
    seen = {name: labels for name, labels in people.items() if name not in listed}
    others = {name: labels for name, labels in seen.items() if levels.isdisjoint(labels)}
    is_one = outcome["kind"] == "ordinal" and have_scales_apart(seen)
    if not is_one and not (0 < len(others) < len(seen) and have_scales_apart(seen)):
        return
    (first, names), (second, rest) = [
        group for group in sharing_answers(seen) if len(group[0]) > 1
    ][:2]
    sheet = next(filter(_is_people, all_answers)).sheet
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


def _is_people(answers: Answers) -> bool:
    return HUMAN in answers.rows["source"].cat.categories


def _strangers(answers: Answers, fixed: Mapping[str, Options]) -> list[tuple[str, str, int]]:
    """Return the answers that are no listed option: scenario, label and position in ``rows``."""
    return [
        (name, label, at)
        for name, label, at in answers.first_uses
        if name in fixed and label not in fixed[name].labels
    ]


def _check_known(
    answers: Answers, fixed: Mapping[str, Options], labelled: pd.Series | None
) -> None:
    """Raise DataError if there are answers that are no listed option.

    Args:
        answers: of one file.
        fixed: the listed options.
        labelled: the options that the labels of a survey file list, or None.
    """
    strangers = _strangers(answers, fixed)
    if not strangers:
        return
    name, label, at = strangers[0]
    listed = fixed[name].labels
    is_code = labelled is not None and labelled.notna()[name] and as_number(label) is not None
    same: dict[tuple[str, str], str] = {}
    for scenario, other, _ in strangers:
        known = fixed[scenario]
        near = _spelled(other, known) or option_named(other, known.labels)
        if near := near or ("" if is_code else _numbered(other, known)):
            same[scenario, other] = near
    if same:
        name, label, at = next(first for first in strangers if first[:2] in same)
        near = same[name, label]
        none = {other for (_, other), near in same.items() if says_no_answer(near)}
        none = {other for other in none if as_number(other) is not None}
        pairs = {pair: near for pair, near in same.items() if pair[1] not in none}
        means = _in_scales(pairs, fixed)
        recode = means.get("recode", {})
        are_clear = not _is_people(answers) and _are_capitals(recode)
        ways: Parts = ("put ", *recoding(recode, is_clear=are_clear)) if recode else ()
        ways = ways if "recode" in means else ("say in labels.csv which one each text is",)
        if none:
            ways = (*ways, "; as no answer, put " if ways else "put ", no_answer(*none))
        raise answers.fault(
            "second-spelling",
            f"{label!r} is no option of scenario {name!r}, but looks like {near!r}; if it "
            "is the same, ",
            *ways,
            row=answers.rows.iloc[at],
            also=[Remedy(means)] if "meanings" in means else (),
        )
    is_step = (number := as_number(label)) is not None and _is_within(number, listed)
    is_label = number is None and None not in map(as_number, listed) and not says_no_answer(label)
    is_label |= number is None and not _is_people(answers)
    close = get_close_matches(label, listed, n=1)
    others = [other for _, other, _ in strangers]
    may_be_none = number is None or _are_rare(answers, others)
    is_option = any(label in options.labels for options in fixed.values())
    is_none = may_be_none and not is_option
    none_or_said = [no_answer(label) if is_none else meanings({name: [label]})]
    outside = _codes_outside(answers, strangers, fixed)
    by_name = {name: options.labels for name, options in fixed.items()}
    hint = f"did you mean {close[0]!r}? " if close else ""
    codes = ("; or if codes were answered: ", Remedy({"value_labels": False}))
    raise answers.fault(
        "no-option",
        f"{label!r} is no option of scenario {name!r} ({', '.join(listed)}); {hint}"
        "recode it, or add it to the options",
        *(() if is_step else (", or list it under ", Key("missing"))),
        *(() if answers.stated or _is_people(answers) or is_code else ("; ", *UNLISTED)),
        *(codes if is_code else ()),
        _also(label, others),
        row=answers.rows.iloc[at],
        also=[
            *outside,
            *([] if is_code else _near(strangers, fixed)),
            *([] if is_code or is_step or is_label or outside else none_or_said),
            *(
                _to_be_said(answers, [first[:2] for first in strangers], by_name)
                if is_label
                else []
            ),
        ],
    )


def _codes_outside(
    answers: Answers, strangers: Iterable[tuple[str, str, int]], fixed: Mapping[str, Options]
) -> list[Remedy]:
    """Return that people's numbers outside complete keys are no answers, if all are usual codes.

    A code that is an option of another question is none in its own questions only.
    """
    asked = dict[str, list[str]]()
    for name, label, _ in strangers:
        asked.setdefault(label, []).append(name)
    usual = {label for label in asked if as_number(label) in {0.0, *NOTHING}}
    partial_keys = {name for label in asked.keys() - usual for name in asked[label]}
    codes = [label for label in asked if label in usual and partial_keys.isdisjoint(asked[label])]
    if not (codes and _is_people(answers)):
        return []
    there = {*answers.sheet.columns} if answers.column is None else set()
    cells = answers.sheet.frame([name for name in fixed if name in there]).map(as_label, "ignore")
    filters, means = cells.where(~cells.isin(codes)), dict[str, dict[str, str]]()
    for code in codes:
        others = cells.drop(columns=asked[code], errors="ignore")
        is_option = any(code in options.labels for options in fixed.values())
        is_option |= bool(others.eq(code).to_numpy().any())
        parts = [cells[name] == code for name in asked[code] if name in cells]
        is_put = not parts or not all(_is_filtered(filters, part) for part in parts)
        for name in asked[code] if is_option else [EVERY]:
            means.setdefault(name, {})[code] = REASONS[0] if is_put else NOT_ASKED
    return [Remedy({"meanings": means})]


def _is_filtered(cells: pd.DataFrame, part: pd.Series) -> bool:
    """Return whether a part of people have other answers to a question than all others have."""
    pairs = (({*answer[part].dropna()}, {*answer[~part].dropna()}) for _, answer in cells.items())
    are_apart = any(inside and outside and inside.isdisjoint(outside) for inside, outside in pairs)
    return are_apart and min(part.sum(), (~part).sum()) >= FEWEST_FILTERED


def _near(strangers: Iterable[tuple[str, str, int]], fixed: Mapping[str, Options]) -> list[Remedy]:
    """Return which option each text may be another spelling of."""
    pairs: dict[tuple[str, str], str] = {}
    for name, text, _ in (first for first in strangers if as_number(first[1]) is None):
        labels = fixed[name].labels
        words = next((one for one in (YES, NO) if text.strip(AROUND).casefold() in one), set())
        near = [one for one in labels if one.casefold() in words]
        for one in [] if near else get_close_matches(text, labels, n=1):
            is_other = len(one.split()) < len(text.split())  # a word more may negate it
            near += [] if is_other or is_step(text, labels) else [one]
        pairs |= {(name, text): near[0]} if len(near) == 1 else {}
    return [Remedy(_in_scales(pairs, fixed), is_sure=False)] if pairs else []


def _in_scales(pairs: Mapping[tuple[str, str], str], fixed: Mapping[str, Options]) -> dict:
    """Return what texts mean, by question where it differs, or may differ, between questions.

    So it does of numbers in different scales, and of texts that are options elsewhere.
    """
    every = {text: option for (_, text), option in pairs.items()}
    scales = [{*options.labels} for options in fixed.values()]
    apart = {
        text
        for (_, text), option in pairs.items()
        if every[text] != option
        or any(text in scale for scale in scales)
        or (as_number(text) is not None and not all(option in scale for scale in scales))
    }
    if not apart:
        return {"recode": every}
    of_question: dict[str, dict[str, str]] = {}
    for (name, text), option in pairs.items():
        of_question.setdefault(name if text in apart else EVERY, {})[text] = option
    return {"meanings": of_question}


def _numbered(label: str, options: Options) -> str | None:
    """Return the one option that has a number before its words, None if there is none."""
    same = [option for option in options.labels if number_of(option) == label]
    return same[0] if len(same) == 1 and as_number(label) is not None else None


def _is_within(number: float, labels: Iterable[str]) -> bool:
    """Return whether a number is between those of answers, or those before their words."""
    answers = [label for label in labels if not says_no_answer(label)]
    steps = [as_number(number_of(label) or label) for label in answers]
    known = [step for step in steps if step is not None]
    return bool(known) and min(known) < number < max(known)


def recoding(pairs: Mapping[str, str], *, is_clear: bool = False) -> Parts:
    """Return how texts are read as options; of very many that are asked about, in the file."""
    if len(pairs) > MOST_RECODED and not is_clear:
        return (f"only the option into the cells with one of these {len(pairs)} texts",)
    return (Remedy({"recode": dict(pairs)}, why=CAPITALS if is_clear else "", is_clear=is_clear),)


def _are_capitals(pairs: Mapping[str, str]) -> bool:
    """Return whether texts are options with other capitals, signs around them, or a number."""
    return all(have_same_words(text, option) for text, option in pairs.items())


def _spelled(label: str, options: Options) -> str | None:
    """Return the option that a label looks like, None if there is none.

    Or the only one with its words, where one of both has a number before them.
    """
    same = [other for other in options.labels if alike(other) == alike(label)]
    same = same or [other for other in options.labels if have_same_words(label, other)]
    return same[0] if len({*map(alike, same)}) == 1 else None


def _people_first(all_answers: Iterable[Answers]) -> list[Answers]:
    return sorted(all_answers, key=_is_people, reverse=True)


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
    people = labels_seen(filter(_is_people, all_answers))
    simulated = labels_seen(part for part in all_answers if not _is_people(part))
    texts, seen, rare, codes = (dict[str, list[str]]() for _ in range(4))
    for name, labels in labels_seen(all_answers).items():
        if name not in free:
            continue
        ours, theirs = people.get(name, []), simulated.get(name, [])
        texts[name] = [text for text in texts_among_numbers(labels, ours) if text not in sure]
        seen[name] = labels = [label for label in labels if label not in texts[name]]
        rare[name] = _rare(name, rare_ends(labels, theirs), all_answers)
        apart = _without_shared(name, codes_of_nothing(labels), theirs, all_answers)
        codes[name] = apart or beyond_a_gap(labels, theirs) or rare[name]
    answered = {code for name in seen for code in {*seen[name]}.difference(codes[name])}
    doubts = {
        name: _doubts(labels)
        | _codes(name, labels, codes[name], answered, people.get(name, ()), rare)
        for name, labels in seen.items()
    }
    faults = ErrorList()
    for answers in _people_first(all_answers):
        with faults.collected():
            _refuse_texts(answers, texts, seen, people)
        doubtful = [
            first
            for first in answers.first_uses
            if first[1] in doubts.get(first[0], {}) and first[1] not in sure
        ]
        if doubtful:
            name, label, at = doubtful[0]
            also = _also(label, (other for _, other, _ in doubtful))
            with faults.collected():
                raise answers.fault(
                    "doubtful-answer",
                    f"{label!r} ",
                    *doubts[name][label],
                    also,
                    *_recoded(doubtful, seen, all_answers),
                    row=answers.rows.iloc[at],
                )
    faults.refuse()


def _rare(name: str, labels: list[str], all_answers: list[Answers]) -> list[str]:
    """Return labels if each is a small part of people's answers to a scenario; else nothing."""
    people = filter(_is_people, all_answers)
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


def _recoded(
    doubtful: list[tuple[str, str, int]], seen: Mapping[str, list[str]], all_answers: list[Answers]
) -> Parts:
    """Return how spellings are read as people's commonest one; nothing without any."""
    spelled = [
        [other for other in seen[name] if alike(other) == alike(label)]
        for name, label, _ in doubtful
    ]
    several = [spelling for some in spelled if len(some) > 1 for spelling in some]
    if not several:
        return ()
    people = [*filter(_is_people, all_answers)]
    commonest = _commonest(_people_first(all_answers), seen) | _commonest(people, seen)
    targets = {spelling: commonest[alike(spelling)] for spelling in several}
    pairs = {spelling: target for spelling, target in targets.items() if spelling != target}
    are_booleans = {*map(alike, pairs)} <= {*BOOLEANS}  # of Excel, pandas and JSON
    of_people = {label for part in people for _, label, _ in part.first_uses}
    are_clear = are_booleans or (of_people.isdisjoint(pairs) and _are_capitals(pairs))
    why = "one spelling of true and false" if are_booleans else CAPITALS
    way = Remedy({"recode": pairs}, why=why, is_clear=are_clear)
    one = ("; if they are one option, put ", way)
    return (*one, "; if they are two, list both among ", AMONG_LEVELS)


def _commonest(all_answers: Iterable[Answers], names: Iterable[str]) -> dict[str, str]:
    """Return the commonest of spellings that look alike, in all questions; the first of equals."""
    rows = pd.concat([part.answered.astype({"label": str}) for part in all_answers])
    number = rows[rows["scenario"].isin([*names])].groupby("label", sort=False)["number"].sum()
    return number.groupby(alike, sort=False).idxmax().to_dict()


def _refuse_texts(
    answers: Answers,
    texts: Mapping[str, list[str]],
    others: Mapping[str, list[str]],
    people: Mapping[str, list[str]],
) -> None:
    """Raise DataError if a file has texts among numbers.

    Args:
        answers: its answers.
        texts: those of each scenario.
        others: the other labels of each scenario.
        people: people's labels of each scenario.
    """
    there = [first for first in answers.first_uses if first[1] in texts.get(first[0], ())]
    if not there:
        return
    name, label, at = there[0]
    labels = list(dict.fromkeys(label for _, label, _ in there))
    said = [(name, label) for name, label, _ in there if not says_no_answer(label)]
    theirs = set().union(*people.values())
    also = _to_be_said(answers, said, {} if _is_people(answers) else people)
    if {*map(str.casefold, labels)} <= YES | NO:
        ways: Parts = ("say in labels.csv what it means, or list all options under ",)
    elif theirs.isdisjoint(labels) or _are_rare(answers, labels):
        ways = (no_answer(*labels), f" ({touched(answers, labels)}); or list all options")
        ways = ("if it is no answer, put ", *ways, " under ")
        also = [] if _is_people(answers) else also
    else:
        ways = (f"and {touched(answers, labels)}: list all options in order under ",)
    raise answers.fault(
        "text-among-numbers",
        f"{label!r} is a text, where answers are {_few(others[name])}; ",
        *ways,
        LEVELS,
        *(() if _is_people(answers) else ("; then, ", *UNLISTED)),
        row=answers.rows.iloc[at],
        also=also,
    )


def _by_question(
    texts: Iterable[tuple[str, str]], elsewhere: Container[str]
) -> dict[str, list[str]]:
    """Return different texts by question: under ``*`` those that are no answers elsewhere."""
    of_question: dict[str, dict[str, None]] = {}
    for name, text in texts:
        of_question.setdefault(name if text in elsewhere else EVERY, {})[text] = None
    return {name: [*several] for name, several in of_question.items()}


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
            sides = {_is_people(part) for part, number, _ in given if number}
            is_often = any(number > RARE_END * whole for _, number, whole in given)
            if is_amount or (is_often and len(sides) > 1):
                yield text


def texts_of_several(everybody: Iterable[Answers]) -> set[str]:
    """Return the texts that stand in several files of simulators, and not in people's."""
    several, theirs = Counter[str](), set[str]()
    for part in everybody:
        texts = {as_label(label) for _, label, _ in part.first_uses if pd.notna(label)}
        several.update(texts)
        theirs |= texts if _is_people(part) else set()
    return {text for text, files in several.items() if files > 1} - theirs


def _doubts(labels: list[str]) -> dict[str, Parts]:
    """Return the doubts about labels of one scenario, by label; the first spelling counts."""
    doubts: dict[str, Parts] = {}
    first: dict[str, str] = {}
    for label in labels:
        other = first.setdefault(alike(label), label)
        if other != label:
            doubts[label] = (f"and {other!r} {difference(label, other)}",)
    for label in labels:
        if (number := number_of(label)) in labels:
            same = Remedy({"recode": {label: number}})
            what = f"and {number!r} may be one option; if so, put "
            doubts[label] = _unless_listed(what, same, being="is another")
        if is_unanswered(label):
            what = "says that there is no answer; put "
            doubts[label] = _unless_listed(what, no_answer(label), being="was an option")
        if is_net(label):
            what = "looks like a total, not an answer; put "
            doubts[label] = _unless_listed(what, Remedy({"totals": [label]}))
        if is_date(label, (other for other in labels if other != label)):
            doubts[label] = (
                "is a date, as spreadsheets make of answers such as 1-2; write what was answered, "
                "or list it among ",
                AMONG_LEVELS,
            )
    return doubts


def _unless_listed(what: str, *way: Part, being: str = "is an answer") -> Parts:
    """Return a doubt with what settles it, and that listing the label settles it, too."""
    return (what, *way, ", or list it among ", AMONG_LEVELS, f" if it {being}")


def _codes(
    name: str,
    labels: list[str],
    codes: list[str],
    answered: Set[str],
    of_people: Sequence[str],
    rare: Mapping[str, list[str]],
) -> dict[str, Parts]:
    """Return advice on the codes for no answer among the labels of a scenario.

    Where people would be left with one answer of two, their code stands for the other.

    Args:
        name: the scenario.
        labels: its labels.
        codes: the labels that stand apart.
        answered: labels that are answers to another scenario.
        of_people: people's labels.
        rare: by scenario, the rare ends; what they are is nobody's to propose.
    """
    valid = [label for label in labels if label not in codes]
    rest, not_given = _few(valid), [label for label in valid if label not in of_people]
    is_other = len(valid) == 2 == len(of_people) and len(not_given) == 1
    advice: dict[str, Parts] = {}
    for code in codes:
        if is_other and code in of_people:
            what = f"stands apart from {rest}, and people give no {not_given[0]!r}: if it is that, "
            recoded = Remedy({"recode": {code: not_given[0]}})
            advice[code] = (f"{what}put ", recoded, ", and if it is an answer, list all")
            continue
        way: Parts = (no_answer(*(other for other in codes if other not in answered)),)
        if code in answered:
            here = Remedy({"missing_in": {name: [plain(code)]}})
            way = (here, ", as it is an answer elsewhere,")
        what = f"stands apart from {rest}, as codes for no answer do; if it is one, put "
        if rare[name] == codes:
            what = f"is given by few people and no simulator, beside {rest}; say what it is, "
            is_everywhere = answered.isdisjoint(codes)
            way = (meanings({EVERY: codes} if is_everywhere else rare),)
        advice[code] = _unless_listed(what, *way)
    return advice


OF_A_KEY = (
    "if a file says what people's numbers mean (a codebook, a key or a .qsf), name it, too, behind "
    "these files; else say in labels.csv which number each text is"
)


def _check_common(all_answers: list[Answers], free: set[str]) -> None:
    """Raise DataError if a simulator and people share no answer, overall or in a scenario."""
    ours = [*filter(_is_people, all_answers)]
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
            labels, first = {*theirs["label"]}, theirs.iloc[0]
            _refuse_counterparts(answers, people, given, theirs)
            pairs = [(name, label) for name, chosen in given.items() for label in chosen]
            to_be_said = _to_be_said(answers, pairs, people, may_be_none=False)
            if not _look_alike(everything, labels):
                are_codes = all(as_number(label) is not None for label in everything)
                are_codes &= all(as_number(label) is None for label in labels)
                raise answers.fault(
                    "nothing-in-common",
                    f"{source!r} answers {_few(labels)}, people {_few(everything)}: nothing in "
                    "common; ",
                    *own_words,
                    OF_A_KEY if are_codes else "recode one of them",
                    *_without_affix(labels, everything),
                    row=first,
                    also=to_be_said,
                )
            sides = [({*chosen}, people.get(name, set())) for name, chosen in given.items()]
            of_people = set().union(*(other for _, other in sides))
            for one, other in [(labels, of_people), *sides]:
                if are_one_apart(one, other):
                    listed = Remedy({"outcome.levels": in_order(one | other)})
                    raise answers.fault(
                        "codes-one-apart",
                        f"{source!r} answers {_few(one)}, people {_few(other)}, as codes of one "
                        "scale from 0 and from 1 are; if so, mend one file; if each number means "
                        "the same in both, list the options, ",
                        listed if one == labels else SCENARIOS,
                        row=first,
                        also=[_shift(answers, one, other)],
                    )
            for name, (chosen, other) in zip(given, sides, strict=True):
                if min(len(chosen), len(other)) > 1 and not _look_alike(chosen, other):
                    raise answers.fault(
                        "nothing-in-common-in-scenario",
                        f"{source!r} answers {_few(chosen)} to {name!r}, people {_few(other)}: "
                        "nothing in common; is it the same question? Recode one of them, or list "
                        "its options in the file of scenarios, or if all questions have the same "
                        "options, under ",
                        AMONG_LEVELS,
                        row=theirs[theirs["scenario"] == name].iloc[0],
                        also=[*to_be_said, leaving_out(name), SCENARIOS, LEVELS],
                    )


def _look_alike(labels: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether some label looks like one of others."""
    return not {*map(alike, labels)}.isdisjoint(map(alike, others))


def _to_be_said(
    answers: Answers,
    given: Collection[tuple[str, str]],
    options: Mapping[str, Collection[str]],
    *,
    may_be_none: bool = True,
) -> list[Remedy]:
    """Return that the user says what texts of a file mean that are no options there.

    Args:
        answers: of the file.
        given: the file's labels, with their scenario.
        options: people's labels of each scenario, or those that are listed.
        may_be_none: whether a simulator's text that says no option is proposed to be none; of very
            many, the last ones are so together.
    """
    elsewhere = {label for name, label in given if label in options.get(name, ())}
    apart = [(name, label) for name, label in given if label not in options.get(name, ())]
    texts = _by_question(apart, elsewhere)
    every = set().union(*map(set, options.values()))
    how = partial(_likely, answers) if may_be_none else likely_meaning
    pairs = [(text, how(text, options=options.get(name, every))) for name, text in apart]
    likely = dict(sorted(pairs, key=lambda pair: pair[1] not in ("", UNPARSABLE)))
    none = [text for text in texts.get(EVERY, ()) if likely[text] == UNPARSABLE]
    if none[MOST_RECODED:]:
        texts[EVERY] = [*(text for text in texts[EVERY] if text not in none[MOST_RECODED:]), EVERY]
        likely[EVERY] = UNPARSABLE
    is_few = len(likely) <= MOST_RECODED or (may_be_none and not _is_people(answers))
    return [meanings(texts, likely.__getitem__)] if texts and is_few else []


def _likely(answers: Answers, text: str, **known: Any) -> str:
    """Return what a text may mean; of a simulator's one that says nothing, that it is none."""
    none = why_none(text) if says_no_answer(text) else UNPARSABLE
    return likely_meaning(text, **known) or ("" if _is_people(answers) else none)


def _shift(answers: Answers, codes: Set[str], theirs: Set[str]) -> Remedy:
    """Return what a simulator's codes are in people's, which begin one higher or lower."""
    by = 1 if min(map(float, codes)) < min(map(float, theirs)) else -1
    pairs = {code: as_label(float(code) + by) for code in sorted(codes, key=float)}
    return meanings_in(answers.sheet.path, pairs)


def _without_affix(labels: Set[str], theirs: Iterable[str]) -> Parts:
    """Return how labels are recoded that are other ones with the same word before each."""
    shared = re.sub(r"[^\W_]*$", "", common_start(labels))
    plain_of = {alike(label): label for label in theirs}
    pairs = {label: plain_of.get(alike(label.removeprefix(shared))) for label in labels}
    if len(labels) < 2 or None in pairs.values():
        return ()
    return (": if so, put ", Remedy({"recode": dict(sorted(pairs.items()))}))


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
    ends: dict[str, str] = {}
    named: dict[str, str] = {}
    for name, chosen in given.items():
        theirs = people.get(name, set())
        options = {label: option_named(label, theirs) for label in chosen if label not in theirs}
        named |= {label: option for label, option in options.items() if option}
        pairs |= counterparts(sorted(theirs), sorted(chosen))
        for texts, numbers in ((theirs, {*chosen}), ({*chosen}, theirs)):
            steps = in_order(label for label in numbers - texts if as_number(label) is not None)
            if len(words := labelled_ends(sorted(texts))) == len(steps) == 2:
                ends = dict(zip(words, steps, strict=True))
    if named:
        label, option = next(iter(named.items()))
        raise answers.fault(
            "option-in-text",
            f"{label!r} seems to answer {option!r}; if so, put ",
            *recoding(named),
            "; if it is an option itself, list all among ",
            AMONG_LEVELS,
            row=_first_of(rows, people, label),
        )
    if pairs:
        are_booleans = all(BOOLEANS.get(alike(one)) == other for one, other in pairs.items())
        why = "answers of yes or no, as programs write them" if are_booleans else CAPITALS
        are_clear = are_booleans or _are_capitals(pairs)
        ways: Parts = ("; if so, put ", Remedy({"recode": pairs}, why=why, is_clear=are_clear))
        one, other = next(iter(pairs.items()))
    elif ends:
        (one, other), (two, last) = ends.items()
        turned = Remedy({"recode": {one: last, two: other}}, is_sure=False)
        same = Remedy({"recode": ends})
        ways = (f"; if {one!r} is {other}, put ", same, f", or if it is {last}, ", turned)
    else:
        return
    raise answers.fault(
        "other-label",
        f"{one!r} and {other!r} may be one option, as people give only one of them, and "
        "the simulator the other",
        *ways,
        "; if they are two, list both among ",
        AMONG_LEVELS,
        row=_first_of(rows, people, one, other),
    )


def _first_of(rows: pd.DataFrame, people: Mapping[str, set[str]], *labels: str) -> pd.Series:
    """Return the first of a simulator's rows with a label that people don't give there."""
    pairs = zip(rows["scenario"], rows["label"], strict=True)
    is_new = [label in labels and label not in people.get(name, ()) for name, label in pairs]
    return rows.iloc[int(np.argmax(is_new))]


def _also(label: str, others: Iterable[str]) -> str:
    """Return the other labels with the same fault, to follow the message about the first."""
    more = [other for other in dict.fromkeys(others) if other != label]
    return f" (the same of {_few(more)})" if more else ""


def _few(labels: Iterable[str]) -> str:
    labels = in_order(labels)
    return ", ".join(repr(label) for label in labels[:3]) + (", ..." if len(labels) > 3 else "")


def _completed(
    chosen: dict[str, list[str]], described: pd.DataFrame, kind: str, origin: Sequence[str]
) -> dict[str, list[str]]:
    """Return the options of each scenario, including unchosen ones where they can be told."""
    n_options = described.get("n_options")
    everything = in_order(set().union(*chosen.values()))
    numeric = all(as_number(label) is not None for label in everything)
    if kind == "ordinal" and not numeric:
        raise refusal(
            "order-unknown",
            f"the answers are texts ({_few(everything)}), so their order is unknown; list "
            "them in order, ",
            Remedy({"outcome.kind": "ordinal", "outcome.levels": [BLANK]}),
            file=origin,
        )
    completed = {}
    for name, labels in chosen.items():
        refused = partial(refusal, file=origin, scenario=name)
        d = None if n_options is None or np.isnan(n_options[name]) else int(n_options[name])
        if kind == "binary" and d is None and len(labels) == 1:
            completed[name] = _binary(labels, everything, refused)
        elif d is not None:
            completed[name] = _of_number(labels, d, kind, refused)
        elif kind == "ordinal" and labels != everything:
            unused = next(label for label in everything if label not in labels)
            raise refused(
                "option-unclear",
                f"nobody answered {unused!r} there, so it is not clear whether it is an option; "
                "list all options in order, ",
                _steps_of(everything),
                ", or put n_options or options into the file of scenarios",
                also=[SCENARIOS, *_far(everything)],
            )
        else:
            completed[name] = labels
        if kind == "binary" and len(completed[name]) > 2:
            raise refused(
                "too-many-for-binary",
                f"is declared binary but has the answers {_few(labels)}; mend them, or call the "
                "kind ordinal or categorical",
                also=[Remedy({"outcome.kind": other}) for other in ("ordinal", "categorical")],
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


def _binary(labels: list[str], everything: list[str], refused: Refused) -> list[str]:
    """Return both options of a scenario in which only one was chosen."""
    for both in (everything, ["0", "1"]):
        if len(both) == 2 and labels[0] in both:
            return both
    raise refused(
        "other-option-unknown",
        f"everybody answers {labels[0]!r}, so the other option is unknown; list both, ",
        Remedy({"outcome.kind": "binary", "outcome.levels": [BLANK]}),
    )


def _of_number(labels: list[str], d: int, kind: str, refused: Refused) -> list[str]:
    """Return the d options of a scenario in which some may never have been chosen."""
    if len(labels) > d:
        raise refused(
            "more-than-n-options",
            f"has {len(labels)} different answers ({_few(labels)}), more than its n_options, "
            f"{d}; mend one of them",
        )
    for first in (1, 0):
        whole = [str(i) for i in range(first, first + d)]
        if set(labels) <= set(whole):
            return whole
    if len(labels) == d:
        return labels
    if kind == "categorical" and any(as_number(label) is None for label in labels):
        return [*labels, *(f"(never chosen {i})" for i in range(1, d - len(labels) + 1))]
    raise refused(
        "options-unknown",
        f"has n_options {d} but only {len(labels)} different answers ({_few(labels)}), so "
        "the others are unknown; list all, ",
        LEVELS,
        ", or in the column options of the file of scenarios",
    )
