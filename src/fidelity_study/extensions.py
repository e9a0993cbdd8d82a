"""Discrepancies, confidence sets and baselines of one's own: Python files that a config names."""

import sys
from collections.abc import Iterable
from hashlib import blake2b
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from fidelity_study.errors import refusal


def load(files: Iterable[str]) -> None:
    """Run each file once, so that what it adds to the registries is known by name.

    Raises:
        DataError: if a file fails.
    """
    for file in files:
        path = Path(file).resolve()
        name = f"fidelity_extension_{blake2b(bytes(path), digest_size=8).hexdigest()}"
        if name in sys.modules:
            continue
        spec = spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            what = "the name of a Python file ends in .py; rename it"
            raise refusal("no-python", f"{file}: {what}", key="extensions")
        module = module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            what = f"{file}: {type(error).__name__}: {error}"
            raise refusal("extension-fails", what, key="extensions") from error
