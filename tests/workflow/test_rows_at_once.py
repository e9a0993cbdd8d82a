"""Studies of many questions need memory for some rows at a time, not for all rows at once."""

import numpy as np
import pyarrow as pa
import pytest

from fidelity.discrepancies.base import Extrema
from fidelity.sets.bounds import confidence_bounds
from fidelity_study.steps import samples
from fidelity_study.steps.arrays import Scale, labels, lists, optional


@pytest.fixture
def family():
    """Return what is known of five questions with three options."""
    people = np.random.default_rng(1).multinomial(50, [0.5, 0.3, 0.2], 5).astype(float)
    known = confidence_bounds(people, confidence_set="witness", discrepancy="tv", gamma=0.5)
    columns = {
        "scenario": labels([f"q{j}" for j in range(5)], np.arange(5)),
        "share": lists(known.share),
        "support": lists(known.support),
        **{name: optional(getattr(known, name)) for name in ("lower", "upper", "radius")},
        "n_j": np.full(5, 50.0),
    }
    names = [f"q{j}" for j in range(5)]
    scale = Scale(3, None, None)
    bounds = pa.table(columns)
    return samples.Family(np.arange(5), names, scale, "tv", "witness", bounds, bounds)


def test_extrema_take_some_rows_at_once_and_lose_none(family, monkeypatch):
    monkeypatch.setattr(samples, "ROWS_AT_ONCE", 4)
    taken = []

    def extrema_of(known, q, **measure):
        taken.append(len(q))
        value = known.share[:, 0] + 10.0 * q[:, 0]
        return Extrema(value, value + 1.0, value + 2.0)

    i = np.array([4, 0, 0, 1, 3, 2, 2, 2, 1, 0, 4])
    q = np.arange(33.0).reshape(11, 3)
    lower, upper, gap = family.extrema(extrema_of, i, q)
    expected = np.array(family.bounds["share"].to_pylist())[i, 0] + 10.0 * q[:, 0]
    assert taken == [4, 4, 3]
    np.testing.assert_array_equal([lower, upper - 1.0, gap - 2.0], [expected] * 3)
