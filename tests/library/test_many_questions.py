"""Baselines of many questions need memory for the questions, not for their pairs."""

import tracemalloc

import numpy as np
import pytest

from fidelity.baselines.from_answers import pooled

M = 20_000


@pytest.mark.parametrize("timed", [False, True])
def test_pooled_answers_of_20000_questions_need_little_memory(timed):
    counts = np.random.default_rng(3).poisson(5, (M, 3)).astype(float)
    time = np.arange(M) if timed else None
    tracemalloc.start()
    found = pooled(counts, np.zeros(M, int), time)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000
    taught = counts[: M // 2].sum(axis=0) if timed else counts.sum(axis=0) - counts[M // 2]
    np.testing.assert_allclose(found[M // 2], taught / taught.sum(), rtol=1e-12)


def test_an_option_that_no_other_question_has_gets_exactly_nothing():
    """A total less a question's own counts would leave a rounding error, even below 0."""
    counts = np.array([[0.1, 0.3], [0.7, 0.0], [0.2, 0.0]])
    assert pooled(counts, ["a"] * 3)[0, 1] == 0.0
