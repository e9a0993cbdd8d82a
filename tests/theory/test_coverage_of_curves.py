"""Do the curves hold for new scenarios, on average and with the promised probability?

The true quantile curve is known: Δ is uniform in the worst case, and taken from a huge sample of a
synthetic survey. Measured frequencies may miss their nominal value by four standard errors.
"""

from fractions import Fraction

import numpy as np
import pytest

from fidelity import certified_curve, pseudo_discrepancy, quantile_curve
from fidelity.curves.guarantee import exact_ranks
from fidelity.pseudo_discrepancies import between
from fidelity.sets.gamma import parse_coverage

ETA = 0.05
REPEATS = 4000
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


def worst_case(m, gamma, repeats=REPEATS, seed=0):
    """Return Δ̂ that is Δ ~ U(0, 1) with probability γ, else 0: P(Δ > t) = 1 - t; (repeats, m)."""
    generator = np.random.default_rng(seed)
    kept = generator.random((repeats, m)) < gamma
    return np.sort(np.where(kept, generator.random((repeats, m)), 0.0), axis=1)


def test_misprinted_index_map_fails_below_one_half():
    """γ + (1-γ)τ agrees at γ = ½, is loose above and covers too little below."""

    def covered(gamma, tau):
        upper = worst_case(20_000, gamma, repeats=1)[0]
        misprinted = Fraction(str(gamma)) + (1 - Fraction(str(gamma))) * Fraction(str(tau))
        return quantile_curve(upper, 1.0, [misprinted])[0]

    assert covered(0.3, 0.9) == pytest.approx(1 - 0.07 / 0.3, abs=0.01)
    assert covered(0.3, 0.9) < 0.8
    assert covered(0.5, 0.9) == pytest.approx(0.9, abs=0.01)
    assert covered(0.9, 0.5) > 0.9


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


def test_too_few_scenarios_are_admitted():
    """20 scenarios at γ = ½ can certify no more than 1 - (1 - .05^(1/20))/½ = .72."""
    tau = np.array([0.7, 0.75])
    np.testing.assert_array_equal(exact_ranks(20, 0.5, tau, ETA), [20, 21])
