"""Definitions in exact fractions and 30 digits, one case at a time, without the library or arrays.

Each function is its formula, written out; where a library would round, the last step does:
:func:`number` turns an answer into the nearest float.
"""

from fractions import Fraction
from itertools import combinations

from mpmath import erfc, findroot, fsum, log, mp, mpf, pi, sqrt, tan

mp.dps = 30


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
