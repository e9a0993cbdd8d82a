"""The rule for saying that correcting a simulator helps.

Even a simulator that knows nothing comes nearer to people by a correction, since the correction can
do without it: a mixture falls back on pooled answers. This gain comes from people, not from the
simulator. So a gain is claimed only if the corrected simulator is certainly nearer than

1. each simulator that it was made from, and
2. each guess that was learned from the same people without a simulator. One is the mixture of a
   uniform guess and pooled shares (:func:`people_elsewhere`). For a correction that uses more, such
   as the wording, another is that correction with a uniform guess in place of the simulators.

The claim needs all of these. So its probability of being false is at most that of a single false
statement, (1 - level)/2, for any number of them (an intersection-union test, Berger 1982).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.comparison.few_clusters import too_few
from fidelity.correction.mixture import tempered_mixture
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.average import NEW, DiscrepancyInterval, mean_difference
from fidelity.responses import Responses, Simulator

GAIN, NO_GAIN, LOSS = "gain", "no gain", "loss"


class CorrectionGain(NamedTuple):
    """How much nearer a corrected simulator is, and whether that is certain.

    Attributes:
        over_simulators: mean L(p, corrected) - mean L(p, q) for each simulator q; < 0 is a gain.
        over_people: the same for each guess that was learned without a simulator.
        claimed: whether all upper ends are below 0; never for new scenarios of fewer than 4
            effective clusters, whose intervals may be far too short.

    Examples:
        >>> from fidelity.correction import CorrectionGain
        >>> CorrectionGain._fields
        ('over_simulators', 'over_people', 'claimed')
    """

    over_simulators: tuple[DiscrepancyInterval, ...]
    over_people: tuple[DiscrepancyInterval, ...]
    claimed: bool


def correction_verdict(
    over_simulators: Sequence[DiscrepancyInterval], over_people: Sequence[DiscrepancyInterval]
) -> str:
    """Return the verdict on a corrected simulator from its differences: gain, no gain, or loss.

    ``gain`` if all are certainly below 0. ``loss`` if the corrected simulator is certainly farther
    from people than a simulator that it was made from. Otherwise ``no gain``: none is shown.

    Args:
        over_simulators, over_people: as in :class:`CorrectionGain`.

    Examples:
        >>> from fidelity.correction import correction_verdict
        >>> from fidelity.means import DiscrepancyInterval
        >>> nearer = DiscrepancyInterval(-0.08, -0.07, -0.1, -0.05, 60)
        >>> open_still = DiscrepancyInterval(-0.02, -0.01, -0.04, 0.01, 60)
        >>> correction_verdict([nearer], [nearer]), correction_verdict([nearer], [open_still])
        ('gain', 'no gain')
    """
    if all(interval.ci_upper < 0.0 for interval in (*over_simulators, *over_people)):
        return GAIN
    return LOSS if any(interval.ci_lower > 0.0 for interval in over_simulators) else NO_GAIN


def people_elsewhere(counts: ArrayLike, *, clusters: ArrayLike | None = None) -> FloatArray:
    """Return the best forecast of people's answers without any simulator, (m, d).

    It is the mixture of a uniform guess and pooled shares that
    :func:`fidelity.correction.tempered_mixture` makes of the uniform guess.

    Args:
        counts, clusters: as there.

    Examples:
        >>> from fidelity.correction import people_elsewhere
        >>> people_elsewhere([[30, 70]] * 3).round(2)
        array([[0.3, 0.7],
               [0.3, 0.7],
               [0.3, 0.7]])
    """
    table = inputs.table("counts", counts, inputs.COUNTS, ("scenarios", "options"))
    exists = inputs.options_of("counts", table, {})
    uniform = np.where(exists, 1.0 / exists.sum(1, keepdims=True), np.nan)
    return tempered_mixture(table, uniform, clusters=clusters).probabilities


def correction_gain(
    responses: Responses | ArrayLike,
    corrected: Simulator | ArrayLike,
    *,
    simulators: Sequence[Simulator | ArrayLike],
    from_people: Sequence[Simulator | ArrayLike],
    discrepancy: str | Discrepancy,
    target: str = NEW,
    level: float = 0.95,
) -> CorrectionGain:
    """Return whether a corrected simulator is certainly nearer to people than its ingredients are.

    **No people twice.** ``responses`` are of people whose answers no correction was fitted to.
    Split people in halves (:func:`fidelity.hybrids.split_people`, or ``split_persons`` where the
    same persons answer several scenarios). Correct with one half and judge with the other.

    Args:
        responses: of the people who judge, :class:`fidelity.Responses` or counts, (m, d).
        corrected: the corrected simulator's probabilities, (m, d).
        simulators: the probabilities of each simulator it was made from, (m, d), at least one.
        from_people: guesses learned from the same people without a simulator, (m, d), at least
            one. Give :func:`people_elsewhere`; where the correction uses more than pooled shares,
            also give the same correction with a uniform guess in place of the simulators.
        target: by default ``new``, since corrections are for scenarios that nobody is asked.
        discrepancy, level: as :func:`fidelity.mean_difference`.

    Raises:
        ValueError: without simulators or guesses, and as there.

    Examples:
        >>> import numpy as np
        >>> from fidelity.correction import correction_gain, people_elsewhere, tempered_mixture
        >>> from fidelity.hybrids import split_people
        >>> rng = np.random.default_rng(0)
        >>> p = rng.dirichlet(np.ones(3), 60)
        >>> certain = p**3 / (p**3).sum(1, keepdims=True)  # an overconfident simulator
        >>> fitted, judging = split_people(rng.multinomial(200, p), 100, rng)
        >>> corrected = tempered_mixture(fitted, certain).probabilities
        >>> alone = [people_elsewhere(fitted)]
        >>> found = correction_gain(
        ...     judging, corrected, simulators=[certain], from_people=alone, discrepancy="tv"
        ... )
        >>> found.claimed
        True
    """
    for name, several in (("simulators", simulators), ("from_people", from_people)):
        if len(several) == 0:
            raise ValueError(f"{name} must be at least one table of probabilities, not none")

    people = Responses.of(responses)
    how: dict[str, Any] = {"discrepancy": discrepancy, "target": target, "level": level}

    def over(others: Sequence[Simulator | ArrayLike]) -> tuple[DiscrepancyInterval, ...]:
        return tuple(mean_difference(people, corrected, other, **how) for other in others)

    over_simulators, over_people = over(simulators), over(from_people)
    claimed = correction_verdict(over_simulators, over_people) == GAIN
    is_untestable = target == NEW and too_few(people.clusters)
    return CorrectionGain(over_simulators, over_people, claimed and not is_untestable)
