"""Mean discrepancies between bounds that need no confidence set, their differences, and lists."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from math import ceil, comb

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import has_test
from fidelity.comparison.selection import certified_scenarios, scenario_p_values
from fidelity.curves.clusters import effective_clusters
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means import average as means
from fidelity.means.jackknife import jackknife_variance
from fidelity.means.persons import replicate_errors
from fidelity.means.tail import tail_discrepancy
from fidelity.responses import Answers, Responses, Simulator
from fidelity.stream import stream
from fidelity_study.steps import persons
from fidelity_study.steps.arrays import (
    Scenarios,
    codes,
    first_replicate,
    grouped,
    keys_of,
    may_answer_several,
    or_none,
    scale_of,
)
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.cluster_warning import warning
from fidelity_study.steps.design import Sizes
from fidelity_study.steps.draws import STATED_FORM, compared, is_from_people
from fidelity_study.steps.limits import LIMITS, limit_rows, tolerances_of
from fidelity_study.steps.nonresponse import NONRESPONSE
from fidelity_study.steps.persons import OF_PSUS
from fidelity_study.steps.unanswered import (
    Answered,
    Effect,
    Options,
    answered,
    fullest,
    padded,
    unanswered,
)
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import RESPONDENTS, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

FORM = columns(LABEL, "k", "discrepancy", "answers", "target")
INTERVAL = [
    ("m", pa.int32()),
    *columns(pa.float64(), "lower", "upper", "ci_lower", "ci_upper", "effective_clusters"),
    *columns(LABEL, "method", "warning"),
]
MEAN_DISCREPANCY = pa.schema(
    [
        ("simulator", LABEL),
        *FORM,
        ("tail", pa.float64()),
        *INTERVAL,
        *columns(pa.float64(), "unanswered", "missing_lower", "missing_upper", "familywise_lower"),
        ("familywise_upper", pa.float64()),
    ]
)
BY_CLUSTER = pa.schema([*columns(LABEL, "cluster", "simulator"), *FORM, *INTERVAL])
MEAN_DIFFERENCES = pa.schema(
    [
        *columns(LABEL, "simulator", "other"),
        *FORM,
        *INTERVAL,
        ("closer", LABEL),
        ("draws_to_settle", pa.int64()),
    ]
)
LISTS = pa.schema(
    [
        *columns(LABEL, "scenario", "simulator", "k", "discrepancy"),
        *columns(pa.float64(), "tolerance", "p_within", "p_farther"),
        *columns(LABEL, "verdict", "method"),
    ]
)

TAIL = 0.1
FEWEST = 2
DRAWN, TRUE = "drawn", "true"
FEW_ANSWERS = (
    "hardly anybody, or no draw, chose some options; the interval is longer since more may do so"
)
JACKKNIFE, OF_REPLICATES = "jackknife", "replicate weights"
IntervalsOfMeans = dict[tuple[str, str], means.DiscrepancyInterval]  # by simulator and answers
WITHIN, FARTHER, UNDECIDED = "within", "farther", "undecided"


@dataclass(frozen=True)
class People:
    """People's answers, and the facts on the scenarios, (m, ...).

    Attributes:
        names: of the scenarios.
        counts: answers per option, NaN where there is no such option, (m, d).
        options: what can be answered.
        clusters: a label each, (m,).
        people: a label each, equal where the same people may have answered, (m,); or None.
        weighted: whether counts are effective numbers.
        key: of the dataset's random streams.
        sizes: the numbers that people are worth by their design; None if there is none.
        answers: who answered what, where the same people answer several scenarios, or PSUs connect
            them; None where that is not known, or others are counted.
        replicates: shares by each set of replicate weights, (m, d, R), spread so that their squared
            differences from people's shares add up to the variance; None where there are none, or
            others are counted.
        squares: sums of people's squared weights by option, (m, d), in the unit of ``counts``; None
            where there are no weights, or others are counted.
    """

    names: list[str]
    counts: np.ndarray
    options: Options
    clusters: np.ndarray
    people: np.ndarray | None
    weighted: bool
    key: tuple
    sizes: Sizes | None = None
    answers: Answers | None = None
    replicates: np.ndarray | None = None
    squares: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        scenarios: pa.Table,
        sample: pa.Table,
        step: dict,
        respondents: pa.Table | None = None,
    ) -> "People":
        """Take over the columns of the tables; persons are known if ``respondents`` has rows.

        What is known of all people is left out where ``sample`` has only some of them.
        """
        first = first_replicate(sample)
        place = codes(first["scenario"], scenarios["scenario"].to_pylist())
        counts = padded(first["count"].to_pylist())
        people = cls.who_gave(counts[np.argsort(place)], scenarios, step)
        if people.is_everybody:
            people = replace(
                people,
                replicates=replicates(scenarios, people.counts.shape),
                squares=squares(scenarios, people),
            )
        if people.people is None or not respondents:
            return people
        answers = persons.answers_of(respondents, Scenarios.from_table(scenarios))
        return replace(people, answers=answers if persons.gave(answers, people.counts) else None)

    @property
    def is_everybody(self) -> bool:
        """Whether all people are counted, not a part drawn from them."""
        return self.sizes is None or np.allclose(
            np.nansum(self.counts, axis=1), self.sizes.effective
        )

    @property
    def unit(self) -> str | None:
        """What errors of means are computed from, besides each scenario's own counts."""
        if self.answers is not None:
            return persons.unit(self.answers)
        return None if self.replicates is None else OF_REPLICATES

    def responses(self, rows: np.ndarray, *, squares: bool = True) -> Responses:
        """Return what was answered in some scenarios, with weights' squares if they are known."""
        counts, scores = self.counts[rows], self.options.scores
        return Responses(
            counts,
            scores=None if scores is None else scores[rows],
            sizes=np.nansum(counts, axis=1),
            squares=self.squares[rows] if squares and self.squares is not None else None,
            respondents=None if self.people is None else self.people[rows],
        )

    def errors(
        self, rows: np.ndarray, *simulators: Simulator, discrepancy: str
    ) -> np.ndarray | None:
        """Return the errors of both mean bounds, (2,); None where only counts are known.

        Args:
            rows: some scenarios, in growing order.
            simulators: one in these scenarios, or two that are compared.
            discrepancy: its name.
        """
        people = self.responses(rows)
        if self.answers is not None:
            known = persons.at(self.answers, rows)
            return persons.errors(known, people, *simulators, discrepancy=discrepancy)
        if self.replicates is None:
            return None
        sets = self.replicates[rows]
        return replicate_errors(people, *simulators, replicates=sets, discrepancy=discrepancy)

    def df(self, rows: np.ndarray) -> float:
        """Return the degrees of freedom of the design in some scenarios; inf without one."""
        if self.sizes is None or np.isnan(self.sizes.df[rows]).all():
            return np.inf
        return float(np.nanmax(self.sizes.df[rows]))

    @classmethod
    def who_gave(cls, counts: np.ndarray, scenarios: pa.Table, step: dict) -> "People":
        """Take over the scenarios' columns on people with these counts, (m, d)."""
        labels = [str(label) for label in scenarios["people"].to_pylist()]
        return cls(
            scenarios["scenario"].to_pylist(),
            counts,
            Options.of(scenarios),
            np.array(scenarios["cluster"].to_pylist()),
            np.array(labels) if may_answer_several(scenarios) else None,
            any(scenarios["weighted"].to_pylist()),
            (step["seed"], step["dataset"], "mean discrepancy"),
            Sizes.of(scenarios),
        )


