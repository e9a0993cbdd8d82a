"""Bounds on the discrepancy of each single question.

Curves have the coverages γ that the config names. A reader of one question wants a bound that
holds; so its bounds have 1 - η each, whatever γ is.
"""

import pyarrow as pa

from fidelity.levels import rational
from fidelity.sets.gamma import Coverage
from fidelity_study.steps.arrays import Scenarios, first_replicate
from fidelity_study.steps.confidence_set import known_bounds
from fidelity_study.steps.pseudo_discrepancy import pseudo_discrepancies
from fidelity_study.steps.samples import families


def question_bounds(
    scenarios: pa.Table,
    people: pa.Table,
    simulated: pa.Table,
    sets: dict[str, str],
    smoothed: list[str],
    dataset: str,
    eta: float,
    sigma: float | None = None,
) -> pa.Table:
    """Return rows of ``PSEUDO_DISCREPANCY``, of the first replicate.

    Args:
        scenarios, people, simulated: the tables of a dataset, of the largest n.
        sets: discrepancy -> confidence set.
        smoothed: discrepancies whose draws are smoothed.
        dataset: its name, for sets that use a random order of the answers.
        eta: how often each bound may fail.
        sigma: of sub-Gaussian outcomes.
    """
    pairs = {discrepancy: [chosen] for discrepancy, chosen in sets.items()}
    people, simulated = first_replicate(people), first_replicate(simulated)
    known = Scenarios.from_table(scenarios)
    counts: list = [None] * len(known.names)
    for scenario, count in zip(
        people["scenario"].to_pylist(), people["count"].to_pylist(), strict=True
    ):
        counts[known.names.index(scenario)] = count
    level = Coverage(fixed=1 - rational(eta))
    bounds = known_bounds(scenarios, people, [level], pairs, (dataset, "single questions"), sigma)
    return pseudo_discrepancies(families(known, bounds, simulated, pairs), counts, smoothed)
