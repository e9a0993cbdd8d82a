"""How far other people would be: a yardstick for a simulator's mean discrepancy.

N other people, drawn as these were, have shares p̂_N that differ from the population's p by chance
alone. E L(p, p̂_N) is how far they are on average. It is computed at people's own shares (each
discrepancy knows how, :meth:`.Discrepancy.expected`), which is too low: shares of few answers look
less spread than they are. The jackknife takes this bias away to first order, and gives the standard
error: with T(counts) = s(counts)·E L(p̂, p̂_N)/s(p̂), s the smooth function
:meth:`.Discrepancy.spread` to which E L is nearly proportional, the estimate is
nT - (n - 1)·(mean of T without one answer).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.discrepancies.base import DISCREPANCIES, Discrepancy
from fidelity.means.average import ASKED, DiscrepancyBounds, mean_interval, noise_of_mean
from fidelity.means.jackknife import jackknife_deviations, without_bias
from fidelity.means.persons import sample_of_persons, sample_of_replicates
from fidelity.means.rare_options import unseen_variance
from fidelity.means.scales import Scale, scales, shares, standard_error
from fidelity.resampling import smoothed as smoothed_shares
from fidelity.responses import Responses, Simulator

MOST_PEOPLE, NOTHING, ENOUGH = 10**5, 1e-6, 50.0


class PeopleReference(NamedTuple):
    """How far other people would be.

    Attributes:
        mean: the mean over scenarios, in the discrepancy's unit.
        ci_lower, ci_upper: ends of its confidence interval.
        distances: of each scenario, without the bias of few answers, (m,).
        se: their standard errors, (m,); NaN where there are fewer than three answers.
        plugin: E L(p̂, p̂_N) at people's shares p̂ as they are, (m,).

    Examples:
        >>> from fidelity import people_reference
        >>> reference = people_reference([[12, 5, 3], [46, 29, 25]], 50, discrepancy="tv")
        >>> reference.distances.round(3), reference.plugin.round(3)
        (array([0.075, 0.079]), array([0.072, 0.078]))
    """

    mean: float
    ci_lower: float
    ci_upper: float
    distances: FloatArray
    se: FloatArray
    plugin: FloatArray


def people_reference(
    responses: Responses | ArrayLike,
    sample_size: int,
    *,
    discrepancy: str | Discrepancy,
    smoothed: bool | None = None,
    design_effects: ArrayLike = 1.0,
    target: str = ASKED,
    level: float = 0.95,
) -> PeopleReference:
    """Return how far other people of the same population would be from these people.

    E L(p, p̂_N) for N of them.

    It is a yardstick, and no floor: a simulator whose shares are right has a discrepancy of 0, less
    than any number of people. Compare like with like: the shares of k draws with those of k people;
    bounds on the probabilities behind the draws with a distance that needs no sampling.

    The closed forms of total variation, Wasserstein-1 and shares are de Moivre's, those of
    ``squared`` and ``l2`` variances. Sums over options are exact, too, as is the distance of means
    of scores. The maximum mean discrepancies are exact for small samples and else the mean of 1,024
    samples (:mod:`fidelity.discrepancies.sampling`). People must be independent of each other
    within a scenario, or have weights or a design that are given. The interval is approximate: to
    first order in people's shares, and beyond it where their answers are as varied as can be, so
    that any other shares have a smaller distance: there the lower end is lower by (z² + 1) times
    the bias over d - 1, the ways in which shares can differ. Divergences, such as ``kl``, hardly
    depend on shares; both ends are then z² times the bias farther out. For ``asked``, ends allow
    for the closed forms' ripple, which is where N times a share is whole or halfway. What nobody
    chose in any sample is not foreseen.

    Args:
        responses: people's, :class:`fidelity.Responses` or counts, (m, d). If it is known who
            answered what (``answers``), the error is that of whole persons, or of PSUs. If not, it
            is that of ``replicates``, or follows ``respondents``. Few ``df`` make the interval
            longer.
        sample_size: N, how many other people answer each scenario.
        discrepancy: a convex one of :data:`fidelity.DISCREPANCIES`.
        smoothed: whether the shares of the N are smoothed to (count + ½)/(N + d/2), as those of
            draws are. By default where the discrepancy is infinite at a share of 0. If not smoothed
            these are infinite.
        design_effects: by how much weights and design multiply the variance of people's shares, one
            or (m,): the number of people over the effective number of them. The N are drawn in the
            same way, and worth N/effect independent people. Taken as known.
        target: ``asked``, the mean over these scenarios, or ``new``, the mean over the population
            that they, or their ``clusters``, are drawn from.
        level: of the interval.

    Returns:
        The mean and its interval. They are NaN where a scenario has only one answer, which does not
        tell how people differ, and where its N people are worth fewer than one. There is a mean but
        no interval where scenarios have fewer than three answers, and for divergences fewer than
        50: they are too high by 3 % with 10, .6 % with 20 and .1 % with 50.

    Raises:
        ValueError: on malformed arguments, and for a discrepancy of parameters, such as the median:
            it is not convex in people's shares, so that no bounds stand beside it.

    Examples:
        >>> from fidelity import mean_discrepancy, people_reference
        >>> people = [[120, 50, 30], [46, 29, 25], [90, 10, 1]]
        >>> model = [[0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.6, 0.3, 0.1]]
        >>> reference = people_reference(people, 150, discrepancy="tv")
        >>> print(
        ...     f"{reference.mean:.3f}, with 95 % confidence {reference.ci_lower:.3f} to"
        ...     f" {reference.ci_upper:.3f}"
        ... )
        0.037, with 95 % confidence 0.034 to 0.041
        >>> simulated = mean_discrepancy(people, model, discrepancy="tv")
        >>> simulated.ci_lower > reference.ci_upper  # 150 other people would be nearer
        True
    """
    people, measure = Responses.of(responses), DISCREPANCIES.of(discrepancy)
    n = inputs.whole("sample_size", sample_size, 1, MOST_PEOPLE)
    m = len(people.counts)
    (design_effects,) = people.lineup.copy().add(design_effects=design_effects)
    effects = inputs.each("design_effects", design_effects, inputs.FINITE_POSITIVE, m)
    is_smoothed = measure.infinite_at_zero if smoothed is None else smoothed
    themselves = Simulator(np.where(people.exists, people.counts / people.sizes[:, None], np.nan))
    parts = [
        _OfScale.of(scale, n / effects[scale.rows], is_smoothed)
        for scale in scales(people, themselves, measure)
    ]
    bounds, plugin, deviations, ripples = _together(parts, people.counts.shape)
    sample: Any = None
    if people.answers is not None:
        sample = sample_of_persons(people)
    elif people.replicates is not None:
        sample = sample_of_replicates(people, people.replicates)
    errors = None
    if sample is not None:
        is_few = np.isnan(bounds.upper_se).any()
        errors = np.full(2, np.nan if is_few else np.sqrt(sample.variance(deviations)) / m)
    interval = mean_interval(
        bounds,
        target=target,
        clusters=people.clusters,
        respondents=people.respondents,
        level=level,
        errors=errors,
        df=people.df,
    )
    ends = np.array([interval.ci_lower, interval.ci_upper])
    if target == ASKED and np.isfinite(interval.lower):
        ways = 1 if measure.is_scalar(people.counts.shape[1]) else people.exists.sum(1) - 1
        bent = np.abs(bounds.upper - plugin) / (ways if is_nearly_linear(measure) else 1)
        noise = noise_of_mean(bounds._replace(noise=bent), people.respondents, errors)
        reach = float(stdtrit(people.df, (1.0 + level) / 2.0)) ** 2 * noise
        bend = np.array([reach, reach])
        if is_nearly_linear(measure):
            steep = (interval.lower - interval.ci_lower) / max(reach, np.finfo(float).tiny)
            bend = np.array([(reach + noise) * np.clip(1.5 - steep / 4.0, 0.0, 1.0), 0.0])
        ends += [-1.0, 1.0] * (bend + np.linalg.norm(ripples, axis=1) / m)
    is_known = is_nearly_linear(measure) or people.sizes.min() >= ENOUGH
    if np.isfinite(interval.lower) and not is_known:
        ends[:] = np.nan
    lower, upper = np.maximum(ends, 0.0).tolist()
    return PeopleReference(interval.lower, lower, upper, bounds.upper, bounds.upper_se, plugin)


class _OfScale(NamedTuple):
    """What is known of N scenarios with the same options.

    Attributes:
        cells: the places of their options in a table of all scenarios.
        plugin, distance, se: as in :class:`PeopleReference`, (N,).
        ripple: as :meth:`.Discrepancy.ripple`, (2, N).
        unseen: what options that hardly anybody chose add, at both ends of an interval, (2, N).
        deviations: what an answer does to the distance, (N, d).
    """

    cells: tuple[IntArray, ...]
    plugin: FloatArray
    distance: FloatArray
    se: FloatArray
    ripple: FloatArray
    unseen: FloatArray
    deviations: FloatArray

    @classmethod
    def of(cls, scale: Scale, n: FloatArray, is_smoothed: bool) -> "_OfScale":
        """Compute it, if the N people of each scenario are worth n independent ones, (N,)."""
        counts, scores, measure = scale.counts, scale.scores, scale.measure
        whole = np.maximum(np.round(n), 1.0)
        plugin, ratio = _plugin_and_ratio(scale, n, is_smoothed)

        def statistic(counts: FloatArray, rows: IntArray) -> FloatArray:
            return ratio[rows] * measure.spread(shares(counts), whole[rows], scores, is_smoothed)

        def estimate(counts: FloatArray, rows: IntArray) -> FloatArray:
            return without_bias(lambda left, at: statistic(left, rows[at]), counts)

        varying = statistic if is_nearly_linear(measure) else estimate
        deviations = jackknife_deviations(varying, counts)
        variance = (counts * deviations**2).sum(1) * scale.times_by_weights(varying)
        unseen = [
            unseen_variance(statistic, counts, variance, scale.q, side, scale.times)
            for side in (-1.0, 1.0)
        ]
        return cls(
            np.ix_(scale.rows, scale.columns),
            plugin,
            np.where(np.isinf(plugin), plugin, estimate(counts, np.arange(len(n)))),
            standard_error(variance, counts),
            measure.ripple(scale.q, whole, scores),
            np.sqrt(unseen),
            deviations,
        )


def is_nearly_linear(measure: Discrepancy) -> bool:
    """Return whether E L(p, p̂_N) changes with people's shares, and not with their squares only."""
    return measure.metric_root == 1 or measure.is_square


