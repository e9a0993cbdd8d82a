"""Error bars and differences of the scores that models have in evaluations.

The statistics are in :mod:`fidelity.comparison.models`; here they are applied to tables.

Tables:
    MISSING: each `question` of which a `model` has no score, or samples without one: how many
        samples are `unscored` and how many `scored`, and the `reason` (it is not in its logs, or
        why there is no score). Means and differences do without them
    MEANS: each model's mean score in each eval (`of` is `eval`), and over several, if the same
        score is `better` in all (`all questions`: each eval weighs as its questions; `mean of
        evals`: all evals with the same weight): `estimate`, `se` by the config's `standard_error`,
        `df` (infinite for the normal distribution), `lower`, `upper` at level 1 - alpha;
        `wilson_lower` and `wilson_upper` where scores are 0 and 1, independent, and of one sample
        each (over all questions only where some eval has no interval alone); `questions` that have
        a score, of those that any model was `asked` (its own where no two models share one),
        `samples_fewest` and `samples_most` of one question, `missing` questions, and `unscored`
        samples; `shared_clusters`, over several evals how many clusters these have in common by
        their names, which are then drawn together; `n_clusters` and `effective_clusters`; beside it
        `se_clt` (as if questions were independent), `se_cr0`, `se_cr1` (what inspect_ai and
        statsmodels tell for clusters), `se_cr2`, `se_miller`; a `warning`
    DIFFERENCES: paired differences, `model` minus `baseline`, on the `questions` that both have a
        score of (`unmatched`: only the model has, `unmatched_baseline`: only the baseline): the
        columns above, also `shared_clusters`, `statistic`, `p_value`, `p_holm` (for all comparisons
        of one eval together), `correlation` of the two models' scores over questions; with a
        `margin` in the config `one_sided_limit`, the limit of the difference at level 1 - alpha on
        the side that is worse, and `p_non_inferior`, of the hypothesis that the model is worse by
        the margin or more
    POWER: for each mean, and each difference: the `total` variance over questions; where all
        questions have several samples, the parts of it: `noise` from samples, `between` questions
        (0 where that is negative, `clipped`), and the variance `within` one question from sample to
        sample, of one sample (`within_baseline` the baseline's), else the `reason`;
        `cluster_inflation`, the squared ratio of the standard error to that of independent
        questions. Of differences: `minimum_detectable_effect` at these questions, the config's
        alpha and power, by Student's t, allowing for the error of `se` (empty where even the
        largest difference between two scores would not be found); for the `stated_effect` of the
        config `questions_by_formula` (Miller 2024, equation 9: independent questions, known
        variance), `questions_needed` by t with that allowance, or where questions come in clusters
        `clusters_needed`, as large and unequal as these, and `questions_in_clusters`, so many
        questions in them. Effects and numbers are by the largest of three variances: with the
        clusters; of independent questions; and `noise`, below which no true variance is. A smaller
        estimate is mostly chance
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import isnan
from typing import Any, NamedTuple

import pyarrow as pa

from fidelity.comparison.models import EVAL, Contrast, ModelComparison, are_apart, eval_scores
from fidelity.uses.scores import Scores
from fidelity_study.errors import DataError, there_are
from fidelity_study.reading.evals.rows import SCORES
from fidelity_study.steps.arrays import numbers, only, row_of
from fidelity_study.steps.cluster_warning import warning_of
from fidelity_study.steps.uses import verdicts_of
from fidelity_study.tables.common import ERROR_BAR, LABEL, columns
from fidelity_study.tables.read_write import read, write_tables
from fidelity_study.tables.uses import OF_SCORES, measured

ONE_SAMPLE = "one sample of some questions: no variance within questions"

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
LEAST_LIMIT = 1e-9  # of the range, for a margin of 0
NOT_ASKED = "not in its logs"


class Evaluation(NamedTuple):
    """The samples of an evaluation, its models compared, and the settings of the step."""

    samples: dict[str, pa.Table]
    compared: ModelComparison
    step: dict


def evaluation(table: pa.Table, step: dict) -> Evaluation:
    """Return the scores of a table as :data:`fidelity_study.reading.evals.rows.SCORES` has them."""
    samples, evals = {name: only(table, eval=name) for name in step["evals"]}, []
    for name, rows in samples.items():
        known = {key: rows[key].to_pylist() for key in ("model", "question", "cluster")}
        scores, better = numbers(rows["score"]), rows["better"][0].as_py()
        if rows["cluster"].null_count == len(rows):
            del known["cluster"]
        limits = tuple(step["evals"][name]["range"])
        evals.append(eval_scores(name, scores, *known.values(), better=better, limits=limits))
    baseline, names = step["baseline"], sorted({name for eval_ in evals for name in eval_.models})
    if baseline not in (None, *names):
        raise DataError(f"baseline: {baseline!r} is no model; {there_are(baseline, names)}")
    same = {key: step[key] for key in ("baseline", "margin", "unpaired")} | step["test"]
    compared = ModelComparison(evals, estimator=step["standard_error"], **same)
    return Evaluation(samples, compared, step)


def missing_rows(study: Evaluation) -> Iterator[dict]:
    """Yield the questions without a score, or with samples without one, of some model, and why."""
    for name, samples in study.samples.items():
        models, questions = (sorted(set(samples[key].to_pylist())) for key in ("model", "question"))
        asked: dict[tuple[str, str], list[dict]] = {}
        for row in samples.to_pylist():
            asked.setdefault((row["model"], row["question"]), []).append(row)
        pairs = sorted(asked) if are_apart(asked) else product(models, questions)
        for model, question in pairs:
            rows = asked.get((model, question), [])
            reasons = Counter(row["reason"] for row in rows if row["score"] is None)
            for reason, many in (reasons if rows else Counter({NOT_ASKED: 0})).items():
                cells = name, model, question, many, len(rows) - reasons.total(), reason
                yield dict(zip(MISSING.names, cells, strict=True))


def mean_rows(study: Evaluation) -> list[dict]:
    """Return each model's mean score in each eval, and over several evals."""
    rows = []
    for mean in study.compared.means():
        (sample, *others), known = mean.samples, dict[str, Any]()
        if not others:
            (means,) = sample.means
            fewest, most = means.samples.min(), means.samples.max()
            known |= {"samples_fewest": fewest, "samples_most": most}
            known["wilson"] = sample.wilson(1 - mean.alpha)
            if not mean.lacking:
                known |= {f"se_{name}": se for name, se in sample.standard_errors.items()}
        known["unscored"] = sum(eval_.unscored[mean.model] for eval_ in mean.evals)
        known["asked"] = sum(eval_.asked[mean.model] for eval_ in mean.evals)
        known["missing"] = known["asked"] - mean.questions
        rows.append(_row(MEANS, mean, **known))
    return rows


