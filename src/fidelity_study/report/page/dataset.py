"""All that the page shows of one dataset."""

from dataclasses import dataclass
from functools import cached_property

from fidelity.baselines.base import BASELINES
from fidelity_study.reading.settings import POINTS
from fidelity_study.report import notes
from fidelity_study.report.formats import number, span
from fidelity_study.report.page import certainty, effects, explorer
from fidelity_study.report.page.corrections import Corrections
from fidelity_study.report.page.first_screen import FirstScreen
from fidelity_study.report.page.forecast import Forecast, without_curves
from fidelity_study.report.page.groups import group_section
from fidelity_study.report.page.hybrids import hybrids
from fidelity_study.report.page.labels import answered_alike, label_doubts, suspicions
from fidelity_study.report.page.plans import plans
from fidelity_study.report.page.predictions import predictions
from fidelity_study.report.page.prompts import prompts
from fidelity_study.report.page.regressions import regression_section
from fidelity_study.report.page.sequence import sequence
from fidelity_study.report.page.structure import structure, unmeasured
from fidelity_study.report.page.target import target
from fidelity_study.report.page.telling import Telling
from fidelity_study.report.page.uses import GUESS
from fidelity_study.report.page.words import plain
from fidelity_study.report.plot import Line, Plot, curves, reliability
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import (
    ComparisonTable,
    SimulatorSummary,
    comparison_tables,
)
from fidelity_study.report.tables import having
from fidelity_study.steps.arrays import numbers

MOST_CURVES = 4
RANKED = ("name", "label", "kind", "lower", "upper", "questions", "unanswered", "rank")


@dataclass(frozen=True)
class View:
    """A dataset by one discrepancy, and one tolerance if the config has any.

    Attributes:
        of: its simulators, and who is closer.
        dataset: which it is of.
        screen: what its first screen shows.
        effects: how effects of an experiment compare; None where there is none.
        regressions: how slopes compare; None where none was fitted.
        structure: how answers go together; None where that was measured of no simulator.
        groups: how far the closest simulators are from groups of people; None without.
        verdict: the answer in words, and what to do next.
        prompts: of each simulator that was asked in several.
        predictions: what people would answer to questions not asked; None if not wanted.
        target: how far simulators are on questions that will be asked; empty if none are named.
        sequence: what may be concluded now, of a study that is looked at while data come in.
        corrections: what correcting the simulators gains; no rows if the config wants none.
        hybrids: a few people and each simulator together; None if the config doesn't ask for it.
        plans: what the next study costs.
    """

    of: ComparisonTable
    dataset: "Dataset"

    structure = cached_property(lambda view: structure(view.of))
    groups = cached_property(lambda view: group_section(view.of))
    effects = cached_property(lambda view: effects.effect_section(view.results))
    regressions = cached_property(
        lambda view: regression_section(view.results, view.screen.shown.name)
    )
    screen = cached_property(lambda view: FirstScreen(view.of, view.dataset.questions))
    verdict = property(lambda view: view.screen.verdict)
    prompts = cached_property(lambda view: list(prompts(view.of)))
    predictions = cached_property(lambda view: predictions(view.of))
    target = cached_property(lambda view: target(view.of))
    sequence = cached_property(lambda view: sequence(view.of))
    corrections = cached_property(lambda view: Corrections(view.of))
    hybrids = cached_property(lambda view: hybrids(view.of))
    plans = cached_property(lambda view: plans(view.of))

    @property
    def results(self) -> Results:
        """The dataset's tables."""
        return self.of.results

    @property
    def label(self) -> str:
        """The name of the distance, and the tolerance if there is one."""
        label = self.of.distance
        within = "" if self.of.tolerance is None else f", within {number(self.of.tolerance)}"
        return f"{label}{within}"

    @property
    def has_lists(self) -> bool:
        """Whether it is tested which scenarios are within the tolerance."""
        return any(self.of.lists.values())

    def cluster_means(self, summary: SimulatorSummary) -> list[dict]:
        """Return a simulator's mean in each cluster, of the same answers as its mean over all."""
        cell = {"discrepancy": self.of.discrepancy, **summary.cell}
        return having(self.results.cluster_means, cell)

    def curves(self, most: int = MOST_CURVES) -> Plot | None:
        """Return the curves of the closest simulators and of baselines; None if there are none.

        Args:
            most: how many simulators under test, at most.
        """
        screen, unit = self.screen, self.screen.unit
        tau, drawn = explorer.curves(self.of)
        tested = [summary for summary in self.of.tested if summary.name in drawn][:most]
        shown = [*tested, *(summary for summary in self.of.baselines if summary.name in drawn)]
        if not shown:
            return None
        lines = []
        for summary in shown:
            curve, bound = drawn[summary.name]
            colour = self.results.colour(summary.name)
            both = (curve, summary.label, False), (bound, "", True)
            lines += [
                Line(tau, unit.values(values), colour, label, is_bound)
                for values, label, is_bound in both
                if values is not None and sum(value is not None for value in values) > 1
            ]
        measured = unit.values(screen.answers[shown[0].name]["plugin"])
        dots = [x for x in measured if x is not None]
        labels = f"share of {self.results.nouns}", unit.axis
        return curves(lines, dots, unit.text, screen.limit, labels)

    @cached_property
    def matrix(self) -> list[tuple[str, list[tuple[str, int] | None]]]:
        """Each simulator with its differences from all others, in the order of the ranking.

        A difference is the interval of the row's mean less the column's, and -1 if the row is
        certainly closer, 1 if the column is, 0 if that is open; None where it is not known.
        """
        rows = [row for row in self.screen.ranking if row.name]
        compared = [
            (one.label, [self._compared(one.name, two.name) for two in rows]) for one in rows
        ]
        return compared if any(any(cells) for _, cells in compared) else []

    def _compared(self, one: str, two: str) -> tuple[str, int] | None:
        difference = self.of.difference(one, two)
        if difference is None or difference.ends is None:
            return None
        return self.screen.unit.difference(difference.ends), difference.sign

    def data(self) -> dict:
        """Return what the page's scripts need to answer a reader's choices."""
        screen = self.screen
        names = [summary.name for summary in self.of.every]
        return {
            "unit": {"digits": screen.unit.digits},
            "tolerance": screen.limit,
            "steps": screen.steps,
            "step": screen.limit_step,
            "drawn_to": screen.drawn_to,
            "ranking": [
                {"distance": row.estimate, **{name: getattr(row, name) for name in RANKED}}
                for row in screen.ranking
            ],
            "distances": {name: self._distances(name) for name in names},
            "verdicts": {name: self._verdicts(name) for name in names},
            "limits": {
                name: {way: [_spans(steps) for steps in switches[way]] for way in switches}
                for name, switches in screen.limit_steps.items()
            },
        }

    def _distances(self, name: str) -> list[float | None]:
        measured = self.screen.unit.values(self.screen.answers[name]["plugin"])
        return [None if x is None else round(x, 5) for x in measured]

    def _verdicts(self, name: str) -> str | None:
        """Return the list that each question is on: w, f or u; a dash for none."""
        verdicts = self.screen.answers[name].get("verdict")
        return verdicts and "".join("-" if verdict is None else verdict[0] for verdict in verdicts)


