"""Verdicts of uses: against their own intervals, and Holm's method by hand."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from fidelity import holm
from fidelity.registry import Registry
from fidelity.structure import Interval
from fidelity.uses import USES, Use, UseKind, as_normal, card
from fidelity.uses.base import verdict_of
from fidelity.uses.ends import around_value

NAMES = [
    *("choices", "effects", "groups", "interviews", "new_questions"),
    *("persons", "probabilities", "regressions", "relations", "scores", "shares"),
]
GROUPS = USES["groups"]


def normal(estimate, se):
    """Return the ends of a normal estimate of an error."""
    reach = ndtri(0.975) * se
    return as_normal(Interval(estimate, estimate - reach, estimate + reach))


def use(estimate, se, limit=0.1, kind=GROUPS):
    return kind.judged(normal(estimate, se), limit)


def test_all_kinds_are_there_with_what_a_reader_needs():
    assert [*USES] == NAMES and isinstance(USES, Registry)
    for kind in USES.values():
        assert kind.question.endswith("?") and kind.unit and kind.brings and kind.limit > 0
        missing = kind.not_measured()
        assert not missing.is_measured and missing.needs == kind.brings
        assert missing.verdict == "not measured" and missing.p_within == missing.p_beyond == 1.0


@pytest.mark.parametrize("estimate", [-0.02, 0.03, 0.0999, 0.12, 0.3])
@pytest.mark.parametrize("se", [0.001, 0.02, 0.1])
def test_p_values_are_those_of_a_normal_estimate(estimate, se):
    judged = use(estimate, se)
    p = float(ndtr((estimate - 0.1) / se))
    expected = [max(one, 1e-9) if one < 0.4999 else 1.0 for one in (p, 1.0 - p)]
    np.testing.assert_allclose([judged.p_within, judged.p_beyond], expected, rtol=1e-4)


def test_a_use_alone_is_within_exactly_where_its_interval_ends_below_the_limit():
    for estimate in np.linspace(0.0, 0.2, 81):
        judged = use(estimate, 0.03)
        expected = {(True, False): "within", (False, True): "beyond"}
        sides = judged.upper < 0.1, judged.lower > 0.1
        assert judged.verdict == expected.get(sides, "open")
        assert [row.verdict for row in card({"one": [judged]})] == [judged.verdict]


def test_limits_in_the_unit_of_the_answers_are_shares_of_their_range():
    assert GROUPS.limit_of(None, 4.0) == pytest.approx(0.2) and GROUPS.limit_of(0.3, 4.0) == 0.3
    assert USES["regressions"].limit_of(None, 4.0) == 0.1
    with pytest.raises(ValueError, match="limit must be a positive finite number"):
        GROUPS.limit_of(0.0)


def test_holm_by_hand_over_uses_and_simulators():
    kinds = [USES[name] for name in ("groups", "effects", "choices")]
    rng = np.random.default_rng(0)
    sides = {
        name: [
            use(abs(z), 0.03, kind=kind)
            for kind, z in zip(kinds, rng.normal(size=3) / 9, strict=True)
        ]
        for name in "abcd"
    }
    listed = [each for side in sides.values() for each in side]
    rows = card(sides)
    for name in ("p_within", "p_beyond"):
        expected = holm([getattr(each, name) for each in listed])
        np.testing.assert_allclose([getattr(row, name) for row in rows], expected)
    for row in rows:
        assert row.verdict == verdict_of(row.p_within, row.p_beyond, 0.025)
    assert {row.verdict for row in rows} == {"within", "open"}
    assert any(row.verdict == "open" and row.use.verdict == "within" for row in rows)
    assert [(row.simulator, row.use) for row in rows] == [
        (name, each) for name, side in sides.items() for each in side
    ]


def test_what_was_not_declared_is_not_asked_and_does_not_count():
    sides = {"a": [use(0.05, 0.023), use(0.0, 0.001, kind=USES["effects"])]}
    assert [row.verdict for row in card(sides)] == ["within", "within"]
    rows = card(sides, declared=["groups"])
    assert [row.verdict for row in rows] == ["within", "not asked"]
    assert np.isnan(rows[1].p_within) and rows[1].needs == ""
    # a declared use counts though it isn't measured, or isn't there
    missing = USES["persons"].not_measured()
    rows = card({"a": [sides["a"][0], missing]}, declared=["groups", "persons", "shares"])
    assert [row.verdict for row in rows] == ["open", "not measured"]
    assert rows[0].p_within == pytest.approx(3 * sides["a"][0].p_within)
    assert rows[1].needs == USES["persons"].brings
    alone = card({"a": [sides["a"][0], missing]})
    assert [row.verdict for row in alone] == ["within", "not measured"]


def test_what_is_malformed_is_refused():
    with pytest.raises(ValueError, match="once for each simulator"):
        card({"a": [use(0.0, 0.1), use(0.1, 0.1)]})
    with pytest.raises(ValueError, match="declared must be one of"):
        card({"a": [use(0.0, 0.1)]}, declared=["love"])
    with pytest.raises(ValueError, match="level"):
        card({}, level=1.0)
    assert card({}) == []
    with pytest.raises(TypeError, match="no use"):
        USES.add(dict)


def test_a_use_of_two_parts_is_within_if_both_are_and_beyond_if_one_is_at_half_the_level():
    z = float(ndtri(0.975))
    both = GROUPS.both(use(0.05, 0.05 / z / 1.001), use(0.0, 0.01))
    assert both.verdict == "within" and both.upper == pytest.approx(0.1, rel=1e-3)
    assert GROUPS.both(use(0.05, 0.05 / z * 1.001), use(0.0, 0.01)).verdict == "open"
    one = use(0.15, 0.05 / z / 1.001)
    assert one.verdict == "beyond" and GROUPS.both(one, use(0.0, 0.01)).verdict == "open"
    assert one.lower > one.limit >= GROUPS.both(one, use(0.0, 0.01)).lower
    stronger = use(0.15, 0.05 / float(ndtri(1 - 0.0125)) / 1.001)
    assert GROUPS.both(stronger, use(0.0, 0.01)).verdict == "beyond"
    assert GROUPS.both(stronger, use(0.0, 0.01)).lower > one.limit


def test_how_much_more_would_settle_a_use():
    """Power .8 of a normal estimate, by its formula."""
    estimate, se = 0.06, 0.03
    open_use = use(estimate, se)
    expected = ((ndtri(0.975) + ndtri(0.8)) * se / (0.1 - estimate)) ** 2
    assert open_use.verdict == "open" and open_use.needs == GROUPS.more
    assert open_use.times == pytest.approx(expected, rel=1e-3)
    beyond = use(0.16, 0.04)
    expected = ((ndtri(0.975) + ndtri(0.8)) * 0.04 / 0.06) ** 2
    assert beyond.times == pytest.approx(expected, rel=1e-3)
    assert use(0.1, 0.03).times == np.inf
    assert np.isnan(use(0.0, 0.01).times)
    rows = card({name: [use(estimate, se)] for name in "abc"})
    expected = ((ndtri(1 - 0.025 / 3) + ndtri(0.8)) * se / (0.1 - estimate)) ** 2
    assert rows[0].times == pytest.approx(expected, rel=1e-3)
    both = GROUPS.both(use(estimate, se), use(0.05, 0.03))
    assert both.times == pytest.approx(open_use.times)


def test_distances_from_a_value():
    ends = around_value(as_normal(Interval(0.8, 0.7, 1.1)), 1.0)
    assert tuple(ends.observed(0.95)) == pytest.approx((0.2, 0.0, 0.3))
    ends = around_value(as_normal(Interval(1.5, 1.4, 1.6)), 1.0)
    assert tuple(ends.observed(0.95)) == pytest.approx((0.5, 0.4, 0.6))
    nothing = around_value(as_normal(Interval(np.nan, -np.inf, np.inf)), 1.0).observed(0.95)
    assert nothing.lower == 0.0 and nothing.upper == np.inf


def test_a_use_of_ones_own_is_added_by_its_class():
    kinds = Registry("use", UseKind, "fidelity.uses")

    @kinds.add
    class Own(UseKind):
        name, question, unit, limit, brings = "own", "May it?", "unit", 1.0, "data"

        def ends(self, value):
            return normal(value, 0.1)

    judged = kinds["own"].measure(0.5)
    assert isinstance(judged, Use) and judged.verdict == "within" and judged.limit == 1.0
    assert kinds["own"].measure(0.5, limit=0.4).verdict == "open"
