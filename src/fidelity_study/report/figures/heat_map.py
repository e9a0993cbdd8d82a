"""Distances by topic

A number is the mean distance of a simulator from people on a topic; the darker, the farther. The
closest simulator on all questions is above, its worst topic to the left.
"""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.formats import lower_first

SHADES = LinearSegmentedColormap.from_list("distances", ["#f4f6f8", "#8fa9cc"])
LINE, MOST_NAME, UPRIGHT = 0.17, 0.34, 1.0


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    topics, unit = source.screen.topics, source.screen.unit
    if topics is None:
        reason = f"No topics: the {source.results.nouns} are in no clusters, in one, or in many."
        return style.words(source.width, reason), []
    names = style.names([row.label for row in topics.simulators], MOST_NAME * source.width)
    longest = max(style.width_of(name, style.NORMAL) for name in names)
    room = (source.width - longest - 0.1) / len(topics.topics) - 0.04
    titles = [style.broken(topic, room, style.SMALL) for topic in topics.topics]
    high = 0.1 * (1 + max(title.count("\n") for title in titles)) + 0.05
    is_upright = any("…" in title for title in titles)
    if is_upright:
        titles = style.names(topics.topics, UPRIGHT, style.SMALL)
        high = max(style.width_of(title, style.SMALL) for title in titles) + 0.1
    figure = style.new(source.width, LINE * len(names) + high + 0.05)
    axis = figure.subplots()
    values = np.array(topics.values, float)
    axis.pcolormesh(values, cmap=SHADES, vmin=0, vmax=topics.largest, edgecolor="white", lw=1.0)
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            axis.text(j + 0.5, i + 0.5, unit.text(value), ha="center", va="center")
    axis.invert_yaxis()
    style.name_cells(axis, names, titles, rotation=90 if is_upright else 0)
    return figure, [
        f"Unit: {lower_first(unit.axis_of_means)}.",
        source.asked,
    ]
