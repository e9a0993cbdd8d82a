"""Limits on how far one question's sources are apart, with coverage γ, for curves.

All limits are on the distance of people's distribution P from the simulator's answers Q̂ as they
are. Let n people answer, δ = 1 - γ. Each distance is a supremum of ⟨f, P - Q̂⟩ over functions f, and
at the true P the f that attains it does not depend on people's answers. So for the upper limit
Hoeffding's inequality for that one f suffices: the plug-in is at least its ⟨f, P̂ - Q̂⟩. With b the
largest difference of two values that such an f takes,

    upper = plug-in + b·sqrt(log(1/δ)/(2n)).

For the lower limit the plug-in exceeds the truth by at most the distance of P̂ and P. Its mean is at
most e/√n, and one answer changes it by at most b/n (McDiarmid 1989):

    lower = plug-in - e/√n - b·sqrt(log(1/δ)/(2n)).

- The root of ``mmd``: b = √2, e = 1 with the Gaussian kernel, since 0 ≤ k ≤ 1 = k(x, x).
- The root of ``energy``, for answers within a ball of radius R: b = 2√R, e = √R.
- ``sliced_w1``, within such a ball: b = 2R·λ, e = R, with λ² the largest eigenvalue of the
  directions' mean θθ', since the mean of |θ·u| over directions is at most its mean square's root.

Limits of the roots are squared again. R must be known, not measured: 1 where answers have length 1.
"""

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, Ends
from fidelity.vectors.distances import (
    ANSWERS,
    MMD,
    SAMPLE_DISTANCES,
    SLICED_W1,
    Samples,
    sample_distances,
)
from fidelity.vectors.points import directions


def distance_limits(samples: Samples, gamma: ArrayLike, *, measure: str = MMD) -> Ends:
    """Return lower and upper limits on the distance of one question, at coverage γ each.

    Args:
        samples: both sides' answers; with a bandwidth from other questions for ``mmd``, or a
            radius for the other distances. Persons are independent of each other and of draws.
        gamma: coverages, (G,).
        measure: ``mmd``, ``energy`` or ``sliced_w1``.

    Returns:
        (G,) each; at least 0.

    Raises:
        ValueError: on malformed arguments, or without what the measure needs.

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import Samples, distance_limits
        >>> rng = np.random.default_rng(0)
        >>> people, model = rng.normal(size=(400, 4)), rng.normal(size=(300, 4)) + [1, 0, 0, 0]
        >>> distance_limits(Samples(people, model, bandwidth=2.7), [0.5, 0.9])[1].round(3)
        array([0.085, 0.107])
    """
    inputs.instance("samples", samples, Samples, "Samples()")
    gamma = inputs.vector("gamma", gamma, inputs.INSIDE)
    if inputs.one_of("measure", measure, SAMPLE_DISTANCES) != MMD and samples.radius is None:
        raise ValueError(f"samples must have a radius for limits of {measure}")
    radius, n = samples.radius or 0.0, len(samples.people)
    deviation = np.sqrt(-np.log1p(-gamma) / (2.0 * n))
    if measure == SLICED_W1:
        line = directions(samples.people.shape[1])
        largest = np.linalg.eigvalsh(line.T @ line / len(line))[-1]
        mean, reach = radius, 2.0 * radius * np.sqrt(largest)
        alone = sample_distances(samples, measures=[SLICED_W1], estimand=ANSWERS)
        plug_in = alone[SLICED_W1].upper
    else:
        mean = 1.0 if measure == MMD else np.sqrt(radius)
        reach = np.sqrt(2.0) if measure == MMD else 2.0 * mean
        xx, xy, yy = (kernel.mean() for kernel in samples.kernels(measure))
        plug_in = np.sqrt(max(xx - 2.0 * xy + yy, 0.0))
    upper = plug_in + reach * deviation
    lower = np.maximum(plug_in - mean / np.sqrt(n) - reach * deviation, 0.0)
    return (lower, upper) if measure == SLICED_W1 else (lower**2, upper**2)
