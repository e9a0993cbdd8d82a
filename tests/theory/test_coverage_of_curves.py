"""Do the curves hold for new scenarios, on average and with the promised probability?

The true quantile curve is taken from a huge sample of a synthetic survey. Measured
frequencies may miss their nominal value by four standard errors.
"""

import numpy as np
import pytest

from fidelity import certified_curve, pseudo_discrepancy, quantile_curve
from fidelity.pseudo_discrepancies import between
from fidelity.sets.gamma import parse_coverage

ETA = 0.05
TAU = np.linspace(0.05, 0.95, 19)
PROFILES = np.array(
    [
        [0.05, 0.1, 0.2, 0.35, 0.3],
        [0.3, 0.35, 0.2, 0.1, 0.05],
        [0.1, 0.2, 0.4, 0.2, 0.1],
        [0.3, 0.15, 0.1, 0.15, 0.3],
        [0.55, 0.25, 0.1, 0.06, 0.04],
    ]
)


def four_standard_errors(share, trials):
    return 4 * np.sqrt(share * (1 - share) / trials)


def survey(m, generator):
    """Return p and a biased simulator's q for m questions, p ~ Dirichlet(12b + .15)."""

    def dirichlet(parameters):
        drawn = generator.standard_gamma(parameters)
        return drawn / drawn.sum(1, keepdims=True)

    p = dirichlet(12 * PROFILES[generator.integers(5, size=m)] + 0.15)
    biased = p * np.linspace(0.2, 1.8, 5)
    return p, dirichlet(25 * biased / biased.sum(1, keepdims=True) + 0.3)


def answers(p, generator):
    n = np.exp(generator.uniform(np.log(20), np.log(2000), len(p))).astype(int)
    return generator.multinomial(n, p), n


LONG = [("witness", 0.5), *(("multinomial_kl_paper", g) for g in (0.5, 0.9, {"schedule": "1/3"}))]


@pytest.fixture(scope="module")
def truth():
    """Sorted discrepancies of 200 000 questions: V, and P(Δ ≤ t), to about .001."""
    return np.sort(between(*survey(200_000, np.random.default_rng(99)), discrepancy="tv"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("confidence_set", "entry"),
    [
        ("witness", 0.9),
        ("witness", {"schedule": "1/3"}),
        *(pytest.param(*case, marks=pytest.mark.release) for case in LONG),
    ],
    ids=str,
)
def test_curves_of_a_synthetic_survey(confidence_set, entry, truth):
    """The whole calibrated curve on average, the certified one in all but η of the surveys.

    At m scenarios the index map covers τ less at most 1/(γ(m+1)), the step from m to m + 1.
    """
    m, repeats, coverage = 235, 120, parse_coverage(entry)
    generator = np.random.default_rng(7)
    p, q = survey(m * repeats, generator)
    counts, n = answers(p, generator)
    gamma = coverage.at(n)
    lower, upper, _ = (
        bound.reshape(repeats, m)
        for bound in pseudo_discrepancy(
            counts, q, confidence_set=confidence_set, discrepancy="tv", gamma=gamma
        )
    )
    levels = gamma.reshape(repeats, m)
    curves = [quantile_curve(row, g, TAU) for row, g in zip(upper, levels, strict=True)]
    covered = np.searchsorted(truth, curves, side="right") / len(truth)
    error = 4 * covered.std(0) / np.sqrt(repeats) + 0.002
    step = 1 / (float(coverage.smallest) * (m + 1))
    assert (covered.mean(0) >= TAU - error - step).all()

    certified = [certified_curve(row, coverage.smallest, TAU, ETA) for row in upper]
    covered = np.searchsorted(truth, certified, side="right") / len(truth)
    failures = np.mean(covered < TAU - 0.002, axis=0)
    assert failures.max() <= ETA + four_standard_errors(ETA, repeats)
    assert (lower <= upper).all()
