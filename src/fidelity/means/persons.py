"""The error of a mean discrepancy where it is known who answered what, or how people were sampled.

Leaving out one person changes the mean over scenarios of a bound by the sum of changes that this
person's answers make, each in its own scenario. So the jackknife over whole persons needs only the
jackknife of each scenario. This is exact where all persons answer all scenarios and count alike.
A person's weight w in a scenario with weights of sum W is worth ñw/W of its ñ effective answers,
to first order.

The leave-one-out bound of a distance is not linear in the answers, see
:mod:`fidelity.means.resampled`. There whole persons are drawn anew.

Where people were drawn by primary sampling units (PSUs) within strata, these changes are added up
over all answers of a PSU, and the variance is that between the PSUs of each stratum
(:mod:`fidelity.designs.linearised`). It is that of the mean over scenarios itself. Answers of one
PSU may depend on each other in any way, within a scenario and between scenarios. Replicate weights
are used in the same way: the mean moves with people's shares, and each replicate has its own
(:mod:`fidelity.designs.replicates`). Both are linearised: to first order in people's shares.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import scipy as sp
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import FloatArray, IntArray
from fidelity.designs.linearised import covariance_of_total, units_of
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.differences import Pair
from fidelity.means.jackknife import jackknife_deviations
from fidelity.means.kinks import Kinks
from fidelity.means.resampled import FEWEST, RESAMPLES
from fidelity.means.scales import (
    Bound,
    Labels,
    Scale,
    checked_labels,
    scales,
    shares,
    sums_together,
)

NUMBERS_AT_ONCE = 2**20
HARDLY = 0.25


def person_errors(
    counts: ArrayLike,
    q: ArrayLike,
    other: ArrayLike | None = None,
    *,
    person: ArrayLike,
    scenario: ArrayLike,
    option: ArrayLike,
    weight: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    psu: ArrayLike | None = None,
    lonely_psu: str = "refused",
    discrepancy: str | Discrepancy,
    scores: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    draws: ArrayLike | None = None,
    other_draws: ArrayLike | None = None,
    runs: ArrayLike | None = None,
) -> FloatArray:
    """Return the standard errors of the mean lower and upper bound, (2,).

    Whole persons are left out or drawn anew, so one person's answers may depend on each other in
    any way. With ``strata`` or ``psu`` whole PSUs within strata are left out instead. Assumed is
    that these units are drawn independently, and that there are many of them: then the squared
    errors are right on average, to first order. The errors are for
    :func:`fidelity.means.mean_interval`. Without them it uses a larger bound, as if all scenarios
    of the same people erred together.

    Args:
        counts: people's answers, (m, d); NaN where there is no such option. Sums of weights, where
            there are any.
        q: the simulator's probabilities, (m, d).
        other: probabilities of another simulator; the errors are then of the difference
            L(p, q) - L(p, other).
        person: who gave each answer, a number from 0, (N,).
        scenario: the row of ``counts`` that the answer belongs to, (N,).
        option: which option was chosen, (N,). Together these are the answers that ``counts``
        counts.
        weight: of each answer, (N,); None if all count alike.
        strata: the stratum of each person by number, (persons,); None for one stratum. Persons
            without an answer count, too: their PSUs were drawn.
        psu: the PSU of each person, (persons,); labels may be used again in another stratum. None
            where each person is one.
        lonely_psu: as :func:`fidelity.designs.linearised_mean`.
        sizes: the number of people that each scenario's answers are worth, (m,), if not Kish's
            (Σw)²/Σw². Without strata and PSUs all errors grow alike where it is smaller, which is
            approximate.
        discrepancy, scores: as :func:`fidelity.discrepancy_bounds`.
        draws, other_draws: as :func:`fidelity.means.difference_bounds`.
        runs: as :func:`fidelity.means.mean_interval`.

    Raises:
        ValueError: if the answers are not those that were counted, and as there.

    Examples:
        >>> import numpy as np
        >>> from fidelity.means import person_errors
        >>> answers = np.random.default_rng(0).integers(2, size=100)
        >>> counts = np.tile(np.bincount(answers), (4, 1))  # four questions, all answered alike
        >>> person, scenario = np.tile(range(100), 4), np.repeat(range(4), 100)
        >>> told = {"person": person, "scenario": scenario, "option": np.tile(answers, 4)}
        >>> errors = person_errors(counts, [[0.2, 0.8]] * 4, **told, discrepancy="tv")
        >>> errors.round(3)
        array([0.048, 0.05 ])

        They go into the interval of the mean:

        >>> from fidelity.means import discrepancy_bounds, mean_interval
        >>> bounds = discrepancy_bounds(counts, [[0.2, 0.8]] * 4, discrepancy="tv")
        >>> found = mean_interval(bounds, errors=errors)
        >>> print(f"{found.ci_lower:.3f} to {found.ci_upper:.3f}")
        0.146 to 0.338

        Where people were drawn in 20 villages, whole villages are left out:

        >>> village = np.argsort(answers, kind="stable").argsort() // 5  # neighbours answer alike
        >>> design = {"psu": village, "sizes": np.full(4, 20.0)}
        >>> person_errors(counts, [[0.2, 0.8]] * 4, **told, **design, discrepancy="tv").round(3)
        array([0.112, 0.112])
    """
    counts = inputs.table("counts", counts, inputs.COUNTS, ("scenarios", "options"))
    m, who, row = len(counts), np.asarray(person), np.asarray(scenario)
    cell = np.ravel_multi_index((row, np.asarray(option)), counts.shape)
    w = inputs.each(
        "weight", 1.0 if weight is None else weight, inputs.FINITE_NOT_NEGATIVE, len(cell)
    )
    told = np.bincount(cell, w, counts.size).reshape(counts.shape)
    if who.shape != cell.shape or not np.allclose(told, np.nan_to_num(counts), atol=0.0):
        raise ValueError(
            "person, scenario and option must be the answers that counts counts, with their weights"
        )
    total, kish = told.sum(1), told.sum(1) ** 2 / np.bincount(row, w**2, m)
    sizes = kish if sizes is None else inputs.each("sizes", sizes, inputs.FINITE_POSITIVE, m)
    how: dict[str, Any] = {
        **{"discrepancy": discrepancy, "scores": scores, "sizes": sizes},
        **{"draws": draws, "other_draws": other_draws, "runs": runs},
    }
    if strata is None and psu is None:
        worth = w * (np.sqrt(kish * sizes) / total)[row]
        answers = _Answers(who.astype(int), cell, w, worth, np.sqrt(kish / sizes), counts.shape)
        return _errors(counts, q, other, answers, **how)
    labels = [np.asarray(each) for each in (strata, psu) if each is not None]
    people = len(labels[0])
    if any(each.shape != (people,) for each in labels) or who.max(initial=0) >= people:
        raise ValueError("strata and psu must have a label for each person by number")
    unit, of_unit = units_of(psu, strata, people)
    there = np.unique(of_unit[unit[who[w > 0.0]]])
    worth = w * (_without_one(sizes) / total)[row]

    def between_psus(deviations: FloatArray) -> float:
        of_each = np.bincount(unit[who], worth * deviations.ravel()[cell], len(of_unit))[:, None]
        found = covariance_of_total(of_each.astype(float), of_unit, lonely_psu, there)
        return float(found[0, 0])

    return _errors(counts, q, other, _Linearised(between_psus), **how)


def replicate_errors(
    counts: ArrayLike,
    q: ArrayLike,
    other: ArrayLike | None = None,
    *,
    replicates: ArrayLike,
    factors: ArrayLike | None = None,
    discrepancy: str | Discrepancy,
    scores: ArrayLike | None = None,
    sizes: ArrayLike | None = None,
    draws: ArrayLike | None = None,
    other_draws: ArrayLike | None = None,
    runs: ArrayLike | None = None,
) -> FloatArray:
    """Return the standard errors of the mean lower and upper bound by replicate weights, (2,).

    The variance is Σ_r factor_r (mean_r - mean)², where mean_r is the mean over scenarios of a
    bound, moved to first order to the shares by the weights of replicate r. Assumed is what the
    weights' publisher assumes.

    Args:
        counts, q, other: as :func:`person_errors`.
        replicates: sums of each set of replicate weights by option, (m, d, R); NaN where there is
            no such option. Only their shares count.
        factors: of each replicate's square, (R,), by :func:`fidelity.designs.replicate_factors`;
            None for 1.
        sizes: the number of people that each scenario's answers are worth, (m,).
        discrepancy, scores, draws, other_draws, runs: as there.

    Raises:
        ValueError: if a set of weights is 0 for all answers to a scenario, and as there.

    Examples:
        >>> from fidelity.designs import replicate_factors
        >>> from fidelity.means import replicate_errors
        >>> counts, halves = [[30, 70]], [[[20, 35, 28, 37], [80, 65, 72, 63]]]
        >>> how = {"factors": replicate_factors("brr", 4), "discrepancy": "absolute"}
        >>> replicate_errors(counts, [[0.5, 0.5]], replicates=halves, **how, sizes=80).round(3)
        array([0.067, 0.067])
    """
    counts = inputs.table("counts", counts, inputs.COUNTS, ("scenarios", "options"))
    sums = np.asarray(replicates, float)
    if sums.shape[:2] != counts.shape or sums.ndim != 3:
        raise ValueError(f"replicates must have the shape {(*counts.shape, 'R')}, not {sums.shape}")
    sums = np.where(np.isnan(counts)[:, :, None], 0.0, sums)
    of_all = sums.sum(1, keepdims=True)
    if not (of_all > 0.0).all():
        raise ValueError("a set of replicate weights is 0 for all answers to a scenario")
    total = np.nansum(counts, axis=1, keepdims=True)
    root = np.sqrt(
        inputs.each(
            "factors",
            1.0 if factors is None else factors,
            inputs.FINITE_NOT_NEGATIVE,
            sums.shape[2],
        )
    )
    sizes = (
        total[:, 0]
        if sizes is None
        else inputs.each("sizes", sizes, inputs.FINITE_POSITIVE, len(counts))
    )
    apart = (sums / of_all - (np.nan_to_num(counts) / total)[:, :, None]) * root
    apart *= _without_one(sizes)[:, None, None]

    def between_replicates(deviations: FloatArray) -> float:
        return float((np.tensordot(deviations, apart, 2) ** 2).sum())

    how: dict[str, Any] = {
        **{"discrepancy": discrepancy, "scores": scores, "sizes": sizes},
        **{"draws": draws, "other_draws": other_draws, "runs": runs},
    }
    return _errors(counts, q, other, _Linearised(between_replicates), **how)


def _without_one(sizes: FloatArray) -> FloatArray:
    """Return what an answer's effect on its scenario is multiplied by to be that of its share.

    Leaving out one of n answers moves the shares by 1/(n - 1); NaN where nobody else is left.
    """
    found: FloatArray = np.where(sizes > 1.0, sizes - 1.0, np.nan)
    return found


class _Answers(NamedTuple):
    """Who answered what.

    Attributes:
        who, cell, w: each answer's person, place in a table of all, and weight, (N,).
        worth: effective answers that it counts for, (N,).
        smaller: the root of Kish's number over the number that people are worth, (m,).
        shape: of the table.
    """

    who: IntArray
    cell: IntArray
    w: FloatArray
    worth: FloatArray
    smaller: FloatArray
    shape: tuple[int, ...]

    def variance(self, deviations: FloatArray) -> float:
        """Return the variance of a sum of scenarios, given what an answer does to each, (m, d)."""
        change = np.bincount(self.who, self.worth * deviations.ravel()[self.cell])
        return float((change**2).sum())


class _Linearised(NamedTuple):
    """A sample that is known by the variance of a sum of scenarios, given what answers do to each.

    Attributes:
        variance: of what an answer does to each, (m, d).
    """

    variance: Callable[[FloatArray], float]


def _errors(
    counts: FloatArray,
    q: ArrayLike,
    other: ArrayLike | None,
    sample: _Answers | _Linearised,
    *,
    draws: ArrayLike | None,
    other_draws: ArrayLike | None,
    runs: ArrayLike | None,
    **given: Any,
) -> FloatArray:
    """Return the errors of both means, (2,)."""

    def split(stated: ArrayLike, drawn: ArrayLike | None, whose: str = "") -> list[Scale]:
        return scales(counts, stated, **given, options=None, draws=drawn, whose=whose)[1]

    first, labels = split(q, draws), checked_labels("runs", runs, len(counts))
    if other is None:
        ends = (Scale.lower, Scale.upper)
        return np.array([_error_of_one(first, end, sample, counts.shape, labels) for end in ends])
    pairs = [Pair(*both) for both in zip(first, split(other, other_draws, "other"), strict=True)]
    return np.array(
        [_error_of_difference(pairs, end, sample, counts.shape, labels) for end in (0, 1)]
    )


def _error_of_one(
    found: list[Scale],
    bound: Bound,
    sample: _Answers | _Linearised,
    shape: tuple[int, ...],
    runs: Labels,
) -> float:
    """Return the standard error of the mean of one simulator's bound."""
    of_draws = np.zeros(shape[0])
    for scale in found:
        of_draws[scale.rows] = scale.draws_error(bound)
    is_distance = found[0].measure.metric_root == 1
    if bound is Scale.lower and is_distance and isinstance(sample, _Answers):
        of_people = _variance_of_redrawn(found, sample)
    else:
        deviations = np.zeros(shape)
        for scale in found:
            statistic = scale.of_people(bound)
            own = jackknife_deviations(statistic, scale.counts)
            deviations[np.ix_(scale.rows, scale.columns)] = own
        of_people = sample.variance(deviations)
    return _error(found, of_people, of_draws, runs)


