"""Twins: the same persons on both sides, each with a simulated answer of their own.

What a twin knows *of the person* is how much better it does than the twins of others in the same
study and condition (the same stratum). For questions j and strata s,

    excess = Σ N_js (own_js - others_js) / Σ N_js,

own_js the mean of persons with their own twins, others_js that of all persons with all other twins.
Both follow from counts. The measure is ``hits``, whether answers are the same, or ``absolute``, how
far apart their scores are; of probabilities, the expectation.

- Interval: person i enters own pairs, and others_js twice, as a person and as a twin. To first
  order the effect is own_i - own - (mean of i with others' twins - others) - (mean of others with
  i's twin less others).
- Test: twins of a stratum are permuted. If they know nothing of the person, all permutations are
  equally likely. Permuted over all persons, a twin that knows only the condition would seem to know
  the person. All permutations are enumerated where there are few; else random ones count, and the
  identity (Phipson & Smyth 2010). Both are exact.

Persons who answered twice give a reference, the ``retest``. It is no ceiling: a twin that knows a
person's usual answer can pass it.
"""

from itertools import permutations, product
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

from fidelity import inputs
from fidelity.arrays import AnyArray, BoolArray, FloatArray, IntArray
from fidelity.structure.correlations import ANSWERS, AnswerTable, associations, mean_correlation
from fidelity.structure.estimates import Interval, around, ratio

HITS, ABSOLUTE = MEASURES = ("hits", "absolute")
PERSONS, NEW = TARGETS = ("asked", "new")
PERMUTATIONS, LARGEST_BLOCK, FEW_HITS = 9_999, 2_000, 5.0
ROUNDING = 1e-9


class TwinAgreement(NamedTuple):
    """How much twins know of their persons.

    Attributes:
        own: the mean over persons and questions, of hits or of distances.
        others: the same with the twins of others.
        excess: own less others; of distances, negative is better.
        p_value: of "twins know nothing of the person", one-sided.
        most_frequent: own less what the most frequent answer of the others in the stratum attains
            (ties are shared), a baseline that knows nothing of the person.
        correlation: of persons' and twins' scores within strata, mean over questions; NaN where
            none is known.
        by_question: excess of each question, (Q,).
        by_person: what each person's pairs are better than those with others, (n,).
        few_hits: whether fewer than five own hits are expected by chance; then trust the p-value
            more than the interval.
        effects: of persons on the excess, (n,).
    """

    own: float
    others: float
    excess: Interval
    p_value: float
    most_frequent: Interval
    correlation: Interval
    by_question: FloatArray
    by_person: FloatArray
    few_hits: bool
    effects: FloatArray


