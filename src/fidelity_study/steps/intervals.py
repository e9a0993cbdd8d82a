"""How often people's answers lie in intervals that a simulator states or that fit its answers."""

from typing import Any

import numpy as np

from fidelity.calibration.intervals import interval_coverage
from fidelity_study.steps.arrays import codes, numbers

MEASURED = ("coverage", "lower", "upper", "width", "score")


def answers(outcomes, names: list[str]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Return position of the scenario -> distinct values and how often each was given."""
    scenario = codes(outcomes["scenario"], names)
    order = np.argsort(scenario, kind="stable")
    values, counts = (numbers(outcomes[name])[order] for name in ("value", "count"))
    found, first = np.unique(scenario[order], return_index=True)
    parts = (np.split(each, first[1:]) for each in (values, counts))
    return {int(j): part for j, *part in zip(found, *parts, strict=False)}


def measured(people: dict, fits: dict, clusters, several: bool, family: str, levels: list):
    """Yield a row for each level, over the scenarios where the simulator has an interval.

    ``fits`` has the location and the scale by the position of the scenario.
    """
    asked = [j for j in fits if j in people]
    kept = [j for j in asked if fits[j][1] > 0]
    if len(set(clusters[kept])) < 2:
        return
    sizes = [len(people[j][0]) for j in kept]
    loc, scale = (np.repeat([fits[j][i] for j in kept], sizes) for i in (0, 1))
    outcome, mass = (np.concatenate([people[j][i] for j in kept]) for i in (0, 1))
    counts = np.ceil(mass - 1e-9)
    rows: dict[str, Any] = {
        **{"loc": loc, "scale": scale, "outcome": outcome, "levels": levels, "family": family},
        **{"counts": counts, "weights": mass / counts},
    }
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
