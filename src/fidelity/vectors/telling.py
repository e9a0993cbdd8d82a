"""Can a reader tell people's answers from a simulator's? The share that a classifier tells right.

The classifier is a logistic regression of both sides' answers. The *balanced* share told is the
mean of the share of people's answers and the share of draws that are taken for what they are: ½ if
the classifier can't tell, 1 if it always can. ½ says that *this* classifier, with so many answers
to learn from, can't tell. It doesn't say that nobody can.

- One split (:func:`split_test`): the classifier learns from one part of the persons and draws, and
  is judged by N persons and N draws of the other part. Given what it learned, the N answers of each
  side are independent trials. The number told of all 2N has Clopper and Pearson's interval, which
  holds for trials of unequal probabilities, too, if its ends lie at least one trial beyond the
  observed number (Hoeffding 1956, Theorem 4). If both sides are alike, the labels of the 2N answers
  are exchangeable: Fisher's exact test. No classifier tells more than (1 + TV)/2, so the lower end
  bounds the total variation of both sides from below by 2·(lower end) - 1.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import scipy as sp
from scipy.optimize import minimize
from scipy.special import expit, ndtri

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from fidelity.binomial import proportion_interval
from fidelity.structure.estimates import Interval, around
from fidelity.vectors.distances import summed_by_unit
from fidelity.vectors.points import both_sides

STEPS, CLOSE, NO_OPINION, ROUNDING = 100, 1e-3, 1e-9, 1e-9
FEWEST = 2


class TellingTest(NamedTuple):
    """What a classifier tells of answers that it hasn't learned from.

    Attributes:
        share: told right, balanced.
        lower, upper: of the classifier's true share; NaN without a split.
        p_value: of "both sides are alike", one-sided.
        right_people, right_draws: how right each judged answer is: 1, 0, or ½ where the classifier
            has no opinion; in the order of ``judged_people`` and ``judged_draws``.
        judged_people, judged_draws: places of the judged answers.

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import split_test
        >>> same = np.random.default_rng(0).normal(size=(2, 60, 3))
        >>> test = split_test(*same, generator=np.random.default_rng(1))
        >>> round(test.share, 2), test.total_variation
        (0.58, 0.0)
    """

    share: float
    lower: float
    upper: float
    p_value: float
    right_people: FloatArray
    right_draws: FloatArray
    judged_people: IntArray
    judged_draws: IntArray

    @property
    def total_variation(self) -> float:
        """A lower bound on the total variation of both sides, 0 at least; NaN without a split."""
        return 2.0 * max(self.lower, 0.5) - 1.0


def split_test(
    people: ArrayLike,
    simulator: ArrayLike,
    *,
    generator: np.random.Generator | None = None,
    tested: tuple[ArrayLike, ArrayLike] | None = None,
    squares: bool = False,
    level: float = 0.95,
) -> TellingTest:
    """Return the share that a classifier tells, which learns from one half and judges the other.

    Args:
        people: answers, (n, D), each of another person.
        simulator: answers, (k, D), drawn independently.
        generator: of the split, where ``tested`` isn't given.
        tested: which answers of people, (n,), and of the simulator, (k,), are judged; the others
            are learned from. Where one side has more of them, its last ones are left out.
        squares: whether the classifier sees the squares of standardised features, too, and so tells
            answers that spread more from others with the same mean.
        level: of the interval.

    Raises:
        ValueError: on malformed arguments, or if a side has fewer than 2 answers in a part.

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import split_test
        >>> rng = np.random.default_rng(0)
        >>> people, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4)) + [1, 0, 0, 0]
        >>> test = split_test(people, model, generator=rng)
        >>> [round(number, 3) for number in (*test[:4], test.total_variation)]
        [0.7, 0.631, 0.763, 0.0, 0.263]
        >>> wide = 3.0 * rng.normal(size=(200, 4))
        >>> round(split_test(people, wide, generator=rng, squares=True).share, 2)
        0.86
    """
    x, y = both_sides(people, simulator)
    level = float(inputs.number("level", level, inputs.INSIDE))
    if tested is None:
        generator = inputs.generator("generator", generator)
        half = min(len(x), len(y)) // 2
        masks = [generator.permutation(len(side)) < half for side in (x, y)]
    else:
        masks = [
            inputs.vector("tested", mask, inputs.TRUE_OR_FALSE, len(side)) == 1.0
            for mask, side in zip(tested, (x, y), strict=True)
        ]
    many = min(int(mask.sum()) for mask in masks)
    if min(many, *(int((~mask).sum()) for mask in masks)) < FEWEST:
        raise ValueError(
            f"people and simulator must have at least {FEWEST} answers to learn from, and "
            f"{FEWEST} to judge"
        )
    learned = [side[~mask] for mask, side in zip(masks, (x, y), strict=True)]
    judged = [np.flatnonzero(mask)[:many] for mask in masks]
    features = [*learned, np.concatenate([x[judged[0]], y[judged[1]]])]
    if squares:
        features = _with_squares(*features)
    score = _scores(*features)
    right = _right(score, np.arange(2 * many) < many)
    one = 1.0 / (2 * many)
    least, most = (right == 1.0).mean(keepdims=True), (right > 0.0).mean(keepdims=True)
    lower = min(proportion_interval(least, 2 * many, level)[0][0], least[0] - one)
    upper = max(proportion_interval(most, 2 * many, level)[1][0], most[0] + one)
    return TellingTest(
        float(right.mean()),
        float(max(lower, 0.0)),
        float(min(upper, 1.0)),
        _fisher(score > 0.0, many),
        right[:many],
        right[many:],
        judged[0],
        judged[1],
    )


def split_tests(
    sides: Iterable[tuple[ArrayLike, ArrayLike]],
    *,
    respondents: Sequence[ArrayLike],
    runs: Sequence[ArrayLike],
    generators: tuple[np.random.Generator, np.random.Generator],
    squares: Sequence[bool],
    level: float = 0.95,
) -> list[TellingTest]:
    """Return :func:`split_test` of each question; the same persons and runs are judged in all.

    Args:
        sides: people's answers and the simulator's to each question.
        respondents, runs: the label of who gave each answer, (n,) and (k,) of each question.
        generators: of the halves of persons, and of runs.
        squares: whether the classifier sees squares, of each question.
        level: of the intervals.

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import split_tests
        >>> rng = np.random.default_rng(0)
        >>> sides = rng.normal(size=(2, 2, 60, 3))  # of two questions
        >>> who = [np.arange(60)] * 2
        >>> tests = split_tests(
        ...     sides, respondents=who, runs=who, generators=(rng, rng), squares=[False] * 2
        ... )
        >>> bool((tests[0].judged_people == tests[1].judged_people).all())
        True
    """
    judged = []
    for units, generator in zip((respondents, runs), generators, strict=True):
        everybody = np.unique(np.concatenate([np.asarray(labels) for labels in units]))
        half = generator.permutation(everybody)[: len(everybody) // 2]
        judged.append([np.isin(labels, half) for labels in units])
    return [
        split_test(*pair, tested=tested, squares=is_squared, level=level)
        for pair, is_squared, tested in zip(sides, squares, zip(*judged, strict=True), strict=True)
    ]


def mean_share(
    tests: Sequence[TellingTest],
    *,
    respondents: Sequence[ArrayLike] | None = None,
    runs: Sequence[ArrayLike] | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the mean share told over questions, with an interval by persons and runs.

    Args:
        tests: of each question, of :func:`split_test`. No person (or run) may be judged in one
            question and learned from in another.
        respondents: labels of all who answered each question, (n_j,); None if nobody answered
            two questions.
        runs: the same for draws, (k_j,).
        level: of the interval.

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import mean_share, split_test
        >>> rng = np.random.default_rng(0)
        >>> sides = rng.normal(size=(6, 2, 100, 4)) + np.array([0.0, 0.4])[:, None, None]
        >>> tests = [split_test(*side, generator=rng) for side in sides]
        >>> [round(end, 2) for end in mean_share(tests)]
        [0.65, 0.61, 0.69]
    """
    if not len(tests):
        raise ValueError("tests must have at least one; there is none")
    if len(tests) == 1:
        return Interval(*tests[0][:3])
    effects = list[FloatArray]()
    for right, judged, labels, name in (
        ("right_people", "judged_people", respondents, "respondents"),
        ("right_draws", "judged_draws", runs, "runs"),
    ):
        parts = [_effects(getattr(test, right)) for test in tests]
        if labels is not None:
            places = [getattr(test, judged) for test in tests]
            labels = [
                inputs.labels(name, every)[place]
                for every, place in zip(labels, places, strict=True)
            ]
        effects.append(summed_by_unit(name, parts, labels) / (2.0 * len(tests)))
    share = float(np.mean([test.share for test in tests]))
    together = np.concatenate(effects)
    if not together.any():
        lower, upper = proportion_interval(np.array([share]), len(together), level)
        return Interval(share, float(lower[0]), float(upper[0]))
    lower, upper = np.clip(around(share, together, level)[1:], 0.0, 1.0).tolist()
    return Interval(share, lower, upper)