def replicates(scenarios: pa.Table, shape: tuple[int, int]) -> np.ndarray | None:
    """Return the shares by each set of replicate weights, (m, d, R); None if there are none."""
    lists = scenarios["replicates"].to_pylist()
    if not lists or any(shares is None for shares in lists):
        return None
    table = np.zeros((*shape, len(lists[0][0])))
    for rows, shares in zip(table, lists, strict=True):
        rows[: len(shares)] = shares
    return table


def squares(scenarios: pa.Table, people: People) -> np.ndarray | None:
    """Return sums of squared weights by option, (m, d), in the unit of counts; None if unknown."""
    lists = scenarios["square"].to_pylist()
    if people.sizes is None or not lists or any(sums is None for sums in lists):
        return None
    unit = people.sizes.effective / people.sizes.people
    return padded(lists) * unit[:, None] ** 2


@dataclass(frozen=True)
class Case:
    """One simulator's answers beside people's, as one discrepancy measures them."""

    people: People
    own: Answered
    discrepancy: str
    is_smoothed: bool

    @property
    def q(self) -> np.ndarray:
        """The shares that are compared with people's, (N, d)."""
        return self.own.measured(self.is_smoothed)

    @property
    def keys(self) -> dict:
        """The columns that identify it."""
        return keys_of(self.own, self.discrepancy)

    def form(self, answers: str) -> dict:
        """Return the columns that identify a mean of it."""
        return {**self.keys, "answers": answers}

    @cached_property
    def effect(self) -> Effect:
        """How much the answers to unanswered questions could change."""
        return Effect(self.own, self.q, self.discrepancy, self.people.options)

    @property
    def is_stated(self) -> bool:
        """Whether the simulator states probabilities."""
        return self.own.k == STATED_FORM

    @property
    def answers(self) -> list[str]:
        """The answers that there are bounds for: the draws, and the probabilities behind them."""
        if self.is_stated:
            return [TRUE]
        of_true = DISCREPANCIES[self.discrepancy].is_symmetric and not self.is_smoothed
        return [DRAWN, TRUE] if of_true else [DRAWN]

    @cached_property
    def bounds(self) -> dict[str, means.DiscrepancyBounds]:
        """Each scenario's bounds, for each of the answers; they reach as far as answers can."""
        people = self.responses()
        estimates = {
            answers: means.discrepancy_bounds(
                people, self.simulator(answers), discrepancy=self.discrepancy
            )
            for answers in self.answers
        }
        return {
            answers: bounds._replace(reach=np.maximum(bounds.reach, self.largest))
            for answers, bounds in estimates.items()
        }

    @property
    def largest(self) -> np.ndarray:
        """The most that the discrepancy can be in each scenario that it answers, (N,)."""
        if self.people.options.is_open:
            return np.full(len(self.own.rows), np.inf)
        largest: np.ndarray = self.effect.largest[self.own.rows]
        return largest

    def rows(self, at: np.ndarray | None = None) -> np.ndarray:
        """Return scenarios' positions among all: of some of those answered, or of these all."""
        return self.own.rows if at is None else self.own.rows[at]

    def responses(self, rows: np.ndarray | None = None, *, squares: bool = True) -> Responses:
        """Return people's answers in some of the scenarios that it answers, or in all."""
        return self.people.responses(self.rows(rows), squares=squares)

    def simulator(self, answers: str, rows: np.ndarray | None = None) -> Simulator:
        """Return its shares there, those of draws if the probabilities behind them are meant."""
        q = self.q if rows is None else self.q[rows]
        return Simulator(q, draws=self.draws(answers, rows))

    def errors(self, answers: str, at: np.ndarray | None = None) -> np.ndarray | None:
        """Return the errors of both mean bounds of some scenarios, (2,); None if unknown."""
        simulator = self.simulator(answers, at)
        return self.people.errors(self.rows(at), simulator, discrepancy=self.discrepancy)

    def estimate(self, answers: str, at: np.ndarray | None = None) -> "Estimate":
        """Return its mean over some of the scenarios that it answers, or over all."""
        bounds = self.bounds[answers]
        if at is not None:
            bounds = means.DiscrepancyBounds(*(bound[at] for bound in bounds))
        return Estimate(self.people, self.rows(at), [self], bounds, self.errors(answers, at))

    def draws(self, answers: str, rows: np.ndarray | None = None) -> np.ndarray | None:
        """Return how many draws q holds the shares of; None if the draws themselves are meant."""
        if answers == DRAWN or self.is_stated:
            return None
        return self.own.draws if rows is None else self.own.draws[rows]


