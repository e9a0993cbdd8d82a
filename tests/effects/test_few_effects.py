"""Correlation and mean square of few effects: coverage, and estimates in their intervals."""

import numpy as np
import pytest

from fidelity import cosines
from fidelity.effects import arm_effects, compare_effects, stated_effects


def drawn(rng, effects, n):
    arms = np.repeat(np.arange(len(effects) + 1), n)
    answers = np.append(effects, 0.0)[arms] + rng.normal(size=len(arms))
    return arm_effects(answers, arms.astype(str), control=str(len(effects)))


@pytest.mark.slow
@pytest.mark.parametrize(("many", "true"), [(3, 0.97), (4, 0.9), (6, 0.95)])
def test_the_correlation_of_few_effects_is_covered(monkeypatch, many, true):
    """By the delta method .72 to .94, and the estimate may be above 1."""
    monkeypatch.setattr(cosines, "DRAWS", 600)
    rng, covered = np.random.default_rng(many), 0
    basis = np.linalg.qr(np.column_stack([np.ones(many), rng.normal(size=(many, 2))]))[0]
    sigma, rest = basis[:, 1:].T * 0.25 * np.sqrt(many)
    tau = true * sigma + np.sqrt(1.0 - true**2) * rest
    for _ in range(125):
        people, model = drawn(rng, tau, 100), drawn(rng, sigma, 100)
        correlation = compare_effects(people, model).correlation
        covered += correlation.lower <= true <= correlation.upper
        if not np.isnan(correlation.estimate):
            assert correlation.lower <= correlation.estimate <= correlation.upper <= 1.0
    assert covered / 125 >= 0.922


@pytest.mark.slow
def test_the_mean_square_of_effects_with_one_control_is_covered():
    """A true control that is answered too high: every effect is off by the same."""
    rng, covered = np.random.default_rng(0), 0
    for _ in range(300):
        people = drawn(rng, np.zeros(10), 40)
        square = compare_effects(
            people, stated_effects(np.full(10, 0.2), people.labels)
        ).mean_squared
        covered += square.lower <= 0.04 <= square.upper
        assert square.lower >= 0.0
    assert covered / 300 >= 0.93
