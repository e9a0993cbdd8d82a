"""What tables and pages make of few effective clusters: warnings, and no verdict below 4."""

import numpy as np
import pyarrow as pa
import pytest

from fidelity.comparison import compare_versions
from fidelity.correction import correction_gain
from fidelity.means import mean_differences
from fidelity.responses import Responses
from fidelity_study.report.page.verdict import _clusters
from fidelity_study.report.results import Results
from fidelity_study.report.single_answers import _verdict
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
    assert words in results.notes.clusters


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


@pytest.mark.parametrize("sizes", [UNEVEN, [11] * 8])
def test_no_simulator_is_closer_for_new_clusters_that_are_too_few(sizes):
    m = sum(sizes)
    people = Responses(np.tile([500, 500], (m, 1)), clusters=np.repeat(range(len(sizes)), sizes))
    models = {"a": np.full((m, 2), 0.5), "b": np.tile([0.9, 0.1], (m, 1))}
    differences = mean_differences(people, models, discrepancy="tv", target="new")
    assert differences["a", "b"].closer == (None if sizes == UNEVEN else "a")


def test_tables_have_no_p_value_and_no_rank_of_two_large_clusters():
    clusters = np.repeat(np.arange(len(UNEVEN)), UNEVEN).astype(str)
    generator = np.random.default_rng(0)
    scores = {"a": generator.normal(size=88), "b": generator.normal(50.0, 1.0, 88)}
    (row,) = error_bars.difference_rows(scores, clusters, 0.05, error_bars.row_of)
    assert row["p_value"] is None and row["lower"] is not None and "fewer than 4" in row["warning"]
    ranks = list(error_bars.rank_rows(scores, clusters, 0.05))
    assert [(each["first"], each["last"], each["better_than"]) for each in ranks] == [
        (1, 2, [])
    ] * 2
    (proper,) = error_bars.difference_rows(scores, clusters, 0.05, proper_scores.difference_columns)
    assert proper["p_value"] is None
    assert proper["effective_clusters"] == pytest.approx(88**2 / (2 * 40**2 + 8))
    assert _verdict(proper).endswith("not told apart")


def far_apart():
    """Return answers to 24 questions in 3 clusters, what people said, and a uniform guess."""
    p = np.tile([0.9, 0.05, 0.05], (24, 1))
    counts = np.random.default_rng(1).multinomial(500, p)
    return counts, p, np.full((24, 3), 1 / 3), np.repeat(np.arange(3), 8)


def test_no_version_is_worse_for_new_clusters_that_are_too_few():
    counts, old, new, clusters = far_apart()
    given = {"discrepancy": "tv", "target": "new"}
    found = compare_versions(Responses(counts, clusters=clusters), old, new, **given)
    assert found.mean.ci_lower > 0 and not found.is_worse
    assert compare_versions(
        Responses(counts, clusters=np.arange(24) // 2), old, new, **given
    ).is_worse


def test_no_correction_gains_for_new_clusters_that_are_too_few():
    counts, corrected, guess, clusters = far_apart()
    given = {"simulators": [guess], "from_people": [guess], "discrepancy": "tv"}
    found = correction_gain(Responses(counts, clusters=clusters), corrected, **given)
    assert found.over_people[0].ci_upper < 0 and not found.claimed
    assert correction_gain(
        Responses(counts, clusters=np.arange(24) // 2), corrected, **given
    ).claimed
