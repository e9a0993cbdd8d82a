"""Who answered what, as far as a dataset tells."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.means.persons import person_errors
from fidelity.responses import Answers as KnownAnswers
from fidelity.responses import Responses, Simulator
from fidelity_study.steps.arrays import Scenarios, numbers

OF_PERSONS = "whole persons left out"
OF_PSUS = "whole PSUs left out within strata"


def errors(
    told: "Answers | None", people: Responses, *simulators: Simulator, discrepancy: str
) -> np.ndarray | None:
    """Return the errors of the mean lower and upper bound, (2,); None where nobody is known.

    Args:
        told: who answered what in the scenarios of the responses.
        people: their responses.
        simulators: one, or two that are compared.
        discrepancy: its name.
    """
    if told is None:
        return None
    known = Responses(
        told.counted(people.exists),
        scores=people.scores,
        sizes=people.sizes,
        answers=told.known,
    )
    return person_errors(known, *simulators, discrepancy=discrepancy)


@dataclass(frozen=True)
class PersonsDesign:
    """How persons were drawn, (persons,) each; the last ones stand for PSUs where nobody answered.

    Attributes:
        strata, psu: a label for each person by number.
        lonely_psu: what a stratum with a single PSU adds to variances.
    """

    strata: np.ndarray
    psu: np.ndarray
    lonely_psu: str

    @classmethod
    def of(cls, respondents: pa.Table) -> "PersonsDesign | None":
        """Take over the table's columns; None where persons are the units."""
        if respondents["psu"].null_count:
            return None
        person, psu, stratum, size = (
            numbers(respondents[name]).astype(np.int64)
            for name in ("respondent", "psu", "stratum", "psus_in_stratum")
        )
        there, first = np.unique(psu, return_index=True)
        lacking = dict(zip(stratum.tolist(), size.tolist(), strict=True))
        for home in stratum[first].tolist():
            lacking[home] -= 1
        silent = np.repeat(list(lacking), list(lacking.values())).astype(np.int64)
        known = np.zeros((2, int(person.max()) + 1), np.int64)
        known[:, person] = stratum, psu
        (rule,) = respondents["lonely_psu"].unique().to_pylist()
        return cls(
            np.concatenate([known[0], silent]),
            np.concatenate([known[1], there.max() + 1 + np.arange(len(silent))]),
            rule,
        )


@dataclass(frozen=True)
class Answers:
    """Who answered what, (N,) each.

    Attributes:
        person: a number for each person.
        scenario, option: the positions of the scenario and of the option that was chosen.
        weight: what the answer counts.
        design: how persons were drawn; None where they are the units.
    """

    person: np.ndarray
    scenario: np.ndarray
    option: np.ndarray
    weight: np.ndarray
    design: PersonsDesign | None = None

    @classmethod
    def of(cls, respondents: pa.Table, scenarios: Scenarios) -> "Answers":
        """Take over the table's columns."""
        person, weight = (respondents[name].to_numpy() for name in ("respondent", "weight"))
        design = PersonsDesign.of(respondents)
        return cls(person, *scenarios.places(respondents), weight, design)

    @property
    def known(self) -> KnownAnswers:
        """The same as the library takes it."""
        design = {} if self.design is None else vars(self.design)
        return KnownAnswers(**self._arrays | design)

    @property
    def unit(self) -> str:
        """The units that are left out."""
        return OF_PERSONS if self.design is None else OF_PSUS

    @property
    def _arrays(self) -> dict[str, Any]:
        return {name: each for name, each in vars(self).items() if name != "design"}

    def counted(self, exists: np.ndarray) -> np.ndarray:
        """Return the weight of all who chose each option, NaN where there is none, (m, d)."""
        cell = np.ravel_multi_index((self.scenario, self.option), exists.shape)
        many = np.bincount(cell, self.weight, exists.size).reshape(exists.shape)
        return np.where(exists, many, np.nan)

    def gave(self, counts: np.ndarray) -> bool:
        """Return whether these answers, in any unit, are the ones counted, (m, d)."""
        told = self.counted(~np.isnan(counts))
        with np.errstate(invalid="ignore"):
            one, two = (each / np.nansum(each, axis=1, keepdims=True) for each in (told, counts))
        return np.allclose(one, two, atol=1e-12, equal_nan=True)

    def only(self, chosen: np.ndarray) -> "Answers":
        """Return some answers."""
        some = {name: each[chosen] for name, each in self._arrays.items()}
        return replace(self, **some)

    def at(self, rows: np.ndarray) -> "Answers":
        """Return the answers to some scenarios, in growing order, which are numbered anew."""
        own = self.only(np.isin(self.scenario, rows))
        return replace(own, scenario=np.searchsorted(rows, own.scenario))