def twin_agreement(
    people: ArrayLike,
    twins: ArrayLike,
    *,
    generator: np.random.Generator,
    strata: ArrayLike | None = None,
    options: ArrayLike | None = None,
    measure: str = HITS,
    target: str = PERSONS,
    clusters: ArrayLike | None = None,
    permuted: int = PERMUTATIONS,
    level: float = 0.95,
) -> TwinAgreement:
    """Return how much better twins do than the twins of others in the same stratum.

    Args:
        people: scores of the answers of n persons to Q questions, (n, Q), NaN where missing.
        twins: those of their twins, in the same order, (n, Q); or probabilities, (n, Q, d).
        generator: of random permutations.
        strata: one label per person, of study and condition; None for one stratum.
        options: scores of the options, (d,), if twins state probabilities.
        measure: ``hits`` or ``absolute``.
        target: ``asked``, these questions, with persons random; or ``new``, a population of
            questions (or of their ``clusters``, such as studies), too: two-way errors, and
            Student's t with one less than the smaller number of both.
        clusters: one label per question.
        permuted: random permutations, where there are more.
        level: of the intervals.

    Raises:
        ValueError: on malformed arguments, or if no stratum has two persons with answers.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import twin_agreement
        >>> rng = np.random.default_rng(0)
        >>> people, guesses = rng.integers(1, 6, size=(2, 100, 8))
        >>> twins = np.where(rng.random(people.shape) < 0.2, people, guesses)
        >>> found = twin_agreement(people, twins, generator=rng)
        >>> [round(end, 2) for end in found.excess], found.p_value
        ([0.19, 0.15, 0.22], 0.0001)
    """
    inputs.generator("generator", generator)
    level = float(inputs.number("level", level, inputs.INSIDE))
    inputs.one_of("target", target, TARGETS)
    sides = _Sides.of(people, twins, strata, options, inputs.one_of("measure", measure, MEASURES))
    parts = _Parts.of(sides)
    many, total = parts.own.shape[1], parts.weight.sum()
    by_question = _quotient((parts.weight * parts.gain).sum(0), parts.weight.sum(0))
    excess = float((parts.weight * parts.gain).sum() / total)
    effects = parts.effects.sum(1)
    interval = around(excess, effects, level)
    if target == NEW:
        labels: AnyArray = (
            np.arange(many) if clusters is None else inputs.labels("clusters", clusters, many)
        )
        apart = np.nan_to_num(by_question - excess) * parts.weight.sum(0) / total
        interval = _two_way(excess, parts.effects, apart, labels, level)
    sign = 1.0 if measure == HITS else -1.0
    chance = float((parts.weight * parts.others).sum())
    gains = parts.both * (parts.own - parts.row)
    return TwinAgreement(
        float((parts.both * parts.own).sum() / total),
        chance / total,
        interval,
        _p_value(sides, sign, generator, inputs.whole("permuted", permuted, 1)),
        _over_most_frequent(sides, parts, level),
        _correlation(sides, level),
        by_question,
        _quotient(gains.sum(1), parts.both.sum(1)),
        bool(measure == HITS and chance < FEW_HITS),
        effects,
    )


def share_of_retest(twins: TwinAgreement, retest: TwinAgreement, level: float = 0.95) -> Interval:
    """Return the twins' excess over that of the same persons' second answers.

    Args:
        twins, retest: of :func:`twin_agreement` with the same persons, questions and strata, the
            second with persons' second answers for twins.
        level: of Fieller's set.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import share_of_retest, twin_agreement
        >>> rng = np.random.default_rng(0)
        >>> first, guesses = rng.integers(1, 6, size=(2, 200, 8))
        >>> know = [np.where(rng.random(first.shape) < p, first, guesses) for p in (0.3, 0.6)]
        >>> twins, retest = (twin_agreement(first, each, generator=rng) for each in know)
        >>> [round(end, 1) for end in share_of_retest(twins, retest)]
        [0.5, 0.5, 0.6]
    """
    values = np.array([twins.excess.estimate, retest.excess.estimate])
    effects = np.stack([twins.effects, retest.effects], 1)
    sign = np.sign(values[1]) or 1.0
    return ratio(sign * values, sign * effects, level)


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    quotient: FloatArray = np.divide(
        above, below, out=np.full(below.shape, np.nan), where=below > 0.0
    )
    return quotient


