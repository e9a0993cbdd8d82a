"""Mean discrepancies between bounds that need no confidence set, their differences, and lists."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pyarrow as pa

from fidelity.comparison.selection import FARTHEST, certified_scenarios, scenario_p_values
from fidelity.curves.clusters import effective_clusters
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.inputs import scales
from fidelity.means import average as means
from fidelity.means.tail import tail_discrepancy
from fidelity.resampling import smoothed
from fidelity.stream import stream
from fidelity_study.steps.arrays import (
    cell_slices,
    codes,
    first_replicate,
    grouped,
    may_answer_several,
    numbers,
)
from fidelity_study.steps.cluster_warning import warning
from fidelity_study.steps.draws import STATED_FORM, is_from_people

TAIL = 0.1
FEWEST = 2
METRICS = {"tv", "absolute", "w1", "mmd_delta", "mmd_gaussian", "mmd_laplace"}
DRAWN, TRUE = "drawn", "true"
WITHIN, FARTHER, UNDECIDED = "within", "farther", "undecided"


@dataclass(frozen=True)
class People:
    """What people answered, and what is known of the scenarios, (m, ...).

    Attributes:
        names: of the scenarios.
        counts: answers per option, NaN where there is no such option, (m, d).
        scores: of the options, (m, d), or None.
        clusters: a label each, (m,).
        people: a label each, the same where the same people may have answered, (m,); or None.
        weighted: whether counts are effective numbers.
        key: of the dataset's random streams.
    """

    names: list[str]
    counts: np.ndarray
    scores: np.ndarray | None
    clusters: np.ndarray
    people: np.ndarray | None
    weighted: bool
    key: tuple

    @classmethod
    def of(cls, scenarios: pa.Table, sample: pa.Table, step: dict) -> "People":
        """Take over what the tables say."""
        names = scenarios["scenario"].to_pylist()
        first = first_replicate(sample)
        place = codes(first["scenario"], names)
        counts = padded(first["count"].to_pylist())
        scores = scenarios["score"].to_pylist()
        own = [str(label) for label in scenarios["people"].to_pylist()]
        return cls(
            names,
            counts[np.argsort(place)],
            None if None in scores else padded(scores),
            np.array(scenarios["cluster"].to_pylist()),
            np.array(own) if may_answer_several(scenarios) else None,
            any(scenarios["weighted"].to_pylist()),
            (step["seed"], step["dataset"], "mean discrepancy"),
        )


@dataclass(frozen=True)
class Answered:
    """What a simulator answered in the scenarios at ``rows``, among all people's.

    Attributes:
        simulator: its name.
        k: how many draws, as in tables.
        rows: positions of the scenarios, (N,).
        q: shares or stated probabilities, NaN where there is no such option, (N, d).
        draws: how many draws each scenario has, (N,); NaN if it states probabilities.
        unanswered: the share of each scenario's questions that it left open, (N,).
    """

    simulator: str
    k: str
    rows: np.ndarray
    q: np.ndarray
    draws: np.ndarray
    unanswered: np.ndarray


def padded(lists: list[list[float]]) -> np.ndarray:
    """Return lists as the rows of an array, NaN after the end of the shorter ones."""
    found = np.full((len(lists), max(map(len, lists), default=0)), np.nan)
    for row, values in zip(found, lists, strict=True):
        row[: len(values)] = values
    return found


def answered(
    simulated: pa.Table, names: list[str], options: int, unanswered: dict[str, np.ndarray]
) -> Iterator[Answered]:
    """Yield each simulator's answers at each number of draws, of the first replicate."""
    ordered, cells = cell_slices(first_replicate(simulated), ["simulator", "k"])
    for cell, at in cells:
        own = ordered.slice(at.start, at.stop - at.start)
        rows = codes(own["scenario"], names)
        q = np.full((len(rows), options), np.nan)
        share = padded(own["share"].to_pylist())
        q[:, : share.shape[1]] = share
        yield Answered(
            cell["simulator"],
            cell["k"],
            rows,
            q,
            numbers(own["k_j"]),
            unanswered.get(cell["simulator"], np.zeros(len(names)))[rows],
        )


