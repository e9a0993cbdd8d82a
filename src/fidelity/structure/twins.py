"""Twins: the same persons on both sides, each with a simulated answer of their own.

What a twin knows *of the person* is how much better it does than the twins of others in the same
study and condition (the same stratum). For questions j and strata s,

    excess = Σ N_js (own_js - others_js) / Σ N_js,

own_js the mean of persons with their own twins, others_js that of all persons with all other twins.
Both follow from counts. A person's weight counts for person and twin, so N_js is a sum of weights,
and a pair with another's twin has the product of both. The measure is ``hits``, whether answers are
the same, or ``absolute``, how far apart their scores are; of probabilities, the expectation.

- Interval: person i enters own pairs, and others_js twice, as a person and as a twin. To first
  order the effect is own_i - own - (mean of i with others' twins - others) - (mean of others with
  i's twin less others).
- Where nearly all answer alike, the few who don't do not tell how much the excess varies. Answers
  are rarer or not, a person's and a twin's: a table of two by two, of all questions together. Where
  fewer than ten hits on rarer answers are expected by chance, or no person changes the estimate,
  the interval is around what the table gives with one answer more in each cell, and no shorter
  than that table's. (So Agresti and Min 2005 do for differences of paired shares.)
- Test: twins of a stratum are permuted. If they know nothing of the person, all permutations are
  equally likely. Permuted over all persons, a twin that knows only the condition would seem to know
  the person. All permutations are enumerated where there are few; else random ones count, and the
  identity (Phipson & Smyth 2010). Both are exact.

Persons who answered twice give a reference, the ``retest``. It is no ceiling: a twin that knows a
person's usual answer can pass it.
"""

from collections.abc import Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, BoolArray, FloatArray, IntArray
from fidelity.structure.correlations import ANSWERS, AnswerTable, Sampling, associations
from fidelity.structure.estimates import Interval, TooFewError, around, ratio
from fidelity.structure.estimates import correlation as of_correlation

HITS, ABSOLUTE = MEASURES = ("hits", "absolute")
PERSONS, NEW = TARGETS = ("asked", "new")
PERMUTATIONS, LARGEST_BLOCK, FEW_HITS, ENOUGH_HITS = 9_999, 2_000, 5.0, 10.0
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
        few_hits: whether fewer than five own hits on rarer answers are expected by chance, of hits
            and of distances; rarer are all but the most frequent of the stratum. Then trust the
            p-value more than the intervals, which are rough.
        answers: the sum of all N_js.
        correlated: how many questions have a correlation.
        pairs: questions that each person and the twin answered, (n,).
        effects: of persons on the excess, on that over the most frequent answer, and on the
            correlation, (n, 3); of the units that were drawn where ``sampling`` names these.
        rarer: the answers that are not the most frequent.
        own_effects: of persons, or units, on ``own``, (n,).
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
    answers: float
    correlated: int
    pairs: FloatArray
    effects: FloatArray
    rarer: "RarerAnswers"
    own_effects: FloatArray


