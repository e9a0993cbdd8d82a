"""What the page says of effects of conditions against a control."""

from dataclasses import dataclass

import numpy as np

from fidelity.effects.comparison import OPPOSITE, SAME
from fidelity_study.report.formats import DASH, percent
from fidelity_study.report.page import effect_verdict
from fidelity_study.report.page.charts import chart
from fidelity_study.report.page.effect_verdict import (
    CONDITION,
    Unit,
    beside_no_effect,
    effect_rows,
    interval,
    noun,
)
from fidelity_study.report.page.structure import Panel, Row
from fidelity_study.report.plot import Plot
from fidelity_study.report.plot import effects as plot_of
from fidelity_study.report.results import Results
from fidelity_study.report.tables import first, grouped, having, labelled
from fidelity_study.steps.arrays import ENDS
from fidelity_study.steps.effects import ALL, NEW, NO_EFFECTS, NO_SCORES

BRING = {
    NO_EFFECTS: "it takes two answers to a question in the control and in a condition, on both "
    "sides",
    NO_SCORES: "it takes options in an order (kind: ordinal)",
}
MOST_DRAWN, MOST_OPEN = 3, 12
SIDES = ("effect", "people")
OPEN = "not settled"


@dataclass(frozen=True)
class EffectSection:
    """The section.

    Attributes:
        panels: the pictures of the simulators whose effects are the closest.
        lead: what the headline rests on.
        direction, size: rows of the tables.
        effects: rows of the table of all effects, of the simulators of ``direction``; the farthest
            off first.
        unit: of the effects.
        noun: of what has effects: condition, or level.
        control: what they are against.
        unmeasured: what is lacking; may be empty.
        warning: what makes errors rough; may be empty.
    """

    lead: list[str]
    panels: list[Panel]
    direction: list[Row]
    size: list[Row]
    effects: list[Row]
    unit: str
    noun: str
    control: str
    unmeasured: str
    warning: str

    @property
    def is_long(self) -> bool:
        """Whether the table of all effects is so long that it opens by a click."""
        return len(self.effects) > MOST_OPEN

    @property
    def against(self) -> str:
        """What an effect is, before what it is against."""
        if self.noun == CONDITION:
            return "the effect of a condition against the control"
        return "the average effect of a level, over all other attributes, against its base:"


def effect_section(results: Results) -> EffectSection | None:
    """Return the section; None without an experiment, or where no effect was measured."""
    rows, unit = effect_rows(results), Unit.of(results)
    if not rows:
        return None
    new = {row["simulator"]: row for row in effect_rows(results, NEW)}
    _, *lead = effect_verdict.sentences(results)
    return EffectSection(
        lead,
        _panels(results, rows[:MOST_DRAWN], unit),
        [_direction(results, row, unit) for row in rows],
        [_size(results, row, new.get(row["simulator"], {}), unit) for row in rows],
        _effects(results, [row["simulator"] for row in rows], unit),
        unit.name,
        noun(results),
        ", ".join(dict.fromkeys(row["control"] for row in results.effects)),
        unmeasured(results),
        next((row["warning"] for row in rows if row["warning"]), ""),
    )


def unmeasured(results: Results) -> str:
    """Say of which simulators effects were not measured, and what to bring; may be empty."""
    lacking = [row for row in results.effect_summary if row["lacking"]]
    names = ", ".join(results.named(row["simulator"]) for row in lacking)
    why = "; ".join(BRING[code] for code in dict.fromkeys(row["lacking"] for row in lacking))
    return f"Effects of {names} were not measured: {why}." if lacking else ""


def plots(results: Results, rows: list[dict], unit: Unit) -> list[Plot]:
    """Return the picture of each simulator, all on the same axes."""
    by_simulator = {row["simulator"]: _of(results, row["simulator"]) for row in rows}
    dots = [
        unit.times * np.array([[_with_ends(row, side) for side in SIDES] for row in part])
        for part in by_simulator.values()
    ]
    reach = float(np.abs(np.concatenate(dots)).max(initial=0.0)) or 1.0
    labels = [
        [labelled(row, "condition", "outcome", results.effects) for row in part]
        for part in by_simulator.values()
    ]
    return [
        plot_of(pairs, names, row["slope"], results.colour(row["simulator"]), reach)
        for row, names, pairs in zip(rows, labels, dots, strict=True)
    ]


def _with_ends(row: dict, side: str) -> list[float]:
    """Return an effect and its ends, which are drawn where it is if there are none."""
    values = [row[f"{side}{end}"] for end in ENDS]
    return [values[0] if value is None else value for value in values]


def _of(results: Results, name: str) -> list[dict]:
    return having(results.effects, {"simulator": name, "group": ALL})


def _panels(results: Results, rows: list[dict], unit: Unit) -> list[Panel]:
    return [
        Panel(results.named(row["simulator"]), counts_and_size(row), chart(plot))
        for row, plot in zip(rows, plots(results, rows, unit), strict=True)
    ]


def counts_and_size(row: dict) -> str:
    """Say how many directions are right, and if most that are known are, how large effects are."""
    signs = f"directions: {row[SAME]} right, {row[OPPOSITE]} wrong, {row['open']} open"
    if row["spread_ratio"] is None or row[OPPOSITE] >= max(row[SAME], 1):
        return signs
    return f"{signs}; size {interval(row, 'spread_ratio')[0]} times people's"


def _effects(results: Results, names: list[str], unit: Unit) -> list[Row]:
    """Return a row for each effect, with people's and each simulator's, the farthest off first."""
    rows = having(results.effects, {"group": ALL})
    rows.sort(key=lambda row: -row["distance_upper"])
    return [
        Row(
            labelled(part[0], "condition", "outcome", results.effects),
            [
                unit.interval(part[0], "people"),
                *(unit.interval(first(part, simulator=name), "effect") for name in names),
            ],
        )
        for part in grouped(rows, "outcome", "condition").values()
    ]


def _direction(results: Results, row: dict, unit: Unit) -> Row:
    cells: list[tuple[str, float | None]] = [
        (f"{row['agree']} of {row['certain']}", row["agree"]),
        *((str(row[name]), row[name]) for name in (SAME, OPPOSITE, "open")),
    ]
    if results.step["effects"]["attributes"]:
        return Row(results.named(row["simulator"]), cells)
    chance, picked = row["picked_by_chance"], row["picked"]
    unknown = DASH if chance is None else OPEN
    share = unknown if picked is None else f"{percent(picked)} (by chance {percent(chance)})"
    gain = unit.interval(row, "gain")
    cells += [(share, picked), gain if gain[1] is not None else (unknown, None)]
    return Row(results.named(row["simulator"]), cells)


def _size(results: Results, row: dict, new: dict, unit: Unit) -> Row:
    far = [row["mean_ci_lower"], row["mean_ci_upper"]]
    of_new = interval(new, "slope")
    if of_new[1] is not None and new["slope_lower"] is None:
        of_new = "cannot be told: too few conditions", None
    cells = [
        interval(row, "slope"),
        interval(row, "correlation"),
        interval(row, "spread_ratio"),
        (" to ".join(map(unit.plain, far)), far[1]),
        *([unit.interval(row, "shift"), of_new] if new else []),
    ]
    better = {-1: "yes", 0: OPEN, 1: "no", None: OPEN}
    cells.append((better[beside_no_effect(row)], None))
    return Row(results.named(row["simulator"]), cells)
