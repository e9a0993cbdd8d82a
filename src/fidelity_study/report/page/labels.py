"""Warnings on simulators: labels that are probably wrong, a copy of people, failed calls."""

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from fidelity.baselines.base import BASELINES
from fidelity.comparison.labels import EXCHANGED, LabelDoubt, blocks_of, doubtful_labels
from fidelity_study.reading.tabular.suspect import Shares, suspicious
from fidelity_study.report.formats import percent, span
from fidelity_study.report.page.explorer import Questions
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.results import Results
from fidelity_study.report.tables import having
from fidelity_study.steps.arrays import numbers
from fidelity_study.steps.unanswered import padded

MOST_NAMED = 4
MANY_ALIKE, TIMES_PEOPLE = 0.1, 3.0


def label_doubts(questions: Questions) -> list[str]:
    """Return a warning for each change of labels that would mend simulators; none without scores.

    Baselines are left out, since this study made them from its own labels.
    """
    results = questions.results
    tested = [name for name in results.simulators if name not in BASELINES]
    if not tested or None in results.scenarios["score"].to_pylist():
        return []
    people, simulators = item_means(questions, tested)
    ways = blocks_of(results.scenario_names, results.clusters)
    all_doubts = doubtful_labels(people, simulators, ways)
    return list(warnings(all_doubts, tested, results))


def suspicions(questions: Questions) -> list[str]:
    """Return a warning for each simulator that looks like people's own answers or failed calls."""
    results = questions.results
    shares = dict(enumerate(row[~np.isnan(row)] for row in questions.counts))
    effective = dict(enumerate(numbers(results.scenarios["n_effective"])))
    people = Shares({j: share / share.sum() for j, share in shares.items()}, effective)
    sentences = []
    for name in (name for name in results.simulators if name not in BASELINES):
        places, given, draws = questions.given(name)
        many = draws if name in results.drawing else [np.inf] * len(places)
        sizes = dict(zip(places, many, strict=True))
        theirs = Shares(dict(zip(places, given, strict=True)), sizes)
        if what := suspicious(people, theirs):
            end = "" if what.endswith("?") else "."
            sentences.append(f"{named(results.named(name))} {what}{end}")
    return sentences


def answered_alike(results: Results) -> Iterator[str]:
    """Yield which simulators give one answer to all questions in many runs, as failed calls do."""
    for row in having(results.structure, {"topic": None}):
        alike, people = row["alike"] or 0.0, row["people_alike"]
        if people is not None and alike >= MANY_ALIKE and alike > TIMES_PEOPLE * people:
            yield (
                f"{percent(alike)} of the runs of {named(results.named(row['simulator']))} give the"
                f" same answer to every question, and {percent(people)} of people do. Are these"
                " failed calls?"
            )


def item_means(questions: Questions, tested: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return people's mean answer to each question, (m,), and simulators', (S, m).

    Means are shares of the way from the lowest to the highest answer that a question allows, where
    that is known; NaN where a simulator did not answer.
    """
    results = questions.results
    scenarios = results.scenarios
    scores = padded(scenarios["score"].to_pylist())
    weights = np.nan_to_num(questions.counts)
    people = np.nansum(weights * scores, axis=1) / weights.sum(axis=1)
    simulators = np.full((len(tested), len(scores)), np.nan)
    for row, name in zip(simulators, tested, strict=True):
        for j, share, _ in zip(*questions.given(name), strict=True):
            row[j] = share @ scores[j, : len(share)]
    low, high = (numbers(scenarios[name]) for name in ("lower", "upper"))
    low = np.where(np.isfinite(low), low, np.nanmin(scores, axis=1))
    high = np.where(np.isfinite(high), high, np.nanmax(scores, axis=1))
    known = (high > low) & (results.kind != "real")
    low, width = np.where(known, low, 0.0), np.where(known, high - low, 1.0)
    return (people - low) / width, (simulators - low) / width


def warnings(all_doubts: list[LabelDoubt], tested: list[str], results: Results) -> Iterator[str]:
    """Yield a warning for each change, with the simulators that it would mend."""
    for (change, blocks), doubts in groupby(
        all_doubts, key=lambda doubt: (doubt.change, doubt.blocks)
    ):
        same_change = list(doubts)
        names = [named(results.named(tested[doubt.simulator])) for doubt in same_change]
        before, after = (
            span([getattr(doubt, way) for doubt in same_change], "{:.2f}".format)
            for way in ("correlation", "changed")
        )
        about = listed([named(str(block)) for block in blocks])
        what = f"the {results.nouns} of {about}" if blocks else f"all {results.nouns}"
        if change == EXCHANGED:
            undone = "with these two exchanged"
            cause = "the labels of the two are probably exchanged in one of the files"
            check = f"Compare the wording of a few of these {results.nouns} in the files of both"
        else:
            undone = "with the scale the other way round"
            cause = "in one of the files the scale probably runs the other way"
            check = "Compare what the lowest and the highest answer mean in the files of both"
        yield (
            f"Check the labels of {listed(names, most=MOST_NAMED)}: over {what} mean answers"
            f" correlate with people's at {before} as labelled, and at {after} {undone}. So"
            f" {cause}, and numbers on {'it' if len(same_change) == 1 else 'them'} are wrong."
            f" {check}, and mend the labels. If they are right, the answers are truly that far from"
            " people's."
        )
