"""How much answers vary, on both sides: sums of scales, single questions, and groups.

Tables:
    SCALES: a row per scale of the config and simulator: numbers of `questions` and of those
        `reversed`; Cronbach's alpha (`people_alpha`, `alpha`, `alpha_difference`), `variance_ratio`
        of the sum (the simulator's over people's), the first eigenvalue's share at equal n
        (`people_eigenvalue`, `eigenvalue`; empty where it is not above that of permuted columns,
        `independent_eigenvalue`); the ends of their intervals are `people_alpha_lower`,
        `people_alpha_upper`, `alpha_lower`, `alpha_upper`, `alpha_difference_lower`,
        `alpha_difference_upper`, `variance_ratio_lower`, `variance_ratio_upper`,
        `people_eigenvalue_lower`, `people_eigenvalue_upper`, `eigenvalue_lower`,
        `eigenvalue_upper`; [`sum_distance_lower`, `sum_distance_upper`] holds the `w1` distance of
        the sums in parts of the scale's range
    DISPERSION: a row per simulator and `question`, and one for all (`question` empty: the geometric
        mean): `variance_ratio`, the variance of the simulator's answers over that of people's, with
        the interval [`variance_ratio_lower`, `variance_ratio_upper`]; below 1 answers are too alike
    GROUP_DIFFERENCES: where questions are put to groups: a row per simulator, `grouping` (a column
        of groups; all of them together) and `question`, and one for all questions (`question`
        empty): number of `groups`; the variance between groups of people (`people_between`) and of
        the simulator (`between`), both weighted by people's shares and without the noise of few
        answers, in squares of the scores' unit; the `slope` of the simulator's differences on
        people's (1: kept; below 0: turned round; over all questions in units of people's standard
        deviation), and the `ratio` of both variances, which knows no direction (over all questions
        of means in units of people's variance), above 1 where differences are exaggerated, with
        Fieller's set, empty where people's groups may not differ at all; the share of the variance
        that lies between groups (`people_share`, `share`). Ends are `people_between_lower`,
        `people_between_upper`, `between_lower`, `between_upper`, `slope_lower`, `slope_upper`,
        `ratio_lower`, `ratio_upper`. `few_answers`: whether fewer than five answers of a group
        differ from its most frequent one, so that intervals are rough. No rows where somebody is in
        another group in another question
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from fidelity.structure import (
    AnswerTable,
    associations,
    group_differences,
    if_enough,
    scale_summary,
    variance_ratios,
)
from fidelity.structure.correlations import Associations
from fidelity.uses import USES
from fidelity_study.reading.settings import scale_places
from fidelity_study.steps.answer_tables import People, Runs, are_in_one
from fidelity_study.steps.arrays import intervals, row_of
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import BETWEEN
from fidelity_study.tables.uses import limit_of, measured

SCALES = pa.schema(
    [
        *columns(LABEL, "scale", "simulator"),
        *columns(pa.int32(), "questions", "reversed"),
        *intervals("people_alpha", "alpha", "alpha_difference", "variance_ratio"),
        *intervals("people_eigenvalue", "eigenvalue"),
        ("independent_eigenvalue", pa.float64()),
        *columns(pa.float64(), "sum_distance_lower", "sum_distance_upper"),
    ]
)
DISPERSION = pa.schema([*columns(LABEL, "simulator", "question"), *intervals("variance_ratio")])
GROUP_DIFFERENCES = pa.schema(
    [
        *columns(LABEL, "simulator", "grouping", "question"),
        ("groups", pa.int32()),
        *intervals("people_between", "between", "slope", "ratio"),
        *columns(pa.float64(), "people_share", "share"),
        ("few_answers", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class Compared:
    """A simulator's answers beside people's.

    Attributes:
        people: those.
        name: of the simulator.
        runs: its answers.
        many: how many simulators are compared.
    """

    people: People
    name: str
    runs: Runs
    many: int

    @property
    def tables(self) -> tuple[AnswerTable, AnswerTable]:
        """People's answers and the simulator's."""
        return self.people.table, self.runs.table

    @property
    def how(self) -> dict:
        """How both are compared."""
        return {"same_persons": self.runs.are_twins, "level": self.people.level}

    @cached_property
    def associations(self) -> tuple[Associations, Associations] | None:
        """Both sides' correlations; None where no pair of questions has them on both."""
        people = self.people.associations
        if people is None:
            return None
        simulator = associations(self.runs.table, pairs=people.pairs)
        return (people, simulator) if np.isfinite(people.r + simulator.r).any() else None

    @cached_property
    def groupings(self) -> dict[str, list[list[str]]]:
        """Columns of groups, and all together, with the group of each row on both sides.

        None where somebody is in another group in another question.
        """
        whom, names = (self.people.whom, self.runs.whom), self.people.step["groups"]
        if not (self.people.has_scores and names and all(map(are_in_one, whom))):
            return {}
        parts = [np.array(self.people.asked.groups)[w.max(1)].tolist() for w in whom]
        groupings = {
            name: [[label.split(BETWEEN)[at] for label in side] for side in parts]
            for at, name in enumerate(names)
        }
        return groupings | ({BETWEEN.join(names): parts} if len(names) > 1 else {})


