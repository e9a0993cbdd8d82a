"""The forms long and wide: from the rows of a sheet, read once, to sums."""

from collections.abc import Callable, Container
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from fidelity_study.errors import BLANK, Key, Part, Remedy
from fidelity_study.reading.tabular.answers import (
    Answers,
    Sums,
    averaged,
    categorical,
    check_weights,
    coded_answers,
    no_description,
    of_options_alone,
    places,
    summing_to_one,
)
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.columns import (
    DECIMAL_COMMA,
    NOTHING,
    POINTED,
    CellError,
    Cells,
    Joined,
    amounts,
    as_name,
    as_text,
    coded,
    people,
    squashed,
)
from fidelity_study.reading.tabular.design import Sampled, Worth, totals
from fidelity_study.reading.tabular.exports.table import rows_of
from fidelity_study.reading.tabular.files import Sheet, refuse_where
from fidelity_study.reading.tabular.groups import Grouping
from fidelity_study.reading.tabular.layout import Layout, alike, listed, persona_columns
from fidelity_study.reading.tabular.multiple_choice import separator_of
from fidelity_study.reading.tabular.one_vs_rest import divided, refuse_above_one
from fidelity_study.reading.tabular.options import labels_seen
from fidelity_study.reading.tabular.percentages import (
    counted,
    of_one,
    of_percent,
    refuse_percent_as_counts,
    refuse_totals,
    without_sign,
)
from fidelity_study.reading.tabular.profiles import refuse_profiles
from fidelity_study.reading.tabular.questions import (
    asked,
    doubts,
    matches,
    refuse_unread_weights,
)
from fidelity_study.reading.tabular.remedies import groups_named, ignoring, of_columns
from fidelity_study.reading.tabular.respondents import (
    begin_anew,
    do_repeat,
    given_rows,
    in_conditions,
    keys_of,
    refuse_second,
    refuse_two_weights,
    runs_of,
)
from fidelity_study.reading.tabular.said import check_weight, refuse_words, said_of, with_labels
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.sources import (
    asked_rows,
    failed_statements,
    weighted_rows,
    without_totals,
)
from fidelity_study.reading.tabular.suspect import without_zeros
from fidelity_study.reading.tabular.tally import Coded, Groups
from fidelity_study.reading.tabular.unread import Table, is_percent, refuse_amounts
from fidelity_study.tables.ingest import HUMAN, OF_PERSON, REASONS

UNKNOWN = "unknown"
LARGEST_WEIGHT = 1e100
MOST_KEPT = 2_000_000
FEWEST_WEIGHTED, SUM_OF_OTHERS, MORE_THAN_ALL = 5, 1e-9, 1.05


def simulators(sheet: Sheet, layout: Layout, source: str | None) -> Joined:
    """Return the columns that name who answers, joined.

    Args:
        sheet: the table.
        layout: tells which columns name the simulator, and which are ignored.
        source: the name of the source if all of the file is from one, else None.
    """
    wanted = layout.simulators_of(sheet)
    present = [name for name in wanted if name in layout.columns_of(sheet)]
    if source is not None:
        present = [name for name in present if name not in sheet.roles.values()]
        if present:
            raise sheet.fault(
                "human-with-simulator",
                f"says who answers, but {source!r} is named for the whole file; if some of its "
                "rows are people's, name the file under simulated, too, and say what it calls "
                "people, ",
                Remedy({"people": BLANK}),
                "; if all are, list the column under ",
                Key("ignore"),
                "; scores of models go into a config, as in docs/howto/evaluations.md",
                column=present[0],
            )
        return Joined([], as_name, lambda _: source)
    if len(present) < len(wanted):
        absent = next(name for name in wanted if name not in present)
        raise sheet.fault(
            "no-simulator-column",
            f"has no column {absent!r} that says who answers; there are: {listed(sheet)}; add it, "
            "name yours, ",
            of_columns(simulator=BLANK, likely=alike(sheet, "simulator")),
            ", or give each simulator a file of its own, ",
            Key("simulated: {name: file}"),
        )
    return Joined(wanted, as_name, _simulator)


