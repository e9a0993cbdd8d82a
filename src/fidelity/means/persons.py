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

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.blocks import blocks
from fidelity.designs.linearised import covariance_of_total, units_of
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.differences import Pair
from fidelity.means.jackknife import jackknife_deviations
from fidelity.means.kinks import Kinks
from fidelity.means.resampled import FEWEST, RESAMPLES
from fidelity.means.scales import Scale, scales, shares, squares_together
from fidelity.responses import Responses, Simulator, common_runs, side_by_side

NUMBERS_AT_ONCE = 2**20
HARDLY = 0.25


def person_errors(
    responses: Responses,
    simulator: Simulator | ArrayLike,
    other: Simulator | ArrayLike | None = None,
    *,
    discrepancy: str | Discrepancy,
) -> FloatArray:
    """Return the standard errors of the mean lower and upper bound, (2,).

    Whole persons are left out or drawn anew, so one person's answers may depend on each other in
    any way. With ``strata`` or ``psu`` whole PSUs within strata are left out instead. Assumed is
    that these units are drawn independently, and that there are many of them: then the squared
    errors are right on average, to first order. They are NaN where a scenario, or all of them
    together, have fewer than three persons. The errors are for
    :func:`fidelity.means.mean_interval`. Without them it uses a larger bound, as if all scenarios
    of the same people erred together.

    Args:
        responses: people's, with :class:`fidelity.responses.Answers`. Where ``sizes`` are less than
            Kish's (Σw)²/Σw², and there are no strata and PSUs, all errors grow alike, which is
            approximate.
        simulator: as :func:`fidelity.discrepancy_bounds`.
        other: another simulator; the errors are then of the difference L(p, q) - L(p, other).
        discrepancy: as there.

    Raises:
        ValueError: as there, and if it is not known who answered what.

    Examples:
        >>> import numpy as np
        >>> from fidelity import Responses
        >>> from fidelity.means import person_errors
        >>> from fidelity.responses import Answers
        >>> choice = np.random.default_rng(0).integers(2, size=100)
        >>> counts = np.tile(np.bincount(choice), (4, 1))  # four questions, all answered alike
        >>> person, scenario = np.tile(range(100), 4), np.repeat(range(4), 100)
        >>> answers = Answers(person, scenario, np.tile(choice, 4))
        >>> people, model = Responses(counts, answers=answers), [[0.2, 0.8]] * 4
        >>> errors = person_errors(people, model, discrepancy="tv")
        >>> errors.round(3)
        array([0.048, 0.05 ])

        They go into the interval of the mean:

        >>> from fidelity.means import discrepancy_bounds, mean_interval
        >>> bounds = discrepancy_bounds(people, model, discrepancy="tv")
        >>> found = mean_interval(bounds, errors=errors)
        >>> print(f"{found.ci_lower:.3f} to {found.ci_upper:.3f}")
        0.146 to 0.338

        Where people were drawn in 20 villages, whole villages are left out:

        >>> village = np.argsort(choice, kind="stable").argsort() // 5  # neighbours answer alike
        >>> known = answers._replace(psu=village)
        >>> people = Responses(counts, answers=known, sizes=np.full(4, 20.0))
        >>> person_errors(people, model, discrepancy="tv").round(3)
        array([0.112, 0.112])
    """
    inputs.instance("responses", responses, Responses, "fidelity.Responses")
    if responses.answers is None:
        raise ValueError("responses must have answers: who answered what")
    sample = sample_of_persons(responses)
    return _errors(responses, simulator, other, sample, discrepancy)


def replicate_errors(
    responses: Responses | ArrayLike,
    simulator: Simulator | ArrayLike,
    other: Simulator | ArrayLike | None = None,
    *,
    replicates: ArrayLike,
    factors: ArrayLike | None = None,
    discrepancy: str | Discrepancy,
) -> FloatArray:
    """Return the standard errors of the mean lower and upper bound by replicate weights, (2,).

    The variance is Σ_r factor_r (mean_r - mean)², where mean_r is the mean over scenarios of a
    bound, moved to first order to the shares by the weights of replicate r. Assumed is what the
    weights' publisher assumes.

    Args:
        responses, simulator, other, discrepancy: as :func:`person_errors`, but without answers.
        replicates: sums of each set of replicate weights by option, (m, d, R); NaN where there is
            no such option. Only their shares count.
        factors: of each replicate's square, (R,), by :func:`fidelity.designs.replicate_factors`;
            None for 1.

    Raises:
        ValueError: if a set of weights is 0 for all answers to a scenario, and as there.

    Examples:
        >>> from fidelity import Responses
        >>> from fidelity.designs import replicate_factors
        >>> from fidelity.means import replicate_errors
        >>> people, halves = Responses([[30, 70]], sizes=80), [[[20, 35, 28, 37], [80, 65, 72, 63]]]
        >>> how = {"factors": replicate_factors("brr", 4), "discrepancy": "absolute"}
        >>> replicate_errors(people, [[0.5, 0.5]], replicates=halves, **how).round(3)
        array([0.067, 0.067])
    """
    people = Responses.of(responses)
    sample = sample_of_replicates(people, replicates, factors)
    return _errors(people, simulator, other, sample, discrepancy)


