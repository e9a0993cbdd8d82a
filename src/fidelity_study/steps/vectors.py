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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy.special import ndtri

from fidelity.curves.envelope import (
    GAMMA_GRID,
    envelope_curve,
    exact_envelope_curve,
    lower_envelope_curve,
)
from fidelity.stream import stream
from fidelity.vectors import (
    Samples,
    TellingTest,
    bandwidths,
    distance_limits,
    mean_distance,
    mean_share,
    median_distance,
    sample_distances,
    split_test,
    telling_features,
)
from fidelity.vectors.distances import (
    ENERGY,
    ESTIMANDS,
    MMD,
    SAMPLE_DISTANCES,
    SLICED_W1,
    SampleDistance,
)
from fidelity_study.reading.settings import TEXT, VECTOR
from fidelity_study.reading.tabular.vectors import times_of, vectors_of
from fidelity_study.steps.arrays import codes, numbers
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import HUMAN, OUTCOMES, RESPONDENTS, RUNS, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

FEWEST, FEWEST_TEXTS = 4, 2
MOST_SQUARED = 200
COMPONENTS, SIGN = 50, r"[\u3040-\u30ff\u3400-\u9fff]"
"""Signs of Chinese and Japanese, which have no spaces between words."""
WORD = rf"(?u){SIGN}|(?:(?!{SIGN})\w)+(?:['’](?:(?!{SIGN})\w)+)*"
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
SCHEMAS = {
    "told": TOLD,
    "distances": DISTANCES,
    "curves": CURVES,
    "features": FEATURES,
    "examples": EXAMPLES,
    "projection": PROJECTION,
    "paths": PATHS,
}


class Side(NamedTuple):
    """Answers of one source to one question.

    Attributes:
        place: of each answer among the question's different ones, (n,).
        unit: the number of the person, or of the run, (n,).
    """

    place: np.ndarray
    unit: np.ndarray


class Embedding(NamedTuple):
    """The question's different answers as points, and as features that readers understand.

    Attributes:
        points: (N, D), in the precision of the user's files.
        features: words that answers have, or the vectors' own columns, (N, F).
        names: of the features.
        radius: of a ball that holds all possible answers; None where it is unknown.
    """

    points: np.ndarray
    features: Any
    names: Sequence[str]
    radius: float | None


@dataclass(frozen=True)
class Question:
    """A question, the answers of all sources, and where they lie.

    Attributes:
        name: of the scenario.
        answers: the different ones.
        sides: source -> its answers.
        embedding: of the different answers.
    """

    name: str
    answers: Sequence[str]
    sides: dict[str, Side]
    embedding: Embedding

    def points(self, source: str) -> np.ndarray:
        """Return a source's answers as points, (n, D)."""
        return self.embedding.points[self.sides[source].place].astype(float)

    def has(self, source: str) -> bool:
        """Whether a source has enough answers."""
        return source in self.sides and len(self.sides[source].place) >= FEWEST


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
    sides = _sides(scenarios, outcomes, respondents, runs)
    questions = list(_questions(scenarios, sides, step))
    weight = numbers(respondents["weight"]) if len(respondents) else np.ones(1)
    warning = None if np.allclose(weight, 1.0) else WEIGHTED
    rows: dict[str, list[dict]] = {name: [] for name in SCHEMAS}
    widths = _bandwidths(questions, step)
    for name in step["simulators"]:
        compared = Compared(questions, name, widths, step)
        rows["told"] += [row | {"warning": warning} for row in compared.told_rows]
        rows["distances"] += compared.distance_rows
        rows["curves"] += compared.curve_rows
        rows["features"] += compared.feature_rows
        rows["examples"] += compared.example_rows
    rows["projection"] = [row for question in questions for row in _projected(question, step)]
    rows["paths"] = [row for question in questions for row in _path_rows(question, step)]
    return {name: (rows[name], schema) for name, schema in SCHEMAS.items()}


