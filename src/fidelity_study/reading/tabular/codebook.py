"""A survey's questions beside its answers: wording, options, and labels in the place of codes."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial

import pandas as pd

from fidelity_study.errors import File, Note
from fidelity_study.reading.ingest.parse import AROUND_TEXTS, stated_answer
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.columns import as_label, as_number, whole_steps
from fidelity_study.reading.tabular.doubtful import (
    alike,
    are_ends,
    codes_of_nothing,
    reason_of,
    says_no_answer,
)
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout, values_of
from fidelity_study.reading.tabular.options import labels_seen
from fidelity_study.reading.tabular.qsf import Codebook, Question
from fidelity_study.reading.tabular.question_names import by_wording
from fidelity_study.reading.tabular.reading import fits
from fidelity_study.reading.tabular.remedies import ignoring
from fidelity_study.reading.tabular.scenarios import Described
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.survey import are_steps
from fidelity_study.tables.ingest import REASONS

Meaning = Callable[[str], str | int]


def with_codebook(layout: Layout, scenario_file: Described) -> Layout:
    """Return a layout that knows the options and wordings in a file of scenarios, or a survey."""
    codebook = scenario_file.sheet.codebook
    if codebook is None:
        layout = replace(layout, names_of=by_wording(scenario_file.wordings))
        return layout.knowing(scenario_file.labels)
    wordings = {name: question.wording for name, question in codebook.questions.items()}
    layout = replace(layout.knowing(codebook.options), names_of=by_wording(wordings))
    several = [name for name, question in codebook.questions.items() if question.several]
    multiple = (*layout.multiple, *several)
    return replace(layout, codebook=codebook, multiple=multiple)


def of_survey(scenario_file: Described, answers: Iterable[Answers], layout: Layout) -> Described:
    """Return what a survey says of the questions answered; other files say the same as before."""
    codebook = scenario_file.sheet.codebook
    if codebook is None:
        return scenario_file
    people, *others = answers
    names = dict.fromkeys(name for part in (people, *others) for name in part.questions)
    known = _known(names, with_scales(codebook, people))
    rows = pd.DataFrame(index=pd.Index(list(known), dtype=object))
    rows["question"] = [question.wording or name for name, question in known.items()]
    options = [_options(name, question, layout) or None for name, question in known.items()]
    rows["options"] = pd.Series(options, rows.index, dtype=object)
    rows = rows.combine_first(scenario_file.rows.reindex(rows.index))
    return replace(scenario_file, rows=rows)


def _options(name: str, question: Question, layout: Layout) -> tuple[str, ...]:
    """Return the options of a question that are answers, as the study calls them."""
    if layout.reading.codes:
        return tuple(question.labels)
    meaning, none = _meaning(name, layout), layout.reading.missing_of(name)
    read = [code for code in question.listed if none.isdisjoint({code, question.labels[code]})]
    meanings = (meaning(question.labels[code]) for code in read if isinstance(meaning(code), str))
    return tuple(dict.fromkeys(label for label in meanings if isinstance(label, str)))


def _meaning(name: str, layout: Layout) -> Meaning:
    """Return the function from a label to the study's label of a question, or a reason for none."""
    marks = [marks for pattern, marks in layout.missing_in.items() if fits(name, pattern)]
    none = frozenset().union(*marks)
    return lambda label: layout.meaning(None if label in none else label)


def meanings_of_codes(name: str, layout: Layout) -> dict[str, str]:
    """Return what the codes of a question's options mean: an option, or why there is no answer."""
    question = layout.codebook.of(name) if layout.codebook is not None else None
    if question is None or layout.reading.codes:
        return {}
    meaning = _meaning(name, layout)
    meanings = {code: meaning(label) for code, label in question.labels.items()}
    return {code: REASONS[to] if isinstance(to, int) else to for code, to in meanings.items()}


