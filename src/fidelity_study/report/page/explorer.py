"""The data behind the page's interactive parts: the curve and the questions, as plain lists.

Numbers are rounded far finer than they are shown; a curve is drawn at every τ of its table. Up to
each τ it has the value there, so that no upper bound is drawn too low.
"""

from functools import cached_property
from itertools import pairwise
from math import floor, log10
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from fidelity.binomial import proportion_interval
from fidelity_study.report.page.words import plain
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import ComparisonTable, SimulatorSummary
from fidelity_study.steps.arrays import codes, first_replicate, numbers, only
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.design import Sizes
from fidelity_study.steps.question_bounds import question_bounds
from fidelity_study.steps.unanswered import padded
from fidelity_study.tables.read_write import read

DIGITS = 6
OF_SHARES = 4
MOST_OPTIONS = 15
BINS = 10


class Asked(NamedTuple):
    """What was asked of whom: ``many`` people, whose shares of the options lie between limits."""

    id: str
    text: str
    topic: str
    group: str
    many: float
    options: list[str]
    people: list[float]
    lower: list[float]
    upper: list[float]


def rounded(values: ArrayLike, digits: int = DIGITS) -> list:
    """Return numbers, of any shape, as lists; None where there is none or it is not finite."""
    values = np.asarray(values, float)
    finite = np.isfinite(values)
    cut = np.where(finite, np.round(values, digits), 0.0) + 0.0
    objects = cut.astype(object)
    objects[~finite] = None
    return objects.tolist()


def curves(table: ComparisonTable) -> tuple[list, dict[str, tuple[list, list | None]]]:
    """Return τ, and by simulator its curve and the bound on it, of the largest n.

    The curve is the envelope where the config asks for one, else that of the first γ. The bound,
    only of an envelope, holds for all simulators at once, whatever unanswered questions would have
    been answered.
    """
    results, discrepancy = table.results, table.discrepancy
    chosen = results.headline_set(discrepancy)
    tau: list = []
    drawn: dict[str, tuple[list, list | None]] = {}
    for summary in table.every:
        cell = summary.name, summary.form
        curve = results.curve(results.ns[-1], *cell, chosen, results.gammas[0], discrepancy)
        if curve is None:
            continue
        envelope = results.envelope.get((*cell, chosen, discrepancy))
        bound = None if envelope is None else envelope["familywise_upper"]
        tau = rounded(curve["tau"])
        drawn[summary.name] = (
            rounded((envelope or curve)["upper"]),
            rounded(bound) if bound is not None and np.isfinite(bound).any() else None,
        )
    return tau, drawn


def bounds_of_questions(results: Results) -> pa.Table:
    """Return bounds on the discrepancies of single questions, each with 1 - η."""
    return question_bounds(
        results.scenarios,
        read(results.files["people"][-1], HUMAN_SAMPLE),
        read(results.files["simulated"][-1], SIMULATED_SAMPLE),
        {discrepancy: results.headline_set(discrepancy) for discrepancy in results.pairs},
        results.step["smoothed"],
        results.step["dataset"],
        results.step["eta"],
        results.step["outcome"].get("sigma"),
    )


