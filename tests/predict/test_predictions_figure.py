"""The figure of predictions."""

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from fidelity_study.report.figures import style
from fidelity_study.report.figures.predictions import above_labels

TITLE = "Should the town build a library, a bridge?"
OPTIONS = [
    ["no, not at all", "rather not, but it\ndepends", "yes, certainly"],
    ["no", "yes"],
    ["never or hardly ever", "often"],
    ["1", "2"],
]


def test_titles_begin_above_the_labels_and_are_not_cut_off():
    figure = Figure(figsize=(style.WIDTH, 4), layout="constrained")
    axes = figure.subplots(2, 2).ravel()
    for axis, options in zip(axes, OPTIONS, strict=True):
        axis.set_yticks(range(len(options)), options)
        axis.set_title(TITLE, loc="left", x=0)
    above_labels(figure)
    figure.draw_without_rendering()
    for axis in axes:
        (title,) = axis.findobj(lambda each: isinstance(each, Text) and each.get_text() == TITLE)
        labels = min(label.get_window_extent().x0 for label in axis.get_yticklabels())
        assert title.get_window_extent().x0 == pytest.approx(labels, abs=3)
        assert title.get_window_extent().x0 >= 0