def cases(people: People, answered: list[Answered], step: dict) -> Iterator[Case]:
    """Yield each simulator with each discrepancy that is convex."""
    for discrepancy in step["pairs"]:
        if not DISCREPANCIES[discrepancy].is_parameter:
            for simulator in answered:
                is_smoothed = simulator.is_smoothed(discrepancy, step["smoothed"])
                yield Case(people, simulator, discrepancy, is_smoothed)


def mean_rows(case: Case, alpha: float, many: int) -> Iterator[dict]:
    """Yield the mean discrepancy and that of the worst tenth, for each kind of answers and target.

    There are also intervals that hold for ``many`` simulators at once.
    """
    for answers in case.answers:
        mean = case.estimate(answers)
        worst_case = missing_bounds(case, mean.bounds)
        for target in means.TARGETS:
            for row in mean.columns(target, alpha):
                together = familywise_limits(case, answers, mean, target, alpha / many)
                yield {**case.form(answers), "tail": 1.0, **row, **worst_case, **together}
        if answers == case.answers[0]:
            yield from tail_rows(case, answers, alpha)


@dataclass(frozen=True)
class Estimate:
    """A mean discrepancy, or a difference of two, over some scenarios.

    Attributes:
        people: who answered.
        rows: positions of the scenarios among all.
        cases: whose mean it is, or the two that are compared.
        bounds: of each scenario.
        errors: those that people cause, (2,), where it is known who answered what.
    """

    people: People
    rows: np.ndarray
    cases: list[Case]
    bounds: means.DiscrepancyBounds
    errors: np.ndarray | None = None

    @property
    def clusters(self) -> np.ndarray | None:
        """The scenarios' clusters; None where they group nothing."""
        return grouped(self.people.clusters[self.rows])

    def is_exact(self, target: str) -> bool:
        """Return whether its interval is exact: of one mean of known range, for new scenarios.

        Scenarios must be independent. Intervals of differences are not exact: betting is wide for
        scores that vary little in a wide range.
        """
        is_known = len(self.cases) == 1 and bool(np.isfinite(self.bounds.reach).all())
        is_independent = self.people.people is None and self.clusters is None
        return target == means.NEW and is_known and is_independent

    def interval(self, target: str, alpha: float) -> means.DiscrepancyInterval | None:
        """Return its interval; None where the target does not exist."""
        people, rows = self.people, self.rows
        is_one_cluster = len(np.unique(people.clusters[rows])) == 1
        if target == means.NEW and (len(rows) < FEWEST or is_one_cluster):
            return None
        betting = None
        if self.is_exact(target):
            simulator = self.cases[0].own
            key = simulator.k, self.cases[0].discrepancy, simulator.simulator
            betting = stream(*people.key, *key)
        limits = means.mean_interval(
            self.bounds,
            target=target,
            clusters=self.clusters if target == means.NEW else None,
            respondents=None if people.people is None else people.people[rows],
            level=1.0 - alpha,
            betting=betting,
            errors=self.errors,
            df=people.df(rows),
        )
        if len(self.cases) == 1:
            return means.possible(limits, self.bounds)
        return means.possible_difference(limits, self.bounds) if target == means.ASKED else limits

    def columns(self, target: str, alpha: float) -> Iterator[dict]:
        """Yield the columns of its interval; nothing where the target does not exist."""
        limits = self.interval(target, alpha)
        if limits is None:
            return
        people, clusters = self.people, self.clusters
        several = clusters if target == means.NEW else None
        independent = "betting" if self.is_exact(target) else "CLT"
        unit = None if self.errors is None else people.unit
        yield {
            "target": target,
            **interval_columns(limits),
            "effective_clusters": None if several is None else effective_clusters(several),
            "method": method(people, self.cases, target, independent, clusters, unit),
            "warning": said(limits, target, clusters),
        }


