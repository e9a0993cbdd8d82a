"""The card: what a simulator may be used for, in people's units, at one error rate."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import NamedTuple

from fidelity.structure.estimates import Interval
from fidelity.uses.base import BEYOND, NOT_ASKED, NOT_MEASURED, OPEN, WITHIN
from fidelity.uses.joint import deciding_ends
from fidelity_study.report.formats import (
    DASH,
    Table,
    dashed,
    lower_first,
    percent,
    rounded,
    upper_first,
)
from fidelity_study.report.page.effect_verdict import beside_no_effect, effect_rows
from fidelity_study.report.page.regressions import over_all
from fidelity_study.report.page.words import listed
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import ComparisonTable
from fidelity_study.report.tables import first, having
from fidelity_study.report.units import POINTS, Unit
from fidelity_study.steps.structure import REPLICATES
from fidelity_study.tables.uses import FORMS, HEADINGS

GUESS, MEANS, EFFECTS = "uniform", ("shares", "new_questions"), "effects"
NAIVE = {**dict.fromkeys(MEANS, "a uniform guess"), EFFECTS: "a guess of 0"}
"""The answers that a simulator has to be closer than, to be of use within the limit."""
HUNDRED, WIDE, ROOM, MOST_TIMES = 100.0, 3.0, 1.3, 100.0
DRAWN = ("error", "limit", "verdict")
LAST, FAR = 97.0, 75.0  # where an interval beyond the axis begins; where no text fits behind


class Shown(NamedTuple):
    """How a use is shown.

    Attributes:
        title: what it is; ``{}`` is the word for questions.
        unit: what its error counts, in hundredths.
        bring: what measures it.
        line: says in a few words what else was found.
        phrase: of the headline, where it isn't the title.
    """

    title: str
    unit: str
    bring: str
    line: Callable[[Results, str], str] = lambda results, name: ""
    phrase: str = ""


def _slopes_turned(results: Results, name: str) -> str:
    row = over_all(results, name)
    if row["opposite"]:
        return f"{row['opposite']} of {row['slopes']} slopes have the wrong sign"
    return f"of {row['slopes']} signs {row['same']} surely right, none wrong"


def _strength_kept(results: Results, name: str) -> str:
    slope = results.relations(name).get("slope")
    return "" if slope is None else f"correlations {slope:.2f} times people's"


def _directions(results: Results, name: str) -> str:
    row = first(results.effect_summary, simulator=name, group="", target="these")
    row = row or first(results.effect_summary, simulator=name)
    if not row.get("effects"):
        return ""
    wrong = row["opposite"] or "none"
    return f"of {row['effects']} directions {row['same']} surely right, {wrong} wrong"


def _hits(results: Results, name: str) -> str:
    row = first(results.twins, simulator=name, measure="hits", topic=None)
    if not row or row["own"] is None:
        return ""
    right, others = HUNDRED * row["own"], HUNDRED * row["others"]
    return f"{right:.0f} % of answers right, others' twins {others:.0f} %"


SHOWN = {
    "shares": Shown(
        "Shares of answers to these {}",
        "",
        "people's and its answers to the same {}",
    ),
    "new_questions": Shown(
        "Shares of answers to new {} like these",
        "of 100 {}, how many are beyond the limit",
        "answers to 36 {} or more",
        phrase="new {}",
    ),
    "groups": Shown(
        "Differences between groups",
        "hundredths of the scale by which gaps are off",
        "groups of people, under groups",
    ),
    "relations": Shown(
        "Relations between answers",
        "per cent that correlations are too weak or strong",
        "answers by person on both sides",
        _strength_kept,
    ),
    "regressions": Shown(
        "Regressions",
        "hundredths of a standard deviation that slopes are off",
        "facts on persons, and a formula",
        _slopes_turned,
    ),
    "effects": Shown(
        "Sizes of effects",
        "hundredths of the scale that effects are off",
        "the arms of an experiment",
        _directions,
    ),
    "choices": Shown(
        "Choosing a message",
        "hundredths of the scale lost by its choice",
        "the arms of an experiment",
    ),
    "persons": Shown(
        "Telling persons apart",
        "wrong answers of a person's twin, per 100 of others' twins",
        "twins of the same persons",
        _hits,
    ),
    "interviews": Shown(
        "Fewer interviews",
        "interviews still needed of 100",
        "hybrids in the config",
    ),
    "probabilities": Shown(
        "Probabilities that come true",
        "percentage points between statement and frequency",
        "stated probabilities of 30 events",
    ),
    "scores": Shown(
        "Scoring as well as the best",
        "mean score behind the best",
        "scores of another model on the same {}",
    ),
}
"""The uses in the order of the card."""


@dataclass(frozen=True)
class CardRow:
    """A use of a simulator.

    Attributes:
        use: its name.
        title, unit: what it is, and what its error counts.
        verdict: on the card.
        texts: of all columns that have a heading, by their names.
        line: what else was found, or what would settle it.
        ends: the interval as a text; empty where it isn't measured.
        lower, upper, limit, others: places on the axis, from 0 to 100; None where unknown.
        first, last: of the interval by which the verdict was decided among all.
        is_default: whether nobody chose the limit.
        is_cut: whether an interval ends beyond the axis.
        is_as_naive: whether it is within, and a naive answer may be as close, or is closer.
    """

    use: str
    title: str
    unit: str
    verdict: str
    texts: dict[str, str]
    line: str
    ends: str
    lower: float
    upper: float
    limit: float
    others: float | None
    first: float
    last: float
    is_default: bool
    is_cut: bool
    is_as_naive: bool

    @property
    def beside(self) -> list[tuple[str, str]]:
        """The headings and texts of columns that are not drawn."""
        return [(HEADINGS[name], self.texts[name]) for name in HEADINGS if name not in DRAWN]

    @property
    def is_far(self) -> bool:
        """Whether there is no room for a text behind the intervals and the limit."""
        return self.end > FAR

    @property
    def begin(self) -> float:
        """Where the first interval begins."""
        return min(self.lower, self.first)

    @property
    def end(self) -> float:
        """Where the last interval, or what is within the limit, ends."""
        return max(self.upper, self.last, self.limit)


@dataclass(frozen=True)
class Card:
    """What one simulator may be used for, and its verdicts beside those of others.

    Attributes:
        results: the dataset's tables.
        name: the simulator.
        table: the simulators, by one discrepancy; None where no distances are measured.
        unit: of distances.
    """

    results: Results
    name: str
    table: ComparisonTable | None = None
    unit: Unit | None = None

    @cached_property
    def uses(self) -> dict[str, dict]:
        """The simulator's uses that count, in the order of the card."""
        return uses_of(self.results, self.name)

    @property
    def rows(self) -> list[CardRow]:
        """The uses that are measured and count, or were asked for."""
        return [self._row(use, row) for use, row in self.uses.items() if self._is_shown(row)]

    def _is_shown(self, row: dict) -> bool:
        is_asked = self.is_declared and row["is_chosen"]
        return is_asked or row["verdict"] not in (NOT_MEASURED, NOT_ASKED)

    @property
    def is_declared(self) -> bool:
        """Whether the config declares which uses count."""
        return bool(self.results.step["uses"]["declared"])

    @property
    def is_of_many(self) -> bool:
        """Whether other verdicts, on the card or of other simulators, hold together with one."""
        return bool(self.rows[1:] or self.matrix[1])

    @cached_property
    def _not_settled(self) -> tuple[int, int]:
        """How many uses of all simulators that count are not within, and not beyond."""
        verdicts = [row["verdict"] for row in self.results.uses if row["is_chosen"]]
        if not self.is_declared:
            verdicts = [verdict for verdict in verdicts if verdict != NOT_MEASURED]
        many = len(verdicts)
        return many - verdicts.count(WITHIN), many - verdicts.count(BEYOND)

    def _deciding_ends(self, row: dict) -> tuple[float | None, float | None]:
        """Return the ends by which a use was decided; its own where it was not, among all."""
        error, lower, upper = row["error"], row["lower"], row["upper"]
        if row["verdict"] not in (WITHIN, BEYOND, OPEN) or None in (error, lower, upper):
            return lower, upper
        interval, level = Interval(error, lower, upper), 1.0 - self.results.step["test"]["alpha"]
        how = row["limit"], row["verdict"], self._not_settled
        return deciding_ends(interval, *how, level=level)

    @property
    def not_asked(self) -> list[str]:
        """The uses that are measured, and that the config doesn't declare."""
        rows = self.uses.items()
        return [self._title(use) for use, row in rows if row["verdict"] == NOT_ASKED]

    @property
    def lacking(self) -> list[tuple[str, str]]:
        """The uses that were not measured, each in a phrase, with what to bring; none of events."""
        if self.table is None:
            return []
        return [
            (self._said(use), self._bring(use))
            for use, row in self.uses.items()
            if row["verdict"] == NOT_MEASURED and not self._is_shown(row)
        ]

    @property
    def matrix(self) -> tuple[list[str], list[tuple[str, list[str]]]]:
        """The uses, and the verdict on each of every simulator; none where there is only one."""
        names = (
            [summary.name for summary in self.table.tested]
            if self.table
            else self.results.under_test(self.results.simulators)
        )
        used = [row.use for row in self.rows]
        cells = [
            (
                self.results.named(name),
                [uses_of(self.results, name).get(use, {}).get("verdict", "") for use in used],
            )
            for name in names
        ]
        return [self._title(use) for use in used], cells if len(names) > 1 else []

    @property
    def as_table(self) -> Table:
        """The card as a table of texts."""
        rows = [[f"{row.title} ({row.unit})", *row.texts.values(), row.line] for row in self.rows]
        return Table(["use", *HEADINGS.values(), ""], rows)

    def _beside_naive(self, use: str) -> int | None:
        """Return -1 if it is certainly closer than a naive answer, 1 if farther, 0 if open.

        None where none is compared, or the use is not within.
        """
        if self.uses[use]["verdict"] != WITHIN:
            return None
        if use == EFFECTS:
            rows = having(effect_rows(self.results), {"simulator": self.name})
            return beside_no_effect(rows[0]) if rows else None
        if use not in MEANS or self.table is None or GUESS not in self.results.simulators:
            return None
        closer = self.table.certainly_closer
        return closer(GUESS, self.name) - closer(self.name, GUESS)

    def _title(self, use: str) -> str:
        return self._as_means(SHOWN[use].title.format(self.results.nouns))

    def _phrases(self, verdict: str) -> list[str]:
        return [
            self._said(use)
            for use, row in self.uses.items()
            if (BEYOND if self._beside_naive(use) == 1 else row["verdict"]) == verdict
        ]

    def headline(self, who: str) -> str:
        """Return what the simulator may be used for, and what not.

        Args:
            who: its name, marked.
        """
        within, beyond, open_ = map(self._phrases, (WITHIN, BEYOND, OPEN))
        naive = {NAIVE[row.use] for row in self.rows if self._beside_naive(row.use) == 1}
        if len(naive) == 1 and all(self._beside_naive(row.use) == 1 for row in self.rows):
            return f"{upper_first(naive.pop())} is closer to people than {who}."
        as_naive = {
            self._said(use): NAIVE[use] for use in self.uses if self._beside_naive(use) == 0
        }
        used = [phrase for phrase in within if phrase not in as_naive]
        parts = [f"use {who} for {listed(used)}"] if used else []
        if beyond:
            dont = "not" if used else f"don't use {who}"
            parts.append(f"{dont} for {listed(beyond, last='or')}")
        than = "" if parts else f" as {who}"
        for guess in dict.fromkeys(as_naive.values()):
            alike = [phrase for phrase in as_naive if as_naive[phrase] == guess]
            parts.append(f"for {listed(alike)} {guess} may do as well{than}")
        if parts:
            return f"{upper_first('; '.join(parts))}."
        if open_:
            return f"What {who} may be used for is not settled."
        return f"What {who} may be used for was not measured."

    @property
    def todo(self) -> str:
        """What to do next."""
        rows = self.uses.items()
        settled = {
            use: row["times"]
            for use, row in rows
            if row["verdict"] == OPEN and row["times"] and row["times"] <= MOST_TIMES
        }
        if settled:
            use = min(settled, key=lambda name: settled[name])
            more = f"{_times(settled[use])} the {self.uses[use]['needs']}"
            return f"{more} would settle {self._said(use)}."
        alone = [use for use, row in rows if row["verdict"] == OPEN and row["alone"] == WITHIN]
        if alone:
            what = "name fewer uses in advance" if self.rows[1:] else "compare fewer simulators"
            settled_by = listed(list(map(self._said, alone)))
            return f"ask more people, or next time {what}, to settle {settled_by}."
        if open_ := self._phrases(OPEN):
            return f"ask more people, or look at {listed(open_)} as not settled."
        if beyond := self._phrases(BEYOND):
            rest = f"for {listed(beyond)}, " if self._phrases(WITHIN) else ""
            return f"{rest}keep asking people, or correct it."
        return "check again when the model changes."

    def _said(self, use: str) -> str:
        phrase = SHOWN[use].phrase or lower_first(SHOWN[use].title)
        return self._as_means(phrase.format(self.results.nouns))

    def _as_means(self, text: str) -> str:
        if self.unit and self.unit.kind == POINTS:
            return text.replace("Shares of", "Mean").replace("shares of", "mean")
        return text

    def _bring(self, use: str) -> str:
        text = SHOWN[use].bring.format(self.results.nouns)
        if use == "new_questions" and self.results.clustered:
            return f"{text}, each of another {self.results.step['cluster']}"
        lacking = {row["lacking"] for row in self.results.structure}
        return REPLICATES if use == "relations" and lacking == {REPLICATES} else text

    def _row(self, use: str, row: dict) -> CardRow:
        shown = SHOWN[use]
        own = [row[name] for name in ("lower", "upper", "limit", "others")]
        values = [self._shown(use, value) for value in (*own, *self._deciding_ends(row))]
        low, high, limit, others, first, last = values
        assert limit is not None
        end = (WIDE if use not in ("persons", "interviews") else ROOM) * limit
        distances = self._distances(use)
        ends = "" if low is None or high is None else _range(low, high, distances)
        unit = shown.unit.format(self.results.nouns)
        if distances:
            unit = lower_first(distances.axis_of_means)
            if left := self.table and self.table.named(self.name).unanswered:
                unit += f", whatever the {percent(left)} unanswered were"
        limit_text = distances.text(limit) if distances else f"{limit:g}"
        is_named = use == "shares" and self.table and self.table.has_named_tolerance
        return CardRow(
            use,
            self._title(use),
            unit,
            row["verdict"],
            texts(row, ends or DASH, limit_text),
            self._line(use, row),
            ends,
            min(_place(low or 0.0, end), LAST),
            _place(high or 0.0, end),
            _place(limit, end),
            None if others is None else _place(others, end),
            min(_place(first or 0.0, end), LAST),
            _place(last or 0.0, end),
            use not in self.results.step["uses"]["limits"] and not is_named,
            max(high or 0.0, last or 0.0) > end,
            self._beside_naive(use) in (0, 1),
        )

    def _shown(self, use: str, value: float | None) -> float | None:
        """Return a value of a use in the unit that it is shown in."""
        if value is None:
            return None
        if distances := self._distances(use):
            return distances.value(value) if isfinite(value) else value
        low, high = self.results.scale
        has_width = use == "groups" and isfinite(high - low) and high > low
        return value * HUNDRED / (high - low if has_width else 1.0)

    def _distances(self, use: str) -> Unit | None:
        """Return the unit of distances where a use has it."""
        return self.unit if use == "shares" else None

    def _line(self, use: str, row: dict) -> str:
        if row["verdict"] == NOT_MEASURED:
            return f"bring {self._bring(use)}"
        if row["verdict"] == OPEN:
            return settles(row)
        if self._beside_naive(use) == 1:
            return f"no use: {NAIVE[use]} is closer"
        if self._beside_naive(use) == 0:
            return f"but {NAIVE[use]} may do as well"
        if use == "shares" and self.table:
            guess = next((one for one in self.table.baselines if one.name == GUESS), None)
            if guess and guess.interval and guess.interval[1] < row["limit"]:
                return f"{NAIVE[use]} is within{', too' if row['verdict'] == WITHIN else ''}"
            counts = self.table.counts(self.table.named(self.name))
            return "by question: {} within, {} open, {} beyond".format(*counts) if counts else ""
        return SHOWN[use].line(self.results, self.name)


