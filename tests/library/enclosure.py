"""Solvers that enclose an extremum, as functions that return its safe side, and what they meet."""

import numpy as np

TIGHT = 1e-11


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
