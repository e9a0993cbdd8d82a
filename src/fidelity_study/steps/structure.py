"""Whether simulators' answers to different questions go together as people's do.

Tables:
    STRUCTURE: how a simulator's answers to different questions go together, a row per simulator
        over all pairs of questions (`topic` empty), one per `topic`, and one between topics:
        numbers of `people`, `runs`, `pairs`, and `unknown` pairs without a correlation on both
        sides; `slope` through the origin of the simulator's correlations on people's, `congruence`,
        `mean_squared` difference (may be negative by chance), `people_square` and
        `simulator_square` (mean squares of correlations), `same_sign` (of the `clear` pairs, whose
        r is not 0 among people at that confidence), all without the noise of few answers; the ends
        of their intervals, which hold with a probability of about 1 - alpha, are `slope_lower`,
        `slope_upper`, `congruence_lower`, `congruence_upper`, `mean_squared_lower`,
        `mean_squared_upper`, `people_square_lower`, `people_square_upper`,
        `simulator_square_lower`, `simulator_square_upper`, `same_sign_lower`, `same_sign_upper`;
        [`slope_familywise_lower`, `slope_familywise_upper`] hold for all simulators at once. An end
        is empty where it is infinite. `people_alike`, `alike`: the share of people, and of runs,
        who give the same answer to every question. `lacking`: what is lacking to measure it
        (`people by person`, `answers by run`, `a second question`, `common answers` of 30 people
        and 30 runs, `scores`). `warning`: what makes errors rough
    ASSOCIATIONS: `simulator`, the questions `one` and `other`, their correlation among people
        (`people_r`, `people_se`) and among the simulator's runs (`r`, `se`); at most 5,000 pairs,
        drawn by the seed
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
    PAIR_TABLES: the mean `l2` distance of tables of pairs from people's, as in `mean_discrepancy`:
        of the `source` `simulator`, of `independent` (its own margins multiplied;
        [`difference_ci_lower`, `difference_ci_upper`] is the simulator less that: below 0, its
        structure helps), and of `people_independent` (margins of one half of people multiplied,
        judged by the other). At most 2,000 pairs; not of outcomes that are numbers
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.baselines.base import BASELINES
from fidelity.structure import (
    AnswerTable,
    Interval,
    associations,
    compare_associations,
    group_differences,
    if_enough,
    pair_distances,
    pair_tables,
    scale_summary,
    straightlining,
    variance_ratios,
)
from fidelity.structure.correlations import Associations
from fidelity.structure.pairs import MOST_PAIRS as MOST_TABLES
from fidelity.uses import USES
from fidelity_study.reading.settings import NUMBERS, scale_places
from fidelity_study.steps.answer_tables import (
    Columns,
    People,
    Runs,
    are_in_one,
    write_from_persons_and_runs,
)
from fidelity_study.steps.arrays import ends_of, finite, intervals, only, or_none, row_of
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import BETWEEN
from fidelity_study.tables.uses import MEASURED, limit_of, measured

PEOPLE_UNKNOWN, RUNS_UNKNOWN, ONE_QUESTION, FEW_COMMON, NO_SCORES = (
    *("people by person", "answers by run", "a second question", "common answers", "scores"),
)
OF_SAME = "answers of {} are people's own, row by row, so that nothing is compared"
OWN, INDEPENDENT, PEOPLE_INDEPENDENT = "simulator", "independent", "people_independent"


STRUCTURE = pa.schema(
    [
        *columns(LABEL, "simulator", "topic"),
        *columns(pa.int32(), "people", "runs", "pairs", "unknown"),
        *intervals("slope", "congruence", "mean_squared", "people_square", "simulator_square"),
        ("clear", pa.int32()),
        *intervals("same_sign"),
        *columns(pa.float64(), "slope_familywise_lower", "slope_familywise_upper"),
        *columns(pa.float64(), "people_alike", "alike"),
        *columns(LABEL, "lacking", "warning"),
    ]
)
ASSOCIATIONS = pa.schema(
    [
        *columns(LABEL, "simulator", "one", "other"),
        *columns(pa.float64(), "people_r", "people_se", "r", "se"),
    ]
)
PAIR_TABLES = pa.schema(
    [
        *columns(LABEL, "simulator", "source"),
        ("pairs", pa.int32()),
        *columns(pa.float64(), "lower", "upper", "ci_lower", "ci_upper"),
        *columns(pa.float64(), "difference_ci_lower", "difference_ci_upper"),
    ]
)
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
SCHEMAS = {
    "structure": STRUCTURE,
    "associations": ASSOCIATIONS,
    "pair_tables": PAIR_TABLES,
    "scales": SCALES,
    "dispersion": DISPERSION,
    "group_differences": GROUP_DIFFERENCES,
}


def main(snakemake):
    """Compare how answers go together, where both sides' answers are known by person."""
    write_from_persons_and_runs(snakemake, structure_tables)


