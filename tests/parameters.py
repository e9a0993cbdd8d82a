"""Parameters of tests, of which ``make test`` runs some, CI most and a release all."""

from collections.abc import Iterable

import pytest


def quick(values: Iterable, only: Iterable, release: Iterable = ()) -> list:
    """Return the values as parameters; those but for ``only`` have the mark ``minutes``.

    Those in ``release`` have that mark instead. A tuple has the values of several parameters.
    """
    only, release = list(only), list(release)

    def mark(value):
        return pytest.mark.release if value in release else pytest.mark.minutes

    return [
        pytest.param(
            *(value if isinstance(value, tuple) else [value]),
            marks=() if value in only else mark(value),
        )
        for value in values
    ]
