"""The file verdict.json of a study that ran, beside its tables and its findings.

It needs a finished study: what it holds is put together from a study's tables only.
"""

import pytest
from small_study import ECHO, TWIN

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


def test_the_headline_is_that_of_the_findings(results, survey):
    said = " ".join((results / "survey/findings.md").read_text("utf-8").split())
    words = said.replace("*", "").replace("\\", "")
    assert survey.headline.replace("*", "") in words
    assert {TWIN, ECHO} <= {simulator.name for simulator in survey.views[0].simulators}
