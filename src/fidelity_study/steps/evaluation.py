"""Error bars and differences of the scores that models have in evaluations.

The statistics are in :mod:`fidelity.comparison.evaluations`; here they are applied to tables.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil, inf, isfinite, isnan, nan, sqrt

import numpy as np
import pyarrow as pa

from fidelity.comparison import error_bars
from fidelity.comparison.error_bars import ErrorBar, bounded_unpaired_error_bar, enough_differ
from fidelity.comparison.evaluations import (
    QuestionMeans,
    combined_error_bar,
    components_of_samples,
    non_inferiority,
    question_means,
    questions_by_formula,
    score_difference,
    score_error_bar,
    variance_with_samples,
    wilson_interval,
)
from fidelity.comparison.few_clusters import has_test
from fidelity.comparison.pairwise import holm
from fidelity.comparison.shared_clusters import shared_clusters_error_bar
from fidelity.planning import power as planning
from fidelity.uses.scores import Scores
from fidelity_study.errors import DataError, there_are
from fidelity_study.reading.evals.direction import HIGHER
from fidelity_study.reading.evals.rows import SCORES
from fidelity_study.steps.arrays import levels, or_none
from fidelity_study.steps.cluster_warning import warning_of
from fidelity_study.steps.uses import verdicts_of
from fidelity_study.tables.common import ERROR_BAR, LABEL, columns
from fidelity_study.tables.read_write import read, write_tables
from fidelity_study.tables.uses import OF_SCORES, measured

MORE_SAMPLES = (1, 2, 3, 5, 10)
ONE_SAMPLE = "one sample of some questions: no variance within questions"

DIFFERENT = "no question in common; as two independent samples of questions"

MISSING = pa.schema(
    [
        *columns(LABEL, "eval", "model", "question"),
        *columns(pa.int32(), "unscored", "scored"),
        ("reason", LABEL),
    ]
)
MEANS = pa.schema(
    [
        *columns(LABEL, "of", "eval", "model", "better"),
        *columns(pa.int32(), "questions", "asked", "samples_fewest", "samples_most", "missing"),
        *columns(pa.int32(), "unscored", "shared_clusters"),
        *ERROR_BAR,
        *columns(pa.float64(), "wilson_lower", "wilson_upper", "se_clt", "se_cr0", "se_cr1"),
        *columns(pa.float64(), "se_cr2", "se_miller"),
        ("warning", LABEL),
    ]
)
DIFFERENCES = pa.schema(
    [
        *columns(LABEL, "of", "eval", "model", "baseline", "better"),
        *columns(pa.int32(), "questions", "unmatched", "unmatched_baseline", "shared_clusters"),
        *ERROR_BAR,
        *columns(pa.float64(), "statistic", "p_value", "p_holm", "correlation", "margin"),
        *columns(pa.float64(), "one_sided_limit", "p_non_inferior"),
        ("warning", LABEL),
    ]
)
POWER = pa.schema(
    [
        *columns(LABEL, "eval", "model", "baseline"),
        *columns(pa.int32(), "questions", "n_clusters"),
        *columns(pa.float64(), "total", "between", "within", "within_baseline", "noise"),
        ("clipped", pa.bool_()),
        ("reason", LABEL),
        *columns(pa.float64(), "cluster_inflation", "minimum_detectable_effect", "stated_effect"),
        *columns(pa.int64(), "questions_by_formula", "questions_needed", "clusters_needed"),
        ("questions_in_clusters", pa.int64()),
    ]
)
SAMPLES = pa.schema(
    [
        *columns(LABEL, "eval", "model", "baseline"),
        ("samples", pa.int32()),
        *columns(pa.float64(), "variance", "se"),
        ("clipped", pa.bool_()),
        ("questions_by_formula", pa.int64()),
    ]
)

EVAL, POOLED, MACRO = "eval", "all questions", "mean of evals"
COMBINED = {POOLED: "all questions pooled", MACRO: "mean of the evals"}
FEWEST = 2
FEW_CLUSTERS = 30
LEAST_LIMIT = 1e-9  # of the range, for a margin of 0
NOT_ASKED = "not in its logs"
FEW_DIFFER = (
    "nearly all scores are equal, so the interval is as if one question more, or one cluster more, "
    "had the lowest score that there can be, and another the highest"
)
SINGLE = "one question: no standard error"
ONE_CLUSTER = "one cluster: it tells nothing about others, so there is no standard error"


@dataclass(frozen=True)
class Eval:
    """The scores of one eval.

    Attributes:
        name: of the eval.
        models: model -> its questions that have a score.
        clusters: question -> cluster; empty where questions aren't grouped.
        unscored: (model, question) -> how many of its samples have no score, by the reason.
        asked: every question of the eval, by any model.
        better: which score is better, ``higher`` or ``lower``.
        range: the smallest and the largest score that there can be.
    """

    name: str
    models: dict[str, QuestionMeans]
    clusters: dict[str, str]
    unscored: dict[tuple[str, str], Counter[str]]
    asked: list[str]
    better: str
    range: tuple[float, float] = (0.0, 1.0)

    def of(self, *models: str) -> tuple[list[QuestionMeans], np.ndarray | None]:
        """Return the questions that all these models have, and these questions' clusters."""
        shared = sorted(set.intersection(*(set(self.models[model].questions) for model in models)))
        on_shared = []
        for name in models:
            means = self.models[name]
            place = np.searchsorted(means.questions, shared) if shared else np.array([], int)
            on_shared.append(QuestionMeans(*(column[place] for column in means)))
        if not self.clusters:
            return on_shared, None
        return on_shared, np.array([self.clusters[question] for question in shared])

    def score(self, *models: str) -> np.ndarray:
        """Return the scores of a model, or the differences of two, on the questions of all."""
        first, *others = (means.mean for means in self.of(*models)[0])
        return first - others[0] if others else first

    def few_differ(self, *models: str) -> str | None:
        """Say that too few of these scores differ to show how much they vary; None if enough do."""
        few = not enough_differ(self.score(*models), self.of(*models)[1], self.limits(*models))
        return FEW_DIFFER if few else None

    def limits(self, *models: str) -> tuple[float, float]:
        """Return the range of a score, or of the difference of two models' scores."""
        low, high = self.range
        return (low, high) if len(models) == 1 else (low - high, high - low)

    def labels(self, *models: str) -> list[str]:
        """Return the clusters of the questions that all these models have, by name.

        In an eval without clusters each question is a cluster of its own, in no other eval.
        """
        (means, *_), clusters = self.of(*models)
        if clusters is None:
            return [f"question {question} of {self.name}" for question in means.questions]
        return [f"cluster {cluster}" for cluster in clusters]

    def scored(self, model: str) -> dict[str, int]:
        """Return how many samples of each question have a score."""
        if model not in self.models:
            return {}
        means = self.models[model]
        return dict(zip(means.questions.tolist(), means.samples.tolist(), strict=True))

    def lost(self, model: str) -> int:
        """Return how many samples of a model have no score."""
        return sum(reasons.total() for (name, _), reasons in self.unscored.items() if name == model)

    def missing(self, model: str) -> int:
        """Return of how many questions a model has no score, while some model was asked them."""
        return len(self.asked) - len(self.scored(model))


