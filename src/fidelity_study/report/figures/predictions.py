"""Questions nobody has asked

What people would answer, before anybody asks them. Each point is the share that a simulator gives
an option, or its mean; the bar is the range that the statement below leaves for people's, all bars
of a question at once. Narrow bars need a simulator that is close to people where they were asked.
Diamonds, squares and triangles are corrected simulators, where the study corrects any.
"""

import numpy as np
from matplotlib.figure import Figure

from fidelity_study.report.figures import style
from fidelity_study.report.results import Predictor, Results
from fidelity_study.report.tables import having
from fidelity_study.steps.predict import MEAN

NEEDS = {"predict": True}
MOST_PANELS, MOST_ROWS, WIDE = 6, 20, 2
ROW, HEAD, LABEL = 0.17, 0.62, 1.3
MARKERS = {None: "o", "tempered": "D", "ridge": "s", "stacked": "^"}
TOGETHER = "#222222"


def draw(results: Results):
    """Return the figure: a panel for each question, or one for all where each has one bar."""
    discrepancy = next(iter(results.step["predict"]["pairs"]))
    rows = having(results.predictions, {"discrepancy": discrepancy, "main": True})
    every = results.predictors(results.shown)
    there = {predictor.name for predictor in every}
    rows = [row for row in rows if row["simulator"] in there and row["option"] is not None]
    texts = {
        question["scenario"]: question["question"] or question["scenario"]
        for question in results.new_questions
    }
    options = {name: shown(having(rows, {"scenario": name})) for name in texts}
    options = {name: listed for name, listed in options.items() if listed}
    if not options:
        why = sorted({row["reason"] for row in results.predictions if row["reason"]})
        return style.words(results, "nothing is predicted", *why)
    names = [predictor for predictor in every if having(rows, {"simulator": predictor.name})]
    if all(len(listed) == 1 for listed in options.values()):
        figure, count = of_all(results, rows, options, texts, names)
    else:
        figure, count = of_each(results, rows, options, texts, names)
    style.dress(
        figure,
        results,
        "what would people answer to questions nobody has asked?",
        style.entries(figure.axes),
        notes(results, rows, count, options),
    )
    above_labels(figure)
    return figure


def above_labels(figure: Figure) -> None:
    """Let titles begin where the labels of their panel do, as these are laid out."""
    figure.draw_without_rendering()
    for axis in figure.axes:
        if title := axis.get_title(loc="left"):
            left = min(label.get_window_extent().x0 for label in axis.get_yticklabels())
            x, _ = axis.transAxes.inverted().transform((left, 0))
            axis.set_title(title, loc="left", x=x)


def shown(rows: list[dict]) -> list[str]:
    """Return what is drawn of a question: its options, of two the last, or else its mean."""
    options = list(dict.fromkeys(row["option"] for row in rows))
    shares = [option for option in options if option != MEAN]
    return shares[-1:] if len(shares) == 2 else shares or options


def of_all(results: Results, rows: list[dict], options: dict, texts: dict, names: list[Predictor]):
    """Return a figure with a line for each question, and how many there are."""
    chosen = list(options)[:MOST_ROWS]
    tall = max(1.0, max(0.3, ROW * len(names)) * len(chosen))
    figure = Figure(figsize=(style.WIDTH, tall + HEAD), layout="constrained")
    axis = figure.subplots()
    cells = [(name, options[name][0]) for name in chosen]
    panel(axis, results, rows, cells, names)
    single = len({option for _, option in cells}) == 1
    labels = [texts[name] if single else f"{texts[name]}: {option}" for name, option in cells]
    axis.set_yticks(range(len(cells)), [style.wrapped(style.plain(label), 2.4) for label in labels])
    option = cells[0][1]
    if option == MEAN:
        axis.set_xlabel("mean of people")
    else:
        axis.set_xlim(0, 1)
        axis.set_xlabel(style.plain(f"share of people: {option}") if single else "share of people")
    return figure, len(chosen)


