"""Error bars on scores of evaluations: a score for each question that a model was asked.

A question's score is a number such as 0 or 1, a probability of the right answer, or a share of
points. The questions are a sample of those that the evaluation could ask ([EB] = Miller, Adding
Error Bars to Evals, arXiv 2411.00640). If they come in clusters (a passage, a language), the
clusters are the sample. All statements are about new questions, and about new clusters if there are
clusters. Where a model was asked the same question several times, the question's score is the mean
of these samples.

Questions are scenarios of :mod:`fidelity.comparison.error_bars`, on which this rests.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray, IntArray
from fidelity.comparison.error_bars import (
    ErrorBar,
    Limits,
    bounded_error_bar,
    clt_standard_error,
    cr0_standard_error,
    cr1_standard_error,
    error_bar,
    mean_error_bar,
    paired_error_bar,
    paper_clustered_standard_error,
)
from fidelity.comparison.few_clusters import effective_clusters, to_12_digits
from fidelity.planning.power import without_rounding

ROUNDING = 1e-9
ESTIMATORS = ("cr2", "cr1", "cr0", "miller")
ROBUST = {
    "cr1": cr1_standard_error,
    "cr0": cr0_standard_error,
    "miller": paper_clustered_standard_error,
}


class QuestionMeans(NamedTuple):
    """Questions' scores, from one or more samples of each.

    Attributes:
        questions: their labels, in order, (m,).
        mean: of each question's samples, (m,).
        samples: how many each has, (m,).
        variance: of one sample of each question (divisor K-1), (m,); NaN where it has one.
    """

    questions: AnyArray
    mean: FloatArray
    samples: IntArray
    variance: FloatArray

    def take(self, rows: IntArray) -> "QuestionMeans":
        """Return some questions, by their places."""
        return QuestionMeans._make(column[rows] for column in self)


class SampleComponents(NamedTuple):
    """Where the variance of question means, or of their differences, comes from.

    Attributes:
        total: the variance over questions (divisor m-1).
        within: σ² of each model, the mean over questions of the variance of one sample.
        noise: the part of ``total`` that comes from the samples: the mean of each question's σ²/K,
            summed over the models.
        between: ω², the rest, 0 where that is negative.
        clipped: whether the rest was negative.

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison import components_of_samples, question_means
        >>> means = question_means([1, 0, 1, 1, 1, 0, 0, 0], np.repeat(["a", "b", "c", "d"], 2))
        >>> found = components_of_samples(means)
        >>> print(round(found.total, 3), found.within, round(found.between, 3))
        0.167 (0.25,) 0.042
    """

    total: float
    within: tuple[float, ...]
    noise: float
    between: float
    clipped: bool


class NonInferiority(NamedTuple):
    """Whether a difference is above -margin: the t statistic and the one-sided p-value.

    The p-value is NaN where that of the difference is: without spread, or in too few clusters.
    """

    statistic: float
    p_value: float


def score_error_bar(
    scores: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    estimator: str = "cr2",
    level: float = 0.95,
    limits: Limits | None = None,
) -> ErrorBar:
    """Return the mean score of questions with its error, by a named estimator.

    With S_c = Σ_i (s_ic - s̄) over the questions of cluster c, m questions and G clusters:

    - ``cr2``: sqrt(Σ_c S_c²/(1 - m_c/m))/m, and Student's t with the degrees of freedom of
      :func:`fidelity.comparison.few_clusters.degrees_of_freedom`. Its interval holds with few
      clusters.
    - ``cr1``: sqrt(G/(G-1) Σ_c S_c²)/m, and t with G - 1. It equals ``stderr(cluster=...)`` of
      inspect_ai, and the default of statsmodels for clusters.
    - ``cr0``: sqrt(Σ_c S_c²)/m, and the normal distribution.
    - ``miller``: [EB], eq. 4, SE² = SE_CLT² + (1/m²) Σ_c Σ_i Σ_{j≠i} (s_ic - s̄)(s_jc - s̄), and the
      normal distribution.

    Without clusters each question is its own cluster. All estimators but ``cr0`` are then [EB],
    eq. 1, sqrt(Σ(s - s̄)²/(m(m-1))), and the first two have t with m - 1.

    Args:
        scores: of m ≥ 2 questions, (m,). Where questions have several samples, such as epochs, take
            their means by :func:`question_means`: samples would count as questions, and the error
            come out too small.
        clusters: one label per question, (m,); None for independent questions.
        estimator: one of the four.
        level: of the interval.
        limits: the smallest and the largest possible score, numbers or (m,) each. The interval is
            cut at numbers, as no mean of new questions lies beyond. Where nearly all scores are
            equal the error is as if one question more, or one cluster more, had the lowest score,
            and another the highest. Without limits it
            then is far too small, and NaN where all are equal. Scores that are all 0 or 1 are
            taken as right and wrong, and their interval is cut at 0 and 1 all the same. Say the
            limits in any case: of 100 answers that are right with probability .98, intervals of
            95 % held this mean in 99 % of 2,000 simulations with limits, and in 87 % without. In 6
            clusters of 10 answers that are right with .9 they did in 100 % and 79 %.

    Raises:
        ValueError: on fewer than 2 questions or clusters, or scores that aren't finite.

    Examples:
        >>> from fidelity.comparison import question_means, score_error_bar
        >>> right = [1, 1, 1, 0, 0, 0, 1, 1, 0, 1]
        >>> passage = ["a"] * 3 + ["b"] * 3 + ["c"] * 4
        >>> for estimator in ("cr2", "cr1", "cr0", "miller"):
        ...     bar = score_error_bar(right, passage, estimator=estimator)
        ...     print(f"{estimator}: {bar.se:.3f}, {bar.lower:.2f} to {bar.upper:.2f}")
        cr2: 0.270, 0.00 to 1.00
        cr1: 0.275, 0.00 to 1.00
        cr0: 0.224, 0.16 to 1.00
        miller: 0.230, 0.15 to 1.00

        Three passages tell nothing of the others. Where all is right limits have to be said:

        >>> always = [1.0] * 30
        >>> bars = score_error_bar(always), score_error_bar(always, limits=(0, 1))
        >>> print(*(f"{bar.lower:.2f} to {bar.upper:.2f}" for bar in bars), sep="; ")
        nan to nan; 0.91 to 1.00

        Two samples of each of five questions:

        >>> question = ["q1", "q1", "q2", "q2", "q3", "q3", "q4", "q4", "q5", "q5"]
        >>> bar = score_error_bar(question_means(right, question).mean)
        >>> print(f"{bar.n} questions, {bar.se:.3f}")
        5 questions, 0.187
    """
    inputs.one_of("estimator", estimator, ESTIMATORS)
    aligned, groups = inputs.aligned(scores=scores, clusters=clusters)
    aligned = inputs.vector("scores", aligned, inputs.FINITE)
    bar = _bar_within(aligned, groups, estimator, level, limits)
    is_share = limits is None and np.isin(aligned, (0.0, 1.0)).all()
    return bar.cut((0.0, 1.0)) if is_share else bar


def _bar_within(
    scores: FloatArray, groups: AnyArray | None, estimator: str, level: float, limits: Limits | None
) -> ErrorBar:
    """Return the error bar of scores, or of differences, between their limits if there are any."""
    bar_of = partial(_bar, estimator=estimator, level=level)
    if limits is None:
        return bar_of(scores, groups)
    try:
        ends = (limits[0], limits[1])
    except (TypeError, IndexError):
        raise ValueError("limits must be the smallest and the largest possible score") from None
    low, high = (inputs.each("limits", end, inputs.REAL, len(scores)) for end in ends)
    if (scores < low - ROUNDING).any() or (scores > high + ROUNDING).any():
        raise ValueError("limits must hold all scores, or all differences of scores and other")
    bar = bounded_error_bar(bar_of, scores, groups, (low, high))
    # other questions may have other limits
    return bar if any(map(np.ndim, ends)) else bar.cut((float(ends[0]), float(ends[1])))


def _bar(aligned: FloatArray, groups: AnyArray | None, *, estimator: str, level: float) -> ErrorBar:
    if estimator == "cr2":
        return mean_error_bar(aligned, groups, level=level)
    labels = np.arange(len(aligned)) if groups is None else inputs.labels("clusters", groups)
    if estimator == "miller" and groups is None:
        se = clt_standard_error(aligned)
    else:
        se = ROBUST[estimator](aligned, labels)
    sizes = inputs.numbered(labels)[2]
    return error_bar(
        aligned.mean(),
        se,
        n=len(aligned),
        n_clusters=len(sizes),
        effective_clusters=effective_clusters(sizes),
        df=len(sizes) - 1 if estimator == "cr1" else np.inf,
        level=level,
    )


def score_difference(
    scores: ArrayLike,
    other: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    estimator: str = "cr2",
    level: float = 0.95,
    limits: Limits | None = None,
) -> ErrorBar:
    """Return mean(scores) - mean(other) over the same questions, by a named estimator.

    The error is that of the mean of the differences s_i - s'_i. Its square is smaller by 2·cov/m
    than for two separate samples. ``miller`` is [EB], eqs. 7 and 8, sqrt(Σ(d - d̄)²/(m(m-1))) and,
    clustered, sqrt(Σ_c Σ_i Σ_j (d_ic - d̄)(d_jc - d̄))/m. The others are as in
    :func:`score_error_bar`.

    Args:
        scores, other: (m,) each, of the same questions in the same order. Models with several
            samples of a question, or other questions, are compared by :class:`ModelComparison`.
        clusters: one label per question, (m,); None for independent questions.
        estimator: ``cr2``, ``cr1``, ``cr0`` or ``miller``.
        level: of the interval.
        limits: of a difference, which is at most the range of scores either way.

    Returns:
        The difference; ``correlation`` is Pearson's, NaN where one of the two is constant.

    Examples:
        >>> from fidelity.comparison import score_difference
        >>> galleon, dreadnought = [1, 1, 1, 0, 1, 0, 1, 1], [1, 0, 1, 0, 1, 0, 0, 1]
        >>> bar = score_difference(galleon, dreadnought, estimator="miller")
        >>> print(f"{bar.estimate:+.2f} ({bar.se:.2f}), {bar.lower:+.2f} to {bar.upper:+.2f}")
        +0.25 (0.16), -0.07 to +0.57
    """
    inputs.one_of("estimator", estimator, ESTIMATORS)
    bar = paired_error_bar(scores, other, clusters, level=level)
    if estimator == "cr2" and limits is None:
        return bar
    first, second, groups = inputs.aligned(scores=scores, other=other, clusters=clusters)
    difference = inputs.vector("scores", first, inputs.FINITE) - inputs.vector(
        "other", second, inputs.FINITE
    )
    wanted = "cr0" if estimator == "miller" and groups is not None else estimator
    made = _bar_within(difference, groups, wanted, level, limits)
    return made._replace(correlation=bar.correlation)


def combined_error_bar(
    bars: Sequence[ErrorBar], weights: ArrayLike, *, level: float = 0.95
) -> ErrorBar:
    """Return a weighted mean of the results of several evaluations, with its error.

    The statement is about new questions of these same evaluations. The evaluations are fixed, and
    their questions independent. The estimate is Σw_e d_e, SE² = Σw_e² SE_e², and the degrees of
    freedom are Welch's and Satterthwaite's, SE⁴/Σ(w_e⁴ SE_e⁴/df_e). Weights m_e give the mean over
    all questions, equal weights the mean over evaluations.

    Args:
        bars: one for each evaluation, all of one model, or of the same two.
        weights: not negative, (E,); divided by their sum.
        level: of the interval, the one of ``bars``.

    Returns:
        The mean. There is no interval where an evaluation's standard error is 0, since that does
        not show how much its scores vary.

    Examples:
        >>> from fidelity.comparison import combined_error_bar, score_error_bar
        >>> bars = [score_error_bar([1, 0, 1, 1]), score_error_bar([0, 0, 1, 0, 1, 0])]
        >>> print(round(combined_error_bar(bars, [4, 6]).estimate, 3))
        0.5
    """
    share = inputs.mixture("weights", weights, len(bars))
    bars = [bar for bar, weight in zip(bars, share, strict=True) if weight]
    share = share[share > 0]
    names = ("estimate", "middle", "se", "df")
    estimate, middle, se, df = (
        np.array([float(getattr(bar, name)) for bar in bars]) for name in names
    )
    parts = np.where(se > 0, (share * se) ** 2, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = parts.sum() ** 2 / (parts**2 / df).sum()
    bar = error_bar(
        np.asarray(share @ middle),
        np.sqrt(parts.sum()),
        n=sum(bar.n for bar in bars),
        n_clusters=sum(bar.n_clusters for bar in bars),
        effective_clusters=to_12_digits(
            1 / (share**2 / [bar.effective_clusters for bar in bars]).sum()
        ),
        df=float(freedom),
        level=level,
    )
    return bar._replace(estimate=share @ estimate)


def wilson_interval(right: float, m: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the ends of Wilson's interval for a share, from independent questions.

    The interval holds all p with |p̂ - p| ≤ z sqrt(p(1 - p)/m), which are
    (p̂ + z²/2m ± z sqrt(p̂(1-p̂)/m + z²/4m²))/(1 + z²/m) (Wilson 1927). It stays in [0, 1], and has
    a width even where all questions are right. For scores 0 and 1 with one sample per question.

    Args:
        right: questions that are right, at most m.
        m: questions.
        level: of the interval.

    Examples:
        >>> from fidelity.comparison import wilson_interval
        >>> print("{:.3f} to {:.3f}".format(*wilson_interval(10, 10)))
        0.722 to 1.000
    """
    m = inputs.whole("m", m, 1)
    right = inputs.number("right", right, inputs.FINITE_NOT_NEGATIVE)
    if right > m:
        raise ValueError(f"right must be at most m, {m}, not {right:g}")
    z = float(sp.special.ndtri((1 + inputs.number("level", level, inputs.INSIDE)) / 2))
    share = right / m
    middle = (share + z**2 / (2 * m)) / (1 + z**2 / m)
    half = z * np.sqrt(share * (1 - share) / m + z**2 / (4 * m**2)) / (1 + z**2 / m)
    lower = 0.0 if right == 0 else middle - half
    return float(lower), float(1.0 if right == m else middle + half)


