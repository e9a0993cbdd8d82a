"""All uses of all simulators at one error rate.

Some verdicts are wrong by chance, most of all where a reader may choose among many. So the p-values
of "within" of all uses and simulators are adjusted together, and so are those of "beyond", each by
Holm's method (1979) at half of 1 - level. Then no verdict on the card is wrong with a probability
of at least ``level``, whatever the dependence. The uses that count are those that were declared
before looking. Limits must have been fixed before, too.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from fidelity import inputs
from fidelity.uses.base import NOT_ASKED, OPEN, USES, Use, verdict_of
from fidelity.uses.joint import adjusted


class Row(NamedTuple):
    """One use of one simulator.

    Attributes:
        simulator: its name.
        use: by itself, with its own 95 % interval.
        verdict: on the card. An open row may be ``within`` by itself (``use.verdict``).
        p_within, p_beyond: adjusted for all rows that count; NaN for others.
        needs: of what there must be more to settle an open row.
        times: how many times as much, with a probability of .8; see :class:`Use`.

    Examples:
        >>> from fidelity.uses import USES, card
        >>> (row,) = card({"gpt": [USES["shares"].measure([[60, 40]], [[0.1, 0.9]])]})
        >>> row.simulator, row.verdict
        ('gpt', 'beyond')
    """

    simulator: str
    use: Use
    verdict: str
    p_within: float
    p_beyond: float
    needs: str
    times: float


def card(
    uses: Mapping[str, Iterable[Use]],
    *,
    level: float = 0.95,
    declared: Iterable[str] | None = None,
) -> list[Row]:
    """Return a verdict on each use of each simulator, none of them wrong with this level.

    Args:
        uses: of each simulator by name, of :meth:`UseKind.measure`, each use once.
        level: with which no verdict is wrong.
        declared: names of the uses that were chosen before looking, which count even where they
            are not measured; the others are ``not asked``. All, if None.

    Returns:
        A row for each use, in the order given.

    Raises:
        ValueError: if a use stands twice, or a declared one is unknown.

    Examples:
        >>> from fidelity.structure import Interval
        >>> from fidelity.uses import USES, as_normal, card
        >>> intervals = {"a": (0.02, 0.0, 0.06), "b": (0.05, 0.01, 0.098), "c": (0.3, 0.2, 0.4)}
        >>> shares = USES["shares"]
        >>> uses = {name: [shares.judged(as_normal(Interval(*ends)), 0.1)]
        ...         for name, ends in intervals.items()}
        >>> [row.verdict for row in card(uses)], [row.use.verdict for row in card(uses)]
        (['within', 'open', 'beyond'], ['within', 'within', 'beyond'])
    """
    alpha = (1.0 - inputs.number("level", level, inputs.INSIDE)) / 2.0
    rows = [(simulator, use) for simulator, listed in uses.items() for use in listed]
    if len({(simulator, use.name) for simulator, use in rows}) < len(rows):
        raise ValueError("each use must stand once for each simulator")
    names, asked = {use.name for _, use in rows}, len(rows)
    if declared is not None:
        names = {inputs.one_of("declared", name, USES) for name in declared}
        asked = len(uses) * len(names)
    counts = np.array([use.name in names for _, use in rows], bool)
    both = np.array([(use.p_within, use.p_beyond) for _, use in rows]).reshape(-1, 2).T
    together = np.full(both.shape, np.nan)
    together[:, counts] = [adjusted(p, asked) for p in both[:, counts]]
    return [
        _row(simulator, use, p, q, alpha, asked)
        for (simulator, use), (p, q) in zip(rows, together.T.tolist(), strict=True)
    ]


def _row(
    simulator: str, use: Use, p_within: float, p_beyond: float, alpha: float, asked: int
) -> Row:
    """Return a row with its verdict; what would settle it is as if no other row were settled."""
    verdict = NOT_ASKED if np.isnan(p_within) else verdict_of(p_within, p_beyond, alpha)
    needs, times = "", np.nan
    if verdict == OPEN:
        needs, times = USES[use.name].more, use.factor(alpha / asked)
    return Row(simulator, use, verdict, p_within, p_beyond, needs, times)
