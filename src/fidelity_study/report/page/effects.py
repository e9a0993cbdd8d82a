"""What the page says of effects of conditions against a control."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from fidelity_study.report.formats import number, percent, with_sign
from fidelity_study.report.page.charts import effect_dots, forest
from fidelity_study.report.page.structure import Row
from fidelity_study.report.page.words import named, plain
from fidelity_study.report.palette import colour
from fidelity_study.report.results import Results
from fidelity_study.report.tables import having
from fidelity_study.steps.effects import (
    ALL,
    DIFFERENCES,
    HALF,
    NEW,
    NO_EFFECT,
    NO_EFFECTS,
    NO_SCORES,
    OPPOSITE,
    OTHERS,
    SAME,
    THESE,
)
from fidelity_study.steps.structure import ENDS

BRING = {
    NO_EFFECTS: "it takes two answers to a question in the control and in a condition, on both "
    "sides",
    NO_SCORES: "it takes options in an order (kind: ordinal)",
}
MOST_DRAWN, MOST_WORST = 6, 12
NOT_KNOWN = "–"
CONDITION, LEVEL = "condition", "level"


class Panel(NamedTuple):
    """The picture of one simulator: its label, a line of text, and the drawing."""

    label: str
    text: str
    drawing: Markup


@dataclass(frozen=True)
class EffectSection:
    """The section.

    Attributes:
        panels: the pictures of the simulators whose effects are the closest.
        direction, size, groups: rows of the tables; ``groups`` may have none.
        worst_of, worst: the simulator whose effects are drawn, and the effects farthest off.
        unit: of the effects.
        noun: of what has effects: condition, or level.
        control: what they are against.
        unmeasured: what is lacking; may be empty.
        plan: how many more people would make how many of people's effects certain.
        warning: what makes errors rough; may be empty.
    """

    panels: list[Panel]
    direction: list[Row]
    size: list[Row]
    groups: list[Row]
    worst_of: str
    worst: Markup
    unit: str
    noun: str
    control: str
    unmeasured: str
    plan: str
    warning: str

    @property
    def against(self) -> str:
        """What an effect is, before what it is against."""
        if self.noun == CONDITION:
            return "the effect of a condition against the control"
        return "the average effect of a level, over all other attributes, against its base:"


class Unit(NamedTuple):
    """How effects are shown: in points of 100 where answers have a range."""

    name: str
    times: float
    digits: int

    @classmethod
    def of(cls, results: Results) -> "Unit":
        """Return the unit of a dataset's effects."""
        if "real" in results.scenarios["kind"].to_pylist():
            return cls("the unit of the answers", 1.0, 3)
        shares = {
            dict(zip(scores, options, strict=True))[max(scores)]
            for kind, scores, options in zip(
                *(results.scenarios[name].to_pylist() for name in ("kind", "score", "option")),
                strict=True,
            )
            if kind == "binary" and scores and options
        }
        if len(shares) == 1:
            return cls(f"points of the share that answers “{plain(shares.pop())}”", 100.0, 1)
        return cls("points (100 = from the lowest answer to the highest)", 100.0, 1)

    def signed(self, value: float | None) -> str:
        """Return an effect with its sign."""
        if value is None:
            return NOT_KNOWN
        return with_sign(number(value * self.times, self.digits))

    def plain(self, value: float | None) -> str:
        """Return a distance."""
        return NOT_KNOWN if value is None else number(value * self.times, self.digits)


def noun(results: Results) -> str:
    """Return what has effects: a condition, or the level of an attribute."""
    return LEVEL if results.step["effects"]["attributes"] else CONDITION


def effect_rows(results: Results, target: str = THESE) -> list[dict]:
    """Return what is known of each simulator's effects, those nearest to people's first."""
    rows = having(results.effect_summary, {"group": ALL, "target": target})
    rows = [row for row in rows if row["simulator"] not in (NO_EFFECT, HALF, OTHERS)]
    return sorted(rows, key=lambda row: row["mean_squared"])


