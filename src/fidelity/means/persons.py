"""The error of a mean discrepancy where it is known who answered what, or how people were sampled.

Leaving out one person changes the mean over scenarios of a bound by the sum of changes that this
person's answers make, each in its own scenario. So the jackknife over whole persons needs only the
jackknife of each scenario. This is exact where all persons answer all scenarios and count alike.
A person's weight w in a scenario with weights of sum W is worth ñw/W of its ñ effective answers,
to first order.

Where people were drawn by primary sampling units (PSUs) within strata, these changes are added up
over all answers of a PSU, and the variance is that between the PSUs of each stratum
(:mod:`fidelity.designs.linearised`). It is that of the mean over scenarios itself. Answers of one
PSU may depend on each other in any way, within a scenario and between scenarios. Replicate weights
are used in the same way: the mean moves with people's shares, and each replicate has its own
(:mod:`fidelity.designs.replicates`). Both are linearised: to first order in people's shares.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fidelity import inputs
from fidelity.arrays import FloatArray, IntArray
from fidelity.designs.linearised import covariance_of_total, units_of
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.jackknife import jackknife_deviations
from fidelity.means.kinks import Kinks
from fidelity.means.scales import Bound, Scale, scales

HARDLY = 0.25
ENDS = ((Scale.lower, Scale.upper), (Scale.upper, Scale.lower))


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
) -> FloatArray:
    """Return the standard errors of the mean lower and upper bound, (2,).

    The jackknife leaves out whole persons, so one person's answers may depend on each other in any
    way. With ``strata`` or ``psu`` whole PSUs within strata are the units instead. Assumed is that
    these units are drawn independently, and that there are many of them: then the squared errors
    are right on average, to first order. The errors are for :func:`fidelity.means.mean_interval`.
    Without them it uses a larger bound, as if all scenarios of the same people erred together.

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
        array([0.05, 0.05])

        They go into the interval of the mean:

        >>> from fidelity.means import discrepancy_bounds, mean_interval
        >>> bounds = discrepancy_bounds(counts, [[0.2, 0.8]] * 4, discrepancy="tv")
        >>> found = mean_interval(bounds, errors=errors)
        >>> print(f"{found.ci_lower:.3f} to {found.ci_upper:.3f}")
        0.142 to 0.338

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
    given: dict[str, Any] = {"discrepancy": discrepancy, "scores": scores, "sizes": sizes}
    drawn = {"draws": draws, "other_draws": other_draws}
    if strata is None and psu is None:
        worth = w * (np.sqrt(kish * sizes) / total)[row]

        def between_persons(deviations: FloatArray) -> float:
            of_each = np.bincount(who, worth * deviations.ravel()[cell])
            return float((of_each**2).sum())

        return _errors(counts, q, other, **given, **drawn, variance=between_persons)
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

    return _errors(counts, q, other, **given, **drawn, variance=between_psus)


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
        discrepancy, scores, draws, other_draws: as there.

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

    given: dict[str, Any] = {"discrepancy": discrepancy, "scores": scores, "sizes": sizes}
    drawn = {"draws": draws, "other_draws": other_draws}
    return _errors(counts, q, other, **given, **drawn, variance=between_replicates)


def _without_one(sizes: FloatArray) -> FloatArray:
    """Return what an answer's effect on its scenario is multiplied by to be that of its share.

    Leaving out one of n answers moves the shares by 1/(n - 1); NaN where nobody else is left.
    """
    found: FloatArray = np.where(sizes > 1.0, sizes - 1.0, np.nan)
    return found


def _errors(
    counts: FloatArray,
    q: ArrayLike,
    other: ArrayLike | None,
    *,
    variance: Callable[[FloatArray], float],
    draws: ArrayLike | None,
    other_draws: ArrayLike | None,
    **given: Any,
) -> FloatArray:
    """Return errors of the means, given the variance of a sum of what answers do, (m, d)."""

    def split(stated: ArrayLike, drawn: ArrayLike | None, whose: str = "") -> list[Scale]:
        return scales(counts, stated, **given, options=None, draws=drawn, whose=whose)[1]

    first = split(q, draws)
    second = [None] * len(first) if other is None else split(other, other_draws, "other")
    kinks = [
        None if two is None else Kinks.of(one, two) for one, two in zip(first, second, strict=True)
    ]
    errors = np.empty(2)
    for end, (bound, less) in enumerate(ENDS):
        deviations, of_draws = np.zeros(counts.shape), 0.0
        for one, two, kink in zip(first, second, kinks, strict=True):
            noise = one.draws_variance(bound)
            noise = noise if two is None else noise + two.draws_variance(less)
            own = _deviations(one, bound, two, less)
            if kink is not None:
                own = _seen(own, one.counts, noise, kink, end)
            deviations[np.ix_(one.rows, one.columns)] = own
            of_draws += noise.sum()
        errors[end] = np.sqrt(variance(deviations) + of_draws) / len(counts)
    return errors


def _seen(
    deviations: FloatArray, counts: FloatArray, noise: FloatArray, kinks: Kinks, end: int
) -> FloatArray:
    """Return deviations with those of a move between both simulators where hardly any are seen."""
    wanted = kinks.least[end] ** 2 - noise
    unseen = (counts * deviations**2).sum(1) < HARDLY * wanted
    found = deviations.copy()
    found[unseen] = np.sqrt(wanted[unseen])[:, None] * kinks.deviations[unseen]
    return found


def _deviations(one: Scale, bound: Bound, two: Scale | None, less: Bound) -> FloatArray:
    """Return an answer's effect on its scenario's bound, or difference of bounds, (N, d)."""

    def without(people: FloatArray, rows: IntArray) -> FloatArray:
        found = bound(one.take(rows), people)
        return found if two is None else found - less(two.take(rows), people)

    return jackknife_deviations(without, one.counts)
