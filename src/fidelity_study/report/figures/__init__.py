"""The figures of a study. A file with a function ``draw(results)`` is one, by the file's name.

The first line of its docstring is its title in the report, the rest its caption. ``NEEDS``, if
there, says what a dataset must have to be drawn: ``simulators``, at least so many; ``plan``,
``predict``, ``correct`` or ``hybrids``, True; ``calibration`` of "options" or of "numbers". Those
``ON_REQUEST`` are drawn where a config names them, all others by default.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location

BY_DEFAULT = [
    *("curves", "means", "pairwise", "reliability", "intervals", "plan"),
    *("predictions", "corrections", "hybrids"),
]
ON_REQUEST = [
    *("curves_by_n", "tightness", "bands", "gamma"),
    *("confidence_sets", "guarantees", "error_bars"),
]


def drawer(name: str, path: str | None = None) -> Callable:
    """Return the function that draws a figure: one of this folder, or that in the file ``path``."""
    if path is None:
        return import_module(f"{__name__}.{name}").draw
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.draw