def _simulator(parts: tuple[str, ...]) -> str:
    name = " ".join(parts)
    if name == HUMAN:
        raise CellError(
            "simulator-called-human",
            "a simulator cannot be called 'human', the name of the people; rename it, or put "
            "people's rows into the file under human",
        )
    return name


def _amounts(
    sheet: Sheet, column: str | None, weight: str | None, fractions: tuple[Part, ...] = ()
) -> dict[str, np.ndarray]:
    """Return the amounts that rows add to sums, as in Answers.rows; nothing if each adds 1.

    Args:
        sheet: the rows.
        column: of the number of answers, or the probability; None if each row is one answer.
        weight: the column of weights, None if there are none.
        fractions: advice for a number that is not whole, none if it need not be.
    """
    if not (column or weight):
        return {}
    number = amounts(sheet, column) if column else np.ones(sheet.size)
    if column and fractions:

        def what(at: int) -> str:
            return f"is {number[at]:g}, not a whole number; mend it; "

        refuse_where(sheet, "count-not-whole", number % 1 != 0, what, column, *fractions)
    if not weight:
        return {"number": number}
    weights = _weights(sheet, weight)
    return {"number": number, "weight": number * weights, "square": number * weights**2}


def _weights(sheet: Sheet, column: str) -> np.ndarray:
    weight = amounts(sheet, column)
    wrong = (weight > LARGEST_WEIGHT) | ((weight > 0) & (weight < 1 / LARGEST_WEIGHT))

    def what(at: int) -> str:
        return f"is {weight[at]:g}, no weight that can be squared; divide all by their mean"

    refuse_where(sheet, "weight-too-large", wrong, what, column)
    return weight


def _check_thousands(sheet: Sheet, column: str, *, may_be_whole: bool) -> None:
    cells = Cells.of(sheet, column)
    texts = [(text or "").strip() for text in cells.texts]
    doubtful = [
        bool(POINTED.fullmatch(text)) and (may_be_whole or text.endswith(".000")) for text in texts
    ]

    def what(at: int) -> str:
        text = texts[cells.place[at]]
        return f"is {text!r}, which may be {text.replace('.', '')}; write counts without a point"

    ways = (", or put ", DECIMAL_COMMA) if sheet.separator == ";" else ()
    refuse_where(sheet, "thousands-point", np.array(doubtful)[cells.place], what, column, *ways)


def _refuse_row_of_totals(sheet: Sheet, column: str, weights: np.ndarray) -> None:
    """Raise DataError if one person weighs as much as all others together: it may be a total."""
    at, whole = int(weights.argmax()), float(weights.sum())
    is_total = abs(2 * weights[at] - whole) <= SUM_OF_OTHERS * whole
    if is_total and len(weights) >= FEWEST_WEIGHTED:
        raise sheet.fault(
            "row-of-totals",
            "weighs as much as all other rows together, as a row of totals does; delete it",
            at=at,
            column=column,
        )


