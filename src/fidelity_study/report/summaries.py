"""How far each simulator of a dataset is from people, by one discrepancy, and which is closer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fidelity.baselines.base import BASELINES
from fidelity.comparison.selection import certified_scenarios
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.uses.base import BEYOND, OPEN, WITHIN
from fidelity_study.report.results import Results
from fidelity_study.report.tables import first, having
from fidelity_study.steps.draws import STATED_FORM, is_from_people
from fidelity_study.steps.limits import tolerances_of

MOST_UNANSWERED = 0.1


@dataclass(frozen=True)
class SimulatorSummary:
    """One simulator.

    Attributes:
        name, label, describe: as in the config.
        is_baseline: whether this study made it, for comparison.
        form: how it answered: the number of draws as in tables, or ``stated``.
        m: in how many scenarios.
        mean: row of the mean discrepancy over these scenarios; empty if there is none.
        new: row of that over new scenarios.
        certified: row of what the envelope certifies; empty without one.
        draws: how many answers it gave in a scenario, "25" or "43 to 50"; empty if it states.
        unanswered: the share of the answers asked of it that it did not give.
    """

    name: str
    label: str
    describe: str
    is_baseline: bool
    form: str
    m: int
    mean: dict
    new: dict
    certified: dict
    draws: str
    unanswered: float

    @property
    def cell(self) -> dict:
        """It in its form, as tables name them."""
        return {"simulator": self.name, "k": self.form}

    @property
    def interval(self) -> tuple[float, float] | None:
        """Limits of the mean discrepancy over these scenarios; None if there are none."""
        return interval_of(self.mean)

    @property
    def estimate(self) -> float | None:
        """An estimate of the mean discrepancy over these scenarios; None without an interval.

        For ``squared`` and ``l2`` it is the row's ``lower``, which has no bias. Of all others no
        unbiased estimate is known. There it is the middle of ``lower``, whose expectation is at
        most the mean, and of ``upper``, the mean of the discrepancies as measured, whose
        expectation is at least the mean. So its bias is at most half of what these expectations
        differ by. An estimate that lies outside of the interval (one may be below 0, which no mean
        is) is moved to the nearer end of the interval.
        """
        return estimate_of(self.mean)

    @property
    def sure(self) -> float | None:
        """A sure bound of its distance on 90 % of all scenarios; None if unknown.

        It holds for all simulators together, whatever the unanswered questions would have got.
        """
        return self.certified.get("familywise_var_90")

    @property
    def share_within(self) -> float | None:
        """The least share of all scenarios on which it is within the tolerance; None if unknown.

        It holds for all simulators together, like :attr:`sure`.
        """
        return self.certified.get("familywise_share")

    @property
    def answers(self) -> bool:
        """Whether it answered at least nine tenths of what it was asked."""
        return self.unanswered <= MOST_UNANSWERED


class Counts(NamedTuple):
    """On how many questions a simulator is within the tolerance, not settled, and beyond it."""

    within: int
    open: int
    beyond: int


class Difference(NamedTuple):
    """How far one simulator is from people, less how far another is; or the same of their scores.

    Attributes:
        estimate: of the difference; None where only an interval is known.
        ends: its interval; None if there is none.
        can_settle: whether the interval, if it excludes 0, tells which of the two is closer.
    """

    estimate: float | None
    ends: tuple[float, float] | None
    can_settle: bool = True

    @property
    def sign(self) -> int:
        """-1 if the first is closer, or better, 1 if the other is, 0 if that is open."""
        if self.ends is None or not self.can_settle or self.ends[0] <= 0.0 <= self.ends[1]:
            return 0
        return -1 if self.ends[1] < 0.0 else 1

    @property
    def reversed(self) -> "Difference":
        """The same seen from the other simulator."""
        back = None if self.estimate is None else -self.estimate
        ends = None if self.ends is None else (-self.ends[1], -self.ends[0])
        return Difference(back, ends, self.can_settle)


def estimate_of(row: dict) -> float | None:
    """Return a row's estimate of the mean discrepancy; see :attr:`SimulatorSummary.estimate`."""
    ends = interval_of(row)
    if ends is None:
        return None
    lower, upper = row["lower"], row["upper"]
    estimate = lower if DISCREPANCIES[row["discrepancy"]].is_square else (lower + upper) / 2
    return float(np.clip(estimate, *ends))


