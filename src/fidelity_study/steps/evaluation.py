"""Error bars, differences and power of the scores that models have in evaluations.

The math is in :mod:`fidelity.comparison.evaluations`; here it meets tables.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil, isfinite, isnan

import numpy as np
import pyarrow as pa

from fidelity.comparison import error_bars
from fidelity.comparison.error_bars import ErrorBar
from fidelity.comparison.evaluations import (
    QuestionMeans,
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
from fidelity.planning import power as planning
from fidelity_study.errors import DataError, there_are
from fidelity_study.steps.cluster_warning import warning_of

EVAL, POOLED, MACRO = "eval", "all questions", "mean of evals"
COMBINED = {POOLED: "all questions pooled", MACRO: "mean of the evals"}
FEWEST = 2
FEW_CLUSTERS = 30
MORE_SAMPLES = (1, 2, 3, 5, 10)
NOT_ASKED = "not in its logs"
ONE_SAMPLE = "one sample of some questions: no variance within questions"
SINGLE = "one question: no standard error"
ONE_CLUSTER = "one cluster: it says nothing of others, so there is no standard error"


@dataclass(frozen=True)
class Eval:
    """The scores of one eval.

    Attributes:
        name: of the eval.
        models: model -> its questions that have a score.
        clusters: question -> cluster; empty where questions aren't grouped.
        unscored: (model, question) -> why it has no score at all.
        asked: every question of the eval, by any model.
    """

    name: str
    models: dict[str, QuestionMeans]
    clusters: dict[str, str]
    unscored: dict[tuple[str, str], str]
    asked: list[str]

    def of(self, *models: str) -> tuple[list[QuestionMeans], np.ndarray | None]:
        """Return the questions that all these models have, and these questions' clusters."""
        shared = sorted(set.intersection(*(set(self.models[each].questions) for each in models)))
        found = []
        for each in models:
            own = self.models[each]
            place = np.searchsorted(own.questions, shared) if shared else np.array([], int)
            found.append(QuestionMeans(*(column[place] for column in own)))
        if not self.clusters:
            return found, None
        return found, np.array([self.clusters[question] for question in shared])

    def missing(self, model: str) -> Iterator[tuple[str, str]]:
        """Yield the questions that a model has no score of, and why."""
        there = set(self.models[model].questions) if model in self.models else set()
        for question in self.asked:
            if question not in there:
                yield question, self.unscored.get((model, question), NOT_ASKED)


@dataclass(frozen=True)
class Evaluation:
    """All evals of an evaluation, and what is asked of them.

    Attributes:
        evals: in the order of the config.
        step: the settings: ``baseline``, ``margin``, ``standard_error``, ``test``.
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
        names = sorted({name for each in self.evals for name in each.models})
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
        """How evals are combined, where there are several with the same range of scores."""
        ranges = {tuple(each["range"]) for each in self.step["evals"].values()}
        return list(COMBINED) if len(self.evals) > 1 and len(ranges) == 1 else []


def evaluation(table: pa.Table, step: dict) -> Evaluation:
    """Return the scores of a table as :data:`fidelity_study.tables.evaluation.SCORES` has them."""
    rows = table.to_pylist()
    found = []
    for name in step["evals"]:
        own = [row for row in rows if row["eval"] == name]
        scored: dict[str, tuple[list[float], list[str]]] = {}
        for row in own:
            if row["score"] is not None:
                scores, questions = scored.setdefault(row["model"], ([], []))
                scores.append(row["score"])
                questions.append(row["question"])
        unscored = {
            (row["model"], row["question"]): row["reason"] for row in own if row["score"] is None
        }
        found.append(
            Eval(
                name,
                {model: question_means(*both) for model, both in sorted(scored.items())},
                {row["question"]: row["cluster"] for row in own if row["cluster"] is not None},
                unscored,
                sorted({row["question"] for row in own}),
            )
        )
    return Evaluation(found, step)


def missing_rows(of: Evaluation) -> Iterator[dict]:
    """Yield the questions that some model has no score of, and why."""
    for each in of.evals:
        asked = {model for model, _ in each.unscored} | set(each.models)
        for model in sorted(asked):
            for question, reason in each.missing(model):
                yield {"eval": each.name, "model": model, "question": question, "reason": reason}


def mean_rows(of: Evaluation) -> Iterator[dict]:
    """Yield each model's mean score in each eval, and over several evals."""
    bars: dict[str, list[ErrorBar]] = {}
    for each in of.evals:
        for model in of.models:
            if model in each.models:
                row, bar = _mean(of, each, model)
                yield row
                if bar is not None:
                    bars.setdefault(model, []).append(bar)
    for kind in of.kinds:
        for model in of.models:
            own = bars.get(model, [])
            if len(own) == len(of.evals):
                yield {
                    "of": kind,
                    "eval": COMBINED[kind],
                    "model": model,
                    **_combined(of, kind, own),
                }


