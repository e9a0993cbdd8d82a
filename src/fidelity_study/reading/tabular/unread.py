"""Columns without a role: refused where they may be counts, and otherwise reported.

A row of a long file is one answer unless a column says how many. Suppose that counts stand in a
column of an unknown name. Then each row would be read as one answer, and all shares would be wrong.
So a column of numbers without a role is refused in two cases: if it has a usual name of counts,
shares or weights, or if each answer stands at most once in its scenario, or once for each group of
people.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from pandas.api.typing import SeriesGroupBy

from fidelity_study.errors import BLANK, Part, Remedy
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import NOTHING, Cells, as_number, squashed
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import alike
from fidelity_study.reading.tabular.percentages import are_percent, of_percent
from fidelity_study.reading.tabular.remedies import ignoring, in_pandas, of_columns
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import BASES
from fidelity_study.tables.ingest import HUMAN

COUNTS = {"n", "nn", "num", "cnt", "freq", "freqs", "frequency", "frequencies", "tally", "total"}
COUNTS |= {"count", "counts", "votes", "people", "persons", "respondents", "answers", "responses"}
COUNTS |= {"obs", "nobs", "cases", "hits", "anzahl"}
SHARES = {"p", "pr", "prob", "probs", "proba", "share", "shares", "prop", "proportion"}
SHARES |= {"frac", "fraction", "pct", "perc", "percent", "percentage", "probability"}
PERCENTS = {"pct", "perc", "percent", "percentage", "percentages", "prozent", "procent"}
PERCENTS |= {"pourcentage", "porcentaje", "porcentagem", "percentuale"}
SHARES |= PERCENTS
SHARES |= {"logprob", "logprobs", "logp", "logits", "logit"}
WEIGHTS = {"w", "wt", "wts", "wgt", "wgts", "weight", "weights", "pweight", "pweights", "gewicht"}
WEIGHTS |= {"gew", "hgew", "poids", "peso", "pesos", "pond", "pondera", "fexp", "factorexp", "vikt"}
WEIGHTS |= {"vægt", "vekt", "paino", "painokerroin", "waga", "váha", "vaha", "kaal", "súly"}
WEIGHTS |= {"ağırlık", "agirlik", "вес", "权重", "加权", "가중치", "重み", "ウエイト"}
WEIGHT_LIKE = re.compile(
    "weight|wgt|wght|gewicht|pond[e\u00e9]r|poids|hochrechn|expfact|expansi[o\u00f3]n|^wt(?!p$)|wt$"
)
EXPANDS = {"fac", "factor", "facteur", "fator", "fattore", "faktor"}
BESIDE = {"of", "log", "raw", "valid", "weighted", "unweighted", "wtd"}
FORECASTS = {"prob", "probs", "proba", "probability", "forecast", "prediction", "pred"}
WORD = re.compile(r"[^\W\d_]+")
AMOUNT = re.compile(r"[<>≤≥=~≈]*\s*([+-]?\d[\d\s.,'’]*)(%|\(.*\)|(?<=\s)[^\W\d]+)?")
LOOKED_AT = 50_000
FEW, SHORT = 0.5, 2
MOST_WORDS = 0.9
BESIDE_FIRST, LEAST_BESIDE = 1 / 3, 4


@dataclass(frozen=True)
class Table:
    """Facts on the rows of a long file, and whether the first look like a table of counts.

    Attributes:
        sheet: the file.
        left: the columns that are not read.
        scenario: the column of the scenarios.
        value: the column of the answers.
        by: the columns that name who answers, or describe the person.
        source: the name of the source if all of the file is from one, else None.
        counted: whether a column tells the number of answers, or the probability, of a row.
        weight: the column of the weights of rows, None if there is none.
        repeat: whether a person answers several scenarios; None if no column names the persons.
        groups: the columns of the groups that scenarios are put to.
        ignored: the columns that the config ignores.
    """

    sheet: Sheet
    left: list[str]
    scenario: str
    value: str
    by: list[str]
    source: str | None
    counted: bool
    weight: str | None
    repeat: bool | None
    groups: Sequence[str] = ()
    ignored: Sequence[str] = ()

    @cached_property
    def once(self) -> bool:
        """Whether each answer stands at most once where there are several in a scenario.

        Spellings count as different: 1 and 1.0 are two answers.
        """
        return bool(self._is_later([self.scenario, *self.by]).any())

    @property
    def once_by_group(self) -> bool:
        """Whether it does so overall, or in each group of people."""
        return bool(self.keys)

    @cached_property
    def keys(self) -> list[str]:
        """The columns in whose values each answer stands once: question, person and group.

        Groups are named, or columns of words that repeat, ignored ones only if they are needed.
        Persons whose words are the same may differ in their answers by chance. So a table must have
        several answers in most groups: at least a third of its rows come after the first row of
        their group. Nothing if no columns do so.
        """
        by = [self.scenario, *self.by]
        if self.once:
            return by
        given = self._head([*self.left, *self.ignored])
        for words in (self.left, [*self.left, *self.ignored]):
            groups = [*self.groups, *(name for name in words if _are_groups(given[name]))]
            names = list(dict.fromkeys([*by, *groups]))
            is_later = self._is_later(names)
            if is_later.mean() >= BESIDE_FIRST and is_later.sum() >= LEAST_BESIDE:
                return names
        return []

    @cached_property
    def bases(self) -> list[str]:
        """The columns that repeat a number of people over the options of a question and group."""
        names = [name for name in self.left if squashed(name) in BASES or _is_one_of(COUNTS, name)]
        return [name for name in names if self.once_by_group and self._repeats(name)]

    def grouped(self, numbers: np.ndarray) -> SeriesGroupBy:
        """Return the numbers of a column by question, person and group."""
        return pd.Series(numbers).groupby([_hashed(self.sheet, name) for name in self.keys])

    def _repeats(self, name: str) -> bool:
        here = self.grouped(_numbers(self.sheet, name)[0])
        return bool((here.nunique() == 1).all() and (here.size() > 1).mean() > FEW)

    def _head(self, columns: list[str]) -> pd.DataFrame:
        columns = list(dict.fromkeys([self.value, *columns]))
        given = self.sheet.frame(columns).head(LOOKED_AT)
        return given.dropna(subset=self.value)

    def _is_later(self, by: list[str]) -> pd.Series:
        """Return which answers have another one before them; none if one is there twice."""
        given = self._head(by)
        return given.duplicated(by) & ~given.duplicated([*by, self.value]).any()

    def may_weigh(self, name: str) -> bool:
        """Return whether a column may hold people's weights, by its name, and as none else does."""
        return self.source == HUMAN and self.weight is None and is_weight(name)


