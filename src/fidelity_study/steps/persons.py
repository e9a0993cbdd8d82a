"""Who answered what, as far as a dataset tells."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.means.persons import person_errors
from fidelity_study.steps.arrays import Scenarios

OF_PERSONS = "whole persons left out"


def errors(told: "Answers | None", measured: dict, **drawn: Any) -> np.ndarray | None:
    """Return the errors of the mean lower and upper bound, (2,); None where nobody is known.

    Args:
        told: who answered what in the scenarios measured.
        measured: the arguments that the library's functions have in common.
        drawn: the arguments on draws, and on another simulator.
    """
    if told is None:
        return None
    counts = told.counted(~np.isnan(measured["counts"]))
    return person_errors(**measured | {"counts": counts} | vars(told), **drawn)


@dataclass(frozen=True)
class Answers:
    """Who answered what, (N,) each.

    Attributes:
        person: a number for each person.
        scenario, option: the positions of the scenario and of the option that was chosen.
        weight: what the answer counts.
    """

    person: np.ndarray
    scenario: np.ndarray
    option: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, respondents: pa.Table, scenarios: Scenarios) -> "Answers":
        """Take over the table's columns."""
        person, weight = (respondents[name].to_numpy() for name in ("respondent", "weight"))
        return cls(person, *scenarios.places(respondents), weight)

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
        return Answers(*(each[chosen] for each in vars(self).values()))

    def at(self, rows: np.ndarray) -> "Answers":
        """Return the answers to some scenarios, in growing order, which are numbered anew."""
        own = self.only(np.isin(self.scenario, rows))
        return replace(own, scenario=np.searchsorted(rows, own.scenario))
