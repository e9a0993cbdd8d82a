"""The files: what form each has and why, and whose answers it holds."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pandas as pd

from fidelity_study.app.start.request import Request, seen_from_here
from fidelity_study.errors import DataError, ErrorList, Part, Remedy, in_file, refusal
from fidelity_study.reading.ingest.parse import stated_answer
from fidelity_study.reading.settings import ATTRIBUTE
from fidelity_study.reading.tabular.batch_output import NOTHING, id_of, is_batch, likely_pattern
from fidelity_study.reading.tabular.coded import left_out
from fidelity_study.reading.tabular.columns import as_label, as_number, share_of, stem_of
from fidelity_study.reading.tabular.doubtful import AROUND, MARKS, are_times
from fidelity_study.reading.tabular.exports.long_names import persons_of
from fidelity_study.reading.tabular.exports.probabilities import of_percentage
from fidelity_study.reading.tabular.exports.table import numbered, without
from fidelity_study.reading.tabular.files import LINES, STATE, Sheet, suffix_of
from fidelity_study.reading.tabular.layout import QUESTION, ROLES, Layout, alike, listed, values_of
from fidelity_study.reading.tabular.plain import Plain
from fidelity_study.reading.tabular.profiles import NUMBERING
from fidelity_study.reading.tabular.question_file import opened_questions
from fidelity_study.reading.tabular.question_names import number_of
from fidelity_study.reading.tabular.questions import (
    is_fact,
    is_measured,
    is_setting,
    named_in_wave,
    names_persons,
)
from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.records import of_lines
from fidelity_study.reading.tabular.remedies import groups_named, ignoring, in_pandas, of_columns
from fidelity_study.reading.tabular.shared_columns import ids_of
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.spreadsheet import stem
from fidelity_study.reading.tabular.unread import FORECASTS, SHARES, WORD, is_share, is_usual_amount
from fidelity_study.reading.tabular.vectors import opened_answers
from fidelity_study.reading.tabular.words import MODEL, OF_CALLS, RUNS, TRUTHS
from fidelity_study.tables.ingest import HUMAN, NO_CLUSTER
from fidelity_study.tables.read_write import write_text

CLUSTERS, FEWEST, LIKE_PEOPLE = ("cluster", "topic"), 2, 0.5
LOCATIONS, SPREADS = {"mean", "mu", "loc", "location"}, {"sd", "std", "sigma", "stdev"}
NUMBERED = re.compile(r"\d").search
OF_OPTION = ("scenario", "value", "option")
MOST_MODELS, MOST_IN_NAME, MOST_PARTS = 30, 6, 8


@dataclass(frozen=True)
class Files:
    """The files, of which no more than the headers have been read.

    Attributes:
        sheets: each by its path, as the config names it.
        forms: that of each file of answers by its path: long or wide, or of forecasts.
        simulated: the key of the config: paths, a path for each simulator, or both; None without.
        own: the simulators that are named by their files.
    """

    sheets: Mapping[str, Sheet]
    forms: Mapping[str, str]
    simulated: str | list[str | dict[str, str]] | dict[str, str] | None
    own: Mapping[str, str]


def read(request: Request, layout: Layout) -> Files:
    """Open all files and tell their forms.

    Raises:
        DataError: with the faults of all headers, one line each.
    """
    sheets: dict[str, Sheet] = {}
    seen: dict[str, Sheet] = {}
    forms, faults = {}, ErrorList()
    described = request["scenarios"] and seen_from_here(request["scenarios"])
    first = seen_from_here(request.human)
    people = Sheet(first, [], 1, lambda _: [])  # as if it can't be read
    for path in map(seen_from_here, request.files):
        with faults.collected():
            is_answers = path != described
            if path != first:
                _refuse_ids(path, people, request, layout)
            open_file = opened_answers if is_answers else opened_questions
            sheets[path] = open_file(path, layout.reading)
            seen[path] = without(sheets[path], layout.in_file(path).ignored)
            people = seen.get(first, people)
            if is_answers:
                _refuse_other_words(seen[path], layout, request, people)
                forms[path] = layout.form_of(seen[path])
    faults.refuse()
    if not any(request[name] for name in ("form", "groups", "attribute")):
        _refuse_questions_in_rows(seen, forms, layout)
    simulated = _simulated(request, layout, seen, forms)
    parts = simulated if isinstance(simulated, list) else [simulated]
    named = {name: path for part in parts if isinstance(part, dict) for name, path in part.items()}
    return Files(sheets, forms, simulated, named)


def with_headers(request: Request, reading: Reading) -> Files | None:
    """Return files whose forms are not clear, as if each row were an answer.

    None if one can't be opened.
    """
    try:
        paths = map(seen_from_here, request.files)
        sheets = {path: opened_answers(path, reading) for path in paths}
    except DataError:
        return None
    return Files(sheets, dict.fromkeys(sheets, "long"), {}, {})


def cluster(request: Request, files: Files | None) -> str:
    """Return the column of the clusters, or ``none``, also where ``files`` would have to tell."""
    if request["cluster"] is not None:
        return request["cluster"]
    if request["attribute"]:
        return ATTRIBUTE
    if request["groups"]:
        return QUESTION
    if files is None:
        return NO_CLUSTER
    places = [request["scenarios"]] if request["scenarios"] else []
    if files.forms[seen_from_here(request.human)] == "long":
        places.append(request.human)
    sheets = [files.sheets[seen_from_here(path)] for path in places]
    there = {name for sheet in sheets for name in sheet.columns} - set(request["ignore"])
    usual = [*(sheet.roles.get("cluster") for sheet in sheets), *CLUSTERS]
    return next((name for name in usual if name in there), NO_CLUSTER)


def _refuse_ids(path: str, people: Sheet, request: Request, layout: Layout) -> None:
    """Raise DataError if a file is the output of a batch, and its ids name questions.

    They are people's, or those of the file of questions, or have tick boxes.
    """
    if layout.reading.custom_id or suffix_of(path) not in LINES or not Path(path).is_file():
        return
    ids = []
    with in_file(path):
        for _, record in of_lines(Plain.of(path).text.decode()):
            if not is_batch(record):
                return
            ids.append(str(id_of(record)))
    names = _asked(people, layout)
    if request["scenarios"]:
        with suppress(DataError):  # told when it is read
            file = opened_questions(seen_from_here(request["scenarios"]), layout.reading)
            names |= {*file.codebook.questions} if file.codebook else _asked(file, layout)
    persons = ids_of(people)  # no questions, though ids may begin with their name
    names -= {*persons, *filter(names_persons, people.columns)}
    cells = values_of(people, [*filter(names_persons, people.columns)])
    by_name = {name: {*texts} for name, texts in cells.items()}
    if pattern := likely_pattern(ids, names, persons, by_name):
        is_clear = f"{{{NOTHING}}}" not in pattern
        raise refusal(
            "no-custom-id",
            f"is the output of a batch, with ids such as {ids[0]!r}; put ",
            Remedy({"custom_id": pattern}, why="what its ids are made of", is_clear=is_clear),
            file=path,
        )


def _asked(people: Sheet, layout: Layout) -> set[str]:
    """Return the names that people's questions may have."""
    question = layout.column(people, "scenario")
    names = {*people.columns, *(values_of(people, [question])[question] if question else ())}
    stems = Counter(map(stem_of, people.columns))
    return {*names, *map(number_of, names), *(stem for stem in stems if stems[stem] > 1)}


