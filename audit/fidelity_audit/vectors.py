"""Coverage of the intervals and limits of :mod:`fidelity.vectors`, where the truth is known.

Answers are normal around 0 in D dimensions; a simulator's are the same, moved, or more spread. A
tenth of people lies apart where said. Kernels' expectations are then known functions. The table:

    python -m fidelity_audit.vectors 500
"""

import sys
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, hyp1f1, ndtr

from fidelity import quantile_curve
from fidelity.vectors import (
    Samples,
    directions,
    distance_limits,
    mean_distance,
    sample_distances,
    split_test,
)
from fidelity.vectors.distances import ENERGY, MMD, SAMPLE_DISTANCES, SLICED_W1

GRID = np.linspace(-12.0, 16.0, 5_601)
APART, FAR = 0.1, 3.0
GAMMA = (0.5, 0.9)


class Cell(NamedTuple):
    """A kind of study.

    Attributes:
        dimensions: D.
        n, k: persons, draws.
        simulator: ``same``, ``moved`` or ``spread``.
        extra: ``apart`` if a tenth of people lies apart.
        questions: how many, each answered by the same persons.
    """

    dimensions: int
    n: int
    k: int
    simulator: str = "same"
    extra: str = ""
    questions: int = 1


CELLS = (
    Cell(2, 20, 20),
    Cell(2, 20, 50, "moved"),
    Cell(2, 100, 100, "moved", "apart"),
    Cell(2, 1000, 300, "spread"),
    Cell(2, 100, 50, "moved", questions=10),
    Cell(50, 20, 20, "moved"),
    Cell(50, 20, 20, "spread", "apart"),
    Cell(50, 100, 100, "same"),
    Cell(50, 300, 100, "moved"),
    Cell(50, 1000, 300, "moved", "apart"),
    Cell(500, 20, 20, "moved"),
    Cell(500, 100, 100, "spread"),
    Cell(500, 300, 100, "same"),
    Cell(500, 300, 300, "moved", "apart"),
)


class NormalMixture(NamedTuple):
    """Answers Σ w_c N(μ_c, s_c² I).

    Attributes:
        weights, deviations: w and s, (C,).
        means: μ, (C, D).
    """

    weights: np.ndarray
    means: np.ndarray
    deviations: np.ndarray

    def draw(self, n: int, generator: np.random.Generator) -> np.ndarray:
        """Return n answers, (n, D)."""
        which = generator.choice(len(self.weights), n, p=self.weights)
        noise = generator.standard_normal((n, self.means.shape[1]))
        return self.means[which] + self.deviations[which, None] * noise

    def expected(self, other: "NormalMixture", bandwidth: float | None) -> float:
        """Return E k(x, y), or E|x - y| without a bandwidth."""
        apart = ((self.means[:, None] - other.means) ** 2).sum(2)
        variance = self.deviations[:, None] ** 2 + other.deviations**2
        many = self.means.shape[1]
        if bandwidth is None:
            ratio = np.exp(gammaln((many + 1) / 2) - gammaln(many / 2))
            values = np.sqrt(2 * variance) * ratio * hyp1f1(-0.5, many / 2, -apart / (2 * variance))
        else:
            total = bandwidth**2 + variance
            values = (bandwidth**2 / total) ** (many / 2) * np.exp(-apart / (2 * total))
        return float(self.weights @ values @ other.weights)

    def below(self, line: np.ndarray) -> np.ndarray:
        """Return the distribution function of projections on a grid, (L, points)."""
        centre = line @ self.means.T
        values = ndtr((GRID - centre[:, :, None]) / self.deviations[:, None])
        return np.einsum("c,lct->lt", self.weights, values)


def populations(cell: Cell, width: float = 1.0) -> tuple[NormalMixture, NormalMixture]:
    """Return people and the simulator; ``width`` times its difference."""
    centre = np.zeros((1, cell.dimensions))
    people = NormalMixture(np.ones(1), centre, np.ones(1))
    if cell.extra == "apart":
        far = centre + FAR / np.sqrt(cell.dimensions)
        people = NormalMixture(
            np.array([1.0 - APART, APART]), np.concatenate([centre, far]), np.ones(2)
        )
    if cell.simulator == "moved":
        centre = centre + width / np.sqrt(cell.dimensions)
    spread = 1.0 + 0.3 * width if cell.simulator == "spread" else 1.0
    return people, NormalMixture(np.ones(1), centre, np.array([spread]))