def twin_agreement(
    people: ArrayLike,
    twins: ArrayLike,
    *,
    generator: np.random.Generator,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    sampling: Sampling | None = None,
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
        weights: of persons, (n,); None if all count alike.
        sampling: how persons were drawn; None if each by itself. Intervals allow for it. The test
            needs no such thing, since it takes persons as they are.
        options: scores of the options, (d,), if twins state probabilities.
        measure: ``hits`` or ``absolute``.
        target: ``asked``, these questions, with persons random; or ``new``, a population of
            questions (or of their ``clusters``, such as studies), too: two-way errors, and
            Student's t with one less than the smaller number of both.
        clusters: one label per question.
        permuted: random permutations, where there are more.
        level: of the intervals.

    Raises:
        ValueError: on malformed arguments.
        TooFewError: if no stratum has two persons with answers.

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
    measure = inputs.one_of("measure", measure, MEASURES)
    sides = _Sides.of(people, twins, strata, weights, options, measure)
    if sampling is not None and len(sampling.units[0]) != len(sides.weight):
        raise ValueError(f"sampling must be of {len(sides.weight)} persons")
    parts = _Parts.of(sides)
    many, total = parts.own.shape[1], parts.weight.sum()
    by_question = _quotient((parts.weight * parts.gain).sum(0), parts.weight.sum(0))
    excess = float((parts.weight * parts.gain).sum() / total)
    of_both = _of_units(parts.effects, sampling)
    effects = of_both.sum(1)
    interval = around(excess, effects, level)
    if target == NEW:
        labels: AnyArray = (
            np.arange(many) if clusters is None else inputs.labels("clusters", clusters, many)
        )
        apart = np.nan_to_num(by_question - excess) * parts.weight.sum(0) / total
        interval = _two_way(excess, of_both, apart, labels, level)
    sign = 1.0 if measure == HITS else -1.0
    rarer = RarerAnswers.of(sides, parts, sign)
    chance = float((parts.weight * parts.others).sum())
    apart = parts.both * (parts.own - parts.others - parts.gain)
    gains = parts.both * (parts.own - parts.row)
    over_usual, usual_effects = _over_most_frequent(sides, parts)
    correlation, correlated, correlation_effects = _correlation(sides)
    usual_effects, correlation_effects = (
        _of_units(one, sampling) for one in (usual_effects, correlation_effects)
    )
    return TwinAgreement(
        float((parts.both * parts.own).sum() / total),
        chance / total,
        rarer.widened(interval, level),
        _p_value(sides, sign, generator, inputs.whole("permuted", permuted, 1)),
        rarer.widened(around(over_usual, usual_effects, level), level, usual=True),
        of_correlation(correlation, correlation_effects, level),
        by_question,
        _quotient(gains.sum(1), parts.both.sum(1)),
        rarer.expected < FEW_HITS,
        float(total),
        correlated,
        (parts.both > 0.0).sum(1).astype(float),
        np.stack([effects, usual_effects, correlation_effects], 1),
        rarer,
        _of_units(apart.sum(1) / total, sampling),
    )


def _of_units(effects: FloatArray, sampling: Sampling | None) -> FloatArray:
    return effects if sampling is None else sampling.of_units(effects)


def pooled_agreement(parts: Sequence[TwinAgreement], *, level: float = 0.95) -> TwinAgreement:
    """Return the agreement over all questions from that of the questions of each study, or topic.

    So persons can be in another condition in each study. A study's p-value is of permutations
    within it, and persons' answers to several studies depend on each other. So the p-value of all
    is the smallest times the number of studies (Bonferroni).

    Args:
        parts: of :func:`twin_agreement`, with the same persons in the same order, NaN where they
            took no part, the same measure, and other questions.
        level: of the intervals, for these questions.

    Raises:
        ValueError: if there are no parts.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import pooled_agreement, twin_agreement
        >>> rng = np.random.default_rng(0)
        >>> people, guesses = rng.integers(1, 6, size=(2, 100, 8))
        >>> twins = np.where(rng.random(people.shape) < 0.2, people, guesses)
        >>> halves = [np.s_[:, :4], np.s_[:, 4:]]
        >>> parts = [twin_agreement(people[half], twins[half], generator=rng) for half in halves]
        >>> [round(end, 2) for end in pooled_agreement(parts).excess]  # as of all at once
        [0.19, 0.15, 0.22]
    """
    level = float(inputs.number("level", level, inputs.INSIDE))
    if not parts:
        raise ValueError("parts must have at least one agreement")
    answers = np.array([part.answers for part in parts])
    correlated = np.array([part.correlated for part in parts])
    by_pairs, by_questions = answers / answers.sum(), correlated / max(correlated.sum(), 1)
    share = np.stack([by_pairs, by_pairs, by_questions], 1)
    effects: FloatArray = sum(
        (part.effects * of_part for part, of_part in zip(parts, share, strict=True)),
        np.zeros_like(parts[0].effects),
    )
    estimates = [
        [part.own, part.others, part.excess[0], part.most_frequent[0], part.correlation[0]]
        for part in parts
    ]
    own_hits, others, excess, over_usual, correlation = (
        float(np.nan_to_num(column) @ of_part)
        for column, of_part in zip(np.array(estimates).T, share.T[[0, 0, 0, 1, 2]], strict=True)
    )
    pairs = np.stack([part.pairs for part in parts])
    gains = np.nansum([part.by_person * part.pairs for part in parts], axis=0)
    many = int(correlated.sum())
    cells, expected, steps = (np.array(row) for row in zip(*(p.rarer for p in parts), strict=True))
    rarer = RarerAnswers(cells.sum(0), float(expected.sum()), float(steps[np.abs(steps).argmax()]))
    return TwinAgreement(
        own_hits,
        others,
        rarer.widened(around(excess, effects[:, 0], level), level),
        min(1.0, len(parts) * min(part.p_value for part in parts)),
        rarer.widened(around(over_usual, effects[:, 1], level), level, usual=True),
        of_correlation(correlation if many else np.nan, effects[:, 2], level),
        np.concatenate([part.by_question for part in parts]),
        _quotient(gains, pairs.sum(0)),
        rarer.expected < FEW_HITS,
        float(answers.sum()),
        many,
        pairs.sum(0),
        effects,
        rarer,
        np.stack([part.own_effects for part in parts], 1) @ by_pairs,
    )


def misses_over_others(
    twins: TwinAgreement, *, measure: str = HITS, level: float = 0.95, times: float = 1.0
) -> Interval:
    """Return how often a person's own twin misses, over how often the twins of others do.

    (1 - own)/(1 - others) of hits; of distances own/others. 1 if twins know nothing of the person,
    0 if they know all.

    Args:
        twins: of :func:`twin_agreement`.
        measure: that it was called with.
        level: of Fieller's set.
        times: as if there were so many times as many persons, with the same estimates.

    Returns:
        From 0 on without an upper end where too few hits on rarer answers are expected by chance.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import misses_over_others, twin_agreement
        >>> rng = np.random.default_rng(0)
        >>> people, guesses = rng.integers(1, 6, size=(2, 200, 8))
        >>> twins = np.where(rng.random(people.shape) < 0.3, people, guesses)
        >>> found = twin_agreement(people, twins, generator=rng)
        >>> [round(end, 2) for end in misses_over_others(found)]
        [0.7, 0.67, 0.73]
    """
    measure = inputs.one_of("measure", measure, MEASURES)
    values = np.array([twins.own, twins.others])
    effects = np.stack([twins.own_effects, twins.own_effects - twins.effects[:, 0]], 1)
    if measure == HITS:
        values, effects = 1.0 - values, -effects
    if twins.rarer.expected < ENOUGH_HITS:
        return Interval(float(values[0] / values[1]) if values[1] else np.nan, 0.0, np.inf)
    share = ratio(values, effects / np.sqrt(times), level)
    return share._replace(lower=max(0.0, share.lower))


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.divide(above, below, out=np.full(below.shape, np.nan), where=below > 0.0)


class _Sides(NamedTuple):
    """Both sides' answers as probabilities, 0 where missing.

    Attributes:
        x, y: (n, Q, d).
        kernel: the measure of two options, (d, d).
        scores: of the options, (d,).
        stratum: of each person by number, (n,).
        weight: of each person, with mean 1, (n, 1).
    """

    x: FloatArray
    y: FloatArray
    kernel: FloatArray
    scores: FloatArray
    stratum: IntArray
    weight: FloatArray

    @classmethod
    def of(
        cls,
        people: ArrayLike,
        twins: ArrayLike,
        strata: ArrayLike | None,
        weights: ArrayLike | None,
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
        weight = AnswerTable(x, weights).weights[:, None]
        return cls((x[:, :, None] == scores).astype(float), coded, kernel, scores, stratum, weight)

    @property
    def answered(self) -> tuple[BoolArray, BoolArray]:
        """Whether persons, and twins, answered, (n, Q) each."""
        return self.x.sum(2) > 0.0, self.y.sum(2) > 0.0

    def summed(self, values: FloatArray) -> FloatArray:
        """Return the sums over each stratum, at all of its persons; (n, ...) -> (n, ...)."""
        inside = (self.stratum == np.arange(self.stratum.max() + 1)[:, None]).astype(float)
        return np.tensordot(inside, values, 1)[self.stratum]


class _Parts(NamedTuple):
    """Own pairs and pairs with others; (n, Q), each stratum's numbers at all of its persons.

    Attributes:
        both: the person's weight where person and twin answered and others are there, else 0.
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
        w, summed = sides.weight, sides.summed
        here, there = (w * answered for answered in sides.answered)
        x, y = w[:, :, None] * sides.x, w[:, :, None] * sides.y
        both = here * (there > 0.0)
        towards, back = sides.x @ sides.kernel, sides.y @ sides.kernel.T
        with_twin: FloatArray = (towards * sides.y).sum(2)
        n_x, n_y, n_both = summed(here), summed(there), summed(both)
        every_y, every_x = summed(y), summed(x)
        with_every = (towards * every_y).sum(2)
        others = _quotient(
            summed(w * with_every) - summed(w * w * with_twin), n_x * n_y - summed(w * both)
        )
        row = _quotient(with_every - w * with_twin, n_y - both)
        column = _quotient((back * every_x).sum(2) - w * with_twin, n_x - both)
        many_x, many_y, many = (summed((part > 0.0).astype(float)) for part in (here, there, both))
        known = (many_x * many_y > many) & (many > 0.0)
        if not known.any():
            raise TooFewError("no stratum has two persons with answers on both sides")
        both = both * known
        mean = _quotient(summed(with_twin * w), n_both)
        weight = np.where(known, _quotient(n_both, summed(np.ones_like(here))), 0.0)
        here, there = _quotient(here, n_x) * n_both, _quotient(there, n_y) * n_both
        of_others = here * (row - others) + there * (column - others)
        effects = (both * (with_twin - mean) - np.where(known, of_others, 0.0)) / weight.sum()
        with_twin, row, others, gain = (
            np.nan_to_num(part) for part in (with_twin, row, others, mean - others)
        )
        return cls(both, with_twin, row, others, gain, weight, np.nan_to_num(effects))


class RarerAnswers(NamedTuple):
    """Answers that are not the most frequent of persons in the stratum, over all questions.

    Attributes:
        cells: how often person and twin gave one, the person alone, the twin alone, and neither,
            (4,); effective numbers where persons have weights.
        expected: how often both would by chance.
        step: what a hit counts; less the usual distance between a rarer answer and the most
            frequent, where distances are measured, infinite if nobody gave a rarer answer.
    """

    cells: FloatArray
    expected: float
    step: float

    @classmethod
    def of(cls, sides: _Sides, parts: _Parts, sign: float) -> "RarerAnswers":
        """Count them; sign: 1 for hits, -1 for distances."""
        most = sides.summed(sides.weight[:, :, None] * sides.x).argmax(2)
        modal, both = np.eye(sides.x.shape[2])[most], parts.both
        person, twin = (
            answered - (side * modal).sum(2)
            for side, answered in zip((sides.x, sides.y), sides.answered, strict=True)
        )
        both = both * both.sum() / (both**2).sum()
        share = _quotient(sides.summed(both * twin), sides.summed(both))
        expected = float(np.nansum(both * person * share))
        alone = [person * twin, person * (1.0 - twin), (1.0 - person) * twin]
        cells = [float((both * kind).sum()) for kind in alone]
        step = 1.0
        if sign < 0.0:
            apart = sum(
                (both[:, :, None] * side * (modal @ sides.kernel) ** 2).sum()
                for side in (sides.x, sides.y)
            )
            rare = 2.0 * cells[0] + cells[1] + cells[2]
            step = -float(np.sqrt(apart / rare)) if rare > 0.0 else -np.inf
        return cls(np.array([*cells, both.sum() - sum(cells)]), expected, step)

    def widened(self, interval: Interval, level: float, *, usual: bool = False) -> Interval:
        """Return an interval of the excess, or that over the usual answer, as the module says."""
        if self.expected >= ENOUGH_HITS and interval.upper > interval.lower:
            return interval
        if np.isinf(self.step):
            return Interval(interval.estimate, -np.inf, np.inf)
        (now, _), (more, variance) = (
            _of_cells(cells, usual) for cells in (self.cells, self.cells + 1.0)
        )
        estimate, lower, upper = interval
        centre = estimate + self.step * (more - now)
        reach = abs(self.step) * ndtri((1.0 + level) / 2.0) * np.sqrt(variance)
        reach = max(float(reach), (upper - lower) / 2.0)
        return Interval(estimate, min(estimate, centre - reach), max(estimate, centre + reach))


def _of_cells(cells: FloatArray, usual: bool) -> tuple[float, float]:
    """Return the excess of hits, or that over the most frequent answer, and its variance."""
    shares, hits = cells / cells.sum(), np.array([1.0, 0.0, 0.0, 1.0])
    person, twin = shares[:2].sum(), shares[::2].sum()
    chance = person * twin + (1.0 - person) * (1.0 - twin)
    effects = hits - [twin, twin, 1.0 - twin, 1.0 - twin]
    effects -= [person, 1.0 - person, person, 1.0 - person]
    if usual:
        chance, effects = 0.0, np.array([1.0, 0.0, -1.0, 0.0])
        hits = effects
    mean = shares @ effects
    return float(shares @ hits - chance), float(shares @ (effects - mean) ** 2 / cells.sum())


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
    reach = -stdtrit(min(many, len(effects)) - 1, (1.0 - level) / 2.0) * np.sqrt(variance)
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
    w = sides.weight[rows]
    x, y = w[:, :, None] * sides.x[rows], sides.y[rows]
    here, there = (answered[rows].astype(float) for answered in sides.answered)
    here = w * here
    every = ((x.sum(0) @ sides.kernel) * y.sum(0)).sum(1)
    mean = np.nan_to_num(_quotient(every, here.sum(0) * there.sum(0)))
    size = len(rows)
    scored: FloatArray = (x @ sides.kernel).reshape(size, -1) @ y.reshape(size, -1).T
    scored -= (here * mean) @ there.T
    return scored


def _over_most_frequent(sides: _Sides, parts: _Parts) -> tuple[float, FloatArray]:
    """Return own pairs less those with the most frequent answer of others, and effects on it."""
    mass = sides.weight[:, :, None] * sides.x
    left = sides.summed(mass) - mass
    modal = (left > left.max(2, keepdims=True) - ROUNDING).astype(float)
    modal /= modal.sum(2, keepdims=True)
    better = parts.both * (parts.own - ((sides.x @ sides.kernel) * modal).sum(2))
    total = parts.both.sum()
    mean = float(better.sum() / total)
    return mean, (better - parts.both * mean).sum(1) / total


def _correlation(sides: _Sides) -> tuple[float, int, FloatArray]:
    """Return the mean over questions of correlations within strata, their number, and effects."""
    columns = []
    for side, answered in zip((sides.x, sides.y), sides.answered, strict=True):
        values = np.where(answered, side @ sides.scores, np.nan)
        mass = sides.weight * answered
        for number in range(sides.stratum.max() + 1):
            rows = sides.stratum == number
            values[rows] -= _quotient(
                np.nansum(values[rows] * mass[rows], axis=0), mass[rows].sum(0)
            )
        columns.append(values)
    many = columns[0].shape[1]
    pairs = np.stack([np.arange(many), np.arange(many) + many], 1)
    together = associations(AnswerTable(np.hstack(columns), sides.weight[:, 0]), pairs=pairs)
    known = ~np.isnan(together.r)
    effects = together.person_effects((known / max(known.sum(), 1))[:, None])[:, 0]
    return float(together.r[known].mean()) if known.any() else np.nan, int(known.sum()), effects