def _sides(
    scenarios: pa.Table, outcomes: pa.Table, respondents: pa.Table, runs: pa.Table
) -> list[dict[str, Side]]:
    """Return the sources' answers to each scenario; each its own unit where units are unknown."""
    names = scenarios["scenario"].to_pylist()
    sides: list[dict[str, Side]] = [{} for _ in names]
    values = [np.array(listed) for listed in scenarios["value"].to_pylist()]
    for table, unit in ((respondents, "respondent"), (runs, "run"), (outcomes, None)):
        of_people = "source" not in table.column_names
        sources = [HUMAN] * len(table) if of_people else table["source"].to_pylist()
        source, scenario = np.array(sources), codes(table["scenario"], names)
        value, number = numbers(table["value"]), numbers(table[unit or "count"]).astype(int)
        for at, name in sorted({*zip(scenario.tolist(), sources, strict=True)}):
            if name in sides[at]:
                continue
            here = (scenario == at) & (source == name)
            place, units = np.searchsorted(values[at], value[here]), number[here]
            if unit is None:
                place = np.repeat(place, units)
                units = 10_000_000 * (at + 1) + np.arange(len(place))
            sides[at][name] = Side(place, units)
    return sides


def _questions(scenarios: pa.Table, sides: list[dict[str, Side]], step: dict) -> Iterator[Question]:
    """Yield the questions."""
    answers = scenarios["option"].to_pylist()
    embedded = (
        map(_of_texts, answers) if step["outcome"]["kind"] == TEXT else _of_vectors(answers, step)
    )
    for name, listed, sources, embedding in zip(
        scenarios["scenario"].to_pylist(), answers, sides, embedded, strict=True
    ):
        yield Question(name, listed, sources, embedding)


def _of_texts(texts: Sequence[str]) -> Embedding:
    """Embed texts by TF-IDF and truncated SVD, without knowing whose they are; length 1 each."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    fewest = FEWEST_TEXTS if len(texts) > MOST_FEATURES else 1
    counter = CountVectorizer(token_pattern=WORD, min_df=fewest)
    try:
        counts = counter.fit_transform(texts)
    except ValueError:  # no word in two texts
        empty = np.zeros((len(texts), 1))
        return Embedding(empty, empty, [""], 1.0)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    many = min(COMPONENTS, min(weighted.shape) - 1)
    points = weighted.toarray()
    if many >= 1 and points.shape[1] > COMPONENTS:
        points = TruncatedSVD(many, n_iter=7, random_state=0).fit_transform(weighted)
    length = np.linalg.norm(points, axis=1, keepdims=True)
    points = np.divide(points, length, out=np.zeros_like(points), where=length > 0.0)
    present = (counts > 0).astype(float)
    return Embedding(points, present, counter.get_feature_names_out(), 1.0)


def _of_vectors(answers: Sequence[Sequence[str]], step: dict) -> Iterator[Embedding]:
    """Yield the vectors of each question's answers, which are names of rows."""
    for names, vectors in vectors_of(answers, step["options"]):
        yield Embedding(vectors, vectors, names, step["outcome"].get("radius"))


