"""Twins: excess by plain loops, the permutation test by enumeration, intervals by simulation."""

from itertools import permutations, product

import numpy as np
import pytest

from fidelity.structure import Sampling, pooled_agreement, twin_agreement
from fidelity_audit.structure import twin_coverage


def case(n=40, questions=5, seed=0, missing=0.1):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (n, questions)).astype(float)
    y = np.where(rng.random(x.shape) < 0.3, x, rng.integers(0, 4, x.shape))
    for side in (x, y):
        side[rng.random(x.shape) < missing] = np.nan
    return x, y, rng.integers(0, 3, n), rng


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("measure", ["hits", "absolute"])
def test_excess_by_loops(measure, weighted):
    x, y, strata, rng = case()
    w = rng.uniform(0.5, 2.0, 40) if weighted else np.ones(40)
    w /= w.mean()
    score = (lambda a, b: a == b) if measure == "hits" else (lambda a, b: abs(a - b))
    total = many = 0.0
    for stratum, j in product(range(3), range(5)):
        inside = np.flatnonzero(strata == stratum)
        pairs = [(i, k) for i in inside for k in inside if not np.isnan(x[i, j] + y[k, j])]
        sums = np.zeros((2, 2))  # of own pairs and of others: measure, and weight
        for i, k in pairs:
            weight = w[i] if i == k else w[i] * w[k]
            sums[int(i != k)] += weight * score(x[i, j], y[k, j]), weight
        total += sums[0, 1] * (sums[0, 0] / sums[0, 1] - sums[1, 0] / sums[1, 1])
        many += sums[0, 1]
    how = {"strata": strata, "weights": w if weighted else None, "measure": measure}
    found = twin_agreement(x, y, generator=rng, permuted=9, **how)
    assert found.excess.estimate == pytest.approx(total / many, abs=1e-12)
    assert found.own - found.others == pytest.approx(total / many, abs=1e-12)


@pytest.mark.parametrize(
    ("seed", "strata", "weights"),
    [
        *((seed, np.zeros(6), None) for seed in range(4)),
        (2, np.zeros(6), np.array([1.0, 2.0, 1.0, 0.5, 3.0, 1.0])),
        (5, np.repeat([0, 1], [3, 4]), None),
    ],
)
def test_p_value_by_enumeration(seed, strata, weights):
    many = len(strata)
    x, y, _, rng = case(n=many, seed=seed, missing=0.0)
    w = np.ones(many) if weights is None else weights
    orders = [order for order in permutations(range(many)) if (strata[[*order]] == strata).all()]
    every = np.array([w @ (x == y[[*order]]).sum(1) for order in orders])
    found = twin_agreement(x, y, strata=strata, weights=weights, generator=rng)
    assert found.p_value == np.mean(every >= every[0] - 1e-9)


def test_topics_together_are_all_questions():
    x, y, strata, rng = case(n=90, questions=6)
    how = {"strata": strata, "weights": rng.uniform(0.5, 2.0, 90), "generator": rng}
    whole = twin_agreement(x, y, permuted=99, **how)
    parts = [
        twin_agreement(x[:, at], y[:, at], permuted=99, **how) for at in ([0, 1], [2, 3, 4, 5])
    ]
    pooled = pooled_agreement(parts)
    for name in ("own", "others", "excess", "correlation", "by_person"):
        np.testing.assert_allclose(getattr(pooled, name), getattr(whole, name), atol=1e-12)
    expected = whole.most_frequent.estimate
    assert pooled.most_frequent.estimate == pytest.approx(expected, abs=1e-12)
    assert pooled.p_value == min(1.0, 2.0 * min(part.p_value for part in parts))


def test_stated_probabilities_are_expectations():
    x, y, strata, rng = case(missing=0.0)
    stated = (y[:, :, None] == np.arange(4)).astype(float)
    how = {"strata": strata, "generator": rng, "permuted": 9}
    one = twin_agreement(x, y, **how)
    two = twin_agreement(x, stated, options=range(4), **how)
    np.testing.assert_allclose(one.excess, two.excess, atol=1e-12)
    flat = twin_agreement(x, np.full((40, 5, 4), 0.25), options=range(4), **how)
    assert flat.excess.estimate == pytest.approx(0.0, abs=1e-12)


def test_most_frequent_answer_of_others_shares_ties():
    x = np.array([[0.0], [0.0], [1.0], [1.0]])
    found = twin_agreement(x, x, generator=np.random.default_rng(0))
    # without a person the other answer is the most frequent: no hit, against four
    assert found.most_frequent.estimate == 1.0
    three = np.array([[0.0], [0.0], [1.0], [2.0]])
    found = twin_agreement(three, three, generator=np.random.default_rng(0))
    assert found.most_frequent.estimate == pytest.approx(1.0 - 2.0 / 3.0 / 4.0)


@pytest.mark.slow
def test_intervals_and_sizes():
    for knows in (0.3, 0.0):
        found, rejected = twin_coverage(60, 4, knows, 200)
        assert found.above + found.below < 0.1
        assert found.mean == pytest.approx(found.true, abs=0.02)
        assert rejected > 0.9 if knows else rejected < 0.1