def of_each(results: Results, rows: list[dict], options: dict, texts: dict, names: list[Predictor]):
    """Return a figure with a panel for each question, and how many there are."""
    chosen = list(options)[:MOST_PANELS]
    wide = min(WIDE, len(chosen))
    lines = [chosen[i : i + wide] for i in range(0, len(chosen), wide)]
    heights = [
        max(ROW * len(names), 0.2) * max(len(options[name]) for name in line) + HEAD
        for line in lines
    ]
    figure = Figure(figsize=(style.WIDTH, sum(heights)), layout="constrained")
    axes = figure.subplots(len(lines), wide, squeeze=False, height_ratios=heights, sharex=True)
    for axis in axes.flat[len(chosen) :]:
        axis.set_visible(False)
    for axis, name in zip(axes.flat, chosen, strict=False):
        panel(axis, results, rows, [(name, option) for option in options[name]], names)
        labels = [style.wrapped(style.plain(option), LABEL) for option in options[name]]
        axis.set_yticks(range(len(labels)), labels)
        title = style.wrapped(style.plain(texts[name]), style.WIDTH / wide - 0.4)
        axis.set_title(title, loc="left", x=0)
        axis.set_xlim(0, 1)
        axis.tick_params(labelbottom=name in chosen[-wide:])
    for axis in axes[-1]:
        axis.set_xlabel("share of people")
    return figure, len(chosen)


def panel(
    axis, results: Results, rows: list[dict], cells: list[tuple], names: list[Predictor]
) -> None:
    """Draw the ranges of some questions' options, a simulator beside the other."""
    apart = 0.7 / max(len(names), 1)
    for i, predictor in enumerate(names):
        line = line_of(results, predictor)
        marker = MARKERS[predictor.correction]
        shift = (i - (len(names) - 1) / 2) * apart
        for y, (name, option) in enumerate(cells):
            cell = {"scenario": name, "simulator": predictor.name, "option": option}
            for row in having(rows, cell):
                at = [y + shift] * 2
                axis.plot([row["lower"], row["upper"]], at, color=line["color"], lw=1.6, alpha=0.6)
                point = {"ms": 3.5, "mec": "white", "mew": 0.4, "clip_on": False, "zorder": 3}
                axis.plot(row["q"], y + shift, marker, **point, **line)
    axis.set_ylim(len(cells) - 0.5, -0.5)
    axis.grid(False, axis="y")
    for y in np.arange(len(cells) - 1) + 0.5:
        axis.axhline(y, color="#e4e4e4", lw=0.6, zorder=0.5)


def line_of(results: Results, predictor: Predictor) -> dict:
    """Return colour and legend entry: a corrected simulator has the colour of the simulator."""
    colour = TOGETHER if predictor.simulator is None else style.colour(results, predictor.simulator)
    return {"color": colour, "label": style.plain(predictor.label)}


def notes(results: Results, rows: list[dict], count: int, options: dict) -> list[str]:
    """Say what is promised for which questions, and which questions are left out."""
    predict, many = results.step["predict"], len(options)
    promised = 100 * (1 - predict["alpha"])
    about = sorted({f"{row['about']} ({row['statement']})" for row in rows})
    silent = len(results.new_questions) - many
    methods = sorted({row["method"] for row in rows if row["method"]})
    return [
        f"All bars of a {results.noun} at once hold people's answers for at least {promised:g} %"
        f" of {' and of '.join(about)}: those of the population, not of one sample.",
        f"From {style.sizes(results, results.ns[-1])} that were asked; γ = {predict['gamma']:g}.",
        f"The first {count} of {many} {results.nouns}; predictions.csv has all."
        if count < many
        else "",
        f"Nothing can be predicted for {silent} more; predictions.csv has the reason."
        if silent
        else "",
        results.notes.shown,
        *(f"Corrected simulators: {method}." for method in methods),
    ]
