"""Whether a simulator's answers vary enough, and whether it exaggerates differences of groups.

Dispersion is the ratio of variances, the simulator's over people's. Below 1 its answers are too
alike.

The variance between groups g with shares w_g of people, means ȳ_g and ȳ_w = Σ w_g ȳ_g is

    B = Σ w_g (ȳ_g - ȳ_w)² - Σ w_g (1 - w_g) v_g,

v_g the variance of ȳ_g from chance, s_g²/n_g. The second sum is the expectation of what chance adds
to the first, so B has no bias. Both sides have the same shares, those of people, and each group's
own variance; with the sides' own group sizes a perfect simulator's ratio would not be 1. The ratio
of both B is above 1 if the simulator exaggerates what sets groups apart (stereotyping). It does not
know a direction: turned round, differences are as large. So the *slope* of the simulator's
differences on people's stands before it,

    Σ w_g (ȳ_g - ȳ_w)(ŷ_g - ŷ_w) / B,

1 if they are kept, below 1 if they are smaller or others, below 0 if they are turned round. If the
same persons are on both sides, the covariances of their means are subtracted from the numerator. Of
two groups it is the ratio of two differences. Where people's B is not clear of 0 there is neither
(Fieller's sets, Fieller 1954). Beside them stands B/(B + Σ w_g s_g²), which answers that are too
alike raise, without larger differences.

Where few of a group's answers differ from the rest, they do not tell how much its mean varies; they
tell nothing where all are alike. So errors take for granted one answer more at each end of what
either side answered (as Agresti & Caffo 2000 for shares): fully where at most ten answers of a
group differ from its most frequent one, less and less up to twenty. What is subtracted for chance
does not, so that B keeps no bias; its interval is that of a squared length
(:mod:`fidelity.squared_lengths`), from 0 on where the estimate is below.
"""

from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray
from fidelity.squared_lengths import Length, squared_length
from fidelity.structure.correlations import AnswerTable, PairMoments
from fidelity.structure.estimates import Interval, TooFewError, exponential, mean_square, ratio

FEW, RARE, COMMON = 5.0, 10.0, 20.0
UNKNOWN = Interval(np.nan, -np.inf, np.inf)


class QuestionDifferences(NamedTuple):
    """The variance between groups in one question; as :class:`GroupDifferences` of all."""

    people: Interval
    simulator: Interval
    slope: Interval
    ratio: Interval
    people_share: float
    simulator_share: float
    few_answers: bool


class GroupDifferences(NamedTuple):
    """The variance between groups, of people and of a simulator, per question and in all.

    Attributes:
        people, simulator: B of each question, m intervals, in squares of the question's unit.
        slopes: of the simulator's differences on people's.
        ratios: the simulator's B over people's.
        people_shares, simulator_shares: B/(B + within), (m,).
        slope: in all, over questions in units of people's standard deviation.
        ratio: in all, of the means over questions of B in units of people's variance.
        few_answers: whether fewer than five answers of a group, on either side, differ from its
            most frequent one, (m,); intervals then are rough.
    """

    people: list[Interval]
    simulator: list[Interval]
    slopes: list[Interval]
    ratios: list[Interval]
    people_shares: FloatArray
    simulator_shares: FloatArray
    slope: Interval
    ratio: Interval
    few_answers: BoolArray

    def by_question(self) -> list[QuestionDifferences]:
        """Return what there is of each question, m."""
        rows = zip(*self[:6], self.few_answers.tolist(), strict=True)
        return [QuestionDifferences(*row) for row in rows]


