"""Error bars of mean scores and of differences between two simulators' mean scores.

A score is any finite number per scenario: an accuracy, a plug-in or an upper discrepancy. Scenarios
are a sample from a population of scenarios, so the mean over the m studied ones has a standard
error ([EB] = Miller, Adding Error Bars to Evals, arXiv 2411.00640). All statements are about *new*
scenarios, and about new clusters if there are clusters. Conditions that are the same in all
clusters, such as the people who answer, are taken as given.

Scenarios stand on the first axis, (m,) or (m, ...). Further axes are simulators, discrepancies or
studies, each with its own result. ``clusters`` is one label per scenario, (m,), of any type that
NumPy can sort. Scenarios of different clusters are taken as independent; without clusters all are.

Intervals and p-values use CR2 and Student's t. The degrees of freedom are those of
:func:`fidelity.comparison.few_clusters.degrees_of_freedom` at the level of the interval: G - 1 for
G equal clusters, and m - 1 without clusters. So a p-value is below 1 - level exactly if the
interval excludes 0. In unequal clusters compare it with no other level.

They are exact for normal scores in equal clusters, and approximate otherwise: they rest on the
distribution of the clusters' effects, which few clusters cannot show. Below 10 effective clusters
an interval needs a warning, and below 4 there is no p-value. From 4 on, tests at 5 % reject true
hypotheses as follows, in simulated studies:

- normal effects of clusters: up to 6 %;
- exponential effects: up to 12 %;
- effects of two values that are equally likely: up to 6 % in equal clusters, and up to 25 % where a
  few are large and many small;
- effects of two values, of which one has the probability .2: up to 27 % in equal clusters, and up
  to 37 % in unequal ones.

The more scenarios of a cluster agree, the worse; :mod:`fidelity.comparison.wild_clusters` has the
table, and a test that holds for all symmetric effects.

Where nearly all scores are equal, those few that differ don't show how much scores vary: with 1 to
3 rare scores expected, intervals hold the truth in .63 to .88 instead of .95. If the smallest and
the largest possible score are known, :func:`extended` mends that.
"""

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray, Floats, IntArray
from fidelity.blocks import FOR_PRODUCTS, blocks
from fidelity.comparison.few_clusters import degrees_of_freedom, effective_clusters, has_test

ROUNDING, ALIKE = 1e-12, 1e-6
VECDOT: Any = np.vecdot  # typed without ``axis``
ENOUGH_DIFFER, LARGEST, SMALLEST = 10.0, 1e300, 1e-300
Limits = tuple[Floats, Floats]


