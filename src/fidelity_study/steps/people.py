"""People's answers, and the answers of simulators beside them, from the tables."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.responses import Responses
from fidelity.sets.bounds import OPEN
from fidelity_study.steps import persons
from fidelity_study.steps.arrays import (
    Scenarios,
    codes,
    first_replicate,
    may_answer_several,
    numbers,
)
from fidelity_study.steps.design import Sizes
from fidelity_study.steps.unanswered import padded

OF_REPLICATES = "replicate weights"


@dataclass(frozen=True)
class People:
    """People's answers to m scenarios.

    Attributes:
        names: of the scenarios.
        responses: all that is known of the answers.
        weighted: whether counts are effective numbers.
        key: of the dataset's random streams.
        sizes: the numbers that people are worth by their design; None if there is none.
    """

    names: list[str]
    responses: Responses
    weighted: bool
    key: tuple
    sizes: Sizes | None = None

    @classmethod
    def of(
        cls, scenarios: pa.Table, sample: pa.Table, step: dict, respondents: pa.Table | None = None
    ) -> "People":
        """Take over the columns of the tables; persons are known if ``respondents`` has rows.

        What is known of all people is left out where ``sample`` has only some of them.
        """
        first = first_replicate(sample)
        place = codes(first["scenario"], scenarios["scenario"].to_pylist())
        counts = padded(first["count"].to_pylist())[np.argsort(place)]
        known: dict = {}
        sizes = Sizes.of(scenarios)
        if np.allclose(np.nansum(counts, axis=1), sizes.effective):
            known["replicates"] = replicates(scenarios, counts.shape)
            known["squares"] = squares(scenarios, sizes)
        if respondents and may_answer_several(scenarios):
            answers = persons.answers_of(respondents, Scenarios.from_table(scenarios))
            if persons.gave(answers, counts):
                known["answers"] = persons.in_unit(answers, counts)
        return cls.who_gave(counts, scenarios, step, **known)

    @classmethod
    def who_gave(
        cls, counts: np.ndarray, scenarios: pa.Table, step: dict, **known: Any
    ) -> "People":
        """Take over the scenarios' columns on people with these counts, (m, d)."""
        labels, sizes = scenarios["people"].to_pylist(), Sizes.of(scenarios)
        responses = Responses(
            counts,
            sizes=np.nansum(counts, axis=1),
            clusters=scenarios["cluster"].to_pylist(),
            respondents=[*map(str, labels)] if may_answer_several(scenarios) else None,
            df=sizes.df,
            **options_of(scenarios),
            **known,
        )
        key = step["seed"], step["dataset"], "mean discrepancy"
        is_weighted = any(scenarios["weighted"].to_pylist())
        return cls(scenarios["scenario"].to_pylist(), responses, is_weighted, key, sizes)

    @property
    def clusters(self) -> np.ndarray:
        """The scenarios' clusters; each has its own where there are none, (m,)."""
        clusters = self.responses.clusters
        return np.array(self.names) if clusters is None else clusters

    def mean_size(self, rows: np.ndarray) -> float:
        """Return how many people answered the scenarios at ``rows``, on average."""
        size = self.responses.only(rows).sizes
        if self.sizes is not None:
            size = size * self.sizes.people[rows] / self.sizes.effective[rows]
        return float(size.mean())

    @property
    def unit(self) -> str | None:
        """What errors of means are computed from, besides each scenario's own counts."""
        if self.responses.answers is not None:
            return persons.OF_PERSONS if self.responses.answers.psu is None else persons.OF_PSUS
        return None if self.responses.replicates is None else OF_REPLICATES


def options_of(scenarios: pa.Table) -> dict:
    """Return what can be answered: scores, and limits of numbers, as arguments of ``Responses``."""
    scores, kinds = scenarios["score"].to_pylist(), set(scenarios["kind"].to_pylist())
    limits: Any = None
    if "real" in kinds:
        limits = OPEN
    elif "bounded" in kinds:
        limits = np.stack([numbers(scenarios[name]) for name in ("lower", "upper")], 1)
    return {"scores": None if None in scores else padded(scores), "limits": limits}


def replicates(scenarios: pa.Table, shape: tuple[int, int]) -> np.ndarray | None:
    """Return the shares by each set of replicate weights, (m, d, R); None if there are none."""
    lists = scenarios["replicates"].to_pylist()
    if not lists or any(shares is None for shares in lists):
        return None
    table = np.zeros((*shape, len(lists[0][0])))
    for rows, shares in zip(table, lists, strict=True):
        rows[: len(shares)] = shares
    return table


def squares(scenarios: pa.Table, sizes: Sizes) -> np.ndarray | None:
    """Return sums of squared weights by option, (m, d), in the unit of counts; None if unknown."""
    lists = scenarios["square"].to_pylist()
    if not lists or any(sums is None for sums in lists):
        return None
    return padded(lists) * (sizes.effective / sizes.people)[:, None] ** 2
