"""How far samples of points are apart, without a coverage γ: estimates, bounds and errors.

With people's answers x_1..x_n from P, a simulator's y_1..y_k from Q:

- ``mmd``: the squared maximum mean discrepancy E k(x,x') - 2E k(x,y) + E k(y,y') of the kernel
  k = exp(-|x-y|²/(2h²)) (Gretton et al. 2012), in [0, 2].
- ``energy``: 2E|x-y| - E|x-x'| - E|y-y'|, in the unit of the answers (Székely & Rizzo 2013). It is
  the same with the kernel |x-z| + |y-z| - |x-y|, for any z (Sejdinovic et al. 2013).
- ``sliced_w1``: the Wasserstein-1 distance of the projections, mean over fixed directions.

The estimand is the ``model`` that draws come from, or its ``answers`` as they are. The first two
are then unbiased from means over pairs of *different* answers: of people, and for the model of
draws. Their lower and upper bounds coincide, and may be negative.

``sliced_w1`` is convex. So the plug-in's expectation is at least the truth (Jensen). For the lower
bound write W1 = ∫|F - G|dt ≥ ∫ s(t)(F(t) - G(t))dt with any signs |s| ≤ 1. Take the signs that the
*other* answers have, without the person (and for the model without the draw) whose answer is
entered. Then the expectation is at most the truth. Means over all who may be left out follow from
counts at each gap between neighbouring values.

Errors are the jackknife's, over persons and (for the model) over draws. Those of ``mmd`` and
``energy`` grow with the distance, as of any mean square; so their upper ends are Wilson's
(:func:`fidelity.structure.estimates.mean_square`). Where P = Q they are too large, which is safe.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.structure.estimates import Spread, mean_square
from fidelity.vectors.points import both_sides, directions, squared_distances

MMD, ENERGY, SLICED_W1 = SAMPLE_DISTANCES = ("mmd", "energy", "sliced_w1")
MODEL, ANSWERS = ESTIMANDS = ("model", "answers")
FEWEST, SINGLE_PRECISION = 3, 1e-6


class SampleDistance(NamedTuple):
    """A distance of two sources.

    Attributes:
        lower, upper: in expectation at most, and at least, the true distance; equal for ``mmd``
            and ``energy``, where they are unbiased.
        ci_lower, ci_upper: ends of the confidence interval.
        noise: what was subtracted from the plug-in; NaN where bounds aren't unbiased.
        of_people, of_draws: what leaving out each answer does to both bounds, (n, 2) and (k, 2).

    Examples:
        >>> from fidelity.vectors import Samples, sample_distances
        >>> samples = Samples([[0.0], [1.0], [2.0]], [[1.0], [3.0], [5.0]])
        >>> [round(end, 2) for end in sample_distances(samples)["sliced_w1"][:2]]
        [0.56, 2.0]
    """

    lower: float
    upper: float
    ci_lower: float
    ci_upper: float
    noise: float
    of_people: FloatArray
    of_draws: FloatArray


@dataclass(frozen=True)
class Samples:
    """Both sides' answers to one question.

    Attributes:
        people: answers, (n, D), each of another person.
        simulator: answers, (k, D), drawn independently.
        bandwidth: of the kernel of ``mmd``, from :func:`fidelity.vectors.bandwidths`.
        radius: of a ball around 0 that holds all possible answers, which limits of ``energy`` and
            ``sliced_w1`` need. It must be known, not measured: 1 where answers have length 1.

    Raises:
        ValueError: on malformed arguments, or if an answer lies outside the ball.

    Examples:
        >>> from fidelity.vectors import Samples
        >>> Samples([[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0]]).squares[1]
        array([[0.],
               [2.]])
    """

    people: FloatArray
    simulator: FloatArray
    bandwidth: float | None = None
    radius: float | None = None

    def __post_init__(self) -> None:
        """Check them."""
        sides = both_sides(self.people, self.simulator)
        for name, side in zip(("people", "simulator"), sides, strict=True):
            object.__setattr__(self, name, side)
        for name in ("bandwidth", "radius"):
            value = getattr(self, name)
            if value is not None:
                checked = inputs.number(name, value, inputs.FINITE_POSITIVE)
                object.__setattr__(self, name, checked)
        longest = max(float((side**2).sum(1).max()) for side in sides) ** 0.5
        if self.radius is not None and longest > self.radius * (1.0 + SINGLE_PRECISION):
            raise ValueError(f"radius must be at least {longest:.9g}, the longest answer's length")

    @cached_property
    def squares(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Squared distances of people, (n, n), of people and draws, (n, k), of draws, (k, k)."""
        x, y = self.people, self.simulator
        return squared_distances(x, x), squared_distances(x, y), squared_distances(y, y)

    def kernels(self, measure: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the kernel of ``mmd``, or less the distance for ``energy``, of the same pairs."""
        if measure == ENERGY:
            xx, xy, yy = (-np.sqrt(squares) for squares in self.squares)
            return xx, xy, yy
        if self.bandwidth is None:
            raise ValueError("bandwidth must be given for mmd; bandwidths() returns it")
        xx, xy, yy = (np.exp(squares / (-2.0 * self.bandwidth**2)) for squares in self.squares)
        return xx, xy, yy


def sample_distances(
    samples: Samples,
    *,
    measures: Sequence[str] | None = None,
    estimand: str = MODEL,
    level: float = 0.95,
) -> dict[str, SampleDistance]:
    """Return how far the simulator's answers are from people's, by name of the distance.

    Args:
        samples: both sides' answers, with a bandwidth for ``mmd``.
        measures: ``mmd``, ``energy``, ``sliced_w1``; None for all that the samples allow, so
            without ``mmd`` where there is no bandwidth.
        estimand: ``model`` or ``answers``.
        level: of the intervals.

    Raises:
        ValueError: on malformed arguments, with fewer than 3 answers of people (or of the
            simulator, for ``model``), or if ``mmd`` has no bandwidth.

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import Samples, sample_distances
        >>> rng = np.random.default_rng(0)
        >>> people, model = rng.normal(size=(300, 4)), rng.normal(size=(200, 4)) + [1, 0, 0, 0]
        >>> far = sample_distances(Samples(people, model, bandwidth=2.7))
        >>> [[round(end, 2) for end in one[:4]] for one in far.values()]
        [[0.07, 0.07, 0.05, 0.11], [0.38, 0.38, 0.24, 0.53], [0.43, 0.46, 0.34, 0.53]]
    """
    inputs.instance("samples", samples, Samples, "Samples()")
    level = float(inputs.number("level", level, inputs.INSIDE))
    of_model = inputs.one_of("estimand", estimand, ESTIMANDS) == MODEL
    sides = ("people", samples.people), ("simulator", samples.simulator)
    for name, side in sides[: 1 + of_model]:
        if len(side) < FEWEST:
            raise ValueError(f"{name} must have at least {FEWEST} answers, not {len(side)}")
    distances = dict[str, SampleDistance]()
    allowed = [name for name in SAMPLE_DISTANCES if name != MMD or samples.bandwidth is not None]
    for measure in allowed if measures is None else measures:
        if inputs.one_of("measures", measure, SAMPLE_DISTANCES) == SLICED_W1:
            parts = _sliced(samples.people, samples.simulator, of_model)
        else:
            parts = _of_kernel(*samples.kernels(measure), of_model)
        distances[measure] = _distance(*parts, level)
    return distances


def mean_distance(
    distances: Sequence[SampleDistance],
    *,
    respondents: Sequence[ArrayLike] | None = None,
    runs: Sequence[ArrayLike] | None = None,
    level: float = 0.95,
) -> SampleDistance:
    """Return the mean over questions, with errors of the persons (and draws) at hand.

    Args:
        distances: of each question, of one measure.
        respondents: labels of those who answered each question, (n_j,); None if nobody answered
            two questions. Who answered several is left out of all at once.
        runs: the same for draws: labels of runs, personas or conversations, (k_j,).
        level: of the interval.

    Returns:
        With effects of each person and each run.

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import Samples, mean_distance, sample_distances
        >>> sides = np.random.default_rng(0).normal(size=(10, 2, 100, 3))
        >>> by_question = [sample_distances(Samples(*side))["energy"] for side in sides]
        >>> [round(end, 2) for end in mean_distance(by_question)[:4]]
        [-0.01, -0.01, -0.02, 0.01]
    """
    if not len(distances):
        raise ValueError("distances must have at least one; there is none")
    many = len(distances)
    bounds = np.array([one[:2] for one in distances]).mean(0)
    of_people = (
        summed_by_unit("respondents", [one.of_people for one in distances], respondents) / many
    )
    of_draws = summed_by_unit("runs", [one.of_draws for one in distances], runs) / many
    noise = float(np.mean([one.noise for one in distances]))
    return _distance(bounds, noise, of_people, of_draws, level)


def summed_by_unit(
    name: str, effects: list[FloatArray], labels: Sequence[ArrayLike] | None
) -> FloatArray:
    """Return effects, (n_j, ...) by question, summed over the answers of each labelled unit."""
    together = np.concatenate(effects)
    if labels is None:
        return together
    lengths = [len(inputs.labels(name, part)) for part in labels]
    if lengths != [len(part) for part in effects]:
        raise ValueError(f"{name} must have one label per answer of each question")
    unit = np.unique(np.concatenate([np.asarray(part) for part in labels]), return_inverse=True)[1]
    total = np.zeros((unit.max() + 1, *together.shape[1:]))
    np.add.at(total, unit, together)
    return total


def _distance(
    bounds: FloatArray, noise: float, of_people: FloatArray, of_draws: FloatArray, level: float
) -> SampleDistance:
    """Return the distance with its interval; effects, (n, 2) and (k, 2)."""
    effects = np.concatenate([of_people, of_draws])
    lower, upper = bounds.tolist()
    below, above = (Spread.of(column, level).reach for column in effects.T)
    ci_lower, ci_upper = lower - below, upper + above
    if np.isfinite(noise):
        ci_upper = mean_square(upper, effects[:, 1], noise, level).upper
    return SampleDistance(lower, upper, ci_lower, ci_upper, noise, of_people, of_draws)


def _jackknife(without: FloatArray) -> FloatArray:
    """Return effects whose squares sum to the jackknife's variance; ``without`` each, (n, ...)."""
    n = len(without)
    return np.sqrt((n - 1.0) / n) * (without - without.mean(0))


def _of_kernel(
    xx: FloatArray, xy: FloatArray, yy: FloatArray, of_model: bool
) -> tuple[FloatArray, float, FloatArray, FloatArray]:
    """Return the unbiased estimate twice, its noise, and effects of persons and draws.

    Args:
        xx, xy, yy: the kernel of every two answers, (n, n), (n, k), (k, k).
        of_model: whether draws are random.
    """
    within, own_without = _of_pairs(xx)
    other, other_without = _of_pairs(yy) if of_model else (yy.mean(), np.zeros(len(yy)))
    cross = xy.mean()
    n, k = xy.shape
    of_people = _jackknife(own_without - 2.0 * (cross * n - xy.mean(1)) / (n - 1.0))
    of_draws = np.zeros(k)
    if of_model:
        of_draws = _jackknife(other_without - 2.0 * (cross * k - xy.mean(0)) / (k - 1.0))
    bounds = np.full(2, within - 2.0 * cross + other)
    noise = float(xx.mean() - within + yy.mean() - other)
    return bounds, noise, np.stack([of_people] * 2, 1), np.stack([of_draws] * 2, 1)


def _of_pairs(kernel: FloatArray) -> tuple[float, FloatArray]:
    """Return the mean over pairs of different answers, and that without each answer, (n,)."""
    n = len(kernel)
    rows = kernel.sum(1) - np.diag(kernel)
    total = rows.sum()
    return float(total / (n * (n - 1.0))), (total - 2.0 * rows) / ((n - 1.0) * (n - 2.0))


Integrand = Callable[[IntArray, int, IntArray, int], FloatArray]


def _plug_in(c: IntArray, n: int, g: IntArray, k: int) -> FloatArray:
    """Return |F - G| where c of n people's and g of k draws' values lie below."""
    return np.abs(c / n - g / k)


def _below_answers(c: IntArray, n: int, g: IntArray, k: int) -> FloatArray:
    """Return s·(1{x_i ≤ t} - G), mean over persons i, with the sign s that the others have."""
    inside = c * (k - g) * np.sign((c - 1) * k - g * (n - 1))
    outside = (n - c) * g * np.sign(c * k - g * (n - 1))
    return (inside - outside) / (n * k)


def _below_model(c: IntArray, n: int, g: IntArray, k: int) -> FloatArray:
    """Return s·(1{x_i ≤ t} - 1{y_l ≤ t}), mean over i and l, with the others' sign s."""
    inside = c * (k - g) * np.sign((c - 1) * (k - 1) - g * (n - 1))
    outside = (n - c) * g * np.sign(c * (k - 1) - (g - 1) * (n - 1))
    return (inside - outside) / (n * k)


def _sliced(
    x: FloatArray, y: FloatArray, of_model: bool
) -> tuple[FloatArray, float, FloatArray, FloatArray]:
    """Return both bounds of the sliced distance, no noise, and effects on them."""
    line = directions(x.shape[1])
    n, k = len(x), len(y)
    values = np.concatenate([x @ line.T, y @ line.T])
    order = np.argsort(values, axis=0, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(n + k)[:, None], 0)
    width = np.diff(np.take_along_axis(values, order, 0), axis=0) / len(line)
    c = np.cumsum((order < n).astype(int), axis=0)[:-1]
    g = np.cumsum((order >= n).astype(int), axis=0)[:-1]

    def without(places: IntArray, kept: FloatArray, lost: FloatArray) -> FloatArray:
        """Return sums over gaps: ``kept`` before each answer's place, ``lost`` from it on."""
        change = np.zeros_like(values)
        np.cumsum(width * (kept - lost), axis=0, out=change[1:])
        return np.take_along_axis(change, places, 0).sum(1) + (width * lost).sum()

    bounds, of_people, of_draws = np.zeros(2), np.zeros((n, 2)), np.zeros((k, 2))
    integrands: tuple[Integrand, Integrand] = (
        _below_model if of_model else _below_answers,
        _plug_in,
    )
    for at, f in enumerate(integrands):
        bounds[at] = (width * f(c, n, g, k)).sum()
        kept, lost = f(c, n - 1, g, k), f(c - 1, n - 1, g, k)
        of_people[:, at] = _jackknife(without(rank[:n], kept, lost))
        if of_model:
            kept, lost = f(c, n, g, k - 1), f(c, n, g - 1, k - 1)
            of_draws[:, at] = _jackknife(without(rank[n:], kept, lost))
    return bounds, np.nan, of_people, of_draws
