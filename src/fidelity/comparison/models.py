"""Models compared over evaluations: means, differences with Holm's p-values, and what to plan.

A model has scores of some questions in some evaluations. Two models are compared on the questions
that both have a score of. Over several evaluations there are the mean of all questions (``all
questions``) and the mean of the evaluations' means (``mean of evals``). The error bars are those of
:mod:`fidelity.comparison.evaluations`, and :mod:`fidelity.comparison.shared_clusters` where
evaluations have clusters of the same name, such as passages.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from itertools import combinations
from math import ceil, isfinite, isnan, nan
from typing import Any

import numpy as np

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray
from fidelity.comparison import error_bars
from fidelity.comparison.error_bars import (
    ErrorBar,
    bounded_unpaired_error_bar,
    enough_differ,
    unpaired_error_bar,
)
from fidelity.comparison.evaluations import (
    ROUNDING,
    QuestionMeans,
    SampleComponents,
    by_question,
    combined_error_bar,
    components_of_samples,
    non_inferiority,
    question_means,
    questions_by_formula,
    score_difference,
    score_error_bar,
    wilson_interval,
)
from fidelity.comparison.pairwise import holm
from fidelity.comparison.shared_clusters import shared_clusters_error_bar
from fidelity.planning.power import planned_test
from fidelity.structure.estimates import Interval

HIGHER, LOWER = "higher", "lower"
EVAL, POOLED, MACRO = "eval", "all questions", "mean of evals"
COMBINED = {POOLED: "all questions pooled", MACRO: "mean of the evals"}
FEWEST = 2
FEW_DIFFER = (
    "nearly all scores are equal, so the interval is as if one question more, or one cluster more, "
    "had the lowest score that there can be, and another the highest"
)
SINGLE = "one question: no standard error"
ONE_CLUSTER = "one cluster: it tells nothing about others, so there is no standard error"
NOTHING_SHARED = "no question has a score of both models"
SHARED_CLUSTERS = f"{NOTHING_SHARED}, and some cluster questions of both"
UNPAIRED = "no question in common; as two independent samples of questions"
BarAtLevel = Callable[[float], ErrorBar]


@dataclass(frozen=True)
class EvalScores:
    """The scores of models in one evaluation, as :func:`eval_scores` makes them of arrays.

    Attributes:
        name: of the evaluation.
        models: model -> its questions that have a score.
        clusters: question -> cluster; empty where questions aren't grouped.
        asked: model -> how many questions it was to answer: those that any model was asked, or
            where none was asked of two models, its own.
        unscored: model -> how many of its samples have no score.
        better: which score is better, ``higher`` or ``lower``.
        limits: the smallest and the largest score that there can be.
    """

    name: str
    models: dict[str, QuestionMeans]
    clusters: dict[Any, Any] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    unscored: Counter[str] = field(default_factory=Counter)
    better: str = HIGHER
    limits: tuple[float, float] = (0.0, 1.0)

    @property
    def has_ends(self) -> bool:
        """Whether there are a smallest and a largest score."""
        return all(map(isfinite, self.limits))

    @property
    def span(self) -> float:
        """The range of scores, or from the lowest mean to the highest where it has no end."""
        means = np.concatenate([means.mean for means in self.models.values()])
        low, high = self.limits if self.has_ends else (means.min(), means.max())
        return float(high - low) or 1.0

    def common(self, *models: str, unpaired: bool = False) -> "CommonQuestions":
        """Return the questions that a model has a score of, or that both of two have.

        Args:
            models: one or two.
            unpaired: whether two without a question in common are two independent samples.
        """
        means = [self.models[model] for model in models]
        questions = reduce(np.intersect1d, [mean.questions for mean in means])
        on_common = [mean.take(np.searchsorted(mean.questions, questions)) for mean in means]
        clusters = None
        if self.clusters:
            clusters = np.array([self.clusters[question] for question in questions.tolist()])
        if unpaired and not len(questions):
            one, other = (self.common(model) for model in models)
            return UnpairedQuestions(self, models, means, None, (one, other))
        return CommonQuestions(self, models, on_common, clusters)


def eval_scores(
    name: str,
    scores: ArrayLike,
    models: ArrayLike,
    questions: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    better: str = HIGHER,
    limits: tuple[float, float] = (0.0, 1.0),
) -> EvalScores:
    """Return the scores of models in one evaluation; a row is one sample of a question.

    Args:
        name: of the evaluation.
        scores: of all samples, (N,); NaN of a sample without a score. A question's score is the
            mean of its samples.
        models: whose sample it is, (N,).
        questions: the label of the sample's question, (N,).
        clusters: the label of the question's cluster, (N,); None for independent questions.
        better: which score is better, ``higher`` or ``lower``.
        limits: the smallest and the largest score that there can be; may be infinite.

    Raises:
        ValueError: on labels that are missing, scores beyond the limits, or a question in two
            clusters.

    Examples:
        >>> from fidelity.comparison import eval_scores
        >>> sums = eval_scores("sums", [1, 0, 1, 1], ["A", "A", "B", "B"], ["q1", "q2"] * 2)
        >>> print(sums.models["A"].mean, sums.asked["A"])
        [1. 0.] 2
    """
    inputs.one_of("better", better, (HIGHER, LOWER))
    scores, models, questions, clusters = inputs.aligned(
        scores=scores, models=models, questions=questions, clusters=clusters
    )
    numbers = inputs.array("scores", scores)
    names = inputs.labels("models", models, len(numbers))
    low, high = limits
    if (numbers < low - ROUNDING).any() or (numbers > high + ROUNDING).any():
        raise ValueError("limits must hold all scores")
    asked, labels = by_question(np.zeros(len(numbers)), questions, clusters)
    cluster_of = {}
    if labels is not None:
        cluster_of = dict(zip(asked.questions.tolist(), labels.tolist(), strict=True))
    is_scored, of_row = ~np.isnan(numbers), np.asarray(questions)
    means = {}
    for model in np.unique(names[is_scored]).tolist():
        rows = is_scored & (names == model)
        means[model] = question_means(numbers[rows], of_row[rows])
    unscored = Counter(names[~is_scored].tolist())
    pairs = {*zip(names.tolist(), of_row.tolist(), strict=True)}
    own, many = Counter(model for model, _ in pairs), len(asked.questions)
    of_model = own if are_apart(pairs) else Counter(dict.fromkeys(own, many))
    return EvalScores(name, means, cluster_of, of_model, unscored, better, limits)


def are_apart(asked: Iterable[tuple[Any, Any]]) -> bool:
    """Return whether no question was asked of two models.

    Args:
        asked: the model and the question of each sample, also of those without a score.
    """
    pairs = {*asked}
    return len(pairs) == len({question for _, question in pairs})


@dataclass(frozen=True)
class CommonQuestions:
    """The questions that one model has a score of, or that two have.

    Attributes:
        eval: the evaluation.
        models: one, or the model and the one that it is compared with.
        means: of the questions, for each of the models.
        clusters: of the questions, (m,); None where they aren't grouped.
    """

    eval: EvalScores
    models: tuple[str, ...]
    means: Sequence[QuestionMeans]
    clusters: AnyArray | None

    @cached_property
    def score(self) -> FloatArray:
        """The model's scores, or the differences of two, (m,)."""
        first, *others = (means.mean for means in self.means)
        return first - others[0] if others else first

    @property
    def estimate(self) -> float:
        """The mean score, or the difference of two; NaN where they can't be compared."""
        if self.lacking in (NOTHING_SHARED, SHARED_CLUSTERS):
            return nan
        first, *others = (float(means.mean.mean()) for means in self.means)
        return first - others[0] if others else first

    @property
    def limits(self) -> tuple[float, float]:
        """The range of a score, or of a difference of two."""
        low, high = self.eval.limits
        return (low, high) if len(self.models) == 1 else (low - high, high - low)

    @property
    def labels(self) -> list[str]:
        """The clusters by name; without clusters a question is one, in no other evaluation."""
        if self.clusters is None:
            place = f"of {self.eval.name}"
            return [f"question {question} {place}" for question in self.means[0].questions]
        return [f"cluster {cluster}" for cluster in self.clusters]

    @property
    def lacking(self) -> str:
        """Why there is no error bar; empty where there is one."""
        if len(self.score) < FEWEST:
            return SINGLE if len(self.score) else NOTHING_SHARED
        few = self.clusters is not None and len(set(self.clusters)) < FEWEST
        return ONE_CLUSTER if few else ""

    @cached_property
    def note(self) -> str:
        """That too few scores differ to show how much they vary; empty if enough do."""
        seen = self.score.min(initial=0.0), self.score.max(initial=0.0)
        limits = self.limits if self.eval.has_ends else seen
        return "" if enough_differ(self.score, self.clusters, limits) else FEW_DIFFER

    @property
    def standard_errors(self) -> dict[str, float]:
        """The standard errors of the mean or the difference: ``clt``, and those of estimators."""
        score, clusters = self.score, self.clusters
        groups = np.arange(len(score)) if clusters is None else clusters
        errors = {
            "clt": error_bars.clt_standard_error(score),
            "cr0": error_bars.cr0_standard_error(score, groups),
            "cr1": error_bars.cr1_standard_error(score, groups),
            "cr2": error_bars.cr2_standard_error(score, groups),
            "miller": score_error_bar(score, clusters, estimator="miller").se,
        }
        return {name: float(error) for name, error in errors.items()}

    def wilson(self, level: float) -> Interval | None:
        """Return the interval of a share by :func:`fidelity.comparison.wilson_interval`.

        None unless scores are 0 and 1, of one sample, of independent questions.
        """
        (means,) = self.means
        is_share = bool((means.samples == 1).all() and np.isin(means.mean, (0.0, 1.0)).all())
        if self.clusters is not None or not is_share:
            return None
        ends = wilson_interval(float(means.mean.sum()), len(means.mean), level=level)
        return Interval(self.estimate, *ends)

    def error_bar(self, level: float, estimator: str, *, is_bounded: bool = True) -> ErrorBar:
        """Return the error bar of the mean, or of the difference.

        Args:
            level: of the interval.
            estimator: as :func:`fidelity.comparison.score_error_bar` takes it.
            is_bounded: whether to allow for scores that nearly all are equal.
        """
        bar_of: Any = score_error_bar if len(self.means) == 1 else score_difference
        limits = self.limits if is_bounded and (self.eval.has_ends or self.note) else None
        scores = [means.mean for means in self.means]
        bar = bar_of(*scores, self.clusters, estimator=estimator, level=level, limits=limits)
        return bar if self.eval.has_ends else bar.cut(self.limits)


