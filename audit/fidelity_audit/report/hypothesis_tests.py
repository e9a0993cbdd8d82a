"""The audit of tests as a table, a sentence and a figure."""

import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fidelity.stream import stream
from fidelity_audit.coverage import SIGNIFICANCE
from fidelity_audit.hypothesis_tests import TESTS
from fidelity_audit.plan import Plan
from fidelity_audit.rejection import ALPHA, PROMISES, rejections

TABLE = (
    *("test", "function", "title", "hypothesis", "cases", "promise", "least", "most", "effect"),
    *("alternative", "studies", "rejected", "standard_error", "low", "high", "p_value", "fails"),
)
HEADINGS = {
    "at most": "At most 5 %, whatever the number of cases",
    "exactly": "Exactly 5 %, whatever the number of cases",
    "approximately": "Tends to 5 % with more cases",
    "conservatively": "About 5 % at most",
    "exceeds": "Known to exceed 5 % with so few cases",
    "wrong": "Known to be wrong for such data",
}
KEPT, EXCEEDS, WRONG, RANGE = "#0072B2", "#8C6D1F", "#D55E00", "#cccccc"
COLOURS = dict.fromkeys(PROMISES, KEPT) | {"exceeds": EXCEEDS, "wrong": WRONG}
POWER, FACES = "#009E73", ("white", "#009E73")
RATES, SHARES = [0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 1], [0, 0.5, 1]
LINE, MARGINS = 0.17, 1.6
SQUARE_ROOT = {"functions": (lambda x: abs(x) ** 0.5, lambda x: x**2)}
NOTE = (
    "Lines: exact 99 % limits. Grey: sizes promised, or documented for this number of cases. All"
    " pairs of four or six simulators, all ordered pairs of three: any false rejection counts. SE:"
    " standard errors; clusters of a row have intraclass correlations of 0, .1, .3 and .6 in turn."
)


def jobs(plan: Plan) -> Iterator[partial]:
    """Yield functions that each return a row of the table, from a stream of its own."""
    for test in TESTS.values():
        for effect in (0.0, *test.effects):
            yield partial(_rows, plan, test.name, effect)


def _rows(plan: Plan, name: str, effect: float) -> list[dict]:
    """Return how often a test rejects at an effect; a power has no p-value."""
    test = TESTS[name]
    studies = test.at_most(plan.studies)
    generator = stream(plan.seed, "audit", "tests", name, str(effect))
    measured = asdict(rejections(test, effect, studies, generator))
    row = {
        "test": name,
        "function": f"{test.decision.function.__module__}.{test.decision.function.__name__}",
        "title": test.title,
        "hypothesis": test.population.hypothesis,
        "cases": test.population.cases,
        "promise": test.promise,
        "least": test.sizes[0],
        "most": test.sizes[1],
        "alternative": test.population.alternative,
        "studies": studies,
        "rejected": measured["share"],
    }
    return [measured | row | ({"p_value": None} if effect else {})]


def judged(rows: list[dict]) -> list[dict]:
    """Return the rows with a verdict that allows for their number (Bonferroni)."""
    level = SIGNIFICANCE / sum(row["effect"] == 0 for row in rows)
    return [{**row, "fails": None if row["effect"] else row["p_value"] < level} for row in rows]


def broken(rows: list[dict]) -> list[str]:
    """Return the tests that reject true hypotheses too often or too seldom."""
    return [_label(row) for row in rows if row["promise"] != "wrong" and row["fails"]]


def missed(rows: list[dict]) -> list[str]:
    """Return the tests that are wrong for their data and are not caught."""
    sizes = (row for row in rows if row["effect"] == 0)
    return [_label(row) for row in sizes if row["promise"] == "wrong" and not row["fails"]]


def findings(rows: list[dict]) -> str:
    """Return in a sentence whether tests reject true hypotheses as often as they promise."""
    sizes = [row for row in rows if row["effect"] == 0]
    wrong = sum(row["promise"] == "wrong" for row in sizes)
    shares = [row["rejected"] for row in sizes if row["promise"] not in ("exceeds", "wrong")]
    verdict = (
        f"all {len(shares)} reject true hypotheses as often as they promise within Monte Carlo"
        f" error, {min(shares):.1%} to {max(shares):.1%} of {_studies(rows)} simulated"
        " studies each"
    )
    if failing := broken(rows):
        verdict = (
            f"{len(failing)} reject true hypotheses too often or too seldom: {'; '.join(failing)}"
        )
    control = f"all {wrong} that are wrong for their data are caught"
    if passing := missed(rows):
        control = f"not caught, though wrong for their data: {'; '.join(passing)}"
    return (
        f"Of the tests at the level of {ALPHA:.0%}, {verdict}; {control}. tests.csv has all of"
        " them."
    )