def _are_groups(cells: pd.Series) -> bool:
    """Return whether cells are words that repeat."""
    different = cells.dropna().unique()
    words = [text for text in different if np.isnan(_amount(text.strip()))]
    return 0 < len(different) <= FEW * len(cells) and len(words) > FEW * len(different)


def refuse_amounts(table: Table) -> None:
    """Raise DataError if a row of the file may not stand for what it is taken for.

    A column that is not read may say how many answers, what probability, or what weight a row
    stands for; or weights may be sums over people.
    """
    sheet, left = table.sheet, table.left
    if table.source == HUMAN:
        _refuse_forecasts(table)
    is_weighted = table.weight and not table.counted and table.repeat is None
    if is_weighted and _are_sums(table, str(table.weight)):
        raise sheet.fault(
            "weights-of-counts",
            "each answer stands only once in its scenario, or in each group of people there, as in "
            "a file of counts, but each row would be one person of this weight; if these are "
            "counts or sums of weights, call the column count (sums need a ",
            Remedy({"weighting_effect": BLANK}, is_key=True),
            ", too); if each row is a person, name that person in a column respondent",
            column=table.weight,
            also=[of_columns(respondent=BLANK)],
        )
    beside = table.bases if any(map(is_share, left)) else []  # of so many people are the shares
    for name in sorted(left, key=lambda name: not is_usual_amount(name)):
        if name in beside or not _suspect(name, table):
            continue
        numbers, filled = _numbers(sheet, name)
        if _may_be_amounts(name, numbers, filled, table):
            raise sheet.fault("unread-amounts", *_remedy(name, numbers, table), column=name)


def _refuse_forecasts(table: Table) -> None:
    """Raise DataError if people's file has columns of probabilities beside outcomes.

    Where each question has one row, a column of probabilities may have any name.
    """
    sheet, left, scenario = table.sheet, table.left, table.scenario
    may_be = [name for name in left if _is_forecast(name)]
    if len(may_be) < len(left) and pd.Index(_hashed(sheet, scenario)).is_unique:
        may_be = [name for name in left if name in may_be or not is_usual_amount(name)]
    if stated := [name for name in may_be if _are_probabilities(_numbers(sheet, name)[0])]:
        cells = sheet.frame([scenario, *left])
        by_question = cells.groupby(scenario)
        whose = [
            name
            for name in left
            if name in alike(sheet, "simulator")
            or (_are_groups(cells[name]) and by_question[name].nunique().max() > 1)
        ]
        roles: dict = {"scenario": scenario, "value": table.value, "probability": stated[0]}
        roles |= {"simulator": whose} if whose else {}
        theirs = shown([scenario, *whose, stated[0]])
        if not whose and len(stated) > 1:
            roles["probability"] = "probability"
            turned = f'table.melt({[scenario]}, {stated}, "simulator", "probability")'
            theirs = f"simulator and probability, {in_pandas(turned)}"
        raise sheet.fault(
            "people-state-probabilities",
            f"{shown(stated)}: probabilities beside outcomes, and not read; make two files of it: "
            f"one with {shown([scenario, table.value])}, each row once, and one with {theirs}; "
            "name these in this order, and put ",
            Remedy({f"columns.{role}": name for role, name in roles.items()}, is_offered=False),
            *(() if whose else ("; or if they are no forecasts, put ", ignoring(*stated))),
        )


