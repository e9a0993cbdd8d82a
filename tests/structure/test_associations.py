"""Correlations and what persons do to them, against plain loops, ranks and simulation."""

import numpy as np
import pytest
from scipy import stats

from fidelity.structure import (
    AnswerTable,
    Sampling,
    all_pairs,
    associations,
    cronbach_alpha,
    mean_correlation,
)

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


def test_mean_correlation_and_its_error_by_leaving_out():
    found = mean_correlation(associations(AnswerTable(ANSWERS, WEIGHTS), fewest=10))
    columns = [
        np.mean([correlation(x, w, a, b) for a, b in all_pairs(5)])
        for x, w in [(ANSWERS, WEIGHTS)]
        + [(np.delete(ANSWERS, i, 0), np.delete(WEIGHTS, i)) for i in range(60)]
    ]
    effects = columns[0] - np.array(columns[1:])
    degrees = 2 * (effects**2).sum() ** 2
    degrees /= (effects**4).sum() - (effects**2).sum() ** 2 / 60
    reach = stats.t.isf(0.025, degrees) * np.sqrt((effects**2).sum())
    expected = columns[0] + np.array([0.0, -reach, reach])
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_spearman_is_that_of_scipy():
    x = np.random.default_rng(2).integers(0, 5, size=(80, 2))
    found = associations(x, method="spearman")
    assert found.r[0] == pytest.approx(stats.spearmanr(x).statistic, abs=1e-12)


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
        ([[1.0, 2.0]], {"method": "kendall"}, "method must be one of"),
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
    widths = [
        np.ptp(part[1:])
        for table in (x, again)
        for part in (cronbach_alpha(table), mean_correlation(associations(table)))
    ]
    assert widths[2:] == pytest.approx(widths[:2], rel=0.12)


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
