"""Looking at a study while data come in: intervals that hold after every unit, and at any stop.

Units are clusters, in the order in which the first scenario of each was asked, with the means of
their scenarios. Without clusters, units are scenarios. The intervals of all simulators hold at
once, and so do those of all pairs. So the closest may be picked after looking.

Tables:
    SEQUENCE: with `sequential` in the config: what was known after each `unit` (its number and its
        `name`). A unit is a cluster, in the order of its first scenario, or without clusters a
        scenario; `m` scenarios were asked until then. `lower` and `upper` bound the mean
        discrepancy over these units in expectation, each unit with the same weight; `ci_lower` to
        `ci_upper` holds the mean over the units they are drawn from, at all times and for all
        simulators at once with confidence 1 - α, if the order is random and each unit has different
        people. With `other`: the difference from the simulator that is closest in the end; these
        hold for all pairs at once
    DRIFT: with `sequential`: for each simulator, how many `units` there are, what a unit is
        (`unit_is`), the `order` they came in, whether the config says that it was drawn
        `at_random`; the mean plug-in discrepancy of the `first` and the `second` half and a
        `p_value` of their being alike, at any time; or the `reason` why there are no intervals
"""

from collections.abc import Iterator
from math import comb
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.means.looking_early import (
    MOST_VALUES,
    ConfidenceSequence,
    UnitBounds,
    discrepancy_sequence,
    drift_evidence,
    unit_bounds,
)
from fidelity_study.steps.arrays import repeating, row_of
from fidelity_study.steps.cases import Both, Case, cases_of, together
from fidelity_study.steps.draws import is_from_people
from fidelity_study.steps.people import People
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

SEQUENCE = pa.schema(
    [
        ("unit", pa.int32()),
        ("name", LABEL),
        ("m", pa.int32()),
        *columns(LABEL, "simulator", "other", "k", "discrepancy", "answers"),
        *columns(pa.float64(), "lower", "upper", "ci_lower", "ci_upper"),
    ]
)
DRIFT = pa.schema(
    [
        *columns(LABEL, "simulator", "k", "discrepancy", "answers"),
        ("units", pa.int32()),
        *columns(LABEL, "unit_is", "order"),
        ("at_random", pa.bool_()),
        *columns(pa.float64(), "first", "second", "p_value"),
        ("reason", LABEL),
    ]
)

OF_FILE = "of the data"
SCENARIO, CLUSTER = "scenario", "cluster"
FEWEST_OF_DRIFT = 2
FROM_PEOPLE = "answers made of people's answers to the other questions"
NO_LARGEST = "this discrepancy, or its lower bound, has no limits that are known before"
SAME_PEOPLE = (
    "the same people answer questions of several units, so that these are not independent; name"
    " what has people in common as the cluster"
)


class Units(NamedTuple):
    """The units that come one after the other.

    Attributes:
        of: the unit of each scenario, from 0 in the order asked, (m,).
        names: of the units.
        kind: whether they are clusters or scenarios.
    """

    of: np.ndarray
    names: list[str]
    kind: str

    @classmethod
    def by(cls, people: People) -> "Units":
        """Take clusters where these group the scenarios, else the scenarios."""
        clusters = grouped(people.clusters)
        if clusters is None:
            return cls(np.arange(len(people.names)), people.names, SCENARIO)
        _, first, member = np.unique(clusters, return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))
        return cls(place[member], [str(clusters[at]) for at in np.sort(first)], CLUSTER)


def sequence_rows(cases: list[Case], alpha: float, repeat: bool | None) -> Iterator[dict]:
    """Yield the intervals of each simulator after each unit, and of its pair with the closest.

    Args:
        cases: of all simulators.
        alpha: one minus the confidence of all simulators' intervals together, at all times.
        repeat: whether the same people answer several scenarios; None if it is not known.
    """
    looked_at = [case for case in cases if reason(case, repeat) is None]
    many = len({case.own.simulator for case in looked_at})
    for case in looked_at:
        look = _look(case)
        sequence = discrepancy_sequence(look.bounds, eta=alpha / many)
        possible = sequence._replace(lower=np.maximum(sequence.lower, 0.0))  # no mean is below 0
        yield from _rows(case.form(case.answers[0]), case.people, look, possible)
    for k, able in together(looked_at):
        yield from _pair_rows(able, k, alpha / max(comb(many, 2), 1))