def _effects(right: FloatArray) -> FloatArray:
    """Return effects of answers on their mean, whose squares sum to its variance."""
    return (right - right.mean()) / np.sqrt(len(right) * (len(right) - 1.0))


def telling_features(people: ArrayLike, simulator: ArrayLike) -> FloatArray:
    """Return how much more of each feature people's answers have, in standard errors, (D,).

    Welch's statistic of each column: words that answers have or lack (1 or 0), or dimensions. NaN
    where both sides have one and the same value.

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import telling_features
        >>> people, model = [[1, 0], [1, 0], [0, 1]], [[0, 0], [0, 0], [1, 0]]
        >>> telling_features(people, model).round(2)
        array([0.71, 1.  ])
    """
    x, y = both_sides(people, simulator, FEWEST)
    error = np.sqrt(x.var(0, ddof=1) / len(x) + y.var(0, ddof=1) / len(y))
    apart = x.mean(0) - y.mean(0)
    surely = np.where(np.abs(apart) > NO_OPINION, np.copysign(np.inf, apart), np.nan)
    return np.divide(apart, error, out=surely, where=error > 0.0)


def sure_features(
    statistic: ArrayLike, *, alpha: float = 0.05, most: int | None = None
) -> IntArray:
    """Return the features by which both sides surely differ (Bonferroni), the clearest first.

    Those that people have more of, then those that they have less of.

    Args:
        statistic: of :func:`telling_features`, (D,).
        alpha: how often any may be named where both sides are alike.
        most: how many of each at most; all if None.

    Examples:
        >>> from fidelity.vectors import sure_features
        >>> sure_features([0.3, -4.0, 3.0, 9.0]).tolist()
        [3, 2, 1]
    """
    values = inputs.array("statistic", statistic)
    size = np.nan_to_num(np.abs(values))
    clearest = np.argsort(-size, kind="stable")
    sure = clearest[size[clearest] > -ndtri(alpha / 2.0 / len(values))]
    return np.concatenate([sure[values[sure] > 0.0][:most], sure[values[sure] < 0.0][:most]])


