"""Predictions of people's answers to questions that nobody asked them, and checks of these.

Tables:
    PREDICTIONS: a row per new `scenario`, `simulator` (in the form `k`), `discrepancy`, `statement`
        and `option` (or the `mean`): the simulator's share or mean `q` (smoothed for the
        discrepancies in `smoothed`, if it is of draws), and the range `lower`, `upper` of people's,
        at miss probability `alpha`; all ranges of a scenario hold at once. `about` says which new
        questions the statement is about; `main` marks the first statement that holds for this one,
        in the order of `statement`. `bound` is V, which the discrepancy does not exceed (inf:
        nothing is known), `neighbours` how many questions (of `per_cluster` clusters) it rests on,
        by weight; `gamma` the coverage of the upper pseudo-discrepancies, of `confidence_set`,
        behind it. A corrected simulator, where the config has `correct`, is called `NAME, corrected
        (KIND)`, or `all simulators, corrected (KIND)`; `k` is that of the simulators it is made of.
        `method`: in what way its ranges are approximate, and which persons it was fitted to and
        bounded by; empty for others. `reason`: why there is no range
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.curves.target import scenario_set_mean
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.prediction.intervals import prediction_intervals
from fidelity.resampling import smoothed
from fidelity_study.steps.arrays import row_of
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.held_out import (
    HELD_OUT,
    Statements,
    asked_of,
    held_out_rows,
    statements_of,
)
from fidelity_study.steps.likeness import NEAREST, Likeness, nearest_rows
from fidelity_study.steps.new_bounds import Asked
from fidelity_study.steps.new_measured import Measured, Study, measured
from fidelity_study.steps.new_questions import FEATURES, QUESTIONS
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS, STATED
from fidelity_study.tables.read_write import read, read_all, write_tables

PREDICTIONS = pa.schema(
    [
        ("scenario", LABEL),
        *columns(LABEL, "simulator", "k", "discrepancy", "statement", "about"),
        ("main", pa.bool_()),
        ("option", LABEL),
        *columns(pa.float64(), "q", "lower", "upper", "bound", "neighbours", "alpha", "gamma"),
        *columns(LABEL, "confidence_set", "method", "reason"),
    ]
)

MEAN = "mean"
NONE_HOLDS = "no statement that is wanted holds of this question"


def prediction_rows(
    study: Study, judged: Measured, asked: Asked, statements: Statements
) -> Iterator[dict]:
    """Yield rows of ``PREDICTIONS``: every statement about a new question, by option."""
    predict, m = study.step["predict"], len(study.described)
    form = {
        **judged.named,
        "alpha": predict["alpha"],
        "gamma": predict["gamma"],
        "confidence_set": judged.confidence_set,
        "method": judged.method,
    }
    for j, question in enumerate(study.questions.to_pylist()):
        if j not in judged.answering.shares:
            continue
        form["scenario"], is_main, reasons = question["scenario"], True, []
        for statement, bound_of in statements.items():
            if not asked.holds(statement, question["cluster"]):
                continue
            if isinstance(bound_of, str):
                reasons.append(f"{statement}: {bound_of}")
                continue
            bound = bound_of(m + j)
            known = {"statement": statement, "about": asked.about(statement), "main": is_main}
            for limits in ranges(judged, j, question, bound.bound, study.step["smoothed"]):
                yield row_of(PREDICTIONS, bound, **form, **known, **limits)
            is_main = False
        if is_main:
            yield {**form, "main": True, "reason": "; ".join(reasons) or NONE_HOLDS}


def ranges(
    judged: Measured, j: int, question: dict, bound: float, smooth: list[str]
) -> Iterator[dict]:
    """Yield the range of each option's share, and of the mean, over {u : L(u, q) ≤ V}."""
    q, scores, kind = judged.answering.shares[j], question["score"], question["kind"]
    measure, made = DISCREPANCIES[judged.discrepancy], []
    if judged.discrepancy in smooth and j in judged.answering.draws:
        q = smoothed(q[np.newaxis], np.array([judged.answering.draws[j]]))[0]
    if kind == "bounded":
        mean, limits = float(q @ np.array(scores)), (question["lower"], question["upper"])
        ends = np.clip(scenario_set_mean(mean, measure.to_metric(bound)), *limits)
        made.append((MEAN, mean, *ends))
    else:
        has_mean = kind == "ordinal" and measure.has_mean_range
        known = scores if has_mean or measure.needs_scores else None
        interval = prediction_intervals(q, bound, discrepancy=judged.discrepancy, scores=known)
        if kind == "binary" or measure.on != "mean":
            made += zip(question["option"], q, interval.lower, interval.upper, strict=True)
        if has_mean:
            mean = float(q @ np.array(scores))
            made.append((MEAN, mean, interval.mean_lower, interval.mean_upper))
    for values in made:
        yield dict(zip(("option", "q", "lower", "upper"), values, strict=True))


def main(snakemake):
    """Predict people's answers to new questions, and check such predictions by leaving out."""
    step, files = snakemake.params.step, snakemake.input
    study = Study(
        read(files.scenarios, SCENARIOS),
        read(files.human, HUMAN_SAMPLE),
        read(files.outcomes, OUTCOMES),
        read(files.simulated, SIMULATED_SAMPLE),
        read(files.questions, QUESTIONS),
        (read_all(files.new_outcomes, OUTCOMES), read_all(files.new_stated, STATED)),
        read(files.features, FEATURES),
        read(files.respondents, RESPONDENTS),
        step,
    )
    all_measured, refused = measured(study)
    alike = Likeness.of(study.all_questions, study.features, step["predict"]["features"])
    predictions, held_out = [], []
    for judged in all_measured:
        asked = asked_of(study, judged, alike)
        statements = statements_of(study, asked)
        predictions += prediction_rows(study, judged, asked, statements)
        held_out += held_out_rows(study, judged, asked, statements)
    made = {
        "predictions": (predictions, PREDICTIONS),
        "held_out": (held_out + refused, HELD_OUT),
        "nearest": (nearest_rows(study, all_measured, alike), NEAREST),
    }
    write_tables(snakemake.output, made, step)
