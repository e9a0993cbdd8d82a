"""Models that were asked different questions: as two independent samples, if the config says so."""

import numpy as np
import pytest
from scipy import stats

from fidelity.comparison import ModelComparison, eval_scores
from fidelity.comparison.models import NOTHING_SHARED, SHARED_CLUSTERS, UNPAIRED


def compared(unpaired, clusters=None, other_clusters=None):
    """Return the differences of two models without a question in common, and their scores."""
    generator = np.random.default_rng(1)
    galleon, sloop = generator.random(40) + 0.4, generator.random(25)
    eval_ = eval_scores(
        "sums",
        [*galleon, *sloop],
        ["galleon"] * 40 + ["sloop"] * 25,
        np.arange(65),
        None if clusters is None else [*clusters, *other_clusters],
        limits=(0, 2),
    )
    study = ModelComparison([eval_], margin=0.1, unpaired=unpaired)
    return study.differences(), [galleon, sloop]


def test_the_difference_is_welchs():
    (row, *others), (first, other) = compared(unpaired=True)
    test = stats.ttest_ind(first, other, equal_var=False)
    interval = test.confidence_interval(0.95)
    assert (row.models, row.questions) == (("galleon", "sloop"), 0)
    assert row.estimate == pytest.approx(first.mean() - other.mean())
    assert [row.bar.lower, row.bar.upper] == pytest.approx(list(interval))
    assert row.bar.p_value == pytest.approx(test.pvalue) and row.p_holm == row.bar.p_value
    assert row.note == UNPAIRED and row.p_non_inferior < 0.05 and others == []


def test_without_the_key_nothing_is_compared():
    (row,), _ = compared(unpaired=False)
    assert row.lacking == NOTHING_SHARED and row.bar is None and np.isnan(row.estimate)


def test_clusters_of_both_models_are_not_independent():
    apart, _ = compared(True, np.arange(40) // 4, 50 + np.arange(25) // 3)
    assert apart[0].bar.n_clusters == 10 + 9
    (row,), _ = compared(True, np.arange(40) // 4, np.arange(25) // 3)
    assert np.isnan(row.estimate) and row.lacking == SHARED_CLUSTERS


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scores": [1, 0, 1, 2]}, "limits must hold all scores"),
        ({"clusters": ["x", "y", "y", "y"]}, "clusters must be the same for all samples"),
        ({"questions": ["a", "b", None, "b"]}, "questions must be"),
        ({"better": "more"}, "better"),
    ],
)
def test_scores_that_would_give_wrong_numbers_are_refused(change, told):
    given = {"scores": [1, 0, 1, np.nan], "models": list("AABB"), "questions": list("abab")}
    assert eval_scores("sums", **given).unscored == {"B": 1}
    with pytest.raises(ValueError, match=told):
        eval_scores("sums", **given | change)
    with pytest.raises(ValueError, match="different names"):
        ModelComparison([eval_scores("sums", **given)] * 2)