def with_questions(sheet: Sheet, layout: Layout) -> Sheet:
    """Return a sheet whose questions are those that the survey knows.

    Where options are compared, they are those with options. The config's ``questions`` come first.
    """
    codebook = layout.codebook
    if codebook is None or layout.questions is not None or not codebook.is_survey:
        return sheet
    there = sheet.columns if sheet.questions is None else sheet.questions
    known = _known(there, codebook)
    closed = [name for name, question in known.items() if question.is_choice]
    names = list(known) if layout.reading.codes else closed
    return replace(sheet, questions=names) if names else sheet


def with_named_groups(sheet: Sheet, layout: Layout) -> Sheet:
    """Return a sheet with labels in the place of codes of groups, as the survey has them."""
    codebook = layout.codebook
    if codebook is None:
        return sheet
    for name in layout.groups:
        question, column = codebook.of(name), layout.group_of(sheet, name)
        if question is None or column is None:
            continue
        labels = question.labels
        if labels.keys() >= {*map(as_label, values_of(sheet, [column])[column])}:
            places = {sheet.columns.index(column)}
            sheet = sheet.with_texts(places, partial(_label, labels))
    return sheet


def _label(labels: Mapping[str, str], text: str) -> str:
    return labels[label] if (label := as_label(text)) else text


def beside(layout: Layout, people: Answers) -> Layout:
    """Return the layout of simulators' files, whose options and scales are people's."""
    layout = layout.beside(people.sheet, people.said.labels)
    codebook = layout.codebook and with_scales(layout.codebook, people)
    return replace(layout, codebook=codebook, asked=frozenset(people.questions))


def with_scales(codebook: Codebook, people: Answers) -> Codebook:
    """Return a survey with all steps of scales of which it labels the ends only.

    What it calls the ends are codes of these steps, too.

    Args:
        codebook: the survey.
        people: their answers, which have steps between.
    """
    seen = labels_seen([people])
    scales: dict[str, Question] = {}
    for name, question in _known(seen, codebook).items():
        none = {*codes_of_nothing({*question.labels, *seen[name]}), *question.unsure}
        none |= {question.labels[code] for code in none if code in question.labels}
        given = {*seen[name]}.difference(question.labels.values())
        codes = {code: as_number(code) for code in {*question.labels, *given} - none}
        numbers = {code: number for code, number in codes.items() if number is not None}
        ends = [numbers[code] for code in numbers if code in question.labels]
        within = [numbers[code] for code in numbers if code not in question.labels]
        are_steps_within = are_ends(ends, within) and are_steps(min(ends), max(ends), within)
        if len(numbers) == len(codes) and are_steps_within:
            steps = whole_steps(min(ends), max(ends))
            labels = dict(zip(steps, steps, strict=True))
            labels |= {label: code for code, label in question.labels.items() if code in numbers}
            labels |= {code: label for code, label in question.labels.items() if code in none}
            scales[name] = replace(question, labels=labels)
    return replace(codebook, questions={**codebook.questions, **scales})


def labelled(answers: Answers, layout: Layout) -> Answers:
    """Return answers with options' labels in the place of their codes, as the survey has them.

    Raises:
        DataError: if it is not clear whether answers are codes or labels.
    """
    codebook = layout.codebook
    if codebook is None or layout.reading.codes or answers.sheet.raw:
        return answers
    codebook = with_scales(codebook, answers)
    rows = answers.answered.drop_duplicates(["scenario", "label"])
    cells: dict[str, list[str]] = {}
    for name, label in zip(rows["scenario"], rows["label"], strict=True):
        question = codebook.of(name)
        if question is not None and question.labels and not label.startswith(NO_WORDS):
            cells.setdefault(name, []).append(label)
    known = _known(cells, codebook)
    by_code = _are_codes(answers, cells, codebook)
    pairs = [(name, cell) for name, texts in cells.items() for cell in texts]
    labels = {(name, cell): known[name].label(cell, by_code=by_code) for name, cell in pairs}
    meanings = {pair: _meaning(pair[0], layout)(label) for pair, label in labels.items()}
    coded = [pair for pair in pairs if as_number(pair[1]) is not None and labels[pair] != pair[1]]
    if coded and not by_code:
        what = f"numbers in {shown(dict(coded))} are read as codes of "
        note = answers.sheet.note("codes-by-labels", what, File(codebook.path))
        said = replace(answers.said, notes=(*answers.said.notes, note))
        answers = replace(answers, said=said)
    return answers.with_meanings(meanings)


