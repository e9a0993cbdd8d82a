"""Rankings of finished studies, from their verdicts."""

import os
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

from fidelity.discrepancies import DISCREPANCIES
from fidelity_study.app.board.ranking import PEOPLE, Entry, Ranking, TopicMean, by_distance
from fidelity_study.report.formats import percent
from fidelity_study.report.summaries import MOST_UNANSWERED
from fidelity_study.verdict_file import Dataset, Pair, Simulator, Verdict, View

ONE = (
    "Intervals are those of the study's report, with {} confidence. Two entries are told apart by"
    " the interval of their difference, which allows for all pairs."
)
SEVERAL = (
    "Over several datasets: their means, each counting the same. An interval's ends are the means"
    " of the datasets' ends, which holds however their errors depend on each other."
)


def rankings(folders: Iterable[Path], out: Path) -> list[Ranking]:
    """Return the ranking of each dataset, by its first discrepancy, and that over all by each.

    Args:
        folders: of results of finished studies.
        out: the folder that links are seen from.

    Raises:
        DataError: a study has no verdict.
    """
    parts = [
        (
            f"{verdict.study}: {dataset.title}",
            dataset,
            Path(os.path.relpath(folder, out)).as_posix(),
        )
        for folder in folders
        for verdict in [Verdict.read(folder)]
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
    return [*over, *(_of_dataset(*part) for part in parts)]


def left_out(folders: Iterable[Path]) -> list[str]:
    """Return what finished studies have besides curves, of which no distance can be ranked."""
    return [
        f"{verdict.study}: {title}"
        for verdict in map(Verdict.read, folders)
        for title in (
            *(dataset.title for dataset in verdict.datasets if not dataset.views),
            *(evaluation.title for evaluation in verdict.evaluations),
        )
    ]


def _of_dataset(name: str, dataset: Dataset, folder: str) -> Ranking:
    view = dataset.views[0]
    link = f"{folder}/report.html"
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
        by_distance([*entries, *people]),
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
    return Ranking(name, _plain(measure), SEVERAL, by_distance(entries), closer)


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
