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

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity import mean_discrepancy
from fidelity.baselines.base import BASELINES
from fidelity.stream import stream
from fidelity.structure import (
    AnswerTable,
    Interval,
    TooFewError,
    all_pairs,
    associations,
    compare_associations,
    compare_scale,
    first_eigenvalue,
    group_differences,
    keyed,
    pair_distances,
    pair_tables,
    person_weights,
    scale_sums,
    variance_ratios,
)
from fidelity.structure.comparison import AssociationComparison
from fidelity.structure.correlations import FEWEST, Associations, Sampling
from fidelity.structure.pairs import MOST_PAIRS as MOST_TABLES
from fidelity.uses import USES
from fidelity_study.reading.settings import NUMBERS, questions_of, scale_places
from fidelity_study.steps.arrays import codes, ends_of, finite, intervals, numbers, only, or_none
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import BETWEEN, RESPONDENTS, RUNS, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables
from fidelity_study.tables.uses import MEASURED, limit_of, measured

PEOPLE_UNKNOWN, RUNS_UNKNOWN, ONE_QUESTION, FEW_COMMON, NO_SCORES = (
    *("people by person", "answers by run", "a second question", "common answers", "scores"),
)
OF_DESIGN = (
    "tables of pairs and sums of scales are left out, since their errors take persons of one PSU as"
    " independent"
)
OF_REPLICATES = "errors take persons as independent, since replicate weights do not enter them"
OF_SAME = "answers of {} are people's own, row by row, so that nothing is compared"
OF_GROUPS = "weights count within each group only"
MOST_PAIRS, FEWEST_ALIKE = 5_000, 3
EVERYBODY, TOGETHER = "everybody", " + "
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


class Columns(NamedTuple):
    """The questions, each a column of answers by person.

    Attributes:
        names: of the questions, Q.
        of_scenario: the column of each scenario; one where a question is put to several groups.
        scores: of each scenario, value -> score.
        ends: the smallest and the largest score of each question, (Q, 2).
        topics: a label of each question; None where topics tell nothing.
        groups: the labels of groups that questions are put to; one where they are put to all.
        of_group: the number of each scenario's group.
    """

    names: list[str]
    of_scenario: np.ndarray
    scores: list[dict[float, float]]
    ends: np.ndarray
    topics: np.ndarray | None
    groups: list[str]
    of_group: np.ndarray

    @classmethod
    def of(cls, scenarios: pa.Table, step: dict) -> "Columns":
        """Take the scenarios' questions; options without scores are numbered."""
        asked = questions_of(scenarios["scenario"].to_pylist(), step["groups"])
        names = list(dict.fromkeys(asked))
        of_scenario = np.array([names.index(name) for name in asked])
        scores = [
            dict(zip(values, score or range(len(values)), strict=True))
            for values, score in zip(
                scenarios["value"].to_pylist(), scenarios["score"].to_pylist(), strict=True
            )
        ]
        limits = np.stack([numbers(scenarios["lower"]), numbers(scenarios["upper"])], 1)
        first = np.array([asked.index(name) for name in names])
        labels = np.array(scenarios["cluster"].to_pylist())[first]
        is_told = step["clustered"] and 1 < len(set(labels.tolist())) < len(names)
        whom = [
            scenario[len(question) :].removeprefix(BETWEEN) or EVERYBODY
            for scenario, question in zip(scenarios["scenario"].to_pylist(), asked, strict=True)
        ]
        groups, of_group = np.unique(whom, return_inverse=True)
        topics = labels if is_told else None
        return cls(names, of_scenario, scores, limits[first], topics, groups.tolist(), of_group)

    def values(self, rows: pa.Table, person: str, size: int, scenario: np.ndarray) -> np.ndarray:
        """Return the scores of answers by person and question, (size, Q), NaN where missing."""
        table = np.full((size, len(self.names)), np.nan)
        pairs = zip(scenario.tolist(), rows["value"].to_pylist(), strict=True)
        table[numbers(rows[person]).astype(int), self.of_scenario[scenario]] = [
            self.scores[place][value] for place, value in pairs
        ]
        return table

    def whom(self, person: np.ndarray, size: int, scenario: np.ndarray) -> np.ndarray:
        """Return the group each question was put to, by person, (size, Q); -1 where missing."""
        groups = np.full((size, len(self.names)), -1)
        groups[person, self.of_scenario[scenario]] = self.of_group[scenario]
        return groups

    def labels(self, whom: np.ndarray) -> np.ndarray:
        """Return the label of each person's group, or of all of them, (n,)."""
        sets, place = np.unique(whom, axis=0, return_inverse=True)
        joined = [TOGETHER.join(self.groups[at] for at in sorted({*row} - {-1})) for row in sets]
        return np.array(joined, str)[place.ravel()]