def by_labels_of(
    people: Answers, answers: Answers, layout: Layout, apart: Collection[str]
) -> tuple[Answers, list[Note]]:
    """Return a simulator's answers with labels for the codes that have one in people's file.

    Only of questions all of whose numbers are codes with a label, or steps that are their own.
    Where codes are people's answers, as only the ends of a scale have labels, labels are read as
    codes. Codes that people's file calls no answer are none, as the file says. Answers to questions
    that are options of others, ``apart``, are no codes.
    """
    columns = {*people.sheet.columns}.difference(apart)
    names = [name for name in answers.rows["scenario"].cat.categories if name in columns]
    about = people.sheet.about(names)
    seen: dict[str, dict[str, str]] = {}
    for name, label, _ in answers.first_uses:
        text = stated_answer(label).strip(AROUND_TEXTS) if answers.sheet.raw else label
        seen.setdefault(name, {})[label] = as_label(text)
    meanings: dict[tuple[str, str], str | int | None] = {}
    read, called, none = (dict[str, None]() for _ in range(3))
    for name, entry in about.items():
        labels = {} if entry.by_code else entry.labels
        absent = [code for code in entry.missing if code not in entry.options]
        given = seen.get(name, {})
        codes = {label: code for label, code in given.items() if code not in absent}
        none_of = ((code, one) for code in absent for one in given if given[one] == code)
        for code, spelled in none_of:
            label = entry.missing[code]
            meanings[name, spelled] = REASONS.index(reason_of(label))
            none[f"{code!r} ({label})" if label else repr(code)] = None
        steps = {code for code, label in labels.items() if as_label(label) == code}
        codes = {one: code for one, code in codes.items() if as_number(code) is not None}
        codes = {one: code for one, code in codes.items() if code not in steps}
        if codes and all(labels.get(code) and code not in entry.options for code in codes.values()):
            named = {one: as_label(labels[code]) for one, code in codes.items()}
            meanings |= {(name, one): layout.recode.get(to, to) for one, to in named.items()}
            read[name] = None
        words = {alike(label): code for code, label in entry.labels.items() if label}
        are_apart = len(words) == sum(map(bool, entry.labels.values()))
        for one in given if entry.by_code and are_apart else ():
            if (word := alike(given[one])) in words and not says_no_answer(word):
                meanings[name, one] = words[word]
                called[name] = None
    notes = [
        answers.sheet.note("codes-by-labels", what, File(people.sheet.path))
        for what in (
            f"codes of {shown(read)} are read by their labels in " if read else "",
            f"labels of {shown(called)} are read as their codes in " if called else "",
            f"{shown(none, how=str)} is no answer, as in " if none else "",
        )
        if what
    ]
    return answers.with_meanings(meanings), notes


def _known(names: Iterable[str], codebook: Codebook) -> dict[str, Question]:
    return {name: question for name in names if (question := codebook.of(name))}


def _are_codes(answers: Answers, cells: Mapping[str, list[str]], codebook: Codebook) -> bool:
    """Return whether a file's answers are codes, and not labels: more of them are."""
    known = _known(cells, codebook)
    number = {
        by_code: sum(
            known[name].is_read(cell, by_code=by_code)
            for name, texts in cells.items()
            for cell in texts
        )
        for by_code in (True, False)
    }
    unclear = [
        name
        for name, texts in cells.items()
        if any(len({known[name].label(cell, by_code=way) for way in number}) > 1 for cell in texts)
    ]
    if number[True] == number[False] and number[True] and unclear:
        raise answers.sheet.fault(
            "codes-or-labels",
            f"answers to {shown(unclear)} may be options' codes or their labels, by ",
            File(codebook.path),
            "; export choice texts, or put ",
            ignoring(*unclear),
        )
    return number[True] > number[False]