def truths(cell: Cell, bandwidth: float, width: float = 1.0) -> dict[str, float]:
    """Return the distances of both populations."""
    p, q = populations(cell, width)
    mmd, energy = (
        p.expected(p, estimates) - 2.0 * p.expected(q, estimates) + q.expected(q, estimates)
        for estimates in (bandwidth, None)
    )
    line = directions(cell.dimensions)
    gap = np.abs(p.below(line) - q.below(line)).mean(0)
    return dict(zip(SAMPLE_DISTANCES, (mmd, -energy, float(np.trapezoid(gap, GRID))), strict=True))


def bandwidth_of(cell: Cell) -> float:
    """Return a bandwidth near the median distance."""
    return float(np.sqrt(2.0 * cell.dimensions))


class Coverage(NamedTuple):
    """Of simulated studies: the truth, the mean bounds, and the shares of intervals beside it.

    Attributes:
        true: the truth.
        lower, upper: means of the bounds.
        above, below: the share of studies whose interval lies above, or below, the truth.
    """

    true: float
    lower: float
    upper: float
    above: float
    below: float


def coverage(cell: Cell, studies: int, seed: int = 0) -> dict[str, Coverage]:
    """Return the coverage of the intervals of each distance."""
    width = bandwidth_of(cell)
    true, (p, q) = truths(cell, width), populations(cell)
    rows: dict[str, list[tuple]] = {name: [] for name in SAMPLE_DISTANCES}
    for number in range(studies):
        generator = np.random.default_rng([seed, *cell[:3], number])
        person = generator.standard_normal((cell.n, cell.dimensions)) * np.sqrt(0.5)
        by_question = []
        for _ in range(cell.questions):
            x, y = p.draw(cell.n, generator), q.draw(cell.k, generator)
            if cell.questions > 1:  # what persons say to one question tells of the others
                x = person + x * np.sqrt(0.5)
            by_question.append(sample_distances(Samples(x, y, width)))
        names = [np.arange(cell.n)] * cell.questions
        for measure, of_studies in rows.items():
            far = mean_distance([one[measure] for one in by_question], respondents=names)
            of_studies.append(far[:4])
    return {name: _summary(np.array(estimates), true[name]) for name, estimates in rows.items()}


def _summary(rows: np.ndarray, true: float) -> Coverage:
    lower, upper, low, high = rows.T
    shares = float((low > true + 1e-9).mean()), float((high < true - 1e-9).mean())
    return Coverage(true, float(lower.mean()), float(upper.mean()), *shares)


def _unit_points(dimensions: int, generator: np.random.Generator) -> np.ndarray:
    """Return 60 points at a distance of 1 from 0."""
    points = generator.standard_normal((60, dimensions))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _known_question(
    points: np.ndarray, share: np.ndarray, n: int, k: int, generator: np.random.Generator
) -> tuple[Samples, dict[str, float]]:
    """Return answers to a question, and how far people are from the draws, which is known.

    People answer with one of the points, with unequal probabilities; draws are any of them.
    """
    x, drawn = points[generator.choice(60, n, p=share)], generator.choice(60, k)
    apart = share - np.bincount(drawn, minlength=60) / k
    everything, true = Samples(points, points, 1.0, 1.0), {}
    for measure in (MMD, ENERGY):
        true[measure] = float(apart @ everything.kernels(measure)[0] @ apart)
    at = points @ directions(points.shape[1]).T
    order = np.argsort(at, axis=0)
    steps = np.abs(np.cumsum(apart[order], axis=0))[:-1]
    gaps = np.diff(np.take_along_axis(at, order, 0), axis=0)
    true[SLICED_W1] = float((steps * gaps).sum(0).mean())
    return Samples(x, points[drawn], 1.0, 1.0), true


