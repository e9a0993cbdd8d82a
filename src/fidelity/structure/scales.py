"""Scales of several questions: Cronbach's alpha, the first eigenvalue, the distribution of the sum.

A scale's questions measure one thing, and its sum is used. Questions that are worded against it
must be reversed first (:func:`keyed`). Variances and covariances are those among the persons who
answered both questions of a pair, with denominator n - 1 (n the effective number), as in R's psych;
the distribution of the sum is that of persons who answered all.

What a person does to alpha and to the variance of the sum is the difference that leaving the person
out makes; leaving out i turns the covariance c of two questions into (W c - w'd d')/(W - w), with
w' = wW/(W - w) and d, d' the deviations of i's answers from the means. Intervals are on the scale
of the logarithm of 1 - alpha, of a variance, and of an eigenvalue; the first two around the
jackknife's estimate, which is less biased where sums are skew (Quenouille 1956).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.means.average import mean_discrepancy
from fidelity.responses import Responses, Simulator
from fidelity.structure.correlations import (
    AnswerTable,
    PairMoments,
    all_pairs,
    associations,
    rarer_shares,
)
from fidelity.structure.estimates import (
    ALIKE,
    NOTHING,
    Interval,
    TooFewError,
    around,
    exponential,
    if_enough,
)

GROUPS, PERMUTATIONS, TOGETHER = 40, 40, 5.0


class ScaleComparison(NamedTuple):
    """A scale's alpha and variance, of people and of a simulator.

    Attributes:
        people, simulator: Cronbach's alpha.
        difference: the simulator's less people's.
        people_variance, simulator_variance: of the sum.
        variance_ratio: the simulator's over people's.
    """

    people: Interval
    simulator: Interval
    difference: Interval
    people_variance: Interval
    simulator_variance: Interval
    variance_ratio: Interval


class FirstEigenvalue(NamedTuple):
    """The share of the first eigenvalue of the correlations in their sum, the number of questions.

    Attributes:
        share: less its bias, which is upward, with an interval; its ends are 1/Q and 1, without an
            estimate, where the raw share is not above ``independent_largest``.
        raw: as computed.
        independent: the mean of the same of columns that are permuted, each by itself.
        independent_largest: their 95 % point (parallel analysis, Horn 1965).
    """

    share: Interval
    raw: float
    independent: float
    independent_largest: float


class ScaleSummary(NamedTuple):
    """All that is compared of a scale; None where answers are too few for it.

    Attributes:
        comparison: of alpha and of the variance of the sum.
        people, simulator: the first eigenvalue's share, of equally many respondents.
        sum_distance: ends of the confidence interval of the 1-Wasserstein distance of the sums, as
            a share of the largest possible one.
    """

    comparison: ScaleComparison | None
    people: FirstEigenvalue | None
    simulator: FirstEigenvalue | None
    sum_distance: tuple[float, float] | None


class _Alpha(NamedTuple):
    """The logarithms of 1 - alpha and of the variance of the sum, and what persons do to them.

    Attributes:
        values: (2,).
        shift: less the bias, (2,).
        effects: (U, 2).
    """

    values: FloatArray
    shift: FloatArray
    effects: FloatArray

    @classmethod
    def of(cls, table: AnswerTable) -> "_Alpha":
        """Leave each person out of the covariances of all pairs."""
        questions = table.values.shape[1]
        if questions < 2:
            raise TooFewError("a scale must have at least two questions")
        pairs = np.concatenate(
            [np.repeat(np.arange(questions)[:, None], 2, 1), all_pairs(questions)]
        )
        moments = PairMoments(table, pairs)
        is_variance = np.arange(len(pairs)) < questions
        times = np.stack([is_variance, np.where(is_variance, 1.0, 2.0)], 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            sums = (moments.covariance / (1.0 - 1.0 / moments.effective)) @ times
        if not (np.isfinite(sums).all() and sums[1] > 0.0):
            raise TooFewError("a scale's questions must have variances, and common answers")
        without = np.empty((table.size, 2))
        for rows, (g, a, b) in moments.by_person():
            with np.errstate(divide="ignore", invalid="ignore"):  # pairs that one or two answered
                unbiased = 1.0 - (1.0 + g) ** 2 / moments.effective + g**2
                without[rows] = ((1.0 + g) * (moments.covariance - g * a * b) / unbiased) @ times
        factor = questions / (questions - 1.0)
        share, shares = sums[0] / sums[1], without[:, 0] / without[:, 1]
        left = np.stack([1.0 - factor * (1.0 - shares), without[:, 1]], 1)
        values = np.array([1.0 - factor * (1.0 - share), sums[1]])
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(values)
            effects = logs - np.log(left)
        rarer = rarer_shares(table)[pairs[~is_variance]].prod(1)
        if float(moments.effective[~is_variance] @ rarer) < TOGETHER:
            effects[:] = np.nan
        return cls(logs, effects.sum(0), table.of_units(effects))

    @property
    def centre(self) -> FloatArray:
        """Both logarithms less their bias, (2,)."""
        return self.values + self.shift

    def intervals(self, level: float) -> tuple[Interval, Interval]:
        """Return alpha and the variance of the sum, each with an interval."""
        rest, spread = (
            exponential(*of_one, level)
            for of_one in zip(self.values, self.centre, self.effects.T, strict=True)
        )
        return Interval(1.0 - rest.estimate, 1.0 - rest.upper, 1.0 - rest.lower), spread


def keyed(answers: AnswerTable | ArrayLike, against: ArrayLike, ends: ArrayLike) -> AnswerTable:
    """Return the answers with those to some questions reversed, x to least + largest - x.

    Args:
        answers: an :class:`AnswerTable`, or numbers, (n, Q).
        against: whether each question is worded against its scale, (Q,).
        ends: the least and the largest possible answer, (2,), or of each question, (Q, 2).

    Examples:
        >>> from fidelity.structure import keyed
        >>> keyed([[1, 2], [5, 4]], [False, True], [1, 5]).values
        array([[1., 4.],
               [5., 2.]])
    """
    table = AnswerTable.of(answers)
    turn = inputs.vector("against", against, inputs.TRUE_OR_FALSE, table.values.shape[1]) > 0.0
    bounds = inputs.numbers("ends", ends, inputs.FINITE)
    least, largest = np.broadcast_to(bounds, (len(turn), 2)).T
    return table.with_values(np.where(turn, least + largest - table.values, table.values))


def cronbach_alpha(answers: AnswerTable | ArrayLike, *, level: float = 0.95) -> Interval:
    """Return Cronbach's alpha, Q/(Q - 1)·(1 - Σ Var x_j / Var Σ x_j) (Cronbach 1951).

    Where nearly all give the most frequent answer to each question, the few who don't, and whether
    they are the same, decide. So there is no lower end, and the upper one is 1, where fewer than
    five persons are expected by chance to give rarer answers to both questions, over all pairs.

    Args:
        answers: to the scale's questions, an :class:`AnswerTable` or numbers, (n, Q), keyed.
        level: of the interval, by persons.

    Raises:
        ValueError: on malformed arguments.
        TooFewError: if there are fewer than two questions, or answers without variance.

    Examples:
        >>> from fidelity.structure import cronbach_alpha
        >>> answers = [[1, 2, 1], [2, 2, 3], [3, 4, 3], [5, 4, 4], [4, 5, 5], [2, 1, 2]]
        >>> found = cronbach_alpha(answers)
        >>> [round(end, 2) for end in found]
        [0.93, 0.81, 0.98]
    """
    level = inputs.number("level", level, inputs.INSIDE)
    return _Alpha.of(AnswerTable.of(answers)).intervals(level)[0]


def compare_scale(
    people: AnswerTable | ArrayLike,
    simulator: AnswerTable | ArrayLike,
    *,
    same_persons: bool = False,
    level: float = 0.95,
) -> ScaleComparison:
    """Return a scale's alpha and variance of people and of a simulator, and how they differ.

    The same rows of answers on both sides differ by nothing, without an interval.

    Args:
        people, simulator: answers to the scale's questions, as :func:`cronbach_alpha`.
        same_persons: whether row i is the same person in both tables.
        level: of the intervals.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import compare_scale
        >>> rng = np.random.default_rng(0)
        >>> mood = rng.normal(size=(400, 1))
        >>> people, model = mood + rng.normal(size=(400, 5)), rng.normal(size=(300, 5))
        >>> found = compare_scale(people, model)
        >>> [round(end, 2) for end in found.people], [round(end, 2) for end in found.difference]
        ([0.81, 0.78, 0.84], [-0.79, -0.98, -0.59])
    """
    level = inputs.number("level", level, inputs.INSIDE)
    tables = AnswerTable.of(people, "people"), AnswerTable.of(simulator, "simulator")
    tables[0].check_same_questions(tables[1])
    one, two = (_Alpha.of(table) for table in tables)
    alphas, sums = zip(one.intervals(level), two.intervals(level), strict=True)
    if tables[0].has_rows_of(tables[1]):
        return ScaleComparison(*alphas, NOTHING, *sums, ALIKE)
    rest = np.exp([one.values[0], two.values[0]])
    with np.errstate(invalid="ignore"):
        effects = _together(rest[0] * one.effects[:, 0], -rest[1] * two.effects[:, 0], same_persons)
        shift = rest[0] * one.shift[0] - rest[1] * two.shift[0]
        difference = around(float(rest[0] - rest[1] + shift), effects, level)
    if not all(np.isfinite(alpha.lower) for alpha in alphas):
        difference = Interval(difference.estimate, -np.inf, np.inf)
    effects = _together(-one.effects[:, 1], two.effects[:, 1], same_persons)
    logs = two.values[1] - one.values[1], two.centre[1] - one.centre[1]
    return ScaleComparison(
        *alphas,
        difference._replace(estimate=float(rest[0] - rest[1])),
        *sums,
        exponential(*logs, effects, level),
    )


def _together(one: FloatArray, two: FloatArray, same_persons: bool) -> FloatArray:
    """Return the effects of both sides' respondents on a sum."""
    return one + two if same_persons else np.concatenate([one, two])


