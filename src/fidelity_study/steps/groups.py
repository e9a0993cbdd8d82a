"""How far a simulator is from each group of people, by one column of groups or several together.

Groups have the same questions, and other people; differences are those of
:mod:`fidelity.means.groups`. Each group's interval knows that persons answer several questions.

Tables:
    BY_GROUP: where questions are put to groups: the mean discrepancy over the scenarios of each
        `group` of a `grouping` (a column of groups, or several together): columns as in
        `mean_discrepancy`; intervals hold at once for all groups of a grouping with the same other
        keys. `may_be_nearest`: no other group is certainly nearer (empty with more than 16 groups)
    BETWEEN_GROUPS: the mean discrepancy of `group` less that of `other`, over the `m` questions put
        to both: between `lower` and `upper`, with the interval [`ci_lower`, `ci_upper`] that holds
        at once for all pairs of a grouping; `farther`: from which of both the simulator certainly
        is. `method`: the errors of both are added as squares, or, where the same people, PSUs or
        draws may be behind both, added up. Of groupings with at most 16 groups
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import comb

import numpy as np
import pyarrow as pa

from fidelity.means.average import ASKED
from fidelity.means.groups import group_difference, share_people
from fidelity_study.reading.settings import questions_of
from fidelity_study.steps.arrays import row_of
from fidelity_study.steps.cases import Case, cases_of
from fidelity_study.steps.mean_intervals import FORM, INTERVAL, mean_columns
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import BETWEEN
from fidelity_study.tables.read_write import write_tables

BY_GROUP = pa.schema(
    [
        *columns(LABEL, "grouping", "group", "simulator"),
        *FORM,
        *INTERVAL,
        ("may_be_nearest", pa.bool_()),
        ("alike", pa.bool_()),
    ]
)
BETWEEN_GROUPS = pa.schema(
    [
        *columns(LABEL, "grouping", "group", "other", "simulator"),
        *FORM,
        ("m", pa.int32()),
        *columns(pa.float64(), "lower", "upper", "ci_lower", "ci_upper"),
        *columns(LABEL, "farther", "method"),
    ]
)
MOST_COMPARED = 16
APART, TOGETHER = "errors added as squares", "errors added up"


@dataclass(frozen=True)
class Grouping:
    """The scenarios that a simulator answers, by groups of people.

    Attributes:
        case: its answers beside people's.
        answers: the kind of these.
        name: of the columns of groups.
        labels: the group of each scenario, (N,).
        asked: the question, and the values of other columns, (N,).
        alpha: of all intervals together.
    """

    case: Case
    answers: str
    name: str
    labels: np.ndarray
    asked: np.ndarray
    alpha: float

    @cached_property
    def groups(self) -> list[str]:
        """The groups."""
        return list(dict.fromkeys(self.labels.tolist()))

    @property
    def is_alike(self) -> bool:
        """Whether the simulator gives the same answers for every group."""
        first: dict[str, np.ndarray] = {}
        return all(
            np.array_equal(q, first.setdefault(asked, q), equal_nan=True)
            for asked, q in zip(self.asked, self.case.q, strict=True)
        )

    @property
    def about(self) -> dict:
        """The columns that identify the grouping."""
        return {"grouping": self.name, **self.case.form(self.answers), "target": ASKED}

    @property
    def rows(self) -> Iterator[dict]:
        """The mean discrepancy in each group, and whether no other is certainly nearer."""
        farther, alike = {row["farther"] for row in self.pairs}, self.is_alike
        for group in self.groups:
            at = np.flatnonzero(self.labels == group)
            near = group not in farther if self.pairs else None
            mean = self.case.estimate(self.answers, at)
            limits = mean.interval(ASKED, 1.0 - self.alpha / len(self.groups))
            row = mean_columns([self.case], mean, ASKED, limits)
            yield {**self.about, "group": group, **row, "may_be_nearest": near, "alike": alike}

    @cached_property
    def pairs(self) -> list[dict]:
        """The differences of every two groups over the questions of both."""
        if not 2 <= len(self.groups) <= MOST_COMPARED:
            return []
        rows = (self._difference(*pair) for pair in combinations(self.groups, 2))
        return [row for row in rows if row is not None]

    def _difference(self, *pair: str) -> dict | None:
        places = [np.flatnonzero(self.labels == group) for group in pair]
        asked = [self.asked[at] for at in places]
        common = np.intersect1d(asked[0], asked[1], return_indices=True)[1:]
        places = [at[here] for at, here in zip(places, common, strict=True)]
        if not len(places[0]):
            return None
        together, level = self._err_together(*places), 1.0 - self.alpha / comb(len(self.groups), 2)
        one, other = (
            self.case.estimate(self.answers, np.sort(at)).interval(ASKED, level) for at in places
        )
        limits = group_difference(one, other, together=together)
        farther = pair[0] if limits.ci_lower > 0.0 else pair[1] if limits.ci_upper < 0.0 else None
        known = {"group": pair[0], "other": pair[1], "farther": farther, **self.about}
        return row_of(BETWEEN_GROUPS, limits, method=TOGETHER if together else APART, **known)

    def _err_together(self, one: np.ndarray, other: np.ndarray) -> bool:
        """Return whether people, or draws, may be the same in both groups."""
        q = self.case.q
        is_about_model = self.case.draws(self.answers) is not None
        if is_about_model and np.array_equal(q[one], q[other], equal_nan=True):
            return True
        return share_people(self.case.responses, one, other)


def groupings(case: Case, groups: list[str], alpha: float) -> Iterator[Grouping]:
    """Yield a case by each column of groups, and by all combinations of several."""
    scenarios = [case.people.names[row] for row in case.own.rows]
    questions = questions_of(scenarios, groups)
    values = np.array([name.split(BETWEEN)[-len(groups) :] for name in scenarios])
    every = range(len(groups))
    for chosen in chain(*(combinations(every, size) for size in range(1, len(groups) + 1))):
        rest = [column for column in every if column not in chosen]
        labels = [BETWEEN.join(row) for row in values[:, chosen]]
        asked = [
            BETWEEN.join([question, *row])
            for question, row in zip(questions, values[:, rest], strict=True)
        ]
        name = BETWEEN.join(groups[column] for column in chosen)
        for answers in case.answers:
            yield Grouping(case, answers, name, np.array(labels), np.array(asked), alpha)


def main(snakemake):
    """Bound mean discrepancies by group, and their differences between groups."""
    step = snakemake.params.step
    judged = cases_of(snakemake.input, step)
    parts = [
        part for case in judged for part in groupings(case, step["groups"], step["test"]["alpha"])
    ]
    made = {
        "by_group": (chain(*(part.rows for part in parts)), BY_GROUP),
        "between_groups": (chain(*(part.pairs for part in parts)), BETWEEN_GROUPS),
    }
    write_tables(snakemake.output, made, step)