class ErrorBar(NamedTuple):
    """A mean or a difference of means with its uncertainty; numbers, or arrays of one shape.

    Where all scores, or the sums of all clusters, are equal, the standard error is 0. It then tells
    nothing about the true error, so interval, statistic and p-value are NaN. The standard error of
    two samples is NaN if it is 0 in one of them. The p-value is NaN below 4 effective clusters, and
    the interval may then be far too short.

    Attributes:
        estimate: the mean score, or the difference of two, in the unit of the scores.
        se: its standard error.
        lower, upper: ends of the two-sided confidence interval.
        statistic: estimate/se; the interval's middle over se where scores were :func:`extended`.
        p_value: two-sided, of the hypothesis that the true value is 0; below 1 - level exactly if
            the interval excludes 0, or NaN.
        df: degrees of freedom of Student's t; infinite for the normal distribution.
        n: scenarios.
        n_clusters: clusters; as many as scenarios if there are none.
        effective_clusters: the number of equal clusters that would give an equally precise mean, if
            scenarios of a cluster agree. Of two samples, the smaller of their numbers. Below 10 the
            interval rests on t's shape more than on the data.
        correlation: of the two score vectors over scenarios; NaN unless paired.

    Examples:
        >>> from fidelity import mean_error_bar
        >>> bar = mean_error_bar([0.03, 0.04, 0.09, 0.12, 0.09, 0.10])
        >>> print(f"{bar.estimate:.3f}, from {bar.lower:.3f} to {bar.upper:.3f}; n = {bar.n}")
        0.078, from 0.041 to 0.116; n = 6
    """

    estimate: FloatArray
    se: FloatArray
    lower: FloatArray
    upper: FloatArray
    statistic: FloatArray
    p_value: FloatArray
    df: FloatArray
    n: int
    n_clusters: int
    effective_clusters: float
    correlation: Floats = np.nan

    @property
    def middle(self) -> FloatArray:
        """The middle of the interval: the estimate, unless scores were :func:`extended`.

        That of the whole interval, where it was cut.
        """
        return self.statistic * self.se

    def cut(self, limits: tuple[float, float]) -> "ErrorBar":
        """Return the same without what lies beyond the smallest and the largest possible mean."""
        low, high = limits
        return self._replace(lower=np.maximum(self.lower, low), upper=np.minimum(self.upper, high))

    @property
    def opposite(self) -> "ErrorBar":
        """The difference the other way round."""
        return self._replace(
            estimate=-self.estimate,
            lower=-self.upper,
            upper=-self.lower,
            statistic=-self.statistic,
        )

    @property
    def without_interval(self) -> "ErrorBar":
        """The same, but that its interval and test are unknown."""
        unknown = self.se * np.nan
        return self._replace(lower=unknown, upper=unknown, statistic=unknown, p_value=unknown)

    def widened(self, more: "ErrorBar") -> "ErrorBar":
        """Return the interval and test of ``more`` around this estimate, unless it is shorter."""
        if more.upper - more.lower < self.upper - self.lower:
            return self
        of_more = {name: getattr(more, name) for name in ("se", "lower", "upper", "statistic")}
        p_value = more.p_value if has_test(self.effective_clusters) else self.p_value * np.nan
        return self._replace(**of_more, p_value=p_value, df=more.df)


def clt_standard_error(scores: FloatArray) -> FloatArray:
    """Return sqrt(Σ(s - s̄)²/(m(m-1))), for independent scenarios ([EB], eq. 1).

    Args:
        scores: (m, ...), m ≥ 2.

    Returns:
        (...).

    Raises:
        ValueError: if there are fewer than 2 scenarios or a score isn't finite.
    """
    return _clt(_checked(scores))


def cr0_standard_error(scores: FloatArray, clusters: AnyArray) -> FloatArray:
    """Return sqrt(Σ_c S_c²)/m with S_c = Σ_i (s_ic - s̄), which is cluster-robust.

    Too small on average where clusters are few.

    Args:
        scores: (m, ...).
        clusters: (m,), at least 2 different labels.

    Returns:
        (...).
    """
    sums, sizes = _sums(_checked(scores), clusters)
    return _robust(sums, sizes)


def cr1_standard_error(scores: FloatArray, clusters: AnyArray) -> FloatArray:
    """Return CR0·sqrt(G/(G-1)) for G clusters; the CLT's exactly if each scenario is its own.

    Arguments as :func:`cr0_standard_error`.
    """
    sums, sizes = _sums(_checked(scores), clusters)
    return _robust(sums, sizes) * np.sqrt(len(sizes) / (len(sizes) - 1))


def cr2_standard_error(scores: FloatArray, clusters: AnyArray) -> FloatArray:
    """Return sqrt(Σ_c S_c²/(1 - m_c/m))/m, of Bell & McCaffrey (2002).

    Its square is unbiased for independent scenarios. For clusters of equal size it is CR1 exactly.
    See :mod:`fidelity.comparison.few_clusters`. Arguments as :func:`cr0_standard_error`.
    """
    sums, sizes = _sums(_checked(scores), clusters)
    return _robust(sums, sizes, _rest(sums, sizes))


def paper_clustered_standard_error(scores: FloatArray, clusters: AnyArray) -> FloatArray:
    """Return [EB], eq. 4: SE² = SE_CLT² + (1/m²) Σ_c Σ_i Σ_{j≠i} (s_ic - s̄)(s_jc - s̄).

    The double sum is CR0² less the squares, so SE² = CR0² + SE_CLT²/m exactly: it can't be
    negative. Arguments as :func:`cr0_standard_error`.
    """
    checked = _checked(scores)
    within_scenario = _clt(checked) / np.sqrt(checked.m)
    return np.hypot(_robust(*_sums(checked, clusters)), within_scenario)