def first_eigenvalue(
    answers: AnswerTable | ArrayLike,
    *,
    generator: np.random.Generator,
    size: int | None = None,
    level: float = 0.95,
) -> FirstEigenvalue:
    """Return how much of the answers one dimension explains: the first eigenvalue's share.

    It is biased upward, the more the fewer persons there are: 20 independent questions have .05,
    and .117 on average with 50 persons. So the bias is taken out by leaving out groups of persons
    (the jackknife), and columns permuted each by itself stand beside. To compare raw shares of two
    sides, give both the same ``size``.

    Args:
        answers: an :class:`AnswerTable` or numbers, (n, Q).
        generator: of the order of persons, the subsample and the permutations.
        size: so many respondents drawn without replacement; all if None.
        level: of the interval.

    Raises:
        TooFewError: if a pair of questions has no correlation.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import first_eigenvalue
        >>> rng = np.random.default_rng(0)
        >>> answers = rng.normal(size=(200, 1)) + rng.normal(size=(200, 6))
        >>> found = first_eigenvalue(answers, generator=rng)
        >>> print(f"{found.share.estimate:.2f}, {found.independent:.2f} if independent")
        0.58, 0.21 if independent
    """
    table = AnswerTable.of(answers)
    level = inputs.number("level", level, inputs.INSIDE)
    inputs.generator("generator", generator)
    most = table.size if size is None else inputs.whole("size", size, 1, table.size)
    rows = generator.permutation(table.size)[:most]
    x, w = table.values[rows], table.weights[rows]
    sample = associations(table.take(rows), fewest=2)
    if np.isnan(sample.r).any():
        raise TooFewError("all pairs of questions must have a correlation")
    raw, vector = _first(sample.r, sample.pairs)
    shuffled = [_share(generator.permuted(x, axis=0), w) for _ in range(PERMUTATIONS)]
    largest = float(np.nanquantile(shuffled, 0.95))
    share = Interval(np.nan, 1.0 / len(vector), 1.0)
    if raw > largest:
        group = np.arange(most) % min(GROUPS, most)
        left = [_share(x[group != fold], w[group != fold]) for fold in np.unique(group)]
        unbiased = raw - (len(left) - 1.0) * (np.nanmean(left) - raw)
        slopes = 2.0 * vector[sample.pairs].prod(1) / len(vector)
        effects = sample.person_effects(slopes[:, None])[:, 0] / unbiased
        times = np.array(exponential(0.0, 0.0, effects, level)[1:])
        ends = np.clip(unbiased * times, 1.0 / len(vector), 1.0).tolist()
        share = Interval(float(unbiased), *ends)
    return FirstEigenvalue(share, raw, float(np.nanmean(shuffled)), largest)


