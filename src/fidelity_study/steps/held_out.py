"""Statements about new questions, and how they do on questions asked that are left out.

Tables:
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
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.levels import rational
from fidelity.prediction.held_out import covered_share, held_out_bounds
from fidelity.prediction.localised import one_per_cluster
from fidelity.stream import stream
from fidelity_study.steps.arrays import dependent_scenarios, may_answer_several
from fidelity_study.steps.likeness import Likeness
from fidelity_study.steps.new_bounds import (
    NEW_CLUSTERS,
    STATEMENTS,
    Asked,
    Bounds,
    RefusedError,
    bounds,
)
from fidelity_study.steps.new_measured import Measured, Study
from fidelity_study.tables.common import LABEL, columns

HELD_OUT = pa.schema(
    [
        *columns(LABEL, "simulator", "k", "discrepancy", "statement", "about"),
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

MANY_PEOPLE = 100
LEFT_OUT = "with one left out"
QUESTION, CLUSTER = "question", "cluster"

Statements = dict[str, Bounds | str]
"""What bounds a new question, given its place among all, or why it is refused."""


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


def statements_of(study: Study, asked: Asked) -> Statements:
    """Return the statements to make, preferred ones first."""
    made: Statements = {}
    for statement in wanted(study, asked):
        try:
            made[statement] = bounds(statement, asked)
        except RefusedError as error:
            made[statement] = str(error)
    return made


def held_out_rows(
    study: Study, judged: Measured, asked: Asked, statements: Statements
) -> Iterator[dict]:
    """Yield rows of ``HELD_OUT``: each statement's bound, and how it does on questions left out."""
    alpha, alone = study.step["test"]["alpha"], np.arange(len(judged.rows))
    clusters = alone if asked.clusters is None else asked.clusters
    for statement, bound in statements.items():
        form = {
            **judged.named,
            "statement": statement,
            "about": asked.about(statement),
            "promised": 1.0 - study.step["predict"]["alpha"],
            "promised_upper": float(1 - asked.miss),
            "m": len(judged.rows),
            "n_clusters": len(np.unique(clusters)),
            "method": judged.method,
        }
        if isinstance(bound, str):
            yield {**form, "reason": bound}
            continue
        if statement not in ("weighted", "localised"):
            form["bound"] = bound(-1).bound
        groups = {} if asked.about(statement) == NEW_CLUSTERS else {QUESTION: alone}
        groups |= {} if asked.clusters is None else {CLUSTER: clusters}
        for left_out, labels in groups.items():
            form["left_out"] = left_out
            yield form | _checked(asked, statement, judged, labels, alpha)


def _checked(
    asked: Asked, statement: str, judged: Measured, labels: np.ndarray, alpha: float
) -> dict:
    """Return how often the bound from the others covers the questions left out, group by group."""

    def from_others(kept: np.ndarray) -> list[float]:
        bound = bounds(statement, asked.among(kept))
        return [bound(place).bound for place in asked.place[~kept].tolist()]

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