def variance_ratios(
    people: AnswerTable | ArrayLike,
    simulator: AnswerTable | ArrayLike,
    *,
    same_persons: bool = False,
    level: float = 0.95,
) -> tuple[list[Interval], Interval]:
    """Return the variance of a simulator's answers over that of people's.

    Args:
        people, simulator: answers to the same questions, as :func:`associations`.
        same_persons: whether row i is the same person in both tables.
        level: of the intervals.

    Returns:
        One interval per question, on the scale of logarithms, NaN where people all answer alike;
        and that of the geometric mean over the questions where both sides vary.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import variance_ratios
        >>> rng = np.random.default_rng(0)
        >>> people, model = rng.normal(size=(400, 3)), 0.7 * rng.normal(size=(300, 3))
        >>> ratios, mean = variance_ratios(people, model)
        >>> [round(end, 2) for end in mean]
        [0.54, 0.48, 0.61]
    """
    level = float(inputs.number("level", level, inputs.INSIDE))
    tables = AnswerTable.of(people, "people"), AnswerTable.of(simulator, "simulator")
    tables[0].check_same_questions(tables[1])
    one, two = (_log_variances(table) for table in tables)
    with np.errstate(invalid="ignore"):
        values = two[0] - one[0]
        effects = two[2] - one[2] if same_persons else np.concatenate([-one[2], two[2]])
        centre = values + two[1] - one[1]
    known = np.isfinite(values) & np.isfinite(effects).all(0)
    ratios = [
        exponential(*of_question, level)
        for of_question in zip(values, centre, effects.T, strict=True)
    ]
    if not known.any():
        return ratios, Interval(np.nan, 0.0, np.inf)
    value, middle = values[known].mean(), centre[known].mean()
    return ratios, exponential(value, middle, effects[:, known].mean(1), level)


def _log_variances(table: AnswerTable) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the logarithm of each variance, less its bias, (Q,) each, and effects, (U, Q)."""
    itself = np.repeat(np.arange(table.values.shape[1])[:, None], 2, 1)
    moments = PairMoments(table, itself)
    effects = np.empty(table.values.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for rows, (g, a, b) in moments.by_person():
            effects[rows] = -np.log((1.0 + g) * (1.0 - g * a * b / moments.covariance))
        return np.log(moments.covariance), effects.sum(0), table.of_units(effects)


class _Gaps(NamedTuple):
    """How far one side's means of groups lie from the mean of all, in one question.

    Attributes:
        gaps: times the roots of the groups' shares, (G,); NaN where a group has fewer than two
            answers.
        effects: of persons on them, (U, G).
        unseen: of an answer more at each end, (G, G); a row as if it were a person.
        within: the variance within groups.
        rarer: how many answers of a group differ from its most frequent one, at least.
    """

    gaps: FloatArray
    effects: FloatArray
    unseen: FloatArray
    within: float
    rarer: float

    @classmethod
    def of(
        cls,
        table: AnswerTable,
        column: int,
        inside: FloatArray,
        share: FloatArray,
        ends: FloatArray,
    ) -> "_Gaps":
        """Compute them; inside (n, G), shares of groups (G,), ends of what either side answered."""
        x = table.values[:, column]
        mass = np.where(np.isnan(x), 0.0, table.weights)[:, None] * inside
        with np.errstate(divide="ignore", invalid="ignore"):
            weight = mass / mass.sum(0)
            kish = 1.0 / (weight**2).sum(0)
            mean = np.where(kish > 1.5, np.nan_to_num(x) @ weight, np.nan)
            apart = np.where(weight > 0.0, np.nan_to_num(x)[:, None] - mean, 0.0)
            variance = (weight * apart**2).sum(0)
            rarer = kish * (1.0 - _largest(x, weight))
            beyond = ends[:, None] - mean
            more = kish * variance + (beyond**2).sum(0) - beyond.sum(0) ** 2 / (kish + 2.0)
            unseen = np.maximum(more / (kish + 2.0) ** 2 - variance / (kish - 1.0), 0.0)
            unseen *= np.clip((COMMON - rarer) / (COMMON - RARE), 0.0, 1.0)
            change = weight * apart * np.sqrt(kish / (kish - 1.0))
            within = float(share @ (variance * kish / (kish - 1.0)))
        towards = np.sqrt(share) * (np.eye(len(share)) - share[:, None])
        return cls(
            np.sqrt(share) * (mean - share @ mean),
            table.of_units(change @ towards),
            np.sqrt(unseen)[:, None] * towards,
            within,
            float(rarer.min()),
        )

    @property
    def noise(self) -> float:
        """What chance adds to the sum of squares."""
        return float((self.effects**2).sum())

    @property
    def between(self) -> float:
        """B."""
        return float(self.gaps @ self.gaps) - self.noise

    @property
    def share(self) -> float:
        """B/(B + within); NaN where nobody differs."""
        total = self.between + self.within
        return self.between / total if total else np.nan

    def interval(self, level: float) -> Interval:
        """Return that of B."""
        if np.isnan(self.gaps).any():
            return UNKNOWN
        covariance = self.effects.T @ self.effects + self.unseen.T @ self.unseen
        df = max(len(self.effects) - len(self.gaps), 1)
        return squared_length(self.gaps, covariance, level, df=df, noise=self.noise)


def _largest(x: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the share of each group's most frequent answer; answers (n,), weights (n, G)."""
    place = np.unique(x, return_inverse=True)[1]
    shares = np.zeros((int(place.max()) + 1, weight.shape[1]))
    np.add.at(shares, place, weight)
    return shares.max(0)


