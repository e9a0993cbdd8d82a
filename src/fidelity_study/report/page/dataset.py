"""All that the page shows of one dataset."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from fidelity_study.reading.tabular.doubtful import strays
from fidelity_study.report import single_answers
from fidelity_study.report.formats import Table, number, range_text, span
from fidelity_study.report.page import certainty, explorer
from fidelity_study.report.page.advice import advice, plans
from fidelity_study.report.page.corrections import Corrections
from fidelity_study.report.page.forecast import Forecast
from fidelity_study.report.page.hybrids import hybrids
from fidelity_study.report.page.labels import label_doubts
from fidelity_study.report.page.predictions import predictions
from fidelity_study.report.page.prompts import prompts
from fidelity_study.report.page.sequence import sequence
from fidelity_study.report.page.verdict import GUESS, about, verdict
from fidelity_study.report.page.words import listed, named, plain
from fidelity_study.report.palette import COLOURS
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import (
    ComparisonTable,
    SimulatorSummary,
    comparison_tables,
    interval_of,
)
from fidelity_study.report.tables import having
from fidelity_study.steps.arrays import numbers
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.mean_discrepancy import DRAWN
from fidelity_study.steps.question_bounds import LEVEL

BY_STATED = "stated probabilities"
MOST_NAMED = 8
MOST_STRAY = 4


@dataclass(frozen=True)
class View:
    """A dataset by one discrepancy, and one tolerance if the config has any.

    Attributes:
        of: its simulators, and who is closer.
        dataset: which it is of.
        curves: the simulators' curves, as the page draws them.
        verdict, advice: the answer in words, and what to do next.
        prompts: of each simulator that was asked in several.
        predictions: what people would answer to questions not asked; None if not wanted.
        sequence: what may be concluded now, of a study that is looked at while data come in.
        corrections: what correcting the simulators gains; no rows if the config wants none.
        hybrids: a few people and each simulator together; None if the config doesn't ask for it.
        plans: what the next study costs.
        statements, held_out: all that is known of the closest simulator, and how often its curve
            covered scenarios that were held out.
    """

    of: ComparisonTable
    dataset: "Dataset"

    curves = cached_property(lambda view: explorer.curves(view.of))
    verdict = cached_property(lambda view: verdict(view.of))
    advice = cached_property(lambda view: advice(view.of, view.verdict))
    prompts = cached_property(lambda view: list(prompts(view.of)))
    predictions = cached_property(lambda view: predictions(view.of))
    sequence = cached_property(lambda view: sequence(view.of))
    corrections = cached_property(lambda view: Corrections(view.of))
    hybrids = cached_property(lambda view: hybrids(view.of))
    plans = cached_property(lambda view: plans(view.of))
    statements = cached_property(lambda view: certainty.statements(view.of, view.best))
    held_out = cached_property(lambda view: certainty.held_out(view.of, view.best))

    @property
    def results(self) -> Results:
        """The dataset's tables."""
        return self.of.results

    @property
    def label(self) -> str:
        """The name of the distance, and the tolerance if there is one."""
        label = self.results.discrepancy_name(self.of.discrepancy)
        within = "" if self.of.tolerance is None else f", within {number(self.of.tolerance)}"
        return f"{label}{within}"

    @property
    def other_set(self) -> str | None:
        """Another confidence set to compare curves with, such as the paper's."""
        sets = self.results.pairs[self.of.discrepancy]
        chosen = self.results.headline_set(self.of.discrepancy)
        return next((each for each in sets if each != chosen), None)

    @property
    def has_sure_curve(self) -> bool:
        """Whether any simulator's curve is certified: the config asks for the envelope."""
        return any(each["certified"] for each in self.curves["of"].values())

    @property
    def curve_note(self) -> str:
        """Say which curves are estimates, and which are bounds."""
        if not self.has_sure_curve:
            return "The lines are estimates, which may be too low. No bound is certain here."
        return (
            "Solid lines are estimates, which may be too low. Dotted lines are bounds with"
            f" {about(self.results)}95 % confidence."
        )

    @property
    def has_lists(self) -> bool:
        """Whether it is tested which scenarios are within the tolerance."""
        return any(self.of.lists.values())

    @property
    def named_questions(self) -> list[str]:
        """Name the questions on which the closest simulator is surely near, or surely too far."""
        if self.best.is_baseline or not self.has_lists:
            return []
        questions = self.dataset.questions
        answers = questions.answers_of([self.best], self.of)[self.best.name]
        rows = list(zip(answers["plugin"], questions.names, answers["verdict"], strict=True))
        within = sorted(row for row in rows if row[2] == "within")
        beyond = sorted((row for row in rows if row[2] == "farther"), key=lambda row: -row[0])
        tolerance = number(self.of.tolerance)
        found = [
            *self._named(within, f"within {tolerance} of people", "nearest"),
            *self._named(beyond, f"farther than {tolerance} from people", "farthest"),
        ]
        return [*found, "In brackets is the distance as measured."] if found else []

    def _named(self, rows: list[tuple], how: str, first: str) -> Iterator[str]:
        if not rows:
            return
        on = f"{len(rows)} {self.results.nouns if len(rows) > 1 else self.results.noun}"
        told = [f"{named(name)} ({number(far)})" for far, name, _ in rows[:MOST_NAMED]]
        most = ":" if len(told) == len(rows) else f"; {first} on"
        who = named(self.best.label)
        subject = f"Answers of {who} are" if self.best.draws else f"{who} is"
        yield f"{subject} surely {how} on {on}{most} {listed(told)}."

    @property
    def by_cluster(self) -> list[str]:
        """Say how far the closest simulator is in each cluster, where there are few."""
        best, name = self.best, named(self.best.label)
        cell = {"discrepancy": self.of.discrepancy, "simulator": best.name, "k": best.form}
        behind = having(self.results.cluster_means_behind, cell)
        rows = behind or having(self.results.cluster_means, cell)
        told = [
            f"{range_text(ends)} in {named(row['cluster'])}"
            for row in rows
            if (ends := interval_of(row))
        ]
        if not 1 < len(told) <= MOST_NAMED:
            return []
        who = f"what {name} draws its answers from" if behind else name
        return [
            f"By {self.results.step['cluster']}, {who} is {listed(told)} from people on average;"
            f" these intervals hold all together ({self.of.level} confidence)."
        ]

    @property
    def best(self) -> SimulatorSummary:
        """The closest simulator under test; the closest baseline where there is none."""
        return self.of.every[0]

    @property
    def largest(self) -> float:
        """The end of the scale of means in the table."""
        ends = [each.interval[1] for each in self.of.every if each.interval]
        return max(ends, default=1.0) or 1.0

    @cached_property
    def topics(self) -> list[dict]:
        """Means by cluster, of each simulator in the form in which it is shown."""
        cell = {"discrepancy": self.of.discrepancy}
        rows = having(self.results.cluster_means, cell)
        return [
            {
                "cluster": plain(row["cluster"]),
                "label": self.results.named(row["simulator"]),
                "m": row["m"],
                "lower": ends[0],
                "upper": ends[1],
            }
            for row in rows
            if row["k"] == self.results.main_form(row["simulator"]) and (ends := interval_of(row))
        ]

    @cached_property
    def pairs(self) -> list[dict]:
        """Every two simulators: how their means differ, and who is closer."""
        shares = {
            (row["simulator"], row["other"]): row
            for row in self.results.pair_rows(self.of.discrepancy)
        }
        found = []
        for one, two in combinations(self.of.every, 2):
            difference = self.of.difference(one.name, two.name)
            row = self.of.pair(one.name, two.name)
            if difference is None or row is None:
                continue
            share = shares.get((one.name, two.name), {})
            found.append(
                {
                    "one": one.label,
                    "two": two.label,
                    "by": _compared_by(row),
                    "ends": difference.ends,
                    "closer": {-1: one.label, 0: _unsettled(row), 1: two.label}[difference.sign],
                    "share": float(share["plugin_share"]) if share else None,
                    "certified": float(share["certified_share"]) if share else None,
                }
            )
        return found

    @property
    def sensitivity(self) -> list[dict]:
        """The closest simulator's curve by set and coverage, for each n.

        Its ``mean``, and the ``bound`` on 90 % of the scenarios with 95 % confidence, None if there
        is none. Empty if the curve tells nothing of other scenarios.
        """
        if not self.results.curve_tells(self.best.name):
            return []
        rows = self.results.summary_rows(
            simulator=self.best.name, k=self.best.form, discrepancy=self.of.discrepancy
        )
        found: dict[tuple[str, str], dict] = {}
        for row in rows:
            key = row["confidence_set"], row["gamma"]
            known = found.setdefault(key, {"set": key[0], "gamma": key[1], "at": {}})
            bound = row["certified_var_90"]
            known["at"][row["n"]] = {
                "mean": row["auc"],
                "bound": bound if bound is not None and np.isfinite(bound) else None,
            }
        return list(found.values())

    def data(self) -> dict:
        """Return what the page's scripts draw."""
        return {
            "label": self.label,
            "discrepancy": self.results.discrepancy_name(self.of.discrepancy),
            "tolerance": self.of.tolerance,
            "simulators": [_described(self.results, each) for each in self.of.every],
            "palette": COLOURS,
            "curves": self.curves,
            "answers": self.dataset.questions.answers(self.of),
            "topics": [
                {**row, "lower": round(row["lower"], 6), "upper": round(row["upper"], 6)}
                for row in self.topics
            ],
        }


