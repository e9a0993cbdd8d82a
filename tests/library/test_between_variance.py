"""The variance of scores between prompts: by formula, by brute force, and on simulated answers."""

from itertools import combinations

import numpy as np
import pytest
from parameters import quick

from fidelity.comparison import variance_between


def noisy(generator, truth, shared=0.0, studies=1):
    """Return both halves' scores, (studies, P, m): ``shared`` of the noise is all prompts'."""
    shape = (2, studies, *truth.shape)
    own = generator.normal(0.0, 0.1, shape) * (1 - shared)
    common = generator.normal(0.0, 0.1, (2, studies, 1, truth.shape[1])) * shared
    return truth + own + common


def test_two_prompts_have_the_product_of_their_differences():
    a, b = np.random.default_rng(0).random((2, 2, 7))
    found = variance_between(a, b)
    assert found.between == pytest.approx(((a[0] - a[1]) * (b[0] - b[1]) / 2).mean())
    means = (a[0].mean() - a[1].mean()) * (b[0].mean() - b[1].mean()) / 2
    assert found.of_means == pytest.approx(means)
    assert found.total == pytest.approx(((a[0] - a[1]) ** 2 + (b[0] - b[1]) ** 2).mean() / 4)
    assert found.chance == pytest.approx(found.total - found.between)
    assert found.m == 7


def test_it_is_the_mean_covariance_of_all_pairs_of_prompts():
    a, b = np.random.default_rng(1).random((2, 4, 5))
    pairs = [(a[i] - a[j]) * (b[i] - b[j]) / 2 for i, j in combinations(range(4), 2)]
    assert variance_between(a, b).between == pytest.approx(np.mean(pairs))
    by_numpy = [np.cov(a[:, j], b[:, j])[0, 1] for j in range(5)]
    assert variance_between(a, b).between == pytest.approx(np.mean(by_numpy))


@pytest.mark.slow
@pytest.mark.parametrize("shared", quick([0.0, 0.8], only=[0.8]))
@pytest.mark.parametrize("spread", [0.0, 0.05])
def test_it_has_no_bias_whatever_prompts_share(shared, spread):
    generator = np.random.default_rng(3)
    truth = 0.3 + spread * generator.normal(size=(3, 8))
    halves = noisy(generator, truth, shared, studies=4000)
    each = [variance_between(a, b) for a, b in halves.swapaxes(0, 1)]
    for name, true in (
        ("between", truth.var(0, ddof=1).mean()),
        ("of_means", truth.mean(1).var(ddof=1)),
    ):
        found = np.array([getattr(one, name) for one in each])
        assert abs(found.mean() - true) < 4 * found.std() / np.sqrt(len(found)), name


def test_the_interval_holds_for_new_scenarios():
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        truth = 0.3 + 0.05 * generator.normal(size=(3, 60))
        found = variance_between(*noisy(generator, truth)[:, 0])
        held += found.lower <= 0.05**2 <= found.upper
    assert 0.91 < held / 400 < 0.98


def test_several_ways_to_halve_are_averaged():
    a, b = np.random.default_rng(6).random((2, 5, 3, 4))
    each = [variance_between(*pair) for pair in zip(a, b, strict=True)]
    found = variance_between(a, b)
    for name in ("between", "total", "chance", "of_means"):
        assert getattr(found, name) == pytest.approx(np.mean([getattr(one, name) for one in each]))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([[0.1, 0.2]], [[0.1, 0.2]]),
        ([[0.1], [0.2]], [[0.1], [0.2]]),
        ([[0.1, 0.2], [0.1, 0.2]], [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]),
        ([0.1, 0.2], [0.1, 0.2]),
        ([[0.1, np.nan], [0.1, 0.2]], [[0.1, 0.2], [0.1, 0.2]]),
    ],
)
def test_what_is_no_table_of_scores_is_refused(first, second):
    with pytest.raises(ValueError, match="scores are to be"):
        variance_between(first, second)
