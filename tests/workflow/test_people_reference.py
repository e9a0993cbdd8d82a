"""The step: the library's distances of other people, from tables, with what is known of people."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from called_step import call_step

from fidelity import Responses, people_reference
from fidelity.responses import Answers
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.design import Sizes
from fidelity_study.steps.mean_discrepancy import People
from fidelity_study.steps.people_reference import PEOPLE_REFERENCE, main, reference_rows
from fidelity_study.steps.registry import OF_EVALUATIONS, STEPS
from fidelity_study.steps.unanswered import Options
from fidelity_study.tables.ingest import RESPONDENTS, SCENARIOS

COUNTS = np.array([[12.0, 5.0, 3.0], [46.0, 29.0, 25.0]])
STEP = {
    "dataset": "town",
    "pairs": {"tv": ["witness"], "kl": ["multinomial_kl"], "median": ["bootstrap"]},
    "smoothed": ["kl"],
    "test": {"alpha": 0.1},
}


def people(counts=COUNTS, **known):
    names = [f"q{j}" for j in range(len(counts))]
    options = Options(~np.isnan(counts), None, None, False)
    return replace(People(names, counts, options, np.array(names), None, False, ("town",)), **known)


def rows_of(found: People, step=STEP):
    return {(row["discrepancy"], row["people"]): row for row in reference_rows(found, step)}


@pytest.mark.parametrize("discrepancy", ["tv", "kl"])
@pytest.mark.parametrize("sample_size", [50, 150, 500])
def test_rows_are_the_librarys_distances_but_of_parameters(discrepancy, sample_size):
    found = rows_of(people())
    expected = people_reference(COUNTS, sample_size, discrepancy=discrepancy, level=0.9)
    row = found[discrepancy, sample_size]
    ends = [None if np.isnan(end) else end for end in expected[:3]]
    assert [row["mean"], row["ci_lower"], row["ci_upper"]] == ends
    assert (row["ci_lower"] is None) == (discrepancy == "kl")  # there are 20 people
    assert {name for name, _ in found} == {"tv", "kl"}


def test_shares_are_smoothed_as_the_config_says():
    assert rows_of(people(), STEP | {"smoothed": []})["kl", 50]["mean"] == np.inf


def test_people_of_a_design_are_worth_fewer_and_are_left_out_whole():
    answers = Answers(
        person=np.arange(100),
        scenario=np.ones(100, int),
        option=np.repeat([0, 1, 2], [46, 29, 25]),
        psu=np.repeat(range(10), 10),
    )
    counts = COUNTS[1:]
    sizes = Sizes(np.array([100.0]), np.array([50.0]), np.array([9.0]))
    known = people(counts / 2, sizes=sizes, answers=answers._replace(scenario=np.zeros(100, int)))
    alike = people_reference(Responses(counts, sizes=[50.0]), 25, discrepancy="tv", level=0.9)
    row = rows_of(known)["tv", 50]
    assert row["mean"] == pytest.approx(alike.mean, rel=1e-12)
    assert row["ci_upper"] - row["ci_lower"] > 1.5 * (alike.ci_upper - alike.ci_lower)


def test_errors_by_replicate_weights_are_taken_over():
    apart = np.array([[[0.02, -0.01], [-0.02, 0.0], [0.0, 0.01]]])
    share = COUNTS[1:] / 100
    known = people(COUNTS[1:], replicates=share[..., None] + apart)
    same = people_reference(
        COUNTS[1:], 150, discrepancy="tv", replicates=share[..., None] + apart, level=0.9
    )
    assert rows_of(known)["tv", 150]["ci_upper"] == same.ci_upper


def test_a_question_with_one_answer_leaves_the_cells_empty():
    row = rows_of(people(np.array([[1.0, 0.0], [30.0, 70.0]])))["tv", 150]
    assert row["mean"] is None and row["ci_lower"] is None and row["ci_upper"] is None


def test_the_step_reads_and_writes_tables(tmp_path):
    described = {
        "cluster": "none",
        "kind": "categorical",
        "value": [1.0, 2.0, 3.0],
        "weighted": False,
        "respondents_repeat": False,
    }
    names = ["q0", "q1"]
    sizes = COUNTS.sum(1).tolist()
    tables = {
        "scenarios": (
            [
                {**described, "scenario": name, "people": name, "n_human": n, "n_effective": n}
                for name, n in zip(names, sizes, strict=True)
            ],
            SCENARIOS,
        ),
        "human": (
            [
                {"scenario": name, "replicate": 0, "n_j": n, "count": row.tolist()}
                for name, n, row in zip(names, sizes, COUNTS, strict=True)
            ],
            HUMAN_SAMPLE,
        ),
        "respondents": ([], RESPONDENTS),
    }
    tables = {name: pa.Table.from_pylist(*table) for name, table in tables.items()}
    made = call_step(main, tmp_path, STEP, tables, "people_reference", "people_reference_csv")
    table = pq.read_table(made["people_reference"])
    assert table.schema.names == PEOPLE_REFERENCE.names
    assert table["people"].to_pylist() == [50, 150, 500] * 2
    expected = people_reference(COUNTS, 500, discrepancy="tv", level=0.9)
    assert table["mean"].to_pylist()[2] == pytest.approx(expected.mean, rel=1e-12)
    assert made["people_reference_csv"].read_text().startswith("discrepancy,people,mean")


def test_forecasts_and_evaluations_have_no_such_table():
    step = STEPS["people_reference"]
    assert step.runs({"curves": True}) and not step.runs({"curves": False})
    assert "people_reference" not in OF_EVALUATIONS