@dataclass(frozen=True)
class Evaluation:
    """All evals of an evaluation, and the settings of the step.

    Attributes:
        evals: in the order of the config.
        step: the settings: ``baseline``, ``margin``, ``standard_error``,
            ``unpaired``, ``test``.
    """

    evals: list[Eval]
    step: dict

    @property
    def alpha(self) -> float:
        """The level of tests."""
        return self.step["test"]["alpha"]

    @cached_property
    def models(self) -> list[str]:
        """All models, the baseline last, else by name."""
        names = sorted({name for eval_ in self.evals for name in eval_.models})
        baseline = self.step["baseline"]
        if baseline is not None and baseline not in names:
            raise DataError(f"baseline: {baseline!r} is no model; {there_are(baseline, names)}")
        return sorted(names, key=lambda name: (name == baseline, name))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Which models are compared with which: all with the baseline, or every two."""
        baseline = self.step["baseline"]
        if baseline is None:
            return list(combinations(self.models, 2))
        return [(model, baseline) for model in self.models if model != baseline]

    @property
    def kinds(self) -> list[str]:
        """How evals are combined, if there are several of one range and direction of scores."""
        ranges = {eval_.range for eval_ in self.evals}
        ways = {eval_.better for eval_ in self.evals}
        return list(COMBINED) if len(self.evals) > 1 and len(ranges) == len(ways) == 1 else []


def evaluation(table: pa.Table, step: dict) -> Evaluation:
    """Return the scores of a table as :data:`fidelity_study.reading.evals.rows.SCORES` has them."""
    rows = table.to_pylist()
    evals = []
    for name in step["evals"]:
        of_eval = [row for row in rows if row["eval"] == name]
        scored: dict[str, tuple[list[float], list[str]]] = {}
        for row in of_eval:
            if row["score"] is not None:
                scores, questions = scored.setdefault(row["model"], ([], []))
                scores.append(row["score"])
                questions.append(row["question"])
        unscored: dict[tuple[str, str], Counter[str]] = {}
        for row in of_eval:
            if row["score"] is None:
                reasons = unscored.setdefault((row["model"], row["question"]), Counter())
                reasons[row["reason"]] += 1
        evals.append(
            Eval(
                name,
                {model: question_means(*both) for model, both in sorted(scored.items())},
                {row["question"]: row["cluster"] for row in of_eval if row["cluster"] is not None},
                unscored,
                sorted({row["question"] for row in of_eval}),
                of_eval[0]["better"],
                tuple(step["evals"][name]["range"]),
            )
        )
    return Evaluation(evals, step)


def missing_rows(study: Evaluation) -> Iterator[dict]:
    """Yield the questions without a score, or with samples without one, of some model, and why."""
    for eval_ in study.evals:
        for model in sorted({model for model, _ in eval_.unscored} | set(eval_.models)):
            scored = eval_.scored(model)
            for question in eval_.asked:
                reasons = eval_.unscored.get((model, question), Counter())
                if question not in scored and not reasons:
                    reasons = Counter({NOT_ASKED: 0})
                for reason, many in reasons.items():
                    yield {
                        "eval": eval_.name,
                        "model": model,
                        "question": question,
                        "unscored": many,
                        "scored": scored.get(question, 0),
                        "reason": reason,
                    }


def mean_rows(study: Evaluation) -> Iterator[dict]:
    """Yield each model's mean score in each eval, and over several evals."""
    bars: dict[str, list[ErrorBar]] = {}
    for eval_ in study.evals:
        for model in study.models:
            if model in eval_.models:
                row, bar = _mean(study, eval_, model)
                yield row
                if bar is not None:
                    bars.setdefault(model, []).append(bar)
    for kind in study.kinds:
        for model in study.models:
            model_bars = bars.get(model, [])
            if len(model_bars) == len(study.evals):
                yield {
                    "of": kind,
                    "eval": COMBINED[kind],
                    "model": model,
                    "better": study.evals[0].better,
                    **_combined(study, kind, model, model_bars),
                }


