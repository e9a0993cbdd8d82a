"""How often people's answers lie in intervals that a simulator states or that fit its answers.

Tables:
    INTERVALS: for outcomes that are numbers, per simulator, `family` (normal, Cauchy) and `level`:
        `coverage` of people's answers (PICP) by the interval that the simulator states, or that its
        own answers suggest, with limits `lower`, `upper` for these scenarios and new people (exact
        where everyone answers one scenario, else wide enough for the worst that people in several
        can cause) and `clustered_lower`, `clustered_upper` for new clusters (with fewer than 40
        clusters, each counts as one observation), mean `width` and interval `score`; `m_constant`
        scenarios are left out, where all the simulator's answers are equal
"""

from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.calibration.intervals import FITS, interval_coverage
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import clusters_of, codes, human, may_answer_several, numbers, only
from fidelity_study.steps.given import distributions, given, lined_up
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

INTERVALS = pa.schema(
    [
        *columns(LABEL, "simulator", "family"),
        ("level", pa.float64()),
        *columns(pa.int32(), "m", "m_constant"),
        *columns(pa.float64(), "people", "coverage", "lower", "upper", "clustered_lower"),
        *columns(pa.float64(), "clustered_upper", "width", "score"),
    ]
)

MEASURED = ("coverage", "lower", "upper", "width", "score")


def answers(outcomes, names: list[str]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Return position of the scenario -> distinct values and how often each was given."""
    scenario = codes(outcomes["scenario"], names)
    order = np.argsort(scenario, kind="stable")
    values, counts = (numbers(outcomes[name])[order] for name in ("value", "count"))
    distinct, first = np.unique(scenario[order], return_index=True)
    parts = (np.split(column, first[1:]) for column in (values, counts))
    return {int(j): part for j, *part in zip(distinct, *parts, strict=False)}


def measured(people: dict, fits: dict, clusters, several: bool, family: str, step: dict):
    """Yield a row for each level, over the scenarios where the simulator has an interval.

    ``fits`` has the location and the scale by the position of the scenario.
    """
    levels = step["calibration"]["levels"]
    asked = [j for j in fits if j in people]
    kept = [j for j in asked if fits[j][1] > 0]
    if len(set(clusters[kept])) < 2:
        return
    sizes, *stated, mass = lined_up(kept, fits, people)
    counts = np.ceil(mass - 1e-9)
    rows: dict[str, Any] = dict(zip(("loc", "scale", "outcome"), stated, strict=True))
    rows |= {"levels": levels, "family": family, "confidence": 1 - step["test"]["alpha"]}
    rows |= {"counts": counts, "weights": mass / counts}
    coverage = interval_coverage(**rows)
    samples = np.repeat(kept, sizes) if several else None
    clustered = interval_coverage(
        **rows, clusters=np.repeat(clusters[kept], sizes), samples=samples
    )
    known = {"family": family, "m": len(kept), "m_constant": len(asked) - len(kept)}
    for i, level in enumerate(levels):
        ends = {"clustered_lower": clustered.lower[i], "clustered_upper": clustered.upper[i]}
        ends |= {name: getattr(coverage, name)[i] for name in MEASURED}
        yield {"level": level, "people": mass.sum(), **known, **ends}


def main(snakemake):
    """Measure how often people's answers lie in simulators' intervals."""
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    names = scenarios["scenario"].to_pylist()
    clusters, several = clusters_of(scenarios), may_answer_several(scenarios)
    outcomes = read(snakemake.input.outcomes, OUTCOMES)
    people, stated = answers(human(outcomes), names), given(snakemake.input.given)
    rows = []
    for simulator in step["simulators"]:
        drawn = answers(only(outcomes, source=simulator), names)
        families = distributions(stated, simulator, names).families
        fits = families or {
            family: {j: fit(*drawn[j]) for j in drawn if j in people}
            for family, fit in FITS.items()
        }
        for family, fitted in fits.items():
            coverages = measured(people, fitted, clusters, several, family, step)
            rows += [row | {"simulator": simulator} for row in coverages]
    if not rows:
        raise DataError(
            f"dataset {step['dataset']}, calibration: intervals need a simulator whose answers "
            "differ within a scenario, or that states distributions, in at least 2 scenarios; "
            "take the key calibration away"
        )
    write_tables(snakemake.output, {"intervals": (rows, INTERVALS)}, step)
