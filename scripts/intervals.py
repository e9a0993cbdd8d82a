"""How often people's answers lie in the intervals that a simulator's own answers suggest."""

import numpy as np

from fidelity.calibration.intervals import FITS, interval_coverage
from fidelity_study.errors import DataError
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import (
    among,
    clusters_of,
    codes,
    human,
    may_answer_several,
    numbers,
)
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.intervals import INTERVALS
from fidelity_study.tables.read_write import read, write_csv, write_rows


def main(snakemake):
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    names = scenarios["scenario"].to_pylist()
    clusters, several = clusters_of(scenarios), may_answer_several(scenarios)
    outcomes = read(snakemake.input.outcomes, OUTCOMES)
    people = answers(human(outcomes), names)
    rows = []
    for simulator in step["simulators"]:
        own = answers(outcomes.filter(among(outcomes["source"], [simulator])), names)
        for family in FITS:
            found = measured(people, own, clusters, several, family, step["calibration"]["levels"])
            rows += [{"simulator": simulator, **row} for row in found]
    if not rows:
        raise DataError(
            f"dataset {step['dataset']}, calibration: intervals need a simulator whose answers "
            "differ within a scenario, in at least 2 scenarios; take the key calibration away"
        )
    write_rows(snakemake.output.intervals, rows, INTERVALS, step)
    write_csv(snakemake.output.csv, rows, INTERVALS.names)


def answers(outcomes, names: list[str]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Return position of the scenario -> distinct values and how often each was given."""
    scenario = codes(outcomes["scenario"], names)
    order = np.argsort(scenario, kind="stable")
    values, counts = (numbers(outcomes[name])[order] for name in ("value", "count"))
    found, first = np.unique(scenario[order], return_index=True)
    parts = (np.split(each, first[1:]) for each in (values, counts))
    return {int(j): part for j, *part in zip(found, *parts, strict=False)}


def measured(people: dict, own: dict, clusters, several: bool, family: str, levels: list):
    """Yield a row for each level, over the scenarios where the simulator suggests an interval."""
    asked = [j for j in own if j in people]
    fits = {j: FITS[family](*own[j]) for j in asked}
    kept = [j for j in asked if fits[j][1] > 0]
    if len(set(clusters[kept])) < 2:
        return
    sizes = [len(people[j][0]) for j in kept]
    loc, scale = (np.repeat([fits[j][i] for j in kept], sizes) for i in (0, 1))
    outcome, mass = (np.concatenate([people[j][i] for j in kept]) for i in (0, 1))
    counts = np.ceil(mass - 1e-9)
    rows = {"loc": loc, "scale": scale, "outcome": outcome, "levels": levels, "family": family}
    rows |= {"counts": counts, "weights": mass / counts}
    each = interval_coverage(**rows)
    samples = np.repeat(kept, sizes) if several else None
    clustered = interval_coverage(
        **rows, clusters=np.repeat(clusters[kept], sizes), samples=samples
    )
    for i, level in enumerate(levels):
        yield {
            "family": family,
            "level": level,
            "m": len(kept),
            "m_constant": len(asked) - len(kept),
            "people": float(mass.sum()),
            **{name: float(getattr(each, name)[i]) for name in MEASURED},
            "clustered_lower": float(clustered.lower[i]),
            "clustered_upper": float(clustered.upper[i]),
        }


MEASURED = ("coverage", "lower", "upper", "width", "score")

run(main, snakemake)
