"""A PSU that holds most of the weight: leaving it out shows what a mean rests on."""

import numpy as np
import pytest

from fidelity.designs.linearised import mean_without_psus


def left_out(totals, sizes, strata):
    """Return the jackknife variance of a mean, by refitting without each PSU in turn."""
    mean, variance = totals.sum() / sizes.sum(), 0.0
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        means = []
        for out in members:
            factor = np.where(strata == stratum, len(members) / (len(members) - 1), 1.0)
            factor[out] = 0.0
            means.append((factor @ totals) / (factor @ sizes) - mean)
        variance += (len(members) - 1) / len(members) * ((means - np.mean(means)) ** 2).sum()
    return variance


@pytest.mark.parametrize("heavy", [1.0, 20.0, 1e6])
def test_it_is_the_jackknife_of_whole_psus(heavy):
    generator = np.random.default_rng(1)
    strata, sizes = np.repeat([0, 1], [5, 7]), generator.uniform(0.5, 3.0, 12)
    sizes[2] = heavy
    totals = generator.random(12) * sizes
    found = mean_without_psus(totals[:, None], sizes, strata)
    assert found.item() == pytest.approx(left_out(totals, sizes, strata))