def refuse_forecasts(people: Answers) -> None:
    """Raise DataError if a wide file that stands alone has columns of probabilities."""
    rows = people.answered
    doubts = people.doubts or ()
    names = [n for n in rows["scenario"].unique() if n not in doubts or _is_forecast(n)]
    given = rows[rows["scenario"].isin(names)].groupby("scenario", observed=True)["label"]
    cells = {str(name): labels.map(as_number).to_numpy(float) for name, labels in given}
    if stated := [name for name in cells if _are_probabilities(cells[name])]:
        raise people.sheet.fault(
            "people-state-probabilities",
            f"{shown(stated)}: probabilities, as of forecasts; if so, make two files of it: one of "
            "what came true, with columns scenario and value, and one with scenario, simulator and "
            "probability; name these in this order; or if they are no forecasts, put ",
            ignoring(*stated),
            " or name the questions, ",
            Remedy({"questions": [BLANK]}),
        )


def _is_forecast(name: str) -> bool:
    """Return whether a name has a word that usually means a forecast."""
    return bool({*WORD.findall(name.casefold())} & FORECASTS)


def _are_probabilities(numbers: np.ndarray) -> bool:
    """Return whether all numbers are from 0 to 1, and some are neither."""
    known = numbers[~np.isnan(numbers)]
    return bool(((known >= 0) & (known <= 1)).all() and (known % 1 > 0).any())


def is_usual_amount(name: str) -> bool:
    """Return whether a name is a usual one of counts, shares or weights, or made of one."""
    return name.casefold() in WEIGHTS or _is_one_of(COUNTS | SHARES, name)


def is_share(name: str) -> bool:
    """Return whether a name is a usual one of shares or percentages, or made of one."""
    return _is_one_of(SHARES, name) or "%" in name


def is_percent(name: str) -> bool:
    """Return whether a name is a usual one of percentages."""
    return "%" in name or bool({*WORD.findall(name.casefold())} & PERCENTS)


def is_weight(name: str) -> bool:
    """Return whether a name is a usual one of survey weights, in several languages."""
    plain = [] if "%" in name else WORD.findall(name.casefold())
    named = {*plain} & WEIGHTS - ({"w"} if plain[1:] else set())  # w1 to w3 are waves
    return bool(named) or any(WEIGHT_LIKE.search(word) for word in plain)


def expands(name: str) -> bool:
    """Return whether a name is one of factors, as of expansion: weights if cells are numbers."""
    return not EXPANDS.isdisjoint(WORD.findall(name.casefold()))


def _is_one_of(names: set[str], column: str) -> bool:
    """Return whether a column has one of these names, or one made of them: ``N.``, ``n_obs``."""
    words = set(WORD.findall(column.casefold()))
    return bool(words & names) and words <= COUNTS | SHARES | BESIDE


def _are_sums(table: Table, weight: str) -> bool:
    """Return whether the weights may be counts, or sums over people, of each answer."""
    if table.once:
        return True
    if not table.once_by_group:
        return False
    numbers, _ = _numbers(table.sheet, weight)
    return bool(((numbers % 1 == 0) & (numbers > 1)).mean() > FEW)


def _suspect(name: str, table: Table) -> bool:
    """Return whether a column has to be examined."""
    if table.may_weigh(name):
        return True
    if table.counted or table.repeat:
        return False
    if table.repeat is None:
        return _is_one_of(COUNTS | SHARES, name) or table.once_by_group
    # Where no person comes twice, their column may be one that numbers the table.
    return is_usual_amount(name) and table.once_by_group


def _numbers(sheet: Sheet, column: str) -> tuple[np.ndarray, int]:
    """Return a column's numbers, NaN where there is none, and how many cells are not empty."""
    cells = Cells.of(sheet, column)
    texts = [(text or "").strip() for text in cells.texts]
    filled = np.array([bool(text) and text.casefold() not in NOTHING for text in texts])
    numbers = np.array([_amount(text) for text in texts])
    return numbers[cells.place], int(filled[cells.place].sum())


