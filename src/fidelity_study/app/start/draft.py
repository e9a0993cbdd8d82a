"""A draft of the file of scenarios, where questions differ in their scales."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from fidelity_study.app.start.files import save
from fidelity_study.app.start.word_scales import in_steps
from fidelity_study.errors import refusal
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.doubtful import codes_of_nothing, is_no_answer
from fidelity_study.reading.tabular.kept import written
from fidelity_study.reading.tabular.lists import BETWEEN
from fidelity_study.reading.tabular.options import have_scales_apart, labels_seen, sharing_answers
from fidelity_study.reading.tabular.scenarios import Described

MOST_STEPS, SAME_SCALE, FEWEST = 21, 0.6, 2
UNORDERED = " ? "
Scale = tuple[int, int]


def scales_of(answers: Iterable[Answers], apart: Iterable[str]) -> dict[str, Scale]:
    """Return the lowest and highest answer of each question; nothing if scales don't differ.

    Args:
        answers: everybody's.
        apart: questions whose options are known.
    """
    seen: dict[str, list[float]] = {}
    for name, labels in labels_seen(answers).items():
        numbers = [as_number(str(label)) for label in labels]
        seen[name] = [number for number in numbers if number is not None and number % 1 == 0]
        if len(seen[name]) < len(numbers):
            return {}
    left = {name: numbers for name, numbers in seen.items() if name not in {*apart}}
    scales = {name: _ends(numbers) for name, numbers in left.items()}
    are_clear = all(_size(scale) <= MOST_STEPS for scale in scales.values())
    if not scales or not are_clear or not _differ(scales.values()):
        return {}
    return _own(scales)


def scale_cells(scales: Mapping[str, Scale]) -> dict[str, str]:
    """Return the options of each question as a cell of the draft."""
    return {name: BETWEEN.join(_steps(scale)) for name, scale in scales.items()}


def text_cells(answers: Iterable[Answers], apart: Iterable[str]) -> dict[str, str]:
    """Return the options of questions as cells of the draft, where they have several scales.

    Three or more texts of no known scale have a ``?`` between them, which no study reads, as their
    order is the user's to say. Nothing if there is one scale, or if all are numbers.

    Args:
        answers: everybody's.
        apart: questions whose options are known.
    """
    left = {name: labels for name, labels in labels_seen(answers).items() if name not in {*apart}}
    if not have_scales_apart(left):
        return {}
    whole = {name: answers for answers, names in sharing_answers(left) for name in names}
    return {name: _cell(left[name], whole[name]) for name in left}


def _cell(labels: Iterable[str], of_scale: Iterable[str]) -> str:
    numbers = [number for label in labels if (number := as_number(label)) is not None]
    if len(numbers) == len([*labels]):
        return BETWEEN.join(map(written, sorted(numbers)))
    options = sorted({*labels, *of_scale})
    if len(options) > FEWEST and (known := in_steps(options)):
        return BETWEEN.join(known[0])
    return (BETWEEN if len(options) == FEWEST else UNORDERED).join(options)


def known_order(answers: Iterable[Answers], *, whole: bool) -> dict[str, list[str]]:
    """Return the options of each question in order, where their words tell it; else nothing.

    Args:
        answers: everybody's.
        whole: whether a scale may lack no end.
    """
    left = labels_seen(answers)
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
            scales = _own({name: _ends(map(float, left[name])) for name in names})
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


def _own(scales: Mapping[str, Scale]) -> dict[str, Scale]:
    """Return the scale of each question: one for all, where some use a part of it."""
    if not _differ(scales.values()):
        whole = _ends(end for scale in scales.values() for end in scale)
        return dict.fromkeys(scales, whole)
    return {name: _likely(scale, Counter(scales.values())) for name, scale in scales.items()}


def _likely(scale: Scale, times: Mapping[Scale, int]) -> Scale:
    """Return the scale of a question: its own, or that of several others that has one step more."""
    if times[scale] >= FEWEST:
        return scale
    wider = [
        other
        for other, number in times.items()
        if number >= FEWEST
        and other[0] <= scale[0] <= scale[1] <= other[1]
        and _size(other) == _size(scale) + 1
    ]
    return wider[0] if wider else scale


def write(
    path: Path,
    options: Mapping[str, str],
    people: Answers,
    known: Described | None,
    columns: Mapping[str, str],
) -> None:
    """Write a draft with the options of each question, for the user to correct.

    Args:
        path: the file.
        options: the cell of each question; others have none in the draft.
        people: who answered which questions, and whose file may tell the wording.
        known: what the user's file of scenarios says, if there is one.
        columns: what that file calls the cluster and the order.

    Raises:
        DataError: another file is there, or it cannot be written.
    """
    names = [str(name) for name in people.rows["scenario"].unique()]
    table = pd.DataFrame(index=pd.Index(names, dtype=object))
    if known is not None:
        table = known.rows.reindex(names).rename(columns=columns)
    if "question" in people.said.rows:
        wording = people.said.rows["question"].reindex(names)
        table["question"] = table["question"].fillna(wording) if "question" in table else wording
    listed = table["options"].to_dict() if "options" in table else {}
    table["options"] = [
        options[name]
        if name in options
        else BETWEEN.join(listed[name])
        if isinstance(listed.get(name), tuple)
        else None
        for name in names
    ]
    text = table.to_csv(index_label="scenario", lineterminator="\n")
    if path.exists() and path.read_bytes() != text.encode():
        raise refusal(
            "draft-there",
            "is there already; to use it: --scenarios; for a draft of another name: --out FILE",
            file=str(path),
        )
    save(path, text)
