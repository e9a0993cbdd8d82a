"""Plans of a next study: for each simulator, set and coverage the cheapest for each width."""

from collections.abc import Iterator
from itertools import product
from math import inf
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fidelity.planning.pilot import Pilot
from fidelity.planning.plan import Costs, StudyError, cheapest_of, planned_scenarios, study_error
from fidelity.sets.gamma import parse_coverage
from fidelity_study.steps.arrays import Scenarios
from fidelity_study.steps.draws import STATED_FORM

STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
MOST_PEOPLE = 10_000
PEOPLE = np.array([*(round(10**ten * step) for ten in (1, 2, 3) for step in STEPS), MOST_PEOPLE])
DRAWS = np.array([25.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0])


class Answers(NamedTuple):
    """A simulator's answers in the pilot.

    Attributes:
        rows: the pilot's scenarios that it answers, (M,).
        share: shares of its answers, or stated probabilities, (M, d).
        k: draws per scenario to consider, (K,); infinite for stated probabilities.
        of_scenarios: the number of the dataset's scenarios that it answers.
    """

    rows: np.ndarray
    share: np.ndarray
    k: np.ndarray
    of_scenarios: int


def plans(
    people: np.ndarray, scores: np.ndarray | None, simulators: dict[str, Answers], plan: dict
) -> tuple[list[dict], list[dict]]:
    """Return the rows of the tables PLANS and ISO_WIDTH.

    Args:
        people: shares of people's answers in the pilot's scenarios, (M, d).
        scores: of the options, (d,), or None.
        simulators: by name.
        plan: the config's key, complete.
    """
    rows, lines = [], []
    for discrepancy, sets in plan["pairs"].items():
        for chosen in sets:
            form = {"discrepancy": discrepancy, "confidence_set": chosen}
            found = {
                (name, parse_coverage(gamma).label): study
                for gamma in plan["gamma"]
                for name, study in studies(people, scores, simulators, plan, gamma=gamma, **form)
            }
            for width, name, label in product(
                plan["width"], simulators, dict.fromkeys(label for _, label in found)
            ):
                cell = {"simulator": name, **form, "gamma": label, "width": width}
                row, line = cheapest_and_line(*found[name, label], simulators[name], width, plan)
                rows.append({**cell, **row})
                lines += [{**cell, **point} for point in line]
    mark_cheapest(rows)
    return rows, lines


def studies(
    people: np.ndarray, scores, simulators: dict[str, Answers], plan: dict, **cell
) -> Iterator[tuple[str, tuple[Pilot, StudyError]]]:
    """Yield (simulator, (pilot, errors at PEOPLE × k)) for one discrepancy, set and coverage.

    The set's bounds on people are the same for all simulators, and computed once.
    """
    measure = {**cell, "tail": plan["tail"], "scores": scores}
    everybody = Pilot(people, people, **measure)
    supports = [everybody.support(n) for n in PEOPLE]
    for name, answers in simulators.items():
        pilot = Pilot(people[answers.rows], answers.share, **measure)
        excess = [
            pilot.excess(n, support[answers.rows])
            for n, support in zip(PEOPLE, supports, strict=True)
        ]
        errors = study_error(pilot, PEOPLE[:, None], answers.k, np.array(excess).T[:, :, None])
        yield name, (pilot, errors)


def cheapest_and_line(
    pilot: Pilot, errors: StudyError, answers: Answers, width: float, plan: dict
) -> tuple[dict, list[dict]]:
    """Return the cheapest plan and the points of its line of equal width.

    Where no study comes so near, there is no line, and the errors are those of the nearest study.
    """
    promise = {"width": width, "probability": plan["probability"]}
    costs, n = Costs(**plan["costs"]), PEOPLE[:, None]
    best = cheapest_of(pilot, errors, n, answers.k, costs=costs, **promise)
    bias = np.asarray(errors.bias)
    nearest = np.unravel_index(np.argmin(bias), bias.shape)
    row = {
        "probability": plan["probability"],
        "tail": plan["tail"],
        "pilot_scenarios": len(answers.rows),
        "of_scenarios": answers.of_scenarios,
        "smallest_width": float(bias[nearest]),
    }
    if best is None:
        return {**row, **errors.at(nearest)._asdict()}, []
    k = STATED_FORM if best.k == inf else f"{best.k:.0f}"
    m = planned_scenarios(pilot, errors, **promise)[:, answers.k.tolist().index(best.k)]
    line = [
        {"k": k, "n": int(each), "m": int(many)}
        for each, many in zip(PEOPLE, m, strict=True)
        if many < inf
    ]
    study = {"m": best.m, "n": best.n, "k": k, "cost": best.cost}
    return {**row, **study, **best.error._asdict()}, line


def mark_cheapest(rows: list[dict]) -> None:
    """Mark the coverage at which a simulator's width is cheapest to reach, the first of equals."""
    cheapest: dict[tuple, dict] = {}
    for row in rows:
        row["cheapest"] = False
        cell = tuple(row[key] for key in ("simulator", "discrepancy", "confidence_set", "width"))
        if "cost" in row and row["cost"] < cheapest.get(cell, {"cost": inf})["cost"]:
            cheapest[cell] = row
    for row in cheapest.values():
        row["cheapest"] = True


def answers_of(
    name: str, scenarios: Scenarios, outcomes: pa.Table, stated: pa.Table, members: np.ndarray
) -> Answers:
    """Return a simulator's stated probabilities, or else all its draws."""
    form, vectors = scenarios.answers(name, outcomes, stated)
    rows = np.flatnonzero([vectors[j].any() for j in members])
    return Answers(
        rows=rows,
        share=shares(vectors, members[rows]),
        k=np.array([inf]) if form == STATED_FORM else DRAWS,
        of_scenarios=sum(bool(vector.any()) for vector in vectors),
    )


def shares(vectors: list[np.ndarray], members: np.ndarray) -> np.ndarray:
    """Return the shares of the options in scenarios with as many of them, (M, d)."""
    counts = np.array([vectors[j] for j in members])
    return counts / counts.sum(-1, keepdims=True)
