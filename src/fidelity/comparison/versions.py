"""Two versions of a simulator on the same questions: is the new one worse?

The change of a scenario is L(p, new) - L(p, old), above 0 where the new version is farther from
people. In expectation it lies between two estimates: Λ of the new less the plug-in of the old, and
the plug-in of the new less Λ of the old; for ``squared``, ``l2`` and ``kl`` both are one and the
same (:func:`fidelity.difference_bounds`). With draws it is the change of the models, not of the
answers that they happened to give. The same people judge both versions, so their sampling error
largely cancels. The mean over scenarios has error bars (by clusters).

A single scenario has an exact test of its own. For ``squared``, ``l2`` and ``kl`` the change is
linear in p, the mean over people of one number for each option. For L(p, q) = max over f of
⟨f, p - q⟩ (``tv``, ``w1``, ``absolute``), "the new version is farther by at most δ" means that for
each f there is a g with

    ⟨f - g, p⟩ ≤ δ + ⟨f, new⟩ - ⟨g, old⟩.

So for every f the largest p-value over g is a p-value (intersection-union, Berger 1982). It is
binomial where f - g has two values, and Chernoff's bound otherwise. Only f with ⟨f, old - new⟩ > δ
can show more, and these are known before the data. If there is one, it has the whole level. Else
half of the level goes to the f that separates both versions most, and the others share the other
half (Bonferroni). For the remaining discrepancies no test is known that holds
where few people chose an option.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from fidelity.comparison.few_clusters import too_few
from fidelity.comparison.lists import can_be_listed
from fidelity.comparison.selection import certified_scenarios, tails
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.means.average import (
    ASKED,
    NEW,
    DiscrepancyBounds,
    DiscrepancyInterval,
    difference_bounds,
    discrepancy_bounds,
    interval_of,
    possible_difference,
)
from fidelity.means.estimates import Estimate, errors_of_people
from fidelity.means.scales import scales
from fidelity.responses import Responses, Simulator, common_runs, side_by_side

WORSE, BETTER, SAME, UNDECIDED = "worse", "better", "within the margin", "undecided"
MOST_FUNCTIONALS = 130
ROUNDING = 1e-12
CHANGING = tuple(set(DiscrepancyBounds._fields) - {"reach", "noise"})


@dataclass(frozen=True)
class VersionChange:
    """The change from an old version of a simulator to a new one, over all scenarios or some.

    It is exactly 0 where both state the same probabilities. There it has no error, and adds none to
    a mean. Equal sampled answers needn't come from equal probabilities, so they count as changed.

    Attributes:
        people: their :class:`fidelity.Responses` to m scenarios.
        old, new: both versions there, each :class:`fidelity.Simulator`.
        discrepancy: as :func:`fidelity.difference_bounds`.

    Examples:
        >>> from fidelity import Responses, Simulator
        >>> from fidelity.comparison import VersionChange
        >>> people = Responses([[120, 50, 30], [46, 29, 25], [90, 10, 0]])
        >>> old = Simulator([[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.7, 0.2, 0.1]])
        >>> new = Simulator([[0.4, 0.3, 0.3], [0.4, 0.4, 0.2], [0.8, 0.1, 0.1]])
        >>> change = VersionChange(people, old, new, "tv")
        >>> change.is_same, change.plugin.round(3)
        (array([False,  True, False]), array([ 0.1,  0. , -0.1]))
        >>> interval = change.mean().interval("asked", 0.95)
        >>> print(f"{interval.ci_lower:.2f} to {interval.ci_upper:.2f}")
        -0.02 to 0.02
    """

    people: Responses
    old: Simulator
    new: Simulator
    discrepancy: str | Discrepancy

    @property
    def is_stated(self) -> bool:
        """Whether both versions state probabilities."""
        return self.old.draws is None and self.new.draws is None

    @property
    def is_tested(self) -> bool:
        """Whether :func:`compare_versions` knows tests of single scenarios, as of the models."""
        measure = DISCREPANCIES.of(self.discrepancy)
        return self.is_stated and measure.on != "kernel" and can_be_listed(self.people, measure)

    @cached_property
    def is_same(self) -> BoolArray:
        """Whether both state the same probabilities for a scenario, (m,)."""
        old, new = self.old.shares, self.new.shares
        is_near = np.isclose(old, new, rtol=0.0, atol=ROUNDING, equal_nan=True)
        is_same: BoolArray = np.all(is_near & self.is_stated, axis=1)
        return is_same

    @cached_property
    def bounds(self) -> DiscrepancyBounds:
        """Bounds on each scenario's change, as :func:`fidelity.difference_bounds`."""
        bounds = difference_bounds(self.people, self.new, self.old, discrepancy=self.discrepancy)
        unchanged = {name: np.where(self.is_same, 0, getattr(bounds, name)) for name in CHANGING}
        return bounds._replace(**unchanged)

    def mean(self, at: IntArray | None = None) -> Estimate:
        """Return the mean change over the scenarios at some places, or over all."""
        at = np.arange(len(self.is_same)) if at is None else at
        changed, errors = at[~self.is_same[at]], None
        if len(changed):
            both = [side.only(changed) for side in (self.new, self.old)]
            people = self.people.only(changed)
            errors = errors_of_people(people, *both, discrepancy=self.discrepancy)
        if errors is not None:
            errors = errors * len(changed) / len(at)
        bounds = DiscrepancyBounds(*(bound[at] for bound in self.bounds))
        return Estimate(self.people.only(at), bounds, errors, True)

    @cached_property
    def plugin(self) -> FloatArray:
        """The change of each scenario's plug-in, (m,); NaN where both are infinite."""
        new, old = (
            discrepancy_bounds(self.people, side, discrepancy=self.discrepancy).upper
            for side in (self.new, self.old)
        )
        with np.errstate(invalid="ignore"):
            return new - old