def _mean(of: Evaluation, each: Eval, model: str) -> tuple[dict, ErrorBar | None]:
    (own,), clusters = each.of(model)
    row: dict = {
        "of": EVAL,
        "eval": each.name,
        "model": model,
        "questions": len(own.mean),
        "samples_fewest": int(own.samples.min()),
        "samples_most": int(own.samples.max()),
        "missing": sum(1 for _ in each.missing(model)),
        "estimate": float(own.mean.mean()),
    }
    if _is_binary(own) and clusters is None:
        ends = wilson_interval(float(own.mean.sum()), len(own.mean), level=1 - of.alpha)
        row["wilson_lower"], row["wilson_upper"] = ends
    if reason := _too_few(own, clusters):
        return {**row, "warning": reason}, None
    bar = score_error_bar(
        own.mean, clusters, estimator=of.step["standard_error"], level=1 - of.alpha
    )
    groups = np.arange(len(own.mean)) if clusters is None else clusters
    errors = {
        "se_clt": error_bars.clt_standard_error(own.mean),
        "se_cr0": error_bars.cr0_standard_error(own.mean, groups),
        "se_cr1": error_bars.cr1_standard_error(own.mean, groups),
        "se_cr2": error_bars.cr2_standard_error(own.mean, groups),
        "se_miller": score_error_bar(own.mean, clusters, estimator="miller").se,
    }
    return {**row, **_bar(bar), **{name: float(value) for name, value in errors.items()}}, bar


def _is_binary(own: QuestionMeans) -> bool:
    """Return whether scores are 0 and 1, each of one sample."""
    return bool((own.samples == 1).all() and np.isin(own.mean, (0.0, 1.0)).all())


def _too_few(own: QuestionMeans, clusters: np.ndarray | None) -> str:
    """Say why there is no standard error; empty if there is one."""
    if len(own.mean) < FEWEST:
        return SINGLE
    return ONE_CLUSTER if clusters is not None and len(set(clusters)) < FEWEST else ""


def _bar(bar: ErrorBar) -> dict:
    """Return an error bar as columns."""
    names = ("estimate", "se", "df", "lower", "upper", "effective_clusters")
    row = {name: float(getattr(bar, name)) for name in names}
    return {name: None if isnan(value) else value for name, value in row.items()} | {
        "n_clusters": bar.n_clusters,
        "warning": _warning(bar),
    }


def _warning(bar: ErrorBar) -> str | None:
    """Return what is to be known of an interval: of the normal distribution with few clusters."""
    told = warning_of(bar)
    if told is None and bar.n_clusters < bar.n and bar.effective_clusters < FEW_CLUSTERS:
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
    return told


def _combined(of: Evaluation, kind: str, bars: Sequence[ErrorBar]) -> dict:
    bar = combined_error_bar(bars, _weights(kind, bars), level=1 - of.alpha)
    return {"questions": bar.n, **_bar(bar)}


def _weights(kind: str, bars: Sequence[ErrorBar]) -> list[int]:
    return [bar.n if kind == POOLED else 1 for bar in bars]