def _mean(study: Evaluation, eval_: Eval, model: str) -> tuple[dict, ErrorBar | None]:
    (means,), clusters = eval_.of(model)
    row: dict = {
        "of": EVAL,
        "eval": eval_.name,
        "model": model,
        "better": eval_.better,
        "questions": len(means.mean),
        "asked": len(eval_.asked),
        "samples_fewest": int(means.samples.min()),
        "samples_most": int(means.samples.max()),
        "missing": eval_.missing(model),
        "unscored": eval_.lost(model),
        "estimate": float(means.mean.mean()),
    }
    if _is_binary(means) and clusters is None:
        ends = wilson_interval(float(means.mean.sum()), len(means.mean), level=1 - study.alpha)
        row["wilson_lower"], row["wilson_upper"] = ends
    if reason := too_few(means, clusters):
        return {**row, "warning": reason}, None
    bar = score_error_bar(
        means.mean,
        clusters,
        estimator=study.step["standard_error"],
        level=1 - study.alpha,
        limits=eval_.limits(model),
    )
    groups = np.arange(len(means.mean)) if clusters is None else clusters
    errors = {
        "se_clt": error_bars.clt_standard_error(means.mean),
        "se_cr0": error_bars.cr0_standard_error(means.mean, groups),
        "se_cr1": error_bars.cr1_standard_error(means.mean, groups),
        "se_cr2": error_bars.cr2_standard_error(means.mean, groups),
        "se_miller": score_error_bar(means.mean, clusters, estimator="miller").se,
    }
    return {
        **row,
        **_bar(bar, eval_.few_differ(model)),
        **{name: float(value) for name, value in errors.items()},
    }, bar