@dataclass(frozen=True)
class Case:
    """One simulator's answers beside people's, as one discrepancy measures them."""

    people: People
    own: Answered
    discrepancy: str
    is_smoothed: bool

    @property
    def q(self) -> np.ndarray:
        """What is compared with people, (N, d)."""
        return smoothed(self.own.q, self.own.draws) if self.is_smoothed else self.own.q

    @property
    def is_stated(self) -> bool:
        """Whether the simulator states probabilities."""
        return self.own.k == STATED_FORM

    @property
    def answers(self) -> list[str]:
        """Which answers there are bounds for: those drawn, and what they are drawn from."""
        if self.is_stated:
            return [TRUE]
        of_true = DISCREPANCIES[self.discrepancy].is_symmetric and not self.is_smoothed
        return [DRAWN, TRUE] if of_true else [DRAWN]

    @cached_property
    def bounds(self) -> dict[str, means.DiscrepancyBounds]:
        """Each scenario's bounds, for each of the answers."""
        return {
            answers: means.discrepancy_bounds(**self.measured(), draws=self.draws(answers))
            for answers in self.answers
        }

    def measured(self, rows: np.ndarray | None = None) -> dict:
        """Return the arguments that the library's functions have in common, for some scenarios."""
        at = np.arange(len(self.own.rows)) if rows is None else rows
        there = self.own.rows[at]
        counts, scores = self.people.counts[there], self.people.scores
        return {
            "counts": counts,
            "q": self.q[at],
            "discrepancy": self.discrepancy,
            "scores": None if scores is None else scores[there],
            "sizes": np.nansum(counts, axis=1),
        }

    def draws(self, answers: str, rows: np.ndarray | None = None) -> np.ndarray | None:
        """Return how many draws q is the shares of, if what they are drawn from is meant."""
        if answers == DRAWN or self.is_stated:
            return None
        return self.own.draws if rows is None else self.own.draws[rows]


def unanswered(table: pa.Table, names: list[str]) -> dict[str, np.ndarray]:
    """Return each source's share of unanswered questions by scenario, (m,); 0 where none were."""
    found = {}
    ordered, cells = cell_slices(table, ["source"])
    asked, gave = numbers(ordered["asked"]), numbers(ordered["answered"])
    place = codes(ordered["scenario"], names)
    for cell, at in cells:
        share = np.zeros(len(names))
        share[place[at]] = 1.0 - gave[at] / asked[at]
        found[cell["source"]] = share
    return found


def shared(case: Case) -> tuple[str, str]:
    """Return what cases have in common that are compared: how many draws, and the discrepancy."""
    return case.own.k, case.discrepancy


def cases(people: People, answered: list[Answered], step: dict) -> Iterator[Case]:
    """Yield each simulator with each discrepancy that is convex."""
    for discrepancy in step["pairs"]:
        if not DISCREPANCIES[discrepancy].is_parameter:
            for own in answered:
                is_drawn = own.k != STATED_FORM
                yield Case(people, own, discrepancy, is_drawn and discrepancy in step["smoothed"])


def mean_rows(case: Case, alpha: float) -> Iterator[dict]:
    """Yield the mean discrepancy and that of the worst tenth, for each answers and target."""
    for answers in case.answers:
        bounds = case.bounds[answers]
        worst_case = missing_bounds(case, bounds)
        for target in means.TARGETS:
            for row in interval_rows(case.people, case.own.rows, [case], bounds, target, alpha):
                yield {**form(case, answers), "tail": 1.0, **row, **worst_case}
        if answers == case.answers[0]:
            yield from tail_rows(case, answers, alpha)


def form(case: Case, answers: str) -> dict:
    """Return the columns that say of what a mean is."""
    return {
        "simulator": case.own.simulator,
        "k": case.own.k,
        "discrepancy": case.discrepancy,
        "answers": answers,
    }