@dataclass(frozen=True)
class UnpairedQuestions(CommonQuestions):
    """The questions of two models that have none in common, as two independent samples.

    Attributes:
        sides: all questions of the one, and of the other, of which ``means`` are.
    """

    sides: tuple[CommonQuestions, CommonQuestions]
    score, note = np.empty(0), UNPAIRED

    @property
    def lacking(self) -> str:
        """Why there is no error bar; empty where there is one."""
        one, two = self.sides
        if not set(one.labels).isdisjoint(two.labels):
            return SHARED_CLUSTERS
        return one.lacking or two.lacking

    def error_bar(self, level: float, estimator: str, *, is_bounded: bool = True) -> ErrorBar:
        """Return the error bar of the difference, by CR2 whatever the estimator."""
        one, two = self.sides
        scores = one.score, two.score, one.clusters, two.clusters
        if self.eval.has_ends:
            bar = bounded_unpaired_error_bar(*scores, self.eval.limits, level=level)
            return bar.cut(self.limits)
        bar = unpaired_error_bar(*scores, level=level)
        return bar.without_interval if one.note or two.note else bar


@dataclass(frozen=True)
class Contrast:
    """A model's mean score or its difference from another's, in one evaluation or over several.

    Attributes:
        kind: ``eval``, ``all questions`` or ``mean of evals``.
        samples: the questions of the evaluation, or of each of several.
        estimator, alpha: of the error bar, whose level is 1 - alpha.
        p_holm: of a difference, adjusted for all differences that are compared in one evaluation;
            NaN where there is no test.
        one_sided_limit: how much lower the model is at most, by one side of the interval; or
            higher, where lower scores are better.
        p_non_inferior: of the hypothesis that the model is worse by the margin or more.

    Examples:
        >>> from fidelity.comparison import ModelComparison, eval_scores
        >>> scores, questions = [1, 0, 1, 1, 0, 0, 1, 0], ["a", "b", "c", "d"] * 2
        >>> sums = eval_scores("sums", scores, ["A"] * 4 + ["B"] * 4, questions)
        >>> for mean in ModelComparison([sums]).means():
        ...     print(mean.model, mean.questions, f"{mean.bar.estimate:.2f} ({mean.bar.se:.2f})")
        A 4 0.75 (0.25)
        B 4 0.25 (0.25)
    """

    kind: str
    samples: Sequence[CommonQuestions]
    estimator: str
    alpha: float
    p_holm: float = nan
    one_sided_limit: float = nan
    p_non_inferior: float = nan

    @property
    def evals(self) -> list[EvalScores]:
        """The evaluations."""
        return [sample.eval for sample in self.samples]

    @property
    def eval(self) -> str:
        """The name of the evaluation, or of how several are taken together."""
        return COMBINED.get(self.kind, self.evals[0].name)

    @property
    def models(self) -> tuple[str, ...]:
        """The model, and of a difference the one that it is compared with."""
        return self.samples[0].models

    @property
    def model(self) -> str:
        """The model."""
        return self.models[0]

    @property
    def baseline(self) -> str | None:
        """The model that it is compared with; None of a mean."""
        return self.models[1] if len(self.models) > 1 else None

    @property
    def better(self) -> str:
        """Which score is better."""
        return self.evals[0].better

    @property
    def questions(self) -> int:
        """How many questions count."""
        return sum(len(sample.score) for sample in self.samples)

    @property
    def unmatched(self) -> list[int]:
        """How many questions more than these have a score of each of the models."""
        return [
            sum(len(eval_.models[model].mean) for eval_ in self.evals) - self.questions
            for model in self.models
        ]

    @property
    def shared_clusters(self) -> int:
        """How many clusters several evaluations have, by their names."""
        counts = Counter(label for sample in self.samples for label in set(sample.labels))
        return sum(many > 1 for many in counts.values())

    @property
    def estimate(self) -> float:
        """The mean or the difference; NaN where there are no questions for it."""
        return self.samples[0].estimate if self.bar is None else float(self.bar.estimate)

    @cached_property
    def bar(self) -> ErrorBar | None:
        """The error bar; None if it is lacking."""
        return None if self.lacking else self.error_bar(1 - self.alpha)

    @property
    def lacking(self) -> str:
        """Why there is no error bar; empty where there is one."""
        return next(filter(None, (sample.lacking for sample in self.samples)), "")

    @property
    def note(self) -> str:
        """What is to be known of the error bar; empty if nothing."""
        if self.kind == EVAL:
            return self.samples[0].note
        level = 1 - self.alpha
        names = self._silent([sample.error_bar(level, self.estimator) for sample in self.samples])
        have = f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'}"
        why = "scores there do not show how much they vary"
        return f"no interval: {have} none, as {why}" if names else ""

    def error_bar(self, level: float) -> ErrorBar:
        """Return the error bar at a level.

        If evaluations have clusters of the same name, such as passages, these are drawn together.
        """
        bars = [sample.error_bar(level, self.estimator) for sample in self.samples]
        if self.kind == EVAL:
            return bars[0]
        weights = [bar.n if self.kind == POOLED else 1 for bar in bars]
        limits = self.samples[0].limits
        if not self.shared_clusters:
            return combined_error_bar(bars, weights, level=level).cut(limits)
        is_miller = self.estimator == "miller" and len(self.models) > 1
        bar = shared_clusters_error_bar(
            [sample.score for sample in self.samples],
            [sample.labels for sample in self.samples],
            weights,
            estimator="cr0" if is_miller else self.estimator,
            level=level,
        )
        return bar.without_interval if self._silent(bars) else bar.cut(limits)

    def _silent(self, bars: Sequence[ErrorBar]) -> list[str]:
        """Return the evaluations whose scores don't show how much a mean over all varies."""
        is_shared = self.shared_clusters > 0
        return [
            sample.eval.name
            for sample, bar in zip(self.samples, bars, strict=True)
            if isnan(bar.lower) or (is_shared and sample.note)
        ]


