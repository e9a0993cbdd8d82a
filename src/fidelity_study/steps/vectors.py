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
    CURVES: of each simulator and distance: the distance from its answers as they are that a share
        `tau` of questions is within, `lower` and `upper` (envelopes over coverages, asymptotic),
        and `exact_upper`, which holds at this number of questions (infinite where these are too
        few)
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
import pyarrow as pa

from fidelity.curves.envelope import envelope_curve, exact_envelope_curve, lower_envelope_curve
from fidelity.stream import stream
from fidelity.structure import Interval
from fidelity.vectors import mean_distance, mean_share, split_tests
from fidelity.vectors.distances import ESTIMANDS, MMD, SAMPLE_DISTANCES
from fidelity_study.reading.settings import TEXT
from fidelity_study.steps import points_shown
from fidelity_study.steps.answer_tables import write_from_persons_and_runs
from fidelity_study.steps.arrays import numbers, row_of
from fidelity_study.steps.point_answers import Compared, questions_of, widths_of
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import HUMAN, OUTCOMES
from fidelity_study.tables.read_write import read

MOST_SQUARED = 200
TAUS = (0.1, 0.25, 0.5, 0.75, 0.9)
WEIGHTED = "weights are left out"
FEW = "4 answers on each side"
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


def main(snakemake):
    """Compare answers that are points."""
    outcomes = read(snakemake.input.outcomes, OUTCOMES)
    write_from_persons_and_runs(snakemake, partial(vector_tables, outcomes=outcomes))


def vector_tables(
    scenarios: pa.Table, outcomes: pa.Table, respondents: pa.Table, runs: pa.Table, step: dict
) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of the tables, with their schemas."""
    questions = questions_of(scenarios, outcomes, respondents, runs, step)
    widths = widths_of(questions, step)
    sides = [Compared(questions, name, widths, step) for name in step["simulators"]]
    made = {
        table: ([row | {"simulator": both.name} for both in sides for row in rows_of(both)], schema)
        for table, (rows_of, schema) in OF_SIMULATOR.items()
    }
    if not np.allclose(numbers(respondents["weight"]), 1.0):
        for row in made["told"][0]:
            row["warning"] = WEIGHTED
    return made | {
        table: ([row for question in questions for row in rows_of(question, step)], schema)
        for table, (rows_of, schema) in points_shown.OF_QUESTION.items()
    }


def sees_squares(kind: str, dimensions: int) -> bool:
    """Whether the classifier sees squares of features, too: of vectors with not too many."""
    return kind != TEXT and dimensions <= MOST_SQUARED


def told_rows(both: Compared) -> Iterator[dict]:
    """Yield the share that the classifier tells, in all and by question."""
    if not both.compared:
        yield {"questions": 0, "lacking": FEW}
        return
    key = (both.step["seed"], both.step["dataset"], "vectors", "split")
    dimensions = [question.embedding.points.shape[1] for question in both.compared]
    how = both.how(range(len(both.compared)))
    tests = split_tests(
        ((one.points(HUMAN), one.points(both.name)) for one in both.compared),
        generators=(stream(*key, HUMAN), stream(*key, both.name)),
        squares=[sees_squares(both.step["outcome"]["kind"], many) for many in dimensions],
        **how,
    )
    clear = [test.p_value <= both.alpha / len(tests) for test in tests]
    share = mean_share(tests, **how)
    people, draws = (len(np.unique(np.concatenate(how[side]))) for side in ("respondents", "runs"))
    yield row_of(
        TOLD,
        questions=len(tests),
        told_questions=sum(clear),
        people=people,
        draws=draws,
        told=share,
        total_variation=2.0 * max(share.lower, 0.5) - 1.0,
        can_be_told=share.lower > 0.5,
    )
    for at, (question, test) in enumerate(zip(both.compared, tests, strict=True)):
        yield row_of(
            TOLD,
            test,
            scenario=question.name,
            people=len(question.sides[HUMAN].place),
            draws=len(question.sides[both.name].place),
            judged=len(test.judged_people),
            dimensions=dimensions[at],
            told=Interval(*test[:3]),
            can_be_told=clear[at],
        )


def distance_rows(both: Compared) -> Iterator[dict]:
    """Yield how far the simulator is, in all and by question, by each distance and estimand."""
    for estimand, measure in product(ESTIMANDS, SAMPLE_DISTANCES):
        known = {
            at: one.distances[estimand][measure]
            for at, one in enumerate(both.beside)
            if measure in one.distances[estimand]
        }
        if not known:
            continue
        about = {"distance": measure, "estimand": estimand}
        yield row_of(DISTANCES, mean_distance([*known.values()], **both.how(known)), **about)
        for at, far in known.items():
            question = both.compared[at].name
            width = both.widths.get(question) if measure == MMD else None
            yield row_of(DISTANCES, far, scenario=question, bandwidth=width, **about)


def curve_rows(both: Compared) -> Iterator[dict]:
    """Yield the envelope over coverages of the share of questions within a distance."""
    for measure in SAMPLE_DISTANCES:
        limits = [one.limits[measure] for one in both.beside if measure in one.limits]
        if len(limits) < 2:
            continue
        lower, upper = np.array(limits).swapaxes(0, 1)
        exact = exact_envelope_curve(upper, TAUS, both.alpha)
        low, high = lower_envelope_curve(lower, TAUS), envelope_curve(upper, TAUS)
        for ends in zip(TAUS, low, high, exact, strict=True):
            known = dict(zip(CURVES.names[2:], ends, strict=True))
            yield row_of(CURVES, distance=measure, **known)


OF_SIMULATOR = {
    "told": (told_rows, TOLD),
    "distances": (distance_rows, DISTANCES),
    "curves": (curve_rows, CURVES),
    **points_shown.OF_SIMULATOR,
}
