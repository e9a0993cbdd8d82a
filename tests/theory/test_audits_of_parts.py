"""Audits of effects, regressions and cards: their truths, and that each kind is measured."""

import numpy as np
import pytest

from fidelity.regression import compare_slopes
from fidelity.stream import stream
from fidelity.structure import Interval, associations, compare_associations, gap_errors
from fidelity.uses import USES, as_normal
from fidelity_audit import effects, regressions, uses
from fidelity_audit.effects import FEW_NEW, NO_COVERAGE, SMALL, New, Small, binary, rates_of
from fidelity_audit.regressions import CELLS, LOGITS, Cell, truth_of
from fidelity_audit.uses import EFFECTS, NAMES, answered, is_false, limits


def test_rates_are_possible_and_effects_are_drawn_from_them():
    assert {cell.n for cell in SMALL} == {20, 100, 1000} and len(FEW_NEW) == 28
    for cell in SMALL:
        rates = np.concatenate(rates_of(cell))
        assert (rates > 0.0).all() and (rates < 1.0).all()
    cell = Small(4, 20000, 0.1, False, False)
    people = binary(rates_of(cell)[0], cell, stream("test"))
    np.testing.assert_allclose(people.estimate, rates_of(cell)[0] - 0.1, atol=0.015)


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
    people, simulator, facts = regressions.study(cell, stream("test"))
    truth = truth_of(cell, facts)
    np.testing.assert_allclose(people.estimate, truth.people, atol=5 * people.se.max())
    np.testing.assert_allclose(simulator.estimate, truth.simulator, atol=5 * simulator.se.max())
    np.testing.assert_allclose(people.scale, truth.scale, rtol=0.05)
    np.testing.assert_allclose(people.roots, truth.roots, atol=0.02)


@pytest.mark.slow
def test_intervals_hold_in_small_studies_with_a_rare_level():
    """Normal limits of the rare level's slope would cover .88."""
    shares = regressions.coverage(Cell(60, 3, False, "draws"), 150)
    assert {name for name, share in shares.items() if regressions.is_low(name, share, 150)} == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    [
        Small(3, 100, 0.1, True, True),
        Small(10, 20, 0.1, False, True),
        Small(1, 100, 0.02, True, True),
        New(2, 0.02, False),
        New(5, 0.3, True),
        New(7, 0.02, False),
    ],
)
def test_intervals_hold_where_effects_are_few_and_answers_rare(cell):
    """By plug-in variances .6 to .9."""
    shares = effects.coverage(cell, 150)
    held = {name: share for name, share in shares.items() if not name.endswith(NO_COVERAGE)}
    assert {name: share for name, share in held.items() if share < 0.93} == {}


@pytest.mark.slow
@pytest.mark.parametrize("times", [1.0, -1.0])
def test_errors_are_just_at_the_limits(times):
    people, model = (answered(40_000, t, stream("test", str(t))) for t in (0.0, times))
    shares = [side.counts / side.counts.sum(1, keepdims=True) for side in (people, model)]
    apart = np.abs(shares[0] - shares[1]).sum(1).mean() / 2
    gaps = gap_errors(people.grouped, model.grouped, people.group, model.group)
    together = (associations(side.items[:10_000]) for side in (people, model))
    slope = compare_associations(*together)[0].slope
    effects = np.sqrt(((people.effects.estimate - model.effects.estimate) ** 2).mean())
    estimates = {
        "shares": apart,
        "groups": np.linalg.norm(gaps.vector),
        "relations": abs(slope.estimate - 1),
        "regressions": compare_slopes(people.slopes, model.slopes).root_mean_square.estimate,
        "effects": effects,
    }
    for name, value in estimates.items():
        assert value == pytest.approx(limits()[name], rel=0.1), name
    np.testing.assert_allclose(people.effects.estimate, EFFECTS[1:], atol=0.06)


def test_what_is_false():
    kind = USES["groups"]
    use = kind.judged(as_normal(Interval(0.1, 0.0, 0.2)), 0.2)
    row = uses.Row("a", use, "within", 0.0, 1.0, "", np.nan)
    assert is_false(row, 1.0, None) and not is_false(row, 0.0, None)
    beyond = row._replace(verdict="beyond")
    assert is_false(beyond, 1.0, None) and is_false(beyond, 0.0, None)
    assert not is_false(row._replace(verdict="open"), 1.0, None)


@pytest.mark.slow
def test_a_study_is_measured():
    shares = uses.study(300, stream("uses", "test"))
    assert {*NAMES, "card"} < {*shares} and all(0.0 <= share <= 1.0 for share in shares.values())


def test_too_many_false_cards_give_a_status(monkeypatch, capsys):
    monkeypatch.setattr(uses, "study", lambda n, generator: {"card": 1.0, "shares": 0.0})
    assert uses.main(20, (300,)) == 1 and "card\t1.0000" in capsys.readouterr().out
    monkeypatch.setattr(uses, "study", lambda n, generator: {"card": 0.0})
    assert uses.main(20, (300,)) == 0


@pytest.mark.parametrize(
    ("audit", "cell"),
    [
        (effects, Small(1, 20, 0.02, True, True)),
        (effects, New(3, 0.3, True)),
        *(
            pytest.param(regressions, cell, marks=pytest.mark.slow)
            for cell in (*CELLS[::5], LOGITS[0])
        ),
    ],
)
def test_a_cell_is_measured(audit, cell):
    shares = audit.coverage(cell, 2)
    assert audit is regressions or {"mean_squared", "mean", "shift"} <= {*shares}
    assert all(0.0 <= share <= 1.0 for share in shares.values())


@pytest.mark.parametrize(
    ("audit", "is_told"),
    [(effects, ("slope told", 0.0)), (regressions, ("sizes told", 0.0))],
)
def test_an_interval_that_holds_too_rarely_gives_a_status(monkeypatch, capsys, audit, is_told):
    assert audit.is_low("slope", 0.90, 1000) and not audit.is_low("slope", 0.92, 1000)
    assert not audit.is_low(*is_told, 1000)
    assert audit is effects or audit.is_low("signs false", 0.10, 1000)
    monkeypatch.setattr(audit, "coverage", lambda cell, studies: {"slope": 0.9})
    assert audit.main(1000, 0, 1000) == 1 and "slope\t0.9000" in capsys.readouterr().out
