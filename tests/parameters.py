"""Parameters of tests, of which ``make test`` runs some and CI all."""

from collections.abc import Iterable

import pytest


def quick(values: Iterable, only: Iterable) -> list:
    """Return the values as parameters; those but for ``only`` have the mark ``minutes``.

    A tuple has the values of several parameters.
    """
    only = list(only)
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else [value]),
            marks=() if value in only else pytest.mark.minutes,
        )
        for value in values
    ]