def _is_binary(means: QuestionMeans) -> bool:
    """Return whether scores are 0 and 1, each of one sample."""
    return bool((means.samples == 1).all() and np.isin(means.mean, (0.0, 1.0)).all())


def too_few(means: QuestionMeans, clusters: np.ndarray | None) -> str:
    """Return why there is no standard error; empty if there is one."""
    if len(means.mean) < FEWEST:
        return SINGLE
    return ONE_CLUSTER if clusters is not None and len(set(clusters)) < FEWEST else ""


def _bar(bar: ErrorBar, note: str | None = None) -> dict:
    """Return an error bar as columns; a note on it takes the place of why there is no interval."""
    names = ("estimate", "se", "df", "lower", "upper", "effective_clusters")
    row = {name: float(getattr(bar, name)) for name in names}
    warnings = [note, None if note and isnan(bar.lower) else _warning(bar)]
    return {name: None if isnan(value) else value for name, value in row.items()} | {
        "n_clusters": bar.n_clusters,
        "warning": "; ".join(filter(None, warnings)) or None,
    }


def _warning(bar: ErrorBar) -> str | None:
    """Return a warning on an interval that rests on few clusters."""
    note = warning_of(bar)
    if note is None and bar.n_clusters < bar.n and bar.effective_clusters < FEW_CLUSTERS:
        by = "the normal distribution" if not isfinite(bar.df) else "Student's t"
        end = (
            ", which is too narrow with so few: take standard_error: cr2"
            if not isfinite(bar.df)
            else f" with {float(bar.df):.3g} degrees of freedom"
        )
        return (
            f"{bar.effective_clusters:.3g} effective clusters, fewer than {FEW_CLUSTERS}: the "
            f"interval is by {by}{end}"
        )
    return note


def _combined(study: Evaluation, kind: str, model: str, bars: Sequence[ErrorBar]) -> dict:
    bar = _bar_over(study, kind, (model,), bars, 1 - study.alpha)
    return {
        "questions": bar.n,
        "asked": sum(len(eval_.asked) for eval_ in study.evals),
        "missing": sum(eval_.missing(model) for eval_ in study.evals),
        "unscored": sum(eval_.lost(model) for eval_ in study.evals),
        "shared_clusters": _shared(study, (model,)),
        **_bar(bar, _note(study, (model,), bars)),
    }


def _bar_over(
    study: Evaluation, kind: str, models: tuple[str, ...], bars: Sequence[ErrorBar], level: float
) -> ErrorBar:
    """Return the error bar over all evals of a mean or a difference, from those of each eval.

    If evals have clusters of the same name, such as passages, these are drawn together.
    """
    weights = [bar.n if kind == POOLED else 1 for bar in bars]
    limits = study.evals[0].limits(*models)  # those of all evals
    if not _shared(study, models):
        return combined_error_bar(bars, weights, level=level).cut(limits)
    estimator = study.step["standard_error"]
    if estimator == "miller" and len(models) > 1:
        estimator = "cr0"
    scores = [eval_.score(*models) for eval_ in study.evals]
    labels = [eval_.labels(*models) for eval_ in study.evals]
    bar = shared_clusters_error_bar(scores, labels, weights, estimator=estimator, level=level)
    if not _silent(study, models, bars):
        return bar.cut(limits)
    unknown = np.array(nan)
    return bar._replace(lower=unknown, upper=unknown, statistic=unknown, p_value=unknown)