def long(sheet: Sheet, layout: Layout, source: str | None) -> list[Answers]:
    """Read ``scenario, [simulator,] value`` with a count, a probability, or one row an answer."""
    human = source == HUMAN
    if human:
        refuse_words(sheet)
    value = layout.column(sheet, "value") or layout.column(sheet, "option")
    value = value or layout.needed(sheet, "value")
    scenario = layout.needed(sheet, "scenario")
    who = simulators(sheet, layout, source)
    roles = ["weight", "respondent"] if human else ["simulator", "probability"]
    layout.check_no_typo(sheet, ["scenario", "value", "count", *roles])
    sheet = without_totals(asked_rows(sheet, layout, scenario, value), layout, value)
    sheet = sheet.answered_in([value])
    layout = with_labels(layout, sheet, [value])
    if human:
        check_weight(sheet, layout)
    count, probability, weight, respondent = (
        layout.column(sheet, role) for role in ("count", "probability", "weight", "respondent")
    )
    percent = layout.percent_of(sheet)
    if (share := probability or percent) and source != HUMAN:
        told_apart = {scenario, *who.columns, *layout.groups_of(sheet), respondent}
        by = [name for name in sheet.columns if name in told_apart]
        failed = failed_statements(sheet, by, value, share)
        if failed.any() and not failed.all():
            return _beside_failed(sheet, layout, source, failed, [*by, value])
    if layout.base is None and "base" in sheet.roles:
        layout = replace(layout, base=sheet.roles["base"])
    count = None if percent else count
    sheet = without_sign(sheet, percent) if percent else sheet
    _check_roles(sheet, layout, count, probability, weight, human=human)
    if human and weight:
        sheet = weighted_rows(sheet, weight).answered_in([value])
    groups, sampled = _groups(sheet, layout, human), _sampled(sheet, layout, human)
    who = personas(sheet, layout.personas) if human else who
    cluster = layout.cluster if human and layout.cluster in sheet.columns else None
    fractions = _fractions(sheet, layout, human, count) if count else ()
    amount = probability or percent or count
    read = [scenario, value, *who.columns, *filter(None, [amount, weight, cluster])]
    are_stated = bool(probability or percent) and not human
    is_kept = human or are_stated or _keeps(layout, amount)
    read += [respondent] if respondent and is_kept else []
    read += layout.wordings(sheet)
    read += [layout.base] if percent and layout.base in sheet.columns else []
    known = {*read, *_aside(sheet, layout), *layout.ignored}
    left = [name for name in sheet.columns if name not in known and not sheet.tells_all]
    asked_of = coded(sheet, scenario, meaning=as_name)
    answer = coded_answers(sheet, layout, asked_of, value)
    if count:
        _check_thousands(sheet, count, may_be_whole=bool(fractions))
    added = _amounts(sheet, amount, weight, fractions)
    statement = runs_of(sheet, respondent, who) if are_stated and respondent else None
    sums = Sums(sheet, asked_of, who.coded(sheet), answer, added, groups, statement)
    unread = layout.ignored.intersection(sheet.columns)
    if are_stated and not statement and (runs := sums.telling_apart([*unread])):
        statement = runs_of(sheet, runs[0], who)
        sums = Sums(sheet, asked_of, who.coded(sheet), answer, added, groups, statement)
    if amount and not weight:
        there = layout.of_people or {*map(squashed, left)}  # where that isn't known, perhaps
        groups_of_people = [name for name in left if not human and squashed(name) in there]
        sums.refuse_again(value, source, left, groups_of_people, are_stated=are_stated)
    described = clusters_of(sheet, cluster, asked_of) if cluster else no_description()
    repeat, given = None, None
    if respondent and respondent in read:
        person = keys_of(sheet, respondent)
        weights = added.get("weight", 1.0)
        run = None if human else person
        keeps = _keeps(layout, amount)
        given = _given(sums, layout, person, run, weights, sampled) if keeps else None
        if human and weight and not amount:
            rows = pd.DataFrame({"key": in_conditions(person, groups), "weight": weights})
            refuse_two_weights(sheet, rows, weight, respondent)
        if human:
            conditions = groups if layout.condition else None
            columns = [respondent, scenario, *([layout.condition] if layout.condition else [])]
            answered = answer.of_row >= len(REASONS)
            repeat = do_repeat(sheet, columns, person, asked_of.of_row, answered, conditions)
    answers = Answers(
        sheet,
        value,
        sums.of_people(["at"]) if human else sums.separate(["at"], "source"),
        stated=probability is not None or (percent is not None and not human),
        described=described,
        respondents_repeat=repeat,
        by_persona=sums.separate(["at"], "persona") if human and who.columns else None,
        said=said_of(sheet, layout, dict.fromkeys(asked_of.entries, value), worded=False),
        lacking=groups.lacking if groups else 0,
        worth=_worth(sampled, sums, added.get("weight"), groups),
        by_respondent=given,
        names_respondents=respondent is not None,
    )
    if amount:
        refuse_totals(answers, layout.known)
    if percent and human:
        bases = None
        if layout.base in sheet.columns:
            of_row = {"scenario": sums.asked.of_row, "base": people(sheet, layout.base)}
            bases = sums.named(pd.DataFrame(of_row))
        answers = counted(answers, layout, percent, bases)
    elif human and count:
        refuse_percent_as_counts(answers, layout, count, usual=not is_percent(count))
    if are_stated:
        answers, are_apart = without_zeros(answers), layout.one_vs_rest or sheet.divides
        answers = answers if probability else of_one(answers)
        rounded = layout.rounded or not probability
        whole = partial(summing_to_one, rounded=rounded, column=probability)
        answers = _whole(answers, layout, divided if probability and are_apart else whole)
    if weight:
        check_weights(answers, weight)
    table = Table(
        sheet,
        left,
        scenario,
        value,
        who.columns,
        source,
        counted=amount is not None,
        weight=weight,
        repeat=answers.respondents_repeat,
        groups=layout.groups_of(sheet) if groups else (),
        ignored=[name for name in sheet.columns if name in layout.ignored],
    )
    refuse_amounts(table)
    return [replace(answers, unread=left)]


