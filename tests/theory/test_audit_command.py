"""``python -m fidelity_audit``: its tables, its words, and its exit status."""

import csv

import pytest
import yaml

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity_audit.__main__ import main
from fidelity_audit.coverage import KNOWN_WRONG, STATEMENTS
from fidelity_audit.hypothesis_tests import TESTS
from fidelity_audit.plan import Plan
from fidelity_audit.report import coverage, hypothesis_tests
from fidelity_study.root import ROOT

MEASURED_TESTS = ("closer_share", "paired_10", "paired_ignoring_clusters")
PLAN = {
    "seed": 1,
    "populations": ["few_answers", "worst_proportion"],
    "scenarios": 10,
    "replicates": 20,
    "gamma": [{"schedule": "1/3"}],
    "sets": {"absolute": ["bernoulli_kl", "witness"]},
    "studies": 100,
}
ROW = {
    "what": "witness, tv",
    "where": "two_points, good",
    "title": "witness",
    "known_wrong": False,
    "is_proven": True,
}


@pytest.fixture
def few_tests(monkeypatch):
    monkeypatch.setattr(hypothesis_tests, "TESTS", {name: TESTS[name] for name in MEASURED_TESTS})


def audited(folder, **changes):
    """Run a small audit; return its exit status, and its tables as rows of texts."""
    config = folder / "audit.yaml"
    config.write_text(yaml.safe_dump(PLAN | changes), encoding="utf-8")
    status = main([str(config), "--folder", str(folder), "--cores", "1"])
    tables = []
    for name in ("coverage", "tests"):
        with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
            tables.append(list(csv.DictReader(file)))
    return status, *tables


@pytest.mark.slow
def test_a_small_audit_agrees_with_what_is_proven_and_catches_what_is_wrong(tmp_path, few_tests):
    status, cells, tests = audited(tmp_path)
    assert status == 0
    fails = {row["what"].partition(",")[0] for row in cells if row["fails"] == "True"}
    assert fails == set(KNOWN_WRONG)
    assert {row["what"] for row in cells} >= {*STATEMENTS, "bernoulli_kl, absolute"}
    assert {row["gamma"] for row in cells if row["what"] == "witness, absolute"} == {"1-n^-1/3"}
    assert {row["test"] for row in tests} == set(MEASURED_TESTS)
    assert {row["test"] for row in tests if row["fails"] == "True"} == {"paired_ignoring_clusters"}
    written = (tmp_path / "coverage.txt").read_text("utf-8")
    assert "agree with them" in written
    assert "Of 6 formulas known to be wrong, all are caught" in written
    assert "all 1 that are wrong for their data are caught" in (tmp_path / "tests.txt").read_text()


@pytest.mark.slow
def test_the_status_is_1_where_what_is_wrong_is_missed(tmp_path, few_tests):
    """Ten studies are too few to catch anything."""
    status, _, tests = audited(tmp_path, studies=10)
    assert status == 1
    assert not any(row["fails"] == "True" for row in tests)
    assert "Not caught, though known to be wrong: " in (tmp_path / "coverage.txt").read_text(
        "utf-8"
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"populations": ["few"]}, "unknown population 'few'"),
        ({"sets": {"tv": ["witnes"]}}, "witnes"),
        (
            {"populations": ["near_vertex"], "sets": {"tv": ["clopper_pearson"]}},
            "clopper_pearson bounds tv on none of these populations",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        Plan(**PLAN | changes)


def test_make_audit_measures_every_proven_set_and_every_discrepancy():
    """But of numbers without bounds, which no population has: parameters, and a set for them."""
    plan = Plan(**yaml.safe_load((ROOT / "config" / "audit.yaml").read_text("utf-8")))
    _, sets, discrepancies = (set(names) for names in zip(*plan.cells, strict=True))
    proven = {name for name, each in CONFIDENCE_SETS.items() if each.guarantee == "proven"}
    assert sets == proven - {"w1_subgaussian", "w1_sigma"}
    assert discrepancies == {name for name, each in DISCREPANCIES.items() if not each.is_parameter}


@pytest.mark.parametrize(
    ("p_value", "said"),
    [
        (0.3, "All 2 checks of proven statements agree with them"),
        (
            1e-9,
            "2 of 2 checks of proven statements fail, the first: witness, tv (two",
        ),
    ],
)
def test_the_audit_of_coverage_says_what_its_rows_say(p_value, said):
    wrong = ROW | {"title": "wrong", "known_wrong": True, "is_proven": False, "p_value": 1e-30}
    right = ROW | {"p_value": p_value}
    assert said in coverage.findings(coverage.judged([right, right, wrong]))
