"""Widths of plans: refused, or asked about, where they can't be in the unit of the discrepancy."""

import numpy as np
import pytest

from fidelity import Costs, Pilot, Responses, cheapest_plan, iso_width, people_needed
from fidelity.planning.widths import ProbablyShare

PEOPLE, MODEL = [[12, 5, 3], [9, 6, 5]], [[0.3, 0.3, 0.4], [0.6, 0.3, 0.1]]
SCALE = [0.0, 50.0, 100.0]


def needed(width, discrepancy="absolute", **known):
    people = Responses(PEOPLE, **known)
    generator = np.random.default_rng(0)
    return people_needed(people, MODEL, width, discrepancy=discrepancy, generator=generator)


def test_percentages_of_a_share_are_refused():
    for width in (5.0, 1.01):
        with pytest.raises(ValueError, match=r"width must be at most 1, the largest tv"):
            needed(width, "tv")
    assert needed(1.0, "tv") == 1.0
    with pytest.raises(ValueError, match="width must be at most 100, the largest absolute"):
        needed(101.0, scores=SCALE)


@pytest.mark.parametrize("scale", [{"scores": SCALE}, {"scores": SCALE, "limits": (0.0, 100.0)}])
def test_a_share_of_a_scale_of_a_hundred_is_asked_about(scale):
    with pytest.warns(ProbablyShare, match="if it is meant as a share of that, give 5$"):
        few = needed(0.05, **scale)
    assert few is None, "no pilot comes so near"
    assert needed(5.0, **scale) == pytest.approx(needed(0.05, scores=[0.0, 0.5, 1.0]))


def test_scales_that_are_short_or_have_no_end_are_taken_as_told():
    assert needed(0.05, scores=[1.0, 3.0, 5.0]) is not None
    assert needed(1e-6, "tv") is None
    assert needed(500.0, "kl") == 1.0
    assert needed(0.15, scores=SCALE, limits=(-np.inf, np.inf)) is None


def test_plans_of_curves_have_the_same_units():
    pilot = Pilot(
        *(np.array(MODEL), np.array(MODEL[::-1])),
        discrepancy="absolute",
        confidence_set="hoeffding",
        gamma=0.9,
        scores=np.array(SCALE),
    )
    prices = Costs(scenario=100, answer=1, draw=0.01)
    with pytest.warns(ProbablyShare, match="0.05"):
        assert np.isinf(iso_width(pilot, 0.05, n=[50], k=100)).all()
    with pytest.warns(ProbablyShare, match="0.05"):
        assert cheapest_plan(pilot, 0.05, prices, n=[50], k=[100]) is None
    with pytest.raises(ValueError, match="width must be at most 100"):
        cheapest_plan(pilot, 200.0, prices, n=[50], k=[100])