def _bandwidths(questions: list[Question], step: dict) -> dict[str, float]:
    """Return the kernel's bandwidth of each question; none where answers are too alike."""
    sources = [HUMAN, *step["simulators"]]
    medians: dict[str, float] = {}
    for question in questions:
        there = [question.points(name) for name in sources if question.has(name)]
        generator = stream(step["seed"], step["dataset"], question.name, "bandwidth")
        try:
            pooled = np.concatenate(there) if there else np.zeros((0, 1))
            medians[question.name] = median_distance(pooled, generator=generator)
        except ValueError:
            continue
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

    @property
    def level(self) -> float:
        """The confidence of intervals."""
        return 1.0 - self.step["test"]["alpha"]

    @cached_property
    def compared(self) -> list[Question]:
        """The questions with enough answers on both sides."""
        return [one for one in self.questions if one.has(HUMAN) and one.has(self.name)]

    @cached_property
    def units(self) -> dict[str, list[np.ndarray]]:
        """The persons, and the runs, of each question compared."""
        return {
            name: [question.sides[name].unit for question in self.compared]
            for name in (HUMAN, self.name)
        }

    @cached_property
    def tests(self) -> list[TellingTest]:
        """Of each question: one half of the persons and runs, the same everywhere, is judged."""
        judged = {}
        for name, units in self.units.items():
            every = np.unique(np.concatenate(units))
            generator = stream(self.step["seed"], self.step["dataset"], "vectors", "split", name)
            half = generator.permutation(every)[: len(every) // 2]
            judged[name] = [np.isin(part, half) for part in units]
        tests = []
        for question, *masks in zip(self.compared, *judged.values(), strict=True):
            sides = [question.points(name) for name in judged]
            test = split_test(
                *sides,
                tested=tuple(masks),
                squares=sees_squares(self.step["outcome"]["kind"], sides[0].shape[1]),
                level=self.level,
            )
            tests.append(test)
        return tests

    @property
    def told_rows(self) -> list[dict]:
        """The share that the classifier tells, in all and by question."""
        if not self.compared:
            return [{"simulator": self.name, "questions": 0, "lacking": FEW}]
        alpha = self.step["test"]["alpha"]
        clear = [test.p_value <= alpha / len(self.tests) for test in self.tests]
        people, runs = self.units.values()
        share = mean_share(self.tests, respondents=people, runs=runs, level=self.level)
        rows: list[dict] = [
            {
                "questions": len(self.tests),
                "told_questions": sum(clear),
                "people": len(np.unique(np.concatenate(people))),
                "draws": len(np.unique(np.concatenate(runs))),
                **dict(zip(("told", "told_lower", "told_upper"), share, strict=True)),
                "total_variation": 2.0 * max(share.lower, 0.5) - 1.0,
                "can_be_told": share.lower > 0.5,
            }
        ]
        rows += [
            {
                "scenario": question.name,
                "people": len(question.sides[HUMAN].place),
                "draws": len(question.sides[self.name].place),
                "judged": len(test.judged_people),
                "dimensions": question.embedding.points.shape[1],
                "told": test.share,
                "told_lower": test.lower,
                "told_upper": test.upper,
                "p_value": test.p_value,
                "total_variation": test.total_variation,
                "can_be_told": is_clear,
            }
            for question, test, is_clear in zip(self.compared, self.tests, clear, strict=True)
        ]
        return [{"simulator": self.name, **row} for row in rows]

    @cached_property
    def beside(self) -> list["Beside"]:
        """The distances of both sides of each question compared, its limits, and examples."""
        return [
            Beside.of(question, self.name, self.widths.get(question.name), self.level)
            for question in self.compared
        ]

    @property
    def distance_rows(self) -> list[dict]:
        """How far the simulator is, in all and by question, by each distance and estimand."""
        rows: list[dict] = []
        for estimand, measure in product(ESTIMANDS, SAMPLE_DISTANCES):
            known = [at for at, one in enumerate(self.beside) if measure in one.distances[estimand]]
            if not known:
                continue
            about = {"simulator": self.name, "distance": measure, "estimand": estimand}
            every = [self.beside[at].distances[estimand][measure] for at in known]
            people, runs = ([units[at] for at in known] for units in self.units.values())
            mean = mean_distance(every, respondents=people, runs=runs, level=self.level)
            rows.append(about | _ends(mean))
            for at, far in zip(known, every, strict=True):
                question = self.compared[at].name
                width = self.widths.get(question) if measure == MMD else None
                rows.append(about | _ends(far) | {"scenario": question, "bandwidth": width})
        return rows

    @property
    def curve_rows(self) -> list[dict]:
        """The envelope over coverages of the share of questions within a distance, both ends."""
        rows = []
        for measure in SAMPLE_DISTANCES:
            limits = [one.limits[measure] for one in self.beside if measure in one.limits]
            if len(limits) < 2:
                continue
            lower, upper = np.array(limits).swapaxes(0, 1)
            exact = exact_envelope_curve(upper, TAUS, self.step["test"]["alpha"])
            low, high = lower_envelope_curve(lower, TAUS), envelope_curve(upper, TAUS)
            rows += [
                {
                    "simulator": self.name,
                    "distance": measure,
                    **dict(zip(CURVES.names[2:], map(float, ends), strict=True)),
                }
                for ends in zip(TAUS, low, high, exact, strict=True)
            ]
        return rows

    @property
    def example_rows(self) -> list[dict]:
        """The answers of each side whose mean distance from the other side is least and largest."""
        return [{"simulator": self.name, **row} for one in self.beside for row in one.examples]

    @property
    def feature_rows(self) -> list[dict]:
        """The words, or columns, by which both sides surely differ, the clearest first."""
        rows = []
        for question in self.compared:
            people, simulator = (
                question.embedding.features[question.sides[name].place] for name in self.units
            )
            if not isinstance(people, np.ndarray):
                people, simulator = people.toarray(), simulator.toarray()
            statistic = telling_features(people, simulator)
            limit = -ndtri(self.step["test"]["alpha"] / 2.0 / len(statistic))
            clearest = np.argsort(-np.nan_to_num(np.abs(statistic)), kind="stable")
            sure = clearest[np.abs(statistic[clearest]) > limit]
            rows += [
                {
                    "simulator": self.name,
                    "scenario": question.name,
                    "feature": str(question.embedding.names[at]),
                    "people_mean": float(people[:, at].mean()),
                    "mean": float(simulator[:, at].mean()),
                    "statistic": float(statistic[at]),
                }
                for side in (sure[statistic[sure] > 0.0], sure[statistic[sure] < 0.0])
                for at in side[:MOST_FEATURES]
            ]
        return rows


class Beside(NamedTuple):
    """Both sides' answers to a question.

    Attributes:
        distances: by estimand, and name.
        limits: lower and upper at each γ of the grid, (2, G), by name of the distance.
        examples: rows of answers.
    """

    distances: dict[str, dict[str, SampleDistance]]
    limits: dict[str, tuple[np.ndarray, np.ndarray]]
    examples: list[dict]

    @classmethod
    def of(cls, question: Question, name: str, width: float | None, level: float) -> "Beside":
        """Compute them; distances of pairs are kept no longer than that."""
        radius = question.embedding.radius
        samples = Samples(question.points(HUMAN), question.points(name), width, radius)
        needed = {MMD: width, ENERGY: radius, SLICED_W1: radius}
        return cls(
            {
                estimand: sample_distances(samples, estimand=estimand, level=level)
                for estimand in ESTIMANDS
            },
            {
                measure: distance_limits(samples, GAMMA_GRID, measure=measure)
                for measure, known in needed.items()
                if known is not None
            },
            list(_examples(question, name, np.sqrt(samples.squares[1]))),
        )


def _examples(question: Question, name: str, far: np.ndarray) -> Iterator[dict]:
    """Yield the different answers of each side that are nearest to the other side, and farthest.

    Args:
        question: which was answered.
        name: of the simulator.
        far: the distance of every two answers, (n, k).
    """
    for side, source, mean in ((HUMAN, HUMAN, far.mean(1)), ("simulator", name, far.mean(0))):
        place = question.sides[source].place
        _, first = np.unique(place, return_index=True)
        order = first[np.argsort(mean[first], kind="stable")]
        for end, chosen in ((NEAREST, order), (FARTHEST, order[::-1])):
            for at in chosen[:MOST_ANSWERS]:
                yield {
                    "scenario": question.name,
                    "side": side,
                    "place": end,
                    "distance": float(mean[at]),
                    "answer": question.answers[place[at]],
                }


def _ends(far: SampleDistance) -> dict[str, float]:
    return dict(zip(("lower", "upper", "ci_lower", "ci_upper"), far[:4], strict=True))


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
    if not there:
        return
    drawn = {name: question.points(name)[:MOST_DRAWN] for name in there}
    together = np.concatenate(list(drawn.values()))
    centre = together.mean(0)
    axes = np.linalg.eigh(np.cov(together, rowvar=False, ddof=0).reshape(2 * (len(centre),)))[1]
    line = axes[:, ::-1].T[:2]
    for name, points in drawn.items():
        for at in (points - centre) @ line.T:
            x, y = (*at.tolist(), 0.0)[:2]
            yield {"scenario": question.name, "source": name, "x": x, "y": y}