class VersionComparison(NamedTuple):
    """How a new version of a simulator differs from the old one.

    Attributes:
        mean: bounds on the mean change, and its interval; above 0 where the new one is farther.
        margin: δ, by how much the mean may change.
        verdict: ``worse`` if the interval lies above δ, ``better`` if below -δ, ``within the
            margin`` if inside [-δ, δ], otherwise ``undecided``. So it is for new scenarios of fewer
            than 4 effective clusters, whatever the interval.
        lower, upper: estimates per scenario whose expectations enclose its change, (m,).
        worse_p: p-values of "this scenario's change is at most the scenarios' margin", (m,).
        better_p: p-values of "its change is at least minus that margin", (m,).
        got_worse, got_better: lists of scenarios, (m,); see :func:`compare_versions`.

    Examples:
        >>> from fidelity.comparison import compare_versions
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> old, new = [[0.5, 0.3, 0.2]] * 3, [[0.2, 0.3, 0.5]] * 3
        >>> found = compare_versions(people, old, new, discrepancy="tv", margin=0.05)
        >>> found.verdict, found.got_worse
        ('worse', array([ True, False,  True]))
    """

    mean: DiscrepancyInterval
    margin: float
    verdict: str
    lower: FloatArray
    upper: FloatArray
    worse_p: FloatArray
    better_p: FloatArray
    got_worse: BoolArray
    got_better: BoolArray


def compare_versions(
    responses: Responses | ArrayLike,
    old: Simulator | ArrayLike,
    new: Simulator | ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    margin: float = 0.0,
    scenario_margin: float = 0.0,
    target: str = ASKED,
    level: float = 0.95,
    false_discovery_rate: float = 0.05,
    dependent: bool | None = None,
) -> VersionComparison:
    """Return whether a new version is farther from people than the old one, and on which scenarios.

    The verdict ``worse`` is wrong in about (1 - level)/2 of studies at most: it rests on the
    interval of :func:`fidelity.mean_difference`. Of each list of scenarios at most a share
    ``false_discovery_rate`` is wrong on average, by Benjamini & Hochberg (1995), or Benjamini &
    Yekutieli (2001) if scenarios have people in common.

    The p-values hold for discrepancies that are the largest of linear functions of people's shares,
    or whose difference is linear in them (``tv``, ``kl``), with whole counts. Where there are
    draws, they are about the draws as they are. For other discrepancies all p-values are 1, since
    no test is known that holds.

    Args:
        responses, discrepancy, target, level: as :func:`fidelity.mean_discrepancy`.
        old, new: both versions, :class:`fidelity.Simulator` or probabilities, (m, d).
        margin: δ, in the unit of the discrepancy: how much worse still counts as harmless.
        scenario_margin: the same for each scenario.
        false_discovery_rate: of each list, in (0, 1).
        dependent: whether scenarios have people in common. None: they do if ``responses``
            have ``respondents``.

    Raises:
        ValueError: as :func:`fidelity.mean_difference`.

    Examples:
        >>> from fidelity.comparison import compare_versions
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> old, new = [[0.5, 0.3, 0.2]] * 3, [[0.6, 0.25, 0.15]] * 3
        >>> found = compare_versions(people, old, new, discrepancy="tv", margin=0.05)
        >>> found.verdict, found.got_better
        ('undecided', array([False, False,  True]))
    """
    margin = inputs.number("margin", margin, inputs.FINITE_NOT_NEGATIVE)
    allowed = inputs.number("scenario_margin", scenario_margin, inputs.FINITE_NOT_NEGATIVE)
    people, both = side_by_side(responses, new=new, old=old)
    bounds = difference_bounds(people, *both, discrepancy=discrepancy)
    mean = interval_of(bounds, people, target=target, level=level, runs=common_runs(both))
    if target == ASKED:
        mean = possible_difference(mean, bounds)
    is_untestable = target == NEW and too_few(people.clusters)
    worse_p, better_p = _p_values(people, both, discrepancy, allowed)
    shared = people.respondents is not None if dependent is None else dependent
    got_worse, got_better = (
        certified_scenarios(p_value, false_discovery_rate, dependent=shared)
        for p_value in (worse_p, better_p)
    )
    verdict = UNDECIDED if is_untestable else _verdict(mean, margin)
    return VersionComparison(
        *(mean, margin, verdict, bounds.lower, bounds.upper),
        *(worse_p, better_p, got_worse, got_better),
    )


