"""Questions put to groups of people: both make a scenario, such as ``trust | female | 18-34``.

Files are read by question, with the group of a row as a second code. When all facts on a question
that hold for every group are known (its options, its wording), question and group become a
scenario.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from fidelity_study.errors import Fault, File, Key, Note
from fidelity_study.reading.tabular.about import About
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import spelling
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.groups import scenario_names, split
from fidelity_study.reading.tabular.layout import QUESTION
from fidelity_study.reading.tabular.options import Options
from fidelity_study.reading.tabular.scenarios import Described
from fidelity_study.reading.tabular.shown import meant, shown
from fidelity_study.tables.ingest import BETWEEN

FEWEST = 2


def in_groups(answers: Answers, groups: Sequence[str], *, human: bool) -> Answers:
    """Return answers with a column ``group``; without columns of groups, from scenarios' names.

    Answers of simulators that say no group at all are returned as they are: they are for nobody in
    particular.

    Raises:
        DataError: if neither columns nor names tell people's groups, or some names don't.
    """
    if not groups or "group" in answers.rows or (answers.column is None and not human):
        return answers
    named = BETWEEN.join(("question", *groups))
    if answers.column is None:
        raise answers.sheet.fault(
            "no-group-columns",
            f"has no columns {shown(groups)}, named under ",
            Key("groups"),
            "; add them",
        )
    parts = {name: split(name, len(groups)) for name in answers.rows["scenario"].cat.categories}
    without = [name for name, (_, group) in parts.items() if not group]
    if not human and len(without) == len(parts):
        return answers
    for name in without:
        raise answers.sheet.fault(
            "scenario-without-group",
            f"scenario {name!r} does not say whom it is put to; write it as {named!r}, or add "
            f"columns {shown(groups)}",
        )

    def parted(rows: pd.DataFrame) -> pd.DataFrame:
        halves = [rows["scenario"].map(lambda name, at=at: parts[name][at]) for at in (0, 1)]
        question, group = (half.astype(object).astype("category") for half in halves)
        return rows.assign(scenario=question, group=group)

    return answers.with_tables(parted)


def to_every_group(answers: Answers, people: Answers) -> tuple[Answers, list[Note]]:
    """Return answers for nobody in particular as answers for each group, and a note on that."""
    if "group" in answers.rows:
        return answers, []
    known = people.rows[["scenario", "group"]].astype(object).drop_duplicates()

    def repeated(rows: pd.DataFrame) -> pd.DataFrame:
        merged = rows.astype({"scenario": object}).merge(known, on="scenario")
        return merged.astype({"scenario": "category", "group": "category"})

    what = "does not say whom it speaks for, so that its answers stand beside those of each group"
    note = answers.sheet.note("for-every-group", what)
    return answers.with_tables(repeated), [note]


def in_words(
    answers: Answers, people: Answers, groups: Sequence[str]
) -> tuple[Answers, list[Note]]:
    """Return answers in groups that have people's spellings or labels of these, and a note.

    Labels are where a simulator has people's codes, and spellings where no two of people's differ
    in capitals and signs alone.
    """
    if "group" not in answers.rows:
        return answers, []
    about = people.sheet.about([name for name in groups if name in people.sheet.columns])
    named: dict[str, dict[str, str]] = {}
    for (column, theirs), name in zip(_values(answers, groups).items(), groups, strict=True):
        ours = _values(people, groups)[column]
        spelled = pd.Series([*ours], [spelling(value) for value in ours], dtype=object)
        spelled = spelled[~spelled.index.duplicated(keep=False)]
        labels = about.get(name, About()).labels or {}
        known = {value: labels.get(value) or spelled.get(spelling(value)) for value in theirs}
        named[column] = {v: str(text) for v, text in known.items() if text and v not in ours}
    if not any(named.values()):
        return answers, []

    def called(group: str) -> str:
        parts = zip(group.split(BETWEEN), named.values(), strict=True)
        return BETWEEN.join(known.get(value, value) for value, known in parts)

    def renamed(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(group=rows["group"].astype(object).map(called).astype("category"))

    pairs = [f"{old!r} is {new!r}" for known in named.values() for old, new in known.items()]
    note = answers.sheet.note("groups-by-peoples-names", f"groups: {shown(pairs, how=str)}")
    return answers.with_tables(renamed), [note]


def check_groups(
    people: Answers, simulated: Iterable[Answers], groups: Sequence[str]
) -> Iterator[Fault]:
    """Yield faults of values of a simulator's groups that none of the people has."""
    known = _values(people, groups)
    for answers in simulated:
        for column, values in _values(answers, groups).items():
            strange = [value for value in values if value not in known[column]]
            if strange:
                hint = meant(strange[0], known[column], "mend it, or delete its rows")
                yield from answers.sheet.fault(
                    "unknown-group",
                    "nobody in ",
                    File(people.sheet.path),
                    f" has {shown(strange)}; there are: {shown(known[column])}; {hint}",
                    column=column,
                ).faults


