"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parents[1]

settings.register_profile("reproducible", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("reproducible")


@pytest.fixture(scope="session")
def vectors() -> Path:
    """Folder of reference values; the test is skipped where there is none."""
    default = REPOSITORY / "../shared/vectors"
    folder = Path(os.environ.get("FIDELITY_VECTORS", default)).resolve()
    if not folder.is_dir():
        pytest.skip(f"no reference values in {folder}: set FIDELITY_VECTORS")
    return folder