def difference_rows(study: Evaluation) -> list[dict]:
    """Return the paired differences in each eval, and over several; Holm within each of these."""
    rows = []
    for difference in study.compared.differences():
        known = zip(("unmatched", "unmatched_baseline"), difference.unmatched, strict=True)
        margin = None if difference.bar is None else study.compared.margin
        rows.append(_row(DIFFERENCES, difference, margin=margin, **dict(known)))
    return rows


def _row(schema: pa.Schema, contrast: Contrast, **known: Any) -> dict:
    """Return the row of a mean or a difference; a note takes the place of why it has no bar."""
    bar, warnings = contrast.bar, [contrast.lacking]
    if bar is not None:
        warnings = [contrast.note]
        warnings += [] if contrast.note and isnan(bar.lower) else [warning_of(bar) or ""]
    is_over = contrast.kind != EVAL
    known["shared_clusters"] = contrast.shared_clusters if is_over else None
    known["warning"] = "; ".join(filter(None, warnings)) or None
    return row_of(schema, bar, contrast, of=contrast.kind, **known)


def use_rows(study: Evaluation) -> Iterator[dict]:
    """Yield how far each model is behind the best of those it is compared with, in each eval.

    All verdicts of an evaluation hold at one error rate. The limit is the margin of the config.
    """
    rows, level, margin = [], 1.0 - study.compared.alpha, study.compared.margin
    spans = {eval_.name: eval_.span for eval_ in study.compared.evals}
    for (name, model), others in study.compared.behind().items():
        limit = None if margin is None else max(margin, LEAST_LIMIT * spans[name])
        use = Scores().measure(*others.values(), limit=limit, span=spans[name])
        unknown = [other for other, bar in others.items() if bar is None]
        detail = f"no interval beside {' and '.join(unknown)}" if unknown else None
        stated = use.limit if margin is None else margin
        rows.append({"eval": name, **measured(model, use, detail=detail), "limit": stated})
    for row, verdict in zip(rows, verdicts_of(rows, level), strict=True):
        (alone,) = verdicts_of([row], level)
        yield {**row, "verdict": verdict, "alone": alone, "is_chosen": True}


def power_rows(study: Evaluation) -> Iterator[dict]:
    """Yield the variance components of each mean and each difference, and what these need."""
    for plan in study.compared.plans():
        parts, is_known = plan.parts, not isnan(plan.parts.noise)
        names = ("within", "within_baseline") if is_known else ()
        known: dict[str, Any] = dict(zip(names, parts.within, strict=False))
        if not is_known:
            known |= {"within": None, "clipped": None, "reason": ONE_SAMPLE}
        if plan.contrast.samples[0].clusters is not None:
            known |= {"clusters_needed": plan.needed, "questions_needed": None}
            known["questions_in_clusters"] = plan.questions_needed
        yield row_of(POWER, plan.contrast, plan.bar, parts, plan, **known)


TABLES: dict[str, tuple[Callable[[Evaluation], Iterable[dict]], pa.Schema]] = {
    "means": (mean_rows, MEANS),
    "differences": (difference_rows, DIFFERENCES),
    "power": (power_rows, POWER),
    "missing": (missing_rows, MISSING),
    "uses": (use_rows, OF_SCORES),
}


def rows_of(study: Evaluation) -> dict[str, tuple[Iterable[dict], pa.Schema]]:
    """Return the rows of all tables of an evaluation, with their schemas."""
    return {name: (rows(study), schema) for name, (rows, schema) in TABLES.items()}


def main(snakemake):
    """Put error bars on scores and on their differences."""
    step = snakemake.params.step
    study = evaluation(read(snakemake.input.scores, SCORES), step)
    write_tables(snakemake.output, rows_of(study), step)
