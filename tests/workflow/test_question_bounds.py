"""Bounds of single questions: 95 % each, whatever coverage the curves have."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import beta

from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.steps.question_bounds import question_bounds
from fidelity_study.tables.ingest import SCENARIOS

COUNTS = {"a": [30.0, 10.0], "b": [12.0, 88.0]}
MODEL = {"a": [0.6, 0.4], "b": [0.5, 0.5]}


@pytest.fixture(scope="module")
def found():
    """Rows of two questions with two options, of which tables are in no order."""
    n = {name: sum(count) for name, count in COUNTS.items()}
    about = {"value": [0.0, 1.0], "option": ["no", "yes"], "n_options": 2}
    scenarios = [
        {"scenario": name, "n_human": n[name], "n_effective": n[name], **about} for name in COUNTS
    ]
    people = [
        {"scenario": name, "replicate": replicate, "n_j": n[name], "count": COUNTS[name]}
        for name in reversed(COUNTS)
        for replicate in (0, 1)
    ]
    model = {"simulator": "model", "replicate": 0, "k": "stated", "k_j": None}
    simulated = [{"scenario": name, "share": share, **model} for name, share in MODEL.items()]
    table = question_bounds(
        pa.Table.from_pylist(scenarios, SCENARIOS),
        pa.Table.from_pylist(people, HUMAN_SAMPLE),
        pa.Table.from_pylist(simulated, SIMULATED_SAMPLE),
        {"tv": "witness"},
        [],
        "study",
        0.05,
    )
    assert table.schema.names == PSEUDO_DISCREPANCY.names
    return {row["scenario"]: row for row in table.to_pylist()}


@pytest.mark.parametrize("name", COUNTS)
def test_a_question_has_clopper_and_pearsons_bound_at_95_percent(found, name):
    x, q = np.array(COUNTS[name]), np.array(MODEL[name])
    n = x.sum()
    upper = max(beta.ppf(0.95, x + 1, n - x) - q)
    lower = max(0.0, max(beta.ppf(0.025, x, n - x + 1) - q))
    row = found[name]
    assert row["gamma"] == "0.95"
    assert row["plugin"] == pytest.approx(np.abs(x / n - q).sum() / 2)
    assert row["upper"] == pytest.approx(upper, abs=1e-9)
    assert row["lower"] == pytest.approx(lower, abs=1e-9)


def test_there_is_one_row_for_each_answer_of_the_first_replicate(found):
    assert sorted(found) == ["a", "b"]
