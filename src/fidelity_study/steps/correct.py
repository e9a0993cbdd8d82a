"""The corrections of simulators, and their answers when fitted to certain people.

A correction is fitted to people's answers to scenarios of other clusters only. It is one more
simulator. :mod:`fidelity_study.steps.corrections` tells whether it is nearer to people.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
import pyarrow as pa

from fidelity.baselines.base import BASELINES
from fidelity.correction.folds import Corrected
from fidelity.correction.gain import people_elsewhere
from fidelity.correction.mixture import stacked, tempered_mixture
from fidelity.correction.ridge import corrected_ridge, wording_features
from fidelity_study.steps.arrays import clusters_of
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.unanswered import Answered
from fidelity_study.tables.common import KINDS

ALL_TOGETHER = "all simulators"
TEMPERED, RIDGE, STACKED = KINDS
MIXED = "mixed"
MOST_FEATURES = 5


@dataclass(frozen=True)
class Questions:
    """The facts on m scenarios that corrections may use besides answers.

    Attributes:
        clusters: a label each, (m,).
        features: of their wording, (m, f); None where there is none.
    """

    clusters: np.ndarray
    features: np.ndarray | None

    @classmethod
    def of(cls, described: pa.Table) -> "Questions":
        """Take over the table's columns; a name alone is no wording."""
        texts, names = (described[name].to_pylist() for name in ("question", "scenario"))
        return cls(clusters_of(described), None if texts == names else features(texts))

    def at(self, rows: np.ndarray) -> "Questions":
        """Return some scenarios."""
        return Questions(
            self.clusters[rows], None if self.features is None else self.features[rows]
        )


def features(texts: list[str]) -> np.ndarray:
    """Return numbers that describe wordings, (m, f)."""
    return wording_features(texts, min(MOST_FEATURES, len(texts)))


@dataclass(frozen=True)
class Correction:
    """A correction of one simulator, or of all together.

    Attributes:
        kind: its name.
        simulators: the simulators that are corrected.
    """

    kind: str
    simulators: list[Answered]

    @property
    def form(self) -> dict:
        """The columns that identify the correction; one of all together has no simulator."""
        single = self.simulators[0].simulator if self.kind == TEMPERED else None
        forms = {simulator.k for simulator in self.simulators}
        k = forms.pop() if len(forms) == 1 else MIXED
        return {"simulator": single, "k": k, "correction": self.kind}

    @property
    def name(self) -> str:
        """Its name beside simulators."""
        return corrected_name(self.form["simulator"], self.kind)

    @cached_property
    def rows(self) -> np.ndarray:
        """Positions of the scenarios that all simulators answer."""
        return np.sort(reduce(np.intersect1d, (simulator.rows for simulator in self.simulators)))

    @cached_property
    def stated(self) -> list[np.ndarray]:
        """The probabilities of each simulator there."""
        return [simulator.q[simulator.places(self.rows)] for simulator in self.simulators]

    def fitted(self, counts: np.ndarray, questions: Questions) -> Corrected:
        """Return it fitted to these people, in the scenarios at ``rows``."""
        return corrected(self.kind, counts[self.rows], self.stated, questions.at(self.rows))


def wanted(answered: list[Answered], kinds: list[str]) -> Iterator[Correction]:
    """Yield the corrections of simulators under test, each in the form in which it is shown."""
    tested = [simulator for simulator in answered if simulator.simulator not in BASELINES]
    yield from corrections(list(shown(tested)), kinds)


def corrections(tested: list[Answered], kinds: list[str]) -> Iterator[Correction]:
    """Yield the corrections of simulators that answer in one form each."""
    for kind in kinds:
        if kind == TEMPERED:
            yield from (Correction(kind, [simulator]) for simulator in tested)
        else:
            yield Correction(kind, tested)


def shown(answered: list[Answered]) -> Iterator[Answered]:
    """Yield each simulator once: its stated probabilities, else the largest common k of draws."""
    forms: dict[str, dict[str, Answered]] = {}
    for answers in answered:
        forms.setdefault(answers.simulator, {})[answers.k] = answers
    drawn = [by_k.keys() - {STATED_FORM} for by_k in forms.values()]
    common = set.intersection(*filter(None, drawn)) if any(drawn) else set()
    for by_k in forms.values():
        yield by_k[STATED_FORM] if STATED_FORM in by_k else by_k[max(common, key=int)]


def corrected(
    kind: str, counts: np.ndarray, stated: list[np.ndarray], questions: Questions
) -> Corrected:
    """Return the corrected probabilities of each scenario, fitted to the other clusters.

    Args:
        kind: one of ``KINDS``.
        counts: people's answers, (m, d); all 0 where nobody was asked.
        stated: the probabilities of each simulator, (m, d); one simulator for ``tempered``.
        questions: the other facts on the scenarios.
    """
    clusters = questions.clusters
    if kind == TEMPERED:
        return tempered_mixture(counts, stated[0], clusters=clusters)
    if kind == RIDGE:
        return corrected_ridge(counts, stated, features=questions.features, clusters=clusters)
    return stacked(counts, stated, clusters=clusters)


def from_people(
    kinds: list[str], counts: np.ndarray, questions: Questions
) -> dict[str, list[np.ndarray]]:
    """Return the forecasts that the same people give without a simulator, for each kind, (m, d).

    The mixture of a uniform guess and pooled shares. For a correction that uses more than these,
    the same correction of a uniform guess, too.
    """
    mixture = people_elsewhere(counts, clusters=questions.clusters)
    forecasts = {kind: [mixture] for kind in kinds}
    if RIDGE in forecasts:
        exists = ~np.isnan(counts)
        uniform = np.where(exists, 1.0 / exists.sum(1, keepdims=True), np.nan)
        forecasts[RIDGE].append(corrected(RIDGE, counts, [uniform], questions).probabilities)
    return forecasts


def for_new(
    kind: str,
    counts: np.ndarray,
    stated: list[np.ndarray],
    questions: Questions,
    new: list[np.ndarray],
) -> np.ndarray:
    """Return corrected answers to m scenarios and M questions that nobody was asked, (m + M, d).

    All are in the same folds, so that both are corrected alike.

    Args:
        kind, counts, stated: as :func:`corrected`, of the m scenarios that people answered.
        questions: the facts on these, then on the new ones, m + M.
        new: the probabilities of each simulator for the new ones, (M, d), in the same columns.
    """
    unasked = np.where(np.isnan(new[0]), np.nan, 0.0)
    both = [np.vstack(tables) for tables in zip(stated, new, strict=True)]
    return corrected(kind, np.vstack([counts, unasked]), both, questions).probabilities


def parameters(fitted: Corrected) -> dict:
    """Return the fitted parameters: medians over folds, but means of weights, which add up to 1.

    ``weight`` is the weight of all simulators together.
    """
    given = fitted.parameters
    if "penalty" in given:
        columns = {"penalty": given["penalty"]}
    elif "temperature" in given:
        names = ("weight", "weight_uniform", "weight_pooled")
        columns = {"temperature": given["temperature"]}
        columns |= dict(zip(names, given["weights"].T, strict=True))
    else:
        uniform = given["weights"][:, -1]
        columns = {"weight": 1.0 - uniform, "weight_uniform": uniform}
    return {
        name: float(column.mean() if name.startswith("weight") else np.median(column))
        for name, column in columns.items()
    }


def corrected_name(simulator: str | None, kind: str) -> str:
    """Return the name of a corrected simulator beside other simulators."""
    return f"{simulator or ALL_TOGETHER}, corrected ({kind})"
