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
    HELD_OUT: a row per `simulator`, `discrepancy` and `statement` on m questions asked in
        `n_clusters`: its `bound` where it is the same for all new ones, and how it does with each
        `question`, or each `cluster` as a whole, `left_out` in turn and bounded by the others.
        `covered_upper`: share of `checked_upper` upper pseudo-discrepancies within the bound, to
        compare with `promised_upper`; `covered_people`: that of the discrepancies from all people
        asked, where these are 100 or more (`checked_people`), to compare with `promised`; with 1 -
        α intervals `_low`, `_high` (Clopper and Pearson's; of clusters, each counts alike, and as
        one observation in [0, 1] by Chernoff's bound). Coverage is usually above the promise,
        because upper pseudo-discrepancies exceed the true ones. `infinite`: the number of infinite
        bounds, which say nothing. `method` as above; where one half of the persons bounds a
        corrected simulator, `covered_people` is of that half. `reason`: why there is no statement,
        or why a simulator predicts nothing
    NEAREST: for each new `scenario` the three `nearest` asked, by `rank`, and what they are near
        `by` (their `similarity`; without features those of the same cluster; equally near ones come
        by name); with the `lower`, `plugin` and `upper` discrepancy of each simulator there
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.curves.target import scenario_set_mean
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.levels import rational
from fidelity.prediction.held_out import covered_share, held_out_bounds
from fidelity.prediction.intervals import prediction_intervals
from fidelity.prediction.localised import one_per_cluster
from fidelity.resampling import smoothed
from fidelity.stream import stream
from fidelity_study.steps.arrays import dependent_scenarios, may_answer_several
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.likeness import Likeness
from fidelity_study.steps.new_bounds import NEW_CLUSTERS, STATEMENTS, Asked, RefusedError, bounds
from fidelity_study.steps.new_measured import Measured, Study, measured
from fidelity_study.steps.new_questions import FEATURES, QUESTIONS
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS, STATED
from fidelity_study.tables.read_write import read, read_all, write_tables

OF_SIMULATOR = columns(LABEL, "simulator", "k", "discrepancy")
PREDICTIONS = pa.schema(
    [
        ("scenario", LABEL),
        *OF_SIMULATOR,
        *columns(LABEL, "statement", "about"),
        ("main", pa.bool_()),
        ("option", LABEL),
        *columns(pa.float64(), "q", "lower", "upper", "bound", "neighbours", "alpha", "gamma"),
        *columns(LABEL, "confidence_set", "method", "reason"),
    ]
)
HELD_OUT = pa.schema(
    [
        *OF_SIMULATOR,
        *columns(LABEL, "statement", "about"),
        ("promised", pa.float64()),
        *columns(pa.int32(), "m", "n_clusters"),
        ("bound", pa.float64()),
        ("left_out", LABEL),
        ("promised_upper", pa.float64()),
        ("checked_upper", pa.int32()),
        *columns(pa.float64(), "covered_upper", "covered_upper_low", "covered_upper_high"),
        ("checked_people", pa.int32()),
        *columns(pa.float64(), "covered_people", "covered_people_low", "covered_people_high"),
        ("infinite", pa.int32()),
        *columns(LABEL, "method", "reason"),
    ]
)
NEAREST = pa.schema(
    [
        ("scenario", LABEL),
        ("rank", pa.int32()),
        *columns(LABEL, "nearest", "by"),
        ("similarity", pa.float64()),
        *OF_SIMULATOR,
        *columns(pa.float64(), "lower", "plugin", "upper"),
    ]
)

MOST_NEAREST, DECIMALS = 3, 9
MANY_PEOPLE = 100
LEFT_OUT = "with one left out"
QUESTION, CLUSTER = "question", "cluster"
MEAN = "mean"


def asked_of(study: Study, judged: Measured, alike: Likeness | None) -> Asked:
    """Return the questions asked as bounds on new ones need them."""
    predict = study.step["predict"]
    labels = np.array(study.described["cluster"].to_pylist())[judged.rows]
    people = np.array(study.described["people"].to_pylist())[judged.rows]
    generator = stream(*study.key, "one per cluster", judged.answering.simulator)
    return Asked(
        upper=judged.upper,
        clusters=grouped(labels),
        drawn=np.sort(one_per_cluster(labels, generator)),
        same_people=may_answer_several(study.described),
        taught=judged.method is not None,
        shared=dependent_scenarios(people, []),
        weights=study.weights,
        place=judged.rows,
        alike=alike,
        alpha=rational(predict["alpha"]),
        gamma=rational(predict["gamma"]),
        eta=study.step["eta"],
    )


def wanted(study: Study, asked: Asked) -> list[str]:
    """Return the statements to make, preferred ones first: the config's, or all that are possible.

    Some of these may still be refused, where questions or clusters are too few.
    """
    chosen = study.step["predict"]["statement"]
    if chosen is not None:
        return list(chosen)
    lacking = {
        "exact": asked.same_people or asked.taught,
        "per_cluster": asked.clusters is None,
        "weighted": asked.weights is None or asked.clusters is not None,
        "localised": asked.alike is None,
    }
    return [statement for statement in STATEMENTS if not lacking.get(statement)]


def likeness(study: Study) -> Likeness | None:
    """Return the similarity of all questions; None without wording and features."""
    return Likeness.of(study.all_questions, study.features, study.step["predict"]["features"])


def prediction_rows(study: Study, judged: Measured, alike: Likeness | None) -> Iterator[dict]:
    """Yield rows of ``PREDICTIONS``: every statement about a new question, by option."""
    asked, m = asked_of(study, judged, alike), len(study.described)
    predict = study.step["predict"]
    made, why = {}, {}
    for statement in wanted(study, asked):
        try:
            made[statement] = bounds(statement, asked)
        except RefusedError as error:
            why[statement] = str(error)
    for j, question in enumerate(study.questions.to_pylist()):
        if j not in judged.answering.shares:
            continue
        form = {
            "scenario": question["scenario"],
            **judged.named,
            "alpha": predict["alpha"],
            "gamma": predict["gamma"],
            "confidence_set": judged.confidence_set,
            "method": judged.method,
        }
        holding = [name for name in made if asked.holds(name, question["cluster"])]
        for statement in holding:
            bound = made[statement](m + j)
            row = {
                "statement": statement,
                "about": asked.about(statement),
                "main": statement == holding[0],
                "bound": bound.value,
                "neighbours": bound.neighbours,
            }
            for limits in ranges(judged, j, question, bound.value, study.step["smoothed"]):
                yield {**form, **row, **limits}
        if not holding:
            reasons = [
                f"{statement}: {reason}"
                for statement, reason in why.items()
                if asked.holds(statement, question["cluster"])
            ]
            why_none = "; ".join(reasons) or "no statement that is wanted holds of this question"
            yield {**form, "main": True, "reason": why_none}


def ranges(
    judged: Measured, j: int, question: dict, bound: float, smooth: list[str]
) -> Iterator[dict]:
    """Yield the range of each option's share, and of the mean, over {u : L(u, q) ≤ V}."""
    q, scores, kind = judged.answering.shares[j], question["score"], question["kind"]
    measure = DISCREPANCIES[judged.discrepancy]
    if judged.discrepancy in smooth and j in judged.answering.draws:
        q = smoothed(q[np.newaxis], np.array([judged.answering.draws[j]]))[0]
    if kind == "bounded":
        mean = float(q @ np.array(scores))
        limits = question["lower"], question["upper"]
        lower, upper = np.clip(scenario_set_mean(mean, measure.to_metric(bound)), *limits)
        yield {"option": MEAN, "q": mean, **_ends(lower, upper)}
        return
    has_mean = kind == "ordinal" and measure.has_mean_range
    interval = prediction_intervals(
        q,
        bound,
        discrepancy=judged.discrepancy,
        scores=scores if has_mean or measure.needs_scores else None,
    )
    if kind == "binary" or measure.on != "mean":
        for label, share, lower, upper in zip(
            question["option"], q, interval.lower, interval.upper, strict=True
        ):
            yield {"option": label, "q": float(share), **_ends(lower, upper)}
    if has_mean:
        mean = float(q @ np.array(scores))
        yield {"option": MEAN, "q": mean, **_ends(interval.mean_lower, interval.mean_upper)}


def _ends(lower: np.ndarray, upper: np.ndarray) -> dict:
    return {"lower": float(lower), "upper": float(upper)}


def held_out_rows(study: Study, judged: Measured, alike: Likeness | None) -> Iterator[dict]:
    """Yield rows of ``HELD_OUT``: each statement's bound, and how it does on questions left out."""
    asked, predict = asked_of(study, judged, alike), study.step["predict"]
    alpha = study.step["test"]["alpha"]
    alone = np.arange(len(judged.rows))
    clusters = alone if asked.clusters is None else asked.clusters
    for statement in wanted(study, asked):
        form = {
            **judged.named,
            "statement": statement,
            "about": asked.about(statement),
            "promised": 1.0 - predict["alpha"],
            "promised_upper": float(1 - asked.miss),
            "m": len(judged.rows),
            "n_clusters": len(np.unique(clusters)),
            "method": judged.method,
        }
        try:
            made = bounds(statement, asked)
        except RefusedError as error:
            yield {**form, "reason": str(error)}
            continue
        if statement not in ("weighted", "localised"):
            form["bound"] = made(-1).value
        groups = {} if asked.about(statement) == NEW_CLUSTERS else {QUESTION: alone}
        groups |= {} if asked.clusters is None else {CLUSTER: clusters}
        for left_out, labels in groups.items():
            yield {
                **form,
                "left_out": left_out,
                **_checked(asked, statement, judged, labels, alpha),
            }


def _checked(
    asked: Asked, statement: str, judged: Measured, labels: np.ndarray, alpha: float
) -> dict:
    """Return how often the bound from the others covers the questions left out, group by group."""

    def from_others(kept: np.ndarray) -> list[float]:
        bound = bounds(statement, asked.among(kept))
        return [bound(place).value for place in asked.place[~kept].tolist()]

    try:
        value = held_out_bounds(from_others, labels)
    except RefusedError as error:
        return {"reason": f"{LEFT_OUT}: {error}"}
    many = judged.people >= MANY_PEOPLE
    return {
        "infinite": int(np.isinf(value).sum()),
        **_share("upper", judged.upper <= value, labels, alpha),
        **_share("people", (judged.oracle <= value)[many], labels[many], alpha),
    }


def _share(name: str, covered: np.ndarray, groups: np.ndarray, alpha: float) -> dict:
    """Return the share covered with its interval as columns; none where nothing was checked."""
    columns: dict = {f"checked_{name}": len(covered)}
    if len(covered):
        share = covered_share(covered, groups, level=1.0 - alpha)
        for end, value in zip(("", "_low", "_high"), share, strict=True):
            columns[f"covered_{name}{end}"] = value
    return columns


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
            row = {
                "scenario": question["scenario"],
                "rank": rank,
                "nearest": names[i],
                "by": by,
                "similarity": None if alike is None else float(near[j, i]),
            }
            for judged in all_measured:
                (at,) = np.flatnonzero(judged.rows == i)[:1].tolist() or [None]
                if at is None or j not in judged.answering.shares:
                    continue
                columns = {name: getattr(judged, name)[at] for name in ("lower", "plugin", "upper")}
                yield row | judged.named | {name: float(end) for name, end in columns.items()}


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
    alike = likeness(study)
    predictions = (row for judged in all_measured for row in prediction_rows(study, judged, alike))
    held_out = [row for judged in all_measured for row in held_out_rows(study, judged, alike)]
    made = {
        "predictions": (predictions, PREDICTIONS),
        "held_out": (held_out + refused, HELD_OUT),
        "nearest": (nearest_rows(study, all_measured, alike), NEAREST),
    }
    write_tables(snakemake.output, made, step)
