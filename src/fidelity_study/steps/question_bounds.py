"""Bounds on the discrepancy of each single question, with 95 % confidence.

Curves have the coverages γ that the config names. A reader of one question wants a bound that
holds; so its bounds have 95 % each, whatever γ is.
"""

from fractions import Fraction

import pyarrow as pa

from fidelity.sets.gamma import Coverage
from fidelity_study.steps.arrays import Scenarios, first_replicate
from fidelity_study.steps.confidence_set import known_bounds
from fidelity_study.steps.pseudo_discrepancy import pseudo_discrepancies
from fidelity_study.steps.samples import families

LEVEL = Coverage(fixed=Fraction("0.95"))


def question_bounds(
    scenarios: pa.Table,
    people: pa.Table,
    simulated: pa.Table,
    sets: dict[str, str],
    smoothed: list[str],
    dataset: str,
) -> pa.Table:
    """Return rows of ``PSEUDO_DISCREPANCY`` at 95 %, of the first replicate.

    Args:
        scenarios, people, simulated: the tables of a dataset, of the largest n.
        sets: discrepancy -> confidence set.
        smoothed: discrepancies whose draws are smoothed.
        dataset: its name, for sets that use a random order of the answers.
    """
    pairs = {discrepancy: [chosen] for discrepancy, chosen in sets.items()}
    people, simulated = first_replicate(people), first_replicate(simulated)
    known = Scenarios.from_table(scenarios)
    counts: list = [None] * len(known.names)
    for scenario, count in zip(
        people["scenario"].to_pylist(), people["count"].to_pylist(), strict=True
    ):
        counts[known.names.index(scenario)] = count
    bounds = known_bounds(scenarios, people, [LEVEL], pairs, (dataset, "single questions"))
    return pseudo_discrepancies(families(known, bounds, simulated, pairs), counts, smoothed)
