"""The options of questions in their order, where questions differ in their scales."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import pandas as pd

from fidelity_study.errors import Fault, Remedy, fault
from fidelity_study.reading.tabular.answers import Answers, is_people
from fidelity_study.reading.tabular.columns import MOST_STEPS, as_number, whole_steps
from fidelity_study.reading.tabular.doubtful import codes_of_nothing, is_no_answer, reason_of
from fidelity_study.reading.tabular.options import (
    in_order,
    labels_seen,
    sharing_answers,
)
from fidelity_study.reading.tabular.remedies import an_option
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.told import MAY_BE_NONE
from fidelity_study.reading.tabular.word_scales import in_steps, may_be_no_answer
from fidelity_study.tables.ingest import HUMAN, REFUSED, UNDECIDED

SAME_SCALE, FEWEST = 0.6, 2
MANY, AT_END = 100, 15
"""Where of so many people so many give the last answer of a scale, one beyond it is no option."""
USUAL, MARGIN = {(1, 5), (1, 7)}, 2
"""Scales that so many people would not stay in of one from 0 to so many steps more, or further."""
OF_TEN = whole_steps(0, 10)
RECOMMENDING = re.compile(
    r"(?i)likel.*recommend|wahrscheinlich.*empfehl|prob.*(recommand|recom[ei]nd|consigli)"
)
Scale = tuple[int, int]


def scales_of(everybody: Sequence[Answers], apart: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the options of each question: all whole numbers from its lowest to its highest answer.

    Nothing if scales don't differ; none of a question that only simulators answer.

    Args:
        everybody: their answers.
        apart: questions whose options are known.
    """
    seen: dict[str, list[float]] = {}
    asked = labels_seen(filter(is_people, everybody))
    for name, labels in labels_seen(everybody).items():
        if asked and name not in asked:
            continue
        if any(label != label for label in labels):  # forecasts have none
            return {}
        codes = codes_of_nothing(labels)
        numbers = [as_number(label) for label in labels if label not in codes]
        seen[name] = [number for number in numbers if number is not None and number % 1 == 0]
        if len(seen[name]) < len(numbers):
            return {}
    left = {name: numbers for name, numbers in seen.items() if name not in {*apart}}
    scales = {name: _ends(numbers) for name, numbers in left.items()}
    are_clear = all(_size(scale) <= MOST_STEPS for scale in scales.values())
    of_each = _own(scales, everybody) if scales and are_clear else {}
    differ = len({*of_each.values()}) > 1
    return {name: tuple(whole_steps(*scale)) for name, scale in of_each.items()} if differ else {}


def texts_apart(answers: Sequence[Answers], apart: Iterable[str]) -> dict[str, list[str]]:
    """Return the options of questions, in a likely order; nothing if all are numbers.

    Args:
        answers: everybody's.
        apart: questions whose options are known.
    """
    seen, joining = _given(answers)
    left = {name: labels for name, labels in seen.items() if name not in {*apart}}
    if all(as_number(label) is not None for labels in seen.values() for label in labels):
        return {}
    scales = sharing_answers(left, joining)
    whole = {name: of_scale for of_scale, names in scales for name in names}
    return {name: _likely_order(left[name], whole[name]) for name in left}


def _given(everybody: Sequence[Answers]) -> tuple[dict[str, list[str]], set[str] | None]:
    """Return the answers to each question, and those of people, which alone tell one scale.

    Texts that only simulators give are none where they refuse, or where people's alone are steps.
    """
    theirs = {*chain(*labels_seen(filter(is_people, everybody)).values())}
    seen = {name: [*filter(pd.notna, some)] for name, some in labels_seen(everybody).items()}
    for name, labels in seen.items() if theirs else ():
        given = [label for label in labels if label in theirs]
        is_scale = in_steps(given) and not in_steps(labels)
        answers = [label for label in labels if label in theirs or reason_of(label) != REFUSED]
        seen[name] = given if is_scale else answers
    return seen, theirs or None


def _likely_order(labels: Iterable[str], of_scale: Iterable[str]) -> list[str]:
    options = [label for label in labels if not is_no_answer(label)]
    are_numbers = all(as_number(label) is not None for label in options)
    return in_order(options if are_numbers else {*options, *of_scale})


