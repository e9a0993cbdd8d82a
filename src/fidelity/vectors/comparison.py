"""All that is measured of both sides' answers to one question."""

from typing import NamedTuple

import numpy as np

from fidelity.arrays import FloatArray
from fidelity.curves.envelope import GAMMA_GRID
from fidelity.vectors.distances import (
    ENERGY,
    ESTIMANDS,
    MMD,
    SLICED_W1,
    SampleDistance,
    Samples,
    sample_distances,
)
from fidelity.vectors.limits import distance_limits


class PointComparison(NamedTuple):
    """How far both sides' answers to a question are apart.

    Attributes:
        distances: by estimand, and by name of the distance, of those that the samples allow.
        limits: by name of the distance, the lower and the upper one at each coverage of
            ``fidelity.curves.envelope.GAMMA_GRID``, (2, G), as :func:`distance_limits` gives them.
        people_apart, simulator_apart: the mean distance of each answer from the other side's, (n,)
            and (k,).

    Examples:
        >>> from fidelity.vectors import Samples, compare_points
        >>> points = compare_points(Samples([[0.0], [1.0], [2.0]], [[1.0], [3.0], [5.0]]))
        >>> points.people_apart
        array([3.        , 2.        , 1.66666667])
    """

    distances: dict[str, dict[str, SampleDistance]]
    limits: dict[str, tuple[FloatArray, FloatArray]]
    people_apart: FloatArray
    simulator_apart: FloatArray


def compare_points(samples: Samples, *, level: float = 0.95) -> PointComparison:
    """Return how far both sides' answers to a question are apart, by all distances.

    Args:
        samples: both sides' answers. ``mmd`` needs their bandwidth, and limits of other distances
            their radius.
        level: of the distances' intervals.

    Examples:
        >>> from fidelity.vectors import Samples, compare_points
        >>> samples = Samples([[0.0], [1.0], [2.0]], [[1.0], [3.0], [5.0]])
        >>> compare_points(samples).simulator_apart
        array([0.66666667, 2.        , 4.        ])
    """
    needed = {MMD: samples.bandwidth, ENERGY: samples.radius, SLICED_W1: samples.radius}
    apart = np.sqrt(samples.squares[1])
    return PointComparison(
        {name: sample_distances(samples, estimand=name, level=level) for name in ESTIMANDS},
        {
            measure: distance_limits(samples, GAMMA_GRID, measure=measure)
            for measure, known in needed.items()
            if known is not None
        },
        apart.mean(1),
        apart.mean(0),
    )