def interval_columns(limits: means.DiscrepancyInterval) -> dict:
    """Return an interval's columns; where few answers make it rough, the warning says so."""
    values = limits._asdict()
    del values["few_answers"]
    return {name: or_none(value) for name, value in values.items()}


def method(
    people: People,
    cases: list[Case],
    target: str,
    independent: str = "CLT",
    clusters: np.ndarray | None = None,
    unit: str | None = None,
    error: str | None = None,
) -> str:
    """Return a description of how an interval was made, and in which ways it is approximate.

    ``unit`` says what the errors that people cause come from, where it isn't counts alone, and
    ``error`` how they are computed, if not as :func:`error_of` says.
    """
    of_scenarios = independent if clusters is None else "CR2"
    parts = [(error or error_of(cases, unit)) if target == means.ASKED else of_scenarios]
    if people.weighted:
        parts.append("effective number of people")
    if unit is not None:
        parts.append(unit)
    if people.people is not None and any(is_from_people(case.own.simulator) for case in cases):
        parts.append("fitted to the same people elsewhere")
    return ", ".join(parts)


def error_of(cases: list[Case], unit: str | None) -> str:
    """Return how the errors of ``asked`` are computed, of a mean or of a difference of two."""
    of_distances = {DISCREPANCIES[case.discrepancy].metric_root for case in cases} == {1}
    if not of_distances or unit in (OF_PSUS, OF_REPLICATES):
        return JACKKNIFE
    if len(cases) == 1:
        return f"{JACKKNIFE}, lower end by resampling"
    return "resampling" if unit is None else JACKKNIFE


def said(limits: means.DiscrepancyInterval, target: str, clusters: np.ndarray | None) -> str | None:
    """Return why there is no interval, or a note on its basis."""
    if np.isnan(limits.upper):
        return "no mean: in a scenario both are infinitely far from people"
    if np.isnan([limits.ci_lower, limits.ci_upper]).any():
        return (
            "no interval: a scenario has fewer than three people, or draws, which does not tell how"
            " much its bounds vary"
        )
    doubts = []
    if target == means.NEW and clusters is not None:
        doubts.append(warning(effective_clusters(clusters)))
    if limits.few_answers:
        doubts.append(FEW_ANSWERS)
    return "; ".join(filter(None, doubts)) or None


