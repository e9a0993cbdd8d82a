"""What was understood, in words: one fact a line."""

from collections.abc import Iterable, Iterator

import pandas as pd

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.app.start.files import Files
from fidelity_study.app.start.kind import few
from fidelity_study.app.start.look import (
    EMPTY,
    Look,
    codebook_of,
    discrepancy_of,
    layout_of,
    unanswered,
)
from fidelity_study.app.start.request import Request, seen_from_here
from fidelity_study.errors import BLANK, Note, Remedy
from fidelity_study.reading.settings import NUMBERS, questions_of
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.design import DESIGN
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.options import APART, have_order
from fidelity_study.reading.tabular.remedies import ignoring
from fidelity_study.reading.tabular.scenarios import NUMBERS as NUMBERS_OF_SCENARIOS
from fidelity_study.reading.tabular.scenarios import RECOGNISED, TEXTS
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.suspect import COPY, FAILED
from fidelity_study.reading.tabular.told import NAMED, NOT_ANSWERED, NOT_READ, STRAY, UNIT
from fidelity_study.tables.ingest import EVERY, HUMAN, NO_CLUSTER, REASONS

WHY = {
    "long": "as it has columns for the question (scenario) and the answer (value)",
    "forecasts": "as it has no column value: a row is one forecast for the question (scenario)",
    "wide": "as no column is called scenario or value: each column is a question, each row one "
    "person, or one run of a simulator",
}
SETS_SHOWN = 5
FIRST = (NAMED, STRAY, COPY, FAILED, UNIT, APART)  # they may change all results
ELSEWHERE = (*FIRST, NOT_READ, NOT_ANSWERED, DESIGN)


def of_files(request: Request, files: Files, layout: Layout) -> list[str]:
    """Return the form of each file, and why."""
    lines, syntax = [], request.syntax
    for path, sheet in files.sheets.items():
        form = files.forms.get(path)
        lines += [f"{syntax.file(path)}: {what}" for what in sheet.recognised]
        if form is None:
            lines.append(f"{syntax.file(path)}: describes the questions")
            continue
        why = f"as {syntax.name('form')} says" if request["form"] else WHY[form]
        lines.append(f"{syntax.file(path)}: {form}, {why}{_amount(form, sheet, layout)}")
    for name, path in files.own.items():
        where = syntax.file(path)
        lines.append(f"{where}: all of it is the simulator {name}, as no column simulator says who")
    if "wide" in files.forms.values() and not request["form"]:
        named = syntax.remedy(Remedy({"columns.scenario": BLANK, "columns.value": BLANK}))
        lines.append(f"  if each row of a wide file is one answer: {named}")
    return lines


def _amount(form: str, sheet: Sheet, layout: Layout) -> str:
    """Say what a row of a file holds besides an answer."""
    if form not in ("long", "forecasts"):
        return ""
    if count := layout.column(sheet, "count"):
        return f"; column {count} has the number of such answers"
    if probability := layout.column(sheet, "probability"):
        return f"; column {probability} has stated probabilities"
    if form == "long":
        return "; each row is one answer"
    if percent := layout.column(sheet, "percent"):
        return f"; column {percent} has stated percentages"
    columns = [layout.column(sheet, role) for role in ("loc", "scale")]
    return f"; columns {' and '.join(filter(None, columns))} have location and scale"


def of_look(look: Look) -> list[str]:
    """Return the facts about questions, people, simulators and answers."""
    notes, printed = look.responses.notes, look.notes
    further = [note for note in notes if note not in printed and note.code not in ELSEWHERE]
    names = ", ".join(look.baselines)
    baselines = [f"baselines, which need no file: {names}"] if look.baselines else []
    return [
        *_noted(look, [note for note in look.responses.notes if note.code in FIRST]),
        *_questions(look),
        f"people: {_spread(people_per_question(look))} for each question",
        *_simulators(look),
        *_missing(look),
        *_weights(look),
        _repeat(look),
        *_kind(look),
        _cluster(look),
        *baselines,
        *_unread(look),
        *_noted(look, further),
    ]