def interval_rows(
    people: People,
    rows: np.ndarray,
    cases: list[Case],
    bounds: means.DiscrepancyBounds,
    target: str,
    alpha: float,
) -> Iterator[dict]:
    """Yield the columns of one interval; none where there is nothing that it could speak of."""
    clusters = grouped(people.clusters[rows])
    is_one_cluster = len(np.unique(people.clusters[rows])) == 1
    if target == means.NEW and (len(rows) < FEWEST or is_one_cluster):
        return
    own = None if people.people is None else people.people[rows]
    of_scenarios = clusters if target == means.NEW else None
    betting = None
    if target == means.NEW and clusters is own is None and is_exact(cases, bounds):
        betting = stream(*people.key, *shared(cases[0]), cases[0].own.simulator)
    found = means.mean_interval(
        bounds,
        target=target,
        clusters=of_scenarios,
        people=own,
        level=1.0 - alpha,
        betting=betting,
    )
    if len(cases) == 1:
        found = means.possible(found, bounds)
    yield {
        "target": target,
        **{name: or_none(value) for name, value in found._asdict().items()},
        "method": method(people, cases, target, "CLT" if betting is None else "betting", clusters),
        "warning": said(found, target, clusters),
    }


def is_exact(cases: list[Case], bounds: means.DiscrepancyBounds) -> bool:
    """Return whether new scenarios get an exact interval: one mean, with bounds of known range.

    Differences don't, as betting knows least of scores that vary little in a wide range.
    """
    return len(cases) == 1 and bool(np.isfinite(bounds.reach).all())


def or_none(value: float) -> float | None:
    """Return a number, None if it is NaN."""
    return None if np.isnan(value) else value


def method(
    people: People,
    cases: list[Case],
    target: str,
    independent: str = "CLT",
    clusters: np.ndarray | None = None,
) -> str:
    """Say how an interval was made, and in which ways it is approximate."""
    of_scenarios = independent if clusters is None else "CR2"
    parts = ["jackknife" if target == means.ASKED else of_scenarios]
    if people.weighted:
        parts.append("effective number of people")
    if people.people is not None and any(is_from_people(case.own.simulator) for case in cases):
        parts.append("fitted to the same people elsewhere")
    return ", ".join(parts)


def said(found: means.DiscrepancyInterval, target: str, clusters: np.ndarray | None) -> str | None:
    """Return why there is no interval, or what it rests on."""
    if np.isnan(found.upper):
        return "no mean: in a scenario both are infinitely far from people"
    if np.isnan([found.ci_lower, found.ci_upper]).any():
        return "no interval: a scenario has too few people to tell how much its bounds vary"
    if target == means.NEW and clusters is not None:
        return warning(effective_clusters(clusters))
    return None


def tail_rows(case: Case, answers: str, alpha: float) -> Iterator[dict]:
    """Yield the mean discrepancy of the worst tenth of these scenarios."""
    own = None if case.people.people is None else case.people.people[case.own.rows]
    found = tail_discrepancy(**case.measured(), alpha=TAIL, people=own, level=1.0 - alpha)
    yield {
        **form(case, answers),
        "tail": TAIL,
        "target": means.ASKED,
        **{name: or_none(value) for name, value in found._asdict().items()},
        "method": method(case.people, [case], means.ASKED),
    }


