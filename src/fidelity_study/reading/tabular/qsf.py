"""Survey files of Qualtrics (QSF): wording, options and the options' codes by an export's columns.

A QSF is JSON. Its ``SurveyElements`` of the element SQ are questions, whose export tags (and the
numbers of rows and items) are the columns of an export; those of the element BL tell which
questions were thrown away. Qualtrics doesn't document it; the layout is that of public files, as in
github.com/psych251/porter_2016_1_rescue, survey.qsf, and github.com/fflewddur/sp.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fidelity_study.errors import refusal
from fidelity_study.reading.tabular.columns import as_label, as_number, key_within, without_stop
from fidelity_study.reading.tabular.doubtful import (
    codes_of_nothing,
    options_within,
    says_no_answer,
)

SUFFIX, SIGN = ".qsf", "|"
TAG, LOOP = re.compile(r"<[^>]*>"), re.compile(r"\d+_(?=.)")
SEVERAL = {"MAVR", "MAHR", "MACOL", "MSB"}
NO_LABELS: Mapping[str, str] = MappingProxyType({})
NO_QUESTION = {"DB", "Timing", "Meta", "Captcha"}


@dataclass(frozen=True)
class Question:
    """What a survey says of a column.

    Attributes:
        wording: of the question.
        labels: of the options by their codes, in their order; none if any answer may be written.
        several: whether several options may be chosen, and stand in one cell.
        is_choice: whether one chooses; else one writes, ranks or moves a slider.
        unsure: codes that may stand for no answer, so that users are asked.
        translated: the labels in other languages, and which label each is.
    """

    wording: str
    labels: Mapping[str, str] = field(default_factory=dict)
    several: bool = False
    is_choice: bool = False
    unsure: frozenset[str] = frozenset()
    translated: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_key(
        cls, wording: str, labels: Mapping[str, str], translated: Mapping[str, str] = NO_LABELS
    ) -> "Question":
        """Return a question of a key of codes.

        Those are unsure whose labels say that there is no answer, or that are below 0 and no step.
        """
        none = {code for code, text in labels.items() if says_no_answer(text)}
        none |= {code for code in codes_of_nothing(labels) if code[0] == "-"}
        known = {text: label for text, label in translated.items() if text not in labels.values()}
        is_choice, unsure = bool(labels), frozenset(none)
        return cls(wording, labels, is_choice=is_choice, unsure=unsure, translated=known)

    @property
    def listed(self) -> list[str]:
        """The codes of options."""
        return [code for code in self.labels if code not in self.unsure]

    def label(self, cell: str, *, by_code: bool) -> str:
        """Return the option's label in place of a code; several options as a JSON list.

        Where labels are the answers, a number that no label has is a code, as other signs are.
        """
        if self.several:
            options = self._options(cell, by_code=by_code)
            return cell if options is None else json.dumps(options, ensure_ascii=False)
        bare = without_stop(cell)
        code = cell if cell in self.labels else bare
        others = [label for other, label in self.labels.items() if other != code]
        is_number = as_number(cell) is not None and any(options_within(o, [cell]) for o in others)
        is_code = by_code or not (is_number or cell in self.labels.values())
        named = self.translated.get(cell, self.translated.get(bare, cell))
        return self.labels.get(code, named) if is_code else named

    def is_read(self, cell: str, *, by_code: bool) -> bool:
        """Return whether a cell is an option's code, or its label; or several of them."""
        if self.several:
            return self._options(cell, by_code=by_code) is not None
        return cell in (self.labels if by_code else {*self.labels.values(), *self.translated})

    def _options(self, cell: str, *, by_code: bool) -> list[str] | None:
        """Return the labels of the options in a cell, in their order; None if something is left."""
        if by_code:
            codes = [as_label(part) for part in cell.split(",")]
            known = all(code in self.labels for code in codes)
            return [self.labels[code] for code in codes] if known else None
        options, rest = [], f",{cell},"
        for label in sorted(self.labels.values(), key=len, reverse=True):
            spelled = re.compile(rf",\s*{re.escape(label)}\s*(?=,)")
            if spelled.search(rest):
                options.append(label)
                rest = spelled.sub("", rest, count=1)
        order = list(self.labels.values())
        return None if rest.strip(", ") else sorted(options, key=order.index)


@dataclass(frozen=True)
class Codebook:
    """The questions of a survey.

    Attributes:
        path: the file.
        questions: by the column of an export.
        is_survey: whether it has all questions, and not only those with codes.
    """

    path: str
    questions: Mapping[str, Question]
    is_survey: bool = True

    @property
    def options(self) -> list[str]:
        """The labels of all options."""
        questions = self.questions.values()
        return [question.labels[code] for question in questions for code in question.listed]

    def of(self, column: str) -> Question | None:
        """Return what the survey says of a column, or of one of a loop or in an object, or None."""
        names = (column, LOOP.sub("", column, count=1), key_within(column))
        spelled = (name for plain in names for name in (plain, plain.casefold()))
        return next((self._by_name[name] for name in spelled if name in self._by_name), None)

    @cached_property
    def _by_name(self) -> dict[str, Question]:
        """The questions, also by their names in small letters."""
        return {name.casefold(): one for name, one in self.questions.items()} | {**self.questions}