def _plugin_and_ratio(
    scale: Scale, n: FloatArray, is_smoothed: bool
) -> tuple[FloatArray, FloatArray]:
    """Return E L(p̂, p̂_n), and its ratio to the spread, (N,) each.

    Where everybody answers alike, both are 0, and the ratio is that at smoothed shares.
    """
    whole, scores, measure = np.maximum(np.round(n), 1.0), scale.scores, scale.measure
    plugin = _expected(scale, scale.q, n, is_smoothed)
    spread = measure.spread(scale.q, whole, scores, is_smoothed)
    p = smoothed_shares(scale.q, scale.counts.sum(1))
    other = measure.spread(p, whole, scores, is_smoothed)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: FloatArray = plugin / spread
    alike = np.flatnonzero(np.isfinite(plugin) & (spread <= NOTHING * other))
    ratio[alike] = _expected(scale.take(alike), p[alike], n[alike], is_smoothed) / other[alike]
    return plugin, ratio


def _expected(scale: Scale, p: FloatArray, n: FloatArray, is_smoothed: bool) -> FloatArray:
    """Return E L(p, p̂_n), (N,); between two whole n in a straight line, NaN below one."""
    below = np.maximum(np.floor(n), 1.0)
    expected = scale.measure.expected(p, below, scale.scores, is_smoothed)
    between = np.flatnonzero(n > below)
    if len(between):
        above = below[between] + 1.0
        more = scale.measure.expected(p[between], above, scale.scores, is_smoothed)
        expected[between] += (n - below)[between] * (more - expected[between])
    return np.where(n < 1.0, np.nan, expected)


def _together(
    parts: list[_OfScale], shape: tuple[int, ...]
) -> tuple[DiscrepancyBounds, FloatArray, FloatArray, FloatArray]:
    """Return estimates without bias as equal bounds; plug-ins; deviations; ripples."""
    bounds = {name: np.zeros(shape[0]) for name in DiscrepancyBounds._fields}
    bounds |= {name: np.full(shape[0], np.inf) for name in ("reach", "highest")}
    plugin, deviations, ripples = np.zeros(shape[0]), np.zeros(shape), np.zeros((2, shape[0]))
    for part in parts:
        rows = part.cells[0][:, 0]
        plugin[rows], deviations[part.cells] = part.plugin, part.deviations
        ripples[:, rows] = part.ripple
        for end, unseen in zip(("lower", "upper"), part.unseen, strict=True):
            bounds[end][rows] = bounds[f"smooth_{end}"][rows] = part.distance
            bounds[f"{end}_se"][rows] = part.se
            bounds[f"{end}_unseen_se"][rows] = unseen
    return DiscrepancyBounds(**bounds), plugin, deviations, ripples
