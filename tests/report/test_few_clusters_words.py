"""What tables and pages make of few effective clusters: warnings, and no verdict below 4."""

import numpy as np
import pyarrow as pa
import pytest

from fidelity_study.report import notes
from fidelity_study.report.page.verdict import _clusters
from fidelity_study.report.results import Results
from fidelity_study.steps import error_bars, proper_scores, versions
from fidelity_study.steps.cluster_warning import warning

UNEVEN = [40, 40, *[1] * 8]


def results_of(sizes):
    found = Results({"cluster": "topic", "noun": ["question", "questions"]}, {})
    names = np.repeat([f"topic {i}" for i in range(len(sizes))], sizes)
    found.__dict__["scenarios"] = pa.table({"cluster": names})
    return found


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        (UNEVEN, "10 clusters (by topic), which tell as much as 2.4 of equal size"),
        ([5] * 7, "7 clusters (by topic)"),
    ],
)
def test_the_page_counts_unequal_clusters_by_what_they_tell(sizes, words):
    results = results_of(sizes)
    assert results.has_few_clusters
    of = type("Of", (), {"results": results})
    said = f"come from {words}: too few to say what holds for other clusters."
    assert _clusters(of).endswith(said)
    assert words in notes.clusters(results)


@pytest.mark.parametrize("sizes", [[5] * 10, [1] * 8, [40, *[4] * 60]])
def test_enough_clusters_or_none_are_not_called_few(sizes):
    assert not results_of(sizes).has_few_clusters


def test_the_warning_is_stronger_below_four_effective_clusters():
    assert "fewer than 4: too few for a p-value" in warning(2.41)
    assert "fewer than 10: the interval holds if" in warning(4.0)
    assert warning(10.0) is None


@pytest.mark.parametrize(("effective", "is_known"), [(None, True), (12.0, True), (3.9, False)])
def test_a_verdict_on_versions_needs_enough_clusters(effective, is_known):
    row = {"ci_lower": 0.1, "ci_upper": 0.2, "effective_clusters": effective}
    assert versions.verdict(row, 0.05) == (versions.WORSE if is_known else versions.OPEN)


def test_tables_have_no_p_value_and_no_rank_of_two_large_clusters():
    clusters = np.repeat(np.arange(len(UNEVEN)), UNEVEN).astype(str)
    generator = np.random.default_rng(0)
    scores = {"a": generator.normal(size=88), "b": generator.normal(50.0, 1.0, 88)}
    (row,) = error_bars.difference_rows(scores, clusters, 0.05, error_bars.bar_columns)
    assert row["p_value"] is None and row["lower"] is not None and "fewer than 4" in row["warning"]
    ranks = list(error_bars.rank_rows(scores, clusters, 0.05))
    assert [(each["first"], each["last"], each["better_than"]) for each in ranks] == [
        (1, 2, [])
    ] * 2
    (proper,) = error_bars.difference_rows(scores, clusters, 0.05, proper_scores.difference_columns)
    assert proper["p_value"] is None
    assert proper["effective_clusters"] == pytest.approx(88**2 / (2 * 40**2 + 8))
