"""Extrema of discrepancies over confidence sets, by search in 30 digits, without the library.

``python tests/reference/extrema.py`` writes extrema.json in about ten minutes. Two or three options
leave one or two shares free: each set is cut into intervals, whose ends are found by bisection;
every cut is scanned, so are the cuts, and the best places are narrowed down by golden section. Of
more options random points gather where they are best, and Newton's method makes the best of them
stationary to 30 digits.
"""

import json
from itertools import chain
from pathlib import Path

import numpy as np
from mpmath import diff, findroot, inf, log, mp, mpf, sqrt

mp.dps = 30
FILE = Path(__file__).with_suffix(".json")
POINTS = 16
HALVINGS, SECTIONS = 90, 55
GOLDEN = (sqrt(5) - 1) / 2
POINTS_AT_ONCE = 400
WIDTHS = (2.0, 2.0, 1.0, 0.5, 0.25, 0.12, 0.06, 0.03, 0.015)


def entropy(x):
    return x * log(x) if x else mpf(0)


def mean(u, scores):
    return sum(x * s for x, s in zip(u, scores, strict=True))


def w1(u, q, scores):
    """Return the distance of distribution functions; scores ascend."""
    return sum(
        abs(sum(u[:i]) - sum(q[:i])) * (scores[i] - scores[i - 1]) for i in range(1, len(scores))
    )


TERMS = {
    "kl": lambda u, q: entropy(u) - u * log(q),
    "hellinger": lambda u, q: (u + q) / 2 - sqrt(u * q),
    "chi2": lambda u, q: (u - q) ** 2 / q,
    "js": lambda u, q: (entropy(u) + entropy(q)) / 2 - entropy((u + q) / 2),
    "l2": lambda u, q: (u - q) ** 2,
}
DISCREPANCIES = {
    "tv": lambda u, q, scores: sum(abs(a - b) for a, b in zip(u, q, strict=True)) / 2,
    "absolute": lambda u, q, scores: abs(mean(u, scores) - mean(q, scores)),
    "squared": lambda u, q, scores: (mean(u, scores) - mean(q, scores)) ** 2,
    "w1": w1,
    **{
        name: lambda u, q, scores, term=term: sum(term(a, b) for a, b in zip(u, q, strict=True))
        for name, term in TERMS.items()
    },
}


def divergence(p, u, scores=None):
    """Return KL(p ‖ u)."""
    chosen = [(a, b) for a, b in zip(p, u, strict=True) if a]
    return sum(a * log(a / b) for a, b in chosen) if all(b > 0 for _, b in chosen) else inf


SETS = {
    "multinomial_kl": divergence,
    "bernoulli_kl": divergence,
    "hoeffding": lambda p, u, scores: abs(mean(p, scores) - mean(u, scores)),
    "w1": w1,
}
PAIRS = {
    "multinomial_kl": [*DISCREPANCIES],
    "bernoulli_kl": ["squared", "absolute", "kl"],
    "hoeffding": ["squared", "absolute"],
    "w1": ["w1", "tv", "absolute", "squared"],
}


def last(inside, start, end):
    """Return the last point from the start towards the end that lies inside, as the start does."""
    if inside(end):
        return end
    for _ in range(HALVINGS):
        middle = (start + end) / 2
        start, end = (middle, end) if inside(middle) else (start, middle)
    return start


class Ball:
    """{u : distance(p, u) ≤ radius} of two or three options, with coordinates from 0 to 1."""

    def __init__(self, name, p, radius, scores):
        """Find the least and the greatest share of the first option."""
        self.p, self.scores, self.name = p, scores, name
        self.inside = lambda u: SETS[name](p, u, scores) <= radius
        self.ends = [last(lambda x: self.inside(self.nearest(x)), p[0], mpf(end)) for end in (0, 1)]

    def nearest(self, first):
        """Return the point that is nearest to p among those with this share of the first option."""
        rest = 1 - first
        if len(self.p) == 2:
            return [first, rest]
        if self.name == "w1":
            second = min(max(self.p[0] + self.p[1], first), mpf(1)) - first
        else:
            people = self.p[1] + self.p[2]
            second = rest * (self.p[1] / people if people else mpf(1) / 2)
        return [first, second, rest - second]

    def cut(self, s):
        """Return the two ends of the ball where the first option's share is s of the way."""
        first = self.ends[0] + s * (self.ends[1] - self.ends[0])
        middle = self.nearest(first)
        if len(middle) == 2:
            return [middle, middle]
        seconds = [
            last(lambda x: self.inside([first, x, 1 - first - x]), middle[1], end)
            for end in (mpf(0), 1 - first)
        ]
        return [[first, second, 1 - first - second] for second in seconds]


