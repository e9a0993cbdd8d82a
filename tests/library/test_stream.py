"""Random streams keyed by their purpose."""

import numpy as np

from fidelity.stream import stream


def test_a_key_always_gives_the_same_draws():
    """Published results rest on these very numbers."""
    assert stream("a", 3).random() == 0.8365174808724293
    np.testing.assert_array_equal(stream("a", 3).random(9), stream("a", 3).random(9))


def test_distinct_keys_give_distinct_streams():
    keys = [(), ("a",), ("b",), ("a", 3), ("a", "3"), ("a3",), ("a", 3, 0), (3, "a"), ("ä",)]
    keys += [("scenario", j) for j in range(500)]
    first = [stream(*key).integers(2**63) for key in keys]
    assert len(set(first)) == len(keys)