def _refuse_other_words(sheet: Sheet, layout: Layout, request: Request, people: Sheet) -> None:
    """Raise DataError if a file's columns have the names of long files in other words.

    Or if it has no answers, but effects of conditions, or means; or if states of its rows, such as
    rejected, leave open which count. A column whose cells are all names of people's columns names
    questions, whatever it and others are called.
    """
    there = {*sheet.columns}
    if request["condition"] in there and ("effect" in there or {"mean", "sd", "n"} <= there):
        what = "has no answers, but effects or means; docs/howto/experiments.md compares them"
        raise sheet.fault("stated-effects", what)
    if (state := sheet.roles.get(STATE)) and state not in layout.in_file(sheet.path).ignored:
        raise sheet.fault(
            "states",
            f"tells which rows count ({'; '.join(sheet.recognised)}); if these are right, put ",
            ignoring(state),
            "; else delete the rows that do not count, or write another state into their cells",
            column=state,
        )
    has = {role for role in ("probability", "loc", "scale") if layout.column(sheet, role)}
    in_percent = sheet is not people and layout.named(sheet, "percent")
    states = "probability" in has or in_percent or {"loc", "scale"} <= has
    roles = ("scenario",) if states else ("scenario", "value")
    wanted = [role for role in roles if layout.column(sheet, role) is None]
    likely = {role: alike(sheet, role) for role in wanted}
    if people is not sheet and "scenario" not in wanted:
        _refuse_no_names(sheet, people, layout)
    if people is not sheet and wanted:
        by_cells = _by_cells(sheet, people, layout)
        if "scenario" in wanted:
            likely = by_cells if len(by_cells) > 1 else {**likely, **by_cells}
        elif not (likely["value"] or layout.column(sheet, "option")):
            likely = {role: by_cells[role] for role in by_cells if role != "scenario"} or likely
    if sheet is people and not wanted:
        _refuse_no_person(sheet, layout)
    if request["form"] or not wanted or not all(likely.values()):
        return
    if sheet.path != seen_from_here(request.human) and not _names_simulators(sheet, layout):
        likely["simulator"] = likely_simulators(sheet)
    names = {f"columns.{role}": columns[0] for role, columns in likely.items() if columns}
    raise _other_names(sheet, names)


