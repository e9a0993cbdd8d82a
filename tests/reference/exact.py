"""Definitions in exact fractions and 30 digits, one case at a time, without the library or arrays.

Each function is its formula, written out; where a library would round, the last step does:
:func:`number` turns an answer into the nearest float.
"""

from fractions import Fraction
from itertools import combinations, product
from math import comb

from mpmath import erf, erfc, exp, findroot, fsum, log, matrix, mp, mpf, pi, sqrt, tan

mp.dps = 30


def number(value) -> float:
    return float(value)


def fractions(values) -> list[Fraction]:
    """Return floats as the fractions that they are."""
    return [Fraction(float(x)) for x in values]


def to_mp(value) -> mpf:
    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mpf(value)


# Error bars


def mean(x):
    return sum(x) / len(x)


def variance(x):
    """Return the sample variance, with n - 1."""
    middle = mean(x)
    return sum((value - middle) ** 2 for value in x) / (len(x) - 1)


def covariance(x, y):
    pairs, (of_x, of_y) = zip(x, y, strict=True), (mean(x), mean(y))
    return sum((a - of_x) * (b - of_y) for a, b in pairs) / (len(x) - 1)


def groups(x, clusters):
    return [
        [value for value, of in zip(x, clusters, strict=True) if of == name]
        for name in dict.fromkeys(clusters)
    ]


def cr0_squared(x, clusters):
    middle = mean(x)
    sums = [sum(value - middle for value in part) for part in groups(x, clusters)]
    return sum(total**2 for total in sums) / len(x) ** 2


def cr1_squared(x, clusters):
    g = len(set(clusters))
    return cr0_squared(x, clusters) * g / (g - 1)


def paper_squared(x, clusters):
    """Return SE_CLT² + (1/n²) Σ_c Σ_i Σ_{j≠i} of the products of deviations."""
    crossed, middle = 0, mean(x)
    for part in groups(x, clusters):
        away = [value - middle for value in part]
        crossed += sum(2 * a * b for a, b in combinations(away, 2))
    return variance(x) / len(x) + crossed / len(x) ** 2


def intraclass_correlation(x, clusters):
    """Return the one-way analysis of variance's estimate for uneven clusters."""
    parts, n = groups(x, clusters), len(x)
    between = sum(len(part) * (mean(part) - mean(x)) ** 2 for part in parts) / (len(parts) - 1)
    within = sum((v - mean(part)) ** 2 for part in parts for v in part) / (n - len(parts))
    size = (n - Fraction(sum(len(part) ** 2 for part in parts), n)) / (len(parts) - 1)
    return (between - within) / (between + (size - 1) * within)


def sign_test_p_value(smaller, larger):
    """Return the two-sided p-value of McNemar's exact test."""
    n = smaller + larger
    tail = sum(comb(n, i) for i in range(min(smaller, larger) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**n))


def student_tail(statistic, df):
    """Return P(|T| > |t|) by the series of Student's t for whole degrees of freedom."""
    statistic = abs(to_mp(statistic))
    return mp.betainc(mpf(df) / 2, mpf(1) / 2, 0, df / (df + statistic**2), regularized=True)


def student_quantile(level, df):
    """Return t with P(|T| ≤ t) = level."""
    return findroot(lambda t: student_tail(t, df) - (1 - mpf(level)), mpf(2))


def normal_tail(z):
    return erfc(to_mp(z) / sqrt(2)) / 2


def normal_quantile(level):
    """Return z with P(|Z| ≤ z) = level."""
    return sqrt(2) * mp.erfinv(mpf(level))


# Calibration errors


def bins_of(p, edges, closed):
    """Return a bin per probability: (a, b] with 0 in the first, or [a, b) with 1 in the last."""
    found = []
    for x in p:
        if closed == "right":
            found.append(next(b for b in range(len(edges) - 1) if x <= edges[b + 1]))
        else:
            found.append(next(b for b in reversed(range(len(edges) - 1)) if x >= edges[b]))
    return found


def gaps(p, y, edges, closed):
    """Return size and mean of p - y for each bin that isn't empty."""
    of = bins_of(p, edges, closed)
    parts = [
        [a - b for a, b, at in zip(p, y, of, strict=True) if at == bin_] for bin_ in sorted(set(of))
    ]
    return [(len(part), mean(part)) for part in parts]


def calibration_errors(p, y, edges, closed):
    """Return the expected and the greatest error."""
    found = gaps(p, y, edges, closed)
    return sum(n * abs(gap) for n, gap in found) / len(p), max(abs(gap) for _, gap in found)


def spiegelhalter(p, y):
    """Return z and its two-sided p-value."""
    above = sum((a - b) * (1 - 2 * a) for a, b in zip(p, y, strict=True))
    z = -to_mp(above) / sqrt(to_mp(sum((1 - 2 * a) ** 2 * a * (1 - a) for a in p)))
    return z, 2 * normal_tail(abs(z))


def brier(stated, truth):
    """Return the mean over rows of the squares summed over options."""
    return mean(
        [
            sum((x - (k == y)) ** 2 for k, x in enumerate(row))
            for row, y in zip(stated, truth, strict=True)
        ]
    )


# Intervals of normal and Cauchy predictions


def half_width(level, family):
    return normal_quantile(level) if family == "normal" else tan(pi * mpf(level) / 2)


