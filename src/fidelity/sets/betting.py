"""Betting bounds for the mean of bounded outcomes (Waudby-Smith & Ramdas 2023).

A gambler who bets that the mean exceeds m multiplies the capital by 1 + λ_t(x_t - m) at each
outcome x_t. The bet λ_t is chosen before x_t is seen. If the mean is m or less, the capital is a
supermartingale, and it ever reaches 1/δ with probability at most δ (Ville). So a mean m at which
the capital reaches 1/δ is refuted, and the largest refuted mean is a lower bound. Bets that follow
the variance seen so far make the bound nearly as narrow as the variance allows.

The bound depends on the order of the outcomes, which counts do not have. Any order that does not
depend on the values is valid. A uniformly random one is drawn. Sorted outcomes are not valid.
"""

from collections.abc import Iterator

import numpy as np

from fidelity.arrays import Counts, FloatArray, Generators, IntArray
from fidelity.sets.base import CONFIDENCE_SETS, ConfidenceSet, Radius, Sample
from fidelity.sets.witness import Witness

TRUNCATION = 0.75
HALVINGS = 52
RESPONSES_AT_ONCE = 2**16
MOST_RESPONSES = 10**7
ROUNDING = 1e-9


@CONFIDENCE_SETS.add
class Betting(ConfidenceSet):
    """Bounded means by betting (Waudby-Smith & Ramdas 2023); needs whole counts and a generator."""

    name = "betting"
    label = "betting"
    draws = True
    kinds = ("binary", "ordinal", "bounded")

    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
        """Return bounds at δ/2 on each side."""
        return betting_support(sample.at((1.0 + sample.gamma) / 2.0), functionals)


@CONFIDENCE_SETS.add
class WitnessBetting(Witness):
    """The witness with betting bounds, narrower where outcomes vary less than they could."""

    name = "witness_betting"
    label = "witness, betting"
    bounds_on = ("mean", "score_slopes")
    draws = True
    kinds = ("binary", "ordinal", "bounded")

    def support(self, sample: Sample, functionals: FloatArray, radius: Radius) -> FloatArray:
        """Return one-sided betting bounds, each holding with probability γ."""
        return betting_support(sample, functionals)


def betting_support(sample: Sample, functionals: FloatArray) -> FloatArray:
    """Return the one-sided betting bounds of functionals, (N, F)."""
    assert sample.generators is not None
    columns = [
        betting_upper(f, sample.counts, sample.gamma, low, high, sample.generators)
        for f, low, high in zip(functionals, *sample.ranges(functionals), strict=True)
    ]
    return np.stack(columns, axis=1)


def betting_upper(
    values: FloatArray,
    counts: FloatArray,
    gamma: FloatArray,
    a: FloatArray,
    b: FloatArray,
    generator: Generators,
) -> FloatArray:
    """Return the one-sided upper bound: the mean is at most the bound with probability ≥ γ.

    It holds at every sample size, for independent outcomes with one distribution on [a, b]. The
    probability is over sample and order.

    Args:
        values: distinct values in [a, b], (V,) or (N, V).
        counts: how often each was seen in each of N samples, whole numbers, (N, V).
        gamma: coverage of this one side in (0, 1), one or (N,).
        a: smallest possible outcome, one or (N,).
        b: largest possible outcome, one or (N,).
        generator: draws the order of the responses; one, or one per sample. With one per sample,
            no sample's bound depends on the other samples, and columns with count 0 change nothing.

    Returns:
        Upper bounds in [a, b], (N,).

    Raises:
        ValueError: if counts are not whole (as survey weights make them) or a sample has more than
            10⁷ responses, or a value lies outside [a, b].
    """
    values, counts = np.asarray(values, float), np.asarray(counts, float)
    if (counts % 1 != 0).any():
        raise ValueError(
            "betting needs whole counts: weighted responses have no order to bet on; "
            "use a bound from moments"
        )
    if counts.sum(1).max() > MOST_RESPONSES:
        raise ValueError(
            f"counts must add up to at most {MOST_RESPONSES:,} in each sample for betting, which "
            f"takes responses one by one, not to {counts.sum(1).max():,.0f}; use "
            "empirical_bernstein, witness or hoeffding"
        )
    gamma, a, b = (np.broadcast_to(np.asarray(x, float), len(counts)) for x in (gamma, a, b))
    share = np.where(counts > 0, (values - a[:, None]) / (b - a)[:, None], 0.0)
    if not ((share >= -ROUNDING) & (share <= 1.0 + ROUNDING)).all():
        raise ValueError("values must lie in [a, b]: give the range that outcomes can have")
    share, answers = np.clip(share, 0.0, 1.0), counts.astype(np.int64)
    upper = np.empty(len(answers))
    for rows, responses, n in _shuffled(share, answers, generator):
        upper[rows] = 1.0 - sequence_lower(1.0 - responses, n, gamma[rows])
    return a * (1.0 - upper) + b * upper


