"""The config's description of the files: the role of each column, and the cells without answers."""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from itertools import chain
from typing import Any

import pandas as pd

from fidelity_study.errors import BLANK, ErrorList, File, Remedy, fault
from fidelity_study.reading.settings import NUMBERS, TEXT, VECTOR
from fidelity_study.reading.tabular.columns import (
    as_answer,
    as_label,
    as_number,
    key_within,
    spelling,
    squashed,
)
from fidelity_study.reading.tabular.design import Design
from fidelity_study.reading.tabular.doubtful import reason_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.qsf import Codebook
from fidelity_study.reading.tabular.reading import Reading, fits
from fidelity_study.reading.tabular.remedies import VECTORS, ignoring, of_columns
from fidelity_study.reading.tabular.shown import meant, shown
from fidelity_study.reading.tabular.turned import refuse_raters, refuse_turned
from fidelity_study.reading.tabular.vector_columns import TIME, columns_of, reading_of
from fidelity_study.reading.tabular.words import (
    BESIDE_NAMES,
    OF_MODELS,
    SCENARIO_LIKE,
    SIMULATOR_LIKE,
    TRUTHS,
    VALUE_LIKE,
)
from fidelity_study.tables.ingest import (
    EVERY,
    NO_CLUSTER,
    NOT_ASKED,
    REASONS,
    REFUSED,
    TOTAL,
    UNDECIDED,
)

ROLES = (
    *("scenario", "simulator", "value", "count", "probability", "percent"),
    *("weight", "respondent", "question", "option", "loc", "scale", "family"),
)
AS_THEY_ARE = ("form", "unlisted", "family", "order", "people", "condition")
NAMED = ("groups", "multiple", "ranking", "attributes", "facts")
AMOUNTS = ("count", "probability", "percent", "weight")
QUESTION = "question"
USUAL = {"option": ["option", "answer_option"]}
LONG_ONLY = ("scenario", "value", "count", "probability", "option", "share", "question")
PROBABILITY_LIKE = {"prob", "probs", "forecast", "prediction"}
ALIKE = {"scenario": SCENARIO_LIKE, "value": VALUE_LIKE, "simulator": SIMULATOR_LIKE}
ALIKE |= {"probability": PROBABILITY_LIKE, "respondent": {"persona_id", "profile_id", "personaid"}}
SENTENCE = re.compile(r"(?!.*[|;])(\S*[^\W\d]\S*\s+){2,}\S+", re.DOTALL)
FEWEST_WIDE, MOST_STEPS = 6, 11
MODELS, SCORES = {"model", "llm"}, {"score", "correct", "accuracy", "acc"}