def _refuse_no_names(sheet: Sheet, people: Sheet, layout: Layout) -> None:
    """Raise DataError if another column than that of questions has people's names of all."""
    question = layout.needed(sheet, "scenario")
    of_file = layout.coded.get("roles", {}).get(sheet.path, {}).get("scenario", ())
    cells = {name: {*values} for name, values in values_of(sheet, sheet.columns).items()}
    names = _asked(people, layout)
    named = [name for name in cells if len(cells[name]) >= FEWEST and cells[name] <= names]
    is_said = question in (layout.columns.get("scenario"), *of_file)
    if len(named) == 1 and not (is_said or cells[question] <= names):
        why = f"its column of people's names of questions, which {question!r} has not"
        way = Remedy({"columns.scenario": named[0]}, why=why, is_clear=True)
        raise sheet.fault("other-names", f"{named[0]!r} has people's names; put ", way)


def _refuse_no_person(people: Sheet, layout: Layout) -> None:
    """Raise DataError if a column names persons who answer several questions once.

    It is clear by its name; by its cells it is asked about.
    """
    known = {*layout.wordings(people), *layout.groups, layout.cluster, layout.order}
    known |= {layout.column(people, role) for role in ROLES}
    left = [name for name in layout.columns_of(people) if name not in known]
    left = [name for name in left if not (is_fact(name) or is_usual_amount(name))]
    is_known = layout.column(people, "respondent") or layout.column(people, "count")
    texts = values_of(people, () if is_known else left)
    several = [name for name in texts if 2 * len(texts[name]) <= people.size]
    likely = [name for name in several if not are_times(name, texts[name])]
    question = layout.needed(people, "scenario")
    if likely and (name := named_in_wave(people, question, (), None, likely)):
        why = "its column of persons, each of whom answers several questions"
        raise people.fault(
            "no-respondent-column",
            f"{name!r} has another cell in each row of a question, as persons have; if so, put ",
            Remedy({"columns.respondent": name}, why=why, is_clear=names_persons(name)),
            "; if it does not matter, put ",
            ignoring(name),
        )


def _persons(rows: pd.DataFrame, by: Iterable[str]) -> list[str]:
    """Return the columns of rows, by their names, of persons who answer several questions once."""
    persons = filter(names_persons, rows)
    several = [name for name in persons if 2 * rows[name].nunique() <= len(rows)]
    return persons_of(rows, several, by)


