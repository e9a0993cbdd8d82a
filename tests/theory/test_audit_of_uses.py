"""The audit of cards: errors are at their limits, and a study of each size is measured."""

import numpy as np
import pytest

from fidelity.regression import compare_slopes
from fidelity.stream import stream
from fidelity.structure import associations, compare_associations, gap_errors
from fidelity.uses import USES
from fidelity_audit import uses
from fidelity_audit.uses import EFFECTS, NAMES, answered, is_false, limits, study


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
    row = uses.Row("a", kind.not_measured(0.2), "within", 0.0, 1.0, "", np.nan)
    assert is_false(row, 1.0, None) and not is_false(row, 0.0, None)
    beyond = row._replace(verdict="beyond")
    assert is_false(beyond, 1.0, None) and is_false(beyond, 0.0, None)
    assert not is_false(row._replace(verdict="open"), 1.0, None)


@pytest.mark.slow
def test_a_study_is_measured():
    shares = study(300, stream("uses", "test"))
    assert {*NAMES, "card"} < {*shares} and all(0.0 <= share <= 1.0 for share in shares.values())


def test_too_many_false_cards_give_a_status(monkeypatch, capsys):
    monkeypatch.setattr(uses, "study", lambda n, generator: {"card": 1.0, "shares": 0.0})
    assert uses.main(20, (300,)) == 1 and "card\t1.0000" in capsys.readouterr().out
    monkeypatch.setattr(uses, "study", lambda n, generator: {"card": 0.0})
    assert uses.main(20, (300,)) == 0