def tail_rows(case: Case, answers: str, alpha: float) -> Iterator[dict]:
    """Yield the mean discrepancy of the worst tenth of these scenarios."""
    people, level = case.responses(), 1.0 - alpha
    limits = tail_discrepancy(people, case.q, discrepancy=case.discrepancy, alpha=TAIL, level=level)
    yield {
        **case.form(answers),
        "tail": TAIL,
        "target": means.ASKED,
        **interval_columns(limits),
        "method": method(case.people, [case], means.ASKED, error=JACKKNIFE),
    }


def missing_bounds(case: Case, bounds: means.DiscrepancyBounds) -> dict:
    """Return the share of missing answers, and bounds with these counted for and against.

    Where the discrepancy itself is a metric; see :mod:`fidelity_study.steps.unanswered`.
    """
    effect = case.effect
    columns = {"unanswered": float(effect.unanswered.mean())}
    if not (effect.unanswered.any() and effect.is_bounded and effect.root == 1):
        return columns
    counts = case.people.counts[case.own.rows]
    share = counts / np.nansum(counts, axis=1, keepdims=True)
    return columns | {
        "missing_lower": float((bounds.lower - effect.shift).mean()),
        "missing_upper": float(effect.farthest(share, np.arange(len(share))).mean()),
    }


def familywise_limits(case: Case, answers: str, mean: Estimate, target: str, alpha: float) -> dict:
    """Return the interval at ``alpha`` that allows for any answers to unanswered questions.

    Empty where it isn't known how much they change the mean. This is so for the probabilities
    behind draws, and for discrepancies of which no root is a metric.
    """
    effect = case.effect
    if not effect.is_none and (not effect.is_bounded or case.draws(answers) is not None):
        return {}
    limits = mean.interval(target, alpha)
    if limits is None or np.isnan([limits.ci_lower, limits.ci_upper]).any():
        return {}
    lower, upper = limits.ci_lower, limits.ci_upper
    if not effect.is_none:
        everywhere = with_missing(case, mean.bounds)
        together = Estimate(case.people, effect.rows, [case], everywhere).interval(target, alpha)
        assert together is not None
        lower = together.ci_lower
        if target == means.ASKED:
            lower = max(lower, effect.lowered(limits.ci_lower))
        upper = min(together.ci_upper, float(effect.largest[effect.rows].max()))
    return {"familywise_lower": lower, "familywise_upper": upper}


def with_missing(case: Case, bounds: means.DiscrepancyBounds) -> means.DiscrepancyBounds:
    """Return bounds on the discrepancies in all scenarios asked, for any answers left out.

    The upper bound is that of F at people's shares. The lower bound subtracts the shift, or is 0
    where only a root of the discrepancy is a metric. See :mod:`fidelity_study.steps.unanswered`.
    """
    effect = case.effect

    def farthest(people: np.ndarray, at: np.ndarray) -> np.ndarray:
        return effect.farthest(people / people.sum(1, keepdims=True), at)

    counts = np.nan_to_num(case.people.counts[effect.rows])
    upper = farthest(counts, np.arange(len(counts)))
    lower, smooth_lower, lower_se, lower_unseen_se, reach, noise = np.zeros((6, len(counts)))
    answering = slice(len(case.own.rows))
    noise[answering] = bounds.noise
    if effect.root == 1:
        lower[answering] = bounds.lower - effect.shift
        smooth_lower[answering] = bounds.smooth_lower - effect.shift
        lower_se[answering] = bounds.lower_se
        lower_unseen_se[answering] = bounds.lower_unseen_se
        reach[answering] = bounds.reach + effect.shift
    none, upper_unseen_se = np.zeros((2, len(counts)))
    upper_unseen_se[answering] = bounds.upper_unseen_se
    return means.DiscrepancyBounds(
        lower=lower,
        upper=upper,
        smooth_lower=smooth_lower,
        smooth_upper=upper,
        lower_se=lower_se,
        upper_se=np.sqrt(jackknife_variance(farthest, counts)),
        reach=np.maximum(reach, effect.largest[effect.rows]),
        noise=noise,
        lower_draws_se=none,
        upper_draws_se=none,
        lower_unseen_se=lower_unseen_se,
        upper_unseen_se=upper_unseen_se,
        lower_unseen_draws_se=none,
        upper_unseen_draws_se=none,
        lowest=none,
        highest=effect.largest[effect.rows],
    )


