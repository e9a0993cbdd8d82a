"""The verdict on effects: which simulator has people's, in direction and size."""

from collections.abc import Iterator
from typing import NamedTuple

from fidelity_study.report.formats import DASH, number, rounded, with_sign
from fidelity_study.report.page.structure import bracketed
from fidelity_study.report.page.words import named, plain
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import Difference
from fidelity_study.report.tables import having
from fidelity_study.steps.effects import ALL, HALF, NO_EFFECT, OTHERS, THESE
from fidelity_study.steps.structure import ENDS

CONDITION, LEVEL = "condition", "level"
WITHIN = 0.5, 2.0


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
        return DASH if value is None else with_sign(self.plain(value))

    def plain(self, value: float | None) -> str:
        """Return a distance."""
        if value is None:
            return DASH
        return f"{rounded(value * self.times, self.digits):,.{self.digits}f}"

    def interval(self, row: dict, name: str) -> tuple[str, float | None]:
        """Return an effect with its interval, and a number to sort by."""
        ends = [row.get(f"{name}{end}") for end in ENDS]
        text = "{} [{}, {}]".format(*map(self.signed, ends))
        return DASH if ends[0] is None else text, ends[0]


def noun(results: Results) -> str:
    """Return what has effects: a condition, or the level of an attribute."""
    return LEVEL if results.step["effects"]["attributes"] else CONDITION


def effect_rows(results: Results, target: str = THESE) -> list[dict]:
    """Return what is known of each simulator's effects, those nearest to people's first."""
    rows = having(results.effect_summary, {"group": ALL, "target": target})
    rows = [row for row in rows if row["simulator"] not in (NO_EFFECT, HALF, OTHERS)]
    return sorted(rows, key=lambda row: row["mean_squared"])


def headline(results: Results) -> str:
    """Return which simulator has people's effects; empty where none was measured."""
    rows = effect_rows(results)
    if not rows:
        return ""
    row = first(results, rows)
    who = named(results.named(row["simulator"]))
    if not _tells(row):
        if all(beside_no_effect(one) == 1 for one in rows):
            who = who if len(rows) == 1 else "Every simulator"
            wrong = f", and has {_wrong(row)}" if row["opposite"] and len(rows) == 1 else ""
            return f"{who} is farther from people's effects than no effect{wrong}."
        who = who if len(rows) == 1 else "any simulator"
        return f"Whether {who} is closer to people's effects than no effect is not settled."
    if not row["certain"]:
        return f"{who} is closer to people's effects than no effect, whose directions are open."
    few = row["certain"] < row["effects"]
    count = "all" if _has_directions(row) else f"{row['same']} of"
    which = " that are certain among people" if few else ""
    effects = f"effect{'s' * (row['certain'] > 1)}"
    what = f"{count} {row['certain']} {effects}" if row["certain"] > 1 or few else "the effect"
    wrong = f" and {_wrong(row)}" if row["opposite"] else ""
    has = f"{who} certainly has the direction of {what}{which}{wrong}"
    return f"{has}{_size_of(row, results)}."


def _wrong(row: dict) -> str:
    return f"certainly the wrong direction of {row['opposite']}"


def first(results: Results, rows: list[dict]) -> dict:
    """Return the row of the simulator that the verdict names.

    It is closer than no effect, has the right directions, and no wrong size, as far as there is
    one; of several the one that is the nearest.
    """

    def place(row: dict) -> tuple[bool, bool, bool]:
        return not _tells(row), not _has_directions(row), bool(_errors(row, results))

    return min(rows, key=place)


def _tells(row: dict) -> bool:
    """Return whether a simulator is certainly closer to people's effects than effects of 0."""
    return beside_no_effect(row) == -1


def beside_no_effect(row: dict) -> int | None:
    """Return -1 if it is closer to people's effects than effects of 0, 1 if farther, 0 if open.

    None where nothing is known.
    """
    ends = row["over_no_effect_lower"], row["over_no_effect_upper"]
    return None if None in ends else Difference(None, ends).sign


def _has_directions(row: dict) -> bool:
    """Return whether it certainly has the direction of all effects certain among people."""
    return bool(row["certain"]) and row["same"] == row["certain"]


def _errors(row: dict, results: Results) -> list[str]:
    """Say what is certainly wrong with the size of a simulator's effects."""
    low, high = row["spread_ratio_lower"], row["spread_ratio_upper"]
    wrong = ["exaggerates how effects differ"] if low is not None and low > 1.0 else []
    wrong += ["understates how effects differ"] if high is not None and high < 1.0 else []
    shift = _shift(row, Unit.of(results), ("high", "low"))
    return wrong + ([f"puts them {shift[0]}too {shift[1]} on average"] if shift else [])