def _compared_by(row: dict) -> str:
    if row["k"] == STATED_FORM:
        return BY_STATED
    answers = f"{row['k']} answers"
    return answers if row["answers"] == DRAWN else f"what {answers} are drawn from"


def _unsettled(row: dict) -> str:
    draws = row["draws_to_settle"]
    return "not settled" if draws is None else f"not settled; about {draws:,} answers would tell"


def _described(results: Results, own: SimulatorSummary) -> dict:
    place = results.step["places"][own.name]
    return {
        "name": own.name,
        "label": own.label,
        "baseline": own.is_baseline,
        "own": COLOURS[place % len(COLOURS)],
        "colour": COLOURS[place % len(COLOURS)],
    }


@dataclass(frozen=True)
class Dataset:
    """One dataset of the study."""

    name: str
    results: Results

    @property
    def title(self) -> str:
        """The title in the config."""
        return plain(self.results.step["title"])

    @cached_property
    def views(self) -> list[View]:
        """By each discrepancy and tolerance; none where answers are too few for any curve."""
        if self.forecast or self.few:
            return []
        return [View(each, self) for each in comparison_tables(self.results)]

    @cached_property
    def questions(self) -> explorer.Questions:
        """What was asked, and what people and simulators answered."""
        return explorer.Questions(self.results)

    @cached_property
    def forecast(self) -> Forecast | None:
        """What is said of a dataset without curves; None if it has some."""
        return None if self.results.step["curves"] else Forecast(self.results)

    @cached_property
    def few(self) -> list[str | Table]:
        """What replaces the curves where scenarios have few answers each; else empty."""
        if self.forecast or not single_answers.are_few(self.results):
            return []
        return single_answers.section(self.results)

    @property
    def people(self) -> str:
        """How many people answered in a scenario."""
        return span(numbers(self.results.scenarios["n_human"]))

    @cached_property
    def label_doubts(self) -> list[str]:
        """Warnings on labels that are probably wrong; none for a dataset without curves."""
        return label_doubts(self.questions) if self.results.step["curves"] else []

    @property
    def by_itself(self) -> str:
        """Say that how answers to several scenarios go together was not measured; empty for one."""
        if self.results.m == 1:
            return ""
        return (
            f"Each {self.results.noun} is compared by itself. Whether a simulator's answers go"
            " together as people's do was not measured."
        )

    @cached_property
    def stray(self) -> str:
        """Say which options hardly anybody gives, since these may be none; may be empty."""
        answered = self.questions.answered() if self.views else {}
        told = [
            f"{named(option)} ({answered[option][0]:,.0f} of {answered[option][1]:,.0f} answers)"
            for option in strays(answered)
        ]
        if not told:
            return ""
        which = "the option" if len(told) == 1 else "the options"
        return (
            f"Hardly anybody gives {which} {listed(told, most=MOST_STRAY)}. If that is a typing"
            " error, mend the files: a uniform guess gives it as much as any other option."
        )

    @property
    def about_answers(self) -> list[str]:
        """Options that hardly anybody gives, missing answers, and weights; may be empty."""
        notes = [each.text for each in certainty.unanswered(self.results)]
        return list(filter(None, [self.stray, *notes, self.results.notes.weights]))

    @property
    def assumptions(self) -> list[certainty.Assumption]:
        """What the numbers assume."""
        return certainty.assumptions(self.results)

    @cached_property
    def calibration(self) -> list[dict]:
        """Rows of calibration of stated probabilities; none if the config doesn't ask for it."""
        if "scores" not in self.results.calibration_tables:
            return []
        return [
            {"label": self.results.named(name), **scores, "diagram": bins}
            for name, (scores, bins) in self.results.calibration.items()
            if name != GUESS  # it has no likeliest option
        ]

    @property
    def intervals(self) -> list[dict]:
        """Rows of the coverage of intervals; none if the config doesn't ask for it."""
        return self.results.intervals if "intervals" in self.results.calibration_tables else []

    def data(self) -> dict:
        """Return what the page's scripts draw."""
        results = self.results
        return {
            "title": self.title,
            "noun": results.noun,
            "nouns": results.nouns,
            "bounded": f"all {results.nouns}{results.of_clusters}, with"
            f" {about(results)}95 % confidence",
            "cluster": plain(results.step["cluster"]),
            "clustered": results.clustered,
            "coverage": LEVEL.label,
            "ns": results.ns,
            "questions": self.questions.asked() if self.views else None,
            "views": [view.data() for view in self.views],
            "reliability": [_diagram(row, results) for row in self.calibration if row["diagram"]],
            "stated": f"stated for {results.diagrammed}",
            "came": "how often it came" if self.forecast else "share who chose it",
        }


def _diagram(row: dict, results: Results) -> dict:
    place = results.step["places"][row["simulator"]]
    bins = [each for each in row["diagram"] if each["value"] is None and each["people"]]
    keys = ("confidence", "frequency", "frequency_lower", "frequency_upper", "share")
    return {
        "label": row["label"],
        "colour": COLOURS[place % len(COLOURS)],
        "bins": [
            {
                key: None if each[key] is None or np.isnan(each[key]) else round(each[key], 4)
                for key in keys
            }
            for each in bins
        ],
    }