def cluster_rows(case: Case, alpha: float) -> Iterator[dict]:
    """Yield the mean discrepancy of the scenarios of each cluster; all intervals hold together."""
    clusters = case.people.clusters[case.own.rows]
    if grouped(clusters) is None:
        return
    names = np.unique(clusters)
    for answers in case.answers:
        for name in names:
            mean = case.estimate(answers, np.flatnonzero(clusters == name))
            for row in mean.columns(means.ASKED, alpha / len(names)):
                yield {"cluster": name, **case.form(answers), **row}


@dataclass(frozen=True)
class Both:
    """Two simulators on the scenarios that both answer.

    Attributes:
        one, two: their cases.
        rows: positions of these scenarios among all, (N,).
        i, j: their places in the answers of each, (N,).
    """

    one: Case
    two: Case
    rows: np.ndarray
    i: np.ndarray
    j: np.ndarray

    @classmethod
    def of(cls, one: Case, two: Case) -> "Both":
        """Line two simulators up."""
        return cls(one, two, *np.intersect1d(one.own.rows, two.own.rows, return_indices=True))

    def is_compared_at(self, k: str) -> bool:
        """Return whether they share scenarios, and one has k draws; or both state, if k says so."""
        return len(self.rows) > 0 and k in (self.one.own.k, self.two.own.k)

    @property
    def drawing(self) -> Case:
        """The one that gives draws, if only one does; else the first."""
        return self.two if self.one.is_stated else self.one

    @property
    def answers(self) -> str:
        """What is compared: the models, or only their answers if no bounds on models are known."""
        return TRUE if TRUE in self.one.answers and TRUE in self.two.answers else DRAWN

    @property
    def is_about_models(self) -> bool:
        """Whether a difference is one of the models, not of the answers they happened to give."""
        return self.answers == TRUE or not self.draw

    @property
    def draw(self) -> bool:
        """Whether one of them draws."""
        return not (self.one.is_stated and self.two.is_stated)

    @cached_property
    def as_given(self) -> Estimate:
        """The difference of the answers as they are."""
        return self.estimate(DRAWN)

    def estimate(self, answers: str) -> Estimate:
        """Return the mean difference over all the scenarios."""
        both = [self.one, self.two]
        bounds, errors = self.bounds(answers), self.errors(answers)
        return Estimate(self.one.people, self.rows, both, bounds, errors)

    def bounds(self, answers: str) -> means.DiscrepancyBounds:
        """Return bounds on the discrepancy of the one less that of the other."""
        return means.difference_bounds(
            self.one.responses(self.i), *self._simulators(answers), discrepancy=self.one.discrepancy
        )

    def errors(self, answers: str, at: np.ndarray | slice = slice(None)) -> np.ndarray | None:
        """Return the errors of both mean bounds, (2,), of some places in ``rows``."""
        both = Both(self.one, self.two, self.rows[at], self.i[at], self.j[at])
        return both.one.people.errors(
            both.rows, *both._simulators(answers), discrepancy=both.one.discrepancy
        )

    def _simulators(self, answers: str) -> list[Simulator]:
        return [self.one.simulator(answers, self.i), self.two.simulator(answers, self.j)]


def difference_rows(cases: list[Case], alpha: float, many: int) -> Iterator[dict]:
    """Yield the mean difference of every two of ``many`` simulators.

    Simulators that draw are compared by what they draw from: of two equal models neither is closer.
    Where no bounds on that are known (``kl``, ``chi2``), the answers are compared as they are, and
    neither simulator is called closer.

    Those of one discrepancy and one number of draws hold together, with those of simulators that
    both state probabilities. Where the same people may have answered several scenarios, half of
    ``alpha`` goes to the differences of intervals of single means, which are fewer:
    see :func:`narrowed`.
    """
    for k, able in together(cases):
        of_means = intervals_of_means(able, alpha / 2.0 / many)
        paired = (alpha / 2.0 if of_means else alpha) / max(comb(many, 2), 1)
        for one, two in combinations(able, 2):
            both = Both.of(one, two)
            if not both.is_compared_at(k):
                continue
            mean = both.estimate(both.answers)
            names = {"simulator": one.own.simulator, "other": two.own.simulator}
            for target in means.TARGETS:
                for row in mean.columns(target, paired):
                    if target == means.ASKED:
                        row |= narrowed(row, both, of_means)
                    nearer = closer(names, row) if both.is_about_models else None
                    more = None if nearer else draws_to_settle(both, row, paired)
                    said = {"closer": nearer, "draws_to_settle": more}
                    yield {**both.drawing.form(both.answers), **names, **row, **said}


