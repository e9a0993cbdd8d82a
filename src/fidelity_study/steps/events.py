"""Stated probabilities beside people's answers, as rows for the measures of calibration.

A probability is stated for a group of people: the respondents of one persona in a scenario, or all
of a scenario's. A row is the people of a group who chose the same option. Scenarios with fewer
options than others get columns of zeros: nobody chose these, and 0 is stated of them. They change
neither a proper score nor the most likely option.
"""

import numpy as np
import pyarrow as pa

from fidelity.calibration import Groups
from fidelity_study.steps.arrays import Scenarios, codes, numbers

PERSONA, SCENARIO = "persona", "scenario"


def groups_of(
    scenarios: Scenarios,
    people: pa.Table,
    personas: pa.Table,
    stated: pa.Table,
    stated_by_persona: pa.Table,
) -> Groups:
    """Return a simulator's statements for personas if it has any, else for whole scenarios.

    Groups without a statement, or without an answer, are left out.

    Args:
        scenarios: of the dataset.
        people: people's answers, columns ``scenario, value, count``.
        personas: the same with a column ``persona``.
        stated, stated_by_persona: this simulator's probabilities.
    """
    known = sorted(set(stated_by_persona["persona"].unique().to_pylist()))
    by_persona = _grouped(PERSONA, scenarios, known, personas, stated_by_persona)
    if len(by_persona.scenario):
        return by_persona
    return _grouped(SCENARIO, scenarios, None, people, stated)


def _grouped(
    stated_for: str,
    scenarios: Scenarios,
    personas: list[str] | None,
    people: pa.Table,
    stated: pa.Table,
) -> Groups:
    """Line up both tables by (scenario, persona), or by scenario if ``personas`` is None."""
    many = 1 if personas is None else max(1, len(personas))

    def places(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
        scenario, option = scenarios.places(table)
        if personas is None:
            return scenario, option
        persona = np.nan_to_num(codes(table["persona"], personas), nan=-1).astype(np.int64)
        return np.where(persona < 0, -1, scenario * many + persona), option

    (said, option), (asked, answer) = places(stated), places(people)
    keys = np.intersect1d(said, asked)
    keys = keys[keys >= 0]
    scenario = (keys // many).astype(int)
    sizes = np.array([len(scenarios.values[j]) for j in scenario], int)
    start = np.cumsum(sizes) - sizes

    def vectors(key: np.ndarray, option: np.ndarray, number: np.ndarray) -> list[np.ndarray]:
        kept = np.isin(key, keys)
        at = start[np.searchsorted(keys, key[kept])] + option[kept]
        flat = np.bincount(at, weights=number[kept], minlength=sizes.sum())
        return np.split(flat, start[1:]) if len(keys) else []

    return Groups(
        stated_for,
        scenario,
        vectors(asked, answer, numbers(people["count"])),
        vectors(said, option, numbers(stated["probability"])),
    )
