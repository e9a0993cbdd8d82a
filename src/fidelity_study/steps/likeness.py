"""The similarity of questions, asked and new ones together: by wording, and by other features.

Word frequencies, scales and bandwidths come from all questions. So similarities don't depend on
which question is the new one, and localised bounds stay exact.

Tables:
    NEAREST: for each new `scenario` the three `nearest` asked, by `rank`, and what they are near
        `by` (their `similarity`; without features those of the same cluster; equally near ones come
        by name); with the `lower`, `plugin` and `upper` discrepancy of each simulator there
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from fidelity.prediction.similarity import gaussian_similarity, wording_similarity
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import codes, numbers, only, row_of
from fidelity_study.steps.new_measured import Measured, Study
from fidelity_study.tables.common import LABEL, columns

NEAREST = pa.schema(
    [
        ("scenario", LABEL),
        ("rank", pa.int32()),
        *columns(LABEL, "nearest", "by"),
        ("similarity", pa.float64()),
        *columns(LABEL, "simulator", "k", "discrepancy"),
        *columns(pa.float64(), "lower", "plugin", "upper"),
    ]
)

MOST_NEAREST, DECIMALS = 3, 9
WORDING, MANY_OPTIONS, CLUSTER = "question", "n_options", "cluster"


@dataclass(frozen=True)
class Likeness:
    """The features of M questions, those asked before the new ones.

    Attributes:
        texts: their wording, (M,); None if it is no feature.
        features: numbers, (M, f); without columns if there are none.
        names: of the features.
    """

    texts: list[str] | None
    features: np.ndarray
    names: list[str]

    @classmethod
    def of(
        cls, questions: pa.Table, features: pa.Table, wanted: list[str] | None
    ) -> "Likeness | None":
        """Take the features that are wanted, else the wording; None where there is neither.

        Args:
            questions: all of them, columns ``scenario, question, cluster, value``.
            features: their columns in the user's files.
            wanted: names of features; None for the wording.

        Raises:
            DataError: if the wording is wanted and not known of all.
        """
        scenarios = questions["scenario"].to_pylist()
        texts = worded(questions)
        chosen = wanted if wanted is not None else [WORDING] if texts else []
        if WORDING in chosen and texts is None:
            raise DataError(
                "predict.features: question is named, but not every question, asked and new, has a "
                "wording; add it as a column question to the files of scenarios"
            )
        if not chosen:
            return None
        columns = [np.zeros((len(scenarios), 0))]
        for name in chosen:
            if name == MANY_OPTIONS:
                columns.append(np.array([[len(row)] for row in questions["value"].to_pylist()]))
            elif name == CLUSTER:
                columns.append(_indicators(questions[CLUSTER].to_pylist()))
            elif name != WORDING:
                columns.append(_column(only(features, feature=name), scenarios))
        return cls(texts if WORDING in chosen else None, np.hstack(columns), chosen)

    def __call__(self, at: np.ndarray) -> np.ndarray:
        """Return the similarity of the questions at some places, (N, N)."""
        return self.near[np.ix_(at, at)]

    @cached_property
    def near(self) -> np.ndarray:
        """The similarity of all questions, (M, M)."""
        near = np.ones((len(self.features),) * 2)
        if self.texts is not None:
            near = near * wording_similarity(self.texts)
        if self.features.shape[1]:
            near = near * gaussian_similarity(self.features)
        return near


def worded(questions: pa.Table) -> list[str] | None:
    """Return the wording of all questions; None where one has none, or has its name instead."""
    texts, names = (questions[name].to_pylist() for name in (WORDING, "scenario"))
    if None in texts or all(text == name for text, name in zip(texts, names, strict=True)):
        return None
    return texts if any(map(str.isalnum, "".join(texts))) else None


def _indicators(labels: list[str | None]) -> np.ndarray:
    known = sorted({label for label in labels if label is not None})
    return np.array([[float(label == name) for name in known] for label in labels])


def _column(cells: pa.Table, scenarios: list[str]) -> np.ndarray:
    """Return a column of the user's in the order of the questions: a number, or indicators."""
    order = np.argsort(codes(cells["scenario"], scenarios))
    cells = cells.take(order)
    if cells["number"].null_count == 0:
        return numbers(cells["number"])[:, np.newaxis]
    return _indicators(cells["text"].cast(pa.string()).to_pylist())


def nearest_first(near: np.ndarray, names: list[str]) -> np.ndarray:
    """Return the positions of questions by similarity, (m,), of equally near ones by name."""
    return np.lexsort((np.array(names, str), -near.round(DECIMALS)))


def nearest_rows(
    study: Study, all_measured: list[Measured], alike: Likeness | None
) -> Iterator[dict]:
    """Yield rows of ``NEAREST``: the nearest questions asked, and how far each simulator is there.

    Nearest by the features. Without features, the questions of the cluster are equally near.
    """
    names, clusters = (study.described[name].to_pylist() for name in ("scenario", "cluster"))
    questions, m = study.questions.to_pylist(), len(names)
    if alike is None:
        near, by = np.array([[x == q["cluster"] for x in clusters] for q in questions]), CLUSTER
    else:
        near, by = alike.near[m:, :m], ", ".join(alike.names)
    for j, question in enumerate(questions):
        order = nearest_first(near[j].astype(float), names)[:MOST_NEAREST]
        if alike is None:
            order = order[near[j, order]]
        for rank, i in enumerate(order.tolist(), start=1):
            known = {"scenario": question["scenario"], "rank": rank, "nearest": names[i], "by": by}
            known["similarity"] = None if alike is None else near[j, i]
            for judged in all_measured:
                for at in np.flatnonzero(judged.rows == i) if j in judged.answering.shares else ():
                    ends = {end: getattr(judged, end)[at] for end in ("lower", "plugin", "upper")}
                    yield row_of(NEAREST, **known, **judged.named, **ends)
