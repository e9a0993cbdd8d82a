"""The questions of a dataset, and the people who answered them: how many, how alike, how known."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import pyarrow.compute as pc

from fidelity.comparison.few_clusters import FEW as FEW_CLUSTERS
from fidelity.curves.clusters import effective_clusters
from fidelity_study.reading.settings import PERSON
from fidelity_study.report.tables import Tables
from fidelity_study.steps.arrays import SAME, numbers, repeating, scale_of, shared_people, target_of
from fidelity_study.tables.ingest import RESPONDENTS
from fidelity_study.tables.read_write import read


def fewest_people(scenarios: Iterable[dict]) -> float:
    """Return how many people answered at least.

    Args:
        scenarios: whose each is, ``people``, and how many answered it, ``n_human``.
    """
    most: dict[str | None, float] = {}
    for scenario in scenarios:
        group = scenario["people"]
        most[group] = max(most.get(group, 0.0), scenario["n_human"])
    return sum(most.values())


class Sample(Tables):
    """Scenarios, their clusters, and people, weighted or not."""

    @property
    def event(self) -> str:
        """What is forecast, of outcomes with two options: the second, by its label if all share it.

        Empty for other outcomes.
        """
        if self.kind != "binary":
            return ""
        labels = {str(options[-1]) for options in self.scenarios["option"].to_pylist()}
        return "the event" if len(labels) > 1 or labels == {"1"} else f"“{labels.pop()}”"

    @property
    def diagrammed(self) -> str:
        """Which option reliability diagrams are of."""
        return self.event or "the most likely option"

    @property
    def m(self) -> int:
        """Number of scenarios."""
        return len(self.scenarios)

    @property
    def kind(self) -> str:
        """The kind of outcome, as in the config."""
        return self.scenarios["kind"][0].as_py()

    @property
    def scale(self) -> tuple[float, float]:
        """The smallest and the largest score that an answer can have."""
        return scale_of(self.scenarios)

    @property
    def codes(self) -> tuple[float, float] | None:
        """The first and the last code of each scale; None where they differ between scenarios.

        Nor are there any where two steps between codes are not as far apart as their scores.
        """
        both = zip(*(self.scenarios[name].to_pylist() for name in ("value", "score")), strict=True)
        scales = {(tuple(codes), tuple(scores or ())) for codes, scores in both}
        ends = {(codes[0], codes[-1]) for codes, _ in scales}
        if len(ends) > 1:
            return None
        (ends_of_all,) = ends
        for codes, scores in scales:
            steps = np.interp(codes, ends_of_all, self.scale)
            if len(scores) != len(codes) or not np.allclose(steps, scores):
                return None
        return ends_of_all

    @property
    def is_conjoint(self) -> bool:
        """Whether scenarios are levels of a conjoint's attributes, and each answer's a profile."""
        return bool((self.step.get("effects") or {}).get("attributes"))

    @property
    def condition(self) -> str:
        """The column of an experiment's conditions; empty without one."""
        return (self.step.get("effects") or {}).get("condition") or ""

    @property
    def levels_shown(self) -> int:
        """In how many scenarios an answer counts: a profile shows a level of each attribute."""
        return len(self.step["effects"]["attributes"]) if self.is_conjoint else 1

    @property
    def weighted(self) -> bool:
        """Whether the people are survey-weighted."""
        return bool(numbers(self.scenarios["weighted"]).any())

    @property
    def has_design(self) -> bool:
        """Whether people's variances come from a sampling design."""
        return not np.isnan(numbers(self.scenarios["df"])).all()

    @cached_property
    def has_weights(self) -> bool:
        """Whether some people count more than others, as far as it is known of them."""
        weights = numbers(read(self.files["respondents"][-1], RESPONDENTS, ["weight"])["weight"])
        is_counted = np.allclose(self._people, self._effective)  # fractions alone weigh nobody
        return self.weighted and not is_counted and not (len(weights) and (weights == 1.0).all())

    @cached_property
    def persons(self) -> int | None:
        """How many persons answered, if each answer is known to be of which of them; else None."""
        column = "respondent"
        if self.is_conjoint:  # whose respondents are profiles, and persons the PSUs
            if self.step.get("design", {}).get("psu") != PERSON:
                return None
            column = "psu"
        respondents = read(self.files["respondents"][-1], RESPONDENTS, [column])[column]
        is_known = len(respondents) > 0 and len(respondents) == self._people.sum()
        return pc.count_distinct(respondents).as_py() if is_known else None

    @property
    def respondents_repeat(self) -> bool | None:
        """Whether the same people answer several scenarios; None if it is not known."""
        return repeating(self.scenarios)

    @property
    def shared_people(self) -> int:
        """The most scenarios that people in common may connect."""
        return shared_people(self.scenarios["people"].to_pylist())

    @property
    def all_share_people(self) -> bool:
        """Whether people in common may connect all scenarios, so that no curve tells of others."""
        return self.shared_people == self.m > 1

    @cached_property
    def scenario_names(self) -> list[str]:
        """In the order of the table."""
        return self.scenarios["scenario"].to_pylist()

    @cached_property
    def clusters(self) -> list[str]:
        """The cluster of each scenario."""
        return self.scenarios["cluster"].to_pylist()

    @property
    def n_clusters(self) -> int:
        """Number of clusters of scenarios."""
        return len(set(self.clusters))

    @property
    def clustered(self) -> bool:
        """Whether clusters group the scenarios."""
        return 1 < self.n_clusters < self.m

    @cached_property
    def effective_clusters(self) -> float:
        """The number of equally large clusters that would tell as much of new ones."""
        return effective_clusters(self.clusters)

    @property
    def has_few_clusters(self) -> bool:
        """Whether clusters group the scenarios, and are too few to tell of new ones."""
        return self.clustered and self.effective_clusters < FEW_CLUSTERS

    @property
    def clusters_text(self) -> str:
        """The number of clusters, and how many of equal size tell as much where that is fewer."""
        text = f"{self.n_clusters} clusters (by {self.step['cluster']})"
        if self.n_clusters >= FEW_CLUSTERS > self.effective_clusters:
            return f"{text}, which tell as much as {self.effective_clusters:.2g} of equal size"
        return text

    @property
    def one_cluster(self) -> bool:
        """Whether several scenarios are all of one cluster."""
        return target_of(np.array(self.clusters)) == SAME

    @property
    def of_clusters(self) -> str:
        """The further scenarios for which guarantees hold, as " of the same clusters"."""
        if self.one_cluster:
            return " of the same cluster"
        return " of the same clusters" if self.clustered else ""

    @property
    def _people(self) -> np.ndarray:
        return numbers(self.scenarios["n_human"])

    @property
    def median_answers(self) -> float:
        """The median over scenarios of the answers that bounds rest on, weighted ones fewer."""
        last, there = self.ns[-1], self._effective
        return float(np.median(there if last == "all" else np.minimum(there, float(last))))

    @property
    def _effective(self) -> np.ndarray:
        return numbers(self.scenarios["n_effective"])