def intervals_of_means(able: list[Case], alpha: float) -> IntervalsOfMeans:
    """Return the intervals of single means at ``alpha`` each, which bound differences, too.

    There are none unless the same people may have answered several scenarios and it is not known
    who: then errors add up as in the worst case, and a mean's interval errs less than a
    difference's. All simulators must answer the same scenarios, so that each has one interval.
    """
    first = able[0]
    people = first.people
    is_unknown = people.people is not None and people.answers is None and people.replicates is None
    if not (is_unknown and all(np.array_equal(case.own.rows, first.own.rows) for case in able)):
        return {}
    return {
        (case.own.simulator, answers): limits
        for case in able
        for answers in case.answers
        if (limits := case.estimate(answers).interval(means.ASKED, alpha))
    }


def narrowed(row: dict, both: Both, of_means: IntervalsOfMeans) -> dict:
    """Return the ends of a difference within what intervals of both means allow, and how.

    If each mean lies in [l, u] then their difference lies in [l - u', u - l'], whatever ties the
    two (Bonferroni). Empty where they change nothing, or one is not known.
    """
    one, two = (of_means.get((case.own.simulator, both.answers)) for case in (both.one, both.two))
    if row["ci_lower"] is None or one is None or two is None:
        return {}
    lower = np.fmax(row["ci_lower"], one.ci_lower - two.ci_upper)
    upper = np.fmin(row["ci_upper"], one.ci_upper - two.ci_lower)
    if (lower, upper) == (row["ci_lower"], row["ci_upper"]) or lower > upper:
        return {}
    ends = {"ci_lower": float(lower), "ci_upper": float(upper)}
    return ends | {"method": f"{row['method']}, and both means"}


def draws_to_settle(both: Both, row: dict, alpha: float) -> int | None:
    """Return about how many draws would show who is closer, if their shares stay as they are.

    All that draws add to an interval shrinks about as the root of their number. What is left is the
    interval of the answers as they are. None if that holds 0, so that more people are needed.
    """
    if both.answers == DRAWN or not both.draw or row["ci_lower"] is None:
        return None
    left = both.as_given.interval(row["target"], alpha)
    if left is None or not (left.ci_lower > 0.0 or left.ci_upper < 0.0):
        return None
    far, near = max(
        (left.ci_lower, row["ci_lower"]), (-left.ci_upper, -row["ci_upper"]), key=lambda end: end[0]
    )
    return ceil(int(both.drawing.own.k) * ((far - near) / far) ** 2)


def together(cases: list[Case]) -> Iterator[tuple[str, list[Case]]]:
    """Yield the cases that are compared at each number of draws by each discrepancy.

    Those that state probabilities are there at each number, as :func:`compared` says.
    """
    by_discrepancy: dict[str, dict[str, dict[str, Case]]] = {}
    for case in cases:
        by_simulator = by_discrepancy.setdefault(case.discrepancy, {})
        by_simulator.setdefault(case.own.simulator, {})[case.own.k] = case
    for forms in by_discrepancy.values():
        for k, taking_part in compared(forms).items():
            yield k, [forms[name][form] for name, form in taking_part.items()]


def closer(names: dict, row: dict) -> str | None:
    """Return which simulator is closer for certain; None where the interval holds 0.

    None, too, for new scenarios of too few clusters, whatever the interval.
    """
    if is_untestable(row):
        return None
    if row["ci_upper"] is not None and row["ci_upper"] < 0.0:
        return names["simulator"]
    if row["ci_lower"] is not None and row["ci_lower"] > 0.0:
        return names["other"]
    return None


def is_untestable(row: dict) -> bool:
    """Return whether a row of :meth:`Estimate.columns` is of too few clusters for a test."""
    effective = row["effective_clusters"]
    return effective is not None and not has_test(effective)


def can_be_listed(case: Case) -> bool:
    """Return whether p-values are known: not for unlisted numbers, nor for how far they move."""
    options, measure = case.people.options, DISCREPANCIES[case.discrepancy]
    return not options.is_open and (options.limits is None or measure.on == "mean")


