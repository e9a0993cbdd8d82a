"""Coverage as written in a config: a number or a schedule."""

from fractions import Fraction

import numpy as np
import pytest

from fidelity import Coverage, parse_coverage

N = np.array([1, 2, 8, 100, 10**6])


@pytest.mark.parametrize("entry", [0.95, "0.95", "19/20"])
def test_fixed_coverage(entry):
    coverage = parse_coverage(entry)
    assert coverage == Coverage(fixed=Fraction(19, 20))
    assert coverage.smallest == Fraction(19, 20)
    assert coverage.label == "0.95"
    np.testing.assert_array_equal(coverage.at(N), np.full(5, 0.95))


@pytest.mark.parametrize("beta", ["1/5", "1/4", "1/3", "1/2", 0.5, 1 / 3])
def test_schedule_rises_from_its_floor(beta):
    coverage = parse_coverage({"schedule": beta})
    exponent = float(Fraction(beta))
    np.testing.assert_allclose(coverage.at(N), np.maximum(0.5, 1 - N**-exponent), rtol=1e-15)
    assert coverage.at(np.array([1]))[0] == 0.5
    assert coverage.smallest == Fraction(1, 2)


def test_schedule_written_as_a_float_is_its_simple_fraction():
    assert parse_coverage({"schedule": 1 / 3}) == parse_coverage({"schedule": "1/3"})
    assert parse_coverage({"schedule": "1/3"}).label == "1-n^-1/3"


def test_floor_of_a_schedule():
    coverage = parse_coverage({"schedule": "1/2", "floor": 0.8})
    np.testing.assert_allclose(coverage.at(np.array([1, 16, 100])), [0.8, 0.8, 0.9])
    assert coverage.smallest == Fraction(4, 5)
    assert coverage.label == "1-n^-1/2,floor=0.8"
    assert coverage.at(N).min() >= float(coverage.smallest)


def test_coverage_keeps_the_shape_of_the_sample_sizes():
    for entry in (0.5, {"schedule": "1/2"}):
        assert parse_coverage(entry).at(np.full((2, 3), 16)).shape == (2, 3)
        assert parse_coverage(entry).at(16).shape == ()


@pytest.mark.parametrize(
    "entry",
    [
        0,
        1,
        -0.5,
        "1",
        1.5,
        "nan",
        {"schedule": 0},
        {"schedule": "-1/2"},
        {"schedule": "1/2", "floor": 0},
        {"schedule": "1/2", "floor": 1},
    ],
    ids=str,
)
def test_impossible_coverages_are_refused(entry):
    with pytest.raises(ValueError, match=r"\S"):
        parse_coverage(entry)