def texts(row: dict, error: str, limit: str) -> dict[str, str]:
    """Return the texts of a use by the names of the columns that have headings.

    Args:
        row: of the table.
        error, limit: in the unit in which they are shown.
    """
    by_itself = f" ({row['alone']} by itself)" if row["alone"] not in (None, OPEN) else ""
    said = {"verdict": OPEN + by_itself} if row["verdict"] == OPEN else {}
    shown = {**row, **said, "error": error, "limit": limit}
    return {
        name: DASH if shown[name] is None else form.format(shown[name])
        for name, form in FORMS.items()
    }


def uses_of(results: Results, name: str) -> dict[str, dict]:
    """Return the rows of a simulator's uses, in the order of the card."""
    rows = {row["use"]: row for row in having(results.uses, {"simulator": name})}
    return {use: rows[use] for use in (*SHOWN, *rows) if use in rows}


def settles(row: dict) -> str:
    """Say what would settle an open use."""
    if row["times"] is None or not row["needs"]:
        return ""
    if row["times"] > MOST_TIMES:
        return "at the limit: more would not tell"
    return f"takes {_times(row['times'])} the {row['needs']}"


def _times(times: float) -> str:
    """Return how many times as much, rounded up."""
    digits = 1 if times < 10.0 else 0
    number = max(rounded(times + 0.5 * 10**-digits - 1e-9, digits), 1.1)
    return f"{number:.{digits}f} times"


def _range(low: float, high: float, unit: Unit | None) -> str:
    """Return an interval in the unit shown, with a digit more where it is short."""
    if unit:
        return unit.range(low, high) if isfinite(high) else f"{unit.text(low)} or more"
    return dashed(low, high) if isfinite(high) else f"{rounded(low):.0f} or more"


def _place(value: float, end: float) -> float:
    """Return where a value stands on an axis that ends at some number, from 0 to 100."""
    return round(min(max(value / end, 0.0), 1.0) * HUNDRED, 2)
