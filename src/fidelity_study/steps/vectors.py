"""Whether simulators' texts, or other answers that are points, can be told from people's.

Tables:
    TOLD: of answers that are texts or vectors: a row per simulator over all questions (`scenario`
        empty: `questions`, and `told_questions`, on how many it is sure) and per question:
        `people`, `draws` and `judged` of each side, the `dimensions` of the points, the balanced
        share `told` right by a logistic regression (which sees squares, too, of vectors with at
        most 200 columns) that learned from one half of persons and runs, with its interval
        (`told_lower`, `told_upper`; exact for a question), the `p_value` of "both sides are alike"
        (Fisher's exact test), a lower bound of the `total_variation`, `can_be_told` (over all: the
        interval lies above ½; by question: p at most 5 % over the number of questions), what is
        `lacking`, and a `warning`
    DISTANCES: a row per simulator, `distance` (`mmd` and `energy` are squared distances;
        `sliced_w1`), `estimand` (the `model` that draws come from, or its `answers` as they are),
        and question (empty: the mean over all): `lower` and `upper` bound in expectation, equal
        where an estimate is unbiased, and the interval `ci_lower`, `ci_upper`; of `mmd` the
        `bandwidth` h of the kernel exp(-d²/(2h²)), the median over the other questions of the
        median distance of two answers, all sources pooled
    FEATURES: the words (or columns of vectors) of which one side surely has more, at most ten each:
        the share of answers with the word (or the mean) of people, `people_mean`, and of the
        simulator, `mean`, and Welch's `statistic`
    EXAMPLES: of each side (`human`, `simulator`) the three different answers that are `nearest` to
        the other side, and the `farthest` (`place`), by their mean distance
    PROJECTION: up to 200 answers of each source in the two directions in which answers to a
        question differ most (`x`, `y`)
    PATHS: of paths in time: the quartiles `lower`, `median` and `upper` of each source at each time
    CURVES: of each simulator and distance: the distance from its answers as they are that a share
        `tau` of questions is within, `lower` and `upper` (envelopes over coverages, asymptotic),
        and `exact_upper`, which holds at this number of questions (infinite where these are too
        few)
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pyarrow as pa

from fidelity.curves.envelope import envelope_curve, exact_envelope_curve, lower_envelope_curve
from fidelity.stream import stream
from fidelity.vectors import (
    PointComparison,
    Samples,
    bandwidths,
    compare_points,
    mean_distance,
    mean_share,
    median_distance,
    principal_plane,
    split_tests,
    sure_features,
    telling_features,
)
from fidelity.vectors.distances import ESTIMANDS, MMD, SAMPLE_DISTANCES
from fidelity_study.reading.settings import TEXT, VECTOR
from fidelity_study.reading.tabular.vectors import times_of
from fidelity_study.steps.arrays import ends_of, numbers, row_of
from fidelity_study.steps.point_answers import Question, questions_of
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import HUMAN, OUTCOMES, RESPONDENTS, RUNS, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

MOST_SQUARED = 200
MOST_FEATURES, MOST_ANSWERS, MOST_DRAWN = 10, 3, 200
TAUS = (0.1, 0.25, 0.5, 0.75, 0.9)
WEIGHTED = "weights are left out"
FEW = "4 answers on each side"
NEAREST, FARTHEST = "nearest", "farthest"
TOLD = pa.schema(
    [
        *columns(LABEL, "simulator", "scenario"),
        *columns(pa.int32(), "people", "draws", "judged", "dimensions"),
        *columns(pa.int32(), "questions", "told_questions"),
        *columns(pa.float64(), "told", "told_lower", "told_upper", "p_value"),
        ("total_variation", pa.float64()),
        ("can_be_told", pa.bool_()),
        *columns(LABEL, "lacking", "warning"),
    ]
)
DISTANCES = pa.schema(
    [
        *columns(LABEL, "simulator", "scenario", "distance", "estimand"),
        *columns(pa.float64(), "lower", "upper", "ci_lower", "ci_upper", "bandwidth"),
    ]
)
CURVES = pa.schema(
    [
        *columns(LABEL, "simulator", "distance"),
        *columns(pa.float64(), "tau", "lower", "upper", "exact_upper"),
    ]
)
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
QUARTILES = (0.25, 0.5, 0.75)
PATHS = pa.schema(
    [
        *columns(LABEL, "scenario", "source"),
        *columns(pa.float64(), "time", "lower", "median", "upper"),
    ]
)
OF_SIMULATOR = ("told", "distances", "curves", "features", "examples")
SCHEMAS = {
    "told": TOLD,
    "distances": DISTANCES,
    "curves": CURVES,
    "features": FEATURES,
    "examples": EXAMPLES,
    "projection": PROJECTION,
    "paths": PATHS,
}


def main(snakemake):
    """Compare answers that are points."""
    step, files = snakemake.params.step, snakemake.input
    tables = vector_tables(
        read(files.scenarios, SCENARIOS),
        read(files.outcomes, OUTCOMES),
        read(files.respondents, RESPONDENTS),
        read(files.runs, RUNS),
        step,
    )
    write_tables(snakemake.output, tables, step)


def vector_tables(
    scenarios: pa.Table, outcomes: pa.Table, respondents: pa.Table, runs: pa.Table, step: dict
) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of the tables, with their schemas."""
    questions = questions_of(scenarios, outcomes, respondents, runs, step)
    weight = numbers(respondents["weight"]) if len(respondents) else np.ones(1)
    rows: dict[str, list[dict]] = {name: [] for name in SCHEMAS}
    widths = _bandwidths(questions, step)
    for name in step["simulators"]:
        compared = Compared(questions, name, widths, step)
        for table in OF_SIMULATOR:
            of_table = getattr(compared, f"{table}_rows")()
            rows[table] += [{**row, "simulator": name} for row in of_table]
    if not np.allclose(weight, 1.0):
        rows["told"] = [row | {"warning": WEIGHTED} for row in rows["told"]]
    rows["projection"] = [row for question in questions for row in _projected(question, step)]
    rows["paths"] = [row for question in questions for row in _path_rows(question, step)]
    return {name: (rows[name], schema) for name, schema in SCHEMAS.items()}


