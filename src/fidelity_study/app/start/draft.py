"""A draft of the file of scenarios, where questions differ in their scales."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from fidelity_study.errors import refusal
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.doubtful import codes_of_nothing
from fidelity_study.reading.tabular.kept import written
from fidelity_study.reading.tabular.lists import BETWEEN
from fidelity_study.reading.tabular.scenarios import Described

MOST_STEPS, SAME_SCALE, FEWEST = 21, 0.6, 2
Scale = tuple[int, int]


def scales_of(answers: Iterable[Answers], apart: Iterable[str]) -> dict[str, Scale]:
    """Return the lowest and highest answer of each question; nothing if scales don't differ.

    Args:
        answers: everybody's.
        apart: questions whose options are known.
    """
    seen: dict[str, list[float]] = {}
    for answer_rows in answers:
        rows = answer_rows.rows[answer_rows.rows["reason"] < 0].drop_duplicates(
            ["scenario", "label"]
        )
        for name, label in zip(rows["scenario"], rows["label"], strict=True):
            number = as_number(str(label))
            if number is None or number % 1:
                return {}
            seen.setdefault(str(name), []).append(number)
    left = {name: numbers for name, numbers in seen.items() if name not in {*apart}}
    scales = {
        name: (int(min(answer_rows)), int(max(answer_rows))) for name, answer_rows in left.items()
    }
    are_clear = all(_size(scale) <= MOST_STEPS for scale in scales.values())
    if not scales or not are_clear or not _differ(scales.values()):
        return {}
    if any(codes_of_nothing(map(written, answer_rows)) for answer_rows in left.values()):
        return {}  # codes for no answer are refused first
    return {name: _likely(scale, Counter(scales.values())) for name, scale in scales.items()}


def _size(scale: Scale) -> int:
    return scale[1] - scale[0] + 1


def _differ(scales: Iterable[Scale]) -> bool:
    """Return whether questions have scales of their own, and not one of which some use a part."""
    times = Counter(scales)
    whole = (min(low for low, _ in times), max(high for _, high in times))
    several = sum(number >= FEWEST for number in times.values()) > 1
    return several or any(_size(scale) < SAME_SCALE * _size(whole) for scale in times)


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
    path: Path, scales: Mapping[str, Scale], people: Answers, described_by_user: Described | None
) -> None:
    """Write a draft with the options of each question, for the user to correct.

    Args:
        path: the file.
        scales: the lowest and the highest option of each question.
        people: whose file may tell the wording.
        described_by_user: what the user's file of scenarios says, if there is one.

    Raises:
        DataError: another file is there, or it cannot be written.
    """
    wording = people.said.rows.get("question")
    columns = (
        [name for name in described_by_user.rows.columns if name != "options"]
        if described_by_user is not None
        else []
    )
    columns += ["question"] if wording is not None and "question" not in columns else []
    table = [["scenario", *columns, "options"]]
    for name, (low, high) in scales.items():
        known = (
            described_by_user.rows.loc[name]
            if described_by_user is not None and name in described_by_user.rows.index
            else {}
        )
        cells = [known.get(column) for column in columns]
        if wording is not None and "question" in columns:
            at = columns.index("question")
            cells[at] = cells[at] or wording.get(name)
        options = BETWEEN.join(str(step) for step in range(low, high + 1))
        table.append(
            [name, *("" if cell is None or cell != cell else cell for cell in cells), options]
        )
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    if path.exists() and path.read_text(encoding="utf-8") != text.getvalue():
        raise refusal(
            "draft-there",
            "is there already; to use it: --scenarios, or delete it for a new draft of the scales",
            file=str(path),
        )
    path.write_text(text.getvalue(), encoding="utf-8")
