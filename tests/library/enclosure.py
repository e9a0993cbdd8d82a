"""Solvers that enclose an extremum, as functions that return its safe side."""

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