def difference_rows(of: Evaluation) -> list[dict]:
    """Return the paired differences in each eval, and over several; Holm over those of each."""
    rows = []
    for each in of.evals:
        rows += _adjusted(
            of, [_difference(of, each, *pair) for pair in of.pairs if set(pair) <= set(each.models)]
        )
    for kind in of.kinds:
        rows += _adjusted(
            of, [found for pair in of.pairs if (found := _over_evals(of, kind, pair))]
        )
    return rows


@dataclass(frozen=True)
class Difference:
    """A difference: its row, and its error bar as a function of the level; None if too few."""

    row: dict
    at: Callable[[float], ErrorBar] | None


def _difference(of: Evaluation, each: Eval, model: str, baseline: str) -> Difference:
    (own, other), clusters = each.of(model, baseline)
    row = {
        "of": EVAL,
        "eval": each.name,
        "model": model,
        "baseline": baseline,
        "questions": len(own.mean),
        "unmatched": len(each.models[model].mean) - len(own.mean),
        "unmatched_baseline": len(each.models[baseline].mean) - len(own.mean),
    }
    if not len(own.mean):
        return Difference({**row, "warning": "no question has a score of both models"}, None)
    row["estimate"] = float(own.mean.mean() - other.mean.mean())
    if reason := _too_few(own, clusters):
        return Difference({**row, "warning": reason}, None)

    def at(level: float) -> ErrorBar:
        estimator = of.step["standard_error"]
        return score_difference(own.mean, other.mean, clusters, estimator=estimator, level=level)

    return Difference(row, at)


def _over_evals(of: Evaluation, kind: str, pair: tuple[str, str]) -> Difference | None:
    """Return a difference over several evals; None unless every eval has it."""
    if not all(set(pair) <= set(each.models) for each in of.evals):
        return None
    found = [_difference(of, each, *pair) for each in of.evals]
    bars_at = [each.at for each in found if each.at is not None]
    if len(bars_at) < len(found):
        return None

    def at(level: float) -> ErrorBar:
        bars = [each(level) for each in bars_at]
        return combined_error_bar(bars, _weights(kind, bars), level=level)

    sums = {
        key: sum(each.row[key] for each in found)
        for key in ("questions", "unmatched", "unmatched_baseline")
    }
    row = {"of": kind, "eval": COMBINED[kind], "model": pair[0], "baseline": pair[1], **sums}
    return Difference(row, at)


def _adjusted(of: Evaluation, found: list[Difference]) -> list[dict]:
    """Return the rows of one eval's differences, complete.

    Holm's p-values are from error bars at the level of the strictest of its tests, since degrees of
    freedom of unequal clusters depend on it.
    """
    strict = 1 - of.alpha / max(sum(each.at is not None for each in found), 1)
    rows, adjusted, p_values = [], [], []
    for each in found:
        row = dict(each.row)
        rows.append(row)
        if each.at is None:
            continue
        bar = each.at(1 - of.alpha)
        row |= _bar(bar) | {
            name: _known(float(getattr(bar, name)))
            for name in ("statistic", "p_value", "correlation")
        }
        row |= _non_inferior(of, each.at)
        p_strict = float(each.at(strict).p_value)
        if not (isnan(p_strict) or row["p_value"] is None):
            adjusted.append(row)
            p_values.append(max(p_strict, row["p_value"]))
    for row, value in zip(adjusted, holm(p_values) if p_values else [], strict=True):
        row["p_holm"] = float(value)
    return rows


def _non_inferior(of: Evaluation, at: Callable[[float], ErrorBar]) -> dict:
    margin = of.step["margin"]
    if margin is None:
        return {}
    bar = at(1 - 2 * of.alpha)
    return {
        "margin": margin,
        "one_sided_lower": _known(float(bar.lower)),
        "p_non_inferior": _known(non_inferiority(bar, margin).p_value),
    }


def _known(value: float) -> float | None:
    return None if isnan(value) else value


def power_rows(of: Evaluation) -> Iterator[dict]:
    """Yield where the variance of each mean and each difference comes from.

    Of differences also which effects so many questions show, and how many show a stated one.
    """
    for each in of.evals:
        for models in [*((model,) for model in of.models), *of.pairs]:
            if set(models) <= set(each.models) and (row := _power(of, each, models)):
                yield row


