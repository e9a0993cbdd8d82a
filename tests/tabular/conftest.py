"""What tests of files have in common."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def back_again() -> Iterator[None]:
    """Leave the process in the folder that it was in, for tests that may not monkeypatch."""
    here = os.getcwd()
    yield
    os.chdir(here)