@dataclass(frozen=True)
class Layout:
    """The part of a dataset's settings that tells how to read its files.

    Attributes:
        form: long or wide; None to tell by the columns.
        columns: the user's column, or columns for ``simulator``, by role.
        ignored: columns that are not read, among them those that describe respondents.
        questions: the columns of wide files that are questions, with * for any signs; None for all
            columns without another role.
        reasons: spellings that stand for no answer, with the reason.
        missing_in: spellings that do so in some scenarios only, by the scenario's name, with * for
            any signs.
        unlisted: the reason to record where a simulator's text is none of the listed options; None
            if such texts are refused.
        recode: labels that are read as others.
        known: labels of the options that the config or the file of scenarios lists, and texts that
            the codebook says are options.
        fractional: whether people's counts may be fractions, since the weighting_effect is known.
        cluster: the column of scenarios' clusters.
        reading: how files are to be read.
        personas: the columns that describe respondents, or a text with their names in braces.
        design: how people were sampled, None if they are taken as drawn at random.
        groups: the columns of the groups that are asked; none if all people are one.
        family: of distributions by location and scale: normal or cauchy, by simulator if they
            differ; None if the config does not say.
        one_vs_rest: whether probabilities of options are divided by their sum.
        rounded: whether shares were rounded to the decimals that they have.
        by_respondent: whether each respondent's answers are kept even if there are very many.
        order: the column that numbers the scenarios in the order asked; None for the file's order.
        base: how many people percentages are of, a number or a column; None if not told.
        totals: labels of answers that are sums of others.
        multiple: the questions of multiple choice, with * for any signs.
        ranking: the columns of rankings, with * for any signs.
        people: what the column of simulators calls people, where a file has both.
        codebook: the questions of the survey that people answered, with their options.
        names_of: the names of questions by the spelling of their wording, as a file tells.
        attributes: the columns of a conjoint's attributes, where a row is a profile.
        facts: the columns of facts on persons that are kept beside their answers.
        condition: the column of an experiment's conditions, in several of which one may be.
        own_words: whether answers are texts in people's own words, which may go over lines.
        is_scale: whether the config says that options have an order.
        asked: people's questions, where a simulator's file is read.
        not_asked: columns of people's file that ``questions`` leaves out.
        of_people: the names of all its columns, without capitals and signs, if it is known.
        coded: what the study's codebook says of single questions and texts.
    """

    form: str | None
    columns: Mapping[str, str | list[str]]
    ignored: frozenset[str]
    questions: tuple[str, ...] | None
    reasons: Mapping[str, str]
    missing_in: Mapping[str, frozenset[str]]
    unlisted: str | None
    recode: Mapping[str, str]
    known: frozenset[str]
    fractional: bool
    cluster: str
    reading: Reading
    personas: str | list[str]
    design: Design | None = None
    groups: tuple[str, ...] = ()
    family: str | Mapping[str, str] | None = None
    one_vs_rest: bool = False
    rounded: bool = False
    by_respondent: bool = False
    order: str | None = None
    base: str | None = None
    totals: frozenset[str] = frozenset()
    multiple: tuple[str, ...] = ()
    ranking: tuple[str, ...] = ()
    people: str | None = None
    codebook: Codebook | None = None
    names_of: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    condition: str | None = None
    own_words: bool = False
    is_scale: bool = False
    asked: frozenset[str] = frozenset()
    not_asked: frozenset[str] = frozenset()
    of_people: frozenset[str] = frozenset()
    coded: Mapping[str, Any] = field(default_factory=dict)

    @property
    def meaning(self) -> Callable[[str | None], str | int]:
        """Return the function from a cell's text to an answer's label, or a reason for none."""
        return partial(
            as_answer,
            reasons=self.reasons,
            known=self.known,
            recode=self.recode,
            may_have_lines=self.unlisted is not None or self.own_words,
        )

    @classmethod
    def of(cls, step: dict) -> "Layout":
        """Take the layout from the params of the ingest step."""
        options = step["options"]
        missing = options.get("missing", {})
        by_reason = missing if isinstance(missing, dict) else _by_reason(missing)
        reasons = {as_label(mark): reason for reason, marks in by_reason.items() for mark in marks}
        missing_in = {
            pattern: frozenset(map(as_label, marks))
            for pattern, marks in options.get("missing_in", {}).items()
        }
        coded = options.get("coded", {})
        unasked = _unasked(coded.get("means", ()), missing_in)
        decided = [*coded.get("options", ()), *(entry["text"] for entry in coded.get("means", ()))]
        as_given: dict[str, Any] = {name: options.get(name) for name in AS_THEY_ARE}
        as_given |= {name: tuple(options.get(name, ())) for name in NAMED}
        columns = {
            **({"weight": options["weight"]} if "weight" in options else {}),
            **options.get("columns", {}),
        }
        personas = options.get("personas", [])
        ignored = [*options.get("ignore", []), *persona_columns(personas), *as_given["facts"]]
        values = [*columns.values(), *as_given.values(), coded.get("columns")]
        naming = ([part] if isinstance(part, str) else part or () for part in values)
        return cls(
            **as_given,
            columns=columns,
            ignored=frozenset(ignored).difference(as_given["groups"]),
            questions=tuple(options["questions"]) if "questions" in options else None,
            reasons=reasons,
            missing_in=missing_in,
            recode={as_label(old): as_label(new) for old, new in options.get("recode", {}).items()},
            known=frozenset(map(as_label, [*step["outcome"].get("levels", []), *decided])),
            fractional=step["weighting_effect"] is not None,
            # By question or group they are clustered as soon as the questions have groups.
            cluster=NO_CLUSTER if by_question_or_group(step) else step["cluster"],
            reading=replace(
                reading_of(options),
                custom_id=options.get("custom_id"),
                codes=not options.get("value_labels", step["outcome"]["kind"] not in NUMBERS),
                missing=frozenset([*reasons, *unasked.pop(EVERY, ())]),
                missing_in={**missing_in, **unasked},
                vectors=step["outcome"]["kind"] == VECTOR,
                named=frozenset(chain.from_iterable(naming)),
                ignored={EVERY: options.get("ignore", ()), **coded.get("ignored", {})},
            ),
            personas=personas,
            design=Design.of(options.get("design")),
            one_vs_rest=options.get("probabilities") == "one_vs_rest",
            rounded=options.get("probabilities") == "rounded",
            by_respondent=step.get("by_respondent", False) or "attributes" in options,
            base=str(options["base"]) if "base" in options else None,
            totals=frozenset(map(as_label, options.get("totals", ()))),
            own_words=step["outcome"]["kind"] == TEXT,
            is_scale=step["outcome"]["kind"] == "ordinal",
            coded=coded,
        )

    def knowing(self, labels: Iterable[str]) -> "Layout":
        """Return the same layout with more known options."""
        return replace(self, known=self.known | frozenset(labels))

    def beside(self, people: Sheet, labels: Iterable[str]) -> "Layout":
        """Return the layout of simulators' files: people's ``labels`` are options there, too."""
        left = [name for name in people.columns if not self.asks(name, people.columns)]
        ignored = self.ignored | {*people.in_own_words}
        known = replace(self.knowing(labels), of_people=frozenset(map(squashed, people.columns)))
        return replace(known, ignored=ignored, not_asked=frozenset(left))

    def allows_several(self, name: str) -> bool:
        """Return whether several options of a question may be chosen, called so or by its key."""
        return any(
            fits(name, pattern) or fits(key_within(name), pattern) or name == key_within(pattern)
            for pattern in self.multiple
        )

    def asks(self, name: str, names: Container[str] = ()) -> bool:
        """Return whether ``questions`` leave a column in, called as it is or by its wording."""
        called = (name, self.names_of.get(spelling(name), name))
        patterns = (name,) if self.questions is None else self.questions
        return any(fits(one, pattern, names) for one in called for pattern in patterns)

    def column(self, sheet: Sheet, role: str) -> str | None:
        """Return the sheet's column for a role, None if it has none.

        Where the config's name is not there, the usual one is taken: of two files, only one may
        need the config's name.
        """
        of_file = self.coded.get("roles", {}).get(sheet.path, {})
        given = [by[role] for by in (self.columns, sheet.roles) if role in by]
        is_other = role in (name for other, name in self.columns.items() if other != role)
        is_other = is_other or sheet.tells_all
        asked = (*(self.questions or ()), *self.coded.get("columns", ()))
        by_name = [name for name in USUAL.get(role, [role]) if name not in asked]
        taken = [name for other in of_file if other != role for name in of_file[other]]
        usual = [name for name in [*given, *(() if is_other else by_name)] if name not in taken]
        named = [*of_file.get(role, ()), *usual]
        if role == "scenario" and self.groups:
            named.append(QUESTION)
        if role == "respondent":  # of a file that spells the column otherwise
            by_file = self.coded.get("roles", {}).values()
            theirs = [name for roles in by_file for name in roles.get(role, ())]
            alike = {squashed(name) for name in [*given, *theirs]}
            named += [name for name in sheet.columns if squashed(name) in alike]
        there = self.columns_of(sheet)
        return next((name for name in named if name in there), None)

    def named(self, sheet: Sheet, role: str) -> str | None:
        """Return the sheet's column for a role that the config or the file names."""
        return self.column(sheet, role) if role in {*self.columns, *sheet.roles} else None

    def percent_of(self, sheet: Sheet) -> str | None:
        """Return the sheet's column of percentages, None if it has none.

        One that only its name says to be so gives way to a column of counts, or of probabilities.
        """
        is_usual = any(map(partial(self.column, sheet), ("count", "probability")))
        return (self.named if is_usual else self.column)(sheet, "percent")

    def marks_of(self, name: str) -> dict[str, str]:
        """Return the texts that stand for no answer to a question, in all files, and why."""
        here = [marks for pattern, marks in self.missing_in.items() if fits(name, pattern)]
        stated = self.coded.get("reasons", {}).get(name, {})
        return {**self.reasons, **{mark: reason_of(mark) for mark in chain(*here)}, **stated}

    def wordings(self, sheet: Sheet) -> dict[str, pd.Series]:
        """Return the column of wordings beside that of questions, by its name; none without one.

        It is named, or has a usual name, and the same text in all rows of a question; or it has
        another sentence for each question, in several rows.
        """
        scenario, named = self.column(sheet, "scenario"), self.columns.get(QUESTION)
        if scenario is None:
            return {}
        there = [name for name in self.columns_of(sheet) if name != scenario]
        usual = [
            name
            for name in there
            if name == named or re.sub(r"[\W_]+", " ", name.casefold()) in BESIDE_NAMES
        ]
        for name in usual[:1] or self._sentences(sheet, scenario, there):
            texts = sheet.distinct([scenario, name]).groupby(scenario)[name]
            return {name: texts.first()} if texts.size().eq(1).all() else {}
        return {}

    def _sentences(self, sheet: Sheet, scenario: str, names: Sequence[str]) -> list[str]:
        """Return the columns without a role that have a text of some words for each question."""
        roles = {*self.simulators_of(sheet), *(self.column(sheet, role) for role in ROLES)}
        texts = values_of(sheet, [scenario, *(name for name in names if name not in roles)])
        asked = texts.pop(scenario)
        return [
            name
            for name, several in texts.items()
            if 1 < len(several) == len(asked) < sheet.size and all(map(SENTENCE.fullmatch, several))
        ]

    def columns_of(self, sheet: Sheet) -> list[str]:
        """Return the sheet's columns without the ignored ones."""
        return [name for name in sheet.columns if name not in self.ignored]

    def group_of(self, sheet: Sheet, name: str) -> str | None:
        """Return the sheet's column of a group, whose name may be spelled otherwise there."""
        named = self.coded.get("groups", {}).get(sheet.path, {}).get(name, name)
        spelled = [one for one in self.columns_of(sheet) if squashed(one) == squashed(name)]
        only = spelled if len(spelled) == 1 and spelled[0] not in self.groups else []
        return next((one for one in (named, *only) if one in sheet.columns), None)

    def groups_of(self, sheet: Sheet) -> list[str]:
        """Return the sheet's columns of groups; those that are not there by their usual name."""
        return [self.group_of(sheet, name) or name for name in self.groups]

    def in_file(self, path: str) -> "Layout":
        """Return the layout without the columns that are ignored in a file only."""
        ignored = self.coded.get("ignored", {}).get(path, ())
        return replace(self, ignored=self.ignored.union(ignored)) if ignored else self

    def needed(self, sheet: Sheet, role: str) -> str:
        """Return the sheet's column for a role; raise DataError if it has none."""
        name = self.column(sheet, role)
        if name is None:
            raise sheet.fault(
                "no-column",
                f"has no column {self.columns.get(role, role)!r}; there are: {listed(sheet)}; "
                "add it, or name yours, ",
                of_columns(**{role: BLANK}, likely=alike(sheet, role)),
            )
        return name

    @property
    def simulators(self) -> list[str]:
        """The columns that together name who answers."""
        named = self.columns.get("simulator", ["simulator"])
        return [named] if isinstance(named, str) else named

    @property
    def simulators_in_cells(self) -> dict[str, list[str]]:
        """The columns that do so in each file for which cells name them."""
        roles = self.coded.get("roles", {}).items()
        return {path: of_file["simulator"] for path, of_file in roles if "simulator" in of_file}

    def simulators_of(self, sheet: Sheet) -> list[str]:
        """Return the same as a sheet has them in order, by their usual name where it has this.

        Those that cells name in other files alone are of these files.
        """
        if (name := self.likely_simulators_of(sheet)) is not None:
            return [name]
        there = self.columns_of(sheet)
        elsewhere = {*chain(*self.simulators_in_cells.values())}.difference(there)
        left = [name for name in self.simulators if name not in elsewhere]
        wanted = self.simulators_in_cells.get(sheet.path) or left or self.simulators
        named = [name for name in there if name in wanted]
        absent = [name for name in wanted if name not in there]
        return ["simulator"] if "simulator" in there and not named else [*named, *absent]

    def likely_simulators_of(self, sheet: Sheet) -> str | None:
        """Return the column that only by its name says who answers; None if there is none."""
        name = sheet.roles.get("simulator")
        is_else = "simulator" in self.columns or name in {*self.ignored, *self.groups_of(sheet)}
        return None if is_else else name

    def form_of(self, sheet: Sheet) -> str:
        """Return the form of a sheet: from the config, or else from its columns."""
        if sheet.codebook is not None:
            raise sheet.fault(
                "no-answers",
                "has questions and no answers; take it out of the files of answers, and put ",
                Remedy({"scenarios": sheet.path}, is_offered=False),
            )
        if self.form is not None:
            return self.form
        if {*(self.questions or ())} & {*self.columns_of(sheet)}:
            return "wide"  # a question is a column
        has = {role for role in ROLES if self.column(sheet, role) is not None}
        refuse_raters(sheet, self.columns_of(sheet))
        if "scenario" in has and self._states_margins(has):
            return "forecasts"
        if "scenario" in has and has & {"value", "option"}:
            return "long"
        states = "probability" in has or self.percent_of(sheet) or {"loc", "scale"} <= has
        if "scenario" in has and states:
            return "forecasts"
        folded = {name.casefold() for name in self.columns_of(sheet)}
        of_scores = sorted(folded & (MODELS | SCORES))
        if folded & MODELS and folded & SCORES:
            raise sheet.fault(
                "table-of-scores",
                f"has columns {', '.join(of_scores)}, as tables of scores do; models are "
                "compared by their scores in a config, under evaluations, as in "
                "docs/howto/evaluations.md; if they are answers, call their columns scenario and "
                "value",
            )
        if not has - {"scenario", "simulator", "question", "option"}:
            refuse_turned(sheet, self.columns_of(sheet))
        folded -= {name.casefold() for name in self.coded.get("columns", ())}
        if roles := [role for role in LONG_ONLY if role in has or role in folded]:
            are_vectors = columns_of(sheet.path, sheet.columns) is not None
            if "value" not in has and (are_vectors or TIME in sheet.columns):
                what = "vectors" if are_vectors else f"a column {TIME}, as paths have"
                raise sheet.fault(
                    "vectors-without-kind",
                    f"has {what}, and no column of answers; if answers are vectors or paths, put ",
                    VECTORS,
                    ", and name the column of answers or of paths' values, ",
                    of_columns(value=BLANK, likely=alike(sheet, "value")),
                    also=[self._unnamed(sheet, has)],
                )
            column = self.column(sheet, roles[0]) or roles[0]
            role = "" if column == roles[0] else f" ({roles[0]})"
            usual = {column.casefold(), *roles}
            named = [name for name in sheet.columns if name.casefold() in usual]
            if roles[0] not in self.columns and self._is_likely_wide(sheet, named):
                raise sheet.fault(
                    "long-name",
                    f"has a column {named[0]!r}{role}, as files have where each row is an answer, "
                    f"and {len(sheet.columns) - len(named)} others, as a wide file has; if it is "
                    "a question, put ",
                    Remedy({"a_question": named}),
                )
            raise sheet.fault(
                "unclear-form",
                f"has a column {column!r}{role}, but the form is not clear from its columns "
                f"({listed(sheet)}): long files have scenario and value; say which columns these "
                "are, or put ",
                Remedy({"form": "wide"}),
                " if each column is a scenario",
                also=[
                    *(of_columns(probability=name) for name in alike(sheet, "probability")[:1]),
                    *(
                        of_columns(**{needed: BLANK}, likely=alike(sheet, needed))
                        for needed in ("scenario", "value")
                        if needed not in sheet.columns and role != f" ({needed})"
                    ),
                    self._unnamed(sheet, has),
                ],
            )
        return "wide"

    def _is_likely_wide(self, sheet: Sheet, names: Sequence[str]) -> bool:
        """Return whether few columns beside many of few values are called as those of a long file.

        None is called as one of questions is.
        """
        others = [name for name in self.columns_of(sheet) if name not in names]
        few = [n for n, cells in values_of(sheet, others).items() if 1 < len(cells) <= MOST_STEPS]
        return not alike(sheet, "scenario") and len(few) >= FEWEST_WIDE * len(names)

    def _unnamed(self, sheet: Sheet, has: set[str]) -> Remedy:
        """Return that a user says what the columns are that have no role."""
        named = {self.column(sheet, role) for role in has}
        return Remedy({"a_column": [name for name in sheet.columns if name not in named]})

    def _states_margins(self, has: set[str]) -> bool:
        """Return whether a file has locations and scales, and the config says they are read."""
        is_stated = self.family is not None or "family" in self.columns
        return is_stated and {"loc", "scale"} <= has

    def check_columns(self, sheets: list[Sheet], dataset: str) -> None:
        """Raise DataError if the config names columns that none of the files has."""
        faults = ErrorList()
        there = list(dict.fromkeys(name for sheet in sheets for name in sheet.columns))
        for role, named in self.columns.items():
            for name in [named] if isinstance(named, str) else named:
                if name not in there:
                    files = [(File(sheet.path), f" has {listed(sheet)}; ") for sheet in sheets]
                    faults.faults.append(
                        fault(
                            "no-such-column",
                            f"no file has a column {name!r}: ",
                            *chain(*files),
                            meant(name, there, "name one of these"),
                            key=f"datasets.{dataset}.columns.{role}",
                        )
                    )
        faults.refuse()

    def check_no_typo(self, sheet: Sheet, known: list[str]) -> None:
        """Raise DataError if an unknown column looks like one that is not there."""
        absent = [role for role in known if not (sheet.tells_all or self.column(sheet, role))]
        for name in sheet.columns:
            if name in known or name in self.columns.values() or name in self.ignored:
                continue
            if close := get_close_matches(name.casefold(), absent, n=1, cutoff=0.8):
                is_role = close[0] in ROLES
                cells = values_of(sheet, [name])[name]
                if close[0] in AMOUNTS and all(as_number(text) is None for text in cells):
                    continue
                raise sheet.fault(
                    "likely-typo",
                    f"did you mean {close[0]!r}? rename it, or list it"
                    f" under {'columns' if is_role else 'ignore'}",
                    column=name,
                    also=[of_columns(**{close[0]: name}) if is_role else ignoring(name)],
                )


