"""What the page says about questions that people were not asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.report.formats import number, percent, span
from fidelity_study.report.page.uses import GUESS
from fidelity_study.report.page.words import listed, named, plain
from fidelity_study.report.results import Predictor
from fidelity_study.report.summaries import ComparisonTable
from fidelity_study.report.tables import grouped, having
from fidelity_study.steps.held_out import CLUSTER, LEFT_OUT, MANY_PEOPLE, QUESTION
from fidelity_study.steps.new_bounds import NEW_CLUSTERS
from fidelity_study.steps.new_corrections import HALVES
from fidelity_study.steps.predict import MEAN

LONGEST = 60
CHOSEN = (
    "The promise holds for a simulator chosen beforehand, not for the one found to have the"
    " smallest bound."
)
PROMISES = {
    "marginal": "on average over studies like this one",
    "exact": "in this very study, with {level} confidence",
    "per_cluster": "on average over studies like this one",
    "weighted": "on average over studies like this one",
    "localised": "on average over studies like this one and over all kinds of them",
}


@dataclass(frozen=True)
class Predictions:
    """Questions that nobody was asked, by one discrepancy."""

    of: ComparisonTable

    @cached_property
    def main(self) -> list[dict]:
        """Rows of the statement to read of each question."""
        cell = {"discrepancy": self.of.discrepancy, "main": True}
        return having(self.of.results.predictions, cell)

    @property
    def lead(self) -> str | None:
        """The closest simulator under test that predicts; else the first that does."""
        there = {row["simulator"] for row in self.main}
        return next((summary.name for summary in self.of.every if summary.name in there), None)

    @cached_property
    def table(self) -> list[dict]:
        """What is predicted, question by question, the closest simulator first.

        ``about`` and ``statement`` are empty without a statement; ``bound`` is the largest distance
        that is predicted, None if nothing is known; ``ranges`` are of the question's options, and
        ``near`` the nearest questions asked; ``reason`` says why there are no ranges.
        """
        results = self.of.results
        known = {question["scenario"]: question for question in results.new_questions}
        rows = grouped(self.main, "scenario", "simulator")
        return [
            self._predicted(known[name], predictor, rows[name, predictor.name])
            for name in known
            for predictor in self._predictors
            if (name, predictor.name) in rows
        ]

    @cached_property
    def _predictors(self) -> list[Predictor]:
        return self.of.results.predictors([summary.name for summary in self.of.every])

    def _predicted(self, question: dict, predictor: Predictor, rows: list[dict]) -> dict:
        first = rows[0]
        limits = question["lower"], question["upper"]
        return {
            "name": plain(question["scenario"]),
            "text": plain(question["question"] or question["description"]),
            "simulator": predictor.label,
            "about": self.about(first["about"]),
            "statement": first["statement"] or "",
            "bound": first["bound"],
            "ranges": [_range(row, limits) for row in rows if row["option"] is not None],
            "near": list(self._near(question["scenario"], predictor.name)),
            "reason": first["reason"] or "",
        }

    def about(self, what: str | None) -> str:
        """Say of which questions a statement is, in the dataset's words."""
        return (what or "").replace("questions", self.of.results.nouns, 1)

    def _near(self, name: str, simulator: str) -> Iterator[dict]:
        """Yield the nearest questions asked, with the simulator's distance and its bounds there."""
        cell = {"scenario": name, "simulator": simulator, "discrepancy": self.of.discrepancy}
        questions = self.of.results.scenarios["question"].to_pylist()
        texts = dict(zip(self.of.results.scenario_names, questions, strict=True))
        for row in sorted(having(self.of.results.nearest_asked, cell), key=lambda row: row["rank"]):
            text, ends = plain(texts[row["nearest"]]), (row["lower"], row["upper"])
            name = text if len(text) <= LONGEST else plain(row["nearest"])
            yield {"name": name, "text": text, "distance": row["plugin"], "ends": ends}

    @cached_property
    def promise(self) -> list[str]:
        """What is promised, of which questions, and what it is worth."""
        if self.lead is None:
            refused = self.of.results.held_out_predictions
            reasons = dict.fromkeys(row["reason"] for row in refused if row["reason"])
            return [f"Nothing is predicted: {plain(reason)}." for reason in reasons]
        said = [*self._promises(self.lead), *self._width(), *self._corrected()]
        return list(dict.fromkeys(said))

    @cached_property
    def checks(self) -> list[str]:
        """How it does on questions left out, what it assumes, and what is not said."""
        if self.lead is None:
            return []
        return [*self._held_out(), *self._refused(), *self._unlike()]

    def _promises(self, lead: str) -> Iterator[str]:
        results = self.of.results
        many = len({row["scenario"] for row in self.main})
        what = results.nouns if many > 1 else results.noun
        yield f"Simulators answered {many} {what} that people were not asked."
        rows = [row for row in having(self.main, {"simulator": lead}) if row["statement"]]
        of_mean = all(row["option"] == MEAN for row in rows)
        within = "mean within its range" if of_mean else "shares within all their ranges at once"
        for statement, about in dict.fromkeys((row["statement"], row["about"]) for row in rows):
            here = {row["scenario"] for row in rows if row["about"] == about}
            some = "" if len(here) == many else f" (here {len(here)} of the {many})"
            yield (
                f"Of new {self.about(about)}{some}, at least"
                f" {percent(1 - results.step['predict']['alpha'])} have people's true {within},"
                f" {PROMISES[statement].format(level=results.bound_level)}."
            )

    def _width(self) -> Iterator[str]:
        """Say how near simulators come on new questions, the smallest bound first."""
        spans = self._spans
        there = [summary.name for summary in self.of.every if summary.name in spans]
        names = sorted(self.of.results.under_test(there), key=lambda name: spans[name])
        if not names:
            return
        label = {name: named(self.of.results.named(name)) for name in names}
        widths = listed([f"{span(spans[name], number)} with {label[name]}" for name in names])
        if DISCREPANCIES[self.of.discrepancy].on == "option_subsets":
            yield f"A share is known to within {widths} on either side."
        else:
            yield f"The distance from people is predicted to be at most {widths}."
        if len(names) > 1:
            yield CHOSEN
        guess = spans.get(GUESS)
        others = [name for name in names if name != GUESS]
        worse = [label[name] for name in others if guess and guess[1] <= spans[name][0]]
        if guess and worse:
            verb = "predicts" if len(worse) == 1 else "predict"
            yield (
                f"A uniform guess has a smaller bound ({span(guess, number)}): {listed(worse)}"
                f" {verb} no better than a guess."
            )

    def _corrected(self) -> Iterator[str]:
        """Say in what way statements about corrected simulators are approximate."""
        methods = {row["method"] for row in self.main if row["method"]}
        if not methods:
            return
        yield (
            "Statements about corrected simulators are approximate, because these are fitted to the"
            f" {self.of.results.nouns} that their bounds come from."
        )
        yield CHOSEN
        if HALVES in methods:
            yield (
                "Corrections are fitted to one half of the persons, and bounds come from the"
                " other half."
            )

    @property
    def _spans(self) -> dict[str, tuple[float, float]]:
        """Simulator -> the smallest and the largest of its bounds of new questions."""
        rows = grouped([row for row in self.main if row["bound"] is not None], "simulator")
        bounds = {name: [row["bound"] for row in part] for name, part in rows.items()}
        return {name: (min(ends), max(ends)) for name, ends in bounds.items()}

    def _held_out(self) -> Iterator[str]:
        results = self.of.results
        cell = {"simulator": self.lead, "discrepancy": self.of.discrepancy}
        statements = {row["statement"] for row in having(self.main, {"simulator": self.lead})}
        rows = [
            row
            for row in having(results.held_out_predictions, cell)
            if row["statement"] in statements and row["covered_upper"] is not None
        ]
        label = named(results.named(self.lead)) if self.lead else ""
        for row in rows:
            is_promised = row["left_out"] == QUESTION or row["about"] == NEW_CLUSTERS
            what = results.noun if row["left_out"] == QUESTION else CLUSTER
            low, high = 100 * row["covered_upper_low"], 100 * row["covered_upper_high"]
            promised = f"promised {percent(row['promised_upper'])}" if is_promised else "no promise"
            people = (
                f", and {percent(row['covered_people'])} of the distances measured where"
                f" at least {MANY_PEOPLE} people were asked"
                if row["covered_people"] is not None
                else ""
            )
            yield (
                f"Check of {label}: each {what} asked was left out in turn. The bound from the"
                f" others covered {percent(row['covered_upper'])} of the upper ends of their"
                f" distances ({low:.0f} to {high:.0f} %; {promised}){people}."
            )
        if rows:
            yield (
                "An upper end is the largest distance that a sample of people allows. It exceeds"
                " the true one, so that covering more than promised is usual."
            )

    def _refused(self) -> Iterator[str]:
        cell = {"simulator": self.lead, "discrepancy": self.of.discrepancy}
        rows = having(self.of.results.held_out_predictions, cell)
        refused = [row for row in rows if row["reason"] and row["covered_upper"] is None]
        for reason, part in grouped(refused, "reason").items():
            statements = listed([row["statement"] for row in part])
            subject, why = f"about {self.about(part[0]['about'])} ({statements})", plain(reason)
            if why.startswith(LEFT_OUT):
                yield f"What is said {subject} cannot be checked {why}."
            else:
                yield f"No statement {subject}: {why}."

    def _unlike(self) -> Iterator[str]:
        reasons: dict[str, list[str]] = {}
        labels = {predictor.name: predictor.label for predictor in self._predictors}
        for row in having(self.of.results.held_out_predictions, {"statement": None}):
            why = plain(row["reason"]).removeprefix(f"{plain(row['simulator'])} ")
            reasons.setdefault(why, []).append(labels[row["simulator"]])
        for why, names in reasons.items():
            yield f"Not used: {listed(list(map(named, names)))}, which {why}."


def predictions(table: ComparisonTable) -> Predictions | None:
    """Return what is said of new questions by a discrepancy; None if nothing is predicted by it."""
    predict = table.results.step["predict"]
    return Predictions(table) if predict and table.discrepancy in predict["pairs"] else None


def _range(row: dict, limits: tuple[float | None, float | None]) -> dict:
    """Return what is predicted of one option, with left, width and point on a scale of 100."""
    low, high = (0.0, 1.0) if row["option"] != MEAN or None in limits else limits
    width = (high or 0.0) - (low or 0.0) or 1.0
    ends = row["lower"], row["upper"]
    left, right, point = (
        float(np.clip(100.0 * (end - (low or 0.0)) / width, 0.0, 100.0))
        for end in (*ends, row["q"])
    )
    place = left, max(right - left, 0.8), point
    return {"option": plain(row["option"]), "q": row["q"], "ends": ends, "place": place}
