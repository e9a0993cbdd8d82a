"""What steps and report make of effective sizes and degrees of freedom."""

import numpy as np
import pyarrow as pa
import pytest

from fidelity.designs import korn_graubard_ratio
from fidelity.sets.gamma import parse_sides
from fidelity_study.report.results import Results
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.confidence_set import known_bounds
from fidelity_study.steps.design import Sizes
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import write_rows

ROWS = [
    {
        "scenario": name,
        "cluster": name,
        "kind": "categorical",
        "n_options": 3,
        "value": [1.0, 2.0, 3.0],
        "n_human": 100.0,
        "n_effective": 40.0,
        "df": df,
        "weighted": True,
    }
    for name, df in (("by_design", 7.0), ("by_weights", None))
]
DESCRIBED = pa.Table.from_pylist(ROWS, SCENARIOS)
COVERAGES = [parse_sides(gamma).upper for gamma in (0.5, 0.95)]


def bounds(n: float) -> list[dict]:
    """Return the bounds of samples of n people with the same shares."""
    count = [0.5 * n, 0.3 * n, 0.2 * n]
    rows = [{"scenario": each["scenario"], "n_j": n, "count": count} for each in ROWS]
    samples = pa.Table.from_pylist([{**row, "replicate": 0} for row in rows], HUMAN_SAMPLE)
    pairs = {"tv": ["witness"]}
    return known_bounds(DESCRIBED, samples, COVERAGES, pairs, ("a",)).to_pylist()


def test_the_surer_a_set_is_to_be_the_fewer_people_a_design_is_worth():
    found = {(row["scenario"], row["gamma_j"]): row for row in bounds(40.0)}
    for level in (0.5, 0.95):
        design, weights = (found[name, level] for name in ("by_design", "by_weights"))
        assert weights["n_j"] == 40
        assert design["n_j"] == pytest.approx(40 * korn_graubard_ratio(100, 7, level))
        assert design["share"] == pytest.approx(weights["share"])
        assert (np.array(design["support"]) > weights["support"]).all()
    assert found["by_design", 0.95]["n_j"] < found["by_design", 0.5]["n_j"]


def test_samples_smaller_than_what_people_are_worth_stay_as_they_are():
    assert {row["n_j"] for row in bounds(20.0)} == {20.0}


def test_sizes_stay_above_one():
    sizes = Sizes(np.array([100.0]), np.array([2.0]), np.array([1.0]))
    assert sizes.at(np.array([2.0]), 0.999).tolist() == [1.0]


def test_the_report_says_what_the_design_is_worth(tmp_path):
    path = tmp_path / "scenarios.parquet"
    write_rows(path, ROWS[:1], SCENARIOS, {})
    step = {"weighting_effect": None, "noun": ["question", "questions"], "cluster": "none"}
    told = Results(step, {"scenarios": [path]}).notes.weights
    assert "100 people of a question tell as much as 40 drawn at random" in told
    assert "7 degrees of freedom" in told and "Kish" not in told