class _Moments(NamedTuple):
    """Of gaps: people's times the simulator's, people's squared, and the simulator's squared.

    Attributes:
        values: without noise, (3,).
        noise: that the last was freed of.
        effects: of persons, (U, 3).
        unseen: of an answer more at each end, (2G, 3).
    """

    values: FloatArray
    noise: float
    effects: FloatArray
    unseen: FloatArray

    @classmethod
    def of(cls, people: _Gaps, simulator: _Gaps, same_persons: bool) -> "_Moments":
        """Compute them for a question."""
        d, e = people.gaps, simulator.gaps
        common = float((people.effects * simulator.effects).sum()) if same_persons else 0.0
        values = np.array([d @ e - common, people.between, simulator.between])
        none = np.zeros_like(d)
        return cls(
            values,
            simulator.noise,
            *_rows(
                (people, np.stack([e, 2.0 * d, none], 1)),
                (simulator, np.stack([d, none, 2.0 * e], 1)),
                same_persons,
            ),
        )

    @classmethod
    def mean(cls, parts: list["_Moments"], units: FloatArray) -> "_Moments":
        """Return the mean over questions, each in units of its own, (m,)."""
        units = units / len(units)
        unseen = [part.unseen * unit for part, unit in zip(parts, units, strict=True)]
        values, noise, effects = (
            np.tensordot(units, np.stack(several), 1)
            for several in zip(*(part[:3] for part in parts), strict=True)
        )
        return cls(values, float(noise), effects, np.concatenate(unseen))

    @property
    def rows(self) -> FloatArray:
        """All effects."""
        return np.concatenate([self.effects, self.unseen])

    def slope(self, level: float) -> Interval:
        """Return that of the simulator's gaps on people's."""
        return ratio(self.values[:2], self.rows[:, :2], level)

    def ratio(self, level: float) -> Interval:
        """Return the simulator's square over people's.

        Where Fieller's set lies below 0, its upper end is that of the simulator's square alone.
        """
        fiellers = ratio(self.values[[2, 1]], self.rows[:, [2, 1]], level, noise=self.noise)
        if np.isnan(fiellers.estimate):
            return fiellers
        if fiellers.upper > 0.0:
            return fiellers._replace(lower=max(0.0, fiellers.lower))
        square = mean_square(float(self.values[2]), self.rows[:, 2], self.noise, level)
        return Interval(fiellers.estimate, 0.0, square.upper / float(self.values[1]))