class _Sides(NamedTuple):
    """Both sides' answers as probabilities, 0 where missing.

    Attributes:
        x, y: (n, Q, d).
        kernel: the measure of two options, (d, d).
        scores: of the options, (d,).
        stratum: of each person by number, (n,).
    """

    x: FloatArray
    y: FloatArray
    kernel: FloatArray
    scores: FloatArray
    stratum: IntArray

    @classmethod
    def of(
        cls,
        people: ArrayLike,
        twins: ArrayLike,
        strata: ArrayLike | None,
        options: ArrayLike | None,
        measure: str,
    ) -> "_Sides":
        """Check the arguments."""
        x = inputs.table("people", people, ANSWERS, ("persons", "questions"))
        y, stated = inputs.array("twins", twins), inputs.axes("twins", twins) == 3
        if stated:
            if options is None:
                raise ValueError("options must be given where twins state probabilities")
            scores = inputs.vector("options", options, inputs.FINITE)
            if y.shape != (*x.shape, len(scores)):
                shape = (*x.shape, len(scores))
                raise ValueError(f"twins must have the shape {shape}, not {y.shape}")
            inputs.sums_to_one("twins", y[~np.isnan(y).any(2)])
        else:
            y = inputs.table("twins", twins, ANSWERS, x.shape)
            scores = np.unique(np.concatenate([x.ravel(), y.ravel()]))
            scores = scores[~np.isnan(scores)]
        if not np.isin(x[~np.isnan(x)], scores).all():
            raise ValueError("answers of people must be among the options")
        kernel = np.abs(scores[:, None] - scores)
        kernel = (kernel == 0.0).astype(float) if measure == HITS else kernel
        labels = np.zeros(len(x)) if strata is None else inputs.labels("strata", strata, len(x))
        stratum = np.unique(labels, return_inverse=True)[1]
        coded = np.nan_to_num(y) if stated else (y[:, :, None] == scores).astype(float)
        return cls((x[:, :, None] == scores).astype(float), coded, kernel, scores, stratum)

    @property
    def answered(self) -> tuple[BoolArray, BoolArray]:
        """Whether persons, and twins, answered, (n, Q) each."""
        return self.x.sum(2) > 0.0, self.y.sum(2) > 0.0


class _Parts(NamedTuple):
    """Own pairs and pairs with others; (n, Q), each stratum's numbers at all of its persons.

    Attributes:
        both: 1 where person and twin answered and others are there, else 0.
        own: the measure of own pairs.
        row: of persons with others' twins.
        others: the mean of all pairs with others.
        gain: the mean of own pairs less that.
        weight: N_js over the persons of s, so that sums over persons are those over strata.
        effects: of each person and question on the excess.
    """

    both: FloatArray
    own: FloatArray
    row: FloatArray
    others: FloatArray
    gain: FloatArray
    weight: FloatArray
    effects: FloatArray

    @classmethod
    def of(cls, sides: _Sides) -> "_Parts":
        """Compute them from counts."""
        inside = (sides.stratum == np.arange(sides.stratum.max() + 1)[:, None]).astype(float)

        def summed(values: FloatArray) -> FloatArray:
            return np.tensordot(inside, values, 1)[sides.stratum]

        here, there = (answered.astype(float) for answered in sides.answered)
        both = here * there
        towards, back = sides.x @ sides.kernel, sides.y @ sides.kernel.T
        with_twin = (towards * sides.y).sum(2)
        n_x, n_y, n_both = summed(here), summed(there), summed(both)
        every_y, every_x = summed(sides.y), summed(sides.x)
        others = _quotient(
            summed((towards * every_y).sum(2)) - summed(with_twin), n_x * n_y - n_both
        )
        row = _quotient((towards * every_y).sum(2) - with_twin, n_y - both)
        column = _quotient((back * every_x).sum(2) - with_twin, n_x - both)
        known = (n_x * n_y > n_both) & (n_both > 0.0)
        if not known.any():
            raise ValueError("no stratum has two persons with answers on both sides")
        both = both * known
        mean = _quotient(summed(with_twin), n_both)
        weight = np.where(known, _quotient(n_both, summed(np.ones_like(here))), 0.0)
        here, there = _quotient(here, n_x) * n_both, _quotient(there, n_y) * n_both
        of_others = here * (row - others) + there * (column - others)
        effects = (both * (with_twin - mean) - np.where(known, of_others, 0.0)) / weight.sum()
        with_twin, row, others, gain = (
            np.nan_to_num(part) for part in (with_twin, row, others, mean - others)
        )
        return cls(both, with_twin, row, others, gain, weight, np.nan_to_num(effects))