def _whole(answers: Answers, layout: Layout, whole: Callable[[Answers], Answers]) -> Answers:
    """Return a simulator's shares, made whole but for those of questions of several options.

    They are means over its statements.

    Raises:
        DataError: if those of a question that people don't have are more than all together, as
            where several options may be chosen.
    """
    rows = answers.rows
    several = [
        name
        for name, texts in labels_seen([answers]).items()
        if layout.allows_several(name) and separator_of(texts) is None
    ]
    alone = rows["scenario"].isin(several)
    keys = [*places(rows), "source"]
    sums = rows[~alone].groupby(keys, observed=True)["number"].agg(["sum", "max"]).reset_index()
    more = sums["scenario"][(sums["sum"] > MORE_THAN_ALL) & (sums["max"] <= 1)].astype(str)
    if names := [name for name in more.unique() if layout.asked and name not in layout.asked]:
        why = "shares sum to more than one, as where several options may be chosen"
        way = Remedy({"multiple": names})
        raise answers.sheet.fault("shares-of-several", f"{shown(names)}: {why}; if so, put ", way)
    if not alone.any():
        return of_options_alone(averaged(whole(answers)))
    refuse_above_one(replace(answers, rows=rows[alone]))
    parted = averaged(replace(answers, rows=rows[alone])).rows
    parted = parted[parted["reason"] < 0]
    if alone.all():
        return replace(answers, rows=categorical(parted))
    others = of_options_alone(averaged(whole(replace(answers, rows=rows[~alone]))))
    return replace(others, rows=categorical(pd.concat([others.rows, parted])))


def _beside_failed(
    sheet: Sheet, layout: Layout, source: str | None, failed: np.ndarray, names: list[str]
) -> list[Answers]:
    """Return stated shares, and each statement that failed as a single answer that is missing.

    Args:
        sheet: the rows.
        layout: what the columns are.
        source: the source of all rows, if there is only one.
        failed: as :func:`failed_statements` gives it.
        names: the columns that say of what a statement is, that of options last.
    """
    (answers,) = long(rows_of(sheet, failed == 0), layout, source)
    lost = rows_of(sheet.of_columns(sheet.cells(names)), failed == 1)
    (missing,) = long(lost.with_texts([lost.columns.index(names[-1])], _reason), layout, source)
    none = missing.rows[missing.rows["reason"] >= 0]
    parts = ((answers.rows, failed == 0), (none, failed == 1))
    both = [rows.assign(at=np.flatnonzero(which)[rows["at"]]) for rows, which in parts]
    rows = pd.concat(both).sort_values("at", kind="stable", ignore_index=True)
    return [replace(answers, sheet=sheet, rows=categorical(rows))]