def effect_section(results: Results) -> EffectSection | None:
    """Return the section; None without an experiment, or where no effect was measured."""
    rows, unit = effect_rows(results), Unit.of(results)
    if not rows:
        return None
    best = rows[0]["simulator"]
    new = {row["simulator"]: row for row in effect_rows(results, NEW)}
    differences = having(results.effect_summary, {"group": DIFFERENCES})
    return EffectSection(
        [_panel(results, row, unit) for row in rows[:MOST_DRAWN]],
        [_direction(results, row, unit) for row in rows],
        [_size(results, row, new.get(row["simulator"], {}), unit) for row in rows],
        [_of_groups(results, row) for row in differences],
        results.named(best),
        _forest(results, best, unit),
        unit.name,
        noun(results),
        ", ".join(dict.fromkeys(row["control"] for row in results.effects)),
        unmeasured(results),
        _plan(results),
        next((row["warning"] for row in rows if row["warning"]), ""),
    )


def unmeasured(results: Results) -> str:
    """Say of which simulators effects were not measured, and what to bring; may be empty."""
    lacking = [row for row in results.effect_summary if row["lacking"]]
    names = ", ".join(results.named(row["simulator"]) for row in lacking)
    why = "; ".join(BRING[code] for code in dict.fromkeys(row["lacking"] for row in lacking))
    return f"Effects of {names} were not measured: {why}." if lacking else ""


def sentences(results: Results) -> Iterator[str]:
    """Say how the effects nearest to people's compare with them; nothing without an experiment."""
    rows = effect_rows(results)
    if not rows:
        return
    row = rows[0]
    who, level = named(results.named(row["simulator"])), results.level
    certain = f"{row['same']} certainly, and {row['opposite']} certainly wrong"
    yield f"{who} gets the direction of {row['agree']} of {row['effects']} effects ({certain})."
    yield from _of_size(row, level)
    ends = row["over_no_effect_lower"], row["over_no_effect_upper"]
    if None not in ends:
        than = "than saying that nothing has an effect"
        if ends[1] < 0.0:
            yield f"It is closer to people's effects {than}."
        elif ends[0] > 0.0:
            yield f"But it is farther from people's effects {than}."
        else:
            yield f"Whether it is closer to people's effects {than} is not settled."
    yield from _beside_half(results, row)


def _beside_half(results: Results, row: dict) -> Iterator[str]:
    """Say whether half as many other people would have come closer, where that is settled."""
    (half,) = having(results.effect_summary, {"simulator": HALF})
    than = "than an experiment with half as many other people"
    lower, upper = row["mean_squared_lower"], row["mean_squared_upper"]
    if lower is not None and lower > half["mean_squared"]:
        yield f"It is farther from them {than} would be."
    elif upper is not None and upper < half["mean_squared"]:
        yield f"It is closer to them {than} would be."


def _of_size(row: dict, level: str) -> Iterator[str]:
    ratio = [row[f"spread_ratio{end}"] for end in ENDS]
    if None in ratio[:1]:
        yield "How large its effects are beside people's cannot be told."
        return
    end = "or more" if ratio[2] is None else f"to {number(ratio[2], 2)}"
    sure = f"[{number(ratio[1], 2)} {end}, {level} confidence]"
    known = row["correlation"] is not None
    correlation = f" (correlation {_interval(row, 'correlation')[0]})" if known else ""
    yield (
        f"Its effects vary {number(ratio[0], 2)} times as much as people's {sure}{correlation}"
        f"{_advice(row)}."
    )


def _advice(row: dict) -> str:
    """Say by what to multiply simulated effects, where the slope is known to be above 0."""
    lower = row["slope_lower"]
    if row["slope"] is None or lower is None:
        return ""
    if lower <= 0.0:
        return "; that they say anything about people's is not settled" if _spans(row) else ""
    if row["slope_upper"] is not None and row["slope_upper"] < 1.0:
        return f"; multiply them by {number(row['slope'], 2)} for people's"
    return ""


def _spans(row: dict) -> bool:
    return row["slope_upper"] is None or row["slope_upper"] >= 0.0


