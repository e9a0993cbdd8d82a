"""What the page says of a second score beside that which orders forecasters."""

from types import SimpleNamespace

import numpy as np
import pytest

from fidelity_study.report.formats import Table
from fidelity_study.report.page import render
from fidelity_study.report.page.forecast import Forecast
from fidelity_study.report.summaries import Difference
from fidelity_study.steps.error_bars import difference_rows
from fidelity_study.steps.proper_scores import by_option, difference_columns, limits_of


@pytest.mark.parametrize(
    ("lead", "ends", "said"),
    [
        (-1, (-0.3, -0.1), None),
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
    assert list(Forecast._by_others(of)) == [*filter(None, [said])]


def test_findings_say_which_form_of_the_brier_score_they_have():
    of = Forecast(SimpleNamespace(nouns="events"))
    vars(of)["means"] = {"brier": {}}
    shown = SimpleNamespace(
        headings=of.headings,
        card=None,
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


@pytest.mark.parametrize(
    ("error", "p_value", "begins", "has"),
    [
        (0.03, 0.001, "A is not calibrated (p = 0.0010). The size of its errors alone", "noise"),
        (0.09, 0.001, "A is not calibrated (p = 0.0010; ECE 0.090, where noise alone", "noise"),
        (0.03, None, "Whether A is calibrated cannot be tested here: few events (ECE", "noise"),
        (0.03, 0.5, "A shows no miscalibration", "noise"),
    ],
)
def test_no_error_below_that_of_noise_is_given_for_miscalibration(error, p_value, begins, has):
    row = {
        "skce_p_value": p_value,
        "ece": error,
        "ece_if_calibrated": 0.0368,
        "reason": "intervals: one cluster; skce_p_value: few events",
    }
    of = SimpleNamespace(
        results=SimpleNamespace(calibrated={"A": row}),
        _lean=lambda row: "",
        _name=str,
        alpha=0.05,
        tested=["A"],
    )
    told = Forecast.of_probabilities(of, "A")
    assert told.startswith(begins) and has in told


def test_a_difference_that_is_the_same_on_all_questions_settles_who_forecasts_best():
    """A states 0 and 1 and is right on all of 30 events: it is better than a guess of a half."""
    perfect, guess = np.tile([0.0, 1.0], (30, 1)), np.full((30, 2), 0.5)
    (row,) = difference_rows(
        {"A": np.zeros(30), "guess": np.full(30, 0.5)},
        np.arange(30),
        0.05,
        difference_columns,
        lambda one, two, both: limits_of(by_option("brier", perfect), by_option("brier", guess)),
    )
    assert row["estimate"] == -0.5
    # one event more with each of the two differences that there can be, -.5 and 1.5
    middle = np.mean([-0.5] * 31 + [1.5])
    assert (row["lower"] + row["upper"]) / 2 == pytest.approx(middle)
    # Clopper and Pearson: at most .116 of the events go otherwise
    assert -0.5 + 2 * 0.06 < row["upper"] < -0.5 + 2 * 0.116


def test_the_other_score_that_can_be_infinite_has_no_interval():
    (row,) = difference_rows(
        {"A": np.zeros(30), "guess": np.full(30, np.log(2))},
        np.arange(30),
        0.05,
        difference_columns,
        lambda one, two, both: limits_of(by_option("log", np.tile([0.0, 1.0], (30, 1))), np.log(2)),
    )
    assert row.get("lower") is None