def interval_of(row: dict, prefix: str = "ci_") -> tuple[float, float] | None:
    """Return a row's confidence limits; None unless both are there and finite.

    Args:
        row: of a table, or empty.
        prefix: of the columns, before ``lower`` and ``upper``.
    """
    lower, upper = row.get(f"{prefix}lower"), row.get(f"{prefix}upper")
    if lower is None or upper is None or not np.isfinite([lower, upper]).all():
        return None
    return lower, upper


@dataclass(frozen=True)
class ComparisonTable:
    """All simulators of a dataset, by one discrepancy."""

    results: Results
    discrepancy: str
    tolerance: float | None

    @property
    def distance(self) -> str:
        """What the discrepancy is called."""
        return DISCREPANCIES[self.discrepancy].label

    @property
    def meaning(self) -> str:
        """What the discrepancy is, in a sentence; may be empty for a user's own."""
        return DISCREPANCIES[self.discrepancy].meaning

    @cached_property
    def every(self) -> list[SimulatorSummary]:
        """Simulators that answered, those that left too much unanswered, then baselines.

        Within each part the closest comes first.
        """
        summaries = [self._summary(name) for name in self.results.simulators]
        return sorted(
            summaries,
            key=lambda summary: (
                summary.is_baseline,
                not summary.answers,
                np.inf if summary.estimate is None else summary.estimate,
            ),
        )

    @property
    def best(self) -> SimulatorSummary:
        """The closest simulator under test; the closest baseline where there is none."""
        return self.every[0]

    @property
    def has_named_tolerance(self) -> bool:
        """Whether the config names the tolerance, which is the usual one else."""
        return self.discrepancy in self.results.step["tolerance"]

    @property
    def tested(self) -> list[SimulatorSummary]:
        """The simulators under test, which are no baselines."""
        return [simulator for simulator in self.every if not simulator.is_baseline]

    @property
    def answering(self) -> list[SimulatorSummary]:
        """The simulators under test that answered at least nine tenths of what they were asked."""
        return [simulator for simulator in self.tested if simulator.answers]

    @property
    def baselines(self) -> list[SimulatorSummary]:
        """The baselines, which this study made for comparison."""
        return [simulator for simulator in self.every if simulator.is_baseline]

    def named(self, name: str) -> SimulatorSummary:
        """Return the standing of one simulator."""
        return next(simulator for simulator in self.every if simulator.name == name)

    def _summary(self, name: str) -> SimulatorSummary:
        results, form = self.results, self.results.main_form(name)
        cell = {"simulator": name, "k": form, "discrepancy": self.discrepancy}
        chosen = {**cell, "confidence_set": results.headline_set(self.discrepancy)}
        (summary,) = results.summary_rows(n=results.ns[-1], gamma=results.gammas[0], **chosen)
        means = having(results.mean_discrepancies, cell)
        return SimulatorSummary(
            name=name,
            label=results.named(name),
            describe=results.described(name),
            is_baseline=name in BASELINES,
            form=form,
            m=summary["m"],
            mean=first(means, tail=1.0, target="asked"),
            new=first(means, tail=1.0, target="new"),
            certified=results.certified(**chosen, tolerance=self.tolerance),
            draws="" if form == STATED_FORM else results.draws(summary),
            unanswered=float(self._unanswered.get(name, 0.0)),
        )

    def rank_range(self, name: str) -> tuple[int, int]:
        """Return the first and the last rank that a simulator may have; 1 is the closest."""
        others = [simulator for simulator in self.results.simulators if simulator != name]
        first = 1 + sum(self.certainly_closer(other, name) for other in others)
        last = 1 + len(others) - sum(self.certainly_closer(name, other) for other in others)
        return first, last

    @cached_property
    def _pairs(self) -> dict[tuple[str, frozenset[str]], dict]:
        cell = {"discrepancy": self.discrepancy, "target": "asked"}
        return {
            (row["k"], frozenset((row["simulator"], row["other"]))): row
            for row in having(self.results.mean_differences, cell)
        }

    def pair(self, one: str, two: str) -> dict:
        """Return how two simulators compare; an empty row if they can't be compared.

        Those that draw are compared by the probabilities that they draw from, where bounds on these
        are known.
        """
        return self._pairs.get((self.results.compared_at(one, two), frozenset((one, two))), {})

    def difference(self, one: str, two: str) -> Difference | None:
        """Return how the means of two simulators differ; None if they can't be compared."""
        pair = self.pair(one, two)
        ends = interval_of(pair)
        if ends is None:
            return None
        difference = Difference(None, ends, pair["closer"] is not None)
        return difference if pair["simulator"] == one else difference.reversed

    def differences(
        self, names: Iterable[str]
    ) -> Iterator[tuple[str, str, tuple[float, float], int]]:
        """Yield every two simulators that can be compared: the interval, and :attr:`sign`."""
        for one, two in combinations(names, 2):
            difference = self.difference(one, two)
            if difference is not None and difference.ends is not None:
                yield one, two, difference.ends, difference.sign

    def certainly_closer(self, one: str, two: str) -> bool:
        """Return whether the study settles that ``one`` is closer to people than ``two``.

        The luck of draws does not settle it: of two equal models that draw neither is closer.
        """
        return bool(self.pair(one, two).get("closer") == one)

    @cached_property
    def _unanswered(self) -> dict[str, str]:
        return {row["source"]: row["nonresponse"] for row in self.results.nonresponse}

    @cached_property
    def lists(self) -> dict[str, dict[str, dict]]:
        """Simulator -> scenario -> row of the tests of the tolerance; none without a tolerance."""
        by_simulator: dict[str, dict[str, dict]] = {simulator.name: {} for simulator in self.every}
        cell = {"discrepancy": self.discrepancy, "tolerance": self.tolerance}
        for row in self.results.as_shown(having(self.results.lists, cell)):
            by_simulator[row["simulator"]][row["scenario"]] = row
        return by_simulator

    @cached_property
    def verdicts(self) -> dict[str, dict[str, str]]:
        """Simulator -> scenario -> within, beyond or open; none without a tolerance.

        On average at most a share alpha of those within are wrong, for all simulators together,
        whatever the unanswered questions would have got.
        """
        level = self.results.step["test"]["alpha"] / len(self.every)
        repeat = self.results.respondents_repeat is not False
        verdicts: dict[str, dict[str, str]] = {}
        for name, rows in self.lists.items():
            p_values = np.array([row["p_within"] for row in rows.values()], float)
            dependent = repeat or is_from_people(name)
            near = certified_scenarios(p_values, level, dependent=dependent) if rows else p_values
            verdicts[name] = {
                scenario: WITHIN if is_near else BEYOND if row["verdict"] == BEYOND else OPEN
                for (scenario, row), is_near in zip(rows.items(), near, strict=True)
            }
        return verdicts

    def surely(self, verdict: str, name: str) -> list[str]:
        """Return the scenarios of which a verdict on a simulator is sure."""
        return [scenario for scenario, sure in self.verdicts[name].items() if sure == verdict]

    def counts(self, summary: SimulatorSummary) -> Counts | None:
        """Return on how many scenarios a simulator is on which list; None without a tolerance."""
        if not self.lists[summary.name]:
            return None
        near, far = (len(self.surely(verdict, summary.name)) for verdict in (WITHIN, BEYOND))
        return Counts(near, summary.m - near - far, far)


def comparison_tables(results: Results) -> Iterator[ComparisonTable]:
    """Yield the simulators by each discrepancy, each tolerance of it by itself."""
    for discrepancy in results.pairs:
        stated = tolerances_of(results.step["tolerance"], discrepancy, results.scale)
        tolerances: list[float | None] = [*stated] or [None]
        for tolerance in tolerances:
            yield ComparisonTable(results, discrepancy, tolerance)