def by_question_or_group(step: dict) -> bool:
    """Return whether a scenario's question, or one of its groups, is its cluster."""
    groups = step["options"].get("groups", ())
    return bool(groups) and step["cluster"] in (QUESTION, *groups)


def persona_columns(personas: str | list[str]) -> list[str]:
    """Return the columns that say who a respondent is: a list, or those in a text's braces."""
    return re.findall(r"\{([^{}]+)\}", personas) if isinstance(personas, str) else personas


def alike(sheet: Sheet, role: str) -> list[str]:
    """Return the columns that may be what a role says, by their names.

    Of several that may say who answers, those of models, and not of where these are from.
    """
    names = [name for name in sheet.columns if name.casefold() in ALIKE.get(role, ())]
    best = [name for name in names if role == "simulator" and name.casefold() in OF_MODELS]
    truth = [name for name in sheet.columns if role == "value" and name.casefold() in TRUTHS]
    return best or names or truth


def values_of(sheet: Sheet, columns: Iterable[str]) -> dict[str, list[str]]:
    """Return the different cells among the first rows of columns, empty ones left out."""
    values = {}
    for name, cells in sheet.cells(columns).items():
        used = cells.dictionary.take(cells.indices.drop_null().unique())
        values[name] = [text.strip() for text in used.to_pylist()]
    return values


def listed(sheet: Sheet) -> str:
    """Return the sheet's columns in words, the first ten of them."""
    return shown(sheet.columns, how=str)


def _unasked(
    meanings: Iterable[Mapping[str, Any]], marked: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """Return the codes that count for nothing, by question, or under ``*``, and marks there."""
    unasked: dict[str, frozenset[str]] = {}
    for entry in (entry for entry in meanings if entry["means"] in (NOT_ASKED, TOTAL)):
        for name in entry["questions"] or [EVERY]:
            others = unasked.get(name, marked.get(name, frozenset()))
            unasked[name] = others | {as_label(entry["text"])}
    return unasked


def _by_reason(marks: Sequence[str | float]) -> dict[str, list[str | float]]:
    """Return spellings that stand for no answer by the reason that they say, if they say one."""
    by_reason: dict[str, list[str | float]] = {UNDECIDED: [], REFUSED: [], REASONS[0]: []}
    for mark in marks:
        by_reason[reason_of(as_label(mark))].append(mark)
    return by_reason
