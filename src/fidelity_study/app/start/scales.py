"""The options of questions in their order, where questions differ in their scales."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence

from fidelity_study.app.start.word_scales import in_steps
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.doubtful import codes_of_nothing, is_no_answer
from fidelity_study.reading.tabular.kept import written
from fidelity_study.reading.tabular.options import have_scales_apart, labels_seen, sharing_answers
from fidelity_study.tables.ingest import HUMAN

MOST_STEPS, SAME_SCALE, FEWEST = 21, 0.6, 2
MANY, AT_END = 100, 0.15
"""Where this share of so many people give the highest answer, a higher one is no option."""
Scale = tuple[int, int]


def scales_of(everybody: Sequence[Answers], apart: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the options of each question: all whole numbers from its lowest to its highest answer.

    Nothing if scales don't differ.

    Args:
        everybody: their answers.
        apart: questions whose options are known.
    """
    seen: dict[str, list[float]] = {}
    for name, labels in labels_seen(everybody).items():
        codes = codes_of_nothing(map(str, labels))
        numbers = [as_number(str(label)) for label in labels if str(label) not in codes]
        seen[name] = [number for number in numbers if number is not None and number % 1 == 0]
        if len(seen[name]) < len(numbers):
            return {}
    left = {name: numbers for name, numbers in seen.items() if name not in {*apart}}
    scales = {name: _ends(numbers) for name, numbers in left.items()}
    are_clear = all(_size(scale) <= MOST_STEPS for scale in scales.values())
    if not scales or not are_clear or not _differ(scales.values()):
        return {}
    of_each = _own(scales, _closed(everybody, scales))
    return {name: tuple(_steps(scale)) for name, scale in of_each.items()}


def texts_apart(answers: Iterable[Answers], apart: Iterable[str]) -> dict[str, list[str]]:
    """Return the options of questions, in a likely order, where they have several scales.

    Nothing if there is one scale, or if all are numbers.

    Args:
        answers: everybody's.
        apart: questions whose options are known.
    """
    left = {name: labels for name, labels in labels_seen(answers).items() if name not in {*apart}}
    if not have_scales_apart(left):
        return {}
    whole = {name: answers for answers, names in sharing_answers(left) for name in names}
    return {name: _likely_order(left[name], whole[name]) for name in left}


def _likely_order(labels: Iterable[str], of_scale: Iterable[str]) -> list[str]:
    labels, of_scale = (
        [label for label in several if not is_no_answer(label)] for several in (labels, of_scale)
    )
    numbers = [number for label in labels if (number := as_number(label)) is not None]
    if len(numbers) == len([*labels]):
        return list(map(written, sorted(numbers)))
    options = sorted({*labels, *of_scale})
    known = in_steps(options) if len(options) > FEWEST else None
    return [*known[0]] if known else options


def known_order(everybody: Sequence[Answers], *, whole: bool) -> dict[str, list[str]]:
    """Return the options of each question in order, where their words tell it; else nothing.

    Args:
        everybody: their answers.
        whole: whether a scale may lack no end.
    """
    left = labels_seen(everybody)
    labels = [label for labels in left.values() for label in labels]
    if any(label != label or is_no_answer(label) for label in labels):  # forecasts have none
        return {}
    orders: dict[str, list[str]] = {}
    has_words = False
    for of_scale, names in sharing_answers(left):
        steps, is_whole = in_steps(of_scale) or (_in_numbers(of_scale), True)
        if not steps or (whole and not is_whole):
            return {}
        has_words |= as_number(steps[0]) is None and len(steps) > FEWEST
        orders |= dict.fromkeys(names, steps)
        if as_number(steps[0]) is not None:
            ends = {name: _ends(map(float, left[name])) for name in names}
            scales = _own(ends, _closed(everybody, ends))
            orders |= {name: _steps(one) for name, one in scales.items() if one[0] < one[1]}
    return orders if has_words else {}


def _in_numbers(labels: Iterable[str]) -> list[str]:
    """Return the steps of a scale of whole numbers, or two words; nothing for anything else."""
    several = sorted(labels)
    numbers = [number for label in several if (number := as_number(label)) is not None]
    if not numbers:
        return several if len(several) == FEWEST else []
    if len(numbers) < len(several) or any(number % 1 for number in numbers):
        return []
    scale = _ends(numbers)
    if codes_of_nothing(several) or not 1 < _size(scale) <= MOST_STEPS:
        return []
    return _steps(scale)


def _ends(numbers: Iterable[float]) -> Scale:
    whole = [*map(int, numbers)]
    return min(whole), max(whole)


def _steps(scale: Scale) -> list[str]:
    return [str(step) for step in range(scale[0], scale[1] + 1)]


def _size(scale: Scale) -> int:
    return scale[1] - scale[0] + 1


def _differ(scales: Iterable[Scale]) -> bool:
    """Return whether questions have scales of their own, and not one of which some use a part."""
    times = Counter(scales)
    whole = (min(low for low, _ in times), max(high for _, high in times))
    several = sum(number >= FEWEST for number in times.values()) > 1
    return several or any(_size(scale) < SAME_SCALE * _size(whole) for scale in times)


def _closed(everybody: Iterable[Answers], scales: Mapping[str, Scale]) -> set[str]:
    """Return the questions that many people answer, many of them by the highest answer."""
    closed: set[str] = set()
    for part in everybody:
        rows = part.rows[(part.rows["source"] == HUMAN) & (part.rows["reason"] < 0)]
        for name, here in rows[rows["scenario"].isin(scales)].groupby("scenario", observed=True):
            are_highest = [as_number(str(label)) == scales[str(name)][1] for label in here["label"]]
            people, highest = here["number"].sum(), here["number"][are_highest].sum()
            closed |= {str(name)} if people >= MANY and highest >= AT_END * people else set()
    return closed


def _own(scales: Mapping[str, Scale], closed: Container[str]) -> dict[str, Scale]:
    """Return the scale of each question: one for all, where some use a part of it.

    Args:
        scales: the lowest and highest answer of each question.
        closed: questions with no option above their highest answer.
    """
    if not _differ(scales.values()):
        whole = _ends(end for scale in scales.values() for end in scale)
        return dict.fromkeys(scales, whole)
    times = Counter(scales.values())
    return {name: _likely(scale, times, is_closed=name in closed) for name, scale in scales.items()}


def _likely(scale: Scale, times: Mapping[Scale, int], *, is_closed: bool) -> Scale:
    """Return the scale of a question: its own, or that of several others that has one step more."""
    if times[scale] >= FEWEST:
        return scale
    wider = [
        other
        for other, number in times.items()
        if number >= FEWEST
        and other[0] <= scale[0] <= scale[1] <= other[1]
        and _size(other) == _size(scale) + 1
        and not (is_closed and other[0] == scale[0])
    ]
    return wider[0] if wider else scale