def sample_of_replicates(
    people: Responses, replicates: ArrayLike, factors: ArrayLike | None = None
) -> "_Linearised":
    """Return the sample that replicate weights tell of; see :func:`replicate_errors`."""
    sums = np.asarray(replicates, float)
    if sums.shape[:2] != people.raw.shape or sums.ndim != 3:
        raise ValueError(
            f"replicates must have the shape {(*people.raw.shape, 'R')}, not {sums.shape}"
        )
    sums = np.where(np.isnan(people.raw)[:, :, None], 0.0, sums)
    of_all = sums.sum(1, keepdims=True)
    if not (of_all > 0.0).all():
        raise ValueError("a set of replicate weights is 0 for all answers to a scenario")
    factors = 1.0 if factors is None else factors
    root = np.sqrt(inputs.each("factors", factors, inputs.FINITE_NOT_NEGATIVE, sums.shape[2]))
    total = np.nansum(people.raw, axis=1, keepdims=True)
    apart = (sums / of_all - (np.nan_to_num(people.raw) / total)[:, :, None]) * root
    apart *= _without_one(people.sizes)[:, None, None]

    def between_replicates(deviations: FloatArray) -> float:
        return float((np.tensordot(deviations, apart, 2) ** 2).sum())

    return _Linearised(between_replicates)


def sample_of_persons(responses: Responses) -> "_Answers | _Linearised":
    """Return the sample of persons, or of PSUs, in responses that have answers."""
    answers = responses.answers
    assert answers is not None
    who, row, w, sizes = answers.who, answers.scenario, answers.weight, responses.sizes
    total = np.bincount(row, w, len(sizes))
    labels = [label for label in (answers.strata, answers.psu) if label is not None]
    if not labels:
        if np.count_nonzero(np.bincount(who, w > 0.0)) < FEWEST:
            return _Linearised(lambda deviations: np.nan)
        worth = w * (np.sqrt(answers.kish * sizes) / total)[row]
        smaller = np.sqrt(answers.kish / sizes)
        return _Answers(who, answers.cell, w, worth, smaller, responses.counts.shape)
    unit, of_unit = units_of(answers.psu, answers.strata, len(labels[0]))
    there = np.unique(of_unit[unit[who[w > 0.0]]])
    worth = w * (_without_one(sizes) / total)[row]

    def between_psus(deviations: FloatArray) -> float:
        of_each = np.bincount(unit[who], worth * deviations.ravel()[answers.cell], len(of_unit))
        covariance = covariance_of_total(
            of_each[:, None].astype(float), of_unit, answers.lonely_psu, there
        )
        return float(covariance[0, 0])

    return _Linearised(between_psus)


def _without_one(sizes: FloatArray) -> FloatArray:
    """Return what an answer's effect on its scenario is multiplied by to be that of its share.

    Leaving out one of n answers moves the shares by 1/(n - 1); NaN where nobody else is left.
    """
    return np.where(sizes > 1.0, sizes - 1.0, np.nan)


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
    responses: Responses,
    simulator: Simulator | ArrayLike,
    other: Simulator | ArrayLike | None,
    sample: _Answers | _Linearised,
    discrepancy: str | Discrepancy,
) -> FloatArray:
    """Return the errors of both means, (2,); NaN where a scenario has too few people."""
    given = {"simulator": simulator, **({} if other is None else {"other": other})}
    people, simulators = side_by_side(responses, **given)
    runs, split = common_runs(simulators), [scales(people, q, discrepancy) for q in simulators]
    if any((scale.counts.sum(1) < FEWEST).any() for scale in split[0]):
        return np.full(2, np.nan)
    parts: list[Any] = split[0]
    if other is not None:
        parts = [Pair(*both) for both in zip(*split, strict=True)]
    variances = np.zeros(2)
    for end in (0, 1):
        deviations, of_draws = np.zeros(people.counts.shape), np.zeros(len(people.counts))
        is_ramped = end == 0 and other is None and split[0][0].measure.metric_root == 1
        redrawn = sample if is_ramped and isinstance(sample, _Answers) else None
        for part, scale in zip(parts, split[0], strict=True):
            of_draws[part.rows] = part.draws_error(*part.ends[end])
            if redrawn is None:
                some = jackknife_deviations(part.of_people(*part.ends[end]), scale.counts)
                if isinstance(part, Pair) and (kinks := Kinks.of(*part)) is not None:
                    some = _seen(some, scale.counts, of_draws[part.rows] ** 2, kinks, end)
                deviations[np.ix_(part.rows, scale.columns)] = some
        variances[end] = squares_together(of_draws, runs) + (
            sample.variance(deviations)
            if redrawn is None
            else _variance_of_redrawn(split[0], redrawn)
        )
    return np.sqrt(variances) / len(people.counts)


def _variance_of_redrawn(split: list[Scale], answers: _Answers) -> float:
    """Return the variance of the sum of leave-one-out bounds, if whole persons are drawn anew."""
    m, d = answers.shape
    given = (array.tobytes() for array in (answers.who, answers.cell, answers.w))
    persons, again = _redrawn(*given, m * d)
    again = again.reshape(RESAMPLES, m, d)
    sums = np.zeros(RESAMPLES)
    for scale in split:
        for rows in blocks(len(scale.rows), RESAMPLES * len(scale.columns), NUMBERS_AT_ONCE):
            part = scale.take(np.arange(rows.start, rows.stop))
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
    draws = [generator.integers(many, size=many) for _ in range(RESAMPLES)]
    times = np.stack([np.bincount(drawn, minlength=many) for drawn in draws], 1, dtype=float)
    table = sp.sparse.csr_array((weight, (person, place)), (many, cells))
    return many, (table.T @ times).T


def _seen(
    deviations: FloatArray, counts: FloatArray, noise: FloatArray, kinks: Kinks, end: int
) -> FloatArray:
    """Return deviations with those of a move between both simulators where hardly any are seen."""
    wanted = kinks.least[end] ** 2 - noise
    unseen = (counts * deviations**2).sum(1) < HARDLY * wanted
    seen = deviations.copy()
    seen[unseen] = np.sqrt(wanted[unseen])[:, None] * kinks.deviations[end, unseen]
    return seen
