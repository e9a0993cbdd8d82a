"""Rankings of finished studies, from their verdicts."""

import os
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

from fidelity.discrepancies import DISCREPANCIES
from fidelity_study.app.board.ranking import (
    PEOPLE,
    SIMULATOR,
    Entry,
    Ranking,
    TopicMean,
    by_estimate,
)
from fidelity_study.reading.evals.direction import HIGHER
from fidelity_study.report.formats import percent
from fidelity_study.report.summaries import MOST_UNANSWERED
from fidelity_study.verdict_file import Dataset, Evaluation, Pair, Simulator, Verdict, View

ONE = (
    "Intervals are those of the study's report, with {} confidence. Two entries are told apart by"
    " the interval of their difference, which allows for all pairs."
)
OF_SCORES = (
    "Intervals of mean scores have {} confidence, one by one. Two models are told apart by the"
    " p-value of their difference on the questions of both, by Holm's method for all pairs of an"
    " eval."
)
NO_DISTANCES = "has scores of forecasts, texts, or too few answers, and so no distances from people"
ONE_MODEL = "has scores of one model"
SEVERAL = (
    "Over several datasets: their means, each counting the same. An interval's ends are the means"
    " of the datasets' ends, which holds however their errors depend on each other."
)


def rankings(folders: Iterable[Path], out: Path) -> list[Ranking]:
    """Return the ranking of each dataset, by its first discrepancy, that over all by each, and that
    of each eval by its scores.

    Args:
        folders: of results of finished studies.
        out: the folder that links are seen from.

    Raises:
        DataError: a study has no verdict.
    """
    studies = [
        (Verdict.read(folder), f"{Path(os.path.relpath(folder, out)).as_posix()}/report.html")
        for folder in folders
    ]
    parts = [
        (_named(verdict.study, dataset.title), dataset, link)
        for verdict, link in studies
        for dataset in verdict.datasets
        if dataset.views
    ]
    by_measure: dict[str, list[View]] = {}
    for _, dataset, _ in parts:
        view = dataset.views[0]
        by_measure.setdefault(view.discrepancy, []).append(view)
    over = [
        ranking
        for measure, views in by_measure.items()
        if len(views) > 1 and (ranking := _over(measure, views))
    ]
    scores = (
        _of_eval(_named(verdict.study, evaluation.title, name), evaluation, name, link)
        for verdict, link in studies
        for evaluation in verdict.evaluations
        for name in _compared(evaluation)
    )
    return [*over, *(_of_dataset(*part) for part in parts), *scores]


def left_out(folders: Iterable[Path]) -> list[str]:
    """Return what is not ranked, and why."""
    return [
        f"{_named(verdict.study, title)} {why}"
        for verdict in map(Verdict.read, folders)
        for title, why in (
            *((one.title, NO_DISTANCES) for one in verdict.datasets if not one.views),
            *((one.title, ONE_MODEL) for one in verdict.evaluations if not _compared(one)),
        )
    ]


def _named(*names: str) -> str:
    """Return what a ranking is called: the study, and what else it is called otherwise."""
    study, *others = dict.fromkeys(names)
    return ": ".join([study, *([", ".join(others)] if others else [])])


def _compared(evaluation: Evaluation) -> list[str]:
    """Return the evals, and what is over several, that compare models."""
    return list(dict.fromkeys(row.eval for row in evaluation.differences))


def _of_eval(name: str, evaluation: Evaluation, eval_name: str, link: str) -> Ranking:
    """Return the ranking of the models of an eval, or of several evals together."""
    scores = [score for score in evaluation.scores if score.eval == eval_name]
    is_higher = scores[0].better == HIGHER
    entries = []
    for score in scores:
        ends, unanswered = (score.lower, score.upper), 1.0 - score.questions / score.asked
        about = (score.model, SIMULATOR, score.estimate, *ends, score.questions, unanswered)
        entries.append(Entry(*about, link=link))
    pairs = (
        (row.model, row.baseline)
        if (row.estimate > 0.0) == is_higher
        else (row.baseline, row.model)
        for row in evaluation.differences
        if row.eval == eval_name and row.settled and row.estimate is not None
    )
    return Ranking(
        name,
        f"mean score, {scores[0].better} is better",
        OF_SCORES.format(percent(evaluation.confidence)),
        by_estimate(entries, largest_first=is_higher),
        frozenset(pairs),
        of_scores=True,
    )


def _of_dataset(name: str, dataset: Dataset, link: str) -> Ranking:
    view = dataset.views[0]
    people = [
        Entry(
            f"{row.people} other people",
            PEOPLE,
            row.estimate,
            row.lower,
            row.upper,
            dataset.questions,
        )
        for row in view.other_people
    ]
    entries = [
        Entry(
            one.name,
            one.kind,
            one.estimate,
            one.lower,
            one.upper,
            one.questions,
            one.unanswered,
            one.label,
            link,
            topics=tuple(TopicMean(**topic.model_dump()) for topic in one.topics),
            flag=_flag(one),
        )
        for one in view.simulators
    ]
    closer = frozenset(
        (pair.closer, pair.other if pair.closer == pair.simulator else pair.simulator)
        for pair in view.pairs
        if pair.closer is not None
    )
    return Ranking(
        name,
        _plain(view.discrepancy),
        ONE.format(percent(view.confidence)),
        by_estimate([*entries, *people]),
        closer,
    )


def _plain(discrepancy: str) -> str:
    """Return what readers call a discrepancy; one of a user's own has its name."""
    known = DISCREPANCIES.get(discrepancy)
    return known.label if known else discrepancy


def _flag(one: Simulator) -> str:
    if one.unanswered <= MOST_UNANSWERED:
        return "" if one.estimate is not None else "no interval is known"
    return f"left {percent(one.unanswered)} of what it was asked unanswered"


def _over(measure: str, views: list[View]) -> Ranking | None:
    """Return the ranking of those whom all datasets have; None if they are fewer than two."""
    rows = [{one.name: one for one in view.simulators if not _flag(one)} for view in views]
    names = [name for name in rows[0] if all(name in row for row in rows)]
    if len(names) < 2:
        return None
    entries = [_mean_entry([row[name] for row in rows]) for name in names]
    closer = frozenset(pair for pair in permutations(names, 2) if _is_closer(views, *pair))
    name = f"All {len(views)} datasets by {_plain(measure)}"
    return Ranking(name, _plain(measure), SEVERAL, by_estimate(entries), closer)


def _mean_entry(ones: list[Simulator]) -> Entry:
    def mean(values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if len(known) == len(ones) else None

    return Entry(
        ones[0].name,
        ones[0].kind,
        mean(one.estimate for one in ones),
        mean(one.lower for one in ones),
        mean(one.upper for one in ones),
        sum(one.questions for one in ones),
        max(one.unanswered for one in ones),
        " / ".join(dict.fromkeys(one.label for one in ones)),
    )


def _is_closer(views: list[View], one: str, two: str) -> bool:
    """Return whether the mean of the upper ends of the differences, one less two, is below 0."""
    ends = [_upper(view.pairs, one, two) for view in views]
    known = [end for end in ends if end is not None]
    return len(known) == len(views) and sum(known) < 0.0


def _upper(pairs: list[Pair], one: str, two: str) -> float | None:
    for pair in pairs:
        if (pair.simulator, pair.other) == (one, two):
            return pair.upper
        if (pair.simulator, pair.other) == (two, one):
            return None if pair.lower is None else -pair.lower
    return None