def _questions(look: Look) -> Iterator[str]:
    if look.request.orders:
        folder = codebook_of(look.request)
        yield f"scales differ, so each question keeps its own: see questions.csv in {folder}"
    scenarios = look.responses.scenarios
    groups = look.request["groups"]
    put = f", each put to groups of people by {shown(groups, how=str)}" if groups else ""
    number = look.people.rows["scenario"].nunique() if groups else len(scenarios)
    yield f"questions: {number}{put}"
    if groups:
        yield f"scenarios: {len(scenarios)}, such as {scenarios['scenario'].iloc[0]!r}"
    if look.are_points:
        many = scenarios["option"].map(len)
        yield f"answers: {_spread(many)} different {look.kind.name}s for each question"
    elif look.kind.name in NUMBERS:
        values = [value for values in scenarios["value"] for value in values]
        yield f"answers: {len(set(values))} different numbers, {min(values):g} to {max(values):g}"
    else:
        sets = scenarios["option"].map(tuple).value_counts(sort=False)
        may_lack = look.kind.name == "categorical" and not look.request["levels"]
        listed = look.people.said.rows.reindex(columns=["known"])["known"].dropna().index
        known = {*listed, *look.listed, *layout_of(look.request).coded.get("orders", ())}
        names = zip(questions_of(scenarios["scenario"], groups), scenarios["option"], strict=True)
        ordered = {tuple(options) for name, options in names if {name, EVERY} & known}
        for labels, number in list(sets.items())[:SETS_SHOWN]:
            is_none = (
                may_lack and len(labels) > 2 and not ({labels} <= ordered or have_order(labels))
            )
            order = ", in no order" if is_none else ""
            yield f"options: {few(list(labels))} ({number} of the questions){order}"
        if len(sets) > SETS_SHOWN:
            yield f"options: {len(sets) - SETS_SHOWN} more sets of options"
    alone = unanswered(look.people, look.simulated)
    if look.simulated and alone:
        hint = (
            f" (columns that are no questions: {look.request.syntax.remedy(ignoring('COL'))})"
            if look.files.forms[look.people.sheet.path] == "wide"
            else ""
        )
        yield f"no simulator answers: {few(alone)}{hint}"


def people_per_question(look: Look) -> pd.Series:
    """Return how many people answered each question."""
    outcomes = look.responses.outcomes
    human = outcomes[outcomes["source"] == HUMAN]
    return human.groupby("scenario", observed=True)["count"].sum()


def _simulators(look: Look) -> Iterator[str]:
    if not look.simulators:
        yield "simulators: none in a file"
    responses = look.responses
    asked = len(responses.scenarios)
    for name in look.simulators:
        stated = responses.stated.loc[responses.stated["source"] == name, "scenario"].nunique()
        counts = responses.outcomes[responses.outcomes["source"] == name]
        answers = counts.groupby("scenario", observed=True)["count"].sum()
        said = []
        if len(answers):
            said.append(
                f"answers {_of(len(answers), asked)} questions, {_spread(answers)} times each"
            )
        if stated:
            said.append(f"states probabilities for {_of(stated, asked)} questions")
        runs = responses.runs
        if twins := runs.loc[runs["source"] == name, "respondent"].nunique():
            said.append(f"as {twins:,} of the persons, by their ids")
        yield f"simulator {name}: {'; '.join(said) or 'no answers'}"


def _missing(look: Look) -> Iterator[str]:
    missing = look.responses.missing
    if not len(missing):
        yield "missing answers: none"
    for reason in REASONS:
        rows = missing[missing["reason"] == reason]
        if len(rows):
            number = rows.groupby("source", sort=False)["count"].sum()
            who = ", ".join(
                f"{'people' if name == HUMAN else name} {_whole(count)}"
                for name, count in number.items()
            )
            yield f"missing answers{'' if reason == 'missing' else f', {reason}'}: {who}"
    for path, codes in look.codes.items():
        codes = [code for code in codes if not code.startswith(NO_WORDS)]  # as a note says
        if codes:
            where = look.request.syntax.file(path)
            cells = ["empty cells" if code == EMPTY else repr(code) for code in codes]
            yield f"  taken for missing in {where}: {', '.join(cells)}"
    before = {what for sheet in look.files.sheets.values() for what in sheet.recognised}
    notes = [n for n in look.notes if n.code != RECOGNISED or before.isdisjoint(n.parts)]
    yield from map(look.request.syntax.message, notes)


def _weights(look: Look) -> Iterator[str]:
    column = look.responses.scenarios.get("n_effective")
    if look.people.worth is not None:
        for note in look.responses.notes:
            if note.code == DESIGN:
                yield look.request.syntax.text(note)
        yield f"  people tell as much as {_spread(column)} drawn at random for each question"
        return
    if column is None:
        yield "weights of people: none"
        return
    why = "counts are fractions"
    if "weight" in look.people.rows:
        why = "there is a column of weights"
    if look.request["weighting_effect"] is not None:
        why = f"{look.request.syntax.name('weighting_effect')} says so"
    yield f"weights of people: they tell as much as {_spread(column)} without weights, as {why}"


