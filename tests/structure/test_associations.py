"""Correlations and what persons do to them, against plain loops, ranks and simulation."""

from itertools import chain

import numpy as np
import pandas as pd
import pytest

from fidelity.structure import (
    AnswerTable,
    Interval,
    Sampling,
    TooFewError,
    all_pairs,
    answered_pairs,
    associations,
    compare_associations,
    compare_scale,
    cronbach_alpha,
    first_eigenvalue,
    group_differences,
    straightlining,
    twin_agreement,
    variance_ratios,
)
from fidelity.structure.estimates import Spread, mean_square, ratio
from fidelity_audit.structure import Cell, coverage, population

RNG = np.random.default_rng(1)
ANSWERS = np.digitize(RNG.normal(size=(60, 1)) + RNG.normal(size=(60, 5)), [-1.0, 0.0, 1.0]).astype(
    float
)
ANSWERS[RNG.random(ANSWERS.shape) < 0.2] = np.nan
WEIGHTS = RNG.choice([1.0, 2.0, 5.0], 60)


def correlation(x, w, a, b):
    """Return the weighted correlation of two columns among those who answered both."""
    there = ~np.isnan(x[:, a] + x[:, b])
    table = np.cov(x[there, a], x[there, b], aweights=w[there], ddof=0)
    return table[0, 1] / np.sqrt(table[0, 0] * table[1, 1])


def test_correlations_are_those_of_numpy():
    found = associations(AnswerTable(ANSWERS, WEIGHTS), fewest=10)
    expected = [correlation(ANSWERS, WEIGHTS, a, b) for a, b in found.pairs]
    np.testing.assert_allclose(found.r, expected, rtol=0, atol=1e-12)


def test_pairs_that_enough_answered_are_drawn_in_their_order():
    there = ~np.isnan(ANSWERS)
    common = [(there[:, a] & there[:, b]).sum() for a, b in all_pairs(5)]
    enough = all_pairs(5)[np.array(common) >= 40].tolist()
    rng = np.random.default_rng(0)
    assert 3 < len(enough) < 10
    assert answered_pairs(ANSWERS, fewest=40, most=10, generator=rng).tolist() == enough
    drawn = answered_pairs(ANSWERS, fewest=40, most=3, generator=rng).tolist()
    assert drawn == [pair for pair in enough if pair in drawn] and len(drawn) == 3


def test_straightlining_counts_those_with_enough_answers():
    assert straightlining([[2, 2, 2, np.nan], [1, 1, 1, 3], [4, 4, np.nan, np.nan]]) == 0.5
    assert np.isnan(straightlining([[4, 4, np.nan]]))


def test_effects_are_what_leaving_a_person_out_changes():
    found = associations(AnswerTable(ANSWERS, WEIGHTS), fewest=10)
    left = [
        [correlation(np.delete(ANSWERS, i, 0), np.delete(WEIGHTS, i), a, b) for a, b in found.pairs]
        for i in range(60)
    ]
    effects = found.person_effects(np.eye(len(found.pairs)))
    np.testing.assert_allclose(effects, found.r - np.array(left), rtol=0, atol=1e-12)


def test_chunks_of_persons_do_not_matter(monkeypatch):
    whole = associations(AnswerTable(ANSWERS, WEIGHTS), fewest=10)
    monkeypatch.setattr("fidelity.structure.correlations.AT_ONCE", 70)
    parts = associations(AnswerTable(ANSWERS, WEIGHTS), fewest=10)
    np.testing.assert_allclose(parts.noise, whole.noise, rtol=1e-12)