def _reason(text: str) -> str:
    return text if text.startswith(NO_WORDS) else ""


def _refuse_parted(sheet: Sheet, aside: Container[str | None]) -> None:
    """Raise DataError if an export puts a question several times, as columns say that nobody reads.

    ``aside`` are the columns that are read as something else, or ignored.
    """
    if parting := [name for name in sheet.by if name not in aside]:
        raise sheet.fault(
            "question-in-parts",
            f"puts its questions once for each value of {shown(parting)}; if people's file has "
            "these columns, too, put ",
            groups_named(*parting),
            "; if the questions are the same for all values, put ",
            ignoring(*parting),
        )


def _in_topics(sheet: Sheet, names: list[str]) -> pd.DataFrame:
    """Return the topic of each question as its cluster, where an export tells."""
    if not sheet.topics:
        return no_description()
    topics = {name: sheet.topics.get(name, name) for name in names}
    return pd.Series(topics, dtype=object).to_frame("cluster")


def _check_roles(
    sheet: Sheet,
    layout: Layout,
    count: str | None,
    probability: str | None,
    weight: str | None,
    *,
    human: bool,
) -> None:
    """Raise DataError if a column makes no sense in this file."""
    if human and probability:
        raise sheet.fault(
            "people-state-probabilities",
            "people give answers, not probabilities; give counts, or if these are forecasts beside "
            "outcomes, put each into a file of its own",
            column=probability,
        )
    if not human and weight:
        raise sheet.fault(
            "simulator-weighted",
            "only people are weighted; drop the column, or list it under ",
            Key("ignore"),
            column=weight,
            also=[ignoring(weight)],
        )
    if probability and count:
        raise sheet.fault(
            "counts-and-probabilities",
            "a file has counts or stated probabilities, not both; make two files of it, simulated: "
            "[counts.csv, stated.csv]",
            column=probability,
        )
    if human and count and weight and "weight" not in layout.columns:
        raise sheet.fault(
            "weight-beside-count",
            f"stands beside {count!r}, and may be the weight of each of these people or the sum of "
            "their weights; if it is that of each, put ",
            of_columns(weight=weight),
            f"; if it is the sum, divide it by {count!r} before, and put a ",
            Remedy({"weighting_effect": BLANK}, is_key=True, is_offered=False),
            ", too",
            column=weight,
        )


def _fractions(sheet: Sheet, layout: Layout, human: bool, count: str) -> tuple[Part, ...]:
    """Return advice for a count that is a fraction, nothing if it may be one."""
    if not human:
        return ("if the simulator states probabilities, call the column probability",)
    if not layout.fractional:
        return (
            "fractions come from survey weights, and need a ",
            Remedy({"weighting_effect": BLANK}, is_key=True),
            "; if they are percentages, put ",
            of_percent(sheet, count),
        )
    return ()


def _aside(sheet: Sheet, layout: Layout) -> list[str]:
    """Return the columns of the design, of the groups that a question is put to, and of facts."""
    of_design = layout.design.columns(sheet) if layout.design else []
    return [*layout.groups_of(sheet), *layout.facts, *of_design]


def _groups(sheet: Sheet, layout: Layout, human: bool) -> Grouping | None:
    names = layout.groups_of(sheet)
    return Grouping.of(sheet, names, needed=human) if names else None


def _keeps(layout: Layout, amount: str | None) -> bool:
    """Return whether a row, and the design, say something of respondents."""
    return not (amount or (layout.design and layout.design.replicate_weights))


def _facts(sheet: Sheet, layout: Layout, *, needed: bool) -> dict[str, np.ndarray]:
    """Return the facts on the person of each row, as texts, empty where one is not known."""
    sheet.refuse_absent(layout.facts if needed else (), "regressions")
    names = [name for name in layout.facts if name in sheet.columns]
    facts = {}
    for name in names:
        cells = Cells.of(sheet, name)
        known = [as_fact(text, layout) for text in cells.texts]
        facts[f"{OF_PERSON}{name}"] = np.array(known, object)[cells.place]
    return facts


