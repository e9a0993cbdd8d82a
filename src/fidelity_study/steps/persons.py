"""Who answered what, as far as a dataset tells."""

import numpy as np
import pyarrow as pa

from fidelity.responses import Answers
from fidelity_study.steps.arrays import Scenarios, numbers

OF_PERSONS = "whole persons left out"
OF_PSUS = "whole PSUs left out within strata"


def answers_of(respondents: pa.Table, scenarios: Scenarios) -> Answers:
    """Return who answered what, and how persons were drawn, from the table's columns."""
    person, weight = (respondents[name].to_numpy() for name in ("respondent", "weight"))
    scenario, option = scenarios.places(respondents)
    return Answers(person, scenario, option, weight, **_design(respondents))


def _design(respondents: pa.Table) -> dict:
    """Return strata and PSUs of persons by number, and the rule; none where persons are the units.

    The last persons stand for PSUs where nobody answered.
    """
    if respondents["psu"].null_count:
        return {}
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
    return {
        "strata": np.concatenate([known[0], silent]),
        "psu": np.concatenate([known[1], there.max() + 1 + np.arange(len(silent))]),
        "lonely_psu": rule,
    }


def in_unit(answers: Answers, counts: np.ndarray) -> Answers:
    """Return answers with weights that add up to the counts of their scenarios, (m, d)."""
    scenario, weight = np.asarray(answers.scenario), np.asarray(answers.weight)
    total = np.bincount(scenario, weight, len(counts))
    return answers._replace(weight=weight * (np.nansum(counts, axis=1) / total)[scenario])


def counted(answers: Answers, exists: np.ndarray) -> np.ndarray:
    """Return the weight of all who chose each option, NaN where there is none, (m, d)."""
    place = np.asarray(answers.scenario), np.asarray(answers.option)
    cell = np.ravel_multi_index(place, exists.shape)
    many = np.bincount(cell, answers.weight, exists.size).reshape(exists.shape)
    return np.where(exists, many, np.nan)


def gave(answers: Answers, counts: np.ndarray) -> bool:
    """Return whether these answers, in any unit, are the ones counted, (m, d)."""
    again = counted(answers, ~np.isnan(counts))
    with np.errstate(invalid="ignore"):
        one, two = (table / np.nansum(table, axis=1, keepdims=True) for table in (again, counts))
    return np.allclose(one, two, atol=1e-12, equal_nan=True)


def only(answers: Answers, chosen: np.ndarray) -> Answers:
    """Return some answers."""
    names = ("person", "scenario", "option", "weight")
    return answers._replace(**{name: getattr(answers, name)[chosen] for name in names})


def at(answers: Answers, rows: np.ndarray) -> Answers:
    """Return the answers to some scenarios, in growing order, which are numbered anew."""
    part = only(answers, np.isin(answers.scenario, rows))
    return part._replace(scenario=np.searchsorted(rows, part.scenario))