def draw(rows: list[dict]) -> Figure:
    """Return the figure: type I error, and power at the alternatives."""
    powers: dict[str, list[dict]] = {}
    lines: list[dict | str] = []
    for row in rows:
        if row["effect"]:
            powers.setdefault(row["test"], []).append(row)
    for promise in PROMISES:
        sizes = [row for row in rows if row["promise"] == promise and row["effect"] == 0]
        lines += [promise, *sizes] if sizes else []
    figure = Figure(figsize=(7.2, LINE * len(lines) + MARGINS), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.75, 1.0])
    for place, line in enumerate(lines):
        if isinstance(line, str):
            _entitle(left, place, HEADINGS[line])
        else:
            _draw_size(left, place, line)
            _draw_power(right, place, powers.get(line["test"], []))
    _label_lines(left, right, lines, powers)
    _scale(left, right, _studies(rows))
    _explain(figure)
    return figure


def _studies(rows: list[dict]) -> str:
    fewest, most = (choose(row["studies"] for row in rows) for choose in (min, max))
    return f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"


def _label(row: dict) -> str:
    return f"{row['title']} · {row['cases']}"


def _effects(rows: list[dict]) -> str:
    return f"{', '.join(format(row['effect'], 'g') for row in rows)} {rows[0]['alternative']}"


def _entitle(axis: Axes, place: int, heading: str) -> None:
    axis.annotate(
        heading,
        (0, place),
        (-6, 0),
        ("axes fraction", "data"),
        "offset points",
        ha="right",
        va="center",
        fontsize=6.8,
        fontweight="bold",
        annotation_clip=False,
    )


def _draw_size(axis: Axes, place: int, row: dict) -> None:
    colour = COLOURS[row["promise"]]
    face = "white" if row["promise"] in ("approximately", "conservatively") else colour
    if row["least"] < row["most"]:
        axis.fill_betweenx([place - 0.36, place + 0.36], row["least"], row["most"], color=RANGE)
    axis.plot([row["low"], row["high"]], [place] * 2, color=colour, lw=1.1)
    axis.plot(row["rejected"], place, "o", color=colour, mfc=face, ms=4, mew=1.1, clip_on=False)
    if row["fails"] and row["promise"] != "wrong":
        axis.plot(row["rejected"], place, "x", color="black", ms=8, mew=1.6, clip_on=False)


def _draw_power(axis: Axes, place: int, rows: list[dict]) -> None:
    for row, face in reversed(list(zip(rows, FACES, strict=False))):
        axis.plot([row["low"], row["high"]], [place] * 2, color=POWER, lw=1.1)
        axis.plot(row["rejected"], place, "D", color=POWER, mfc=face, ms=3.8, clip_on=False)


def _label_lines(left: Axes, right: Axes, lines: list, powers: dict[str, list[dict]]) -> None:
    places = [place for place, line in enumerate(lines) if not isinstance(line, str)]
    left.set_yticks(places, [_label(lines[place]) for place in places])
    by_place = {place: powers.get(lines[place]["test"], []) for place in places}
    by_place = {place: rows for place, rows in by_place.items() if rows}
    effects = [_effects(rows) for rows in by_place.values()]
    right.set_yticks(list(by_place), effects)
    right.yaxis.tick_right()
    for axis in (left, right):
        axis.set_ylim(len(lines) - 0.4, -0.6)
        axis.tick_params(labelsize=6.3)
        axis.tick_params(axis="y", length=0, pad=6)
        axis.grid(axis="y", visible=False)


def _scale(left: Axes, right: Axes, studies: str) -> None:
    left.set_xscale("function", **SQUARE_ROOT)
    left.set_xlim(0, 1)
    left.set_xticks(RATES, [f"{100 * rate:.0f}" for rate in RATES])
    left.axvline(ALPHA, color="#222222", lw=0.9, ls="--")
    right.set_xlim(0, 1)
    right.set_xticks(SHARES, [f"{100 * share:.0f}" for share in SHARES])
    left.set_title("a  type I error", loc="left", fontweight="bold")
    right.set_title("b  power", loc="left", fontweight="bold")
    left.set_xlabel(f"% of {studies} studies that\nreject (square-root)", fontsize=7)
    right.set_xlabel("% that reject, at the two\nalternatives on the right", fontsize=7)


def _explain(figure: Figure) -> None:
    dot: dict[str, Any] = {"marker": "o", "ms": 4}
    handles = [
        Line2D([], [], color=KEPT, **dot, label="promised at any size"),
        Line2D([], [], color=KEPT, **dot, mfc="white", label="approximate"),
        Line2D([], [], color=EXCEEDS, **dot, label="known to exceed 5 %"),
        Line2D([], [], color=WRONG, **dot, label="known to be wrong"),
        *(
            Line2D(
                [], [], color=POWER, marker="D", ms=3.8, mfc=face, label=f"power, {which} effect"
            )
            for face, which in zip(FACES, ("smaller", "larger"), strict=True)
        ),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, fontsize=6.8)
    figure.supxlabel(textwrap.fill(NOTE, 140), x=0.01, ha="left", fontsize=6.3, color="#444444")