def question_means(scores: ArrayLike, questions: ArrayLike) -> QuestionMeans:
    """Return the mean of each question's samples, and how much single samples vary.

    Args:
        scores: of all samples, (N,).
        questions: the label of each sample's question, (N,), of any type that NumPy can sort.

    Examples:
        >>> from fidelity.comparison import question_means
        >>> print(question_means([1, 0, 1], ["a", "a", "b"]).mean)
        [0.5 1. ]
    """
    scores = inputs.vector("scores", scores, inputs.FINITE)
    labels = inputs.labels("questions", questions, len(scores))
    names, member, samples = inputs.numbered(labels)
    mean = np.bincount(member, scores) / samples
    squares = np.bincount(member, (scores - mean[member]) ** 2)
    variance = np.where(samples > 1, squares / np.maximum(samples - 1, 1), np.nan)
    return QuestionMeans(names, mean, samples, variance)


def by_question(
    scores: ArrayLike, questions: ArrayLike, clusters: ArrayLike | None
) -> tuple[QuestionMeans, AnyArray | None]:
    """Return the mean of each question's samples, and each question's cluster."""
    scores, questions, clusters = inputs.aligned(
        scores=scores, questions=questions, clusters=clusters
    )
    means = question_means(scores, questions)
    if clusters is None:
        return means, None
    labels = inputs.labels("clusters", clusters, len(inputs.labels("questions", questions)))
    _, first, member = np.unique(questions, return_index=True, return_inverse=True)
    if (odd := np.flatnonzero(labels != labels[first][member])).size:
        raise ValueError(
            f"clusters must be the same for all samples of a question; question "
            f"{means.questions[member[odd[0]]]!s} is in {labels[first][member[odd[0]]]!s} and "
            f"{labels[odd[0]]!s}"
        )
    return means, labels[first]


