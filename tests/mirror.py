"""Published files in the data mirror, and tests that need them."""

import os
from pathlib import Path

import pytest
from small_study import REPOSITORY

MIRROR = Path(os.environ.get("FIDELITY_DATA_MIRROR", REPOSITORY.parent / "shared" / "data"))


def mirrored(path: Path):
    """Return the mark of tests of a file or folder; where it is not there, they run in CI only."""
    is_there = path.exists() or "CI" in os.environ
    return pytest.mark.skipif(not is_there, reason=f"no data mirror with {path}")