def scale_summary(
    people: AnswerTable | ArrayLike,
    simulator: AnswerTable | ArrayLike,
    against: ArrayLike,
    ends: ArrayLike,
    *,
    generators: Sequence[np.random.Generator],
    same_persons: bool = False,
    level: float = 0.95,
) -> ScaleSummary:
    """Return alpha, first eigenvalue and sum of a scale, of people beside a simulator.

    Args:
        people, simulator: answers to the scale's questions as they were given, (n, Q) and (k, Q).
        against, ends: as :func:`keyed` takes them.
        generators: of people's eigenvalue, and of the simulator's.
        same_persons: whether row i is the same person in both tables.
        level: of the intervals.

    Returns:
        The sum is left out where persons were drawn together, since its errors take them as
        independent.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import scale_summary
        >>> rng = np.random.default_rng(0)
        >>> mood = rng.normal(size=(400, 1))
        >>> people, model = mood + rng.normal(size=(400, 5)), rng.normal(size=(300, 5))
        >>> sides = people.clip(-3, 3), model.clip(-3, 3)
        >>> found = scale_summary(*sides, [False] * 5, (-3, 3), generators=[rng, rng])
        >>> round(found.people.share.estimate, 1), found.comparison.difference.upper < 0.0
        (0.6, True)
    """
    level = float(inputs.number("level", level, inputs.INSIDE))
    sides = keyed(people, against, ends), keyed(simulator, against, ends)
    span = np.ptp(np.broadcast_to(ends, (sides[0].values.shape[1], 2)), axis=1).sum()
    size = min(side.size for side in sides)
    first, second = (
        if_enough(first_eigenvalue, side, generator=generator, size=size, level=level)
        for side, generator in zip(sides, generators, strict=True)
    )
    sums = None if sides[0].in_psus else if_enough(scale_sums, *sides)
    distance = None
    if sums is not None and span > 0.0:
        apart = mean_discrepancy(*sums, discrepancy="w1", level=level)
        distance = float(apart.ci_lower / span), float(apart.ci_upper / span)
    compared = if_enough(compare_scale, *sides, same_persons=same_persons, level=level)
    return ScaleSummary(compared, first, second, distance)