def _silent(study: Evaluation, models: tuple[str, ...], bars: Sequence[ErrorBar]) -> list[str]:
    """Return the evals whose scores don't show how much a mean over evals varies."""
    shared = _shared(study, models)
    return [
        eval_.name
        for eval_, bar in zip(study.evals, bars, strict=True)
        if isnan(bar.lower) or (shared and eval_.few_differ(*models))
    ]


def _note(study: Evaluation, models: tuple[str, ...], bars: Sequence[ErrorBar]) -> str | None:
    """Say which evals have no interval by themselves, and what that means for all together."""
    if not (names := _silent(study, models, bars)):
        return None
    have = f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'}"
    return f"no interval: {have} none, as scores there do not show how much they vary"


def _shared(study: Evaluation, models: tuple[str, ...]) -> int:
    """Return how many clusters several evals have, by their names."""
    counts = Counter(label for eval_ in study.evals for label in set(eval_.labels(*models)))
    return sum(many > 1 for many in counts.values())


def difference_rows(study: Evaluation) -> list[dict]:
    """Return the paired differences in each eval, and over several; Holm within each of these."""
    rows = []
    for eval_ in study.evals:
        pairs = [pair for pair in study.pairs if set(pair) <= set(eval_.models)]
        rows += _adjusted(study, [_difference(study, eval_, *pair) for pair in pairs])
    for kind in study.kinds:
        differences = [_over_evals(study, kind, pair) for pair in study.pairs]
        rows += _adjusted(study, [*filter(None, differences)])
    return rows


@dataclass(frozen=True)
class Difference:
    """A difference.

    Attributes:
        row: its columns that are no error bar.
        at: its error bar as a function of the level; None if there are too few questions.
        note: what is to be known of the error bar; None if nothing.
    """

    row: dict
    at: Callable[[float], ErrorBar] | None
    note: str | None = None


def _difference(study: Evaluation, eval_: Eval, model: str, baseline: str) -> Difference:
    (first, other), clusters = eval_.of(model, baseline)
    row = {
        "of": EVAL,
        "eval": eval_.name,
        "model": model,
        "baseline": baseline,
        "better": eval_.better,
        "questions": len(first.mean),
        "unmatched": len(eval_.models[model].mean) - len(first.mean),
        "unmatched_baseline": len(eval_.models[baseline].mean) - len(first.mean),
    }
    if not len(first.mean):
        return _unpaired(study, eval_, row)
    row["estimate"] = float(first.mean.mean() - other.mean.mean())
    if reason := too_few(first, clusters):
        return Difference({**row, "warning": reason}, None)

    def at(level: float) -> ErrorBar:
        chosen = {"estimator": study.step["standard_error"], "level": level}
        limits = eval_.limits(model, baseline)
        return score_difference(first.mean, other.mean, clusters, **chosen, limits=limits)

    return Difference(row, at, eval_.few_differ(model, baseline))


def _unpaired(study: Evaluation, eval_: Eval, row: dict) -> Difference:
    """Return the difference of two models that have no question in common, if it is wanted."""
    (first,), clusters = eval_.of(row["model"])
    (other,), other_clusters = eval_.of(row["baseline"])
    together = set(eval_.labels(row["model"])) & set(eval_.labels(row["baseline"]))
    reason = too_few(first, clusters) or too_few(other, other_clusters)
    if not study.step["unpaired"] or together:
        why = ", and some cluster questions of both" if study.step["unpaired"] else ""
        return Difference({**row, "warning": f"no question has a score of both models{why}"}, None)
    row["estimate"] = float(first.mean.mean() - other.mean.mean())
    if reason:
        return Difference({**row, "warning": reason}, None)

    def at(level: float) -> ErrorBar:
        scores = first.mean, other.mean, clusters, other_clusters
        bar = bounded_unpaired_error_bar(*scores, eval_.range, level=level)
        return bar.cut(eval_.limits(row["model"], row["baseline"]))

    return Difference(row, at, DIFFERENT)