def is_in_one(whom: np.ndarray) -> np.ndarray:
    """Return whether a person is in the same group wherever there is an answer, (n,)."""
    most = whom.max(1, keepdims=True)
    return ((whom == most) | (whom < 0)).all(1)


class People(NamedTuple):
    """People's answers by person.

    Attributes:
        table: with weights; persons who weigh nothing are left out.
        place: of each respondent's number in it, -1 of those left out.
        whom: the group each question was put to, by person, (n, Q).
        warning: what makes errors rough; may be empty.
    """

    table: AnswerTable
    place: np.ndarray
    whom: np.ndarray
    warning: str

    @classmethod
    def of(cls, respondents: pa.Table, asked: Columns, scenario: np.ndarray) -> "People":
        """Take the table of respondents; ``scenario`` is the place of each row's."""
        persons = numbers(respondents["respondent"]).astype(int)
        size = int(persons.max()) + 1
        weights = person_weights(persons, scenario, numbers(respondents["weight"]), persons=size)
        there = weights > 0.0
        values = asked.values(respondents, "respondent", size, scenario)
        sampling, notes = None, list[str]()
        if respondents["psu"].null_count < len(respondents):
            psu, stratum = np.zeros((2, size), int)
            for labels, name in ((psu, "psu"), (stratum, "stratum")):
                labels[persons] = numbers(respondents[name]).astype(int)
            (lonely,) = respondents["lonely_psu"].unique().to_pylist()
            sampling = Sampling.of(psu[there], stratum[there], lonely)
        is_weighted = bool((weights[there] != weights[there][0]).any())
        if is_weighted and len(asked.names) < len(asked.of_scenario):
            notes.append(OF_GROUPS)
        table = AnswerTable(
            values[there], weights[there] if is_weighted else None, sampling=sampling
        )
        if in_psus(table):
            notes.append(OF_DESIGN)
        place = np.where(there, np.cumsum(there) - 1, -1)
        whom = asked.whom(persons, size, scenario)[there]
        return cls(table, place, whom, "; ".join(notes))


def in_psus(table: AnswerTable) -> bool:
    """Return whether several persons were drawn together."""
    return table.sampling is not None and len(table.sampling.units[1]) < table.size


