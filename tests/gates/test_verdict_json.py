"""The file verdict.json of a study that ran, beside its tables and its findings.

It needs a finished study: what it holds is put together from a study's tables only.
"""

import csv
from math import isinf

import pytest
from small_study import ECHO, TWIN

from fidelity_study.steps.mean_discrepancy import BY_CLUSTER, MEAN_DIFFERENCES, MEAN_DISCREPANCY
from fidelity_study.tables.read_write import read
from fidelity_study.verdict_file import Verdict

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def results(small_study):
    return small_study.folder / "results" / "default"


@pytest.fixture(scope="module")
def survey(results):
    verdict = Verdict.read(results)
    assert [dataset.name for dataset in verdict.datasets] == ["personality", "survey", "ratings"]
    return verdict.datasets[1]


def test_means_are_those_of_the_table(results, survey):
    rows = read(
        results / "survey/comparison/mean_discrepancy.parquet", MEAN_DISCREPANCY
    ).to_pylist()
    for view in survey.views:
        for simulator in view.simulators:
            forms = {
                row["k"]: row
                for row in rows
                if (row["simulator"], row["discrepancy"]) == (simulator.name, view.discrepancy)
                and (row["tail"], row["target"]) == (1.0, "asked")
                and not (simulator.answers and row["answers"] == "true")
            }
            drawn = [form for form in forms if form != "stated"]
            row = forms[max(drawn, key=int) if simulator.answers else "stated"]
            if isinf(row["ci_upper"]):
                assert simulator.lower is simulator.upper is simulator.familywise_upper is None
            else:
                assert simulator.lower == row["ci_lower"]
                assert simulator.upper == row["ci_upper"]
                assert simulator.familywise_upper == row["familywise_upper"]


def test_who_is_closer_is_as_in_the_table(results, survey):
    path = results / "survey/comparison/mean_differences.parquet"
    closer = {
        (row["discrepancy"], frozenset((row["simulator"], row["other"])), row["closer"])
        for row in read(path, MEAN_DIFFERENCES).to_pylist()
    }
    assert survey.views[0].pairs
    for view in survey.views:
        for pair in view.pairs:
            names = frozenset((pair.simulator, pair.other))
            assert (view.discrepancy, names, pair.closer) in closer


def test_topics_are_the_clusters_of_the_table(results, survey):
    rows = read(results / "survey/comparison/by_cluster.parquet", BY_CLUSTER).to_pylist()
    ends = {
        (row["simulator"], row["discrepancy"], row["cluster"], row["ci_lower"], row["ci_upper"])
        for row in rows
    }
    topics = [
        (simulator.name, view.discrepancy, topic.name, topic.lower, topic.upper)
        for view in survey.views
        for simulator in view.simulators
        for topic in simulator.topics
    ]
    assert {*topics} <= ends
    assert bool(topics) == bool(rows)


def test_the_headline_is_that_of_the_findings(results, survey):
    said = " ".join((results / "survey/findings.md").read_text("utf-8").split())
    words = said.replace("*", "").replace("\\", "")
    assert survey.headline.replace("*", "") in words
    assert {TWIN, ECHO} <= {simulator.name for simulator in survey.views[0].simulators}


def test_lists_and_tolerances_are_those_of_the_page(results, survey):
    assert [view.tolerance for view in survey.views if view.discrepancy == "tv"] == [0.1, 0.3]
    near, far = (set(view.simulators[0].within or []) for view in survey.views[:2])
    assert near <= far
    with (results / "survey" / "nonresponse.csv").open(encoding="utf-8") as file:
        assert TWIN in {row["source"] for row in csv.DictReader(file)}
