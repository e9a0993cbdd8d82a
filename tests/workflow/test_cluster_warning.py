"""What a table says where an error bar has no interval, or rests on few clusters."""

import numpy as np
import pytest

from fidelity.comparison.error_bars import mean_error_bar
from fidelity_study.steps.cluster_warning import warning_of


@pytest.mark.parametrize(
    ("scores", "clusters", "words"),
    [
        (np.arange(1001.0), np.repeat([0, 1], [1000, 1]), "no interval: one cluster has nearly"),
        (np.full(30, 0.1), np.arange(30), "no interval: all scores, or the means of all clusters"),
        (np.arange(10.0), np.arange(10) // 2, "5 effective clusters, fewer than 10"),
    ],
)
def test_a_missing_interval_has_its_reason(scores, clusters, words):
    assert warning_of(mean_error_bar(scores, clusters, level=0.7)).startswith(words)


def test_many_clusters_that_vary_have_no_warning():
    assert warning_of(mean_error_bar(np.arange(30.0), np.arange(30))) is None
