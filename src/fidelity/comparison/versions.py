"""Two versions of a simulator on the same questions: is the new one worse?

The change of a scenario is L(p, new) - L(p, old), above 0 where the new version is farther from
people. In expectation it lies between Λ of the new less the plug-in of the old, and the plug-in of
the new less Λ of the old (:func:`fidelity.difference_bounds`): the same people judge both, and
their sampling error largely cancels. Both bounds have error bars, of the mean over scenarios (by
clusters) and of each scenario.
"""

from typing import NamedTuple

import numpy as np
import scipy as sp
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import BoolArray, FloatArray
from fidelity.comparison.selection import certified_scenarios
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.average import ASKED, DiscrepancyInterval, difference_bounds, mean_interval
from fidelity.means.scales import lined_up

WORSE, BETTER, SAME, UNDECIDED = "worse", "better", "within the margin", "undecided"


class VersionComparison(NamedTuple):
    """How a new version of a simulator differs from the old one.

    Attributes:
        mean: bounds on the mean change, and its interval; above 0 where the new one is farther.
        margin: δ, by how much the mean may change.
        verdict: ``worse`` if the interval lies above δ, ``better`` if below -δ, ``within the
            margin`` if inside [-δ, δ], otherwise ``undecided``.
        lower, upper: of each scenario, their expectations enclose its change, (m,).
        worse_p: of "this scenario's change is at most the scenarios' margin", (m,).
        better_p: of "its change is at least minus that margin", (m,).
        got_worse, got_better: lists of scenarios, (m,); see :func:`compare_versions`.

    Examples:
        >>> from fidelity.comparison import compare_versions
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> old, new = [[0.5, 0.3, 0.2]] * 3, [[0.2, 0.3, 0.5]] * 3
        >>> found = compare_versions(people, old, new, discrepancy="tv", margin=0.05)
        >>> found.verdict, found.got_worse
        ('worse', array([ True,  True,  True]))
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

    @property
    def is_worse(self) -> bool:
        """Whether the mean certainly rose by more than the margin: a command may fail on it."""
        return self.verdict == WORSE


def compare_versions(
    counts: ArrayLike,
    old: ArrayLike,
    new: ArrayLike,
    *,
    discrepancy: str | Discrepancy,
    margin: float = 0.0,
    scenario_margin: float = 0.0,
    target: str = ASKED,
    clusters: ArrayLike | None = None,
    people: ArrayLike | None = None,
    level: float = 0.95,
    false_discovery_rate: float = 0.05,
    dependent: bool | None = None,
    scores: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    options: ArrayLike | None = None,
    old_draws: ArrayLike | None = None,
    new_draws: ArrayLike | None = None,
) -> VersionComparison:
    """Return whether a new version is farther from people than the old one, and on which scenarios.

    The mean is ``worse`` wrongly in at most (1 - level)/2 of studies, about: its interval is that of
    :func:`fidelity.mean_difference`. The p-value of a scenario is that of the bound's distance from
    the margin in standard errors (jackknife over its people, Student's t with n_j - 1 degrees of
    freedom); approximate, so give each scenario some 30 people or more. A scenario whose people
    all answered alike has no standard error, and p = 1. Of each list on average at most a share
    ``false_discovery_rate`` is wrong: Benjamini & Hochberg (1995), or if scenarios have people in
    common Benjamini & Yekutieli (2001).

    Args:
        counts: people's answers, (m, d).
        old, new: what both versions state, (m, d).
        discrepancy, target, clusters, people, level, scores, sizes, options: as
            :func:`fidelity.mean_discrepancy`.
        margin: δ, in the unit of the discrepancy: how much worse is no harm.
        scenario_margin: the same for each scenario.
        false_discovery_rate: of each list, in (0, 1).
        dependent: whether scenarios have people in common; None for "if ``people`` is given".
        old_draws, new_draws: how many draws they are the shares of; None if stated.

    Raises:
        ValueError: as :func:`fidelity.mean_difference`.

    Examples:
        >>> from fidelity.comparison import compare_versions
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 0]]
        >>> old, new = [[0.5, 0.3, 0.2]] * 3, [[0.6, 0.25, 0.15]] * 3
        >>> found = compare_versions(people, old, new, discrepancy="tv", margin=0.1)
        >>> found.verdict, found.is_worse, found.got_better
        ('within the margin', False, array([ True, False,  True]))
    """
    given = lined_up(
        counts=counts,
        q=new,
        other=old,
        clusters=clusters,
        people=people,
        scores=scores,
        sizes=sizes,
        options=options,
        draws=new_draws,
        other_draws=old_draws,
    )
    margin = inputs.number("margin", margin, inputs.FINITE_NOT_NEGATIVE)
    allowed = inputs.number("scenario_margin", scenario_margin, inputs.FINITE_NOT_NEGATIVE)
    groups = {key: given.pop(key) for key in ("clusters", "people")}
    bounds = difference_bounds(discrepancy=discrepancy, **given)
    mean = mean_interval(bounds, target=target, level=level, **groups)
    n = np.nansum(inputs.array("counts", given["counts"]), axis=1)
    if given["sizes"] is not None:
        n = inputs.each("sizes", given["sizes"], inputs.FINITE_POSITIVE, len(n))
    worse_p = _one_sided(bounds.smooth_lower - allowed, bounds.lower_se, n)
    better_p = _one_sided(-bounds.smooth_upper - allowed, bounds.upper_se, n)
    shared = people is not None if dependent is None else dependent
    got_worse, got_better = (
        certified_scenarios(each, false_discovery_rate, dependent=shared)
        for each in (worse_p, better_p)
    )
    return VersionComparison(
        *(mean, margin, _verdict(mean, margin), bounds.lower, bounds.upper),
        *(worse_p, better_p, got_worse, got_better),
    )


def _verdict(mean: DiscrepancyInterval, margin: float) -> str:
    if mean.ci_lower > margin:
        return WORSE
    if mean.ci_upper < -margin:
        return BETTER
    inside = -margin <= mean.ci_lower and mean.ci_upper <= margin
    return SAME if inside else UNDECIDED


def _one_sided(excess: FloatArray, se: FloatArray, n: FloatArray) -> FloatArray:
    """Return how likely so large an excess is by chance, 1 where nothing tells; 0 of infinite."""
    known = (se > 0.0) & np.isfinite(excess)
    ratio = np.divide(excess, se, out=np.zeros_like(excess), where=known)
    tail = sp.special.stdtr(np.maximum(n - 1.0, 1.0), -ratio)
    return np.where(known, tail, np.where(np.isposinf(excess), 0.0, 1.0))