def _other_names(sheet: Sheet, names: Mapping[str, str]) -> DataError:
    """Return the error that a file has a row for each answer, and columns of other names."""
    return sheet.fault(
        "other-names",
        f"has columns {shown(names.values())}, as if each row were one answer; if so, put ",
        Remedy(names),
        "; if each column is a question, put ",
        Remedy({"form": "wide"}, is_offered=False),
    )


def _refuse_questions_in_rows(
    sheets: Mapping[str, Sheet], forms: Mapping[str, str], layout: Layout
) -> None:
    """Raise DataError if people's file has a row for each answer, as its cells tell.

    A column has the questions that simulators answer, or is one of theirs, too, and in its rows
    another has their options. Persons answer once in each of its cells, or of two such columns: the
    question, and the stimulus, which has more values. Or each row says what came true of one event
    that simulators state probabilities of.
    """
    people, *simulated = (sheets[path] for path in forms)
    for sheet in simulated if forms[people.path] == "wide" else ():
        if events := _of_events(people, sheet):
            raise _other_names(people, events)
        named = [layout.column(sheet, role) for role in ("option", "value")]
        value = next(filter(None, [*named, *alike(sheet, "value")]), "")
        theirs = {name: {*values} for name, values in values_of(sheet, sheet.columns).items()}
        questions = theirs.get(layout.column(sheet, "scenario") or "", set())
        if not value or questions & {*people.columns}:
            continue
        options = {alike_text(text) for text in theirs[value]}
        asked = dict[str, set[str]]()
        for name, cells in values_of(people, people.columns).items():
            is_named = questions and questions <= {*cells}
            shared = {*cells} & (questions if is_named else theirs.get(name, set()))
            is_part = is_named or shared in ({*cells}, theirs.get(name))
            if is_part and len(shared) >= FEWEST and not {*map(alike_text, cells)} <= options:
                asked[name] = shared
        if names := _of_rows(people, asked, options, alone=bool(questions)):
            raise _other_names(people, names)


def _of_events(people: Sheet, sheet: Sheet) -> dict[str, str]:
    """Return which columns are the event and what came true, where a file forecasts the same."""
    true = [name for name in people.columns if name.casefold() in TRUTHS]
    stated = any(map(_may_forecast, sheet.columns))
    both = [name for name in people.columns if name in sheet.columns] if true and stated else []
    ours, theirs = values_of(people, both), values_of(sheet, both)
    of_each = [name for name in both if len(ours[name]) == people.size]
    events = [name for name in of_each if theirs[name][1:] and {*theirs[name]} <= {*ours[name]}]
    return {"columns.scenario": events[0], "columns.value": true[0]} if events else {}


def _may_forecast(name: str) -> bool:
    """Return whether a name may be that of probabilities of an event, such as ``p_yes``."""
    words = {*WORD.findall(name.casefold())}
    return bool(words & FORECASTS) or is_share(name) or bool(words & SHARES and words & MARKS)


def _of_rows(
    people: Sheet, asked: Mapping[str, set[str]], options: Container[str], *, alone: bool
) -> dict[str, str]:
    """Return which columns are the question, the answer and the person, and which the stimulus.

    Nothing if it isn't clear; ``alone`` a question may be without persons.
    """
    are_profiles = NUMBERING.intersection(map(str.casefold, people.columns))
    parts = [] if are_profiles else [*asked][:MOST_PARTS]
    table = people.frame(people.columns if parts else [])
    for names in chain(combinations(parts, 1), combinations(parts, 2)):
        of_names = [table[name].str.strip().isin(asked[name]) for name in names]
        rows = table[np.logical_and.reduce(of_names)]
        person = _persons(rows, names)[:1]
        value = _best(rows.drop(columns=[*names, *person]), options)
        if value and (person or (alone and len(names) == 1)):
            question, *stimulus = sorted(names, key=lambda name: len(asked[name]))
            settings = {"columns.scenario": question, "columns.value": value}
            settings |= {"columns.respondent": person[0]} if person else {}
            return settings | ({"wave": stimulus[0]} if stimulus else {})
    return {}