def _given(
    sums: Sums,
    layout: Layout,
    person: np.ndarray,
    run: np.ndarray | None,
    weight: np.ndarray | float,
    sampled: Sampled | None,
) -> pd.DataFrame | None:
    """Return the answers of each person, or run of a simulator; None if they are too many."""
    of_row = {"scenario": sums.asked.of_row, "respondent": person}
    of_row |= _facts(sums.sheet, layout, needed=run is None)
    of_whom: dict = {"run": run, "source": sums.who.of_row}
    if run is None:
        of_whom = {"weight": weight, "psu": sampled.psu if sampled else 0}
    most = np.inf if layout.by_respondent else MOST_KEPT
    return given_rows(sums, most, of_whom | of_row)


def _sampled(sheet: Sheet, layout: Layout, human: bool) -> Sampled | None:
    """Return how people were sampled, None without a design."""
    if not human or not layout.design:
        return None
    if count := layout.column(sheet, "count"):
        raise sheet.fault(
            "design-of-counts",
            "counts people, but a design needs a row for each; give that file, or take design out",
            column=count,
        )
    weight, respondent = (layout.column(sheet, role) for role in ("weight", "respondent"))
    return Sampled.of(sheet, layout.design, weight, respondent)


def _worth(
    sampled: Sampled | None, sums: Sums, weight: np.ndarray | None, groups: Grouping | None
) -> Worth | None:
    """Return how many people answers are worth by the design, None without one."""
    if sampled is None:
        return None
    rows = totals(sampled, sums.asked, sums.answer, weight)
    return Worth.of(sampled, sums.named(rows), groups)


def wide(sheet: Sheet, layout: Layout, source: str | None) -> list[Answers]:
    """Read a column for each scenario; a row is a respondent, or a run of a simulator."""
    human = source == HUMAN
    who = simulators(sheet, layout, source)
    weight, respondent = (layout.column(sheet, role) for role in ("weight", "respondent"))
    by = layout.simulators_of(sheet)
    aside = {weight, respondent, *by, *layout.ignored, *_aside(sheet, layout)}
    _refuse_parted(sheet, aside)
    if human and not (layout.attributes or layout.condition or respondent):
        sure = {*aside, *layout.coded.get("columns", ())}
        left = [name for name in sheet.questions or sheet.columns if name not in sure]
        anew = [
            name
            for name in layout.ignored.intersection(sheet.columns)
            if any(begin_anew(sheet, name, other) for other in sheet.columns)
        ]
        refuse_profiles(sheet, [*_aside(sheet, layout), *anew], left)
    names = asked(sheet, layout, aside)
    sheet = sheet.answered_in(names)
    layout = with_labels(layout, sheet, names)
    if human:
        check_weight(sheet, layout)
    if human and weight:
        sheet = weighted_rows(sheet, weight).answered_in(names)
    who = personas(sheet, layout.personas) if human else who
    weighs = weight if human else None
    groups, sampled = _groups(sheet, layout, human), _sampled(sheet, layout, human)
    m, read = len(names), {*names, *who.columns, weighs, respondent, *aside}
    scenario = Coded(np.arange(m), np.arange(m, dtype=np.int32)[:, np.newaxis], names)
    answer, added = coded_answers(sheet, layout, scenario, *names), _amounts(sheet, None, weighs)
    tiled = {name: np.tile(amount, m) for name, amount in added.items()}
    sums = Sums(sheet, scenario, who.coded(sheet), answer, tiled, groups)
    row = np.arange(sheet.size) if sheet.kept is None else sheet.kept
    person = keys_of(sheet, respondent) if respondent else row
    run, weights = None if human else row, added.get("weight", 1.0)
    keeps = _keeps(layout, None)
    given = _given(sums, layout, person, run, weights, sampled) if keeps else None
    repeat = bool(((answer.of_row >= len(REASONS)).sum(axis=0) > 1).any())
    unread = set() if human else {weight}.difference(layout.ignored)
    left = [name for name in sheet.columns if name not in read or name in unread]
    unsure = [name for name in names if not layout.allows_several(name)]
    is_unknown = layout.questions is sheet.questions is None  # which columns are questions
    if weighs:
        _refuse_row_of_totals(sheet, weighs, added["weight"])
    if human and not (weighs or is_unknown):
        named = layout.questions or layout.coded.get("columns", ())
        unnamed = [*left, *(name for name in names if not matches(name, named))]
        refuse_unread_weights(sheet, unnamed)
    if human and respondent:
        conditions = groups if layout.condition else None
        columns = [respondent, *([layout.condition] if layout.condition else [])]
        profiles = Remedy({"effects.attributes": [BLANK]})
        refuse_second(
            sheet,
            columns,
            in_conditions(person, conditions),
            f"respondent {{}} is there a second time{' in condition {}' if conditions else ''}; "
            "give each respondent one row",
            "; or if each row is a profile of a conjoint, put ",
            profiles,
        )
    order = ["scenario", "at"]
    answers = Answers(
        sheet,
        None,
        sums.of_people(order) if human else sums.separate(order, "source"),
        stated=False,
        described=_in_topics(sheet, names),
        respondents_repeat=repeat,
        by_persona=sums.separate(order, "persona") if human and who.columns else None,
        unread=left,
        doubts=doubts(sheet, unsure) if is_unknown else None,
        said=said_of(sheet, layout, dict(zip(names, names, strict=True)), worded=True),
        lacking=groups.lacking if groups else 0,
        worth=_worth(sampled, sums, added.get("weight"), groups),
        by_respondent=given,
        names_respondents=respondent is not None,
    )
    if weighs:
        check_weights(answers, weighs)
    return [answers]


