"""What the first screen shows of a dataset, as numbers: words and drawing are made of these."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fidelity.comparison.tendency import tendency
from fidelity_study.report.formats import rank_range
from fidelity_study.report.page.explorer import Questions
from fidelity_study.report.page.uses import GUESS, Card
from fidelity_study.report.page.verdict import Verdict, card_of, verdict
from fidelity_study.report.plot import Plot, scatter, ticks
from fidelity_study.report.summaries import ComparisonTable, Counts, SimulatorSummary, estimate_of
from fidelity_study.report.tables import having
from fidelity_study.report.tendency import tendency_text
from fidelity_study.report.units import ANSWERS, HUNDRED, POINTS, Unit
from fidelity_study.steps.arrays import numbers
from fidelity_study.steps.limits import STEPS, tolerance_at

WORST = 4
ROOM = 1.18
SHORT = 8
HIGHLIGHTED = 4
MOST_OPTIONS = 6
MOST_TOPICS = 16
OTHER_PEOPLE = (50, 150, 500)


@dataclass(frozen=True)
class RankingRow:
    """One simulator, or other people, in the ranking; distances are in people's units.

    Attributes:
        name, label, describe: as in the config; other people have no name.
        kind: ``simulator``, ``baseline`` or ``people``.
        estimate, lower, upper: of the mean distance; None where no interval is known.
        questions: how many it answered.
        colour: of the simulator.
        is_highlighted: whether its dot has this colour: that of the closest few.
        counts: over the questions; None without a tolerance.
        unanswered: the share of the answers asked of it that it did not give.
        rank: the ranks that the data allow, "1" or "2–3"; empty for other people.
    """

    name: str
    label: str
    describe: str
    kind: str
    estimate: float | None
    lower: float | None
    upper: float | None
    questions: int
    colour: str = ""
    is_highlighted: bool = False
    counts: Counts | None = None
    unanswered: float = 0.0
    rank: str = ""


@dataclass(frozen=True)
class OptionRow:
    """One option of a question: shares of people, with their interval, and of a simulator."""

    label: str
    people: float
    lower: float
    upper: float
    simulator: float | None

    @property
    def gap(self) -> float | None:
        """The simulator's share less people's, in points."""
        return None if self.simulator is None else 100.0 * (self.simulator - self.people)


@dataclass(frozen=True)
class QuestionCard:
    """A question with what people and one simulator answered.

    Attributes:
        index: its place in the table of scenarios.
        heading, beside: what it is called, and what tells more; may be empty.
        topic: its cluster.
        people: how many answered.
        distance: as measured, in people's units; None where the simulator did not answer.
        lower, upper: bounds on it, each with 1 - η; None where unknown.
        listed: ``within``, ``beyond``, ``open``, or None without a tolerance.
        options: all of them.
    """

    index: int
    heading: str
    beside: str
    topic: str
    people: float
    distance: float | None
    lower: float | None
    upper: float | None
    listed: str | None
    options: list[OptionRow]

    def drawn(self, rows: list[OptionRow]) -> list[tuple[float, float, float, float | None]]:
        """Return what is drawn of some options."""
        return [(row.people, row.lower, row.upper, row.simulator) for row in rows]

    @property
    def shown_options(self) -> list[OptionRow]:
        """The options with the largest gaps, in their order, where there are many."""
        if len(self.options) <= MOST_OPTIONS:
            return self.options
        by_gap = sorted(self.options, key=lambda row: -abs(row.gap or 0.0))[:MOST_OPTIONS]
        return [row for row in self.options if row in by_gap]


@dataclass(frozen=True)
class Topics:
    """Mean distances by topic: ``values[i][j]`` of simulator i in topic j, None where unknown."""

    topics: list[str]
    simulators: list[RankingRow]
    values: list[list[float | None]]

    @property
    def largest(self) -> float:
        """The largest of them."""
        return max((value for row in self.values for value in row if value is not None), default=1)


@dataclass(frozen=True)
class FirstScreen:
    """The first screen of a dataset by one discrepancy, and one tolerance if it has any."""

    of: ComparisonTable
    questions: Questions

    @cached_property
    def unit(self) -> Unit:
        """The unit of all distances."""
        return Unit.of(self.of.results, self.of.discrepancy)

    @property
    def limit(self) -> float | None:
        """The tolerance in people's units."""
        return None if self.of.tolerance is None else self.unit.value(self.of.tolerance)

    @property
    def chosen_by(self) -> str:
        """Whether the limit is chosen by the config, or the default."""
        return "chosen" if self.of.has_named_tolerance else "default"

    @property
    def unit_of_cards(self) -> str:
        """In what the cards are: their distance, and the gaps of options to the right."""
        if self.unit.kind == ANSWERS:
            return "of 100 people"
        first = "points" if self.unit.kind == POINTS else self.unit.label
        return f"{first}; right: of 100 people"

    @cached_property
    def ranking(self) -> list[RankingRow]:
        """Simulators, baselines and other people, the closest first; last those without a value."""
        rows = [*map(self._row, self.of.every), *map(self._people_row, self.people_rows)]
        return sorted(rows, key=lambda row: np.inf if row.estimate is None else row.estimate)

    def row(self, name: str) -> RankingRow:
        """Return the row of a simulator."""
        return next(row for row in self.ranking if row.name == name)

    @cached_property
    def shown(self) -> RankingRow:
        """The simulator whose answers are shown first: the one that the verdict names."""
        return self.row(self.verdict.first)

    @property
    def largest(self) -> float:
        """The largest distance that is drawn."""
        drawn = [row.upper for row in self.ranking if row.upper is not None]
        return max([*drawn, self.limit or 0.0], default=1.0) or 1.0

    @property
    def drawn_to(self) -> float:
        """The end of the axis: there is room for a text behind the farthest interval."""
        return ROOM * self.largest

    @property
    def axis_texts(self) -> list[tuple[float, str]]:
        """The numbers of the axis, and how they are written."""
        at = ticks(self.largest)
        digits = 0 if all(x == round(x) for x in at) else 1 if at[1] >= 0.1 else 2
        return [(x, f"{x:.{digits}f}") for x in at]

    @property
    def has_counts(self) -> bool:
        """Whether it is tested which questions are within the tolerance."""
        return any(row.counts for row in self.ranking)

    @property
    def band(self) -> float | None:
        """By how much one option's share may differ within the tolerance; None if unknown."""
        is_shares = self.unit.kind == ANSWERS and self.of.tolerance is not None
        return (self.limit or 0.0) / HUNDRED if is_shares else None

    @property
    def wordings(self) -> int:
        """How many questions there are, each put to one group or more."""
        return len({asked.text for asked in self.questions.asked})

    @property
    def group_first(self) -> bool:
        """Whether a question was put to many groups, so that these tell the cards apart."""
        return self.wordings < self.of.results.m / 2

    @cached_property
    def topic_texts(self) -> dict[str, str]:
        """Topic -> its question, where each is one question put to many groups; else none."""
        texts: dict[str, str] = {}
        if not self.group_first or not self.of.results.clustered:
            return {}
        for asked in self.questions.asked:
            if texts.setdefault(asked.topic, asked.text) != asked.text:
                return {}
        return texts

    def _row(self, summary: SimulatorSummary) -> RankingRow:
        known = summary.estimate, *(summary.interval or (None, None))
        estimate, lower, upper = self.unit.values(known)
        return RankingRow(
            summary.name,
            summary.label,
            summary.describe,
            "baseline" if summary.is_baseline else "simulator",
            estimate,
            lower,
            upper,
            summary.m,
            colour=self.of.results.colour(summary.name),
            is_highlighted=summary in self.of.tested[:HIGHLIGHTED],
            counts=self.of.counts(summary),
            unanswered=summary.unanswered,
            rank=rank_range(*self.of.rank_range(summary.name)),
        )

    @property
    def people_rows(self) -> list[dict]:
        """Rows of how far other people would be, of the numbers of people that are shown.

        None without an interval, and none of a conjoint, whose rows are of so many profiles with
        each level.
        """
        if self.of.results.is_conjoint:
            return []
        rows = having(self.of.results.people_reference, {"discrepancy": self.of.discrepancy})
        shown = [row for row in rows if row["people"] in OTHER_PEOPLE]
        return [row for row in shown if row["ci_lower"] is not None]

    def _people_row(self, row: dict) -> RankingRow:
        estimate, lower, upper = (self.unit.value(row[x]) for x in ("mean", "ci_lower", "ci_upper"))
        who = f"{row['people']} other people"
        describe = "As far as so many more people of the same kind would be, by these answers."
        m = self.of.results.m
        return RankingRow("", who, describe, "people", estimate, lower, upper, m)

    @cached_property
    def verdict(self) -> Verdict:
        """The headline and what it rests on."""
        return verdict(self.of)

    @cached_property
    def uses(self) -> Card | None:
        """What the simulator that is shown may be used for; None where no use is shown."""
        card = card_of(self.of, self.verdict.first) if self.of.tested else None
        return card if card and card.rows else None

    @property
    def guess(self) -> RankingRow | None:
        """The row of a uniform guess, beside the simulator that is shown; None without one."""
        row = next((row for row in self.ranking if row.name == GUESS), None)
        return row if row and row.estimate is not None and self.shown.name != GUESS else None

    @property
    def is_guess_as_close(self) -> bool:
        """Whether neither a uniform guess nor the simulator that is shown is certainly closer."""
        name, closer = self.shown.name, self.of.certainly_closer
        return not (closer(name, GUESS) or closer(GUESS, name))

    @property
    def is_long(self) -> bool:
        """Whether the ranking is so long that questions stand below it."""
        return len(self.ranking) > SHORT

    @cached_property
    def answers(self) -> dict:
        """What each simulator answered, as :meth:`Questions.answers` has it."""
        return self.questions.answers(self.of)

    def cards(self, name: str) -> list[QuestionCard]:
        """Return the questions with a simulator's answers, the farthest first."""
        cards = [self.card(name, j) for j in range(self.of.results.m)]
        return sorted(cards, key=lambda card: np.inf if card.distance is None else -card.distance)

    def card(self, name: str, j: int) -> QuestionCard:
        """Return one question with a simulator's answers."""
        asked, answers = self.questions.asked[j], self.answers[name]
        q = answers["q"][j] or [None] * len(asked.options)
        shares = zip(asked.options, asked.people, asked.lower, asked.upper, q, strict=True)
        heading, beside = asked.text, asked.group
        if all(part in asked.text for part in asked.group.split(" · ")):
            beside = ""
        elif self.topic_texts:
            heading, beside = asked.group, ""
        elif self.group_first:
            heading, beside = asked.group, asked.text
        distance, lower, upper = self.unit.values(
            answers[name][j] for name in ("plugin", "lower", "upper")
        )
        return QuestionCard(
            j,
            heading,
            beside,
            asked.topic if self.of.results.clustered else "",
            asked.many,
            distance,
            lower,
            upper,
            listed=answers.get("verdict", [None] * self.of.results.m)[j],
            options=[OptionRow(*option) for option in shares],
        )

    @property
    def worst(self) -> list[QuestionCard]:
        """The questions on which the simulator of the headline is measured to be farthest."""
        return self.cards(self.shown.name)[:WORST]

    def scatter(self, name: str, top: float = 0.0) -> Plot:
        """Return people's share and a simulator's of each option, on axes to ``top`` at least."""
        points = [
            (people, share)
            for asked, stated in zip(self.questions.asked, self.answers[name]["q"], strict=True)
            if stated is not None
            for people, share in zip(asked.people, stated, strict=True)
        ]
        return scatter(points, self.band, self.row(name).colour, top)

    def tendency(self, name: str) -> str:
        """Say what a simulator does to people's answers in general."""
        results, questions = self.of.results, self.questions
        shares = [
            questions.shown(np.nan_to_num(row) / np.nansum(row), j)
            for j, row in enumerate(questions.counts)
        ]
        simulated = [None if q is None else np.asarray(q) for q in self.answers[name]["q"]]
        sizes = numbers(results.scenarios["n_effective"])
        clusters = results.clusters if results.clustered else results.scenario_names
        alpha = results.step["test"]["alpha"]
        return tendency_text(tendency(shares, sizes, simulated, clusters, self._positions(), alpha))

    def _positions(self) -> list[np.ndarray] | None:
        """Return where each option stands on the scale, from 0 to 1; None without an order."""
        scores = self.of.results.scenarios["score"].to_pylist()
        low, high = self.of.results.scale
        if self.of.results.kind == "binary" or None in scores or not np.isfinite([low, high]).all():
            return None
        if any(place is not None for _, place in self.questions.bins):
            return None
        return [(np.asarray(option_scores) - low) / (high - low) for option_scores in scores]

    @cached_property
    def topics(self) -> Topics | None:
        """Mean distances by topic, that which is worst for the closest simulator first."""
        results = self.of.results
        if not results.clustered or results.n_clusters > MOST_TOPICS:
            return None
        shown = [row for row in self.ranking if row.kind == "simulator"]
        rows = having(results.cluster_means, {"discrepancy": self.of.discrepancy})
        distances = {
            (row["simulator"], row["cluster"]): self.unit.value(estimate)
            for row in results.as_shown(rows)
            if (estimate := estimate_of(row)) is not None
        }
        if not distances or not shown:
            return None
        names = sorted(
            dict.fromkeys(results.clusters),
            key=lambda name: -distances.get((self.of.best.name, name), 0.0),
        )
        values = [[distances.get((row.name, name)) for name in names] for row in shown]
        return Topics(names, shown, values)

    @cached_property
    def limit_steps(self) -> dict[str, dict[str, list[list[int]]]]:
        """Simulator -> ``within`` and ``beyond`` -> the steps at which each question switches.

        None at all where the discrepancy has no tests of a tolerance.
        """
        results = self.of.results
        place = {name: j for j, name in enumerate(results.scenario_names)}
        steps: dict[str, dict[str, list[list[int]]]] = {}
        for row in having(results.limits, {"discrepancy": self.of.discrepancy}):
            if (name := row["simulator"]) not in steps:
                steps[name] = {way: [[] for _ in place] for way in ("within", "beyond")}
            for way, switches in steps[name].items():
                switches[place[row["scenario"]]] = row[way]
        return steps

    @property
    def steps(self) -> list[float]:
        """The limit at each step of the slider, in people's units; empty without lists."""
        if not self.limit_steps:
            return []
        at = (tolerance_at(i, self.of.discrepancy, self.of.results.scale) for i in range(STEPS))
        return [self.unit.value(tolerance) for tolerance in at]

    @property
    def limit_step(self) -> float | None:
        """The slider's position at the tolerance of the config; may lie between two steps."""
        if not self.steps or self.limit is None:
            return None
        return round(self.limit / self.steps[1], 6)