def error_bar(
    estimate: FloatArray,
    se: FloatArray,
    *,
    n: int,
    n_clusters: int,
    effective_clusters: float | None = None,
    df: float = np.inf,
    level: float = 0.95,
) -> ErrorBar:
    """Return estimate ± t·se with t the two-sided quantile of Student's t, normal at df = ∞.

    Args:
        estimate: any shape.
        se: its standard error, the same shape.
        n: scenarios.
        n_clusters: clusters.
        effective_clusters: n_clusters if None; below 4 there is no p-value.
        df: degrees of freedom.
        level: of the interval, in (0, 1).
    """
    level = inputs.number("level", level, inputs.INSIDE)
    estimate, se = np.asarray(estimate, float), np.asarray(se, float)
    known = np.where(se > 0, se, np.nan)
    half, statistic = sp.special.stdtrit(df, (1 + level) / 2) * known, estimate / known
    effective = n_clusters if effective_clusters is None else effective_clusters
    tested = statistic if has_test(effective) else statistic * np.nan
    p_value = 2.0 * sp.special.stdtr(df, -np.abs(tested))
    ends = estimate - half, estimate + half
    numbers = (estimate, se, *ends, statistic, p_value, np.full(se.shape, df, float))
    return ErrorBar._make([*(number[()] for number in numbers), n, n_clusters, effective, np.nan])


def mean_error_bar(
    scores: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95
) -> ErrorBar:
    """Return a mean score with its standard error and its confidence interval.

    CR2 over clusters, the CLT's without, Student's t.

    Args:
        scores: (m, ...).
        clusters: one label per scenario, (m,); None for independent scenarios.
        level: of the interval.

    Raises:
        ValueError: on fewer than 2 scenarios or clusters, or scores that aren't finite.

    Examples:
        >>> from fidelity import mean_error_bar
        >>> model = [0.03, 0.04, 0.09, 0.12, 0.09, 0.10, 0.10, 0.10, 0.18, 0.06]
        >>> topic = ["tax"] * 3 + ["health"] * 3 + ["law"] * 4
        >>> print(f"{mean_error_bar(model).se:.4f} {mean_error_bar(model, topic).se:.4f}")
        0.0135 0.0173
    """
    scores, clusters = inputs.aligned(scores=scores, clusters=clusters)
    scores = _checked(scores)
    se, spread = _standard_error(scores, clusters, level)
    return error_bar(scores.mean, se, level=level, **spread)