def _error_of_difference(
    pairs: list[Pair],
    end: int,
    sample: _Answers | _Linearised,
    shape: tuple[int, ...],
    runs: Labels,
) -> float:
    """Return the standard error of the mean of one bound on a difference."""
    deviations, of_draws = np.zeros(shape), np.zeros(shape[0])
    for pair in pairs:
        scale, (bound, less) = pair.first, pair.ends[end]
        noise = np.hypot(scale.draws_error(bound), pair.second.draws_error(less))
        own = jackknife_deviations(pair.of_people(bound, less), scale.counts)
        kinks = Kinks.of(*pair)
        if kinks is not None:
            own = _seen(own, scale.counts, noise**2, kinks, end)
        deviations[np.ix_(scale.rows, scale.columns)] = own
        of_draws[scale.rows] = noise
    found = [pair.first for pair in pairs]
    return _error(found, sample.variance(deviations), of_draws, runs)


def _error(found: list[Scale], of_people: float, of_draws: FloatArray, runs: Labels) -> float:
    """Return the standard error of a mean; NaN where a scenario has too few people."""
    is_few = any((scale.counts.sum(1) < FEWEST).any() for scale in found)
    variance = np.nan if is_few else of_people + (sums_together(of_draws, runs) ** 2).sum()
    return float(np.sqrt(variance) / len(of_draws))