def _bandwidths(questions: list[Question], step: dict) -> dict[str, float]:
    """Return the kernel's bandwidth of each question; none where answers are too alike."""
    sources = [HUMAN, *step["simulators"]]
    medians: dict[str, float] = {}
    for question in questions:
        there = [question.points(name) for name in sources if question.has(name)]
        generator = stream(step["seed"], step["dataset"], question.name, "bandwidth")
        with suppress(ValueError):
            pooled = np.concatenate([np.zeros((0, question.embedding.points.shape[1])), *there])
            medians[question.name] = median_distance(pooled, generator=generator)
    widths = bandwidths(list(medians.values())) if medians else ()
    return dict(zip(medians, map(float, widths), strict=True))


def sees_squares(kind: str, dimensions: int) -> bool:
    """Whether the classifier sees squares of features, too: of vectors with not too many."""
    return kind != TEXT and dimensions <= MOST_SQUARED


@dataclass(frozen=True)
class Compared:
    """A simulator beside people.

    Attributes:
        questions: all.
        name: of the simulator.
        widths: the kernel's bandwidth of questions.
        step: the settings.
    """

    questions: list[Question]
    name: str
    widths: dict[str, float]
    step: dict

    @cached_property
    def compared(self) -> list[Question]:
        """The questions with enough answers on both sides."""
        return [one for one in self.questions if one.has(HUMAN) and one.has(self.name)]

    @property
    def alpha(self) -> float:
        """How often intervals may miss."""
        return self.step["test"]["alpha"]

    def how(self, at: Iterable[int]) -> dict:
        """Return who answered some of the questions compared, and the intervals' level."""
        sides = [self.compared[place].sides for place in at]
        return {
            "respondents": [side[HUMAN].unit for side in sides],
            "runs": [side[self.name].unit for side in sides],
            "level": 1.0 - self.alpha,
        }

    def told_rows(self) -> list[dict]:
        """Return the share that the classifier tells, in all and by question."""
        if not self.compared:
            return [{"questions": 0, "lacking": FEW}]
        key = (self.step["seed"], self.step["dataset"], "vectors", "split")
        dimensions = [question.embedding.points.shape[1] for question in self.compared]
        how = self.how(range(len(self.compared)))
        tests = split_tests(
            ((one.points(HUMAN), one.points(self.name)) for one in self.compared),
            generators=(stream(*key, HUMAN), stream(*key, self.name)),
            squares=[sees_squares(self.step["outcome"]["kind"], many) for many in dimensions],
            **how,
        )
        clear = [test.p_value <= self.alpha / len(tests) for test in tests]
        share = mean_share(tests, **how)
        rows: list[dict] = [
            {
                "questions": len(tests),
                "told_questions": sum(clear),
                "people": len(np.unique(np.concatenate(how["respondents"]))),
                "draws": len(np.unique(np.concatenate(how["runs"]))),
                **ends_of("told", share),
                "total_variation": 2.0 * max(share.lower, 0.5) - 1.0,
                "can_be_told": share.lower > 0.5,
            }
        ]
        return rows + [
            row_of(
                TOLD,
                test,
                scenario=question.name,
                people=len(question.sides[HUMAN].place),
                draws=len(question.sides[self.name].place),
                judged=len(test.judged_people),
                dimensions=many,
                told=test.share,
                told_lower=test.lower,
                told_upper=test.upper,
                can_be_told=is_clear,
            )
            for question, test, is_clear, many in zip(
                self.compared, tests, clear, dimensions, strict=True
            )
        ]

    @cached_property
    def beside(self) -> list[PointComparison]:
        """Both sides of each question compared."""
        return [
            compare_points(
                Samples(
                    question.points(HUMAN),
                    question.points(self.name),
                    self.widths.get(question.name),
                    question.embedding.radius,
                ),
                level=1.0 - self.alpha,
            )
            for question in self.compared
        ]

    def distances_rows(self) -> Iterator[dict]:
        """Yield how far the simulator is, in all and by question, by each distance and estimand."""
        for estimand, measure in product(ESTIMANDS, SAMPLE_DISTANCES):
            known = {
                at: one.distances[estimand][measure]
                for at, one in enumerate(self.beside)
                if measure in one.distances[estimand]
            }
            if not known:
                continue
            about = {"distance": measure, "estimand": estimand}
            mean = mean_distance([*known.values()], **self.how(known))
            yield row_of(DISTANCES, mean, **about)
            for at, far in known.items():
                question = self.compared[at].name
                width = self.widths.get(question) if measure == MMD else None
                yield row_of(DISTANCES, far, scenario=question, bandwidth=width, **about)

    def curves_rows(self) -> Iterator[dict]:
        """Yield the envelope over coverages of the share of questions within a distance."""
        for measure in SAMPLE_DISTANCES:
            limits = [one.limits[measure] for one in self.beside if measure in one.limits]
            if len(limits) < 2:
                continue
            lower, upper = np.array(limits).swapaxes(0, 1)
            exact = exact_envelope_curve(upper, TAUS, self.alpha)
            low, high = lower_envelope_curve(lower, TAUS), envelope_curve(upper, TAUS)
            for ends in zip(TAUS, low, high, exact, strict=True):
                cells = dict(zip(CURVES.names[2:], map(float, ends), strict=True))
                yield {"distance": measure, **cells}

    def examples_rows(self) -> Iterator[dict]:
        """Yield the answers of each side whose mean distance from the other is least, largest."""
        for question, one in zip(self.compared, self.beside, strict=True):
            sides = (HUMAN, HUMAN, one.people_apart), ("simulator", self.name, one.simulator_apart)
            for side, source, far in sides:
                place = question.sides[source].place
                _, first = np.unique(place, return_index=True)
                order = first[np.argsort(far[first], kind="stable")]
                for end, chosen in ((NEAREST, order), (FARTHEST, order[::-1])):
                    for at in chosen[:MOST_ANSWERS]:
                        answer = float(far[at]), question.answers[place[at]]
                        row = (question.name, side, end, *answer)
                        yield dict(zip(EXAMPLES.names[1:], row, strict=True))

    def features_rows(self) -> Iterator[dict]:
        """Yield the words, or columns, by which both sides surely differ, the clearest first."""
        for question in self.compared:
            people, simulator = (
                question.embedding.features[question.sides[source].place]
                for source in (HUMAN, self.name)
            )
            if not isinstance(people, np.ndarray):
                people, simulator = people.toarray(), simulator.toarray()
            statistic = telling_features(people, simulator)
            for at in sure_features(statistic, alpha=self.alpha, most=MOST_FEATURES):
                feature = str(question.embedding.names[at])
                means = (people[:, at].mean(), simulator[:, at].mean(), statistic[at])
                cells = (question.name, feature, *map(float, means))
                yield dict(zip(FEATURES.names[1:], cells, strict=True))


def _path_rows(question: Question, step: dict) -> Iterator[dict]:
    """Yield the quartiles of paths over time, of each source; nothing of other answers."""
    times = times_of(question.embedding.names) if step["outcome"]["kind"] == VECTOR else []
    for name in (HUMAN, *step["simulators"]) if times else ():
        if question.has(name):
            quartiles = np.quantile(question.points(name), QUARTILES, axis=0)
            for row in zip(times, *quartiles.tolist(), strict=True):
                yield dict(zip(PATHS.names, (question.name, name, *row), strict=True))


def _projected(question: Question, step: dict) -> Iterator[dict]:
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
