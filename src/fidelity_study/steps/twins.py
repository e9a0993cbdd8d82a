"""What simulators' twins know of their persons, beyond the twins of others.

Tables:
    TWINS: where runs of a simulator have names of persons, one run each: a row per simulator and
        `measure` (`hits`: the same answer; `absolute`: how far apart scores are), and per `topic`
        where there are clusters of questions (`topic` empty: all questions): `persons`,
        `questions`, `groups`; the mean of `own` pairs, that of persons with the twins of `others`
        in the same group, the `excess` of own over others with its interval (of `absolute` negative
        is better), the `p_value` of "twins know nothing of their persons" by permutation within
        groups (exact; where persons are in another group, or twins take part, in some topics only,
        groups are those of each topic, and the p-value of all questions is the smallest times the
        number of topics), `p_holm` (for all topics at once), `most_frequent` (own less what the
        most frequent answer of the others attains), `correlation` of scores within groups,
        `few_hits` (fewer than five hits on answers that are not the most frequent are expected by
        chance: trust the p-value more than the intervals, which are rough); ends of intervals are
        `excess_lower`, `excess_upper`, `most_frequent_lower`, `most_frequent_upper`,
        `correlation_lower`, `correlation_upper`. Groups are those of the config; without any all
        persons are one group, and twins that know only a condition of the study seem to know the
        person. Persons count by their weights. No rows where answers have very many different
        values
    TWINS_BY: the excess of hits of each question, of each group where there are several (of each
        `topic`, where groups are those of a topic), and of the 20 worst persons (`of`, `name`; of
        persons the number in `respondents.parquet`), with the number of `answers`
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fidelity.comparison.pairwise import holm
from fidelity.structure import if_enough, pooled_agreement, twin_agreement
from fidelity.structure.twins import HITS, MEASURES, PERMUTATIONS, TwinAgreement
from fidelity.uses import USES
from fidelity_study.steps.answer_tables import People, are_in_one, write_from_persons_and_runs
from fidelity_study.steps.arrays import intervals, only, or_none, row_of
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.uses import MEASURED, limit_of, measured

TWINS = pa.schema(
    [
        *columns(LABEL, "simulator", "topic", "measure"),
        *columns(pa.int32(), "persons", "questions", "groups"),
        *columns(pa.float64(), "own", "others"),
        *intervals("excess"),
        *columns(pa.float64(), "p_value", "p_holm"),
        *intervals("most_frequent", "correlation"),
        ("few_hits", pa.bool_()),
    ]
)
TWINS_BY = pa.schema(
    [
        *columns(LABEL, "simulator", "topic", "of", "name"),
        ("answers", pa.int32()),
        ("excess", pa.float64()),
    ]
)
QUESTION, GROUP, PERSON = "question", "group", "person"
WORST, MOST_CELLS = 20, 100_000_000
FEWEST_PERMUTED, MOST_MOVED = 1_999, 20_000_000


def twin_tables(
    scenarios: pa.Table, respondents: pa.Table, runs: pa.Table, step: dict
) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of both tables; none where no run has the name of a person."""
    rows, by_rows, uses = list[dict](), list[dict](), list[dict]()
    limit = limit_of(step["uses"], "persons")
    runs = runs.filter(runs["respondent"].is_valid())
    if len(respondents) and len(runs):
        people = People.of(scenarios, respondents, step)
        for name in dict.fromkeys(runs["source"].to_pylist()):
            answered = people.runs(only(runs, source=name))
            if answered.are_twins:
                made = Twins(people, name, answered.table.values)
                rows += made.rows
                by_rows += made.by_rows
                if made.of_all is not None:
                    use = USES["persons"].measure(made.of_all.measured[HITS], limit=limit)
                    uses += [measured(name, use)] if np.isfinite(use.error) else []
    return {
        "twins": (rows, TWINS),
        "twins_by": (by_rows, TWINS_BY),
        "of_persons": (uses, MEASURED),
    }


class Part(NamedTuple):
    """The agreement on the questions of a topic, or on all questions.

    Attributes:
        topic: None for all.
        questions: their columns.
        groups: of each person in these questions, (n,); without a name where none was answered.
        measured: the agreement by measure.
    """

    topic: str | None
    questions: np.ndarray
    groups: np.ndarray
    measured: dict[str, TwinAgreement]


