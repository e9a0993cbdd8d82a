"""The audit of regressions: its truths, that each kind of study is measured, and one kind well."""

import numpy as np
import pytest

from fidelity.stream import stream
from fidelity_audit import regressions
from fidelity_audit.regressions import CELLS, LOGITS, Cell, coverage, is_low, study, truth_of


def test_cells_are_every_size_number_of_slopes_and_kind():
    assert len(CELLS) == 24
    for field, values in zip(
        Cell._fields[:4],
        ({60, 200, 600, 2000}, {1, 3, 8}, {False, True}, {*regressions.DESIGNS}),
        strict=True,
    ):
        assert {getattr(cell, field) for cell in CELLS} == values


@pytest.mark.slow
@pytest.mark.parametrize("cell", [Cell(10_000, 8, False, "plain"), LOGITS[1]._replace(n=40_000)])
def test_slopes_of_many_persons_are_the_true_ones(cell):
    people, simulator, facts = study(cell, stream("test"))
    truth = truth_of(cell, facts)
    np.testing.assert_allclose(people.estimate, truth.people, atol=5 * people.se.max())
    np.testing.assert_allclose(simulator.estimate, truth.simulator, atol=5 * simulator.se.max())
    np.testing.assert_allclose(people.scale, truth.scale, rtol=0.05)
    np.testing.assert_allclose(people.roots, truth.roots, atol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("cell", [*CELLS[::5], *LOGITS[:1]])
def test_a_cell_is_measured(cell):
    shares = coverage(cell, 2)
    assert all(0.0 <= share <= 1.0 for share in shares.values())


@pytest.mark.slow
def test_intervals_hold_in_small_studies_with_a_rare_level():
    """Normal limits of the rare level's slope would cover .88."""
    shares = coverage(Cell(60, 3, False, "draws"), 150)
    assert {name for name, share in shares.items() if is_low(name, share, 150)} == set()


def test_an_interval_that_holds_too_rarely_gives_a_status(monkeypatch, capsys):
    assert is_low("slope", 0.90, 1000) and not is_low("slope", 0.92, 1000)
    assert is_low("signs false", 0.10, 1000) and not is_low("sizes told", 0.0, 1000)
    monkeypatch.setattr(regressions, "coverage", lambda cell, studies: {"slope": 0.9})
    assert regressions.main(1000, 0, 1000) == 1 and "slope\t0.9000" in capsys.readouterr().out
