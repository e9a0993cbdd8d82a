"""Effects that an evaluation's questions can show, and the gain from more questions or samples.

The statistics are in :mod:`fidelity.comparison.evaluations` and :mod:`fidelity.planning.power`.
"""

from collections.abc import Callable, Iterator
from math import ceil, inf, isfinite, isnan, sqrt

from fidelity.comparison import error_bars
from fidelity.comparison.error_bars import ErrorBar
from fidelity.comparison.evaluations import (
    QuestionMeans,
    components_of_samples,
    questions_by_formula,
    score_difference,
    score_error_bar,
    variance_with_samples,
)
from fidelity.comparison.few_clusters import has_test
from fidelity.planning import power as planning
from fidelity_study.steps.evaluation import Eval, Evaluation, too_few

MORE_SAMPLES = (1, 2, 3, 5, 10)
ONE_SAMPLE = "one sample of some questions: no variance within questions"


def power_rows(of: Evaluation) -> Iterator[dict]:
    """Yield the variance components of each mean and each difference.

    For differences there are also the effects that so many questions show, and the number of
    questions that shows a stated effect.
    """
    for each in of.evals:
        for models in [*((model,) for model in of.models), *of.pairs]:
            if set(models) <= set(each.models) and (row := _power(of, each, models)):
                yield row


def _power(of: Evaluation, each: Eval, models: tuple[str, ...]) -> dict | None:
    questions, clusters = each.of(*models)
    if not len(questions[0].mean) or too_few(questions[0], clusters):
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
    variance = parts.total if isnan(parts.noise) else max(parts.total, parts.noise)
    errors = _errors(bar, sqrt(variance / bar.n))
    found = _largest(
        lambda se, df: planning.minimum_detectable_effect(
            bar.n, bar.n * se**2, df=float(bar.df), variance_df=df, **levels
        ),
        errors,
    )
    low, high = of.step["evals"][each.name]["range"]
    is_possible = found is not None and found <= high - low and has_test(bar.effective_clusters)
    row["minimum_detectable_effect"] = found if is_possible else None
    effect = of.step["test"]["effect"]
    if effect is None:
        return row
    row |= {
        "stated_effect": effect,
        "questions_by_formula": ceil(questions_by_formula(effect, variance, **levels)),
    }
    if clusters is None:
        many = _largest(
            lambda se, df: planning.scenarios_needed(
                effect, bar.n * se**2, variance_df=df, **levels
            ),
            errors,
        )
        return row | {"questions_needed": None if many is None else ceil(many)}
    of_test = float(bar.df) if isfinite(bar.df) else bar.n_clusters - 1.0
    many = _largest(
        lambda se, df: planning.clusters_needed(
            effect, se, bar.n_clusters, of_test, se_df=df, **levels
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
        return max(float(plan(*each)) for each in errors)
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
    """Yield the standard errors for other numbers of samples of each question.

    The variance of one question becomes ω² + Σσ²/K. Where the questions' part of a variance is too
    small to be seen beside the samples', the row for endlessly many samples is left out.
    """
    for each in of.evals:
        for models in [*((model,) for model in of.models), *of.pairs]:
            if set(models) <= set(each.models):
                yield from _samples(of, each, models)


def _samples(of: Evaluation, each: Eval, models: tuple[str, ...]) -> Iterator[dict]:
    questions, clusters = each.of(*models)
    if not len(questions[0].mean) or too_few(questions[0], clusters):
        return
    parts = components_of_samples(*questions)
    if isnan(parts.noise):
        return
    bar, _ = _bar_of(of, questions, clusters)
    for many in [*MORE_SAMPLES, None]:
        variance = parts.between + (sum(parts.within) / many if many else 0.0)
        square, clipped = variance_with_samples(float(bar.se) ** 2, parts, bar.n, many or inf)
        yield {
            "eval": each.name,
            "model": models[0],
            "baseline": models[1] if len(models) > 1 else None,
            "samples": many,
            "variance": variance if many or not parts.clipped else None,
            "se": sqrt(square) if many or not clipped else None,
            "clipped": clipped,
            "questions_by_formula": (
                _by_formula(of, variance) if len(models) > 1 and not parts.clipped else None
            ),
        }


def _by_formula(of: Evaluation, variance: float) -> int | None:
    """Return how many independent questions show the stated effect, if one is stated."""
    test = of.step["test"]
    if test["effect"] is None:
        return None
    levels = {key: test[key] for key in ("alpha", "power")}
    return ceil(questions_by_formula(test["effect"], variance, **levels))