def _rows(
    people: tuple[_Gaps, FloatArray], simulator: tuple[_Gaps, FloatArray], same_persons: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the effects of persons, and of answers more, on sums of both sides' gaps times
    slopes."""
    sides = [(side.effects @ slopes, side.unseen @ slopes) for side, slopes in (people, simulator)]
    of_persons, of_more = zip(*sides, strict=True)
    effects = sum(of_persons) if same_persons else np.concatenate(of_persons)
    return effects, np.concatenate(of_more)


def _slope_of_two(people: _Gaps, simulator: _Gaps, same_persons: bool, level: float) -> Interval:
    """Return the simulator's gap over people's, of two groups: Fieller's set as of two means."""
    size = float(np.linalg.norm(people.gaps))
    way = (people.gaps / (size or 1.0))[:, None]
    slopes = (people, way * [0.0, 1.0]), (simulator, way * [1.0, 0.0])
    values = np.array([float(simulator.gaps @ way[:, 0]), size])
    return ratio(values, np.concatenate(_rows(*slopes, same_persons)), level)


def group_differences(
    people: AnswerTable | ArrayLike,
    simulator: AnswerTable | ArrayLike,
    people_groups: ArrayLike,
    simulator_groups: ArrayLike,
    *,
    same_persons: bool = False,
    level: float = 0.95,
) -> GroupDifferences:
    """Return how far groups lie apart among people and in a simulator's answers.

    Groups are given, respondents in them random. Questions that a group has fewer than two answers
    to, on either side, have no result. Intervals of slopes and ratios are infinite where people's
    groups don't certainly differ.

    Args:
        people, simulator: answers to the same questions, as :func:`associations`.
        people_groups, simulator_groups: one label per respondent; the same labels on both sides.
        same_persons: whether row i is the same person in both tables.
        level: of the intervals.

    Raises:
        TooFewError: if a side lacks a group, or there is only one.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import group_differences
        >>> rng = np.random.default_rng(0)
        >>> group = np.arange(600) % 3
        >>> people = 0.5 * group[:, None] + rng.normal(size=(600, 4))
        >>> model = 1.0 * group[:, None] + rng.normal(size=(600, 4))  # differences are doubled
        >>> found = group_differences(people, model, group, group)
        >>> [round(end, 1) for end in found.slope], [round(end, 1) for end in found.ratio]
        ([2.1, 1.9, 2.4], [4.4, 3.6, 5.7])
    """
    level = float(inputs.number("level", level, inputs.INSIDE))
    both, _ = _gaps(people, simulator, people_groups, simulator_groups)
    people_gaps, simulator_gaps = zip(*both, strict=True)
    moments = [_Moments.of(one, two, same_persons) for one, two in both]
    totals = np.array([one.between + one.within for one in people_gaps])
    known = np.array([np.isfinite(part.values).all() for part in moments]) & (totals > 0.0)
    slopes, ratios = [UNKNOWN for _ in known], [UNKNOWN for _ in known]
    for column in np.flatnonzero(known):
        slopes[column], ratios[column] = moments[column].slope(level), moments[column].ratio(level)
        if len(both[column][0].gaps) == 2:
            slopes[column] = _slope_of_two(*both[column], same_persons, level)
    slope = in_all = UNKNOWN
    if known.any():
        columns = np.flatnonzero(known)
        mean = _Moments.mean([moments[column] for column in columns], 1.0 / totals[known])
        slope = mean.slope(level) if len(columns) > 1 else slopes[columns[0]]
        in_all = mean.ratio(level)
    return GroupDifferences(
        [side.interval(level) for side in people_gaps],
        [side.interval(level) for side in simulator_gaps],
        slopes,
        ratios,
        np.array([side.share for side in people_gaps]),
        np.array([side.share for side in simulator_gaps]),
        slope,
        in_all,
        np.array([min(one.rarer, two.rarer) < FEW for one, two in both]),
    )


def gap_errors(
    people: AnswerTable | ArrayLike,
    simulator: AnswerTable | ArrayLike,
    people_groups: ArrayLike,
    simulator_groups: ArrayLike,
    *,
    same_persons: bool = False,
) -> Length:
    """Return by how much a simulator misses people's differences between groups, as a length.

    The root mean square, over questions and over pairs of people of different groups, of the
    difference between their groups' means among people less that of the simulator, in the unit of
    the answers. For a question it is 2B/(1 - Σw_g²), B of the differences of both sides' means.
    Questions that a group has fewer than two answers to don't count.

    Args:
        people, simulator, people_groups, simulator_groups, same_persons: as
            :func:`group_differences`.

    Raises:
        TooFewError: as there, or if no question counts.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import gap_errors
        >>> rng = np.random.default_rng(0)
        >>> group = np.arange(600) % 2
        >>> people = 0.5 * group[:, None] + rng.normal(size=(600, 4))
        >>> model = 0.2 * group[:, None] + rng.normal(size=(600, 4))  # .3 too little
        >>> [round(end, 2) for end in gap_errors(people, model, group, group).root(0.95)]
        [0.24, 0.13, 0.37]
    """
    both, shares = _gaps(people, simulator, people_groups, simulator_groups)
    known = [j for j, sides in enumerate(both) if not np.isnan([s.gaps for s in sides]).any()]
    if not known:
        raise TooFewError("no question has two answers or more of each group on both sides")
    unit = np.sqrt(2.0 / (1.0 - (shares**2).sum(0)) / len(known))
    vector = np.concatenate([unit[j] * (both[j][1].gaps - both[j][0].gaps) for j in known])
    effects = [np.hstack([unit[j] * both[j][side].effects for j in known]) for side in (0, 1)]
    of_persons = effects[1] - effects[0] if same_persons else np.concatenate(effects)
    rare = np.zeros((len(vector), len(vector)))
    size = len(shares)
    for place, j in enumerate(known):
        block = slice(place * size, (place + 1) * size)
        of_question = np.concatenate([unit[j] * side.unseen for side in both[j]])
        rare[block, block] = of_question.T @ of_question
    df = max(min(len(side) for side in effects) - size, 1)
    noise = float((of_persons**2).sum())
    return Length(vector, of_persons.T @ of_persons + rare, float(df), noise)


def _gaps(
    people: AnswerTable | ArrayLike,
    simulator: AnswerTable | ArrayLike,
    people_groups: ArrayLike,
    simulator_groups: ArrayLike,
) -> tuple[list[tuple[_Gaps, _Gaps]], FloatArray]:
    """Return both sides' gaps of each question, and people's shares of groups, (G, Q)."""
    tables = AnswerTable.of(people, "people"), AnswerTable.of(simulator, "simulator")
    tables[0].check_same_questions(tables[1])
    labels = [
        inputs.labels("people_groups", people_groups, tables[0].size),
        inputs.labels("simulator_groups", simulator_groups, tables[1].size),
    ]
    names = [np.unique(label) for label in labels]
    if len(names[0]) < 2 or not np.array_equal(names[0], names[1]):
        raise TooFewError(
            "people_groups and simulator_groups must have the same two groups or more"
        )
    members = [np.searchsorted(names[0], label) for label in labels]
    mass = (members[0] == np.arange(len(names[0]))[:, None]) * tables[0].weights
    shares = mass @ (~np.isnan(tables[0].values)).astype(float)
    shares /= np.maximum(shares.sum(0), np.finfo(float).tiny)
    seen = np.concatenate([table.values for table in tables])
    ends = np.stack([np.nanmin(seen, 0, initial=np.inf), np.nanmax(seen, 0, initial=-np.inf)])
    insides = [(member[:, None] == np.arange(len(names[0]))).astype(float) for member in members]
    people_gaps, simulator_gaps = (
        [
            _Gaps.of(table, column, inside, shares[:, column], ends[:, column])
            for column in range(shares.shape[1])
        ]
        for table, inside in zip(tables, insides, strict=True)
    )
    return list(zip(people_gaps, simulator_gaps, strict=True)), shares