@dataclass(frozen=True)
class QuestionPlan:
    """The variance of a mean or a difference in one evaluation, and the questions that it needs.

    Attributes:
        contrast: the mean or the difference.
        parts: where the variance of question means comes from.
        bar: its error bar.
        cluster_inflation: how many times as large the clusters make the variance; NaN without.
        minimum_detectable_effect: of a difference, found with the wanted power on so many
            questions; NaN where there is no test.
        stated_effect: that is planned for; NaN if none is, or there is no test.
        questions_by_formula: how many independent questions show it, by the normal distribution.
        needed: how many questions show it, by Student's t; of questions in clusters how many
            clusters.
    """

    contrast: Contrast
    parts: SampleComponents
    bar: ErrorBar
    cluster_inflation: float
    minimum_detectable_effect: float = nan
    stated_effect: float = nan
    questions_by_formula: float = nan
    needed: float = nan

    @property
    def questions_needed(self) -> float:
        """How many questions these are, in clusters as large; NaN if that is not known."""
        questions = self.needed * self.bar.n / self.bar.n_clusters
        return questions if isnan(questions) else ceil(questions)


@dataclass(frozen=True)
class ModelComparison:
    """Models compared over evaluations.

    Attributes:
        evals: what :func:`eval_scores` returns, for each.
        baseline: the model that all others are compared with; None to compare every two.
        margin: how much worse still counts as no worse, in the unit of the scores.
        estimator: of standard errors, as :func:`fidelity.comparison.score_error_bar` takes it.
        unpaired: whether to compare models that have no question in common, too.
        alpha, power: of tests.
        effect: the difference to plan for, stated before looking.

    Raises:
        ValueError: if the baseline has no score, or two evaluations have one name.

    Examples:
        >>> from fidelity.comparison import ModelComparison, eval_scores
        >>> scores = [1, 1, 1, 0, 1, 0, 1, 1] * 5 + [1, 0, 1, 0, 1, 0, 0, 1] * 5
        >>> models, questions = ["A"] * 40 + ["B"] * 40, list(range(40)) * 2
        >>> compared = ModelComparison([eval_scores("sums", scores, models, questions)])
        >>> for difference in compared.differences():
        ...     bar = difference.bar
        ...     print(*difference.models, f"{bar.estimate:.2f} ({difference.p_holm:.3f})")
        A B 0.25 (0.001)
        >>> plan = compared.plans()[-1]
        >>> print(f"{plan.minimum_detectable_effect:.2f}")
        0.20
    """

    evals: Sequence[EvalScores]
    baseline: str | None = None
    margin: float | None = None
    estimator: str = "cr2"
    unpaired: bool = False
    alpha: float = 0.05
    power: float = 0.8
    effect: float | None = None

    def __post_init__(self) -> None:
        """Check the names."""
        if len({eval_.name for eval_ in self.evals}) < len(self.evals):
            raise ValueError("evals must have different names")

    @cached_property
    def models(self) -> list[str]:
        """All models, the baseline last, else by name."""
        names = sorted({name for eval_ in self.evals for name in eval_.models})
        if self.baseline is not None:
            inputs.one_of("baseline", self.baseline, names)
        return sorted(names, key=lambda name: (name == self.baseline, name))

    @property
    def pairs(self) -> list[tuple[str, ...]]:
        """Which models are compared with which: all with the baseline, or every two."""
        pairs = list(combinations(self.models, 2))
        return [pair for pair in pairs if self.baseline in (None, pair[1])]

    @property
    def kinds(self) -> list[str]:
        """How evaluations are combined, if several have one range and direction of scores."""
        ways = {(eval_.limits, eval_.better) for eval_ in self.evals}
        return list(COMBINED) if len(self.evals) > 1 and len(ways) == 1 else []

    def means(self) -> list[Contrast]:
        """Return each model's mean score in each evaluation, and over several."""
        alone = [(model,) for model in self.models]
        return [mean for means in self._families(alone) for mean in means]

    def differences(self) -> list[Contrast]:
        """Return the differences in each evaluation, and over several; Holm within each of these.

        Holm's p-values are from error bars at the level of the strictest of its tests, since the
        degrees of freedom of unequal clusters depend on the level.
        """
        rows: list[Contrast] = []
        for contrasts in self._families(self.pairs):
            tests = sum(not contrast.lacking for contrast in contrasts)
            strict = 1 - self.alpha / max(tests, 1)
            p_values = np.array(
                [
                    nan
                    if row.bar is None
                    else np.maximum(row.bar.p_value, row.error_bar(strict).p_value)
                    for row in contrasts
                ]
            )
            is_test = ~np.isnan(p_values)
            if is_test.any():
                p_values[is_test] = holm(p_values[is_test])
            rows += map(self._tested, contrasts, p_values.tolist())
        return rows

    def behind(self) -> dict[tuple[str, str], dict[str, BarAtLevel | None]]:
        """Return how far each model is behind each that it is compared with, for the use of scores.

        Degrees of freedom depend on the level: beyond the usual level they are the strictest
        test's.

        Returns:
            (evaluation, model) -> other model -> the error bar of a level, None without a test.

        Examples:
            >>> from fidelity.comparison import ModelComparison, eval_scores
            >>> from fidelity.uses import USES
            >>> scores, models = [1, 1, 0, 1] * 50 + [1, 0, 0, 1] * 50, ["A"] * 200 + ["B"] * 200
            >>> sums = eval_scores("sums", scores, models, list(range(200)) * 2)
            >>> for (_, model), others in ModelComparison([sums]).behind().items():
            ...     print(model, USES["scores"].measure(*others.values()).verdict)
            A within
            B beyond
        """
        usual = 1.0 - self.alpha
        strict = 1.0 - self.alpha / max(1, 2 * len(self.pairs) * len(self.evals))
        behind: dict[tuple[str, str], dict[str, BarAtLevel | None]] = {}
        for contrast in self._of_evals(self.pairs):
            bars = []
            if contrast.bar is not None and not isnan(contrast.bar.p_value):
                bars = [contrast.bar, contrast.error_bar(strict)]
            leads = [[bar.opposite for bar in bars], bars]
            if contrast.better == LOWER:
                leads.reverse()
            for name, rival, lead in zip(
                contrast.models, contrast.models[::-1], leads, strict=True
            ):
                if name != self.baseline:
                    by_level = partial(_by_level, lead, usual) if lead else None
                    behind.setdefault((contrast.eval, name), {})[rival] = by_level
        return behind

    def plans(self) -> list[QuestionPlan]:
        """Return the variance of each mean and paired difference, and what differences need."""
        contrasts = self._of_evals([*((model,) for model in self.models), *self.pairs])
        return [self._plan(row) for row in contrasts if row.questions and not row.lacking]

    def _families(self, groups: Sequence[tuple[str, ...]]) -> Iterator[list[Contrast]]:
        """Yield the contrasts of each evaluation, and of each way to combine them."""
        families = [(EVAL, [eval_]) for eval_ in self.evals]
        families += [(kind, list(self.evals)) for kind in self.kinds]
        for kind, evals in families:
            unpaired = self.unpaired and kind == EVAL
            contrasts = [
                Contrast(
                    kind,
                    [eval_.common(*models, unpaired=unpaired) for eval_ in evals],
                    self.estimator,
                    self.alpha,
                )
                for models in groups
                if all(set(models) <= set(eval_.models) for eval_ in evals)
            ]
            yield [row for row in contrasts if kind == EVAL or not row.lacking]

    def _of_evals(self, groups: Sequence[tuple[str, ...]]) -> list[Contrast]:
        return [row for rows in self._families(groups) for row in rows if row.kind == EVAL]

    def _tested(self, contrast: Contrast, p_holm: float) -> Contrast:
        """Return a difference with Holm's p-value, and the test that it's worse by the margin.

        Where lower scores are better, that is the test of the baseline minus the model.
        """
        if self.margin is None or contrast.lacking:
            return replace(contrast, p_holm=p_holm)
        bar = contrast.error_bar(1 - 2 * self.alpha)
        limit, gain = bar.lower, bar
        if contrast.better == LOWER:
            limit, gain = bar.upper, bar.opposite
        p_value = non_inferiority(gain, self.margin).p_value
        return replace(
            contrast, p_holm=p_holm, one_sided_limit=float(limit), p_non_inferior=p_value
        )

    def _plan(self, contrast: Contrast) -> QuestionPlan:
        (sample,) = contrast.samples
        parts = components_of_samples(*sample.means)
        bar = sample.error_bar(1 - self.alpha, self.estimator, is_bounded=False)
        alone = sample.standard_errors["clt"]
        is_clustered = sample.clusters is not None
        inflation = float(bar.se / alone) ** 2 if is_clustered and alone > 0 else nan
        plan = QuestionPlan(contrast, parts, bar, inflation)
        if contrast.baseline is None or sample.note or not bar.se > 0 or isnan(bar.df):
            return plan
        variance = parts.total if isnan(parts.noise) else max(parts.total, parts.noise)
        low, high = sample.eval.limits
        least, needed = planned_test(
            bar,
            effect=self.effect,
            is_clustered=is_clustered,
            least_variance=variance,
            alpha=self.alpha,
            power=self.power,
        )
        return replace(
            plan,
            minimum_detectable_effect=least if least <= high - low else nan,
            stated_effect=nan if self.effect is None else self.effect,
            questions_by_formula=self._by_formula(variance),
            needed=needed,
        )

    def _by_formula(self, variance: float) -> float:
        """Return how many independent questions show the stated effect; NaN if none is stated."""
        if self.effect is None:
            return nan
        levels = {"alpha": self.alpha, "power": self.power}
        return ceil(questions_by_formula(self.effect, variance, **levels))


def _by_level(bars: Sequence[ErrorBar], usual: float, level: float) -> ErrorBar:
    """Return the error bar of the usual level, or beyond it that of the strictest test."""
    return bars[level > usual]
