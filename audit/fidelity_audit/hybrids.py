"""A few people and a simulator together: intervals of hybrids, with studies in which they may miss.

The truth comes from many scenarios whose shares are known. A study rejects where an interval
excludes it: that of the hybrids' mean discrepancy, or of interviews saved. For comparison there is
a hybrid that is judged by the people it has seen.
"""

from collections.abc import Iterator
from functools import cache, partial

import numpy as np
from numpy.random import Generator
from synthetic.populations import dirichlet

from fidelity.hybrids.curve import hybrid_curve
from fidelity.hybrids.people import people_alone
from fidelity.hybrids.split import split_people
from fidelity.hybrids.strength import dirichlet_multinomial_fit, hybrid, prior_strength
from fidelity.means.average import NEW, mean_discrepancy
from fidelity.responses import Responses
from fidelity_audit.rejection import (
    Decision,
    HypothesisTest,
    Studies,
    StudyPopulation,
    conservatively,
    one_by_one,
    wrong_by_far,
)

SIZES = (10, 25, 50)
SCENARIOS, OPTIONS, PEOPLE, WORTH, MANY = 60, 3, 150, 15.0, 20_000
CLUSTERS = np.arange(SCENARIOS) // 3
SPLITS = 1
MEASURE = "tv"
TRUTH = np.random.SeedSequence(19)


def worth_people(studies: int, effect: float, generator: Generator) -> Studies:
    """Return counts, a simulator that is worth 15 people on average, and shares, (S, m, d) each.

    It is worth less in some clusters of scenarios and more in others.
    """
    q, p = _answers((studies, SCENARIOS), CLUSTERS, generator)
    return generator.multinomial(PEOPLE, p).astype(float), q, p


def _answers(
    shape: tuple[int, int], clusters: np.ndarray, generator: Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return a simulator's probabilities and people's answers, (S, m, d) each."""
    q = dirichlet(np.full((*shape, OPTIONS), 2.0), generator)
    worth = generator.gamma(4.0, WORTH / 4.0, (shape[0], clusters.max() + 1))[:, clusters]
    return q, dirichlet(worth[..., None] * q + 0.05, generator)


@cache
def truth() -> tuple[dict[int, float], dict[int, float]]:
    """Return hybrids' mean discrepancy, and interviews saved, at each size."""
    generator = np.random.default_rng(TRUTH)
    q, p = (answer[0] for answer in _answers((1, MANY), np.arange(MANY), generator))
    n = np.arange(1, PEOPLE // 2 + 1)
    seen = np.cumsum([generator.multinomial(1, p) for _ in n], axis=0)
    alone = [_distance(counts / size, p) for size, counts in zip(n, seen, strict=True)]
    near, saved = {}, {}
    for size in SIZES:
        counts = seen[size - 1].astype(float)
        kappa = dirichlet_multinomial_fit(counts, q).kappa
        near[size] = _distance(hybrid(counts, q, kappa), p)
        enough = np.interp(near[size], np.minimum.accumulate(alone)[::-1], np.log(n)[::-1])
        saved[size] = float(np.exp(enough)) - size
    return near, saved


def _distance(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(first - second).sum(1).mean() / 2.0)


def _mean(n: int) -> Decision:
    def rejects(counts, q, p, generator):
        seen, rest = split_people(counts, n, generator)
        mixed = hybrid(seen, q, prior_strength(seen, q, CLUSTERS))
        judges = Responses(rest, clusters=CLUSTERS)
        interval = mean_discrepancy(judges, mixed, discrepancy=MEASURE, target=NEW)
        return not interval.ci_lower <= truth()[0][n] <= interval.ci_upper

    return one_by_one(mean_discrepancy)(rejects)


def _saved(n: int) -> Decision:
    def rejects(counts, q, p, generator):
        how = {"discrepancy": MEASURE, "sizes": SIZES, "splits": SPLITS}
        alone = people_alone(counts, generator=generator, **how)
        both, at = hybrid_curve(alone, q, clusters=CLUSTERS).hybrid, SIZES.index(n)
        return not both.saved_lower[at] <= truth()[1][n] <= both.saved_upper[at]

    return one_by_one(hybrid_curve)(rejects)


def judged_by_those_seen(counts: np.ndarray, q: np.ndarray) -> tuple[float, float]:
    """Return the interval of a hybrid's mean discrepancy, judged by the people it has seen."""
    mixed = hybrid(counts, q, prior_strength(counts, q, CLUSTERS))
    people = Responses(counts, clusters=CLUSTERS)
    return mean_discrepancy(people, mixed, discrepancy=MEASURE, target=NEW)[2:4]


@one_by_one(judged_by_those_seen)
def _by_those_seen(counts, q, p, generator):
    lower, upper = judged_by_those_seen(split_people(counts, SIZES[-1], generator).seen, q)
    return not lower <= truth()[0][SIZES[-1]] <= upper


IN_CLUSTERS = f"{CLUSTERS.max() + 1} clusters"
MEAN, SAVED = (
    f"the {what} in its interval"
    for what in (
        "hybrids' mean discrepancy lies",
        "number of interviews saved lies",
    )
)


def tests() -> Iterator[HypothesisTest]:
    """Yield each statement, and the wrong one."""
    about = partial(conservatively, studies=1000)
    for n in SIZES:
        after = f"{IN_CLUSTERS}, n₀ = {n}"
        mean, saved = (StudyPopulation(said, after, "", worth_people) for said in (MEAN, SAVED))
        yield about(f"hybrid_mean_{n}", "mean of hybrids", mean, _mean(n))
        yield about(f"hybrid_saved_{n}", "interviews saved", saved, _saved(n))
    title = "hybrids, judged by those seen"
    yield wrong_by_far("hybrid_seen", title, mean, _by_those_seen, studies=200)
