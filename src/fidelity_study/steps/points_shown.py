"""Answers that are points, as the page shows them: what differs, examples, pictures.

Tables:
    FEATURES: the words (or columns of vectors) of which one side surely has more, at most ten each:
        the share of answers with the word (or the mean) of people, `people_mean`, and of the
        simulator, `mean`, and Welch's `statistic`
    EXAMPLES: of each side (`human`, `simulator`) the three different answers that are `nearest` to
        the other side, and the `farthest` (`place`), by their mean distance
    PROJECTION: up to 200 answers of each source in the two directions in which answers to a
        question differ most (`x`, `y`)
    PATHS: of paths in time: the quartiles `lower`, `median` and `upper` of each source at each time
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.vectors import principal_plane, sure_features, telling_features
from fidelity_study.reading.settings import VECTOR
from fidelity_study.reading.tabular.vectors import times_of
from fidelity_study.steps.arrays import row_of
from fidelity_study.steps.point_answers import Compared, Question
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import HUMAN

FEATURES = pa.schema(
    [
        *columns(LABEL, "simulator", "scenario", "feature"),
        *columns(pa.float64(), "people_mean", "mean", "statistic"),
    ]
)
EXAMPLES = pa.schema(
    [
        *columns(LABEL, "simulator", "scenario", "side", "place"),
        ("distance", pa.float64()),
        ("answer", pa.string()),
    ]
)
PROJECTION = pa.schema([*columns(LABEL, "scenario", "source"), *columns(pa.float64(), "x", "y")])
PATHS = pa.schema(
    [
        *columns(LABEL, "scenario", "source"),
        *columns(pa.float64(), "time", "lower", "median", "upper"),
    ]
)
QUARTILES = (0.25, 0.5, 0.75)
MOST_FEATURES, MOST_ANSWERS, MOST_DRAWN = 10, 3, 200
NEAREST, FARTHEST = "nearest", "farthest"


def feature_rows(both: Compared) -> Iterator[dict]:
    """Yield the words, or columns, by which both sides surely differ, the clearest first."""
    for question in both.compared:
        people, simulator = (
            question.embedding.features[question.sides[source].place]
            for source in (HUMAN, both.name)
        )
        if not isinstance(people, np.ndarray):
            people, simulator = people.toarray(), simulator.toarray()
        statistic = telling_features(people, simulator)
        for at in sure_features(statistic, alpha=both.alpha, most=MOST_FEATURES):
            cells = (people[:, at].mean(), simulator[:, at].mean(), statistic[at])
            known = dict(zip(FEATURES.names[3:], cells, strict=True))
            feature = str(question.embedding.names[at])
            yield row_of(FEATURES, scenario=question.name, feature=feature, **known)


def example_rows(both: Compared) -> Iterator[dict]:
    """Yield the answers of each side whose mean distance from the other is least, largest."""
    for question, one in zip(both.compared, both.beside, strict=True):
        sides = (HUMAN, HUMAN, one.people_apart), ("simulator", both.name, one.simulator_apart)
        for side, source, far in sides:
            place = question.sides[source].place
            _, first = np.unique(place, return_index=True)
            order = first[np.argsort(far[first], kind="stable")]
            for end, chosen in ((NEAREST, order), (FARTHEST, order[::-1])):
                for at in chosen[:MOST_ANSWERS]:
                    row = question.name, side, end, float(far[at]), question.answers[place[at]]
                    yield dict(zip(EXAMPLES.names[1:], row, strict=True))


def projected(question: Question, step: dict) -> Iterator[dict]:
    """Yield the two directions in which all sources' answers spread most."""
    there = [name for name in (HUMAN, *step["simulators"]) if question.has(name)]
    drawn = {name: question.points(name)[:MOST_DRAWN] for name in there}
    if not drawn:
        return
    centre, plane = principal_plane(np.concatenate([*drawn.values()]))
    for name, points in drawn.items():
        for at in (points - centre) @ plane.T:
            x, y = (*at.tolist(), 0.0)[:2]
            yield {"scenario": question.name, "source": name, "x": x, "y": y}


def path_rows(question: Question, step: dict) -> Iterator[dict]:
    """Yield the quartiles of paths over time, of each source; nothing of other answers."""
    times = times_of(question.embedding.names) if step["outcome"]["kind"] == VECTOR else []
    for name in (HUMAN, *step["simulators"]) if times else ():
        if question.has(name):
            quartiles = np.quantile(question.points(name), QUARTILES, axis=0)
            for row in zip(times, *quartiles.tolist(), strict=True):
                yield dict(zip(PATHS.names, (question.name, name, *row), strict=True))


OF_SIMULATOR = {"features": (feature_rows, FEATURES), "examples": (example_rows, EXAMPLES)}
OF_QUESTION = {"projection": (projected, PROJECTION), "paths": (path_rows, PATHS)}
