"""Slope, congruence and their intervals: against closed forms, resampling and known truths."""

import numpy as np
import pandas as pd
import pytest

from fidelity.structure import AnswerTable, associations, compare_associations
from fidelity.structure.estimates import Spread, mean_square, ratio
from fidelity_audit.structure import Cell, coverage, population


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


def test_refusals():
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
