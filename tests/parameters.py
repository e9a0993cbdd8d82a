"""Parameters of tests, of which ``make test`` runs some and CI all."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet


def quick(values: Iterable, only: Iterable) -> list[ParameterSet]:
    """Return the values as parameters; those but for ``only`` have the mark ``minutes``."""
    only = list(only)
    return [
        pytest.param(value, marks=() if value in only else pytest.mark.minutes) for value in values
    ]
