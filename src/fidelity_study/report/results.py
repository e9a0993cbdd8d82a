"""All that is known of a dataset: its tables, its sample, and which simulators are shown how."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from fidelity.baselines.base import BASELINES
from fidelity.baselines.from_answers import Pooled
from fidelity_study.report.formats import span
from fidelity_study.report.palette import colour
from fidelity_study.report.sample import Sample
from fidelity_study.report.tables import first, grouped
from fidelity_study.steps.correct import corrected_name
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.tables.common import KINDS, headline_set

MOST_SHOWN = 8


class Predictor(NamedTuple):
    """Who predicts: a simulator, or corrected ones.

    Attributes:
        name: in the tables.
        label: its plain name.
        simulator: which it is, or is a correction of; None of all together.
        correction: its kind; None if it is none.
    """

    name: str
    label: str
    simulator: str | None
    correction: str | None


class Results(Sample):
    """A dataset's tables, with what simulators are called, and in which form each is shown."""

    @property
    def simulators(self) -> list[str]:
        """In the order of the config."""
        return self.step["simulators"]

    def named(self, simulator: str) -> str:
        """Return a simulator's plain name."""
        return self.step["names"][simulator]["label"]

    def colour(self, simulator: str) -> str:
        """Return a simulator's colour, the same on every page and figure."""
        return colour(simulator, self.step["places"][simulator])

    def described(self, simulator: str) -> str:
        """Return a simulator's description; empty if there is none."""
        description: str = self.step["names"][simulator]["describe"]
        if description != Pooled.describe:
            return description
        alike = self.clustered or self.one_cluster
        where = f" of the same cluster (by {self.step['cluster']})" if alike else ""
        return f"The shares of people's answers to other {self.nouns}{where}."

    def predictors(self, simulators: list[str]) -> list[Predictor]:
        """Return each simulator and its corrections, then the corrections of all together."""
        predictors = []
        for name in [*simulators, None]:
            label = None if name is None else self.named(name)
            if name is not None and label is not None:
                predictors.append(Predictor(name, label, name, None))
            predictors += [
                Predictor(corrected_name(name, kind), corrected_name(label, kind), name, kind)
                for kind in KINDS
            ]
        return predictors

    def headline_set(self, discrepancy: str) -> str:
        """Return the set of the headline figures: witness where it is among the grid's."""
        chosen = headline_set(self.pairs[discrepancy])
        assert chosen is not None
        return chosen

    @cached_property
    def _answering(self) -> dict[str, set[str]]:
        """The simulators that answer in each form, k from low to high, then ``stated``."""
        there = {key[2] for key in self._curves}
        forms = [*sorted(there - {STATED_FORM}, key=int), *sorted(there & {STATED_FORM})]
        return {form: {key[1] for key in self._curves if key[2] == form} for form in forms}

    @cached_property
    def drawing(self) -> set[str]:
        """The simulators that give draws and state no probabilities."""
        return set().union(*self._answering.values()) - self._answering.get(STATED_FORM, set())

    def compared_at(self, *simulators: str) -> str:
        """Return the largest k of those of some simulators who draw; ``stated`` if none does."""
        drawing = self.drawing.intersection(simulators)
        if not drawing:
            return STATED_FORM
        return [form for form, answering in self._answering.items() if answering >= drawing][-1]

    def under_test(self, simulators: list[str]) -> list[str]:
        """Return the simulators that are no baselines; all where there are baselines only."""
        return [name for name in simulators if name not in BASELINES] or simulators

    def draws(self, row: dict) -> str:
        """Return the number of draws in a row of the summary: "50", or "43 to 50"."""
        return span(np.array([row["k_fewest"], row["k_most"]]))

    @property
    def subsampled(self) -> list[str]:
        """Of whose answers only a part is used, in some numbers."""
        drawn = [form for form in self._answering if form != STATED_FORM]
        people = ["people"] if self.ns != ["all"] else []
        return [*people, *(["simulated answers"] if len(drawn) > 1 else [])]

    def main_form(self, simulator: str) -> str:
        """Return the form in which a simulator is shown: what it states, or else all its draws."""
        return self.compared_at(simulator)

    def as_shown(self, rows: list[dict]) -> list[dict]:
        """Return the rows in which each simulator has the form in which it is shown."""
        return [row for row in rows if row["k"] == self.main_form(row["simulator"])]

    @cached_property
    def shown(self) -> list[str]:
        """Simulators that figures show: all, or the first under test and the lowest curves."""
        if len(self.simulators) <= MOST_SHOWN:
            return self.simulators
        if not self.files["curves"]:
            return self.simulators[:MOST_SHOWN]
        discrepancy = next(iter(self.pairs))
        cell = {"discrepancy": discrepancy, "confidence_set": self.headline_set(discrepancy)}
        rows = self.as_shown(self.summary_rows(n=self.ns[-1], gamma=self.gammas[0], **cell))
        area = {row["simulator"]: row["auc"] for row in rows}
        first = self.under_test(self.simulators)[0]
        others = [name for name in self.simulators if name != first]
        chosen = {first, *sorted(others, key=area.__getitem__)[: MOST_SHOWN - 1]}
        return [name for name in self.simulators if name in chosen]

    @cached_property
    def calibration(self) -> dict[str, tuple[dict, list[dict]]]:
        """Simulator -> (its scores, its bins), of those that state probabilities."""
        bins = grouped(self.reliability, "simulator")
        scores = {row["simulator"]: row for row in self.calibration_scores}
        return {name: (row, bins.get(name, [])) for name, row in scores.items()}

    @cached_property
    def calibrated(self) -> dict[str, dict]:
        """Simulator -> its scores of calibration; none if the config doesn't ask for them."""
        return {name: scores for name, (scores, _) in self.calibration.items()}

    def relations(self, simulator: str) -> dict:
        """Return how a simulator's answers go together, over all pairs; empty if not measured."""
        row = first(self.structure, simulator=simulator, topic=None)
        return {} if not row or row["lacking"] else row

    @property
    def answering_fewer(self) -> list[str]:
        """The simulators that answer in some scenarios only, each with their number."""
        many = {name: self.scenarios_of(name) for name in self.simulators}
        return [f"{self.named(name)} in {m}" for name, m in many.items() if m < self.m]

    @property
    def scenarios_text(self) -> str:
        """The number of scenarios, and that of each simulator that answers fewer."""
        fewer = ", ".join(self.answering_fewer)
        return f"m = {self.m} {self.nouns}" + (f" ({fewer})" if fewer else "")

    def scenarios_of(self, simulator: str) -> int:
        """Return in how many scenarios a simulator answers."""
        return max((row["m"] for row in self.summary_rows(simulator=simulator)), default=self.m)