def _variance_of_redrawn(found: list[Scale], answers: _Answers) -> float:
    """Return the variance of the sum of leave-one-out bounds, if whole persons are drawn anew."""
    m, d = answers.shape
    given = (each.tobytes() for each in (answers.who, answers.cell, answers.w))
    persons, again = _redrawn(*given, m * d)
    again = again.reshape(RESAMPLES, m, d)
    sums = np.zeros(RESAMPLES)
    for scale in found:
        at_once = max(1, NUMBERS_AT_ONCE // (RESAMPLES * len(scale.columns)))
        for start in range(0, len(scale.rows), at_once):
            part = scale.take(np.arange(start, min(start + at_once, len(scale.rows))))
            counts = again[:, part.rows[:, None], part.columns]
            total = counts.sum(2, keepdims=True)
            with np.errstate(invalid="ignore"):
                share = np.where(total > 0.0, counts / total, shares(part.counts))
            counts = share * part.counts.sum(1)[:, None]
            every = part.take(np.tile(np.arange(len(part.rows)), RESAMPLES))
            bounds = every.lower(counts.reshape(-1, counts.shape[2])).reshape(RESAMPLES, -1)
            sums += (bounds - bounds.mean(0)) @ answers.smaller[part.rows]
    return float(sums.var(ddof=1) * persons / max(persons - 1, 1))


@lru_cache(maxsize=32)
def _redrawn(who: bytes, cell: bytes, w: bytes, cells: int) -> tuple[int, FloatArray]:
    """Return the number of persons, and the weight in each cell if they are drawn anew.

    The second has the shape (RESAMPLES, cells).
    """
    place, weight = np.frombuffer(cell, int), np.frombuffer(w)
    every, person = np.unique(np.frombuffer(who, int), return_inverse=True)
    many = len(every)
    key = np.frombuffer(blake2b(who + cell, digest_size=16).digest(), np.uint64)
    generator = np.random.Generator(np.random.Philox(key=key))
    times = np.stack(
        [np.bincount(generator.integers(many, size=many), minlength=many) for _ in range(RESAMPLES)]
    )
    table = sp.sparse.csr_array((weight, (person, place)), (many, cells))
    return many, (table.T @ times.T.astype(float)).T


def _seen(
    deviations: FloatArray, counts: FloatArray, noise: FloatArray, kinks: Kinks, end: int
) -> FloatArray:
    """Return deviations with those of a move between both simulators where hardly any are seen."""
    wanted = kinks.least[end] ** 2 - noise
    unseen = (counts * deviations**2).sum(1) < HARDLY * wanted
    found = deviations.copy()
    found[unseen] = np.sqrt(wanted[unseen])[:, None] * kinks.deviations[end, unseen]
    return found
