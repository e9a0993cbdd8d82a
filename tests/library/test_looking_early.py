"""Looking early: sequences against the capital itself, and against looks at every scenario."""

import numpy as np
import pytest

from fidelity import difference_bounds, discrepancy_bounds
from fidelity.means import (
    confidence_sequence,
    discrepancy_sequence,
    drift_evidence,
    exceedance_sequence,
)

ETA = 0.05


def capital(values, mean, eta=ETA):
    """Return the largest capital so far of bets that the mean is more, one value at a time."""
    spread, centre, logs, largest = 0.25, 0.5, 0.0, []
    total, squares = 0.5, 0.25
    for t, x in enumerate(values, 1):
        bet = np.sqrt(2 * np.log(2 / eta) / (spread * t * np.log(1 + t)))
        logs += np.log(1 + min(bet, 0.75 / mean) * (x - mean))
        largest.append(logs)
        total += x
        centre = total / (t + 1)
        squares += (x - centre) ** 2
        spread = squares / (t + 1)
    return np.exp(np.maximum.accumulate(largest))


def test_a_bound_is_the_largest_mean_that_the_gambler_refutes():
    values = np.random.default_rng(0).beta(2, 5, 60)
    found = confidence_sequence(values)
    for t in (9, 29, 59):
        for bound, own in ((found.lower[t], values), (1 - found.upper[t], 1 - values)):
            if bound > 1e-9:
                assert capital(own[: t + 1], bound)[-1] == pytest.approx(2 / ETA, rel=1e-6)
                assert capital(own[: t + 1], bound * 1.01)[-1] < 2 / ETA


def test_what_comes_later_changes_no_earlier_interval():
    values = np.random.default_rng(1).random(80)
    whole, part = confidence_sequence(values), confidence_sequence(values[:30])
    assert (whole.lower[:30] == part.lower).all()
    assert (whole.upper[:30] == part.upper).all()
    assert (np.diff(whole.lower) >= 0).all()
    assert (np.diff(whole.upper) <= 0).all()


def test_both_sides_mirror_each_other_and_move_with_the_unit():
    values = np.random.default_rng(2).beta(2, 5, 50)
    found, mirrored = confidence_sequence(values), confidence_sequence(1 - values)
    assert found.lower == pytest.approx(1 - mirrored.upper)
    scaled = confidence_sequence(10 * values - 3, low=-3, high=7)
    assert scaled.upper == pytest.approx(10 * found.upper - 3)
    assert scaled.lower == pytest.approx(10 * found.lower - 3)


def test_long_sequences_are_cut_into_blocks_without_a_trace(monkeypatch):
    values = np.random.default_rng(3).random(40)
    whole = confidence_sequence(values)
    monkeypatch.setattr("fidelity.means.looking_early.NUMBERS_AT_ONCE", 200)
    assert confidence_sequence(values).upper == pytest.approx(whole.upper, abs=1e-12)


def test_an_exceedance_is_one_side_of_indicators():
    upper = np.random.default_rng(5).random(60)
    found = exceedance_sequence(upper, gamma=0.5, tolerance=0.8, eta=0.025)
    both = confidence_sequence((upper > 0.8).astype(float), eta=0.05)
    assert found == pytest.approx(np.minimum(both.upper / 0.5, 1))


def test_discrepancies_have_the_sequences_of_their_bounds():
    rng = np.random.default_rng(6)
    people, q = rng.multinomial(60, [0.5, 0.3, 0.2], 40), rng.dirichlet([4, 3, 2], 40)
    bounds = discrepancy_bounds(people, q, discrepancy="tv")
    found = discrepancy_sequence(bounds)
    assert found.upper == pytest.approx(confidence_sequence(bounds.upper).upper)
    assert found.lower == pytest.approx(confidence_sequence(bounds.lower, low=-1).lower)
    other = difference_bounds(people, q, q[::-1], discrepancy="tv")
    changed = discrepancy_sequence(other, difference=True)
    assert changed.upper == pytest.approx(confidence_sequence(other.upper, low=-2, high=2).upper)
    with pytest.raises(ValueError, match="largest value"):
        discrepancy_sequence(discrepancy_bounds(people, q, discrepancy="kl"))


def test_values_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"entry 1 is 1\.2"):
        confidence_sequence([0.5, 1.2])
    with pytest.raises(ValueError, match="low must be below high"):
        confidence_sequence([0.5], low=1, high=1)
    with pytest.raises(ValueError, match="one in each half"):
        drift_evidence([0.5])


def test_drift_by_hand():
    """One pair: λ_1 = sqrt(2 log 20/(1·¼)) is cut at 3/2; differences of .4 and -.4 in [0, 1]."""
    found = drift_evidence([0.1, 0.9])
    assert found.first == 0.1
    assert found.second == 0.9
    assert found.capital == pytest.approx(max(1, ((1 + 1.5 * 0.4) + (1 - 1.5 * 0.4)) / 2))
    assert found.p_value == 1 / found.capital