def components_of_samples(*models: QuestionMeans) -> SampleComponents:
    """Return ω² and σ² from the samples of one model, or of two on the same questions.

    With V the variance over questions of the mean score, or of the difference of two models' mean
    scores (divisor m-1), and s_i² that of question i's K_i samples (divisor K_i - 1):
    σ² = mean(s_i²), ω² = V - Σ_models mean(s_i²/K_i). Both are unbiased, with any numbers of
    samples, if samples are independent. With K samples of each question it is
    :func:`fidelity.variance_components`.

    Args:
        models: a model's questions, or two models', in the same order; at least 2 of them.

    Returns:
        The components; NaN where a question has one sample only, which tells nothing about σ².

    Examples:
        >>> from fidelity.comparison import components_of_samples, question_means
        >>> question = ["a", "a", "b", "b", "b", "c", "c"]
        >>> found = components_of_samples(question_means([1, 0, 1, 1, 0, 0, 0], question))
        >>> print(round(found.within[0], 3), round(found.noise, 3), found.clipped)
        0.278 0.12 False
    """
    questions = [len(model.mean) for model in models]
    if len(models) not in (1, 2) or len(set(questions)) > 1 or questions[0] < 2:
        raise ValueError("give one or two models on the same questions, at least 2 of them")
    score = models[0].mean - models[1].mean if len(models) == 2 else models[0].mean
    total = without_rounding(float(np.var(score, ddof=1)), np.concatenate([e.mean for e in models]))
    within = tuple(float(model.variance.mean()) for model in models)
    noise = float(sum((model.variance / model.samples).mean() for model in models))
    between = without_rounding(total - noise, np.concatenate([e.mean for e in models]))
    if np.isnan(noise):
        return SampleComponents(total, within, noise, float("nan"), False)
    return SampleComponents(total, within, noise, max(between, 0.0), between < 0)