def _over_evals(study: Evaluation, kind: str, pair: tuple[str, str]) -> Difference | None:
    """Return a difference over several evals; None unless every eval has it."""
    if not all(set(pair) <= set(eval_.models) for eval_ in study.evals):
        return None
    if not all(eval_.labels(*pair) for eval_ in study.evals):
        return None
    differences = [_difference(study, eval_, *pair) for eval_ in study.evals]
    bars_at = [difference.at for difference in differences if difference.at is not None]
    if len(bars_at) < len(differences):
        return None

    def at(level: float) -> ErrorBar:
        return _bar_over(study, kind, pair, [bar_at(level) for bar_at in bars_at], level)

    sums = {
        key: sum(difference.row[key] for difference in differences)
        for key in ("questions", "unmatched", "unmatched_baseline")
    }
    row = {
        "of": kind,
        "eval": COMBINED[kind],
        "model": pair[0],
        "baseline": pair[1],
        "better": study.evals[0].better,
        "shared_clusters": _shared(study, pair),
        **sums,
    }
    return Difference(row, at, _note(study, pair, [bar_at(1 - study.alpha) for bar_at in bars_at]))


def _adjusted(study: Evaluation, differences: list[Difference]) -> list[dict]:
    """Return the complete rows of one eval's differences.

    Holm's p-values are from error bars at the level of the strictest of its tests, since the
    degrees of freedom of unequal clusters depend on the level.
    """
    strict = 1 - study.alpha / max(sum(difference.at is not None for difference in differences), 1)
    rows, adjusted, p_values = [], [], []
    for difference in differences:
        row = dict(difference.row)
        rows.append(row)
        if difference.at is None:
            continue
        bar = difference.at(1 - study.alpha)
        row |= _bar(bar, difference.note) | {
            name: or_none(float(getattr(bar, name)))
            for name in ("statistic", "p_value", "correlation")
        }
        row |= _non_inferior(study, difference)
        p_strict = float(difference.at(strict).p_value)
        if not (isnan(p_strict) or row["p_value"] is None):
            adjusted.append(row)
            p_values.append(max(p_strict, row["p_value"]))
    for row, value in zip(adjusted, holm(p_values) if p_values else [], strict=True):
        row["p_holm"] = float(value)
    return rows


def _non_inferior(study: Evaluation, difference: Difference) -> dict:
    """Return the test that the model is worse by at most the margin.

    Where lower scores are better, that is the test of the baseline minus the model.
    """
    margin = study.step["margin"]
    if margin is None or difference.at is None:
        return {}
    bar = difference.at(1 - 2 * study.alpha)
    is_higher = difference.row["better"] == HIGHER
    gain = bar if is_higher else bar.opposite
    return {
        "margin": margin,
        "one_sided_limit": or_none(float(bar.lower if is_higher else bar.upper)),
        "p_non_inferior": or_none(non_inferiority(gain, margin).p_value),
    }


def use_rows(study: Evaluation) -> Iterator[dict]:
    """Yield how far each model is behind the best of those it is compared with, in each eval.

    All verdicts of an evaluation hold at one error rate. The limit is the margin of the config.
    Degrees of freedom depend on the level: beyond the usual level they are the strictest test's.
    """
    kind, level, rows = Scores(), 1.0 - study.alpha, []
    strict = 1.0 - study.alpha / max(1, 2 * len(study.pairs) * len(study.evals))
    for eval_ in study.evals:
        behind = _behind(study, eval_, level, strict)
        (low, high), margin = eval_.range, study.step["margin"]
        limit = None if margin is None else max(margin, LEAST_LIMIT * (high - low))
        for model, others in behind.items():
            use = kind.measure(*others.values(), limit=limit, span=high - low)
            unknown = [name for name, bar in others.items() if bar is None]
            detail = f"no interval beside {' and '.join(unknown)}" if unknown else None
            stated = use.limit if margin is None else margin
            rows.append(
                {"eval": eval_.name, **measured(model, use, detail=detail), "limit": stated}
            )
    for row, verdict in zip(rows, verdicts_of(rows, level), strict=True):
        (alone,) = verdicts_of([row], level)
        yield {**row, "verdict": verdict, "alone": alone, "is_chosen": True}


