"""Plans of a next study: how many people bring the mean's interval within a width.

Also, for each simulator, set and coverage, the cheapest study for each width of the calibrated
curve.

Tables:
    MEAN_PLANS: if the config has `plan`: how many people bring the interval of the mean over these
        `m` scenarios within plus or minus a `width`, for each `simulator` (at its most draws, `k`)
        and `discrepancy`: `half_length` (of this study's interval), `n` (people in each scenario,
        on average), `times` (as many as in this study; 1 where it is reached), `cost`; `n`, `times`
        and `cost` are empty where 1,000 times as many are not enough
    PLANS: if the config has `plan`, of the area under the calibrated curve the cheapest next study
        for each `simulator`, `discrepancy`, `confidence_set`, `gamma` and `width`, so that the mean
        over the worst `tail` of the scenarios (1: all) comes within the width of the truth with a
        `probability`: `m`, `n`, `k` (a number, or `stated`), `cost`; empty where no study comes so
        near. Its error: `bias`, of which `calibration` remains with any number of people, `excess`
        and `noise` (means of what the set and the noise of the answers add), `scenario_sd` (over √m
        the standard error); without a plan, those of the study that comes nearest. `smallest_width`
        (what remains with any number of scenarios), `cheapest` (whether no other γ is cheaper),
        `pilot_scenarios` (what it is planned from: the largest group with the same options),
        `of_scenarios` (that the simulator answers)
    ISO_WIDTH: the lines of equal width: for a plan's cell, `width` and `k`, the smallest `m` for
        each `n`
"""

from collections.abc import Iterable, Iterator
from itertools import product
from math import inf
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fidelity.planning.people import LargerStudies
from fidelity.planning.pilot import Pilot
from fidelity.planning.plan import Costs, StudyError, cheapest_of, planned_scenarios, study_error
from fidelity.sets.gamma import parse_coverage
from fidelity.stream import stream
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import Scenarios, human
from fidelity_study.steps.cases import Case, cases, people_and_simulators
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.unanswered import fullest
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS, STATED
from fidelity_study.tables.read_write import read, read_all, write_tables

FEWEST = 2

PLANNED_CELL = [
    *columns(LABEL, "simulator", "discrepancy", "confidence_set", "gamma"),
    ("width", pa.float64()),
]
PLANS = pa.schema(
    [
        *PLANNED_CELL,
        *columns(pa.float64(), "probability", "tail"),
        *columns(pa.int32(), "pilot_scenarios", "of_scenarios"),
        ("m", pa.int64()),
        ("n", pa.int32()),
        ("k", LABEL),
        *columns(pa.float64(), "cost", "bias", "calibration", "excess", "noise", "scenario_sd"),
        ("smallest_width", pa.float64()),
        ("cheapest", pa.bool_()),
    ]
)
MEAN_PLANS = pa.schema(
    [
        *columns(LABEL, "simulator", "k", "discrepancy"),
        *columns(pa.float64(), "width", "half_length"),
        *columns(pa.int64(), "m", "n"),
        *columns(pa.float64(), "times", "cost"),
    ]
)
ISO_WIDTH = pa.schema([*PLANNED_CELL, ("k", LABEL), ("n", pa.int32()), ("m", pa.int64())])

ROUNDING = 1e-9

STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
MOST_PEOPLE = 10_000
PEOPLE = np.array([*(round(10**ten * step) for ten in (1, 2, 3) for step in STEPS), MOST_PEOPLE])
DRAWS = np.array([25.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0])


def mean_plans(cases: Iterable[Case], step: dict) -> Iterator[dict]:
    """Yield the rows of MEAN_PLANS: the fewest people for the mean over these very scenarios.

    What is planned is the interval of the mean discrepancy that the page shows: of the answers that
    the simulator gave, or the probabilities that it states. A width is half its length. Without
    ``times`` no number of people up to 1,000 times as many is enough.
    """
    plan, alpha = step["plan"], step["test"]["alpha"]
    price = plan["costs"]
    for case in cases:
        pilot = LargerStudies.of(
            case.estimate(case.answers[0]),
            case.q,
            discrepancy=case.discrepancy,
            level=1.0 - alpha,
            generator=stream(*case.people.key, "plan", case.own.k, case.own.simulator),
        )
        if not np.isfinite(pilot.now):
            continue
        m = len(case.own.rows)
        for width in plan["width"]:
            times = pilot.fewest_times(width)
            row = {**case.keys, "width": width, "half_length": pilot.now, "m": m}
            if times is not None:
                n = int(np.ceil(people_of(case) * times * (1.0 - ROUNDING)))
                cost = m * (price["scenario"] + n * price["answer"])
                row |= {"n": n, "times": times, "cost": cost}
            yield row


def people_of(case: Case) -> float:
    """Return how many people answered a scenario of a case, on average."""
    size, sizes = case.responses.sizes, case.people.sizes
    if sizes is not None:
        size = sizes.people[case.own.rows] * size / sizes.effective[case.own.rows]
    return float(size.mean())


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
            pilots = {
                (name, parse_coverage(gamma).label): study
                for gamma in plan["gamma"]
                for name, study in studies(people, scores, simulators, plan, gamma=gamma, **form)
            }
            for width, name, label in product(
                plan["width"], simulators, dict.fromkeys(label for _, label in pilots)
            ):
                cell = {"simulator": name, **form, "gamma": label, "width": width}
                row, line = cheapest_and_line(*pilots[name, label], simulators[name], width, plan)
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
        {"k": k, "n": int(n_people), "m": int(many)}
        for n_people, many in zip(PEOPLE, m, strict=True)
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


def main(snakemake):
    """Find the cheapest studies that come near the truth.

    For the mean over these very scenarios: all of them, with all that is known of people. For
    curves: the largest group of scenarios with the same options and scores, with all answers of
    people and simulators. Observed shares are used without shrinkage; their noise makes plans
    cautious.
    """
    step, files = snakemake.params.step, snakemake.input
    scenarios = Scenarios.from_table(read(files.scenarios, SCENARIOS))
    outcomes = read_all(files.outcomes, OUTCOMES)
    stated = read_all(files.stated, STATED)
    members, scale = max(scenarios.groups(), key=lambda group: len(group[0]))
    if len(members) < FEWEST:
        raise DataError(
            f"datasets.{step['dataset']}.plan: a pilot has at least {FEWEST} scenarios with the "
            "same options; leave out plan"
        )
    people = shares(scenarios.counts(human(outcomes), "count"), members)
    answers = {
        name: answers_of(name, scenarios, outcomes, stated, members) for name in step["simulators"]
    }
    enough = {name: answer for name, answer in answers.items() if len(answer.rows) >= FEWEST}
    scores = None if scale.scores is None else np.array(scale.scores)
    rows, lines = plans(people, scores, enough, step["plan"])
    asked, given = people_and_simulators(files, step)
    made = {
        "plans": (rows, PLANS),
        "iso_width": (lines, ISO_WIDTH),
        "means": (mean_plans(cases(asked, fullest(given), step), step), MEAN_PLANS),
    }
    write_tables(snakemake.output, made, step)
