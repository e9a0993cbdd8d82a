"""Calibration of whole predictions by kernels: the squared kernel calibration error and its tests.

A prediction μ is calibrated if, among the cases with the same μ, outcomes are distributed as μ. The
squared kernel calibration error (SKCE) is the mean over pairs of cases of

    h = k((μ,y),(μ',y')) - E k((μ,Z),(μ',y')) - E k((μ,y),(μ',Z')) + E k((μ,Z),(μ',Z')),

with Z ~ μ and Z' ~ μ' independent. The kernel k is the product of a kernel on predictions and one
on outcomes. If the kernels tell all distributions apart, the expectation of h is 0 exactly for a
calibrated simulator. No bins are needed ([SKCE]).

Rows are as in :mod:`fidelity.calibration.kernel`. Pairs are visited in blocks, so that at most a
few hundred MB are held at any N. Time is that of N²·resamples multiplications. All tests but
:func:`clustered_test` assume independent cases. Respondents who answer several questions break
this. So do scenarios with more than one respondent, whose true shares vary around the statement. If
they vary by SD .05, :func:`asymptotic_test` at 5 % rejects 32 % of calibrated simulators with 200
people in each of 100 scenarios, and 82 % with 1,400 in 210.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, Counts, FloatArray, IntArray
from fidelity.blocks import block_sizes, blocks
from fidelity.calibration.kernel import Predictions, Stated, StatedProbabilities
from fidelity.comparison.weighted_means import MOST_OF_PEOPLE

ROWS_AT_ONCE = 256
CELLS_AT_ONCE = 2**25
ROUNDING = 1e-12
FEWEST_CLUSTERS = 6
FEWEST_SURPRISES = 20.0
FEW_SURPRISES = (
    f"fewer than {FEWEST_SURPRISES:.0f} surprises, outcomes other than the likeliest, are expected"
)
ALIKE = "all cases are alike, so that nothing shows how much the statistic varies"
SAME_BLOCKS = "all blocks give the same estimate, so that nothing shows how much it varies"


@dataclass(frozen=True)
class CalibrationTest:
    """The estimate of the SKCE (UCME for its test), the test's statistic, and the p-value.

    The p-value is NaN where the test allows no conclusion; ``reason`` says why.
    """

    estimate: float
    statistic: float
    p_value: float
    reason: str = ""


@dataclass(frozen=True)
class BlockTest:
    """Mean SKCE over blocks, its standard error, z = mean/SE, one-sided p-value and lower bound.

    The last three are NaN where the test allows no conclusion; ``reason`` says why.
    """

    estimate: float
    standard_error: float
    statistic: float
    p_value: float
    lower: float
    reason: str = ""


def are_few_surprises(predictions: Predictions) -> bool:
    """Return whether fewer than 20 surprises are expected, Σ(1 - largest stated probability).

    Approximate tests then reject calibrated simulators far too often, since outcomes that are as
    stated show less variance than there is: :func:`clustered_test` at 5 % rejects 40 % of those
    that state 1 to 5 % and 95 to 99 % for 30 events (.9 surprises), 15 % at 100 events (3) and 6 %
    at 300 (9); of those that state 1 to 10 %, 18, 10 and 7 % (16.5 surprises), and 5 % from 20
    surprises on; see :mod:`fidelity_audit.rare_scores`. False where no probabilities are stated.
    """
    stated = getattr(predictions, "probability", None)
    if stated is None:
        return False
    return float(predictions.counts @ (1.0 - stated.max(1))) < FEWEST_SURPRISES


def skce_unbiased(predictions: Predictions) -> float:
    """Return how far predictions are from calibration by a kernel; by chance below 0.

    The mean of h over pairs of different cases (U-statistic).

    Raises:
        ValueError: if there are fewer than 2 cases.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel, StatedProbabilities, skce_unbiased
        >>> stated = np.tile([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], (50, 1))
        >>> truth = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 30, 10]))
        >>> predictions = StatedProbabilities(stated, truth, PredictionKernel())
        >>> print(round(skce_unbiased(predictions), 3))
        0.077
    """
    total, n = _total(_known(predictions)), _cases(predictions)
    return float((total - predictions.counts @ _diagonal(predictions)) / (n * (n - 1)))


def skce_biased(predictions: Predictions) -> float:
    """Return how far predictions are from calibration by a kernel, never below 0.

    The mean of h over all pairs, each case with itself too (V-statistic).

    Its expectation under calibration is positive, of order 1/n.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel, StatedProbabilities, skce_biased
        >>> stated = np.tile([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], (50, 1))
        >>> truth = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 30, 10]))
        >>> predictions = StatedProbabilities(stated, truth, PredictionKernel())
        >>> print(round(skce_biased(predictions), 3))
        0.084
    """
    return _total(_known(predictions)) / predictions.counts.sum() ** 2


def block_estimates(predictions: Predictions, order: ArrayLike, size: int) -> FloatArray:
    """Return the unbiased SKCE of each block of ``size`` successive cases, (floor(n/size),).

    Cases after the last whole block are left out. The estimates are independent if the order
    doesn't depend on the data: the order in which cases were drawn, or a random one.

    Args:
        predictions: N rows.
        order: the row of each case, (n,).
        size: at least 2, at most n.

    Raises:
        ValueError: if the size is out of range, or the order doesn't hold every case once.
    """
    counts = _known(predictions).counts
    order = inputs.vector("order", order, inputs.FINITE_NOT_NEGATIVE)
    size = inputs.whole("size", size, 2, len(order))
    if not np.array_equal(np.sort(order), np.repeat(np.arange(len(counts)), counts)):
        raise ValueError("order must name every row as often as there are cases of it")
    blocks = order.astype(np.int64)[: len(order) // size * size].reshape(-1, size)
    total = np.zeros(len(blocks))
    for later in range(1, size):
        for earlier in range(later):
            total += predictions.paired(blocks[:, earlier], blocks[:, later])
    return total * (2.0 / (size * (size - 1)))


def asymptotic_test(
    predictions: Predictions, generator: np.random.Generator, resamples: int = 1000
) -> CalibrationTest:
    """Return whether stated probabilities may be calibrated: a test for many cases.

    The bootstrap test rejects for a large n/(n-1)·SKCE_uq - SKCE_b.

    The estimate is SKCE_uq. The p-value is (1 + #{T' ≥ statistic})/(1 + resamples) with T' from
    :func:`bootstrap_statistics`. Widmann et al.'s implementation leaves out the ones and can print
    p = 0. The level is right as n grows. At 5 %, it rejected 4 to 5 % of simulated calibrated
    predictors with 20 to 400 cases of three options.

    An option with a small stated probability needs more cases. The table has the share of
    calibrated simulators rejected at 5 %. They state π for one of two options, the same for all n
    cases (2,000 studies, 199 resamples):

    ====  ====  ====  ====  ====  ====  ====
    π, n    20    50   100   200   500  1000
    ====  ====  ====  ====  ====  ====  ====
     1 %     -     -     -     -  .126  .080
     2 %     -     -     -  .088  .069  .065
     5 %     -  .218  .105  .063  .066  .056
    10 %     -  .115  .062  .060  .056  .053
    20 %  .063  .067  .055  .046  .052  .050
    50 %  .065  .062  .050  .056  .054  .045
    ====  ====  ====  ====  ====  ====  ====

    So the p-value is NaN where :func:`are_few_surprises`, here with π·n < 20. There use
    :func:`consistency_test`, whose level is exact. (Where the table has a dash, nobody chose the
    option in a tenth of the studies or more. If statements differ a little, 68 % of studies with
    n = 20 and statements of 2 % on average would be rejected.)

    Where all cases are alike, each resample gives the same T', and the p-value is NaN. They count
    as alike if the mean of h_ii exceeds SKCE_b, the mean of all h_ij, by rounding only. (h is an
    inner product, so |h_ij| ≤ max h_ii, and its rounding error is some units in the last place of
    that.)

    Memory: see the module; time: resamples·N² multiplications and half of the N² kernels.

    Raises:
        ValueError: if there are fewer than 2 cases, or no resample is drawn.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel, StatedProbabilities, asymptotic_test
        >>> stated = np.tile([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], (50, 1))
        >>> truth = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 30, 10]))
        >>> predictions = StatedProbabilities(stated, truth, PredictionKernel())
        >>> print(asymptotic_test(predictions, np.random.default_rng(1)).p_value < 0.05)
        True
    """
    resamples = _some(resamples, generator)
    counts, n = _known(predictions).counts, _cases(predictions)
    batches = []
    for size in block_sizes(resamples, len(counts), CELLS_AT_ONCE):
        statistics, total = bootstrap_statistics(
            predictions, generator.multinomial(n, counts / n, size)
        )
        batches.append(statistics)
    drawn = np.concatenate(batches)
    diagonal = _diagonal(predictions)
    estimate = float((total - counts @ diagonal) / (n * (n - 1)))
    statistic = n / (n - 1) * estimate - total / n**2
    if counts @ diagonal / n - total / n**2 <= ROUNDING * diagonal.max():
        return CalibrationTest(estimate, statistic, float("nan"), ALIKE)
    if are_few_surprises(predictions):
        return CalibrationTest(estimate, statistic, float("nan"), FEW_SURPRISES)
    reached = drawn >= statistic - ROUNDING * np.abs(drawn).max()
    return CalibrationTest(estimate, statistic, (1 + int(reached.sum())) / (1 + resamples))


def consistency_test(
    predictions: StatedProbabilities, generator: np.random.Generator, resamples: int = 1000
) -> CalibrationTest:
    """Return whether stated probabilities may be calibrated: an exact test, by drawing.

    SKCE_uq is compared with that of outcomes drawn from the predictions themselves.

    The estimate, which is also the statistic, is SKCE_uq. The p-value is (1 + #{as large})/(1 +
    resamples), with the SKCE_uq of outcomes drawn from the stated probabilities (consistency
    resampling: Bröcker & Smith 2007; Widmann et al. 2019 resample the predictions as well, which
    leaves the level approximate). For independent cases of a calibrated simulator the test rejects
    with exactly the nominal probability, or less where values tie. This holds at every n and
    however rare an option is.

    Time and memory are those of N·resamples·K numbers, and of N²·resamples·K multiplications.

    Raises:
        ValueError: if there are fewer than 2 cases, or no resample is drawn.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel, StatedProbabilities, consistency_test
        >>> stated = np.tile([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], (50, 1))
        >>> truth = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 30, 10]))
        >>> predictions = StatedProbabilities(stated, truth, PredictionKernel())
        >>> print(consistency_test(predictions, np.random.default_rng(1), 200).p_value < 0.05)
        True
    """
    resamples = _some(resamples, generator)
    inputs.instance("predictions", predictions, StatedProbabilities, "StatedProbabilities")
    n, counts, stated = _cases(predictions), predictions.counts, predictions.probability
    options = stated.shape[1]
    diagonal = ((np.eye(options)[None] - stated[:, None]) @ predictions.target) * (
        np.eye(options)[None] - stated[:, None]
    )
    diagonal = diagonal.sum(-1)
    similarity = predictions.kernel.between(stated, stated)

    def estimates(chosen: Counts) -> FloatArray:
        """Return SKCE_uq for how many cases of each row chose each option, (B, N, K)."""
        surplus = chosen - counts[:, None] * stated
        smoothed = np.einsum("rs,bsk->brk", similarity, surplus, optimize=True)
        total = (smoothed * (surplus @ predictions.target)).sum((1, 2))
        return (total - (chosen * diagonal).sum((1, 2))) / (n * (n - 1))

    observed = np.zeros((1, *stated.shape))
    observed[0, np.arange(len(counts)), predictions.truth] = counts
    estimate = float(estimates(observed)[0])
    shares = stated / stated.sum(1, keepdims=True)
    reached = 0
    for size in block_sizes(resamples, 8 * stated.size, CELLS_AT_ONCE):
        drawn = estimates(generator.multinomial(counts, shares, (size, len(counts))))
        reached += int((drawn >= estimate - ROUNDING * diagonal.max()).sum())
    return CalibrationTest(estimate, estimate, (1 + reached) / (1 + resamples))


def clustered_test(
    predictions: Predictions,
    clusters: ArrayLike,
    generator: np.random.Generator,
    resamples: int = 1000,
    weights: ArrayLike | None = None,
    samples: ArrayLike | None = None,
) -> CalibrationTest:
    """Return the test of calibration over clusters of cases, by signs of clusters.

    Calibrated means here: right on average over clusters. Scenarios' true shares may vary around
    the stated ones, and may do so together within a cluster.

    Let H_gh be the sum of h over cases of clusters g and h (each times its weights). The estimate
    is the mean of h over pairs of cases of different clusters, Σ_{g≠h} H_gh / Σ_{g≠h} m_g·m_h for
    masses m. It is unbiased for the SKCE of new clusters. The statistic is Σ_gh H_gh: the squared
    length of a sum of independent vectors, one for each cluster, of mean 0 if the simulator is
    calibrated.

    The p-value is the share of sign patterns v ∈ {-1, 1}^G for which Σ_gh v_g·v_h·H_gh is as large.
    If the 2^(G-1) different patterns are no more than ``resamples``, all are used. Otherwise it is
    (1 + number)/(1 + resamples) of random ones (the wild bootstrap of clusters with Rademacher
    signs).

    The test is exact, for any number and size of clusters, where the vectors are as likely as their
    negatives, and approximate otherwise. It was tried at 5 % on calibrated simulators: 1,000 to
    4,000 studies each, scenarios' true shares beta around the stated ones, 7 and 68 clusters, equal
    and unequal. It rejected 4 to 6 % with SD .05, and up to 7 % with SD .15 that all scenarios of a
    cluster have in common. It rejected 12 % with SD .25 around statements near 90 %, where shares
    are very skew. With fewer than 6 clusters no pattern has a p-value below 5 %: it is NaN. It is
    NaN, too, where :func:`are_few_surprises`; for independent cases :func:`consistency_test` then
    is exact.

    Args:
        predictions: N rows.
        clusters: label of each row, (N,).
        generator: draws the signs.
        resamples: how many.
        weights: of one case of the row, (N,); 1 if None.
        samples: label of the row's scenario, (N,), where the same people may answer several. They
            make clusters depend on each other. The p-value is NaN where people alone could, in the
            worst case, cause more than a tenth of the sum's squared length.

    Raises:
        ValueError: if shapes don't fit, or there is one cluster.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel, StatedProbabilities, clustered_test
        >>> stated = np.tile([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], (50, 1))
        >>> truth = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 30, 10]))
        >>> predictions = StatedProbabilities(stated, truth, PredictionKernel())
        >>> topic = np.arange(100) // 10
        >>> print(clustered_test(predictions, topic, np.random.default_rng(1)).p_value < 0.05)
        True
    """
    resamples = _some(resamples, generator)
    mass = _known(predictions).counts.astype(float)
    clusters, weights, samples = inputs.aligned(clusters=clusters, weights=weights, samples=samples)
    if weights is not None:
        mass = mass * inputs.vector("weights", weights, inputs.FINITE_POSITIVE, len(mass))
    if samples is not None:
        samples = inputs.labels("samples", samples, len(mass))
    clusters = inputs.labels("clusters", clusters, len(mass))
    labels, member = np.unique(clusters, return_inverse=True)
    groups = len(labels)
    if groups < 2:
        raise ValueError("clusters must be at least 2: one cluster tells nothing about others")
    masses = np.bincount(member, mass)
    pairs = masses.sum() ** 2 - float(masses @ masses)
    reason = ""
    if groups < FEWEST_CLUSTERS:
        reason = f"fewer than {FEWEST_CLUSTERS} clusters: no p-value could be below 0.05"
    elif are_few_surprises(predictions):
        reason = FEW_SURPRISES
    is_random = 2 ** (groups - 1) > resamples
    signs = np.ones((1, groups)) if reason else _signs(groups, generator, resamples, is_random)
    totals, squared = _signed_totals(predictions, mass, member, signs)
    statistic = float(totals[0])
    estimate = (statistic - squared) / pairs
    if not reason and _most_of_people(predictions, mass, samples) ** 2 > MOST_OF_PEOPLE * squared:
        reason = "people who answer in several clusters could explain it"
    if reason:
        return CalibrationTest(estimate, statistic, float("nan"), reason)
    reached = totals >= statistic - ROUNDING * squared * groups
    return CalibrationTest(estimate, statistic, float(reached.mean()))


def _signs(groups: int, generator: np.random.Generator, resamples: int, is_random: bool) -> Any:
    """Return patterns of signs, (P, G), the observed one first: all, or so many random ones."""
    if not is_random:
        bits = np.arange(2 ** (groups - 1))[:, None] >> np.arange(groups - 1) & 1
        return np.hstack([np.ones((len(bits), 1)), 1.0 - 2.0 * bits])
    signs = np.ones((1 + resamples, groups), np.int8)
    for rows in blocks(resamples, groups):
        drawn = signs[1:][rows]
        drawn[:] = generator.choice([-1.0, 1.0], drawn.shape)
    return signs


def bootstrap_statistics(predictions: Predictions, resampled: Counts) -> tuple[FloatArray, float]:
    """Return T' of resamples, (B,), and Σ h over all pairs of cases.

    T' imitates the distribution of the statistic under calibration, up to a constant:
    T' = (1/n²) Σ_i C_i Σ_j (n/(n-1)(C_j - δ_ij) - 2) h_ij over cases, C_i how often case i was
    drawn. Cases of one row are summed: with C_r how often cases of row r were drawn,
    n²T' = n/(n-1)(CᵀhC - Σ C_r h_rr) - 2Cᵀhc for counts c. Its mean over all resamples is -SKCE_b.

    Args:
        predictions: N rows.
        resampled: C, (B, N); rows sum to the number of cases.
    """
    n, resampled = _cases(predictions), resampled.astype(float)
    quadratic, sums = _forms(predictions, resampled)
    different = quadratic - resampled @ _diagonal(predictions)
    statistics = (n / (n - 1) * different - 2.0 * resampled @ sums) / n**2
    return statistics, float(predictions.counts @ sums)


def block_test(
    predictions: Predictions, order: ArrayLike, size: int = 2, level: float = 0.95
) -> BlockTest:
    """Return whether stated probabilities may be calibrated: a quick test for very many cases.

    By a normal mean of independent blocks; linear in the number of cases.

    z = mean/SE, with SE the standard deviation (ddof 1) over the root of the number of blocks, and
    p = P(Z ≥ z). The level is right as the number of blocks grows. At 5 %, with 200 blocks of 2, it
    rejected 3.5 to 5 % of simulated calibrated predictors, and at most 1 % where an option has 5 %
    or less. The price is power: with 100 cases and blocks of 2 this test finds 14 % of wrong
    simulators, where the bootstrap test finds 96 %. The one-sided lower bound of the SKCE is
    max(0, mean - q·SE), with q the ``level`` quantile of the normal distribution.

    Blocks whose estimates differ by rounding only (standard deviation at most 1e-12·max h_ii, see
    :func:`asymptotic_test`) have z, p-value and bound NaN. An example is a simulator whose answers
    and predictions are all the same.

    Args:
        predictions: N rows.
        order: the row of each case, (n,): the order in which cases were drawn, or a random one.
        size: cases of a block, at least 2. Cases after the last whole block are left out.
        level: of the lower bound.

    Raises:
        ValueError: if there are fewer than 2 blocks, the size is out of range, or the order doesn't
            hold every case once.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel, StatedProbabilities, block_test
        >>> stated = np.tile([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], (50, 1))
        >>> truth = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 30, 10]))
        >>> predictions = StatedProbabilities(stated, truth, PredictionKernel())
        >>> found = block_test(predictions, order=np.arange(100), size=10)
        >>> print(round(found.estimate, 3), round(found.p_value, 3))
        0.057 0.003
    """
    level = inputs.number("level", level, inputs.INSIDE)
    estimates = block_estimates(predictions, order, size)
    if len(estimates) < 2:
        raise ValueError(f"size must leave at least 2 blocks, which {size} doesn't")
    mean, spread = float(estimates.mean()), float(estimates.std(ddof=1))
    error = spread / np.sqrt(len(estimates))
    if spread <= ROUNDING * _diagonal(predictions).max():
        return BlockTest(mean, error, np.nan, np.nan, np.nan, SAME_BLOCKS)
    return BlockTest(
        estimate=mean,
        standard_error=error,
        statistic=mean / error,
        p_value=float(sp.special.ndtr(-mean / error)),
        lower=max(0.0, mean - float(sp.special.ndtri(level)) * error),
    )


def mean_embedding_test(
    predictions: Stated,
    locations: Stated,
) -> CalibrationTest:
    """Return the test of calibration at J locations, (prediction, outcome) pairs; linear in n.

    For case i and location j let m_ij = k((μ_i,y_i), (μ_j,y_j)) - E k((μ_i,Z), (μ_j,y_j)). Let m̄
    be their means over cases and S their covariance (ddof 1). The estimate is UCME, the mean of
    m̄_j² over locations. The statistic is n·m̄ᵀS⁻¹m̄, and p comes from χ² with J degrees of
    freedom. The level is right as n grows, for locations fixed or drawn independently of the cases.
    At 5 % and J = 3 it rejected 17 % of simulated calibrated predictors with 20 cases, 8 % with 100
    and 6 % with 400. The p-value is NaN where :func:`are_few_surprises`.

    Args:
        predictions: N rows; the kernels are theirs.
        locations: J rows of the same type, fewer than cases; their counts don't matter.

    Raises:
        ValueError: if S is singular, through too few cases or locations that are too similar.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import PredictionKernel, StatedProbabilities
        >>> from fidelity.calibration import mean_embedding_test
        >>> stated = np.tile([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], (50, 1))
        >>> truth = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [60, 30, 10]))
        >>> predictions = StatedProbabilities(stated, truth, PredictionKernel())
        >>> places = StatedProbabilities(stated[:2], np.array([0, 0]), PredictionKernel())
        >>> print(mean_embedding_test(predictions, places).p_value < 0.05)
        True
    """
    witness, n = predictions.witness(locations), _cases(predictions)
    mean = predictions.counts @ witness / n
    centred = witness - mean
    covariance = centred.T @ (predictions.counts[:, None] * centred) / (n - 1)
    if np.linalg.matrix_rank(covariance, hermitian=True) < len(covariance):
        raise ValueError("the covariance is singular: take fewer locations, or other ones")
    statistic = float(n * mean @ np.linalg.solve(covariance, mean))
    estimate, p_value = float((mean**2).mean()), float(sp.special.chdtrc(len(mean), statistic))
    if are_few_surprises(predictions):
        return CalibrationTest(estimate, statistic, float("nan"), FEW_SURPRISES)
    return CalibrationTest(estimate, statistic, p_value)


def _some(resamples: int, generator: np.random.Generator) -> int:
    inputs.generator("generator", generator)
    return inputs.whole("resamples", resamples, 1)


def _known(predictions: Predictions) -> Predictions:
    if not all(hasattr(predictions, name) for name in ("counts", "between", "paired")):
        raise TypeError(
            "predictions must be StatedProbabilities, StatedNormals or the like, not "
            f"{type(predictions).__name__}"
        )
    return predictions


def _signed_totals(
    predictions: Predictions, mass: FloatArray, member: IntArray, signs: AnyArray
) -> tuple[FloatArray, float]:
    """Return Σ_gh v_g·v_h·H_gh of each pattern v of clusters' signs, (P,), and Σ_g H_gg.

    Args:
        predictions: N rows.
        mass: of each row, (N,).
        member: the cluster of each row, from 0, (N,).
        signs: -1 and 1, (P, G).
    """
    order = np.argsort(member, kind="stable")
    totals, squared = np.zeros(len(signs)), 0.0
    for rows, columns in _blocks(len(mass)):
        first, second = order[rows], order[columns]
        h = predictions.between(first, second)
        h *= mass[first][:, None]
        h *= mass[second]
        of_rows, of_columns = (
            np.unique(member[side], return_index=True) for side in (first, second)
        )
        h = np.add.reduceat(np.add.reduceat(h, of_rows[1], 0), of_columns[1], 1)
        twice = 1.0 if rows == columns else 2.0
        squared += twice * float(h[of_rows[0][:, None] == of_columns[0]].sum())
        products = signs[:, of_rows[0]].astype(float) @ h
        totals += twice * np.einsum("pg,pg->p", products, signs[:, of_columns[0]])
    return totals, squared


def _most_of_people(predictions: Predictions, mass: Any, samples: Any) -> float:
    """Return the largest length that people alone could give the sum of vectors: Σ_j SD_j.

    SD_j² = m²/(n - 1)·(mean h_ii - mean h_ij) for the rows of scenario j, m its mass and n the
    effective number of its people.
    """
    if samples is None:
        return 0.0
    diagonal, length = _diagonal(predictions), 0.0
    for label in np.unique(samples):
        rows = np.flatnonzero(np.asarray(samples) == label)
        total = mass[rows].sum()
        people = total**2 / (mass[rows] ** 2 / predictions.counts[rows]).sum()
        if people > 1.0 + 1e-9:
            share = mass[rows] / total
            all_pairs = share @ predictions.between(rows, rows) @ share
            length += total * np.sqrt(max(0.0, share @ diagonal[rows] - all_pairs) / (people - 1.0))
    return float(length)


def _cases(predictions: Predictions) -> int:
    n = int(predictions.counts.sum())
    if n < 2:
        raise ValueError(f"predictions must be of at least 2 cases, not of {n}")
    return n


def _diagonal(predictions: Predictions) -> FloatArray:
    rows = np.arange(len(predictions.counts))
    return predictions.paired(rows, rows)


def _total(predictions: Predictions) -> float:
    """Return Σ h over all ordered pairs of cases, each with itself too."""
    return float(
        predictions.counts @ _forms(predictions, np.empty((0, len(predictions.counts))))[1]
    )


def _forms(predictions: Predictions, resampled: Counts) -> tuple[FloatArray, FloatArray]:
    """Return CᵀhC for each resample, (B,), and hc, (N,); each block of h counts for its mirror."""
    counts = predictions.counts.astype(float)
    quadratic, sums = np.zeros(len(resampled)), np.zeros(len(counts))
    for rows, columns in _blocks(len(counts)):
        h = predictions.between(rows, columns)
        sums[rows] += h @ counts[columns]
        mirrored = 1.0
        if rows != columns:
            sums[columns] += counts[rows] @ h
            mirrored = 2.0
        products = resampled[:, rows] @ h
        quadratic += mirrored * np.einsum("bc,bc->b", products, resampled[:, columns])
    return quadratic, sums


def _blocks(n: int) -> Iterator[tuple[slice, slice]]:
    """Yield rows and columns of the blocks on and above the diagonal of an n × n matrix."""
    bounds = list(blocks(n, 1, ROWS_AT_ONCE))
    for index, rows in enumerate(bounds):
        for columns in bounds[index:]:
            yield rows, columns