def _behind(
    study: Evaluation, eval_: Eval, level: float, strict: float
) -> dict[str, dict[str, Callable[[float], ErrorBar] | None]]:
    """Return of each model how far it is behind each that it is compared with, None if unknown."""
    behind: dict[str, dict[str, Callable[[float], ErrorBar] | None]] = {}
    for model, other in study.pairs:
        if not {model, other} <= set(eval_.models):
            continue
        at = _difference(study, eval_, model, other).at
        bars = [] if at is None else [at(level), at(strict)]
        opposite = [bar.opposite for bar in bars]
        if eval_.better == HIGHER:
            bars, opposite = opposite, bars
        behind.setdefault(model, {})[other] = _by_level(bars, level)
        if study.step["baseline"] is None:
            behind.setdefault(other, {})[model] = _by_level(opposite, level)
    return behind


def _by_level(bars: list[ErrorBar], usual: float) -> Callable[[float], ErrorBar] | None:
    """Return which of two error bars is that of a level; None if they have no test."""
    if not bars or isnan(bars[0].p_value):
        return None
    return lambda level: bars[level > usual]


def power_rows(study: Evaluation) -> Iterator[dict]:
    """Yield the variance components of each mean and each difference.

    For differences there are also the effects that so many questions show, and the number of
    questions that shows a stated effect.
    """
    for eval_, models, questions, clusters in _measured(study):
        yield _power(study, eval_, models, questions, clusters)


def _measured(
    study: Evaluation,
) -> Iterator[tuple[Eval, tuple[str, ...], list[QuestionMeans], np.ndarray | None]]:
    """Yield each mean and difference that has a standard error, with its questions and clusters."""
    for eval_ in study.evals:
        for models in [*((model,) for model in study.models), *study.pairs]:
            if set(models) <= set(eval_.models):
                questions, clusters = eval_.of(*models)
                if len(questions[0].mean) and not too_few(questions[0], clusters):
                    yield eval_, models, questions, clusters


def _named(eval_: Eval, models: tuple[str, ...]) -> dict:
    """Return the columns that identify a mean or a difference."""
    model, baseline = (*models, None)[:2]
    return {"eval": eval_.name, "model": model, "baseline": baseline}


def _power(
    study: Evaluation,
    eval_: Eval,
    models: tuple[str, ...],
    questions: list[QuestionMeans],
    clusters: np.ndarray | None,
) -> dict:
    test = study.step["test"]
    parts = components_of_samples(*questions)
    bar, alone = _bar_of(study, questions, clusters)
    row = {
        **_named(eval_, models),
        "questions": bar.n,
        "n_clusters": bar.n_clusters,
        "total": parts.total,
        **_parts(parts),
        "cluster_inflation": (
            float(bar.se / alone) ** 2 if clusters is not None and alone > 0 else None
        ),
    }
    if len(models) < 2 or eval_.few_differ(*models) or not bar.se > 0 or isnan(bar.df):
        return row
    variance = parts.total if isnan(parts.noise) else max(parts.total, parts.noise)
    errors = _errors(bar, sqrt(variance / bar.n))
    least = _largest(
        lambda se, df: planning.minimum_detectable_effect(
            bar.n, bar.n * se**2, df=float(bar.df), variance_df=df, **levels(test)
        ),
        errors,
    )
    low, high = study.step["evals"][eval_.name]["range"]
    is_possible = least is not None and least <= high - low and has_test(bar.effective_clusters)
    row["minimum_detectable_effect"] = least if is_possible else None
    effect = test["effect"]
    if effect is None:
        return row
    row |= {"stated_effect": effect, "questions_by_formula": _by_formula(study, variance)}
    if clusters is None:
        many = _largest(
            lambda se, df: planning.scenarios_needed(
                effect, bar.n * se**2, variance_df=df, **levels(test)
            ),
            errors,
        )
        return row | {"questions_needed": None if many is None else ceil(many)}
    of_test = float(bar.df) if isfinite(bar.df) else bar.n_clusters - 1.0
    many = _largest(
        lambda se, df: planning.clusters_needed(
            effect, se, bar.n_clusters, of_test, se_df=df, **levels(test)
        ),
        errors,
    )
    if many is None:
        return row
    return row | {
        "clusters_needed": ceil(many),
        "questions_in_clusters": ceil(ceil(many) * bar.n / bar.n_clusters),
    }


