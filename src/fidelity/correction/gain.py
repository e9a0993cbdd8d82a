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
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray
from fidelity.comparison.few_clusters import too_few
from fidelity.correction.mixture import tempered_mixture
from fidelity.discrepancies.base import Discrepancy
from fidelity.means.average import NEW, DiscrepancyInterval, mean_difference
from fidelity.means.estimates import Estimate
from fidelity.responses import Responses, Simulator

GAIN, NO_GAIN, LOSS = "gain", "no gain", "loss"


class CorrectionGain(NamedTuple):
    """How much nearer a corrected simulator is, and whether that is certain.

    Attributes:
        over_simulators: mean L(p, corrected) - mean L(p, q) for each simulator q; < 0 is a gain.
        over_people: the same for each guess that was learned without a simulator.
        claimed: whether all upper ends are below 0; never for new scenarios of fewer than 4
            effective clusters, whose intervals may be far too short.
        verdict: of :func:`correction_verdict`; ``no gain`` there.

    Examples:
        >>> from fidelity.correction import CorrectionGain
        >>> CorrectionGain._fields
        ('over_simulators', 'over_people', 'claimed', 'verdict')
    """

    over_simulators: tuple[DiscrepancyInterval, ...]
    over_people: tuple[DiscrepancyInterval, ...]
    claimed: bool
    verdict: str


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


def _gain(
    over_simulators: tuple[DiscrepancyInterval, ...],
    over_people: tuple[DiscrepancyInterval, ...],
    target: str,
    clusters: AnyArray | None,
) -> CorrectionGain:
    """Return the differences with their verdict."""
    verdict = correction_verdict(over_simulators, over_people)
    if target == NEW and too_few(clusters):
        verdict = NO_GAIN
    return CorrectionGain(over_simulators, over_people, verdict == GAIN, verdict)


@dataclass(frozen=True)
class CorrectionMeans:
    """Mean discrepancies of a corrected simulator and of what it must beat, over all directions.

    A direction is one half of the people who teach, and the other who judges.

    Attributes:
        corrected: the mean of the corrected simulator.
        simulators, from_people: the mean of each that it is compared with.
        over_simulators, over_people: the mean of its difference from each.

    Examples:
        >>> import numpy as np
        >>> from fidelity.correction import correction_means
        >>> from fidelity.responses import Responses
        >>> people, q = Responses(np.tile([[60.0, 40.0]], (9, 1))), np.tile([[0.2, 0.8]], (9, 1))
        >>> nearer, guess = np.tile([[0.6, 0.4]], (9, 1)), np.full((9, 2), 0.5)
        >>> means = correction_means([people], [nearer], [q], [[guess]], discrepancy="tv")
        >>> round(means.gain("asked", 0.95).over_simulators[0].ci_upper, 2)
        -0.34
    """

    corrected: Estimate
    simulators: list[Estimate]
    from_people: list[Estimate]
    over_simulators: list[Estimate]
    over_people: list[Estimate]

    def gain(self, target: str, level: float) -> CorrectionGain:
        """Return how much nearer the corrected simulator is; differences at ``level`` each."""
        over_simulators, over_people = (
            tuple(mean.uncut(target, level) for mean in differences)
            for differences in (self.over_simulators, self.over_people)
        )
        return _gain(over_simulators, over_people, target, self.corrected.clusters)


def correction_means(
    people: Sequence[Responses],
    corrected: Sequence[FloatArray],
    simulators: Sequence[FloatArray],
    from_people: Sequence[Sequence[FloatArray]],
    *,
    discrepancy: str | Discrepancy,
) -> CorrectionMeans:
    """Return the mean discrepancies of a corrected simulator and of what it must beat.

    Each is the average over directions; its error is at most the mean of theirs.

    Args:
        people: those who judge, in each direction.
        corrected: the probabilities fitted to the others, (m, d), in each direction.
        simulators: the probabilities of each simulator that it was made from, (m, d).
        from_people: in each direction, guesses learned from those others without a simulator.
        discrepancy: its name.

    Examples:
        >>> import numpy as np
        >>> from fidelity.correction import correction_means
        >>> from fidelity.responses import Responses
        >>> people, q = Responses(np.tile([[60.0, 40.0]], (9, 1))), np.tile([[0.2, 0.8]], (9, 1))
        >>> nearer, guess = np.tile([[0.6, 0.4]], (9, 1)), np.full((9, 2), 0.5)
        >>> means = correction_means([people], [nearer], [q], [[guess]], discrepancy="tv")
        >>> means.gain("asked", 0.95).verdict
        'gain'
    """

    def averaged(*shares: Sequence[FloatArray]) -> Estimate:
        directions = zip(people, zip(*shares, strict=True), strict=True)
        return Estimate.average(
            [
                Estimate.of(judges, *map(Simulator, of_half), discrepancy=discrepancy)
                for judges, of_half in directions
            ]
        )

    rivals = [[q] * len(people) for q in simulators], [*zip(*from_people, strict=True)]
    return CorrectionMeans(
        averaged(corrected),
        *([averaged(rival) for rival in group] for group in rivals),
        *([averaged(corrected, rival) for rival in group] for group in rivals),
    )


def hardest_to_beat(over: Sequence[DiscrepancyInterval]) -> int:
    """Return the position of the difference whose interval has the largest upper end.

    Examples:
        >>> from fidelity.correction import hardest_to_beat
        >>> from fidelity.means import DiscrepancyInterval
        >>> ends = (-0.05, 0.01, float("nan"))
        >>> hardest_to_beat([DiscrepancyInterval(-0.08, -0.07, -0.1, end, 60) for end in ends])
        2
    """
    ends = [limits.ci_upper for limits in over]
    return int(np.argmax(np.where(np.isnan(ends), np.inf, ends)))


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

    return _gain(over(simulators), over(from_people), target, people.clusters)