def known_order(
    everybody: Sequence[Answers], listed: Mapping[str, Sequence[str]], *, whole: bool
) -> dict[str, list[str]]:
    """Return the options of each question in order, where their words tell it; else nothing.

    Args:
        everybody: their answers.
        listed: the options of questions that have known ones, whose order must be that.
        whole: whether a scale may lack no end.
    """
    seen, joining = _given(everybody)
    left = {name: labels for name, labels in seen.items() if name not in listed}
    listed = {name: listed[name] for name in seen if name in listed}
    if any(not labels or any(map(is_no_answer, labels)) for labels in left.values()):
        return {}
    orders: dict[str, list[str]] = {}
    scales = sharing_answers(left, joining)
    scales += [({*options}, [name]) for name, options in listed.items()]
    for of_scale, names in scales:
        steps, is_whole = in_steps(of_scale) or (_in_numbers(of_scale), True)
        is_open = names[0] in left
        if not (steps or whole or is_open):
            continue  # what a file or a user lists is in its order
        if not steps or (whole and is_open and not is_whole):
            return {}
        orders |= dict.fromkeys(names, steps)
        if is_open and as_number(steps[0]) is not None:
            ends = {name: _ends(map(float, left[name])) for name in names}
            numbers = _own(ends, everybody)
            orders |= {name: whole_steps(*one) for name, one in numbers.items() if one[0] < one[1]}
    known = listed.keys() & orders
    are_so = all([*listed[name]] in (orders[name], orders[name][::-1]) for name in known)
    has_words = any(as_number(steps[0]) is None and steps[FEWEST:] for steps in orders.values())
    return orders | {name: [*listed[name]] for name in known} if are_so and has_words else {}


def middles_in_doubt(
    people: Answers, simulated: Iterable[Answers], orders: Mapping[str, Iterable[str]]
) -> Iterator[Fault]:
    """Yield a fault of each middle of a scale that may say that there is no answer.

    Proposed is the middle where both people and a simulator give it.

    Args:
        people: their answers.
        simulated: those of simulators.
        orders: the options of each question in order.
    """
    theirs, given = ({*chain(*labels_seen(part).values())} for part in ([people], [*simulated]))
    for text in filter(may_be_no_answer, dict.fromkeys(chain(*orders.values()))):
        none = Remedy({"missing": [text]}, reasons={text: UNDECIDED})
        ways = [an_option(text), none] if text in theirs & given else [none, an_option(text)]
        what = f"{text!r} may be the middle of a scale, or no answer; say which"
        yield fault(MAY_BE_NONE, what, file=people.sheet.path, also=ways)


def zeros_in_doubt(
    people: Answers, scenarios: pd.DataFrame, names: Sequence[str], known: Container[str]
) -> Iterator[Fault]:
    """Yield a fault of questions of 1 to 10 that may be of 0 to 10, where nobody gives 0.

    As another question is, or as one asks how likely people recommend something.

    Args:
        people: their answers.
        scenarios: what the study takes from the files.
        names: the question of each of them.
        known: the questions whose options are decided.
    """
    rows = people.answered
    lowest = rows[rows["label"].astype(str) == OF_TEN[1]].groupby("scenario", observed=True)
    many = {name for name, number in lowest["number"].sum().items() if number >= AT_END}
    ends = [(steps[0], steps[-1]) for steps in scenarios["option"]]
    is_usual = (OF_TEN[0], OF_TEN[-1]) in ends
    wordings = scenarios.get("question", names)
    texts = [f"{name} {text}" for name, text in zip(names, wordings, strict=True)]
    doubtful = dict.fromkeys(
        name
        for name, text, (low, high) in zip(names, texts, ends, strict=True)
        if low in OF_TEN[1:] and high == OF_TEN[-1] and name not in known
        if RECOMMENDING.search(text) or (is_usual and name not in many)
    )
    if doubtful:
        what = f"nobody answers 0 to {shown(doubtful)}, which may be asked from 0 to 10"
        ends_of = Remedy({"ends": dict.fromkeys(doubtful, (OF_TEN[0], OF_TEN[-1]))})
        yield fault("lowest-unclear", what, file=people.sheet.path, also=[ends_of])


