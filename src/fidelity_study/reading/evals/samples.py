"""What every reader of scores returns: a sample for each answer of a model that was scored, or not.

A question may be sampled several times; each time is an epoch.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isclose, isnan
from statistics import fmean
from typing import Any, NamedTuple

from fidelity_study.errors import BLANK, Remedy, refusal, there_are

NO_SCORE = "no score"


class Sample(NamedTuple):
    """One answer of a model to one question.

    Attributes:
        model: its name.
        question: its id in the evaluation.
        epoch: which of several samples of the question.
        cluster: of the question; None if questions aren't grouped.
        score: a finite number; None where there is none.
        reason: why there is none; empty where there is one.
        place: where it is in its file, for messages.
        content: a text by which the same question has the same, where the file has one.
    """

    model: str
    question: str
    epoch: str
    cluster: str | None
    score: float | None
    reason: str
    place: str
    content: str = ""


class Figure(NamedTuple):
    """A score of a model over all its questions, as its log states it.

    Attributes:
        metric: its name.
        by: the reducer of several samples of a question, or the filter; empty if there is none.
        value: a finite number.
    """

    metric: str
    by: str
    value: float


@dataclass
class Log:
    """What one file has.

    Attributes:
        path: the file, as the config names it.
        kind: what it is.
        samples: in the order of the file.
        notes: what a user should know of it, each the end of a sentence about the file.
        score: what the score is called there.
        better: which score is better, ``higher`` or ``lower``; None where the file doesn't say.
        why_unknown: why it doesn't, where that is not plain.
        figures: what the file states over all questions, of the score that is read.
        unfinished: how it is less than a whole run, the end of such a sentence; empty if it isn't.
        fields: what else it says of questions, as metadata: the values of a field, by question.
    """

    path: str
    kind: str
    samples: list[Sample] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    score: str = "score"
    better: str | None = None
    why_unknown: str = ""
    figures: list[Figure] = field(default_factory=list)
    unfinished: str = ""
    fields: dict[str, set[tuple]] = field(default_factory=dict)

    @property
    def questions(self) -> set[str]:
        """The questions that it has a sample of."""
        return {sample.question for sample in self.samples}

    @property
    def mean(self) -> float | None:
        """The mean score over its questions; None if no sample has a score."""
        return mean_score(self.samples)

    def states(self, figure: Figure) -> bool:
        """Return whether a figure is the mean score, but for rounding."""
        mean = self.mean
        return mean is not None and isclose(figure.value, mean, rel_tol=1e-6, abs_tol=1e-9)

    def keep_fields(self, question: str, fields: dict) -> None:
        """Keep what the file says of a question in single words or whole numbers."""
        for key, value in fields.items():
            if isinstance(value, (str, int)):
                self.fields.setdefault(str(key), set()).add((question, value))


def mean_score(samples: Iterable[Sample]) -> float | None:
    """Return the mean over questions of the mean of their samples; None without any score."""
    scores: dict[str, list[float]] = {}
    for sample in samples:
        if sample.score is not None:
            scores.setdefault(sample.question, []).append(sample.score)
    return fmean(map(fmean, scores.values())) if scores else None


def cluster_of(path: str, fields: dict, key: str | None, what: str, **place: Any) -> str | None:
    """Return a field as a question's cluster; None without a key. ``what`` says who lacks it."""
    if key is None:
        return None
    value = fields.get(key)
    if value in (None, "") or (isinstance(value, float) and isnan(value)):
        lacking = f"{what} {key!r} for the cluster; {there_are(key, fields)}"
        raise refusal("no-cluster-field", lacking, file=path, **place)
    return str(value)


def chosen(
    setting: str, wanted: str | None, there: Sequence[str], what: str = "", **place: Any
) -> str:
    """Return which of several is meant: the only one, or the one that the config names."""
    if wanted is not None and wanted not in there:
        raise refusal(
            "unknown-choice",
            f"has no {setting} {wanted!r}; {there_are(wanted, there)}",
            also=[Remedy({setting: BLANK})],
            **place,
        )
    if wanted is None and len(there) != 1:
        raise refusal(
            "several-choices",
            f"has several {what or f'{setting}s'}: {', '.join(there)}; name the one that counts, "
            "such as ",
            Remedy({setting: there[0]}, is_sure=False),
            **place,
        )
    return there[0] if wanted is None else wanted
