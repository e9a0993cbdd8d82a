"""Answers of one file, added up: a row for each different answer of a source in a scenario."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from fidelity import inputs
from fidelity_study.errors import DataError, Key, Part, Remedy
from fidelity_study.reading.tabular.columns import as_number, as_said, coded, in_order, stem_of
from fidelity_study.reading.tabular.design import Worth
from fidelity_study.reading.tabular.doubtful import MARKS, reason_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.groups import Grouping
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.reading import fits
from fidelity_study.reading.tabular.remedies import groups_named, of_columns
from fidelity_study.reading.tabular.said import NOTHING, Said
from fidelity_study.reading.tabular.tally import Coded, Groups
from fidelity_study.reading.tabular.words import OF_CALLS, RUNS
from fidelity_study.tables.ingest import HUMAN, REASONS

STATEMENT = "statement"
LAST_DIGIT, MOST_DIGITS = 1e-6, 100
DECIMALS, MOST_ROUNDED, SAME = range(2, 6), 0.05, 1e-9
OF_PERCENT = 0.02
AS_STATEMENTS = " (as respondent each value is one statement, and their mean is taken)"
MOST_SUMS, MOST_GROUPS = 10_000_000, 20


@dataclass(frozen=True)
class Answers:
    """Answers, or stated probabilities, of one file.

    Attributes:
        sheet: the sheet that they are from.
        column: the column of the answers; None where each scenario has its own.
        rows: a row for each different answer of a source in a scenario, in the order of the sheet
            from top to bottom; for a wide sheet, column by column. Columns ``scenario, source,
            label`` (categories, the label missing where there is no answer), ``reason`` (why not, a
            position in REASONS, else -1), ``number`` (of such answers, or the probability),
            ``at`` (position in the sheet of the first one). If people are weighted, also ``weight``
            and ``square`` (sums of their weights and of the weights' squares). If questions are put
            to groups, also ``group``, and the scenario is the question; if probabilities are means
            of several statements, also ``statements``, how many (before, ``statement``, which).
        stated: whether the numbers are probabilities.
        described: the file's own columns about the scenarios; the index is the scenario.
        said: what the file tells about the questions besides its cells.
        respondents_repeat: whether somebody answers several scenarios; None where it is unknown.
        by_persona: the rows of people, separate for each ``persona``; None if not asked for.
        unread: the columns that were not read, without those that the config ignores.
        doubts: the columns of a wide file that may be no questions, each with its likely meaning;
            None where there can be no doubt.
        given: simulators' answers in other forms than probabilities that sum to one, columns
            ``scenario, source, family, loc, scale, total``; None if there are none.
        unlisted: texts that were taken for no answer, since they are no listed option, each with
            the option that it names, or nothing.
        zeros: how many statements of each simulator gave every option a probability of 0.
        lacking: how many rows are in no group, and so not counted.
        by_respondent: the answers of each respondent, columns ``scenario, respondent, label`` and
            of people ``weight, psu``, or of each run of a simulator, with ``source, run``; None
            where they are not known. ``respondent`` is a key of the name, or of the row's number.
            Empty cells are there, too, until tick boxes are recognised.
        names_respondents: whether the file names them.
        worth: the numbers of people that answers are worth by their sampling design; None without.
    """

    sheet: Sheet
    column: str | None
    rows: pd.DataFrame
    stated: bool
    described: pd.DataFrame
    respondents_repeat: bool | None = None
    by_persona: pd.DataFrame | None = None
    unread: Sequence[str] = ()
    doubts: Mapping[str, str] | None = None
    unlisted: Mapping[str, str] = field(default_factory=dict)
    said: Said = NOTHING
    given: pd.DataFrame | None = None
    zeros: Mapping[str, int] = field(default_factory=dict)
    lacking: int = 0
    worth: Worth | None = None
    by_respondent: pd.DataFrame | None = None
    names_respondents: bool = False

    @cached_property
    def questions(self) -> list[str]:
        """The scenarios that somebody was asked, in order of appearance."""
        return list(map(str, self.rows["scenario"].unique()))

    @cached_property
    def answered(self) -> pd.DataFrame:
        """The rows that are answers."""
        return self.rows[self.rows["reason"] < 0]

    @cached_property
    def wordings(self) -> pd.Series:
        """The wording or label of each scenario that the file tells, by scenario."""
        return self.said.rows.get("question", pd.Series(dtype=object)).dropna()

    @cached_property
    def chosen(self) -> list[tuple[str, str]]:
        """Scenario and label of each answer that somebody gave, once, in order of appearance."""
        rows = self.answered
        rows = rows.loc[rows["number"] > 0, ["scenario", "label"]].drop_duplicates()
        return [*zip(map(str, rows["scenario"]), map(str, rows["label"]), strict=True)]

    @cached_property
    def first_uses(self) -> list[tuple[str, str, int]]:
        """Scenario, label and position in ``rows`` of each answer's first use in a scenario."""
        rows = self.rows[["scenario", "label"]]
        first = np.flatnonzero((self.rows["reason"] < 0) & ~rows.duplicated())
        rows = rows.iloc[first]
        return [*zip(rows["scenario"], rows["label"], first.tolist(), strict=True)]

    def with_tables(self, change: Callable[[pd.DataFrame], pd.DataFrame], *more: str) -> "Answers":
        """Return the same, each of its tables of answers changed, and those of the names given."""
        names = ("rows", "by_persona", "by_respondent", *more)
        tables = {name: table for name in names if (table := getattr(self, name)) is not None}
        worth = self.worth and replace(self.worth, rows=change(self.worth.rows))
        changed = {name: change(table) for name, table in tables.items()}
        return replace(self, worth=worth, **changed)

    def of_sources(self, names: Iterable[str]) -> "Answers":
        """Return the answers of some simulators."""
        return self.with_tables(lambda rows: rows[rows["source"].isin(list(names))])

    def of_names(self, names: Mapping[str, str]) -> "Answers":
        """Return the same of simulators with other names."""

        def renamed(rows: pd.DataFrame) -> pd.DataFrame:
            return rows.assign(
                source=rows["source"].astype("category").cat.rename_categories(names)
            )

        zeros = {names[name]: number for name, number in self.zeros.items()}
        return replace(self.with_tables(renamed, "given"), zeros=zeros)

    def with_meanings(self, meanings: Mapping[tuple[str, str], str | int | None]) -> "Answers":
        """Return the same with other labels.

        Args:
            meanings: by question and label the new label, the reason why there is none, as a
                position in REASONS, or None for what counts for nothing.
        """
        return self.with_tables(lambda rows: _with_labels(rows, meanings)) if meanings else self

    def without_empty(self) -> "Answers":
        """Return the same without the empty cells of respondents."""
        return self.with_tables(
            lambda rows: rows if "number" in rows else rows[rows["label"].notna()]
        )

    def fault(
        self, code: str, *parts: Part, row: pd.Series, also: Iterable[Remedy] = ()
    ) -> DataError:
        """Return the error that says what is wrong with the answer in one of ``rows``."""
        column = self.column if self.column is not None else row["scenario"]
        return self.sheet.fault(code, *parts, at=int(row["at"]), column=column, also=also)


def is_people(answers: Answers) -> bool:
    """Return whether a file's answers are people's."""
    return HUMAN in answers.rows["source"].cat.categories


def coded_answers(sheet: Sheet, layout: Layout, scenario: Coded, *columns: str) -> Coded:
    """Return the answers in one column, or in several columns of a scenario each.

    The first codes are the reasons for no answer.

    Args:
        sheet: the rows.
        layout: tells which cells are no answers.
        scenario: of the rows; or of the columns of a wide sheet.
        columns: the columns with the answers.
    """
    empty = meant_if_empty(sheet, layout, scenario.entries)
    if empty:
        layout = replace(layout, recode={"": "", **layout.recode})  # its label, till it is coded
    meaning = as_said if sheet.raw else layout.meaning
    answer = coded(sheet, *columns, meaning=meaning, entries=range(len(REASONS)))
    if scenario.text.ndim > 1:
        answer = replace(answer, text=answer.text.reshape(len(columns), -1))
    if not (layout.missing_in or empty):
        return answer
    others = np.array([name not in empty for name in scenario.entries])[scenario.of_row]
    is_empty = np.array([entry == "" for entry in answer.entries])[answer.of_row]
    missing = others & is_empty
    for boxes in _boxes(answer, columns) if empty and is_empty.ndim > 1 else ():
        if len(boxes) == 1 and columns[boxes[0]] in empty:
            what = "has ticks and empty cells only; write 0 where it was shown and not ticked"
            raise sheet.fault("one-answer-and-empty", what, column=columns[boxes[0]])
        missing[boxes] |= is_empty[boxes] & ~is_empty[boxes].all(axis=0)  # shown, and not ticked
    for pattern, marks in layout.missing_in.items():
        here = [fits(name, pattern, scenario.entries) for name in scenario.entries]
        is_mark = [entry in marks for entry in answer.entries]
        missing |= np.array(here)[scenario.of_row] & np.array(is_mark)[answer.of_row]
    entries = [str(entry) for entry in answer.entries]
    usual = np.array([REASONS.index(reason_of(entry)) for entry in entries])[answer.of_row]
    reason = np.broadcast_to(usual, missing.shape).copy()
    for name, marks in layout.coded.get("reasons", {}).items():
        here = np.array([one == name for one in scenario.entries])[scenario.of_row]
        stated = [REASONS.index(marks.get(entry, REASONS[0])) for entry in entries]
        is_stated = np.array([entry in marks for entry in entries])[answer.of_row] & here
        reason = np.where(is_stated, np.array(stated)[answer.of_row], reason)
    text = np.where(missing, len(answer.codes) + reason, answer.text)
    return Coded(np.append(answer.codes, range(len(REASONS))), text, answer.entries)


def meant_if_empty(sheet: Sheet, layout: Layout, names: Iterable[str]) -> set[str]:
    """Return the questions whose empty cells are an option, a reason, or nothing, as is decided."""
    meant = {name for name, marks in layout.coded.get("reasons", {}).items() if "" in marks}
    for entry in layout.coded.get("means", ()):
        if entry["text"] == "" and entry["file"] in ("", sheet.path):
            meant.update(names if entry["questions"] is None else entry["questions"])
    return meant.intersection(names)


def _boxes(answer: Coded, columns: Sequence[str]) -> Iterator[list[int]]:
    """Yield the positions of the tick boxes of each question.

    They have one answer, a mark or the option that their name ends with.
    """
    stems: dict[str, list[int]] = {}
    for place, (name, codes) in enumerate(zip(columns, answer.of_row, strict=True)):
        given = {str(answer.entries[code]) for code in {*codes[codes >= len(REASONS)]}} - {""}
        are_ticks = (one.casefold() in MARKS or name.endswith(f" {one}") for one in given)
        if len(given) == 1 and all(are_ticks):
            stems.setdefault(stem_of(name), []).append(place)
    yield from stems.values()


class Sums:
    """Sums over a sheet, for each scenario, each source or kind of person, and each answer.

    Attributes:
        sheet: the rows.
        scenario: of each row; or of each column of a wide sheet.
        asked: the same, but it differs between the groups to whom scenarios are put.
        who: the simulator of each row, or the kind of person.
        answer: of each row, as :func:`coded_answers` gives it.
    """

    def __init__(
        self,
        sheet: Sheet,
        scenario: Coded,
        who: Coded,
        answer: Coded,
        amounts: Mapping[str, np.ndarray],
        groups: Grouping | None = None,
        statement: Coded | None = None,
    ):
        """Add the rows up.

        ``amounts`` are what each row adds to the columns of Answers.rows that are sums; nothing if
        each adds 1. A simulator's statements are apart if it is known of which one each row is.
        """
        self._statement = {} if statement is None else {STATEMENT: statement}
        self.sheet, self.scenario, self.who, self.answer = sheet, scenario, who, answer
        self._groups, self._numbers = groups, [*amounts] or ["number"]
        self.asked = groups.within(scenario) if groups else scenario
        same = self._same()
        if len(same.count) > MOST_SUMS:
            raise sheet.fault(
                "too-many-sums",
                f"has more than {MOST_SUMS:,} different answers of different people to different "
                "scenarios; take personas with fewer differences, and list columns that hold no "
                "answers under ",
                Key("ignore"),
            )
        names = ("scenario", "who", "answer", *self._statement)
        self._table = same.sums(names, sheet.size, amounts)

    def _same(self) -> Groups:
        """Return the groups of equal rows, which are large and so not kept."""
        return Groups(self.asked, self.who, self.answer, *self._statement.values())

    def named(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return sums by such codes, with the names of scenarios and groups instead of codes."""
        parted = self._groups.parted(table) if self._groups else table
        codes = parted["scenario"].to_numpy()
        named = parted.assign(scenario=in_order(codes, self.scenario.entries))
        if "source" in named:
            named["source"] = in_order(named["source"].to_numpy(), self.who.entries)
        return named

    def refuse_again(
        self,
        column: str,
        source: str | None,
        unread: Sequence[str],
        of_people: Container[str],
        *,
        are_stated: bool = False,
    ) -> None:
        """Raise DataError if a row repeats an answer before.

        Rows without an answer may repeat, as several marks stand for none.

        Args:
            column: the column of the answers.
            source: the source of all rows, if there is only one.
            unread: the columns that are not read.
            of_people: those of them that people's file has, too, which may name groups of people.
            are_stated: whether the rows are stated probabilities.
        """
        same = self._same()
        at = same.first_again(same.codes[2] >= len(REASONS))
        if at is None:
            return
        asked, who, answer = (int(codes[same.of_row[at]]) for codes in same.codes[:3])
        scenario = self.scenario.entries[
            asked // (len(self._groups.entries) if self._groups else 1)
        ]
        unread = [name for name in unread if not OF_CALLS.fullmatch(name)]
        named, label = source or self.who.entries[who], self.answer.entries[answer]
        apart: tuple[Part, ...] = ()
        runs = self.telling_apart(unread) if are_stated and not self._statement else []
        if runs:
            mean = ("; if their mean is wanted, put ", of_columns(respondent=runs[0]))
            group = ("; if they are groups of people, put ", groups_named(runs[0]))
            ways: tuple[Part, ...] = group if runs[0] in of_people else ()
            raise self.sheet.fault(
                "stated-twice",
                f"{named!r} states the probability of {label!r} in scenario {scenario!r} a second "
                f"time, for each value of {runs[0]!r}{AS_STATEMENTS}",
                *((*mean, *ways) if self._are_runs(runs[0]) else (*ways, *mean)),
                at=at,
                column=column,
            )
        if unread and not self._groups:
            by = groups_named(*unread)
            apart = ("if rows are of different groups of people, put ", by, ", else ")
        raise self.sheet.fault(
            "answer-twice",
            f"the answer {label!r} of {named!r} in scenario {scenario!r} is there a second time; ",
            *apart,
            "give one probability, such as their mean" if are_stated else "add up its rows",
            at=at,
            column=column,
        )

    def telling_apart(self, names: Sequence[str]) -> list[str]:
        """Return the columns of which each tells all repeated rows apart, of fewest cells first.

        None if no row repeats an answer.
        """
        same = self._same()
        if same.first_again(same.codes[2] >= len(REASONS)) is None:
            return []
        codes = np.broadcast_arrays(self.asked.of_row, self.who.of_row, self.answer.of_row)
        rows = self.sheet.frame(names)
        keys = [str(place) for place in range(len(codes))]
        rows = rows.assign(**dict(zip(keys, codes, strict=True)))
        runs = [name for name in names if not rows.duplicated([*keys, name]).any()]
        return sorted(runs, key=lambda name: rows[name].nunique())

    def _are_runs(self, name: str) -> bool:
        """Return whether a column may number runs or personas, by its cells or its name."""
        values = self.sheet.frame([name])[name].dropna().unique()
        are_words = any(as_number(text) is None for text in values)
        return not are_words or len(values) > MOST_GROUPS or bool(RUNS.search(name))

    def separate(self, order: list[str], who: str) -> pd.DataFrame:
        """Return a row for each ``source`` or ``persona``, sorted by columns of Answers.rows."""
        return self._named(self._parted(order)).rename(columns={"who": who})

    def of_people(self, order: list[str]) -> pd.DataFrame:
        """Return the rows of people."""
        table = self._parted(order)
        keys = [*places(table), "answer"]
        alike = table.groupby(keys, sort=False, as_index=False, observed=True)
        rows = self._named(alike[[*self._numbers]].sum().assign(at=alike["at"].first()["at"]))
        return rows.assign(source=in_order(np.zeros(len(rows), int), [HUMAN]))

    def _parted(self, order: list[str]) -> pd.DataFrame:
        table = self._table.sort_values(order, ignore_index=True)
        return self._groups.parted(table) if self._groups else table

    def _named(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return scenarios, who answers, labels and reasons in place of codes."""
        answer, none = table["answer"].to_numpy(), len(REASONS)
        names = {
            "scenario": in_order(table["scenario"].to_numpy(), self.scenario.entries),
            "label": in_order(answer, self.answer.entries, none),
            "reason": np.where(answer < none, answer, -1),
        }
        if "who" in table:
            names["who"] = in_order(table["who"].to_numpy(), self.who.entries)
        return table.drop(columns="answer").assign(**names)


def _with_labels(
    table: pd.DataFrame, meanings: Mapping[tuple[str, str], str | int | None]
) -> pd.DataFrame:
    """Return a table with new labels, and the reason of those that are no answers."""
    pairs = [*zip(table["scenario"], table["label"], strict=True)]
    new = [meanings.get(pair, pair[1]) for pair in pairs]
    counts = np.array([meanings.get(pair, "") is not None for pair in pairs], bool)
    is_none = pd.Series([isinstance(label, int) for label in new], table.index)
    labels = [None if isinstance(label, int) else label for label in new]
    texts = pd.Series(labels, table.index, dtype=object)
    table = table.assign(label=pd.Categorical(texts, categories=pd.unique(texts.dropna())))
    if "reason" not in table:
        return table[counts & ~is_none]
    reasons = pd.Series([label if isinstance(label, int) else -1 for label in new], table.index)
    return table.assign(reason=table["reason"].mask(is_none, reasons))[counts]


def places(rows: pd.DataFrame) -> list[str]:
    """Return the columns of Answers.rows that together identify an answer."""
    return [name for name in ("scenario", "group", STATEMENT) if name in rows]


def no_description() -> pd.DataFrame:
    """Return the description of scenarios by a file that holds none."""
    return pd.DataFrame(index=pd.Index([], dtype=object))


def averaged(answers: Answers) -> Answers:
    """Return the means of stated shares over the statements of personas or runs, if they differ."""
    if STATEMENT not in answers.rows:
        return answers
    rows = answers.rows
    keys = [*places(rows.drop(columns=STATEMENT)), "source"]
    many = rows.groupby(keys, observed=True)[STATEMENT].transform("nunique")
    rows = rows.assign(number=rows["number"] / many, statements=many)
    how = {"number": "sum", "at": "first", "statements": "first"}
    how |= {name: "first" for name in ("rest", "lost") if name in rows}
    alike = rows.groupby([*keys, "label", "reason"], observed=True, sort=False, dropna=False)
    return replace(answers, rows=alike.agg(how).reset_index())


def categorical(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with categories of their texts, in order of appearance."""
    texts = rows.columns.intersection(["scenario", "source", "label", "persona", "group"])
    return rows.assign(**{name: as_category(rows[name]) for name in texts})


def as_category(texts: pd.Series) -> pd.Categorical:
    """Return texts as categories, in order of appearance."""
    return pd.Categorical(texts, pd.unique(texts.dropna().astype(object)))


def refuse_nameless(answers: Answers) -> None:
    """Raise DataError unless each share has its option, or a text that is said to be none."""
    none = answers.rows[answers.rows["reason"] >= 0]
    if none.empty or answers.column is None:
        return
    cells = answers.sheet.cells([answers.column])[answers.column]
    for place, at in enumerate(none["at"]):
        if not (cells[int(at)].as_py() or "").strip():
            raise answers.fault(
                "probability-without-option",
                "a probability needs its option; name it, or delete the row",
                row=none.iloc[place],
            )


def of_options_alone(answers: Answers, before: Answers | None = None) -> Answers:
    """Return shares without those of texts that are no answers, divided by their sum.

    Args:
        answers: stated shares.
        before: them as they were; then only texts that have become none since are left out.
    """
    rows = answers.rows
    is_none = rows["reason"] >= 0
    if before is not None:
        is_none &= before.rows["reason"].reindex(rows.index) < 0
    if not is_none.any():
        return answers
    rows = rows[~is_none].reset_index(drop=True)
    are_options = rows["reason"] < 0
    shares = rows.assign(number=rows["number"].where(are_options, 0.0))
    sums = shares.groupby([*places(rows), "source"], observed=True)["number"].transform("sum")
    what = "shares of texts that are no answers are left out, and the others divided by their sum"
    notes = dict.fromkeys([*answers.said.notes, answers.sheet.note("of-options", what)])
    number = (rows["number"] / sums).where(are_options, rows["number"])
    rows = rows.assign(number=number)[~are_options | (sums > 0)].reset_index(drop=True)
    return replace(answers, rows=rows, said=replace(answers.said, notes=(*notes,)))


def summing_to_one(
    answers: Answers, *, rounded: bool = False, column: str | None = None
) -> Answers:
    """Return shares that sum to one in each scenario.

    Probabilities printed with six decimals differ from what was meant by at most one unit of the
    last decimal each, also if they were cut off. Such a difference of the sum, of at most
    ``MOST_DIGITS`` units, is divided away. A larger one is refused, as an option may be missing.
    Shares that are said to be ``rounded`` may have fewer decimals: each differs by at most half a
    unit of the last one, and their sum by so much for each option, though never by more than
    ``MOST_ROUNDED``. Percentages are refused in a ``column`` of probabilities; without one they are
    meant, and sums from 98 to 102 percent are rounding. Statements are apart, if they are known.

    Raises:
        DataError: if a share lacks its option, or shares of a scenario do not sum to one.
    """
    refuse_nameless(answers)
    asked, place_keys = answers.rows, places(answers.rows)
    keys = [*place_keys, "source"]
    alike = asked.groupby(keys, observed=True, sort=False)["number"]
    total, many = alike.agg("sum"), alike.size()
    off = (total - 1).abs()
    allowed = LAST_DIGIT * np.minimum(many, MOST_DIGITS) * (1 + inputs.SUM_TOLERANCE)
    decimals = _decimals(asked["number"].to_numpy(float))
    by_rounding = np.minimum(many * 0.5 * 10.0**-decimals, MOST_ROUNDED) + SAME if decimals else 0.0
    if rounded:
        allowed = np.maximum(allowed, by_rounding)
    if column is None:
        allowed = np.maximum(allowed, OF_PERCENT + SAME)
    wrong = total[off > allowed]
    if not wrong.empty:
        scenario, source = wrong.index[0][0], wrong.index[0][len(place_keys)]
        names = zip(keys, wrong.index[0][: len(place_keys) + 1], strict=False)
        here = np.logical_and.reduce([asked[key] == name for key, name in names])
        alone = column is not None and (asked["number"] <= 1).all() and (total > 0).all()
        divided: tuple[Part, ...] = (", and each is divided by their sum",)
        mend: tuple[Part, ...]
        if (off <= np.maximum(allowed, by_rounding)).all():
            way = Remedy({"probabilities": "rounded"})
            mend = (f"if they were rounded to {decimals} decimals, put ", way, *divided)
            mend = (*mend, "; else list every option once")
        elif column and abs(wrong.iloc[0] - 100) < 1:
            mend = ("if they are percentages, put ", Remedy({"columns.percent": column}))
        else:
            mend = ("list every option once, and divide by the sum",)
            if alone:
                way = Remedy({"probabilities": "one_vs_rest"})
                mend = (*mend, "; or if each option has a probability of its own, put ", way)
                mend = (*mend, *divided)
        raise answers.fault(
            "shares-not-one",
            f"the shares of {source!r} in scenario {scenario!r} sum to {wrong.iloc[0]:.9g}, not to "
            "one; ",
            *mend,
            row=asked[here].iloc[0],
        )
    if not (off > SAME).any():
        return answers
    sums = alike.transform("sum")
    exact = np.where((sums - 1).abs() > SAME, asked["number"] / sums, asked["number"])
    return replace(answers, rows=asked.assign(number=exact))


def _decimals(shares: np.ndarray) -> int:
    """Return how many decimals shares have, at least two; 0 if there are six or more."""
    shares = shares[shares <= 1]
    return next((d for d in DECIMALS if (np.abs(shares - np.round(shares, d)) < SAME).all()), 0)


def check_weights(answers: Answers, column: str) -> None:
    """Raise DataError if no answer to a scenario has a weight above 0."""
    rows = answers.rows[(answers.rows["reason"] < 0) & (answers.rows["number"] > 0)]
    weights = rows.groupby(places(rows), observed=True)["weight"].transform("sum")
    if (weights == 0).any():
        row = rows[weights == 0].iloc[0]
        raise answers.sheet.fault(
            "weights-all-zero",
            f"the weights of scenario {row['scenario']!r} are all 0; mend them, or delete the "
            "scenario",
            at=int(row["at"]),
            column=column,
        )
