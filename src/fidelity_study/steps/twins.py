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
from fidelity_study.steps.arrays import intervals, only, row_of
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
                rows += made.rows()
                by_rows += made.by_rows()
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
        asked: the names of the questions, (Q,).
        there: whether person and twin answered, (n, Q).
        groups: of each person in these questions, (n,); without a name where none was answered.
            Empty where topics, studies by themselves, are pooled.
        measured: the agreement by measure.
    """

    topic: str | None
    asked: np.ndarray
    there: np.ndarray
    groups: np.ndarray
    measured: dict[str, TwinAgreement]


@dataclass(frozen=True)
class Twins:
    """A simulator's twins beside their persons.

    Attributes:
        people: their answers.
        simulator: its name.
        answers: of the twins, in the order of the persons, (n, Q).
    """

    people: People
    simulator: str
    answers: np.ndarray

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
        part = self._part(None, np.ones(self.answers.shape[1], bool))
        if part.measured or not self.of_topics:
            return part if part.measured else None
        measured = {
            measure: pooled_agreement(
                [topic.measured[measure] for topic in self.of_topics], level=self.people.level
            )
            for measure in MEASURES
        }
        return part._replace(groups=np.array([]), measured=measured)

    @property
    def parts(self) -> list[Part]:
        """All questions together, or the topics that are pooled."""
        if self.of_all is None:
            return []
        return [self.of_all] if len(self.of_all.groups) else self.of_topics

    @cached_property
    def is_one_study(self) -> bool:
        """Whether persons are in one group each, and twins took part in all topics."""
        topics = self.people.asked.topics
        if topics is None:
            return True
        took_part = np.array(
            [(~np.isnan(self.answers[:, topics == topic])).any(1) for topic in np.unique(topics)]
        )
        return are_in_one(self.people.whom) and bool((took_part == took_part[0]).all())

    def _part(self, topic: str | None, inside: np.ndarray) -> Part:
        """Return the agreement on some questions; nothing where they have too many values."""
        table, asked = self.people.table, self.people.asked
        people, twins = table.values[:, inside], self.answers[:, inside]
        there, groups = ~np.isnan(people + twins), asked.labels(self.people.whom[:, inside])
        values, measured = np.unique(np.concatenate([people[there], twins[there]])), {}
        if (topic is not None or self.is_one_study) and len(values) * people.size <= MOST_CELLS:
            how: dict = {"strata": groups, "weights": table.weights, "sampling": table.sampling}
            permuted = min(PERMUTATIONS, max(FEWEST_PERMUTED, MOST_MOVED // len(people)))
            how |= {"permuted": permuted, "level": self.people.level}
            for measure in MEASURES:
                key = ["twins", self.simulator, measure, *([] if topic is None else [str(topic)])]
                how |= {"measure": measure, "generator": self.people.generator(*key)}
                measured[measure] = if_enough(twin_agreement, people, twins, **how)
        measured = {} if None in measured.values() else measured
        return Part(topic, np.array(asked.names)[inside], there, groups, measured)

    def rows(self) -> Iterator[dict]:
        """Yield the agreement on all questions, and by topic."""
        everything = self.of_all
        for measure in MEASURES if everything else ():
            adjusted = holm([part.measured[measure].p_value for part in self.of_topics] or [1.0])
            some = [part for part in (everything, *self.of_topics) if part]
            for part, p_holm in zip(some, [None, *adjusted], strict=False):
                alone = self.parts if part is everything else [part]
                groups = [len(np.unique(one.groups[one.there.any(1)])) for one in alone]
                sizes = {"persons": part.there.any(1).sum(), "questions": part.there.any(0).sum()}
                known = {"measure": measure, "groups": sum(groups), "p_holm": p_holm, **sizes}
                yield row_of(TWINS, self, part, part.measured[measure], **known)

    def by_rows(self) -> Iterator[dict]:
        """Yield the hits of each question, of several groups, and of the worst persons."""
        for part, *cells in self._by():
            known = dict(zip(TWINS_BY.names[2:], cells, strict=True))
            yield row_of(TWINS_BY, self, part, **known)

    def _by(self) -> Iterator[tuple]:
        """Yield parts with the other columns of ``TWINS_BY``."""
        for part in self.parts:
            hits, known = part.measured[HITS], part.measured[HITS].pairs > 0
            for cells in zip(part.asked, part.there.sum(0), hits.by_question, strict=True):
                yield part, QUESTION, *cells
            labels = np.unique(part.groups[known])
            for label in labels if len(labels) > 1 else ():
                here = (part.groups == label) & known
                weights = self.people.table.weights[here] * hits.pairs[here]
                mean = np.average(hits.by_person[here], weights=weights)
                yield part, GROUP, label, int(hits.pairs[here].sum()), mean
        if everything := self.of_all:
            number, answers = np.flatnonzero(self.people.place >= 0), everything.there.sum(1)
            excess = everything.measured[HITS].by_person
            worst = np.argsort(np.where(answers > 0, excess, np.inf), kind="stable")[:WORST]
            for at in worst[answers[worst] > 0]:
                yield everything, PERSON, str(number[at]), answers[at], excess[at]


def main(snakemake):
    """Compare twins with their persons, where simulators' runs have names of persons."""
    write_from_persons_and_runs(snakemake, twin_tables)