def _best(rows: pd.DataFrame, options: Container[str]) -> str | None:
    """Return the column with the most of the options among its several texts; None if unclear."""
    several = {str(name): {*map(alike_text, cells.dropna())} for name, cells in rows.items()}
    shares = {
        name: sum(text in options for text in texts) / len(texts)
        for name, texts in several.items()
        if len(texts) >= FEWEST
    }
    best = [name for name in shares if shares[name] == max(shares.values()) >= LIKE_PEOPLE]
    return best[0] if len(best) == 1 else None


def _by_cells(sheet: Sheet, people: Sheet, layout: Layout) -> dict[str, list[str]]:
    """Return which columns of a simulator's file name people's questions, and say the answers.

    These are people's answers, or the location and scale, or probability, that is stated of them.
    Where people's file can't be read, the question is told by its name.
    """
    cells = {name: {*values} for name, values in values_of(sheet, sheet.columns).items()}
    question, names = layout.column(people, "scenario"), _asked(people, layout)
    names |= {*left_out(layout.coded)}
    asked = [name for name, values in cells.items() if values and values <= names]
    if not asked and layout.column(sheet, "probability"):
        shared = values_of(people, [name for name in cells if name in people.columns])
        asked = [name for name, values in shared.items() if cells[name] <= {*values}]
    asked = asked if people.columns else alike(sheet, "scenario")[:1]
    if len(asked) != 1 or len(cells[asked[0]]) < FEWEST:
        return {}
    value = layout.column(people, "value") if question else None
    given = [value] if value else [name for name in people.columns if name in cells[asked[0]]]
    theirs = {alike_text(text) for values in values_of(people, given).values() for text in values}
    left = {name: values for name, values in cells.items() if values and name not in asked}
    shares = {
        name: sum(alike_text(stated_answer(text)) in theirs for text in values) / len(values)
        for name, values in left.items()
        if not is_fact(name)
    }
    known = {
        name: [of_percentage(text) if text.endswith("%") else as_number(text) for text in values]
        for name, values in left.items()
    }
    amounts = {
        name: [number for number in numbers if number is not None]
        for name, numbers in known.items()
        if None not in numbers
    }
    words = {name: {*WORD.findall(name.casefold())} for name in amounts}
    stated = {
        role: [name for name in amounts if words[name] & usual]
        for role, usual in (("loc", LOCATIONS), ("scale", SPREADS))
    }
    several = [name for name in amounts if len(amounts[name]) > 1]  # one for all is a setting
    likely = [*filter(_may_forecast, several)]
    fractions = [
        name
        for name in several
        if any(number % 1 for number in amounts[name]) and max(amounts[name]) <= 1
        if not (is_setting(name) or is_measured(name))
    ]
    likely = likely or (fractions if len(fractions) == 1 else [])
    best = max(shares, key=lambda name: shares[name], default="")
    roles: dict[str, list[str]] = {"scenario": asked}
    if all(stated.values()):
        return roles | stated
    if likely:
        role = "probability" if max(amounts[likely[0]]) <= 1 else "percent"
        roles[role] = likely[:1]
    if shares.get(best, 0) >= LIKE_PEOPLE:
        roles["value"] = [best]
    return roles


def alike_text(text: str) -> str:
    """Return what spellings of an answer have in common: capitals and signs around it don't count.

    Examples:
        >>> alike_text("  Agree. ")
        'agree'
    """
    return as_label(text).casefold().strip(AROUND)


def _simulated(
    request: Request, layout: Layout, opened_sheets: Mapping[str, Sheet], forms: Mapping[str, str]
) -> str | list[str | dict[str, str]] | dict[str, str] | None:
    """Return the files of simulators as the config names them.

    A file without a column of simulators is one simulator's, unless another column may name them.
    """
    people = opened_sheets[seen_from_here(request.human)]
    sheets = {path: opened_sheets[path] for path in map(seen_from_here, request.simulated)}
    if not sheets:
        return None
    if request.own:
        return {name: seen_from_here(path) for name, path in request.own.items()}
    named = [path for path, sheet in sheets.items() if _names_simulators(sheet, layout)]
    if len(sheets) == 1 and (named or request["simulator"]):
        return next(iter(sheets))
    silent = {path: sheet for path, sheet in sheets.items() if path not in named}
    grouping = {*request["groups"], request["cluster"]}
    faults = ErrorList()
    for path, sheet in silent.items() if named or not request["simulator"] else ():
        with faults.collected():
            if forms[path] == "wide":
                _refuse_named(
                    sheet, likely_simulators(sheet), {*people.columns} | layout.ignored | grouping
                )
            else:
                _refuse_several(sheet, layout, grouping, people.columns)
    faults.refuse()
    if not named:
        return list(sheets) if request["simulator"] else _by_file(list(sheets))
    names = {path: name for name, path in _by_file(silent).items()}
    return [{names[path]: path} if path in names else path for path in sheets]


