"""What the page says of a second score beside that which orders forecasters."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import cauchy, norm, t

from fidelity.blocks import CELLS
from fidelity.calibration import (
    density_log_score,
    margin_probability,
    normal_crps,
)
from fidelity.comparison.proper_scores import limits_of, score_by_option
from fidelity_study.report.formats import Table
from fidelity_study.report.page import render
from fidelity_study.report.page.forecast import Forecast
from fidelity_study.report.summaries import Difference
from fidelity_study.steps.error_bars import difference_rows
from fidelity_study.steps.proper_scores import difference_columns


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
        tested=["A", "B"],
        _baseline=None,
        best="A",
        sign=lambda one, two: lead,
        _name=str,
    )
    assert list(Forecast._by_others(of)) == [*filter(None, [said])]


def test_the_best_is_best_on_the_questions_of_both():
    """A has the better mean, since it forecasts only the 40 easier ones of 60 questions."""
    ends = {"se": 0.02, "df": 39.0, "effective_clusters": 40.0, "other": None, "score": "brier"}
    of_a = {"simulator": "A", "m": 40, "estimate": 0.2, "lower": 0.15, "upper": 0.28}
    of_b = {
        "simulator": "B",
        "m": 60,
        "estimate": 0.3,
        "lower": 0.26,
        "upper": 0.3 + 0.02 * t.ppf(0.975, 39),
    }
    both = {"simulator": "A", "m": 40, "estimate": 0.1, "lower": 0.05, "upper": 0.15}
    rows = [ends | of_a, ends | of_b, ends | both | {"other": "B"}]
    results = SimpleNamespace(
        proper_scores=rows,
        m=60,
        nouns="events",
        noun="event",
        level="95 %",
        step={"test": {"alpha": 0.05}},
        simulators=["A", "B"],
        under_test=list,
        named=str,
    )
    of = Forecast(results)
    assert of.order == ["B", "A"]
    sentences = of.headline, of._by_how_much(), of._covered(), of._few_differ()
    said = [re.sub("[\u2068\u2069]", "", sentence) for sentence in sentences]
    assert said[0] == "B forecasts best: better than A."
    assert "lower by 0.100 " in said[1] and "than that of A on the 40 events of both" in said[1]
    assert (
        said[2] == "Of the 60 events A forecasts 40; two are compared on those that both forecast."
    )
    assert "went against what A stated" in said[3]


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
        lambda one, two, both: limits_of(
            score_by_option("brier", perfect), score_by_option("brier", guess)
        ),
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
        lambda one, two, both: limits_of(
            score_by_option("log", np.tile([0.0, 1.0], (30, 1))), np.log(2)
        ),
    )
    assert row.get("lower") is None


DISTRIBUTIONS = {"normal": norm, "cauchy": cauchy}
GENERATOR = np.random.default_rng(3)
LOC, SCALE = GENERATOR.normal(0, 3, 40), GENERATOR.uniform(0.2, 4.0, 40)
OUTCOME = GENERATOR.normal(0, 5, 40)


@pytest.mark.parametrize("at", range(8))
def test_the_crps_is_the_integral_of_squared_distances(at):
    own = norm(LOC[at], SCALE[at])
    low, _ = quad(lambda x: own.cdf(x) ** 2, -np.inf, OUTCOME[at], epsabs=1e-12)
    high, _ = quad(lambda x: own.sf(x) ** 2, OUTCOME[at], np.inf, epsabs=1e-12)
    found = normal_crps(LOC, SCALE, OUTCOME)[at]
    assert found == pytest.approx(low + high, rel=1e-8)


@pytest.mark.parametrize("family", DISTRIBUTIONS)
def test_the_log_score_is_minus_scipys_log_density(family):
    expected = -DISTRIBUTIONS[family].logpdf(OUTCOME, LOC, SCALE)
    assert density_log_score(LOC, SCALE, OUTCOME, family) == pytest.approx(expected, rel=1e-12)
    far = density_log_score([0.0], [1.0], [1e200], "cauchy")
    assert far[0] == pytest.approx(np.log(np.pi) + 400 * np.log(10), rel=1e-12)


@pytest.mark.parametrize("family", DISTRIBUTIONS)
def test_the_probability_of_a_margin_is_scipys(family):
    """Of a vector, and of a table with a row for each case and a column for each option."""
    for shape in (40, (10, 4)):
        loc, scale = LOC.reshape(shape), SCALE.reshape(shape)
        expected = DISTRIBUTIONS[family].sf(0.0, loc, scale)
        assert margin_probability(loc, scale, family) == pytest.approx(expected, rel=1e-12)
    closed = 0.5 + np.arctan(LOC / SCALE) / np.pi
    if family == "cauchy":
        assert margin_probability(LOC, SCALE, family) == pytest.approx(closed, rel=1e-15)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (([0.0], [0.0], [1.0]), "scale"),
        (([np.nan], [1.0], [1.0]), "loc"),
        (([0.0], [1.0], [np.inf]), "outcome"),
        (([0.0, 1.0], [1.0], [1.0]), "scale"),
    ],
)
def test_what_is_no_prediction_is_refused(given, told):
    for score in (normal_crps, density_log_score):
        with pytest.raises(ValueError, match=told):
            score(*given)
    with pytest.raises(ValueError, match="family"):
        density_log_score([0.0], [1.0], [1.0], "laplace")
    with pytest.raises(ValueError, match="shape"):
        margin_probability(np.ones((2, 3)), np.ones((1, 3)))


def test_scores_of_many_predictions_are_those_of_each():
    """Many rows are scored in blocks."""
    many = CELLS + 3
    loc, outcome = GENERATOR.normal(size=(2, many))
    scale, last = GENERATOR.uniform(0.5, 2.0, many), slice(many - 4, None)
    for score in (normal_crps, density_log_score):
        of_all = score(loc, scale, outcome)
        assert of_all[last].tolist() == score(loc[last], scale[last], outcome[last]).tolist()