def scale_rows(both: Compared) -> Iterator[dict]:
    """Yield what there is to say of each scale."""
    people, asked = both.people, both.people.asked
    scales = scale_places(people.step["scales"], asked.names, people.step["dataset"])
    for scale, places in scales.items() if people.has_scores else ():
        questions, against = (np.array(column) for column in zip(*places, strict=True))
        generators = [
            people.generator("eigenvalue", scale, both.name, side)
            for side in ("people_eigenvalue", "eigenvalue")
        ]
        one, two = (table.with_values(table.values[:, questions]) for table in both.tables)
        ends = asked.ends[questions]
        made = scale_summary(one, two, against, ends, generators=generators, **both.how)
        row: dict = {"scale": scale, "questions": len(places), "reversed": int(against.sum())}
        if made.comparison is not None:
            row["people_alpha"], row["alpha"], row["alpha_difference"] = made.comparison[:3]
        for name, first in (("people_", made.people), ("", made.simulator)):
            if first is not None:
                row[f"{name}eigenvalue"] = first.share
                row["independent_eigenvalue"] = first.independent
        if made.sum_distance is not None:
            row |= dict(zip(SCALES.names[-2:], made.sum_distance, strict=True))
        yield row_of(SCALES, made.comparison, **row)


def dispersion_rows(both: Compared) -> Iterator[dict]:
    """Yield whether answers vary as people's do, in all and by question."""
    if both.people.has_scores:
        ratios, mean = variance_ratios(*both.tables, **both.how)
        for question, ratio in zip([None, *both.people.asked.names], [mean, *ratios], strict=True):
            yield row_of(DISPERSION, question=question, variance_ratio=ratio)


def group_difference_rows(both: Compared) -> Iterator[dict]:
    """Yield whether groups lie as far apart as people's do, by question and in all."""
    for name, sides in both.groupings.items():
        apart = if_enough(group_differences, *both.tables, *sides, **both.how)
        if apart is None:
            continue
        about = {"grouping": name, "groups": len(set(sides[0]))}
        few = bool(apart.few_answers.any())
        yield row_of(GROUP_DIFFERENCES, apart, few_answers=few, **about)
        for question, one in zip(both.people.asked.names, apart.by_question(), strict=True):
            ends = {"people_between": one.people, "between": one.simulator}
            ends |= {"share": one.simulator_share, "question": question}
            yield row_of(GROUP_DIFFERENCES, one, **ends, **about)


def group_use(both: Compared) -> Iterator[dict]:
    """Yield how groups differ, as a use of the simulator."""
    ends = both.people.asked.ends[np.isfinite(both.people.asked.ends)]
    if not (ends.size and both.groupings):
        return
    limit = limit_of(both.people.step["uses"], "groups", float(np.ptp(ends)))
    same = both.runs.are_twins
    measure = partial(USES["groups"].measure, *both.tables, same_persons=same, limit=limit)
    sides = (sides for name, sides in both.groupings.items() if BETWEEN not in name)
    known = [part for part in (if_enough(measure, *two) for two in sides) if part is not None]
    if known:
        yield measured(both.name, USES["groups"].both(*known))


TABLES = {
    "scales": (scale_rows, SCALES),
    "dispersion": (dispersion_rows, DISPERSION),
    "group_differences": (group_difference_rows, GROUP_DIFFERENCES),
}
