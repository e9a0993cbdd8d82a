"""The verdict on effects: which simulator has people's, in direction and size."""

from collections.abc import Iterator
from typing import NamedTuple

from fidelity_study.report.formats import DASH, number, rounded, with_sign
from fidelity_study.report.page.structure import bracketed
from fidelity_study.report.page.words import named, plain
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import Difference
from fidelity_study.report.tables import having
from fidelity_study.steps.arrays import ENDS
from fidelity_study.steps.effects import ALL, HALF, NO_EFFECT, OTHERS, THESE

CONDITION, LEVEL = "condition", "level"
HUNDREDTHS = "hundredths of the scale"


class Unit(NamedTuple):
    """How effects are shown: in hundredths of the scale where answers have a range."""

    name: str
    times: float
    digits: int
    short: str = ""

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
            return cls(
                f"points of the share that answers “{plain(shares.pop())}”", 100.0, 1, "points"
            )
        return cls(HUNDREDTHS, 100.0, 1, HUNDREDTHS)

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


def first(rows: list[dict]) -> dict:
    """Return the row of the simulator that the verdict names.

    It is closer than no effect, has the right directions, and no wrong size, as far as there is
    one; of several the one that is the nearest.
    """

    def place(row: dict) -> tuple[bool, bool, bool]:
        has_directions = bool(row["certain"]) and row["same"] == row["certain"]
        return beside_no_effect(row) != -1, not has_directions, _has_wrong_size(row)

    return min(rows, key=place)


def beside_no_effect(row: dict) -> int | None:
    """Return -1 if it is closer to people's effects than effects of 0, 1 if farther, 0 if open.

    None where nothing is known.
    """
    ends = row["over_no_effect_lower"], row["over_no_effect_upper"]
    return None if None in ends else Difference(None, ends).sign


def _has_wrong_size(row: dict) -> bool:
    """Return whether its effects certainly differ more or less than people's, or are shifted."""
    low, high = row["spread_ratio_lower"], row["spread_ratio_upper"]
    return (low is not None and low > 1.0) or (high is not None and high < 1.0) or _is_shifted(row)


def _is_shifted(row: dict) -> bool:
    low, high = row["shift_lower"], row["shift_upper"]
    return low is not None and high is not None and not low <= 0.0 <= high


def sentences(results: Results) -> Iterator[str]:
    """Say how the effects nearest to people's compare with them; nothing without an experiment."""
    rows = effect_rows(results)
    if not rows:
        return
    row, unit = first(rows), Unit.of(results)
    who, level = named(results.named(row["simulator"])), results.level
    listed = f"of all {row['effects']}, {row['same']} certainly and {row['opposite']} certainly not"
    if row["certain"]:
        among = f"{row['agree']} of {row['certain']} effects that are certain among people"
        yield f"By its estimates {who} has the direction of {among} ({listed})."
    else:
        yield f"People's answers leave the direction of all {row['effects']} effects open."
    yield from _of_size(row, level)
    if _is_shifted(row):
        far = " ".join(filter(None, [unit.plain(abs(row["shift"])), unit.short]))
        way = "lower" if row["shift_lower"] < 0.0 else "higher"
        sure = " to ".join(unit.signed(row[f"shift{end}"]) for end in ENDS[1:])
        they = "On average they are" if row["effects"] > 1 else "It is"
        yield f"{they} {far} {way} than people's [{sure}]."
    than = "than saying that nothing has an effect"
    settled = {
        -1: f"It is closer to people's effects {than}.",
        1: f"It is farther from people's effects {than}.",
        0: f"Whether it is closer to people's effects {than} is not settled.",
    }
    if (sign := beside_no_effect(row)) is not None:
        yield settled[sign]


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