@dataclass(frozen=True)
class Structure:
    """People's answers by person, beside which those of simulators are put.

    Attributes:
        asked: the questions.
        people: who answered them.
        step: the settings.
    """

    asked: Columns
    people: People
    step: dict

    @property
    def level(self) -> float:
        """The confidence of intervals."""
        return 1.0 - self.step["test"]["alpha"]

    @cached_property
    def pairs(self) -> np.ndarray:
        """The pairs of questions that enough people answered, at most so many drawn, (P, 2)."""
        answered = (~np.isnan(self.people.table.values)).astype(float)
        pairs = all_pairs(len(self.asked.names))
        common = (answered.T @ answered)[tuple(pairs.T)]
        pairs = pairs[common >= FEWEST]
        if len(pairs) > MOST_PAIRS:
            chosen = self.generator("pairs").choice(len(pairs), MOST_PAIRS, replace=False)
            pairs = pairs[np.sort(chosen)]
        return pairs

    @cached_property
    def associations(self) -> Associations:
        """People's correlations."""
        return associations(self.people.table, pairs=self.pairs)

    @cached_property
    def scales(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Scale -> the columns of its questions, and whether each is reversed."""
        scales = scale_places(self.step["scales"], self.asked.names, self.step["dataset"])
        return {
            name: (np.array([at for at, _ in places]), np.array([turned for _, turned in places]))
            for name, places in scales.items()
        }

    def generator(self, *key: str) -> np.random.Generator:
        """Return the random stream of a purpose."""
        return stream(self.step["seed"], self.step["dataset"], "structure", *key)

    def of(self, runs: pa.Table, scenario: np.ndarray) -> tuple[AnswerTable, np.ndarray, bool]:
        """Return a simulator's answers, their groups, and whether rows are twins of people's."""
        twin = runs["respondent"]
        if not twin.null_count:
            place = self.people.place[numbers(twin).astype(int)]
            pairs = np.unique(np.stack([place, numbers(runs["run"]).astype(int)], 1), axis=0)
            if len(np.unique(pairs[:, 0])) == len(pairs) and (pairs >= 0).all():
                placed = runs.append_column("place", pa.array(place))
                values = self.asked.values(placed, "place", self.people.table.size, scenario)
                table = AnswerTable(values, sampling=self.people.table.sampling)
                return table, self.people.whom, True
        number = np.unique(numbers(runs["run"]).astype(int), return_inverse=True)[1]
        placed, size = runs.append_column("place", pa.array(number)), number.max() + 1
        table = AnswerTable(self.asked.values(placed, "place", size, scenario))
        return table, self.asked.whom(number, size, scenario), False


def main(snakemake):
    """Compare how answers go together, where both sides' answers are known by person."""
    write_from_persons_and_runs(snakemake, structure_tables)


def write_from_persons_and_runs(snakemake, tables_of: Callable) -> None:
    """Write the tables of a step that needs who answered what, of people and in each run."""
    step, files = snakemake.params.step, snakemake.input
    tables = tables_of(
        read(files.scenarios, SCENARIOS),
        read(files.respondents, RESPONDENTS),
        read(files.runs, RUNS),
        step,
    )
    write_tables(snakemake.output, tables, step)


def structure_tables(
    scenarios: pa.Table, respondents: pa.Table, runs: pa.Table, step: dict
) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of the tables, with their schemas."""
    asked = Columns.of(scenarios, step)
    names = scenarios["scenario"].to_pylist()
    tested = [name for name in step["simulators"] if name not in BASELINES]
    answering = [name for name in tested if pc.any(pc.equal(runs["source"], name)).as_py()]
    rows: dict[str, list[dict]] = {name: [] for name in SCHEMAS}
    uses: list[dict] = []
    is_known = len(respondents) > 0
    structure = None
    if is_known:
        place = codes(respondents["scenario"], names)
        people = People.of(respondents, asked, place)
        if scenarios["replicates"].null_count < len(scenarios):
            warning = "; ".join(filter(None, [people.warning, OF_REPLICATES]))
            people = people._replace(warning=warning)
        structure = Structure(asked, people, step)
    for name in tested:
        if structure is None or name not in answering or len(asked.names) < 2:
            lacking = PEOPLE_UNKNOWN if not is_known else RUNS_UNKNOWN
            lacking = ONE_QUESTION if len(asked.names) < 2 else lacking
            rows["structure"].append({"simulator": name, "pairs": 0, "lacking": lacking})
            continue
        answered = only(runs, source=name)
        sides = structure.of(answered, codes(answered["scenario"], names))
        of_simulator = Simulated(structure, name, *sides, len(answering))
        rows["structure"] += of_simulator.rows
        rows["associations"] += of_simulator.association_rows
        rows["pair_tables"] += of_simulator.pair_rows
        rows["scales"] += of_simulator.scale_rows
        rows["dispersion"] += of_simulator.dispersion_rows
        rows["group_differences"] += of_simulator.group_rows
        uses += of_simulator.uses
    tables = {name: (rows[name], schema) for name, schema in SCHEMAS.items()}
    return tables | {"of_relations": (uses, MEASURED)}


@dataclass(frozen=True)
class Simulated:
    """A simulator's answers beside people's.

    Attributes:
        beside: people's.
        name: of the simulator.
        table: its answers; row i is the twin of person i where ``are_twins``.
        whom: the group each question was put to, by row, (k, Q).
        are_twins: whether the same persons are on both sides.
        many: how many simulators are compared.
    """

    beside: Structure
    name: str
    table: AnswerTable
    whom: np.ndarray
    are_twins: bool
    many: int

    @property
    def has_scores(self) -> bool:
        """Whether answers are numbers, or options in an order."""
        return self.beside.step["outcome"]["kind"] != "categorical"

    @cached_property
    def associations(self) -> Associations:
        """The simulator's correlations."""
        return associations(self.table, pairs=self.beside.pairs)

    @property
    def is_comparable(self) -> bool:
        """Whether some pairs have correlations on both sides."""
        if not (self.has_scores and len(self.beside.pairs)):
            return False
        return bool(np.isfinite(self.beside.associations.r + self.associations.r).any())

    @property
    def rows(self) -> list[dict]:
        """How correlations compare: over all pairs, and by topic; what is lacking if they can't."""
        people = self.beside.people
        runs = int((~np.isnan(self.table.values).all(1)).sum())
        about = {
            "simulator": self.name,
            "people": people.table.size,
            "runs": runs,
            "people_alike": answered_alike(people.table.values),
            "alike": answered_alike(self.table.values),
        }
        if not self.is_comparable:
            lacking = FEW_COMMON if self.has_scores else NO_SCORES
            return [about | {"pairs": 0, "lacking": lacking, "warning": people.warning or None}]
        topics = self.beside.asked.topics
        level, alpha = self.beside.level, self.beside.step["test"]["alpha"]
        everything = self._compared(level, topics)
        (together,) = self._compared(1.0 - alpha / self.many, None)
        said = [people.warning, OF_SAME.format(self.name) if together.same_answers else ""]
        warning = "; ".join(filter(None, said)) or None
        rows = [about | comparison_row(one) | {"warning": warning} for one in everything]
        rows[0] |= {
            "slope_familywise_lower": finite(together.slope.lower),
            "slope_familywise_upper": finite(together.slope.upper),
        }
        return rows

    def _compared(self, level: float, topics: np.ndarray | None) -> list[AssociationComparison]:
        return compare_associations(
            self.beside.associations,
            self.associations,
            topics=topics,
            same_persons=self.are_twins,
            level=level,
        )

    @property
    def association_rows(self) -> list[dict]:
        """The correlations of each pair."""
        if not self.is_comparable:
            return []
        names = self.beside.asked.names
        people, simulator = self.beside.associations, self.associations
        sides = np.stack(
            [people.r, np.sqrt(people.noise), simulator.r, np.sqrt(simulator.noise)], 1
        )
        return [
            {
                "simulator": self.name,
                "one": names[a],
                "other": names[b],
                **dict(zip(ASSOCIATIONS.names[3:], map(or_none, values), strict=True)),
            }
            for (a, b), values in zip(people.pairs.tolist(), sides.tolist(), strict=True)
        ]

    @property
    def pair_rows(self) -> list[dict]:
        """The distance of tables of pairs, and that of independent questions."""
        if self.beside.step["outcome"]["kind"] in NUMBERS or in_psus(self.beside.people.table):
            return []
        made = if_enough(
            pair_tables,
            self.beside.people.table,
            self.table,
            generator=self.beside.generator("tables", self.name),
            most=MOST_TABLES,
            persons=False,
        )
        if made is None:
            return []
        distances = pair_distances(made, level=self.beside.level)
        sources = zip((OWN, INDEPENDENT, PEOPLE_INDEPENDENT), distances[:3], strict=True)
        rows = [
            {
                "simulator": self.name,
                "source": source,
                "pairs": len(made.pairs),
                **{end: or_none(getattr(far, end)) for end in PAIR_TABLES.names[3:7]},
            }
            for source, far in sources
        ]
        ends = (or_none(distances.gain.ci_lower), or_none(distances.gain.ci_upper))
        rows[1] |= dict(zip(PAIR_TABLES.names[7:], ends, strict=True))
        return rows

    @property
    def scale_rows(self) -> list[dict]:
        """What there is to say of each scale."""
        if not self.has_scores:
            return []
        return [
            {"scale": name, "simulator": self.name, **self._scale_row(name, *columns_of_scale)}
            for name, columns_of_scale in self.beside.scales.items()
        ]

    def _scale_row(self, scale: str, questions: np.ndarray, is_reversed: np.ndarray) -> dict:
        ends = self.beside.asked.ends[questions]
        people, simulator = (
            keyed(table.with_values(table.values[:, questions]), is_reversed, ends)
            for table in (self.beside.people.table, self.table)
        )
        row: dict[str, Any] = {
            "questions": len(questions),
            "reversed": int(is_reversed.sum()),
        }
        level = self.beside.level
        compared = if_enough(
            compare_scale, people, simulator, same_persons=self.are_twins, level=level
        )
        if compared is not None:
            row |= ends_of("people_alpha", compared.people)
            row |= ends_of("alpha", compared.simulator)
            row |= ends_of("alpha_difference", compared.difference)
            row |= ends_of("variance_ratio", compared.variance_ratio)
        size = min(people.size, simulator.size)
        for name, side in (("people_eigenvalue", people), ("eigenvalue", simulator)):
            generator = self.beside.generator("eigenvalue", scale, self.name, name)
            first = if_enough(first_eigenvalue, side, generator=generator, size=size, level=level)
            if first is not None:
                row |= ends_of(name, first.share)
                row["independent_eigenvalue"] = first.independent
        sums = None if in_psus(people) else if_enough(scale_sums, people, simulator)
        span = float((ends[:, 1] - ends[:, 0]).sum())
        if sums is not None and span > 0.0:
            apart = mean_discrepancy(*sums, discrepancy="w1", level=level)
            row["sum_distance_lower"] = or_none(apart.ci_lower / span)
            row["sum_distance_upper"] = or_none(apart.ci_upper / span)
        return row

    @property
    def dispersion_rows(self) -> list[dict]:
        """Whether answers vary as people's do, by question and in all."""
        if not self.has_scores:
            return []
        ratios, mean = variance_ratios(
            self.beside.people.table,
            self.table,
            same_persons=self.are_twins,
            level=self.beside.level,
        )
        return [
            {"simulator": self.name, "question": question, **ends_of("variance_ratio", ratio)}
            for question, ratio in zip(
                [None, *self.beside.asked.names], [mean, *ratios], strict=True
            )
        ]

    @property
    def uses(self) -> Iterator[dict]:
        """How answers go together, and how groups differ: as uses of the simulator."""
        limits = self.beside.step["uses"]
        if self.is_comparable and self.beside.associations is not self.associations:
            sides = self.beside.associations, self.associations
            how = {"same_persons": self.are_twins, "limit": limit_of(limits, "relations")}
            use = if_enough(USES["relations"].measure, *sides, **how)
            if use is not None and np.isfinite(use.error):
                yield measured(self.name, use)
        ends = self.beside.asked.ends[np.isfinite(self.beside.asked.ends)]
        span = float(np.ptp(ends)) if ends.size else np.nan
        parts = [
            if_enough(
                USES["groups"].measure,
                self.beside.people.table,
                self.table,
                *sides,
                same_persons=self.are_twins,
                limit=limit_of(limits, "groups", span),
            )
            for name, sides in self.groupings.items()
            if BETWEEN not in name and np.isfinite(span)
        ]
        known = [part for part in parts if part is not None]
        if known:
            yield measured(self.name, USES["groups"].both(*known))

    @cached_property
    def groupings(self) -> dict[str, list[list[str]]]:
        """Columns of groups, and all together, with the group of each row on both sides.

        None where somebody is in another group in another question.
        """
        whom, columns_of_groups = (self.beside.people.whom, self.whom), self.beside.step["groups"]
        if not (self.has_scores and columns_of_groups and all(is_in_one(w).all() for w in whom)):
            return {}
        parts = [np.array(self.beside.asked.groups)[w.max(1)].tolist() for w in whom]
        groupings = {
            name: [[label.split(BETWEEN)[at] for label in side] for side in parts]
            for at, name in enumerate(columns_of_groups)
        }
        if len(columns_of_groups) > 1:
            groupings[BETWEEN.join(columns_of_groups)] = parts
        return groupings

    @property
    def group_rows(self) -> list[dict]:
        """Whether groups lie as far apart as people's do, by question and in all."""
        parts = self.groupings.items()
        return [row for name, sides in parts for row in self._group_rows(name, *sides)]

    def _group_rows(self, grouping: str, people: list[str], runs: list[str]) -> Iterator[dict]:
        apart = if_enough(
            group_differences,
            self.beside.people.table,
            self.table,
            people,
            runs,
            same_persons=self.are_twins,
            level=self.beside.level,
        )
        if apart is None:
            return
        about = {"simulator": self.name, "grouping": grouping, "groups": len(set(people))}
        yield {
            **about,
            "question": None,
            **ends_of("slope", apart.slope),
            **ends_of("ratio", apart.ratio),
            "few_answers": bool(apart.few_answers.any()),
        }
        for at, question in enumerate(self.beside.asked.names):
            yield {
                **about,
                "question": question,
                **ends_of("people_between", apart.people[at]),
                **ends_of("between", apart.simulator[at]),
                **ends_of("slope", apart.slopes[at]),
                **ends_of("ratio", apart.ratios[at]),
                "people_share": finite(apart.people_shares[at]),
                "share": finite(apart.simulator_shares[at]),
                "few_answers": bool(apart.few_answers[at]),
            }


def answered_alike(values: np.ndarray) -> float | None:
    """Return the share of rows, (n, Q), that give the same answer to every question.

    Of those with at least three answers; None where there is none.

    Examples:
        >>> answered_alike(np.array([[1, 1, 1], [1, 2, 1], [2, np.nan, 2]]))
        0.5
    """
    answers = (~np.isnan(values)).sum(1) >= FEWEST_ALIKE
    if not answers.any():
        return None
    some = values[answers]
    return float((np.nanmax(some, axis=1) == np.nanmin(some, axis=1)).mean())


def comparison_row(comparison: AssociationComparison) -> dict:
    """Return a comparison as a row of the table."""
    signs = comparison.signs
    return {
        "topic": None if comparison.topic is None else str(comparison.topic),
        "pairs": comparison.pairs,
        "unknown": comparison.unknown,
        **ends_of("slope", comparison.slope),
        **ends_of("congruence", comparison.congruence),
        **ends_of("mean_squared", comparison.mean_squared),
        **ends_of("people_square", comparison.people),
        **ends_of("simulator_square", comparison.simulator),
        "clear": signs.clear,
        **ends_of("same_sign", Interval(signs.share, signs.lower, signs.upper)),
    }


def if_enough(function: Callable, *arguments: object, **more: object) -> Any:
    """Return what a function of the library computes; None where it says that data are too few."""
    try:
        return function(*arguments, **more)
    except TooFewError:
        return None
