"""Tables of pairs as scenarios: counts by hand, independent draws, and truths of zero."""

import numpy as np
import pytest

from fidelity.structure import AnswerTable, pair_tables


def answers(n, seed, loading=1.0, questions=5):
    rng = np.random.default_rng(seed)
    hidden = loading * rng.normal(size=(n, 1)) + rng.normal(size=(n, questions))
    return np.digitize(hidden, [-0.7, 0.7]).astype(float)


def test_counts_by_hand():
    x, y = answers(40, 0, questions=3), answers(30, 1, questions=3)
    x[:5, 0] = np.nan
    weights = np.arange(1.0, 41.0)
    found = pair_tables(AnswerTable(x, weights), y, generator=np.random.default_rng(2))
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    w = weights / weights.mean()
    for row, (a, b) in enumerate(found.pairs):
        for i in range(3):
            for j in range(3):
                here = (x[:, a] == i) & (x[:, b] == j)
                assert found.people.raw[row, 3 * i + j] == pytest.approx(w[here].sum())
                share = ((y[:, a] == i) & (y[:, b] == j)).mean()
                assert found.simulator.shares[row, 3 * i + j] == pytest.approx(share)
    there = w[5:]
    assert found.people.sizes[0] == pytest.approx(there.sum() ** 2 / (there**2).sum())
    assert found.simulator.draws.tolist() == [30.0] * 3
    assert found.independent.draws.tolist() == [15.0] * 3


def test_questions_with_different_options_have_no_cells_beside():
    x = np.stack([np.arange(40) % 2, np.arange(40) % 4, np.arange(40) // 2 % 3], 1)
    found = pair_tables(x, x, generator=np.random.default_rng(0))
    assert (~np.isnan(found.people.counts)).sum(1).tolist() == [8, 6, 12]
    more = pair_tables(
        x, x, generator=np.random.default_rng(0), options=[range(3)] + [range(4)] * 2
    )
    assert (~np.isnan(more.people.counts)).sum(1).tolist() == [12, 12, 16]


@pytest.mark.slow
def test_independent_draws_are_unbiased_for_the_margins_multiplied():
    rng = np.random.default_rng(0)
    y = answers(60, 1, questions=2)
    shares = [
        pair_tables(y, y, generator=rng, persons=False).independent.shares[0] for _ in range(1000)
    ]
    margins = [np.bincount(column.astype(int), minlength=3) / 60 for column in y.T]
    joint = np.histogram2d(*y.T, bins=(3, 3))[0].ravel() / 60
    expected = (60 * np.outer(*margins).ravel() - joint) / 59  # two different runs
    np.testing.assert_allclose(np.mean(shares, 0), expected, atol=0.015)


def test_folds_split_people():
    found = pair_tables(answers(301, 0), answers(200, 1), generator=np.random.default_rng(2))
    one, two = found.folds
    np.testing.assert_array_equal(one.people.counts + two.people.counts, found.people.counts)
    margins = one.people.counts[0].reshape(3, 3)
    product = np.outer(margins.sum(1), margins.sum(0)) / margins.sum() ** 2
    np.testing.assert_allclose(two.people_independent.shares[0], product.ravel(), atol=1e-12)


def test_many_pairs_are_drawn_by_the_seed():
    x, y = answers(60, 0), answers(60, 1)
    chosen = [
        pair_tables(x, y, generator=np.random.default_rng(3), most=4).pairs.tolist()
        for _ in range(2)
    ]
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == 4


def test_refusals():
    x, rng = answers(60, 0), np.random.default_rng(0)
    with pytest.raises(ValueError, match="same questions"):
        pair_tables(x, x[:, :3], generator=rng)
    with pytest.raises(ValueError, match="must be its options"):
        pair_tables(x, x, generator=rng, options=[[0, 1]] * 5)
    with pytest.raises(ValueError, match="four respondents"):
        pair_tables(x, x[:3], generator=rng)