def golden(function, low, high):
    """Return the largest value seen between two points, ends included."""
    best = max(function(low), function(high))
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_a, at_b = function(a), function(b)
    for _ in range(SECTIONS):
        best = max(best, at_a, at_b)
        if at_a > at_b:
            high, b, at_b = b, a, at_a
            a = high - GOLDEN * (high - low)
            at_a = function(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + GOLDEN * (high - low)
            at_b = function(b)
    return best


def peak(function, grid):
    """Return the largest value over an interval: a scan, and its two best places narrowed down."""
    values = [function(x) for x in grid]
    last_one = len(grid) - 1
    tops = [
        i
        for i, value in enumerate(values)
        if value >= values[max(i - 1, 0)] and value >= values[min(i + 1, last_one)]
    ]
    around = [
        (grid[max(i - 1, 0)], grid[min(i + 1, last_one)])
        for i in sorted(tops, key=values.__getitem__)
    ]
    return max(golden(function, *ends) for ends in around[-2:])


def searched_maximum(function, ball):
    """Return the largest value over a ball of two or three options: over cuts, along each cut."""
    grid = [(1 - mp.cos(mp.pi * i / POINTS)) / 2 for i in range(POINTS + 1)]

    def over_cut(s):
        low, high = ball.cut(s)
        if low == high:
            return function(low)
        return peak(
            lambda t: function([(1 - t) * a + t * b for a, b in zip(low, high, strict=True)]), grid
        )

    return peak(over_cut, grid)


def scattered(share, radius, centre, width, generator):
    """Return points of the ball, half of them on its border, in directions around a centre."""
    towards = np.exp(np.log(centre) + width * generator.normal(size=(POINTS_AT_ONCE, len(share))))
    towards /= towards.sum(1, keepdims=True)
    low, away = np.zeros((POINTS_AT_ONCE, 1)), towards - share
    high = (share / np.maximum(-away, 1e-300)).min(1, keepdims=True) * (1 - 1e-9)
    for _ in range(60):
        middle = (low + high) / 2
        inside = (share * np.log(share / (share + middle * away))).sum(1, keepdims=True) <= radius
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    part = np.where(np.arange(POINTS_AT_ONCE) % 2, 1.0, generator.random(POINTS_AT_ONCE))
    return share + part[:, None] * low * away


def stationary_maximum(term, p, radius):
    """Return the largest Σ term(i, u_i) over a KL ball around p, all of whose shares are positive.

    The best of points that gather around the best so far, made stationary on the ball's border or,
    within it, on the simplex. The multipliers start from least squares.
    """
    d, generator = len(p), np.random.default_rng(1)
    share = np.array(p, float)

    def total(u):
        return sum(term(i, x) for i, x in enumerate(u))

    best, reached = share, -inf
    for width in WIDTHS:
        for u in scattered(share, float(radius), best, width, generator):
            value = total([mpf(float(x)) for x in u])
            best, reached = (u, value) if value > reached else (best, reached)

    def slopes(u):
        return [diff(lambda x, i=i: term(i, x), x) for i, x in enumerate(u)]

    found = []
    for on_border in (True, False):

        def equations(*values, on_border=on_border):
            u, multipliers = values[:d], values[d:]
            price = multipliers[1] if on_border else 0
            slope = slopes(u)
            rows = [slope[i] - multipliers[0] + price * p[i] / u[i] for i in range(d)]
            return [*rows, sum(u) - 1, *([divergence(p, u) - radius] if on_border else [])]

        columns = np.stack([np.ones(d), -share / best][: 1 + on_border], axis=1)
        slope = np.array([float(x) for x in slopes([mpf(float(x)) for x in best])])
        start = [*map(float, best), *map(float, np.linalg.lstsq(columns, slope, rcond=None)[0])]
        try:
            u = findroot(equations, start)[:d]
        except (ValueError, ZeroDivisionError):
            continue
        if min(map(mp.re, u)) > 0 and divergence(p, u) <= radius * (1 + mpf(10) ** -20):
            found.append(total(u))
    value = max(found)
    assert 0 <= value - reached < 1e-3 * (1 + abs(value)), "Newton's method went elsewhere"
    return value


def extrema(case, wanted=("sup", "inf", "psup", "pinf")):
    """Return the wanted extrema of L(u, q1) and of the difference L(u, q1) - L(u, q2)."""
    counts, q1, q2, scores = (
        [mpf(x) for x in case[key]] for key in ("counts", "q1", "q2", "scores")
    )
    p, radius = [x / sum(counts) for x in counts], mpf(case["radius"])
    q1, q2 = ([x / sum(q) for x in q] for q in (q1, q2))
    if len(p) <= 3:
        ball, distance = (
            Ball(case["set"], p, radius, scores),
            DISCREPANCIES[case["discrepancy"]],
        )

        def largest(sign, second):
            return searched_maximum(
                lambda u: sign * (distance(u, q1, scores) - second * distance(u, q2, scores)), ball
            )

    else:
        term = TERMS[case["discrepancy"]]

        def largest(sign, second):
            return stationary_maximum(
                lambda i, x: sign * (term(x, q1[i]) - second * term(x, q2[i])), p, radius
            )

    signs = {"sup": (1, 0), "inf": (-1, 0), "psup": (1, 1), "pinf": (-1, 1)}
    if case["discrepancy"] != "l2":
        assert min(*q1, *q2) > 0
    found = {}
    for name in wanted:
        sign, second = signs[name]
        inside = name == "inf" and SETS[case["set"]](p, q1, scores) <= radius
        found[name] = mpf(0) if inside else sign * largest(sign, second)
    return found


def cases():
    """Yield samples of each pair of a set and a discrepancy: usual, all alike, rare options."""
    generator = np.random.default_rng(14)
    counts = {
        2: [[12, 8], [0, 1], [1300, 700]],
        3: [[7, 0, 3], [12, 5, 3], [400, 250, 150]],
        5: [[6, 9, 1, 2, 12], [40, 100, 20, 10, 30]],
        10: [[30, 12, 5, 8, 20, 3, 9, 14, 6, 2]],
    }
    reach = {"multinomial_kl": 2.5, "bernoulli_kl": 1.5}
    for name, discrepancies in PAIRS.items():
        for discrepancy in discrepancies:
            two = name in ("bernoulli_kl", "hoeffding")
            sizes = [2, 3, 5, 10] if name == "multinomial_kl" and discrepancy in TERMS else [2, 3]
            for sample in chain(*(counts[d] for d in ([2] if two else sizes))):
                n, d = sum(sample), len(sample)
                q1, q2 = (np.round(generator.dirichlet(np.full(d, 2.0)), 3) + 0.01 for _ in "12")
                scores = np.sort(generator.permutation(41)[:d] / 20 - 1)
                width = float(scores[-1] - scores[0])
                radius = reach[name] / n if name in reach else width * 0.6 / n**0.5
                yield {
                    "set": name,
                    "discrepancy": discrepancy,
                    "counts": sample,
                    "radius": round(radius, 6),
                    "scores": [round(float(x), 2) for x in scores],
                    "q1": [round(float(x), 3) for x in q1],
                    "q2": [round(float(x), 3) for x in q2],
                }


if __name__ == "__main__":
    made = [
        case | {name: mp.nstr(value, 20) for name, value in extrema(case).items()}
        for case in cases()
    ]
    text = ",\n".join(json.dumps(case) for case in made)
    FILE.write_text(f"[\n{text}\n]\n", encoding="utf-8")
