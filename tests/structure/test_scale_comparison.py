"""Alpha, the sum and the first eigenvalue, against numpy and known truths."""

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import wasserstein_distance

from fidelity import mean_discrepancy
from fidelity.structure import (
    AnswerTable,
    TooFewError,
    compare_scale,
    cronbach_alpha,
    first_eigenvalue,
    keyed,
    scale_sums,
)
from fidelity_audit.structure import Cell, coverage

RNG = np.random.default_rng(0)
ANSWERS = np.digitize(RNG.normal(size=(80, 1)) + RNG.normal(size=(80, 5)), [-1.0, 0.0, 1.0]).astype(
    float
)
WEIGHTS = RNG.choice([1.0, 3.0], 80)


def alpha(table):
    many = len(table)
    return many / (many - 1) * (1 - np.trace(table) / table.sum())


def pairwise(x, w):
    """Return covariances among those who answered both, with denominator n - 1."""
    found = np.zeros((x.shape[1], x.shape[1]))
    for a in range(x.shape[1]):
        for b in range(x.shape[1]):
            there = ~np.isnan(x[:, a] + x[:, b])
            n = w[there].sum() ** 2 / (w[there] ** 2).sum()
            plain = np.cov(x[there, a], x[there, b], aweights=w[there], ddof=0)[0, 1]
            found[a, b] = plain * n / (n - 1.0)
    return found


def test_alpha_of_numpy_with_weights_and_missing_answers():
    assert cronbach_alpha(ANSWERS).estimate == pytest.approx(alpha(np.cov(ANSWERS.T)), abs=1e-12)
    x = np.where(np.random.default_rng(1).random(ANSWERS.shape) < 0.2, np.nan, ANSWERS)
    found = cronbach_alpha(AnswerTable(x, WEIGHTS))
    assert found.estimate == pytest.approx(alpha(pairwise(x, WEIGHTS)), abs=1e-12)


def test_interval_of_alpha_by_leaving_out():
    values = np.log(1 - alpha(np.cov(ANSWERS.T)))
    left = np.array(
        [np.log(1 - alpha(np.cov(np.delete(ANSWERS, i, 0).T))) for i in range(len(ANSWERS))]
    )
    effects = values - left
    t = 2.0 * (effects**2).sum() ** 2
    t /= (effects**4).sum() - (effects**2).sum() ** 2 / len(effects)
    reach = student.isf(0.025, min(t, 79)) * np.sqrt((effects**2).sum())
    found = cronbach_alpha(ANSWERS)
    expected = 1 - np.exp(values + effects.sum() + np.array([reach, -reach]))
    np.testing.assert_allclose(found[1:], expected, atol=1e-9)


def test_first_eigenvalue_of_numpy():
    found = first_eigenvalue(ANSWERS, generator=np.random.default_rng(0))
    assert found.raw == pytest.approx(np.linalg.eigvalsh(np.corrcoef(ANSWERS.T))[-1] / 5, abs=1e-12)


def test_the_same_persons_do_not_differ():
    found = compare_scale(ANSWERS, ANSWERS, same_persons=True)
    assert found.difference == (0.0, 0.0, 0.0)
    assert found.variance_ratio == (1.0, 1.0, 1.0)


def test_sums_as_a_scenario():
    x, y = ANSWERS.copy(), ANSWERS[:50, ::-1] + 1.0
    x[0, 0] = np.nan
    people, model = scale_sums(AnswerTable(x, WEIGHTS), y)
    sums = ANSWERS[1:].sum(1)
    mean = (people.counts * people.scores).sum() / people.counts.sum()
    assert mean == pytest.approx(np.average(sums, weights=WEIGHTS[1:]), abs=1e-9)
    assert model.draws.tolist() == [50.0]
    assert (model.shares @ people.scores)[0] == pytest.approx(y.sum(1).mean())
    equal, other = scale_sums(ANSWERS, y)
    assert equal.counts.sum() == 80
    distance = mean_discrepancy(equal, other, discrepancy="w1")
    expected = wasserstein_distance(ANSWERS.sum(1), y.sum(1))
    assert distance.upper == pytest.approx(expected, abs=1e-9)


def test_keyed():
    np.testing.assert_array_equal(keyed([[1, 2], [5, np.nan]], [0, 1], [1, 5]).values[0], [1, 4])


def test_the_first_eigenvalue_of_independent_questions_is_not_claimed():
    rng = np.random.default_rng(3)
    found = first_eigenvalue(rng.normal(size=(50, 20)), generator=rng)
    assert 0.10 < found.independent < 0.13  # .05 without the bias
    assert np.isnan(found.share.estimate) == (found.raw <= found.independent_largest)


@pytest.mark.slow
def test_intervals_hold():
    found = coverage(Cell(100, 100, 5, "flat", "missing", "even"), 100)
    for name in ("alpha", "alpha difference", "variance of the sum", "dispersion"):
        assert found[name].above + found[name].below < 0.12
        assert found[name].mean == pytest.approx(found[name].true, abs=0.05)


def test_refusals():
    with pytest.raises(ValueError, match="two questions"):
        cronbach_alpha([[1.0], [2.0]])
    with pytest.raises(ValueError, match="variances"):
        cronbach_alpha([[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(TooFewError, match="all be the same"):
        scale_sums([[1.0, 2.0], [2.0, 1.0]], [[2.0, 1.0]])
    with pytest.raises(ValueError, match="somebody"):
        scale_sums([[1.0, np.nan]], [[1.0, 2.0]])


def test_alpha_of_rare_answers_is_not_known():
    answers = np.zeros((100, 3))
    answers[:3] = np.eye(3)
    found = cronbach_alpha(answers)
    assert found.estimate == pytest.approx(
        1.5 * (1.0 - answers.var(0).sum() / answers.sum(1).var())
    )
    assert found[1:] == (-np.inf, 1.0)
    mood = np.arange(100)[:, None] < [40, 45, 50]
    assert np.isfinite(cronbach_alpha(mood.astype(float))).all()