def test_an_excess_has_a_width_where_all_answer_alike():
    alike = np.zeros((40, 1))
    found = twin_agreement(alike, alike, generator=np.random.default_rng(0))
    # one more in each cell of (0, 0, 0, 40): shares 1/44, 2/44 of persons and of twins
    one, rare = 1 / 44, 2 / 44
    ends = {  # hits less a person's and a twin's share of the answer
        (1, 1): 1 - 2 * rare,
        (1, 0): -(1 - rare) - rare,
        (0, 1): -rare - (1 - rare),
        (0, 0): 1 - 2 * (1 - rare),
    }
    p = np.array([one, one, one, 41 / 44])
    effects = np.array(list(ends.values()))
    sd = np.sqrt((p @ effects**2 - (p @ effects) ** 2) / 44)
    centre = 2 * (one - rare**2)
    expected = [0.0, centre - 1.959964 * sd, centre + 1.959964 * sd]
    np.testing.assert_allclose(found.excess, expected, atol=1e-6)
    assert found.few_hits
    apart = twin_agreement(alike, alike, measure="absolute", generator=np.random.default_rng(0))
    assert tuple(apart.excess) == (0.0, -np.inf, np.inf)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "questions", "rare", "knows"), [(40, 1, 0.05, 0.3), (100, 1, 0.1, 0.0)]
)
def test_excess_and_distance_of_twins_where_nearly_all_answer_alike(n, questions, rare, knows):
    held, rng = np.zeros((250, 3)), np.random.default_rng([n, questions, int(knows * 10)])
    true = knows * 2.0 * rare * (1.0 - rare)
    for study in held:
        x, guesses = (rng.random((2, n, questions)) < rare).astype(float)
        y = np.where(rng.random(x.shape) < knows, x, guesses)
        hits, apart = (
            twin_agreement(x, y, generator=rng, measure=measure, permuted=1)
            for measure in ("hits", "absolute")
        )
        over = knows * rare - (1.0 - knows) * rare * (1.0 - 2.0 * rare)
        truths = (hits.excess, true), (apart.excess, -true), (hits.most_frequent, over)
        study[:] = [interval.lower <= truth <= interval.upper for interval, truth in truths]
        assert hits.few_hits == (hits.rarer.expected < 5.0)
    assert (held.mean(0) + 2.0 * np.sqrt(0.05 * 0.95 / 250) >= 0.95).all()


def test_new_questions_are_less_certain():
    x, y, strata, rng = case(n=200, questions=8)
    y[:, :4] = x[:, :4]
    how = {"strata": strata, "generator": rng, "permuted": 9}
    asked = twin_agreement(x, y, **how).excess
    new = twin_agreement(x, y, target="new", **how).excess
    clustered = twin_agreement(x, y, target="new", clusters=np.arange(8) // 4, **how).excess
    widths = [each.upper - each.lower for each in (asked, new, clustered)]
    assert widths == sorted(widths)


def test_correlation_within_strata():
    x, y, strata, rng = case(n=90, missing=0.0)
    expected = []
    for j in range(5):
        a, b = (side[:, j].copy() for side in (x, y))
        for stratum in range(3):
            inside = strata == stratum
            a[inside] -= a[inside].mean()
            b[inside] -= b[inside].mean()
        expected.append(np.corrcoef(a, b)[0, 1])
    found = twin_agreement(x, y, strata=strata, generator=rng, permuted=9).correlation
    assert found.estimate == pytest.approx(np.mean(expected), abs=1e-12)


@pytest.mark.slow
def test_the_errors_of_persons_drawn_together_are_of_their_psus():
    """20 towns of 4 persons; in some towns twins know their persons, in others they don't."""
    towns, held, truth = np.repeat(np.arange(20), 4), [], 0.5 * 0.75
    design = Sampling.of(towns, None, "refused")
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x, guesses = rng.integers(0, 4, (2, 80, 6))
        knows = (rng.random(20) < 0.5)[towns][:, None]
        y = np.where(knows, x, guesses)
        pairs = [
            twin_agreement(x, y, generator=rng, permuted=1, sampling=sampling)
            for sampling in (design, None)
        ]
        held.append([found.excess.lower <= truth <= found.excess.upper for found in pairs])
        assert pairs[0].excess.estimate == pairs[1].excess.estimate
    in_towns, alone = np.mean(held, axis=0)
    assert in_towns >= 0.88 and alone < 0.8, (in_towns, alone)
    halves = [
        twin_agreement(x[:, half], y[:, half], generator=rng, permuted=1, sampling=design)
        for half in (slice(0, 3), slice(3, 6))
    ]
    assert list(pooled_agreement(halves).excess) == pytest.approx(list(pairs[0].excess), abs=0.01)
    with pytest.raises(ValueError, match="sampling must be of 80 persons"):
        twin_agreement(x, y, generator=rng, sampling=Sampling.of([1, 1, 2], None, "refused"))


def test_refusals():
    x, y, _, rng = case()
    with pytest.raises(ValueError, match="options must be given"):
        twin_agreement(x, np.ones((40, 5, 4)), generator=rng)
    with pytest.raises(ValueError, match="no stratum"):
        twin_agreement(x, y, strata=np.arange(40), generator=rng)
    with pytest.raises(ValueError, match="measure must be one of"):
        twin_agreement(x, y, generator=rng, measure="cosine")