def limit_coverage(n: int, k: int, dimensions: int, studies: int, seed: int = 0) -> dict:
    """Return, by distance, how often lower and upper limits hold at each γ, (G, 2)."""
    generator = np.random.default_rng([seed, n, k, dimensions])
    points, share = _unit_points(dimensions, generator), generator.dirichlet(np.full(60, 0.3))
    rows: dict[str, list] = {name: [] for name in SAMPLE_DISTANCES}
    for _ in range(studies):
        samples, true = _known_question(points, share, n, k, generator)
        for measure, far in true.items():
            lower, upper = distance_limits(samples, GAMMA, measure=measure)
            rows[measure].append(np.stack([lower <= far + 1e-9, upper >= far - 1e-9], 1))
    return {measure: np.mean(held, axis=0) for measure, held in rows.items()}


def curve_coverage(
    n: int, dimensions: int, questions: int, studies: int, seed: int = 0
) -> dict[str, np.ndarray]:
    """Return, by distance, the share of true ones below the curves at τ = .5 and .9, (2,)."""
    held: dict[str, list] = {MMD: [], ENERGY: []}
    for number in range(studies):
        generator = np.random.default_rng([seed, n, dimensions, questions, number])
        points = _unit_points(dimensions, generator)
        upper: dict[str, list] = {name: [] for name in held}
        true: dict[str, list] = {name: [] for name in held}
        for spread in generator.uniform(0.1, 5.0, questions):
            share = generator.dirichlet(np.full(60, spread))
            samples, far = _known_question(points, share, n, 50, generator)
            for name in held:
                upper[name].append(distance_limits(samples, [0.5], measure=name)[1][0])
                true[name].append(far[name])
        for name, of_studies in held.items():
            curve = quantile_curve(upper[name], 0.5, [0.5, 0.9])
            of_studies.append([(np.array(true[name]) <= value).mean() for value in curve])
    return {name: np.mean(of_studies, axis=0) for name, of_studies in held.items()}


def telling_coverage(
    n: int, k: int, dimensions: int, far: float, studies: int, seed: int = 0
) -> tuple[float, float]:
    """Return how often the interval holds the classifier's true share, and how often p ≤ .05."""
    cell, many = Cell(dimensions, n, k, "moved"), 4_000
    p, q = populations(cell, far)
    held, detected = [], []
    for number in range(studies):
        generator = np.random.default_rng([seed, n, k, dimensions, number])
        x, y = p.draw(n, generator), q.draw(k, generator)
        half = min(n, k) // 2
        test = split_test(x, y, tested=(np.arange(n) < half, np.arange(k) < half))
        new = np.arange(many + n - half) < many, np.arange(many + k - half) < many
        x, y = (
            np.concatenate([side.draw(many, generator), learned[half:]])
            for side, learned in ((p, x), (q, y))
        )
        true = split_test(x, y, tested=new).share
        held.append(test.lower <= true <= test.upper)
        detected.append(test.p_value <= 0.05)
    return float(np.mean(held)), float(np.mean(detected))


def lines(studies: int) -> Iterator[str]:
    """Yield the table."""
    for cell in CELLS:
        slow = cell.n * cell.dimensions > 20_000
        for name, estimates in coverage(cell, max(studies // 5, 1) if slow else studies).items():
            yield f"{cell!r:88} {name:10}" + " ".join(f"{number:8.4f}" for number in estimates)
    for n, k, dimensions in ((20, 20, 2), (100, 50, 50)):
        for name, held in limit_coverage(n, k, dimensions, studies).items():
            yield f"limits n={n} k={k} D={dimensions} {name} {held.round(3).tolist()} at {GAMMA}"
    for n, dimensions in product((20, 100, 1000), (2, 50, 500)):
        for name, below in curve_coverage(n, dimensions, 40, max(studies // 10, 1)).items():
            yield f"curve n={n} m=40 D={dimensions} {name} {below.round(4).tolist()} at .5, .9"
    for n, k, dimensions, far in ((50, 50, 2, 0.0), (50, 50, 2, 1.0), (60, 40, 50, 1.5)):
        held, detected = telling_coverage(n, k, dimensions, far, studies)
        yield f"classifier n={n} k={k} D={dimensions} far={far}: {held:.3f}, told {detected:.3f}"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1])):
        print(line, flush=True)
