"""The verdict of a study for other programs, of the same objects as the page's."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from math import isfinite
from typing import Any

from fidelity.uses.base import BEYOND, WITHIN
from fidelity_study import verdict_file as records
from fidelity_study.report.page.dataset import Dataset, View
from fidelity_study.report.page.evaluation import Evaluation
from fidelity_study.report.page.render import Study
from fidelity_study.report.page.uses import uses_of
from fidelity_study.report.page.words import plain
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import SimulatorSummary, estimate_of, interval_of

MOST_TOPICS = 20


def verdict_of(study: Study, software: str) -> records.Verdict:
    """Return the verdict of a study, as the page shows it.

    Args:
        study: the parts of the page.
        software: the version of this package.
    """
    return records.Verdict(
        schema_version=2,
        software=software,
        study=study.name,
        datasets=[_dataset(dataset) for dataset in study.datasets],
        evaluations=[_evaluation(evaluation) for evaluation in study.evaluations],
    )


def _dataset(dataset: Dataset) -> records.Dataset:
    results, instead = dataset.results, dataset.telling or dataset.forecast
    views = [_view(view) for view in dataset.views]
    headline = views[0].headline if views else plain(instead.headline) if instead else ""
    return records.Dataset(
        name=dataset.name,
        title=dataset.title,
        questions=results.m,
        clusters=results.n_clusters,
        people=dataset.people,
        headline=headline,
        uses=list(_uses(results)),
        views=views,
        assumptions=[
            records.Assumption(state=one.state, text=plain(one.text)) for one in dataset.assumptions
        ],
    )


def _uses(results: Results) -> Iterator[records.JudgedUse]:
    """Yield the uses of each simulator, in the order of the card."""
    for name in dict.fromkeys(row["simulator"] for row in results.uses):
        for row in uses_of(results, name).values():
            yield records.JudgedUse(**_use(row))


def _use(row: dict) -> dict:
    """Return what is said of a use."""
    said = {**row, "needs": row["needs"] or "", "counts": row["is_chosen"]}
    return _kept(said, (column.name for column in fields(records.JudgedUse)))


def _view(view: View) -> records.View:
    table, verdict = view.of, view.verdict
    return records.View(
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


def _simulator(view: View, summary: SimulatorSummary) -> records.Simulator:
    table, name = view.of, summary.name
    first, last = table.rank_range(name)
    is_tested = bool(table.lists[name])
    return records.Simulator(
        name=name,
        label=summary.label,
        kind="baseline" if summary.is_baseline else "simulator",
        answers=summary.draws,
        questions=summary.m,
        unanswered=summary.unanswered,
        estimate=summary.estimate,
        **_ends(summary.interval),
        familywise_lower=_finite(summary.mean.get("familywise_lower")),
        familywise_upper=_finite(summary.mean.get("familywise_upper")),
        at_most_on_90_percent=_finite(summary.sure),
        share_within=_finite(summary.share_within),
        first_rank=first,
        last_rank=last,
        within=table.surely(WITHIN, name) if is_tested else None,
        beyond=table.surely(BEYOND, name) if is_tested else None,
        topics=_topics(view, summary),
    )


def _topics(view: View, summary: SimulatorSummary) -> list[records.Topic]:
    rows = view.cluster_means(summary)
    if not 1 < len(rows) <= MOST_TOPICS:
        return []
    return [
        records.Topic(
            name=row["cluster"],
            questions=row["m"],
            estimate=estimate_of(row),
            **_ends(interval_of(row)),
        )
        for row in rows
    ]


def _ends(ends: tuple[float, float] | None) -> dict:
    """Return the ends of an interval; None where there is none."""
    return dict(zip(("lower", "upper"), ends or (None, None), strict=True))


def _finite(value: Any) -> Any:
    """Return a value; None for a number that is infinite, which bounds nothing, or unknown."""
    return None if isinstance(value, float) and not isfinite(value) else value


def _kept(row: dict, names: Iterable[str]) -> dict:
    """Return what a row has of a record."""
    return {name: _finite(row[name]) for name in names if name in row}


def _other_people(view: View) -> Iterator[records.OtherPeople]:
    for row in view.screen.people_rows:
        estimate, ends = _finite(row["mean"]), _ends(interval_of(row))
        yield records.OtherPeople(people=row["people"], estimate=estimate, **ends)


def _pairs(view: View) -> Iterator[records.Pair]:
    table = view.of
    names = [summary.name for summary in table.every]
    for one, two, (lower, upper), sign in table.differences(names):
        closer = {-1: one, 0: None, 1: two}[sign]
        yield records.Pair(simulator=one, other=two, lower=lower, upper=upper, closer=closer)


def _score(evaluation: Evaluation, row: dict) -> records.Score:
    ends = _ends(evaluation.mean_ends(row))
    return records.Score(**_kept(row, records.Score.model_fields) | ends)


def _difference(evaluation: Evaluation, row: dict) -> records.ScoreDifference:
    same = _kept(row, records.ScoreDifference.model_fields)
    return records.ScoreDifference(**same, settled=evaluation.is_settled(row))


def _evaluation(evaluation: Evaluation) -> records.Evaluation:
    return records.Evaluation(
        name=evaluation.name,
        title=evaluation.title,
        headline=plain(evaluation.headline),
        confidence=1.0 - evaluation.step["test"]["alpha"],
        scores=[_score(evaluation, row) for row in evaluation.means],
        differences=[_difference(evaluation, row) for row in evaluation.differences],
        uses=[records.UseOnEval(eval=row["eval"], **_use(row)) for row in evaluation.uses],
        assumptions=[
            records.Assumption(state="", text=plain(text)) for text in evaluation.assumptions
        ],
    )
