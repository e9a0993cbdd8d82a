"""Quantile curves of the sim-to-real discrepancy, with guarantees.

Pure functions on arrays: no files, no workflow. Rows are scenarios everywhere, columns are options,
simulators or resamples. Tables with labels, such as pandas', are matched by their labels, anything
else by position; see :mod:`fidelity.inputs`. Start with :func:`pseudo_discrepancy` (how far a
simulator can be from people in each scenario) and :func:`quantile_curve` (what that says of
scenarios in general). Names are imported when first used (SPEC 1); the stub beside this file
lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