def clusters_of(sheet: Sheet, column: str, scenario: Coded) -> pd.DataFrame:
    """Return the column ``cluster`` by scenario; raise DataError if one has two clusters.

    Args:
        sheet: a long file.
        column: that of the clusters.
        scenario: of each row.
    """
    cluster, cluster_of = coded(sheet, column, meaning=as_name), dict[str, str]()
    groups = Groups(scenario, cluster)
    for group in np.argsort(groups.first):
        one, other = (int(codes[group]) for codes in groups.codes)
        asked, named = scenario.entries[one], cluster.entries[other]
        if cluster_of.setdefault(asked, named) != named:
            raise sheet.fault(
                "scenario-in-two-clusters",
                f"scenario {asked!r} is in a second cluster; give it one",
                at=int(groups.first[group]),
                column=column,
            )
    return pd.Series(cluster_of, dtype=object).to_frame("cluster")


def personas(sheet: Sheet, wanted: str | list[str]) -> Joined:
    """Return the respondents' descriptions.

    Args:
        sheet: of the people's answers.
        wanted: columns, such as ``[age, sex]``, which make ``age 34, sex female``; or a text, such
            as ``a {age}-year-old {sex}``. An empty cell counts as unknown.
    """
    columns = persona_columns(wanted)
    sheet.refuse_absent(columns, "personas")
    in_words = partial(_in_words, wanted, columns)
    return Joined(columns, lambda text: as_text(text) or UNKNOWN, in_words)


def as_fact(text: str | None, layout: Layout) -> str | None:
    """Return a fact on a person; None if the cell says that it is not known.

    ``none`` is a fact, such as somebody's religion, and ``NA`` or ``NaN`` is not.
    """
    if text is None or text.strip().casefold() in NOTHING - {"none"}:
        return None
    try:
        meaning = layout.meaning(text)
    except CellError:
        return text.strip()
    return meaning if isinstance(meaning, str) else None


def _in_words(wanted: str | list[str], columns: list[str], values: tuple[str, ...]) -> str:
    who = zip(columns, values, strict=True)
    if not isinstance(wanted, str):
        return ", ".join(f"{name} {value}" for name, value in who)
    for name, value in who:
        wanted = wanted.replace(f"{{{name}}}", value)
    return wanted