def _two_way(
    excess: float, effects: FloatArray, apart: FloatArray, labels: AnyArray, level: float
) -> Interval:
    """Return the interval for new persons and new questions, or clusters of questions.

    Args:
        excess: the estimate.
        effects: of persons and questions, (n, Q).
        apart: each question's weight times its deviation, (Q,).
        labels: of clusters, (Q,).
        level: of the interval.
    """
    member = np.unique(labels, return_inverse=True)[1]
    many = int(member.max()) + 1
    if many < 2:
        return Interval(excess, -np.inf, np.inf)
    of_persons = float((effects.sum(1) ** 2).sum())
    of_questions = float((np.bincount(member, apart) ** 2).sum() * many / (many - 1.0))
    cells = np.stack([np.bincount(member, row, many) for row in effects])
    variance = of_persons + of_questions - float((cells**2).sum())
    variance = max(variance, of_persons, of_questions)
    reach = student.isf((1.0 - level) / 2.0, min(many, len(effects)) - 1) * np.sqrt(variance)
    return Interval(excess, float(excess - reach), float(excess + reach))


def _p_value(sides: _Sides, sign: float, generator: np.random.Generator, permuted: int) -> float:
    """Return the share of permutations within strata with which twins do as well as with none."""
    blocks = []
    for number in range(sides.stratum.max() + 1):
        rows = generator.permutation(np.flatnonzero(sides.stratum == number))
        blocks += np.array_split(rows, -(-len(rows) // LARGEST_BLOCK))
    tables = [sign * _all_pairs_of(sides, rows) for rows in blocks]
    observed = sum(float(np.trace(table)) for table in tables)
    bound = observed - ROUNDING * (1.0 + abs(observed))
    ways = prod(factorial(len(rows)) for rows in blocks) if max(map(len, blocks)) < 10 else np.inf
    if ways <= permuted + 1:
        sums = [
            [table[range(len(table)), order].sum() for order in permutations(range(len(table)))]
            for table in tables
        ]
        return float(np.mean([sum(combination) >= bound for combination in product(*sums)]))
    totals = np.zeros(permuted)
    for table in tables:
        size = len(table)
        for start in range(0, permuted, 100):
            some = len(totals[start : start + 100])
            orders = generator.permuted(np.tile(np.arange(size), (some, 1)), axis=1)
            totals[start : start + 100] += table[np.arange(size), orders].sum(1)
    return float((1 + (totals >= bound).sum()) / (permuted + 1))


def _all_pairs_of(sides: _Sides, rows: IntArray) -> FloatArray:
    """Return how much better each person does with each twin than the mean of all, (b, b)."""
    x, y = sides.x[rows], sides.y[rows]
    here, there = (answered[rows].astype(float) for answered in sides.answered)
    every = ((x.sum(0) @ sides.kernel) * y.sum(0)).sum(1)
    mean = np.nan_to_num(_quotient(every, here.sum(0) * there.sum(0)))
    size = len(rows)
    scored: FloatArray = (x @ sides.kernel).reshape(size, -1) @ y.reshape(size, -1).T
    scored -= (here * mean) @ there.T
    return scored


def _over_most_frequent(sides: _Sides, parts: _Parts, level: float) -> Interval:
    """Return own pairs less those with the most frequent answer of others, with an interval."""
    inside = (sides.stratum == np.arange(sides.stratum.max() + 1)[:, None]).astype(float)
    left = np.tensordot(inside, sides.x, 1)[sides.stratum] - sides.x
    modal = (left == left.max(2, keepdims=True)).astype(float)
    modal /= modal.sum(2, keepdims=True)
    better = parts.both * (parts.own - ((sides.x @ sides.kernel) * modal).sum(2))
    total = parts.both.sum()
    mean = better.sum() / total
    return around(mean, (better - parts.both * mean).sum(1) / total, level)


def _correlation(sides: _Sides, level: float) -> Interval:
    """Return the mean over questions of correlations within strata."""
    columns = []
    for side, answered in zip((sides.x, sides.y), sides.answered, strict=True):
        values = np.where(answered, side @ sides.scores, np.nan)
        for number in range(sides.stratum.max() + 1):
            rows = sides.stratum == number
            many = answered[rows].sum(0)
            values[rows] -= _quotient(np.nansum(values[rows], axis=0), many.astype(float))
        columns.append(values)
    many = columns[0].shape[1]
    pairs = np.stack([np.arange(many), np.arange(many) + many], 1)
    return mean_correlation(associations(AnswerTable(np.hstack(columns)), pairs=pairs), level=level)