def _values(answers: Answers, groups: Sequence[str]) -> dict[str, dict[str, None]]:
    """Return the values of each column of groups, in order of appearance."""
    values: dict[str, dict[str, None]] = {name: {} for name in groups}
    for group in answers.rows["group"].unique():
        for name, value in zip(groups, group.split(BETWEEN), strict=True):
            values[name][value] = None
    return values


def _of_groups(table: pd.DataFrame, sheet: Sheet, of_groups: pd.DataFrame) -> pd.DataFrame:
    """Return scenarios with what a file says of each, where it says it of the group."""
    lacking = [name for name in table.index if name not in of_groups.index]
    if lacking:
        raise sheet.fault(
            "group-without-row",
            f"has no row for {shown(lacking)}; add it, or describe questions only",
        )
    return table.assign(**of_groups.loc[table.index])


@dataclass(frozen=True)
class Scenarios:
    """Questions in groups.

    Attributes:
        kept: the (question, group) of each scenario by its name.
        notes: notes for the user on the groups.
    """

    kept: Mapping[str, tuple[str, str]]
    notes: list[Note]

    @classmethod
    def of(cls, people: Answers, simulated: Iterable[Answers]) -> "Scenarios":
        """Take every question and group that two or more people answered."""
        asked = ["scenario", "group"]
        rows = people.rows.astype(dict.fromkeys(asked, object))
        n = rows.assign(number=rows["number"].where(rows["reason"] < 0, 0.0))
        n = n.groupby(asked, sort=False)["number"].sum()
        there = {BETWEEN.join(pair): pair for pair in n.index[n >= FEWEST]}
        if not there:
            raise people.sheet.fault(
                "groups-too-small",
                f"no group has {FEWEST} people who answer the same question, as if each person "
                "were a group; take groups out",
            )
        few = [BETWEEN.join(pair) for pair in n.index[n < FEWEST]]
        notes = []
        for answers in [people, *simulated]:
            if answers.lacking:
                what = (
                    f"{answers.lacking} rows lack a value of the columns of groups and are in no "
                    "group, so that they are not counted"
                )
                notes.append(answers.sheet.note("rows-without-group", what))
        if few:
            what = f"fewer than {FEWEST} people answer {shown(few)}; left out: {len(few)} of "
            notes.append(people.sheet.note("too-few-people", f"{what}{len(n)} scenarios"))
        for answers in simulated:
            theirs = scenario_names(answers.rows)
            more = sorted(set(theirs.cat.categories[theirs.cat.codes.unique()]) - set(there))
            if more:
                what = f"left out, as people don't answer: {shown(more)}"
                notes.append(answers.sheet.note("not-answered-by-people", what))
        return cls(there, notes)

    def rows(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows of answers by scenario."""
        named = rows.assign(scenario=scenario_names(rows)).drop(columns="group")
        return named[named["scenario"].isin(self.kept)].reset_index(drop=True)

    def answers(self, answers: Answers) -> Answers:
        """Return the answers of a file by scenario."""
        return answers.with_tables(self.rows)

    def table(
        self,
        questions: pd.DataFrame,
        cluster: str,
        groups: Sequence[str],
        scenario_file: Described | None = None,
    ) -> pd.DataFrame:
        """Return a row for each scenario from the questions' rows, with each question's together.

        Args:
            questions: indexed by question, with columns ``scenario, description, cluster``.
            cluster: what the clusters are: ``question``, one of the groups, or else the questions'
                own clusters.
            groups: the columns of the groups.
            scenario_file: what the file of scenarios says, if there is one.

        Raises:
            DataError: if that file has a row for each scenario, but for some.
        """
        place = {name: at for at, name in enumerate(questions.index)}
        order = sorted(self.kept, key=lambda name: place[self.kept[name][0]])
        asked = [self.kept[name][0] for name in order]
        table = questions.loc[asked].set_axis(pd.Index(order, dtype=object))
        table["group"] = [self.kept[name][1] for name in order]
        table["description"] = table["description"] + BETWEEN + table["group"]
        if "question" in table:
            table["question"] = table["question"] + " (" + table["group"] + ")"
        table["scenario"] = table.index
        if scenario_file is not None and scenario_file.of_groups is not None:
            table = _of_groups(table, scenario_file.sheet, scenario_file.of_groups)
        if cluster == QUESTION:
            return table.assign(cluster=asked)
        if cluster in groups:
            at = list(groups).index(cluster)
            return table.assign(cluster=[name.split(BETWEEN)[at] for name in table["group"]])
        return table

    def options(self, known: Mapping[str, Options]) -> dict[str, Options]:
        """Return the options of each scenario: those of its question."""
        return {name: known[question] for name, (question, _) in self.kept.items()}