def _power(of: Evaluation, each: Eval, models: tuple[str, ...]) -> dict | None:
    questions, clusters = each.of(*models)
    if not len(questions[0].mean) or _too_few(questions[0], clusters):
        return None
    levels = {key: of.step["test"][key] for key in ("alpha", "power")}
    parts = components_of_samples(*questions)
    bar, alone = _bar_of(of, questions, clusters)
    row = {
        "eval": each.name,
        "model": models[0],
        "baseline": models[1] if len(models) > 1 else None,
        "questions": bar.n,
        "n_clusters": bar.n_clusters,
        "total": parts.total,
        **_parts(parts),
        "cluster_inflation": (
            float(bar.se / alone) ** 2 if clusters is not None and alone > 0 else None
        ),
    }
    if len(models) < 2 or not bar.se > 0 or isnan(bar.df):
        return row
    spread = {"df": float(bar.df), "variance_df": float(bar.df)}
    row["minimum_detectable_effect"] = _reachable(
        planning.minimum_detectable_effect, bar.n, bar.n * float(bar.se) ** 2, **spread, **levels
    )
    effect = of.step["test"]["effect"]
    if effect is None:
        return row
    row |= {
        "stated_effect": effect,
        "questions_by_formula": ceil(questions_by_formula(effect, parts.total, **levels)),
    }
    if clusters is None:
        many = _reachable(
            planning.scenarios_needed, effect, parts.total, variance_df=float(bar.df), **levels
        )
        return row | {"questions_needed": None if many is None else ceil(many)}
    many = _reachable(
        planning.clusters_needed,
        *(effect, float(bar.se), bar.n_clusters),
        float(bar.df) if isfinite(bar.df) else bar.n_clusters - 1.0,
        se_df=float(bar.df),
        **levels,
    )
    return row | {"clusters_needed": None if many is None else ceil(many)}


def _reachable(plan, *given, **levels) -> float | None:
    """Return what a plan tells; None where degrees of freedom are too few for any."""
    try:
        return float(plan(*given, **levels))
    except ValueError:
        return None


def _bar_of(of: Evaluation, questions: list[QuestionMeans], clusters) -> tuple[ErrorBar, float]:
    """Return the error bar of a mean or a difference, and its standard error without clusters."""
    scores = [each.mean for each in questions]
    given = {"estimator": of.step["standard_error"], "level": 1 - of.alpha}
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


def sample_rows(of: Evaluation) -> Iterator[dict]:
    """Yield what other numbers of samples of each question would make of the standard errors.

    The variance of one question becomes ω² + Σσ²/K. Samples are independent between questions, so
    that a standard error over clusters loses the same: SE² - (noise - Σσ²/K)/m, at least 0.
    """
    test = of.step["test"]
    levels = {key: test[key] for key in ("alpha", "power")}
    for each in of.evals:
        for models in [*((model,) for model in of.models), *of.pairs]:
            if not set(models) <= set(each.models):
                continue
            questions, clusters = each.of(*models)
            if not len(questions[0].mean) or _too_few(questions[0], clusters):
                continue
            parts = components_of_samples(*questions)
            if isnan(parts.noise):
                continue
            bar, _ = _bar_of(of, questions, clusters)
            for many in [*MORE_SAMPLES, None]:
                noise = sum(parts.within) / many if many else 0.0
                variance = parts.between + noise
                row = {
                    "eval": each.name,
                    "model": models[0],
                    "baseline": models[1] if len(models) > 1 else None,
                    "samples": many,
                    "variance": variance,
                    "se": float(
                        np.sqrt(max(float(bar.se) ** 2 - (parts.noise - noise) / bar.n, 0.0))
                    ),
                }
                if test["effect"] is not None and len(models) > 1:
                    needed = questions_by_formula(test["effect"], variance, **levels)
                    row["questions_by_formula"] = ceil(needed)
                yield row
