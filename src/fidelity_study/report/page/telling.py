"""What the page says of answers that are points: whether their source can be told, and by what."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from fidelity.vectors.distances import ENERGY, MMD, MODEL, SLICED_W1
from fidelity_study.reading.settings import TEXT
from fidelity_study.report.formats import (
    DASH,
    Table,
    lower_first,
    number,
    percent,
    signed,
    span,
)
from fidelity_study.report.page import certainty
from fidelity_study.report.page.charts import chart, cloud
from fidelity_study.report.page.structure import Row
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.plot import paths
from fidelity_study.report.results import Results
from fidelity_study.report.tables import first, grouped, having
from fidelity_study.steps.points_shown import FARTHEST, NEAREST
from fidelity_study.steps.vectors import sees_squares
from fidelity_study.tables.ingest import HUMAN

MOST_QUESTIONS, MOST_LETTERS, MOST_PICTURES = 30, 160, 6
MAY_BE_TOLD, LEAST_SAID = 0.6, 0.05
PEOPLE_COLOUR = "var(--ink)"
DISTANCE_NAMES = {ENERGY: "Energy, squared", SLICED_W1: "Sliced W1", MMD: "MMD, squared"}
DISTANCE_MEANING = {
    ENERGY: "The squared energy distance: how much farther answers of different sources are from"
    " each other than answers of the same source; 0 if both sources are alike.",
    SLICED_W1: "How far answers have to be moved, mean over directions; between two bounds.",
    MMD: "The squared maximum mean discrepancy, from 0 to 2; 0 if both sources are alike.",
}


@dataclass(frozen=True)
class Telling:
    """What is said of a dataset whose answers are texts or vectors."""

    results: Results

    @cached_property
    def _all(self) -> dict[str, dict]:
        """The rows over all questions, of the simulators that were compared."""
        rows = having(self.results.told_shares, {"scenario": None})
        known = [row for row in rows if row["told"] is not None]
        return {row["simulator"]: row for row in sorted(known, key=lambda row: row["told"])}

    @cached_property
    def _apart(self) -> dict[str, list[str]]:
        """The distances of each simulator whose intervals lie above 0."""
        return {
            name: [
                DISTANCE_NAMES[row["distance"]]
                for row in having(self._mean_distances, {"simulator": name})
                if row["ci_lower"] > 0.0
            ]
            for name in self._all
        }

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        if not self._all:
            return "There are too few answers on both sides to tell whether they differ."
        beginning, *others = self._parts()
        return f"{'; '.join([beginning, *map(lower_first, others)])}. Guessing gives 50 %."

    def _parts(self) -> Iterator[str]:
        """Yield what is said of simulators that are told, farther than chance, unclear or alike."""
        detected, apart, few, alike = self._sorted()
        share = {name: percent(row["told"]) for name, row in self._all.items()}
        clear = [name for name in detected if self._all[name]["told"] >= MAY_BE_TOLD]
        hardly = listed(
            [f"{self._named(name)} ({share[name]})" for name in detected if name not in clear]
        )
        if clear:
            shares = [f"{share[name]} of cases for {self._named(name)}" for name in clear]
            beside = f", hardly for {hardly}" if hardly else ""
            yield f"Whose answer it is can be told in {listed(shares)}{beside}"
        elif hardly:
            yield f"Whose answer it is can hardly be told for {hardly}"
        for name in apart:
            though = f", though a classifier can't tell them ({share[name]})"
            yield (
                f"The answers of {self._named(name)} are farther from people's than chance allows"
                f" ({listed(self._apart[name])}){'' if name in few else though}"
            )
        if few:
            ends = [f"{self._named(name)} ({_ends(self._all[name])} of cases)" for name in few]
            yield f"There are too few answers to know whether a classifier can tell {listed(ends)}"
        if alike:
            shares = [f"those of {self._named(name)} ({share[name]})" for name in alike]
            yield f"A classifier can't tell people's answers from {listed(shares)}"

    def _sorted(self) -> tuple[list[str], list[str], list[str], list[str]]:
        """Return who is told; of the others who is farther than chance, who unclear, who alike."""
        rows = self._all
        detected = [name for name in rows if rows[name]["can_be_told"]]
        others = [name for name in rows if name not in detected]
        apart = [name for name in others if self._apart[name]]
        few = [name for name in others if rows[name]["told_upper"] >= MAY_BE_TOLD]
        return detected, apart, few, [name for name in others if name not in (*apart, *few)]

    @property
    def lead(self) -> str:
        """How many answers would have to be others, at least; empty where that is next to none."""
        shares = [
            f"{percent(row['total_variation'])} of {self._named(name)}'s"
            for name, row in self._all.items()
            if row["total_variation"] >= LEAST_SAID
        ]
        return f"To match people, at least {listed(shares)} answers must change." if shares else ""

    @property
    def todo(self) -> str:
        """What to do next."""
        _, _, few, alike = self._sorted()
        if few:
            row = self._all[few[0]]
            if row["draws"] < row["people"]:
                return f"run {self._named(few[0])} more often; there are {row['draws']:,} runs."
            return f"get more answers of people; there are {row['people']:,}."
        if alike:
            who = self._named(alike[0])
            return f"test {who} on what you will use it for; a better classifier may tell."
        return "read what tells them apart, below." if self._all else "get more answers."

    @property
    def ranking(self) -> list[dict]:
        """Of 100 answers, how many are told right of each simulator, the hardest to tell first."""
        return [
            {
                "label": self.results.named(name),
                "shade": self.shade(name),
                **{key: 100.0 * row[key] for key in ("told", "told_lower", "told_upper")},
            }
            for name, row in self._all.items()
        ]

    def _named(self, name: str) -> str:
        return named(self.results.named(name))

    @property
    def sentences(self) -> list[str]:
        """What the share means, and what it doesn't."""
        return [*filter(None, [self.lead]), *self._limits()]

    def _limits(self) -> Iterator[str]:
        alpha, kind, sees = self.results.step["test"]["alpha"], self.results.kind, ""
        if kind != TEXT:
            squared = all(sees_squares(kind, many) for many in self._dimensions)
            squares = " and their squares" if squared else ""
            sees = f" It adds up the vectors' columns{squares}, each with a weight."
        yield (
            "The classifier learned from one half of people and runs, and was judged by the other."
            " 50 % means that this classifier can't tell, with so many answers; a better one may."
            f"{sees} Answers are farther apart than chance allows if the interval of a"
            " distance lies above 0. Of simulators like people the classifier calls at most"
            f" {100 * alpha:g} % different, and each distance at most {50 * alpha:g} %."
        )
        if any(row["questions"] > 1 for row in self._all.values()):
            yield f"Each {self.results.noun} is compared by itself."

    @cached_property
    def _dimensions(self) -> list[int]:
        """The different numbers of columns of questions' vectors."""
        rows = self.results.told_shares
        return sorted({row["dimensions"] for row in rows if row["dimensions"] is not None})

    @property
    def notes(self) -> list[str]:
        """What was left out, and how texts became points."""
        results = self.results
        warnings = dict.fromkeys(row["warning"] for row in results.told_shares if row["warning"])
        lacking = [row for row in results.told_shares if row["lacking"]]
        texts = [f"Of people, {warning}." for warning in warnings]
        if lacking:
            names = listed([results.named(row["simulator"]) for row in lacking])
            texts.append(f"Not compared: {names}, without {lacking[0]['lacking']}.")
        if self._mean_distances:
            texts.append(
                "Squared distances are estimated without bias, and Sliced W1 between two bounds. So"
                " they may lie below 0 where both sides are alike: read them as 0."
            )
        if results.kind != TEXT and self._dimensions:
            texts.append(
                f"An answer is a vector of {span(self._dimensions, str)} numbers; Provenance,"
                " below, names their files."
            )
        if results.kind == TEXT:
            texts.append(
                "A text is a point by its words (TF-IDF, at most 50 dimensions by truncated SVD),"
                " made of all sources' answers together, without knowing whose they are. What"
                " words mean and their order count for nothing."
            )
        return texts

    @property
    def assumptions(self) -> list[certainty.Assumption]:
        """What the numbers assume."""
        texts = (
            "People are a random sample of those they stand for, and independent.",
            "Runs of a simulator are independent of each other, and of people.",
        )
        unknown = [certainty.Assumption(certainty.UNKNOWN, text) for text in texts]
        return [*unknown, *certainty.unanswered(self.results)]

    @property
    def distances(self) -> list[str]:
        """The distances that there are."""
        return [name for name in DISTANCE_NAMES if having(self._mean_distances, {"distance": name})]

    @cached_property
    def _mean_distances(self) -> list[dict]:
        return having(self.results.distances, {"scenario": None, "estimand": MODEL})

    @property
    def headings(self) -> list[tuple[str, str]]:
        """The distances' names and meaning."""
        end = f" {self.results.level} interval."
        return [(DISTANCE_NAMES[name], DISTANCE_MEANING[name] + end) for name in self.distances]

    @property
    def table(self) -> list[Row]:
        """A row for each simulator: shares told, and mean distances."""
        return [
            Row(
                self.results.named(name),
                [
                    _told(row),
                    (f"{row['told_questions']:,} of {row['questions']:,}", row["told_questions"]),
                    (percent(row["total_variation"]), row["total_variation"]),
                    *(self._distance(name, measure) for measure in self.distances),
                ],
            )
            for name, row in self._all.items()
        ]

    def _distance(self, name: str, measure: str) -> tuple[str, float | None]:
        rows = having(self._mean_distances, {"simulator": name, "distance": measure})
        if not rows:
            return DASH, None
        values = [rows[0][key] for key in ("lower", "upper", "ci_lower", "ci_upper")]
        lower, upper, low, high = (signed(value).removeprefix("+") for value in values)
        middle = lower if values[0] == values[1] else f"{lower} to {upper}"
        return f"{middle} ({low} to {high})", (values[0] + values[1]) / 2.0

    @property
    def findings(self) -> Table:
        """The table as texts."""
        header = ["simulator", "told", f"{self.results.nouns} told", "total variation, at least"]
        header += [name.lower() for name, _ in self.headings]
        return Table(header, [[row.label, *(text for text, _ in row.cells)] for row in self.table])

    @property
    def by_question(self) -> list[Row]:
        """The share told of each question: those told best, first."""
        rows = [row for row in self.results.told_shares if row["scenario"] is not None]
        shares = grouped(rows, "scenario")
        order = sorted(shares, key=lambda one: -max(row["told"] for row in shares[one]))
        return [
            Row(question, [_told(first(shares[question], simulator=name)) for name in self._all])
            for question in order[:MOST_QUESTIONS]
        ]

    @property
    def words(self) -> list[tuple[str, str, list[str]]]:
        """Of each question and simulator the words, or columns, that people, and it, have more."""
        form = percent if self.results.kind == TEXT else number
        return [
            (
                question,
                self.results.named(name),
                [
                    ", ".join(
                        f"{row['feature']} ({form(row['people_mean'])} : {form(row['mean'])})"
                        for row in rows
                        if (row["statistic"] > 0) == more
                    )
                    or DASH
                    for more in (True, False)
                ],
            )
            for (question, name), rows in _first(self.results.telling_features)
        ]

    @property
    def examples(self) -> list[tuple[str, str, str, str]]:
        """Question, simulator, side and place, and its nearest or farthest answers, of texts."""
        if self.results.kind != TEXT:
            return []
        return [
            (
                question,
                self.results.named(name),
                f"{'people' if side == HUMAN else 'simulator'}, {place}",
                " · ".join(
                    _short(row["answer"]) for row in having(rows, {"side": side, "place": place})
                ),
            )
            for (question, name), rows in _first(self.results.examples)
            for side in (HUMAN, "simulator")
            for place in (NEAREST, FARTHEST)
        ]

    @property
    def pictures(self) -> list[tuple[str, Markup]]:
        """The projection of the answers to some questions."""
        return [
            (
                question,
                cloud([(shade, [(row["x"], row["y"]) for row in rows]) for shade, rows in drawn]),
            )
            for question, drawn in self._drawn(self.results.projection)
        ]

    @property
    def paths(self) -> list[tuple[str, Markup]]:
        """The quartiles of paths over time, of some questions."""
        return [
            (question, chart(paths(drawn)))
            for question, drawn in self._drawn(self.results.paths)
            if drawn[0][0] == PEOPLE_COLOUR
        ]

    def _drawn(self, rows: list[dict]) -> list[tuple[str, list[tuple[str, list[dict]]]]]:
        """Return the first questions, each with the colour and the rows of its sources."""
        return [
            (name, [(self.shade(source), part) for source, part in grouped(its, "source").items()])
            for name, its in list(grouped(rows, "scenario").items())[:MOST_PICTURES]
        ]

    def shade(self, source: str) -> str:
        """Return the colour of people, or of a simulator."""
        return PEOPLE_COLOUR if source == HUMAN else self.results.colour(source)

    @property
    def key(self) -> list[tuple[str, str]]:
        """The colours and labels of the pictures."""
        shades = [(self.shade(name), self.results.named(name)) for name in self._all]
        return [(PEOPLE_COLOUR, "people"), *shades]


def _first(rows: list[dict]) -> list[tuple[tuple[str, str], list[dict]]]:
    """Return the rows of the first questions and simulators."""
    return list(grouped(rows, "scenario", "simulator").items())[:MOST_QUESTIONS]


def _told(row: dict) -> tuple[str, float | None]:
    """Return the share told, with its interval; a dash without one."""
    return (f"{percent(row['told'])} ({_ends(row)})", row["told"]) if row else (DASH, None)


def _ends(row: dict) -> str:
    return f"{percent(row['told_lower'])} to {percent(row['told_upper'])}"


def _short(answer: str) -> str:
    return answer if len(answer) <= MOST_LETTERS else f"{answer[: MOST_LETTERS - 1]}…"
