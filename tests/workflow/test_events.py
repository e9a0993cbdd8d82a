"""From people's counts and stated probabilities to rows for the measures of calibration."""

import numpy as np
import pytest

from fidelity.calibration import (
    brier_score,
    equal_width_edges,
    expected_calibration_error,
    reliability,
)
from fidelity_study.events import answers_of, events_of

PEOPLE = [np.array([6.0, 4.0]), np.array([5.0, 0.0, 15.0])]
STATED = [np.array([0.7, 0.3]), np.array([0.25, 0.05, 0.7])]


def test_of_two_options_the_second_is_an_event_else_all():
    events = events_of(PEOPLE, STATED)
    rows = {
        (scenario, confidence, outcome): count
        for scenario, confidence, outcome, count in zip(
            events.scenario, events.confidence, events.outcome, events.counts, strict=True
        )
    }
    assert rows == {
        (0, 0.3, 1): 4,
        (0, 0.3, 0): 6,
        (1, 0.25, 1): 5,
        (1, 0.25, 0): 15,
        (1, 0.05, 0): 20,
        (1, 0.7, 1): 15,
        (1, 0.7, 0): 5,
    }
    assert (events.weights == 1).all()


def test_the_error_is_that_by_hand():
    events = events_of(PEOPLE, STATED)
    edges = equal_width_edges(10)
    diagram = reliability(events.confidence, events.outcome, edges, **events.mass)
    # .25 and .3 lie in one bin, (.2, .3]: its gap is that of both together
    together = abs((10 * 0.3 + 20 * 0.25) - (4 + 5))
    by_hand = (together + 20 * 0.05 + 20 * 0.05) / 70
    assert expected_calibration_error(diagram) == pytest.approx(by_hand)


def test_weighted_people_keep_their_mass():
    people = [np.array([0.4, 2.5]), np.array([1.0, 1.0])]
    stated = [np.array([0.5, 0.5]), np.array([0.2, 0.8])]
    events = events_of(people, stated)
    mass = events.counts * events.weights
    np.testing.assert_allclose(
        [mass[events.outcome == 1].sum(), mass[events.outcome == 0].sum()], [3.5, 1.4]
    )
    rows = answers_of(people, stated)
    squares = [0.5 * 0.4 + 0.5 * 2.5, (0.8**2 * 2) + (0.2**2 * 2)]
    assert brier_score(**rows) == pytest.approx(sum(squares) / 4.9)
