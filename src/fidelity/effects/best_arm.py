"""What is lost by taking the arm that a simulator would pick, in people's mean answers."""

import numpy as np
from scipy.special import stdtrit

from fidelity import inputs
from fidelity.arrays import FloatArray
from fidelity.effects.estimates import Effects, measured
from fidelity.simultaneous import joint_level
from fidelity.structure.estimates import Interval

TIE = 1e-9
PICKS = HIGHEST, LOWEST = ("highest", "lowest")


def regret(
    people: Effects,
    simulator: Effects,
    *,
    best: str = HIGHEST,
    same_persons: bool = False,
    level: float = 0.95,
    times: float = 1.0,
) -> Interval:
    """Return people's mean answer in their best arm less that in the arm the simulator picks.

    All arms of one outcome can be picked, the control as well; of equal ones each is as likely. 0
    if the pick is people's best.

    The upper end is the largest upper limit of another arm less the pick, each by itself: it must
    hold for the best arm, and that is one of them. The lower end is the largest lower limit, all
    of which hold together (max-t). In simulations 95 % intervals held in .97 to 1.0. Where the pick
    rests on these very persons (twins), chance had a part in it, and upper limits hold together,
    too.

    Args:
        people: their effects on one outcome.
        simulator: its effects of the same conditions.
        best: whether the ``highest`` mean is picked, or the ``lowest``.
        same_persons: whether the simulator knows these people's answers, or has their facts.
        level: of the interval.
        times: as if there were so many times as many persons, with the same estimates.

    Returns:
        At least 0; the estimate is somewhat too large, since chance helps the best.

    Raises:
        ValueError: if there are several outcomes, or no effect is on both sides.

    Examples:
        >>> from fidelity.effects import effects_of_means, regret, stated_effects
        >>> sides = [3.0, 2.6, 2.0], [1.0] * 3, [200] * 3, ["poster", "letter", "nothing"]
        >>> people = effects_of_means(*sides, control="nothing")
        >>> model = stated_effects([0.3, 0.2], people.labels)  # would take the letter
        >>> [round(end, 2) for end in regret(people, model)]
        [0.4, 0.18, 0.6]
    """
    people, simulator = measured(people, simulator)
    best = inputs.one_of("best", best, PICKS)
    level = inputs.number("level", level, inputs.INSIDE)
    outcomes = {label[:-1] for label in people.labels}
    if len(outcomes) > 1:
        raise ValueError(f"effects must be on one outcome, not on {len(outcomes)}; take some")
    sign = 1.0 if best == HIGHEST else -1.0
    said = np.append(0.0, sign * simulator.estimate)
    pick = said >= said.max() - TIE * max(float(np.ptp(said)), float(np.abs(said).max()))
    arms = np.vstack([np.zeros(len(people.labels)), sign * np.eye(len(people.labels))])
    apart: FloatArray = arms - arms[pick].mean(0)
    apart = apart[~pick] if pick.sum() == 1 else apart
    others = people.combined(apart, [(str(row),) for row in range(len(apart))])
    tail = (1.0 - level) / 2.0
    together = 1.0 - joint_level(others.errors, 1.0 - tail, sides=1)
    critical = [-stdtrit(others.df, one) / np.sqrt(times) for one in (together, tail)]
    below = others.distances(critical[0])[0]
    above = others.distances(critical[0 if same_persons else 1])[1]
    return Interval(
        *(
            max(0.0, float(value.max()))
            for value in (others.estimate, others.estimate - below, others.estimate + above)
        )
    )
