"""What the page says of a second score beside that which orders forecasters."""

from types import SimpleNamespace

import pytest

from fidelity_study.report.formats import Table
from fidelity_study.report.page import render
from fidelity_study.report.page.forecast import Forecast
from fidelity_study.report.summaries import Difference


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
        pairs=lambda score: {("A", "B"): Difference(sum(ends) / 2, ends)},
        _rivals=["B"],
        _baseline=None,
        best="A",
        sign=lambda one, two: lead,
        _name=str,
    )
    assert list(Forecast._by_others(of)) == [said]


def test_findings_say_which_form_of_the_brier_score_they_have():
    of = Forecast(SimpleNamespace(nouns="events"))
    vars(of)["means"] = {"brier": {}}
    shown = SimpleNamespace(
        headings=of.headings,
        headline="",
        sentences=[],
        open=[],
        notes=[],
        findings=Table(["simulator", "Brier score"], [["a|b", "0.152 (0.1 to 0.2)"]]),
    )
    each = SimpleNamespace(
        views=[],
        forecast=shown,
        telling=None,
        few=[],
        results=of.results,
        by_itself="Each is compared by itself.",
    )
    told = render._environment(html=False).get_template("results.md").render(each=each)
    assert "| simulator | Brier score |\n|---|---|\n| a\\|b | 0.152 (0.1 to 0.2) |\n" in told
    assert "With two options it is twice the usual score." in told
    assert "Σ over options of (p − o)²" in told
    assert "by itself" not in told, "an event has no margins that its scores could miss"


def test_events_that_a_forecaster_says_nothing_of_are_counted():
    means = {"brier": {"a": {"m": 72}, "b": {"m": 60}}, "log": {"b": {"m": 60}}}
    results = SimpleNamespace(m=72, nouns="events", named=str)
    of = SimpleNamespace(results=results, means=means, tested=["a", "b"])
    assert list(Forecast._partial(of)) == [
        "b has no forecast of 12 of 72 events; its mean scores are about the others, and"
        " differences about those in common."
    ]