def tested(case: Case, rows: np.ndarray, alpha: float) -> tuple[Responses, np.ndarray]:
    """Return what the library's tests of single scenarios compare: people, and q, (N, d).

    The limits of numbers are further options: numbers between them may be answered that nobody has
    given here, so a mean of them varies in the whole range.
    """
    there, limits, q = case.own.rows[rows], case.people.options.limits, case.q[rows]
    people = case.responses(rows)
    counts, scores, sizes = case.people.counts[there], people.scores, people.sizes
    if case.people.sizes is not None:
        # A list of N scenarios asks for p-values down to alpha/N.
        sizes = case.people.sizes.of_rows(there).at(sizes, 1 - alpha / len(there))
    if limits is not None:
        none = np.zeros((len(there), 2))
        counts, q = np.hstack([counts, none]), np.hstack([q, none])
        assert scores is not None
        scores = np.hstack([scores, limits[there]])
    return Responses(counts, scores=scores, sizes=sizes), q


def list_rows(case: Case, tolerances: list[float], alpha: float) -> Iterator[dict]:
    """Yield each scenario with its p-values, and the list that it is on."""
    if not (DISCREPANCIES[case.discrepancy].is_maximum and can_be_listed(case)):
        return
    people, q = tested(case, np.arange(len(case.own.rows)), alpha)
    left = case.own.unanswered[case.own.rows]
    dependent = case.people.people is not None or is_from_people(case.own.simulator)
    for tolerance in tolerances:
        p_values = scenario_p_values(
            people, q, discrepancy=case.discrepancy, tolerance=tolerance, unanswered=left
        )
        within, farther = (
            certified_scenarios(p_value, alpha, dependent=dependent) for p_value in p_values
        )
        verdicts = np.select([within, farther], [WITHIN, FARTHER], UNDECIDED)
        for row, p_within, p_farther, verdict in zip(
            case.own.rows, *p_values, verdicts.tolist(), strict=True
        ):
            yield {
                "scenario": case.people.names[row],
                **case.keys,
                "tolerance": tolerance,
                "p_within": float(p_within),
                "p_farther": float(p_farther),
                "verdict": verdict,
                "method": "Benjamini-Yekutieli" if dependent else "Benjamini-Hochberg",
            }


def all_limit_rows(
    judged: list[Case], scale: tuple[float, float], alpha: float, many: int
) -> Iterator[dict]:
    """Yield :func:`limit_rows` of what the report shows of each simulator; none of no scale."""
    shown = {one.simulator: one.k for one in fullest(case.own for case in judged)}
    for case in judged:
        measure, is_shown = DISCREPANCIES[case.discrepancy], case.own.k == shown[case.own.simulator]
        is_scaled = np.isfinite(scale).all() or not measure.needs_scores
        if is_shown and measure.is_maximum and can_be_listed(case) and is_scaled:
            people, q = tested(case, np.arange(len(case.own.rows)), alpha)
            yield from limit_rows(case, people, q, scale, alpha, many)


def main(snakemake):
    """Bound mean discrepancies and their differences; list scenarios within tolerances."""
    step = snakemake.params.step
    alpha, tolerance, many = step["test"]["alpha"], step["tolerance"], len(step["simulators"])
    judged = list(cases(*people_and_simulators(snakemake.input, step), step))
    scale = scale_of(read(snakemake.input.scenarios, SCENARIOS))
    lists = (
        list_rows(case, tolerances_of(tolerance, case.discrepancy, scale), alpha) for case in judged
    )
    means = chain(*(mean_rows(case, alpha, many) for case in judged))
    made = {
        "mean_discrepancy": (means, MEAN_DISCREPANCY),
        "by_cluster": (chain(*(cluster_rows(case, alpha) for case in judged)), BY_CLUSTER),
        "mean_differences": (difference_rows(judged, alpha, many), MEAN_DIFFERENCES),
        "lists": (chain(*lists), LISTS),
        "limits": (all_limit_rows(judged, scale, alpha, many), LIMITS),
    }
    write_tables(snakemake.output, made, step)


def people_and_simulators(files, step: dict) -> tuple[People, list[Answered]]:
    """Return what people and simulators answered, from a step's input files.

    Persons are known, and questions left unanswered count, where the files say so.
    """
    known, lost_file = files.get("respondents"), files.get("nonresponse")
    people = People.of(
        read(files.scenarios, SCENARIOS),
        read(files.human, HUMAN_SAMPLE),
        step,
        read(known, RESPONDENTS) if known else None,
    )
    lost = unanswered(read(lost_file, NONRESPONSE), people.names) if lost_file else None
    simulated = read(files.simulated, SIMULATED_SAMPLE)
    return people, answered(simulated, people.names, people.counts.shape[1], lost)