def _share(x: FloatArray, w: FloatArray) -> float:
    """Return the share of the first eigenvalue of the correlations; NaN where one is missing."""
    moments = PairMoments(AnswerTable(x, w), all_pairs(x.shape[1]))
    with np.errstate(invalid="ignore", divide="ignore"):
        r = moments.covariance / np.sqrt(moments.variance.prod(0))
    return _first(r, moments.pairs)[0] if np.isfinite(r).all() else float("nan")


def _first(r: FloatArray, pairs: IntArray) -> tuple[float, FloatArray]:
    """Return the share of the first eigenvalue of correlations, (P,), and its vector, (Q,)."""
    table = np.eye(int(pairs.max()) + 1)
    table[tuple(pairs.T)] = table[tuple(pairs.T[::-1])] = r
    values, vectors = np.linalg.eigh(table)
    return float(values[-1] / len(table)), vectors[:, -1]


def scale_sums(
    people: AnswerTable | ArrayLike, simulator: AnswerTable | ArrayLike
) -> tuple[Responses, Simulator]:
    """Return the distributions of the sum as one scenario, whose options are all sums that occur.

    Only respondents who answered all questions count. Every discrepancy on scores applies, such as
    ``w1``.

    Examples:
        >>> from fidelity import mean_discrepancy
        >>> from fidelity.structure import scale_sums
        >>> people, model = [[1, 2], [2, 2], [3, 4], [5, 5]] * 25, [[3, 3], [3, 4], [2, 3]] * 20
        >>> found = mean_discrepancy(*scale_sums(people, model), discrepancy="w1")
        >>> print(round(found.upper, 2))
        1.83
    """
    tables = AnswerTable.of(people, "people"), AnswerTable.of(simulator, "simulator")
    tables[0].check_same_questions(tables[1])
    complete = [~np.isnan(table.values.sum(1)) for table in tables]
    for name, there in zip(("people", "simulator"), complete, strict=True):
        if not there.any():
            raise TooFewError(f"{name} must have somebody who answered all questions")
    sums = [table.values[there].sum(1) for table, there in zip(tables, complete, strict=True)]
    weights = [table.weights[there] for table, there in zip(tables, complete, strict=True)]
    scores, place = np.unique(np.round(np.concatenate(sums), 9), return_inverse=True)
    if len(scores) < 2:
        raise TooFewError("sums must not all be the same")
    places = place[: len(sums[0])], place[len(sums[0]) :]
    counts, shares, squares = (
        np.bincount(places[side], weights[side] ** power, len(scores))[None]
        for side, power in ((0, 1), (1, 1), (0, 2))
    )
    kish = [float(w.sum() ** 2 / (w**2).sum()) for w in weights]
    weighted: dict[str, Any] = {}
    if (weights[0] != weights[0][0]).any():
        weighted = {"sizes": kish[0], "squares": squares}
    responses = Responses(np.rint(counts) if not weighted else counts, scores=scores, **weighted)
    return responses, Simulator(shares / shares.sum(), draws=kish[1])