def _pair_rows(cases: list[Case], k: str, eta: float) -> Iterator[dict]:
    """Yield how each simulator differs from the one that is closest after all units.

    Those that draw are compared by what they draw from, as in the table of differences.
    """
    closest = min(cases, key=lambda case: _middle(_look(case)))
    for case in cases:
        both = Both.of(case, closest)
        answers = both.answers
        if case is not closest and both.is_compared_at(k) and both.is_about_models:
            bounds = both.estimate(answers).bounds
            reach = np.maximum(bounds.reach, case.missing.largest[both.i] * 2.0)
            look = unit_bounds(bounds._replace(reach=reach), Units.by(case.people).of[both.rows])
            sequence = discrepancy_sequence(look.bounds, eta=eta, difference=True)
            largest = float(look.bounds.reach.max()) / 2.0
            cut = ConfidenceSequence(*(np.clip(limit, -largest, largest) for limit in sequence))
            names = {"simulator": case.own.simulator, "other": closest.own.simulator}
            form = {**both.drawing.form(answers), **names}
            yield from _rows(form, case.people, look, cut)


def _middle(look: UnitBounds) -> float:
    return float(look.bounds.lower.mean() + look.bounds.upper.mean())


def _look(case: Case) -> UnitBounds:
    return unit_bounds(case.bounds[case.answers[0]], Units.by(case.people).of[case.own.rows])


def _rows(
    form: dict, people: People, look: UnitBounds, sequence: ConfidenceSequence
) -> Iterator[dict]:
    names, many = Units.by(people).names, np.arange(1, len(look.units) + 1)
    means = (bound.cumsum() / many for bound in (look.bounds.lower, look.bounds.upper))
    for unit, m, *ends in zip(look.units, look.m, *means, *sequence, strict=True):
        known = dict(zip(SEQUENCE.names[-4:], ends, strict=True))
        yield row_of(SEQUENCE, unit=unit + 1, name=names[unit], m=m, **form, **known)


def drift_rows(cases: list[Case], sequential: dict, repeat: bool | None) -> Iterator[dict]:
    """Yield for each simulator whether its later half differs, or why it has no intervals.

    Args:
        cases: of all simulators.
        sequential: the config's settings on the order.
        repeat: as for :func:`sequence_rows`.
    """
    for case in cases:
        units = Units.by(case.people)
        why = reason(case, repeat)
        there = np.unique(units.of[case.own.rows])
        order = {**sequential, "order": sequential["order"] or OF_FILE}
        known = {**case.form(case.answers[0]), **order, "unit_is": units.kind, "reason": why}
        drift = None
        if why is None and len(there) >= FEWEST_OF_DRIFT:
            look = _look(case)
            drift = drift_evidence(look.bounds.upper, high=float(look.bounds.reach.max()))
        yield row_of(DRIFT, drift, units=len(there), **known)


def reason(case: Case, repeat: bool | None) -> str | None:
    """Return why there are no intervals that hold at all times; None where there are."""
    if is_from_people(case.own.simulator):
        return FROM_PEOPLE
    if not np.isfinite(case.bounds[case.answers[0]].reach).all():
        return NO_LARGEST
    units = Units.by(case.people)
    if repeat and _links(case.people, units):
        return SAME_PEOPLE
    if len(units.names) > MOST_VALUES:
        return f"there are more than {MOST_VALUES:,} units"
    return None


def _links(people: People, units: Units) -> bool:
    """Return whether any people answer scenarios of several units."""
    labels = people.responses.respondents
    assert labels is not None
    pairs = set(zip(labels.tolist(), units.of.tolist(), strict=True))
    return len(pairs) > len(set(labels.tolist()))


def main(snakemake):
    """Say what was known after each unit, while data came in."""
    step, files = snakemake.params.step, snakemake.input
    judged = cases_of(files, step)
    repeat = repeating(read(files.scenarios, SCENARIOS))
    made = {
        "sequence": (sequence_rows(judged, step["test"]["alpha"], repeat), SEQUENCE),
        "drift": (drift_rows(judged, step["sequential"], repeat), DRIFT),
    }
    write_tables(snakemake.output, made, step)