def _panel(results: Results, row: dict, unit: Unit) -> Panel:
    name = row["simulator"]
    dots = [
        ([one[f"effect{end}"] for end in ENDS], [one[f"people{end}"] for end in ENDS])
        for one in having(results.effects, {"simulator": name, "group": ALL})
    ]
    drawing = effect_dots(
        [[[at * unit.times for at in ends] for ends in pair] for pair in dots],
        row["slope"],
        colour(name, results.step["places"][name]),
    )
    text = f"direction of {row['agree']} of {row['effects']}, slope {_interval(row, 'slope')[0]}"
    return Panel(results.named(name), text, drawing)


def _direction(results: Results, row: dict, unit: Unit) -> Row:
    cells: list[tuple[str, float | None]] = [
        (f"{row['agree']} of {row['effects']}", row["agree"]),
        *((str(row[name]), row[name]) for name in (SAME, OPPOSITE, "open")),
    ]
    picked = row["picked"]
    by_chance = "" if picked is None else f" (by chance {percent(row['picked_by_chance'])})"
    cells.append((NOT_KNOWN if picked is None else f"{percent(picked)}{by_chance}", picked))
    gain = [row[f"gain{end}"] for end in ENDS]
    text = "{} [{}, {}]".format(*map(unit.signed, gain))
    cells.append((NOT_KNOWN if gain[0] is None else text, gain[0]))
    return Row(results.named(row["simulator"]), cells)


def _size(results: Results, row: dict, new: dict, unit: Unit) -> Row:
    far = [row["mean_ci_lower"], row["mean_ci_upper"]]
    cells = [
        _interval(row, "slope"),
        _interval(row, "correlation"),
        _interval(row, "spread_ratio"),
        (" to ".join(map(unit.plain, far)), far[1]),
        *([_interval(new, "slope")] if new else []),
    ]
    ends = row["over_no_effect_lower"], row["over_no_effect_upper"]
    text = "not settled"
    if None not in ends:
        text = "yes" if ends[1] < 0.0 else "no" if ends[0] > 0.0 else text
    cells.append((text, None))
    return Row(results.named(row["simulator"]), cells)


def _of_groups(results: Results, row: dict) -> Row:
    cells = [_interval(row, name) for name in ("slope", "correlation", "spread_ratio")]
    return Row(results.named(row["simulator"]), [(str(row["effects"]), row["effects"]), *cells])


def _forest(results: Results, name: str, unit: Unit) -> Markup:
    rows = having(results.effects, {"simulator": name, "group": ALL})
    rows = sorted(rows, key=lambda row: -row["distance_upper"])[:MOST_WORST]
    several = len({row["outcome"] for row in results.effects}) > 1
    words = {SAME: "same direction", OPPOSITE: "opposite direction"}
    lines = [
        (
            f"{row['condition']}, {row['outcome']}" if several else row["condition"],
            words.get(row["direction"], ""),
            [row[f"people{end}"] * unit.times for end in ENDS],
            [row[f"effect{end}"] * unit.times for end in ENDS],
        )
        for row in rows
    ]
    return forest(lines, colour(name, results.step["places"][name]))


def _plan(results: Results) -> str:
    """Say how many of people's effects more people would make certain."""
    rows = results.effect_plan
    if not rows:
        return ""
    now, *more = rows
    said = [f"{percent(row['certain'])} with {row['people']:,.0f}" for row in more]
    where = " in a condition" if noun(results) == CONDITION else ""
    return (
        f"With {now['people']:,.0f} people{where}, the intervals of "
        f"{percent(now['certain'])} of people's effects are expected to exclude 0; of "
        f"{', of '.join(said)}."
    )


def _interval(row: dict, name: str) -> tuple[str, float | None]:
    """Return an estimate with its interval, and a number to sort by."""
    if row.get(name) is None:
        return "cannot be told", None
    values = [row[f"{name}{end}"] for end in ENDS]
    if name == "correlation":
        values[0] = min(max(values[0], -1.0), 1.0)
    texts = ["…" if value is None else number(value, 2) for value in values]
    return "{} [{}, {}]".format(*(text.replace("-", "−") for text in texts)), row[name]