def likely_simulators(sheet: Sheet) -> list[str]:
    """Return the columns that may say who answers: by their names, or as models are named there.

    Runs and personas name nobody: each model answers in several.
    """
    names = alike(sheet, "simulator")
    named = [name for name, cells in values_of(sheet, names).items() if not _are_runs(name, cells)]
    cells = {} if named else values_of(sheet, sheet.columns)
    return named or [
        name
        for name, values in cells.items()
        if 0 < len(values) <= MOST_MODELS and all(map(MODEL.search, values))
    ]


def _are_runs(name: str, cells: Sequence[str]) -> bool:
    """Return whether a column has numbers, or so many personas as no models are."""
    are_many = bool(RUNS.search(name)) and len(cells) > MOST_MODELS
    return are_many or all(as_number(text) is not None for text in cells)


def _names_simulators(sheet: Sheet, layout: Layout) -> bool:
    return set(layout.simulators_of(sheet)) <= set(layout.columns_of(sheet))


def _refuse_several(
    sheet: Sheet, layout: Layout, grouping: set[str | None], of_people: Sequence[str]
) -> None:
    """Raise DataError if a long file's column, but for those of ``grouping``, may name simulators.

    One that people's file has, too, may name groups of people.
    """
    roles = ["scenario", "value", "option", "count", "probability", "percent", "weight"]
    roles += ["respondent", "loc", "scale", "family"]
    known = {layout.column(sheet, role) for role in roles} | layout.ignored | grouping
    known |= {*sheet.roles.values(), layout.base, *layout.wordings(sheet)}
    others = [
        name
        for name in sheet.columns
        if name not in known and not (is_usual_amount(name) or is_measured(name))
        if not (names_persons(name) or OF_CALLS.fullmatch(name))
    ]
    several = values_of(sheet, others)
    others = [name for name in others if not are_times(name, several[name])]
    runs = {name for name in others if RUNS.search(name) and all(map(NUMBERED, several[name]))}
    states = {layout.column(sheet, "probability"), layout.percent_of(sheet)} != {None}
    shares = [name for name in others if _are_shares(name, several[name])]
    is_open = shares and not states and layout.column(sheet, "count") is None
    by = filter(None, [layout.column(sheet, role) for role in OF_OPTION] if is_open else [])
    rows = sheet.frame(by)
    if len(rows.columns) > 1 and not (
        rows.duplicated().any() or rows.groupby(rows.columns[0]).size().min() < FEWEST
    ):
        is_percent = any(share_of(text) > 1 for name in shares for text in several[name])
        amount = "percent" if is_percent else "probability"
        line = f"table.melt({[*rows]}, {shares}, 'simulator', '{amount}')"
        raise sheet.fault(
            "turned-table",
            f"has numbers of each option in {shown(shares)}, as if each were a simulator; read it "
            f"with dtype=str and turn it, {in_pandas(line)}",
        )
    if states:
        whole = {name for name in others if all(map(str.isdecimal, several[name]))}
        runs |= {name for name in whole if not is_setting(name)}
        options = [name for role in ("value", "option") if (name := layout.column(sheet, role))]
        persons = [layout.column(sheet, "respondent"), *filter(names_persons, sheet.columns)]
        keys = dict.fromkeys(filter(None, [layout.column(sheet, "scenario"), *persons]))
        letters = _of_options(sheet, [*keys], options, others)
        others = [name for name in others if name not in runs | letters]
    if not others:
        return
    _refuse_named(sheet, [name for name in alike(sheet, "simulator") if name in others])
    likely = next(
        (name for name in others if name not in {*runs, *shares} and _may_name(several[name])), ""
    )
    shared = [name for name in others if name in of_people and _may_name(several[name])]
    by_group: list[Part] = (
        [f"; if people differ by {shown(shared)}, put ", groups_named(*shared)] if shared else []
    )
    of_likely: list[Part] = [f"; if {likely!r} does, put ", of_columns(simulator=likely)]
    of_one: list[Part] = ["; if all rows are one simulator's, put ", ignoring(*others)]
    by_name = [*of_likely, *of_one] if likely else of_one
    absent = f"has no column 'simulator' that says who answers; there are: {listed(sheet)}"
    raise sheet.fault(
        "no-simulator-column",
        f"{shown(shared)}: of people or of simulators?" if likely in shared else absent,
        *(by_group + by_name if likely in shared else by_name + by_group),
    )