def _verdict(mean: DiscrepancyInterval, margin: float) -> str:
    if mean.ci_lower > margin:
        return WORSE
    if mean.ci_upper < -margin:
        return BETTER
    inside = -margin <= mean.ci_lower and mean.ci_upper <= margin
    return SAME if inside else UNDECIDED


def _p_values(
    people: Responses, both: list[Simulator], discrepancy: str | Discrepancy, margin: float
) -> FloatArray:
    """Return p-values of "new is farther by at most the margin", and of the reverse, (2, m)."""
    new, old = (scales(people, simulator.as_stated(), discrepancy) for simulator in both)
    p_values = np.ones((2, len(people.counts)))
    for one, two in zip(new, old, strict=True):
        rows = one.rows
        if one.measure.is_maximum and one.measure.metric_root == 1:
            functionals = one.measure.family(one.q.shape[1], one.scores)
            p_values[0, rows] = farther_p(one.counts, one.q, two.q, functionals, margin)
            p_values[1, rows] = farther_p(one.counts, two.q, one.q, functionals, margin)
        elif linear := one.measure.linear_difference(one.q, two.q, one.scores):
            slope, start = linear
            p_values[0, rows] = _mean_p(one.counts, slope, margin - start)
            p_values[1, rows] = _mean_p(one.counts, -slope, margin + start)
    return p_values


def _mean_p(counts: FloatArray, g: FloatArray, most: FloatArray) -> FloatArray:
    """Return p-values of ⟨g, p⟩ ≤ most, of each row; 1 where g is not finite; (N,)."""
    p_values = np.ones(len(counts))
    for row in np.flatnonzero(np.isfinite(g).all(1)):
        limit = np.array([[most[row] + ROUNDING]])
        if limit[0, 0] < g[row].min():
            p_values[row] = 0.0
        elif np.ptp(g[row]) > ROUNDING:
            p_values[row] = tails(counts[[row]], g[[row]], limit, limit)[1][0, 0]
    return p_values


def farther_p(
    counts: FloatArray, q: FloatArray, other: FloatArray, functionals: FloatArray, margin: float
) -> FloatArray:
    """Return p-values of L(p, q) ≤ L(p, other) + margin, L the largest ⟨f, p - q⟩, (N,).

    The exact test of the module.

    Args:
        counts, q, other: (N, d).
        functionals: f, (F, d).
        margin: δ, at least 0.
    """
    apart = (other - q) @ functionals.T
    able = apart > margin + ROUNDING
    most = apart.argmax(1)
    best, rest = np.ones((2, len(counts)))
    for index, f in enumerate(functionals):
        leading = most == index
        rows = np.flatnonzero(able[:, index] & (leading | (len(functionals) <= MOST_FUNCTIONALS)))
        if len(rows) == 0:
            continue
        contrast = f - functionals
        mean = margin + (q[rows] @ f)[:, None] - other[rows] @ functionals.T
        leading_p = np.zeros(len(rows))
        steps = (np.diff(np.sort(contrast, axis=1), axis=1) > ROUNDING).sum(1)
        for kind in (steps == 1, steps > 1):
            which = np.flatnonzero(kind)
            if len(which):
                asked = mean[:, which]
                many = tails(counts[rows], contrast[which], asked, asked)[1]
                sure = asked < contrast[which].min(1)
                leading_p = np.maximum(leading_p, np.where(sure, 0.0, many).max(1))
        first = leading[rows]
        best[rows[first]] = leading_p[first]
        rest[rows[~first]] = np.minimum(rest[rows[~first]], leading_p[~first])
    tested = able.sum(1) if len(functionals) <= MOST_FUNCTIONALS else np.minimum(able.sum(1), 1)
    both = np.minimum(2.0 * np.minimum(best, (tested - 1) * rest), 1.0)
    return np.where(tested > 1, both, best)