def _spans(steps: list[int]) -> int | list[int]:
    """Return the steps at which a question switches, as short as JSON can: one by itself."""
    return steps[0] if len(steps) == 1 else steps


@dataclass(frozen=True)
class Dataset:
    """One dataset of the study; its statement is a text, empty before it is made."""

    name: str
    results: Results
    statement: str = ""

    @property
    def tested(self) -> int:
        """How many simulators are tested."""
        return sum(name not in BASELINES for name in self.results.simulators)

    @property
    def title(self) -> str:
        """The title in the config."""
        return plain(self.results.step["title"])

    @cached_property
    def views(self) -> list[View]:
        """By each discrepancy and tolerance; none where answers are too few for any curve."""
        if self.telling or self.forecast:
            return []
        return [View(table, self) for table in comparison_tables(self.results)]

    @cached_property
    def questions(self) -> explorer.Questions:
        """What was asked, and what people and simulators answered."""
        return explorer.Questions(self.results)

    @cached_property
    def forecast(self) -> Forecast | None:
        """What is said of forecasts, or of few answers to each question; else None."""
        is_scored = without_curves(self.results) and not self.telling
        return Forecast(self.results) if is_scored else None

    @cached_property
    def telling(self) -> Telling | None:
        """What is said of answers that are texts or vectors; None if they are none."""
        return Telling(self.results) if self.results.kind in POINTS else None

    @property
    def people(self) -> str:
        """How many people answered in a scenario; of a conjoint in all, empty if unknown."""
        if self.results.is_conjoint:
            return f"{self.results.persons:,}" if self.results.persons else ""
        return span(numbers(self.results.scenarios["n_human"]))

    @cached_property
    def label_doubts(self) -> list[str]:
        """Warnings on labels that are probably wrong, copies of people and failed calls.

        None for a dataset without curves.
        """
        if not self.results.step["curves"]:
            return []
        return [
            *label_doubts(self.questions),
            *suspicions(self.questions),
            *answered_alike(self.results),
        ]

    @property
    def by_itself(self) -> str:
        """Say that how answers go together was not measured, and what it takes.

        Empty for one scenario, and where it was measured of some simulator.
        """
        results = self.results
        if results.m == 1 or any(row["lacking"] is None for row in results.structure):
            return ""
        return f"Each {results.noun} is compared by itself. {unmeasured(results)}"

    @property
    def about_answers(self) -> list[str]:
        """Missing answers, and weights; may be empty."""
        missing = [assumption.text for assumption in certainty.unanswered(self.results)]
        return list(filter(None, [*missing, notes.weights(self.results)]))

    @property
    def assumptions(self) -> list[certainty.Assumption]:
        """What the numbers assume."""
        of_scores = self.telling or self.forecast
        return of_scores.assumptions if of_scores else certainty.assumptions(self.results)

    @cached_property
    def calibration(self) -> list[dict]:
        """Rows of calibration of stated probabilities; none if the config doesn't ask for it."""
        return [
            {"label": self.results.named(name), **scores, "diagram": self._diagram(name, bins)}
            for name, (scores, bins) in self.results.calibration.items()
            if name != GUESS  # it has no likeliest option
        ]

    def _diagram(self, name: str, bins: list[dict]) -> Plot | None:
        rows = [row for row in bins if row["value"] is None and row["people"]]
        came = "how often it came" if self.forecast else "share who chose it"
        labels = f"stated for {self.results.diagrammed}", came
        return reliability(rows, self.results.colour(name), labels) if rows else None

    def data(self) -> dict:
        """Return what the page's scripts need to answer a reader's choices."""
        if not self.views:
            return {"views": []}
        asked, first = self.questions.asked, self.views[0]
        return {
            "noun": self.results.noun,
            "nouns": self.results.nouns,
            "id": [question.id for question in asked],
            "topic": [question.topic for question in asked],
            "people": [question.people for question in asked],
            "simulators": {
                summary.name: {
                    "colour": self.results.colour(summary.name),
                    "shares": first.screen.answers[summary.name]["q"],
                }
                for summary in first.of.every
            },
            "views": [view.data() for view in self.views],
        }
