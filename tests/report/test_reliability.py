"""The diagram of calibration shows what its error is the mean of, and no interval it has not."""

from types import SimpleNamespace

import pytest

from fidelity_study.report import plot
from fidelity_study.report.figures import reliability, style

BIN = {"share": 1.0, "confidence": 0.35, "frequency": 0.2}
BARRED = BIN | {"frequency_lower": 0.1, "frequency_upper": 0.3}
BARE = BIN | {"frequency_lower": float("nan"), "frequency_upper": float("nan")}
LABELS = "stated for yes", "share who chose it"
SCORES = {"ece": 0.125, "ece_lower": 0.0, "ece_upper": 0.27865, "stated_for": "scenario"}


def diagram(*bins):
    return plot.reliability(bins, "#123456", LABELS)


def test_the_error_is_the_mean_distance_of_the_dots_from_the_line():
    drawn = diagram(
        BARRED | {"share": 0.25, "confidence": 0.3, "frequency": 0.5},
        BARRED | {"share": 0.75, "confidence": 0.6, "frequency": 0.5},
    )
    assert sum(dot.size**2 * abs(dot.x - dot.y) for dot in drawn.dots) == pytest.approx(0.125)


def test_a_bin_without_an_interval_has_none_and_an_empty_one_no_dot():
    empty = BARE | {"confidence": float("nan"), "frequency": float("nan")}
    (first, second) = diagram(BARRED, BARE, empty).dots
    assert first.ends == (0.1, 0.3)
    assert second.ends is None


def test_the_error_stands_above_its_diagram():
    row = {"simulator": "model", "label": "A model", "diagram": diagram(BARRED), **SCORES}
    results = SimpleNamespace(
        shown=["model"],
        noun="question",
        level="95 %",
        scenarios_text="m = 288 questions",
        simulators=["model"],
    )
    dataset = SimpleNamespace(calibration=[row])
    source = SimpleNamespace(results=results, dataset=dataset, width=style.NARROW)
    figure, notes = reliability.draw(source)
    assert figure.axes[0].get_title() == "A model\nECE 0.125 (0.000 to 0.279)"
    assert notes[0] == "m = 288 questions; stated for each question. 95 % intervals."