def missing_bounds(case: Case, bounds: means.DiscrepancyBounds) -> dict:
    """Return the share of answers missing, and bounds with these assigned for and against.

    With the share u missing, q stands for (1 - u) q + u r with any r. That moves a metric by at
    most u times the distance of q from the farthest r, an option by itself; and it is farthest
    from people with all of u on one option, since L is convex in q.
    """
    unanswered = case.own.unanswered
    found = {"unanswered": float(unanswered.mean())}
    if case.discrepancy not in METRICS or not unanswered.any():
        return found
    given = case.measured()
    counts, q, scores = given["counts"], given["q"], given["scores"]
    moved, farthest = np.zeros(len(q)), np.zeros(len(q))
    share = counts / np.nansum(counts, axis=1, keepdims=True)
    measure = DISCREPANCIES[case.discrepancy]
    for rows, there, own in scales(~np.isnan(counts), scores):
        cells = np.ix_(rows, there)
        own = measure.checked_scores(own, len(there))
        for corner in np.eye(len(there)):
            r = np.tile(corner, (len(rows), 1))
            u = unanswered[rows, None]
            moved[rows] = np.maximum(moved[rows], measure.between(q[cells], r, own))
            against = measure.between(share[cells], (1.0 - u) * q[cells] + u * r, own)
            farthest[rows] = np.maximum(farthest[rows], against)
    return found | {
        "missing_lower": float((bounds.lower - unanswered * moved).mean()),
        "missing_upper": float(farthest.mean()),
    }


def cluster_rows(case: Case, alpha: float) -> Iterator[dict]:
    """Yield the mean discrepancy of the scenarios of each cluster; all intervals hold together."""
    own = case.people.clusters[case.own.rows]
    if grouped(own) is None:
        return
    names = np.unique(own)
    for answers in case.answers:
        bounds = case.bounds[answers]
        for name in names:
            at = np.flatnonzero(own == name)
            part = means.DiscrepancyBounds(*(each[at] for each in bounds))
            of_cluster = case.people, case.own.rows[at], [case], part, means.ASKED
            for row in interval_rows(*of_cluster, alpha / len(names)):
                yield {"cluster": name, **form(case, answers), **row}


def difference_rows(cases: list[Case], alpha: float) -> Iterator[dict]:
    """Yield the mean difference of every two simulators; all of one discrepancy and k together."""
    pairs = list(combinations(cases, 2))
    for one, two in pairs:
        rows, i, j = np.intersect1d(one.own.rows, two.own.rows, return_indices=True)
        for answers in [each for each in one.answers if each in two.answers and len(rows)]:
            given = one.measured(i)
            bounds = means.difference_bounds(
                **given,
                other=two.q[j],
                draws=one.draws(answers, i),
                other_draws=two.draws(answers, j),
            )
            for target in means.TARGETS:
                for row in interval_rows(
                    one.people, rows, [one, two], bounds, target, alpha / len(pairs)
                ):
                    names = {"simulator": one.own.simulator, "other": two.own.simulator}
                    yield {**form(one, answers), **names, **row, "closer": closer(names, row)}


def closer(names: dict, row: dict) -> str | None:
    """Return which simulator is closer for certain; None where the interval holds 0."""
    if row["ci_upper"] is not None and row["ci_upper"] < 0.0:
        return names["simulator"]
    if row["ci_lower"] is not None and row["ci_lower"] > 0.0:
        return names["other"]
    return None


def list_rows(case: Case, tolerances: list[float], alpha: float) -> Iterator[dict]:
    """Yield each scenario with its p-values, and on which list it is."""
    if case.discrepancy not in FARTHEST:
        return
    dependent = case.people.people is not None or is_from_people(case.own.simulator)
    for tolerance in tolerances:
        p_values = scenario_p_values(**case.measured(), tolerance=tolerance)
        within, farther = (
            certified_scenarios(each, alpha, dependent=dependent) for each in p_values
        )
        verdicts = np.select([within, farther], [WITHIN, FARTHER], UNDECIDED)
        for row, p_within, p_farther, verdict in zip(
            case.own.rows, *p_values, verdicts.tolist(), strict=True
        ):
            yield {
                "scenario": case.people.names[row],
                "simulator": case.own.simulator,
                "k": case.own.k,
                "discrepancy": case.discrepancy,
                "tolerance": tolerance,
                "p_within": float(p_within),
                "p_farther": float(p_farther),
                "verdict": verdict,
                "method": "Benjamini-Yekutieli" if dependent else "Benjamini-Hochberg",
            }
