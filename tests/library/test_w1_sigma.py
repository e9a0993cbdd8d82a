"""The W1 ball of sub-Gaussian numbers without bounds: its radius, its coverage, its extrema."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import wasserstein_distance

from fidelity import confidence_radius, pairwise_pseudo_discrepancy, pseudo_discrepancy
from fidelity.sets.w1 import EXPECTED

GRID = np.linspace(-9.0, 9.0, 6_001)
SKEW = 0.1
PROXY = np.sqrt((1 - 2 * SKEW) / (2 * np.log((1 - SKEW) / SKEW)))  # Buldygin & Moskvichova 2013
LAWS = {  # σ, draws, distribution function
    "normal": (1.0, lambda rng, n: rng.standard_normal(n), ndtr(GRID)),
    "uniform": (1.0, lambda rng, n: rng.uniform(-(3**0.5), 3**0.5, n), (GRID / 12**0.5 + 0.5)),
    "mixture": (
        np.sqrt(1.25),
        lambda rng, n: rng.choice([-1.0, 1.0], n) + 0.5 * rng.standard_normal(n),
        (ndtr((GRID - 1) / 0.5) + ndtr((GRID + 1) / 0.5)) / 2,
    ),
    "two points": (1.0, lambda rng, n: rng.choice([-1.0, 1.0], n), np.where(GRID < -1, 0, 0.5)),
    "skew": (
        PROXY,
        lambda rng, n: (rng.random(n) < SKEW) - SKEW,
        np.where(GRID < -SKEW, 0.0, 1.0 - SKEW),
    ),
}
TOP = {"two points": 1.0, "skew": 1.0 - SKEW}


def distances(name, n, studies):
    """Return W1 of samples and their law, by the area between distribution functions."""
    _, draw, below = LAWS[name]
    below = np.where(TOP.get(name, np.inf) <= GRID, 1.0, np.clip(below, 0.0, 1.0))
    rng = np.random.default_rng(n)
    samples = (np.sort(draw(rng, n)) for _ in range(studies))
    shares = (np.searchsorted(sample, GRID, side="right") / n for sample in samples)
    return np.array([np.trapezoid(np.abs(share - below), GRID) for share in shares])


def test_the_expected_distance_is_the_integral_over_the_tails():
    def variance(s):
        p = min(np.exp(-s * s / 2), 1 / (1 + s * s), 0.5)
        return p * (1 - p)

    ends = [0.0, 1.0, 1.5852, 3.0, 8.0, 40.0]
    parts = [quad(lambda s: variance(s) ** 0.5, *pair)[0] for pair in pairwise(ends)]
    assert 2 * sum(parts) <= EXPECTED <= 2 * sum(parts) + 0.001


@pytest.mark.sampled
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("n", [5, 100])
def test_the_ball_holds_the_law(name, n):
    far, sigma = distances(name, n, 2_000), LAWS[name][0]
    assert far.mean() <= EXPECTED * sigma / np.sqrt(n)
    for gamma in (0.1, 0.5, 0.9):
        radius = confidence_radius(n, 2, gamma, "w1_sigma", span=2 * sigma)
        assert (far <= radius).mean() >= gamma


def test_it_is_far_smaller_than_the_papers():
    ours, paper = (
        confidence_radius(1_000, 2, 0.5, name, span=2.0) for name in ("w1_sigma", "w1_subgaussian")
    )
    assert ours == pytest.approx((EXPECTED + 2 * np.sqrt(np.log(2))) / np.sqrt(1_000))
    assert paper / ours > 100


@pytest.mark.parametrize("name", ["w1_sigma", "w1_subgaussian"])
def test_mass_that_goes_ever_farther_out_reaches_the_upper_end(name):
    rng = np.random.default_rng(1)
    scores, counts = np.sort(rng.standard_normal(30)), rng.integers(1, 9, (1, 30))
    q, sigma = rng.dirichlet(np.ones(30), 1), 1.5
    shared = {"confidence_set": name, "discrepancy": "w1", "gamma": 0.5, "scores": scores}
    found = pseudo_discrepancy(counts, q, sigma=sigma, **shared)
    radius = confidence_radius(counts.sum(), 30, 0.5, name, span=2 * sigma)
    share = counts[0] / counts.sum()
    plugin = wasserstein_distance(scores, scores, share, q[0])
    assert found.upper == pytest.approx([plugin + radius])
    assert found.lower == pytest.approx([max(plugin - radius, 0.0)])
    most = 1e7
    part = radius / (most - share @ scores)
    moved = np.append((1 - part) * share, part)
    places = np.append(scores, most)
    assert wasserstein_distance(places, scores, moved, share) == pytest.approx(radius, rel=1e-3)
    reached = wasserstein_distance(places, scores, moved, q[0])
    assert found.upper[0] * 0.999 <= reached <= found.upper[0] * (1 + 1e-9)


def test_pairs_differ_by_at_most_twice_the_radius_and_the_distance_of_both():
    scores, people = np.arange(5.0), [[5, 9, 2, 4, 1]]
    one, two = [[0.2] * 5], [[0.6, 0.1, 0.1, 0.1, 0.1]]
    shared = {"confidence_set": "w1_sigma", "discrepancy": "w1", "gamma": 0.5, "scores": scores}
    found = pairwise_pseudo_discrepancy(people, one, two, sigma=0.1, **shared)
    share = np.array(people[0]) / 21
    apart = [wasserstein_distance(scores, scores, share, q[0]) for q in (one, two)]
    reach = 2 * confidence_radius(21, 5, 0.5, "w1_sigma", span=0.2)
    most = wasserstein_distance(scores, scores, one[0], two[0])
    assert found.upper == pytest.approx([min(apart[0] - apart[1] + reach, most)])


def test_numbers_without_bounds_need_their_sigma():
    shared = {"discrepancy": "w1", "gamma": 0.5, "scores": [0.0, 1.0, 2.0]}
    for name in ("w1_sigma", "w1_subgaussian"):
        with pytest.raises(ValueError, match="needs sigma"):
            pseudo_discrepancy(
                [[1, 2, 3]], [[1 / 3] * 3], confidence_set=name, limits=(-np.inf, np.inf), **shared
            )
    with pytest.raises(ValueError, match="one of the two"):
        pseudo_discrepancy(
            *([[1, 2, 3]], [[1 / 3] * 3]),
            confidence_set="w1_sigma",
            sigma=1.0,
            limits=(0.0, 2.0),
            **shared,
        )
    with pytest.raises(ValueError, match="sigma"):
        pseudo_discrepancy(
            [[1, 2, 3]], [[1 / 3] * 3], confidence_set="w1_sigma", sigma=-1.0, **shared
        )
