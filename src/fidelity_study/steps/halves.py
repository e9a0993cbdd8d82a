"""The answers to several prompts in halves, from the tables of what language models were asked."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fidelity.comparison.halves import Halves, halved_answers
from fidelity.stream import stream
from fidelity_study.ask.prompts import ANSWERS
from fidelity_study.steps.arrays import Scenarios, codes

SPLITS = 50


@dataclass(frozen=True)
class Splits:
    """The answers of all prompts of one simulator, halved at random in many ways.

    Whole rounds of the options' orders are halved; in a round each option stands once at each
    place. Halves of other respondents would differ by the places of the options, in opposite ways.
    Where there is one round only, the draws of each respondent are halved. All prompts are halved
    alike.

    Attributes:
        scenarios: all of them.
        people: their shares in each.
        clusters: of the scenarios.
        halves: by the position of the scenario, of those that can be halved.
    """

    scenarios: Scenarios
    people: list[np.ndarray]
    clusters: np.ndarray
    halves: dict[int, Halves]

    @property
    def rows(self) -> np.ndarray:
        """Positions of the scenarios that can be halved."""
        return np.array(sorted(self.halves), np.int64)

    def scores(self, discrepancy: str, is_smoothed: bool) -> np.ndarray:
        """Return the discrepancies of both halves, (2, S, P, m), in the scenarios at ``rows``."""
        scales = self.scenarios.scales
        scores = [
            self.halves[j].scores(self.people[j], discrepancy, scales[j].scores, is_smoothed)
            for j in self.rows
        ]
        return np.stack(scores, axis=-1)


def splits_of(
    described: pa.Table, people: list[np.ndarray], asked: dict[str, pa.Table], step: dict
) -> dict[str, Splits]:
    """Return the halved answers of each simulator that is asked in several prompts."""
    scenarios, halves = Scenarios.from_table(described), dict[str, dict[int, Halves]]()
    clusters = np.array(described["cluster"].to_pylist())
    for stem, prompts in step["prompted"].items():
        given = [_by_scenario(asked[name], scenarios.names) for name in prompts]
        halves[stem] = {}
        for j, (name, values) in enumerate(zip(scenarios.names, scenarios.values, strict=True)):
            answers = [by_scenario.get(j, []) for by_scenario in given]
            if all(answers):
                generator = stream(step["seed"], step["dataset"], stem, "prompts", name)
                if halved := halved_answers(_sums(answers, values), generator, splits=SPLITS):
                    halves[stem][j] = halved
    return {stem: Splits(scenarios, people, clusters, made) for stem, made in halves.items()}


def _by_scenario(asked: pa.Table, names: list[str]) -> dict[int, list[dict]]:
    """Return the usable answers of one prompt, by the position of the scenario."""
    usable: dict[int, list[dict]] = {}
    columns = ["respondent", "draw", "mode", "order", "value", "share", "reason"]
    place = codes(asked["scenario"], names)
    for j, row in zip(place.tolist(), asked.select(columns).to_pylist(), strict=True):
        if row["reason"] is None:
            usable.setdefault(j, []).append(row)
    return usable


def _sums(given: list[list[dict]], values: list[float]) -> np.ndarray:
    """Return how often each option was chosen in each unit of each prompt, (P, U, d)."""
    d = len(values)
    every = [row for rows in given for row in rows]
    unit = "round" if max(row["respondent"] for row in every) >= d else "draw"
    unit_of = {"round": lambda row: row["respondent"] // d, "draw": lambda row: row["draw"]}[unit]
    sums = np.zeros((len(given), 1 + max(map(unit_of, every)), d))
    place = {value: option for option, value in enumerate(values)}
    for i, rows in enumerate(given):
        for row in rows:
            if row["mode"] == ANSWERS:
                sums[i, unit_of(row), place[row["value"]]] += 1.0
            else:
                sums[i, unit_of(row), [place[value] for value in row["order"]]] += row["share"]
    return sums