def sequence_lower(
    responses: FloatArray, n: Counts, gamma: FloatArray, horizon: FloatArray | None = None
) -> FloatArray:
    """Return one-sided lower bounds for means in [0, 1], from responses in the order they came.

    The bound is sup{u : max_t Π_{i ≤ t} (1 + min(λ_i, c/u)(x_i - u)) ≥ 1/δ}, and 0 if there is no
    such u. c = ¾ is one of the two values of the paper; the other, ½, gives wider bounds where the
    mean is near an end. No factor grows with u, so neither does the largest capital, and bisection
    finds the bound. If it exceeds the mean, the capital at the mean has reached 1/δ, too.

    Args:
        responses: in [0, 1], (N, T); the order must not depend on the values.
        n: the number of responses in each row, (N,); later entries are not read.
        gamma: coverage in (0, 1), (N,).
        horizon: as :func:`predictable_bets`.
    """
    bets = predictable_bets(responses, n, gamma, horizon)
    needed = -np.log1p(-gamma)
    refuted, open_ = np.zeros(len(responses)), np.ones(len(responses))
    for _ in range(HALVINGS):
        u = (refuted + open_) / 2.0
        enough = _largest_log_capital(responses, bets, u) >= needed
        refuted, open_ = np.where(enough, u, refuted), np.where(enough, open_, u)
    return refuted


def predictable_bets(
    responses: FloatArray, n: Counts, gamma: FloatArray, horizon: FloatArray | None = None
) -> FloatArray:
    """Return λ_t = sqrt(2·log(1/δ)/(h_t·σ̂²_{t-1})), before truncation at c/u; 0 from n on.

    σ̂²_t = (¼ + Σ_{i ≤ t} (x_i - μ̂_i)²)/(t+1) and μ̂_t = (½ + Σ_{i ≤ t} x_i)/(t+1): the predictable
    plug-in of Waudby-Smith & Ramdas 2023, section 4.

    Args:
        responses, n, gamma: as :func:`sequence_lower`.
        horizon: h_t, (T,), positive, chosen before the responses. If not given it is n, for one
            sample size fixed in advance.
    """
    steps = np.arange(1, responses.shape[1] + 1)
    mean = (0.5 + responses.cumsum(1)) / (steps + 1)
    variance = (0.25 + ((responses - mean) ** 2).cumsum(1)) / (steps + 1)
    before = np.concatenate([np.full((len(responses), 1), 0.25), variance[:, :-1]], axis=1)
    until = n[:, None] if horizon is None else horizon
    bets = np.sqrt((-2.0 * np.log1p(-gamma))[:, None] / until / before)
    return np.where(steps <= n[:, None], bets, 0.0)


def _largest_log_capital(responses: FloatArray, bets: FloatArray, u: FloatArray) -> FloatArray:
    """Return the largest log capital over t of bets against the mean u, (N,)."""
    u = u[:, None]
    return np.log1p(np.minimum(bets, TRUNCATION / u) * (responses - u)).cumsum(1).max(1)


def _shuffled(
    values: FloatArray,
    counts: IntArray,
    generator: Generators,
) -> Iterator[tuple[IntArray, FloatArray, IntArray]]:
    """Yield samples as sequences in random order, a few at a time, the longest first.

    Yields:
        Indices of the samples; their responses, (rows, the longest), 0 after the last; their sizes.
    """
    sizes = counts.sum(1)
    samples = np.argsort(-sizes, kind="stable")
    while len(samples):
        longest = sizes[samples[0]]
        rows, samples = np.split(samples, [max(1, RESPONSES_AT_ONCE // longest)])
        given = np.arange(longest) < sizes[rows, None]
        keys, responses = np.full(given.shape, 2.0), np.zeros(given.shape)
        if isinstance(generator, np.random.Generator):
            keys[given] = generator.random(given.sum())
        else:
            keys[given] = np.concatenate([generator[row].random(sizes[row]) for row in rows])
        responses[given] = np.repeat(values[rows].ravel(), counts[rows].ravel())
        yield rows, np.take_along_axis(responses, keys.argsort(1), 1), sizes[rows]