def read(path: str) -> Codebook:
    """Read a survey; raise DataError if it is none."""
    try:
        survey = json.loads(Path(path).read_text(encoding="utf-8-sig"))
        elements = [element for element in survey["SurveyElements"] if element.get("Payload")]
        payloads = {
            str(element["Payload"].get("QuestionID") or element["PrimaryAttribute"]): element[
                "Payload"
            ]
            for element in elements
            if element["Element"] == "SQ"
        }
        thrown = {name for element in elements for name in _thrown_away(element)}
        columns = [
            (name, question)
            for name, payload in payloads.items()
            if name not in thrown
            for name, question in _columns(name, payload)
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise refusal(
            "unreadable",
            "cannot be read as a survey of Qualtrics; export it again "
            f"(Tools, Import/Export, Export survey; {type(error).__name__})",
            file=path,
        ) from error
    questions: dict[str, Question | None] = {}
    for name, question in columns:  # a tag that two questions have tells nothing
        questions[name] = question if questions.get(name, question) == question else None
    return Codebook(path, {name: entry for name, entry in questions.items() if entry is not None})


def _thrown_away(element: dict) -> Iterator[str]:
    """Yield the questions in the survey's trash."""
    if element["Element"] == "BL":
        blocks = element["Payload"]
        for block in blocks.values() if isinstance(blocks, dict) else blocks:
            if block.get("Type") == "Trash":
                yield from (part.get("QuestionID", "") for part in block.get("BlockElements", ()))


def _columns(name: str, payload: dict) -> Iterator[tuple[str, Question]]:
    """Yield the columns that a question may have in an export, by its tag and by its ID."""
    kind, selector = payload.get("QuestionType", ""), payload.get("Selector", "")
    if kind in NO_QUESTION:
        return
    wording = without_tags(payload.get("QuestionText", ""))
    items, tags = _texts(payload, "Choices"), _by_number(payload.get("ChoiceDataExportTags"))
    recoded = _by_number(payload.get("RecodeValues"))
    stems = [as_column(str(payload.get("DataExportTag") or name)), name]
    if kind == "MC":
        labels = _labels(items, recoded)
        several = selector in SEVERAL
        for stem in stems:
            yield stem, Question(wording, labels, several, is_choice=True)
    answers = _labels(_texts(payload, "Answers"), recoded)
    is_likert = kind == "Matrix" and selector in ("Likert", "Bipolar")
    is_single = is_likert and payload.get("SubSelector") not in ("MultipleAnswer", "DND")
    for number, text in items.items():
        item = Question(
            f"{wording}: {text}" if text else wording,
            answers if is_single else {},
            is_choice=kind == "MC" or is_likert,
        )
        if kind == "MC" and selector not in SEVERAL:
            continue
        suffixes = dict.fromkeys([number, recoded.get(number, number), tags.get(number, number)])
        for stem in stems:
            yield from ((f"{stem}_{suffix}", item) for suffix in suffixes)
        if number in tags:
            yield as_column(tags[number]), item
    if not items:
        yield from ((stem, Question(wording)) for stem in stems)


def as_column(name: str) -> str:
    """Return a name as a column of an export has it."""
    return " ".join(name.split())


def _labels(options: Mapping[str, str], recoded: Mapping[str, str]) -> dict[str, str]:
    """Return labels by codes; none where two are the same, or one has the sign between labels."""
    labels = {as_label(recoded.get(number, number)): text for number, text in options.items()}
    texts = {text for text in labels.values() if text and SIGN not in text}
    return labels if len(texts) == len(options) > 1 else {}


def _texts(payload: dict, key: str) -> dict[str, str]:
    """Return the options, or rows, of a question by their numbers, in their order."""
    texts = {
        number: as_label(without_tags(part.get("Display", "")))
        for number, part in _entries(payload.get(key))
    }
    order = map(str, payload.get(f"{key.removesuffix('s')}Order") or ())
    return {number: texts[number] for number in dict.fromkeys([*order, *texts]) if number in texts}


def _by_number(table: object) -> dict[str, str]:
    return {number: str(text) for number, text in _entries(table)}


def _entries(table: object) -> Iterator[tuple[str, Any]]:
    """Yield what an object or a list holds; PHP writes one whose keys are 0, 1, ... as a list."""
    if isinstance(table, dict):
        yield from ((str(number), entry) for number, entry in table.items())
    elif isinstance(table, list):
        yield from ((str(number), entry) for number, entry in enumerate(table))


def without_tags(text: str) -> str:
    """Return HTML as text."""
    return " ".join(html.unescape(TAG.sub(" ", text)).split())