def test_effects_of_persons_by_leaving_out():
    found = associations(AnswerTable(ANSWERS, WEIGHTS), fewest=10)
    columns = [
        np.mean([correlation(x, w, a, b) for a, b in all_pairs(5)])
        for x, w in [(ANSWERS, WEIGHTS)]
        + [(np.delete(ANSWERS, i, 0), np.delete(WEIGHTS, i)) for i in range(60)]
    ]
    effects = found.person_effects(np.full((10, 1), 0.1))[:, 0]
    assert found.r.mean() == pytest.approx(columns[0], abs=1e-12)
    np.testing.assert_allclose(effects, columns[0] - np.array(columns[1:]), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("cuts", [[-1.2, -0.4, 0.4, 1.2], [0.3, 1.0, 1.6, 2.1]])
def test_noise_is_the_variance(cuts):
    rng = np.random.default_rng(3)
    samples = []
    for _ in range(1500):
        x = np.sqrt(0.3) * rng.normal(size=(100, 1)) + np.sqrt(0.7) * rng.normal(size=(100, 5))
        found = associations(np.digitize(x, cuts))
        samples.append((found.r, found.noise))
    r, noise = np.array(samples).swapaxes(0, 1)
    assert noise.mean() / r.var(0, ddof=1).mean() == pytest.approx(1.0, abs=0.04)


def test_pairs_without_correlation_are_counted():
    x = np.random.default_rng(4).normal(size=(50, 4))
    x[:, 1] = 3.0  # constant
    x[:, 2] = [7.0] + [2.0] * 49  # but for one
    x[:25, 3] = np.nan
    found = associations(x)
    assert (found.few, found.constant) == (3, 3)
    assert np.isnan(found.r).all()
    assert not np.isnan(associations(x, fewest=20).r[2])


def test_shifted_constants_have_no_correlation():
    x = np.random.default_rng(5).normal(size=(50, 2))
    x[:, 1] = 0.1 + 0.2
    assert np.isnan(associations(x).r).all()


@pytest.mark.parametrize(
    ("answers", "options", "message"),
    [
        ([[1.0], [2.0]], {}, "two questions"),
        ([[1.0, np.inf]], {}, "answers must be"),
        ([[1.0, 2.0]], {"pairs": [[0, 2]]}, "pairs must be columns"),
    ],
)
def test_refusals(answers, options, message):
    with pytest.raises(ValueError, match=message):
        associations(answers, **options)


def in_psus(x, size, per_stratum=4):
    psu = np.arange(len(x)) // size
    return AnswerTable(x, sampling=Sampling.of(psu, psu // per_stratum, "refused"))


def test_persons_of_a_psu_who_answer_alike_are_one_person():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(240, 1)) + rng.normal(size=(240, 4))
    again = in_psus(np.repeat(x, 5, axis=0), 5)
    one, many = associations(x), associations(again)
    np.testing.assert_allclose(many.r, one.r)
    np.testing.assert_allclose(np.sqrt(many.noise / one.noise), 1.0, atol=0.12)
    widths = [np.ptp(cronbach_alpha(table)[1:]) for table in (x, again)]
    assert widths[1] == pytest.approx(widths[0], rel=0.12)


def test_units_are_psus_within_strata():
    """Effects of units have the variance of Taylor linearisation, and PSUs minus strata rows."""
    rng = np.random.default_rng(0)
    table, effects = in_psus(rng.normal(size=(240, 2)), 5), rng.normal(size=(240, 3))
    units = table.of_units(effects)
    totals = effects.reshape(48, 5, 3).sum(1).reshape(12, 4, 3)
    apart = totals - totals.mean(1, keepdims=True)
    np.testing.assert_allclose((units**2).sum(0), 4.0 / 3.0 * (apart**2).sum((0, 1)))
    assert len(units) == 48 - 12


def test_a_pair_whose_rarer_answers_hardly_meet_has_no_correlation():
    rng = np.random.default_rng(0)
    rates = np.array([0.03, 0.03, 0.5, 0.5])
    found = associations((rng.random((300, 4)) < rates).astype(float))
    # 300·.03·.03 is less than one person; 300·.03·.5 are more than three
    assert np.isnan(found.r).tolist() == [True, False, False, False, False, False]
    assert (found.few, found.constant) == (0, 1)


def sides(n=200, k=150, questions=6, seed=0, missing=0.1):
    rng = np.random.default_rng(seed)
    people = population(questions, "even")
    x, y = people.draw(n, rng)[0], people.draw(k, rng)[0]
    x[rng.random(x.shape) < missing] = np.nan
    return x, y


def test_slope_congruence_and_distance_by_hand():
    x, y = sides()
    people, model = associations(x), associations(y)
    (found,) = compare_associations(people, model)
    r, s, v, u = people.r, model.r, people.noise.sum(), model.noise.sum()
    n, a, b = r @ s, r @ r - v, s @ s - u
    assert found.congruence.estimate == pytest.approx(min(1.0, n / np.sqrt(a * b)), abs=1e-12)
    assert found.mean_squared.estimate == pytest.approx((a + b - 2 * n) / len(r), abs=1e-12)
    assert found.slope.estimate == pytest.approx(n / a, rel=0.03)  # but for Beale's correction
    assert found.people.estimate == pytest.approx(a / len(r), abs=1e-12)


def test_keys_do_not_matter():
    x, y = sides()
    turn = np.array([1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
    (plain,) = compare_associations(associations(x), associations(y))
    (turned,) = compare_associations(associations(x * turn), associations(y * turn))
    np.testing.assert_allclose(plain.slope, turned.slope, atol=1e-12)
    np.testing.assert_allclose(plain.congruence, turned.congruence, atol=1e-12)


def test_the_same_persons_have_slope_one_exactly_nowhere_else():
    x, _ = sides(n=150)
    (twins,) = compare_associations(associations(x), associations(x), same_persons=True)
    assert twins.mean_squared.estimate == pytest.approx(0.0, abs=1e-12)
    assert twins.slope.estimate == pytest.approx(1.0, abs=1e-9)
    nearly = x.copy()
    nearly[0, 0] += 1.0
    (others,) = compare_associations(associations(x), associations(nearly))
    assert others.slope.estimate > 1.01  # noise in common is taken for structure


def test_topics_partition_the_pairs():
    x, y = sides(questions=6)
    found = compare_associations(associations(x), associations(y), topics=list("aabbbc"))
    assert [each.topic for each in found] == [None, "a", "b", "between topics"]
    assert [each.pairs for each in found] == [15, 1, 3, 11]


def test_signs():
    rng = np.random.default_rng(1)
    mood = rng.normal(size=(2000, 1))
    x = mood + rng.normal(size=(2000, 4))
    y = mood * [1.0, 1.0, 1.0, -1.0] + rng.normal(size=(2000, 4))
    (found,) = compare_associations(associations(x), associations(y))
    assert (found.signs.clear, found.signs.share) == (6, 0.5)
    assert (found.signs.lower, found.signs.upper) == (0.5, 0.5)


def test_without_structure_nothing_is_claimed():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(100, 5)), rng.normal(size=(100, 5))
    (found,) = compare_associations(associations(x), associations(y))
    assert np.isnan(found.slope.estimate) and found.slope.upper == np.inf
    assert tuple(found.congruence)[1:] == (-1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("extra", ["missing", "weights"])
def test_slope_is_unbiased_where_the_naive_one_is_not(extra):
    found = coverage(Cell(100, 100, 20, "same", extra, "even"), 40)
    assert found["naive"].mean < 0.9
    assert found["slope"].mean == pytest.approx(1.0, abs=0.08)
    for name in ("slope", "congruence", "mean_squared", "people"):
        assert found[name].above + found[name].below < 0.16


def test_fieller_by_definition():
    effects = np.random.default_rng(4).normal(size=(400, 2)) * [0.03, 0.02]
    values = np.array([2.0, 1.5])
    found = ratio(values, effects, 0.95)
    t = Spread.of(effects @ [1.0, -values[0] / values[1]], 0.95).critical
    for end in (found.lower, found.upper):
        distance = values @ [1.0, -end]
        assert abs(distance) == pytest.approx(t * np.linalg.norm(effects @ [1.0, -end]), rel=1e-9)


def test_mean_square_by_definition():
    effects = np.random.default_rng(5).normal(size=400) * 0.0005
    found, noise = mean_square(0.02, effects, 0.01, 0.95), 0.01
    reach = Spread.of(effects, 0.95).reach
    for end in (found.lower, found.upper):
        assert abs(0.02 - end) == pytest.approx(reach * np.sqrt((end + noise) / 0.03), rel=1e-9)
    below = mean_square(-0.02, effects, 0.05, 0.95)
    assert below.estimate == -0.02 and below.lower == 0.0 < below.upper


def test_degrees_of_freedom_of_normal_effects_are_their_number():
    effects = np.random.default_rng(6).normal(size=100_000)
    assert Spread.of(effects, 0.95).critical == pytest.approx(1.96, abs=0.001)
    one = np.r_[1.0, np.full(99, 1e-6)]
    assert Spread.of(one, 0.95).critical > 4.0


def test_what_cannot_be_compared_is_refused():
    x, y = sides()
    with pytest.raises(ValueError, match="same questions"):
        compare_associations(associations(x), associations(y[:, :4]))
    one, two = (pd.DataFrame(x, columns=list(heads)) for heads in ("abcdef", "abcdfe"))
    with pytest.raises(ValueError, match="other labels"):
        compare_associations(associations(one), associations(two))
    compare_associations(associations(one), associations(y))  # arrays go by position
    with pytest.raises(ValueError, match="same pairs"):
        compare_associations(associations(x), associations(y, pairs=[[0, 1]]))
    with pytest.raises(ValueError, match="a row each"):
        compare_associations(associations(x), associations(y), same_persons=True)
    with pytest.raises(ValueError, match="no pair"):
        compare_associations(associations(x), associations(np.ones(y.shape)))
    with pytest.raises(ValueError, match="weights"):
        AnswerTable(x, np.zeros(len(x)))


DRAWING = np.random.default_rng(0)
HALVES = np.arange(40.0) % 2
ALONE = np.zeros(40)
ALONE[0] = 1.0
TABLES = {
    "one item twice": np.repeat(DRAWING.integers(1, 6, (40, 1)), 2, 1),
    "two persons": [[1, 2], [2, 4]],
    "two persons, one item twice": [[1, 1], [2, 2]],
    "three persons": [[1, 2], [2, 4], [3, 1]],
    "all alike": np.ones((40, 2)),
    "all alike in one": np.stack([np.ones(40), DRAWING.integers(1, 6, 40)], 1),
    "one differs in each": np.stack([ALONE, ALONE[::-1]], 1),
    "opposite": np.stack([HALVES, 1.0 - HALVES], 1),
    "rare": DRAWING.random((40, 2)) < 0.03,
    "varied": DRAWING.integers(1, 6, (40, 2)),
    "half missing": np.where(
        DRAWING.random((40, 2)) < 0.5, np.nan, DRAWING.integers(1, 6, (40, 2))
    ),
}
TABLES = {name: np.asarray(table, float) for name, table in TABLES.items()}


def intervals(found):
    """Yield the intervals of a result, with their names."""
    if isinstance(found, Interval):
        yield found
    elif isinstance(found, list | tuple):
        yield from chain.from_iterable(map(intervals, found))


def of_one(x):
    yield lambda: cronbach_alpha(x)
    yield lambda: first_eigenvalue(x, generator=np.random.default_rng(0))


def of_two(x, y):
    yield lambda: compare_scale(x, y)
    yield lambda: variance_ratios(x, y)
    yield lambda: compare_associations(associations(x, fewest=2), associations(y, fewest=2))
    yield lambda: group_differences(x, y, np.arange(len(x)) % 2, np.arange(len(y)) % 2)
    if len(x) == len(y):
        yield lambda: twin_agreement(x, y, generator=np.random.default_rng(0), permuted=9)


@pytest.mark.sampled
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", TABLES)
def test_answers_that_hardly_vary_give_no_certain_estimate(name):
    x, several = TABLES[name], list(of_one(TABLES[name]))
    several += chain.from_iterable(of_two(x, y) for other, y in TABLES.items() if other != name)
    for measured in several:
        try:
            found = measured()
        except TooFewError:
            continue
        for estimate, lower, upper in intervals(found):
            assert lower < upper  # so neither is NaN
            assert not np.isinf(estimate)
            least = (
                0.0 if lower == 0.0 else estimate
            )  # squares without noise may be below 0 by chance
            assert np.isnan(estimate) or lower - 1e-9 <= max(estimate, least) <= upper + 1e-9


@pytest.mark.parametrize("name", ["one item twice", "two persons", "two persons, one item twice"])
def test_alpha_of_two_persons_or_of_an_item_twice_has_the_limits_of_what_is_possible(name):
    found = cronbach_alpha(TABLES[name])
    one, other = TABLES[name].T
    alpha = 2.0 * (1.0 - (one.var() + other.var()) / (one + other).var())
    assert found.estimate == pytest.approx(alpha)
    assert found[1:] == (-np.inf, 1.0)


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_a_population_compared_with_itself_differs_by_nothing(order):
    answers = DRAWING.integers(1, 6, (200, 6)).astype(float)
    answers[DRAWING.random(answers.shape) < 0.1] = np.nan
    (found,) = compare_associations(associations(answers), associations(answers[order]))
    assert found.same_answers
    assert tuple(found.mean_squared) == (0.0, 0.0, 0.0)
    assert tuple(found.slope) == tuple(found.congruence) == (1.0, 1.0, 1.0)
    other = answers.copy()
    other[0, 0] = 6.0
    (found,) = compare_associations(associations(answers), associations(other))
    assert not found.same_answers
    assert found.mean_squared.lower == 0.0 < found.mean_squared.upper