def _scores(people: FloatArray, simulator: FloatArray, judged: FloatArray) -> FloatArray:
    """Return the log odds of people that a logistic regression gives judged answers, (N,).

    Features are divided by their standard deviation; those that vary by rounding only, beside the
    others, count for nothing. The penalty is D/2 times the square of the
    coefficients: so in expectation scores are as large for any number of features. Both sides
    weigh the same.
    """
    learned = np.concatenate([people, simulator])
    centre, scale = _centre_and_scale(learned)
    n, k = len(people), len(simulator)
    sign = np.repeat([1.0, -1.0], [n, k])
    weight = np.repeat([0.5 / n, 0.5 / k], [n, k]) * (n + k)
    features = np.column_stack([(learned - centre) / scale, np.ones(n + k)])
    penalty = np.full(features.shape[1], float(learned.shape[1]))
    penalty[-1] = 0.0

    def loss(slopes: FloatArray) -> tuple[float, FloatArray]:
        odds = sign * (features @ slopes)
        shrunk = penalty * slopes
        slope = features.T @ (weight * sign * expit(-odds))
        return float(weight @ np.logaddexp(0.0, -odds) + shrunk @ slopes / 2.0), shrunk - slope

    start = np.zeros(features.shape[1])
    limits = {"maxiter": STEPS, "gtol": CLOSE}
    slopes = minimize(loss, start, jac=True, method="L-BFGS-B", options=limits).x
    scores: FloatArray = (judged - centre) / scale @ slopes[:-1] + slopes[-1]
    return np.where(np.abs(scores) > NO_OPINION, scores, 0.0)


def _centre_and_scale(learned: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return means and standard deviations, infinite where features vary by rounding only."""
    scale = learned.std(0)
    return learned.mean(0), np.where(scale > ROUNDING * scale.max(), scale, np.inf)


def _with_squares(
    people: FloatArray, simulator: FloatArray, judged: FloatArray
) -> list[FloatArray]:
    """Return standardised features, and their squares, (n, 2D), (k, 2D), (N, 2D)."""
    centre, scale = _centre_and_scale(np.concatenate([people, simulator]))
    scaled = [(part - centre) / scale for part in (people, simulator, judged)]
    return [np.concatenate([part, part**2], axis=1) for part in scaled]


def _right(scores: FloatArray, is_person: BoolArray) -> FloatArray:
    """Return 1 where the sign tells the side, ½ where it is 0, else 0."""
    return (np.sign(scores) * np.where(is_person, 1.0, -1.0) + 1.0) / 2.0


def _fisher(taken_for_person: BoolArray, many: int) -> float:
    """Return the p-value of Fisher's test; the first ``many`` answers are people's."""
    right, total = int(taken_for_person[:many].sum()), int(taken_for_person.sum())
    return float(sp.stats.hypergeom.sf(right - 1, 2 * many, many, total))
