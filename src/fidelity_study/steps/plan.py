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

from fidelity.arrays import ArrayLike
from fidelity.means.scales import shares
from fidelity.planning.people import LargerStudies
from fidelity.planning.pilot import Pilot
from fidelity.planning.plan import Costs, StudyError, cheapest_of, planned_scenarios, study_error
from fidelity.sets.gamma import parse_coverage
from fidelity.stream import stream
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import Scenarios, human, row_of
from fidelity_study.steps.cases import Case, cases_of, shown
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS, STATED
from fidelity_study.tables.read_write import read, read_all, write_tables

FEWEST = 2

PLANNED_CELL = columns(LABEL, "simulator", "discrepancy", "confidence_set", "gamma")
PLANS = pa.schema(
    [
        *PLANNED_CELL,
        *columns(pa.float64(), "width", "probability", "tail"),
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
ISO_WIDTH = pa.schema(
    [*PLANNED_CELL, ("width", pa.float64()), ("k", LABEL), ("n", pa.int32()), ("m", pa.int64())]
)

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
    plan, level = step["plan"], 1.0 - step["test"]["alpha"]
    for case in cases:
        generator = stream(*case.people.key, "plan", case.own.k, case.own.simulator)
        how: dict = {"discrepancy": case.discrepancy, "level": level, "generator": generator}
        pilot = LargerStudies.of(case.estimate(case.answers[0]), case.q, **how)
        m, people = len(case.own.rows), case.people.mean_size(case.own.rows)
        for width in plan["width"] if np.isfinite(pilot.now) else ():
            times = pilot.fewest_times(width)
            known = {**case.keys, "width": width, "half_length": pilot.now, "m": m, "times": times}
            if times is not None:
                n = int(np.ceil(people * times * (1.0 - ROUNDING)))
                known |= {"n": n, "cost": Costs(**plan["costs"]).of(m, n, inf)}
            yield row_of(MEAN_PLANS, **known)


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
    people: np.ndarray, scores: ArrayLike | None, simulators: dict[str, Answers], plan: dict
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
            how = {**form, "tail": plan["tail"], "scores": scores}
            pilots = {
                parse_coverage(gamma).label: studies(people, simulators, gamma=gamma, **how)
                for gamma in plan["gamma"]
            }
            for width, name, label in product(plan["width"], simulators, pilots):
                cell = {"simulator": name, **form, "gamma": label, "width": width}
                row, line = cheapest_and_line(cell, *pilots[label][name], simulators[name], plan)
                rows.append(row)
                lines += line
    mark_cheapest(rows)
    return rows, lines


def studies(
    people: np.ndarray, simulators: dict[str, Answers], **measure
) -> dict[str, tuple[Pilot, StudyError]]:
    """Return each simulator's pilot, and errors at PEOPLE × k, by one set and coverage.

    The set's bounds on people are the same for all simulators, and computed once.
    """
    everybody, made = Pilot(people, people, **measure), {}
    supports = [everybody.support(n) for n in PEOPLE]
    for name, (rows, share, k, _) in simulators.items():
        pilot = Pilot(people[rows], share, **measure)
        excess = [pilot.excess(n, at[rows]) for n, at in zip(PEOPLE, supports, strict=True)]
        made[name] = pilot, study_error(pilot, PEOPLE[:, None], k, np.array(excess).T[:, :, None])
    return made


def cheapest_and_line(
    cell: dict, pilot: Pilot, errors: StudyError, answers: Answers, plan: dict
) -> tuple[dict, list[dict]]:
    """Return the cheapest plan of a cell, and the points of its line of equal width.

    Where no study comes so near, there is no line, and the errors are those of the nearest study.
    """
    promise = {"width": cell["width"], "probability": plan["probability"]}
    costs, k, bias = Costs(**plan["costs"]), answers.k, np.asarray(errors.bias)
    best = cheapest_of(pilot, errors, PEOPLE[:, None], k, costs=costs, **promise)
    nearest = np.unravel_index(np.argmin(bias), bias.shape)
    known = {**cell, **promise, "tail": plan["tail"], "smallest_width": bias[nearest]}
    known |= {"pilot_scenarios": len(answers.rows), "of_scenarios": answers.of_scenarios}
    if best is None:
        return row_of(PLANS, errors.at(nearest), **known), []
    known["k"] = STATED_FORM if best.k == inf else f"{best.k:.0f}"
    m = planned_scenarios(pilot, errors, **promise)[:, k.tolist().index(best.k)]
    points = ({"n": n, "m": int(many)} for n, many in zip(PEOPLE, m, strict=True) if many < inf)
    line = [row_of(ISO_WIDTH, **cell, k=known["k"], **point) for point in points]
    return row_of(PLANS, best, best.error, **known), line


def mark_cheapest(rows: list[dict]) -> None:
    """Mark the coverage at which a simulator's width is cheapest to reach, the first of equals."""
    first: dict[tuple, dict] = {}
    for row in sorted(rows, key=lambda row: inf if row.get("cost") is None else row["cost"]):
        cell = tuple(row[key] for key in ("simulator", "discrepancy", "confidence_set", "width"))
        row["cheapest"] = row.get("cost") is not None and row is first.setdefault(cell, row)


def answers_of(
    name: str, scenarios: Scenarios, outcomes: pa.Table, stated: pa.Table, members: np.ndarray
) -> Answers:
    """Return a simulator's stated probabilities, or else all its draws."""
    form, vectors = scenarios.answers(name, outcomes, stated)
    rows = np.flatnonzero([vectors[j].any() for j in members])
    share = shares(np.array([vectors[j] for j in members[rows]]))
    k = np.array([inf]) if form == STATED_FORM else DRAWS
    return Answers(rows, share, k, sum(bool(vector.any()) for vector in vectors))


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
    counts, tables = scenarios.counts(human(outcomes), "count"), (outcomes, stated)
    people = shares(np.array([counts[j] for j in members]))
    of_all = {name: answers_of(name, scenarios, *tables, members) for name in step["simulators"]}
    enough = {name: answers for name, answers in of_all.items() if len(answers.rows) >= FEWEST}
    rows, lines = plans(people, scale.scores, enough, step["plan"])
    made = {
        "plans": (rows, PLANS),
        "iso_width": (lines, ISO_WIDTH),
        "means": (mean_plans(shown(cases_of(files, step)), step), MEAN_PLANS),
    }
    write_tables(snakemake.output, made, step)
