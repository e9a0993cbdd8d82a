"""The verdict of a study for other programs, of the same objects as the page's."""

from collections.abc import Iterator
from math import isfinite

from fidelity_study.report.page.dataset import Dataset, View
from fidelity_study.report.page.evaluation import Evaluation
from fidelity_study.report.page.render import Study
from fidelity_study.report.page.uses import uses_of
from fidelity_study.report.page.words import plain
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import SimulatorSummary, estimate_of, interval_of
from fidelity_study.verdict_file import (
    Assumption,
    OtherPeople,
    Pair,
    Score,
    ScoreDifference,
    Simulator,
    Topic,
    Use,
    UseOnEval,
    Verdict,
)
from fidelity_study.verdict_file import Dataset as DatasetRecord
from fidelity_study.verdict_file import Evaluation as EvaluationRecord
from fidelity_study.verdict_file import View as ViewRecord

MOST_TOPICS = 20


def verdict_of(study: Study, software: str) -> Verdict:
    """Return the verdict of a study, as the page shows it.

    Args:
        study: the parts of the page.
        software: the version of this package.
    """
    return Verdict(
        schema_version=2,
        software=software,
        study=study.name,
        datasets=[_dataset(dataset) for dataset in study.datasets],
        evaluations=[_evaluation(evaluation) for evaluation in study.evaluations],
    )


def _dataset(dataset: Dataset) -> DatasetRecord:
    results, instead = dataset.results, dataset.telling or dataset.forecast
    views = [_view(view) for view in dataset.views]
    headline = views[0].headline if views else plain(instead.headline) if instead else ""
    return DatasetRecord(
        name=dataset.name,
        title=dataset.title,
        questions=results.m,
        clusters=results.n_clusters,
        people=dataset.people,
        headline=headline,
        uses=list(_uses(results)),
        views=views,
        assumptions=[Assumption(state=x.state, text=plain(x.text)) for x in dataset.assumptions],
    )


def _uses(results: Results) -> Iterator[Use]:
    """Yield the uses of each simulator, in the order of the card."""
    for name in dict.fromkeys(row["simulator"] for row in results.uses):
        for row in uses_of(results, name).values():
            yield Use(**_use(row))


def _use(row: dict) -> dict:
    """Return what is said of a use."""
    same = {key: row[key] for key in ("simulator", "use", "verdict", "alone", "limit", "unit")}
    numbers = {key: _finite(row[key]) for key in ("error", "lower", "upper", "times")}
    return {**same, **numbers, "needs": row["needs"] or "", "counts": row["is_chosen"]}


def _view(view: View) -> ViewRecord:
    table, verdict = view.of, view.verdict
    return ViewRecord(
        discrepancy=table.discrepancy,
        tolerance=table.tolerance,
        confidence=1.0 - table.results.step["test"]["alpha"],
        headline=plain(verdict.headline),
        sentences=[plain(sentence) for sentence in verdict.sentences],
        open=[plain(sentence) for sentence in verdict.open],
        simulators=[_simulator(view, summary) for summary in table.every],
        other_people=list(_other_people(view)),
        pairs=list(_pairs(view)),
    )


def _simulator(view: View, summary: SimulatorSummary) -> Simulator:
    table, name = view.of, summary.name
    first, last = table.rank_range(name)
    is_tested = bool(table.lists[name])
    lower, upper = summary.interval or (None, None)
    return Simulator(
        name=name,
        label=summary.label,
        kind="baseline" if summary.is_baseline else "simulator",
        answers=summary.draws,
        questions=summary.m,
        unanswered=summary.unanswered,
        estimate=summary.estimate,
        lower=lower,
        upper=upper,
        familywise_lower=_finite(summary.mean.get("familywise_lower")),
        familywise_upper=_finite(summary.mean.get("familywise_upper")),
        at_most_on_90_percent=_finite(summary.sure),
        share_within=_finite(summary.share_within),
        first_rank=first,
        last_rank=last,
        within=table.surely_within(name) if is_tested else None,
        beyond=table.surely_beyond(name) if is_tested else None,
        topics=_topics(view, summary),
    )


def _topics(view: View, summary: SimulatorSummary) -> list[Topic]:
    rows = view.cluster_means(summary)
    if not 1 < len(rows) <= MOST_TOPICS:
        return []
    ends = [interval_of(row) or (None, None) for row in rows]
    return [
        Topic(
            name=row["cluster"],
            questions=row["m"],
            estimate=estimate_of(row),
            lower=lower,
            upper=upper,
        )
        for row, (lower, upper) in zip(rows, ends, strict=True)
    ]


def _finite(value: float | None) -> float | None:
    """Return a number; None if it is unknown or infinite, which bounds nothing."""
    return value if value is not None and isfinite(value) else None


def _other_people(view: View) -> Iterator[OtherPeople]:
    for row in view.screen.people_rows:
        ends = interval_of(row) or (None, None)
        yield OtherPeople(
            people=row["people"], estimate=_finite(row["mean"]), lower=ends[0], upper=ends[1]
        )


def _pairs(view: View) -> Iterator[Pair]:
    table = view.of
    names = [summary.name for summary in table.every]
    for one, two, (lower, upper), sign in table.differences(names):
        closer = {-1: one, 0: None, 1: two}[sign]
        yield Pair(simulator=one, other=two, lower=lower, upper=upper, closer=closer)


def _score(evaluation: Evaluation, row: dict) -> Score:
    lower, upper = evaluation.mean_ends(row) or (None, None)
    same = {key: row[key] for key in Score.model_fields if key not in ("lower", "upper")}
    return Score(**same, lower=lower, upper=upper)


def _evaluation(evaluation: Evaluation) -> EvaluationRecord:
    return EvaluationRecord(
        name=evaluation.name,
        title=evaluation.title,
        headline=plain(evaluation.headline),
        confidence=1.0 - evaluation.step["test"]["alpha"],
        scores=[_score(evaluation, row) for row in evaluation.means],
        differences=[
            ScoreDifference(
                **{key: row[key] for key in ScoreDifference.model_fields if key != "settled"},
                settled=evaluation.is_settled(row),
            )
            for row in evaluation.differences
        ],
        uses=[UseOnEval(eval=row["eval"], **_use(row)) for row in evaluation.uses],
        assumptions=[Assumption(state="", text=plain(text)) for text in evaluation.assumptions],
    )