def interval_results(loc, scale, y, level, family):
    """Return coverage, mean width and mean interval score (Winkler)."""
    half, alpha, inside, widths, scores = half_width(level, family), 1 - mpf(level), 0, [], []
    for m, s, value in zip(loc, scale, y, strict=True):
        low, high = mpf(m) - half * mpf(s), mpf(m) + half * mpf(s)
        inside += low <= value <= high
        widths.append(high - low)
        beyond = max(low - mpf(value), mpf(value) - high, mpf(0))
        scores.append(high - low + 2 / alpha * beyond)
    return mpf(inside) / len(y), fsum(widths) / len(y), fsum(scores) / len(y)


def clopper_pearson(x, n, confidence):
    """Return both ends: each binomial tail holds half of what is left."""

    def tail(most, p):
        return mp.betainc(n - most, most + 1, 0, 1 - p, regularized=True)

    half = (1 - mpf(confidence)) / 2

    def root(excess):
        low, high = mpf(0), mpf(1)
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        return low

    lower = root(lambda p: half - (1 - tail(x - 1, p))) if x > 0 else mpf(0)
    upper = root(lambda p: tail(x, p) - half) if x < n else mpf(1)
    return lower, upper


def crps_normal(loc, scale, y):
    """Return the mean of s(z(2Φ(z) - 1) + 2φ(z) - 1/√π)."""
    scores = []
    for m, s, value in zip(loc, scale, y, strict=True):
        z = (mpf(value) - mpf(m)) / mpf(s)
        density = exp(-(z**2) / 2) / sqrt(2 * pi)
        scores.append(mpf(s) * (z * erf(z / sqrt(2)) + 2 * density - 1 / sqrt(pi)))
    return fsum(scores) / len(y)


# The kernel calibration error


def euclidean(p, q):
    return sqrt(fsum((mpf(a) - mpf(b)) ** 2 for a, b in zip(p, q, strict=True)))


def total_variation(p, q):
    return fsum(abs(mpf(a) - mpf(b)) for a, b in zip(p, q, strict=True)) / 2


KERNELS = {
    "exponential": lambda p, q: exp(-euclidean(p, q)),
    "squared exponential": lambda p, q: exp(-(euclidean(p, q) ** 2) / 2),
    "exponential, scale 3": lambda p, q: exp(-3 * euclidean(p, q)),
    "total variation": lambda p, q: exp(-total_variation(p, q)),
}
TARGETS = {"white": lambda y, z: mpf(y == z), "ordinal": lambda y, z: exp(-mpf(abs(y - z)))}


def kernel_term(kernel, target, first, second):
    """Return h of two pairs of a prediction and an outcome [SKCE]."""
    (p, y), (q, z) = first, second
    options = range(len(p))
    joint = (
        target(y, z)
        - fsum(mpf(p[a]) * target(a, z) for a in options)
        - fsum(mpf(q[b]) * target(y, b) for b in options)
        + fsum(mpf(p[a]) * mpf(q[b]) * target(a, b) for a in options for b in options)
    )
    return kernel(p, q) * joint


def kernel_matrix(kernel, target, pairs):
    return [[kernel_term(kernel, target, a, b) for b in pairs] for a in pairs]


def skce_unbiased(h):
    n = len(h)
    return fsum(h[i][j] for i, j in combinations(range(n), 2)) * 2 / (n * (n - 1))


def skce_biased(h):
    return fsum(x for row in h for x in row) / len(h) ** 2


def skce_blocks(h, size):
    """Return the unbiased estimates of the blocks of neighbours."""
    return [
        skce_unbiased([row[start : start + size] for row in h[start : start + size]])
        for start in range(0, len(h) - size + 1, size)
    ]


def resampled_statistics(h):
    """Return T' of all n^n resamples: Σ_i C_i Σ_j (n/(n-1)(C_j - δ_ij) - 2) h_ij / n²."""
    n, h = len(h), [[float(x) for x in row] for row in h]
    found = []
    for drawn in product(range(n), repeat=n):
        c = [drawn.count(i) for i in range(n)]
        found.append(
            sum(
                c[i] * (n / (n - 1) * (c[j] - (i == j)) - 2) * h[i][j]
                for i in range(n)
                for j in range(n)
            )
            / n**2
        )
    return found


def mean_embedding(kernel, target, pairs, locations):
    """Return UCME, n·mᵀS⁻¹m and its p-value, χ² with a degree of freedom per location."""
    witness = []
    for p, y in pairs:
        row = []
        for location, outcome in locations:
            expected = fsum(mpf(p[a]) * target(a, outcome) for a in range(len(p)))
            row.append(kernel(p, location) * (target(y, outcome) - expected))
        witness.append(row)
    n, j = len(pairs), len(locations)
    middle = [fsum(row[k] for row in witness) / n for k in range(j)]
    spread = matrix(j, j)
    for a, b in product(range(j), repeat=2):
        products = [(row[a] - middle[a]) * (row[b] - middle[b]) for row in witness]
        spread[a, b] = fsum(products) / (n - 1)
    solved = mp.lu_solve(spread, matrix(middle))
    statistic = n * fsum(middle[k] * solved[k] for k in range(j))
    tail = mp.gammainc(mpf(j) / 2, statistic / 2, regularized=True)
    return fsum(m**2 for m in middle) / j, statistic, tail


# The equivalent human sample size [HM]


def dilated_half_width(answers, alpha, interval, dilation, span):
    """Return the half-width of the interval of a mean of k answers."""
    k, size = len(answers), mpf(dilation)
    spread = to_mp(variance(answers))
    if interval == "clt":
        return normal_quantile(1 - mpf(alpha)) * sqrt(size * spread / k)
    if interval == "hoeffding":
        return span * sqrt(size * log(2 / mpf(alpha)) / (2 * k))
    of_four = size * log(4 / mpf(alpha))
    return sqrt(2 * of_four * spread / k) + mpf(7) / 3 * span * of_four / (k - 1)
