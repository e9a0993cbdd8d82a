"""What the page says of a second score beside that which orders forecasters."""

from types import SimpleNamespace

import pytest

from fidelity_study.page.forecast import Forecast, Pair


@pytest.mark.parametrize(
    ("lead", "ends", "said"),
    [
        (-1, (-0.3, -0.1), "The log score agrees."),
        (-1, (-0.3, 0.1), "The log score does not settle whether A is better than B."),
        (0, (-0.3, -0.1), "The log score settles that A is better than B."),
        (0, (0.1, 0.3), "By the log score A is worse than B."),
    ],
)
def test_a_second_score_that_does_not_agree_is_told_in_words(lead, ends, said):
    of = SimpleNamespace(
        scores=["brier", "log"],
        means={"log": {}},
        pairs=lambda score: {("A", "B"): Pair(sum(ends) / 2, ends, many=True)},
        _rivals=["B"],
        _baseline=None,
        best="A",
        sign=lambda one, two: lead,
        _name=str,
    )
    assert list(Forecast._by_others(of)) == [said]