def _of_options(
    sheet: Sheet, keys: list[str], options: list[str], others: Sequence[str]
) -> set[str]:
    """Return the columns that tell options of a statement apart, as the letter before each does.

    Args:
        sheet: of stated probabilities.
        keys: the columns of questions and persons.
        options: that of options.
        others: the columns that may be so; one of them, or two, in the largest statements.
    """
    rows = sheet.frame([*keys, *options, *others]).fillna("")
    sizes: dict[tuple[str, ...], float] = {}
    for names in chain(combinations(others, 1), combinations(others, 2)):
        by = rows[[*keys, *(name for name in others if name not in names)]]
        by = by.assign(**{"": numbered(rows[[*by, *options]])})  # another statement
        are_apart = not any(by.assign(of=rows[name]).duplicated().any() for name in names)
        size = by.groupby([*by]).size()
        if are_apart and (size > 1).all():
            sizes[names] = size.mean()
    return {*max(sizes, key=lambda names: sizes[names], default=())}


def _are_shares(name: str, values: Sequence[str]) -> bool:
    """Return whether cells are numbers with fractions or per cent signs, and no setting."""
    are_numbers = all(share_of(text) < np.inf for text in values)
    return are_numbers and not is_setting(name) and any(not text.isdecimal() for text in values)


def _may_name(values: Sequence[str]) -> bool:
    """Return whether so many different cells may be names of models or of their settings."""
    are_short = all(len(value.split()) <= MOST_IN_NAME for value in values)
    return len(values) <= MOST_MODELS and are_short


def _refuse_named(sheet: Sheet, likely: Sequence[str], others: Container[str] = ()) -> None:
    """Raise DataError if a column has a usual name of those that say who answers."""
    for name in likely:
        values = [] if name in others else values_of(sheet, [name])[name]
        if not _are_runs(name, values):
            raise sheet.fault(
                "no-simulator-column",
                f"has no column 'simulator', but {name!r} seems to say who answers "
                f"({shown(values, 3)}); put ",
                Remedy(
                    {"columns.simulator": name},
                    why="its column of those who answer",
                    is_clear=len(likely) == 1,
                ),
            )


def _by_file(paths: Iterable[str]) -> dict[str, str]:
    """Return each file by the name of its simulator: its file's, after its folder's if it must."""
    paths = list(paths)
    stems = [stem(path) for path in paths]
    names = [
        f"{path.rpartition('/')[0].rpartition('/')[2]}_{name}" if stems.count(name) > 1 else name
        for path, name in zip(paths, stems, strict=True)
    ]
    again = [name for name in names if names.count(name) > 1 or name == HUMAN]
    if again:
        raise refusal(
            "name-twice",
            "a file without a column simulator is one simulator's, by its name, but "
            f"{again[0]!r} is another's; rename the file",
            file=paths[names.index(again[0])],
        )
    return dict(zip(names, paths, strict=True))


def save(path: Path, text: str) -> None:
    """Write a config, or what goes with it; raise DataError if it cannot be written."""
    try:
        write_text(path.resolve(), text)
    except OSError as error:
        what = f"cannot be written ({error.strerror}); name another: --out FILE"
        raise refusal("not-writable", what, file=str(path)) from None
