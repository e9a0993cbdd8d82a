"""The scenarios: from the file that describes them, if there is one, and from people's answers."""

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain

import numpy as np
import pandas as pd

from fidelity_study.errors import File, Note, Part, Remedy, refusal
from fidelity_study.reading.tabular.answers import Answers, is_people
from fidelity_study.reading.tabular.columns import (
    as_label,
    names,
    numbers,
    spelling,
    steps_between,
    texts,
)
from fidelity_study.reading.tabular.files import Sheet, refuse_where
from fidelity_study.reading.tabular.groups import Grouping, split
from fidelity_study.reading.tabular.layout import QUESTION, Layout, listed
from fidelity_study.reading.tabular.qsf import Codebook, Question
from fidelity_study.reading.tabular.questions import asks_of_facts, columns_of, of_simulators
from fidelity_study.reading.tabular.remedies import ignoring
from fidelity_study.reading.tabular.said import wording_notes
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.tables.ingest import BETWEEN as BETWEEN_GROUPS
from fidelity_study.tables.ingest import NO_CLUSTER

BETWEEN = "|"
SIGNS = (BETWEEN, " / ", ";")
ORDER, RECOGNISED = "order", "recognised"
TEXTS = ("description", "question", "options")
NUMBERS = ("lower", "upper")
OF_GROUPS = ("cluster", "description", "question")
CODED = re.compile(r"(-?\d+) ?= ?(.+)")
RANGE = r"^\s*(-?\d+)\s*(?:-|\u2013|to)\s*(-?\d+)\s*$"
IF_NOT_ASKED = " if people were not asked"
NOT_FILLED = "is empty, and filled for other groups of the question; fill it for all"


@dataclass(frozen=True)
class Described:
    """A file's information on the scenarios.

    Attributes:
        sheet: the file.
        rows: indexed by scenario, with the columns that the file has of ``cluster`` and ``order``
            (under the names in the config), ``description, question, options, lower, upper``. The
            options are tuples of labels.
        places: the row of the file that each of these is the first from; None if they are all.
        of_groups: the columns that differ between the groups that a question is put to, indexed by
            scenario; None if each row describes a question.
    """

    sheet: Sheet
    rows: pd.DataFrame
    places: Sequence[int] | None = None
    of_groups: pd.DataFrame | None = None

    @property
    def is_key(self) -> bool:
        """Whether the file has the questions with codes, and perhaps not all others."""
        codebook = self.sheet.codebook
        return codebook is not None and not codebook.is_survey

    @property
    def labels(self) -> list[str]:
        """The labels of all options."""
        if "options" not in self.rows:
            return []
        return [label for labels in self.rows["options"].dropna() for label in labels]

    @property
    def wordings(self) -> dict[str, str]:
        """The wording of each question that has one."""
        return self.rows["question"].dropna().to_dict() if "question" in self.rows else {}

    def place(self, at: int) -> int:
        """Return the row of the file that a row is from."""
        return at if self.places is None else self.places[at]


def sure_questions(
    scenario_file: Described | None, named: Set[str]
) -> tuple[Set[str], Set[str], Set[str]]:
    """Return the columns that surely are questions, that tell no versions, and that ask for facts.

    The first two are those that a file of questions describes. A key may list the codes of versions
    and of facts on people, as their wordings say, and columns without codes, such as weights.

    Args:
        scenario_file: the file of questions.
        named: columns that the user says to be questions.
    """
    if scenario_file is None:
        return named, named, set()
    if not scenario_file.is_key:
        return (both := {*named, *scenario_file.rows.index}), both, set()
    coded = scenario_file.rows.get("options", pd.Series(dtype=object)).dropna()
    facts = {name for name, text in scenario_file.wordings.items() if asks_of_facts(text)}
    return {*named, *coded.index.difference(facts)}, named, facts