def variance_with_samples(
    variance: float, parts: SampleComponents, m: int, samples: float
) -> tuple[float, bool]:
    """Return the variance of a mean, or of a difference, for other numbers of samples.

    SE² is β + (1/m) Σ_models σ²/K, where β comes from the questions or, if these are in clusters,
    from the clusters too. Samples are independent of each other, also within a cluster, so β
    doesn't change with K. SE² - noise/m estimates β without bias at the present K (with CR2, and
    without clusters; other estimators need many clusters). A variance is not negative: with β =
    max(SE² - noise/m, 0) the result is never below Σσ²/(K m), the variance of samples if all
    questions are alike.

    Args:
        variance: SE² of the mean over these questions, at the present numbers of samples.
        parts: of the variance over questions, known: questions have several samples.
        m: questions.
        samples: K of each, of both models; infinite for their true means.

    Returns:
        SE² at K, and whether the estimate of β was negative. Then β is too small to be seen beside
        the noise, and the result is a lower limit, which is 0 for infinitely many samples.

    Examples:
        >>> import numpy as np
        >>> from fidelity.comparison import (
        ...     components_of_samples, question_means, score_error_bar, variance_with_samples
        ... )
        >>> means = question_means([1, 0, 1, 1, 1, 0, 0, 0], np.repeat(["a", "b", "c", "d"], 2))
        >>> parts, bar = components_of_samples(means), score_error_bar(means.mean)
        >>> for samples in (1, 2, np.inf):
        ...     print(round(variance_with_samples(bar.se**2, parts, 4, samples)[0], 4))
        0.0729 0.0417 0.0104
    """
    variance = inputs.number("variance", variance, inputs.FINITE_NOT_NEGATIVE)
    m = inputs.whole("m", m, 1)
    samples = inputs.number("samples", samples, inputs.POSITIVE)
    rest = without_rounding(variance - parts.noise / m, np.array([np.sqrt(variance)]))
    return max(rest, 0.0) + sum(parts.within) / samples / m, rest < 0