def structure_tables(
    scenarios: pa.Table, respondents: pa.Table, runs: pa.Table, step: dict
) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of the tables, with their schemas."""
    tested = [name for name in step["simulators"] if name not in BASELINES]
    answering = [name for name in tested if pc.any(pc.equal(runs["source"], name)).as_py()]
    rows: dict[str, list[dict]] = {name: [] for name in SCHEMAS}
    uses: list[dict] = []
    lacking, people = RUNS_UNKNOWN if len(respondents) else PEOPLE_UNKNOWN, None
    if len(Columns.of(scenarios, step).names) < 2:
        lacking = ONE_QUESTION
    elif len(respondents):
        people = People.of(scenarios, respondents, step)
    for name in tested:
        if people is None or name not in answering:
            rows["structure"].append({"simulator": name, "pairs": 0, "lacking": lacking})
            continue
        answers = people.runs(only(runs, source=name))
        compared = Compared(people, name, answers, len(answering))
        for table in SCHEMAS:
            of_table = getattr(compared, f"{table}_rows")()
            rows[table] += [{**row, "simulator": name} for row in of_table]
        uses += compared.uses()
    tables = {name: (rows[name], schema) for name, schema in SCHEMAS.items()}
    return tables | {"of_relations": (uses, MEASURED)}


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

    def structure_rows(self) -> list[dict]:
        """Return how correlations compare: over all pairs, and by topic; or what is lacking."""
        about = {
            "people": self.people.table.size,
            "runs": int((~np.isnan(self.runs.table.values).all(1)).sum()),
            "people_alike": or_none(straightlining(self.people.table)),
            "alike": or_none(straightlining(self.runs.table)),
        }
        warning = self.people.warning or None
        if self.associations is None:
            lacking = FEW_COMMON if self.people.has_scores else NO_SCORES
            return [about | {"pairs": 0, "lacking": lacking, "warning": warning}]
        comparisons = compare_associations(
            *self.associations, topics=self.people.asked.topics, **self.how
        )
        familywise = self.how | {"level": 1.0 - self.people.step["test"]["alpha"] / self.many}
        (together,) = compare_associations(*self.associations, **familywise)
        if together.same_answers:
            warning = "; ".join(filter(None, [warning, OF_SAME.format(self.name)]))
        rows = [
            row_of(
                STRUCTURE,
                one,
                people_square=one.people,
                simulator_square=one.simulator,
                clear=one.signs.clear,
                same_sign=Interval(*one.signs[1:]),
                warning=warning,
                **about,
            )
            for one in comparisons
        ]
        rows[0]["slope_familywise_lower"] = finite(together.slope.lower)
        rows[0]["slope_familywise_upper"] = finite(together.slope.upper)
        return rows

    def associations_rows(self) -> list[dict]:
        """Return the correlations of each pair."""
        if self.associations is None:
            return []
        names = np.array(self.people.asked.names)[self.associations[0].pairs.T].tolist()
        sides = [column for side in self.associations for column in (side.r, np.sqrt(side.noise))]
        rows = zip(*names, *(map(or_none, column.tolist()) for column in sides), strict=True)
        return [dict(zip(ASSOCIATIONS.names[1:], row, strict=True)) for row in rows]

    def pair_tables_rows(self) -> list[dict]:
        """Return the distance of tables of pairs, and that of independent questions."""
        if self.people.step["outcome"]["kind"] in NUMBERS or self.people.table.in_psus:
            return []
        generator = self.people.generator("tables", self.name)
        made = if_enough(
            pair_tables, *self.tables, generator=generator, most=MOST_TABLES, persons=False
        )
        if made is None:
            return []
        *distances, gain = pair_distances(made, level=self.people.level)
        sources = zip((OWN, INDEPENDENT, PEOPLE_INDEPENDENT), distances, strict=True)
        rows = [
            row_of(PAIR_TABLES, far, source=source, pairs=len(made.pairs))
            for source, far in sources
        ]
        ends = (or_none(gain.ci_lower), or_none(gain.ci_upper))
        rows[1] |= dict(zip(PAIR_TABLES.names[7:], ends, strict=True))
        return rows

    def scales_rows(self) -> Iterator[dict]:
        """Yield what there is to say of each scale."""
        step, asked = self.people.step, self.people.asked
        scales = scale_places(step["scales"], asked.names, step["dataset"])
        for scale, places in scales.items() if self.people.has_scores else ():
            questions, against = (np.array(column) for column in zip(*places, strict=True))
            generators = [
                self.people.generator("eigenvalue", scale, self.name, side)
                for side in ("people_eigenvalue", "eigenvalue")
            ]
            people, simulator = (t.with_values(t.values[:, questions]) for t in self.tables)
            made = scale_summary(
                people, simulator, against, asked.ends[questions], generators=generators, **self.how
            )
            row: dict = {"scale": scale, "questions": len(places), "reversed": int(against.sum())}
            if made.comparison is not None:
                row["people_alpha"], row["alpha"] = made.comparison[:2]
                row["alpha_difference"] = made.comparison.difference
                row["variance_ratio"] = made.comparison.variance_ratio
            for name, first in (("people_", made.people), ("", made.simulator)):
                if first is not None:
                    row[f"{name}eigenvalue"] = first.share
                    row["independent_eigenvalue"] = first.independent
            if made.sum_distance is not None:
                row |= dict(zip(SCALES.names[-2:], made.sum_distance, strict=True))
            yield row_of(SCALES, **row)

    def dispersion_rows(self) -> list[dict]:
        """Return whether answers vary as people's do, by question and in all."""
        if not self.people.has_scores:
            return []
        ratios, mean = variance_ratios(*self.tables, **self.how)
        questions = zip([None, *self.people.asked.names], [mean, *ratios], strict=True)
        return [
            {"question": question, **ends_of("variance_ratio", ratio)}
            for question, ratio in questions
        ]

    def uses(self) -> Iterator[dict]:
        """Yield how answers go together, and how groups differ: as uses of the simulator."""
        limits, same = self.people.step["uses"], self.runs.are_twins
        if self.associations is not None:
            limit = limit_of(limits, "relations")
            relations = USES["relations"].measure
            use = if_enough(relations, *self.associations, same_persons=same, limit=limit)
            if use is not None and np.isfinite(use.error):
                yield measured(self.name, use)
        ends = self.people.asked.ends[np.isfinite(self.people.asked.ends)]
        if not (ends.size and self.groupings):
            return
        limit = limit_of(limits, "groups", float(np.ptp(ends)))
        measure = partial(USES["groups"].measure, *self.tables, same_persons=same, limit=limit)
        parts = [
            if_enough(measure, *sides)
            for name, sides in self.groupings.items()
            if BETWEEN not in name
        ]
        known = [part for part in parts if part is not None]
        if known:
            yield measured(self.name, USES["groups"].both(*known))

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

    def group_differences_rows(self) -> Iterator[dict]:
        """Yield whether groups lie as far apart as people's do, by question and in all."""
        for name, sides in self.groupings.items():
            apart = if_enough(group_differences, *self.tables, *sides, **self.how)
            if apart is None:
                continue
            about = {"grouping": name, "groups": len(set(sides[0]))}
            few = bool(apart.few_answers.any())
            yield row_of(GROUP_DIFFERENCES, apart, few_answers=few, **about)
            for question, one in zip(self.people.asked.names, apart.by_question(), strict=True):
                ends = {"people_between": one.people, "between": one.simulator}
                ends |= {"share": one.simulator_share, "question": question}
                yield row_of(GROUP_DIFFERENCES, one, **ends, **about)
