"""KL over the KL ball: 40-digit references, branch and bound, and what a proof leaves."""

import numpy as np
import pytest
from parameters import quick

from fidelity.discrepancies import DISCREPANCIES
from fidelity.extrema import kl_ball_kl
from fidelity.extrema.kl_ball import divergence
from fidelity.extrema.kl_ball_kl import (
    kl_maximum,
    kl_minimum,
)
from fidelity.extrema.separable import Objective, separable_maximum

# p̂, r, q, max and min: all roots in κ with any 0, 1 or 2 options on the expanding branch, or one
# that nobody chose, from a scan of 600 points; mpmath 1.3 with 40 digits. 0: q lies in the ball.
REFERENCES = [
    (
        [0.00891778, 0.30258581, 0.38812126, 0.30037515],
        4.361176316173542e-06,
        [0.00891809, 0.30258959, 0.38812232, 0.30037],
        4.4011694199132582e-6,
        0,
    ),
    ([0.1, 0.3, 0.25, 0.2, 0.15], 0.3, [0.3, 0.1, 0.2, 0.2, 0.2], 1.0149696036499885, 0),
    ([0, 0.6, 0.4], 0.06, [0.3, 0.38, 0.32], 0.45494202830587259, 0.18807349367868698),
    ([0.01, 0.49, 0.5, 0], 1.0, [1e-12, 0.5, 0.4, 0.099999999999], 17.475256852607644, 0),
    ([0.2] * 5, 0.02, [0.2] * 5, 0.021710628672208929, 0),
    ([0.2, 0.3, 0.5], 0.05, [0.1, 0.1505, 0.7495], 0.36058480452140445, 0.022500640535851354),
    ([0.7, 0.1, 0.1, 0.1], 0.1, [0.25] * 4, 0.85970067270257419, 0.12162442500405166),
    (
        [0.286, 0.0469, 0.2228, 0.2443, 0.2],
        0.0315,
        [0.267560245856, 0.043861661482, 0.20832460337, 0.293251301752, 0.18700218754],
        0.05922398557972984,
        0,
    ),
    ([0.31, 0.29, 0.4], 5.0, [0.3, 0.3, 0.4], 1.2010693673819901, 0),
    ([0.7, 0.3, 0], 0.1, [0.5, 0.47, 0.03], 0.31640740830209193, 2.0938121495537055e-6),
    ([0.3, 0.3, 0.4], 1e-4, [0.2, 0.3, 0.5], 0.036183874281024298, 0.028797737246640523),
    ([0.64, 0.35, 0.01], 0.8, [0.2, 0.3, 0.5], 1.5090425686574982, 0),
    (
        [0.56128682, 0.1661892, 0.27252398],
        0.0078825198,
        [0.57005813, 0.16286403, 0.26707784],
        0.010317733213428805,
        0,
    ),
    (
        [0.08123408, 0.25986359, 0.18510407, 0.13607553, 0.33772273],
        0.0216354028,
        [0.07594803, 0.29435206, 0.18457342, 0.12731111, 0.31781538],
        0.038982746546793093,
        0,
    ),
    (
        [0.666925885, 0.333074115, 0],
        0.0003123349,
        [0.655597851, 0.344402148, 1e-09],
        0.0039486616363779088,
        0,
    ),
    ([0.6, 0.4, 0], 0.2, [0.599, 0.4, 0.001], 0.7796704143777059, 0),
    (
        [0.5, 0.3, 0.2, 0, 0],
        0.05,
        [0.4, 0.2, 0.38, 0.008, 0.012],
        0.25207122839200321,
        0.011681351157013358,
    ),
]