def questions_by_formula(
    effect: float, variance: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return [EB], eq. 9: n = (z_{α/2} + z_β)² (ω² + σ_A²/k_A + σ_B²/k_B)/δ²; round it up.

    For independent questions, a known variance, and a test by the normal distribution, ignoring
    rejections on the wrong side. :func:`fidelity.scenarios_needed` is the same with Student's t,
    and :func:`fidelity.clusters_needed` is for questions in clusters.

    Args:
        effect: δ, the true difference to be found, not 0.
        variance: what one question contributes, the sum in brackets.
        alpha: of the two-sided test.
        power: 1-β.

    Examples:
        >>> from fidelity.comparison import questions_by_formula
        >>> print(round(questions_by_formula(effect=0.03, variance=1 / 9), 1))  # [EB]: 969
        969.0
    """
    effect = inputs.number("effect", effect, inputs.FINITE)
    if effect == 0:
        raise ValueError("effect must not be 0: no number of questions finds it")
    variance = inputs.number("variance", variance, inputs.FINITE_NOT_NEGATIVE)
    alpha = inputs.number("alpha", alpha, inputs.INSIDE)
    power = inputs.number("power", power, inputs.INSIDE)
    z = sp.special.ndtri(1 - alpha / 2) + sp.special.ndtri(power)
    return float(z**2 * variance / effect**2)


def non_inferiority(bar: ErrorBar, margin: float) -> NonInferiority:
    """Test the hypothesis that a difference is at most -margin against its being above.

    t = (middle + margin)/se, with the interval's middle, which is the estimate unless nearly all
    scores are equal, and the degrees of freedom of ``bar``. With a bar at level 1 - 2α
    the p-value is below α exactly if the lower end of its interval is above -margin. The test is as
    accurate as Student's t on one side. An example: for 100 questions, a true difference of -margin
    and α = .05, simulated studies reject with probability .038 if the differences have a skewness
    of 1.3, and .067 if -1.3.

    Args:
        bar: a difference, the model less its baseline, at level 1 - 2α. Where lower scores are
            better, the baseline less the model.
        margin: how much worse still counts as no worse, not negative.

    Examples:
        >>> from fidelity.comparison import non_inferiority, score_difference
        >>> new, old = [1, 1, 0, 1, 1, 0, 1, 1], [1, 1, 0, 1, 0, 0, 1, 1]
        >>> bar = score_difference(new, old, level=0.9)
        >>> print(round(non_inferiority(bar, margin=0.1).p_value, 3))
        0.057
    """
    margin = inputs.number("margin", margin, inputs.FINITE_NOT_NEGATIVE)
    se = float(bar.se) or float("nan")
    statistic = (float(bar.middle) + margin) / se
    p_value = sp.special.stdtr(bar.df, -statistic) if bar.p_value == bar.p_value else np.nan
    return NonInferiority(statistic, float(p_value))
