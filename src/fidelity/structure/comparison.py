"""Whether a simulator keeps how people's answers go together: slope, congruence, distance, signs.

r are people's correlations, s the simulator's, over the same pairs of questions. Estimates r̂ and ŝ
have noise, so that Σr̂² and Σŝ² are too large by Σ Var r̂ and Σ Var ŝ, and a plain regression of ŝ
on r̂ has too small a slope. With the noise subtracted,

    N = Σ r̂ŝ,   A = Σ r̂² - noise_r,   B = Σ ŝ² - noise_s.

- The *slope through the origin*, N/A, of s on r: below 1 the simulator's associations are weaker
  than people's. It does not depend on how questions are keyed, which one with an intercept does.
- The *congruence*, N/√(AB) (Tucker 1951): below 1 the simulator has another structure. Near 1 with
  a slope below 1 it has people's structure, but flattened. Slope 1 alone is not enough: s = r +
  anything unrelated has it.
- The *mean squared difference*, (A + B - 2N)/P, may be negative by chance and is never clipped.
- *Sign agreement*, on pairs whose r is surely not 0.

If the same persons are on both sides, Σ Cov(r̂, ŝ) is subtracted from N. All of it is about these
questions; persons, and the simulator's runs, are random. The persons' effects on N, A and B give
their errors. The interval of the slope is Fieller's set, others are of the delta method; that of
the congruence of at most 30 pairs is :func:`fidelity.cosines.cosine`, since it is skew there. Where
all r and s are 0, or r = s, the first-order terms vanish, and what is left of them overstates the
variance up to twofold: intervals are then too long, not too short.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from fidelity import cosines, inputs
from fidelity.arrays import AnyArray, ArrayLike, BoolArray, FloatArray
from fidelity.comparison.pairwise import holm
from fidelity.comparison.selection import certified_scenarios
from fidelity.structure.correlations import Associations
from fidelity.structure.estimates import (
    ALIKE,
    NOTHING,
    Interval,
    TooFewError,
    cosine,
    mean_square,
    ratio,
)

BETWEEN, FEW_PAIRS = "between topics", 30


class SignAgreement(NamedTuple):
    """On how many pairs a simulator's correlation has the sign of people's.

    Attributes:
        clear: pairs whose r is surely not 0 (Benjamini and Yekutieli at 1 - level).
        share: of these, on which ŝ has the sign of r̂; NaN if there are none.
        lower, upper: interval: the share on which both signs are beyond doubt and the same, and 1
            less that on which they are opposite (Holm's method at half of 1 - level on each side).
    """

    clear: int
    share: float
    lower: float
    upper: float


class AssociationComparison(NamedTuple):
    """How a simulator's correlations compare with people's, over some pairs.

    Attributes:
        topic: whose pairs; None for all.
        pairs: that have a correlation on both sides.
        unknown: that don't.
        slope: through the origin.
        congruence: within [-1, 1]; NaN and [-1, 1] where A or B is not clear of 0.
        mean_squared: the mean squared difference.
        people, simulator: the mean square of r and that of s.
        signs: their agreement.
        same_answers: whether both sides have the same rows of answers, so that nothing was
            compared: slope and congruence are 1, and the difference is 0, without an interval.
    """

    topic: object
    pairs: int
    unknown: int
    slope: Interval
    congruence: Interval
    mean_squared: Interval
    people: Interval
    simulator: Interval
    signs: SignAgreement
    same_answers: bool


def compare_associations(
    people: Associations,
    simulator: Associations,
    *,
    topics: ArrayLike | None = None,
    same_persons: bool = False,
    level: float = 0.95,
) -> list[AssociationComparison]:
    """Return how a simulator's correlations compare with people's, over all pairs and by topic.

    Args:
        people, simulator: of :func:`associations`, of the same questions.
        topics: one label per question, (Q,). Then pairs within each topic, and pairs between
            topics, are compared by themselves, too.
        same_persons: whether row i is the same person in both tables (twins).
        level: of the intervals.

    Returns:
        The comparison over all pairs, those within each topic, and that between topics.

    Raises:
        ValueError: if both are of other questions or pairs.
        TooFewError: if no pair has a correlation on both sides.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import associations, compare_associations
        >>> rng = np.random.default_rng(0)
        >>> mood = rng.normal(size=(500, 1))
        >>> people = associations(mood + rng.normal(size=(500, 8)))
        >>> flat = associations(0.5 * mood[:300] + rng.normal(size=(300, 8)))
        >>> (found,) = compare_associations(people, flat)
        >>> [round(end, 2) for end in found.slope]  # .2 for .5
        [0.4, 0.31, 0.5]
        >>> round(found.congruence.estimate, 2)
        1.0
    """
    people.table.check_same_questions(simulator.table)
    if not np.array_equal(people.pairs, simulator.pairs):
        raise ValueError("people and simulator must have the same pairs of questions")
    level = float(inputs.number("level", level, inputs.INSIDE))
    known = ~np.isnan(people.r + simulator.r)
    if not known.any():
        raise TooFewError("no pair of questions has a correlation on both sides")
    groups = list(_groups(people, topics))
    members = np.stack([member & known for _, member in groups], 1)
    moments = _Moments.of(people, simulator, members.astype(float), same_persons)
    signs = _Signs.of(people, simulator, known, 1.0 - level)
    same = people.table.has_rows_of(simulator.table)

    def of_few(inside: BoolArray, noise: FloatArray) -> Interval:
        """Return the congruence over few pairs, those ``inside``."""
        turned = np.where(people.r < 0.0, -1.0, 1.0)  # keys of questions don't matter
        pairs = np.diag(turned)[:, inside]
        one, two = people.person_effects(pairs), simulator.person_effects(pairs)
        common = one.T @ two if same_persons else np.zeros((len(pairs.T),) * 2)
        covariance = np.block([[one.T @ one, common], [common.T, two.T @ two]])
        if not covariance.any():
            return Interval(np.nan, -1.0, 1.0)
        df = max(min(len(one), len(two)) - 1, 1)
        r, s = ((side.r * turned)[inside] for side in (people, simulator))
        return cosines.cosine(r, s, covariance, level, df=df, noise=noise)

    comparisons = []
    for k, ((topic, member), inside) in enumerate(zip(groups, members.T, strict=True)):
        pairs = int(inside.sum())
        values, noise, effects = moments.values[k], moments.noise[k], moments.effects[k]
        summaries = _summaries(values, noise, effects, pairs, level)
        if same and pairs:
            summaries = (ALIKE, ALIKE, NOTHING, *summaries[3:])
        elif 0 < pairs <= FEW_PAIRS:
            congruence = of_few(inside, noise)
            summaries = (summaries[0], congruence, *summaries[2:])
        unknown = int(member.sum()) - pairs
        comparisons.append(
            AssociationComparison(topic, pairs, unknown, *summaries, signs.of_pairs(inside), same)
        )
    return comparisons


def slope_moments(
    people: Associations, simulator: Associations, *, same_persons: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return N and A of all pairs, (2,), and persons' effects on both, (U, 2).

    :func:`fidelity.structure.estimates.ratio` of them is the slope.

    Args:
        people, simulator, same_persons: as :func:`compare_associations`.
    """
    known = (~np.isnan(people.r + simulator.r)).astype(float)
    moments = _Moments.of(people, simulator, known[:, None], same_persons)
    return moments.values[0, :2], moments.effects[0, :, :2]


def _groups(people: Associations, topics: ArrayLike | None) -> Iterator[tuple[object, BoolArray]]:
    """Yield names of groups of pairs, and which pairs belong to each, (P,)."""
    yield None, np.ones(len(people.pairs), bool)
    if topics is not None:
        labels: AnyArray = inputs.labels("topics", topics, people.table.values.shape[1])
        one, two = labels[people.pairs].T
        for topic in dict.fromkeys(labels.tolist()):
            if ((one == two) & (one == topic)).any():
                yield topic, (one == two) & (one == topic)
        if (one != two).any():
            yield BETWEEN, one != two


class _Moments(NamedTuple):
    """N, A and B of groups of pairs and their noise, (K, 3) each, and persons' effects, (K, U,
    3)."""

    values: FloatArray
    noise: FloatArray
    effects: FloatArray

    @classmethod
    def of(
        cls, people: Associations, simulator: Associations, members: FloatArray, same_persons: bool
    ) -> "_Moments":
        """Compute them for groups of pairs, members (P, K) of 0 and 1."""
        r, s, noise_r, noise_s = np.nan_to_num(
            [people.r, simulator.r, people.noise, simulator.noise]
        )
        common = people.common_noise(simulator) if same_persons else np.zeros(len(r))
        noise = np.stack([np.nan_to_num(common), noise_r, noise_s]) @ members
        values = np.stack([r * s, r**2, s**2]) @ members - noise
        with_r, with_s = r[:, None] * members, s[:, None] * members
        none = np.zeros_like(with_r)
        of_people = _effects(people, [with_s, 2.0 * with_r, none])
        of_runs = _effects(simulator, [with_r, none, 2.0 * with_s])
        effects = of_people + of_runs if same_persons else np.concatenate([of_people, of_runs])
        return cls(values.T, noise.T, effects.swapaxes(0, 1))


def _effects(side: Associations, coefficients: list[FloatArray]) -> FloatArray:
    """Return what each respondent does to sums with three times (P, K) coefficients: (n, K, 3)."""
    effects = side.person_effects(np.concatenate(coefficients, 1))
    return effects.reshape(len(effects), 3, -1).swapaxes(1, 2)


def _summaries(
    values: FloatArray, noise: FloatArray, effects: FloatArray, pairs: int, level: float
) -> tuple[Interval, Interval, Interval, Interval, Interval]:
    """Return slope, congruence, mean squared difference and both mean squares."""
    if not pairs:
        nothing = Interval(np.nan, -np.inf, np.inf)
        return nothing, Interval(np.nan, -1.0, 1.0), nothing, nothing, nothing

    def square(*contrast: float) -> Interval:
        weights = np.array(contrast) / pairs
        return mean_square(
            float(weights @ values), effects @ weights, float(weights @ noise), level
        )

    return (
        ratio(values[:2], effects[:, :2], level),
        cosine(values, effects, level),
        square(-2.0, 1.0, 1.0),
        square(0.0, 1.0, 0.0),
        square(0.0, 0.0, 1.0),
    )


class _Signs(NamedTuple):
    """Signs of the correlations of each pair, 0 where they are not beyond doubt, (P,) each.

    Attributes:
        clear: of people's, by Benjamini and Yekutieli.
        agree: whether both estimates have the same sign.
        sure: whether both are beyond doubt, by Holm: 1 the same, -1 opposite, 0 not.
    """

    clear: BoolArray
    agree: BoolArray
    sure: FloatArray

    @classmethod
    def of(
        cls, people: Associations, simulator: Associations, known: BoolArray, alpha: float
    ) -> "_Signs":
        """Test all known pairs at level ``alpha``."""
        p, q = (_p_values(side)[known] for side in (people, simulator))
        sign = np.sign(people.r * simulator.r)[known]
        both = np.maximum(holm(p), holm(q)) <= alpha / 2.0
        outcomes = np.zeros((3, len(known)))
        outcomes[:, known] = certified_scenarios(p, alpha, dependent=True), sign > 0.0, sign * both
        return cls(outcomes[0] > 0.0, outcomes[1] > 0.0, outcomes[2])

    def of_pairs(self, inside: BoolArray) -> SignAgreement:
        """Return the agreement of some pairs."""
        chosen = self.clear & inside
        if not chosen.any():
            return SignAgreement(0, np.nan, 0.0, 1.0)
        lower = float((self.sure[chosen] > 0.0).mean())
        upper = 1.0 - float((self.sure[chosen] < 0.0).mean())
        return SignAgreement(int(chosen.sum()), float(self.agree[chosen].mean()), lower, upper)


def _p_values(side: Associations) -> FloatArray:
    """Return two-sided p-values of r = 0, (P,)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = np.abs(side.r) / np.sqrt(side.noise)
    return 2.0 * stdtr(side.effective - 1.0, -statistic)
