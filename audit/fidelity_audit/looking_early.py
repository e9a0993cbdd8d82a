"""Intervals that hold at every look, with studies that are looked at after every scenario.

A study rejects if at any time its interval excludes the truth, which is the least favourable way to
stop. For comparison there is a confidence interval for one sample size, looked at as often.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.random import Generator
from scipy.special import ndtri
from synthetic.populations import dirichlet

from fidelity.means.average import discrepancy_bounds
from fidelity.means.looking_early import (
    confidence_sequence,
    discrepancy_sequence,
    drift_evidence,
)
from fidelity_audit.rejection import (
    ALPHA,
    Decision,
    HypothesisTest,
    Studies,
    StudyPopulation,
    at_most,
    one_by_one,
    wrong,
)

SCENARIOS, OPTIONS, PEOPLE = 100, 3, 60
MEANS = {"skew": 0.2, "rare": 0.05, "half": 0.5}
MOVED, EARLIEST = 0.1, 20


def values(studies: int, effect: float, generator: Generator, law: str = "skew") -> Studies:
    """Return values in [0, 1] in the order of the study, (S, T). ``effect``: size of a drift."""
    shape = studies, SCENARIOS
    if law == "skew":
        drawn = generator.beta(2.0, 8.0, shape)
    else:
        drawn = (generator.random(shape) < MEANS[law]).astype(float)
    later = np.arange(SCENARIOS) >= SCENARIOS // 2
    return (np.where(later, drawn + effect * (1.0 - drawn), drawn),)


def people(studies: int, effect: float, generator: Generator) -> Studies:
    """Return counts and a simulator, (S, T, d) each, at a mean total variation of MOVED/2.

    The simulator moves up to MOVED from people's last option to their first one.
    """
    shape = studies, SCENARIOS, OPTIONS
    p = MOVED + (1.0 - OPTIONS * MOVED) * dirichlet(np.full(shape, 3.0), generator)
    moved = generator.uniform(0.0, MOVED, (studies, SCENARIOS, 1))
    q = p + moved * np.array([1.0, 0.0, -1.0])
    return generator.multinomial(PEOPLE, p).astype(float), q


def _ever_misses(mean: float) -> Decision:
    def rejects(row, generator):
        sequence = confidence_sequence(row, eta=ALPHA)
        return (sequence.lower > mean).any() or (sequence.upper < mean).any()

    return one_by_one(confidence_sequence)(rejects)


@one_by_one(discrepancy_sequence)
def _discrepancy_ever_misses(counts, q, generator):
    bounds = discrepancy_bounds(counts, q, discrepancy="tv")
    sequence = discrepancy_sequence(bounds, eta=ALPHA)
    truth = MOVED / 2.0
    return (sequence.lower > truth).any() or (sequence.upper < truth).any()


@one_by_one(drift_evidence)
def _drifts(row, generator):
    return drift_evidence(row).p_value <= ALPHA


def normal_interval_peeked_at(values: np.ndarray, mean: float) -> np.ndarray:
    """Say of each row whether the normal interval for one sample size misses at any look, (S,)."""
    t = np.arange(1, values.shape[1] + 1)
    centre = values.cumsum(1) / t
    variance = np.maximum((values**2).cumsum(1) / t - centre**2, 0.0)
    half = ndtri(1.0 - ALPHA / 2.0) * np.sqrt(variance / t)
    return (np.abs(centre - mean) > half)[:, EARLIEST:].any(1)


def _peeked(data: Studies, generator: Generator) -> np.ndarray:
    return normal_interval_peeked_at(data[0], MEANS["skew"])


CASES = f"{SCENARIOS} scenarios, all looks"


def tests() -> Iterator[HypothesisTest]:
    """Yield each statement, and the wrong one."""
    always = "every interval of a study holds the mean"
    of_law = {
        law: StudyPopulation(always, f"{CASES}, {law}", "", partial(values, law=law))
        for law in MEANS
    }
    drift = StudyPopulation("both halves have one mean", f"{SCENARIOS} scenarios", "later", values)
    discrepancy = StudyPopulation(
        "every interval of a study holds the mean discrepancy", CASES, "", people
    )
    certain = partial(at_most, studies=1000)
    for law, population in of_law.items():
        decision = _ever_misses(MEANS[law])
        yield certain(f"early_mean_{law}", "mean, time-uniform", population, decision)
    title = "mean discrepancy, time-uniform"
    yield certain("early_discrepancy", title, discrepancy, _discrepancy_ever_misses)
    yield certain("early_drift", "drift, by betting", drift, _drifts, (0.1, 0.2))
    peeked = Decision(normal_interval_peeked_at, _peeked)
    yield wrong("early_fixed", "mean, one sample size", of_law["skew"], peeked)