def _amount(text: str) -> float:
    """Return the number in a cell such as ``<5``, ``1 234``, ``77 %`` or ``41 (77%)``, or NaN."""
    amount = AMOUNT.fullmatch(text) if as_number(text) is None else None
    plain = re.sub(r"[\s'’]", "", amount[1]) if amount else text
    if plain.count(",") > 1 or "." in plain:
        plain = plain.replace(",", "")
    if plain.count(".") > 1:
        plain = plain.replace(".", "")
    number = as_number(plain.replace(",", "."))
    return np.nan if number is None else number


def _may_be_amounts(column: str, numbers: np.ndarray, filled: int, table: Table) -> bool:
    """Return whether a column may hold counts, shares or weights; it needs a number at least.

    Columns with other names than the usual ones may not in these cases: most cells are words, a
    number is below 0, all rows of a scenario have the same, or the numbers number its rows. Those
    called by a letter, such as ``p``, may not if they are whole numbers beyond 1.
    """
    known = ~np.isnan(numbers)
    if not known.any():
        return False
    if _is_one_of(SHARES, column) and not table.once_by_group:
        return len(column) > SHORT or not (_whole(numbers) and np.nanmax(numbers) > 1)
    if is_usual_amount(column):
        return True
    if table.may_weigh(column):
        several = len(np.unique(numbers[known])) > 1
        if several and np.nanmin(numbers) >= 0 and known.sum() >= MOST_WORDS * filled:
            return True
    if known.sum() < FEW * filled or np.nanmin(numbers) < 0:
        return False
    scenario = _hashed(table.sheet, table.scenario)
    cells = pd.DataFrame({"scenario": scenario, "number": numbers})
    cells["step"] = cells["number"] - cells.groupby("scenario").cumcount()
    distinct = cells.groupby("scenario")[["number", "step"]].nunique()
    return bool((distinct > 1).any().all())


def _hashed(sheet: Sheet, column: str) -> np.ndarray:
    cells = Cells.of(sheet, column)
    hashes: np.ndarray = pd.util.hash_array(np.array(cells.texts, object), categorize=False)
    return hashes[cells.place]


def _whole(numbers: np.ndarray) -> bool:
    return bool((numbers[~np.isnan(numbers)] % 1 == 0).all())


def _remedy(column: str, numbers: np.ndarray, table: Table) -> tuple[Part, ...]:
    """Return the advice what to write into the config."""
    ways: list[Part] = []
    is_human, in_percent = table.source == HUMAN, of_percent(table.sheet, column, table.bases)
    are_sums = (is_share(column) or not table.counted) and table.once_by_group
    sum_to_hundred = are_sums and are_percent(table.grouped(numbers).sum(min_count=1))
    if sum_to_hundred and not (_is_one_of(COUNTS, column) or is_weight(column)):
        of_people = (in_percent, ", with the number of people they are of")
        return (
            "holds percentages, and is not read, so that each row is one answer; put ",
            *(of_people if is_human else (of_columns(percent=column),)),
        )
    may_weight = table.may_weigh(column)
    only_weights = may_weight and not (table.once_by_group or _whole(numbers))
    if not table.counted and not table.repeat and not only_weights:
        texts = (text or "" for text in Cells.of(table.sheet, column).texts)
        has_signs = is_percent(column) or any(text.strip().endswith("%") for text in texts)
        may_count = _whole(numbers) or (_is_one_of(COUNTS, column) and np.nanmin(numbers) >= 1)
        if may_count and not has_signs:
            ways += ["; if they count the answers, put ", of_columns(count=column)]
            ways += ["; if they are percentages, put ", in_percent] if sum_to_hundred else []
        elif is_human:
            ways += ["; if they are shares or percentages, put ", in_percent]
        elif has_signs:
            ways += ["; if they are percentages, put ", of_columns(percent=column)]
        else:
            logarithms = "; exponentiate logarithms first" if np.nanmin(numbers) < 0 else ""
            stated = of_columns(probability=column)
            ways += ["; if they are stated probabilities, put ", stated, logarithms]
    why = (
        "holds numbers and is not read, so that each row is one answer; but each answer stands "
        "only once in its scenario, or in each group of people there, as in a table of counts"
        if table.once_by_group
        else "has a usual name of weights, and is not read, so that all persons count alike"
        if may_weight and not ways
        else "holds numbers and is not read, so that each row is one answer; but a column of this "
        "name often says how many answers or people a row stands for"
    )
    if may_weight:
        ways += ["; if they are weights of persons, put ", of_columns(weight=column)]
    left_out = ("put ", ignoring(column))
    is_amount = table.once_by_group and is_usual_amount(column)  # rows are no persons
    return (
        why,
        *ways,
        "; if they are none of this, ",
        *(("leave the column out of the file",) if is_amount and ways else left_out),
    )
