"""The reliability figure says what it draws: no thin lines, bars or intervals that aren't there."""

from types import SimpleNamespace

import pytest

from fidelity_study.config.project import figures
from fidelity_study.report.figures import reliability

SCORES = {
    "m": 288,
    "n_clusters": 3,
    "stated_for": "scenario",
    "ece": 0.15877,
    "ece_lower": 0.0,
    "ece_upper": 0.27865,
}
BIN = {"lower": 0.2, "upper": 0.4, "people": 9.0, "share": 1.0, "confidence": 0.35}
BARRED = BIN | {"value": None, "frequency": 0.2, "frequency_lower": 0.1, "frequency_upper": 0.3}
BARE = BARRED | {"frequency_lower": float("nan"), "frequency_upper": float("nan")}
EMPTY = BARRED | {"people": 0.0, "confidence": float("nan"), "frequency": float("nan")}


def drawn(scores, bins, event=""):
    """Return a figure of one simulator."""
    results = SimpleNamespace(
        shown=["model"],
        calibration={"model": (scores, bins)},
        step={"title": "Survey", "places": {"model": 0}},
        named=str,
        noun="question",
        nouns="questions",
        event=event,
        diagrammed=event or "the most likely option",
        scenarios_text="m = 288 scenarios",
        notes=SimpleNamespace(shown="", smoothing="", weights="", draws=""),
        median_answers=300.0,
    )
    return reliability.draw(results)


def words(figure):
    return " ".join(figure.get_supxlabel().split())


def test_the_error_above_a_diagram_is_the_distance_of_what_is_drawn():
    bins = [
        BARRED | {"share": 0.25, "confidence": 0.3, "frequency": 0.5},
        BARRED | {"share": 0.75, "confidence": 0.6, "frequency": 0.5},
        EMPTY | {"share": 0.0},
        BARRED | {"value": 1.0, "confidence": 0.1, "frequency": 0.9},
    ]
    figure = drawn(SCORES | {"ece": 0.125}, bins)
    axis = figure.axes[0]
    assert "ECE 0.125\n(0.000 to 0.279)" in axis.get_title()
    thick = max(axis.lines, key=lambda line: line.get_linewidth())
    x, y = thick.get_data()
    distance = sum(w * abs(a - b) for w, a, b in zip((0.25, 0.75), x, y, strict=True))
    assert distance == pytest.approx(0.125)


def test_bars_and_thin_lines_are_promised_only_where_they_are():
    plain = words(drawn(SCORES, [BARE]))
    assert "most likely" in plain
    assert "Thin" not in plain
    assert "Bars" not in plain
    barred = words(drawn(SCORES, [BARRED]))
    assert "95 % intervals for new clusters of questions; there are 3." in barred
    alone = words(drawn(SCORES | {"n_clusters": 288}, [BARRED]))
    assert "95 % intervals for new questions." in alone
    assert "Thin: each option by itself." in words(drawn(SCORES, [BARRED, BARRED | {"value": 1.0}]))


def test_of_outcomes_with_two_options_the_event_is_drawn():
    figure = drawn(SCORES, [BARE], "“rain”")
    assert "Thick: “rain”; its ECE is above." in words(figure)
    assert "stated for “rain”" in " ".join(figure.axes[1].get_xlabel().split())


def test_bars_are_drawn_where_they_are_promised():
    (bars,) = drawn(SCORES, [BARRED, BARE]).axes[0].collections
    assert [each.tolist() for each in bars.get_segments()] == [[[0.35, 0.1], [0.35, 0.3]]]


def test_an_error_without_an_interval_has_none_above():
    figure = drawn(SCORES | {"ece_lower": None, "ece_upper": None}, [BARE])
    assert "ECE 0.159\nstated for each question" in figure.axes[0].get_title()


def test_the_caption_promises_nothing_that_a_figure_may_lack():
    caption = " ".join(figures()["reliability"].caption.lower().split())
    assert "thin" not in caption
    assert "bars" not in caption
    assert "most likely" in caption
