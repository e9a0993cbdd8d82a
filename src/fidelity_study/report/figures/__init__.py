"""The figures of a study. A file with a function ``draw(source)`` is one, by the file's name.

It returns a Matplotlib figure, and sentences on its data for the caption, the most important first.
The first line of the file's docstring is its title in the report, the rest the caption.
``NEEDS``, if there, says what a dataset must have to be drawn: ``simulators``, at least so many;
``plan``, ``predict``, ``correct`` or ``hybrids``, True; ``calibration`` of "options" or of
"numbers". Those ``ON_REQUEST`` are drawn where a config names them, all others by default.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location

BY_DEFAULT = [
    *("ranking", "curve", "scatter", "cards", "heat_map", "pairs"),
    *("reliability", "hybrids"),
]
ON_REQUEST = ["effects", "regressions", "relations", "uses"]


def drawer(name: str, path: str | None = None) -> Callable:
    """Return the function that draws a figure: one of this folder, or that in the file ``path``."""
    if path is None:
        return import_module(f"{__name__}.{name}").draw
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.draw