def paired_error_bar(
    scores: ArrayLike,
    other: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
) -> ErrorBar:
    """Return how far one mean score is above another on the same scenarios, with its error.

    mean(scores) - mean(other) ([EB], eqs. 7 and 8).

    It is the error of the mean of the differences s_j - s'_j. Its clustered form CR0 is
    sqrt(Σ_c Σ_i Σ_j (d_ic - d̄)(d_jc - d̄))/m. The factor 1/m stands outside the root. A widely
    copied text prints it inside, which makes the error √m times too large.

    Args:
        scores, other: (m, ...); one of them may lack the last axes of the other.
        clusters: one label per scenario, (m,); None for independent scenarios.
        level: of the interval.

    Returns:
        The difference; ``correlation`` is Pearson's between the two, NaN where one is constant.

    Examples:
        >>> from fidelity import paired_error_bar
        >>> model = [0.03, 0.04, 0.09, 0.12, 0.09, 0.10, 0.10, 0.10, 0.18, 0.06]
        >>> guess = [0.09, 0.18, 0.22, 0.38, 0.05, 0.27, 0.23, 0.36, 0.02, 0.26]
        >>> bar = paired_error_bar(model, guess)
        >>> print(f"{bar.estimate:.3f}, from {bar.lower:.3f} to {bar.upper:.3f}")
        -0.115, from -0.209 to -0.021
    """
    scores, other, clusters = inputs.aligned(scores=scores, other=other, clusters=clusters)
    first, second = _same_scenarios(_checked(scores), _checked(other, "other"))
    difference = _checked(first.values - second.values)
    se, spread = _standard_error(difference, clusters, level)
    bar = error_bar(difference.mean, se, level=level, **spread)
    squares, product, of_other = _products(first, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        return bar._replace(correlation=(product / np.sqrt(squares * of_other))[()])


def unpaired_error_bar(
    scores: ArrayLike,
    other: ArrayLike,
    clusters: ArrayLike | None = None,
    other_clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
) -> ErrorBar:
    """Return how far one mean score is above another on other scenarios, with its error.

    mean(scores) - mean(other) for two independent samples of scenarios.

    sqrt(SE² + SE'²), and degrees of freedom by Welch and Satterthwaite. For the same scenarios use
    :func:`paired_error_bar`; if their scores correlate positively, this error is conservative.

    Args:
        scores: (m, ...).
        other: (m', ...).
        clusters, other_clusters: (m,) and (m',), both or neither.
        level: of the interval.

    Returns:
        The difference; ``n`` and ``n_clusters`` are those of both samples together, and
        ``effective_clusters`` is the smaller of both. There is no interval where either sample's
        standard error is 0.

    Examples:
        >>> from fidelity import unpaired_error_bar
        >>> model = [0.03, 0.04, 0.09, 0.12, 0.09, 0.10, 0.10, 0.10, 0.18, 0.06]
        >>> bar = unpaired_error_bar(model, [0.18, 0.22, 0.38, 0.27, 0.23])  # other questions
        >>> print(f"{bar.estimate:.3f}, from {bar.lower:.3f} to {bar.upper:.3f}")
        -0.165, from -0.258 to -0.072
    """
    if (clusters is None) != (other_clusters is None):
        raise ValueError("clusters and other_clusters must both be given, or neither")
    scores, clusters = inputs.aligned(scores=scores, clusters=clusters)
    other, other_clusters = inputs.aligned(other=other, other_clusters=other_clusters)
    scores, other = _checked(scores), _checked(other, "other")
    if other_clusters is not None:
        other_clusters = inputs.labels("other_clusters", other_clusters, other.m)
    (se, of_one), (other_se, of_other) = (
        _standard_error(scores, clusters, level),
        _standard_error(other, other_clusters, level),
    )
    df, other_df = of_one.pop("df"), of_other.pop("df")
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = (se**2 + other_se**2) ** 2 / (se**4 / df + other_se**4 / other_df)
    return error_bar(
        scores.mean - other.mean,
        np.where((se > 0) & (other_se > 0), np.hypot(se, other_se), np.nan),
        **{name: of_one[name] + of_other[name] for name in ("n", "n_clusters")},
        effective_clusters=min(of_one["effective_clusters"], of_other["effective_clusters"]),
        df=freedom,
        level=level,
    )


def enough_differ(scores: FloatArray, clusters: AnyArray | None, limits: Limits) -> bool:
    """Return whether enough scores differ from the commonest to show how much scores vary.

    A score's place between its limits is compared with the median place. With e_c a cluster's sum
    of these differences (a scenario's, without clusters), (Σe_c)²/Σe_c² clusters differ: for scores
    of two values the number of the rarer. They are enough from 10 on, or where they are half of the
    :func:`~.few_clusters.effective_clusters` (a quarter of the scenarios).

    Args:
        scores: (m,).
        clusters: (m,), or None.
        limits: the smallest and the largest possible score, numbers or (m,) each; may be infinite.
    """
    ends = (np.clip(np.asarray(end, float), -LARGEST, LARGEST) for end in limits)
    lowest, highest = (np.broadcast_to(end, len(scores)) for end in ends)
    span = highest - lowest
    place = (scores - lowest)[span > 0] / span[span > 0]
    far: FloatArray = np.zeros(len(scores))
    away = np.abs(place - np.median(place)) if len(place) else place
    far[span > 0] = np.where(away > ROUNDING, away, 0.0) * span[span > 0]
    member = np.arange(len(scores)) if clusters is None else np.unique(clusters, False, True)[1]
    sums = np.bincount(member, far / max(far.max(initial=0.0), SMALLEST)).astype(float)
    differ = sums.sum() ** 2 / (sums @ sums) if sums.any() else 0.0
    share = 4 if len(sums) == len(scores) else 2
    enough = min(ENOUGH_DIFFER, effective_clusters(np.bincount(member)) / share)
    return bool(differ >= enough * (1 - ROUNDING))


def extended(
    scores: FloatArray, clusters: AnyArray | None, limits: Limits
) -> tuple[FloatArray, AnyArray | None]:
    """Return scores with one more at each limit unless :func:`enough_differ`; and their clusters.

    As Agresti and Coull (1998) and Agresti and Min (2005) add successes and failures. With clusters
    it is a cluster of average size at each limit, since the scores of one that was not seen may all
    agree. Intervals of means and paired differences then hold the truth in .93 to 1.0 of simulated
    studies: rates of .005 to .5, 20 to 1,000 questions, 5 to 100 clusters of 5 and 25 with
    intraclass correlations of 0 and .2; see :mod:`fidelity_audit.rare_scores`.

    Arguments as :func:`enough_differ`; scores are between their limits, which are finite.
    """
    if enough_differ(scores, clusters, limits):
        return scores, clusters
    ends = [float(np.mean(end)) for end in limits]
    if clusters is None:
        return np.append(scores, ends), None
    labels, member = np.unique(clusters, return_inverse=True)
    many = round(len(scores) / len(labels))
    added = np.repeat([len(labels), len(labels) + 1], many)
    return np.append(scores, np.repeat(ends, many)), np.append(member, added)


def bounded_error_bar(
    bar_of: Callable[[FloatArray, AnyArray | None], ErrorBar],
    scores: FloatArray,
    clusters: AnyArray | None,
    limits: Limits,
) -> ErrorBar:
    """Return the error bar of scores with the interval of :func:`extended` ones.

    There is no interval where too few scores differ and a score can be infinite.

    Args:
        bar_of: the error bar of scores and their clusters.
        scores, clusters, limits: as :func:`enough_differ`.
    """
    bar = bar_of(scores, clusters)
    if enough_differ(scores, clusters, limits):
        return bar
    if not all(np.isfinite(end).all() for end in limits):
        return bar.without_interval
    return bar.widened(bar_of(*extended(scores, clusters, limits)))


def bounded_unpaired_error_bar(
    scores: FloatArray,
    other: FloatArray,
    clusters: AnyArray | None,
    other_clusters: AnyArray | None,
    limits: Limits,
    *,
    level: float = 0.95,
) -> ErrorBar:
    """Return :func:`unpaired_error_bar` of scores with the interval of :func:`extended` ones."""
    bar = unpaired_error_bar(scores, other, clusters, other_clusters, level=level)
    more, groups = extended(scores, clusters, limits)
    of_other, other_groups = extended(other, other_clusters, limits)
    return bar.widened(unpaired_error_bar(more, of_other, groups, other_groups, level=level))


class _Scores(NamedTuple):
    """Scores of scenarios, (m, ...), and their means, (...)."""

    values: FloatArray
    mean: FloatArray

    @property
    def m(self) -> int:
        return len(self.values)

    @property
    def scale(self) -> FloatArray:
        """The largest size of a score, (...)."""
        return np.maximum(self.values.max(0), -self.values.min(0))

    def deviations(self, rows: slice, scale: FloatArray | None) -> FloatArray:
        """Return those of some scenarios from the mean, (r, ...), 0 for rounding errors."""
        apart: FloatArray = self.values[rows] - self.mean
        return apart if scale is None else beyond_rounding(apart, scale)

    def are_alike(self, squares: FloatArray) -> bool:
        """Return whether deviations with that sum of squares may be rounding errors."""
        length = np.sqrt(squares)
        return bool((length <= ALIKE * np.sqrt(self.m) * (np.abs(self.mean) + length)).any())


def _checked(scores: ArrayLike, name: str = "scores") -> _Scores:
    """Return scores, (m, ...); an infinite discrepancy has no mean with an error."""
    values = inputs.array(name, scores)
    if values.ndim == 0 or len(values) < 2 or values.size == 0:
        raise ValueError(
            f"{name} must have at least 2 scenarios on the first axis, not the shape {values.shape}"
        )
    with np.errstate(all="ignore"):
        total = np.add.reduce(values)
    if not np.isfinite(total).all():
        inputs.numbers(name, values, inputs.FINITE)
    return _Scores(values, total / len(values))


def _same_scenarios(scores: _Scores, other: _Scores) -> tuple[_Scores, _Scores]:
    """Return both with the same axes; a score without an axis is repeated along it."""
    if scores.m != other.m:
        raise ValueError(
            f"other must be of the same scenarios as scores, {scores.m}, not of {other.m}"
        )
    axes = max(scores.values.ndim, other.values.ndim)
    first, second = (
        _Scores(
            *(array.reshape(array.shape + (1,) * (axes - score.values.ndim)) for array in score)
        )
        for score in (scores, other)
    )
    return first, second


def beyond_rounding(deviations: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the deviations, 0 where they are no more than rounding errors at that scale."""
    large = np.abs(deviations) > ROUNDING * scale
    return deviations if large.all() else np.where(large, deviations, 0.0)


def cluster_sums(scores: FloatArray, clusters: AnyArray) -> tuple[FloatArray, IntArray]:
    """Return S_c = Σ_i (s_ic - s̄), (G, ...), and the sizes of the clusters, (G,)."""
    return _sums(_checked(scores), clusters)


def _sums(scores: _Scores, clusters: AnyArray) -> tuple[FloatArray, IntArray]:
    member, sizes = inputs.numbered(inputs.labels("clusters", clusters, scores.m))[1:]
    if len(sizes) < 2:
        raise ValueError("clusters must be at least 2: one cluster tells nothing about others")
    columns = (scores.values - scores.mean).reshape(scores.m, -1).T
    sums = np.array([np.bincount(member, column) for column in columns]).T
    return beyond_rounding(sums.reshape(-1, *scores.mean.shape), scores.scale * scores.m), sizes


def _products(*scores: _Scores) -> list[FloatArray]:
    """Return Σ (s - s̄)(s' - s̄') over scenarios, (...), of each pair, and of each with itself.

    Of one its sum of squares, of two that of the first, their product's, and that of the second.
    """

    def totals(scales: Sequence[FloatArray | None]) -> list[FloatArray]:
        sums: list[Any] = [0.0] * (len(scores) * (len(scores) + 1) // 2)
        columns = max(score.values[0].size for score in scores)
        for rows in blocks(scores[0].m, columns, FOR_PRODUCTS):
            apart = [
                score.deviations(rows, scale) for score, scale in zip(scores, scales, strict=True)
            ]
            for place, pair in enumerate(combinations_with_replacement(apart, 2)):
                sums[place] = sums[place] + VECDOT(*pair, axis=0)
        return sums

    plain = totals([None] * len(scores))
    if scores[0].are_alike(plain[0]) or scores[-1].are_alike(plain[-1]):
        return totals([score.scale for score in scores])
    return plain


def _clt(scores: _Scores) -> FloatArray:
    (squares,) = _products(scores)
    return np.sqrt(squares / (scores.m - 1)) / np.sqrt(scores.m)


def _robust(sums: FloatArray, sizes: IntArray, rest: Floats = 1.0) -> FloatArray:
    return np.sqrt((sums**2 / rest).sum(0)) / sizes.sum()


def _rest(sums: FloatArray, sizes: IntArray) -> FloatArray:
    """Return 1 - m_c/m of each cluster, (G, ...) as the sums."""
    rest: FloatArray = 1 - sizes / sizes.sum()
    return rest.reshape(-1, *[1] * (sums.ndim - 1))


def _standard_error(
    scores: _Scores, clusters: Any, level: Any
) -> tuple[FloatArray, dict[str, Any]]:
    """Return the default standard error, and the numbers of the design for :func:`error_bar`."""
    m = scores.m
    if clusters is None:
        return _clt(scores), {"n": m, "n_clusters": m, "effective_clusters": float(m), "df": m - 1}
    sums, sizes = _sums(scores, clusters)
    return _robust(sums, sizes, _rest(sums, sizes)), {
        "n": m,
        "n_clusters": len(sizes),
        "effective_clusters": effective_clusters(sizes),
        "df": degrees_of_freedom(sizes, level),
    }