def _is_size_open(row: dict) -> bool:
    """Return whether effects may be half as large as people's, or twice as large."""
    low, high = row["spread_ratio_lower"], row["spread_ratio_upper"]
    return low is None or high is None or low < WITHIN[0] or high > WITHIN[1]


def _size_of(row: dict, results: Results) -> str:
    if wrong := _errors(row, results):
        return f", but {' and '.join(wrong)}"
    if _is_size_open(row):
        return "; their size is not settled"
    return f"; sizes off by {_misses(row, Unit.of(results))} on average"


def _misses(row: dict, unit: Unit) -> str:
    """Say how far its effects are from people's on average."""
    low, high = row["mean_ci_lower"], row["mean_ci_upper"]
    ends = (
        f"{unit.plain(low)} or more" if high is None else f"{unit.plain(low)} to {unit.plain(high)}"
    )
    return f"{ends} points" if unit.times > 1.0 else ends


def _shift(row: dict, unit: "Unit", words: tuple[str, str]) -> tuple[str, str] | None:
    """Return how far off its effects are on average, and one of two words; None if uncertain."""
    low, high = row["shift_lower"], row["shift_upper"]
    if low is None or high is None or low <= 0.0 <= high:
        return None
    points = "points " if unit.times > 1.0 else ""
    return f"{unit.plain(abs(row['shift']))} {points}", words[low < 0.0]


def todo(results: Results) -> str:
    """Return what to do next."""
    row = first(results, effect_rows(results))
    if not _tells(row) or not row["certain"]:
        return "test on people, and more of them."
    if not _has_directions(row):
        return "let people decide where its direction is open or wrong."
    if _errors(row, results):
        return "use its directions, not its sizes."
    if _is_size_open(row):
        return "use its directions; ask more people for sizes."
    return f"use its effects where a miss of {_misses(row, Unit.of(results))} does no harm."


def sentences(results: Results) -> Iterator[str]:
    """Say how the effects nearest to people's compare with them; nothing without an experiment."""
    rows = effect_rows(results)
    if not rows:
        return
    row, unit = first(results, rows), Unit.of(results)
    who, level = named(results.named(row["simulator"])), results.level
    listed = f"of all {row['effects']}, {row['same']} certainly and {row['opposite']} certainly not"
    if row["certain"]:
        among = f"{row['agree']} of {row['certain']} effects that are certain among people"
        yield f"By its estimates {who} has the direction of {among} ({listed})."
    else:
        yield f"People's answers leave the direction of all {row['effects']} effects open."
    yield from _of_size(row, level)
    if shift := _shift(row, unit, ("higher", "lower")):
        sure = " to ".join(unit.signed(row[f"shift{end}"]) for end in ENDS[1:])
        they = "On average they are" if row["effects"] > 1 else "It is"
        yield f"{they} {''.join(shift)} than people's [{sure}]."
    than = "than saying that nothing has an effect"
    settled = {
        -1: f"It is closer to people's effects {than}.",
        1: f"It is farther from people's effects {than}.",
        0: f"Whether it is closer to people's effects {than} is not settled.",
    }
    if (sign := beside_no_effect(row)) is not None:
        yield settled[sign]
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
    if ratio[0] is None:
        yield "How large its effects are beside people's cannot be told."
        return
    end = "or more" if ratio[2] is None else f"to {number(ratio[2], 2)}"
    sure = f"[{number(ratio[1], 2)} {end}, {level} confidence]"
    known = row["correlation"] is not None
    correlation = f" (correlation {interval(row, 'correlation')[0]})" if known else ""
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
        spans_0 = row["slope_upper"] is None or row["slope_upper"] >= 0.0
        return "; that they say anything about people's is not settled" if spans_0 else ""
    if row["slope_upper"] is not None and row["slope_upper"] < 1.0:
        return f"; multiply differences between them by {number(row['slope'], 2)} for people's"
    return ""


def interval(row: dict, name: str) -> tuple[str, float | None]:
    """Return an estimate with its interval, and a number to sort by; no correlation is beyond 1."""
    shown = row
    if name == "correlation" and row.get(name) is not None:
        shown = {**row, name: min(max(row[name], -1.0), 1.0)}
    return bracketed(shown, name, "cannot be told")[0], row.get(name)