@dataclass(frozen=True)
class Twins:
    """A simulator's twins beside their persons.

    Attributes:
        people: their answers.
        name: of the simulator.
        answers: of the twins, in the order of the persons, (n, Q).
    """

    people: People
    name: str
    answers: np.ndarray

    @cached_property
    def there(self) -> np.ndarray:
        """Whether person and twin answered, (n, Q)."""
        return ~np.isnan(self.people.table.values) & ~np.isnan(self.answers)

    @cached_property
    def of_topics(self) -> list[Part]:
        """The agreement by topic, where topics tell something."""
        topics = self.people.asked.topics
        if topics is None:
            return []
        parts = (self._part(topic, topics == topic) for topic in dict.fromkeys(topics.tolist()))
        return [part for part in parts if part.measured]

    @cached_property
    def of_all(self) -> Part | None:
        """The agreement on all questions: pooled over topics where these are studies by themselves.

        They are where persons are in another group elsewhere, or twins took part in some only.
        """
        every, topics = np.ones(self.there.shape[1], bool), self.people.asked.topics
        if topics is None or self._is_one_study(topics):
            part = self._part(None, every)
            if part.measured:
                return part
        if not self.of_topics:
            return None
        pooled = {
            measure: pooled_agreement(
                [part.measured[measure] for part in self.of_topics], level=self.people.level
            )
            for measure in MEASURES
        }
        return Part(None, every, np.array([]), pooled)

    def _is_one_study(self, topics: np.ndarray) -> bool:
        """Return whether persons are in one group each, and twins took part in all topics."""
        took_part = np.array(
            [(~np.isnan(self.answers[:, topics == topic])).any(1) for topic in np.unique(topics)]
        )
        return are_in_one(self.people.whom) and bool((took_part == took_part[0]).all())

    def _part(self, topic: str | None, inside: np.ndarray) -> Part:
        """Return the agreement on some questions; nothing where they have too many values."""
        questions, people = np.flatnonzero(inside), self.people.table
        groups = self.people.asked.labels(self.people.whom[:, questions])
        there = self.there[:, questions]
        answers, twins = people.values[:, questions], self.answers[:, questions]
        values = np.unique(np.concatenate([answers[there], twins[there]]))
        if len(values) * answers.size > MOST_CELLS:
            return Part(topic, questions, groups, {})
        key = [] if topic is None else [str(topic)]
        measured = {
            measure: if_enough(
                twin_agreement,
                answers,
                twins,
                generator=self.people.generator("twins", self.name, measure, *key),
                strata=groups,
                weights=people.weights,
                sampling=people.sampling,
                measure=measure,
                permuted=min(PERMUTATIONS, max(FEWEST_PERMUTED, MOST_MOVED // len(answers))),
                level=self.people.level,
            )
            for measure in MEASURES
        }
        return Part(topic, questions, groups, {} if None in measured.values() else measured)

    @property
    def rows(self) -> list[dict]:
        """The agreement on all questions, and by topic."""
        if self.of_all is None:
            return []
        rows = []
        for measure in MEASURES:
            adjusted = holm([part.measured[measure].p_value for part in self.of_topics] or [1.0])
            rows.append(self._row(self.of_all, measure, None))
            rows += [
                self._row(part, measure, float(p_value))
                for part, p_value in zip(self.of_topics, adjusted, strict=False)
            ]
        return rows

    def _row(self, part: Part, measure: str, adjusted: float | None) -> dict:
        agreement, there = part.measured[measure], self.there[:, part.questions]
        parts = [part] if len(part.groups) else self.of_topics
        persons = there.any(1)
        return row_of(
            TWINS,
            agreement,
            simulator=self.name,
            topic=part.topic,
            measure=measure,
            persons=int(persons.sum()),
            questions=int(there.any(0).sum()),
            groups=sum(
                len(np.unique(one.groups[self.there[:, one.questions].any(1)])) for one in parts
            ),
            p_holm=adjusted,
        )

    @property
    def by_rows(self) -> list[dict]:
        """The hits of each question, of several groups, and of the worst persons."""
        if self.of_all is None:
            return []
        parts = [self.of_all] if len(self.of_all.groups) else self.of_topics
        rows = []
        for part in parts:
            agreement = part.measured[HITS]
            answers = self.there[:, part.questions].sum(0)
            asked = [self.people.asked.names[column] for column in part.questions]
            questions = zip(asked, answers, agreement.by_question, strict=True)
            rows += [self._by_row(part, QUESTION, *cells) for cells in questions]
            rows += self._by_group(part, agreement)
        number = np.flatnonzero(self.people.place >= 0)
        agreement, answers = self.of_all.measured[HITS], self.there.sum(1)
        excess = agreement.by_person
        for at in np.argsort(np.where(answers > 0, excess, np.inf), kind="stable")[:WORST]:
            if answers[at]:
                cells = str(number[at]), answers[at], excess[at]
                rows.append(self._by_row(self.of_all, PERSON, *cells))
        return rows

    def _by_group(self, part: Part, agreement: TwinAgreement) -> Iterator[dict]:
        weight = self.people.table.weights * agreement.pairs
        labels = np.unique(part.groups[agreement.pairs > 0])
        for label in labels if len(labels) > 1 else ():
            here = (part.groups == label) & (agreement.pairs > 0)
            mean = float(np.average(agreement.by_person[here], weights=weight[here]))
            yield self._by_row(part, GROUP, label, agreement.pairs[here].sum(), mean)

    def _by_row(self, part: Part, of_what: str, name: str, answers: int, excess: float) -> dict:
        about = {"simulator": self.name, "topic": part.topic, "of": of_what, "name": name}
        return {**about, "answers": int(answers), "excess": or_none(float(excess))}


def main(snakemake):
    """Compare twins with their persons, where simulators' runs have names of persons."""
    write_from_persons_and_runs(snakemake, twin_tables)