def _in_numbers(labels: Iterable[str]) -> list[str]:
    """Return the steps of a scale of whole numbers, or two words; nothing for anything else."""
    several = sorted(labels)
    if all(as_number(label) is None for label in several):
        return several if len(several) == FEWEST else []
    steps = [] if codes_of_nothing(several) else in_whole_steps(several)
    return steps if steps[1:] else []


def in_whole_steps(labels: Iterable[str]) -> list[str]:
    """Return the whole numbers from the lowest label to the highest; nothing if they are no such.

    >>> in_whole_steps(["1", "4", "2"]), in_whole_steps(["1", "1.5"]), in_whole_steps(["1", "99"])
    (['1', '2', '3', '4'], [], [])
    """
    numbers = [as_number(label) for label in labels]
    whole = [number for number in numbers if number is not None and number % 1 == 0]
    scale = _ends(whole) if whole else (0, MOST_STEPS)
    return whole_steps(*scale) if len(whole) == len(numbers) and _size(scale) <= MOST_STEPS else []


def _ends(numbers: Iterable[float]) -> Scale:
    whole = [*map(int, numbers)]
    return min(whole), max(whole)


def _size(scale: Scale) -> int:
    return scale[1] - scale[0] + 1


def _differ(scales: Mapping[str, Scale], closed: Mapping[str, Container[int]]) -> bool:
    """Return whether questions have scales of their own, and not one of which some use a part.

    Args:
        scales: the lowest and highest answer of each question.
        closed: those of them that nothing is beyond.
    """
    times = Counter(scales.values())
    whole = (min(low for low, _ in times), max(high for _, high in times))
    several = sum(number >= FEWEST for number in times.values()) > 1
    are_small = any(_size(scale) < SAME_SCALE * _size(whole) for scale in times)
    return (
        several
        or are_small
        or any(
            end != last and end in closed[name]
            for name, scale in scales.items()
            for end, last in zip(scale, whole, strict=True)
        )
    )


def _closed(everybody: Iterable[Answers], scales: Mapping[str, Scale]) -> dict[str, set[int]]:
    """Return the ends of each question's scale that many people answer, or that are usual ones."""
    closed: dict[str, set[int]] = {name: set() for name in scales}
    low, high = _ends(chain(*scales.values()))
    for part in everybody:
        rows = part.rows[(part.rows["source"] == HUMAN) & (part.rows["reason"] < 0)]
        for name, here in rows[rows["scenario"].isin(scales)].groupby("scenario", observed=True):
            given = here.groupby("label", observed=True)["number"].sum()
            often = map(str, given.index[(given >= AT_END) & (given.sum() >= MANY)])
            ends = scales[str(name)]
            is_usual = ends in USUAL and low == 0 and high >= ends[1] + MARGIN
            is_usual &= bool(given.sum() >= MANY)
            closed[str(name)] |= {*ends}.intersection(ends if is_usual else map(as_number, often))
    return closed


def _own(scales: Mapping[str, Scale], everybody: Iterable[Answers]) -> dict[str, Scale]:
    """Return the scale of each question: one for all, where some use a part of it.

    Args:
        scales: the lowest and highest answer of each question.
        everybody: their answers.
    """
    closed = _closed(everybody, scales)
    if not _differ(scales, closed):
        whole = _ends(end for scale in scales.values() for end in scale)
        return dict.fromkeys(scales, whole)
    times = Counter(scales.values())
    return {name: _likely(scale, times, closed[name]) for name, scale in scales.items()}


def _likely(scale: Scale, times: Mapping[Scale, int], closed: Container[int]) -> Scale:
    """Return the scale of a question: its own, or that of several others that has one step more."""
    if times[scale] >= FEWEST:
        return scale
    wider = [
        other
        for other, number in times.items()
        if number >= FEWEST
        and other[0] <= scale[0] <= scale[1] <= other[1]
        and _size(other) == _size(scale) + 1
        and not any(end in closed and end not in other for end in scale)
    ]
    return wider[0] if wider else scale
