"""Points of answers: their squared distances, the kernel's bandwidth, directions of projection."""

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.blocks import block_sizes, blocks
from fidelity.stream import stream

NEAR, AT_ONCE = 1e-5, 2**20
MOST_POINTS, MOST_DIRECTIONS = 500, 50
POINTS = ("answers", "dimensions")


def points_of(name: str, values: ArrayLike, fewest: int = 1) -> FloatArray:
    """Return checked answers, (n, D), at least so many."""
    points = inputs.table(name, values, inputs.FINITE, POINTS)
    if len(points) < fewest:
        raise ValueError(f"{name} must have at least {fewest} answers, not {len(points)}")
    return points


def both_sides(
    people: ArrayLike, simulator: ArrayLike, fewest: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Return both sides' answers, checked: points of the same dimension."""
    x, y = points_of("people", people, fewest), points_of("simulator", simulator, fewest)
    if x.shape[1] != y.shape[1]:
        raise ValueError(
            f"simulator must have {x.shape[1]} dimensions, as people, not {y.shape[1]}"
        )
    return x, y


def squared_distances(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return |x - y|² of every two points, (n, k), from one matrix product.

    Where points are so close that the product would lose digits, differences are taken.

    Args:
        one, other: points, (n, D) and (k, D).

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import squared_distances
        >>> squared_distances(np.array([[0.0, 3.0]]), np.array([[4.0, 0.0], [0.0, 3.0]]))
        array([[25.,  0.]])
    """
    centre = one.mean(0)
    one, other = one - centre, other - centre
    size = (one**2).sum(1)[:, None] + (other**2).sum(1)
    squares: FloatArray = size - 2.0 * (one @ other.T)
    near = np.argwhere(squares <= NEAR * size)
    for some in blocks(len(near), one.shape[1], AT_ONCE):
        i, j = near[some].T
        squares[i, j] = ((one[i] - other[j]) ** 2).sum(1)
    return squares


def bandwidths(medians: ArrayLike) -> FloatArray:
    """Return the bandwidth h of the kernel exp(-|x - y|²/(2h²)) of each question, (m,).

    It is the median, over the *other* questions, of the median distance of two answers. So it is
    independent of the question's own answers, as limits need it. With one question only it is the
    median distance of its pooled answers. Taken from people's answers alone it would bias the
    distance of two equal sources; pooled, both sides count alike.

    Args:
        medians: of each question, from :func:`median_distance`, (m,).

    Examples:
        >>> from fidelity.vectors import bandwidths
        >>> bandwidths([1.0, 2.0, 4.0])
        array([3. , 2.5, 1.5])
    """
    medians = inputs.vector("medians", medians, inputs.FINITE_POSITIVE)
    if len(medians) == 1:
        return medians
    return np.array([np.median(np.delete(medians, place)) for place in range(len(medians))])


def median_distance(answers: ArrayLike, *, generator: np.random.Generator) -> float:
    """Return the median distance of two answers to a question.

    Args:
        answers: of all sources, pooled, (N, D).
        generator: of the 500 answers that are taken where there are more.

    Raises:
        ValueError: if half of the distances or more are 0, so that the median says nothing.

    Examples:
        >>> import numpy as np
        >>> from fidelity.vectors import median_distance
        >>> rng = np.random.default_rng(0)
        >>> round(median_distance(rng.normal(size=(200, 5)), generator=rng), 2)
        2.86
    """
    points = points_of("answers", answers, 2)
    inputs.generator("generator", generator)
    if len(points) > MOST_POINTS:
        points = points[generator.choice(len(points), MOST_POINTS, replace=False)]
    squares = squared_distances(points, points)[np.triu_indices(len(points), 1)]
    median = float(np.median(np.sqrt(squares)))
    if median == 0.0:
        raise ValueError(
            "answers must differ: half of the distances or more are 0, so that no bandwidth fits; "
            "use energy or sliced_w1, or count the answers as categories"
        )
    return median


def principal_plane(points: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the mean of points, (D,), and the two directions in which they spread most, (2, D).

    One direction where D is 1.

    Examples:
        >>> from fidelity.vectors import principal_plane
        >>> centre, plane = principal_plane([[0, 0, 0], [0, 4, 0], [2, 2, 0]])
        >>> centre.tolist(), abs(plane).tolist()
        ([0.6666666666666666, 2.0, 0.0], [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    """
    table = points_of("points", points)
    centre = table.mean(0)
    covariance = np.cov(table, rowvar=False, ddof=0).reshape(2 * (len(centre),))
    return centre, np.linalg.eigh(covariance)[1][:, ::-1].T[:2]


def directions(dimensions: int, many: int = MOST_DIRECTIONS) -> FloatArray:
    """Return the unit vectors that points are projected on, (many, D); the same for the same D.

    They come in orthogonal blocks, each uniform on the sphere. With one dimension there is one.

    Args:
        dimensions: D.
        many: how many; a part of what the distance means.

    Examples:
        >>> from fidelity.vectors import directions
        >>> directions(384).shape, directions(1).shape
        ((50, 384), (1, 1))
    """
    dimensions = inputs.whole("dimensions", dimensions, 1)
    many = 1 if dimensions == 1 else inputs.whole("many", many, 1)
    generator, parts = stream("sliced_w1", dimensions), list[FloatArray]()
    for size in block_sizes(many, 1, dimensions):
        parts.append(np.linalg.qr(generator.standard_normal((dimensions, size)))[0].T)
    return np.concatenate(parts)