def hostile(d, many=60, seed=0):
    """Return p̂, r and q: zeros, near ties of p̂/q, q down to 1e-12, weighted shares, any radius."""
    generator = np.random.default_rng([seed, d])
    n = generator.choice([3, 10, 1000, 100_000], many)
    share = generator.multinomial(n, generator.dirichlet(np.full(d, 0.8), many)) / n[:, None]
    share[::2] = generator.dirichlet(np.full(d, 3.0), len(share[::2]))
    share[::6, 0] = 0.0
    share[(share > 0).sum(1) < 2, -2:] = 0.5
    share /= share.sum(1, keepdims=True)
    apart = generator.exponential(size=(many, d)) * 10.0 ** generator.uniform(-6, 1, (many, d))
    q = np.maximum(share, 1e-12) * np.exp(apart)
    q[::3] = 10.0 ** generator.integers(-12, 1, q[::3].shape)
    q = np.maximum(q / q.sum(1, keepdims=True), 1e-12)
    q[::5] = 1.0
    return share, 10.0 ** generator.uniform(-8, 1.5, many), q / q.sum(1, keepdims=True)


@pytest.mark.parametrize(("share", "radius", "q", "most", "least"), REFERENCES)
def test_40_digits(share, radius, q, most, least):
    case = np.array([share], float), np.array([radius]), np.array([q])
    assert kl_maximum(*case)[0] == pytest.approx(most, rel=1e-14, abs=1e-15)
    if least:
        assert kl_minimum(*case)[0] == pytest.approx(least, rel=1e-14, abs=1e-15)


def test_the_minimum_is_never_too_large_however_few_steps_there_are(monkeypatch):
    share, radius, q = hostile(5)
    far = divergence(share, q) > radius
    exact = kl_minimum(share[far], radius[far], q[far])
    for steps in range(1, 8):
        monkeypatch.setattr(kl_ball_kl, "MOST_STEPS", steps)
        rough = kl_minimum(share[far], radius[far], q[far])
        assert (rough <= exact + 1e-15).all()
        assert (rough < exact - 1e-9).any()


@pytest.mark.slow
@pytest.mark.parametrize("d", quick([3, 4, 6], only=[3, 4]))
def test_branch_and_bound_encloses_both(d):
    share, radius, q = hostile(d)
    radius = np.clip(radius, 1e-4, 10.0)
    far = divergence(share, q) > radius
    for rows, found, sense in (
        (np.full(len(far), True), kl_maximum(share, radius, q), "plus"),
        (far, -kl_minimum(share[far], radius[far], q[far]), "minus"),
    ):
        objective = Objective(DISCREPANCIES["kl"], **{sense: q[rows]})
        value, bound = separable_maximum(objective, share[rows], radius[rows])
        slack = 1e-9 * np.abs(value) + 1e-13
        assert (found >= value - slack).all()
        assert (found <= bound + slack).all()


def spread_of_log_ratio(share, q):
    """Return the variance of log(p̂/q) under p̂, (N,)."""
    log_ratio = np.log(np.where(share > 0, share, q) / q)
    mean = (share * log_ratio).sum(1, keepdims=True)
    return (share * (log_ratio - mean) ** 2).sum(1)


@pytest.mark.sampled
@pytest.mark.parametrize("d", [3, 5, 8, 12])
def test_hostile_samples_raise_no_warning_and_lie_between_their_limits(d):
    """From KL(p̂ ‖ q) as r → 0 up to log 1/q of some option, and on either side of it."""
    share, radius, q = hostile(d, 1000)
    with np.errstate(all="raise", under="ignore"):
        most = kl_maximum(share, radius, q)
        at_share = divergence(share, q)
        far = at_share > radius
        least = kl_minimum(share[far], radius[far], q[far])
        next_to_share = kl_maximum(share, np.full(len(share), 1e-12), q)
        everything = kl_maximum(share, np.full(len(share), 1e6), q)
    assert (most >= at_share - 1e-14).all()
    assert (most <= -np.log(q.min(1)) + 1e-14).all()
    assert (least <= at_share[far]).all()
    assert (least > -1e-14).all()
    first_order = np.sqrt(2e-12 * spread_of_log_ratio(share, q))
    np.testing.assert_allclose(next_to_share, at_share + first_order, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(everything, -np.log(q.min(1)), rtol=1e-9)


def test_no_root_is_an_error_and_no_answer(monkeypatch):
    monkeypatch.setattr(
        kl_ball_kl, "_search", lambda curves, low, high, *, leaving: np.full(len(low), np.nan)
    )
    with pytest.raises(ArithmeticError, match="the largest KL over the KL ball: NaN in 60 of 60"):
        kl_maximum(*hostile(4))
