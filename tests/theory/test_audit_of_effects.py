"""The audit of effects: its truths, and that each kind of experiment is measured."""

import numpy as np
import pytest

from fidelity.stream import stream
from fidelity_audit import effects
from fidelity_audit.effects import FEW_NEW, SMALL, New, Small, binary, coverage, is_low, rates_of


def test_rates_are_possible_and_effects_are_drawn_from_them():
    assert {cell.n for cell in SMALL} == {20, 100, 1000} and len(FEW_NEW) == 28
    for cell in SMALL:
        rates = np.concatenate(rates_of(cell))
        assert (rates > 0.0).all() and (rates < 1.0).all()
    cell = Small(4, 20000, 0.1, False, False)
    people = binary(rates_of(cell)[0], cell, stream("test"))
    np.testing.assert_allclose(people.estimate, rates_of(cell)[0] - 0.1, atol=0.015)


@pytest.mark.parametrize("cell", [Small(1, 20, 0.02, True, True), New(3, 0.3, True)])
def test_a_cell_is_measured(cell):
    shares = coverage(cell, 2)
    assert {"mean_squared", "mean", "shift"} <= {*shares}
    assert all(0.0 <= share <= 1.0 for share in shares.values())


def test_an_interval_that_holds_too_rarely_gives_a_status(monkeypatch, capsys):
    assert is_low("slope", 0.90, 1000) and not is_low("slope", 0.92, 1000)
    assert not is_low("slope told", 0.0, 1000)
    monkeypatch.setattr(effects, "coverage", lambda cell, studies: {"slope": 0.9})
    assert effects.main(1000, 0, 1000) == 1 and "slope\t0.9000" in capsys.readouterr().out
