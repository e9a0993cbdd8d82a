"""From files to ``Responses``: a dataset by config alone."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from fidelity.baselines.base import BASELINES
from fidelity_study.errors import ErrorList, Note, fault, refusal
from fidelity_study.reading.ingest.baselines import allowed
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.reading.settings import (
    NUMBERS,
    POINTS,
    VECTOR,
    check_control,
    has_curves,
    has_own_unasked,
    questions_of,
    scale_places,
    with_levels,
)
from fidelity_study.reading.tabular import rankings, suspect
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.codebook import (
    beside,
    by_labels_of,
    labelled,
    of_survey,
    with_codebook,
    with_named_groups,
    with_questions,
)
from fidelity_study.reading.tabular.coded import coded, decided_on, with_facts
from fidelity_study.reading.tabular.design import design_faults
from fidelity_study.reading.tabular.doubtful import alike, says_no_answer
from fidelity_study.reading.tabular.files import Sheet, named_tables, simulated_files
from fidelity_study.reading.tabular.forecasts import (
    forecasts,
    forecasts_in_groups,
    given_of,
    refuse_unclear_event,
    settled,
)
from fidelity_study.reading.tabular.forms import long, wide
from fidelity_study.reading.tabular.grouped import (
    Scenarios,
    check_groups,
    in_groups,
    in_words,
    to_every_group,
)
from fidelity_study.reading.tabular.in_several_files import called_alike, notes_of_several
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.matched import in_own_words, matched
from fidelity_study.reading.tabular.multiple_choice import (
    listed_questions,
    with_known_options,
    with_options_apart,
)
from fidelity_study.reading.tabular.one_vs_rest import cut_off
from fidelity_study.reading.tabular.one_vs_rest import notes as notes_of_sums
from fidelity_study.reading.tabular.options import (
    Options,
    different_answers,
    fixed_options,
    labels_seen,
    numbers_seen,
    options,
    outcome_faults,
    ranges,
    refuse_codes,
    without_unlisted,
)
from fidelity_study.reading.tabular.profiles import in_levels, refuse_tasks
from fidelity_study.reading.tabular.question_file import opened_questions
from fidelity_study.reading.tabular.question_names import named, with_names_of_cells
from fidelity_study.reading.tabular.questions import check_patterns, refuse_no_questions
from fidelity_study.reading.tabular.reading import fits
from fidelity_study.reading.tabular.remedies import LEVELS
from fidelity_study.reading.tabular.same_persons import with_whole_ids
from fidelity_study.reading.tabular.scenarios import (
    Described,
    Survey,
    check_known,
    described,
    notes_of_files,
    of_questions,
    scenario_table,
    sure_questions,
)
from fidelity_study.reading.tabular.shared_columns import refuse_pooled
from fidelity_study.reading.tabular.shown import meant, shown
from fidelity_study.reading.tabular.sources import part_of, refuse_models, refuse_other_truth
from fidelity_study.reading.tabular.told import notes, range_notes, unit_notes
from fidelity_study.reading.tabular.unasked import asked, without, without_spare, without_unanswered
from fidelity_study.reading.tabular.vectors import check_vectors, opened_answers
from fidelity_study.tables.ingest import FACTS, HUMAN, OF_PERSON, REASONS

FORMS = {"long": long, "wide": wide, "forecasts": forecasts}
ALL = "all"


def responses(step: dict) -> Responses:
    """Read the files that a dataset's settings name, and count the answers.

    Args:
        step: the params of the ingest step. ``step["options"]`` has the keys that the README of
            the dataset folder tabular explains, ``step["simulators"]`` is None for all there are.

    Raises:
        DataError: with file, row and column of the first fault of each file, and what to do
            about it.
    """
    settings, outcome = step["options"], step["outcome"]
    origin = named_tables(settings)
    layout, survey = read_files(step)
    refuse_pooled(survey.people, survey.simulated, layout)
    faults = ErrorList()
    if step.get("unasked"):
        survey = asked(survey)
    are_points = outcome["kind"] in POINTS
    if outcome["kind"] not in NUMBERS and not are_points:
        fixed = listed_questions(outcome, survey.people, survey.described)
        survey = with_options_apart(survey, layout, fixed)
    people, apart = survey.people.without_empty(), survey.apart
    there = {*people.questions}
    simulated, all_notes = list[Answers](), [*survey.notes, *rankings.notes(people.sheet)]
    for file_answers in survey.simulated:
        by_labels, as_read = by_labels_of(people, file_answers.without_empty(), layout, apart)
        by_labels, spare = without_spare(by_labels, there)
        simulated.append(by_labels)
        all_notes.extend([*as_read, *spare])
    survey = replace(survey, people=people, simulated=simulated, notes=tuple(all_notes))
    survey = without_unanswered(survey)
    people, scenario_file, simulated = survey.people, survey.described, survey.simulated
    all_notes = [*survey.notes]
    if layout.groups:
        for place, file_answers in enumerate(simulated):
            ours = layout.groups_of(people.sheet)
            named, as_people = in_words(file_answers, people, ours)
            simulated[place], for_all = to_every_group(named, people)
            all_notes.extend([*as_people, *for_all])
        faults.faults += check_groups(people, simulated, layout.groups)
        faults.faults += forecasts_in_groups(simulated, layout)
    columns = {*layout.coded.get("columns", ())}
    refuse_no_questions(people, simulated, layout, *sure_questions(scenario_file, columns))
    with faults.collected():
        table = scenario_table(people, scenario_file, layout)
        table = with_known_options(table, apart, people.sheet.options)
    if step["simulators"] is not None:
        with faults.collected():
            _check_there(step, simulated, origin)
    faults.refuse()
    for file_answers in simulated:
        with faults.collected():
            check_known(file_answers, table.index, settings["human"], in_groups=bool(layout.groups))
    with faults.collected():
        all_notes.extend(notes_of_several(simulated, layout))
        _refuse_baselines(simulated)
    with faults.collected():
        all_notes.extend(_check_marks(layout, table, step, people, simulated))
    faults.refuse()
    if not are_points:
        with faults.collected():
            refuse_unclear_event(people, simulated, outcome, table)
    chosen = labels_seen([people])
    for place, file_answers in enumerate(() if are_points else simulated):
        with faults.collected():
            simulated[place] = meant_by(file_answers, outcome, table, chosen, layout)
    faults.refuse()
    everybody = [people, *simulated]
    sure = layout.coded.get("options", {})
    free, of_words = set[str](), dict[str, bool]()
    compared = decided_on(layout.coded)
    if outcome["kind"] in NUMBERS:
        all_notes.extend(refuse_codes(everybody, outcome, table))
        table = table.assign(**ranges(outcome, everybody, table))
        all_notes.extend(unit_notes(people, simulated))
        all_notes.extend(range_notes(people, compared))
        fewest = 2 if step.get("curves", True) else 1
        known = numbers_seen(everybody, table.index, origin, fewest)
    elif are_points:
        known = different_answers(everybody, table.index)
        if outcome["kind"] == VECTOR:
            check_vectors([options.labels for options in known.values()], settings)
    else:
        free = {*table.index} - fixed_options(outcome, table).keys()
        known = options(outcome, everybody, table, origin, frozenset(sure))
        listed = table["options"].dropna().index if "options" in table else ()
        alone = [name for name in listed if name not in apart]
        of_words = {} if outcome.get("levels") else {name: name in alone for name in table.index}
    all_notes += [
        *notes_of_sums(simulated),
        *notes_of_files([people, *simulated], scenario_file),
        *notes(people, simulated, step["simulators"], free, of_words, sure),
    ]
    if not are_points:
        labels = {name: known[name].labels for name in known}
        all_notes += suspect.notes(people, simulated, labels)
        likely = {
            name: [label for label in several if label in sure or not says_no_answer(label)]
            for name, several in labels.items()
        }
        all_notes += cut_off(simulated, likely, compared)
    if layout.groups:
        scenarios = Scenarios.of(people, simulated)
        people, *simulated = map(scenarios.answers, (people, *simulated))
        table = scenarios.table(table, step["cluster"], layout.groups, scenario_file)
        known, all_notes = scenarios.options(known), [*all_notes, *scenarios.notes]
    studied = simulated
    if step["simulators"] is not None:
        studied = [file_answers.of_sources(step["simulators"]) for file_answers in simulated]
    sampled = [file_answers.rows for file_answers in studied if not file_answers.stated]
    stated = [file_answers.rows for file_answers in studied if file_answers.stated]
    answers, by_persona, n_effective = _people(people, step["weighting_effect"])
    if people.worth is not None:
        of_weights = _number_of(answers) if n_effective is None else n_effective
        are_numbers = outcome["kind"] in NUMBERS
        table = table.join(people.worth.sizes(of_weights, are_numbers=are_numbers))
        all_notes.append(people.worth.note(table))
        replicates = people.worth.replicates({name: known[name].labels for name in table.index})
        if replicates is not None:
            table["replicates"] = replicates
    elif n_effective is not None:
        table["n_effective"] = n_effective
        if "square" in answers and step["weighting_effect"] is None:
            table["square"] = _squares(answers, known)
    by_respondent, runs = _by_respondent(people, known), _runs(studied, people, known, layout)
    return Responses(
        origin=" and ".join(origin),
        outcomes=tallied([answers, *sampled], known, "count"),
        scenarios=_with_options(table, known, outcome, origin).assign(
            **_repeating(people, settings, table, layout)
        ),
        stated=tallied_statements(stated, known),
        missing=_missing([people.rows, *sampled, *stated]),
        personas=tallied([] if by_persona is None else [by_persona], known, "count", "persona"),
        given=given_of(simulated, step["simulators"]),
        by_respondent=by_respondent,
        runs=runs,
        facts=_facts(by_respondent, runs),
        notes=all_notes,
    )


def read_files(step: dict) -> tuple[Layout, Survey]:
    """Return the layout of a dataset's files, and what they hold.

    Args:
        step: the params of the ingest step.

    Raises:
        DataError: with the first fault of each file.
    """
    settings, outcome = step["options"], step["outcome"]
    faults = ErrorList()
    where = f"datasets.{step['dataset']}"
    faults.faults += outcome_faults(outcome, where)
    faults.faults += design_faults(
        {**settings, "weighting_effect": step["weighting_effect"]}, where
    )
    layout = Layout.of(step)
    scenario_file: Described | None = None
    if "scenarios" in settings:
        with faults.collected():
            sheet = opened_questions(settings["scenarios"], layout.reading)
            scenario_file = described(sheet, layout)
            layout = with_codebook(layout, scenario_file)
    if layout.columns or layout.questions:
        with faults.collected():
            sheets = [
                (opened_questions if path == settings.get("scenarios") else opened_answers)(
                    path, layout.reading
                )
                for path in named_tables(settings)
            ]
            layout.check_columns(sheets, step["dataset"])
            answered = [sheet for sheet in sheets if sheet.path != settings.get("scenarios")]
            check_patterns(layout, answered, step["dataset"])
        faults.refuse()
    people: list[Answers] = []
    simulated: list[Answers] = []
    truth: Sheet | None = None
    for name, path in [(HUMAN, settings["human"]), *simulated_files(settings)]:
        with faults.collected():
            sheet = opened_answers(path, layout.reading)
            truth = sheet if name == HUMAN else truth
            refuse_other_truth(truth or sheet, sheet)
            read = answers_of(sheet, layout.form_of(sheet), layout, name)
            (people if name == HUMAN else simulated).extend(read)
            layout = beside(layout, people[0]) if people else layout
    faults.refuse()
    simulated = called_alike(people[0], simulated, layout)
    if scenario_file is not None:
        scenario_file = of_survey(scenario_file, [*people, *simulated], layout)
        scenario_file = of_questions(
            scenario_file, people[0].rows["scenario"].cat.categories, layout.groups
        )
    scenario_file = with_facts(scenario_file, people[0], layout.coded)
    return layout, Survey(people[0], scenario_file, simulated)


def understood(dataset: str, settings: dict) -> tuple[list[str], list[str]]:
    """Return a dataset's simulators, and notes on its files.

    The simulators are those of the config. Without any there, they are all in the files, and the
    baselines that these files allow.

    Args:
        dataset: its name.
        settings: as in the config, with a cluster; their simulators are the ones in the files.

    Raises:
        DataError: with the first fault of the files.
    """
    wanted, asked = settings.get("simulators"), settings.get("simulate", {})
    step = {
        "seed": 0,
        "dataset": dataset,
        "outcome": settings["outcome"],
        "cluster": settings["cluster"],
        "weighting_effect": settings.get("weighting_effect"),
        "curves": has_curves(settings),
        "simulators": None
        if wanted is None
        else [simulator for simulator in wanted if simulator not in asked],
        "unasked": has_own_unasked(settings),
        "options": settings,
    }
    ingested = responses(step)
    check_scales(ingested, settings, dataset)
    if wanted is not None:
        return list(wanted), list(map(str, ingested.notes))
    names = pd.concat([table["source"] for table in (ingested.outcomes, ingested.stated)])
    there = [name for name in dict.fromkeys(names) if name != HUMAN]
    return [*there, *allowed(step, ingested)], list(map(str, ingested.notes))


def check_scales(ingested: Responses, settings: Mapping, dataset: str) -> None:
    """Raise DataError if ``scales`` name a question that is not asked, ``effects`` no condition."""
    settings = with_levels(settings)
    names, groups = ingested.scenarios["scenario"], settings.get("groups", ())
    asked = questions_of(names, groups)
    scale_places(settings.get("scales", {}), list(dict.fromkeys(asked)), dataset)
    check_control(settings.get("effects"), groups, names, dataset)


def answers_of(sheet: Sheet, form: str, layout: Layout, source: str | None) -> list[Answers]:
    """Return the answers in a sheet of a form; ``source`` is None where the sheet says whose."""
    human, layout = source == HUMAN, layout.in_file(sheet.path)
    if human:
        refuse_models(sheet, layout)
    if layout.attributes:
        refuse_tasks(sheet, layout)
    sheet = with_whole_ids(part_of(sheet, layout, human=human), layout)
    sheet = with_named_groups(sheet, layout)
    if form == "wide":
        sheet = with_questions(sheet if human else with_names_of_cells(sheet, layout), layout)
    if layout.ranking:
        sheet = rankings.with_rankings(sheet, layout, form, human=human)
    if human and layout.unlisted:
        layout = replace(layout, unlisted=None)
    if not human and form == "long" and not (layout.own_words or layout.reading.vectors):
        sheet = in_own_words(sheet, layout)
    if layout.attributes:
        sheet = in_levels(sheet, layout, form, human=human)
    read = FORMS[form](sheet, layout, source)
    if layout.attributes:
        read = [replace(answers, respondents_repeat=True) for answers in read]
    read = [named(answers, layout) for answers in read]
    read = [without(answers, layout.not_asked) for answers in read]
    read = [coded(labelled(answers, layout), layout) for answers in read]
    return [in_groups(answers, layout.groups, human=human) for answers in read]


def meant_by(
    answers: Answers,
    outcome: dict,
    table: pd.DataFrame,
    chosen: Mapping[str, list[str]],
    layout: Layout,
) -> Answers:
    """Return a simulator's answers as options, shares of them, or numbers; or why they are none.

    Args:
        answers: of one file.
        outcome: kind, levels.
        table: the scenarios.
        chosen: the labels that people chose, by scenario.
        layout: says which texts are read as others, and why unlisted ones are no answers.
    """
    answers = matched(answers, outcome, table, chosen, layout)
    answers = settled(answers, outcome, table, layout)
    if layout.unlisted is None:
        return answers
    return without_unlisted(answers, outcome, table, layout.unlisted)


def _repeating(people: Answers, settings: dict, table: pd.DataFrame, layout: Layout) -> dict:
    """Return the columns that tell whether, and where, the same people answer several scenarios.

    Different groups of a wide file have nobody in common, unless PSUs connect them, or somebody was
    in several conditions of an experiment.
    """
    rows = people.by_respondent
    if layout.condition and people.names_respondents and rows is not None:
        in_group = rows["scenario"].astype(object).map(table["group"])
        if in_group.groupby(rows["respondent"]).nunique().max() > 1:
            return {"respondents_repeat": True}
    repeat = settings.get("respondents_repeat", people.respondents_repeat)
    apart = people.column is None and people.worth is None and "respondents_repeat" not in settings
    if not (settings.get("groups") and apart and repeat):
        return {"respondents_repeat": repeat}
    return {"respondents_repeat": repeat, "people": table["group"]}


def _check_there(step: dict, simulated: list[Answers], origin: list[str]) -> None:
    """Raise DataError if the config names a simulator that is neither in a file nor a baseline."""
    there = dict.fromkeys(name for answers in simulated for name in answers.rows["source"].unique())
    baselines = () if step["outcome"]["kind"] in NUMBERS else BASELINES
    for name in step["simulators"]:
        if name in there or name in baselines:
            continue
        close = get_close_matches(name, [*there, *baselines], n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise refusal(
            "simulator-not-there",
            f"simulator {name!r} answers in no scenario; there are: {', '.join(there) or 'none'}",
            f"; without a file: {', '.join(baselines)}" if baselines else "",
            "; for all of them, leave simulators out" if name == ALL else hint,
            file=origin,
        )


def _check_marks(
    layout: Layout, table: pd.DataFrame, step: dict, people: Answers, simulated: list[Answers]
) -> list[Note]:
    """Raise DataError if ``missing_in`` fits no scenario, or ``unlisted`` has no listed options.

    A model's own words are matched with options anyway. What a codebook says of questions that are
    not compared is told.
    """
    place = f"datasets.{step['dataset']}"
    faults = ErrorList()
    there = [*table.index, *layout.coded.get("questions", ())]  # also those that are left out
    by_cell = layout.coded.get("reasons", {}).keys()
    meant_in = (entry["questions"] or () for entry in layout.coded.get("means", ()))
    patterns = dict.fromkeys(chain(layout.missing_in, *meant_in))
    gone = [name for name in patterns if not any(fits(one, name) for one in there)]
    for pattern in layout.missing_in.keys() & {*gone} - by_cell:
        hint = meant(pattern, table.index, f"there are: {shown(table.index)}")
        what = f"no scenario fits {pattern!r}; {hint}"
        faults.faults.append(fault("no-such-scenario", what, key=f"{place}.missing_in"))
    listed = "levels" in step["outcome"] or {"options", "known"} & set(table)
    if layout.unlisted and not listed and not all(part.sheet.raw for part in simulated):
        faults.faults.append(
            fault(
                "unlisted-without-levels",
                "no options are listed, so that every text is one; list them under ",
                LEVELS,
                ", or in the file of scenarios",
                key=f"{place}.unlisted",
            )
        )
    faults.refuse()
    what = f"what labels.csv says of {shown(gone)} counts for nothing: no such question is compared"
    return [people.sheet.note("labels-of-no-question", what)] if gone else []


def _refuse_baselines(simulated: list[Answers]) -> None:
    """Raise DataError if a simulator of a file is called as people are, or as a baseline is."""
    taken = {*BASELINES, *(baseline.label for baseline in BASELINES.values())}
    taken = {HUMAN, "humans", "people", *map(alike, taken)}
    for answers in simulated:
        for name in answers.rows["source"].unique():
            if alike(name) in taken:
                what = f"a simulator cannot be called {name!r}, as people or a baseline are; "
                what += f"rename it, or the file if that is called so, {f'my {name}'!r}"
                raise answers.sheet.fault("simulator-called-baseline", what)


def _people(
    people: Answers, weighting_effect: float | None
) -> tuple[pd.DataFrame, pd.DataFrame | None, pd.Series | None]:
    """Return people's answers, those by persona, weighted, and the number of people they are worth.

    The last is None if they have no weights, or all the same. The config's weighting_effect takes
    precedence over Kish's formula.
    """
    given: list[Any] = [
        None if rows is None else rows[rows["reason"] < 0]
        for rows in (people.rows, people.by_persona)
    ]
    rows = given[0]
    n = _number_of(rows)
    effective = None
    if "weight" in rows:
        total = by_scenario(rows)
        worth = effective_number(total["weight"], total["square"])
        if not np.allclose(worth, total["number"]):  # else all count the same
            effective = worth
            given = [
                None if part is None else part.assign(number=weighted(part, total))
                for part in given
            ]
    if effective is None and (rows["number"] % 1 != 0).any():
        effective = n
    if weighting_effect is not None:
        effective = n / weighting_effect
    return given[0], given[1], effective


def effective_number(weights, squares):
    """Return Kish's effective sample size, (Σ w)² / Σ w², of people with weights w.

    It is the number of equally weighted people whose mean has the same variance, if the weights
    don't depend on the answers. Kish (1965), Survey Sampling, section 11.7.
    """
    return weights**2 / squares


def by_scenario(rows: pd.DataFrame) -> pd.DataFrame:
    """Add up ``number, weight, square`` of the rows of each scenario, which is the index."""
    columns = ["number", "weight", "square"]
    return rows.groupby(rows["scenario"].astype(object), sort=False)[columns].sum()


def weighted(rows: pd.DataFrame, people: pd.DataFrame) -> pd.Series:
    """Return the weighted count of each row; in a scenario they sum to the number of people.

    Args:
        rows: columns ``scenario`` and ``weight``, the sum of the weights of a row's people.
        people: ``number`` and ``weight`` of each scenario; its weights are not all 0.
    """
    here = people.loc[rows["scenario"]].set_index(rows.index)
    return rows["weight"] * here["number"] / here["weight"]


def _number_of(rows: pd.DataFrame) -> pd.Series:
    """Return how many answers each scenario has."""
    return rows["number"].groupby(rows["scenario"], observed=True).sum()


def tallied(
    parts: list[pd.DataFrame], known: dict[str, Options], number: str, who: str = "source"
) -> pd.DataFrame:
    """Add up the numbers of each scenario, source (or persona) and answer, which becomes a code."""
    given = [part[part["reason"] < 0] for part in parts]
    table = _sums(given, ["scenario", who, "label"])
    return _coded(table, known).rename(columns={"number": number})


def tallied_statements(parts: list[pd.DataFrame], known: dict[str, Options]) -> pd.DataFrame:
    """Return the probability of each answer, and of how many statements it is the mean."""
    table, keys = tallied(parts, known, "probability"), ["scenario", "source"]
    given = [rows[rows["reason"] < 0].drop_duplicates(keys) for rows in parts]
    many = _sums([rows.assign(number=rows.get("statements", 1.0)) for rows in given], keys)
    return table.merge(many.rename(columns={"number": "statements"}), how="left")


def _sums(parts: list[pd.DataFrame], keys: list[str]) -> pd.DataFrame:
    """Return the sums of numbers by keys."""
    as_texts = dict.fromkeys(keys, object)
    tables = [
        part.groupby(keys, observed=True, as_index=False)["number"].sum().astype(as_texts)
        for part in parts
        if len(part)
    ]
    if len(tables) < 2:
        empty = pd.DataFrame(columns=[*keys, "number"]).astype({"number": float})
        return tables[0] if tables else empty
    together = pd.concat(tables)
    return together.groupby(keys, as_index=False, sort=False, dropna=False)["number"].sum()


def _coded(table: pd.DataFrame, known: dict[str, Options]) -> pd.DataFrame:
    """Return a table with the code of each answer, ``value``, in place of its ``label``."""
    code = {
        (name, label): value
        for name, answer_options in known.items()
        for value, label in zip(answer_options.values, answer_options.labels, strict=True)
    }
    pairs = zip(table["scenario"], table["label"], strict=True)
    value = np.array([code[pair] for pair in pairs], float)
    return table.assign(value=value).drop(columns="label")


def _missing(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Count the answers that were asked for but not given."""
    none = [part[part["reason"] >= 0] for part in parts]
    table = _sums(none, ["scenario", "source", "reason"])
    table["reason"] = pd.Series([REASONS[code] for code in table["reason"]], dtype=object)
    return table.rename(columns={"number": "count"})


