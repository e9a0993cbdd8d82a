"""How far bounds of the mean discrepancy lie above the truth: python -m fidelity_audit.tightness

Prints a table: three populations like published studies, with 50, 200 or 1,000
people per scenario and a good simulator. It has areas under upper curves and bounds of the mean,
divided by the true mean, averaged over studies.
"""

import argparse
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator
from synthetic.populations import population_named

from fidelity.curves.envelope import GAMMA_GRID, envelope_curve, exact_envelope_curve
from fidelity.curves.guarantee import certified_curve
from fidelity.curves.quantile import area_under_curve
from fidelity.means.average import discrepancy_bounds
from fidelity.pseudo_discrepancies import between, pseudo_discrepancy
from fidelity.responses import Responses

POPULATIONS = {
    "opinionqa_like": ("tv", "multinomial_kl_paper"),
    "worldvalues_like": ("squared", "hoeffding"),
    "eedi_like": ("absolute", "bernoulli_kl"),
}
PEOPLE = (50, 200, 1000)
SHARES = [Fraction(2 * i + 1, 200) for i in range(100)]
EXACT = ("exact .5", "exact .9", "exact envelope")
COLUMNS = ("paper", "witness", "envelope", "upper", "lower", *EXACT)


def ratios(name: str, n: int, generator: Generator) -> np.ndarray:
    """Return one study's bounds over the true mean, in the order of :data:`COLUMNS`.

    Exact curves, with 95 % confidence at each point, are compared where all of them are finite.
    """
    discrepancy, of_paper = POPULATIONS[name]
    population = population_named(name).draw(generator)
    p, q = population.p, population.answers(generator)["good"]
    measure: dict[str, Any] = {"discrepancy": discrepancy, "scores": population.scores}
    truth = between(p, q, **measure).mean()
    counts = generator.multinomial(n, p).astype(float)

    def upper(chosen: str, gamma: float) -> np.ndarray:
        return pseudo_discrepancy(counts, q, confidence_set=chosen, gamma=gamma, **measure).upper

    at = np.stack([upper("witness", gamma) for gamma in GAMMA_GRID], axis=1)
    half = at[:, GAMMA_GRID.index(0.5)]
    people = Responses(counts, scores=population.scores)
    bounds = discrepancy_bounds(people, q, discrepancy=discrepancy)
    exact = [
        certified_curve(half, 0.5, SHARES, 0.05),
        certified_curve(at[:, GAMMA_GRID.index(0.9)], 0.9, SHARES, 0.05),
        exact_envelope_curve(at, SHARES, 0.05),
    ]
    finite = np.isfinite(exact).all(0)
    return (
        np.array(
            [
                area_under_curve(upper(of_paper, 0.5), 0.5),
                area_under_curve(half, 0.5),
                envelope_curve(at, SHARES).mean(),
                bounds.upper.mean(),
                bounds.lower.mean(),
                *(curve[finite].mean() for curve in exact),
            ]
        )
        / truth
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=40, help="how many of each")
    studies = parser.parse_args().studies
    print("| population | people | " + " | ".join(COLUMNS) + " |")
    print("|---|" + "---:|" * (len(COLUMNS) + 1))
    for name in POPULATIONS:
        for n in PEOPLE:
            of_studies = [ratios(name, n, np.random.default_rng(seed)) for seed in range(studies)]
            means = " | ".join(f"{value:.2f}" for value in np.mean(of_studies, axis=0))
            print(f"| {name} | {n:,} | {means} |", flush=True)


if __name__ == "__main__":
    main()
