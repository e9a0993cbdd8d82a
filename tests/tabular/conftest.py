"""What tests of files have in common."""

import pytest


@pytest.fixture(autouse=True)
def in_a_folder(here):
    """Work in an empty folder of a user's."""