class Questions:
    """What people and simulators answered to each question of a dataset.

    Options that are many numbers are put into bins of equal width.
    """

    def __init__(self, results: Results):
        """Read people's answers, and what was asked."""
        self.results = results
        scenarios = results.scenarios
        self.names = results.scenario_names
        sample = first_replicate(read(results.files["people"][-1], HUMAN_SAMPLE))
        order = np.argsort(codes(sample["scenario"], self.names))
        self.counts = padded(sample["count"].to_pylist())[order]
        self.options = [
            [str(option) for option in options or []] for options in scenarios["option"].to_pylist()
        ]
        self.bins = [
            self._bins(*pair)
            for pair in zip(self.options, scenarios["score"].to_pylist(), strict=True)
        ]

    @staticmethod
    def _bins(
        options: list[str], scores: list[float] | None
    ) -> tuple[list[str], np.ndarray | None]:
        """Return the labels shown, and for each option the number of its bin; None without bins."""
        if len(options) <= MOST_OPTIONS or scores is None:
            return options, None
        edges = np.linspace(min(scores), max(scores), BINS + 1)
        place = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, BINS - 1)
        digits = 1 - floor(log10(edges[1] - edges[0] or 1.0))
        ends = [f"{round(edge, digits):.15g}" for edge in edges]
        labels = [f"{a} to {b}" for a, b in pairwise(ends)]
        return labels, place

    @cached_property
    def _simulated(self) -> pa.Table:
        return first_replicate(read(self.results.files["simulated"][-1], SIMULATED_SAMPLE))

    def given(self, simulator: str) -> tuple[list[int], list[np.ndarray], list[float]]:
        """Return which scenarios a simulator answered, and with which shares, of how many draws."""
        form = self.results.main_form(simulator)
        table = only(self._simulated, simulator=simulator, k=form)
        shares = [np.asarray(share) for share in table["share"].to_pylist()]
        return codes(table["scenario"], self.names).tolist(), shares, numbers(table["k_j"]).tolist()

    @cached_property
    def _bounds(self) -> pa.Table:
        return bounds_of_questions(self.results)

    def shown(self, shares: np.ndarray, scenario: int) -> np.ndarray:
        """Return the shares of one scenario's options as they are shown, in bins if it has any."""
        labels, place = self.bins[scenario]
        of_options = shares[: len(self.options[scenario])]
        if place is None:
            return of_options
        return np.bincount(place, of_options, minlength=len(labels))

    @cached_property
    def asked(self) -> list[Asked]:
        """Each question, with people's shares."""
        results, scenarios = self.results, self.results.scenarios
        columns = (scenarios[name].to_pylist() for name in ("question", "description"))
        texts = zip(self.names, *columns, strict=True)
        groups = [plain(group or "") for group in scenarios["people"].to_pylist()]
        is_for_all = len(set(groups)) == 1
        effective = np.nansum(self.counts, axis=1)
        level = 1.0 - results.step["eta"]
        sure = Sizes.of(scenarios).at(effective, level)
        many = rounded(numbers(scenarios["n_human"]))
        asked = []
        for j, (name, question, description) in enumerate(texts):
            share = self.shown(np.nan_to_num(self.counts[j] / effective[j]), j)
            limits = proportion_interval(np.clip(share, 0, 1), sure[j], level)
            asked.append(
                Asked(
                    plain(name),
                    plain(question if description == name else description),
                    plain(results.clusters[j]),
                    "" if is_for_all else groups[j].replace("|", " · "),
                    many[j],
                    [plain(label) for label in self.bins[j][0]],
                    *(rounded(part, OF_SHARES) for part in (share, *limits)),
                )
            )
        return asked

    def answers(self, table: ComparisonTable) -> dict:
        """Return each simulator's shares, bounds of its discrepancies, and lists it is on."""
        bounds = only(self._bounds, discrepancy=table.discrepancy)
        return {summary.name: self._answers(summary, table, bounds) for summary in table.every}

    def _answers(self, summary: SimulatorSummary, table: ComparisonTable, bounds: pa.Table) -> dict:
        m = len(self.names)
        bounded = only(bounds, **summary.cell)
        shares: list = [None] * m
        places, given, _ = self.given(summary.name)
        for j, share in zip(places, given, strict=True):
            shares[j] = rounded(self.shown(share, j), OF_SHARES)
        answer = {"q": shares}
        place = codes(bounded["scenario"], self.names)
        for column in ("lower", "plugin", "upper"):
            values = np.full(m, np.nan)
            values[place] = numbers(bounded[column])
            answer[column] = rounded(values)
        if table.lists[summary.name]:
            answer["verdict"] = [*map(table.verdicts[summary.name].get, self.names)]
        return answer
