"""The discrepancies by name."""

from fidelity.discrepancies.base import Discrepancy
from fidelity.discrepancies.divergences import (
    ChiSquared,
    Hellinger,
    JensenShannon,
    KullbackLeibler,
    SquaredEuclidean,
)
from fidelity.discrepancies.linear import (
    Mean,
    OfParameter,
    TotalVariation,
    Wasserstein,
    median_of,
    variance_of,
)

DISCREPANCIES: dict[str, Discrepancy] = {
    each.name: each
    for each in (
        Mean("absolute", 1),
        Mean("squared", 2),
        TotalVariation(),
        Wasserstein(),
        KullbackLeibler(),
        Hellinger(),
        ChiSquared(),
        JensenShannon(),
        SquaredEuclidean(),
        OfParameter("variance", "variance", variance_of),
        OfParameter("median", "quantile 1/2", median_of),
    )
}


def discrepancy_named(name: str) -> Discrepancy:
    """Return a discrepancy; ValueError lists the names there are."""
    if not isinstance(name, str) or name not in DISCREPANCIES:
        raise ValueError(f"unknown discrepancy {name!r}; there are: {', '.join(DISCREPANCIES)}")
    return DISCREPANCIES[name]