def _repeat(look: Look) -> str:
    repeat = look.responses.scenarios["respondents_repeat"].iloc[0]
    if repeat is None or pd.isna(repeat):
        syntax = look.request.syntax
        nobody = syntax.option("respondents_repeat", False)
        return (
            "same people in several questions: unknown, as no column names them, and allowed for"
            f" ({syntax.option('respondent')} does; {nobody} says that nobody answered several)"
        )
    return f"same people in several questions: {'yes' if repeat else 'no'}"


def _kind(look: Look) -> Iterator[str]:
    yield f"kind of outcome: {look.kind.name}, {look.kind.why}"
    if look.kind.other:
        yield f"  if it is another: {look.kind.other}"
    for doubt in look.kind.doubts:
        yield f"  note: {doubt}"
    yield from _distance(look)


def _distance(look: Look) -> Iterator[str]:
    """Say how distance is measured, and what the tolerance means."""
    if look.is_forecast:
        yield "no distances: proper scores and calibration, as for events that happen once"
        return
    if look.are_points:
        yield "comparison: whether a classifier can tell whose an answer is; mmd, energy, sliced_w1"
        return
    name, limit = discrepancy_of(look.request, look.kind.name), look.request["tolerance"]
    if name not in DISCREPANCIES:
        return
    measure = DISCREPANCIES[name]
    is_scored = look.kind.name == "ordinal" and measure.needs_scores
    scores = ", of scores from -1 to 1" if is_scored else ""
    yield f"distance: {measure.label}{scores}"
    if limit is not None:
        is_root = measure.on == "mean" and measure.is_square
        root = f", a difference of {measure.to_metric(limit):.2g}" if is_root else ""
        yield f"  tolerance: {limit:g} of it{root}"
    if look.kind.name == "ordinal" and look.request["discrepancy"] is None:
        other = look.request.syntax.option("discrepancy", "tv")
        yield f"  by the shares of the options instead: {other}"


def _cluster(look: Look) -> str:
    if look.cluster == NO_CLUSTER:
        option = look.request.syntax.option("cluster")
        return f"groups of questions: none ({option} names a column that groups them)"
    number = look.responses.scenarios["cluster"].nunique()
    line = f"groups of questions: {number}, by column {look.cluster}"
    if look.cluster not in look.people.sheet.columns or look.request["cluster"]:
        return line
    alone = look.request.syntax.remedy(ignoring(look.cluster))
    return f"{line}; those of one aren't independent, so error bars rest on {number}; else {alone}"


def _unread(look: Look) -> Iterator[str]:
    """Say which columns of each file are not read."""
    layout = Layout.of(look.step)
    by_file: dict[str, list[str]] = {}
    for part in [look.people, *look.simulated]:
        left = list(part.unread)
        ignored = layout.ignored - {*layout.facts}
        left += [name for name in part.sheet.columns if name in ignored]
        by_file[part.sheet.path] = list(dict.fromkeys(left))
    if look.request["scenarios"]:
        path = seen_from_here(look.request["scenarios"])
        sheet = look.files.sheets[path]
        roles = {layout.column(sheet, "scenario"), layout.column(sheet, "question")}
        known = {*roles, *TEXTS, *NUMBERS_OF_SCENARIOS, *look.request["groups"], look.cluster}
        by_file[path] = [name for name in sheet.columns if name not in known]
    for path, names in by_file.items():
        if names:
            yield f"not read in {look.request.syntax.file(path)}: {shown(names, how=str)}"


def _noted(look: Look, notes: list[Note]) -> list[str]:
    return [f"note: {note}" for note in look.request.syntax.together(notes)]


def _of(number: int, whole: int) -> str:
    return f"all {whole}" if number == whole else f"{number} of {whole}"


def _spread(numbers: Iterable[float]) -> str:
    """Return the smallest and the largest number, and the middle one."""
    values = pd.Series(list(numbers))
    low, high = _whole(values.min()), _whole(values.max())
    return low if low == high else f"{low} to {high} (median {_whole(values.median())})"


def _whole(number: float) -> str:
    return f"{number:,.0f}" if number % 1 == 0 or number >= 100 else f"{number:,.1f}"
