"""Simulators' answers to new questions, got in the same way as those to questions asked.

Tables:
    QUESTIONS: if the config has `predict`, the questions that people were not asked (`scenario`,
        `cluster`, `kind`, `lower`, `upper`, `description`, `question`, `value`, `option`, `score`
        as in `scenarios.parquet`)
    FEATURES: of every question, asked or new, the columns that `features` and `weights` name, as
        `number` or `text`
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.resampling import subsample
from fidelity.stream import stream
from fidelity_study.reading.tabular.new_questions import new_questions
from fidelity_study.steps.arrays import Scenarios, only
from fidelity_study.steps.draws import STATED_FORM, is_from_people
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import NAMED, OUTCOMES, SCENARIOS, STATED, WORDED
from fidelity_study.tables.read_write import read, write

QUESTIONS = pa.schema([*NAMED, *WORDED])
FEATURES = pa.schema(
    [*columns(LABEL, "scenario", "feature"), ("number", pa.float64()), ("text", LABEL)]
)

FITTED = (
    "learns from people's answers: for a question asked from those to all others, for a new one"
    " from those to all asked, so that its errors on the two need not be alike"
)


@dataclass(frozen=True)
class Answering:
    """One simulator's answers to the new questions, in the form in which it is studied.

    Attributes:
        k: the number of draws as in tables, or ``stated``.
        k: the number of draws as in tables, or ``stated``.
        shares: shares of the options, by the position of the new question.
        draws: how many draws each holds the shares of; empty if it states probabilities.
    """

    simulator: str
    k: str
    shares: dict[int, np.ndarray]
    draws: dict[int, float]


class UnusableError(ValueError):
    """The reason why a simulator's answers to new questions cannot be used, and the way out."""


def answering(
    simulator: str, asked: pa.Table, new: Scenarios, given: tuple[pa.Table, pa.Table], key: tuple
) -> Answering:
    """Return a simulator's answers to new questions, got as those to the questions asked were.

    If it states probabilities for both, these are used. Otherwise it is the largest k of the study
    that it reaches in every new question. Where it gave fewer than k answers to some questions
    asked, it may give as few here.

    Args:
        simulator: its name.
        asked: its rows of simulators' samples, of the first replicate.
        new: the new questions.
        given: ``outcomes`` and ``stated`` of the new questions.
        key: of the dataset's random streams.

    Raises:
        UnusableError: if there are no answers that are like those asked.
    """
    if is_from_people(simulator):
        raise UnusableError(f"{simulator} {FITTED}")
    outcomes, stated = (only(table, source=simulator) for table in given)
    forms = set(asked["k"].cast(pa.string()).to_pylist())
    if STATED_FORM in forms and len(stated):
        shares = _given(new.counts(stated, "probability"))
        return Answering(simulator, STATED_FORM, shares, {})
    counts = _given(new.counts(outcomes, "count")) if len(outcomes) else {}
    if not counts:
        how = "states probabilities" if STATED_FORM in forms else "gives answers"
        raise UnusableError(f"{simulator} {how} to the questions asked, and not to any new one")
    fewest = {k: _fewest(asked, k) for k in forms - {STATED_FORM}}
    least = min(vector.sum() for vector in counts.values())
    reached = [k for k in fewest if fewest[k] <= least]
    if not reached:
        some = min(fewest.values(), default=0)
        raise UnusableError(
            f"{simulator} gave {least:g} answers to a new question, and at least {some:g} to each "
            f"of those asked; give as many, or add {least:g} to grid.k"
        )
    k = max(reached, key=int)
    samples = {
        j: subsample(count, size, stream(*key, new.names[j], simulator, f"k={size}", 0))
        for j, count in counts.items()
        for size in [int(min(int(k), count.sum()))]
    }
    draws = {j: float(sample.sum()) for j, sample in samples.items()}
    return Answering(simulator, k, {j: samples[j] / draws[j] for j in samples}, draws)


def _given(vectors: list[np.ndarray]) -> dict[int, np.ndarray]:
    return {j: vector for j, vector in enumerate(vectors) if vector.any()}


def _fewest(asked: pa.Table, k: str) -> float:
    return float(pc.min(only(asked, k=k)["k_j"]).as_py())


def main(snakemake):
    """Read questions that people were not asked, and simulators' answers to them."""
    step = snakemake.params.step
    asked = read(snakemake.input.scenarios, SCENARIOS).to_pandas()
    new = new_questions(step, asked)
    made = {
        "questions": (new.questions, QUESTIONS),
        "outcomes": (new.outcomes, OUTCOMES),
        "stated": (new.stated, STATED),
        "features": (new.features, FEATURES),
    }
    for name, (frame, schema) in made.items():
        table = pa.Table.from_pandas(frame[schema.names], schema=schema, preserve_index=False)
        write(snakemake.output[name], table, schema, step)
    return new.notes