def _errors(bar: ErrorBar, independent: float) -> list[tuple[float, float]]:
    """Return the standard errors to plan with, each with the degrees of freedom of its estimate.

    They are that of the mean, and that of independent questions, whose variance is at least that
    of their samples. The questions of a passage are hardly ever more different than those of
    several passages. So a smaller error over few clusters is chance.
    """
    return [
        (float(bar.se), float(bar.df)),
        (independent, bar.n - 1.0 if isfinite(bar.df) else inf),
    ]


def _largest(
    plan: Callable[[float, float], float], errors: list[tuple[float, float]]
) -> float | None:
    """Return the largest of a plan's numbers; None where degrees of freedom are too few for any."""
    try:
        return max(float(plan(*error)) for error in errors)
    except ValueError:
        return None


def _bar_of(study: Evaluation, questions: list[QuestionMeans], clusters) -> tuple[ErrorBar, float]:
    """Return the error bar of a mean or a difference, and its standard error without clusters."""
    scores = [question.mean for question in questions]
    given = {"estimator": study.step["standard_error"], "level": 1 - study.alpha}
    if len(scores) == 1:
        alone = error_bars.clt_standard_error(scores[0])
        return score_error_bar(scores[0], clusters, **given), float(alone)
    alone = error_bars.clt_standard_error(scores[0] - scores[1])
    return score_difference(scores[0], scores[1], clusters, **given), float(alone)


def _parts(parts) -> dict:
    """Return components of the variance as columns, or why there are none."""
    if isnan(parts.noise):
        return {"reason": ONE_SAMPLE}
    within = dict(zip(("within", "within_baseline"), parts.within, strict=False))
    return {**within, "between": parts.between, "noise": parts.noise, "clipped": parts.clipped}


def sample_rows(study: Evaluation) -> Iterator[dict]:
    """Yield the standard errors for other numbers of samples of each question.

    The variance of one question becomes ω² + Σσ²/K. Where the questions' part of a variance is too
    small to be seen beside the samples', the row for endlessly many samples is left out.
    """
    for eval_, models, questions, clusters in _measured(study):
        parts = components_of_samples(*questions)
        if isnan(parts.noise):
            continue
        bar, _ = _bar_of(study, questions, clusters)
        for many in [*MORE_SAMPLES, None]:
            variance = parts.between + (sum(parts.within) / many if many else 0.0)
            square, clipped = variance_with_samples(float(bar.se) ** 2, parts, bar.n, many or inf)
            is_planned = len(models) > 1 and not parts.clipped
            yield {
                **_named(eval_, models),
                "samples": many,
                "variance": variance if many or not parts.clipped else None,
                "se": sqrt(square) if many or not clipped else None,
                "clipped": clipped,
                "questions_by_formula": _by_formula(study, variance) if is_planned else None,
            }


def _by_formula(study: Evaluation, variance: float) -> int | None:
    """Return how many independent questions show the stated effect, if one is stated."""
    test = study.step["test"]
    if test["effect"] is None:
        return None
    return ceil(questions_by_formula(test["effect"], variance, **levels(test)))


TABLES: dict[str, tuple[Callable[[Evaluation], Iterable[dict]], pa.Schema]] = {
    "means": (mean_rows, MEANS),
    "differences": (difference_rows, DIFFERENCES),
    "power": (power_rows, POWER),
    "samples": (sample_rows, SAMPLES),
    "missing": (missing_rows, MISSING),
    "uses": (use_rows, OF_SCORES),
}


def rows_of(study: Evaluation) -> dict[str, Iterable[dict]]:
    """Return the rows of all tables of an evaluation."""
    return {name: rows(study) for name, (rows, _) in TABLES.items()}


def main(snakemake):
    """Put error bars on scores and on their differences."""
    step = snakemake.params.step
    rows = rows_of(evaluation(read(snakemake.input.scores, SCORES), step))
    made = {name: (rows[name], schema) for name, (_, schema) in TABLES.items()}
    write_tables(snakemake.output, made, step)
