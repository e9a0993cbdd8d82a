"""Random streams keyed by their purpose."""

import numpy as np
import pytest

from fidelity.stream import stream


def test_a_key_always_gives_the_same_draws():
    """Published results rest on these very numbers."""
    assert stream("a", 3).random() == 0.8365174808724293
    np.testing.assert_array_equal(stream("a", 3).random(9), stream("a", 3).random(9))


def test_other_streams_do_not_matter():
    before = stream("scenario", 7)
    stream("scenario", 8).random(1000)
    assert before.random() == stream("scenario", 7).random()


def test_distinct_keys_give_distinct_streams():
    keys = [(), ("a",), ("b",), ("a", 3), ("a", "3"), ("a3",), ("a", 3, 0), (3, "a"), ("ä",)]
    keys += [("scenario", j) for j in range(500)]
    first = [stream(*key).integers(2**63) for key in keys]
    assert len(set(first)) == len(keys)


@pytest.mark.parametrize("lag", [1, 2, 17])
def test_neighbouring_streams_are_uncorrelated(lag):
    draws = np.array([stream("row", j).standard_normal(200) for j in range(100)])
    correlation = np.mean(draws[:-lag] * draws[lag:])
    assert abs(correlation) < 4 / np.sqrt(draws[lag:].size)


def test_draws_are_uniform():
    draws = np.sort([stream("uniform", j).random() for j in range(2000)])
    distance = np.abs(draws - (np.arange(2000) + 0.5) / 2000).max()
    assert distance < 1.95 / np.sqrt(2000)
