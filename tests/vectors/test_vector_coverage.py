"""Intervals, limits and curves hold in simulated studies; fidelity_audit.vectors has more."""

import numpy as np
import pytest

from fidelity_audit.vectors import (
    Cell,
    bandwidth_of,
    coverage,
    curve_coverage,
    limit_coverage,
    populations,
    telling_coverage,
    truths,
)


def test_truths_by_large_samples():
    cell = Cell(3, 10, 10, "moved", "apart")
    p, q = populations(cell)
    rng = np.random.default_rng(0)
    x, y, z, u = (side.draw(200_000, rng) for side in (p, q, p, q))
    true = truths(cell, bandwidth_of(cell))
    far = [np.linalg.norm(a - b, axis=1) for a, b in ((x, z), (x, y), (y, u))]
    assert true["energy"] == pytest.approx(
        2 * far[1].mean() - far[0].mean() - far[2].mean(), abs=0.02
    )
    kernel = [np.exp(-(d**2) / (2 * bandwidth_of(cell) ** 2)).mean() for d in far]
    assert true["mmd"] == pytest.approx(kernel[0] - 2 * kernel[1] + kernel[2], abs=0.004)


@pytest.mark.slow
@pytest.mark.parametrize("cell", [Cell(2, 20, 50, "moved"), Cell(50, 40, 20, "moved", questions=4)])
def test_intervals_hold(cell):
    for name, of in coverage(cell, 60).items():
        assert of.above + of.below <= 0.05 + 2.3 * np.sqrt(0.05 * 0.95 / 60), name
        assert of.lower <= of.true + 0.02
        assert of.upper >= of.true - 0.02


@pytest.mark.slow
def test_limits_and_curves_hold():
    for held in limit_coverage(20, 20, 2, 40).values():
        assert (held >= [[0.5], [0.9]]).all()
    for below in curve_coverage(20, 3, 20, 10).values():
        assert (below >= [0.5, 0.9]).all()


def test_interval_of_the_classifier_holds():
    held, told = telling_coverage(30, 20, 2, 0.0, 40)
    assert held >= 0.95 - 2.3 * np.sqrt(0.05 * 0.95 / 40)
    assert told <= 0.05 + 2.3 * np.sqrt(0.05 * 0.95 / 40)