def _squares(rows: pd.DataFrame, known: dict[str, Options]) -> pd.Series:
    """Return the sums of squared weights by option; the weights of a scenario have the mean 1."""
    total = by_scenario(rows)
    factor = (total["number"] / total["weight"]) ** 2
    sums = rows.groupby(["scenario", "label"], observed=True)["square"].sum()
    squares = {
        name: [float(sums.get((name, label), 0.0) * factor[name]) for label in known[name].labels]
        for name in total.index
    }
    return pd.Series(squares, dtype=object)


def _facts(by_respondent: pd.DataFrame | None, runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each known fact on a respondent or run."""
    people = pd.DataFrame() if by_respondent is None else by_respondent.assign(source=HUMAN)
    parts = [people.rename(columns={"respondent": "person"})]
    parts += [runs.drop(columns="respondent").rename(columns={"run": "person"})]
    tables = []
    for part in parts:
        names = [name for name in part if name.startswith(OF_PERSON)]
        if names and len(part):
            once = part.drop_duplicates(["source", "person"])
            tables.append(once.melt(["source", "person"], names, "fact", "text"))
    table = pd.concat(tables) if tables else pd.DataFrame(columns=FACTS.names)
    table = table[table["text"].notna()].astype(object)
    return table.assign(fact=table["fact"].map(lambda name: name.removeprefix(OF_PERSON)))


def _by_respondent(people: Answers, known: dict[str, Options]) -> pd.DataFrame | None:
    """Return each respondent's answers, in codes; the weights of a scenario have the mean 1."""
    rows = people.by_respondent
    if rows is None:
        return None
    if people.worth is None:
        rows = rows.drop(columns="psu")
    else:
        rows = rows.assign(**people.worth.sampled.columns(rows["psu"]))
    mean = rows.groupby("scenario", observed=True)["weight"].transform("mean")
    number = pd.factorize(rows["respondent"])[0]
    return _valued(rows.assign(respondent=number, weight=rows["weight"] / mean), known)


def _valued(rows: pd.DataFrame, known: dict[str, Options]) -> pd.DataFrame:
    """Return :func:`_coded` of many rows with few different answers."""
    pairs = rows.groupby(["scenario", "label"], observed=True, sort=False)
    names = pairs.size().index.to_frame(index=False).astype(object)
    value = _coded(names, known)["value"].to_numpy()
    return rows.assign(value=value[pairs.ngroup()]).drop(columns="label")


def _runs(
    simulated: list[Answers], people: Answers, known: dict[str, Options], layout: Layout
) -> pd.DataFrame:
    """Return the answers of each run of simulators, where no run answers a scenario twice.

    A run of an experiment has the person who is simulated, if one is named, as its PSU; so has that
    of a conjoint, which is a profile.
    """
    tables: list[pd.DataFrame] = []
    for answers in simulated:
        rows = answers.by_respondent
        if rows is None or answers.stated:
            continue
        twice = rows.duplicated(["source", "run", "scenario"])
        rows = rows[~rows["source"].isin(rows["source"][twice].unique())]
        respondent = np.full(len(rows), -1)
        if (
            people.by_respondent is not None
            and people.names_respondents & answers.names_respondents
        ):
            persons = pd.Index(people.by_respondent["respondent"].unique())
            respondent = persons.get_indexer(rows["respondent"])
        if (layout.attributes or layout.condition or layout.facts) and answers.names_respondents:
            rows = rows.assign(psu=pd.factorize(rows["respondent"])[0])
        before = sum(table["run"].nunique() for table in tables)
        rows = _valued(rows.assign(run=before + pd.factorize(rows["run"])[0]), known)
        twin_of = pd.Series(respondent, rows.index, dtype=object).where(respondent >= 0, None)
        tables.append(rows.assign(respondent=twin_of))
    keys = {"scenario": object, "source": object}
    empty = pd.DataFrame(columns=["scenario", "source", "run", "value", "respondent"])
    return pd.concat([table.astype(keys) for table in tables]) if tables else empty


def _with_options(
    table: pd.DataFrame, known: dict[str, Options], outcome: dict, origin: list[str]
) -> pd.DataFrame:
    table["value"] = [known[name].values for name in table.index]
    table["option"] = [known[name].labels for name in table.index]
    scores = outcome.get("scores")
    if scores is not None:
        other = table["value"].map(len) != len(scores)
        if other.any():
            raise refusal(
                "scores-for-other-options",
                f"has {len(table['value'][other].iloc[0])} options, but outcome.scores has "
                f"{len(scores)}; take its options out of the file of scenarios, or the scores",
                file=origin,
                scenario=table.index[other][0],
            )
        table["score"] = [list(map(float, scores))] * len(table)
    return table.drop(columns=["options", "known", "low", "high", "group"], errors="ignore")
