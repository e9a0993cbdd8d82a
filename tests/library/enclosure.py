"""Solvers that enclose an extremum, as functions that return its safe side, and what they meet."""

import numpy as np
from scipy.optimize import brentq, linprog

from fidelity.extrema.kl_ball import divergence

TIGHT, ENCLOSURE = 1e-11, 1e-8


def minimum(solver):
    """Return the solver's lower bounds, having checked that attained values are next to them."""
    return _checked(solver, safe=0)


def maximum(solver):
    """Return the solver's upper bounds, having checked that attained values are next to them."""
    return _checked(solver, safe=1)


def _checked(solver, safe):
    def extremum(*arguments):
        below, above = solver(*arguments)
        scale = max(1.0, float(np.ptp(arguments[-1])))
        gap = np.asarray(above) - below
        assert (gap >= -1e-15 * scale).all()
        assert (gap <= TIGHT * scale).all()
        return (below, above)[safe]

    return extremum


def awkward_simulators(p):
    """Simulators at awkward places: vertex, p itself, uniform, next to p, and a face."""
    d = len(p)
    generator = np.random.default_rng(d)
    face = generator.dirichlet(np.ones(d)) * (np.arange(d) > 0)
    return {
        "vertex": np.eye(d)[0],
        "people": p,
        "uniform": np.full(d, 1 / d),
        "near": 0.9 * p + 0.1 * generator.dirichlet(np.ones(d)),
        "face": face / face.sum(),
    }


def hostile_samples(generator, radius, near, d):
    """Return vertices, faces and rare options, the radii, and two simulators for each.

    A simulator is anywhere, at a vertex, or at most so ``near`` to people's shares.
    """
    many = len(radius)
    n = generator.choice([1, 2, 20, 10**6], many)
    share = generator.multinomial(n, generator.dirichlet(np.full(d, 0.6), many)) / n[:, None]

    def simulator():
        anywhere = generator.dirichlet(np.full(d, 0.5), many)
        vertex = np.eye(d)[generator.integers(0, d, many)]
        weight = near[:, None] * generator.random((many, 1))
        kind = generator.integers(0, 4, (many, 1))
        beside = (1 - weight) * share + weight * anywhere
        return np.select([kind == 0, kind == 1], [anywhere, vertex], beside)

    return share, radius, simulator(), simulator()


def enclosed_maximum(p, radius, lines, value):
    """Enclose max over the ball of Σ_k min over lines of ⟨slopes_k, u⟩ + offset_k = value(u).

    Linear programs with supporting hyperplanes of the ball bound it from above, points of the ball
    from below.
    """
    d, terms = len(p), len(lines[0][1])
    rows = [np.r_[-slopes[k], np.eye(terms)[k]] for slopes, _ in lines for k in range(terms)]
    limits = [offsets[k] for _, offsets in lines for k in range(terms)]
    reached, bound = -np.inf, np.inf
    while bound - reached > ENCLOSURE:
        solution = linprog(
            np.r_[np.zeros(d), -np.ones(terms)],
            A_ub=np.array(rows),
            b_ub=limits,
            A_eq=[np.r_[np.ones(d), np.zeros(terms)]],
            b_eq=[1.0],
            bounds=[(0, 1)] * d + [(None, None)] * terms,
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        bound = min(bound, -solution.fun)
        vertex = np.maximum(solution.x[:d], 0) / np.maximum(solution.x[:d], 0).sum()
        if divergence(p, vertex) <= radius:
            return max(reached, value(vertex)), bound
        point = edge(p, vertex, radius)
        reached = max(reached, value(point))
        gradient = np.where(p > 0, -p / np.where(p > 0, point, 1), 0.0)
        gradient /= np.abs(gradient).max()
        rows.append(np.r_[gradient, np.zeros(terms)])
        limits.append(gradient @ point)
    return reached, bound


def edge(p, towards, radius):
    """Return the point of the ball that lies farthest from p towards another."""
    if divergence(p, towards) <= radius:
        return towards

    def excess(t):
        return min(divergence(p, (1 - t) * p + t * towards), 1e6) - radius

    t = brentq(excess, 0, 1, xtol=1e-15, rtol=1e-14)
    return (1 - t) * p + t * towards
