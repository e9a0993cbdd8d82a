"""People's answers, of which a few are seen and the others judge.

People who are seen must not judge. Where it is known who answered what, persons are split, each
once for all scenarios that have people in common. Where scenarios have people of their own, each
scenario's people are split. Where the same people may have answered several scenarios and it is not
known who, each scenario's people are split, too. Those who judge a scenario are then independent of
those seen in it, so the hybrid's x⁰ is judged rightly. But κ̂ is one number from many other
scenarios, and may depend on some who judge. Also, intervals can't allow for the error that the same
people add to all scenarios. So the rows say that they are as if different people answered each.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fidelity.hybrids.people import PeopleAlone, people_alone
from fidelity.stream import stream
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import Scenarios, human, may_answer_several, numbers
from fidelity_study.steps.people import options_of
from fidelity_study.steps.unanswered import padded

SPLITS = 10
BY_PERSON, BY_SCENARIO, UNKNOWN = (
    "persons split",
    "each scenario's people split",
    "each scenario's people split, as if different people answered each",
)


@dataclass(frozen=True)
class Asked:
    """People's answers, (m, ...).

    Attributes:
        names: of the scenarios.
        counts: answers per option, NaN where there is no such option, (m, d).
        scores: of the options, NaN where there is none, (m, d), or None.
        clusters: a label each, (m,).
        people: a label each, (m,), where persons are known: equal where they may be the same.
        answers: the option that each person chose, (persons, m), NaN where none; None where
            persons are not known.
        is_apart: whether it is known that those who judge a scenario were not seen in another.
        key: of the dataset's random streams.
    """

    names: list[str]
    counts: np.ndarray
    scores: np.ndarray | None
    clusters: np.ndarray
    people: np.ndarray
    answers: np.ndarray | None
    is_apart: bool
    key: tuple

    @classmethod
    def of(
        cls, scenarios: pa.Table, outcomes: pa.Table, respondents: pa.Table, step: dict
    ) -> "Asked":
        """Take over the columns of the tables; DataError where people are weighted."""
        if any(scenarios["weighted"].to_pylist()):
            raise DataError(
                f"datasets.{step['dataset']}.hybrids: people are weighted, and a few of them can't "
                "be drawn from weighted counts; take hybrids away, or give people without weights"
            )
        known = Scenarios.from_table(scenarios)
        answers = _answers(known, respondents) if len(respondents) else None
        several = may_answer_several(scenarios)
        return cls(
            known.names,
            padded([count.tolist() for count in known.counts(human(outcomes), "count")]),
            options_of(scenarios)["scores"],
            np.array(scenarios["cluster"].to_pylist()),
            np.array([str(label) for label in scenarios["people"].to_pylist()]),
            answers if several else None,
            not several or answers is not None,
            (step["seed"], step["dataset"], "hybrids"),
        )

    @property
    def split(self) -> str:
        """How people are split."""
        if self.answers is not None:
            return BY_PERSON
        return BY_SCENARIO if self.is_apart else UNKNOWN

    def alone(self, rows: np.ndarray, discrepancy: str, sizes: list[int]) -> PeopleAlone:
        """Return people split, and those seen alone, in the scenarios at ``rows``."""
        scores = self.scores
        how: dict = {"discrepancy": discrepancy, "sizes": sizes, "splits": SPLITS}
        names = [self.names[row] for row in rows]
        if self.answers is not None:
            groups = self.people[rows]
            names = np.unique(groups).tolist()
            how |= {"answers": self.answers[:, rows], "groups": groups}
        return people_alone(
            self.counts[rows],
            scores=None if scores is None else scores[rows],
            generator=[stream(*self.key, name) for name in names],
            **how,
        )


def _answers(known: Scenarios, respondents: pa.Table) -> np.ndarray:
    scenario, option = known.places(respondents)
    person = numbers(respondents["respondent"]).astype(np.int64)
    answers = np.full((person.max() + 1, len(known.names)), np.nan)
    answers[person, scenario] = option
    return answers
