"""A dataset's finished tables, ready for figures and the report's words."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.baselines.base import BASELINES
from fidelity.baselines.from_answers import Pooled
from fidelity.comparison.few_clusters import FEW as FEW_CLUSTERS
from fidelity.curves.clusters import effective_clusters
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.gamma import parse_sides
from fidelity_study.config.defaults import headline_set
from fidelity_study.report.formats import span
from fidelity_study.report.notes import Notes
from fidelity_study.steps.arrays import (
    SAME,
    cell_slices,
    numbers,
    repeating,
    shared_people,
    target_of,
)
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.mean_discrepancy import DRAWN, TRUE
from fidelity_study.tables.calibration import CALIBRATION, RELIABILITY
from fidelity_study.tables.correct import CORRECTIONS, KINDS, corrected_name
from fidelity_study.tables.envelope import ENVELOPE, ENVELOPE_SHARES
from fidelity_study.tables.error_bars import MEANS
from fidelity_study.tables.guarantee import GUARANTEE, LEVEL
from fidelity_study.tables.hybrids import HYBRIDS
from fidelity_study.tables.ingest import RESPONDENTS, SCENARIOS
from fidelity_study.tables.intervals import INTERVALS
from fidelity_study.tables.mean_discrepancy import (
    BY_CLUSTER,
    LISTS,
    MEAN_DIFFERENCES,
    MEAN_DISCREPANCY,
)
from fidelity_study.tables.plan import ISO_WIDTH, MEAN_PLANS, PLANS
from fidelity_study.tables.predict import HELD_OUT, NEAREST, PREDICTIONS, QUESTIONS
from fidelity_study.tables.prompts import PROMPTS
from fidelity_study.tables.quantile import QUANTILE, SUMMARY
from fidelity_study.tables.read_write import read, read_csv
from fidelity_study.tables.sample_size import SAMPLE_SIZE
from fidelity_study.tables.sequence import DRIFT, SEQUENCE

CELL = ["simulator", "k", "confidence_set", "gamma", "discrepancy", "replicate"]
CURVES = ["tau", "lower", "plugin", "upper", "certified_upper", "oracle"]
MOST_SHOWN = 8
FEWEST_FOR_90 = 10


class Predictor(NamedTuple):
    """Who predicts: a simulator, or corrected ones.

    Attributes:
        name: in the tables.
        label: its plain name.
        simulator: which it is, or is a correction of; None of all together.
        correction: its kind; None if it is none.
    """

    name: str
    label: str
    simulator: str | None
    correction: str | None


def rows(
    schema: pa.Schema,
    file: str,
    stem: str | None = None,
    keep: Callable[[dict], bool] = lambda row: True,
) -> cached_property:
    """Return a property with the rows of a table; none where the config doesn't ask for it.

    Args:
        schema: of the table.
        file: what its paths are called among :attr:`Results.files`.
        stem: the file's name, where these are paths of several tables.
        keep: which rows are wanted; None for all.
    """

    def read_rows(results: "Results") -> list[dict]:
        paths = results.files[file]
        return [
            row
            for path in (paths if isinstance(paths, list) else [paths])
            if stem in (None, Path(path).stem)
            for row in read(path, schema).to_pylist()
            if keep is None or keep(row)
        ]

    return cached_property(read_rows)


def is_as_answered(row: dict) -> bool:
    """Return whether a row is about what a simulator states, or about the answers that it drew."""
    return row["k"] == STATED_FORM or row["answers"] == DRAWN


def is_behind_draws(row: dict) -> bool:
    """Return whether a row is about the probabilities that a simulator draws its answers from."""
    return row["k"] != STATED_FORM and row["answers"] == TRUE


def fewest_people(scenarios: Iterable[dict]) -> float:
    """Return how many people answered at least.

    Args:
        scenarios: whose each is, ``people``, and how many answered it, ``n_human``.
    """
    most: dict[str | None, float] = {}
    for each in scenarios:
        most[each["people"]] = max(most.get(each["people"], 0.0), each["n_human"])
    return sum(most.values())


@dataclass(frozen=True)
class Results:
    """The tables of a study on one dataset.

    ``step`` holds the part of the config that figures need; ``files`` the paths: ``curves`` and
    ``summaries`` (one for each n), ``shares`` and ``scenarios``; ``plan`` (two paths, or none).
    Single numbers are those of the first replicate, of which the guarantees speak.

    Attributes:
        plans, mean_plans, iso_width: of curves, of means, and points of the lines of equal width.
        prompts: on the prompts of each model together.
        looks, drift: intervals after every unit, and whether simulators' later halves differ.
        predictions, held_out_predictions, nearest_asked, new_questions: on questions that people
            were not asked: ranges, their coverage where questions are left out, the nearest ones.
        corrections, hybrids: what correcting gains, and a few people and a simulator together.
        intervals: the coverage of intervals.
        mean_discrepancies, cluster_means: between bounds, of the answers that were drawn where they
            are drawn; over these scenarios, over new ones, and over the worst tenth of these.
        means_behind, cluster_means_behind: those of the probabilities that simulators draw from.
        mean_differences: of every two simulators.
        lists: the scenarios on the lists of each tolerance.
        levels: of each guarantee at V̂(0.9), at the last n.
        sample_sizes: how many people each simulator is worth.
        nonresponse, shares: rows of nonresponse.csv and of comparison/shares.csv.
    """

    step: dict
    files: dict

    plans = rows(PLANS, "plan", "plans")
    mean_plans = rows(MEAN_PLANS, "plan", "means")
    iso_width = rows(ISO_WIDTH, "plan", "iso_width")
    prompts = rows(PROMPTS, "prompts")
    looks = rows(SEQUENCE, "sequence")
    drift = rows(DRIFT, "drift")
    predictions = rows(PREDICTIONS, "predictions", "predictions")
    held_out_predictions = rows(HELD_OUT, "predictions", "held_out")
    nearest_asked = rows(NEAREST, "predictions", "nearest")
    new_questions = rows(QUESTIONS, "new_questions")
    corrections = rows(CORRECTIONS, "corrections")
    hybrids = rows(HYBRIDS, "hybrids")
    intervals = rows(INTERVALS, "calibration", "intervals")
    mean_discrepancies = rows(MEAN_DISCREPANCY, "mean_discrepancy", keep=is_as_answered)
    means_behind = rows(MEAN_DISCREPANCY, "mean_discrepancy", keep=is_behind_draws)
    cluster_means = rows(BY_CLUSTER, "by_cluster", keep=is_as_answered)
    cluster_means_behind = rows(BY_CLUSTER, "by_cluster", keep=is_behind_draws)
    mean_differences = rows(MEAN_DIFFERENCES, "mean_differences")
    lists = rows(LISTS, "lists")
    levels = rows(LEVEL, "levels")
    sample_sizes = rows(SAMPLE_SIZE, "sample_size")
    _certified = rows(ENVELOPE_SHARES, "envelope_shares")
    nonresponse = cached_property(lambda results: read_csv(results.files["nonresponse"]))
    shares = cached_property(lambda results: read_csv(results.files["shares"]))

    @cached_property
    def notes(self) -> Notes:
        """What is to be known of the data behind all numbers, in words."""
        return Notes(self)

    @property
    def level(self) -> str:
        """The confidence of intervals, in per cent."""
        return f"{100 * (1 - self.step['test']['alpha']):g} %"

    @property
    def simulators(self) -> list[str]:
        """In the order of the config."""
        return self.step["simulators"]

    def named(self, simulator: str) -> str:
        """Return a simulator's plain name."""
        return self.step["names"][simulator]["label"]

    def described(self, simulator: str) -> str:
        """Return a simulator's description; empty if there is none."""
        told: str = self.step["names"][simulator]["describe"]
        if told != Pooled.describe:
            return told
        alike = self.clustered or self.one_cluster
        where = f" of the same cluster (by {self.step['cluster']})" if alike else ""
        return f"The shares of people's answers to other {self.nouns}{where}."

    def predictors(self, simulators: list[str]) -> list[Predictor]:
        """Return each simulator and its corrections, then the corrections of all together."""
        found = []
        for name in [*simulators, None]:
            label = None if name is None else self.named(name)
            if name is not None and label is not None:
                found.append(Predictor(name, label, name, None))
            found += [
                Predictor(corrected_name(name, kind), corrected_name(label, kind), name, kind)
                for kind in KINDS
            ]
        return found

    @property
    def noun(self) -> str:
        """The word for a scenario."""
        return self.step["noun"][0]

    @property
    def nouns(self) -> str:
        """The word for several scenarios."""
        return self.step["noun"][1]

    @property
    def ns(self) -> list[str]:
        """Labels of the n of the grid, in the order of the config."""
        return [str(n) for n in self.step["n"]]

    @property
    def gammas(self) -> list[str]:
        """Labels of the coverages."""
        return [self.label(gamma) for gamma in self.step["gamma"]]

    def label(self, gamma: float | dict) -> str:
        """Return the name of a coverage in tables."""
        return parse_sides(gamma).label

    @property
    def pairs(self) -> dict[str, list[str]]:
        """Confidence sets of each discrepancy."""
        return self.step["pairs"]

    def headline_set(self, discrepancy: str) -> str:
        """Return the set of the headline figures: witness where it is among the grid's."""
        chosen = headline_set(self.pairs[discrepancy])
        assert chosen is not None
        return chosen

    def discrepancy_name(self, discrepancy: str) -> str:
        """Return a discrepancy's name in words."""
        return DISCREPANCIES[discrepancy].label

    @cached_property
    def _curves(self) -> dict[tuple, np.ndarray]:
        """(n, simulator, k, set, γ, discrepancy) -> the curves (R, 5, tau) of R replicates."""
        found: dict[tuple, dict[int, list[np.ndarray]]] = defaultdict(dict)
        for n, path in zip(self.ns, self.files["curves"], strict=bool(self.files["curves"])):
            for (*cell, replicate), curves in curves_of(read(path, QUANTILE), CELL, CURVES).items():
                found[n, *cell][replicate] = list(curves.values())
        return {key: np.array([of[i] for i in sorted(of)]) for key, of in found.items()}

    @property
    def replicates(self) -> int:
        """How many replicates there are."""
        return max(map(len, self._curves.values()), default=1)

    def curve(self, *cell: str) -> dict | None:
        """Return the curves of one cell, each (tau,), means over the replicates.

        ``cell``: n, simulator, k, set, γ and discrepancy. None where the simulator has no such k.
        """
        return self._named(cell, lambda curves: curves.mean(axis=0))

    def first_curve(self, *cell: str) -> dict | None:
        """Return :meth:`curve` of the first replicate, of which finite-sample guarantees speak."""
        return self._named(cell, lambda curves: curves[0])

    def _named(self, cell: tuple, which) -> dict | None:
        if cell not in self._curves:
            return None
        return dict(zip(CURVES, which(self._curves[cell]), strict=True))

    @cached_property
    def _answering(self) -> dict[str, set[str]]:
        """The simulators that answer in each form, k from low to high, then ``stated``."""
        there = {key[2] for key in self._curves}
        forms = [*sorted(there - {STATED_FORM}, key=int), *sorted(there & {STATED_FORM})]
        return {form: {key[1] for key in self._curves if key[2] == form} for form in forms}

    @cached_property
    def drawing(self) -> set[str]:
        """The simulators that give draws and state no probabilities."""
        return set().union(*self._answering.values()) - self._answering.get(STATED_FORM, set())

    def compared_at(self, *simulators: str) -> str:
        """Return the largest k of those of some simulators who draw; ``stated`` if none does."""
        drawing = self.drawing.intersection(simulators)
        if not drawing:
            return STATED_FORM
        return [form for form, of in self._answering.items() if of >= drawing][-1]

    def under_test(self, simulators: list[str]) -> list[str]:
        """Return the simulators that are no baselines; all where there are baselines only."""
        return [name for name in simulators if name not in BASELINES] or simulators

    def draws(self, row: dict) -> str:
        """Return the number of draws in a row of the summary: "50", or "43 to 50"."""
        return span(np.array([row["k_fewest"], row["k_most"]]))

    @property
    def subsampled(self) -> list[str]:
        """Of whose answers only a part is used, in some numbers."""
        drawn = [form for form in self._answering if form != STATED_FORM]
        people = ["people"] if self.ns != ["all"] else []
        return [*people, *(["simulated answers"] if len(drawn) > 1 else [])]

    def states(self, simulator: str) -> bool:
        """Return whether a simulator states probabilities."""
        return simulator in self._answering.get(STATED_FORM, ())

    def main_form(self, simulator: str) -> str:
        """Return the form in which a simulator is shown: what it states, or else all its draws."""
        return self.compared_at(simulator)

    @cached_property
    def shown(self) -> list[str]:
        """Simulators that figures show: all, or the first under test and the lowest curves."""
        if len(self.simulators) <= MOST_SHOWN:
            return self.simulators
        if not self.files["curves"]:
            return self.simulators[:MOST_SHOWN]
        discrepancy = next(iter(self.pairs))
        rows = self.summary_rows(
            n=self.ns[-1],
            gamma=self.gammas[0],
            discrepancy=discrepancy,
            confidence_set=self.headline_set(discrepancy),
        )
        area = {
            row["simulator"]: row["auc"]
            for row in rows
            if row["k"] == self.main_form(row["simulator"])
        }
        first = self.under_test(self.simulators)[0]
        others = [name for name in self.simulators if name != first]
        chosen = {first, *sorted(others, key=area.__getitem__)[: MOST_SHOWN - 1]}
        return [name for name in self.simulators if name in chosen]

    def means(self, discrepancy: str, gamma: str, simulator: str, score: str) -> dict:
        """Return a simulator's mean score with its error bar; empty if it has none."""
        k = STATED_FORM if self.states(simulator) else self.compared_at(*self.simulators)
        chosen, upper = self.headline_set(discrepancy), gamma.partition(", lower ")[0]
        return self._means.get((simulator, k, chosen, upper, discrepancy, score), {})

    @cached_property
    def _means(self) -> dict[tuple, dict]:
        keys = ["simulator", "k", "confidence_set", "gamma", "discrepancy", "score"]
        rows = read(self.files["means"], MEANS).to_pylist()
        return {tuple(row[key] for key in keys): row for row in rows}

    @cached_property
    def calibration(self) -> dict[str, tuple[dict, list[dict]]]:
        """Simulator -> (its scores, its bins), of those that state probabilities."""
        scores, bins = (
            read(path, schema).to_pylist()
            for path, schema in zip(
                self.files["calibration"], (CALIBRATION, RELIABILITY), strict=True
            )
        )
        return {
            row["simulator"]: (
                row,
                [each for each in bins if each["simulator"] == row["simulator"]],
            )
            for row in scores
        }

    @property
    def event(self) -> str:
        """What is forecast, of outcomes with two options: the second, by its label if all share it.

        Empty for other outcomes.
        """
        if self.kind != "binary":
            return ""
        labels = {str(options[-1]) for options in self.scenarios["option"].to_pylist()}
        return "the event" if len(labels) > 1 or labels == {"1"} else f"“{labels.pop()}”"

    @property
    def diagrammed(self) -> str:
        """Which option reliability diagrams are of."""
        return self.event or "the most likely option"

    @cached_property
    def calibrated(self) -> dict[str, dict]:
        """Simulator -> its scores of calibration; none if the config doesn't ask for them."""
        if "scores" not in self.calibration_tables:
            return {}
        return {name: scores for name, (scores, _) in self.calibration.items()}

    @property
    def calibration_tables(self) -> set[str]:
        """Which tables of calibration there are: scores and reliability, or intervals, or none."""
        return {Path(path).stem for path in self.files["calibration"]}

    def plan_set(self, discrepancy: str) -> str:
        """Return the set of the headline plans: the headline set, or the last one planned with."""
        sets = self.step["plan"]["pairs"][discrepancy]
        headline = self.headline_set(discrepancy)
        return headline if headline in sets else sets[-1]

    def plan_form(self, discrepancy: str) -> dict[str, str]:
        """Return the cell of the headline plans: discrepancy, set and coverage.

        The coverage that is cheapest for most simulators and widths; of equals the first.
        """
        form = {"discrepancy": discrepancy, "confidence_set": self.plan_set(discrepancy)}
        rows = having(self.plans, form)
        cheap = Counter(dict.fromkeys(map(self.label, self.step["plan"]["gamma"]), 0))
        cheap.update(row["gamma"] for row in rows if row["cheapest"])
        return {**form, "gamma": max(cheap, key=cheap.__getitem__)}

    @cached_property
    def summary(self) -> list[dict]:
        """Rows of the summaries of the first replicate, with their n; none without curves."""
        if not self.files["summaries"]:
            return []
        return [
            {"n": n, **row}
            for n, path in zip(self.ns, self.files["summaries"], strict=True)
            for row in read(path, SUMMARY).to_pylist()
            if row["replicate"] == 0
        ]

    def pair_rows(self, discrepancy: str) -> list[dict]:
        """Return the rows of the shares that figures and words show: one coverage, one set.

        The last n and the first coverage of the comparison, the headline set where pairs were found
        with it, and the first replicate; all fixed in advance.
        """
        scope = self.step["comparison"]
        cell = {
            "n": str(scope["n"][-1]),
            "k": self.compared_at(*self.simulators),
            "gamma": self.label(scope["gamma"][0]),
            "discrepancy": discrepancy,
            "replicate": "0",
        }
        rows = having(self.shares, cell)
        sets = sorted({row["confidence_set"] for row in rows})
        headline = self.headline_set(discrepancy)
        chosen = headline if headline in sets or not sets else sets[-1]
        return [row for row in rows if row["confidence_set"] == chosen]

    def summary_rows(self, **cell) -> list[dict]:
        """Return the rows of the summary that have these values."""
        return having(self.summary, cell)

    @cached_property
    def scenarios(self) -> pa.Table:
        """The scenarios, as their table has them."""
        return read(self.files["scenarios"], SCENARIOS)

    @property
    def m(self) -> int:
        """Number of scenarios."""
        return len(self.scenarios)

    @property
    def kind(self) -> str:
        """The kind of outcome, as in the config."""
        kind: str = self.scenarios["kind"][0].as_py()
        return kind

    @property
    def scale(self) -> tuple[float, float]:
        """The smallest and the largest score that an answer can have."""
        lower, upper = (numbers(self.scenarios[name]) for name in ("lower", "upper"))
        return float(np.nanmin(lower)), float(np.nanmax(upper))

    @property
    def weighted(self) -> bool:
        """Whether the people are survey-weighted."""
        return bool(numbers(self.scenarios["weighted"]).any())

    @property
    def has_design(self) -> bool:
        """Whether people's variances come from a sampling design."""
        return not np.isnan(numbers(self.scenarios["df"])).all()

    @cached_property
    def persons(self) -> int | None:
        """How many persons answered, if each answer is known to be of which of them; else None."""
        of = read(self.files["respondents"], RESPONDENTS, ["respondent"])["respondent"]
        is_known = len(of) > 0 and len(of) == self._people.sum()
        return pc.count_distinct(of).as_py() if is_known else None

    @property
    def respondents_repeat(self) -> bool | None:
        """Whether the same people answer several scenarios; None if it is not known."""
        return repeating(self.scenarios)

    @property
    def people_in_all(self) -> float:
        """How many people answered, at least; all of them if none answered several scenarios."""
        return fewest_people(self.scenarios.select(["people", "n_human"]).to_pylist())

    @property
    def shared_people(self) -> int:
        """The most scenarios that people in common may connect."""
        return shared_people(self.scenarios["people"].to_pylist())

    @property
    def all_share_people(self) -> bool:
        """Whether people in common may connect all scenarios, so that no curve tells of others."""
        return self.shared_people == self.m > 1

    def curve_tells(self, simulator: str) -> bool:
        """Return whether a simulator's curve estimates its distance in other scenarios.

        It needs ten scenarios that the same people cannot all have answered.
        """
        return self.scenarios_of(simulator) >= FEWEST_FOR_90 and not self.all_share_people

    @property
    def clusters_are_of_people(self) -> bool:
        """Whether clusters are groups of people, such as women and men: there may be no others."""
        return self.step["cluster"] in self.step.get("groups", [])

    @cached_property
    def envelope(self) -> dict[tuple, dict[str, np.ndarray]]:
        """(simulator, k, set, discrepancy) -> the curves over all scenarios, at the last n.

        Each has tau, lower, upper, certified_upper, familywise_upper, (tau,); none if the config
        wants no envelope.
        """
        columns = ("tau", "lower", "upper", "certified_upper", "familywise_upper")
        found: dict[tuple, dict[str, np.ndarray]] = {}
        for path in self.files["envelope"]:
            table = read(path, ENVELOPE)
            table = table.filter(pc.is_null(table["cluster"]))
            found |= curves_of(table, ["simulator", "k", "confidence_set", "discrepancy"], columns)
        return found

    @cached_property
    def sequence(self) -> list[dict]:
        """What was known of each simulator after the last unit; none without ``sequential``."""
        keys = ("simulator", "other", "k", "discrepancy")
        return list({tuple(row[key] for key in keys): row for row in self.looks}.values())

    def certified(self, **cell) -> dict:
        """Return the row of the envelope's certified bounds of a simulator; empty without one."""
        return first(self._certified, cluster=None, **cell)

    def mean_of(self, simulator: str, k: str, discrepancy: str, target: str = "asked") -> dict:
        """Return the mean discrepancy of a simulator, between its bounds; empty if it has none."""
        cell = {"simulator": simulator, "k": k, "discrepancy": discrepancy, "target": target}
        return first(self.mean_discrepancies, **cell, tail=1.0)

    @cached_property
    def guarantee_curves(self) -> dict[tuple, dict[str, np.ndarray]]:
        """(simulator, k, set, γ, discrepancy, guarantee) -> tau and upper, (tau,)."""
        keys = ["simulator", "k", "confidence_set", "gamma", "discrepancy", "guarantee"]
        return curves_of(read(self.files["guarantee"], GUARANTEE), keys, ("tau", "upper"))

    @cached_property
    def scenario_names(self) -> list[str]:
        """In the order of the table."""
        return self.scenarios["scenario"].to_pylist()

    @cached_property
    def clusters(self) -> list[str]:
        """The cluster of each scenario."""
        return self.scenarios["cluster"].to_pylist()

    @property
    def scenarios_text(self) -> str:
        """The number of scenarios, and that of each simulator that answers fewer."""
        fewer = [
            f"{self.named(name)} in {self.scenarios_of(name)}"
            for name in self.simulators
            if self.scenarios_of(name) < self.m
        ]
        return f"m = {self.m} {self.nouns}" + (f" ({', '.join(fewer)})" if fewer else "")

    def scenarios_of(self, simulator: str) -> int:
        """Return in how many scenarios a simulator answers."""
        return max((row["m"] for row in self.summary_rows(simulator=simulator)), default=self.m)

    @property
    def n_clusters(self) -> int:
        """Number of clusters of scenarios."""
        return len(set(self.clusters))

    @property
    def clustered(self) -> bool:
        """Whether clusters group the scenarios."""
        return 1 < self.n_clusters < self.m

    @cached_property
    def effective_clusters(self) -> float:
        """The number of equally large clusters that would tell as much of new ones."""
        return effective_clusters(self.clusters)

    @property
    def has_few_clusters(self) -> bool:
        """Whether clusters group the scenarios, and are too few to tell of new ones."""
        return self.clustered and self.effective_clusters < FEW_CLUSTERS

    @property
    def clusters_text(self) -> str:
        """The number of clusters, and how many of equal size tell as much where that is fewer."""
        text = f"{self.n_clusters} clusters (by {self.step['cluster']})"
        if self.n_clusters >= FEW_CLUSTERS > self.effective_clusters:
            return f"{text}, which tell as much as {self.effective_clusters:.2g} of equal size"
        return text

    @property
    def one_cluster(self) -> bool:
        """Whether several scenarios are all of one cluster."""
        return target_of(np.array(self.clusters)) == SAME

    @property
    def of_clusters(self) -> str:
        """The further scenarios for which guarantees hold, as " of the same clusters"."""
        if self.one_cluster:
            return " of the same cluster"
        return " of the same clusters" if self.clustered else ""

    @property
    def _people(self) -> np.ndarray:
        return numbers(self.scenarios["n_human"])

    @property
    def median_answers(self) -> float:
        """The median over scenarios of the answers that bounds rest on, weighted ones fewer."""
        last, there = self.ns[-1], self._effective
        return float(np.median(there if last == "all" else np.minimum(there, float(last))))

    @property
    def _effective(self) -> np.ndarray:
        return numbers(self.scenarios["n_effective"])

    def sizes(self, n: str) -> str:
        """Say how many people answered, and how many scenarios have fewer than ``n``."""
        if n == "all":
            worth = ""
            if not np.allclose(self._people, self._effective):
                worth = f", effectively {span(self._effective)}"
            return f"all people ({span(self._people)} a {self.noun}{worth})"
        short = max(row["n_short"] for row in self.summary_rows(n=n))
        fewer = f", {short} of {self.m} {self.nouns} have fewer" if short else ""
        return f"n = {n}{fewer}"


def curves_of(
    table: pa.Table, keys: list[str], columns: Iterable[str]
) -> dict[tuple, dict[str, np.ndarray]]:
    """Return the curves of each cell of a table: its columns, (tau,), by the values of its keys."""
    ordered, slices = cell_slices(table, keys)
    values = {name: numbers(ordered[name]) for name in columns}
    return {
        tuple(cell.values()): {name: value[rows] for name, value in values.items()}
        for cell, rows in slices
    }


def having(rows: list[dict], cell: dict) -> list[dict]:
    """Return the rows that have a cell's values."""
    return [row for row in rows if row.items() >= cell.items()]


def first(rows: list[dict], **cell) -> dict:
    """Return the first row that has a cell's values; empty if there is none."""
    return next(iter(having(rows, cell)), {})