@dataclass(frozen=True)
class Survey:
    """A dataset's answers, and what is known of its questions.

    Attributes:
        people: their answers.
        described: the information in the file of scenarios, if there is one.
        simulated: simulators' answers, by file.
        notes: what is to be told.
        apart: the questions that are an option of another.
    """

    people: Answers
    described: Described | None
    simulated: list[Answers]
    notes: tuple[Note, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def answers(self) -> list[Answers]:
        """All answers, people's first."""
        return [self.people, *self.simulated]


def described(sheet: Sheet, layout: Layout) -> Described:
    """Read the file of scenarios; empty cells are missing.

    Of a survey's questions nothing is read before it is known which were asked: see ``codebook``.
    """
    if sheet.codebook is not None:
        return Described(sheet, pd.DataFrame(index=pd.Index([], dtype=object)))
    if (column := layout.column(sheet, "scenario")) is None:
        raise sheet.fault(
            "no-column",
            f"has no column 'scenario'; there are: {listed(sheet)}; call the column that has the "
            "questions' names scenario, and the one that has their wording question",
        )
    layout.check_no_typo(sheet, ["scenario", *TEXTS, *NUMBERS])
    wording = layout.column(sheet, "question")
    if layout.order is not None:
        sheet.refuse_absent([layout.order], "order")
    scenario = _in_groups(sheet, names(sheet, column), layout)
    again = pd.Series(scenario).duplicated()
    if again.any():
        at = int(again.idxmax())
        raise sheet.fault(
            "scenario-twice",
            f"scenario {scenario[at]!r} appears twice; give each one row",
            at=at,
            column=column,
        )
    table = pd.DataFrame(index=pd.Index(scenario))
    if layout.cluster in sheet.columns:
        table["cluster"] = names(sheet, layout.cluster).astype(object)
    for name in TEXTS:
        header = wording if name == "question" else name
        if header and header in sheet.columns:
            table[name] = texts(sheet, header).astype(object)
    for name in NUMBERS:
        if name in sheet.columns:
            filled = np.flatnonzero(texts(sheet, name).codes >= 0)
            table[name] = np.nan
            table.iloc[filled, -1] = numbers(sheet, name, filled)
    if layout.order is not None:
        table[ORDER] = numbers(sheet, layout.order)
        again = table[ORDER].duplicated().to_numpy()
        refuse_where(
            sheet,
            "order-twice",
            again,
            lambda at: (
                f"is {table[ORDER].iloc[at]:g} a second time; number the scenarios in the "
                "order in which they were asked, each differently"
            ),
            layout.order,
        )
    if "options" in table:
        table = _with_ranges(table)
        given = table["options"].dropna()
        signs = sorted(SIGNS, key=lambda sign: -sum(sign in text for text in given))
        sign_of = [next((one for one in signs if one in text), BETWEEN) for text in given]
        pairs = zip(given, sign_of, strict=True)  # the sign of most cells first
        table.loc[given.index, "options"] = [text.replace(sign, BETWEEN) for text, sign in pairs]
    _check(sheet, table)
    if "options" in table:
        none = layout.reading.missing_of
        labels = {name: _labels(text) for name, text in table["options"].dropna().items()}
        codes = {name: [*map(CODED.fullmatch, some)] for name, some in labels.items()}
        coded = {
            name: {as_label(pair[1]): pair[2] for pair in some if pair}
            for name, some in codes.items()
            if all(some)
        }
        plain = {
            name: tuple(label for label in some if label not in none(name))
            for name, some in labels.items()
            if name not in coded
        }
        table["options"] = pd.Series(plain, table.index, dtype=object)
        if coded:
            words = Described(sheet, table).wordings
            known = {
                name: Question.of_key(words.get(name, name), coded.get(name, {}))
                for name in table.index
            }
            sheet = replace(sheet, codebook=Codebook(sheet.path, known, is_survey=False))
    return Described(sheet, table)


def _with_ranges(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the ends of ranges such as ``0-100`` that stand as options.

    Near ones have their steps as options, too.
    """
    ranges = table["options"].astype(str).str.extract(RANGE).astype(float).dropna()
    if ranges.empty:
        return table
    steps = {
        name: BETWEEN.join(steps_between(low, high)) or np.nan
        for name, low, high in ranges.itertuples()
    }
    ends = table.reindex(columns=["lower", "upper"]).fillna(
        ranges.set_axis(["lower", "upper"], axis=1)
    )
    return table.assign(
        **ends, options=table["options"].where(~table.index.isin(steps), table.index.map(steps))
    )


def _in_groups(sheet: Sheet, scenario: pd.Categorical, layout: Layout) -> np.ndarray:
    """Return names of scenarios, with the group of people if the file has columns of groups."""
    names = scenario.astype(object)
    grouping = Grouping.of(sheet, layout.groups_of(sheet), needed=False) if layout.groups else None
    if grouping is None:
        return names
    if grouping.lacking:
        raise sheet.fault(
            "group-empty",
            "lacks a value; fill it, or delete the row",
            at=int((grouping.of_row == 0).argmax()),
            column=shown(layout.groups, how=str),
        )
    return names + BETWEEN_GROUPS + np.array(grouping.entries, object)[grouping.of_row]


def of_questions(
    scenario_file: Described, questions: Iterable[str], groups: Sequence[str]
) -> Described:
    """Return what a file says of questions whose rows are of questions put to groups.

    A file that has a row for each question is returned as it is.

    Args:
        scenario_file: the information in the file of scenarios.
        questions: the questions that people answered.
        groups: the columns of the groups of people.

    Raises:
        DataError: if rows of a question differ in what holds for all groups.
    """
    pairs = [split(name, len(groups)) for name in scenario_file.rows.index]
    if (
        not groups
        or set(scenario_file.rows.index) & {*questions}
        or not all(group for _, group in pairs)
    ):
        return scenario_file
    rows = scenario_file.rows.set_axis(pd.Index([name for name, _ in pairs], dtype=object))
    if ORDER in rows:
        raise scenario_file.sheet.fault(
            "order-of-groups",
            "describes questions put to groups, and order numbers questions; give a file with one "
            "row for each question, or take order away",
        )
    first = ~rows.index.duplicated()
    one = rows[first]
    same = {name: _same(rows[name], one[name]) for name in rows}
    for name, alike in same.items():
        if not alike.all() and name not in OF_GROUPS:
            at = int((~alike).argmax())
            raise scenario_file.sheet.fault(
                "differs-between-groups",
                f"differs between the groups of {rows.index[at]!r}; it holds for a question, so "
                "give all its rows the same",
                at=at,
                column=name,
            )
    differing = [name for name, alike in same.items() if not alike.all()]
    for name in differing:
        empty = scenario_file.rows[name].isna().to_numpy()
        refuse_where(scenario_file.sheet, "empty-cell", empty, lambda _: NOT_FILLED, name)
    by_group = scenario_file.rows[differing].set_axis([BETWEEN_GROUPS.join(pair) for pair in pairs])
    return replace(
        scenario_file,
        rows=one,
        places=np.flatnonzero(first).tolist(),
        of_groups=by_group if differing else None,
    )


def _same(cells: pd.Series, one: pd.Series) -> np.ndarray:
    """Return which cells are those of the first row of their question."""
    theirs = one.reindex(cells.index)
    return ((cells == theirs) | (cells.isna() & theirs.isna())).to_numpy()


def _labels(text: str) -> tuple[str, ...]:
    """Return the labels in a cell such as ``no | yes``."""
    return tuple(as_label(part) for part in text.split(BETWEEN))


def notes_of_files(answers: Iterable[Answers], scenario_file: Described | None) -> list[Note]:
    """Return notes that files of answers hold themselves, people's first.

    Args:
        answers: people's answers, and those of simulators.
        scenario_file: the information in the file of scenarios, if there is one.
    """
    answers = list(answers)
    people = answers[0]
    exports = dict.fromkeys(
        file_answers.sheet.note(RECOGNISED, what)
        for file_answers in answers
        for what in file_answers.sheet.recognised
    )
    worded = scenario_file is not None and "question" in scenario_file.rows
    wording = [] if worded else wording_notes(people.sheet, people.said)
    said = (note for file_answers in answers[1:] for note in file_answers.said.notes)
    return [*exports, *people.said.notes, *wording, *said]


def scenario_table(
    people: Answers, scenario_file: Described | None, layout: Layout
) -> pd.DataFrame:
    """Return one row for each scenario, in the order asked, that of their file, or the people's.

    Columns ``scenario, cluster, description`` and those of the file of scenarios.

    Args:
        people: what people answered.
        scenario_file: what the file of scenarios says, if there is one.
        layout: which columns are the cluster and the order.

    Raises:
        DataError: if that file and the people's don't have the same scenarios, or there is no such
            cluster.
    """
    asked = people.rows["scenario"].drop_duplicates().tolist()
    if scenario_file is None and layout.order is not None:
        raise refusal(
            "order-without-scenarios",
            f"{layout.order!r} is a column of the file of scenarios, and there is none; add "
            "scenarios, or take order away for the order of the file",
            key="order",
        )
    if scenario_file is None:
        table = pd.DataFrame(index=pd.Index(asked, dtype=object))
    else:
        table = scenario_file.rows.copy()
        others = [*people.sheet.options, *(asked if scenario_file.is_key else ())]
        others = [name for name in dict.fromkeys(others) if name not in table.index]
        table = table.reindex([*table.index, *others])  # a ranking's questions are in no file
        if "question" in table:
            table.loc[others, "question"] = others
        check_known(people, table.index, scenario_file.sheet.path)
    for facts, columns in (
        (people.described, ("cluster", "description")),
        (people.said.rows, people.said.rows.columns),
    ):
        for column in columns:
            if column in facts:
                theirs = facts[column].reindex(table.index)
                table[column] = table[column].fillna(theirs) if column in table else theirs
    if layout.cluster == NO_CLUSTER:
        table["cluster"] = NO_CLUSTER
    elif "cluster" not in table and layout.cluster == QUESTION:  # no question has several options
        table["cluster"] = table.index
    elif "cluster" not in table:
        first, *others = [
            people.sheet,
            *([scenario_file.sheet] if scenario_file is not None else []),
        ]
        there = ((f" and {listed(sheet)} in ", File(sheet.path)) for sheet in others)
        raise first.fault(
            "no-cluster-column",
            f"has the columns {listed(first)}",
            *chain(*there),
            f", but no {layout.cluster!r}, the cluster; add it, name another, or put ",
            Remedy({"cluster": NO_CLUSTER}),
        )
    table["scenario"] = table.index
    if "description" not in table:
        table["description"] = None
    if scenario_file is not None and "question" in scenario_file.rows:
        table["question"] = table["question"].fillna(table["description"])
        if table["question"].isna().any():
            raise scenario_file.sheet.fault(
                "empty-cell",
                "is empty; say what was asked, or take the whole column out",
                at=scenario_file.place(int(table["question"].isna().argmax())),
                column="question",
            )
    table["description"] = table["description"].fillna(table["scenario"])
    if "question" in table:
        table["question"] = table["question"].fillna(table["description"])
    return table if ORDER not in table else table.sort_values(ORDER).drop(columns=ORDER)


def check_known(
    answers: Answers, scenarios: Iterable[str], path: str, *, in_groups: bool = False
) -> None:
    """Raise DataError if answers belong to a scenario that ``path`` does not have."""
    categories = answers.rows["scenario"].cat.categories
    unknown = answers.rows["scenario"].isin(categories.difference(scenarios))
    if unknown.any():
        row = answers.rows[unknown].iloc[0]
        names = list(answers.rows["scenario"][unknown].unique())
        spelled = {spelling(name): name for name in scenarios}
        same = [spelled[spelling(name)] for name in names if spelling(name) in spelled]
        close = same or get_close_matches(names[0], list(scenarios), n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        are = "is" if len(names) == 1 else "are"
        way: tuple[Part, ...] = ("take it out",)
        predicted = Remedy({"predict": {}}, is_sure=answers.column is not None)
        if answers.column is None:
            way = (
                "put ",
                ignoring(*columns_of(answers, names)),
                " if these columns are no questions",
            )
        are_people = is_people(answers)
        is_new = not (are_people or in_groups or same)
        raise answers.sheet.fault(
            "unknown-scenario",
            f"scenario {shown(names)} {are} not in ",
            File(path),
            f"; {hint}correct the name, or ",
            *way,
            *((", or put ", predicted, IF_NOT_ASKED) if is_new else ()),
            at=int(row["at"]) if answers.column is not None else None,
            also=[
                *of_simulators(answers, names),
                *([Remedy({"a_question": names})] if are_people and way[1:] and not close else ()),
            ],
        )


def _check(sheet: Sheet, table: pd.DataFrame) -> None:
    if {"lower", "upper"} <= set(table):
        wrong = (table["lower"] >= table["upper"]).to_numpy()
        what = "is not above lower; swap them or mend one"
        refuse_where(sheet, "upper-not-above-lower", wrong, lambda _: what, "upper")
    if "options" in table:
        for at, text in enumerate(table["options"]):
            parts = [] if pd.isna(text) else [part.strip() for part in text.split("|")]
            if parts and (len(parts) < 2 or not all(parts) or len(set(parts)) < len(parts)):
                raise sheet.fault(
                    "malformed-options",
                    f"is {text!r}; list two or more different options, as in: no | yes",
                    at=at,
                    column="options",
                )
